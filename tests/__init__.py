"""Tests mirror dnncov_core and pages path by path."""

from dnncov_core.resources import collect_garbage_rarely

collect_garbage_rarely()  # before conftest imports PyTorch
