"""Test pairs of vectors and series as pictures: what they show, where it is from, and the same bytes each time."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.folder import pair_png
from dnncov_core.export.pair_plots import pair_plot, plot_caption
from dnncov_core.export.provenance import Provenance, of_campaign
from dnncov_core.records import NetworkCard, Quantity, TestPair
from tests.builders import campaign as built
from tests.builders import card, made_pair

VECTOR = replace(
    card(input_shape=(3,), bounds=(-1.0, 100.0)),
    ranges=((0.0, 100.0), (-1.0, 1.0), (0.0, 1.0)),
    features=("speed", "a_b", "$c$"),
    units=("m/s", "rad", ""),
)
SERIES = replace(
    card(input_shape=(2, 6)), ranges=((0.0, 1.0), (-4.0, 4.0)), features=("heart", "breath"), units=("mV", "l")
)


@pytest.fixture
def made(tmp_path: Path) -> tuple[TestPair, Provenance]:
    with built(tmp_path / "c.dnncov") as store:
        return _pair(store), of_campaign(store)


def _pair(store: CampaignStore) -> TestPair:
    return store.pairs.page()[0]


def shown(svg: bytes) -> list[str]:
    """The texts of an SVG."""
    return re.findall(r"<text\b[^>]*>([^<]*)</text>", svg.decode("utf-8"))


def test_a_vector_has_a_bar_with_both_values_for_each_feature(made: tuple[TestPair, Provenance]) -> None:
    pair = replace(made[0], x1=np.array([10.0, 0.25, 0.5]), x2=np.array([12.5, -0.25, 0.5]))
    svg = pair_plot(pair, VECTOR, made[1], 88.0, "svg")
    texts = shown(svg)
    for text in (
        "speed (m/s)",
        "10 → 12.5",
        "a_b (rad)",
        "0.25 → −0.25",
        "$c$",
        "0.5 → 0.5",
        "x2 − x1 (% of the range)",
    ):
        assert text in texts
    assert svg == pair_plot(pair, VECTOR, made[1], 88.0, "svg")
    assert made[1].id in svg.decode("utf-8")


def test_a_series_has_the_lines_of_each_channel_and_the_difference(made: tuple[TestPair, Provenance]) -> None:
    x1 = np.zeros((2, 6))
    x2 = x1 + np.array([[0, 0, 0.1, 0, 0, 0], [0, 2, 0, 0, 0, 0]])
    texts = shown(pair_plot(replace(made[0], x1=x1, x2=x2), SERIES, made[1], 180.0, "svg"))
    for text in ("heart (mV)", "breath (l)", "x1", "x2", "heart", "breath", "Time step"):
        assert text in texts


def test_the_picture_says_where_it_is_from(made: tuple[TestPair, Provenance]) -> None:
    pair = replace(made[0], x1=np.array([10.0, 0.25, 0.5]), x2=np.array([12.5, -0.25, 0.5]))
    with Image.open(io.BytesIO(pair_png(pair, VECTOR, made[1], 88.0))) as picture:
        assert abs(picture.width - 88 / 25.4 * 300) <= 1
        assert picture.text["Description"] == str(plot_caption(pair, VECTOR, made[1]))
        assert f'"{made[1].id}"' in picture.text["dnncov"]


def test_a_caption_of_a_regression_says_how_far_outputs_move(made: tuple[TestPair, Provenance]) -> None:
    taxi: NetworkCard = replace(VECTOR, quantities=(Quantity("error", "m", 0.5), Quantity("angle", "", 1.0)))
    pair = replace(made[0], outputs=np.array([[1.0, 2.0], [0.25, 2.5]]))
    pair = replace(pair, x1=np.array([10.0, 0.25, 0.5]), x2=np.array([12.5, -0.25, 0.5]))
    caption = plot_caption(pair, taxi, made[1])
    assert caption.details[0] == (
        f"Shown are the seed x1 (row {pair.seed} of the data, outputs as they are), the generated x2 (error"
        " −0.75\N{NO-BREAK SPACE}m, angle +0.5), and x2 − x1 of each feature, in per cent of its range."
    )
    assert caption.summary.startswith("This test pair covers layer 2, neuron ")
    assert " is adversarial, and its inputs are L∞ " in caption.summary
    assert "class" not in str(caption).partition("Distances are in")[0]
    told = made_pair(pair.target, adversarial=True, shape=(3,))
    assert "outputs 1)" in str(plot_caption(replace(told, label2=1), replace(taxi, classes=("0", "1")), made[1]))
