"""Sparse tensors on the emulated GPU: their operators run wholly there, with the reference's results."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon.calls import launch

pytestmark = pytest.mark.usefixtures("cuda")
LAYOUTS = ("to_sparse", "to_sparse_csr", "to_sparse_csc")


@pytest.fixture(autouse=True)
def natively():
    """A fallback raises."""
    launch.set_fallback_policy("error")
    yield
    launch.set_fallback_policy(None)


def matrix(device, rows=5, columns=4, dtype=gn.float32):
    """Two of three elements are 0."""
    made = gn.tensor([k % 7 - 3 if k % 3 == 0 else 0 for k in range(rows * columns)], device="reference")
    return made.reshape(rows, columns).to(dtype).to(device)


def parts(tensor):
    """The layout, the dtype, and the indices and values of a tensor of any layout."""
    layout = tensor.layout
    assert tensor.device.type in ("cuda", "reference")
    if layout is gn.sparse_coo:
        tensor = tensor.coalesce()
        held = [tensor.indices(), tensor.values()]
    elif layout in (gn.sparse_csr, gn.sparse_bsr):
        held = [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    elif layout in (gn.sparse_csc, gn.sparse_bsc):
        held = [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    else:
        held = [tensor]
    devices = {each.device.type for each in held}
    assert devices == {tensor.device.type}
    return layout, tensor.dtype, tensor.shape, [each.tolist() for each in held]


def same_on_both(function, *given):
    """``function`` of a device and ``given`` has the reference's result on the GPU."""
    expected, found = function("reference", *given), function("cuda", *given)
    assert found.device.type == "cuda"
    assert parts(found) == parts(expected)


@pytest.mark.parametrize("dtype", [gn.float32, gn.int64, gn.float16], ids=str)
def test_conversions(dtype):
    def made(device, layout):
        return getattr(matrix(device, dtype=dtype), layout)()

    def blocks(device, layout):
        return getattr(matrix(device, 4, 4, dtype), layout)((2, 2))

    for layout in LAYOUTS:
        same_on_both(made, layout)
        same_on_both(lambda *given: made(*given).to_dense(), layout)
        for other in LAYOUTS:
            same_on_both(lambda device, layout, other: getattr(made(device, layout), other)(), layout, other)
    for layout in ("to_sparse_bsr", "to_sparse_bsc"):
        same_on_both(blocks, layout)
        same_on_both(lambda *given: blocks(*given).to_sparse(), layout)


def test_equal_indices_are_added():
    def made(device):
        indices = gn.tensor([[1, 0, 1, 1], [2, 1, 2, 0]], device=device)
        return gn.sparse_coo_tensor(indices, gn.tensor([3.0, 4.0, 5.0, 6.0], device=device), (2, 3))

    same_on_both(lambda device: made(device).coalesce())
    same_on_both(lambda device: made(device).to_dense())
    same_on_both(lambda device: made(device).to_sparse_csr())
    assert made("cuda").coalesce().values().tolist() == [4, 6, 8]


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_with_strided_matrices(layout, columns):
    def right(device):
        return gn.arange(4 * columns, device="reference").float().reshape(4, columns).to(device)

    def left(device):
        return getattr(matrix(device), layout)()

    same_on_both(lambda device: left(device) @ right(device))
    same_on_both(lambda device: left(device) @ right(device)[:, 0])
    if layout != "to_sparse_csc":
        same_on_both(lambda device: gn.sparse.mm(left(device), right(device)))
        same_on_both(
            lambda device: gn.addmm(
                gn.ones(5, columns, device=device), left(device), right(device), beta=2, alpha=3
            )
        )


def test_products_of_sparse_matrices_and_their_gradients():
    same_on_both(lambda device: matrix(device).to_sparse() @ matrix(device, 4, 3).to_sparse())
    same_on_both(lambda device: matrix(device).to_sparse_csr() @ matrix(device, 4, 3).to_sparse_csr())

    def gradient(device):
        dense = matrix(device).requires_grad_()
        gn.sparse.mm(dense.to_sparse(), matrix(device, 4, 3)).pow(2).sum().backward()
        return dense.grad

    same_on_both(gradient)
    same_on_both(
        lambda device: gn.sparse.sampled_addmm(
            matrix(device).to_sparse_csr(), matrix(device, 5, 2), matrix(device, 2, 4)
        )
    )


def test_pointwise_operators_and_reductions():
    for function in (
        lambda x: x + x,
        lambda x: x * x,
        lambda x: -x / 2,
        lambda x: x.t(),
        lambda x: gn.cat([x, x]),
        lambda x: x.select(0, 1),
        lambda x: x.index_select(0, gn.tensor([3, 0], device=x.device)),
        lambda x: gn.sparse.sum(x),
        lambda x: gn.sparse.sum(x, 0),
        lambda x: x.to_dense() + x,
        lambda x: x.to_dense().sparse_mask(x),
        lambda x: x.to_sparse_csr() + x.to_sparse_csr(),
        lambda x: x.to_sparse_csr() * 2,
    ):
        same_on_both(lambda device, function: function(matrix(device).to_sparse()), function)


def test_tensors_move_to_the_gpu_and_back():
    for layout in LAYOUTS:
        made = getattr(matrix("reference"), layout)()
        moved = made.to("cuda")
        assert moved.device.type == "cuda" and parts(moved) == parts(made)
        assert parts(moved.to("reference")) == parts(made)
