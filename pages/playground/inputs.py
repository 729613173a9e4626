"""Two inputs in the plane: the paper's examples, numbers, and clicks."""

from __future__ import annotations

import streamlit as st

from dnncov_core.export.exhibits import Exhibit, exhibit
from dnncov_core.export.provenance import Origin
from dnncov_core.figures.plane import plane_in_words
from dnncov_core.playground.plain_network import EXAMPLE
from dnncov_core.playground.regions import Plane, Signs, plane, plane_view, signs_at
from dnncov_core.playground.setting import EXAMPLES, Point, Setting
from pages.playground.setting import INPUTS, coordinate, put, put_point
from pages.shared.captions import details
from pages.shared.charts import chart

HALVES = {1.2: 0.05, 2.4: 0.1, 6.0: 0.25, 10.0: 0.5}
"""Half sides of the square that is drawn, the first that holds both inputs, and the step of its grid."""
SHOWN = {2: "Layer 2", 3: "2 and 3", 4: "2 to 4"}


@st.cache_data(max_entries=20, show_spinner=False)
def _plane(half: float, last: int) -> tuple[Plane, list[tuple[Point, Signs]]]:
    step = HALVES[half]
    n = round(half / step)
    ticks = [round(step * at, 10) for at in range(-n, n + 1)]
    points = [(x, y) for x in ticks for y in ticks]
    return plane(EXAMPLE, half, last), list(zip(points, signs_at(EXAMPLE, points, last), strict=True))


def examples(setting: Setting | None) -> None:
    """A button for each of the paper's examples; the one that is shown is marked and explained."""
    chosen = next((key for key, example in EXAMPLES.items() if example.setting == setting), None)
    st.markdown(":small[Load example]", help="The paper's, each with both inputs, criterion and feature pair.")
    with st.container(horizontal=True, gap="small"):
        for key, example in EXAMPLES.items():
            st.button(
                key.upper(),
                key=f"play-example-{key}",
                type="primary" if key == chosen else "secondary",
                help=example.words,
                on_click=put,
                args=(example.setting,),
            )
    if chosen is not None:
        example = EXAMPLES[chosen]
        st.caption(example.words)
        details((example.effect, example.chosen), key="play-example")


def numbers() -> None:
    """The coordinates of both inputs."""
    with st.grid(4, min_column_width=150):
        for name in INPUTS:
            for axis in range(2):
                st.number_input(
                    f"{name}, input {axis + 1}",
                    step=0.1,
                    format="%.12g",
                    key=coordinate(name, axis),
                    help="Arrow keys move it by 0.1. The network takes values from -10 to 10.",
                )


def plane_chart(setting: Setting, provenance: Origin) -> Exhibit:
    """The plane with both inputs; a click moves the one that is chosen."""
    place, controls = st.container(), st.container(horizontal=True, gap="medium")
    with controls:
        st.segmented_control("A click into the plane moves", INPUTS, default="x1", required=True, key="play-placed")
        last = st.segmented_control(
            "Regions by signs of layers",
            list(SHOWN),
            default=3,
            required=True,
            format_func=SHOWN.__getitem__,
            key="play-last",
            help="Within a region no neuron of these layers changes its sign. Layer 4 is the output: its boundary is"
            " where the label changes.",
        )
    half = next(half for half in HALVES if all(abs(value) <= half for value in (*setting.x1, *setting.x2)))
    drawn = exhibit("plane", plane_view(EXAMPLE, setting, *_plane(half, last)), provenance)
    with place:
        alt, bar = plane_in_words(drawn.table), {"displayModeBar": False}
        return chart(drawn, key="play-plane", alt=alt, on_select=_move, config=bar)


def _move() -> None:
    """Moves the chosen input to where the plane was clicked."""
    if points := st.session_state["play-plane"].selection.points:
        put_point(st.session_state["play-placed"], (points[0]["x"], points[0]["y"]))
