"""Functions on sparse tensors that were missing in one layout or another, beside PyTorch."""

import pytest

import gnomon as gn

try:
    import torch
except ImportError:
    torch = None

pytestmark = pytest.mark.filterwarnings("ignore")

LIBRARIES = [gn] if torch is None else [torch, gn]
COMPRESSED = ["sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]
LAYOUTS = ["sparse_coo", *COMPRESSED]
ROWS = [[0.0, 1, 2, 0], [3, 0, 0, 4]]


def both(run):
    """The result of gnomon, which is PyTorch's."""
    found = [run(lib) for lib in LIBRARIES]
    assert found[0] == found[-1]
    return found[-1]


def made(lib, layout, rows=ROWS, dtype="float32"):
    blocksize = (1, 2) if layout[7] == "b" else None
    return lib.tensor(rows, dtype=getattr(lib, dtype)).to_sparse(
        layout=getattr(lib, layout), blocksize=blocksize
    )


# -- comparisons ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_equal_tensors_are_close(layout):
    def run(lib):
        one, other = made(lib, layout), made(lib, layout)
        lib.testing.assert_close(one, other)
        lib.testing.assert_close(one, other * (1 + 1e-7))
        lib.testing.assert_close(one, one.to_dense(), check_layout=False)
        errors = []
        for actual, expected in (
            (one, other * 2),
            (one, made(lib, layout, [[0.0, 1, 2, 0], [3, 0, 5, 4]])),
            (one, made(lib, layout, [[1.0, 0, 2, 0], [3, 0, 0, 4]])),
            (one, one.to_dense()),
        ):
            with pytest.raises(AssertionError) as caught:
                lib.testing.assert_close(actual, expected)
            errors.append(type(caught.value))
        return len(errors)

    assert both(run) == 4


def test_texts_of_differences():
    one = made(gn, "sparse_csr")
    with pytest.raises(
        AssertionError, match="The number of specified values in sparse CSR tensors does not match: 4"
    ):
        gn.testing.assert_close(one, made(gn, "sparse_csr", [[0.0, 1, 2, 0], [3, 0, 5, 4]]))
    with pytest.raises(
        AssertionError, match="The number of sparse dimensions in sparse COO tensors does not"
    ):
        gn.testing.assert_close(gn.eye(2).to_sparse(), gn.eye(2).to_sparse(1))
    with pytest.raises(ValueError, match=r"Unsupported tensor layout gnomon\._mkldnn"):
        gn.testing.assert_close(gn.ones(2).to_mkldnn(), gn.ones(2).to_mkldnn())


# -- vmap ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc"])
def test_vmap_of_products_with_a_shared_matrix(layout):
    matrix = made(gn, layout)
    dense = matrix.to_dense()
    vectors, matrices = gn.arange(12.0).reshape(3, 4), gn.arange(24.0).reshape(3, 4, 2)
    rows = gn.arange(12.0).reshape(3, 2, 2)
    vmap, grad = gn.func.vmap, gn.func.grad
    assert vmap(lambda v: matrix @ v)(vectors).equal(vmap(lambda v: dense @ v)(vectors))
    assert vmap(lambda v: gn.mm(matrix, v))(matrices).equal(vmap(lambda v: dense @ v)(matrices))
    assert vmap(lambda v: matrix @ v, 2, 1)(matrices.movedim(0, 2)).equal(
        vmap(lambda v: dense @ v, 2, 1)(matrices.movedim(0, 2))
    )
    assert vmap(lambda v: v @ matrix)(rows).equal(vmap(lambda v: v @ dense)(rows))
    found = vmap(grad(lambda v: ((matrix @ v) ** 2).sum()))(vectors)
    assert found.equal(vmap(grad(lambda v: ((dense @ v) ** 2).sum()))(vectors))
    if torch is not None:
        theirs = torch.tensor(ROWS).to_sparse(layout=getattr(torch, layout))
        of_torch = torch.func.vmap(lambda v: theirs @ v)(torch.arange(12.0).reshape(3, 4))
        assert vmap(lambda v: matrix @ v)(vectors).tolist() == of_torch.tolist()


# -- tensors like others -------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_numbers_like_a_tensor(layout):
    def run(lib):
        x = made(lib, layout)
        try:
            y = lib.randn_like(x)
        except NotImplementedError:
            return "refused"
        return str(y.layout).partition(".")[2], tuple(y.shape), y._nnz()

    assert both(run) == ("refused" if layout == "sparse_coo" else (layout, (2, 4), 4))
    with pytest.raises(NotImplementedError):
        gn.rand_like(made(gn, layout))
    if layout != "sparse_coo":
        generator = gn.Generator().manual_seed(3)
        one = gn.ops.aten.randn_like.generator(made(gn, layout), generator=generator).values()
        generator.manual_seed(3)
        assert one.equal(gn.randn(one.shape, generator=generator)) and one.std() > 0
    zeros = gn.zeros_like(made(gn, layout), layout=gn.sparse_coo)
    assert zeros.layout is gn.sparse_coo and zeros.shape == (2, 4) and zeros._nnz() == 0


@pytest.mark.parametrize("layout", COMPRESSED)
@pytest.mark.parametrize("sizes", [(2, 4), (4, 4), (2, 8), (4, 8)])
def test_resized_tensors_keep_their_elements(layout, sizes):
    x = made(gn, layout)
    assert x.resize_(sizes) is x and x.shape == sizes and x.layout is getattr(gn, layout)
    expected = gn.zeros(sizes)
    expected[:2, :4] = gn.tensor(ROWS)
    assert x.to_dense().equal(expected)
    with gn.sparse.check_sparse_tensor_invariants():
        x.clone()


def test_resized_tensors_that_would_be_invalid():
    for layout, sizes, message in (
        ("sparse_csr", (2, 2), "Resizing columns of sparse CSR tensors to a smaller value"),
        ("sparse_csc", (1, 4), "Resizing rows of sparse CSC tensors to a smaller value"),
        ("sparse_bsr", (2, 5), "blocksize"),
        ("sparse_bsc", (4,), "Only batched sparse BSC matrices"),
    ):
        x = made(gn, layout)
        with pytest.raises(RuntimeError, match=message):
            x.resize_(sizes)
        assert x.to_dense().tolist() == ROWS
    assert made(gn, "sparse_csc").resize_(2, 2).shape == (2, 2)


# -- names ---------------------------------------------------------------------------------------------------


def test_older_names_of_products():
    def run(lib):
        x, y = made(lib, "sparse_coo"), lib.arange(8.0).reshape(4, 2)
        hybrid, total = lib.hsmm(x, y), lib.saddmm(lib.eye(2).to_sparse(), x, y, beta=2, alpha=3)
        return [
            lib.spmm(x, y).tolist(),
            lib.spmm(x.to_sparse_csr(), y).tolist(),
            lib.dsmm(x, y).tolist(),
            (hybrid.dense_dim(), hybrid.to_dense().tolist()),
            (total._nnz(), total.to_dense().tolist()),
            lib.put(lib.zeros(3), lib.tensor([1]), lib.ones(1)).tolist(),
        ]

    both(run)
    x, y = made(gn, "sparse_coo"), gn.ones(4, 1)
    out = gn.empty(2, 1)
    assert gn.spmm(x, y, out=out) is out and out.tolist() == [[3], [7]]


@pytest.mark.parametrize(
    "name", ["values", "indices", "crow_indices", "col_indices", "ccol_indices", "row_indices"]
)
@pytest.mark.parametrize("layout", [*LAYOUTS, "strided"])
def test_copies_of_parts(name, layout):
    def run(lib):
        x = lib.tensor(ROWS) if layout == "strided" else made(lib, layout)
        try:
            return getattr(lib, f"{name}_copy")(x).tolist()
        except RuntimeError as error:
            return type(error)

    both(run)
    if layout == "sparse_csr" and name == "values":
        x = made(gn, layout)
        gn.values_copy(x).zero_()
        assert x.values().tolist() == [1, 2, 3, 4]


# -- sums and products of matrices ---------------------------------------------------------------------------


def pattern(lib, rows, columns, step, dtype="float64"):
    numbers = lib.arange(rows * columns) * step % 7
    return (numbers.reshape(rows, columns) * (numbers.reshape(rows, columns) < 3)).to(getattr(lib, dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "complex128"])
@pytest.mark.parametrize("which", ["c", "reference"])
@pytest.mark.parametrize(("rows", "inner", "columns"), [(3, 4, 5), (1, 6, 130), (260, 5, 3), (2, 3, 0)])
def test_products_of_sparse_matrices(dtype, which, rows, inner, columns):
    if which == "c":
        pytest.importorskip("gnomon_c")
    with gn.device(which):
        one, other = pattern(gn, rows, inner, 3, dtype), pattern(gn, inner, columns, 5, dtype)
        expected = (one.double() @ other.double()).to(one.dtype) if dtype == "float16" else one @ other
        for first, second in (
            (one.to_sparse(), other.to_sparse()),
            (one.to_sparse_csr(), other.to_sparse_csr()),
            (one.to_sparse_csr(), other.to_sparse_csc()),
        ):
            product = first @ second
            assert product.layout is first.layout and product.to_dense().equal(expected)
        if columns:
            csr = one.to_sparse_csr() @ other.to_sparse_csr()
            assert all(
                row == sorted(set(row))
                for begin, end in zip(csr.crow_indices()[:-1].tolist(), csr.crow_indices()[1:].tolist())
                for row in [csr.col_indices()[begin:end].tolist()]
            )


@pytest.mark.parametrize("which", ["c", "reference"])
@pytest.mark.parametrize("layout", COMPRESSED)
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_sums_of_compressed_matrices(which, layout, index_dtype):
    if which == "c":
        pytest.importorskip("gnomon_c")
    with gn.device(which):
        dense = [pattern(gn, 6, 8, step) for step in (3, 5)]
        parts = []
        for x in dense:
            x = x.to_sparse(layout=getattr(gn, layout), blocksize=(2, 2) if layout[7] == "b" else None)
            names = (
                ("crow_indices", "col_indices")
                if layout in ("sparse_csr", "sparse_bsr")
                else ("ccol_indices", "row_indices")
            )
            indices = [getattr(x, name)().to(getattr(gn, index_dtype)) for name in names]
            parts.append(gn.sparse_compressed_tensor(*indices, x.values(), x.shape, layout=x.layout))
        total = gn.add(parts[0], parts[1], alpha=3)
        assert total.to_dense().equal(dense[0] + 3 * dense[1]) and total.layout is getattr(gn, layout)
        assert (parts[0] - parts[1]).to_dense().equal(dense[0] - dense[1])
        assert (parts[0] + parts[0]).to_dense().equal(2 * dense[0])
        assert (dense[1] + parts[0]).equal(dense[0] + dense[1])
        assert total.values().shape[0] <= parts[0]._nnz() + parts[1]._nnz()


@pytest.mark.parametrize("which", ["c", "reference"])
def test_invalid_indices_of_kernels(which):
    if which == "c":
        pytest.importorskip("gnomon_c")
    aten = gn.ops.aten
    with gn.device(which):
        ones = gn.ones(2)
        for crow, col, message in (([0, 3, 2], [0, 1], "do not decrease"), ([1, 1, 2], [0, 1], "from 0 to 2"),
                                   ([0, 1, 1], [0, 1], "from 0 to 2")):  # fmt: skip
            crow, col = gn.tensor(crow), gn.tensor(col)
            sound = gn.tensor([0, 1, 2]), gn.tensor([0, 1])
            with pytest.raises(RuntimeError, match=message):
                aten._csr_rows(crow, col)
            for pair in (((crow, col), sound), (sound, (crow, col))):
                with pytest.raises(RuntimeError, match=message):
                    aten._csr_merge(*pair[0], *pair[1])
                with pytest.raises(RuntimeError, match=message):
                    aten._csr_csr_starts(*pair[0], *pair[1], 2)
        outside = gn.tensor([0, 1, 2]), gn.tensor([0, 2])
        for pair in ((outside, sound), (sound, outside)):
            with pytest.raises(RuntimeError, match=r"which is not in the valid range \[0, 2\)"):
                aten._csr_csr_starts(*pair[0], *pair[1], 2)
            with pytest.raises(RuntimeError, match=r"which is not in the valid range \[0, 2\)"):
                aten._csr_csr_mm(ones, *pair[0], ones, *pair[1], gn.tensor([0, 1, 2]), 2, 2)
        for starts in ([0, 0, 2], [0, 2, 2], [0, 5, 9], [-1, 0, 1]):
            with pytest.raises(RuntimeError, match="expected the starts of the product"):
                aten._csr_csr_mm(ones, *sound, ones, *sound, gn.tensor(starts), 2, 2)


# -- in-place indexing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["c", "reference"])
@pytest.mark.parametrize(
    "name", ["index_add_", "index_copy_", "scatter_", "scatter_add_", "put_", "index_put_"]
)
def test_in_place_indexing_changes_nothing_if_it_raises(which, name):
    if which == "c":
        pytest.importorskip("gnomon_c")
    with gn.device(which):
        for base in (gn.arange(6.0), gn.arange(12.0)[::2]):
            x, address, before = (
                base.clone() if base.is_contiguous() else base,
                base.data_ptr(),
                base.tolist(),
            )
            values = gn.tensor([10.0, 20.0, 30.0])

            def call(index, x=x, values=values):
                if name == "put_":
                    return x.put_(index, values)
                if name == "index_put_":
                    return x.index_put_((index,), values)
                return getattr(x, name)(0, index, values)

            with pytest.raises((IndexError, RuntimeError)):
                call(gn.tensor([1, 0, 9]))
            assert x.tolist() == before
            place = x.data_ptr()
            assert call(gn.tensor([1, 0, 4])) is x and x.data_ptr() == place and address
            added = "add" in name
            expected = list(before)
            for index, value in zip((1, 0, 4), (10, 20, 30)):
                expected[index] = value + (expected[index] if added else 0)
            assert x.tolist() == expected
