"""The argument keeps the rules of gsn2x's documentation ("Syntax in YAML", "Checks"), and says what was measured."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.evidence.argument import Element, campaign_argument, measurement_argument, named, yaml_of
from dnncov_core.evidence.argument_picture import argument_picture
from dnncov_core.evidence.claims import campaign_claims, measurement_claims
from tests.builders import campaign, card, mixed
from tests.evidence.reading import gsn
from tests.suites.made import covering, measurement, patterns

PREFIXES = {"Sn": "Solution", "G": "Goal", "A": "Assumption", "J": "Justification", "S": "Strategy", "C": "Context"}
SUPPORT, CONTEXT = {"Goal", "Strategy", "Solution"}, {"Justification", "Context", "Assumption"}
MEASURED = measurement(covering("ss", (10, 1386, 630)), patterns(9))


def kind(name: str) -> str:
    return next(kind for prefix, kind in PREFIXES.items() if name.startswith(prefix))


def check(text: str) -> dict[str, dict[str, object]]:
    """V01 to V06 and C01 to C08 of gsn2x, for one file."""
    elements = gsn(text)
    assert set(elements.pop("module")) == {"name", "brief"}
    referenced: set[str] = set()
    for name, each in elements.items():
        assert set(each) <= {"text", "supportedBy", "inContextOf", "undeveloped", "url"}
        assert each["text"].strip()
        developed = kind(name) in ("Goal", "Strategy")
        assert ("supportedBy" in each) + (each.get("undeveloped") is True) == developed  # V02, V03
        for key, allowed in (("supportedBy", SUPPORT), ("inContextOf", CONTEXT)):
            others = each.get(key, [])
            assert not others or developed
            assert len(set(others)) == len(others)  # V05
            assert name not in others  # V06
            assert {kind(other) for other in others} <= allowed  # V01, V04
            assert set(others) <= set(elements)  # C03
            referenced |= set(others)
    (top,) = set(elements) - referenced  # C01
    assert kind(top) == "Goal"  # C02
    left, reached = [(top, frozenset[str]())], set()
    while left:
        name, above = left.pop()
        assert name not in above  # C04
        reached.add(name)
        below = [*elements[name].get("supportedBy", ()), *elements[name].get("inContextOf", ())]
        left += [(each, above | {name}) for each in below]
    assert reached == set(elements)  # C08
    return elements


def texts(elements: dict[str, dict[str, object]], **wanted: object) -> list[str]:
    return [str(each["text"]) for each in elements.values() if all(each.get(k) == v for k, v in wanted.items())]


def test_a_campaigns_argument_says_its_numbers_and_what_is_open(tmp_path: Path) -> None:
    with mixed(tmp_path / "one.dnncov") as store:
        elements = check(yaml_of(campaign_argument(store, campaign_claims(store), "model.onnx"), "one"))
    assert elements["G1"]["text"] == "3 of 13 test conditions have a replayable witness."
    assert texts(elements, undeveloped=True) == [
        "6 test conditions are open: without a test pair, a proof or a justification."
    ]
    assert "2 test conditions are justified by persons." in texts(elements)
    assert "2 test conditions are proved infeasible." in texts(elements)
    assert "model.onnx" in {each.get("url") for each in elements.values()}


def test_what_is_wholly_covered_leaves_no_goal_open_and_no_model_leads_nowhere(tmp_path: Path) -> None:
    with campaign(tmp_path / "one.dnncov", found=6, exhausted=0) as store:
        elements = check(yaml_of(campaign_argument(store, campaign_claims(store), ""), "one"))
    assert not texts(elements, undeveloped=True)
    assert "model.onnx" not in {each.get("url") for each in elements.values()}


def test_own_decisions_are_no_labels_that_may_be_right(tmp_path: Path) -> None:
    spec = CampaignSpec("mnist-n1", "encounters-own-decisions.npz")
    with campaign(tmp_path / "a.dnncov", spec=spec) as store:
        text = yaml_of(campaign_argument(store, campaign_claims(store), "model.onnx"), "one")
    assert "The labels of these data are the network's own decisions" in text
    assert "labels of the data are right" not in text


def test_many_layer_pairs_share_a_goal(tmp_path: Path) -> None:
    with campaign(tmp_path / "one.dnncov", network=card(hidden=(3,) * 12), found=30) as store:
        elements = check(yaml_of(campaign_argument(store, campaign_claims(store), "model.onnx"), "one"))
    assert len(elements) < 20


def test_a_measurements_argument_has_a_goal_for_each_criterion() -> None:
    elements = check(yaml_of(measurement_argument(MEASURED, measurement_claims(MEASURED), "model.onnx"), "suite"))
    assert texts(elements, undeveloped=True) == ["SS: 1,464 test conditions are not covered."]
    assert "SS: 5,000 inputs cover 2,026 of 3,490 test conditions." in texts(elements)


def test_names_from_outside_stay_within_their_text(tmp_path: Path) -> None:
    name = 'a": [] #\\ \n- <b>&\u2028'
    with campaign(tmp_path / "one.dnncov", spec=CampaignSpec(name, "data")) as store:
        top = campaign_argument(store, campaign_claims(store), "model.onnx")
    elements = check(yaml_of(top, name))
    assert f"Network {name} (SHA-256 ffffffffffff…)." in texts(elements)
    root = ElementTree.fromstring(argument_picture(top, "svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_pyyaml_reads_it_as_well() -> None:
    yaml = pytest.importorskip("yaml")
    text = yaml_of(measurement_argument(MEASURED, measurement_claims(MEASURED), "model.onnx"), "“suite” ≥ 1")
    assert yaml.safe_load(text) == gsn(text)


def test_in_a_folder_files_of_the_pack_are_above_and_the_test_pairs_beside() -> None:
    top = measurement_argument(MEASURED, measurement_claims(MEASURED), "model-1.onnx")
    urls = {each.get("url") for each in check(yaml_of(top, "suite", in_folder=True)).values()} - {None}
    assert urls == {"../claims.json", "../report.html", "../model-1.onnx", "pairs.npz"}


def test_equal_elements_are_one() -> None:
    proof = Element("Sn", "A test pair.")
    top = Element("G", "Two goals hold.", (Element("G", "One.", (proof,)), Element("G", "Other.", (proof,))))
    assert list(named(top)) == ["G1", "G2", "Sn1", "G3"]
