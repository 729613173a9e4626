"""Replays on another network made by hand, of campaigns made by hand."""

from __future__ import annotations

from collections import Counter

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.replayed import Replayed, ReplayedCondition
from dnncov_core.types import Edge

LABELS = ((3, 3), (3, 8), (8, 8))
"""What the other network says of x1 and x2, in turns."""


def replay(store: CampaignStore, *, missing: int | None = None, network: str = "next") -> Replayed:
    """Every third condition is kept, the next lost, and the next covered by another pair; open ones are gained.

    ``missing`` is a layer that is not there: conditions that ask it are neither covered there nor lost.
    """
    card, targets = store.card(), store.targets.all()
    assert card is not None
    pending = {target.ordinal for target in store.targets.pending()}
    pairs = {pair.target.ordinal: pair for pair in store.pairs.page()}
    asked, conditions = Counter(target.edge for target in targets), []
    for at, target in enumerate(sorted(targets, key=lambda each: each.ordinal)):
        pair, there = pairs.get(target.ordinal), missing not in target.edge
        if pair is None:
            gained = ReplayedCondition(target.ordinal, target.edge, None, True, pending=target.ordinal in pending)
            conditions += [gained] * (there and at % 2 == 0)
            continue
        labels = LABELS[at % 3]
        conditions.append(
            ReplayedCondition(
                ordinal=target.ordinal,
                edge=target.edge,
                own=at % 3 == 0 if there else None,
                covered=there and at % 3 != 1,
                labels=(pair.label1, pair.label2),
                labels_there=labels,
                adversarial=pair.adversarial,
                adversarial_there=labels[0] != labels[1],
            )
        )
    return Replayed(
        network=network,
        fingerprint="e" * 64,
        date="2026-01-02T03:04:05+00:00",
        layers=tuple((each, None if each.index == missing else each) for each in card.layers[1:]),
        asked=tuple((edge, n, _there(edge, missing)) for edge, n in sorted(asked.items())),
        conditions=tuple(conditions),
    )


def _there(edge: Edge, missing: int | None) -> Edge | None:
    return None if missing in edge else edge
