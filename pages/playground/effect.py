"""Whether the decision changed because of the condition: the arithmetic of the feature pair that is looked at."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dnncov_core.export.exhibits import Exhibit
from dnncov_core.export.provenance import Origin
from dnncov_core.figures.effect import EffectView
from dnncov_core.playground import names
from dnncov_core.playground.two_inputs import NetworkView
from pages.shared.effect import arithmetic, verdict, waterfall, which


def effect(looked_at: NetworkView, provenance: Origin) -> Exhibit:
    """u of the decision with the condition put back and with its change alone, and the waterfall between x1 and x2."""
    setting, change = looked_at.setting, looked_at.change
    assert change is not None
    view = EffectView(setting.pair, change, looked_at.effects[setting.pair], name=names.neuron)
    with st.container(border=True):
        st.markdown("##### Because of the condition, or only with it?")
        left, right = st.columns([2, 3], gap="large")
        with left:
            view = replace(view, place=which(view, f"play-effect-{names.pair(setting.pair)}"))
            arithmetic(view)
            if looked_at.inputs.covers(setting.method, setting.pair):
                verdict(view)
            else:
                st.caption("The pair is not covered, so no effect is asked for.")
        with right:
            return waterfall(view, provenance, key="play-effect")
