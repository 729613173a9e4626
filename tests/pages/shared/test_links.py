"""From the numbers of Layers, Distances and Gaps to the test pairs behind them: menus, links, clicks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.adversarial import plot_adversarial
from dnncov_core.figures.coverage import plot_coverage
from dnncov_core.figures.distances import plot_distance_curve, plot_layer_distances
from dnncov_core.statistics.adversarial import adversarial_table
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.distances import distance_curve, distance_table
from dnncov_core.statistics.grouping import By
from pages.shared import links as shared_links
from pages.shared.gallery import read
from tests.builders import campaign
from tests.pages.examples.test_examples import links
from tests.pages.looking import app, page, words
from tests.statistics.branches import branched


def only(query: str) -> PairFilter:
    """The filter that a link asks for."""
    return read(dict(part.split("=") for part in query.replace("%2C", ",").split("&"))).only


@pytest.fixture
def store(folder: Path) -> CampaignStore:
    return branched(folder / "abc.dnncov")


class TestByKeyboard:
    @pytest.mark.parametrize("path", ["pages/layers/page.py", "pages/distances/page.py"])
    def test_each_row_leads_to_its_pairs_and_its_matrix(self, store: CampaignStore, path: str) -> None:
        test = page(path, "abc")
        menu = next(box for box in test.selectbox if box.label == "Go to decision layer")
        assert list(menu.options) == ["3", "4", "5"]
        for layer in menu.options:
            menu = next(box for box in test.selectbox if box.label == "Go to decision layer")
            menu.select(layer).run()
            edges = [edge for edge in store.card().edges if edge[1] == int(layer)]  # type: ignore[union-attr]
            for label, adversarial in (("Test pairs", False), ("Adversarial pairs", True)):
                n = sum(store.pairs.count(PairFilter(edge=edge, adversarial=adversarial)) for edge in edges)
                asked = links(test, f"{label}: {n:,}")
                assert len(asked) == (n > 0)
                assert not n or store.pairs.count(only(asked[0])) == n
            assert links(test, "Matrix on Gaps")[0].split("layers=")[1] in [f"{k}-{layer}" for k, layer in edges]

    def test_the_nth_nearest_adversarial_pair(self, store: CampaignStore) -> None:
        test = page("pages/distances/page.py", "abc")
        expected = [p.target.ordinal for p in store.pairs.page(PairFilter(adversarial=True), order="nearest")]
        for n, ordinal in enumerate(expected, start=1):
            test.number_input(key="nth-abc").set_value(n).run()
            (asked,) = links(test, f"Open pair {ordinal}")
            assert f"pair={ordinal}" in asked
        assert test.number_input(key="nth-abc").max == len(expected)

    @pytest.mark.parametrize("path", ["pages/layers/page.py", "pages/distances/page.py"])
    def test_where_nothing_is_found_nothing_can_be_opened(self, folder: Path, path: str) -> None:
        campaign(folder / "none.dnncov", found=0, exhausted=3, adversarial=0).close()
        test = page(path, "none")
        assert not test.exception
        for label, icon in (("Test pairs: 0", "image_search"), ("Adversarial pairs: 0", "warning")):
            assert f":material/{icon}: {label}" in [text.value for text in test.caption]
            assert not links(test, label)

    def test_gaps_of_a_layer_pair(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov", found=9, exhausted=6) as store:
            n = store.pairs.count(PairFilter(edge=(3, 4)))
        test = page_of("pages/gaps/page.py", campaign="abc", layers="3-4")
        assert test.selectbox(key="gaps-edge-abc").value == (3, 4)
        assert "layers" not in test.query_params
        (asked,) = links(test, f"Test pairs of layers 3 → 4: {n}")
        assert only(asked) == PairFilter(edge=(3, 4))

    def test_gaps_of_a_condition_after_another_campaign(self, folder: Path) -> None:
        campaign(folder / "one.dnncov", found=9).close()
        campaign(folder / "two.dnncov", found=9).close()
        test = page("pages/gaps/page.py", "one")
        test.switch_page("pages/examples/page.py").run()
        test.query_params["campaign"], test.query_params["condition"] = "two", "21"
        test.switch_page("pages/gaps/page.py").run()
        assert "ordinal 21" in words(test)
        assert links(test, "Open pair 21") == ["campaign=two&pair=21"]


def page_of(path: str, **asked: str) -> AppTest:
    test = app()
    for name, value in asked.items():
        test.query_params[name] = value
    return test.switch_page(path).run()


class TestClicks:
    """The custom data of every bar and point lead to as many pairs as it says."""

    @pytest.mark.parametrize("by", list(By))
    def test_bars_of_adversarial_pairs(self, store: CampaignStore, by: By) -> None:
        layers = store.counts.layers()
        for bars in plot_adversarial(adversarial_table(store, by)).data:
            for data in bars.customdata:
                room, parameters = shared_links.to_pairs("abc", layers, list(data), adversarial=True)  # type: ignore[misc]
                assert room == "examples"
                assert store.pairs.count(read(parameters).only) == data[2]

    @pytest.mark.parametrize("by", list(By))
    def test_points_of_distances(self, store: CampaignStore, by: By) -> None:
        layers = store.counts.layers()
        for points in plot_layer_distances(distance_table(store, by)).data[:2]:
            for data in points.customdata:
                _, parameters = shared_links.to_pairs("abc", layers, list(data))  # type: ignore[misc]
                assert store.pairs.count(read(parameters).only) == data[2]

    @pytest.mark.parametrize("by", list(By))
    def test_bars_of_coverage(self, store: CampaignStore, by: By) -> None:
        layers = store.counts.layers()
        for bars in plot_coverage(coverage_table(store, by)).data:
            for data in bars.customdata:
                room, parameters = shared_links.to_gaps("abc", layers, list(data))  # type: ignore[misc]
                k, decision = map(int, parameters["layers"].split("-"))
                assert room == "gaps"
                assert decision == data[1]
                assert k in [int(part) for part in data[0].split(",")]

    def test_steps_of_the_curve(self, store: CampaignStore) -> None:
        marks = next(t for t in plot_distance_curve([distance_curve(store, "one")]).data if t.mode == "markers")
        expected = store.pairs.page(PairFilter(adversarial=True), order="nearest")
        for data, pair in zip(marks.customdata, expected, strict=True):
            _, parameters = shared_links.to_step("abc", list(data))  # type: ignore[misc]
            assert parameters["pair"] == str(pair.target.ordinal)
            assert data[1] == pair.distance

    def test_a_click_on_nothing_leads_nowhere(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Chosen:
            def __init__(self, points: list[dict[str, Any]]) -> None:
                self.selection = self
                self.points = points

        state: dict[str, Any] = {}
        monkeypatch.setattr(st, "session_state", state)
        for points in ([], [{"x": 1}]):
            state["bars"] = Chosen(points)
            shared_links.on_click("bars", lambda data: ("gaps", {}))()
            assert set(state) == {"bars"}
        state["bars"] = Chosen([{"customdata": ["2", 3]}])
        shared_links.on_click("bars", lambda data: ("gaps", {"layers": f"{data[0]}-{data[1]}"}))()
        assert ("gaps", {"layers": "2-3"}) in state.values()
