"""``dnncov retry``: tries conditions again that were not covered, with larger budgets, or covered without effect."""

from __future__ import annotations

import argparse
import sys

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import RETRIED, newly_covered, retry, retry_with_effect
from dnncov_core.cli.gate import CAMPAIGN_GATE
from dnncov_core.cli.options import (
    FILE,
    JSON,
    SOURCES,
    Option,
    at_least_one,
    file_to_write,
    ordinals,
    some_of,
    subcommand,
)
from dnncov_core.cli.run import work_on
from dnncov_core.criteria.effects import EFFECTS
from dnncov_core.errors import SpecificationError
from dnncov_core.phrases.conditions import raised, retry_words
from dnncov_core.records import BUDGETS


@subcommand(
    FILE,
    JSON,
    some_of("--outcomes", RETRIED, None, "both; error alone takes no budget"),
    ordinals("only these of them", default=()),
    Option(
        "--max-seeds",
        type=at_least_one,
        metavar="N",
        help="seeds that one condition may cost, with those already tried, which are not solved for again",
    ),
    Option(
        "--more-seeds",
        type=at_least_one,
        metavar="N",
        help="seeds beyond these that one condition may cost, of all inputs that the network gets right, nearest first",
    ),
    Option("--passes", type=at_least_one, metavar="N", help="gradient search: passes that one condition may cost"),
    Option(
        "--effect",
        choices=list(EFFECTS),
        help="search again, with the same budgets, for conditions whose witness does not show this effect, in a new"
        " campaign file that asks for it; FILE stays as it is",
    ),
    Option("--out", type=file_to_write, metavar="NEW", help="the new file of --effect (default: FILE-EFFECT)"),
    *SOURCES,
    *CAMPAIGN_GATE,
)
def command(options: argparse.Namespace) -> int | None:
    """Try conditions again that were not covered, with larger budgets, or that are covered without effect."""
    budgets = {name: getattr(options, name) for name in BUDGETS}
    path = options.file
    _refuse_idle(options)
    with CampaignStore(path) as store:
        if options.effect is None:
            outcomes = RETRIED if options.outcomes is None else options.outcomes
            begun = retry(store, **budgets, outcomes=outcomes, ordinals=options.ordinals)
        else:
            path = options.out or path.with_stem(f"{path.stem}-{options.effect}")
            begun = retry_with_effect(store, path, options.effect)
            print(f"The new campaign is in the file {path}.", file=sys.stderr)
    print(raised(begun), file=sys.stderr)
    status = work_on(path, options, data=options.data)
    with CampaignStore(path) as store:
        print(retry_words(store.spec(), newly_covered(store)), file=sys.stderr)
    return status


def _refuse_idle(options: argparse.Namespace) -> None:
    """Refuses options that decide nothing with, or without, an effect."""
    for name in ["out"] if options.effect is None else [*BUDGETS, "outcomes", "ordinals"]:
        if (given := getattr(options, name)) not in (None, ()):
            option, where = f"--{name.replace('_', '-')}", "without" if options.effect is None else "with"
            words = ",".join(map(str, given)) if name in ("outcomes", "ordinals") else str(given)
            raise SpecificationError(f"no {option} {where} --effect", words, f"leave {option} out")
