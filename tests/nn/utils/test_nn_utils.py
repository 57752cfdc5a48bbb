"""gnomon.nn.utils and gnomon.nn.init: what they compute, and how they refuse misuse."""

import copy
import importlib
import pickle

import pytest

import gnomon as gn
from nn_programs import Programs

PROGRAMS = Programs()


def linear(lib, nn, weight, bias=None):
    """A Linear with the given weight and bias."""
    layer = nn.Linear(len(weight[0]), len(weight), bias=bias is not None)
    state = {"weight": lib.tensor(weight)}
    if bias is not None:
        state["bias"] = lib.tensor(bias)
    layer.load_state_dict(state)
    return layer


def rounded(value):
    """The numbers of a tensor, rounded."""
    found = value.tolist()
    return (
        [[round(x, 4) + 0.0 for x in row] if isinstance(row, list) else round(row, 4) + 0.0 for row in found]
        if isinstance(found, list)
        else round(found, 4) + 0.0
    )


@PROGRAMS.add(
    [
        "13.0 [[1.5, 2.0], [6.0]]",
        "13.0 [[3.0, 4.0], [12.0]]",
        "19.0",
        "12.0",
        "12.2071",
        "[[3.0, 3.5], [-3.5]]",
        "[[1.5, 2.0], [6.0]] None",
        "0.0 0.0 0.0",
        (
            "RuntimeError: The total norm of order 2.0 for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the non-finite "
            "norm anyway, set `error_if_nonfinite=False`"
        ),
        "5.0",
        "UserWarning: `parameters` is an empty generator, no gradient clipping will occur.",
        (
            "FutureWarning: `gnomon.nn.utils.clip_grad_norm` is now deprecated in favor of "
            "`gnomon.nn.utils.clip_grad_norm_`."
        ),
    ]
)
def clipping(lib, nn, note, attempt):
    utils = nn.utils
    parameters = [nn.Parameter(lib.zeros(2)), nn.Parameter(lib.zeros(1)), nn.Parameter(lib.zeros(1))]

    def reset(last=12.0):
        parameters[0].grad = lib.tensor([3.0, 4.0])
        parameters[1].grad = lib.tensor([last])
        return parameters

    note(rounded(utils.clip_grad_norm_(reset(), 6.5)), [rounded(each.grad) for each in parameters[:2]])
    note(rounded(utils.clip_grad_norm_(reset(), 100.0)), [rounded(each.grad) for each in parameters[:2]])
    for kind in (1.0, float("inf"), 3):
        note(rounded(utils.get_total_norm([each.grad for each in reset()[:2]], kind)))
    utils.clip_grad_value_(reset(-12.0), 3.5)
    note([rounded(each.grad) for each in parameters[:2]])
    utils.clip_grads_with_norm_(reset(), 1.0, lib.tensor(2.0))
    note([rounded(each.grad) for each in parameters[:2]], parameters[2].grad)
    note(
        utils.get_total_norm([]),
        utils.clip_grad_norm_(iter(()), 1.0),
        utils.clip_grad_norm_((x for x in ()), 1.0),
    )
    attempt(lambda: utils.clip_grad_norm_(reset(float("inf")), 1.0, error_if_nonfinite=True))
    note(rounded(utils.clip_grad_norm(reset()[0], 5.0)))


@PROGRAMS.add(
    [
        "[1.0, 2.0, 3.0] True",
        "[[2.0, 4.0]] [6.0] True",
        "TypeError: expected gnomon.Tensor, but got: list",
    ]
)
def vectors(lib, nn, note, attempt):
    layer = linear(lib, nn, [[1.0, 2.0]], [3.0])
    vector = nn.utils.parameters_to_vector(layer.parameters())
    note(vector, vector.requires_grad)
    nn.utils.vector_to_parameters(vector * 2, layer.parameters())
    note(layer.weight, layer.bias, layer.weight.requires_grad)
    attempt(lambda: nn.utils.vector_to_parameters([1.0], layer.parameters()))


