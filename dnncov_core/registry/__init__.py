"""Networks and data by name: embedded ones, torchvision's, and those that the registry file has. Imports no torch.

names opens what has a name; file reads the networks and data that whoever runs the app adds.
"""

from __future__ import annotations

from dnncov_core.registry.names import (
    check_names,
    data_name,
    data_names,
    default_data,
    described,
    networks,
    open_data,
    open_data_for,
    open_network,
    place_of,
)

__all__ = [
    "check_names",
    "data_name",
    "data_names",
    "default_data",
    "described",
    "networks",
    "open_data",
    "open_data_for",
    "open_network",
    "place_of",
]
