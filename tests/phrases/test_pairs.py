"""Test pairs in words: the same in the captions of files and on pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dnncov_core.phrases.pairs import class_name, difference_words, grey_levels, label_words
from tests.builders import card

NAMED = replace(card(), classes=("cat", "dog"))


def test_a_label_has_its_name_or_its_number() -> None:
    assert [class_name(NAMED, label) for label in (0, 1, 2)] == ["cat", "dog", "2"]
    assert label_words(NAMED, 1, 0.514) == "dog (51.4 %)"


def test_grey_levels_are_those_of_8_bits() -> None:
    assert [grey_levels(distance) for distance in (1 / 255, 0.5)] == ["1.00", "128"]


@pytest.mark.parametrize("shape", [(28, 28), (1, 28, 28), (2, 28, 28)])
def test_grey_differences_are_orange_and_blue(shape: tuple[int, ...]) -> None:
    said = "Difference: {} where x2 is brighter, {} where it is darker, light grey elsewhere."
    assert difference_words(shape) == said.format("orange", "blue")
    assert difference_words(shape, "+", "-") == said.format("+", "-")


def test_coloured_differences_are_lighter_and_darker() -> None:
    assert "each channel around middle grey" in difference_words((3, 32, 32))
