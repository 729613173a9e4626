"""How many inputs go through a network at the same time."""

from __future__ import annotations

import pytest
import torch

from dnncov_core.networks import memory
from tests.networks_for_tests import piecewise


def test_small_networks_fill_the_batch_and_large_ones_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    network = piecewise("mlp")
    assert memory.fitting_batch(network) == memory.MOST_ON_CPU
    assert memory.fitting_batch(network, 99) == 99
    neurons = sum(layer.neurons for layer in network.layers)
    monkeypatch.setattr(memory, "BYTES_ON_CPU", 7.5 * memory.COPIES * neurons * 8)
    assert memory.fitting_batch(network) == 7
    monkeypatch.setattr(memory, "BYTES_ON_CPU", 1.0)
    assert memory.fitting_batch(network) == 1


def test_inputs_of_data_go_together_where_the_network_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    network = piecewise("mlp")
    neurons = sum(layer.neurons for layer in network.layers)
    for values, size in ((100 * neurons, 100), (10 * neurons, memory.MOST_ON_CPU), (10**9, memory.MOST_AT_ONCE)):
        monkeypatch.setattr(memory, "VALUES_AT_ONCE", values)
        assert list(memory.batches(network, size + 3)) == [slice(0, size), slice(size, size + 3)]


def test_machines_that_do_not_tell_their_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.os, "sysconf_names", {"SC_PAGE_SIZE": 30})
    assert memory.fitting_batch(piecewise("mlp")) == memory.MOST_ON_CPU


def test_what_running_out_of_memory_looks_like() -> None:
    assert memory.is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory"))
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60, dtype=torch.uint8)
    assert memory.is_out_of_memory(caught.value)
    assert not memory.is_out_of_memory(RuntimeError("shape '[3]' is invalid"))
