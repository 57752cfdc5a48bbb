"""The comparison of one entry of PyTorch's operator database, with gnomon's operator of that name."""

from __future__ import annotations

import dataclasses
import functools
import random
import re
import signal
import sys
import traceback
import types
import unittest
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy

LAYOUTS = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
KINDS = (
    "values",
    "dtypes",
    "shapes",
    "strides",
    "gradients",
    "second gradients",
    "in place",
    "out=",
    "methods",
    "aliases",
    "errors",
    *LAYOUTS,
)
DTYPES = (
    *("float32", "float64", "complex64", "complex128", "float16", "bfloat16"),
    *("int64", "int32", "int16", "int8", "uint8", "bool"),
)
# Relative to the largest element, or absolute if that is below 1.
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-4, "complex64": 1e-4}
EXACT_ENOUGH = 1e-8
SECONDS = 600  # that one entry may take with one dtype
# Their elements are random, or not set: only dtypes, shapes and strides are compared.
ANY_ELEMENTS = re.compile(
    r"^((new_)?empty|resize|bernoulli|cauchy|exponential|geometric|log_normal|multinomial|normal$|rand|uniform)"
    r"|dropout|rrelu|fractional_max_pool"
)


@dataclasses.dataclass
class Result:
    """What was found for one entry and one dtype."""

    name: str
    dtype: str
    agreed: Counter[str] = dataclasses.field(default_factory=Counter)
    differences: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    """(kind, what differs)"""


@functools.cache
def database() -> dict[str, list[Any]]:
    """The entries that have an operator on the CPU, by name.

    Without those that PyTorch compiles at run time, which are listed for all dtypes, but run on CUDA only.
    """
    try:
        import expecttest  # noqa: F401
    except ImportError:  # PyTorch's tests need only its base class here
        module = types.ModuleType("expecttest")
        module.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = module
    from torch.testing._internal import common_methods_invocations as definitions

    # Entries wrap random operators by this, so that they repeat their numbers: it hides which these are.
    definitions.wrapper_set_seed = lambda function, *args, **options: function(*args, **options)
    found: dict[str, list[Any]] = defaultdict(list)
    for entry in definitions.op_db:
        if entry.supported_dtypes("cpu") and type(entry.op).__name__ != "_JittedFunction":
            found[entry.name].append(entry)
    return dict(found)


