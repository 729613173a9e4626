"""The seeds of a campaign: which inputs may serve, and those of each target in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CoveringMethod
from dnncov_core.data import Data
from dnncov_core.errors import DataError, NumericsError
from dnncov_core.generators import SEED_ORDERS, Seed
from dnncov_core.generators.seed_order.ranking import Pool, Ranked, RankingParameters
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.records import SeedReport, Target
from dnncov_core.registry import class_order
from dnncov_core.types import BoolArray, FloatArray, IntArray

NEAR_CHANCE = 0.1
"""Share of the way from chance to perfect that clean accuracy must reach."""


def plan_seeds(network: Network, data: Data, spec: CampaignSpec) -> SeedReport:
    """The correctly classified inputs, or ``spec.seeds`` of them drawn at random, and what was left out.

    Raises:
        DataError: accuracy near chance level, which means wrong preprocessing, or no seed at all.
    """
    correct = correctly_classified(network, data)
    rows = np.flatnonzero(correct).astype(np.int64)
    _refuse_near_chance(len(rows), data, network.classes)
    if spec.seeds is not None and spec.seeds < len(rows):
        rows = np.sort(np.random.default_rng([spec.random_seed, 0]).choice(rows, spec.seeds, replace=False))
    return SeedReport(rows, inputs=len(data), misclassified=len(data) - int(correct.sum()))


def correctly_classified(network: Network, data: Data) -> BoolArray:
    """Whether the network gives each input its label, ``(N,)``.

    Raises:
        DataError: data without labels.
        NumericsError: logits that are NaN or infinite, which are no label.
    """
    if data.labels is None:
        raise DataError("labels, by which seeds are chosen", f"none in {data.name}", "add them")
    with torch.no_grad():
        parts = [network(torch.from_numpy(data.pixels(part))).cpu() for part in batches(network, len(data))]
    logits = torch.cat(parts).numpy()
    if bad := int((~np.isfinite(logits).all(axis=1)).sum()):
        got = f"NaN or infinite ones for {bad} of {len(data)} inputs"
        raise NumericsError("finite logits", got, "check the network's weights and the data")
    correct: BoolArray = logits.argmax(axis=1) == data.labels
    return correct


def _refuse_near_chance(correct: int, data: Data, classes: Sequence[str]) -> None:
    inputs, chance, order = len(data), 1 / len(classes), class_order(data.name, classes)
    note = f". {order}" if order else ""
    if correct == 0:
        fix = f"check that labels count from 0, the order of classes, and the range of the inputs{note}"
        raise DataError("a correctly classified input to serve as seed", f"none of {inputs}", fix)
    least = chance + NEAR_CHANCE * (1 - chance)
    if correct / inputs < least:
        raise DataError(
            f"clean accuracy clearly above chance ({least:.1%} with {len(classes)} classes)",
            f"{correct / inputs:.1%} ({correct} of {inputs})",
            f"check the preprocessing (pixel range, mean and std inside the network) and the order of classes{note}",
        )


class Seeds:
    """The seeds of each target, at most ``spec.max_seeds``, in the campaign's order."""

    def __init__(
        self,
        rows: IntArray,
        data: Data,
        network: Network,
        spec: CampaignSpec,
        *,
        method: CoveringMethod,
        targets: Sequence[Target],
    ) -> None:
        self._rows, self._data, self._network = rows, data, network
        pool = Pool(len(rows), lambda places: data.pixels(rows[places]))
        parameters = RankingParameters(
            spec.max_seeds,
            spec.random_seed,
            by_gradients=spec.by_gradients,
            labels=spec.objective != "distance",
            passes=spec.passes,
            targets=targets,
        )
        self.ranking = SEED_ORDERS[spec.seed_order].prepare(network, method, pool, parameters)

    def of(self, targets: Sequence[Target]) -> list[Iterable[Seed]]:
        """Seeds for each target; they depend on the target alone."""
        return [self._seeds(ranked) for ranked in self.ranking(targets)]

    def _seeds(self, ranked: Ranked) -> Iterable[Seed]:
        for number, place in enumerate(ranked.places.tolist()):
            row = int(self._rows[place])
            x = as_input(self._data.pixels([row])[0], self._network)
            yield Seed(row, x, ranked.passes if number == 0 else 0)


def as_input(pixels: FloatArray, network: Network) -> FloatArray:
    """One input in the network's own precision."""
    return torch.from_numpy(pixels).to(network.dtype).numpy()
