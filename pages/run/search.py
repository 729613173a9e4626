"""Search: how a new campaign looks for test pairs, with generator, seeds, oracle and machine."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.parameter_kinds import Place
from dnncov_core.campaign.parameters import AUTOMATIC, PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.generators import AUTO, GENERATORS, suited
from dnncov_core.records import NetworkCard
from pages.shared.fields import Fields, field, fields_of


def search_choice(card: NetworkCard | None, conditions: Fields) -> Fields:
    """Generator, seeds and oracle; what hardly ever changes is folded away."""
    generator = field(PARAMETERS["generator"])
    explained = st.empty()
    meant = partial(_meant, card)
    before = conditions | generator
    with st.grid(2, min_column_width=200):
        fields = generator | fields_of(Place.SEARCH, before, {"generator": lambda: generator}, meant=meant)
    explained.caption(_explained(fields["generator"], meant(conditions | fields)["generator"]))
    with st.expander("More settings"), st.grid(2, min_column_width=200):
        return fields | fields_of(Place.MORE, conditions | fields)


def _meant(card: NetworkCard | None, fields: Fields) -> Fields:
    """The parameters with the generator that `AUTO` stands for, which is known with the network's card."""
    if fields["generator"] != AUTO or card is None:
        return fields
    by_gradients = fields["feature_mode"] == "free" or fields.get("objective", CampaignSpec.objective) != "distance"
    return fields | {"generator": suited(card.layers, by_gradients=by_gradients)}


def _explained(name: str, meant: str) -> str:
    """What the generator does, and which one it is for this network."""
    if meant == AUTO:
        return AUTOMATIC.words
    here = "" if meant == name else f"For this network: {GENERATORS[meant].title}. "
    return here + GENERATORS[meant].words
