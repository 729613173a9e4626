"""``dnncov resume``: continues a campaign that stopped before its end."""

from __future__ import annotations

import argparse

from dnncov_core.cli.options import ATTENDED, FILE, JSON, SOURCES, Command
from dnncov_core.cli.run import work_on


def _act(options: argparse.Namespace) -> int:
    return work_on(options.file, options, network=options.network, data=options.data, attended=options.attended)


COMMAND = Command(
    "continue a campaign that stopped before its end",
    _act,
    FILE,
    JSON,
    *SOURCES,
    ATTENDED,
)
