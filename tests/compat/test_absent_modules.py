"""Modules of PyTorch that gnomon does not have: they can be imported, answer, and say what is missing."""

from __future__ import annotations

import importlib
import importlib.util
import operator
import typing
import warnings

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.values import errors


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("distributed", "gnomon.distributed has no such name"),
        ("jit", "gnomon has no TorchScript"),
        ("onnx", "gnomon does not export to ONNX"),
        ("mps", "there is no backend for Apple's GPUs"),
        ("mtia", "there is no backend for Meta's accelerators"),
        ("xpu", "there is no backend for Intel's GPUs"),
        ("compiler", "gnomon has no compiler"),
        ("overrides", "gnomon has no __torch_function__"),
    ],
)
def test_what_is_missing_says_why(module, text) -> None:
    found = getattr(gn, module)
    with pytest.raises(
        AttributeError, match=f"^module 'gnomon.{module}' has no attribute 'saved_program': {text}"
    ):
        found.saved_program  # noqa: B018
    assert not hasattr(found, "saved_program") and not hasattr(found, "__wrapped__")


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("_C", "gnomon has nothing of PyTorch's compiled part"),
        ("utils._python_dispatch", "gnomon.DispatchMode is TorchDispatchMode here"),
        ("utils._pytree", "gnomon's pytrees are tuples, lists and dictionaries alone"),
        ("export", "gnomon does not trace programs to graphs"),
        ("fx", "gnomon does not trace functions to graphs"),
        ("monitor", "gnomon counts no events"),
        ("package", "gnomon has no packages of models"),
        ("quantization", "gnomon has observers, fake quantization and stubs, and no passes over graphs"),
    ],
)
def test_pytorch_s_other_modules_are_there_for_its_programs_alone(module, text) -> None:
    found = importlib.import_module(f"gnomon.compat.torch.{module}")
    torch = importlib.import_module("gnomon.compat.torch")
    assert operator.attrgetter(module)(torch) is found
    assert not hasattr(gn, module) and not hasattr(found, "save")
    with pytest.raises(AttributeError, match=f"^module 'torch.{module}' has no attribute 'save': {text}"):
        found.save  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=f"^torch.{module}.parts is not there: {text}"):
        importlib.import_module(f"gnomon.compat.torch.{module}.parts")


def test_questions_are_answered_truthfully() -> None:
    has_mpi = importlib.util.find_spec("mpi4py") is not None
    assert gn.distributed.is_available() == gn.distributed.is_mpi_available() == has_mpi
    assert not gn.distributed.is_initialized() and not gn.distributed.is_gloo_available()
    for name in ("get_rank", "get_world_size", "get_backend", "barrier"):
        ask = getattr(gn.distributed, name)
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            ask()
    with pytest.raises(AssertionError, match=r"^Process group cannot be None$"):
        gn.distributed.destroy_process_group()
    with pytest.raises(ValueError, match="Invalid backend: 'pigeons'"):
        gn.distributed.init_process_group("pigeons")
    for module in (gn.mps, gn.mtia, gn.xpu):
        assert not module.is_available() and module.device_count() == 0 and module.memory_allocated() == 0
        module.manual_seed(3)
        module.empty_cache()
        with pytest.raises(RuntimeError, match="there is no backend for"):
            module.synchronize()
    assert not gn.onnx.is_in_onnx_export() and not gn.jit.is_scripting() and not gn.jit.is_tracing()
    assert not gn.compiler.is_compiling()
    x = gn.ones(1)
    assert not gn.overrides.has_torch_function((x,)) and not gn.overrides.has_torch_function_unary(x)
    assert not gn.overrides.has_torch_function_variadic(x, x)
    assert gn.overrides.is_tensor_like(x) and not gn.overrides.is_tensor_like([1])


def said(call):
    """The warnings of ``call``, made twice."""
    errors._said.clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
        call()
    return [str(each.message) for each in seen]


