"""What each criterion, label and distance means, as claims.json says it and verify.py reads it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dnncov_core.box import Box
from dnncov_core.criteria import NO_EFFECT, CoveringMethod, LayerCriterion, NeuronCriterion, ValueFunction
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import TopNeuron
from dnncov_core.criteria.reference_functions import MeasuredBoundary, Meets
from dnncov_core.criteria.ssim import SSIM
from dnncov_core.criteria.value_functions import Top
from dnncov_core.generators import GRIDS
from dnncov_core.networks.decision import Decision, LabelDecision, ToleranceDecision
from dnncov_core.records import LayerInfo

Table = dict[str, Any]
ONE_NUMBER = ("sigma", "d", "m")
"""A value function has one number, whatever it is called, beside those of other kinds."""
FIXED = 1e300
"""The unit of a number of the input that is fixed, in JSON, which has no infinity."""


def why_not_computed(method: CoveringMethod | NeuronCriterion | LayerCriterion | None) -> str:
    """Why verify.py does not compute a criterion again; empty if it does."""
    if method is None:
        return "the sign patterns of all hidden neurons are counted over the whole suite, which the pack does not hold"
    if isinstance(method, LayerCriterion):
        return "it rests on the values of whole layers for all inputs, which the pack does not hold"
    if isinstance(method, NeuronCriterion):
        return "it rests on ranges of reference data, which the pack does not hold" if method.by_ranges else ""
    used = [g for change, g in ((method.condition, method.g1), (method.decision, method.g2)) if change is Change.VALUE]
    if any(isinstance(g, SSIM) for g in used):
        return "verify.py does not compute structural similarity"
    boundary = [g for g in used if isinstance(g, MeasuredBoundary) and not g.highest]
    if boundary or any(g.by_ranges and not isinstance(g, MeasuredBoundary) for g in used):
        return "its value function rests on ranges of reference data, which the pack does not hold"
    return ""


def criterion(name: str, method: CoveringMethod | NeuronCriterion | LayerCriterion | None, *, free: bool) -> Table:
    """A criterion: what it asks of the condition feature and of the decision feature.

    Args:
        name: as claims call it.
        method: what it is; None for safety coverage.
        free: whether condition features are free.
    """
    told: Table = {"name": name, "key": method.key if method else "s", "free": free}
    told |= {"not_computed": why_not_computed(method), "condition": None, "decision": None, "g1": None, "g2": None}
    if isinstance(method, CoveringMethod):
        told |= {"condition": method.condition.value, "decision": method.decision.value, "formula": method.formula}
        told |= {"g1": value_function(method.g1), "g2": value_function(method.g2)}
        told |= {"effect": "" if method.effect == NO_EFFECT else method.effect}
    elif isinstance(method, NeuronCriterion):
        key = TopNeuron.key if isinstance(method, TopNeuron) else method.key
        told |= {"decision": "value", "formula": method.formula}
        told |= {"g2": {"name": key, "number": getattr(method, "m", None)}}
    return told


def value_function(g: ValueFunction) -> Table:
    """A value function by its name and its numbers; those of a lemma by the criterion whose condition x2 meets."""
    if isinstance(g, Meets):
        m = g.condition.m if isinstance(g.condition, TopNeuron) else None
        return {"name": "tn" if m is not None else type(g.condition).__name__, "number": m}
    told = {name: value for name, value in vars(g).items() if name in ("p", "at_most", "of")}
    told |= {"name": g.name, "number": next((vars(g)[name] for name in ONE_NUMBER if name in vars(g)), None)}
    if isinstance(g, Top):
        told["number"] = 1
    if isinstance(g, MeasuredBoundary):
        layers = sorted({layer for layer, _ in g.highest})
        told["limits"] = {str(k): [u for (layer, _), u in sorted(g.highest.items()) if layer == k] for k in layers}
    return told


def decision(rule: Decision) -> Table:
    """How outputs become a label."""
    known = rule if isinstance(rule, LabelDecision) else LabelDecision()
    tolerance = list(rule.tolerance) if isinstance(rule, ToleranceDecision) else None
    return {"rule": known.rule, "threshold": known.threshold, "tolerance": tolerance}


def inputs(box: Box) -> Table:
    """The range of inputs, the unit of distances, and whether inputs have 256 levels."""
    unit = np.nan_to_num(np.asarray(box.unit, np.float64), posinf=FIXED).tolist()
    return {"low": box.low.tolist(), "high": box.high.tolist(), "unit": unit, "grid": GRIDS["8bit"].fits(box)}


def layers(those: tuple[LayerInfo, ...]) -> list[Table]:
    """The layers by the paper's numbers, from the input, which is 1."""
    return [{"index": k.index, "name": k.name, "neurons": k.neurons, "shape": list(k.shape)} for k in those]
