"""Variances and other statistics.

Accumulation: mean and squared distances are computed in float64, each sum exactly rounded, and the result is
rounded once; so a variance in float16 is correct to float16 precision.

Source: aten/src/ATen/native/ReduceOps.cpp (std, var, nansum), Correlation.cpp, TensorCompare.cpp (aminmax).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, refuse_dtype, zero_numel_check_dims
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import reduce, reduced_dims, sum_dtype
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic
from ...numerics.loops import rows_along
from ...values import geometry
from ...values.dtype import bool_, check_number_fits, complex32, complex64, float64
from ...values.geometry import wrap_dim


def _expanded(grad: Any, sizes: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """The gradient of a reduction's output, with the reduced dimensions restored as size 1."""
    if not keepdim and sizes:
        for each in reduced_dims(dim, len(sizes)):
            grad = grad.unsqueeze(each)
    return grad


def _count(sizes: tuple[int, ...], dim: Any) -> int:
    return geometry.numel_of([sizes[each] for each in reduced_dims(dim, len(sizes))]) if sizes else 1


# -- variance ------------------------------------------------------------------------------------------------


def variance(numbers: list[Any], correction: float) -> float:
    """The sum of squared distances from the mean, divided by the count minus ``correction``.

    The distances are those from the mean in float64, less their own mean: what float64 rounds off.
    """
    if not numbers:
        return math.nan
    mean = arithmetic.divide(arithmetic.exact_sum(numbers), len(numbers))
    distances = [number - mean for number in numbers]
    rest = arithmetic.divide(arithmetic.exact_sum(distances), len(numbers))
    if cmath.isfinite(rest):
        distances = [distance - rest for distance in distances]
    squares = [part * part for each in distances for part in (each.real, each.imag) if part]
    freedom = len(numbers) - correction
    return arithmetic.divide(arithmetic.exact_sum(squares) + 0.0, freedom if freedom > 0 else 0)


def _check_dtype(self: Any) -> None:
    """Raises RuntimeError for bool and integers."""
    if self.dtype.category < 2:
        raise RuntimeError(f"only support floating point and complex dtypes, got {self.dtype.name}")


def _var_meta(self: Spec, dim: Any, correction: Any, keepdim: bool) -> TensorIterator:
    _check_dtype(self)
    if correction is not None:
        check_number_fits(correction, float64)
    return reduce(self, dim, keepdim, self.dtype.to_real(), self.dtype)


def _reduction_with(function: Any) -> Any:
    """The kernel of var and std: ``function(elements, correction)`` over the reduced dimensions."""

    def kernel(iterator: TensorIterator, dim: Any, correction: Any, keepdim: bool) -> None:
        write = TensorAccessor(iterator.tensor(0)).write
        read = TensorAccessor(iterator.tensor(1)).read
        correction = 1 if correction is None else correction
        for target, sources in iterator.reduction_groups(1):
            write(target, function([read(source) for source in sources], correction))

    return kernel


