"""The command ``dnncov``: results on standard output, progress on standard error.

Each subcommand has the file of its name (``resume`` that of ``run``), which holds its options, what it does, and what
it prints. Several share ``options`` -- how options are read; ``bars`` -- progress; and end as ``show`` does, with a
campaign's numbers.

Exit status: 0 done, 1 the answer is no, 2 bad input (one line), 130 cancelled.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from dnncov_core import __version__
from dnncov_core.campaign.parameters import by_option
from dnncov_core.cli import (
    cancel,
    check,
    control,
    evidence,
    export,
    faults,
    gaps,
    justify,
    measure,
    merge,
    networks,
    pairs,
    prove,
    replay,
    retrain,
    retry,
    run,
    select,
    show,
    verify,
    worth,
)
from dnncov_core.cli.options import BAD_INPUT, DONE, Subcommand
from dnncov_core.errors import DnncovError
from dnncov_core.resources import collect_garbage_rarely, share_cores
from dnncov_core.workers import CANCELLED

COMMANDS: Mapping[str, Subcommand] = {
    "networks": networks.command,
    "check": check.command,
    "run": run.command,
    "resume": run.resume,
    "merge": merge.command,
    "retry": retry.command,
    "cancel": cancel.command,
    "show": show.command,
    "verify": verify.command,
    "replay": replay.command,
    "control": control.command,
    "prove": prove.command,
    "gaps": gaps.command,
    "justify": justify.command,
    "measure": measure.command,
    "select": select.command,
    "faults": faults.command,
    "retrain": retrain.command,
    "worth": worth.command,
    "pairs": pairs.command,
    "export": export.command,
    "evidence": evidence.command,
}
"""The subcommands by name, in the order of the help."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage text."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see '{self.prog} --help'\n")


def parser() -> argparse.ArgumentParser:
    """The parser; ``command`` names the chosen subcommand."""
    top = _Parser(prog="dnncov", description="How thoroughly a neural network was tested, and the missing tests.")
    top.add_argument("--version", action="version", version=f"dnncov {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for name, command in COMMANDS.items():
        own = commands.add_parser(name, help=command.words, description=command.words)
        for option in command.options:
            own.add_argument(option.name, **option.settings)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one subcommand and returns its exit status; the process's own arguments if none are given."""
    if arguments is None:
        share_cores()
        collect_garbage_rarely()
    status = _status(arguments)
    if status == CANCELLED and arguments is None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(CANCELLED)  # at once: PyTorch takes a second to unload
    return status


def _status(arguments: Sequence[str] | None) -> int:
    try:
        options = parser().parse_args(arguments)
        status = COMMANDS[options.command].act(options) or DONE
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
