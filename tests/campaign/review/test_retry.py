"""Retries: what is put back, what stays, and that a broken retry ends as an unbroken one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import newly_covered, retry
from dnncov_core.campaign.review.verification import verify
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.plan import in_batches
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import CampaignError, DnncovError, ParameterError
from dnncov_core.outside_values import record
from dnncov_core.phrases.conditions import retry_words
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome, Retry, State, Target
from dnncov_core.resources import versions
from tests import runs
from tests.builders import campaign, mixed
from tests.command import call, is_whole, refused

SPEC = runs.toy_spec(seed_order="random", max_seeds=1)


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SS on the network toy with one seed for each condition, chosen at random: some are exhausted."""
    return runs.finished(tmp_path_factory.mktemp("poor") / "poor.dnncov", SPEC)


@pytest.fixture
def path(poor: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(poor, tmp_path / "c.dnncov"))


def witnesses(path: Path) -> dict[Target, bytes]:
    with CampaignStore(path) as store:
        return {pair.target: pair.x2.tobytes() for pair in store.pairs.page()}


def seeds(path: Path) -> dict[Target, list[int]]:
    with CampaignStore(path) as store:
        return {target: [attempt.seed for attempt in store.attempts.of(target)] for target in store.targets.all()}


def ask(path: Path, **asked: object) -> Retry:
    with CampaignStore(path) as store:
        return retry(store, **asked)  # type: ignore[arg-type]


def test_more_seeds_cover_more_and_keep_what_was_covered(path: Path) -> None:
    before, tried = witnesses(path), seeds(path)
    n = len(tried) - len(before)
    assert n > 0
    assert ask(path, max_seeds=6) == Retry(("exhausted", "error"), (), n, (1, 400, 20), (6, 400, 20), len(before))
    assert runs.state_of(path) is State.WAITING
    assert work(path) is State.FINISHED
    after = witnesses(path)
    assert len(after) > len(before)
    assert before.items() <= after.items()
    with CampaignStore(path) as store:
        assert verify(store).failing == {}


def test_earlier_attempts_stay_and_no_seed_is_tried_twice(path: Path) -> None:
    before, covered = seeds(path), witnesses(path)
    ask(path, max_seeds=6)
    work(path)
    for target, tried in seeds(path).items():
        assert tried[: len(before[target])] == before[target]
        assert len(set(tried)) == len(tried) <= 6
        assert target not in covered or tried == before[target]


def test_it_ends_as_a_campaign_that_had_these_budgets_at_once(path: Path, tmp_path: Path) -> None:
    at_once = runs.finished(tmp_path / "once.dnncov", runs.toy_spec(seed_order="random", max_seeds=6))
    ask(path, max_seeds=3)
    work(path)
    ask(path, max_seeds=6)
    work(path)
    assert runs.content(path) == runs.content(at_once)


def test_stopped_and_resumed_it_ends_the_same(path: Path, tmp_path: Path) -> None:
    unbroken = Path(shutil.copy(path, tmp_path / "unbroken.dnncov"))
    for one in (path, unbroken):
        ask(one, max_seeds=6)
    work(unbroken)

    def stop(progress: CampaignProgress) -> None:
        if progress.done < progress.total - 1:
            raise KeyboardInterrupt

    assert work(path, on_progress=stop) is State.CANCELLED
    assert work(path) is State.FINISHED
    assert runs.content(path) == runs.content(unbroken)


def test_the_specification_keeps_every_raise(path: Path) -> None:
    one, two = ask(path, max_seeds=2), ask_again(path)
    with CampaignStore(path) as store:
        spec = store.spec()
    assert spec.retries == (one, two)
    assert (spec.max_seeds, one.before, one.after) == (6, (1, 400, 20), (2, 400, 20))
    assert (two.before, two.after) == ((2, 400, 20), (6, 400, 20))
    assert CampaignSpec.from_json(spec.to_json()) == spec


def ask_again(path: Path) -> Retry:
    work(path)
    return ask(path, max_seeds=6, outcomes=("exhausted",))


