"""Captions of several campaigns: nothing that differs is said of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.several import of_campaigns
from tests.builders import campaign


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"margin": 0.01}, "margin = 0.0001 (1); margin = 0.01 (2)."),
        ({"seeds": 50}, "pool of seeds = every input that the network gets right (1); pool of seeds = 50 (2)."),
        ({"layers": (3,)}, "decision layers = all (1); decision layers = 3 (2);"),
        ({"random_seed": 1}, "random seed = 0 (1); random seed = 1 (2);"),
    ],
)
def test_what_differs_is_said_of_whom_it_is_true(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    specs = (CampaignSpec("mnist-n1", "mnist"), CampaignSpec("mnist-n1", "mnist", **changes))
    stores = {name: campaign(tmp_path / f"{name}.dnncov", spec=spec) for name, spec in zip("ab", specs, strict=True)}
    closing = of_campaigns(stores).closing()
    assert said in closing.partition("They differ in these:")[2]


def test_campaigns_that_ask_the_same_differ_in_nothing(tmp_path: Path) -> None:
    spec = CampaignSpec("mnist-n1", "mnist")
    closing = of_campaigns({name: campaign(tmp_path / f"{name}.dnncov", spec=spec) for name in "ab"}).closing()
    assert "They differ" not in closing
    assert "All have these settings: " in closing


@pytest.mark.parametrize(("n", "data"), [(2, "data d0, d1"), (4, "4 data sets")])
def test_the_second_line_of_figures_names_few_data_and_counts_many(tmp_path: Path, n: int, data: str) -> None:
    specs = [CampaignSpec("mnist-n1", f"d{each}") for each in range(n)]
    stores = {str(n): campaign(tmp_path / f"{n}.dnncov", spec=spec) for n, spec in enumerate(specs)}
    assert of_campaigns(stores).source == f"mnist-n1 · {data} · {n} campaigns"


def test_an_id_is_named_unless_the_name_says_it(tmp_path: Path) -> None:
    stores = {
        name: campaign(tmp_path / f"{id_}.dnncov", spec=CampaignSpec("mnist-n1", "mnist"))
        for name, id_ in (("SS, even over layer pairs", "even"), ("SS, second", "second"))
    }
    closing = of_campaigns(stores).closing()
    assert "(1) SS, even over layer pairs, even, " in closing
    assert "(2) SS, second, 2" in closing
