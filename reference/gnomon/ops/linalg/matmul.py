"""Matrix products.

Accumulation: the reference sums floating point products exactly rounded (math.fsum), whatever the dtype, and
integers exactly, with wraparound at the end.

Source: aten/src/ATen/native/LinearAlgebra.cpp, Linear.cpp.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ...calls.checks import check_alpha, check_dim, refuse_dtype
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import computed_in
from ...calls.native import native_function
from ...calls.record import Inputs, Numbers, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic
from ...numerics.formulas import conj
from ...numerics.loops import pointwise_in_steps
from ...values import geometry
from ...values.dtype import check_number_fits, int8, int32, promote_types, uint8


def _same_dtype(*specs: Spec) -> None:
    """Raises RuntimeError unless all specs have one dtype."""
    for spec in specs[1:]:
        if spec.dtype is not specs[0].dtype:
            raise RuntimeError(
                f"expected m1 and m2 to have the same dtype, but got: {specs[0].dtype.name} != "
                f"{spec.dtype.name}; m1.to({spec.dtype}) converts m1"
            )


def _product_advice(mat1: geometry.Ints, mat2: geometry.Ints) -> str:
    """Why two matrices can not be multiplied, and which transposition would allow it."""
    text = f"mat1 has {mat1[1]} columns, mat2 {mat2[0]} rows"
    if mat1[1] == mat2[1]:
        return f"{text}; mat2.t() would fit"
    return f"{text}; mat1.t() would fit" if mat1[0] == mat2[0] else text


def _mm_meta(self: Spec, mat2: Spec) -> Spec:
    """(n, k) and (k, m) give (n, m).  Raises RuntimeError for other sizes and different dtypes."""
    if self.ndim != 2:
        raise RuntimeError(f"self must be a matrix, got {self.ndim}-D with sizes {list(self.sizes)}")
    if mat2.ndim != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {mat2.ndim}-D with sizes {list(mat2.sizes)}")
    if self.sizes[1] != mat2.sizes[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({self.sizes[0]}x{self.sizes[1]} and "
            f"{mat2.sizes[0]}x{mat2.sizes[1]}): {_product_advice(self.sizes, mat2.sizes)}"
        )
    _same_dtype(self, mat2)
    refuse_dtype(self.dtype, "bool")
    return self.contiguous((self.sizes[0], mat2.sizes[1]))


def _rows(accessor: TensorAccessor, dim: int, batch: geometry.Ints) -> list[list[Any]]:
    """The rows (``dim`` 0) or columns (``dim`` 1) of the matrix at index ``batch``."""
    row, column = accessor.sizes[-2:]
    row_stride, column_stride = accessor.strides[-2:]
    read = accessor.read
    start = accessor.offset_of(batch)
    if dim == 0:
        return [[read(start + i * row_stride + j * column_stride) for j in range(column)] for i in range(row)]
    return [[read(start + i * row_stride + j * column_stride) for i in range(row)] for j in range(column)]


def _dot(a: list[Any], b: list[Any]) -> Any:
    return arithmetic.exact_sum([x * y for x, y in zip(a, b)])


def _products(left: Tensor, right: Tensor) -> Iterator[tuple[geometry.Ints, Any]]:
    """Yields each index of the product of two matrices, or two batches of matrices, with its element."""
    a, b = TensorAccessor(left), TensorAccessor(right)
    for batch in itertools.product(*map(range, a.sizes[:-2])):
        columns = _rows(b, 1, batch)
        for i, row in enumerate(_rows(a, 0, batch)):
            for j, column in enumerate(columns):
                yield (*batch, i, j), _dot(row, column)


def _product_kernel(output: Tensor, self: Tensor, mat2: Tensor) -> None:
    """``output[i, j] = sum over k of self[i, k] * mat2[k, j]``, for each pair of matrices."""
    out = TensorAccessor(output)
    for index, product in _products(self, mat2):
        out[index] = product


mm = native_function(
    "mm(Tensor self, Tensor mat2) -> Tensor",
    meta=_mm_meta,
    kernel=_product_kernel,
    derivatives={
        "self": lambda grad, mat2, self_spec: _left_gradient(grad, mat2, self_spec),
        "mat2": lambda grad, self, mat2_spec: _right_gradient(grad, self, mat2_spec),
    },
    linear=("self", "mat2"),
    out=Out(exact=True),
    doc="""Computes the product of two matrices, (n, k) and (k, m).

    Raises RuntimeError for other numbers of dimensions, sizes that do not match, or different dtypes.""",
)


def _int_mm_meta(self: Spec, mat2: Spec) -> Spec:
    """(n, k), int8 or uint8, and (k, m), int8, give (n, m), int32.  Raises RuntimeError for others."""
    for name, spec in (("self", self), ("mat2", mat2)):
        if spec.ndim != 2:
            raise RuntimeError(f"Expected {name} to be of dimension 2 but got {spec.ndim}")
    if self.sizes[1] != mat2.sizes[0]:
        raise RuntimeError(
            f"self.size(1) needs to match mat2.size(0) but got {self.sizes[1]} and {mat2.sizes[0]}"
        )
    if self.dtype not in (int8, uint8):
        raise RuntimeError(f"Expected self dtype to be int8 or uint8 but got {self.dtype.name}")
    if mat2.dtype is not int8:
        raise RuntimeError(f"Expected mat2 dtype to be of type int8 but got {mat2.dtype.name}")
    return self.contiguous((self.sizes[0], mat2.sizes[1]), int32)


native_function(
    "_int_mm(Tensor self, Tensor mat2) -> Tensor",
    meta=_int_mm_meta,
    kernel=_product_kernel,
    out=Out(exact=True),
    doc="""Computes the product of an int8 or uint8 matrix, (n, k), and an int8 one, (k, m), with sums in
    int32, which wrap around.

    Raises RuntimeError for other dtypes, numbers of dimensions, or sizes that do not match.""",
)


def _adjoint(matrix: Any) -> Any:
    """The conjugate transpose."""
    flipped = matrix.transpose(-2, -1)
    return flipped.conj() if matrix._spec.dtype.is_complex else flipped


def _is_column_major(spec: Spec) -> bool:
    return spec.strides == (1, spec.sizes[0])


def _left_gradient(grad: Any, right: Any, left_spec: Spec) -> Any:
    """The gradient of a product's left matrix, row-major or column-major as that matrix is.

    So a transposed weight gets a gradient whose transpose is contiguous, like the weight.  Source:
    mm_mat1_backward.
    """
    if _is_column_major(left_spec):
        return (conj(right) if right._spec.dtype.is_complex else right).mm(grad.t()).t()
    return grad.mm(_adjoint(right))


def _right_gradient(grad: Any, left: Any, right_spec: Spec) -> Any:
    """The gradient of a product's right matrix, in its memory order.  Source: mm_mat2_backward."""
    if _is_column_major(right_spec):
        flipped = grad.t()
        return flipped.mm(conj(left) if left._spec.dtype.is_complex else left).t()
    return _adjoint(left).mm(grad)


