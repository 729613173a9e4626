"""The check of a draft, and what becomes of it: what is found, mended, written and named."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
import textwrap
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core import registry
from dnncov_core.brought import drafts, limits, work
from dnncov_core.brought.adoption import Adopted, adopt, suggested
from dnncov_core.brought.drafts import Part, choose, new_draft, receive
from dnncov_core.campaign import library
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.data.own_decisions import OWN
from dnncov_core.entries.trash import discard, empty_trash, restore, trashed
from dnncov_core.errors import CampaignError, DataError, SpecificationError
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.records import State
from dnncov_core.registry.brought import brought, rename
from dnncov_core.registry.file import registered
from tests.brought.conftest import Check, dropped
from tests.command import call


def digits(path: Path, *, change: str = "") -> Path:
    """Some embedded digits, as they are or with a usual mistake."""
    data = registry.open_data_for(load_embedded("mnist-n1"), "mnist")
    rows = np.arange(0, len(data), 17)
    assert data.labels is not None
    x, labels = data.images[rows], data.labels[rows]
    if change == "exchanged":
        x = 255 - x
    np.savez(path, images=x, **({} if change == "no labels" else {"labels": labels + (change == "from one")}))
    return path


def draft_of(tmp_path: Path, change: str, network: str = "mnist-n1") -> str:
    """A draft of an embedded network and of digits."""
    draft_id = new_draft()
    choose(draft_id, "network", Part(network))
    dropped(draft_id, "data", digits(tmp_path / "digits.npz", change=change))
    return draft_id


def named(path: Path) -> str:
    """A file with the digest that sha256sum prints of it."""
    return f"{path.name} (SHA-256 of the file {hashlib.sha256(path.read_bytes()).hexdigest()})"


def small_pt2(path: Path) -> Path:
    """A network of ten classes."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Flatten(), nn.Linear(784, 12), nn.ReLU(), nn.Linear(12, 10)).eval()
    program = torch.export.export(
        module, (torch.zeros(2, 1, 28, 28),), dynamic_shapes=({0: torch.export.Dim("batch")},)
    )
    torch.export.save(program, path)
    return path


def test_data_that_fit_are_taken_as_they_are(tmp_path: Path, home: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "")
    report = check(draft_id).report
    assert report is not None
    assert (report.fits, report.inside, report.fine, report.labelled) == (True, True, True, True)
    assert (report.shape, report.kind, report.layout) == ((1, 28, 28), "uint8", "channels, height, width")
    assert (report.sample, report.inputs) == (295, 295)
    (choice,) = report.choices
    assert (choice.causes, choice.network_file, choice.data_file, choice.correct) == ((), "", "", report.correct)
    assert report.correct is not None
    assert report.correct > 0.95 * report.sample
    assert [(layer.index, layer.neurons) for layer in choice.card.layers] == [
        (1, 784),
        (2, 67),
        (3, 22),
        (4, 63),
        (5, 10),
    ]
    assert adopt(draft_id, 0, network_name="ignored", data_name="my-digits") == Adopted("mnist-n1", "my-digits")
    assert sorted(each.name for each in (home / "brought" / "data").iterdir()) == ["my-digits.about", "my-digits.npz"]
    assert not drafts.drafts()
    assert registry.data_names()["my-digits"] == f"brought as {named(tmp_path / 'digits.npz')}"


def test_what_mends_a_network_is_taken_over(tmp_path: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "exchanged")
    report = check(draft_id).report
    assert report is not None
    assert not report.fine
    mended, as_it_is = report.choices[0], report.choices[-1]
    assert mended.causes == ("the network expects light and dark exchanged",)
    assert mended.correct > 0.95 * mended.inputs > 5 * as_it_is.correct
    assert adopt(draft_id, 0, network_name="dark", data_name="white") == Adopted("dark", "white")
    card = registry.networks()["dark"]
    assert card is not None
    assert (card.name, card.accuracy) == ("dark", mended.correct / mended.inputs)
    assert card.description == "made from mnist-n1; mended: the network expects light and dark exchanged (x = 1 - x)"
    assert registry.default_data("dark") == "white"
    assert call("check", "dark", "--data", "white") == 0


def test_labels_that_are_mended_become_data_of_their_own(tmp_path: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "from one")
    report = check(draft_id).report
    assert report is not None
    assert (report.choices[0].causes, report.choices[0].network_file) == (("labels count from 1",), "")
    assert adopt(draft_id, 0, network_name="", data_name="ours") == Adopted("mnist-n1", "ours")
    labels = np.load(brought("data")["ours"].path)["labels"]
    np.testing.assert_array_equal(labels, np.load(tmp_path / "digits.npz")["labels"] - 1)
    said = "with labels mended: labels count from 1 (labels = labels - 1)"
    assert registry.data_names()["ours"] == f"brought as {named(tmp_path / 'digits.npz')}, {said}"


