"""How many test conditions are searched for together, and the reason wherever it could be more."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.batch import BATCHES, Limit, batch_of, limit_of
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePairs
from dnncov_core.generators import GENERATORS, GRIDS
from dnncov_core.generators.base import MOST_TOGETHER
from dnncov_core.phrases.together import WHY, searched_together
from dnncov_core.records import NetworkCard, SeedReport
from tests.builders import card, search
from tests.networks_for_tests import piecewise

MANY = BATCHES * MOST_TOGETHER
SMALL, LARGE = card(hidden=(MANY // 3, 4)), card(hidden=(6000, 4))
ASKED: dict[str, tuple[dict[str, object], NetworkCard, int]] = {
    "up to 32 test conditions of the same layers": ({}, SMALL, MANY),
    "up to 31 test conditions of the same layers, since larger groups would leave processes without work": (
        {}, SMALL, MANY - 1,
    ),
    "one at a time, since larger groups would leave processes without work": ({}, SMALL, 2 * BATCHES - 1),
    "one at a time, since with reuse, a test pair may cover those that follow": ({"reuse": True}, SMALL, MANY),
    "one at a time, since the solver for x2 on a grid takes one at a time": ({"grid": "8bit"}, SMALL, MANY),
    "one at a time, since each is written as a programme of its own": ({"generator": "lp-reference"}, SMALL, MANY),
    "up to 9 test conditions of the same layers, since the values of more would not fit in a processor's cache": (
        {}, LARGE, MANY,
    ),
    "up to 40 test conditions of the same layers": ({"generator": "targeted"}, SMALL, MANY),
}  # fmt: skip


@pytest.mark.parametrize("words", ASKED)
def test_each_reason_has_its_words(tmp_path: Path, words: str) -> None:
    asked, network, n = ASKED[words]
    spec = CampaignSpec(**{"network": "mnist-n1", "data": "mnist", "generator": "lp"} | asked)  # type: ignore[arg-type]
    most = 40 if spec.by_gradients else GENERATORS[spec.generator].programmes_together(network.layers, GRIDS[spec.grid])
    pairs, seeds = FeaturePairs(network.layers, network.edges), SeedReport(np.arange(4), 4, 0)
    with CampaignStore.create(tmp_path / "a.dnncov", spec, {}) as store:
        assert searched_together(store) == ""
        targets = [pairs[ordinal].target(ordinal) for ordinal in range(n)]
        store.prepare(spec, network, "d" * 64, seeds, targets, batch=batch_of(spec, most, n))
        assert searched_together(store) == words


def test_every_limit_is_among_them() -> None:
    assert set(WHY) == set(Limit)
    assert all(any(why in words for words in ASKED) for why in WHY.values())


@pytest.mark.parametrize("generator", ["lp", "lp-reference"])
def test_a_search_takes_as_many_as_is_said(generator: str) -> None:
    network = piecewise("mlp")
    for grid, reuse, n in itertools.product(GRIDS, (False, True), (1, 2 * BATCHES, MANY)):
        spec = CampaignSpec("toy", "toy", generator=generator, grid=grid, reuse=reuse)
        size = batch_of(spec, search(generator, network, CRITERIA["ss"], grid=GRIDS[grid]).batch, n)
        limit = limit_of(spec, network.layers, n)
        assert (limit is None) == (size == MOST_TOGETHER)
        assert (limit is Limit.FEW) == (generator == "lp" and grid == "none" and not reuse and n < MANY)
        if not limit or limit is Limit.FEW:
            assert size == max(1, n // BATCHES)
        else:
            assert size == 1
