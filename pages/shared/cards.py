"""One test pair as a card, and the attempts at a test condition as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dnncov_core.distances import written
from dnncov_core.figures.pictures import is_picture, picture_size
from dnncov_core.phrases.adversarial import beyond_tolerance
from dnncov_core.phrases.conditions import attempt_words, cost_words
from dnncov_core.phrases.coverage import AT_8_BITS
from dnncov_core.phrases.effect import effect_of
from dnncov_core.phrases.neurons import feature_words
from dnncov_core.phrases.numbers import counted
from dnncov_core.phrases.pairs import CONFIDENCE, class_name, outputs_moved, why_not_adversarial
from dnncov_core.ratios import percentage
from dnncov_core.records import Attempt, NetworkCard, TestPair
from dnncov_core.statistics.distances import UNITS, farthest, unit_of
from pages.shared.inputs import inputs
from pages.shared.page_registry import link
from pages.shared.words import plain

NO_BREAK = "\N{NO-BREAK SPACE}"
MOST_CARDS = 12
"""Cards of one page."""
MOST_BYTES = 4_000_000
"""Pictures of one page, before they are compressed, unless one card has more."""
LARGE = 100
"""Pictures wider than this have only two cards to a row, so that they are hardly made smaller."""


def pair_card(pair: TestPair, card: NetworkCard, address: Mapping[str, str]) -> None:
    """What fits on a card of a test pair; ``address`` is that of the page Examples with the pair alone."""
    with st.container(border=True, gap="small"):
        labels(pair, card)
        inputs(pair, card)
        _facts(pair, card)
        words = "This pair alone: larger, with the signs and values of its neurons and why it covers."
        link("examples", f"Open pair {pair.target.ordinal}", address, icon="open_in_full", words=words)


def labels(pair: TestPair, card: NetworkCard) -> None:
    """Both labels, or how far outputs move, and what becomes of the pair by them."""
    if card.quantities:
        words = f"By how much outputs move from x1 to x2. Adversarial: {plain(beyond_tolerance(card.quantities))}."
        st.markdown(f"**{plain(outputs_moved(card, pair))}**", help=words)
    else:
        one, two = _label(card, pair.label1, pair.confidence1), _label(card, pair.label2, pair.confidence2)
        st.markdown(f"{one} → {two}", help=f"Label of x1 and of x2. {CONFIDENCE}")
    if pair.adversarial:
        st.badge("Adversarial", color="orange", icon=":material/warning:")
    else:
        st.badge(why_not_adversarial(card, pair), color="gray")


def _label(card: NetworkCard, label: int, confidence: float) -> str:
    name = f"**{plain(class_name(card, label))}**"
    share = plain(percentage(confidence)).replace(" ", NO_BREAK)
    return f"{name} :gray[({share})]"


def layout(card: NetworkCard) -> tuple[int, int]:
    """How many cards a page and a row have, for inputs of a network."""
    if not is_picture(card):
        return MOST_CARDS, 2
    height, width = picture_size(card.input_shape)
    weight = 3 * (3 * height * width)  # x1, x2 and their difference in red, green and blue
    return max(1, min(MOST_CARDS, MOST_BYTES // weight)), 2 if width > LARGE else 3


def _facts(pair: TestPair, card: NetworkCard) -> None:
    target = pair.target
    held = f"  \n{AT_8_BITS[pair.holds_8bit].capitalize()}" if is_picture(card) else ""
    st.caption(
        f"{feature_words(card.layer(target.condition_layer), pair.condition_neurons)}{freedom(pair)} →"
        f" {feature_words(card.layer(target.decision_layer), target.decision_neurons)} · seed {pair.seed}"
        f"{'' if pair.found_for is None else ' · found for another test condition'}  \n"
        f"Distance: {farthest(card, pair.distance_inf)} · L2 {written(pair.distance_2)}"
        f" · L1 {written(pair.distance_1)} ({UNITS[unit_of(card)]}){held} · {effect_of(pair.needed, pair.sufficient)}"
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
