"""Tensor: a spec, a storage and an offset, a version counter, and the fields of autograd.

This file defines only the data.  The layers above attach what can be done with it: operators, backward,
printing.

Source: c10/core/TensorImpl.h, torch/csrc/autograd/variable.h (AutogradMeta), c10/core/TensorImpl.h
(VariableVersion).
"""

from __future__ import annotations

import weakref
from enum import IntEnum
from typing import Any

from ..values import geometry, late_bound
from ..values.device import device, layout
from ..values.dispatch_key import (
    AUTOGRAD,
    DENSE,
    INFERENCE_MODE_BIT,
    PYTHON,
    TENSOR_KEYS,
    WRAPPER_KEYS,
    DispatchKeySet,
    mode_word,
)
from ..values.dtype import dtype, get_default_dtype
from ..values.errors import check_requires_grad, type_name, warn
from ..values.geometry import Ints, Size
from ..values.library_name import LIBRARY
from ..values.speedups import speedups
from .backend import backend_of, get_default_device, meta_backend, resolve_device
from .spec import Spec, spec_of
from .storage import Storage


class VersionCounter:
    """Counts the in-place writes to the data; shared by a tensor and all its views.

    ``views`` are the views that do not require grad: they will as soon as their base does.
    """

    __slots__ = ("value", "views")

    def __init__(self, value: int = 0):
        self.value = value
        self.views: list[weakref.ref[Tensor]] | None = None

    def add_view(self, view: Tensor) -> None:
        """Keep a weak reference to ``view``; dead references are dropped whenever the list has doubled."""
        views = self.views
        if views is None:
            self.views = [weakref.ref(view)]
            return
        views.append(weakref.ref(view))
        count = len(views)
        if count >= 32 and not count & (count - 1):
            views[:] = [each for each in views if each() is not None]

    def views_require_grad(self, base: Tensor) -> None:
        """Make the views of ``base`` require grad, because ``base`` now does.

        Tensors that share the counter but are no views of ``base``, such as detached ones, are not changed.
        """
        views, self.views = self.views or (), None
        for reference in views:
            view = reference()
            if view is None or view._view_of is None:
                continue
            if view._view_of[0] is not base:
                self.views = [*(self.views or ()), reference]
            elif view._spec.dtype.category >= 2:
                view._keys |= AUTOGRAD


class AutogradMeta:
    """Autograd's data of a tensor, without its gradient edge; most tensors never need one.

    grad              the accumulated gradient of a leaf (or of a tensor that retains it)
    accumulator_edge  the edge to the leaf's AccumulateGrad
    post_accumulate_grad_hooks  hooks of a leaf, called after its grad was accumulated
    retain_hook       of a non-leaf that retains its gradient: the hook that stores it
    requires_grad     of a view: was it set on the view itself, rather than inherited from its base?
    is_parameter      of a tensor of another class: does it count as an nn.Parameter?
    tangents          by dual level, the tangent or None, once forward mode has determined it
    """

    __slots__ = (
        "__weakref__",
        "accumulator_edge",
        "grad",
        "is_parameter",
        "post_accumulate_grad_hooks",
        "requires_grad",
        "retain_hook",
        "tangents",
    )

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.accumulator_edge: tuple[Any, int] | None = None
        self.post_accumulate_grad_hooks: dict[int, Any] | None = None
        self.retain_hook: Any = None
        self.requires_grad = False
        self.is_parameter = False
        self.tangents: dict[Any, Tensor | None] | None = None


class CreationMeta(IntEnum):
    """How a view was created, which decides whether it may be modified in place.

    Source: CreationMeta in torch/csrc/autograd/variable.h.
    """

    DEFAULT = 0
    IN_CUSTOM_FUNCTION = 1
    MULTI_OUTPUT_NODE = 2
    NO_GRAD_MODE = 3
    INFERENCE_MODE = 4


