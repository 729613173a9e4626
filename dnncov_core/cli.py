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
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

from tqdm import tqdm

from dnncov_core import __version__, registry
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.campaign.results import Progress
from dnncov_core.campaign.spec import DEVICES, CampaignSpec
from dnncov_core.campaign.sql import remove
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.campaign.versions import versions
from dnncov_core.campaign.worker import work
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.distances import NORMS
from dnncov_core.errors import DnncovError
from dnncov_core.export.pairs import save_pairs
from dnncov_core.features import FEATURE_MODES
from dnncov_core.generators import GENERATORS, GRIDS, SEED_ORDERS
from dnncov_core.records import NetworkCard, State
from dnncov_core.report import network_lines, summary_lines, verification_lines
from dnncov_core.statistics import campaign_summary

DONE, NO, BAD_INPUT, CANCELLED = 0, 1, 2, 130


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
        options = _parser().parse_args(arguments)
        command: Callable[[argparse.Namespace], int] = options.command
        status = command(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader, `head` say, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except DnncovError as error:
        print(f"dnncov: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return CANCELLED


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage text."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see '{self.prog} --help'\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="dnncov", description="How thoroughly a neural network was tested, and the missing tests.")
    parser.add_argument("--version", action="version", version=f"dnncov {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    command = commands.add_parser("networks", help="list the networks that can be named")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(command=_networks)

    _add_run(commands.add_parser("run", help="generate test pairs for a network"))

    command = _on_file(commands, "resume", _resume, "continue a campaign that stopped before its end", json=True)
    _add_sources(command)
    _add_workers(command)
    command.add_argument("--attended", action="store_true", help="cancel when standard input closes, as the app asks")

    _on_file(commands, "cancel", _cancel, "ask a campaign's worker to stop; it does within two seconds")
    _on_file(commands, "show", _show, "print a campaign's numbers", json=True)

    command = _on_file(commands, "verify", _verify, "replay every stored pair; status 1 if one fails", json=True)
    command.add_argument("--network", help="where the network is, if not by the name in the file")

    command = _on_file(commands, "pairs", _pairs, "write the test pairs to a NumPy file")
    command.add_argument("--out", type=Path, required=True, metavar="FILE.npz")
    return parser


def _on_file(commands: Any, name: str, run: Callable[..., int], text: str, *, json: bool = False) -> Any:
    command = commands.add_parser(name, help=text, description=text)
    command.add_argument("file", type=Path, metavar="FILE", help="a campaign file")
    if json:
        command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(command=run)
    return command


def _add_sources(command: argparse.ArgumentParser) -> None:
    command.add_argument("--network", help="where the network is, if not by the name in the file")
    command.add_argument("--data", help="where the data are, if not by the name in the file")


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workers", type=_at_least_one, metavar="N", help="processes (default: one for each core)")


def _add_run(command: argparse.ArgumentParser) -> None:
    default = CampaignSpec("", "")
    command.set_defaults(command=_run)
    command.add_argument("network", metavar="NETWORK", help="a name, a .pt2 file, or package.module:factory")
    add = command.add_argument
    add("--data", help="a name, an .npz file, or a folder of images by class (default: the network's own)")
    add("--out", type=Path, metavar="FILE", help=f"the campaign file (default: NETWORK-CRITERION{SUFFIX})")
    add("--criterion", default=default.criterion, help=_choices(CRITERIA))
    add("--generator", default=default.generator, help=_choices(GENERATORS))
    add("--value-function", metavar="NAME", help=f"g of vs and sv, g2 of vv: {', '.join(VALUE_FUNCTIONS)}")
    add("--sigma", type=_number, help="sigma of ratio and ratio_symmetric (default: 2 for sv, 5 for vv)")
    add("--d", type=_number, help="d of absolute, upper_boundary, norm and ssim")
    add("--p", choices=list(NORMS), help="p of norm")
    add("--at-most", action="store_const", const=True, help="norm asks for <= d instead of >= d")
    first = default.condition_value_function
    add("--condition-value-function", default=first, metavar="NAME[=NUMBER]", help="g1 of vv (default: %(default)s)")
    add("--feature-mode", default=default.feature_mode, help=_choices(FEATURE_MODES))
    add(
        "--omega",
        type=_number,
        default=default.omega,
        help="largest share of a layer in a feature (default: %(default)s)",
    )
    add("--pairs", type=_all_or_number, metavar="all|N", help="sample N feature pairs (default: all)")
    add(
        "--top-weights",
        type=_whole,
        metavar="K",
        help="only pairs by one of the K largest absolute weights into the decision neuron (default: all)",
    )
    add("--layers", type=_numbers, default=(), metavar="3,4", help="only these decision layers")
    add("--seeds", type=_whole, metavar="N", help="sample N seeds (default: every correctly classified input)")
    add("--seed-order", default=default.seed_order, help=_choices(SEED_ORDERS))
    add("--max-seeds", type=_whole, default=default.max_seeds, help="seeds tried for one pair (default: %(default)s)")
    reused = "a test pair counts for every test condition that it covers; rates and distances count each of these"
    add("--reuse", action="store_true", help=reused)
    add(
        "--margin",
        type=_number,
        default=default.margin,
        help="least |u| where a sign is asked for (default: %(default)s)",
    )
    add("--grid", default=default.grid, help=f"values that x2 may have: {_choices(GRIDS)}")
    add("--norm", default=default.norm, help=f"norm of the oracle's distance: {_choices(NORMS)}")
    add("--bound", type=_number, metavar="B", help="largest distance of an adversarial pair (default: none)")
    add("--device", default=default.device, help=_choices(DEVICES))
    _add_workers(command)
    add("--random-seed", type=_whole, default=default.random_seed, help="(default: %(default)s)")
    add("--json", action="store_true", help="print JSON")


def _choices(names: Iterable[str]) -> str:
    return f"{', '.join(names)} (default: %(default)s)"


def _all_or_number(text: str) -> int | None:
    try:
        return None if text == "all" else int(text)
    except ValueError as error:
        raise _not_understood("all or a whole number", text) from error


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise _not_understood("layer numbers separated by commas, such as 3,4", text) from error


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise _not_understood("a whole number", text) from error


def _at_least_one(text: str) -> int:
    number = _whole(text)
    if number < 1:
        raise _not_understood("a whole number from 1", text)
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise _not_understood("a number", text) from error


def _not_understood(expected: str, text: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"expected {expected}; got {text!r}; change it")


def _networks(options: argparse.Namespace) -> int:
    cards = registry.networks()
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
    network, data = options.network, options.data or registry.default_data(options.network)
    spec = CampaignSpec(**{**fields, "network": _without_folder(network), "data": _without_folder(data)})
    registry.check_names(network, data)
    path = options.out or Path(f"{_file_stem(spec.network)}-{spec.criterion}{SUFFIX}")
    CampaignStore.create(path, spec.resolved(), versions()).close()
    try:
        return _work(path, network, data, options)
    except DnncovError:
        _remove_if_empty(path)
        raise


def _without_folder(reference: str) -> str:
    """A file by its name alone, so that no campaign carries a path of somebody's machine."""
    return Path(reference).name if os.path.exists(reference) else reference


def _file_stem(network: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", network.removesuffix(".pt2"))


def _remove_if_empty(path: Path) -> None:
    """Takes away the file of a campaign that failed before its first target had an outcome."""
    with CampaignStore(path) as store:
        empty = store.progress().done == 0
    if empty:
        remove(path)


def _resume(options: argparse.Namespace) -> int:
    return _work(options.file, options.network, options.data, options, attended=options.attended)


def _work(
    path: Path, network: str | None, data: str | None, options: argparse.Namespace, *, attended: bool = False
) -> int:
    with redirect_stdout(sys.stderr), _ProgressBar() as show:  # what a factory prints is no result
        state = work(
            path,
            network=network,
            data=data,
            processes=options.workers,
            on_progress=show,
            may_exit=True,
            attended=attended,
        )
    _print_summary(path, options.json)
    return CANCELLED if state is State.CANCELLED else DONE


class _ProgressBar:
    """Targets done, covered, rate and time left, on standard error."""

    def __enter__(self) -> Callable[[Progress], None]:
        self._bar = tqdm(unit=" conditions", file=sys.stderr, desc="preparing", dynamic_ncols=True)
        return self._show

    def _show(self, progress: Progress) -> None:
        if self._bar.total is None:
            self._bar.reset(progress.total)
            self._bar.initial = progress.done
        self._bar.set_description("test conditions", refresh=False)
        self._bar.set_postfix_str(f"{progress.covered} covered, {progress.adversarial} adversarial", refresh=False)
        self._bar.update(progress.done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        self._bar.close()


def _print_summary(path: Path, as_json: bool) -> None:
    with CampaignStore(path) as store:
        summary = campaign_summary(store)
    print(json.dumps(summary, indent=2) if as_json else "\n".join(summary_lines(summary)))


def _cancel(options: argparse.Namespace) -> int:
    with CampaignStore(options.file) as store:
        finished = store.state() is State.FINISHED
        if not finished:
            store.request_cancel()
    print("already finished" if finished else "asked to stop; what is stored stays, and resume goes on")
    return DONE


def _show(options: argparse.Namespace) -> int:
    _print_summary(options.file, options.json)
    return DONE


def _verify(options: argparse.Namespace) -> int:
    from dnncov_core.campaign.verify import verify  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        found = verify(store, options.network)
    if options.json:
        print(json.dumps(dataclasses.asdict(found), indent=2))
    else:
        print("\n".join(verification_lines(found)))
    return NO if found.failing else DONE


def _pairs(options: argparse.Namespace) -> int:
    with CampaignStore(options.file) as store:
        n = save_pairs(store, options.out)
    print(f"{n} test pairs in {options.out.name}")
    return DONE
