"""Campaign files made by hand, for tests of everything that only reads them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.box import Box
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CoveringMethod
from dnncov_core.features import FeaturePairs
from dnncov_core.generators import GENERATORS, GRIDS, Parameters
from dnncov_core.networks.network import Network
from dnncov_core.records import (
    Attempt,
    Certificate,
    LayerInfo,
    NetworkCard,
    Outcome,
    SeedReport,
    State,
    Target,
    TargetResult,
    TestPair,
)
from dnncov_core.resources import PACKAGE
from dnncov_core.statistics.settings import names_apart
from dnncov_core.types import Bounds, FloatArray, Shape

IMAGE: Shape = (1, 28, 28)
SEEDS = 40
"""Inputs from which campaigns made here search."""


def parameters(**asked: Any) -> Parameters:
    """What a campaign asks of its generator: the defaults of campaigns, where nothing else is asked."""
    usual = {each.name: PARAMETERS[each.name].default for each in dataclasses.fields(Parameters)}
    return Parameters(**usual | {"grid": GRIDS["none"]} | asked)


def search(generator: str, network: Network, method: CoveringMethod, **asked: Any) -> Any:
    """A generator's search for test pairs, by default with as little as possible asked of it."""
    return GENERATORS[generator].search(network, method, parameters(**asked))


def card(
    *, hidden: tuple[int, ...] = (5, 4, 3), input_shape: Shape = IMAGE, bounds: Bounds = (0.0, 1.0), classes: int = 10
) -> NetworkCard:
    """The card of a fully connected network that need not exist."""
    sizes = (int(np.prod(input_shape)), *hidden, classes)
    kinds = ("input", *["relu"] * len(hidden), "output")
    shapes = (input_shape, *[(size,) for size in sizes[1:]])
    layers = tuple(
        LayerInfo(k, f"layer{k}", kind, size, shape)
        for k, (kind, size, shape) in enumerate(zip(kinds, sizes, shapes, strict=True), start=1)
    )
    edges = tuple((k, k + 1) for k in range(2, len(sizes)))
    names = tuple(str(label) for label in range(classes))
    return NetworkCard("net", "data", input_shape, bounds, names, layers, edges, 1234, "f" * 64)


def convolutional(*shapes: Shape) -> NetworkCard:
    """The card of a network whose hidden layers have these shapes, such as channels, rows and columns."""
    plain = card(hidden=tuple(int(np.prod(shape)) for shape in shapes))
    hidden = [dataclasses.replace(layer, shape=shape) for layer, shape in zip(plain.layers[1:-1], shapes, strict=True)]
    return dataclasses.replace(plain, layers=(plain.layers[0], *hidden, plain.layers[-1]))


def made_pair(
    target: Target,
    *,
    adversarial: bool,
    distance: float = 0.1,
    shape: Shape = IMAGE,
    holds_8bit: bool | None = True,
    bounds: Bounds = (0.0, 1.0),
    effects: tuple[bool, bool] | None = (True, False),
    box: Box | None = None,
) -> TestPair:
    """A test pair whose x2 differs from x1 by ``distance`` in one value, where ``box`` has ranges as a share of its.

    ``effects`` says whether the condition's change is needed, and whether it is sufficient, also at 8 bits where the
    pair holds then; None for a pair of an earlier version.
    """
    needed, sufficient = effects or (None, None)
    rounded = [
        None if effect is None or holds_8bit is None else effect and holds_8bit for effect in (needed, sufficient)
    ]
    rng = np.random.default_rng(target.ordinal)
    own = box is not None and box.ranges is not None
    x1 = rng.uniform(box.low, box.high, shape) if box is not None and own else _disc(rng, shape, bounds)
    x2, place = x1.copy(), int(rng.integers(x1.size))
    low, high = box.range_of(place) if box is not None and own else (0.0, 1.0)
    x2.ravel()[place] += distance * (high - low)
    return TestPair(
        target=target,
        seed=target.ordinal % SEEDS,
        x1=x1,
        x2=x2,
        label1=3,
        label2=8 if adversarial else 3,
        confidence1=0.98,
        confidence2=0.51,
        distance_inf=distance,
        distance_2=distance,
        distance_1=distance,
        distance=distance,
        adversarial=adversarial,
        holds_float64=True,
        holds_8bit=holds_8bit,
        margin=1e-4,
        needed=needed,
        sufficient=sufficient,
        effect_share=None if needed is None else distance - 0.03,
        needed_float64=needed,
        sufficient_float64=sufficient,
        needed_8bit=rounded[0],
        sufficient_8bit=rounded[1],
    )


def _disc(rng: np.random.Generator, shape: Shape, bounds: Bounds) -> FloatArray:
    """A grey disc at a random place, or random numbers where the input is no image."""
    low, high = bounds
    if len(shape) != 3:
        return rng.uniform(low, high, shape)
    rows, columns = np.mgrid[: shape[1], : shape[2]]
    centre = rng.uniform(0.3, 0.7, 2) * shape[1:]
    disc = np.hypot(rows - centre[0], columns - centre[1]) < min(shape[1:]) / 4
    shades = rng.uniform(0.4, 1.0, (shape[0], 1, 1))
    return low + (high - low) * disc * shades


