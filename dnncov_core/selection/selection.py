"""Orders of a pool's inputs, what their first inputs cover, kill and find, and how early."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.errors import SpecificationError
from dnncov_core.selection.curves import Curve
from dnncov_core.selection.orders import RANDOM, AskedOrder, asked_orders
from dnncov_core.types import Count


@dataclass(frozen=True)
class SelectionSpec:
    """What is asked of a selection, by names as `dnncov select` takes them.

    Attributes:
        network: a name or a reference.
        pool: data.
        by: orders with commas; the first one selects, the others stand beside it.
        budget: inputs that are selected.
        criterion: whose coverage is told along the orders; that of the first order by a criterion, or SS, if left out.
        reference: data whose ranges and boundaries count.
        random_seed: of ties and of random orders.
        seeds: how many random orders are the measure.
        device: where inputs go through the network.
    """

    network: str
    pool: str
    by: str = "ss"
    budget: Count = 200
    criterion: str | None = None
    reference: str | None = None
    random_seed: Count = 0
    seeds: Count = 20
    device: str = "cpu"

    def orders(self) -> list[AskedOrder]:
        """The orders, checked, with the random one last.

        Raises:
            SpecificationError: an order, or a number, that cannot be.
        """
        if self.seeds < 2:
            raise SpecificationError("at least 2 random orders", str(self.seeds), "raise --seeds")
        found = [order for order in asked_orders(self.by, self.reference) if order.by is not None]
        return [*found, AskedOrder(RANDOM, None)]

    @property
    def told(self) -> str:
        """The criterion whose coverage is told."""
        own = [order.text for order in self.orders() if order.criterion is not None]
        return self.criterion or (own[0] if own else "ss")


@dataclass(frozen=True)
class Ranking:
    """All inputs in one order.

    Attributes:
        order: as it was asked for; of random ones the first.
        rows: of the pool.
        adds: test conditions that each adds to those before it; empty unless the order goes by a criterion.
        first_round: so many inputs cover all that the pool covers; None unless the order goes by a criterion.
        apfd: how early it kills mutants; of random orders the mean. None without mutants that an input kills.
        low: lower end of the 95 % interval over mutants.
        high: upper end.
    """

    order: str
    rows: tuple[Count, ...]
    adds: tuple[Count, ...] = ()
    first_round: Count | None = None
    apfd: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Selection:
    """The orders of a pool, and their curves.

    Attributes:
        spec: what was asked; its names hold no folders.
        inputs: of the pool.
        misclassified: how many of them; None without labels.
        mutants: how many there are; None without a file of them.
        killable: those that some input of the pool kills; APFD leaves out the others.
        rankings: by the orders asked for, the random one last.
        curves: of coverage, and of mutants and misclassified inputs where these are known.
        seconds: how long it took.
    """

    spec: SelectionSpec
    inputs: Count
    misclassified: Count | None
    mutants: Count | None
    killable: Count | None
    rankings: tuple[Ranking, ...]
    curves: tuple[Curve, ...]
    seconds: float

    @property
    def first(self) -> Ranking:
        """The order that selects."""
        return self.rankings[0]

    @property
    def selected(self) -> list[int]:
        """The rows of the pool that are selected."""
        return list(self.first.rows[: self.spec.budget])

    def curve(self, measure: str) -> Curve | None:
        """The curve of a measure, if there is one."""
        return next((each for each in self.curves if each.measure == measure), None)
