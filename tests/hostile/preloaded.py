"""What each process of a trial finds imported: PyTorch, the command, and an embedded network by name."""

import functools
import os

os.environ["OMP_NUM_THREADS"] = "1"

import torch

from dnncov_core import cli  # noqa: F401
from dnncov_core.networks import loader

torch.set_num_threads(1)
loader.load_embedded = functools.cache(loader.load_embedded)
for name in ("toy", "mnist-n1"):
    loader.load_embedded(name)
