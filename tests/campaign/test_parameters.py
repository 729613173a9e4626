"""The table of parameters holds what engine, command, app and reports know of each."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dnncov_core.campaign.parameter_kinds import Flag, Layers, Record
from dnncov_core.campaign.parameters import PARAMETERS, by_label, by_option
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError, ParameterError
from dnncov_core.export.provenance import of_campaign
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.settings import SEARCH, facts, names_apart, search_in_words, settings_in_words
from tests.builders import campaign

ROWS = [row for row in PARAMETERS.values() if not isinstance(row, Record)]
SV, TARGETED = {"criterion": "sv"}, {"generator": "targeted"}
OTHER: dict[str, tuple[dict[str, Any], Any]] = {
    "network": ({}, "other"),
    "data": ({}, "other"),
    "criterion": ({}, "vs"),
    "generator": ({"generator": "lp"}, "targeted"),
    "value_function": (SV, "absolute"),
    "sigma": (SV, 3.0),
    "d": (SV | {"value_function": "absolute"}, 2.0),
    "p": (SV | {"value_function": "norm"}, "2"),
    "at_most": (SV | {"value_function": "norm"}, True),
    "reference": (SV | {"value_function": "upper_boundary"}, "training"),
    "condition_value_function": ({"criterion": "vv"}, "absolute=0.5"),
    "feature_mode": ({}, "fixed"),
    "omega": ({"feature_mode": "fixed"}, 0.5),
    "pairs": ({}, 8),
    "sampling": ({"pairs": 8}, "even"),
    "top_weights": ({}, 3),
    "layers": ({}, (3,)),
    "seeds": ({}, 9),
    "seed_order": ({}, "random"),
    "max_seeds": ({}, 9),
    "more_seeds": ({}, 9),
    "reuse": ({}, True),
    "margin": ({}, 0.01),
    "grid": ({}, "8bit"),
    "objective": (TARGETED, "adversarial"),
    "effect": ({"effect": "none"}, "needed"),
    "passes": (TARGETED, 99),
    "batch": (TARGETED, 3),
    "norm": ({}, "2"),
    "bound": ({}, 0.5),
    "device": ({}, "cpu"),
    "random_seed": ({"pairs": 8}, 1),
}
"""For each parameter, other parameters with which it decides something, and a value that is not the usual one."""
TITLE = ("network", "criterion")
"""What the names of campaigns begin with, and what a comparison is about."""


def two_specs(name: str) -> tuple[CampaignSpec, CampaignSpec]:
    beside, value = OTHER[name]
    one = CampaignSpec(**{"network": "mnist-n1", "data": "mnist"} | beside)
    return one, dataclasses.replace(one, **{name: value})


def test_every_field_of_a_specification_has_a_row_in_its_place() -> None:
    assert list(PARAMETERS) == [each.name for each in dataclasses.fields(CampaignSpec)]
    assert set(OTHER) == {row.name for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_has_what_command_app_and_reports_need(row: Any) -> None:
    assert row.option == ("network" if row.name == "network" else f"--{row.name.replace('_', '-')}")
    assert row.label
    assert row.help[0].islower()
    assert not row.help.endswith(".")
    one, other = two_specs(row.name)
    assert row.words(getattr(other, row.name))
    assert row.words(getattr(one, row.name)) or row.told_by


def test_labels_and_options_tell_rows_apart() -> None:
    assert len({row.label for row in PARAMETERS.values()}) == len(PARAMETERS)
    assert len({row.option for row in PARAMETERS.values()}) == len(PARAMETERS)


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_a_usual_value_is_allowed_and_means_the_same_when_read(name: str) -> None:
    row = PARAMETERS[name]
    _, other = two_specs(name)
    row.check(getattr(other, name))
    if isinstance(row, (Flag, Layers)):  # no text of theirs is read, or another one than Python's
        return
    assert row.read(str(getattr(other, name))) == getattr(other, name)


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_what_differs_is_named_by_every_telling(name: str) -> None:
    row, (one, other) = PARAMETERS[name], two_specs(name)
    assert facts(one) != facts(other)
    compared = row.matters or row.told_by
    assert (settings_in_words(one) != settings_in_words(other)) == bool(compared)
    if name in SEARCH:
        assert search_in_words(one) != search_in_words(other)
    names = names_apart({"a": one, "b": other})
    assert any("· a" in each for each in names.values()) == (not compared and name not in TITLE)


@pytest.mark.parametrize("name", [row.name for row in ROWS if row.matters or row.told_by])
def test_what_differs_is_named_by_comparisons_and_captions(tmp_path: Path, name: str) -> None:
    specs = two_specs(name)
    stores = {at: campaign(tmp_path / f"{at}.dnncov", spec=spec) for at, spec in zip("ab", specs, strict=True)}
    told = {"criterion": "Value functions"}.get(PARAMETERS[name].told_by, PARAMETERS[name].label)
    assert told in [each.what for each in differences(stores)]
    one, other = (of_campaign(store).sentences for store in stores.values())
    assert (one != other) == (name != "pairs")  # captions say how many the file has, and both have as many


class TestIdle:
    """Parameters that decide nothing are told of nowhere."""

    @pytest.mark.parametrize(
        ("name", "changes"),
        [
            ("omega", {"omega": 0.5}),
            ("passes", {"generator": "lp", "passes": 99}),
            ("batch", {"generator": "lp", "batch": 3}),
            ("sampling", {"sampling": "even"}),
            ("top_weights", {"feature_mode": "fixed"}),
            ("more_seeds", {"seed_order": "random"}),
        ],
    )
    def test_it_is_not_told(self, name: str, changes: dict[str, Any]) -> None:
        spec = CampaignSpec("mnist-n1", "mnist", **changes)
        assert PARAMETERS[name].idle(spec)
        assert name not in facts(spec)

    @pytest.mark.parametrize(("generator", "mode"), [("auto", "neuron"), ("lp", "fixed"), ("targeted", "free")])
    def test_the_fields_alone_say_whether_it_decides_something(self, generator: str, mode: str) -> None:
        """The form asks with fields that are not a specification yet, which has no properties."""
        fields: dict[str, Any] = {"network": "mnist-n1", "data": "mnist", "generator": generator, "feature_mode": mode}
        defaults = {name: row.default for name, row in PARAMETERS.items()}
        spec = CampaignSpec(**fields)
        for row in PARAMETERS.values():
            assert row.counts(SimpleNamespace(**defaults | fields)) == row.counts(spec)

    @pytest.mark.parametrize(
        "changes", [{"pairs": 8}, {"seeds": 9}, {"seed_order": "random"}, {"generator": "gradient"}]
    )
    def test_the_random_seed_decides_wherever_something_is_drawn(self, changes: dict[str, Any]) -> None:
        assert PARAMETERS["random_seed"].idle(CampaignSpec("mnist-n1", "mnist"))
        assert not PARAMETERS["random_seed"].idle(CampaignSpec("mnist-n1", "mnist", **changes))


class TestMessages:
    """A parameter is called as the reader knows it."""

    def test_the_command_and_the_form_call_it_by_their_own_names(self) -> None:
        with pytest.raises(ParameterError) as error:
            CampaignSpec("mnist-n1", "mnist", pairs=0)
        assert str(error.value) == "pairs must be at least 1; got 0; change it"
        assert by_option(error.value) == "--pairs must be at least 1; got 0; change it"
        assert by_label(error.value) == "Sample size must be at least 1."

    def test_what_to_do_is_said_where_the_limit_does_not(self) -> None:
        with pytest.raises(ParameterError) as error:
            CampaignSpec("mnist-n1", "mnist", feature_mode="free", generator="lp")
        told = "must be a gradient search for free features; got lp; choose auto or targeted, or another feature mode"
        assert by_option(error.value) == f"--generator {told}"
        assert by_label(error.value) == f"Generator {told}."

    def test_other_errors_stay_as_they_are(self) -> None:
        error = CampaignError("a campaign", "none", "start one")
        assert by_label(error) == by_option(error) == str(error)


def test_the_most_seeds_of_one_condition_are_said_with_those_beyond_the_pool() -> None:
    assert facts(CampaignSpec("net", "data", max_seeds=82))["max_seeds"] == "82 of the pool, 102 with those beyond it"
    assert facts(CampaignSpec("net", "data", max_seeds=82, more_seeds=0))["max_seeds"] == "82"
    assert facts(CampaignSpec("net", "data", seed_order="random"))["max_seeds"] == "41"
