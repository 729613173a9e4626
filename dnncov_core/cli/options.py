"""What the subcommands share: exit statuses, how options are read, and the arguments that several have."""

from __future__ import annotations

import argparse
import json
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from dnncov_core.campaign.parameter_kinds import (
    NUMBER,
    WHOLE,
    WHOLE_OR_ALL,
    WHOLES,
    Flag,
    Parameter,
    Reader,
)
from dnncov_core.campaign.parameters import DEVICES
from dnncov_core.networks.reference import REFERENCES

DONE, NO, BAD_INPUT = 0, 1, 2
"""Exit statuses; that of a cancelled worker is `workers.CANCELLED`."""


class Option:
    """One argument of a subcommand, as `argparse` takes it."""

    def __init__(self, name: str, **settings: Any) -> None:
        self.name, self.settings = name, settings


Act = Callable[[argparse.Namespace], int | None]
"""What a subcommand does with its options; it returns the exit status, or nothing where that is `DONE`."""


@dataclass(frozen=True)
class Subcommand:
    """A subcommand: what it does, and its options."""

    act: Act
    options: tuple[Option, ...]

    @property
    def words(self) -> str:
        """What it does, for the help: the docstring of its function, without capital letter and full stop."""
        said = (self.act.__doc__ or "Nothing known.").strip()
        return said[0].lower() + said.removesuffix(".")[1:]


def subcommand(*options: Option) -> Callable[[Act], Subcommand]:
    """Makes a function with a docstring a subcommand with these options."""
    return lambda act: Subcommand(act, options)


def reading(reader: Reader) -> Callable[[str], Any]:
    """How an option reads its value; argparse names the option in what it says."""

    def read(text: str) -> Any:
        try:
            return reader(text)
        except ValueError as error:
            raise not_understood(str(error), text) from error

    return read


def option_of(row: Parameter) -> Option:
    """The option of a campaign's parameter; specifications check the values."""
    if isinstance(row, Flag):
        return Option(row.option, action="store_const", const=True, default=row.default, help=row.usage)
    default = None if row.default is MISSING else row.default
    return Option(row.option, type=reading(row.read), default=default, metavar=row.metavar, help=row.usage)


all_or_number, whole_numbers, number = map(reading, (WHOLE_OR_ALL, WHOLES, NUMBER))


def names(text: str) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(text.split(","))


def at_least(least: int) -> Callable[[str], int]:
    """How an option reads a whole number from ``least``."""

    def read(text: str) -> int:
        n: int = reading(WHOLE)(text)
        if n < least:
            raise not_understood(f"a whole number from {least}", text)
        return n

    return read


at_least_one = at_least(1)


def file_to_write(text: str) -> Path:
    """A file that is written later: whether it can be is tried now, before any work."""
    path = Path(text)
    try:
        wrong = stat.S_ISDIR(os.stat(path).st_mode) or not os.access(path, os.W_OK)
    except FileNotFoundError:
        wrong = not os.access(path.parent, os.W_OK)
    except OSError:
        wrong = True
    if wrong:
        raise not_understood("a file that can be written, in a folder that exists", text)
    return path


def not_understood(expected: str, text: str) -> argparse.ArgumentTypeError:
    """The error for an option's value that cannot be read."""
    return argparse.ArgumentTypeError(f"expected {expected}; got {text!r}; change it")


def some_of(name: str, known: Sequence[str], default: Sequence[str] | None, words: str = "all") -> Option:
    """An option that takes names separated by commas; ``words`` say what the default is."""
    said = f"some of {', '.join(known)}, separated by commas (default: {words})"
    return Option(name, type=names, default=default, metavar="LIST", help=said)


def choices(names: Iterable[str]) -> str:
    """Names to choose from, with the default, for a help text."""
    return f"{', '.join(names)} (default: %(default)s)"


def ordinals(words: str, **argument: Any) -> Option:
    """The option that names test conditions; ``words`` say what for."""
    said = f"{words}, by the numbers that 'dnncov gaps FILE' and the page Gaps list"
    all_of_them = "" if argument.get("required") else " (default: all)"
    return Option("--ordinals", type=whole_numbers, metavar="1,2,3", help=said + all_of_them, **argument)


def files(words: str) -> Option:
    """The argument that names campaigns and measurements; ``words`` say what is special about them."""
    said = f"campaign files, or files that 'dnncov measure --out' wrote; {words}"
    return Option("files", type=Path, nargs="+", metavar="FILE", help=said)


def campaigns(words: str, **argument: Any) -> Option:
    """The option that names campaigns whose test pairs are used; ``words`` say what for."""
    said = f"campaign files of the same network: {words}"
    return Option("--with", dest="campaigns", type=Path, nargs="+", metavar="CAMPAIGN", help=said, **argument)


def random_seed(words: str) -> Option:
    """The option that begins random draws; ``words`` say of what."""
    said = f"what random draws of {words} begin with; the same number gives the same result (default: %(default)s)"
    return Option("--random-seed", type=at_least(0), default=0, metavar="N", help=said)


def faults(words: str) -> Option:
    """The option that names seeded faults; ``words`` say what is told of them."""
    said = f"mutants of this network, made by dnncov faults; {words}"
    return Option("--faults", type=Path, metavar="FILE.faults", help=said)


FILE = Option("file", type=Path, metavar="FILE", help="a campaign file")
JSON = Option("--json", action="store_true", help="print JSON")
ASKED_NETWORK = Option("network", metavar="NETWORK", help=f"a name, {REFERENCES}")
DEVICE = Option("--device", default="cpu", help=f"where inputs go through the network: {choices(DEVICES)}")
NETWORK = Option("--network", help="where the network is, if it is not found by the name in the file")
WORKERS = Option(
    "--workers", type=at_least_one, metavar="N", help="processes (default: one for each core, if they fit into memory)"
)
EXECUTOR = (
    WORKERS,
    Option("--executor", choices=["processes", "ray"], default="processes", help="whose processes: %(choices)s"),
    Option("--address", metavar="HOST:PORT", help="the Ray cluster to work on (default: one of this machine alone)"),
)
"""Who works on test conditions."""
SOURCES = (
    NETWORK,
    Option("--data", help="where the data are, if they are not found by the name in the file"),
    Option("--reference", help="where the reference data are, if they are not found by the name in the file"),
    Option("--device", help=f"where to work, if not where the campaign was asked to: {', '.join(DEVICES)}"),
    *EXECUTOR,
)
"""Where all is that a campaign's worker loads, and what it may work on."""
ATTENDED = Option("--attended", action="store_true", help=argparse.SUPPRESS)
"""Given by the app, which ends what it started by closing standard input."""
WORKER = (Option("--status", type=file_to_write, help=argparse.SUPPRESS), ATTENDED)
"""Likewise, of work whose `Job` keeps in a file how far it is."""


def say(as_json: bool, values: Any, lines: Sequence[str]) -> None:
    """Prints a result as JSON or as text."""
    print(json.dumps(values, indent=2) if as_json else "\n".join(lines))
