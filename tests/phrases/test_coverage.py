"""How a sample of feature pairs is told: by every way to draw it, with top weights and layers, and where it is none."""

from __future__ import annotations

import dataclasses

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.features import SAMPLINGS
from dnncov_core.phrases.coverage import SAMPLED_AS, at_8_bits, have_witness, is_sample, planned, sample, sampling
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.settings import settings_in_words

SPEC = CampaignSpec("toy", "toy", pairs=200, random_seed=7)
STRONGEST = "among the 10 strongest connections into each decision neuron"


def test_every_way_to_draw_has_its_words() -> None:
    assert SAMPLED_AS.keys() == SAMPLINGS.keys()
    assert len(set(SAMPLED_AS.values())) == len(SAMPLED_AS)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "a random sample of 200 of 3,490 feature pairs (random seed 7)"),
        (
            {"sampling": "even"},
            "a stratified sample of 200 of 3,490 feature pairs, drawn at random within each layer pair (random seed 7)",
        ),
        ({"top_weights": 10}, f"a random sample of 200 of 3,490 feature pairs {STRONGEST} (random seed 7)"),
        (
            {"top_weights": 10, "sampling": "even"},
            f"a stratified sample of 200 of 3,490 feature pairs {STRONGEST}, drawn at random within each layer pair"
            " (random seed 7)",
        ),
        ({"layers": (3,)}, "a random sample of 200 of 3,490 feature pairs of decision layer 3 (random seed 7)"),
    ],
)
def test_a_sample_says_how_it_was_drawn(fields: dict[str, object], said: str) -> None:
    spec = dataclasses.replace(SPEC, **fields)  # type: ignore[arg-type]
    assert sample(spec, 200, 3490) == said
    assert sampling(spec, 200, 3490) == f"The test conditions are {said}."


@pytest.mark.parametrize("name", SAMPLINGS)
@pytest.mark.parametrize("pairs", [None, 5000])
def test_all_pairs_are_no_sample_however_they_were_drawn(name: str, pairs: int | None) -> None:
    spec = dataclasses.replace(SPEC, pairs=pairs, sampling=name)
    assert not is_sample(3490, 3490)
    assert sample(spec, 3490, 3490) == "all 3,490 feature pairs"
    weights = dataclasses.replace(spec, top_weights=10)
    assert sample(weights, 900, 900) == f"all 900 feature pairs {STRONGEST}"


def test_one_is_not_many() -> None:
    one = dataclasses.replace(SPEC, pairs=1, max_seeds=1)
    assert planned(one, 1, 3490) == "1 sampled test condition (of 3,490)"
    assert planned(one, 1, 1) == "all 1 test condition"
    assert have_witness(Ratio(1, 1), 62) == "1 of 1 sampled condition (of 62) has a replayable witness."
    assert have_witness(Ratio(1, 8), 8) == "1 of 8 test conditions has a replayable witness."
    assert at_8_bits(Ratio(1, 6)) == "1 of 6 witnesses (16.7 %) still holds after x2 is rounded to 8 bits."
    assert at_8_bits(Ratio(0, 1)) == "0 of 1 witness (0 %) still hold after x2 is rounded to 8 bits."
    assert settings_in_words(one, ["pairs", "max_seeds"]) == "1 pair, at most 1 seed"
