"""The page Playground: examples, inputs, criteria, why a pair is covered, and its address."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core.criteria import CRITERIA
from dnncov_core.playground.address import read, write
from dnncov_core.playground.setting import EXAMPLES
from tests.pages.looking import app, needs_pytorch, words

PATH = "pages/playground/page.py"
HOLDS, FAILS = ":material/check_circle:", ":material/cancel:"


def page(**address: str) -> AppTest:
    test = app()
    for name, value in address.items():
        test.query_params[name] = value
    return test.switch_page(PATH).run()


def address(test: AppTest) -> dict[str, str]:
    return {name: values[0] if isinstance(values, list) else values for name, values in test.query_params.items()}


def inputs(test: AppTest) -> list[float]:
    return [test.number_input(key=f"play-{name}-{axis}").value for name in ("x1", "x2") for axis in (0, 1)]


def ticks(test: AppTest) -> list[bool]:
    """Whether each part of the definition is ticked."""
    said = [element.value for element in test.markdown if "**: " in element.value and ":small[" in element.value]
    assert all((HOLDS in text) != (FAILS in text) for text in said)
    return [HOLDS in text for text in said]


def clicked(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


@pytest.mark.parametrize("key", EXAMPLES)
def test_one_click_shows_an_example(key: str) -> None:
    other = next(name for name in EXAMPLES if name != key)
    test = clicked(page(example=other), key.upper())
    setting = EXAMPLES[key].setting
    assert not test.exception
    assert inputs(test) == [*setting.x1, *setting.x2]
    assert EXAMPLES[key].words in words(test)
    assert f"is {key.upper()}-covered** by x1 and x2, **without the effect needed**" in words(test)
    assert ticks(test) == [True] * (3 if setting.method.key in ("ss", "vs") else 4)
    assert address(test) == {"example": key}
    assert len(test.get("plotly_chart")) == 3


def test_the_first_visit_shows_the_first_example() -> None:
    test = page()
    assert test.title[0].value == "Playground"
    assert "{n2,1} → {n3,1} is SS-covered" in words(test)
    assert (
        "Of the 15 pairs of single neurons, **2** are SS-covered: n2,1 → n3,1, n2,1 → n3,3, none of them with the"
        " effect needed." in words(test)
    )
    assert "u = 0 has the sign +1" in words(test)  # x1 lies on the boundary of n2,2


def test_moving_an_input_changes_what_is_covered_and_why() -> None:
    test = page(example="ss")
    test.number_input(key="play-x2-1").set_value(1.0).run()
    test.number_input(key="play-x2-0").set_value(-0.5).run()
    assert address(test) == {"x1": "0.1,0", "x2": "-0.5,1", "criterion": "ss", "features": "2.1_3.1"}
    assert "is not SS-covered** by x1 and x2" in words(test)
    assert ticks(test) == [True, False, False]
    assert "n2,2: u 0 → −2, sc; n2,3: u −0.1 → 1.5, sc" in words(test)
    assert not [text for example in EXAMPLES.values() for text in [example.words] if text in words(test)]


def test_tables_show_every_neuron_and_every_pair() -> None:
    test = page(example="sv")
    neurons, pairs = (element.value for element in test.dataframe)
    assert list(neurons["Neuron"]) == ["n2,1", "n2,2", "n2,3", "n3,1", "n3,2", "n3,3", "n4,1", "n4,2"]
    assert neurons.set_index("Neuron").loc["n3,2"].tolist() == ["12", "12", "2.1", "2.1", "kept"]
    assert neurons.set_index("Neuron").loc["n2,1"].tolist() == ["−1", "0", "0.3", "0.3", "sc"]
    assert len(pairs) == 15
    assert list(pairs[pairs["Covered"] == "✓"]["Pair"]) == ["n2,1 → n3,1", "n2,1 → n3,2", "n2,1 → n3,3"]
    row = pairs.set_index("Pair").loc["n3,1 → n4,1"].to_dict()
    assert row == {
        "Covered": "✗",
        "Effect": "",
        "sc condition": "✗",
        "nsc rest of layer k": "✓",
        "vc decision": "✗",
        "nsc decision": "✓",
    }
    assert list(pairs[pairs["Covered"] == "✓"]["Effect"]) == ["none"] * 3


def test_why_the_decision_changes_is_said_in_numbers() -> None:
    """In the paper's example of SS it is n2,2 that changes n3,1, and in that of VS n2,3 that changes n3,3."""
    said = words(page(example="ss"))
    assert "u of neuron n3,1 of layer 3 (no unit)" in said
    cases = [line.split("|")[2:4] for line in said.splitlines() if line.startswith("| x")]
    assert [[cell.strip().removeprefix(":small[]") for cell in case] for case in cases] == [
        ["0.8", "+"],
        ["0", "+"],
        ["−13.2", "−"],
        ["−14", "−"],
    ]
    assert "carries 5.41 % of the decision's change of u" in said
    assert f":orange[{FAILS}] **needed**: without the condition's change the decision changes all the same" in said
    assert f":orange[{FAILS}] **sufficient**: the condition's change alone does not change the decision" in said
    test = page(example="vs")
    test.pills(key="play-condition").set_value([2]).run()
    said = words(test)
    assert "**{n2,3} → {n3,3} is VS-covered** by x1 and x2, **with the effect needed**" in said
    assert f":blue[{HOLDS}] **needed**: without the condition's change the decision does not change" in said
    assert f":blue[{HOLDS}] **sufficient**: the condition's change alone changes the decision" in said
    test.pills(key="play-decision").set_value([0]).run()
    assert "The pair is not covered, so no effect is asked for." in words(test)


