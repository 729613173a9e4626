"""What was run: everything that decides a campaign's numbers, in words, beside whatever shows them."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria.mcdc import Change
from dnncov_core.phrases.coverage import sample
from dnncov_core.phrases.definitions import NOTHING_ASKED
from dnncov_core.ratios import percentage
from dnncov_core.statistics import CoverageRow
from dnncov_core.statistics.settings import facts
from pages.shared.words import table


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
        "network": spec.network + ("" if card is None else f", fingerprint {card.fingerprint[:12]}"),
        "data": spec.data + (f", fingerprint {data[:12]}" if data else ""),
        "pairs": sample(spec, total.covered.total, total.available) if total.covered.total else "not planned yet",
        "device": store.worker.device() or spec.device,
    }
    yield "Campaign", store.path.stem
    for name, words in (facts(spec) | known).items():
        yield ("Test conditions" if name == "pairs" else PARAMETERS[name].label), words
    yield from _notes(spec)
    if report is not None:
        yield "Seeds", f"{len(report.rows):,} inputs"
        yield "Left out as misclassified", f"{report.misclassified:,} of {report.inputs:,} inputs"
        yield "Clean accuracy", percentage(report.inputs - report.misclassified, report.inputs)
    yield "Versions", ", ".join(f"{name} {version}" for name, version in store.versions().items())


def _notes(spec: CampaignSpec) -> Iterator[tuple[str, str]]:
    method = spec.covering_method()
    if method.condition is Change.VALUE and method.g1.name == "any":
        yield "Note", NOTHING_ASKED.format("condition")
    if method.decision is Change.VALUE and method.g2.name == "any":
        yield "Note", NOTHING_ASKED.format("decision")
