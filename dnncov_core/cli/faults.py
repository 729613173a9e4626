"""``dnncov faults``: mutants of a network, and which inputs kill them."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from functools import partial
from typing import Any

from dnncov_core import registry
from dnncov_core.cli.bars import ShareBar, say_note
from dnncov_core.cli.options import (
    ASKED_NETWORK,
    DEVICE,
    JSON,
    WORKER,
    Option,
    at_least_one,
    file_to_write,
    not_understood,
    random_seed,
    say,
    some_of,
    subcommand,
)
from dnncov_core.faults.operators import MUTATION_OPERATORS, check_operators
from dnncov_core.faults.spec import SUFFIX, FaultSpec, LeftOut
from dnncov_core.faults.summary import FaultSummary, OperatorCounts, summary_of
from dnncov_core.jobs import reporting
from dnncov_core.networks.reference import name_alone
from dnncov_core.phrases.numbers import counted, leaves_out
from dnncov_core.ratios import Ratio

DROP = "1..20"


def drop(text: str) -> tuple[float, float]:
    """Two numbers with two full stops between them, percentage points, as shares."""
    least, _, most = text.partition("..")
    try:
        return float(least) / 100, float(most) / 100
    except ValueError:
        raise not_understood("LEAST..MOST in percentage points, such as 1..20", text) from None


@subcommand(
    ASKED_NETWORK,
    Option("--suite", required=True, metavar="DATA", help="the inputs, with labels: a name, a file or a folder"),
    Option("--mutants", type=at_least_one, default=200, metavar="N", help="how many (default: %(default)s)"),
    Option(
        "--drop",
        type=drop,
        default=DROP,
        metavar="LEAST..MOST",
        help="by how many percentage points the accuracy of a mutant is lower (default: %(default)s)",
    ),
    some_of("--operators", [*MUTATION_OPERATORS], tuple(MUTATION_OPERATORS)),
    random_seed("mutants"),
    DEVICE,
    Option(
        "--out",
        type=file_to_write,
        required=True,
        metavar=f"FILE{SUFFIX}",
        help="the file; one that the same command began is continued, also with more --mutants",
    ),
    *WORKER,
    JSON,
)
def command(options: argparse.Namespace) -> None:
    """Make mutants of a network, each with one seeded fault, and find out which inputs kill them."""
    check_operators(options.operators)
    least, most = options.drop
    spec = FaultSpec(
        name_alone(options.network),
        name_alone(options.suite),
        options.mutants,
        least,
        most,
        options.operators,
        options.random_seed,
    )
    registry.check_names(options.network, options.suite)
    from dnncov_core.campaign.work.plan import device_for  # PyTorch only after the options are read
    from dnncov_core.faults.work import seed_faults

    with (
        reporting(options.status, options.network, options.suite, attended=options.attended) as reporter,
        redirect_stdout(sys.stderr),
        ShareBar(reporter.tell) as show,
    ):
        network = registry.open_network(options.network)[0].to(device=device_for(options.device))
        suite = registry.open_data_for(network, options.suite)
        say_note(registry.class_order(options.suite, network.classes))
        faults = seed_faults(options.out, spec, network, suite, partial(show, "mutants"))
    with faults:
        found = summary_of(faults)
    say(options.json, _json(found, spec), _lines(found, spec))


def _json(found: FaultSummary, spec: FaultSpec) -> dict[str, Any]:
    return {
        "network": spec.network,
        "suite": spec.suite,
        "inputs": found.right.total,
        "right": found.right.n,
        "mutants": found.mutants.n,
        "drop": {"least": spec.least, "most": spec.most},
        "random_seed": spec.random_seed,
        "killing_inputs": found.killing.n,
        "operators": {
            row.operator: {
                "mutants": row.mutants,
                "layers": row.layers,
                "least_drop": row.least and row.least.n,
                "most_drop": row.most and row.most.n,
                "left_out": _left_out(row),
            }
            for row in found.operators
        },
    }


def _left_out(row: OperatorCounts) -> dict[str, int]:
    return {each.value: row.left_out.get(each.value, 0) for each in LeftOut}


def _lines(found: FaultSummary, spec: FaultSpec) -> list[str]:
    """The numbers for people."""
    band = f"{100 * spec.least:g} to {100 * spec.most:g} percentage points"
    return [
        f"{spec.suite} on {spec.network}: right on {found.right.display()}",
        f"{counted(found.mutants.n, 'mutant')}, whose accuracy is lower by {band}; random seed {spec.random_seed}",
        "",
        f"{'operator':<20}{'mutants':>8}{'layers':>8}{'accuracy lower by':>20}",
        *map(_operator_line, found.operators),
        "",
        *(line for row in found.operators for line in left_out_lines(row)),
        f"{found.killing.display()} of the inputs that the network has right kill at least one mutant.",
        *_not_here(found),
    ]


def _operator_line(row: OperatorCounts) -> str:
    drops = f"{_points(row.least)} to {_points(row.most)}" if row.least and row.most else ""
    return f"{row.operator:<20}{row.mutants:>8,}{row.layers:>8,}{drops:>20}".rstrip()


def left_out_lines(row: OperatorCounts) -> list[str]:
    """Which mutants of an operator are left out, and why."""
    return [leaves_out(row.operator, n, "mutant", LeftOut(reason).words) for reason, n in row.left_out.items()]


def _points(lost: Ratio) -> str:
    return f"{100 * lost.n / lost.total:.1f}"


def _not_here(found: FaultSummary) -> list[str]:
    """Which operators have changed nothing, where there are such."""
    names = [row.operator for row in found.operators if not row.mutants and not row.left_out]
    return [f"Without a place in this network: {', '.join(names)}."] if names else []
