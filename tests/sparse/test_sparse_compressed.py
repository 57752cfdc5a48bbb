"""Compressed sparse tensors: construction, conversions, operators, gradients, and what has no kernel."""

import re

import pytest

import gnomon as gn
from gnomon.values.dispatch_key import DispatchKey

DENSE = [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]
OTHER = [[0.0, 4.0, 2.0], [1.0, 0.0, 0.0]]
LAYOUTS = [gn.sparse_csr, gn.sparse_csc, gn.sparse_bsr, gn.sparse_bsc]
CSR = ([0, 2, 3], [0, 2, 2], [1.0, 2.0, 3.0])
BLOCKS = gn.arange(8.0).view(2, 2, 2)


@pytest.fixture
def x() -> gn.Tensor:
    return gn.sparse_csr_tensor(*CSR, (2, 3))


def matrix() -> gn.Tensor:
    """(4, 4), of which two blocks of four are zeros."""
    return gn.block_diag(gn.tensor([[1.0, 2.0], [0.0, 3.0]]), gn.tensor([[0.0, 4.0], [5.0, 0.0]]))


def in_layout(dense: gn.Tensor, layout: gn.layout) -> gn.Tensor:
    blocksize = (2, 2) if layout in LAYOUTS[2:] else None
    return dense.to_sparse(layout=layout, blocksize=blocksize)


def parts(tensor: gn.Tensor) -> tuple:
    by_rows = tensor.layout in (gn.sparse_csr, gn.sparse_bsr)
    compressed = tensor.crow_indices() if by_rows else tensor.ccol_indices()
    plain = tensor.col_indices() if by_rows else tensor.row_indices()
    return compressed.tolist(), plain.tolist(), tensor.values().tolist()


def test_parts(x):
    assert x.layout is gn.sparse_csr and x.is_sparse_csr and not x.is_sparse and x.shape == (2, 3)
    assert (x.sparse_dim(), x.dense_dim(), x._nnz(), x.numel(), x.storage_offset()) == (2, 0, 3, 6, 0)
    assert parts(x) == CSR and x.crow_indices().dtype is gn.int64
    keys = [DispatchKey.AutogradSparseCsr, DispatchKey.ADInplaceOrView, DispatchKey.SparseCsr]
    assert list(x._dispatch_keys()) == keys
    assert not x.t().is_sparse_csr and x.t().layout is gn.sparse_csc


def test_construction():
    assert gn.sparse_csr_tensor(*CSR).shape == (2, 3)
    assert gn.sparse_csc_tensor(*CSR).shape == (3, 2)
    assert gn.sparse_csc_tensor(*CSR, (3, 2)).to_dense().tolist() == gn.tensor(DENSE).t().tolist()
    rows = gn.sparse_bsr_tensor([0, 1, 2], [1, 0], BLOCKS)
    assert rows.shape == (4, 4) and rows._nnz() == 2
    assert rows.to_dense().tolist() == [[0, 0, 0, 1], [0, 0, 2, 3], [4, 5, 0, 0], [6, 7, 0, 0]]
    columns = gn.sparse_bsc_tensor([0, 1, 2], [1, 0], BLOCKS)
    assert columns.to_dense().tolist() == [[0, 0, 4, 5], [0, 0, 6, 7], [0, 1, 0, 0], [2, 3, 0, 0]]
    made = gn.sparse_compressed_tensor(*CSR, layout=gn.sparse_csc, dtype=gn.float64, requires_grad=True)
    assert made.layout is gn.sparse_csc and made.dtype is gn.float64 and made.requires_grad
    assert gn.sparse_csr_tensor(crow_indices=[0, 1], col_indices=[0], values=[2.0]).to_dense().item() == 2
    small = [gn.tensor(each, dtype=gn.int32) for each in CSR[:2]]
    kept = gn.sparse_csr_tensor(*small, CSR[2])
    assert kept.crow_indices().dtype is gn.int32 and kept.to_sparse_csc().row_indices().dtype is gn.int32
    assert gn.zeros(2, 3, layout=gn.sparse_csc).ccol_indices().tolist() == [0, 0, 0, 0]
    empty = gn.empty(2, 2, 3, layout=gn.sparse_csr)
    assert empty.crow_indices().tolist() == [[0, 0, 0]] * 2 and empty.values().shape == (2, 0)


