"""In-place views of tensors that hold others: they take all of the view, or raise before they change."""

import pytest

import gnomon as gn

try:
    import torch
except ImportError:
    torch = None

oracle = pytest.mark.skipif(torch is None, reason="needs PyTorch")

SWAPS = ("transpose_", "swapaxes_", "swapdims_")


def coo(lib):
    return lib.sparse_coo_tensor([[0, 0, 1], [1, 2, 0]], [1.0, 2.0, 3.0], (2, 3))


def hybrid(lib):
    return lib.sparse_coo_tensor([[0, 1], [1, 2]], lib.arange(4.0).reshape(2, 2), (2, 3, 2))


def compressed(layout):
    return lambda lib: lib.tensor([[0.0, 1, 2, 0], [3, 0, 0, 4]]).to_sparse(
        layout=getattr(lib, layout), blocksize=(1, 2) if layout[7] == "b" else None
    )


def per_channel(sizes, axis):
    def make(lib):
        count, numel = sizes[axis], 1
        for size in sizes:
            numel *= size
        return lib.quantize_per_channel(
            lib.arange(float(numel)).reshape(sizes),
            lib.arange(1.0, count + 1),
            lib.zeros(count, dtype=lib.int64),
            axis,
            lib.qint8,
        )

    return make


TENSORS = {
    "coo": coo,
    "coalesced": lambda lib: coo(lib).coalesce(),
    "one row": lambda lib: lib.sparse_coo_tensor([[0, 0], [1, 2]], [1.0, 2.0], (1, 3)),
    "repeated": lambda lib: lib.sparse_coo_tensor([[0, 0, 0], [1, 2, 1]], [1.0, 2.0, 3.0], (2, 3)),
    "hybrid": hybrid,
    "hybrid of vectors": lambda lib: lib.sparse_coo_tensor([[0, 1]], lib.ones(2, 3, 2), (2, 3, 2)),
    "leaf": lambda lib: coo(lib).requires_grad_(),
    **{each: compressed(each) for each in ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")},
    "mkldnn": lambda lib: lib.arange(6.0).reshape(2, 3).to_mkldnn(),
    "mkldnn of one row": lambda lib: lib.ones(1, 3).to_mkldnn(),
    "per tensor": lambda lib: lib.quantize_per_tensor(lib.arange(6.0).reshape(1, 2, 3), 0.5, 0, lib.quint8),
    "per tensor matrix": lambda lib: lib.quantize_per_tensor(lib.ones(2, 3), 0.5, 0, lib.quint8),
    "per row": per_channel((2, 3), 0),
    "per column": per_channel((2, 3), 1),
    "per row of three dimensions": per_channel((2, 3, 1), 0),
}

VIEWS = {
    "t_": lambda x: x.t_(),
    **{name: lambda x, name=name: getattr(x, name)(0, 1) for name in SWAPS},
    **{f"{name} of one": lambda x, name=name: getattr(x, name)(0, 0) for name in SWAPS},
    **{f"{name} of the last": lambda x, name=name: getattr(x, name)(-1, 1) for name in SWAPS},
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "unsqueeze_ at the end": lambda x: x.unsqueeze_(-1),
    "unsqueeze_ out of range": lambda x: x.unsqueeze_(9),
    "squeeze_": lambda x: x.squeeze_(),
    "squeeze_ of one": lambda x: x.squeeze_(0),
    "squeeze_ of several": lambda x: x.squeeze_((0, 1)),
    "as_strided_": lambda x: x.as_strided_((2, 2), (1, 1)),
    "detach_": lambda x: x.detach_(),
    "set_": lambda x: x.set_(x.clone()),
    "set_ to nothing": lambda x: x.set_(),
    "resize_as_": lambda x: x.resize_as_(x.detach().clone()),
    "resize_ to one": lambda x: x.resize_(1, 1),
}

# Not compared: PyTorch gives a channel's scale to other elements.
UNSOUND = {(name, "as_strided_") for name in ("per row", "per column", "per row of three dimensions")}
# PyTorch's result is no valid tensor, see test_resizing_compressed.py.
UNSOUND |= {
    (f"sparse_{name}", view) for name in ("csc", "bsr", "bsc") for view in ("resize_as_", "resize_ to one")
}
COMPARED = [(name, view) for name in TENSORS for view in VIEWS if (name, view) not in UNSOUND]


def parts(x):
    """What a tensor consists of."""
    if x.is_quantized:
        axis = x.q_per_channel_axis() if "channel" in str(x.qscheme()) else None
        return tuple(x.shape), x.stride(), x.dequantize().tolist(), x.int_repr().tolist(), axis
    layout = str(x.layout).partition(".")[2]
    if layout == "sparse_coo":
        x, leaf = x.detach(), x.requires_grad
        return tuple(x.shape), x._indices().tolist(), x._values().tolist(), x.is_coalesced(), leaf
    if layout == "_mkldnn":
        return tuple(x.shape), x.to_dense().tolist()
    return layout, tuple(x.shape), x.to_dense().tolist(), x.values().tolist()


def kind_of(error):
    """PyTorch's NotImplementedError is a RuntimeError, as is gnomon's."""
    return next(each for each in (IndexError, TypeError, RuntimeError) if isinstance(error, each))


@oracle
@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "view"), COMPARED)
def test_inplace_views_beside_pytorch(name, view):
    found = []
    for lib in (torch, gn):
        x = TENSORS[name](lib)
        before = parts(x)
        try:
            made = VIEWS[view](x)
            found.append(parts(made))
            assert made is x
        except (RuntimeError, IndexError, TypeError) as error:
            found.append(kind_of(error))
            assert lib is torch or parts(x) == before
    assert found[0] == found[1]


@pytest.mark.parametrize("swap", ["t_", *SWAPS])
@pytest.mark.parametrize("coalesced", [False, True])
def test_transposed_in_place(swap, coalesced):
    x = coo(gn).coalesce() if coalesced else coo(gn)
    assert getattr(x, swap)(*() if swap == "t_" else (0, 1)) is x
    assert x.shape == (3, 2) and not x.is_coalesced()
    assert x.to_dense().tolist() == [[0, 3], [1, 0], [2, 0]]
    assert x.coalesce().indices().tolist() == [[0, 1, 2], [1, 0, 0]]
    assert x._version == 1


def test_gradient_of_a_transposed_tensor():
    x = coo(gn).requires_grad_()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x.t_()
    assert x.to_dense().tolist() == [[0, 1, 2], [3, 0, 0]]
    y = (x * 2).transpose_(0, 1)
    (y.to_dense() * gn.tensor([[1.0, 2], [3, 4], [5, 6]])).sum().backward()
    assert x.grad.to_dense().tolist() == [[0, 6, 10], [4, 0, 0]]


def test_quantized_view_has_its_integers():
    x = gn.quantize_per_tensor(gn.arange(6.0).reshape(2, 3), 0.5, 0, gn.quint8)
    assert x.t_() is x and x.stride() == (1, 3)
    assert x.int_repr().tolist() == [[0, 6], [2, 8], [4, 10]]
    x.data = gn.quantize_per_tensor(gn.ones(2), 0.25, 1, gn.quint8)
    assert x.int_repr().tolist() == [5, 5] and x.q_scale() == 0.25
    assert x.resize_(1).int_repr().tolist() == [5]
    x = per_channel((2, 3), 0)(gn)
    with pytest.raises(RuntimeError, match="length of scales must equal to channel, expected 1 got, 2"):
        x.unsqueeze_(0)
    assert x.shape == (2, 3) and x.q_per_channel_axis() == 0
