"""Launch: run an operator's kernel on the backend of its tensors, or follow the fallback policy.

A kernel is looked up by the operator's name in the backend's table.  If there is none (or the backend does
not claim the dtype), ``GNOMON_FALLBACK`` decides: ``error`` raises, ``warn`` warns once per operator,
``allow`` is silent; then the reference's kernel runs, in place if the backend has host memory, else on
copies.  Every fallback is counted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..dispatch.record_function import KERNEL, end, observed, start
from ..memory.backend import Backend, backend_of, claims, reference_backend
from ..memory.prepared import BAD_VALUE, OK, OUT_OF_MEMORY, BadValue, Kernel, PreparedCall
from ..memory.spec import Spec, spec_of
from ..memory.storage import Storage
from ..memory.tensor import Tensor, empty_tensor, make_tensor
from ..values import dtype as dtypes
from ..values import late_bound
from ..values.device import device
from ..values.dispatch_key import OBSERVED_BIT, mode_word
from ..values.errors import OutOfMemoryError, warn
from ..values.speedups import speedups
from .iterator import TensorIterator, converted_spec

POLICIES = ("error", "warn", "allow")

fallbacks: Counter[tuple[str, str]] = Counter()  # (device type, operator) -> count
# Of these, the calls that the backend claims but whose kernel declined: a violated claim.
declined: Counter[tuple[str, str]] = Counter()
_warned: set[tuple[str, str]] = set()
_policy: str | None = None
_REFERENCE = device("reference")


def fallback_policy() -> str:
    """The current policy: that of ``set_fallback_policy``, else ``GNOMON_FALLBACK``, else ``warn``."""
    policy = _policy or os.environ.get("GNOMON_FALLBACK") or "warn"
    if policy not in POLICIES:
        raise ValueError(f"GNOMON_FALLBACK must be one of {', '.join(POLICIES)}; got {policy!r}")
    return policy


def set_fallback_policy(policy: str | None) -> None:
    """Set the policy for missing kernels: ``error``, ``warn`` or ``allow``; None: ``GNOMON_FALLBACK``'s."""
    global _policy
    if policy is not None and policy not in POLICIES:
        raise ValueError(f"set_fallback_policy: expected one of {', '.join(POLICIES)}; got {policy!r}")
    _policy = policy


class Launch(NamedTuple):
    """What callbacks (dispatch/record_function.py) get about a kernel that runs.

    If the reference's kernel runs, even in place of another backend's, ``device`` is the reference's, and
    there is no dtype.  ``call`` is the prepared call of a kernel that prepares calls.  A speedup passes only
    the first two fields.
    """

    device: device
    tensors: Sequence[Tensor | None]
    key_dtype: dtypes.dtype | None
    output_count: int
    iterator: TensorIterator | None
    kernel_arguments: Sequence[Any]
    call: PreparedCall | None = None

    @property
    def walk(self) -> TensorIterator | None:
        """The former name of ``iterator``."""
        return self.iterator


# Called after each launch of a kernel, with the prepared call if there is one, so that a plan can repeat it.
after_launch: Callable[..., None] | None = None


def find_kernel(backend: Backend, name: str, key_dtype: dtypes.dtype) -> Kernel | None:
    """The backend's own kernel for an operator and a dtype that accepts any strides, or None."""
    return backend.kernels[name] if claims(backend, name, key_dtype.name) else None


def _find_dense_kernel(
    backend: Backend, name: str, key_dtype: dtypes.dtype, tensors: Sequence[Tensor | None]
) -> Kernel | None:
    """The kernel, if it is claimed for contiguous tensors only and these are contiguous, else None."""
    if not claims(backend, name, key_dtype.name, dense=True):
        return None
    dense = all(tensor is None or tensor._spec.is_contiguous for tensor in tensors)
    return backend.kernels[name] if dense else None


