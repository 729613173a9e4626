"""The plane's drawing: each region, boundary and input, what can be clicked, and the same in words."""

from __future__ import annotations

from typing import Any

import pytest

from dnncov_core.figures.plane import plane_in_words, plot_plane
from dnncov_core.playground.plain_network import EXAMPLE
from dnncov_core.playground.regions import Plane, PlaneView, Signs, plane, signs_at
from dnncov_core.playground.setting import Point

X1, X2 = (0.1, 0.0), (0.0, -1.0)
GRID = [(x / 4, y / 4) for x in range(-4, 5) for y in range(-4, 5)]


@pytest.fixture(scope="module", params=[2, 3, 4])
def divided(request: pytest.FixtureRequest) -> Plane:
    return plane(EXAMPLE, 1.2, request.param)


def drawn(divided: Plane) -> Any:
    grid = list(zip(GRID, signs_at(EXAMPLE, GRID, divided.last), strict=True))
    return plot_plane(placed(divided, grid))


def placed(divided: Plane, grid: list[tuple[Point, Signs]]) -> PlaneView:
    one, two = signs_at(EXAMPLE, [X1, X2], divided.last)
    return PlaneView(divided, grid, X1, one, X2, two)


def points(trace: Any) -> list[Point]:
    return list(zip(trace.x, trace.y, strict=True))


def test_every_region_is_filled_and_has_a_letter(divided: Plane) -> None:
    figure = drawn(divided)
    filled = [trace for trace in figure.data if trace.fill == "toself"]
    assert [tuple(points(trace)[:-1]) for trace in filled] == [region.corners for region in divided.regions]
    texts = [text for trace in figure.data if trace.mode == "text" for text in trace.text]
    assert [f"<b>{chr(ord('A') + n)}</b>" for n in range(len(filled))] == texts[: len(filled)]


def test_neighbours_differ_in_colour(divided: Plane) -> None:
    filled = [trace for trace in drawn(divided).data if trace.fill == "toself"]
    for one, two in zip(filled, [*filled[1:], filled[0]], strict=True):
        assert one.fillcolor != two.fillcolor


def test_boundaries_differ_by_dash_and_have_their_neurons_names(divided: Plane) -> None:
    figure = drawn(divided)
    lines = {trace.name: trace for trace in figure.data if trace.name and trace.name.startswith("u = 0")}
    assert list(lines) == [f"u = 0 in layer {layer}" for layer in range(2, divided.last + 1)]
    assert len({line.line.dash for line in lines.values()}) == len(lines)
    texts = {text for trace in figure.data if trace.mode == "text" for text in trace.text}
    assert {f"n{k},{i}" for k in range(2, min(divided.last, 3) + 1) for i in (1, 2, 3)} <= texts


def test_every_point_of_the_grid_can_be_clicked_and_says_its_region(divided: Plane) -> None:
    grid = [trace for trace in drawn(divided).data if trace.name and trace.name.startswith("grid")]
    assert sorted(point for trace in grid for point in points(trace)) == sorted(GRID)
    for trace in grid:
        assert trace.marker.opacity == trace.unselected.marker.opacity == trace.selected.marker.opacity == 0
        for point, signs in zip(points(trace), signs_at(EXAMPLE, points(trace), divided.last), strict=True):
            place = divided.place(signs)
            expected = "on boundaries" if place is None else f"region {chr(ord('A') + place)}"
            assert f"<b>{expected}</b>" in trace.hovertemplate, point


def test_inputs_differ_by_shape_and_name(divided: Plane) -> None:
    x1, x2 = drawn(divided).data[-2:]
    assert (x1.name, points(x1), x2.name, points(x2)) == ("x1", [X1], "x2", [X2])
    assert x1.marker.symbol != x2.marker.symbol
    assert (x1.text, x2.text) == (("<b>x1</b>",), ("<b>x2</b>",))


def test_words_say_where_the_inputs_are() -> None:
    divided = plane(EXAMPLE, 1.2, 3)
    at_x1, at_0 = signs_at(EXAMPLE, [X1, (0.0, 0.0)], 3)
    text = plane_in_words(PlaneView(divided, [], X1, at_x1, (0.0, 0.0), at_0))
    assert "12 regions" in text
    assert "x1 = (0.1, 0) is in region L (layer 2: + + −; layer 3: + + −)." in text
    assert "x2 = (0, 0) is on boundaries (layer 2: + + +; layer 3: + + +)." in text
