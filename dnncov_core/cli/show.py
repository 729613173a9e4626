"""``dnncov show``: a campaign's numbers, as JSON or as text; other subcommands end with them."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.gaps import open_lines
from dnncov_core.cli.gate import CAMPAIGN_GATE, NOTHING_ASKED, demands_of, judged, status_of, with_verdicts
from dnncov_core.cli.options import FILE, JSON, subcommand
from dnncov_core.data.own_decisions import own_decisions
from dnncov_core.distances import NORM_NAMES
from dnncov_core.gate.coverage import of_campaign
from dnncov_core.gate.demands import Demands
from dnncov_core.phrases.adversarial import adversarial_means, baseline_searches, without_labels, wrong
from dnncov_core.phrases.conditions import refuted_words
from dnncov_core.phrases.coverage import at_8_bits, distinct, eligible, estimated, sampling
from dnncov_core.phrases.effect import EFFECT_MEANS, as_asked, with_effect
from dnncov_core.phrases.inputs import searched_range
from dnncov_core.phrases.numbers import agreeing, out_of
from dnncov_core.phrases.origins import come_from
from dnncov_core.phrases.states import failure, of_a_shard
from dnncov_core.phrases.together import searched_together
from dnncov_core.programme_costs import ProgrammeRow, programme_table
from dnncov_core.ratios import number
from dnncov_core.records import EffectCounts, LayerCounts
from dnncov_core.statistics.adversarial import BaselineRow, adversarial_table, baselines_by_layer
from dnncov_core.statistics.coverage import CoverageRow, counts_by_layer, coverage_table, knows_8_bits
from dnncov_core.statistics.distances import distance_table, shown
from dnncov_core.statistics.gaps import gap_table
from dnncov_core.statistics.outputs import OutputRow, output_table
from dnncov_core.statistics.settings import search_in_words
from dnncov_core.statistics.suite_and_tests import SuiteAndTests, suite_and_tests


@subcommand(FILE, JSON, *CAMPAIGN_GATE)
def command(options: argparse.Namespace) -> int | None:
    """Print a campaign's numbers."""
    return print_summary(options.file, options.json, demands_on(options.file, options))


def demands_on(path: Path, options: argparse.Namespace) -> Demands:
    """What the options ask of the campaign in a file; see `demands_of`."""
    with CampaignStore(path) as store:
        return demands_of(options, [store.spec().criterion])


def print_summary(path: Path, as_json: bool, demands: Demands = NOTHING_ASKED) -> int | None:
    """Prints the numbers of the campaign in a file; returns the exit status that is asked for."""
    with CampaignStore(path) as store, store.at_one_moment():
        verdicts = judged(demands, partial(of_campaign, store), partial(open_lines, store))
        if as_json:
            print(json.dumps(with_verdicts(campaign_summary(store), verdicts), indent=2))
        else:
            print("\n".join(summary_lines(store)))
    return status_of(verdicts)


