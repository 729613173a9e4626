"""What is proved of a campaign, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.proofs import METHODS
from dnncov_core.records import Outcome


@dataclass(frozen=True)
class ProofCounts:
    """What is proved of a campaign, by all its proofs together.

    Attributes:
        neurons: of the network's layers 2..K.
        constant: of them, those whose sign is proved to be constant.
        by_method: how many of these each method proved.
        conditions_infeasible: test conditions of the campaign proved infeasible.
        covered: test conditions with a replayable witness.
        pairs: all test conditions of the campaign.
        seconds: working time of the last proof.
    """

    neurons: int
    constant: int
    by_method: dict[str, int]
    conditions_infeasible: int
    covered: int
    pairs: int
    seconds: float


def proof_counts(store: CampaignStore, seconds: float = 0.0) -> ProofCounts:
    """What the file of a prepared campaign has of proofs.

    Args:
        store: the campaign.
        seconds: working time of the last proof, which the file does not keep.
    """
    card, certificates, outcomes = store.card(), store.certificates(), store.outcomes()
    assert card is not None
    return ProofCounts(
        neurons=sum(layer.neurons for layer in card.layers[1:]),
        constant=len(certificates),
        by_method={method: sum(c.method == method for c in certificates) for method in METHODS},
        conditions_infeasible=outcomes.get(Outcome.PROVED_INFEASIBLE, 0),
        covered=outcomes.get(Outcome.FOUND, 0),
        pairs=sum(outcomes.values()),
        seconds=seconds,
    )
