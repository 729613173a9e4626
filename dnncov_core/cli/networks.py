"""``dnncov networks``: which networks can be named."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dnncov_core import registry
from dnncov_core.cli.options import JSON, Option, subcommand
from dnncov_core.networks.pretrained import PRETRAINED, whereabouts
from dnncov_core.phrases.inputs import input_ranges, searched_range
from dnncov_core.phrases.networks import structure_words
from dnncov_core.records import NetworkCard
from dnncov_core.registry.file import registered

MOST_CLASSES = 20
"""Of a network, which are named."""
ONE = Option(
    "network",
    nargs="?",
    help="this network alone, by its name or as for `dnncov run`, with its operators and its input range",
)


@subcommand(ONE, JSON)
def command(options: argparse.Namespace) -> None:
    """List the networks that can be named."""
    cards = registry.networks()
    for problem in registered().problems if options.network is None else ():
        print(f"warning: left out: {problem.error}", file=sys.stderr)
    if options.network is not None:
        cards = {options.network: cards.get(options.network) or registry.open_network(options.network)[1]}
    if options.json:
        print(json.dumps([_network_json(name, card) for name, card in cards.items()], indent=2))
    else:
        lines = network_lines(cards)
        for card in () if options.network is None else cards.values():
            if card is not None:
                lines += one_network_lines(card)
        print("\n".join(filter(None, lines)))


def one_network_lines(card: NetworkCard) -> list[str]:
    """What is known of one network besides: its origin, what it takes and gives, its layers by number and module."""
    classes = f"{len(card.classes)} classes: {', '.join(card.classes[:MOST_CLASSES])}" if card.classes else ""
    layers = [f"{each.index:>6} {each.kind:<12} {each.neurons:>10,}  {each.name}".rstrip() for each in card.layers]
    return [
        card.description,
        structure_words(card),
        f"One input has the shape {card.input_shape}.",
        searched_range(card) or f"Inputs lie {input_ranges(card.box)}.",
        classes + (", ..." if len(card.classes) > MOST_CLASSES else ""),
        f"{'layer':>6} {'kind':<12} {'neurons':>10}  module",
        *layers,
    ]


def _network_json(name: str, card: NetworkCard | None) -> dict[str, Any]:
    """A network's entry; a registered one is loaded, since nothing else knows its layers."""
    if card is None:
        card = registry.open_network(name)[1]
    return {
        "name": name,
        "dataset": card.dataset,
        "input_shape": list(card.input_shape),
        "bounds": card.bounds,
        "ranges": card.ranges,
        "features": card.features,
        "units": card.units,
        "classes": list(card.classes),
        "quantities": [asdict(each) for each in card.quantities],
        "accuracy": card.accuracy,
        "passed": list(card.passed),
        "obstacle": card.obstacle,
        "layers": [
            {"index": layer.index, "name": layer.name, "kind": layer.kind, "neurons": layer.neurons}
            for layer in card.layers
        ],
        "parameters": card.parameters,
    }


def network_lines(cards: Mapping[str, NetworkCard | None]) -> list[str]:
    """A line for each network: name, data, neurons of each layer, parameters, accuracy, and where its weights are."""
    lines = [f"{'network':<18} {'data':<14} {'neurons, layers 1 to K':<30} {'parameters':>11}  accuracy"]
    for name, card in cards.items():
        if card is None:
            lines.append(f"{name:<18} registered; it is loaded when it is used")
            continue
        accuracy = "" if card.accuracy is None else f"{card.accuracy:.2%} of {card.accuracy_on}"
        known = f"{name:<18} {card.dataset:<14} {_neurons(card):<30} {card.parameters:>11,}  {accuracy}".rstrip()
        lines.append(f"{known}; {whereabouts(name)}" if name in PRETRAINED else known)
    return lines


def _neurons(card: NetworkCard) -> str:
    """Neurons of each layer, or how many there are in all where there are many layers."""
    each = "-".join(str(layer.neurons) for layer in card.layers)
    hidden = card.layers[1:-1]
    return each if len(each) <= 30 else f"{sum(layer.neurons for layer in hidden):,} in {len(hidden)} hidden layers"
