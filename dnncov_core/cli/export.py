"""``dnncov export``: writes figures, tables and test pairs for a report."""

from __future__ import annotations

import argparse
from pathlib import Path

from dnncov_core.cli.options import Option, all_or_number, files, names, some_of, subcommand
from dnncov_core.export.catalogue import CAMPAIGN, COMPARISON, MEASUREMENT, PAIRS
from dnncov_core.export.folder import ALL, MOST_PICTURES, write_folder
from dnncov_core.export.formats import WIDTHS
from dnncov_core.export.sources import Wanted, opened_files
from dnncov_core.phrases.numbers import counted

WIDTH_WORDS = ", ".join(f"{name} ({width:g} mm)" for name, width in WIDTHS.items())


@subcommand(
    files("several campaigns are also compared"),
    Option(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder to write to, with one in it for each of several files; files of the same name are replaced",
    ),
    some_of("--formats", ALL, ALL),
    Option("--width", default="column", help=f"width of pictures: {WIDTH_WORDS} (default: %(default)s)"),
    Option(
        "--figures",
        type=names,
        metavar="LIST",
        help=f"for a campaign some of {', '.join((*CAMPAIGN, PAIRS))}; for a measurement {', '.join(MEASUREMENT)}; for"
        f" several campaigns {', '.join(COMPARISON)} (default: all)",
    ),
    Option(
        "--pictures",
        type=all_or_number,
        default=MOST_PICTURES,
        metavar="all|N",
        help="test pairs that become pictures, adversarial and near ones first (default: %(default)s)",
    ),
)
def command(options: argparse.Namespace) -> None:
    """Write figures, tables and test pairs for a report."""
    wanted = Wanted(options.formats, options.width, options.figures, options.pictures)
    with opened_files(options.files, wanted) as made:
        written = write_folder(options.out, made)
    print(f"{counted(len(written), 'file')} in {options.out.name or options.out}")
