"""LP calls by layer pair as Markdown: medians, and how many times longer the paper's formulation takes.

python -m tests.benchmarks.ratios FILE.json
"""

from __future__ import annotations

import json
import statistics
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

PAPERS = ("highs", "cbc")
"""Solvers of the paper's formulation."""
HEAD = """\
| network, layers, seeds | calls | none | ms | rows | paper's size | HiGHS ms | times | CBC ms | times |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


def row(group: str, members: dict[str, dict[str, Any]]) -> tuple[str, dict[str, float]]:
    """The line of one layer pair and its ratios, medians over the same test conditions; blank what was not measured."""
    ours, theirs = members["rows"], members["highs"]["extra_info"]
    data = {name: benchmark["stats"]["data"] for name, benchmark in members.items()}
    ratio = {
        name: statistics.median(b / a for a, b in zip(data["rows"], times, strict=True)) for name, times in data.items()
    }
    ms = {name: f"{statistics.median(times) * 1e3:.1f}" for name, times in data.items()}
    cells: tuple[object, ...] = (
        group.replace("layers ", "").replace(" seeds", ""),
        len(data["rows"]),
        ours["extra_info"]["infeasible"],
        ms["rows"],
        f"{ours['extra_info']['constraints']:.0f}",
        f"{theirs['variables']}/{theirs['constraints']:.0f}",
        *(cell for name in PAPERS for cell in (ms.get(name, ""), f"{ratio[name]:.0f}" if name in ratio else "")),
    )
    return f"| {' | '.join(map(str, cells))} |", ratio


def table(benchmarks: list[dict[str, Any]]) -> list[str]:
    """A line a layer pair, and the medians of the ratios over them."""
    rows = [
        row(group, {benchmark["extra_info"]["programme"]: benchmark for benchmark in members})
        for group, members in groupby(benchmarks, key=lambda benchmark: benchmark["group"])
    ]
    medians = [
        f"**{statistics.median(ratio[name] for _, ratio in rows):.0f}**" if name in rows[0][1] else ""
        for name in PAPERS
    ]
    last = f"| median over layer pairs | | | | | | | {' | | '.join(medians)} |"
    return [HEAD, *(line for line, _ in rows), last]


if __name__ == "__main__":
    print("\n".join(table(json.loads(Path(sys.argv[1]).read_text())["benchmarks"])))