def test_batches_and_dense_dimensions():
    twice = gn.stack([gn.tensor(DENSE)] * 2)
    batch = twice.to_sparse_csr()
    assert batch.shape == (2, 2, 3) and batch.dense_dim() == 0 and batch._nnz() == 3
    assert batch.crow_indices().tolist() == [[0, 2, 3]] * 2 and batch.values().shape == (2, 3)
    assert batch.to_dense().tolist() == twice.tolist() and parts(batch[1]) == CSR
    assert batch.to_sparse().sparse_dim() == 3 and batch.to_sparse().to_dense().tolist() == twice.tolist()
    assert batch.transpose(1, 2).layout is gn.sparse_csc
    hybrid = twice.permute(1, 2, 0).to_sparse_csr(dense_dim=1)
    assert hybrid.shape == (2, 3, 2) and hybrid.dense_dim() == 1 and hybrid.values().shape == (3, 2)
    assert hybrid.to_dense().tolist() == twice.permute(1, 2, 0).tolist()
    assert parts(hybrid.select(2, 0)) == CSR
    blocks = gn.stack([matrix()] * 2).to_sparse_bsr((2, 2))
    assert blocks.values().shape == (2, 2, 2, 2) and blocks.to_dense()[1].tolist() == matrix().tolist()
    with pytest.raises(RuntimeError, match="Expect the same number of specified elements per batch"):
        gn.tensor([DENSE, [[0.0] * 3] * 2]).to_sparse_csr()


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_conversions(layout):
    d = matrix()
    made = in_layout(d, layout)
    assert made.layout is layout and made.to_dense().tolist() == d.tolist()
    assert made.to_sparse_coo().to_dense().tolist() == d.tolist()
    assert made.to_sparse_coo().is_coalesced() is (layout is gn.sparse_csr)
    from_coo = in_layout(d.to_sparse(), layout)
    assert parts(from_coo) == parts(made)
    transposed = made.t()
    assert transposed.to_dense().tolist() == d.t().tolist() and transposed.layout is not layout
    converted = in_layout(made, transposed.layout)
    assert converted.layout is transposed.layout and converted.to_dense().tolist() == d.tolist()
    assert in_layout(made, layout) is made
    wide = made.to(gn.float64)
    assert wide.dtype is gn.float64 and wide.layout is layout and wide.to_dense().tolist() == d.tolist()
    copy, alias = made.clone(), made.detach()
    assert parts(copy) == parts(alias) == parts(made)
    assert alias.values().data_ptr() == made.values().data_ptr() != copy.values().data_ptr()


def test_conversions_to_hard_values():
    d = matrix()
    assert parts(d.to_sparse_csr()) == ([0, 2, 3, 4, 5], [0, 1, 1, 3, 2], [1, 2, 3, 4, 5])
    assert parts(d.to_sparse_csc()) == ([0, 1, 3, 4, 5], [0, 0, 1, 3, 2], [1, 2, 3, 5, 4])
    blocks = ([0, 1, 2], [0, 1], [[[1, 2], [0, 3]], [[0, 4], [5, 0]]])
    assert parts(d.to_sparse_bsr((2, 2))) == blocks == parts(d.to_sparse_bsc(2))
    assert parts(d.to_sparse_csr().to_sparse_bsr((2, 2))) == blocks
    flat = d.to_sparse_bsr((1, 4))
    assert flat.values().tolist() == d.unsqueeze(1).tolist()
    assert flat.to_sparse()._values().tolist() == d.flatten().tolist()  # zeros in blocks are specified
    assert parts(gn.ones(0, 3).to_sparse_csr()) == ([0], [], [])
    repeated = gn.sparse_csr_tensor([0, 2], [0, 0], [1.0, 2.0], (1, 1))
    assert repeated.to_dense().item() == 3


INVALID = [
    (([1, 2, 3], *CSR[1:], (2, 3)), "`crow_indices[..., 0] == 0` is not satisfied."),
    (([0, 2, 4], *CSR[1:], (2, 3)), "`crow_indices[..., -1] == nnz` is not satisfied."),
    (
        ([0, 4, 3], *CSR[1:], (2, 3)),
        "`0 <= crow_indices[..., 1:] - crow_indices[..., :-1] <= ncols` is not satisfied.",
    ),
    ((*CSR, (2, 2)), "`0 <= col_indices < ncols` is not satisfied."),
    (
        (CSR[0], [2, 0, 2], CSR[2], (2, 3)),
        (
            "`col_indices[..., crow_indices[..., i - 1]:crow_indices[..., i]] for all i = 1, ..., nrows are "
            "sorted and distinct along the last dimension values` is not satisfied."
        ),
    ),
    ((*CSR, (0, 3)), "crow_indices.shape[-1] must be equal to the number of rows + 1 (=1), but got 3"),
    (
        (CSR[0], [0, 2], CSR[2], (2, 3)),
        "col_indices.shape[-1] must be equal to nnz (=3) as defined by values.shape[0], but got 2",
    ),
    (
        (*CSR, (2,)),
        "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + 0) but got 1",
    ),
    ((0, *CSR[1:], (2, 3)), "crow_indices must have dimensionality >= 1 but got 0"),
    (
        ([CSR[0]], *CSR[1:], (2, 3)),
        "crow_indices and col_indices dimensionalities must be equal but got 2 and 1, respectively",
    ),
    (
        ([CSR[0]], [CSR[1]], [CSR[2]], (2, 2, 3)),
        (
            "all batch dimensions of crow_indices (=[1]), col_indices (=[1]), and values (=[1]) must be "
            "equal to tensor batch dimensions (=[2])"
        ),
    ),
    (
        (gn.tensor(CSR[0], dtype=gn.int32), *CSR[1:], (2, 3)),
        "crow_indices and col_indices must have the same dtype, bot got gnomon.int32 and gnomon.int64",
    ),
    (
        (gn.tensor([0.0, 3.0]), gn.tensor([0.0]), [1.0], (1, 1)),
        "crow_indices and col_indices dtype must be int32 or int64, but got",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), INVALID)
