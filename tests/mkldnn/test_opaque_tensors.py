"""Tensors of layout gnomon._mkldnn: conversion, blocked memory, what they refuse, pointwise operators."""

import copy
import io
import pickle

import pytest

import gnomon as gn


def _numbers(*sizes):
    return gn.arange(gn.Size(sizes).numel(), dtype=gn.float32).reshape(sizes)


@pytest.mark.parametrize(
    "sizes", [(5,), (2, 3), (2, 3, 4), (2, 3, 2, 2), (1, 17, 2, 3), (2, 9, 2, 1, 2), (0, 9, 2, 2)]
)
@pytest.mark.parametrize("dtype", [gn.float32, gn.bfloat16, gn.float16, gn.uint8, gn.int8])
def test_a_conversion_keeps_sizes_dtype_and_elements(sizes, dtype, device):
    x = _numbers(*sizes).to(dtype)
    m = x.to_mkldnn()
    assert m.layout is gn._mkldnn and m.is_mkldnn and not x.is_mkldnn and not m.is_sparse
    assert (m.shape, m.dtype, m.device) == (x.shape, dtype, x.device)
    assert (m.dim(), m.numel(), m.element_size()) == (x.dim(), x.numel(), x.element_size())
    back = m.to_dense()
    assert back.layout is gn.strided and back.is_contiguous() and back.dtype is dtype
    assert gn.equal(back, x) and back.shape == x.shape


def test_activations_lie_in_blocks_of_eight_channels(device):
    x = _numbers(2, 11, 2, 3)
    m = x.to_mkldnn()
    assert m.blocking.name == "nChw8c" and m.held.shape == (2, 2, 2, 3, 8) and m.held.is_contiguous()
    assert m.held[1, 1, 0, 2, :3].tolist() == x[1, 8:, 0, 2].tolist()
    assert m.held[1, 0, 1, 2].tolist() == x[1, :8, 1, 2].tolist()
    assert m.held[:, 1, :, :, 3:].eq(0).all()  # there are no such channels
    assert gn.equal(x.to(memory_format=gn.channels_last).to_mkldnn().held, m.held)
    assert _numbers(4, 8).to_mkldnn().blocking.name == "plain"


def test_a_strided_copy_does_not_share_memory(device):
    m = gn.ones(1, 8, 1, 1).to_mkldnn()
    m.to_dense().zero_()
    assert m.to_dense().sum().item() == 8
    assert m.reshape(8).to_dense().tolist() == [1.0] * 8


def test_dtypes_are_converted_on_the_way(device):
    x = gn.tensor([1.5, 2.0009765625])
    assert x.to_mkldnn(gn.bfloat16).to_dense().tolist() == [1.5, 2.0]
    assert x.to_mkldnn().to_dense(gn.bfloat16).dtype is gn.bfloat16
    assert x.bfloat16().to_mkldnn(gn.float32).dtype is gn.float32
    with pytest.raises(
        RuntimeError, match="dense_to_mkldnn expects float, bfloat16, half, uint8, int8 tensor input"
    ):
        x.double().to_mkldnn()
    with pytest.raises(RuntimeError, match="cpu tensor only can be converted to be a float, bfloat16, half"):
        x.to_mkldnn(gn.float64)
    with pytest.raises(RuntimeError, match="unsupported dtype"):
        x.to_mkldnn().to_dense(gn.float64)
    with pytest.raises(RuntimeError, match="number of dimensions > 5"):
        gn.ones(1, 1, 1, 1, 1, 2).to_mkldnn()
    with pytest.raises(RuntimeError, match="without dimensions"):
        gn.tensor(1.0).to_mkldnn()


