"""Networks: the canonical form that everything else works on, the embedded networks, and loading by name or file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

__all__ = ["Network"]


def __getattr__(name: str) -> Any:
    """Loads PyTorch only when a network is asked for, so that menus and pages open at once."""
    if name == "Network":
        from dnncov_core.networks.network import Network

        return Network
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
