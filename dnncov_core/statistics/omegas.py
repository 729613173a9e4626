"""Distances of several campaigns by omega, the largest share of a layer in one feature (the paper's ssc-errorbar)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.adversarial import adversarial_rate
from dnncov_core.statistics.coverage import short_criterion
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.distances import Spread, Unit, distance_table, unit_of
from dnncov_core.types import Norm

QUESTION = ("network", "criterion", "feature_mode", "norm")
"""What campaigns must have in common to stand in one table."""


@dataclass(frozen=True)
class OmegaRow:
    """One campaign: its omega, and the distances of all its test pairs and of the adversarial ones.

    ``campaign`` is its id, ``name`` what it is called; ``of_pairs`` adversarial pairs, of all test pairs.
    """

    omega: float
    campaign: str
    name: str
    pairs: Spread
    adversarial: Spread
    of_pairs: Ratio


@dataclass(frozen=True)
class OmegaTable:
    """Distances by omega, ascending; a row a campaign.

    Attributes:
        network: the one that all campaigns have.
        criterion: its short name, as in "SS".
        norm: p of the L^p distance.
        unit: of the distances.
        rows: ascending in omega.
        differences: what campaigns differ in beside omega, by its name.
        bound: their bound b; None without one, and where theirs differ.
    """

    network: str
    criterion: str
    norm: Norm
    unit: Unit
    rows: tuple[OmegaRow, ...]
    differences: tuple[str, ...]
    bound: float | None = None

    @property
    def spreads(self) -> list[Spread]:
        """Those of all rows."""
        return [each for row in self.rows for each in (row.pairs, row.adversarial)]


def has_omega(spec: CampaignSpec) -> bool:
    """Whether a campaign's condition features are of any size up to omega."""
    return spec.feature_mode == "free"


def same_question(one: CampaignSpec, other: CampaignSpec) -> bool:
    """Whether two campaigns of free features can stand in one table by omega."""
    return has_omega(one) and _question(one) == _question(other)


def _question(spec: CampaignSpec) -> tuple[object, ...]:
    return tuple(getattr(spec, name) for name in QUESTION)


def omega_table(stores: Mapping[str, CampaignStore]) -> OmegaTable:
    """Distances by omega of at least one campaign, by their names.

    Raises:
        CampaignError: their networks, criteria, feature modes or norms differ, or their features have no omega.
    """
    one, *_ = stores.values()
    first = one.spec()
    for store in stores.values():
        if not same_question(first, store.spec()):
            expected = f"campaigns of free features with one {', '.join(QUESTION).replace('_', ' ')}"
            raise CampaignError(expected, f"another in {store.path.name}", "leave it out")
    rows = [_row(name, store) for name, store in stores.items()]
    if any(spread.quartiles for row in rows for spread in (row.pairs, row.adversarial)):
        rows = [_row(name, store, quartiles=True) for name, store in stores.items()]
    rows.sort(key=lambda row: (row.omega, row.campaign))
    return OmegaTable(
        network=first.network,
        criterion=short_criterion(first.criterion),
        norm=first.norm,
        unit=unit_of(one.card()),
        rows=tuple(rows),
        differences=tuple(each.what for each in differences(stores) if each.what != PARAMETERS["omega"].label),
        bound=first.bound if len({store.spec().bound for store in stores.values()}) == 1 else None,
    )


def omega_tables(stores: Mapping[str, CampaignStore]) -> dict[str, OmegaTable]:
    """Distances by the size of free features: a table for each question that is asked with two sizes, by a name."""
    same: dict[object, dict[str, CampaignStore]] = {}
    for name, store in stores.items():
        if has_omega(store.spec()):
            same.setdefault(_question(store.spec()), {})[name] = store
    tables = [omega_table(each) for each in same.values()]
    return {
        f"{table.network}-{table.criterion}-{table.norm}".lower(): table
        for table in tables
        if len({row.omega for row in table.rows}) > 1
    }


def _row(name: str, store: CampaignStore, *, quartiles: bool | None = None) -> OmegaRow:
    total = distance_table(store, quartiles=quartiles).total
    rate = adversarial_rate(store.card(), total.adversarial.n, total.pairs.n)
    return OmegaRow(store.spec().omega, store.path.stem, name, total.pairs, total.adversarial, rate)