_NO_KERNEL = (NotImplementedError, "MkldnnCPU")
REFUSED = {
    "stride": (lambda m: m.stride(), RuntimeError, "opaque tensors do not have strides"),
    "data_ptr": (lambda m: m.data_ptr(), RuntimeError, "Cannot access data pointer"),
    "storage": (
        lambda m: m.untyped_storage(),
        NotImplementedError,
        "Cannot access storage of OpaqueTensorImpl",
    ),
    "view": (lambda m: m.view(3, 2), RuntimeError, "Currently Mkldnn tensor does not support view"),
    "as_strided": (lambda m: m.as_strided((2,), (1,)), NotImplementedError, "as_strided"),
    "select": (lambda m: m[0], *_NO_KERNEL),
    "slice": (lambda m: m[:, 1:], *_NO_KERNEL),
    "permute": (lambda m: m.permute(1, 0), *_NO_KERNEL),
    "expand": (lambda m: m.expand(2, 2, 3), *_NO_KERNEL),
    "numpy": (lambda m: m.numpy(), TypeError, "can't convert Mkldnn layout tensor to numpy"),
    "tolist": (lambda m: m.tolist(), RuntimeError, "Cannot access data pointer"),
    "to another dtype": (lambda m: m.to(gn.bfloat16), *_NO_KERNEL),
    "to meta": (
        lambda m: m.to("meta"),
        NotImplementedError,
        "Unsupported device type for mkldnn layout: meta",
    ),
    "to_mkldnn": (lambda m: m.to_mkldnn(), *_NO_KERNEL),
    "sum": (lambda m: m.sum(), *_NO_KERNEL),
    "exp": (lambda m: m.exp(), *_NO_KERNEL),
    "sub": (lambda m: m - m, *_NO_KERNEL),
    "cat": (lambda m: gn.cat([m, m]), *_NO_KERNEL),
    "fill_": (lambda m: m.fill_(1), *_NO_KERNEL),
    "ones": (lambda m: gn.ones(2, layout=gn._mkldnn), *_NO_KERNEL),
    "transpose_": (
        lambda m: m.transpose_(0, 1),
        RuntimeError,
        "in-place mkldnn operations are not supported yet",
    ),
    "a number": (lambda m: m + 1, RuntimeError, "itensor_from_mkldnn expects MKL-DNN tensor input"),
    "a strided operand": (
        lambda m: m + gn.ones(2, 3),
        RuntimeError,
        "itensor_from_mkldnn expects MKL-DNN tensor",
    ),
    "a strided factor": (
        lambda m: gn.ones(2, 3) * m,
        RuntimeError,
        "itensor_from_mkldnn expects MKL-DNN tensor",
    ),
    "a strided output": (lambda m: gn.add(m, m, out=gn.ones(2, 3)), NotImplementedError, "Mkldnn"),
    "broadcasting": (
        lambda m: m * gn.ones(1, 3).to_mkldnn(),
        RuntimeError,
        "currently mkldnn not support broadcasting",
    ),
    "copy_": (
        lambda m: m.copy_(gn.ones(2, 3)),
        RuntimeError,
        "copy_mkldnn_: between mkldnn layout and dense Tensors",
    ),
    "copy_ of other sizes": (
        lambda m: m.copy_(gn.ones(3).to_mkldnn()),
        RuntimeError,
        "only support same size tensor",
    ),
    "a strange format": (
        lambda m: m.clone(memory_format=gn.channels_last),
        RuntimeError,
        "unsupported memory format option ChannelsLast",
    ),
    "empty with a format": (
        lambda m: gn.empty(1, 1, 1, 1, layout=gn._mkldnn, memory_format=gn.channels_last),
        RuntimeError,
        "'memory_format' argument is incompatible with mkldnn tensor",
    ),
    "empty of doubles": (
        lambda m: gn.empty(2, layout=gn._mkldnn, dtype=gn.float64),
        RuntimeError,
        "get_mkldnn_dtype: unsupported data type",
    ),
    "gelu": (
        lambda m: gn.nn.functional.gelu(m, approximate="tanh"),
        RuntimeError,
        "fast, approximate gelu is not supported",
    ),
    "pickle": (pickle.dumps, NotImplementedError, "Cannot access storage of OpaqueTensorImpl"),
    "save": (
        lambda m: gn.save(m, io.BytesIO()),
        NotImplementedError,
        "Cannot access storage of OpaqueTensorImpl",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_strides_or_has_no_kernel_is_refused(case):
    call, error, text = REFUSED[case]
    m = gn.randn(2, 3).to_mkldnn()
    with pytest.raises(error, match=text):
        call(m)


def test_facts_that_need_no_elements():
    m = _numbers(2, 8, 4, 4).to_mkldnn()
    assert m.is_contiguous() and not m.is_contiguous(memory_format=gn.channels_last)
    assert m.contiguous() is m and m.storage_offset() == 0 and len(m) == 2 and m.nbytes == 1024
    assert m.to(gn.float32) is m and m.cpu() is m
    assert m.is_floating_point() and not m.requires_grad and m._version == 0


def test_it_prints_its_elements_and_its_layout():
    m = gn.tensor([[1.0, 2.0], [3.0, 4.5]]).to_mkldnn()
    expected = "tensor([[1.0000, 2.0000],\n        [3.0000, 4.5000]], layout=gnomon._mkldnn)"
    assert repr(m) == str(m) == expected
    assert (
        repr(gn.ones(1).bfloat16().to_mkldnn())
        == "tensor([1.], dtype=gnomon.bfloat16, layout=gnomon._mkldnn)"
    )
    assert repr(gn.ones(0, 2).to_mkldnn()) == "tensor([], size=(0, 2), layout=gnomon._mkldnn)"
    x = gn.ones(1, requires_grad=True).to_mkldnn()
    assert repr(x) == "tensor([1.], layout=gnomon._mkldnn, grad_fn=<ToMkldnnBackward0>)"
    assert pickle.loads(pickle.dumps(gn._mkldnn)) is gn._mkldnn


POINTWISE = {
    "add": lambda a, b: a + b,
    "add with alpha": lambda a, b: gn.add(a, b, alpha=0.5),
    "mul": lambda a, b: a * b,
    "mul by a number": lambda a, b: a * 2.5,
    "mul by a scalar tensor": lambda a, b: gn.tensor(3.0) * a,
    "relu": lambda a, b: a.relu(),
    "sigmoid": lambda a, b: a.sigmoid(),
    "tanh": lambda a, b: a.tanh(),
    "gelu": lambda a, b: gn.nn.functional.gelu(a),
    "softmax over blocks": lambda a, b: a.softmax(1),
    "softmax": lambda a, b: a.softmax(-1),
    "prelu": lambda a, b: gn.prelu(a, gn.full((a.shape[1],), 0.25, dtype=a.dtype)),
    "reshape": lambda a, b: a.reshape(a.shape[0], -1),
    "flatten": lambda a, b: a.flatten(),
    "transpose": lambda a, b: a.transpose(0, 1),
    "transpose and back": lambda a, b: a.transpose(-1, 1).transpose(1, -1) + a,
    "clone": lambda a, b: a.clone(),
    "new_zeros": lambda a, b: a.new_zeros((2, 3)),
}


@pytest.mark.parametrize("dtype", [gn.float32, gn.bfloat16])
@pytest.mark.parametrize("case", POINTWISE)
def test_operators_compute_what_they_do_for_strided_tensors(case, dtype, device):
    gn.manual_seed(0)
    for sizes in ((2, 3), (1, 10, 2, 2)):
        a, b = gn.randn(*sizes, dtype=dtype), gn.randn(*sizes, dtype=dtype)
        expected = POINTWISE[case](a, b)
        found = POINTWISE[case](a.to_mkldnn(), b.to_mkldnn())
        assert found.layout is gn._mkldnn and found.dtype is dtype
        assert gn.equal(found.to_dense(), expected)


def test_in_place_operators_write_to_all_aliases(device):
    x = gn.tensor([[-1.0, 2.0]])
    m = x.to_mkldnn()
    alias = m.detach()
    assert m.mul_(m) is m and m.add_(m).to_dense().tolist() == [[2.0, 8.0]]
    assert alias.to_dense().tolist() == [[2.0, 8.0]] and m._version == 2
    assert x.tolist() == [[-1.0, 2.0]]
    m.copy_(x.to_mkldnn())
    assert gn.relu_(alias) is alias and m.to_dense().tolist() == [[0.0, 2.0]]
    assert m.reshape(1, 2) is m
    m.reshape(2).zero_()  # a copy
    assert m.to_dense().tolist() == [[0.0, 2.0]]
    assert m.zero_().to_dense().tolist() == [[0.0, 0.0]]
    out = gn.empty(1, 2, layout=gn._mkldnn)
    assert gn.add(x.to_mkldnn(), m, out=out) is out and out.to_dense().tolist() == [[-1.0, 2.0]]
    with pytest.raises(RuntimeError, match="expected an output of sizes"):
        gn.mul(m, m, out=gn.empty(2, layout=gn._mkldnn))


@pytest.mark.both_tiers
def test_gradients_go_through_the_layout():
    x = gn.tensor([[-1.0, 2.0], [3.0, -4.0]], requires_grad=True)
    m = x.to_mkldnn()
    y = (m * m + m.relu()).reshape(4).reshape(2, 2).transpose(0, 1).clone()
    assert y.requires_grad and y.layout is gn._mkldnn and not y._is_view()
    y.to_dense().sum().backward()
    assert x.grad.layout is gn.strided and x.grad.tolist() == [[-2.0, 5.0], [7.0, -8.0]]
    leaf = gn.ones(2).to_mkldnn().requires_grad_()
    for total in (1.0, 2.0):
        leaf.relu().to_dense().sum().backward()
        assert leaf.grad.layout is gn._mkldnn and leaf.grad.to_dense().tolist() == [total, total]
    with pytest.raises(RuntimeError, match="no kernel for this layout"):
        x.to_mkldnn().tanh().to_dense().sum().backward()  # nor has PyTorch one


def test_inference_mode():
    with gn.inference_mode():
        m = gn.ones(2).to_mkldnn().relu()
    assert m.is_inference() and m.to_dense().tolist() == [1.0, 1.0]


def test_parameters_and_copies() -> None:
    opaque = gn.arange(18.0).view(1, 9, 1, 2).to_mkldnn()
    parameter = gn.nn.Parameter(opaque)
    assert isinstance(parameter, gn.nn.Parameter) and parameter.requires_grad and parameter.is_mkldnn
    assert repr(parameter).startswith("Parameter containing:\ntensor(")
    for each in (copy.deepcopy(parameter), copy.copy(parameter)):
        assert isinstance(each, gn.nn.Parameter) and each.is_mkldnn and each.requires_grad
        assert each.to_dense().tolist() == opaque.to_dense().tolist()
    other = copy.deepcopy(opaque)
    other.zero_()
    assert opaque.to_dense().sum().item() == 153.0
    opaque.data = gn.ones(2, 3).to_mkldnn()
    assert opaque.shape == (2, 3) and opaque.to_dense().sum().item() == 6.0
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        opaque.data = gn.ones(2, 3)


@pytest.mark.parametrize(
    "sizes", [(1, 3, 0, 2), (0, 4, 5, 6), (2, 0, 3, 1), (2, 3, 0, 1, 4), (2, 0, 3), (3, 0)]
)
def test_a_dense_tensor_without_elements_is_row_major(sizes):
    found = gn.empty(sizes).to_mkldnn().to_dense()
    assert found.shape == sizes and found.stride() == gn.empty(sizes).stride()
