"""One campaign from start, or from where it was left, to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dnncov_core.campaign.inputs import data_of, network_of
from dnncov_core.campaign.plan import device_for, plan_seeds, plan_targets
from dnncov_core.campaign.pool import in_processes, processes_for
from dnncov_core.campaign.reuse import Reuse
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.campaign.task import Task
from dnncov_core.campaign.worker import OnProgress, Stop
from dnncov_core.data import Data
from dnncov_core.networks.network import Network
from dnncov_core.records import NetworkCard, State, Target, TargetResult


def run(
    store: CampaignStore,
    *,
    network: str | None,
    data: str | None,
    processes: int | None,
    on_progress: OnProgress,
    stop: Stop,
) -> None:
    """Prepares the campaign if it is new, then works on every target that has no outcome yet.

    Raises:
        DnncovError: bad input, or a file of another network or other data.
        Stopped: `stop` was set.
    """
    spec = store.spec()
    loaded, card = network_of(store, network)
    images = data_of(store, loaded, data)
    device = device_for(spec.device)
    if store.card() is None:
        stop.check()
        _prepare(store, spec, loaded.to(device=device), card, images)
    store.enter(State.RUNNING, device=str(device))
    progress = store.progress()
    on_progress(progress)
    targets = store.pending()
    reuse = Reuse(loaded, spec.covering_method(), targets) if spec.reuse else None
    is_pending = None if reuse is None else reuse.is_pending
    n = processes_for(len(targets), processes)
    if n > 1:
        results = in_processes(store.path, targets, n, stop.check, network=network, data=data, is_pending=is_pending)
    else:
        results = _in_this_process(Task(store, loaded, images), targets, stop.check, is_pending)
    for result in results:
        others = [] if reuse is None else reuse.settle(result)
        store.record(result, others)
        progress = progress.after(result, others)
        on_progress(progress)
        stop.check()


def _prepare(store: CampaignStore, spec: CampaignSpec, network: Network, card: NetworkCard, data: Data) -> None:
    plan = plan_targets(network, spec)
    spec.configured_generator().prepare(network, spec.covering_method())  # refuses here, before anything is stored
    store.prepare(card, data.fingerprint, plan_seeds(network, data, spec), plan.targets, plan.available)


def _in_this_process(
    task: Task, targets: list[Target], check: Callable[[], None], is_pending: Callable[[Target], bool] | None
) -> Iterator[TargetResult]:
    """As `in_processes`."""
    if is_pending is None:
        return task.results(targets, check)
    return (result for target in filter(is_pending, targets) for result in task.results([target], check))
