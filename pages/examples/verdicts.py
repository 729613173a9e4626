"""What the stored pair is, as the file and the network say it: parts of the definition, verdicts, distances."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dnncov_core.campaign.review.examination import Examination, LayerChange
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria.parts import Asks, Part
from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.oracle import Oracle, Verdict
from dnncov_core.phrases.adversarial import adversarial_means
from dnncov_core.phrases.coverage import NO_EIGHT_BITS
from dnncov_core.phrases.definitions import comparison
from dnncov_core.phrases.neurons import neuron_name, neuron_words
from dnncov_core.phrases.numbers import short
from dnncov_core.phrases.pairs import QUANTITY_HEADS, class_name, grey_levels, label_words, quantity_rows
from dnncov_core.ratios import NOTHING
from dnncov_core.records import LayerInfo, NetworkCard, TestPair
from dnncov_core.statistics.coverage import has_pixels
from dnncov_core.statistics.distances import UNITS, unit_of
from dnncov_core.types import Norm
from pages.shared.formula import HOLDS, ticked
from pages.shared.words import plain, table

MOST_SAID = 6
"""Neurons of a feature whose values are said; the table has all."""


def reasons(seen: Examination, pair: TestPair, card: NetworkCard) -> None:
    """Each part of the definition with the values that decide, and whether all hold."""
    for part in seen.parts:
        change = seen.condition if part.layer == seen.condition.layer else seen.decision
        st.markdown(f"{ticked(part)}  \n:small[:gray[{plain(_values(part, change, card.layer(part.layer)))}]]")
    most = pair.target.condition_most
    if most is not None:
        n = int(seen.condition.changed.sum())
        holds, size = HOLDS[1 <= n <= most], "1 neuron" if most == 1 else f"1 to {most:,} neurons"
        st.markdown(f"{holds} **size**: the free condition feature has {size}  \n:small[:gray[{n:,} changed]]")
    said = "All hold: covered, on a fresh pass of the network." if seen.holds else "Not all hold: not covered here."
    st.markdown(f"**{said}**")
    if seen.differs:
        st.warning(f"The network says otherwise than the file: {plain(seen.differs)}.", icon=":material/rule:")
    near = int(seen.condition.near_zero.sum()) + int(seen.decision.near_zero[list(pair.target.decision_neurons)].sum())
    if near:
        st.caption(f"Signs so near zero that they may differ on another machine: {near:,}.")


def _values(part: Part, change: LayerChange, layer: LayerInfo) -> str:
    """What decides: the neurons of a feature one by one, of a whole layer how many kept their signs."""
    if part.asks in (Asks.REST_KEPT, Asks.LAYER_KEPT):
        return _kept(part, change, layer)
    if part.quantities:
        of = {i: f"{neuron_name(layer, i)}: " for i in part.neurons} if len(part.neurons) > 1 else {}
        some = [
            f"{of.get(quantity.neurons[0], '') if len(quantity.neurons) == 1 else ''}{comparison(quantity)}"
            for quantity in part.quantities[:MOST_SAID]
        ]
    else:
        some = [f"{neuron_name(layer, i)}: u {_arrow(change, i)}" for i in part.neurons[:MOST_SAID]]
    left = max(len(part.quantities), len(part.neurons) if not part.quantities else 0) - len(some)
    return "; ".join(some) + (f"; and {left:,} more" if left > 0 else "")


def _kept(part: Part, change: LayerChange, layer: LayerInfo) -> str:
    neurons = np.array(part.neurons, np.int64)
    if not neurons.size:
        return "no other neuron"
    changed = neurons[change.changed[neurons]]
    if changed.size:
        return f"{changed.size:,} of {neurons.size:,} changed: {neuron_words(layer, changed.tolist())}"
    size = np.minimum(np.abs(change.u1), np.abs(change.u2))[neurons]
    nearest = int(neurons[size.argmin()])
    name = neuron_name(layer, nearest)
    return f"{neurons.size:,} of {neurons.size:,} kept; nearest to zero is {name}: u {_arrow(change, nearest)}"


def _arrow(change: LayerChange, neuron: int) -> str:
    return f"{short(float(change.u1[neuron]))} → {short(float(change.u2[neuron]))}"


def verdicts(pair: TestPair, card: NetworkCard, spec: CampaignSpec, seen: Examination | None) -> None:
    """Labels, distance and verdict of the pair as stored, and of the pair with x2 rounded to 8 bits.

    The network is asked about the rounded pair; without it, the file knows only whether the method still holds.
    """
    method = spec.covering_method().key.upper()
    rounded = None if seen is None else seen.rounded
    kept = pair.holds_8bit if rounded is None else rounded.holds
    held = NO_EIGHT_BITS if kept is None else "holds" if kept else "is lost"
    rows = [
        *_decided(card, pair, None if rounded is None else rounded.verdict),
        (method, "holds", held),
        (f"{NORM_NAMES[spec.norm]} distance", written(pair.distance), NOTHING),
        ("Adversarial", "yes" if pair.adversarial else "no", NOTHING),
    ]
    if rounded is not None:
        now = rounded.verdict
        rows[-2:] = [(*rows[-2][:2], written(now.distance)), (*rows[-1][:2], "yes" if now.adversarial else "no")]
    heads = ["", "As stored", "Rounded to 8 bits"]
    if not has_pixels(card):
        table(heads[:2], [row[:2] for row in rows])
    else:
        table(heads, rows)
    if card.quantities and seen is not None:
        table(QUANTITY_HEADS, quantity_rows(card.quantities, seen.verdict.outputs1, seen.verdict.outputs2))
    double = "holds" if pair.holds_float64 else "does not hold"
    asked_now = ", and what is rounded was computed just now" if rounded is not None and has_pixels(card) else ""
    means = plain(adversarial_means(spec, card))
    st.caption(f"{method} {double} in float64, too; adversarial means {means}{asked_now}.")


def _decided(card: NetworkCard, pair: TestPair, now: Verdict | None) -> list[tuple[str, str, str]]:
    """Both labels, as stored and with x2 rounded; or whether the outputs of a regression are within tolerance."""
    if card.quantities:
        return [("Outputs", class_name(card, pair.label2), NOTHING if now is None else class_name(card, now.label2))]
    return [
        ("Label of x1 (softmax)", label_words(card, pair.label1, pair.confidence1), "the same"),
        (
            "Label of x2 (softmax)",
            label_words(card, pair.label2, pair.confidence2),
            NOTHING if now is None else label_words(card, now.label2, now.confidence2),
        ),
    ]


def distances(pair: TestPair, card: NetworkCard, spec: CampaignSpec) -> None:
    """Distances in every norm, in both units where the inputs are pixels, beside the bound b."""
    pixels = has_pixels(card)
    known: dict[Norm, float] = {"inf": pair.distance_inf, "2": pair.distance_2, "1": pair.distance_1}
    heads = ["Distance", UNITS[unit_of(card)].capitalize(), *(["Grey levels"] if pixels else []), "Bound b"]
    rows = []
    for norm, value in known.items():
        levels = [grey_levels(value, card.box.share_bounds)] if pixels else []
        rows.append([NORM_NAMES[norm], written(value), *levels, _bound(pair, spec) if norm == spec.norm else ""])
    table(heads, rows)


def _bound(pair: TestPair, spec: CampaignSpec) -> str:
    """The campaign's bound, and whether the pair is within it as the oracle reads it."""
    if spec.bound is None:
        return "none"
    within = Oracle(spec.norm, spec.bound).within(pair.distance, pair.x2)
    return f"{spec.bound:g}: {'within' if within else 'beyond'}"
