# ruff: noqa: E501
"""Errors name the operator, the argument, what was given and what was expected; and are of PyTorch's type."""

from __future__ import annotations

import operator
import re

import numpy
import pytest

import gnomon as gn

F = gn.nn.functional


class Tensor:
    """Another library's tensor."""

    def __init__(self, data, fails=""):
        self.data, self.fails = data, fails
        self.dtype = "foreign.float32"

    def __array__(self, *arguments, **keywords):
        if self.fails:
            raise RuntimeError(self.fails)
        return self.data

    def item(self):
        return self.data.item()


def foreign(*numbers):
    return Tensor(numpy.array(numbers, dtype="f4"))


@pytest.mark.parametrize(
    ("value", "came"),
    [([1, 2], "list"), (numpy.ones(2), "ndarray"), (numpy.array(1.0), "ndarray"), (None, "NoneType"),
     ("a", "str"), ((1.0,), "tuple"), ({}, "dict")],
)  # fmt: skip
@pytest.mark.parametrize("index", [0, (slice(None), 0), False, gn.tensor([0])], ids=str)
def test_what_is_no_number_is_not_assigned(device, value, came, index):
    x = gn.zeros(2, 2)
    with pytest.raises(
        TypeError, match=rf"^x\[\.\.\.\] = value: can't assign a {came} to a tensor of float32; expected"
    ):
        x[index] = value
    assert not x.any()


def test_numbers_are_assigned(device):
    x = gn.zeros(4)
    x[0], x[1], x[2], x[3] = True, 2, numpy.float32(3), gn.tensor(4)
    assert x.tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("index", "sizes", "text"),
    [
        (0, (3,), r"tensor \(2\) must match the existing size \(3\) at non-singleton dimension 0.  Target sizes: \[2\].  Tensor sizes: \[3\]"),
        (slice(0, 2), (3, 3), r"tensor \(2\) must match the existing size \(3\) at non-singleton dimension 1.  Target sizes: \[2, 2\]"),
        (slice(0, 2), (3, 2), r"tensor \(2\) must match the existing size \(3\) at non-singleton dimension 0"),
        (0, (2, 2), r"number of sizes provided \(1\) must be greater or equal to the number of dimensions in the tensor \(2\)"),
    ],
)  # fmt: skip
def test_a_slice_of_other_sizes_names_the_dimension(device, index, sizes, text):
    x = gn.zeros(4, 2)
    with pytest.raises(RuntimeError, match=rf"^x\[\.\.\.\] = value: The .*{text}"):
        x[index] = gn.ones(sizes)
    text = text.replace("expanded ", "")
    with pytest.raises(RuntimeError, match=rf"^copy_: The .*{text}"):
        x[index].copy_(gn.ones(sizes))
    with pytest.raises(RuntimeError, match=r"^expand\b"):
        gn.ones(sizes).expand(x[index].shape)


def test_an_addend_of_other_sizes_names_the_dimension(device):
    with pytest.raises(
        RuntimeError,
        match=r"^addmm: The expanded size of the tensor \(4\) must match the existing size \(3\) at .*dimension 1",
    ):
        gn.addmm(gn.ones(3), gn.ones(2, 2), gn.ones(2, 4))


@pytest.mark.parametrize(
    ("query", "key", "value", "mask", "text"),
    [
        ((1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 3, 4), None, "query and key to have the same embedding dimension, but got 4 and 5, of sizes .*query .1, 2, 3, 4., key .1, 2, 3, 5."),
        ((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 6, 4), None, "key and value to have the same sequence length, but got 5 and 6"),
        ((3, 4), (3, 5), (3, 4), None, "query and key to have the same embedding dimension"),
        ((2, 2, 3, 4), (3, 2, 3, 4), (3, 2, 3, 4), None, r"batch and heads of query, key and value to broadcast, but The size of tensor a \(2\)"),
        ((1, 4, 3, 4), (1, 3, 3, 4), (1, 3, 3, 4), None, "batch and heads"),
        ((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4), (3, 4), r"attn_mask to broadcast to the scores of sizes \[1, 2, 3, 5\], but got one of sizes \[3, 4\]"),
        ((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4), (2, 3, 3, 5), "attn_mask to broadcast"),
    ],
)  # fmt: skip
def test_attention_speaks_of_its_own_arguments(device, query, key, value, mask, text):
    given = [gn.ones(each) for each in (query, key, value)]
    with pytest.raises(RuntimeError, match=rf"^scaled_dot_product_attention: Expected {text}"):
        F.scaled_dot_product_attention(*given, attn_mask=None if mask is None else gn.ones(mask))


def test_another_library_s_tensor_is_read(device):
    assert gn.tensor(foreign(1, 2)).tolist() == [1.0, 2.0] and gn.tensor(foreign(1)).dtype is gn.float32
    assert gn.as_tensor(foreign(1, 2)).tolist() == [1.0, 2.0]
    scalar = Tensor(numpy.array(2.5))
    assert gn.tensor([scalar, 1]).tolist() == [2.5, 1.0]
    with pytest.raises(
        TypeError,
        match=r"^tensor\(\): argument 'data': expected numbers, but the .*Tensor cannot be converted to an array: not now",
    ):
        gn.tensor(Tensor(None, fails="not now"))


