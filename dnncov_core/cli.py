"""The command ``dnncov``: JSON and text on standard output, progress on standard error.

Exit status: 0 done, 1 the answer is no, 2 bad input (one line), 130 cancelled.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from dnncov_core import registry
from dnncov_core.arguments import BAD_INPUT, parser
from dnncov_core.bars import InputsBar, NeuronBar, ProgressBar
from dnncov_core.campaign.file.sql import remove
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX, is_proving
from dnncov_core.campaign.parameters import by_option
from dnncov_core.campaign.review.retry import newly_covered, retry
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.versions import versions
from dnncov_core.campaign.work.worker import proof_at, work
from dnncov_core.errors import DnncovError
from dnncov_core.export.folder import write_folder
from dnncov_core.export.pairs import save_pairs
from dnncov_core.export.sources import network_for, opened_files, seed_files
from dnncov_core.features import FeaturePairs
from dnncov_core.listing import gap_json, gap_lines, statuses_of
from dnncov_core.networks.reference import without_folder
from dnncov_core.phrases.budgets import raised, retry_words
from dnncov_core.phrases.conditions import justification_words
from dnncov_core.records import NetworkCard, State
from dnncov_core.registry.file import registered
from dnncov_core.report import measurement_lines, network_lines, proof_lines, summary_lines, verification_lines
from dnncov_core.statistics import every_gap, gap_table
from dnncov_core.suites.library import write_status
from dnncov_core.suites.measurement_file import document, write
from dnncov_core.suites.remarks import SAME_INPUTS
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.summary import campaign_summary, proofs_summary
from dnncov_core.workers import CANCELLED, Reporter, WorkerStatus, reporting

DONE, NO = 0, 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; the process's own arguments if none are given."""
    status = _status(arguments)
    if status == CANCELLED and arguments is None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(CANCELLED)  # at once: PyTorch takes a second to unload
    return status


