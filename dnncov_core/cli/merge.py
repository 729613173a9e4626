"""``dnncov merge``: one campaign file from its shards."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from dnncov_core.campaign.file.justifications import in_words
from dnncov_core.campaign.file.merging import merge
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.gate import CAMPAIGN_GATE
from dnncov_core.cli.options import JSON, NO, Option, file_to_write, subcommand
from dnncov_core.cli.show import demands_on, print_summary
from dnncov_core.evidence.commands import campaign_commands
from dnncov_core.phrases.numbers import counted


@subcommand(
    Option("out", type=file_to_write, metavar="OUT", help="the new campaign file"),
    Option("files", type=Path, nargs="+", metavar="FILE", help="files of one campaign, its shards say, in any order"),
    JSON,
    *CAMPAIGN_GATE,
)
def command(options: argparse.Namespace) -> int | None:
    """Join the shards of a campaign to one file; exit status 1 if test conditions are left to search for."""
    shards = set(map(_shards, options.files))
    merge(options.out, options.files)
    status = print_summary(options.out, options.json, demands_on(options.out, options))
    with CampaignStore(options.out) as store:
        left = [*_left(store, shards.pop() if len(shards) == 1 else 1)]
    print("".join(f"{line}\n" for line in left), end="", file=sys.stderr)
    return NO if left else status


def _shards(path: Path) -> int:
    with CampaignStore(path) as store:
        return store.prepared.shard().of


def _left(store: CampaignStore, of: int) -> Iterator[str]:
    """Which test conditions are left, and how to search for them."""
    if not (pending := store.targets.pending()):
        return
    from dnncov_core.campaign.work.plan import open_shards  # PyTorch only where it is needed

    run = campaign_commands(store.spec())[0]
    for shard, ordinals in open_shards(store.targets.all(), pending, store.prepared.batch(), of).items():
        again = f"; for them: {run} --shard {shard}" if of > 1 else ""
        part = f" of shard {shard}" if of > 1 else ""
        yield f"open: {counted(len(ordinals), 'test condition')}{part} (ordinals {in_words(sorted(ordinals))}){again}"
    yield f"'dnncov resume {store.path}' searches for all of them here."
