"""Indexing on the emulated GPU: reading, putting, filling and combining at indices, against the reference."""

from __future__ import annotations

from collections import Counter

import pytest

import gnomon as gn
from cuda_calls import both, close, numbers, same
from gnomon.calls import launch
from gnomon_conformance.execution.instrumentation import native_runs
from gnomon_cuda import indexing, launcher, order

pytestmark = pytest.mark.usefixtures("cuda")

MOVED = [gn.bool, gn.int16, gn.float32, gn.float64, gn.complex128]


RUNS = [Counter()]  # of the current test


@pytest.fixture(autouse=True)
def natively():
    """Count native runs, and assert that the GPU declines no call."""
    with native_runs() as RUNS[0]:
        before = launch.declined.copy()
        yield
        assert launch.declined == before


def indices(*values, dtype=gn.int64):
    return gn.tensor(values if len(values) > 1 else values[0], dtype=dtype, device="reference")


def run_natively(name, function, *tensors):
    """``both``, and assert that ``name`` ran on the GPU."""
    found = both(function, *tensors)
    assert RUNS[0]["cuda", name] >= 1, name
    return found


@pytest.mark.parametrize("dtype", MOVED, ids=lambda each: each.name)
def test_elements_are_read_at_indices(dtype):
    source = numbers(2 * 3 * 8, dtype).reshape(2, 3, 8)
    few = indices([2, 0, 0, 1])
    for name, function in (
        ("index_select", lambda a, i: a.index_select(1, i)),
        ("index_select", lambda a, i: a.permute(2, 0, 1).index_select(2, i.to(gn.int32))),
        ("index_select", lambda a, i: a[:, :, 1:7].index_select(1, i)),
        ("take", lambda a, i: a.transpose(0, 2).take(i - 7)),
        ("_index", lambda a, i: a[:, i]),
        ("_index", lambda a, i: a[i % 2, :, i]),
        ("_index", lambda a, i: a[i % 2, i - 1]),
        ("_index", lambda a, i: a[:, (i - 2).reshape(2, 2), i.reshape(2, 2)]),
        ("gather", lambda a, i: a.gather(1, i.reshape(1, 4, 1).expand(2, 4, 5))),
        ("gather", lambda a, i: a.gather(2, i.reshape(1, 1, 4))),
        ("embedding", lambda a, i: gn.embedding(a[1], i.reshape(2, 2))),
        ("embedding", lambda a, i: gn.embedding(a[1], i[0])),
        ("cat", lambda a, i: gn.cat([a, a[:, :1], a.transpose(0, 1)[:2].transpose(0, 1)], 1)),
    ):
        assert same(*run_natively(name, function, source, few)), name
    assert same(*both(lambda a: a[0, 0, 0].index_select(0, gn.tensor([0], device=a.device)), source))
    assert same(*both(lambda a: a[:, :, :0].index_select(1, gn.tensor([0], device=a.device)), source))


@pytest.mark.parametrize("dtype", MOVED, ids=lambda each: each.name)
def test_elements_are_put_at_indices(dtype):
    target = gn.zeros(3, 8, dtype=dtype, device="reference")
    source = numbers(4 * 8, dtype).reshape(4, 8)
    few = indices([2, 0, 2, 1])  # of two values for one index, the last one is kept
    for name, function in (
        ("index_copy", lambda a, b, i: a.index_copy(0, i, b)),
        ("index_copy", lambda a, b, i: a.t().index_copy(1, i, b.t())),
        ("_index_put", lambda a, b, i: a.index_put((i,), b)),
        ("_index_put", lambda a, b, i: a.index_put((i - 1, i), b[:, 0])),
        ("_index_put", lambda a, b, i: a.index_put((i,), b[1])),
        ("put", lambda a, b, i: a.put(i - 20, b[:, 3])),
        ("scatter.src", lambda a, b, i: a.scatter(0, i.reshape(4, 1).expand(4, 8), b)),
        ("scatter.src", lambda a, b, i: a.scatter(1, i.reshape(1, 4), b)),
        ("scatter.value", lambda a, b, i: a.scatter(1, i.reshape(1, 4), 1)),
        ("index_fill.int_Scalar", lambda a, b, i: a.index_fill(1, i - 3, 1)),
    ):
        assert same(*run_natively(name, function, target, source, few)), name
    in_place = both(lambda a, b, i: a[:, ::2].index_copy_(0, i, b[:, ::2]), target.clone(), source, few)
    assert same(*in_place)


