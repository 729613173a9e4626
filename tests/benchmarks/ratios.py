"""Benchmarks of one file as Markdown: medians by group, and how many times longer than the group's first each takes.

python -m tests.benchmarks.ratios FILE.json
"""

from __future__ import annotations

import json
import statistics
import sys
from itertools import groupby
from pathlib import Path
from typing import Any


def rows(benchmarks: list[dict[str, Any]]) -> list[str]:
    """One line a benchmark; the ratio is the median over rounds of the same test condition."""
    lines = ["| what | programme | median ms | times | variables | constraints |", "|---|---|---:|---:|---:|---:|"]
    for group, members in groupby(benchmarks, key=lambda benchmark: benchmark["group"]):
        every = list(members)
        first = every[0]["stats"]["data"]
        for benchmark in every:
            times, extra = benchmark["stats"]["data"], benchmark["extra_info"]
            ratio = statistics.median(b / a for a, b in zip(first, times, strict=True))
            cells = (group, extra["programme"], f"{statistics.median(times) * 1e3:.2f}", f"{ratio:.1f}")
            lines.append(f"| {' | '.join(cells)} | {extra['variables']} | {extra['constraints']:.0f} |")
    return lines


if __name__ == "__main__":
    print("\n".join(rows(json.loads(Path(sys.argv[1]).read_text())["benchmarks"])))
