"""One campaign from start, or from where it was left, to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from dnncov_core.activations import one_thread
from dnncov_core.campaign.batch import batch_of
from dnncov_core.campaign.file.counts import OnProgress
from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.baseline_searches import run_missing_searches
from dnncov_core.campaign.work.executors import handed_out
from dnncov_core.campaign.work.inputs import data_of, network_of
from dnncov_core.campaign.work.judge import Judge
from dnncov_core.campaign.work.plan import CPU, device_for, pending_batches, plan_targets, reference_boundaries
from dnncov_core.campaign.work.pool import Pool, processes_for
from dnncov_core.campaign.work.ray_cluster import RayCluster
from dnncov_core.campaign.work.reuse import Reuse
from dnncov_core.campaign.work.seeds import correct_rows, plan_seeds
from dnncov_core.campaign.work.task import Assignment, Task
from dnncov_core.data import Data
from dnncov_core.errors import CampaignError
from dnncov_core.networks.memory import for_gradients, processes_fit
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import FINGERPRINT_SHOWN, WHOLE, NetworkCard, Stage, State, Target, TargetResult
from dnncov_core.registry import open_data_for

LAST_STEP = "All test conditions are done. Baseline searches with the same budgets are running."
"""What a worker says when it is done with all targets."""
AT_ONCE = 100
"""Test pairs whose effects are judged and stored together."""


def run(
    store: CampaignStore,
    *,
    network: str | None,
    data: str | None,
    reference: str | None,
    device: str | None,
    processes: int | None,
    ray: str | None,
    on_progress: OnProgress,
    check: Callable[[], None],
) -> None:
    """Prepares the campaign if it is new, then works on every target that has no outcome yet.

    ``check`` is called between attempts and may raise to stop; the other arguments are those of `worker.work`.

    Raises:
        DnncovError: bad input, or a file of another network or other data.
    """
    loaded, card = network_of(store, network)
    images = data_of(store, loaded, data)
    named = device or store.spec().device
    works_on = device_for(named)
    if store.card() is None:
        check()
        store.stages.begin(Stage.PLAN)
        _prepare(store, loaded.to(device=works_on), card, images, reference)
    spec = store.spec()
    _find_correct(store, loaded.to(device=works_on), images)
    store.worker.enter(State.RUNNING, device=str(works_on))
    store.stages.begin(Stage.SEARCH)
    pending = store.targets.pending()
    labels = spec.objective != "distance"
    reuse = Reuse(loaded, store.covering_method(), pending, labels=labels) if spec.reuse else None
    shard, size = store.prepared.shard(), store.prepared.batch()
    batches = pending_batches(store.targets.all(), pending, size, whole=spec.reuse, shard=shard)
    progress = store.counts.progress()
    if shard != WHOLE:
        progress = replace(progress, total=progress.done + sum(map(len, batches)))
    on_progress(progress)
    n = processes_for(batches, processes, works_on if spec.by_gradients else CPU)
    if processes is None and spec.by_gradients and works_on == CPU and not processes_fit(loaded, n, size):
        n = 1  # with all threads
    assignment = Assignment.of(store, network=network, data=data, device=named)
    task = Task(assignment, loaded, images)
    if ray is not None:
        results = handed_out(RayCluster(assignment, ray, processes), batches, check, task=task, reuse=reuse)
    elif n > 1:
        results = handed_out(Pool(assignment, n), batches, check, task=task, reuse=reuse)
    else:
        results = _in_this_process(task, batches, check, reuse)
    as_others_do = n > 1 or ray is not None or not spec.by_gradients  # who work on one thread, to the same last bits
    with one_thread() if as_others_do else nullcontext():
        for batch in results:
            done, others = (batch, []) if reuse is None else reuse.settle(batch)
            store.record(done, others)
            progress = progress.after(done, others)
            on_progress(progress)
            check()
    store.worker.enter(State.RUNNING, message=LAST_STEP)
    store.stages.begin(Stage.BASELINE)
    _add_missing_effects(store, loaded, check)
    run_missing_searches(store, for_gradients(loaded.to(device=works_on)), check)


def _prepare(store: CampaignStore, network: Network, card: NetworkCard, data: Data, reference: str | None) -> None:
    spec = store.spec().for_network(network)
    if spec.suite_gaps is not None:
        _refuse_other(spec.suite_gaps.network, card.fingerprint, "network")
    plan = plan_targets(network, spec, store.prepared.listed())
    search = spec.search(network, spec.covering_method())  # refuses before anything is stored
    seeds = plan_seeds(network, data, spec)
    boundaries = None
    if spec.reference is not None:
        reference_data = open_data_for(network, reference or spec.reference, labelled=False)
        if spec.suite_gaps is not None:
            _refuse_other(spec.suite_gaps.reference, reference_data.fingerprint, "reference data")
        boundaries = reference_boundaries(network, reference_data, plan.targets)
    store.prepare(
        spec,
        card,
        data.fingerprint,
        seeds,
        plan.targets,
        available=plan.available,
        boundaries=boundaries,
        batch=batch_of(spec, search.batch, len(plan.targets)),
        source=data.source,
    )


def _refuse_other(measured: str, fingerprint: str, what: str) -> None:
    """Refuses a list of test conditions that was measured with another network, or with other reference data."""
    if measured != (own := fingerprint[:FINGERPRINT_SHOWN]):
        got = f"{what} {own}, by the fingerprint"
        fix = "measure this one (dnncov measure --open), or run the one that was measured"
        raise CampaignError(f"the {what} {measured} with which the list of test conditions was measured", got, fix)


def _find_correct(store: CampaignStore, network: Network, data: Data) -> None:
    """Stores the correctly classified inputs where conditions go on to them only since a retry."""
    report = store.prepared.seeds()
    assert report is not None
    sampled = report.correct is None and len(report.rows) < report.n_correct
    if sampled and store.spec().seeds_beyond:
        store.prepared.keep_correct(np.union1d(report.rows, correct_rows(network, data)))


def _in_this_process(
    task: Task, batches: Sequence[Sequence[Target]], check: Callable[[], None], reuse: Reuse | None
) -> Iterator[Sequence[TargetResult]]:
    """Results, batch by batch in their order; with ``reuse`` only those of batches that have a pending target."""
    for batch in batches:
        if reuse is None or reuse.any_pending(batch):
            yield list(task.results(batch, check))


def _add_missing_effects(store: CampaignStore, network: Network, check: Callable[[], None]) -> None:
    """Judges the effects that a file of an earlier version lacks, and stores them; what is stored stays."""
    spec = store.spec()
    judge = Judge(network, store.covering_method(), Oracle(spec.norm, spec.bound))
    while missing := store.pairs.page(PairFilter(without_effects=True), limit=AT_ONCE):
        check()
        store.pairs.record_effects(map(judge.with_effects, missing))
