"""Networks of the user's own, with images that are not square, through the command from end to end."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.store import CampaignStore
from tests import runs
from tests.command import call, make_data, paths_in, write_factory
from tests.networks_for_tests import save_network


class TestFromEndToEnd:
    @pytest.mark.parametrize("shape", [(1, 17, 29), (3, 40, 24)])
    @pytest.mark.parametrize("kind", ["factory", "pt2"])
    def test_from_end_to_end(
        self, folder: Path, shape: tuple[int, ...], kind: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from dnncov_core.networks.loader import load_network
        from dnncov_core.statistics.coverage import coverage_table
        from dnncov_core.statistics.distances import distance_curve, distance_table

        write_factory(folder, shape)
        network = "made:make"
        if kind == "pt2":
            save_network(load_network(network)[0], folder / "made.pt2")
            network = str(folder / "made.pt2")
        data = make_data(folder, network, shape)
        out = folder / "c.dnncov"
        run = (
            "run",
            network,
            "--data",
            data,
            "--pairs",
            "3",
            "--layers",
            "3",
            "--max-seeds",
            "6",
            "--effect",
            "none",
            "--out",
            out,
        )
        assert call(*run, "--json") == 0
        summary = json.loads(capsys.readouterr().out)
        assert summary["outcomes"]["pending"] == summary["outcomes"]["error"] == 0
        assert summary["covered"] > 0
        assert summary["seeds"] == 12
        assert call("verify", out, "--network", network) == 0
        assert call("pairs", out, "--out", "p.npz") == 0
        with np.load("p.npz") as file:
            assert file["x2"].shape == (summary["covered"], *shape)
            assert 0 <= file["x2"].min() <= file["x2"].max() <= 1
        with CampaignStore(out) as store:
            assert coverage_table(store).total.covered.n == summary["covered"]
            assert distance_curve(store, "c").pairs == summary["covered"]
            assert distance_table(store).rows[0].pairs.n == summary["covered"]
            assert all(pair.x2.shape == shape for pair in store.pairs.page())
        assert paths_in(out, folder) == []

    def test_a_file_is_named_without_its_folder(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_factory(folder, (2,))
        data = make_data(folder, "made:make", (2,))
        assert call("run", "made:make", "--data", data, "--pairs", "1", "--out", "c.dnncov", "--json") == 0
        assert json.loads(capsys.readouterr().out)["spec"]["data"] == "made.npz"
        runs.reopen(folder / "c.dnncov")
        assert call("resume", "c.dnncov") == 0
        runs.reopen(folder / "c.dnncov")
        os.rename("made.npz", "moved.npz")
        assert call("resume", "c.dnncov") == 2
        assert call("resume", "c.dnncov", "--data", "moved.npz") == 0
