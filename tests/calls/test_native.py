"""calls/native.py: one record gives a function, a method, in-place and out= variants, and their checks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.calls.meta_functions import unary_float
from gnomon.calls.native import native_function, record_file, record_source
from gnomon.dispatch.dispatcher import OpOverload, aten
from gnomon.memory.backend import reference_backend
from gnomon.numerics.loops import for_each

pytestmark = pytest.mark.both_tiers

HUGE = 2**62


@pytest.fixture
def define() -> Iterator[Any]:
    """``native_function``, whose operators are removed after the test."""
    before = set(aten._packets)

    def make(*args: Any, **kwargs: Any) -> OpOverload:
        return native_function(*args, **kwargs)

    yield make
    for name in set(aten._packets) - before:
        for operator in aten._packets[name].overloads.values():
            reference_backend.kernels.pop(operator.name, None)
            reference_backend.capabilities.pop(operator.name, None)
        del aten._packets[name]
        del aten.__dict__[name]


def test_one_record_makes_all_variants(define: Any, device: str) -> None:
    define(
        "made_up(Tensor self) -> Tensor",
        meta=unary_float(),
        kernel=lambda iterator: for_each(iterator, lambda a: 3 * a),
        derivatives={"self": lambda grad: 3 * grad},
        inplace=True,
        out="out",
    )
    assert aten.made_up_.default.schema.text == "made_up_(Tensor(a!) self) -> Tensor(a!)"
    assert aten.made_up.out.schema.text == "made_up.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"
    x = gn.tensor([[1.0, 2.0], [3.0, 4.0]]).t()
    result = aten.made_up.default(x)
    assert result.tolist() == [[3.0, 9.0], [6.0, 12.0]] and result.stride() == (1, 2)
    assert aten.made_up.default(gn.tensor([1])).dtype is gn.float32  # the dtype of the meta function
    target = gn.empty(2, 2)
    assert aten.made_up.out(x, target) is target and target.tolist() == result.tolist()
    assert aten.made_up_.default(x) is x and x.tolist() == result.tolist() and x._version == 1
    y = gn.ones(2, requires_grad=True)
    aten.made_up.default(y).sum().backward()
    assert y.grad is not None and y.grad.tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match=r"operator 'made_up' is defined twice"):
        define("made_up(Tensor self) -> Tensor", meta=unary_float())


def test_the_out_variant_of_an_operator_that_writes_to_arguments_needs_its_schema(define: Any) -> None:
    text = "made_up: the out= variant of an operator that writes to arguments needs its whole schema"
    with pytest.raises(ValueError, match=f"^{text}$"):
        define("made_up(Tensor self, Tensor(a!) other) -> Tensor", explicit=lambda *_: None, out="out")


def test_the_kernel_is_not_called_for_no_elements(define: Any) -> None:
    calls = []
    define(
        "made_up(Tensor self) -> Tensor",
        meta=unary_float(),
        kernel=lambda iterator: calls.append(iterator),
    )
    assert aten.made_up.default(gn.empty(0, 3, device="reference")).shape == (0, 3) and calls == []
    aten.made_up.default(gn.empty(1, device="reference"))
    assert len(calls) == 1


def test_errors_of_rules_name_the_operator_once(define: Any) -> None:
    def refuse(self: Any, how: str) -> Any:
        raise {"plain": IndexError("not like this"), "named": RuntimeError("made_up: not so")}[how]

    define("made_up(Tensor self, str how) -> Tensor", meta=refuse)
    with pytest.raises(IndexError, match=r"^made_up: not like this$"):
        aten.made_up.default(gn.ones(1), "plain")
    with pytest.raises(RuntimeError, match=r"^made_up: not so$"):
        aten.made_up.default(gn.ones(1), "named")


def test_functions_methods_and_packets_are_one_operator(device: str) -> None:
    x = gn.tensor([1.0, 4.0])
    for result in (gn.sqrt(x), x.sqrt(), aten.sqrt(x), aten.sqrt.default(x), gn.sqrt(input=x)):
        assert result.tolist() == [1.0, 2.0]
    assert gn.add(x, 2, alpha=3).tolist() == x.add(2, alpha=3).tolist() == [7.0, 10.0]
    assert gn.sum(x, axis=0, keepdims=True).tolist() == [5.0]  # NumPy's names
    assert gn.exp.__doc__ is not None and "exp(Tensor self) -> Tensor" in gn.exp.__doc__
    assert "torch.exp" in gn.exp.__doc__


def test_in_place_keeps_dtype_strides_and_identity(device: str) -> None:
    x = gn.arange(6).reshape(2, 3).t()
    pointer = x.data_ptr()
    assert x.mul_(2) is x and x.add_(gn.tensor([1.0]).to(gn.int64)) is x
    assert x.data_ptr() == pointer and x.stride() == (1, 3) and x.dtype is gn.int64
    assert x.tolist() == [[1, 7], [3, 9], [5, 11]]
    part = gn.zeros(4, 4)[1:3, ::2]
    part.add_(gn.tensor([1.0, 2.0]))
    assert part._base is not None and part._base.sum().item() == 6.0


def test_out_is_written_in_place(device: str) -> None:
    x = gn.tensor([1.0, 2.0, 3.0])
    out = gn.empty(3)
    pointer = out.data_ptr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the sizes are right: nothing is resized
        assert gn.add(x, 1, out=out) is out
    assert out.tolist() == [2.0, 3.0, 4.0] and out.data_ptr() == pointer and out._version == 1
    wide = gn.empty(3, dtype=gn.float64)
    assert gn.add(x, 0.5, out=wide).tolist() == [1.5, 2.5, 3.5] and wide.dtype is gn.float64
    assert gn.add(x, x, out=x).tolist() == [2.0, 4.0, 6.0]  # the same elements as both inputs


OUT_OF_OTHER_SIZES = {
    "sum": lambda x, *out: gn.sum(x, 0, out=out[0]),
    "prod": lambda x, *out: gn.prod(x, 0, out=out[0]),
    "var": lambda x, *out: gn.var(x, 0, out=out[0]),
    "max": lambda x, *out: gn.max(x, 0, out=out),
    "min of rows": lambda x, *out: gn.min(x, 1, out=out),
    "topk": lambda x, *out: gn.topk(x, 1, 0, out=out),
    "mode": lambda x, *out: gn.mode(x, 1, out=out),
    "median": lambda x, *out: gn.median(x, 0, out=out),
    "logsumexp": lambda x, *out: gn.logsumexp(x, 0, out=out[0]),
    "add of more": lambda x, *out: gn.add(x, gn.ones(5, *x.shape), out=out[0]),
}


@pytest.mark.parametrize("call", OUT_OF_OTHER_SIZES.values(), ids=list(OUT_OF_OTHER_SIZES))
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_an_input_is_read_before_it_gets_an_output_s_sizes(device: str, call: Any) -> None:
    """PyTorch resizes first and reads what is left: the sum with ``out=`` as the input is 0 there."""
    x = gn.tensor([[3.0, 1.0, 4.0, 1.5], [2.0, 7.0, 1.0, 8.0], [2.5, 8.0, 9.0, 0.5]])
    for _ in range(2):  # the second time from the cached plan
        expected, numbers = gn.empty(0), gn.empty(0, dtype=gn.int64)
        call(x, expected, numbers)
        given, places = x.clone(), gn.empty(0, dtype=gn.int64)
        call(given, given, places)
        assert given.tolist() == expected.tolist() and given.shape == expected.shape
        assert places.tolist() == numbers.tolist()


def test_an_output_that_shares_memory_with_an_input_is_refused_before_it_is_resized(device: str) -> None:
    for call in (
        lambda x: gn.add(x, x, out=x[:2]),
        lambda x: gn.mul(x, 2, out=x[1:]),
        lambda x: gn.sum(x.view(2, 2), 0, out=x[:3]),
        lambda x: gn.cat([x, x], out=x[1:]),
    ):
        x = gn.tensor([1.0, 2.0, 3.0, 4.0])
        for _ in range(2):  # the second time from the cached plan
            with warnings.catch_warnings(), pytest.raises(RuntimeError, match="single memory location"):
                warnings.simplefilter("error")
                call(x)
        assert x.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_out_of_any_strides(device: str) -> None:
    x = gn.arange(6.0).reshape(2, 3)
    base = gn.zeros(6, 4)
    out = base[::2, 1:3].t()
    gn.exp(gn.zeros(2, 3), out=out)
    assert out.tolist() == [[1.0] * 3] * 2 and out.stride() == (1, 8) and base.sum().item() == 6.0
    gn.add(x, 10, out=out)
    assert base[:, 1].tolist() == [10.0, 0.0, 11.0, 0.0, 12.0, 0.0]
    gn.sum(x, 1, out=base[0, 2:])
    assert base[0].tolist() == [0.0, 10.0, 3.0, 12.0]
    gn.matmul(x, x.t(), out=base[:2, :2])
    assert base[:2, :2].tolist() == [[5.0, 14.0], [14.0, 50.0]]


def test_out_is_resized_with_a_warning_unless_it_is_empty(device: str) -> None:
    x = gn.ones(2, 3).t()
    empty = gn.empty(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gn.exp(x, out=empty) is empty
    assert empty.shape == (3, 2) and empty.stride() == x.stride()
    for sizes in ((7,), (1,), (3, 2, 1)):
        out = gn.empty(sizes)
        with pytest.warns(
            UserWarning, match=r"was resized since it had shape \[.*required output shape \[3, 2\]"
        ):
            gn.add(x, 1, out=out)
        assert out.tolist() == [[2.0, 2.0]] * 3


def test_several_outputs(device: str) -> None:
    x = gn.tensor([[1.0, 5.0], [7.0, 2.0]])
    values, indices = gn.empty(2), gn.empty(2, dtype=gn.int64)
    result = gn.max(x, 1, out=(values, indices))
    assert result.values is values and result.indices is indices
    assert values.tolist() == [5.0, 7.0] and indices.tolist() == [1, 0]
    assert type(result).__name__ == "max" and result._fields == ("values", "indices")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        # dtypes
        (
            lambda: gn.add(gn.ones(2), 1, out=gn.empty(2, dtype=gn.int64)),
            RuntimeError,
            "add: result type float32 can't be cast to the desired output type int64",
        ),
        (
            lambda: gn.exp(gn.ones(2, dtype=gn.int64), out=gn.empty(2, dtype=gn.int64)),
            RuntimeError,
            "exp: result type float32 can't be cast",
        ),
        (
            lambda: gn.ones(2, dtype=gn.int64).add_(1.5),
            RuntimeError,
            "add_: result type float32 can't be cast to the desired output type int64",
        ),
        (
            lambda: gn.ones(2, dtype=gn.bool).add_(1),
            RuntimeError,
            "add_: result type int64 can't be cast to the desired output type bool",
        ),
        (lambda: gn.ones(2, dtype=gn.int64).exp_(), RuntimeError, "exp_: result type float32"),
        (lambda: gn.ones(2) & gn.ones(2), RuntimeError, "bitwise_and: not implemented for dtype float32"),
        (
            lambda: gn.ones(2, dtype=gn.bool) - gn.ones(2, dtype=gn.bool),
            RuntimeError,
            "sub: Subtraction, the `-` operator, with a bool",
        ),
        (
            lambda: gn.mm(gn.ones(2, 2), gn.ones(2, 2, dtype=gn.float64)),
            RuntimeError,
            "mm: expected .* same dtype, .*float32 != float64",
        ),
        (lambda: gn.ones(2, dtype=gn.int64).mean(), RuntimeError, r"mean\(\): .* Got: int64"),
        # shapes
        (
            lambda: gn.ones(2).add_(gn.ones(3, 2)),
            RuntimeError,
            r"add_: output with shape \[2\] doesn't match the broadcast shape \[3, 2\]",
        ),
        (
            lambda: gn.ones(2) + gn.ones(3),
            RuntimeError,
            r"add: The size of tensor a \(2\) must match the size of tensor b \(3\)",
        ),
        (
            lambda: gn.ones(2, 3) @ gn.ones(2, 3),
            RuntimeError,
            r"mm: mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)",
        ),
        (
            lambda: gn.cat([gn.ones(2, 2), gn.ones(2, 3)]),
            RuntimeError,
            "cat: Sizes of tensors must match except in dimension 0",
        ),
        (lambda: gn.ones(2, 3).view(7), RuntimeError, r"view: shape '\[7\]' is invalid for input of size 6"),
        (lambda: gn.ones(2, 3).view(-1, -1), RuntimeError, "view: only one dimension can be inferred"),
        (
            lambda: gn.ones(2, 3).t().view(6),
            RuntimeError,
            r"view: view size is not compatible .* Use .reshape",
        ),
        (
            lambda: gn.ones(2).expand(3),
            RuntimeError,
            r"expand: The expanded size of the tensor \(3\) must match",
        ),
        (
            lambda: gn.ones(4).as_strided((5,), (1,)),
            RuntimeError,
            "setStorage: sizes .* out of bounds for storage of size 16",
        ),
        (lambda: gn.max(gn.ones(0)), RuntimeError, r"max.*Expected reduction dim to be specified"),
        # devices
        (
            lambda: gn.ones(2) + gn.ones(2, device="meta"),
            RuntimeError,
            "add: Expected all tensors to be on the same device",
        ),
        (
            lambda: gn.add(gn.ones(2), 1, out=gn.empty(2, device="meta")),
            RuntimeError,
            "add: Expected out tensor to be on",
        ),
        # dims
        (
            lambda: gn.ones(2).sum(1),
            IndexError,
            r"sum: Dimension out of range \(expected to be in range of \[-1, 0\], but got 1\)",
        ),
        (lambda: gn.ones(2).transpose(0, -2), IndexError, "transpose: Dimension out of range"),
        (lambda: gn.ones(2, 2).sum((0, 0)), RuntimeError, "sum: dim 0 appears multiple times"),
        (lambda: gn.ones(2, 2).permute(0, 0), RuntimeError, "permute: dim 0 appears multiple times"),
        (lambda: gn.ones(2, 2).permute(0), RuntimeError, "permute"),
        (lambda: gn.ones(3).select(0, 3), IndexError, r"select\(\): index 3 out of range"),
        (lambda: gn.ones(3)[5], IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        # sizes
        (lambda: gn.ones(2).new_zeros(-1), RuntimeError, "negative dimension -1"),
        (lambda: gn.ones(1).expand(-2), RuntimeError, "expand"),
        (lambda: gn.empty(HUGE, HUGE), RuntimeError, "empty: Storage size calculation overflowed"),
        (lambda: gn.ones(2).split(-1), RuntimeError, "split"),
        # overlap
        (
            lambda: gn.ones(1).expand(2).add_(1),
            RuntimeError,
            "add_: unsupported operation: more than one element of the written-to",
        ),
        (
            lambda: gn.add(gn.ones(2), 1, out=gn.ones(1).expand(2)),
            RuntimeError,
            "add: unsupported operation: more than one element",
        ),
        (
            lambda: _shifted().add_(_shifted.source[:-1]),
            RuntimeError,
            "add_: unsupported operation: some elements of the input",
        ),
        (
            lambda: gn.mul(_shifted(), 2, out=_shifted.source[:-1]),
            RuntimeError,
            "mul: unsupported operation: some elements",
        ),
        (  # a CompositeImplicit operator
            lambda: _shifted().divide_(_shifted.source[:-1]),
            RuntimeError,
            "divide_: unsupported operation: some elements",
        ),
        # operators that others are built on
        (
            lambda: gn.ops.aten._fft_r2c.default(gn.ones(0, 4), [0], 0, True),
            RuntimeError,
            r"Invalid number of data points \(0\) specified",
        ),
        (lambda: _nll_backward(gn.ones(()), gn.ones(())), RuntimeError, "input tensor should be 1D or 2D"),
        (lambda: _nll_backward(gn.ones(3), gn.ones(3, 4)), RuntimeError, "Expected a single element grad"),
        (
            lambda: gn.ops.aten.native_layer_norm_backward.default(
                gn.ones(2, 4), gn.ones(2, 4), [4], gn.ones(2, 0), gn.ones(2, 1), None, None, [True] * 3
            ),
            RuntimeError,
            r"Expected tensor of size \[2, 1\], but got tensor of size \[2, 0\] for argument 'mean'",
        ),
        (
            lambda: gn.ops.aten.native_batch_norm_backward.default(
                *[gn.ones(2, 3), gn.ones(2, 3), None, None, None, gn.ones(()), gn.ones(3), True, 1e-5],
                [True, True, True],
            ),
            RuntimeError,
            "save_mean",
        ),
        (
            lambda: gn.ops.aten._ctc_loss_backward.default(
                gn.ones(()), gn.ones(4, 1, 3), gn.ones(1, 1).long(), [4], [1], gn.ones(1), gn.ones(1, 4, 3), 0
            ),
            RuntimeError,
            r"Expected tensor of size \[1\], but got tensor of size \[\] for argument 'grad'",
        ),
        # arguments
        (lambda: gn.exp(), TypeError, r"exp\(\): missing required argument 'input' \(position 1\)"),
        (lambda: gn.exp(3), TypeError, r"exp\(\): argument 'input' \(position 1\) must be Tensor, not int"),
        (
            lambda: gn.exp(gn.ones(1), colour=1),
            TypeError,
            r"exp\(\): got an unexpected keyword argument 'colour'",
        ),
        (
            lambda: gn.exp(gn.ones(1), input=gn.ones(1)),
            TypeError,
            r"exp\(\): got multiple values for argument 'input'",
        ),
        (
            lambda: gn.ones(2).add(1, 2, 3),
            TypeError,
            r"add\(\): takes 2 positional arguments but 4 were given",
        ),
        (
            lambda: gn.add(gn.ones(2), "one"),
            TypeError,
            r"add\(\): argument 'other' \(position 2\) must be Tensor, not str",
        ),
        (
            lambda: gn.max(gn.ones(2), "one"),
            TypeError,
            r"max\(\) received an invalid combination of arguments - got \(Tensor, str\)",
        ),
        (
            lambda: gn.add(gn.ones(2), 1, out=5),
            TypeError,
            r"add\(\): argument 'out' must be 1 Tensor\(s\), not int",
        ),
        (
            lambda: gn.max(gn.ones(2, 2), 0, out=gn.ones(2)),
            TypeError,
            r"max\(\): argument 'out' must be 2 Tensor",
        ),
        (
            lambda: gn.flatten(gn.ones(1), out=gn.ones(1)),
            TypeError,
            r"flatten\(\) got an unexpected keyword argument 'out'",
        ),
        # autograd
        (
            lambda: gn.exp(gn.ones(2, requires_grad=True), out=gn.empty(2)),
            RuntimeError,
            r"exp\(\): functions with out=... arguments don't support automatic diff",
        ),
        (
            lambda: gn.ones(2, requires_grad=True).add_(1),
            RuntimeError,
            "a leaf Variable that requires grad is being used in an in-place",
        ),
    ],
)
def test_what_is_wrong_is_refused_by_name(call: Any, error: type[Exception], text: str, device: str) -> None:
    with pytest.raises(error, match=text):
        call()


def _nll_backward(grad: gn.Tensor, self: gn.Tensor) -> gn.Tensor:
    total = gn.ones(())
    return gn.ops.aten.nll_loss_backward.default(grad, self, gn.tensor([0, 1, 2]), None, 1, -100, total)


def _shifted() -> Any:
    """The last four of five elements; all five are ``_shifted.source``."""
    _shifted.source = gn.arange(5.0)
    return _shifted.source[1:]


def test_a_refused_call_leaves_everything_as_it_was(device: str) -> None:
    x = gn.ones(2)
    for call in (
        lambda: x.add_(gn.ones(3)),
        lambda: x.add_(gn.ones(3, 2)),
        lambda: gn.add(gn.ones(3), 1j, out=x),
    ):
        with pytest.raises(RuntimeError):
            call()
    assert x.tolist() == [1.0, 1.0] and x.shape == (2,)


def test_halves_of_one_block_are_not_an_overlap(device: str) -> None:
    x = gn.arange(6.0)
    x[:3].add_(x[3:])
    assert x.tolist() == [3.0, 5.0, 7.0, 3.0, 4.0, 5.0]
    x[3:].sub_(x[:3]).add_(x[:3])
    gn.mul(x[3:], 2, out=x[:3])
    assert x.tolist() == [6.0, 8.0, 10.0, 3.0, 4.0, 5.0]


def test_results_of_equal_arguments_of_other_types_are_not_mixed_up(device: str) -> None:
    x = gn.tensor([1, 2])
    for _ in range(2):  # the second time from the cached plan
        assert gn.add(x, 1).dtype is gn.int64
        assert gn.add(x, 1.0).dtype is gn.float32
        assert gn.add(x, True).dtype is gn.int64
        assert gn.add(x, 1 + 0j).dtype is gn.complex64
        assert str(gn.mul(gn.tensor([1.0]), 0.0).tolist()) == "[0.0]"
        assert str(gn.mul(gn.tensor([1.0]), -0.0).tolist()) == "[-0.0]"
        assert str(aten.leaky_relu(gn.tensor([-1.0]), 0.0).tolist()) == "[-0.0]"
        assert str(aten.leaky_relu(gn.tensor([-1.0]), -0.0).tolist()) == "[0.0]"


def test_where_takes_numbers(device: str) -> None:
    mask = gn.tensor([True, False])
    assert gn.where(mask, 1, 2.5).tolist() == [1.0, 2.5] and gn.where(mask, 1, 2).dtype is gn.int64
    assert gn.where(mask, gn.tensor([1, 2]), -1).tolist() == [1, -1]
    with pytest.raises(RuntimeError, match="where: expected condition to be a boolean tensor"):
        gn.where(gn.ones(2), 1, 2)


@pytest.mark.parametrize("device", [name for name, info in gn.backends().items() if info.available])
def test_what_is_written_may_not_be_read_at_the_same_time(device):
    """This holds before a tensor has a Storage, and after the same call with other tensors."""
    if device == "meta":
        pytest.skip("nothing is written")
    for _ in range(2):
        target, index = (gn.arange(3, device=device) * 1 for _ in range(2))
        target.index_fill_(0, index, 5)
        target.scatter_(0, index, 1)
        gn.take(target, index, out=gn.empty(3, dtype=gn.int64, device=device))
        made = gn.arange(3, device=device) * 1
        for call in (
            lambda x: x.index_fill_(0, x, 5),
            lambda x: x.scatter_(0, x, 1),
            lambda x: gn.take(x + 1, x, out=x),
            lambda x: gn.index_select(x + 1, 0, x, out=x),
        ):
            with pytest.raises(RuntimeError, match="refer to a single memory location"):
                call(made)
        assert made.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("cdist", lambda x: gn.cdist(x, x)),
        ("pdist", lambda x: gn.pdist(x)),
        ("linalg.svd", lambda x: gn.linalg.svdvals(x)),
        ("multi_margin_loss", lambda x: gn.nn.functional.multi_margin_loss(x, gn.tensor([0, 1]))),
        (
            "ctc_loss",
            lambda x: gn.nn.functional.ctc_loss(x[:, None], gn.tensor([[1]]), gn.tensor([2]), gn.tensor([1])),
        ),
    ],
)
def test_a_half_type_is_refused_with_what_would_do(
    name: str, call: Any, dtype: gn.dtype, device: str
) -> None:
    """The error names the operator that the user called, and suggests a conversion that works."""
    check_refusal(name, call, dtype)


def test_rrelu_is_of_bfloat16_and_not_of_float16(device: str) -> None:
    def call(x: gn.Tensor) -> gn.Tensor:
        return gn.nn.functional.rrelu(x, training=True)

    check_refusal("rrelu", call, gn.float16)
    found = call(gn.tensor([2.0, -8.0], dtype=gn.bfloat16))
    assert found.dtype is gn.bfloat16 and found[0].item() == 2
    assert -8 / 3 - 0.02 <= found[1].item() <= -1


def check_refusal(name: str, call: Any, dtype: gn.dtype) -> None:
    x = gn.tensor([[0.5, -1.0, 2.0], [1.0, 0.25, -3.0]])
    call(x)
    text = f"^{name}: not implemented for dtype {dtype.name}; x.to\\(gnomon.float32\\) converts it$"
    with pytest.raises(NotImplementedError, match=text):
        call(x.to(dtype))


def test_a_composition_that_returns_an_argument_returns_the_one_it_got(define: Any, device: str) -> None:
    define("made_up(Tensor self, Tensor other) -> Tensor", composite=lambda self, other: other)
    x, y = gn.ones(2), gn.ones(2)
    for _ in range(3):  # the first call may use stand-ins, to trace where each operand is used
        assert aten.made_up.default(x, x) is x
        assert aten.made_up.default(x, y) is y


class Mine(RuntimeError):
    """A user's error."""


