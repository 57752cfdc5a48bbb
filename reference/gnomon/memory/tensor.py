"""Tensor: a spec, a storage, an offset; a version counter; and the slots that autograd fills.

This file knows what a tensor *is*.  What can be done with it (operators, backward, printing) is attached by
the floors above.

A tensor made by a prepared kernel owns its memory directly, by address, and has no Storage: most
intermediates live and die without anybody asking for one.  The first view, or ``untyped_storage()``, makes
it.

Source: c10/core/TensorImpl.h, torch/csrc/autograd/variable.h (AutogradMeta), c10/core/TensorImpl.h
(VariableVersion).
"""

from __future__ import annotations

import threading
from typing import Any

from ..values import geometry
from ..values.device import device, layout
from ..values.dispatch_key import AUTOGRAD, TENSOR_KEYS, DispatchKeySet
from ..values.dtype import dtype
from ..values.geometry import Ints, Size
from .backend import backend_of
from .spec import Spec
from .storage import Storage


class VersionCounter:
    """How often the data was written to in place; shared by a tensor and all its views."""

    __slots__ = ("value",)

    def __init__(self, value: int = 0):
        self.value = value


class AutogradMeta:
    """What autograd knows about a tensor beyond its gradient edge; most tensors never have one.

    grad              the accumulated gradient of a leaf (or of a tensor that retains it)
    accumulator_edge  the edge to the leaf's AccumulateGrad
    hooks             functions of the gradient, by id
    retains_grad      a non-leaf that keeps its gradient
    """

    __slots__ = ("__weakref__", "accumulator_edge", "grad", "hooks", "retains_grad")

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.accumulator_edge: tuple[Any, int] | None = None
        self.hooks: dict[int, Any] | None = None
        self.retains_grad = False


_adoption = threading.Lock()


