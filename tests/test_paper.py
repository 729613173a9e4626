"""The paper's numbers as they stand in its source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dnncov_core.paper import number_of, papers_coverage, papers_seconds


@pytest.mark.parametrize(
    ("network", "criterion", "coverage", "adversarial"),
    [
        ("mnist-n1", "ss", 99.7, 18.9),
        ("mnist-n3", "vv", 98.6, 11.0),
        ("mnist-n5", "vs", 99.1, 9.6),
        ("mnist-n7", "sv", 99.2, 3.8),
        ("mnist-n10", "vv", 93.9, 4.5),
    ],
)
def test_rows_and_columns_are_in_place(network: str, criterion: str, coverage: float, adversarial: float) -> None:
    found = papers_coverage(network, criterion)
    assert found is not None
    assert (found.coverage, found.adversarial) == (coverage, adversarial)


@pytest.mark.parametrize(
    "network",
    ["toy", "cifar10-cnn", "vgg16", "mnist-n0", "mnist-n11", "net10", "cnn10", "my-cnn3", "perception3", "nets:cnn3"],
)
def test_other_networks_have_none(network: str) -> None:
    assert number_of(network) is None
    assert papers_coverage(network, "ss") is None
    assert papers_seconds(network, 2) is None


def test_seconds_are_those_of_the_layer_pair() -> None:
    assert [papers_seconds("mnist-n9", k) for k in range(1, 6)] == [None, 0.57, 0.61, 0.86, None]


def test_results_say_how_far_below_the_papers_adversarial_rates_are() -> None:
    """With seeds in random order: counted again from the table above the sentence."""
    text = (Path(__file__).parent / "benchmarks/RESULTS.md").read_text(encoding="utf-8")
    table = text.partition("The paper's AE rates belong to its random seeds")[2].partition("Nearest first covers more")[
        0
    ]
    cells = re.findall(r"^\| n\d+ \| \w\w \| (\d+) \| (\d+) \|[^|]*\| ([\d.]+)% \(([\d.]+)\)", table, re.MULTILINE)
    rows = [tuple(map(float, cell)) for cell in cells]
    below = sum(ours < papers for _, _, ours, papers in rows)
    found = sum(round(covered * ours / 100) for covered, _, ours, _ in rows)
    expected = sum(of * papers / 100 for _, of, _, papers in rows)
    said = " ".join(text.split())
    assert f"lies below the paper's in {below} of these {len(rows)} cells: {found} adversarial pairs were found" in said
    assert f"the paper's rates give {expected:.0f} of the {sum(of for _, of, _, _ in rows):,.0f} pairs" in said
