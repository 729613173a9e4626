"""Test pairs that count for every pending target they cover, not only for the one whose search found them.

A target is covered by reuse if and only if the test pair of an earlier target's own search covers it, earlier in the
order of work. That depends neither on the number of processes nor on kills, as long as results are settled in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import torch

from dnncov_core.campaign.work.judge import Replays
from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.errors import NumericsError
from dnncov_core.features import FeaturePair
from dnncov_core.networks.network import Network
from dnncov_core.records import Target, TargetResult, TestPair
from dnncov_core.replay import Replay
from dnncov_core.types import Edge

Neurons = tuple[int, ...]
FREE: Neurons = ()
"""The condition neurons of a target with a free condition feature, which names none."""


class Pending:
    """Targets that no test pair is known to cover yet.

    Args:
        method: the covering method, with the effect that it asks for.
        targets: all of them.
    """

    def __init__(self, method: CoveringMethod, targets: Iterable[Target]) -> None:
        self._method = method
        self._targets: dict[Edge, dict[Neurons, dict[int, Target]]] = {}
        for target in targets:
            conditions = self._targets.setdefault(target.edge, {})
            conditions.setdefault(target.condition_neurons, {})[target.ordinal] = target

    def __contains__(self, target: Target) -> bool:
        conditions = self._targets.get(target.edge, {})
        return target.ordinal in conditions.get(target.condition_neurons, {})

    def remove(self, target: Target) -> None:
        """Takes one of them away."""
        del self._targets[target.edge][target.condition_neurons][target.ordinal]

    def covered_by(self, replayed: Replay) -> list[Target]:
        """Those that two inputs cover."""
        return [target for target in self._candidates(replayed) if replayed.covers(FeaturePair.of(target))]

    def _candidates(self, replayed: Replay) -> Iterator[Target]:
        """Those whose condition can hold, by the signs that changed in its layer."""
        for (k, _), conditions in self._targets.items():
            changed = replayed.changed(k)
            if self._method.condition is Change.SIGN:
                yield from conditions.get(changed, {}).values()
                yield from conditions.get(FREE, {}).values() if changed else ()
            elif not changed:
                for targets in conditions.values():
                    yield from targets.values()


class Reuse:
    """The pending targets of a campaign, and which of them a test pair covers.

    Args:
        network: the network; it is asked on the CPU.
        method: the covering method, with the effect that it asks for.
        pending: targets without an outcome.
        labels: whether a target takes only an adversarial pair of another one, since its own search may find one.
    """

    def __init__(
        self, network: Network, method: CoveringMethod, pending: Iterable[Target], *, labels: bool = False
    ) -> None:
        self._network = network.to(device="cpu")
        self._in_float64 = self._network.to(dtype=torch.float64)
        self._method = method
        self._labels = labels
        self._pending = Pending(method, pending)

    def is_pending(self, target: Target) -> bool:
        """Whether a target has no outcome yet."""
        return target in self._pending

    def any_pending(self, targets: Iterable[Target]) -> bool:
        """Whether some target has no outcome yet."""
        return any(map(self.is_pending, targets))

    def settle(self, batch: Iterable[TargetResult]) -> tuple[list[TargetResult], list[TestPair]]:
        """Takes the finished targets of a batch away, and those that their test pairs cover too.

        Returns:
            The results of targets that no earlier test pair covers, and their test pairs for the others.
        """
        done: list[TargetResult] = []
        others: list[TestPair] = []
        for result in batch:
            if self.is_pending(result.target):
                done.append(result)
                others += self._settle(result)
        return done, others

    def _settle(self, result: TargetResult) -> list[TestPair]:
        self._pending.remove(result.target)
        if result.test_pair is None or (self._labels and not result.test_pair.adversarial):
            return []
        try:
            others = self._others(result.test_pair)
        except NumericsError:  # in a layer that the result's own target does not depend on; searches there will say so
            return []
        for pair in others:
            self._pending.remove(pair.target)
        return others

    def _others(self, pair: TestPair) -> list[TestPair]:
        replays = Replays(self._network, self._in_float64, self._method, pair.x1, pair.x2)
        own, covered = replace(pair, margin=None, found_for=pair.target.ordinal), self._pending.covered_by(replays.own)
        return [replace(own, target=target, **replays.judgement(target)) for target in covered]
