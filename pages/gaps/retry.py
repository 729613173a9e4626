"""Test conditions that were exhausted or failed, tried again with larger budgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import is_proving, search_with_effect, searched_again, try_again
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.review.retry import FAILED, RETRIED, all_tried, newly_covered, seeds_there
from dnncov_core.criteria.effects import shown_effect
from dnncov_core.phrases.conditions import retry_words
from dnncov_core.phrases.numbers import counted
from dnncov_core.records import Outcome
from pages.shared.campaigns import CAMPAIGN
from pages.shared.job_buttons import AFTER_THE_WORKER
from pages.shared.jobs import is_active
from pages.shared.page_registry import link
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import help_of

AFTER_THE_PROOF = "This can start once the proof has ended."
LEAST_MORE = 10
"""Seeds that are offered beyond those tried: as many again, or so many where these are few."""
MOST_SEEDS = "{now:,} until now, which count among them; there are {pool:,} seeds in all."
MOST_PASSES = "Forward and backward passes of gradient search; {now:,} until now."
SEEDS_BEYOND = "The nearest of all {there:,} inputs that the network gets right; {now:,} until now."


def retry_panel(store: CampaignStore, selected: Sequence[int]) -> None:
    """New budgets, and the button that starts a worker with them; says why where it cannot start.

    It is for the selected rows of the table, or without any for all conditions that were exhausted or failed.
    """
    counts, spec, place = _counts(store, selected), store.spec(), f"retry-{store.path.stem}"
    seeds_left = not all_tried(store)
    outcomes = RETRIED if seeds_left else FAILED
    n = sum(number for outcome, number in counts.items() if outcome.value in outcomes)
    busy = AFTER_THE_WORKER if is_active(store) else AFTER_THE_PROOF if is_proving(store) else ""
    reason = busy or ("" if n else _nothing(counts, seeds_there(store), selected, seeds_left=seeds_left))
    with st.container(border=True, height="stretch"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            keys = _budgets(store) if seeds_left else {}
            st.button(
                f"{'Selected: try' if selected else 'Try'} again {'with more seeds' if seeds_left else 'what failed'}",
                icon=":material/replay:",
                disabled=bool(reason),
                key="retry",
                on_click=attempt,
                args=(place, _retry, store.path.stem, keys, outcomes, selected),
                help="Conditions that were exhausted or failed: the selected rows of the table, or without any all of"
                " them. What is covered stays, and so do earlier attempts.",
            )
        st.caption(reason or f"{counted(n, 'test condition')} would be tried again; the page Run shows how.")
        say_refusal(place)
        if not is_active(store) and (came := retry_words(spec, newly_covered(store))):
            st.caption(f"The last retry: {came}.")


def _counts(store: CampaignStore, selected: Sequence[int]) -> Mapping[Outcome, int]:
    """How the selected test conditions ended, or without any all of the campaign."""
    if not selected:
        return store.counts.outcomes()
    return Counter(each.outcome for each in map(store.conditions.one, selected) if each is not None)


def effect_button(store: CampaignStore, n: int) -> None:
    """The button that searches again, in a new campaign, for the ``n`` conditions that are covered without effect."""
    if not n:
        return
    effect, place = shown_effect(store.spec().effect), f"with-effect-{store.path.stem}"
    words = f"In a new campaign, in which only witnesses with effect ({effect}) count; this one stays as it is."
    begun = searched_again(store, effect)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            f"Search again with effect: {counted(n, 'test condition')}",
            icon=":material/replay:",
            disabled=begun is not None or is_active(store) or is_proving(store),
            key="with-effect",
            on_click=attempt,
            args=(place, search_with_effect, store.path.stem, effect),
            help=f"{words} The page Run shows how it comes along.",
        )
        if begun is not None:
            link("run", f"Begun, with effect ({effect}): open the new campaign", {CAMPAIGN: begun})
    say_refusal(place)


def _budgets(store: CampaignStore) -> dict[str, str]:
    """Fields for the new budgets; their keys by the names of the budgets."""
    spec, pool, there = store.spec(), store.prepared.pool(), seeds_there(store)
    seeds, beyond = (n + max(LEAST_MORE, n) for n in (spec.max_seeds, spec.more_seeds))
    fields = {"max_seeds": (max(spec.max_seeds, min(pool, seeds)), LEAST_MORE, MOST_SEEDS)}
    if spec.by_gradients:
        fields["passes"] = (2 * spec.passes, 100, MOST_PASSES)
    if there > pool:
        fields["more_seeds"] = (min(there, beyond), LEAST_MORE, SEEDS_BEYOND)
    keys = {name: f"retry-{name}-{store.path.stem}-{getattr(spec, name)}" for name in fields}
    for name, (value, step, words) in fields.items():
        label, said = PARAMETERS[name].label, words.format(now=getattr(spec, name), pool=pool, there=there)
        st.number_input(label, value=value, step=step, key=keys[name], width=240, help=help_of(label, said))
    return keys


def _nothing(counts: Mapping[Outcome, int], pool: int, selected: Sequence[int], *, seeds_left: bool) -> str:
    """Why there is nothing to try again."""
    if not seeds_left and counts.get(Outcome.EXHAUSTED):
        return f"All {pool:,} seeds were tried; pairs of the inputs themselves may cover more, which Measure shows."
    return f"No {'selected row' if selected else 'test condition'} was exhausted or failed."


def _retry(campaign_id: str, keys: dict[str, str], outcomes: tuple[str, ...], selected: Sequence[int]) -> None:
    """Starts the retry with what the fields say."""
    budgets = {name: st.session_state.get(key) for name, key in keys.items()}
    try_again(campaign_id, outcomes=outcomes, ordinals=selected, **budgets)
