"""The matrix of test conditions: its cells, what is said of them, their marks, and what it sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from dnncov_core.campaign.file.conditions import OPEN, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.gap_marks import MUTED, STATUS_LOOKS, STRONG
from dnncov_core.figures.gaps import IN_PART, plot_gaps
from dnncov_core.statistics.gaps import gap_matrix
from tests.builders import campaign, card, convolutional, mixed


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    return mixed(tmp_path / "a.dnncov")


def test_cells_are_the_matrix(store: CampaignStore) -> None:
    matrix = gap_matrix(store, (2, 3))
    figure = plot_gaps(matrix)
    cells, texts = figure.data[0], hovers(figure)
    assert cells.z.shape == (5, 4)
    asked = np.isfinite(cells.z)
    assert (asked == (matrix.asked > 0)).all()
    for i, j in np.argwhere(asked):
        assert matrix.counts[int(cells.z[i, j]), i, j] == 1
        name = STATUS_LOOKS[list(Status)[int(cells.z[i, j])]].name
        assert texts.pop((i, j)) == f"<b>Layer 2, neuron {i} → layer 3, neuron {j}</b><br>{name}"
    assert texts == {}


def name_of(status: Status) -> str:
    """What a status is called where some conditions are covered without effect."""
    return "covered, with effect" if status is Status.COVERED else STATUS_LOOKS[status].name


def test_covered_is_said_to_be_with_effect_only_beside_what_is_without(tmp_path: Path) -> None:
    figure = plot_gaps(gap_matrix(campaign(tmp_path / "a.dnncov", needed=None), (2, 3)))
    assert {"covered"} <= {trace.name for trace in figure.data}
    assert not [text for text in hovers(figure).values() if "effect" in text]


def pointed_at(figure: go.Figure) -> Iterator[tuple[float, float, str]]:
    """y, x and what is said there, of all marks that nobody sees."""
    for trace in figure.data:
        if trace.type == "scatter" and trace.marker.opacity == 0:
            data = [()] * len(trace.x) if trace.customdata is None else trace.customdata.tolist()
            for y, x, numbers in zip(trace.y.tolist(), trace.x.tolist(), data, strict=True):
                text = trace.hovertemplate.removesuffix("<extra></extra>")
                for n, number in enumerate(numbers):
                    text = text.replace(f"%{{customdata[{n}]}}", str(number))
                    text = text.replace(f"%{{customdata[{n}]:,}}", f"{number:,}")
                yield y, x, text.replace("%{y}", f"{y:g}").replace("%{x}", f"{x:g}")


def hovers(figure: go.Figure) -> dict[tuple[int, int], str]:
    """What is said where the figure is pointed at, by the first places of each cell; marks lie in cells' middles."""
    heat, found = figure.data[0], {}
    for y, x, text in pointed_at(figure):
        i, j = (round(at - (step - 1) / 2) for at, step in ((y, heat.dy), (x, heat.dx)))
        assert (i % heat.dy, j % heat.dx) == (0, 0)
        assert (i, j) not in found
        found[i, j] = text
    return found


@pytest.mark.parametrize("most", [100, 2])
def test_the_cell_that_is_shown_has_a_frame(store: CampaignStore, most: int) -> None:
    matrix = gap_matrix(store, (2, 3), most)
    figure = plot_gaps(matrix, shown=(4, 3))
    frame = next(trace for trace in figure.data if trace.name == "shown below")
    rows, columns = matrix.block
    assert (frame.y[0] - (rows - 1) / 2) // rows == 4 // rows
    assert (frame.x[0] - (columns - 1) / 2) // columns == 3 // columns
    assert "shown below" not in [trace.name for trace in plot_gaps(matrix).data]


