"""The commands of a report, read by the command's own parser, ask for what was asked."""

from __future__ import annotations

import dataclasses
import shlex

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.cli import parser
from dnncov_core.evidence.commands import campaign_commands, measurement_command
from dnncov_core.records import Retry
from dnncov_core.suites.spec import MeasurementSpec

SPECS = [
    CampaignSpec("mnist-n1", "mnist", generator="lp", effect="needed", pairs=200, seed_order="random", random_seed=3),
    CampaignSpec("my net.pt2", "a'b.npz", "sv", value_function="ratio", sigma=3.0, layers=(3, 4), bound=8 / 255),
    CampaignSpec("net", "data", feature_mode="free", omega=0.01, generator="targeted", effect="none", reuse=True),
    CampaignSpec("net", "data", top_weights=10, norm="2", grid="8bit", more_seeds=0, margin=1e-5),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_a_campaign_is_asked_for_again(spec: CampaignSpec) -> None:
    (line,) = campaign_commands(spec, "out.dnncov")
    options = vars(parser().parse_args(shlex.split(line)[1:]))
    asked = {name: value for name, value in options.items() if name in CampaignSpec.__dataclass_fields__}
    assert CampaignSpec(**asked) == spec


def test_without_a_file_to_name_it_is_one_that_a_shell_takes() -> None:
    assert campaign_commands(CampaignSpec("my net.pt2", "data")) == ["dnncov run 'my net.pt2' --data data"]


def test_conditions_that_were_tried_again_are_tried_again() -> None:
    spec = CampaignSpec("net", "data", max_seeds=5)
    spec = spec.retried(Retry(("exhausted",), (), 3, (5, 400, 20), (50, 400, 20), chosen=True))
    first, second = campaign_commands(spec, "out.dnncov")
    assert first == "dnncov run net --data data --max-seeds 5 --out out.dnncov"
    assert second == "dnncov retry out.dnncov --outcomes exhausted --ordinals CHOSEN --max-seeds 50"


def test_a_search_for_effects_names_the_campaign_it_came_from() -> None:
    retry = Retry(("without_effect",), (), 3, (5, 400, 20), (5, 400, 20), effect="both", origin="first")
    spec = dataclasses.replace(CampaignSpec("net", "data"), effect="both", retries=(retry,))
    assert campaign_commands(spec, "two.dnncov") == ["dnncov retry first.dnncov --effect both --out two.dnncov"]


def test_a_measurement_is_asked_for_again() -> None:
    spec = MeasurementSpec("net", "suite", "ss,tn:2", reference="train", feature_mode="free", omega=0.02, layers="3,4")
    options = vars(parser().parse_args(shlex.split(measurement_command(spec, "out.json"))[1:]))
    assert MeasurementSpec(**{each.name: options[each.name] for each in dataclasses.fields(spec)}) == spec
