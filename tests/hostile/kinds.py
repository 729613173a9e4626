"""The kinds of hostile files, by the name that the command takes."""

from __future__ import annotations

from collections.abc import Mapping

from tests.hostile import campaigns, images, measurements, networks, npz, registries
from tests.hostile.trials import Maker

KINDS: Mapping[str, Maker] = {
    "campaigns": campaigns.make,
    "images": images.make,
    "measurements": measurements.make,
    "networks": networks.make,
    "npz": npz.make,
    "registries": registries.make,
}
