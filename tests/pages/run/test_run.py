"""The page Run: what it offers, starts, refuses and follows."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.campaign import library
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA, EFFECTS
from dnncov_core.entries.kinds import own_name
from dnncov_core.phrases.states import failure
from dnncov_core.records import Stage, State
from dnncov_core.registry import networks
from dnncov_core.workers import WorkerStatus
from pages.shared.words import plain
from tests.builders import campaign, card
from tests.pages.looking import app, metrics, page, words


def test_the_first_page_offers_a_campaign_at_once(folder: Path) -> None:
    test = app()
    assert not test.exception
    assert test.title[0].value == "Run"
    assert "mnist-n1 · SS" in words(test)
    assert "200 sampled test conditions (of 3,490)" in words(test)
    assert "None yet" in words(test)
    assert not test.button[0].disabled


def test_menus_are_built_from_the_registries(folder: Path) -> None:
    test = app()
    assert list(test.selectbox(key="network").options) == list(networks())
    assert list(test.selectbox(key="criterion").options) == [method.title for method in CRITERIA.values()]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_each_criterion_shows_its_definition_and_only_its_own_choices(folder: Path, criterion: str) -> None:
    test = app()
    test.selectbox(key="criterion").select(criterion).run()
    method = CRITERIA[criterion]
    assert not test.exception
    assert method.words in words(test)
    (formula,) = (element.value for element in test.latex)
    assert all(part.strip() in formula for part in method.formula.replace(r"\;", "").split(r"\wedge"))
    keys = {element.key for element in test.selectbox}
    assert (f"value_function-{criterion}" in keys) == (method.own_function is not None)
    assert ("first_function" in keys) == (criterion == "vv")


def test_start_creates_a_campaign_with_the_chosen_parameters(folder: Path, started: list[str]) -> None:
    test = app()
    test.selectbox(key="network").select("toy").run()
    test.selectbox(key="criterion").select("sv").run()
    test.number_input(key="pairs").set_value(5).run()
    test.selectbox(key="effect").select("both").run()
    assert EFFECTS["both"].words in words(test)
    test.selectbox(key="grid").select("8bit").run()
    test.text_input(key="name-None").input("First try").run()
    test.button[0].click().run()
    (campaign_id,) = started
    with library.open_campaign(campaign_id) as store:
        spec = store.spec()
        assert own_name(store) == "First try"
    assert test.subheader[0].value == "First try · toy · SV"
    assert test.text_input(key=f"name-{campaign_id}").value == ""
    assert (spec.network, spec.data, spec.criterion, spec.pairs) == ("toy", "toy", "sv", 5)
    assert (spec.value_function, spec.sigma, spec.grid, spec.effect) == ("ratio", 2.0, "8bit", "both")
    assert test.query_params["campaign"] in (campaign_id, [campaign_id])
    assert "Waiting" in words(test)


def test_without_a_name_a_campaign_has_none(folder: Path, started: list[str]) -> None:
    app().button[0].click().run()
    assert [path.suffix for path in folder.iterdir() if path.stem == started[0]] == [".dnncov"]


def test_only_devices_of_this_machine_are_offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = replace(PARAMETERS["device"], here=lambda: ("auto", "cpu"))  # type: ignore[call-arg]
    monkeypatch.setitem(PARAMETERS, "device", row)  # type: ignore[arg-type]
    assert app().selectbox(key="device").options == ["Automatic", "CPU"]


def test_a_budget_for_more_seeds_than_there_are_is_said_to_be_one(folder: Path) -> None:
    test = app()
    assert "since there are no more" not in words(test)
    test.number_input(key="max_seeds").set_value(30_000_000).run()
    said = "At most 5,000 seeds are tried for one condition, since there are no more; the budget is 30,000,020."
    assert said in words(test)
    assert "at most 1,000,000 attempts" in words(test)


def test_bad_parameters_are_explained_in_place(folder: Path) -> None:
    test = app()
    test.selectbox(key="criterion").select("sv").run()
    test.number_input(key="sigma-sv-ratio").set_value(-1.0).run()
    assert not test.exception
    assert test.error[0].value == "sigma (σ) must be above 0 and finite."
    assert test.button[0].disabled


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("pairs", 0, "Sample size must be at least 1."),
        ("max_seeds", 0, "Most seeds per condition must be at least 1."),
        ("bound", -1.0, "Bound b must be above 0 and finite."),
        ("bound", 0.0, "Bound b must be above 0 and finite."),
        ("seeds", 0, "Pool of seeds must be at least 1."),
        ("margin", 0.0, "Margin must be above 0 and below 1."),
        ("random_seed", -1, "Random seed must be at least 0."),
    ],
)
def test_a_number_that_no_campaign_can_have_starts_nothing(folder: Path, key: str, value: float, message: str) -> None:
    test = app()
    test.number_input(key=key).set_value(value).run()
    assert not test.exception
    assert test.number_input(key=key).value == value
    assert test.error[0].value == message
    assert len(test.error) == 1
    assert ":red[" not in words(test)
    assert test.button[0].disabled


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_omega_outside_its_range_starts_nothing(folder: Path, value: float) -> None:
    test = app()
    test.selectbox(key="feature_mode").select("fixed").run()
    test.number_input(key="omega").set_value(value).run()
    assert test.error[0].value == "omega (ω) must be above 0 and at most 1."
    assert test.button[0].disabled


def test_more_pairs_than_exist_are_all_of_them(folder: Path) -> None:
    test = app()
    test.number_input(key="pairs").set_value(99_999).run()
    assert "all 3,490 test conditions (99,999 asked for)" in words(test)


def test_strongest_connections_only(folder: Path, started: list[str]) -> None:
    test = app()
    test.number_input(key="top_weights").set_value(10).run()
    assert "200 sampled test conditions (of at most 950)" in words(test)
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert store.spec().top_weights == 10
    test.selectbox(key="feature_mode").set_value("fixed").run()
    assert not test.exception


def test_reuse_is_asked_for(folder: Path, started: list[str]) -> None:
    test = app()
    assert test.checkbox(key="reuse").value is False
    test.checkbox(key="reuse").check().run()
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert store.spec().reuse


def test_sizes_of_features_are_said_by_layer(folder: Path) -> None:
    test = app()
    test.selectbox(key="feature_mode").select("fixed").run()
    assert "Largest feature: 6 neurons in layer" in words(test)


def test_choices_survive_a_look_at_another_page(folder: Path) -> None:
    test = app()
    test.selectbox(key="network").select("mnist-n3").run()
    test.number_input(key="pairs").set_value(77).run()
    test.switch_page("pages/layers/page.py").run()
    test.switch_page("pages/run/page.py").run()
    assert test.selectbox(key="network").value == "mnist-n3"
    assert test.number_input(key="pairs").value == 77


def test_a_look_at_results_leaves_the_new_campaign_in_sight(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = app()
    test.switch_page("pages/layers/page.py").run()
    assert test.query_params["campaign"] in ("abc", ["abc"])
    test.query_params.clear()
    test.switch_page("pages/run/page.py").run()
    assert "Covered" not in metrics(test)


def test_a_watched_campaign_is_still_there_after_a_look_at_its_results(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = app("abc")
    for path in ("pages/examples/page.py", "pages/run/page.py"):
        test.query_params.clear()
        test.switch_page(path).run()
        assert test.query_params["campaign"] in ("abc", ["abc"])
    assert metrics(test)["Covered"] == ("75.0 %", "6 of 8 sampled (of 62)")


def test_the_estimate_counts_pairs_and_sizes(folder: Path) -> None:
    test = app()
    test.selectbox(key="network").select("mnist-n8").run()
    test.segmented_control(key="pairs_how").set_value("all").run()
    assert metrics(test)["Test conditions"][0] == "13,263 of 13,263"
    assert "| 2 → 3 | 4,836 | 864 | 3294 |" in words(test)
    assert "| 5 → 6 | 470 | 1046 | 3658 |" in words(test)


def test_a_campaign_is_found_by_its_address(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = app("abc")
    assert not test.exception
    assert metrics(test)["Covered"] == ("75.0 %", "6 of 8 sampled (of 62)")
    assert metrics(test)["Adversarial"] == ("50.0 %", "3 of 6")
    assert metrics(test)["Hold at 8 bits"] == ("33.3 %", "2 of 6")
    assert "6 of 8 sampled conditions (of 62) have a replayable witness with the effect asked for." in words(test)
    assert "another label, no bound on the distance" in words(test)


def test_a_finished_campaign_without_baseline_searches_says_why_and_can_be_resumed(folder: Path) -> None:
    campaign(folder / "abc.dnncov", message="no memory left").close()
    test = app("abc")
    (error,) = test.error
    assert error.value == plain(failure(State.FINISHED, "no memory left"))
    assert test.button(key="resume").label == "Resume"


def test_a_failed_campaign_shows_its_message(folder: Path) -> None:
    message = "expected clean accuracy; got 9.8 %; check the preprocessing"
    campaign(folder / "bad.dnncov", found=0, exhausted=0, adversarial=0, state=State.FAILED, message=message).close()
    test = app("bad")
    assert test.error[0].value == message
    assert test.button(key="resume").label == "Resume"


def test_a_failed_campaign_says_why_before_its_numbers(folder: Path) -> None:
    campaign(folder / "bad.dnncov", state=State.FAILED, message="no memory left").close()
    panel = [type(block).__name__ for block in app("bad").main]
    assert panel.index("Error") < panel.index("Metric")


def test_a_campaign_in_preparation_shows_no_numbers_yet(folder: Path) -> None:
    CampaignStore.create(folder / "new.dnncov", CampaignSpec(network="mnist-n1", data="mnist"), {}).close()
    test = app("new")
    assert "Covered" not in metrics(test)
    assert "0 of 0" not in words(test)


def test_a_campaign_at_work_shows_its_stages_and_what_is_left(folder: Path) -> None:
    with CampaignStore.create(folder / "new.dnncov", CampaignSpec(network="mnist-n1", data="mnist"), {}) as store:
        store.worker.claim()
        store.stages.begin(Stage.LOAD)
        store.stages.add(3.0)
        assert "**Loading network and data for 3 s** · plan · search · then baseline searches" in words(app("new"))
    with campaign(folder / "abc.dnncov", pending=8, state=State.RUNNING) as store:
        for stage in (Stage.LOAD, Stage.PLAN, Stage.SEARCH):
            store.stages.begin(stage)
            store.stages.add(4.0)
        test = app("abc")
        said = "Loaded in 4 s · planned in 4 s · **searching for 4 s** · then baseline searches"
        assert said in words(test)
        assert metrics(test)["Rate"][0] == "2.0 / s"
        assert metrics(test)["Time left"] == ("~ 4 s", "12 s worked")


def test_a_click_on_cancel_leaves_no_other_button_in_its_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def at_once(campaign_id: str) -> None:
        with library.open_campaign(campaign_id) as store:
            store.worker.enter(State.CANCELLED)

    monkeypatch.setattr("pages.shared.job_buttons.cancel", at_once)
    campaign(folder / "going.dnncov", pending=3, state=State.RUNNING).close()
    test = app("going").button(key="cancel").click().run()
    assert test.button(key="cancel").disabled
    assert not {"resume", "close-campaign"} & {button.key for button in test.button}
    monkeypatch.setattr("pages.shared.jobs.SETTLING_SECONDS", 0.0)
    test.run()
    assert {"resume", "close-campaign"} <= {button.key for button in test.button}


def test_only_data_of_the_network_s_shape_are_offered(folder: Path) -> None:
    test = app()
    assert list(test.selectbox(key="data-mnist-n1").options) == ["mnist", "mnist-full"]
    test.selectbox(key="network").select("toy").run()
    assert list(test.selectbox(key="data-toy").options) == ["toy"]


def test_a_network_without_data_says_what_to_do(folder: Path) -> None:
    test = app()
    test.selectbox(key="network").select("vgg16").run()
    assert not test.exception
    assert "dnncov run vgg16 --data FOLDER" in test.warning[0].value
    assert "Not ready to start" in words(test)
    assert test.button[0].disabled
    assert metrics(test)["Accuracy"][0] == "71.59 %"


def test_registered_photos_fit_a_network_of_torchvision(
    folder: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    (folder / "registry.toml").write_text("[[data]]\nname = 'photos'\npath = '.'\n")
    monkeypatch.setenv("DNNCOV_REGISTRY", str(folder / "registry.toml"))
    monkeypatch.setenv("TORCH_HOME", str(folder))
    test = app()
    test.selectbox(key="network").select("squeezenet1_1").run()
    assert list(test.selectbox(key="data-squeezenet1_1").options) == ["photos"]
    assert "weights are downloaded on first use (5 MB)" in words(test)
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert (store.spec().network, store.spec().data) == ("squeezenet1_1", "photos")


def test_resume_beside_a_proof_is_refused(folder: Path) -> None:
    with campaign(folder / "gone.dnncov", pending=2, state=State.CANCELLED) as store:
        store.proof.claim(replace(WorkerStatus.begun(), pid=os.getppid()))
        test = app("gone").button(key="resume").click().run()
        assert not test.exception
        assert "got one with a proof at work; wait for the proof, or cancel it first" in test.error[0].value
        assert store.state() is State.CANCELLED


def test_resume_says_that_another_device_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnncov_core.phrases.states.devices", lambda: ("auto", "cpu"))
    asked = CampaignSpec(network="mnist-n1", data="mnist", device="cuda")
    text = "This campaign asked for cuda, which is not here: Resume goes on with cpu."
    for name, state, told in (("half", State.CANCELLED, [text]), ("whole", State.FINISHED, [])):
        campaign(folder / f"{name}.dnncov", pending=2, state=state, spec=asked).close()
        test = app(name)
        assert [each.value.replace("\\", "") for each in test.info] == told
        assert "| Device | cpu (asked for: cuda) |" in words(test).replace("\\", "")
    campaign(folder / "as-asked.dnncov", pending=2, state=State.CANCELLED).close()
    assert not app("as-asked").info


def test_a_failed_campaign_says_what_helps(folder: Path) -> None:
    campaign(folder / "abc.dnncov", pending=2, state=State.FAILED, message="expected a; got b; do c").close()
    helps = "Resume tries again once its cause is gone; other settings need a new campaign."
    test = app("abc")
    assert helps in words(test)
    assert test.button(key="restart").label == "Edit settings and restart"
    test = page("pages/layers/page.py", "abc")
    assert helps in words(test)
    assert "restart" not in [button.key for button in test.button]


def test_8_bits_do_not_apply_to_vectors(folder: Path) -> None:
    campaign(folder / "abc.dnncov", found=3, survivors=2, network=card(input_shape=(6,))).close()
    test = app("abc")
    assert metrics(test)["Hold at 8 bits"] == ("–", "8 bits do not apply")
    assert "rounded to 8 bits" not in words(test)


def test_cancel_and_resume_reach_the_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    for name in ("cancel", "resume"):
        monkeypatch.setattr(
            f"pages.shared.job_buttons.{name}", lambda campaign_id, name=name: asked.append((name, campaign_id))
        )
    campaign(folder / "going.dnncov", pending=3, state=State.RUNNING).close()
    campaign(folder / "gone.dnncov", pending=3, state=State.CANCELLED).close()
    app("going").button(key="cancel").click().run()
    app("gone").button(key="resume").click().run()
    assert asked == [("cancel", "going"), ("resume", "gone")]


def test_effects_that_an_earlier_version_did_not_store_are_found_by_a_click(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("pages.shared.job_buttons.resume", asked.append)
    campaign(folder / "abc.dnncov", needed=None).close()
    test = app("abc")
    assert metrics(test)["With effect"] == ("–", "not known yet")
    assert "not known yet of 6 witnesses: resuming the campaign finds out." in words(test)
    test.button(key="resume").click().run()
    assert asked == ["abc"]


def test_both_counts_stand_beside_each_other(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = app("abc")
    assert metrics(test)["Covered"] == ("75.0 %", "6 of 8 sampled (of 62)")
    assert metrics(test)["With effect"] == ("25.0 %", "2 of 8")
    assert "resume" not in [button.key for button in test.button]


def test_the_list_links_each_campaign(folder: Path) -> None:
    campaign(folder / "one.dnncov").close()
    campaign(folder / "two.dnncov", found=1, exhausted=0, adversarial=0).close()
    test = app()
    assert "**75.0 %** covered: 6 of 8 sampled conditions (of 62)" in words(test)
    assert "**100 %** covered: 1 of 1 sampled condition (of 62)" in words(test)


def test_what_a_campaign_asked_for_is_said_with_its_numbers(folder: Path) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist", grid="8bit", reuse=True)
    campaign(folder / "one.dnncov", spec=spec).close()
    assert "Linear programming with these settings\\: reuse, 8-bit grey levels of x2" in words(app())
    assert "6 different test pairs cover them." in words(app("one"))
    campaign(folder / "two.dnncov").close()
    assert "different test pairs" not in words(app("two"))


def test_a_mistake_in_the_registry_is_explained_in_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "registry.toml"
    path.write_text("[[network]]\nname = 'x'\n")
    monkeypatch.setenv("DNNCOV_REGISTRY", str(path))
    test = app()
    assert not test.exception
    assert not test.error
    assert "either file or factory" in test.warning[0].value


def test_a_registered_network_needs_no_card(folder: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]) -> None:
    path = folder / "registry.toml"
    path.write_text("[[network]]\nname = 'mine'\nfactory = 'package.module:factory'\n")
    monkeypatch.setenv("DNNCOV_REGISTRY", str(path))
    test = app()
    test.selectbox(key="network").select("mine").run()
    assert not test.exception
    assert "no estimate" in words(test)
    assert "`dnncov networks NAME` shows them, and the range" in words(test)
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert store.spec().network == "mine"
