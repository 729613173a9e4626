"""Registered networks and data on the pages: what is offered, described, and left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.parametrize(("path", "menu"), [("pages/run.py", "data-toy"), ("pages/measure.py", "suite-toy")])
def test_a_stale_entry_is_left_out_and_nothing_else(registered: Path, path: str, menu: str) -> None:
    test = page(path)
    test.selectbox(key="network" if "run" in path else "measured-network").select("toy").run()
    assert not test.exception
    assert not test.error
    (warning,) = test.warning
    assert "data 'gone' of registry.toml; got gone.npz, which is not there" in warning.value.replace("\\", "")
    assert "secret" not in words(test)
    assert str(registered) not in words(test)
    assert list(test.selectbox(key=menu).options) == ["toy", "here"]
    button = "Start campaign" if "run" in path else "Measure"
    assert not next(each for each in test.button if each.label == button).disabled


def test_a_registry_that_cannot_be_read_blocks_nothing(registered: Path) -> None:
    (registered / "registry.toml").write_text("name = ")
    for path in ("pages/run.py", "pages/measure.py"):
        test = page(path)
        assert not test.error
        assert "a registry in TOML; got registry.toml" in test.warning[0].value.replace("\\", "")
        assert str(registered) not in words(test)