def _bmm_meta(self: Spec, mat2: Spec) -> Spec:
    """(b, n, k) and (b, k, m) give (b, n, m).  Raises RuntimeError for other sizes and different dtypes."""
    for name, spec in (("batch1", self), ("batch2", mat2)):
        if spec.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor, got {spec.ndim}-D with sizes {list(spec.sizes)}")
    if self.sizes[0] != mat2.sizes[0] or self.sizes[2] != mat2.sizes[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{self.sizes[0]}, "
            f"{self.sizes[2]}] but got: [{mat2.sizes[0]}, {mat2.sizes[1]}]."
        )
    _same_dtype(self, mat2)
    refuse_dtype(self.dtype, "bool")
    return self.contiguous((self.sizes[0], self.sizes[1], mat2.sizes[2]))


bmm = native_function(
    "bmm(Tensor self, Tensor mat2) -> Tensor",
    meta=_bmm_meta,
    kernel=_product_kernel,
    derivatives={
        "self": lambda grad, mat2: grad.bmm(_adjoint(mat2)),
        "mat2": lambda grad, self: _adjoint(self).bmm(grad),
    },
    linear=("self", "mat2"),
    out=Out(exact=True),
    doc="""Computes the batched matrix product of (b, n, k) and (b, k, m).

    Raises RuntimeError for other numbers of dimensions, sizes that do not match, or different dtypes.""",
)


def _addmm_meta(self: Spec, mat1: Spec, mat2: Spec, beta: Any, alpha: Any) -> Spec:
    product = _mm_meta(mat1, mat2)
    _check_addend(self, product, beta, alpha)
    return product


def _check_addend(self: Spec, product: Spec, beta: Any, alpha: Any) -> None:
    """Raises RuntimeError for an addend of another dtype or that does not broadcast to the product, and for
    factors that do not fit the opmath type.
    """
    _same_dtype(product, self)
    geometry.check_expandable(self.sizes, product.sizes)
    for factor in (beta, alpha):
        check_number_fits(factor, computed_in(self.dtype))


