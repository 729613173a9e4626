"""One test pair as a card, and the attempts at a test condition as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import streamlit as st

from dnncov_core.distances import written
from dnncov_core.figures.pictures import LEAST_WIDTH, difference, is_picture, picture, picture_size
from dnncov_core.phrases.conditions import attempt_words, cost_words, feature_words
from dnncov_core.phrases.coverage import AT_8_BITS
from dnncov_core.phrases.effect import effect_of
from dnncov_core.phrases.numbers import counted
from dnncov_core.phrases.pairs import class_name, difference_words, grey_levels
from dnncov_core.ratios import percentage
from dnncov_core.records import Attempt, NetworkCard, TestPair
from dnncov_core.statistics.coverage import has_pixels
from dnncov_core.statistics.distances import UNITS
from dnncov_core.types import Shape
from pages.shared.page_registry import link
from pages.shared.words import plain

MOST_VALUES = 50
NO_BREAK = "\N{NO-BREAK SPACE}"
MOST_CARDS = 12
"""Cards of one page."""
MOST_BYTES = 4_000_000
"""Pictures of one page, before they are compressed, unless one card has more."""
LARGE = 100
"""Pictures wider than this have only two cards to a row, so that they are hardly made smaller."""
FULL_WIDTH = 420
"""About how wide each picture is where one pair is shown alone."""


def pair_card(pair: TestPair, card: NetworkCard, address: Mapping[str, str]) -> None:
    """What fits on a card of a test pair; ``address`` is that of the page Examples with the pair alone."""
    with st.container(border=True, gap="small"):
        labels(pair, card)
        if is_picture(pair.x1.shape):
            _pictures(pair, card, width=LEAST_WIDTH, column=70, gap="xsmall")
        else:
            values(pair)
        _facts(pair, card)
        words = "This pair alone: larger, with the signs and values of its neurons and why it covers."
        link("examples", f"Open pair {pair.target.ordinal}", address, icon="open_in_full", words=words)


def large_pictures(pair: TestPair, card: NetworkCard) -> None:
    """x1, x2 and their difference, as large as the page."""
    _pictures(pair, card, width=FULL_WIDTH, column=130, gap="small")


def labels(pair: TestPair, card: NetworkCard) -> None:
    """Both labels, and what becomes of the pair by them."""
    one, two = _label(card, pair.label1, pair.confidence1), _label(card, pair.label2, pair.confidence2)
    st.markdown(f"{one} → {two}", help="Label of x1 and of x2, each with its softmax confidence.")
    if pair.adversarial:
        st.badge("Adversarial", color="orange", icon=":material/warning:")
    else:
        st.badge("Label kept" if pair.label1 == pair.label2 else "Beyond the bound b", color="gray")


def _label(card: NetworkCard, label: int, confidence: float) -> str:
    share = plain(percentage(confidence)).replace(" ", NO_BREAK)
    return f"**{plain(class_name(card, label))}** :gray[({share})]"


def _pictures(pair: TestPair, card: NetworkCard, *, width: int, column: int, gap: Literal["xsmall", "small"]) -> None:
    changed, factor = difference(pair.x1, pair.x2, card.bounds, width=width)
    one, two = class_name(card, pair.label1), class_name(card, pair.label2)
    x1, x2 = (picture(x, card.bounds, width=width) for x in (pair.x1, pair.x2))
    captions = ("Original x1", "Generated x2", f"Difference  \n× {factor:,.0f}")
    alternatives = (
        f"Original input x1, seed {pair.seed}, classified as {one}",
        f"Generated input x2, classified as {two}",
        f"Difference x2 - x1, amplified by {factor:,.0f}",
    )
    with st.grid(3, min_column_width=column, wrap=False, gap=gap):
        for at, image in enumerate((x1, x2, changed)):
            st.image(image, caption=captions[at], alt=alternatives[at], width="stretch", output_format="PNG")


def layout(shape: Shape) -> tuple[int, int]:
    """How many cards a page and a row have, for inputs of this shape.

    >>> layout((3, 32, 32)), layout((3, 224, 224)), layout((2,))
    ((12, 3), (8, 2), (12, 3))
    """
    if not is_picture(shape):
        return MOST_CARDS, 3
    height, width = picture_size(shape)
    weight = 3 * (3 * height * width)  # x1, x2 and their difference in red, green and blue
    return max(1, min(MOST_CARDS, MOST_BYTES // weight)), 2 if width > LARGE else 3


def legend(shape: Shape) -> str:
    """What colours of the difference mean; empty for inputs that are no images."""
    return difference_words(shape, ":orange[■]", ":blue[■]") if is_picture(shape) else ""


def values(pair: TestPair) -> None:
    """A table of inputs that are no pictures."""
    x1, x2 = pair.x1.ravel()[:MOST_VALUES].tolist(), pair.x2.ravel()[:MOST_VALUES].tolist()
    rows = [
        {"Input": i, "Original x1": f"{a:.4f}", "Generated x2": f"{b:.4f}", "Difference": f"{b - a:+.4f}"}
        for i, (a, b) in enumerate(zip(x1, x2, strict=True))
    ]
    st.dataframe(rows, hide_index=True, alt="Values of the original and the generated input")
    if pair.x1.size > MOST_VALUES:
        st.caption(f"The first {MOST_VALUES} of {pair.x1.size:,} values.")


def _facts(pair: TestPair, card: NetworkCard) -> None:
    target, pixels = pair.target, has_pixels(card)
    levels = f" = {grey_levels(pair.distance_inf)} grey levels" if pixels else ""
    held = f"  \n{AT_8_BITS[pair.holds_8bit].capitalize()}" if is_picture(pair.x1.shape) else ""
    st.caption(
        f"{feature_words(target.condition_layer, pair.condition_neurons)}{freedom(pair)} →"
        f" {feature_words(target.decision_layer, target.decision_neurons)} · seed {pair.seed}"
        f"{'' if pair.found_for is None else ' · found for another test condition'}  \n"
        f"Distance: L∞ {written(pair.distance_inf)}{levels} · L2 {written(pair.distance_2)}"
        f" · L1 {written(pair.distance_1)} ({UNITS[pixels]}){held} · {effect_of(pair.needed, pair.sufficient)}"
    )


def freedom(pair: TestPair) -> str:
    """How many neurons of a free condition feature changed their signs, and how many might have; else nothing."""
    most = pair.target.condition_most
    return "" if most is None else f" ({len(pair.condition_neurons)} of at most {most:,} changed)"


def attempts_table(attempts: Sequence[Attempt]) -> None:
    """The attempts at a test condition, in the order tried."""
    if not attempts:
        st.caption("No attempt of its own: not tried yet, proved before it was tried, or covered by another's witness.")
        return
    st.caption(f"{counted(len(attempts), 'attempt')}, in the order tried")
    rows = [
        {
            "Seed": attempt.seed,
            "Outcome": attempt.outcome.value.replace("_", " "),
            "Cost": cost_words(attempt),
            "Seconds": f"{attempt.seconds:.2f}",
            "Message": attempt_words(attempt),
        }
        for attempt in attempts
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height=280 if len(attempts) > 7 else "content",
        alt="Attempts at this test condition",
    )
