"""Random programs, and reports after each of their lines, to compare the two tiers (test_two_tiers.py).

A program is a list of lines of Python. ``generate`` writes one line after the other and looks at the tensors
that the lines before have made, so that most lines make sense and do not raise. ``run`` runs a program from
its beginning, and reports after each line what every tensor is, and what was raised or warned of.

As a script it runs the programs that it reads and writes their reports: this is the readable tier's process.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import gnomon as gn
from gnomon.autograd import engine
from gnomon.values import errors

MOST_TENSORS = 7
DEPTH = 6  # of the graphs in reports

PRELUDE = """
import copy
import gc
import weakref

import gnomon as gn

F = gn.nn.functional
log = []
entered = []


def enter(context):
    context.__enter__()
    entered.append(context)


def leave():
    if entered:
        entered.pop().__exit__(None, None, None)


def noting(name):
    def hook(*given):
        log.append((name, [(each.tolist() if each is not None else None) for each in flat(given)]))

    return hook


def doubling(gradient):
    return gradient * 2


def failing(*given):
    raise ArithmeticError("a hook fails")


def flat(given):
    for each in given:
        if isinstance(each, tuple):
            yield from flat(each)
        else:
            yield each


class Times(gn.autograd.Function):
    @staticmethod
    def forward(ctx, x, number):
        ctx.save_for_backward(x)
        ctx.number = number
        return x * x * number

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * x * (2 * ctx.number), None