def _factors(output: Tensor, *factors: Any) -> list[Any]:
    """The factors, as integers if the product's dtype is an integer one."""
    return [int(factor) if output._spec.dtype.category < 2 else factor for factor in factors]


def _sum_kernel(output: Tensor, self: Tensor, left: Tensor, right: Tensor, beta: Any, alpha: Any) -> None:
    """``output = beta * self + alpha * (left @ right)``; with beta 0 even a NaN in self is ignored."""
    out, addend = TensorAccessor(output), TensorAccessor(self)
    beta, alpha = _factors(output, beta, alpha)
    for index, product in _products(left, right):
        scaled = alpha * product
        out[index] = beta * addend[index] + scaled if beta != 0 else scaled


def _scaled(grad: Any, factor: Any) -> Any:
    """The gradient of an operand that was multiplied by ``factor``."""
    return grad if factor == 1 else grad * factor.conjugate()


addmm = native_function(
    "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    meta=_addmm_meta,
    kernel=_sum_kernel,
    inputs=Inputs(expanded=("self",)),
    derivatives={
        "self": lambda grad, beta: _scaled(grad, beta),
        "mat1": lambda grad, mat2, mat1_spec, alpha: _scaled(_left_gradient(grad, mat2, mat1_spec), alpha),
        "mat2": lambda grad, mat1, mat2_spec, alpha: _scaled(_right_gradient(grad, mat1, mat2_spec), alpha),
    },
    inplace=True,
    out=Out(exact=True),
    doc="""Computes ``beta * self + alpha * (mat1 @ mat2)``: (n, k) and (k, m); ``self`` broadcasts to (n, m).

    With beta 0 ``self`` is ignored.  Raises RuntimeError if sizes or dtypes do not match.""",
)


def _baddbmm_meta(self: Spec, batch1: Spec, batch2: Spec, beta: Any, alpha: Any) -> Spec:
    product = _bmm_meta(batch1, batch2)
    _check_addend(self, product, beta, alpha)
    return product


baddbmm = native_function(
    "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    meta=_baddbmm_meta,
    kernel=_sum_kernel,
    inputs=Inputs(expanded=("self",)),
    derivatives={
        "self": lambda grad, beta: _scaled(grad, beta),
        "batch1": lambda grad, batch2, alpha: _scaled(grad.bmm(_adjoint(batch2)), alpha),
        "batch2": lambda grad, batch1, alpha: _scaled(_adjoint(batch1).bmm(grad), alpha),
    },
    inplace=True,
    out=Out(exact=True),
    doc="""Computes ``beta * self + alpha * (batch1 @ batch2)``, batched: (b, n, k) and (b, k, m).

    ``self`` broadcasts to (b, n, m).  Raises RuntimeError if sizes or dtypes do not match.""",
)


def _addbmm(self: Any, batch1: Any, batch2: Any, beta: Any, alpha: Any) -> Any:
    """Computes the sum over the batch as one product of concatenated matrices."""
    _bmm_meta(batch1._spec, batch2._spec)
    batches, rows, inner = batch1.shape
    geometry.check_expandable(self._spec.sizes, (rows, batch2.size(2)))
    wide = batch1.permute((1, 0, 2)).reshape((rows, batches * inner))
    tall = batch2.reshape((batches * inner, batch2.size(2)))
    return aten.addmm.default(self, wide, tall, beta, alpha)


addbmm = native_function(
    "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    composite=_addbmm,
    inplace=True,
    out="out",
    doc="""Computes ``beta * self + alpha * sum over b of (batch1[b] @ batch2[b])``: (b, n, k) and (b, k, m)
    give (n, m).

    All have the same dtype.  Raises RuntimeError if sizes or dtypes do not match.""",
)


def _addmv(self: Any, mat: Any, vec: Any, beta: Any, alpha: Any) -> Any:
    if mat.ndim != 2 or vec.ndim != 1 or self.ndim > 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim} dimensions"
        )
    if mat.size(1) != vec.size(0) or (self.ndim and self.size(0) not in (1, mat.size(0))):
        raise RuntimeError(
            f"size mismatch, got input ({self.numel()}), mat ({mat.size(0)}x{mat.size(1)}), vec "
            f"({vec.size(0)})"
        )
    for factor in (beta, alpha):
        check_number_fits(factor, self.dtype)
    if self.dtype.itemsize == 2 and self.dtype.is_floating_point:  # unlike addmm
        beta, alpha = self.dtype.cast(beta), self.dtype.cast(alpha)
    column = self.unsqueeze(-1) if self.ndim else self
    return aten.addmm.default(column, mat, vec.unsqueeze(1), beta, alpha).squeeze(1)


