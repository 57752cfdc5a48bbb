"""All benchmarks that ``gnomon bench``, ``make perf-check`` and asv run."""

from __future__ import annotations

import importlib
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy

from gnomon.demo import load_digits

from . import convolutions, linear_algebra, sparse, special, training, transforms
from .benchmark import ARRAYS, TORCH_LIKE, Benchmark, Cost, Work
from .defining import BENCHMARKS, Contents, K, M, add, itemsize, on_tensors, places, ramp
from .library import Library

SIZES = (M, 4, 4 * K, 16 * M)  # of vectors: in the last-level cache, overhead only, in L1, in memory
SIDES = (1024, 32, 128, 4096)  # of square matrices


# -- dispatch: the overhead of a call ------------------------------------------------------------------------


def small(name: str, function: Callable[..., Any], *sizes: tuple[int, ...], numpy_too: bool = True) -> None:
    """A call on small tensors that do not require grad."""

    def contents() -> list[tuple[numpy.ndarray, str]]:
        return [(numpy.ones(each, numpy.float32), "float32") for each in sizes]

    functions = {"torch": lambda module, *given: function(*given)}
    if numpy_too:
        functions["numpy"] = functions["torch"]
    on_tensors(name, "dispatch", contents, functions)


def recorded(name: str, function: Callable[..., Any], *sizes: tuple[int, ...]) -> None:
    """A call on small tensors that require grad."""

    def make(library: Library) -> Work:
        given = [
            library.tensor(numpy.ones(each, numpy.float32), "float32").requires_grad_() for each in sizes
        ]
        return lambda: function(*given)

    add(f"{name}, recorded", "dispatch", make)


SMALL: tuple[tuple[str, Callable[..., Any], tuple[tuple[int, ...], ...]], ...] = (
    ("add", operator.add, ((4,), (4,))),
    ("mul", operator.mul, ((64,), (64,))),
    ("mul by a number", lambda a: a * 2.5, ((16,),)),
    ("sum", lambda a: a.sum(), ((16,),)),
    ("matmul", operator.matmul, ((4, 4), (4, 4))),
    ("transpose", lambda a: a.T, ((4, 4),)),
    ("index", lambda a: a[1], ((4, 4),)),
)
for _name, _function, _sizes in SMALL:
    small(_name, _function, *_sizes)
    recorded(_name, _function, *_sizes)
small("relu", lambda a: a.relu(), (16,), numpy_too=False)
recorded("relu", lambda a: a.relu(), (16,))
small("slice", lambda a: a[1:], (4, 4))
small("reshape", lambda a: a.reshape(16), (4, 4))
small("item", lambda a: a.item(), ())


def _small(name: str, function: Callable[..., Any]) -> None:
    def make(library: Library) -> Work:
        tensors = [library.tensor(numpy.ones(4, numpy.float32), "float32") for _ in range(3)]
        return lambda: function(library.module, *tensors)

    add(name, "dispatch", make)


_small("add, out=", lambda module, a, b, out: module.add(a, b, out=out))
_small("add in place", lambda module, a, b, out: out.add_(b))
_small("empty", lambda module, a, b, out: module.empty(4))

# -- autograd ------------------------------------------------------------------------------------------------

for _text, _round in (
    ("mul and add", lambda t, x, y: t * y + x),
    ("mul and tanh", lambda t, x, y: (t * y).tanh()),  # whose Node saves its output
):
    for _is_backward in (False, True):
        add(
            f"node {'backward' if _is_backward else 'forward'}, {_text}",
            "autograd",
            training.chain(_round, _is_backward),
            units=2 * training.ROUNDS,
            is_timed=True,
        )

# -- pointwise -----------------------------------------------------------------------------------------------


def _vectors(count: int) -> Contents:
    def contents(size: int, dtype: str = "float32") -> list[tuple[numpy.ndarray, str]]:
        low = 0.0 if dtype in ("uint8", "bool") else -2.0
        return [(ramp(size, low=low), dtype) for _ in range(count)]

    return contents