def test_another_library_s_tensor_is_called_by_its_module(device):
    theirs = rf"{Tensor.__module__}\.Tensor"
    with pytest.raises(
        TypeError, match=rf"^add\(\): argument 'other' \(position 2\) must be Tensor, not {theirs}"
    ):
        gn.add(gn.ones(1), foreign(1))
    layer = gn.nn.Linear(1, 1)
    with pytest.raises(
        RuntimeError,
        match='parameter named "bias", expected gnomon.Tensor or Tensor-like object from checkpoint but received '
        f"<class '{theirs}'>",
    ):
        layer.load_state_dict({"weight": gn.ones(1, 1), "bias": foreign(1)})
    with pytest.raises(TypeError, match=rf"cannot assign '{theirs}' as parameter 'bias'"):
        layer.bias = foreign(1)
    with pytest.raises(TypeError, match=rf"one of the params is {theirs}"):
        gn.optim.SGD([foreign(1)], lr=0.1)
    with pytest.raises(TypeError, match=rf"grad of type {theirs}"):
        gn.ones(1).grad = foreign(1)


CLASSES = [
    ((3, 2), (2,), ValueError, r"Expected input batch_size \(3\) to match target batch_size \(2\)"),
    ((3, 2), (), ValueError, r"Expected input batch_size \(3\) to match target batch_size \(0\)"),
    ((3, 2, 4), (2, 4), ValueError, r"Expected input batch_size \(3\) to match target batch_size \(2\)"),
    ((3, 2, 4, 4, 4), (2, 4, 4, 4), ValueError, r"Expected input batch_size \(3\)"),
    ((3,), (2,), ValueError, "For 1D input, 1D target must have size 1, but got target size: 2"),
    ((3, 2), (3, 1), RuntimeError, "0D or 1D target tensor expected, multi-target not supported"),
    ((3, 2, 4), (3, 5), RuntimeError, r"Expected target size \[3, 4\], got \[3, 5\]"),
    ((3, 2, 4, 5), (3, 4), RuntimeError, r"Expected target size \[3, 4, 5\], got \[3, 4\]"),
]


@pytest.mark.parametrize(("sizes", "target", "error", "text"), CLASSES)
@pytest.mark.parametrize("loss", [F.nll_loss, F.cross_entropy])
def test_classes_of_another_batch(device, loss, sizes, target, error, text):
    with pytest.raises(error, match=text):
        loss(gn.ones(sizes), gn.zeros(target, dtype=gn.int64))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_one_class_in_a_vector(device, reduction):
    x = gn.tensor([0.5, 2.0], requires_grad=True)
    loss = F.nll_loss(x, gn.tensor([1]), reduction=reduction)
    loss.backward()
    assert (loss.tolist(), loss.shape, x.grad.tolist()) == (-2.0, (), [0.0, -1.0])


def test_more_elements_than_64_bits_count(device):
    x = gn.ones(1, 1)
    for make in (
        lambda: x.expand(2**40, 2**40),
        lambda: x.expand(2**62, 2),
        lambda: gn.broadcast_to(x, (2**40, 2**40)),
        lambda: x.as_strided((2**40, 2**40), (0, 0)),
        lambda: x.expand(2**40, 1) + x.expand(1, 2**40),
        lambda: gn.Size((2**40, 2**40)).numel(),
        lambda: gn.empty_strided((2**40, 2**40), (0, 0)),
    ):
        with pytest.raises(RuntimeError, match=r"overflow.*1099511627776|overflow.*4611686018427387904"):
            make()
    assert x.expand(2**62, 1).numel() == 2**62


@pytest.mark.parametrize(
    "make",
    [
        lambda x: gn.tensor_split(x[:3], gn.tensor(2**40)),
        lambda x: gn.tensor_split(x, 2**62),
        lambda x: x.unbind(),
        lambda x: x.split(3),
        lambda x: x.chunk(2**39),
        lambda x: x[:0].chunk(2**40),
        lambda x: x[:0].unsafe_chunk(2**40),
        lambda x: x.unsafe_split(1),
        lambda x: x.hsplit(2**39),
        list,
    ],
)
def test_more_views_than_there_is_memory_for(device, make):
    with pytest.raises(gn.OutOfMemoryError, match=r"\d+ views need at least \d+ bytes, but this machine has"):
        make(gn.ones(1).expand(2**40))


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (gn.stack, r"stack\(\): argument 'tensors' \(position 1\) must be tuple of Tensors"),
        (gn.cat, r"cat\(\): argument 'tensors' \(position 1\) must be tuple of Tensors"),
        (lambda tensors: gn.einsum("i,i,i", *tensors), r"einsum\(\) argument 'tensors' must be Tensor\[\]"),
        (lambda tensors: gn.ops.aten.cat.default(tensors, 0), r"cat\(\) argument 'tensors' must be Tensor\[\]"),
    ],
)  # fmt: skip
def test_of_a_list_the_element_that_does_not_fit_is_named(device, call, argument):
    x = gn.ones(2)
    for stranger, name in (
        (numpy.ones(2), "ndarray"),
        (foreign(1, 2), rf"{Tensor.__module__}\.Tensor"),
        (3, "int"),
    ):
        with pytest.raises(TypeError, match=rf"^{argument}, but found element of type {name} at pos 1\b"):
            call([x, stranger, x])
        with pytest.raises(TypeError, match=rf"^{argument}, but found element of type {name} at pos 0\b"):
            call((stranger, x))


