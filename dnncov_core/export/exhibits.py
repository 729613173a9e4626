"""What is exported: a table with its figure, columns and caption, and where its numbers come from."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import SpecificationError, unknown_name
from dnncov_core.export.catalogue import CAMPAIGN, COMPARISON, EXHIBITS, MEASUREMENT, PAIRS, ExhibitKind, Stores
from dnncov_core.export.provenance import Origin, of_campaign, of_measurement
from dnncov_core.export.several import Comparison, of_campaigns
from dnncov_core.export.sheets import Sheet
from dnncov_core.phrases.caption import Caption
from dnncov_core.suites.measurement_file import StoredMeasurement


@dataclass(frozen=True)
class Exhibit:
    """One figure with its table and all that its files say.

    Attributes:
        name: its key in `EXHIBITS`.
        table: what feeds figure, sheet and caption, so that they cannot disagree.
        provenance: where the numbers come from.
        part: what its files' names end in; mostly nothing.
        options: of the plot, such as ``log``.
    """

    name: str
    table: Any
    provenance: Origin
    part: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> ExhibitKind:
        """How it is drawn and written down."""
        return EXHIBITS[self.name]

    @property
    def stem(self) -> str:
        """The names of its files, without suffix.

        What is switched on, as a logarithmic axis, is part of it, so that no two figures have one name. A network's
        name in it may be a path; it leads to no other folder, and a number keeps it apart from similar ones.
        """
        ends = [self.part, *(name for name, value in self.options.items() if value is True)]
        text = "-".join([self.name, *(end for end in ends if end)])
        name = re.sub(r"[^\w.-]", "-", text)
        return name if name == text else f"{name}-{zlib.crc32(ascii(text).encode()):08x}"

    @property
    def has_figure(self) -> bool:
        """Whether there is more than a table."""
        return self.kind.plot is not None

    def figure(self, **more: Any) -> go.Figure:
        """The figure, anew: whoever gets it may change it; ``more`` are options of the plot that are in no file."""
        assert self.kind.plot is not None, f"{self.name} is a table"
        if self.kind.by_campaign and isinstance(self.provenance, Comparison):
            more["order"] = self.provenance.names
        return self.kind.plot(self.table, source=self.provenance.source, **self.options, **more)

    def sheet(self) -> Sheet:
        """The table in columns."""
        return self.kind.sheet(self.table)

    def shown(self) -> Caption:
        """What it shows, of how many."""
        told = {name: value for name, value in self.options.items() if name in self.kind.told}
        return self.kind.caption(self.table, **told)

    def caption(self) -> Caption:
        """What it shows, of how many, and at the end of the details where the numbers come from."""
        return self.shown().followed_by(self.provenance.closing())


def exhibit(name: str, table: Any, provenance: Origin, *, part: str = "", **options: Any) -> Exhibit:
    """The exhibit of a table that a page has made already; ``options`` are those of its plot."""
    return Exhibit(name, table, provenance, part, options)


def campaign_exhibits(store: CampaignStore, names: Sequence[str] | None = None) -> list[Exhibit]:
    """The exhibits of a campaign: all that it has, or those that are named.

    Raises:
        SpecificationError: a name that is not known, or of which the campaign has nothing.
    """
    return _exhibits(CAMPAIGN, store, of_campaign(store), names, also=(PAIRS,))


def comparison_exhibits(stores: Stores, names: Sequence[str] | None = None) -> list[Exhibit]:
    """The exhibits of several campaigns, by what tables call them: all that they have, or those that are named.

    Raises:
        SpecificationError: a name that is not known, or for which these campaigns have nothing to compare.
    """
    return _exhibits(COMPARISON, stores, of_campaigns(stores), names)


def measurement_exhibits(
    found: StoredMeasurement, measurement_id: str, names: Sequence[str] | None = None, *, name: str = ""
) -> list[Exhibit]:
    """The exhibits of a measurement: all that it has, or those that are named; ``name`` is the user's own for it.

    Raises:
        SpecificationError: a name that is not known, or of which the measurement has nothing.
    """
    return _exhibits(MEASUREMENT, found, of_measurement(found, measurement_id, name), names)


def _exhibits(
    kinds: Mapping[str, ExhibitKind],
    source: Any,
    provenance: Origin,
    names: Sequence[str] | None,
    also: Sequence[str] = (),
) -> list[Exhibit]:
    made: list[Exhibit] = []
    for name in kinds if names is None else names:
        if name not in kinds:
            raise unknown_name(f"figure of a {provenance.kind}", name, (*kinds, *also))
        tables = kinds[name].tables(source, provenance.source)
        some = [Exhibit(name, table, provenance, part) for part, table in tables]
        if names is not None and not some:
            others = ", ".join(kind for kind in kinds if kind != name)
            expected = f"a figure that this {provenance.kind} has, one of {others}"
            raise SpecificationError(expected, f"{name}, for which it holds nothing", "leave it out")
        made += some
    return made
