"""Documents from Markdown files: numbers, and what stands for names in braces."""

from __future__ import annotations

import pytest

from dnncov_core.criteria import CRITERIA
from dnncov_core.evidence.document import Document, Figure, Formula, Heading, Paragraph, Table, blocks_of, spans
from dnncov_core.suites.criterion_names import ENTRIES


def test_headings_tables_and_figures_are_numbered() -> None:
    table, figure = Table("a", ("b",), (("c",),)), Figure("a", "b", lambda form: b"")
    blocks = (Heading("1"), table, Heading("1.1", 2), Heading("1.2", 2), figure, Heading("2"), table, Heading("2.1", 2))
    numbered = [number for number, _ in Document("t", "a", "d", "m", blocks).numbered()]
    assert numbered == ["1", "Table 1", "1.1", "1.2", "Figure 1", "2", "Table 2", "2.1"]


def test_a_heading_that_nothing_follows_is_left_out() -> None:
    filled = {"beside": "", "subjects": [], "unwritten": []}
    blocks = blocks_of("report.md", lambda name: filled.get(name, f"<{name}>"))
    titles = [block.text for block in blocks if isinstance(block, Heading)]
    assert titles[:2] == ["Scope", "How the claims are checked again"]
    assert Paragraph("<words>") in blocks


def test_what_is_filled_in_is_no_markdown() -> None:
    blocks = blocks_of("report.md", lambda name: "# no heading\n\n- no list {names}", level=2)
    assert {block.level for block in blocks if isinstance(block, Heading)} == {2}
    assert Paragraph("# no heading - no list {names}") in blocks


@pytest.mark.parametrize("key", ENTRIES)
def test_every_formula_of_a_criterion_can_be_written(key: str) -> None:
    text = "".join(part for part, _ in spans(Formula(ENTRIES[key].formula)))
    assert text
    assert not set(text) & set("\\{}^_")


def test_the_formula_of_ss_is_that_of_definition_4() -> None:
    text = "".join(f"[{part}]" if level else part for part, level in spans(Formula(CRITERIA["ss"].formula)))
    assert " ".join(text.split()) == ("sc(ψ[k,i],x[1],x[2]) ∧ nsc(P[k] ∖ ψ[k,i],x[1],x[2]) ∧ sc(ψ[k+1,j],x[1],x[2])")
