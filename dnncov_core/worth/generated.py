"""Which mutants generated inputs kill: x2 of test pairs, adversarial ones, what baseline searches make of seeds.

The expected label of a generated input is that of its seed. It kills a mutant where the network gives that label and
the mutant does not. An adversarial x2, of which the network's own label is another one, kills none by this definition;
so it is told beside it on how many mutants some input has another label than on the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.faults.spec import Mutant
from dnncov_core.generators import GENERATORS, GRIDS
from dnncov_core.records import FINGERPRINT_SHOWN, TestPair
from dnncov_core.types import BoolArray, FloatArray, IntArray, OnProgress
from dnncov_core.worth.worth_file import Generated, packed

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.networks.network import Network

MOST = 300
"""Inputs of a kind that are run."""
PASSES = 40
"""Of an input through the network, forwards or backwards, that gradient ascent may make."""


@dataclass(frozen=True)
class Pair:
    """A test pair, and the key of the generator that found it."""

    generator: str
    pair: TestPair


Make = Callable[["Network", Sequence[Pair], np.random.Generator], FloatArray]
"""Makes the inputs of a kind from test pairs, ``(n, *shape)``."""


@dataclass(frozen=True)
class Kind:
    """A kind of inputs: its name for readers, what they are in words, of which pairs, and what makes them."""

    title: str
    words: str
    wanted: Callable[[Pair], bool]
    make: Make


def _x1(network: Network, pairs: Sequence[Pair], rng: np.random.Generator) -> FloatArray:
    return np.stack([each.pair.x1 for each in pairs])


def _x2(network: Network, pairs: Sequence[Pair], rng: np.random.Generator) -> FloatArray:
    return np.stack([each.pair.x2 for each in pairs])


def _perturbed(network: Network, pairs: Sequence[Pair], rng: np.random.Generator) -> FloatArray:
    x1 = _x1(network, pairs, rng)
    radius = np.array([each.pair.distance_inf for each in pairs]).reshape(-1, *[1] * (x1.ndim - 1))
    unit = np.where(np.isfinite(network.box.unit), network.box.unit, 0)
    moved: FloatArray = (x1 + radius * unit * rng.uniform(-1, 1, x1.shape)).clip(network.box.low, network.box.high)
    return moved


def _ascended(network: Network, pairs: Sequence[Pair], rng: np.random.Generator) -> FloatArray:
    from dnncov_core.networks.memory import batches  # here and below: who reads the names of kinds needs no network

    return np.concatenate([_ascended_at_once(network, pairs[part]) for part in batches(network, len(pairs))])


def _ascended_at_once(network: Network, pairs: Sequence[Pair]) -> FloatArray:
    import torch

    from dnncov_core.generators.baseline_searches import Starts, ascended

    box, shares, seeds = network.box, network.in_shares(), np.stack([each.pair.x1 for each in pairs])
    x1 = torch.from_numpy(box.shares(seeds)).to(network.device, network.dtype)
    with torch.no_grad():
        outputs = shares(x1)
    radius = torch.tensor([each.pair.distance_inf for each in pairs], dtype=network.dtype, device=network.device)
    none = [torch.Generator()] * len(pairs)  # nothing is random in it
    starts = Starts(x1, outputs, radius, torch.full((len(pairs),), PASSES, device=network.device), none)
    found: FloatArray = ascended(shares, starts, "inf", GRIDS["none"])[0].detach().cpu().numpy()
    return box.inputs(found, seeds.astype(found.dtype))


def _of(generator: str) -> Callable[[Pair], bool]:
    return lambda pair: pair.generator == generator


KINDS: Mapping[str, Kind] = {
    **{
        key: Kind(f"{each.title}: x2", f"x2 of test pairs by {each.title[0].lower()}{each.title[1:]}", _of(key), _x2)
        for key, each in GENERATORS.items()
    },
    "adversarial": Kind(
        "Adversarial x2", "x2 of test pairs that are adversarial", lambda each: each.pair.adversarial, _x2
    ),
    "perturbed": Kind(
        "Random perturbations",
        "seeds of test pairs moved at random, each by up to the distance of its x2",
        lambda each: True,
        _perturbed,
    ),
    "ascended": Kind(
        "Gradient ascent",
        f"seeds of test pairs moved by gradient ascent in {PASSES} passes, each by up to the distance of its x2",
        lambda each: True,
        _ascended,
    ),
    "seeds": Kind("Seeds: x1", "the seeds of test pairs as they are", lambda each: True, _x1),
}
"""The kinds, by their names in files."""


def generated(
    network: Network,
    mutants: Sequence[Mutant],
    campaigns: Sequence[Path],
    random_seed: int,
    on_progress: OnProgress,
) -> list[Generated]:
    """Which mutants each kind kills, of as many inputs of each kind as all of them have, drawn at random.

    Raises:
        CampaignError: no campaign, one of another network, or none with a test pair.
    """
    pairs = [each for path in campaigns for each in _pairs(network, path)]
    if not pairs:
        raise CampaignError("campaigns with a test pair", "none", "resume them, or name others")
    there = {key: some for key, kind in KINDS.items() if (some := [each for each in pairs if kind.wanted(each)])}
    n = min(MOST, *map(len, there.values()))
    rngs = {key: np.random.default_rng([random_seed, place]) for place, key in enumerate(there)}
    chosen = {key: [some[row] for row in rngs[key].choice(len(some), n, replace=False)] for key, some in there.items()}
    x = np.concatenate([KINDS[key].make(network, some, rngs[key]) for key, some in chosen.items()])
    labels = np.array([each.pair.label1 for some in chosen.values() for each in some])
    kills, differs = _ran(network, mutants, x, labels, on_progress)
    return [
        Generated(key, n, len(some), packed(kills[:, at : at + n]), packed(differs[:, at : at + n]))
        for at, (key, some) in zip(range(0, len(x), n), there.items(), strict=True)
    ]


def _pairs(network: Network, path: Path) -> Iterator[Pair]:
    with CampaignStore(path) as store:
        card = store.card()
        if card is None or card.fingerprint != network.fingerprint:
            expected = f"campaigns of the network with the fingerprint {network.fingerprint[:FINGERPRINT_SHOWN]}"
            raise CampaignError(expected, f"{path.name} of another one", "leave it out")
        generator = store.spec().generator
        yield from (Pair(generator, each) for each in store.pairs.page())


def _ran(
    network: Network, mutants: Sequence[Mutant], x: FloatArray, expected: IntArray, on_progress: OnProgress
) -> tuple[BoolArray, BoolArray]:
    """Which inputs kill each mutant, and on which it differs from the network, both ``(mutants, inputs)``."""
    import torch

    from dnncov_core.faults.work import rebuilt

    own, kills, differs = _outputs(network, x), [], []
    right = network.decision.agrees(own, expected)
    for done, mutant in enumerate(mutants):
        outputs = _outputs(rebuilt(network, mutant), x)
        other = network.decision.differs(outputs, own) | ~torch.isfinite(outputs).all(dim=1)
        differs.append(other.cpu().numpy())
        kills.append(right & differs[-1])
        on_progress("generated inputs", done + 1, len(mutants))
    return np.array(kills), np.array(differs)


def _outputs(network: Network, x: FloatArray) -> Tensor:
    import torch

    from dnncov_core.networks.memory import batches

    with torch.no_grad():
        return torch.cat([network(torch.from_numpy(x[part])) for part in batches(network, len(x))])
