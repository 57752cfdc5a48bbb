"""Types of memory/tensor.py and of Tensor's methods.  Written by tools/make_stubs.py."""

import builtins
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from types import EllipsisType
from typing import Any, Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias, TypeVar, overload
from weakref import ReferenceType

from numpy.typing import NDArray
from typing_extensions import Self

from ..autograd.hooks import RemovableHandle
from ..autograd.node import Node
from ..numerics.generator import Generator
from ..quantized.quantizer import qscheme
from ..values.device import device, layout, memory_format
from ..values.dispatch_key import DispatchKeySet
from ..values.dtype import dtype
from ..values.geometry import Size
from .spec import Spec
from .storage import Storage

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_qscheme: TypeAlias = qscheme
_memory_format: TypeAlias = memory_format
_Device: TypeAlias = device | str | _int
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | builtins.complex
_Operand: TypeAlias = Tensor | _Scalar
_Self = TypeVar("_Self", bound=Tensor)
_Element_co = TypeVar("_Element_co", covariant=True)

class _Array(Protocol):
    """An array of NumPy or of another library, but no scalar."""
    def __len__(self) -> _int: ...
    def __array__(self) -> Any: ...

class _Nested(Protocol[_Element_co]):
    """A sequence, perhaps of sequences; no str or bytes, where ``in`` does not take any object."""
    def __len__(self) -> _int: ...
    @overload
    def __getitem__(self, index: _int, /) -> _Element_co | _Nested[_Element_co]: ...
    @overload
    def __getitem__(self, index: slice, /) -> object: ...
    def __contains__(self, value: object, /) -> _bool: ...

_Bound: TypeAlias = SupportsIndex | None
_Place: TypeAlias = SupportsIndex | slice[_Bound, _Bound, _Bound] | EllipsisType | Tensor | _Array | None
_Index: TypeAlias = _Place | _Nested[_Place] | deque[Any]

class __fused_moving_avg_obs_fq_helper_result(NamedTuple):
    output: Tensor
    mask: Tensor

class _aminmax_result(NamedTuple):
    min: Tensor
    max: Tensor

class _cummax_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _cummin_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _fake_quantize_per_channel_affine_cachemask_result(NamedTuple):
    output: Tensor
    mask: Tensor

class _fake_quantize_per_tensor_affine_cachemask_result(NamedTuple):
    output: Tensor
    mask: Tensor

