"""Where a comparison comes from: each of its campaigns, what they have in common, and what differs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.provenance import Origin, Provenance, listed, of_campaign, writers
from dnncov_core.phrases.numbers import counted

FEW = 3
"""Networks and data that a figure's second line names one by one."""


@dataclass(frozen=True)
class Comparison(Origin):
    """The provenance of a comparison of campaigns.

    Attributes:
        names: what tables and figures call them, in their order.
        campaigns: each of them.
        common: sentences that are the same of all, by what they are about.
        differing: the other sentences, each with the numbers (from 1) of the campaigns of which it is true.
    """

    names: tuple[str, ...]
    campaigns: tuple[Provenance, ...]
    common: Mapping[str, str]
    differing: Mapping[str, Mapping[str, tuple[int, ...]]]

    def closing(self) -> str:
        """The end of the caption: the campaigns, what all have in common, what differs, and the program."""
        numbered = "; ".join(
            f"({number}) {name}, {_which(name, each)}{each.date[:10]}, {each.state}"
            for number, (name, each) in enumerate(zip(self.names, self.campaigns, strict=True), start=1)
        )
        differing = [_where(*item) for said in self.differing.values() for item in said.items()]
        parts = [
            f"The numbers are of {counted(len(self.names), 'campaign')}: {numbered}.",
            f"All have these settings: {listed(self.common.values())}." if self.common else "",
            f"They differ in these: {listed(differing)}." if differing else "",
            self.maker,
        ]
        return " ".join(filter(None, parts))


def _which(name: str, campaign: Provenance) -> str:
    """The campaign's id, where its name does not say it."""
    return "" if campaign.id in re.split(" · |, ", name) else f"{campaign.id}, "


def _where(sentence: str, numbers: tuple[int, ...]) -> str:
    return f"{sentence.removesuffix('.')} ({spans(numbers)})."


def spans(numbers: Sequence[int]) -> str:
    """Ascending numbers, three and more in a row as a span.

    >>> spans((1, 2, 4, 5, 6, 9))
    '1, 2, 4–6, 9'
    """
    rows: list[list[int]] = []
    for number in numbers:
        if rows and number == rows[-1][-1] + 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return ", ".join(f"{row[0]}–{row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in rows)


def of_campaigns(stores: Mapping[str, CampaignStore]) -> Comparison:
    """The provenance of campaigns as they stand now, by what tables and figures call them."""
    campaigns = tuple(of_campaign(store) for store in stores.values())
    common, differing = _apart([each.sentences | {"versions": _versions(each)} for each in campaigns])
    ids = ",".join(each.id for each in campaigns)
    return Comparison(
        kind="comparison",
        id=f"comparison-{hashlib.sha256(ids.encode()).hexdigest()[:8]}",
        date=max(each.date for each in campaigns),
        source=_source(campaigns),
        written_with=writers(),
        names=tuple(stores),
        campaigns=campaigns,
        common=common,
        differing=differing,
    )


def _apart(said: list[dict[str, str]]) -> tuple[dict[str, str], dict[str, dict[str, tuple[int, ...]]]]:
    """The sentences that are true of all campaigns, and the others with the numbers of those that they are true of."""
    common: dict[str, str] = {}
    differing: dict[str, dict[str, tuple[int, ...]]] = {}
    for about in dict.fromkeys(key for each in said for key in each):
        sentences = [each.get(about, "") for each in said]
        if len(set(sentences)) == 1:
            common[about] = sentences[0]
            continue
        differing[about] = {
            sentence: tuple(number for number, other in enumerate(sentences, start=1) if other == sentence)
            for sentence in dict.fromkeys(filter(None, sentences))
        }
    return common, differing


def _versions(campaign: Provenance) -> str:
    said = ", ".join(f"{name} {version}" for name, version in campaign.versions.items())
    return f"Made with {said}." if said else "Made with unknown versions."


def _source(campaigns: tuple[Provenance, ...]) -> str:
    """What is compared, for the second line of figures' titles."""
    networks = _listed("networks", (each.network for each in campaigns))
    data, n = _listed("data sets", (each.data for each in campaigns), before="data "), len(campaigns)
    return f"{networks} · {data} · {counted(n, 'campaign')}"


def _listed(what: str, names: Iterable[str], before: str = "") -> str:
    different = list(dict.fromkeys(names))
    return before + ", ".join(different) if len(different) <= FEW else f"{len(different)} {what}"