def test_of_a_list_of_numbers_too(device):
    with pytest.raises(
        TypeError,
        match=r"^permute\(\): argument 'dims' .* must be tuple of ints, but found element of type float at pos 1$",
    ):
        gn.permute(gn.ones(2, 3), (1, 0.0))


class Greedy(Tensor):
    """Another library's tensor that implements operators with ours."""

    def __rmul__(self, other):
        return "theirs"

    def __gt__(self, other):
        return "greater"


Greedy.__name__ = "Tensor"


SYMBOLS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_of_operands_that_are_called_alike_both_libraries_are_named(device, symbol):
    act, x, stranger = SYMBOLS[symbol], gn.ones(2), foreign(1, 2)
    ours, theirs = "gnomon.Tensor", f"{Tensor.__module__}.Tensor"
    mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}  # for y < x Python calls x > y
    for pair, said, names in (
        ((x, stranger), symbol, (ours, theirs)),
        (
            (stranger, x),
            mirrored.get(symbol, symbol),
            (ours, theirs) if symbol in mirrored else (theirs, ours),
        ),
    ):
        text = f"unsupported operand type(s) for {said}: '{names[0]}' and '{names[1]}'; expected a number"
        with pytest.raises(TypeError, match=f"^{re.escape(text)}"):
            act(*pair)
    with pytest.raises(TypeError):
        act(x, "a")


def test_another_library_s_tensor_may_take_ours(device):
    x, stranger = gn.ones(2), Greedy(numpy.ones(2))
    assert (x * stranger, x < stranger) == ("theirs", "greater")
    assert (x == stranger) is False and (x != stranger) is True
    x *= stranger
    assert x == "theirs"


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (1.5, IndexError, r"only integers, slices .* are valid indices \(got float\)"),
        ((None, 1j), IndexError, r"only integers, slices .* are valid indices \(got complex\)"),
        ((0, 0, 0), IndexError, r"too many indices for tensor of dimension 2 \(got 3\)"),
        (slice("a", None), TypeError, "slice indices must be integers or None or have an __index__ method, got str"),
        ((0, slice(None, 1.5)), TypeError, "slice indices must be integers .*, got float"),
        (slice(None, None, -2), ValueError, r"slice step must be greater than zero, got -2; x\.flip\(dim\) reverses"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero, got 0"),
        ("a", TypeError, "an index must be made of integers, got 'a'"),
        (gn.ones(1), IndexError, r"tensors used as indices must be .* bool tensors, got float32; index\.long\(\) converts"),
    ],
)  # fmt: skip
def test_what_is_no_index_names_the_index(device, index, error, text):
    x = gn.ones(2, 2)
    with pytest.raises(error, match=rf"^x\[\.\.\.\]: {text}$"):
        x[index]
    with pytest.raises(error, match=rf"^x\[\.\.\.\]: {text}$"):
        x[index] = 0


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        ([[1], [1, 2]], ValueError, r"expected sequence of length 1 at dim 1 \(got 2\): all sequences .*"),
        ([1, [2]], TypeError, "expected a number at dim 1, but got a sequence of length 1"),
        ([[1], "a"], TypeError, "expected a sequence of length 1 at dim 1, but got a str"),
        ("a", TypeError, "must be numbers or nested sequences of them, not str"),
        ([None], RuntimeError, "Could not infer dtype of NoneType; expected numbers or sequences of numbers"),
        ([gn.ones(3)], ValueError, r"only one element tensors can be converted .*, got one of sizes \[3\]"),
        ([2**63], ValueError, "Overflow when unpacking long long: 9223372036854775808"),
    ],
)
def test_what_is_no_data_names_the_argument(device, data, error, text):
    for make in (gn.tensor, gn.as_tensor, gn.asarray):
        with pytest.raises(
            error, match=rf"^(tensor\(\): argument 'data'|asarray\(\): argument 'obj'): {text}$"
        ):
            make(data)


@pytest.mark.parametrize(
    ("number", "dtype", "error", "text"),
    [
        (300, gn.uint8, RuntimeError, "value cannot be converted to type uint8 without overflow: 300"),
        (1j, gn.float32, TypeError, r"can't convert complex to float \(float32\)"),
    ],
)
def test_a_number_that_a_dtype_can_not_hold_names_the_argument(device, number, dtype, error, text):
    with pytest.raises(error, match=rf"^tensor\(\): argument 'data': {text}$"):
        gn.tensor([number], dtype=dtype)
