"""A network's card as JSON, and back. Imports no torch, so that lists of networks appear at once."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

from dnncov_core.errors import NetworkError
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import record
from dnncov_core.records import NetworkCard

LEAST_LAYERS = 2
"""Input and output."""
MOST_NEURONS = 2**28
"""Of one layer, whose values for one input take a gibibyte then."""


def to_json(card: NetworkCard) -> str:
    """The card as indented JSON text that ends in a newline."""
    return json.dumps(asdict(card), indent=1) + "\n"


def from_json(text: str) -> NetworkCard:
    """The card that :func:`to_json` wrote, judged: no layer, neuron, edge or class in it that there cannot be.

    Raises:
        ValueError: the text is no such card.
    """
    card = record(NetworkCard, json_value(text))
    _check_box(card)
    _check_layers(card)
    _check_edges(card)
    outputs = card.layers[-1].neurons
    if len(card.classes) not in ({outputs, 2} if outputs == 1 or card.quantities else {outputs}):
        raise ValueError(f"classes: {len(card.classes)} of them for {outputs} outputs")
    return card


def _check_box(card: NetworkCard) -> None:
    """Bounds, and ranges, names and units of features, are as `checked_box` leaves them."""
    low, high = card.bounds
    if not (low < high and math.isfinite(high - low)):
        raise ValueError(f"bounds: {low:g} to {high:g}")
    features = card.input_shape[0]
    for what, many in (("features", card.features), ("units", card.units)):
        if many and len(many) != features:
            raise ValueError(f"{what}: {len(many)} of them for {features} features")
    if card.embedded and len(card.input_shape) != 2:
        raise ValueError(f"embedded: inputs of the shape {card.input_shape}")
    if card.ranges is None:
        return
    if len(card.ranges) not in (features, math.prod(card.input_shape)):
        raise ValueError(f"ranges: {len(card.ranges)} of them for inputs of the shape {card.input_shape}")
    if any(not low <= first <= last <= high for first, last in card.ranges):
        raise ValueError(f"ranges: not all from {low:g} to {high:g}")


def _check_layers(card: NetworkCard) -> None:
    """The first layer is the input, and each has as many neurons as its shape says."""
    numbers = [layer.index for layer in card.layers]
    if len(numbers) < LEAST_LAYERS or numbers != list(range(1, len(numbers) + 1)):
        raise ValueError(f"layers: not numbered from 1 to {LEAST_LAYERS} or more")
    for layer in card.layers:
        if not layer.neurons == math.prod(layer.shape) <= MOST_NEURONS:
            raise ValueError(f"layers: {layer.neurons} neurons of the shape {layer.shape} in layer {layer.index}")
    if card.layers[0].shape != card.input_shape:
        raise ValueError(f"input_shape: {card.input_shape}, but {card.layers[0].shape} in layer 1")


def _check_edges(card: NetworkCard) -> None:
    for condition, decision in card.edges:
        if not 2 <= condition < decision <= len(card.layers):
            raise ValueError(f"edges: {condition} to {decision} in a network of {len(card.layers)} layers")
    if len(set(card.edges)) != len(card.edges):
        raise ValueError("edges: one of them twice")


def stored_card(name: str, folder: Path) -> NetworkCard:
    """The card ``NAME.json`` of the assets.

    Raises:
        NetworkError: it is missing or damaged.
    """
    path = folder / f"{name}.json"
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        got = f"{type(error).__name__}: {error}"
        raise NetworkError(f"the card of {name} in {path}", got, "restore the assets folder") from error
