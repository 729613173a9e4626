"""``dnncov retry``: tries conditions again that were not covered, with larger budgets."""

from __future__ import annotations

import argparse
import sys

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import RETRIED, newly_covered, retry
from dnncov_core.cli.options import FILE, JSON, SOURCES, Option, at_least_one, some_of, subcommand
from dnncov_core.cli.run import work_on
from dnncov_core.phrases.conditions import raised, retry_words


@subcommand(
    FILE,
    JSON,
    some_of("--outcomes", RETRIED, RETRIED, "both; error alone takes no budget"),
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
        help="seeds beyond these that one condition may cost, of all correctly classified inputs, nearest first",
    ),
    Option("--passes", type=at_least_one, metavar="N", help="gradient search: passes that one condition may cost"),
    *SOURCES,
)
def command(options: argparse.Namespace) -> int | None:
    """Try conditions that were not covered again, with larger budgets."""
    with CampaignStore(options.file) as store:
        begun = retry(
            store,
            max_seeds=options.max_seeds,
            passes=options.passes,
            more_seeds=options.more_seeds,
            outcomes=options.outcomes,
        )
    print(raised(begun), file=sys.stderr)
    status = work_on(options.file, options, data=options.data)
    with CampaignStore(options.file) as store:
        print(retry_words(store.spec(), newly_covered(store)), file=sys.stderr)
    return status
