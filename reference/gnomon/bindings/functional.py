"""Python functions that rearrange their arguments, or select an operator, before they call it.

Source: torch/functional.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, Literal, TypeVar, overload

from ..dispatch.dispatcher import aten
from ..memory.storage import Storage
from ..memory.tensor import Tensor
from ..values import late_bound
from ..values.dtype import bool_, dtype, int64
from ..values.errors import type_name, warn
from ..values.geometry import Size
from .argument_parser import return_type
from .creation import tensor
from .typed_storage import TypedStorage

F = TypeVar("F", bound=Callable[..., Any])


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The sizes that all ``shapes`` (tuples, lists or ints) broadcast to.

    Raises RuntimeError if they do not broadcast, ValueError for a negative size.
    Source: torch.broadcast_shapes.
    """
    rows = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    sizes = [1] * max((len(row) for row in rows), default=0)
    for number, row in enumerate(rows):
        for dim in range(-1, -len(row) - 1, -1):
            if row[dim] < 0:
                raise ValueError(
                    "broadcast_shapes: Attempting to broadcast a dimension with negative length!"
                )
            if row[dim] not in (1, sizes[dim]):
                if sizes[dim] != 1:
                    raise RuntimeError(
                        f"broadcast_shapes: Attempting to broadcast a dimension of length {row[dim]} at "
                        f"{dim}! Mismatching argument at index {number} had {row}; but expected shape should "
                        f"be broadcastable to {sizes}"
                    )
                sizes[dim] = row[dim]
    return Size(sizes)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of the tensors, all expanded to the sizes that they broadcast to.

    Raises RuntimeError if they do not broadcast.  Source: torch.broadcast_tensors.
    """
    return aten.broadcast_tensors(tensors)


def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """Expand n vectors to n-dimensional grids: tensor i repeats vector i along all other dimensions.

    The vectors are separate arguments, or one list.

    With ``indexing="ij"``, the default, vector i is along dimension i; "xy" swaps the first two dimensions.
    Raises RuntimeError for tensors of more dimensions and for different dtypes.  Source: torch.meshgrid.
    """
    vectors: Sequence[Any] = tensors
    if len(vectors) == 1 and isinstance(vectors[0], (list, tuple)):
        vectors = tuple(vectors[0])
    return aten.meshgrid(vectors) if indexing is None else aten.meshgrid(vectors, indexing=indexing)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All tuples with one element of each vector, as the rows of a matrix, in the order of
    ``itertools.product``; for one vector that vector.

    Raises RuntimeError for tensors that are not vectors of one dtype.  Source: torch.cartesian_prod.
    """
    return aten.cartesian_prod(tensors)


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of matrices, in the order with the fewest multiplications; of one matrix a copy.

    Deprecated in PyTorch: use linalg.multi_dot.  Raises RuntimeError for no matrices, for vectors, sizes that
    do not match and different dtypes, TypeError for anything but tensors.  Source: torch.chain_matmul.
    """
    warn(
        "chain_matmul is deprecated: use linalg.multi_dot, which takes a list of two or more tensors.",
        once=True,
    )
    return aten.chain_matmul(matrices) if out is None else aten.chain_matmul(matrices, out=out)


def block_diag(*tensors: Tensor) -> Tensor:
    """The block diagonal matrix of matrices; a vector is a matrix of one row, a number of one element.

    Its dtype is that to which the tensors promote.  Raises RuntimeError for tensors of more than 2
    dimensions.  Source: torch.block_diag.
    """
    return aten.block_diag(tensors)


def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """Counts points in the boxes of a grid: ``hist`` and the tuple ``bin_edges``.

    The last dimension of ``input`` has a point's coordinates.  ``bins`` has the number of bins for all
    coordinates or for each, or the edges, which are returned as they are; ``range`` a least and a greatest
    edge for each coordinate, by default the extremes.  A point counts as 1, or as its ``weight``; with
    ``density`` the integral of ``hist`` is 1.  Results have the dtype of ``input``, float32 or float64.
    Raises RuntimeError if sizes or dtypes do not match, NotImplementedError for other dtypes.  Source:
    torch.histogramdd.
    """
    if isinstance(bins, int):
        bins = [bins] * input.shape[-1]
    options = {"weight": weight, "density": density}
    edges: Any = bins
    if not bins or isinstance(bins[0], Tensor):
        hist = aten._histogramdd_from_bin_tensors(input, bins, **options)
    else:
        edges = aten._histogramdd_bin_edges(input, bins, range=range, **options)
        hist = aten._histogramdd_from_bin_tensors(input, edges, **options)
    return return_type("histogramdd", ("hist", "bin_edges"))(hist, tuple(edges))


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The coordinates of elements of a tensor of sizes ``shape`` whose positions in row-major order are
    ``indices``: an int64 tensor of the sizes of ``indices`` for each dimension.

    Raises TypeError for ``indices`` that are not integers or for sizes that are not, ValueError for negative
    sizes.  Source: torch.unravel_index.
    """
    if not isinstance(indices, Tensor):
        raise TypeError(f"unravel_index(): argument 'indices' must be Tensor, not {type_name(indices)}")
    if indices.dtype is bool_ or indices.dtype.category > 1:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
        if size < 0:
            raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    steps = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]
    return tuple(
        (
            indices.unsqueeze(-1).div(tensor(steps, dtype=int64), rounding_mode="floor")
            % tensor(sizes, dtype=int64)
        ).unbind(-1)
    )


