"""What is asked: of which faults, by which criteria, on how many suites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.criteria.effects import shown_effect
from dnncov_core.errors import SpecificationError
from dnncov_core.suites.criterion_names import ALL, DEFAULT, AskedCriterion
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.types import Count, Share, Size

SUFFIX = ".worth"
SIZES = (10, 30, 100, 300, 1000)
SUITES = 100
LEAST_SUITES = 12
"""Of fewer suites a size nothing can be told."""
EFFECT = "needed"
"""The effect that covering methods are asked with a second time."""


@dataclass(frozen=True)
class WorthSpec:
    """What is asked, by names; of files, by their names alone.

    Attributes:
        faults: the file of seeded faults, whose suite is the pool.
        network: the network without a fault.
        criteria: with commas, as `dnncov measure` takes them.
        reference: data whose ranges count.
        sizes: inputs of suites, ascending.
        suites: of each size.
        random_seed: a suite depends on it and on its size, way and number alone.
        feature_mode: ``neuron`` or ``free``.
        omega: the largest share of a layer that a free feature may have.
        fingerprint: of the network.
        pool_fingerprint: of inputs and labels of the pool.
        faults_fingerprint: of what the faults were asked for, and of which inputs kill which mutant.
        reference_fingerprint: of the reference data; empty without them.
        mutants: how many there are.
        inputs: of the pool.
        campaigns: files whose test pairs are asked which mutants they kill.
    """

    faults: str
    network: str
    criteria: str
    reference: str | None
    sizes: tuple[Size, ...] = SIZES
    suites: Count = SUITES
    random_seed: Count = 0
    feature_mode: str = "neuron"
    omega: Share = 0.001
    fingerprint: str = ""
    pool_fingerprint: str = ""
    faults_fingerprint: str = ""
    reference_fingerprint: str = ""
    mutants: Count = 0
    inputs: Count = 0
    campaigns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.sizes or list(self.sizes) != sorted(set(self.sizes)) or self.sizes[0] < 1:
            got = ",".join(map(str, self.sizes))
            raise SpecificationError("sizes from 1 that grow, such as 10,100", got, "change --sizes")
        if self.suites < LEAST_SUITES:
            raise SpecificationError(f"at least {LEAST_SUITES} suites of each size", str(self.suites), "raise --suites")
        if self.inputs and self.sizes[-1] > self.inputs:
            got = f"suites of {self.sizes[-1]:,} inputs"
            raise SpecificationError(f"suites of at most {self.inputs:,} inputs, the whole pool", got, "change --sizes")

    def asked(self) -> Sequence[AskedCriterion]:
        """The criteria, checked.

        Raises:
            SpecificationError: criteria, feature mode or omega that cannot be.
        """
        return self.measurement.asked()

    @property
    def measurement(self) -> MeasurementSpec:
        """How each suite is measured; the suite's name stands for all of them."""
        return MeasurementSpec(
            self.network,
            self.faults,
            self.criteria,
            self.reference,
            feature_mode=self.feature_mode,
            omega=self.omega,
            effect=EFFECT,
        )


def criteria_for(reference: str | None) -> str:
    """The criteria unless others are asked for: those without reference data, or all."""
    return DEFAULT if reference is None else ",".join(ALL)


def with_effect(text: str) -> str:
    """How a covering method is called where the effect is needed.

    >>> with_effect("ss")
    'ss, effect needed'
    """
    return f"{text}, effect {shown_effect(EFFECT)}"
