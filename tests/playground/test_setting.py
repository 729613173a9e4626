"""The examples against the paper's own text, copied here as it is printed."""

from __future__ import annotations

import re

import pytest

from dnncov_core.criteria import CRITERIA
from dnncov_core.playground.setting import EXAMPLES
from dnncov_core.playground.two_inputs import TwoInputs, two_inputs

TABLE = r"""
$(0.1,0)$   & $0.4$     & $0$ & $-0.1$ (0) & $0.8$ & $1.2$ & $-0.4$ (0) \\
$(0,-1)$    & $-1(0)$   & $2$ & $-1$ (0) & $-14$ (0) & $12$ & $8$ \\\hline
sign ch.    & sc        & $\neg$sc & $\neg$sc & sc & $\neg$sc & sc \\\hline\hline

$(0,1)$     & $1$ & $-2$ (0) & $1$ & $3$ & $-2$ (0) & $8$ \\
$(0.1,0.1)$ & $0.5$ & $-0.2$ (0) & 0 & $1$ & $1.5$ & $-0.5$ (0) \\\hline
sign ch.    & $\neg$sc & $\neg$sc & $\neg$sc & $\neg$sc & sc & sc \\\hline\hline

$(0,-1)$    & $-1$ (0) & $2$      & $-1$ (0)   & $-14$ (0)  & $12$  & $8$ \\
$(0.1,-0.1)$& $0.3$    & $0.2$    & $-0.2$ (0) & $-0.8$ (0) & $2.1$ & $0.5$ \\\hline
sign ch.    & sc       & $\neg$sc & $\neg$sc   & $\neg$sc   & $\neg$sc & sc \\\hline\hline

$(0,1)$     & $1$      & $-2$ (0) & $1$   & $3$   & $-2$ (0) & $8$ \\
$(0.1,0.5)$ & $0.9$    & $-1$ (0) & $0.4$ & $2.2$ & $0.7$ & $2.7$ \\\hline
sign ch.    & $\neg$sc & $\neg$sc & $\neg$sc & $\neg$sc & sc & $\neg$sc \\\hline\hline
"""
"""The paper's table of activation values and sign changes: v where it is u, else u (v)."""

ERRATUM = ("sv", 5)
"""Here the table says sc of n3,3, though its own values of the neuron, 8 and 0.5, both have the sign +1."""

TEXTS = {
    "ss": (r"Given inputs $x_1=(0.1,0)$ and $x_2=(0,-1)$", r"$(\{n_{2,1}\}, \{n_{3,1}\})$ is SS-covered"),
    "vs": (r"Given two inputs $x_1=(0,1)$ and $x_2=(0.1,0.1)$", r"$(\{n_{2,1},n_{2,2}\},\{n_{3,3}\})$"),
    "sv": (
        r"Given two inputs $x_1=(0,-1)$ and $x_2=(0.1,-0.1)$",
        r"the pair $(\{n_{2,1}\}, \{n_{3,2}\})$ is SV",
    ),
    "vv": (r"by the inputs $x_1=(0,1)$ and $x_2=(0.1,0.5)$", r"$(\{\feature_{2,i}\},\{\feature_{3,3}\})$"),
}
"""Inputs and feature pair in the paper's words."""

Row = tuple[str, list[str]]


def rows(key: str) -> list[Row]:
    """The two inputs and the sign changes of an example: head and cells."""
    block = TABLE.strip().split("\n\n")[list(TEXTS).index(key)]
    lines = [re.sub(r"\\\\|\\hline", "", line).split("&") for line in block.splitlines()]
    return [(head.strip(" $"), [cell.strip() for cell in cells]) for head, *cells in lines]


def values(cell: str) -> tuple[float, float]:
    """u and v of a cell: v alone where it is u."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", cell)]
    return numbers[0], numbers[-1]


def point(text: str) -> tuple[float, ...]:
    return tuple(map(float, re.findall(r"-?[\d.]+", text)))


@pytest.fixture(params=TEXTS)
def example(request: pytest.FixtureRequest) -> tuple[str, TwoInputs]:
    return request.param, inputs_of(request.param)


def inputs_of(key: str) -> TwoInputs:
    return two_inputs(EXAMPLES[key].setting.x1, EXAMPLES[key].setting.x2)


def test_inputs_and_values_are_the_papers(example: tuple[str, TwoInputs]) -> None:
    key, inputs = example
    (head1, cells1), (head2, cells2), _ = rows(key)
    assert (inputs.x1, inputs.x2) == (point(head1), point(head2))
    neurons = [*inputs.neurons(2), *inputs.neurons(3)]
    assert len(cells1) == len(cells2) == len(neurons) == 6
    for cell1, cell2, each in zip(cells1, cells2, neurons, strict=True):
        assert (each.u1, each.v1) == pytest.approx(values(cell1), abs=1e-12)
        assert (each.u2, each.v2) == pytest.approx(values(cell2), abs=1e-12)


def test_sign_changes_are_the_papers_but_for_one(example: tuple[str, TwoInputs]) -> None:
    key, inputs = example
    cells = rows(key)[2][1]
    for place, (cell, each) in enumerate(zip(cells, [*inputs.neurons(2), *inputs.neurons(3)], strict=True)):
        assert each.changed is ((cell == "sc") != ((key, place) == ERRATUM))


def test_inputs_and_pair_are_those_of_the_text(example: tuple[str, TwoInputs]) -> None:
    key, inputs = example
    given, covered = TEXTS[key]
    one, two = re.findall(r"x_[12]=\(([^)]*)\)", given)
    assert (inputs.x1, inputs.x2) == (point(one), point(two))
    pair = EXAMPLES[key].setting.pair
    condition, decision = covered.split(r"\},")
    assert [(int(k), int(i)) for k, i in re.findall(r"_\{(\d),(\d)\}", decision)] == [
        (pair.decision.layer, i + 1) for i in pair.decision.neurons
    ]
    named = [(int(k), int(i)) for k, i in re.findall(r"_\{(\d),(\d)\}", condition)]
    assert named == [(pair.condition.layer, i + 1) for i in pair.condition.neurons if key != "vv"]  # vv: for any i


@pytest.mark.parametrize("key", CRITERIA)
def test_each_is_covered_as_the_paper_says(key: str) -> None:
    setting = EXAMPLES[key].setting
    assert setting.method.key == key
    assert inputs_of(key).covers(setting.method, setting.pair)


def test_vv_covers_for_every_i() -> None:
    setting = EXAMPLES["vv"].setting
    inputs = two_inputs(setting.x1, setting.x2)
    found = [pair for pair in inputs.pairs() if inputs.covers(setting.method, pair)]
    assert [(p.condition.neurons, p.decision.layer, p.decision.neurons) for p in found] == [
        ((i,), 3, (2,)) for i in range(3)
    ]


@pytest.mark.parametrize(("key", "neuron", "ratio"), [("sv", 1, 5.71), ("vv", 2, 2.96)])
def test_ratios_are_the_papers(key: str, neuron: int, ratio: float) -> None:
    setting = EXAMPLES[key].setting
    each = two_inputs(setting.x1, setting.x2).neurons(3)[neuron]
    assert round(each.u1 / each.u2, 2) == ratio
    assert f"≈ {ratio}" in EXAMPLES[key].words
