"""Test pairs as one NumPy file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.campaign.rows import join
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import CampaignError


def save_pairs(store: CampaignStore, path: Path) -> int:
    """Writes all test pairs of a campaign to an ``.npz`` file and returns their number n.

    Arrays: x1 and x2 ``(n, *input_shape)``; label1, label2, distance, adversarial, condition_layer and decision_layer
    ``(n,)``; condition_neurons and decision_neurons ``(n,)`` of strings, 0-based indices separated by blanks; ordinal,
    the test condition's place among all of the plan, and found_for, with reuse the ordinal of the test condition whose
    search found the pair, -1 for its own, ``(n,)``.

    Raises:
        CampaignError: the file cannot be written.
    """
    pairs = store.test_pairs()
    card = store.card()
    shape = card.input_shape if card else ()
    arrays: dict[str, Any] = {
        "x1": _stack([pair.x1 for pair in pairs], shape),
        "x2": _stack([pair.x2 for pair in pairs], shape),
        "label1": np.array([pair.label1 for pair in pairs], np.int64),
        "label2": np.array([pair.label2 for pair in pairs], np.int64),
        "distance": np.array([pair.distance for pair in pairs], np.float64),
        "adversarial": np.array([pair.adversarial for pair in pairs], np.bool_),
        "condition_layer": np.array([pair.target.condition_layer for pair in pairs], np.int64),
        "decision_layer": np.array([pair.target.decision_layer for pair in pairs], np.int64),
        "condition_neurons": np.array([join(pair.condition_neurons) for pair in pairs], np.str_),
        "decision_neurons": np.array([join(pair.target.decision_neurons) for pair in pairs], np.str_),
        "ordinal": np.array([pair.target.ordinal for pair in pairs], np.int64),
        "found_for": np.array([-1 if pair.found_for is None else pair.found_for for pair in pairs], np.int64),
    }
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CampaignError("a file that can be written", reason, "choose another --out") from error
    return len(pairs)


def _stack(inputs: list[Any], shape: tuple[int, ...]) -> Any:
    return np.stack(inputs) if inputs else np.zeros((0, *shape))