def test_invariants_are_checked_on_request(arguments, message):
    with pytest.raises(RuntimeError, match=re.escape(message)):
        gn.sparse_csr_tensor(*arguments, check_invariants=True)
    with gn.sparse.check_sparse_tensor_invariants(), pytest.raises(RuntimeError, match=re.escape(message)):
        gn.sparse_csr_tensor(*arguments)
    assert gn.sparse_csr_tensor(*arguments).layout is gn.sparse_csr  # not checked


def test_conversions_write_to_an_output():
    strided = gn.tensor([[0.0, 2.0], [3.0, 4.0]])
    out = gn.tensor([[1.0, 1.0], [1.0, 0.0]]).to_sparse_csr()
    assert gn.ops.aten._to_sparse_csr.out(strided, out=out) is out
    assert out.to_dense().tolist() == strided.tolist() and out.layout is gn.sparse_csr
    coordinates = strided.to_sparse()
    assert gn.ops.aten._to_sparse.out(strided * 2, out=coordinates) is coordinates
    assert coordinates.to_dense().tolist() == [[0, 4], [6, 8]]
    with pytest.raises(NotImplementedError, match=r"add\.out.*there is no kernel for this layout"):
        gn.add(strided, strided, out=out)


def test_conversions_refuse_starts_that_decrease():
    for make, name in ((gn.sparse_csr_tensor, "crow"), (gn.sparse_csc_tensor, "ccol")):
        x = make(gn.tensor([0, 2, 1]), gn.tensor([0, 1]), gn.tensor([1.0, 2.0]), (2, 2))
        with pytest.raises(RuntimeError, match=f"{name}_indices decrease"):
            x.to_dense()


def test_invariants_of_blocks_and_columns():
    check = gn.sparse.check_sparse_tensor_invariants
    for sizes, message in (
        ((5, 4), "tensor shape[0] (=5) must be divisible with blocksize[0] (=2) as defined by values shape"),
        ((6, 4), "crow_indices.shape[-1] must be equal to the number of row blocks + 1 (=4), but got 3"),
    ):
        with check(), pytest.raises(RuntimeError, match=re.escape(message)):
            gn.sparse_bsr_tensor([0, 1, 2], [0, 1], BLOCKS, sizes)
    with check(), pytest.raises(RuntimeError, match=r"`0 <= row_indices < nrows` is not satisfied"):
        gn.sparse_csc_tensor([0, 1, 2], [0, 3], [1.0, 2.0], (3, 2))
    assert not check.is_enabled()
    check.enable()
    assert check.is_enabled()
    with check(False):
        assert not check.is_enabled()
    check.disable()
    manager = check()
    with manager, pytest.raises(RuntimeError, match="already activated"), manager:
        pass
    assert not check.is_enabled()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: gn.sparse_compressed_tensor(*CSR), "tensor layout but got none"),
        (lambda x: gn.sparse_compressed_tensor(*CSR, layout=gn.sparse_coo), "layout but got Sparse"),
        (lambda x: gn.sparse_csr_tensor(*CSR, layout=gn.sparse_csc), "must be SparseCsr but got SparseCsc"),
        (
            lambda x: gn.sparse_bsr_tensor(*CSR),
            r"values must have dimensionality > sum of batch and block dimensionalities \(=0 \+ 2\)",
        ),
        (lambda x: x.stride(), "Sparse CSR tensors do not have strides"),
        (lambda x: x.t().is_contiguous(), "Sparse CSC tensors do not have is_contiguous"),
        (lambda x: x.tolist(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda x: x.ccol_indices(), "expected sparse column compressed tensor layout but got SparseCsr"),
        (lambda x: x.to_sparse().col_indices(), "sparse row compressed tensor layout but got Sparse"),
        (lambda x: gn.ones(2).crow_indices(), "sparse row compressed tensor layout but got Strided"),
        (lambda x: x.indices(), "indices expected sparse coordinate tensor layout but got SparseCsr"),
        (lambda x: x.coalesce(), "coalesce expected sparse coordinate tensor layout but got SparseCsr"),
        (
            lambda x: x.to_dense().to_sparse(layout=gn.sparse_bsr),
            "from Strided to SparseBsr without blocksize",
        ),
        (
            lambda x: x.to_sparse_bsr((2, 2)),
            r"tensor sparse size \(2,3\) must be divisible by given blocksize \(2,2\)",
        ),
        (lambda x: x.to_sparse_bsr((0, 1)), r"blocksize needs to be positive, but got \[0, 1\]"),
        (lambda x: x.to_sparse_csr(dense_dim=0), "SparseCsr to SparseCsr with dense_dim argument given"),
        (lambda x: gn.ones(2, 2).to_sparse_csr(dense_dim=1), r"must be in \[0,0\] range, but 1 is given"),
        (lambda x: x.to_sparse_bsr((1, 1)).to_sparse_csr(), "expected SparseCsr or SparseCsc layout but got"),
        (lambda x: x.to_sparse(1), "from SparseCsr to Sparse with sparse_dim argument !=2"),
        (
            lambda x: matrix().to_sparse_bsr(2).to_sparse_bsr(4),
            r"with blocksize changed from \[2, 2\] to \[4, 4\] is not supported",
        ),
        (lambda x: x.sum(0), "reduction operations on CSR tensors with keepdim=False is unsupported"),
        (
            lambda x: x.t().sum(0, keepdim=True),
            "supported for sum.dim_IntList is CSR, but got layout SparseCsc",
        ),
        (lambda x: x + 1, r"self has size \[\] while other has size \[2, 3\]"),
        (lambda x: x + gn.ones(3, 3), "does not currently support broadcasting"),
        (lambda x: x + x.t().to_sparse_csr(), "input tensors to have the same shape"),
        (lambda x: x * gn.ones(3), r"self has size \[3\] but mask has size \[2, 3\]"),
        (lambda x: x @ gn.ones(2, 2), r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x2\)"),
        (
            lambda x: x.copy_(gn.eye(3)[:2].to_sparse_csr()),
            "only sparse compressed tensors with the same number of specified elements",
        ),
        (lambda x: x.copy_(x.to_dense()), "self layout is SparseCsr and src layout is Strided"),
        (lambda x: gn.ones(4, 4).to_sparse_bsr(2)[0], "no view exists for the given input"),
        (
            lambda x: gn.stack([x.to_dense()] * 2).to_sparse_csr().select(1, 0),
            "selecting sparse dimensions is not supported for batched sparse compressed tensors",
        ),
        (lambda x: x.exp(), "'aten::exp' with arguments from the 'SparseCsrCPU' backend"),
        (lambda x: x.expand(2, 2, 3), "expand is unsupported for SparseCsr tensors"),
        (lambda x: gn.zeros(4, 4, layout=gn.sparse_bsr), "non-block.* tensor layout but got SparseBsr"),
        (lambda x: gn.empty(3, layout=gn.sparse_csr), r"tensors are supported, but got size \[3\]"),
        (lambda x: gn.sparse.sampled_addmm(x, gn.ones(2, 2), gn.ones(3, 3)), "cannot be multiplied"),
        (
            lambda x: gn.sparse.sampled_addmm(x.t(), gn.ones(2, 2), gn.ones(2, 3)),
            "sparse csr layout, but got",
        ),
    ],
)
def test_what_is_refused(x, call, message):
    with pytest.raises(RuntimeError, match=message):
        call(x)
    assert parts(x) == CSR  # nothing was written