def _var_grad(grad: Any, self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """``2 / (n - correction) * grad * (self - mean)``."""
    sizes = self._spec.sizes
    freedom = _count(sizes, dim) - (1 if correction is None else correction)
    grad = _expanded(grad, sizes, dim, keepdim)
    if freedom <= 0 and (dim is None or not sizes):  # inf, or NaN (inf * 0) at the mean
        return grad * aten.where(self == self.mean(dim, True), math.nan, math.inf)
    return (2.0 / freedom if freedom else math.inf) * grad * (self - self.mean(dim, True))


def _std_grad(result: Any, grad: Any, self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """The gradient of the variance, divided by ``2 * std``; 0 where std is 0.

    There the divisor is replaced by inf, so that the derivative of this by ``grad``, which forward mode uses,
    is 0 too and not 0 / 0.
    """
    is_zero = result == 0
    scaled = (grad / (result * 2).masked_fill(is_zero, math.inf)).masked_fill(is_zero, 0)
    return _var_grad(scaled, self, dim, correction, keepdim)


_ARGUMENTS = "int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False"

var = native_function(
    f"var.correction(Tensor self, {_ARGUMENTS}) -> Tensor",
    meta=_var_meta,
    kernel=_reduction_with(variance),
    limited=(complex32,),
    derivatives={"self": _var_grad},
    identity=math.nan,
    out="correction_out",
    doc="""Computes the variance over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.

    The sum of squared distances from the mean is divided by the number of elements minus ``correction`` (1 if
    None); the result is real for complex dtypes.  Raises RuntimeError for integers.""",
)

std = native_function(
    f"std.correction(Tensor self, {_ARGUMENTS}) -> Tensor",
    meta=_var_meta,
    kernel=_reduction_with(lambda numbers, correction: arithmetic.sqrt(variance(numbers, correction))),
    limited=(complex32,),
    derivatives={"self": _std_grad},
    identity=math.nan,
    out="correction_out",
    doc="Computes the standard deviation, the square root of ``var``.  Its gradient at 0 is 0.",
)


def _mean(self: Any, dim: Any, keepdim: bool) -> Any:
    if self.dtype is complex32:  # mean does not take it
        return aten.mean.dim(self.to(complex64), dim, keepdim, None).to(complex32)
    return aten.mean.dim(self, dim, keepdim, None)


def _with_and_without_mean(name: str, packet: Any, meaning: str) -> None:
    """Defines the overloads with ``unbiased``, and the operator that also returns the mean."""
    native_function(
        f"{name}.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
        composite=lambda self, dim, unbiased, keepdim: packet.correction(self, dim, int(unbiased), keepdim),
        out="out",
        doc=f"Computes the {meaning} over dimensions ``dim``, with correction 1 if ``unbiased``, else 0.",
    )
    native_function(
        f"{name}(Tensor self, bool unbiased=True) -> Tensor",
        composite=lambda self, unbiased: packet.correction(self, None, int(unbiased), False),
        doc=f"Computes the {meaning} of all elements.",
    )

    def both(self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
        _check_dtype(self)
        mean = _mean(self, dim, keepdim)  # first, so that its gradient is added to the other one's
        return packet.correction(self, dim, correction, keepdim), mean

    native_function(
        f"{name}_mean.correction(Tensor self, {_ARGUMENTS}) -> (Tensor, Tensor)",
        variants="function",
        composite=both,
        doc=f"Computes the {meaning} and the mean over dimensions ``dim``.",
    )
    native_function(
        f"{name}_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, "
        "Tensor)",
        variants="function",
        composite=lambda self, dim, unbiased, keepdim: both(self, dim, int(unbiased), keepdim),
        doc=f"Computes the {meaning} and the mean over dimensions ``dim``.",
    )
    native_function(
        f"{name}_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
        variants="function",
        composite=lambda self, unbiased: both(self, None, int(unbiased), False),
        doc=f"Computes the {meaning} and the mean of all elements.",
    )


_with_and_without_mean("var", aten.var, "variance")
_with_and_without_mean("std", aten.std, "standard deviation")


# -- sums without NaN ----------------------------------------------------------------------------------------


def _nansum_meta(self: Spec, dim: Any, keepdim: bool, dtype: Any) -> TensorIterator:
    if self.dtype.is_complex:
        raise RuntimeError(f"nansum does not support complex inputs, got {self.dtype.name}")
    accumulated = sum_dtype(self, dtype)
    if self.dtype.category == 2:
        refuse_dtype(accumulated, "complex")
    return reduce(self, dim, keepdim, accumulated, accumulated)


def _nansum_kernel(iterator: TensorIterator, dim: Any, keepdim: bool) -> None:
    """The sum of the elements that are not NaN."""
    write = TensorAccessor(iterator.tensor(0)).write
    read = TensorAccessor(iterator.tensor(1)).read
    for target, sources in iterator.reduction_groups(1):
        numbers = [read(source) for source in sources]
        write(target, arithmetic.exact_sum([number for number in numbers if number == number]))


nansum = native_function(
    "nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    meta=_nansum_meta,
    kernel=_nansum_kernel,
    derivatives={
        "self": lambda grad, self, dim, keepdim: aten.where(
            self.isnan(), 0, _expanded(grad.to(self.dtype), self._spec.sizes, dim, keepdim)
        ),
    },
    identity=0,
    out=Out(gives_dtype=True),
    doc="""Returns the sum over dimensions ``dim`` (all if None or empty), counting NaN as 0.

    Integers and bool are summed in int64 unless ``dtype`` is given.  Raises RuntimeError for complex
    dtypes.""",
)


def _nanmean(self: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if self.dtype.category < 2:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {self.dtype.name}"
        )
    if dtype is not None and dtype.category < 2:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or "
            f"complex dtype. Got: {dtype.name}"
        )
    counted = aten.sum.dim_IntList(~self.detach().isnan(), dim, keepdim, None)
    return aten.nansum.default(self, dim, keepdim, dtype) / counted


nanmean = native_function(
    "nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    composite=_nanmean,
    out="out",
    doc="Returns the mean over dimensions ``dim`` of the elements that are not NaN; NaN if there are none.",
)


# -- aminmax -------------------------------------------------------------------------------------------------


def _aminmax_meta(self: Spec, dim: int | None, keepdim: bool) -> tuple[Spec, Spec]:
    refuse_dtype(self.dtype, "complex")
    if dim is None:
        if not self.numel:
            raise RuntimeError(
                "cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        sizes: tuple[int, ...] = (1,) * self.ndim if keepdim else ()
    else:
        dim = wrap_dim(dim, self.ndim)
        zero_numel_check_dims(self, dim)
        sizes = (*self.sizes[:dim], *((1,) if keepdim else ()), *self.sizes[dim + 1 :]) if self.ndim else ()
    return self.contiguous(sizes), self.contiguous(sizes)


def _aminmax_kernel(min: Tensor, max: Tensor, self: Tensor, dim: int | None, keepdim: bool) -> None:
    """The extremes of each row along ``dim``; both are NaN if the row has a NaN."""
    write_min, write_max = TensorAccessor(min).write, TensorAccessor(max).write
    for (min_at, max_at), _, numbers in rows_along(self, dim, [min, max]):
        least = most = numbers[0]
        for number in numbers[1:]:
            least, most = arithmetic.minimum(least, number), arithmetic.maximum(most, number)
        write_min(min_at, least)
        write_max(max_at, most)


def _aminmax_grad(self: Any, dim: int | None, keepdim: bool, grads: Sequence[Any], min: Any, max: Any) -> Any:
    """Divides each gradient between the elements equal to its extreme."""
    dims = None if dim is None else (dim,)
    total = None
    for grad, extreme in zip(grads, (min, max)):
        if grad is None:
            continue
        chosen = self == _expanded(extreme, self._spec.sizes, dims, keepdim)
        count = aten.sum.dim_IntList(chosen, dims, True, None)
        share = _expanded(grad, self._spec.sizes, dims, keepdim) / count * chosen
        total = share if total is None else total + share
    return total


aminmax = native_function(
    "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
    meta=_aminmax_meta,
    kernel=_aminmax_kernel,
    derivatives={"self": _aminmax_grad},
    batching="over_all",
    out=Out(
        "aminmax.out(Tensor self, *, int? dim=None, bool keepdim=False, Tensor(a!) min, Tensor(b!) max) -> "
        "(Tensor(a!) min, Tensor(b!) max)",
        exact=True,
    ),
    doc="""Returns the minimum and the maximum along ``dim``, or of all elements; NaN if any element is NaN.

    The gradient is distributed evenly between equal elements.  Raises RuntimeError for an empty tensor,
    IndexError if ``dim`` has size 0, NotImplementedError for complex dtypes.""",
)


# -- covariance ----------------------------------------------------------------------------------------------


def _check_weights(name: str, weights: Any, count: int, kind: str) -> None:
    if weights.ndim > 1:
        raise RuntimeError(f"expected {name} to have one or fewer dimensions but got {weights.ndim}")
    is_right = weights.dtype.category == (1 if kind == "integral" else 2)
    if not is_right:
        raise RuntimeError(f"expected {name} to have {kind} dtype but got {weights.dtype.name}")
    if weights.numel() != count:
        raise RuntimeError(
            f"expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {count}"
        )
    if count and can_be_read(weights) and not bool((weights.min() >= 0).item()):
        raise RuntimeError(f"{name} cannot be negative")


def _check_observations(self: Any) -> None:
    """Raises RuntimeError for more than two dimensions."""
    if self.ndim > 2:
        raise RuntimeError(f"expected input to have two or fewer dimensions but got {self.ndim}")


def _cov(self: Any, correction: int, fweights: Any, aweights: Any) -> Any:
    """``sum of w * (x - mean) (x - mean)^H / (sum of w - correction)``, weights as in NumPy's cov."""
    _check_observations(self)
    if self.dtype is bool_:
        raise RuntimeError("bool dtype is not supported for input")
    data = self.reshape((1, -1)) if self.ndim < 2 else self
    count = data.size(1)
    weights = None
    if fweights is not None:
        _check_weights("fweights", fweights, count, "integral")
        weights = fweights.reshape(-1)
    if aweights is not None:
        _check_weights("aweights", aweights, count, "floating point")
        weights = aweights.reshape(-1) if weights is None else weights * aweights.reshape(-1)
    if weights is None:
        total: Any = count
        mean = data.sum(1) / count if count else data.sum(1) / aten.scalar_tensor(0.0, device=data.device)
        norm: Any = count - correction
    else:
        total = weights.sum()
        if count and can_be_read(total) and bool((total == 0).item()):
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
        mean = (data * weights).sum(1) / total
        if aweights is None or correction == 0:
            norm = total - correction
        else:
            counted = aweights.reshape(-1) if fweights is None else weights * 1
            scale = counted * aweights.reshape(-1)
            norm = total - correction * scale.sum() / total
    centred = data - mean.unsqueeze(1)
    weighted = centred if weights is None else centred * weights
    conjugate = weighted.t().conj() if centred.dtype.is_complex else weighted.t()
    if isinstance(norm, Tensor):
        norm = aten.clamp_min(norm, 0)
    else:
        norm = max(norm, 0)
    covariance = aten.mm(centred, conjugate.to(centred.dtype))
    return aten.div(covariance, norm).squeeze()


cov = native_function(
    "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
    composite=_cov,
    doc="""Computes the covariance matrix (n, n) of the variables in the rows of ``self`` (n, observations).

    ``fweights`` (integers) are the frequencies of the observations, ``aweights`` (floating point) their
    importance weights.  Raises RuntimeError for bool, more than two dimensions, other dtypes of weights, and
    negative weights.""",
)


def _corrcoef(self: Any) -> Any:
    _check_observations(self)
    covariance = aten.cov(self)
    if covariance.ndim == 0:
        return covariance / covariance
    deviations = aten.real(covariance.diagonal(0, 0, 1)).sqrt()
    return covariance / deviations.view((-1, 1)) / deviations.view((1, -1))


corrcoef = native_function(
    "corrcoef(Tensor self) -> Tensor",
    composite=_corrcoef,
    doc="""Computes the matrix (n, n) of Pearson correlation coefficients of the variables in the rows of
    ``self``.""",
)
