"""The page Replay: how it starts, what it shows while it runs, and what came of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.jobs import write_status
from dnncov_core.phrases.states import NO_MESSAGE
from dnncov_core.preferences import prefer
from dnncov_core.record_files import write_record
from dnncov_core.records import State
from dnncov_core.suites import replays
from dnncov_core.workers import WorkerStatus
from tests.builders import campaign, card
from tests.pages.looking import address, metrics, opened, page, words
from tests.statistics.replays import replay

PATH = "pages/replay/page.py"


@pytest.fixture
def store(folder: Path) -> CampaignStore:
    spec, network = CampaignSpec("mnist-n1", "mnist"), card(hidden=(5, 4, 3))
    return campaign(folder / "abc.dnncov", spec=spec, network=network, found=9, exhausted=3)


def note(state: State, **more: object) -> None:
    path = replays.job_of("abc", "mnist-n1").file(".status")
    path.parent.mkdir(exist_ok=True)
    write_status(path, dataclasses.replace(WorkerStatus.begun(), state=state, **more))  # type: ignore[arg-type]


def test_without_campaigns_it_says_what_to_do(folder: Path) -> None:
    prefer(example=False)
    test = page(PATH)
    assert not test.exception
    assert "Start one on the Run page" in test.info[0].value


def test_networks_of_other_inputs_are_not_offered_and_the_address_names_the_chosen_one(store: CampaignStore) -> None:
    test = page(PATH, "abc")
    menu = test.selectbox(key="replayed-on")
    assert menu.value == "mnist-n1"
    assert "mnist-n2" in menu.options
    assert not {"toy", "cifar10-cnn"} & set(menu.options)
    menu.select("mnist-n2").run()
    assert not test.exception
    assert (address(test, "campaign"), address(test, "network")) == ("abc", "mnist-n2")
    assert test.button(key="replay").label == "Replay on mnist-n2"
    assert opened(PATH, campaign="abc", network="mnist-n3").run().selectbox(key="replayed-on").value == "mnist-n3"
    assert opened(PATH, campaign="abc", network="../x").run().selectbox(key="replayed-on").value == "mnist-n1"


def test_the_button_starts_a_worker_that_is_followed(store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(workers, "start", lambda command, file, *options: started.append((command, *options[1:3])))
    test = page(PATH, "abc")
    test.button(key="replay").click().run()
    assert not test.exception
    assert started == [("replay", str(store.path), "--network=mnist-n1")]
    note(State.RUNNING, done=3, total=9)
    test.run()
    (bar,) = test.get("progress")
    assert bar.proto.text.startswith("Replaying: 3 of 9 test pairs · 33.3 % of all work · ")
    assert test.button(key="cancel-replay").label == "Cancel"
    test.button(key="cancel-replay").click().run()
    assert replays.job_of("abc", "mnist-n1").file(".cancel").exists()


def test_why_a_replay_failed_is_said(store: CampaignStore) -> None:
    note(State.FAILED, message="expected a network with inputs of shape (2,); got (3,); take another network")
    test = page(PATH, "abc")
    assert "expected a network with inputs of shape" in test.error[0].value
    assert test.button(key="replay").label == "Replay on mnist-n1"
    note(State.RUNNING, beat=0.0)
    assert [each.value for each in page(PATH, "abc").error] == [NO_MESSAGE]


@pytest.mark.parametrize("missing", [None, 3])
def test_what_it_found(store: CampaignStore, missing: int | None) -> None:
    found = replay(store, missing=missing, network="next<1>")
    write_record(replays.job_of("abc", "mnist-n1").file(".json"), found)
    test = page(PATH, "abc")
    assert not test.exception
    pairs = [each for each in found.conditions if each.labels]
    own, lost = sum(each.own is True for each in pairs), sum(each.own is False and not each.covered for each in pairs)
    shown = metrics(test)
    assert shown["Covered by own pair"][1] == f"{own} of 9"
    assert shown["Lost"] == (str(lost), "of 9 test pairs")
    assert shown["x2 judged otherwise"][0] == str(sum(each.labels[1] != each.labels_there[1] for each in pairs))
    (table,) = [each.value for each in test.dataframe]
    assert table["Layer pair"].tolist()[-1] == "All"
    assert int(table["Lost"].tolist()[-1]) == lost
    first = next(each.ordinal for each in pairs if each.own is False and not each.covered)
    assert f"| [{first}](examples?campaign=abc&pair={first}" in words(test)
    assert ("No layer there stands for layer 3 (layer3)." in words(test).replace("\\", "")) == (missing is not None)
    assert "next\\<1\\>" in words(test)
    assert "2026-01-02, 03:04 UTC" in words(test).replace("\\", "")


def test_a_replay_of_fewer_pairs_than_there_are_now_says_so(store: CampaignStore) -> None:
    found = replay(store)
    some = dataclasses.replace(found, conditions=found.conditions[:-4])
    write_record(replays.job_of("abc", "mnist-n1").file(".json"), some)
    n = sum(bool(each.labels) for each in some.conditions)
    assert f"This replay is of {n} test pairs, and the campaign has 9." in words(page(PATH, "abc"))


def test_nothing_changed_is_said(store: CampaignStore) -> None:
    found = replay(store)
    as_it_was = [
        dataclasses.replace(each, own=True, covered=True, labels_there=each.labels, adversarial_there=each.adversarial)
        for each in found.conditions
        if each.labels
    ]
    kept = dataclasses.replace(found, conditions=tuple(as_it_was))
    write_record(replays.job_of("abc", "mnist-n1").file(".json"), kept)
    assert "None: all is as in the campaign." in words(page(PATH, "abc"))
