"""What addresses say: old and short ones open, what a visit begins with stays, and changes are written whole."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.builders import campaign, card, mixed
from tests.pages.looking import app, entry, opened, words


def address(test: AppTest) -> dict[str, str]:
    return {name: values[0] if isinstance(values, list) else values for name, values in test.query_params.items()}


def test_the_address_of_a_visit_stays_until_something_else_is_shown(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    asked = {"campaign": "abc", "layers": "7-9", "page": "0", "seed": "-1"}
    test = opened(entry("examples"), **asked).run()
    assert "1 to 6 of 6 test pairs" in words(test)
    assert address(test) == asked
    test.selectbox(key="order").select("farthest").run()
    assert address(test) == {"campaign": "abc", "order": "farthest"}


def test_a_layer_pair_in_the_address_of_gaps_is_its_first_open_condition(folder: Path) -> None:
    store = mixed(folder / "abc.dnncov")
    first = next(target.ordinal for target in store.targets.all() if target.edge == (2, 3))
    test = opened(entry("gaps"), campaign="abc", layers="2-3").run()
    assert test.selectbox(key="gaps-edge-abc").value == (2, 3)
    assert test.number_input(key="gaps-ordinal-abc").value == 2 != first
    test.number_input(key="gaps-ordinal-abc").set_value(first).run()
    assert address(test) == {"campaign": "abc", "condition": str(first)}


def test_another_campaign_keeps_the_filters_and_going_back_returns_to_the_first(folder: Path) -> None:
    for name in ("one", "two"):
        campaign(folder / f"{name}.dnncov", found=30, adversarial=5, network=card(hidden=(9, 9, 9))).close()
    test = opened(entry("examples"), campaign="one", only="adversarial").run()
    test.selectbox(key="campaign-shown").select("two").run()
    assert address(test) == {"campaign": "two", "only": "adversarial"}
    test.query_params["campaign"] = "one"  # the browser's way back
    test.run()
    assert test.selectbox(key="campaign-shown").value == "one"
    assert address(test) == {"campaign": "one", "only": "adversarial"}


def test_a_page_without_parameters_is_as_the_visitor_left_it_and_says_so(folder: Path) -> None:
    campaign(folder / "abc.dnncov", found=30, adversarial=5, network=card(hidden=(9, 9, 9))).close()
    test = opened(entry("examples"), campaign="abc", only="adversarial").run()
    test.query_params.clear()
    test.switch_page(entry("layers")).run()
    assert address(test) == {"campaign": "abc"}
    test.query_params.clear()
    test.switch_page(entry("examples")).run()
    assert address(test) == {"campaign": "abc", "only": "adversarial"}


def test_a_page_without_a_campaign_says_nothing(folder: Path) -> None:
    assert address(app()) == {}
