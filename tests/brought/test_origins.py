"""What was brought, told and mended stands in every record of what is done with it."""

from __future__ import annotations

import hashlib
import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.brought.adoption import adopt
from dnncov_core.brought.drafts import new_draft, receive
from dnncov_core.brought.told import tell
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.show import summary_lines
from dnncov_core.evidence.campaign_part import CampaignPart
from dnncov_core.evidence.measurement_part import MeasurementPart
from dnncov_core.export.provenance import of_campaign, of_measurement
from dnncov_core.suites.measurement_reader import read
from tests.brought.conftest import Check
from tests.brought.test_told import scores
from tests.command import call

DATA = "points-own-decisions"
TOLD = "told: classes COC, WL, WR; the smallest output decides; bounds -1 to 1"


@pytest.fixture
def origins(tmp_path: Path, check: Check) -> dict[str, str]:
    """Brings a network, of which something is typed, and data; returns where a record says that they come from."""
    content = BytesIO()
    x = np.random.default_rng(0).uniform(-1, 1, (30, 2)).astype(np.float32)
    np.savez(content, inputs=x)
    draft_id = new_draft()
    receive(draft_id, "network", "my scores.onnx", BytesIO(scores()))
    receive(draft_id, "data", "points.npz", BytesIO(content.getvalue()))
    tell(draft_id, {"classes": "COC, WL, WR", "decision": "min", "low": "-1", "high": "1"})
    check(draft_id)
    adopt(draft_id, 1, network_name="scores", data_name=DATA)
    digests = [hashlib.sha256(each).hexdigest() for each in (scores(), content.getvalue())]
    return {
        "network": f"brought as my scores.onnx (SHA-256 of the file {digests[0]}); {TOLD}",
        "data": f"brought as points.npz (SHA-256 of the file {digests[1]}), with the network's own decisions as labels",
    }


def test_a_campaign_says_it_wherever_it_is_shown(
    tmp_path: Path, origins: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("run", "scores", "--data", DATA, "--pairs", "2", "--out", "one.dnncov", "--passes", "20") == 0
    with CampaignStore(tmp_path / "one.dnncov") as store:
        assert store.prepared.origins() == of_campaign(store).origins == origins
        assert f"where the data come from: {origins['data']}" in summary_lines(store)
        rows = dict(CampaignPart(store).network().rows)  # type: ignore[arg-type]
    assert rows["Where the network comes from"] == origins["network"]
    assert rows["Where the data come from"] == origins["data"]


def test_a_measurement_says_it_wherever_it_is_shown(tmp_path: Path, origins: dict[str, str]) -> None:
    path = tmp_path / "one.json"
    arguments = ("scores", "--suite", DATA, "--criteria", "n,kmnc", "--reference", DATA, "--out", path)
    assert call("measure", *arguments) == 0
    found = read(path)
    suite = {"suite": origins["data"], "reference": origins["data"]}
    assert found.origins == of_measurement(found, "one").origins == {"network": origins["network"], **suite}
    assert dict(MeasurementPart(found, "one").network().rows)["Where the suite comes from"] == suite["suite"]  # type: ignore[arg-type]
    content = json.loads(path.read_text())
    del content["network"]["source"], content["suite"]["source"], content["reference"]["source"]
    path.write_text(json.dumps(content))
    assert read(path).origins == {}  # as earlier versions wrote it