addmv = native_function(
    "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    composite=_addmv,
    inplace=True,
    out=Out(exact=True),
    doc="""Computes ``beta * self + alpha * (mat @ vec)``: (n, k) and (k); ``self`` broadcasts to (n).

    All have the same dtype.  Raises RuntimeError if sizes or dtypes do not match.""",
)


def _addr_meta(self: Spec, vec1: Spec, vec2: Spec, beta: Any, alpha: Any) -> TensorIterator:
    check_dim(1, vec1=vec1, vec2=vec2)
    sizes = (vec1.numel, vec2.numel)
    geometry.check_expandable(self.sizes, sizes)
    common = promote_types(self.dtype, promote_types(vec1.dtype, vec2.dtype))
    check_alpha(common, beta, "beta")
    check_alpha(common, alpha)
    column = vec1.with_geometry((vec1.numel, 1), (vec1.strides[0], 1))
    return TensorIterator("", [self, column, vec2], [common], common, self.device, static_sizes=sizes)


def _addr(held: Any, addend: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    if isinstance(a, bool):
        return bool((beta and addend) or (alpha and a and b))
    product = held(held(alpha * a) * b)
    return held(beta * addend) + product if beta != 0 else product


addr = native_function(
    "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    meta=_addr_meta,
    kernel=pointwise_in_steps(_addr),
    numbers=Numbers(held=("beta", "alpha")),
    derivatives={
        "self": lambda grad, beta: _scaled(grad, beta),
        "vec1": lambda grad, vec2, alpha: _scaled(grad.mv(vec2.conj()), alpha),
        "vec2": lambda grad, vec1, alpha: _scaled(grad.t().mv(vec1.conj()), alpha),
    },
    inplace=True,
    out="out",
    doc="""Computes ``beta * self + alpha * outer(vec1, vec2)``: (n) and (m); ``self`` broadcasts to (n, m).

    The dtypes promote.  Raises RuntimeError for other numbers of dimensions and sizes.""",
)


def _dot_meta(self: Spec, tensor: Spec) -> Spec:
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self.dtype is not tensor.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {self.dtype.name} and "
            f"{tensor.dtype.name}"
        )
    if self.numel != tensor.numel:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{self.numel}] and src [{tensor.numel}] to have the "
            f"same number of elements, but got {self.numel} and {tensor.numel} elements respectively"
        )
    refuse_dtype(self.dtype, "bool")
    return self.contiguous(())


def _dot_kernel(output: Tensor, self: Tensor, tensor: Tensor) -> None:
    """The sum of the products of two vectors' elements."""
    left, right = TensorAccessor(self), TensorAccessor(tensor)
    a = [left.read(offset) for offset in left.offsets()]
    b = [right.read(offset) for offset in right.offsets()]
    TensorAccessor(output)[()] = _dot(a, b)


dot = native_function(
    "dot(Tensor self, Tensor tensor) -> Tensor",
    meta=_dot_meta,
    kernel=_dot_kernel,
    derivatives={
        "self": lambda grad, tensor: grad * tensor.conj(),
        "tensor": lambda grad, self: grad * self.conj(),
    },
    linear=("self", "tensor"),
    out=Out(exact=True),
    doc="Computes the dot product of two vectors of equal size and dtype.",
)

mv = native_function(
    "mv(Tensor self, Tensor vec) -> Tensor",
    explicit=lambda self, vec: _mv(self, vec),
    derivatives={
        "self": lambda grad, vec: aten.outer.default(grad, vec.conj()),
        "vec": lambda grad, self: self.conj().t().mv(grad),
    },
    linear=("self", "vec"),
    batching="composed",
    out=Out(exact=True),
    doc="Computes the product of a matrix (n, k) and a vector (k).",
)


def _mv(self: Any, vec: Any) -> Any:
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"mv: vector + matrix @ vector expected, got {self.ndim}D and {vec.ndim}D tensors")
    if self.size(1) != vec.size(0):
        raise RuntimeError(
            f"mv: size mismatch, got input ({self.size(0)}x{self.size(1)}), vec ({vec.size(0)})"
        )
    return aten.mm.default(self, vec.unsqueeze(1)).squeeze(1)


def _stacked(matrices: Any, batch: Sequence[int], count: int) -> Any:
    """``matrices`` broadcast to the batch sizes ``batch``, as one batch dimension of ``count``."""
    sizes = matrices._spec.sizes
    if sizes[:-2] != batch:
        matrices = matrices.expand((*batch, *sizes[-2:]))
    return matrices if len(batch) == 1 else matrices.reshape((count, *sizes[-2:]))


