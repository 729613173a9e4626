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

HEAD = """\
| network, layers, seeds | calls | none | ms | rows | paper's size | HiGHS ms | times | CBC ms | times |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


def row(group: str, members: dict[str, dict[str, Any]]) -> tuple[str, float, float]:
    """The line of one layer pair, and its two ratios, medians over the same test conditions."""
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
        *(ms["highs"], f"{ratio['highs']:.0f}", ms["cbc"], f"{ratio['cbc']:.0f}"),
    )
    return f"| {' | '.join(map(str, cells))} |", ratio["highs"], ratio["cbc"]


def table(benchmarks: list[dict[str, Any]]) -> list[str]:
    """A line a layer pair, and the medians of the ratios over them."""
    rows = [
        row(group, {benchmark["extra_info"]["programme"]: benchmark for benchmark in members})
        for group, members in groupby(benchmarks, key=lambda benchmark: benchmark["group"])
    ]
    highs, cbc = (statistics.median(entry[place] for entry in rows) for place in (1, 2))
    medians = f"| median over layer pairs | | | | | | | **{highs:.0f}** | | **{cbc:.0f}** |"
    return [HEAD, *(line for line, _, _ in rows), medians]


if __name__ == "__main__":
    print("\n".join(table(json.loads(Path(sys.argv[1]).read_text())["benchmarks"])))
