"""The gate of a build: options of subcommands that end with coverage, and the exit status that they ask for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from dnncov_core.cli.options import NO, Option, file_to_write, reading
from dnncov_core.gate.coverage import Coverage, of_file
from dnncov_core.gate.demands import PERCENTAGE, PERCENTAGES, Demands, Verdict, failures
from dnncov_core.gate.junit import Listed, junit
from dnncov_core.record_files import write_whole, writing

MEASUREMENT_GATE = (
    Option(
        "--fail-under",
        type=reading(PERCENTAGES),
        default={},
        metavar="NAME=PERCENT",
        help="exit with status 1 if less is covered, of all test conditions, as in ss=95 or ss=95,vs=90.5 or total=90;"
        " counts are compared, nothing is rounded up, and nothing to count is too little",
    ),
    Option(
        "--no-open-gaps",
        action="store_true",
        help="exit with status 1 if a test condition is neither covered nor proved infeasible nor justified",
    ),
    Option(
        "--baseline",
        type=Path,
        metavar="OLD",
        help="exit with status 1 if a layer pair covers less than in this earlier campaign file, or file of dnncov"
        " measure --out (which ends in .json), of the same network, criteria and test conditions",
    ),
    Option(
        "--junit",
        type=file_to_write,
        metavar="FILE.xml",
        help="write a JUnit file: a test case for each layer pair, which fails where conditions are open, unless a gate"
        " was asked and passes",
    ),
)
"""What can be asked of a measurement."""
CAMPAIGN_GATE = (
    *MEASUREMENT_GATE,
    Option(
        "--fail-under-feasible",
        type=reading(PERCENTAGES),
        default={},
        metavar="NAME=PERCENT",
        help="exit with status 1 if less is covered, of the test conditions that are not proved infeasible",
    ),
    Option(
        "--fail-under-8bit",
        type=reading(PERCENTAGE),
        metavar="PERCENT",
        help="exit with status 1 if fewer of the witnesses, one for each covered condition, still hold when x2 is"
        " rounded to 8 bits",
    ),
)
"""What can be asked of a campaign; one that is not finished passes nothing."""

NOTHING_ASKED = Demands()


def demands_of(options: argparse.Namespace, texts: Sequence[str]) -> Demands:
    """What options ask of these criteria; the baseline is read now, before any work.

    Raises:
        SpecificationError: an unknown criterion, or a baseline of others.
        CampaignError, DataError: a baseline that cannot be read.
    """
    asked = {each.name: getattr(options, each.name) for each in fields(Demands) if hasattr(options, each.name)}
    demands = Demands(**asked | {"baseline": options.baseline and of_file(options.baseline)})
    demands.check(texts)
    return demands


def judged(demands: Demands, read: Callable[[], Coverage], listed: Listed) -> list[Verdict]:
    """The verdicts, also in the JUnit file that was asked for; nothing is read where nothing is asked.

    Raises:
        SpecificationError: a baseline that asked something else.
        DataError: the file cannot be written.
    """
    if demands == NOTHING_ASKED:
        return []
    coverage = read()
    found = list(demands.verdicts(coverage))
    if demands.junit is not None:
        with writing("--junit"):
            write_whole(demands.junit, junit(coverage, found, listed))
    return found


def with_verdicts(summary: dict[str, Any], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """A summary for JSON, with the key ``gate`` where something was asked."""
    return summary | {"gate": [asdict(each) for each in verdicts]} if verdicts else summary


def status_of(verdicts: Sequence[Verdict]) -> int | None:
    """The exit status; one line on standard error says what failed, or what passed."""
    if not verdicts:
        return None
    failed = failures(verdicts)
    said = f"failed: {failed}" if failed else f"passed: {'; '.join(each.words for each in verdicts)}"
    print(f"dnncov: gate {said}", file=sys.stderr)
    return NO if failed else None
