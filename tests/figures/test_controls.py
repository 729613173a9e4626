from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures import plot_controls
from dnncov_core.statistics import control_table
from tests.builders import campaign as built


def test_points_are_the_table_with_its_intervals(campaign: Path) -> None:
    with CampaignStore(campaign) as store:
        table = control_table(store)
    figure = plot_controls(table)
    assert [trace.name.split()[0] for trace in figure.data] == ["coverage-guided", "random", "projected"]
    assert len({trace.marker.symbol for trace in figure.data}) == 3
    for trace, name in zip(figure.data, ("searched", "random", "ascent"), strict=True):
        ratios = [getattr(row, name) for row in table.rows]
        assert list(trace.y) == pytest.approx([100 * ratio.value for ratio in ratios])
        for i, ratio in enumerate(ratios):
            low, high = ratio.interval()
            assert trace.y[i] - trace.error_y.arrayminus[i] == pytest.approx(100 * low)
            assert trace.y[i] + trace.error_y.array[i] == pytest.approx(100 * high)
            assert list(trace.customdata[i][:2]) == [ratio.n, ratio.total]


def test_without_controls_it_says_so(tmp_path: Path) -> None:
    figure = plot_controls(control_table(built(tmp_path / "a.dnncov")))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No baseline search yet"