def test_each_status_has_its_own_colour_and_mark(store: CampaignStore) -> None:
    assert list(STATUS_LOOKS) == list(Status)
    assert len({look.colour for look in STATUS_LOOKS.values()}) == len(Status)
    assert len({look.symbol for look in STATUS_LOOKS.values()}) == len(Status)
    for edge in store.counts.statuses_by_edge():
        matrix = gap_matrix(store, edge)
        marks = {trace.name: trace for trace in plot_gaps(matrix).data if trace.name}
        occur = [status for at, status in enumerate(Status) if matrix.counts[at].any()]
        without = Status.WITHOUT_EFFECT in occur
        names = [name_of(status) if without else STATUS_LOOKS[status].name for status in occur]
        n, pairs = int(matrix.asked.sum()), matrix.asked.size
        assert list(marks) == [*names, f"not asked about: {pairs - n} of {pairs} feature pairs"]
        assert {text.split("<br>")[1] for text in hovers(plot_gaps(matrix)).values()} == set(names)
        for status in occur:
            if status is not Status.COVERED:
                trace = marks[STATUS_LOOKS[status].name]
                places = {(int(y), int(x)) for x, y in zip(trace.x, trace.y, strict=True)}
                assert places == {(i, j) for i, j in np.argwhere(matrix.counts[list(Status).index(status)])}


def test_axes_are_named(store: CampaignStore) -> None:
    layout = plot_gaps(gap_matrix(store, (3, 4)), source="net · SS · campaign a").layout
    assert layout.title.text == "Test conditions of layers 3 → 4"
    assert layout.title.subtitle.text == "net · SS · campaign a"
    assert layout.xaxis.title.text == "Decision neuron of layer 4 (number)"
    assert layout.yaxis.title.text == "Condition neuron of layer 3 (number)"
    assert (layout.yaxis.range, layout.xaxis.range) == ((3.5, -0.5), (-0.5, 2.5))


@pytest.mark.parametrize(("rows", "columns"), [(3, 4), (24, 24), (20, 60), (100, 100)])
def test_marks_fit_into_cells_in_a_narrow_window(tmp_path: Path, rows: int, columns: int) -> None:
    campaign(tmp_path / "a.dnncov", network=card(hidden=(rows, columns, 3)), found=0, exhausted=30).close()
    with CampaignStore(tmp_path / "a.dnncov") as store:
        figure = plot_gaps(gap_matrix(store, (2, 3)))
    marker = next(trace for trace in figure.data if trace.name == "budget exhausted").marker
    plot = 480 - 110  # what the app's margins and the axis leave of a window of 480 pixels
    assert 0 < marker.size + marker.line.width < plot / columns
    assert marker.size + marker.line.width < (figure.layout.height - 190) / rows


def test_blocks_that_are_wholly_asked_about_show_the_share_that_is_open_and_others_have_marks(
    store: CampaignStore,
) -> None:
    some = gap_matrix(store, (2, 3), most=2)
    counts = np.zeros_like(some.counts)
    counts[0], counts[4] = some.pairs - 1, 1
    for matrix in (some, replace(some, counts=counts)):
        figure = plot_gaps(matrix)
        shares, texts = figure.data[0], hovers(figure)
        for i, j in np.ndindex(matrix.asked.shape):
            rows, columns = min(3, 5 - 3 * i), 2
            counts = dict(zip(Status, matrix.counts[:, i, j].tolist(), strict=True))
            asked, n_open = sum(counts.values()), sum(counts[status] for status in OPEN)
            assert ((3 * i, 2 * j) in texts) == (asked > 0)
            if asked:
                assert f"<br>{asked} of {rows * columns} asked<br>" in texts[3 * i, 2 * j]
            if asked == rows * columns:
                assert shares.z[i, j] == pytest.approx(100 * n_open / asked)
                continue
            assert np.isnan(shares.z[i, j])
            marked = {look.name for some_open, look in IN_PART.items() if asked and some_open == (n_open > 0)}
            at = (3 * i + 1.0, 2 * j + 0.5)
            marks = [t for t in figure.data if t.name and at in zip(t.y, t.x, strict=True)]
            assert {trace.name for trace in marks} == marked
        assert (shares.y0, shares.dy, shares.x0, shares.dx) == (1.0, 3, 0.5, 2)
        head = "<b>Layer 2, neurons 0 to 2 → layer 3, neurons 0 to 1</b><br>"
        assert texts[0, 0].startswith(head)
    assert shares.colorbar.title.text == "Open, of those asked about (%)"


