"""Whether the decision of a test pair changed because of its condition: the arithmetic, in each precision, and why."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dnncov_core.campaign.review.examination import Examination
from dnncov_core.export.provenance import Provenance
from dnncov_core.features import FeaturePair
from dnncov_core.figures.effect import EffectView
from dnncov_core.partitions import Feature
from dnncov_core.phrases.coverage import NO_EIGHT_BITS
from dnncov_core.phrases.effect import UNKNOWN
from dnncov_core.records import Effect, NetworkCard, TestPair
from dnncov_core.statistics.coverage import has_pixels
from pages.shared.effect import arithmetic, verdict, waterfall, which
from pages.shared.words import table

ANSWERS = {True: "yes", False: "no", None: NO_EIGHT_BITS}


def effect(pair: TestPair, card: NetworkCard, seen: Examination, provenance: Provenance) -> None:
    """u of the decision in four cases, what follows from them, and the waterfall between x1 and x2."""
    st.subheader("Because of the condition, or only with it?", anchor=False)
    view = _view(pair, seen)
    left, right = st.columns([2, 3], gap="large")
    with left:
        view = replace(view, place=which(view, f"effect-{provenance.id}-{pair.target.ordinal}"))
        arithmetic(view)
        verdict(view)
        _precisions(seen.judged, pixels=has_pixels(card))
        if pair.needed is None:
            st.caption(f"In the file: {UNKNOWN}. This is what the network says now.")
    with right:
        waterfall(view, provenance, key="effect", part="-".join(map(str, (pair.target.ordinal, view.place))))


def _view(pair: TestPair, seen: Examination) -> EffectView:
    condition = Feature(pair.target.condition_layer, pair.condition_neurons)
    features = FeaturePair(condition, FeaturePair.of(pair.target).decision)
    shown = Effect(bool(seen.judged.needed), bool(seen.judged.sufficient), seen.judged.effect_share)
    return EffectView(features, seen.effect, shown)


def _precisions(judged: TestPair, *, pixels: bool) -> None:
    """Whether the pair covers, and with which effect, as the network is, in float64, and with x2 rounded to 8 bits."""
    rows = [
        ("own", True, judged.needed, judged.sufficient),
        ("float64", judged.holds_float64, judged.needed_float64, judged.sufficient_float64),
        ("x2 at 8 bits", judged.holds_8bit, judged.needed_8bit, judged.sufficient_8bit),
    ]
    named = [(name, *(ANSWERS[answer] for answer in answers)) for name, *answers in rows[: 3 if pixels else 2]]
    table(("Precision", "Covers", "Needed", "Sufficient"), named)
