"""Controls of campaigns: made at the end, for a sample, with the budgets of the test pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.file import baseline_searches
from dnncov_core.campaign.file.encoding import columns
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.baseline_searches import PASSES, run_baseline_searches
from dnncov_core.campaign.work.worker import work
from dnncov_core.cli import main
from dnncov_core.cli.show import summary_lines
from dnncov_core.records import BaselineSearch, State
from dnncov_core.statistics.adversarial import baselines_by_layer
from dnncov_core.statistics.grouping import By
from tests import runs


def rows_of(store: CampaignStore) -> list[BaselineSearch]:
    sql = f"SELECT {columns(BaselineSearch)} FROM control ORDER BY ordinal"
    return store.database.records(BaselineSearch, sql)


def test_a_finished_campaign_has_controls_of_all_its_pairs(campaign: Path) -> None:
    with CampaignStore(campaign) as store:
        pairs, rows = store.pairs.page(), rows_of(store)
        assert [row.ordinal for row in rows] == sorted(pair.target.ordinal for pair in pairs)
        assert {row.passes for row in rows} == {PASSES}
        assert [row.radius for row in rows] == [
            pair.distance for pair in sorted(pairs, key=lambda pair: pair.target.ordinal)
        ]
        table = baselines_by_layer(store)
        assert table.total.searched.total == len(pairs)
        assert table.total.searched.n == sum(pair.adversarial for pair in pairs)
        assert table.total.ascent.n == sum(row.ascent for row in rows)
        assert sum(row.random.n for row in table.rows) == table.total.random.n
        by_decision = baselines_by_layer(store, By.DECISION_LAYER)
        assert by_decision.total == table.total


def test_the_radius_is_the_bound_and_the_passes_are_the_searchs_own(tmp_path: Path) -> None:
    spec = runs.toy_spec(generator="targeted", bound=0.5, passes=30)
    with CampaignStore(runs.finished(tmp_path / "a.dnncov", spec)) as store:
        rows = rows_of(store)
        assert rows
        assert {row.radius for row in rows} == {0.5}
        spent = {
            pair.target.ordinal: sum(attempt.passes or 0 for attempt in store.attempts.of(pair.target))
            for pair in store.pairs.page()
        }
        assert {row.ordinal: row.passes for row in rows} == {n: passes or PASSES for n, passes in spent.items()}


def test_a_sample_stands_for_many_and_stays_as_more_are_found(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.dnncov"
    path.write_bytes(campaign.read_bytes())
    monkeypatch.setattr(baseline_searches, "MOST", 5)
    with CampaignStore(path) as store:
        everything = rows_of(store)
        sample, missing = store.baseline_searches.sample(0)
        assert (len(sample), missing) == (5, [])
        assert run_baseline_searches(store) == 0
        assert rows_of(store) == [row for row in everything if row.ordinal in sample]
        assert set(store.baseline_searches.sample(1)[0]) != set(sample)
        monkeypatch.setattr(baseline_searches, "MOST", 6)
        assert set(store.baseline_searches.sample(0)[0]) > set(sample)
        assert run_baseline_searches(store) == 1


@pytest.mark.parametrize("command", ["resume", "control"])
def test_searches_that_failed_are_told_of_and_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def out_of_memory(*_: object) -> None:
        raise RuntimeError("out of memory")

    path = runs.create(tmp_path / "a.dnncov", runs.toy_spec())
    with monkeypatch.context() as patched:
        patched.setattr("dnncov_core.campaign.work.baseline_searches._results", out_of_memory)
        with pytest.raises(RuntimeError, match="out of memory"):
            work(path)
    with CampaignStore(path) as store:
        assert (store.state(), store.worker.message()) == (State.FINISHED, "RuntimeError: out of memory")
        assert rows_of(store) == []
        assert "Baseline searches are missing; resume" in "\n".join(summary_lines(store))
    assert main([command, str(path)]) == 0
    with CampaignStore(path) as store:
        assert (store.state(), store.worker.message()) == (State.FINISHED, "")
        assert len(rows_of(store)) == store.pairs.count()


def test_controls_are_the_same_again(campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the batch: files without them, such as earlier versions', get them by the command."""
    path = tmp_path / "a.dnncov"
    path.write_bytes(campaign.read_bytes())
    with CampaignStore(path) as store:
        before = rows_of(store)
        store.baseline_searches.record([], [])
        assert rows_of(store) == []
    monkeypatch.setattr("dnncov_core.campaign.work.baseline_searches.fitting_batch", lambda network: 3)
    assert main(["control", str(path)]) == 0
    with CampaignStore(path) as store:
        assert rows_of(store) == before


def test_control_says_what_it_added(tmp_path: Path, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dnncov"
    path.write_bytes(campaign.read_bytes())
    with CampaignStore(path) as store:
        n = len(rows_of(store))
        store.baseline_searches.record([], [])
    assert main(["control", str(path)]) == 0
    assert f"Baseline searches were added for {n} test pairs." in capsys.readouterr().err
    assert main(["control", str(path)]) == 0
    assert "Nothing was added: this file already has its baseline searches." in capsys.readouterr().err


def test_show_prints_them(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(campaign)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "Baseline searches" in line]
    with CampaignStore(campaign) as store:
        total = baselines_by_layer(store).total
    assert line.startswith(f"Of {total.searched.total} test pairs that were compared, {total.searched.percent} are adv")
    assert line.endswith(
        f"{total.random.percent} (random perturbations) and for {total.ascent.percent} (gradient ascent)."
    )


def test_a_campaign_without_test_pairs_has_nothing_to_control(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = runs.create(tmp_path / "a.dnncov", runs.toy_spec())
    assert main(["control", str(path)]) == 2
    assert "a campaign with test pairs; got one without" in capsys.readouterr().err
