"""Containers and lazy modules: what they hold, and how they refuse misuse."""

import copy
from collections import OrderedDict

import pytest

import gnomon as gn
from nn_programs import Programs

PROGRAMS = Programs()


def kinds(modules):
    return [type(each).__name__ for each in modules]


@PROGRAMS.add(
    [
        "3 ['ReLU', 'Tanh', 'Sigmoid'] Sigmoid ['ReLU', 'Tanh'] Sequential",
        "['ELU', 'Sigmoid'] ['0', '1']",
        (
            "['ELU', 'Sigmoid', 'ReLU'] ['ELU', 'Sigmoid', 'ELU', 'Sigmoid'] ['ELU', 'Sigmoid', 'ELU', "
            "'Sigmoid']"
        ),
        "['ELU', 'Sigmoid', 'GELU', 'ELU', 'Sigmoid', 'GELU'] ['0', '1', '2', '3', '4', '5']",
        "Sigmoid ['ELU', 'GELU', 'ELU', 'Sigmoid', 'GELU'] ['ELU', 'GELU'] ['0', '1', '2']",
        (
            "['CELU', 'ELU', 'Sigmoid', 'GELU', 'Mish', 'SiLU'] ['CELU', 'ELU', 'Sigmoid', 'GELU', "
            "'Mish', 'GLU', 'SiLU']"
        ),
        "['first', 'second'] True ['second']",
        "['0']",
        "IndexError: index 9 is out of range",
        ("ValueError: add operator supports only objects of Sequential class, but <class 'list'> is given."),
        (
            "ValueError: Non-positive multiplication factor 0 for <class "
            "'gnomon.nn.modules.container.Sequential'>"
        ),
        (
            "TypeError: unsupported operand type(s) for *: <class "
            "'gnomon.nn.modules.container.Sequential'> and <class 'str'>"
        ),
        (
            "ValueError: Non-positive multiplication factor -1 for <class "
            "'gnomon.nn.modules.container.Sequential'>"
        ),
        ("ValueError: add operator supports only objects of Sequential class, but <class 'list'> is given."),
        "AssertionError: module should be of type: <class 'gnomon.nn.modules.module.Module'>",
        "IndexError: Index out of range: 99",
        "TypeError: int is not a Module subclass",
        "TypeError: 'str' object cannot be interpreted as an integer",
    ]
)
def sequentials(lib, nn, note, attempt):
    net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    note(len(net), kinds(net), type(net[-1]).__name__, kinds(net[:2]), type(net[1:]).__name__)
    net[0] = nn.ELU()
    del net[1]
    note(kinds(net), list(net._modules))
    note(kinds(net + nn.Sequential(nn.ReLU())), kinds(net * 2), kinds(2 * net))
    net += nn.Sequential(nn.GELU())
    net *= 2
    note(kinds(net), list(net._modules))
    note(type(net.pop(1)).__name__, kinds(net), kinds(net.pop(slice(0, 2))), list(net._modules))
    net.insert(0, nn.CELU()).append(nn.Mish()).extend([nn.SiLU()])
    note(kinds(net), kinds(net.insert(-1, nn.GLU())))
    named = nn.Sequential(OrderedDict(first=nn.ReLU(), second=nn.Tanh()))
    note(list(named._modules), named.first is named[0], list(named[1:]._modules))
    del named[0]
    note(list(named._modules))
    for action in (
        lambda: net[9],
        lambda: net + [1],
        lambda: net * 0,
        lambda: net * "a",
        lambda: net.__imul__(-1),
        lambda: net.__iadd__([]),
        lambda: net.insert(0, 3),
        lambda: net.insert(99, nn.ReLU()),
        lambda: nn.Sequential(3),
        lambda: net["a"],
    ):
        attempt(action)


@PROGRAMS.add(
    [
        (
            "['ReLU', 'GELU', 'Tanh', 'ELU', 'Mish'] ['0', '1', '2', '3', '4'] ['ReLU', 'GELU', "
            "'Tanh', 'ELU', 'Mish', 'ReLU'] ['GELU', 'Tanh']"
        ),
        "['GELU', 'SiLU'] ['0', '1'] GELU 1",
        'NotImplementedError: Module [ModuleList] is missing the required "forward" function',
        "TypeError: ModuleList.extend should be called with an iterable, but got int",
        "IndexError: index 5 is out of range",
        "TypeError: int is not a Module subclass",
        "False",
    ]
)
def module_lists(lib, nn, note, attempt):
    layers = nn.ModuleList([nn.ReLU()])
    layers.append(nn.Tanh()).extend([nn.ELU()])
    layers.insert(1, nn.GELU())
    layers += [nn.Mish()]
    note(kinds(layers), list(layers._modules), kinds(layers + [nn.ReLU()]), kinds(layers[1:3]))
    layers[-1] = nn.SiLU()
    del layers[0], layers[1:3]
    note(kinds(layers), list(layers._modules), type(layers.pop(0)).__name__, len(layers))
    attempt(lambda: layers(1))
    attempt(lambda: layers.extend(3))
    attempt(lambda: layers[5])
    attempt(lambda: nn.ModuleList([1]))
    note("0" in dir(layers))


