"""From a specification to its targets and its seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.connections import strongest_connections
from dnncov_core.criteria import CoveringMethod
from dnncov_core.data import Data
from dnncov_core.errors import DataError, NumericsError, SpecificationError
from dnncov_core.generators import GENERATORS, SEED_ORDERS, Seed
from dnncov_core.generators.ranking import Pool, Ranked, RankingParameters
from dnncov_core.networks.memory import parts
from dnncov_core.networks.network import Network
from dnncov_core.records import SeedReport, Target
from dnncov_core.types import BoolArray, Edge, FloatArray, IntArray

CPU = torch.device("cpu")
NEAR_CHANCE = 0.1


def device_for(name: str, process: int = 0) -> torch.device:
    """The device that ``auto``, ``cpu``, ``cuda`` or ``mps`` stands for on this machine.

    Args:
        name: one of `spec.DEVICES`.
        process: the number of a process; processes take GPUs in turn.

    Raises:
        SpecificationError: the device is not there.
    """
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next(device for device in ("cuda", "mps", "cpu") if there[device])
    if not there[name]:
        here = ", ".join(device for device, found in there.items() if found)
        raise SpecificationError(f"a device of this machine ({here})", name, "choose device auto or cpu")
    return torch.device(name, process % torch.cuda.device_count()) if name == "cuda" else torch.device(name)


@dataclass(frozen=True)
class Plan:
    """The targets of a campaign in the order of work, and where top weights leave pairs out, how many there are."""

    targets: list[Target]
    available: dict[Edge, int] | None = None


def plan_targets(network: Network, spec: CampaignSpec) -> Plan:
    """The sampled feature pairs of the asked layers.

    Raises:
        SpecificationError: a layer that is no decision layer.
    """
    pairs = spec.feature_pairs(network)
    among, available = None, None
    if spec.top_weights is not None:
        most = spec.top_weights
        ordinals = pairs.connected({edge: strongest_connections(network, edge, most) for edge in pairs.edges})
        among = np.concatenate(list(ordinals.values())).tolist()
        available = {edge: len(part) for edge, part in ordinals.items()}
    drawn = pairs.sample(spec.pairs, spec.random_seed, among, sampling=spec.sampling)
    return Plan([pairs[ordinal].target(ordinal) for ordinal in drawn], available)


WINDOW = 16
"""Targets among which those of a batch are looked for, in batches: the order of work is nearly kept."""


def in_batches(targets: Sequence[Target], size: int) -> list[list[Target]]:
    """The targets in batches of at most ``size`` that have the same layers and sizes of features.

    Args:
        targets: all targets of a campaign in the order of work, so that its batches are always the same.
        size: targets that a search takes at the same time.
    """
    found: list[list[Target]] = []
    for start in range(0, len(targets), WINDOW * size):
        filling: dict[object, list[Target]] = {}
        for target in targets[start : start + WINDOW * size]:
            kind = (target.edge, len(target.condition_neurons), target.condition_most, len(target.decision_neurons))
            batch = filling.setdefault(kind, [])
            if not batch:
                found.append(batch)
            batch.append(target)
            if len(batch) == size:
                del filling[kind]
    return found


def pending_batches(
    targets: Sequence[Target], pending: Iterable[Target], size: int, *, whole: bool
) -> list[list[Target]]:
    """Those of a campaign's batches that have a target without an outcome.

    Args:
        targets: all targets of the campaign in the order of work.
        pending: those without an outcome.
        size: targets that a search takes at the same time.
        whole: with the other targets of these batches, so that what a batch finds is always the same; otherwise
            without them: batches are stored as a whole, so that only proofs and retries leave a part of one pending.
    """
    ordinals = {target.ordinal for target in pending}
    found = []
    for batch in in_batches(targets, size):
        left = [target for target in batch if target.ordinal in ordinals]
        if left:
            found.append(batch if whole else left)
    return found


def plan_seeds(network: Network, data: Data, spec: CampaignSpec) -> SeedReport:
    """The correctly classified inputs, or ``spec.seeds`` of them drawn at random, and what was left out.

    Raises:
        DataError: accuracy near chance level, which means wrong preprocessing, or no seed at all.
    """
    correct = correctly_classified(network, data)
    rows = np.flatnonzero(correct).astype(np.int64)
    _refuse_near_chance(len(rows), len(data), len(network.classes))
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
    logits = np.concatenate([_logits(network, data, part) for part in parts(network, len(data))])
    if bad := int((~np.isfinite(logits).all(axis=1)).sum()):
        got = f"NaN or infinite ones for {bad} of {len(data)} inputs"
        raise NumericsError("finite logits", got, "check the network's weights and the data")
    correct: BoolArray = logits.argmax(axis=1) == data.labels
    return correct


def _logits(network: Network, data: Data, part: slice) -> FloatArray:
    with torch.no_grad():
        found: FloatArray = network(torch.from_numpy(data.pixels(part))).cpu().numpy()
    return found


def _refuse_near_chance(correct: int, inputs: int, n_classes: int) -> None:
    if correct == 0:
        raise DataError("a correctly classified input to serve as seed", f"none of {inputs}", "check data and network")
    chance = 1 / n_classes
    least = chance + NEAR_CHANCE * (1 - chance)
    if correct / inputs < least:
        raise DataError(
            f"clean accuracy clearly above chance ({least:.1%} with {n_classes} classes)",
            f"{correct / inputs:.1%} ({correct} of {inputs})",
            "check the preprocessing (pixel range, mean and std inside the network) and the order of classes",
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
        wanted = RankingParameters(
            spec.max_seeds,
            spec.random_seed,
            by_gradients=GENERATORS[spec.generator].by_gradients,
            labels=spec.objective == "adversarial",
            passes=spec.passes,
            targets=targets,
        )
        self.ranking = SEED_ORDERS[spec.seed_order].prepare(network, method, pool, wanted)

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
