"""What every page of a campaign shows: how far it is, its result in a sentence, and what was run."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import copy_of, viewable
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.review.retry import seeds_there
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import shown_effect
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.data.own_decisions import own_decisions
from dnncov_core.example import is_example
from dnncov_core.phrases.adversarial import BASELINE_SEARCHES, adversarial_means, baseline_searches, wrong
from dnncov_core.phrases.conditions import fewer_seeds
from dnncov_core.phrases.coverage import (
    at_8_bits,
    distinct,
    eligible,
    estimated,
    have_witness,
    sample,
    sampling,
)
from dnncov_core.phrases.definitions import NOTHING_ASKED
from dnncov_core.phrases.effect import with_effect
from dnncov_core.phrases.inputs import searched_range
from dnncov_core.phrases.numbers import counted, fingerprinted
from dnncov_core.phrases.origins import come_from
from dnncov_core.phrases.states import failure, how_far, worked_on
from dnncov_core.phrases.together import searched_together
from dnncov_core.ratios import percentage
from dnncov_core.registry import class_order, data_names
from dnncov_core.statistics.adversarial import baselines_by_layer
from dnncov_core.statistics.coverage import CoverageRow
from dnncov_core.statistics.settings import facts
from dnncov_core.statistics.suite_and_tests import suite_and_tests
from pages.shared import address
from pages.shared.campaigns import CAMPAIGN, label
from pages.shared.captions import details
from pages.shared.job_buttons import below_campaign_button, campaign_button
from pages.shared.jobs import badge, why_it_failed
from pages.shared.refusals import attempt
from pages.shared.words import plain, table

ONLY_READ = (
    "This example comes with the app and is only read: searching again, proofs and justifications need a copy of it."
)

OWN_LABELS = "not known (the network's own decisions are the labels)"
"""The accuracy on such data."""


def standing(store: CampaignStore) -> DeltaGenerator:
    """The state, how far the campaign is and what can be done about it, in a line with room for more of the page.

    Below it, why the campaign failed.
    """
    how = how_far(store)
    line = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with line:
        badge(store.state())
        st.caption(f"{how} {ONLY_READ}" if is_example(store.path) else how, width="stretch")
        if is_example(store.path):
            _copy_button(store.path.stem)
        campaign_button(store)
    below_campaign_button(store)
    if words := failure(store.state(), store.worker.message()):
        why_it_failed(words)
    return line


def _copy_button(campaign_id: str) -> None:
    """Makes a copy of the example, and shows this page with it, whose menu of campaigns is drawn anew."""
    if st.button(
        "Work on a copy",
        icon=":material/content_copy:",
        key="copy",
        on_click=attempt,
        args=(campaign_id, _show_copy, campaign_id),
        help="A campaign of your own with all that the example holds.",
    ):
        st.rerun()


def _show_copy(campaign_id: str) -> None:
    address.say({CAMPAIGN: copy_of(campaign_id)})


def sentence(store: CampaignStore, total: CoverageRow, line: DeltaGenerator | None = None) -> None:
    """What the campaign shows, in the words that these numbers allow; nothing before there are test conditions.

    The details open at a click, in this ``line`` of the page or below.
    """
    if not total.covered.total:
        return
    spec, covered, available = store.spec(), total.covered, total.available
    pairs = eligible(spec, available)
    both, effects = suite_and_tests(spec, total), None if total.with_effect == covered else total.with_effect_estimate
    said = [
        f"**{have_witness(covered, available, spec.effect)}**",
        plain(estimated(pairs, total.estimate)),
        "" if both is None else plain(both.words),
    ]
    beside = baselines_by_layer(store).total
    more = [
        plain(sampling(spec, covered.total, available)),
        distinct(store.pairs.count_distinct()) if spec.reuse else "",
        with_effect(total.with_effect, total.effects, shown_effect(spec.effect)),
        plain(estimated(pairs, effects, "a witness with effect")),
        at_8_bits(total.holds_8bit, total.with_effect_8bit),
        f"Adversarial: {plain(adversarial_means(spec, store.card()))}.",
        plain(searched_range(store.card())),
        baseline_searches(beside.searched, beside.random, beside.ascent),
        BASELINE_SEARCHES if beside.searched.total else "",
    ]
    st.markdown(" ".join(filter(None, said)))
    with line or st.container():
        details(more, key="details")


def what_was_run(store: CampaignStore, total: CoverageRow) -> None:
    """An expander with a row a fact; the fingerprints in full below it."""
    with st.expander("What was run", icon=":material/receipt_long:"):
        table(("What", "Value"), _rows(store, total))
        card, data = store.card(), store.prepared.data_fingerprint()
        if card is not None and data is not None:
            st.caption("Fingerprints (SHA-256) in full")
            st.code(f"network {card.fingerprint}\ndata    {data}", language=None, wrap_lines=True)


def _rows(store: CampaignStore, total: CoverageRow) -> Iterator[tuple[str, str]]:
    spec, card, report, data = store.spec(), store.card(), store.prepared.seeds(), store.prepared.data_fingerprint()
    known = {
        "network": fingerprinted(spec.network, None if card is None else card.fingerprint),
        "data": fingerprinted(spec.data, data),
        "pairs": sample(spec, total.covered.total, total.available) if total.covered.total else "not planned yet",
        "device": worked_on(store.worker.device(), spec.device),
    }
    known_origins = store.prepared.origins()
    yield "Campaign", store.path.stem
    for name, words in (facts(spec) | known).items():
        yield ("Test conditions" if name == "pairs" else PARAMETERS[name].label), words
        yield from come_from({kind: said for kind, said in known_origins.items() if kind == name}).items()
    if together := searched_together(store):
        yield "Searched together", together
    if origins := [retry.origin for retry in spec.retries if retry.origin is not None]:
        yield "Searched again from", label(origins[-1]) if origins[-1] in viewable() else f"{origins[-1]} (not here)"
    yield from _notes(spec)
    if card is not None and spec.data in data_names() and (words := class_order(spec.data, card.classes)):
        yield "Classes", words
    if report is not None:
        fewer = fewer_seeds(spec, seeds_there(store))
        yield "Seeds", " · ".join(filter(None, (counted(len(report.rows), "input"), fewer)))
        if said := own_decisions(spec.data):
            yield "Labels", said
        yield f"Left out as {wrong(card)}", f"{report.misclassified:,} of {counted(report.inputs, 'input')}"
        right = "Within tolerance" if card is not None and card.quantities else "Clean accuracy"
        yield right, OWN_LABELS if said else percentage(report.inputs - report.misclassified, report.inputs)
    yield "Versions", ", ".join(f"{name} {version}" for name, version in store.versions().items())


def _notes(spec: CampaignSpec) -> Iterator[tuple[str, str]]:
    method = spec.covering_method()
    for side, change, function in (
        ("condition", method.condition, method.g1),
        ("decision", method.decision, method.g2),
    ):
        if change is Change.VALUE and function.name == ANY.name:
            yield "Note", NOTHING_ASKED.format(side)
