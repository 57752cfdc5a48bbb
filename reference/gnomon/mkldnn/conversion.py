"""Strided tensors to opaque ones and back; creation, copies, shapes.

Source: aten/src/ATen/native/mkldnn/MKLDNNConversions.cpp, TensorFactories.cpp, TensorShape.cpp, Copy.cpp.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..calls.checks import check_same_layout
from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.backend import get_default_device, resolve_device
from ..memory.spec import check_size_nonnegative
from ..memory.tensor import Tensor
from ..ops.views.view_inplace import check_inplace_view
from ..sparse.registration import autograd_sparse_kernel, no_kernel, sparse_kernel
from ..values import geometry
from ..values.device import strided
from ..values.dispatch_key import DispatchKey
from ..values.dtype import bfloat16, dtype, float16, float32, get_default_dtype, int8, uint8
from .tensor import MkldnnTensor, become, dense, like, packed

mkldnn_kernel = partial(sparse_kernel, key=DispatchKey.Mkldnn, write=become)
autograd_mkldnn_kernel = partial(autograd_sparse_kernel, key=DispatchKey.Mkldnn)

DTYPES = (float32, bfloat16, float16, uint8, int8)


def not_opaque(name: str) -> Any:
    """A function that refuses its arguments: they are strided, and the operator takes opaque tensors only."""

    def refuse(*arguments: Any) -> Any:
        raise NotImplementedError(
            f"Could not run 'aten::{name}' with arguments from the 'CPU' backend: it takes tensors of layout "
            "gnomon._mkldnn. Use Tensor.to_mkldnn() first."
        )

    return refuse


# ---------------------------------------------------------------------------------------------------------
# From and to strided tensors.


def _to_mkldnn(self: Tensor, wanted: dtype | None) -> Tensor:
    spec = self._spec
    if spec.layout is not strided:
        raise no_kernel("to_mkldnn", f"{spec.layout.title}CPU")
    if spec.device.type == "meta":
        raise NotImplementedError("aten::to_mkldnn: a tensor on the meta device has no elements to convert")
    if spec.dtype not in DTYPES:
        raise RuntimeError("dense_to_mkldnn expects float, bfloat16, half, uint8, int8 tensor input")
    if wanted is not None and wanted not in DTYPES:
        raise RuntimeError(
            "cpu tensor only can be converted to be a float, bfloat16, half, uint8, int8 mkldnn tensor"
        )
    if spec.ndim > 5:
        raise RuntimeError("Can't convert cpu tensor with the number of dimensions > 5")
    if not spec.ndim:
        raise RuntimeError("to_mkldnn: a tensor without dimensions has no mkldnn layout")
    return packed(self if wanted is None else self.to(wanted))


native_function(
    "to_mkldnn(Tensor self, ScalarType? dtype=None) -> Tensor",
    variants="method",
    explicit=_to_mkldnn,
    derivatives={"self": lambda grad, self: aten.to_mkldnn_backward.default(grad, self)},
    doc="""The tensor of layout gnomon._mkldnn with the same elements, of ``dtype`` if given.

    1 to 5 dimensions; float32, bfloat16, float16, uint8 or int8.  Raises RuntimeError for others.""",
)


def _to_mkldnn_backward(grad: Tensor, input: Tensor) -> Tensor:
    return grad.to_dense(input.dtype)


native_function(
    "to_mkldnn_backward(Tensor grad, Tensor input) -> Tensor",
    variants="none",
    composite=_to_mkldnn_backward,
    doc="The gradient of to_mkldnn: ``grad`` as a strided tensor.",
)


@mkldnn_kernel("_to_dense")
def _to_dense(self: MkldnnTensor, wanted: dtype | None, masked_grad: Any) -> Tensor:
    if wanted is not None and wanted not in DTYPES:
        raise RuntimeError(f"to_dense: unsupported dtype for a tensor of layout gnomon._mkldnn: {wanted}")
    return dense(self) if wanted is None else dense(self).to(wanted)


# ---------------------------------------------------------------------------------------------------------
# Creation and copies.


def _check_dtype(wanted: dtype | None) -> dtype:
    found = wanted or get_default_dtype()
    if found not in DTYPES:
        raise RuntimeError(f"get_mkldnn_dtype: unsupported data type {found}")
    return found


def _new(name: str) -> Any:
    def make(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, *memory_format: Any) -> Any:
        sizes = tuple(size)
        if any(memory_format):
            raise RuntimeError("'memory_format' argument is incompatible with mkldnn tensor")
        check_size_nonnegative(sizes)
        where = get_default_device() if device is None else resolve_device(device)
        # an uninitialized tensor has zeros behind its last channels, too
        return packed(aten.zeros.default(sizes, _check_dtype(dtype), None, where, pin_memory))

    return mkldnn_kernel(name)(make)


for _name in ("empty.memory_format", "zeros"):
    _new(_name)


def _new_like(self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    spec = self._spec
    return aten.zeros.default(
        size, dtype or spec.dtype, layout or spec.layout, device or spec.device, pin_memory
    )


for _name in ("new_empty", "new_zeros"):
    mkldnn_kernel(_name)(_new_like)


@mkldnn_kernel("clone")
def _clone(self: MkldnnTensor, memory_format: Any) -> MkldnnTensor:
    if memory_format is not None and memory_format.name != "preserve_format":
        name = {"contiguous_format": "Contiguous", "channels_last": "ChannelsLast"}
        raise RuntimeError(
            f"unsupported memory format option {name.get(memory_format.name, memory_format.name)}"
        )
    return like(self, self.held.clone())


@mkldnn_kernel("detach", "alias")
def _detach(self: MkldnnTensor) -> MkldnnTensor:
    return like(self, self.held)


@autograd_mkldnn_kernel("contiguous")
def _contiguous(self: Tensor, memory_format: Any) -> Tensor:
    if memory_format is not None and memory_format.name != "contiguous_format":
        return self.clone(memory_format=memory_format)
    return self


@mkldnn_kernel("_to_copy")
def _to_copy(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> MkldnnTensor:
    check_same_layout(self._spec, layout)
    if not isinstance(self, MkldnnTensor) or dtype not in (None, self._spec.dtype):
        raise no_kernel("empty_strided", "MkldnnCPU")
    if device is not None and resolve_device(device).type == "meta":
        raise NotImplementedError("Unsupported device type for mkldnn layout: meta")
    return like(self, aten._to_copy.default(self.held, None, None, device, pin_memory, non_blocking, None))


@mkldnn_kernel("copy_")
def _copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if self._spec.sizes != src._spec.sizes:
        raise RuntimeError(
            f"copy_mkldnn_: only support same size tensor. Found self size = {list(self._spec.sizes)} and "
            f"src size = {list(src._spec.sizes)}"
        )
    if not isinstance(self, MkldnnTensor) or not isinstance(src, MkldnnTensor):
        raise RuntimeError(
            "copy_mkldnn_: between mkldnn layout and dense Tensors is not implemented! Found self layout = "
            f"{self._spec.layout} and src layout = {src._spec.layout}"
        )
    become(self, src)
    return self


@mkldnn_kernel("zero_")
def _zero_(self: MkldnnTensor) -> Tensor:
    self.held.zero_()
    return self


# ---------------------------------------------------------------------------------------------------------
# Shapes.


def _reshaped(self: MkldnnTensor, shape: Any) -> Tensor:
    sizes = geometry.infer_size(tuple(shape), self._spec.numel)
    return self if sizes == self._spec.sizes else packed(dense(self).view(sizes))


native_function(
    "_mkldnn_reshape(Tensor self, int[] shape) -> Tensor",
    variants="function",
    explicit=not_opaque("_mkldnn_reshape"),
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    node_name="MkldnnReshapeBackward0",
    doc="""The elements of an opaque tensor in another shape: a copy, or ``self`` if it has that shape.

    Raises RuntimeError for another number of elements.""",
)
mkldnn_kernel("_mkldnn_reshape")(_reshaped)


@autograd_mkldnn_kernel("reshape")
def _reshape(self: Tensor, shape: Any) -> Tensor:
    sizes = geometry.infer_size(tuple(shape), self._spec.numel)
    return self if sizes == self._spec.sizes else aten._mkldnn_reshape.default(self, sizes)


@mkldnn_kernel("view")
def _view(self: Tensor, size: Any) -> Tensor:
    raise RuntimeError("Currently Mkldnn tensor does not support view. Change to use reshape instead")


def _transposed(self: MkldnnTensor, dim0: int, dim1: int) -> Tensor:
    return packed(dense(self).transpose(dim0, dim1))


native_function(
    "_mkldnn_transpose(Tensor self, int dim0, int dim1) -> Tensor",
    variants="function",
    explicit=not_opaque("_mkldnn_transpose"),
    derivatives={"self": lambda grad, dim0, dim1: aten._mkldnn_transpose.default(grad, dim0, dim1)},
    node_name="MkldnnTransposeBackward0",
    doc="Exchanges two dimensions of an opaque tensor; a copy.",
)
mkldnn_kernel("_mkldnn_transpose")(_transposed)


@mkldnn_kernel("transpose.int")
def _transpose(self: MkldnnTensor, dim0: int, dim1: int) -> Tensor:
    dims = [geometry.wrap_dim(dim, self._spec.ndim) for dim in (dim0, dim1)]
    return like(self, self.held) if dims[0] == dims[1] else _transposed(self, *dims)


@mkldnn_kernel("t")
def _t(self: MkldnnTensor) -> Tensor:
    if self._spec.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self._spec.ndim}D")
    return _transpose(self, 0, self._spec.ndim - 1)


def _swapped(self: MkldnnTensor, dim0: int, dim1: int) -> Tensor:
    check_inplace_view(self)
    dims = [geometry.wrap_dim(dim, self._spec.ndim) for dim in (dim0, dim1)]
    if dims[0] != dims[1]:
        raise RuntimeError("mkldnn_transpose_: in-place mkldnn operations are not supported yet")
    return self


mkldnn_kernel("transpose_", "swapaxes_", "swapdims_")(_swapped)


@mkldnn_kernel("t_")
def _t_(self: MkldnnTensor) -> Tensor:
    return _swapped(self, 0, self._spec.ndim - 1) if self._spec.ndim else self


@mkldnn_kernel("unsqueeze_")
def _unsqueeze_(self: MkldnnTensor, dim: int) -> Tensor:
    check_inplace_view(self)
    geometry.wrap_dim(dim, self._spec.ndim + 1)
    raise no_kernel("as_strided_", "MkldnnCPU")
