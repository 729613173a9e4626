"""Coverage for people's own tests, which fail with the line of the gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from dnncov_core import Network
from dnncov_core.errors import SpecificationError
from dnncov_core.gate.coverage import Coverage, of_file, of_measurement
from dnncov_core.gate.demands import PERCENTAGE, Demands, Percentages, failures
from dnncov_core.suites.asked_measurement import measure_as_asked
from dnncov_core.suites.spec import MeasurementSpec


class RequiredCoverage(Coverage):
    """Coverage of which a test requires something."""

    def require(
        self,
        *,
        feasible: Mapping[str, float | str] | None = None,
        at_8_bits: float | str | None = None,
        no_open_gaps: bool = False,
        baseline: str | Path | None = None,
        **percentages: float | str,
    ) -> None:
        """Asks as the gate of `dnncov show` does: ``require(ss=95, feasible={"ss": 99}, no_open_gaps=True)``.

        Raises:
            AssertionError: something is not met; the message says what, and by how much.
            ValueError: a percentage below 0 or above 100.
            DnncovError: nothing is asked, a criterion that was not measured, or a baseline of something else.
        """
        __tracebackhide__ = True
        demands = Demands(
            fail_under=_exact(percentages),
            fail_under_feasible=_exact(feasible or {}),
            fail_under_8bit=None if at_8_bits is None else PERCENTAGE(str(at_8_bits)),
            no_open_gaps=no_open_gaps,
            baseline=None if baseline is None else of_file(Path(baseline)),
        )
        if demands == Demands():
            raise SpecificationError("something to require", "nothing", "give a percentage, as in ss=95")
        if failed := failures(demands.verdicts(self)):
            raise AssertionError(failed)


def _exact(shares: Mapping[str, float | str]) -> Percentages:
    return {name: PERCENTAGE(str(share)) for name, share in shares.items()}


def coverage(
    network: str | Network = "",
    suite: str | Path = "",
    *,
    file: str | Path | None = None,
    criteria: str = "ss",
    **asked: Any,
) -> RequiredCoverage:
    """Measures what a suite covers of a network, or reads it from a campaign file or a measurement.

    Network, suite, criteria and what else is ``asked`` are as `MeasurementSpec` has them; a network may be a `Network`.

    Raises:
        DnncovError: something that cannot be read or measured.
    """
    name = network if isinstance(network, str) else ""
    spec = MeasurementSpec(name, str(suite), criteria, **{"effect": "none", **asked})
    loaded = network if isinstance(network, Network) else None
    found = of_measurement(measure_as_asked(spec, network=loaded).stored) if file is None else of_file(Path(file))
    return RequiredCoverage(**{each.name: getattr(found, each.name) for each in fields(Coverage)})
