"""``assert_close``: are two tensors, numbers, or containers of them close?

It first pairs everything that is to be compared, so that containers that do not fit are found before any
numbers are compared, and then compares the pairs until two differ.

Source: torch/testing/_comparison.py.
"""

from __future__ import annotations

import cmath
import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import gnomon as gn

Path = tuple[Any, ...]  # the indices and keys that lead to an item

_TOLERANCES = {  # of a dtype: rtol, atol
    gn.float16: (0.001, 1e-5),
    gn.bfloat16: (0.016, 1e-5),
    gn.float32: (1.3e-6, 1e-5),
    gn.float64: (1e-7, 1e-7),
    gn.complex64: (1.3e-6, 1e-5),
    gn.complex128: (1e-7, 1e-7),
}
_DTYPES = {int: gn.int64, float: gn.float64, complex: gn.complex128}  # of Python's numbers


# Of a compressed layout: its name, and what its tensors consist of.
_PARTS = {
    gn.sparse_csr: ("CSR", ("crow_indices", "col_indices", "values")),
    gn.sparse_csc: ("CSC", ("ccol_indices", "row_indices", "values")),
    gn.sparse_bsr: ("BSR", ("crow_indices", "col_indices", "values")),
    gn.sparse_bsc: ("BSC", ("ccol_indices", "row_indices", "values")),
}


class _Failure(Exception):
    """The items at ``path`` differ: assert_close raises ``kind`` with ``text``."""

    def __init__(self, kind: type[Exception], text: str, path: Path) -> None:
        self.kind = kind
        self.text = text
        self.path = path

    def error(self, msg: str | Callable[[str], str] | None = None) -> Exception:
        """The exception for the user, with the user's message if there is one."""
        text = self.text
        if self.path:
            text += f"\n\nThe failure occurred for item {''.join(str([item]) for item in self.path)}"
        if msg is not None:
            text = msg(text) if callable(msg) else msg
        return self.kind(text)


class _Options(NamedTuple):
    """The arguments of assert_close that say when two items are close."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, path: Path, *dtypes: gn.dtype) -> tuple[float, float]:
        """rtol and atol; if they are not given, the largest of the dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        if self.rtol is not None or self.atol is not None:
            missing = "rtol" if self.rtol is None else "atol"
            raise _Failure(
                ValueError,
                f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.",
                path,
            )
        known = [_TOLERANCES.get(kind, (0.0, 0.0)) for kind in dtypes]
        return max(rtol for rtol, _ in known), max(atol for _, atol in known)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Assert that ``|actual - expected| <= atol + rtol * |expected|`` for all elements.

    The arguments are tensors, numbers, bools, None, objects of one type that ``gnomon.as_tensor`` accepts, or
    sequences and mappings of these.  Infinities are close only if they are equal, NaNs only with
    ``equal_nan``.  The default tolerances depend on the dtype; they are zero for integers and bools.
    Tensors must have the same sizes, and, unless the flags say otherwise, the same device, dtype and layout;
    with ``check_stride``, the same strides too.  Sparse tensors of one layout must specify as many values, at
    the same indices in the same order; those of different layouts are compared as strided ones.  Of
    meta tensors only the attributes are compared.

    ``msg`` replaces the message of a failed comparison; a function is called with the message, and returns
    another one.

    Raises AssertionError for what differs, TypeError for objects that cannot be compared, ValueError if only
    one of ``rtol`` and ``atol`` is given, and for tensors of an opaque layout.  Source:
    torch.testing.assert_close.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    checks = (check_device, check_dtype, check_layout, check_stride)
    options = _Options(allow_subclasses, rtol, atol, equal_nan, *checks)
    try:
        comparisons = list(_comparisons(actual, expected, (), options))
    except _Failure as failure:
        raise failure.error() from None
    for comparison in comparisons:
        try:
            comparison()
        except _Failure as failure:
            raise failure.error(msg) from None