def launch(
    name: str,
    device: device,
    key_dtype: dtypes.dtype,
    tensors: Sequence[Tensor | None],
    output_count: int,
    iterator: TensorIterator | None,
    kernel_arguments: Sequence[Any],
    prepared: dict[Any, Any] | None = None,
    prepared_key: Any = None,
) -> None:
    """Run the kernel of operator ``name`` on ``tensors``, outputs first.

    With an ``iterator`` (a TensorIterator) the kernel is called ``kernel(iterator, *kernel_arguments)``, else
    ``kernel(*outputs, *kernel_arguments)``, where the arguments include tensors, in the schema's order.
    ``prepared`` caches prepared calls between launches, under ``prepared_key``.
    """
    if device.type == "meta":
        return
    backend = backend_of(device)
    kernel = find_kernel(backend, name, key_dtype) or _find_dense_kernel(backend, name, key_dtype, tensors)
    if kernel is None:
        _fall_back(name, backend, tensors, output_count, iterator, kernel_arguments)
        return
    if callable(kernel):
        given = tensors[:output_count] if iterator is None else (iterator.with_tensors(tensors),)
        try:
            if mode_word() & OBSERVED_BIT:
                told = Launch(device, tensors, key_dtype, output_count, iterator, kernel_arguments)
                observed(KERNEL, name, told, kernel, *given, *kernel_arguments)
            else:
                kernel(*given, *kernel_arguments)
        except BadValue:
            _run_in_place_of(backend, name, tensors, output_count, iterator, kernel_arguments)
            return
        if after_launch is not None:
            after_launch(name, device, key_dtype, tensors, output_count, iterator, kernel_arguments, None)
        return
    call = prepared.get(prepared_key) if prepared is not None else None
    if call is None:
        call = kernel.prepare(iterator, tensors, output_count, kernel_arguments)
        if prepared is not None and len(prepared) < 64:
            prepared[prepared_key] = call
    if mode_word() & OBSERVED_BIT:
        told = Launch(device, tensors, key_dtype, output_count, iterator, kernel_arguments, call)
        token = start(KERNEL, name, told)
        status = None
        try:
            status = call.run(tensors)
        finally:
            end(token, status == OK)
    else:
        status = call.run(tensors)
    if status == OK:
        if after_launch is not None:
            after_launch(name, device, key_dtype, tensors, output_count, iterator, kernel_arguments, call)
        return
    if status == BAD_VALUE:
        # the reference's kernel finds the same invalid value, and raises with the full message
        updated = any(each is output for output in tensors[:output_count] for each in kernel_arguments)
        _run_in_place_of(backend, name, tensors, output_count, iterator, kernel_arguments, updated)
    elif status == OUT_OF_MEMORY:
        raise OutOfMemoryError(f"{name}: backend {backend.name!r} cannot allocate the kernel's workspace")
    else:
        declined[backend.device_type, name] += 1
        _fall_back(name, backend, tensors, output_count, iterator, kernel_arguments)


def run_reference(
    name: str,
    tensors: Sequence[Tensor | None],
    output_count: int,
    iterator: TensorIterator | None,
    kernel_arguments: Sequence[Any],
) -> None:
    """Run the reference's kernel on tensors in host memory."""
    if after_launch is not None:
        after_launch(name, _REFERENCE, None, tensors, output_count, iterator, kernel_arguments, None)
    kernel = reference_backend.kernels[name]
    given = tensors[:output_count] if iterator is None else (iterator.with_tensors(tensors),)
    if mode_word() & OBSERVED_BIT:
        told = Launch(_REFERENCE, tensors, None, output_count, iterator, kernel_arguments)
        observed(KERNEL, name, told, kernel, *given, *kernel_arguments)
    else:
        kernel(*given, *kernel_arguments)


def _fall_back(
    name: str,
    backend: Backend,
    tensors: Sequence[Tensor | None],
    output_count: int,
    iterator: TensorIterator | None,
    kernel_arguments: Sequence[Any],
) -> None:
    key = (backend.device_type, name)
    policy = fallback_policy()
    if policy == "error":
        raise NotImplementedError(
            f"{name}: backend {backend.name!r} has no kernel for dtypes "
            f"{[t.dtype for t in tensors if t is not None]}, and GNOMON_FALLBACK=error forbids a "
            "fallback to the reference"
        )
    fallbacks[key] += 1
    if policy == "warn" and key not in _warned:
        _warned.add(key)
        warn(
            f"{name}: backend {backend.name!r} has no kernel for this call; falling back to the reference "
            "(GNOMON_FALLBACK=warn)",
        )
    _run_in_place_of(backend, name, tensors, output_count, iterator, kernel_arguments)


def _run_in_place_of(
    backend: Backend,
    name: str,
    tensors: Sequence[Tensor | None],
    output_count: int,
    iterator: TensorIterator | None,
    kernel_arguments: Sequence[Any],
    on_copies: bool = False,
) -> None:
    """Run the reference's kernel on a backend's tensors: in host memory, unless ``on_copies``, in place."""
    if backend.host_memory and not on_copies:
        run_reference(name, tensors, output_count, iterator, kernel_arguments)
        return
    copies: dict[int, Any] = {}
    mirrored = [_on_reference(tensor, copies) for tensor in tensors]
    arguments = [_on_reference(each, copies) for each in kernel_arguments]
    run_reference(name, mirrored, output_count, iterator, arguments)
    for tensor, mirror in zip(tensors[:output_count], mirrored):
        if tensor is not None:
            tensor.untyped_storage().copy_in(0, mirror.untyped_storage().host_view())


