"""A network's card from outside: nothing in it that there cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dnncov_core.networks.cards import from_json, to_json
from tests.builders import card

Fields = dict[str, Any]
CHANGES: dict[str, Callable[[Fields], object]] = {
    r"an unknown field, new": lambda fields: fields.update(new=1),
    r"bounds: 1 to 0": lambda fields: fields.update(bounds=[1, 0]),
    r"bounds: -1e\+308 to 1e\+308": lambda fields: fields.update(bounds=[-1e308, 1e308]),
    r"edges: 2 to 99 in a network of 5 layers": lambda fields: fields["edges"].append([2, 99]),
    r"edges: 3 to 2 ": lambda fields: fields["edges"].append([3, 2]),
    r"edges: 1 to 2 ": lambda fields: fields["edges"].append([1, 2]),
    r"edges: one of them twice": lambda fields: fields["edges"].append([2, 3]),
    r"layers: not numbered": lambda fields: fields["layers"].pop(1),
    r"layers: neurons: 0 instead of a number from 1": lambda fields: fields["layers"][1].update(neurons=0),
    r"layers: 6 neurons of the shape \(5,\) in layer 2": lambda fields: fields["layers"][1].update(neurons=6),
    r"layers: 1000000000 neurons": lambda fields: fields["layers"][1].update(neurons=10**9, shape=[10**9]),
    r"input_shape: \(784,\), but": lambda fields: fields.update(input_shape=[784]),
    r"features: 2 of them for 1 features": lambda fields: fields.update(features=["a", "b"]),
    r"units: 3 of them for 1 features": lambda fields: fields.update(units=["", "", ""]),
    r"ranges: 2 of them for inputs": lambda fields: fields.update(ranges=[[0, 1], [0, 1]]),
    r"ranges: not all from 0 to 1": lambda fields: fields.update(ranges=[[0, 2]]),
    r"ranges: not all from": lambda fields: fields.update(ranges=[[0.7, 0.2]]),
    r"classes: 11 of them for 10 outputs": lambda fields: fields["classes"].append("one more"),
}


def test_a_card_is_read_as_it_was_written() -> None:
    assert from_json(to_json(card())) == card()
    vector = card(input_shape=(2,), bounds=(-1.0, 5.0))
    own = replace(vector, ranges=((-1.0, 1.0), (5.0, 5.0)), features=("a", "b"), units=("m", ""))
    assert from_json(to_json(own)) == own


def test_a_card_without_ranges_and_features_is_one_of_before_there_were_any() -> None:
    fields = json.loads(to_json(card()))
    for name in ("ranges", "features", "units"):
        del fields[name]
    assert from_json(json.dumps(fields)) == card()


@pytest.mark.parametrize("reason", CHANGES)
def test_what_cannot_be_is_refused(reason: str) -> None:
    fields = json.loads(to_json(card()))
    CHANGES[reason](fields)
    with pytest.raises(ValueError, match=f"^{reason}"):
        from_json(json.dumps(fields))
