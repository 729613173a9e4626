"""A proof of what cannot be covered: its start, its progress, its end."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import cancel, is_proving, start_proof
from dnncov_core.phrases.proofs import METHODS, NO_PROOF_YET, last_proof, proved_things
from dnncov_core.records import State
from dnncov_core.workers import WorkerStatus
from pages.shared.job_buttons import AFTER_THE_WORKER, cancel_button
from pages.shared.jobs import is_active, why_it_failed
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain


def proof_panel(store: CampaignStore, selected: Sequence[int]) -> None:
    """The button that starts a proof, or the progress of the one that runs, and how the last one ended.

    It is for the selected rows of the table, or without any for the whole campaign.
    """
    campaign_id = store.path.stem
    place = f"proof-{campaign_id}"
    proof = store.proof.status()
    with st.container(border=True, height="stretch"):
        if proof is not None and is_proving(store):
            _progress(campaign_id, proof, place)
            return
        busy = is_active(store)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                "Selected: prove that they cannot be covered" if selected else "Prove what cannot be covered",
                icon=":material/block:",
                disabled=busy,
                key="prove",
                on_click=attempt,
                args=(place, start_proof, campaign_id, selected),
                help="Looks for neurons whose sign is the same for every input, as 'dnncov prove' does: ten minutes at"
                " most, and what is proved is stored as it is found. Where rows of the table are selected, it works on"
                " these alone.",
            )
            st.caption(AFTER_THE_WORKER if busy else _last(store, proof))
        say_refusal(place)
        if proof is not None and proof.now is State.FAILED:
            why_it_failed(proof.message)


def _progress(campaign_id: str, proof: WorkerStatus, place: str) -> None:
    words = METHODS.get(proof.doing, "loading")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**Proving what cannot be covered**", width="content")
        stops = "Stops within two seconds. What is proved stays."
        cancel_button(cancel, campaign_id, place=place, key="cancel-proof", words=stops)
    say_refusal(place)
    counted = f": {proof.done:,} of {proof.total:,} {proved_things(proof.doing)}" if proof.total else " …"
    st.progress(proof.share, text=f"{words.capitalize()}{counted}")


def tried(store: CampaignStore) -> bool:
    """Whether a proof of the campaign came so far that it may have proved something."""
    proof = store.proof.status()
    return bool(store.certificates.all()) or (proof is not None and proof.now is not State.FAILED)


def _last(store: CampaignStore, proof: WorkerStatus | None) -> str:
    """How the last proof ended, and what all proofs proved; what proofs are for where there was none."""
    if not tried(store) and proof is None:
        return NO_PROOF_YET
    return plain(last_proof(None if proof is None else proof.now, store.proof_counts()))
