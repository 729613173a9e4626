"""Whether the decision depends on the condition, in the feature pair that is looked at."""

from __future__ import annotations

import streamlit as st

from dnncov_core.export.exhibits import Exhibit
from dnncov_core.export.provenance import Origin
from dnncov_core.figures.effect import EffectView
from dnncov_core.playground import names
from dnncov_core.playground.network_view import NetworkView
from pages.shared.effect import DEPENDS, effect, verdict


def effect_of_setting(looked_at: NetworkView, provenance: Origin) -> Exhibit:
    """u of the decision with the condition put back and with its change alone, and the waterfall between x1 and x2."""
    setting, change = looked_at.setting, looked_at.change
    assert change is not None
    view = EffectView(setting.pair, change, looked_at.effects[setting.pair], name=names.neuron)

    def below() -> None:
        if looked_at.inputs.covers(setting.method, setting.pair):
            verdict(view)
        else:
            st.caption("The pair is not covered, so no effect is asked for.")

    with st.container(border=True):
        st.markdown(f"##### {DEPENDS}")
        return effect(view, provenance, key=f"effect-{names.pair(setting.pair)}", below=below)
