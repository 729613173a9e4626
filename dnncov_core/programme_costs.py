"""What a campaign's linear programmes cost by layer pair, beside the paper's own formulation: its table of LP calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from dnncov_core.campaign.estimate import programme_size
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import NetworkCard, ProgrammeCosts


@dataclass(frozen=True)
class ProgrammeRow(ProgrammeCosts):
    """Costs of one layer pair, and the size of the paper's formulation for two neurons of it.

    That size is None where layers are not fully connected.
    """

    reference_variables: int | None
    reference_constraints: int | None


@dataclass(frozen=True)
class ProgrammeSeries:
    """Costs of one campaign: what it is called, its id, its network, and its rows."""

    name: str
    campaign: str
    network: str
    rows: tuple[ProgrammeRow, ...]


def programme_series(stores: Mapping[str, CampaignStore]) -> tuple[ProgrammeSeries, ...]:
    """Costs of several campaigns by their names; those that solved no linear programme are left out."""
    found = {name: programme_table(store) for name, store in stores.items()}
    return tuple(
        ProgrammeSeries(name, stores[name].path.stem, stores[name].spec().network, rows)
        for name, rows in found.items()
        if rows
    )


def programme_table(store: CampaignStore) -> tuple[ProgrammeRow, ...]:
    """What the campaign's linear programmes cost so far, by layer pair; no rows where none was solved."""
    card = store.card()
    return tuple(_row(card, costs) for costs in store.attempts.programme_costs()) if card else ()


def _row(card: NetworkCard, costs: ProgrammeCosts) -> ProgrammeRow:
    variables, constraints = programme_size(card, costs.edge)
    return ProgrammeRow(**asdict(costs), reference_variables=variables, reference_constraints=constraints)