def test_torchscript_runs_as_python() -> None:
    def double(x):
        return x * 2

    assert said(lambda: gn.jit.script(double)) == [
        "gnomon.jit: there is no TorchScript; functions and modules run as Python"
    ]
    assert gn.jit.script(double) is double and gn.jit.trace(double, gn.ones(1)) is double
    assert gn.jit.ignore(double) is double and gn.jit.ignore(drop=True)(double) is double
    assert gn.jit.unused(double) is double and gn.jit.export(double) is double
    assert issubclass(gn.jit.ScriptModule, nn.Module)
    assert not isinstance(nn.Linear(1, 1), gn.jit.ScriptModule)  # programs ask so whether it is compiled
    assert not isinstance(gn.jit.script(double), gn.jit.ScriptFunction)


def test_torchscript_runs_as_python_and_has_no_files() -> None:
    module = nn.Linear(2, 2)
    with pytest.raises(RuntimeError, match="Freezing is currently only implemented for modules in eval mode"):
        gn.jit.freeze(module)
    module.eval()
    assert gn.jit.freeze(module) is gn.jit.optimize_for_inference(module) is module
    assert gn.jit.trace_module(module, {"forward": gn.ones(2)}) is module
    for call in (lambda: gn.jit.save(module, "file"), lambda: gn.jit.load("file")):
        with pytest.raises(NotImplementedError, match="gnomon has no TorchScript; functions and modules run"):
            call()
    assert gn.jit.annotate(list[int], []) == [] and gn.jit.Attribute(3, int) == 3
    future = gn.jit.fork(lambda x, y: x - y, 3, y=1)
    assert gn.jit.wait(future) == future.value() == 2 and future.done()
    with gn.jit.fuser("fuser2"), gn.jit.strict_fusion(), gn.jit.optimized_execution(False):
        assert not gn.jit.onednn_fusion_enabled()
    with pytest.raises(RuntimeError, match="must be a bool or a function but got 1"):
        gn.jit.ignore(1)


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        ([1, 2], typing.List[int], True),  # noqa: UP006
        ([1, "a"], list[int], False),
        ([], list[int], True),
        ({"a": [1.0]}, dict[str, list[float]], True),
        ({"a": [1]}, dict[str, list[float]], False),
        ((1, "a"), tuple[int, str], True),
        ((1, "a"), tuple[int, int], False),
        ((1, 2, 3), tuple[int, ...], True),
        (None, typing.Optional[int], True),  # noqa: UP045
        (1.0, int | None, False),
        (1.0, (int, float), True),
        (gn.ones(1), gn.Tensor, True),
        ([None], list[typing.Any], True),
    ],
)
def test_types_of_elements_count_for_torchscript(value, kind, found) -> None:
    assert gn.jit.isinstance(value, kind) is found


def test_functions_are_not_overridden() -> None:
    @gn.overrides.wrap_torch_function(lambda a: (a,))
    def double(a):
        return a + a

    assert double(2) == 4 and double.__name__ == "double"
    with pytest.raises(TypeError, match=r"no implementation found for '.*double' on types"):
        gn.overrides.handle_torch_function(double, (1,), 1)
    assert gn.overrides.is_tensor_method_or_property(gn.Tensor.add)
    assert not gn.overrides.is_tensor_method_or_property(double)


def test_data_parallel_runs_the_module() -> None:
    model = nn.DataParallel(nn.Linear(2, 1))
    assert list(model.state_dict()) == ["module.weight", "module.bias"] and model.device_ids == []
    x = gn.ones(3, 2)
    assert model(x).tolist() == model.module(x).tolist() and nn.parallel.DataParallel is nn.DataParallel
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        nn.parallel.DistributedDataParallel(nn.Linear(2, 1))


def test_a_variable_is_a_tensor() -> None:
    Variable = gn.autograd.Variable
    x = gn.ones(2, requires_grad=True)
    made = Variable(x * 2)
    assert type(made) is gn.Tensor and made.grad_fn is None and not made.requires_grad
    assert Variable(x, requires_grad=True).requires_grad and Variable(x).data_ptr() == x.data_ptr()
    assert isinstance(x, Variable) and not isinstance(3, Variable) and Variable().shape == (0,)
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got list"):
        Variable([1])
    with pytest.raises(ValueError, match="volatile"):
        Variable(x, requires_grad=True, volatile=True)
