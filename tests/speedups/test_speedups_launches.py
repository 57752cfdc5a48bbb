"""Plans of factories, fills, copies and random numbers behave as the readable path."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.calls import launch
from gnomon.dispatch.python_dispatch import DispatchMode
from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, observing
from gnomon.numerics.generator import default_generator
from gnomon.values.speedups import speedups
from gnomon_conformance.collection.selection import random_fills
from readable_calls import readably
from time_limits import join, start

pytestmark = pytest.mark.both_tiers

aten = gn.ops.aten
needs_c = pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend")
devices = pytest.mark.parametrize("device", ["reference", pytest.param("c", marks=needs_c)])


def facts(x: Any) -> Any:
    return [[str(number) for number in x.flatten().tolist()], x.dtype, x.shape, x.stride(), x.device]


def launched(monkeypatch: Any) -> list[str]:
    """The names of the kernels that are launched on the readable path from now on."""
    names: list[str] = []
    find_kernel = launch.find_kernel

    def note(backend: Any, name: str, key_dtype: Any) -> Any:
        names.append(name)
        return find_kernel(backend, name, key_dtype)

    monkeypatch.setattr(launch, "find_kernel", note)
    return names


y = gn.arange(12.0, device="reference").reshape(3, 4)

CALLS: dict[str, Callable[[Any], Any]] = {
    "zeros": lambda x: gn.zeros(2, 3, device=x.device),
    "zeros of a tuple": lambda x: gn.zeros((2, 3), device=x.device),
    "zeros int": lambda x: gn.zeros(2, dtype=gn.int64, device=x.device),
    "ones": lambda x: gn.ones(2, 3, device=x.device),
    "ones without elements": lambda x: gn.ones(2, 0, device=x.device),
    "full": lambda x: gn.full((2,), 2.5, device=x.device),
    "full int": lambda x: gn.full((2,), 3, device=x.device),
    "full bool": lambda x: gn.full((2,), True, device=x.device),
    "full complex": lambda x: gn.full((2,), complex(1, -0.0), device=x.device),
    "full -0": lambda x: gn.full((2,), -0.0, device=x.device),
    "full 0": lambda x: gn.full((2,), 0.0, device=x.device),
    "full inf": lambda x: gn.full((2,), -math.inf, device=x.device),
    "full nan": lambda x: gn.full((2,), math.nan, device=x.device),
    "full large": lambda x: gn.full((2,), 2**62 + 1, device=x.device),
    "full half": lambda x: gn.full((2,), 65519.0, dtype=gn.float16, device=x.device),
    "full bool of a fraction": lambda x: gn.full((2,), 0.25, dtype=gn.bool, device=x.device),
    "full uint8": lambda x: gn.full((2,), -1, dtype=gn.uint8, device=x.device),
    "scalar_tensor": lambda x: aten.scalar_tensor(2.5, device=x.device),
    "zeros_like": lambda x: gn.zeros_like(x.t()),
    "ones_like": lambda x: gn.ones_like(x, dtype=gn.int32),
    "full_like": lambda x: gn.full_like(x[:, ::2], 7),
    "new_zeros": lambda x: x.new_zeros(3),
    "new_ones": lambda x: x.new_ones((2, 2)),
    "new_full": lambda x: x.new_full((2,), 0.5),
    "eye": lambda x: gn.eye(3, device=x.device),
    "arange": lambda x: gn.arange(5, device=x.device),
    "arange real": lambda x: gn.arange(0.5, 3, device=x.device),
    "arange down": lambda x: gn.arange(5, 0, -2, device=x.device),
    "arange of nothing": lambda x: gn.arange(0, device=x.device),
    "clone": lambda x: x.clone(),
    "clone of a transpose": lambda x: x.t().clone(),
    "clone with gaps": lambda x: x[:, ::2].clone(),
    "clone of nothing": lambda x: x[:0].clone(),
    "contiguous": lambda x: x.t().contiguous(),
    "to": lambda x: x.to(gn.float64),
    "to int": lambda x: (x / 3).to(gn.int32),
    "fill_": lambda x: x.clone().fill_(3),
    "fill_ -0": lambda x: x.clone().fill_(-0.0),
    "fill_ a column": lambda x: _base(x.clone(), lambda base: base[:, 1].fill_(7)),
    "zero_": lambda x: x.clone().zero_(),
    "copy_": lambda x: x.clone().copy_(x[1]),
    "copy_ converted": lambda x: x.to(gn.int64).copy_(x / 2),
    "masked_fill": lambda x: x.masked_fill(x > 5, 0.0),
    "masked_fill -0": lambda x: x.masked_fill(x > 5, -0.0),
}


def _base(base: Any, write: Callable[[Any], Any]) -> Any:
    write(base)
    return base


@devices
@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_as_the_readable_one(name: str, device: str) -> None:
    x = y.to(device)
    wanted = facts(readably(lambda: CALLS[name](x)))
    results = [CALLS[name](x) for _ in range(4)]
    assert [facts(each) for each in results] == [wanted] * 4
    assert len({each.data_ptr() for each in results if each.numel()}) in (0, 4)
    assert not any(each.requires_grad or each._is_view() for each in results)


@pytest.mark.skipif(speedups is None, reason="needs the C speedups")
@needs_c
@pytest.mark.parametrize(
    "name",
    [name for name in CALLS if name not in ("full complex", "eye", "clone of nothing", "copy_ converted")],
)
def test_nothing_is_launched_the_readable_way_again(name: str, monkeypatch: Any) -> None:
    x = y.to("c")
    refused = ("large", "half")
    CALLS[name](x), CALLS[name](x)
    seen = launched(monkeypatch)
    CALLS[name](x)
    assert bool(seen) == any(each in name for each in refused)


@devices
def test_results_have_memory_of_their_own(device: str) -> None:
    made = [gn.zeros(4, device=device) for _ in range(4)]
    made[0].fill_(1.0)
    assert [each.tolist() for each in made[1:]] == [[0.0] * 4] * 3


@devices
def test_a_number_is_told_anew(device: str) -> None:
    x = gn.zeros(2, device=device)
    for number in (1, 2, 2.5, -1.5, math.inf, 3, -math.inf, True, False, 2**53, 2**53 + 1, 2**70):
        if number == 2**70:
            with pytest.raises(OverflowError):
                x.fill_(number)
            continue
        assert x.fill_(number).tolist() == [float(gn.tensor(number, dtype=gn.float32))] * 2
        assert gn.full_like(x, number).tolist() == x.tolist()
    assert math.isnan(x.fill_(math.nan)[0].item())
    assert math.copysign(1.0, x.fill_(-0.0)[0].item()) == -1.0
    assert math.copysign(1.0, x.fill_(0.0)[0].item()) == 1.0


@devices
@pytest.mark.parametrize(
    "dtype, good, bad",
    [
        (gn.uint8, (0, 255, -255, 7.0), (256, -256, 255.5, -1.0, math.nan, math.inf)),
        (gn.int8, (127, -128, 2.5), (128, -129, 127.5, math.inf)),
        (gn.int64, (2**62, -(2**62), 2.5), (1e300, math.nan)),
        (gn.float16, (65504, -65504.0, math.inf), (1e5, 70000, -1e5)),
        (gn.float32, (3.4e38, -math.inf), (1e39, -1e300)),
        (gn.bool, (2, 0, 0.5, math.nan, -math.inf), ()),
        (gn.complex64, (2, 0.5, 1j, 3e38), (1e39, 1e39j)),
    ],
)
def test_numbers_that_do_not_fit_raise_every_time(dtype: Any, good: Any, bad: Any, device: str) -> None:
    x = gn.zeros(2, dtype=dtype, device=device)
    for _ in range(2):
        for number in (*good, *good):
            wanted = readably(lambda: gn.zeros(2, dtype=dtype, device="reference").fill_(number))  # noqa: B023
            assert facts(x.fill_(number).to("reference")) == facts(wanted)
        for number in bad:
            before = x.tolist()
            with pytest.raises(RuntimeError, match="without overflow"):
                x.fill_(number)
            assert str(x.tolist()) == str(before)


@devices
def test_the_defaults_are_asked_each_time(device: str) -> None:
    def dtypes() -> Any:
        with gn.device(device):
            made = [gn.zeros(2), gn.rand(2), gn.full((1,), 1.5), gn.arange(0.0, 2.0), gn.empty(2)]
        assert all(each.device.type == device for each in made)
        return {each.dtype for each in made}

    before = gn.get_default_device()
    for _ in range(2):
        assert dtypes() == {gn.float32}
        gn.set_default_dtype(gn.float64)
        try:
            assert dtypes() == {gn.float64}
        finally:
            gn.set_default_dtype(gn.float32)
        with gn.device("meta"):
            assert gn.zeros(2).is_meta
        assert gn.zeros(2).device is before


@devices
def test_sizes_are_taken_as_they_come(device: str) -> None:
    with gn.device(device):
        for _ in range(3):
            assert gn.zeros(2, 3).shape == gn.zeros((2, 3)).shape == gn.zeros([2, 3]).shape == (2, 3)
            assert (
                gn.zeros(2).shape == (2,)
                and gn.zeros(()).shape == ()
                and gn.zeros(2, 3, 4).shape == (2, 3, 4)
            )
            assert gn.zeros(2).repeat(3).shape == (6,) and gn.zeros(2).repeat(3, 1).shape == (3, 2)
            for bad in ((2.0,), (2, 3.0), (2, None), ("2",), (True, "x")):
                with pytest.raises(TypeError):
                    gn.zeros(*bad)
            with pytest.raises(TypeError):
                gn.zeros((2, 3.0))
            with pytest.raises(RuntimeError, match="negative dimension"):
                gn.zeros(2, -3)


# -- modes, callbacks and policies ---------------------------------------------------------------------------


@devices
def test_modes_see_every_call(device: str) -> None:
    seen = []

    class Mode(DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = gn.ones(3, device=device)
    calls = [
        lambda: gn.zeros(3, device=device), lambda: x.clone(), lambda: x.fill_(1.0),
        lambda: gn.rand(3, device=device), lambda: x.zero_(), lambda: gn.empty(3, device=device),
        lambda: x.copy_(gn.ones_like(x)),
    ]  # fmt: skip
    for call in calls * 2:
        call()
    with Mode():
        for call in calls:
            call()
    wanted = ["zeros.default", "clone.default", "fill_.Scalar", "rand.default", "fill_.Scalar",
              "empty.memory_format", "ones_like.default", "copy_.default"]  # fmt: skip
    assert [each.removeprefix("aten.") for each in seen] == wanted


@devices
def test_callbacks_see_every_call(device: str) -> None:
    x = gn.ones(3, device=device)
    for _ in range(3):
        x.clone(), x.fill_(2.0), gn.zeros(3, device=device)
    seen = []

    def note(scope: Any, name: str, passed: Any) -> None:
        seen.append(name)

    with observing(RecordFunctionCallback(note, scopes=(DISPATCH,))):
        x.clone(), x.fill_(2.0), gn.zeros(3, device=device)
    assert {"clone", "fill_.Scalar", "zeros"} <= set(seen)


@devices
def test_inference_tensors_stay_what_they_are(device: str) -> None:
    x = gn.ones(3, device=device)
    for _ in range(3):
        gn.zeros(3, device=device), x.clone(), x.fill_(1.0), gn.rand(3, device=device)
    with gn.inference_mode():
        made = [gn.zeros(3, device=device), x.clone(), gn.rand(3, device=device), gn.empty(3, device=device)]
        made[0].fill_(2.0)
    assert all(each.is_inference() for each in made)
    with pytest.raises(RuntimeError, match=r"[Ii]nference"):
        made[0].fill_(3.0)
    assert made[0].tolist() == [2.0] * 3
    assert not gn.zeros(3, device=device).is_inference() and not made[1].clone().is_inference()


@devices
def test_copies_are_recorded_where_they_have_a_gradient(device: str) -> None:
    x = gn.ones(2, 3, device=device, requires_grad=True)
    for _ in range(3):
        for call, name in (
            (lambda: x.clone(), "CloneBackward0"),
            (lambda: x.to(gn.float64), "ToCopyBackward0"),
            (lambda: x.t().contiguous(), "CloneBackward0"),
        ):
            result = call()
            assert result.grad_fn.name() == name
            (gradient,) = gn.autograd.grad((result * 3).sum(), x)
            assert gradient.tolist() == [[3.0] * 3] * 2 and gradient.dtype is gn.float32
        for plain in (x.to(gn.int64), gn.zeros_like(x), gn.rand_like(x), x.new_ones(2), gn.full_like(x, 2)):
            assert not plain.requires_grad and plain.grad_fn is None
        with gn.no_grad():
            assert not x.clone().requires_grad
        assert x.detach().clone().grad_fn is None


@devices
def test_writing_in_place_is_counted_and_refused_as_ever(device: str) -> None:
    x = gn.ones(4, device=device)
    view = x[1:3]
    for number in range(1, 4):
        assert x.fill_(2.0) is x and view._version == x._version == 3 * number - 2
        view.zero_()
        view.copy_(gn.ones(2, device=device))
        assert view._version == x._version == 3 * number
    assert x.tolist() == [2.0, 1.0, 1.0, 2.0]
    leaf = gn.ones(4, device=device, requires_grad=True)
    for write in (lambda t: t.fill_(1.0), lambda t: t.zero_(), lambda t: t.copy_(x), lambda t: t.normal_()):
        with pytest.raises(RuntimeError, match="leaf Variable"):
            write(leaf)
        recorded = leaf * 1
        write(recorded)
        assert recorded.grad_fn.name() != "MulBackward0"
        (gradient,) = gn.autograd.grad(recorded.sum(), leaf)
        assert gradient.tolist() == [0.0] * 4
    with gn.no_grad():
        leaf.fill_(5.0)
    assert leaf.tolist() == [5.0] * 4 and leaf.requires_grad
    saved = gn.ones(4, device=device, requires_grad=True)
    factor = gn.ones(4, device=device)
    product = saved * factor
    factor.fill_(3.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


@devices
def test_copies_that_overlap(device: str) -> None:
    for _ in range(3):
        x = gn.arange(6.0, device=device)
        assert x.copy_(x) is x
        with pytest.raises(RuntimeError, match="single memory location"):
            x[1:].copy_(x[:-1])
        other = gn.arange(6.0, device=device)
        x[1:].copy_(other[:-1])
        assert x.tolist() == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]
        with pytest.raises(RuntimeError, match="more than one element"):
            x[:1].expand(3).copy_(other[:3])


@needs_c
def test_copies_between_devices() -> None:
    here, there = gn.arange(3.0, device="c"), gn.arange(3.0, device="reference")
    for _ in range(3):
        assert here.to("reference").device.type == "reference" and there.to("c").tolist() == [0.0, 1.0, 2.0]
        assert gn.zeros(3, device="c").copy_(there).tolist() == [0.0, 1.0, 2.0]
        assert gn.zeros_like(there, device="c").device.type == "c"


@devices
def test_transforms_see_copies(device: str) -> None:
    x = gn.arange(6.0, device=device).reshape(2, 3)
    for _ in range(3):
        x.clone(), gn.zeros_like(x), gn.zeros_like(x[0]).fill_(1.0)
        doubled = gn.func.vmap(lambda row: (row.clone() * 2 + gn.ones_like(row)).to(gn.float64))(x)
        assert doubled.tolist() == [[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]]
        value, tangent = gn.func.jvp(lambda t: t.clone() * t, (x,), (gn.ones_like(x),))
        assert tangent.tolist() == (x * 2).tolist() and value.tolist() == (x * x).tolist()


@devices
def test_kernels_of_a_wrapper_are_asked(device: str) -> None:
    seen = []

    class Wrapper(gn.Tensor):
        @classmethod
        def __gnomon_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return gn.full((2,), 9.0, device=device)

    wrapped = gn.Tensor._make_wrapper_subclass(Wrapper, (2,), device=device)
    gn.zeros(2, device=device).clone()
    assert wrapped.clone().tolist() == [9.0, 9.0]
    for _ in range(2):
        wrapped.fill_(1.0)
        gn.zeros(2, device=device).fill_(1.0)
    assert [each.removeprefix("aten.") for each in seen] == ["clone.default", "fill_.Scalar", "fill_.Scalar"]


# -- random numbers ------------------------------------------------------------------------------------------

RANDOM: dict[str, Callable[[str], Any]] = {
    "rand": lambda device: gn.rand(3, 2, device=device),
    "rand double": lambda device: gn.rand(3, dtype=gn.float64, device=device),
    "randn": lambda device: gn.randn(3, device=device),
    "rand_like": lambda device: gn.rand_like(gn.zeros(3, device=device)),
    "randint": lambda device: gn.randint(100, (5,), device=device),
    "randint low": lambda device: gn.randint(-5, 100, (5,), device=device),
    "randint_like": lambda device: gn.randint_like(gn.zeros(3, device=device), 9),
    "uniform_": lambda device: gn.zeros(3, device=device).uniform_(2, 5),
    "normal_": lambda device: gn.zeros(3, device=device).normal_(1, 0.5),
    "normal_ with gaps": lambda device: gn.zeros(3, 4, device=device)[:, ::2].normal_(),
    "bernoulli_": lambda device: gn.zeros(9, device=device).bernoulli_(0.25),
    "bernoulli": lambda device: gn.bernoulli(gn.zeros(9, device=device), 0.75),
    "random_": lambda device: gn.zeros(3, dtype=gn.int32, device=device).random_(),
    "random_ to": lambda device: gn.zeros(3, dtype=gn.int32, device=device).random_(7),
    "dropout": lambda device: gn.nn.functional.dropout(gn.ones(9, device=device), 0.5),
}


@devices
@pytest.mark.parametrize("name", RANDOM)
def test_the_stream_goes_on(name: str, device: str) -> None:
    for seed in (0, 2**64 - 1):
        gn.manual_seed(seed)
        wanted = [readably(lambda: facts(RANDOM[name](device))) for _ in range(4)]
        end = default_generator.get_state().tolist()
        gn.manual_seed(seed)
        assert [facts(RANDOM[name](device)) for _ in range(4)] == wanted
        assert default_generator.get_state().tolist() == end
    assert wanted[0] != wanted[1]


@needs_c
@pytest.mark.skipif(speedups is None, reason="the C speedups are not built")
def test_a_warm_stream_is_not_followed_the_readable_way(monkeypatch: Any) -> None:
    for name, call in RANDOM.items():
        call("c"), call("c")
        with monkeypatch.context() as patch:
            seen = launched(patch)
            call("c")
        assert not set(seen) & set(random_fills()), name


@devices
def test_a_generator_of_one_s_own(device: str) -> None:
    own = gn.Generator().manual_seed(5)
    gn.manual_seed(6)
    for _ in range(2):
        gn.rand(3, device=device)
    before = default_generator.get_state().tolist()
    draws = [gn.rand(3, generator=own, device=device).tolist() for _ in range(3)]
    assert default_generator.get_state().tolist() == before
    gn.manual_seed(5)
    assert [gn.rand(3, device=device).tolist() for _ in range(3)] == draws


@devices
@pytest.mark.parametrize("counter", [2**62 - 1, 2**62 + 1, 2**64 - 2, 2**100])
def test_streams_that_have_gone_far(counter: int, device: str) -> None:
    gn.rand(3, device=device), gn.rand(3, device=device)
    gn.manual_seed(1)
    try:
        default_generator._counter = counter
        wanted = readably(lambda: [gn.rand(3, device=device).tolist() for _ in range(3)])
        assert default_generator._counter == counter + 9
        default_generator._counter = counter
        assert [gn.rand(3, device=device).tolist() for _ in range(3)] == wanted
        assert default_generator._counter == counter + 9
    finally:
        gn.manual_seed(0)


@devices
def test_parameters_that_are_zeros_with_a_sign(device: str) -> None:
    def signs(mean: float) -> list[float]:
        gn.manual_seed(2)
        return [math.copysign(1.0, each) for each in gn.ones(16, device=device).normal_(mean, 0.0).tolist()]

    wanted = [readably(lambda mean=mean: signs(mean)) for mean in (0.0, -0.0)]
    assert wanted[0] != wanted[1]
    for _ in range(2):
        assert [signs(mean) for mean in (0.0, 0.0, -0.0, -0.0, 0.0)] == [
            wanted[each] for each in (0, 0, 1, 1, 0)
        ]


@devices
def test_parameters_that_are_wrong_raise_every_time(device: str) -> None:
    x = gn.zeros(3, device=device)
    before = default_generator.get_state().tolist()
    for _ in range(3):
        with pytest.raises(RuntimeError, match="std >= 0"):
            x.normal_(0, -1)
        with pytest.raises(RuntimeError, match=r"\[0, 1\]"):
            x.bernoulli_(1.5)
        with pytest.raises(RuntimeError, match="less than"):
            x.random_(0)
    assert default_generator.get_state().tolist() == before


# -- memory --------------------------------------------------------------------------------------------------


@needs_c
def test_no_memory_is_an_error_and_draws_nothing() -> None:
    backend = gn.memory.backend.get_backend("c")
    calls = [lambda: gn.zeros(1 << 22, device="c"), lambda: gn.empty(1 << 22, device="c")]
    calls.append(lambda: gn.rand(1 << 22, device="c"))
    for call in calls * 2:
        call()
    counter = default_generator._counter
    backend.empty_cache()
    backend.set_memory_limit(backend.memory_stats(0)["allocated"] + (1 << 20), 0)
    try:
        for call in calls:
            with pytest.raises(gn.OutOfMemoryError):
                call()
    finally:
        backend.set_memory_limit(None, 0)
    assert default_generator._counter == counter


@needs_c
def test_threads_learn_at_once() -> None:
    failed: list[Any] = []

    def work(number: int) -> None:
        for size in range(1, 60):
            x = gn.full((size,), number, dtype=gn.float64, device="c")
            y = x.clone().copy_(gn.arange(float(size), device="c"))
            if x.tolist() != [float(number)] * size or y.tolist() != [float(each) for each in range(size)]:
                failed.append((number, size))

    join(*[start(work, number) for number in range(4)])
    assert not failed
