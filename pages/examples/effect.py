"""Whether the decision of a test pair depends on its condition: the arithmetic, in each precision, and its figure."""

from __future__ import annotations

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
from pages.shared.effect import DEPENDS, effect, verdict
from pages.shared.words import table

ANSWERS = {True: "yes", False: "no", None: NO_EIGHT_BITS}


def effect_of_pair(pair: TestPair, card: NetworkCard, seen: Examination, provenance: Provenance) -> None:
    """u of the decision in four cases, what follows from them, and the waterfall between x1 and x2."""
    judged, ordinal = seen.judged, pair.target.ordinal
    features = FeaturePair(
        Feature(pair.target.condition_layer, pair.condition_neurons), FeaturePair.of(pair.target).decision
    )
    known = Effect(bool(judged.needed), bool(judged.sufficient), judged.effect_share)
    view = EffectView(features, seen.effect, known, card=card)

    def below() -> None:
        verdict(view)
        _precisions(judged, pixels=has_pixels(card))
        if pair.needed is None:
            st.caption(f"The file says “{UNKNOWN}”, so this is what the network says now.")

    st.subheader(DEPENDS, anchor=False)
    effect(view, provenance, key=f"effect-{provenance.id}-{ordinal}", part=str(ordinal), below=below)


def _precisions(judged: TestPair, *, pixels: bool) -> None:
    """Whether the pair covers, and with which effect, as the network is, in float64, and with x2 rounded to 8 bits."""
    rows = [
        ("own", True, judged.needed, judged.sufficient),
        ("float64", judged.holds_float64, judged.needed_float64, judged.sufficient_float64),
        ("x2 at 8 bits", judged.holds_8bit, judged.needed_8bit, judged.sufficient_8bit),
    ]
    named = [(name, *(ANSWERS[answer] for answer in answers)) for name, *answers in rows[: 3 if pixels else 2]]
    table(("Precision", "Covers", "Needed", "Sufficient"), named)
