from __future__ import annotations

from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.gaps import STATUS_LOOKS, plot_gaps
from dnncov_core.statistics.gaps import gap_matrix
from tests.builders import campaign, card, mixed


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


def hovers(figure: go.Figure) -> dict[tuple[int, int], str]:
    """What is said where the figure is pointed at, by the first places of each cell; its marks lie in their cells."""
    marks, (heat, *_) = figure.data[-1], figure.data
    places = [(int(i), int(j)) for i, j in marks.customdata]
    for (i, j), x, y in zip(places, marks.x, marks.y, strict=True):
        assert abs(x - j - (heat.dx - 1) / 2) < heat.dx / 2
        assert abs(y - i - (heat.dy - 1) / 2) < heat.dy / 2
    return dict(zip(places, marks.text, strict=True))


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
        marks = {trace.name: trace for trace in plot_gaps(matrix).data[1:-1]}
        occur = [status for at, status in enumerate(Status) if matrix.counts[at].any()]
        without = Status.WITHOUT_EFFECT in occur
        names = [name_of(status) if without else STATUS_LOOKS[status].name for status in occur]
        assert list(marks) == [*names, "not asked"]
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


def test_blocks_show_the_share_that_is_covered(store: CampaignStore) -> None:
    matrix = gap_matrix(store, (2, 3), most=2)
    figure = plot_gaps(matrix)
    shares, texts = figure.data[0], hovers(figure)
    covered = matrix.counts[0]
    for i, j in np.ndindex(covered.shape):
        asked = int(matrix.asked[i, j])
        assert ((3 * i, 2 * j) in texts) == (asked > 0)
        if asked:
            assert shares.z[i, j] == pytest.approx(100 * covered[i, j] / asked)
    assert shares.colorbar.title.text == "Covered, of those asked about (%)"
    assert texts[0, 0].startswith("<b>Layer 2, neuron 0 to 2 → layer 3, neuron 0 to 1</b><br>covered: ")
    assert texts[0, 0].endswith(f"<br>asked about: {matrix.asked[0, 0]} of 6 feature pairs")
    assert (shares.y0, shares.dy, shares.x0, shares.dx) == (1.0, 3, 0.5, 2)


def test_blocks_that_no_input_can_cover_are_marked(tmp_path: Path) -> None:
    store = mixed(tmp_path / "a.dnncov", network=card(hidden=(5, 4, 3)))
    store.certificates.record((), {t.ordinal: (2, 0) for t in store.targets.all()[6:] if t.edge == (2, 3)})
    matrix = gap_matrix(store, (2, 3), most=4)
    names = [trace.name for trace in plot_gaps(matrix).data[1:-1]]
    proved = matrix.counts[list(Status).index(Status.PROVED_INFEASIBLE)]
    whole = (proved == matrix.asked) & (proved > 0)
    assert ("all proved infeasible" in names) == bool(whole.any())


def test_nothing_to_draw_says_so() -> None:
    figure = plot_gaps(None)
    assert not figure.data
    assert figure.layout.annotations[0].text == "Nothing here"
