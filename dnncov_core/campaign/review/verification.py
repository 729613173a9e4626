"""Replays every stored pair of a campaign through the network."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from dnncov_core.activations import side_by_side
from dnncov_core.box import Box
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.inputs import network_of
from dnncov_core.campaign.work.judge import Judge
from dnncov_core.errors import DnncovError
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import Activations, near_zero
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle, Verdict
from dnncov_core.records import TestPair
from dnncov_core.replay import Replay
from dnncov_core.types import BoolArray

CHUNK = 200
SHARE_ROUNDING = 1e-3
"""Another machine may round the share of a decision's change by so much."""


@dataclass
class Verification:
    """What a replay found.

    Attributes:
        pairs: how many were replayed.
        holding: how many are what the file says of them.
        near_zero: how many of these rely on a sign near zero.
        effects: of how many the stored effect was compared with the network's.
        without_effect: how many have none stored, as an earlier version left them.
        failing: the ordinals of pairs that do not hold, each with its reason.
    """

    pairs: int = 0
    holding: int = 0
    near_zero: int = 0
    effects: int = 0
    without_effect: int = 0
    failing: dict[int, str] = field(default_factory=dict)


def verify(store: CampaignStore, network_reference: str | None = None) -> Verification:
    """Asks the campaign's network afresh, one input at a time, whether each stored pair covers and keeps its labels.

    Raises:
        CampaignError: another network, or a damaged file.
    """
    spec = store.spec()
    network, _ = network_of(store, network_reference)
    oracle = Oracle(spec.norm, spec.bound)
    judge = Judge(network, store.covering_method(), oracle)
    result = Verification()

    def asked(pair: TestPair) -> tuple[TestPair, str, bool]:
        try:
            replayed = judge.replayed(pair.target, pair.x1, pair.x2)
            reason = why_not(network, pair, replayed, oracle.of_replay(replayed))
        except DnncovError as error:
            return pair, str(error), False
        return pair, reason, is_near_zero(pair, [replayed.before, replayed.after])

    for pair, reason, near in side_by_side(network, asked, all_pairs(store)):
        result.pairs += 1
        result.effects += pair.needed is not None
        result.without_effect += pair.needed is None
        if reason:
            result.failing[pair.target.ordinal] = reason
        else:
            result.holding += 1
            result.near_zero += near
    return result


def all_pairs(store: CampaignStore) -> Iterator[TestPair]:
    """The test pairs of a campaign in the order of work, read some at a time."""
    for offset in range(0, store.pairs.count(), CHUNK):
        yield from store.pairs.page(limit=CHUNK, offset=offset)


def why_not(network: Network, pair: TestPair, replayed: Replay, verdict: Verdict) -> str:
    """Why a stored pair is not what the file says of it, by a replay and the oracle's verdict; empty if it is."""
    if outside := leaves(network.box, pair):
        return f"an input leaves the network's bounds{outside}"
    if not replayed.holds(FeaturePair.of(pair.target)):
        return "the covering method does not hold"
    if not replayed.covers(FeaturePair.of(pair.target)):
        return "the effect that the campaign asks for is not there"
    if not _same_flips(pair, replayed):
        return "other neurons of the condition layer change their sign than those stored"
    if not _same_effect(pair, replayed):
        return "the effect of the condition differs from that stored"
    if (verdict.label1, verdict.label2) != (pair.label1, pair.label2):
        return "the labels differ from those stored"
    if verdict.distance != pair.distance or verdict.adversarial != pair.adversarial:
        return "the distance or the oracle's verdict differs from that stored"
    return ""


def leaves(box: Box, pair: TestPair) -> str:
    """Which bounds the inputs of a pair leave, as the end of a sentence; empty if none."""
    outside = np.flatnonzero([box.outside(x) for x in (pair.x1, pair.x2)]) % pair.x1.size
    if not outside.size:
        return ""
    (low, high), name = box.range_of(int(outside[0])), box.name(int(outside[0]))
    return f"{f' of {name}' if box.ranges else ''}, {low} to {high}"


def _same_flips(pair: TestPair, replayed: Replay) -> bool:
    """Whether the stored neurons of a free condition feature are those that change, but for signs near zero."""
    if pair.target.condition_most is None or pair.flipped is None:
        return pair.target.condition_most is None and pair.flipped is None
    near = np.flatnonzero(_near([replayed.before, replayed.after], pair.target.condition_layer))
    return set(replayed.changed(pair.target.condition_layer)) ^ set(pair.flipped) <= set(near.tolist())


def _same_effect(pair: TestPair, replayed: Replay) -> bool:
    """Whether the stored effect is that of the network, but for signs near zero and rounding; true where none is."""
    if pair.needed is None:
        return True
    features = FeaturePair.of(pair.target)
    found, made = replayed.effect(features), replayed.interventions(features)
    at, neurons = pair.target.decision_layer, list(pair.target.decision_neurons)
    back, alone = (bool(near_zero(each[at].u)[0, neurons].any()) for each in (made.put_back, made.alone))
    own, stored = (math.nan if share is None else share for share in (found.share, pair.effect_share))
    return (
        (found.needed == pair.needed or back)
        and (found.sufficient == pair.sufficient or alone)
        and np.allclose(own, stored, rtol=SHARE_ROUNDING, atol=SHARE_ROUNDING, equal_nan=True)
    )


def is_near_zero(pair: TestPair, values: Sequence[Activations]) -> bool:
    """Whether a sign that the pair relies on lies near zero, by values at x1 and x2, each alone or in one batch."""
    target = pair.target
    decision = _near(values, target.decision_layer)[list(target.decision_neurons)]
    return bool(_near(values, target.condition_layer).any() or decision.any())


def _near(values: Sequence[Activations], layer: int) -> BoolArray:
    """Whether each sign of a layer lies near zero for x1 or x2, ``(s_k,)``: on another machine it may be the other."""
    near: BoolArray = near_zero(torch.cat([each[layer].u for each in values])).any(dim=0).cpu().numpy()
    return near
