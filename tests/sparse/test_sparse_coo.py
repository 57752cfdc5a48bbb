"""Sparse tensors: construction, parts, conversions, operators, gradients, and what has no kernel."""

import math

import pytest

import gnomon as gn
from gnomon.values.dispatch_key import DispatchKey

INDICES = [[0, 1, 1, 0], [2, 0, 2, 2]]
VALUES = [3.0, 4.0, 5.0, 6.0]
DENSE = [[0.0, 0.0, 9.0], [4.0, 0.0, 5.0]]
make = gn.sparse_coo_tensor


@pytest.fixture
def x() -> gn.Tensor:
    """Not coalesced: the element (0, 2) is specified twice."""
    return make(INDICES, VALUES, (2, 3))


def hybrid() -> gn.Tensor:
    return make(INDICES, gn.arange(8.0).view(4, 2), (2, 3, 2))


def test_parts(x):
    assert x.layout is gn.sparse_coo and x.is_sparse and x.shape == (2, 3) and x.dtype is gn.float32
    assert (x.sparse_dim(), x.dense_dim(), x._nnz(), x.is_coalesced()) == (2, 0, 4, False)
    assert (x._dimI(), x._dimV(), x.numel(), x.stride(), x.storage_offset()) == (2, 0, 6, (0, 0), 0)
    assert x._indices().tolist() == INDICES and x._indices().dtype is gn.int64
    assert x._values().tolist() == VALUES
    h = hybrid()
    assert (h.sparse_dim(), h.dense_dim(), h.shape) == (2, 1, (2, 3, 2))
    dense = gn.ones(2, 3)
    assert (dense.sparse_dim(), dense.dense_dim(), dense.is_sparse) == (0, 2, False)


def test_sizes_alone_may_be_named():
    for empty in (make(size=(2, 3)), make((2, 3)), make([2, 3]), make(gn.Size([2, 3]))):
        assert empty.shape == (2, 3) and empty._nnz() == 0 and empty._indices().shape == (2, 0)
    named = make(indices=INDICES, values=VALUES, size=(2, 4))
    assert named.shape == (2, 4) and named._values().tolist() == VALUES
    for bad in ({}, {"indices": INDICES, "size": (2, 3)}, {"values": VALUES, "size": (2, 3)}):
        with pytest.raises(TypeError, match=r"^sparse_coo_tensor\(\)"):
            make(**bad)


def test_a_tensor_holds_the_values_that_it_got():
    values = gn.tensor(VALUES)
    x = make(INDICES, values, (2, 3))
    values[0] = 7
    assert x._values()[0].item() == 7 and x._values().data_ptr() == values.data_ptr()


def test_coalesce_sorts_and_sums(x):
    c = x.coalesce()
    assert c.is_coalesced() and c.indices().tolist() == [[0, 1, 1], [2, 0, 2]]
    assert c.values().tolist() == [9, 4, 5]
    assert c.coalesce() is c and not x.is_coalesced()
    flags = make(INDICES, [True, False, True, True], (2, 3)).coalesce()
    assert flags.values().tolist() == [True, False, True]
    empty = make((2, 3))
    assert empty.is_coalesced() and empty.indices().shape == (2, 0) and empty.values().shape == (0,)


def test_conversions(x):
    assert x.to_dense().tolist() == DENSE
    with pytest.raises(RuntimeError, match="dtype argument is not supported by sparse_to_dense"):
        x.to_dense(gn.float64)
    back = gn.tensor(DENSE).to_sparse()
    assert back.is_coalesced() and back.indices().tolist() == [[0, 1, 1], [2, 0, 2]]
    rows = gn.tensor(DENSE).to_sparse(1)
    assert rows.values().tolist() == DENSE and rows.indices().tolist() == [[0, 1]]
    assert rows.dense_dim() == 1 and gn.tensor(DENSE).to_sparse(dense_dim=1).to_dense().tolist() == DENSE
    number = gn.tensor(5.0).to_sparse()
    assert number.sparse_dim() == 0 and number.to_dense().item() == 5
    assert x.to_sparse() is x and hybrid().to_dense().shape == (2, 3, 2)
    assert x.to(gn.float64).dtype is gn.float64 and x.double()._values().tolist() == VALUES


