"""One stored test pair in the network, asked afresh: signs, values, and which part of the definition holds, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from dnncov_core.campaign.review.verification import why_not
from dnncov_core.campaign.work.judge import Judge, on_8bit_grid
from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.parts import Part, parts
from dnncov_core.effect import DecisionChange
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import Activations, near_zero
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle, Verdict
from dnncov_core.partitions import Feature
from dnncov_core.records import TestPair
from dnncov_core.relations import changes
from dnncov_core.types import BoolArray, FloatArray


@dataclass(frozen=True)
class LayerChange:
    """u of one layer for x1 and x2, which signs differ, and which are near zero; each ``(s_k,)``."""

    layer: int
    u1: FloatArray
    u2: FloatArray
    changed: BoolArray
    near_zero: BoolArray


@dataclass(frozen=True)
class RoundedVerdict:
    """What becomes of a pair when x2 is rounded to 8 bits: whether it still covers, and the oracle's verdict."""

    holds: bool
    verdict: Verdict


@dataclass(frozen=True)
class Examination:
    """What the network says of a stored pair.

    Attributes:
        parts: those of the definition, in its order; a free condition feature has the neurons that the file names.
        holds: whether the covering method holds.
        differs: what the network says otherwise than the file; empty if nothing.
        condition: the condition layer, k.
        decision: the decision layer.
        effect: how the condition feature's change acts on the decision feature.
        judged: the pair with what holds of it in each precision and at 8 bits, its effects included.
        verdict: the oracle's.
        rounded: what becomes of it when x2 is rounded to 8 bits; None where the inputs have no such grid.
    """

    parts: tuple[Part, ...]
    holds: bool
    differs: str
    condition: LayerChange
    decision: LayerChange
    effect: DecisionChange
    judged: TestPair
    verdict: Verdict
    rounded: RoundedVerdict | None


def examine(network: Network, pair: TestPair, method: CoveringMethod, oracle: Oracle) -> Examination:
    """Sends x1 and x2 of a stored pair through the network, each alone, on the CPU.

    Network, covering method (with its boundaries) and oracle (norm and bound) are the campaign's.

    Raises:
        NumericsError: a NaN or an infinite value on the way.
    """
    network, features = network.to(device="cpu"), FeaturePair.of(pair.target)
    judge = Judge(network, method, oracle)
    replays = judge.replays(pair.target, pair.x1, pair.x2)
    replayed, judged = replays.own, replace(pair, **replays.judgement(pair.target))
    verdict = oracle.of_replay(replayed)
    before, after = replayed.before, replayed.after
    named = FeaturePair(Feature(features.condition.layer, pair.condition_neurons), features.decision)
    stored = on_8bit_grid(pair.x2, network.box)
    rounded = None
    if stored is not None:
        rounded = RoundedVerdict(bool(judged.holds_8bit), oracle.judge(network, pair.x1, stored))
    return Examination(
        parts=parts(method, named, before, after),
        holds=replayed.holds(features),
        differs=why_not(network, pair, replayed, verdict),
        condition=_change(features.condition.layer, before, after),
        decision=_change(features.decision.layer, before, after),
        effect=replayed.decision_change(features),
        judged=judged,
        verdict=verdict,
        rounded=rounded,
    )


def _change(layer: int, before: Activations, after: Activations) -> LayerChange:
    values1, values2 = before[layer], after[layer]
    near = near_zero(torch.cat([values1.u, values2.u])).any(dim=0)
    changed = changes(values1, values2)[0]
    return LayerChange(layer, values1.u[0].numpy(), values2.u[0].numpy(), changed.numpy(), near.numpy())
