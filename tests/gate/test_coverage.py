"""What a campaign and a measurement cover, as a gate counts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.gate.coverage import Counts, Coverage, of_campaign, of_file
from dnncov_core.ratios import Ratio
from tests import builders
from tests.command import call


def test_counts_of_a_campaign_by_layer_pair_and_in_all(tmp_path: Path) -> None:
    found = of_campaign(builders.mixed(tmp_path / "a.dnncov"))
    assert found.rows == (
        Counts("ss", "2 to 3", 5, 1, 1, 0),
        Counts("ss", "3 to 4", 4, 1, 1, 1),
        Counts("ss", "4 to 5", 4, 1, 0, 1),
    )
    assert found.of("ss") == Counts("ss", "", 13, 3, 2, 2)
    assert (found.criteria["ss"].open, found.of("total").open) == (6, 6)
    assert (found.holds_8bit, found.unfinished) == (Ratio(1, 3), "10 of 13 test conditions done")
    assert {place: len(those) for place, those in found.witnessed.items()} == {"2 to 3": 1, "3 to 4": 1, "4 to 5": 1}


def test_a_refuted_justification_closes_no_gap_beside_its_witness(tmp_path: Path) -> None:
    store = builders.campaign(tmp_path / "a.dnncov")
    covered, uncovered = store.targets.all()[0].ordinal, store.targets.all()[-1].ordinal
    builders.say(store, [covered, uncovered], "not seen", "A. Engineer", "2026-01-02")
    assert of_campaign(store).of("ss") == Counts("ss", "", 8, 6, 0, 1)


@pytest.mark.usefixtures("folder")
def test_counts_of_a_measurement_are_those_of_its_file() -> None:
    assert call("measure", "toy", "--suite", "toy", "--criteria", "ss,tn:2,s", "--out", "m.json") == 0
    found, content = of_file(Path("m.json")), json.loads(Path("m.json").read_text(encoding="utf-8"))["criteria"]
    assert found.texts == ("ss", "tn:2")
    for text, counts in found.criteria.items():
        assert (counts.total, counts.covered) == (content[text]["total"], content[text]["covered"])
    assert [row.where for row in found.rows] == ["layers 2 to 3", "layers 3 to 4", "layer 2", "layer 3"]
    assert (found.name, found.facts["suite"], len(found.facts["network_fingerprint"])) == ("m.json", "toy", 64)


def asked(path: Path, **fields: object) -> Coverage:
    spec = CampaignSpec("mnist-n1", "mnist", **fields)  # type: ignore[arg-type]
    return of_campaign(builders.campaign(path, spec=spec))


def test_what_counts_as_covered_is_compared_and_how_hard_was_searched_is_not(tmp_path: Path) -> None:
    usual = asked(tmp_path / "a.dnncov").question
    same = ({"max_seeds": 3}, {"seed_order": "random"}, {"random_seed": 9}, {"margin": 1e-3}, {"bound": 0.1})
    other = ({"effect": "both"}, {"grid": "8bit"}, {"objective": "adversarial"})
    for at, fields in enumerate(same):
        assert asked(tmp_path / f"same{at}.dnncov", **fields).question == usual
    for at, fields in enumerate(other):
        assert asked(tmp_path / f"other{at}.dnncov", **fields).question != usual
    bounds = [asked(tmp_path / f"{b}.dnncov", objective="adversarial", bound=b).question for b in (0.1, 0.2)]
    assert bounds[0] != bounds[1]
