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
    """A campaign or measurement to begin with.

    Attributes:
        title: its name.
        words: what it shows, and how long it takes.
        spec: what is asked.
        picture: a file of the example's folder that shows a result of its kind; empty without one.
        shown: what is seen on it.
    """

    title: str
    words: str
    spec: CampaignSpec | MeasurementSpec
    picture: str = ""
    shown: str = ""

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
        "Generates tests for a network that reads digits: each flips a neuron, and with it one of the next layer (SS)."
        " 100 sampled test conditions, seeds in random order, on 256 grey levels. About a minute.",
        CampaignSpec("mnist-n9", "mnist", pairs=100, sampling="even", seed_order="random", grid="8bit"),
        "digits.png",
        "A seed, what changes, and the generated digit, each input with its label.",
    ),
    "weights": ReadyMade(
        "Top weights",
        "Handwritten digits again, on the ten strongest connections into each neuron alone: SS^w10, to compare with SS."
        " About a minute.",
        CampaignSpec("mnist-n9", "mnist", pairs=100, sampling="even", seed_order="random", top_weights=10, grid="8bit"),
    ),
    "photos": ReadyMade(
        "Photos",
        "Generates tests for a convolutional network: any set of up to 1 % of a layer may flip together, and with it a"
        " neuron of the next (SS). Half a minute.",
        CampaignSpec(
            "cifar10-cnn",
            "cifar10-sample",
            feature_mode="free",
            omega=0.01,
            pairs=30,
            sampling="even",
            grid="8bit",
        ),
        "photos.png",
        "A photo, what changes, and the generated photo, each input with its label.",
    ),
    "measure": ReadyMade(
        "Measure digits",
        "Which interactions do 5,000 digits exercise of mnist-n9? Seven criteria; nothing is generated. Half a minute.",
        MeasurementSpec("mnist-n9", "mnist", criteria="ss,vs,sv,vv,n,tn,s"),
        "measure.png",
        "A bar for each criterion: the share of it that the images cover.",
    ),
}


def start_ready_made(key: str) -> str:
    """Starts one of them; returns the id of the campaign or measurement.

    Raises:
        DataError: the user's folder cannot be written.
    """
    spec = READY_MADE[key].spec
    return library.start(spec) if isinstance(spec, CampaignSpec) else measuring.start(spec)
