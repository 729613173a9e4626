"""``dnncov select``: which of many inputs to label, to keep or to run first."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from dnncov_core import registry
from dnncov_core.cli.bars import ShareBar, say_note
from dnncov_core.cli.options import (
    ASKED_NETWORK,
    DEVICE,
    JSON,
    WORKER,
    Option,
    at_least_one,
    faults,
    file_to_write,
    random_seed,
    say,
    subcommand,
)
from dnncov_core.errors import SpecificationError
from dnncov_core.jobs import reporting
from dnncov_core.networks.reference import name_alone
from dnncov_core.phrases.numbers import counted
from dnncov_core.suites.remarks import classified
from dnncov_core.workers import Reporter

if TYPE_CHECKING:
    from dnncov_core.data import Data
    from dnncov_core.selection.selection import Selection


@subcommand(
    ASKED_NETWORK,
    Option("--pool", required=True, metavar="DATA", help="the inputs to choose from, as --suite of measure takes them"),
    Option("--budget", type=at_least_one, default=200, metavar="N", help="inputs to select (default: %(default)s)"),
    Option(
        "--by",
        default="ss",
        metavar="LIST",
        help="what the order goes by: ss, vs, sv, vv, n, nb, tn, kmnc or s, greedily by what each input adds (ss+needed"
        " and the like: only what shows the condition's effect as needed counts); deepgini,"
        " margin or entropy, by how unsure the network is; lsa, dsa or mdsa,"
        " by how surprising an input is; random. Of several, separated by commas, the first selects,"
        " and the others stand beside it (default: %(default)s)",
    ),
    Option(
        "--criterion",
        metavar="NAME",
        help="whose coverage is told along the orders (default: the first criterion of --by, or ss)",
    ),
    Option(
        "--reference",
        metavar="DATA",
        help="training data, for the ranges of nb and kmnc, and for lsa, dsa and mdsa to compare with",
    ),
    faults("with this pool as its suite: tell how early each order kills them (APFD), too"),
    Option("--out", type=file_to_write, metavar="FILE", help="write the selected rows (.csv), or the inputs (.npz)"),
    Option(
        "--curve",
        type=file_to_write,
        metavar="FILE.csv",
        help="write what the first 1, 2, ... inputs of each order cover, kill and find",
    ),
    random_seed("ties and random orders"),
    Option("--seeds", type=at_least_one, default=20, metavar="N", help="random orders (default: %(default)s)"),
    DEVICE,
    Option("--result", type=file_to_write, help=argparse.SUPPRESS),  # what the app reads
    *WORKER,
    JSON,
)
def command(options: argparse.Namespace) -> None:
    """Choose which of many inputs to label, to keep or to run first."""
    hidden = options.network, options.pool, options.reference
    with reporting(options.status, *hidden, attended=options.attended) as reporter:
        _check_names(options)

        from dnncov_core.record_files import write_whole, writing
        from dnncov_core.selection.selection_file import as_json, curves_csv, save, save_rows

        selection, data = _select(options, reporter)
        if options.out is not None:
            save_rows(selection, data, options.out)
            print(f"{counted(len(selection.selected), 'input')} in {options.out.name}", file=sys.stderr)
        if options.curve is not None:
            with writing("--curve"):
                write_whole(options.curve, curves_csv(selection))
        if options.result is not None:
            save(selection, options.result)
    say(options.json, as_json(selection), _lines(selection))


def _check_names(options: argparse.Namespace) -> None:
    if options.out is not None and options.out.suffix not in (".csv", ".npz"):
        raise SpecificationError("a file .csv or .npz for --out", options.out.name, "change its name")


def _select(options: argparse.Namespace, reporter: Reporter) -> tuple[Selection, Data]:
    from dnncov_core.campaign.work.plan import device_for
    from dnncov_core.selection.mutants import kills_of
    from dnncov_core.selection.selection import SelectionSpec
    from dnncov_core.selection.work import select
    from dnncov_core.suites.streams import open_suite

    spec = SelectionSpec(**{each.name: getattr(options, each.name) for each in dataclasses.fields(SelectionSpec)})
    spec.orders()
    with redirect_stdout(sys.stderr), ShareBar(reporter.tell) as show:
        network = registry.open_network(spec.network)[0].to(device=device_for(spec.device))
        data = open_suite(network, spec.pool)
        say_note(registry.class_order(spec.pool, network.classes))
        named = spec.reference
        reference = None if named is None else registry.open_data_for(network, named, labelled=False)
        kills = None if options.faults is None else kills_of(options.faults, network, data)
        found = select(network, data, spec, reference=reference, kills=kills, on_progress=show)
    reference_name = None if named is None else name_alone(named)
    alone = dataclasses.replace(
        spec, network=name_alone(spec.network), pool=name_alone(spec.pool), reference=reference_name
    )
    return dataclasses.replace(found, spec=alone), data


def _lines(selection: Selection) -> list[str]:
    """The result for people: a line for each order, and what all inputs reach."""
    from dnncov_core.selection.orders import title_of
    from dnncov_core.selection.tables import apfd_in_words, first_round_in_words, reached, reached_by_all

    spec, n = selection.spec, min(selection.spec.budget, selection.inputs)
    wrong = classified(selection.misclassified, spec.pool)
    columns = [
        ["order", *(title_of(each.order) for each in selection.rankings), "all inputs"],
        *(
            [curve.measure, *(reached(curve, each.order, n) for each in selection.rankings), reached_by_all(curve)]
            for curve in selection.curves
        ),
    ]
    if selection.mutants is not None:
        columns.append(["APFD (95 % interval)", *map(apfd_in_words, selection.rankings), ""])
    table = [*zip(*columns, strict=True)]
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    return [
        f"{spec.pool}, {counted(selection.inputs, 'input')} ({wrong}), on {spec.network}; {selection.seconds:.1f} s",
        f"the first {counted(n, 'input')} of each order; covered are {selection.curves[0].title}:",
        "",
        *("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table),
        "",
        *filter(None, map(first_round_in_words, selection.rankings)),
    ]
