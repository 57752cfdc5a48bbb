"""The tasks of ``compare.py --backend cuda``: work large enough for a GPU, and small calls that measure
launches.

As in tasks.py, a task is made for a library, PyTorch or gnomon, which have the same API; both create their
tensors on the GPU.  ``bytes`` of a task is what it has to read and write, to compute the fraction of the
measured copy bandwidth that it reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tasks import Group, Work, make_transformer, ramp

COPY = "copy, float32"  # the task that measures the device's bandwidth


def groups(scale: int = 1) -> tuple[Group, ...]:
    """All groups; every side and length is divided by ``scale``, for an emulated GPU."""
    many = 2**26 // scale // scale
    side = 4096 // scale

    launches = Group("launches of small operators", 1.0, None)
    bandwidth = Group("pointwise, copies and reductions", 1 / 0.9, None)
    products = Group("products of matrices", 1.05, None)
    rows = Group("rows and order", 1 / 0.9, None)
    training = Group("training", 1.1, None)

    def on_vectors(group: Group, name: str, function: Callable[..., Any], count: int, length: int) -> None:
        def make(library: Any) -> Work:
            tensors = [ramp(library, length) for _ in range(count)]
            return lambda: function(*tensors)

        group.add(name, make, bytes=4 * length * (count + 1))

    on_vectors(launches, "add, 4", lambda a, b: a + b, 2, 4)
    on_vectors(launches, "mul by a number, 16", lambda a: a * 2.5, 1, 16)
    on_vectors(launches, "relu, 64", lambda a: a.relu(), 1, 64)
    on_vectors(launches, "sum, 64", lambda a: a.sum(), 1, 64)

    on_vectors(bandwidth, COPY, lambda a: a.clone(), 1, many)
    on_vectors(bandwidth, "add, float32", lambda a, b: a + b, 2, many)
    on_vectors(bandwidth, "exp, float32", lambda a: a.exp(), 1, many)
    on_vectors(bandwidth, "sigmoid, float32", lambda a: a.sigmoid(), 1, many)

    def half(library: Any) -> Work:
        a = ramp(library, many).to(library.float16)
        return lambda: a * a

    bandwidth.add("mul, float16", half, bytes=4 * many)

    def strided(library: Any) -> Work:
        root = int(many**0.5)
        a, b = ramp(library, root, root), ramp(library, root, root)
        return lambda: a.t() + b

    bandwidth.add("add of a transpose, float32", strided, bytes=12 * int(many**0.5) ** 2)

    def reduction(function: Callable[[Any], Any]) -> Callable[[Any], Work]:
        def make(library: Any) -> Work:
            root = int(many**0.5)
            matrix = ramp(library, root, root)
            return lambda: function(matrix)

        return make

    function: Callable[..., Any]
    for name, function in (
        ("sum of all", lambda a: a.sum()),
        ("sum of rows", lambda a: a.sum(1)),
        ("sum of columns", lambda a: a.sum(0)),
        ("max of rows", lambda a: a.amax(1)),
    ):
        bandwidth.add(name, reduction(function), bytes=4 * int(many**0.5) ** 2)

    for dtype in ("float32", "bfloat16", "float16"):

        def product(library: Any, dtype: str = dtype) -> Work:
            kind = getattr(library, dtype)
            left, right = (ramp(library, side, side).to(kind) for _ in range(2))
            return lambda: left @ right

        products.add(f"{side} x {side}, {dtype}", product)

    for name, function in (
        ("softmax of rows", lambda a: a.softmax(1)),
        ("layer norm of rows", lambda a, library: library.nn.functional.layer_norm(a, a.shape[1:])),
        ("cumsum of rows", lambda a: a.cumsum(1)),
        ("sort of rows", lambda a: a.sort(1)),
    ):

        def on_rows(library: Any, function: Any = function, name: str = name) -> Work:
            matrix = ramp(library, side, side)
            if name.startswith("layer norm"):
                return lambda: function(matrix, library)
            return lambda: function(matrix)

        rows.add(name, on_rows, bytes=8 * side * side)

    training.add("transformer d=128 T=64 B=16, Adam", make_transformer)
    return launches, bandwidth, products, rows, training
