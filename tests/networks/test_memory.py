"""How many inputs go through a network at the same time."""

from __future__ import annotations

from pathlib import Path

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


def test_memory_that_keeps_files_at_hand_is_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    network = piecewise("mlp")
    each = memory.COPIES * sum(layer.neurons for layer in network.layers) * 8
    told = tmp_path / "meminfo"
    monkeypatch.setattr(memory, "MEMORY", told)
    told.write_text(f"MemTotal: 99999 kB\nMemFree: 0 kB\nMemAvailable: {7 * each} kB\nHugePages_Total: 0\n")
    monkeypatch.setattr(memory, "SHARE", 1 / 1024)
    assert memory.fitting_batch(network) == 7


def test_machines_that_do_not_tell_their_free_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory, "MEMORY", tmp_path / "none")
    assert memory.fitting_batch(piecewise("mlp")) == memory.MOST_ON_CPU
    assert memory.processes_fit(piecewise("mlp"), 10**9, 10**9)


def test_processes_have_weights_and_batches_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    network = piecewise("mlp")
    neurons, weights = sum(layer.neurons for layer in network.layers), memory.WEIGHTS * network.parameters * 8
    monkeypatch.setattr(memory, "_unused", lambda: 3 * (weights + 2 * memory.COPIES * neurons * 8) / memory.SHARE)
    assert memory.processes_fit(network, 3, 2)
    assert not memory.processes_fit(network, 4, 2)
    assert not memory.processes_fit(network, 3, 3)


def test_what_running_out_of_memory_looks_like() -> None:
    assert memory.is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory"))
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60, dtype=torch.uint8)
    assert memory.is_out_of_memory(caught.value)
    assert not memory.is_out_of_memory(RuntimeError("shape '[3]' is invalid"))
