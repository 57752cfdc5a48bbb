"""Discrete Fourier transforms.

Element k of a transform of n elements is the sum of x[j] * w ** (j * k) over all j, with w = exp(-2 * pi * i
/ n) forward and its conjugate backward; over several dimensions, one after the other.  The sum is computed
directly from this definition, in n steps per element: multiples of a quarter of the circle are exact roots of
unity, each sum is exactly rounded in float64, and results are scaled and rounded once to the dtype.

``normalization``: 0 none, 1 divides by the square root of the number of elements transformed, 2 by that
number.

Source: aten/src/ATen/native/SpectralOps.cpp, mkl/SpectralOps.cpp (for the strides of results).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

from ...calls.iterator import converted_spec
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor, elements
from ...memory.spec import Spec, spec_of
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide, exact_sum
from ...values import geometry
from ...values.dtype import bfloat16, complex64, complex128, float16, float32, float64, get_default_dtype
from ...values.geometry import Ints, wrap_dim, wrap_dims

_COMPLEX = {float32: complex64, float64: complex128}
_REAL = {complex64: float32, complex128: float64}

# ---------------------------------------------------------------------------------------------------------
# The transform of a list, and of a tensor's elements along its dimensions.


def _roots(count: int, forward: bool) -> list[complex]:
    """The powers 0 … count - 1 of w, for n = count."""
    sign = -1 if forward else 1
    roots = []
    for k in range(count):
        quarter, rest = divmod(4 * k, count)  # quadrant, and the position in it
        root = cmath.exp(0.5j * math.pi * rest / count) if rest else 1 + 0j
        for _ in range(quarter):
            root = complex(-root.imag, root.real)
        roots.append(complex(root.real, sign * root.imag))
    return roots


def _transform(numbers: Sequence[Any], roots: Sequence[complex], count: int) -> list[complex]:
    """The first ``count`` elements of the transform of ``numbers``."""
    n = len(numbers)
    return [
        exact_sum([complex(number) * roots[j * k % n] for j, number in enumerate(numbers)])
        for k in range(count)
    ]


def _along(
    numbers: list[Any], sizes: Ints, dim: int, function: Callable[[list[Any]], list[Any]]
) -> tuple[list[Any], Ints]:
    """Applies ``function`` to each row along ``dim`` of elements in row-major order; returns the new elements
    and sizes.
    """
    inner = geometry.numel_of(sizes[dim + 1 :])
    outer = geometry.numel_of(sizes[:dim])
    size = sizes[dim]
    rows = []
    for block in range(outer):
        start = block * size * inner
        rows.append([function(numbers[start + at : start + size * inner : inner]) for at in range(inner)])
    count = len(rows[0][0]) if rows and rows[0] else size
    made = [rows[block][at][k] for block in range(outer) for k in range(count) for at in range(inner)]
    return made, (*sizes[:dim], count, *sizes[dim + 1 :])


def _transformed(numbers: list[Any], sizes: Ints, dims: Sequence[int], forward: bool) -> list[Any]:
    """The complex transform along each of ``dims``."""
    for dim in dims:
        roots = _roots(sizes[dim], forward)
        numbers, sizes = _along(
            numbers,
            sizes,
            dim,
            lambda row, roots=roots: _transform(row, roots, len(row)),  # type: ignore[misc]
        )
    return numbers


def _store(output: Tensor, numbers: Sequence[Any], count: int, normalization: int) -> None:
    """Writes the elements, in row-major order, normalized for ``count`` transformed elements."""
    by = {0: 1.0, 1: math.sqrt(count), 2: float(count)}[normalization]
    accessor = TensorAccessor(output)
    for offset, number in zip(accessor.offsets(), numbers):
        accessor.write(offset, number if by == 1.0 else number / by)


# ---------------------------------------------------------------------------------------------------------
# The three operators.


def _check(self: Spec, dim: Sequence[int], normalization: int, known: dict[Any, Any], what: str) -> Ints:
    """The dimensions as non-negative ints.

    Raises RuntimeError for an unsupported dtype or normalization, and for a dimension without elements.
    """
    if self.dtype not in known:
        raise RuntimeError(
            f"Only supports {what} of single or double precision, but found: {self.dtype.name}"
        )
    if normalization not in (0, 1, 2):
        raise RuntimeError(f"normalization has to be 0, 1 or 2, but got {normalization}")
    dims = wrap_dims(dim, self.ndim)
    for each in dims:
        _check_count(self.sizes[each])
    return dims


def _in_front(ndim: int, dims: Sequence[int]) -> list[int]:
    """The dimensions that are not in ``dims``, in the order in which C++'s std::partition moves them to the
    front.

    If strides are equal, that order decides the result's strides.
    """
    order = list(range(ndim))
    first, last = 0, ndim
    while True:
        while first < last and order[first] not in dims:
            first += 1
        last -= 1
        while first < last and order[last] in dims:
            last -= 1
        if first >= last:
            return order[:first]
        order[first], order[last] = order[last], order[first]
        first += 1


def _laid(self: Spec, sizes: Ints, dims: Sequence[int], dtype: Any) -> Spec:
    """A result with MKL's strides: ``dims`` innermost in their order, the others in the input's order."""
    batch = sorted(_in_front(self.ndim, dims), key=lambda d: -self.strides[d])
    strides = [0] * self.ndim
    step = 1
    for dim in reversed([*batch, *dims]):
        strides[dim] = step
        step *= max(sizes[dim], 1)
    return spec_of(sizes, tuple(strides), dtype, self.device)


def _by_stride(self: Spec, dims: Ints) -> Ints:
    return tuple(sorted(dims, key=lambda dim: -self.strides[dim]))


def _c2c_meta(self: Spec, dim: Sequence[int], normalization: int, forward: bool) -> Spec:
    dims = _check(self, dim, normalization, _REAL, "complex dtypes")
    if not dims:
        return converted_spec(self, self.dtype)
    return _laid(self, self.sizes, _by_stride(self, dims), self.dtype)


def _c2c_kernel(output: Tensor, self: Tensor, dim: Sequence[int], normalization: int, forward: bool) -> None:
    sizes = self._spec.sizes
    dims = wrap_dims(dim, len(sizes))
    numbers = _transformed(elements(self), sizes, dims, forward)
    _store(output, numbers, geometry.numel_of([sizes[each] for each in dims]), normalization)


native_function(
    "_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor",
    meta=_c2c_meta,
    kernel=_c2c_kernel,
    derivatives={
        "self": lambda grad, dim, normalization, forward: aten._fft_c2c.default(
            grad, dim, normalization, not forward
        )
    },
    node_name="FftC2CBackward0",
    out=Out(row_major=True),
    variants="function",
    doc="Computes the Fourier transform of complex input along dimensions ``dim``, or the inverse one.",
)


def _r2c_meta(self: Spec, dim: Sequence[int], normalization: int, onesided: bool) -> Spec:
    dims = _check(self, dim, normalization, _COMPLEX, "floating-point dtypes")
    if not dims:
        raise RuntimeError("dim must contain at least one dimension")
    sizes = list(self.sizes)
    if onesided:
        sizes[dims[-1]] = sizes[dims[-1]] // 2 + 1
    order = (*_by_stride(self, dims[:-1]), dims[-1])
    return _laid(self, tuple(sizes), order, _COMPLEX[self.dtype])


def _r2c_kernel(output: Tensor, self: Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> None:
    """The complex transform along the last dimension, of which only the output's elements are computed, then
    along the others.
    """
    sizes = self._spec.sizes
    dims = wrap_dims(dim, len(sizes))
    last = dims[-1]
    roots = _roots(sizes[last], True)
    kept = output._spec.sizes[last]
    numbers, now = _along(elements(self), sizes, last, lambda row: _transform(row, roots, kept))
    numbers = _transformed(numbers, now, dims[:-1], True)
    _store(output, numbers, geometry.numel_of([sizes[each] for each in dims]), normalization)


def _r2c_backward(grad: Any, self_sizes: Ints, dim: Sequence[int], normalization: int, onesided: bool) -> Any:
    """Pads the half that was left out with zeros; then the real part of the inverse transform."""
    last = wrap_dim(dim[-1], grad.ndim)
    missing = self_sizes[last] - grad.size(last)
    if onesided and missing > 0:
        pads = [0, 0] * (grad.ndim - 1 - last) + [0, missing]
        grad = aten.constant_pad_nd.default(grad, pads, 0)
    return aten.real.default(aten._fft_c2c.default(grad, dim, normalization, False))


native_function(
    "_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
    meta=_r2c_meta,
    kernel=_r2c_kernel,
    derivatives={"self": _r2c_backward},
    node_name="FftR2CBackward0",
    out=Out(row_major=True),
    variants="function",
    doc="""Computes the Fourier transform of real input along dimensions ``dim``; if ``onesided``, only the
    first n // 2 + 1 elements of the last one, since the others are their conjugates.""",
)


