"""The command `dnncov export`: what it writes, and what it refuses."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.catalogue import CAMPAIGN, MEASUREMENT
from dnncov_core.export.exhibits import campaign_exhibits
from dnncov_core.export.folder import files, zipped
from dnncov_core.export.formats import drawn_by
from dnncov_core.figures.pictures import picture
from dnncov_core.phrases.neurons import feature_words
from dnncov_core.phrases.pairs import difference_words
from tests import builders, runs
from tests.command import call, is_whole, refused
from tests.suites.made import covering, patterns, save

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def made(folder: Path) -> Path:
    builders.campaign(folder / "c.dnncov", found=7, adversarial=3).close()
    return folder / "c.dnncov"


def names_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_everything_of_a_campaign(made: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("export", made, "--out", "out", "--formats", "csv,json,npz,png") == 0
    found = names_in(folder / "out")
    assert f"{len(found):,} files in out" in capsys.readouterr().out
    with CampaignStore(made) as store:
        stems = [each.stem for each in campaign_exhibits(store)]
        pairs = store.pairs.page()
    assert {f"{stem}.csv" for stem in stems} <= found
    assert {"CAPTION.md", "provenance.json", "pairs.npz", "coverage.png"} <= found
    assert {f"pairs/{pair.target.ordinal}.png" for pair in pairs} <= found
    assert not [name for name in found if name.endswith((".svg", ".pdf", ".html"))]
    text = (folder / "out" / "CAPTION.md").read_text()
    assert drawn_by() in text
    known = json.loads((folder / "out" / "provenance.json").read_text())
    assert known["provenance"]["network_fingerprint"] == "f" * 64
    assert known["provenance"]["data_fingerprint"] == "d" * 64
    assert known["provenance"]["parameters"]["omega"] == 0.001
    assert set(known["tables"]) == set(stems)
    for stem in stems:
        assert known["tables"][stem]["caption"] in text
        heads = (folder / "out" / f"{stem}.csv").read_text().splitlines()[0].split(",")
        assert heads == list(known["tables"][stem]["columns"])
    with np.load(folder / "out" / "pairs.npz") as file:
        assert file["seed"].tolist() == [pair.seed for pair in pairs]
    assert str(folder) not in text + json.dumps(known)


def test_the_caption_says_what_of_how_many_and_from_where(made: Path) -> None:
    with CampaignStore(made) as store:
        told = campaign_exhibits(store, ["coverage"])[0].caption()
    assert told.summary == "SS coverage is 77.8 %: 7 of 9 sampled conditions (of 62) have a replayable witness."
    for words in (
        "a random sample of 9 of 62 feature pairs (random seed 0)",
        "mnist-n1 (SHA-256 ffffffffffff",
        "mnist (SHA-256 dddddddddddd",
        "criterion = SS (sign-sign)",
        "adversarial = another label, no bound on the distance",
        "random seed = 0",
        "The numbers are of the campaign c of 20",
        "finished",
    ):
        assert words in told.details[-1]


def test_exported_twice_the_files_are_the_same(made: Path, folder: Path) -> None:
    for out in ("one", "two"):
        assert call("export", made, "--out", out, "--figures", "coverage,pairs", "--pictures", "2") == 0
    names = names_in(folder / "one")
    assert names == names_in(folder / "two")
    assert {f"coverage.{form}" for form in ("svg", "pdf", "png", "html", "csv", "json", "parquet")} <= names
    assert sum(name.startswith("pairs/") for name in names) == 2
    for name in names:
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes(), name


def test_a_page_has_another_width(made: Path, folder: Path) -> None:
    asked = ("--figures", "coverage", "--formats", "png")
    for width in ("column", "page"):
        assert call("export", made, "--out", width, "--width", width, *asked) == 0
    sizes = [Image.open(folder / width / "coverage.png").size[0] for width in ("column", "page")]
    assert sizes == pytest.approx([1039, 2126], abs=1)


def test_pictures_of_pairs_are_the_pairs(made: Path, folder: Path) -> None:
    assert call("export", made, "--out", "out", "--figures", "pairs", "--formats", "png", "--pictures", "all") == 0
    with CampaignStore(made) as store:
        pairs, card = store.pairs.page(), store.card()
    assert card is not None
    for pair in pairs:
        image = Image.open(folder / "out" / "pairs" / f"{pair.target.ordinal}.png")
        assert image.size[0] == pytest.approx(1039, abs=1)
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert f"row {pair.seed} of the data" in image.info["Description"]
        assert (
            feature_words(card.layer(pair.target.condition_layer), pair.condition_neurons) in image.info["Description"]
        )
        assert difference_words(pair.x1.shape) in image.info["Description"]
        assert json.loads(image.info["dnncov"])["id"] == "c"
        pixels = np.asarray(image)
        wanted = picture(pair.x2, width=28 * 11)
        windows = np.lib.stride_tricks.sliding_window_view(pixels, wanted.shape).squeeze(2)[:60, 300:420]
        middle = len(wanted) // 2
        like = (windows[:, :, middle] == wanted[middle]).all(axis=(-2, -1))
        assert any((window == wanted).all() for window in windows[like])


def test_a_measurement(folder: Path) -> None:
    save(folder / "m.json", covering("ss", (10, 1386, 630)), covering("sv:nb", (1, 2, 3)), patterns(9))
    assert call("export", "m.json", "--out", "out", "--formats", "csv,svg") == 0
    found = names_in(folder / "out")
    assert {"criteria.csv", "suite-coverage-ss.svg", "suite-coverage-sv-nb.csv", "relations.svg"} <= found
    assert "criteria.svg" not in found
    said = "By SS, the suite covers 2,026 of 3,490 test conditions (58.1 %)."
    assert said in (folder / "out" / "CAPTION.md").read_text()


def test_a_campaign_without_pairs_says_so(folder: Path) -> None:
    builders.campaign(folder / "c.dnncov", found=0, exhausted=0, adversarial=0).close()
    assert call("export", "c.dnncov", "--out", "out", "--formats", "svg,csv,npz") == 0
    assert "No test pair yet" in (folder / "out" / "layer-distances.svg").read_text()
    assert "No test condition yet" in (folder / "out" / "coverage.svg").read_text()


def test_a_campaign_that_nobody_has_prepared(folder: Path) -> None:
    runs.create(folder / "c.dnncov", runs.toy_spec())
    assert call("export", "c.dnncov", "--out", "out", "--formats", "svg,csv,json,npz,png") == 0
    assert "not planned yet" in (folder / "out" / "CAPTION.md").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--formats", "svg,gif"), "a format, one of svg, pdf, png, html, csv, json, parquet, npz; got 'gif'"),
        (("--figures", "covrage"), f"a figure of a campaign, one of {', '.join(CAMPAIGN)}, pairs; got 'covrage'"),
        (("--figures", "distance-by-omega"), "for which it holds nothing"),
        (("--width", "broad"), "a width, one of column, page; got 'broad'"),
        (("--out", "c.dnncov"), "a folder that can be written"),
    ],
)
def test_refused(made: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str) -> None:
    message = refused(capsys, "export", made, "--out", "out", "--formats", "csv", *options)
    assert words in message
    assert is_whole(message)


@pytest.fixture
def several(made: Path, folder: Path) -> tuple[str, ...]:
    spec = CampaignSpec("mnist-n1", "mnist", top_weights=10)
    builders.campaign(folder / "d.dnncov", spec=spec, found=5, solved=builders.costly).close()
    save(folder / "m.json", covering("ss", (10, 1386, 630)), patterns(9))
    return "c.dnncov", "d.dnncov", "m.json"


def test_several_files_have_a_folder_each_and_one_for_the_comparison(several: tuple[str, ...], folder: Path) -> None:
    (folder / "d.note").write_text(json.dumps({"name": "strongest <b>", "text": ""}))
    assert call("export", *several, "--out", "out", "--formats", "csv,json,svg,npz") == 0
    found = names_in(folder / "out")
    assert {"c/coverage.csv", "d/coverage.svg", "d/pairs.npz", "m/relations.svg", "c/CAPTION.md"} <= found
    compared = {name.removeprefix("comparison/") for name in found if name.startswith("comparison/")}
    assert {"main-coverage.svg", "main-table.csv", "top-weights.json", "lp-cost.svg", "differences.csv"} <= compared
    assert {"layerwise-covered.svg", "layerwise-of-pairs.svg", "distance-curves-Linf.svg", "CAPTION.md"} <= compared
    text = (folder / "out/comparison/CAPTION.md").read_text()
    assert "2 campaigns: (1) mnist-n1 · SS, c, " in text
    assert r"(2) strongest \<b>, d, " in text
    assert "All have these settings: network = mnist-n1" in text
    assert "strongest connections into each decision neuron (random seed 0) (2)." in text
    known = json.loads((folder / "out/comparison/provenance.json").read_text())["provenance"]
    assert [each["id"] for each in known["campaigns"]] == ["c", "d"]
    assert {each["network_fingerprint"] for each in known["campaigns"]} == {"f" * 64}
    assert call("export", *several, "--out", "again", "--formats", "csv,json,svg,npz") == 0
    for name in found:
        assert (folder / "out" / name).read_bytes() == (folder / "again" / name).read_bytes(), name


def test_of_several_files_each_gives_what_it_has_of_the_names(several: tuple[str, ...], folder: Path) -> None:
    asked = ("--formats", "csv", "--figures", "coverage,lp-cost,relations,programmes")
    assert call("export", *several, "--out", "out", *asked) == 0
    files = {name for name in names_in(folder / "out") if name.endswith(".csv")}
    assert files == {
        *("c/coverage.csv", "c/programmes.csv", "d/coverage.csv", "d/programmes.csv"),
        *("m/relations.csv", "comparison/lp-cost.csv"),
    }


@pytest.mark.parametrize(
    ("files", "options", "words"),
    [
        (("c.dnncov", "m.json"), ("--figures", "lp-cost"), "two or more campaign files for lp-cost; got 1"),
        (("c.dnncov",), ("--figures", "main-table"), "two or more campaign files for main-table; got 1"),
        (("c.dnncov", "d.dnncov"), ("--figures", "relations"), "a figure of these files, one of coverage, adversarial"),
        (("c.dnncov", "d.dnncov"), ("--figures", "distance-by-omega"), "for which they hold nothing; leave it out"),
        (("c.dnncov", "c.dnncov"), (), "each of which becomes a folder; got 2 of the name c"),
        (("c.dnncov", "comparison.dnncov"), (), "got one of the name comparison"),
        (("c.dnncov", "nothing.dnncov"), (), "nothing.dnncov"),
    ],
)
def test_several_are_refused(
    several: tuple[str, ...], capsys: pytest.CaptureFixture[str], files: tuple[str, ...], options: tuple[str, ...],
    words: str,
) -> None:  # fmt: skip
    message = refused(capsys, "export", *files, "--out", "out", "--formats", "csv", *options)
    assert words in message
    assert is_whole(message)


def test_refused_sources(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "m.json").write_text("{}")
    assert is_whole(refused(capsys, "export", "m.json", "--out", "out"))
    assert is_whole(refused(capsys, "export", "nothing.dnncov", "--out", "out"))
    save(folder / "good.json", patterns(3))
    message = refused(capsys, "export", "good.json", "--out", "out", "--figures", "coverage")
    assert f"one of {', '.join(MEASUREMENT)}" in message


def test_a_zip_file_holds_the_same(made: Path) -> None:
    with CampaignStore(made) as store:
        exhibits = campaign_exhibits(store, ["coverage"])
    known = exhibits[0].provenance
    content = zipped(files(exhibits, ["csv", "svg"], 88.0), known)
    assert content == zipped(files(exhibits, ["csv", "svg"], 88.0), known)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["coverage.csv", "coverage.svg", "CAPTION.md", "provenance.json"]
        *minute, second = known.when.timetuple()[:6]
        assert {entry.date_time for entry in archive.infolist()} == {(*minute, second // 2 * 2)}
        assert json.loads(archive.read("provenance.json"))["provenance"]["id"] == "c"
