"""Networks that several visitors load at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from torch import nn

from dnncov_core.networks.exported_program import export_module


def test_modules_are_exported_from_several_threads() -> None:
    modules = [nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2)).eval() for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        programs = list(pool.map(lambda module: export_module(module, (2,)), modules))
    assert ["relu" in str(program.graph) for program in programs] == [True] * 8
