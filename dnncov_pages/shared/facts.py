"""What was run: everything that decides a campaign's numbers, in words, beside whatever shows them."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.mcdc import Change
from dnncov_core.distances import NORM_NAMES
from dnncov_core.features import SAMPLINGS, strongest
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, OBJECTIVES, SEED_ORDERS
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.phrases.budgets import raised
from dnncov_core.phrases.definitions import NOTHING_ASKED
from dnncov_core.phrases.samples import is_sample
from dnncov_core.ratios import percentage
from dnncov_core.records import SeedReport
from dnncov_core.statistics import CoverageRow
from dnncov_pages.shared.words import PASSES_EACH, SEEDS_EACH, table

GLOSSARY = (
    "**Test condition**: the criterion asked of one feature pair. **Test pair**: two inputs, the seed x1 and the"
    " generated x2. **Witness**: a test pair that covers a test condition when the network itself runs on it.\n\n"
)


def what_was_run(store: CampaignStore, total: CoverageRow) -> None:
    """An expander with a row a fact; the fingerprints in full below it."""
    with st.expander("What was run", icon=":material/receipt_long:"):
        table(("What", "Value"), _rows(store, total))
        card, data = store.card(), store.prepared.data_fingerprint()
        if card is not None and data is not None:
            st.caption("Fingerprints (SHA-256) in full")
            st.code(f"network {card.fingerprint}\ndata    {data}", language=None, wrap_lines=True)


def _rows(store: CampaignStore, total: CoverageRow) -> Iterator[tuple[str, str]]:
    spec, card = store.spec(), store.card()
    yield "Campaign", store.path.stem
    yield "Network", spec.network + ("" if card is None else f", fingerprint {card.fingerprint[:12]}")
    data = store.prepared.data_fingerprint()
    yield "Data", spec.data + (f", fingerprint {data[:12]}" if data else "")
    yield "Criterion", CRITERIA[spec.criterion].title
    yield from _functions(spec)
    yield from _generator(spec)
    yield "Features", _features(spec)
    yield "Decision layers", ", ".join(map(str, spec.layers)) or "all"
    yield "Test conditions", _conditions(spec, total)
    if spec.top_weights is not None:
        yield "Pairs among", strongest(spec.top_weights)
    yield from _seeds(spec, store.prepared.seeds())
    yield "Margin of strict inequalities", f"{spec.margin:g}"
    yield "Grid of x2", GRIDS[spec.grid].title.lower()
    yield "Norm of distances", NORM_NAMES[spec.norm]
    yield "Bound b", "no bound on the distance" if spec.bound is None else f"{spec.bound:g}"
    yield "Device", store.worker.device() or spec.device
    yield "Versions", ", ".join(f"{name} {version}" for name, version in store.versions().items())


def _functions(spec: CampaignSpec) -> Iterator[tuple[str, str]]:
    method = spec.covering_method()
    if method.functions:
        yield "Value function", method.functions
    if method.condition is Change.VALUE and method.g1.name == "any":
        yield "Note", NOTHING_ASKED.format("condition")
    if method.decision is Change.VALUE and method.g2.name == "any":
        yield "Note", NOTHING_ASKED.format("decision")


def _features(spec: CampaignSpec) -> str:
    share = "" if spec.feature_mode == "neuron" else f", omega = {spec.omega:g}"
    return FEATURE_MODES[spec.feature_mode].title.lower() + share


def _generator(spec: CampaignSpec) -> Iterator[tuple[str, str]]:
    if spec.generator == AUTO:
        yield "Generator", "not chosen yet: the one that suits the network"
        return
    generator = GENERATORS[spec.generator]
    yield "Generator", generator.title
    yield "What x2 is to be", OBJECTIVES[spec.objective].title.lower()
    if generator.by_gradients:
        yield PASSES_EACH, f"{spec.passes:,}"


def _conditions(spec: CampaignSpec, total: CoverageRow) -> str:
    if not total.covered.total:
        asked = "all" if spec.pairs is None else f"{spec.pairs:,} sampled"
        return f"{asked}, not planned yet (random seed {spec.random_seed})"
    if is_sample(total.covered.total, total.available):
        how = "" if spec.sampling == CampaignSpec.sampling else f"{SAMPLINGS[spec.sampling].title.lower()}, "
        return f"{total.covered.total:,} sampled, of {total.available:,} ({how}random seed {spec.random_seed})"
    return f"all {total.covered.total:,} (random seed {spec.random_seed})"


def _seeds(spec: CampaignSpec, report: SeedReport | None) -> Iterator[tuple[str, str]]:
    pool = "every correctly classified input" if spec.seeds is None else f"{spec.seeds:,} asked for"
    yield "Pool of seeds", pool if report is None else f"{len(report.rows):,} inputs ({pool})"
    yield "Order of seeds", SEED_ORDERS[spec.seed_order].title.lower()
    yield SEEDS_EACH, f"{spec.max_seeds:,}"
    for retry in spec.retries:
        yield "Budgets raised", raised(retry)
    if spec.reuse:
        yield "Reuse", "a test pair counts for every test condition that it covers"
    if report is not None:
        yield "Left out as misclassified", f"{report.misclassified:,} of {report.inputs:,} inputs"
        yield "Clean accuracy", percentage(report.inputs - report.misclassified, report.inputs)