def test_sizes_are_the_least_that_hold_the_indices():
    assert make(INDICES, VALUES).shape == (2, 3)
    assert make(INDICES, gn.ones(4, 5)).shape == (2, 3, 5)
    assert make([[], []], []).shape == (0, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make(INDICES, VALUES[:3], (2, 3)), "must have same nnz"),
        (lambda: make(INDICES, VALUES, (2,)), "number of dimensions must be"),
        (
            lambda: make(INDICES, VALUES, (1, 3), check_invariants=True),
            "for dim 0, size is 1 but found index 1",
        ),
        (lambda: make([[-1]], [1.0], (2,), check_invariants=True), "found negative index -1 for dim 0"),
        (lambda: make([[-1]], [1.0]), "found negative index -1 for dim 0"),
        (lambda: make([0], [1.0], (2,)), "indices must be sparse_dim x nnz"),
        (lambda: make((-1, 2)), "negative dimension -1"),
        (lambda: gn.ones(2).to_sparse(2), r"must be in \[0,1\] range, but 2 is given"),
        (lambda: gn.ones(2).coalesce(), "expected sparse coordinate tensor layout but got Strided"),
        (lambda: gn.ones(2).values(), "values expected sparse tensor layout but got Strided"),
        (lambda: gn.ones(2)._nnz(), "Could not run 'aten::_nnz'"),
    ],
)
def test_invalid_arguments(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: x.exp(), NotImplementedError, "'aten::exp' with arguments from the 'SparseCPU' backend"),
        (lambda x: x.view(6), NotImplementedError, "'aten::view' with arguments from the 'SparseCPU'"),
        (lambda x: x == x, NotImplementedError, "'aten::eq.Tensor' with arguments from the 'SparseCPU'"),
        (lambda x: x.numpy(), TypeError, "can't convert Sparse layout tensor to numpy"),
        (
            lambda x: x.tolist(),
            RuntimeError,
            "Cannot access data pointer of Tensor that doesn't have storage",
        ),
        (lambda x: x.untyped_storage(), NotImplementedError, "Cannot access storage of SparseTensorImpl"),
        (lambda x: x.reshape(6), RuntimeError, "reshape is not implemented for sparse tensors"),
        (lambda x: x.expand(2, 2, 3), RuntimeError, "expand is unsupported for Sparse tensors"),
        (lambda x: x.indices(), RuntimeError, "Cannot get indices on an uncoalesced tensor"),
        (lambda x: x.values(), RuntimeError, "Cannot get values on an uncoalesced tensor"),
        (lambda x: x + gn.ones(2, 3), RuntimeError, r"add\(sparse, dense\) is not supported"),
        (lambda x: x / gn.ones(2, 3), RuntimeError, "Sparse division requires a scalar"),
        (lambda x: x.copy_(gn.ones(2, 3)), RuntimeError, "between dense and sparse Tensors is not"),
        (lambda x: gn.ones((2, 3), layout=gn.sparse_coo), RuntimeError, "not implemented for sparse layout"),
    ],
)
def test_what_sparse_tensors_do_not_do(x, call, error, message):
    with pytest.raises(error, match=message):
        call(x)
    assert x.to_dense().tolist() == DENSE  # nothing was written


def test_text(x):
    assert repr(x) == (
        "tensor(indices=tensor([[0, 1, 1, 0],\n"
        "                       [2, 0, 2, 2]]),\n"
        "       values=tensor([3., 4., 5., 6.]),\n"
        "       size=(2, 3), nnz=4, layout=gnomon.sparse_coo)"
    )
    made = make([[0]], [1], (2,), dtype=gn.float64, requires_grad=True)
    assert repr(made).endswith(
        "size=(2,), nnz=1, dtype=gnomon.float64, layout=gnomon.sparse_coo,\n       requires_grad=True)"
    )
    assert "indices=tensor([], size=(2, 0))" in repr(make((2, 3)))