def test_errors_of_hooks_and_modes_are_left_alone(device: str) -> None:
    """They propagate as in PyTorch: the same object, without an operator's name."""
    x = gn.ones(2, 2, requires_grad=True)
    calls = (lambda: x.softmax(0), lambda: x @ x, lambda: gn.nn.functional.gelu(x), lambda: x.exp())
    for error in (Mine("mine"), RuntimeError("plain"), ValueError("a value")):

        def refuse(*args: Any, error: Exception = error, **kwargs: Any) -> Any:
            raise error

        mode = type("Refusing", (gn.DispatchMode,), {"__gnomon_dispatch__": refuse})
        for call in calls:
            for _ in range(3):
                call()
                with pytest.raises(type(error)) as caught:
                    with gn.autograd.graph.saved_tensors_hooks(refuse, lambda saved: saved):
                        call()
                assert caught.value is error
                with pytest.raises(type(error)) as caught, mode():
                    call()
                assert caught.value is error


@pytest.mark.parametrize("name", ["multiply_", "less_", "greater_equal_", "divide_", "subtract_"])
def test_in_place_aliases_refuse_results_of_other_sizes(name: str) -> None:
    x = gn.ones(2)
    text = rf"{name}: output with shape \[2\] doesn't match the broadcast shape \[3, 2\]"
    with pytest.raises(RuntimeError, match=text):
        getattr(x, name)(gn.ones(3, 2))
    assert x.tolist() == [1.0, 1.0]


def test_where_records_are() -> None:
    """The module-level statement that defines an operator; a variant is where its base is."""
    place = record_source(aten.add.Tensor)
    file, _, line = place.rpartition(":")
    path = Path(gn.__file__).parent / file
    assert record_file(aten.add.Tensor) == str(path) == record_file(aten.add_.Tensor)
    assert "add.Tensor(" in "".join(path.read_text("utf-8").splitlines()[int(line) - 2 : int(line) + 1])
    assert record_source(aten.add.out) == record_source(aten.add_.Tensor) == place
    known = [each for packet in aten for each in packet.overloads.values() if record_source(each)]
    assert len(known) == sum(len(packet.overloads) for packet in aten)
    library = gn.library.Library("placed", "DEF")
    library.define("nowhere(Tensor x) -> Tensor")
    operator = gn.ops.placed.nowhere.default
    assert record_source(operator) == record_file(operator) == ""
