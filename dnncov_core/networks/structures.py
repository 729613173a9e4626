"""What the embedded networks look like, and how batch normalisation helps to train them without staying in them.

A structure is plain data; PyTorch is imported only when a module is built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


class Structure(ABC):
    """Layers of a network; as a text, in words for its card."""

    @abstractmethod
    def module(self) -> nn.Sequential:
        """The untrained module as it is embedded."""

    def trainable(self) -> nn.Sequential:
        """The untrained module as it is trained."""
        return self.module()

    def finished(self, trained: nn.Sequential) -> nn.Sequential:
        """A trained `trainable` in the form of `module`, in eval mode."""
        return trained.eval()


@dataclass(frozen=True)
class FullyConnected(Structure):
    """Linear layers with ReLU between them over the flattened input, ``(batch, ...)`` to ``(batch, outputs)``.

    Attributes:
        hidden: number of neurons of each hidden layer.
    """

    hidden: tuple[int, ...]
    inputs: int = 28 * 28
    outputs: int = 10
    bias: bool = True

    def module(self) -> nn.Sequential:
        from torch import nn

        layers: list[nn.Module] = [nn.Flatten()]
        for n_inputs, n_outputs in pairwise((self.inputs, *self.hidden, self.outputs)):
            layers += [nn.Linear(n_inputs, n_outputs, bias=self.bias), nn.ReLU()]
        return nn.Sequential(*layers[:-1])

    def __str__(self) -> str:
        return f"Fully connected, {'x'.join(map(str, self.hidden))} ReLU neurons"


@dataclass(frozen=True)
class Convolutional(Structure):
    """Blocks of two 3x3 convolutions and a 2x2 max pooling, two fully connected layers; ReLU but at the end.

    Takes ``(batch, 3, size, size)`` to ``(batch, outputs)``. In training, batch normalisation stands before each ReLU;
    afterwards it is folded into the layer before it.

    Attributes:
        channels: feature maps of each block.
        hidden: neurons of the first fully connected layer.
    """

    channels: tuple[int, ...]
    hidden: int
    size: int = 32
    outputs: int = 10

    def module(self) -> nn.Sequential:
        from torch import nn

        return nn.Sequential(*self._layers(normalised=False))

    def trainable(self) -> nn.Sequential:
        import torch
        from torch import nn

        module = nn.Sequential(*self._layers(normalised=True))
        return module.to(memory_format=torch.channels_last)

    def finished(self, trained: nn.Sequential) -> nn.Sequential:
        """In eval mode each batch normalisation has become part of the layer before it."""
        import torch
        from torch import nn
        from torch.nn.utils import fuse_conv_bn_eval, fuse_linear_bn_eval

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

    def _layers(self, *, normalised: bool) -> Iterator[nn.Module]:
        from torch import nn

        maps, size = 3, self.size
        for n_maps in self.channels:
            for n_inputs in (maps, n_maps):
                yield nn.Conv2d(n_inputs, n_maps, 3, padding=1, bias=not normalised)
                if normalised:
                    yield nn.BatchNorm2d(n_maps)
                yield nn.ReLU()
            yield nn.MaxPool2d(2)
            maps, size = n_maps, size // 2
        yield nn.Flatten()
        yield nn.Linear(maps * size * size, self.hidden, bias=not normalised)
        if normalised:
            yield nn.BatchNorm1d(self.hidden)
        yield nn.ReLU()
        yield nn.Linear(self.hidden, self.outputs)

    def __str__(self) -> str:
        sizes = [self.size >> block for block in range(len(self.channels))]
        maps = ", ".join(f"2 x {n} maps of {size}x{size}" for n, size in zip(self.channels, sizes, strict=True))
        return (
            f"3x3 convolutions with ReLU, {maps}, a 2x2 max pooling after each two, then {self.hidden} fully connected "
            "ReLU neurons; batch normalisation was folded into the weights after training"
        )
