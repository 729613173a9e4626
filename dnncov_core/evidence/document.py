"""A report as a list of blocks. Its HTML page and its PDF file are both made from it, so that they say the same.

What a report says is written in Markdown files of this package. Of Markdown they have headings, lists with hyphens,
indented commands and paragraphs. A name in braces stands for text, or, in a line of its own, for blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar


@dataclass(frozen=True)
class Heading:
    """A heading of level 1, which begins a section, or deeper."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """Whole sentences."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Commands:
    """Lines to be typed into a shell."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Formula:
    """A formula in the small part of TeX that the criteria use."""

    tex: str


@dataclass(frozen=True)
class Table:
    """A table with a caption above it; cells are text, and columns of ``numbers`` stand at the right."""

    noun: ClassVar[str] = "Table"
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Figure:
    """A picture with a caption below it.

    Attributes:
        caption: what it shows.
        alt: the picture in words, for those who cannot see it.
        draw: makes it, as "svg" or "png"; of pixels it is a PNG in any case.
        share: of a page's height that it may take; by itself less than half, so that two fit on a page.
    """

    noun: ClassVar[str] = "Figure"
    caption: str
    alt: str
    draw: Callable[[str], bytes]
    share: float = 0.42


@dataclass(frozen=True)
class Signatures:
    """Lines on which persons write their names, the date and their signature, one for each role."""

    heads: ClassVar[tuple[str, ...]] = ("Role", "Name", "Date", "Signature")
    roles: tuple[str, ...]


Block = Heading | Paragraph | Items | Commands | Formula | Table | Figure | Signatures


@dataclass(frozen=True)
class Document:
    """A report.

    Attributes:
        title: what the report is.
        about: of what it is, in one line, which every page of the PDF file has at its head.
        date: when the numbers were made, in UTC.
        maker: name and version of this program.
        blocks: its content in reading order.
    """

    title: str
    about: str
    date: str
    maker: str
    blocks: tuple[Block, ...]

    @property
    def sentence(self) -> str:
        """What stands below the title."""
        made = self.date[:16].replace("T", ", ")
        return f"{self.about}. The numbers were made on {made} UTC. {self.maker} wrote the report."

    def numbered(self) -> Iterator[tuple[str, Block]]:
        """Blocks with their numbers: "2.1" of a heading, "Table 3" of a table, nothing of others."""
        at: list[int] = []
        counts = {Table.noun: 0, Figure.noun: 0}
        for block in self.blocks:
            number = ""
            if isinstance(block, Heading):
                *above, last = [*at, *[0] * block.level][: block.level]
                at = [*above, last + 1]
                number = ".".join(map(str, at))
            elif isinstance(block, Table | Figure):
                counts[block.noun] += 1
                number = f"{block.noun} {counts[block.noun]}"
            yield number, block


Filled = str | Block | Iterable[Block]
"""What stands for a name in braces."""


def blocks_of(file: str, fill: Callable[[str], Filled], *, level: int = 1) -> list[Block]:
    """The blocks of a Markdown file of this package, without headings that nothing follows.

    Args:
        file: its name.
        fill: what stands for a name in braces; an empty text, or no blocks, for nothing.
        level: of its highest headings.
    """
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    found = [block for part in text.strip().split("\n\n") for block in _filled(part, fill, level)]
    return [block for at, block in enumerate(found) if not _is_idle(block, found[at + 1 :])]


def _is_idle(block: Block, after: Sequence[Block]) -> bool:
    """Whether it is a heading, and nothing comes before the next one of its level."""
    following = next(iter(after), None)
    last = following is None or (isinstance(following, Heading) and following.level <= getattr(block, "level", 0))
    return isinstance(block, Heading) and last


def _filled(part: str, fill: Callable[[str], Filled], level: int) -> Iterator[Block]:
    alone = re.fullmatch(r"\{(\w+)\}", part)
    content = fill(alone[1]) if alone else part
    if not isinstance(content, str):
        yield from [content] if isinstance(content, Block) else content
        return
    text = content if alone else re.sub(r"\{(\w+)\}", lambda found: str(fill(found[1])), part)
    marks = re.match(r"#+ ", part)
    if marks:
        yield Heading(text[marks.end() :], level + marks.end() - 2)
    elif part.startswith("- "):
        yield Items(tuple(line.removeprefix("- ") for line in text.splitlines()))
    elif part.startswith("    "):
        yield Commands(tuple(line.strip() for line in text.splitlines()))
    elif text.strip():
        yield Paragraph(" ".join(text.split()))


SIGNS = {
    r"\psi": "ψ",
    r"\wedge": " ∧ ",
    r"\setminus": " ∖ ",
    r"\leq": " ≤ ",
    r"\in": " ∈ ",
    r"\exists": "∃ ",
    r"\forall": "∀ ",
    r"\;": " ",
    r"\alpha": "α",
    r"\mu": "μ",
    r"\sum": "Σ ",
    r"\log": "log ",
    r"\vee": " ∨ ",
}
"""Signs of formulas by their names in TeX."""
_TEX = re.compile(
    r"\s*(?P<sign>\\(?:[a-z]+|;))\s*|(?P<place>[_^])(?:\{(?P<some>[^}]*)\}|(?P<one>.))|(?P<text>[^\\_^]+)"
)


def spans(formula: Formula) -> Iterator[tuple[str, str]]:
    r"""A formula as text, each part with "sub" or "sup" where it stands lower or higher.

    >>> list(spans(Formula(r"sc(\psi_{k,i},x_1) \wedge g")))
    [('sc(', ''), ('ψ', ''), ('k,i', 'sub'), (',x', ''), ('1', 'sub'), (') ', ''), (' ∧ ', ''), ('g', '')]
    """
    for found in _TEX.finditer(formula.tex):
        if found["sign"]:
            yield SIGNS[found["sign"]], ""
        elif found["place"]:
            yield found["some"] or found["one"], "sub" if found["place"] == "_" else "sup"
        else:
            yield found["text"], ""