@PROGRAMS.add(
    [
        ("['b', 'a', 'c', 'd'] ['ReLU', 'GELU', 'ELU', 'Mish'] ['b', 'a', 'c', 'd'] ['b', 'a', 'c', 'd']"),
        "True 4 GELU ['b', 'c', 'd']",
        "KeyError: 'b'",
        ("TypeError: ModuleDict.update should be called with an iterable of key/value pairs, but got int"),
        "TypeError: ModuleDict update sequence element #0 should be Iterable; isint",
        "ValueError: ModuleDict update sequence element #0 has length 1; 2 is required",
        "TypeError: int is not a Module subclass",
        "KeyError: \"attribute 'keys' already exists\"",
        "0",
    ]
)
def module_dicts(lib, nn, note, attempt):
    layers = nn.ModuleDict({"b": nn.ReLU(), "a": nn.Tanh()})
    layers.update([("c", nn.ELU())])
    layers.update(nn.ModuleDict([["d", nn.Mish()]]))
    layers["a"] = nn.GELU()
    note(list(layers), kinds(layers.values()), [key for key, _ in layers.items()], list(layers.keys()))
    note("a" in layers, len(layers), type(layers.pop("a")).__name__, list(layers))
    del layers["b"]
    attempt(lambda: layers["b"])
    attempt(lambda: layers.update(3))
    attempt(lambda: layers.update([3]))
    attempt(lambda: layers.update([("a",)]))
    attempt(lambda: layers.update({"a": 3}))
    attempt(lambda: layers.update({"keys": nn.ReLU()}))
    layers.clear()
    note(len(layers))


@PROGRAMS.add(
    [
        "3 ['Parameter', 'Parameter', 'str'] ['0', '1']",
        "['0', '1', '3', '5', '2'] [1.0] [5.0] 3",
        "IndexError: index 9 is out of range",
        "RuntimeError: ParameterList should not be called.",
        "TypeError: ParameterList.extend should be called with an iterable, but got Tensor",
        "TypeError: ParameterList.extend should be called with an iterable, but got int",
        "6 [1.0]",
    ]
)
def parameter_lists(lib, nn, note, attempt):
    values = nn.ParameterList([lib.ones(1), nn.Parameter(lib.zeros(2)), "text"])
    note(len(values), [type(each).__name__ for each in values], list(values.state_dict()))
    values.append(lib.full((1,), 2.0)).extend([3])
    values += [lib.ones(1)]
    values[2] = lib.full((1,), 5.0)
    note([name for name, _ in values.named_parameters()], values[-1], values[1:3][1], len(values[::2]))
    for action in (lambda: values[9], lambda: values(), lambda: values.extend(lib.ones(1))):
        attempt(action)
    attempt(lambda: values.extend(3))
    note(len(nn.ParameterList(values)), copy.deepcopy(values)[0])


@PROGRAMS.add(
    [
        "['a', 'b', 'd', 'c'] ['a', 'b', 'd'] 3 7 4",
        "['e', 'c', 'd', 'b', 'a'] 5 True ['e', 4] 3",
        "['a', 'b', 'd', 'z'] ['z', 'a', 'b', 'd']",
        "['a', 'b', 'd', 'y'] ['a', 'b', 'd', 'y'] [['p', 1], ['q', 1]]",
        "['a', 'b', 'd', 'y'] 4 ['a', 'b', 'd', 'y']",
        (
            "TypeError: Index given to ParameterDict cannot be used as a key as it is not a string "
            "(type is 'int'). Open an issue on github if you need non-string keys."
        ),
        "AttributeError: 'ParameterDict' object has no attribute 'nothing'",
        "RuntimeError: ParameterDict should not be called.",
        (
            "TypeError: ParametersDict.update should be called with an iterable of key/value pairs, "
            "but got int"
        ),
        "TypeError: ParameterDict update sequence element #0 should be Iterable; isint",
        "ValueError: ParameterDict update sequence element #0 has length 1; 2 is required",
        "0 []",
    ]
)
def parameter_dicts(lib, nn, note, attempt):
    values = nn.ParameterDict({"b": lib.ones(1), "a": lib.zeros(1)})
    values.update([("d", lib.ones(2)), ("c", 3)])
    note(list(values), list(values.state_dict()), values["c"], values.get("x", 7), values.setdefault("e", 4))
    note(list(reversed(values)), len(values), "a" in values, values.popitem(), values.pop("c"))
    note(list(values | nn.ParameterDict({"z": 1})), list(nn.ParameterDict({"z": 1}) | values))
    values |= nn.ParameterDict({"y": lib.ones(1)})
    note(list(values), list(values.copy()), list(values.fromkeys(["p", "q"], 1).items()))
    note([key for key, _ in values.items()], len(list(values.values())), list(values.keys()))
    for action in (
        lambda: values[3],
        lambda: values["nothing"],
        lambda: values(1),
        lambda: values.update(3),
        lambda: values.update([3]),
        lambda: values.update([("a",)]),
    ):
        attempt(action)
    del values["a"]
    values.clear()
    note(len(values), list(values.state_dict()))


