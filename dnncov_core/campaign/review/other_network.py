"""The test pairs of a campaign on another network, such as a retrained one: what they cover there, and their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.replayed import Replayed, ReplayedCondition, counterparts
from dnncov_core.campaign.review.verification import all_pairs, leaves
from dnncov_core.campaign.work.plan import reference_boundaries
from dnncov_core.campaign.work.reuse import Pending
from dnncov_core.criteria import CoveringMethod
from dnncov_core.errors import CampaignError
from dnncov_core.features import FeaturePair
from dnncov_core.interventions import layers_for
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import NetworkCard, Target, TestPair
from dnncov_core.registry import open_data_for, open_network
from dnncov_core.replay import Replay
from dnncov_core.types import OnProgress


def replay_on(
    store: CampaignStore,
    reference: str,
    *,
    reference_data: str | None = None,
    on_progress: OnProgress = lambda doing, done, total: None,
) -> Replayed:
    """Sends the test pairs of a campaign through another network, each input alone, and asks what they cover there.

    A test condition is asked of the layers that stand for its own, see `counterparts`, with the campaign's covering
    method and effect. Boundaries of the campaign's value functions are measured anew, on the reference data.

    Args:
        store: a prepared campaign.
        reference: the other network, a name or a reference as for `open_network`.
        reference_data: where the reference data are, if they are not found by the name in the file.
        on_progress: told of each test pair.

    Raises:
        CampaignError: a campaign that was not started, or a network of other inputs, classes or layers.
        NetworkError: it cannot be loaded.
        NumericsError: a NaN or an infinite value on the way.
    """
    spec, card = store.spec(), store.card()
    if card is None:
        raise CampaignError("a campaign with test conditions", "one that was not started", "start it first")
    network, other = open_network(reference)
    _refuse_unlike(card, other)
    layers, targets = counterparts(card.layers, other.layers), store.targets.all()
    edges = {
        (k, layer): there if (there := (layers.get(k, 0), layers.get(layer, 0))) in network.edges else None
        for k, layer in sorted({target.edge for target in targets})
    }
    moved = {
        target.ordinal: replace(target, condition_layer=edge[0], decision_layer=edge[1])
        for target in targets
        if (edge := edges[target.edge]) is not None
    }
    if not moved:
        got = f"{other.name}, none of whose layer pairs has their shapes"
        raise CampaignError("a network with layer pairs of the campaign's", got, "take a version of the same network")
    method = store.covering_method()
    if spec.reference is not None:
        data = open_data_for(network, reference_data or spec.reference, labelled=False)
        method = spec.covering_method().with_boundaries(reference_boundaries(network, data, moved.values()))
    found, n_pairs = _Replays(network, method, Oracle(spec.norm, spec.bound), moved), store.pairs.count()
    for done, pair in enumerate(all_pairs(store), start=1):
        found.take(pair)
        on_progress("test pairs", done, n_pairs)
    n_asked = Counter(target.edge for target in targets)
    return Replayed(
        network=other.name,
        fingerprint=network.fingerprint,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        layers=tuple((each, other.layer(k) if (k := layers.get(each.index)) else None) for each in card.layers[1:]),
        asked=tuple((edge, n_asked[edge], edges[edge]) for edge in edges),
        conditions=found.conditions(targets, {*store.targets.pending()}),
    )


class _Replays:
    """Test pairs on another network, one after the other, and the targets there, by ordinal, that they cover."""

    def __init__(self, network: Network, method: CoveringMethod, oracle: Oracle, targets: Mapping[int, Target]) -> None:
        self._network, self._method, self._oracle, self._targets = network, method, oracle, targets
        one_of_each = {target.edge: FeaturePair.of(target) for target in targets.values()}
        self._layers = {network.depth}.union(*(layers_for(network, pair) for pair in one_of_each.values()))
        self._left, self._pairs = Pending(method, targets.values()), list[ReplayedCondition]()

    def take(self, pair: TestPair) -> None:
        """Asks the network about the next pair; one that is a copy of an earlier one covers nothing more."""
        target, ordinal = self._targets.get(pair.target.ordinal), pair.target.ordinal
        if outside := leaves(self._network.box, pair):
            got = f"test pair {ordinal}, of which an input leaves its bounds{outside}"
            raise CampaignError("a network whose bounds hold the campaign's inputs", got, "give it wider bounds")
        replayed = Replay(self._network, self._method, pair.x1, pair.x2, self._layers)
        verdict = self._oracle.of_replay(replayed)
        for covered in self._left.covered_by(replayed) if pair.found_for is None else ():
            self._left.remove(covered)
        self._pairs.append(
            ReplayedCondition(
                ordinal=ordinal,
                edge=pair.target.edge,
                own=None if target is None else replayed.covers(FeaturePair.of(target)),
                covered=False,
                labels=(pair.label1, pair.label2),
                labels_there=(verdict.label1, verdict.label2),
                adversarial=pair.adversarial,
                adversarial_there=verdict.adversarial,
            )
        )

    def conditions(self, asked: Iterable[Target], pending: Collection[Target]) -> tuple[ReplayedCondition, ...]:
        """What was found of the campaign's targets, once all pairs are taken."""
        covered = {ordinal for ordinal, target in self._targets.items() if target not in self._left}
        found = [replace(each, covered=bool(each.own) or each.ordinal in covered) for each in self._pairs]
        without = covered.difference(each.ordinal for each in found)
        gained = [each for each in asked if each.ordinal in without]
        found += [ReplayedCondition(each.ordinal, each.edge, None, True, pending=each in pending) for each in gained]
        return tuple(sorted(found, key=lambda each: each.ordinal))


def _refuse_unlike(card: NetworkCard, there: NetworkCard) -> None:
    """Refuses a network whose inputs have another shape, or whose outputs cannot be compared.

    Classes of other names may be the same ones; those of the same names in another order are not.
    """
    for what, mine, theirs in (
        ("inputs of shape", card.input_shape, there.input_shape),
        ("outputs of", *(_outputs(each) for each in (card, there))),
    ):
        if mine != theirs:
            raise CampaignError(f"a network with {what} {mine}, as the campaign's", f"{theirs}", "take another network")
    for at, (name, other) in enumerate(zip(card.classes, there.classes, strict=False)):
        if name != other and sorted(card.classes) == sorted(there.classes):
            expected = f"a network whose class {at} is {name}, as the campaign's"
            raise CampaignError(expected, f"{other}: the order differs", "take another network")


def _outputs(card: NetworkCard) -> str:
    n, noun = (len(card.quantities), "quantities") if card.quantities else (len(card.classes), "classes")
    return f"{n:,} {noun}"
