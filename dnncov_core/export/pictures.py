"""One test pair as a PNG for paper: seed, generated input and their difference, enlarged without smoothing."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from dnncov_core.export.drawing.draw import DPI
from dnncov_core.export.drawing.text import font_file, wrapped
from dnncov_core.export.formats import png_metadata
from dnncov_core.export.provenance import Provenance
from dnncov_core.figures.pictures import Picture, difference, picture, picture_size
from dnncov_core.figures.style import INK
from dnncov_core.phrases.caption import Caption
from dnncov_core.phrases.coverage import AT_8_BITS
from dnncov_core.phrases.effect import effect_of
from dnncov_core.phrases.neurons import feature_words
from dnncov_core.phrases.pairs import difference_words, told_apart
from dnncov_core.records import NetworkCard, TestPair
from dnncov_core.statistics.distances import UNITS, farthest, unit_of

TITLE = "Test pair: seed, generated input, difference"
TEXT, SMALL = 7.0, 6.0
"""Sizes of text, in points."""
GAP = 3.0
"""Points between pictures."""


def pair_picture(pair: TestPair, card: NetworkCard, provenance: Provenance, width: float) -> bytes:
    """A test pair of images as a PNG ``width`` millimetres wide, with caption and provenance in its metadata."""
    across, gap = round(width / 25.4 * DPI), _pixels(GAP)
    _, columns = picture_size(pair.x1.shape)
    wide = columns * max(1, (across - 4 * gap) // 3 // columns)
    (x1, x2), bounds = map(card.box.shares, (pair.x1, pair.x2)), card.box.share_bounds
    changed, factor = difference(x1, x2, bounds, width=wide)
    one, two = (picture(x, bounds, width=wide) for x in (x1, x2))
    told = told_apart(card, pair)
    shown = (
        (f"Seed x1, row {pair.seed}", one, told[0]),
        ("Generated x2", two, told[1]),
        ("Difference x2 − x1", changed, f"times {factor:,.0f}"),
    )
    image = _paper(across, shown, [*pair_words(pair, card), difference_words(pair.x1.shape), provenance.source])
    texts = PngInfo()
    for key, value in png_metadata(TITLE, str(pair_caption(pair, card, provenance)), provenance).items():
        texts.add_text(key, value)
    file = io.BytesIO()
    image.save(file, "png", dpi=(DPI, DPI), pnginfo=texts)
    return file.getvalue()


def pair_words(pair: TestPair, card: NetworkCard) -> list[str]:
    """The test condition that a pair covers, its distance, whether it holds at 8 bits, and which effect it shows."""
    target = pair.target
    kind = "adversarial" if pair.adversarial else "not adversarial"
    return [
        f"{feature_words(card.layer(target.condition_layer), pair.condition_neurons)} → "
        f"{feature_words(card.layer(target.decision_layer), target.decision_neurons)} (condition {target.ordinal:,})",
        f"{farthest(card, pair.distance_inf)}; {kind}; {AT_8_BITS[pair.holds_8bit]};"
        f" {effect_of(pair.needed, pair.sufficient)}",
    ]


def pair_caption(pair: TestPair, card: NetworkCard, provenance: Provenance) -> Caption:
    """The caption of a pair's picture."""
    _, factor = difference(card.box.shares(pair.x1), card.box.shares(pair.x2), card.box.share_bounds)
    caption = caption_of_pair(pair, card, f"their difference times {factor:,.0f}")
    return caption.followed_by(difference_words(pair.x1.shape), provenance.closing())


def caption_of_pair(pair: TestPair, card: NetworkCard, difference_shown: str) -> Caption:
    """What a pair covers and how far it goes, what is shown of it, and what is known of it."""
    condition, _ = pair_words(pair, card)
    one, two = told_apart(card, pair)
    kind = "adversarial" if pair.adversarial else "not adversarial"
    rounded = f"{'It ' * (pair.holds_8bit is not None)}{AT_8_BITS[pair.holds_8bit]}"
    return Caption(
        f"This test pair covers {condition}, is {kind}, and its inputs are {farthest(card, pair.distance_inf)} apart."
    ).followed_by(
        f"Shown are the seed x1 (row {pair.seed} of the data, {one}), the generated x2 ({two}), and"
        f" {difference_shown}.",
        f"{rounded}, and {effect_of(pair.needed, pair.sufficient)}. Distances are in {UNITS[unit_of(card)]}.",
    )


def _paper(width: int, shown: Sequence[tuple[str, Picture, str]], words: Sequence[str]) -> Image.Image:
    """Three pictures beside each other, each with head and foot, and lines of words below; in pixels of `DPI`."""
    gap, line, height = _pixels(GAP), _pixels(1.3 * TEXT), max(len(each) for _, each, _ in shown)
    below = 2 * line + height + 2 * gap
    lines = [each for text in words for each in wrapped(text, SMALL, 72 * (width - 2 * gap) / DPI)]
    paper = Image.new("RGB", (width, below + len(lines) * line + gap), "white")
    pen = ImageDraw.Draw(paper)
    for at, (head, each, foot) in enumerate(shown):
        left = gap + at * ((width - 4 * gap) // 3 + gap)
        pen.text((left, gap), head, fill=INK, font=_font(TEXT, bold=True))
        paper.paste(Image.fromarray(each), (left, gap + line))
        pen.text((left, line + height + 3 * gap // 2), foot, fill=INK, font=_font(TEXT))
    for at, text in enumerate(lines):
        pen.text((gap, below + at * line), text, fill=INK, font=_font(SMALL))
    return paper


def _pixels(points: float) -> int:
    return round(points / 72 * DPI)


def _font(size: float, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(font_file(bold), _pixels(size), layout_engine=ImageFont.Layout.BASIC)