def test_text(x):
    assert repr(x) == (
        "tensor(crow_indices=tensor([0, 2, 3]),\n"
        "       col_indices=tensor([0, 2, 2]),\n"
        "       values=tensor([1., 2., 3.]), size=(2, 3), nnz=3,\n"
        "       layout=gnomon.sparse_csr)"
    )
    made = gn.sparse_bsc_tensor([0, 1], [0], [[[1, 2]]], dtype=gn.float64, requires_grad=True)
    assert repr(made) == (
        "tensor(ccol_indices=tensor([0, 1]),\n"
        "       row_indices=tensor([0]),\n"
        "       values=tensor([[[1., 2.]]]), size=(1, 2), nnz=1, dtype=gnomon.float64,\n"
        "       layout=gnomon.sparse_bsc, requires_grad=True)"
    )
    assert "col_indices=tensor([], size=(0,))" in repr(gn.zeros(1, 2, layout=gn.sparse_csr))
    assert repr(x.to("meta")).endswith("device='meta', size=(2, 3),\n       layout=gnomon.sparse_csr)")


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_pointwise(layout):
    d = matrix()
    e = gn.arange(16.0).view(4, 4) * d.bool() - 3 * gn.eye(4)
    one, two = in_layout(d, layout), in_layout(e, layout)
    for result, expected in (
        (one.neg(), d.neg()),
        (one.sqrt(), d.sqrt()),
        (one * 2, d * 2),
        (2 * one, d * 2),
        (one * gn.tensor(2), d * 2),
        (one * two, d * e),
        (one * e, d * e),
        (e * one, d * e),
        (one + two, d + e),
        (gn.add(one, two, alpha=3), gn.add(d, e, alpha=3)),
        (one - two, d - e),
        (one * 2.5, d * 2.5),
    ):
        assert result.layout is layout and result.to_dense().tolist() == expected.tolist()
    for result in (one + e, e + one):
        assert result.layout is gn.strided and result.tolist() == (d + e).tolist()
    assert (e - one).tolist() == (e - d).tolist() and one.sum().item() == 15
    assert (one * 2).values().tolist() == (one.values() * 2).tolist()
    assert one.int().mul(0.5).dtype is gn.float32


