"""Which feature pairs two inputs cover, and why: each part of the definition, ticked or not."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from dnncov_core.criteria.parts import Part
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import near_zero
from dnncov_core.partitions import Feature
from dnncov_core.phrases.definitions import comparison
from dnncov_core.phrases.numbers import agreeing
from dnncov_core.playground import names
from dnncov_core.playground.network_view import NetworkView
from dnncov_core.playground.setting import card
from dnncov_core.playground.two_inputs import NeuronValues, TwoInputs
from dnncov_core.records import Effect
from pages.playground.setting import CONDITION, DECISION, EDGE, put_pair
from pages.shared.formula import HOLDS, ticked
from pages.shared.words import help_of

TICKS = {True: "✓", False: "✗"}
MOST = 3
"""Neurons of the largest features: whole layers."""


def verdict(looked_at: NetworkView) -> None:
    """One line: whether the pair that is looked at is covered, and how many others are."""
    setting, inputs, covered = looked_at.setting, looked_at.inputs, looked_at.covered
    method, key = setting.method, setting.method.key.upper()
    holds = inputs.covers(method, setting.pair)
    total = sum(1 for _ in inputs.pairs())
    larger = [inputs.covers(method, pair) for pair in inputs.pairs(MOST)]
    listed = f": {', '.join(map(_short, covered))}" if covered else ""
    needed = sum(looked_at.effects[pair].needed for pair in covered)
    effect = f", {needed or 'none'} of them with the effect needed" if covered else ""
    own = f", **{'with' if looked_at.effects[setting.pair].needed else 'without'} the effect needed**" if holds else ""
    st.markdown(
        f"{HOLDS[holds]} **{names.pair(setting.pair)} is {'' if holds else 'not '}{key}-covered** by x1 and x2{own}."
        f" Of the {total} pairs of single neurons, **{len(covered)}** {agreeing(len(covered), 'is', 'are')}"
        f" {key}-covered{listed}{effect}. Of all {len(larger)} pairs of sets of neurons, {sum(larger)}"
        f" {agreeing(sum(larger), 'is', 'are')}."
    )


def _short(pair: FeaturePair) -> str:
    return " → ".join(names.neurons(feature.layer, feature.neurons) for feature in (pair.condition, pair.decision))


def pair_choice() -> None:
    """The feature pair that is looked at: layers, and the neurons of both features."""
    st.markdown("##### Is this feature pair covered?")
    edge = st.segmented_control(
        "Layers k → k+1",
        list(card().edges),
        format_func=lambda edge: f"{edge[0]} → {edge[1]}",
        required=True,
        key=EDGE,
        on_change=_first_neurons,
    )
    if edge is None:
        return
    with st.container(horizontal=True, gap="large"):
        for side, key, layer in (("Condition feature", CONDITION, edge[0]), ("Decision feature", DECISION, edge[1])):
            st.pills(
                side,
                range(card().layer(layer).neurons),
                selection_mode="multi",
                format_func=partial(names.neuron, layer),
                key=key,
                width="content",
                help=help_of(side, "One neuron, or several: a feature is a set of neurons of one layer."),
            )


def _first_neurons() -> None:
    k, decision = st.session_state[EDGE]
    put_pair(FeaturePair(Feature(k, (0,)), Feature(decision, (0,))))


def reasons(looked_at: NetworkView) -> None:
    """Each part of the definition for the pair that is looked at, with the values that decide."""
    setting, inputs = looked_at.setting, looked_at.inputs
    for part in inputs.parts(setting.method, setting.pair):
        values = inputs.neurons(part.layer)
        said = [f"{names.neuron(part.layer, i)}: {_sign(part, values[i])}" for i in part.neurons]
        said += [
            f"{names.neurons(part.layer, quantity.neurons)}: {comparison(quantity)}" for quantity in part.quantities
        ]
        st.markdown(f"{ticked(part)}  \n:small[:gray[{'; '.join(said) or 'no other neuron'}]]")
    holds = inputs.covers(setting.method, setting.pair)
    st.markdown(f"**{'All hold: covered.' if holds else 'Not all hold: not covered.'}**")


def _sign(part: Part, values: NeuronValues) -> str:
    """u for x1 and x2, and where the part asks for it, what becomes of the sign."""
    u = f"u {names.number(values.u1)} → {names.number(values.u2)}"
    return u if part.function else f"{u}, {'sc' if values.changed else 'sign kept'}"


def pairs_table(looked_at: NetworkView) -> None:
    """Every pair of single neurons with each part ticked or not."""
    method, inputs = looked_at.setting.method, looked_at.inputs
    rows = []
    for pair in inputs.pairs():
        parts = inputs.parts(method, pair)
        heads = (part.asks.value.replace(" of the", "").replace(" feature", "") for part in parts)
        marks = {head: TICKS[part.holds] for head, part in zip(heads, parts, strict=True)}
        effect = _shown(looked_at.effects[pair]) if pair in looked_at.covered else ""
        rows.append({"Pair": _short(pair), "Covered": TICKS[inputs.covers(method, pair)], "Effect": effect, **marks})
    st.markdown(f"##### All pairs of single neurons, by {method.key.upper()}")
    st.dataframe(rows, hide_index=True, height="content", alt="Pairs of single neurons, each part ticked or not")


def _shown(effect: Effect) -> str:
    return ", ".join(name for name in ("needed", "sufficient") if getattr(effect, name)) or "none"


def values_table(inputs: TwoInputs) -> None:
    """u and v of every neuron for both inputs."""
    rows = [
        {
            "Neuron": names.neuron(layer.index, place),
            "u[x1]": names.number(neuron.u1),
            "v[x1]": names.number(neuron.v1),
            "u[x2]": names.number(neuron.u2),
            "v[x2]": names.number(neuron.v2),
            "Sign": "sc" if neuron.changed else "kept",
        }
        for layer in inputs.layers[1:]
        for place, neuron in enumerate(inputs.neurons(layer.index))
    ]
    one, two = inputs.labels()
    st.markdown("##### Every neuron")
    st.dataframe(rows, hide_index=True, height="content", alt="u and v of every neuron for x1 and x2, and sign changes")
    label = f"The label is {one} for both inputs" if one == two else f"The label changes from {one} to {two}"
    st.caption(f"{label}{_at_zero(inputs)}.")


def _at_zero(inputs: TwoInputs) -> str:
    """Which neurons are on a boundary, where the sign is +1 by definition."""
    at_zero = [
        f"{names.neuron(layer, int(i))} for {name}"
        for name, values in (("x1", inputs.before), ("x2", inputs.after))
        for layer in values
        for i in np.flatnonzero(near_zero(values[layer].u))
    ]
    return f", and u is 0, or nearly, of {', '.join(at_zero)}: u = 0 has the sign +1" if at_zero else ""
