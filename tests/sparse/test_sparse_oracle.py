"""Sparse tensors beside PyTorch's: each name of torch.sparse, and methods, on every layout.

Compared are the values, the dtype, the layout, the sizes, the indices and their dtype, the coalesced flag,
and the gradient with its layout.  gnomon may compute what PyTorch refuses; what both refuse is
refused with the same kind of error.
"""

import re
import warnings

import pytest

import gnomon as gn

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

COMPRESSED = ["sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]
LAYOUTS = [*COMPRESSED, "coalesced", "uncoalesced", "hybrid", "strided"]


def dense(lib, rows=4, columns=6, dtype="float64"):
    numbers = lib.arange(1.0, rows * columns + 1, dtype=getattr(lib, dtype)).reshape(rows, columns) % 7 - 3
    return numbers * ((lib.arange(rows * columns).reshape(rows, columns) * 5 % 11) < 5)


def compressed(lib, x, layout):
    return x.to_sparse(layout=getattr(lib, layout), blocksize=(2, 2) if layout[7] == "b" else None)


def tensor(lib, layout, rows=4, columns=6):
    if layout == "strided":
        return dense(lib, rows, columns)
    if layout == "coalesced":
        return dense(lib, rows, columns).to_sparse()
    if layout == "uncoalesced":
        indices = lib.tensor([[0, 2, 0, 1], [1, 3, 1, 0]])
        return lib.sparse_coo_tensor(indices, lib.arange(1.0, 5.0, dtype=lib.float64), (rows, columns))
    if layout == "hybrid":
        values = lib.arange(8.0, dtype=lib.float64).reshape(4, 2) + 1
        return lib.sparse_coo_tensor(lib.tensor([[0, 2, 0, 1]]), values, (rows, 2))
    return compressed(lib, dense(lib, rows, columns), layout)


def rounded(x):
    if isinstance(x, list):
        return [rounded(each) for each in x]
    if isinstance(x, complex):
        return [rounded(x.real), rounded(x.imag)]
    return "nan" if x != x else float(f"{x:.5g}") + 0.0 if isinstance(x, float) else x


def described(x, is_gradient=False):
    """``x`` as lists and names.  Whether a gradient counts as coalesced depends on who else refers to it."""
    if isinstance(x, (tuple, list)):
        return [described(each) for each in x]
    if not hasattr(x, "layout"):
        return x
    layout, dtype = (str(each).partition(".")[2] for each in (x.layout, x.dtype))
    x = x.detach()
    head = [layout, dtype, tuple(x.shape)]
    if layout == "strided":
        return [*head, x.stride() if x.numel() > 1 else (), rounded(x.tolist())]
    if layout == "sparse_coo":
        flag = None if is_gradient else x.is_coalesced()
        return [*head, flag, x._nnz(), x.sparse_dim(), x._indices().tolist(), rounded(x._values().tolist())]
    rows = layout in ("sparse_csr", "sparse_bsr")
    indices = (x.crow_indices(), x.col_indices()) if rows else (x.ccol_indices(), x.row_indices())
    parts = [[str(each.dtype).partition(".")[2], each.tolist()] for each in indices]
    return [*head, x._nnz(), *parts, rounded(x.values().tolist())]


def outcome(lib, function):
    try:
        return described(function(lib))
    except Exception as error:
        return error


def gradient(make, function):
    """A function that returns what ``function`` returns, and its gradient by the tensor ``make(lib)``."""

    def run(lib):
        x = make(lib).requires_grad_()
        y = function(lib, x)
        if y.layout is lib.strided:
            (y * (lib.arange(float(y.numel()), dtype=lib.float64).reshape(y.shape) + 1)).sum().backward()
        else:
            y.backward(y.detach().clone())
        return [described(y), described(x.grad, is_gradient=True)]

    return run


def differences(cases):
    """The names of the cases in which gnomon does not do as PyTorch does."""
    found = {}
    for name, function in cases.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine, theirs = outcome(gn, function), outcome(torch, function)
        if not isinstance(theirs, Exception):
            if mine != theirs:
                found[name] = (mine, theirs)
        elif isinstance(mine, Exception) and not is_kind(mine, theirs):
            found[name] = (mine, theirs)
    return found


def is_kind(mine, theirs):
    if re.search("INTERNAL ASSERT|^Could not run", str(theirs)):  # it has no kernel, or fails in one
        return True
    return type(theirs).__name__ in [each.__name__ for each in type(mine).__mro__]


def check(cases, known):
    """``known``: patterns of names -> why gnomon differs.  Each must be needed."""
    found = differences(cases)
    unknown = {name: pair for name, pair in found.items() if not any(re.search(each, name) for each in known)}
    assert not unknown, "\n".join(f"{name}: {mine!r:.150}\n  PyTorch: {theirs!r:.150}"
                                  for name, (mine, theirs) in unknown.items())  # fmt: skip
    assert [each for each in known if not any(re.search(each, name) for name in found)] == []


def test_names():
    # Two of four elements are for CUDA's sparse tensor cores.
    left_out = {"solve", "to_sparse_semi_structured"}
    names = {each for each in torch.sparse.__all__ if not each.startswith("SparseSemiStructured")} - left_out
    assert [each for each in sorted(names) if not hasattr(gn.sparse, each)] == []
    methods = [each for each in dir(torch.Tensor) if "sparse" in each and not each.startswith("_")]
    assert [each for each in methods if not hasattr(gn.Tensor, each)] == []


def test_sums():
    cases = {}
    for layout in LAYOUTS:

        def make(lib, layout=layout):
            return tensor(lib, layout)

        cases[f"{layout} sum"] = lambda lib, make=make: lib.sparse.sum(make(lib))
        cases[f"{layout} sum dtype"] = lambda lib, make=make: lib.sparse.sum(make(lib), dtype=lib.float32)
        cases[f"{layout} sum gradient"] = gradient(make, lambda lib, x: lib.sparse.sum(x))
        for dim in (0, 1, (0, 1), -1, (0, 0), 2, ()):
            name = f"{layout} {dim}"
            cases[f"sum {name}"] = lambda lib, make=make, dim=dim: lib.sparse.sum(make(lib), dim)
            cases[f"sum {name} dtype"] = lambda lib, make=make, dim=dim: lib.sparse.sum(
                make(lib), dim, dtype=lib.float32
            )
            cases[f"sum {name} gradient"] = gradient(make, lambda lib, x, dim=dim: lib.sparse.sum(x, dim))
            cases[f"Tensor.sum {name} gradient"] = gradient(make, lambda lib, x, dim=dim: x.sum(dim))
        for which in ("softmax", "log_softmax"):
            for dim in (0, 1, 2):
                name = f"{which} {layout} {dim}"
                cases[name] = lambda lib, make=make, which=which, dim=dim: getattr(lib.sparse, which)(
                    make(lib), dim
                )
                cases[f"{name} gradient"] = gradient(
                    make, lambda lib, x, which=which, dim=dim: getattr(lib.sparse, which)(x, dim)
                )
    no_kernel = "of a layout without a kernel, PyTorch checks the dimension first"
    check(cases, {r"^sum sparse_... 2|^Tensor.sum sparse_... 2": no_kernel})


def test_reductions_of_sparse_csr():
    cases = {}
    for layout in COMPRESSED:
        for which in ("sum", "prod"):
            for dim in ((0,), (1,), (0, 1), (-1,)):
                for keepdim in (True, False):

                    def run(lib, x, which=which, dim=dim, keepdim=keepdim):
                        operator = getattr(lib.ops.aten, f"_sparse_csr_{which}").dim_dtype
                        return operator(x, dim, keepdim)

                    name = f"{which} {layout} {dim} {keepdim}"
                    cases[name] = lambda lib, layout=layout, run=run: run(lib, tensor(lib, layout))
                    cases[f"{name} gradient"] = gradient(lambda lib, layout=layout: tensor(lib, layout), run)
                    cases[f"Tensor.{name}"] = (
                        lambda lib, layout=layout, which=which, dim=dim, keepdim=keepdim: getattr(
                            tensor(lib, layout), which
                        )(dim[0], keepdim=keepdim)
                    )
    check(cases, {})
    x = tensor(gn, "sparse_csr").requires_grad_()
    product = gn.ops.aten._sparse_csr_prod.dim_dtype(x, (0,), True)
    assert product.requires_grad
    with pytest.raises(RuntimeError, match="is not implemented"):
        product.to_dense().sum().backward()


def test_select():
    cases = {}
    for layout in LAYOUTS:

        def make(lib, layout=layout):
            return tensor(lib, layout)

        for dim, count in ((0, 4), (1, 6)):
            for index in (*range(count), -1, count):

                def select(lib, x, dim=dim, index=index):
                    return x.select(dim, index)

                def copy(lib, x, dim=dim, index=index):
                    return lib.select_copy(x, dim, index)

                name = f"{layout} {dim} {index}"
                cases[f"select {name}"] = lambda lib, make=make, select=select: select(lib, make(lib))
                cases[f"select_copy {name}"] = lambda lib, make=make, copy=copy: copy(lib, make(lib))
                cases[f"select {name} gradient"] = gradient(make, select)
                cases[f"select_copy {name} gradient"] = gradient(make, copy)
    check(cases, {})


def test_resizing():
    cases = {}
    sizes = ((4, 6), (6, 6), (8, 8), (4, 8), (2, 6), (4, 4), (2, 4), (4,), (-1, 4))
    for layout in LAYOUTS:
        for size in sizes:
            name = f"{layout} {size}"
            cases[f"resize_ {name}"] = lambda lib, layout=layout, size=size: tensor(lib, layout).resize_(size)
            for which in ("sparse_resize_", "sparse_resize_and_clear_"):
                cases[f"{which} {name}"] = lambda lib, layout=layout, size=size, which=which: getattr(
                    tensor(lib, layout), which
                )(size, 2, 0)
        for other in LAYOUTS:
            for size in ((4, 6), (2, 4)) if other not in ("uncoalesced", "hybrid") else ((4, 6), (6, 8)):
                for which in ("resize_as_", "resize_as_sparse_"):
                    name = f"{which} {layout} {other} {size}"
                    cases[name] = lambda lib, layout=layout, other=other, size=size, which=which: getattr(
                        tensor(lib, layout), which
                    )(tensor(lib, other, *size))
    undefined = "new elements are undefined"
    check(cases, {
        r"resize_(as_)? sparse_(csc|bsr|bsc)": "PyTorch makes a tensor with invalid indices",
        r"^resize_as_ strided \w+ \(6, 8": undefined,
        r"^resize_ strided \((6, 6|8, 8|4, 8)": undefined,
    })  # fmt: skip


def test_resized_batches():
    x = gn.stack([dense(gn), dense(gn)]).to_sparse_csr()
    assert x.resize_((2, 4, 7)).shape == (2, 4, 7) and x._nnz() == 9
    with pytest.raises(RuntimeError, match="matrices cannot be added to a batch"):
        x.resize_((3, 4, 7))
    with pytest.raises(RuntimeError, match="nor rows to those of a batch"):
        x.resize_((2, 5, 7))
    first = dense(gn)
    assert x.resize_((4, 7)).to_dense()[:, :6].tolist() == first.tolist()
    grown = gn.zeros(2, 4, dtype=gn.float64).to_sparse_csr().resize_as_sparse_(first.to_sparse_csr())
    assert grown.shape == (4, 6) and grown._nnz() == 9
    assert grown.col_indices().tolist() == first.to_sparse_csr().col_indices().tolist()


def with_dims(size, sparse_dim, dense_dim, indices, values):
    def run(lib):
        parts = lib.zeros(indices, dtype=lib.int64), lib.ones(values)
        return lib.ops.aten._sparse_coo_tensor_with_dims_and_tensors(
            sparse_dim, dense_dim, size, *parts, dtype=lib.float32, layout=lib.sparse_coo, device="cpu"
        )

    return run


def test_construction():
    cases = {}
    for size in ((4, 6), (4, 2), (1, 1), (4,)):
        for sparse_dim, dense_dim in ((2, 0), (1, 1), (0, 2)):
            cases[f"dims {size} {sparse_dim} {dense_dim}"] = (
                lambda lib, size=size, sparse_dim=sparse_dim, dense_dim=dense_dim: (
                    lib.ops.aten._sparse_coo_tensor_with_dims(
                        sparse_dim, dense_dim, size, layout=lib.sparse_coo, dtype=lib.float64
                    )
                )
            )
            for indices in ((2, 3), (1, 3), (3,)):
                for values in ((3,), (3, 2), (2,)):
                    name = f"{size} {sparse_dim} {dense_dim} {indices} {values}"
                    cases[name] = with_dims(size, sparse_dim, dense_dim, indices, values)
    check(cases, {})


def test_outputs():
    cases = {}
    for layout in LAYOUTS:

        def out(lib, layout=layout):
            return tensor(lib, layout)

        for own in COMPRESSED:
            blocks = ((2, 2),) if own[7] == "b" else ()
            cases[f"{own} {layout}"] = lambda lib, own=own, blocks=blocks, out=out: getattr(
                lib.ops.aten, f"_to_{own}"
            ).out(dense(lib), *blocks, out=out(lib))
        cases[f"to_sparse {layout}"] = lambda lib, out=out: lib.ops.aten._to_sparse.out(
            dense(lib), out=out(lib)
        )
        cases[f"to_sparse dim {layout}"] = lambda lib, out=out: lib.ops.aten._to_sparse.sparse_dim_out(
            dense(lib), 2, out=out(lib)
        )
        cases[f"sampled_addmm {layout}"] = lambda lib, out=out: lib.sparse.sampled_addmm(
            tensor(lib, "sparse_csr"), *(lib.ones(*each, dtype=lib.float64) for each in ((4, 2), (2, 6))),
            out=out(lib),
        )  # fmt: skip
        if layout in ("coalesced", "uncoalesced", "hybrid", "sparse_csr", "sparse_csc"):
            for sizes in ((4, 6), (7, 8)):
                cases[f"zeros {layout} {sizes}"] = lambda lib, out=out, sizes=sizes: lib.zeros(
                    sizes, out=out(lib)
                )
            cases[f"ones {layout}"] = lambda lib, out=out: lib.ones(4, 6, out=out(lib))
        if layout in ("coalesced", "uncoalesced"):
            cases[f"hspmm {layout}"] = lambda lib, out=out: lib.hspmm(
                dense(lib).to_sparse(), lib.ones(6, 6, dtype=lib.float64), out=out(lib)
            )
            cases[f"sspaddmm {layout}"] = lambda lib, out=out: lib.sspaddmm(
                dense(lib).to_sparse(),
                dense(lib, 4, 4).to_sparse(),
                lib.ones(4, 6, dtype=lib.float64),
                out=out(lib),
            )
    check(cases, {"^ones sparse_cs": "PyTorch fills the elements that are specified, others stay zeros"})


def test_products():
    cases = {}
    for layout in LAYOUTS:

        def make(lib, layout=layout):
            return tensor(lib, layout)

        for other in LAYOUTS:
            if other == "hybrid":
                continue

            def right(lib, other=other):
                x = dense(lib).t().contiguous()
                if other == "uncoalesced":
                    return tensor(lib, other).t()
                return x if other == "strided" else x.to_sparse() if other == "coalesced" else (
                    compressed(lib, x, other))  # fmt: skip

            name = f"{layout} {other}"
            for which in ("sparse.mm", "mm", "matmul"):

                def product(lib, x, y, which=which):
                    return lib.sparse.mm(x, y) if which == "sparse.mm" else getattr(lib, which)(x, y)

                cases[f"{which} {name}"] = lambda lib, make=make, right=right, product=product: product(
                    lib, make(lib), right(lib)
                )
            cases[f"sparse.mm {name} gradient"] = gradient(
                make, lambda lib, x, right=right: lib.sparse.mm(x, right(lib))
            )
            cases[f"sparse.mm {name} other gradient"] = gradient(
                right, lambda lib, x, make=make: lib.sparse.mm(make(lib), x)
            )

            def sum_of(lib, mat, x, y):
                return lib.sparse.addmm(mat, x, y, beta=2.0, alpha=3.0)

            def ones(lib):
                return lib.ones(4, 4, dtype=lib.float64)

            cases[f"addmm {name}"] = lambda lib, make=make, right=right: sum_of(
                lib, ones(lib), make(lib), right(lib)
            )
            cases[f"addmm {name} gradient"] = gradient(
                make, lambda lib, x, right=right: sum_of(lib, ones(lib), x, right(lib))
            )
            cases[f"addmm {name} gradient of the sum"] = gradient(
                ones, lambda lib, x, make=make, right=right: sum_of(lib, x, make(lib), right(lib))
            )
        for reduce in ("sum", "mean", "amax", "amin", "prod"):

            def reduced(lib, x, reduce=reduce):
                return lib.sparse.mm(x, lib.arange(12.0, dtype=lib.float64).reshape(6, 2), reduce)

            cases[f"mm {layout} {reduce}"] = lambda lib, make=make, reduced=reduced: reduced(lib, make(lib))
            cases[f"mm {layout} {reduce} gradient"] = gradient(make, reduced)
        for beta, alpha in ((1.0, 1.0), (0.0, 1.0), (2.0, 3.0)):

            def sampled(lib, x, beta=beta, alpha=alpha):
                pair = lib.ones(4, 2, dtype=lib.float64), lib.arange(12.0, dtype=lib.float64).reshape(2, 6)
                return lib.sparse.sampled_addmm(x, *pair, beta=beta, alpha=alpha)

            cases[f"sampled_addmm {layout} {beta}"] = lambda lib, make=make, sampled=sampled: sampled(
                lib, make(lib)
            )
            cases[f"sampled_addmm {layout} {beta} gradient"] = gradient(make, sampled)
        cases[f"mv {layout}"] = gradient(make, lambda lib, x: lib.mv(x, lib.arange(6.0, dtype=lib.float64)))
        cases[f"smm {layout}"] = lambda lib, make=make: lib.smm(make(lib), lib.ones(6, 2, dtype=lib.float64))
        cases[f"hspmm {layout}"] = lambda lib, make=make: lib.hspmm(
            make(lib), lib.ones(6, 2, dtype=lib.float64)
        )
    check(cases, {
        r"mm sparse_cs[rc] sparse_cs[rc]|matmul sparse_cs[rc] sparse_cs[rc]": "MKL does not sort the columns",
        r"^sparse.mm (un)?coalesced (un)?coalesced (other )?gradient": "it has the product's elements",
    })  # fmt: skip


def test_masks_and_products_of_elements():
    cases = {}
    for layout in LAYOUTS:

        def make(lib, layout=layout):
            return tensor(lib, layout)

        for other in LAYOUTS:
            for which in ("mul", "sparse_mask", "_sparse_mask_projection"):

                def run(lib, x, other=other, which=which):
                    return getattr(x, which)(tensor(lib, other))

                name = f"{which} {layout} {other}"
                cases[name] = lambda lib, make=make, run=run: run(lib, make(lib))
                if which != "_sparse_mask_projection":
                    cases[f"{name} gradient"] = gradient(make, run)
    check(cases, {
        "^mul sparse_bs. sparse_csr|^mul sparse_csr sparse_bs.": "PyTorch loses the blocks",
        "^sparse_mask (uncoalesced uncoalesced|hybrid hybrid) gradient": "PyTorch masks it once more",
    })  # fmt: skip


def random_coo(lib, seed, coalesce):
    generator = torch.Generator().manual_seed(seed)
    count = int(torch.randint(0, 10, (), generator=generator))
    rows, columns = (torch.randint(0, size, (count,), generator=generator).tolist() for size in (3, 4))
    indices = lib.tensor([rows, columns], dtype=lib.int64)
    x = lib.sparse_coo_tensor(indices, lib.arange(1.0, count + 1.0), (3, 4))
    return x.coalesce() if coalesce else x


def test_products_of_repeated_elements():
    cases = {}
    for seed in range(60):
        for one in (True, False):
            for other in (True, False):
                cases[f"{seed} {one} {other}"] = lambda lib, seed=seed, one=one, other=other: (
                    random_coo(lib, seed, one) * random_coo(lib, seed + 1000, other)
                )
    check(cases, {})


def test_conversions():
    cases = {}
    for layout in LAYOUTS:

        def make(lib, layout=layout):
            return tensor(lib, layout)

        for own in (*COMPRESSED, "sparse_coo"):
            for blocks in (None, (2, 2), (2, 3), (3, 2), (1, 1)):
                for dim in (None, 0):

                    def convert(lib, x, own=own, blocks=blocks, dim=dim):
                        return x.to_sparse(layout=getattr(lib, own), blocksize=blocks, dense_dim=dim)

                    name = f"to_sparse {layout} {own} {blocks} {dim}"
                    cases[name] = lambda lib, make=make, convert=convert: convert(lib, make(lib))
                    cases[f"{name} gradient"] = gradient(make, convert)
                    if own == "sparse_coo":
                        continue
                    given = (blocks, dim) if own[7] == "b" else (dim,)
                    cases[f"to_{name} method"] = lambda lib, make=make, own=own, given=given: getattr(
                        make(lib), f"to_{own}"
                    )(*given)
        for masked in (None, True, False):
            cases[f"to_dense {layout} {masked}"] = gradient(
                make, lambda lib, x, masked=masked: x.to_dense(masked_grad=masked)
            )
    check(cases, {})


METHODS = """
    coalesce is_coalesced indices values _indices _values _nnz sparse_dim dense_dim crow_indices
    col_indices ccol_indices row_indices t detach clone is_sparse is_sparse_csr abs neg sqrt relu
    sin isnan to_dense numel any all norm sum size conj isinf sgn is_pinned zero_ nan_to_num floor
    double float int half tanh log1p expm1 erf signbit trunc square angle positive unbind stride
    is_contiguous requires_grad_ is_complex is_floating_point element_size
""".split()


def test_methods():
    cases = {}
    for layout in LAYOUTS:

        def make(lib, layout=layout):
            return tensor(lib, layout)

        for name in METHODS:

            def run(lib, x, name=name):
                found = getattr(x, name)
                return found() if callable(found) else found

            cases[f"{name} {layout}"] = lambda lib, make=make, run=run: run(lib, make(lib))
            if layout != "uncoalesced" and name in (
                "abs",
                "neg",
                "relu",
                "sin",
                "clone",
                "t",
                "values",
                "tanh",
            ):
                cases[f"{name} {layout} gradient"] = gradient(make, run)
        for name in ("zeros_like", "ones_like"):
            cases[f"{name} {layout}"] = lambda lib, make=make, name=name: getattr(lib, name)(make(lib))
        cases[f"full_like {layout}"] = lambda lib, make=make: lib.full_like(make(lib), 2.5)
        cases[f"normal_ {layout}"] = lambda lib, make=make: make(lib).normal_(3.0, 0.0)
        cases[f"index_select {layout}"] = gradient(make, lambda lib, x: x.index_select(0, lib.tensor([1, 0])))
        cases[f"cat {layout}"] = lambda lib, make=make: lib.cat([make(lib), make(lib)], 0)
        cases[f"stack {layout}"] = lambda lib, make=make: lib.stack([make(lib), make(lib)])
        cases[f"div {layout}"] = gradient(make, lambda lib, x: x / 2)
    check(cases, {})


def test_spdiags():
    cases = {}
    for sizes, offsets in (
        ((3, 4), [0, 1, -1]),
        ((1, 4), [2]),
        ((4,), 0),
        ((2, 4), [0, 0]),
        ((2, 4), [0, 1, 2]),
    ):
        for layout in (None, "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "strided"):

            def run(lib, sizes=sizes, offsets=offsets, layout=layout):
                rows = lib.arange(1.0, 13.0, dtype=lib.float64)[: sizes[0] * (*sizes, 1)[1]].reshape(sizes)
                return lib.sparse.spdiags(rows, lib.tensor(offsets), (4, 5), layout and getattr(lib, layout))

            cases[f"{sizes} {offsets} {layout}"] = run
    check(cases, {})


def triangular(lib, layout, dtype, upper):
    ones = lib.ones(4, 4, dtype=lib.float64)
    x = lib.arange(1.0, 17.0, dtype=lib.float64).reshape(4, 4) * (ones.triu() if upper else ones.tril())
    x = x.to(getattr(lib, dtype))
    return x.to_sparse() if layout == "sparse_coo" else compressed(lib, x, layout)


def test_triangular_systems():
    cases = {}
    for layout in ("sparse_csr", "sparse_csc", "sparse_bsr"):
        for dtype in ("float64", "float32", "complex64", "int64"):
            for flags in (
                (True, False, False),
                (False, False, False),
                (True, True, False),
                (False, True, True),
            ):
                for columns in (3, 1):

                    def solve(lib, layout=layout, dtype=dtype, flags=flags, columns=columns):
                        b = (lib.arange(4.0 * columns).reshape(4, columns) + 1).to(getattr(lib, dtype))
                        upper, transpose, unitriangular = flags
                        matrix = triangular(lib, layout, dtype, upper)
                        return lib.triangular_solve(
                            b, matrix, upper=upper, transpose=transpose, unitriangular=unitriangular
                        )

                    if layout == "sparse_csr" or flags[1:] == (False, False):
                        cases[f"{layout} {dtype} {flags} {columns}"] = solve

    def matrix(lib):
        return triangular(lib, "sparse_csr", "float64", False)

    def solution(lib, b, A):
        return lib.triangular_solve(b, A, upper=False)[0]

    def ones(lib, *sizes):
        return lib.ones(*sizes, dtype=lib.float64)

    cases["gradient of the matrix"] = gradient(matrix, lambda lib, A: solution(lib, ones(lib, 4, 2), A))
    cases["the other triangle is not read"] = lambda lib: solution(
        lib, ones(lib, 4, 2), (dense(lib, 4, 4) + 9 * lib.eye(4, dtype=lib.float64)).to_sparse_csr()
    )
    cases["without elements"] = lambda lib: solution(
        lib, ones(lib, 4, 2), (dense(lib, 4, 4) * 0).to_sparse_csr()
    )
    cases["sizes"] = lambda lib: solution(lib, ones(lib, 3, 2), matrix(lib))
    cases["dtypes"] = lambda lib: solution(lib, lib.ones(4, 2), matrix(lib))
    cases["vector"] = lambda lib: solution(lib, ones(lib, 4), matrix(lib))
    cases["out"] = lambda lib: lib.triangular_solve(
        ones(lib, 4, 2), matrix(lib), upper=False, out=(ones(lib, 4, 2), ones(lib, 0))
    )
    refused = {
        "spsolve": lambda lib, A: lib.sparse.spsolve(A, ones(lib, 4)),
        "solve": lambda lib, A: lib.linalg.solve(A, ones(lib, 4)),
        "solve_triangular": lambda lib, A: lib.linalg.solve_triangular(A, ones(lib, 4, 1), upper=False),
    }
    for name, function in refused.items():
        cases[name] = lambda lib, function=function: function(lib, matrix(lib))
    check(cases, {})


def test_gradient_of_the_right_hand_side():
    """PyTorch fails unless the matrix needs a gradient, too."""
    b = gn.ones(4, 2, dtype=gn.float64, requires_grad=True)
    A = triangular(gn, "sparse_csr", "float64", False)
    gn.triangular_solve(b, A, upper=False)[0].sum().backward()
    expected = gn.linalg.solve_triangular(A.to_dense().mT, gn.ones(4, 2, dtype=gn.float64), upper=True)
    assert (b.grad - expected).abs().max() < 1e-12


def test_invariants():
    for lib in (gn, torch):
        checks = lib.sparse.check_sparse_tensor_invariants
        before = checks.is_enabled()
        with checks():
            assert checks.is_enabled()
            with pytest.raises(RuntimeError, match="is not satisfied"):
                lib.sparse_csr_tensor(lib.tensor([0, 1, 2]), lib.tensor([0, 5]), lib.ones(2), (2, 2))
        assert checks.is_enabled() is before
        same = checks(False)
        with same:
            lib.sparse_csr_tensor(lib.tensor([0, 1, 2]), lib.tensor([0, 5]), lib.ones(2), (2, 2))
            with pytest.raises(RuntimeError, match="already activated"):
                same.__enter__()
        assert checks(True)(checks.is_enabled)() and not checks(False)(checks.is_enabled)()
