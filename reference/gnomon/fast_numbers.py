"""The hot path of numbers that go in and out: ``tensor`` of nested lists, ``x.tolist()``.

These are shortcuts in C alone (_c/numbers.c): in Python, looking at each number costs what the readable way
does.  That runs once for each kind of data (its sizes, the category of its numbers) and leaves a *plan*:
which spec, and where memory comes from.  A list is looked through before anything is made; what is not all
plain numbers in regular lists, or does not surely fit the dtype, goes the readable way, which says what is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import creation
from .fast_operators import PLANS_PER_OPERATOR, new_plans
from .hot_path import in_c
from .memory.backend import backend_of
from .memory.tensor import Tensor
from .values import dtype as dtypes

_WRITTEN = frozenset(dtypes.ALL) - {dtypes.float16, *dtypes.COMPLEX}
_READ = frozenset(dtypes.ALL) - {*dtypes.COMPLEX}


def make_tensor(slow: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The fast version of ``tensor(data)``, perhaps with a dtype and a device."""
    plans = new_plans()

    def miss(data: Any, dtype: Any, device: Any, key: Any) -> Tensor:
        made = slow(data, dtype=dtype, device=device)
        spec = made._spec
        backend = backend_of(spec.device)
        entry = getattr(backend, "allocate_entry", None)
        is_ours = backend.host_memory and backend.has_addresses and spec.free is not None
        if made.__class__ is Tensor and is_ours and entry is not None and spec.dtype in _WRITTEN:
            if len(plans) >= PLANS_PER_OPERATOR:
                plans.clear()
            try:
                hash(key)
            except TypeError:  # resolved all the same, whatever it is
                return made
            plans[key] = spec, spec.dtype.code, float(spec.extent_nbytes), entry()[1]
        return made

    return in_c("tensor", slow, plans=plans, function=miss)


def make_tolist(slow: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """The fast version of ``x.tolist()`` for tensors in the host's memory."""
    plans = new_plans()

    def miss(self: Tensor) -> Any:
        result = slow(self)
        spec = self._spec
        if self._address and backend_of(spec.device).host_memory and spec.dtype in _READ:
            if len(plans) >= PLANS_PER_OPERATOR:
                plans.clear()
            plans[spec] = spec.dtype.code, spec.sizes, spec.strides
        return result

    return in_c("tolist", miss, rest=slow, plans=plans)


def bind_fast_numbers(namespace: dict[str, Any]) -> None:
    """Put the fast versions in front of the functions and methods."""
    namespace["tensor"] = creation.tensor = make_tensor(creation.tensor)
    tolist = make_tolist(Tensor.tolist)  # type: ignore[attr-defined]
    if tolist.__class__ is not Tensor.tolist.__class__:  # type: ignore[attr-defined]
        Tensor.tolist = tolist  # type: ignore[attr-defined]