def test_only_the_asked_outcomes_are_put_back(path: Path) -> None:
    store = mixed(path.with_name("mixed.dnncov"))
    failed = [target for target, outcome in store.targets.with_outcomes() if outcome is Outcome.ERROR]
    waiting = store.targets.pending()
    found = retry(store, outcomes=("error",))
    assert (found.conditions, found.before, found.after) == (1, (41, 400, 20), (41, 400, 20))
    assert store.spec().max_seeds == 41
    assert set(store.targets.pending()) == {*failed, *waiting}
    assert store.attempts.seeds_tried() == {}  # what broke off is tried again


def test_what_a_retry_came_to_is_counted(path: Path, tmp_path: Path) -> None:
    before = witnesses(path)
    with CampaignStore(path) as store:
        assert newly_covered(store) is None
        n = retry(store, max_seeds=6).conditions
        assert newly_covered(store) == Ratio(0, n)
        assert work(path) is State.FINISHED
        new = len(witnesses(path).keys() - before.keys())
        assert new > 0
        assert newly_covered(store) == Ratio(new, n)
        assert retry_words(store.spec(), newly_covered(store)) == f"{new} of {n} test conditions newly covered"
    with mixed(tmp_path / "mixed.dnncov") as store:
        found = retry(store, outcomes=("error",))
        assert (found.covered, found.pending) == (3, 3)
        assert (
            retry_words(store.spec(), newly_covered(store))
            == "0 of 4 test conditions newly covered, 3 of which had not been tried before"
        )


def test_a_record_of_earlier_versions_is_read_and_nothing_is_counted(path: Path) -> None:
    fields = {"outcomes": ["error"], "layers": [3], "conditions": 2, "before": [1, 400], "after": [6, 400]}
    old = record(Retry, fields)
    assert old == Retry(("error",), (3,), 2, (1, 400), (6, 400))
    with CampaignStore(path) as store:
        spec = store.spec().retried(old).to_json()
        store.database._connection.execute("UPDATE campaign SET spec = ?", (spec,))
        assert newly_covered(store) is None
        assert retry_words(store.spec(), newly_covered(store)) == ""


def test_gradient_search_runs_again_on_what_is_left_of_a_batch(tmp_path: Path) -> None:
    spec = runs.toy_spec(generator="targeted", seed_order="random", max_seeds=1, passes=12, batch=4)
    path = runs.finished(tmp_path / "c.dnncov", spec)
    before, tried = witnesses(path), seeds(path)
    with CampaignStore(path) as store:
        batches = in_batches(store.targets.all(), store.prepared.batch())
    assert any(0 < sum(target in before for target in batch) < len(batch) for batch in batches)
    ask(path, max_seeds=6, passes=400)
    assert work(path) is State.FINISHED
    after = seeds(path)
    assert before.items() <= witnesses(path).items()
    assert all(after[target] == tried[target] for target in before)
    assert all(len(after[target]) > len(tried[target]) for target in set(after) - set(before))


def test_with_reuse_batches_may_hold_what_is_covered(tmp_path: Path) -> None:
    spec = runs.toy_spec(generator="targeted", seed_order="random", max_seeds=1, passes=12, batch=4, reuse=True)
    path = runs.finished(tmp_path / "c.dnncov", spec)
    before = witnesses(path)
    ask(path, max_seeds=6, passes=400)
    assert work(path) is State.FINISHED
    assert before.items() <= witnesses(path).items()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"max_seeds": 1}, "max_seeds must be above 1; got 1, with which nothing would change; raise it$"),
        ({}, "max_seeds must be above 1; got 1, with which nothing would change; raise it$"),
        ({"max_seeds": 0}, "max_seeds must be at least 1; got 0; change it$"),
        ({"max_seeds": -1}, "max_seeds must be at least 1; got -1; change it$"),
        (
            {"max_seeds": 6, "passes": 900},
            "passes must be left out where the search follows no gradients; got 900 with generator lp; leave it out",
        ),
        ({"max_seeds": 6, "outcomes": ("found",)}, "an outcome to try again, one of exhausted, error; got 'found'"),
        ({"outcomes": ("error",)}, "test conditions that ended as error; got none"),
        ({"max_seeds": 6, "outcomes": ("error",)}, "no new budget where only what failed .*; got max_seeds 6; leave"),
        ({"max_seeds": 7}, "max_seeds must be at most 6, the seeds of this campaign; got 7; change it"),
        (
            {"more_seeds": 30},
            "more_seeds must be left out where seeds come in random order; got 30 with seed order ran",
        ),
    ],
)
def test_bad_input_changes_nothing(path: Path, asked: dict[str, object], expected: str) -> None:
    before = runs.content(path)
    with pytest.raises(DnncovError, match=expected) as error:
        ask(path, **asked)
    assert is_whole(f"dnncov: {error.value}")
    assert runs.content(path) == before
    with CampaignStore(path) as store:
        assert store.spec() == SPEC.resolved().for_network(store.card())  # type: ignore[arg-type]


