"""Measurements of whole suites: what must hold of every one, and the paper's lemmas."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dnncov_core import layer_values
from dnncov_core.activations import capture
from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.data import Data
from dnncov_core.errors import DataError, SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.networks import memory
from dnncov_core.networks.network import Network
from dnncov_core.suites import measurement as measuring
from dnncov_core.suites.criterion_names import ALL, parse
from dnncov_core.suites.measurement import Measurement, Result, measure
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.suites.summary import save_witnesses
from tests.networks_for_tests import Dense, random_mlp, seeded

EVERYTHING = "ss,vs,sv,vv,sv:upper_boundary,vs:ratio=1.5,sv:nb,vv:mn=2/3,vs:tn=2,n,nb,tn:2,mn:3,s"
SUITABLE = "sv:nb,vv:nb,sv:mn=1/3,sv:mn=3/3,vv:mn=2/3,vs:tn=2,vv:tn=2,vs:tn,nb,mn:3,tn:2,tn"


@cache
def network() -> Network:
    return Network(random_mlp([3, 3, 4, 3, 2], 2), (3,))


def inputs(n: int, seed: int) -> Data:
    images = np.random.default_rng(seed).uniform(0, 1, (n, 3))
    return Data("made", images, np.arange(n) % 2, (), "test")


def some(data: Data, rows: np.ndarray) -> Data:
    return dataclasses.replace(data, images=data.images[rows], labels=data.labels[rows])


def measured(data: Data, criteria: str = EVERYTHING) -> Measurement:
    return measure(network(), data, parse(criteria, "made"), reference=inputs(20, 99))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many inputs go through a network at the same time, pass by pass."""
    found: list[int] = []
    run = Network.run

    def counted(self: Network, x: torch.Tensor, **hooks: Any) -> torch.Tensor:
        found.append(len(x))
        return run(self, x, **hooks)

    monkeypatch.setattr(Network, "run", counted)
    return found


