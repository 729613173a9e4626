"""What is exported of the playground and of the covering methods' definitions: where it comes from, and its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dnncov_core import paper
from dnncov_core.criteria import CoveringMethod
from dnncov_core.export.provenance import Origin, writers
from dnncov_core.export.sheets import Sheet, sheet
from dnncov_core.features import FeaturePair
from dnncov_core.phrases.numbers import fingerprinted
from dnncov_core.playground import names
from dnncov_core.playground.address import write
from dnncov_core.playground.setting import NETWORK, Setting, card

if TYPE_CHECKING:
    from dnncov_core.criteria.parts import Part
    from dnncov_core.playground.network_view import NetworkView
    from dnncov_core.playground.regions import PlaneView

PAPER = f"Sun, Huang, Kroening, Sharp, Hill, Ashmore: {paper.TITLE}"
"""Where the criteria are defined."""


@dataclass(frozen=True)
class Played(Origin):
    """The provenance of the playground: the paper's example network, two inputs, and what is asked of them.

    Attributes:
        network: its name, with ``network_fingerprint``.
        x1: the first input.
        x2: the second.
        criterion: in words, with value functions and their parameters.
        pair: the feature pair that is looked at.
        address: parameters of the page's address that show the same.
    """

    network: str
    network_fingerprint: str
    x1: tuple[float, float]
    x2: tuple[float, float]
    criterion: str
    pair: str
    address: Mapping[str, str]

    def closing(self) -> str:
        """Network, inputs, criterion, and the program."""
        return (
            f"The network is the paper's example, {fingerprinted(self.network, self.network_fingerprint)}, with"
            f" x1 = {_point(self.x1)} and x2 = {_point(self.x2)}. {self.criterion} is asked of the feature pair"
            f" {self.pair}. {self.maker}"
        )


@dataclass(frozen=True)
class Defined(Origin):
    """The provenance of a covering method's definition.

    Attributes:
        definition: its number in the paper; None where the paper does not have it.
        formula: in LaTeX.
    """

    definition: int | None
    formula: str

    def closing(self) -> str:
        """Paper and program."""
        paper = f"It is Definition {self.definition} of {PAPER}. " if self.definition else ""
        return f"{paper}{self.maker}"


def of_setting(setting: Setting) -> Played:
    """The provenance of what the playground shows; it has no date, since nothing was generated."""
    method = setting.method
    return Played(
        kind="playground",
        id="playground",
        date="",
        source=f"x1 = {_point(setting.x1)}, x2 = {_point(setting.x2)}",
        written_with=writers(),
        network=NETWORK,
        network_fingerprint=card().fingerprint,
        x1=setting.x1,
        x2=setting.x2,
        criterion=method.title + (f", {method.functions}" if method.functions else ""),
        pair=names.pair(setting.pair),
        address=write(setting),
    )


def of_method(method: CoveringMethod) -> Defined:
    """The provenance of a covering method's picture."""
    number = method.definition
    source = f"the paper's Definition {number}" if number else "not in the paper"
    return Defined("definition", method.key, "", source, writers(), number, method.formula)


def _point(point: tuple[float, float]) -> str:
    return f"({', '.join(map(names.number, point))})"


def neurons(view: NetworkView) -> Sheet:
    """One row for each neuron of layers 2 to K."""
    inputs = view.inputs
    return sheet(
        [
            (names.neuron(layer.index, place), layer.index, each)
            for layer in inputs.layers[1:]
            for place, each in enumerate(inputs.neurons(layer.index))
        ],
        ("neuron", str, "as the paper names it, from 1 within its layer", "0"),
        ("layer", int, "its layer", "1"),
        ("u_x1", float, "u for x1, before the activation function", "2.u1"),
        ("v_x1", float, "v for x1, after it", "2.v1"),
        ("u_x2", float, "u for x2", "2.u2"),
        ("v_x2", float, "v for x2", "2.v2"),
        ("sign_changed", bool, "sc: whether the sign differs", "2.changed"),
    )


def plane(view: PlaneView) -> Sheet:
    """One row for each point: both inputs, the corners of regions, and the ends of boundaries."""
    plane = view.plane
    rows: list[tuple[str, str, str, int, tuple[float, float]]] = [
        ("input", "x1", _signs(view.signs1), 1, view.x1),
        ("input", "x2", _signs(view.signs2), 1, view.x2),
    ]
    for place, region in enumerate(plane.regions):
        corners = enumerate(region.corners, start=1)
        rows += [("region", names.letter(place), _signs(region.signs), n, corner) for n, corner in corners]
    for piece in plane.boundaries:
        ends = enumerate((piece.start, piece.end), start=1)
        rows += [("boundary", names.neuron(piece.layer, piece.neuron), "", n, end) for n, end in ends]
    return sheet(
        rows,
        ("of", str, "input, region of one sign pattern, or boundary on which a neuron's u is 0", "0"),
        ("name", str, "x1 or x2, the region's letter, or the neuron", "1"),
        ("signs", str, "sign pattern, layer by layer from layer 2; empty for a boundary", "2"),
        ("point", int, "which corner of the region, around it, or which end", "3"),
        ("input_1", float, "its first coordinate", lambda r: float(r[4][0])),
        ("input_2", float, "its second coordinate", lambda r: float(r[4][1])),
    )


def _signs(signs: tuple[tuple[bool, ...], ...]) -> str:
    return "; ".join(" ".join("+" if positive else "-" for positive in layer) for layer in signs)


def parts(view: NetworkView) -> Sheet:
    """One row for each part of the definition: of the pair that is looked at, and of each pair of single neurons."""
    return sheet(
        list(_parts(view)),
        ("pair", str, "the feature pair", lambda r: names.pair(r[0])),
        ("looked_at", bool, "whether it is the one that is looked at", lambda r: r[0] == view.setting.pair),
        ("covered", bool, "whether all parts hold", lambda r: view.inputs.covers(view.setting.method, r[0])),
        ("part", str, "what this part of the definition asks", "1.asks.value"),
        ("holds", bool, "whether it holds", "1.holds"),
        ("layer", int, "of its neurons", "1.layer"),
        ("neurons", str, "of which it is asked", lambda r: names.neurons(r[1].layer, r[1].neurons)),
        (
            "value_function",
            str,
            "empty where signs are asked about",
            lambda r: r[1].function and r[1].function.describe(),
        ),
        ("u_x1", str, "u of these neurons for x1, separated by blanks", lambda r: _values(view, r[1], "u1")),
        ("u_x2", str, "u of these neurons for x2, separated by blanks", lambda r: _values(view, r[1], "u2")),
    )


def _parts(view: NetworkView) -> Iterator[tuple[FeaturePair, Part]]:
    singles = [each for each in view.inputs.pairs() if each != view.setting.pair]
    for pair in (view.setting.pair, *singles):
        for part in view.inputs.parts(view.setting.method, pair):
            yield pair, part


def _values(view: NetworkView, part: Part, name: str) -> str:
    values = view.inputs.neurons(part.layer)
    return " ".join(repr(getattr(values[i], name)) for i in part.neurons)


def method(covering_method: CoveringMethod) -> Sheet:
    """One row for each feature: which change is asked of it."""
    changes = (("condition", "k", covering_method.condition), ("decision", "k+1", covering_method.decision))
    return sheet(
        changes,
        ("feature", str, "of the feature pair", "0"),
        ("layer", str, "its layer", "1"),
        ("change", str, "which change is asked of it: of its sign or of its value", "2.value"),
    )
