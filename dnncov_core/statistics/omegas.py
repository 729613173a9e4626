"""Distances of several campaigns by omega, the largest share of a layer in one feature (the paper's ssc-errorbar)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.coverage import short_criterion
from dnncov_core.statistics.distances import Spread, distance_table, has_pixels
from dnncov_core.types import Norm

QUESTION = ("network", "criterion", "feature_mode", "norm")
"""What campaigns must have in common to stand in one table."""

NO_DIFFERENCE = ("omega", "device", "batch", *QUESTION)
"""What may differ without a word: it is the question itself, or decides no result."""


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
        differences: the parameters in which the campaigns differ beside omega, by their labels.
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


def _question(spec: CampaignSpec) -> dict[str, str]:
    return {name: getattr(spec, name) for name in QUESTION}


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
    return OmegaTable(
        network=first.network,
        criterion=short_criterion(first.criterion),
        norm=first.norm,
        pixels=has_pixels(stores[0].card()),
        rows=tuple(sorted((_row(store, names or {}) for store in stores), key=lambda row: (row.omega, row.campaign))),
        differences=tuple(_differences(stores)),
        bound=first.bound if len({store.spec().bound for store in stores}) == 1 else None,
    )


def omega_tables(stores: Mapping[str, CampaignStore]) -> dict[str, OmegaTable]:
    """Distances by the size of free features: a table for each question that is asked with two sizes, by a name."""
    free = {name: store for name, store in stores.items() if has_omega(store.spec())}
    names, done = {store.path.stem: name for name, store in free.items()}, list[CampaignStore]()
    tables = {}
    for first in free.values():
        same = [each for each in free.values() if each not in done and same_question(first.spec(), each.spec())]
        done += same
        if len({store.spec().omega for store in same}) > 1:
            table = omega_table(same, names)
            tables[f"{table.network}-{table.criterion}-{table.norm}".lower()] = table
    return tables


def _row(store: CampaignStore, names: Mapping[str, str]) -> OmegaRow:
    total, own = distance_table(store).total, store.path.stem
    return OmegaRow(store.spec().omega, own, names.get(own, own), total.pairs, total.adversarial)


def _differences(stores: Sequence[CampaignStore]) -> list[str]:
    specs = [store.spec() for store in stores]
    rows = [row for name, row in PARAMETERS.items() if name not in NO_DIFFERENCE]
    names = [row.label for row in rows if _differ(getattr(spec, row.name) for spec in specs)]
    if _differ(card.fingerprint for store in stores if (card := store.card())):
        names.append("Weights of the network")
    data = PARAMETERS["data"].label
    if data not in names and _differ(found for store in stores if (found := store.prepared.data_fingerprint())):
        names.append(data)
    return names


def _differ(values: Iterable[object]) -> bool:
    return len(set(values)) > 1
