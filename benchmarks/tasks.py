"""The tasks that ``compare.py`` times, in groups, each with a limit for its time relative to PyTorch's.

A task is made for a library, PyTorch or gnomon, which have the same API.  If NumPy has an equivalent, the
task defines it for comparison; that ratio has no limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], Any]
Make = Callable[[Any], Work]

CHAIN = 500  # rounds of `t = t * y + x`: 1000 Nodes
M = 2**20


@dataclass
class Task:
    """One row.

    make    library -> a function that does the work once
    numpy   the same for NumPy, or None
    target  the limit of gnomon's time relative to PyTorch's; None for the group's
    units   how many units, for example Nodes, one call counts for
    timed   whether the function returns its own seconds, because part of what it does is preparation
    bytes   the minimum that one call has to read and write; 0 if that is not meaningful
    """

    name: str
    make: Make
    numpy: Make | None = None
    target: float | None = None
    units: int = 1
    timed: bool = False
    bytes: int = 0


@dataclass
class Group:
    """Tasks of one kind, with limits for the geometric mean of their ratios and for each ratio."""

    name: str
    mean: float | None
    each: float | None
    tasks: list[Task] = field(default_factory=list)

    def add(self, name: str, make: Make, numpy: Make | None = None, **options: Any) -> None:
        self.tasks.append(Task(name, make, numpy, **options))


def ramp(library: Any, *sizes: int, start: float = -2.0, end: float = 2.0) -> Any:
    """Numbers from ``start`` to ``end``, in a fixed irregular order, the same in both libraries."""
    count = 1
    for size in sizes:
        count *= size
    positions = (library.arange(count, dtype=library.int64) * 1299709) % 1048583
    return (positions.to(library.float32) * ((end - start) / 1048583) + start).reshape(sizes)


def array(numpy: Any, *sizes: int) -> Any:
    return numpy.random.default_rng(0).uniform(-2, 2, sizes).astype(numpy.float32)


# -- small operators ---------------------------------------------------------------------------------------

small = Group("small operators", 0.16, None)
recording = Group("small operators, recording a graph", 0.2, None)


def on_small(group: Group, name: str, function: Callable[..., Any], *sizes: tuple[int, ...]) -> None:
    """``function`` on small tensors; in ``recording`` they require grad."""

    def make(library: Any) -> Work:
        tensors = [library.ones(size) for size in sizes]
        if group is recording:
            for each in tensors:
                each.requires_grad_()
        return lambda: function(*tensors)

    def make_numpy(numpy: Any) -> Work:
        arrays = [numpy.ones(size, numpy.float32) for size in sizes]
        return lambda: function(*arrays)

    has_numpy = group is small and not name.startswith(("relu",))
    group.add(name, make, make_numpy if has_numpy else None)


for _group in (small, recording):
    on_small(_group, "add, 4", lambda a, b: a + b, (4,), (4,))
    on_small(_group, "mul, 64", lambda a, b: a * b, (64,), (64,))
    on_small(_group, "mul by a number, 16", lambda a: a * 2.5, (16,))
    on_small(_group, "relu, 16", lambda a: a.relu(), (16,))
    on_small(_group, "sum, 16", lambda a: a.sum(), (16,))
    on_small(_group, "matmul, 4 x 4", lambda a, b: a @ b, (4, 4), (4, 4))
    on_small(_group, "transpose, 4 x 4", lambda a: a.T, (4, 4))
    on_small(_group, "index x[1], 4 x 4", lambda a: a[1], (4, 4))
on_small(small, "slice x[1:], 4 x 4", lambda a: a[1:], (4, 4))
on_small(small, "reshape, 4 x 4", lambda a: a.reshape(16), (4, 4))
on_small(small, "item", lambda a: a.item(), ())


def make_masked(library: Any) -> Work:
    tensor, mask = library.ones(4), library.tensor([True, False, True, False])
    return lambda: tensor[mask]


def make_gradients_of_examples(library: Any) -> Work:
    weight, batch = ramp(library, 32), ramp(library, 64, 32)
    each = library.func.vmap(library.func.grad(lambda w, x: (w * x).sum().tanh()), in_dims=(None, 0))
    return lambda: each(weight, batch)


composed = Group("small calls that make memory, read it, or call others", None, None)
composed.add("zeros, 4", lambda library: lambda: library.zeros(4), lambda n: lambda: n.zeros(4), target=0.3)
on_small(composed, "softmax, 16", lambda a: a.softmax(0), (16,))
composed.tasks[-1].target = 0.4
composed.add("x[mask], 4", make_masked, target=0.6)
composed.add("vmap(grad(f)), 64 x 32", make_gradients_of_examples, target=0.8)


def on_chain(function: Callable[..., Any], is_backward: bool) -> Callable[..., Any]:
    """Record a chain of 1000 Nodes (two for each call of ``function``), or run it backward."""

    def make(library: Any) -> Callable[[], float]:
        x, y = library.ones(4).requires_grad_(), library.full((4,), 0.5)

        def seconds() -> float:
            x.grad = None
            started = time.perf_counter()
            total = x
            for _ in range(CHAIN):
                total = function(total, x, y)
            recorded = time.perf_counter()
            if not is_backward:
                return recorded - started
            loss = total.sum()
            started = time.perf_counter()
            loss.backward()
            return time.perf_counter() - started

        return seconds

    return make


backward = Group("backward", None, 0.25)
for _text, _function in (
    ("t * y + x", lambda t, x, y: t * y + x),
    ("tanh(t * y)", lambda t, x, y: (t * y).tanh()),  # whose Node saves its output
):
    _of_chain = f"a node of a chain of 1000, {_text}"
    recording.add(_of_chain, on_chain(_function, False), units=2 * CHAIN, timed=True)
    backward.add(_of_chain, on_chain(_function, True), units=2 * CHAIN, timed=True)


def make_digits_step(library: Any) -> Work:
    """One step of SGD of a 64-128-10 network on 32 examples."""
    functional = library.nn.functional
    model = library.nn.Sequential(library.nn.Linear(64, 128), library.nn.ReLU(), library.nn.Linear(128, 10))
    optimizer = library.optim.SGD(model.parameters(), lr=0.01)
    images, labels = ramp(library, 32, 64), library.arange(32) % 10

    def step() -> None:
        optimizer.zero_grad()
        functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return step


digits = Group("small network", None, 0.45)
digits.add("MLP 64-128-10, batch 32, SGD step", make_digits_step)

# -- pointwise ---------------------------------------------------------------------------------------------

pointwise = Group("pointwise", 0.3, 0.95)


def on_large(group: Group, name: str, function: Callable[..., Any], *sizes: tuple[int, ...]) -> None:
    def make(library: Any) -> Work:
        tensors = [ramp(library, *size) for size in sizes]
        return lambda: function(library, *tensors)

    group.add(name, make)


def with_numpy(
    group: Group, name: str, function: Callable[..., Any], numpy: Callable[..., Any], *sizes: tuple[int, ...]
) -> None:
    on_large(group, name, function, *sizes)

    def make(library: Any) -> Work:
        arrays = [array(library, *size) for size in sizes]
        return lambda: numpy(library, *arrays)

    group.tasks[-1].numpy = make


for _text, _size in (("1M", (M,)), ("16M", (16 * M,))):
    with_numpy(pointwise, f"add, {_text}", lambda lib, a, b: a + b, lambda n, a, b: a + b, _size, _size)
    with_numpy(pointwise, f"mul, {_text}", lambda lib, a, b: a * b, lambda n, a, b: a * b, _size, _size)
    on_large(pointwise, f"relu, {_text}", lambda lib, a: lib.relu(a), _size)
    with_numpy(pointwise, f"exp, {_text}", lambda lib, a: a.exp(), lambda n, a: n.exp(a), _size)
    with_numpy(pointwise, f"tanh, {_text}", lambda lib, a: a.tanh(), lambda n, a: n.tanh(a), _size)
    on_large(pointwise, f"gelu, {_text}", lambda lib, a: lib.nn.functional.gelu(a), _size)
    on_large(pointwise, f"sigmoid, {_text}", lambda lib, a: a.sigmoid(), _size)
    on_large(
        pointwise, f"chain of five, {_text}", lambda lib, a, b: ((a * b + a).relu() - b) * 0.5, _size, _size
    )


def make_double_add(library: Any) -> Work:
    a = ramp(library, 16 * M).to(library.float64)
    return lambda: a + a


pointwise.add("add float64, 16M", make_double_add)
on_large(pointwise, "A + row, 4096^2", lambda lib, a, b: a + b, (4096, 4096), (4096,))
on_large(pointwise, "A.T + row, 4096^2", lambda lib, a, b: a.T + b, (4096, 4096), (4096,))
on_large(pointwise, "A.T + B, 4096^2", lambda lib, a, b: a.T + b, (4096, 4096), (4096, 4096))

# -- copies ------------------------------------------------------------------------------------------------

copies = Group("copies", 0.4, None)
with_numpy(copies, "clone, 16M", lambda lib, a: a.clone(), lambda n, a: a.copy(), (16 * M,))
with_numpy(
    copies,
    "contiguous of a transpose, 4096^2",
    lambda lib, a: a.T.contiguous(),
    lambda n, a: n.ascontiguousarray(a.T),
    (4096, 4096),
)
with_numpy(
    copies,
    "cat, 2 x 8M",
    lambda lib, a, b: lib.cat([a, b]),
    lambda n, a, b: n.concatenate([a, b]),
    (8 * M,),
    (8 * M,),
)
with_numpy(
    copies,
    "float32 to float64, 16M",
    lambda lib, a: a.to(lib.float64),
    lambda n, a: a.astype(n.float64),
    (16 * M,),
)
on_large(copies, "float32 to bfloat16, 16M", lambda lib, a: a.to(lib.bfloat16), (16 * M,))
with_numpy(
    copies,
    "where, 16M",
    lambda lib, a, b: lib.where(a > b, a, b),
    lambda n, a, b: n.where(a > b, a, b),
    (16 * M,),
    (16 * M,),
)

# -- reductions --------------------------------------------------------------------------------------------

reductions = Group("reductions", 0.5, 1.05)
SQUARE = (4096, 4096)
with_numpy(reductions, "sum of all, 4096^2", lambda lib, a: a.sum(), lambda n, a: a.sum(), SQUARE)
with_numpy(reductions, "sum, dim 0", lambda lib, a: a.sum(0), lambda n, a: a.sum(0), SQUARE)
with_numpy(reductions, "sum, dim 1", lambda lib, a: a.sum(1), lambda n, a: a.sum(1), SQUARE)
on_large(reductions, "max with index, dim 1", lambda lib, a: a.max(1), SQUARE)
with_numpy(reductions, "argmax, dim 1", lambda lib, a: a.argmax(1), lambda n, a: a.argmax(1), SQUARE)
with_numpy(reductions, "argmax of all", lambda lib, a: a.argmax(), lambda n, a: a.argmax(), SQUARE)
with_numpy(reductions, "var, dim 1", lambda lib, a: a.var(1), lambda n, a: a.var(1), SQUARE)
on_large(reductions, "logsumexp, dim 1", lambda lib, a: a.logsumexp(1), SQUARE)
with_numpy(reductions, "cumsum, dim 1", lambda lib, a: a.cumsum(1), lambda n, a: a.cumsum(1), SQUARE)
on_large(reductions, "softmax, 4096 x 1024", lambda lib, a: a.softmax(1), (4096, 1024))
on_large(
    reductions,
    "layer_norm, 4096 x 1024",
    lambda lib, a: lib.nn.functional.layer_norm(a, (1024,)),
    (4096, 1024),
)
on_large(reductions, "median, dim 1", lambda lib, a: a.median(1), SQUARE)
on_large(reductions, "topk(10), dim 1", lambda lib, a: a.topk(10, 1), SQUARE)

# -- matrix products ---------------------------------------------------------------------------------------

products = Group("matrix products", 1.0, 1.05)
for _n in (64, 128, 256, 512, 1024, 2048):
    with_numpy(products, f"{_n} x {_n}", lambda lib, a, b: a @ b, lambda n, a, b: a @ b, (_n, _n), (_n, _n))
on_large(products, "A @ B.T, 1024", lambda lib, a, b: a @ b.T, (1024, 1024), (1024, 1024))
on_large(products, "A.T @ B, 1024", lambda lib, a, b: a.T @ b, (1024, 1024), (1024, 1024))
on_large(products, "bmm, 64 x 128^3", lambda lib, a, b: a @ b, (64, 128, 128), (64, 128, 128))
on_large(products, "bmm, 256 x 32^3", lambda lib, a, b: a @ b, (256, 32, 32), (256, 32, 32))
for _rows, _in, _out in ((32, 64, 128), (128, 784, 512), (1024, 128, 512), (1, 1024, 1024)):
    on_large(
        products,
        f"linear, {_rows} x {_in} to {_out}",
        lambda lib, x, w, b: lib.nn.functional.linear(x, w, b),
        (_rows, _in),
        (_out, _in),
        (_out,),
    )

# -- convolutions ------------------------------------------------------------------------------------------

convolutions = Group("convolutions", None, 1.1)
IMAGE, WEIGHT = (8, 64, 56, 56), (64, 64, 3, 3)
on_large(
    convolutions,
    "conv2d 8x64x56^2, 3x3",
    lambda lib, x, w: lib.nn.functional.conv2d(x, w, padding=1),
    IMAGE,
    WEIGHT,
)


def make_convolution_backward(
    wanted: str, image_size: tuple[int, ...] = IMAGE, weight_size: tuple[int, ...] = WEIGHT
) -> Make:
    def make(library: Any) -> Callable[[], float]:
        image, weight = ramp(library, *image_size), ramp(library, *weight_size)
        (image if wanted == "image" else weight).requires_grad_()
        padding = weight_size[-1] // 2

        def run() -> float:
            image.grad = weight.grad = None
            result = library.nn.functional.conv2d(image, weight, padding=padding)
            gradient = library.ones_like(result)
            started = time.perf_counter()
            result.backward(gradient)
            return time.perf_counter() - started

        return run

    return make


# The last two are layers with many channels and few positions, where the weights are most of the memory.
for _name, _sizes in (
    ("", (IMAGE, WEIGHT)),
    (" of 512 to 2048 channels, 5 positions", ((1, 512, 1, 5), (2048, 512, 1, 1))),
    (" of 512 channels, 7^2, 3x3", ((1, 512, 7, 7), (512, 512, 3, 3))),
):
    for _wanted in ("image", "weight"):
        convolutions.add(
            f"conv2d backward, {_wanted}{_name}", make_convolution_backward(_wanted, *_sizes), timed=True
        )
pooling = Group("pooling", None, 0.2)
on_large(
    pooling,
    "max_pool2d 2x2, 8x64x112^2",
    lambda lib, x: lib.nn.functional.max_pool2d(x, 2),
    (8, 64, 112, 112),
)
on_large(
    pooling,
    "avg_pool2d 2x2, 8x64x112^2",
    lambda lib, x: lib.nn.functional.avg_pool2d(x, 2),
    (8, 64, 112, 112),
)

# -- indexing and sorting ----------------------------------------------------------------------------------

indexing = Group("indexing and sorting", 0.4, None)


def on_indices(
    name: str, function: Callable[..., Any], size: tuple[int, ...], count: tuple[int, ...], limit: int
) -> None:
    """Time ``function(library, tensor, indices)``, with indices below ``limit``."""

    def make(library: Any) -> Work:
        tensor = ramp(library, *size)
        total = 1
        for each in count:
            total *= each
        indices = ((library.arange(total) * 7919 + 13) % limit).reshape(count)
        return lambda: function(library, tensor, indices)

    indexing.add(name, make)


on_indices(
    "embedding, 8192 of 32000 x 256",
    lambda lib, w, i: lib.nn.functional.embedding(i, w),
    (32000, 256),
    (8192,),
    32000,
)
on_indices("gather, dim 1, 4096 x 1024", lambda lib, x, i: x.gather(1, i), (4096, 1024), (4096, 1024), 1024)
on_indices("index_select, 64K of 1M x 64", lambda lib, x, i: x.index_select(0, i), (M, 64), (65536,), M)
on_indices("x[idx], 1M rows of 64", lambda lib, x, i: x[i], (M, 64), (M,), M)
on_indices(
    "scatter_add, 1M into 64K",
    lambda lib, x, i: lib.zeros(65536).scatter_add(0, i, x),
    (M,),
    (M,),
    65536,
)
on_indices(
    "index_add, 64K rows of 64",
    lambda lib, x, i: lib.zeros(4096, 64).index_add(0, i, x),
    (65536, 64),
    (65536,),
    4096,
)
on_large(indexing, "masked_select, 1M", lambda lib, x: x.masked_select(x > 0), (M,))
on_large(indexing, "nonzero, 1M", lambda lib, x: (x > 0).nonzero(), (M,))


def make_cross_entropy(library: Any) -> Work:
    scores, classes = ramp(library, 4096, 1000), library.arange(4096) % 1000
    return lambda: library.nn.functional.cross_entropy(scores, classes)


indexing.add("cross_entropy, 4096 x 1000", make_cross_entropy)
with_numpy(
    indexing, "sort, 1M", lambda lib, x: x.sort(), lambda n, x: (n.sort(x), n.argsort(x, kind="stable")), (M,)
)


def make_unique(library: Any) -> Work:
    numbers = (library.arange(M) * 7919) % 65536
    return lambda: library.unique(numbers)


indexing.add("unique, 1M integers", make_unique)

# -- training steps ----------------------------------------------------------------------------------------

training = Group("training steps", None, 0.75)


def training_step(library: Any, model: Any, inputs: Any, targets: Any, optimizer: Any) -> Work:
    def step() -> None:
        optimizer.zero_grad()
        output = model(inputs)
        library.nn.functional.cross_entropy(output.reshape(-1, output.shape[-1]), targets).backward()
        optimizer.step()

    return step


def make_perceptron(library: Any) -> Work:
    nn = library.nn
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    optimizer = library.optim.Adam(model.parameters())
    return training_step(library, model, ramp(library, 128, 784), library.arange(128) % 10, optimizer)


def make_convolutional(library: Any) -> Work:
    nn = library.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1568, 10),
    )  # fmt: skip
    optimizer = library.optim.SGD(model.parameters(), lr=0.01)
    return training_step(library, model, ramp(library, 64, 1, 28, 28), library.arange(64) % 10, optimizer)


def make_transformer(library: Any) -> Work:
    """Two layers, 4 heads, width 128, on 16 sequences of 64 of 96 characters."""
    nn, functional = library.nn, library.nn.functional
    Module: Any = nn.Module  # mypy does not accept an attribute of Any as a base class
    width, heads, length, batch, letters = 128, 4, 64, 16, 96

    class Block(Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.joined, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            parts = self.joined(self.first(x)).reshape(batch, length, 3, heads, width // heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
            return x + self.down(functional.gelu(self.up(self.second(x))))

    class Transformer(Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(letters, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList([Block(), Block()])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters)

        def forward(self, x: Any) -> Any:
            x = self.tokens(x) + self.places(library.arange(length))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    model = Transformer()
    optimizer = library.optim.Adam(model.parameters())
    numbers = (library.arange(batch * length) * 7919) % letters
    return training_step(library, model, numbers.reshape(batch, length), numbers, optimizer)


training.add("MLP 784-512-512-10, batch 128, Adam", make_perceptron)
training.add("CNN 1-16-32, 28^2, batch 64, SGD", make_convolutional)
training.add("transformer d=128 T=64 B=16, Adam", make_transformer)

# -- optimizers --------------------------------------------------------------------------------------------

optimizers = Group("steps of optimizers", 0.6, 1.0)


def make_update(optimizer: str, **options: Any) -> Make:
    """The step alone, with 60 parameters: 30 matrices of 128 x 128 and 30 vectors, for Muon 60 matrices.

    ``options`` are for PyTorch, whose default is not always its fastest.
    """

    def make(library: Any) -> Work:
        width = 128
        sizes = [(width, width) if optimizer == "Muon" or place % 2 else (width,) for place in range(60)]
        params = [ramp(library, *each).requires_grad_() for each in sizes]
        for param in params:
            param.grad = ramp(library, *param.shape)
        chosen = dict(options) if library.__name__ == "torch" else {}
        if optimizer in ("RMSprop", "SGD"):
            chosen["momentum"] = 0.9
        if optimizer == "LBFGS":
            chosen["max_iter"] = 1
        rule = getattr(library.optim, optimizer)(params, lr=1e-5, **chosen)
        loss = library.ones(())
        return (lambda: rule.step(lambda: loss)) if optimizer == "LBFGS" else rule.step

    return make


for _name in (
    *(
        "ASGD",
        "Adadelta",
        "Adafactor",
        "Adagrad",
        "Adam",
        "AdamW",
        "Adamax",
        "LBFGS",
        "Muon",
        "NAdam",
        "RAdam",
    ),
    *("RMSprop", "Rprop", "SGD"),
):
    optimizers.add(_name, make_update(_name))
    if _name in ("Adagrad", "Adam", "AdamW", "SGD"):
        optimizers.add(f"{_name}, PyTorch's fused", make_update(_name, fused=True))

GROUPS = (
    small, composed, recording, backward, digits, pointwise, copies, reductions, products, convolutions,
    pooling, indexing, training, optimizers,
)  # fmt: skip