def _on_reference(value: Any, copies: dict[int, Any]) -> Any:
    """``value`` with its tensors replaced by copies on the reference; ``copies`` are the storages' by id.

    Tensors that share a storage share its copy: each sees what is written to another.
    """
    if isinstance(value, Tensor):
        storage = value.untyped_storage()
        if id(storage) not in copies:
            copies[id(storage)] = _storage_on_reference(storage)
        return _tensor_on(copies[id(storage)], value)
    if isinstance(value, (list, tuple)):
        return [_on_reference(each, copies) for each in value]
    return value


def copy_to_reference(tensor: Tensor) -> Tensor:
    """A tensor on the reference with a copy of the whole storage, and the same strides and offset."""
    return _tensor_on(_storage_on_reference(tensor.untyped_storage()), tensor)


def _storage_on_reference(storage: Storage) -> Storage:
    """A copy of the storage on the reference."""
    memory = bytearray(storage.copy_out())
    return Storage(reference_backend, _REFERENCE, memory, len(memory))


def _tensor_on(storage: Storage, tensor: Tensor) -> Tensor:
    """A tensor on the reference like ``tensor``, on a copy of its storage."""
    spec = tensor._spec
    return make_tensor(
        spec_of(spec.sizes, spec.strides, spec.dtype, _REFERENCE), storage, tensor._storage_offset
    )


def convert(tensor: Tensor, dtype: dtypes.dtype) -> Tensor:
    """A copy of ``tensor`` with another dtype, in the same memory order."""
    output = empty_tensor(converted_spec(tensor._spec, dtype))
    copy_into(output, tensor)
    return output


def copy_into(output: Tensor, source: Tensor) -> None:
    """Copy ``source``, broadcast and converted, into ``output`` on the same device."""
    key = output._spec, source._spec
    found = _copies.get(key)
    if found is None:
        iterator = copy_iterator(output._spec, source._spec)
        if len(_copies) >= MOST_COPIES:
            _copies.clear()
        found = _copies[key] = iterator, {}, copy_key(output._spec.dtype, source._spec.dtype)
    iterator, prepared, key_dtype = found
    launch("copy_", output._spec.device, key_dtype, [output, source], 1, iterator, (), prepared)


def copy_key(output: dtypes.dtype, source: dtypes.dtype) -> dtypes.dtype:
    """The dtype that a backend has to claim for a copy: the output's, but one of LIMITED before others.

    A backend without kernels for complex32 or 8-bit floats may have some for unsigned integers, so those come
    first.
    """
    for group in ((dtypes.complex32,), dtypes.FLOAT8, dtypes.UNSIGNED):
        for each in (output, source):
            if each in group:
                return each
    return output


def copy_iterator(output: Spec, source: Spec) -> TensorIterator:
    """The TensorIterator of a copy, with broadcasting and conversion."""
    return TensorIterator(
        "copy_",
        [source],
        [output.dtype],
        None,
        output.device,
        static_sizes=output.sizes,
        outputs=[output],
    )


MOST_COPIES = 4096  # pairs of specs; all are dropped if there are more
_copies: dict[tuple[Spec, Spec], tuple[TensorIterator, dict[Any, Any], dtypes.dtype]] = {}
late_bound.on_forget(_copies.clear)


def number_tensor(value: Any, dtype: dtypes.dtype, device: device) -> Tensor:
    """A 0-dim tensor of a Python number (wrapped number)."""
    from ..memory.spec import contiguous_spec

    output = empty_tensor(contiguous_spec((), dtype, device))
    if device.type != "meta":
        data = bytearray(dtype.itemsize)
        dtype.writer(memoryview(data))(0, value)
        output.untyped_storage().copy_in(0, memoryview(data))
    return output


def check_same_device(name: str, tensors: Sequence[Tensor]) -> device:
    """The device that all of ``tensors`` are on.  Raises RuntimeError if they are on several."""
    first = tensors[0]._spec.device
    for tensor in tensors:
        if tensor._spec.device is not first:
            raise RuntimeError(
                f"{name}: Expected all tensors to be on the same device, but found at least two devices, "
                f"{first} and {tensor._spec.device}! Move one of them, as with x.to({str(first)!r})"
            )
    return first


def specs_of(arguments: Sequence[Any]) -> list[Any]:
    """``arguments`` with each tensor replaced by its spec, also in lists."""
    replaced: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Tensor):
            replaced.append(argument._spec)
        elif isinstance(argument, (list, tuple)) and any(isinstance(each, Tensor) for each in argument):
            replaced.append([each._spec if isinstance(each, Tensor) else each for each in argument])
        else:
            replaced.append(argument)
    return replaced


__all__ = ["Spec", "check_same_device", "launch"]


if speedups is not None:
    after_launch = speedups.after_launch
