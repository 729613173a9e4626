"""The page Help, and the links to it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dnncov_core import paper
from dnncov_core.criteria import CRITERIA
from dnncov_core.phrases.glossary import PURPOSE, WORDS
from dnncov_core.suites.criterion_names import ENTRIES
from pages.shared.formula import in_lines
from pages.shared.page_registry import PAGES
from pages.shared.words import PHRASES, has_help, help_text, linked, plain
from tests.builders import campaign
from tests.pages.looking import APP, opened, page, words

ROOT = APP.parent


def test_it_has_every_word_the_criteria_and_how_to_read_each_page(folder: Path) -> None:
    test = page("pages/help/page.py")
    assert not test.exception
    text = words(test)
    assert PURPOSE in text
    assert "What coverage is not" in text
    for word, meaning in WORDS.items():
        assert f"##### {word.capitalize()}" in text
        assert f"{meaning[0].upper()}{meaning[1:]}." in text
    titles = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in test.get("plotly_chart")]
    assert titles == [method.title for method in CRITERIA.values()]
    for key, entry in ENTRIES.items():
        assert key in CRITERIA or {f"##### {entry.title}", plain(entry.words)} <= set(text.splitlines()), key
    assert [each.value for each in test.get("latex")][-1].strip("$\n") == in_lines("\\exists x: x \\in rec")
    assert f"[arXiv:{paper.ARXIV}](https://arxiv.org/abs/{paper.ARXIV})" in text
    rooms = [room for room in PAGES if room != "help" and has_help(room)]
    assert {"layers", "distances", "examples", "gaps", "compare", "measure", "playground"} <= set(rooms)
    for room in rooms:
        assert help_text(room, glossary="").strip() in text
    assert "{" not in help_text("help")


def test_each_criterion_leads_to_its_example_on_the_playground(folder: Path) -> None:
    links = [link.proto.query_string for link in page("pages/help/page.py").get("page_link")]
    assert {f"example={key}" for key in CRITERIA} <= set(links)


def test_it_is_loaded_without_pytorch() -> None:
    code = "import sys, pages.help.page; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


def test_a_word_leads_to_its_meaning_where_it_first_stands() -> None:
    assert linked("Test pairs and test pairs") == "[Test pairs](help#test-pair) and test pairs"
    assert linked("feature pairs of features") == "[feature pairs](help#feature-pair) of [features](help#feature)"
    assert linked("Witnesses of criteria.") == "[Witnesses](help#witness) of [criteria](help#criterion)."
    assert linked("`seed` of [a suite](x) seed") == "`seed` of [a suite](x) [seed](help#seed)"
    assert linked("wider than needed") == "wider than needed"


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        ("run", {"criterion", "effect", "feature", "feature-pair", "seed", "value-function"}),
        ("measure", {"criterion", "effect", "feature", "suite", "value-function"}),
        ("gaps", {"feature", "layer-pair"}),
        ("playground", {"criterion", "feature", "value-function"}),
    ],
)
def test_fields_that_are_called_by_a_word_lead_to_its_meaning(folder: Path, room: str, expected: set[str]) -> None:
    """Each link leads to an anchor, which Streamlit makes of a heading on Help."""
    campaign(folder / "abc.dnncov", exhausted=3).close()
    parameters = {"gaps": {"campaign": "abc"}, "playground": {"example": "sv"}}
    test = opened(f"pages/{room}/page.py", **parameters.get(room, {})).run()
    if room == "run":
        test.selectbox(key="criterion").select("sv").run()
    assert not test.exception
    anchors = {word.replace(" ", "-") for word in WORDS}
    found = set()
    for kind in ("selectbox", "multiselect", "number_input", "text_input", "checkbox", "button_group"):
        for field in (each.proto for each in test.get(kind)):
            led = set(re.findall(r"\(help#([\w-]+)\)", field.help))
            assert led <= anchors, field.label
            if field.help:
                assert set(re.findall(r"\(help#([\w-]+)\)", linked(field.label))) <= led, field.label
            found |= led
    assert expected <= found


@pytest.mark.parametrize("room", [room for room in PAGES if has_help(room)])
def test_links_in_the_help_of_a_page_lead_to_words_and_are_whole(room: str) -> None:
    text = linked(help_text(room))
    leads = re.findall(r"\]\(help#([a-z-]+)\)", text)
    assert leads
    assert len(leads) == len(set(leads))
    assert set(leads) <= {word.replace(" ", "-") for word in WORDS}
    assert not re.findall(r"\[[^\]]*\[", text)


def test_phrases_of_help_are_used() -> None:
    texts = "".join(path.read_text() for path in (ROOT / "pages").glob("*/help.md"))
    assert [name for name in PHRASES if f"{{{name}}}" not in texts] == []
