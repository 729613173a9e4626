"""What tests read of a report's files, by parsers that are not the product's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

VOID = ("meta", "img", "br")
LOADED = ("src", "href", "data", "srcset", "poster", "action", "background")


class Page(HTMLParser):
    """An HTML page: its text, its elements with their attributes, and whether all of them are closed in order."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, Mapping[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(content.decode("utf-8"))
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def of(self, *tags: str) -> list[Mapping[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag in tags]

    @property
    def addresses(self) -> list[str]:
        return [str(each[name]) for _, each in self.elements for name in LOADED if name in each]


def gsn(text: str) -> dict[str, dict[str, Any]]:
    """Elements of an argument: the part of YAML that is written, a mapping of names to mappings of one line each."""
    found: dict[str, dict[str, Any]] = {}
    for line in filter(None, text.splitlines()):
        if name := re.fullmatch(r"(\w+):", line):
            own = found[name[1]] = {}
            continue
        key, value = re.fullmatch(r"  (\w+): (.+)", line).groups()  # type: ignore[union-attr]
        assert key not in own
        own[key] = re.findall(r"\w+", value) if value.startswith("[") else json.loads(value)
    return found
