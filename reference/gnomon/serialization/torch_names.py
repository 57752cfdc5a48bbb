"""PyTorch's names in pickles, and what they stand for in gnomon.

Files of ``gnomon.save`` name PyTorch's classes and functions, never gnomon's, so that both libraries can read
them.  ``reduced`` says how an object is written; ``FUNCTIONS`` and ``VALUES`` say what a name becomes when it
is read.  The functions are called with what a file says, which may come from anywhere: they check everything.

Source: torch/_utils.py, torch/_tensor.py (Tensor.__reduce_ex__), torch/storage.py.
"""

from __future__ import annotations

import copyreg
from collections import Counter, OrderedDict
from typing import Any, NamedTuple

import gnomon as gn

from ..bindings import copying
from ..memory.storage import Storage
from ..nn.parameter import Parameter
from ..quantized.quantizer import PerChannelAffine, PerTensorAffine, qscheme
from ..quantized.tensor import QuantizedTensor, make_quantized
from ..sparse.compressed_tensor import CompressedTensor
from ..sparse.copying import parts_of, rebuild_sparse
from ..sparse.tensor import SparseTensor
from ..values.device import layout
from ..values.dtype import ALL, LIMITED, QUANTIZED, dtype
from ..values.errors import type_name
from ..values.geometry import Size


class TorchName(str):
    """The full name of a global of PyTorch, which a pickle mentions; never imported."""

    __slots__ = ()

    def __call__(self, *arguments: Any) -> Any:
        """For the pickler, which asks whether what a pickle calls is callable."""
        raise TypeError(f"{self} is only a name")


class StorageType(NamedTuple):
    """PyTorch's name for a storage of elements of a dtype; None: ``torch.UntypedStorage``."""

    dtype: dtype | None


class TypedStorage(NamedTuple):
    """A storage in a file of PyTorch, together with the dtype that the file gives for its elements.

    Source: torch.storage.TypedStorage.
    """

    storage: Storage
    dtype: dtype


# -- reading -------------------------------------------------------------------------------------------------


def _rebuild_tensor(typed: Any, storage_offset: Any, size: Any, stride: Any) -> gn.Tensor:
    return _rebuild_tensor_v2(typed, storage_offset, size, stride, False, None)


def _rebuild_tensor_v2(
    typed: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    backward_hooks: Any,
    metadata: Any = None,
) -> gn.Tensor:
    if not isinstance(typed, TypedStorage):
        raise TypeError(f"rebuilding a tensor: expected a typed storage, got {type_name(typed)}")
    return _view(typed.storage, storage_offset, size, stride, typed.dtype, requires_grad, metadata)


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    backward_hooks: Any,
    kind: Any,
    metadata: Any = None,
) -> gn.Tensor:
    if not isinstance(storage, Storage):
        raise TypeError(f"rebuilding a tensor: expected an untyped storage, got {type_name(storage)}")
    return _view(storage, storage_offset, size, stride, kind, requires_grad, metadata)


def _view(
    storage: Storage, offset: Any, size: Any, stride: Any, kind: Any, requires_grad: Any, metadata: Any
) -> gn.Tensor:
    """The view of a storage; a file's lazy conjugation or negation is carried out, on a copy."""
    device = str(storage.device)
    made = copying.rebuild(gn.Tensor, storage, size, stride, kind, device, False, offset)
    for name in metadata or {}:
        if name not in ("conj", "neg"):
            raise RuntimeError(f"rebuilding a tensor: unknown metadata {name!r}")
        if metadata[name]:
            made = gn.conj_physical(made) if name == "conj" else gn.neg(made)
    return made.requires_grad_(requires_grad)


def _rebuild_meta_tensor_no_storage(kind: Any, size: Any, stride: Any, requires_grad: Any) -> gn.Tensor:
    return copying.rebuild(gn.Tensor, b"", size, stride, kind, "meta", requires_grad)


def _rebuild_sparse_tensor(kind: Any, data: Any) -> gn.Tensor:
    return rebuild_sparse(kind, data)


def _rebuild_qtensor(
    typed: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    parameters: Any,
    requires_grad: Any,
    backward_hooks: Any,
) -> gn.Tensor:
    if not isinstance(typed, TypedStorage) or typed.dtype not in QUANTIZED:
        raise TypeError(f"rebuilding a tensor: expected a quantized storage, got {type_name(typed)}")
    held = _view(typed.storage, storage_offset, size, stride, QUANTIZED[typed.dtype], False, None)
    scheme, *facts = parameters if isinstance(parameters, tuple) else (None,)
    if scheme is gn.per_tensor_affine and [type(each) for each in facts] == [float, int]:
        return make_quantized(held, PerTensorAffine(*facts))
    if scheme in (gn.per_channel_affine, gn.per_channel_affine_float_qparams) and len(facts) == 3:
        return gn._make_per_channel_quantized_tensor(held, *facts)
    raise RuntimeError(f"Can't deserialize quantized tensor with qscheme {scheme}")


