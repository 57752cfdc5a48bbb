"""csrc/c/workspace.h: the size of a kernel's workspace is computed in 64 bits, or the call is refused."""

from __future__ import annotations

import pytest

import gnomon as gn

functional = gn.nn.functional

MANY = 2**62

# Workspaces that grow with an input's elements, here expanded from one: no size may wrap modulo 2**64.
WORKSPACES = {
    "median": lambda one: one.expand(MANY).median(),
    "median of halves": lambda one: one.half().expand(MANY).median(),
    "svdvals": lambda one: gn.linalg.svdvals(one.expand(2**31, 2**31)),
    "cdist": lambda one: gn.cdist(one.expand(1, MANY), one.expand(1, MANY)),
    "conv1d": lambda one: functional.conv1d(one.expand(1, 2**40, 2), one.expand(1, 2**40, 2)),
    "searchsorted": lambda one: gn.searchsorted(one.expand(MANY), gn.ones(1, device=one.device)),
    "max_pool1d": lambda one: functional.max_pool1d(one.expand(1, 1, MANY), 2, stride=MANY),
    "nonzero_static": lambda one: gn.nonzero_static(one.expand(MANY), size=1),
    "index_add": lambda one: gn.zeros(2, device=one.device).index_add(
        0, gn.zeros(1, dtype=gn.int64, device=one.device).expand(MANY), one.expand(MANY)
    ),
    "interpolate": lambda one: functional.interpolate(
        one.expand(1, 1, 2**31, 2**31), size=1, mode="bilinear", antialias=True
    ),
}


@pytest.mark.skipif(not gn.backends()["c"].available, reason="needs the C backend")
@pytest.mark.parametrize("name", WORKSPACES)
def test_a_workspace_that_64_bits_can_not_count_is_refused(name: str) -> None:
    one = gn.ones(1, device="c")
    with pytest.raises(gn.OutOfMemoryError, match="cannot allocate the kernel.s workspace"):
        WORKSPACES[name](one)
    assert one.tolist() == [1]
