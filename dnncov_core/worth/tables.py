"""What a file of a worth holds, as tables for pages, figures and files."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.ratios import Ratio
from dnncov_core.worth.answer import name_of
from dnncov_core.worth.correlations import Correlation
from dnncov_core.worth.draws import WAYS
from dnncov_core.worth.generated import KINDS
from dnncov_core.worth.worth_file import WorthFile


@dataclass(frozen=True)
class GeneratedRow:
    """Inputs of one kind: how many were run, the mutants that they kill, and those that differ on one of them."""

    kind: str
    inputs: int
    there: int
    killed: Ratio
    differs: Ratio

    @property
    def title(self) -> str:
        """The kind for readers."""
        return KINDS[self.kind].title


@dataclass(frozen=True)
class SuitePoint:
    """One suite in a figure of one criterion: what it covers, of how much (None: unknown), and what it kills."""

    size: int
    way: str
    number: int
    balance: float
    covered: float
    total: int | None
    killed: Ratio

    @property
    def way_title(self) -> str:
        """The way for readers."""
        return WAYS[self.way].title


@dataclass(frozen=True)
class WorthPlot:
    """Suites by one criterion: those of one size, or of all sizes (None), and their correlation if it is known."""

    criterion: str
    size: int | None
    points: tuple[SuitePoint, ...]
    correlation: Correlation | None

    @property
    def name(self) -> str:
        """The criterion for readers."""
        return name_of(self.criterion)

    @property
    def is_share(self) -> bool:
        """Whether coverage is a share."""
        return all(point.total for point in self.points)


def generated_rows(found: WorthFile) -> list[GeneratedRow]:
    """One row for each kind of generated inputs."""
    n = found.spec.mutants
    return [
        GeneratedRow(
            *(each.kind, each.inputs, each.there),
            *(Ratio(int(found.bits(bits).sum()), n) for bits in (each.killed, each.differs)),
        )
        for each in found.generated
    ]


def worth_plot(found: WorthFile, criterion: str, size: int | None) -> WorthPlot:
    """The suites of a size, or all of them, by one criterion, in their order."""
    points = (
        SuitePoint(
            *(each.size, each.way, each.number, each.balance),
            *each.coverage[criterion],
            Ratio(int(found.bits(each.killed).sum()), found.spec.mutants),
        )
        for each in sorted(found.suites, key=lambda suite: suite.key)
        if size in (None, each.size)
    )
    known = (each for each in found.correlations if (each.criterion, each.size) == (criterion, size))
    return WorthPlot(criterion, size, tuple(points), next(known, None))
