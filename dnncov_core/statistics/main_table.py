"""The paper's main table of campaigns: coverage M and AE rate, networks by criteria."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA, NO_EFFECT
from dnncov_core.paper import PapersCoverage, papers_coverage
from dnncov_core.ratios import Estimate, Ratio
from dnncov_core.statistics.adversarial import BaselineRow, adversarial_table, baselines_by_layer
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.samples import Interval, around_share, interval_of
from dnncov_core.statistics.settings import asked, settings_apart, settings_in_words


@dataclass(frozen=True)
class MainCell:
    """One campaign.

    Attributes:
        campaign: its id.
        name: what tells it from the others of the table.
        available: feature pairs from which its test conditions come.
        covered: M, of all test conditions.
        estimate: the share of all available pairs, weighted where the sample is stratified; None where nothing more is
            known than of the test conditions.
        holds_8bit: witnesses that hold when x2 is rounded to 8 bits, of all; nothing of nothing for inputs without such
            a grid.
        effect: what "with effect" stands for, a key of `EFFECTS`.
        with_effect: test conditions whose witness shows it, of all; nothing of nothing while that is not known.
        with_effect_estimate: as for M.
        with_effect_8bit: witnesses that hold, and show it, when x2 is rounded to 8 bits, as for M.
        adversarial: AE, of the test pairs.
        adversarial_seeds: the different seeds of the adversarial pairs.
        adversarial_interval: 95 % (Clopper and Pearson); None where the test conditions are no simple random sample of
            the available pairs, and with reuse, where test pairs are not drawn one by one.
        baselines: what baseline searches find; 0 of 0 where there is none.
        paper: what the paper reports of this network and criterion, in per cent; None where it asks something else.
    """

    campaign: str
    name: str
    available: int
    covered: Ratio
    estimate: Estimate | None
    holds_8bit: Ratio
    effect: str
    with_effect: Ratio
    with_effect_estimate: Estimate | None
    with_effect_8bit: Ratio
    adversarial: Ratio
    adversarial_seeds: int
    adversarial_interval: Interval | None
    baselines: BaselineRow
    paper: PapersCoverage | None

    @property
    def covered_interval(self) -> Interval | None:
        """95 % (Clopper and Pearson) around M itself; None where the test conditions are no simple random sample."""
        return around_share(self.estimate)

    @property
    def with_effect_interval(self) -> Interval | None:
        """As for M."""
        return around_share(self.with_effect_estimate)


@dataclass(frozen=True)
class MainRow:
    """Campaigns on one network that ask the same of it but for the criterion.

    Attributes:
        network: its name.
        setting: what they ask that other rows of this network do not, in words, or the id of one of them where nothing
            tells the rows apart; empty for the only row.
        cells: the campaigns, by the key of the criterion.
    """

    network: str
    setting: str
    cells: Mapping[str, MainCell]


@dataclass(frozen=True)
class MainTable:
    """Networks by criteria; ``criteria`` are those that occur, in the paper's order."""

    criteria: tuple[str, ...]
    rows: tuple[MainRow, ...]

    @property
    def cells(self) -> list[MainCell]:
        """All cells, row by row."""
        return [row.cells[key] for row in self.rows for key in self.criteria if key in row.cells]


def main_table(stores: Mapping[str, CampaignStore]) -> MainTable:
    """M and AE of campaigns by their names: a row for each network and setting.

    Several campaigns of one criterion take several rows. Rows are in the order of the networks' numbers and names, and
    within these in that of ``stores``.
    """
    rows: list[tuple[tuple[object, ...], dict[str, MainCell]]] = []
    for name, store in stores.items():
        spec = store.spec()
        question = (spec.network, *(asked(spec).items()))
        place = next((cells for key, cells in rows if key == question and spec.criterion not in cells), None)
        if place is None:
            rows.append((question, place := {}))
        place[spec.criterion] = _cell(store, name)
    ordered = sorted(rows, key=lambda row: by_number(str(row[0][0])))
    used = {criterion for _, cells in rows for criterion in cells}
    firsts = [next(iter(cells.values())).campaign for _, cells in ordered]
    settings = _settings({store.path.stem: store.spec() for store in stores.values() if store.path.stem in firsts})
    return MainTable(
        tuple(key for key in CRITERIA if key in used),
        tuple(
            MainRow(str(key[0]), settings[first], cells) for first, (key, cells) in zip(firsts, ordered, strict=True)
        ),
    )


def _settings(firsts: Mapping[str, CampaignSpec]) -> dict[str, str]:
    """What tells rows of one network apart, by the id of each row's first campaign."""
    found: dict[str, str] = {}
    for network in dict.fromkeys(spec.network for spec in firsts.values()):
        apart = settings_apart({each: spec for each, spec in firsts.items() if spec.network == network})
        often = Counter(apart.values())
        for each, words in apart.items():
            found[each] = words if often[words] == 1 else ", ".join(filter(None, (words, each)))
        if len(apart) == 1:
            found |= {
                each: settings_in_words(firsts[each], ["pairs"] * bool(firsts[each].suite_gaps)) for each in apart
            }
    return found


def by_number(network: str) -> tuple[str, int]:
    """Puts mnist-n9 before mnist-n10."""
    stem = network.rstrip("0123456789")
    return stem, int(network[len(stem) :] or 0)


def _cell(store: CampaignStore, name: str) -> MainCell:
    spec, coverage, adversarial = store.spec(), coverage_table(store), adversarial_table(store).total
    total = coverage.total
    return MainCell(
        campaign=store.path.stem,
        name=name,
        available=total.available,
        covered=total.covered,
        estimate=total.estimate,
        holds_8bit=total.holds_8bit,
        effect=coverage.effect,
        with_effect=total.with_effect,
        with_effect_estimate=total.with_effect_estimate,
        with_effect_8bit=total.with_effect_8bit,
        adversarial=adversarial.of_pairs,
        adversarial_seeds=adversarial.seeds,
        adversarial_interval=interval_of(adversarial.of_pairs, sample=total.is_random_sample and not spec.reuse),
        baselines=baselines_by_layer(store).total,
        paper=papers_coverage(spec.network, spec.criterion) if _is_papers(spec) else None,
    )


def _is_papers(spec: CampaignSpec) -> bool:
    """Whether a campaign asks what the paper's table is about: single neurons, all pairs, the paper's functions, and
    no effect.
    """
    usual = CampaignSpec(spec.network, spec.data, spec.criterion, effect=NO_EFFECT)
    own = (spec.feature_mode, spec.top_weights, spec.layers, spec.suite_gaps, spec.norm, spec.covering_method())
    return own == (usual.feature_mode, None, (), None, usual.norm, usual.covering_method())
