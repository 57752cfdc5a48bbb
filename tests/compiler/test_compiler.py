"""gn.compile and gn.compiler: nothing is compiled, but names are checked."""

from __future__ import annotations

import copy
import pickle
import warnings

import pytest

import gnomon as gn
from gnomon import compiler, nn
from gnomon.compiler.optimized_module import OptimizedModule
from gnomon.values import errors

TEXT = "gnomon.compile: there is no compiler; the function runs as it is"


def double(x):
    return x * 2


class Doubled(nn.Module):
    def forward(self, x):
        return x * 2

    def other(self):
        return 7


def said(call):
    """The warnings of ``call``, made twice."""
    errors._said.clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
        call()
    return [str(each.message) for each in seen]


@pytest.fixture(autouse=True)
def already_said():
    """``compile`` has said that there is no compiler, so that other tests do not warn."""
    errors._said.add(TEXT)


def test_a_function_is_returned_and_it_is_said_once() -> None:
    assert said(lambda: gn.compile(double)) == [TEXT]
    assert said(lambda: gn.compile(nn.Linear(1, 1))) == [TEXT]
    assert said(lambda: gn.compile(double, disable=True)) == []
    errors._said.add(TEXT)
    assert gn.compile(double) is double and gn.compile(Doubled) is Doubled
    assert gn.compile()(double) is double and gn.compile(mode="max-autotune")(double) is double
    assert gn.compile(double, name="f", recompile_limit=3, isolate_recompiles=True) is double
    model = Doubled()
    assert gn.compile(model, disable=True) is model


def test_names_of_backends_and_modes_are_checked() -> None:
    for backend in (None, "inductor", "eager", "aot_eager", "cudagraphs", lambda graph, inputs: graph):
        assert gn.compile(double, backend=backend) is double
    assert gn.compile(double, backend="eager", mode="foo") is double
    assert gn.compile(double, options={"max_autotune": True}, dynamic=True, fullgraph=True) is double
    text = "^Invalid backend: 'nope', see `gnomon.compiler.list_backends\\(\\)` for available backends.$"
    for arguments in ({}, {"mode": "foo"}, {"disable": True}):
        with pytest.raises(compiler.InvalidBackend, match=text):
            gn.compile(double, backend="nope", **arguments)
    assert issubclass(compiler.InvalidBackend, RuntimeError)
    for model, arguments, error, message in (
        (double, {"mode": "foo"}, RuntimeError, "Unrecognized mode=foo, should be one of: default, lite, "),
        (double, {"mode": "default", "options": {}}, RuntimeError, "Either mode or options can be specified"),
        (double, {"options": 3}, TypeError, "compile: options must be a dictionary, got int"),
        (double, {"dynamic": "x"}, AssertionError, "Expected enable to be a bool, got <class 'str'>"),
        (3, {}, AssertionError, "A callable function is expected, but <class 'int'> is provided"),
    ):
        with pytest.raises(error, match=f"^{message}"):
            gn.compile(model, **arguments)
    decorate = gn.compile(mode="foo")  # as in PyTorch, refused where it is applied
    with pytest.raises(RuntimeError, match="Unrecognized mode=foo"):
        decorate(double)