def test_in_place(x):
    values, version = x.values(), x._version
    assert x.mul_(2) is x and x._version == version + 1
    assert parts(x) == (*CSR[:2], [2, 4, 6]) and values.tolist() == [2, 4, 6]  # it wrote to them
    x.add_(gn.tensor(OTHER).to_sparse_csr())
    assert parts(x) == ([0, 3, 5], [0, 1, 2, 0, 2], [2, 4, 6, 1, 6])
    out = gn.zeros(2, 3, layout=gn.sparse_csr)
    assert gn.neg(x, out=out) is out and out.values().tolist() == [-2, -4, -6, -1, -6]
    assert x.copy_(out) is x and x.values().tolist() == [-2, -4, -6, -1, -6]
    dense = gn.zeros(2, 3)
    assert dense.add_(x) is dense and dense.tolist() == [[-2, -4, -6], [-1, 0, -6]]
    assert parts(x.zero_()) == ([0, 0, 0], [], [])
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        gn.eye(2, dtype=gn.int64).to_sparse_csr().sin_()
    assert gn.empty_like(out)._nnz() == 5 and gn.zeros_like(out)._nnz() == 0
    assert gn.ones_like(out).values().tolist() == [1] * 5


def test_reductions(x):
    assert parts(x.sum(0, keepdim=True)) == ([0, 2], [0, 2], [1, 5])
    assert parts(x.sum(-1, keepdim=True)) == ([0, 1, 2], [0, 0], [3, 3])
    assert parts(x.sum((0, 1), keepdim=True)) == ([0, 1], [0], [6])
    assert x.int().sum(0, keepdim=True).dtype is gn.int64
    product = gn.ops.aten._sparse_csr_prod.dim_dtype
    assert parts(product(x, (0,), True, None)) == ([0, 2], [0, 2], [1, 6])
    assert parts(product(x, (1,), True, gn.float64)) == ([0, 1, 2], [0, 0], [2, 3])


def test_shapes(x):
    t = x.t()
    assert t.layout is gn.sparse_csc and t.shape == (3, 2) and parts(t) == parts(x) == CSR
    assert t.t().layout is gn.sparse_csr and x.transpose(0, 0).layout is gn.sparse_csr
    t.mul_(2)  # shares the values
    assert x.values().tolist() == [2, 4, 6]
    row = x[0]
    assert row.layout is gn.sparse_coo and row.to_dense().tolist() == [2, 0, 4] and x[0, 2].item() == 4
    assert t[0].to_dense().tolist() == x.select(1, 0).to_dense().tolist() == [2, 0]
    assert [each.to_dense().tolist() for each in x] == [[2, 0, 4], [0, 0, 6]]
    blocks = matrix().to_sparse_bsr(2)
    assert blocks.t().values()[0].tolist() == [[1, 0], [2, 3]]
    assert gn.select_copy(blocks, 0, 1).to_dense().tolist() == [0, 3, 0, 0]
    with pytest.raises(IndexError, match=r"select.*: index 2 out of range"):
        x.select(0, 2)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_products(layout):
    d, right, vector = matrix(), gn.arange(8.0).view(4, 2), gn.arange(4.0)
    a = in_layout(d, layout)
    expected = d @ right
    assert (a @ right).tolist() == gn.sparse.mm(a, right).tolist() == expected.tolist()
    assert (right.t() @ a).tolist() == gn.sparse.mm(right.t(), a).tolist() == (right.t() @ d).tolist()
    assert (a @ vector).tolist() == a.mv(vector).tolist() == (d @ vector).tolist()
    square = a @ a
    assert square.layout is gn.sparse_csr and square.to_dense().tolist() == (d @ d).tolist()
    added = gn.addmm(gn.ones(2), a, right, beta=2, alpha=3)
    assert added.tolist() == gn.sparse.addmm(gn.ones(4, 2), a, right, beta=2, alpha=3).tolist()
    assert added.tolist() == (2 + 3 * expected).tolist()
    assert gn.addmv(gn.ones(4), a, vector, alpha=2).tolist() == (1 + 2 * (d @ vector)).tolist()
    nothing = gn.full((4, 2), float("nan"))
    assert gn.addmm(nothing, a, right, beta=0).tolist() == expected.tolist()


@pytest.mark.parametrize("width", [1, 4, 7, 32, 71])
def test_products_of_wide_matrices(device, width):
    dense = gn.arange(3.0 * width, device=device).view(3, width)
    for index_dtype in (gn.int64, gn.int32):
        indices = [gn.tensor(each, dtype=index_dtype, device=device) for each in CSR[:2]]
        x = gn.sparse_csr_tensor(*indices, gn.tensor(CSR[2], device=device), (2, 3))
        expected = [[one + 2 * other, 3 * other] for one, other in zip(dense[0].tolist(), dense[2].tolist())]
        assert (x @ dense).t().tolist() == expected
        assert (x @ dense.t().contiguous().t()).t().tolist() == expected


def test_an_index_out_of_range_is_noticed(device):
    x = gn.sparse_csr_tensor([0, 1], [3], [1.0], (1, 3), device=device)
    with pytest.raises(RuntimeError, match=r"takes value 3 which is not in the valid range \[0, 3\)"):
        x @ gn.ones(3, 2, device=device)


