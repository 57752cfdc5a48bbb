"""What a tensor is: its storage, who shares it, its strides drawn; is it a reference or a copy?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..memory.backend import backend_of
from ..memory.tensor import INFERENCE_VERSION, CreationMeta, Tensor
from ..values import geometry
from ..values.device import strided
from ..values.dispatch_key import WRAPPER_KEYS, DispatchKeySet
from .calls import order_of
from .report import Block, Facts, Lines, Report, Table
from .sharing import sharers
from .watching import explain_writer

MOST_ROWS = 8  # of a drawing
MOST_COLUMNS = 12
MOST_PLACES = 96  # elements of a storage that are drawn
MOST_ELEMENTS = 100_000  # of tensors whose elements are compared one by one


def explain_tensor(tensor: Tensor, names: Mapping[str, Any] | None = None) -> Report:
    """Explain a tensor.  ``names`` are variables of the caller: tensors among them are called so."""
    variables = {
        id(value): name
        for name, value in (names or {}).items()
        if issubclass(type(value), Tensor) and name.isidentifier()
    }
    name = variables.get(id(tensor), "")
    spec = tensor._spec
    title = f"{type(tensor).__name__}{f' {name}' if name else ''}: {spec.dtype.name} {tuple(spec.sizes)}"
    report = Report(f"{title} on {spec.device}")
    report.add("Tensor", Facts(_facts(tensor)))
    if spec.device.type == "meta":
        report.add("Storage", Lines(["A tensor on the meta device has no memory."]))
        return report
    if tensor._keys & WRAPPER_KEYS or tensor._storage is None:
        report.add("Storage", Lines(["It has no memory of its own: its data are other tensors."]))
        return report
    others = sharers(tensor)
    report.add("Storage", Facts(_storage(tensor, others)))
    report.add("Strides", *_drawing(tensor))
    report.add("Who shares the storage", _others(tensor, others, variables))
    report.add("Reference or copy?", Lines(_verdict(tensor, others, variables)), explain_writer(tensor))
    return report


def _facts(tensor: Tensor) -> list[tuple[str, Any]]:
    spec = tensor._spec
    inference = tensor._version_counter is INFERENCE_VERSION
    node = tensor.grad_fn
    facts: list[tuple[str, Any]] = [("sizes", tuple(spec.sizes)), ("layout", str(spec.layout))]
    if spec.layout is strided:
        facts += [
            ("strides", tuple(spec.strides)),
            ("strides in bytes", tuple([each * spec.dtype.itemsize for each in spec.strides])),
            ("storage_offset", tensor._storage_offset),
            ("memory order", order_of(spec)),
        ]
    facts += [
        ("dispatch keys", tuple([key.name for key in DispatchKeySet(tensor._keys)])),
        ("version", "an inference tensor has none" if inference else tensor._version),
        ("requires_grad", tensor.requires_grad),
        ("grad_fn", "none: it is a leaf" if node is None else node.name()),
    ]
    if tensor._view_of is not None:
        base, _, meta = tensor._view_of
        facts.append(("base", f"{base._spec.dtype.name} {tuple(base._spec.sizes)}"))
        facts.append(("CreationMeta", CreationMeta(meta).name))
    return facts


def _storage(tensor: Tensor, others: Sequence[Tensor]) -> list[tuple[str, Any]]:
    storage = tensor.untyped_storage()
    itemsize = tensor._spec.dtype.itemsize
    backend = backend_of(tensor._spec.device)
    return [
        ("bytes", storage.nbytes()),
        ("of these, the tensor's elements", _own_nbytes(tensor)),
        ("first byte of the tensor", tensor._storage_offset * itemsize),
        ("backend", backend.name),
        ("memory", "the host's" if backend.host_memory else "the device's own"),
        ("other tensors on it", len(others)),
    ]


def _own_nbytes(tensor: Tensor) -> int:
    """The bytes of the tensor's elements; those that expanded dimensions repeat count once."""
    spec = tensor._spec
    places = [size for size, stride in zip(spec.sizes, spec.strides) if stride or not size]
    return min(geometry.numel_of(places) * spec.dtype.itemsize, tensor.untyped_storage().nbytes())


# -- drawings ------------------------------------------------------------------------------------------------