def campaign_summary(store: CampaignStore) -> dict[str, Any]:
    """A campaign in numbers, as `dnncov show --json` prints it. Shares are fractions, null where nothing was counted.

    ``shard`` is "1/1" where all test conditions are searched for in this file.
    ``searched_together`` is how many test conditions are searched for together, at the most; 1 is one at a time.
    ``coverage`` is covered / pairs, ``coverage_of_rest`` covered / (pairs - proved infeasible). Distances are in the
    campaign's norm; ``seeds`` counts the seeds, ``seeds_left_out`` the inputs misclassified;
    ``covered``, ``justified``, ``proved_infeasible`` and ``open`` add up to ``pairs``: what is covered is nothing
    else, what is proved and justified is proved, and what is open is none of these.
    ``refuted`` has the ordinals of covered test conditions that somebody had justified, and of the test pairs that
    refute this.
    ``outputs`` has, of a regression, the fields of `OutputRow` for each output; it is empty for classes.
    ``programmes`` has the fields of `ProgrammeRow`, means of seconds and iterations being those of one call.
    ``distinct_pairs`` counts the different test pairs; with reuse one covers several test conditions, and all other
    numbers count each of these. ``adversarial_seeds`` counts the different seeds of the adversarial pairs.
    ``control`` compares a sample of the test pairs with baseline searches from the same seeds, with the same radius
    and passes: how many ``pairs`` it has, how many of these are ``adversarial``, and of how many seeds ``random``
    perturbations and gradient ``ascent`` find an adversarial x2; null where there is none.
    ``with_effect`` counts the witnesses whose condition's change is ``needed``, ``sufficient`` or ``both``, those that
    still hold and show this when x2 is rounded to 8 bits (``needed_8bit`` and so on), and those of which all this is
    ``unknown``. ``covered`` is the one of these counts that the campaign is about, that of its ``effect``; null while
    some are unknown. ``mean_share`` is the mean share of the decision's change that the condition carries.
    """
    spec, card, seeds, progress = store.spec(), store.card(), store.prepared.seeds(), store.counts.progress()
    layers = counts_by_layer(store)
    coverage, gaps = coverage_table(store), gap_table(store).total
    grid = knows_8_bits(card, layers)
    total, adversarial = coverage.total, adversarial_table(store).total
    return {
        "state": store.state().value,
        "message": store.worker.message(),
        "shard": str(store.prepared.shard()),
        "criterion": spec.criterion,
        "network": spec.network,
        "search": search_in_words(spec),
        "searched_together": store.prepared.batch(),
        "value_functions": spec.covering_method().functions,
        "available": total.available,
        "pairs": total.covered.total,
        "covered": total.covered.n,
        "distinct_pairs": store.pairs.count_distinct(),
        "coverage": total.covered.value,
        "coverage_of_rest": total.feasible.value,
        "justified": gaps.justified,
        "refuted": [condition.target.ordinal for condition in store.conditions.refuted()],
        "proved_infeasible": gaps.proved_infeasible,
        "open": gaps.open,
        "adversarial": adversarial.of_pairs.n,
        "adversarial_rate": adversarial.of_pairs.value,
        "adversarial_seeds": adversarial.seeds,
        "control": _baselines_json(baselines_by_layer(store).total),
        "holds_8bit": total.holds_8bit.n if grid else None,
        "with_effect": _effects_json(total.effects, coverage.effect, grid=grid),
        "outcomes": {outcome.value: n for outcome, n in total.outcomes},
        "layers": [
            _layer_json(counts, row.available, coverage.effect, grid=grid)
            for counts, row in zip(layers, coverage.rows, strict=True)
        ],
        "outputs": [dataclasses.asdict(row) for row in output_table(store)],
        "programmes": [dataclasses.asdict(row) for row in programme_table(store)],
        "attempts": progress.attempts,
        "seeds": None if seeds is None else len(seeds.rows),
        "seeds_left_out": None if seeds is None else seeds.misclassified,
        "suite": _suite_json(suite_and_tests(spec, total)),
        "seconds": progress.seconds,
        "device": store.worker.device(),
        "spec": {
            **dataclasses.asdict(spec),
            "network_fingerprint": None if card is None else card.fingerprint,
            "data_fingerprint": store.prepared.data_fingerprint(),
            "origins": store.prepared.origins(),
        },
        "versions": store.versions(),
    }


def _baselines_json(row: BaselineRow) -> dict[str, int] | None:
    if not row.searched.total:
        return None
    counts = {"adversarial": row.searched.n, "random": row.random.n, "ascent": row.ascent.n}
    return {"pairs": row.searched.total, **counts}


def _suite_json(both: SuiteAndTests | None) -> dict[str, Any] | None:
    if both is None:
        return None
    counts = {"total": both.together.total, "covered": both.suite.n, "together": both.together.n}
    return {"name": both.gaps.suite, **counts, "interval": both.interval}


def _effects_json(effects: EffectCounts, effect: str, *, grid: bool) -> dict[str, Any]:
    return {
        "effect": effect,
        "covered": None if effects.unknown else getattr(effects, effect),
        **{name: getattr(effects, name) for name in EFFECT_MEANS},
        **{f"{name}_8bit": getattr(effects, f"{name}_8bit") if grid else None for name in EFFECT_MEANS},
        "unknown": effects.unknown,
        "mean_share": effects.mean_share,
    }


def _layer_json(counts: LayerCounts, available: int, effect: str, *, grid: bool) -> dict[str, Any]:
    return {
        "condition_layer": counts.condition_layer,
        "decision_layer": counts.decision_layer,
        "available": available,
        "pairs": counts.pairs,
        "covered": counts.found,
        "proved_infeasible": counts.proved_infeasible,
        "adversarial": counts.adversarial,
        "holds_8bit": counts.holds_8bit if grid else None,
        "with_effect": _effects_json(counts.effects, effect, grid=grid),
        "mean_distance": counts.mean_distance,
        "std_distance": counts.std_distance,
    }


def summary_lines(store: CampaignStore) -> list[str]:
    """A campaign's summary for people."""
    spec, table, proved = store.spec(), coverage_table(store), gap_table(store).total.proved_infeasible
    adversarial, beside = adversarial_table(store).total, baselines_by_layer(store).total
    both = suite_and_tests(spec, table.total)
    total, functions = table.total, spec.covering_method().functions
    witnessed = f"{agreeing(total.covered.n, 'has', 'have')} a replayable witness{as_asked(spec.effect)}"
    said = [
        f"{spec.criterion.upper()}{f' ({functions})' if functions else ''} on {spec.network}, data {spec.data}:"
        f" {out_of(total.covered, 'test condition')} {witnessed} ({total.covered.percent})",
        estimated(eligible(spec, total.available), total.estimate),
        f"of those not proved infeasible: {total.feasible.display()}; proved infeasible: {proved:,}" if proved else "",
        sampling(spec, total.covered.total, total.available),
        "" if both is None else both.words,
        f"{distinct(store.pairs.count_distinct())} Below, the witness of each condition counts." if spec.reuse else "",
        *(f"{what[0].lower()}{what[1:]}: {words}" for what, words in come_from(store.prepared.origins()).items()),
        f"search: {search_in_words(spec)}",
        f"searched together: {together}" if (together := searched_together(store)) else "",
        searched_range(store.card()),
        f"adversarial test pairs ({adversarial_means(spec, store.card())}): {adversarial.words}",
        without_labels(store.card()),
        baseline_searches(beside.searched, beside.random, beside.ascent),
        at_8_bits(total.holds_8bit, total.with_effect_8bit),
        with_effect(total.with_effect, total.effects, table.effect),
        refuted_words(store.conditions.refuted()),
        of_a_shard(store.prepared.shard()),
        failure(store.state(), store.worker.message()),
    ]
    return [
        *filter(None, said),
        *_counts(store, total),
        *_layers(store, table.effect),
        *_outputs(output_table(store)),
        *_programmes(programme_table(store)),
    ]


