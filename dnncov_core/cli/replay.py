"""``dnncov replay``: the test pairs of a campaign on another network."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import redirect_stdout

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.replayed import Replayed
from dnncov_core.cli.bars import ShareBar
from dnncov_core.cli.options import FILE, JSON, NO, WORKER, Option, file_to_write, say, subcommand
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.formats import FORMATS
from dnncov_core.export.provenance import of_replay
from dnncov_core.jobs import reporting
from dnncov_core.networks.reference import REFERENCES, name_alone
from dnncov_core.phrases.replayed import change_words, layer_words, replayed_words
from dnncov_core.record_files import write_record
from dnncov_core.records import NetworkCard
from dnncov_core.statistics.grouping import LayerTable
from dnncov_core.statistics.replayed import ReplayedRow, replayed_table
from dnncov_core.workers import Reporter

_LAYER = "{:>8} {:>8} {:>18} {:>18} {:>18} {:>20}".format


@subcommand(
    FILE,
    Option("--network", required=True, metavar="NEW", help=f"the other network: a name, {REFERENCES}"),
    Option("--reference", help="where the reference data are, if they are not found by the name in the file"),
    JSON,
    Option("--csv", type=file_to_write, metavar="FILE.csv", help="write what became of each test condition"),
    Option("--fail-on-loss", action="store_true", help="exit status 1 if a test condition is lost"),
    Option("--out", type=file_to_write, help=argparse.SUPPRESS),  # where the app reads the result
    *WORKER,
)
def command(options: argparse.Namespace) -> int | None:
    """Replay a campaign's test pairs on another network: what they cover there, and which labels change."""
    with reporting(options.status, options.network, options.reference, attended=options.attended) as reporter:
        replayed, card = _replay(options, reporter)
    table = replayed_table(replayed)
    rows = [dataclasses.asdict(row) for row in (*table.rows, table.total)]
    values = dataclasses.asdict(replayed) | {"layer_pairs": rows[:-1], "total": rows[-1]}
    say(options.json, values, _lines(replayed, table, card))
    return NO if options.fail_on_loss and table.total.counts["lost"] else None


def _replay(options: argparse.Namespace, reporter: Reporter) -> tuple[Replayed, NetworkCard]:
    """Replays, and writes the files that were asked for; the result, and what the campaign's network is."""
    from dnncov_core.campaign.review.other_network import replay_on  # PyTorch only where it is needed

    opened = CampaignStore(options.file)
    with opened as store, store.at_one_moment(), redirect_stdout(sys.stderr), ShareBar(reporter.tell) as show:
        found = replay_on(store, options.network, reference_data=options.reference, on_progress=show)
        replayed, card = dataclasses.replace(found, network=name_alone(options.network)), store.card()
        assert card is not None, "it was started"
        if options.csv is not None:
            table = exhibit("replayed-conditions", replayed.conditions, of_replay(store, replayed))
            options.csv.write_bytes(FORMATS["csv"].write(table, 0.0))
    if options.out is not None:  # last: its file says that the replay is finished
        write_record(options.out, replayed)
    return replayed, card


def _lines(replayed: Replayed, table: LayerTable[ReplayedRow], card: NetworkCard) -> list[str]:
    """A replay for people."""
    changes, total = ((each.ordinal, change_words(each, card)) for each in replayed.conditions), table.total
    return [
        *filter(None, (*replayed_words(total.own, total.covered_there, total.counts), layer_words(replayed))),
        "",
        _LAYER("layers", "there", "by own pair there", "by any pair there", "lost", "x2 judged otherwise"),
        *map(_layer, table.rows),
        "",
        *(f"pair {ordinal}: {words}" for ordinal, words in changes if words),
    ]


def _layer(row: ReplayedRow) -> str:
    assert row.place is not None, "it is of one layer pair"
    here, there = f"{row.place.condition_layers[0]} to {row.place.decision_layer}", "none"
    if row.there is not None:
        there = f"{row.there[0]} to {row.there[1]}"
    lost, labels = (f"{row.counts[name]:,} of {row.own.total:,}" for name in ("lost", "x2"))
    return _LAYER(here, there, row.own.counts, row.covered_there.counts, lost, labels)
