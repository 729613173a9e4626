"""A campaign that failed, begun anew: the form of Run with its settings, to be edited."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameter_kinds import FormPart
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import FUNCTION_PARAMETERS, CampaignSpec
from dnncov_core.entries.kinds import own_name
from dnncov_core.registry import data_names, networks
from pages.shared.campaigns import CAMPAIGN, watch_next


def name_key(campaign: str | None) -> str:
    """The key of the field of a new campaign's name; with another campaign on the page, it is another field."""
    return f"name-{campaign}"


def restart_button(store: CampaignStore) -> None:
    """The button that fills the form, and takes the campaign off the page; no button where the form cannot ask so."""
    spec = store.spec()
    if not _can_be_asked(spec):
        anew = "Generate tests again from its measurement" if spec.suite_gaps else "Use the command `dnncov run`"
        st.caption(f"The form cannot ask for the same. {anew}.")
        return
    fields = values_of(spec) | {name_key(None): own_name(store)}
    words = "Fills the form of a new campaign with these settings and this name. The one that failed stays."
    icon = ":material/edit:"
    if st.button("Edit settings and restart", icon=icon, key="restart", on_click=_fill, args=(fields,), help=words):
        st.rerun()


def _fill(fields: dict[str, Any]) -> None:
    st.session_state.update(fields)
    watch_next(CAMPAIGN, None)


def _can_be_asked(spec: CampaignSpec) -> bool:
    """Whether the form has a field for all that is not as usual, and the menus its network and data."""
    beyond = [row for row in PARAMETERS.values() if row.part is None and row.name != "retries"]
    usual = all(getattr(spec, row.name) == row.default for row in beyond)
    return usual and spec.network in networks() and spec.data in data_names()


def values_of(spec: CampaignSpec) -> dict[str, Any]:
    """What the form's fields hold, by their keys, where they ask for this campaign."""
    named = (FormPart.CONDITIONS, FormPart.SEARCH, FormPart.MORE)
    values = {row.name: getattr(spec, row.name) for row in PARAMETERS.values() if row.part in named}
    values |= {"network": spec.network, f"data-{spec.network}": spec.data, "criterion": spec.criterion}
    values |= {"effect": spec.effect, "pairs_how": "all" if spec.pairs is None else "sample"}
    if values["pairs"] is None:
        del values["pairs"]
    values[f"layers-{spec.network}"] = list(values.pop("layers"))
    if spec.value_function is not None:
        values[f"value_function-{spec.criterion}"] = spec.value_function
        for name in FUNCTION_PARAMETERS:
            values[f"{name}-{spec.criterion}-{spec.value_function}"] = getattr(spec, name)
    first, _, number = spec.condition_value_function.partition("=")
    values["first_function"] = first
    if number:
        values |= {f"{name}-first-{first}": float(number) for name in ("sigma", "d")}
    return values
