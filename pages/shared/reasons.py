"""The parts of a covering method's definition, ticked or not."""

from __future__ import annotations

from dnncov_core.criteria.parts import Part
from dnncov_core.phrases.definitions import RELATIONS, asked
from pages.shared.words import plain

HOLDS = {True: ":blue[:material/check_circle:]", False: ":orange[:material/cancel:]"}


def ticked(part: Part) -> str:
    """Whether a part holds, and what it asks, in Markdown."""
    return f"{HOLDS[part.holds]} **{RELATIONS[part.asks]}**: {plain(asked(part))}"
