"""``dnncov show``: a campaign's numbers, as JSON or as text; other subcommands end with them."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.cli.options import DONE, FILE, JSON, Command, say
from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.phrases.adversarial import adversarial_means, baselines
from dnncov_core.phrases.coverage import at_8_bits, distinct, sampling
from dnncov_core.programmes import programme_table
from dnncov_core.ratios import NOTHING, Ratio, number
from dnncov_core.records import LayerCounts
from dnncov_core.statistics.adversarial import ControlRow, adversarial_table, control_table
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table, has_grid
from dnncov_core.statistics.gaps import gap_table
from dnncov_core.statistics.settings import search_in_words


def _act(options: argparse.Namespace) -> int:
    print_summary(options.file, options.json)
    return DONE


def print_summary(path: Path, as_json: bool) -> None:
    """Prints the numbers of the campaign in a file."""
    with CampaignStore(path) as store, store.at_one_moment():
        summary, spec = campaign_summary(store), store.spec()
    say(as_json, summary, summary_lines(summary, spec))


def campaign_summary(store: CampaignStore) -> dict[str, Any]:
    """A campaign in numbers, as `dnncov show --json` prints it. Shares are fractions, null where nothing was counted.

    ``coverage`` is covered / pairs, ``coverage_of_rest`` covered / (pairs - proved infeasible). Distances are in the
    campaign's norm; ``seeds`` counts the seeds, ``seeds_left_out`` the inputs misclassified;
    ``covered``, ``justified``, ``proved_infeasible`` and ``open`` add up to ``pairs``: what is covered is nothing
    else, what is proved and justified is proved, and what is open is none of these.
    ``programmes`` has the fields of `ProgrammeRow`, means of seconds and iterations being those of one call.
    ``distinct_pairs`` counts the different test pairs; with reuse one covers several test conditions, and all other
    numbers count each of these.
    ``control`` compares a sample of the test pairs with baseline searches from the same seeds, with the same radius
    and passes: how many ``pairs`` it has, how many of these are ``adversarial``, and of how many seeds ``random``
    perturbations and gradient ``ascent`` change the label; null where there is none.
    """
    spec, card, seeds, progress = store.spec(), store.card(), store.prepared.seeds(), store.counts.progress()
    layers = counts_by_layer(store)
    coverage, gaps = coverage_table(store), gap_table(store).total
    total, adversarial = coverage.total, adversarial_table(store).total.of_pairs
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
        "control": _baselines_json(control_table(store).total),
        "holds_8bit": total.holds_8bit.n if has_grid(card) else None,
        "outcomes": {outcome.value: n for outcome, n in total.outcomes},
        "layers": [
            _layer_json(counts, row.available, grid=has_grid(card))
            for counts, row in zip(layers, coverage.rows, strict=True)
        ],
        "programmes": [dataclasses.asdict(row) for row in programme_table(store)],
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


def _baselines_json(row: ControlRow) -> dict[str, int] | None:
    if not row.searched.total:
        return None
    counts = {"adversarial": row.searched.n, "random": row.random.n, "ascent": row.ascent.n}
    return {"pairs": row.searched.total, **counts}


def _layer_json(counts: LayerCounts, available: int, *, grid: bool) -> dict[str, Any]:
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


def summary_lines(summary: Mapping[str, Any], spec: CampaignSpec) -> list[str]:
    """A campaign's summary for people.

    Args:
        summary: as `campaign_summary` gives it.
        spec: what the campaign was asked.
    """
    covered = Ratio(summary["covered"], summary["pairs"])
    adversarial = Ratio(summary["adversarial"], summary["covered"])
    holding = Ratio(summary["holds_8bit"] or 0, 0 if summary["holds_8bit"] is None else summary["covered"])
    functions = f" ({summary['value_functions']})" if summary["value_functions"] else ""
    said = [
        f"{spec.criterion.upper()}{functions} on {spec.network}, data {spec.data}: {covered.counts} test conditions"
        f" have a replayable witness ({covered.percent})",
        _of_feasible(covered, summary["proved_infeasible"]),
        sampling(spec, covered.total, summary["available"]),
        f"{distinct(summary['distinct_pairs'])} Below, the witness of each condition counts." if spec.reuse else "",
        f"search: {summary['search']}",
        f"adversarial test pairs ({adversarial_means(spec)}): {adversarial.display()}",
        _baselines(summary["control"]),
        at_8_bits(holding),
    ]
    return [
        *filter(None, said),
        *_counts(summary),
        *_layers(summary["layers"], spec),
        *_programmes(summary["programmes"]),
    ]


def _of_feasible(covered: Ratio, proved: int) -> str:
    """Coverage of what is not proved infeasible; empty where nothing is."""
    rest = Ratio(covered.n, covered.total - proved)
    return f"of those not proved infeasible: {rest.display()}; proved infeasible: {proved:,}" if proved else ""


def _baselines(counts: Mapping[str, int] | None) -> str:
    if counts is None:
        return ""
    return baselines(*(Ratio(counts[name], counts["pairs"]) for name in ("adversarial", "random", "ascent")))


def _counts(summary: Mapping[str, Any]) -> list[str]:
    """How test conditions ended, what they count as, and what it took."""
    outcomes = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in summary["outcomes"].items())
    seeds, left_out = (number(summary[name], ",") for name in ("seeds", "seeds_left_out"))
    return [
        f"outcomes: {outcomes}",
        f"covered: {summary['covered']:,}, justified: {summary['justified']:,},"
        f" proved infeasible: {summary['proved_infeasible']:,}, open: {summary['open']:,}",
        f"seeds: {seeds}, left out as misclassified: {left_out}; attempts: {summary['attempts']:,};"
        f" state: {summary['state']}; {summary['seconds']:.0f} s",
    ]


def _layers(layers: Sequence[Mapping[str, Any]], spec: CampaignSpec) -> list[str]:
    return [
        "",
        f"distances: {NORM_NAMES[spec.norm]}, mean and standard deviation over the test pairs of a layer pair",
        f"{'layers':>8} {'covered':>18} {'available':>13} {'adversarial':>12} {'mean distance':>14} {'deviation':>10}",
        *map(_layer, layers),
    ]


def _layer(layer: Mapping[str, Any]) -> str:
    distances = (layer["mean_distance"], layer["std_distance"])
    mean, std = (NOTHING if value is None else written(value) for value in distances)
    layers = f"{layer['condition_layer']} to {layer['decision_layer']}"
    covered = f"{layer['covered']} of {layer['pairs']}"
    return f"{layers:>8} {covered:>18} {layer['available']:>13,} {layer['adversarial']:>12} {mean:>14} {std:>10}"


def _programmes(programmes: Sequence[Mapping[str, Any]]) -> list[str]:
    """What linear programmes cost; nothing where none was solved."""
    if not programmes:
        return []
    return [
        "",
        "linear programmes, beside the size of the paper's formulation for two neurons; seconds and iterations: means",
        f"{'layers':>8} {'LP calls':>9} {'variables':>9} {'constraints, mean':>17} {'most':>6} {'seconds':>8}"
        f" {'iterations':>10} {'variables (paper)':>17} {'constraints (paper)':>19}",
        *map(_programme, programmes),
    ]


def _programme(costs: Mapping[str, Any]) -> str:
    layers = f"{costs['condition_layer']} to {costs['decision_layer']}"
    return (
        f"{layers:>8} {number(costs['calls'], ','):>9} {costs['variables']:>9,} {costs['constraints_mean']:>17,.1f}"
        f" {costs['constraints_max']:>6,} {number(costs['seconds_mean'], '.4f'):>8}"
        f" {number(costs['iterations_mean'], ',.1f'):>10} {number(costs['reference_variables'], ','):>17}"
        f" {number(costs['reference_constraints'], ','):>19}"
    )


COMMAND = Command("print a campaign's numbers", _act, FILE, JSON)