def test_keys_decide_which_kernel_runs(x):
    keys = [DispatchKey.AutogradSparse, DispatchKey.ADInplaceOrView, DispatchKey.Sparse]
    assert list(x._dispatch_keys()) == keys
    # a factory has no tensor with keys, but the layout that it is asked for has some
    made = gn.empty(2, 3, layout=gn.sparse_coo)
    assert made.is_sparse and made._nnz() == 0
    assert gn.zeros(2, 3, layout=gn.sparse_coo).is_sparse and gn.zeros_like(x)._nnz() == 0
    assert not gn.empty(2, 3, layout=gn.strided).is_sparse


def test_pointwise(x):
    assert x.neg()._values().tolist() == [-3, -4, -5, -6]  # linear: not coalesced
    root = x.sqrt()
    assert root.is_coalesced() and root._values().tolist() == [3, 2, gn.tensor(5.0).sqrt().item()]
    assert (x * 2)._values().tolist() == [6, 8, 10, 12]
    assert (x / 2).to_dense().tolist() == [[0, 0, 4.5], [2, 0, 2.5]]
    d = gn.arange(6.0).view(2, 3)
    for product in (x * d, d * x):
        assert product.is_sparse and product.to_dense().tolist() == [[0, 0, 18], [12, 0, 25]]
    assert (d + x).tolist() == [[0, 1, 11], [7, 4, 10]] and d.tolist() == [[0, 1, 2], [3, 4, 5]]
    other = make([[1, 0], [2, 1]], [2.0, 1.0], (2, 3))
    assert (x + other).to_dense().tolist() == [[0, 1, 9], [4, 0, 7]]
    assert gn.sub(x, other, alpha=2).to_dense().tolist() == [[0, -2, 9], [4, 0, 1]]
    assert (x * other).to_dense().tolist() == [[0, 0, 0], [0, 0, 10]]
    assert (x.coalesce() + other.coalesce()).is_coalesced()
    assert x.floor_divide(2).to_dense().tolist() == [[0, 0, 4], [2, 0, 2]]
    wide = x + make([[0], [0]], [1.0], (2, 3), dtype=gn.float64)
    assert wide.dtype is gn.float64 and wide.to_dense().tolist() == [[1, 0, 9], [4, 0, 5]]


def test_in_place(x):
    version = x._version
    assert x.mul_(2) is x and x.to_dense().tolist() == [[0, 0, 18], [8, 0, 10]]
    assert x._version == version + 1
    assert x.add_(x.clone()) is x and x.to_dense().tolist() == [[0, 0, 36], [16, 0, 20]]
    d = gn.zeros(2, 3)
    assert d.add_(x) is d and d.tolist() == [[0, 0, 36], [16, 0, 20]]
    assert d.mul_(x) is d and d.tolist() == [[0, 0, 36 * 36], [16 * 16, 0, 20 * 20]]
    nan = gn.full((2, 3), math.nan)
    assert nan.mul_(make([[1], [2]], [0.0], (2, 3)))[0].tolist() == [0, 0, 0]  # what is not specified is 0
    assert math.isnan(nan[1, 2].item()) and not nan.is_sparse
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape"):
        gn.ones(3).mul_(x)
    with pytest.raises(RuntimeError, match="result type float32 can't be cast to the desired output type"):
        gn.ones(2, 3, dtype=gn.int64).mul_(x)
    out = make((2, 3))
    assert gn.sin(x, out=out) is out and out._nnz() == 3
    assert x.zero_() is x and x._nnz() == 0
    x.copy_(out)
    assert x.to_dense().tolist() == out.to_dense().tolist()
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        make([[0]], [1]).mul_(0.5)


