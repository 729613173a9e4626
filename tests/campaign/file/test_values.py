"""Values of a campaign file that cannot be: one error that names the file and says what is wrong."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.encoding import pack
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.baseline_searches import _pair
from dnncov_core.errors import CampaignError
from tests.builders import mixed
from tests.made_arrays import announcing

OPENED: dict[str, str] = {
    "spec = replace(spec, '\"auto\"', '\"sideways\"')": r"device: 'sideways' instead of one of auto, cpu",
    "spec = replace(spec, '\"layers\": []', '\"layers\": [9]')": r"layers: layer 9 instead of some of the decision",
    "spec = '{:}'": r"text that is no JSON at line 1, column 2",
    "created = 1e300": r"created: 1e\+300 instead of a number from 0",
    "versions = '[1]'": r"\[1\] instead of a table",
    "card = replace(card, '\"neurons\": 5', '\"neurons\": -5')": r"layers: neurons: -5 instead of a number from 1",
    "inputs = 30": r"seeds that are no rows of 30 inputs",
    "misclassified = 11": r"40 seeds and 11 misclassified of 50 inputs",
    "batch = 0.5": r"batch: 0\.5 instead of a whole number",
    "available = '[[2, 4, 1]]'": r"layers 2 and 4, which are no layer pair",
    "available = '[[2, 3, 21]]'": r"more feature pairs than there are",
    "seeds = x'00'": r"instead of numbers, compressed by zlib",
}
"""What is set in the campaign's own row, and why the file is not opened."""


def _attempts(store: CampaignStore) -> object:
    return [store.attempts.of(target) for target in store.targets.all()]