def _c2r_meta(self: Spec, dim: Sequence[int], normalization: int, last_dim_size: int) -> Spec:
    dims = _check(self, dim, normalization, _REAL, "complex dtypes")
    if not dims:
        raise RuntimeError("dim must contain at least one dimension")
    last = dims[-1]
    if last_dim_size < 1 or self.sizes[last] < last_dim_size // 2 + 1:
        raise RuntimeError(
            f"last_dim_size {last_dim_size} does not fit {self.sizes[last]} elements along dimension {last}"
        )
    sizes = tuple(last_dim_size if d == last else size for d, size in enumerate(self.sizes))
    between = self if len(dims) == 1 else _laid(self, self.sizes, _by_stride(self, dims[:-1]), self.dtype)
    return _laid(between, sizes, (last,), _REAL[self.dtype])


def _c2r_kernel(
    output: Tensor, self: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int
) -> None:
    """The inverse transform; along the last dimension the missing half is filled in with conjugates."""
    sizes = self._spec.sizes
    dims = wrap_dims(dim, len(sizes))
    numbers = _transformed(elements(self), sizes, dims[:-1], False)
    n = last_dim_size
    roots = _roots(n, False)

    def row_back(row: list[Any]) -> list[float]:
        half = list(row[: n // 2 + 1])
        whole = half + [half[n - k].conjugate() for k in range(n // 2 + 1, n)]
        whole[0] = complex(whole[0].real)
        if n % 2 == 0:
            whole[n // 2] = complex(whole[n // 2].real)
        return [number.real for number in _transform(whole, roots, n)]

    numbers, now = _along(numbers, sizes, dims[-1], row_back)
    _store(output, numbers, geometry.numel_of([now[each] for each in dims]), normalization)


def _c2r_backward(grad: Any, dim: Sequence[int], normalization: int, last_dim_size: int) -> Any:
    """The transform of the gradient; elements that also stood for their conjugates count twice."""
    found = aten._fft_r2c.default(grad, dim, normalization, True)
    last = wrap_dim(dim[-1], grad.ndim)
    twice = last_dim_size - found.size(last)
    if twice <= 0:
        return found
    shape = [found.size(last) if d == last else 1 for d in range(found.ndim)]
    scale = aten.ones((found.size(last),), dtype=grad.dtype, device=grad.device)
    scale.narrow(0, 1, twice).fill_(2.0)
    return found * scale.view(shape)


native_function(
    "_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor",
    meta=_c2r_meta,
    kernel=_c2r_kernel,
    derivatives={"self": _c2r_backward},
    node_name="FftC2RBackward0",
    out=Out(row_major=True),
    variants="function",
    doc="""Computes the inverse of a onesided Fourier transform, with ``last_dim_size`` real elements in the
    last dimension.

    The imaginary parts of the first element, and for an even size of the last, are ignored.""",
)


# ---------------------------------------------------------------------------------------------------------
# The public operators, with sizes and with normalization by name.


def _norm(norm: str | None, forward: bool) -> int:
    """The number of a normalization.  Raises RuntimeError for an unknown name."""
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm == "ortho":
        return 1
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _promoted(self: Any, to_complex: bool = False) -> Any:
    """``self`` converted to a dtype that can be transformed.  Raises RuntimeError for half precision."""
    dtype = self.dtype
    if dtype.is_complex:
        return self
    if not dtype.is_floating_point:
        dtype = get_default_dtype()
    if dtype not in _COMPLEX:
        raise RuntimeError(f"Unsupported dtype {dtype.name}")
    wanted = _COMPLEX[dtype] if to_complex else dtype
    return self if self.dtype is wanted else self.to(wanted)


def _resized(self: Any, dims: Sequence[int], sizes: Sequence[int]) -> Any:
    """``self`` truncated or zero-padded to ``sizes`` along ``dims``."""
    pads = [0, 0] * self.ndim
    for dim, size in zip(dims, sizes):
        have = self.size(dim)
        if have > size:
            self = self.narrow(dim, 0, size)
        pads[2 * (self.ndim - 1 - dim) + 1] = max(size - have, 0)
    return aten.constant_pad_nd.default(self, pads, 0) if any(pads) else self


def _check_count(count: int) -> None:
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified")


def _conjugated(self: Any) -> Any:
    return aten.conj_physical.default(self)


def _complex_1d(self: Any, n: int | None, dim: int, norm: str | None, *, forward: bool) -> Any:
    """fft and ifft; a real input goes through the real transform, but the whole result is returned."""
    if not self.dtype.is_complex:
        return _real_1d("fft", self, n, dim, norm, forward=forward, onesided=False)
    dim = wrap_dim(dim, self.ndim, wrap_scalar=False)
    count = self.size(dim) if n is None else n
    _check_count(count)
    return aten._fft_c2c.default(_resized(self, [dim], [count]), (dim,), _norm(norm, forward), forward)


def _real_1d(
    name: str, self: Any, n: int | None, dim: int, norm: str | None, *, forward: bool, onesided: bool
) -> Any:
    """rfft and, without ``forward``, ihfft."""
    if self.dtype.is_complex:
        raise RuntimeError(f"{name} expects a real input tensor, but got {self.dtype.name}")
    input = _promoted(self)
    dim = wrap_dim(dim, self.ndim, wrap_scalar=False)
    count = input.size(dim) if n is None else n
    _check_count(count)
    found = aten._fft_r2c.default(_resized(input, [dim], [count]), (dim,), _norm(norm, forward), onesided)
    return found if forward else found.conj_physical_()  # in place, which keeps the strides


def _to_real_1d(self: Any, n: int | None, dim: int, norm: str | None, *, forward: bool) -> Any:
    """irfft and, with ``forward``, hfft."""
    input = _promoted(self, True)
    dim = wrap_dim(dim, self.ndim, wrap_scalar=False)
    count = 2 * (input.size(dim) - 1) if n is None else n
    _check_count(count)
    input = _resized(input, [dim], [count // 2 + 1])
    if forward:
        input = _conjugated(input)
    return aten._fft_c2r.default(input, (dim,), _norm(norm, forward), count)


def _shape_and_dims(self: Any, s: Any, dim: Any) -> tuple[list[int], Ints]:
    """Canonicalizes ``s`` and ``dim``.  Source: canonicalize_fft_shape_and_dim_args."""
    dims: Ints = tuple(range(self.ndim))
    if dim is not None:
        dims = tuple(wrap_dim(each, self.ndim, wrap_scalar=False) for each in dim)
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is not None:
        if dim is not None and len(dim) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > self.ndim:
            raise RuntimeError(
                f"Got shape with {len(s)} values but input tensor only has {self.ndim} dimensions."
            )
        if dim is None:
            dims = dims[self.ndim - len(s) :]
    shape = [
        self.size(each) if s is None or s[number] == -1 else s[number] for number, each in enumerate(dims)
    ]
    for count in shape:
        _check_count(count)
    return shape, dims


def _complex_nd(self: Any, s: Any, dim: Any, norm: str | None, *, forward: bool) -> Any:
    shape, dims = _shape_and_dims(self, s, dim)
    input = _resized(_promoted(self, True), dims, shape)
    return aten._fft_c2c.default(input, dims, _norm(norm, forward), forward)


def _rfftn(self: Any, s: Any, dim: Any, norm: str | None) -> Any:
    if self.dtype.is_complex:
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {self.dtype.name}")
    shape, dims = _shape_and_dims(self, s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    return aten._fft_r2c.default(_resized(_promoted(self), dims, shape), dims, _norm(norm, True), True)


def _irfftn(self: Any, s: Any, dim: Any, norm: str | None) -> Any:
    shape, dims = _shape_and_dims(self, s, dim)
    if not dims:
        raise RuntimeError("irfftn must transform at least one axis")
    count = 2 * (self.size(dims[-1]) - 1) if s is None or s[-1] == -1 else shape[-1]
    _check_count(count)
    input = _resized(_promoted(self, True), dims, [*shape[:-1], count // 2 + 1])
    return aten._fft_c2r.default(input, dims, _norm(norm, False), count)


def _row_major(name: str) -> Any:
    """Is a resized ``out=`` contiguous?  Not if the conjugate of a transform is copied to it."""
    return (lambda self, *options: self.dtype.is_complex) if name == "ifft" else name != "ihfft"


_ONE = "Tensor self, SymInt? n=None, int dim=-1, str? norm=None"
_PLANE = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None"
_ALL = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None"

for _name, _arguments, _function, _doc in (
    (
        "fft",
        _ONE,
        lambda *given: _complex_1d(*given, forward=True),
        "Computes the Fourier transform along ``dim``.",
    ),
    (
        "ifft",
        _ONE,
        lambda *given: _complex_1d(*given, forward=False),
        "Computes the inverse Fourier transform along ``dim``.",
    ),
    (
        "rfft",
        _ONE,
        lambda *given: _real_1d("rfft", *given, forward=True, onesided=True),
        "Computes the first n // 2 + 1 elements of the Fourier transform of real input along ``dim``.",
    ),
    (
        "irfft",
        _ONE,
        lambda *given: _to_real_1d(*given, forward=False),
        "Computes the inverse of rfft along ``dim``: ``n`` real elements, by default 2 * (size - 1).",
    ),
    (
        "hfft",
        _ONE,
        lambda *given: _to_real_1d(*given, forward=True),
        "Computes the real Fourier transform along ``dim`` of a Hermitian signal, given by its first half.",
    ),
    (
        "ihfft",
        _ONE,
        lambda *given: _real_1d("ihfft", *given, forward=False, onesided=True),
        "Computes the inverse of hfft along ``dim``.",
    ),
    (
        "fft2",
        _PLANE,
        lambda *given: _complex_nd(*given, forward=True),
        "Computes the Fourier transform along two dimensions.",
    ),
    (
        "ifft2",
        _PLANE,
        lambda *given: _complex_nd(*given, forward=False),
        "Computes the inverse Fourier transform along two dimensions.",
    ),
    (
        "rfft2",
        _PLANE,
        _rfftn,
        "Computes the Fourier transform of real input along two dimensions, onesided in the last one.",
    ),
    ("irfft2", _PLANE, _irfftn, "Computes the inverse of rfft2, which is real."),
    (
        "fftn",
        _ALL,
        lambda *given: _complex_nd(*given, forward=True),
        "Computes the Fourier transform along dimensions ``dim``, by default all.",
    ),
    (
        "ifftn",
        _ALL,
        lambda *given: _complex_nd(*given, forward=False),
        "Computes the inverse Fourier transform along dimensions ``dim``, by default all.",
    ),
    (
        "rfftn",
        _ALL,
        _rfftn,
        "Computes the Fourier transform of real input along dimensions ``dim``, onesided in the last one.",
    ),
    ("irfftn", _ALL, _irfftn, "Computes the inverse of rfftn, which is real."),
):
    native_function(
        f"fft_{_name}({_arguments}) -> Tensor",
        python_module="fft",
        composite=_function,
        out=Out(
            row_major=_row_major(_name),
            exact=_name == "ihfft",
            dtypes=(float16, bfloat16, float32, float64) if _name.startswith(("irfft", "hfft")) else (),
        ),
        variants="function",
        doc=f"{_doc}\n\nThe input is first truncated or zero-padded to the given size.  ``norm``: 'backward' "
        "(None) divides the inverse transform by the number of elements, 'forward' the forward transform, "
        "'ortho' both by its square root.  Raises RuntimeError for half precision and sizes less than 1.",
    )


# ---------------------------------------------------------------------------------------------------------
# fftfreq, rfftfreq, fftshift, ifftshift.

_OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"


def _frequencies(n: int, d: float, onesided: bool, dtype: Any, *options: Any) -> Any:
    """0, 1, 2 … divided by n * d; the upper half is negative, or left out if ``onesided``."""
    dtype = dtype or get_default_dtype()
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"fftfreq requires a floating point or complex dtype, but got {dtype.name}")
    result = aten.arange.default(n // 2 + 1 if onesided else n, dtype, *options)
    if not onesided:
        positive = (n + 1) // 2
        result.narrow(0, positive, n - positive).sub_(n)
    return result.mul_(divide(1.0, n * d))


native_function(
    f"fft_fftfreq(int n, float d=1.0, {_OPTIONS}) -> Tensor",
    python_module="fft",
    composite=lambda n, d, *options: _frequencies(n, d, False, *options),
    variants="function",
    doc="""Returns the frequencies of fft's elements, for ``n`` samples at distance ``d``: 0, 1, …, -2, -1
    over n * d.""",
)

native_function(
    f"fft_rfftfreq(int n, float d=1.0, {_OPTIONS}) -> Tensor",
    python_module="fft",
    composite=lambda n, d, *options: _frequencies(n, d, True, *options),
    variants="function",
    doc="""Returns the frequencies of rfft's elements, for ``n`` samples at distance ``d``: 0, 1, …, n // 2
    over n * d.""",
)


def _shift(self: Any, dim: Any, back: bool) -> Any:
    dims = tuple(range(self.ndim)) if dim is None else tuple(dim)
    shifts = []
    for each in dims:
        size = self.size(wrap_dim(each, self.ndim))
        shifts.append((size + 1) // 2 if back else size // 2)
    return aten.roll.default(self, tuple(shifts), dims)


native_function(
    "fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor",
    python_module="fft",
    composite=lambda self, dim: _shift(self, dim, False),
    variants="function",
    doc="Shifts frequency 0 from the start to the center of each dimension in ``dim``, by default all.",
)

native_function(
    "fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor",
    python_module="fft",
    composite=lambda self, dim: _shift(self, dim, True),
    variants="function",
    doc="Shifts frequency 0 from the center to the start: the inverse of fftshift.",
)
