"""The words stand in one place, and sentences keep to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dnncov_core
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.phrases.glossary import WORDS, explained

ROOT = Path(dnncov_core.__file__).parent
ROOMS = [ROOT / room for room in ("phrases", "cli", "statistics", "figures", "export", "entries", "gate")]
PAGES = ROOT.parent / "pages"
FILES = [path for room in (*ROOMS, PAGES) for path in sorted(room.rglob("*.py")) if path.stem != "glossary"]
FILES += sorted(PAGES.rglob("*.md"))

AVOIDED = {
    "control": "baseline search",
    "controls": "baseline searches",
    "target": "test condition",
    "targets": "test conditions",
    "plain search": "baseline search",
    "plain searches": "baseline searches",
}
CLAIMED = ("must cause", "causes", "because of the condition")
"""What a witness does not show: its decision changes together with its condition."""
"""Words that sentences do not use, and what they say instead. Names of commands, of JSON keys and of columns stay."""


def sentences(path: Path) -> Iterator[str]:
    """Strings of a file that hold more than one word, without docstrings; of text, all of it."""
    if path.suffix == ".md":
        yield path.read_text()
        return
    tree = ast.parse(path.read_text())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for node in strings:
        if id(node) not in docstrings and " " in node.value.strip():
            yield node.value


def test_every_word_has_a_meaning_and_none_of_them_is_avoided() -> None:
    assert all(WORDS.values())
    assert not WORDS.keys() & AVOIDED.keys()
    for instead in AVOIDED.values():
        assert re.sub(r"(e?s)$", "", instead.replace("searches", "search")) in WORDS


def test_words_are_explained_in_order() -> None:
    text = explained("seed", "test pair")
    assert text == f"**Seed**: {WORDS['seed']}. **Test pair**: {WORDS['test pair']}."


def test_there_are_sentences_to_read() -> None:
    assert any("have a replayable witness" in text for path in FILES for text in sentences(path))


def test_no_sentence_claims_a_cause() -> None:
    helps = [row.help for row in PARAMETERS.values()]
    texts = [text for path in FILES for text in sentences(path)]
    assert not [text for text in (*texts, *helps) for word in CLAIMED if re.search(rf"\b{word}\b", text)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_sentences_use_no_word_that_is_avoided(path: Path) -> None:
    for text in sentences(path):
        for word in AVOIDED:
            assert not re.search(rf"\b{word}\b", text, re.IGNORECASE), text
