"""What an exhibit is: a table, with the figure, the columns and the caption that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from dnncov_core.export.origin import Origin
from dnncov_core.export.sheets import Sheet

Tables = Iterator[tuple[str, Any]]
"""Tables of one kind, each with what its files' names end in; mostly one, with nothing."""


@dataclass(frozen=True)
class ExhibitKind:
    """A kind of figure or table.

    Attributes:
        title: what it is called where one chooses.
        tables: from what it is of, and a name for it, to its tables.
        sheet: from a table to columns.
        caption: from a table to sentences that say what it shows, with its numbers.
        plot: from a table to its figure; None where there is a table alone.
        told: options of the plot that the caption has to know.
    """

    title: str
    tables: Callable[[Any, str], Tables]
    sheet: Callable[[Any], Sheet]
    caption: Callable[..., str]
    plot: Callable[..., go.Figure] | None = None
    told: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exhibit:
    """One figure with its table and all that its files say.

    Attributes:
        name: of its kind.
        kind: how it is drawn and written down.
        table: what feeds figure, sheet and caption, so that they cannot disagree.
        provenance: where the numbers come from.
        part: what its files' names end in; mostly nothing.
        options: of the plot, such as ``log``.
    """

    name: str
    kind: ExhibitKind
    table: Any
    provenance: Origin
    part: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """Its files' names without suffix.

        What is switched on, as a logarithmic axis, is part of it, so that no two figures have one name.
        """
        ends = [self.part, *(name for name, value in self.options.items() if value is True)]
        return "-".join([self.name, *(end for end in ends if end)])

    @property
    def has_figure(self) -> bool:
        """Whether there is more than a table."""
        return self.kind.plot is not None

    def figure(self, **more: Any) -> go.Figure:
        """The figure, anew: whoever gets it may change its colours.

        Args:
            more: options of the plot that mean something beside other things alone, and are in no file.
        """
        assert self.kind.plot is not None, f"{self.name} is a table"
        return self.kind.plot(self.table, source=self.provenance.source, **self.options, **more)

    def sheet(self) -> Sheet:
        """The table in columns."""
        return self.kind.sheet(self.table)

    def caption(self) -> str:
        """What it shows, of how many, and where the numbers come from: to be pasted below it."""
        told = {name: value for name, value in self.options.items() if name in self.kind.told}
        return f"{self.kind.caption(self.table, **told)} {self.provenance.closing()}"
