"""DNN Coverage Explorer: MC/DC-inspired coverage of neural networks, and the tests that are missing.

The package is a pipe; read it in this order:

    networks      a module becomes a canonical network: one graph, its activation layers known
    data          images, labels, seeds
    activations   values u and v of each layer for a batch of inputs
    features      feature pairs of neighbouring layers (partitions: how layers are split); connections: the strongest
    affine_parts  the weights between layers
    relations     sign and value changes between two inputs
    criteria      the covering methods SS, VS, SV, VV, and the criteria they are compared with
    replay        whether a pair of inputs covers
    generators    test pairs that are missing, by linear programming and by gradient search
    proofs        test conditions that no input can satisfy
    oracle        labels, distances, adversarial pairs
    campaign      one generation run in one file, with its worker
    phrases       what is said about campaigns, in sentences; the words and what they mean
    suites        how much given inputs cover, by every criterion
    statistics    a campaign's tables; programme_costs: what its linear programmes cost
    figures       their drawings
    export        what leaves the app
    cli           the command dnncov: a file for each subcommand

registry knows the networks and data that have names; errors, types, records, distances, ratios and resources
are the leaves.
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
