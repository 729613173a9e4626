"""Layers, Distances and Examples: what they show of a campaign."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.exhibits import campaign_exhibits
from dnncov_core.ratios import Ratio
from dnncov_core.records import Attempt, Outcome, Target, TargetResult
from tests.builders import campaign, card, costly, made_pair
from tests.pages.looking import page, words
from tests.statistics.branches import branched


def test_layers_shows_both_denominators(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = page("pages/layers/page.py", "abc")
    assert not test.exception
    table = test.dataframe[0].value
    assert list(table["Layer pair"]) == ["2 → 3", "3 → 4", "4 → 5", "All"]
    assert list(table["Feature pairs"]) == ["20", "12", "30", "62"]
    assert list(table["Covered, of sampled"])[-1] == "75.0 % (6 of 8)"
    assert next(iter(table["Adversarial"])) == "50.0 % (1 of 2, from 1 seed)"
    assert next(iter(table["Of all adversarial"])) == "33.3 % (1 of 3)"
    assert list(table["Hold at 8 bits"])[-1] == "33.3 % (2 of 6)"
    assert list(table["With effect"]) == [
        "33.3 % (1 of 3)",
        "33.3 % (1 of 3)",
        "0 % (0 of 2)",
        "25.0 % (2 of 8)",
    ]
    assert "2 of 8 test conditions (25.0 %) are covered, with effect (needed: without the" in words(test)
    low, high = (f"{100 * end:.1f} %" for end in Ratio(2, 8).interval())
    assert f"Of all 62 feature pairs, {low} to {high} have a witness with effect (95 % interval" in words(test)


def test_effects_that_are_not_known_are_no_zero(folder: Path) -> None:
    campaign(folder / "abc.dnncov", needed=None).close()
    test = page("pages/layers/page.py", "abc")
    assert set(test.dataframe[0].value["With effect"]) == {"not known yet"}
    assert "not known yet of 6 witnesses: resuming the campaign finds out." in words(test)
    assert "covered, with effect" not in words(test)


@pytest.mark.parametrize("path", ["pages/layers/page.py", "pages/distances/page.py"])
def test_networks_with_branches_are_shown_by_decision_layer_first(folder: Path, path: str) -> None:
    branched(folder / "abc.dnncov").close()
    test = page(path, "abc")
    assert not test.exception
    table = test.dataframe[0].value
    assert list(table["Decision layer"]) == ["3", "4", "5", "All"]
    assert list(table["Module"]) == ["layer3", "layer4", "layer5", ""]
    assert list(table["Condition layers"]) == ["2", "2, 3", "4", ""]
    test.segmented_control(key="grouping").set_value("layer pair").run()
    assert list(test.dataframe[0].value["Layer pair"]) == ["2 → 3", "2 → 4", "3 → 4", "4 → 5", "All"]


@pytest.mark.parametrize("path", ["pages/layers/page.py", "pages/distances/page.py"])
def test_chains_have_no_choice_of_rows(folder: Path, path: str) -> None:
    campaign(folder / "abc.dnncov").close()
    test = page(path, "abc")
    assert "grouping" not in [control.key for control in test.segmented_control]
    assert list(test.dataframe[0].value["Layer pair"]) == ["2 → 3", "3 → 4", "4 → 5", "All"]


def test_layers_shows_what_linear_programmes_cost(folder: Path) -> None:
    with campaign(folder / "abc.dnncov", network=card(hidden=(78, 62, 73, 47)), solved=costly) as store:
        first = store.attempts.programme_costs()[0]
    test = page("pages/layers/page.py", "abc")
    assert not test.exception
    assert test.subheader[0].value == "Linear programmes by layer"
    assert "adds constraints only when" in words(test)
    rows = test.dataframe[1].value.values.tolist()
    sizes = [f"{first.calls:,}", "785", f"{first.constraints_mean:,.1f}", f"{first.constraints_max:,}"]
    costs = [f"{first.seconds_mean:.4f}", f"{first.iterations_mean:,.1f}"]
    assert rows[0] == ["2 → 3", *sizes, *costs, "864", "3,294"]
    assert rows[2][-2:] == ["999", "3,564"]
    assert "n/a stands where" not in words(test)


def test_layers_shows_no_cost_that_is_not_known(folder: Path) -> None:
    def old(target: Target) -> tuple[Attempt, ...]:
        return (Attempt(0, Outcome.INFEASIBLE_HERE, 0.1, variables=785, constraints=33),)

    campaign(folder / "abc.dnncov", solved=old).close()
    test = page("pages/layers/page.py", "abc")
    assert test.dataframe[1].value.values.tolist()[0][:-1] == ["2 → 3", "n/a", "785", "33.0", "33", "n/a", "n/a", "791"]
    assert "n/a stands where the version that made these attempts did not record it." in words(test)


def test_layers_says_nothing_of_programmes_where_none_was_solved(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = page("pages/layers/page.py", "abc")
    assert not test.subheader
    assert "Linear programmes" not in words(test)


@pytest.mark.parametrize("shape", [(1, 28, 28), (1, 17, 29), (3, 40, 24)])
def test_examples_show_images_of_any_shape(folder: Path, shape: tuple[int, ...]) -> None:
    campaign(folder / "abc.dnncov", network=card(input_shape=shape)).close()
    test = page("pages/examples/page.py", "abc")
    assert not test.exception
    assert "1 to 6 of 6 test pairs" in words(test)
    assert "layer 2, neuron 0 → layer 3, neuron 0" in words(test)
    assert "Holds at 8 bits" in words(test)
    assert "Is lost at 8 bits" in words(test)


def test_large_pictures_have_fewer_cards_a_page(folder: Path) -> None:
    photos = card(input_shape=(3, 224, 224))
    campaign(folder / "abc.dnncov", found=20, adversarial=3, network=photos).close()
    test = page("pages/examples/page.py", "abc")
    assert not test.exception
    assert "1 to 8 of 20 test pairs" in words(test)


def test_pictures_are_sent_without_loss(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    formats = []
    monkeypatch.setattr("streamlit.image", lambda *_, **options: formats.append(options["output_format"]))
    campaign(folder / "abc.dnncov", network=card(input_shape=(3, 40, 24))).close()
    page("pages/examples/page.py", "abc")
    assert set(formats) == {"PNG"}


def test_distances_are_said_in_grey_levels_too(folder: Path) -> None:
    campaign(folder / "abc.dnncov", network=card(input_shape=(3, 40, 24))).close()
    assert "L∞ 0.0100 = 2.55 grey levels" in words(page("pages/examples/page.py", "abc"))


def test_pairs_are_captioned_with_class_names_and_confidences(folder: Path) -> None:
    names = ("tench, Tinca tinca", *"12", "jeep, landrover", *"4567", "a_b*c", "9")
    network = replace(card(input_shape=(3, 40, 24)), classes=names)
    campaign(folder / "abc.dnncov", network=network).close()
    text = words(page("pages/examples/page.py", "abc")).replace("\N{NO-BREAK SPACE}", " ")
    assert "**jeep, landrover** :gray[(98.0 %)] → **a\\_b\\*c** :gray[(51.0 %)]" in text.replace(
        "\N{NO-BREAK SPACE}", " "
    )


def test_pairs_say_what_became_of_the_label(folder: Path) -> None:
    spec = CampaignSpec("mnist-n1", "mnist", bound=0.015)
    with campaign(folder / "abc.dnncov", found=2, adversarial=1, exhausted=0, pending=1, spec=spec) as store:
        (target,) = store.targets.pending()
        far = replace(made_pair(target, adversarial=True, distance=0.2), adversarial=False)
        store.record([TargetResult(target, Outcome.FOUND, (), far, 0.1)])
    text = words(page("pages/examples/page.py", "abc"))
    assert [text.count(f"{word}]") for word in ("Adversarial", "Label kept", "Beyond the bound b")] == [1, 1, 1]


def test_examples_show_numbers_as_tables(folder: Path) -> None:
    toy = card(hidden=(3, 3), input_shape=(2,), bounds=(-10.0, 10.0))
    campaign(folder / "abc.dnncov", network=toy, found=2, adversarial=0).close()
    test = page("pages/examples/page.py", "abc")
    assert not test.exception
    assert len(test.dataframe) == 2
    assert "8 bits do not apply" not in words(test)


def test_8_bits_do_not_apply_to_images_of_other_values(folder: Path) -> None:
    campaign(folder / "abc.dnncov", network=card(bounds=(-1.0, 1.0)), found=2, adversarial=0).close()
    test = page("pages/examples/page.py", "abc")
    assert not test.exception
    assert "8 bits do not apply" in words(test)


def test_examples_are_filtered_and_paged(folder: Path) -> None:
    campaign(folder / "abc.dnncov", found=30, adversarial=5, network=card(hidden=(9, 9, 9))).close()
    test = page("pages/examples/page.py", "abc")
    assert "1 to 12 of 30 test pairs" in words(test)
    test.toggle(key="only_adversarial").set_value(True).run()
    assert "1 to 5 of 5 test pairs" in words(test)
    test.selectbox(key="edge").select((2, 3)).run()
    assert "1 to 2 of 2 test pairs" in words(test)


@pytest.mark.parametrize("path", ["pages/run/page.py", "pages/layers/page.py", "pages/examples/page.py"])
def test_the_range_in_which_vectors_were_searched_is_said(folder: Path, path: str) -> None:
    said = "ll features of the input are searched from −10 to 10, also those whose own range is smaller."
    campaign(folder / "images.dnncov").close()
    assert said not in words(page(path, "images"))
    store = campaign(folder / "abc.dnncov", network=card(input_shape=(4,), bounds=(-10.0, 10.0)))
    assert said in words(page(path, "abc"))
    assert said in campaign_exhibits(store, ["coverage"])[0].caption().details[-1]


def test_the_range_in_which_vectors_will_be_searched_is_said(folder: Path) -> None:
    test = page("pages/run/page.py")
    assert "All features of the input are searched" not in words(test)
    test.selectbox(key="network").select("toy").run()
    assert "All features of the input are searched from −10 to 10" in words(test)
