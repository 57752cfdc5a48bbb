"""A drawing of a tensor: its elements as a grid beside its storage, with the strides as steps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ..memory.tensor import Tensor
from ..values.dispatch_key import WRAPPER_KEYS
from .svg import CHARACTER, COLORS, STRONG, Drawing

CELL, ROW = 46.0, 30.0
MOST_PAGES, MOST_ROWS, MOST_COLUMNS = 6, 8, 12
MOST_PLACES = 128  # of a storage
IN_A_LINE = 16  # of these


def draw_tensor(tensor: Tensor, *, as_bytes: bool = False) -> Drawing:
    """Draw a tensor: one grid for each index of all but its last two dimensions, and its storage below.

    An element and its place in the storage have the same colour, and each place says how many elements are
    there.  Arrows are the steps from the first element to the next along each dimension.  ``as_bytes``: the
    storage has the bytes of each place, in memory's order, in place of the value.  Large tensors are drawn in
    part.  Raises ValueError for a tensor without memory of its own.
    """
    spec = tensor._spec
    if tensor._keys & WRAPPER_KEYS or tensor._storage is None or spec.device.type == "meta":
        raise ValueError(f"draw: a {type(tensor).__name__} on {spec.device} has no memory of its own to draw")
    title = f"{spec.dtype.name} {list(spec.sizes)}"
    facts = f"strides {list(spec.strides)}, storage_offset {tensor._storage_offset}"
    drawing = Drawing(f"A tensor: {title}", f"{facts}; {_says(tensor)}")
    drawing.text(12, 22, f"{title}, {facts}", "ink strong")
    drawing.text(12, 40, _says(tensor), "quiet")
    if not spec.numel:
        return drawing
    flat = _storage_of(tensor)
    values = [_text(each) for each in flat.tolist()]
    counts = _counts(tensor, len(values))
    used = [place for place, count in enumerate(counts) if count]
    colors = {place: f"hsl({360 * number // len(used)}, 70%, 82%)" for number, place in enumerate(used)}
    bottom = _draw_pages(drawing, tensor, values, colors, 64)
    texts = _bytes_of(tensor, len(values)) if as_bytes else values
    _draw_storage(drawing, tensor, texts, counts, colors, bottom + 36)
    return drawing


def _says(tensor: Tensor) -> str:
    """Size of the storage, and whether elements share places."""
    spec, storage = tensor._spec, tensor.untyped_storage()
    places = len(set(_places(tensor))) if spec.numel <= 4096 else None
    shared = "" if places is None or places == spec.numel else f"; {spec.numel} elements have {places} places"
    order = "contiguous" if spec.is_contiguous else "not contiguous"
    return f"{order}; the storage has {storage.nbytes()} bytes, an element {spec.dtype.itemsize}{shared}"


def _places(tensor: Tensor) -> Iterator[int]:
    """The place in the storage, in elements, of each element in row-major order."""
    spec = tensor._spec
    for index in itertools.product(*map(range, spec.sizes)):
        yield tensor._storage_offset + sum(i * stride for i, stride in zip(index, spec.strides))


def _storage_of(tensor: Tensor) -> Tensor:
    """The first elements of the storage, as a tensor of one dimension."""
    count = min(tensor.untyped_storage().nbytes() // tensor._spec.dtype.itemsize, MOST_PLACES)
    return tensor.detach().as_strided((count,), (1,), 0)


def _counts(tensor: Tensor, count: int) -> list[int]:
    """How many elements are at each of the first places: from sizes and strides, dimension by dimension."""
    found = [int(place == tensor._storage_offset) for place in range(count)]
    for size, stride in zip(tensor._spec.sizes, tensor._spec.strides):
        if stride == 0:
            found = [size * each for each in found]
        elif size:
            found = [
                sum(found[place - step * stride] for step in range(min(size - 1, place // stride) + 1))
                for place in range(count)
            ]
    return found


def _text(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 6 else text[:5] + "…"


def _bytes_of(tensor: Tensor, count: int) -> list[str]:
    spec = tensor._spec
    data = bytes(tensor.untyped_storage().copy_out()[: count * spec.dtype.itemsize])
    return [data[k : k + spec.dtype.itemsize].hex(" ") for k in range(0, len(data), spec.dtype.itemsize)]


def _draw_pages(
    drawing: Drawing, tensor: Tensor, values: list[str], colors: dict[int, str], top: float
) -> float:
    """The grids; returns where they end."""
    spec = tensor._spec
    rows, columns = (1, 1, *spec.sizes)[-2:]
    row_stride, column_stride = (0, 0, *spec.strides)[-2:]
    shown_rows, shown_columns = min(rows, MOST_ROWS), min(columns, MOST_COLUMNS)
    left, bottom = 12.0, top
    pages = itertools.product(*[range(min(size, MOST_PAGES)) for size in spec.sizes[:-2]])
    for index in itertools.islice(pages, MOST_PAGES):
        if index:
            drawing.text(left, top + 10, f"[{', '.join(map(str, index))}, :, :]", "quiet small")
        first = tensor._storage_offset + sum(i * stride for i, stride in zip(index, spec.strides))
        for row, column in itertools.product(range(shown_rows), range(shown_columns)):
            place = first + row * row_stride + column * column_stride
            x, y = left + column * CELL, top + 16 + row * ROW
            where = [*index, *((row, column)[2 - min(spec.ndim, 2) :])]
            value = values[place] if place < len(values) else "…"
            tip = f"element {where} is {value}, at place {place} of the storage"
            drawing.box(x, y, CELL, ROW, "cell", color=colors.get(place, "none"), tip=tip, corner=0)
            drawing.text(x + CELL / 2, y + 14, value, "ink", anchor="middle")
            drawing.text(x + CELL / 2, y + 26, str(place), "quiet small", anchor="middle")
        end = top + 16 + shown_rows * ROW
        if rows > shown_rows:
            drawing.text(left, end + 12, f"… {rows - shown_rows} more rows", "quiet small")
        width = shown_columns * CELL
        if columns > shown_columns:
            drawing.text(left + width + 4, top + 34, f"… {columns - shown_columns} more", "quiet small")
            width += 60
        left += max(width, 12 * CHARACTER) + 24
        bottom = max(bottom, end + 14 * (rows > shown_rows))
    more = 1
    for size in spec.sizes[:-2]:
        more *= size
    if more > MOST_PAGES:
        drawing.text(left, top + 34, f"… {more - MOST_PAGES} more pages", "quiet small")
    return bottom


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def _draw_storage(
    drawing: Drawing,
    tensor: Tensor,
    texts: list[str],
    counts: list[int],
    colors: dict[int, str],
    top: float,
) -> None:
    spec = tensor._spec
    cell = max(CELL, max(map(len, texts)) * STRONG + 8)
    steps = [(dim, stride) for dim, stride in enumerate(spec.strides) if spec.sizes[dim] > 1]
    drawing.text(12, top, "storage", "ink strong")
    for number, (dim, stride) in enumerate(steps):
        nbytes = stride * spec.dtype.itemsize
        label = f"dimension {dim}: a step of {_counted(stride, 'element')}, {_counted(nbytes, 'byte')}"
        drawing.text(84, top + 15 * number, label, "ink", color=COLORS[number % len(COLORS)])
    top += 15 * len(steps) + 16 * len(steps) + 4

    def center(place: int) -> tuple[float, float]:
        return 12 + (place % IN_A_LINE + 0.5) * cell, top + place // IN_A_LINE * (ROW + 22)

    for place, text in enumerate(texts):
        x, y = center(place)
        is_used = counts[place] > 0
        tip = f"place {place}, byte {place * spec.dtype.itemsize}: {counts[place]} elements"
        kind, color = ("cell", colors[place]) if is_used else ("unused", "")
        drawing.box(x - cell / 2, y, cell, ROW, kind, color=color, tip=tip, corner=0)
        drawing.text(x, y + 19, text, "ink" if is_used else "quiet", anchor="middle")
        drawing.text(x - cell / 2 + 2, y + ROW + 11, str(place), "quiet small")
        if counts[place] > 1:
            drawing.text(x + cell / 2 - 2, y + ROW + 11, f"x{counts[place]}", "quiet small", anchor="end")
    total = tensor.untyped_storage().nbytes() // spec.dtype.itemsize
    if total > len(texts):
        _, y = center(len(texts) - 1)
        drawing.text(12, y + ROW + 26, f"… {total - len(texts)} more places", "quiet small")
    first = tensor._storage_offset
    for number, (_, stride) in enumerate(steps):
        if max(first, first + stride) >= len(texts):
            continue  # the step leads to a place that is not drawn
        (x0, y0), (x1, y1) = center(first), center(first + stride)
        height = y0 - 12 - 16 * number
        x0, x1 = x0 + 4 * number, x1 + 4 * number
        if stride == 0:
            x0, x1 = x0 - 8, x1 + 8
        path = f"M{x0:g},{y0:g} C{x0:g},{height:g} {x1:g},{height:g} {x1:g},{y1:g}"
        drawing.arrow(path, color=COLORS[number % len(COLORS)])
