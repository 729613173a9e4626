"""x1 and x2 of one test pair: as pictures, as lines over time, or as a table of features with bars."""

from __future__ import annotations

from typing import Literal

import numpy as np
import streamlit as st

from dnncov_core.figures.pictures import LEAST_WIDTH, difference, is_picture, is_series, picture
from dnncov_core.figures.series import MOST_CHANNELS, lines_of_series
from dnncov_core.phrases.inputs import moved_words
from dnncov_core.phrases.numbers import MINUS, signed
from dnncov_core.phrases.pairs import difference_words, told_apart
from dnncov_core.records import NetworkCard, TestPair
from pages.shared.charts import in_page_colours
from pages.shared.words import plain

MOST_VALUES = 50
"""Numbers that the table has, those that moved most."""
FULL_WIDTH = 420
"""About how wide each picture is where one pair is shown alone."""


def inputs(pair: TestPair, card: NetworkCard, *, large: bool = False) -> None:
    """Both inputs, as what they are; ``large`` on a page of their own."""
    if is_picture(card):
        _pictures(pair, card, width=FULL_WIDTH if large else LEAST_WIDTH, gap="small" if large else "xsmall")
        return
    st.markdown(plain(moved_words(pair, card)))
    if is_series(card):
        _series(pair, card)
    else:
        _table(pair, card)


def legend(card: NetworkCard) -> str:
    """What colours of the difference mean; empty for inputs that are no images."""
    return difference_words(card.input_shape, ":orange[■]", ":blue[■]") if is_picture(card) else ""


def _pictures(pair: TestPair, card: NetworkCard, *, width: int, gap: Literal["xsmall", "small"]) -> None:
    (one, two), bounds = map(card.box.shares, (pair.x1, pair.x2)), card.box.share_bounds
    changed, factor = difference(one, two, bounds, width=width)
    x1, x2 = (picture(x, bounds, width=width) for x in (one, two))
    captions = ("Original x1", "Generated x2", f"Difference  \n× {factor:,.0f}")
    one_said, two_said = told_apart(card, pair)
    alternatives = (
        f"Original input x1, seed {pair.seed}, {one_said}",
        f"Generated input x2, {two_said}",
        f"Difference x2 - x1, amplified by {factor:,.0f}",
    )
    with st.grid(3, min_column_width=70 if gap == "xsmall" else 100, wrap=False, gap=gap):
        for at, image in enumerate((x1, x2, changed)):
            st.image(image, caption=captions[at], alt=alternatives[at], width="stretch", output_format="PNG")


def _series(pair: TestPair, card: NetworkCard) -> None:
    figure = in_page_colours(lines_of_series(pair, card))
    st.plotly_chart(
        figure, key=f"series-{pair.target.ordinal}", alt=f"x1 and x2 of test pair {pair.target.ordinal} over time"
    )
    if card.input_shape[0] > MOST_CHANNELS:
        st.caption(f"The {MOST_CHANNELS} of {card.input_shape[0]:,} channels that moved most.")


def _table(pair: TestPair, card: NetworkCard) -> None:
    """A row for each number, with its difference as a share of its range, at the largest share as a whole bar."""
    box, shares = card.box, np.abs(card.box.moved(pair.x1, pair.x2)).ravel()
    places = sorted(np.argsort(-shares, kind="stable")[:MOST_VALUES].tolist())
    rows = []
    for place in places:
        one, two = float(pair.x1.flat[place]), float(pair.x2.flat[place])
        x1, x2 = (f"{value:,.6g}".replace("-", MINUS) for value in (one, two))
        ends = {"Original x1": x1, "Generated x2": x2, "Difference": signed(two - one)}
        rows.append({"Feature": box.heading(place), **ends, "Share of range": 100 * float(shares[place])})
    whole = max(100 * float(shares.max()), 1e-9)
    bars = st.column_config.ProgressColumn(format="%.3g %%", min_value=0, max_value=whole)
    alt = f"Features of x1 and x2 of test pair {pair.target.ordinal}"
    st.dataframe(rows, hide_index=True, column_config={"Share of range": bars}, alt=alt)
    if shares.size > MOST_VALUES:
        st.caption(f"The {MOST_VALUES} of {shares.size:,} numbers that moved most.")
