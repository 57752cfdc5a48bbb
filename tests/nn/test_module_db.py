"""All modules against PyTorch's, with the arguments and inputs of PyTorch's own tests (module_db)."""

import collections
import dataclasses
import functools
import inspect
import re
import sys
import types
import unittest
import warnings

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.dispatch.python_dispatch import DispatchMode

pytestmark = pytest.mark.oracle
torch = pytest.importorskip("torch")
# PyTorch's tests import expecttest, of which only the base class of their test cases is needed here.
expecttest = types.ModuleType("expecttest")
expecttest.TestCase = unittest.TestCase
sys.modules.setdefault("expecttest", expecttest)
from torch.testing._internal.common_modules import module_db  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

INFOS = {info.name: info for info in module_db}
# Modules with random numbers: in training their results are compared in shape and dtype only.
RANDOM = {"AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "RReLU"}
DTYPES = {"float32": torch.float32, "float64": torch.float64}
# Sums of up to some hundred terms, in another order.
TOLERANCES = {"float32": {"rtol": 2e-5, "atol": 2e-5}, "float64": {"rtol": 1e-9, "atol": 1e-10}}


def ours(value):
    """A value of PyTorch's in gnomon: tensors, dtypes, functions and modules, also inside of containers."""
    if isinstance(value, torch.Tensor):
        made = gn.tensor(value.tolist(), dtype=ours(value.dtype)).reshape(value.shape)
        return made.requires_grad_(value.requires_grad)
    if isinstance(value, torch.dtype):
        return getattr(gn, str(value).removeprefix("torch."))
    if isinstance(value, torch.nn.TransformerEncoderLayer):
        return nn.TransformerEncoderLayer(
            value.linear1.in_features,
            value.self_attn.num_heads,
            value.linear1.out_features,
            value.dropout.p,
            ours(value.activation),
            batch_first=value.self_attn.batch_first,
            norm_first=value.norm_first,
            bias=value.linear1.bias is not None,
            dtype=ours(value.linear1.weight.dtype),
        )
    if isinstance(value, torch.nn.LinearCrossEntropyOptions):
        return nn.LinearCrossEntropyOptions(**dataclasses.asdict(value))
    if isinstance(value, torch.nn.Module):
        return getattr(nn, type(value).__name__)()
    if callable(value):
        name = getattr(value, "__name__", "")
        if getattr(torch.nn.functional, name, None) is value:
            return getattr(nn.functional, name)
        if inspect.isfunction(value):  # a function of a test that calls PyTorch's
            return lambda *args: copied_function(value)(*args)
        return value
    if isinstance(value, dict):
        return type(value)((key, ours(each)) for key, each in value.items())
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        return nn.utils.rnn.PackedSequence(*map(ours, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(ours, value))
    return value


def copied_function(function):
    """The same function with gnomon's names instead of PyTorch's."""
    names = {**function.__globals__, "torch": gn, "nn": nn, "F": nn.functional}
    return types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )


def floating(value):
    """The tensors of a call that may require grad, in order."""
    if isinstance(value, (torch.Tensor, gn.Tensor)):
        return [value] if value.is_floating_point() else []
    if isinstance(value, dict):
        value = list(value.values())
    return [each for one in value for each in floating(one)] if isinstance(value, (list, tuple)) else []


def tolerance(name, dtype):
    # The losses of CTC are sums of products of some hundred probabilities.
    return {"rtol": 1e-4, "atol": 1e-4} if (name, dtype) == ("nn.CTCLoss", "float32") else TOLERANCES[dtype]


def assert_close(got, wanted, allowed, what):
    if isinstance(wanted, (list, tuple)):
        assert len(got) == len(wanted), what
        for number, (one, other) in enumerate(zip(got, wanted)):
            assert_close(one, other, allowed, f"{what}[{number}]")
        return
    if wanted is None:
        assert got is None, what
        return
    assert got is not None and got.dtype.name == str(wanted.dtype).removeprefix("torch."), what
    assert tuple(got.shape) == tuple(wanted.shape), what
    found = torch.tensor(got.tolist(), dtype=wanted.dtype).reshape(wanted.shape)
    torch.testing.assert_close(
        found, wanted.detach(), equal_nan=True, **allowed, msg=lambda text: f"{what}: {text}"
    )


def samples(name, dtype, training):
    info = INFOS[name]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = info.module_inputs_func(
            info, device="cpu", dtype=DTYPES[dtype], requires_grad=True, training=training
        )
        return list(found)


def maker(cls, sample, dtype, device):
    """A function that makes a module from the arguments of a sample, which may name device and dtype."""
    arguments, options = sample.constructor_input.args, dict(sample.constructor_input.kwargs)
    options.pop("device", None)
    parameters = inspect.signature(cls.__init__).parameters
    takes_any = issubclass(cls, (torch.nn.RNNBase, nn.RNNBase))  # their constructors name no arguments
    if takes_any or "dtype" in parameters:
        options["dtype"] = DTYPES[dtype]
    if cls.__module__.startswith("gnomon"):
        arguments, options = ours(arguments), ours(options)
        if takes_any or "device" in parameters:
            options["device"] = device
    return functools.partial(cls, *arguments, **options)


def text_of(module):
    """The text of a module, without addresses of functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(module)).replace("torch.", "gnomon.")


def check(name, sample, dtype, training):
    """Compares one module: its state, its text, its outputs and its gradients."""
    cls = INFOS[name].module_cls
    allowed = tolerance(name, dtype)
    theirs = maker(cls, sample, dtype, "cpu")().to(getattr(torch, dtype)).train(training)
    mine = maker(getattr(nn, cls.__name__), sample, dtype, None)().to(getattr(gn, dtype)).train(training)
    if INFOS[name].is_lazy:
        theirs(*mapped(sample.forward_input.args, as_leaf), **sample.forward_input.kwargs)
        mine(*ours(sample.forward_input.args), **ours(sample.forward_input.kwargs))
        assert type(mine).__name__ == type(theirs).__name__
    state = theirs.state_dict()
    assert list(mine.state_dict()) == list(state)
    converted = ours(collections.OrderedDict(state))
    converted._metadata = state._metadata
    assert mine.state_dict()._metadata == state._metadata
    assert repr(mine.load_state_dict(converted)) == "<All keys matched successfully>"
    assert text_of(mine) == text_of(theirs)
    assert [key for key, _ in mine.named_parameters()] == [key for key, _ in theirs.named_parameters()]
    assert [key for key, _ in mine.named_buffers()] == [key for key, _ in theirs.named_buffers()]
    assert [key for key, _ in mine.named_modules()] == [key for key, _ in theirs.named_modules()]

    arguments = mapped((sample.forward_input.args, sample.forward_input.kwargs), as_leaf)
    own_arguments = ours(arguments)
    for one, other in zip(floating(arguments), floating(own_arguments)):
        assert one.requires_grad == other.requires_grad
    # In-place modules write to their input, which must not be a leaf.
    if getattr(theirs, "inplace", False):
        passed = [mapped(each, lambda tensor: tensor.clone()) for each in (arguments, own_arguments)]
    else:
        passed = arguments, own_arguments
    wanted = theirs(*passed[0][0], **passed[0][1])
    got = mine(*passed[1][0], **passed[1][1])
    if training and cls.__name__ in RANDOM and not getattr(theirs, "p", 0.5) == 0:
        assert tuple(got.shape) == tuple(wanted.shape)
        assert got.dtype.name == str(wanted.dtype).removeprefix("torch.")
        return
    assert_close(got, wanted, allowed, "output")
    outputs, own_outputs = differentiable(wanted), differentiable(got)
    assert len(outputs) == len(own_outputs)
    if outputs:
        # A gradient that differs from element to element, so that misplaced elements show.
        weights = [torch.linspace(0.5, 1.5, max(each.numel(), 1), dtype=each.dtype) for each in outputs]
        weights = [each[: out.numel()].reshape(out.shape) for each, out in zip(weights, outputs)]
        torch.autograd.backward(outputs, weights)
        gn.autograd.backward(own_outputs, [ours(each) for each in weights])
    for number, (one, other) in enumerate(zip(floating(own_arguments), floating(arguments))):
        if other.requires_grad:
            assert_close(one.grad, other.grad, allowed, f"input {number}.grad")
    for (key, one), other in zip(mine.named_parameters(), theirs.parameters()):
        assert_close(one.grad, other.grad, allowed, f"{key}.grad")
    for (key, one), other in zip(mine.named_buffers(), theirs.buffers()):
        assert_close(one, other, allowed, key)


def mapped(value, function):
    """The same containers with ``function`` of each tensor."""
    if isinstance(value, (torch.Tensor, gn.Tensor)):
        return function(value)
    if isinstance(value, dict):
        return {key: mapped(each, function) for key, each in value.items()}
    if hasattr(value, "_fields"):  # a named tuple: a packed sequence
        return type(value)(*(mapped(each, function) for each in value))
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(each, function) for each in value)
    return value


def as_leaf(tensor):
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def differentiable(value):
    return [each for each in floating(value) if each.requires_grad]


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", INFOS)
def test_module_agrees_with_pytorch(name, dtype, training, record_property):
    given = samples(name, dtype, training)
    record_property("samples", len(given))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, sample in enumerate(given):
            try:
                check(name, sample, dtype, training)
            except Exception as error:
                arguments = (sample.constructor_input.args, sample.constructor_input.kwargs)
                raise AssertionError(f"sample {number} {arguments} {sample.desc}: {error}") from error


def test_all_modules_are_compared():
    count = sum(
        len(samples(name, dtype, training))
        for name in INFOS
        for dtype in DTYPES
        for training in (True, False)
    )
    print(f"{len(INFOS)} modules with {count} samples")
    assert len(INFOS) == 114 and count > 3800


RANDOM_OPERATORS = {"uniform_", "normal_"}


def described(name, tensor, *bounds):
    """A call of a random operator, with the defaults of the arguments that are left out."""
    return (name, tuple(tensor.shape), *bounds, *(0.0, 1.0)[len(bounds) :])


class Draws(DispatchMode):
    """Records the random operators, with their sizes and arguments."""

    def __init__(self):
        self.found = []

    def __gnomon_dispatch__(self, func, types, args=(), kwargs=None):
        if func.schema.name in RANDOM_OPERATORS:
            self.found.append(described(func.schema.name, *args))
        return func(*args, **(kwargs or {}))


class TheirDraws(TorchDispatchMode):
    """The same for PyTorch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func._schema.name.removeprefix("aten::")
        if name in RANDOM_OPERATORS:
            self.found.append(described(name, *args))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", INFOS)
def test_first_values_are_drawn_from_the_same_distributions_in_the_same_order(name):
    cls = INFOS[name].module_cls
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples(name, "float32", True):
            make_theirs = maker(cls, sample, "float32", "cpu")
            make_mine = maker(getattr(nn, cls.__name__), sample, "float32", None)
            theirs, mine = TheirDraws(), Draws()
            with theirs:
                make_theirs()
            with mine:
                make_mine()
            assert len(mine.found) == len(theirs.found), sample.constructor_input.kwargs
            for one, other in zip(mine.found, theirs.found):
                assert one[:2] == other[:2] and one[2:] == pytest.approx(other[2:]), (one, other)


# Those of their errors that an operator raises have other texts, which name the operator or the argument.
OTHER_TEXTS = {"nn.MaxPool2d", "nn.MultiMarginLoss", "nn.CrossEntropyLoss", "nn.Embedding"}


@pytest.mark.parametrize(
    "name", [name for name, info in INFOS.items() if info.module_error_inputs_func is not None]
)
def test_errors_are_of_pytorch_s_kind(name):
    info = INFOS[name]
    for given in info.module_error_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
    ):
        sample = given.module_error_input
        own = getattr(nn, info.module_cls.__name__)
        text = None if name in OTHER_TEXTS else given.error_regex
        with pytest.raises(given.error_type, match=given.error_regex):
            module = maker(info.module_cls, sample, "float32", "cpu")()
            module(*sample.forward_input.args, **sample.forward_input.kwargs)
        with pytest.raises(given.error_type, match=text):
            module = maker(own, sample, "float32", None)()
            module(*ours(sample.forward_input.args), **ours(sample.forward_input.kwargs))
