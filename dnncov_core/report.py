"""Numbers as lines of text, for the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.networks.pretrained import PRETRAINED, whereabouts
from dnncov_core.phrases.adversarial import adversarial_means, baselines
from dnncov_core.phrases.coverage import at_8_bits, distinct
from dnncov_core.phrases.proofs import constant_neurons, infeasible_conditions
from dnncov_core.phrases.samples import sample
from dnncov_core.ratios import NOTHING, Ratio, number
from dnncov_core.records import NetworkCard
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, measured
from dnncov_core.suites.remarks import classified, no_pairs

if TYPE_CHECKING:
    from dnncov_core.campaign.file.certificates import ProofCounts
    from dnncov_core.campaign.review.verification import Verification
    from dnncov_core.campaign.spec import CampaignSpec
    from dnncov_core.suites.spec import MeasurementSpec


def network_lines(cards: Mapping[str, NetworkCard | None]) -> list[str]:
    """One line a network: name, data, neurons a layer, parameters, accuracy, and where weights are that may be away."""
    lines = [f"{'network':<14} {'data':<14} {'neurons, layers 1 to K':<30} {'parameters':>11}  accuracy"]
    for name, card in cards.items():
        if card is None:
            lines.append(f"{name:<14} registered; loaded when it is run")
            continue
        accuracy = "" if card.accuracy is None else f"{card.accuracy:.2%} of {card.accuracy_on}"
        known = f"{name:<14} {card.dataset:<14} {_neurons(card):<30} {card.parameters:>11,}  {accuracy}".rstrip()
        lines.append(f"{known}; {whereabouts(name)}" if name in PRETRAINED else known)
    return lines


def _neurons(card: NetworkCard) -> str:
    """Neurons of each layer, or what they come to where there are many layers."""
    each = "-".join(str(layer.neurons) for layer in card.layers)
    hidden = card.layers[1:-1]
    return each if len(each) <= 30 else f"{sum(layer.neurons for layer in hidden):,} in {len(hidden)} hidden layers"


def summary_lines(summary: Mapping[str, Any], spec: CampaignSpec) -> list[str]:
    """A campaign's summary for people.

    Args:
        summary: as `campaign_summary` gives it.
        spec: what the campaign was asked.
    """
    covered = Ratio(summary["covered"], summary["pairs"])
    adversarial = Ratio(summary["adversarial"], summary["covered"])
    outcomes = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in summary["outcomes"].items())
    lines = [
        f"{_criterion(summary)} on {spec.network}, data {spec.data}: {covered.counts} test conditions have a replayable"
        f" witness ({covered.percent})",
        *_rest_lines(covered, summary["outcomes"]["proved_infeasible"]),
        f"test conditions: {sample(spec, covered.total, summary['available'])}",
        *_reuse_lines(spec, summary["distinct_pairs"]),
        summary["search"],
        f"adversarial test pairs ({adversarial_means(spec)}): {adversarial.display()}",
        *_baseline_lines(summary["control"]),
    ]
    if summary["holds_8bit"] is not None and covered.n:
        lines.append(at_8_bits(Ratio(summary["holds_8bit"], covered.n)))
    lines += [
        f"outcomes: {outcomes}",
        f"covered: {summary['covered']:,}, justified: {summary['justified']:,},"
        f" proved infeasible: {summary['proved_infeasible']:,}, open: {summary['open']:,}",
        f"seeds: {_count(summary['seeds'])}, left out as misclassified: {_count(summary['seeds_left_out'])};"
        f" attempts: {summary['attempts']:,}; state: {summary['state']}; {summary['seconds']:.0f} s",
        "",
        f"distances: {NORM_NAMES[spec.norm]}, mean and standard deviation over the test pairs of a layer pair",
        f"{'layers':>8} {'covered':>18} {'available':>13} {'adversarial':>12} {'mean distance':>14} {'deviation':>10}",
    ]
    return lines + [_layer_line(layer) for layer in summary["layers"]] + _programme_lines(summary["programmes"])


def _rest_lines(covered: Ratio, proved: int) -> list[str]:
    """Coverage of what is not proved infeasible; nothing where nothing is."""
    rest = Ratio(covered.n, covered.total - proved)
    return [f"of those not proved infeasible: {rest.display()}; proved infeasible: {proved:,}"] if proved else []


def _reuse_lines(spec: CampaignSpec, n: int) -> list[str]:
    return [f"{distinct(n)} Below, the witness of each condition counts."] if spec.reuse else []


def _baseline_lines(control: Mapping[str, int] | None) -> list[str]:
    if control is None:
        return []
    return [baselines(*(Ratio(control[name], control["pairs"]) for name in ("adversarial", "random", "ascent")))]


def _count(n: int | None) -> str:
    return number(n, ",")


def _layer_line(layer: Mapping[str, Any]) -> str:
    distances = (layer["mean_distance"], layer["std_distance"])
    mean, std = (NOTHING if value is None else written(value) for value in distances)
    layers = f"{layer['condition_layer']} to {layer['decision_layer']}"
    covered = f"{layer['covered']} of {layer['pairs']}"
    return f"{layers:>8} {covered:>18} {layer['available']:>13,} {layer['adversarial']:>12} {mean:>14} {std:>10}"


def _programme_lines(programmes: Sequence[Mapping[str, Any]]) -> list[str]:
    """What linear programmes cost; nothing where none was solved."""
    if not programmes:
        return []
    return [
        "",
        "linear programmes, beside the size of the paper's formulation for two neurons; seconds and iterations: means",
        f"{'layers':>8} {'LP calls':>9} {'variables':>9} {'constraints, mean':>17} {'most':>6} {'seconds':>8}"
        f" {'iterations':>10} {'variables (paper)':>17} {'constraints (paper)':>19}",
        *map(_programme_line, programmes),
    ]


def _programme_line(costs: Mapping[str, Any]) -> str:
    layers = f"{costs['condition_layer']} to {costs['decision_layer']}"
    return (
        f"{layers:>8} {number(costs['calls'], ','):>9} {costs['variables']:>9,} {costs['constraints_mean']:>17,.1f}"
        f" {costs['constraints_max']:>6,} {number(costs['seconds_mean'], '.4f'):>8}"
        f" {number(costs['iterations_mean'], ',.1f'):>10} {number(costs['reference_variables'], ','):>17}"
        f" {number(costs['reference_constraints'], ','):>19}"
    )


def _criterion(summary: Mapping[str, Any]) -> str:
    criterion, functions = str(summary["criterion"]).upper(), summary["value_functions"]
    return criterion + (f" ({functions})" if functions else "")


def measurement_lines(summary: Mapping[str, Any], spec: MeasurementSpec) -> list[str]:
    """A measurement's summary for people.

    Args:
        summary: as `measurement_summary` gives it.
        spec: what was asked, files by their names alone.
    """
    inputs, wrong = summary["suite"]["inputs"], summary["suite"]["misclassified"]
    reference = "" if spec.reference is None else f", reference data {spec.reference}"
    lines = [
        f"{spec.suite}, {inputs:,} inputs ({classified(wrong)}), on {spec.network}{reference};"
        f" {summary['seconds']:.1f} s",
        "",
        f"{'criterion':<20} {'layers':>8} {'covered':>22}  coverage",
    ]
    found = measured(summary["criteria"])
    for each in found:
        lines.append(_coverage_line(each.text, "all", each))
        lines += [_coverage_line("", _layers(row), row) for row in each.rows]
    lines += [_bound_line(each, bound) for each in found for bound in each.bounds]
    return lines + no_pairs(inputs, found, spec.feature_mode)


def _coverage_line(name: str, layers: str, found: MeasuredCriterion | MeasuredLayer) -> str:
    if found.ratio is None:
        return f"{name:<20} {layers:>8} {found.covered:>22,}  sign patterns, of a number that is not known"
    return f"{name:<20} {layers:>8} {found.ratio.counts:>22}  {found.percent}"


def _bound_line(found: MeasuredCriterion, bound: str) -> str:
    layers = ", ".join(_layers(row) for row in found.rows if row.is_bound and row.bound == bound)
    return f"{found.text}, layers {layers}: a lower bound, {bound}"


def _layers(row: MeasuredLayer) -> str:
    return str(row.layer) if row.condition_layer is None else f"{row.condition_layer} to {row.layer}"


def verification_lines(found: Verification) -> list[str]:
    """What a replay found, with each pair that does not hold."""
    lines = [
        f"{found.holding} of {found.pairs} stored test pairs hold when replayed",
        f"{found.near_zero} of them rely on a sign whose |u| is under 1e-5",
    ]
    return lines + [f"pair {ordinal}: {reason}" for ordinal, reason in found.failing.items()]


def proof_lines(proved: ProofCounts) -> list[str]:
    """What is proved of a campaign, with covered of all test conditions and of those that are left."""
    covered, rest = (
        Ratio(proved.covered, proved.pairs),
        Ratio(proved.covered, proved.pairs - proved.conditions_infeasible),
    )
    return [
        constant_neurons(proved),
        infeasible_conditions(proved),
        f"covered: {covered.display()}; of those not proved infeasible: {rest.display()}; {proved.seconds:.1f} s",
    ]