def test_sampled_products(x):
    left, right = gn.tensor([[1.0, 2.0], [3.0, 4.0]]), gn.arange(6.0).view(2, 3)
    sampled = gn.sparse.sampled_addmm(x, left, right, beta=2, alpha=3)
    assert parts(sampled) == (*CSR[:2], [20.0, 40.0, 84.0])
    batch = gn.stack([gn.tensor(DENSE)] * 2).to_sparse_csr()
    found = gn.sparse.sampled_addmm(batch, gn.stack([left] * 2), gn.stack([right] * 2), beta=0)
    assert found.values().tolist() == [[6, 12, 26]] * 2
    for m, k, n in ((0, 0, 0), (0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 0, 3), (0, 3, 0), (2, 0, 0)):
        empty = gn.zeros(m, n).to_sparse_csr()
        found = gn.sparse.sampled_addmm(empty, gn.ones(m, k), gn.ones(k, n))
        assert found.shape == (m, n) and parts(found) == ([0] * (m + 1), [], [])
    some = gn.sparse.sampled_addmm(x, gn.ones(2, 0), gn.ones(0, 3), beta=2)  # sums of nothing
    assert parts(some) == (*CSR[:2], [2 * each for each in CSR[2]])
    with pytest.raises(RuntimeError, match=r"must match mat1\.shape"):
        gn.sparse.sampled_addmm(x, gn.ones(3, 2), right)
    with pytest.raises(NotImplementedError, match="'aten::sparse_sampled_addmm' with arguments"):
        gn.sparse.sampled_addmm(left, left, left)


def test_products_with_other_reductions(x):
    y = gn.sparse_csr_tensor([0, 2, 2, 3], [0, 2, 1], [1.0, 2.0, -1.0], (3, 3))
    right = gn.tensor([[1.0, -1.0], [2.0, 3.0], [4.0, -5.0]])
    expected = {
        "sum": [[9, -11], [0, 0], [-2, -3]],
        "mean": [[4.5, -5.5], [0, 0], [-2, -3]],
        "amax": [[8, -1], [0, 0], [-2, -3]],
        "amin": [[1, -10], [0, 0], [-2, -3]],
    }
    for reduce, numbers in expected.items():
        assert gn.sparse.mm(y, right, reduce).tolist() == numbers
    with pytest.raises(RuntimeError, match="reduce type of prod has not been enabled"):
        gn.sparse.mm(y, right, "prod")


def test_diagonals():
    rows, offsets = gn.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), gn.tensor([0, -1])
    made = gn.sparse.spdiags(rows, offsets, (3, 4))
    assert made.layout is gn.sparse_coo and made._values().tolist() == [1, 2, 3, 4, 5]
    assert made.to_dense().tolist() == [[1, 0, 0, 0], [4, 2, 0, 0], [0, 5, 3, 0]]
    compressed = gn.sparse.spdiags(rows, offsets, (3, 4), layout=gn.sparse_csr)
    assert parts(compressed) == ([0, 1, 3, 5], [0, 0, 1, 1, 2], [1, 4, 2, 5, 3])
    above = gn.sparse.spdiags(gn.tensor([1.0, 2.0, 3.0]), gn.tensor(1), (3, 4), layout=gn.sparse_csc)
    assert above.to_dense().tolist() == [[0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0]]
    empty = gn.zeros(2, 0, requires_grad=True)
    gn.sparse.spdiags(empty, offsets, (3, 4)).to_dense().sum().backward()
    assert empty.grad.shape == (2, 0)
    for arguments, message in (
        ((rows, gn.tensor([0]), (3, 4)), "Number of diagonals (2) does not match the number of offsets (1)"),
        ((rows, gn.tensor([0, 0]), (3, 4)), "Offset tensor contains duplicate values"),
        ((rows, offsets, (3,)), "Output shape must be 2d"),
        ((rows, offsets, (3, 4), gn.strided), "Only output layouts (Sparse, SparseCsc, SparseCsr) are"),
    ):
        with pytest.raises(RuntimeError, match=re.escape(message)):
            gn.sparse.spdiags(*arguments)


def test_masks(x):
    d = gn.arange(6.0).view(2, 3)
    assert parts(d.sparse_mask(x)) == (*CSR[:2], [0, 2, 5])
    y = gn.tensor(OTHER).to_sparse_csr()
    assert parts(x.sparse_mask(y)) == ([0, 1, 1], [2], [2])
    assert matrix().sparse_mask(gn.eye(4).to_sparse_bsr(2)).values()[0].tolist() == [[1, 2], [0, 3]]


def test_indices():
    compress = gn.ops.aten._convert_indices_from_coo_to_csr
    expand = gn.ops.aten._convert_indices_from_csr_to_coo
    assert compress(gn.tensor([0, 0, 2]), 4).tolist() == [0, 2, 2, 3, 3]
    assert compress(gn.tensor([0]), 1, out_int32=True).dtype is gn.int32
    with pytest.raises(NotImplementedError, match=r"^convert_indices_from_coo_to_csr: .* for dtype float32"):
        compress(gn.tensor([0.0]), 1)
    starts, columns = gn.tensor([[0, 2, 3], [0, 1, 3]]), gn.tensor([[0, 2, 2], [0, 1, 2]])
    assert expand(starts, columns).tolist() == [[0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 1, 1], [0, 2, 2, 0, 1, 2]]
    assert expand(starts[0], columns[0], transpose=True).tolist() == [[0, 2, 2], [0, 0, 1]]


