"""CONTRIBUTING.md is true: its files and names exist, its map and its words are the project's, a recipe works."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.phrases.glossary import WORDS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
LIST = re.compile(r"((?:`\w+`(?:,\s|\sor\s|\sand\s)?)+)\s(?:of|in)\s`([\w/.]+\.py)`")
"""Names, and the file that they are said to stand in."""
STEP = re.compile(r"```python\n *# (\S+), (at the end|in \w+)\n(.*?)```", re.DOTALL)
"""A piece of a recipe: its file, its place there, and what is put there."""


def paths() -> set[str]:
    """Files and folders that the text names; the page Gaps stands for any page."""
    quoted = re.findall(r"`([\w./<>]+)`", TEXT) + re.findall(r"\]\(([\w./]+)\)", TEXT)
    named = {path.replace("<page>", "gaps") for path in quoted if "/" in path or re.search(r"\.(py|md|toml)$", path)}
    return named - {"page.py", "__init__.py"}


def names() -> list[tuple[str, str]]:
    """Each name of the code with its file."""
    found = ((path, name) for said, path in LIST.findall(TEXT) for name in re.findall(r"`(\w+)`", said))
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("path", sorted(paths()))
def test_every_path_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize(("path", "name"), names())
def test_every_name_stands_in_its_file(path: str, name: str) -> None:
    assert name in set(defined(ROOT / path))


def defined(path: Path) -> Iterator[str]:
    """What a module defines, or takes up from its package, at its top level."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_commands_name_files_that_exist() -> None:
    commands = TEXT.partition("```sh\n")[2].partition("```")[0]
    named = re.findall(r"(?:^|\s)(\.ci/run|[\w/]+\.py|tests/\w+)(?=\s)", commands)
    assert {".ci/run", "app.py", "tests/test_features.py"} <= set(named)
    assert all((ROOT / path).exists() for path in named)


def test_the_map_is_the_pipe_of_import_linter() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    pipe = next(rule["layers"] for rule in rules if rule["name"].startswith("The pipe"))
    held = [set(row.replace("dnncov_core.", "").split(" | ")) for row in reversed(pipe)]
    drawn = [
        set(re.split(r"  +", line)[0].split(", "))
        for line in TEXT.partition("```text\n")[2].split("```")[0].splitlines()
    ]
    assert drawn == [row for row in held if row != {"__main__"}]


def test_every_page_has_what_its_recipe_names() -> None:
    body = ast.parse((ROOT / "pages" / "shared" / "page_registry.py").read_text(encoding="utf-8")).body
    named = [node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGES"]
    rooms = list(ast.literal_eval(named[0]))
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    apart = next(rule for rule in rules if rule["name"].startswith("A page imports"))
    assert (apart["type"], apart["modules"]) == ("independence", ["pages.*"])
    for file in ("page.py", "__init__.py"):  # a folder without the latter is none for import-linter
        assert {path.parent.name for path in (ROOT / "pages").glob(f"*/{file}")} - {"shared"} == set(rooms)
    assert {path.stem for path in (ROOT / "pages").glob("_[a-z]*.py")} == {f"_{room}" for room in rooms[1:]}


def test_the_words_are_those_of_the_glossary() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| (.+?) \| .+ \|$", TEXT, re.MULTILINE)
    assert dict(rows[1:]) == dict(WORDS)
    assert rows[0] == ("word", "meaning")


# A recipe, followed


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which somebody followed the recipe of a value function."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("dnncov_core", "pages", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    (copy / "assets").symlink_to(ROOT / "assets")
    recipe = TEXT.partition("### A value function")[2].partition("\n### ")[0]
    steps = STEP.findall(recipe)
    assert len(steps) == recipe.count("```python") == 4
    for path, place, lines in steps:
        put(copy / path, place, textwrap.dedent(lines))
    return copy


def put(path: Path, place: str, lines: str) -> None:
    """Puts lines at the end of a file, or into a registry, whose classes it then imports as well."""
    text = path.read_text(encoding="utf-8")
    if place == "at the end":
        path.write_text(f"{text}\n\n{lines}", encoding="utf-8")
        return
    lines = lines.rstrip("\n,") + ",\n"
    text, one = re.subn(rf"^{place.removeprefix('in ')}\b.*[\[{{]$", rf"\g<0>\n{lines}", text, flags=re.MULTILINE)
    imports = "from dnncov_core.criteria.value_functions import (\n"
    assert (one, text.count(imports)) == (1, 1)
    path.write_text(text.replace(imports, f"{imports}    Rise,\n"), encoding="utf-8")


USED = """
import contextlib
import io
import json
from pathlib import Path

import pytest

import dnncov_core
from dnncov_core import cli
from pages.playground.setting import OWN
from tests.pages.looking import entry, opened, page

assert Path(dnncov_core.__file__).is_relative_to(Path.cwd())


def said(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            assert cli.main(words) == 0, words
        except SystemExit as end:
            assert not end.code, words
    return out.getvalue()


def offered(test, key):
    assert not test.exception, test.exception
    return list(test.selectbox(key=key).options)


asked = "--criterion", "sv", "--value-function", "rise", "--d", "0.5", "--layers", "3"
found = {
    "help": said("run", "--help"),
    "run": json.loads(said("run", "toy", *asked, "--out", "toy.dnncov", "--json")),
    "verify": json.loads(said("verify", "toy.dnncov", "--json")),
    "measure": json.loads(said("measure", "toy", "--suite", "toy", "--criteria", "sv:rise=0.5", "--json")),
    "run_page": offered(page(entry("run")).selectbox(key="criterion").set_value("sv").run(), "value_function-sv"),
    "playground": offered(opened(entry("playground"), criterion="sv").run(), OWN),
}
with contextlib.redirect_stdout(io.StringIO()) as out:
    found["tests"] = [pytest.main(["tests/criteria/test_value_functions.py", "-k", "Rise", "-n0"]), out.getvalue()]
print(json.dumps(found))
"""
"""What is done in the copy, in a process of its own."""


@pytest.fixture(scope="module")
def known(followed: Path) -> dict[str, Any]:
    """What the copy knows of the new value function."""
    address = {**os.environ, "DNNCOV_HOME": str(followed / "home"), "PYTHONPATH": str(followed)}
    done = subprocess.run([sys.executable, "-c", USED], cwd=followed, env=address, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_command_knows_what_a_recipe_added(known: dict[str, Any]) -> None:
    options = dict(re.findall(r"^  --([a-z-]+)(.+?)(?=^  --|\Z)", known["help"], re.MULTILINE | re.DOTALL))
    assert "rise" in re.split(r"[\s,;()]+", options["value-function"])
    assert "rise" in re.split(r"[\s,;:()]+", options["d"])
    assert (known["run"]["spec"]["value_function"], known["run"]["spec"]["d"]) == ("rise", 0.5)
    assert 0 < known["run"]["covered"] <= known["run"]["pairs"]
    assert known["verify"]["failing"] == {}
    assert known["verify"]["holding"] == known["run"]["covered"]
    assert known["measure"]["criteria"]["sv:rise=0.5"]["covered"] > 0


def test_pages_offer_what_a_recipe_added(known: dict[str, Any]) -> None:
    words = "rise: u[x2] - u[x1] is at least d"
    assert words in known["run_page"]
    assert words in known["playground"]


def test_what_a_recipe_added_equals_its_slow_reference(known: dict[str, Any]) -> None:
    status, said = known["tests"]
    assert status == 0, said
    assert re.search(r"(\d+) passed", said), said
