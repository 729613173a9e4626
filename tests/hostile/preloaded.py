"""What each process of a trial finds imported: PyTorch, the command, and an embedded network by name.

PyTorch makes its pool of threads anew in a process that was forked, when it is first asked for. A first backward pass
asks from several threads at once, and now and then one of them finds none and ends the process
(https://github.com/pytorch/pytorch/issues/178535), so each process asks by itself first.
"""

import functools
import os

os.environ["OMP_NUM_THREADS"] = "1"

import torch

from dnncov_core import cli  # noqa: F401
from dnncov_core.networks import loader

torch.set_num_threads(1)
os.register_at_fork(after_in_child=functools.partial(torch.set_num_threads, 1))
loader.load_embedded = functools.cache(loader.load_embedded)
for name in ("toy", "mnist-n1"):
    loader.load_embedded(name)
