"""Which test pairs the page Examples shows: its address says it, and its widgets change the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from dnncov_core.campaign.file.pairs import EVERY, PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.adversarial import adversarial_means
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.phrases.neurons import channel_neurons, has_places
from dnncov_core.records import LayerCounts, LayerInfo
from dnncov_core.statistics.coverage import knows_8_bits
from dnncov_core.types import Edge
from pages.shared import address
from pages.shared.campaigns import CAMPAIGN
from pages.shared.words import help_of, plain

ORDERS = {"nearest": "Nearest first", "farthest": "Farthest first", "plan": "In the order of the plan"}
LAYERS, ONLY, ORDER, SEED, NEURON, CHANNEL, PAGE = "layers", "only", "order", "seed", "neuron", "channel", "page"
PARAMETERS = (LAYERS, ONLY, ORDER, SEED, NEURON, CHANNEL, PAGE)
"""The parameters of an address that belong to the gallery."""
ONLY_ADVERSARIAL, ONLY_8BIT, ONLY_EFFECT = "adversarial", "8bit", "effect"
EVERYWHERE = 0
"""What stands for all layer pairs in the menu; no decision layer has this number."""


@dataclass(frozen=True)
class Gallery:
    """What the gallery of test pairs shows: a filter, an order and a page.

    Of one layer pair, it may be a ``channel`` of its condition or decision layer; `within` filters by its neurons.
    """

    only: PairFilter = EVERY
    order: str = "nearest"
    page: int = 1
    channel: int | None = None


def write(gallery: Gallery) -> dict[str, str]:
    """The parameters of an address that shows it; parameters with their usual values are left out.

    >>> write(Gallery(PairFilter(edge=(2, 3), adversarial=True, holds_8bit=True), page=2))
    {'layers': '2-3', 'only': 'adversarial,8bit', 'page': '2'}
    """
    only = gallery.only
    layers = "-".join(map(str, only.edge)) if only.edge else str(only.decision_layer or "")
    kinds = ((only.adversarial, ONLY_ADVERSARIAL), (only.holds_8bit, ONLY_8BIT), (only.needed, ONLY_EFFECT))
    values = {
        LAYERS: layers,
        ONLY: ",".join(name for holds, name in kinds if holds),
        ORDER: gallery.order if gallery.order != Gallery.order else "",
        SEED: "" if only.seed is None else str(only.seed),
        NEURON: "" if only.neuron is None else str(only.neuron),
        CHANNEL: "" if gallery.channel is None else str(gallery.channel),
        PAGE: str(gallery.page) if gallery.page > 1 else "",
    }
    return {name: value for name, value in values.items() if value}


def read(parameters: Mapping[str, str]) -> Gallery:
    """The inverse of `write`; a parameter that cannot be read is left out.

    >>> read({"layers": "2-3", "only": "adversarial", "page": "x"}) == Gallery(PairFilter((2, 3), adversarial=True))
    True
    """
    first, *more = map(address.number, parameters.get(LAYERS, "").split("-"))
    kinds = parameters.get(ONLY, "").split(",")
    only = PairFilter(
        edge=(first, more[0]) if first is not None and len(more) == 1 and more[0] is not None else None,
        decision_layer=None if more else first,
        adversarial=ONLY_ADVERSARIAL in kinds,
        holds_8bit=ONLY_8BIT in kinds,
        needed=ONLY_EFFECT in kinds,
        seed=address.number(parameters.get(SEED, "")),
        neuron=address.number(parameters.get(NEURON, "")),
    )
    order = parameters.get(ORDER, Gallery.order)
    return Gallery(
        only,
        order if order in ORDERS else Gallery.order,
        max(1, address.number(parameters.get(PAGE, "")) or 1),
        address.number(parameters.get(CHANNEL, "")),
    )


def filters(store: CampaignStore, layers: Sequence[LayerCounts], gallery: Gallery) -> None:
    """The menus and fields that filter and order the gallery."""
    only = gallery.only
    one, two, three, four = st.columns([3, 3, 2, 2], vertical_alignment="bottom")
    places: dict[Edge | int, str] = {EVERYWHERE: "All layer pairs"}
    places |= _decision_layers(layers) | {c.edge: layer_pair(c.edge) for c in layers}
    one.selectbox(
        "Layer pair",
        list(places),
        format_func=places.__getitem__,
        help=help_of("Layer pair", "Condition layer → decision layer."),
        **bound("edge", _place(only), _at),
    )
    two.selectbox(
        "Order",
        list(ORDERS),
        format_func=ORDERS.__getitem__,
        help="By the distance between x1 and x2 in the campaign's norm.",
        **bound("order", gallery.order, lambda gallery, order: replace(gallery, order=order, page=1)),
    )
    with three:
        words = "The number of a neuron, from 0, of the condition or the decision feature."
        _number(words, **bound("neuron", only.neuron, lambda gallery, n: _only(gallery, neuron=n)))
    with four:
        words = "The row of x1 in the data, from 0."
        _number(words, **bound("seed", only.seed, lambda gallery, n: _only(gallery, seed=n)))
    if only.edge and any(has_places(layer) for layer in _layers_of(store, only.edge)):
        words = "The number of a channel, from 0, of the condition or the decision layer."
        _number(words, **bound("channel", gallery.channel, lambda gallery, n: replace(gallery, channel=n, page=1)))
    chosen = _place(only)
    _kinds(store, [c for c in layers if chosen in (EVERYWHERE, c.edge, c.decision_layer)], only)


def _number(words: str, *, key: str, **options: Any) -> None:
    st.number_input(
        key.capitalize(), min_value=0, value=None, step=1, placeholder="Any", help=words, key=key, **options
    )


def _place(only: PairFilter) -> Edge | int:
    return only.edge or only.decision_layer or EVERYWHERE


def _kinds(store: CampaignStore, layers: Sequence[LayerCounts], only: PairFilter) -> None:
    with st.container(horizontal=True, gap="medium"):
        st.toggle(
            f"Adversarial · {sum(c.adversarial for c in layers):,}",
            help=f"Pairs that are adversarial: {plain(adversarial_means(store.spec(), store.card()))}.",
            **bound("only_adversarial", only.adversarial, lambda gallery, on: _only(gallery, adversarial=on)),
        )
        unknown = any(c.effects.unknown for c in layers)
        st.toggle(
            f"With effect (needed) · {'not known yet' if unknown else f'{sum(c.effects.needed for c in layers):,}'}",
            help=f"Pairs that show an effect: {EFFECT_MEANS['needed']}.",
            **bound("only_effect", only.needed, lambda gallery, on: _only(gallery, needed=on)),
        )
        if not knows_8_bits(store.card(), layers) and not only.holds_8bit:
            return
        st.toggle(
            f"Holds after rounding to 8 bits · {sum(c.holds_8bit for c in layers):,}",
            help="The covering method still holds when x2 is rounded to 256 grey levels. Whether it is"
            " still adversarial is not stored: the view of one pair asks the network.",
            **bound("only_8bit", only.holds_8bit, lambda gallery, on: _only(gallery, holds_8bit=on)),
        )


def _decision_layers(layers: Sequence[LayerCounts]) -> dict[Edge | int, str]:
    """Decision layers with several condition layers: only these have a choice of their own."""
    numbers = [c.decision_layer for c in layers]
    return {layer: f"Decision layer {layer}" for layer in dict.fromkeys(numbers) if numbers.count(layer) > 1}


def _layers_of(store: CampaignStore, edge: Edge) -> tuple[LayerInfo, LayerInfo]:
    card = store.card()
    assert card is not None
    return card.layer(edge[0]), card.layer(edge[1])


def within(store: CampaignStore, layers: Sequence[LayerCounts], gallery: Gallery) -> Gallery:
    """A gallery of layers that the campaign has: of one layer pair where it is the only one of its decision layer."""
    only, edges = gallery.only, {c.edge for c in layers}
    layer = only.decision_layer if only.decision_layer in _decision_layers(layers) else None
    edge = only.edge if only.edge in edges else None
    if only.decision_layer != layer:
        edge = next((edge for edge in edges if edge[1] == only.decision_layer), None)
    among, channel = None, gallery.channel if edge else None
    if edge and channel is not None:
        one, two = _layers_of(store, edge)
        among = channel_neurons(one, channel), channel_neurons(two, channel)
    return replace(gallery, only=replace(only, edge=edge, decision_layer=layer, among=among), channel=channel)


def bound(key: str, value: object, changed: Callable[[Gallery, Any], Gallery]) -> dict[str, Any]:
    """Arguments of a widget that shows ``value``; ``changed`` makes the new gallery from the old and the new value."""
    return address.bound(key, value, partial(_change, changed))


def _change(changed: Callable[[Gallery, Any], Gallery], key: str) -> None:
    gallery = changed(read(address.said()), st.session_state[key])
    address.say({CAMPAIGN: address.said()[CAMPAIGN], **write(gallery)})


def _at(gallery: Gallery, place: Edge | int) -> Gallery:
    """The gallery of a layer pair, of a decision layer, or of all."""
    gallery = replace(gallery, channel=None)
    if isinstance(place, tuple):
        return _only(gallery, edge=place, decision_layer=None)
    return _only(gallery, edge=None, decision_layer=place or None)


def _only(gallery: Gallery, **filters: Any) -> Gallery:
    """The gallery with these filters changed, from its first page."""
    return replace(gallery, only=replace(gallery.only, **filters), page=1)


def in_words(gallery: Gallery) -> str:
    """The filter and the order, for a line of text.

    >>> in_words(Gallery(PairFilter(edge=(2, 3), adversarial=True, seed=7)))
    'layers 2 → 3, adversarial, seed 7, nearest first'
    """
    only = gallery.only
    parts = (
        f"layers {layer_pair(only.edge)}" if only.edge else "",
        "" if only.decision_layer is None else f"decision layer {only.decision_layer}",
        "adversarial" if only.adversarial else "",
        "holds at 8 bits" if only.holds_8bit else "",
        "with effect" if only.needed else "",
        "" if only.neuron is None else f"neuron {only.neuron}",
        "" if gallery.channel is None else f"channel {gallery.channel}",
        "" if only.seed is None else f"seed {only.seed}",
        ORDERS[gallery.order].lower(),
    )
    return ", ".join(part for part in parts if part)