def test_the_last_of_equal_picks_wins_whichever_thread_comes_last():
    # more indices than one launch has threads for: a thread handles later indices before another one begins
    count = 4 * launcher.BLOCKS_PER_MULTIPROCESSOR * launcher.THREADS + 100
    places = gn.tensor([k % 3 for k in range(count)], device="cuda")
    target, source = gn.zeros(4, device="cuda"), numbers(count).to("cuda")
    last = [max(k for k in range(count - 3, count) if k % 3 == place) for place in range(3)]
    assert target.index_copy(0, places, source).tolist() == [*last, 0]
    assert target.scatter(0, places, source).tolist() == [*last, 0]


def test_the_last_of_few_equal_picks_wins_among_many_places(monkeypatch):
    called = []
    monkeypatch.setattr(indexing, "LEAST_SPARSE", 0)
    monkeypatch.setattr(indexing, "last_of_each", lambda *a: called.append(a) or order.last_of_each(*a))
    places = indices([70, 3, 70, 299, 3, 70])
    source = numbers(6) + 1
    assert same(*both(lambda a, i, b: a.put(i, b), numbers(300), places, source))
    assert same(*both(lambda a, i, b: a.scatter(0, i, b), numbers(300), places, source))
    assert len(called) == 2


def test_the_target_in_place_keeps_what_is_not_named():
    for function in (
        lambda a, i: a.index_put_((i,), a[0] * 0 - 1),
        lambda a, i: a.scatter_(0, i.reshape(2, 1), -1),
        lambda a, i: a.index_add_(0, i, a[:2] * 2),
    ):
        assert same(*both(function, numbers(12).reshape(4, 3), indices([3, 1])))


@pytest.mark.parametrize(
    "dtype", [gn.bool, gn.uint8, gn.int64, gn.float16, gn.float32, gn.complex64], ids=lambda each: each.name
)
def test_what_meets_is_added(dtype):
    target = numbers(3 * 4).reshape(3, 4).to(dtype)
    source = numbers(5 * 4).reshape(5, 4).to(dtype)
    few = indices([2, 0, 2, 1, 2])
    calls = [
        ("_index_put", lambda a, b, i: a.index_put((i,), b, accumulate=True)),
        ("_index_put", lambda a, b, i: a.index_put((i, i), b[:, 1], accumulate=True)),
        ("put", lambda a, b, i: a.put(i, b[:, 3], accumulate=True)),
        ("scatter_add", lambda a, b, i: a.scatter_add(0, i.reshape(5, 1).expand(5, 3), b)),
        ("embedding_dense_backward", lambda a, b, i: gn.ops.aten.embedding_dense_backward(b, i, 4, 1, True)),
    ]
    if dtype != gn.complex64:
        calls += [
            ("index_add", lambda a, b, i: a.index_add(0, i, b)),
            ("index_add", lambda a, b, i: a.t().index_add(1, i, b.t(), alpha=1 if dtype == gn.bool else 3)),
        ]
    for name, function in calls:
        assert same(*run_natively(name, function, target, source, few)), name


@pytest.mark.parametrize("dtype", [gn.uint8, gn.int32, gn.bfloat16, gn.float32], ids=lambda each: each.name)
def test_what_meets_is_combined(dtype):
    target = numbers(3 * 4).reshape(3, 4).to(dtype) + 1
    source = numbers(5 * 4).reshape(5, 4).to(dtype) + 1
    along = indices([2, 0, 2, 1, 2]).reshape(5, 1).expand(5, 4)
    for how in ("sum", "prod", "mean", "amax", "amin"):
        for with_self in (True, False):
            found = run_natively(
                "scatter_reduce.two",
                lambda a, b, i, how=how, with_self=with_self: a.scatter_reduce(
                    0, i, b, how, include_self=with_self
                ),
                target,
                source,
                along,
            )
            assert same(*found), (how, with_self)
    for how in ("add", "multiply"):
        assert same(*both(lambda a, b, i, how=how: a.scatter(0, i, b, reduce=how), target, source, along))
        assert same(*both(lambda a, i, how=how: a.scatter(0, i, 3, reduce=how), target, along))


