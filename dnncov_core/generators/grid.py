"""Which values the inputs of a generated x2 may have. Choices are built from `GRIDS`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dnncov_core.box import Box
from dnncov_core.errors import SpecificationError
from dnncov_core.types import FloatArray


@dataclass(frozen=True)
class Grid:
    """The multiples of 1 / levels from 0 to 1; every value where ``levels`` is None."""

    title: str
    words: str
    levels: int | None

    def fits(self, box: Box) -> bool:
        """Whether inputs can lie on it: levels divide pixels in [0, 1], or between those of a channel."""
        pixels = box.ranges is None or len(box.shape) == 3
        return self.levels is None or (pixels and box.share_bounds == (0.0, 1.0))

    def check(self, box: Box) -> None:
        """Refuses inputs that cannot lie on the grid.

        Raises:
            SpecificationError: a grid for inputs that are not in [0, 1], nor images with bounds for each channel.
        """
        if not self.fits(box):
            low, high = box.bounds
            expected = f"inputs in [0, 1], or images with bounds for each channel, for the grid {self.title}"
            own = ", each feature with its own range" if box.ranges else ""
            got = f"a network with inputs of shape {box.shape} in [{low:g}, {high:g}]{own}"
            raise SpecificationError(expected, got, "choose grid none")

    def nearest(self, x: FloatArray) -> FloatArray:
        """The nearest point of the grid, in the precision of x: what comes back from a file of so many levels."""
        if self.levels is None:
            return x
        point: FloatArray = (np.rint(x.astype(np.float64) * self.levels) / self.levels).astype(x.dtype)
        return point


GRIDS: dict[str, Grid] = {
    "none": Grid(
        "Any value", "The nearest x2, mostly less than a grey level away: storing it as an image loses it.", None
    ),
    "8bit": Grid("8-bit grey levels", "The test condition holds for x2 as an image file of 256 levels holds it.", 255),
}
