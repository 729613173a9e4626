"""Which test pairs the page Examples shows: its address says it, and its widgets change the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from dnncov_core.campaign.file.pairs import EVERY, PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.adversarial import adversarial_means
from dnncov_core.records import LayerCounts
from dnncov_core.statistics.coverage import has_grid
from dnncov_core.types import Edge
from pages.shared import address
from pages.shared.campaigns import PARAMETER

ORDERS = {"nearest": "Nearest first", "farthest": "Farthest first", "plan": "In the order of the plan"}
LAYERS, ONLY, ORDER, SEED, NEURON, PAGE = "layers", "only", "order", "seed", "neuron", "page"
PARAMETERS = (LAYERS, ONLY, ORDER, SEED, NEURON, PAGE)
"""Of the page's address."""
ADVERSARIAL, EIGHT_BITS = "adversarial", "8bit"
EVERYWHERE = 0
"""What stands for all layer pairs in the menu; no decision layer has this number."""


@dataclass(frozen=True)
class Gallery:
    """What the gallery of test pairs shows: a filter, an order and a page."""

    only: PairFilter = EVERY
    order: str = "nearest"
    page: int = 1


def write(shown: Gallery) -> dict[str, str]:
    """The parameters of an address that shows it; what is usual is left out.

    >>> write(Gallery(PairFilter(edge=(2, 3), adversarial=True, holds_8bit=True), page=2))
    {'layers': '2-3', 'only': 'adversarial,8bit', 'page': '2'}
    """
    only = shown.only
    layers = "-".join(map(str, only.edge)) if only.edge else str(only.decision_layer or "")
    kinds = ((only.adversarial, ADVERSARIAL), (only.holds_8bit, EIGHT_BITS))
    values = {
        LAYERS: layers,
        ONLY: ",".join(name for asked, name in kinds if asked),
        ORDER: shown.order if shown.order != Gallery.order else "",
        SEED: "" if only.seed is None else str(only.seed),
        NEURON: "" if only.neuron is None else str(only.neuron),
        PAGE: str(shown.page) if shown.page > 1 else "",
    }
    return {name: value for name, value in values.items() if value}


def read(asked: Mapping[str, str]) -> Gallery:
    """The inverse of `write`; what cannot be read is as if it were not there.

    >>> read({"layers": "2-3", "only": "adversarial", "page": "x"}) == Gallery(PairFilter((2, 3), adversarial=True))
    True
    """
    numbers = [_number(part) for part in asked.get(LAYERS, "").split("-")]
    known = [number for number in numbers if number is not None]
    kinds = asked.get(ONLY, "").split(",")
    only = PairFilter(
        edge=(known[0], known[1]) if len(known) == len(numbers) == 2 else None,
        decision_layer=known[0] if len(known) == len(numbers) == 1 else None,
        adversarial=ADVERSARIAL in kinds,
        holds_8bit=EIGHT_BITS in kinds,
        seed=_number(asked.get(SEED, "")),
        neuron=_number(asked.get(NEURON, "")),
    )
    order = asked.get(ORDER, Gallery.order)
    return Gallery(only, order if order in ORDERS else Gallery.order, max(1, _number(asked.get(PAGE, "")) or 1))


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


def filters(store: CampaignStore, layers: Sequence[LayerCounts], shown: Gallery) -> None:
    """What narrows the gallery."""
    only = shown.only
    one, two, three, four = st.columns([3, 3, 2, 2], vertical_alignment="bottom")
    places: dict[Edge | int, str] = {EVERYWHERE: "All layer pairs"}
    places |= _decision_layers(layers) | {c.edge: layer_pair(c.edge) for c in layers}
    one.selectbox(
        "Layer pair",
        list(places),
        format_func=places.__getitem__,
        help="Condition layer → decision layer.",
        **address.bound("edge", only.edge or only.decision_layer or EVERYWHERE, partial(_change, "place")),
    )
    two.selectbox(
        "Order",
        list(ORDERS),
        format_func=ORDERS.__getitem__,
        help="By the distance between x1 and x2 in the campaign's norm.",
        **address.bound("order", shown.order, partial(_change, "order")),
    )
    for place, name, value, words in (
        (three, "neuron", only.neuron, "The number of a neuron, from 0, of the condition or the decision feature."),
        (four, "seed", only.seed, "The row of x1 in the data, from 0."),
    ):
        place.number_input(
            name.capitalize(),
            min_value=0,
            value=None,
            step=1,
            placeholder="Any",
            help=words,
            **address.bound(name, value, partial(_change, name)),
        )
    _kinds(store, _of(layers, only.edge or only.decision_layer or EVERYWHERE), only)


