"""Versions that a campaign and a report carry."""

from __future__ import annotations

import platform
from importlib import metadata

PACKAGES = ("dnncov-explorer", "torch", "torchvision", "pulp", "highspy", "numpy")


def versions() -> dict[str, str]:
    """Version of each package that decides a result, and of Python; packages that are not installed are left out."""
    installed = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return installed
