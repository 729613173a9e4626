"""The page Gaps: its states, its counts, one condition, the table, justifications and proofs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core.campaign.file.conditions import COVERED, OPEN, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import retry
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from dnncov_core.figures.decision_map import places
from dnncov_core.records import Outcome, State
from dnncov_core.statistics.decision_map import decision_map
from dnncov_core.statistics.gaps import gap_matrix, layer_pair_matrix
from dnncov_core.workers import WorkerStatus
from pages.gaps import matrix as page_matrix
from tests import runs
from tests.builders import campaign, card, convolutional, mixed, say
from tests.pages.looking import app, metrics, opened, page, words

PATH = "pages/gaps/page.py"


def prove(store: CampaignStore, state: State, **fields: object) -> None:
    """As if a proof of the campaign had come so far, in this process."""
    store.proof.claim(WorkerStatus.begun())
    store.proof.note(replace(WorkerStatus.begun(), state=state, **fields))  # type: ignore[arg-type]


def arrived(campaign_id: str) -> AppTest:
    """The page for a visitor who comes from another one: its address then names the condition that it shows."""
    test = app()
    test.query_params["campaign"] = campaign_id
    return test.switch_page(PATH).run()


def shown(test: AppTest) -> int:
    """The ordinal that the page's address names."""
    named = test.query_params["condition"]
    return int(named if isinstance(named, str) else named[0])


def listed(test: AppTest) -> pd.DataFrame:
    """The table of what is not covered, which stands above the attempts at one condition."""
    return test.dataframe[0].value


def attempts(test: AppTest) -> pd.DataFrame:
    """The table of the attempts at the condition that is shown."""
    return test.dataframe[-1].value


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
        "Covered": ("23.1 %", "3 of 13 sampled (of 62)"),
        "Covered, with effect": ("15.4 %", "2 of 13"),
        "Covered, of feasible": ("27.3 %", "3 of 11"),
        "Proved infeasible": ("2", "of 10 not covered"),
        "Justified": ("2", "of 10 not covered · 1 more refuted"),
        "Open": ("6", "of 10 not covered"),
    }


def test_effects_that_nobody_knows_yet_are_not_claimed(folder: Path) -> None:
    campaign(folder / "abc.dnncov", needed=None, exhausted=0).close()
    test = page(PATH, "abc")
    assert metrics(test)["Covered, with effect"] == ("not known yet", "of 6 witnesses")
    (metric,) = [each for each in test.metric if each.label == "Covered, with effect"]
    assert "so does `dnncov resume`." in metric.help
    assert "Every test condition of this campaign has a replayable witness." in words(test)
    assert "covered, without effect" not in words(test)


@pytest.mark.parametrize("state", [State.CANCELLED, State.INTERRUPTED, State.FINISHED])
def test_a_campaign_at_rest_can_be_proved(folder: Path, state: State) -> None:
    mixed(folder / "abc.dnncov", state=state).close()
    test = page(PATH, "abc")
    assert not test.exception
    assert not test.button(key="prove").disabled


def test_a_running_campaign_cannot_be_proved_but_cancelled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign(folder / "abc.dnncov", pending=3, state=State.RUNNING).close()
    test = page(PATH, "abc")
    assert not test.exception
    assert test.button(key="prove").disabled
    assert words(test).count("This can start once the worker has ended.") == 2
    asked: list[str] = []
    monkeypatch.setattr("pages.shared.job_buttons.cancel", asked.append)
    test.button(key="cancel").click().run()
    assert asked == ["abc"]
    assert metrics(test)["Open"] == ("5", "of 5 not covered")


def test_a_failed_campaign_says_why(folder: Path) -> None:
    campaign(folder / "abc.dnncov", state=State.FAILED, message="no memory left").close()
    test = page(PATH, "abc")
    assert test.error[0].value == "no memory left"
    assert metrics(test)["Covered"] == ("75.0 %", "6 of 8 sampled (of 62)")


def test_numbers_come_first_then_the_list_with_what_can_be_done_then_the_matrix(store: CampaignStore) -> None:
    test = page(PATH, "abc")
    elements = list(test.main)
    table, attempts_at_one = test.dataframe
    (figure,) = [each for each in elements if each.type == "plotly_chart"]
    order = [test.metric[-1], table, test.button(key="justify"), test.button(key="retry"), test.button(key="prove")]
    places = [elements.index(each) for each in (*order, figure, attempts_at_one)]
    assert places == sorted(places)