def test_reductions(x):
    assert x.sum().item() == 18 and not x.sum().is_sparse
    assert x.sum(0).to_dense().tolist() == [4, 0, 14]
    assert gn.sparse.sum(x, 1).to_dense().tolist() == [9, 9]
    assert gn.sparse.sum(x).item() == 18 and gn.sparse.sum(x, [0, 1]).item() == 18
    h = hybrid()
    assert gn.sparse.sum(h, [0, 1]).tolist() == [12, 16]
    assert gn.sparse.sum(h, 2).to_dense().tolist() == h.to_dense().sum(2).tolist()
    assert x.norm().item() == pytest.approx(122**0.5) and x.any().item() is True
    soft, log = gn.sparse.softmax(x, 1), gn.sparse.log_softmax(x, 1)
    assert soft.to_dense()[0].tolist() == [0, 0, 1]
    gn.testing.assert_close(soft.values()[1:], gn.tensor([4.0, 5.0]).softmax(0))
    gn.testing.assert_close(log.values()[1:], gn.tensor([4.0, 5.0]).log_softmax(0))


def test_shapes(x):
    assert x.t().to_dense().tolist() == gn.tensor(DENSE).t().tolist() and x.t()._view_of is None
    assert gn.cat([x, x], 1).to_dense().tolist() == [row + row for row in DENSE]
    assert gn.stack([x, x]).to_dense().tolist() == [DENSE, DENSE]
    assert x[1].to_dense().tolist() == DENSE[1] and x[0, 2].item() == 9 and x[-1].is_sparse
    assert x.unsqueeze(1).shape == (2, 1, 3)
    assert [each.to_dense().tolist() for each in x.unbind()] == DENSE
    assert gn.index_select(x, 1, gn.tensor([2, 0])).to_dense().tolist() == [[9, 0], [5, 4]]
    assert gn.narrow_copy(x, 1, 1, 2).to_dense().tolist() == [[0, 9], [0, 5]]
    h = hybrid()
    for order in ((1, 0, 2), (0, 1, 2)):
        assert h.permute(order).to_dense().tolist() == h.to_dense().permute(order).tolist()
    with pytest.raises(RuntimeError, match="transpositions between sparse and dense dimensions"):
        h.permute(2, 0, 1)
    assert x.sparse_resize_((3, 4), 2, 0).shape == (3, 4) and x._nnz() == 4
    with pytest.raises(RuntimeError, match="shrinking the size of sparse dimensions"):
        x.sparse_resize_((1, 1), 2, 0)
    assert x.sparse_resize_and_clear_((1, 1), 2, 0)._nnz() == 0


def test_products(x):
    d = gn.arange(6.0).view(3, 2)
    expected = gn.tensor(DENSE) @ d
    assert (x @ d).tolist() == expected.tolist() == gn.sparse.mm(x, d).tolist() == x.mm(d).tolist()
    assert (d.t() @ x.t()).tolist() == expected.t().tolist()
    product = x @ x.t()
    assert product.is_sparse and product.is_coalesced()
    assert product.to_dense().tolist() == [[81, 45], [45, 41]]
    assert x.mv(gn.ones(3)).tolist() == [9, 9]
    assert gn.addmm(gn.ones(2, 2), x, d, beta=2, alpha=3).tolist() == (2 + 3 * expected).tolist()
    assert gn.smm(x, d).to_dense().tolist() == gn.hspmm(x, d).to_dense().tolist() == expected.tolist()
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"):
        x @ x


def test_masks(x):
    d = gn.arange(6.0).view(2, 3)
    assert d.sparse_mask(x.coalesce()).values().tolist() == [2, 3, 5]
    mask = make([[0, 0], [2, 1]], [1.0, 1.0], (2, 3))
    assert x.sparse_mask(mask)._values().tolist() == [9, 0]


