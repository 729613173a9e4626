"""One test pair: its inputs, verdicts and distances, and why it covers."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import check_runnable
from dnncov_core.campaign.review.examination import Examination, examine
from dnncov_core.errors import DnncovError, NetworkError
from dnncov_core.export.provenance import of_campaign
from dnncov_core.generators import GENERATORS
from dnncov_core.networks.network import Network
from dnncov_core.networks.pretrained import PRETRAINED, weights_file, whereabouts
from dnncov_core.oracle import Oracle
from dnncov_core.phrases.inputs import searched_range
from dnncov_core.phrases.neurons import feature_words
from dnncov_core.phrases.numbers import counted, duration
from dnncov_core.records import NetworkCard, TestPair
from dnncov_core.registry.file import registered
from pages.examples.effect import effect_of_pair
from pages.examples.signs import layer_signs, neurons_table
from pages.examples.verdicts import distances, reasons, verdicts
from pages.shared.cards import attempts_table, freedom, labels
from pages.shared.downloads import export_pairs
from pages.shared.gallery import Gallery, in_words
from pages.shared.inputs import inputs, legend
from pages.shared.links import to_condition, to_gallery, to_pair
from pages.shared.page_registry import link
from pages.shared.words import plain

MOST, SECONDS = 2, 3600.0
"""Networks that are kept, and for how long: large ones have half a gigabyte."""


def network_here(store: CampaignStore) -> Network:
    """The network of a prepared campaign; nothing is downloaded, and no code runs that nobody has allowed.

    Raises:
        CampaignError: a network that is neither embedded nor registered, or has other weights than the campaign's.
        NetworkError: it cannot be loaded.
        SpecificationError: its entry in the registry has a mistake.
    """
    card, network = store.card(), store.spec().network
    assert card is not None
    allowed = registered().networks.items()
    name = next((name for name, entry in allowed if entry.reference == network), None)
    if name is None:
        check_runnable(store)
        name = network
    if name in PRETRAINED and not weights_file(name).is_file():
        raise NetworkError(f"the weights of {name} on this machine", f"none: {whereabouts(name)}", "start a campaign")
    return _loaded(name, card.fingerprint, store)


@st.cache_resource(max_entries=MOST, ttl=SECONDS, show_spinner="Loading the network …")
def _loaded(name: str, fingerprint: str, _store: CampaignStore) -> Network:
    from dnncov_core.campaign.work.inputs import network_of  # PyTorch only where a pair is looked at

    network, _ = network_of(_store, name)
    return network


def one_pair(store: CampaignStore, pair: TestPair, gallery: Gallery) -> None:
    """Everything that is known of a stored pair of a prepared campaign; its network is loaded only here."""
    card = store.card()
    assert card is not None
    _links(store, pair, gallery)
    _inputs(pair, card)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Why it covers", anchor=False)
        seen = _asked_afresh(store, pair, card)
    with right:
        st.subheader("Verdicts", anchor=False)
        verdicts(pair, card, store.spec(), seen)
        distances(pair, card, store.spec())
    if seen is not None:
        effect_of_pair(pair, card, seen, of_campaign(store))
        _neurons(pair, card, seen)
    _search(store, pair, card, gallery)
    export_pairs(of_campaign(store), card, [pair])


def _links(store: CampaignStore, pair: TestPair, gallery: Gallery) -> None:
    """To the gallery, to the pairs before and after this one, and to its test condition."""
    campaign_id, ordinal = store.path.stem, pair.target.ordinal
    place = store.pairs.place(ordinal, gallery.only, order=gallery.order)
    assert place is not None
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        link("examples", "All test pairs", to_gallery(campaign_id, gallery), icon="grid_view")
        for label, icon, other in (("Previous", "arrow_back", place.previous), ("Next", "arrow_forward", place.next)):
            parameters = {} if other is None else to_pair(campaign_id, other, gallery)
            link("examples", label, parameters, icon=icon, disabled=other is None)
        link("gaps", "Its condition on Gaps", to_condition(campaign_id, ordinal))
    where = f"Pair {place.before + 1:,} of {place.total:,}" if place.among else f"Not among the {place.total:,} pairs"
    st.caption(f"{where}: {in_words(gallery)}")


def _inputs(pair: TestPair, card: NetworkCard) -> None:
    target = pair.target
    condition = feature_words(card.layer(target.condition_layer), pair.condition_neurons)
    decision = feature_words(card.layer(target.decision_layer), target.decision_neurons)
    st.subheader(f"{condition}{freedom(pair)} → {decision}", anchor=False)
    st.caption(f"Test condition {target.ordinal}, seed {pair.seed}")
    labels(pair, card)
    inputs(pair, card, large=True)
    st.caption(legend(card) or plain(searched_range(card)))


def _asked_afresh(store: CampaignStore, pair: TestPair, card: NetworkCard) -> Examination | None:
    """What the network says, in words; None where it is not here."""
    spec, method = store.spec(), store.covering_method()
    st.markdown(f"**{method.title}.** {method.words}")
    try:
        network = network_here(store)
        with st.spinner("Asking the network …"):
            seen = examine(network, pair, method, Oracle(spec.norm, spec.bound))
    except DnncovError as error:
        st.warning(
            f"The network {plain(spec.network)} cannot be asked here, so signs and values are not shown. All else is as"
            f" stored. {plain(str(error))}",
            icon=":material/cloud_off:",
        )
        return None
    reasons(seen, pair, card)
    return seen


def _neurons(pair: TestPair, card: NetworkCard, seen: Examination) -> None:
    """Signs and values of both layers, beside each other."""
    st.subheader("Signs and values", anchor=False)
    left, right = st.columns(2, gap="large")
    for place, change, feature, side in (
        (left, seen.condition, pair.condition_neurons, "condition"),
        (right, seen.decision, pair.target.decision_neurons, "decision"),
    ):
        with place:
            layer_signs(change, feature, side, card.layer(change.layer))
            neurons_table(change, feature, side, card.layer(change.layer))


def _search(store: CampaignStore, pair: TestPair, card: NetworkCard, gallery: Gallery) -> None:
    """The generator that found the pair, and the attempts before it."""
    st.subheader("How it was found", anchor=False)
    spec = store.spec()
    generator = GENERATORS[spec.for_network(card).generator]
    if pair.found_for is not None:
        st.markdown(f"By **{generator.title}**, in a search for another test condition, which this pair covers too.")
        parameters = to_pair(store.path.stem, pair.found_for, gallery)
        link("examples", f"The pair of test condition {pair.found_for}", parameters, icon="link")
        return
    attempts = store.attempts.of(pair.target)
    margin = "" if pair.margin is None else f" {generator.margin.format(margin=pair.margin)}"
    seconds = duration(sum(attempt.seconds for attempt in attempts))
    st.markdown(f"By **{generator.title}**, with {counted(len(attempts), 'attempt')} in {seconds}.{margin}")
    attempts_table(attempts)
