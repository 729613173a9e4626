"""One test pair as a card: the two inputs, their amplified difference, labels, distances, neurons."""

from __future__ import annotations

import streamlit as st

from dnncov_core.distances import NORMS, written
from dnncov_core.figures.pictures import difference, is_picture, picture
from dnncov_core.figures.style import NORM_NAMES, UNITS
from dnncov_core.ratios import percentage
from dnncov_core.records import NetworkCard, TestPair
from dnncov_core.statistics import has_pixels
from dnncov_core.types import Shape
from pages.parts.words import plain

MOST_VALUES = 50


def pair_card(pair: TestPair, card: NetworkCard) -> None:
    """Everything about one test pair that fits on a card."""
    with st.container(border=True):
        _labels(pair, card)
        if is_picture(pair.x1.shape):
            _pictures(pair, card)
        else:
            _values(pair)
        _facts(pair, card)


def _class(card: NetworkCard, label: int) -> str:
    return plain(card.classes[label]) if label < len(card.classes) else str(label)


def _labels(pair: TestPair, card: NetworkCard) -> None:
    one, two = _label(card, pair.label1, pair.confidence1), _label(card, pair.label2, pair.confidence2)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        words = "Label of x1 and of x2, each with its softmax confidence."
        st.markdown(f"{one} → {two}", width="content", help=words)
        if pair.adversarial:
            st.badge("Adversarial", color="orange", icon=":material/warning:")


def _label(card: NetworkCard, label: int, confidence: float) -> str:
    return f"**{_class(card, label)}** :gray[({plain(percentage(confidence))})]"


def _pictures(pair: TestPair, card: NetworkCard) -> None:
    changed, factor = difference(pair.x1, pair.x2, card.bounds)
    one, two = _class(card, pair.label1), _class(card, pair.label2)
    shown = (
        (picture(pair.x1, card.bounds), "Original x1", f"Original input, classified as {one}"),
        (picture(pair.x2, card.bounds), "Generated x2", f"Generated input, classified as {two}"),
        (changed, f"Difference × {factor:g}", f"Difference x2 - x1, amplified by {factor:g}"),
    )
    with st.grid(3, min_column_width=70, wrap=False, gap="xsmall"):
        for image, caption, alt in shown:
            st.image(image, caption=caption, alt=alt, width="stretch")


def legend(shape: Shape) -> str:
    """What colours of the difference mean, as `dnncov_core.figures.pictures.difference` draws them; empty for none."""
    if not is_picture(shape):
        return ""
    if len(shape) == 3 and shape[0] == 3:
        return "Difference: lighter than grey where a channel is brighter in x2, darker where it is darker."
    return "Difference: :orange[**■ brighter**] in x2, :blue[**■ darker**] in x2, light grey unchanged."


def _values(pair: TestPair) -> None:
    x1, x2 = pair.x1.ravel()[:MOST_VALUES].tolist(), pair.x2.ravel()[:MOST_VALUES].tolist()
    rows = [
        {"Input": i, "Original x1": f"{a:.4f}", "Generated x2": f"{b:.4f}", "Difference": f"{b - a:+.4f}"}
        for i, (a, b) in enumerate(zip(x1, x2, strict=True))
    ]
    st.dataframe(rows, hide_index=True, alt="Values of the original and the generated input")
    if pair.x1.size > MOST_VALUES:
        st.caption(f"The first {MOST_VALUES} of {pair.x1.size:,} values.")


def _facts(pair: TestPair, card: NetworkCard) -> None:
    target = pair.target
    apart = dict(zip(NORMS, (pair.distance_inf, pair.distance_2, pair.distance_1), strict=True))
    st.caption(
        f"{_feature(target.condition_layer, pair.condition_neurons)}{_freedom(pair)} →"
        f" {_feature(target.decision_layer, target.decision_neurons)} · seed {pair.seed}"
        f"{'' if pair.found_for is None else ' · found for another test condition'}  \n"
        + "Distance: "
        + " · ".join(f"{NORM_NAMES[norm]} {written(value)}" for norm, value in apart.items())
        + f" ({UNITS[has_pixels(card)]})  \n{_rounded(pair.holds_8bit)}"
    )


def _feature(layer: int, neurons: tuple[int, ...]) -> str:
    some = ", ".join(map(str, neurons[:6])) + (f", … {len(neurons)} in all" if len(neurons) > 6 else "")
    return f"layer {layer}, neuron{'s' * (len(neurons) > 1)} {some}"


def _freedom(pair: TestPair) -> str:
    """Of a free condition feature, how many neurons changed their signs and how many might have."""
    most = pair.target.condition_most
    return "" if most is None else f" ({len(pair.condition_neurons)} of at most {most:,} changed)"


def _rounded(holds: bool | None) -> str:
    if holds is None:
        return "8 bits do not apply to these inputs"
    return "Holds after rounding to 8 bits" if holds else "Lost when rounded to 8 bits"