@PROGRAMS.add(
    [
        "[[-0.75, 2.9999], [1.25, 20.9996]] [[-0.75, 2.9999], [1.25, 20.9996]] Linear True",
        "AssertionError: Fusion only for eval!",
        (
            "AssertionError: To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
            "got linear.out_features=1 and bn.num_features=2"
        ),
        "[[2.0, -0.5], [23.9995, 0.0]] [-0.5, 2.0]",
        "0.0",
        "[[3.25, 0.0], [22.9995, 2.9999]] [-0.25, 2.9999]",
        "0.0",
        "[[0.5, 1.0], [6.0, 8.0]] [-0.5, 2.0] False",
    ]
)
def fusion(lib, nn, note, attempt):
    norm = nn.BatchNorm1d(2).eval()
    norm.running_mean.copy_(lib.tensor([1.0, -1.0]))
    norm.running_var.copy_(lib.tensor([4.0, 0.25]))
    layer = linear(lib, nn, [[1.0, 2.0], [3.0, 4.0]], [0.5, 1.5]).eval()
    x = lib.tensor([[1.0, -1.0], [2.0, 0.5]])
    fused = nn.utils.fuse_linear_bn_eval(layer, norm)
    note(rounded(fused(x)), rounded(norm(layer(x))), type(fused).__name__, fused.weight.requires_grad)
    attempt(lambda: nn.utils.fuse_linear_bn_eval(layer.train(), norm))
    attempt(lambda: nn.utils.fuse_linear_bn_eval(linear(lib, nn, [[1.0]]).eval(), norm))
    for conv, transpose in ((nn.Conv1d(2, 2, 1, bias=False), False), (nn.ConvTranspose1d(2, 2, 1), True)):
        with lib.no_grad():
            conv.weight.copy_(lib.tensor([[[1.0], [2.0]], [[3.0], [4.0]]]))
            if conv.bias is not None:
                conv.bias.fill_(0.5)
        conv.eval()
        fused = nn.utils.fuse_conv_bn_eval(conv, norm, transpose)
        note([rounded(each) for each in fused(x)], rounded(fused.bias))
        image = x.unsqueeze(0)
        note(rounded((fused(image) - norm(conv(image))).abs().sum()))
    weight, bias = nn.utils.fuse_conv_bn_weights(
        conv.weight, None, norm.running_mean, norm.running_var, 0.0, None, None
    )
    note(rounded(weight.squeeze(-1)), rounded(bias), bias.requires_grad)


@PROGRAMS.add(
    [
        "Linear(in_features=2, out_features=3, bias=True) gnomon.float64 False True",
        "RuntimeError: Module must support a 'device' arg to skip initialization",
        "RuntimeError: Expected a Module; got <class 'int'>",
    ]
)
def skipped_initialization(lib, nn, note, attempt):
    layer = nn.utils.skip_init(nn.Linear, 2, 3, dtype=lib.float64)
    note(layer, layer.weight.dtype, layer.weight.is_meta, layer.weight.requires_grad)
    attempt(lambda: nn.utils.skip_init(nn.ReLU))
    attempt(lambda: nn.utils.skip_init(int))


