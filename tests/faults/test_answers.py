"""A mutant that is evaluated from its fault on answers as one that is evaluated from the beginning."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dnncov_core.data import Data
from dnncov_core.faults import answers
from dnncov_core.faults.answers import Answers
from dnncov_core.faults.fault import FaultyNetwork
from dnncov_core.faults.operators import MUTATION_OPERATORS
from dnncov_core.faults.sites import Site
from tests.networks_for_tests import piecewise


@pytest.mark.parametrize("kept", [0, 2**29])
@pytest.mark.parametrize("name", ["residual and cat", "branches with pooling"])
def test_evaluation_from_the_fault_on(name: str, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "KEPT_BYTES", kept)
    monkeypatch.setattr(answers, "SAMPLE", 7)
    network = piecewise(name)
    images = np.random.default_rng(2).random((20, *network.input_shape))
    x, labels = torch.from_numpy(images), np.arange(20) % network.layers[-1].neurons
    found = Answers(network, Data("made", images, labels, (), ""))
    changed = 0
    for operator in MUTATION_OPERATORS.values():
        for layer in operator.layers(network):
            fault = operator(0.9).fault(Site(network, layer), np.random.default_rng(layer))
            outputs = FaultyNetwork(network, fault)(x)
            right = np.zeros(20, bool)
            for rows, those in found.of(fault):
                right[rows] = those
            assert right.tolist() == (outputs.argmax(dim=1).numpy() == labels).tolist()
            changed += not torch.equal(outputs, network(x))
    assert changed > 20