def _counts(store: CampaignStore, total: CoverageRow) -> list[str]:
    """How test conditions ended, what they count as, and what it took."""
    progress, report, gaps = store.counts.progress(), store.prepared.seeds(), gap_table(store).total
    refuted = len(store.conditions.refuted())
    seeds, left_out = (None, None) if report is None else (len(report.rows), report.misclassified)
    outcomes = ", ".join(f"{n} {outcome.value.replace('_', ' ')}" for outcome, n in total.outcomes)
    return [
        f"outcomes: {outcomes}",
        f"covered: {total.covered.n:,}, justified: {gaps.justified:,}{f' ({refuted:,} more refuted)' * bool(refuted)},"
        f" proved infeasible: {gaps.proved_infeasible:,}, open: {gaps.open:,}",
        *_effects(total.effects),
        f"seeds: {number(seeds, ',')}, left out as {wrong(store.card())}: {number(left_out, ',')};"
        f" attempts: {progress.attempts:,}; state: {store.state().value}; {progress.seconds:.0f} s",
        *filter(None, [own_decisions(store.spec().data)]),
    ]


def _effects(effects: EffectCounts) -> list[str]:
    """How many witnesses show which effect, and how much of the change; nothing while that is not known of some."""
    if effects.unknown:
        return []
    shown = f"needed: {effects.needed:,}, sufficient: {effects.sufficient:,}, both: {effects.both:,}"
    share = effects.mean_share
    carried = "" if share is None else f"; mean share of the decision's change that it carries: {100 * share:.1f} %"
    return [f"witnesses whose condition's change is {shown}{carried}"]


_LAYER = "{:>8} {:>18} {:>13} {:>13} {:>12} {:>28}".format
_PROGRAMME = "{:>8} {:>9} {:>9} {:>17} {:>6} {:>8} {:>10} {:>17} {:>19}".format


def _layers(store: CampaignStore, effect: str) -> Iterator[str]:
    yield ""
    norm = NORM_NAMES[store.spec().norm]
    table = distance_table(store)
    said = shown(table.spreads)
    yield f"distances: {norm}, {said.legend} over the test pairs of a layer pair"
    yield _LAYER("layers", "covered", "with effect", "available", "adversarial", said.head)
    available = store.available()
    for counts, row in zip(counts_by_layer(store), table.rows, strict=True):
        covered, choice = f"{counts.found} of {counts.pairs}", f"{available.get(counts.edge, counts.pairs):,}"
        effects = "not known" if counts.effects.unknown else f"{getattr(counts.effects, effect):,}"
        layers = "{} to {}".format(*counts.edge)
        yield _LAYER(layers, covered, effects, choice, counts.adversarial, row.pairs.words)


def _outputs(rows: Sequence[OutputRow]) -> Iterator[str]:
    """By how much outputs of a regression moved; nothing for classes."""
    if rows:
        yield ""
        yield "outputs: how far they move from x1 to x2 of the test pairs, up or down"
        for name, median, most, tolerance, beyond in (row.cells for row in rows):
            yield f"{name}: median {median}, most {most}; beyond the tolerance {tolerance}: {beyond}"


def _programmes(programmes: Sequence[ProgrammeRow]) -> Iterator[str]:
    """What linear programmes cost; nothing where none was solved."""
    if programmes:
        yield ""
        beside = "the size of the paper's formulation for two neurons; seconds and iterations: means"
        yield f"linear programmes, beside {beside}"
        heads = ("LP calls", "variables", "constraints, mean", "most", "seconds", "iterations")
        yield _PROGRAMME("layers", *heads, "variables (paper)", "constraints (paper)")
    for costs in programmes:
        yield _PROGRAMME(
            "{} to {}".format(*costs.edge),
            number(costs.calls, ","),
            f"{costs.variables:,}",
            f"{costs.constraints_mean:,.1f}",
            f"{costs.constraints_max:,}",
            number(costs.seconds_mean, ".4f"),
            number(costs.iterations_mean, ",.1f"),
            number(costs.reference_variables, ","),
            number(costs.reference_constraints, ","),
        )