def _drawing(tensor: Tensor) -> list[Block]:
    """Where in the storage each element of the last two dimensions is, and which part of it is used."""
    spec = tensor._spec
    if not spec.numel:
        return [Lines(["There are no elements."])]
    sizes, strides = (1, 1, *spec.sizes)[-2:], (0, 0, *spec.strides)[-2:]
    rows = []
    for row in range(min(sizes[0], MOST_ROWS)):
        places = [
            str(tensor._storage_offset + row * strides[0] + column * strides[1])
            for column in range(min(sizes[1], MOST_COLUMNS))
        ]
        rows.append([*places, *(["…"] if sizes[1] > MOST_COLUMNS else [])])
    width = max(len(each) for row in rows for each in row)
    lines = [" ".join(each.rjust(width) for each in row) for row in rows]
    if sizes[0] > MOST_ROWS:
        lines.append("…".rjust(width))
    says = "Each element's place in the storage, in elements from its start"
    if spec.ndim > 2:
        says += f", of the matrix at index {(0,) * (spec.ndim - 2)} of the first dimensions"
    steps = [
        f"One step along dimension {dim} is {stride} element{'' if stride == 1 else 's'} further."
        for dim, stride in enumerate(spec.strides)
    ]
    blocks: list[Block] = [Lines([f"{says}:"]), Lines(lines, is_code=True)]
    bar = _bar(tensor)
    if bar:
        blocks += [
            Lines(["The storage, with # for the elements of this tensor:"]),
            Lines([bar], is_code=True),
        ]
    return [*blocks, Lines(steps)]


def _bar(tensor: Tensor) -> str:
    """A sign for each element of the storage; "" for a long storage."""
    count = tensor.untyped_storage().nbytes() // tensor._spec.dtype.itemsize
    if count > MOST_PLACES or tensor._spec.numel > MOST_ELEMENTS:
        return ""
    used = set(geometry.offsets(tensor._spec.sizes, tensor._spec.strides, tensor._storage_offset))
    return "".join("#" if place in used else "." for place in range(count))


# -- who shares it -------------------------------------------------------------------------------------------


def _others(tensor: Tensor, others: Sequence[Tensor], variables: Mapping[int, str]) -> Table:
    rows = []
    for each in others:
        rows.append(
            (
                variables.get(id(each), "-"),
                _relation(tensor, each),
                f"{each._spec.dtype.name} {tuple(each._spec.sizes)}",
                tuple(each._spec.strides),
                each._storage_offset,
                _overlap(tensor, each),
                each._version_counter is tensor._version_counter and tensor._version_counter is not None,
            )
        )
    rows.sort(key=lambda row: (row[0], row[1], row[2]))
    headings = ("variable", "it is", "tensor", "strides", "offset", "same elements", "same version counter")
    return Table(headings, rows)


def _relation(tensor: Tensor, other: Tensor) -> str:
    """What ``other`` is for ``tensor``."""
    mine = None if tensor._view_of is None else tensor._view_of[0]
    theirs = None if other._view_of is None else other._view_of[0]
    if other is mine:
        return "its base"
    if theirs is tensor:
        return "a view of it"
    if theirs is not None and theirs is mine:
        return "another view of its base"
    return "an alias that autograd does not track"


def _overlap(tensor: Tensor, other: Tensor) -> str:
    """How many elements of ``tensor`` overlap elements of ``other``, in words."""
    if tensor._spec.numel > MOST_ELEMENTS or other._spec.numel > MOST_ELEMENTS:
        return "not compared"
    mine, theirs = _bytes_of(tensor), _bytes_of(other)
    itemsize = tensor._spec.dtype.itemsize
    common = len({start // itemsize for start in mine & theirs})
    total = len({start // itemsize for start in mine})
    if not common:
        return "none"
    return "all" if common == total else f"{common} of {total}"


def _bytes_of(tensor: Tensor) -> set[int]:
    itemsize = tensor._spec.dtype.itemsize
    starts = geometry.offsets(tensor._spec.sizes, tensor._spec.strides, tensor._storage_offset)
    return {start * itemsize + byte for start in starts for byte in range(itemsize)}


def _verdict(tensor: Tensor, others: Sequence[Tensor], variables: Mapping[int, str]) -> list[str]:
    """The answer in sentences."""
    says = []
    if tensor._view_of is not None:
        base = variables.get(id(tensor._view_of[0]))
        says.append(f"A reference: it is a view of {base or 'its base'}, which has the same storage.")
    elif not others:
        says.append("A copy, or new memory: no other tensor has its storage.")
    else:
        says.append(
            "It has the storage first, or as an alias that is no view for autograd; others refer to it."
        )
    shown = sorted(variables[id(each)] for each in others if id(each) in variables)
    seen = [each for each in others if _overlap(tensor, each) != "none"]
    if seen:
        named = f", among them {', '.join(shown)}" if shown else ""
        count = "1 other tensor" if len(seen) == 1 else f"{len(seen)} other tensors"
        says.append(f"A write to it in place changes what {count} may show{named}.")
    if geometry.may_overlap(tensor._spec.sizes, tensor._spec.strides):
        says.append("Some of its own elements share one place: in-place operators refuse it.")
    return says
