"""Units of a network's inputs, and of distances between them."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.generators import GRIDS
from dnncov_core.records import NetworkCard

UNITS: Mapping[bool, str] = {True: "share of the pixel range", False: "input units"}
"""Unit of a distance, by whether the inputs are images of pixel values."""


def has_pixels(card: NetworkCard | None) -> bool:
    """Whether a network's inputs are images in pixel space: (channels, height, width) within [0, 1]."""
    return has_grid(card) and card is not None and len(card.input_shape) == 3


def has_grid(card: NetworkCard | None) -> bool:
    """Whether the 256 grey levels of 8 bits mean anything for a network's inputs."""
    return card is not None and GRIDS["8bit"].fits(card.bounds)
