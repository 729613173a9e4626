"""Registered networks and data on the pages: what is offered, described, and left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.registry.file import registered as registered_entries
from tests.builders import campaign
from tests.pages.looking import page, words

REGISTRY = """
[[data]]
name = "gone"
path = "/srv/secret/gone.npz"

[[data]]
name = "here"
path = "here.npz"
"""


@pytest.fixture
def registered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, with a registry of an entry whose file is gone, and of one that is well."""
    monkeypatch.delenv("DNNCOV_REGISTRY", raising=False)
    np.savez(folder.parent / "here.npz", images=np.zeros((12, 28, 28)), labels=np.zeros(12, np.int64))
    (folder.parent / "registry.toml").write_text(REGISTRY)
    return folder.parent


@pytest.mark.parametrize(("path", "menu"), [("pages/run/page.py", "data-toy"), ("pages/measure/page.py", "suite-toy")])
def test_a_stale_entry_is_left_out_and_nothing_else(registered: Path, path: str, menu: str) -> None:
    test = page(path)
    test.selectbox(key="network" if "run" in path else "measured-network").select("toy").run()
    assert not test.exception
    assert not test.error
    (warning,) = test.warning
    assert "data 'gone' of registry.toml; got gone.npz, which is not there" in warning.value.replace("\\", "")
    assert "secret" not in words(test)
    assert str(registered) not in words(test)
    assert list(test.selectbox(key=menu).options) == ["here", "toy"]
    button = "Start campaign" if "run" in path else "Measure"
    assert not next(each for each in test.button if each.label == button).disabled


def test_a_registry_that_cannot_be_read_blocks_nothing(registered: Path) -> None:
    (registered / "registry.toml").write_text("name = ")
    for path in ("pages/run/page.py", "pages/measure/page.py"):
        test = page(path)
        assert not test.error
        assert "a registry in TOML; got registry.toml" in test.warning[0].value.replace("\\", "")
        assert str(registered) not in words(test)


@pytest.mark.parametrize(
    ("path", "network", "menu"),
    [
        ("pages/run/page.py", "network", "data-toy"),
        ("pages/measure/page.py", "measured-network", "suite-toy"),
    ],
)
def test_registered_data_are_described_by_file_kind_and_size(
    registered: Path, path: str, network: str, menu: str
) -> None:
    for name in ("a", "b", "c"):
        (registered / "photos" / "some").mkdir(parents=True, exist_ok=True)
        (registered / "photos" / "some" / f"{name}.png").touch()
    text = REGISTRY + "[[data]]\nname = 'pictures'\npath = 'photos'\ndescription = 'Signs in rain'\n"
    (registered / "registry.toml").write_text(text)
    test = page(path)
    test.selectbox(key=network).select("toy").run()
    test.selectbox(key=menu).select("here").run()
    assert "here.npz, an .npz file of 12 images" in words(test).replace("\\", "")
    test.selectbox(key=menu).select("pictures").run()
    assert "Signs in rain; photos, a folder of 3 images" in words(test)
    assert "x1 and x2 of this campaign" not in words(test)


def test_what_the_order_of_subfolders_means_is_said(registered: Path, folder: Path) -> None:
    for label in range(10):
        (registered / "photos" / f"digit{label}").mkdir(parents=True)
    (registered / "registry.toml").write_text("[[data]]\nname = 'pictures'\npath = 'photos'\n")
    meaning = "No subfolder of photos has a class's name; by their order, digit0 is 0, digit1 is 1"
    for path, network, menu in (
        ("pages/run/page.py", "network", "data-mnist-n1"),
        ("pages/measure/page.py", "measured-network", "suite-mnist-n1"),
    ):
        test = page(path)
        test.selectbox(key=network).select("mnist-n1").run()
        test.selectbox(key=menu).select("pictures").run()
        assert meaning in words(test).replace("\\", "")
    campaign(folder / "abc.dnncov", spec=CampaignSpec(network="mnist-n1", data="pictures", criterion="ss")).close()
    assert f"| Classes | {meaning}" in words(page("pages/layers/page.py", "abc")).replace("\\", "")


@pytest.mark.parametrize("path", ["pages/run/page.py", "pages/measure/page.py"])
def test_the_page_says_how_to_bring_inputs(registered: Path, path: str) -> None:
    test = page(path)
    assert "registry.toml" in words(test)
    shown = next(code.value for code in test.code if "[[data]]" in code.value)
    (registered / "photos").mkdir()
    for name in ("my-network.pt2", "my-arrays.npz"):
        (registered / name).touch()
    (registered / "registry.toml").write_text(shown)
    found = registered_entries()
    assert not found.problems
    assert (list(found.networks), list(found.data)) == (["my-network"], ["my-photos", "my-arrays"])
    assert ("images` alone" in words(test)) == ("measure" in path)
    menu = page(path).selectbox(key="measured-network" if "measure" in path else "network")
    assert (menu.options[:2], menu.value) == (["my-network", "toy"], "mnist-n1")
