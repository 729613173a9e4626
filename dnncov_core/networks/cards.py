"""A network's card as JSON, and back. Imports no torch, so that lists of networks appear at once."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dnncov_core.errors import NetworkError
from dnncov_core.outside_text import json_value
from dnncov_core.records import LayerInfo, NetworkCard


def to_json(card: NetworkCard) -> str:
    """The card as indented JSON text that ends in a newline."""
    return json.dumps(asdict(card), indent=1) + "\n"


def from_json(text: str) -> NetworkCard:
    """The card that :func:`to_json` wrote, tuples and all.

    Raises:
        ValueError, KeyError, TypeError: the text is no such card.
    """
    fields: dict[str, Any] = json_value(text)
    low, high = fields["bounds"]
    return NetworkCard(
        **{
            **fields,
            "input_shape": tuple(fields["input_shape"]),
            "bounds": (float(low), float(high)),
            "classes": tuple(fields["classes"]),
            "layers": tuple(LayerInfo(**{**layer, "shape": tuple(layer["shape"])}) for layer in fields["layers"]),
            "edges": tuple((condition, decision) for condition, decision in fields["edges"]),
        }
    )


def stored_card(name: str, folder: Path) -> NetworkCard:
    """The card ``NAME.json`` of the assets.

    Raises:
        NetworkError: it is missing or damaged.
    """
    path = folder / f"{name}.json"
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        got = f"{type(error).__name__}: {error}"
        raise NetworkError(f"the card of {name} in {path}", got, "restore the assets folder") from error
