"""``dnncov prove``: proves test conditions infeasible, by neurons whose sign is the same for every input."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from contextlib import redirect_stdout
from typing import Any

from dnncov_core.campaign.file.certificates import ProofCounts
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.worker import proof_at
from dnncov_core.cli.bars import NeuronBar
from dnncov_core.cli.options import ATTENDED, FILE, JSON, NETWORK, Option, number, some_of, subcommand
from dnncov_core.phrases.proofs import constant_neurons, infeasible_conditions
from dnncov_core.proofs import METHODS, SECONDS
from dnncov_core.ratios import Ratio
from dnncov_core.workers import Reporter


@subcommand(
    FILE,
    JSON,
    NETWORK,
    Option(
        "--time-limit",
        type=number,
        default=SECONDS,
        metavar="SECONDS",
        help="seconds in all; what is proved by then stays (default: %(default)s)",
    ),
    some_of("--methods", METHODS, METHODS),
    ATTENDED,
)
def command(options: argparse.Namespace) -> None:
    """Prove test conditions infeasible, by neurons whose sign never changes."""
    with proof_at(options.file, options.network, attended=options.attended) as reporter:
        lines = _prove(options, reporter)
    print("\n".join(lines))


def _prove(options: argparse.Namespace, reporter: Reporter) -> list[str]:
    """Proves; what came of it, as JSON or as text."""
    from dnncov_core.campaign.work.proofs import prove_campaign  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr), NeuronBar(reporter.tell) as show:
        limit = options.time_limit
        proofs = prove_campaign(store, options.network, methods=options.methods, time_limit=limit, on_step=show)
    lines = _lines(proofs)
    reporter.conclude("; ".join(lines[:2]))
    return [json.dumps(_summary(proofs), indent=2)] if options.json else lines


def _summary(proofs: ProofCounts) -> dict[str, Any]:
    covered, rest = _coverage(proofs)
    return {**dataclasses.asdict(proofs), "coverage": covered.value, "coverage_of_rest": rest.value}


def _lines(proofs: ProofCounts) -> list[str]:
    covered, rest = _coverage(proofs)
    return [
        constant_neurons(proofs),
        infeasible_conditions(proofs),
        f"covered: {covered.display()}; of those not proved infeasible: {rest.display()}; {proofs.seconds:.1f} s",
    ]


def _coverage(proofs: ProofCounts) -> tuple[Ratio, Ratio]:
    """Covered of all test conditions, and of those not proved infeasible."""
    rest = Ratio(proofs.covered, proofs.pairs - proofs.conditions_infeasible)
    return Ratio(proofs.covered, proofs.pairs), rest
