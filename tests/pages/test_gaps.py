"""The page Gaps: its states, its counts, one condition, the table, justifications and proofs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.campaign.conditions import Status
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.records import Justification, Outcome, State
from dnncov_core.workers import WorkerStatus
from tests import runs
from tests.builders import campaign, card, mixed
from tests.pages.looking import metrics, page, words

PATH = "pages/gaps.py"


def prove(store: CampaignStore, state: State, **fields: object) -> None:
    """As if a proof of the campaign had come so far, in this process."""
    store.claim_proof(WorkerStatus.begun())
    store.note_proof(replace(WorkerStatus.begun(), state=state, **fields))  # type: ignore[arg-type]


@pytest.fixture
def store(folder: Path) -> CampaignStore:
    return mixed(folder / "abc.dnncov")


def test_without_conditions_it_says_so(folder: Path) -> None:
    CampaignStore.create(folder / "abc.dnncov", CampaignSpec(network="mnist-n1", data="mnist"), {}).close()
    test = page(PATH, "abc")
    assert not test.exception
    assert "No test condition yet" in test.info[0].value
    assert not test.metric


def test_both_denominators_and_what_became_of_the_rest(store: CampaignStore) -> None:
    test = page(PATH, "abc")
    assert not test.exception
    assert metrics(test) == {
        "Covered": ("23.1 %", "3 of 13"),
        "Covered, of feasible": ("27.3 %", "3 of 11"),
        "Proved infeasible": ("2", "of 10 not covered"),
        "Justified": ("2", "of 10 not covered"),
        "Open": ("6", "of 10 not covered"),
    }


@pytest.mark.parametrize("state", [State.CANCELLED, State.INTERRUPTED, State.FINISHED])
def test_a_campaign_at_rest_can_be_proved(folder: Path, state: State) -> None:
    mixed(folder / "abc.dnncov", state=state).close()
    test = page(PATH, "abc")
    assert not test.exception
    assert not test.button(key="prove").disabled


def test_a_running_campaign_cannot_be_proved(folder: Path) -> None:
    campaign(folder / "abc.dnncov", pending=3, state=State.RUNNING).close()
    test = page(PATH, "abc")
    assert not test.exception
    assert test.button(key="prove").disabled
    assert "A worker is at this campaign: wait for it, or cancel it first." in words(test)
    assert metrics(test)["Open"] == ("5", "of 5 not covered")


def test_a_failed_campaign_says_why(folder: Path) -> None:
    campaign(folder / "abc.dnncov", state=State.FAILED, message="no memory left").close()
    test = page(PATH, "abc")
    assert test.error[0].value == "no memory left"
    assert metrics(test)["Covered"] == ("75.0 %", "6 of 8")


class TestCondition:
    def test_an_open_one_is_shown_first_with_its_attempts(self, store: CampaignStore) -> None:
        test = page(PATH, "abc")
        attempts = test.dataframe[0].value
        assert list(attempts.columns) == ["Seed", "Outcome", "Cost", "Seconds", "Message"]
        assert "1 attempt, in the order tried" in words(test)

    def test_every_condition_can_be_chosen(self, store: CampaignStore) -> None:
        test = page(PATH, "abc")
        test.selectbox(key="gaps-edge-abc").select((2, 3)).run()
        seen = set()
        for target in [target for target in store.targets() if target.edge == (2, 3)]:
            (i,), (j,) = target.condition_neurons, target.decision_neurons
            test.selectbox(key="gaps-Condition-abc-(2, 3)-None").select(i).run()
            test.selectbox(key=f"gaps-Decision-abc-(2, 3)-{i}").select(j).run()
            assert not test.exception
            text = words(test)
            assert f"**layer 2, neuron {i} → layer 3, neuron {j}**" in text
            assert f"ordinal {target.ordinal}" in text
            condition = store.condition(target.ordinal)
            assert condition is not None
            seen.add(condition.status)
            assert ("Distance: L∞" in text) == (condition.status is Status.COVERED)
        assert len(seen) >= 3

    def test_certificate_and_justification(self, store: CampaignStore) -> None:
        target = store.targets()[4]
        (i,), (j,), edge = target.condition_neurons, target.decision_neurons, target.edge
        test = page(PATH, "abc")
        test.selectbox(key="gaps-edge-abc").select(edge).run()
        test.selectbox(key=f"gaps-Condition-abc-{edge}-None").select(i).run()
        test.selectbox(key=f"gaps-Decision-abc-{edge}-{i}").select(j).run()
        text = words(test).replace("\\", "")
        proved = f"layer {edge[0]}, neuron {i} has u < 0 for every input (from -2.5 to -0.5, by intervals)"
        assert f"**Certificate.** {proved} within the network's bounds." in text
        assert "**Justification.** never seen by the camera" in text

    def test_features_of_any_kind_have_names(self, folder: Path) -> None:
        runs.free_campaign(folder / "abc.dnncov")
        test = page(PATH, "abc")
        assert not test.exception
        assert "any 1 to 2 neurons" in words(test)
        assert "Every test condition has a replayable witness." in words(test)


class TestTable:
    def test_rows_say_why(self, store: CampaignStore) -> None:
        table = page(PATH, "abc").dataframe[-1].value
        assert len(table) == 10
        assert sorted(table["Ordinal"]) == list(table["Ordinal"])
        why = dict(zip(table["Outcome"], table["Why"], strict=True))
        assert why["error"] == "expected finite values; got NaN; check the weights"
        assert why["justified"] == "never seen by the camera (A. Engineer, 2026-01-02)"
        assert "has u < 0 for every input" in why["proved infeasible"]

    def test_filters_and_pages(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", network=card(hidden=(12, 12, 12)), found=3, exhausted=120, pending=12).close()
        test = page(PATH, "abc")
        assert "1 to 50 of 132 test conditions without a witness" in words(test)
        test.selectbox(key="gaps-filter-edge").select((3, 4)).run()
        assert "1 to 44 of 44 test conditions without a witness" in words(test)
        assert set(test.dataframe[-1].value["Layer pair"]) == {"3 → 4"}
        test.multiselect(key="gaps-filter-status").set_value([Status.PENDING]).run()
        assert set(test.dataframe[-1].value["Outcome"]) == {"not tried yet"}
        test.multiselect(key="gaps-filter-status").set_value([]).run()
        test.selectbox(key="gaps-filter-edge").select(None).run()
        test.session_state["gaps-page-abc-None-exhausted-error-pending-justified-proved_infeasible"] = 3
        test.run()
        assert "101 to 132 of 132 test conditions without a witness" in words(test)


class TestJustify:
    def test_the_condition_shown(self, store: CampaignStore) -> None:
        before = store.justifications()
        test = page(PATH, "abc")
        ordinal = int(test.radio(key="justify-which").options[0].split("ordinal ")[1].rstrip(")"))
        test.text_area(key="justify-reason").set_value("no such images")
        test.text_input(key="justify-author").set_value("B. Engineer")
        test.button(key="justify").click().run()
        assert not test.exception
        assert test.success[0].value == "Justified: 1 test condition."
        (new,) = set(store.justifications()) - set(before)
        assert (new.ordinal, new.reason, new.author) == (ordinal, "no such images", "B. Engineer")
        assert metrics(test)["Justified"][0] == "3"
        test.button(key="withdraw").click().run()
        assert store.justifications() == before
        assert metrics(test)["Justified"][0] == "2"

    @pytest.mark.parametrize(("reason", "author", "asked"), [("", "B", "a reason"), ("why", "", "an author")])
    def test_both_are_required(self, store: CampaignStore, reason: str, author: str, asked: str) -> None:
        before = store.justifications()
        test = page(PATH, "abc")
        test.text_area(key="justify-reason").set_value(reason)
        test.text_input(key="justify-author").set_value(author)
        test.button(key="justify").click().run()
        assert f"expected {asked} in words" in test.error[0].value
        assert test.text_area(key="justify-reason").value == reason
        assert store.justifications() == before

    def test_no_selected_row_is_a_message(self, store: CampaignStore) -> None:
        test = page(PATH, "abc")
        test.radio(key="justify-which").set_value("selected")
        test.text_area(key="justify-reason").set_value("why")
        test.text_input(key="justify-author").set_value("B")
        test.button(key="justify").click().run()
        assert "the ordinal of a test condition; got none" in test.error[0].value

    def test_words_of_others_are_shown_as_they_are(self, store: CampaignStore) -> None:
        target = store.targets()[5]
        store.justify([target.ordinal], "**bold** [x](y)", "<b>", "2026-02-03", replace=True)
        assert Justification(target.ordinal, "**bold** [x](y)", "<b>", "2026-02-03") in store.justifications()
        test = page(PATH, "abc")
        test.selectbox(key="gaps-edge-abc").select(target.edge).run()
        test.selectbox(key=f"gaps-Condition-abc-{target.edge}-None").select(target.condition_neurons[0]).run()
        test.selectbox(key=f"gaps-Decision-abc-{target.edge}-{target.condition_neurons[0]}").select(
            target.decision_neurons[0]
        ).run()
        assert "\\*\\*bold\\*\\*" in words(test)


class TestProof:
    def test_the_button_starts_one(self, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []
        monkeypatch.setattr("pages.parts.proving.start_proof", asked.append)
        page(PATH, "abc").button(key="prove").click().run()
        assert asked == ["abc"]

    def test_progress_and_cancel(self, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []
        prove(store, State.RUNNING, doing="linear", done=3, total=12)
        monkeypatch.setattr("pages.parts.proving.cancel", asked.append)
        test = page(PATH, "abc")
        assert not test.exception
        assert "prove" not in [button.key for button in test.button]
        assert test.button(key="retry").disabled
        assert test.get("progress")[0].proto.text == "Linear bounds: 3 of 12 neurons"
        test.button(key="cancel-proof").click().run()
        assert asked == ["abc"]

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"state": State.FINISHED, "message": "2 of 9 neurons"}, "The last proof is done: 2 of 9 neurons."),
            ({"state": State.CANCELLED}, "The last proof was cancelled."),
            ({"state": State.RUNNING, "beat": 0.0}, "The last proof broke off."),
            ({"state": State.FAILED, "message": "expected a; got b; do c"}, "The last proof failed."),
        ],
        ids=lambda value: value["state"].value if isinstance(value, dict) else "",
    )
    def test_its_end_is_told(self, store: CampaignStore, fields: dict[str, object], told: str) -> None:
        prove(store, **fields)  # type: ignore[arg-type]
        test = page(PATH, "abc")
        assert told in words(test)
        expected = [fields["message"]] if fields["state"] is State.FAILED else []
        assert [error.value for error in test.error] == expected
        assert not test.button(key="prove").disabled


class TestRetry:
    def test_the_button_puts_back_what_was_not_covered(self, store: CampaignStore, started: list[str]) -> None:
        test = page(PATH, "abc")
        assert test.number_input(key="retry-seeds-abc-41").value == 41  # the pool has 40
        test.number_input(key="retry-seeds-abc-41").set_value(60).run()
        test.button(key="retry").click().run()
        assert not test.exception
        assert started == ["abc"]
        spec = store.spec()
        assert (spec.max_seeds, spec.retries[0].conditions) == (60, 5)
        assert store.outcomes()[Outcome.FOUND] == 3
        assert test.button(key="retry").disabled
        assert "Something is at this campaign" in words(test)
        assert "5 conditions (exhausted or error) tried again with at most 60 seeds instead of 41" in words(test)

    def test_a_budget_that_is_not_larger_is_a_message(self, store: CampaignStore, started: list[str]) -> None:
        test = page(PATH, "abc")
        test.number_input(key="retry-seeds-abc-41").set_value(9).run()
        test.button(key="retry").click().run()
        assert "expected max_seeds above 41; got max_seeds 9" in test.error[0].value.replace("\\", "")
        assert started == []

    def test_gradient_search_has_passes(self, folder: Path, started: list[str]) -> None:
        spec = CampaignSpec(network="mnist-n1", data="mnist", generator="targeted")
        campaign(folder / "abc.dnncov", spec=spec).close()
        test = page(PATH, "abc")
        test.number_input(key="retry-passes-abc-400").set_value(1000).run()
        test.button(key="retry").click().run()
        with CampaignStore(folder / "abc.dnncov") as store:
            assert store.spec().passes == 1000

    def test_nothing_to_try_again(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", exhausted=0).close()
        test = page(PATH, "abc")
        assert test.button(key="retry").disabled
        assert "No test condition was exhausted or failed." in words(test)
        assert [field.key for field in test.number_input] == ["retry-seeds-abc-41"]
