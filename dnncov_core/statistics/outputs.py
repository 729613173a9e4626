"""By how much the outputs of a regression move from seeds to generated inputs, in their units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.phrases.numbers import short
from dnncov_core.ratios import Ratio
from dnncov_core.records import Quantity
from dnncov_core.types import FloatArray

HEADS = ("Output", "Moved by, median", "Moved by, most", "Tolerance", "Test pairs beyond tolerance")


@dataclass(frozen=True)
class OutputRow:
    """One output over all test pairs: how far it moves, up or down, in its unit."""

    quantity: Quantity
    median: float
    most: float
    beyond: Ratio

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row under `HEADS`."""
        name = f"{self.quantity.name} ({self.quantity.unit})" if self.quantity.unit else self.quantity.name
        return name, short(self.median), short(self.most), short(self.quantity.tolerance), self.beyond.display()


def output_table(store: CampaignStore) -> tuple[OutputRow, ...]:
    """A row for each output of a regression, over the test pairs that have them stored; none where none has."""
    card, moved = store.card(), np.abs(store.pairs.moved_outputs())
    if card is None or not len(moved):
        return ()
    return tuple(_row(of, moved[:, i]) for i, of in enumerate(card.quantities))


def _row(quantity: Quantity, moved: FloatArray) -> OutputRow:
    beyond = Ratio(int((moved > quantity.tolerance).sum()), moved.size)
    return OutputRow(quantity, float(np.median(moved)), float(moved.max()), beyond)