def _comparisons(actual: Any, expected: Any, path: Path, options: _Options) -> Iterator[Callable[[], None]]:
    """The comparisons of all items in two containers, or of two items, in their order."""
    pair = (actual, expected)
    if all(isinstance(each, Sequence) and not isinstance(each, str) for each in pair):
        if len(actual) != len(expected):
            text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise _Failure(AssertionError, text, path)
        for index in range(len(actual)):
            yield from _comparisons(actual[index], expected[index], (*path, index), options)
    elif all(isinstance(each, Mapping) for each in pair):
        if actual.keys() != expected.keys():
            missing, additional = expected.keys() - actual.keys(), actual.keys() - expected.keys()
            raise _Failure(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(additional)}",
                path,
            )
        keys = list(actual)
        with contextlib.suppress(TypeError):
            keys.sort()
        for key in keys:
            yield from _comparisons(actual[key], expected[key], (*path, key), options)
    else:
        yield _comparison(actual, expected, path, options)


def _comparison(actual: Any, expected: Any, path: Path, options: _Options) -> Callable[[], None]:
    """The comparison of two items.  Raises _Failure with TypeError if there is none for their types."""
    if actual is None or expected is None:
        return lambda: _compare_none(actual, expected, path)
    plain = _without_numpy(actual), _without_numpy(expected)
    if all(isinstance(each, bool) for each in plain):
        return lambda: _compare_bools(*plain)
    if all(type(each) in _DTYPES for each in plain):
        tolerances = options.tolerances(path, *(_DTYPES[type(each)] for each in plain))
        return lambda: _compare_numbers(*plain, path, options, *tolerances)
    tensors = _as_tensors(actual, expected, options.allow_subclasses)
    if tensors is None:
        raise _Failure(
            TypeError,
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.",
            path,
        )
    for each in tensors:
        if each.layout not in (gn.strided, gn.sparse_coo, *_PARTS):
            raise _Failure(ValueError, f"Unsupported tensor layout {each.layout}", path)
    tolerances = options.tolerances(path, *(each.dtype for each in tensors))
    return lambda: _compare_tensors(*tensors, path, options, *tolerances)


def _without_numpy(value: Any) -> Any:
    """Python's number for one of NumPy's; any other value unchanged."""
    numpy = sys.modules.get("numpy")  # if it is not there, the value is none of NumPy's
    return value.item() if numpy is not None and isinstance(value, (numpy.bool_, numpy.number)) else value


def _as_tensors(actual: Any, expected: Any, allow_subclasses: bool) -> tuple[gn.Tensor, gn.Tensor] | None:
    """Two objects of related types as tensors; None if they are no such objects."""
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not related or (not allow_subclasses and type(actual) is not type(expected)):
        return None
    try:
        return _as_tensor(actual), _as_tensor(expected)
    except Exception:  # whatever an object does that is asked for its numbers
        return None


def _as_tensor(value: Any) -> gn.Tensor:
    return value if isinstance(value, gn.Tensor) else gn.as_tensor(value)


def _compare_none(actual: Any, expected: Any, path: Path) -> None:
    if actual is not expected:
        raise _Failure(AssertionError, f"None mismatch: {actual} is not {expected}", path)


def _compare_bools(actual: bool, expected: bool) -> None:
    if actual is not expected:  # the text does not name the item in PyTorch either
        raise _Failure(AssertionError, f"Booleans mismatch: {actual} is not {expected}", ())


