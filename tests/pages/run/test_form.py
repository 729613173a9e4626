"""The page Run: features, samples, generators and objectives that it offers, explains and refuses."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core.campaign import library
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameter_kinds import FormPart
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.worker import work
from dnncov_core.criteria import CRITERIA, EFFECTS
from dnncov_core.features import SAMPLINGS
from dnncov_core.generators import AUTO, GENERATORS, OBJECTIVES
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.phrases.definitions import NOTHING_ASKED
from tests import runs
from tests.builders import campaign
from tests.pages.looking import app, metrics, page, words

CNN = "cifar10-cnn"


def choose(**choices: object) -> AppTest:
    """The page after some choices in its menus, in their order."""
    test = app()
    for key, value in choices.items():
        test.selectbox(key=key).select(value).run()
        assert not test.exception
    return test


def offered(test: AppTest) -> set[str | None]:
    return {element.key for kind in (test.number_input, test.selectbox) for element in kind}


def spec_of(started: list[str]) -> CampaignSpec:
    (campaign_id,) = started
    with library.open_campaign(campaign_id) as store:
        return store.spec()


def unlinked(help_text: str) -> str:
    """The help of a field without its links to Help."""
    return re.sub(r"\[([^\]]*)\]\(help#[^)]*\)", r"\1", help_text)


class TestTable:
    """The form's fields are those of the table of parameters."""

    @pytest.mark.parametrize(
        ("choices", "idle"),
        [
            ({"generator": "targeted"}, {"omega"}),
            ({"generator": "lp"}, {"omega", "passes"}),
            ({"feature_mode": "fixed", "generator": "targeted"}, {"top_weights"}),
        ],
    )
    def test_each_parameter_that_decides_something_has_its_field(
        self, folder: Path, choices: dict[str, str], idle: set[str]
    ) -> None:
        test = choose(**choices)
        kinds = (test.number_input, test.selectbox, test.checkbox, test.multiselect)
        labels = {element.key: (element.label, element.help) for kind in kinds for element in kind}
        parts = (FormPart.CONDITIONS, FormPart.SEARCH, FormPart.MORE)
        rows = [row for row in PARAMETERS.values() if row.part in parts]
        asked = CampaignSpec("mnist-n1", "mnist", pairs=200, **choices)  # as the form begins
        hidden = {row.name for row in rows if row.idle(asked)}
        assert idle <= hidden
        keys = {row.name: "layers-mnist-n1" if row.name == "layers" else row.name for row in rows}
        assert {name for name, key in keys.items() if key not in labels} == hidden
        for row in rows:
            if row.name not in hidden:
                label, words = labels[keys[row.name]]
                assert label == row.label
                assert unlinked(words).startswith(row.sentence)

    def test_the_random_seed_is_asked_for_also_where_only_baseline_searches_draw(self, folder: Path) -> None:
        test = app()
        test.segmented_control(key="pairs_how").set_value("all").run()
        assert "random_seed" in offered(test)

    def test_network_data_criterion_and_value_functions_have_theirs(self, folder: Path) -> None:
        menus = {element.key: element.label for element in choose(criterion="vv").selectbox}
        named = {"network": "network", "data": "data-mnist-n1", "criterion": "criterion"}
        assert all(menus[key] == PARAMETERS[name].label for name, key in named.items())
        assert menus["first_function"] == PARAMETERS["condition_value_function"].label
        assert menus["value_function-vv"] == "Value function g2 of the decision feature"
        assert not choose(criterion="vv").error

    def test_words_about_a_new_covering_method_are_those_of_its_side(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(CRITERIA, "new", dataclasses.replace(CRITERIA["vs"], key="new"))
        test = choose(criterion="new", **{"value_function-new": "any"})
        assert NOTHING_ASKED.format("condition") in words(test)
        assert NOTHING_ASKED.format("decision") not in words(test)


class TestFeatures:
    def test_the_menu_is_the_registry(self, folder: Path) -> None:
        menu = app().selectbox(key="feature_mode")
        assert list(menu.options) == [mode.title for mode in FEATURE_MODES.values()]
        assert all(mode.words in unlinked(menu.help) for mode in FEATURE_MODES.values())

    @pytest.mark.parametrize("mode", FEATURE_MODES)
    def test_each_mode_has_its_own_choices(self, folder: Path, mode: str) -> None:
        keys = offered(choose(network=CNN, feature_mode=mode))
        assert ("omega" in keys) == (mode != "neuron")
        assert ("top_weights" in keys) == (mode == "neuron")

    @pytest.mark.parametrize(
        ("mode", "sizes"),
        [
            ("fixed", "Largest feature: 6 neurons in layers 2, 4; 2 neurons in layer 3; 1 neuron in layer 5."),
            ("free", "Largest feature: 6 neurons in layers 2, 4; 2 neurons in layer 3; 1 neuron in layer 5."),
        ],
    )
    def test_sizes_are_those_of_the_mode(self, folder: Path, mode: str, sizes: str) -> None:
        assert sizes in words(choose(network="mnist-n1", feature_mode=mode))

    def test_maps_of_a_dense_network_are_refused_in_place(self, folder: Path) -> None:
        test = choose(feature_mode="map")
        assert "expected layers with feature maps" in test.error[0].value
        assert "Largest feature" not in words(test)
        assert test.button[0].disabled

    def test_maps_of_convolutions_are_offered(self, folder: Path, started: list[str]) -> None:
        test = choose(network=CNN, feature_mode="map")
        assert test.button[0].disabled
        test.multiselect(key=f"layers-{CNN}").select(3).run()
        assert not test.error
        test.button[0].click().run()
        assert (spec_of(started).feature_mode, spec_of(started).layers) == ("map", (3,))

    @pytest.mark.parametrize("criterion", ["vs", "vv"])
    def test_free_features_of_a_criterion_that_keeps_signs_are_refused(self, folder: Path, criterion: str) -> None:
        test = choose(criterion=criterion, feature_mode="free")
        assert "SS or SV for free features" in test.error[0].value
        assert test.button[0].disabled


class TestSampling:
    def test_it_is_chosen_where_a_sample_is_drawn(self, folder: Path, started: list[str]) -> None:
        test = choose(sampling="even")
        assert list(test.selectbox(key="sampling").options) == [kind.title for kind in SAMPLINGS.values()]
        test.button[0].click().run()
        assert spec_of(started).sampling == "even"

    def test_all_pairs_need_none(self, folder: Path) -> None:
        test = app()
        test.segmented_control(key="pairs_how").set_value("all").run()
        assert "sampling" not in offered(test)


class TestGenerator:
    def test_the_first_choice_is_the_one_that_suits_the_network(self, folder: Path, started: list[str]) -> None:
        test = app()
        menu = test.selectbox(key="generator")
        assert list(menu.options) == ["Automatic", *(kind.title for kind in GENERATORS.values())]
        assert menu.value == AUTO
        assert "For this network: Linear programming. Holds the seed's" in words(test)
        test.button[0].click().run()
        assert spec_of(started).generator == AUTO

    @pytest.mark.parametrize("choices", [{"feature_mode": "free"}, {"network": CNN}])
    def test_where_programmes_do_not_suit_gradients_do(self, folder: Path, choices: dict[str, str]) -> None:
        test = choose(**choices)
        assert f"For this network: {GENERATORS['targeted'].title}. {GENERATORS['targeted'].words}" in words(test)

    @pytest.mark.parametrize("name", GENERATORS)
    def test_a_named_one_says_what_it_does(self, folder: Path, name: str) -> None:
        test = choose(generator=name)
        assert GENERATORS[name].words in words(test)
        assert "For this network" not in words(test)
        assert ("passes" in offered(test)) == GENERATORS[name].by_gradients

    def test_without_a_card_it_is_not_known_which_one_suits(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = folder / "registry.toml"
        path.write_text("[[network]]\nname = 'mine'\nfactory = 'package.module:factory'\n")
        monkeypatch.setenv("DNNCOV_REGISTRY", str(path))
        test = choose(network="mine")
        assert "gradient search for all others" in words(test)
        assert "none with gradient search" in words(test)
        assert "passes" in offered(test)

    @pytest.mark.parametrize(("generator", "effect"), [(AUTO, "needed"), ("targeted", "none")])
    def test_beside_the_automatic_effect_stands_the_one_that_suits_it(
        self, folder: Path, generator: str, effect: str
    ) -> None:
        test = choose(generator=generator)
        assert test.selectbox(key="effect").value == AUTO
        assert f"For this search: {EFFECTS[effect].title}. {EFFECTS[effect].words}" in words(test)
        test.selectbox(key="effect").select("both").run()
        assert EFFECTS["both"].words in words(test)
        assert "For this search" not in words(test)

    def test_passes_reach_the_campaign(self, folder: Path, started: list[str]) -> None:
        test = choose(generator="targeted")
        test.number_input(key="passes").set_value(77).run()
        test.button[0].click().run()
        assert (spec_of(started).generator, spec_of(started).passes) == ("targeted", 77)

    def test_no_passes_start_nothing(self, folder: Path) -> None:
        test = choose(generator="gradient")
        test.number_input(key="passes").set_value(0).run()
        assert test.error[0].value == "Most passes per condition must be at least 12."
        assert test.button[0].disabled

    def test_programmes_are_refused_for_free_features(self, folder: Path) -> None:
        test = choose(feature_mode="free", generator="lp")
        assert "Generator must be a gradient search for free features; got lp; choose auto" in test.error[0].value
        assert test.button[0].disabled


class TestObjective:
    def test_it_is_chosen(self, folder: Path, started: list[str]) -> None:
        test = choose(generator="targeted", objective="adversarial")
        assert list(test.selectbox(key="objective").options) == [aim.title for aim in OBJECTIVES.values()]
        test.button[0].click().run()
        assert spec_of(started).objective == "adversarial"

    def test_the_automatic_generator_is_one_that_has_it(self, folder: Path, started: list[str]) -> None:
        test = choose(generator=AUTO, objective="adversarial")
        assert f"For this network: {GENERATORS['lp'].title}." in words(test)
        test.button[0].click().run()
        assert spec_of(started).objective == "adversarial"

    def test_a_generator_that_has_no_such_one_is_refused_in_place(self, folder: Path) -> None:
        test = choose(generator="gradient", objective="adversarial")
        assert "got adversarial; choose generator lp or targeted" in test.error[0].value
        assert test.button[0].disabled


@pytest.mark.parametrize("generator", [AUTO, *GENERATORS])
def test_the_estimate_tells_of_programmes_only_where_they_are_solved(folder: Path, generator: str) -> None:
    test = choose(generator=generator)
    solved = generator == AUTO or not GENERATORS[generator].by_gradients
    assert ("Size of the paper's linear programme" in words(test)) == solved
    assert ("| Layer pair | Feature pairs |\n" in words(test)) == (not solved)


def test_the_estimate_takes_its_speed_from_the_campaigns_of_this_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.finished(folder / "abc.dnncov", runs.toy_spec(effect="needed"))
    measured, unknown = (
        "The time comes from campaigns and short runs",
        "No campaign of this kind was run on this machine",
    )
    test = choose(network="toy")
    assert measured in words(test)
    assert metrics(test)["Time, roughly"][0] != "not known yet"
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path_factory.mktemp("another")))
    test.run()
    assert unknown in words(test)
    assert metrics(test)["Time, roughly"][0] == "not known yet"
    assert "time not known yet" in words(test)