class Failing(gn.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        raise ArithmeticError("a backward fails")


class Dirty(gn.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


class Kept(gn.Tensor):
    pass


class Wrapper(gn.Tensor):
    @classmethod
    def __gnomon_dispatch__(cls, func, types, args=(), kwargs=None):
        log.append(func.schema.name)
        result = func(*unwrapped(args), **{name: unwrapped(each) for name, each in (kwargs or {}).items()})
        return wrapped(result) if isinstance(result, gn.Tensor) and result.is_floating_point() else result


def unwrapped(value):
    if isinstance(value, (list, tuple)):
        return type(value)(unwrapped(each) for each in value)
    return vars(value)["inner"] if isinstance(value, Wrapper) else value


def wrapped(inner):
    shape = tuple(inner.shape)
    made = gn.Tensor._make_wrapper_subclass(Wrapper, shape, dtype=inner.dtype, device=inner.device)
    made.inner = inner
    return made


class Mode(gn.DispatchMode):
    def __gnomon_dispatch__(self, func, types, args=(), kwargs=None):
        log.append(func.schema.name)
        return func(*args, **(kwargs or {}))


def pack(x):
    log.append("pack")
    return x.detach().clone()


def unpack(x):
    log.append("unpack")
    return x
"""


# -- what is reported ----------------------------------------------------------------------------------------


def _graph(node: Any, depth: int) -> str:
    if node is None:
        return "-"
    if depth == 0:
        return "..."
    edges = ", ".join(f"{_graph(each, depth - 1)}:{number}" for each, number in node.next_functions)
    return f"{node.name()}({edges})"


def _told(ask: Callable[[], Any]) -> Any:
    """The answer, or the error."""
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _values(x: Any) -> Any:
    if x is None or x.device.type == "meta":
        return None
    return x.tolist()


def look(name: str, tensors: dict[str, Any]) -> str:
    """All properties of a tensor."""
    x = tensors[name]
    base = _told(lambda: x._base)
    named = [other for other, each in tensors.items() if each is base] or type(base).__name__
    seen = ", ".join(f"{what} {_told(lambda: ask(x))!r}" for what, ask in _QUESTIONS.items())  # noqa: B023
    return f"{name}: {seen}, base {base if isinstance(base, str) else named}"


_QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "type": lambda x: type(x).__name__,
    "dtype": lambda x: x.dtype,
    "device": lambda x: str(x.device),
    "shape": lambda x: tuple(x.shape),
    "strides": lambda x: x.stride(),
    "offset": lambda x: x.storage_offset(),
    "version": lambda x: x._version,
    "requires_grad": lambda x: x.requires_grad,
    "is_leaf": lambda x: x.is_leaf,
    "is_view": lambda x: x._is_view(),
    "graph": lambda x: _graph(x.grad_fn, DEPTH),
    "output": lambda x: x.output_nr,
    "inference": lambda x: x.is_inference(),
    "attributes": lambda x: sorted(vars(x)),
    "values": lambda x: _values(vars(x).get("inner", x)),
    "grad": lambda x: _values(x.grad) if x.is_leaf or x.retains_grad else None,
}


def _tensors(names: dict[str, Any]) -> dict[str, Any]:
    return {
        name: each
        for name, each in names.items()
        if re.fullmatch(r"t\d+", name) and isinstance(each, gn.Tensor)
    }


class Machine:
    """Runs lines, one after the other."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        exec(PRELUDE, self.names)
        errors._said.clear()  # warnings that are given once per process are given once per program
        engine._warn_of_cycles.cache_clear()
        gn.set_fallback_policy("allow")
        gn.manual_seed(7)

    @property
    def tensors(self) -> dict[str, Any]:
        return _tensors(self.names)

    def step(self, line: str, everything: bool = True) -> str:
        """Run a line; report what was raised, warned of and logged, and with ``everything`` all tensors."""
        seen = []
        self.names["log"].clear()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                exec(line, self.names)
            except Exception as error:
                seen.append(f"raised {type(error).__name__}: {error}")
                del error
        seen += [f"warned {each.category.__name__}: {each.message}" for each in warned]
        seen += [f"noted {each!r}" for each in self.names["log"]]
        tensors = self.tensors
        if everything:
            seen += [look(name, tensors) for name in tensors]
        text = re.sub(r"0x[0-9a-f]+", "0x...", "\n    ".join([line, *seen]))
        return text.replace("gnomon_speedups.Function", "function")

    def close(self) -> None:
        """Leave all contexts that are still entered."""
        while self.names["entered"]:
            with contextlib.suppress(Exception):
                self.names["leave"]()


def run(program: list[str], everything: bool = True) -> list[str]:
    """The report of each line; without ``everything``, tensors are in the last one only."""
    machine = Machine()
    try:
        return [
            machine.step(line, everything or number == len(program) - 1)
            for number, line in enumerate(program)
        ]
    finally:
        machine.close()


# -- lines ---------------------------------------------------------------------------------------------------

SHAPES = [(2, 3), (2, 3), (3,), (2, 1), (3, 3), (), (2, 3, 2), (0,), (1,)]
NUMBERS = ["2", "0.5", "-1", "True", "-0.0", "float('inf')", "3.0", "float('nan')", "2**40", "1"]


class Writer:
    """Writes a program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.machine = Machine()
        self.count = 0
        known = [name for name in ("c", "reference", "numpy", "meta") if is_there(name)]
        weights = {"c": 14, "reference": 3, "numpy": 2, "meta": 1}
        self.device = self.random.choices(known, [weights[each] for each in known])[0]
        self.devices = known

    def one_of(self, *several: str) -> str:
        return self.random.choice(several)

    def new(self) -> str:
        """The name of a line's result: an old name, once there are many."""
        self.count += 1
        return f"t{self.random.randrange(MOST_TENSORS) if self.count > MOST_TENSORS else self.count - 1}"

    def any(self, but: str = "") -> str:
        found = [name for name in self.machine.tensors if name != but]
        return self.random.choice(found) if found else "gn.ones(2)"

    def of(self, name: str) -> Any:
        return self.machine.tensors.get(name, gn.ones(2))

    def like(self, name: str) -> str:
        """Another tensor of the same shape, if there is one."""
        shape = self.of(name).shape
        found = [other for other, each in self.machine.tensors.items() if each.shape == shape]
        return self.random.choice(found) if found and self.random.random() < 0.8 else self.any()

    def same(self, name: str) -> str:
        """A tensor of the same shape, or a new one."""
        shape = self.of(name).shape
        found = [other for other, each in self.machine.tensors.items() if each.shape == shape]
        return self.random.choice(found) if found else "gn.empty(0)"

    def gradient(self) -> str:
        """A tensor that requires grad, if there is one."""
        found = [name for name, each in self.machine.tensors.items() if each.requires_grad]
        return self.random.choice(found) if found and self.random.random() < 0.9 else self.any()

    def axis(self, name: str) -> int:
        ndim = len(self.of(name).shape)
        return self.random.randrange(-ndim, ndim) if ndim and self.random.random() < 0.95 else 1

    def place(self, name: str, axis: int = 0) -> int:
        shape = self.of(name).shape
        length = shape[axis] if -len(shape) <= axis < len(shape) else 2
        return self.random.randrange(-length, length) if length and self.random.random() < 0.95 else 5

    def number(self) -> str:
        return self.one_of(*NUMBERS)

    # each of these writes one line

    def make(self) -> str:
        shape = self.random.choice(SHAPES)
        count = 1
        for length in shape:
            count *= length
        values = [self.random.choice([1.5, -2.0, 0.25, 3.0, -0.0, 0.5, 7.0]) for _ in range(count)]
        dtype = self.one_of(*["float32"] * 6, "float64", "int64", "bool", "bfloat16")
        grad = "True" if self.random.random() < 0.6 and "oat" in dtype else "False"
        device = self.device if self.random.random() < 0.93 else self.random.choice(self.devices)
        return (
            f"{self.new()} = gn.tensor({values}, dtype=gn.float32, device={device!r}).reshape({shape})"
            f".to(gn.{dtype}).detach().requires_grad_({grad})"
        )

    def create(self) -> str:
        x = self.any()
        made = self.one_of(
            "zeros(2, 3)", "ones((3,))", "full((2,), 2.5)", "arange(6.0)", "rand(2, 3)", "randn(3)",
            "zeros(())", f"zeros_like({x})", f"ones_like({x})", f"full_like({x}, 3)",
            f"tensor({self.number()})", f"rand_like({x})", f"empty_like({x}).zero_()", "eye(3)",
            "randint(5, (3,))", "ones(2, 3, requires_grad=True)",
        )  # fmt: skip
        return f"{self.new()} = gn.{made}"

    def view(self) -> str:
        x = self.any()
        axis = self.axis(x)
        place = self.place(x, axis)
        shape = tuple(self.of(x).shape)
        turned = list(range(len(shape)))
        self.random.shuffle(turned)
        view = self.one_of(
            f".select({axis}, {place})", f"[{self.place(x)}]", "[1:]", "[:, ::2]", "[None]", "[..., -1]",
            "[:, 1:, None]", f".transpose({axis}, 0)", ".T", ".t()", ".mT", f".reshape({shape[::-1]})",
            ".reshape(-1)", ".view(-1)", f".view({shape})", f".expand(2, *{shape})", f".expand({shape})",
            f".unbind({axis})[{place}]", ".as_strided((2,), (1,))", ".as_strided((2, 2), (1, 1), 1)",
            ".detach()", ".data", f".unsqueeze({axis})", ".squeeze()", f".squeeze({axis})", ".diagonal()",
            f".permute({turned})", f".narrow({axis}, 0, 1)", f".chunk(2, {axis})[0]",
            f".split(1, {axis})[-1]", ".flatten()", f".view_as({x})", "[gn.tensor(1)]",
            f".narrow(0, gn.tensor({self.random.randrange(2)}), 1)", ".contiguous()", ".view(gn.int32)",
            ".real", ".unfold(0, 2, 1)", ".movedim(0, -1)", f".expand_as({self.any()})",
            ".broadcast_to((2, 2, 3))", f".reshape_as({self.any()})", ".swapaxes(0, 1)", "[...]", "[True]",
            "[:]", ".alias()", ".T[0]", "[0, ::2]",
        )  # fmt: skip
        chained = self.one_of("", "", "[0]", ".T", ".view(-1)", "[1:]", ".detach()")
        return f"{self.new()} = {x}{view}{chained}"

    def views(self) -> str:
        x = self.any()
        several = self.one_of(
            "unbind(0)", "chunk(2)", "split(1)", "unbind(-1)", "tensor_split(2)", "chunk(2, 1)"
        )
        return f"{self.new()}, {self.new()}, *rest = {x}.{several}"

    def written_to(self) -> str:
        """A tensor that can be written to, if there is one: no leaf that requires grad."""
        found = [
            name for name, each in self.machine.tensors.items() if not (each.requires_grad and is_leaf(each))
        ]
        return self.random.choice(found) if found and self.random.random() < 0.9 else self.any()

    def write(self) -> str:
        x = self.written_to()
        y = self.like(x)
        number = self.number()
        what = self.one_of(
            f".add_({number})", f".add_({y})", f".mul_({number})", f".mul_({y})", f".sub_({y}, alpha=2)",
            f".div_({number})", f".fill_({number})", ".zero_()", f".copy_({y})", ".relu_()", ".exp_()",
            ".neg_()", ".clamp_(0, 1)", f".masked_fill_({x} > 0, {number})", f".masked_fill_({y} > 1, -0.0)",
            ".t_()", ".transpose_(0, -1)", ".unsqueeze_(0)", ".squeeze_()", f".pow_({number})", ".normal_()",
            ".uniform_()", ".bernoulli_(0.5)", f".index_fill_(0, gn.tensor([0]), {number})",
            f".add_({number}, alpha=2)", ".sigmoid_()", ".data.add_(1)", f".copy_({self.any()})",
            ".detach_()", f".addcmul_({x}, {y})", f".lerp_({y}, 0.5)", ".sqrt_()", ".cumsum_(0)",
            ".clone().resize_(2).zero_()", f".index_add_(0, gn.tensor([0]), {x}[:1])", f".fill_({y}.sum())",
        )  # fmt: skip
        return f"{x}{what}"

    def set(self) -> str:
        x = self.written_to()
        y = self.any()
        value = self.one_of(self.number(), y, f"{y}.sum()", f"{x}[0]", f"{self.like(x)}")
        index = self.one_of(
            str(self.place(x)), "1:", "...", f"{x} > 0", "None", "..., 0", "0, ::2", "[0]",
            "gn.tensor([0, 1])", ":, 0", "gn.tensor(0)", "True", "9", "(slice(None),)",
        )  # fmt: skip
        return self.one_of(f"{x}[{index}] = {value}", f"{x}[{index}] += {value}")

    def augment(self) -> str:
        x = self.written_to()
        return f"{x} {self.one_of('+=', '*=', '-=', '/=', '**=')} {self.one_of(self.number(), self.like(x))}"

    def compute(self) -> str:
        x = self.gradient()
        y = self.like(x)
        axis = self.axis(x)
        number = self.number()
        what = self.one_of(
            f"{x} + {y}", f"{x} * {y}", f"{x} - {number}", f"{number} - {x}", f"{x} / {y}", f"{x} ** 2",
            f"{x} ** {number}", f"-{x}", f"{x} @ {y}", f"{x} @ {y}.T", f"gn.maximum({x}, {y})",
            f"gn.where({x} > 0, {x}, {y})", f"{x} > {y}", f"gn.where({y} > 0, {x}, {number})", f"{x}.sum()",
            f"{x}.sum({axis})", f"{x}.mean({axis}, keepdim=True)", f"{x}.max({axis})[0]", f"{x}.max()",
            f"{x}.sort({axis})[0]", f"{x}.sort({axis}, descending=True).values", f"{x}.cumsum({axis})",
            f"{x}.exp()", f"{x}.tanh()", f"{x}.relu()", f"F.softmax({x}, {axis})", f"{x} * {number}",
            f"F.log_softmax({x}, {axis})", f"F.layer_norm({x}, {tuple(self.of(x).shape[-1:])})",
            f"{x}.clone()", f"gn.cat([{x}, {y}])", f"gn.stack([{x}, {y}], {axis})", f"gn.matmul({x}, {y})",
            f"F.linear({x}, {y})", f"F.cross_entropy({x}, gn.tensor([0, 1]))", f"F.gelu({x})", f"{x}.prod()",
            f"{x}.var({axis})", f"{x}.norm()", f"F.dropout({x}, 0.5)", f"{x}[gn.tensor([1, 0, 1])]",
            f"{x}[{x} > 0]", f"{x}.index_select(0, gn.tensor([0]))", f"gn.add({x}, {y}, alpha=2)",
            f"{x}.clamp(0)", f"{x}.clamp(min={y})", f"{x}.abs()", f"{x}.sqrt()", f"{x}.log()",
            f"{x}.masked_fill({y} > 0, {number})", f"gn.addcmul({x}, {x}, {y})", f"{x}.std()",
            f"{x}.argmax()", f"{x}.to(gn.float64)", f"{x}.to(gn.int64)", f"{x}.float()",
            f"{x}.gather(0, gn.zeros_like({x}, dtype=gn.int64))", f"gn.lerp({x}, {y}, 0.25)",
            f"F.embedding(gn.tensor([0, 1]), {x})", f"{x}.repeat(2)", f"{x}.flip(0)", f"{x}.tril()",
            f"{x}.pow({number})", f"F.mse_loss({x}, {y})", f"{x}.logsumexp({axis})",
            f"gn.einsum('...i->i', {x})", f"{x}.unique()", f"{x}.sigmoid()", f"Times.apply({x}, 3)",
            f"Failing.apply({x})", f"Dirty.apply({x})", f"{x}.mul(other={y})", f"gn.add({x})",
            f"{x}.sum(dim=({axis},))", f"gn.sum(input={x}, dim={axis})", f"{x}.nosuch()",
            f"gn.relu({x}, {y})", f"{x} + 'a'",
        )  # fmt: skip
        return f"{self.new()} = {what}"

    def out(self) -> str:
        x = self.any()
        y, z = self.same(x), self.like(x)  # an output must not grow: others may view its storage
        if any("inner" in vars(self.of(name)) for name in (x, y, z)):
            return self.make()  # the result of a wrapper has no memory that out= could copy
        return self.one_of(
            f"gn.add({x}, {z}, out={y})", f"gn.exp({x}, out={y})", f"gn.mul({x}, {self.number()}, out={y})",
            f"gn.sum({x}, 0, out=gn.ones(1))", f"gn.cat([{x}, {z}], out=gn.empty(2))",
            f"gn.neg({x}, out={y})", f"gn.max({x}, 0, out=(gn.empty(0), gn.zeros(3, dtype=gn.int64)))",
            f"{self.new()} = gn.neg({x}, out=gn.empty(0))",
            f"{self.new()} = gn.matmul({x}, {z}, out=gn.ones(3, 3))",
        )  # fmt: skip

    def move(self) -> str:
        device = self.random.choice(self.devices)
        x = self.any()
        return self.one_of(
            f"{self.new()} = {x}.to({device!r})",
            f"{x}.copy_({self.like(x)}.to({device!r}))",
            f"{self.new()} = {x} + {self.like(x)}.to({device!r})",
            f"{self.new()} = {x}.to({self.any()})",
        )

    def hook(self) -> str:
        x = self.gradient()
        return self.one_of(
            f"{x}.register_hook(noting('hook'))", f"{x}.register_hook(doubling)",
            f"handle = {x}.register_hook(failing)", f"{x}.grad_fn.register_hook(noting('after'))",
            f"{x}.grad_fn.register_prehook(noting('before'))", f"{x}.retain_grad()",
            f"{x}.register_post_accumulate_grad_hook(noting('accumulated'))", "handle.remove()",
            f"{x}.retain_grad()", f"handle = {x}.register_hook(noting('removed'))",
        )  # fmt: skip

    def backward(self) -> str:
        x, y = self.gradient(), self.gradient()
        total = self.one_of(f"{x}.sum()", f"({x} * {x}).sum()", f"({x} * {y}).sum()", x, f"{x}.exp().mean()")
        again = self.one_of("", "", "retain_graph=True")
        create = self.one_of("", ", create_graph=True")
        return self.one_of(
            f"{total}.backward({again})", f"{total}.backward({again})", f"{x}.backward(gn.ones_like({x}))",
            f"{self.new()}, = gn.autograd.grad({total}, [{y}], allow_unused=True{create})",
            f"{self.new()}, = gn.autograd.grad({total}, {y}{create})",
            f"{self.new()} = gn.autograd.grad({total}, [{y}, {x}], allow_unused=True{create})[1]",
            f"gn.autograd.backward([{total}, {y}.sum()], inputs=[{y}])",
            f"{total}.backward(create_graph=True)",
        )  # fmt: skip

    def change(self) -> str:
        x, y = self.any(), self.any()
        new = self.new()
        return self.one_of(
            f"{x}.requires_grad_()", f"{x}.requires_grad_(False)", f"{x}.requires_grad = True",
            f"{x}.detach_()", f"{x}.grad = None", f"{x}.grad = {self.like(x)}.detach()", f"{x}.tag = 3",
            f"del {x}.tag", f"{new} = copy.deepcopy({x})", f"{new} = copy.copy({x})",
            f"w = weakref.ref({x}); del {x}; gc.collect(); log.append(w() is None)",
            f"del {x}", f"{x}.data = {y}",
            f"{x}.data = {self.like(x)}.detach()", f"{new} = gn.nn.Parameter({x})",
            f"{new} = wrapped({x}.detach())", f"{new} = Kept._make_subclass(Kept, {x})",
            f"{new} = {x}.as_subclass(Kept)", f"log.append({x}.item())", f"log.append(repr({x}))",
            f"log.append({x}.tolist())", f"log.append(bool({x}))",
            f"log.append([each.tolist() for each in {x}])", f"log.append(len({x}))",
            f"log.append({x}.data_ptr() == {y}.data_ptr())", f"log.append({x}._version)",
            f"log.append({x}.is_contiguous())", f"log.append({x} is {y})",
            f"log.append(gn.equal({x}, {self.like(x)}))", f"{x}.requires_grad_({y}.requires_grad)",
            f"log.append({x}.grad_fn.saved_tensors)", f"{new} = {x}.grad",
            f"optimizer = gn.optim.SGD([{x}], lr=0.1); optimizer.step()",
        )  # fmt: skip

    def context(self) -> str:
        made = self.one_of(
            "gn.no_grad()",
            "gn.inference_mode()",
            "gn.enable_grad()",
            "Mode()",
            "gn.autograd.graph.saved_tensors_hooks(pack, unpack)",
            "gn.set_grad_enabled(False)",
            f"gn.device({self.random.choice(self.devices)!r})",
        )
        inside = self.one_of(
            *(writer(self) for writer in (Writer.view, Writer.compute, Writer.write, Writer.create))
        )
        if self.random.random() < 0.7:
            return f"with {made}: {inside}"
        return self.one_of(f"enter({made})", "leave()")

    def again(self) -> str:
        """An earlier line, which has a plan by now."""
        return self.random.choice(self.written)

    def write_program(self, length: int) -> list[str]:
        self.written: list[str] = []
        kinds: list[tuple[Callable[[Writer], str], int]] = [
            (Writer.make, 2), (Writer.create, 2), (Writer.view, 8), (Writer.views, 2), (Writer.write, 6),
            (Writer.set, 3), (Writer.augment, 2), (Writer.compute, 9), (Writer.out, 2), (Writer.move, 2),
            (Writer.hook, 3), (Writer.backward, 6), (Writer.change, 5), (Writer.context, 4),
            (Writer.again, 4),
        ]  # fmt: skip
        try:
            for number in range(length):
                if number == 0:
                    line = f"enter(gn.device({self.device!r}))"
                elif number < 4:
                    line = self.make()
                else:
                    line = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[
                        0
                    ](self)
                self.written.append(line)
                self.machine.step(line, False)
        finally:
            self.machine.close()
        return self.written


def is_leaf(x: Any) -> bool:
    """Whether it is a leaf; False if that raises."""
    return _told(lambda: x.is_leaf) is True


def is_there(device: str) -> bool:
    """Whether there is a backend of this name."""
    try:
        gn.zeros(1, device=device)
    except Exception:
        return False
    return True


def generate(seed: int) -> list[str]:
    """The program of this seed."""
    writer = Writer(seed)
    return writer.write_program(writer.random.randrange(12, 26))


def main() -> None:
    """Run the programs on standard input: [[lines, everything], ...]."""
    for program, everything in json.load(sys.stdin):
        print(json.dumps(run(program, everything)), flush=True)


if __name__ == "__main__":
    main()
