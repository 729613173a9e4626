from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.conditions import Status
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.figures import plot_gaps
from dnncov_core.figures.gaps import STATUS_LOOKS
from dnncov_core.statistics import gap_matrix
from tests.builders import campaign, card, mixed


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    return mixed(tmp_path / "a.dnncov")


def test_cells_are_the_matrix(store: CampaignStore) -> None:
    matrix = gap_matrix(store, (2, 3))
    cells = plot_gaps(matrix).data[0]
    assert cells.z.shape == (5, 4)
    asked = np.isfinite(cells.z)
    assert (asked == (matrix.asked > 0)).all()
    for i, j in np.argwhere(asked):
        assert matrix.counts[int(cells.z[i, j]), i, j] == 1
        name = STATUS_LOOKS[list(Status)[int(cells.z[i, j])]].name
        assert cells.text[i][j] == f"<b>Layer 2, neuron {i} → layer 3, neuron {j}</b><br>{name}"


def test_each_status_has_its_own_colour_and_mark(store: CampaignStore) -> None:
    assert list(STATUS_LOOKS) == list(Status)
    assert len({look.colour for look in STATUS_LOOKS.values()}) == len(Status)
    assert len({look.symbol for look in STATUS_LOOKS.values()}) == len(Status)
    for edge in store.status_counts():
        matrix = gap_matrix(store, edge)
        marks = {trace.name: trace for trace in plot_gaps(matrix).data[1:]}
        occur = [status for at, status in enumerate(Status) if matrix.counts[at].any()]
        assert list(marks) == [*(STATUS_LOOKS[status].name for status in occur), "not asked"]
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
    shares = plot_gaps(matrix).data[0]
    covered = matrix.counts[0]
    for i, j in np.ndindex(covered.shape):
        asked = int(matrix.asked[i, j])
        assert (shares.text[i][j] == "") == (asked == 0)
        if asked:
            assert shares.z[i, j] == pytest.approx(100 * covered[i, j] / asked)
    assert shares.colorbar.title.text == "Share covered (%)"
    assert shares.text[0][0].startswith("<b>Layer 2, neuron 0 to 2 → layer 3, neuron 0 to 1</b><br>covered: ")
    assert (shares.y0, shares.dy, shares.x0, shares.dx) == (1.0, 3, 0.5, 2)


def test_blocks_that_no_input_can_cover_are_marked(tmp_path: Path) -> None:
    store = mixed(tmp_path / "a.dnncov", network=card(hidden=(5, 4, 3)))
    store.record_proofs((), {t.ordinal: (2, 0) for t in store.targets()[6:] if t.edge == (2, 3)})
    matrix = gap_matrix(store, (2, 3), most=4)
    names = [trace.name for trace in plot_gaps(matrix).data[1:]]
    proved = matrix.counts[list(Status).index(Status.PROVED_INFEASIBLE)]
    whole = (proved == matrix.asked) & (proved > 0)
    assert ("all proved infeasible" in names) == bool(whole.any())


def test_nothing_to_draw_says_so() -> None:
    figure = plot_gaps(None)
    assert not figure.data
    assert figure.layout.annotations[0].text == "Nothing here"
