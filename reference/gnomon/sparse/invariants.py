"""The invariants of sparse tensors, and whether they are checked.

Source: torch/sparse/__init__.py (check_sparse_tensor_invariants); aten/src/ATen/native/sparse/
SparseCsrTensor.cpp (_validate_sparse_compressed_tensor_args_worker), ValidateCompressedIndicesCommon.h.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from ..memory.tensor import Tensor
from ..values.device import layout, strided
from ..values.dtype import int32, int64
from ..values.geometry import Ints
from .compressed_tensor import BLOCKED, BY_ROWS, COMPRESSED, names_of

_enabled = False


class check_sparse_tensor_invariants:
    """Whether constructors of compressed tensors check their arguments; they do not by default.

    ``enable()`` and ``disable()`` decide it for all calls; an instance is a context manager and a decorator
    for some.  Without the checks, invalid indices are noticed later, or never.  Source:
    torch.sparse.check_sparse_tensor_invariants.
    """

    def __init__(self, enable: bool = True):
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Are invariants checked?"""
        return _enabled

    @staticmethod
    def enable() -> None:
        """Check invariants from now on."""
        _set(True)

    @staticmethod
    def disable() -> None:
        """Do not check invariants from now on."""
        _set(False)

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager "
                "instance for context nesting."
            )
        self.saved_state = _enabled
        _set(self.state)

    def __exit__(self, *exception: object) -> None:
        _set(bool(self.saved_state))
        self.saved_state = None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            with type(self)(self.state):
                return function(*arguments, **keywords)

        return checked


def _set(enabled: bool) -> None:
    global _enabled
    _enabled = enabled


def check_compressed_parts(
    compressed: Tensor, plain: Tensor, values: Tensor, sizes: Ints, layout: layout
) -> None:
    """Raises RuntimeError for parts that are not those of a tensor of this layout and these sizes."""
    if layout not in COMPRESSED:
        raise RuntimeError(
            f"validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but got "
            f"{layout.title}"
        )
    name, plain_name = names_of(layout)
    for each_name, each in ((name, compressed), (plain_name, plain), ("values", values)):
        if each._spec.layout is not strided:
            raise RuntimeError(
                f"expected {each_name} to be a strided tensor but got {each._spec.layout.title} tensor"
            )
    block_ndim = 2 if layout in BLOCKED else 0
    batch_ndim = compressed._spec.ndim - 1
    _check_ndims(compressed, plain, values, sizes, (name, plain_name), block_ndim)
    batches = [each._spec.sizes[:batch_ndim] for each in (compressed, plain, values)]
    if any(batch != sizes[:batch_ndim] for batch in batches):
        of = [list(batch) for batch in batches]
        raise RuntimeError(
            f"all batch dimensions of {name} (={of[0]}), {plain_name} (={of[1]}), and values (={of[2]}) must "
            f"be equal to tensor batch dimensions (={list(sizes[:batch_ndim])})"
        )
    blocksize = values._spec.sizes[batch_ndim + 1 : batch_ndim + 3] if block_ndim else (1, 1)
    grid = []
    for dim, block in enumerate(blocksize):
        size = sizes[batch_ndim + dim]
        if size % block if block else size:
            raise RuntimeError(
                f"tensor shape[{batch_ndim + dim}] (={size}) must be divisible with blocksize[{dim}] "
                f"(={block}) as defined by values shape"
            )
        grid.append(size // block if block else 0)
    lines, others = grid if layout in BY_ROWS else grid[::-1]
    nnz = values._spec.sizes[batch_ndim]
    if compressed._spec.sizes[-1] != lines + 1:
        kind = "row" if layout in BY_ROWS else "column"
        raise RuntimeError(
            f"{name}.shape[-1] must be equal to the number of {kind}{' block' if block_ndim else ''}s + 1 "
            f"(={lines + 1}), but got {compressed._spec.sizes[-1]}"
        )
    if plain._spec.sizes[-1] != nnz:
        raise RuntimeError(
            f"{plain_name}.shape[-1] must be equal to nnz (={nnz}) as defined by values.shape[{batch_ndim}], "
            f"but got {plain._spec.sizes[-1]}"
        )
    check_index_dtypes(compressed, plain, (name, plain_name))
    if compressed._spec.device.type != "meta":
        _check_numbers(compressed, plain, layout, nnz, others)


def _check_ndims(
    compressed: Tensor, plain: Tensor, values: Tensor, sizes: Ints, names: tuple[str, str], block_ndim: int
) -> None:
    ndim = compressed._spec.ndim
    if ndim < 1:
        raise RuntimeError(f"{names[0]} must have dimensionality >= 1 but got {ndim}")
    if ndim != plain._spec.ndim:
        raise RuntimeError(
            f"{names[0]} and {names[1]} dimensionalities must be equal but got {ndim} and "
            f"{plain._spec.ndim}, respectively"
        )
    check_values_ndim(values, ndim - 1, block_ndim)
    dense_ndim = values._spec.ndim - ndim - block_ndim
    if len(sizes) != ndim + 1 + dense_ndim:
        raise RuntimeError(
            f"tensor dimensionality must be sum of batch, base, and dense dimensionalities (={ndim - 1} + 2 "
            f"+ {dense_ndim}) but got {len(sizes)}"
        )


def check_values_ndim(values: Tensor, batch_ndim: int, block_ndim: int) -> None:
    """Raises RuntimeError for values that have too few dimensions."""
    if values._spec.ndim <= batch_ndim + block_ndim:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch_ndim} + "
            f"{block_ndim}) but got {values._spec.ndim}"
        )


def check_index_dtypes(compressed: Tensor, plain: Tensor, names: tuple[str, str]) -> None:
    """Raises RuntimeError unless both indices are int32, or both int64."""
    one, other = compressed._spec.dtype, plain._spec.dtype
    if one is not other:
        raise RuntimeError(
            f"{names[0]} and {names[1]} must have the same dtype, bot got {one} and {other}, respectively"
        )
    if one not in (int32, int64):
        raise RuntimeError(f"{names[0]} and {names[1]} dtype must be int32 or int64, but got {one}")


def _check_numbers(compressed: Tensor, plain: Tensor, layout: layout, nnz: int, others: int) -> None:
    """Raises RuntimeError for indices that are out of range, or out of order."""
    name, plain_name = names_of(layout)
    lines_text, others_text = ("nrows", "ncols") if layout in BY_ROWS else ("ncols", "nrows")

    def check(is_true: bool, invariant: str) -> None:
        if not is_true:
            raise RuntimeError(f"`{invariant}` is not satisfied.")

    batches = compressed.reshape(-1, compressed._spec.sizes[-1]).tolist()
    plains = plain.reshape(len(batches), nnz).tolist()
    for starts, numbers in zip(batches, plains):
        check(starts[0] == 0, f"{name}[..., 0] == 0")
        check(starts[-1] == nnz, f"{name}[..., -1] == nnz")
        check(
            all(0 <= end - start <= others for start, end in itertools.pairwise(starts)),
            f"0 <= {name}[..., 1:] - {name}[..., :-1] <= {others_text}",
        )
        check(all(0 <= number < others for number in numbers), f"0 <= {plain_name} < {others_text}")
        lines = [numbers[start:end] for start, end in itertools.pairwise(starts)]
        check(
            all(one < other for line in lines for one, other in itertools.pairwise(line)),
            f"{plain_name}[..., {name}[..., i - 1]:{name}[..., i]] for all i = 1, ..., {lines_text} are "
            "sorted and distinct along the last dimension values",
        )
