"""``dnncov justify``: says why test conditions need no test pair."""

from __future__ import annotations

import argparse
import sys

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.options import FILE, Option, ordinals, subcommand
from dnncov_core.phrases.conditions import justification_words
from dnncov_core.phrases.numbers import counted


@subcommand(
    FILE,
    ordinals("test conditions", required=True),
    Option("--reason", default="", metavar="TEXT", help="why no test pair is needed"),
    Option("--author", default="", metavar="NAME", help="who says so; the time is now"),
    Option("--replace", action="store_true", help="replace reasons that somebody has given already"),
    Option("--withdraw", action="store_true", help="take the reasons away instead; --author says who does"),
)
def command(options: argparse.Namespace) -> None:
    """Say why test conditions need no test pair."""
    with CampaignStore(options.file) as store:
        if options.withdraw:
            store.justifications.withdraw(options.ordinals, options.author)
        else:
            words = {"reason": options.reason, "author": options.author}
            for earlier in store.justifications.add(options.ordinals, **words, replace=options.replace):
                print(f"condition {earlier.ordinal}, replaced: {justification_words(earlier)}", file=sys.stderr)
    done = "withdrawn" if options.withdraw else "justified"
    print(f"{done}: {counted(len(set(options.ordinals)), 'test condition')}")
