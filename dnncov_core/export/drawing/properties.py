"""What a Plotly figure says: each property is taken once, and what nobody takes is refused by its name."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go


class NotDrawnError(Exception):
    """A figure has a trace, a property or a value that the drawing does not know: a mistake of this package."""


ON_SCREEN = {
    "customdata",
    "hoverinfo",
    "hoverlabel",
    "hoverongaps",
    "hovertemplate",
    "hovertext",
    "selected",
    "unselected",
    "uid",
}
"""What only a pointer on a screen brings to light."""


class Properties:
    """A group of properties. `take` them, and say `done` when nothing else may be there.

    Args:
        values: by name.
        place: where in the figure they are, for messages.
    """

    def __init__(self, values: Mapping[str, Any], place: str) -> None:
        self._left = {name: value for name, value in values.items() if name not in ON_SCREEN and value is not None}
        self._groups: list[Properties] = []
        self.place = place

    def take(self, name: str, default: Any = None) -> Any:
        """A property's value, arrays as lists."""
        return _plain(self._left.pop(name, default))

    def group(self, name: str) -> Properties:
        """A property that is a group itself; an empty one if it is not there."""
        self._groups.append(Properties(self._left.pop(name, None) or {}, f"{self.place}.{name}"))
        return self._groups[-1]

    def number(self, name: str, default: float) -> float:
        """A property that is a number."""
        return float(self.take(name, default))

    def one_of(self, name: str, known: Mapping[Any, Any], default: Any) -> Any:
        """What a property's value stands for.

        Raises:
            NotDrawnError: nothing is known of this value.
        """
        return looked_up(known, self.take(name, default), f"{self.place}.{name}")

    def leave(self, *names: str) -> None:
        """Leaves out properties that say nothing on paper."""
        for name in names:
            self._left.pop(name, None)

    def done(self) -> None:
        """Refuses what nobody has taken, here and in the groups.

        Raises:
            NotDrawnError: something is left.
        """
        for group in self._groups:
            group.done()
        if self._left:
            raise NotDrawnError(f"{self.place}: {', '.join(sorted(self._left))}")


def looked_up(known: Mapping[Any, Any], value: Any, place: str) -> Any:
    """What a value stands for.

    Raises:
        NotDrawnError: nothing is known of it.
    """
    if value not in known:
        raise NotDrawnError(f"{place} = {value!r}")
    return known[value]


def traces_and_layout(figure: go.Figure) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Traces, and the layout with what its template adds.

    Raises:
        NotDrawnError: frames, or a template with more than a layout.
    """
    content = figure.to_dict()
    if set(content) - {"data", "layout"} - ({"frames"} if not content.get("frames") else set()):
        raise NotDrawnError(f"figure: {', '.join(sorted(content))}")
    layout = content["layout"]
    template = layout.pop("template", {})
    if any(template.get("data", {}).values()) or set(template) - {"data", "layout"}:
        raise NotDrawnError("template.data")
    defaults = template.get("layout", {})
    axes = {name: defaults.get(name[:5], {}) for name in layout if re.fullmatch(r"[xy]axis\d+", name)}
    merged = go.Layout({**axes, **defaults}).update(layout)
    return list(content["data"]), merged.to_plotly_json()


def _plain(value: Any) -> Any:
    """Arrays as lists, also those that Plotly packs."""
    if isinstance(value, Mapping) and "bdata" in value:
        array = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
        shape = [int(n) for n in str(value["shape"]).split(",")] if "shape" in value else [-1]
        return array.reshape(shape).tolist()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value