def test_data_without_labels_can_be_measured(tmp_path: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "no labels")
    report = check(draft_id).report
    assert report is not None
    assert (report.labelled, report.correct, len(report.choices)) == (False, None, 2)
    assert adopt(draft_id, 0, network_name="", data_name="unlabelled").data == "unlabelled"
    assert "labels" not in np.load(brought("data")["unlabelled"].path)


def test_the_networks_own_decisions_are_labels_of_data_that_say_so(tmp_path: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "no labels")
    assert check(draft_id).report is not None
    with pytest.raises(SpecificationError, match=r"a name with own-decisions .*; got 'ours'"):
        adopt(draft_id, 1, network_name="", data_name="ours")
    name = suggested("data", "digits.npz", ending=OWN)
    assert adopt(draft_id, 1, network_name="", data_name=name).data == name == "digits-own-decisions"
    network, data = registry.open_network("mnist-n1")[0], registry.open_data_for(load_embedded("mnist-n1"), name)
    logits = network(torch.from_numpy(data.pixels(slice(None))).to(network.dtype))
    np.testing.assert_array_equal(data.labels, logits.argmax(dim=1))
    digits_brought = f"brought as {named(tmp_path / 'digits.npz')}"
    assert data.source == f"{digits_brought}, with the network's own decisions as labels"
    with pytest.raises(SpecificationError, match="leave it in the name"):
        rename("data", name, "ours")
    rename("data", name, "own-decisions-on-digits")


def test_data_without_labels_that_do_not_fit_are_told_why_and_by_their_own_name(tmp_path: Path, check: Check) -> None:
    draft_id = new_draft()
    choose(draft_id, "network", Part("mnist-n1"))
    np.savez(tmp_path / "far.npz", images=np.full((3, 28, 28), 255.0))
    dropped(draft_id, "data", tmp_path / "far.npz")
    status = check(draft_id).status
    assert status is not None
    assert status.message.startswith(
        "expected images from 0.0 to 1.0; got 255.0 to 255.0 in far.npz; store grey levels"
    )
    assert "bounds = [255, 255], in Network(...), in FILE.toml beside its file, or on the page Bring" in status.message


