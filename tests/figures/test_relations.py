"""The paper's diagram of criteria on a measurement."""

from __future__ import annotations

from typing import Any

from dnncov_core.figures.coverage import plot_suite_coverage
from dnncov_core.figures.lemmas import ANSWER_LOOKS, HOVER, PLACES, plot_relations, relations_in_words
from dnncov_core.suites.lemmas import RELATIONS, Answer
from tests.suites.made import baseline, covering, measurement, patterns

NEURONS = baseline("n", (60, 22, 63))
SOME = measurement(
    covering("ss", (10, 1386, 630)),
    covering("vs", (1474, 1386, 630)),
    NEURONS,
    baseline("tn:2", (5, 5, 5)),
    patterns(9),
)


def marks(figure: Any) -> dict[tuple[str, str], str]:
    """The name of the legend's entry by arrow."""
    return {tuple(data): trace.name for trace in figure.data if trace.name for data in trace.customdata}


def test_every_criterion_has_its_place() -> None:
    assert set(PLACES) == {key for each in RELATIONS for key in (each.weaker, each.stronger)}
    assert len(set(PLACES.values())) == len(PLACES)
    for each in RELATIONS:
        assert PLACES[each.weaker][1] < PLACES[each.stronger][1]


def test_every_arrow_says_whether_it_holds() -> None:
    found = marks(plot_relations(SOME))
    assert set(found) == {(each.weaker, each.stronger) for each in RELATIONS}
    assert found["n", "ss"] == "holds here"
    assert found["n", "vs"] == "does not hold here"
    assert found["ss", "s"] == found["tn", "vs"] == "cannot be told"
    assert found["mn", "sv"] == "not measured"


def test_arrows_differ_by_more_than_colour() -> None:
    for name in ("colour", "dash", "symbol"):
        assert len({getattr(look, name) for look in ANSWER_LOOKS.values()}) == len(Answer)


def test_nodes_show_what_was_measured() -> None:
    texts = {text for trace in plot_relations(SOME).data if trace.text for text in trace.text}
    assert {"58.1 %", "100 %", "95.4 %", "9 patterns"} <= texts
    assert {f"<b>{key.upper()}</b>" for key in PLACES} <= texts
    hovers = [text for trace in plot_relations(SOME).data if trace.hovertext for text in trace.hovertext]
    assert "<b>MN (multisection neuron coverage)</b><br>not measured" in hovers
    assert "<b>TN (top neuron coverage)</b><br>9.9 % (15 of 152)<br>asked as tn:2" in hovers


def test_hovers_name_what_a_lemma_asks_for() -> None:
    hovers = [text for trace in plot_relations(SOME).data if trace.name for text in trace.hovertext]
    assert len(hovers) == len(RELATIONS)
    assert sum("for a suitable g" in text.replace("<br>", " ") for text in hovers) == 6


def test_criteria_of_one_name_are_told_apart() -> None:
    found = measurement(covering("sv", (10, 1386, 630)), covering("sv:nb", (5, 1386, 630)), baseline("nb", (5, 5, 5)))
    figure = plot_relations(found)
    hovers = [text for trace in figure.data if trace.hovertext for text in trace.hovertext]
    assert any("58.1 % (2,026 of 3,490)<br>57.9 % (2,021 of 3,490)<br>asked as sv:nb" in text for text in hovers)
    assert any("measured with the lemma's value function: sv:nb" in text.replace("<br>", " ") for text in hovers)
    assert max(len(line) for text in hovers for line in text.split("<br>") if "<b>" not in line) <= HOVER
    assert marks(figure)["nb", "sv"] == "holds here"
    assert "SV: 58.1 %; SV, g: NB: 57.9 %; NB: 9.9 %" in relations_in_words(found)
    assert "NB weaker than SV: holds here" in relations_in_words(found)


def test_a_lower_bound_is_marked() -> None:
    found = measurement(NEURONS, covering("ss", (10, 1386, 630), bound="left out"))
    figure = plot_relations(found)
    assert "≥ 58.0 %" in {text for trace in figure.data if trace.text for text in trace.text}
    assert marks(figure)["n", "ss"] == "cannot be told"
    bars, _, labels = plot_suite_coverage((found, found.criteria[1])).data
    assert "a lower bound: left out" in bars.hovertext[0]
    assert labels.text[0].startswith("<b>≥ 0.6 %</b>")


def test_words_say_the_same() -> None:
    text = relations_in_words(SOME)
    assert "SS: 58.1 %" in text
    assert "N weaker than SS: holds here" in text
    assert text.count("weaker than") == len(RELATIONS)
