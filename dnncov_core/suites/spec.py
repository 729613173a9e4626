"""The specification of a measurement: all that decides its numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from dnncov_core.campaign.parameters import DEVICES
from dnncov_core.criteria import EFFECTS, NO_EFFECT
from dnncov_core.errors import SpecificationError, unknown_name
from dnncov_core.features import FeaturePairs, layers_named
from dnncov_core.outside_values import record
from dnncov_core.suites.criterion_names import DEFAULT, AskedCriterion, check_features, parse

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network
    from dnncov_core.records import NetworkCard


@dataclass(frozen=True)
class MeasurementSpec:
    """What is asked of a measurement, by names as `dnncov measure` takes them.

    Attributes:
        network: a name or a reference.
        suite: data, or a campaign file.
        criteria: with commas.
        reference: data whose ranges and boundaries count.
        feature_mode: ``neuron`` or ``free``.
        omega: the largest share of a layer that a free feature may have.
        effect: a key of `EFFECTS`; of which feature pairs it is told that a witness shows it.
        layers: the decision layers of SS, VS, SV and VV, by numbers or modules with commas; all if left out.
        condition_layers: their condition layers, likewise.
        device: where inputs go through the network.
    """

    network: str
    suite: str
    criteria: str = DEFAULT
    reference: str | None = None
    feature_mode: str = "neuron"
    omega: float = 0.001
    effect: str = "needed"
    device: str = "cpu"
    layers: str | None = None
    condition_layers: str | None = None

    def asked(self) -> list[AskedCriterion]:
        """The criteria, checked.

        Raises:
            SpecificationError: criteria, feature mode, omega, an effect or a device that cannot be.
        """
        if self.effect not in EFFECTS:
            raise unknown_name("effect", self.effect, EFFECTS)
        if self.device not in DEVICES:
            raise unknown_name("device", self.device, DEVICES)
        asked = parse(self.criteria, self.reference)
        check_features(asked, self.feature_mode, self.omega)
        return asked

    def pairs(self, network: NetworkCard | Network) -> FeaturePairs:
        """The feature pairs that covering methods are asked of.

        Raises:
            SpecificationError: layers that the network does not have, or between which there are no feature pairs.
        """
        conditions, decisions = ({edge[side] for edge in network.edges} for side in (0, 1))
        pairs = FeaturePairs(
            network.layers,
            network.edges,
            mode=self.feature_mode,
            omega=self.omega,
            decision_layers=layers_named(self.layers, decisions, network.layers),
            condition_layers=layers_named(self.condition_layers, conditions, network.layers),
        )
        if network.edges and not pairs.edges:
            got = f"none from {self.condition_layers} to {self.layers}"
            raise SpecificationError("layers that follow each other", got, "choose other layers")
        return pairs

    def used(self) -> MeasurementSpec:
        """This specification, without reference data if none of the criteria needs them."""
        return self if any(each.by_reference for each in self.asked()) else replace(self, reference=None)

    @property
    def options(self) -> list[str]:
        """The arguments of `dnncov measure`; each in one word, so that none is taken for another option."""
        given = {name.replace("_", "-"): value for name, value in asdict(self).items() if value is not None}
        network = given.pop("network")
        return [*(f"--{name}={value}" for name, value in given.items()), "--", network]

    @classmethod
    def read(cls, fields: object) -> MeasurementSpec:
        """A specification from JSON; unknown fields are left out, and without an effect none was asked for.

        Raises:
            ValueError: no table, or fields of other types.
            SpecificationError: something that cannot be measured.
        """
        known = {"effect": NO_EFFECT, **fields} if isinstance(fields, dict) else fields
        spec = record(cls, known, ignore_unknown=True)
        replace(spec, reference=spec.reference or "").asked()
        return spec