@PROGRAMS.add(
    [
        "True [[0.0, -5.0, 3.0], [-0.0, 4.0, 6.0]] ['bias', 'weight_orig', 'weight_mask']",
        "True True [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]",
        "[[0.0, -0.0, 3.0], [-0.0, 0.0, 6.0]] 1 2",
        "[[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]",
        "[[0.0, -0.0, 3.0], [-0.0, 0.0, 6.0]] True ['bias', 'weight'] False",
        "[[0.0, 6.0]] [[-0.0], [3.0]]",
        "[[0.0, 0.0]]",
        "20",
        "20",
        "[[1.0]]",
        "[3.0, -0.0]",
        (
            "ValueError: Parameter 'weight' of module Linear(in_features=1, out_features=1, bias=True) "
            "has to be pruned before pruning can be removed"
        ),
        "ValueError: amount=1.5 should either be a float in the range [0, 1] or a non-negative integer",
        "TypeError: Invalid type for amount: a. Must be int or float.",
        "ValueError: amount=7 should be smaller than the number of parameters to prune=1",
        (
            "ValueError: Structured pruning can only be applied to multidimensional tensors. Found "
            "tensor of shape gnomon.Size([1]) with 1 dims"
        ),
        "IndexError: Invalid index 5 for tensor of size gnomon.Size([1, 1])",
        "TypeError: global_unstructured(): parameters is not an Iterable",
        "TypeError: global_unstructured(): importance_scores must be of type dict",
        "AttributeError: 'int' object has no attribute '_tensor_name'",
    ]
)
def pruning(lib, nn, note, attempt):
    prune = importlib.import_module(f"{lib.__name__}.nn.utils.prune")
    layer = linear(lib, nn, [[1.0, -5.0, 3.0], [-2.0, 4.0, 6.0]], [1.0, 2.0])
    note(prune.l1_unstructured(layer, "weight", 2) is layer, layer.weight, list(layer.state_dict()))
    note(prune.is_pruned(nn.Sequential(layer)), type(layer.weight) is lib.Tensor, layer.weight_mask)
    prune.ln_structured(layer, "weight", 1, n=2, dim=1)
    note(layer.weight, len(layer._forward_pre_hooks), len(next(iter(layer._forward_pre_hooks.values()))))
    layer(lib.ones(3)).sum().backward()
    note(layer.weight_orig.grad)
    prune.remove(layer, "weight")
    note(
        layer.weight, isinstance(layer.weight, nn.Parameter), list(layer.state_dict()), prune.is_pruned(layer)
    )
    first, second = linear(lib, nn, [[1.0, 6.0]]), linear(lib, nn, [[-2.0], [3.0]])
    pairs = [(first, "weight"), (second, "weight")]
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.5)
    note(first.weight, second.weight)
    other = linear(lib, nn, [[1.0, 2.0]])
    prune.l1_unstructured(other, "weight", 1, importance_scores=lib.tensor([[5.0, 1.0]]))
    prune.custom_from_mask(other, "weight", lib.zeros(1, 2))
    note(other.weight)
    for make in (prune.random_unstructured, lambda *args: prune.random_structured(*args, dim=0)):
        many = nn.Linear(10, 4)
        make(many, "weight", 0.5)
        note(int((many.weight_mask == 0).sum()))
    note(prune.identity(nn.Linear(1, 1), "weight").weight_mask)
    note(prune.L1Unstructured(1).prune(lib.tensor([3.0, -1.0])))
    for action in (
        lambda: prune.remove(nn.Linear(1, 1), "weight"),
        lambda: prune.l1_unstructured(nn.Linear(1, 1), "weight", 1.5),
        lambda: prune.l1_unstructured(nn.Linear(1, 1), "weight", "a"),
        lambda: prune.l1_unstructured(nn.Linear(1, 1), "weight", 7),
        lambda: prune.ln_structured(nn.Linear(1, 1), "bias", 1, n=2, dim=0),
        lambda: prune.random_structured(nn.Linear(1, 1), "weight", 1, 5),
        lambda: prune.global_unstructured(3, prune.Identity),
        lambda: prune.global_unstructured(pairs, prune.Identity, importance_scores=3),
        lambda: prune.PruningContainer(3),
    ):
        attempt(action)