def test_a_module_is_wrapped() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    made = gn.compile(model)
    assert type(made) is OptimizedModule and made._orig_mod is model and not isinstance(made, nn.Sequential)
    assert list(made.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert [name for name, _ in made.named_modules()] == ["", "_orig_mod", "_orig_mod.0"]
    assert repr(made) == (
        "OptimizedModule(\n  (_orig_mod): Sequential(\n"
        "    (0): Linear(in_features=2, out_features=2, bias=True)\n  )\n)"
    )
    x = gn.ones(3, 2)
    assert made(x).tolist() == model(x).tolist()
    made(x).sum().backward()
    assert model[0].weight.grad.tolist() == [[3.0, 3.0]] * 2
    assert len(made) == 1
    with pytest.raises(TypeError, match=r"^Doubled does not support len\(\)$"):
        len(gn.compile(Doubled()))
    with pytest.raises(TypeError, match="'OptimizedModule' object is not subscriptable"):
        made[0]
    again = gn.compile(made)
    assert again._orig_mod is made and again(x).tolist() == model(x).tolist()


def test_attributes_are_those_of_the_module() -> None:
    model = Doubled()
    made = gn.compile(model)
    assert made.other() == 7
    made.foo = 3
    assert model.foo == made.foo == 3 and "foo" not in vars(made) and "foo" in dir(made)
    del made.foo
    assert not hasattr(model, "foo") and not hasattr(made, "foo")
    with pytest.raises(AttributeError, match=r"^'Doubled' object has no attribute 'zzz'$"):
        made.zzz  # noqa: B018
    assert made.eval() is made and not model.training and not made.training
    made.training = True
    assert model.training
    made.weight = nn.Parameter(gn.ones(1))
    assert list(made.state_dict()) == ["_orig_mod.weight"] and model.weight is made.weight
    made.register_buffer("own", gn.ones(1))
    assert list(made.state_dict()) == ["own", "_orig_mod.weight"] and not list(model.buffers())
    assert made.double() is made and model.weight.dtype is gn.float64


def test_hooks_of_both_are_called() -> None:
    called: list[str] = []
    model = Doubled()
    model.register_forward_hook(lambda *each: called.append("module"))
    made = gn.compile(model)
    made.register_forward_hook(lambda *each: called.append("wrapper"))
    assert made(gn.ones(1)).tolist() == [2.0] and called == ["module", "wrapper"]


def test_copies_are_wrapped_too() -> None:
    made = gn.compile(nn.Linear(2, 1))
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(other) is OptimizedModule and other._orig_mod is not made._orig_mod
        assert other.weight.tolist() == made.weight.tolist()
        assert list(other.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]


def test_a_lazy_module_is_initialized() -> None:
    model = nn.LazyLinear(3)
    assert gn.compile(model)(gn.ones(2, 4)).shape == (2, 3) and model.weight.shape == (3, 4)


def test_compile_of_a_module_is_in_place() -> None:
    model = nn.Linear(2, 1)
    x = gn.ones(1, 2)
    before = model(x).tolist()
    with pytest.raises(compiler.InvalidBackend):
        model.compile(backend="nope")
    assert model._compiled_call_impl is None
    assert model.compile(backend="eager") is None
    assert model._compiled_call_impl(x).tolist() == model(x).tolist() == before
    assert list(model.state_dict()) == ["weight", "bias"] and type(model) is nn.Linear
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other._compiled_call_impl is None and other(x).tolist() == before


def test_backends_have_names() -> None:
    assert compiler.list_backends() == ["cudagraphs", "inductor", "openxla", "tvm"]
    assert {"eager", "inductor"} < set(compiler.list_backends(exclude_tags=()))
    try:
        compiler.set_default_backend("eager")
        assert compiler.get_default_backend() == "eager" and gn.compile(double, mode="foo") is double
        with pytest.raises(TypeError, match="backend must be a string or callable, got <class 'int'>"):
            compiler.set_default_backend(3)
    finally:
        compiler.set_default_backend(None)
    assert compiler.get_default_backend() == "inductor"


def test_functions_are_returned_as_they_are() -> None:
    assert compiler.disable(double) is double and compiler.disable()(double) is double
    assert compiler.assume_constant_result(double) is double and compiler.allow_in_graph(double) is double
    assert compiler.allow_in_graph([double, len]) == [double, len]
    assert compiler.nested_compile_region(double) is double and compiler.nested_compile_region()(len) is len
    assert compiler.substitute_in_graph(len, skip_signature_check=True)(double) is double
    with pytest.raises(AssertionError, match=r"^fn must be callable$"):
        compiler.disable(3)
    with pytest.raises(AssertionError, match=r"^allow_in_graph expects a callable$"):
        compiler.allow_in_graph(3)
    with pytest.raises(TypeError, match=r"Signature mismatch between .* \(obj, /\) != \(x\)"):
        compiler.substitute_in_graph(len)(double)
    with pytest.raises(TypeError, match=r"^substitute_in_graph expects a function but got <class 'int'>"):
        compiler.substitute_in_graph(3)
    with pytest.raises(TypeError, match=r"^@substitute_in_graph\(...\) expects a function but got"):
        compiler.substitute_in_graph(double)(3)


def test_questions_and_stances() -> None:
    assert not (compiler.is_compiling() or compiler.is_dynamo_compiling() or compiler.is_exporting())
    assert compiler.cudagraph_mark_step_begin() is None and compiler.reset() is None
    with compiler.set_stance("force_eager") as entered:
        assert entered is None
    assert compiler.set_stance("force_eager")(double)(3) == 6
    with pytest.raises(RuntimeError, match=r"^non-default stance cannot have force_backend set$"):
        compiler.set_stance("force_eager", force_backend="eager")


def test_numpy_functions_take_tensors() -> None:
    numpy = pytest.importorskip("numpy")

    def sums(x, rest, scale):
        assert isinstance(x, numpy.ndarray) and isinstance(rest["y"], numpy.ndarray)
        return {"sum": x + rest["y"] * scale, "kept": [scale]}

    found = compiler.wrap_numpy(sums)(gn.ones(2), {"y": gn.ones(2)}, scale=3)
    assert found["sum"].tolist() == [4.0, 4.0] and isinstance(found["sum"], gn.Tensor)
    assert found["kept"] == [3] and compiler.wrap_numpy(sums).__name__ == "sums"


@pytest.mark.oracle
def test_pytorch_knows_the_same_backends() -> None:
    torch = pytest.importorskip("torch")
    assert compiler.list_backends() == torch.compiler.list_backends()
    theirs = {name for name in torch.compiler.list_backends(()) if "minifier" not in name}
    assert set(compiler.list_backends(())) == {name for name in theirs if "TESTING" not in name}
    absent = set(torch.compiler.__all__) - set(compiler.__all__)
    assert {name for name in absent if not name.endswith("_unsafe")} == {
        *("config", "load_cache_artifacts", "load_compiled_function", "save_cache_artifacts"),
        "set_enable_guard_collectives",
    }
