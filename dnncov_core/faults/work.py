"""Mutants one after the other, until a file holds as many as were asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dnncov_core.data import Data
from dnncov_core.errors import CampaignError, DataError, NetworkError, SpecificationError
from dnncov_core.faults.answers import Answers
from dnncov_core.faults.fault import Fault, FaultyNetwork
from dnncov_core.faults.fault_file import FaultFile, Redrawn
from dnncov_core.faults.operators import MUTATION_OPERATORS, check_operators, layers_by_operator, place_of
from dnncov_core.faults.search import Found, search
from dnncov_core.faults.sites import Site
from dnncov_core.faults.spec import FaultSpec, Mutant
from dnncov_core.networks.network import Network
from dnncov_core.records import FINGERPRINT_SHOWN
from dnncov_core.resources import versions
from dnncov_core.types import BoolArray

DRAWS_AT_A_PLACE = 3
"""Mutants that are drawn at one operator and layer before the next ones have their turn."""

_IN_WORDS = {
    "mutants": "number of mutants, which may only grow",
    "least": "drop",
    "most": "drop",
    "network_fingerprint": "content of the network",
    "suite_fingerprint": "content of the suite",
}
OnMutant = Callable[[int, int], None]
"""Told of how many mutants are made, of those that a file lacked."""


def seed_faults(
    path: Path,
    spec: FaultSpec,
    network: Network,
    suite: Data,
    on_mutant: OnMutant = lambda done, total: None,
) -> FaultFile:
    """Makes a file of seeded faults, or continues one that was asked for the same; returns it open.

    Args:
        path: the file.
        spec: what is asked for; the fingerprints are filled in here.
        network: without a fault; it stays as it is.
        suite: inputs with labels, or a regression's targets.
        on_mutant: told of progress.

    Raises:
        CampaignError: the file holds something else, or cannot be written.
        DataError: the suite does not say what is right, or the network has too few inputs right.
        NetworkError: no operator can change anything, or none brings the drop into the band.
    """
    check_operators(spec.operators)
    spec = replace(spec, network_fingerprint=network.fingerprint, suite_fingerprint=suite.fingerprint)
    answers = Answers(network, suite)
    layers = layers_by_operator(network, spec.operators)
    _check_band(spec, answers)
    faults = _opened(path, spec, answers.right)
    try:
        lacking = sorted(set(range(spec.mutants)) - {each.ordinal for each in faults.mutants()})
        for done, ordinal in enumerate(lacking, start=1):
            faults.store(*drawn(spec, answers, layers, ordinal))
            on_mutant(done, len(lacking))
    except BaseException:
        faults.close()
        raise
    return faults


def drawn(
    spec: FaultSpec, answers: Answers, layers: dict[str, list[int]], ordinal: int
) -> tuple[Mutant, BoolArray, list[Redrawn]]:
    """The mutant of a number, which inputs kill it, and what was left out before. It depends on nothing else.

    Raises:
        NetworkError: no operator brings the drop into the band.
    """
    network, left = answers.network, list[Redrawn]()
    band = spec.band(len(answers))
    for draw in range(DRAWS_AT_A_PLACE * sum(map(len, layers.values()))):
        operator, layer = place_of(layers, ordinal + draw // DRAWS_AT_A_PLACE)
        key = (spec.random_seed, ordinal, draw)
        found = search(MUTATION_OPERATORS[operator], Site(network, layer), key, answers, band)
        if isinstance(found, Found):
            kills = answers.right & ~found.right
            counts = (int(each.sum()) for each in (answers.right, found.right, kills))
            where = (operator, layer, network.layers[layer - 1].name, draw, found.strength, spec.random_seed)
            return Mutant(ordinal, *where, network.fingerprint, len(answers), *counts), kills, left
        left.append(Redrawn(ordinal, draw, operator, layer, found.value))
    got = f"none at {len(left)} places and strengths that were tried"
    expected = f"a mutant whose accuracy is lower by {_percent(spec)} percentage points"
    raise NetworkError(expected, got, "widen --drop, or choose other --operators")


def rebuilt(network: Network, mutant: Mutant) -> Network:
    """The mutant again, of the network that it was made of, to run on other inputs.

    Raises:
        NetworkError: another network.
    """
    if network.fingerprint != mutant.network:
        expected = f"the network that mutant {mutant.ordinal} was made of, {mutant.network[:FINGERPRINT_SHOWN]}"
        raise NetworkError(expected, network.fingerprint[:FINGERPRINT_SHOWN], "give the same network")
    name = f"{mutant.operator} {mutant.layer} {mutant.strength} {mutant.key}"
    return FaultyNetwork(network, fault_of(network, mutant), name)


def fault_of(network: Network, mutant: Mutant) -> Fault:
    """The mutant's fault in its network, or in one of the same structure with other weights."""
    operator = MUTATION_OPERATORS[mutant.operator](mutant.strength)
    return operator.fault(Site(network, mutant.layer), np.random.default_rng(mutant.key))


def mutants_of(path: Path, network: Network) -> Sequence[Mutant]:
    """The mutants of a file, which have to be this network's.

    Raises:
        DataError: they are another one's.
        CampaignError: no file of seeded faults.
    """
    with FaultFile(path) as faults:
        if faults.spec.network_fingerprint != network.fingerprint:
            fix = "name the network of the mutants"
            raise DataError("mutants of the same network", f"those of another in {path.name}", fix)
        return faults.mutants()


def _check_band(spec: FaultSpec, answers: Answers) -> None:
    least, most = spec.band(len(answers))
    if least > most:
        got = f"{len(answers):,} inputs, of which {_percent(spec)} percentage points are no whole number"
        raise SpecificationError("a drop of at least one input", got, "widen --drop, or give more inputs")
    right = int(answers.right.sum())
    if right < most:
        expected = f"a network that has at least {most:,} of {len(answers):,} inputs right, the greatest --drop"
        raise DataError(expected, f"{right:,}", "check its data with 'dnncov check', or lower --drop")


def _percent(spec: FaultSpec) -> str:
    return f"{100 * spec.least:g} to {100 * spec.most:g}"


def _opened(path: Path, spec: FaultSpec, right: BoolArray) -> FaultFile:
    """A new file, or the one of an earlier call that asked for the same, and for no more mutants."""
    if not path.exists():
        return FaultFile.create(path, spec, right, versions())
    faults = FaultFile(path)
    if replace(faults.spec, mutants=spec.mutants) == spec and faults.spec.mutants <= spec.mutants:
        if faults.spec != spec:
            faults.ask_for(spec)
        return faults
    faults.close()
    differing = [_IN_WORDS.get(name, name) for name, value in vars(spec).items() if value != getattr(faults.spec, name)]
    expected = f"{path.name} to hold what is asked for"
    got = f"one with another {', '.join(dict.fromkeys(differing)).replace('_', ' ')}"
    raise CampaignError(expected, got, "ask for the same to resume it, or choose another --out")
