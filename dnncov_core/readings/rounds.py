"""Rounds of trials: each tries the best readings with one step more, as long as one of them is clearly better.

A reading is tried on few inputs first, and on more and more while it may be the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dnncov_core.readings.steps import FAMILIES, Step, steps, usual_range
from dnncov_core.readings.trials import Reading, Sample, Trial
from dnncov_core.types import OnProgress

FEWEST_WRONG = 10
"""Wrong answers below which no reading can be clearly better."""
BEAM, ROUNDS = 3, 3
"""How many of the best readings get one more step while they are near chance, else one does; and how often."""
FEWEST, FIRST_TRIED, VALUES = 12, 40, 2**25
"""Inputs that a reading is first tried on, at least and at most; and their values in all layers together."""
GROWTH, AGAIN = 3, 8
"""How many times as many inputs the readings that lead are tried on then, until these are all; and how many lead."""
MANY = 100
"""Inputs on which a reading must be better than the best one of the round before."""


class Rounds:
    """The search for a better reading of a sample.

    Args:
        sample: the network and the inputs.
        bases: how inputs become those that the network takes; nothing is done where they are.
        on_progress: told after each reading what was tried, how many inputs have gone through the network, and how
            many are expected to. What it raises ends the search.
    """

    def __init__(self, sample: Sample, bases: Sequence[Reading], on_progress: OnProgress) -> None:
        self._sample, self._bases, self._tell = sample, bases, on_progress
        self._n, self._expected = len(sample.rows), 0
        self._steps = steps(sample.data.shape, usual_range(sample.data))
        neurons = sum(layer.neurons for layer in sample.network.layers)
        self._n_first = max(FEWEST, min(FIRST_TRIED, VALUES // neurons))

    def trials(self) -> list[Trial]:
        """All trials. While all are near chance, two steps are tried together, too."""
        self._expected = len(self._bases) * self._n
        trials = [trial for base in self._bases for trial in self._tried(base, self._n)]
        leading, known = list(self._bases), set(self._bases)
        for n_steps in range(ROUNDS):
            before = max(trials, key=_by_lead)
            if before.accuracy.total - before.accuracy.n < FEWEST_WRONG and before.inside:
                break
            longer = (_sorted((*each, step)) for each in leading for step in self._steps if _is_new(step, each))
            added = [each for each in dict.fromkeys(longer) if each not in known]
            known.update(added)
            found = sorted(self._round(added, before), key=_by_lead, reverse=True)
            trials += found
            is_better = any(trial.beats(before) for trial in found[:AGAIN])
            if not found or not (is_better or (n_steps == 0 and before.is_poor)):
                break
            n_leading = BEAM if found[0].is_poor else 1
            leading = list(dict.fromkeys(trial.steps for trial in found))[:n_leading]
        return trials

    def _round(self, readings: Sequence[Reading], before: Trial) -> Iterator[Trial]:
        """The trials of readings, each on as many inputs as it leads on."""
        found: dict[Reading, list[Trial]] = {}
        leading, n = list(readings), 0
        while leading and n < self._n:
            more = min(GROWTH * n or self._n_first, self._n) - n
            n += more
            self._expected = self._sample.n_sent + len(leading) * more + min(len(leading), BEAM) * (self._n - n)
            for each in leading:
                found[each] = self._tried(each, n)
            leading = _leading({each: max(found[each], key=_by_lead) for each in leading}, before)
        return (trial for each in readings for trial in found[each])

    def _tried(self, reading: Reading, n: int) -> list[Trial]:
        trials = list(self._sample.trials(reading, n))
        tried = ", and ".join(step.cause for step in reading) or "the data as they are"
        self._tell(tried, self._sample.n_sent, self._expected)
        return trials


def _leading(trials: dict[Reading, Trial], before: Trial) -> list[Reading]:
    """The readings that may be the best, by the best trial of each: above chance, and not told from the first."""
    order = sorted(trials, key=lambda each: _by_lead(trials[each]), reverse=True)
    first = trials[order[0]]
    return [each for each in order[:AGAIN] if trials[each].ties(first) and _may_win(trials[each], before)]


def _may_win(trial: Trial, before: Trial) -> bool:
    brings_inside = trial.inside and not before.inside
    return not trial.is_poor and (len(trial.correct) < MANY or brings_inside or trial.leads(before))


def _by_lead(trial: Trial) -> tuple[int, float]:
    """Of how many inputs, and of these the share; who led was tried on more."""
    return len(trial.correct), trial.share


def _is_new(step: Step, taken: Reading) -> bool:
    return all(step.family != each.family for each in taken)


def _sorted(reading: Reading) -> Reading:
    return tuple(sorted(reading, key=lambda step: FAMILIES.index(step.family)))
