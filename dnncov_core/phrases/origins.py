"""Where networks and data come from: the file that was brought, what was said of it, and what mended it."""

from __future__ import annotations

from collections.abc import Mapping

_COME_FROM = {
    "network": "Where the network comes from",
    "data": "Where the data come from",
    "suite": "Where the suite comes from",
    "reference": "Where the reference data come from",
}


def come_from(origins: Mapping[str, str]) -> dict[str, str]:
    """A row of a table for each network or data whose origin is known.

    >>> come_from({"data": "brought as digits.npz"})
    {'Where the data come from': 'brought as digits.npz'}
    """
    return {_COME_FROM[kind]: words for kind, words in origins.items()}
