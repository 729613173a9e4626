"""python -m tests.example [--pictures | --renew] makes the finished example that comes with the program.

A few minutes on two cores. The campaign file is made small, and holds no folder of this machine.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from dnncov_core import cli
from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.sql import copy
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries.kinds import NOTE, Note
from dnncov_core.entries.ready_made import READY_MADE
from dnncov_core.example import FOLDER, ID
from dnncov_core.figures.pictures import difference, picture
from dnncov_core.phrases.pairs import class_name
from dnncov_core.records import TestPair
from dnncov_core.suites.library import OPEN, RESULT
from dnncov_core.suites.measurement_reader import read
from dnncov_core.suites.spec import MeasurementSpec
from tests import runs

SPEC = CampaignSpec("mnist-n9", "mnist", pairs=64, sampling="even", seed_order="random", max_seeds=5, grid="8bit")
"""What the example campaign asks: a sample that is small, of all layer pairs, with an x2 that a camera could send."""
MEASURED = "measure"
"""The ready-made measurement that is kept as the example."""
REASON, AUTHOR = "An example of a justification: no digit that we expect comes near this neuron's threshold.", "Example"
TILE, GAP, LINE = 160, 24, 34
"""Sizes in pixels: of a picture of an input, between two of them, and of a line of text."""
GREY, BLUE, PALE = (120, 128, 137), (0, 114, 178), (120, 128, 137, 70)
"""Colours that can be read on a light ground and on a dark one."""


def make_campaign(folder: Path) -> None:
    """Runs, proves, justifies one condition, and keeps the file."""
    path = folder / f"{ID}.dnncov"
    runs.finished(path, SPEC)
    cli.main(["prove", str(path)])
    with CampaignStore(path) as store:
        open_ones = [each for each in store.conditions.page(limit=100) if each.status is Status.EXHAUSTED]
        store.justifications.add([open_ones[0].target.ordinal], reason=REASON, author=AUTHOR)
    renew(path)


def renew(path: Path) -> None:
    """Keeps a campaign file as the example, of the present version and without room for more."""
    kept = FOLDER / path.name
    with CampaignStore(path) as store:
        kept.unlink(missing_ok=True)
        copy(store.database, kept)


def make_measurement(folder: Path) -> None:
    """Measures what the embedded digits cover, and lists what they do not."""
    path, missing = (folder / f"{ID}{suffix}" for suffix in (RESULT, OPEN))
    spec = READY_MADE[MEASURED].spec
    assert isinstance(spec, MeasurementSpec)
    cli.main(["measure", "--out", str(path), "--open", str(missing), *spec.options])
    for file in (path, missing):
        shutil.copy(file, FOLDER / file.name)


def of_pair(pair: TestPair, names: tuple[str, str]) -> Image.Image:
    """Seed, difference and generated input beside each other, with the label of each input."""
    parts = (picture(pair.x1, width=TILE), difference(pair.x1, pair.x2, width=TILE)[0], picture(pair.x2, width=TILE))
    drawn, pen = _sheet(3 * TILE + 2 * GAP, TILE + LINE)
    for at, (part, words) in enumerate(zip(parts, (names[0], "what changes", names[1]), strict=True)):
        left = at * (TILE + GAP)
        drawn.paste(Image.fromarray(np.asarray(part)).resize((TILE, TILE), Image.Resampling.NEAREST), (left, 0))
        pen.text((left + TILE / 2, TILE + LINE / 2), words, GREY, _font(22), anchor="mm")
    return drawn


def of_measurement(path: Path, most: int = 5) -> Image.Image:
    """A bar for each criterion with a share."""
    rows = [each for each in read(path).criteria if each.ratio is not None][:most]
    width, height = 3 * TILE + 2 * GAP, (TILE + LINE) / len(rows)
    drawn, pen = _sheet(width, TILE + LINE)
    for at, each in enumerate(rows):
        middle, share = (at + 0.5) * height, each.ratio.value or 0.0
        pen.text((0, middle), each.name, GREY, _font(22), anchor="lm")
        left, right = 90, width - 110
        pen.rounded_rectangle((left, middle - 8, right, middle + 8), 8, PALE)
        pen.rounded_rectangle((left, middle - 8, left + max(16, share * (right - left)), middle + 8), 8, BLUE)
        pen.text((width, middle), each.percent, GREY, _font(22), anchor="rm")
    return drawn


def _sheet(width: int, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    drawn = Image.new("RGBA", (width, height))
    return drawn, ImageDraw.Draw(drawn)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def make_pictures(folder: Path) -> None:
    """Of the example, and of a campaign on photos."""
    photos = folder / "photos.dnncov"
    spec = READY_MADE["photos"].spec
    assert isinstance(spec, CampaignSpec)
    runs.finished(photos, spec)
    for name, path in (("digits", FOLDER / f"{ID}.dnncov"), ("photos", photos)):
        with CampaignStore(path) as store:
            pairs, card = store.pairs.page(PairFilter(adversarial=True)) or store.pairs.page(), store.card()
            assert card is not None
            pair = max(pairs, key=lambda each: each.distance)
            labels = (class_name(card, pair.label1), class_name(card, pair.label2))
            _save(of_pair(pair, labels), name)
    _save(of_measurement(FOLDER / f"{ID}.json"), "measure")


def _save(drawn: Image.Image, name: str) -> None:
    drawn.quantize(64, method=Image.Quantize.FASTOCTREE).save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", action="store_true", help="make the pictures alone")
    parser.add_argument("--renew", action="store_true", help="only make the campaign file one of the present version")
    asked = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{ID}{NOTE}").write_text(json.dumps(asdict(Note("Example"))) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        if asked.renew:
            renew(Path(shutil.copy(FOLDER / f"{ID}.dnncov", folder)))
            return
        if not asked.pictures:
            make_campaign(Path(folder))
            make_measurement(Path(folder))
        make_pictures(Path(folder))


if __name__ == "__main__":
    main()