def _kinds(store: CampaignStore, layers: Sequence[LayerCounts], only: PairFilter) -> None:
    with st.container(horizontal=True, gap="medium"):
        st.toggle(
            f"Adversarial · {sum(c.adversarial for c in layers):,}",
            help=f"Pairs that are adversarial: {adversarial_means(store.spec())}.",
            **address.bound("only_adversarial", only.adversarial, partial(_change, "adversarial")),
        )
        st.toggle(
            f"Holds after rounding to 8 bits · {sum(c.holds_8bit for c in layers):,}",
            disabled=not has_grid(store.card()) and not only.holds_8bit,
            help="The covering method still holds when x2 is rounded to 256 grey levels. Whether the label still"
            " differs is not stored: the view of one pair asks the network.",
            **address.bound("only_8bit", only.holds_8bit, partial(_change, "holds_8bit")),
        )


def _decision_layers(layers: Sequence[LayerCounts]) -> dict[Edge | int, str]:
    """Decision layers with several condition layers: only these have a choice of their own."""
    numbers = [c.decision_layer for c in layers]
    return {layer: f"Decision layer {layer}" for layer in dict.fromkeys(numbers) if numbers.count(layer) > 1}


def _of(layers: Sequence[LayerCounts], place: Edge | int) -> list[LayerCounts]:
    return [c for c in layers if place == EVERYWHERE or place in (c.edge, c.decision_layer)]


def within(layers: Sequence[LayerCounts], shown: Gallery) -> Gallery:
    """The same without layers that the campaign does not have, and without a decision layer that is a layer pair's."""
    only, edges = shown.only, {c.edge for c in layers}
    several = _decision_layers(layers)
    edge = only.edge if only.edge in edges else None
    if only.decision_layer is not None and only.decision_layer not in several:
        edge = next((each for each in edges if each[1] == only.decision_layer), None)
    layer = only.decision_layer if only.decision_layer in several else None
    return replace(shown, only=replace(only, edge=edge, decision_layer=layer))


def _change(name: str, key: str) -> None:
    """Takes a widget's new value into the filter, from its first page."""
    said, value = read(address.said()), st.session_state[key]
    if name == "order":
        _show(replace(said, order=value, page=1))
    elif name == "place":
        edge, layer = (value, None) if isinstance(value, tuple) else (None, value or None)
        _show(replace(said, only=replace(said.only, edge=edge, decision_layer=layer), page=1))
    else:
        _show(replace(said, only=replace(said.only, **{name: value}), page=1))


def turn_page(key: str) -> None:
    """Takes the page that is turned to into the address."""
    _show(replace(read(address.said()), page=st.session_state[key]))


def _show(shown: Gallery) -> None:
    address.say({PARAMETER: address.said()[PARAMETER], **write(shown)})


def in_words(shown: Gallery) -> str:
    """The filter and the order, for a line of text.

    >>> in_words(Gallery(PairFilter(edge=(2, 3), adversarial=True, seed=7)))
    'layers 2 → 3, adversarial, seed 7, nearest first'
    """
    only = shown.only
    parts = (
        f"layers {layer_pair(only.edge)}" if only.edge else "",
        "" if only.decision_layer is None else f"decision layer {only.decision_layer}",
        "adversarial" if only.adversarial else "",
        "holds at 8 bits" if only.holds_8bit else "",
        "" if only.neuron is None else f"neuron {only.neuron}",
        "" if only.seed is None else f"seed {only.seed}",
        ORDERS[shown.order].lower(),
    )
    return ", ".join(part for part in parts if part)
