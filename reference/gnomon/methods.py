"""Tensor's methods: one table.

The data of a tensor, and its properties, are in ``memory/tensor.py``.  All its operations are here, except
the operators that are methods under their own names, ``x.exp()``: their records declare it
(``native_function(variants="method")``), and ``bindings/functions.py`` creates them.

Source: torch/_tensor.py, tools/autograd/templates/python_variable_methods.cpp (variable_methods).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import mkldnn as _mkldnn  # noqa: F401  (it defines methods)
from . import quantized as _quantized  # noqa: F401  (it defines methods)
from . import sparse as _sparse  # noqa: F401  (it defines methods)
from .autograd import tensor_hooks
from .bindings import copying, exchange, functional, pinned_memory, sharing, tensor_types, typed_storage
from .bindings import tensor_methods as own
from .bindings.copying import rebuild as _rebuild  # noqa: F401  (older pickles refer to it)
from .bindings.functions import documented, operator_methods
from .dispatch.dispatcher import aten
from .memory import text
from .memory.tensor import Tensor
from .ops.indexing import index
from .values import dtype as dtypes
from .values.device import preserve_format
from .values.speedups import speedups

# Python's binary operators: the notation, and the function that is called with both operands.
BINARY: dict[str, tuple[str, Callable[[Tensor, Any], Any]]] = {
    "__add__": ("self + other", aten.add),
    "__sub__": ("self - other", aten.sub),
    "__mul__": ("self * other", aten.mul),
    "__truediv__": ("self / other", aten.div),
    "__floordiv__": ("self // other", aten.floor_divide),
    "__mod__": ("self % other", aten.remainder),
    "__pow__": ("self ** other", aten.pow),
    "__and__": ("self & other", aten.bitwise_and),
    "__or__": ("self | other", aten.bitwise_or),
    "__xor__": ("self ^ other", aten.bitwise_xor),
    "__lshift__": ("self << other", aten.bitwise_left_shift),
    "__rshift__": ("self >> other", aten.bitwise_right_shift),
    "__eq__": ("self == other", own.equal),
    "__ne__": ("self != other", aten.ne),
    "__lt__": ("self < other", aten.lt),
    "__le__": ("self <= other", aten.le),
    "__gt__": ("self > other", aten.gt),
    "__ge__": ("self >= other", aten.ge),
    # reflected: the tensor is the right operand, and the left one is not a tensor
    "__radd__": ("other + self", aten.add),
    "__rsub__": ("other - self", aten.rsub),
    "__rmul__": ("other * self", aten.mul),
    "__rtruediv__": ("other / self", lambda self, other: aten.reciprocal(self) * other),
    "__rdiv__": ("other / self", lambda self, other: aten.reciprocal(self) * other),
    "__rfloordiv__": ("other // self", lambda self, other: aten.div_floor(other, self)),
    "__rmod__": ("other % self", lambda self, other: aten.remainder(other, self)),
    "__rpow__": ("other ** self", lambda self, other: aten.pow(other, self)),
    "__rand__": ("other & self", aten.bitwise_and),
    "__ror__": ("other | self", aten.bitwise_or),
    "__rxor__": ("other ^ self", aten.bitwise_xor),
    "__rlshift__": ("other << self", lambda self, other: aten.bitwise_left_shift(other, self)),
    "__rrshift__": ("other >> self", lambda self, other: aten.bitwise_right_shift(other, self)),
    # in-place
    "__iadd__": ("self += other", aten.add_),
    "__isub__": ("self -= other", aten.sub_),
    "__imul__": ("self *= other", aten.mul_),
    "__itruediv__": ("self /= other", aten.div_),
    "__ifloordiv__": ("self //= other", aten.floor_divide_),
    "__imod__": ("self %= other", aten.remainder_),
    "__ipow__": ("self **= other", aten.pow_),
    "__iand__": ("self &= other", aten.bitwise_and_),
    "__ior__": ("self |= other", aten.bitwise_or_),
    "__ixor__": ("self ^= other", aten.bitwise_xor_),
    "__ilshift__": ("self <<= other", aten.bitwise_left_shift_),
    "__irshift__": ("self >>= other", aten.bitwise_right_shift_),
}

METHODS: dict[str, Any] = {
    **{name: own.binary_operator(name, *row) for name, row in BINARY.items()},
    # Python's other operators
    "__matmul__": own.matmul,
    "__rmatmul__": own.reflected_matmul,
    "__neg__": lambda self: aten.neg(self),
    "__pos__": lambda self: aten.positive(self),
    "__invert__": own.invert,
    "__abs__": lambda self: aten.abs(self),
    # a tensor of one element as a Python number
    "__bool__": own.to_bool,
    "__float__": lambda self: own.to_real(self, float),
    "__int__": lambda self: own.to_real(self, int),
    "__complex__": lambda self: complex(own.to_number(self)),
    "__index__": own.to_index,
    "__init_subclass__": classmethod(own.init_subclass),
    # a tensor as a sequence
    "__getitem__": index.getitem,
    "__setitem__": index.setitem,
    "__iter__": own.iterate,
    "__reversed__": lambda self: self.flip(0) if self._spec.ndim else self,
    "__contains__": own.contains,
    "__hash__": object.__hash__,
    # repr, copies, NumPy arrays
    "__repr__": text.tensor_repr,
    "__format__": own.format_tensor,
    "__copy__": copying.copy,
    "__deepcopy__": copying.deepcopy,
    "__reduce_ex__": copying.reduce_ex,
    "__array__": own.array_of,
    "__array_wrap__": own.array_wrap,
    "__array_function__": own.array_function,
    "__array_priority__": 1000,  # NumPy leaves operators to the tensor
    "__array_namespace__": own.array_namespace,
    "to_device": own.to_device,
    "numpy": own.numpy,
    # memory shared with other libraries
    "__dlpack__": exchange.dlpack,
    "__dlpack_device__": exchange.dlpack_device,
    "__array_interface__": property(exchange.array_interface),
    "__array_struct__": property(exchange.array_struct),
    "__cuda_array_interface__": property(exchange.cuda_array_interface),
    "__buffer__": exchange.buffer,
    "tolist": own.tolist,
    # autograd
    "backward": own.backward,
    "register_hook": tensor_hooks.register_hook,
    "register_post_accumulate_grad_hook": tensor_hooks.register_post_accumulate_grad_hook,
    "retain_grad": tensor_hooks.retain_grad,
    # the constructor, and tensor types
    "as_subclass": own.as_subclass,
    "_legacy_new": classmethod(tensor_types.legacy_new),
    "new": tensor_types.new,
    "new_tensor": tensor_types.new_tensor,
    "type": tensor_types.type_,
    "apply_": tensor_types.apply_,
    "map_": tensor_types.map_,
    "map2_": tensor_types.map2_,
    # to another dtype or device
    "to": own.to,
    "type_as": own.type_as,
    "to_sparse_coo": lambda self: self.to_sparse(),
    "cpu": lambda self, memory_format=preserve_format: self.to("cpu", memory_format=memory_format),
    "cuda": own.cuda,
    "float": own.as_dtype("float", dtypes.float32),
    "double": own.as_dtype("double", dtypes.float64),
    "half": own.as_dtype("half", dtypes.float16),
    "bfloat16": own.as_dtype("bfloat16", dtypes.bfloat16),
    "int": own.as_dtype("int", dtypes.int32),
    "long": own.as_dtype("long", dtypes.int64),
    "short": own.as_dtype("short", dtypes.int16),
    "char": own.as_dtype("char", dtypes.int8),
    "byte": own.as_dtype("byte", dtypes.uint8),
    "bool": own.as_dtype("bool", dtypes.bool_),
    "chalf": own.as_dtype("chalf", dtypes.complex32),
    "cfloat": own.as_dtype("cfloat", dtypes.complex64),
    "cdouble": own.as_dtype("cdouble", dtypes.complex128),
    "record_stream": own.record_stream,
    # between processes
    "share_memory_": sharing.share_memory_,
    "is_shared": sharing.is_shared,
    "pin_memory": pinned_memory.pin_memory,
    "is_pinned": pinned_memory.is_pinned,
    # the older interface of storages
    "storage": typed_storage.storage,
    "storage_type": typed_storage.storage_type,
    # properties
    "T": property(own.flipped),
    "mT": property(own.matrix_transpose),
    "H": property(own.matrix_adjoint),
    "mH": property(own.batched_adjoint),
    "real": documented(property(lambda self: aten.real(self)), aten.real),
    "imag": documented(property(lambda self: aten.imag(self)), aten.imag),
    # operators whose arguments have another order, or other names, in the method
    "where": documented(lambda self, condition, other: aten.where(condition, self, other), aten.where),
    "polygamma": documented(lambda self, n: aten.polygamma(n, self), aten.polygamma),
    "conj": documented(lambda self: aten.conj(self), aten.conj),
    "nonzero": own.nonzero,
    "is_nonzero": functional.is_nonzero,
    "norm": functional.norm,
    "lu": own.lu,
    "stft": functional.stft,
    "unique": functional.unique,
    "unique_consecutive": functional.unique_consecutive,
}

if speedups is not None:
    METHODS = speedups.methods(METHODS)

for _name, _method in {**operator_methods(), **METHODS}.items():
    setattr(Tensor, _name, _method)

if speedups is not None:
    speedups.bind(Tensor)
