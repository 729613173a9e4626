"""Retries: what is put back, what stays, and that a broken retry ends as an unbroken one."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import all_tried, newly_covered, retry, retry_with_effect
from dnncov_core.campaign.review.verification import verify
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.plan import in_batches
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import CampaignError, DnncovError, ParameterError
from dnncov_core.outside_values import record
from dnncov_core.phrases.conditions import retry_words
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome, Retry, State, Target, TestPair
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


def met(pair: TestPair, effect: str) -> bool:
    """Whether a stored pair shows an effect, by what the file says of it."""
    return bool({"needed": pair.needed, "sufficient": pair.sufficient}.get(effect, pair.needed and pair.sufficient))


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


def test_of_chosen_conditions_only_these_are_put_back_and_the_others_can_follow(path: Path) -> None:
    with CampaignStore(path) as store:
        exhausted = [target for target, outcome in store.targets.with_outcomes() if outcome is Outcome.EXHAUSTED]
        chosen, others = exhausted[:1], exhausted[1:]
        assert others
        first = retry(store, max_seeds=6, ordinals=[chosen[0].ordinal])
        assert (first.conditions, first.chosen, store.targets.pending()) == (1, True, chosen)
        assert CampaignSpec.from_json(store.spec().to_json()) == store.spec()
    before = seeds(path)
    assert work(path) is State.FINISHED
    assert {target for target, tried in seeds(path).items() if tried != before[target]} == set(chosen)
    with CampaignStore(path) as store:
        assert not all_tried(store)
        left = store.counts.outcomes()[Outcome.EXHAUSTED]
        assert retry(store).conditions == left  # with the budgets that the chosen ones have had already
    assert work(path) is State.FINISHED
    assert all(len(seeds(path)[target]) > 1 for target in others)
    with CampaignStore(path) as store:
        assert all_tried(store)


def test_chosen_conditions_that_need_no_retry_are_refused(path: Path) -> None:
    covered = next(iter(witnesses(path)))
    with pytest.raises(CampaignError, match="test conditions to try again; got none; nothing is left to try"):
        ask(path, max_seeds=6, ordinals=[covered.ordinal])


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
        ({"outcomes": ("error",)}, "test conditions to try again; got none; nothing is left to try"),
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


def test_where_all_is_covered_nothing_is_left_to_try_whatever_the_budgets(tmp_path: Path) -> None:
    with campaign(tmp_path / "c.dnncov", exhausted=0) as store:
        for budgets in ({}, {"max_seeds": 41}, {"max_seeds": 50}):
            with pytest.raises(CampaignError, match="test conditions to try again; got none; nothing is left to try"):
                retry(store, **budgets)


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


class TestEffect:
    """A campaign that asks for no effect is asked for one, in a new file."""

    @pytest.fixture(scope="class")
    def plain(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        path = tmp_path_factory.mktemp("plain") / "plain.dnncov"
        return runs.finished(path, runs.toy_spec(seed_order="random", max_seeds=3))

    @pytest.mark.parametrize("effect", ["needed", "sufficient", "both"])
    def test_what_shows_it_is_kept_and_the_rest_is_searched_for_again(
        self, plain: Path, tmp_path: Path, effect: str
    ) -> None:
        before, bytes_before, path = witnesses(plain), plain.read_bytes(), tmp_path / "new.dnncov"
        with CampaignStore(plain) as store:
            pairs, exhausted = store.pairs.page(), store.counts.outcomes().get(Outcome.EXHAUSTED, 0)
            asked = retry_with_effect(store, path, effect)
        shows = {pair.target for pair in pairs if met(pair, effect)}
        assert len(pairs) - len(shows) > 0
        assert (asked.outcomes, asked.conditions) == (("without_effect",), len(pairs) - len(shows))
        assert witnesses(path) == {target: x2 for target, x2 in before.items() if target in shows}
        assert (runs.state_of(path), asked.before) == (State.WAITING, asked.after)
        assert work(path) is State.FINISHED
        assert (plain.read_bytes(), witnesses(plain)) == (bytes_before, before)
        with CampaignStore(path) as new:
            assert new.spec().effect == effect
            assert len(new.pairs.page()) > len(shows)
            assert all(met(pair, effect) for pair in new.pairs.page())
            assert verify(new).failing == {}
            assert new.counts.outcomes()[Outcome.EXHAUSTED] >= exhausted
            assert sum(each.pairs for each in new.baseline_searches.counts()) == new.pairs.count()

    def test_no_seed_is_tried_twice_that_failed_without_the_demand(self, plain: Path, tmp_path: Path) -> None:
        path = tmp_path / "new.dnncov"
        with CampaignStore(plain) as store:
            failed = {t: [a.seed for a in store.attempts.of(t) if a.outcome is not Outcome.FOUND] for t in seeds(plain)}
            retry_with_effect(store, path, "needed")
        work(path)
        for target, tried in seeds(path).items():
            assert tried[: len(failed[target])] == failed[target]
            assert len(set(tried)) == len(tried) <= 3

    def test_what_a_stricter_demand_exhausted_is_tried_again_from_its_first_seed(self, tmp_path: Path) -> None:
        strict, path = tmp_path / "strict.dnncov", tmp_path / "new.dnncov"
        runs.finished(strict, runs.toy_spec(seed_order="random", max_seeds=1, effect="both"))
        with CampaignStore(strict) as store:
            n = store.counts.outcomes()[Outcome.EXHAUSTED]
            asked = retry_with_effect(store, path, "none")
        assert (asked.outcomes, asked.conditions) == (("without_effect", "exhausted", "error"), n)
        before = witnesses(strict)
        with CampaignStore(path) as new:
            assert new.attempts.seeds_tried() == {}
        assert work(path) is State.FINISHED
        assert len(witnesses(path)) > len(before)
        assert before.items() <= witnesses(path).items()

    def test_reused_pairs_whose_own_condition_is_searched_for_again_stay(self, tmp_path: Path) -> None:
        old, path = tmp_path / "old.dnncov", tmp_path / "new.dnncov"
        runs.finished(old, runs.toy_spec(seed_order="random", reuse=True, random_seed=2))
        with CampaignStore(old) as store:
            lacking = {pair.target.ordinal for pair in store.pairs.page() if not met(pair, "both")}
            kept = [pair for pair in store.pairs.page() if met(pair, "both")]
            assert any(pair.found_for in lacking for pair in kept)
            retry_with_effect(store, path, "both")
        with CampaignStore(path) as new:
            found = new.pairs.page()
            assert [pair.target for pair in found] == [pair.target for pair in kept]
            own = {pair.target.ordinal for pair in found if pair.found_for is None}
            assert {pair.found_for for pair in found} - {None} <= own
            assert new.pairs.count_distinct() == len({(pair.seed, pair.x2.tobytes()) for pair in found})
        assert work(path) is State.FINISHED
        with CampaignStore(path) as new:
            assert verify(new).failing == {}

    def test_what_cannot_be_asked_leaves_no_file(self, plain: Path, tmp_path: Path) -> None:
        path = tmp_path / "new.dnncov"
        with CampaignStore(plain) as store:
            with pytest.raises(DnncovError, match="an effect, one of none, needed, sufficient, both; got 'some'"):
                retry_with_effect(store, path, "some")
            with pytest.raises(CampaignError, match="test conditions to try again; got none; nothing is left to try"):
                retry_with_effect(store, path, "none")
            with pytest.raises(CampaignError, match=r"a new file name; got plain\.dnncov, which exists"):
                retry_with_effect(store, plain, "needed")
        with (
            campaign(tmp_path / "old.dnncov", needed=None) as store,
            pytest.raises(CampaignError, match="got 6 of which that is not known; resume the campaign first"),
        ):
            retry_with_effect(store, path, "needed")
        assert not path.exists()

    def test_the_command_makes_a_file_beside_the_earlier_one(
        self, plain: Path, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = Path(shutil.copy(plain, folder / "c.dnncov"))
        assert "no --max-seeds with --effect" in refused(capsys, "retry", path, "--effect", "both", "--max-seeds", "9")
        words = refused(capsys, "retry", path, "--effect", "both", "--outcomes", "error,exhausted")
        assert "no --outcomes with --effect; got error,exhausted; leave --outcomes out" in words
        assert "no --out without --effect" in refused(capsys, "retry", path, "--out", "d.dnncov")
        assert call("retry", path, "--effect", "needed", "--json") == 0
        captured = capsys.readouterr()
        assert f"The new campaign is in the file {path.with_stem('c-needed')}.\n" in captured.err
        assert "searched again from c with effect needed: 1 test condition\n" in captured.err
        assert captured.err.splitlines()[-1] == "1 of 1 test condition newly covered"
        summary = json.loads(captured.out)
        assert (summary["spec"]["effect"], summary["with_effect"]["needed"]) == ("needed", summary["outcomes"]["found"])
        assert "which exists" in refused(capsys, "retry", path, "--effect", "needed")
        assert call("show", path.with_stem("c-needed")) == 0
        head, *lines = capsys.readouterr().out.splitlines()
        assert " a replayable witness with the effect asked for (" in head
        (search,) = [line for line in lines if line.startswith("search: ")]
        assert search.endswith("; later searched again from c with effect needed: 1 test condition")


class TestCommand:
    def test_show_says_that_budgets_were_raised(
        self, path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert call("show", path) == 0
        assert "tried again" not in capsys.readouterr().out
        assert call("retry", path, "--max-seeds", "6", "--json") == 0
        captured = capsys.readouterr()
        assert "test conditions newly covered" in captured.err.splitlines()[-1]
        summary = json.loads(captured.out)
        assert (summary["state"], summary["spec"]["max_seeds"]) == ("finished", 6)
        assert summary["spec"]["retries"][0]["before"] == [1, 400, 20]
        assert call("show", path) == 0
        said = "conditions (exhausted or error) tried again with at most 6 seeds instead of 1"
        assert re.search(rf"^search: .*; later \d+ {re.escape(said)}", capsys.readouterr().out, re.MULTILINE)

    def test_chosen_conditions_are_named_by_ordinal(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with CampaignStore(path) as store:
            one = next(target for target, end in store.targets.with_outcomes() if end is Outcome.EXHAUSTED).ordinal
        words = refused(capsys, "retry", path, "--effect", "both", "--ordinals", "1,2")
        assert "no --ordinals with --effect; got 1,2; leave --ordinals out" in words
        assert call("retry", path, "--max-seeds", "6", "--ordinals", str(one)) == 0
        said = "1 chosen condition (exhausted or error) tried again with at most 6 seeds instead of 1\n"
        assert said in capsys.readouterr().err

    def test_seeds_beyond_the_pool_can_be_raised(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec(seeds=1, max_seeds=1, more_seeds=0))
        assert call("retry", path, "--more-seeds", "7") == 2
        assert (
            "--more-seeds must be at most 6, the inputs that the network gets right; got 7" in capsys.readouterr().err
        )
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
