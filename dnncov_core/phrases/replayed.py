"""What became of a campaign's test pairs on another network, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.review.replayed import Replayed, ReplayedCondition
from dnncov_core.phrases.pairs import class_name
from dnncov_core.ratios import Ratio
from dnncov_core.records import NetworkCard


def replayed_words(own: Ratio, covered_there: Ratio, counts: Mapping[str, int]) -> tuple[str, str]:
    """How many test conditions are covered there, lost and gained; and how many labels and verdicts are others there.

    >>> counts = {"lost": 3, "gained": 1, "pending": 0, "apart": 0, "x1": 0, "x2": 2}
    >>> for words in replayed_words(Ratio(5, 9), Ratio(7, 20), counts | {"adversarial": 3, "became": 2, "ceased": 1}):
    ...     print(words)
    Covered there by their own test pair: 5 of 9 test conditions; by any test pair: 7 of 20; lost: 3; gained: 1.
    Judged otherwise there: x1 of 0 of 9 test pairs, x2 of 2; adversarial: 3 in the campaign, 4 there (2 became it).
    """
    n = {name: f"{number:,}" for name, number in counts.items()}
    apart = f"; of layers that are not there: {n['apart']}" if counts["apart"] else ""
    pending = f" ({n['pending']} not tried in the campaign)" if counts["pending"] else ""
    there = counts["adversarial"] + counts["became"] - counts["ceased"]
    return (
        f"Covered there by their own test pair: {own.counts} test conditions; by any test pair: {covered_there.counts};"
        f" lost: {n['lost']}; gained: {n['gained']}{pending}{apart}.",
        f"Judged otherwise there: x1 of {n['x1']} of {own.total:,} test pairs, x2 of {n['x2']}; adversarial:"
        f" {n['adversarial']} in the campaign, {there:,} there ({n['became']} became it).",
    )


def change_words(condition: ReplayedCondition, card: NetworkCard) -> str:
    """What is otherwise there with a test condition and its test pair; empty if nothing is, and without a test pair."""
    said = []
    if condition.own is False:
        said.append("only another test pair covers its condition" if condition.covered else "its condition is lost")
    for x, here, there in zip(("x1", "x2"), condition.labels, condition.labels_there, strict=False):
        if here != there:
            said.append(f"{x} is {class_name(card, there)} instead of {class_name(card, here)}")
    if condition.adversarial != condition.adversarial_there:
        said.append("became adversarial" if condition.adversarial_there else "ceased to be adversarial")
    return "; ".join(said)


def layer_words(replayed: Replayed) -> str:
    """Which layers there have another number than the campaign's that they stand for, and which have none."""
    said = []
    for layer, there in replayed.layers:
        if there is None:
            said.append(f"No layer there stands for layer {layer.index} ({layer.name}).")
        elif there.index != layer.index:
            said.append(f"Layer {there.index} ({there.name}) there stands for layer {layer.index} ({layer.name}).")
    return " ".join(said)
