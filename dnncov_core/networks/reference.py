"""How a network that is no name is referred to: a ``.pt2`` file or ``package.module:factory``. Imports no torch."""

from __future__ import annotations

import re

_FACTORY = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def is_file(reference: str) -> bool:
    """Whether it names a ``.pt2`` file.

    >>> is_file("nets/digits.pt2")
    True
    """
    return reference.endswith(".pt2")


def is_factory(reference: str) -> bool:
    """Whether it reads ``package.module:factory``.

    >>> is_factory("nets.digits:build"), is_factory("nets/digits:build")
    (True, False)
    """
    return _FACTORY.fullmatch(reference) is not None
