"""``dnncov worth``: do suites that cover more kill more mutants, here?"""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.cli.bars import ShareBar
from dnncov_core.cli.options import (
    JSON,
    NETWORK,
    WORKER,
    WORKERS,
    Option,
    at_least_one,
    campaigns,
    choices,
    file_to_write,
    option_of,
    random_seed,
    say,
    subcommand,
    whole_numbers,
)
from dnncov_core.jobs import reporting
from dnncov_core.networks.reference import name_alone
from dnncov_core.suites.criterion_names import ALL, MODES
from dnncov_core.types import OnProgress
from dnncov_core.worth.answer import by_criterion, name_of, numbers, overall, sentence
from dnncov_core.worth.correlations import CONFIDENCE
from dnncov_core.worth.spec import SIZES, SUITES, WorthSpec, criteria_for
from dnncov_core.worth.tables import GeneratedRow, generated_rows
from dnncov_core.worth.worth_file import WorthFile


@subcommand(
    Option("faults", type=Path, metavar="FILE.faults", help="a file of dnncov faults; its suite is the pool"),
    Option(
        "--criteria",
        metavar="LIST",
        help=f"some of {', '.join(ALL)}, separated by commas (default: all that need no reference data, or all)",
    ),
    Option(
        "--sizes",
        type=whole_numbers,
        default=SIZES,
        metavar="LIST",
        help=f"inputs of a suite (default: {','.join(map(str, SIZES))})",
    ),
    Option(
        "--suites", type=at_least_one, default=SUITES, metavar="N", help="suites of each size (default: %(default)s)"
    ),
    Option("--reference", metavar="DATA", help="training data, for the criteria that need reference data"),
    Option("--feature-mode", default="neuron", help=f"condition features: {choices(MODES)}"),
    option_of(PARAMETERS["omega"]),
    random_seed("suites and intervals"),
    campaigns("which mutants their inputs kill", default=[]),
    NETWORK,
    Option("--suite", metavar="DATA", help="where the suite is, if it is not found by the name in the file"),
    WORKERS,
    Option("--out", type=file_to_write, required=True, metavar="FILE.worth", help="the result, which is resumed, too"),
    *WORKER,
    JSON,
)
def command(options: argparse.Namespace) -> None:
    """Measure what coverage is worth here: do suites that cover more kill more mutants."""
    hidden = (options.network, options.suite, options.reference)
    with (
        reporting(options.status, *hidden, attended=options.attended) as reporter,
        redirect_stdout(sys.stderr),
        ShareBar(reporter.tell) as show,
    ):
        found = _found(options, show)
    rows = generated_rows(found)
    values: dict[str, Any] = {
        "spec": asdict(found.spec),
        "suites": len(found.suites),
        "correlations": [asdict(each) for each in found.correlations],
        "overall": overall(found.correlations),
        "sentences": [sentence(some, name_of(text)) for text, some in by_criterion(found.correlations).items()],
        "generated": [
            {"kind": row.kind, "inputs": row.inputs, "mutants": row.killed.total}
            | {"killed": row.killed.n, "differs": row.differs.n}
            for row in rows
        ],
    }
    say(options.json, values, [*_lines(found), *_generated_lines(rows)])


def _found(options: argparse.Namespace, show: OnProgress) -> WorthFile:
    """Measures what the file lacks."""
    from dnncov_core.worth.work import Asked, find  # PyTorch only where it is needed

    reference = options.reference
    spec = WorthSpec(
        options.faults.name,
        "",
        options.criteria or criteria_for(reference),
        None if reference is None else name_alone(reference),
        tuple(options.sizes),
        options.suites,
        options.random_seed,
        options.feature_mode,
        options.omega,
        campaigns=tuple(path.name for path in options.campaigns),
    )
    asked = Asked(options.faults, options.network, options.suite, reference, options.campaigns, options.workers)
    return find(options.out, spec, asked, show)


def _lines(found: WorthFile) -> list[str]:
    """The answer for people."""
    spec = found.spec
    lines = [
        f"{len(found.suites):,} suites of {spec.faults}, {spec.mutants:,} mutants of {spec.network}; Spearman's rho"
        f" of coverage and mutants killed, with {100 * CONFIDENCE:.0f} % intervals",
        "",
        "".join([f"{'criterion':<20}", *(f"{size:>24,}" for size in spec.sizes), f"{'partial, all sizes':>24}"]),
    ]
    together = by_criterion(found.correlations)
    for text, some in together.items():
        lines.append(f"{name_of(text):<20}" + "".join(f"{numbers(each):>24}" for each in some))
    return [
        *lines,
        "",
        overall(found.correlations),
        "",
        *(sentence(some, name_of(text)) for text, some in together.items()),
    ]


def _generated_lines(rows: list[GeneratedRow]) -> list[str]:
    if not rows:
        return []
    head = f"{'generated inputs':<60} {'inputs':>8} {'mutants killed':>18} {'labels differ':>18}"
    return [
        "",
        head,
        *(f"{row.title:<60} {row.inputs:>8,} {row.killed.counts:>18} {row.differs.counts:>18}" for row in rows),
    ]
