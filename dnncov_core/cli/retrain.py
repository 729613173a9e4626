"""``dnncov retrain``: what training a network further with test pairs changes, beside other ways."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import redirect_stdout
from datetime import UTC, datetime

from dnncov_core.campaign.parameter_kinds import QUOTIENT
from dnncov_core.cli.bars import ShareBar
from dnncov_core.cli.options import (
    JSON,
    Option,
    at_least_one,
    campaigns,
    faults,
    file_to_write,
    number,
    random_seed,
    reading,
    say,
    subcommand,
)
from dnncov_core.networks.reference import name_alone
from dnncov_core.record_files import write_record
from dnncov_core.resources import versions
from dnncov_core.retraining.outcome import Sources
from dnncov_core.retraining.spec import LEAST_REPEATS, RetrainingSpec

USUAL = RetrainingSpec()


def _asked(name: str, words: str, **how: object) -> Option:
    settings = {"type": at_least_one, "metavar": "N"} | how
    said = f"{words} (default: %(default)s)"
    return Option(f"--{name.replace('_', '-')}", default=getattr(USUAL, name), help=said, **settings)


@subcommand(
    Option("network", metavar="NETWORK", help="as for `dnncov run`; its file or module stays as it is"),
    campaigns("x2 of their test pairs are trained with", required=True),
    Option("--data", required=True, metavar="DATA", help="the training data, with labels"),
    Option(
        "--test",
        required=True,
        metavar="DATA",
        help="the test data, with labels; inputs of it that are also training inputs or seeds are left out",
    ),
    Option(
        "--out",
        type=file_to_write,
        required=True,
        metavar="FILE.pt2",
        help="the new network; a file that is there is kept",
    ),
    _asked("steps", "steps of training in each repeat of each arm"),
    _asked("batch", "inputs a step, half of them generated where an arm has such"),
    _asked("learning_rate", "of Adam", type=number, metavar="RATE"),
    _asked("repeats", f"of each arm, at least {LEAST_REPEATS}"),
    _asked("bound", "the greatest distance of the attack, in the campaigns' norm", type=reading(QUOTIENT), metavar="B"),
    _asked("attack_steps", "steps of the attack, and of the arm PGD"),
    _asked("sample", "test inputs that are attacked, and whose coverage is measured"),
    _asked("criteria", "whose coverage is measured, as for `dnncov measure`", type=str, metavar="LIST"),
    random_seed("all arms"),
    faults("tell how many of them the test inputs kill once each fault is put into each network"),
    Option(
        "--result",
        type=file_to_write,
        metavar="FILE.json",
        help="write the comparison to a file; the page Worth shows those in the folder retrainings of DNNCOV_HOME",
    ),
    JSON,
)
def command(options: argparse.Namespace) -> None:
    """Train copies of a network with test pairs, with random or adversarial inputs, and with neither; compare them."""
    spec = RetrainingSpec(**{each.name: getattr(options, each.name) for each in dataclasses.fields(RetrainingSpec)})

    from dnncov_core.faults.work import mutants_of  # PyTorch only where it is needed
    from dnncov_core.registry import open_data_for, open_network
    from dnncov_core.retraining.arms import read_pairs
    from dnncov_core.retraining.scores import asked_criteria
    from dnncov_core.retraining.words import lines
    from dnncov_core.retraining.work import check_trainable, retrain

    with redirect_stdout(sys.stderr), ShareBar() as show:
        asked_criteria(spec.criteria)
        network, _ = open_network(options.network)
        check_trainable(network, options.out)
        pairs = read_pairs(network, options.campaigns)
        training, test = (open_data_for(network, name) for name in (options.data, options.test))
        mutants = () if options.faults is None else mutants_of(options.faults, network)
        sources = Sources(
            network=name_alone(options.network),
            fingerprint=network.fingerprint,
            campaigns=tuple(path.name for path in options.campaigns),
            training=name_alone(options.data),
            test=name_alone(options.test),
            test_fingerprint=test.fingerprint,
            faults=None if options.faults is None else options.faults.name,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            versions=versions(),
        )
        found = retrain(network, pairs, training, test, spec, options.out, show, sources=sources, mutants=mutants)
    if options.result is not None:
        write_record(options.result, found)
    written = f"Written: {options.out}, the network of the first repeat with test pairs"
    say(options.json, found.as_json() | {"written": str(options.out)}, [*lines(found), "", written])
