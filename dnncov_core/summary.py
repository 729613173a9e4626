"""A campaign in numbers, as the command prints it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.programmes import programme_table
from dnncov_core.ratios import Ratio
from dnncov_core.records import LayerCounts
from dnncov_core.statistics import (
    ControlRow,
    adversarial_of,
    control_total,
    counts_by_layer,
    coverage_of,
    gap_table,
    has_grid,
    search_in_words,
)

if TYPE_CHECKING:
    from dnncov_core.campaign.file.certificates import ProofCounts


def campaign_summary(store: CampaignStore) -> dict[str, Any]:
    """A campaign in numbers, as `dnncov show --json` prints it. Shares are fractions, null where nothing was counted.

    ``coverage`` is covered / pairs, ``coverage_of_rest`` covered / (pairs - proved infeasible). Distances are in the
    campaign's norm; ``seeds`` counts the seeds, ``seeds_left_out`` the inputs misclassified;
    ``covered``, ``justified``, ``proved_infeasible`` and ``open`` add up to ``pairs``: what is covered is nothing
    else, what is proved and justified is proved, and what is open is none of these.
    ``programmes`` has the fields of `ProgrammeRow`, means of seconds and iterations being those of one call.
    ``distinct_pairs`` counts the different test pairs; with reuse one covers several test conditions, and all other
    numbers count each of these.
    ``control`` compares a sample of the test pairs with plain searches from the same seeds, with the same radius and
    passes: how many ``pairs`` it has, how many of these are ``adversarial``, and of how many seeds ``random``
    perturbations and gradient ``ascent`` change the label; null where there is none.
    """
    spec, card, seeds, progress = store.spec(), store.card(), store.prepared.seeds(), store.counts.progress()
    layers = counts_by_layer(store)
    coverage, gaps = coverage_of(store, layers), gap_table(store).total
    total, adversarial = coverage.total, adversarial_of(layers).total.of_pairs
    return {
        "state": store.state().value,
        "message": store.worker.message(),
        "criterion": spec.criterion,
        "network": spec.network,
        "search": search_in_words(spec),
        "value_functions": spec.covering_method().functions,
        "available": total.available,
        "pairs": total.covered.total,
        "covered": total.covered.n,
        "distinct_pairs": store.pairs.count_distinct(),
        "coverage": total.covered.value,
        "coverage_of_rest": total.feasible.value,
        "justified": gaps.justified,
        "proved_infeasible": gaps.proved_infeasible,
        "open": gaps.open,
        "adversarial": adversarial.n,
        "adversarial_rate": adversarial.value,
        "control": _control_summary(control_total(store)),
        "holds_8bit": total.holds_8bit.n if has_grid(card) else None,
        "outcomes": {outcome.value: n for outcome, n in total.outcomes},
        "layers": [
            _layer_summary(counts, row.available, grid=has_grid(card))
            for counts, row in zip(layers, coverage.rows, strict=True)
        ],
        "programmes": [dataclasses.asdict(row) for row in programme_table(store).rows],
        "attempts": progress.attempts,
        "seeds": None if seeds is None else len(seeds.rows),
        "seeds_left_out": None if seeds is None else seeds.misclassified,
        "seconds": progress.seconds,
        "device": store.worker.device(),
        "spec": {
            **dataclasses.asdict(spec),
            "network_fingerprint": None if card is None else card.fingerprint,
            "data_fingerprint": store.prepared.data_fingerprint(),
        },
        "versions": store.versions(),
    }


def proofs_summary(proofs: ProofCounts) -> dict[str, Any]:
    """What is proved of a campaign, as `dnncov prove --json` prints it."""
    rest = Ratio(proofs.covered, proofs.pairs - proofs.conditions_infeasible)
    coverage = {"coverage": Ratio(proofs.covered, proofs.pairs).value, "coverage_of_rest": rest.value}
    return {**dataclasses.asdict(proofs), **coverage}


def _control_summary(row: ControlRow) -> dict[str, int] | None:
    if not row.searched.total:
        return None
    counts = {"adversarial": row.searched.n, "random": row.random.n, "ascent": row.ascent.n}
    return {"pairs": row.searched.total, **counts}


def _layer_summary(counts: LayerCounts, available: int, *, grid: bool) -> dict[str, Any]:
    return {
        "condition_layer": counts.condition_layer,
        "decision_layer": counts.decision_layer,
        "available": available,
        "pairs": counts.pairs,
        "covered": counts.found,
        "proved_infeasible": counts.proved_infeasible,
        "adversarial": counts.adversarial,
        "holds_8bit": counts.holds_8bit if grid else None,
        "mean_distance": counts.mean_distance,
        "std_distance": counts.std_distance,
    }
