"""All about one test condition: what it counts as, why, its attempts, and its witness."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.conditions import ConditionRecord, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.gap_marks import STATUS_LOOKS
from dnncov_core.phrases.conditions import history_words, justification_words, why
from dnncov_core.phrases.neurons import feature_words
from dnncov_core.phrases.proofs import NO_TWO_INPUTS, certificate_words
from dnncov_core.records import NetworkCard
from dnncov_core.statistics.gaps import with_certificates
from pages.shared.cards import attempts_table, pair_card
from pages.shared.links import to_pair
from pages.shared.words import plain

BADGES = {
    Status.COVERED: ("blue", "check"),
    Status.WITHOUT_EFFECT: ("blue", "check_indeterminate_small"),
    Status.PROVED_INFEASIBLE: ("green", "block"),
    Status.JUSTIFIED: ("orange", "edit_note"),
    Status.EXHAUSTED: ("gray", "hourglass_disabled"),
    Status.ERROR: ("violet", "error"),
    Status.PENDING: ("gray", "pending"),
}
"""Colour and icon of each status."""


def one_condition(store: CampaignStore, condition: ConditionRecord) -> None:
    """A card with what is known of a test condition."""
    target, card = condition.target, store.card()
    assert card is not None
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            asked = feature_words(card.layer(target.condition_layer), target.condition_neurons, target.condition_most)
            decision = feature_words(card.layer(target.decision_layer), target.decision_neurons)
            st.markdown(f"**{asked} → {decision}**", width="content")
            colour, icon = BADGES[condition.status]
            look = STATUS_LOOKS[condition.status].name
            st.badge(look.capitalize(), color=colour, icon=f":material/{icon}:")  # type: ignore[arg-type]
            if condition.refuted:
                words = "Somebody said why no test pair is needed, and this one was found all the same."
                label = f"Justification refuted by pair {condition.refuted_by}"
                st.badge(label, color="orange", icon=":material/warning:", help=words)
            st.caption(f"ordinal {target.ordinal}", width="content")
        _reasons(store, condition, card)
        pair, attempts = store.pairs.of(target), store.attempts.of(target)
        if pair is None:
            attempts_table(attempts)
            return
        left, right = st.columns(2, gap="medium")
        with left:
            pair_card(pair, card, to_pair(store.path.stem, target.ordinal))
        with right:
            attempts_table(attempts)


def _reasons(store: CampaignStore, condition: ConditionRecord, card: NetworkCard) -> None:
    (gap,) = with_certificates(store, [condition])
    proof, said = gap.certificate, condition.justification
    if proof is not None:
        st.markdown(f"**Certificate.** {plain(certificate_words(proof, card))} within the network's bounds.")
    elif condition.status is Status.PROVED_INFEASIBLE:
        st.markdown(f"**Proof.** {NO_TWO_INPUTS.capitalize()}.")
    if said is not None:
        st.markdown(f"**Justification.** {plain(justification_words(said, condition.refuted_by))}")
    history = [each for each in store.justifications.history() if each.ordinal == condition.target.ordinal]
    if any(each.ended for each in history):
        with st.expander(f"History of its justifications ({len(history):,})", icon=":material/history:"):
            st.markdown("\n".join(f"1. {plain(history_words(each))}" for each in history))
    if condition.status in (Status.EXHAUSTED, Status.PENDING, Status.WITHOUT_EFFECT) and (
        words := why(condition, proof, card=card, seeds=store.prepared.pool(), effect=store.spec().effect)
    ):
        st.markdown(f"**Why.** {plain(words[0].upper() + words[1:])}.")
