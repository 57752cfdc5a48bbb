"""concurrent.futures and multiprocessing with tensors: threads, and processes started in two ways."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import gnomon as gn
from time_limits import LIMIT


def gradient(x: gn.Tensor) -> gn.Tensor:
    """The gradient of the sum of cubes, at ``x``."""
    x = x.detach().requires_grad_()
    (x**3).sum().backward()
    assert x.grad is not None
    return x.grad


def fails(x: gn.Tensor) -> gn.Tensor:
    return x @ gn.ones(5)


def fill(x: gn.Tensor, value: float) -> None:
    x.fill_(value)


def test_threads() -> None:
    parts = gn.arange(12.0).reshape(4, 3).unbind()
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(gradient, parts))
        assert pool.submit(gn.is_grad_enabled).result(LIMIT)
        with gn.no_grad():  # of this thread
            assert pool.submit(gn.is_grad_enabled).result(LIMIT)
        with pytest.raises(RuntimeError, match="size"):
            pool.submit(fails, gn.ones(3)).result(LIMIT)
    assert gn.equal(gn.stack(results), 3 * gn.arange(12.0).reshape(4, 3) ** 2)


def test_threads_add_to_one_gradient() -> None:
    weight = gn.ones(3, requires_grad=True)
    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit((weight * number).sum().backward) for number in range(5)]:
            future.result(LIMIT)
    assert weight.grad is not None and weight.grad.tolist() == [10.0, 10.0, 10.0]


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_processes(start: str) -> None:
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        results = list(pool.map(gradient, [gn.ones(2), gn.full((2,), 2.0)], timeout=LIMIT))
        assert [each.tolist() for each in results] == [[3.0, 3.0], [12.0, 12.0]]
        with pytest.raises(RuntimeError, match="size"):
            pool.submit(fails, gn.ones(3)).result(LIMIT)


def test_gnomon_multiprocessing_shares_memory() -> None:
    shared = gn.zeros(3).share_memory_()
    context: Any = gn.multiprocessing.get_context("spawn")
    child = context.Process(target=fill, args=(shared, 7.0))
    child.start()
    child.join(LIMIT)
    assert child.exitcode == 0 and shared.tolist() == [7.0, 7.0, 7.0]