def _one_or_several(tensors: Sequence[Any]) -> Any:
    return tensors[0] if len(tensors) == 1 else tensors


def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """The tensor, or each of several, with at least one dimension: a number becomes a vector of size 1.

    Raises TypeError for anything but tensors.  Source: torch.atleast_1d.
    """
    return aten.atleast_1d(_one_or_several(tensors))


def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """The tensor, or each of several, with at least two dimensions: new ones are added in front.

    Raises TypeError for anything but tensors.  Source: torch.atleast_2d.
    """
    return aten.atleast_2d(_one_or_several(tensors))


def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """The tensor, or each of several, with at least three dimensions: a vector becomes (1, n, 1), a matrix
    (m, n, 1).

    Raises TypeError for anything but tensors.  Source: torch.atleast_3d.
    """
    return aten.atleast_3d(_one_or_several(tensors))


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int] | Tensor, dim: int = 0
) -> tuple[Tensor, ...]:
    """Split into pieces of one length along ``dim`` (the last may be shorter), or of the lengths in a list.

    They are views.  Raises RuntimeError for a negative length and for lengths that do not add up to the size,
    IndexError for a dim out of range.  Source: torch.split.
    """
    if isinstance(split_size_or_sections, Tensor):
        split_size_or_sections = int(split_size_or_sections)
    return aten.split(tensor, split_size_or_sections, dim)


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension.

    Raises RuntimeError for an ``out`` whose dtype is not int64.  Source: torch.nonzero.
    """
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero: does not support the out kwarg when as_tuple is True")
        return aten.nonzero_numpy(input)
    if out is not None and not isinstance(out, Tensor):
        raise TypeError(f"nonzero(): argument 'out' must be Tensor, not {type_name(out)}")
    if out is None:
        return aten.nonzero(input)
    if out.dtype is not int64:
        raise RuntimeError(f"nonzero: Expected out tensor to have scalar type int64 but got {out.dtype.name}")
    return aten.nonzero(input, out=out)


def numel(input: Tensor) -> int:
    """The number of elements.  Raises TypeError for anything but a tensor.  Source: torch.numel."""
    return _tensor("numel", input)._spec.numel


def is_storage(obj: Any) -> bool:
    """Is ``obj`` a storage, untyped or typed?  Source: torch.is_storage."""
    return isinstance(obj, (Storage, TypedStorage))


def is_tensor(obj: Any) -> bool:
    """Is ``obj`` a tensor?  Source: torch.is_tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Is the dtype floating point?  Raises TypeError for anything but a tensor.

    Source: torch.is_floating_point.
    """
    return _tensor("is_floating_point", input).is_floating_point()


def is_complex(input: Tensor) -> bool:
    """Is the dtype complex?  Raises TypeError for anything but a tensor.  Source: torch.is_complex."""
    return _tensor("is_complex", input).is_complex()


def is_signed(input: Tensor) -> bool:
    """Can the dtype hold negative numbers?  Raises TypeError for anything but a tensor.

    Source: torch.is_signed.
    """
    return _tensor("is_signed", input).is_signed()


def is_inference(input: Tensor) -> bool:
    """Was the tensor created in inference mode?  Raises TypeError for anything but a tensor.

    Source: torch.is_inference.
    """
    return _tensor("is_inference", input).is_inference()


def get_device(input: Tensor) -> int:
    """The index of the GPU; -1 for a tensor that is not on one.  Raises TypeError for anything but a tensor.

    Source: torch.get_device.
    """
    return _tensor("get_device", input).get_device()


def is_nonzero(input: Tensor) -> bool:
    """Is the element of a one-element tensor nonzero?

    Raises RuntimeError for a tensor of no or several elements, TypeError for anything but a tensor.  Source:
    torch.is_nonzero.
    """
    return bool(_tensor("is_nonzero", input))


def _tensor(name: str, input: Any) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {input.__class__.__name__}"
        )
    return input


@overload
def einsum(equation: str, /, *operands: Tensor) -> Tensor: ...


@overload
def einsum(equation: str, operands: Sequence[Tensor], /) -> Tensor: ...


@overload
def einsum(
    operand: Tensor,
    subscripts: Sequence[int | EllipsisType],
    /,
    *others: Tensor | Sequence[int | EllipsisType],
) -> Tensor: ...


def einsum(*args: Any) -> Tensor:
    """The sum of products described by an equation: ``einsum("ij,jk->ik", a, b)``.

    The operands may also be one list.  In the sublist format there is no equation: each operand is followed
    by a list of numbers for its dimensions, and the last list is the output's:
    ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.
    Raises ValueError for fewer than two arguments and numbers outside [0, 52).  Source: torch.einsum.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand "
            "and its subscripts list"
        )
    if isinstance(args[0], Tensor):
        return aten.einsum.default(_equation(args), list(args[: len(args) - len(args) % 2 : 2]), None)
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    return aten.einsum.default(equation, operands, None)