def test_layouts_of_gradients(x):
    d = gn.arange(6.0).view(3, 2).requires_grad_()
    a = x.detach().requires_grad_()
    gn.sparse.mm(a, d).sum().backward()
    assert a.grad.is_sparse and not a.grad.is_coalesced()  # at its own elements; AccumulateGrad forgets
    assert a.grad.to_dense().tolist() == [[0, 0, 9], [1, 0, 9]]
    assert d.grad.tolist() == [[4, 4], [0, 0], [14, 14]] and not d.grad.is_sparse
    b = x.detach().requires_grad_()
    (b @ d).sum().backward()
    assert not b.grad.is_sparse and b.grad.tolist() == [[1, 5, 9], [1, 5, 9]]  # as PyTorch's mm
    values = gn.tensor(VALUES, requires_grad=True)
    (make(INDICES, values, (2, 3)).coalesce().values() ** 2).sum().backward()
    assert values.grad.tolist() == [18, 8, 10, 18]
    dense = gn.tensor(DENSE, requires_grad=True)
    (dense.to_sparse().to_dense() ** 2).sum().backward()
    assert dense.grad.tolist() == [[0, 0, 18], [8, 0, 10]]
    c = x.detach().requires_grad_()
    for _ in range(2):  # accumulated
        (c.to_dense() * gn.arange(6.0).view(2, 3)).sum().backward()
    assert c.grad.is_sparse and c.grad.to_dense().tolist() == [[0, 0, 4], [6, 0, 10]]


