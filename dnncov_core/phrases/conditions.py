"""Test conditions: why one is not covered, what attempts came to, and which were tried again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dnncov_core.campaign.file.conditions import ConditionRecord, Status
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.speed import most_seeds
from dnncov_core.criteria.effects import EFFECTS, NO_EFFECT
from dnncov_core.phrases.effect import as_asked, effect_of
from dnncov_core.phrases.numbers import agreeing, counted, out_of
from dnncov_core.phrases.proofs import NO_TWO_INPUTS, certificate_words
from dnncov_core.ratios import NOTHING, Ratio
from dnncov_core.records import (
    BUDGETS,
    Attempt,
    Certificate,
    Justification,
    KnownJustification,
    NetworkCard,
    Outcome,
    Retry,
)

ATTEMPTS: Mapping[Outcome, str] = {
    Outcome.INFEASIBLE_HERE: "no x2 within the activation pattern of this seed does what is asked",
    Outcome.EXHAUSTED: "no x2 that does what is asked was found from this seed within its budget of passes",
}
"""What came of attempts that left no message."""
MOST_NAMED = 6
"""Test conditions that are named by their ordinals; of the others it is said how many there are."""


def why(
    condition: ConditionRecord,
    certificate: Certificate | None,
    *,
    card: NetworkCard | None,
    seeds: int,
    effect: str = NO_EFFECT,
) -> str:
    """Why a condition is not covered: its certificate, its justification, its error, or what was tried.

    Of a covered one, the justification that its test pair refutes, or the effect that this does not show; else nothing.

    ``card`` is that of the network, None before a campaign was started, ``seeds`` how many the campaign has, and
    ``effect`` the one that it asks for.
    """
    if certificate is not None and card is not None:
        return certificate_words(certificate, card)
    if certificate is None and condition.status is Status.PROVED_INFEASIBLE:
        return NO_TWO_INPUTS
    if condition.justification is not None and (condition.refuted or condition.status is Status.JUSTIFIED):
        return justification_words(condition.justification, condition.refuted_by)
    if condition.status is Status.WITHOUT_EFFECT:
        return f"in the witness {effect_of(condition.needed, condition.sufficient)}"
    if condition.status is Status.ERROR:
        return condition.message
    tried = f"{condition.seeds_tried:,} of {counted(seeds, 'seed')}"
    if condition.status is Status.EXHAUSTED:
        last = f"; the last message: {condition.message}" if condition.message else ""
        return f"tried from {tried}, and no x2{as_asked(effect)} was found{last}"
    if condition.status is Status.PENDING and condition.seeds_tried:
        return f"waits to be tried again; until now it was tried from {tried}"
    return ""


def justification_words(said: Justification, refuted_by: int | None = None) -> str:
    """A justification with who gave it and when, and the test pair that refutes it, if one does."""
    refuted = "" if refuted_by is None else f", refuted by pair {refuted_by}"
    return f"{said.reason} ({said.author}, {said.date}){refuted}"


def history_words(said: KnownJustification) -> str:
    """A justification with who gave it and when, what became of it, and when and by whom it ended.

    >>> history_words(KnownJustification(3, "never seen", "A", "2026-01-02", None, "withdrawn", "2026-01-03T04:05:06Z"))
    'never seen (A, 2026-01-02); withdrawn 2026-01-03 04:05:06 UTC'
    """
    given, ended = (time.replace("T", " ").replace("Z", " UTC") for time in (said.time or said.date, said.ended))
    by = f"by {said.ended_by}" if said.ended_by else ""
    return f"{said.reason} ({said.author}, {given}); {' '.join(filter(None, (said.became, ended, by)))}"


def refuted_words(refuted: Sequence[ConditionRecord]) -> str:
    """Which test pairs refute justifications; empty where none does."""
    if not refuted:
        return ""
    named = ", ".join(str(each.refuted_by) for each in refuted[:MOST_NAMED])
    more = f" and {len(refuted) - MOST_NAMED:,} more" if len(refuted) > MOST_NAMED else ""
    pairs, cover = ("pair", "covers its test condition") if len(refuted) == 1 else ("pairs", "cover their conditions")
    are = agreeing(len(refuted), "is", "are")
    return (
        f"{counted(len(refuted), 'justification')} {are} refuted by {pairs} {named}{more}, which {cover} all the same."
    )


def cost_words(attempt: Attempt) -> str:
    """What an attempt cost: passes of gradient search, or calls of linear programmes; "n/a" where neither was counted.

    >>> cost_words(Attempt(0, Outcome.FOUND, 0.1, calls=1, iterations=2000))
    '1 LP call, 2,000 iterations'
    """
    if attempt.passes is not None:
        return counted(attempt.passes, "pass", "passes")
    if attempt.calls is None:
        return NOTHING
    programmes = counted(attempt.calls, "LP call")
    return programmes if attempt.iterations is None else f"{programmes}, {counted(attempt.iterations, 'iteration')}"


def attempt_words(attempt: Attempt) -> str:
    """What came of an attempt: its message, or what its outcome means."""
    return attempt.message or ATTEMPTS.get(attempt.outcome, "")


def fewer_seeds(spec: CampaignSpec, there: int | None) -> str:
    """A sentence where a budget is for more seeds than there are, which is None if not known; the usual one may be.

    >>> fewer_seeds(CampaignSpec("net", "mnist", max_seeds=100_000), 5000)
    'At most 5,000 seeds are tried for one condition, since there are no more; the budget is 100,020.'
    >>> fewer_seeds(CampaignSpec("net", "mnist", max_seeds=100_000), None), fewer_seeds(CampaignSpec("net", "few"), 20)
    ('', '')
    """
    asked = most_seeds(spec)
    usual = (CampaignSpec.max_seeds, CampaignSpec.more_seeds)
    if there is None or asked <= there or (spec.max_seeds, spec.more_seeds) == usual:
        return ""
    most = f"{counted(there, 'seed')} {agreeing(there, 'is', 'are')}"
    return f"At most {most} tried for one condition, since there are no more; the budget is {asked:,}."


def raised(retry: Retry) -> str:
    """Which conditions were tried again, and with what.

    >>> raised(Retry(("exhausted", "error"), (3, 4), 12, (41, 400), (100, 400)))
    '12 conditions (exhausted or error, decision layers 3, 4) tried again with at most 100 seeds instead of 41'
    >>> raised(Retry(("error",), (), 1, (41, 400), (41, 400)))
    '1 condition (error) tried again with the same budgets'
    >>> raised(Retry(("without_effect",), (), 47, (41, 400), (41, 400), effect="needed"))
    'tried again with effect needed: 47 test conditions'
    >>> raised(Retry(("without_effect",), (), 47, (41, 400), (41, 400), effect="needed", origin="first"))
    'searched again from first with effect needed: 47 test conditions'
    >>> raised(Retry(("exhausted",), (), 2, (41, 400), (50, 400), chosen=True))
    '2 chosen conditions (exhausted) tried again with at most 50 seeds instead of 41'
    """
    if retry.effect is not None:
        conditions = counted(retry.conditions, "test condition")
        how = "tried again" if retry.origin is None else f"searched again from {retry.origin}"
        return f"{how} with effect {EFFECTS[retry.effect].title.lower()}: {conditions}"
    layers = f", decision layers {', '.join(map(str, retry.layers))}" if retry.layers else ""
    kinds = zip(BUDGETS.values(), retry.before, retry.after, strict=False)
    larger = " and ".join(f"{new:,} {name} instead of {old:,}" for name, old, new in kinds if old != new)
    budgets = f"at most {larger}" if larger else "the same budgets"
    conditions = counted(retry.conditions, "chosen condition" if retry.chosen else "condition")
    some = f"{conditions} ({' or '.join(retry.outcomes)}{layers})"
    return f"{some} tried again with {budgets}"


def retry_words(spec: CampaignSpec, covered: Ratio | None) -> str:
    """What came of the last retry, by what `newly_covered` counts; empty where it is not known."""
    if covered is None:
        return ""
    pending = spec.retries[-1].pending
    before = f", {pending:,} of which had not been tried before" if pending else ""
    return f"{out_of(covered, 'test condition')} newly covered{before}"