def _matmul(self: Any, other: Any) -> Any:
    """Product of vectors, matrices and batches of matrices, which broadcast.  Source: _matmul_impl."""
    if self.ndim == 0 or other.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {self.ndim}D and {other.ndim}D"
        )
    if self.ndim == 1 and other.ndim == 1:
        return aten.dot.default(self, other)
    if self.ndim == 2 and other.ndim == 2:
        return aten.mm.default(self, other)
    if self.ndim == 2 and other.ndim == 1:
        return aten.mv.default(self, other)
    if self.ndim == 1 and other.ndim == 2:
        return aten.mm.default(self.unsqueeze(0), other).squeeze(0)
    left = self.unsqueeze(0) if self.ndim == 1 else self
    right = other.unsqueeze(1) if other.ndim == 1 else other
    inner_left, inner_right = left._spec.sizes[-1], right._spec.sizes[-2]
    if inner_left != inner_right:
        raise RuntimeError(
            f"matmul: mat1 and mat2 shapes cannot be multiplied ({list(self.shape)} and {list(other.shape)})"
        )
    if right.ndim == 2:
        # one right matrix for the whole batch: a single mm
        rows = left.reshape(geometry.numel_of(left._spec.sizes[:-1]), inner_left)
        product = aten.mm.default(rows, right).view((*left._spec.sizes[:-1], right._spec.sizes[-1]))
    else:
        batch = geometry.broadcast_sizes(left._spec.sizes[:-2], right._spec.sizes[:-2])
        count = geometry.numel_of(batch)
        product = aten.bmm.default(_stacked(left, batch, count), _stacked(right, batch, count))
        if len(batch) > 1:
            product = product.view((*batch, left._spec.sizes[-2], right._spec.sizes[-1]))
    if self.ndim == 1:
        product = product.squeeze(-2)
    return product.squeeze(-1) if other.ndim == 1 else product


matmul = native_function(
    "matmul(Tensor self, Tensor other) -> Tensor",
    composite=_matmul,
    out=Out(exact=True),
    doc="""Computes the matrix product of vectors, matrices, or batches of matrices, whose batch dimensions
    broadcast.

    Raises RuntimeError for 0-dim operands and sizes that do not match.""",
)

linalg_matmul = native_function(
    "linalg_matmul(Tensor self, Tensor other) -> Tensor",
    composite=lambda self, other: aten.matmul.default(self, other),
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="The same as matmul.  Raises RuntimeError for 0-dim operands and sizes that do not match.",
)


def _linear(input: Any, weight: Any, bias: Any) -> Any:
    given, wanted = input._spec, weight._spec
    if given.dtype is not wanted.dtype:
        raise RuntimeError(
            f"linear: mat1 and mat2 must have the same dtype, but got {given.dtype.scalar_type} and "
            f"{wanted.dtype.scalar_type}; input.to({wanted.dtype}) converts the input to weight's"
        )
    if bias is not None and given.ndim == wanted.ndim == 2 and given.sizes[1] == wanted.sizes[1]:
        return aten.addmm.default(bias, input, weight.t(), 1, 1)
    if weight.ndim == 1 and bias is None:
        return aten.matmul.default(input, weight)
    check_dim(2, weight=weight)
    if not input.ndim or input._spec.sizes[-1] != weight._spec.sizes[1]:
        sizes = input._spec.sizes
        rows = geometry.numel_of(sizes[:-1])
        raise RuntimeError(
            f"linear: mat1 and mat2 shapes cannot be multiplied ({rows}x{sizes[-1] if sizes else 1} and "
            f"{weight._spec.sizes[1]}x{weight._spec.sizes[0]}): input has sizes {list(sizes)}, expected "
            f"{weight._spec.sizes[1]} (in_features) in its last dimension"
        )
    transposed = weight.t()
    if bias is None:
        return aten.matmul.default(input, transposed)
    rows = input.reshape(geometry.numel_of(input._spec.sizes[:-1]), input._spec.sizes[-1])
    return aten.addmm.default(bias, rows, transposed, 1, 1).view(
        (*input._spec.sizes[:-1], weight._spec.sizes[0])
    )


linear = native_function(
    "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    python_module="nn",
    composite=_linear,
    out="out",
    doc="""Computes ``input @ weight.T + bias``: input (*, k), weight (n, k), bias (n), result (*, n).

    All have the same dtype.  Raises RuntimeError for sizes that do not match.""",
)
