"""The test conditions that a suite does not cover: exactly those, in a table that is read as it was written."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from torch import nn

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.data import Data
from dnncov_core.errors import DataError, SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.suites.asked_measurement import measure_as_asked
from dnncov_core.suites.criterion_names import parse
from dnncov_core.suites.measurement_reader import measurement
from dnncov_core.suites.open_conditions import (
    COLUMNS,
    OpenConditions,
    campaign_for,
    check_listed,
    gaps_of,
    is_about,
    load_list,
    open_conditions,
    read_table,
    save,
)
from dnncov_core.suites.spec import MeasurementSpec
from tests import reference
from tests.networks_for_tests import random_mlp
from tests.suites import definitions
from tests.suites.definitions import Layer, Method, of_u

MODULE = random_mlp([3, 4, 5, 3, 2], 2)
NETWORK = Network(MODULE, (3,))
SUITE = Data("made", np.random.default_rng(4).uniform(0, 1, (24, 3)), np.arange(24) % 2, (), "test")
METHODS = {
    "ss": Method("ss"),
    "vs": Method("vs"),
    "sv": Method("sv", g2=of_u(reference.ratio(2.0))),
    "vv": Method("vv", g2=of_u(reference.ratio(5.0))),
    "sv:ratio=1.5": Method("sv", g2=of_u(reference.ratio(1.5))),
}
CRITERIA = ",".join([*METHODS, "n", "vs:tn=2"])
FREE = {"feature_mode": "free", "omega": 0.5}
"""Condition features of 1 or 2 neurons."""


def layers() -> dict[int, Layer]:
    """u and v of layers 2..K, by the slow reference."""
    linear = [each for each in MODULE.modules() if isinstance(each, nn.Linear)]
    weights = [each.weight.detach().double().numpy().T for each in linear]
    biases = [each.bias.detach().double().numpy() for each in linear]
    by_input = [reference.forward(x.tolist(), weights, biases) for x in SUITE.images]
    u = {k: [values[k - 2] for values in by_input] for k in range(2, NETWORK.depth + 1)}
    return {k: Layer(rows, [list(map(reference.relu, row)) for row in rows], ()) for k, rows in u.items()}


def expected(method: Method, *, free: bool = False, among: Iterable[tuple[int, int]] = ()) -> list[list[int]]:
    """A row for each feature pair that no two inputs cover, with its place among all feature pairs."""
    known, ordinal, rows = layers(), -1, []
    for k in range(2, NETWORK.depth):
        sizes = {layer: len(known[layer].neurons) for layer in (k, k + 1)}
        for i, j in itertools.product(range(1 if free else sizes[k]), range(sizes[k + 1])):
            ordinal += 1
            most = 2 if free and sizes[k] > 3 else 1 if free else None
            condition, decision = definitions.Feature({i}), definitions.Feature({j})
            covered = any(
                method.condition(known[k], x1, x2, condition, most) and method.decision(known[k + 1], x1, x2, decision)
                for x1, x2 in itertools.permutations(range(len(SUITE)), 2)
            )
            if not covered and ((k, k + 1) in among or not among):
                rows.append([ordinal, k, i, k + 1, j])
    return rows


def measured(criteria: str = CRITERIA, **fields: object) -> tuple[MeasurementSpec, OpenConditions, dict[str, object]]:
    spec = MeasurementSpec("net", "made", criteria, **fields)  # type: ignore[arg-type]
    how = {"mode": spec.feature_mode, "omega": spec.omega}
    made = measure_as_asked(spec, network=NETWORK, suite=SUITE)
    everything = FeaturePairs(NETWORK.layers, NETWORK.edges, **how)  # type: ignore[arg-type]
    return spec, open_conditions(made.found, everything), made.document


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Of all criteria of single neurons."""
    _, conditions, content = measured()
    save(tmp_path / "open.csv", measurement(content), conditions)
    return tmp_path / "open.csv"


@pytest.mark.parametrize("key", METHODS)
def test_they_are_those_that_no_two_inputs_cover(key: str) -> None:
    _, conditions, content = measured()
    rows = expected(METHODS[key])
    assert conditions[key].tolist() == rows
    criterion = next(each for each in measurement(content).criteria if each.text == key)
    assert 0 < len(rows) == (criterion.total or 0) - criterion.covered


def test_criteria_that_no_campaign_can_ask_for_have_no_list() -> None:
    assert measured()[1].keys() == METHODS.keys()


def test_a_free_condition_feature_is_one() -> None:
    assert measured("ss", **FREE)[1]["ss"].tolist() == expected(METHODS["ss"], free=True)


def test_ordinals_are_those_of_all_feature_pairs_whatever_layers_were_chosen() -> None:
    _, conditions, _ = measured("ss", layers="4,5", condition_layers="3,4")
    assert conditions["ss"].tolist() == expected(METHODS["ss"], among=[(3, 4), (4, 5)])


@pytest.mark.parametrize("key", METHODS)
def test_a_campaign_gets_exactly_those_of_its_criterion(table: Path, key: str) -> None:
    name, _, parameter = key.partition(":")
    sigma = {"value_function": "ratio", "sigma": 1.5} if parameter else {}
    spec, rows = read_table(table, CampaignSpec("net", "made", name, effect="needed", **sigma))
    assert rows.tolist() == expected(METHODS[key])
    gaps = spec.suite_gaps
    assert gaps is not None
    assert (gaps.suite, gaps.listed, gaps.reference) == ("made", len(rows), "")
    assert gaps.total - gaps.covered == gaps.listed
    assert NETWORK.fingerprint.startswith(gaps.network)
    assert SUITE.fingerprint.startswith(gaps.suite_fingerprint)
    assert CampaignSpec.from_json(spec.to_json()) == spec


