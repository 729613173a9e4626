"""Signs of a layer before and after: a cell a neuron, and a table of values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from dnncov_core.campaign.review.examination import LayerChange
from dnncov_core.phrases.neurons import has_places, neuron_name, neuron_words, place_words
from dnncov_core.phrases.numbers import counted, short
from dnncov_core.records import LayerInfo
from dnncov_core.types import IntArray
from pages.shared.words import plain

MOST_CELLS, MOST_ROWS, MOST_RELEVANT = 400, 200, 120
"""Neurons of a layer that all have a cell, or a row; of larger layers only so many of those that changed or belong to
the feature have one."""
COLUMNS = {"Part": st.column_config.Column(width=140), "Neuron": st.column_config.Column(width=80)}
HEIGHT = 300
"""Height in pixels of a table with many rows."""


def layer_signs(change: LayerChange, feature: Sequence[int], side: str, layer: LayerInfo) -> None:
    """The signs of a layer as cells after their counts; those of the condition or decision feature are marked."""
    n, changed = len(change.u1), int(change.changed.sum())
    neurons_in_all = counted(n, "neuron")
    st.markdown(f"**Layer {change.layer}** (module {plain(layer.name)}, {plain(layer.kind)}), with the {side} feature")
    before, after = (int((u >= 0).sum()) for u in (change.u1, change.u2))
    active = f"{before:,} were active (+) before and {after:,} are after"
    st.caption(f"{changed:,} of {neurons_in_all} changed sign; {active}.")
    neurons = _relevant(change, feature, MOST_CELLS)
    cells = "".join(_cell(change, neuron, neuron in set(feature), layer) for neuron in neurons.tolist())
    named = neuron_words(layer, change.changed.nonzero()[0].tolist()) or "none"
    of_side = f"{side}: {neuron_words(layer, feature)}"
    words = f"Signs of layer {change.layer}: {neurons_in_all}; changed: {named}; {of_side}"
    st.html(f'<div class="signs" role="img" aria-label="{words}">{cells}</div>')
    which = f"one of {len(neurons):,} neurons shown of {n:,}" if len(neurons) < n else "a neuron, from 0"
    st.caption(
        f"Each cell is {which}, + for u ≥ 0 and − for u < 0, framed with its number and both signs where it changed,"
        f" and with ◆ in the {side} feature."
    )


def _relevant(change: LayerChange, feature: Sequence[int], most: int) -> IntArray:
    """All neurons in order, or of a larger layer those of the feature and those that changed; ``most`` divides them."""
    n = len(change.u1)
    if n <= most:
        return np.arange(n)
    others = np.setdiff1d(change.changed.nonzero()[0], feature)
    some = np.array(feature, np.int64)[:MOST_RELEVANT]
    return np.sort(np.concatenate([some, others[: MOST_RELEVANT - len(some)]]))


def _cell(change: LayerChange, neuron: int, named: bool, layer: LayerInfo) -> str:
    one, two = (_sign(float(u[neuron])) for u in (change.u1, change.u2))
    changed = bool(change.changed[neuron])
    words = f"{neuron_name(layer, neuron)}: u {short(float(change.u1[neuron]))} → {short(float(change.u2[neuron]))}"
    text = f"{one}→{two}" if changed else one
    if changed or named:
        text = f"<small>{'◆' * named}{neuron}</small> {text}"
    kinds = " ".join(name for name, holds in (("changed", changed), ("named", named)) if holds)
    return f'<span class="{kinds}" title="{words}">{text}</span>'


def _sign(u: float) -> str:
    return "+" if u >= 0 else "−"


def neurons_table(change: LayerChange, feature: Sequence[int], side: str, layer: LayerInfo) -> None:
    """u for x1 and x2, their ratio and signs: the feature first, then what changed, then the rest."""
    named = set(feature)
    neurons = _relevant(change, feature, MOST_ROWS).tolist()
    neurons.sort(key=lambda neuron: (neuron not in named, not change.changed[neuron], neuron))
    rows = [
        {
            "Neuron": neuron,
            **({"Place": place_words(layer, [neuron])} if has_places(layer) else {}),
            "Part": f"{side} feature" if neuron in named else "changed" if change.changed[neuron] else "",
            "u[x1]": short(float(change.u1[neuron])),
            "u[x2]": short(float(change.u2[neuron])),
            "u[x2] / u[x1]": _ratio(float(change.u1[neuron]), float(change.u2[neuron])),
            "Sign": _signs(change, neuron),
        }
        for neuron in neurons
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height=HEIGHT if len(rows) > 7 else "content",
        column_config=COLUMNS,
        alt=f"Values of neurons of layer {change.layer}",
    )


def _signs(change: LayerChange, neuron: int) -> str:
    one, two = (_sign(float(u[neuron])) for u in (change.u1, change.u2))
    near = " (near zero)" if change.near_zero[neuron] else ""
    return f"{one} → {two}{near}" if change.changed[neuron] else f"{one}{near}"


def _ratio(u1: float, u2: float) -> str:
    if u1 == 0:
        return short(float("nan") if u2 == 0 else float("inf"))
    return short(u2 / u1)
