"""Collectives with derivatives: values, gradients against a program in one process, second derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

import gnomon as gn
import gnomon.distributed as dist
import gnomon.distributed.nn.functional as collective
from gnomon.distributed import ReduceOp
from ranks import on_ranks

Tensors = list[gn.Tensor]


def values(count: int, rows: int = 2) -> Tensors:
    """What each of ``count`` ranks brings."""
    return [gn.sin(gn.arange(rows * 3.0, dtype=gn.float64).view(rows, 3) + 7 * r) for r in range(count)]


def weight(rank: int, like: gn.Tensor, number: int = 0) -> gn.Tensor:
    """What a rank multiplies its result with: another in each."""
    return gn.cos(gn.arange(like.numel(), dtype=gn.float64).view(like.shape) + 3 * rank + 11 * number)


def loss_of(rank: int, results: gn.Tensor | tuple[gn.Tensor, ...]) -> gn.Tensor:
    """A loss that is not linear in the results."""
    given = results if isinstance(results, tuple) else (results,)
    return gn.stack([(each.pow(3) * weight(rank, each, n)).sum() for n, each in enumerate(given)]).sum()


def check(
    rank: int,
    own: Callable[[gn.Tensor], gn.Tensor | tuple[gn.Tensor, ...]],
    all_of: Callable[[Tensors], Sequence[gn.Tensor | tuple[gn.Tensor, ...]]],
    inputs: Tensors,
    counts: Callable[[int], bool] = lambda rank: True,
) -> None:
    """Compare values, gradients and second derivatives of a collective in each rank with those of a program
    in one process, ``all_of``, which has all ranks' inputs and makes all ranks' results.

    ``counts``: whether a rank's result is one; the loss of the others does not depend on it.
    """
    alone = [each.clone().requires_grad_() for each in inputs]
    made = all_of(alone)
    total = gn.stack([loss_of(r, each) * counts(r) for r, each in enumerate(made)]).sum()
    wanted = gn.autograd.grad(total, alone, create_graph=True, materialize_grads=True)
    second = gn.autograd.grad(
        gn.stack([each.pow(2).sum() for each in wanted]).sum(), alone, materialize_grads=True
    )

    x = inputs[rank].clone().requires_grad_()
    found = own(x)
    if counts(rank):
        for one, two in zip(*(each if isinstance(each, tuple) else (each,) for each in (found, made[rank]))):
            gn.testing.assert_close(one, two, rtol=1e-14, atol=1e-14)
    (grad,) = gn.autograd.grad(loss_of(rank, found) * counts(rank), x, create_graph=True)
    gn.testing.assert_close(grad, wanted[rank], rtol=1e-13, atol=1e-13)
    (again,) = gn.autograd.grad(grad.pow(2).sum(), x)
    gn.testing.assert_close(again, second[rank], rtol=1e-12, atol=1e-12)
    assert gn.equal(x, inputs[rank])


@pytest.mark.parametrize("name", ["SUM", "AVG"])
@on_ranks(1, 2, 3)
def test_all_reduce_and_reduce(rank: int, size: int, name: str) -> None:
    op, share = ReduceOp[name], size if name == "AVG" else 1
    check(
        rank,
        lambda x: collective.all_reduce(x, op),
        lambda xs: [gn.stack(xs).sum(0) / share] * size,
        values(size),
    )
    check(
        rank,
        lambda x: collective.reduce(x, size - 1, op),
        lambda xs: [gn.stack(xs).sum(0) / share] * size,
        values(size),
        lambda r: r == size - 1,
    )


@on_ranks(1, 2, 3)
def test_broadcast_gather_and_scatter(rank: int, size: int) -> None:
    root = size - 1
    check(rank, lambda x: collective.broadcast(x, root), lambda xs: [xs[root]] * size, values(size))
    check(
        rank,
        lambda x: collective.gather(x, root),
        lambda xs: [tuple(xs)] * size,
        values(size),
        lambda r: r == root,
    )
    check(
        rank,
        lambda x: collective.scatter(x.chunk(size), root),
        lambda xs: list(xs[root].chunk(size)),
        values(size, 2 * size),
    )


@pytest.mark.parametrize("name", ["SUM", "AVG"])
@on_ranks(1, 2, 3)
def test_all_gather_and_reduce_scatter(rank: int, size: int, name: str) -> None:
    check(rank, collective.all_gather, lambda xs: [tuple(xs)] * size, values(size))
    op, share = ReduceOp[name], size if name == "AVG" else 1
    place = gn.empty(2, 3, dtype=gn.float64)
    check(
        rank,
        lambda x: collective.reduce_scatter(place, x.chunk(size), op),
        lambda xs: list((gn.stack(xs).sum(0) / share).chunk(size)),
        values(size, 2 * size),
    )
    whole = gn.stack(values(size, 2 * size)).sum(0) / share
    gn.testing.assert_close(place, whole.chunk(size)[rank], rtol=1e-14, atol=1e-14)


@on_ranks(1, 2, 3)
def test_all_to_all_of_different_sizes(rank: int, size: int) -> None:
    # rank r sends s + 1 rows to rank s
    starts = [s * (s + 1) // 2 for s in range(size + 1)]
    rows = [s + 1 for s in range(size)]

    def alone(xs: Tensors) -> Tensors:
        return [gn.cat([x[starts[r] : starts[r + 1]] for x in xs]) for r in range(size)]

    place = gn.empty(size * (rank + 1), 3, dtype=gn.float64)
    check(
        rank,
        lambda x: collective.all_to_all_single(place, x, [rank + 1] * size, rows),
        alone,
        values(size, starts[-1]),
    )
    gn.testing.assert_close(place, alone(values(size, starts[-1]))[rank], rtol=0, atol=0)
    places = [gn.empty(rank + 1, 3, dtype=gn.float64) for _ in range(size)]
    check(
        rank,
        lambda x: collective.all_to_all(places, list(x.split(rows))),
        lambda xs: [each.split(r + 1) for r, each in enumerate(alone(xs))],
        values(size, starts[-1]),
    )


@on_ranks(2)
def test_a_maximum_has_no_backward_and_groups_are_used(rank: int, size: int) -> None:
    x = gn.tensor([1.0 + rank, 2.0], requires_grad=True)
    largest = collective.all_reduce(x, ReduceOp.MAX)
    assert largest.tolist() == [2.0, 2.0] and x.tolist() == [1.0 + rank, 2.0]
    with pytest.raises(NotImplementedError, match=r"backward of a collective with ReduceOp\.MAX"):
        largest.sum().backward()
    alone = dist.new_subgroups(1)[0]
    y = collective.all_reduce(x, group=alone)
    y.sum().backward()
    assert y.tolist() == x.tolist() and x.grad is not None and x.grad.tolist() == [1.0, 1.0]
    dist.destroy_process_group(alone)