@pytest.mark.parametrize(
    ("kind", "name", "content", "said"),
    [
        ("network", "a.onnx", b"no network", "expected"),
        ("network", "a.pt2", b"no network", "expected a .pt2 file of torch.export.save"),
        ("data", "a.npz", b"no data", "expected a readable .npz file at a.npz"),
        ("data", "a.zip", b"no data", "expected a readable ZIP of images at a.zip"),
        ("data", "a.csv", b"x,label\n1,0\n", "expected"),
    ],
)
def test_a_file_that_cannot_be_used_is_said_in_one_line(
    home: Path, check: Check, kind: str, name: str, content: bytes, said: str
) -> None:
    draft_id = new_draft()
    choose(draft_id, "network", Part("mnist-n1"))
    choose(draft_id, "data", Part("mnist"))
    receive(draft_id, kind, name, BytesIO(content))
    found = check(draft_id)
    assert found.state is State.FAILED
    assert found.status is not None
    message = found.status.message
    assert message.startswith(said)
    assert "; got " in message
    assert str(home) not in message
    assert "\n" not in message
    assert getattr(drafts.read_draft(draft_id), kind).name == name  # nothing is lost


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't allocate memory: you tried to allocate 9 bytes")])
def test_too_little_memory_is_said_so(
    tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(name: str) -> None:
        raise error

    monkeypatch.setattr(work, "open_network", fail)
    found = check(draft_of(tmp_path, ""))
    assert found.status is not None
    expected = (
        "expected a check in at most 6 GiB of memory; got more; take a smaller network, or fewer or smaller inputs"
    )
    assert found.status.message == expected


def test_a_process_is_confined() -> None:
    """Limits stay with a process, so that it is another one."""
    source = """
        import resource
        from dnncov_core.brought.limits import confine
        confine()
        limits = (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)
        print([resource.getrlimit(each)[0] for each in limits])
        try:
            bytearray(7 * 2**30)
        except MemoryError:
            print("no")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str([6 * 2**30, 2 * 2**30, 0]), "no"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 2 * 2**30


def test_a_check_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[int] = []
    monkeypatch.setattr(limits, "SECONDS", 0.01)
    with limits.in_time(lambda: late.append(1)):
        for _ in range(1000):
            if late:
                break
            __import__("time").sleep(0.01)
    assert late == [1]


# Names


def test_names_are_checked_before_anything_is_moved(tmp_path: Path, home: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "exchanged")
    check(draft_id)
    for network, data in (
        ("../x", "d"),
        ("n", "a/b"),
        ("mnist-n1", "d"),
        ("vgg16", "d"),
        ("n", "toy"),
        ("n.onnx", "d"),
        ("", "d"),
    ):
        with pytest.raises(SpecificationError):
            adopt(draft_id, 0, network_name=network, data_name=data)
    with pytest.raises(DataError, match="a check that has finished"):
        adopt(draft_id, 9, network_name="n", data_name="d")
    assert draft_id in drafts.drafts()
    assert not brought("network")
    adopt(draft_id, 0, network_name="n", data_name="d")


def test_suggestions_are_free_names(tmp_path: Path, check: Check) -> None:
    assert suggested("network", "mnist-n1.onnx") == "mnist-n1-2"
    assert suggested("network", "../ä/Ünal net.onnx") == "nal-net"
    assert suggested("data", "….npz") == "data"
    draft_id = draft_of(tmp_path, "")
    check(draft_id)
    adopt(draft_id, 0, network_name="", data_name="digits")
    assert suggested("data", "digits.npz") == "digits-2"


def test_a_renamed_network_is_found_by_campaigns_of_its_earlier_name(
    tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft_id = new_draft()
    dropped(draft_id, "network", small_pt2(tmp_path / "net.pt2"))
    choose(draft_id, "data", Part("mnist"))
    report = check(draft_id).report
    assert report is not None
    adopt(draft_id, len(report.choices) - 1, network_name="first", data_name="")
    monkeypatch.setattr(library, "resume", lambda campaign_id: None)
    campaign_id = library.start(CampaignSpec("first", "mnist", pairs=2))
    rename("network", "first", "second")
    assert list(brought("network")) == ["second"]
    assert "second" in registry.networks()
    assert "first" not in registry.networks()
    assert registry.open_network("first")[0].fingerprint == registry.open_network("second")[0].fingerprint
    with library.open_campaign(campaign_id) as store:
        library.check_runnable(store)
        discard("network", "second")
        with pytest.raises(CampaignError, match="an embedded or registered network"):
            library.check_runnable(store)
        restore("network", "second")
        library.check_runnable(store)


def test_what_is_deleted_goes_to_the_trash(tmp_path: Path, home: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "")
    check(draft_id)
    adopt(draft_id, 0, network_name="", data_name="digits")
    before = sorted(path.name for path in (home / "brought" / "data").iterdir())
    discard("data", "digits")
    assert "digits" not in registry.data_names()
    (entry,) = trashed()
    assert (entry.kind, entry.id) == ("data", "digits")
    assert entry.size > 10_000
    restore("data", "digits")
    assert sorted(path.name for path in (home / "brought" / "data").iterdir()) == before
    discard("data", "digits")
    assert empty_trash() == 1
    assert not [path for path in home.rglob("*") if path.is_file()]


def test_a_name_that_the_registry_file_takes_later_is_said(tmp_path: Path, home: Path, check: Check) -> None:
    draft_id = draft_of(tmp_path, "")
    check(draft_id)
    adopt(draft_id, 0, network_name="", data_name="digits")
    (home / "registry.toml").write_text('[[data]]\nname = "digits"\npath = "brought"\n')
    known = registered()
    assert known.data["digits"].path == str(home / "brought")
    (problem,) = known.problems
    assert str(problem.error).startswith(
        "expected a name that no other data has; got 'digits', which registry.toml has,"
    )


def test_data_beyond_the_bounds_of_a_network_that_is_right_on_them(tmp_path: Path, check: Check) -> None:
    data = registry.open_data_for(load_embedded("toy"), "toy")
    far = 1000 * data.images
    np.savez(tmp_path / "far.npz", images=far, labels=data.labels)
    draft_id = new_draft()
    choose(draft_id, "network", Part("toy"))
    dropped(draft_id, "data", tmp_path / "far.npz")
    report = check(draft_id).report
    assert report is not None
    assert (report.fits, report.inside, report.correct) == (True, False, 6)
    (choice,) = report.choices
    assert choice.causes == ("the data leave the network's bounds, so that it gets theirs",)
    assert choice.card.ranges == tuple(zip(far.min(axis=0), far.max(axis=0), strict=True))


def test_vectors_without_labels_that_leave_the_bounds_give_the_network_theirs(tmp_path: Path, check: Check) -> None:
    far = 1000 * registry.open_data_for(load_embedded("toy"), "toy").images
    np.savez(tmp_path / "far.npz", images=far)
    draft_id = new_draft()
    choose(draft_id, "network", Part("toy"))
    dropped(draft_id, "data", tmp_path / "far.npz")
    report = check(draft_id).report
    assert report is not None
    assert (report.labelled, report.inside, len(report.choices)) == (False, False, 2)
    assert {choice.causes for choice in report.choices} == {(work.THEIRS,)}
    adopt(draft_id, 1, network_name="wide", data_name="far-own-decisions")
    network, card = registry.open_network("wide")
    data = registry.open_data_for(network, "far-own-decisions")
    assert card.ranges == tuple(zip(far.min(axis=0), far.max(axis=0), strict=True))
    assert card.description == f"made from toy; mended: {work.THEIRS}"
    given = load_embedded("toy")(torch.from_numpy(far).to(network.dtype)).argmax(dim=1)
    np.testing.assert_array_equal(data.labels, given)
