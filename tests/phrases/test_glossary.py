"""The words stand in one place, and sentences keep to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dnncov_core.phrases
from dnncov_core.phrases.glossary import AVOIDED, WORDS, explained

FILES = [path for path in Path(dnncov_core.phrases.__file__).parent.glob("*.py") if path.stem != "glossary"]


def sentences(path: Path) -> Iterator[str]:
    """Strings of a file that hold more than one word, without docstrings."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    assert any(isinstance(node, documented) for node in ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def test_every_word_has_a_meaning_and_none_of_them_is_avoided() -> None:
    assert all(WORDS.values())
    assert not WORDS.keys() & AVOIDED.keys()
    for instead in AVOIDED.values():
        assert re.sub(r"(e?s)$", "", instead.replace("searches", "search")) in WORDS


def test_words_are_explained_in_order() -> None:
    text = explained("seed", "test pair")
    assert text == f"**Seed**: {WORDS['seed']}. **Test pair**: {WORDS['test pair']}."


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sentences_use_no_word_that_is_avoided(path: Path) -> None:
    for text in sentences(path):
        for word in AVOIDED:
            assert not re.search(rf"\b{word}\b", text, re.IGNORECASE), text
