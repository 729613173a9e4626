"""One test pair of vectors or series for paper: a bar for each feature, or the lines of each channel over time."""

from __future__ import annotations

import io
import textwrap

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dnncov_core.export.drawing.draw import DPI, MILLIMETRE, settings
from dnncov_core.export.drawing.text import FAMILY, with_fonts
from dnncov_core.export.formats import png_metadata, svg_metadata
from dnncov_core.export.pictures import caption_of_pair, pair_words
from dnncov_core.export.provenance import Provenance
from dnncov_core.figures.pictures import is_series
from dnncov_core.figures.series import DIFFERENCES, LOOKS, channels
from dnncov_core.figures.style import BLUE, INK
from dnncov_core.phrases.caption import Caption
from dnncov_core.phrases.numbers import short
from dnncov_core.records import NetworkCard, TestPair

TITLE = "Test pair: seed and generated input"
MOST_BARS = 30
"""Features that are drawn, those that moved most."""
SIZE, LETTER = 7.0, 3.7
"""Of text, and the width of one letter at most, in points."""
LOOK: dict[str, object] = {
    "font.family": FAMILY,
    "font.size": SIZE,
    "text.color": INK,
    "lines.linewidth": 1.0,
    "xtick.major.size": 0.0,
    "ytick.major.size": 0.0,
}
BAR, PLOT, EDGE = 15.0, 62.0, 34.0
"""Heights of a bar, of the plot of a channel, and of an axis with its name, in points."""


def pair_plot(pair: TestPair, card: NetworkCard, provenance: Provenance, width: float, form: str = "png") -> bytes:
    """A test pair as "png" or "svg", ``width`` millimetres wide, with caption and provenance in its metadata."""
    metadata = png_metadata if form == "png" else svg_metadata
    texts = metadata(TITLE, str(plot_caption(pair, card, provenance)), provenance)
    with settings():
        matplotlib.rcParams.update(LOOK)  # type: ignore[arg-type]
        file, across = io.BytesIO(), width * MILLIMETRE
        words = "\n".join(
            line
            for text in (*pair_words(pair, card), provenance.source)
            for line in textwrap.wrap(text, int(across / LETTER))
        )
        figure = (_lines if is_series(card) else _bars)(pair, card, across, words)
        figure.savefig(file, format=form, dpi=DPI, metadata=texts)
    return file.getvalue() if form == "png" else with_fonts(file.getvalue())


def plot_caption(pair: TestPair, card: NetworkCard, provenance: Provenance) -> Caption:
    """The caption of a pair's plot."""
    of = "the channels that moved most" if is_series(card) else "each feature"
    caption = caption_of_pair(pair, card, f"x2 − x1 of {of}, in per cent of its range")
    return caption.followed_by(provenance.closing())


def _paper(width: float, plots: list[float], words: str) -> tuple[Figure, list[Axes]]:
    """Plots of these heights below each other, in points, and words below them."""
    below = (words.count("\n") + 1) * 1.4 * SIZE + SIZE
    height = sum(plots) + EDGE + below
    figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
    figure.get_layout_engine().set(rect=(0, below / height, 1, 1 - below / height))  # type: ignore[union-attr, call-arg]
    figure.text(SIZE / width, SIZE / height, words, va="bottom", linespacing=1.4)
    axes = figure.subplots(len(plots), squeeze=False, height_ratios=plots)
    return figure, list(axes[:, 0])


def _bars(pair: TestPair, card: NetworkCard, width: float, words: str) -> Figure:
    moved = 100 * card.box.moved(pair.x1, pair.x2).ravel()
    places = sorted(np.argsort(-np.abs(moved), kind="stable")[:MOST_BARS].tolist())
    figure, (axes,) = _paper(width, [BAR * len(places)], words)
    ends = [" → ".join(short(float(x.flat[place])) for x in (pair.x1, pair.x2)) for place in places]
    names = [f"{card.box.heading(place)}\n{values}" for place, values in zip(places, ends, strict=True)]
    axes.barh(range(len(places)), moved[places], height=0.6, color=BLUE)
    axes.set_yticks(range(len(places)), names, fontsize=SIZE - 0.5)
    axes.invert_yaxis()
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set_xlabel("x2 − x1 (% of the range)")
    return figure


def _lines(pair: TestPair, card: NetworkCard, width: float, words: str) -> Figure:
    shown, time = channels(pair, card), card.input_shape[1]
    moved = 100 * card.box.moved(pair.x1, pair.x2)
    figure, (*axes, last) = _paper(width, [PLOT] * (len(shown) + 1), words)
    styles = {"solid": "-", "dot": ":"}
    for each, channel in zip(axes, shown, strict=True):
        for name, x in (("x1", pair.x1), ("x2", pair.x2)):
            each.plot(x[channel], color=LOOKS[name]["color"], linestyle=styles[LOOKS[name]["dash"]], label=name)
        each.set_title(card.box.heading(channel * time), loc="left", fontsize=SIZE)
        each.legend(frameon=False, ncols=2, fontsize=SIZE - 0.5)
        each.tick_params(labelbottom=False)
    for shade, channel in zip(DIFFERENCES, shown, strict=False):
        last.plot(moved[channel], color=shade, label=card.box.name(channel * time))
    last.set_title("x2 − x1 (% of the range)", loc="left", fontsize=SIZE)
    last.legend(frameon=False, ncols=2, fontsize=SIZE - 0.5)
    last.set_xlabel("Time step")
    return figure