@PROGRAMS.add(
    [
        (
            "True ParametrizedLinear(\n  in_features=2, out_features=2, bias=True\n  "
            "(parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n      (0): "
            "Symmetric()\n    )\n  )\n)"
        ),
        "[[1.0, 2.0], [2.0, 4.0]] ['bias', 'parametrizations.weight.original'] False",
        "ParametrizedLinear Linear",
        "[[5.0, 6.0], [6.0, 7.0]] [[5.0, 6.0], [0.0, 7.0]]",
        "True [[10.0, 12.0], [12.0, 14.0]]",
        "2 False",
        "[[2.0, 4.0], [0.0, 2.0]]",
        "[[10.0, 12.0], [12.0, 14.0]] True",
        "RuntimeError: parametrization Doubled does not implement right_inverse.",
        (
            "RuntimeError: Serialization of parametrized modules is only supported through "
            "state_dict(). See:\nURL"
        ),
        "[[10.0, 12.0], [12.0, 14.0]]",
        "Linear(in_features=2, out_features=2, bias=True) [[10.0, 12.0], [12.0, 14.0]] True",
        (
            "ValueError: Module Linear(in_features=2, out_features=2, bias=True) does not have a "
            "parametrization on weight"
        ),
        (
            "ValueError: Module 'Linear(in_features=2, out_features=2, bias=True)' does not have a "
            "parameter, a buffer, or a parametrized element with name 'nothing'"
        ),
        "ValueError: A parametrization must return a tensor. Got int.",
        (
            "ValueError: Registering a parametrization may not change the shape of the tensor, unless "
            "`unsafe` flag is enabled.\nunparametrized shape: gnomon.Size([2, 2])\nparametrized shape: "
            "gnomon.Size([])"
        ),
        (
            "ValueError: Registering a parametrization may not change the dtype of the tensor, unless "
            "`unsafe` flag is enabled.\nunparametrized dtype: gnomon.float32\nparametrized dtype: "
            "gnomon.float64"
        ),
    ]
)
def parametrizations(lib, nn, note, attempt):
    parametrize = nn.utils.parametrize

    class Symmetric(nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).transpose(0, 1)

        def right_inverse(self, x):
            return x.triu()

    class Doubled(nn.Module):
        calls = 0

        def forward(self, x):
            Doubled.calls += 1
            return x * 2

    layer = linear(lib, nn, [[1.0, 2.0], [3.0, 4.0]], [0.0, 0.0])
    note(parametrize.register_parametrization(layer, "weight", Symmetric()) is layer, layer)
    note(layer.weight, list(layer.state_dict()), parametrize.is_parametrized(layer, "bias"))
    note(type(layer).__name__, parametrize.type_before_parametrizations(layer).__name__)
    layer.weight = lib.tensor([[5.0, 6.0], [6.0, 7.0]])
    note(layer.weight, layer.parametrizations.weight.original)
    parametrize.register_parametrization(layer, "weight", Doubled())
    with parametrize.cached():
        note(layer.weight is layer.weight, layer.weight)
    note(Doubled.calls, layer.weight is layer.weight)
    layer(lib.ones(2)).sum().backward()
    note(layer.parametrizations.weight.original.grad)
    other = parametrize.transfer_parametrizations_and_params(layer, nn.Linear(2, 2))
    note(other.weight, other.parametrizations.weight.original is layer.parametrizations.weight.original)
    attempt(lambda: setattr(layer, "weight", lib.ones(2, 2)))
    attempt(lambda: pickle.dumps(layer))
    note(copy.deepcopy(layer).weight)
    parametrize.remove_parametrizations(layer, "weight")
    note(layer, layer.weight, isinstance(layer.weight, nn.Parameter))
    attempt(lambda: parametrize.remove_parametrizations(layer, "weight"))
    attempt(lambda: parametrize.register_parametrization(layer, "nothing", Doubled()))

    class Wrong(nn.Module):
        def __init__(self, result):
            super().__init__()
            self.result = result

        def forward(self, x):
            return self.result(x)

    for result in (lambda x: 3, lambda x: x.sum(), lambda x: x.double()):
        attempt(lambda result=result: parametrize.register_parametrization(layer, "weight", Wrong(result)))


@PROGRAMS.add(
    [
        (
            "[['parametrizations.weight.original0', [[5.0], [2.0]]], "
            "['parametrizations.weight.original1', [[3.0, 4.0], [0.0, 2.0]]]] [[3.0, 4.0], [0.0, 2.0]]"
        ),
        (
            "[[6.0, 8.0], [0.0, 4.0]] ParametrizedLinear(\n  in_features=2, out_features=2, "
            "bias=False\n  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n      "
            "(0): _WeightNorm()\n    )\n  )\n)"
        ),
        "['weight_g', 'weight_v'] [7.0, 2.0]",
        "RuntimeError: Cannot register two weight_norm hooks on the same parameter weight",
        "[[3.0, 4.0], [0.0, 2.0]]",
        "['weight'] [[3.0, 4.0], [0.0, 2.0]]",
        (
            "ValueError: weight_norm of 'weight' not found in Linear(in_features=2, out_features=2, "
            "bias=False)"
        ),
        "5.0",
        (
            "ValueError: The module passed to `WeightNorm` can't have uninitialized parameters. Make "
            "sure to run the dummy forward before applying weight normalization"
        ),
        (
            "[[1.0, 0.0], [0.0, 0.3333]] ['parametrizations.weight.original', "
            "'parametrizations.weight.0._u', 'parametrizations.weight.0._v']"
        ),
        (
            "ValueError: Module 'Linear(in_features=1, out_features=1, bias=True)' has no parameter or "
            "buffer with name 'nothing'"
        ),
        (
            "FutureWarning: `gnomon.nn.utils.weight_norm` is deprecated in favor of "
            "`gnomon.nn.utils.parametrizations.weight_norm`."
        ),
        (
            "FutureWarning: `gnomon.nn.utils.weight_norm` is deprecated in favor of "
            "`gnomon.nn.utils.parametrizations.weight_norm`."
        ),
        (
            "FutureWarning: `gnomon.nn.utils.weight_norm` is deprecated in favor of "
            "`gnomon.nn.utils.parametrizations.weight_norm`."
        ),
    ]
)
def weight_norms(lib, nn, note, attempt):
    layer = nn.utils.parametrizations.weight_norm(linear(lib, nn, [[3.0, 4.0], [0.0, 2.0]]))
    note([(key, value) for key, value in layer.state_dict().items()], rounded(layer.weight))
    with lib.no_grad():
        layer.parametrizations.weight.original0.mul_(2)
    note(rounded(layer.weight), layer)
    older = nn.utils.weight_norm(linear(lib, nn, [[3.0, 4.0], [0.0, 2.0]]))
    note(list(older.state_dict()), rounded(older(lib.ones(2))))
    attempt(lambda: nn.utils.weight_norm(older))
    layer.load_state_dict(older.state_dict())
    note(rounded(layer.weight))
    nn.utils.remove_weight_norm(older)
    note(list(older.state_dict()), rounded(older.weight))
    attempt(lambda: nn.utils.remove_weight_norm(older))
    whole = nn.utils.parametrizations.weight_norm(linear(lib, nn, [[3.0, 4.0]]), dim=None)
    note(whole.state_dict()["parametrizations.weight.original0"])
    attempt(lambda: nn.utils.weight_norm(nn.LazyLinear(1)))
    spectral = nn.utils.parametrizations.spectral_norm(linear(lib, nn, [[3.0, 0.0], [0.0, 1.0]]))
    note(rounded(spectral.eval().weight), list(spectral.state_dict()))
    attempt(lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(1, 1), "nothing"))