def flat(value: Any) -> list[Any]:
    """The leaves of nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in flat(each)]
    return [value]


class Arguments:
    """The arguments of one call for gnomon: those that share a storage in PyTorch do so here, too.

    A storage is known by its address, so no part of ``convert`` makes one that ends before the others begin.
    """

    def __init__(self) -> None:
        self.storages: dict[tuple[int, str], Any] = {}

    def whole(self, tensor: Any) -> Any:
        """gnomon's copy of the whole storage of a tensor of PyTorch, as a vector."""
        import torch

        import gnomon as gn

        storage = tensor.untyped_storage()
        key = (storage.data_ptr() or id(tensor), str(tensor.dtype))
        if key not in self.storages:
            count = storage.nbytes() // tensor.element_size()
            vector = torch.empty(0, dtype=tensor.dtype).set_(storage, 0, (count,), (1,))
            if tensor.dtype in (torch.bfloat16, torch.float16):
                vector = vector.float()
            self.storages[key] = gn.from_numpy(vector.numpy()).to(self.convert(tensor.dtype), copy=True)
        return self.storages[key]

    def tensor(self, value: Any) -> Any:
        """gnomon's tensor for one of PyTorch, detached."""
        import torch

        if value.layout is not torch.strided:
            return self.sparse(value)
        if value.is_conj():
            return self.tensor(value.conj()).conj()
        if value.is_neg():
            return self.tensor(torch._neg_view(value)).neg()
        return self.whole(value).as_strided(tuple(value.shape), value.stride(), value.storage_offset())

    def sparse(self, value: Any) -> Any:
        import torch

        import gnomon as gn

        held = list(map(self.tensor, pieces(value)))
        if value.layout is torch.sparse_coo:
            return gn.sparse_coo_tensor(
                held[0], held[1], tuple(value.shape), is_coalesced=value.is_coalesced()
            )
        return gn.sparse_compressed_tensor(
            held[0], held[1], held[2], tuple(value.shape), layout=self.convert(value.layout)
        )

    def convert(self, value: Any) -> Any:
        import torch

        import gnomon as gn

        if isinstance(value, torch.Tensor):
            return self.tensor(value.detach()).requires_grad_(value.requires_grad)
        if isinstance(value, torch.Size):
            return tuple(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(self.convert, value))
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.convert, value))
        if isinstance(value, dict):
            return {key: self.convert(each) for key, each in value.items()}
        if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            return getattr(gn, str(value).removeprefix("torch."))
        if isinstance(value, torch.device):
            return gn.device(str(value))
        if isinstance(value, torch.Generator):
            return gn.Generator().manual_seed(value.initial_seed())
        if isinstance(value, torch.nn.Module):  # without parameters: a distance, with its options
            made = attribute(gn.nn, type(value).__qualname__)()
            for name in value.__constants__:
                setattr(made, name, getattr(value, name))
            return made
        if callable(value) and getattr(value, "__module__", "").partition(".")[0] == "torch":
            return translated(value)
        if type(value).__module__.startswith("torch.nn"):  # a group of options
            kind = attribute(gn.nn, type(value).__qualname__)
            names = [each.name for each in dataclasses.fields(value)]
            return kind(**{name: self.convert(getattr(value, name)) for name in names})
        return value


def to_torch(tensor: Any) -> Any:
    """gnomon's tensor as PyTorch's."""
    import torch

    import gnomon as gn

    tensor = dense(tensor.detach())
    if tensor.dtype is gn.complex32:
        tensor = tensor.to(gn.complex64)
    if tensor.dtype in (gn.bfloat16, gn.float16):
        return torch.from_numpy(tensor.float().contiguous().numpy()).to(getattr(torch, str(tensor.dtype)[7:]))
    return torch.from_numpy(tensor.resolve_conj().resolve_neg().contiguous().numpy())


def layout(tensor: Any) -> str:
    """ "strided", "sparse_coo", ... of a tensor of either library."""
    return str(tensor.layout).rpartition(".")[2]


def pieces(tensor: Any) -> list[Any]:
    """The strided tensors that hold a tensor of either library: indices and values, if it is sparse."""
    kind = layout(tensor)
    if kind == "strided":
        return [tensor]
    if kind == "sparse_coo":
        return [tensor._indices(), tensor._values()]
    if kind in ("sparse_csr", "sparse_bsr"):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]


def dense(tensor: Any) -> Any:
    """All elements of a tensor of either library."""
    return tensor if layout(tensor) == "strided" else tensor.to_dense()


def attribute(root: Any, path: str) -> Any:
    """``root.a.b`` for "a.b".  Raises AttributeError."""
    return functools.reduce(getattr, path.split("."), root)


def is_of_tests(function: Any) -> bool:
    """Is it a function that PyTorch's tests define around an operator?"""
    return function.__name__ == "<lambda>" or ".testing." in function.__module__


def translated(function: Any) -> Callable[..., Any]:
    """gnomon's function for one of PyTorch; one written in Python runs with gnomon for ``torch``.

    Raises AttributeError if gnomon does not have it.
    """
    import gnomon.compat.torch as alias

    if isinstance(function, types.FunctionType) and is_of_tests(function):
        names = {**function.__globals__, "torch": alias, "F": alias.nn.functional}
        made = types.FunctionType(
            function.__code__, names, function.__name__, function.__defaults__, function.__closure__
        )
        made.__kwdefaults__ = function.__kwdefaults__
        return made
    import gnomon as gn

    path = f"{function.__module__ or ''}.{function.__name__}".removeprefix("torch.")
    path = path.replace("_C._nn.", "nn.functional.").replace("_C._linalg.linalg_", "linalg.")
    return attribute(gn, path)


