"""Test conditions put back to be tried again with more seeds or passes; the specification keeps the earlier budgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnncov_core.campaign.budgets import RETRIED, Retry
from dnncov_core.errors import CampaignError, SpecificationError, unknown_name
from dnncov_core.generators import GENERATORS

if TYPE_CHECKING:
    from dnncov_core.campaign.spec import CampaignSpec
    from dnncov_core.campaign.store import CampaignStore


def retry(
    store: CampaignStore,
    *,
    max_seeds: int | None = None,
    passes: int | None = None,
    outcomes: Sequence[str] = RETRIED,
    layers: Sequence[int] = (),
) -> Retry:
    """Makes uncovered test conditions pending again, with larger budgets; a worker then goes on with them.

    Attempts and test pairs stay. Seeds that a linear programme was solved for are not tried again.

    Args:
        store: a prepared campaign without a worker.
        max_seeds: seeds tried for one condition, earlier ones included; None for as many as before.
        passes: forward and backward passes that gradient search may spend on one condition; None likewise.
        outcomes: conditions that ended so, some of `RETRIED`.
        layers: only these decision layers; empty for all.

    Raises:
        SpecificationError: budgets that are not larger, an unknown outcome or layer.
        CampaignError: nothing to try again, a campaign that was not started, or a worker at it; nothing is changed.
    """
    if store.card() is None:
        raise CampaignError("a campaign with test conditions", "one that was not started", "resume it first")
    for outcome in outcomes:
        if outcome not in RETRIED:
            raise unknown_name("outcome to try again", outcome, RETRIED)
    _check_layers(store, layers)
    spec = store.spec()
    return store.put_back(_raised(spec, max_seeds, passes, tuple(outcomes), tuple(layers)))


def by_passes(spec: CampaignSpec) -> bool:
    """Whether passes are a budget of this campaign."""
    return spec.generator in GENERATORS and GENERATORS[spec.generator].by_gradients


def _raised(
    spec: CampaignSpec, max_seeds: int | None, passes: int | None, outcomes: tuple[str, ...], layers: tuple[int, ...]
) -> Retry:
    if passes is not None and not by_passes(spec):
        raise SpecificationError("passes for gradient search", f"generator {spec.generator}", "leave passes out")
    now = max_seeds or spec.max_seeds, passes or spec.passes
    before = spec.max_seeds, spec.passes
    if now == before or now[0] < before[0] or now[1] < before[1]:
        passes_too = by_passes(spec)
        limits = f"max_seeds above {before[0]}" + (f" or passes above {before[1]}" if passes_too else "")
        if max_seeds is None and passes is None:
            fix = "give --max-seeds N" + (" or --passes N" if passes_too else "")
            raise SpecificationError(limits, "no new budget, with which nothing would change", fix)
        got = f"max_seeds {now[0]}" + (f", passes {now[1]}" if passes_too else "")
        raise SpecificationError(limits, got, "raise a budget, and lower none")
    return Retry(outcomes, layers, 0, before, now)


def _check_layers(store: CampaignStore, layers: Sequence[int]) -> None:
    known = sorted({decision for _, decision in store.status_counts()})
    for layer in layers:
        if layer not in known:
            among = ", ".join(map(str, known))
            raise SpecificationError(f"decision layers among {among}", f"layer {layer}", "change layers")


def nothing_to_retry(asked: Retry) -> CampaignError:
    """The error where no test condition ended as asked."""
    where = f" of decision layers {', '.join(map(str, asked.layers))}" if asked.layers else ""
    return CampaignError(
        f"test conditions{where} that ended as {' or '.join(asked.outcomes)}", "none", "nothing is left to try"
    )
