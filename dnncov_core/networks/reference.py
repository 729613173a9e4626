"""How a network that is no name is referred to: a file, ``NAME=FILE``, or ``package.module:factory``.

Imports no torch.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from importlib.util import find_spec
from os.path import exists, expanduser
from pathlib import Path

from dnncov_core.resources import how_to_install

_FACTORY = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_WEIGHTS = re.compile(r"([A-Za-z0-9][\w.-]*)=(.+)")

FILES = (".pt2", ".onnx")
REFERENCES = "NAME=FILE with its weights, a .pt2 or .onnx file, or package.module:factory"
"""What a network may be that is no name, for messages."""

PACKAGES: Mapping[str, tuple[str, ...]] = {".onnx": ("onnx", "onnxruntime"), ".safetensors": ("safetensors",)}
"""Ending of a file -> the packages that read it and do not come with this one."""


def install(suffix: str) -> str:
    """How the packages that read a kind of file are installed, for messages.

    >>> install(".onnx")
    'in the environment that runs this program: pip install onnx onnxruntime'
    """
    return how_to_install(*PACKAGES[suffix])


def lacking(file: str) -> list[str]:
    """The packages that are missing to read a file, which may have been installed a moment ago."""
    importlib.invalidate_caches()
    return [name for name in PACKAGES.get(Path(file).suffix, ()) if find_spec(name) is None]


def is_file(reference: str) -> bool:
    """Whether it names a ``.pt2`` or an ``.onnx`` file.

    >>> is_file("nets/digits.pt2"), is_file("nets/digits.onnx")
    (True, True)
    """
    return reference.endswith(FILES)


def is_factory(reference: str) -> bool:
    """Whether it reads ``package.module:factory``.

    >>> is_factory("nets.digits:build"), is_factory("nets/digits:build")
    (True, False)
    """
    return _FACTORY.fullmatch(reference) is not None


def named_weights(reference: str) -> tuple[str, Path] | None:
    """Name and file of ``NAME=FILE``, a network of torchvision with weights from a file; None for anything else.

    >>> named_weights("vgg16=nets/vgg16.pth"), named_weights("lr=0.1/net.pt2")
    (('vgg16', PosixPath('nets/vgg16.pth')), None)
    """
    found = None if is_file(reference) else _WEIGHTS.fullmatch(reference)
    return None if found is None else (found[1], Path(expanduser(found[2])))


def without_folder(reference: str) -> str:
    """``NAME=FILE`` with the file's own name alone; anything else as it is.

    >>> without_folder("vgg16=nets/vgg16.pth"), without_folder("nets.digits:build")
    ('vgg16=vgg16.pth', 'nets.digits:build')
    """
    weights = named_weights(reference)
    return reference if weights is None else f"{weights[0]}={weights[1].name}"


def name_alone(reference: str) -> str:
    """A file by its name alone, so that nothing that is written carries a path of somebody's machine."""
    return Path(reference).name if exists(reference) else without_folder(reference)
