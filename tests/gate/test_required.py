"""The fixture of the pytest plugin: what it gives, how it fails, and that others' tests start without it."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from dnncov_core.errors import SpecificationError
from dnncov_core.gate import pytest_plugin
from dnncov_core.gate.required import coverage
from dnncov_core.networks.zoo import load_embedded
from tests import builders

ROOT = Path(__file__).parents[2]
PLUGIN = pytest_plugin.__name__


def test_a_suite_is_measured_by_criterion_and_layer_pair() -> None:
    found = coverage("toy", "toy", criteria="ss,n")
    assert [(row.criterion, row.place, row.covered, row.total) for row in found.rows] == [
        ("ss", "2 to 3", 2, 9), ("ss", "3 to 4", 4, 6), ("n", "2", 3, 3), ("n", "3", 3, 3),
    ]  # fmt: skip
    found.require(ss=40, n="100", total=57.1)
    with pytest.raises(AssertionError) as error:
        found.require(ss=40.01, n=100)
    assert str(error.value) == "ss: 40.0 % covered (6 of 15), 40.01 % asked: 1 condition short"
    with pytest.raises(SpecificationError, match="expected something to require; got nothing"):
        found.require()
    assert coverage(load_embedded("toy"), "toy", criteria="ss,n").rows == found.rows


def test_reference_data_and_other_settings_are_those_of_measurements() -> None:
    found = coverage("toy", "toy", criteria="ss,nb", reference="toy", layers="3")
    assert [(row.criterion, row.place) for row in found.rows] == [("ss", "2 to 3"), ("nb", "2"), ("nb", "3")]
    with pytest.raises(SpecificationError, match="a criterion, one of ss"):
        coverage("toy", "toy", criteria="nothing")


def test_a_campaign_file_is_read(tmp_path: Path) -> None:
    builders.campaign(tmp_path / "a.dnncov").close()
    builders.campaign(tmp_path / "less.dnncov", found=4, exhausted=4).close()
    found = coverage(file=tmp_path / "less.dnncov")
    found.require(ss=50, feasible={"ss": 50}, at_8_bits=50)
    with pytest.raises(
        AssertionError, match=r"^open gaps: 4 of 8 conditions: .*; baseline a.dnncov: ss, layers 3 to 4"
    ):
        found.require(no_open_gaps=True, baseline=tmp_path / "a.dnncov")
    with pytest.raises(SpecificationError, match="one of ss, total; got 'vs'"):
        found.require(vs=1)
    for wrong in (-1, 100.5, "many", 1e-12, float("nan")):
        with pytest.raises(ValueError, match="a percentage from 0 to 100"):
            found.require(ss=wrong)


OWN = """
def test_enough(dnncov_coverage):
    dnncov_coverage("toy", "toy").require(ss=40)

def test_too_little(dnncov_coverage):
    dnncov_coverage("toy", "toy").require(ss=41)
"""


def test_pytest_has_the_fixture_and_shows_the_line(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(OWN, encoding="utf-8")
    installed = any(each.value == PLUGIN for each in metadata.entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", PLUGIN]
    options = ["-n0", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "--no-header"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = pytest.main([*plugin, *options, str(tmp_path / "test_own.py")])
    said = out.getvalue()
    assert status == pytest.ExitCode.TESTS_FAILED, said
    assert "1 failed, 1 passed" in said
    assert "E       AssertionError: ss: 40.0 % covered (6 of 15), 41 % asked: 1 condition short" in said
    assert "demands.verdicts" not in said  # the trace ends in the user's own line


def test_the_entry_point_is_the_plugin_which_imports_nothing_that_takes_time() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"dnncov": PLUGIN}
    before = (
        f"import pytest, sys; before = set(sys.modules); import {PLUGIN}; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", before], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["dnncov_core", "dnncov_core.gate", PLUGIN]
