"""mm, bmm, addmm, baddbmm and dot, by cuBLAS or csrc/cuda/matmul.cu.

Every product is expressed as ``out = alpha left right + beta self`` for a batch of matrices.  Vectors are
matrices of one row or column; a matrix times a column is computed as a row times its transpose, which only
exchanges strides.

Floats use cuBLAS if it is available, except for products with a single row or column: these use each matrix
element once, and gnomon's kernels are as fast.  ``gnomon_cuda.matmul.allow_tf32 = True`` lets cuBLAS round
float32 factors to 10 bits, for speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gnomon.memory.prepared import OK
from gnomon.values.scalar import scalar_forms

from . import rearrange
from .blas import DTYPES as DTYPES_OF_BLAS
from .blas import LARGEST, Blas, Factor
from .direct import Direct, Work, tables
from .launcher import THREADS
from .programs import Program
from .tables import DTYPES

allow_tf32 = False  # like torch.backends.cuda.matmul.allow_tf32

TEXT = "matmul.cu"
STRUCTURES = """
typedef struct { uintptr_t at; int64_t batch; int64_t row; int64_t column; } gn_matrix;
typedef struct {
    int64_t batches; int64_t m; int64_t n; int64_t k; int64_t parts; int64_t length;
    gn_matrix out; gn_matrix self; gn_matrix left; gn_matrix right;
} gn_product;
"""
STEP = 16  # lengths of parts are multiples of it
SMALL_TILE, LARGE_TILE = 64, 128  # sides of tiles
PART = 256  # the least length of a part of k
ROW_PART = 4096  # the same if ``left`` is a row
BLOCKS = 2  # blocks per multiprocessor for which a product is split
MOST_PARTS = 512
FEW_OUTPUTS = 1024  # up to here a warp sums the parts of each output
COLUMNS = 32  # per block of product_columns
VECTOR_BYTES = 16
_WIDE = ("float64", "int64", "complex64", "complex128")
_VECTOR_KERNELS = [
    *(f"product_rows<{threads}>" for threads in (32, 256)),
    "product_columns<0>",
    *(f"product_end<{threads}>" for threads in (1, 32)),
]


def kernels_for(dtype: str) -> list[str]:
    """The kernels of a dtype.  Large tiles of 64 bits or more would not fit into shared memory."""
    rows = (4, 8) if dtype not in _WIDE else (4,)
    return [*(f"product_tiles<{each}>" for each in rows), *_VECTOR_KERNELS]


class Matrix(NamedTuple):
    """The address of a batch of matrices, and its strides in elements."""

    at: int
    batch: int
    row: int
    column: int

    @property
    def transposed(self) -> Matrix:
        """Its transpose."""
        return Matrix(self.at, self.batch, self.column, self.row)


class Product(NamedTuple):
    """``out = alpha left right + beta self`` for ``batches`` matrices: left is (m, k), right (k, n)."""

    dtype: str
    itemsize: int
    batches: int
    m: int
    n: int
    k: int
    out: Matrix
    self: Matrix
    left: Matrix
    right: Matrix
    beta: Any
    alpha: Any

    @property
    def transposed(self) -> Product:
        """The equivalent product of the transposes."""
        return self._replace(
            m=self.n,
            n=self.m,
            out=self.out.transposed,
            self=self.self.transposed,
            left=self.right.transposed,
            right=self.left.transposed,
        )


_NO_MATRIX = Matrix(0, 0, 0, 0)


def _matrix(tensor: Any) -> Matrix:
    """The matrices of a 2-D or 3-D tensor; strides of dimensions of size 1 are normalized."""
    spec = tensor._spec
    strides = [stride if size > 1 else 0 for size, stride in zip(spec.sizes, spec.strides)]
    return Matrix(int(tensor._address), *(strides if spec.ndim == 3 else (0, *strides)))


def _product_of(out: Any, left: Any, right: Any, self: Any = None, beta: Any = 0, alpha: Any = 1) -> Product:
    spec, sizes = left._spec, left._spec.sizes
    return Product(
        spec.dtype.name,
        spec.dtype.itemsize,
        sizes[0] if spec.ndim == 3 else 1,
        sizes[-2],
        right._spec.sizes[-1],
        sizes[-1],
        _matrix(out),
        _NO_MATRIX if self is None else _matrix(self),
        _matrix(left),
        _matrix(right),
        beta,
        alpha,
    )


# ---------------------------------------------------------------------------------------------------------
# gnomon's own kernels.


def _cut(units: int, k: int, wanted: int, least: int) -> tuple[int, int]:
    """The number and the length of parts of k, such that ``units`` become ``wanted`` if k is long enough."""
    parts = max(1, min(wanted // max(units, 1), k // least, MOST_PARTS))
    length = -(-k // parts)
    length = max(STEP, -(-length // STEP) * STEP)
    return max(1, -(-k // length)), length


def _is_dense(product: Product) -> bool:
    """Can a row of ``left`` and the columns of ``right`` be read in whole vectors?"""
    for at, along, others in (
        (product.left.at, product.left.column, (product.left.batch,)),
        (product.right.at, product.right.row, (product.right.batch, product.right.column)),
    ):
        if along != 1 or any(each * product.itemsize % VECTOR_BYTES for each in others) or at % VECTOR_BYTES:
            return False
    return True


def _multiply(work: Work, product: Product) -> None:
    """Launches gnomon's kernels for a product."""
    if product.n == 1 and product.m != 1:
        product = product.transposed
    multiprocessors = work.runtime.multiprocessors(work.device)
    wanted = BLOCKS * multiprocessors
    batches, m, n, k = product.batches, product.m, product.n, product.k
    group = kernels_for(product.dtype)
    further: list[Any] = []
    if m > 1:
        side = LARGE_TILE if product.itemsize < 8 else SMALL_TILE
        units = batches * -(-m // side) * -(-n // side)
        if units < wanted:
            side = SMALL_TILE
            units = batches * -(-m // side) * -(-n // side)
        kernel = f"product_tiles<{side // 16}>"
        parts, length = _cut(units, k, wanted, PART)
        blocks = units * parts
    elif product.right.column != 1 or product.right.row == 1:
        threads = 32 if batches * n >= wanted else THREADS
        kernel = f"product_rows<{threads}>"
        parts, length = _cut(-(-batches * n * threads // THREADS), k, 8 * wanted, ROW_PART)
        blocks = -(-batches * n * parts * threads // THREADS)
        further = [work.int64(_is_dense(product))]
    else:
        kernel = "product_columns<0>"
        units = batches * -(-n // COLUMNS)
        parts, length = _cut(units, k, 4 * wanted, PART)
        blocks = units * parts
    totals = work.temporary(parts * batches * m * n * max(4, product.itemsize)) if parts > 1 else None
    matrices = (product.out, product.self, product.left, product.right)
    arguments = [
        work.structure("gn_product", (batches, m, n, k, parts, length, *matrices)),
        work.structure("gn_numbers", ([], [scalar_forms(product.beta), scalar_forms(product.alpha)], [])),
        work.pointer(totals),
    ]
    grid = (min(blocks, 2**31 - 1), 1, 1)
    work.launch(TEXT, product.dtype, kernel, grid, arguments + further, group)
    if parts > 1:
        threads = 32 if batches * m * n <= FEW_OUTPUTS else 1
        grid = work.grid(batches * m * n * threads)
        work.launch(TEXT, product.dtype, f"product_end<{threads}>", grid, arguments, group)


# ---------------------------------------------------------------------------------------------------------
# cuBLAS.


def _suits_blas(product: Product) -> bool:
    sizes = (product.batches, product.m, product.n, product.k)
    return product.dtype in DTYPES_OF_BLAS and product.k > 0 and 1 not in sizes[1:3] and max(sizes) <= LARGEST


def _factor(matrix: Matrix, rows: int, columns: int) -> Factor | None:
    """A matrix in cuBLAS's form, not transposed if both forms are possible; None if neither stride is 1."""
    for transposed, step, leading, length, count in (
        (False, matrix.row, matrix.column, rows, columns),
        (True, matrix.column, matrix.row, columns, rows),
    ):
        leading = leading if count > 1 else length
        if (step == 1 or length == 1) and length <= leading <= LARGEST:
            return Factor(matrix.at, transposed, leading, matrix.batch)
    return None


class _Copies:
    """Memory for copies of matrices whose strides cuBLAS does not support."""

    def __init__(self, work: Work, product: Product):
        self._work = work
        self._itemsize = product.itemsize
        self._held: list[Any] = []

    def new(self, batches: int, rows: int, columns: int) -> Matrix:
        """A batch of row-major matrices."""
        memory = self._work.temporary(batches * rows * columns * self._itemsize)
        self._held.append(memory)
        return Matrix(memory.address, rows * columns, columns, 1)

    def copy(self, to: Matrix, source: Matrix, sizes: tuple[int, int, int]) -> None:
        """Launches a copy of matrices."""
        views = [
            self._work.structure(
                "gn_view", (each.at, 0, 3, sizes, [stride * self._itemsize for stride in each[1:]])
            )
            for each in (to, source)
        ]
        steps = sizes[0] * sizes[1] * sizes[2]
        kernel = rearrange.copy_kernel(self._itemsize)
        self._work.launch(rearrange.TEXT, rearrange.DTYPE, kernel, self._work.grid(steps), views)

    def factor(self, matrix: Matrix, batches: int, rows: int, columns: int) -> Factor:
        """The matrices in cuBLAS's form, copied if necessary."""
        found = _factor(matrix, rows, columns)
        if found is None:
            different = batches if matrix.batch else 1
            made = self.new(different, rows, columns)
            self.copy(made, matrix, (different, rows, columns))
            found = _factor(made._replace(batch=made.batch if matrix.batch else 0), rows, columns)
        assert found is not None
        return found


def _multiply_by_blas(work: Work, blas: Blas, product: Product) -> None:
    """Launches a product by cuBLAS."""
    found = _factor(product.out, product.m, product.n)
    if found is not None and found.transposed:
        product = product.transposed
    batches, m, n, k = product.batches, product.m, product.n, product.k
    copies = _Copies(work, product)
    out = product.out
    if found is None:  # a row-major output: compute the transposed product
        out = copies.new(batches, n, m).transposed
    if product.beta != 0 and product.self != out:
        copies.copy(out, product.self, (batches, m, n))
    left, right = copies.factor(product.left, batches, m, k), copies.factor(product.right, batches, k, n)
    target = _factor(out, m, n)
    assert target is not None and not target.transposed
    nbytes = blas.workspace_bytes(work.device)
    workspace = work.temporary(nbytes)
    blas.multiply(
        work.name,
        work.device,
        work.stream,
        (workspace.address, nbytes),
        product.dtype,
        (batches, m, n, k),
        (left, right),
        target,
        product.alpha,
        product.beta,
        allow_tf32,
    )
    if out != product.out:
        copies.copy(product.out, out, (batches, m, n))


# ---------------------------------------------------------------------------------------------------------
# The operators.


def run(work: Work, product: Product) -> int:
    """Launches a product, by cuBLAS where it can."""
    if product.batches and product.m and product.n:
        blas = work.runtime.blas if _suits_blas(product) else None
        if blas is None:
            _multiply(work, product)
        else:
            _multiply_by_blas(work, blas, product)
    return OK


def _mm(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    return run(work, _product_of(*tensors))


def _addmm(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, self, left, right = tensors
    return run(work, _product_of(out, left, right, self, arguments["beta"], arguments["alpha"]))


def _dot(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, left, right = tensors
    spec = left._spec
    row = Matrix(int(left._address), 0, 0, spec.strides[0])
    column = Matrix(int(right._address), 0, right._spec.strides[0], 0)
    sizes = (1, 1, 1, spec.sizes[0])
    dtype = spec.dtype
    place = Matrix(int(out._address), 0, 0, 0)
    return run(work, Product(dtype.name, dtype.itemsize, *sizes, place, _NO_MATRIX, row, column, 0, 1))


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in DTYPES["NUMERIC"]:
        yield Program(TEXT, dtype, tuple(kernels_for(dtype)))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {"mm": _mm, "bmm": _mm, "addmm": _addmm, "baddbmm": _addmm, "dot": _dot}
    return tables(
        runtime,
        [
            Direct(name, DTYPES["NUMERIC"], function, f"csrc/cuda/{TEXT}")
            for name, function in functions.items()
        ],
    )