def _rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any = None) -> Any:
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any, state: Any) -> Any:
    return _with_state(Parameter(data, requires_grad), state)


def _rebuild_from_type_v2(function: Any, cls: Any, arguments: Any, state: Any) -> gn.Tensor:
    if function not in _REBUILDING:
        raise TypeError(f"rebuilding a tensor: {function!r} is not a function that rebuilds tensors")
    if not (isinstance(cls, type) and issubclass(cls, gn.Tensor)):
        raise TypeError(f"rebuilding a tensor: expected a subclass of Tensor, got {cls!r}")
    made = function(*arguments)
    if type(made) is not cls and not (cls is gn.Tensor and made.layout is not gn.strided):
        made = gn.Tensor._make_subclass(cls, made.detach(), made.requires_grad)
    return _with_state(made, state)


def _with_state(made: gn.Tensor, state: Any) -> gn.Tensor:
    """``made`` with a user's attributes; never with those that say where a tensor's memory is."""
    if not hasattr(type(made), "__setstate__"):
        attributes, slots = state if isinstance(state, tuple) else (state, {})
        for each in (attributes, slots):
            if each is not None and not (
                isinstance(each, dict) and all(isinstance(key, str) for key in each)
            ):
                raise TypeError(f"rebuilding a tensor: its attributes must be a dict, got {type_name(each)}")
        allowed = {*copyreg._slotnames(type(made))} - {*copyreg._slotnames(gn.Tensor)}  # type: ignore[attr-defined]
        if refused := sorted({*(slots or {})} - allowed):
            raise RuntimeError(f"rebuilding a tensor: {type_name(made)} has no slot {refused[0]!r}")
        state = (attributes, slots or {})
    copying.add_state(made, state)
    return made


def _get_layout(name: Any) -> layout:
    if name not in _LAYOUTS:
        raise RuntimeError(f"gnomon has no layout {name!r}")
    return _LAYOUTS[name]


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    """How protocol 2 writes bytes."""
    if not isinstance(text, str) or encoding != "latin1":
        raise TypeError(
            f"_codecs.encode: expected a str and 'latin1', got {type_name(text)} and {encoding!r}"
        )
    return text.encode("latin1")


def _bytearray(data: Any = b"") -> bytearray:
    if not isinstance(data, bytes):
        raise TypeError(f"bytearray: expected bytes, got {type_name(data)}")
    return bytearray(data)


def _size(sizes: Any = ()) -> Size:
    if not isinstance(sizes, (tuple, list)) or not all(type(each) is int for each in sizes):
        raise TypeError(f"torch.Size: expected a tuple of ints, got {sizes!r}")
    return Size(sizes)


def _device(kind: Any, index: Any = None) -> gn.device:
    return gn.device(kind, index)


_LAYOUTS = {
    f"torch.{each.name}": each
    for each in (gn.strided, gn.sparse_coo, gn.sparse_csr, gn.sparse_csc, gn.sparse_bsr, gn.sparse_bsc)
}

_REBUILDING = (
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_meta_tensor_no_storage,
    _rebuild_sparse_tensor,
    _rebuild_qtensor,
    _rebuild_parameter,
    _rebuild_parameter_with_state,
)

# What a pickle may call, by the name in the file.  None of these functions runs code of the file's author.
FUNCTIONS: dict[str, Any] = {
    **{f"torch._utils.{each.__name__}": each for each in _REBUILDING},
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type_v2,
    "torch.serialization._get_layout": _get_layout,
    "torch.nn.parameter.Parameter": _rebuild_parameter,
    "torch.Size": _size,
    "torch.device": _device,
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "_codecs.encode": _encode,
    "builtins.bytearray": _bytearray,
    "builtins.complex": complex,
    "builtins.set": set,
}

_SCHEMES = (
    gn.per_tensor_affine,
    gn.per_channel_affine,
    gn.per_channel_affine_float_qparams,
    gn.per_tensor_symmetric,
    gn.per_channel_symmetric,
)

# What a pickle may mention.
VALUES: dict[str, Any] = {
    "torch.Tensor": gn.Tensor,
    "torch.storage.UntypedStorage": StorageType(None),
    **{f"torch.{kind.name}": kind for kind in (*ALL, *LIMITED, *QUANTIZED)},
    **{f"torch.{kind.scalar_type}Storage": StorageType(kind) for kind in (*ALL, *QUANTIZED)},
    **{f"torch.{each.name}": each for each in _SCHEMES},
}

# The names of what the functions above replace, where a program may ask for the original.
CLASSES: dict[str, Any] = {
    "torch.Size": Size,
    "torch.device": gn.device,
    "torch.nn.parameter.Parameter": Parameter,
}

# -- writing -------------------------------------------------------------------------------------------------