class Tensor:
    """A multi-dimensional array of numbers of one dtype on one device.

    Made by ``gnomon.tensor``, ``gnomon.empty`` and their like, never by calling the class.  Source:
    torch.Tensor.
    """

    # No __init__: a class with slots and without one is made twice as fast, and operators make many.
    # No __getattr__ either: with one, CPython does not specialise the reading of slots.
    __slots__ = (
        "__weakref__",
        "_address",  # of the first element, as a float (exact below 2**53); 0.0 where memory has no addresses
        "_autograd_meta",  # AutogradMeta or None
        "_gradient_edge",  # (Node, output number) of what computed this tensor, or None for a leaf
        "_keys",  # dispatch keys, as bits
        "_spec",
        "_storage",  # Storage, or None: this tensor owns the memory at _address
        "_storage_offset",  # elements
        "_version_counter",  # VersionCounter, or None: never written to, and shared with nobody
        # (base, version) of a view, whose grad_fn was right at that version of the base; None for no view
        "_view_of",
    )

    _address: float
    _autograd_meta: AutogradMeta | None
    _gradient_edge: tuple[Any, int] | None
    _keys: int
    _spec: Spec
    _storage: Storage | None
    _storage_offset: int
    _version_counter: VersionCounter | None
    _view_of: tuple[Tensor, int] | None

    def __del__(self) -> None:
        try:
            if self._storage is None:
                self._spec.free(self._address)  # type: ignore[misc]
        except AttributeError:  # made by `Tensor()` and never filled, or the interpreter is shutting down
            return

    # -- the value -------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return self._spec.dtype

    @property
    def device(self) -> device:
        """Where the memory is."""
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
        """Can the dtype hold negative numbers?"""
        return self._spec.dtype.is_signed

    @property
    def is_meta(self) -> bool:
        """Is this a tensor without memory?"""
        return self._spec.device.type == "meta"

    # -- memory ----------------------------------------------------------------------------------------------

    def data_ptr(self) -> int:
        """The address of the first element (a number that tells blocks apart, where memory has no
        addresses).
        """
        if self._address:
            return int(self._address)
        start = self.untyped_storage().data_ptr()
        return start + self._storage_offset * self._spec.dtype.itemsize if start else 0

    def untyped_storage(self) -> Storage:
        """The storage that this tensor views."""
        if self._storage is None:
            with _adoption:
                if self._storage is None:
                    backend = backend_of(self._spec.device)
                    nbytes = self._spec.extent_nbytes
                    self._storage = Storage(
                        backend, self._spec.device, backend.adopt(self._address, nbytes), nbytes
                    )
        return self._storage

    # -- autograd's slots ------------------------------------------------------------------------------------

    @property
    def _version(self) -> int:
        """How often this tensor, its base or a view of it was written to in place."""
        counter = self._version_counter
        return 0 if counter is None else counter.value

    @property
    def grad_fn(self) -> Any:
        """The Node that computed this tensor, or None for a leaf."""
        edge = self._gradient_edge
        if self._view_of is not None:
            edge = refresh_view(self)
        return None if edge is None else edge[0]

    @property
    def _base(self) -> Tensor | None:
        """The tensor that this one is a view of, or None."""
        return None if self._view_of is None else self._view_of[0]

    def _is_view(self) -> bool:
        """Is this a view that autograd keeps track of?"""
        return self._view_of is not None

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` this is."""
        edge = self._gradient_edge
        return 0 if edge is None else edge[1]

    @property
    def is_leaf(self) -> bool:
        """Made by the user rather than by a recorded operator (or not requiring grad at all)?"""
        return self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        """Does backward compute gradients for this tensor?"""
        return bool(self._keys & AUTOGRAD)

    @requires_grad.setter
    def requires_grad(self, requires_grad: bool) -> None:
        self.requires_grad_(requires_grad)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Start (or, for a leaf, stop) recording operators on this tensor; returns it.

        Raises RuntimeError for a dtype that has no gradient, and for stopping at a non-leaf.
        """
        if requires_grad and not (self._spec.dtype.is_floating_point or self._spec.dtype.is_complex):
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        if self._gradient_edge is not None and not requires_grad:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if requires_grad:
            self._keys |= AUTOGRAD
        else:
            self._keys &= ~AUTOGRAD
        return self

    @property
    def retains_grad(self) -> bool:
        """Is this a non-leaf that keeps its gradient?"""
        return self._autograd_meta is not None and self._autograd_meta.retains_grad

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward accumulated here, or None."""
        meta = self._autograd_meta
        return None if meta is None else meta.grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            if not isinstance(grad, Tensor):
                raise TypeError(
                    "assigned grad expected to be a Tensor or None but got grad of type "
                    f"{type(grad).__name__}"
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

    @property
    def data(self) -> Tensor:
        """The same numbers without history: writing to them is not seen by autograd."""
        alias = make_tensor(self._spec, self.untyped_storage(), self._storage_offset)
        return alias

    @data.setter
    def data(self, source: Tensor) -> None:
        if self._spec.device is not source._spec.device:
            raise RuntimeError(
                f"data: expected a tensor on {self._spec.device}, but got one on {source._spec.device}"
            )
        storage = source.untyped_storage()
        own = self.untyped_storage()  # so that memory owned by address is given back by the storage
        del own
        self._storage = storage
        self._spec = source._spec
        self._storage_offset = source._storage_offset
        self._address = source._address

    @classmethod
    def _make_subclass(cls, data: Tensor, require_grad: bool = False) -> Tensor:
        """``data``'s numbers as a leaf of this class.  Source: torch.Tensor._make_subclass."""
        made = alias_tensor(data, data._spec, data._storage_offset, cls)
        made._version_counter = None
        return made.requires_grad_(require_grad)

    def _dispatch_keys(self) -> DispatchKeySet:
        """The dispatch keys that this tensor carries."""
        return DispatchKeySet(self._keys)


def _keep_edge(view: Tensor) -> tuple[Any, int] | None:
    return view._gradient_edge


# Set by autograd (autograd/views.py): the gradient edge of a view, made anew after its base was written to.
refresh_view = _keep_edge


def autograd_meta(tensor: Tensor) -> AutogradMeta:
    """The tensor's AutogradMeta, made if there was none."""
    if tensor._autograd_meta is None:
        tensor._autograd_meta = AutogradMeta()
    return tensor._autograd_meta


def version_counter(tensor: Tensor) -> VersionCounter:
    """The tensor's version counter, made if there was none."""
    if tensor._version_counter is None:
        tensor._version_counter = VersionCounter()
    return tensor._version_counter


def make_tensor(spec: Spec, storage: Storage, offset: int = 0, cls: type[Tensor] = Tensor) -> Tensor:
    """A leaf tensor that shows ``storage`` as ``spec``, from element ``offset`` on."""
    tensor = cls()
    tensor._spec = spec
    tensor._storage = storage
    tensor._storage_offset = offset
    address = storage.backend.address(storage.memory) if storage.backend.has_addresses else 0.0
    tensor._address = float(address + offset * spec.dtype.itemsize) if address else 0.0
    tensor._keys = TENSOR_KEYS
    tensor._gradient_edge = None
    tensor._autograd_meta = None
    tensor._version_counter = None
    tensor._view_of = None
    return tensor


def empty_tensor(spec: Spec) -> Tensor:
    """A leaf tensor with memory of its own, whose numbers are whatever was there.

    Raises OutOfMemoryError from the backend's allocator.
    """
    backend = backend_of(spec.device)
    nbytes = spec.extent_nbytes
    return make_tensor(
        spec, Storage(backend, spec.device, backend.allocate(nbytes, spec.device.index or 0), nbytes)
    )


def alias_tensor(tensor: Tensor, spec: Spec, offset: int, cls: type[Tensor] = Tensor) -> Tensor:
    """A leaf tensor on the same storage with another spec and offset, sharing the version counter.

    This is what all views are made of; ADInplaceOrView and Autograd add the rest.
    """
    view = make_tensor(spec, tensor.untyped_storage(), offset, cls)
    view._version_counter = version_counter(tensor)
    return view