def test_an_input_and_itself_change_nothing() -> None:
    test = page(x1="0,0", x2="0,0", criterion="ss", features="2.1_3.1")
    assert not test.exception
    assert "The pair is not covered, so no effect is asked for." in words(test)
    assert "The condition's change carries" not in words(test)


def test_criterion_and_value_function_are_chosen() -> None:
    test = page(example="ss")
    test.segmented_control(key="play-criterion").set_value("sv").run()
    assert "**SV (sign-value).**" in words(test)
    assert r"vc(g,\psi_{k+1,j},x_1,x_2)" in test.latex[0].value
    test.segmented_control(key="play-criterion").set_value("vv").run()
    test.selectbox(key="play-g").select("absolute").run()
    assert test.number_input(key="play-g-number").value == 1.0
    test.number_input(key="play-g-number").set_value(11.0).run()
    test.selectbox(key="play-g1").select("ratio_symmetric").run()
    assert "absolute (d = 11)" in words(test)
    assert "|u[x1] - u[x2]| = 14.8" in words(test)
    assert address(test)["g"] == "absolute=11"
    assert address(test)["g1"] == "ratio_symmetric=2"
    test.selectbox(key="play-g").select("upper_boundary").run()
    assert "u[x2] = " in words(test)
    assert "must be > d = " in words(test)
    test.selectbox(key="play-g1").select("top").run()
    assert address(test)["g1"] == "top"
    test.segmented_control(key="play-criterion").set_value("ss").run()
    assert not test.selectbox


def test_larger_features_are_chosen_neuron_by_neuron() -> None:
    test = page(example="ss")
    test.pills(key="play-condition").set_value([0, 1]).run()
    assert "**{n2,1, n2,2} → {n3,1} is not SS-covered**" in words(test)
    test.pills(key="play-condition").set_value([0]).run()
    test.pills(key="play-decision").set_value([2, 0]).run()
    assert "**{n2,1} → {n3,1, n3,3} is SS-covered**" in words(test)
    (which,) = (menu for menu in test.selectbox if menu.label == "Decision neuron")
    assert list(which.options) == ["n3,1", "n3,3"]
    which.select("n3,3").run()
    assert "u of neuron n3,3 of layer 3 (no unit)" in words(test)
    test.segmented_control(key="play-edge").set_value((3, 4)).run()
    assert "**{n3,1} → {n4,1} is not SS-covered**" in words(test)


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("play-x1-0", 10.5, "x1 must be two numbers from -10 to 10."),
        ("play-g-number", 0.0, "expected sigma above 0"),
    ],
)
def test_what_cannot_be_is_said_in_place_and_can_be_mended(key: str, value: float, line: str) -> None:
    test = page(example="sv")
    before = test.number_input(key=key).value
    test.number_input(key=key).set_value(value).run()
    assert not test.exception
    assert line in test.error[0].value.replace("\\", "")
    assert not test.get("plotly_chart")
    test.number_input(key=key).set_value(before).run()
    assert not test.error
    assert address(test) == {"example": "sv"}