def test_layouts_of_gradients(x):
    d = gn.arange(6.0).view(3, 2).requires_grad_()
    a = x.detach().requires_grad_()
    gn.sparse.mm(a, d).sum().backward()
    assert parts(a.grad) == (*CSR[:2], [1, 9, 9])  # at its own elements
    assert d.grad.tolist() == [[1, 1], [0, 0], [5, 5]]
    b = x.detach().requires_grad_()
    (b @ d).sum().backward()
    assert b.grad.layout is gn.strided and b.grad.tolist() == [[1, 5, 9], [1, 5, 9]]  # as PyTorch's mm
    c = x.detach().requires_grad_()
    for _ in range(2):  # accumulated
        (c.to_dense() * gn.arange(6.0).view(2, 3)).sum().backward()
    assert parts(c.grad) == (*CSR[:2], [0, 4, 10])
    whole = x.detach().requires_grad_()
    (whole.to_dense(masked_grad=False) * gn.arange(6.0).view(2, 3)).sum().backward()
    assert parts(whole.grad) == ([0, 2, 5], [1, 2, 0, 1, 2], [1, 2, 3, 4, 5])
    dense = gn.tensor(DENSE, requires_grad=True)
    (dense.to_sparse_csr().to_dense() ** 2).sum().backward()
    assert dense.grad.tolist() == [[2, 0, 4], [0, 0, 6]]
    coo = gn.tensor(DENSE).to_sparse().requires_grad_()
    coo.to_sparse_csc().values().sum().backward()
    assert coo.grad.layout is gn.sparse_coo and coo.grad.to_dense().tolist() == [[1, 0, 1], [0, 0, 1]]
    blocks = matrix().to_sparse_bsr(2).requires_grad_()
    blocks.to_sparse_bsc(2).values().sum().backward()
    assert blocks.grad.layout is gn.sparse_bsr and blocks.grad.values().tolist() == [[[1, 1], [1, 1]]] * 2