def campaign(
    path: Path,
    *,
    found: int = 6,
    exhausted: int = 2,
    pending: int = 0,
    adversarial: int = 3,
    survivors: int = 2,
    needed: int | None = 2,
    state: State = State.FINISHED,
    message: str = "",
    network: NetworkCard | None = None,
    spec: CampaignSpec | None = None,
    solved: Callable[[Target], tuple[Attempt, ...]] = lambda target: (),
) -> CampaignStore:
    """A campaign file with ``found + exhausted + pending`` targets, spread evenly over the layer pairs.

    The first ``adversarial`` of the covered ones are adversarial, the first ``survivors`` hold after rounding to
    8 bits; the condition's change is needed in the first ``needed`` of them and sufficient in every second one, with
    None nobody knows. The covered target number i has the distance (i + 1) / 100. ``solved`` gives attempts that
    precede each target's last one.
    """
    network = network or card()
    path.parent.mkdir(parents=True, exist_ok=True)
    spec = (spec or CampaignSpec(network="mnist-n1", data="mnist")).for_network(network)
    store = CampaignStore.create(path, spec, {PACKAGE: "test"})
    grid = network.bounds == (0.0, 1.0) and network.ranges is None
    targets = _targets(network, found + exhausted + pending)
    store.prepare(spec, network, "d" * 64, SeedReport(np.arange(SEEDS), SEEDS + 10, 10), targets)
    for place, target in enumerate(targets[: found + exhausted]):
        pair = None
        if place < found:
            pair = made_pair(
                target,
                adversarial=place < adversarial,
                distance=(place + 1) / 100,
                shape=network.input_shape,
                holds_8bit=(place < survivors) if grid else None,
                bounds=network.bounds,
                box=network.box,
                effects=None if needed is None else (place < needed, place % 2 == 1),
            )
        result = _result(target, pair)
        store.record([dataclasses.replace(result, attempts=(*solved(target), *result.attempts))])
    if state is not State.WAITING:
        store.worker.claim()
        store.worker.enter(state, message=message, device="cpu")
        store.worker.beat(12.5)
    return store


def _targets(network: NetworkCard, n: int) -> list[Target]:
    pairs = FeaturePairs(network.layers, network.edges)
    starts = np.cumsum([0, *pairs.counts])
    ordinals = [int(starts[i % len(pairs.counts)]) + i // len(pairs.counts) for i in range(n)]
    return [pairs[ordinal].target(ordinal) for ordinal in ordinals]


def costly(target: Target) -> tuple[Attempt, ...]:
    """Attempts whose programmes cost something else for each target and place."""
    return tuple(
        Attempt(
            seed=place,
            outcome=Outcome.INFEASIBLE_HERE,
            seconds=1.0,
            calls=1 + (target.ordinal + place) % 3,
            variables=785,
            constraints=20 + 7 * place + target.ordinal,
            iterations=30 * place + target.ordinal,
            solver_seconds=0.125 * (1 + place),
        )
        for place in range(1 + target.ordinal % 3)
    )


def _result(target: Target, pair: TestPair | None) -> TargetResult:
    outcome = Outcome.EXHAUSTED if pair is None else Outcome.FOUND
    tried = Outcome.INFEASIBLE_HERE if pair is None else Outcome.FOUND
    return TargetResult(target, outcome, (Attempt(target.ordinal % SEEDS, tried, 0.1),), pair, 0.1)


def say(store: CampaignStore, ordinals: Sequence[int], *said: str) -> None:
    """Reason, author and date as if they had been stored before a witness or a proof came."""
    with store.database.transaction() as connection:
        rows = [(ordinal, *said) for ordinal in ordinals]
        into = "INSERT OR REPLACE INTO justification (ordinal, reason, author, date) VALUES (?, ?, ?, ?)"
        connection.executemany(into, rows)


def mixed(path: Path, **made: Any) -> CampaignStore:
    """3 covered, 2 proved infeasible (1 of them justified), 2 justified (1 exhausted, 1 pending), 1 failed, 3 exhausted
    and 2 pending ones, of 13.
    """
    store = campaign(path, **{"found": 3, "exhausted": 6, "pending": 4, "adversarial": 1, "survivors": 1, **made})
    targets = store.targets.all()
    proved = {target.ordinal: (target.condition_layer, target.condition_neurons[0]) for target in targets[3:5]}
    certificates = [Certificate(*neuron, -1, -2.5, -0.5, "intervals", 0.1) for neuron in set(proved.values())]
    store.certificates.record(certificates, proved)
    say(store, [targets[at].ordinal for at in (0, 4, 5, 10)], "never seen by the camera", "A. Engineer", "2026-01-02")
    failed = Attempt(7, Outcome.ERROR, 0.1, message="expected finite values; got NaN; check the weights")
    store.record([TargetResult(targets[9], Outcome.ERROR, (failed,), None, 0.1)])
    return store


def named(stores: Iterable[CampaignStore]) -> dict[str, CampaignStore]:
    """Campaigns by names that tell them apart, as pages and exports compare them."""
    by_id = {store.path.stem: store for store in stores}
    names = names_apart({each: store.spec() for each, store in by_id.items()})
    return {names[each]: store for each, store in by_id.items()}
