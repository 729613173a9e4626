"""The specification: every parameter is checked, and the messages list what exists."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import DEVICES, FUNCTIONS, PARAMETERS
from dnncov_core.campaign.spec import FUNCTION_PARAMETERS, CampaignSpec, parse_value_function
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.criteria.value_functions import AbsoluteChange, AnyChange, NormChange, RatioChange, UpperBoundary
from dnncov_core.errors import CampaignError, DnncovError, SpecificationError
from dnncov_core.features import SAMPLINGS
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, OBJECTIVES
from dnncov_core.networks.loader import load_network
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.records import Named, NetworkCard
from tests.builders import card


def spec(**fields: object) -> CampaignSpec:
    return CampaignSpec(network="toy", data="toy", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "g1", "g2"),
    [
        ({"criterion": "vs"}, AnyChange(), AnyChange()),
        ({"criterion": "sv"}, AnyChange(), RatioChange(2.0)),
        ({"criterion": "vv"}, AnyChange(), RatioChange(5.0)),
        ({"criterion": "vs", "value_function": "ratio", "sigma": 3.0}, RatioChange(3.0), AnyChange()),
        ({"criterion": "sv", "sigma": 4.0}, AnyChange(), RatioChange(4.0)),
        ({"criterion": "vv", "value_function": "upper_boundary", "d": 0.5}, AnyChange(), UpperBoundary(0.5)),
        ({"criterion": "vv", "condition_value_function": "absolute=0.25"}, AbsoluteChange(0.25), RatioChange(5.0)),
        (
            {"criterion": "sv", "value_function": "norm", "d": 1.5, "p": "1", "at_most": True},
            AnyChange(),
            NormChange(1.5, "1", True),
        ),
    ],
)
def test_value_functions(fields: dict[str, object], g1: object, g2: object) -> None:
    method = spec(**fields).covering_method()
    assert (method.g1, method.g2) == (g1, g2)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_json_round_trip(criterion: str) -> None:
    one = spec(criterion=criterion, layers=(3,), bound=0.25, pairs=9, top_weights=10, sampling="even", batch=8)
    assert CampaignSpec.from_json(one.to_json()) == one


def test_json_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    CampaignStore.create(tmp_path / "c.dnncov", spec(), {}).close()
    with closing(sqlite3.connect(tmp_path / "c.dnncov")) as connection, connection:
        connection.execute("""UPDATE campaign SET spec = replace(spec, '"omega"', '"omega_of_the_future"')""")
    with pytest.raises(CampaignError, match=r"c\.dnncov .*omega_of_the_future.*open it with the version that wrote it"):
        CampaignStore(tmp_path / "c.dnncov")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"criterion": "xx"}, f"one of {', '.join(CRITERIA)}; got 'xx'"),
        ({"generator": "magic"}, f"one of {', '.join([AUTO, *GENERATORS])}; got 'magic'"),
        ({"feature_mode": "cloud"}, f"one of {', '.join(FEATURE_MODES)}"),
        ({"grid": "16bit"}, f"grid must be one of {', '.join(GRIDS)}; got '16bit'; change it"),
        ({"norm": "3"}, "one of inf, 2, 1"),
        ({"device": "tpu"}, f"one of {', '.join(DEVICES)}"),
        ({"criterion": "sv", "value_function": "huge"}, f"one of {', '.join(VALUE_FUNCTIONS)}"),
        ({"pairs": 0}, "pairs must be at least 1; got 0; change it"),
        ({"top_weights": 0}, "top_weights must be at least 1; got 0; change it"),
        ({"top_weights": 3, "feature_mode": "fixed"}, "features are not single neurons; got 3 with feature mode fixed"),
        ({"seeds": 0}, "seeds must be at least 1; got 0; change it"),
        ({"max_seeds": 0}, "max_seeds"),
        ({"sampling": "odd"}, f"sampling must be one of {', '.join(SAMPLINGS)}; got 'odd'"),
        ({"objective": "fame"}, f"objective must be one of {', '.join(OBJECTIVES)}; got 'fame'"),
        (
            {"feature_mode": "free", "criterion": "vs"},
            "criterion SS or SV for free features, the sets that change their sign",
        ),
        ({"feature_mode": "free", "criterion": "vv"}, "got VV (value-value); choose another feature mode or criterion"),
        ({"feature_mode": "free", "generator": "lp"}, "generator must be a gradient search for free features; got lp"),
        (
            {"feature_mode": "free", "generator": "lp-reference"},
            "got lp-reference; choose auto or targeted, or another",
        ),
        ({"top_weights": 3, "feature_mode": "free"}, "features are not single neurons; got 3 with feature mode free"),
        ({"passes": 11}, "passes must be at least 12; got 11"),
        ({"batch": 0}, "batch must be at least 1; got 0"),
        ({"omega": 0.0}, "omega must be above 0 and at most 1; got 0.0"),
        ({"omega": 1.5}, "omega"),
        ({"omega": float("nan")}, "omega"),
        ({"margin": 0.0}, "margin"),
        ({"bound": -1.0}, "bound"),
        ({"bound": float("inf")}, "bound"),
        ({"random_seed": -1}, "random_seed"),
        ({"sigma": 2.0}, "no value function for SS"),
        ({"value_function": "ratio"}, "no value function for SS"),
        ({"criterion": "sv", "sigma": 0.0}, "sigma must be above 0 and finite; got 0.0"),
        ({"criterion": "sv", "sigma": float("nan")}, "sigma must be above 0 and finite; got nan"),
        ({"criterion": "sv", "d": 1.0}, "one of sigma for the value function ratio; got d"),
        ({"criterion": "vs", "sigma": 1.0}, "no parameter for the value function any; got sigma"),
        ({"criterion": "sv", "condition_value_function": "ratio"}, "no separate g1"),
        ({"criterion": "vv", "condition_value_function": "ratio=x"}, "ratio=NUMBER"),
        ({"criterion": "vv", "condition_value_function": "any=3"}, "any without a number"),
        ({"criterion": "vv", "condition_value_function": "big"}, "value function, one of"),
    ],
)
def test_refusals(fields: dict[str, object], message: str) -> None:
    with pytest.raises(SpecificationError) as error:
        spec(**fields)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", VALUE_FUNCTIONS)
@pytest.mark.parametrize("criterion", ["vs", "sv", "vv"])
def test_every_value_function_is_written_out_as_it_was_meant(criterion: str, name: str) -> None:
    asked = spec(criterion=criterion, value_function=name)
    stored = CampaignSpec.from_json(asked.resolved().to_json())
    assert stored.value_function == name
    assert stored.covering_method() == asked.covering_method()
    assert stored.resolved() == stored


class TestAuto:
    """Which generator suits a network; layers of 2..K-1 by their activation and their neurons."""

    @staticmethod
    def network(*hidden: tuple[str, int]) -> NetworkCard:
        made = card(hidden=tuple(neurons for _, neurons in hidden))
        kinds = ("input", *(kind for kind, _ in hidden), "output")
        layers = tuple(dataclasses.replace(layer, kind=kind) for layer, kind in zip(made.layers, kinds, strict=True))
        return dataclasses.replace(made, layers=layers)

    @pytest.mark.parametrize(
        ("hidden", "mode", "generator"),
        [
            ((("relu", 30), ("relu", 20)), "neuron", "lp"),
            ((("relu", 30), ("leaky_relu", 20), ("relu6", 9)), "fixed", "lp"),
            ((("relu", 30), ("relu", 20)), "free", "targeted"),
            ((("relu", 30), ("sigmoid", 20)), "neuron", "targeted"),
            ((("relu", 5000),), "neuron", "lp"),
            ((("relu", 5001),), "neuron", "targeted"),
            ((("relu", 4000), ("relu", 1001)), "neuron", "targeted"),
        ],
    )
    def test_it_means_the_generator_that_suits_the_network(
        self, hidden: tuple[tuple[str, int], ...], mode: str, generator: str
    ) -> None:
        asked = spec(feature_mode=mode)
        assert asked.generator == "auto"
        effect = "needed" if generator == "lp" else "none"
        decided = dataclasses.replace(asked, generator=generator, effect=effect)
        assert asked.for_network(self.network(*hidden)) == decided

    @pytest.mark.parametrize("objective", OBJECTIVES)
    def test_it_has_every_objective(self, objective: str) -> None:
        asked = spec(objective=objective)
        assert asked.for_network(self.network(("relu", 30))).generator == "lp"
        assert asked.for_network(self.network(("sigmoid", 30))).generator == "targeted"

    @pytest.mark.parametrize("name", GENERATORS)
    def test_a_named_generator_stays(self, name: str) -> None:
        asked = spec(generator=name)
        effect = "none" if GENERATORS[name].by_gradients else "needed"
        decided = asked.for_network(self.network(("sigmoid", 9), ("relu", 9)))
        assert decided == dataclasses.replace(asked, effect=effect)

    def test_a_named_effect_stays(self) -> None:
        asked = spec(generator="targeted", effect="sufficient")
        assert asked.for_network(self.network(("relu", 9))) == asked

    def test_a_network_and_its_card_mean_the_same(self) -> None:
        network, made = load_network("toy")
        assert spec().for_network(network) == spec().for_network(made) == spec(generator="lp", effect="needed")


@pytest.mark.parametrize("name", GENERATORS)
def test_only_a_search_for_labels_has_their_objective(name: str) -> None:
    GENERATORS[name].check("distance")
    if "adversarial" in GENERATORS[name].objectives:
        GENERATORS[name].check("adversarial")
        return
    with pytest.raises(
        SpecificationError, match=r"objective distance for .*; got adversarial; choose generator lp or targ"
    ):
        GENERATORS[name].check("adversarial")


@pytest.mark.parametrize("name", VALUE_FUNCTIONS)
def test_every_value_function_can_be_named_alone(name: str) -> None:
    assert isinstance(parse_value_function(name), VALUE_FUNCTIONS[name])


def test_fields_of_value_functions_that_are_called_like_parameters_are_given_by_them() -> None:
    """A field called `batch` would be another thing than the parameter of that name."""
    fields = {field.name for kind in VALUE_FUNCTIONS.values() for field in dataclasses.fields(kind)}
    assert set(FUNCTION_PARAMETERS) == fields & set(PARAMETERS)


def test_no_other_field_of_a_value_function_changes_a_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class InSteps(RatioChange):
        name: ClassVar[str] = "in_steps"
        batch: int = 9

    monkeypatch.setitem(VALUE_FUNCTIONS, "in_steps", InSteps)
    monkeypatch.setitem(FUNCTIONS, "in_steps", Named("in_steps"))
    asked = spec(criterion="sv", value_function="in_steps")
    assert asked.resolved() == dataclasses.replace(asked, sigma=2.0)


def test_errors_are_of_one_tree() -> None:
    assert issubclass(SpecificationError, DnncovError)
