"""Structures: what they build, and that folding batch normalisation changes no output."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from dnncov_core.networks.zoo import Convolutional, FullyConnected, Structure
from tests.training.trainable import finished, in_words, trainable

SMALL = Convolutional(channels=(4, 6), hidden=5, size=8, outputs=3)


def disturbed(module: nn.Sequential) -> nn.Sequential:
    """With batch normalisation whose statistics, weights and biases are no longer the initial ones."""
    torch.manual_seed(1)
    for layer in module:
        if isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d):
            nn.init.normal_(layer.weight)
            nn.init.normal_(layer.bias)
            nn.init.normal_(layer.running_mean)
            nn.init.uniform_(layer.running_var, 0.5, 2.0)
    return module


def test_folding_changes_no_output() -> None:
    trained = disturbed(trainable(SMALL))
    x = torch.rand(7, 3, 8, 8)
    expected = trained.eval()(x)
    assert torch.allclose(finished(trained)(x), expected, atol=1e-5)


@pytest.mark.parametrize("structure", [SMALL, FullyConnected((7, 4), inputs=12)])
def test_finished_module_is_the_embedded_one(structure: Structure) -> None:
    folded, module = finished(trainable(structure)), structure.module()
    assert not folded.training
    assert [type(layer) for layer in folded] == [type(layer) for layer in module]
    module.load_state_dict(folded.state_dict(), strict=True)
    assert all(tensor.is_contiguous() for tensor in folded.state_dict().values())


def test_convolutional_layers_and_outputs() -> None:
    module = SMALL.module()
    names = "Conv2d ReLU Conv2d ReLU MaxPool2d " * 2 + "Flatten Linear ReLU Linear"
    assert " ".join(type(layer).__name__ for layer in module) == names
    assert module(torch.rand(2, 3, 8, 8)).shape == (2, 3)
    assert "2 x 4 maps of 8x8, 2 x 6 maps of 4x4, a 2x2 max pooling after each two, then 5 fully" in in_words(SMALL)


def test_fully_connected_layers_and_words() -> None:
    structure = FullyConnected((7, 4), inputs=12, outputs=3, bias=False)
    assert [tuple(weight.shape) for weight in structure.module().parameters()] == [(7, 12), (4, 7), (3, 4)]
    assert structure.module()(torch.rand(2, 3, 4)).shape == (2, 3)
    assert in_words(structure) == "Fully connected, 7x4 ReLU neurons"