WEIGHTS = gn.arange(1.0, 7.0, dtype=gn.float64).view(3, 2)
SQUARE = gn.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=gn.float64)
FUNCTIONS = {
    "to_dense": lambda x: x.to_dense(),
    "values": lambda x: x.neg().values(),
    "mul": lambda x: (x * 3).to_dense(),
    "square": lambda x: (x * x).to_dense(),
    "sum": lambda x: x.sum(),
    "sum of a dimension": lambda x: x.sum(0, keepdim=True).to_dense(),
    "add": lambda x: (x + x * x).values(),
    "add to a strided tensor": lambda x: WEIGHTS.t() + x,
    "to_sparse_csc": lambda x: x.to_sparse_csc().values(),
    "to_sparse": lambda x: x.to_sparse().coalesce().values(),
    "transpose": lambda x: x.t().to_dense(),
    "mm": lambda x: x @ WEIGHTS,
    "mm of a strided matrix": lambda x: SQUARE @ x,
    "sparse.mm": lambda x: gn.sparse.mm(x, WEIGHTS),
    "mv": lambda x: x.mv(WEIGHTS[:, 0]),
    "mm of two": lambda x: (x @ x.t().to_sparse_csr()).to_dense(),
    "sampled_addmm": lambda x: gn.sparse.sampled_addmm(x, SQUARE, WEIGHTS.t(), beta=2).values(),
    "sparse_mask": lambda x: WEIGHTS.t().sparse_mask(x).values() * x.values(),
    "amax": lambda x: gn.sparse.mm(x, WEIGHTS, "amax"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_by_finite_differences(name):
    values = gn.tensor([3.0, 4.0, 5.0], dtype=gn.float64, requires_grad=True)

    def of_values(values):
        return FUNCTIONS[name](gn.sparse_csr_tensor(*CSR[:2], values, (2, 3)))

    assert gn.autograd.gradcheck(of_values, values)
    if name != "mm of two":  # it takes long
        assert gn.autograd.gradgradcheck(of_values, values)


def test_gradients_of_the_strided_matrices():
    x = gn.sparse_csr_tensor(*CSR, (2, 3), dtype=gn.float64)
    left, right = SQUARE.clone().requires_grad_(), WEIGHTS.t().clone().requires_grad_()

    def sampled(left, right):
        return gn.sparse.sampled_addmm(x, left, right, alpha=3).values()

    assert gn.autograd.gradcheck(sampled, (left, right))
    rows = gn.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=gn.float64, requires_grad=True)
    for offsets in ([0, 1], [-1, 2], [5, -7]):
        assert gn.autograd.gradcheck(
            lambda rows, offsets=offsets: gn.sparse.spdiags(rows, gn.tensor(offsets), (3, 4)).to_dense(), rows
        )


def test_backends_run_compressed_tensors():
    for device, backend in gn.backends().items():
        if device == "meta" or not backend.available:
            continue
        x = gn.sparse_csr_tensor(*CSR, (2, 3), device=device)
        assert (x @ gn.ones(3, 2, device=device)).tolist() == [[3, 3], [3, 3]]
        assert x.to_dense().tolist() == DENSE and x.to_sparse_csc().values().tolist() == [1, 2, 3]


# ---------------------------------------------------------------------------------------------------------
# Beside PyTorch.

CALLS = """d.to_sparse_csr()|d.to_sparse_csc()|m.to_sparse_bsr((2, 2))|m.to_sparse_bsc((2, 4))
    |x.to_sparse_csc()|x.to_sparse()|c.to_sparse()|b.to_sparse()|x.to_sparse_bsr((1, 3))|coo.to_sparse_csr()
    |coo.to_sparse_bsr((2, 1))|b.to_sparse_bsc((2, 2))|x.t()|b.t()|x.double()|x * y|x + y|x * d|x * 2|2 * x
    |T.add(x, y, alpha=2)|x + d|d + c|b + b|x.neg()|b.abs()|x.sin()|x.isnan()|x.sum(0, keepdim=True)
    |x.sum(1, keepdim=True)|x.int().sum((0, 1), keepdim=True)|x.sum()|b.sum()|x[0]|c[1]|x.select(1, 2)
    |s[1]|h.select(2, 0)|s.to_sparse()|h.to_sparse()|s.to_sparse_csc()|h.to_sparse_bsr((1, 1))|x @ w|c @ w
    |w.t() @ x.t()|b @ m|(x @ y.t()).to_dense()|x @ c.t()|c @ c.t()|x @ w[:, 0]
    |T.addmm(T.ones(2), x, w, beta=2, alpha=3)
    |T.sparse.mm(x, w)|T.sparse.mm(x, w, "mean")|T.sparse.sampled_addmm(x, T.ones(2, 2), w.t(), beta=2)
    |T.sparse.spdiags(w.t(), T.tensor([0, 2]), (3, 3), layout=T.sparse_csr)|d.sparse_mask(y)|x.sparse_mask(y)
    |m.sparse_mask(b)|coo.sparse_mask(y)|T.zeros_like(b)|T.zeros_like(s)|T.ones_like(x)|x.to_sparse_csr()
    |T.sparse_csr_tensor([0, 2], [0, 1], [1, 2])|T.sparse_bsc_tensor([0, 1], [0], T.ones(1, 2, 3))
    |T.zeros(2, 2, 3, layout=T.sparse_csc)|T.ones(0, 3).to_sparse_csr()|x.bool()|x.half()
    |T.sparse_csr_tensor([0, 1, 1], [0], [1.0], (2, 2), requires_grad=True)"""


def names_for(T) -> dict:
    d, e = T.tensor(DENSE), T.tensor(OTHER)
    m = T.block_diag(T.tensor([[1.0, 2.0], [0.0, 3.0]]), T.tensor([[0.0, 4.0], [5.0, 0.0]]))
    return {
        "T": T, "d": d, "m": m, "w": T.arange(6.0).reshape(3, 2), "coo": d.to_sparse(),
        "x": d.to_sparse_csr(), "y": e.to_sparse_csr(), "c": d.to_sparse_csc(), "b": m.to_sparse_bsr((2, 2)),
        "s": T.stack([d, d]).to_sparse_csr(), "h": T.stack([d, d], -1).to_sparse_csr(dense_dim=1),
    }  # fmt: skip


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_calls_give_what_pytorch_gives():
    torch = pytest.importorskip("torch")
    ours, theirs = names_for(gn), names_for(torch)
    for call in CALLS.split("|"):
        found, expected = repr(eval(call.strip(), ours)), repr(eval(call.strip(), theirs))
        assert found.replace("gnomon.", "torch.") == expected, call


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("arguments", [each for each, _ in INVALID if not isinstance(each[0], gn.Tensor)])
def test_errors_are_those_of_pytorch(arguments):
    torch = pytest.importorskip("torch")
    texts = []
    for library in (gn, torch):
        with pytest.raises(RuntimeError) as raised:
            library.sparse_csr_tensor(*arguments, check_invariants=True)
        texts.append(str(raised.value).removeprefix("sparse_csr_tensor: "))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["csr", "csc", "bsr", "bsc"])
@pytest.mark.parametrize("sizes", [(), (1,)])
def test_sizes_that_no_matrix_has(name: str, sizes: tuple[int, ...]) -> None:
    """Without the check of invariants a tensor may have them; what needs rows and columns then says so."""
    values = gn.ones(1, 2, 2) if name in ("bsr", "bsc") else gn.ones(1)
    made = getattr(gn, f"sparse_{name}_tensor")(gn.tensor([0, 1]), gn.tensor([0]), values, size=sizes)
    with pytest.raises(IndexError, match=r"tensor has no dimensions|Dimension out of range"):
        made.to_dense()
