"""Test pairs as one NumPy file."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dnncov_core.campaign.file.encoding import join
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.provenance import of_campaign
from dnncov_core.record_files import writing
from dnncov_core.records import TestPair

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

NOT_KNOWN = -1
"""What stands for yes or no where it is not known, or does not apply."""


def save_pairs(store: CampaignStore, path: Path, *, network: Network | None = None, files: Sequence[str] = ()) -> int:
    """Writes all test pairs of a campaign to an ``.npz`` file and returns their number n; see `pair_arrays`.

    Raises:
        DataError: the file cannot be written.
    """
    arrays = pair_arrays(store, network=network, files=files)
    with writing("--out"), path.open("wb") as file:
        np.savez_compressed(file, **arrays)
    return len(arrays["ordinal"])


def pairs_bytes(store: CampaignStore, some: Sequence[TestPair] | None = None) -> bytes:
    """The content of a file of test pairs, all of a campaign or some of them; no network is loaded for it."""
    file = io.BytesIO()
    np.savez_compressed(file, **pair_arrays(store, some))
    return file.getvalue()


def pair_arrays(
    store: CampaignStore,
    some: Sequence[TestPair] | None = None,
    *,
    network: Network | None = None,
    files: Sequence[str] = (),
) -> dict[str, Any]:
    """All test pairs of a campaign, in the order of the plan, or some of them.

    x1 and x2 ``(n, *input_shape)``; label1, label2, distance, adversarial, condition_layer and decision_layer ``(n,)``;
    condition_neurons and decision_neurons ``(n,)`` of strings, 0-based indices separated by blanks; ordinal, the test
    condition's place among all of the plan, and found_for, with reuse the ordinal of the test condition whose search
    found the pair, -1 for its own, ``(n,)``; seed, the row of x1 in the data, and seed_file, the name of its file,
    empty where it has none or it is not known; holds_8bit and near_zero, 1 for yes, 0 for no, -1 where 8 bits do not
    apply, or it is not known: whether the pair holds when x2 is rounded to 8 bits, and whether a sign that it relies on
    lies so near zero that it may be the other on another machine; needed and sufficient, likewise of 1, 0 and -1,
    whether the pair shows that effect of the condition, needed_8bit and sufficient_8bit whether it does when x2 is
    rounded to 8 bits, and effect_share, how much of the decision's change the condition carries, NaN where it is not
    known; provenance, where all of it comes from, a single string of JSON.

    Args:
        store: the campaign.
        some: of its pairs; all if left out.
        network: the campaign's network, which tells what is near zero.
        files: names of the data's files by row.
    """
    pairs = store.pairs.page() if some is None else some
    card = store.card()
    shape = card.input_shape if card else ()
    return {
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
        "seed": np.array([pair.seed for pair in pairs], np.int64),
        "seed_file": np.array([files[pair.seed] if files else "" for pair in pairs], np.str_),
        "holds_8bit": _answers(pair.holds_8bit for pair in pairs),
        "near_zero": _near_zero(network, pairs),
        "needed": _answers(pair.needed for pair in pairs),
        "sufficient": _answers(pair.sufficient for pair in pairs),
        "effect_share": np.array([np.nan if (share := pair.effect_share) is None else share for pair in pairs]),
        "needed_8bit": _answers(pair.needed_8bit for pair in pairs),
        "sufficient_8bit": _answers(pair.sufficient_8bit for pair in pairs),
        "provenance": np.array(of_campaign(store).to_json()),
    }


def _answers(given: Iterable[bool | None]) -> Any:
    return np.array([NOT_KNOWN if answer is None else answer for answer in given], np.int8)


def _near_zero(network: Network | None, pairs: Sequence[TestPair]) -> Any:
    if network is None:
        return np.full(len(pairs), NOT_KNOWN, np.int8)
    import torch  # only where it is needed

    from dnncov_core.activations import capture
    from dnncov_core.campaign.review.verification import is_near_zero

    with torch.no_grad():
        both = (torch.from_numpy(np.stack([pair.x1, pair.x2])) for pair in pairs)
        seen = (capture(network, x, pair.target.edge) for x, pair in zip(both, pairs, strict=True))
        return np.array([is_near_zero(pair, [values]) for pair, values in zip(pairs, seen, strict=True)], np.int8)


def _stack(inputs: list[Any], shape: tuple[int, ...]) -> Any:
    return np.stack(inputs) if inputs else np.zeros((0, *shape))
