"""``dnncov show``: its fields, its counts, and what linear programmes cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.cli.show import campaign_summary, summary_lines
from dnncov_core.entries.rows import entry_row
from dnncov_core.ratios import Ratio
from dnncov_core.records import Attempt, Outcome, SeedReport, State, Target
from tests import builders
from tests.command import call

DESIGN_FIELDS = {
    "criterion",
    "network",
    "pairs",
    "covered",
    "coverage",
    "coverage_of_rest",
    "justified",
    "refuted",
    "proved_infeasible",
    "open",
    "adversarial",
    "adversarial_rate",
    "outcomes",
    "layers",
    "attempts",
    "seeds",
    "seeds_left_out",
    "seconds",
    "device",
    "spec",
    "versions",
}


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    """8 targets over three layer pairs: 3, 3 and 2; found 2 each; adversarial one each; 8 bits 1, 1, 0."""
    return builders.campaign(tmp_path / "a.dnncov")


def test_the_summary_has_the_fields_of_the_interface(store: CampaignStore) -> None:
    summary = campaign_summary(store)
    own = {
        "state",
        "control",
        "holds_8bit",
        "with_effect",
        "message",
        "available",
        "value_functions",
        "outputs",
        "programmes",
        "distinct_pairs",
        "adversarial_seeds",
        "search",
        "searched_together",
        "shard",
        "suite",
    }
    assert set(summary) == DESIGN_FIELDS | own
    assert set(summary["outcomes"]) == {"found", "exhausted", "proved_infeasible", "error", "pending"}
    assert {"condition_layer", "decision_layer", "pairs", "covered", "adversarial"} < set(summary["layers"][0])
    assert (summary["pairs"], summary["covered"], summary["coverage"]) == (8, 6, 0.75)
    assert summary["coverage_of_rest"] == 0.75
    assert (summary["adversarial"], summary["adversarial_rate"]) == (3, 0.5)
    assert summary["adversarial_seeds"] == len({pair.seed for pair in store.pairs.page(PairFilter(adversarial=True))})
    assert (summary["seeds"], summary["seeds_left_out"], summary["attempts"]) == (40, 10, 8)
    assert (summary["network"], summary["criterion"], summary["state"]) == ("mnist-n1", "ss", "finished")
    assert summary["spec"]["network_fingerprint"] == "f" * 64
    assert summary["spec"]["data_fingerprint"] == "d" * 64
    assert json.loads(json.dumps(summary, allow_nan=False)) == json.loads(json.dumps(summary))


def test_how_many_are_searched_for_together_is_said(store: CampaignStore) -> None:
    assert campaign_summary(store)["searched_together"] == 1
    why = "larger groups would leave processes without work"
    assert f"searched together: one at a time, since {why}" in summary_lines(store)


def test_effects_are_counted_in_all_and_by_layer(store: CampaignStore) -> None:
    summary = campaign_summary(store)
    assert summary["with_effect"] == {
        "effect": "needed", "covered": 2, "needed": 2, "sufficient": 3, "both": 1,
        "needed_8bit": 2, "sufficient_8bit": 1, "both_8bit": 1, "unknown": 0,
        "mean_share": pytest.approx((0 + 0 + 0 + 0.01 + 0.02 + 0.03) / 6),
    }  # fmt: skip
    by_layer = [[layer["with_effect"][name] for name in ("needed", "both", "unknown")] for layer in summary["layers"]]
    assert by_layer == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]


def test_covered_with_effect_is_said(store: CampaignStore) -> None:
    lines = summary_lines(store)
    means = "needed: without the condition's change the decision does not change"
    assert f"2 of 8 test conditions (25.0 %) are covered, with effect ({means})." in lines
    assert "2 of 6 witnesses (33.3 %) still hold after x2 is rounded to 8 bits, 2 (33.3 %) with effect." in lines
    shown = "witnesses whose condition's change is needed: 2, sufficient: 3, both: 1"
    assert f"{shown}; mean share of the decision's change that it carries: 1.0 %" in lines
    assert [line.split()[6] for line in lines if " to " in line and line.startswith("  ")] == ["1", "1", "0"]


def test_the_effect_that_a_campaign_demands_is_the_one_that_is_counted(tmp_path: Path) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist", effect="sufficient")
    store = builders.campaign(tmp_path / "a.dnncov", spec=spec)
    lines, summary = summary_lines(store), campaign_summary(store)
    means = "sufficient: the condition's change alone changes the decision"
    assert f"3 of 8 test conditions (37.5 %) are covered, with effect ({means})." in lines
    assert (summary["with_effect"]["effect"], summary["with_effect"]["covered"]) == ("sufficient", 3)
    assert sum(layer["with_effect"]["covered"] for layer in summary["layers"]) == 3


def test_effects_that_nobody_knows_are_not_counted(tmp_path: Path) -> None:
    store = builders.campaign(tmp_path / "a.dnncov", needed=None)
    effects = campaign_summary(store)["with_effect"]
    assert (effects["covered"], effects["unknown"]) == (None, 6)
    lines = summary_lines(store)
    assert (
        "Whether the condition has an effect is not known yet of 6 witnesses: resuming the campaign finds out." in lines
    )
    assert not any("covered, with effect" in line or "whose condition is needed" in line for line in lines)
    assert sum("not known " in line for line in lines if line.startswith("  ")) == 3


def test_the_summary_of_a_campaign_that_has_not_begun(tmp_path: Path) -> None:
    store = CampaignStore.create(tmp_path / "a.dnncov", CampaignSpec(network="mnist-n1", data="mnist"), {})
    summary = campaign_summary(store)
    assert (summary["state"], summary["pairs"], summary["coverage"]) == ("waiting", 0, None)
    assert summary["seeds"] is None
    assert summary["spec"]["network_fingerprint"] is None


def test_the_summary_of_a_failed_campaign_says_why(tmp_path: Path) -> None:
    store = builders.campaign(tmp_path / "a.dnncov", state=State.FAILED, message="expected; got; do")
    assert campaign_summary(store)["message"] == "expected; got; do"


def test_the_range_in_which_vectors_were_searched_is_said(store: CampaignStore, tmp_path: Path) -> None:
    vectors = builders.campaign(
        tmp_path / "vectors.dnncov", network=builders.card(input_shape=(4,), bounds=(0.0, 60760.0))
    )
    said = "All features of the input are searched from 0 to 60,760, also those whose own range is smaller."
    assert said in summary_lines(vectors)
    assert not any("are searched from" in line for line in summary_lines(store))


def test_seeds_are_counted(store: CampaignStore) -> None:
    report = store.prepared.seeds()
    assert isinstance(report, SeedReport)
    assert len(report.rows) == campaign_summary(store)["seeds"]


def test_linear_programmes_are_shown_by_layer(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", campaign, "--json") == 0
    costs = json.loads(capsys.readouterr().out)["programmes"][1]
    assert call("show", campaign) == 0
    heads, _, last = capsys.readouterr().out.splitlines()[-3:]
    assert heads.split()[:3] == ["layers", "LP", "calls"]
    assert len(heads) == len(last)
    assert last.split() == [
        "3", "to", "4", str(costs["calls"]), "3", f"{costs['constraints_mean']:.1f}", str(costs["constraints_max"]),
        f"{costs['seconds_mean']:.4f}", f"{costs['iterations_mean']:.1f}", "10", "22",
    ]  # fmt: skip


def test_what_is_not_known_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def old(target: Target) -> tuple[Attempt, ...]:
        return (Attempt(0, Outcome.INFEASIBLE_HERE, 0.1, variables=785, constraints=33),)

    builders.campaign(folder / "c.dnncov", solved=old).close()
    assert call("show", "c.dnncov") == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[3:] == [
        "n/a", "785", "33.0", "33", "n/a", "n/a", "798", "3,162",
    ]  # fmt: skip


def test_nothing_of_programmes_is_shown_where_none_was_solved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builders.campaign(folder / "c.dnncov").close()
    assert call("show", "c.dnncov") == 0
    assert "programmes" not in capsys.readouterr().out


def test_a_network_with_one_output_has_no_rate_and_its_line_says_why(tmp_path: Path) -> None:
    """Earlier versions took such networks."""
    spec, card = CampaignSpec("mnist-n1", "mnist", feature_mode="free"), builders.card(classes=1)
    store = builders.campaign(tmp_path / "a.dnncov", adversarial=0, network=card, spec=spec)
    assert campaign_summary(store)["adversarial_rate"] is None
    lines = summary_lines(store)
    place = lines.index("adversarial test pairs (another label, no bound on the distance): n/a (0 of 0)")
    assert lines[place + 1] == "The network has one output, so that all inputs have the same label."
    assert entry_row("campaign", "a", tmp_path / "a").adversarial == Ratio(0, 0)
