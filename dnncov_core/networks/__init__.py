"""Networks: the canonical form that everything else works on, the embedded networks, and loading by name or file.

network is the canonical network: a graph of operators, from a module that exported_program exports; memory says how
many inputs go through it at the same time. loader opens what a reference names: a ``.pt2`` file that pt2_check and
pt2_program have found safe, or a factory. zoo has the embedded networks by their structures and cards, and pretrained
those of torchvision (pretrained_modules, weights). training makes the embedded ones again (courses, trainer,
augmentation).
"""

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
