"""``dnncov run`` searches for test pairs, from a new campaign to its numbers; ``dnncov resume`` goes on with it."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

from dnncov_core import registry
from dnncov_core.campaign.file.sql import remove
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.campaign.parameter_kinds import Reader, Record
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.review.retry import seeds_there
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.worker import work
from dnncov_core.cli.bars import CampaignBar
from dnncov_core.cli.gate import CAMPAIGN_GATE
from dnncov_core.cli.options import (
    ATTENDED,
    EXECUTOR,
    FILE,
    JSON,
    SOURCES,
    Option,
    file_to_write,
    option_of,
    reading,
    subcommand,
)
from dnncov_core.cli.show import demands_on, print_summary
from dnncov_core.errors import CampaignError, DnncovError, SpecificationError
from dnncov_core.networks.reference import name_alone
from dnncov_core.phrases.conditions import fewer_seeds
from dnncov_core.records import WHOLE, Shard, State
from dnncov_core.resources import versions
from dnncov_core.suites.open_conditions import read_table
from dnncov_core.workers import CANCELLED

SHARD = Option(
    "--shard",
    type=reading(Reader("a part I/N, with I from 1 to N", Shard.from_text)),
    default=WHOLE,
    metavar="I/N",
    help="search for this part of the test conditions alone, here or in N jobs at once, which 'dnncov merge' joins;"
    " the same command again goes on with it",
)


@subcommand(
    *(option_of(row) for row in PARAMETERS.values() if not isinstance(row, Record)),
    Option(PARAMETERS["suite_gaps"].option, type=Path, metavar="FILE", help=PARAMETERS["suite_gaps"].help),
    Option("--out", type=file_to_write, metavar="FILE", help=f"the campaign file (default: NETWORK-CRITERION{SUFFIX})"),
    SHARD,
    *EXECUTOR,
    JSON,
    *CAMPAIGN_GATE,
)
def command(options: argparse.Namespace) -> int | None:
    """Search for test pairs of a network."""
    fields = {name: value for name, value in vars(options).items() if name in CampaignSpec.__dataclass_fields__}
    network, data = options.network, registry.data_name(options.network, options.data)
    named = {"network": network, "data": data, "reference": options.reference}
    spec = CampaignSpec(**{**fields, **{key: name and name_alone(name) for key, name in named.items()}})
    spec, listed = (spec, None) if options.conditions is None else read_table(options.conditions, spec)
    registry.check_names(network, data)
    if options.reference is not None:
        registry.check_names(network, options.reference)
    from dnncov_core.campaign.work.plan import device_for  # PyTorch only after the options are read

    device_for(spec.device)  # before there is a file
    path = options.out or Path(f"{_file_stem(spec.network)}-{spec.criterion}{_of(options.shard)}{SUFFIX}")
    ray = _ray(options)
    if (options.shard == WHOLE and ray is None) or not path.exists():
        CampaignStore.create(path, spec.resolved(), versions(), listed, options.shard).close()
    else:
        _refuse_another(path, spec.resolved(), options.shard)
    try:
        status = work_on(path, options, data=data)
    except DnncovError:
        _remove_if_empty(path)
        raise
    if options.out is None:
        print(f"The campaign is in the file {path}.", file=sys.stderr)
    return status


def work_on(path: Path, options: argparse.Namespace, *, data: str | None, attended: bool = False) -> int | None:
    """Works on what a campaign has left, prints its numbers, and returns the exit status."""
    demands, ray = demands_on(path, options), _ray(options)
    bar = CampaignBar(path.name, partial(_notes, path, data))
    with redirect_stdout(sys.stderr), bar as show:  # what a factory prints is no result
        state = work(
            path,
            network=options.network,
            data=data,
            reference=options.reference,
            device=options.device,
            processes=options.workers,
            ray=ray,
            on_progress=show,
            may_exit=True,
            attended=attended,
        )
    status = print_summary(path, options.json, demands)
    return CANCELLED if state is State.CANCELLED else status


def _ray(options: argparse.Namespace) -> str | None:
    """The address of the Ray cluster that is to work; None where none is.

    Raises:
        SpecificationError: an address without Ray.
        CampaignError: Ray is not installed.
    """
    if options.executor != "ray":
        if options.address is not None:
            raise SpecificationError("no --address without --executor ray", options.address, "leave it out")
        return None
    from dnncov_core.campaign.work.ray_cluster import HERE, imported  # with PyTorch

    address = options.address or HERE
    imported(address)
    return address


def _notes(path: Path, data: str | None) -> str:
    """What has to be said of a campaign's data once it is prepared."""
    with CampaignStore(path) as store:
        card, spec, there = store.card(), store.spec(), seeds_there(store)
    order = "" if card is None else registry.class_order(data or spec.data, card.classes)
    return " ".join(filter(None, (order, fewer_seeds(spec, there))))


@subcommand(FILE, JSON, *SOURCES, *CAMPAIGN_GATE, ATTENDED)
def resume(options: argparse.Namespace) -> int | None:
    """Continue a campaign that stopped before its end."""
    return work_on(options.file, options, data=options.data, attended=options.attended)


def _refuse_another(path: Path, spec: CampaignSpec, shard: Shard) -> None:
    """Goes on only with a file that the same command made: a batch system may have begun its job anew."""
    with CampaignStore(path) as store:
        card, there = store.card(), store.prepared.shard()
        different = store.spec().differences(spec if card is None else spec.for_network(card))
    if shard != there:
        different.append(f"shard {there} and {shard}")
    if different:
        got = f"{path.name}, which differs: {'; '.join(different)}"
        raise CampaignError("no file, or one that this command made", got, "choose another --out")


def _of(shard: Shard) -> str:
    return "" if shard == WHOLE else f"-{shard.number}-of-{shard.of}"


def _file_stem(network: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", re.sub(r"\.(pt2|onnx|pth|safetensors)$", "", network))


def _remove_if_empty(path: Path) -> None:
    """Takes away the file of a campaign that failed before its first test condition had an outcome."""
    with CampaignStore(path) as store:
        empty = store.counts.progress().done == 0
    if empty:
        remove(path)
