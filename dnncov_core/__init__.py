"""DNN Coverage Explorer: MC/DC-inspired coverage of neural networks, and the tests that are missing.

The package is a pipe, from networks and data to the files that leave the app. CONTRIBUTING.md has its map, in the order
in which to read it; each subpackage says in its own docstring what its modules hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

__version__ = "0.1.0"
__all__ = ["Network", "__version__"]


def __getattr__(name: str) -> Any:
    """Loads PyTorch only when a network is asked for, so that the app and the command's help open at once."""
    if name == "Network":
        from dnncov_core.networks.network import Network

        return Network
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
