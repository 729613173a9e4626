"""The map of decision neurons: a cell for each, its colour, its mark, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.conditions import OPEN, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.decision_map import LOOKS, places, plot_decisions
from dnncov_core.statistics import decision_map as module
from dnncov_core.statistics.decision_map import decision_map
from tests import runs
from tests.builders import campaign, convolutional
from tests.figures.test_gaps import pointed_at


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    return campaign(tmp_path / "a.dnncov", network=convolutional((2, 2, 2), (5, 4, 6)), found=60, exhausted=30)


def test_each_decision_neuron_has_its_cell_in_the_heat_map_of_its_channel(store: CampaignStore) -> None:
    table = decision_map(store, (2, 3))
    figure = plot_decisions(table)
    z, said = figure.data[0].z, {(y, x): text for y, x, text in pointed_at(figure)}
    records: dict[int, list[Status]] = {}
    for record in store.conditions.page(edge=(2, 3), statuses=Status):
        records.setdefault(record.target.decision_neurons[0], []).append(record.status)
    seen = set()
    for y, x, neuron in zip(*places(table), table.neurons.tolist(), strict=True):
        statuses = records.pop(neuron)
        n_open = sum(status in OPEN for status in statuses)
        kind = "none open" if not n_open else "all open" if n_open == len(statuses) else "some open"
        assert LOOKS[z[y, x] - 1].name == kind
        channel, inside = divmod(neuron, 24)
        row, column = divmod(inside, 6)
        head = f"<b>Layer 3, channel {channel}, row {row}, column {column} (neuron {neuron})</b>"
        assert said[y, x].startswith(f"{head}<br>{len(statuses)} of 8 asked<br>")
        seen.add((y - row, x - column))
    assert records == {}
    assert len(seen) == len(table.channels)  # the first cell of each channel
    assert (z > 0).sum() == len(table.channels) * 24  # asked about or not
    numbers = next(trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text")
    assert list(numbers.text) == [str(channel) for channel in table.channels]


def test_few_cells_have_marks_and_the_one_that_is_shown_a_frame(tmp_path: Path) -> None:
    network = convolutional((2, 2, 2), (5, 14, 14))
    with campaign(tmp_path / "a.dnncov", network=network, found=4, exhausted=20) as store:
        table = decision_map(store, (2, 3))
    shown = int(table.neurons[-1])
    figure = plot_decisions(table, shown=shown)
    marks = {trace.name: trace for trace in figure.data if trace.name}
    kinds = np.where(
        table.open == 0, "none open", np.where(table.open < table.counts.sum(axis=0), "some open", "all open")
    )
    y, x = places(table)
    for name in set(kinds):
        there = kinds == name
        assert set(zip(marks[name].y, marks[name].x, strict=True)) == set(zip(y[there], x[there], strict=True))
    assert (marks["shown below"].y[0], marks["shown below"].x[0]) == (y[-1], x[-1])
    assert list(marks["not asked about"].x) == [None]


def test_free_conditions_have_a_map_of_neurons_in_place_of_one_line(tmp_path: Path) -> None:
    with CampaignStore(runs.free_campaign(tmp_path / "a.dnncov")) as store:
        figure = plot_decisions(decision_map(store, (2, 3)), source="net")
    said = sorted(text.split("<br>")[0] for *_, text in pointed_at(figure))
    assert said == [f"<b>Layer 3, neuron {n}</b>" for n in range(3)]
    assert figure.layout.xaxis.title.text == "Neurons of layer 3, in rows of 32"
    assert figure.layout.title.text == "Decision neurons of layers 2 → 3"


def test_squares_of_neurons_say_which_rows_and_columns(store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CELLS", 30)
    table = decision_map(store, (2, 3))
    figure = plot_decisions(table)
    said = {text.split("</b>")[0] for *_, text in pointed_at(figure)}
    assert table.block == 2
    assert "<b>Layer 3, channel 0, rows 0 to 1, columns 2 to 3" in said
    assert len(said) == table.cells.shape[1]


def test_nothing_to_draw_says_so(store: CampaignStore) -> None:
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM test_pair")
        connection.execute("DELETE FROM attempt")
        connection.execute("DELETE FROM target")
    assert plot_decisions(decision_map(store, (2, 3))).layout.annotations[0].text == "Nothing here"
