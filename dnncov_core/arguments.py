"""What the command ``dnncov`` understands: its commands and their options, built from the registries."""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import MISSING
from pathlib import Path
from typing import Any, NoReturn

from dnncov_core import __version__
from dnncov_core.campaign.budgets import RETRIED
from dnncov_core.campaign.file.conditions import SELECTIONS
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.campaign.parameter_kinds import Flag, Parameter, Record
from dnncov_core.campaign.parameters import DEVICES, PARAMETERS
from dnncov_core.export.catalogue import CAMPAIGN, COMPARISON, MEASUREMENT, PAIRS
from dnncov_core.export.folder import ALL as ALL_FORMATS
from dnncov_core.export.folder import MOST_PICTURES
from dnncov_core.export.formats import WIDTHS
from dnncov_core.networks.reference import KINDS
from dnncov_core.proofs import METHODS, SECONDS
from dnncov_core.suites.criteria import ALL, DEFAULT, MODES

BAD_INPUT = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage text."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see '{self.prog} --help'\n")


def parser() -> argparse.ArgumentParser:
    """The parser; ``command`` names the chosen command."""
    top = _Parser(prog="dnncov", description="How thoroughly a neural network was tested, and the missing tests.")
    top.add_argument("--version", action="version", version=f"dnncov {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    command = commands.add_parser("networks", help="list the networks that can be named")
    command.add_argument("--json", action="store_true", help="print JSON")

    _add_run(commands.add_parser("run", help="generate test pairs for a network"))

    command = _on_file(commands, "resume", "continue a campaign that stopped before its end", json=True)
    _add_sources(command)
    _add_attended(command)

    command = _on_file(commands, "retry", "try conditions that were not covered again, with larger budgets", json=True)
    _add_retry(command)
    _add_sources(command)

    _on_file(commands, "cancel", "ask a campaign's worker to stop; it does within two seconds")
    _on_file(commands, "show", "print a campaign's numbers", json=True)

    command = _on_file(commands, "verify", "replay every stored pair; status 1 if one fails", json=True)
    _add_network(command)

    command = _on_file(commands, "control", "compare with plain searches that have the same budgets", json=True)
    _add_network(command)

    command = _on_file(commands, "prove", "prove test conditions infeasible: neurons of constant sign", json=True)
    _add_network(command)
    limit = "seconds in all; what is proved by then stays (default: %(default)s)"
    command.add_argument("--time-limit", type=_number, default=SECONDS, metavar="SECONDS", help=limit)
    methods = f"some of {', '.join(METHODS)}, separated by commas (default: all)"
    command.add_argument("--methods", type=_words, default=METHODS, help=methods)
    _add_attended(command)

    text = "list test conditions with their ordinals: what is not covered, and why"
    command = _on_file(commands, "gaps", text, json=True)
    statuses = f"some of {', '.join(SELECTIONS)}, separated by commas (default: all that are not covered)"
    command.add_argument("--status", type=_words, default=(), metavar="LIST", help=statuses)
    command.add_argument("--layers", type=_numbers, default=(), metavar="3,4", help="only these decision layers")

    command = _on_file(commands, "justify", "say why test conditions need no test pair")
    where = "of the conditions, as 'dnncov gaps FILE' and the page Gaps list them"
    command.add_argument("--ordinals", type=_numbers, required=True, metavar="1,2,3", help=where)
    command.add_argument("--reason", default="", metavar="TEXT", help="why no test pair is needed")
    command.add_argument("--author", default="", metavar="NAME", help="who says so; the date is today's")
    command.add_argument("--replace", action="store_true", help="also where somebody has given a reason already")
    command.add_argument("--withdraw", action="store_true", help="take justifications away instead")

    _add_measure(commands.add_parser("measure", help="how much of a network given inputs cover"))

    command = _on_file(commands, "pairs", "write the test pairs to a NumPy file")
    command.add_argument("--out", type=_to_write, required=True, metavar="FILE.npz")
    _add_network(command)
    command.add_argument("--data", help="where the data are, whose files are named in it, if not by their name")

    _add_export(commands.add_parser("export", help="write figures, tables and test pairs for a report"))
    return top


def _on_file(commands: Any, name: str, text: str, *, json: bool = False) -> Any:
    command = commands.add_parser(name, help=text, description=text)
    command.add_argument("file", type=Path, metavar="FILE", help="a campaign file")
    if json:
        command.add_argument("--json", action="store_true", help="print JSON")
    return command


def _add_network(command: argparse.ArgumentParser) -> None:
    command.add_argument("--network", help="where the network is, if not by the name in the file")


def _add_attended(command: argparse.ArgumentParser) -> None:
    """As the app starts it: it ends when standard input closes."""
    command.add_argument("--attended", action="store_true", help=argparse.SUPPRESS)


def _add_sources(command: argparse.ArgumentParser) -> None:
    _add_network(command)
    command.add_argument("--data", help="where the data are, if not by the name in the file")
    command.add_argument("--reference", help="where the reference data are, if not by the name in the file")
    _add_workers(command)


def _add_retry(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    outcomes = f"conditions that ended so: {', '.join(RETRIED)} (default: both); error alone takes no budget"
    add("--outcomes", type=_words, default=RETRIED, metavar="LIST", help=outcomes)
    seeds = "seeds tried for one condition, earlier ones included; the same seed is not solved for again"
    add("--max-seeds", type=_at_least_one, metavar="N", help=seeds)
    add("--passes", type=_at_least_one, metavar="N", help="gradient search: passes that one condition may cost")


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workers", type=_at_least_one, metavar="N", help="processes (default: one for each core)")


def _add_measure(command: argparse.ArgumentParser) -> None:
    command.add_argument("network", metavar="NETWORK", help=f"a name, {KINDS}")
    add = command.add_argument
    add("--suite", required=True, metavar="DATA", help="the inputs: a name, an .npz file, a folder, or a campaign file")
    add(
        "--criteria",
        default=DEFAULT,
        metavar="LIST",
        help=f"some of {', '.join(ALL)}, with commas (default: %(default)s); vs, sv and vv take a value function"
        " (sv:ratio=3, sv:upper_boundary; as the paper's lemmas ask for, sv:nb, sv:mn=3/10 and vs:tn=2, and the same of"
        " vv), tn and mn their m (tn:2, mn:10)",
    )
    add("--reference", metavar="DATA", help="training data, whose ranges count for nb, mn and upper_boundary")
    add("--feature-mode", default="neuron", help=f"condition features: {_choices(MODES)}")
    add(
        "--omega", type=_number, default=0.001, help="largest share of a layer in a free feature (default: %(default)s)"
    )
    add("--device", default="cpu", help=f"where inputs go through the network: {_choices(DEVICES)}")
    add(
        "--witnesses",
        type=_to_write,
        metavar="FILE.csv",
        help="write the rows of the suite that meet each test condition",
    )
    add("--out", type=_to_write, metavar="FILE.json", help="write the numbers, with what they were measured on")
    add("--status", type=_to_write, help=argparse.SUPPRESS)  # where the app reads how far it is
    _add_attended(command)
    add("--json", action="store_true", help="print JSON")


def _add_export(command: argparse.ArgumentParser) -> None:
    what = "campaign files, or those of 'dnncov measure --out'; several campaigns are compared, too"
    command.add_argument("files", type=Path, nargs="+", metavar="FILE", help=what)
    add = command.add_argument
    out = "the folder, with one for each of several files; files of the same name are replaced"
    add("--out", type=Path, required=True, metavar="DIR", help=out)
    formats = f"some of {', '.join(ALL_FORMATS)}, with commas (default: all)"
    add("--formats", type=_words, default=ALL_FORMATS, metavar="LIST", help=formats)
    add("--width", default="column", help=f"of pictures: {', '.join(f'{n} ({w:g} mm)' for n, w in WIDTHS.items())}")
    names = (
        f"some of {', '.join((*CAMPAIGN, PAIRS))}; of a measurement {', '.join(MEASUREMENT)}; of several campaigns"
        f" {', '.join(COMPARISON)} (default: all)"
    )
    add("--figures", type=_words, metavar="LIST", help=names)
    pictures = "test pairs that become pictures, adversarial and near ones first (default: %(default)s)"
    add("--pictures", type=_all_or_number, default=MOST_PICTURES, metavar="all|N", help=pictures)


def _add_run(command: argparse.ArgumentParser) -> None:
    for row in PARAMETERS.values():
        if not isinstance(row, Record):
            _add_parameter(command, row)
    out = f"the campaign file (default: NETWORK-CRITERION{SUFFIX})"
    command.add_argument("--out", type=_to_write, metavar="FILE", help=out)
    _add_workers(command)
    command.add_argument("--json", action="store_true", help="print JSON")


def _add_parameter(command: argparse.ArgumentParser, row: Parameter) -> None:
    """The option of a parameter; `CampaignSpec` checks the values."""
    if isinstance(row, Flag):
        command.add_argument(row.option, action="store_const", const=True, default=row.default, help=row.usage)
        return
    default = None if row.default is MISSING else row.default
    command.add_argument(row.option, type=_read(row), default=default, metavar=row.metavar, help=row.usage)


def _read(row: Parameter) -> Callable[[str], Any]:
    """How ``row`` reads its value; argparse names the option in what it says."""

    def read(text: str) -> Any:
        try:
            return row.read(text)
        except ValueError as error:
            raise _not_understood(str(error), text) from error

    return read


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
        raise _not_understood("whole numbers separated by commas, such as 3,4", text) from error


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


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


def _to_write(text: str) -> Path:
    """A file that is written later: it is tried now, before any work."""
    path = Path(text)
    try:
        wrong = stat.S_ISDIR(os.stat(path).st_mode) or not os.access(path, os.W_OK)
    except FileNotFoundError:
        wrong = not os.access(path.parent, os.W_OK)
    except OSError:
        wrong = True
    if wrong:
        raise _not_understood("a file that can be written, in a folder that exists", text)
    return path


def _not_understood(expected: str, text: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"expected {expected}; got {text!r}; change it")
