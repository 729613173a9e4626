"""Where a network comes from, and what it was told besides its file, in a few words for records. Imports no torch."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dnncov_core.digests import with_digest
from dnncov_core.networks.companion import companion, path_beside
from dnncov_core.networks.reference import is_file, named_weights

DECIDES = {"max": "the largest output decides", "min": "the smallest output decides"}
WORDS = {
    "input_shape": "shape of an input",
    "features": "names of inputs",
    "units": "units of inputs",
    "mean": "means",
    "deviation": "deviations",
    "quantities": "names of outputs",
    "quantity_units": "units of outputs",
}
"""Fields that are not called in records what they are called in the file."""
MOST_LETTERS = 120
"""Of a field's values, which are counted beyond that."""


def origin(reference: str) -> str:
    """Of a file its name and digest, and what the one beside it tells; empty for an embedded name or a factory."""
    if is_file(reference):
        path = Path(os.path.expanduser(reference))
        told = told_in_words(companion(path))
        return with_digest(path) + (f"; told by {path_beside(path).name}: {told}" if told else "")
    if weights := named_weights(reference):
        name, file = weights
        return f"{name} of torchvision, weights {with_digest(file)}"
    return ""


def told_in_words(fields: Mapping[str, Any]) -> str:
    """The fields of the file beside a network's, each in a few words.

    >>> told_in_words({"decision": "min", "bounds": [-0.5, 0.5], "input_shape": [5], "classes": ["COC", "WL"]})
    'the smallest output decides; bounds -0.5 to 0.5; shape of an input 5; classes COC, WL'
    >>> told_in_words({"bounds": [[0, -3.25], [60760, 3.25]], "mean": [[0.1] * 28] * 28})
    'bounds 0 to 60760, -3.25 to 3.25; means (784 values)'
    """
    return "; ".join(_field(name, value) for name, value in fields.items())


def _field(name: str, value: Any) -> str:
    if name == "decision" and value in DECIDES:
        return DECIDES[value]
    if name == "bounds":
        low, high = map(_flat, value)
        ends = zip(low, high, strict=True) if len(low) == len(high) else [(low, high)]
        words, n = ", ".join(f"{least} to {most}" for least, most in ends), len(low)
    else:
        values = _flat(value)
        words, n = ", ".join(map(str, values)), len(values)
    return f"{WORDS.get(name, name)} {words if len(words) <= MOST_LETTERS else f'({n:,} values)'}"


def _flat(value: Any) -> list[Any]:
    """The values of a list with those of the lists in it; numbers stay as they were written."""
    return [each for part in value for each in _flat(part)] if isinstance(value, list) else [value]
