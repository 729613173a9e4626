"""Why test conditions are not covered, by everything that can be known of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from dnncov_core.campaign.file.conditions import ConditionRecord, Status
from dnncov_core.phrases.conditions import ATTEMPTS, attempt_words, refuted_words, why
from dnncov_core.records import Attempt, Certificate, Outcome
from tests.builders import card, mixed


@pytest.fixture
def conditions(tmp_path: Path) -> dict[Status, ConditionRecord]:
    with mixed(tmp_path / "a.dnncov") as store:
        return {condition.status: condition for condition in store.conditions.page(statuses=Status)}


def test_each_status_says_why(conditions: dict[Status, ConditionRecord]) -> None:
    said = {status: why(condition, None, card=card(), seeds=40) for status, condition in conditions.items()}
    assert said[Status.COVERED] == ""
    assert said[Status.WITHOUT_EFFECT] == "in the witness the condition's change is neither needed nor sufficient"
    assert said[Status.PENDING] == ""
    assert said[Status.JUSTIFIED] == "never seen by the camera (A. Engineer, 2026-01-02)"
    assert said[Status.ERROR] == "expected finite values; got NaN; check the weights"
    assert said[Status.EXHAUSTED] == "tried from 1 of 40 seeds, and no x2 was found"
    sought = why(conditions[Status.EXHAUSTED], None, card=card(), seeds=40, effect="both")
    assert sought == "tried from 1 of 40 seeds, and no x2 with the effect asked for was found"


def test_a_witness_refutes_a_justification(conditions: dict[Status, ConditionRecord]) -> None:
    said = conditions[Status.JUSTIFIED].justification
    refuted = dataclasses.replace(conditions[Status.COVERED], justification=said)
    pair = refuted.target.ordinal
    text = f"never seen by the camera (A. Engineer, 2026-01-02), refuted by pair {pair}"
    assert why(refuted, None, card=card(), seeds=40) == text
    assert refuted_words([]) == ""
    one = f"1 justification is refuted by pair {pair}, which covers its test condition all the same."
    assert refuted_words([refuted]) == one
    many = "8 justifications are refuted by pairs 20, 20, 20, 20, 20, 20 and 2 more, which cover their conditions"
    assert refuted_words([refuted] * 8) == f"{many} all the same."


def test_a_certificate_comes_first(conditions: dict[Status, ConditionRecord]) -> None:
    proof = Certificate(2, 7, 1, 0.5, 2.5, "mip", 0.1)
    text = "layer 2, neuron 7 has u ≥ 0 for every input (from 0.5 to 2.5, by mixed-integer programming)"
    assert why(conditions[Status.PROVED_INFEASIBLE], proof, card=card(hidden=(9, 4)), seeds=40) == text


def test_an_attempt_says_its_message_or_its_outcome() -> None:
    for outcome in (Outcome.INFEASIBLE_HERE, Outcome.EXHAUSTED):
        assert attempt_words(Attempt(0, outcome, 0.1)) == ATTEMPTS[outcome]
    assert attempt_words(Attempt(0, Outcome.ERROR, 0.1, message="broke")) == "broke"
    assert attempt_words(Attempt(0, Outcome.FOUND, 0.1)) == ""
