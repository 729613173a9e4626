"""Tables, figures and definitions that reports of campaigns and of measurements have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from dnncov_core.criteria import CRITERIA
from dnncov_core.evidence.document import Block, Figure, Formula, Paragraph, Table
from dnncov_core.export.exhibits import Exhibit
from dnncov_core.export.formats import FORMATS
from dnncov_core.phrases.adversarial import READ_TOGETHER
from dnncov_core.phrases.definitions import legend
from dnncov_core.suites.criterion_names import ENTRIES

SHORT = "“Testing Deep Neural Networks” (arXiv:1803.04792)"
PAPER = (
    "Youcheng Sun, Xiaowei Huang, Daniel Kroening, James Sharp, Matthew Hill and Rob Ashmore, “Testing Deep Neural"
    " Networks”, arXiv:1803.04792"
)
SOURCES = {key: f"Definition {number}" for key, number in {"ss": 4, "vs": 5, "sv": 6, "vv": 7}.items()}
"""Where criteria are defined; those that are not named here are in Section 5 of the paper."""
_SADL = "Kim and others, “Guiding Deep Learning System Testing Using Surprise Adequacy”, ICSE 2019"
_DEEPGAUGE = "Ma and others, “DeepGauge: Multi-Granularity Testing Criteria for Deep Learning Systems”, ASE 2018"
OTHER_SOURCES = {
    **dict.fromkeys(("kmnc", "snac", "nbc", "tknc"), _DEEPGAUGE),
    "nlc": "Yuan and others, “Revisiting Neuron Coverage for DNN Testing”, ICSE 2023",
    **dict.fromkeys(("lsc", "dsc"), _SADL),
    "mdsc": "Kim and others, “Reducing DNN Labelling Cost Using Surprise Adequacy”, ESEC/FSE 2020",
}
"""Where criteria are defined that the paper does not have."""
PICTURE = 170.0
"""Width of a figure in millimetres, which is that of a page without its margins."""
MOST_ROWS, MOST_LAYERS = 50, 60
"""Rows of a table that may be very long, and of one by layer."""


def table_of(caption: str, rows: Iterable[Mapping[str, object]], *numbers: str) -> Table:
    """A table of rows that all have the same heads; the columns ``numbers`` stand at the right."""
    cells = [{head: f"{cell:,}" if isinstance(cell, int) else str(cell) for head, cell in row.items()} for row in rows]
    heads = tuple(cells[0])
    places = frozenset(at for at, head in enumerate(heads) if head in numbers)
    return Table(caption, heads, tuple(tuple(row[head] for head in heads) for row in cells), places)


def first_rows(what: str, rows: Sequence[Mapping[str, object]], total: int, others: str, *numbers: str) -> Table:
    """The first rows of a table, whose caption says of how many they are and where the ``others`` stand."""
    more = f" These are the first {len(rows):,} of {total:,}; {others} has all." if len(rows) < total else ""
    return table_of(f"{what}{more}", rows, *numbers)


def by_layer(what: str, rows: Sequence[Mapping[str, object]]) -> Table:
    """A table by layer, whose last row sums all: of very many rows the first ones, and the last."""
    few = [*rows[:MOST_LAYERS], rows[-1]] if len(rows) > MOST_LAYERS + 1 else rows
    more = f" These are the first {MOST_LAYERS} of {len(rows) - 1:,} rows, and their sum; claims.json has all."
    return table_of(what + more * (len(few) < len(rows)), few, *[*rows[0]][1:])


def facts_table(caption: str, facts: Mapping[str, str], *, heads: tuple[str, str] = ("What", "Value")) -> Table:
    """A row for each fact."""
    return Table(caption, heads, tuple(facts.items()))


def figures(exhibits: Iterable[Exhibit]) -> Iterator[Figure]:
    """The figures of exhibits, with their captions."""
    for each in exhibits:
        caption = each.shown()
        said = (caption.summary, *(words for words in caption.details if words != READ_TOGETHER))
        yield Figure(" ".join(said), f"{each.kind.title}. {caption.summary}", partial(_drawn, each))


def _drawn(exhibit: Exhibit, form: str) -> bytes:
    return FORMATS[form].write(exhibit, PICTURE)


def definitions(*keys: str) -> Iterator[Block]:
    """Criteria in words and as formulas, each with its source; then what the signs of formulas mean."""
    for key in keys:
        entry = ENTRIES[key]
        where = OTHER_SOURCES.get(key) or f"{SOURCES.get(key, 'Section 5')} of {SHORT}"
        yield Paragraph(f"{entry.title}: {entry.words} Source: {where}.")
        yield Formula(entry.formula)
    if covering := [ENTRIES[key].formula for key in keys if key in CRITERIA]:
        yield Paragraph(f"In the formulas, {legend(' '.join(covering))}")