WEIGHTS = gn.arange(1.0, 7.0, dtype=gn.float64).view(3, 2)
FUNCTIONS = {
    "to_dense": lambda x: x.to_dense(),
    "mul": lambda x: (x * 3).to_dense(),
    "values": lambda x: x.neg().coalesce().values(),
    "square": lambda x: (x * x).to_dense(),
    "sparse.mm": lambda x: gn.sparse.mm(x, WEIGHTS),
    "mm": lambda x: x @ WEIGHTS,
    "mm of a strided matrix": lambda x: WEIGHTS @ x,
    "sparse.mm of two": lambda x: gn.sparse.mm(x, x.t()).to_dense(),
    "sparse.sum of a dimension": lambda x: gn.sparse.sum(x, 0).to_dense(),
    "sparse.sum": gn.sparse.sum,
    "transpose": lambda x: x.t().to_dense(),
    "softmax": lambda x: gn.sparse.softmax(x, 1).to_dense(),
    "log_softmax": lambda x: gn.sparse.log_softmax(x, 0).to_dense(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_by_finite_differences(name):
    values = gn.tensor([3.0, 4.0, 5.0], dtype=gn.float64, requires_grad=True)

    def of_values(values):
        return FUNCTIONS[name](make([[0, 1, 1], [2, 0, 2]], values, (2, 3), is_coalesced=True))

    assert gn.autograd.gradcheck(of_values, values)
    if "softmax" not in name:  # no second derivative, as in PyTorch
        assert gn.autograd.gradgradcheck(of_values, values)


def test_gradients_of_embeddings_are_rows():
    weight = gn.ones(5, 2, requires_grad=True)
    embedding = gn.nn.functional.embedding
    embedding(gn.tensor([1, 3, 1]), weight, padding_idx=3, sparse=True).sum().backward()
    assert weight.grad.is_sparse and weight.grad._indices().tolist() == [[1, 1]]
    assert weight.grad.to_dense().tolist() == [[0, 0], [2, 2], [0, 0], [0, 0], [0, 0]]
    bag = gn.nn.EmbeddingBag(5, 2, mode="mean", sparse=True)
    bag(gn.tensor([[1, 1], [0, 4]])).sum().backward()
    assert bag.weight.grad.to_dense().tolist() == [[0.5, 0.5], [1, 1], [0, 0], [0, 0], [0.5, 0.5]]
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse gradients"):
        embedding(gn.tensor([1]), weight, scale_grad_by_freq=True, sparse=True).sum().backward()


def test_backends_run_sparse_tensors():
    for device, backend in gn.backends().items():
        if device == "meta" or not backend.available:
            continue
        x = make(INDICES, VALUES, (2, 3), device=device)
        assert (x @ gn.ones(3, 2, device=device)).tolist() == [[9, 9], [9, 9]]
        assert x.to_dense().tolist() == DENSE and x.coalesce().values().tolist() == [9, 4, 5]


def test_elements_cannot_be_assigned(x):
    for each in (x, hybrid(), x.to_dense().to_sparse_csr(), gn.eye(4).to_sparse_bsr((2, 2))):
        before = each.to_dense()
        with pytest.raises(TypeError, match="Cannot assign to a sparse tensor"):
            each[0] = 7.0
        assert each.to_dense().equal(before)


def test_a_mask_of_itself_keeps_the_elements_of_one_place(x):
    found = x.sparse_mask(x)
    assert found._values().tolist() == VALUES and not found.is_coalesced()
    assert x.sparse_mask(x.clone())._values().tolist() == [9.0, 4.0, 5.0, 9.0]


@pytest.mark.parametrize("layout", [gn.sparse_coo, gn.sparse_csr, gn.sparse_csc])
def test_new_zeros_have_the_layout(layout):
    found = gn.eye(2).to_sparse(layout=layout).new_zeros(2, 3, dtype=gn.float64)
    assert found.layout is layout and found.shape == (2, 3) and found.dtype is gn.float64
    assert found._nnz() == 0 and found.to_dense().equal(gn.zeros(2, 3, dtype=gn.float64))


@pytest.mark.parametrize("layout", [gn.sparse_coo, gn.sparse_csr])
@pytest.mark.parametrize("is_followed", [False, True])
def test_nonzero_is_refused_by_its_own_name(layout, is_followed):
    x = gn.eye(2).to_sparse(layout=layout).requires_grad_(is_followed)
    for call in (x.nonzero, lambda: gn.nonzero(x)):
        with pytest.raises(
            NotImplementedError, match=r"^Could not run 'aten::nonzero' with .* from the 'Spa"
        ):
            call()


def test_a_result_of_strided_tensors_is_not_sparse(x):
    ones = gn.ones(2, 3)
    for call in (lambda: gn.add(ones, ones, out=x), lambda: gn.sin(ones, out=x)):
        with pytest.raises(NotImplementedError, match="there is no kernel for this layout"):
            call()
    with pytest.raises(NotImplementedError, match="not implemented for dtype int64"):
        gn.sparse.softmax(x.long(), 0)


def test_products_resize_a_strided_output(x):
    strided = gn.ones(3, 2)
    wanted = (x.to_dense() @ strided).tolist()
    for sparse in (x, x.to_sparse_csr()):
        out = gn.empty(0)
        assert gn.mm(sparse, strided, out=out) is out and out.tolist() == wanted and out.stride() == (2, 1)
    out = gn.empty(0)
    assert gn.add(gn.ones(2, 3), x, out=out) is out and out.tolist() == (x.to_dense() + 1).tolist()


def test_the_deprecated_order_of_sspaddmm(x):
    other = gn.ones(3, 3)
    wanted = gn.sspaddmm(x, x, other, beta=2, alpha=3).to_dense().tolist()
    for call in (
        lambda: gn.sspaddmm(2, x, 3, x, other),
        lambda: x.sspaddmm(2, 3, x, other),
    ):
        with pytest.warns(UserWarning, match="This overload of sspaddmm is deprecated"):
            assert call().to_dense().tolist() == wanted
    with pytest.warns(UserWarning, match="This overload of sspaddmm is deprecated"):
        found = gn.sspaddmm(2, x, x, other)
    assert found.to_dense().tolist() == gn.sspaddmm(x, x, other, beta=2).to_dense().tolist()


def test_softmax_of_more_lines_than_memory_holds():
    indices = [[0, 0, 10**6 - 1], [3, 3, 10**6 - 1], [1, 4, 2]]
    x = gn.sparse_coo_tensor(indices, [1.0, 1.0, 2.0], (10**6, 10**6, 5)).requires_grad_()
    found = gn.sparse.softmax(x, 2)
    assert found.coalesce().values().tolist() == [0.5, 0.5, 1.0]
    few = gn.sparse_coo_tensor(indices[2:], [1.0, 1.0, 2.0], (5,))
    assert gn.allclose(gn.sparse.softmax(few, 0).to_dense(), gn.tensor([0, 1.0, 2.0, 0, 1.0]).masked_fill(
        gn.tensor([True, False, False, True, False]), -math.inf).softmax(0))  # fmt: skip
    gn.sparse.sum(found * found).backward()
    assert x.grad.coalesce().values().abs().max().item() <= 1e-6
