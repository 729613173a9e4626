"""What makes a pair adversarial, and what baseline searches find, in sentences."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.phrases.adversarial import (
    FEW,
    adversarial_means,
    baseline_searches,
    baseline_searches_in_brief,
    why_so_few,
    wrong,
)
from dnncov_core.phrases.pairs import class_name, outputs_moved, told_apart, why_not_adversarial
from dnncov_core.ratios import Ratio
from dnncov_core.records import Quantity, Target
from tests.builders import card as card_of
from tests.builders import made_pair

SPEC = CampaignSpec("toy", "toy")


@pytest.mark.parametrize(("norm", "name"), [("inf", "L∞"), ("2", "L2"), ("1", "L1")])
def test_the_bound_is_told_with_its_norm(norm: str, name: str) -> None:
    spec = dataclasses.replace(SPEC, norm=norm, bound=0.25)  # type: ignore[arg-type]
    assert adversarial_means(spec) == f"another label, {name} distance at most b = 0.25"


def test_baseline_searches_stand_beside_the_search() -> None:
    assert baseline_searches(Ratio(2, 8), Ratio(0, 8), Ratio(4, 8)) == (
        "Of 8 test pairs that were compared, 25.0 % are adversarial. Baseline searches from their seeds, with the same"
        " radius and passes, found an adversarial x2 for 0 % (random perturbations) and for 50.0 % (gradient ascent)."
    )
    assert baseline_searches(Ratio(1, 1), Ratio(0, 1), Ratio(1, 1)).startswith(
        "Of 1 test pair that was compared, 100 % are"
    )


def test_without_baseline_searches_nothing_is_said() -> None:
    assert baseline_searches(Ratio(0, 0), Ratio(0, 0), Ratio(0, 0)) == ""
    assert baseline_searches_in_brief(Ratio(0, 0), Ratio(0, 0)) == ""


def test_few_adversarial_pairs_are_explained_by_the_order_of_seeds_alone() -> None:
    assert "seeds in random order" in why_so_few(SPEC, FEW - 1)
    assert why_so_few(SPEC, FEW) == ""
    assert why_so_few(dataclasses.replace(SPEC, seed_order="random"), 0) == ""


def test_a_regression_is_told_in_its_own_words() -> None:
    card = dataclasses.replace(card_of(), quantities=(Quantity("cross-track error", "m", 0.5),))
    words = "an output moves by more than its tolerance (cross-track error 0.5 m), no bound on the distance"
    assert adversarial_means(SPEC, card) == words
    assert wrong(card) == "outside the tolerance"
    pair = made_pair(Target(0, 2, (0,), 3, (0,)), adversarial=False)
    assert told_apart(card, pair)[1] == f"outputs {class_name(card, pair.label2)}"
    moved = dataclasses.replace(pair, outputs=np.array([[1.0], [0.25]]))
    assert outputs_moved(card, moved) == "cross-track error −0.75\N{NO-BREAK SPACE}m"
    assert [why_not_adversarial(each, pair) for each in (card, card_of())] == ["Within tolerance", "Label kept"]
