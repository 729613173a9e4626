"""Which inputs a search may give."""

from __future__ import annotations

from dnncov_core.records import NetworkCard


def searched_range(card: NetworkCard | None) -> str:
    """The range in which every feature of a vector is searched; empty for images, and where no card is known.

    A network has one pair of bounds, so that a witness may lie outside the range that one of its features has.
    """
    if card is None or len(card.input_shape) != 1:
        return ""
    low, high = (f"{bound:,.10g}" for bound in card.bounds)
    return f"All features of the input are searched from {low} to {high}, also those whose own range is smaller."