def own_function(entry: Any) -> Callable[..., Any]:
    """gnomon's operator of an entry.  Raises AttributeError if it is missing."""
    import gnomon as gn

    if type(entry.op).__name__ == "method_descriptor":
        return getattr(gn.Tensor, entry.op.__name__)
    if isinstance(entry.op, types.FunctionType) and is_of_tests(entry.op):
        return translated(entry.op)
    if type(entry.op).__name__ == "OpOverloadPacket":
        return attribute(gn.ops.aten, entry.op.__name__)
    try:
        return attribute(gn, entry.name)
    except AttributeError:
        pass
    method = getattr(gn.Tensor, entry.name.rpartition(".")[2], None)
    if method is not None and "." not in entry.name:
        return method
    if entry.name.startswith("torch.ops.aten."):
        return attribute(gn.ops, entry.name.removeprefix("torch.ops."))
    return translated(entry.op)


def facts(value: Any) -> dict[str, Any]:
    """dtype, shape and strides (the layout, if it is sparse) of a tensor of either library."""
    if not hasattr(value, "stride"):
        return {"dtypes": type(value).__name__, "shapes": (), "strides": ()}
    name = str(value.dtype).rpartition(".")[2]
    strides = tuple(value.stride()) if layout(value) == "strided" else layout(value)
    return {"dtypes": name, "shapes": tuple(value.shape), "strides": strides}


def distance(found: Any, expected: Any) -> str:
    """What differs in the values, or ""."""
    import torch

    if not isinstance(expected, torch.Tensor):
        return "" if found == expected or (found != found and expected != expected) else f"{found!r}"
    mine, theirs = to_torch(found), dense(expected.detach().resolve_conj().resolve_neg())
    if mine.shape != theirs.shape:
        return "other shape"
    if not theirs.numel():
        return ""
    bound = TOLERANCE.get(str(theirs.dtype)[6:], EXACT_ENOUGH)
    if not (theirs.is_floating_point() or theirs.is_complex()):
        wrong = mine != theirs
        return f"{int(wrong.sum())} of {theirs.numel()} elements" if wrong.any() else ""
    wide = torch.complex128 if theirs.is_complex() else torch.float64
    mine, theirs = mine.to(wide), theirs.to(wide)
    finite = theirs.abs()[theirs.isfinite()]
    scale = max(1.0, finite.max().item() if finite.numel() else 1.0)
    if torch.allclose(mine, theirs, rtol=bound, atol=bound * scale, equal_nan=True):
        return ""
    return f"differs by {(mine - theirs).abs().nan_to_num(posinf=9e99).max().item():.1e} of {scale:.1e}"


def distances(found: Any, expected: Any) -> str:
    """What differs in the values, or in the indices of a sparse tensor, or ""."""
    if not hasattr(expected, "stride") or layout(found) != layout(expected):
        return distance(found, expected)
    return "; ".join(filter(None, map(distance, pieces(found), pieces(expected))))


def weighted(lib: Any, results: list[Any]) -> Any:
    """The sum of all results that require grad, with different weights for all elements."""
    total = None
    for each in results:
        if not getattr(each, "requires_grad", False):
            continue
        each = dense(each.to(lib.complex64) if each.dtype is lib.complex32 else each)
        weights = lib.arange(1, each.numel() + 1, dtype=lib.float64).reshape(tuple(each.shape)).cos()
        part = (each * weights.to(each.dtype)).sum()
        part = part.real if part.is_complex() else part
        total = part if total is None else total + part
    return total


def gradients(lib: Any, results: list[Any], inputs: list[Any], create_graph: bool) -> Any:
    """The gradients of ``inputs``; None if nothing requires grad; an exception that was raised."""
    try:
        total = weighted(lib, results)
        if total is None:
            return None
        return list(lib.autograd.grad(total, inputs, allow_unused=True, create_graph=create_graph))
    except Exception as error:
        return error


