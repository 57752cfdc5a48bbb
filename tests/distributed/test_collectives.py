"""Collectives: values, dtypes, layouts, groups, and what is refused."""

from __future__ import annotations

import contextlib
import re
from types import SimpleNamespace
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon.distributed import ReduceOp, described_messages
from ranks import is_open_mpi, on_ranks

DTYPES = [
    *("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
    *("bool", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
]


def dtype_of(name: str) -> gn.dtype:
    found: gn.dtype = getattr(gn, name)
    return found


def own(rank: int, dtype: gn.dtype, count: int = 5) -> gn.Tensor:
    """What a rank brings: different on each, with values that no dtype rounds."""
    values = (gn.arange(count) * 3 + rank * 5) % 7
    return (values % 2 == 0) if dtype is gn.bool else (values + 1).to(dtype)


def combined(op: ReduceOp, size: int, dtype: gn.dtype) -> gn.Tensor:
    """The reference: in the order of ranks, by operators, of int64 for the integers that have few."""
    is_limited = dtype in (gn.uint16, gn.uint32, gn.uint64)
    all_of = [own(rank, dtype).to(gn.int64 if is_limited else dtype) for rank in range(size)]
    total = all_of[0]
    for each in all_of[1:]:
        total = {
            ReduceOp.SUM: gn.add if dtype is not gn.bool else gn.logical_or,
            ReduceOp.AVG: gn.add,
            ReduceOp.PRODUCT: gn.mul if dtype is not gn.bool else gn.logical_and,
            ReduceOp.MIN: gn.minimum,
            ReduceOp.MAX: gn.maximum,
            ReduceOp.BAND: gn.bitwise_and,
            ReduceOp.BOR: gn.bitwise_or,
            ReduceOp.BXOR: gn.bitwise_xor,
        }[op](total, each)
    if op is ReduceOp.AVG:
        is_number = dtype.is_floating_point or dtype.is_complex
        total = total.div(size, rounding_mode=None if is_number else "trunc")
    return total.to(dtype)


@pytest.mark.parametrize("name", DTYPES)
@on_ranks(1, 2, 3)
def test_all_reduce_combines_every_dtype(rank: int, size: int, name: str) -> None:
    dtype = dtype_of(name)
    for op in ReduceOp:
        x = own(rank, dtype)
        bitwise = op in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR)
        if dtype.is_complex and op not in (ReduceOp.SUM, ReduceOp.AVG):
            with pytest.raises(ValueError, match=f"all_reduce does not support {op} on complex tensors"):
                dist.all_reduce(x, op)
        elif (bitwise and dtype.is_floating_point) or (op is ReduceOp.AVG and name in ("bool", "uint64")):
            with pytest.raises(RuntimeError, match=f"cannot use {op}"):
                dist.all_reduce(x, op)
        else:
            place = x.data_ptr()
            assert dist.all_reduce(x, op) is None
            expected = combined(op, size, dtype)
            assert x.dtype is dtype and x.data_ptr() == place and gn.equal(x, expected), (op, x, expected)
            assert x._version >= 1  # a graph that saved it would notice


@on_ranks(2, 3)
def test_nan_wins_in_minimum_and_maximum(rank: int, size: int) -> None:
    for op in (ReduceOp.MIN, ReduceOp.MAX):
        for dtype in (gn.float16, gn.float32, gn.float64):
            x = gn.tensor([float("nan"), 1.0] if rank == size - 1 else [2.0, float("nan")], dtype=dtype)
            dist.all_reduce(x, op)
            assert x.isnan().tolist() == [True, True]


@on_ranks(2, 3)
def test_tensors_in_any_layout(rank: int, size: int) -> None:
    base = gn.arange(24.0).view(4, 6) + rank
    views = [base.t(), base[1:3, 1::2], base[:, :0], base[2, 3], base.expand(2, 4, 6)[1]]
    total = gn.arange(24.0).view(4, 6) * size + sum(range(size))
    expected = [total.t(), total[1:3, 1::2], total[:, :0], total[2, 3], total]
    for view, wanted in zip(views, expected):
        base.copy_(gn.arange(24.0).view(4, 6) + rank)
        strides = view.stride()
        dist.all_reduce(view)
        assert gn.equal(view, wanted) and view.stride() == strides
    base.copy_(gn.arange(24.0).view(4, 6) + rank)
    dist.all_reduce(base[1:3, 1::2])
    untouched = gn.arange(24.0).view(4, 6) + rank
    assert gn.equal(base[0], untouched[0]) and gn.equal(base[:, 0], untouched[:, 0])
    x = gn.complex(gn.full((3,), float(rank)), gn.ones(3)).conj()
    dist.all_reduce(x)
    assert x.tolist() == [complex(sum(range(size)), -size)] * 3
    scalar = gn.tensor(rank + 1.0)
    dist.all_reduce(scalar)
    assert scalar.shape == () and scalar.item() == size * (size + 1) / 2


@pytest.mark.parametrize("device", ["reference", "c"])
@on_ranks(2)
def test_tensors_on_several_devices(rank: int, size: int, device: str) -> None:
    try:
        gn.empty(1, device=device)
    except (RuntimeError, ValueError):
        return  # there is no C compiler
    x = gn.full((2, 3), float(rank + 1), device=device)
    dist.all_reduce(x)
    assert x.device.type == device and x.tolist() == [[3.0] * 3] * 2
    parts = [gn.empty(2, 3, device=device) for _ in range(size)]
    dist.all_gather(parts, x * (rank + 1))
    assert [each[0, 0].item() for each in parts] == [3.0, 6.0] and parts[0].device.type == device


@on_ranks(1, 2, 3)
def test_one_to_all_and_all_to_one(rank: int, size: int) -> None:
    root = size - 1
    x = gn.arange(4) * (rank + 1)
    dist.broadcast(x, root)
    assert x.tolist() == [0, size, 2 * size, 3 * size]
    y = gn.tensor([rank + 1.0, 2.0])
    dist.reduce(y, root, ReduceOp.AVG)
    mean = [(size + 1) / 2, 2.0]
    assert y.tolist() == (mean if rank == root else [rank + 1.0, 2.0])
    received = [gn.empty(2, 2) for _ in range(size)] if rank == root else None
    dist.gather(gn.full((2, 2), float(rank)).t(), received, dst=root)
    if received is not None:
        assert [each.tolist() for each in received] == [[[float(r)] * 2] * 2 for r in range(size)]
    part = gn.empty(3, dtype=gn.bfloat16)
    given = [gn.full((3,), float(r), dtype=gn.bfloat16) for r in range(size)] if rank == root else None
    dist.scatter(part, given, src=root)
    assert part.tolist() == [float(rank)] * 3


@on_ranks(1, 2, 3)
def test_gathering_and_scattering_everywhere(rank: int, size: int) -> None:
    x = gn.arange(6.0).view(2, 3) + 10 * rank
    everything = [gn.arange(6.0).view(2, 3) + 10 * r for r in range(size)]
    parts = [gn.empty(3, 2).t() for _ in range(size)]
    dist.all_gather(parts, x)
    assert all(gn.equal(found, wanted) for found, wanted in zip(parts, everything))
    for shape in ((size, 2, 3), (2 * size, 3)):
        whole = gn.empty(shape)
        dist.all_gather_into_tensor(whole, x)
        assert gn.equal(whole, gn.stack(everything).view(shape))
    for op in (ReduceOp.SUM, ReduceOp.AVG, ReduceOp.MAX):
        wanted = {
            ReduceOp.SUM: x * size,
            ReduceOp.AVG: x,
            ReduceOp.MAX: x,
        }[op]
        out = gn.empty(2, 3)
        dist.reduce_scatter(out, everything, op)
        assert gn.equal(out, wanted)
        for shape in ((size, 2, 3), (2 * size, 3)):
            out = gn.empty(2, 3)
            dist.reduce_scatter_tensor(out, gn.stack(everything).view(shape), op)
            assert gn.equal(out, wanted)


@on_ranks(1, 2, 3)
def test_all_to_all(rank: int, size: int) -> None:
    given = [gn.full((r + 1, 2), float(10 * rank + r)) for r in range(size)]
    found = [gn.empty(rank + 1, 2) for _ in range(size)]
    dist.all_to_all(found, given)
    assert [each.tolist() for each in found] == [[[10.0 * r + rank] * 2] * (rank + 1) for r in range(size)]
    x = gn.arange(2 * size) + 100 * rank
    out = gn.empty_like(x)
    dist.all_to_all_single(out, x)
    assert out.tolist() == [100 * r + 2 * rank + k for r in range(size) for k in range(2)]
    sizes = list(range(size))  # rank r gets r rows of each
    uneven = gn.cat([gn.full((r, 3), rank) for r in range(size)])
    out = gn.empty(rank * size, 3, dtype=gn.int64)
    dist.all_to_all_single(out, uneven, [rank] * size, sizes)
    assert out.tolist() == [[r] * 3 for r in range(size) for _ in range(rank)]


@on_ranks(1, 2, 3)
def test_empty_tensors(rank: int, size: int) -> None:
    x = gn.empty(0, 3)
    dist.all_reduce(x)
    dist.broadcast(x, 0)
    parts = [gn.empty(0, 3) for _ in range(size)]
    dist.all_gather(parts, x)
    out = gn.empty(0)
    dist.all_gather_into_tensor(out, gn.empty(0))
    dist.all_to_all_single(gn.empty(0), gn.empty(0))
    dist.all_reduce_coalesced([])
    assert x.shape == (0, 3) and out.shape == (0,)


@on_ranks(2, 3)
def test_work_of_collectives_that_go_on(rank: int, size: int) -> None:
    tensors = [
        gn.full((1000,), float(rank + k), dtype=gn.bfloat16 if k % 2 else gn.float32) for k in range(6)
    ]
    works = [dist.all_reduce(each, ReduceOp.AVG, async_op=True) for each in tensors]
    for k, (work, tensor) in enumerate(zip(works, tensors)):
        assert work.wait() is True and work.is_completed() and work.is_success() and work.exception() is None
        assert work.result()[0].data_ptr() == tensor.data_ptr()
        assert tensor[0].item() == tensor[999].item() == (size - 1) / 2 + k
    x = gn.full((2, 2), float(rank))
    work = dist.all_reduce(x.t(), async_op=True)
    doubled = work.get_future().then(lambda future: future.value()[0] * 2)
    total = sum(range(size))
    assert gn.equal(doubled.wait(), gn.full((2, 2), 2.0 * total)) and gn.equal(
        x, gn.full((2, 2), float(total))
    )
    assert doubled.done() and doubled.value() is doubled.wait()
    while not work.is_completed():
        pass
    waiting = dist.barrier(async_op=True)
    assert waiting.wait()


@on_ranks(2, 3)
def test_coalesced(rank: int, size: int) -> None:
    tensors = [gn.full((2, 3), float(rank)).t(), gn.full((4,), rank + 1.0), gn.empty(0)]
    dist.all_reduce_coalesced(tensors)
    assert (
        tensors[0].tolist() == [[float(sum(range(size)))] * 2] * 3
        and tensors[1][3].item() == size * (size + 1) / 2
    )
    lists = [[gn.empty(2), gn.empty(3)] for _ in range(size)]
    work = dist.all_gather_coalesced(
        lists, [gn.full((2,), float(rank)), gn.full((3,), -float(rank))], async_op=True
    )
    work.wait()
    assert [each[1].tolist() for each in lists] == [[-float(r)] * 3 for r in range(size)]


@on_ranks(3)
def test_groups(rank: int, size: int) -> None:
    count = dist.get_pg_count()
    group = dist.new_group([2, 0])
    assert dist.get_world_size(group) == (-1 if rank == 1 else 2)
    assert dist.get_rank(group) == {0: 0, 1: -1, 2: 1}[rank]
    x = gn.tensor([rank + 1.0])
    if rank == 1:
        with pytest.warns(UserWarning, match="does not belong to the given group"):
            assert dist.all_reduce(x, group=group) is None
        assert x.item() == 2.0
    else:
        dist.all_reduce(x, group=group)
        assert x.item() == 4.0
        assert dist.get_process_group_ranks(group) == [0, 2]
        assert dist.get_group_rank(group, 2) == 1 and dist.get_global_rank(group, 1) == 2
        with pytest.raises(ValueError, match="Global rank 1 is not part of group"):
            dist.get_group_rank(group, 1)
        dist.broadcast(x, 2, group)
        dist.broadcast(x, group=group, group_src=1)
        with pytest.raises(ValueError, match="Can't specify both"):
            dist.broadcast(x, 2, group, group_src=1)
        with pytest.raises(ValueError, match="Must specify"):
            dist.broadcast(x, group=group)
        dist.destroy_process_group(group)
        with pytest.raises(ValueError, match="destroyed"):
            dist.all_reduce(x, group=group)
    reverse = dist.new_group([2, 1, 0], sort_ranks=False)
    assert dist.get_rank(reverse) == 2 - rank and dist.get_process_group_ranks(reverse) == [2, 1, 0]
    pair = dist.new_group([0, 1], use_local_synchronization=True)
    assert (pair is dist.GroupMember.NON_GROUP_MEMBER) == (rank == 2)
    ours, all_of = dist.new_subgroups_by_enumeration([[0, 2], [1]])
    assert dist.get_world_size(ours) == (1 if rank == 1 else 2) and len(all_of) == 2
    alone, _ = dist.new_subgroups(1)
    assert dist.get_process_group_ranks(alone) == [rank]
    part = dist.split_group(split_ranks=[[0, 1], [2]])
    assert dist.get_process_group_ranks(part) == ([2] if rank == 2 else [0, 1])
    for each in (part, alone, ours, pair, reverse):
        dist.destroy_process_group(each)
    assert dist.get_pg_count() == count
    for wrong, text in (
        ([0, 3], r"^Rank 3 is out of range\. Valid ranks are 0 to 2 \(world_size=3\)$"),
        ([0, -1], r"^Rank -1 is out of range\. Valid ranks are 0 to 2 \(world_size=3\)$"),
        ([0, 0], r"^ranks list must not contain duplicate entries, got \[0, 0\]$"),
        ([0, 1, 2, 3], "less or equal"),
    ):
        with pytest.raises(ValueError, match=text):
            dist.new_group(wrong)
    for no_ranks in ([0.0], ["0"], 0):
        with pytest.raises(TypeError):
            dist.new_group(no_ranks)


@on_ranks(2)
def test_ranks_of_groups_without_this_process(rank: int, size: int) -> None:
    """As in PyTorch, those of the last one."""
    ours = [dist.new_group([each]) for each in (0, 1)]
    assert [dist.get_process_group_ranks(each) for each in ours] == [[0], [1]]
    other = dist.new_group([1 - rank], use_local_synchronization=True)
    assert other is dist.GroupMember.NON_GROUP_MEMBER and dist.get_process_group_ranks(other) == [1 - rank]
    dist.destroy_process_group(ours[rank])


@on_ranks(2, 3)
def test_different_groups_are_named(rank: int, size: int) -> None:
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    count = dist.get_pg_count()
    try:
        one = [[0, 1], [0]]
        for call, text in (
            (lambda: dist.new_group(one[rank == 1]), r"Ranks: \[0.*\] vs \[0.*\]"),
            (lambda: dist.new_group([0, 1]) if rank == 1 else dist.all_reduce(gn.ones(1)), "NEW_GROUP"),
            (lambda: dist.new_group([0], backend="mpi" if rank == 1 else None), "Backend: "),
            (lambda: dist.split_group(split_ranks=[one[rank == 1]]), r"Ranks: \[\[0"),
        ):
            with pytest.raises(dist.DistBackendError, match="Detected mismatch") as error:
                call()
            if rank < 2:
                assert re.search(text, str(error.value)), error.value
        assert dist.get_pg_count() == count
        group = dist.new_group([1, 0])
        if rank < 2:
            x = gn.ones(1)
            dist.all_reduce(x, group=group)
            assert x.item() == 2.0
            pair = dist.new_group([0, 1], use_local_synchronization=True)
            dist.destroy_process_group(pair)
            dist.destroy_process_group(group)
        dist.barrier()  # as many comparisons on all ranks
    finally:
        dist.set_debug_level(dist.DebugLevel.OFF)


@on_ranks(2)
def test_a_message_of_another_dtype_is_named(rank: int, size: int) -> None:
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    try:
        for sent, expected, text in (
            (
                gn.ones(3),
                gn.empty(3, dtype=gn.int32),
                (
                    "rank 0 sends 3 elements of gnomon.float32 (shape [3]), but rank 1 receives 3 elements "
                    "of gnomon.int32 (shape [3])"
                ),
            ),
            (
                gn.ones(2),
                gn.empty(1, dtype=gn.float64),
                (
                    "rank 0 sends 2 elements of gnomon.float32 (shape [2]), but rank 1 receives 1 elements "
                    "of gnomon.float64 (shape [1])"
                ),
            ),
            (
                gn.ones(100, 1000),
                gn.empty(2, 2),
                (
                    "rank 0 sends 100000 elements of gnomon.float32 (shape [100, 1000]), but rank 1 receives "
                    "4 elements of gnomon.float32 (shape [2, 2])"
                ),
            ),
        ):
            if rank == 0:
                dist.send(sent, 1)
            else:
                with pytest.raises(dist.DistBackendError, match=re.escape(text)):
                    dist.recv(expected, 0)
    finally:
        dist.set_debug_level(dist.DebugLevel.OFF)


@on_ranks(2, 3)
def test_described_messages_arrive_as_others_do(rank: int, size: int) -> None:
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    try:
        if rank == 1:
            sent = [gn.full((2, 2), number, dtype=gn.bfloat16) for number in range(5)]
            for work in [dist.isend(each, 0, tag=tag) for each, tag in zip(sent, (5, 3, 3, 5, 4))]:
                work.wait()
        elif rank == 0:
            room = [gn.empty(4, dtype=gn.bfloat16) for _ in range(5)]
            works = [
                dist.irecv(each, source, tag=tag)
                for each, source, tag in zip(room, (None, 1, 1, None, 1), (3, 3, 5, 5, 4))
            ]
            for each in reversed(works):
                each.wait()
                assert each.source_rank() == 1
            assert [each.tolist() for each in room] == [[float(n)] * 4 for n in (1, 2, 0, 3, 4)]
        right, left = (rank + 1) % size, (rank - 1) % size
        x, y = gn.arange(6.0).view(2, 3).t() + rank, gn.empty(2, 3).t()
        operations = [dist.P2POp(dist.irecv, y, left), dist.P2POp(dist.isend, x, right)]
        for each in dist.batch_isend_irecv(operations):
            each.wait()
        assert gn.equal(y, gn.arange(6.0).view(2, 3).t() + left)
        if rank == 0:
            dist.send_object_list(["a"], 1)
        elif rank == 1:
            received = [None]
            assert dist.recv_object_list(received, 0) == 0 and received == ["a"]
    finally:
        dist.set_debug_level(dist.DebugLevel.OFF)


@on_ranks(2, 3)
def test_messages(rank: int, size: int) -> None:
    right, left = (rank + 1) % size, (rank - 1) % size
    x, y = gn.arange(6.0).view(2, 3).t() + rank, gn.empty(2, 3).t()
    work = dist.isend(x, right)
    assert dist.recv(y, left) == left
    work.wait()
    assert gn.equal(y, gn.arange(6.0).view(2, 3).t() + left)
    if rank == 0:
        for _ in range(1, size):
            z = gn.empty(1, dtype=gn.int64)
            sender = dist.recv(z, tag=7)
            assert z.item() == sender
    else:
        dist.send(gn.tensor([rank]), 0, tag=7)
    out = gn.empty(3, dtype=gn.complex64)
    works = dist.batch_isend_irecv(
        [
            dist.P2POp(dist.isend, gn.full((3,), rank * 1j), right),
            dist.P2POp(dist.irecv, out, left),
        ]
    )
    for each in works:
        each.wait()
    assert out.tolist() == [left * 1j] * 3
    with pytest.raises(ValueError, match="should not be the same as the rank of the current process"):
        dist.send(x, rank)
    with pytest.raises(ValueError, match="Invalid ``op``"):
        dist.P2POp(dist.send, x, right)
    with pytest.raises(ValueError, match="Invalid ``p2p_op_list``"):
        dist.batch_isend_irecv([])


@on_ranks(2, 3)
def test_a_message_of_another_size_is_an_error(rank: int, size: int) -> None:
    if rank == 0:
        dist.send(gn.ones(3), 1)
        dist.send(gn.ones(5), 1)
    elif rank == 1:
        with pytest.raises(dist.DistBackendError, match=r"recv.* got 3 elements, expected 4"):
            dist.recv(gn.empty(4), 0)
        with pytest.raises(dist.DistBackendError, match="recv"):
            dist.recv(gn.empty(4), 0)


@on_ranks(1, 2, 3)
def test_objects(rank: int, size: int) -> None:
    objects = [None] * size
    dist.all_gather_object(objects, {"rank": rank, "text": "x" * rank * 100})
    assert objects == [{"rank": r, "text": "x" * r * 100} for r in range(size)]
    gathered = [None] * size if rank == size - 1 else None
    dist.gather_object((rank, gn.tensor([rank])), gathered, dst=size - 1)
    if gathered is not None:
        assert [(each[0], each[1].item()) for each in gathered] == [(r, r) for r in range(size)]
    known = [{"a": 1}, None, "text"] if rank == 0 else [None] * 3
    dist.broadcast_object_list(known, 0)
    assert known == [{"a": 1}, None, "text"]
    out = [None]
    dist.scatter_object_list(out, [f"for {r}" * (r + 1) for r in range(size)] if rank == 0 else None, 0)
    assert out == [f"for {rank}" * (rank + 1)]
    if size > 1:
        if rank == 0:
            dist.send_object_list(["a", (1, 2)], 1)
        elif rank == 1:
            received = [None, None]
            assert dist.recv_object_list(received, 0) == 0 and received == ["a", (1, 2)]


@on_ranks(2)
def test_what_is_refused_says_why(rank: int, size: int) -> None:
    x = gn.ones(3)
    for call, error, text in (
        (lambda: dist.all_reduce([x]), TypeError, "Expected parameter `tensor` of type gnomon.Tensor"),
        (lambda: dist.all_reduce(x, "sum"), ValueError, "Invalid ``op`` arg"),
        (lambda: dist.all_gather([x], x), RuntimeError, "one tensor for each of 2 ranks, got 1"),
        (lambda: dist.all_gather(x, x), TypeError, "List"),
        (lambda: dist.all_gather([x, x.int()], x), ValueError, "different dtypes"),
        (lambda: dist.all_gather([x, gn.ones(4)], x), RuntimeError, r"tensor_list\[1\] has shape \(4,\)"),
        (lambda: dist.all_gather_into_tensor(gn.ones(5), x), RuntimeError, r"\(6,\) or \(2, 3\)"),
        (lambda: dist.all_to_all_single(x, x), RuntimeError, "not divisible by the number of ranks, 2"),
        (lambda: dist.all_to_all_single(x, x, [1, 1], [1, 2]), RuntimeError, "whose sum is 3"),
        (lambda: dist.broadcast(x, 1.0), TypeError, "expected the rank of a process to be an int, not float"),
        (lambda: dist.reduce(x, group_dst=0.0), TypeError, "expected the rank of a process to be an int"),
        (lambda: dist.isend(x, float(1 - rank)), TypeError, "expected the rank of a process to be an int"),
        (lambda: dist.broadcast(x, 5), ValueError, "Global rank 5 is not part of group"),
        (lambda: dist.scatter(x, [x, x] if rank else None, 0), ValueError, "scatter_list"),
        (lambda: dist.all_reduce(x.to_sparse()), RuntimeError, "must be dense"),
        (lambda: dist.init_process_group(), ValueError, "twice"),
        (lambda: dist.isend(x, 1 - rank, tag=-1), ValueError, "non-negative"),
    ):
        with pytest.raises(error, match=text):
            call()
    assert x.tolist() == [1.0] * 3


@on_ranks(2, 3)
def test_a_grid_of_processes(rank: int, size: int) -> None:
    mesh = dist.init_device_mesh("cpu", (1, size), mesh_dim_names=("replicate", "shard"))
    assert mesh.shape == (1, size) and mesh.ndim == 2 and mesh.size() == mesh.size(1) == size
    assert mesh.get_coordinate() == [0, rank] and mesh.get_local_rank("shard") == rank
    x = gn.ones(1)
    dist.all_reduce(x, group=mesh.get_group("shard"))
    dist.all_reduce(x, group=mesh.get_group(0))
    assert x.item() == size
    row = mesh["shard"]
    assert row.get_group() is mesh.get_group(1) and row.mesh.tolist() == list(range(size))
    with pytest.raises(KeyError, match="Invalid mesh_dim_name"):
        mesh["rows"]
    with pytest.raises(RuntimeError, match="needs to be specified"):
        mesh.get_group()
    for each in mesh.get_all_groups():
        dist.destroy_process_group(each)


@on_ranks(2, 3)
def test_a_mismatch_is_named(rank: int, size: int) -> None:
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    try:
        x = gn.ones(3)
        dist.all_reduce(x)
        dist.barrier()
        assert x.tolist() == [size] * 3
        calls = (
            (lambda: dist.all_reduce(gn.ones(3 + (rank == 1))), r"Tensor shapes: \[\[.\]\] vs \[\[.\]\]"),
            (lambda: dist.all_reduce(gn.ones(3, dtype=gn.int64 if rank else gn.int32)), "Tensor dtypes"),
            (lambda: dist.all_reduce(gn.ones(3), ReduceOp.MAX if rank else ReduceOp.SUM), "Reduction: "),
            (lambda: dist.broadcast(gn.ones(3), min(rank, 1)), "Root: "),
            (lambda: dist.barrier() if rank else dist.all_reduce(x), r"Op type: .* vs .*"),
        )
        for call, text in calls:
            if rank < 2:
                with pytest.raises(
                    RuntimeError, match=r"Detected mismatch between collectives on ranks.*(.|\n)*" + text
                ):
                    call()
            else:
                with pytest.raises(RuntimeError, match="Detected mismatch"):
                    call()
    finally:
        dist.set_debug_level(dist.DebugLevel.OFF)


@on_ranks(2, 3)
def test_input_and_output_may_share_memory(rank: int, size: int) -> None:
    """MPI does not allow it; gradients and shards are often gathered into the memory where they are."""
    whole = gn.zeros(2 * size)
    own = whole[2 * rank : 2 * rank + 2]
    own.fill_(rank + 1)
    dist.all_gather_into_tensor(whole, own)
    assert whole.tolist() == [float(r + 1) for r in range(size) for _ in range(2)]
    x = gn.arange(2.0 * size)
    dist.reduce_scatter_tensor(x[2 * rank : 2 * rank + 2], x)
    wanted = gn.arange(2.0 * size)
    wanted[2 * rank : 2 * rank + 2] *= size
    assert gn.equal(x, wanted)
    y = gn.arange(size) + 10 * rank
    dist.all_to_all_single(y, y)
    assert y.tolist() == [10 * r + rank for r in range(size)]


@on_ranks(2)
def test_what_can_not_be_written_or_combined_is_refused_before_anything_is_sent(rank: int, size: int) -> None:
    expanded, x = gn.ones(1).expand(3), gn.ones(3)
    shared = "more than one element of the written-to tensor"
    quantized = gn.quantize_per_tensor(gn.ones(3), 0.1, 0, gn.qint8)
    for call, text in (
        (lambda: dist.all_reduce(expanded), f"all_reduce: argument 'tensor': .*{shared}"),
        (lambda: dist.broadcast(expanded, 0), f"broadcast: argument 'tensor': .*{shared}"),
        (lambda: dist.all_gather([x, expanded], x), f"all_gather: argument 'tensor_list': .*{shared}"),
        (
            lambda: dist.all_gather_into_tensor(gn.ones(1).expand(6), x),
            f"argument 'output_tensor': .*{shared}",
        ),
        (lambda: dist.reduce_scatter(expanded, [x, x]), f"argument 'output': .*{shared}"),
        (lambda: dist.recv(expanded, 1 - rank), f"recv: argument 'tensor': .*{shared}"),
        (lambda: dist.all_reduce(quantized), "must be dense, got a quantized tensor"),
        (
            lambda: dist.all_reduce(x.to(gn.float8_e5m2)),
            r"cannot use ReduceOp\.SUM with dtype gnomon\.float8_e5m2",
        ),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()
    for tag in (2**15 - 2, 2**40):
        with pytest.raises(ValueError, match=r"argument 'tag' must be non-negative and less than 32766"):
            dist.isend(x, 1 - rank, tag=tag)
    dist.all_reduce(x)  # nothing is left of the calls above
    assert x.tolist() == [2.0] * 3
    y = gn.full((3,), float(rank)).to(gn.float8_e5m2)
    dist.broadcast(y, 1)  # moved as it is
    assert y.float().tolist() == [1.0] * 3


@on_ranks(2)
def test_asking_finds_an_error_too(rank: int, size: int) -> None:
    if rank == 0:
        dist.send(gn.ones(5), 1)
    else:
        work = dist.irecv(gn.empty(4), 0)
        while not work.is_completed():
            pass
        assert not work.is_success() and isinstance(work.exception(), dist.DistBackendError)
        with pytest.raises(dist.DistBackendError, match="recv"):
            work.wait()


@on_ranks(1, 2, 3)
def test_parts_of_another_size_than_expected_are_found(rank: int, size: int) -> None:
    """Even without a comparison: nothing that nobody sent is in a tensor."""
    found = [gn.full((3,), -1.0) for _ in range(size)]
    text = r"all_to_all .*from this rank itself: got 2 elements, expected 3 elements of gnomon\.float32"
    with pytest.raises(dist.DistBackendError, match=text):
        dist.all_to_all(found, [gn.ones(2)] * size)
    assert [each.tolist() for each in found] == [[-1.0] * 3] * size
    if size == 1:
        return
    given = [gn.ones(2) if (rank, r) != (0, 1) else gn.ones(1 + 4 * (size - 2)) for r in range(size)]
    found = [gn.zeros(2) for _ in range(size)]
    if rank == 1:  # what rank 0 sends is too short, or too long
        what = "got 1 elements, expected 2" if size == 2 else "got more than the 2"
        with pytest.raises(dist.DistBackendError, match=rf"from rank 0 of the group: {what} elements of"):
            dist.all_to_all(found, given)
    else:
        dist.all_to_all(found, given)
        assert [each.tolist() for each in found] == [[1.0, 1.0]] * size
    out = gn.full((size, 2), -1.0)
    sizes = [0, 2, *[1] * (size - 2)] if rank == 0 else [1] * size
    with pytest.raises(dist.DistBackendError) if rank < 2 else contextlib.nullcontext():
        dist.all_to_all_single(out, gn.ones(size, 2), [1] * size, sizes)
    x = gn.ones(2 if rank == 1 else 3, dtype=gn.bfloat16)
    parts = [gn.zeros_like(x) for _ in range(size)] if rank == 0 else None
    with (
        pytest.raises(dist.DistBackendError, match=r"gather .*from rank 1 of the group: got 2 elements")
        if rank == 0
        else contextlib.nullcontext()
    ):
        dist.gather(x, parts)
    with (
        pytest.raises(dist.DistBackendError, match=r"scatter .*rank 0 of the group: got more than the 2")
        if rank == 1
        else contextlib.nullcontext()
    ):
        dist.scatter(x, [gn.zeros(3, dtype=gn.bfloat16)] * size if rank == 0 else None)
    y = gn.full((2,), rank)
    dist.all_reduce(y)  # nothing is left of the calls above
    assert y.tolist() == [sum(range(size))] * 2


@on_ranks(2, 3)
def test_a_mismatch_of_parts_is_named_on_all_ranks(rank: int, size: int) -> None:
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    try:
        given = [gn.ones(2 + (rank == 1 and r == 0)) for r in range(size)]
        found = [gn.empty(2 + (rank == 0 and r == 1)) for r in range(size)]
        dist.all_to_all(found, given)  # each part has its own size: no mismatch
        with pytest.raises(dist.DistBackendError, match="Parts of ALLTOALL differ in size:") as error:
            dist.all_to_all([gn.empty(2) for _ in range(size)], given)
        assert str(error.value).splitlines()[1:] == [
            "\t Rank 1 sends 3 elements to rank 0, which expects 2",
        ]
        out, x = gn.empty(size), gn.ones(size)
        sizes = [0, 2, *[1] * (size - 2)] if rank == 1 else [1] * size
        with pytest.raises(dist.DistBackendError, match="Parts of ALLTOALL_BASE differ in size:") as error:
            dist.all_to_all_single(out, x, [1] * size, sizes)
        assert str(error.value).splitlines()[1:] == [
            "\t Rank 1 sends 0 elements to rank 0, which expects 1",
            "\t Rank 1 sends 2 elements to rank 1, which expects 1",
        ]
        many = [gn.ones(1) for _ in range(400)]
        many[-1] = gn.ones(1 + (rank == 1))  # behind what an error shows
        with pytest.raises(dist.DistBackendError, match=r"Tensor shapes: .*checksum"):
            dist.all_reduce_coalesced(many)
    finally:
        dist.set_debug_level(dist.DebugLevel.OFF)


@on_ranks(2)
def test_a_message_of_another_size_is_refused(rank: int, size: int) -> None:
    for sent, expected, text in (
        (
            gn.ones(5),
            gn.empty(4),
            "got a message that is longer than the 4 elements of gnomon.float32 expected",
        ),
        # Open MPI writes a large one behind the end of a smaller place
        (gn.ones(5 if is_open_mpi() else 10**6), gn.empty(4), "got a message that is longer than the 4"),
        (gn.ones(3), gn.empty(4), "got 3 elements, expected 4 elements of gnomon.float32"),
        (gn.ones(1), gn.empty(2, dtype=gn.float64), "got 4 bytes, expected 2 elements of gnomon.float64"),
    ):
        if rank == 0:
            dist.send(sent, 1)
        else:
            with pytest.raises(dist.DistBackendError, match=rf"^recv of group '0' on rank 1 .*\): {text}"):
                dist.recv(expected, 0)


@pytest.mark.parametrize("level", ["OFF", "DETAIL"])
@on_ranks(2)
def test_a_message_is_taken_while_its_receiver_waits_for_something_else(
    rank: int, size: int, level: str
) -> None:
    """A large message needs its receiver; who waits for the receiver must not wait for ever."""
    sent, received = gn.full((1 << 20,), float(rank)), gn.empty(1 << 20)
    dist.set_debug_level(dist.DebugLevel[level])
    try:
        work = dist.irecv(received, 1 - rank)
        dist.send(sent, 1 - rank)
        assert work is not None and work.wait() and received[-1].item() == 1 - rank
        if rank == 0:
            work = dist.irecv(received.fill_(7), 1)
            begun = dist.barrier(async_op=True)
            while not begun.is_completed():
                pass
            assert work is not None and work.wait() and received[-1].item() == 1
        else:
            dist.send(sent, 0)
            dist.barrier()
    finally:
        dist.set_debug_level(dist.DebugLevel.OFF)


@on_ranks(2)
def test_a_call_of_the_user_is_one_collective(rank: int, size: int) -> None:
    """Comparisons and the parts of a call do not count."""

    def number() -> int:
        work = dist.barrier(async_op=True)
        work.wait()
        with pytest.raises(RuntimeError, match="only a message has a source") as error:
            work.source_rank()
        return int(str(error.value).partition("collective number ")[2].partition(")")[0])

    first = number()
    for level in (dist.DebugLevel.DETAIL, dist.DebugLevel.OFF):
        dist.set_debug_level(level)
        dist.all_reduce(gn.ones(3))
        dist.all_gather_object([None] * size, "x")
        dist.all_gather_coalesced([[gn.ones(1), gn.ones(2)] for _ in range(size)], [gn.ones(1), gn.ones(2)])
        dist.monitored_barrier()
        assert number() == first + 5
        first += 5


@on_ranks(1)
def test_a_message_that_comes_meanwhile_goes_to_the_first_that_waits(rank: int, size: int) -> None:
    """Who waits for the same as an earlier one is not asked for before that has its message."""
    from mpi4py import MPI

    asked: list[tuple[int, int]] = []

    def probe(source: int, tag: int, status: object) -> None:
        asked.append((source, tag))

    places = [(0, 1), (0, 1), (MPI.ANY_SOURCE, 1), (0, 2), (1, 1), (MPI.ANY_SOURCE, 2)]
    awaited = [described_messages.Awaited(*each) for each in places]
    communicator = SimpleNamespace(Improbe=probe)
    group: Any = SimpleNamespace(awaited=list(awaited), mpi=SimpleNamespace(communicator=communicator))
    described_messages._take(group)
    assert asked == [(0, 1), (0, 2)] and group.awaited == awaited
