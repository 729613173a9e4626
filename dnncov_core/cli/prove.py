"""``dnncov prove``: proves test conditions infeasible, by neurons of constant sign, and by pairs of boxes of inputs."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from contextlib import redirect_stdout

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.worker import proof_at
from dnncov_core.cli.bars import NeuronBar
from dnncov_core.cli.options import ATTENDED, FILE, JSON, NETWORK, Option, number, ordinals, some_of, subcommand
from dnncov_core.phrases.proofs import constant_neurons, infeasible_conditions
from dnncov_core.proofs import PAIRS, PROOF_METHODS, SECONDS
from dnncov_core.statistics.gaps import gap_table
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
    ordinals("only these are worked on", default=()),
    some_of("--methods", (*PROOF_METHODS, PAIRS), (*PROOF_METHODS, PAIRS)),
    ATTENDED,
)
def command(options: argparse.Namespace) -> None:
    """Prove test conditions infeasible, by neurons whose sign never changes, or by pairs of boxes of inputs."""
    with proof_at(options.file, options.network, attended=options.attended) as reporter:
        lines = _prove(options, reporter)
    print("\n".join(lines))


def _prove(options: argparse.Namespace, reporter: Reporter) -> list[str]:
    """Proves; what came of it, as JSON or as text."""
    from dnncov_core.campaign.work.proofs import prove_campaign  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr), NeuronBar(reporter.tell) as show:
        asked = {"methods": options.methods, "time_limit": options.time_limit, "ordinals": options.ordinals}
        proofs = prove_campaign(store, options.network, **asked, on_step=show)
        covered, rest = gap_table(store).total.covered, gap_table(store).total.feasible
    lines = [
        constant_neurons(proofs),
        infeasible_conditions(proofs),
        f"covered: {covered.display()}; of those not proved infeasible: {rest.display()}; {proofs.seconds:.1f} s",
    ]
    reporter.conclude("; ".join(lines[:2]))
    summary = {**dataclasses.asdict(proofs), "coverage": covered.value, "coverage_of_rest": rest.value}
    return [json.dumps(summary, indent=2)] if options.json else lines
