"""Which values the inputs of a generated x2 may have. Choices are built from `GRIDS`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dnncov_core.box import Box
from dnncov_core.errors import SpecificationError
from dnncov_core.types import FloatArray

UNIT = (0.0, 1.0)


@dataclass(frozen=True)
class Grid:
    """So many steps from the least value of an input to the greatest; every value where ``levels`` is None."""

    title: str
    words: str
    levels: int | None

    def fits(self, box: Box) -> bool:
        """Whether inputs can lie on it: levels divide [0, 1], or what pixels of an image, or of a channel, may be."""
        if self.levels is None or (box.ranges is None and box.bounds == UNIT):
            return True
        is_vector = box.ranges is None and sum(size > 1 for size in box.shape) < 2
        return len(box.shape) == 3 and not is_vector

    def check(self, box: Box) -> None:
        """Refuses inputs that cannot lie on the grid.

        Raises:
            SpecificationError: a grid for inputs that are neither in [0, 1] nor images.
        """
        if not self.fits(box):
            low, high = box.bounds
            expected = f"inputs in [0, 1], or images (channels, height, width), for the grid {self.title}"
            own = ", each feature with its own range" if box.ranges else ""
            got = f"a network with inputs of shape {box.shape} in [{low:g}, {high:g}]{own}"
            raise SpecificationError(expected, got, "choose grid none")

    def working_box(self, box: Box) -> Box:
        """The box in whose shares searches work: levels divide shares, whatever the bounds of images are."""
        has_shares = self.levels is None or box.ranges is not None or box.bounds == UNIT
        return box if has_shares else replace(box, ranges=(box.bounds,) * box.shape[0])

    def nearest(self, x: FloatArray, box: Box | None = None) -> FloatArray:
        """The nearest point of the grid, in the precision of x: what comes back from a file of so many levels.

        ``box`` is what inputs may be; without one these are from 0 to 1.
        """
        if self.levels is None:
            return x
        low, span, width = (0.0, 1.0, 1.0) if box is None else (box.low, box.high - box.low, box.width)
        level = np.rint((x.astype(np.float64) - low) / width * self.levels)
        point: FloatArray = (low + span * level / self.levels).astype(x.dtype)
        return point


GRIDS: dict[str, Grid] = {
    "none": Grid(
        "Any value", "The nearest x2, mostly less than a grey level away: storing it as an image loses it.", None
    ),
    "8bit": Grid("8-bit grey levels", "The test condition holds for x2 as an image file of 256 levels holds it.", 255),
}
