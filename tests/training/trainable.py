"""The embedded networks as they are trained: batch normalisation helps, and is folded into the weights afterwards."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import nn
from torch.nn.utils import fuse_conv_bn_eval, fuse_linear_bn_eval

from dnncov_core.networks.zoo import Convolutional, Structure


def trainable(structure: Structure) -> nn.Sequential:
    """The untrained module; of a convolutional one with batch normalisation before each ReLU."""
    if not isinstance(structure, Convolutional):
        return structure.module()
    with torch.device("meta"):  # draws no random numbers
        plain = structure.module()
    layers: list[nn.Module] = []
    for layer, following in pairwise([*plain, None]):
        if isinstance(layer, nn.Conv2d):
            layers += [nn.Conv2d(layer.in_channels, layer.out_channels, 3, padding=1, bias=False)]
            layers += [nn.BatchNorm2d(layer.out_channels)]
        elif isinstance(layer, nn.Linear) and following is not None:
            layers += [nn.Linear(layer.in_features, layer.out_features, bias=False), nn.BatchNorm1d(layer.out_features)]
        elif isinstance(layer, nn.Linear):
            layers += [nn.Linear(layer.in_features, layer.out_features)]
        else:
            layers += [layer]
    return nn.Sequential(*layers).to(memory_format=torch.channels_last)


def finished(trained: nn.Sequential) -> nn.Sequential:
    """A trained `trainable` in the form of its structure's module, in eval mode."""
    layers: list[nn.Module] = []
    for layer in trained.eval():
        before = layers[-1] if layers else None
        if isinstance(layer, nn.BatchNorm2d) and isinstance(before, nn.Conv2d):
            layers[-1] = fuse_conv_bn_eval(before, layer)
        elif isinstance(layer, nn.BatchNorm1d) and isinstance(before, nn.Linear):
            layers[-1] = fuse_linear_bn_eval(before, layer)
        else:
            layers.append(layer)
    return nn.Sequential(*layers).to(memory_format=torch.contiguous_format).eval()


def in_words(structure: Structure) -> str:
    """The structure for a network's card."""
    if not isinstance(structure, Convolutional):
        return f"Fully connected, {'x'.join(map(str, structure.hidden))} ReLU neurons"
    sizes = [structure.size >> block for block in range(len(structure.channels))]
    maps = ", ".join(f"2 x {n} maps of {size}x{size}" for n, size in zip(structure.channels, sizes, strict=True))
    return (
        f"3x3 convolutions with ReLU, {maps}, a 2x2 max pooling after each two, then {structure.hidden} fully "
        "connected ReLU neurons; batch normalisation was folded into the weights after training"
    )
