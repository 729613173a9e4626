"""What a suite does not cover: how much, a list of it, a campaign for it, and what suite and tests cover together."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.numbers import counted
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.suite_and_tests import suite_and_tests
from dnncov_core.suites.library import OPEN, file_of
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement
from dnncov_core.suites.open_conditions import is_about, is_listed
from pages.measure.campaign_form import campaign_bar
from pages.measure.criterion_menu import criterion_menu
from pages.measure.missing_list import chosen_of_list
from pages.shared.campaigns import CAMPAIGN, label, spec_of
from pages.shared.jobs import badge
from pages.shared.page_registry import link
from pages.shared.words import plain, say_error

MOST_SHOWN = 5
"""Campaigns, newest first, whose tests are shown beside the suite."""
NO_LIST = (
    "There is no list of what is not covered: an earlier version measured it, the command did without `--open`, or"
    " there are more feature pairs than a list takes. Measure again, or choose some layers."
)


def missing_tests(measurement_id: str, found: StoredMeasurement) -> None:
    """What a measurement found open by each covering method, and the button that starts a campaign for it."""
    asked = [each for each in found.criteria if each.total and is_listed(each.text)]
    if not asked:
        return
    with st.container(border=True, key="missing-tests"):
        st.subheader("Missing tests", anchor=False)
        chosen = criterion_menu("Test conditions of", asked, key="missing")
        _of_criterion(measurement_id, found, chosen)


def _of_criterion(measurement_id: str, found: StoredMeasurement, criterion: MeasuredCriterion) -> None:
    left = (criterion.total or 0) - criterion.covered
    more = " That is an upper bound, since the search left something out." if criterion.bounds else ""
    of = f"of {counted(criterion.total or 0, 'test condition')} of {plain(criterion.name)}"
    st.markdown(f"**{left:,}** {of} {'is' if left == 1 else 'are'} not covered by {plain(found.spec.suite)}.{more}")
    begun = _together(found, criterion)
    file = file_of(measurement_id, OPEN)
    if not left:
        return
    if not file.exists():
        st.caption(NO_LIST)
        return
    button = st.container()
    try:
        rows = chosen_of_list(found, criterion, file)
    except DnncovError as error:
        say_error(error)
        return
    campaign_bar(found, criterion, rows, button, begun=begun)


def _together(found: StoredMeasurement, criterion: MeasuredCriterion) -> bool:
    """Suite, tests and both together, of the newest campaigns for what is open here; whether one asked any."""
    files = campaigns()
    specs = {each: spec for each in files if (spec := spec_of(each, files)) is not None}
    own = [each for each, spec in specs.items() if is_about(spec, found, criterion)]
    begun = False
    for campaign_id in own[:MOST_SHOWN]:
        with open_campaign(campaign_id) as store, store.at_one_moment():
            both, state = suite_and_tests(store.spec(), coverage_table(store).total), store.state()
        assert both is not None
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            badge(state)
            link("run", "Open the campaign", {CAMPAIGN: campaign_id}, words=plain(label(campaign_id)))
            if both.tests.n:
                link("examples", "See and download its tests", {CAMPAIGN: campaign_id})
            if both.tests.total:
                st.markdown(plain(both.words))
        begun |= both.tests.total > 0
    return begun
