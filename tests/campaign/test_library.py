"""The user's campaigns and the workers that the app starts for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.campaign import library
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import retry
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError, DataError
from dnncov_core.records import State
from tests import builders, runs


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.chdir(runs.ROOT)
    return tmp_path / "campaigns"


def worker_of(campaign_id: str) -> subprocess.Popen[bytes]:
    return [worker for (_, file), worker in workers._started if file.stem == campaign_id][-1]


def n_workers(campaign_id: str) -> int:
    return len([1 for (_, file), _ in workers._started if file.stem == campaign_id])


def state(campaign_id: str) -> State:
    with library.open_campaign(campaign_id) as store:
        return store.state()


def test_start_to_the_end(home: Path) -> None:
    campaign_id = library.start(runs.toy_spec(pairs=4))
    assert list(library.campaigns()) == [campaign_id]
    assert library.campaigns()[campaign_id].parent == home
    library.resume(campaign_id)  # it has a worker already
    assert n_workers(campaign_id) == 1
    assert worker_of(campaign_id).wait(timeout=60) == 0
    assert state(campaign_id) is State.FINISHED
    workers.reap()
    assert n_workers(campaign_id) == 0


def test_cancelled_at_once_and_resumed_at_once_only_the_last_word_counts() -> None:
    campaign_id = library.start(runs.toy_spec(pairs=4))
    library.cancel(campaign_id)
    assert state(campaign_id) in (State.CANCELLED, State.PREPARING)
    assert worker_of(campaign_id).wait(timeout=60) == 130
    assert state(campaign_id) is State.CANCELLED
    library.resume(campaign_id)
    assert state(campaign_id) in (State.WAITING, State.PREPARING)
    assert worker_of(campaign_id).wait(timeout=60) == 0
    assert state(campaign_id) is State.FINISHED


def test_cancel_ends_a_running_worker_within_two_seconds() -> None:
    campaign_id = library.start(runs.ENDLESS)
    runs.until(lambda: state(campaign_id) is State.RUNNING)
    start = time.monotonic()
    library.cancel(campaign_id)
    assert worker_of(campaign_id).wait(timeout=30) == 130
    assert time.monotonic() - start < runs.allowed(2.0)
    assert state(campaign_id) is State.CANCELLED


def test_no_worker_outlives_the_process_that_started_it(tmp_path: Path) -> None:
    program = (
        "import os, signal\n"
        "from dnncov_core import workers\n"
        "from dnncov_core.campaign import library\n"
        "from tests import runs\n"
        "print(library.start(runs.ENDLESS), workers._started[0][1].pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    server = subprocess.run(
        [sys.executable, "-c", program], cwd=runs.ROOT, env={**os.environ}, capture_output=True, text=True, timeout=60
    )
    assert server.returncode == -signal.SIGKILL, server.stderr
    campaign_id, pid = server.stdout.split()
    runs.until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid), 20)
    assert state(campaign_id) is State.CANCELLED


def _is_zombie(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize(
    "campaign_id", ["", ".", "..", "../secret", "/etc/passwd", "a/b", "one.dnncov", "*", "one\0", "ONE", "one "]
)
def test_what_is_no_id_is_looked_up_and_not_found(home: Path, campaign_id: str) -> None:
    builders.campaign(home / "one.dnncov").close()
    builders.campaign(home.parent / "secret.dnncov").close()
    before = list(workers._started)
    for use in (library.open_campaign, library.resume, library.start_proof, library.cancel):
        with pytest.raises(CampaignError, match="id of a campaign"):
            use(campaign_id)
    assert workers._started == before


def test_a_worker_elsewhere_keeps_its_campaign(home: Path) -> None:
    with builders.campaign(home / "one.dnncov", pending=1, state=State.RUNNING) as store:
        store.database._connection.execute("UPDATE worker SET pid = ?", (os.getppid(),))
    library.resume("one")
    assert n_workers("one") == 0
    with CampaignStore(home / "one.dnncov") as store:
        assert store.state() is State.RUNNING
        assert not store.worker.cancel_requested()


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "file"))
    with pytest.raises(DataError, match="a folder that can be written"):
        library.start(runs.toy_spec())


def test_a_file_from_elsewhere_cannot_name_code_to_run(home: Path) -> None:
    home.mkdir()
    spec = CampaignSpec(network="antigravity:main", data="toy")
    CampaignStore.create(home / "foreign.dnncov", spec, {}).close()
    with pytest.raises(CampaignError, match=r"embedded or registered network; got antigravity:main"):
        library.resume("foreign")


def test_ids_come_newest_first(home: Path) -> None:
    home.mkdir()
    for name in ("20260102-000000-aaaaaa", "20260103-000000-000000", "20260101-235959-ffffff"):
        CampaignStore.create(home / f"{name}.dnncov", CampaignSpec("toy", "toy"), {}).close()
    assert [name[:8] for name in library.campaigns()] == ["20260103", "20260102", "20260101"]


def test_files_of_other_names_are_sorted_by_their_time(home: Path) -> None:
    for name, day in (("20260102-000000-aaaaaa", 9), ("zz", 1), ("a", 3)):
        builders.campaign(home / f"{name}.dnncov").close()
        moment = datetime(2026, 1, day, tzinfo=UTC).timestamp()
        os.utime(home / f"{name}.dnncov", (moment, moment))
    assert list(library.campaigns()) == ["a", "20260102-000000-aaaaaa", "zz"]


def test_a_file_that_has_just_gone_is_the_last(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda _path: True)
    files = [home / "gone.dnncov", home / "20260102-000000-aaaaaa.dnncov"]
    assert workers.newest_first(files) == files[::-1]


class TestSearchedAgain:
    """A campaign that was made from another one names it, and no second one of the same is made."""

    @pytest.fixture(autouse=True)
    def no_worker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(library, "resume", lambda campaign_id: None)

    def test_it_is_found_as_long_as_nothing_has_changed(self, home: Path) -> None:
        with builders.mixed(home / "abc.dnncov", spec=CampaignSpec("mnist-n1", "mnist", effect="none")) as store:
            assert library.searched_again(store, "needed") is None
            new = library.search_with_effect("abc", "needed")
            assert library.search_with_effect("abc", "needed") == new
            assert library.searched_again(store, "needed") == new
            assert library.searched_again(store, "both") is None
            with library.open_campaign(new) as second:
                assert [each.origin for each in second.spec().retries] == ["abc"]
            retry(store, outcomes=("error",))
            assert library.searched_again(store, "needed") is None

    def test_one_that_failed_keeps_no_other_from_beginning(self, home: Path) -> None:
        with builders.mixed(home / "abc.dnncov", spec=CampaignSpec("mnist-n1", "mnist", effect="none")) as store:
            with library.open_campaign(library.search_with_effect("abc", "needed")) as second:
                second.worker.claim()
                second.worker.leave(State.FAILED, message="no memory left")
            assert library.searched_again(store, "needed") is None