class Tensor:
    """A multi-dimensional array of numbers of one dtype on one device.

    Created by ``gnomon.tensor``, ``gnomon.empty`` and similar functions; to call the class is an older way
    (bindings/tensor_types.py).  Source: torch.Tensor.
    """

    # Code that creates a tensor calls fill_slots(bare_tensor(), ...).
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_autograd_meta",  # AutogradMeta or None
        "_gradient_edge",  # (Node, output number) of the operator that computed this tensor; None for a leaf
        "_keys",  # dispatch keys, as bits
        "_spec",
        "_storage",  # Storage; None if the tensor has no memory that others could share
        "_storage_offset",  # elements
        "_version_counter",  # VersionCounter; None: never written to in place, and no view shares it
        # (base, version, CreationMeta) of a view, else None; grad_fn is valid for that version of the base
        "_view_of",
    )

    _autograd_meta: AutogradMeta | None
    _gradient_edge: tuple[Any, int] | None
    _keys: int
    _spec: Spec
    _storage: Storage | None
    _storage_offset: int
    _version_counter: VersionCounter | None
    _view_of: tuple[Tensor, int, int] | None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._legacy_new(*args, **kwargs)  # type: ignore[attr-defined]

    # -- the value -------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return self._spec.dtype

    @property
    def device(self) -> device:
        """The device of the memory."""
        return self._spec.device

    @property
    def layout(self) -> layout:
        """How the elements are stored: ``gnomon.strided``."""
        return self._spec.layout

    @property
    def shape(self) -> Size:
        """The sizes."""
        return self._spec.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._spec.ndim

    def dim(self) -> int:
        """The number of dimensions."""
        return self._spec.ndim

    def size(self, dim: int | None = None) -> Size | int:
        """The sizes, or the size of dimension ``dim``.  Raises IndexError for a dim out of range."""
        if dim is None:
            return self._spec.shape
        return self._spec.sizes[geometry.wrap_dim(dim, self._spec.ndim, wrap_scalar=False)]

    def stride(self, dim: int | None = None) -> Ints | int:
        """The strides in elements, or the stride of dimension ``dim``.

        Raises IndexError for a dim out of range.
        """
        if dim is None:
            return self._spec.strides
        return self._spec.strides[geometry.wrap_dim(dim, self._spec.ndim, wrap_scalar=False)]

    def storage_offset(self) -> int:
        """Elements from the start of the storage to this tensor's first element."""
        return self._storage_offset

    def numel(self) -> int:
        """The number of elements."""
        return self._spec.numel

    def nelement(self) -> int:
        """The number of elements."""
        return self._spec.numel

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._spec.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._spec.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, without gaps."""
        return self._spec.nbytes

    def __len__(self) -> int:
        if self._spec.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._spec.sizes[0]

    def is_floating_point(self) -> bool:
        """Is the dtype a floating point dtype?"""
        return self._spec.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Is the dtype complex?"""
        return self._spec.dtype.is_complex

    def is_signed(self) -> bool:
        """Can the dtype hold negative numbers?  Raises nothing.  Source: torch.Tensor.is_signed."""
        return self._spec.dtype.is_signed

    @property
    def is_meta(self) -> bool:
        """Is this a tensor without memory?"""
        return self._spec.device.type == "meta"

    def ndimension(self) -> int:
        """The number of dimensions."""
        return self._spec.ndim

    # -- the kind of device and layout -----------------------------------------------------------------------

    @property
    def is_cpu(self) -> bool:
        """Is the memory the host's?"""
        return not self.is_meta and backend_of(self._spec.device).host_memory

    @property
    def is_cuda(self) -> bool:
        """Is this a tensor on a GPU?"""
        return self._spec.device.type == "cuda"

    # Devices and layouts that gnomon does not have.
    is_ipu = is_maia = is_mps = is_mtia = is_vulkan = is_xla = is_xpu = False
    is_mkldnn = is_nested = is_quantized = is_sparse = is_sparse_csr = False

    def get_device(self) -> int:
        """The index of the GPU; -1 for a tensor that is not on one.

        Raises nothing, for any shape and dtype.  Source: torch.Tensor.get_device.
        """
        return (self._spec.device.index or 0) if self.is_cuda else -1

    # -- memory ----------------------------------------------------------------------------------------------

    def data_ptr(self) -> int:
        """The address of the first element, or a number that identifies the memory if it has no address.

        0 if the memory was freed.
        """
        start = self.untyped_storage().data_ptr()
        return start + self._storage_offset * self._spec.dtype.itemsize if start else 0

    @property
    def _address(self) -> float:
        """``data_ptr()`` as the float that kernels take (exact below 2**53); 0.0 if memory has no address.

        Raises RuntimeError if the memory was freed.
        """
        storage = self._storage
        if storage is None or not storage.backend.has_addresses:
            return 0.0
        return float(storage.address() + self._storage_offset * self._spec.dtype.itemsize)

    def untyped_storage(self) -> Storage:
        """The storage that this tensor views.  Raises NotImplementedError if there is none."""
        if self._storage is None:
            raise NotImplementedError(
                f"Cannot access storage of a tensor on {self._spec.device} that has no storage"
            )
        return self._storage

    # -- autograd's slots ------------------------------------------------------------------------------------

    @property
    def _version(self) -> int:
        """The number of in-place writes to this tensor, its base or its views.

        Raises RuntimeError for an inference tensor.
        """
        counter = self._version_counter
        if counter is INFERENCE_VERSION:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if counter is None else counter.value

    @property
    def grad_fn(self) -> Any:
        """The Node that computed this tensor, or None for a leaf."""
        edge = self._gradient_edge
        if self._view_of is not None:
            edge = late_bound.refresh_view(self)
        return None if edge is None else edge[0]

    @property
    def _base(self) -> Tensor | None:
        """The tensor that this one is a view of, or None."""
        return None if self._view_of is None else self._view_of[0]

    def _is_view(self) -> bool:
        """Is this a view that autograd tracks?"""
        return self._view_of is not None

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` this is."""
        edge = self._gradient_edge
        return 0 if edge is None else edge[1]

    @property
    def is_leaf(self) -> bool:
        """Was this created by the user, not by a recorded operator, or does it not require grad?"""
        return self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        """Does backward compute gradients for this tensor?"""
        return bool(self._keys & AUTOGRAD)

    @requires_grad.setter
    def requires_grad(self, requires_grad: bool) -> None:
        if not isinstance(requires_grad, bool):
            raise RuntimeError("requires_grad must be a bool")
        self.requires_grad_(requires_grad)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Start, or for a leaf stop, recording operators on this tensor; returns the tensor.

        Raises RuntimeError for a dtype that has no gradient, and for a non-leaf if ``requires_grad`` is
        False; TypeError if the argument is not a bool.
        """
        check_requires_grad("requires_grad_", requires_grad)
        if requires_grad and not (self._spec.dtype.is_floating_point or self._spec.dtype.is_complex):
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients, not of "
                f"{self._spec.dtype}; to({LIBRARY}.float32) converts"
            )
        if not requires_grad and self.grad_fn is not None:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if requires_grad and self.is_inference() and not mode_word() & INFERENCE_MODE_BIT:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed: "
                "make a clone() of it first."
            )
        if requires_grad:
            self._keys |= AUTOGRAD
            if self._version_counter is not None and self._view_of is None:
                self._version_counter.views_require_grad(self)
        else:
            self._keys &= ~AUTOGRAD
        if self._view_of is not None:
            autograd_meta(self).requires_grad = requires_grad
        return self

    def is_inference(self) -> bool:
        """Was this tensor created in inference mode?  Then it has no version, and is never recorded.

        Raises nothing, for any shape and dtype.  Source: torch.Tensor.is_inference.
        """
        return self._version_counter is INFERENCE_VERSION

    @property
    def retains_grad(self) -> bool:
        """Is this a non-leaf that retains its gradient?"""
        return self._autograd_meta is not None and self._autograd_meta.retain_hook is not None

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward accumulated here, or None.

        Warns for a non-leaf that does not retain its gradient, which will never have one.
        """
        meta = self._autograd_meta
        if self._gradient_edge is not None and (meta is None or meta.grad is None) and not self.retains_grad:
            warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
                "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
                "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor.",
            )
        return None if meta is None else meta.grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if grad is not None:
            if not isinstance(grad, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type_name(grad)}"
                )
            if grad.shape != self.shape:
                raise RuntimeError(
                    f"assigned grad has data of a different size: expected {list(self.shape)}, got "
                    f"{list(grad.shape)}"
                )
            if grad.dtype is not self.dtype:
                raise RuntimeError(
                    f"assigned grad has data of a different type: expected {self.dtype}, got {grad.dtype}"
                )
            if grad.device is not self.device:
                raise RuntimeError(
                    f"assigned grad has data on a different device: expected {self.device}, got {grad.device}"
                )
        autograd_meta(self).grad = grad

    @grad.deleter
    def grad(self) -> None:
        autograd_meta(self).grad = None

    @property
    def data(self) -> Tensor:
        """The same data as a leaf; autograd does not notice writes to it."""
        if self._keys & WRAPPER_KEYS:
            return self.detach()  # type: ignore[attr-defined]
        return make_tensor(self._spec, self.untyped_storage(), self._storage_offset)

    @data.setter
    def data(self, source: Tensor) -> None:
        if not isinstance(source, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(source)}")
        if self._spec.device is not source._spec.device:
            raise RuntimeError(
                f"data: expected a tensor on {self._spec.device}, but got one on {source._spec.device}"
            )
        if self._keys & AUTOGRAD and source._spec.dtype.category < 2:
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype, not "
                f"{source._spec.dtype}"
            )
        if self._spec.layout is not source._spec.layout:
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
                "incompatible tensor type."
            )
        self._take_data(source)

    def _take_data(self, source: Any) -> None:
        """Share the data of ``source``, which has the same layout, in place of its own."""
        self._storage = source.untyped_storage()
        self._spec = source._spec
        self._storage_offset = source._storage_offset

    # If a subclass defines this method, it is called instead of kernels (dispatch/python_dispatch.py).
    __gnomon_dispatch__: Any = None

    @staticmethod
    def _make_wrapper_subclass(
        cls: Any,
        size: Ints,
        *,
        strides: Ints | None = None,
        storage_offset: int = 0,
        dtype: dtype | None = None,
        layout: layout | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Any:
        """Create a tensor of class ``cls`` that has sizes, strides, a dtype and a device, but no data.

        For subclasses whose ``__gnomon_dispatch__`` knows where the data is; their ``__new__`` and
        ``__init__`` are not called.  Defaults: contiguous strides, the default dtype and device.  Raises
        TypeError for a class without ``__gnomon_dispatch__``.  Source: torch.Tensor._make_wrapper_subclass.
        """
        if cls.__gnomon_dispatch__ is None:
            raise TypeError(f"{cls.__name__} must define __gnomon_dispatch__")
        spec = spec_of(
            tuple(size),
            geometry.contiguous_strides(tuple(size)) if strides is None else tuple(strides),
            dtype or get_default_dtype(),
            get_default_device() if device is None else resolve_device(device),
        )
        nowhere = Storage(meta_backend, resolve_device("meta"), meta_backend.allocate(0, 0), 0)
        return make_tensor(spec, nowhere, storage_offset, cls).requires_grad_(requires_grad)

    @staticmethod
    def _make_subclass(cls: Any, data: Tensor, require_grad: bool = False) -> Any:
        """A leaf of class ``cls`` that shares the data of ``data``.  Source: torch.Tensor._make_subclass."""
        if not (isinstance(cls, type) and issubclass(cls, Tensor)):
            raise TypeError(f"_make_subclass: argument 'cls' must be a subclass of Tensor, got {cls!r}")
        if not isinstance(data, Tensor):
            raise TypeError(f"_make_subclass: argument 'data' must be Tensor, got {type(data).__name__}")
        made = alias_tensor(data, data._spec, data._storage_offset, cls)
        made._version_counter = None if made._version_counter is not INFERENCE_VERSION else INFERENCE_VERSION
        return made.requires_grad_(require_grad)

    def _dispatch_keys(self) -> DispatchKeySet:
        """The dispatch keys that this tensor carries."""
        return DispatchKeySet(self._keys)


def autograd_meta(tensor: Tensor) -> AutogradMeta:
    """The tensor's AutogradMeta; created if there was none."""
    if tensor._autograd_meta is None:
        tensor._autograd_meta = AutogradMeta()
    return tensor._autograd_meta


def version_counter(tensor: Tensor) -> VersionCounter:
    """The tensor's version counter; created if there was none."""
    if tensor._version_counter is None:
        tensor._version_counter = VersionCounter()
    return tensor._version_counter


def bare_tensor(cls: type[Tensor] | None = None) -> Tensor:
    """A tensor whose slots are not filled."""
    return object.__new__(cls or Tensor)


def fill_slots(
    tensor: Tensor,
    spec: Spec,
    storage: Storage | None,
    offset: int,
    keys: int | None = None,
    version: VersionCounter | None = None,
) -> Tensor:
    """Fill the slots of a new tensor and return it: a leaf without history.

    ``keys`` and ``version`` are given for an alias, which takes those of the aliased tensor; otherwise they
    follow from the thread's modes.
    """
    if keys is None:
        is_inference = mode_word() & INFERENCE_MODE_BIT
        keys, version = (DENSE, INFERENCE_VERSION) if is_inference else (TENSOR_KEYS, None)
    tensor._spec = spec
    tensor._storage_offset = offset
    tensor._storage = storage
    tensor._keys = keys
    tensor._gradient_edge = None
    tensor._autograd_meta = None
    tensor._version_counter = version
    tensor._view_of = None
    return tensor


def make_tensor(spec: Spec, storage: Storage, offset: int = 0, cls: type[Tensor] | None = None) -> Tensor:
    """Create a leaf tensor: the view of ``storage`` that ``spec`` describes, starting at element ``offset``.

    Raises RuntimeError for the storage of a wrapper subclass, which has no data.
    """
    cls = cls or Tensor
    if storage.device is not spec.device and cls.__gnomon_dispatch__ is None:
        raise RuntimeError(
            f"a tensor on {spec.device} cannot use the storage of a wrapper subclass, which has no data"
        )
    tensor = bare_tensor(cls)
    fill_slots(tensor, spec, storage, offset)
    if cls is not Tensor and cls.__gnomon_dispatch__ is not None:
        tensor._keys |= PYTHON
    return tensor


def empty_tensor(spec: Spec) -> Tensor:
    """Create an uninitialized leaf tensor with its own memory.

    Raises OutOfMemoryError if the backend's allocator does.
    """
    backend = backend_of(spec.device)
    memory = backend.allocate(spec.extent_nbytes, spec.device.index or 0)
    return make_tensor(spec, Storage(backend, spec.device, memory, spec.extent_nbytes))


def empty_tensors(specs: list[Spec]) -> list[Tensor]:
    """``empty_tensor`` of each spec, all on one device."""
    return [empty_tensor(spec) for spec in specs]


def alias_tensor(tensor: Tensor, spec: Spec, offset: int, cls: type[Tensor] | None = None) -> Tensor:
    """Create a leaf tensor on the same storage with another spec and offset; it shares the version counter.

    All views are created here; ADInplaceOrView and Autograd add the rest.
    """
    if cls is not None and cls is not Tensor:
        view = make_tensor(spec, tensor.untyped_storage(), offset, cls)
        view._keys = view._keys & PYTHON | tensor._keys & ~(AUTOGRAD | PYTHON)
        view._version_counter = version_counter(tensor)
        return view
    keys = tensor._keys & ~(AUTOGRAD | PYTHON)
    return fill_slots(bare_tensor(), spec, tensor.untyped_storage(), offset, keys, version_counter(tensor))


def is_alias_of(tensor: Tensor, other: Tensor) -> bool:
    """Do two tensors share one Storage?  Source: is_alias_of in aten/src/ATen/core/TensorBase.h."""
    return tensor is other or (tensor._storage is not None and tensor._storage is other._storage)


if speedups is not None:
    VersionCounter = speedups.version_counter(VersionCounter)  # type: ignore[misc]
    Tensor = speedups.tensor(Tensor)  # type: ignore[misc]
    bare_tensor = speedups.bare_tensor
    empty_tensor = speedups.empty_tensor(empty_tensor)
    empty_tensors = speedups.empty_tensors(empty_tensors)
    is_alias_of = speedups.is_alias_of

INFERENCE_VERSION = VersionCounter()  # shared by all inference tensors, which do not count versions