def test_of_a_large_sampled_convolution_a_row_is_a_channel_and_says_how_many_are_asked(tmp_path: Path) -> None:
    network = convolutional((3, 8, 8), (2, 8, 8))
    with campaign(tmp_path / "a.dnncov", network=network, found=0, exhausted=14) as store:
        matrix = gap_matrix(store, (2, 3))
        figure = plot_gaps(matrix)
    assert (matrix.block, matrix.kinds, matrix.steps) == ((64, 64), ("channel", "channel"), (1, 1))
    n = int(matrix.asked[0, 0])
    assert hovers(figure) == {
        (0, 0): f"<b>Layer 2, channel 0 → layer 3, channel 0</b><br>{n} of 4,096 asked<br>budget exhausted: {n}"
    }
    assert np.isnan(figure.data[0].z).all()  # no broad bars
    assert figure.layout.yaxis.title.text == "Condition channel of layer 2 (number)"


def test_neurons_of_a_small_convolution_are_named_by_their_places(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov", network=convolutional((2, 2, 2), (3, 2, 2)), found=96, exhausted=96) as store:
        texts = hovers(plot_gaps(gap_matrix(store, (2, 3))))
    head = "Layer 2, channel 1, row 0, column 1 (neuron 5) → layer 3, channel 2, row 1, column 0 (neuron 10)"
    assert texts[5, 10].startswith(f"<b>{head}</b><br>")


def contrast(one: str, two: str) -> float:
    """The ratio of luminances by WCAG 2.2."""
    shades = []
    for colour in (one, two):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        shades.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    low, high = sorted(shades)
    return (high + 0.05) / (low + 0.05)


def over(colour: str, ground: str) -> str:
    """A colour that can be seen through, on a ground."""
    *parts, opacity = map(float, re.findall(r"[\d.]+", colour))
    below = [int(ground[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in zip(parts, below, strict=True))


@pytest.mark.parametrize("ground", ["#FFFFFF", "#12161C"])
def test_what_is_open_stands_out_from_the_page_and_from_what_is_covered(ground: str) -> None:
    muted = over(MUTED, ground)
    assert contrast(STRONG, ground) > 3
    assert contrast(STRONG, muted) > 3
    assert contrast(muted, ground) < 1.5


def test_a_matrix_of_ten_thousand_conditions_is_sent_in_few_bytes(tmp_path: Path) -> None:
    campaign(tmp_path / "a.dnncov", network=card(hidden=(98, 75, 2)), found=0, exhausted=0, pending=9).close()
    with CampaignStore(tmp_path / "a.dnncov") as store:
        matrix = gap_matrix(store, (2, 3))
    full = replace(matrix, counts=np.where(np.arange(len(Status))[:, None, None] == 6, 1, np.zeros_like(matrix.counts)))
    assert full.asked.sum() == 98 * 75
    assert len(plot_gaps(full, shown=(0, 0)).to_json()) < 120_000


def test_blocks_that_no_input_can_cover_are_marked(tmp_path: Path) -> None:
    store = mixed(tmp_path / "a.dnncov", network=card(hidden=(5, 4, 3)))
    store.certificates.record((), {t.ordinal: (2, 0) for t in store.targets.all()[6:] if t.edge == (2, 3)})
    matrix = gap_matrix(store, (2, 3), most=4)
    names = [trace.name for trace in plot_gaps(matrix).data if trace.name]
    proved = matrix.counts[list(Status).index(Status.PROVED_INFEASIBLE)]
    whole = (proved == matrix.asked) & (proved > 0)
    assert ("all proved infeasible" in names) == bool(whole.any())


def test_nothing_to_draw_says_so() -> None:
    figure = plot_gaps(None)
    assert not figure.data
    assert figure.layout.annotations[0].text == "Nothing here"