def test_a_short_run_finds_out_how_long_it_takes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnncov_core.workers.start", lambda command, file, *options: work(file))
    test = choose(network="toy").button(key="trial").click().run()
    assert not test.exception
    assert "The time comes from campaigns and short runs" in words(test)
    assert "time not known yet" not in words(test)
    assert list(folder.iterdir()) == []


class TestFreeCampaign:
    """What pages show of free features; the network is the toy's."""

    @pytest.fixture(autouse=True)
    def made(self, folder: Path) -> None:
        runs.free_campaign(folder / "abc.dnncov")

    def test_cards_name_the_neurons_that_changed(self) -> None:
        with library.open_campaign("abc") as store:
            pairs = store.pairs.page()
        text = words(page("pages/examples/page.py", "abc"))
        for pair in pairs:
            neurons, n = ", ".join(map(str, pair.condition_neurons)), len(pair.condition_neurons)
            plural = "s" * (n > 1)
            assert (
                f"layer {pair.target.condition_layer}, neuron{plural} {neurons} ({n} of at most 2 changed) →"
                f" layer {pair.target.decision_layer}, neuron {pair.target.decision_neurons[0]}"
            ) in text

    def test_what_was_run_names_mode_generator_and_passes(self) -> None:
        text = words(page("pages/layers/page.py", "abc")).replace("\\", "")
        for fact in (
            "| Features | Free sets |",
            "| omega (ω) | 70 % |",
            "| Generator | Gradient search by the test condition |",
            "| Objective | Small distance |",
            "| Most passes per condition | 400 |",
        ):
            assert fact in text


def test_an_even_sample_is_said_to_be_one(folder: Path) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist", pairs=8, sampling="even")
    campaign(folder / "abc.dnncov", spec=spec).close()
    text = words(page("pages/layers/page.py", "abc")).replace("\\", "")
    drawn = "a stratified sample of 8 of 62 feature pairs, drawn at random within each layer pair (random seed 0)"
    assert f"| Test conditions | {drawn} |" in text
    assert "| How the sample is drawn | Even over layer pairs |" in text


def test_a_campaign_whose_generator_is_not_decided_yet_says_so(folder: Path) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist")
    CampaignStore.create(folder / "new.dnncov", spec, {}).close()
    test = app("new")
    assert not test.exception
    assert "not chosen yet: the one that suits the network" in words(test).replace("\\", "")
