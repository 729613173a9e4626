"""Distances of several campaigns by omega, the largest share of a layer in one feature (the paper's ssc-errorbar)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.coverage import short_criterion
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.distances import Spread, distance_table, has_pixels
from dnncov_core.statistics.main_table import names_by_id
from dnncov_core.types import Norm

QUESTION = ("network", "criterion", "feature_mode", "norm")
"""What campaigns must have in common to stand in one table."""


@dataclass(frozen=True)
class OmegaRow:
    """One campaign: its omega, and the distances of all its test pairs and of the adversarial ones.

    ``campaign`` is its id, ``name`` what it is called.
    """

    omega: float
    campaign: str
    name: str
    pairs: Spread
    adversarial: Spread

    @property
    def of_pairs(self) -> Ratio:
        """Adversarial pairs of all test pairs."""
        return Ratio(self.adversarial.n, self.pairs.n)


@dataclass(frozen=True)
class OmegaTable:
    """Mean distance and deviation by omega, ascending; a row a campaign.

    Attributes:
        network: of all campaigns.
        criterion: its short name, as in "SS".
        norm: p of the L^p distance.
        pixels: whether the inputs are images of pixel values in [0, 1].
        rows: ascending in omega.
        differences: what campaigns differ in beside omega, by its name.
        bound: their bound b; None without one, and where theirs differ.
    """

    network: str
    criterion: str
    norm: Norm
    pixels: bool
    rows: tuple[OmegaRow, ...]
    differences: tuple[str, ...]
    bound: float | None = None


def has_omega(spec: CampaignSpec) -> bool:
    """Whether a campaign's condition features are of any size up to omega."""
    return spec.feature_mode == "free"


def same_question(one: CampaignSpec, other: CampaignSpec) -> bool:
    """Whether two campaigns of free features can stand in one table by omega."""
    return has_omega(one) and _question(one) == _question(other)


def _question(spec: CampaignSpec) -> tuple[object, ...]:
    return tuple(getattr(spec, name) for name in QUESTION)


def omega_table(stores: Sequence[CampaignStore], names: Mapping[str, str] | None = None) -> OmegaTable:
    """Distances by omega of at least one campaign; ``names`` says what each is called, by its id.

    Raises:
        CampaignError: their networks, criteria, feature modes or norms differ, or their features have no omega.
    """
    first = stores[0].spec()
    for store in stores:
        if not same_question(first, store.spec()):
            expected = f"campaigns of free features with one {', '.join(QUESTION).replace('_', ' ')}"
            raise CampaignError(expected, f"another in {store.path.name}", "leave it out")
    others = differences({store.path.stem: store for store in stores})
    return OmegaTable(
        network=first.network,
        criterion=short_criterion(first.criterion),
        norm=first.norm,
        pixels=has_pixels(stores[0].card()),
        rows=tuple(sorted((_row(store, names or {}) for store in stores), key=lambda row: (row.omega, row.campaign))),
        differences=tuple(each.what for each in others if each.what != PARAMETERS["omega"].label),
        bound=first.bound if len({store.spec().bound for store in stores}) == 1 else None,
    )


def omega_tables(stores: Mapping[str, CampaignStore]) -> dict[str, OmegaTable]:
    """Distances by the size of free features: a table for each question that is asked with two sizes, by a name."""
    names, same = names_by_id(stores), dict[object, list[CampaignStore]]()
    for store in stores.values():
        if has_omega(store.spec()):
            same.setdefault(_question(store.spec()), []).append(store)
    several = [each for each in same.values() if len({store.spec().omega for store in each}) > 1]
    tables = [omega_table(each, names) for each in several]
    return {f"{table.network}-{table.criterion}-{table.norm}".lower(): table for table in tables}


def _row(store: CampaignStore, names: Mapping[str, str]) -> OmegaRow:
    total, own = distance_table(store).total, store.path.stem
    return OmegaRow(store.spec().omega, own, names.get(own, own), total.pairs, total.adversarial)
