"""Search: how a new campaign looks for test pairs, with generator, seeds, oracle and machine."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dnncov_core.campaign.parameters import DEVICES
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.distances import NORM_NAMES, NORMS
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, OBJECTIVES, SEED_ORDERS, suited
from dnncov_core.records import NetworkCard
from dnncov_pages.shared.fields import Entry, Fields, marked, registered
from dnncov_pages.shared.words import PASSES_EACH, SEEDS_EACH


@dataclass(frozen=True)
class _Automatic:
    """The menu's entry for `AUTO`."""

    title: str = "Automatic"
    words: str = "Linear programming for small piecewise-linear networks, gradient search for all others."


def search_choice(card: NetworkCard | None, conditions: Fields) -> Fields:
    """Generator, seeds and oracle; what hardly ever changes is folded away."""
    fields = _generator(card, free=conditions["feature_mode"] == "free")
    order = registered("Order of seeds", SEED_ORDERS, "seed_order")
    grid = registered("Values that x2 may have", GRIDS, "grid")
    left, right = st.columns(2)
    with left:
        max_seeds = st.number_input(
            SEEDS_EACH,
            value=CampaignSpec.max_seeds,
            step=1,
            key="max_seeds",
            persist_state="session",
            help="After so many seeds without success, a test condition counts as exhausted.",
        )
        fields |= {"seed_order": order, "grid": grid} | marked(max_seeds=int(max_seeds))
    with right:
        bound = st.number_input(
            "Bound b (distance)",
            value=None,
            step=0.05,
            format="%.4f",
            placeholder="No bound",
            key="bound",
            persist_state="session",
            help="A test pair with different labels is adversarial only if its distance is at most b. Empty: no bound"
            " on the distance.",
        )
        fields |= marked(bound=bound)
    fields["reuse"] = st.checkbox(
        "Reuse test pairs",
        key="reuse",
        persist_state="session",
        help="A test pair counts for every test condition that it covers: few test pairs and less time, but not each"
        " condition's own nearest. Rates and distances still count every condition.",
    )
    with st.expander("More settings"):
        return fields | _details()


def _generator(card: NetworkCard | None, *, free: bool) -> Fields:
    """The generator with its own choices; without a card it is not known which one `AUTO` stands for."""
    words = "How x2 is searched for. Whatever it proposes counts only if the network itself confirms it."
    choices: dict[str, Entry] = {AUTO: _Automatic(), **GENERATORS}
    name = registered("Generator", choices, "generator", words=words)
    chosen = st.empty()
    objective = registered("What x2 is to be", OBJECTIVES, "objective")
    by_gradients = free or objective != CampaignSpec.objective
    meant = suited(card.layers, by_gradients=by_gradients) if name == AUTO and card is not None else name
    here = "" if meant == name else f"For this network: {GENERATORS[meant].title}. "
    chosen.caption(here + choices[meant].words)
    fields: Fields = {"generator": name, "objective": objective}
    return fields | (_passes() if meant == AUTO or GENERATORS[meant].by_gradients else {})


def _passes() -> Fields:
    passes = st.number_input(
        PASSES_EACH,
        value=CampaignSpec.passes,
        step=100,
        key="passes",
        persist_state="session",
        help="Forward and backward passes of one input through the network that gradient search may spend on a test"
        " condition.",
    )
    return marked(passes=int(passes))


def _details() -> Fields:
    left, right = st.columns(2)
    with left:
        fields = _seeds_and_distances()
    with right:
        return fields | _machine()


def _seeds_and_distances() -> Fields:
    seeds = st.number_input(
        "Pool of seeds (inputs)",
        value=None,
        step=1,
        placeholder="All correctly classified",
        key="seeds",
        persist_state="session",
        help="Only so many seeds, drawn by the random seed. Empty means every correctly classified input.",
    )
    fields = marked(seeds=None if seeds is None else int(seeds))
    norm = st.selectbox(
        "Norm of distances",
        list(NORMS),
        format_func=NORM_NAMES.__getitem__,
        key="norm",
        persist_state="session",
        help="The oracle's L^p distance between x1 and x2, in pixel space.",
    )
    margin = st.number_input(
        "Margin of strict inequalities",
        value=CampaignSpec.margin,
        format="%.1e",
        step=1e-4,
        key="margin",
        persist_state="session",
        help="How far from 0 each u stays whose sign is asked for, in units of u.",
    )
    return fields | {"norm": norm} | marked(margin=float(margin))


def _machine() -> Fields:
    device = st.selectbox(
        "Device",
        DEVICES,
        key="device",
        persist_state="session",
        help="Where the data are classified to find the seeds and gradients are followed; auto takes a GPU if there is"
        " one. Linear programmes are solved on the CPU.",
    )
    random_seed = st.number_input(
        "Random seed",
        value=0,
        step=1,
        key="random_seed",
        persist_state="session",
        help="The same number gives the same campaign.",
    )
    return {"device": device} | marked(random_seed=int(random_seed))