class _frexp_result(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class _geqrf_result(NamedTuple):
    a: Tensor
    tau: Tensor

class _histogram_result(NamedTuple):
    hist: Tensor
    bin_edges: Tensor

class _kthvalue_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _lu_unpack_result(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class _max_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _median_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _min_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _mode_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _nanmedian_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _qr_result(NamedTuple):
    Q: Tensor
    R: Tensor

class _slogdet_result(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class _sort_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _svd_result(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class _topk_result(NamedTuple):
    values: Tensor
    indices: Tensor

class _triangular_solve_result(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor

class VersionCounter:
    value: Any
    views: Any
    def __init__(self, value: _int = ...) -> None:
        """Initialize self.  See help(type(self)) for accurate signature."""
    def add_view(self, view: Tensor) -> None:
        """Keep a weak reference to ``view``; dead references are dropped whenever the list has doubled."""
    def views_require_grad(self, base: Tensor) -> None:
        """Make the views of ``base`` require grad, because ``base`` now does."""

class AutogradMeta:
    accumulator_edge: Any
    grad: Any
    is_parameter: Any
    post_accumulate_grad_hooks: Any
    requires_grad: Any
    retain_hook: Any
    tangents: Any
    def __init__(self) -> None:
        """Initialize self.  See help(type(self)) for accurate signature."""

class CreationMeta(IntEnum):
    DEFAULT = 0
    IN_CUSTOM_FUNCTION = 1
    MULTI_OUTPUT_NODE = 2
    NO_GRAD_MODE = 3
    INFERENCE_MODE = 4

class Tensor:
    _autograd_meta: AutogradMeta | None
    _gradient_edge: tuple[Any, _int] | None
    _keys: _int
    _spec: Spec
    _storage: Storage | None
    _storage_offset: _int
    _version_counter: VersionCounter | None
    _view_of: tuple[Tensor, _int, _int] | None
    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix.  Raises RuntimeError for any other number of dimensions."""
    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reverse order, a view; for matrices, the transpose."""
    @property
    def _address(self) -> _float:
        """``data_ptr()`` as the float that kernels take (exact below 2**53); 0.0 if memory has no address."""
    @property
    def _base(self) -> Tensor | None:
        """The tensor that this one is a view of, or None."""
    def _coalesced_(self, coalesced: _bool) -> Tensor:
        """_coalesced_(Tensor(a!) self, bool coalesced) -> Tensor(a!)

        Declare whether the indices are unique and sorted, which is not checked; returns ``self``.
        """
    def _dimI(self) -> _int:
        """_dimI(Tensor self) -> int

        The number of dimensions that the indices have; 0 for a strided tensor.
        """
    def _dimV(self) -> _int:
        """_dimV(Tensor self) -> int

        The number of dimensions that each value has; all those of a strided tensor.
        """
    def _dispatch_keys(self) -> DispatchKeySet:
        """The dispatch keys that this tensor carries."""
    def _indices(self) -> Tensor:
        """_indices(Tensor(a) self) -> Tensor(a)

        The indices of a sparse tensor, also of one that is not coalesced; not differentiable.
        """
    def _int_mm(self, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """_int_mm(Tensor self, Tensor mat2) -> Tensor

        Computes the product of an int8 or uint8 matrix, (n, k), and an int8 one, (k, m), with sums in
        int32, which wrap around.
        """
    def _is_all_true(self) -> Tensor:
        """_is_all_true(Tensor self) -> Tensor

        ``all`` of a bool tensor.  Raises RuntimeError for other dtypes.
        """
    def _is_any_true(self) -> Tensor:
        """_is_any_true(Tensor self) -> Tensor

        ``any`` of a bool tensor.  Raises RuntimeError for other dtypes.
        """
    def _is_view(self) -> _bool:
        """Is this a view that autograd tracks?"""
    @staticmethod
    def _make_subclass(cls: builtins.type[_Self], data: Tensor, require_grad: _bool = ...) -> _Self:
        """A leaf of class ``cls`` that shares the data of ``data``.  Source: torch.Tensor._make_subclass."""
    def _nnz(self) -> _int:
        """_nnz(Tensor self) -> int

        The number of specified elements, those that are specified several times included.
        """
    def _sparse_mask_projection(self, mask: Tensor, accumulate_matches: _bool = ...) -> Tensor:
        """_sparse_mask_projection(Tensor self, Tensor mask, bool accumulate_matches=False) -> Tensor

        The sparse tensor ``self``, with zeros for the values at indices that ``mask`` does not have.
        """
    def _take_data(self, source: Any) -> None:
        """Share the data of ``source``, which has the same layout, in place of its own."""
    def _values(self) -> Tensor:
        """_values(Tensor(a) self) -> Tensor(a)

        The values of a sparse tensor, also of one that is not coalesced; not differentiable.
        """
    @property
    def _version(self) -> _int:
        """The number of in-place writes to this tensor, its base or its views."""
    def abs(self, *, out: Tensor | None = ...) -> Tensor:
        """abs(Tensor self) -> Tensor

        Computes the absolute value of each element; its gradient at 0 is 0.
        """
    def abs_(self) -> Tensor:
        """abs_(Tensor(a!) self) -> Tensor(a!)

        In-place version of abs.
        """
    def absolute(self, *, out: Tensor | None = ...) -> Tensor:
        """absolute(Tensor self) -> Tensor

        Alias for ``abs``.
        """
    def absolute_(self) -> Tensor:
        """absolute_(Tensor(a!) self) -> Tensor(a!)

        In-place version of absolute.
        """
    def acos(self, *, out: Tensor | None = ...) -> Tensor:
        """acos(Tensor self) -> Tensor

        Computes the arccosine of each element, from 0 to pi; NaN outside [-1, 1] for real numbers.
        """
    def acos_(self) -> Tensor:
        """acos_(Tensor(a!) self) -> Tensor(a!)

        In-place version of acos.
        """
    def acosh(self, *, out: Tensor | None = ...) -> Tensor:
        """acosh(Tensor self) -> Tensor

        Computes the nonnegative inverse hyperbolic cosine of each element; NaN below 1 for real numbers.
        """
    def acosh_(self) -> Tensor:
        """acosh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of acosh.
        """
    def add(self, other: _Operand, *, alpha: _Scalar = ..., out: Tensor | None = ...) -> Tensor:
        """add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

        Computes ``self + alpha * other``.
        """
    def add_(self, other: _Operand, *, alpha: _Scalar = ...) -> Tensor:
        """add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

        In-place version of add.
        """
    def addbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: _Scalar = ...,
        alpha: _Scalar = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

        Computes ``beta * self + alpha * sum over b of (batch1[b] @ batch2[b])``: (b, n, k) and (b, k, m)
        give (n, m).
        """
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...) -> Tensor:
        """addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

        In-place version of addbmm.
        """
    def addcdiv(
        self, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ..., out: Tensor | None = ...
    ) -> Tensor:
        """addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor

        Computes ``self + value * tensor1 / tensor2``.
        """
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ...) -> Tensor:
        """addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)

        In-place version of addcdiv.
        """
    def addcmul(
        self, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ..., out: Tensor | None = ...
    ) -> Tensor:
        """addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor

        Computes ``self + value * tensor1 * tensor2``.
        """
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ...) -> Tensor:
        """addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)

        In-place version of addcmul.
        """
    def addmm(
        self,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: _Scalar = ...,
        alpha: _Scalar = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

        Computes ``beta * self + alpha * (mat1 @ mat2)``: (n, k) and (k, m); ``self`` broadcasts to (n, m).
        """
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...) -> Tensor:
        """addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

        In-place version of addmm.
        """
    def addmv(
        self, mat: Tensor, vec: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ..., out: Tensor | None = ...
    ) -> Tensor:
        """addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor

        Computes ``beta * self + alpha * (mat @ vec)``: (n, k) and (k); ``self`` broadcasts to (n).
        """
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...) -> Tensor:
        """addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

        In-place version of addmv.
        """
    def addr(
        self,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: _Scalar = ...,
        alpha: _Scalar = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

        Computes ``beta * self + alpha * outer(vec1, vec2)``: (n) and (m); ``self`` broadcasts to (n, m).
        """
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...) -> Tensor:
        """addr_(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

        In-place version of addr.
        """
    def adjoint(self) -> Tensor:
        """adjoint(Tensor(a) self) -> Tensor(a)

        Returns the complex conjugate with the last two dimensions transposed; for a real tensor, a view.
        """
    def alias(self) -> Tensor:
        """alias(Tensor(a) self) -> Tensor(a)

        Returns another tensor over the same memory.
        """
    @overload
    def all(
        self, dim: Sequence[_int] | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor

        Tests whether all elements over dimensions ``dim`` are nonzero.  The result is bool, or
        uint8 for uint8.
        """
    @overload
    def all(self, dim: _int, keepdim: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
        """all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor

        Tests whether all elements along ``dim`` are nonzero.
        """
    def allclose(
        self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...
    ) -> _bool:
        """allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool

        Returns True if all pairs of elements are close: ``|self - other| <= atol + rtol * |other|``.
        """
    def amax(
        self, dim: Sequence[_int] | _int = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor

        Returns the maximum over dimensions ``dim`` (all if empty); NaN if any element is NaN.
        """
    def amin(
        self, dim: Sequence[_int] | _int = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor

        Returns the minimum over dimensions ``dim`` (all if empty); NaN if any element is NaN.
        """
    def aminmax(
        self, *, dim: _int | None = ..., keepdim: _bool = ..., out: Sequence[Tensor] | None = ...
    ) -> _aminmax_result:
        """aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)

        Returns the minimum and the maximum along ``dim``, or of all elements; NaN if any element is NaN.
        """
    def angle(self, *, out: Tensor | None = ...) -> Tensor:
        """angle(Tensor self) -> Tensor

        Computes the angle of each element in radians, from -pi to pi.
        """
    @overload
    def any(
        self, dim: Sequence[_int] | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor

        Tests whether any elements over dimensions ``dim`` are nonzero.  The result is bool, or
        uint8 for uint8.
        """
    @overload
    def any(self, dim: _int, keepdim: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
        """any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor

        Tests whether any elements along ``dim`` are nonzero.
        """
    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Replaces each element by ``callable(element)``, a Python function of numbers: slow.  Returns self."""
    def arccos(self, *, out: Tensor | None = ...) -> Tensor:
        """arccos(Tensor self) -> Tensor

        Alias for ``acos``.
        """
    def arccos_(self) -> Tensor:
        """arccos_(Tensor(a!) self) -> Tensor(a!)

        In-place version of arccos.
        """
    def arccosh(self, *, out: Tensor | None = ...) -> Tensor:
        """arccosh(Tensor self) -> Tensor

        Alias for ``acosh``.
        """
    def arccosh_(self) -> Tensor:
        """arccosh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of arccosh.
        """
    def arcsin(self, *, out: Tensor | None = ...) -> Tensor:
        """arcsin(Tensor self) -> Tensor

        Alias for ``asin``.
        """
    def arcsin_(self) -> Tensor:
        """arcsin_(Tensor(a!) self) -> Tensor(a!)

        In-place version of arcsin.
        """
    def arcsinh(self, *, out: Tensor | None = ...) -> Tensor:
        """arcsinh(Tensor self) -> Tensor

        Alias for ``asinh``.
        """
    def arcsinh_(self) -> Tensor:
        """arcsinh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of arcsinh.
        """
    def arctan(self, *, out: Tensor | None = ...) -> Tensor:
        """arctan(Tensor self) -> Tensor

        Alias for ``atan``.
        """
    def arctan2(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """arctan2(Tensor self, Tensor other) -> Tensor

        Alias for ``atan2``.
        """
    def arctan2_(self, other: Tensor) -> Tensor:
        """arctan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of arctan2.
        """
    def arctan_(self) -> Tensor:
        """arctan_(Tensor(a!) self) -> Tensor(a!)

        In-place version of arctan.
        """
    def arctanh(self, *, out: Tensor | None = ...) -> Tensor:
        """arctanh(Tensor self) -> Tensor

        Alias for ``atanh``.
        """
    def arctanh_(self) -> Tensor:
        """arctanh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of arctanh.
        """
    def argmax(self, dim: _int | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
        """argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor

        Returns the index (int64) of the first maximum along ``dim``, or in the flattened tensor if None.
        """
    def argmin(self, dim: _int | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
        """argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor

        Returns the index (int64) of the first minimum along ``dim``, or in the flattened tensor if None.
        """
    @overload
    def argsort(self, dim: _int = ..., descending: _bool = ...) -> Tensor:
        """argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor

        Returns the indices (int64) that sort the elements along ``dim``.
        """
    @overload
    def argsort(
        self, *, stable: _bool, dim: _int = ..., descending: _bool = ..., out: Tensor | None = ...
    ) -> Tensor:
        """argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor

        Returns the indices (int64) that sort the elements along ``dim``; equal elements keep their order.
        """
    def argwhere(self) -> Tensor:
        """argwhere(Tensor self) -> Tensor

        Returns the indices of the nonzero elements, one per row (int64); the same as nonzero.
        """
    def as_strided(
        self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = ...
    ) -> Tensor:
        """as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)

        Returns a view of the storage with the given sizes and strides (in elements); ``storage_offset``
        defaults to that of ``self``.
        """
    def as_strided_(
        self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = ...
    ) -> Tensor:
        """as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    def as_strided_scatter(
        self, src: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = ...
    ) -> Tensor:
        """as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor

        Returns a copy of ``self`` with ``src`` written to the elements that as_strided selects; the
        gradients assume that ``self`` is contiguous.
        """
    def as_subclass(self, cls: builtins.type[Tensor]) -> Tensor:
        """The same data, shape and dtype as a tensor of class ``cls``: a view, for which backward works, too."""
    def asin(self, *, out: Tensor | None = ...) -> Tensor:
        """asin(Tensor self) -> Tensor

        Computes the arcsine of each element, from -pi/2 to pi/2; NaN outside [-1, 1] for real numbers.
        """
    def asin_(self) -> Tensor:
        """asin_(Tensor(a!) self) -> Tensor(a!)

        In-place version of asin.
        """
    def asinh(self, *, out: Tensor | None = ...) -> Tensor:
        """asinh(Tensor self) -> Tensor

        Computes the inverse hyperbolic sine of each element.
        """
    def asinh_(self) -> Tensor:
        """asinh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of asinh.
        """
    def atan(self, *, out: Tensor | None = ...) -> Tensor:
        """atan(Tensor self) -> Tensor

        Computes the arctangent of each element, from -pi/2 to pi/2.
        """
    def atan2(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """atan2(Tensor self, Tensor other) -> Tensor

        Computes the angle of the point (other, self) in radians, from -pi to pi: ``self`` is y, ``other``
        is x.
        """
    def atan2_(self, other: Tensor) -> Tensor:
        """atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of atan2.
        """
    def atan_(self) -> Tensor:
        """atan_(Tensor(a!) self) -> Tensor(a!)

        In-place version of atan.
        """
    def atanh(self, *, out: Tensor | None = ...) -> Tensor:
        """atanh(Tensor self) -> Tensor

        Computes the inverse hyperbolic tangent of each element; for real numbers infinite at -1 and 1, NaN outside [-1, 1].
        """
    def atanh_(self) -> Tensor:
        """atanh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of atanh.
        """
    def backward(
        self,
        gradient: Tensor | None = ...,
        retain_graph: _bool | None = ...,
        create_graph: _bool = ...,
        inputs: Any = ...,
    ) -> None:
        """Add the gradients of this tensor to the ``grad`` of each leaf, multiplied by ``gradient``."""
    def baddbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: _Scalar = ...,
        alpha: _Scalar = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

        Computes ``beta * self + alpha * (batch1 @ batch2)``, batched: (b, n, k) and (b, k, m).
        """
    def baddbmm_(
        self, batch1: Tensor, batch2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...
    ) -> Tensor:
        """baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

        In-place version of baddbmm.
        """
    @overload
    def bernoulli(self, *, generator: Generator | None = ..., out: Tensor | None = ...) -> Tensor:
        """bernoulli(Tensor self, *, Generator? generator=None) -> Tensor

        Returns 1 with the probabilities in ``self``, else 0.
        """
    @overload
    def bernoulli(self, p: _float, *, generator: Generator | None = ...) -> Tensor:
        """bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor

        Returns a tensor of the sizes of ``self``: 1 with probability ``p``, else 0.
        """
    @overload
    def bernoulli_(self, p: _float = ..., *, generator: Generator | None = ...) -> Tensor:
        """bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with 1 with probability ``p``, else 0.  Raises RuntimeError if ``p`` is not in
        [0, 1].
        """
    @overload
    def bernoulli_(self, p: Tensor, *, generator: Generator | None = ...) -> Tensor:
        """bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with 1 with the probabilities in ``p``, which broadcasts, else 0.
        """
    def bfloat16(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.bfloat16)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def bincount(self, weights: Tensor | None = ..., minlength: _int = ...) -> Tensor:
        """bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor

        Counts the occurrences of each value in a 1-D tensor of nonnegative integers (int64).
        """
    def bitwise_and(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor

        Computes the bitwise AND of the operands; for bool, the logical AND.
        """
    def bitwise_and_(self, other: _Operand) -> Tensor:
        """bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of bitwise_and.
        """
    def bitwise_left_shift(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor

        Computes ``self * 2**other``, wrapping around; 0 if all bits are shifted out or ``other`` is
        negative.
        """
    def bitwise_left_shift_(self, other: _Operand) -> Tensor:
        """bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of bitwise_left_shift.
        """
    def bitwise_not(self, *, out: Tensor | None = ...) -> Tensor:
        """bitwise_not(Tensor self) -> Tensor

        Inverts each bit; for bool, computes the logical NOT.
        """
    def bitwise_not_(self) -> Tensor:
        """bitwise_not_(Tensor(a!) self) -> Tensor(a!)

        In-place version of bitwise_not.
        """
    def bitwise_or(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor

        Computes the bitwise OR of the operands; for bool, the logical OR.
        """
    def bitwise_or_(self, other: _Operand) -> Tensor:
        """bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of bitwise_or.
        """
    def bitwise_right_shift(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor

        Computes ``floor(self / 2**other)``: an arithmetic shift, which keeps the sign.
        """
    def bitwise_right_shift_(self, other: _Operand) -> Tensor:
        """bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of bitwise_right_shift.
        """
    def bitwise_xor(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor

        Computes the bitwise XOR of the operands; for bool, the logical XOR.
        """
    def bitwise_xor_(self, other: _Operand) -> Tensor:
        """bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of bitwise_xor.
        """
    def bmm(self, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """bmm(Tensor self, Tensor mat2) -> Tensor

        Computes the batched matrix product of (b, n, k) and (b, k, m).
        """
    def bool(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.bool)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    @overload
    def broadcast_to(self, size: Sequence[_int]) -> Tensor:
        """broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)

        Expands ``self`` to ``size``; see Tensor.expand.
        """
    @overload
    def broadcast_to(self, *size: _int) -> Tensor:
        """broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)

        Expands ``self`` to ``size``; see Tensor.expand.
        """
    def byte(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.uint8)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def cauchy_(
        self, median: _float = ..., sigma: _float = ..., *, generator: Generator | None = ...
    ) -> Tensor:
        """cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` from the Cauchy distribution: ``median + sigma * tan(pi * (u - 1/2))``.
        """
    def ccol_indices(self) -> Tensor:
        """ccol_indices(Tensor(a) self) -> Tensor(a)

        The compressed indices of a tensor
        whose columns are compressed, which it holds.  Raises RuntimeError for others.
        """
    def cdouble(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.complex128)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def ceil(self, *, out: Tensor | None = ...) -> Tensor:
        """ceil(Tensor self) -> Tensor

        Rounds each element up; integers are unchanged.
        """
    def ceil_(self) -> Tensor:
        """ceil_(Tensor(a!) self) -> Tensor(a!)

        In-place version of ceil.
        """
    def cfloat(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.complex64)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def chalf(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.complex32)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def char(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.int8)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def cholesky(self, upper: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
        """cholesky(Tensor self, bool upper=False) -> Tensor

        Computes the Cholesky factor of Hermitian positive-definite matrices; see linalg.cholesky.
        """
    def cholesky_inverse(self, upper: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
        """cholesky_inverse(Tensor self, bool upper=False) -> Tensor

        Computes the inverse of matrices with the Cholesky factors ``self`` (*, n, n).
        """
    def cholesky_solve(self, input2: Tensor, upper: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
        """cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor

        Solves ``A X = self`` with the Cholesky factor ``input2`` (*, n, n) of A, for (*, n, k).
        """
    def chunk(self, chunks: _int, dim: _int = ...) -> tuple[Tensor, ...]:
        """chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]

        Splits dimension ``dim`` into at most ``chunks`` chunks of equal size, as views; the last may be
        smaller.
        """
    @overload
    def clamp(
        self, min: _Scalar | None = ..., max: _Scalar | None = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor

        Clamps each element to the range from ``min`` to ``max``; NaN stays NaN.
        """
    @overload
    def clamp(
        self, min: Tensor | None = ..., max: Tensor | None = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor

        Clamps each element to the range from ``min`` to ``max``, which are tensors; NaN if any is NaN.
        """
    @overload
    def clamp_(self, min: _Scalar | None = ..., max: _Scalar | None = ...) -> Tensor:
        """clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)

        In-place version of clamp.
        """
    @overload
    def clamp_(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
        """clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)

        In-place version of clamp.
        """
    @overload
    def clamp_max(self, max: _Scalar, *, out: Tensor | None = ...) -> Tensor:
        """clamp_max(Tensor self, Scalar max) -> Tensor

        Clamps each element to at most ``max``.
        """
    @overload
    def clamp_max(self, max: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """clamp_max.Tensor(Tensor self, Tensor max) -> Tensor

        Clamps each element to at most the corresponding element of ``max``; NaN if either is NaN.
        """
    @overload
    def clamp_max_(self, max: _Scalar) -> Tensor:
        """clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)

        In-place version of clamp_max.
        """
    @overload
    def clamp_max_(self, max: Tensor) -> Tensor:
        """clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)

        In-place version of clamp_max.
        """
    @overload
    def clamp_min(self, min: _Scalar, *, out: Tensor | None = ...) -> Tensor:
        """clamp_min(Tensor self, Scalar min) -> Tensor

        Clamps each element to at least ``min``.
        """
    @overload
    def clamp_min(self, min: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """clamp_min.Tensor(Tensor self, Tensor min) -> Tensor

        Clamps each element to at least the corresponding element of ``min``; NaN if either is NaN.
        """
    @overload
    def clamp_min_(self, min: _Scalar) -> Tensor:
        """clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)

        In-place version of clamp_min.
        """
    @overload
    def clamp_min_(self, min: Tensor) -> Tensor:
        """clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)

        In-place version of clamp_min.
        """
    @overload
    def clip(
        self, min: _Scalar | None = ..., max: _Scalar | None = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor

        Alias for ``clamp``.
        """
    @overload
    def clip(self, min: Tensor | None = ..., max: Tensor | None = ..., *, out: Tensor | None = ...) -> Tensor:
        """clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor

        Alias for ``clamp``.
        """
    @overload
    def clip_(self, min: _Scalar | None = ..., max: _Scalar | None = ...) -> Tensor:
        """clip_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)

        In-place version of clip.
        """
    @overload
    def clip_(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
        """clip_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)

        In-place version of clip.
        """
    def clone(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor

        Returns a copy of ``self``, with the same sizes and dtype; it preserves the memory format unless
        ``memory_format`` is given.
        """
    def coalesce(self) -> Tensor:
        """coalesce(Tensor(a) self) -> Tensor(a)

        The sparse tensor with unique indices in lexicographic order; values of equal indices are summed.
        """
    def col_indices(self) -> Tensor:
        """col_indices(Tensor(a) self) -> Tensor(a)

        The plain indices of a tensor
        whose rows are compressed, which it holds.  Raises RuntimeError for others.
        """
    def conj(self) -> Tensor:
        """conj(Tensor(a) self) -> Tensor(a)

        Returns the complex conjugate of each element, with the sizes and dtype of ``self``.
        """
    def conj_physical(self, *, out: Tensor | None = ...) -> Tensor:
        """conj_physical(Tensor self) -> Tensor

        Computes the complex conjugate of each element; returns a real tensor unchanged.
        """
    def conj_physical_(self) -> Tensor:
        """conj_physical_(Tensor(a!) self) -> Tensor(a!)

        In-place version of conj_physical.
        """
    def contiguous(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)

        Returns ``self`` if it is contiguous (in ``memory_format``), else a contiguous copy with the same
        sizes and dtype.
        """
    def conv_tbc(self, weight: Tensor, bias: Tensor, pad: _int = ...) -> Tensor:
        """conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor

        Applies a 1D convolution to (time, batch, C_in); weight (kernel, C_in, C_out), bias (C_out).
        """
    def copy_(self, src: _Operand, non_blocking: _bool = ...) -> Tensor:
        """copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)

        Copies ``src`` into ``self``, broadcast to its sizes and converted to its dtype and device; returns
        ``self``.  ``src`` may be a number.
        """
    def copysign(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """copysign.Tensor(Tensor self, Tensor other) -> Tensor

        Returns the magnitude of ``self`` with the sign of ``other``, which may be a signed zero.
        """
    def copysign_(self, other: _Operand) -> Tensor:
        """copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of copysign.
        """
    def corrcoef(self) -> Tensor:
        """corrcoef(Tensor self) -> Tensor

        Computes the matrix (n, n) of Pearson correlation coefficients of the variables in the rows of
        ``self``.
        """
    def cos(self, *, out: Tensor | None = ...) -> Tensor:
        """cos(Tensor self) -> Tensor

        Computes the cosine of each element, in radians.
        """
    def cos_(self) -> Tensor:
        """cos_(Tensor(a!) self) -> Tensor(a!)

        In-place version of cos.
        """
    def cosh(self, *, out: Tensor | None = ...) -> Tensor:
        """cosh(Tensor self) -> Tensor

        Computes the hyperbolic cosine of each element.
        """
    def cosh_(self) -> Tensor:
        """cosh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of cosh.
        """
    @overload
    def count_nonzero(self, dim: _int | None = ...) -> Tensor:
        """count_nonzero(Tensor self, int? dim=None) -> Tensor

        Counts the nonzero elements (int64) along ``dim``, or all of them.
        """
    @overload
    def count_nonzero(self, dim: Sequence[_int]) -> Tensor:
        """count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor

        Counts the nonzero elements over dimensions ``dim`` (int64).
        """
    @overload
    def count_nonzero(self, *dim: _int) -> Tensor:
        """count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor

        Counts the nonzero elements over dimensions ``dim`` (int64).
        """
    def cov(
        self, *, correction: _int = ..., fweights: Tensor | None = ..., aweights: Tensor | None = ...
    ) -> Tensor:
        """cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor

        Computes the covariance matrix (n, n) of the variables in the rows of ``self`` (n, observations).
        """
    def cpu(self, memory_format: _memory_format = ...) -> Tensor: ...
    def cross(self, other: Tensor, dim: _int | None = ..., *, out: Tensor | None = ...) -> Tensor:
        """cross(Tensor self, Tensor other, int? dim=None) -> Tensor

        Computes the cross product along ``dim``, by default the first dimension of size 3; see
        linalg.cross.
        """
    def crow_indices(self) -> Tensor:
        """crow_indices(Tensor(a) self) -> Tensor(a)

        The compressed indices of a tensor
        whose rows are compressed, which it holds.  Raises RuntimeError for others.
        """
    def cuda(
        self, device: _Device | None = ..., non_blocking: _bool = ..., memory_format: _memory_format = ...
    ) -> Tensor:
        """This tensor on a GPU: ``device``, an index or a name, or by default the current one."""
    def cummax(self, dim: _int, *, out: Sequence[Tensor] | None = ...) -> _cummax_result:
        """cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)

        Returns the cumulative maximum of the elements along ``dim``, and its index (int64).
        """
    def cummin(self, dim: _int, *, out: Sequence[Tensor] | None = ...) -> _cummin_result:
        """cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)

        Returns the cumulative minimum of the elements along ``dim``, and its index (int64).
        """
    def cumprod(self, dim: _int, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
        """cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor

        Returns the cumulative product of the elements along ``dim``.
        """
    def cumprod_(self, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
        """cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)

        In-place version of cumprod.
        """
    def cumsum(self, dim: _int, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
        """cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor

        Returns the cumulative sum of the elements along ``dim``.
        """
    def cumsum_(self, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
        """cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)

        In-place version of cumsum.
        """
    @property
    def data(self) -> Tensor:
        """The same data as a leaf; autograd does not notice writes to it."""
    @data.setter
    def data(self, data: Tensor) -> None: ...
    def data_ptr(self) -> _int:
        """The address of the first element, or a number that identifies the memory if it has no address."""
    def deg2rad(self, *, out: Tensor | None = ...) -> Tensor:
        """deg2rad(Tensor self) -> Tensor

        Converts each element from degrees to radians.  Raises RuntimeError for complex dtypes.
        """
    def deg2rad_(self) -> Tensor:
        """deg2rad_(Tensor(a!) self) -> Tensor(a!)

        In-place version of deg2rad.
        """
    def dense_dim(self) -> _int:
        """dense_dim(Tensor self) -> int

        The number of dimensions that each value has; all those of a strided tensor.
        """
    def dequantize(self) -> Tensor:
        """dequantize.self(Tensor self) -> Tensor
        dequantize.tensors(Tensor[] tensors) -> Tensor[]

        The numbers of a quantized tensor, float32; another tensor is converted to float32, as ``to`` does.
        """
    def det(self) -> Tensor:
        """det(Tensor self) -> Tensor

        The same as linalg.det.  Raises RuntimeError for matrices that are not square.
        """
    def detach(self) -> Tensor:
        """detach(Tensor(a) self) -> Tensor(a)

        Returns a view detached from the autograd graph: it does not require grad.
        """
    def detach_(self) -> Tensor:
        """detach_(Tensor(a!) self) -> Tensor(a!)

        Detaches ``self`` from the autograd graph in-place: it becomes a leaf that does not require grad.
        Raises RuntimeError for a view.
        """
    @property
    def device(self) -> _device:
        """The device of the memory."""
    def diag(self, diagonal: _int = ..., *, out: Tensor | None = ...) -> Tensor:
        """diag(Tensor self, int diagonal=0) -> Tensor

        Returns a matrix with the vector ``self`` on its diagonal, or a copy of the diagonal of the matrix
        ``self``.  Raises RuntimeError for other numbers of dimensions.
        """
    def diag_embed(self, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
        """diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor

        Returns zeros with the last dimension of ``self`` on the diagonals of two new dimensions, ``dim1``
        and ``dim2``.
        """
    def diagflat(self, offset: _int = ...) -> Tensor:
        """diagflat(Tensor self, int offset=0) -> Tensor

        Returns a matrix with all elements of ``self``, in row-major order, on its diagonal.
        """
    def diagonal(self, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
        """diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)

        Returns a view of the diagonals with respect to ``dim1`` and ``dim2``, as its last dimension.
        """
    def diagonal_scatter(self, src: Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
        """diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor

        Returns a copy of ``self`` with ``src`` written to the diagonal of ``dim1`` and ``dim2``.  Raises
        RuntimeError if the sizes of ``src`` differ.
        """
    def diff(
        self,
        n: _int = ...,
        dim: _int = ...,
        prepend: Tensor | None = ...,
        append: Tensor | None = ...,
        *,
        out: Tensor | None = ...,
    ) -> Tensor:
        """diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor

        Computes the ``n``-th differences of adjacent elements along ``dim``; exclusive or for bool.
        """
    def digamma(self, *, out: Tensor | None = ...) -> Tensor:
        """digamma(Tensor self) -> Tensor

        Computes the digamma function, the derivative of lgamma; NaN at -1, -2 …, -inf at 0.0, inf at -0.0.
        """
    def digamma_(self) -> Tensor:
        """digamma_(Tensor(a!) self) -> Tensor(a!)

        In-place version of digamma.
        """
    def dim(self) -> _int:
        """The number of dimensions."""
    def dist(self, other: Tensor, p: _Scalar = ..., *, out: Tensor | None = ...) -> Tensor:
        """dist(Tensor self, Tensor other, Scalar p=2) -> Tensor

        Computes the ``p``-norm of ``self - other``; the operands broadcast.
        """
    def div(
        self,
        other: _Operand,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor

        Divides with ``rounding_mode`` None (true division), 'floor' or 'trunc'.
        """
    def div_(self, other: _Operand, *, rounding_mode: Literal["trunc", "floor"] | None = ...) -> Tensor:
        """div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)

        In-place version of div.
        """
    def div_floor(self, other: _Operand) -> Tensor:
        """div_floor(Tensor self, Tensor other) -> Tensor

        Computes ``floor(self / other)``: the kernel of ``div(rounding_mode='floor')`` and
        ``floor_divide``.
        """
    def div_trunc(self, other: _Operand) -> Tensor:
        """div_trunc(Tensor self, Tensor other) -> Tensor

        Computes ``self / other`` rounded towards zero: the kernel of ``div(rounding_mode='trunc')``.
        """
    def divide(
        self,
        other: _Operand,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor

        Alias for ``div``.
        """
    def divide_(self, other: _Operand, *, rounding_mode: Literal["trunc", "floor"] | None = ...) -> Tensor:
        """divide_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)

        In-place version of divide.
        """
    def dot(self, tensor: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """dot(Tensor self, Tensor tensor) -> Tensor

        Computes the dot product of two vectors of equal size and dtype.
        """
    def double(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.float64)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    @overload
    def dsplit(self, sections: _int) -> tuple[Tensor, ...]:
        """dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]

        Splits dimension 2 into ``sections`` views of equal size.  Raises RuntimeError if it does not divide evenly.
        """
    @overload
    def dsplit(self, indices: Sequence[_int]) -> tuple[Tensor, ...]:
        """dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

        Splits dimension 2 at ``indices``, as views.
        """
    @overload
    def dsplit(self, *indices: _int) -> tuple[Tensor, ...]:
        """dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

        Splits dimension 2 at ``indices``, as views.
        """
    @property
    def dtype(self) -> _dtype:
        """The element type."""
    def element_size(self) -> _int:
        """Bytes of one element."""
    def empty_like(
        self,
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        memory_format: _memory_format | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

        Returns an uninitialized tensor with the sizes, dtype, device and memory order of ``self``.
        """
    def eq(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """eq.Tensor(Tensor self, Tensor other) -> Tensor

        Tests whether each element of ``self`` is equal to that of ``other``, in their common dtype.
        """
    def eq_(self, other: _Operand) -> Tensor:
        """eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of eq.
        """
    def equal(self, other: Tensor) -> _bool:
        """equal(Tensor self, Tensor other) -> bool

        Returns True if both tensors have the same sizes and equal elements.
        """
    def erf(self, *, out: Tensor | None = ...) -> Tensor:
        """erf(Tensor self) -> Tensor

        Computes the error function of each element.
        """
    def erf_(self) -> Tensor:
        """erf_(Tensor(a!) self) -> Tensor(a!)

        In-place version of erf.
        """
    def erfc(self, *, out: Tensor | None = ...) -> Tensor:
        """erfc(Tensor self) -> Tensor

        Computes ``1 - erf(x)``, accurate even if the result is small.
        """
    def erfc_(self) -> Tensor:
        """erfc_(Tensor(a!) self) -> Tensor(a!)

        In-place version of erfc.
        """
    def erfinv(self, *, out: Tensor | None = ...) -> Tensor:
        """erfinv(Tensor self) -> Tensor

        Computes the inverse error function of each element; infinite at -1 and 1, NaN outside [-1, 1].
        """
    def erfinv_(self) -> Tensor:
        """erfinv_(Tensor(a!) self) -> Tensor(a!)

        In-place version of erfinv.
        """
    def exp(self, *, out: Tensor | None = ...) -> Tensor:
        """exp(Tensor self) -> Tensor

        Computes the exponential of each element.
        """
    def exp2(self, *, out: Tensor | None = ...) -> Tensor:
        """exp2(Tensor self) -> Tensor

        Computes 2 to the power of each element.
        """
    def exp2_(self) -> Tensor:
        """exp2_(Tensor(a!) self) -> Tensor(a!)

        In-place version of exp2.
        """
    def exp_(self) -> Tensor:
        """exp_(Tensor(a!) self) -> Tensor(a!)

        In-place version of exp.
        """
    @overload
    def expand(self, size: Sequence[_int], *, implicit: _bool = ...) -> Tensor:
        """expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)

        Returns a view with dimensions of size 1 expanded to ``size`` (stride 0, no memory); -1 keeps a
        size; new dimensions are leading.
        """
    @overload
    def expand(self, *size: _int, implicit: _bool = ...) -> Tensor:
        """expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)

        Returns a view with dimensions of size 1 expanded to ``size`` (stride 0, no memory); -1 keeps a
        size; new dimensions are leading.
        """
    def expand_as(self, other: Tensor) -> Tensor:
        """expand_as(Tensor(a) self, Tensor other) -> Tensor(a)

        Expands ``self`` to the sizes of ``other``.
        """
    def expm1(self, *, out: Tensor | None = ...) -> Tensor:
        """expm1(Tensor self) -> Tensor

        Computes ``exp(x) - 1``, accurate for x near 0.
        """
    def expm1_(self) -> Tensor:
        """expm1_(Tensor(a!) self) -> Tensor(a!)

        In-place version of expm1.
        """
    def exponential_(self, lambd: _float = ..., *, generator: Generator | None = ...) -> Tensor:
        """exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with floats drawn from the exponential distribution: ``-log(1 - u) / lambd``.
        """
    def fill_(self, value: _Operand) -> Tensor:
        """fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
        fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)

        Fills ``self`` with the number ``value``; returns ``self``.
        """
    def fill_diagonal_(self, fill_value: _Scalar, wrap: _bool = ...) -> Tensor:
        """fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)

        Fills the main diagonal with ``fill_value``, in-place: the elements whose indices are all equal.
        """
    def fix(self, *, out: Tensor | None = ...) -> Tensor:
        """fix(Tensor self) -> Tensor

        Alias for ``trunc``.
        """
    def fix_(self) -> Tensor:
        """fix_(Tensor(a!) self) -> Tensor(a!)

        In-place version of fix.
        """
    def flatten(self, start_dim: _int = ..., end_dim: _int = ...) -> Tensor:
        """flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)

        Flattens dimensions ``start_dim`` to ``end_dim`` into one.
        """
    @overload
    def flip(self, dims: Sequence[_int]) -> Tensor:
        """flip(Tensor self, int[] dims) -> Tensor

        Returns a copy with the order of the elements reversed along each dimension in ``dims``.
        """
    @overload
    def flip(self, *dims: _int) -> Tensor:
        """flip(Tensor self, int[] dims) -> Tensor

        Returns a copy with the order of the elements reversed along each dimension in ``dims``.
        """
    def fliplr(self) -> Tensor:
        """fliplr(Tensor self) -> Tensor

        Returns a copy with dimension 1, the columns of a matrix, in reverse order.
        """
    def flipud(self) -> Tensor:
        """flipud(Tensor self) -> Tensor

        Returns a copy with dimension 0, the rows of a matrix, in reverse order.
        """
    def float(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.float32)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    @overload
    def float_power(self, exponent: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor

        Computes ``pow`` in float64, or in complex128 if an operand is complex.
        """
    @overload
    def float_power(self, exponent: _Scalar, *, out: Tensor | None = ...) -> Tensor:
        """float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor

        Computes ``pow`` in float64, or in complex128 if an operand is complex.
        """
    @overload
    def float_power_(self, exponent: Tensor) -> Tensor:
        """float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)

        In-place version of float_power.
        """
    @overload
    def float_power_(self, exponent: _Scalar) -> Tensor:
        """float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)

        In-place version of float_power.
        """
    def floor(self, *, out: Tensor | None = ...) -> Tensor:
        """floor(Tensor self) -> Tensor

        Rounds each element down; integers are unchanged.
        """
    def floor_(self) -> Tensor:
        """floor_(Tensor(a!) self) -> Tensor(a!)

        In-place version of floor.
        """
    def floor_divide(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """floor_divide(Tensor self, Tensor other) -> Tensor

        Computes ``floor(self / other)``; integers stay integers.
        """
    def floor_divide_(self, other: _Operand) -> Tensor:
        """floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of floor_divide.
        """
    def fmax(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """fmax(Tensor self, Tensor other) -> Tensor

        Returns the larger of each pair of elements; if one is NaN, the other.
        """
    def fmin(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """fmin(Tensor self, Tensor other) -> Tensor

        Returns the smaller of each pair of elements; if one is NaN, the other.
        """
    def fmod(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """fmod.Tensor(Tensor self, Tensor other) -> Tensor

        Computes ``self`` modulo ``other``; the result has the sign of ``self``, as with C's %.
        """
    def fmod_(self, other: _Operand) -> Tensor:
        """fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of fmod.
        """
    def frac(self, *, out: Tensor | None = ...) -> Tensor:
        """frac(Tensor self) -> Tensor

        Returns the fractional part ``x - trunc(x)`` of each element, with the sign of x.  Floating point
        only.
        """
    def frac_(self) -> Tensor:
        """frac_(Tensor(a!) self) -> Tensor(a!)

        In-place version of frac.
        """
    def frexp(self, *, out: Sequence[Tensor] | None = ...) -> _frexp_result:
        """frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)

        Returns ``mantissa`` and ``exponent`` (int32) with ``self = mantissa * 2 ** exponent``.
        """
    def full_like(
        self,
        fill_value: _Scalar,
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        memory_format: _memory_format | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

        Returns a tensor of the sizes of ``self`` filled with ``fill_value``.
        """
    def gather(
        self, dim: _int, index: Tensor, *, sparse_grad: _bool = ..., out: Tensor | None = ...
    ) -> Tensor:
        """gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor

        Gathers elements along ``dim`` at the indices in ``index`` (int64 or int32); the result
        has its sizes.  ``sparse_grad``: whether the gradient of ``self`` is a sparse tensor.
        """
    def gcd(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """gcd(Tensor self, Tensor other) -> Tensor

        Computes the greatest common divisor of ``self`` and ``other``; that of 0 and 0 is 0.
        """
    def gcd_(self, other: Tensor) -> Tensor:
        """gcd_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of gcd.
        """
    def ge(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """ge.Tensor(Tensor self, Tensor other) -> Tensor

        Tests whether each element of ``self`` is greater than or equal to that of ``other``, in their common dtype.
        """
    def ge_(self, other: _Operand) -> Tensor:
        """ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of ge.
        """
    def geometric_(self, p: _float, *, generator: Generator | None = ...) -> Tensor:
        """geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` from the geometric distribution of trials: ``ceil(log(1 - u) / log(1 - p))``.
        """
    def geqrf(self, *, out: Sequence[Tensor] | None = ...) -> _geqrf_result:
        """geqrf(Tensor self) -> (Tensor a, Tensor tau)

        Computes the QR factorization of matrices (*, n, m) as R and Householder reflections.
        """
    def ger(self, vec2: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """ger(Tensor self, Tensor vec2) -> Tensor

        Computes the outer product of vectors (n) and (m): ``result[i, j] = self[i] * vec2[j]``, a
        matrix (n, m).
        """
    def get_device(self) -> _int:
        """The index of the GPU; -1 for a tensor that is not on one."""
    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward accumulated here, or None."""
    @grad.setter
    def grad(self, grad: Tensor | None) -> None: ...
    @property
    def grad_fn(self) -> Node | None:
        """The Node that computed this tensor, or None for a leaf."""
    def greater(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """greater.Tensor(Tensor self, Tensor other) -> Tensor

        Alias for ``gt``.
        """
    def greater_(self, other: _Operand) -> Tensor:
        """greater_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of greater.
        """
    def greater_equal(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """greater_equal.Tensor(Tensor self, Tensor other) -> Tensor

        Alias for ``ge``.
        """
    def greater_equal_(self, other: _Operand) -> Tensor:
        """greater_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of greater_equal.
        """
    def gt(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """gt.Tensor(Tensor self, Tensor other) -> Tensor

        Tests whether each element of ``self`` is greater than that of ``other``, in their common dtype.
        """
    def gt_(self, other: _Operand) -> Tensor:
        """gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of gt.
        """
    def half(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.float16)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def hardshrink(self, lambd: _Scalar = ..., *, out: Tensor | None = ...) -> Tensor:
        """hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor

        Returns 0 where x is in [-lambd, lambd], else x.
        """
    def hash_tensor(
        self,
        dim: Sequence[_int] | _int = ...,
        *,
        keepdim: _bool = ...,
        mode: _int = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor

        Returns a hash over dimensions ``dim`` (all if empty), uint64: the exclusive or of the bits of all
        elements, of floats as float64 and of integers as int64.
        """
    def heaviside(self, values: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """heaviside(Tensor self, Tensor values) -> Tensor

        Computes the Heaviside step function: 0 for x < 0, 1 for x > 0, and ``values`` for x = 0.
        """
    def heaviside_(self, values: Tensor) -> Tensor:
        """heaviside_(Tensor(a!) self, Tensor values) -> Tensor(a!)

        In-place version of heaviside.
        """
    def histc(
        self, bins: _int = ..., min: _Scalar = ..., max: _Scalar = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor

        Counts the elements in ``bins`` bins of equal width between ``min`` and ``max``.
        """
    @overload
    def histogram(
        self,
        bins: Tensor,
        *,
        weight: Tensor | None = ...,
        density: _bool = ...,
        out: Sequence[Tensor] | None = ...,
    ) -> _histogram_result:
        """histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)

        Counts the elements between adjacent edges in ``bins``, which are increasing.
        """
    @overload
    def histogram(
        self,
        bins: _int = ...,
        *,
        range: Sequence[_float] | None = ...,
        weight: Tensor | None = ...,
        density: _bool = ...,
        out: Sequence[Tensor] | None = ...,
    ) -> _histogram_result:
        """histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)

        Counts the elements in ``bins`` bins of equal width in ``range``, by default from the least to the
        greatest element.  Raises RuntimeError if dtypes or sizes do not match, NotImplementedError for a dtype that
        is not floating point.
        """
    @overload
    def hsplit(self, sections: _int) -> tuple[Tensor, ...]:
        """hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]

        Splits dimension 1 (0 of a vector) into ``sections`` views of equal size.  Raises RuntimeError if it does not divide evenly.
        """
    @overload
    def hsplit(self, indices: Sequence[_int]) -> tuple[Tensor, ...]:
        """hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

        Splits dimension 1 (0 of a vector) at ``indices``, as views.
        """
    @overload
    def hsplit(self, *indices: _int) -> tuple[Tensor, ...]:
        """hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

        Splits dimension 1 (0 of a vector) at ``indices``, as views.
        """
    def hypot(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """hypot(Tensor self, Tensor other) -> Tensor

        Computes ``sqrt(self**2 + other**2)`` without overflow.  Floating point only.
        """
    def hypot_(self, other: Tensor) -> Tensor:
        """hypot_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of hypot.
        """
    def i0(self, *, out: Tensor | None = ...) -> Tensor:
        """i0(Tensor self) -> Tensor

        Computes the modified Bessel function of the first kind of order 0.  NaN of infinities.
        """
    def i0_(self) -> Tensor:
        """i0_(Tensor(a!) self) -> Tensor(a!)

        In-place version of i0.
        """
    def igamma(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """igamma(Tensor self, Tensor other) -> Tensor

        Computes the regularized lower incomplete gamma function: the probability of at most ``other`` under
        the gamma distribution with the concentration ``self``.
        """
    def igamma_(self, other: Tensor) -> Tensor:
        """igamma_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of igamma.
        """
    def igammac(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """igammac(Tensor self, Tensor other) -> Tensor

        Computes the regularized upper incomplete gamma function, ``1 - igamma(self, other)``.
        """
    def igammac_(self, other: Tensor) -> Tensor:
        """igammac_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of igammac.
        """
    @property
    def imag(self) -> Any:
        """imag(Tensor(a) self) -> Tensor(a)

        Returns a view of the imaginary parts.  Raises RuntimeError for a real tensor.
        """
    def index(self, indices: Sequence[Tensor | None]) -> Tensor:
        """index.Tensor(Tensor self, Tensor?[] indices) -> Tensor

        Returns ``self[indices]``: one index tensor per dimension, or None for a full slice.
        """
    def index_add(
        self, dim: _int, index: Tensor, source: Tensor, *, alpha: _Scalar = ..., out: Tensor | None = ...
    ) -> Tensor:
        """index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor

        Returns a copy of ``self`` with ``alpha`` times slice i of ``source`` added to slice ``index[i]``,
        along ``dim``.
        """
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: _Scalar = ...) -> Tensor:
        """index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)

        In-place version of index_add.
        """
    def index_copy(self, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor

        Returns a copy of ``self`` with slice i of ``source`` written to slice ``index[i]``, along ``dim``.
        """
    def index_copy_(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)

        In-place version of index_copy.
        """
    @overload
    def index_fill(self, dim: _int, index: Tensor, value: _Scalar) -> Tensor:
        """index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor

        Returns a copy of ``self`` with the slices along ``dim`` at the indices in a vector ``index``
        (int64) filled with ``value``.
        """
    @overload
    def index_fill(self, dim: _int, index: Tensor, value: Tensor) -> Tensor:
        """index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor

        As above, with the value of a 0-dim tensor.  Raises RuntimeError if it has dimensions.
        """
    @overload
    def index_fill_(self, dim: _int, index: Tensor, value: _Scalar) -> Tensor:
        """index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)

        In-place version of index_fill.
        """
    @overload
    def index_fill_(self, dim: _int, index: Tensor, value: Tensor) -> Tensor:
        """index_fill_.int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)

        In-place version of index_fill.
        """
    def index_put(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = ...) -> Tensor:
        """index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor

        Returns a copy of ``self`` with ``values`` (broadcast) written to the indexed elements, or added if
        ``accumulate`` is True.
        """
    def index_put_(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = ...) -> Tensor:
        """index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)

        Writes ``values`` (broadcast) to the indexed elements of ``self`` in-place, or adds them if
        ``accumulate`` is True.
        """
    def index_reduce(
        self,
        dim: _int,
        index: Tensor,
        source: Tensor,
        reduce: Literal["prod", "mean", "amax", "amin"],
        *,
        include_self: _bool = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor

        Returns a copy of ``self`` with slice i of ``source`` reduced into slice ``index[i]``, along
        ``dim``.
        """
    def index_reduce_(
        self,
        dim: _int,
        index: Tensor,
        source: Tensor,
        reduce: Literal["prod", "mean", "amax", "amin"],
        *,
        include_self: _bool = ...,
    ) -> Tensor:
        """index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor(a!)

        In-place version of index_reduce.
        """
    def index_select(self, dim: _int, index: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """index_select(Tensor self, int dim, Tensor index) -> Tensor

        Returns the slices along ``dim`` at the indices in a vector ``index`` (int32 or int64).
        """
    def indices(self) -> Tensor:
        """indices(Tensor(a) self) -> Tensor(a)

        The indices (sparse_dim, nnz) of a coalesced tensor, int64.  Raises RuntimeError for others.
        """
    def inner(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """inner(Tensor self, Tensor other) -> Tensor

        Computes the sum of products over the last dimensions: (*, k) and (+, k) give (*, +).
        """
    def int(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.int32)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def int_repr(self) -> Tensor:
        """int_repr(Tensor self) -> Tensor

        A copy of the integers of a quantized tensor: int8, uint8 or int32.  Raises NotImplementedError for a
        tensor that is not quantized.
        """
    def inverse(self, *, out: Tensor | None = ...) -> Tensor:
        """inverse(Tensor self) -> Tensor

        The same as linalg.inv.  Raises LinAlgError for a singular matrix.
        """
    def is_coalesced(self) -> _bool:
        """is_coalesced(Tensor self) -> bool

        Are the indices unique and sorted?  Raises RuntimeError for a strided tensor.
        """
    def is_complex(self) -> _bool:
        """Is the dtype complex?"""
    def is_conj(self) -> _bool:
        """is_conj(Tensor self) -> bool

        Returns False: there is no conjugate bit as in PyTorch.
        """
    def is_contiguous(self, *, memory_format: _memory_format | None = ...) -> _bool:
        """is_contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> bool

        Returns True if the elements are contiguous in memory, in the order of ``memory_format``.
        """
    @property
    def is_cpu(self) -> _bool:
        """Is the memory the host's?"""
    @property
    def is_cuda(self) -> _bool:
        """Is this a tensor on a GPU?"""
    def is_floating_point(self) -> _bool:
        """Is the dtype a floating point dtype?"""
    def is_inference(self) -> _bool:
        """Was this tensor created in inference mode?  Then it has no version, and is never recorded."""
    is_ipu: _bool
    @property
    def is_leaf(self) -> _bool:
        """Was this created by the user, not by a recorded operator, or does it not require grad?"""
    is_maia: _bool
    @property
    def is_meta(self) -> _bool:
        """Is this a tensor without memory?"""
    is_mkldnn: _bool
    is_mps: _bool
    is_mtia: _bool
    def is_neg(self) -> _bool:
        """is_neg(Tensor self) -> bool

        Returns False: there is no negative bit as in PyTorch.
        """
    is_nested: _bool
    def is_nonzero(input: Tensor) -> _bool:
        """Is the element of a one-element tensor nonzero?"""
    def is_pinned(self, device: Any = ...) -> _bool:
        """Is the storage in pinned memory?  ``device`` is deprecated.  Source: torch.Tensor.is_pinned."""
    is_quantized: _bool
    def is_same_size(self, other: Tensor) -> _bool:
        """is_same_size(Tensor self, Tensor other) -> bool

        Returns True if both tensors have the same sizes.
        """
    def is_set_to(self, tensor: Tensor) -> _bool:
        """is_set_to(Tensor self, Tensor tensor) -> bool

        Returns True if both tensors have one storage, and the same sizes, strides and offset.
        """
    def is_shared(self) -> _bool:
        """Is the storage in shared memory?  Source: torch.Tensor.is_shared."""
    def is_signed(self) -> _bool:
        """Can the dtype hold negative numbers?  Raises nothing.  Source: torch.Tensor.is_signed."""
    is_sparse: _bool
    is_sparse_csr: _bool
    is_vulkan: _bool
    is_xla: _bool
    is_xpu: _bool
    def isclose(
        self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...
    ) -> Tensor:
        """isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor

        Tests whether each pair of elements is close: ``|self - other| <= atol + rtol * |other|``.
        """
    def isfinite(self) -> Tensor:
        """isfinite(Tensor self) -> Tensor

        Tests whether each element is finite: neither NaN nor infinite.
        """
    def isinf(self) -> Tensor:
        """isinf(Tensor self) -> Tensor

        Tests whether each element is infinite.
        """
    def isnan(self) -> Tensor:
        """isnan(Tensor self) -> Tensor

        Tests whether each element is NaN.
        """
    def isneginf(self, *, out: Tensor | None = ...) -> Tensor:
        """isneginf(Tensor self) -> Tensor

        Tests whether each element is -inf.  Raises RuntimeError for complex dtypes.
        """
    def isposinf(self, *, out: Tensor | None = ...) -> Tensor:
        """isposinf(Tensor self) -> Tensor

        Tests whether each element is inf.  Raises RuntimeError for complex dtypes.
        """
    def isreal(self) -> Tensor:
        """isreal(Tensor self) -> Tensor

        Tests whether the imaginary part of each element is 0; always true for real dtypes.
        """
    def istft(
        self,
        n_fft: _int,
        hop_length: _int | None = ...,
        win_length: _int | None = ...,
        window: Tensor | None = ...,
        center: _bool = ...,
        normalized: _bool = ...,
        onesided: _bool | None = ...,
        length: _int | None = ...,
        return_complex: _bool = ...,
    ) -> Tensor:
        """istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor

        Computes the signals (*, length) whose stft is nearest to ``self`` (*, frequencies, frames), which
        is complex.
        """
    def item(self) -> _Number:
        """item(Tensor self) -> Scalar

        Returns the only element as a Python number.  Raises RuntimeError unless there is exactly one
        element.
        """
    @property
    def itemsize(self) -> _int:
        """Bytes of one element."""
    def kron(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """kron(Tensor self, Tensor other) -> Tensor

        Computes the Kronecker product: each element of ``self`` times all of ``other``.
        """
    def kthvalue(
        self, k: _int, dim: _int = ..., keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
    ) -> _kthvalue_result:
        """kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)

        Returns the ``k``-th smallest element along ``dim``, counted from 1, and its index (int64).
        """
    @property
    def layout(self) -> _layout:
        """How the elements are stored: ``gnomon.strided``."""
    def lcm(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """lcm(Tensor self, Tensor other) -> Tensor

        Computes the least common multiple of ``self`` and ``other``; 0 if one of them is 0.
        """
    def lcm_(self, other: Tensor) -> Tensor:
        """lcm_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of lcm.
        """
    def ldexp(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """ldexp.Tensor(Tensor self, Tensor other) -> Tensor

        Computes ``self * 2 ** other``.
        """
    def ldexp_(self, other: Tensor) -> Tensor:
        """ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of ldexp.
        """
    def le(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """le.Tensor(Tensor self, Tensor other) -> Tensor

        Tests whether each element of ``self`` is less than or equal to that of ``other``, in their common dtype.
        """
    def le_(self, other: _Operand) -> Tensor:
        """le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of le.
        """
    @overload
    def lerp(self, end: Tensor, weight: _Scalar, *, out: Tensor | None = ...) -> Tensor:
        """lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor

        Interpolates linearly: ``self + weight * (end - self)``.
        """
    @overload
    def lerp(self, end: Tensor, weight: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor

        Interpolates linearly: ``self + weight * (end - self)`` with a weight for each element.
        """
    @overload
    def lerp_(self, end: Tensor, weight: _Scalar) -> Tensor:
        """lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)

        In-place version of lerp.
        """
    @overload
    def lerp_(self, end: Tensor, weight: Tensor) -> Tensor:
        """lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)

        In-place version of lerp.
        """
    def less(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """less.Tensor(Tensor self, Tensor other) -> Tensor

        Alias for ``lt``.
        """
    def less_(self, other: _Operand) -> Tensor:
        """less_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of less.
        """
    def less_equal(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """less_equal.Tensor(Tensor self, Tensor other) -> Tensor

        Alias for ``le``.
        """
    def less_equal_(self, other: _Operand) -> Tensor:
        """less_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of less_equal.
        """
    def lgamma(self, *, out: Tensor | None = ...) -> Tensor:
        """lgamma(Tensor self) -> Tensor

        Computes the logarithm of the absolute value of the gamma function; inf at 0, -1, -2 …
        """
    def lgamma_(self) -> Tensor:
        """lgamma_(Tensor(a!) self) -> Tensor(a!)

        In-place version of lgamma.
        """
    def log(self, *, out: Tensor | None = ...) -> Tensor:
        """log(Tensor self) -> Tensor

        Computes the natural logarithm of each element: -inf for 0, NaN for negative real numbers.
        """
    def log10(self, *, out: Tensor | None = ...) -> Tensor:
        """log10(Tensor self) -> Tensor

        Computes the logarithm to base 10 of each element.
        """
    def log10_(self) -> Tensor:
        """log10_(Tensor(a!) self) -> Tensor(a!)

        In-place version of log10.
        """
    def log1p(self, *, out: Tensor | None = ...) -> Tensor:
        """log1p(Tensor self) -> Tensor

        Computes ``log(1 + x)``, accurate for x near 0.
        """
    def log1p_(self) -> Tensor:
        """log1p_(Tensor(a!) self) -> Tensor(a!)

        In-place version of log1p.
        """
    def log2(self, *, out: Tensor | None = ...) -> Tensor:
        """log2(Tensor self) -> Tensor

        Computes the logarithm to base 2 of each element.
        """
    def log2_(self) -> Tensor:
        """log2_(Tensor(a!) self) -> Tensor(a!)

        In-place version of log2.
        """
    def log_(self) -> Tensor:
        """log_(Tensor(a!) self) -> Tensor(a!)

        In-place version of log.
        """
    def log_normal_(
        self, mean: _float = ..., std: _float = ..., *, generator: Generator | None = ...
    ) -> Tensor:
        """log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` from the log-normal distribution: ``exp(mean + std * z)`` with a standard normal z.
        """
    def log_softmax(self, dim: _int, dtype: _dtype | None = ..., *, out: Tensor | None = ...) -> Tensor:
        """log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor

        The logarithm of softmax along ``dim``.  ``dtype`` converts the input first.
        """
    def logaddexp(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """logaddexp(Tensor self, Tensor other) -> Tensor

        Computes ``log(exp(self) + exp(other))`` without overflow.
        """
    def logaddexp2(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """logaddexp2(Tensor self, Tensor other) -> Tensor

        Computes ``log2(2**self + 2**other)`` without overflow.  Floating point only.
        """
    def logcumsumexp(self, dim: _int, *, out: Tensor | None = ...) -> Tensor:
        """logcumsumexp(Tensor self, int dim) -> Tensor

        Returns the logarithm of the cumulative sum of the exponentials of the elements along ``dim``.
        """
    def logdet(self) -> Tensor:
        """logdet(Tensor self) -> Tensor

        Computes the logarithm of determinants (*) of matrices (*, n, n); NaN for a negative determinant.
        """
    def logical_and(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """logical_and(Tensor self, Tensor other) -> Tensor

        Logical and of the operands, whose nonzero elements count as true.
        """
    def logical_and_(self, other: Tensor) -> Tensor:
        """logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of logical_and.
        """
    def logical_not(self, *, out: Tensor | None = ...) -> Tensor:
        """logical_not(Tensor self) -> Tensor

        Returns the logical not of each element: true if it is 0.
        """
    def logical_not_(self) -> Tensor:
        """logical_not_(Tensor(a!) self) -> Tensor(a!)

        In-place version of logical_not.
        """
    def logical_or(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """logical_or(Tensor self, Tensor other) -> Tensor

        Logical or of the operands, whose nonzero elements count as true.
        """
    def logical_or_(self, other: Tensor) -> Tensor:
        """logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of logical_or.
        """
    def logical_xor(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """logical_xor(Tensor self, Tensor other) -> Tensor

        Logical xor of the operands, whose nonzero elements count as true.
        """
    def logical_xor_(self, other: Tensor) -> Tensor:
        """logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of logical_xor.
        """
    def logit(self, eps: _float | None = ..., *, out: Tensor | None = ...) -> Tensor:
        """logit(Tensor self, float? eps=None) -> Tensor

        Computes ``log(x / (1 - x))``, the inverse of sigmoid; NaN for x outside [0, 1].
        """
    def logit_(self, eps: _float | None = ...) -> Tensor:
        """logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)

        In-place version of logit.
        """
    def logsumexp(
        self, dim: Sequence[_int] | _int, keepdim: _bool = ..., *, out: Tensor | None = ...
    ) -> Tensor:
        """logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor

        Computes ``log(sum(exp(x)))`` over dimensions ``dim`` without overflow.
        """
    def long(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.int64)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def lt(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """lt.Tensor(Tensor self, Tensor other) -> Tensor

        Tests whether each element of ``self`` is less than that of ``other``, in their common dtype.
        """
    def lt_(self, other: _Operand) -> Tensor:
        """lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of lt.
        """
    def lu(self, pivot: _bool = ..., get_infos: _bool = ...) -> tuple[Tensor, ...]:
        """The LU factorization with partial pivoting (*, n, m), its pivots (*, min(n, m)), int32, and with
        ``get_infos`` the codes of errors (*), int32.
        """
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor

        The former linalg.lu_solve, with B first.
        """
    @property
    def mH(self) -> Tensor:
        """The conjugate transpose of matrices (*, m, n): (*, n, m).  Raises RuntimeError for 1-d tensors."""
    @property
    def mT(self) -> Tensor:
        """The transpose of the last two dimensions, a view.  Raises RuntimeError for a 1-d tensor."""
    def map2_(self, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
        """Like ``map_``, with the elements of two other tensors.  Source: torch.Tensor.map2_."""
    def map_(self, other: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
        """Replaces each element by ``callable(element, element of other)``: slow.  ``other`` broadcasts."""
    @overload
    def masked_fill(self, mask: Tensor, value: _Scalar) -> Tensor:
        """masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor

        Fills the elements of ``self`` with ``value`` where ``mask`` is true; the dtype is kept.
        """
    @overload
    def masked_fill(self, mask: Tensor, value: Tensor) -> Tensor:
        """masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor

        Fills the elements of ``self`` with ``value`` where ``mask`` is true; the dtype is kept.
        """
    @overload
    def masked_fill_(self, mask: Tensor, value: _Scalar) -> Tensor:
        """masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)

        In-place version of masked_fill.
        """
    @overload
    def masked_fill_(self, mask: Tensor, value: Tensor) -> Tensor:
        """masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)

        In-place version of masked_fill.
        """
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor

        Returns a copy of ``self`` with the elements of ``source``, in row-major order, where ``mask``
        (bool) is True.
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)

        In-place version of masked_scatter.
        """
    def masked_select(self, mask: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """masked_select(Tensor self, Tensor mask) -> Tensor

        Returns the elements where ``mask`` (bool) is True, as a vector; both broadcast.
        """
    def matmul(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """matmul(Tensor self, Tensor other) -> Tensor

        Computes the matrix product of vectors, matrices, or batches of matrices, whose batch dimensions
        broadcast.
        """
    def matrix_exp(self) -> Tensor:
        """matrix_exp(Tensor self) -> Tensor

        The same as linalg.matrix_exp.  Raises RuntimeError for matrices that are not square.
        """
    def matrix_power(self, n: _int, *, out: Tensor | None = ...) -> Tensor:
        """matrix_power(Tensor self, int n) -> Tensor

        The same as linalg.matrix_power.  Raises RuntimeError for matrices that are not square.
        """
    @overload
    def max(self, *, out: Tensor | None = ...) -> Tensor:
        """max(Tensor self) -> Tensor

        Returns the maximum of all elements, or along ``dim``; NaN if any element is NaN.
        """
    @overload
    def max(self, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...) -> _max_result:
        """max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

        Returns the maximum along ``dim`` and the index (int64) of its first occurrence; NaN counts as
        the maximum.
        """
    @overload
    def max(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """max.other(Tensor self, Tensor other) -> Tensor

        Returns the larger of each pair of elements, like ``maximum``.
        """
    def maximum(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """maximum(Tensor self, Tensor other) -> Tensor

        Returns the larger of each pair of elements; NaN if either is NaN.
        """
    @overload
    def mean(self, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
        """mean(Tensor self, *, ScalarType? dtype=None) -> Tensor

        Returns the mean of all elements.
        """
    @overload
    def mean(
        self,
        dim: Sequence[_int] | _int | None,
        keepdim: _bool = ...,
        *,
        dtype: _dtype | None = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

        Returns the mean over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.
        """
    @overload
    def median(self) -> Tensor:
        """median(Tensor self) -> Tensor

        Returns the lower median of all elements; NaN if any element is NaN.
        """
    @overload
    def median(
        self, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
    ) -> _median_result:
        """median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

        Returns the lower median along ``dim`` and its index (int64); NaN if any element is NaN.
        """
    @overload
    def min(self, *, out: Tensor | None = ...) -> Tensor:
        """min(Tensor self) -> Tensor

        Returns the minimum of all elements, or along ``dim``; NaN if any element is NaN.
        """
    @overload
    def min(self, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...) -> _min_result:
        """min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

        Returns the minimum along ``dim`` and the index (int64) of its first occurrence; NaN counts as
        the minimum.
        """
    @overload
    def min(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """min.other(Tensor self, Tensor other) -> Tensor

        Returns the smaller of each pair of elements, like ``minimum``.
        """
    def minimum(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """minimum(Tensor self, Tensor other) -> Tensor

        Returns the smaller of each pair of elements; NaN if either is NaN.
        """
    def mm(self, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """mm(Tensor self, Tensor mat2) -> Tensor

        Computes the product of two matrices, (n, k) and (k, m).
        """
    def mode(
        self, dim: _int = ..., keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
    ) -> _mode_result:
        """mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)

        Returns the most frequent element along ``dim``, and the index (int64) of its last occurrence.
        """
    @overload
    def moveaxis(self, source: Sequence[_int], destination: Sequence[_int]) -> Tensor:
        """moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)

        Returns a view with dimensions ``source`` moved to ``destination``; the others keep their
        order.
        """
    @overload
    def moveaxis(self, source: _int, destination: _int) -> Tensor:
        """moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)

        Returns a view with dimension ``source`` moved to ``destination``.
        """
    @overload
    def movedim(self, source: Sequence[_int], destination: Sequence[_int]) -> Tensor:
        """movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)

        Returns a view with dimensions ``source`` moved to ``destination``; the others keep their
        order.
        """
    @overload
    def movedim(self, source: _int, destination: _int) -> Tensor:
        """movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)

        Returns a view with dimension ``source`` moved to ``destination``.
        """
    def msort(self, *, out: Tensor | None = ...) -> Tensor:
        """msort(Tensor self) -> Tensor

        Sorts the elements along the first dimension in ascending order.
        """
    def mul(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """mul.Tensor(Tensor self, Tensor other) -> Tensor

        Computes ``self * other``.
        """
    def mul_(self, other: _Operand) -> Tensor:
        """mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of mul.
        """
    def multinomial(
        self,
        num_samples: _int,
        replacement: _bool = ...,
        *,
        generator: Generator | None = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor

        Draws ``num_samples`` indices (int64) with probabilities in proportion to the elements of each row.
        """
    def multiply(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """multiply.Tensor(Tensor self, Tensor other) -> Tensor

        Alias for ``mul``.
        """
    def multiply_(self, other: _Operand) -> Tensor:
        """multiply_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of multiply.
        """
    def mv(self, vec: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """mv(Tensor self, Tensor vec) -> Tensor

        Computes the product of a matrix (n, k) and a vector (k).
        """
    def mvlgamma(self, p: _int, *, out: Tensor | None = ...) -> Tensor:
        """mvlgamma(Tensor self, int p) -> Tensor

        Computes the multivariate log gamma function of ``p`` dimensions: the sum of
        ``lgamma(self - i / 2)`` over i = 0 … p - 1, plus ``p * (p - 1) / 4 * log(pi)``.
        """
    def mvlgamma_(self, p: _int) -> Tensor:
        """mvlgamma_(Tensor(a!) self, int p) -> Tensor(a!)

        In-place version of mvlgamma.
        """
    def nan_to_num(
        self,
        nan: _float | None = ...,
        posinf: _float | None = ...,
        neginf: _float | None = ...,
        *,
        out: Tensor | None = ...,
    ) -> Tensor:
        """nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor

        Replaces NaN by ``nan``, inf by ``posinf`` and -inf by ``neginf``.
        """
    def nan_to_num_(
        self, nan: _float | None = ..., posinf: _float | None = ..., neginf: _float | None = ...
    ) -> Tensor:
        """nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)

        In-place version of nan_to_num.
        """
    def nanmean(
        self,
        dim: Sequence[_int] | _int | None = ...,
        keepdim: _bool = ...,
        *,
        dtype: _dtype | None = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

        Returns the mean over dimensions ``dim`` of the elements that are not NaN; NaN if there are none.
        """
    @overload
    def nanmedian(self) -> Tensor:
        """nanmedian(Tensor self) -> Tensor

        Returns the lower median of all elements; NaN is ignored.
        """
    @overload
    def nanmedian(
        self, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
    ) -> _nanmedian_result:
        """nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

        Returns the lower median along ``dim`` and its index (int64); NaN is ignored.
        """
    @overload
    def nanquantile(
        self,
        q: Tensor,
        dim: _int | None = ...,
        keepdim: _bool = ...,
        *,
        interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

        Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN is ignored.
        """
    @overload
    def nanquantile(
        self,
        q: _float,
        dim: _int | None = ...,
        keepdim: _bool = ...,
        *,
        interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

        Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN is ignored.
        """
    def nansum(
        self,
        dim: Sequence[_int] | _int | None = ...,
        keepdim: _bool = ...,
        *,
        dtype: _dtype | None = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

        Returns the sum over dimensions ``dim`` (all if None or empty), counting NaN as 0.
        """
    @overload
    def narrow(self, dim: _int, start: _int, length: _int) -> Tensor:
        """narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)

        Returns a view of ``length`` elements of dimension ``dim``, beginning at ``start``.  Raises
        IndexError if ``start`` is out of range, RuntimeError if ``start + length`` is.
        """
    @overload
    def narrow(self, dim: _int, start: Tensor, length: _int) -> Tensor:
        """narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)

        As above, with ``start`` as a 0-dim integer tensor.
        """
    def narrow_copy(self, dim: _int, start: _int, length: _int, *, out: Tensor | None = ...) -> Tensor:
        """narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor

        Returns what ``narrow`` returns as a contiguous copy with memory of its own.
        """
    @property
    def nbytes(self) -> _int:
        """Bytes of all elements, without gaps."""
    @property
    def ndim(self) -> _int:
        """The number of dimensions."""
    def ndimension(self) -> _int:
        """The number of dimensions."""
    def ne(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """ne.Tensor(Tensor self, Tensor other) -> Tensor

        Tests whether each element of ``self`` is not equal to that of ``other``, in their common dtype.
        """
    def ne_(self, other: _Operand) -> Tensor:
        """ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of ne.
        """
    def neg(self, *, out: Tensor | None = ...) -> Tensor:
        """neg(Tensor self) -> Tensor

        Returns the negative of each element.  Raises RuntimeError for bool.
        """
    def neg_(self) -> Tensor:
        """neg_(Tensor(a!) self) -> Tensor(a!)

        In-place version of neg.
        """
    def negative(self, *, out: Tensor | None = ...) -> Tensor:
        """negative(Tensor self) -> Tensor

        Alias for ``neg``.
        """
    def negative_(self) -> Tensor:
        """negative_(Tensor(a!) self) -> Tensor(a!)

        In-place version of negative.
        """
    def nelement(self) -> _int:
        """The number of elements."""
    def new(self, *args: Any, **kwargs: Any) -> Tensor:
        """Like the constructor ``Tensor(...)``, of this tensor's dtype and device.  Source: torch.Tensor.new."""
    @overload
    def new_empty(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns a tensor of shape ``size`` with the dtype and device of ``self``, like ``empty``.
        """
    @overload
    def new_empty(
        self,
        *size: _int,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns a tensor of shape ``size`` with the dtype and device of ``self``, like ``empty``.
        """
    def new_empty_strided(
        self,
        size: Sequence[_int],
        stride: Sequence[_int],
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns an uninitialized tensor of shape ``size`` with strides ``stride`` (in elements).
        """
    def new_full(
        self,
        size: Sequence[_int],
        fill_value: _Scalar,
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns a tensor of shape ``size`` filled with ``fill_value``, with the dtype and device of
        ``self``.
        """
    @overload
    def new_ones(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns a tensor of shape ``size`` with the dtype and device of ``self``, like ``ones``.
        """
    @overload
    def new_ones(
        self,
        *size: _int,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns a tensor of shape ``size`` with the dtype and device of ``self``, like ``ones``.
        """
    def new_tensor(
        self,
        data: Any,
        *,
        dtype: _dtype | None = ...,
        device: Any = ...,
        requires_grad: _bool = ...,
        layout: _layout = ...,
        pin_memory: _bool = ...,
    ) -> Tensor:
        """A copy of ``data``: a tensor, an array, a number or nested sequences."""
    @overload
    def new_zeros(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns a tensor of shape ``size`` with the dtype and device of ``self``, like ``zeros``.
        """
    @overload
    def new_zeros(
        self,
        *size: _int,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

        Returns a tensor of shape ``size`` with the dtype and device of ``self``, like ``zeros``.
        """
    def nextafter(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """nextafter(Tensor self, Tensor other) -> Tensor

        Returns the number of the dtype that follows ``self`` in the direction of ``other``.
        """
    def nextafter_(self, other: Tensor) -> Tensor:
        """nextafter_(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of nextafter.
        """
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = ...) -> Tensor:
        """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension."""
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]:
        """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension."""
    @overload
    def nonzero(self, *, as_tuple: _bool = ...) -> Any:
        """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension."""
    def nonzero_numpy(self) -> tuple[Tensor, ...]:
        """nonzero_numpy(Tensor self) -> Tensor[]

        Returns the indices of the nonzero elements as one vector per dimension, for use as ``self[...]``.
        """
    def nonzero_static(self, *, size: _int, fill_value: _int = ..., out: Tensor | None = ...) -> Tensor:
        """nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor

        Returns the indices of the first ``size`` nonzero elements, one per row; unused rows are filled
        with ``fill_value``.
        """
    def norm(
        input: Tensor,
        p: _float | Literal["fro", "nuc"] | None = ...,
        dim: _int | Sequence[_int] | None = ...,
        keepdim: _bool = ...,
        out: Tensor | None = ...,
        dtype: _dtype | None = ...,
    ) -> Tensor:
        """The vector norm of order ``p`` over ``dim``; 'fro' is the 2-norm, 'nuc' the nuclear norm of matrices."""
    def normal_(self, mean: _float = ..., std: _float = ..., *, generator: Generator | None = ...) -> Tensor:
        """normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with numbers drawn from the normal distribution of ``mean`` and ``std``.
        """
    def not_equal(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """not_equal.Tensor(Tensor self, Tensor other) -> Tensor

        Alias for ``ne``.
        """
    def not_equal_(self, other: _Operand) -> Tensor:
        """not_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of not_equal.
        """
    def numel(self) -> _int:
        """The number of elements."""
    def numpy(self, *, force: _bool = ...) -> NDArray[Any]:
        """The tensor as a NumPy array that shares its host memory; if it has none, a copy with ``force``."""
    def ones_like(
        self,
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        memory_format: _memory_format | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

        Returns a tensor of the sizes of ``self`` filled with 1.
        """
    def orgqr(self, input2: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """orgqr(Tensor self, Tensor input2) -> Tensor

        The former name of linalg.householder_product.
        """
    def ormqr(
        self,
        input2: Tensor,
        input3: Tensor,
        left: _bool = ...,
        transpose: _bool = ...,
        *,
        out: Tensor | None = ...,
    ) -> Tensor:
        """ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor

        Multiplies ``input3`` (*, n, k) by the square matrix Q (*, n, n) that a product of Householder
        reflections is: ``Q input3``, or with ``transpose`` ``Q^H input3``.
        """
    def outer(self, vec2: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """outer(Tensor self, Tensor vec2) -> Tensor

        Computes the outer product of vectors (n) and (m): ``result[i, j] = self[i] * vec2[j]``, a
        matrix (n, m).
        """
    @property
    def output_nr(self) -> _int:
        """Which output of ``grad_fn`` this is."""
    @overload
    def permute(self, dims: Sequence[_int]) -> Tensor:
        """permute(Tensor(a) self, int[] dims) -> Tensor(a)

        Returns a view with the dimensions permuted: dimension i of the result is dimension ``dims[i]``.
        """
    @overload
    def permute(self, *dims: _int) -> Tensor:
        """permute(Tensor(a) self, int[] dims) -> Tensor(a)

        Returns a view with the dimensions permuted: dimension i of the result is dimension ``dims[i]``.
        """
    def pin_memory(self, device: Any = ...) -> Tensor:
        """This tensor with its elements in pinned memory, itself if they are; ``device`` is deprecated."""
    def pinverse(self, rcond: _float = ...) -> Tensor:
        """pinverse(Tensor self, float rcond=1e-15) -> Tensor

        Computes the pseudoinverse (*, m, n) of matrices (*, n, m): linalg.pinv with the relative tolerance
        ``rcond``.
        """
    def polygamma(self, n: Any) -> Any:
        """polygamma(int n, Tensor self) -> Tensor

        Computes the ``n``-th derivative of digamma.  Raises RuntimeError for a negative ``n``.
        """
    def polygamma_(self, n: _int) -> Tensor:
        """polygamma_(Tensor(a!) self, int n) -> Tensor(a!)

        In-place version of polygamma.
        """
    def positive(self) -> Tensor:
        """positive(Tensor(a) self) -> Tensor(a)

        Returns the tensor itself, as unary + does.  Raises RuntimeError for bool.
        """
    @overload
    def pow(self, exponent: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor

        Computes ``self`` to the power of ``exponent``.
        """
    @overload
    def pow(self, exponent: _Scalar, *, out: Tensor | None = ...) -> Tensor:
        """pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor

        Computes ``self`` to the power of a number.
        """
    @overload
    def pow_(self, exponent: Tensor) -> Tensor:
        """pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)

        In-place version of pow.
        """
    @overload
    def pow_(self, exponent: _Scalar) -> Tensor:
        """pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)

        In-place version of pow.
        """
    def prelu(self, weight: Tensor) -> Tensor:
        """prelu(Tensor self, Tensor weight) -> Tensor

        Returns x where it is positive, else ``weight * x`` (He et al., 2015).
        """
    @overload
    def prod(self, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
        """prod(Tensor self, *, ScalarType? dtype=None) -> Tensor

        Returns the product of all elements.
        """
    @overload
    def prod(
        self, dim: _int, keepdim: _bool = ..., *, dtype: _dtype | None = ..., out: Tensor | None = ...
    ) -> Tensor:
        """prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

        Returns the product over dimension ``dim``; integers are multiplied in int64 unless ``dtype`` is
        given.
        """
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = ...) -> Tensor:
        """put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor

        Returns a copy of ``self`` with the elements of ``source`` written at the indices in ``index``
        (int64) of the flattened tensor, or added if ``accumulate`` is True.
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = ...) -> Tensor:
        """put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)

        In-place version of put.
        """
    def q_per_channel_axis(self) -> _int:
        """q_per_channel_axis(Tensor self) -> int

        The dimension of the channels.  Raises RuntimeError for a tensor that is quantized as a whole.
        """
    def q_per_channel_scales(self) -> Tensor:
        """q_per_channel_scales(Tensor self) -> Tensor

        The scales (channels,), float64.  Raises RuntimeError for a tensor that is quantized as a whole.
        """
    def q_per_channel_zero_points(self) -> Tensor:
        """q_per_channel_zero_points(Tensor self) -> Tensor

        The zero points (channels,), int64.  Raises RuntimeError for a tensor that is quantized as a whole.
        """
    def q_scale(self) -> _float:
        """q_scale(Tensor self) -> float

        The scale.  Raises RuntimeError for a tensor that is quantized per channel.
        """
    def q_zero_point(self) -> _int:
        """q_zero_point(Tensor self) -> int

        The zero point.  Raises RuntimeError for a tensor that is quantized per channel.
        """
    def qr(self, some: _bool = ..., *, out: Sequence[Tensor] | None = ...) -> _qr_result:
        """qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)

        The former linalg.qr: mode "reduced", or "complete" if not ``some``.
        """
    def qscheme(self) -> _qscheme:
        """qscheme(Tensor self) -> QScheme

        How a tensor is quantized: gnomon.per_tensor_affine, for example.
        """
    @overload
    def quantile(
        self,
        q: Tensor,
        dim: _int | None = ...,
        keepdim: _bool = ...,
        *,
        interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

        Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN if any element is NaN.
        """
    @overload
    def quantile(
        self,
        q: _float,
        dim: _int | None = ...,
        keepdim: _bool = ...,
        *,
        interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

        Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN if any element is NaN.
        """
    def rad2deg(self, *, out: Tensor | None = ...) -> Tensor:
        """rad2deg(Tensor self) -> Tensor

        Converts each element from radians to degrees.  Raises RuntimeError for complex dtypes.
        """
    def rad2deg_(self) -> Tensor:
        """rad2deg_(Tensor(a!) self) -> Tensor(a!)

        In-place version of rad2deg.
        """
    @overload
    def random_(self, *, generator: Generator | None = ...) -> Tensor:
        """random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with integers drawn uniformly from 0 to the largest that the dtype represents
        exactly.
        """
    @overload
    def random_(self, from_: _int, to: _int | None, *, generator: Generator | None = ...) -> Tensor:
        """random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with integers drawn uniformly from [from, to).
        """
    @overload
    def random_(self, to: _int, *, generator: Generator | None = ...) -> Tensor:
        """random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with integers drawn uniformly from [0, to).
        """
    def ravel(self) -> Tensor:
        """ravel(Tensor(a) self) -> Tensor(a)

        Flattens ``self`` into one dimension in row-major order: a view of a contiguous tensor, else a
        copy.
        """
    @property
    def real(self) -> Tensor:
        """real(Tensor(a) self) -> Tensor(a)

        Returns a view of the real parts; a real tensor is returned unchanged.
        """
    def reciprocal(self, *, out: Tensor | None = ...) -> Tensor:
        """reciprocal(Tensor self) -> Tensor

        Computes the reciprocal ``1 / x`` of each element.
        """
    def reciprocal_(self) -> Tensor:
        """reciprocal_(Tensor(a!) self) -> Tensor(a!)

        In-place version of reciprocal.
        """
    def record_stream(self, stream: Any) -> None:
        """Declare that work in ``stream`` uses the tensor's memory, which is not reused until that work is done."""
    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook`` with the gradient of this tensor whenever backward computes it."""
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook`` with this leaf whenever backward has added to its ``grad``."""
    def relu(self, *, out: Tensor | None = ...) -> Tensor:
        """relu(Tensor self) -> Tensor

        Computes ``max(x, 0)``, with the sizes and dtype of x.  Its gradient at 0 is 0.
        """
    def relu_(self) -> Tensor:
        """relu_(Tensor(a!) self) -> Tensor(a!)

        In-place version of relu.
        """
    def remainder(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """remainder.Tensor(Tensor self, Tensor other) -> Tensor

        Computes ``self`` modulo ``other``; the result has the sign of ``other``, as with Python's %.
        """
    def remainder_(self, other: _Operand) -> Tensor:
        """remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of remainder.
        """
    def renorm(self, p: _Scalar, dim: _int, maxnorm: _Scalar, *, out: Tensor | None = ...) -> Tensor:
        """renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor

        Scales each slice along ``dim`` whose ``p``-norm is above ``maxnorm`` to that norm.
        """
    def renorm_(self, p: _Scalar, dim: _int, maxnorm: _Scalar) -> Tensor:
        """renorm_(Tensor(a!) self, Scalar p, int dim, Scalar maxnorm) -> Tensor(a!)

        In-place version of renorm.
        """
    @overload
    def repeat(self, repeats: Sequence[_int]) -> Tensor:
        """repeat(Tensor self, SymInt[] repeats) -> Tensor

        Repeats ``self`` ``repeats[i]`` times along dimension i; additional repeats create new leading
        dimensions.
        """
    @overload
    def repeat(self, *repeats: _int) -> Tensor:
        """repeat(Tensor self, SymInt[] repeats) -> Tensor

        Repeats ``self`` ``repeats[i]`` times along dimension i; additional repeats create new leading
        dimensions.
        """
    @overload
    def repeat_interleave(self, *, output_size: _int | None = ...) -> Tensor:
        """repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor

        Returns the index i ``repeats[i]`` times, for each i.
        """
    @overload
    def repeat_interleave(
        self, repeats: Tensor, dim: _int | None = ..., *, output_size: _int | None = ...
    ) -> Tensor:
        """repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor

        Repeats each slice i of dimension ``dim`` ``repeats[i]`` times in a row; without ``dim``, each
        element of the flattened tensor.
        """
    @overload
    def repeat_interleave(
        self, repeats: _int, dim: _int | None = ..., *, output_size: _int | None = ...
    ) -> Tensor:
        """repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor

        Repeats each slice of dimension ``dim`` ``repeats`` times in a row.
        """
    @property
    def requires_grad(self) -> _bool:
        """Does backward compute gradients for this tensor?"""
    @requires_grad.setter
    def requires_grad(self, requires_grad: _bool) -> None: ...
    def requires_grad_(self: _Self, requires_grad: _bool = ...) -> _Self:
        """Start, or for a leaf stop, recording operators on this tensor; returns the tensor."""
    @overload
    def reshape(self, shape: Sequence[_int]) -> Tensor:
        """reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)

        Returns the same elements in another shape: a view if the strides allow it, else a copy.
        """
    @overload
    def reshape(self, *shape: _int) -> Tensor:
        """reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)

        Returns the same elements in another shape: a view if the strides allow it, else a copy.
        """
    def reshape_as(self, other: Tensor) -> Tensor:
        """reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)

        Reshapes ``self`` to the sizes of ``other``.
        """
    @overload
    def resize_(self, size: Sequence[_int], *, memory_format: _memory_format | None = ...) -> Tensor:
        """resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)

        Resizes ``self`` in place to ``size``.
        """
    @overload
    def resize_(self, *size: _int, memory_format: _memory_format | None = ...) -> Tensor:
        """resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)

        Resizes ``self`` in place to ``size``.
        """
    def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = ...) -> Tensor:
        """resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)

        Resizes ``self`` in place to the sizes of ``the_template``; see resize_.
        """
    def resize_as_sparse_(self, the_template: Tensor) -> Tensor:
        """resize_as_sparse_(Tensor(a!) self, Tensor the_template) -> Tensor(a!)

        Resize a sparse tensor in place to the sizes of ``the_template``, of the same layout; see
        sparse_resize_.
        """
    def resolve_conj(self) -> Tensor:
        """resolve_conj(Tensor(a) self) -> Tensor(a)

        Returns the tensor itself, with its sizes and dtype: there is no conjugate bit as in PyTorch.
        """
    def resolve_neg(self) -> Tensor:
        """resolve_neg(Tensor(a) self) -> Tensor(a)

        Returns the tensor itself, with its sizes and dtype: there is no negative bit as in PyTorch.
        """
    def retain_grad(self) -> None:
        """Keep this non-leaf's gradient in ``grad`` when backward computes it, after all its hooks."""
    @property
    def retains_grad(self) -> _bool:
        """Is this a non-leaf that retains its gradient?"""
    def roll(self, shifts: Sequence[_int] | _int, dims: Sequence[_int] | _int = ...) -> Tensor:
        """roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor

        Returns a copy with dimension ``dims[j]`` rolled by ``shifts[j]``: element i moves to
        ``i + shifts[j]``, modulo the size.
        """
    def rot90(self, k: _int = ..., dims: Sequence[_int] = ...) -> Tensor:
        """rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor

        Returns a copy rotated ``k`` times by 90 degrees in the plane of two dimensions, from the first
        towards the second.
        """
    @overload
    def round(self, *, out: Tensor | None = ...) -> Tensor:
        """round(Tensor self) -> Tensor

        Rounds each element to the nearest integer, halves to even; integers are unchanged.
        """
    @overload
    def round(self, *, decimals: _int, out: Tensor | None = ...) -> Tensor:
        """round.decimals(Tensor self, *, int decimals) -> Tensor

        Rounds each element to ``decimals`` digits after the decimal point, or before it if negative.
        """
    @overload
    def round_(self) -> Tensor:
        """round_(Tensor(a!) self) -> Tensor(a!)

        In-place version of round.
        """
    @overload
    def round_(self, *, decimals: _int) -> Tensor:
        """round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)

        In-place version of round.
        """
    def row_indices(self) -> Tensor:
        """row_indices(Tensor(a) self) -> Tensor(a)

        The plain indices of a tensor
        whose columns are compressed, which it holds.  Raises RuntimeError for others.
        """
    def rrelu(
        self,
        lower: _Scalar = ...,
        upper: _Scalar = ...,
        training: _bool = ...,
        generator: Generator | None = ...,
    ) -> Tensor:
        """rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor

        ``self`` if positive, otherwise ``slope * self``.
        """
    def rrelu_(
        self,
        lower: _Scalar = ...,
        upper: _Scalar = ...,
        training: _bool = ...,
        generator: Generator | None = ...,
    ) -> Tensor:
        """rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor(a!)

        In-place version of rrelu.
        """
    def rsqrt(self, *, out: Tensor | None = ...) -> Tensor:
        """rsqrt(Tensor self) -> Tensor

        Computes the reciprocal square root ``1 / sqrt(x)`` of each element.
        """
    def rsqrt_(self) -> Tensor:
        """rsqrt_(Tensor(a!) self) -> Tensor(a!)

        In-place version of rsqrt.
        """
    @overload
    def scatter(self, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor

        Returns a copy of ``self`` with the elements of ``src`` written at the indices along ``dim`` in
        ``index`` (int64 or int32).
        """
    @overload
    def scatter(self, dim: _int, index: Tensor, value: _Scalar, *, out: Tensor | None = ...) -> Tensor:
        """scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor

        Returns a copy of ``self`` with the number ``value`` at the indices along ``dim`` in ``index``.
        """
    @overload
    def scatter(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor,
        *,
        reduce: Literal["add", "multiply"],
        out: Tensor | None = ...,
    ) -> Tensor:
        """scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor

        Returns a copy of ``self`` with the elements of ``src`` added (``reduce="add"``) or multiplied
        (``"multiply"``) at the indices in ``index``.  Not differentiable, unlike scatter_reduce.
        """
    @overload
    def scatter(
        self,
        dim: _int,
        index: Tensor,
        value: _Scalar,
        *,
        reduce: Literal["add", "multiply"],
        out: Tensor | None = ...,
    ) -> Tensor:
        """scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor

        As above, with the number ``value``.
        """
    @overload
    def scatter_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)

        In-place version of scatter.
        """
    @overload
    def scatter_(self, dim: _int, index: Tensor, value: _Scalar) -> Tensor:
        """scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)

        In-place version of scatter.
        """
    @overload
    def scatter_(
        self, dim: _int, index: Tensor, src: Tensor, *, reduce: Literal["add", "multiply"]
    ) -> Tensor:
        """scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)

        In-place version of scatter.
        """
    @overload
    def scatter_(
        self, dim: _int, index: Tensor, value: _Scalar, *, reduce: Literal["add", "multiply"]
    ) -> Tensor:
        """scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)

        In-place version of scatter.
        """
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor

        Returns a copy of ``self`` with the elements of ``src`` added at the indices along ``dim`` in
        ``index`` (int64 or int32).
        """
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)

        In-place version of scatter_add.
        """
    def scatter_reduce(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor,
        reduce: Literal["sum", "prod", "mean", "amax", "amin"],
        *,
        include_self: _bool = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor

        Returns a copy of ``self`` with the elements of ``src`` reduced into it at the indices along
        ``dim`` in ``index``.
        """
    def scatter_reduce_(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor,
        reduce: Literal["sum", "prod", "mean", "amax", "amin"],
        *,
        include_self: _bool = ...,
    ) -> Tensor:
        """scatter_reduce_.two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor(a!)

        In-place version of scatter_reduce.
        """
    def select(self, dim: _int, index: _int) -> Tensor:
        """select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)

        Returns the slice at ``index`` of dimension ``dim``, as a view without that dimension.  Raises
        IndexError if out of range.
        """
    def select_scatter(self, src: Tensor, dim: _int, index: _int) -> Tensor:
        """select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor

        Returns a copy of ``self`` with ``src`` written to ``index`` of dimension ``dim``.  Raises
        RuntimeError if the sizes of ``src`` differ.
        """
    @overload
    def set_(self) -> Tensor:
        """set_(Tensor(a!) self) -> Tensor(a!)

        Makes ``self`` an empty vector with a storage of its own.
        """
    @overload
    def set_(self, source: Tensor) -> Tensor:
        """set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)

        Lets ``self`` use the storage, sizes, strides and offset of ``source``; no element is copied.
        """
    @overload
    def set_(
        self, source: Tensor, storage_offset: _int, size: Sequence[_int], stride: Sequence[_int] = ...
    ) -> Tensor:
        """set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, SymInt[] size, SymInt[] stride=[]) -> Tensor(a!)

        Lets ``self`` use the storage of the contiguous tensor ``source``, with other sizes and strides.
        """
    @overload
    def set_(self, source: Storage) -> Tensor:
        """set_.source_Storage(Tensor(a!) self, Storage source) -> Tensor(a!)

        Makes ``self`` the vector of all elements of a storage.
        """
    @overload
    def set_(
        self, source: Storage, storage_offset: _int, size: Sequence[_int], stride: Sequence[_int] = ...
    ) -> Tensor:
        """set_.source_Storage_storage_offset(Tensor(a!) self, Storage source, SymInt storage_offset, SymInt[] size, SymInt[] stride=[]) -> Tensor(a!)

        Lets ``self`` use a storage, with these sizes and strides; without ``stride`` it is contiguous.
        """
    def sgn(self, *, out: Tensor | None = ...) -> Tensor:
        """sgn(Tensor self) -> Tensor

        Returns ``sign`` for real dtypes; divides complex elements by their modulus, and keeps 0.
        """
    def sgn_(self) -> Tensor:
        """sgn_(Tensor(a!) self) -> Tensor(a!)

        In-place version of sgn.
        """
    @property
    def shape(self) -> Size:
        """The sizes."""
    def share_memory_(self) -> Tensor:
        """Move the storage to shared memory, if it is not there; returns the tensor."""
    def short(self, *, memory_format: Any = ...) -> Tensor:
        """``self.to(gnomon.int16)``: a copy with this dtype, the same shape and the given ``memory_format``, or the
        tensor itself if nothing changes.
        """
    def sigmoid(self, *, out: Tensor | None = ...) -> Tensor:
        """sigmoid(Tensor self) -> Tensor

        The logistic sigmoid, ``1 / (1 + exp(-x))``.
        """
    def sigmoid_(self) -> Tensor:
        """sigmoid_(Tensor(a!) self) -> Tensor(a!)

        In-place version of sigmoid.
        """
    def sign(self, *, out: Tensor | None = ...) -> Tensor:
        """sign(Tensor self) -> Tensor

        Returns the sign of each element: -1, 0 or 1; 0 for NaN.
        """
    def sign_(self) -> Tensor:
        """sign_(Tensor(a!) self) -> Tensor(a!)

        In-place version of sign.
        """
    def signbit(self, *, out: Tensor | None = ...) -> Tensor:
        """signbit(Tensor self) -> Tensor

        Tests whether the sign bit of each element is set; it is for -0.0.  Raises NotImplementedError for
        complex dtypes.
        """
    def sin(self, *, out: Tensor | None = ...) -> Tensor:
        """sin(Tensor self) -> Tensor

        Computes the sine of each element, in radians.
        """
    def sin_(self) -> Tensor:
        """sin_(Tensor(a!) self) -> Tensor(a!)

        In-place version of sin.
        """
    def sinc(self, *, out: Tensor | None = ...) -> Tensor:
        """sinc(Tensor self) -> Tensor

        Computes ``sin(pi x) / (pi x)`` of each element; 1 for x = 0.
        """
    def sinc_(self) -> Tensor:
        """sinc_(Tensor(a!) self) -> Tensor(a!)

        In-place version of sinc.
        """
    def sinh(self, *, out: Tensor | None = ...) -> Tensor:
        """sinh(Tensor self) -> Tensor

        Computes the hyperbolic sine of each element.
        """
    def sinh_(self) -> Tensor:
        """sinh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of sinh.
        """
    @overload
    def size(self, dim: None = ...) -> Size:
        """The sizes, or the size of dimension ``dim``.  Raises IndexError for a dim out of range."""
    @overload
    def size(self, dim: _int) -> _int:
        """The sizes, or the size of dimension ``dim``.  Raises IndexError for a dim out of range."""
    def slice(
        self, dim: _int = ..., start: _int | None = ..., end: _int | None = ..., step: _int = ...
    ) -> Tensor:
        """slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)

        Returns a view of elements ``start`` (inclusive) to ``end`` (exclusive) of dimension ``dim``, every
        ``step``-th; bounds are clamped, ``step`` is positive.
        """
    def slice_scatter(
        self,
        src: Tensor,
        dim: _int = ...,
        start: _int | None = ...,
        end: _int | None = ...,
        step: _int = ...,
        *,
        out: Tensor | None = ...,
    ) -> Tensor:
        """slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor

        Returns a copy of ``self`` with ``src`` written to the elements that ``slice`` selects.  Raises
        RuntimeError if the sizes of ``src`` differ.
        """
    def slogdet(self, *, out: Sequence[Tensor] | None = ...) -> _slogdet_result:
        """slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)

        The same as linalg.slogdet.  Raises RuntimeError for matrices that are not square.
        """
    def smm(self, mat2: Tensor) -> Tensor:
        """smm(Tensor self, Tensor mat2) -> Tensor

        The product of a sparse and a strided matrix, as a sparse one.
        """
    def softmax(self, dim: _int, dtype: _dtype | None = ..., *, out: Tensor | None = ...) -> Tensor:
        """softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor

        ``exp(x)`` divided by its sum along ``dim``.  ``dtype`` converts the input first.
        """
    def sort(
        self,
        *,
        stable: _bool | None = ...,
        dim: _int = ...,
        descending: _bool = ...,
        out: Sequence[Tensor] | None = ...,
    ) -> _sort_result:
        """sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)

        Sorts the elements along ``dim``; returns the sorted elements and their indices (int64).
        """
    def sparse_dim(self) -> _int:
        """sparse_dim(Tensor self) -> int

        The number of dimensions that the indices have; 0 for a strided tensor.
        """
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """sparse_mask(Tensor self, Tensor mask) -> Tensor

        The elements of ``self`` at the indices of the sparse tensor ``mask``, as a sparse tensor with
        these.
        """
    def sparse_resize_(self, size: Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor:
        """sparse_resize_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)

        Give a sparse tensor other sizes and numbers of dimensions.  Its specified elements remain: none of the sizes may shrink.  Returns ``self``.
        """
    def sparse_resize_and_clear_(self, size: Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor:
        """sparse_resize_and_clear_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)

        Give a sparse tensor other sizes and numbers of dimensions.  It has no specified elements then.  Returns ``self``.
        """
    @overload
    def split(self, split_size: _int, dim: _int = ...) -> tuple[Tensor, ...]:
        """split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]

        Splits dimension ``dim`` into chunks of size ``split_size``, as views; the last may be smaller.
        """
    @overload
    def split(self, split_size: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
        """split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]

        Splits dimension ``dim`` into chunks of the given sizes; see split_with_sizes.
        """
    def split_with_sizes(self, split_sizes: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
        """split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]

        Splits dimension ``dim`` into chunks of the given sizes, as views.
        """
    def sqrt(self, *, out: Tensor | None = ...) -> Tensor:
        """sqrt(Tensor self) -> Tensor

        Computes the square root of each element: NaN for negative real numbers.
        """
    def sqrt_(self) -> Tensor:
        """sqrt_(Tensor(a!) self) -> Tensor(a!)

        In-place version of sqrt.
        """
    def square(self, *, out: Tensor | None = ...) -> Tensor:
        """square(Tensor self) -> Tensor

        Computes the square of each element.
        """
    def square_(self) -> Tensor:
        """square_(Tensor(a!) self) -> Tensor(a!)

        In-place version of square.
        """
    @overload
    def squeeze(self) -> Tensor:
        """squeeze(Tensor(a) self) -> Tensor(a)

        Returns a view without the dimensions of size 1.
        """
    @overload
    def squeeze(self, dim: _int) -> Tensor:
        """squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)

        Returns a view without dimension ``dim`` if its size is 1.
        """
    @overload
    def squeeze(self, dim: Sequence[_int]) -> Tensor:
        """squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)

        Returns a view without those of the dimensions ``dim`` whose size is 1.
        """
    @overload
    def squeeze(self, *dim: _int) -> Tensor:
        """squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)

        Returns a view without those of the dimensions ``dim`` whose size is 1.
        """
    @overload
    def squeeze_(self) -> Tensor:
        """squeeze_(Tensor(a!) self) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    @overload
    def squeeze_(self, dim: _int) -> Tensor:
        """squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    @overload
    def squeeze_(self, dim: Sequence[_int]) -> Tensor:
        """squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    @overload
    def squeeze_(self, *dim: _int) -> Tensor:
        """squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    def sspaddmm(
        self,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: _Scalar = ...,
        alpha: _Scalar = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """sspaddmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

        ``beta`` * ``self`` + ``alpha`` * the product of a sparse and a strided matrix; sparse.
        """
    @overload
    def std(self, unbiased: _bool = ...) -> Tensor:
        """std(Tensor self, bool unbiased=True) -> Tensor

        Computes the standard deviation of all elements.
        """
    @overload
    def std(
        self,
        dim: Sequence[_int] | _int | None = ...,
        *,
        correction: _Scalar | None = ...,
        keepdim: _bool = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor

        Computes the standard deviation, the square root of ``var``.  Its gradient at 0 is 0.
        """
    @overload
    def std(
        self,
        dim: Sequence[_int] | _int | None,
        unbiased: _bool = ...,
        keepdim: _bool = ...,
        *,
        out: Tensor | None = ...,
    ) -> Tensor:
        """std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor

        Computes the standard deviation over dimensions ``dim``, with correction 1 if ``unbiased``, else 0.
        """
    def stft(
        input: Tensor,
        n_fft: _int,
        hop_length: _int | None = ...,
        win_length: _int | None = ...,
        window: Tensor | None = ...,
        center: _bool = ...,
        pad_mode: Literal["constant", "reflect", "replicate", "circular"] = ...,
        normalized: _bool = ...,
        onesided: _bool | None = ...,
        return_complex: _bool | None = ...,
        align_to_window: _bool | None = ...,
    ) -> Tensor:
        """The Fourier transforms of frames of ``n_fft`` elements of signals (*, length), ``hop_length`` apart."""
    def storage(self) -> Any:
        """The TypedStorage with this tensor's dtype.  Deprecated: the first use warns."""
    def storage_offset(self) -> _int:
        """Elements from the start of the storage to this tensor's first element."""
    def storage_type(self) -> Any:
        """The type of storages of this tensor's dtype, such as ``gnomon.FloatStorage``; None on meta."""
    @overload
    def stride(self, dim: None = ...) -> tuple[_int, ...]:
        """The strides in elements, or the stride of dimension ``dim``."""
    @overload
    def stride(self, dim: _int) -> _int:
        """The strides in elements, or the stride of dimension ``dim``."""
    def sub(self, other: _Operand, *, alpha: _Scalar = ..., out: Tensor | None = ...) -> Tensor:
        """sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

        Computes ``self - alpha * other``.
        """
    def sub_(self, other: _Operand, *, alpha: _Scalar = ...) -> Tensor:
        """sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

        In-place version of sub.
        """
    def subtract(self, other: _Operand, *, alpha: _Scalar = ..., out: Tensor | None = ...) -> Tensor:
        """subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

        Alias for ``sub``.
        """
    def subtract_(self, other: _Operand, *, alpha: _Scalar = ...) -> Tensor:
        """subtract_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

        In-place version of subtract.
        """
    @overload
    def sum(self, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
        """sum(Tensor self, *, ScalarType? dtype=None) -> Tensor

        Returns the sum of all elements.
        """
    @overload
    def sum(
        self,
        dim: Sequence[_int] | _int | None,
        keepdim: _bool = ...,
        *,
        dtype: _dtype | None = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

        Returns the sum over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.
        """
    @overload
    def sum_to_size(self, size: Sequence[_int]) -> Tensor:
        """sum_to_size(Tensor self, SymInt[] size) -> Tensor

        Sums ``self`` to shape ``size``, over the dimensions that broadcasting from ``size`` would expand.
        """
    @overload
    def sum_to_size(self, *size: _int) -> Tensor:
        """sum_to_size(Tensor self, SymInt[] size) -> Tensor

        Sums ``self`` to shape ``size``, over the dimensions that broadcasting from ``size`` would expand.
        """
    def svd(
        self, some: _bool = ..., compute_uv: _bool = ..., *, out: Sequence[Tensor] | None = ...
    ) -> _svd_result:
        """svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)

        The former linalg.svd, with V instead of its adjoint: ``self = U diag(S) V^H``.
        """
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)

        Returns a view with two dimensions swapped; NumPy's name for transpose.
        """
    def swapaxes_(self, axis0: _int, axis1: _int) -> Tensor:
        """swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)

        Returns a view with two dimensions swapped; NumPy's name for transpose.
        """
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    def t(self) -> Tensor:
        """t(Tensor(a) self) -> Tensor(a)

        Returns the transpose of a matrix as a view; 0-dim and 1-D tensors unchanged.  Raises RuntimeError
        for more dimensions.
        """
    def t_(self) -> Tensor:
        """t_(Tensor(a!) self) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    def take(self, index: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """take(Tensor self, Tensor index) -> Tensor

        Returns the elements of the flattened ``self`` at the indices in ``index`` (int64), with the sizes
        of ``index``.
        """
    def take_along_dim(self, indices: Tensor, dim: _int | None = ..., *, out: Tensor | None = ...) -> Tensor:
        """take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor

        Gathers elements along ``dim`` at ``indices`` (int64), such as argsort's; both broadcast except
        along ``dim``.
        """
    def tan(self, *, out: Tensor | None = ...) -> Tensor:
        """tan(Tensor self) -> Tensor

        Computes the tangent of each element, in radians.
        """
    def tan_(self) -> Tensor:
        """tan_(Tensor(a!) self) -> Tensor(a!)

        In-place version of tan.
        """
    def tanh(self, *, out: Tensor | None = ...) -> Tensor:
        """tanh(Tensor self) -> Tensor

        The hyperbolic tangent.
        """
    def tanh_(self) -> Tensor:
        """tanh_(Tensor(a!) self) -> Tensor(a!)

        In-place version of tanh.
        """
    @overload
    def tensor_split(self, sections: _int, dim: _int = ...) -> tuple[Tensor, ...]:
        """tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]

        Splits dimension ``dim`` into ``sections`` views; if it does not divide evenly, the first ones are
        larger by 1.
        """
    @overload
    def tensor_split(self, indices: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
        """tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]

        Splits dimension ``dim`` at ``indices``, as views; indices out of range are clamped.
        """
    @overload
    def tensor_split(self, tensor_indices_or_sections: Tensor, dim: _int = ...) -> tuple[Tensor, ...]:
        """tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]

        As above, by an int64 tensor: 0-dim for the number of sections, 1-D for the indices.
        """
    def tensordot(
        self,
        other: Tensor,
        dims_self: Sequence[_int],
        dims_other: Sequence[_int],
        *,
        out: Tensor | None = ...,
    ) -> Tensor:
        """tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor

        Contracts dimensions ``dims_self`` of ``self`` with ``dims_other`` of ``other``, pair by pair.
        """
    @overload
    def tile(self, dims: Sequence[_int]) -> Tensor:
        """tile(Tensor self, SymInt[] dims) -> Tensor

        Repeats ``self`` ``dims[i]`` times along dimension i; missing leading ``dims`` are 1.
        """
    @overload
    def tile(self, *dims: _int) -> Tensor:
        """tile(Tensor self, SymInt[] dims) -> Tensor

        Repeats ``self`` ``dims[i]`` times along dimension i; missing leading ``dims`` are 1.
        """
    @overload
    def to(
        self,
        dtype: _dtype,
        non_blocking: _bool = ...,
        copy: _bool = ...,
        *,
        memory_format: _memory_format | None = ...,
    ) -> Tensor:
        """The tensor with another dtype, device, or those of another tensor; itself if nothing changes."""
    @overload
    def to(
        self,
        device: _Device | None = ...,
        dtype: _dtype | None = ...,
        non_blocking: _bool = ...,
        copy: _bool = ...,
        *,
        memory_format: _memory_format | None = ...,
    ) -> Tensor:
        """The tensor with another dtype, device, or those of another tensor; itself if nothing changes."""
    @overload
    def to(
        self,
        other: Tensor,
        non_blocking: _bool = ...,
        copy: _bool = ...,
        *,
        memory_format: _memory_format | None = ...,
    ) -> Tensor:
        """The tensor with another dtype, device, or those of another tensor; itself if nothing changes."""
    def to_dense(self, dtype: _dtype | None = ..., *, masked_grad: _bool | None = ...) -> Tensor:
        """to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor

        The strided tensor with the same elements.
        """
    def to_device(self, device: Any, /, *, stream: Any = ...) -> Tensor:
        """The tensor on another device, with the same shape and dtype; itself if it is there already."""
    def to_mkldnn(self, dtype: _dtype | None = ...) -> Tensor:
        """to_mkldnn(Tensor self, ScalarType? dtype=None) -> Tensor

        The tensor of layout gnomon._mkldnn with the same elements, of ``dtype`` if given.
        """
    @overload
    def to_sparse(
        self,
        *,
        layout: _layout | None = ...,
        blocksize: Sequence[_int] | _int | None = ...,
        dense_dim: _int | None = ...,
    ) -> Tensor:
        """to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor

        The sparse tensor of the elements that are not zero, coalesced.
        """
    @overload
    def to_sparse(self, sparse_dim: _int) -> Tensor:
        """to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor

        The sparse tensor whose first ``sparse_dim`` dimensions have indices; its values are slices of the
        others.
        """
    def to_sparse_bsc(self, blocksize: Sequence[_int] | _int, dense_dim: _int | None = ...) -> Tensor:
        """to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor

        The tensor of layout gnomon.sparse_bsc with the elements of ``self`` that are not zero, or the blocks that have some.
        """
    def to_sparse_bsr(self, blocksize: Sequence[_int] | _int, dense_dim: _int | None = ...) -> Tensor:
        """to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor

        The tensor of layout gnomon.sparse_bsr with the elements of ``self`` that are not zero, or the blocks that have some.
        """
    def to_sparse_coo(self) -> Any: ...
    def to_sparse_csc(self, dense_dim: _int | None = ...) -> Tensor:
        """to_sparse_csc(Tensor self, int? dense_dim=None) -> Tensor

        The tensor of layout gnomon.sparse_csc with the elements of ``self`` that are not zero.
        """
    def to_sparse_csr(self, dense_dim: _int | None = ...) -> Tensor:
        """to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor

        The tensor of layout gnomon.sparse_csr with the elements of ``self`` that are not zero.
        """
    def tolist(self) -> list[Any]:
        """The elements as nested lists of Python numbers; a number for a 0-dim tensor."""
    def topk(
        self,
        k: _int,
        dim: _int = ...,
        largest: _bool = ...,
        sorted: _bool = ...,
        *,
        out: Sequence[Tensor] | None = ...,
    ) -> _topk_result:
        """topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)

        Returns the ``k`` largest (or smallest) elements along ``dim`` and their indices (int64).
        """
    def trace(self) -> Tensor:
        """trace(Tensor self) -> Tensor

        Returns the sum of the main diagonal of a matrix; integers give int64.
        """
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)

        Returns a view with two dimensions swapped.
        """
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    def triangular_solve(
        self,
        A: Tensor,
        upper: _bool = ...,
        transpose: _bool = ...,
        unitriangular: _bool = ...,
        *,
        out: Sequence[Tensor] | None = ...,
    ) -> _triangular_solve_result:
        """triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)

        The former linalg.solve_triangular: solves ``A X = self``, or ``A^T X = self`` with ``transpose``.
        """
    def tril(self, diagonal: _int = ..., *, out: Tensor | None = ...) -> Tensor:
        """tril(Tensor self, SymInt diagonal=0) -> Tensor

        Returns the elements of matrices (*, n, m) on and below ``diagonal``, and 0 elsewhere.
        """
    def tril_(self, diagonal: _int = ...) -> Tensor:
        """tril_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)

        In-place version of tril.
        """
    def triu(self, diagonal: _int = ..., *, out: Tensor | None = ...) -> Tensor:
        """triu(Tensor self, SymInt diagonal=0) -> Tensor

        Returns the elements of matrices (*, n, m) on and above ``diagonal``, and 0 elsewhere.
        """
    def triu_(self, diagonal: _int = ...) -> Tensor:
        """triu_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)

        In-place version of triu.
        """
    def true_divide(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """true_divide.Tensor(Tensor self, Tensor other) -> Tensor

        Alias for ``div``.
        """
    def true_divide_(self, other: _Operand) -> Tensor:
        """true_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of true_divide.
        """
    def trunc(self, *, out: Tensor | None = ...) -> Tensor:
        """trunc(Tensor self) -> Tensor

        Rounds each element towards zero; integers are unchanged.
        """
    def trunc_(self) -> Tensor:
        """trunc_(Tensor(a!) self) -> Tensor(a!)

        In-place version of trunc.
        """
    @overload
    def type(self, dtype: None = ..., non_blocking: _bool = ...) -> str:
        """Without ``dtype``, the name of the tensor type; otherwise this tensor converted to it."""
    @overload
    def type(self, dtype: _dtype | str | builtins.type[Any], non_blocking: _bool = ...) -> Tensor:
        """Without ``dtype``, the name of the tensor type; otherwise this tensor converted to it."""
    def type_as(self, other: Tensor) -> Tensor:
        """The tensor converted to the dtype and device of ``other``."""
    def unbind(self, dim: _int = ...) -> tuple[Tensor, ...]:
        """unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]

        Returns all slices along dimension ``dim``, as views without that dimension.
        """
    def unflatten(self, dim: _int, sizes: Sequence[_int]) -> Tensor:
        """unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)

        Expands dimension ``dim`` into dimensions of ``sizes``, one of which may be -1.  Raises
        RuntimeError unless their product is its size.
        """
    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor:
        """unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)

        Returns a view of all windows of ``size`` elements along ``dimension``, one every ``step``
        elements.
        """
    def uniform_(self, from_: _float = ..., to: _float = ..., *, generator: Generator | None = ...) -> Tensor:
        """uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)

        Fills ``self`` with numbers drawn uniformly from [from, to); for complex dtypes, both parts.
        """
    @overload
    def unique(
        input: Tensor,
        sorted: _bool = ...,
        return_inverse: Literal[False] = ...,
        return_counts: Literal[False] = ...,
        dim: _int | None = ...,
    ) -> Tensor:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool = ...,
        return_inverse: Literal[False] = ...,
        *,
        return_counts: Literal[True],
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor]:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool,
        return_inverse: Literal[False],
        return_counts: Literal[True],
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor]:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool = ...,
        *,
        return_inverse: Literal[True],
        return_counts: Literal[False] = ...,
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor]:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool,
        return_inverse: Literal[True],
        return_counts: Literal[False] = ...,
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor]:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool = ...,
        *,
        return_inverse: Literal[True],
        return_counts: Literal[True],
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool,
        return_inverse: Literal[True],
        *,
        return_counts: Literal[True],
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool,
        return_inverse: Literal[True],
        return_counts: Literal[True],
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique(
        input: Tensor,
        sorted: _bool = ...,
        return_inverse: _bool = ...,
        return_counts: _bool = ...,
        dim: _int | None = ...,
    ) -> Any:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    @overload
    def unique_consecutive(
        input: Tensor,
        return_inverse: Literal[False] = ...,
        return_counts: Literal[False] = ...,
        dim: _int | None = ...,
    ) -> Tensor:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor,
        return_inverse: Literal[False] = ...,
        *,
        return_counts: Literal[True],
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor]:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor, return_inverse: Literal[False], return_counts: Literal[True], dim: _int | None = ...
    ) -> tuple[Tensor, Tensor]:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor,
        *,
        return_inverse: Literal[True],
        return_counts: Literal[False] = ...,
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor]:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor,
        return_inverse: Literal[True],
        return_counts: Literal[False] = ...,
        dim: _int | None = ...,
    ) -> tuple[Tensor, Tensor]:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor, *, return_inverse: Literal[True], return_counts: Literal[True], dim: _int | None = ...
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor, return_inverse: Literal[True], *, return_counts: Literal[True], dim: _int | None = ...
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor, return_inverse: Literal[True], return_counts: Literal[True], dim: _int | None = ...
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    @overload
    def unique_consecutive(
        input: Tensor, return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...
    ) -> Any:
        """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""
    def unique_dim(
        self, dim: _int, sorted: _bool = ..., return_inverse: _bool = ..., return_counts: _bool = ...
    ) -> tuple[Tensor, Tensor, Tensor]:
        """unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)

        Returns the distinct slices along ``dim`` in ascending order, inverse indices and counts.
        """
    def unique_dim_consecutive(
        self, dim: _int, return_inverse: _bool = ..., return_counts: _bool = ...
    ) -> tuple[Tensor, Tensor, Tensor]:
        """unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)

        Returns the first of each run of equal slices along ``dim``, the index of each slice's run, and the
        runs' lengths.
        """
    def unsafe_chunk(self, chunks: _int, dim: _int = ...) -> tuple[Tensor, ...]:
        """unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]

        Returns the chunks of chunk along dimension ``dim``, without autograd's restrictions on in-place
        writes to views.
        """
    def unsafe_split(self, split_size: _int, dim: _int = ...) -> tuple[Tensor, ...]:
        """unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]

        Returns the chunks of split, without autograd's restrictions on in-place writes to views.
        """
    def unsafe_split_with_sizes(self, split_sizes: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
        """unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]

        Returns the chunks of split_with_sizes, without autograd's restrictions on in-place writes to
        views.
        """
    def unsqueeze(self, dim: _int) -> Tensor:
        """unsqueeze(Tensor(a) self, int dim) -> Tensor(a)

        Returns a view with a new dimension of size 1 at position ``dim``.
        """
    def unsqueeze_(self, dim: _int) -> Tensor:
        """unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)

        Gives ``self`` the sizes and strides of the view, in-place.
        """
    def untyped_storage(self) -> Storage:
        """The storage that this tensor views.  Raises NotImplementedError if there is none."""
    def values(self) -> Tensor:
        """values(Tensor(a) self) -> Tensor(a)

        The values (nnz, *) of a coalesced tensor.  Raises RuntimeError for others.
        """
    @overload
    def var(self, unbiased: _bool = ...) -> Tensor:
        """var(Tensor self, bool unbiased=True) -> Tensor

        Computes the variance of all elements.
        """
    @overload
    def var(
        self,
        dim: Sequence[_int] | _int | None = ...,
        *,
        correction: _Scalar | None = ...,
        keepdim: _bool = ...,
        out: Tensor | None = ...,
    ) -> Tensor:
        """var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor

        Computes the variance over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.
        """
    @overload
    def var(
        self,
        dim: Sequence[_int] | _int | None,
        unbiased: _bool = ...,
        keepdim: _bool = ...,
        *,
        out: Tensor | None = ...,
    ) -> Tensor:
        """var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor

        Computes the variance over dimensions ``dim``, with correction 1 if ``unbiased``, else 0.
        """
    def vdot(self, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
        """vdot(Tensor self, Tensor other) -> Tensor

        Computes the dot product of two vectors of equal size and dtype, the first one conjugated.
        """
    @overload
    def view(self, size: Sequence[_int]) -> Tensor:
        """view(Tensor(a) self, SymInt[] size) -> Tensor(a)

        Returns a view with the same elements in another shape; one size may be -1 and is inferred.
        """
    @overload
    def view(self, *size: _int) -> Tensor:
        """view(Tensor(a) self, SymInt[] size) -> Tensor(a)

        Returns a view with the same elements in another shape; one size may be -1 and is inferred.
        """
    @overload
    def view(self, dtype: _dtype) -> Tensor:
        """view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)

        Reinterprets the bytes as elements of another dtype; the last dimension is scaled by the ratio of
        the element sizes.
        """
    def view_as(self, other: Tensor) -> Tensor:
        """view_as(Tensor(a) self, Tensor other) -> Tensor(a)

        Returns a view with the sizes of ``other``.
        """
    @overload
    def vsplit(self, sections: _int) -> tuple[Tensor, ...]:
        """vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]

        Splits dimension 0 into ``sections`` views of equal size.  Raises RuntimeError if it does not divide evenly.
        """
    @overload
    def vsplit(self, indices: Sequence[_int]) -> tuple[Tensor, ...]:
        """vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

        Splits dimension 0 at ``indices``, as views.
        """
    @overload
    def vsplit(self, *indices: _int) -> tuple[Tensor, ...]:
        """vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

        Splits dimension 0 at ``indices``, as views.
        """
    def where(self, condition: Tensor, other: _Operand) -> Tensor:
        """where.self(Tensor condition, Tensor self, Tensor other) -> Tensor
        where(Tensor condition) -> Tensor[]

        Selects elements of ``self`` where ``condition`` is true, else of ``other``.
        """
    def xlogy(self, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
        """xlogy.Tensor(Tensor self, Tensor other) -> Tensor

        Computes ``self * log(other)``; 0 if ``self`` is 0 and ``other`` is not NaN.
        """
    def xlogy_(self, other: _Operand) -> Tensor:
        """xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

        In-place version of xlogy.
        """
    def zero_(self) -> Tensor:
        """zero_(Tensor(a!) self) -> Tensor(a!)

        Sets every element to 0; returns ``self``.
        """
    def zeros_like(
        self,
        *,
        dtype: _dtype | None = ...,
        layout: _layout | None = ...,
        device: _Device | None = ...,
        pin_memory: _bool | None = ...,
        memory_format: _memory_format | None = ...,
        requires_grad: _bool = ...,
    ) -> Tensor:
        """zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

        Returns a tensor of the sizes of ``self`` filled with 0.
        """
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def __add__(self, other: _Operand) -> Tensor: ...
    def __radd__(self, other: _Scalar) -> Tensor: ...
    def __iadd__(self, other: _Operand) -> Tensor: ...
    def __sub__(self, other: _Operand) -> Tensor: ...
    def __rsub__(self, other: _Scalar) -> Tensor: ...
    def __isub__(self, other: _Operand) -> Tensor: ...
    def __mul__(self, other: _Operand) -> Tensor: ...
    def __rmul__(self, other: _Scalar) -> Tensor: ...
    def __imul__(self, other: _Operand) -> Tensor: ...
    def __truediv__(self, other: _Operand) -> Tensor: ...
    def __rtruediv__(self, other: _Scalar) -> Tensor: ...
    def __itruediv__(self, other: _Operand) -> Tensor: ...
    def __floordiv__(self, other: _Operand) -> Tensor: ...
    def __rfloordiv__(self, other: _Scalar) -> Tensor: ...
    def __ifloordiv__(self, other: _Operand) -> Tensor: ...
    def __mod__(self, other: _Operand) -> Tensor: ...
    def __rmod__(self, other: _Scalar) -> Tensor: ...
    def __imod__(self, other: _Operand) -> Tensor: ...
    def __pow__(self, other: _Operand) -> Tensor: ...
    def __rpow__(self, other: _Scalar) -> Tensor: ...
    def __ipow__(self, other: _Operand) -> Tensor: ...
    def __and__(self, other: _Operand) -> Tensor: ...
    def __rand__(self, other: _Scalar) -> Tensor: ...
    def __iand__(self, other: _Operand) -> Tensor: ...
    def __or__(self, other: _Operand) -> Tensor: ...
    def __ror__(self, other: _Scalar) -> Tensor: ...
    def __ior__(self, other: _Operand) -> Tensor: ...
    def __xor__(self, other: _Operand) -> Tensor: ...
    def __rxor__(self, other: _Scalar) -> Tensor: ...
    def __ixor__(self, other: _Operand) -> Tensor: ...
    def __lshift__(self, other: _Operand) -> Tensor: ...
    def __rlshift__(self, other: _Scalar) -> Tensor: ...
    def __ilshift__(self, other: _Operand) -> Tensor: ...
    def __rshift__(self, other: _Operand) -> Tensor: ...
    def __rrshift__(self, other: _Scalar) -> Tensor: ...
    def __irshift__(self, other: _Operand) -> Tensor: ...
    def __lt__(self, other: _Operand) -> Tensor: ...
    def __le__(self, other: _Operand) -> Tensor: ...
    def __gt__(self, other: _Operand) -> Tensor: ...
    def __ge__(self, other: _Operand) -> Tensor: ...
    def __eq__(self, other: _Operand) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: _Operand) -> Tensor: ...  # type: ignore[override]
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __rmatmul__(self, other: Tensor) -> Tensor: ...
    def __rdiv__(self, other: _Scalar) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __bool__(self) -> _bool: ...
    def __int__(self) -> _int: ...
    def __index__(self) -> _int: ...
    def __float__(self) -> _float: ...
    def __complex__(self) -> complex: ...
    def __len__(self) -> _int: ...
    def __hash__(self) -> _int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __reversed__(self) -> Tensor: ...
    def __contains__(self, element: _Operand) -> _bool: ...
    def __getitem__(self, index: _Index) -> Tensor: ...
    def __setitem__(self, index: _Index, value: _Operand) -> None: ...
    def __copy__(self) -> Tensor: ...
    def __deepcopy__(self, memo: dict[_int, Any]) -> Tensor: ...
    def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any: ...
    def __array_namespace__(self, /, *, api_version: str | None = ...) -> Any: ...
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any], /) -> Any: ...
    def __buffer__(self, flags: _int = ...) -> memoryview: ...
    def __dlpack__(
        self,
        *,
        stream: _int | None = ...,
        max_version: tuple[_int, _int] | None = ...,
        dl_device: tuple[Any, _int] | None = ...,
        copy: _bool | None = ...,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[IntEnum, _int]: ...
    def __array_wrap__(self, array: Any, context: Any = ..., return_scalar: _bool = ...) -> Tensor: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    @property
    def __array_struct__(self) -> Any: ...
    __array_priority__: _int
    __gnomon_dispatch__: Any

def autograd_meta(tensor: Tensor) -> AutogradMeta:
    """The tensor's AutogradMeta; created if there was none."""

def version_counter(tensor: Tensor) -> VersionCounter:
    """The tensor's version counter; created if there was none."""

def bare_tensor(cls: type[Tensor] | None = ...) -> Tensor:
    """A tensor whose slots are not filled."""

def fill_slots(
    tensor: Tensor,
    spec: Spec,
    storage: Storage | None,
    offset: _int,
    keys: _int | None = ...,
    version: VersionCounter | None = ...,
) -> Tensor:
    """Fill the slots of a new tensor and return it: a leaf without history."""

def make_tensor(spec: Spec, storage: Storage, offset: _int = ..., cls: type[Tensor] | None = ...) -> Tensor:
    """Create a leaf tensor: the view of ``storage`` that ``spec`` describes, starting at element ``offset``."""

def empty_tensor(spec: Spec) -> Tensor:
    """Create an uninitialized leaf tensor with its own memory."""

def empty_tensors(specs: list[Spec]) -> list[Tensor]:
    """``empty_tensor`` of each spec, all on one device."""

def alias_tensor(tensor: Tensor, spec: Spec, offset: _int, cls: type[Tensor] | None = ...) -> Tensor:
    """Create a leaf tensor on the same storage with another spec and offset; it shares the version counter."""

def is_alias_of(tensor: Tensor, other: Tensor) -> _bool:
    """Do two tensors share one Storage?  Source: is_alias_of in aten/src/ATen/core/TensorBase.h."""

INFERENCE_VERSION: VersionCounter
