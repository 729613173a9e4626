"""``dnncov evidence``: a pack that an assessor checks without this program."""

from __future__ import annotations

import argparse
import hashlib
import sys
from contextlib import redirect_stdout
from pathlib import Path

from dnncov_core.cli.options import NETWORK, NO, WORKER, Option, file_to_write, files, subcommand
from dnncov_core.errors import DataError
from dnncov_core.evidence.statement import signer_of
from dnncov_core.jobs import reporting
from dnncov_core.phrases.numbers import counted
from dnncov_core.record_files import write_whole, writing
from dnncov_core.workers import Reporter


@subcommand(
    files("of these the suite is measured again"),
    Option("--out", type=file_to_write, required=True, metavar="PACK.zip", help="the file to write"),
    Option("--replace", action="store_true", help="replace the file if it is there already"),
    NETWORK,
    Option("--data", help="where the suite of a measurement is, if it is not found by the name in the file"),
    Option(
        "--sign",
        type=Path,
        metavar="KEY",
        help="a private key in PEM format (ed25519 or ECDSA) that signs the statement, as statement.dsse.json",
    ),
    *WORKER,
)
def command(options: argparse.Namespace) -> int | None:
    """Write a pack of evidence: claims, test pairs, the network, and a program that checks them without dnncov."""
    with reporting(options.status, options.network, options.data, attended=options.attended) as reporter:
        return _write(options, reporter)


def _write(options: argparse.Namespace, reporter: Reporter) -> int | None:
    from dnncov_core.evidence.pack import VERIFIER, gathered, packed  # PyTorch only where it is needed

    if options.out.exists() and not options.replace:
        raise DataError("a file that is not there yet", options.out.name, "choose another --out, or give --replace")
    signer = None if options.sign is None else signer_of(options.sign)
    with redirect_stdout(sys.stderr), gathered(options.files, network=options.network, data=options.data) as evidence:
        content, found = packed(evidence, signer, reporter.tell)
        unfinished = [source.name for source in evidence.sources if not source.is_finished]
        unwritten = [*evidence.unwritten.values()]
    with writing("--out"):
        write_whole(options.out, content)
    for name in unfinished:
        print(f"{name} is not finished: the pack says how far it is", file=sys.stderr)
    for why in unwritten:
        print(f"no model.onnx, so that verify.py computes neither coverage nor labels again: {why}", file=sys.stderr)
    failed = [row for row in found if not row.holds]
    for row in failed:
        print(f"does not hold: {row.claim}: stated {row.stated}, computed {row.computed}", file=sys.stderr)
    agree, near = (sum(row[at] for row in found) for at in (3, 4))
    lines, held = counted(len(found), "line") + " of verify.py", f"{len(found) - len(failed):,} hold"
    rows = f"{agree:,} rows agree when computed again, {near:,} lie so near a limit that machines may differ"
    reporter.conclude(f"{lines}: {held}; {rows}")
    known = f"verify.py of this program has the SHA-256 {hashlib.sha256(VERIFIER.read_bytes()).hexdigest()}"
    name = options.out.name
    print(f"{lines} in {name}: {held}", rows, f"check it with: python verify.py {name}", known, sep="\n")
    return NO if failed else None
