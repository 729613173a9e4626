"""``dnncov check``: whether a network reads data as they are meant, or which usual mistake explains its accuracy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnncov_core.cli.bars import ShareBar
from dnncov_core.cli.options import JSON, NO, WORKER, Option, at_least_one, say, subcommand
from dnncov_core.data.own_decisions import OWN, own_decisions
from dnncov_core.errors import DataError, give_network
from dnncov_core.phrases.inputs import input_ranges
from dnncov_core.phrases.networks import equal_readings, helpless, quantity_names, right_answers
from dnncov_core.phrases.numbers import counted
from dnncov_core.ratios import percentage

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network
    from dnncov_core.readings.check import Check
    from dnncov_core.readings.factory import Mend
    from dnncov_core.readings.trials import Trial
    from dnncov_core.records import NetworkCard

SHOWN = 5
"""Readings beyond the best ones that the text shows."""
LONGEST_TRIED = 40
"""Letters of what is tried that stand beside the bar."""
UNKNOWN = "unknown"
"""The layout of inputs whose sizes do not tell it."""
APPLY = (
    "write the best mend: to FILE.py as a factory, used as FILE:build; or to NETWORK.toml, which is read with the file"
    " NETWORK beside it"
)

OWN_DECISIONS = (
    "of data without labels, write a copy NAME-own-decisions.npz with the network's own decisions as labels, for"
    " campaigns; accuracy then says nothing"
)


@subcommand(
    Option("network", help="as for `dnncov run`"),
    Option("--data", required=True, help="as for `dnncov run`, with labels; inputs may have another shape and range"),
    Option("--inputs", type=at_least_one, default=300, metavar="N", help="inputs to try (default: %(default)s)"),
    Option("--apply", type=Path, metavar="FILE", help=APPLY),
    Option("--own-decisions", action="store_true", help=OWN_DECISIONS),
    *WORKER,
    JSON,
)
def command(options: argparse.Namespace) -> int | None:
    """Find out how a network reads data: usual mistakes and what mends them; exit status 1 if something should be."""
    from dnncov_core.readings.check import check  # PyTorch only where it is needed
    from dnncov_core.readings.factory import apply, check_place
    from dnncov_core.registry import open_network

    if options.status:  # the app asks, of files that it was given
        from dnncov_core.brought.work import check_draft

        check_draft(options.status, options.network, options.data, attended=options.attended)
        return None
    if options.own_decisions:
        _take_own_decisions(options)
        return None
    if options.apply:
        check_place(options.apply, options.network)
    with redirect_stdout(sys.stderr):
        with ShareBar() as show:
            network, card = open_network(options.network)
            try:
                found = check(network, options.data, options.inputs, lambda tried, *share: show(_short(tried), *share))
            except DataError as error:
                raise _without_labels(network, options.data, error) from error
        mend = apply(network, options.network, found, options.apply) if options.apply else None
    say(options.json, _json(network, found, mend), list(_lines(network, card, found, mend)))
    return None if found.is_fine else NO


def _without_labels(network: Network, name: str, refused: DataError) -> DataError:
    """Why data cannot be checked: they have no labels, or whatever else keeps them from the network."""
    from dnncov_core.readings.own_decisions import unlabelled

    unlabelled(network, name, refused)
    fix = "add them, take the network's own decisions with --own-decisions, or measure the data, which needs none"
    return DataError("labels", f"none in {name}", fix)


def _advised(network: str, data: str, card: NetworkCard) -> str:
    """The first campaign, as the command starts it."""
    from dnncov_core.brought.first_campaign import first_campaign
    from dnncov_core.evidence.commands import campaign_commands

    return campaign_commands(first_campaign(network, data, card))[0]


def _take_own_decisions(options: argparse.Namespace) -> None:
    from dnncov_core.readings.own_decisions import save_own_decisions, unlabelled
    from dnncov_core.registry import open_network

    path = Path(f"{Path(options.data).stem}-{OWN}.npz")
    if path.exists():
        raise DataError("a file that is not there yet", str(path), "rename or remove it")
    with redirect_stdout(sys.stderr):
        network, _ = open_network(options.network)
        refused = DataError("data without labels, for --own-decisions", f"some in {options.data}", "leave it out")
        save_own_decisions(network, unlabelled(network, options.data, refused), path)
    lines = [f"Written: {path}. {own_decisions(path.name)}", _advised(options.network, str(path), network.card(""))]
    say(options.json, {"applied": {"files": [str(path)], "network": options.network, "data": str(path)}}, lines)


def _short(tried: str) -> str:
    return tried if len(tried) <= LONGEST_TRIED else f"{tried[:LONGEST_TRIED]}…"


def _layout(network: Network) -> str:
    from dnncov_core.readings.steps import layout

    return layout(network.input_shape) or UNKNOWN


def _expected(network: Network) -> dict[str, Any]:
    box = network.box
    return {
        "input_shape": list(network.input_shape),
        "layout": _layout(network),
        "bounds": list(network.bounds),
        "ranges": box.ranges,
        "features": list(box.features),
        "units": list(box.units),
        "classes": list(network.classes),
        "decision": getattr(network.decision, "rule", "tolerance"),
    }


def _json(network: Network, found: Check, mend: Mend | None) -> dict[str, Any]:
    data, now, best = found.data, found.as_it_is, found.best
    return {
        "network": _expected(network),
        "data": {
            "name": data.name,
            "shape": list(data.shape),
            "range": [float(data.images.min()), float(data.images.max())],
            "type": str(data.images.dtype),
        },
        "inputs": len(found.rows),
        "fits": found.fits,
        "in_bounds": found.inside,
        "fine": found.is_fine,
        "near_chance": found.least,
        "as_it_is": None if now is None else _trial(now),
        "mends": [_trial(each) for each in found.mended],
        "trials": [_trial(each) | {"tied_with_best": each in best} for each in found.trials],
        "notes": list(found.notes),
        "applied": None if mend is None else asdict(mend),
    }


def _trial(trial: Trial) -> dict[str, Any]:
    accuracy = trial.accuracy
    return {
        "causes": list(trial.causes),
        "mends": list(trial.mends),
        "correct": accuracy.n,
        "inputs": accuracy.total,
        "accuracy": accuracy.n / accuracy.total,
        "interval": list(accuracy.interval()),
    }


def _lines(network: Network, card: NetworkCard, found: Check, mend: Mend | None) -> Iterator[str]:
    data, now = found.data, found.as_it_is
    layout, colon = _layout(network), ":" if network.box.ranges else ""
    known = f" ({layout})" if layout != UNKNOWN else ""
    takes = f"inputs of shape {network.input_shape}{known}{colon} {input_ranges(network.box)}"
    gives = quantity_names(card) if card.quantities else counted(len(card.classes), "class", "classes")
    yield f"The network takes {takes}, and has {gives}."
    low, high = data.images.min(), data.images.max()
    divided = ", which are divided by 255" if data.images.dtype == "uint8" else ""
    yield f"{data.name} has inputs of shape {data.shape} ({data.images.dtype}) from {low:g} to {high:g}{divided}."
    yield from found.notes
    yield "As they are, they do not fit." if now is None else f"{right_answers(card)} as they are: {_said(now)}."
    if found.fits and not found.inside:
        yield f"They leave the network's bounds, so that campaigns refuse them: {give_network('their bounds')}."
    yield from _advice(found, helpless(card))
    if mend is not None:
        yield f"Written: {', '.join(mend.files)}. {right_answers(card)} with it: {mend.accuracy.display()}."
        yield _advised(mend.network, mend.data, card)
    elif found.mended:
        yield "To take the first of these over, add --apply fixed.py, or, for a file, --apply FILE.toml beside it."


def _said(trial: Trial) -> str:
    low, high = trial.accuracy.interval()
    return f"{trial.accuracy.display()}, 95 % interval {percentage(low)} to {percentage(high)}"


def _advice(found: Check, otherwise: str) -> Iterator[str]:
    mended = found.mended
    if found.is_fine:
        yield f"Nothing has to be mended: none of {counted(len(found.trials), 'reading')} is clearly better."
        return
    if not mended:
        if found.inside or (found.as_it_is is not None and found.as_it_is.is_poor):
            yield f"None of {counted(len(found.trials), 'reading')} helps. {otherwise}"
        return
    if len(mended) > 1:
        yield equal_readings(len(mended))
    for trial in mended:
        yield f"{_said(trial)}, if {', and '.join(trial.causes)}:"
        yield from (f"    {line}" for line in trial.mends)
    others = [trial for trial in found.trials if trial not in mended][:SHOWN]
    yield "The next best readings:"
    yield from (f"    {trial.accuracy.display()}: {', and '.join(trial.causes) or 'as they are'}" for trial in others)
