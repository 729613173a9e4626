"""What several campaigns do not have in common, beside the networks and criteria that a comparison is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.phrases.conditions import raised
from dnncov_core.records import FINGERPRINT_SHOWN, State
from dnncov_core.resources import PACKAGE
from dnncov_core.statistics.settings import DECIDING, RETRIES, asked


@dataclass(frozen=True)
class Difference:
    """One thing that differs.

    Attributes:
        what: its name.
        why: what it changes, in a sentence; empty where that is not known.
        values: each value in words, with the names of the campaigns that have it, in the order of the campaigns.
    """

    what: str
    why: str
    values: tuple[tuple[str, tuple[str, ...]], ...]


def differences(stores: Mapping[str, CampaignStore]) -> tuple[Difference, ...]:
    """What campaigns, by their names, differ in: parameters, what they ran on, and how far they are."""
    found = [_difference(*row) for row in (*_parameters(stores), *_facts(stores))]
    return tuple(each for each in found if each is not None)


def _parameters(stores: Mapping[str, CampaignStore]) -> Iterator[tuple[str, str, dict[str, str]]]:
    values = {name: asked(store.spec()) for name, store in stores.items()}
    for key, row in DECIDING.items():
        said = {name: row.words(given[key]) for name, given in values.items() if key in given}
        yield row.label, row.matters, said


def _facts(stores: Mapping[str, CampaignStore]) -> Iterator[tuple[str, str, dict[str, str]]]:
    data = {name: (store.spec().data, store.prepared.data_fingerprint()) for name, store in stores.items()}
    yield from _same_name(data, "Content of data", "Data of one name that are not the same.")
    cards = {name: (store.spec().network, card) for name, store in stores.items() if (card := store.card())}
    weights = {name: (network, card.fingerprint) for name, (network, card) in cards.items()}
    yield from _same_name(weights, "Weights of network", "Networks of one name that are not the same.")
    unfinished = {name: _standing(store) for name, store in stores.items()}
    yield "State", "What is not done yet counts as not covered.", unfinished
    retried = {name: ", ".join(map(raised, store.spec().retries)) or "no" for name, store in stores.items()}
    yield PARAMETERS[RETRIES].label, "What was tried again had more attempts.", retried
    versions = {name: store.versions().get(PACKAGE, "unknown") for name, store in stores.items()}
    yield "Version of dnncov", "Another version may search otherwise.", versions


def _same_name(
    values: Mapping[str, tuple[str, str | None]], what: str, why: str
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """A row for each name whose fingerprints differ."""
    for name in dict.fromkeys(name for name, _ in values.values()):
        said = {each: value[:FINGERPRINT_SHOWN] for each, (own, value) in values.items() if own == name and value}
        yield f"{what} {name}", why, said


def _standing(store: CampaignStore) -> str:
    state, progress = store.state(), store.counts.progress()
    return "finished" if state is State.FINISHED else f"{progress.done:,} of {progress.total:,} done"


def _difference(what: str, why: str, values: Mapping[str, Any]) -> Difference | None:
    words = dict.fromkeys(values.values())
    if len(words) < 2:
        return None
    grouped = tuple((word, tuple(name for name, value in values.items() if value == word)) for word in words)
    return Difference(what, why, grouped)