@PROGRAMS.add(
    [
        "linear 1",
        "conv2d 1",
        "sigmoid 1",
        "tanh 1.666667",
        "relu 1.414214",
        "leaky_relu 1.414143",
        "selu 0.75",
        "1.264911",
        "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] [[[0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0]]] [0.0]",
        "[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]] [2.5] [1.0]",
        "[3, 3, 3]",
        "True True True True",
        "True True True",
        "ValueError: Unsupported nonlinearity x",
        "ValueError: negative_slope True not a valid number",
        "ValueError: Only tensors with 2 dimensions are supported",
        "ValueError: Only tensors with 3, 4, or 5 dimensions are supported",
        "ValueError: dim 0 must be divisible by groups",
        "ValueError: Only tensors with 2 dimensions are supported",
        "ValueError: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
        "ValueError: Mode x not supported, please use one of ['fan_in', 'fan_out']",
        "returned [1.0]",
        (
            "UserWarning: mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The "
            "distribution of values may be incorrect."
        ),
        "UserWarning: Initializing zero-element tensors is a no-op",
        "FutureWarning: `nn.init.constant` is now deprecated in favor of `nn.init.constant_`.",
    ]
)
def initialization(lib, nn, note, attempt):
    init = nn.init
    for kind in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"):
        note(kind, round(init.calculate_gain(kind), 6))
    note(round(init.calculate_gain("leaky_relu", 0.5), 6))
    note(init.eye_(lib.empty(2, 3)), init.dirac_(lib.empty(2, 1, 3), 2), init.zeros_(lib.empty(1)))
    note(
        init.dirac_(lib.empty(3, 2, 1, 1)).squeeze(),
        init.constant_(lib.empty(1), 2.5),
        init.ones_(lib.empty(1)),
    )
    sparse = init.sparse_(lib.empty(10, 3), 0.25)
    note((sparse == 0).sum(0))
    weight = nn.Parameter(lib.empty(30, 40))
    inside = init.trunc_normal_(weight, 0.0, 1.0, -1.0, 0.5)
    note(inside is weight, weight.is_leaf, bool((weight >= -1).all()), bool((weight <= 0.5).all()))
    init.trunc_normal_(weight, 0.0, 1.0, 3.0, 4.0)
    note(bool((weight >= 3).all()), bool((weight <= 4).all()), bool(weight.mean() < 3.4))
    init.kaiming_normal_(lib.empty(0, 3))
    for action in (
        lambda: init.calculate_gain("x"),
        lambda: init.calculate_gain("leaky_relu", True),
        lambda: init.eye_(lib.empty(2)),
        lambda: init.dirac_(lib.empty(2)),
        lambda: init.dirac_(lib.empty(3, 1, 1), 2),
        lambda: init.sparse_(lib.empty(2), 0.1),
        lambda: init.xavier_uniform_(lib.empty(2)),
        lambda: init.kaiming_uniform_(lib.empty(2, 2), mode="x"),
        lambda: init.constant(lib.empty(1), 1.0),
    ):
        attempt(action)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_happens(name):
    assert PROGRAMS.recorded(name, gn) == PROGRAMS.expected(name)


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_happens_in_pytorch(name):
    torch = pytest.importorskip("torch")
    assert PROGRAMS.recorded(name, torch) == PROGRAMS.expected(name)