_TENSOR = TorchName("torch.Tensor")
_REBUILD = {each: TorchName(f"torch._utils.{each.__name__}") for each in _REBUILDING}
_FROM_TYPE = TorchName("torch._tensor._rebuild_from_type_v2")
_LAYOUT = TorchName("torch.serialization._get_layout")
_SIZE, _DEVICE = TorchName("torch.Size"), TorchName("torch.device")
_DTYPES = {kind: TorchName(f"torch.{kind.name}") for kind in (*ALL, *LIMITED, *QUANTIZED)}
_STORAGES = {kind: TorchName(f"torch.{kind.scalar_type}Storage") for kind in (*ALL, *QUANTIZED)}
_UNTYPED = TorchName("torch.storage.UntypedStorage")


def storage_name(kind: dtype | None) -> TorchName:
    """PyTorch's name for a storage of elements of dtype ``kind``; None: an untyped storage."""
    return _UNTYPED if kind is None else _STORAGES[kind]


def reduced(value: Any) -> Any:
    """How PyTorch pickles such an object: a function and its arguments, or a name.

    NotImplemented for an object that is pickled as usual.  Raises RuntimeError for a tensor of a wrapper
    subclass that does not say itself how it is pickled.
    """
    if isinstance(value, TorchName):
        return value
    if isinstance(value, gn.Tensor):
        return _reduced_tensor(value)
    if isinstance(value, dtype):
        return _DTYPES[value]
    if isinstance(value, qscheme):
        return TorchName(f"torch.{value.name}")
    if type(value) is Size:
        return _SIZE, (tuple(value),)
    if isinstance(value, gn.device):
        is_cpu = value == gn.device("cpu")  # PyTorch knows the host by this name
        return _DEVICE, ("cpu",) if is_cpu else (value.type,) if value.index is None else (
            value.type,
            value.index,
        )
    if isinstance(value, layout):
        return _LAYOUT, (f"torch.{value.name}",)
    return NotImplemented


def _reduced_tensor(tensor: gn.Tensor) -> Any:
    cls = type(tensor)
    if isinstance(tensor, QuantizedTensor):
        return _reduced_quantized(tensor)
    if cls.__reduce_ex__ is not gn.Tensor.__reduce_ex__:
        return NotImplemented
    if cls.__gnomon_dispatch__ is not None:
        raise RuntimeError(
            f"gnomon.save: a {cls.__name__} is a wrapper subclass, whose data gnomon does not know: it must "
            "define __reduce_ex__ to be saved"
        )
    state = copying.state_of(tensor)
    if isinstance(tensor, Parameter):
        arguments: tuple[Any, ...] = (_plain(tensor.data), tensor.requires_grad, OrderedDict())
        if state is None:
            return _REBUILD[_rebuild_parameter], arguments
        return _REBUILD[_rebuild_parameter_with_state], (*arguments, state)
    function, arguments = _plain_reduction(tensor)
    is_plain = cls is gn.Tensor or tensor.layout is not gn.strided
    if is_plain and state is None:
        return function, arguments
    return _FROM_TYPE, (function, _TENSOR if is_plain else cls, arguments, state)


def _reduced_quantized(tensor: QuantizedTensor) -> Any:
    spec, quantizer = tensor._spec, tensor.quantizer
    facts: tuple[Any, ...]
    if isinstance(quantizer, PerChannelAffine):
        facts = quantizer.scales, quantizer.zero_points, quantizer.axis
    else:
        facts = quantizer.scale, quantizer.zero_point
    storage = TypedStorage(tensor.untyped_storage(), spec.dtype)
    geometry = (tensor.storage_offset(), spec.sizes, spec.strides)
    return _REBUILD[_rebuild_qtensor], (storage, *geometry, (quantizer.scheme, *facts), False, OrderedDict())


def _plain(tensor: gn.Tensor) -> gn.Tensor:
    """The same data as a plain Tensor."""
    is_plain = type(tensor) is gn.Tensor or tensor.layout is not gn.strided
    return tensor if is_plain else gn.Tensor._make_subclass(gn.Tensor, tensor.detach())


def _plain_reduction(tensor: gn.Tensor) -> tuple[TorchName, tuple[Any, ...]]:
    spec = tensor._spec
    if isinstance(
        tensor, (SparseTensor, CompressedTensor)
    ):  # like PyTorch's, it forgets whether a gradient is required
        return _REBUILD[_rebuild_sparse_tensor], (tensor.layout, parts_of(tensor))
    if tensor.is_meta:
        arguments: tuple[Any, ...] = (spec.dtype, spec.sizes, spec.strides, tensor.requires_grad)
        return _REBUILD[_rebuild_meta_tensor_no_storage], arguments
    geometry = (tensor.storage_offset(), spec.sizes, spec.strides)
    if spec.dtype in LIMITED:  # PyTorch has no type of storage for them
        arguments = (tensor.untyped_storage(), *geometry, tensor.requires_grad, OrderedDict(), spec.dtype)
        return _REBUILD[_rebuild_tensor_v3], arguments
    storage = TypedStorage(tensor.untyped_storage(), spec.dtype)
    return _REBUILD[_rebuild_tensor_v2], (storage, *geometry, tensor.requires_grad, OrderedDict())
