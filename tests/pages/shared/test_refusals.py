"""Why a click was refused: where it is said, and for how long."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _two_buttons_of_a_fragment() -> None:
    import streamlit as st

    from dnncov_core.errors import CampaignError
    from pages.shared import refusals

    def refuse() -> None:
        raise CampaignError("one", "two", "three")

    def look() -> None:
        for place, action in (("here", refuse), ("there", list)):
            st.button(place, key=place, on_click=refusals.attempt, args=(place, action))
            with st.container(key=f"below-{place}"):
                refusals.say_refusal(place)

    if st.session_state.get("whole", True):
        refusals.begin()
    look()


def _said(test: AppTest) -> list[str]:
    return [each.value for each in test.error]


def test_a_refusal_stays_while_a_fragment_runs_alone_and_goes_with_the_next_run_of_the_page() -> None:
    test = AppTest.from_function(_two_buttons_of_a_fragment).run()
    assert not test.error
    test.button(key="here").click().run()
    assert _said(test) == ["expected one; got two; three"]
    test.session_state["whole"] = False
    for _ in range(2):
        assert _said(test.run()) == ["expected one; got two; three"]
    test.session_state["whole"] = True
    assert _said(test.run()) == []


def test_the_next_click_forgets_it() -> None:
    test = AppTest.from_function(_two_buttons_of_a_fragment).run()
    test.button(key="here").click().run()
    test.button(key="there").click().run()
    assert _said(test) == []