class TestCondition:
    def test_an_open_one_is_shown_first_with_its_attempts(self, store: CampaignStore) -> None:
        test = page(PATH, "abc")
        assert list(attempts(test).columns) == ["Seed", "Outcome", "Cost", "Seconds", "Message"]
        assert "1 attempt, in the order tried" in words(test)

    def test_every_condition_can_be_chosen(self, store: CampaignStore) -> None:
        test = arrived("abc")
        test.selectbox(key="gaps-edge-abc").select((2, 3)).run()
        assert shown(test) == 2  # the first open one
        seen = set()
        for target in [target for target in store.targets.all() if target.edge == (2, 3)]:
            (i,), (j,) = target.condition_neurons, target.decision_neurons
            test.selectbox(key="gaps-condition-(2, 3)-abc").select(i).run()
            test.selectbox(key=f"gaps-decision-(2, 3)-{i}-abc").select(j).run()
            assert not test.exception
            text = words(test)
            assert f"**layer 2, neuron {i} → layer 3, neuron {j}**" in text
            assert f"ordinal {target.ordinal}" in text
            assert shown(test) == target.ordinal
            assert test.number_input(key="gaps-ordinal-abc").value == target.ordinal
            condition = store.conditions.one(target.ordinal)
            assert condition is not None
            seen.add(condition.status)
            assert ("Distance: L∞" in text) == (condition.status in COVERED)
        assert len(seen) >= 3

    def test_the_address_names_it(self, store: CampaignStore) -> None:
        target = store.targets.all()[-1]
        test = app()
        test.query_params["campaign"], test.query_params["condition"] = "abc", str(target.ordinal)
        test.switch_page(PATH).run()
        assert f"ordinal {target.ordinal}" in words(test)
        assert test.selectbox(key="gaps-edge-abc").value == target.edge
        assert shown(test) == target.ordinal

    @pytest.mark.parametrize("named", ["61", "x", "-1", "9" * 19, "9" * 20])
    def test_one_that_the_campaign_does_not_ask_about_is_a_message(self, store: CampaignStore, named: str) -> None:
        test = app()
        test.query_params["campaign"], test.query_params["condition"] = "abc", named
        test.switch_page(PATH).run()
        assert not test.exception
        assert test.warning[-1].value == f"This campaign asks about no test condition '{named}'."
        first = shown(test)
        test.number_input(key="gaps-ordinal-abc").set_value(60).run()
        assert test.warning[-1].value == "This campaign asks about no test condition '60'."
        assert shown(test) == first
        assert test.number_input(key="gaps-ordinal-abc").value == first

    def test_another_campaign_shows_its_own(self, store: CampaignStore, folder: Path) -> None:
        mixed(folder / "other.dnncov").close()
        test = arrived("abc")
        first, last = shown(test), store.targets.all()[-1].ordinal
        test.number_input(key="gaps-ordinal-abc").set_value(last).run()
        assert shown(test) == last != first
        test.selectbox[0].select("other").run()
        assert shown(test) == first
        assert f"ordinal {first}" in words(test)

    def test_of_a_convolution_a_channel_is_chosen_before_a_neuron(self, folder: Path) -> None:
        network = convolutional((2, 2, 2), (3, 2, 2))
        campaign(folder / "abc.dnncov", found=0, exhausted=180, network=network).close()
        test = opened(PATH, campaign="abc", layers="2-3").run()
        channel = test.selectbox(key="gaps-condition-(2, 3)-abc-channel")
        assert (channel.label, channel.options, channel.value) == ("Condition channel", ["0", "1"], 0)
        channel.select(1).run()
        condition = test.selectbox(key="gaps-condition-(2, 3)-abc")
        assert condition.value == 4
        assert condition.options[1] == "row 0, column 1 (neuron 5)"
        condition.select(6).run()
        test.selectbox(key="gaps-decision-(2, 3)-6-abc-channel").select(2).run()
        test.selectbox(key="gaps-decision-(2, 3)-6-abc").select(11).run()
        one, two = "channel 1, row 1, column 0 (neuron 6)", "channel 2, row 1, column 1 (neuron 11)"
        assert f"**layer 2, {one} → layer 3, {two}**" in words(test)
        assert shown(test) == 6 * 12 + 11
        row = listed(test).iloc[0]
        assert row["Condition"] == "channel 0, row 0, column 0 (neuron 0)"

    def test_a_click_on_a_channel_or_on_the_map_shows_an_open_condition_of_it(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Streamlit's test runner cannot click on a figure, so the callbacks get what a browser would send."""
        network = convolutional((2, 8, 8), (3, 8, 8))
        store = campaign(folder / "abc.dnncov", network=network, found=3, exhausted=9)
        chosen: list[int] = []
        monkeypatch.setattr(page_matrix, "choose", lambda campaign_id, ordinal: chosen.append(ordinal))
        grid, matrix, table = layer_pair_matrix(store, (2, 3)), gap_matrix(store, (2, 3)), decision_map(store, (2, 3))
        open_ones = [each.target.ordinal for each in store.conditions.page(edge=(2, 3), statuses=OPEN)]
        y, x = (at.tolist() for at in places(table))
        for clicked, place in (
            (partial(page_matrix._clicked, "abc", grid, matrix), {"y": 0, "x": 0}),
            *(
                (partial(page_matrix._clicked_on_map, "abc", grid, table), {"y": y[cell], "x": x[cell]})
                for cell in range(len(y))
            ),
        ):
            monkeypatch.setattr(
                page_matrix.st, "session_state", {"key": SimpleNamespace(selection=SimpleNamespace(points=[place]))}
            )
            clicked("key")
        assert chosen[0] == open_ones[0]
        by_cell = [table.neurons_at(cell).tolist() for cell in range(len(y))]
        for ordinal, neurons in zip(chosen[1:], by_cell, strict=True):
            record = store.conditions.one(ordinal)
            assert record is not None
            assert record.target.decision_neurons[0] in neurons
            asked = [n for n in open_ones if grid.place(n)[1] in neurons]
            assert (record.status in OPEN) == bool(asked)

    def test_free_features_have_a_map_in_place_of_a_matrix_of_one_line(self, folder: Path) -> None:
        runs.free_campaign(folder / "abc.dnncov")
        test = page(PATH, "abc")
        charts = [each.proto.spec for each in test.get("plotly_chart")]
        assert len(charts) == 1
        assert "Decision neurons of layers" in charts[0]

    def test_menus_say_what_they_leave_out(self, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "The menu has the first" not in words(page(PATH, "abc"))
        monkeypatch.setattr("pages.gaps.feature_menu.MOST_CHOICES", 1)
        test = page(PATH, "abc")
        edge = test.selectbox(key="gaps-edge-abc").value
        asked = {target.condition_neurons for target in store.targets.all() if target.edge == edge}
        text = f"The menu has the first 1 of {len(asked)} features of layer {edge[0]} that the campaign asks about"
        assert f"{text}; choose others by ordinal" in words(test)

    def test_attempts_say_what_they_came_to(self, store: CampaignStore) -> None:
        test = page(PATH, "abc")
        test.number_input(key="gaps-ordinal-abc").set_value(store.targets.all()[6].ordinal).run()
        assert list(attempts(test)["Message"]) == [
            "no x2 within the activation pattern of this seed does what is asked"
        ]
        assert "**Why.** Tried from 1 of 40 seeds, and no x2 with the effect asked for was found." in words(test)

    def test_certificate_and_justification(self, store: CampaignStore) -> None:
        target = store.targets.all()[4]
        (i,), (j,), edge = target.condition_neurons, target.decision_neurons, target.edge
        test = page(PATH, "abc")
        test.selectbox(key="gaps-edge-abc").select(edge).run()
        test.selectbox(key=f"gaps-condition-{edge}-abc").select(i).run()
        test.selectbox(key=f"gaps-decision-{edge}-{i}-abc").select(j).run()
        text = words(test).replace("\\", "")
        proved = f"layer {edge[0]}, neuron {i} has u < 0 for every input (from -2.5 to -0.5, by intervals)"
        assert f"**Certificate.** {proved} within the network's bounds." in text
        assert "**Justification.** never seen by the camera" in text

    def test_layer_pairs_are_named_alike_however_many_are_covered(self, folder: Path) -> None:
        """A browser that lags behind a running campaign sends the name of an earlier run."""
        campaign(folder / "abc.dnncov", found=12, network=card(hidden=(9, 9, 9))).close()
        test = page(PATH, "abc")
        assert list(test.selectbox(key="gaps-edge-abc").options) == ["2 → 3", "3 → 4", "4 → 5"]

    def test_features_of_any_kind_have_names(self, folder: Path) -> None:
        runs.free_campaign(folder / "abc.dnncov")
        test = page(PATH, "abc")
        assert not test.exception
        assert "any 1 to 2 neurons" in words(test)
        assert "Every test condition of this campaign has a replayable witness." in words(test)


class TestTable:
    def test_rows_say_why(self, store: CampaignStore) -> None:
        table = listed(page(PATH, "abc"))
        assert len(table) == 10
        assert sorted(table["Ordinal"]) == list(table["Ordinal"])
        why = dict(zip(table["Outcome"], table["Why"], strict=True))
        assert why["open: error"] == "expected finite values; got NaN; check the weights"
        tried = "tried from 1 of 40 seeds, and no x2 with the effect asked for was found"
        assert why["open: budget exhausted"] == tried
        assert why["justified"] == "never seen by the camera (A. Engineer, 2026-01-02)"
        assert "has u < 0 for every input" in why["proved infeasible"]

    def test_what_is_covered_on_paper_alone_is_an_outcome_to_choose(self, store: CampaignStore) -> None:
        ordinal = store.targets.all()[2].ordinal
        test = page(PATH, "abc")
        assert ordinal not in list(listed(test)["Ordinal"])
        test.multiselect(key="gaps-filter-status").set_value([Status.WITHOUT_EFFECT]).run()
        assert "1 to 1 of 1 test conditions" in words(test)
        (row,) = listed(test).to_dict("records")
        assert (row["Ordinal"], row["Outcome"]) == (ordinal, "covered, without effect")
        assert row["Why"] == "in the witness the condition's change is neither needed nor sufficient"
        test.number_input(key="gaps-ordinal-abc").set_value(ordinal).run()
        assert "**Why.** In the witness the condition's change is neither needed nor sufficient." in words(test)

    def test_where_all_are_covered_those_without_effect_are_listed(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", exhausted=0).close()
        test = page(PATH, "abc")
        assert "Every test condition of this campaign has a replayable witness." in words(test)
        assert set(listed(test)["Outcome"]) == {"covered, without effect"}
        assert "1 to 4 of 4 test conditions" in words(test)

    def test_filters_and_pages(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", network=card(hidden=(12, 12, 12)), found=3, exhausted=120, pending=12).close()
        test = page(PATH, "abc")
        assert "1 to 50 of 132 test conditions without a witness" in words(test)
        test.selectbox(key="gaps-filter-edge").select((3, 4)).run()
        assert "1 to 44 of 44 test conditions without a witness" in words(test)
        assert set(listed(test)["Layer pair"]) == {"3 → 4"}
        test.multiselect(key="gaps-filter-status").set_value([Status.PENDING]).run()
        assert set(listed(test)["Outcome"]) == {"open: not tried yet"}
        test.multiselect(key="gaps-filter-status").set_value([]).run()
        test.selectbox(key="gaps-filter-edge").select(None).run()
        test.session_state["gaps-page-abc-None-exhausted-error-pending-justified-proved_infeasible-3"] = 3
        test.run()
        assert "101 to 132 of 132 test conditions without a witness" in words(test)


def _proof_of_two_rows() -> None:
    """The panel for two rows of the table."""
    from dnncov_core.campaign.library import open_campaign
    from pages.gaps.proof import proof_panel

    with open_campaign("abc") as store:
        proof_panel(store, [3, 7])


def _retry_of_two_rows() -> None:
    """The panel for two rows of the table, one of which is proved infeasible."""
    from dnncov_core.campaign.library import open_campaign
    from pages.gaps.retry import retry_panel

    with open_campaign("abc") as store:
        ordinals = [target.ordinal for target in store.targets.all()]
        retry_panel(store, [ordinals[3], ordinals[7]])


def _two_rows_selected() -> None:
    """The form for two rows of the table, one of which is proved infeasible."""
    from dnncov_core.campaign.library import open_campaign
    from pages.gaps.justification import justify_form

    with open_campaign("abc") as store:
        ordinals = [target.ordinal for target in store.targets.all()]
        shown = store.conditions.one(ordinals[6])
        assert shown is not None
        justify_form(store, shown, [ordinals[3], ordinals[7]])


class TestJustify:
    def test_the_condition_shown(self, store: CampaignStore) -> None:
        before = store.justifications.all()
        test = arrived("abc")
        ordinal = shown(test)
        assert test.button(key="justify").label == f"Justify the condition shown below (ordinal {ordinal})"
        assert test.button(key="withdraw").disabled
        test.text_area(key="justify-reason").set_value("no such images")
        test.text_input(key="justify-author").set_value("B. Engineer")
        test.button(key="justify").click().run()
        assert not test.exception
        assert test.success[0].value == "Justified: 1 test condition."
        (new,) = set(store.justifications.all()) - set(before)
        assert (new.ordinal, new.reason, new.author) == (ordinal, "no such images", "B. Engineer")
        assert metrics(test)["Justified"][0] == "3"
        assert test.button(key="withdraw").label == "Withdraw the reason of 1 condition"
        test.button(key="withdraw").click().run()
        assert store.justifications.all() == before
        assert metrics(test)["Justified"][0] == "2"

    def test_what_needs_no_reason_cannot_get_one(self, store: CampaignStore) -> None:
        for at, status in ((1, "covered"), (3, "proved infeasible")):
            test = page(PATH, "abc")
            test.number_input(key="gaps-ordinal-abc").set_value(store.targets.all()[at].ordinal).run()
            assert test.button(key="justify").disabled
            assert (
                f"The condition shown below is {status} and needs no reason: select rows, or show another one."
                in words(test)
            )

    def test_selected_rows_that_need_no_reason_cannot_get_one(self, store: CampaignStore) -> None:
        test = AppTest.from_function(_two_rows_selected).run()
        assert test.button(key="justify").label == "Justify the 2 selected rows"
        assert test.button(key="justify").disabled
        assert "1 of the 2 selected rows need no reason (proved infeasible): leave them out." in words(test)

    def test_a_witness_that_refutes_a_reason_is_marked(self, store: CampaignStore) -> None:
        covered, *_ = store.targets.all()
        test = page(PATH, "abc")
        refuted = f"refuted by pair {covered.ordinal}"
        text = f"1 justification is {refuted}, which covers its test condition all the same."
        assert text in words(test)
        assert f"Justification {refuted}" not in words(test)
        test.number_input(key="gaps-ordinal-abc").set_value(covered.ordinal).run()
        assert f"Justification {refuted}" in words(test)
        said = f"never seen by the camera (A. Engineer, 2026-01-02), {refuted}"
        assert f"**Justification.** {said}" in words(test)
        assert f"Condition {covered.ordinal} is justified already: {said}" in words(test)
        test.text_input(key="justify-author").set_value("C. Tester")
        test.button(key="withdraw").click().run()
        assert "1 justification is refuted" not in words(test)
        assert f"Justification {refuted}" not in words(test)
        (history,) = [each for each in test.expander if each.label == "History of its justifications (1)"]
        assert f"; {refuted}, withdrawn 20" in history.markdown[0].value
        assert history.markdown[0].value.endswith("UTC by C. Tester")

    def test_a_refuted_reason_is_withdrawn_where_every_condition_is_covered(self, folder: Path) -> None:
        store = campaign(folder / "abc.dnncov", exhausted=0)
        _, refuted, *_ = store.targets.all()
        say(store, [refuted.ordinal], "never seen by the camera", "A. Engineer", "2026-01-02")
        test = page(PATH, "abc")
        assert "withdraw" not in [button.key for button in test.button]
        (to_it,) = [each.proto for each in test.get("page_link") if each.proto.label.startswith("Condition ")]
        assert to_it.label == f"Condition {refuted.ordinal}"
        assert parse_qs(to_it.query_string) == {"campaign": ["abc"], "condition": [str(refuted.ordinal)]}
        test = opened(PATH, campaign="abc", condition=str(refuted.ordinal)).run()
        assert test.button(key="justify").disabled
        test.button(key="withdraw").click().run()
        assert not test.exception
        assert store.justifications.all() == []
        assert "1 justification is refuted" not in words(test)
        assert f"; refuted by pair {refuted.ordinal}, withdrawn 20" in words(test)
        assert [each.value for each in test.success] == ["Withdrawn: 1 test condition."]

    def test_an_earlier_reason_is_shown_and_replaced_only_by_the_box(self, store: CampaignStore) -> None:
        target = store.targets.all()[5]
        (said,) = [said for said in store.justifications.all() if said.ordinal == target.ordinal]
        test = page(PATH, "abc")
        test.number_input(key="gaps-ordinal-abc").set_value(target.ordinal).run()
        text = f"Condition {target.ordinal} is justified already: never seen by the camera (A. Engineer, 2026-01-02)"
        assert text in words(test).replace("\\", "")
        test.text_area(key="justify-reason").set_value("another")
        test.text_input(key="justify-author").set_value("B")
        test.button(key="justify").click().run()
        assert "mark the box that replaces it" in test.error[0].value
        assert said in store.justifications.all()
        assert test.checkbox(key="justify-replace").label == "Replace the reason of 1 condition"
        test.checkbox(key="justify-replace").check()
        test.button(key="justify").click().run()
        (new,) = [said for said in store.justifications.all() if said.ordinal == target.ordinal]
        assert (new.reason, new.author) == ("another", "B")
        assert not test.checkbox(key="justify-replace").value

    @pytest.mark.parametrize(
        ("reason", "author", "asked"),
        [("", "B", "a reason"), ("why", " ", "an author"), ("", "", "a reason and an author")],
    )
    def test_both_are_required(self, store: CampaignStore, reason: str, author: str, asked: str) -> None:
        before = store.justifications.all()
        test = page(PATH, "abc")
        test.text_area(key="justify-reason").set_value(reason)
        test.text_input(key="justify-author").set_value(author)
        test.button(key="justify").click().run()
        fix = "say why no test pair is needed, and who says so"
        assert test.error[0].value == f"expected {asked} in words; got none; {fix}"
        assert test.text_area(key="justify-reason").value == reason
        assert store.justifications.all() == before

    def test_words_of_others_are_shown_as_they_are(self, store: CampaignStore) -> None:
        target = store.targets.all()[5]
        store.justifications.add([target.ordinal], reason="**bold** [x](y)", author="<b>", replace=True)
        (said,) = [each for each in store.justifications.all() if each.ordinal == target.ordinal]
        assert (said.reason, said.author) == ("**bold** [x](y)", "<b>")
        test = page(PATH, "abc")
        test.selectbox(key="gaps-edge-abc").select(target.edge).run()
        test.selectbox(key=f"gaps-condition-{target.edge}-abc").select(target.condition_neurons[0]).run()
        test.selectbox(key=f"gaps-decision-{target.edge}-{target.condition_neurons[0]}-abc").select(
            target.decision_neurons[0]
        ).run()
        assert "\\*\\*bold\\*\\*" in words(test)


class TestProof:
    def test_the_button_starts_one(self, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[tuple[object, ...]] = []
        monkeypatch.setattr("pages.gaps.proof.start_proof", lambda *given: asked.append(given))
        test = page(PATH, "abc")
        assert test.button(key="prove").label == "Prove what cannot be covered"
        test.button(key="prove").click().run()
        assert asked == [("abc", [])]

    def test_of_selected_rows_it_starts_one_for_these(
        self, store: CampaignStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        started: list[tuple[object, ...]] = []
        monkeypatch.setattr("dnncov_core.workers.start", lambda *given: started.append(given))
        test = AppTest.from_function(_proof_of_two_rows).run()
        assert test.button(key="prove").label == "Selected: prove that they cannot be covered"
        test.button(key="prove").click().run()
        assert not test.exception
        assert [given[0::3] for given in started] == [("prove", "--ordinals=3,7")]

    def test_a_refusal_is_said_where_the_button_stands(
        self, store: CampaignStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise CampaignError("to write abc.dnncov", "a file that is read-only", "copy it")

        monkeypatch.setattr("pages.gaps.proof.start_proof", refuse)
        test = page(PATH, "abc")
        test.button(key="prove").click().run()
        assert not test.exception
        assert [each.value for each in test.error] == [
            "expected to write abc.dnncov; got a file that is read-only; copy it"
        ]
        assert not test.toast
        assert not test.run().error

    def test_before_any_nothing_counts_as_proved(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov") as store:
            test = page(PATH, "abc")
            assert metrics(test)["Proved infeasible"] == ("not tried", "no proof yet")
            assert "A neuron that never changes its sign" in words(test)
            prove(store, State.FINISHED)
        test = page(PATH, "abc")
        assert metrics(test)["Proved infeasible"] == ("0", "of 2 not covered")
        assert "A neuron that never changes its sign" not in words(test)
        found = "0 of 22 neurons (0 %) have a sign that is proved constant; 0 of 8 test conditions (0 %) are proved"
        assert f"{found} infeasible" in words(test)

    def test_one_without_a_word_of_its_own_is_told(self, store: CampaignStore) -> None:
        assert store.proof.status() is None
        assert "2 of 22 neurons (9.1 %) have a sign that is proved constant" in words(page(PATH, "abc"))

    def test_progress_and_cancel(self, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []
        prove(store, State.RUNNING, doing="linear", done=3, total=12)
        monkeypatch.setattr("pages.gaps.proof.cancel", asked.append)
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
            ({"state": State.FINISHED, "message": "2 of 9 neurons"}, "The last proof is finished;"),
            ({"state": State.CANCELLED}, "The last proof was cancelled;"),
            ({"state": State.RUNNING, "beat": 0.0}, "The last proof broke off;"),
            ({"state": State.FAILED, "message": "expected a; got b; do c"}, "The last proof failed;"),
        ],
        ids=lambda value: value["state"].value if isinstance(value, dict) else "",
    )
    def test_its_end_is_told(self, store: CampaignStore, fields: dict[str, object], told: str) -> None:
        prove(store, **fields)  # type: ignore[arg-type]
        test = page(PATH, "abc")
        assert told in words(test)
        found = (
            "2 of 22 neurons (9.1 %) have a sign that is proved constant: 2 by intervals;"
            " 2 of 13 test conditions (15.4 %) are proved infeasible."
        )
        assert f"; all proofs together: {found}" in words(test).replace("\\", "")
        expected = [fields["message"]] if fields["state"] is State.FAILED else []
        assert [error.value for error in test.error] == expected
        assert not test.button(key="prove").disabled


class TestRetry:
    SPEC = CampaignSpec(network="mnist-n1", data="mnist", max_seeds=10)

    def test_the_button_puts_back_what_was_not_covered(self, folder: Path, started: list[str]) -> None:
        store = mixed(folder / "abc.dnncov", spec=self.SPEC)
        test = page(PATH, "abc")
        assert test.number_input(key="retry-max_seeds-abc-10").value == 20
        test.number_input(key="retry-max_seeds-abc-10").set_value(30).run()
        test.button(key="retry").click().run()
        assert not test.exception
        assert started == ["abc"]
        spec = store.spec()
        assert (spec.max_seeds, spec.retries[0].conditions) == (30, 5)
        assert store.counts.outcomes()[Outcome.FOUND] == 3
        assert test.button(key="retry").disabled
        assert "This can start once the worker has ended." in words(test)
        assert "5 conditions (exhausted or error) tried again with at most 30 seeds instead of 10" in words(test)

    def test_of_selected_rows_only_these_are_put_back(self, folder: Path, started: list[str]) -> None:
        store = mixed(folder / "abc.dnncov", spec=self.SPEC)
        before = {target.ordinal: outcome for target, outcome in store.targets.with_outcomes()}
        chosen = store.targets.all()[7].ordinal
        test = AppTest.from_function(_retry_of_two_rows).run()
        assert test.button(key="retry").label == "Selected: try again with more seeds"
        assert "1 test condition would be tried again; the page Run shows how." in words(test)
        test.button(key="retry").click().run()
        assert not test.exception
        assert started == ["abc"]
        after = {target.ordinal: outcome for target, outcome in store.targets.with_outcomes()}
        assert after == before | {chosen: Outcome.PENDING}
        words_of_it = "1 chosen condition (exhausted or error) tried again with at most 20 seeds instead of 10"
        assert words_of_it in words(page(PATH, "abc"))

    @pytest.mark.parametrize(
        ("asked", "expected"),
        [
            (9, "at least 10, as it is; got 9; lower no budget."),
            (41, "at most 40, the seeds of this campaign."),
            (0, "at least 1."),
        ],
    )
    def test_a_budget_that_cannot_be_is_a_message(
        self, folder: Path, started: list[str], asked: int, expected: str
    ) -> None:
        mixed(folder / "abc.dnncov", spec=self.SPEC).close()
        test = page(PATH, "abc")
        field = test.number_input(key="retry-max_seeds-abc-10")
        field.set_value(asked).run()
        test.button(key="retry").click().run()
        assert [each.value.replace("\\", "") for each in test.error] == [f"{field.label} must be {expected}"]
        assert started == []

    def test_what_came_of_it_is_told(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov", spec=self.SPEC, exhausted=2) as store:
            assert retry(store, max_seeds=20).conditions == 2
            store.worker.claim()
            store.worker.enter(State.FINISHED)
            store.database._connection.execute("UPDATE target SET outcome = 'exhausted' WHERE outcome = 'pending'")
        assert "The last retry: 0 of 2 test conditions newly covered." in words(page(PATH, "abc"))

    def test_gradient_search_has_passes(self, folder: Path, started: list[str]) -> None:
        spec = CampaignSpec(network="mnist-n1", data="mnist", generator="targeted")
        campaign(folder / "abc.dnncov", spec=spec).close()
        test = page(PATH, "abc")
        test.number_input(key="retry-passes-abc-400").set_value(1000).run()
        test.button(key="retry").click().run()
        with CampaignStore(folder / "abc.dnncov") as store:
            assert store.spec().passes == 1000

    def test_where_the_pool_is_a_part_seeds_beyond_it_are_offered(self, folder: Path, started: list[str]) -> None:
        store = mixed(folder / "abc.dnncov", spec=self.SPEC)
        with store.database.transaction() as connection:
            connection.execute("UPDATE campaign SET inputs = 100")  # 90 of them are classified correctly
        test = page(PATH, "abc")
        field = test.number_input(key="retry-more_seeds-abc-20")
        assert (field.label, field.value) == ("Seeds beyond, per condition", 40)
        told = "The nearest of all 90 inputs that the network gets right; 20 until now."
        assert field.help == f"{told} On Help: [Seeds](help#seed)."
        field.set_value(60).run()
        test.button(key="retry").click().run()
        assert store.spec().more_seeds == 60
        assert "with at most 20 seeds instead of 10 and 60 seeds beyond instead of 20" in words(test)

    def test_where_every_seed_was_tried_only_what_failed_is_tried(
        self, store: CampaignStore, folder: Path, started: list[str]
    ) -> None:
        test = page(PATH, "abc")  # 41 of the 40 seeds
        assert test.button(key="retry").label == "Try again what failed"
        test.button(key="retry").click().run()
        assert started == ["abc"]
        assert [retried.outcomes for retried in store.spec().retries] == [("error",)]
        campaign(folder / "other.dnncov").close()
        test = page(PATH, "other")
        assert test.button(key="retry").disabled
        assert "All 40 seeds were tried; pairs of the inputs themselves may cover more, which Measure shows." in words(
            test
        )
        assert "retry-max_seeds-other-41" not in [field.key for field in test.number_input]

    def test_what_is_covered_without_effect_is_searched_for_again_in_a_new_campaign(
        self, folder: Path, started: list[str]
    ) -> None:
        store = mixed(folder / "abc.dnncov", spec=self.SPEC)
        test = page(PATH, "abc")
        button = test.button(key="with-effect")
        assert button.label == "Search again with effect: 1 test condition"
        button.click().run()
        assert not test.exception
        (new,) = started
        assert new != "abc"
        assert store.counts.outcomes()[Outcome.FOUND] == 3
        with CampaignStore(folder / f"{new}.dnncov") as second:
            assert second.counts.outcomes()[Outcome.FOUND] == 2
            assert second.spec().effect == "needed"
        assert test.button(key="with-effect").disabled
        label = "Begun, with effect (needed): open the new campaign"
        (to_it,) = [each.proto for each in test.get("page_link") if each.proto.label == label]
        assert (to_it.page, parse_qs(to_it.query_string)) == ("run", {"campaign": [new]})
        other_tab = page(PATH, "abc")
        assert other_tab.button(key="with-effect").disabled
        assert label in [each.proto.label for each in other_tab.get("page_link")]
        assert "| Searched again from | mnist-n1 · SS · " in words(page(PATH, new)).replace("\\", "")
        (folder / f"{new}.dnncov").unlink()
        assert not test.run().button(key="with-effect").disabled

    def test_a_second_click_elsewhere_on_searching_again_begins_no_second_campaign(
        self, folder: Path, started: list[str]
    ) -> None:
        mixed(folder / "abc.dnncov", spec=self.SPEC).close()
        one, other = page(PATH, "abc"), page(PATH, "abc")
        one.button(key="with-effect").click().run()
        other.button(key="with-effect").click().run()
        assert len(started) == 1
        assert len(list(folder.glob("*.dnncov"))) == 2

    def test_while_effects_are_not_known_none_is_searched_for(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", spec=self.SPEC, needed=None).close()
        assert "with-effect" not in [button.key for button in page(PATH, "abc").button]

    def test_nothing_to_try_again(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", exhausted=0, spec=self.SPEC).close()
        test = page(PATH, "abc")
        assert test.button(key="retry").disabled
        assert "No test condition was exhausted or failed." in words(test)
