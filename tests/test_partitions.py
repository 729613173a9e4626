"""How layers are split into features: by the rules themselves, and against plain loops over every neuron."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.partitions import FEATURE_MODES, Feature, block_size
from dnncov_core.records import LayerInfo
from dnncov_core.types import Shape
from tests import reference

OMEGAS = st.sampled_from(["0.001", "0.01", "0.07", "0.1", "0.25", "0.29", "0.5", "0.57", "0.9", "1.0"])
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 7))
DENSE = st.tuples(st.integers(1, 40))


def layer(shape: Shape, index: int = 2) -> LayerInfo:
    return LayerInfo(index, "made", "relu", math.prod(shape), shape)


def split(mode: str, shape: Shape, omega: float) -> list[Feature]:
    """The condition features of a layer."""
    return list(FEATURE_MODES[mode].condition(layer(shape), omega))


@pytest.mark.parametrize(
    ("neurons", "omega", "expected"),
    [
        *((10, 0.3, 3), (10, 0.001, 1), (1000, 0.001, 1), (2000, 0.001, 2), (7, 1.0, 7), (1, 0.5, 1), (10, 0.25, 2)),
        *((100, 0.29, 29), (100, 0.57, 57), (1000, 0.251, 251), (3, 1 / 3, 1), (100, 0.07, 7)),
    ],
)
def test_block_size_is_the_floor_of_the_share_and_at_least_one(neurons: int, omega: float, expected: int) -> None:
    assert block_size(neurons, omega) == expected


@given(omega=OMEGAS, neurons=st.integers(1, 5000))
def test_block_size_equals_whole_numbers_alone(omega: str, neurons: int) -> None:
    assert block_size(neurons, float(omega)) == reference.largest(omega, neurons)


@pytest.mark.parametrize("mode", ["neuron", "fixed", "map"])
@given(shape=SHAPES, omega=OMEGAS)
def test_named_features_partition_the_layer_and_none_is_too_large(mode: str, shape: Shape, omega: str) -> None:
    how = FEATURE_MODES[mode]
    features = split(mode, shape, float(omega))
    assert sorted(i for feature in features for i in feature.neurons) == list(range(math.prod(shape)))
    assert all(1 <= len(feature.neurons) <= reference.largest(omega, math.prod(shape)) for feature in features)
    assert all((feature.layer, feature.most) == (2, None) for feature in features)
    assert list(how.decision(layer(shape), float(omega))) == features


@given(shape=SHAPES, omega=OMEGAS)
def test_windows_equal_plain_loops(shape: Shape, omega: str) -> None:
    most = reference.largest(omega, math.prod(shape))
    assert [list(f.neurons) for f in split("map", shape, float(omega))] == reference.windows(*shape, most)


@given(shape=SHAPES)
def test_whole_maps_where_omega_allows_them(shape: Shape) -> None:
    channels, size = shape[0], shape[1] * shape[2]
    maps = [tuple(range(channel * size, (channel + 1) * size)) for channel in range(channels)]
    assert [feature.neurons for feature in split("map", shape, 1.0)] == maps
    assert [feature.neurons for feature in split("map", shape, min(1.0, round(1 / channels + 0.0005, 3)))] == maps


def test_windows_of_a_map_that_is_too_large() -> None:
    """5 of 2 x 12 neurons: squares of side 2, the last column of each map alone."""
    first = [feature.neurons for feature in split("map", (2, 4, 3), 0.21)][:4]
    assert first == [(0, 1, 3, 4), (2, 5), (6, 7, 9, 10), (8, 11)]


@given(shape=st.one_of(SHAPES, DENSE), omega=OMEGAS)
def test_free_features_are_one_a_layer_and_decide_on_single_neurons(shape: Shape, omega: str) -> None:
    (free,) = split("free", shape, float(omega))
    assert free == Feature(2, (), reference.largest(omega, math.prod(shape)))
    decisions = FEATURE_MODES["free"].decision(layer(shape, 5), float(omega))
    assert list(decisions) == [Feature(5, (j,)) for j in range(math.prod(shape))]


@given(mode=st.sampled_from(list(FEATURE_MODES)), shape=SHAPES, omega=OMEGAS, data=st.data())
def test_a_partition_is_a_sequence(mode: str, shape: Shape, omega: str, data: st.DataObject) -> None:
    partition = FEATURE_MODES[mode].condition(layer(shape), float(omega))
    features = list(partition)
    place = data.draw(st.integers(-len(features), len(features) - 1))
    assert partition[place] == features[place]
    assert list(partition[place:]) == features[place:]
    for outside in (len(features), -len(features) - 1):
        with pytest.raises(IndexError):
            partition[outside]


@pytest.mark.parametrize("mode", FEATURE_MODES)
def test_features_are_made_only_when_asked_for(mode: str) -> None:
    partition = FEATURE_MODES[mode].decision(layer((512, 512, 512)), 1e-6)
    assert partition[-1].neurons[-1] == 512**3 - 1
    assert FEATURE_MODES[mode].title
    assert FEATURE_MODES[mode].words


def network(*shapes: Shape) -> tuple[list[LayerInfo], list[tuple[int, int]]]:
    layers = [layer(shape, k) for k, shape in enumerate([(9,), *shapes], start=1)]
    return layers, [(k, k + 1) for k in range(2, len(layers))]


def pairs(mode: str, *shapes: Shape, decisions: Sequence[int] = (), omega: float = 0.5) -> FeaturePairs:
    return FeaturePairs(*network(*shapes), mode=mode, omega=omega, decision_layers=decisions)


@pytest.mark.parametrize(("shape", "place"), [((6,), 0), ((6,), 1), ((2, 3), 0), ((2, 3, 4, 5), 1)])
def test_a_layer_without_maps_is_refused_with_one_line(shape: Shape, place: int) -> None:
    shapes: list[Shape] = [(2, 4, 3), (2, 2, 2), (10,)]
    shapes[place] = shape
    with pytest.raises(SpecificationError) as error:
        pairs("map", *shapes, decisions=[3])
    message = str(error.value)
    assert (
        "expected layers with feature maps (channels, height, width), or with tokens, for feature mode map" in message
    )
    assert f"got layer {place + 2} (made) of shape {shape}; choose another feature mode" in message
    assert "\n" not in message


@pytest.mark.parametrize("shape", [(5, 3, 4), (5, 4)])
@pytest.mark.parametrize("omega", [0.05, 0.2, 0.5, 1.0])
def test_maps_with_channels_last_are_places_of_one_channel(shape: Shape, omega: float) -> None:
    """Reference: the same maps of the layer with its axes in the other order, whose neurons are looked up."""
    places, channels = math.prod(shape[:-1]), shape[-1]
    last = replace(layer(shape), channels_last=True)
    found = [feature.neurons for feature in FEATURE_MODES["map"].condition(last, omega)]
    number = {(i % channels, i // channels): i for i in range(math.prod(shape))}
    if len(shape) == 3:
        first = split("map", (channels, *shape[:-1]), omega)
        assert found == [tuple(number[divmod(i, places)] for i in feature.neurons) for feature in first]
    else:
        most = min(places, max(1, math.floor(omega * math.prod(shape) + 1e-9)))
        starts = range(0, places, most)
        expected = [[(c, at) for at in range(s, min(s + most, places))] for c in range(channels) for s in starts]
        assert found == [tuple(number[each] for each in window) for window in expected]


def test_layers_that_have_maps_are_named() -> None:
    """As those of cifar10-cnn, whose last layers are dense."""
    with pytest.raises(SpecificationError, match=r"choose decision layers 3, 4 \(--layers 3,4\), or another"):
        pairs("map", (2, 4, 3), (2, 2, 2), (3, 2, 2), (10,))


def test_maps_are_paired_where_both_layers_have_them() -> None:
    """The dense layers behind the convolutions hinder nobody who leaves them out."""
    found = pairs("map", (2, 4, 3), (3, 2, 2), (10,), (4,), decisions=[3], omega=1.0)
    assert found.counts == [2 * 3]
    assert {(len(p.condition.neurons), len(p.decision.neurons)) for p in found} == {(12, 4)}


def test_free_features_make_a_pair_for_each_decision_neuron() -> None:
    found = pairs("free", (2, 4, 3), (5,), (3,), omega=0.25)
    assert found.counts == [5, 3]
    assert {pair.condition for pair in found} == {Feature(2, (), 6), Feature(3, (), 1)}
    assert [pair.decision.neurons for pair in found] == [(j,) for j in (0, 1, 2, 3, 4, 0, 1, 2)]
    target = found[0].target(0)
    assert (target.condition_neurons, target.condition_most) == ((), 6)