def test_without_a_budget_gradient_search_names_both(tmp_path: Path) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist", generator="targeted")
    with campaign(tmp_path / "c.dnncov", spec=spec) as store:
        with pytest.raises(ParameterError) as error:
            retry(store)
        assert str(error.value) == (
            "max_seeds must be above 41, or the passes above 400, or the seeds beyond above 20; got 41,"
            " with which nothing would change;"
            " raise a budget"
        )
        with pytest.raises(ParameterError, match="passes must be at least 400, as it is; got 300; lower no budget"):
            retry(store, max_seeds=42, passes=300)
        with pytest.raises(ParameterError, match="max_seeds must be at least 41, as it is; got 40; lower no budget"):
            retry(store, max_seeds=40, passes=900)


def test_where_every_seed_was_tried_nothing_is_left(path: Path) -> None:
    ask(path, max_seeds=6)
    assert work(path) is State.FINISHED
    with pytest.raises(
        CampaignError, match=r"got none, since all seeds of this campaign \(6\) were tried; a retry can only"
    ):
        ask(path, max_seeds=7)


def test_a_campaign_that_was_not_started_is_refused(tmp_path: Path) -> None:
    with (
        CampaignStore.create(tmp_path / "c.dnncov", SPEC, versions()) as store,
        pytest.raises(CampaignError, match="got one that was not started; start it first"),
    ):
        retry(store, max_seeds=6)


class TestCommand:
    def test_show_says_that_budgets_were_raised(
        self, path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert call("show", path) == 0
        assert "budgets raised" not in capsys.readouterr().out
        assert call("retry", path, "--max-seeds", "6", "--json") == 0
        captured = capsys.readouterr()
        assert "test conditions newly covered" in captured.err.splitlines()[-1]
        summary = json.loads(captured.out)
        assert (summary["state"], summary["spec"]["max_seeds"]) == ("finished", 6)
        assert summary["spec"]["retries"][0]["before"] == [1, 400, 20]
        assert call("show", path) == 0
        assert "(exhausted or error) tried again with at most 6 seeds instead of 1" in capsys.readouterr().out

    def test_seeds_beyond_the_pool_can_be_raised(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec(seeds=1, max_seeds=1, more_seeds=0))
        assert call("retry", path, "--more-seeds", "7") == 2
        assert "--more-seeds must be at most 6, the correctly classified inputs; got 7" in capsys.readouterr().err
        assert call("retry", path, "--more-seeds", "5", "--json") == 0
        captured = capsys.readouterr()
        assert "tried again with at most 5 seeds beyond instead of 0" in captured.err
        assert json.loads(captured.out)["spec"]["more_seeds"] == 5

    def test_bad_input_is_one_line(self, path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for options, expected in (
            (
                (),
                "--max-seeds must be above 1; got 1, with which nothing would change; raise it",
            ),
            (("--max-seeds", "0"), "expected a whole number from 1; got '0'"),
            (("--max-seeds", "1"), "--max-seeds must be above 1; got 1"),
            (("--max-seeds", "6", "--layers", "3"), "unrecognized arguments: --layers 3"),
            (("--max-seeds", "6", "--outcomes", "found,"), "an outcome to try again"),
        ):
            assert expected in refused(capsys, "retry", path, *options)
        assert runs.state_of(path) is State.FINISHED
        assert "no file none.dnncov" in refused(capsys, "retry", "none.dnncov", "--max-seeds", "6")