def test_arrays_are_read_as_they_were_written(tmp_path: Path) -> None:
    _, conditions, content = measured()
    save(tmp_path / "open.npz", measurement(content), conditions)
    known = {each.text: each for each in measurement(content).criteria}
    for text, rows in conditions.items():
        assert load_list(tmp_path / "open.npz", known[text]).tolist() == rows.tolist()
    np.savez(tmp_path / "other.npz", ss=conditions["ss"][1:], vs=conditions["vs"].astype(np.float64))
    for key in ("ss", "vs", "sv"):
        with pytest.raises(DataError, match=rf"test conditions of {key.upper()} that are not .* in other\.npz"):
            load_list(tmp_path / "other.npz", known[key])


@pytest.mark.parametrize("key", METHODS)
def test_the_campaign_for_a_criterion_asks_by_its_value_function(key: str) -> None:
    _, _, content = measured()
    found = measurement(content)
    known = {each.text: each for each in found.criteria}
    spec = campaign_for(found, known[key], listed=3, data="made", effect="needed")
    assert replace(spec.covering_method(), effect="none") == parse(key)[0].method
    assert (spec.network, spec.data, spec.feature_mode) == ("net", "made", "neuron")
    assert spec.suite_gaps == gaps_of(found, known[key], 3)
    assert [text for text in METHODS if is_about(spec, found, known[text])] == [key]
    assert not is_about(replace(spec, suite_gaps=None), found, known[key])


def test_the_campaign_for_a_measured_boundary_has_its_reference_data() -> None:
    stored = replace(measurement(measured("sv")[2]), spec=MeasurementSpec("net", "made", reference="training", **FREE))
    criterion = replace(stored.criteria[0], text="sv:upper_boundary")
    spec = campaign_for(stored, criterion, listed=3, data="made")
    assert (spec.value_function, spec.reference, spec.d) == ("upper_boundary", "training", None)
    assert (spec.feature_mode, spec.omega) == ("free", 0.5)


def test_rows_and_columns_can_be_left_out_and_added(table: Path) -> None:
    """As a spreadsheet saves them, with a mark before the first letter."""
    with table.open(newline="") as file:
        rows = [row | {"remark": "ours"} for row in csv.DictReader(file) if row["decision_layer"] == "4"]
    with table.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, sorted(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    spec, listed = read_table(table, CampaignSpec("net", "made"))
    assert listed.tolist() == [row for row in expected(METHODS["ss"]) if row[3] == 4]
    assert spec.suite_gaps is not None
    assert 0 < spec.suite_gaps.listed < spec.suite_gaps.total - spec.suite_gaps.covered


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("criterion,", "metric,", r"open\.csv \(no column criterion\)"),
        (",total,covered", ",total", r"\(no column covered\)"),
        (r"\nss,\d+", "\nss,zero", r"\(line 2: 'zero' instead of a whole number\)"),
        (r"\nss,\d+", "\nss,-1", r"\(line 2: '-1' instead"),
        (r"\nss,", "\nss,1\nss,", r"\(line 2: too few cells\)"),
        ("neuron,made,", "neuron,other,", r"of one measurement in open\.csv; got 2"),
    ],
)
def test_a_damaged_table_is_refused(table: Path, old: str, new: str, message: str) -> None:
    text, n = re.subn(old, new, table.read_text(), count=1)
    assert n == 1
    table.write_text(text)
    with pytest.raises(DataError, match=message):
        read_table(table, CampaignSpec("net", "made"))


def test_more_than_are_not_covered_are_refused(table: Path) -> None:
    with table.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(row | {"covered": row["total"]} for row in rows)
    with pytest.raises(DataError, match=r"that are not covered; got \d+ of \d+, of which \d+ are covered"):
        read_table(table, CampaignSpec("net", "made"))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"criterion": "sv", "sigma": 3.0}, r"SV \(sign-value\) \(g: ratio \(sigma = 3\)\) in open\.csv; got ss, vs"),
        (
            {"feature_mode": "fixed", "omega": 0.5},
            r"features as asked for \(fixed 0\.5\) in open\.csv; got neuron; choose",
        ),
        ({"generator": "targeted", **FREE}, r"features as asked for \(free 0\.5\) in open\.csv; got neuron"),
    ],
)
def test_another_criterion_or_partition_is_refused(table: Path, asked: dict[str, object], message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        read_table(table, CampaignSpec("net", "made", **asked))  # type: ignore[arg-type]


def test_no_list_of_what_has_none_or_of_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = FeaturePairs(NETWORK.layers, NETWORK.edges)
    with pytest.raises(SpecificationError, match=r"ss, vs, sv or vv; got n, vs:tn=2"):
        check_listed(parse("n,vs:tn=2"), pairs)
    monkeypatch.setattr("dnncov_core.suites.open_conditions.MOST_LISTED", 40)
    with pytest.raises(SpecificationError, match=rf"at most 40 feature pairs; got {len(pairs)}"):
        check_listed(parse("ss"), pairs)
