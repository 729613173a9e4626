"""The kinds of hostile files, by the name that the command takes."""

from __future__ import annotations

from collections.abc import Mapping

from tests.hostile import images, measurements, npz
from tests.hostile.trials import Maker

KINDS: Mapping[str, Maker] = {
    "images": images.make,
    "measurements": measurements.make,
    "npz": npz.make,
}
