"""A visitor drops a network and data, takes over what mends them, and starts a campaign; nobody types a path."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect
from torch import nn

from dnncov_core import registry
from tests.browser.conftest import WORKED, App, faults, settle, visit

pytestmark = pytest.mark.browser


def network(path: Path) -> Path:
    """A trained network of the digits as vectors, as a .pt2 file."""
    program = registry.open_network("mnist-n1")[0].program.module()
    module = nn.Sequential(nn.Unflatten(1, (1, 28, 28)), program)
    torch.export.save(
        torch.export.export(module, (torch.zeros(2, 784),), dynamic_shapes=({0: torch.export.Dim("batch")},)), path
    )
    return path


def digits(path: Path) -> Path:
    """Grey pictures in an .npz file."""
    data = registry.read_data_for(registry.open_network("mnist-n1")[0], "mnist", (1, 28, 28))
    assert data.labels is not None
    np.savez_compressed(path, images=data.images[::20, 0], labels=data.labels[::20])
    return path


def test_from_two_files_to_a_campaign(app: App, page: Page, tmp_path: Path) -> None:
    heard = faults(page)
    visit(page, app, "bring")
    place = page.get_by_role("region", name="Drop your network")
    place.locator("input[type=file]").set_input_files(network(tmp_path / "my net.pt2"))
    expect(page.get_by_text("my net.pt2")).to_be_visible()
    settle(page)  # the page is drawn anew with the file, and so is the other place to drop one
    place = page.get_by_role("region", name="Drop your data")
    place.locator("input[type=file]").set_input_files(digits(tmp_path / "scans.npz"))
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("As they are, the data do not fit.")).to_be_visible(timeout=WORKED)
    page.reload()  # the address keeps the draft
    settle(page)
    expect(main.get_by_role("radio")).to_have_count(1)
    label = "100 % (250 of 250) · The network takes inputs of shape (784,), the data have (28, 28)"
    expect(main.get_by_test_id("stRadio")).to_contain_text(label)
    expect(page.get_by_label("Name of the network")).to_have_value("my-net")
    page.get_by_label("Name of the network").fill("digits-net")
    page.get_by_label("Name of the network").press("Tab")
    settle(page)
    page.get_by_role("button", name="Start a first campaign").click()
    expect(page.get_by_role("heading", name="Run", exact=True)).to_be_visible()
    expect(main.get_by_text("digits-net · SS").first).to_be_visible()
    expect(main.get_by_text(re.compile(r"\d+ of 100 test conditions done")).first).to_be_visible(timeout=WORKED)
    main.get_by_role("button", name="Cancel").click()
    expect(main.get_by_role("button", name="Resume")).to_be_visible()
    assert heard == []
    assert sorted(path.name for path in (app.home / "brought").rglob("*") if path.is_file()) == [
        *("digits-net.about", "digits-net.card", "digits-net.pt2"),
        *("scans.about", "scans.npz"),
    ]