def test_an_extreme_is_nan_where_one_comes():
    target = gn.tensor([1.0, 2.0, float("nan"), 4.0], device="reference")
    source = gn.tensor([float("nan"), 5.0, 6.0, 0.5], device="reference")
    for how in ("amax", "amin"):
        expected, found = both(
            lambda a, b, i, how=how: a.scatter_reduce(0, i, b, how),
            target,
            source,
            indices([0, 1, 2, 0]),
        )
        assert str(found.tolist()) == str(expected.tolist())


@pytest.mark.parametrize("inner", [1, 3, 40])
def test_many_that_meet_are_combined_by_a_block(inner):
    # more values than a thread takes, more than a block sorts; targets of no, few and many values
    count = order.SHORT_LINE + 100
    places = gn.tensor([0 if k % 7 else k % 5 + 2 for k in range(count)], device="reference")
    places[indexing.FEW * 3] = 9
    source = numbers(count * inner).reshape(count, inner) % 17
    target = numbers(11 * inner).reshape(11, inner)
    assert same(*both(lambda a, i, b: a.index_add(0, i, b), target, places, source))
    runs = gn.tensor([k // indexing.FEW for k in range(5 * indexing.FEW + 1)], device="reference")
    exact = source[: runs.numel()]  # runs of exactly as many as a thread takes
    assert same(*both(lambda a, i, b: a.index_add(0, i, b), target, runs, exact))
    runs = runs[1:] // 2 * 2
    assert same(*both(lambda a, i, b: a.index_add(0, i, b), target, runs, exact[1:]))


def test_sums_have_the_same_bits_each_time():
    count = 300
    source = (gn.rand(count, 3, device="reference") * 1000).to("cuda")
    places = (gn.arange(count, device="reference") * 7 % 3).to("cuda")
    target = gn.zeros(3, 3, device="cuda")
    first = target.index_add(0, places, source).tolist()
    assert all(target.index_add(0, places, source).tolist() == first for _ in range(3))


def test_an_index_out_of_range_raises_as_on_the_reference_and_writes_nothing():
    calls = {
        "index_select": lambda a, i: a.index_select(0, i),
        "gather": lambda a, i: a.gather(0, i.reshape(2, 1)),
        "take": lambda a, i: a.take(i * 5),
        "_index": lambda a, i: a[i],
        "embedding": lambda a, i: gn.embedding(a, i),
        "index_copy": lambda a, i: a.index_copy_(0, i, a[:2] + 1),
        "_index_put": lambda a, i: a.index_put_((i,), a[0] + 1),
        "index_put accumulated": lambda a, i: a.index_put_((i,), a[0] + 1, accumulate=True),
        "put": lambda a, i: a.put_(i * 5, a[0, :2]),
        "scatter": lambda a, i: a.scatter_(0, i.reshape(2, 1), -1),
        "scatter_add": lambda a, i: a.scatter_add_(0, i.reshape(2, 1), a + 1),
        "index_add": lambda a, i: a.index_add_(0, i, a[:2] + 1),
        "index_fill": lambda a, i: a.index_fill_(0, i, -1),
    }
    for name, function in calls.items():
        texts = []
        for device in ("reference", "cuda"):
            held = numbers(12).reshape(3, 4).to(device)
            with pytest.raises((IndexError, RuntimeError)) as caught:
                function(held, gn.tensor([0, 3], device=device))
            texts.append((caught.type, str(caught.value)))
            assert held.tolist() == numbers(12).reshape(3, 4).tolist(), name
        assert texts[0] == texts[1], name


def test_a_number_that_does_not_fit_is_refused():
    for device in ("reference", "cuda"):
        held = gn.zeros(3, dtype=gn.uint8, device=device)
        index = gn.tensor([0], device=device)
        with pytest.raises(RuntimeError):
            held.index_fill_(0, index, gn.tensor(300, device=device))
        assert held.index_fill(0, index, gn.tensor(7, device=device)).tolist() == [7, 0, 0]
    assert same(*both(lambda a: a.index_fill(0, gn.tensor([1], device=a.device), a[2]), numbers(4)))
    nan = gn.tensor(float("nan"), device="cuda")
    assert gn.zeros(2, dtype=gn.bool, device="cuda").index_fill(
        0, gn.tensor([1], device="cuda"), nan
    ).tolist() == [False, True]


def test_a_number_of_any_dtype_is_put_among_complex_ones():
    for dtype in (gn.complex64, gn.complex128):
        points = numbers(6, dtype).reshape(2, 3) * 1j
        for value in (2 - 3j, 3e38 + 1j, 1.5, True, 7):
            for other in (gn.complex128, gn.float64, gn.int16):
                if isinstance(value, complex) and not other.is_complex:
                    continue
                number = gn.tensor(value, dtype=other, device="reference")
                index = indices([-1, 0])
                before = dict(launch.fallbacks)
                expected, found = both(lambda a, i, n: a.index_fill(1, i, n), points, index, number)
                assert same(expected, found) and dict(launch.fallbacks) == before


def test_complex_numbers_are_scaled_as_a_whole_when_they_are_added():
    for dtype in (gn.complex64, gn.complex128):
        count = 3 * indexing.FEW
        source = (numbers(2 * count, dtype).reshape(count, 2) * (1 - 2j)).t().contiguous().t()
        target = numbers(8, dtype).reshape(4, 2)
        for places in (numbers(count, gn.int64) % 3, numbers(count, gn.int64) // 160):
            for alpha in (1, 2, 1 + 1j, -3j):
                before = dict(launch.fallbacks)
                pair = both(lambda a, i, s, n=alpha: a.index_add(0, i, s, alpha=n), target, places, source)
                assert same(*pair) and dict(launch.fallbacks) == before
    odd = gn.tensor([complex(float("inf"), 1)], device="reference")
    for alpha in (1, 2):
        expected, found = both(
            lambda a, i, s, n=alpha: a.index_add(0, i, s, alpha=n), gn.zeros_like(odd), indices([0]), odd
        )
        assert repr(expected.tolist()) == repr(found.tolist())  # NaN does not equal itself


def test_complex_numbers_are_combined_at_indices():
    for dtype in (gn.complex64, gn.complex128):
        source = numbers(24, dtype).reshape(6, 4)[:, ::2] * (1 - 1j) + 2j
        target = (numbers(8, dtype).reshape(2, 4) * 1j - 3).t()
        index = indices([2, 0, 0, 3, 2, 2]).reshape(6, 1).expand(6, 2)
        for name, function in {
            "sum": lambda a, i, s: a.scatter_reduce(0, i, s, "sum"),
            "prod": lambda a, i, s: a.scatter_reduce(0, i, s, "prod"),
            "others alone": lambda a, i, s: a.scatter_reduce(0, i, s, "prod", include_self=False),
            "mean": lambda a, i, s: a.scatter_reduce(0, i, s, "mean"),
            "add": lambda a, i, s: a.scatter(0, i, s, reduce="add"),
            "multiply": lambda a, i, s: a.scatter(0, i, s, reduce="multiply"),
            "add a number": lambda a, i, s: a.scatter(0, i, 2 - 1j, reduce="add"),
            "multiply by one": lambda a, i, s: a.scatter(0, i, 2 - 1j, reduce="multiply"),
        }.items():
            before = dict(launch.fallbacks)
            expected, found = both(function, target, index, source)
            assert close(expected, found, 1e-6 if dtype is gn.complex64 else 1e-15), name
            assert dict(launch.fallbacks) == before


def test_no_index_at_all_has_any_dimensions():
    aten = gn.ops.aten
    target, source = numbers(6).reshape(2, 3), numbers(2)
    for sizes in ((1, 0), (0,), (0, 2, 2)):
        nowhere = gn.zeros(sizes, dtype=gn.int64, device="reference")
        for function in (
            lambda a, i, s: aten.scatter.src(a, -1, i, s),
            lambda a, i, s: aten.scatter.value(a, 0, i, 3),
            lambda a, i, s: aten.scatter_add.default(a, 0, i, s),
            lambda a, i, s: aten.scatter.reduce(a, 0, i, s, reduce="add"),
            lambda a, i, s: aten.scatter.value_reduce(a, 1, i, 3, reduce="multiply"),
            lambda a, i, s: aten.scatter_reduce.two(a, 1, i, s, "mean"),
        ):
            texts = []
            for device in ("reference", "cuda"):
                try:
                    found = function(*(each.to(device) for each in (target, nowhere, source)))
                    texts.append((found.tolist(), found.stride()))
                except (RuntimeError, IndexError) as error:
                    texts.append(str(error))
            assert texts[0] == texts[1], sizes
