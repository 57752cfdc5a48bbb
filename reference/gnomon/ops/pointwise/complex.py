"""Complex numbers: composed from real and imaginary parts, and decomposed into them.

``view_as_real`` and ``view_as_complex`` are views: a complex number is stored as its real part followed by
its imaginary part.  ``conj`` computes eagerly, where PyTorch sets a conjugate bit and computes later; so
``resolve_conj`` has nothing to do.
Results are computed in float64 and rounded once.
Source: aten/src/ATen/native/ComplexHelper.h, UnaryOps.cpp, TensorFactories.cpp, TensorConversions.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.iterator import TensorIterator
from ...calls.meta_functions import build_iterator, dense_like, to_float
from ...calls.native import native_function
from ...calls.record import Batching, Out
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec, spec_of
from ...memory.tensor import Tensor, alias_tensor
from ...numerics import arithmetic
from ...numerics.loops import pointwise
from ...values.dtype import complex32, float16, float32, float64

View = tuple[Spec, int]

native_function(
    "_conj_physical(Tensor self) -> Tensor",
    meta=lambda self: build_iterator([self], self.dtype, self.dtype, outputs=[dense_like(self)]),
    kernel=pointwise(lambda a: a.conjugate() if isinstance(a, complex) else a),
    limited=(complex32,),
    derivatives={"self": lambda grad: grad.conj()},
    doc="Computes the complex conjugate of each element; copies a real tensor.",
)

conj_physical = native_function(
    "conj_physical(Tensor self) -> Tensor",
    composite=lambda self: aten._conj_physical.default(self) if self._spec.dtype.is_complex else self,
    inplace=True,
    out=Out(exact=True),
    doc="Computes the complex conjugate of each element; returns a real tensor unchanged.",
)

conj = native_function(
    "conj(Tensor(a) self) -> Tensor(a)",
    composite=lambda self: self.conj_physical() if self._spec.dtype.is_complex else self,
    doc="""Returns the complex conjugate of each element, with the sizes and dtype of ``self``.

    A real tensor is returned unchanged.  Conjugation is computed eagerly; PyTorch sets a conjugate bit.""",
)

resolve_conj = native_function(
    "resolve_conj(Tensor(a) self) -> Tensor(a)",
    composite=lambda self: self,
    doc="Returns the tensor itself, with its sizes and dtype: there is no conjugate bit as in PyTorch.",
)

resolve_neg = native_function(
    "resolve_neg(Tensor(a) self) -> Tensor(a)",
    composite=lambda self: self,
    doc="Returns the tensor itself, with its sizes and dtype: there is no negative bit as in PyTorch.",
)

is_conj = native_function(
    "is_conj(Tensor self) -> bool",
    composite=lambda self: False,
    doc="Returns False: there is no conjugate bit as in PyTorch.",
)

is_neg = native_function(
    "is_neg(Tensor self) -> bool",
    composite=lambda self: False,
    doc="Returns False: there is no negative bit as in PyTorch.",
)


def _view_as_real(self: Spec) -> View:
    if not self.dtype.is_complex:
        raise RuntimeError(f"view_as_real is only supported for complex tensors, but got {self.dtype.name}")
    strides = (*(2 * stride for stride in self.strides), 1)
    return spec_of((*self.sizes, 2), strides, self.dtype.to_real(), self.device), 0


view_as_real = native_function(
    "view_as_real(Tensor(a) self) -> Tensor(a)",
    variants="function",
    view=_view_as_real,
    derivatives={"self": lambda grad: aten.view_as_complex.default(grad.contiguous())},
    doc="""Returns a view with a new last dimension of size 2: the real and the imaginary part.

    Raises RuntimeError for a real tensor.""",
)


def _view_as_complex(self: Tensor) -> Tensor:
    spec = self._spec
    if spec.dtype not in (float16, float32, float64):
        raise RuntimeError(
            f"view_as_complex is only supported for half, float and double tensors, but got {spec.dtype.name}"
        )
    if not spec.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if spec.sizes[-1] != 2:
        raise RuntimeError(f"Tensor must have a last dimension of size 2, but got {spec.sizes[-1]}")
    if spec.strides[-1] != 1:
        raise RuntimeError(f"Tensor must have a last dimension with stride 1, but got {spec.strides[-1]}")
    if any(stride % 2 for size, stride in zip(spec.sizes[:-1], spec.strides) if size != 1):
        raise RuntimeError(
            "Tensor must have a stride divisible by 2 for all but last dimension, but got "
            f"{list(spec.strides)}"
        )
    if self._storage_offset % 2:
        raise RuntimeError(f"Tensor must have a storage_offset divisible by 2, got {self._storage_offset}")
    strides = tuple(stride // 2 for stride in spec.strides[:-1])
    whole = spec_of(spec.sizes[:-1], strides, spec.dtype.to_complex(), spec.device)
    return alias_tensor(self, whole, self._storage_offset // 2)


view_as_complex = native_function(
    "view_as_complex(Tensor(a) self) -> Tensor(a)",
    variants="function",
    explicit=_view_as_complex,
    derivatives={"self": lambda grad: aten.view_as_real.default(grad.contiguous())},
    batching=Batching("leading", 1),
    doc="""Returns a complex view (*) of real and imaginary parts (*, 2), in float16, float32 or float64.

    Raises RuntimeError for other dtypes, for a last dimension without size 2 and stride 1, and for an odd
    storage offset or other stride.""",
)


def _part(self: Any, index: int) -> Any:
    return aten.select.int(aten.view_as_real.default(self), -1, index)


real = native_function(
    "real(Tensor(a) self) -> Tensor(a)",
    variants="function",
    composite=lambda self: _part(self, 0) if self._spec.dtype.is_complex else self,
    doc="""Returns a view of the real parts; a real tensor is returned unchanged.

    The result has the sizes of ``self`` and the corresponding real dtype.""",
)


def _imag(self: Any) -> Any:
    if not self._spec.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return _part(self, 1)


imag = native_function(
    "imag(Tensor(a) self) -> Tensor(a)",
    variants="function",
    composite=_imag,
    doc="""Returns a view of the imaginary parts.  Raises RuntimeError for a real tensor.

    The result has the sizes of ``self`` and the corresponding real dtype.""",
)


def _adjoint(self: Any) -> Any:
    if self._spec.ndim == 1:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor."
        )
    turned = self.transpose(-2, -1) if self._spec.ndim else self
    return turned.conj()


adjoint = native_function(
    "adjoint(Tensor(a) self) -> Tensor(a)",
    composite=_adjoint,
    doc="Returns the complex conjugate with the last two dimensions transposed; for a real tensor, a view.",
)


def _parts_meta(first: Spec, second: Spec) -> TensorIterator:
    """Requires two tensors of one dtype, float16, float32 or float64; the result is complex."""
    for each in (first, second):
        if each.dtype not in (float16, float32, float64):
            raise RuntimeError(
                f"Expected both inputs to be Half, Float or Double tensors but got {first.dtype.name} and "
                f"{second.dtype.name}"
            )
    if first.dtype is not second.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {first.dtype.name} but got scalar type {second.dtype.name} for "
            "second argument"
        )
    return build_iterator([first, second], first.dtype.to_complex(), first.dtype)


complex_ = native_function(
    "complex(Tensor real, Tensor imag) -> Tensor",
    meta=_parts_meta,
    kernel=pointwise(complex),
    limited=(complex32,),
    derivatives={"real": lambda grad: aten.real(grad), "imag": lambda grad: aten.imag(grad)},
    out=Out(exact=True),
    doc="""Creates complex numbers from real and imaginary parts, which broadcast: both float16, both
    float32 or both float64.""",
)


def _polar_grad(grad: Any, result: Any) -> tuple[Any, Any]:
    """The components of ``grad`` along the number's direction and perpendicular to it.  At 0, which has no
    direction, the first is 0.
    """
    turned = grad.conj()
    return aten.real(turned * result.sgn()), aten.real(turned * (result * 1j))


def _polar(modulus: float, phase: float) -> complex:
    return complex(modulus * arithmetic.cos(phase), modulus * arithmetic.sin(phase))


polar = native_function(
    "polar(Tensor abs, Tensor angle) -> Tensor",
    meta=_parts_meta,
    kernel=pointwise(_polar),
    derivatives={"abs, angle": _polar_grad},
    out=Out(exact=True),
    doc="Computes ``abs * (cos(angle) + i sin(angle))`` for operands that are both float32 or both float64.",
)


def _angle_meta(self: Spec) -> TensorIterator:
    """The result is real floating point; for a complex input it is contiguous, whatever the strides."""
    common = to_float(self.dtype)
    found = build_iterator([self], common.to_real(), common)
    return found.with_outputs([self.contiguous(None, common.to_real())]) if common.is_complex else found


def _angle(a: Any) -> float:
    if isinstance(a, complex):
        return math.atan2(a.imag, a.real)
    return a if a != a else math.pi if a < 0 else 0.0


def _angle_grad(grad: Any, self: Any) -> Any:
    """``grad * i * self / |self|**2``, 0 at 0; for real numbers 0 everywhere."""
    if not self._spec.dtype.is_complex:
        return aten.zeros_like(self)
    at_zero = self == 0
    modulus = self.abs().masked_fill(at_zero, 1)  # so that masked elements do not become inf
    return (grad * ((self * 1j) / (modulus * modulus))).masked_fill(at_zero, 0)


angle = native_function(
    "angle(Tensor self) -> Tensor",
    meta=_angle_meta,
    kernel=pointwise(_angle),
    derivatives={"self": _angle_grad},
    out="out",
    doc="""Computes the angle of each element in radians, from -pi to pi.

    For a real dtype it is pi for negative elements, else 0.  The result is floating point, with the operand's
    sizes.""",
)
