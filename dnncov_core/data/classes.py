"""Which classes of a network the subfolders of a folder of images stand for: by the classes' names or numbers, or
by their WordNet ids where these are ImageNet's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from unicodedata import normalize

from dnncov_core.errors import DataError
from dnncov_core.resources import ASSETS

IMAGENET = (1000, "tench", "toilet tissue")
"""How many classes ILSVRC 2012 has, its first and its last one."""
MOST_NAMED = 3
"""Subfolders that a message names."""


@dataclass(frozen=True)
class FolderLabels:
    """The label of each subfolder, and class names in the order of their numbers."""

    numbers: tuple[int, ...]
    classes: tuple[str, ...]


def labels_of(subfolders: Sequence[str], classes: Sequence[str]) -> FolderLabels:
    """Labels of subfolders, which may stand for some of the classes if each is named by a class or its number.

    Names agree whatever their case, and a blank is an underscore or a dash. ImageNet's classes have WordNet ids, too,
    such as n01440764. Where no subfolder is named by a class, the subfolders are the classes in the order given.

    Args:
        subfolders: their names.
        classes: the network's class names in the order of their numbers; empty if there is no network.

    Raises:
        DataError: a name of several classes, two names of one class, or a name of none where another subfolder is
            named by a class, or where there are not as many subfolders as classes.

    >>> labels_of(["Traffic_Light", "0"], ["stop sign", "traffic light"])
    FolderLabels(numbers=(1, 0), classes=('stop sign', 'traffic light'))
    >>> labels_of(["green", "red"], ["go", "halt"])
    FolderLabels(numbers=(0, 1), classes=('green', 'red'))
    """
    in_order = FolderLabels(tuple(range(len(subfolders))), tuple(subfolders))
    if not classes:
        return in_order
    found = _found(subfolders, classes)
    strange = [name for name, numbers in found.items() if not numbers]
    if not strange:
        return FolderLabels(_one_each(found), tuple(classes))
    if len(strange) == len(subfolders) == len(classes):
        return in_order
    expected = f"subfolders named by the network's classes, or one for each of its {len(classes)} classes"
    if len(strange) < len(subfolders):
        known = next(name for name, numbers in found.items() if numbers)
        expected = f"subfolders that are all named by the network's classes, as {known!r} is"
    named = ", ".join(map(repr, strange[:MOST_NAMED])) + (" and others" if len(strange) > MOST_NAMED else "")
    got = f"{named}, which {'is' if len(strange) == 1 else 'are'} none of them, among {len(subfolders)} subfolders"
    raise DataError(expected, got, f"rename to a class's name or number, such as {classes[0]!r} or 0")


def _found(subfolders: Sequence[str], classes: Sequence[str]) -> dict[str, list[int]]:
    """By subfolder the classes of its name or WordNet id; if there is none, the class of its number."""
    ids = _wordnet() if _is_imagenet(classes) else {}
    named: dict[str, list[int]] = {}
    for number, name in enumerate(classes):
        named.setdefault(_plain(name), []).append(number)
    numbered = {name: int(name) for name in subfolders if name.isascii() and name.isdigit()}
    by_number = {name: [number] for name, number in numbered.items() if number < len(classes)}
    return {
        name: [ids[name]] if name in ids else named.get(_plain(name)) or by_number.get(name, []) for name in subfolders
    }


def _plain(name: str) -> str:
    return normalize("NFKC", name).casefold().replace("_", " ").replace("-", " ")


def _is_imagenet(classes: Sequence[str]) -> bool:
    n, first, last = IMAGENET
    return len(classes) == n and (_plain(classes[0]), _plain(classes[-1])) == (first, last)


@cache
def _wordnet() -> dict[str, int]:
    """WordNet id -> number of an ImageNet class."""
    lines = (ASSETS / "data" / "imagenet-wordnet.txt").read_text(encoding="ascii").split()
    return {each: number for number, each in enumerate(lines)}


def _one_each(found: dict[str, list[int]]) -> tuple[int, ...]:
    by_number: dict[int, str] = {}
    for name, numbers in found.items():
        if len(numbers) > 1:
            several = ", ".join(map(str, numbers))
            raise DataError("a subfolder for one class", f"{name!r}, the name of {several}", "rename it to a number")
        if (other := by_number.setdefault(numbers[0], name)) != name:
            got = f"{other!r} and {name!r} for class {numbers[0]}"
            raise DataError("one subfolder for each class", got, "put their images together, or rename one")
    return tuple(by_number)
