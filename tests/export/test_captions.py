"""Captions of every figure and table: a sentence with its most important number, and details that lose nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dnncov_core.export import captions, sheets
from dnncov_core.statistics.distances import distance_table
from tests.builders import campaign
from tests.export.made import exhibits

SUMMARIES = {
    "few-coverage": "SS coverage is 75.0 %: 15 of 20 sampled conditions (of 62) have a replayable witness.",
    "empty-coverage": "There is no test condition yet.",
    "few-adversarial": "6 of 15 test pairs are adversarial (40.0 %, from 6 seeds).",
    "few-controls": "From the x1 of 15 test pairs, this campaign's search found an adversarial x2 for 6 (40.0 %),"
    " random perturbations for 5 (33.3 %), and gradient ascent for 8 (53.3 %).",
    "curve-log": "3 of 6 adversarial pairs are within 0.0300 of their seeds (L∞ distance, share of the pixel range).",
    "several-distance-curves-Linf": "1 of 2 adversarial pairs of “strong” is within 0.0100 and 3 of 6 adversarial pairs"
    " of “few” are within 0.0300 of their seeds (L∞ distance, share of the pixel range).",
    "few-gaps-2-3": "In layers 2 → 3, 5 of 7 test conditions are covered, of 20 feature pairs.",
    "convolution-decisions-2-3": "In layers 2 → 3, 7 of 22 test conditions are open, of 1,408 feature pairs of the"
    " decision neurons shown.",
    "mixed-conditions": "10 test conditions have no replayable witness.",
    "few-programmes": "72 linear programmes were solved, in 0.1042 s each on average.",
    "several-main-coverage": "Coverage M is lowest in “few” (75.0 %, 15 of 20 test conditions) and highest in “wide”"
    " (85.7 %, 12 of 14).",
    "several-main-adversarial": "The AE rate is lowest in “wide” (0 %, 0 of 12 test pairs) and highest in “free” (44.4"
    " %, 4 of 9).",
    "several-layerwise-covered": "Coverage is lowest in layer pair 3 → 4 of “strong” (66.7 %, 2 of 3 test conditions)"
    " and highest in layer pair 4 → 5 of “wide” (100 %, 4 of 4).",
    "several-main-table": "In 4 campaigns, 43 of 54 test conditions have a replayable witness, and 12 of 43 test pairs"
    " are adversarial.",
    "several-top-weights": "By SS on mnist-n1, coverage M is 75.0 % (15 of 20) on all feature pairs and 77.8 % (7 of 9)"
    " on the 10 strongest connections into each neuron.",
    "criteria": "What the suite covers is lowest by TN, m = 2 (9.9 %, 15 of 152 test conditions) and highest by VS (100"
    " %, 3,490 of 3,490).",
    "suite-coverage-ss": "By SS, the suite covers 2,026 of 3,490 test conditions (58.1 %, with effect 43.0 %).",
    "relations": "Of 2 relations between criteria that this suite can decide, 1 holds here.",
    "ss-plane": "The plane of inputs has 12 regions, with x1 in region L and x2 in region I.",
    "ss-neurons": "x1 and x2 cover 2 of 15 pairs of single neurons.",
    "ss-definition-parts": "3 of 3 parts of the definition of SS hold for {n2,1} → {n3,1}, so that x1 and x2 cover it.",
}
"""What the app says below the figure or table, by its name in `exhibits`."""


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_summary_says_the_most_important_number(name: str) -> None:
    assert exhibits()[name].caption().summary == SUMMARIES[name]


def test_distances_are_medians_with_quartiles_where_a_deviation_reaches_below_0(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov") as store:
        means, medians = (captions.layer_distances(distance_table(store, quartiles=some)) for some in (None, True))
        rows = sheets.distances(distance_table(store, quartiles=True))
    assert means.summary == (
        "The mean L∞ distance (share of the pixel range) of 6 test pairs is 0.0350 ± 0.0171, and that of the 3"
        " adversarial ones 0.0200 ± 0.00816."
    )
    assert means.details[-1].endswith("The bars are one standard deviation up and down.")
    assert medians.summary == (
        "The median L∞ distance (share of the pixel range) of 6 test pairs is 0.0350 (0.0225 to 0.0475), and that of"
        " the 3 adversarial ones 0.0200 (0.0150 to 0.0250)."
    )
    assert "from the lower to the upper quartile" in medians.details[-1]
    names = [column.name for column in rows.columns]
    total = dict(zip(names, rows.rows[-1], strict=True))
    assert [total[name] for name in ("lower_quartile", "median", "upper_quartile", "median_adversarial")] == [
        pytest.approx(0.0225), pytest.approx(0.035), pytest.approx(0.0475), pytest.approx(0.02)
    ]  # fmt: skip


def test_a_caption_is_one_sentence_and_details_that_end_with_where_the_numbers_come_from() -> None:
    for name, shown in exhibits().items():
        told = shown.caption()
        assert re.fullmatch(r"[^.!?]*(?:\.\d[^.!?]*)*\.", told.summary), (name, told.summary)
        assert told.details[-1] == shown.provenance.closing(), name
        assert all(each.endswith((".", ".”")) for each in told.details), name
        assert str(told) == " ".join((told.summary, *told.details)), name