def differs(found: list[Any], expected: list[Any], any_elements: bool) -> Iterator[tuple[str, str]]:
    """(kind, what differs or "") for the results of a call."""
    if len(found) != len(expected):
        yield "shapes", f"{len(found)} results, not {len(expected)}"
        return
    for place, (mine, theirs) in enumerate(zip(found, expected)):
        for (kind, has), should in zip(facts(mine).items(), facts(theirs).values()):
            yield kind, "" if has == should else f"result {place}: {has}, not {should}"
        if not any_elements:
            text = distances(mine, theirs) if facts(mine)["shapes"] == facts(theirs)["shapes"] else ""
            yield "values", f"result {place} {text}" if text else ""


def attempt(function: Callable[..., Any]) -> Any:
    """The result, or the exception."""
    try:
        return function()
    except Exception as error:
        return error


class Comparison:
    """Compares all samples of one entry for one dtype."""

    def __init__(self, entry: Any, dtype: str, most: int, is_sparse: bool = False) -> None:
        self.entry, self.dtype, self.most, self.is_sparse = entry, dtype, most, is_sparse
        title = entry.name + (f"[{entry.variant_test_name}]" if entry.variant_test_name else "")
        self.result = Result(title, dtype)

    def note(self, kind: str, where: str, text: str) -> None:
        if text:
            self.result.differences.append((kind, f"{where}: {text}"))
        else:
            self.result.agreed[kind] += 1

    def run(self) -> Result:
        import torch

        function = own_function(self.entry)
        dtype = getattr(torch, self.dtype)
        backward = dtype in self.entry.supported_backward_dtypes("cpu") and (
            dtype.is_floating_point or dtype.is_complex
        )
        for seed in (random.seed, numpy.random.seed, torch.manual_seed):  # samples use all three
            seed(0)
        self.layouts(function, dtype)
        if self.is_sparse:
            return self.result
        for seed in (random.seed, numpy.random.seed, torch.manual_seed):
            seed(0)
        samples = list(self.entry.sample_inputs("cpu", dtype, requires_grad=backward))
        step = max(1, -(-len(samples) // self.most))
        for number, sample in enumerate(samples[::step]):
            self.sample(function, sample, f"sample {number * step}")
        if self.entry.error_inputs_func is not None and self.dtype == "float32":
            self.errors(function)
        return self.result

    def sample(self, function: Callable[..., Any], sample: Any, where: str) -> None:
        import torch

        entry = self.entry
        given = (sample.input, *sample.args)
        own, own_options = Arguments().convert((given, sample.kwargs))
        state = torch.get_rng_state()
        expected = attempt(lambda: entry.op(*given, **sample.kwargs))
        takes_random_numbers = not torch.equal(state, torch.get_rng_state())
        found = attempt(lambda: function(*own, **own_options))
        shown = f"{where} {describe(given, sample.kwargs)}"
        if isinstance(expected, Exception) or isinstance(found, Exception):
            same = isinstance(expected, Exception) and isinstance(found, Exception)
            self.note("values", shown, "" if same else f"{short(found)}, not {short(expected)}")
            return
        any_elements = bool(ANY_ELEMENTS.search(entry.name)) or takes_random_numbers
        for kind, text in differs(flat(found), flat(expected), any_elements):
            self.note(kind, shown, text)
        if any_elements:
            return
        process = sample.output_process_fn_grad  # what does not depend on an arbitrary choice
        wanted, got = flat(process(expected)), attempt(lambda: flat(translated(process)(found)))
        if isinstance(got, Exception):
            self.note("gradients", shown, short(got))
        else:
            self.gradients(got, wanted, flat(own), flat(list(given)), shown)
        self.variants(own, own_options, given, sample, flat(expected), shown)
        if entry.supports_out:
            self.out(function, own, own_options, flat(found), given, sample, flat(expected), shown)

    def layouts(self, function: Callable[..., Any], dtype: Any) -> None:
        """The samples with sparse tensors: the layouts, dtypes and shapes of results, and all elements."""
        for name in LAYOUTS:
            samples = attempt(lambda name=name: sparse_samples(self.entry, name, dtype))
            if isinstance(samples, Exception):  # PyTorch's own samples need what it does not have
                continue
            step = max(1, -(-len(samples) // self.most))
            for number, sample in enumerate(samples[::step]):
                self.sparse_sample(function, sample, name, f"sample {number * step}")

    def sparse_sample(self, function: Callable[..., Any], sample: Any, name: str, where: str) -> None:
        """What PyTorch refuses, or does not implement, may have a result."""
        given = (sample.input, *sample.args)
        own, options = Arguments().convert((given, sample.kwargs))
        expected = attempt(lambda: self.entry.op(*given, **sample.kwargs))
        if isinstance(expected, Exception) or expected is NotImplemented:
            return
        found = attempt(lambda: function(*own, **options))
        shown = f"{where} {describe(given, sample.kwargs)}"
        if isinstance(found, Exception):
            self.note(name, shown, f"{short(found)}, not {short(expected)}")
            return
        texts = []
        for mine, theirs in zip(flat(found), flat(expected), strict=True):
            has, should = facts(mine), facts(theirs)
            texts += [f"{has[kind]}, not {should[kind]}" for kind in has if has[kind] != should[kind]]
            if has["shapes"] == should["shapes"] and not ANY_ELEMENTS.search(self.entry.name):
                texts.append(distance(mine, theirs))
        self.note(name, shown, "; ".join(filter(None, texts)))

    def gradients(
        self, found: list[Any], expected: list[Any], own: list[Any], given: list[Any], shown: str
    ) -> None:
        import torch

        import gnomon as gn

        theirs = [each for each in given if isinstance(each, torch.Tensor) and each.requires_grad]
        mine = [each for each in own if isinstance(each, gn.Tensor) and each.requires_grad]
        if not theirs:
            return
        twice = self.entry.supports_gradgrad and self.dtype in ("float64", "complex128")
        wanted = gradients(torch, expected, theirs, twice)
        got = gradients(gn, found, mine, twice)
        self.compare_gradients("gradients", got, wanted, shown)
        if twice and isinstance(wanted, list) and isinstance(got, list):
            wanted = gradients(torch, wanted, theirs, False)
            got = gradients(gn, got, mine, False)
            self.compare_gradients("second gradients", got, wanted, shown)

    def compare_gradients(self, kind: str, got: Any, wanted: Any, shown: str) -> None:
        if isinstance(got, Exception) or isinstance(wanted, Exception):
            same = isinstance(got, Exception) and isinstance(wanted, Exception)
            self.note(kind, shown, "" if same else f"{short(got)}, not {short(wanted)}")
            return
        count = max(len(got or []), len(wanted or []), 1)
        for place, (mine, theirs) in enumerate(
            zip(got or [None] * count, wanted or [None] * count, strict=True)
        ):
            if mine is None or theirs is None:
                # PyTorch has zeros in place of some undefined gradients, and the reverse
                some = theirs if mine is None else mine
                is_zero = some is None or bool((dense(some).abs() <= EXACT_ENOUGH).all())
                self.note(kind, shown, "" if is_zero else f"{place}: {short(mine)}, not {short(theirs)}")
                continue
            text = distance(mine, theirs)
            self.note(kind, shown, f"{place} {text}" if text else "")

    def variants(
        self, own: Any, options: Any, given: Any, sample: Any, expected: list[Any], shown: str
    ) -> None:
        """The method, the in-place variant, and all aliases with theirs."""
        import torch

        import gnomon as gn

        entry = self.entry
        if not isinstance(given[0], torch.Tensor):
            return
        with gn.no_grad(), torch.no_grad():
            plain = [each.detach() if isinstance(each, gn.Tensor) else each for each in own]
            theirs = [each.detach() if isinstance(each, torch.Tensor) else each for each in given]
            name = getattr(entry.method_variant, "__name__", "")
            if name and not name.startswith("<"):
                self.call(
                    "methods",
                    lambda: getattr(plain[0], name)(*plain[1:], **options),
                    lambda: getattr(theirs[0], name)(*theirs[1:], **sample.kwargs),
                    expected,
                    shown,
                )
            in_place = getattr(entry.inplace_variant, "__name__", "")
            if in_place and not in_place.startswith("<"):
                self.in_place(in_place, plain, options, given, sample, shown)
            for alias in entry.aliases:
                path = alias.name.removeprefix("torch.")
                if alias.op is not None:
                    self.call(
                        "aliases",
                        lambda path=path: attribute(gn, path)(*plain, **options),
                        lambda alias=alias: alias.op(*theirs, **sample.kwargs),
                        expected,
                        f"{alias.name}: {shown}",
                    )
                if alias.method_variant is not None:
                    self.call(
                        "aliases",
                        lambda alias=alias: getattr(plain[0], alias.method_variant.__name__)(
                            *plain[1:], **options
                        ),
                        lambda alias=alias: alias.method_variant(*theirs, **sample.kwargs),
                        expected,
                        f"method {alias.name}: {shown}",
                    )

    def call(
        self,
        kind: str,
        function: Callable[..., Any],
        of_torch: Callable[..., Any],
        expected: list[Any],
        shown: str,
    ) -> None:
        """A call that gives the results of the operator, or is refused by PyTorch, too."""
        found = attempt(function)
        if isinstance(found, Exception):
            self.note(kind, shown, "" if isinstance(attempt(of_torch), Exception) else short(found))
            return
        texts = [text for _, text in differs(flat(found), expected, False) if text]
        self.note(kind, shown, "; ".join(texts))

    def in_place(
        self, name: str, plain: list[Any], options: Any, given: Any, sample: Any, shown: str
    ) -> None:
        target, theirs = plain[0].clone(), given[0].detach().clone()
        rest = [each.detach() if hasattr(each, "detach") else each for each in given[1:]]
        expected = attempt(lambda: getattr(theirs, name)(*rest, **sample.kwargs))
        found = attempt(lambda: getattr(target, name)(*plain[1:], **options))
        if isinstance(expected, Exception) or isinstance(found, Exception):
            same = isinstance(expected, Exception) and isinstance(found, Exception)
            self.note("in place", shown, "" if same else f"{short(found)}, not {short(expected)}")
            return
        texts = [text for _, text in differs([target], [theirs], False) if text]
        if (found is target) != (expected is theirs):
            texts.append("does not return self")
        self.note("in place", shown, "; ".join(texts))

    def out(
        self,
        function: Any,
        own: Any,
        options: Any,
        found: list[Any],
        given: Any,
        sample: Any,
        expected: list[Any],
        shown: str,
    ) -> None:
        """Outputs of the right sizes but other strides keep them; empty ones are resized."""
        import torch

        import gnomon as gn

        if not all(isinstance(each, gn.Tensor) and layout(each) == "strided" for each in found):
            return
        with gn.no_grad(), torch.no_grad():
            plain = [each.detach() if isinstance(each, gn.Tensor) else each for each in own]
            for resized in (False, True):
                outputs = [
                    gn.empty(0, dtype=each.dtype)
                    if resized
                    else gn.empty_strided(tuple(each.shape), transposed_strides(each), dtype=each.dtype)
                    for each in found
                ]
                strides = [each.stride() for each in outputs]
                out = outputs[0] if len(outputs) == 1 else tuple(outputs)
                done = attempt(lambda out=out: function(*plain, **options, out=out))
                if isinstance(done, Exception) and len(outputs) == 1:
                    done = attempt(lambda out=outputs: function(*plain, **options, out=out))
                if isinstance(done, Exception):
                    theirs = [torch.empty_like(each) for each in expected]
                    tried = [theirs[0], theirs] if len(theirs) == 1 else [tuple(theirs)]
                    refused = all(
                        isinstance(
                            attempt(lambda out=out: self.entry.op(*given, **sample.kwargs, out=out)),
                            Exception,
                        )
                        for out in tried
                    )
                    self.note("out=", shown, "" if refused else short(done))
                    continue
                texts = [
                    f"output {place}: {text}"
                    for place, (output, value) in enumerate(zip(outputs, found))
                    for text in [distance(output, to_torch(value))]
                    if text
                ]
                if not resized and strides != [each.stride() for each in outputs]:
                    texts.append("changed the strides of an output")
                self.note("out=", shown, "; ".join(texts))

    def errors(self, function: Callable[..., Any]) -> None:
        for number, each in enumerate(self.entry.error_inputs("cpu")):
            sample = each.sample_input
            converted = attempt(
                lambda sample=sample: Arguments().convert(((sample.input, *sample.args), sample.kwargs))
            )
            if isinstance(converted, Exception):
                continue  # of a device or dtype that gnomon does not have
            own, options = converted
            found = attempt(lambda own=own, options=options: function(*own, **options))
            where = f"error {number} {describe((sample.input, *sample.args), sample.kwargs)}"
            if not isinstance(found, Exception):
                self.note("errors", where, f"no error, not {each.error_type.__name__}: {each.error_regex}")
            elif not isinstance(found, each.error_type):
                self.note("errors", where, f"{short(found)}, not {each.error_type.__name__}")
            else:
                self.note("errors", where, "")


def sparse_samples(entry: Any, name: str, dtype: Any) -> list[Any]:
    """The entry's samples with tensors of a sparse layout; none if it has no operator for that."""
    import torch

    if not getattr(entry, "supports_sparse" if name == "sparse_coo" else f"supports_{name}"):
        return []
    for seed in (random.seed, numpy.random.seed, torch.manual_seed):
        seed(0)
    return list(entry.sample_inputs_sparse(getattr(torch, name), "cpu", dtype))


def transposed_strides(tensor: Any) -> tuple[int, ...]:
    """Strides of a tensor of these sizes in column-major order."""
    strides, step = [], 1
    for size in tensor.shape:
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides)


def short(value: Any) -> str:
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {str(value).splitlines()[0][:150] if str(value) else ''}"
    return type(value).__name__


def describe(args: Any, options: Any) -> str:
    """The call in short."""

    def one(value: Any) -> str:
        if hasattr(value, "stride"):
            return f"{str(value.dtype).rpartition('.')[2]}{list(value.shape)}"
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(map(one, value)) + "]"
        return repr(value)[:60]

    words = [one(each) for each in args] + [f"{key}={one(each)}" for key, each in options.items()]
    return "(" + ", ".join(words) + ")"


def compare(name: str, dtype: str, most: int, is_sparse: bool = False) -> list[Result]:
    """All entries of this name for one dtype; ``is_sparse``: only their samples with sparse tensors."""
    import torch

    import gnomon as gn

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    gn.set_fallback_policy("allow")
    results = []
    for entry in database()[name]:
        if not entry.supports_dtype(getattr(torch, dtype), "cpu"):
            continue
        comparison = Comparison(entry, dtype, most, is_sparse)

        def stop(*_: Any) -> None:
            raise TimeoutError(f"more than {SECONDS} s")

        signal.signal(signal.SIGALRM, stop)
        signal.alarm(SECONDS)
        try:
            comparison.run()
        except AttributeError as error:
            comparison.note("values", "missing", str(error))
        except Exception:
            comparison.note("values", "fault", traceback.format_exc(limit=-2).replace("\n", " "))
        finally:
            signal.alarm(0)
        results.append(comparison.result)
    return results