ROWS: dict[str, tuple[Callable[[CampaignStore], object], str]] = {
    "target SET condition_layer = 4": (lambda store: store.counts.layers(), r"layers 4 and \d, which are no layer"),
    "target SET condition_layer = 7": (lambda store: store.conditions.page(), r"layers 7 and \d, which are no layer"),
    "target SET condition_neurons = '99'": (lambda store: store.targets.all(), r"neuron 99, which layer 2"),
    "target SET condition_neurons = '1_0'": (lambda store: store.targets.all(), r"'1_0' instead of neurons"),
    "target SET decision_neurons = ''": (lambda store: store.conditions.page(), r"features without neurons"),
    "target SET outcome = x'00'": (lambda store: store.counts.outcomes(), r"instead of one of found,"),
    "test_pair SET distance = -1": (
        lambda store: store.counts.layers(),
        r"the least distance: -1\.0 instead of a number from 0",
    ),
    "test_pair SET distance = 'far'": (lambda store: store.pairs.adversarial_distances(), r"'far' instead of a number"),
    "test_pair SET adversarial = 5": (lambda store: store.counts.layers(), r"test pairs without an outcome"),
    "test_pair SET label1 = 10": (lambda store: store.pairs.page(), r"labels 10 and \d of 10 classes"),
    "test_pair SET seed = 50": (lambda store: store.pairs.page(), r"seed 50 of 50 inputs"),
    "test_pair SET confidence1 = 1.5": (lambda store: store.pairs.page(), r"confidence1: 1\.5 instead of a number"),
    "test_pair SET holds_float64 = 2": (lambda store: store.pairs.page(), r"holds_float64: 2 instead of 0 or 1"),
    "attempt SET seconds = -1": (_attempts, r"seconds: -1\.0 instead of a number from 0"),
    "attempt SET seed = 50": (_attempts, r"seed 50 of 50 inputs"),
    "certificate SET sign = 3": (lambda store: store.certificates.all(), r"sign: 3 instead of one of -1, 1"),
    "certificate SET neuron = 99": (
        lambda store: store.certificates.all(),
        r"neuron 99, which layer \d of the network",
    ),
    "justification SET date = x'01'": (lambda store: store.justifications.all(), r"date: b'\\x01' instead of text"),
    "worker SET heartbeat = 9e99": (
        lambda store: store.state(),
        r"the last sign of life: 9e\+99 instead of a number from 0 to 253,402,000,000\)",
    ),
    "worker SET pid = 1099511627776": (lambda store: store.state(), r"pid: 1099511627776 instead of a number from 1"),
}
"""What is set in a table, and what is asked then."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "c.dnncov"
    mixed(path).close()
    return path


def change(whole: Path, folder: Path, statement: str, *parameters: object) -> Path:
    path = folder / "c.dnncov"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, parameters)
    return path


@pytest.mark.parametrize("setting", OPENED)
def test_a_campaign_with_such_a_value_is_not_opened(setting: str, whole: Path, tmp_path: Path) -> None:
    path = change(whole, tmp_path, f"UPDATE campaign SET {setting}")
    with pytest.raises(CampaignError, match=rf"a damaged one, c\.dnncov \(.*({OPENED[setting]})"):
        CampaignStore(path)


def test_the_limit_for_npz_files_says_nothing_of_campaigns(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNNCOV_ARRAY_GIB", "many")
    with CampaignStore(whole) as store:
        assert store.pairs.page()


@pytest.mark.parametrize("setting", ROWS)
def test_a_row_with_such_a_value_is_not_read(setting: str, whole: Path, tmp_path: Path) -> None:
    path = change(whole, tmp_path, f"UPDATE OR IGNORE {setting}")
    ask, reason = ROWS[setting]
    with pytest.raises(CampaignError, match=rf"a damaged one, c\.dnncov \(.*{reason}"), CampaignStore(path) as store:
        ask(store)


@pytest.mark.parametrize(
    ("blob", "reason"),
    [
        (announcing((10**11,)), "GiB"),
        (pack(np.zeros((1, 28, 27))), r"inputs of shapes \(1, 28, 28\) and \(1, 28, 27\)"),
        (pack(np.full((1, 28, 28), np.nan)), "inputs that are not finite"),
        (pack(np.zeros((1, 28, 28), np.int64)), "x2: an array of int64"),
        (pack(np.zeros((1, 28, 28), ">f8")), "x2: an array of >f8"),
    ],
)
def test_inputs_are_those_of_the_network(blob: bytes, reason: str, whole: Path, tmp_path: Path) -> None:
    path = change(whole, tmp_path, "UPDATE test_pair SET x2 = ?", blob)
    with pytest.raises(CampaignError, match=reason), CampaignStore(path) as store:
        store.pairs.page()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW other AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "CREATE TRIGGER other AFTER UPDATE ON worker BEGIN DELETE FROM target; END",
        "ALTER TABLE worker ADD COLUMN other AS (length(zeroblob(900000000)))",
    ],
)
def test_what_is_computed_is_no_campaign(statement: str, whole: Path, tmp_path: Path) -> None:
    path = change(whole, tmp_path, statement)
    with pytest.raises(CampaignError, match=r"'(other|worker)' is computed instead of stored"):
        CampaignStore(path)


def test_a_covered_condition_without_a_test_pair_is_damage(whole: Path, tmp_path: Path) -> None:
    path = change(whole, tmp_path, "DELETE FROM test_pair")
    with CampaignStore(path) as store, pytest.raises(CampaignError, match=r"c\.dnncov .*covered without a test pair"):
        _pair(store, store.baseline_searches.sample(0)[0][0])


def test_numbers_nested_too_deep_are_one_error(whole: Path, tmp_path: Path) -> None:
    path = change(whole, tmp_path, "UPDATE campaign SET spec = ?", "[" * 100_000)
    with pytest.raises(CampaignError, match="more than 100 lists or tables within each other"):
        CampaignStore(path)


def test_reasons_are_short_whatever_they_quote(whole: Path, tmp_path: Path) -> None:
    spec = json.dumps({"network": "toy", "data": "toy", "device": "x" * 10**6})
    path = change(whole, tmp_path, "UPDATE campaign SET spec = ?", spec)
    with pytest.raises(CampaignError, match="device: 'xxx") as caught:
        CampaignStore(path)
    assert len(str(caught.value)) < 600