@PROGRAMS.add(
    [
        (
            "LazyLinear(in_features=0, out_features=3, bias=True) LazyLinear <UninitializedParameter> "
            "True ['weight', 'bias']"
        ),
        (
            "RuntimeError: Can't access the shape of an uninitialized parameter or buffer. This error "
            "usually happens in `load_state_dict` when trying to load an uninitialized parameter into "
            "an initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        ),
        (
            "RuntimeError: Can't access the shape of an uninitialized parameter or buffer. This error "
            "usually happens in `load_state_dict` when trying to load an uninitialized parameter into "
            "an initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        ),
        "gnomon.float64 UninitializedParameter <UninitializedParameter>",
        "[2, 3] Linear(in_features=5, out_features=3, bias=True) Linear [3, 5]",
        "Parameter True 0",
        "[2, 4] LazyLinear",
        (
            "AssertionError: The in_features inferred from input: 3 is not equal to in_features from "
            "self.weight: 4"
        ),
        "Linear(in_features=4, out_features=2, bias=True)",
        (
            "<UninitializedBuffer> 1 [2, 3] BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, "
            "bias=True, track_running_stats=True) ['weight', 'bias', 'running_mean', 'running_var', "
            "'num_batches_tracked']"
        ),
        (
            "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to LazyConv2d, but got input "
            "of size: gnomon.Size([2])"
        ),
        "ValueError: in_channels must be divisible by groups",
        "[2, 5] [1, 2, 3]",
        "NotImplementedError: initialize_parameters is not implemented for Lazy",
        "RuntimeError: module Lazy has not been fully initialized",
    ]
)
def lazy_modules(lib, nn, note, attempt):
    layer = nn.LazyLinear(3)
    note(
        layer,
        type(layer).__name__,
        repr(layer.weight),
        layer.has_uninitialized_params(),
        list(layer.state_dict()),
    )
    attempt(lambda: layer.weight.shape)
    attempt(lambda: nn.Linear(1, 1).load_state_dict(layer.state_dict()))
    layer.double()
    note(layer.weight.dtype, type(layer.weight).__name__, repr(copy.deepcopy(layer).weight))
    note(layer(lib.ones(2, 5, dtype=lib.float64)).shape, layer, type(layer).__name__, layer.weight.shape)
    note(type(layer.weight).__name__, layer.weight.requires_grad, len(layer._forward_pre_hooks))
    loaded = nn.LazyLinear(2)
    loaded.load_state_dict(nn.Linear(4, 2).state_dict())
    note(loaded.weight.shape, type(loaded).__name__)
    attempt(lambda: loaded(lib.ones(1, 3)))
    loaded(lib.ones(1, 4))
    note(loaded)
    norm = nn.LazyBatchNorm1d()
    note(
        repr(norm.running_mean),
        norm.num_batches_tracked,
        norm(lib.ones(2, 3)).shape,
        norm,
        list(norm.state_dict()),
    )
    attempt(lambda: nn.LazyConv2d(1, 1)(lib.ones(2)))
    attempt(lambda: nn.LazyConv2d(2, 1, groups=2)(lib.ones(3, 1, 1)))
    note(nn.LazyConvTranspose1d(2, 1)(lib.ones(4, 5)).shape, nn.LazyInstanceNorm1d()(lib.ones(1, 2, 3)).shape)

    class Lazy(nn.modules.lazy.LazyModuleMixin, nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.UninitializedParameter()

    attempt(lambda: Lazy()(1))
    Lazy.initialize_parameters = lambda self, *args: None
    attempt(lambda: Lazy()(1))


def test_operators_on_an_uninitialized_parameter_are_refused():
    layer = gn.nn.LazyLinear(3)
    for action in (lambda: layer.weight + 1, layer.weight.sum, layer.weight.numel, layer.weight.tolist):
        with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
            action()


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_happens(name):
    assert PROGRAMS.recorded(name, gn) == PROGRAMS.expected(name)


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_happens_in_pytorch(name):
    torch = pytest.importorskip("torch")
    assert PROGRAMS.recorded(name, torch) == PROGRAMS.expected(name)
