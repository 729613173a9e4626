"""The page Bring: what it takes, shows, refuses in place, and starts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core import registry, workers
from dnncov_core.brought import drafts, work
from dnncov_core.brought.drafts import Part, read_draft
from dnncov_core.brought.report import REPORT, Choice
from dnncov_core.brought.told import told
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from dnncov_core.jobs import STATUS, write_status
from dnncov_core.networks.zoo import embedded_card
from dnncov_core.record_files import write_record
from dnncov_core.records import State
from dnncov_core.registry.brought import About, brought, put
from dnncov_core.suites.spec import MeasurementSpec
from pages.shared.words import plain
from tests.pages.looking import address, entry, metrics, page, words

PATH = entry("bring")


@pytest.fixture(autouse=True)
def uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.shared.uploads.largest_megabytes", lambda: 200)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What checks were started with; no process starts."""
    seen: list[tuple[str, ...]] = []
    monkeypatch.setattr(workers, "start", lambda command, file, *options: seen.append((str(file), *options)))
    return seen


@pytest.fixture
def finish(checks: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Does the work of the check that was started last, in this process."""
    monkeypatch.setattr(work, "confine", lambda: None)

    def run() -> None:
        _, status, network, data = checks[-1]
        with suppress(DnncovError):
            work.check_draft(
                Path(status.removeprefix("--status=")), network, data.removeprefix("--data="), attended=False
            )

    return run


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[CampaignSpec | MeasurementSpec]:
    """What the page would have started."""
    seen: list[CampaignSpec | MeasurementSpec] = []
    for place in ("campaign.library", "suites.library"):
        monkeypatch.setattr(f"dnncov_core.{place}.start", lambda spec: seen.append(spec) or "none")
    return seen


def points(*, labels: np.ndarray | None = None) -> bytes:
    """The paper's six inputs, as an .npz file."""
    data = registry.open_data_for(registry.open_network("toy")[0], "toy")
    content = BytesIO()
    np.savez(content, images=data.images, labels=data.labels if labels is None else labels)
    return content.getvalue()


def dropped(test: AppTest, at: int, name: str, content: bytes, **others: bytes) -> AppTest:
    """Drops a file, and others with it, where several are taken at a time."""
    place = test.file_uploader[at]
    files = [(each, bytes_of, "application/octet-stream") for each, bytes_of in {name: content, **others}.items()]
    return place.set_value(files if place.label == "Drop your network" else files[0]).run()


def toy_and_points() -> AppTest:
    """The page with the embedded network toy and a file of data."""
    test = page(PATH)
    test.selectbox(key="known-network").select("toy").run()
    return dropped(test, 0, "six points.npz", points())


def button(test: AppTest, label: str) -> AppTest:
    return next(each for each in test.button if each.label == label).click().run()


def test_at_first_it_says_what_to_drop_and_what_comes_then(folder: Path) -> None:
    test = page(PATH)
    assert not test.exception
    assert test.title[0].value == "Bring your own"
    assert [each.label for each in test.file_uploader] == ["Drop your network", "Drop your data"]
    said = words(test)
    for text in ("1 · Network", "2 · Data", "**3 · Check** tries the network on your data", "None yet. What you bring"):
        assert text in said
    assert not drafts.drafts()


def test_both_are_checked_as_soon_as_they_are_there(folder: Path, checks: list[tuple[str, ...]]) -> None:
    test = toy_and_points()
    assert not test.exception
    (draft_id,) = drafts.drafts()
    assert address(test, "draft") == draft_id
    assert read_draft(draft_id).data == Part("six points.npz", "data.npz")
    ((_, _, network, data),) = checks
    assert (network, data) == ("toy", f"--data={drafts.folder_of(draft_id) / 'data.npz'}")
    assert not test.file_uploader
    assert "**six points.npz**" in words(test)
    assert [each.label for each in test.button if each.label == "Cancel"] == ["Cancel"]


def test_packages_that_a_file_needs_are_asked_for_at_the_drop_until_they_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setattr("dnncov_core.networks.reference.find_spec", lambda name: None)
        test = dropped(page(PATH), 0, "mine.onnx", b"a network")
        assert [each.value for each in test.warning] == [
            "This app cannot read the file without onnx and onnxruntime: in the environment that runs this program:"
            " pip install onnx onnxruntime. Then check again; the app need not be restarted."
        ]
    monkeypatch.setattr("dnncov_core.networks.reference.find_spec", lambda name: name)
    assert not test.run().warning


def test_a_check_that_is_cancelled_keeps_both(folder: Path, checks: list[tuple[str, ...]]) -> None:
    test = button(toy_and_points(), "Cancel")
    assert "The check was stopped. Both files are still here." in words(test)
    test = button(test, "Check again")
    assert len(checks) == 2
    test = button(test, "Another file")
    assert [each.label for each in test.file_uploader] == ["Drop your data"]
    (draft_id,) = drafts.drafts()
    assert read_draft(draft_id) == drafts.Draft(Part("toy"), None)


def test_what_was_found_and_a_first_campaign(
    folder: Path, finish: Callable[[], None], begun: list[CampaignSpec | MeasurementSpec]
) -> None:
    test = toy_and_points()
    finish()
    test.run()
    assert not test.exception
    said = "The network is right on 6 of 6 inputs tried (100 %), as they are; none of "
    assert test.success[0].value.startswith(said)
    assert metrics(test)["Accuracy as they are"][0] == "100 %"
    assert metrics(test)["An input of the network"][0] == "2"
    assert "| 2 to 3 |" in words(test).replace("→", "to")
    (draft_id,) = drafts.drafts()
    assert test.text_input(key=f"name-data-{draft_id}").value == "six-points"
    assert "**toy** is in the menus already." in words(test)
    test.text_input(key=f"name-data-{draft_id}").set_value("ours").run()
    button(test, "Start a first campaign")
    assert begun == [CampaignSpec("toy", "ours", pairs=100, sampling="even")]
    assert registry.data_names()["ours"].startswith("brought as six points.npz (SHA-256 of the file ")
    assert not drafts.drafts()


def test_a_name_that_is_taken_is_said_in_place_and_nothing_is_lost(
    folder: Path, finish: Callable[[], None], begun: list[CampaignSpec | MeasurementSpec]
) -> None:
    test = toy_and_points()
    finish()
    test.run()
    (draft_id,) = drafts.drafts()
    test.text_input(key=f"name-data-{draft_id}").set_value("mnist").run()
    test = button(test, "Measure what the data cover")
    assert "expected a name that no other data has; got 'mnist'; choose another name" in test.error[0].value
    test.text_input(key=f"name-data-{draft_id}").set_value("ours").run()
    test = button(test, "Measure what the data cover")
    assert begun == [MeasurementSpec("toy", "ours")]


def test_they_can_be_put_into_the_menus_alone(folder: Path, finish: Callable[[], None]) -> None:
    test = toy_and_points()
    finish()
    test.run()
    test = button(test, "Only put them into the menus")
    assert test.success[0].value == "In the menus of Run and Measure: **toy** and **six-points**."
    assert "**six-points**" in words(test)
    assert "six-points" in page(entry("run")).selectbox(key="data-mnist-n1").options


def test_readings_are_chosen_with_their_accuracy(folder: Path, checks: list[tuple[str, ...]]) -> None:
    test = toy_and_points()
    card = embedded_card("toy")
    stem = Path(checks[-1][0])
    write_status(stem.with_suffix(STATUS), replace(workers.WorkerStatus.begun(), state=State.FINISHED))
    choices = (
        Choice(
            ("the network expects values in [0, 1]; the data have [0, 255]",), ("x = x / 255",), 6, 6, "a.pt2", "", card
        ),
        Choice((), (), 2, 6, "", "", card),
    )
    write_record(stem.with_suffix(REPORT), _report(choices))
    test.run()
    assert not test.exception
    said = "As they are, the data give 33.3 %. Below is what mends it: it is written around your network."
    assert [each.value for each in test.warning] == [said]
    options = test.radio[0].options
    assert options[0].startswith("**100 %** (6 of 6) · The network expects values")
    assert options[1] == "**33.3 %** (2 of 6) · as they are"
    (draft_id,) = drafts.drafts()
    assert test.text_input(key=f"name-network-{draft_id}").value == "toy-2"
    test.radio[0].set_value(1).run()
    assert not [each for each in test.text_input if each.key == f"name-network-{draft_id}"]
    assert "hardly better than guessing" in words(test)
    assert next(each for each in test.button if each.label == "Start a first campaign").disabled


def test_a_mend_that_leaves_accuracy_near_chance_is_not_called_one(folder: Path, checks: list[tuple[str, ...]]) -> None:
    test = toy_and_points()
    stem = Path(checks[-1][0])
    write_status(stem.with_suffix(STATUS), replace(workers.WorkerStatus.begun(), state=State.FINISHED))
    brought_in = Choice(("the data leave the network's bounds",), (), 2, 6, "a.pt2", "", embedded_card("toy"))
    write_record(stem.with_suffix(REPORT), replace(_report((brought_in,)), inside=False))
    (said,) = [each.value for each in test.run().warning if "hardly better" not in each.value]
    assert said.startswith(
        "As they are, the data give 33.3 %, and leave the bounds -10 to 10 that the network has, and none of 3 usual"
        " ways to read the data helps. Check the classes"
    )


def test_of_readings_that_are_not_told_apart_the_one_of_training_is_to_be_taken(
    folder: Path, checks: list[tuple[str, ...]]
) -> None:
    test = toy_and_points()
    stem = Path(checks[-1][0])
    write_status(stem.with_suffix(STATUS), replace(workers.WorkerStatus.begun(), state=State.FINISHED))
    alike = [Choice((cause,), (), 6, 6, f"{cause}.pt2", "", embedded_card("toy")) for cause in ("one", "two")]
    write_record(stem.with_suffix(REPORT), _report((*alike, Choice((), (), 2, 6, "", "", embedded_card("toy")))))
    said = (
        "2 readings are better, and these inputs do not tell them apart. Take the one that the network was trained"
        " with: coverage depends on it."
    )
    assert said in [each.value for each in test.run().markdown]


def test_data_without_labels_start_a_campaign_on_the_networks_own_decisions(
    folder: Path, finish: Callable[[], None], begun: list[CampaignSpec | MeasurementSpec]
) -> None:
    test = page(PATH)
    test.selectbox(key="known-network").select("toy").run()
    content = BytesIO()
    np.savez(content, images=np.load(BytesIO(points()))["images"])
    test = dropped(test, 0, "six points.npz", content.getvalue())
    finish()
    test.run()
    assert "take the network's own decisions as labels below" in test.info[0].value
    start = next(each for each in test.button if each.label == "Start a first campaign")
    assert start.disabled
    assert start.help == "Campaigns need labels: take the network's own decisions, or bring others."
    assert test.radio[0].options[1].startswith("**Take the network's own decisions as labels**")
    test.radio[0].set_value(1).run()
    assert "only where without the condition's change the decision does not change (effect needed)" in words(test)
    assert "x2 may have: any value." in words(test)
    button(test, "Start a first campaign")
    assert begun == [CampaignSpec("toy", "six-points-own-decisions", pairs=100, sampling="even")]


def test_vectors_without_labels_that_leave_the_bounds_are_taken_and_it_is_said(
    folder: Path, finish: Callable[[], None]
) -> None:
    test = page(PATH)
    test.selectbox(key="known-network").select("toy").run()
    content = BytesIO()
    np.savez(content, images=1000 * np.load(BytesIO(points()))["images"])
    test = dropped(test, 0, "far.npz", content.getvalue())
    finish()
    test.run()
    assert not test.exception
    assert test.warning[0].value.startswith(
        "The data leave the bounds -10 to 10 that the network has, and it gets theirs"
    )
    assert "do not tell them apart" not in words(test)
    (draft_id,) = drafts.drafts()
    assert test.text_input(key=f"name-network-{draft_id}").value == "toy-2"


def test_where_nothing_helps_there_is_nothing_to_take(folder: Path, checks: list[tuple[str, ...]]) -> None:
    test = toy_and_points()
    stem = Path(checks[-1][0])
    write_status(stem.with_suffix(STATUS), replace(workers.WorkerStatus.begun(), state=State.FINISHED))
    write_record(stem.with_suffix(REPORT), _report(()))
    test.run()
    assert not test.exception
    said = (
        "None of 3 usual ways to read the data helps. Check the classes, the weights and the data, and what the network"
        " is not told yet, such as means and deviations of its inputs, or that the smallest output decides: it can be"
        " said in Network(...), in FILE.toml beside its file, or on the page Bring under “What the file does not say”."
    )
    assert [each.value for each in test.warning] == [said]
    assert "4 · Names" not in words(test)
    assert [each.label for each in test.button if each.label == "Another file"] == ["Another file"]


def _report(choices: tuple[Choice, ...]) -> work.Report:
    known = {"layout": "a vector", "shape": (2,), "kind": "float64", "low": -1.0, "high": 1.0, "inputs": 6}
    found = {"labelled": True, "fits": True, "inside": True, "least": 0.55, "fine": False, "tried": 3, "correct": 2}
    return work.Report(card=embedded_card("toy"), sample=6, choices=choices, notes=(), **known, **found)  # type: ignore[arg-type]


def test_a_file_that_is_refused_is_said_where_it_was_dropped(folder: Path, finish: Callable[[], None]) -> None:
    test = page(PATH)
    test = dropped(test, 1, "empty.npz", b"")
    assert "expected a file with content; got an empty one; choose the file again" in test.error[0].value
    assert len(test.file_uploader) == 2
    assert not drafts.drafts()  # nothing stays of a draft that was to begin with it
    test.selectbox(key="known-network").select("toy").run()
    test = dropped(test, 0, "bad.npz", b"no archive")
    finish()
    test.run()
    assert not test.exception
    assert plain("expected a readable .npz file at bad.npz") in test.error[0].value
    assert "**bad.npz**" in words(test)
    assert [each.label for each in test.button if each.label == "Check again"] == ["Check again"]


def test_weights_ask_for_their_network(folder: Path, checks: list[tuple[str, ...]]) -> None:
    test = dropped(page(PATH), 0, "vgg16-397923af.pth", b"weights")
    assert not drafts.drafts()
    assert test.selectbox(key="weights-of").value == "vgg16"
    test = button(test, "Take these weights")
    (draft_id,) = drafts.drafts()
    assert read_draft(draft_id).network == Part("vgg16-397923af.pth", "network.pth", "vgg16")
    assert "weights of vgg16" in words(test)


def test_an_address_of_a_draft_that_is_gone_begins_anew(folder: Path) -> None:
    test = page(PATH)
    test.query_params["draft"] = "../../etc"
    test.run()
    assert not test.exception
    assert len(test.file_uploader) == 2


def test_start_over_removes_the_files(folder: Path, checks: list[tuple[str, ...]]) -> None:
    test = button(toy_and_points(), "Start over")
    assert not drafts.drafts()
    assert len(test.file_uploader) == 2


def test_what_was_brought_is_renamed_deleted_and_restored(folder: Path) -> None:
    (folder / "a.npz").write_bytes(points())
    put("data", "ours", folder / "a.npz", About("brought as a.npz"))
    test = page(PATH)
    assert "**ours** :gray[data, 1 kB]" in words(test)
    test.text_input(key="new-data-ours").set_value("theirs").run()
    test.button(key="rename-data-ours").click().run()
    assert list(brought("data")) == ["theirs"]
    test.text_input(key="new-data-theirs").set_value("toy").run()
    test.button(key="rename-data-theirs").click().run()
    assert "expected a name that no other data has; got 'toy'" in test.error[0].value
    test.button(key="delete-data-theirs").click().run()
    assert not brought("data")
    assert "In the trash: **theirs**" in words(test)
    assert "theirs" in words(page(entry("overview")))
    test.button(key="undo").click().run()
    assert list(brought("data")) == ["theirs"]


def test_without_uploads_it_says_why_and_keeps_the_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.shared.uploads.largest_megabytes", lambda: 0)
    put("data", "ours", _file(folder), About())
    test = page(PATH)
    assert not test.file_uploader
    assert "Files cannot be dropped here" in test.info[0].value
    assert "**ours**" in words(test)


def test_a_quota_that_is_no_number_is_said_in_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNNCOV_BROUGHT_GIB", "much")
    test = dropped(page(PATH), 1, "a.npz", points())
    assert not test.exception
    said = "expected a number of GiB above 0 in the environment variable DNNCOV\\_BROUGHT\\_GIB; got 'much'; change it"
    assert [each.value for each in test.error] == [said, said]
    assert len(test.file_uploader) == 2


def test_what_the_file_does_not_say_is_dropped_with_it_typed_and_shown(
    folder: Path, checks: list[tuple[str, ...]]
) -> None:
    test = page(PATH)
    test.selectbox(key="known-data").select("toy").run()
    test = dropped(test, 0, "net.onnx", b"network", **{"net.onnx.toml": b'classes = ["a", "b"]\ndecision = "min"\n'})
    assert not test.exception
    (draft_id,) = drafts.drafts()
    assert told(draft_id) == {"classes": ["a", "b"], "decision": "min"}
    assert len(checks) == 1
    assert "What the file does not say: 2 given" in [each.label for each in test.expander]
    assert test.text_input(key="told-classes-0").value == "a, b"
    assert test.selectbox(key="told-decision-0").value == "min"
    test.text_input(key="told-low-0").set_value("0")
    test.text_input(key="told-high-0").set_value("1, 255")
    test = next(each for each in test.button if each.label == "Take over").click().run()
    assert not test.exception
    expected = {"classes": ["a", "b"], "decision": "min", "bounds": [0.0, [1.0, 255.0]]}
    assert told(draft_id) == expected
    assert len(checks) == 2  # checked again
    test.text_input(key="told-low-1").set_value("zero")
    test = next(each for each in test.button if each.label == "Take over").click().run()
    assert "numbers with commas between; got 'zero'; correct them" in test.error[0].value
    test = dropped(test, 0, "other.toml", b"nonsense = 1")
    assert "expected some of the fields bounds, classes" in test.error[0].value
    assert told(draft_id) == expected
    test = dropped(test, 0, "other.toml", b"tolerance = 0.5")
    assert told(draft_id) == {"tolerance": 0.5}
    assert not test.error


def test_a_toml_file_alone_waits_for_its_network_and_two_networks_are_refused(folder: Path) -> None:
    test = dropped(page(PATH), 0, "net.onnx.toml", b'classes = ["a"]')
    assert "Drop the network that it belongs to, too." in words(test)
    assert not drafts.drafts()
    test = dropped(test, 0, "a.onnx", b"a", **{"b.pt2": b"b"})
    assert "expected one network, and at most one .toml file; got a.onnx, b.pt2; drop one at a time" in test.error[
        0
    ].value.replace("\\", "")
    assert not drafts.drafts()


def _file(folder: Path) -> Path:
    (folder / "a.npz").write_bytes(points())
    return folder / "a.npz"