def met(result: Result) -> set[tuple[int, ...]]:
    """The test conditions that are met, by layers and neurons."""
    found: set[tuple[int, ...]] = {(*edge.edge, i, j) for edge in result.edges for i, j, _, _ in edge.witnesses.each()}
    for layer in result.layers:
        rows = layer.rows.reshape(len(layer.rows), -1)
        found |= {(layer.layer, i, j) for i, j in np.argwhere(rows != NONE).tolist()}
    return found


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 30), seed=st.integers(0, 1000))
def test_counts_order_and_growth(n: int, seed: int) -> None:
    data = inputs(n, seed)
    whole = measured(data)
    shuffled = measured(some(data, np.random.default_rng(seed).permutation(n)))
    part = measured(some(data, np.arange((n + 1) // 2)))
    for one, other, less in zip(whole.results, shuffled.results, part.results, strict=True):
        assert one.total is None or 0 <= one.covered <= one.total
        assert (one.covered, met(one)) == (other.covered, met(other))
        assert less.covered <= one.covered
        assert met(less) <= met(one)
        assert one.covered == sum(each.covered for each in (*one.edges, *one.layers)) or one.total is None
    assert whole.inputs == n
    assert whole.misclassified == shuffled.misclassified


@settings(max_examples=25, deadline=None)
@given(n=st.integers(2, 60), seed=st.integers(0, 1000))
def test_lemmas_of_the_papers_appendix(n: int, seed: int) -> None:
    """M1 is weaker than M2 where no suite that meets all of M2 leaves some of M1; shown neuron by neuron."""
    reference = inputs(20, 99)
    found = {result.asked.text: result for result in measured(inputs(n, seed)).results}
    active = {(layer, i) for layer, i, _ in met(found["n"])}
    above = {(layer, i) for layer, i, _ in met(found["nb"])}
    sections = met(found["mn:3"])
    for k, layer, i, j in met(found["ss"]):
        assert layer == network().depth or (layer, j) in active
        assert (k, i) in active
    for _, layer, _, j in met(found["vs"]):
        assert layer == network().depth or (layer, j) in active
    ranges = measuring.streams.ranges(measuring.Suite(network(), reference), range(2, network().depth), lambda n: None)
    for _, layer, _, j in met(found["sv:upper_boundary"]):
        if layer < network().depth and ranges[layer].greatest_u[j] >= 0:  # else v is 0 on both sides
            assert (layer, j) in above
    for layer, known in ranges.items():
        for i in np.flatnonzero(known.greatest > known.least):
            if all((layer, int(i), j) in sections for j in range(3)):
                assert (layer, int(i)) in active


@settings(max_examples=25, deadline=None)
@given(n=st.integers(2, 60), seed=st.integers(0, 1000))
def test_lemmas_by_the_value_functions_that_they_ask_for(n: int, seed: int) -> None:
    """A feature pair that is met has a neuron that the baseline counts as met, in that section."""
    found = {result.asked.text: met(result) for result in measured(inputs(n, seed), SUITABLE).results}
    hidden = range(2, network().depth)
    for text in ("sv:nb", "vv:nb"):
        assert {(layer, j, 0) for _, layer, _, j in found[text] if layer in hidden} <= found["nb"]
    for text, section in (("sv:mn=1/3", 0), ("sv:mn=3/3", 2), ("vv:mn=2/3", 1)):
        assert {(layer, j, section) for _, layer, _, j in found[text] if layer in hidden} <= found["mn:3"]
    for text, top in (("vs:tn=2", "tn:2"), ("vv:tn=2", "tn:2"), ("vs:tn", "tn")):
        assert {(k, i, 0) for k, _, i, _ in found[text]} <= found[top]


def test_the_lemmas_are_about_something() -> None:
    """The suite of one seed meets feature pairs of hidden decision neurons by every suitable value function."""
    for result in measured(inputs(60, 3), SUITABLE).results[:8]:
        assert any(layer < network().depth for _, layer, _, _ in met(result)), result.asked.text


def test_the_lemmas_hold_with_values_of_32_bits() -> None:
    """The suite is the reference, so that values lie on the bounds of sections and nothing is above its greatest."""
    made = Network(random_mlp([3, 12, 10, 8, 2], 1, torch.float32), (3,))
    data = inputs(300, 1)
    asked = parse("sv:mn=1/3,sv:mn=3/3,vs:tn=2,sv:nb,vv:nb,mn:3,tn:2", "made")
    found = {result.asked.text: met(result) for result in measure(made, data, asked, reference=data).results}
    assert found["sv:nb"] == found["vv:nb"] == set()
    for text, section in (("sv:mn=1/3", 0), ("sv:mn=3/3", 2)):
        assert {(layer, j, section) for _, layer, _, j in found[text] if layer < made.depth} <= found["mn:3"]
    assert {(k, i, 0) for k, _, i, _ in found["vs:tn=2"]} <= found["tn:2"]


def test_safety_coverage_counts_patterns() -> None:
    data = inputs(40, 3)
    (result,) = measured(data, "s").results
    patterns = set()
    values = capture(network(), torch.from_numpy(data.images))
    for row in range(40):
        patterns.add(tuple((values[layer].u[row] >= 0).numpy().tobytes() for layer in range(2, network().depth)))
    assert result.covered == len(patterns) == len(result.rows)
    assert result.total is None


def test_witnesses_of_a_folder_that_is_gone_by_then(tmp_path: Path) -> None:
    pairs = FeaturePairs(network().layers, network().edges)
    with pytest.raises(DataError, match="No such file or directory; choose another --witnesses"):
        save_witnesses(measured(inputs(3, 3), "ss"), pairs, tmp_path / "gone" / "w.csv")


def test_layers_in_several_groups_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = inputs(30, 5)
    whole = measured(data)
    monkeypatch.setattr(measuring, "BYTES", 1)
    assert [met(one) for one in measured(data).results] == [met(one) for one in whole.results]
    assert [one.covered for one in measured(data).results] == [one.covered for one in whole.results]


def test_reference_data_are_not_above_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Network(random_mlp([3, 40, 30, 20, 2], 1, torch.float32), (3,))
    data = inputs(300, 1)
    for size in (7, 256):
        monkeypatch.setattr(memory, "MOST_AT_ONCE", size)
        monkeypatch.setattr(memory, "MOST_ON_CPU", size)
        results = measure(made, data, parse("nb,sv:upper_boundary,vv:upper_boundary", "made"), reference=data).results
        assert [result.covered for result in results] == [0, 0, 0]


@pytest.mark.parametrize("room", [2**30, 1])
@pytest.mark.parametrize("criteria", [EVERYTHING, "s", "n,nb", "vs:ratio=1.5"])
def test_progress_moves_through_all_work_to_its_end(criteria: str, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []
    monkeypatch.setattr(measuring, "BYTES", room)
    asked = parse(criteria, "made")
    measure(network(), inputs(30, 5), asked, reference=inputs(20, 99), on_progress=lambda *told: seen.append(told))
    done, totals = [each[1] for each in seen], [each[2] for each in seen]
    assert done == sorted(done)
    assert all(0 < each <= total for each, total in zip(done, totals, strict=True))
    assert done[-1] == totals[-1]
    stages = list(dict.fromkeys(doing for doing, _, _ in seen))
    known = ["reference data"] * any(each.by_reference for each in asked)
    assert stages == {"s": ["signs"], "n,nb": [*known, "neurons"]}.get(criteria, [*known, "signs", "layer pairs"])
    changes = sum(one != other for one, other in itertools.pairwise(totals) if one != 20 * 15)
    assert changes <= (1 if room > 1 else 3)  # how much layer pairs are is known after each group of layers


@pytest.mark.parametrize("room", [2**30, 1])
def test_progress_with_effects_moves_to_its_end(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []
    monkeypatch.setattr(measuring, "BYTES", room)
    asked = parse("ss,vs,sv,n")
    measure(network(), inputs(30, 5), asked, effect="both", on_progress=lambda *told: seen.append(told))
    done = [each[1] for each in seen]
    assert done == sorted(done)
    assert all(0 < each <= total for _, each, total in seen)
    assert done[-1] == seen[-1][2]
    assert set(dict.fromkeys(doing for doing, _, _ in seen)) == {"signs", "layer pairs", "effects"}


@settings(max_examples=10, deadline=None)
@given(n=st.integers(2, 40), seed=st.integers(0, 1000))
def test_effects_do_not_depend_on_the_order_and_grow_with_inputs(n: int, seed: int) -> None:
    data, asked = inputs(n, seed), parse("ss,vs,sv,vv")
    rows = np.random.default_rng(seed).permutation(n)
    whole, shuffled, part = (
        measure(network(), some(data, those), asked, effect="needed").results
        for those in (np.arange(n), rows, np.arange((n + 1) // 2))
    )
    for one, other, less in zip(whole, shuffled, part, strict=True):
        shown, same, fewer = (
            [each.effects.shown for each in result.edges if each.effects is not None] for result in (one, other, less)
        )
        assert len(shown) == len(one.edges)
        assert shown == same
        assert all(few <= most for few, most in zip(fewer, shown, strict=True))
        assert sum(shown) <= one.covered


def test_progress_tells_of_each_layer_pair_and_method() -> None:
    seen: list[tuple[str, int, int]] = []
    asked = parse("ss,vs,sv,vv")
    found = measure(network(), inputs(60, 5), asked, on_progress=lambda *told: seen.append(told)).results
    searched = sum(edge.joined > 0 for each in found for edge in each.edges)
    assert sum(doing == "layer pairs" for doing, _, _ in seen) >= 2 + searched > 2 + 4


@pytest.mark.parametrize("inputs_of_suite", [8, 30])
def test_passes_grow_with_inputs_and_not_with_layer_pairs(inputs_of_suite: int, sent: list[int]) -> None:
    """Two of all inputs, one for signs and one for values, and in each those near zero alone."""
    passes = {}
    for depth in (2, 4, 8):
        made = Network(seeded(lambda depth=depth: Dense(3, [6] * depth)), (3,))
        sent.clear()
        found = measure(made, inputs(inputs_of_suite, 1), parse("ss,vs,sv,vv,n,s,vs:ratio=1.5,vs:tn=2")).results
        assert sum(each.covered for each in found[:4]) > 0
        passes[len(made.edges)] = sent.count(inputs_of_suite), sent.count(1)
    assert [*passes] == [3, 10, 36]
    assert all(together == 2 and alone <= 2 * inputs_of_suite for together, alone in passes.values())


def test_each_input_near_zero_goes_through_alone_once_for_all_layer_pairs(
    sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layer_values, "NEAR_ZERO", 1.0)
    made = Network(seeded(lambda: Dense(3, [6] * 5)), (3,))
    sent.clear()
    measure(made, inputs(20, 1), parse("ss,vs,sv,vv"))
    assert (sent.count(20), sent.count(1)) == (2, 2 * 20)


def test_layers_without_neighbours_cost_no_pass(sent: list[int]) -> None:
    """No two inputs have the same signs, or differ in one, in layers of 80 neurons."""
    made = Network(seeded(lambda: Dense(3, [80] * 3)), (3,))
    sent.clear()
    found = measure(made, inputs(5, 1), parse("ss,vs,sv,vv,vs:ratio=1.5")).results
    assert [each.covered for each in found] == [0] * 5
    assert sent.count(5) == 1


def test_other_feature_modes_are_refused() -> None:
    with pytest.raises(SpecificationError, match="feature mode neuron or free for a suite; got fixed"):
        measure(network(), inputs(3, 5), parse("ss"), mode="fixed")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"criteria": "vs", "feature_mode": "free"}, "SS or SV for free features"),
        ({"criteria": "ss", "feature_mode": "map"}, "feature mode neuron or free for a suite; got map"),
        ({"feature_mode": "free", "criteria": "ss", "omega": 2.0}, "omega: a share above 0 and up to 1; got 2.0"),
        ({"device": "gpu"}, "a device, one of auto, cpu, cuda, mps; got 'gpu'"),
    ],
)
def test_bad_specifications(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        MeasurementSpec("toy", "toy", **fields).asked()


def test_reference_data_that_nothing_needs_are_not_used() -> None:
    spec = MeasurementSpec("toy", "toy", "ss,n", reference="toy")
    assert spec.used() == MeasurementSpec("toy", "toy", "ss,n")
    needing = dataclasses.replace(spec, criteria="ss,nb")
    assert needing.used() == needing


def test_a_criterion_is_asked_once() -> None:
    assert [asked.text for asked in parse("ss, n,ss,tn:2 ,n,tn:3,tn:2")] == ["ss", "n", "tn:2", "tn:3"]


@pytest.mark.parametrize(
    ("criteria", "reference", "message"),
    [
        ("magic", None, f"one of {', '.join(ALL)}; got 'magic'"),
        ("", None, "criteria, some of ss"),
        ("nb", None, "reference data for nb; got none; name data of the training set with --reference"),
        ("sv:upper_boundary", None, "reference data for sv:upper_boundary"),
        ("sv:top", None, "grows with the change of one neuron's u; got top"),
        ("sv:top", None, "got top; choose one of ratio, ratio_symmetric, absolute, upper_boundary, "),
        ("sv:magic", None, ", any, nb, mn=J/M (section J of M); got 'sv:magic'; choose one of these names"),
        ("vs:magic=2", None, "a value function for VS (value-sign), one of ratio, "),
        ("vv:magic", None, ", any, nb, mn=J/M (section J of M), tn=M; got 'vv:magic'"),
        ("ss:ratio=2", None, "no value function for SS"),
        ("ss:magic", None, "no value function for SS (sign-sign); got ss:magic; leave it out"),
        ("tn:few", None, "tn:M with a whole number M of up to 9 digits; got tn:few"),
        ("tn:" + 20 * "9", None, "up to 9 digits; got tn:9999"),
        ("mn:" + 5000 * "9", "x", "up to 9 digits; got mn:9999"),
        ("mn:10001", "x", "m of MN: a whole number from 1 to 10,000; got 10001; change m"),
        ("sv:mn=1/10001", "x", "m of MN: a whole number from 1 to 10,000; got 10001; change m"),
        ("tn:0", None, "m of TN: a whole number from 1; got 0; change m"),
        ("n:3", None, "n without a parameter; got n:3"),
        ("sv:mn", "x", "expected sv:nb or sv:mn=J/M (section J of M); got sv:mn; change the criteria"),
        ("sv:mn=11/10", "x", "a section of MN, from 1 to 10; got 11; change the section"),
        ("sv:mn=0/10", "x", "a section of MN, from 1 to 10; got 0; change the section"),
        ("vv:mn=1/0", "x", "m of MN: a whole number from 1 to 10,000; got 0; change m"),
        ("sv:tn=2", "x", "expected sv:nb or sv:mn=J/M (section J of M); got sv:tn=2; change the criteria"),
        ("vs:nb", "x", "expected vs:tn=M; got vs:nb; change the criteria"),
        ("vv:tn=few", None, "or vv:tn=M; got vv:tn=few; change the criteria"),
        ("ss:nb", "x", "no value function for SS (sign-sign); got ss:nb; leave it out"),
        ("sv:nb", None, "reference data for sv:nb; got none; name data of the training set with --reference"),
        ("mn:0", "x", "m of MN: a whole number from 1 to 10,000; got 0"),
    ],
)
def test_bad_criteria(criteria: str, reference: str | None, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse(criteria, reference)
    assert message in str(caught.value)