def _letter(number: Any) -> str:
    """The letter for a number in a subscript list."""
    if number is Ellipsis:
        return "..."
    if not isinstance(number, int) or not 0 <= number < 52:
        raise ValueError(
            f"einsum(): subscript in subscript list is not within the valid range [0, 52): {number}"
        )
    return chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)


def _equation(args: Sequence[Any]) -> str:
    terms = ["".join(map(_letter, args[index])) for index in range(1, len(args) - len(args) % 2, 2)]
    output = "->" + "".join(map(_letter, args[-1])) if len(args) % 2 else ""
    return ",".join(terms) + output


def tensordot(
    a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] | Tensor = 2, out: Tensor | None = None
) -> Tensor:
    """The sum of products over ``dims``: two lists, or how many last dimensions of ``a`` and first of ``b``.

    Raises RuntimeError for different sizes or dtypes.  Source: torch.tensordot.
    """
    wanted: Any = dims.tolist() if isinstance(dims, Tensor) else dims
    if isinstance(wanted, (list, tuple)):
        dims_a, dims_b = wanted if wanted else ((), ())
    else:
        if wanted < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={wanted}")
        if wanted > min(a.dim(), b.dim()):
            raise RuntimeError(
                f"tensordot expects dims < ndim_a or ndim_b, but got dims={wanted} for {a.dim()} and "
                f"{b.dim()}"
            )
        dims_a, dims_b = list(range(-wanted, 0)), list(range(wanted))
    if out is None:
        return aten.tensordot.default(a, b, dims_a, dims_b)
    return aten.tensordot.out(a, b, dims_a, dims_b, out)


