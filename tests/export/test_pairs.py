"""Test pairs as one NumPy file, written by the command."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DataError
from dnncov_core.export.pairs import pair_arrays, pairs_bytes, save_pairs
from tests import builders, reference, runs
from tests.command import call, make_data, write_factory

pytestmark = pytest.mark.usefixtures("folder")


def test_every_pair_with_its_verdict(campaign: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("pairs", campaign, "--out", "p.npz") == 0
    assert "12 test pairs in p.npz" in capsys.readouterr().out
    with np.load(folder / "p.npz", allow_pickle=False) as file:
        arrays = dict(file)
    with CampaignStore(campaign) as store:
        pairs = store.pairs.page()
    assert list(arrays) == [
        "x1", "x2", "label1", "label2", "distance", "adversarial", "condition_layer", "decision_layer",
        "condition_neurons", "decision_neurons", "ordinal", "found_for", "seed", "seed_file", "holds_8bit", "near_zero",
        "needed", "sufficient", "effect_share", "needed_8bit", "sufficient_8bit", "provenance",
    ]  # fmt: skip
    provenance = json.loads(arrays.pop("provenance").item())
    assert provenance["kind"] == "campaign"
    assert len(provenance["network_fingerprint"]) == len(provenance["data_fingerprint"]) == 64
    np.testing.assert_array_equal(arrays["x2"], np.stack([pair.x2 for pair in pairs]))
    for name in ("label1", "label2", "distance", "adversarial"):
        assert arrays[name].tolist() == [getattr(pair, name) for pair in pairs]
    assert set(arrays["found_for"].tolist()) == {-1}
    assert arrays["seed"].tolist() == [pair.seed for pair in pairs]
    assert set(arrays["seed_file"].tolist()) == {""}
    answers = {None: -1, False: 0, True: 1}
    for name in ("holds_8bit", "needed", "sufficient", "needed_8bit", "sufficient_8bit"):
        assert arrays[name].tolist() == [answers[getattr(pair, name)] for pair in pairs]
    assert set(arrays["needed"].tolist()) == {0, 1}
    assert arrays["effect_share"].tolist() == [pair.effect_share for pair in pairs]
    near = [
        any(abs(u) < 1e-5 for u in (*before, *after))
        for before, after in (runs.toy_values(pair)[pair.target.condition_layer - 2] for pair in pairs)
    ]
    assert {1} >= {int(found) for found, close in zip(arrays["near_zero"], near, strict=True) if close}
    assert set(arrays["near_zero"].tolist()) <= {0, 1}
    assert arrays["ordinal"].tolist() == [pair.target.ordinal for pair in pairs]
    for name in ("condition_layer", "decision_layer"):
        assert arrays[name].tolist() == [getattr(pair.target, name) for pair in pairs]
    for name in ("condition_neurons", "decision_neurons"):
        assert arrays[name].tolist() == [" ".join(map(str, getattr(pair.target, name))) for pair in pairs]
    assert len({len(array) for array in arrays.values()}) == 1


def test_effects_that_nobody_knows_are_no_numbers(tmp_path: Path) -> None:
    with builders.campaign(tmp_path / "a.dnncov", needed=None) as store:
        arrays = pair_arrays(store)
    for name in ("needed", "sufficient", "needed_8bit", "sufficient_8bit"):
        assert set(arrays[name].tolist()) == {-1}
    assert np.isnan(arrays["effect_share"]).all()


def test_the_condition_neurons_of_a_free_feature_are_those_that_flipped(folder: Path) -> None:
    path = runs.free_campaign(folder / "c.dnncov")
    assert call("pairs", path, "--out", "p.npz") == 0
    with np.load("p.npz") as file:
        exported = file["condition_neurons"].tolist()
    with CampaignStore(path) as store:
        pairs = store.pairs.page()
    assert len(exported) == len(pairs) == 3 + 2
    for text, pair in zip(exported, pairs, strict=True):
        before, after = runs.toy_values(pair)[pair.target.condition_layer - 2]
        flipped = [i for i in range(len(before)) if reference.sign(before[i]) != reference.sign(after[i])]
        assert text == " ".join(map(str, flipped))
        assert pair.target.condition_neurons == ()
        assert 1 <= len(flipped) <= 2


def test_no_pairs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builders.campaign(folder / "c.dnncov", found=0).close()
    assert call("pairs", "c.dnncov", "--out", "p.npz") == 0
    assert "near_zero: not known; expected the network of this campaign" in capsys.readouterr().err
    with np.load("p.npz") as file:
        assert file["x1"].shape == (0, 1, 28, 28)


def test_with_reuse_each_pair_says_whose_search_found_it(folder: Path) -> None:
    path = runs.finished(folder / "c.dnncov", runs.toy_spec(reuse=True))
    assert call("pairs", path, "--out", "p.npz") == 0
    with np.load("p.npz") as file:
        found_for, ordinals = file["found_for"], file["ordinal"]
    with CampaignStore(path) as store:
        assert found_for.tolist() == [-1 if p.found_for is None else p.found_for for p in store.pairs.page()]
    reused = found_for >= 0
    assert 0 < reused.sum() < len(reused)
    assert set(found_for[reused]) <= set(ordinals[~reused])


def test_a_folder_that_is_gone_by_then(campaign: Path, folder: Path) -> None:
    with CampaignStore(campaign) as store, pytest.raises(DataError, match="No such file or directory; choose"):
        save_pairs(store, folder / "gone" / "p.npz")


def test_seeds_from_a_folder_are_named_by_their_files(folder: Path) -> None:
    write_factory(folder, (1, 17, 29))
    made = make_data(folder, "made:make", (1, 17, 29))
    with np.load(made) as file:
        images, labels = np.round(255 * file["images"][:, 0]).astype(np.uint8), file["labels"]
    for row, (image, label) in enumerate(zip(images, labels, strict=True)):
        (folder / "photos" / str(label)).mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(folder / "photos" / str(label) / f"{row:03}.png")
    assert call("run", "made:make", "--data", "photos", "--out", "c.dnncov", "--pairs", "6", "--workers", "1") == 0
    given = ("--network", "made:make", "--data", "photos")
    assert call("pairs", "c.dnncov", "--out", "p.npz", *given) == 0
    with np.load("p.npz") as file:
        names, x1 = file["seed_file"].tolist(), file["x1"]
        assert set(file["near_zero"].tolist()) <= {0, 1}
    assert names
    for name, x in zip(names, x1, strict=True):
        np.testing.assert_allclose(x[0], np.asarray(Image.open(folder / "photos" / name)) / 255.0)


def test_code_that_a_file_names_is_not_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = CampaignSpec("somewhere:factory", "photos")
    builders.campaign(folder / "c.dnncov", spec=spec).close()
    assert call("pairs", "c.dnncov", "--out", "p.npz") == 0
    assert "somewhere:factory is neither embedded nor registered" in capsys.readouterr().err
    with np.load("p.npz") as file:
        assert set(file["near_zero"].tolist()) == {-1}


def test_one_pair_alone_is_its_row_of_all(tmp_path: Path) -> None:
    with builders.campaign(tmp_path / "c.dnncov", found=6) as store:
        every = pair_arrays(store)
        for at, pair in enumerate(store.pairs.page()):
            with np.load(io.BytesIO(pairs_bytes(store, [pair]))) as alone:
                assert set(alone) == set(every)
                for name, values in alone.items():
                    row = every[name][at : at + 1] if values.ndim else every[name]
                    np.testing.assert_array_equal(values, row)
