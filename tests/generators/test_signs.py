"""Signs as packed bits."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.generators.signs import pack, unpack


@given(n=st.integers(1, 40), batch=st.integers(1, 4), seed=st.integers(0, 9))
def test_what_is_packed_comes_back(n: int, batch: int, seed: int) -> None:
    signs = torch.rand(batch, n, generator=torch.Generator().manual_seed(seed)) < 0.5
    packed = pack(signs)
    assert packed.dtype == torch.uint8
    assert packed.shape == (batch, -(-n // 8))
    assert torch.equal(unpack(packed, n), signs)
