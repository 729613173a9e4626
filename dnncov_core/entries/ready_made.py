"""Campaigns and measurements to begin with: on embedded networks and data, so that they need no download."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dnncov_core.campaign import library
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.suites import library as measuring
from dnncov_core.suites.spec import MeasurementSpec


@dataclass(frozen=True)
class ReadyMade:
    """A campaign or measurement to begin with: its title, what it shows, and what is asked."""

    title: str
    words: str
    spec: CampaignSpec | MeasurementSpec

    @property
    def kind(self) -> str:
        """The kind of entry that it becomes."""
        return "campaign" if isinstance(self.spec, CampaignSpec) else "measurement"


READY_MADE: Mapping[str, ReadyMade] = {
    "toy": ReadyMade(
        "The paper's example",
        "SS on the network toy, every test condition. Seconds.",
        CampaignSpec("toy", "toy"),
    ),
    "digits": ReadyMade(
        "Handwritten digits",
        "SS on mnist-n9, 100 sampled test conditions, seeds in random order as in the paper. About a minute.",
        CampaignSpec("mnist-n9", "mnist", pairs=100, seed_order="random"),
    ),
    "weights": ReadyMade(
        "Top weights",
        "Handwritten digits again, on the ten strongest connections into each neuron alone: SS^w10, to compare with SS."
        " About a minute.",
        CampaignSpec("mnist-n9", "mnist", pairs=100, seed_order="random", top_weights=10),
    ),
    "photos": ReadyMade(
        "Photos",
        "SS on a convolutional network; any set of up to 1 % of a layer is the condition. Half a minute.",
        CampaignSpec(
            "cifar10-cnn",
            "cifar10-sample",
            feature_mode="free",
            omega=0.01,
            pairs=30,
            sampling="even",
            grid="8bit",
        ),
    ),
    "measure": ReadyMade(
        "Measure digits",
        "How much 5,000 training images cover of mnist-n1 by seven criteria. Nothing is generated. Seconds.",
        MeasurementSpec("mnist-n1", "mnist", criteria="ss,sv,vs,vv,n,tn,s"),
    ),
}


def start_ready_made(key: str) -> str:
    """Starts one of them; returns the id of the campaign or measurement.

    Raises:
        DataError: the user's folder cannot be written.
    """
    spec = READY_MADE[key].spec
    return library.start(spec) if isinstance(spec, CampaignSpec) else measuring.start(spec)