def norm(
    input: Tensor,
    p: float | Literal["fro", "nuc"] | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The vector norm of order ``p`` over ``dim``; 'fro' is the 2-norm, 'nuc' the nuclear norm of matrices.

    Deprecated in PyTorch: use linalg.vector_norm or linalg.matrix_norm.
    Raises RuntimeError for integer dtypes and an unknown ``p``.  Source: torch.norm.
    """
    dims = [dim] if isinstance(dim, int) else dim
    keywords = {} if out is None else {"out": out}
    if isinstance(p, str) and (p != "fro" or (dims is not None and len(dims) > 2)):
        where = list(range(input.dim())) if dims is None else dims
        return aten.linalg_matrix_norm(input, p, where, keepdim, dtype=dtype, **keywords)
    order = 2.0 if p is None or isinstance(p, str) else p
    return aten.linalg_vector_norm(input, order, dims, keepdim, dtype=dtype, **keywords)


def lu(
    A: Tensor,
    pivot: bool = True,
    get_infos: bool = False,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """The LU factorization with partial pivoting of matrices (*, n, m), and its pivots (*, min(n, m)), int32:
    see linalg.lu_factor.

    Deprecated: use linalg.lu_factor and linalg.lu_factor_ex.
    With ``get_infos`` also ``info`` (*), as linalg.lu_factor_ex.  ``out``: as many tensors, which are
    resized.  Raises TypeError for another number of them, RuntimeError for ``pivot=False``.

    Source: torch.lu.
    """
    warn(
        "lu is deprecated: use linalg.lu_factor, or linalg.lu_factor_ex instead of get_infos=True.", once=True
    )
    found = aten._lu_with_info(A, pivot)
    results: tuple[Tensor, ...] = found if get_infos else found[:2]
    if out is None:
        return results
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    for output, result in zip(out, results):
        output.resize_as_(result).copy_(result)
    return out  # type: ignore[return-value]


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: Literal["constant", "reflect", "replicate", "circular"] = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of frames of ``n_fft`` elements of signals (*, length), ``hop_length`` apart.

    With ``center`` the signal is first padded by ``n_fft // 2`` on both sides, as ``pad_mode`` says.  The
    result is complex, (*, frequencies, frames).  Raises RuntimeError for integers, for sizes that do not fit,
    and if ``return_complex`` is not given for real signals.  Source: torch.stft.
    """
    return aten.stft.center(
        input,
        n_fft,
        hop_length,
        win_length,
        window,
        center,
        pad_mode,
        normalized,
        onesided,
        return_complex,
        align_to_window,
    )


_CDIST_MODES = {  # when sums of squares may be computed by matrix products
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: Literal[
        "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"
    ] = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """The p-norm distances between the rows of ``x1`` (*, P, M) and those of ``x2`` (*, R, M): (*, P, R).

    ``compute_mode`` has no effect: distances are always computed directly.  Raises RuntimeError for a
    negative ``p``, ValueError for an unknown ``compute_mode``.  Source: torch.cdist.
    """
    if compute_mode not in _CDIST_MODES:
        raise ValueError(
            f"{compute_mode} is not a valid value for compute_mode; expected one of {list(_CDIST_MODES)}"
        )
    return aten.cdist(x1, x2, p, _CDIST_MODES[compute_mode])


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements in ascending order, or the distinct slices along ``dim``.

    With ``return_inverse`` or ``return_counts`` it returns a tuple, with the index of each element in the
    result, and with the number of occurrences.  Raises IndexError for a dim out of range.

    Source: torch.unique.
    """
    if dim is None:
        found = aten._unique2(input, sorted, return_inverse, return_counts)
    else:
        found = aten.unique_dim(input, dim, sorted, return_inverse, return_counts)
    return _wanted(found, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only.

    Raises IndexError for a dim out of range.  Source: torch.unique_consecutive.
    """
    found = aten.unique_consecutive(input, return_inverse, return_counts, dim)
    return _wanted(found, return_inverse, return_counts)


def _wanted(found: Sequence[Tensor], return_inverse: bool, return_counts: bool) -> Any:
    values, inverse, counts = found
    if not (return_inverse or return_counts):
        return values
    return (values, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))


def vmap(
    func: F,
    in_dims: int | tuple[Any, ...] | list[Any] = 0,
    out_dims: int | tuple[Any, ...] | list[Any] | dict[Any, Any] | None = 0,
    randomness: Literal["error", "different", "same"] = "error",
    *,
    chunk_size: int | None = None,
) -> F:
    """Vectorize ``func``, which takes and returns tensors of one example: see gnomon.func.vmap.

    Source: torch.vmap.
    """
    from ..func import vmap as _vmap

    return _vmap(func, in_dims, out_dims, randomness, chunk_size=chunk_size)


late_bound.vmap = vmap