def _status(arguments: Sequence[str] | None) -> int:
    try:
        options = parser().parse_args(arguments)
        status = COMMANDS[options.command](options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader, `head` say, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except DnncovError as error:
        print(f"dnncov: {by_option(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return CANCELLED


def _networks(options: argparse.Namespace) -> int:
    cards = registry.networks()
    for problem in registered().problems:
        print(f"left out: {problem.error}", file=sys.stderr)
    if options.json:
        print(json.dumps([_network_json(name, card) for name, card in cards.items()], indent=2))
    else:
        print("\n".join(network_lines(cards)))
    return DONE


def _network_json(name: str, card: NetworkCard | None) -> dict[str, Any]:
    """A network's entry; a registered one is loaded, since nothing else knows its layers."""
    if card is None:
        card = registry.open_network(name)[1]
    return {
        "name": name,
        "dataset": card.dataset,
        "input_shape": list(card.input_shape),
        "classes": list(card.classes),
        "accuracy": card.accuracy,
        "layers": [
            {"index": layer.index, "name": layer.name, "kind": layer.kind, "neurons": layer.neurons}
            for layer in card.layers
        ],
        "parameters": card.parameters,
    }


def _run(options: argparse.Namespace) -> int:
    fields = {name: value for name, value in vars(options).items() if name in CampaignSpec.__dataclass_fields__}
    network, data = options.network, registry.data_name(options.network, options.data)
    named = {"network": network, "data": data, "reference": options.reference}
    spec = CampaignSpec(**{**fields, **{key: name and _without_folder(name) for key, name in named.items()}})
    registry.check_names(network, data)
    if options.reference is not None:
        registry.check_names(network, options.reference)
    path = options.out or Path(f"{_file_stem(spec.network)}-{spec.criterion}{SUFFIX}")
    CampaignStore.create(path, spec.resolved(), versions()).close()
    try:
        return _work(path, network, data, options)
    except DnncovError:
        _remove_if_empty(path)
        raise


def _without_folder(reference: str) -> str:
    """A file by its name alone, so that no campaign carries a path of somebody's machine."""
    return Path(reference).name if os.path.exists(reference) else without_folder(reference)


def _file_stem(network: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", re.sub(r"\.(pt2|pth|safetensors)$", "", network))


def _remove_if_empty(path: Path) -> None:
    """Takes away the file of a campaign that failed before its first target had an outcome."""
    with CampaignStore(path) as store:
        empty = store.counts.progress().done == 0
    if empty:
        remove(path)


def _resume(options: argparse.Namespace) -> int:
    return _work(options.file, options.network, options.data, options, attended=options.attended)


def _retry(options: argparse.Namespace) -> int:
    with CampaignStore(options.file) as store:
        asked = {"max_seeds": options.max_seeds, "passes": options.passes}
        found = retry(store, **asked, outcomes=options.outcomes, names=("--max-seeds", "--passes"))
    print(raised(found), file=sys.stderr)
    status = _work(options.file, options.network, options.data, options)
    with CampaignStore(options.file) as store:
        print(retry_words(store.spec(), newly_covered(store)), file=sys.stderr)
    return status


def _work(
    path: Path, network: str | None, data: str | None, options: argparse.Namespace, *, attended: bool = False
) -> int:
    with redirect_stdout(sys.stderr), ProgressBar() as show:  # what a factory prints is no result
        state = work(
            path,
            network=network,
            data=data,
            reference=options.reference,
            processes=options.workers,
            on_progress=show,
            may_exit=True,
            attended=attended,
        )
    _print_summary(path, options.json)
    return CANCELLED if state is State.CANCELLED else DONE


def _print_summary(path: Path, as_json: bool) -> None:
    with CampaignStore(path) as store, store.at_one_moment():
        summary, spec = campaign_summary(store), store.spec()
    print(json.dumps(summary, indent=2) if as_json else "\n".join(summary_lines(summary, spec)))


def _cancel(options: argparse.Namespace) -> int:
    with CampaignStore(options.file) as store:
        proving, finished = is_proving(store), store.state() is State.FINISHED
        if proving or not finished:
            store.worker.request_cancel()
    asked = f"asked to stop; what is stored stays, and {'prove' if proving else 'resume'} goes on"
    print("already finished" if finished and not proving else asked)
    return DONE


def _show(options: argparse.Namespace) -> int:
    _print_summary(options.file, options.json)
    return DONE


def _verify(options: argparse.Namespace) -> int:
    from dnncov_core.campaign.review.verification import verify  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        found = verify(store, options.network)
    if options.json:
        print(json.dumps(dataclasses.asdict(found), indent=2))
    else:
        print("\n".join(verification_lines(found)))
    return NO if found.failing else DONE


def _control(options: argparse.Namespace) -> int:
    from dnncov_core.campaign.work.baseline_searches import search_baselines  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        search_baselines(store, options.network)
    _print_summary(options.file, options.json)
    return DONE


def _prove(options: argparse.Namespace) -> int:
    with proof_at(options.file, options.network, attended=options.attended) as reporter:
        lines = _proved(options, reporter)
    print("\n".join(lines))
    return DONE


def _proved(options: argparse.Namespace, reporter: Reporter) -> list[str]:
    """Proves; what came of it, as JSON or as text."""
    from dnncov_core.campaign.work.proofs import prove_campaign  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr), NeuronBar(reporter.tell) as show:
        limit = options.time_limit
        found = prove_campaign(store, options.network, methods=options.methods, time_limit=limit, on_step=show)
    lines = proof_lines(found)
    reporter.conclude("; ".join(lines[:2]))
    return [json.dumps(proofs_summary(found), indent=2)] if options.json else lines


def _gaps(options: argparse.Namespace) -> int:
    statuses, layers = statuses_of(options.status), options.layers
    with CampaignStore(options.file) as store, store.at_one_moment():
        table, pool = gap_table(store), store.prepared.pool()
        lines = (gap_json if options.json else gap_lines)(every_gap(store, layers=layers, statuses=statuses), pool)
        for line in lines:
            print(line)
    n = table.matching(statuses=statuses, layers=layers)
    print(f"{n:,} of {table.total.total:,} test conditions", file=sys.stderr)
    return DONE


def _justify(options: argparse.Namespace) -> int:
    with CampaignStore(options.file) as store:
        if options.withdraw:
            store.justifications.withdraw(options.ordinals)
        else:
            words = {"reason": options.reason, "author": options.author}
            for earlier in store.justifications.add(options.ordinals, **words, replace=options.replace):
                print(f"condition {earlier.ordinal}, replaced: {justification_words(earlier)}", file=sys.stderr)
    n = len(set(options.ordinals))
    print(f"{'withdrawn' if options.withdraw else 'justified'}: {n:,} test condition{'s' * (n > 1)}")
    return DONE


def _measure(options: argparse.Namespace) -> int:
    spec = MeasurementSpec.read(vars(options))
    reporter = Reporter(WorkerStatus.begun(), partial(write_status, options.status))
    with reporting(reporter, spec.network, spec.suite, spec.reference, attended=options.attended):
        summary = _measured(options, spec, reporter)
    print(json.dumps(summary, indent=2) if options.json else "\n".join(measurement_lines(summary, _named(spec.used()))))
    return DONE


def _measured(options: argparse.Namespace, spec: MeasurementSpec, reporter: Reporter) -> dict[str, Any]:
    """Measures, and writes the files that were asked for."""
    from dnncov_core.campaign.work.plan import device_for  # PyTorch only where it is needed
    from dnncov_core.suites.measurement import measure
    from dnncov_core.suites.streams import open_suite
    from dnncov_core.suites.summary import measurement_summary, save_witnesses

    asked, used = spec.asked(), spec.used()
    if used != spec:
        print(f"reference data are left out: none of {spec.criteria} needs them", file=sys.stderr)
    with redirect_stdout(sys.stderr), InputsBar(reporter.tell) as show:
        network = registry.open_network(spec.network)[0].to(device=device_for(spec.device))
        suite = open_suite(network, spec.suite)
        named = used.reference
        reference = None if named is None else registry.open_data_for(network, named, labelled=False)
        mode, omega = spec.feature_mode, spec.omega
        found = measure(network, suite, asked, reference=reference, mode=mode, omega=omega, on_progress=show)
    if options.witnesses is not None:
        pairs = FeaturePairs(network.layers, network.edges, mode=mode, omega=omega)
        n = save_witnesses(found, pairs, options.witnesses)
        print(f"{n} witnesses in {options.witnesses.name}", file=sys.stderr)
    if reference is not None and reference.fingerprint == suite.fingerprint:
        print(f"warning: {SAME_INPUTS}", file=sys.stderr)
    summary = measurement_summary(found)
    if options.out is not None:
        write(options.out, document(summary, _named(used), network, suite, reference))
    return summary


def _named(spec: MeasurementSpec) -> MeasurementSpec:
    """With files by their names alone."""
    reference = None if spec.reference is None else _without_folder(spec.reference)
    network, suite = _without_folder(spec.network), _without_folder(spec.suite)
    return dataclasses.replace(spec, network=network, suite=suite, reference=reference)


def _pairs(options: argparse.Namespace) -> int:
    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        network = network_for(store, options.network, lambda why: print(f"near_zero: not known; {why}"))
        files = seed_files(store, network, options.data)
        n = save_pairs(store, options.out, network=network, files=files)
    print(f"{n} test pairs in {options.out.name}")
    return DONE


def _export(options: argparse.Namespace) -> int:
    asked = {"formats": options.formats, "names": options.figures, "pictures": options.pictures}
    with opened_files(options.files, width=options.width, **asked) as files:
        written = write_folder(options.out, files)
    print(f"{len(written):,} files in {options.out.name or options.out}")
    return DONE


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "networks": _networks,
    "run": _run,
    "resume": _resume,
    "retry": _retry,
    "cancel": _cancel,
    "show": _show,
    "verify": _verify,
    "measure": _measure,
    "control": _control,
    "prove": _prove,
    "gaps": _gaps,
    "justify": _justify,
    "pairs": _pairs,
    "export": _export,
}
