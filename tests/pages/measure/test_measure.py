"""The page Measure: what it offers, starts, refuses, follows and shows."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core.errors import SpecificationError
from dnncov_core.records import State
from dnncov_core.suites import library
from dnncov_core.suites.criterion_names import DEFAULT, ENTRIES
from dnncov_core.suites.library import Standing
from dnncov_core.suites.measurement_file import MeasuredCriterion
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.workers import WorkerStatus
from pages.shared.words import plain
from tests.builders import campaign
from tests.pages.looking import app, needs_pytorch, words
from tests.suites.made import baseline, covering, patterns, save

PATH = "pages/measure/page.py"


@pytest.fixture
def measured(folder: Path) -> Path:
    """The folder of measurements."""
    return folder.parent / "measurements"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[MeasurementSpec, bool]]:
    """What the page would have started; no process starts."""
    seen: list[tuple[MeasurementSpec, bool]] = []

    def start(spec: MeasurementSpec, *, witnesses: bool) -> str:
        seen.append((spec, witnesses))
        return "none"

    monkeypatch.setattr("pages.measure.plan.start", start)
    return seen


def page(measurement_id: str | None = None) -> AppTest:
    test = app()
    if measurement_id is not None:
        test.query_params["measurement"] = measurement_id
    return test.switch_page(PATH).run()


def pressed(test: AppTest) -> AppTest:
    return next(button for button in test.button if button.label == "Measure").click().run()


def save_one(folder: Path, name: str = "one") -> None:
    some = covering("ss", (10, 1386, 600), bound="the first 2,000 of 4,000 sign patterns compared")
    save(folder / f"{name}.json", some, baseline("n", (60, 22, 63)), baseline("tn:2", (60, 22, 63)), patterns(4999))


def save_status(folder: Path, name: str, **fields: object) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.asked").write_text(json.dumps({"network": "toy", "suite": "toy", "unknown": 1}))
    status = {"state": "running", "pid": os.getpid(), "beat": time.time(), "started": time.time() - 10, **fields}
    (folder / f"{name}.status").write_text(json.dumps(status))


def test_nothing_measured_yet(folder: Path) -> None:
    test = page()
    assert "Measures what your inputs cover of a network, by every criterion, and lists what they do not." in words(
        test
    )
    assert not test.exception
    assert test.title[0].value == "Measure"
    assert "press Measure" in words(test)
    assert not test.get("plotly_chart")


def test_menus_are_built_from_the_registries(folder: Path) -> None:
    test = page()
    options = list(test.multiselect(key="criteria").options)
    assert [option.partition(" ")[0] for option in options] == [key.upper() for key in ENTRIES]
    assert max(map(len, options)) < 20  # so that all of them fit when they are chosen
    assert test.multiselect(key="criteria").value == DEFAULT.split(",")
    for entry in ENTRIES.values():
        assert entry.words in words(test)
    formulas = " ".join(element.value for element in test.latex)
    assert "rank(n_{k,i}, x)" in formulas


def test_measure_starts_what_was_chosen(folder: Path, asked: list[tuple[MeasurementSpec, bool]]) -> None:
    test = page()
    test.selectbox(key="measured-network").select("toy").run()
    test.multiselect(key="criteria").set_value(["tn", "sv", "vv", "mn"]).run()
    test.number_input(key="m-tn").set_value(2).run()
    test.selectbox(key="measured-function-sv").select("upper_boundary of the reference data").run()
    test.selectbox(key="measured-function-vv").select("ratio").run()
    test.number_input(key="measured-sigma-vv").set_value(3.0).run()
    test.selectbox(key="measured-reference-toy").select("toy").run()
    test.toggle(key="witnesses").set_value(True).run()
    pressed(test)
    expected = MeasurementSpec("toy", "toy", "sv:upper_boundary,vv:ratio=3,mn,tn:2", reference="toy")
    assert asked == [(expected, True)]


def test_layers_are_chosen_by_number_and_by_module(folder: Path, asked: list[tuple[MeasurementSpec, bool]]) -> None:
    test = page()
    test.selectbox(key="measured-network").select("mnist-n1").run()
    test.multiselect(key="measured-condition_layers-mnist-n1").set_value(["3", "4"]).run()
    test.multiselect(key="measured-layers-mnist-n1").set_value(["3"]).run()
    assert "layers that follow each other; got none from 3,4 to 3" in " ".join(each.value for each in test.error)
    test.multiselect(key="measured-layers-mnist-n1").set_value(["4"]).run()
    pressed(test)
    assert [(spec.condition_layers, spec.layers) for spec, _ in asked] == [("3,4", "4")]


def test_the_lemmas_value_functions_one_by_one(folder: Path, asked: list[tuple[MeasurementSpec, bool]]) -> None:
    test = page()
    test.selectbox(key="measured-network").select("toy").run()
    test.multiselect(key="criteria").set_value(["sv", "vs", "vv"]).run()
    for key, name in (("sv", "mn"), ("vs", "tn"), ("vv", "nb")):
        menu = test.selectbox(key=f"measured-function-{key}")
        assert f"{name.upper()}'s condition" in menu.options
        assert len(set(menu.options)) == len(menu.options)
        assert max(map(len, menu.options)) < 28  # what a menu of its width shows
        menu.select(name).run()
    test.number_input(key="measured-m-mn-sv").set_value(4).run()
    test.number_input(key="measured-section-sv").set_value(5).run()
    assert "a section of MN, from 1 to 4; got 5" in test.error[0].value
    test.number_input(key="measured-section-sv").set_value(3).run()
    test.number_input(key="measured-m-tn-vs").set_value(2).run()
    assert plain("Choose reference data: SV, VV cannot") in test.error[0].value
    test.selectbox(key="measured-reference-toy").select("toy").run()
    pressed(test)
    assert asked == [(MeasurementSpec("toy", "toy", "vs:tn=2,sv:mn=3/4,vv:nb", reference="toy"), False)]


def test_the_lemmas_value_functions_together(folder: Path, asked: list[tuple[MeasurementSpec, bool]]) -> None:
    test = page()
    test.selectbox(key="measured-network").select("toy").run()
    test.multiselect(key="criteria").set_value(["sv", "tn"]).run()
    test.number_input(key="m-tn").set_value(2).run()
    test.selectbox(key="measured-function-sv").select("nb").run()
    test.checkbox(key="lemmas").check().run()
    assert "Choose reference data" in test.error[0].value
    test.selectbox(key="measured-reference-toy").select("toy").run()
    assert not test.error
    pressed(test)
    assert asked[0][0].criteria == "sv:nb,tn:2,sv:mn=10/10,vv:nb,vv:mn=10/10,vv:tn=2,vs:tn=2"


def test_free_features(folder: Path, asked: list[tuple[MeasurementSpec, bool]]) -> None:
    test = page()
    test.segmented_control(key="measured-mode").set_value("free").run()
    assert "SS or SV for free features" in test.error[0].value
    test.multiselect(key="criteria").set_value(["ss"]).run()
    test.number_input(key="measured-omega").set_value(0.02).run()
    pressed(test)
    assert asked[0][0] == MeasurementSpec("mnist-n1", "mnist", "ss", feature_mode="free", omega=0.02)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [([], "Choose at least one criterion."), (["nb", "mn"], "Choose reference data: NB, MN cannot")],
)
def test_what_cannot_be_measured_is_said_in_place(folder: Path, chosen: list[str], message: str) -> None:
    test = page()
    test.multiselect(key="criteria").set_value(chosen).run()
    assert not test.exception
    (error,) = test.error
    assert plain(message) in error.value
    assert "''" not in words(test)
    assert "something below" not in words(test)
    assert next(button for button in test.button if button.label == "Measure").disabled


def test_reference_data_that_nothing_needs_are_said(folder: Path) -> None:
    test = page()
    test.selectbox(key="measured-network").select("toy").run()
    test.selectbox(key="measured-reference-toy").select("toy").run()
    assert "Reference data are left out: none of the chosen criteria needs them." in words(test)
    test.multiselect(key="criteria").set_value(["nb"]).run()
    assert "Reference data are left out" not in words(test)


def test_only_campaigns_of_the_network_with_a_pair_are_offered(folder: Path) -> None:
    campaign(folder / "mine.dnncov").close()
    campaign(folder / "nothing.dnncov", found=0, adversarial=0).close()
    test = page()
    options = list(test.selectbox(key="suite-mnist-n1").options)
    assert [option for option in options if "mine" in option and option.startswith("Test pairs: mnist-n1 · SS")]
    test.selectbox(key="suite-mnist-n1").select("mine.dnncov").run()
    assert "more may be covered than Gaps counts" in words(test)
    assert not [option for option in options if "nothing" in option]
    test.selectbox(key="measured-network").select("toy").run()
    assert list(test.selectbox(key="suite-toy").options) == ["toy"]


def test_a_network_without_data_says_what_to_do(folder: Path) -> None:
    test = page()
    test.selectbox(key="measured-network").select("vgg16").run()
    assert not test.exception
    assert "dnncov measure vgg16 --suite FOLDER" in test.warning[0].value
    assert next(button for button in test.button if button.label == "Measure").disabled


def test_a_refusal_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(spec: MeasurementSpec, *, witnesses: bool) -> str:
        raise SpecificationError("something else", "this", "change it")

    monkeypatch.setattr("pages.measure.plan.start", refuse)
    test = pressed(page())
    assert "expected something else" in test.error[0].value


def test_finished(measured: Path) -> None:
    save_one(measured)
    test = page("one")
    assert not test.exception
    text = words(test)
    assert "5,000 inputs" in text
    assert "41 that the network gets wrong, counted too" in text
    assert plain("SS: a lower bound in layers 2 to 3, 4 to 5, the first 2,000") in text
    rows = {row["Criterion"]: row for row in test.dataframe[0].value.to_dict("records")}
    assert rows["SS (sign-sign)"] == {
        "Criterion": "SS (sign-sign)",
        "Covered": "1,996 of 3,490",
        "Coverage": "≥ 57.1 %",
        "Joined pairs": "900",
    }
    assert rows["TN (top neuron coverage), m = 2"]["Covered"] == "145 of 152"
    assert rows["S (safety coverage)"]["Covered"] == "4,999 patterns"
    assert "%" not in rows["S (safety coverage)"]["Coverage"]
    assert [row["Joined pairs"] for row in test.dataframe[1].value.to_dict("records")] == ["200", "300", "400"]
    assert len(test.get("plotly_chart")) == 2
    assert [label for label in downloads(test) if "(" in label] == ["Numbers (JSON)"]
    assert "(SHA-256 ffffffffffff…)" in text
    assert "Shown above" in text


def test_what_is_covered_with_effect(measured: Path) -> None:
    some = covering("ss", (10, 1386, 600), effect=(1, 1000, 500))
    few = covering("sv", (10, 1386, 600), effect=(1, 1000, 500), effect_bound="some tried")
    save(measured / "one.json", some, few, baseline("n", (60, 22, 63)), effect="needed")
    test = page("one")
    shown = [row["With effect"] for row in test.dataframe[0].value.to_dict("records")]
    assert shown == ["43.0 % (1,501)", "≥ 43.0 % (1,501)", ""]
    assert plain("SV with effect: a lower bound in layers 2 to 3, 3 to 4, 4 to 5, some tried.") in words(test)
    expected = "With effect (needed): without the condition's change the decision does not change."
    assert plain(expected) in words(test)
    layers = [row["With effect"] for row in test.dataframe[1].value.to_dict("records")]
    assert layers == ["0.1 % (1)", "72.2 % (1,000)", "79.4 % (500)"]
    save_one(measured, "two")
    assert "With effect" not in page("two").dataframe[0].value.columns


def test_another_effect_is_asked_for(folder: Path, asked: list[tuple[MeasurementSpec, bool]]) -> None:
    test = page()
    test.segmented_control(key="measured-effect").set_value("sufficient").run()
    test.multiselect(key="criteria").set_value(["ss"]).run()
    assert "effect sufficient" in words(test)
    pressed(test)
    assert asked[0][0] == MeasurementSpec("mnist-n1", "mnist", "ss", effect="sufficient")


def test_what_was_measured_names_value_functions_and_reference_data(measured: Path) -> None:
    save_one(measured)
    path = measured / "one.json"
    content = json.loads(path.read_text())
    content["asked"] |= {"reference": "mnist-full", "parameters": {"ss": "", "n": "", "tn:2": "m = 2", "s": ""}}
    content["reference"] = {"name": "mnist-full", "fingerprint": "e" * 64}
    path.write_text(json.dumps(content))
    test = page("one")
    text = words(test)
    assert "| What | Value |" in text
    assert "SS; N; TN (m = 2); S" in text
    assert test.subheader[0].value == "mnist-n1 · mnist · reference data mnist-full"
    for chart in test.get("plotly_chart"):
        source = json.loads(chart.proto.spec)["layout"]["title"]["subtitle"]["text"]
        assert source == "mnist-n1 · mnist · reference data mnist-full"
    assert not test.warning


def test_a_suite_that_is_its_own_reference_data_is_said(measured: Path) -> None:
    test = page()
    test.selectbox(key="measured-network").select("toy").run()
    test.selectbox(key="measured-reference-toy").select("toy").run()
    assert not test.warning  # no criterion asks for it
    test.multiselect(key="criteria").set_value(["mn"]).run()
    assert not test.warning  # MN asks for nothing beyond the ranges
    test.multiselect(key="criteria").set_value(["nb"]).run()
    assert "its own reference data" in test.warning[0].value
    assert "**toy · toy · reference data toy** · nb" in words(test)
    assert not next(button for button in test.button if button.label == "Measure").disabled
    save(measured / "one.json", baseline("nb", (0, 0, 0)))
    content = json.loads((measured / "one.json").read_text())
    content["reference"] = {"name": "copy", "fingerprint": content["suite"]["fingerprint"]}
    (measured / "one.json").write_text(json.dumps(content))
    assert "its own reference data" in page("one").warning[0].value


def test_why_nothing_is_covered_is_said_beside_the_numbers(measured: Path) -> None:
    none = [replace(row, joined=0, covered=0) for row in covering("ss", (0, 0, 0)).rows]
    some = covering("vs", (0, 0, 0))
    found = [MeasuredCriterion(text, 3490, 0, tuple(none)) for text in ("ss", "sv", "vv")]
    save(measured / "one.json", *found, some)
    first, second = (info.value for info in page("one").info)
    assert "No two of the 5,000 inputs differ in the sign of one neuron alone in any layer, so that SS and SV" in first
    assert "have the same signs throughout a layer, so that VV covers nothing" in second
    save(measured / "one.json", some)
    assert not page("one").info


def test_neurons_without_sections_are_said_to_be_left_out(measured: Path) -> None:
    rows = [replace(row, total=row.total - 7, covered=1, left_out=7) for row in baseline("mn", (1, 1, 1)).rows]
    save(measured / "one.json", MeasuredCriterion("mn", 152 - 21, 3, tuple(rows)))
    (info,) = page("one").info
    expected = "MN leaves out 21 neurons whose range over the reference data is one value: it has no sections."
    assert info.value == plain(expected)


def test_without_labels_nothing_is_said_of_classes(measured: Path) -> None:
    save_one(measured)
    content = json.loads((measured / "one.json").read_text())
    content["suite"]["misclassified"] = None
    (measured / "one.json").write_text(json.dumps(content))
    assert "**5,000 inputs** (without labels, so that it is not known which it gets wrong)" in words(page("one"))


@pytest.mark.parametrize(("theme", "text", "ground"), [("light", "#10161E", "#F3F5F8"), ("dark", "#E6EAF0", "#1D232C")])
def test_what_hovers_over_a_figure_is_as_dark_or_light_as_the_page(
    measured: Path, monkeypatch: pytest.MonkeyPatch, theme: str, text: str, ground: str
) -> None:
    monkeypatch.setattr("pages.shared.charts.theme", lambda: theme)
    save_one(measured)
    for chart in page("one").get("plotly_chart"):
        label = json.loads(chart.proto.spec)["layout"]["hoverlabel"]
        assert (label["font"]["color"], label["bgcolor"]) == (text, ground)


def test_another_criterion_by_layer(measured: Path) -> None:
    save_one(measured)
    test = page("one")
    test.segmented_control(key="by-layer-ss,n,tn:2").set_value("n").run()
    assert not test.exception
    layers = test.dataframe[1].value.to_dict("records")
    assert layers[0] == {"Layer": "2", "Module": "layer2", "Covered": "60 of 67", "Coverage": "89.6 %"}


def test_many_layer_pairs_stand_by_decision_layer_or_each_alone(measured: Path) -> None:
    rows = [(3, k) for k in range(4, 40)] + [(2, k) for k in range(3, 40)]
    found = [
        {"condition_layer": k, "decision_layer": layer, "total": 9, "covered": 1, "joined": 1} for k, layer in rows
    ]
    file = save(measured / "one.json", covering("ss", (10, 1386, 600)))
    content = json.loads(file.read_text())
    ss = {"total": 9 * len(rows), "covered": len(rows), "layers": [{**each, "bound": ""} for each in found]}
    layers = [{"index": k, "name": f"layer{k}", "neurons": 3} for k in range(1, 41)]
    content |= {"criteria": {"ss": ss}, "network": {**content["network"], "layers": layers}}
    file.write_text(json.dumps(content))
    test = page("one")
    table = test.dataframe[1].value.to_dict("records")
    assert [row["Decision layer"] for row in table] == [str(k) for k in range(3, 40)]
    assert table[1] == {
        "Decision layer": "4",
        "Module": "layer4",
        "Condition layers": "2, 3",
        "Covered": "2 of 18",
        "Coverage": "11.1 %",
        "Joined pairs": "2",
    }
    test.segmented_control(key="grouping").set_value("layer pair").run()
    assert not test.exception
    assert len(test.dataframe[1].value) == len(rows)


def test_criteria_of_one_name_are_told_apart(measured: Path) -> None:
    names = ("sv", "sv:nb", "sv:mn=2/10", "vv:tn=2")
    save(measured / "one.json", *(covering(text, (10 + place, 1386, 600)) for place, text in enumerate(names)))
    test = page("one")
    assert not test.exception
    assert [row["Criterion"] for row in test.dataframe[0].value.to_dict("records")] == [
        "SV (sign-value)",
        "SV (sign-value), g: NB",
        "SV (sign-value), g: MN, section 2 of 10",
        "VV (value-value), g1: TN, m = 2",
    ]
    control = test.segmented_control(key=f"by-layer-{','.join(names)}")
    titles = ["SV", "SV, g: NB", "SV, g: MN, section 2 of 10", "VV, g1: TN, m = 2"]
    assert list(control.options) == [plain(title) for title in titles]
    control.set_value("sv:nb").run()
    assert test.dataframe[1].value.to_dict("records")[0]["Covered"] == "11 of 1,474"


def downloads(test: AppTest) -> list[str]:
    return [button.label for button in test.get("download_button")]


def test_witnesses_can_be_downloaded(measured: Path) -> None:
    save_one(measured)
    (measured / "one.csv").write_text("criterion\n")
    assert [label for label in downloads(page("one")) if "(" in label] == ["Numbers (JSON)", "Witnesses (CSV)"]


def test_safety_coverage_alone_has_no_layers(measured: Path) -> None:
    save(measured / "one.json", patterns(3))
    test = page("one")
    assert not test.exception
    assert "has no layers" in test.info[0].value


def test_running(measured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status = WorkerStatus(State.RUNNING, 1, time.time(), time.time() - 10, "signs", 20, 40)
    running = Standing(State.RUNNING, MeasurementSpec("toy", "toy"), status)
    monkeypatch.setattr("pages.measure.progress.standing", lambda measurement_id: running)
    cancelled: list[str] = []
    monkeypatch.setattr("pages.measure.progress.cancel", cancelled.append)
    save_status(measured, "one")
    test = page("one")
    assert not test.exception
    assert "Running" in words(test)
    (bar,) = test.get("progress")
    assert bar.proto.value == 50
    assert "Sign patterns · 50.0 % of all work" in bar.proto.text
    assert "40" not in bar.proto.text  # values of neurons
    assert "left" in bar.proto.text
    test.button(key="cancel-measurement").click().run()
    assert cancelled == ["one"]


def test_failed(measured: Path) -> None:
    save_status(
        measured, "one", state="failed", message="expected images of shape (2,); got (1, 28, 28); choose other data"
    )
    test = page("one")
    assert not test.exception
    assert "images of shape" in test.error[0].value
    assert "measure again" in words(test)
    assert not test.get("plotly_chart")
    test.button(key="close-measurement").click().run()
    assert "measurement" not in test.query_params
    assert "No result" in words(test)


def test_cancelled(measured: Path) -> None:
    save_status(measured, "one", state="cancelled")
    test = page("one")
    assert not test.exception
    assert "Cancelled" in words(test)
    assert "Measure again to see the result" in words(test)
    assert not test.button(key="close-measurement").disabled


def test_interrupted(measured: Path) -> None:
    save_status(measured, "one", beat=0.0)
    assert "Interrupted" in words(page("one"))


@pytest.mark.parametrize("name", ["nothing", "../../etc/passwd", "<script>", "a" * 500])
def test_an_unknown_id_is_a_message(folder: Path, name: str) -> None:
    test = page(name)
    assert not test.exception
    assert "There is no measurement" in test.warning[0].value


def test_damaged_files_are_explained_in_place(measured: Path) -> None:
    measured.mkdir()
    (measured / "one.json").write_text("{")
    test = page("one")
    assert not test.exception
    assert "damaged" in test.error[0].value


def test_earlier_measurements_are_listed(measured: Path) -> None:
    for name in ("one", "two"):
        save_one(measured, name)
    text = words(page()).replace("\\", "")
    assert "**SS** ≥ 57.1 % · **N** 95.4 % · **TN, m = 2** 95.4 %" in text
    assert text.count("**S** 4,999 patterns") == 2
    assert list(library.measurements()) == ["two", "one"]


def test_it_needs_no_pytorch(measured: Path) -> None:
    save_one(measured)
    assert not needs_pytorch(PATH, measurement="one")
