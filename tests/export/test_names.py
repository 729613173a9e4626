"""Names from outside in exhibits: no tag in a figure, no folder in the name of a file, no link in a caption."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.exhibits import Exhibit, campaign_exhibits, comparison_exhibits, measurement_exhibits
from dnncov_core.export.folder import caption_text
from dnncov_core.records import BaselineSearch
from tests.builders import campaign, card, costly
from tests.suites.made import baseline, covering, measurement, patterns

NAME = "<a href='https://evil.example'>a</a>"
UNSEEN = {"customdata", "template", "offsetgroup", "ids"}
"""What figures hold that nobody reads."""


def made(folder: Path) -> Iterator[Exhibit]:
    """Every kind of figure whose names can come from a file."""
    network = card()
    layers = tuple(dataclasses.replace(layer, name=f"{NAME}{layer.index}") for layer in network.layers)
    network = dataclasses.replace(network, name=NAME, layers=layers)
    asked = (CampaignSpec(NAME, NAME), CampaignSpec(NAME, NAME, top_weights=2))
    free = (CampaignSpec(NAME, NAME, feature_mode="free", omega=omega, generator="targeted") for omega in (0.2, 0.4))
    stores = {
        f"{NAME}{at}": campaign(folder / f"{at}.dnncov", spec=spec, network=network, solved=costly)
        for at, spec in enumerate((*asked, *free))
    }
    for store in stores.values():
        ordinals = [pair.target.ordinal for pair in store.pairs.page()]
        store.baseline_searches.record(
            ordinals, [BaselineSearch(n, 0.1, 4, random=True, ascent=True) for n in ordinals]
        )
        yield from campaign_exhibits(store)
    yield from comparison_exhibits(stores)
    criteria = (covering("ss", (1, 2, 3), NAME), baseline("n", (1, 2, 3)), patterns(3))
    yield from measurement_exhibits(measurement(*criteria, layers=dict.fromkeys(range(1, 6), NAME)), NAME, name=NAME)


def seen(value: Any) -> Iterator[str]:
    """All text of a figure that is shown, or may be."""
    match value:
        case str():
            yield value
        case dict():
            yield from (text for key, each in value.items() if key not in UNSEEN for text in seen(each))
        case list():
            yield from (text for each in value for text in seen(each))


@pytest.fixture(scope="module")
def exhibits(tmp_path_factory: pytest.TempPathFactory) -> list[Exhibit]:
    return list(made(tmp_path_factory.mktemp("campaigns")))


@pytest.fixture(scope="module")
def texts(exhibits: list[Exhibit]) -> list[tuple[str, str]]:
    """The texts of all figures, each after the name of its exhibit."""
    figures = [(each.name, each.figure()) for each in exhibits if each.has_figure]
    return [(name, text) for name, figure in figures for text in seen(json.loads(figure.to_json()))]


def test_names_are_no_tags(texts: list[tuple[str, str]]) -> None:
    assert [(name, text) for name, text in texts if "<a" in text] == []


def test_names_are_there(texts: list[tuple[str, str]]) -> None:
    assert {name for name, text in texts if "&lt;a href" in text} >= {
        "coverage", "adversarial", "layer-distances", "gaps", "main-coverage", "layerwise", "lp-cost", "suite-coverage",
        "relations", "distance-curves", "top-weights",
    }  # fmt: skip


def test_names_of_files_lead_to_no_other_folder(exhibits: list[Exhibit]) -> None:
    assert any("evil" in each.stem for each in exhibits)
    assert all(re.fullmatch(r"[\w.-]+", each.stem) for each in exhibits)


def test_names_that_differ_in_signs_alone_lead_to_other_files(exhibits: list[Exhibit]) -> None:
    stems = [dataclasses.replace(exhibits[0], part=part).stem for part in ("a/b", "a-b", "a b")]
    assert len(set(stems)) == 3
    assert stems[1] == f"{exhibits[0].name}-a-b"


def test_captions_in_a_file_load_nothing(exhibits: list[Exhibit]) -> None:
    text = caption_text(exhibits)
    assert NAME.replace("<", r"\<") in text
    assert not re.search(r"(?<!\\)[<\[]", text)
