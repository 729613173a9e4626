"""Networks that several visitors load at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor, nn

from dnncov_core.networks.exported_program import answer_of, export_module


def test_modules_are_exported_from_several_threads() -> None:
    modules = [nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2)).eval() for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        programs = list(pool.map(lambda module: export_module(module, (2,)), modules))
    assert ["relu" in str(program.graph) for program in programs] == [True] * 8


def test_no_module_is_called_while_another_is_traced() -> None:
    """PyTorch traces by changing the class of all modules, so that calls of others would become part of the trace."""
    traced, called = threading.Event(), threading.Event()

    class Waiting(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            traced.set()
            assert not called.wait(0.3)
            return super().forward(x)

    def call_another() -> None:
        assert traced.wait(10)
        answer_of(nn.Linear(2, 2), torch.zeros(1, 2))
        called.set()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(call_another)
        export_module(Waiting(2, 2).eval(), (2,))
        other.result(10)
    assert called.is_set()