def _moved(tensors: int, operations: int = 1) -> Callable[..., Cost]:
    def cost(size: int, dtype: str = "float32") -> Cost:
        return Cost(operations * size, tensors * size * itemsize(dtype))

    return cost


def pointwise(
    name: str, inputs: int, functions: dict[str, Callable[..., Any]], operations: int = 1, **axes: Any
) -> None:
    """An operator from vectors to a vector."""
    on_tensors(
        *(name, "pointwise", _vectors(inputs), functions),
        axes={"size": SIZES, **axes},
        cost=_moved(inputs + 1, operations),
        elements=lambda size, **values: size,
    )


def every(function: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """The same function for all libraries."""
    return dict.fromkeys(("torch", "numpy", "jax", "tinygrad"), function)


DTYPES = ("float32", "float64", "float16", "bfloat16", "int32")
pointwise("add", 2, every(lambda module, a, b: a + b), dtype=DTYPES)
pointwise("mul", 2, every(lambda module, a, b: a * b))
pointwise(
    "relu",
    1,
    {
        "torch": lambda module, a: module.relu(a),
        "numpy": lambda module, a: module.maximum(a, 0),
        "jax": lambda module, a: module.maximum(a, 0),
        "tinygrad": lambda module, a: a.relu(),
    },
)
for _name in ("exp", "tanh"):
    pointwise(
        _name,
        1,
        {
            "torch": lambda module, a, name=_name: getattr(a, name)(),
            "numpy": lambda module, a, name=_name: getattr(module, name)(a),
            "jax": lambda module, a, name=_name: getattr(module, name)(a),
            "tinygrad": lambda module, a, name=_name: getattr(a, name)(),
        },
    )
for _name in ("sigmoid", "gelu"):
    pointwise(_name, 1, {"torch": lambda module, a, name=_name: getattr(module.nn.functional, name)(a)})
pointwise("chain of five", 2, {"torch": lambda module, a, b: ((a * b + a).relu() - b) * 0.5}, operations=5)

LAYOUTS: dict[str, Callable[[int], tuple[tuple[int, ...], Callable[[Any], Any]]]] = {
    "transposed": lambda side: ((side, side), lambda b: b.T),
    "row": lambda side: ((side,), lambda b: b),
    "column": lambda side: ((side, 1), lambda b: b),
    "every other": lambda side: ((side, 2 * side), lambda b: b[:, ::2]),
}


def _add_layouts(library: Library, side: int, layout: str) -> Work:
    sizes, view = LAYOUTS[layout](side)
    a, b = library.tensor(ramp(side, side), "float32"), view(library.tensor(ramp(*sizes), "float32"))
    return lambda: a + b


add(
    "add of layouts",
    "pointwise",
    _add_layouts,
    axes={"side": (1024, 4096), "layout": tuple(LAYOUTS)},
    kinds=ARRAYS,
    cost=lambda side, layout: Cost(side**2, 4 * (2 * side**2 + math.prod(LAYOUTS[layout](side)[0]))),
    elements=lambda side, layout: side**2,
)

# -- copies --------------------------------------------------------------------------------------------------


def copies(name: str, functions: dict[str, Callable[..., Any]], tensors: float, inputs: int = 1) -> None:
    """Operators on square matrices that read and write ``tensors`` times their bytes."""
    on_tensors(
        name,
        "copies",
        lambda side: [(ramp(side, side), "float32")] * inputs,
        functions,
        axes={"side": SIDES},
        cost=lambda side: Cost(0, tensors * 4 * side**2),
        elements=lambda side: side**2,
    )


copies("clone", {"torch": lambda module, a: a.clone(), "numpy": lambda module, a: a.copy()}, 2)
copies(
    "contiguous of a transpose",
    {
        "torch": lambda module, a: a.T.contiguous(),
        "numpy": lambda module, a: module.ascontiguousarray(a.T),
        "tinygrad": lambda module, a: a.T.contiguous(),
    },
    2,
)
copies(
    "cat",
    {
        "torch": lambda module, a, b: module.cat([a, b]),
        "numpy": lambda module, a, b: module.concatenate([a, b]),
        "jax": lambda module, a, b: module.concatenate([a, b]),
        "tinygrad": lambda module, a, b: a.cat(b),
    },
    4,
    2,
)
copies(
    "float32 to float64",
    {
        "torch": lambda module, a: a.to(module.float64),
        "numpy": lambda module, a: a.astype(module.float64),
        "jax": lambda module, a: a.astype("float64"),
    },
    3,
)
copies("float32 to bfloat16", {"torch": lambda module, a: a.to(module.bfloat16)}, 1.5)
copies(
    "where",
    {kind: (lambda module, a, b: module.where(a > b, a, b)) for kind in ("torch", "numpy", "jax")},
    3,
    2,
)

# -- reductions ----------------------------------------------------------------------------------------------


def rows(
    name: str,
    group: str,
    functions: dict[str, Callable[..., Any]],
    written: str = "column",
    operations: int = 1,
    **axes: Any,
) -> None:
    """An operator from a square matrix to a number (``one``), a ``column``, or a matrix (``all``)."""
    out = {"one": lambda side: 1, "column": lambda side: side, "all": lambda side: side**2}[written]
    on_tensors(
        name,
        group,
        lambda side, dtype="float32": [(ramp(side, side), dtype)],
        functions,
        axes={"side": SIDES, **axes},
        cost=lambda side, dtype="float32": Cost(
            operations * side**2, itemsize(dtype) * (side**2 + out(side))
        ),
        elements=lambda side, dtype="float32": side**2,
    )


def method(name: str, *arguments: Any) -> dict[str, Callable[..., Any]]:
    """A method that most libraries have under the same name."""

    def call(module: Any, a: Any) -> Any:
        return getattr(a, name)(*arguments)

    return {"torch": call, "numpy": call, "jax": call}


HALVES = ("float32", "bfloat16")
rows("sum of all", "reductions", method("sum"), "one", dtype=HALVES)
rows("sum of rows", "reductions", method("sum", 1), dtype=HALVES)
rows("sum of columns", "reductions", method("sum", 0), dtype=HALVES)
rows("argmax of rows", "reductions", method("argmax", 1))
rows("max of rows with places", "reductions", {"torch": lambda module, a: a.max(1)})
rows("var of rows", "reductions", method("var", 1), operations=3)
rows("logsumexp of rows", "reductions", {"torch": lambda module, a: a.logsumexp(1)}, operations=3)
rows("cumsum of rows", "reductions", method("cumsum", 1), "all")
rows("softmax of rows", "reductions", {"torch": lambda module, a: a.softmax(1)}, "all", operations=4)
rows(
    "layer_norm of rows",
    "reductions",
    {"torch": lambda module, a: module.nn.functional.layer_norm(a, a.shape[1:])},
    "all",
    operations=5,
)

# -- products of matrices ------------------------------------------------------------------------------------


def _squares(side: int, dtype: str = "float32") -> list[tuple[numpy.ndarray, str]]:
    return [(ramp(side, side), dtype)] * 2


def _product(side: int, dtype: str = "float32") -> Cost:
    return Cost(2 * side**3, 3 * itemsize(dtype) * side**2)


def _cubed(side: int, dtype: str = "float32") -> float:
    return side**3


_SIDES = {"side": (512, 16, 64, 128, 256, 1024, 2048)}
on_tensors(
    *("matmul", "products", _squares, every(lambda module, a, b: a @ b)),
    axes={**_SIDES, "dtype": ("float32", "float64", "bfloat16", "float16")},
    cost=_product,
    elements=_cubed,
)
_functions = {"torch": lambda module, a, b: a @ b.T}
_functions["numpy"] = _functions["torch"]
on_tensors(*("A @ B.T", "products", _squares, _functions), axes=_SIDES, cost=_product, elements=_cubed)
on_tensors(
    "bmm",
    "products",
    lambda batch, side: [(ramp(batch, side, side), "float32")] * 2,
    every(lambda module, a, b: a @ b),
    axes={"batch": (64,), "side": (128, 16, 32)},
    cost=lambda batch, side: Cost(2 * batch * side**3, 12 * batch * side**2),
    elements=lambda batch, side: batch * side**3,
)


def _linear(shape: tuple[int, int, int]) -> list[tuple[numpy.ndarray, str]]:
    count, inside, outside = shape
    return [(ramp(count, inside), "float32"), (ramp(outside, inside), "float32"), (ramp(outside), "float32")]


on_tensors(
    "linear",
    "products",
    _linear,
    {"torch": lambda module, x, w, b: module.nn.functional.linear(x, w, b)},
    axes={"shape": ((128, 784, 512), (32, 64, 128), (1024, 128, 512), (1, 1024, 1024))},
    cost=lambda shape: Cost(
        2 * math.prod(shape),
        4 * (shape[0] * shape[1] + shape[1] * shape[2] + shape[2] + shape[0] * shape[2]),
    ),
    elements=lambda shape: math.prod(shape),
)


def _bytes(side: int) -> list[tuple[numpy.ndarray, str]]:
    return [(places(255, side, side) - 127, "int8")] * 2


on_tensors(
    "_int_mm",
    "products",
    _bytes,
    {"torch": lambda module, a, b: module._int_mm(a, b)},
    axes={"side": (512, 64, 1024)},
    cost=lambda side: Cost(2 * side**3, 6 * side**2),
    elements=_cubed,
)


def _quantized_linear(library: Library) -> Work:
    """A layer from 768 to 3072 features, of bytes."""
    module = library.module
    layer = module.ao.nn.quantized.Linear(768, 3072)
    weight = module.quantize_per_tensor(library.tensor(ramp(3072, 768), "float32"), 0.02, 0, module.qint8)
    layer.set_weight_bias(weight, library.tensor(ramp(3072), "float32"))
    rows = module.quantize_per_tensor(library.tensor(ramp(64, 768), "float32"), 0.02, 128, module.quint8)
    return lambda: layer(rows)


add("linear, quantized", "products", _quantized_linear, elements=lambda: 64 * 768 * 3072)

# Some groups have files of their own.
convolutions.define()
transforms.define()
linear_algebra.define()
special.define()
sparse.define()

# -- indexing ------------------------------------------------------------------------------------------------

WIDTH = 64


def indexing(
    name: str, functions: dict[str, Callable[..., Any]], tensors: float, count: Callable[[int], Any]
) -> None:
    """An operator on a matrix of ``size`` rows of 64 elements, and indices into it."""
    on_tensors(
        name,
        "indexing",
        lambda size: [(ramp(size, WIDTH), "float32"), (places(size, *count(size)), "int64")],
        functions,
        axes={"size": (64 * K, 64, K)},
        cost=lambda size: Cost(0, tensors * 4 * size * WIDTH),
        elements=lambda size: size * WIDTH,
    )


def _rows(size: int) -> tuple[int, ...]:
    return (size,)


indexing("index_select", {"torch": lambda module, x, i: x.index_select(0, i)}, 2, _rows)
indexing("x[index]", every(lambda module, x, i: x[i]), 2, _rows)
indexing("embedding", {"torch": lambda module, x, i: module.nn.functional.embedding(i, x)}, 2, _rows)
indexing(
    "gather",
    {
        "torch": lambda module, x, i: x.gather(0, i),
        "numpy": lambda module, x, i: module.take_along_axis(x, i, 0),
        "jax": lambda module, x, i: module.take_along_axis(x, i, 0),
    },
    4,
    lambda size: (size, WIDTH),
)
indexing(
    "scatter_add",
    {"torch": lambda module, x, i: module.zeros(x.shape).scatter_add(0, i, x)},
    6,
    lambda size: (size, WIDTH),
)
indexing(
    "index_add",
    {"torch": lambda module, x, i: module.zeros(x.shape).index_add(0, i, x)},
    4,
    _rows,
)
indexing(
    "masked_select",
    {"torch": lambda module, x, i: x.masked_select(x > 0), "numpy": lambda module, x, i: x[x > 0]},
    1.75,
    _rows,
)
indexing(
    "nonzero",
    {"torch": lambda module, x, i: (x > 0).nonzero(), "numpy": lambda module, x, i: (x > 0).nonzero()},
    3,
    _rows,
)


def _scatter_along_rows(library: Library, side: int) -> Work:
    out, source = (library.tensor(ramp(side, side), "float32") for _ in range(2))
    index = library.tensor(places(side, side, side), "int64")
    return lambda: out.scatter_add_(1, index, source)


def _gather_along_rows(library: Library, side: int) -> Work:
    source, index = (
        library.tensor(ramp(side, side), "float32"),
        library.tensor(places(side, side, side), "int64"),
    )
    return lambda: source.gather(1, index)


for _name, _make in (("scatter_add_ along 1", _scatter_along_rows), ("gather along 1", _gather_along_rows)):
    add(_name, "indexing", _make, axes={"side": (K,)}, elements=lambda side: side**2)


def _search(library: Library, side: int) -> Work:
    row = library.tensor(numpy.sort(ramp(side)), "float32")
    numbers = library.tensor(numpy.random.default_rng(0).permutation(ramp(64 * side)), "float32")
    return lambda: library.module.searchsorted(row, numbers)


add(
    "searchsorted",
    "indexing",
    _search,
    axes={"side": (K, 64)},
    kinds=ARRAYS,
    elements=lambda side: 64 * side * math.log2(side),
)


def _embedding_backward(library: Library) -> Work:
    weight = library.tensor(ramp(30000, 256), "float32").requires_grad_()
    index, gradient = library.tensor(places(30000, 4096), "int64"), library.tensor(ramp(4096, 256), "float32")

    def run() -> None:
        weight.grad = None
        library.module.nn.functional.embedding(index, weight).backward(gradient)

    return run


add("embedding forward and backward", "indexing", _embedding_backward, elements=lambda: 30000 * 256)


def _iterate(library: Library) -> Work:
    rows = library.tensor(ramp(1000, 16), "float32")
    return lambda: list(rows)


def _cat_many(library: Library) -> Work:
    tensors = [library.tensor(ramp(10), "float32") for _ in range(100)]
    return lambda: library.module.cat(tensors)


add("iterate over 1000 rows", "dispatch", _iterate)
add("cat of 100 small tensors", "dispatch", _cat_many)


def _cross_entropy(library: Library, size: int) -> Work:
    scores, classes = (
        library.tensor(ramp(size, WIDTH), "float32"),
        library.tensor(places(WIDTH, size), "int64"),
    )
    return lambda: library.module.nn.functional.cross_entropy(scores, classes)


add(
    "cross_entropy",
    "indexing",
    _cross_entropy,
    axes={"size": (64 * K, 64, K)},
    cost=lambda size: Cost(4 * size * WIDTH, 4 * size * WIDTH),
    elements=lambda size: size * WIDTH,
)

# -- sorting -------------------------------------------------------------------------------------------------


def vectors(name: str, group: str, functions: dict[str, Callable[..., Any]], **fields: Any) -> None:
    """An operator on one vector."""
    on_tensors(
        *(name, group, _vectors(1), functions),
        axes={"size": (M, 64, 16 * K)},
        elements=lambda size: size,
        **fields,
    )


vectors(
    "sort",
    "sorting",
    {"torch": lambda module, x: x.sort(), "numpy": lambda module, x: (module.sort(x), module.argsort(x))},
)
vectors("topk(10)", "sorting", {"torch": lambda module, x: x.topk(10)})
vectors(
    "median", "sorting", {"torch": lambda module, x: x.median(), "numpy": lambda module, x: module.median(x)}
)
vectors("unique", "sorting", {"torch": lambda module, x: module.unique((x * 1000).long())})

# -- random numbers ------------------------------------------------------------------------------------------


def drawing(
    name: str, function: Callable[[Any, int], Any], numpy_too: Callable[..., Any] | None = None
) -> None:
    """A function that generates ``size`` random numbers."""

    def make(library: Library, size: int) -> Work:
        if library.kind == "numpy" and numpy_too is not None:
            generator = numpy.random.default_rng(1)
            return lambda: numpy_too(generator, size)
        library.module.manual_seed(1)
        return lambda: function(library.module, size)

    add(
        name,
        "random",
        make,
        axes={"size": (M, 64, 16 * K, 100_000)},
        kinds=TORCH_LIKE if numpy_too is None else ARRAYS,
        cost=lambda size: Cost(0, 4 * size),
        elements=lambda size: 16 * size,
    )


drawing("rand", lambda module, size: module.rand(size), lambda g, size: g.random(size, numpy.float32))
drawing(
    "randn", lambda module, size: module.randn(size), lambda g, size: g.standard_normal(size, numpy.float32)
)
drawing(
    "randint", lambda module, size: module.randint(0, 100, (size,)), lambda g, size: g.integers(0, 100, size)
)
drawing("randperm", lambda module, size: module.randperm(size), lambda g, size: g.permutation(size))
drawing("dropout", lambda module, size: module.nn.functional.dropout(module.ones(size), 0.5))

# -- training steps ------------------------------------------------------------------------------------------

for _name, _step, _elements in training.STEPS:
    add(
        _name,
        "training",
        _step,
        elements=lambda optimizer, count=_elements: count,
        axes={"optimizer": ("SGD", "Adam")},
    )
add(
    f"the step of an optimizer with {training.PARAMETERS} parameters",
    "training",
    training.update,
    elements=training.optimizer_elements,
    axes={"optimizer": training.OPTIMIZERS},
)
add(
    f"{training.LAYERS} recurrent layers of {training.HIDDEN}",
    "training",
    training.recurrent,
    elements=training.recurrent_elements,
    axes={"network": tuple(training.RECURRENT)},
)
add(
    "MultiheadAttention",
    "training",
    training.attention,
    elements=lambda shape, need_weights: training.attention_elements(shape),
    axes={"shape": training.ATTENTION, "need_weights": (True, False)},
)


# -- loading data --------------------------------------------------------------------------------------------


def loading(library: Library, workers: int, persistent: bool) -> Work:
    """One pass over the 1,437 digits, in batches of 64, in random order; new workers are part of it."""
    digits = load_digits("reference")
    data = importlib.import_module(f"{library.module.__name__}.utils.data")
    images = library.tensor(digits.train_images.numpy(), "float32")
    labels = library.tensor(digits.train_labels.numpy(), "int64")
    options = {"num_workers": workers, "persistent_workers": persistent and workers > 0}
    loader = data.DataLoader(data.TensorDataset(images, labels), 64, shuffle=True, **options)

    def work() -> int:
        return sum(len(labels) for _, labels in loader)

    return work


add(
    "digits",
    "loading",
    loading,
    axes={"workers": (2, 0), "persistent": (True, False)},
    elements=lambda workers, persistent: 1437 * 64,
)


def find(group: str) -> list[Benchmark]:
    """The benchmarks of a group, in order."""
    return [each for each in BENCHMARKS if each.group == group]


def groups() -> list[str]:
    """The groups, in order."""
    return list(dict.fromkeys(each.group for each in BENCHMARKS))
