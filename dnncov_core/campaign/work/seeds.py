"""The seeds of a campaign: which inputs may serve, and those of each target in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import torch

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CoveringMethod
from dnncov_core.data import Data
from dnncov_core.errors import DataError, NumericsError
from dnncov_core.generators import LEAST_PASSES, SEED_ORDERS, Seed
from dnncov_core.generators.seed_order.ranking import Pool, Ranked, Ranking, RankingParameters
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.readings.trials import least_accuracy
from dnncov_core.records import SeedReport, Target
from dnncov_core.registry import class_order
from dnncov_core.types import BoolArray, FloatArray, IntArray


def plan_seeds(network: Network, data: Data, spec: CampaignSpec) -> SeedReport:
    """The correctly classified inputs, or ``spec.seeds`` of them drawn at random, and what was left out.

    Raises:
        DataError: accuracy near chance level, which means wrong preprocessing, or no seed at all.
    """
    correct = correct_rows(network, data)
    if not network.quantities:
        _refuse_near_chance(len(correct), data, network.classes)
    elif not len(correct):
        expected = "an input whose outputs are within the tolerance of its targets"
        raise DataError(expected, f"none of {len(data)}", "check the units of inputs and targets, or the tolerance")
    report = SeedReport(correct, inputs=len(data), misclassified=len(data) - len(correct))
    if spec.seeds is None or spec.seeds >= len(correct):
        return report
    rows = np.sort(np.random.default_rng([spec.random_seed, 0]).choice(correct, spec.seeds, replace=False))
    return replace(report, rows=rows, correct=correct if spec.seeds_beyond else None)


def correct_rows(network: Network, data: Data) -> IntArray:
    """The row numbers of the inputs to which the network gives their label, ascending; raises like the next."""
    return np.flatnonzero(correctly_classified(network, data)).astype(np.int64)


def correctly_classified(network: Network, data: Data) -> BoolArray:
    """Whether the network gives each input its label, or outputs within their tolerance of the targets, ``(N,)``.

    Raises:
        DataError: data without labels.
        NumericsError: logits that are NaN or infinite, which are no label.
    """
    truth = data.truth(targets=bool(network.quantities))
    if network.quantities and truth is None:
        return np.ones(len(data), bool)
    if truth is None:
        raise DataError("labels, by which seeds are chosen", f"none in {data.name}", "add them")
    with torch.no_grad():
        parts = [network(torch.from_numpy(data.pixels(part))).cpu() for part in batches(network, len(data))]
    logits = torch.cat(parts).numpy()
    if bad := int((~np.isfinite(logits).all(axis=1)).sum()):
        got = f"NaN or infinite ones for {bad} of {len(data)} inputs"
        raise NumericsError("finite logits", got, "check the network's weights and the data")
    return network.decision.agrees(torch.from_numpy(logits), truth)


def _refuse_near_chance(correct: int, data: Data, classes: Sequence[str]) -> None:
    inputs, order = len(data), class_order(data.name, classes)
    note = f". {order}" if order else ""
    if correct == 0:
        fix = f"check that labels count from 0, the order of classes, and the range of the inputs{note}"
        raise DataError("a correctly classified input to serve as seed", f"none of {inputs}", fix)
    least = least_accuracy(len(classes))
    if correct / inputs < least:
        raise DataError(
            f"clean accuracy clearly above chance ({least:.1%} with {len(classes)} classes)",
            f"{correct / inputs:.1%} ({correct} of {inputs})",
            "check the preprocessing (pixel range, mean and std inside the network) and the order of classes, "
            f"as dnncov check does{note}",
        )


PassesLeft = Callable[[Target], int | None]
"""Passes that a target at work may still spend; None where passes are no budget."""


class Seeds:
    """The seeds of each target in the campaign's order, at most ``spec.max_seeds``, and those beyond.

    Where ``correct`` has all correctly classified inputs, those beyond are ranked among them, for one target alone and
    only once it asks; otherwise they follow the first in the same ranking.
    """

    def __init__(
        self,
        rows: IntArray,
        data: Data,
        network: Network,
        spec: CampaignSpec,
        *,
        method: CoveringMethod,
        targets: Sequence[Target],
        correct: IntArray | None = None,
    ) -> None:
        self._rows, self._data, self._network, self._spec, self._method = rows, data, network, spec, method
        self._correct = rows[:0] if correct is None or not spec.seeds_beyond else correct
        self._most = spec.max_seeds + spec.seeds_beyond
        most = spec.max_seeds if len(self._correct) else self._most
        self.ranking = self._prepared(rows, most, targets, spec.passes)

    def of(self, targets: Sequence[Target], passes_left: PassesLeft = lambda target: None) -> list[Iterable[Seed]]:
        """Seeds for each target; they depend on it alone, with what its search has left after the first."""
        ranked = zip(targets, self.ranking(targets), strict=True)
        return [self._seeds(target, first, passes_left) for target, first in ranked]

    def _seeds(self, target: Target, ranked: Ranked, passes_left: PassesLeft) -> Iterator[Seed]:
        first = self._rows[ranked.places]
        yield from self._read(first, ranked.passes)
        passes = passes_left(target)
        if not len(self._correct) or (passes is not None and passes < LEAST_PASSES):
            return
        own = None if passes is None else self._prepared(self._correct, self._most, [target], passes)
        (ranked,) = (own or self._ranking_beyond)([target])
        rows = self._correct[ranked.places]
        yield from self._read(rows[~np.isin(rows, first)][: self._spec.seeds_beyond], ranked.passes)

    @cached_property
    def _ranking_beyond(self) -> Ranking:
        """For all targets; what it knows of a layer or a neuron serves the next."""
        return self._prepared(self._correct, self._most, (), self._spec.passes)

    def _prepared(self, rows: IntArray, most: int, targets: Sequence[Target], passes: int) -> Ranking:
        spec, box = self._spec, self._network.box
        pool = Pool(len(rows), lambda places: box.shares(self._data.pixels(rows[places])))
        parameters = RankingParameters(
            most,
            spec.random_seed,
            by_gradients=spec.by_gradients,
            labels=spec.objective != "distance",
            passes=passes,
            targets=targets,
        )
        return SEED_ORDERS[spec.seed_order].prepare(self._network.in_shares(), self._method, pool, parameters)

    def _read(self, rows: IntArray, passes: int) -> Iterator[Seed]:
        for number, row in enumerate(rows.tolist()):
            x = as_input(self._data.pixels([row])[0], self._network)
            yield Seed(row, x, passes if number == 0 else 0)


def as_input(pixels: FloatArray, network: Network) -> FloatArray:
    """One input in the network's own precision."""
    return torch.from_numpy(pixels).to(network.dtype).numpy()
