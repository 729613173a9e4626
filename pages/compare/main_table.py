"""The paper's main table of campaigns: networks by criteria, as figures and as a table; and what they differ in."""

from __future__ import annotations

from collections.abc import Container, Mapping

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.entries.kinds import own_name
from dnncov_core.export.exhibits import Exhibit, exhibit
from dnncov_core.export.several import Comparison
from dnncov_core.paper import number_of
from dnncov_core.phrases.effect import UNKNOWN
from dnncov_core.phrases.numbers import counted
from dnncov_core.ratios import Estimate, Ratio, percentage
from dnncov_core.statistics.coverage import short_criterion
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.main_table import MainCell, MainTable, main_table
from dnncov_core.statistics.samples import Interval
from pages.shared.captions import caption
from pages.shared.charts import chart
from pages.shared.words import plain, table

SETTINGS = "Setting"
NO_BREAK = "\N{NO-BREAK SPACE}"


def main_section(stores: Mapping[str, CampaignStore], provenance: Comparison) -> list[Exhibit]:
    """Both figures and the table."""
    main = main_table(stores)
    papers = False
    if any(number_of(row.network) for row in main.rows):
        papers = st.toggle(
            "The paper's numbers beside",
            key="papers",
            persist_state="session",
            help="For the paper's ten networks: M and AE from its table of coverage results, where a campaign asks the"
            " same, and the seconds of its LP calls.",
        )
    left, right = st.columns(2, gap="medium")
    with left:
        coverage = chart(
            exhibit("main-coverage", main, provenance, paper=papers),
            key="main-coverage",
            alt="Points with intervals: coverage of each campaign",
        )
    with right:
        adversarial = chart(
            exhibit("main-adversarial", main, provenance, paper=papers),
            key="main-adversarial",
            alt="Points with intervals: AE rate of each campaign beside its baseline searches",
        )
    st.table(
        _wide(main, stores, papers=papers),
        hide_index=True,
        border="horizontal",
        alt="Coverage and AE, networks by criteria",
    )
    whole = exhibit("main-table", main, provenance, paper=papers)
    caption(whole, "main-table")
    return [coverage, adversarial, whole]


def _wide(main: MainTable, stores: Mapping[str, CampaignStore], *, papers: bool) -> list[dict[str, str]]:
    """Networks by criteria, in three columns: M, M with effect, and AE with its baseline searches."""
    several = any(row.setting for row in main.rows)
    own = {store.path.stem for store in stores.values() if own_name(store)}
    rows = []
    for row in main.rows:
        line = {"Network": f"**{plain(row.network)}**"}
        if several:
            line[SETTINGS] = plain(row.setting)
        for key in main.criteria:
            line |= _columns(short_criterion(key), row.cells.get(key), own, papers=papers)
        rows.append(line)
    return rows


def _columns(criterion: str, cell: MainCell | None, own: Container[str], *, papers: bool) -> dict[str, str]:
    heads = (f"M {criterion}", f"M {criterion}, with effect", f"AE {criterion}")
    if cell is None:
        return dict.fromkeys(heads, "–")
    paper = cell.paper if papers else None
    m = _of_all(cell.covered, cell.estimate, None if paper is None else paper.coverage)
    ae = _share(cell.adversarial, cell.adversarial_interval, None if paper is None else paper.adversarial)
    name = f"*{plain(cell.name)}*  \n" if cell.campaign in own else ""
    seeds = [f"from {counted(cell.adversarial_seeds, 'seed')}"] if cell.adversarial.n else []
    lines = ([*m, *_at_8_bits(cell.holds_8bit)], _effect(cell), [*ae, *seeds, *_baselines(cell)])
    return {head: start + _lines(each) for head, start, each in zip(heads, (name, "", ""), lines, strict=True)}


def _effect(cell: MainCell) -> list[str]:
    if not cell.with_effect.total and cell.covered.n:
        return [UNKNOWN]
    shown = _of_all(cell.with_effect, cell.with_effect_estimate, None)
    return [*shown, cell.effect, *_at_8_bits(cell.with_effect_8bit)]


def _of_all(counted: Ratio, estimate: Estimate | None, paper: float | None) -> list[str]:
    """What a stratified sample says of all, as figures draw it; the share of a simple one is that of all."""
    if estimate is None or not estimate.weighted:
        return _share(counted, None if estimate is None else estimate.interval, paper)
    of_all = [f"**about {percentage(estimate.share)}**", _ends(estimate.interval), "by sizes of layer pairs"]
    return [*of_all, f"{counted.counts} asked", *_papers(paper)]


def _at_8_bits(holding: Ratio) -> list[str]:
    return [f"{holding.n:,} at 8 bits"] if holding.total else []


def _baselines(cell: MainCell) -> list[str]:
    found, n = cell.baselines, cell.baselines.random.total
    if not n:
        return ["no baseline search"]
    of = [] if n == cell.adversarial.total else [f"of {n:,} seeds"]
    return [f"random {found.random.percent}", f"PGD {found.ascent.percent}", *of]


def _share(ratio: Ratio, interval: Interval | None, paper: float | None) -> list[str]:
    lines = [f"**{ratio.percent}**", ratio.counts]
    if interval is not None:
        lines.append(_ends(interval))
    return [*lines, *_papers(paper)]


def _papers(paper: float | None) -> list[str]:
    return [] if paper is None else [f":gray[paper: {paper:.1f} %]"]


def _ends(interval: Interval) -> str:
    return f"({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"


def _lines(lines: list[str]) -> str:
    """Lines of one cell, none of which is broken."""
    return "  \n".join(line.replace(" ", NO_BREAK) for line in lines)


def differences_section(stores: Mapping[str, CampaignStore], provenance: Comparison) -> Exhibit:
    """What makes the comparison unfair, in one table."""
    st.subheader("What differs", anchor=False)
    differing = differences(stores)
    exported = exhibit("differences", differing, provenance)
    if not differing:
        st.caption(plain(exported.caption().summary))
        return exported
    rows = [
        (row.what, "; ".join(_value(word, names, len(stores)) for word, names in row.values), row.why)
        for row in differing
    ]
    table(("What", "Values", "What it changes"), rows)
    caption(exported, "differences")
    return exported


def _value(word: str, names: tuple[str, ...], n: int) -> str:
    if len(names) > max(2, n // 2):
        return f"{word} ({len(names)} campaigns)"
    return f"{word} ({'; '.join(names)})"