def _compare_numbers(
    actual: Any, expected: Any, path: Path, options: _Options, rtol: float, atol: float
) -> None:
    if options.check_dtype and type(actual) is not type(expected):
        text = f"The (d)types do not match: {type(actual)} != {type(expected)}."
        raise _Failure(AssertionError, text, path)
    if actual == expected or (options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    difference = abs(actual - expected)
    if not cmath.isfinite(difference) or difference > atol + rtol * abs(expected):
        raise _Failure(AssertionError, _text_for_scalars(actual, expected, rtol, atol), path)


def _compare_tensors(
    actual: gn.Tensor, expected: gn.Tensor, path: Path, options: _Options, rtol: float, atol: float
) -> None:
    def differ(attribute: str, first: Any, second: Any) -> NoReturn:
        text = f"The values for attribute '{attribute}' do not match: {first} != {second}."
        raise _Failure(AssertionError, text, path)

    if actual.shape != expected.shape:
        differ("shape", actual.shape, expected.shape)
    if options.check_layout and actual.layout != expected.layout:
        differ("layout", actual.layout, expected.layout)
    if options.check_stride and actual.layout == gn.strided and actual.stride() != expected.stride():
        differ("stride()", actual.stride(), expected.stride())
    if options.check_device and actual.device != expected.device:
        differ("device", actual.device, expected.device)
    if options.check_dtype and actual.dtype != expected.dtype:
        differ("dtype", actual.dtype, expected.dtype)
    if actual.is_meta or expected.is_meta:
        return
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    common = gn.promote_types(actual.dtype, expected.dtype)
    actual, expected = actual.detach().to(common), expected.detach().to(common)
    if actual.layout != expected.layout:
        actual, expected = actual.to_dense(), expected.to_dense()
    elif actual.layout != gn.strided:
        _compare_sparse(actual, expected, path, options, rtol, atol)
        return
    matches = gn.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if matches.all().item():
        return
    if actual.ndim == 0:
        text = _text_for_scalars(actual.item(), expected.item(), rtol, atol)
    else:
        text = _text_for_tensors(actual, expected, matches, rtol, atol)
    raise _Failure(AssertionError, text, path)


def _compare_sparse(
    actual: gn.Tensor, expected: gn.Tensor, path: Path, options: _Options, rtol: float, atol: float
) -> None:
    """Compare two tensors of one sparse layout: how many values they specify, the indices, the values."""
    if actual.layout == gn.sparse_coo:
        kind = "COO"
        names: tuple[str, ...] = ("_indices", "_values")
        counts = actual.sparse_dim(), expected.sparse_dim()
        if counts[0] != counts[1]:
            text = f"The number of sparse dimensions in sparse COO tensors does not match: {counts[0]} != "
            raise _Failure(AssertionError, f"{text}{counts[1]}", path)
    else:
        kind, names = _PARTS[actual.layout]
    counts = actual._nnz(), expected._nnz()
    if counts[0] != counts[1]:
        text = f"The number of specified values in sparse {kind} tensors does not match: {counts[0]} != "
        raise _Failure(AssertionError, f"{text}{counts[1]}", path)
    options = options._replace(check_dtype=False, check_stride=False)
    for name in names:
        pair = getattr(actual, name)(), getattr(expected, name)()
        tolerances = (rtol, atol) if name.endswith("values") else (0.0, 0.0)
        _compare_tensors(*pair, path, options, *tolerances)


def _text_for_scalars(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    difference = abs(actual - expected)
    relative = float("inf") if expected == 0 else difference / abs(expected)
    is_exact = rtol == 0 and atol == 0
    return (
        f"Scalars are not {'equal' if is_exact else 'close'}!\n\n"
        f"Expected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{_allowed(atol, is_exact)}\n"
        f"Relative difference: {relative}{_allowed(rtol, is_exact)}"
    )


def _text_for_tensors(
    actual: gn.Tensor, expected: gn.Tensor, matches: gn.Tensor, rtol: float, atol: float
) -> str:
    """The text for tensors of one dtype, with dimensions, that differ where ``matches`` is False."""
    count, mismatches = matches.numel(), int((~matches).sum().item())
    if not (actual.is_floating_point() or actual.is_complex()):
        actual, expected = actual.to(gn.int64), expected.to(gn.int64)  # whose differences do not wrap around
    absolute = (actual - expected).abs()
    lines = []
    is_exact = rtol == 0 and atol == 0
    differences = (("absolute", absolute, atol), ("relative", absolute / expected.abs(), rtol))
    for name, difference, tolerance in differences:
        greatest, place = difference.masked_fill(matches, 0).flatten().max(0)
        index = _index_of(int(place.item()), matches.shape)
        lines.append(
            f"Greatest {name} difference: {greatest.item()} at index {index}{_allowed(tolerance, is_exact)}"
        )
    return "\n".join(
        [
            f"Tensor-likes are not {'equal' if is_exact else 'close'}!\n",
            f"Mismatched elements: {mismatches} / {count} ({mismatches / count:.1%})",
            *lines,
        ]
    )


def _index_of(place: int, sizes: gn.Size) -> tuple[int, ...]:
    """The index of the element number ``place`` in the order of a contiguous tensor."""
    index = []
    for size in reversed(sizes):
        place, here = divmod(place, size)
        index.append(here)
    return tuple(reversed(index))


def _allowed(tolerance: float, is_exact: bool) -> str:
    return "" if is_exact else f" (up to {tolerance} allowed)"
