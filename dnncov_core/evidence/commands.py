"""The commands by which a campaign or a measurement is made again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dnncov_core.campaign.parameter_kinds import Flag, Layers, Record
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import BUDGETS, Retry
from dnncov_core.suites.spec import MeasurementSpec


def campaign_commands(spec: CampaignSpec, file: str = "") -> list[str]:
    """The commands that make a campaign, in a file of this name if it is given, and try conditions again, in order.

    >>> campaign_commands(CampaignSpec("toy", "toy", generator="lp", effect="needed", pairs=9), "one.dnncov")
    ['dnncov run toy --data toy --generator lp --pairs 9 --effect needed --out one.dnncov']
    """
    first = spec.retries[0] if spec.retries else None
    budgets: dict[str, Any] = {} if first is None else dict(zip(BUDGETS, first.before, strict=False))
    if first is not None and first.effect is not None:
        run = ["dnncov", "retry", f"{first.origin or 'EARLIER'}.dnncov", "--effect", first.effect]
    else:
        run = ["dnncov", "run", *_options(replace(spec, **budgets))]
    again = [_again(each, file) for each in spec.retries if each.effect is None]
    return [shlex.join([*run, *(["--out", file] if file else [])]), *map(shlex.join, again)]


def _options(spec: CampaignSpec) -> Iterator[str]:
    yield spec.network
    for name, row in PARAMETERS.items():
        value = getattr(spec, name)
        known = isinstance(row, Record) and name != "suite_gaps"
        if known or name == "network" or value == row.default or not row.counts(spec):
            continue
        yield row.option
        if name == "suite_gaps":
            yield "OPEN.csv"
        elif not isinstance(row, Flag):
            yield ",".join(map(str, value)) if isinstance(row, Layers) else str(value)


def _again(retry: Retry, file: str) -> list[str]:
    kinds = zip(BUDGETS, retry.before, retry.after, strict=False)
    larger = [part for name, old, new in kinds if old != new for part in (f"--{name.replace('_', '-')}", str(new))]
    chosen = ["--ordinals", "CHOSEN"] if retry.chosen else []
    return ["dnncov", "retry", file, "--outcomes", ",".join(retry.outcomes), *chosen, *larger]


def measurement_command(spec: MeasurementSpec, file: str) -> str:
    """The command that makes a measurement."""
    return shlex.join(["dnncov", "measure", f"--out={file}", *spec.options])