def test_a_feature_without_neurons_is_said_in_place() -> None:
    test = page(example="ss")
    test.pills(key="play-decision").set_value([]).run()
    assert "The feature of layer 3 must be one or more of its neurons 1 to 3." in test.error[0].value
    test.pills(key="play-decision").set_value([1]).run()
    assert "**{n2,1} → {n3,2} is not SS-covered**" in words(test)


def test_an_address_shows_its_setting() -> None:
    asked = {"x1": "0,1", "x2": "0.125,0.5", "criterion": "vs", "g": "absolute=0.5", "features": "2.1_2.2_3.2"}
    test = page(**asked)
    assert not test.warning
    assert inputs(test) == [0, 1, 0.125, 0.5]
    assert "**{n2,1, n2,2} → {n3,2} is not VS-covered**" in words(test)
    assert ticks(test) == [False, True, True]  # n2,1 keeps its value
    assert address(test) == asked
    assert write(read(asked)) == asked


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"example": "<script>"}, f"expected an example, one of {', '.join(EXAMPLES)}"),
        ({"x1": "1;2"}, "expected x1 as two numbers"),
        ({"x2": "0,1e9"}, "x2 must be two numbers from -10 to 10; got 0, 1e+09"),
        ({"criterion": "../ss"}, f"expected a criterion, one of {', '.join(CRITERIA)}"),
        ({"criterion": "vv", "g1": "open"}, "expected a value function"),
        ({"features": "2.1_9.1"}, "expected features of layers 2 and 3 or 3 and 4; got 2 and 9"),
    ],
)
def test_a_bad_address_is_one_clear_line(asked: dict[str, str], line: str) -> None:
    test = page(**asked)
    assert not test.exception
    assert len(test.warning) == 1
    said = test.warning[0].value.replace("\\", "")
    assert said.startswith("This address cannot be shown: ")
    assert line in said
    assert "{n2,1} → {n3,1} is SS-covered" in words(test)
    assert address(test) == {"example": "ss"}


def test_another_page_and_back_keeps_what_is_shown() -> None:
    test = page(example="vv")
    test.number_input(key="play-x1-0").set_value(0.25).run()
    there = address(test)
    test.switch_page("pages/layers/page.py").run()
    for name in list(test.query_params):
        del test.query_params[name]
    test.switch_page(PATH).run()
    assert inputs(test)[0] == 0.25
    assert address(test) == there


def test_an_earlier_address_is_shown_again() -> None:
    test = page(example="vv")
    clicked(test, "VS")
    for name in list(test.query_params):
        del test.query_params[name]
    test.query_params["example"] = "vv"  # the browser's way back
    test.run()
    assert inputs(test) == [0, 1, 0.1, 0.5]
    assert address(test) == {"example": "vv"}


def test_the_first_visit_leaves_the_address_so_that_going_back_leaves_the_page() -> None:
    test = page()
    assert address(test) == {}
    clicked(test, "VS")
    assert address(test) == {"example": "vs"}
    for name in list(test.query_params):
        del test.query_params[name]  # the browser's way back
    test.run()
    assert address(test) == {}
    assert "{n2,1} → {n3,1} is SS-covered" in words(test)


def test_a_change_is_not_undone_by_an_address_of_before_it() -> None:
    test = page(example="vv")
    test.number_input(key="play-x1-0").set_value(0.5).run()
    for name in list(test.query_params):
        del test.query_params[name]
    test.query_params["example"] = "vv"  # the browser has not been told yet
    test.number_input(key="play-x1-0").set_value(0.75).run()
    assert inputs(test)[0] == 0.75
    assert address(test)["x1"] == "0.75,1"


def test_both_figures_say_in_words_what_they_show() -> None:
    charts = [element.proto.alt for element in page(example="ss").get("plotly_chart")]
    assert "x2 = (0, −1) is in region I" in charts[0]
    assert "n2,1: 0.4 to −1, sign changed" in charts[1]


def test_regions_follow_the_chosen_layers_and_far_inputs() -> None:
    test = page(example="ss")
    test.segmented_control(key="play-last").set_value(4).run()
    assert "divided into 14 regions" in test.get("plotly_chart")[0].proto.alt
    test.number_input(key="play-x1-0").set_value(7.5).run()
    assert '"range":[-10.0,10.0]' in test.get("plotly_chart")[0].proto.spec.replace(" ", "")


def test_it_needs_no_pytorch() -> None:
    assert not needs_pytorch(PATH, example="vv")
