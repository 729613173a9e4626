"""One test pair as a PNG for paper: seed, generated input and their difference, enlarged without smoothing."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.export.drawing.draw import DPI
from dnncov_core.export.drawing.text import font_file
from dnncov_core.export.formats import png_metadata
from dnncov_core.export.provenance import Provenance
from dnncov_core.figures.pictures import Picture, difference, picture, picture_size
from dnncov_core.figures.style import INK
from dnncov_core.phrases.coverage import AT_8_BITS
from dnncov_core.ratios import percentage
from dnncov_core.records import NetworkCard, TestPair
from dnncov_core.statistics.distances import UNITS, has_pixels

TITLE = "Test pair: seed, generated input, difference"
TEXT, SMALL = 7.0, 6.0
"""Points."""
GAP = 3.0
"""Points between pictures."""


def pair_picture(pair: TestPair, card: NetworkCard, provenance: Provenance, width: float) -> bytes:
    """A test pair of images as a PNG ``width`` millimetres wide, with caption and provenance in its metadata."""
    across, gap = round(width / 25.4 * DPI), _pixels(GAP)
    _, columns = picture_size(pair.x1.shape)
    wide = columns * max(1, (across - 4 * gap) // 3 // columns)
    changed, factor = difference(pair.x1, pair.x2, card.bounds, width=wide)
    one, two = (picture(x, card.bounds, width=wide) for x in (pair.x1, pair.x2))
    shown = (
        (f"Seed x1, row {pair.seed}", one, _label(card, pair.label1, pair.confidence1)),
        ("Generated x2", two, _label(card, pair.label2, pair.confidence2)),
        ("Difference x2 − x1", changed, f"times {factor:,.0f}"),
    )
    image = _paper(across, shown, [*pair_words(pair, card), _colours(pair), provenance.source])
    texts = PngInfo()
    for key, value in png_metadata(TITLE, pair_caption(pair, card, provenance, factor), provenance).items():
        texts.add_text(key, value)
    file = io.BytesIO()
    image.save(file, "png", dpi=(DPI, DPI), pnginfo=texts)
    return file.getvalue()


def caption_of(pair: TestPair, card: NetworkCard, provenance: Provenance) -> str:
    """The caption of a pair's picture as large as `difference` makes it."""
    return pair_caption(pair, card, provenance, difference(pair.x1, pair.x2, card.bounds)[1])


def pair_words(pair: TestPair, card: NetworkCard) -> list[str]:
    """The test condition that a pair covers, its distance, and whether it holds at 8 bits."""
    target = pair.target
    levels = f" = {written(255 * pair.distance_inf)} grey levels" if has_pixels(card) else ""
    kind = "adversarial" if pair.adversarial else "not adversarial"
    return [
        f"{_feature(target.condition_layer, pair.condition_neurons)} → "
        f"{_feature(target.decision_layer, target.decision_neurons)} (condition {target.ordinal:,})",
        f"{NORM_NAMES['inf']} {written(pair.distance_inf)}{levels}; {kind}; {AT_8_BITS[pair.holds_8bit]}",
    ]


def _colours(pair: TestPair) -> str:
    """What colours of the difference mean, as `dnncov_core.figures.pictures.difference` draws them."""
    if pair.x1.ndim == 3 and len(pair.x1) == 3:
        return "Difference: lighter than middle grey where a channel is brighter in x2, else darker"
    return "Difference: orange is brighter in x2, blue darker, light grey unchanged"


def pair_caption(pair: TestPair, card: NetworkCard, provenance: Provenance, factor: float) -> str:
    """The caption of a pair's picture; ``factor`` says how many times its difference is enlarged."""
    first, second = pair_words(pair, card)
    colours = _colours(pair)
    return (
        f"Test pair for {first}: seed x1 (row {pair.seed} of the data, {_label(card, pair.label1, pair.confidence1)}),"
        f" generated x2 ({_label(card, pair.label2, pair.confidence2)}), and their difference times {factor:,.0f}."
        f" {second}; distances in {UNITS[has_pixels(card)]}. {colours}. {provenance.closing()}"
    )


def _feature(layer: int, neurons: tuple[int, ...]) -> str:
    some = ", ".join(map(str, neurons[:4])) + (f", … {len(neurons)} in all" if len(neurons) > 4 else "")
    return f"layer {layer}, neuron{'s' * (len(neurons) > 1)} {some}"


def _label(card: NetworkCard, label: int, confidence: float) -> str:
    name = card.classes[label] if label < len(card.classes) else str(label)
    return f"class {name} ({percentage(confidence)})"


def _paper(width: int, shown: Sequence[tuple[str, Picture, str]], words: Sequence[str]) -> Image.Image:
    """Three pictures beside each other, each with head and foot, and lines of words below; in pixels of `DPI`."""
    gap, line, height = _pixels(GAP), _pixels(1.3 * TEXT), max(len(each) for _, each, _ in shown)
    below = 2 * line + height + 2 * gap
    paper = Image.new("RGB", (width, below + len(words) * line + gap), "white")
    pen = ImageDraw.Draw(paper)
    for at, (head, each, foot) in enumerate(shown):
        left = gap + at * ((width - 4 * gap) // 3 + gap)
        pen.text((left, gap), head, fill=INK, font=_font(TEXT, bold=True))
        paper.paste(Image.fromarray(each), (left, gap + line))
        pen.text((left, line + height + 3 * gap // 2), foot, fill=INK, font=_font(TEXT))
    for at, text in enumerate(words):
        pen.text((gap, below + at * line), text, fill=INK, font=_font(SMALL))
    return paper


def _pixels(points: float) -> int:
    return round(points / 72 * DPI)


def _font(size: float, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(font_file(bold), _pixels(size), layout_engine=ImageFont.Layout.BASIC)
