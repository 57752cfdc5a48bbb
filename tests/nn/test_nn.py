"""gnomon.nn: what a Module owns, how it is saved and moved, and that layers agree with PyTorch's."""

import copy
import inspect
import math
import warnings

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.nn import functional, init

HOST_DEVICES = [b.device_type for b in gn.backends().values() if b.available and b.host_memory]


@pytest.fixture(params=HOST_DEVICES)
def device(request):
    """Each host device in turn, as the default device."""
    with gn.device(request.param):
        yield request.param


class Net(nn.Module):
    """A parameter, two kinds of buffers, and a child."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(gn.ones(2))
        self.register_buffer("count", gn.zeros(1))
        self.register_buffer("scratch", gn.zeros(1), persistent=False)
        self.child = nn.Linear(2, 3)

    def forward(self, input):
        return self.child(input * self.scale)


def values(tensor):
    return tensor.detach().tolist()


# ---------------------------------------------------------------------------------------------------------
# What a module owns.


def test_parameter_is_a_leaf_that_shares_its_data():
    data = gn.ones(2)
    parameter = nn.Parameter(data)
    assert isinstance(parameter, gn.Tensor) and isinstance(parameter, nn.Parameter)
    assert parameter.requires_grad and parameter.is_leaf
    data.fill_(3.0)
    assert values(parameter) == [3.0, 3.0]
    assert not nn.Parameter(data, requires_grad=False).requires_grad
    assert type(parameter * 2) is gn.Tensor
    assert repr(parameter) == "Parameter containing:\ntensor([3., 3.], requires_grad=True)"


def test_parameter_of_a_recorded_result_has_no_history():
    x = gn.ones(2, requires_grad=True)
    assert nn.Parameter(x * 2).grad_fn is None


def test_parameter_of_no_tensor_is_refused():
    with pytest.raises(TypeError, match="Parameter: data must be a Tensor, but got list"):
        nn.Parameter([1.0])


def test_attributes_are_found_by_kind_and_in_order():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["scale", "child.weight", "child.bias"]
    assert [name for name, _ in net.named_buffers()] == ["count", "scratch"]
    assert [name for name, _ in net.named_children()] == ["child"]
    assert [name for name, _ in net.named_modules()] == ["", "child"]
    assert list(net.state_dict()) == ["scale", "count", "child.weight", "child.bias"]
    assert net.get_submodule("child") is net.child and net.get_parameter("child.bias") is net.child.bias
    assert "scale" in dir(net) and "child" in dir(net)


def test_shared_parameter_and_module_are_met_once():
    layer = nn.Linear(2, 2)
    net = nn.Sequential(layer, nn.ReLU(), layer)
    assert len(list(net.parameters())) == 2
    assert [name for name, _ in net.named_modules()] == ["", "0", "1"]
    assert "2.weight" in net.state_dict()


def test_assignment_moves_a_name_from_kind_to_kind():
    net = Net()
    net.child = None
    assert net.child is None and list(net.parameters()) == [net.scale]
    net.scale = None
    assert list(net.parameters()) == []
    net.count = gn.ones(1)
    assert [name for name, _ in net.named_buffers()] == ["count", "scratch"]
    net.plain = 3
    net.plain = nn.Linear(1, 1)
    assert "plain" not in vars(net) and isinstance(net.plain, nn.Linear)
    del net.plain
    assert not hasattr(net, "plain")


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (
            lambda net: setattr(net, "scale", gn.ones(2)),
            TypeError,
            "cannot assign 'gnomon.FloatTensor' as parameter 'scale'",
        ),
        (lambda net: setattr(net, "child", 3), TypeError, "cannot assign 'int' as child module 'child'"),
        (lambda net: setattr(net, "count", 3), TypeError, "cannot assign 'int' as buffer 'count'"),
        (lambda net: net.register_parameter("a.b", None), KeyError, "name can.*t contain"),
        (lambda net: net.register_parameter("", None), KeyError, "name can.*t be empty string"),
        (
            lambda net: net.register_parameter("training", None),
            KeyError,
            "attribute 'training' already exists",
        ),
        (lambda net: net.register_parameter("w", gn.ones(2)), TypeError, "object to parameter 'w'"),
        (lambda net: net.register_buffer("w", 3), TypeError, "cannot assign 'int' object to buffer 'w'"),
        (lambda net: net.register_module("w", 3), TypeError, "int is not a Module subclass"),
        (lambda net: net.train(1), ValueError, "training mode is expected to be boolean"),
        (lambda net: net.to(gn.int32), TypeError, "only accepts floating point or complex dtypes"),
        (lambda net: net.to(3.0), TypeError, "expected a device, a dtype or a tensor, but got float"),
        (lambda net: net.nothing, AttributeError, "'Net' object has no attribute 'nothing'"),
        (lambda net: net.get_submodule("child.x"), AttributeError, "Linear has no attribute `x`"),
        (lambda net: net.load_state_dict(1), TypeError, "Expected state_dict to be dict-like"),
        (lambda net: nn.Module()(1), NotImplementedError, r"Module \[Module\] is missing the required"),
        (lambda net: nn.Sequential(1), TypeError, "int is not a Module subclass"),
        (lambda net: nn.Sequential()[0], IndexError, "index 0 is out of range"),
    ],
)
def test_misuse_is_refused_in_words(act, kind, text):
    with pytest.raises(kind, match=text):
        act(Net())


def test_assignment_before_init_is_refused():
    class Hasty(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(gn.ones(1))

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Hasty()


def test_train_eval_apply_requires_grad_and_zero_grad():
    net = Net()
    seen = []
    net.apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Linear", "Net"]
    assert not net.eval().child.training and net.train().child.training
    net(gn.ones(1, 2)).sum().backward()
    assert values(net.child.bias.grad) == [1.0, 1.0, 1.0]
    net.zero_grad(set_to_none=False)
    assert values(net.child.bias.grad) == [0.0, 0.0, 0.0]
    net.zero_grad()
    assert net.child.bias.grad is None
    net.requires_grad_(False)
    assert not any(parameter.requires_grad for parameter in net.parameters())


# ---------------------------------------------------------------------------------------------------------
# State.


def test_state_dict_goes_round():
    source, target = Net(), Net()
    source.count.fill_(7.0)
    assert repr(target.load_state_dict(source.state_dict())) == "<All keys matched successfully>"
    for (name, wanted), (_, got) in zip(source.state_dict().items(), target.state_dict().items()):
        assert values(got) == values(wanted), name
    state = source.state_dict()
    assert not state["scale"].requires_grad
    assert source.state_dict(keep_vars=True)["scale"] is source.scale
    state["scale"].fill_(5.0)
    assert values(source.scale) == [5.0, 5.0]


def test_load_state_dict_lists_every_fault_in_pytorch_s_words():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with pytest.raises(RuntimeError) as caught:
        net.load_state_dict(
            {"0.weight": gn.ones(2, 2), "x": gn.ones(1), "0.bias": 3, "2.weight": gn.ones(1, 3)}
        )
    shape = type(gn.ones(1).shape)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n\t"
        'Missing key(s) in state_dict: "2.bias". \n\t'
        'Unexpected key(s) in state_dict: "x". \n\t'
        f"size mismatch for 0.weight: copying a param with shape {shape((2, 2))} from checkpoint, the shape "
        "in current "
        f"model is {shape((3, 2))}.\n\t"
        'While copying the parameter named "0.bias", expected gnomon.Tensor or Tensor-like object from '
        "checkpoint but received <class 'int'>"
    )
    assert values(net[2].weight) == [[1.0, 1.0, 1.0]]  # what matches is loaded all the same


def test_load_state_dict_not_strict_reports_names():
    result = nn.Linear(2, 1).load_state_dict({"weight": gn.ones(1, 2), "x": gn.ones(1)}, strict=False)
    assert result.missing_keys == ["bias"] and result.unexpected_keys == ["x"]


def test_load_state_dict_assign_takes_the_tensors_themselves():
    net = nn.Linear(2, 1)
    net.load_state_dict(
        {"weight": gn.ones(1, 2, dtype=gn.float64), "bias": gn.ones(1, dtype=gn.float64)}, assign=True
    )
    assert (
        net.weight.dtype is gn.float64 and isinstance(net.weight, nn.Parameter) and net.weight.requires_grad
    )


def test_to_dtype_keeps_the_parameters_and_converts_gradients():
    net = Net()
    weight = net.child.weight
    net(gn.ones(1, 2)).sum().backward()
    assert net.double() is net
    assert net.child.weight is weight and weight.dtype is gn.float64 and weight.grad.dtype is gn.float64
    assert net.count.dtype is gn.float64
    assert weight.is_leaf and weight.requires_grad
    net.to(gn.ones(1, dtype=gn.float32))
    assert weight.dtype is gn.float32


@pytest.mark.skipif(len(HOST_DEVICES) < 2, reason="needs two host devices")
def test_to_device_moves_everything_and_shared_parameters_stay_shared():
    with gn.device(HOST_DEVICES[0]):
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    wanted = values(net[0].weight)
    net.to(HOST_DEVICES[1])
    assert {parameter.device.type for parameter in net.parameters()} == {HOST_DEVICES[1]}
    assert net[0].weight is net[1].weight and net[0].weight.is_leaf and net[0].weight.requires_grad
    assert values(net[0].weight) == wanted


def test_deepcopy_is_independent():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    other = copy.deepcopy(net)
    assert isinstance(other[0].weight, nn.Parameter) and other[0].weight is not net[0].weight
    assert values(other[0].weight) == values(net[0].weight)
    with gn.no_grad():
        other[0].weight.fill_(9.0)
    assert values(net[0].weight) != values(other[0].weight)


# ---------------------------------------------------------------------------------------------------------
# Containers and texts.


def test_sequential_is_a_list_that_computes():
    net = nn.Sequential(nn.Flatten(), nn.ReLU(), nn.Tanh())
    assert len(net) == 3 and isinstance(net[-1], nn.Tanh)
    assert isinstance(net[:2], nn.Sequential) and [type(m) for m in net[:2]] == [nn.Flatten, nn.ReLU]
    assert values(net(gn.tensor([[[-1.0], [0.0]]]))) == [[0.0, 0.0]]
    del net[1]
    assert [name for name, _ in net.named_children()] == ["0", "1"]
    net[0] = nn.ReLU()
    net.append(nn.Sigmoid()).extend([nn.ReLU()])
    assert [type(m).__name__ for m in net] == ["ReLU", "Tanh", "Sigmoid", "ReLU"]
    named = nn.Sequential({"first": nn.ReLU()})
    assert named.first is named[0]


def test_module_list_holds_parameters():
    layers = nn.ModuleList([nn.Linear(1, 1)])
    layers.append(nn.Linear(1, 1))
    layers.insert(0, nn.ReLU())
    assert [type(m).__name__ for m in layers] == ["ReLU", "Linear", "Linear"]
    assert len(list(layers.parameters())) == 4
    with pytest.raises(NotImplementedError):
        layers(1)


TEXT = """Sequential(
  (0): Linear(in_features=2, out_features=3, bias=True)
  (1): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), padding=same, dilation=(1, 2), bias=False)
  (2): MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
  (3): Embedding(3, 4, padding_idx=1)
  (4): Dropout(p=0.5, inplace=False)
  (5): CrossEntropyLoss()
  (6): GELU(approximate='none')
  (7): Softmax(dim=1)
  (8): ReLU(inplace=True)
  (9): Flatten(start_dim=1, end_dim=-1)
  (10): ModuleList(
    (0-1): 2 x ReLU()
    (2): Tanh()
  )
  (11): Sequential()
  (12): LeakyReLU(negative_slope=0.01)
  (13): Conv2d(4, 4, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), groups=2)
)"""


def make_zoo(nn):
    """A module of each kind, from ``nn``: gnomon's or PyTorch's."""
    return nn.Sequential(
        nn.Linear(2, 3),
        nn.Conv2d(1, 2, 3, padding="same", dilation=(1, 2), bias=False),
        nn.MaxPool2d(2),
        nn.Embedding(3, 4, padding_idx=1),
        nn.Dropout(),
        nn.CrossEntropyLoss(),
        nn.GELU(),
        nn.Softmax(dim=1),
        nn.ReLU(inplace=True),
        nn.Flatten(),
        nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]),
        nn.Sequential(),
        nn.LeakyReLU(),
        nn.Conv2d(4, 4, (3, 2), 2, 1, groups=2),
    )


def test_repr_is_pytorch_s():
    assert repr(make_zoo(nn)) == TEXT


@pytest.mark.oracle
def test_repr_and_state_dict_names_agree_with_pytorch():
    torch = pytest.importorskip("torch")
    assert repr(make_zoo(torch.nn)) == TEXT
    assert list(make_zoo(nn).state_dict()) == list(make_zoo(torch.nn).state_dict())


# ---------------------------------------------------------------------------------------------------------
# Layers, by hand.


def test_linear_by_hand(device):
    layer = nn.Linear(2, 2)
    layer.load_state_dict({"weight": gn.tensor([[1.0, 2.0], [3.0, 4.0]]), "bias": gn.tensor([0.5, -0.5])})
    assert values(layer(gn.tensor([[1.0, 1.0], [2.0, 0.0]]))) == [[3.5, 6.5], [2.5, 5.5]]
    layer(gn.tensor([[1.0, 1.0], [2.0, 0.0]])).sum().backward()
    assert values(layer.weight.grad) == [[3.0, 1.0], [3.0, 1.0]] and values(layer.bias.grad) == [2.0, 2.0]
    assert nn.Linear(2, 2, bias=False).bias is None
    assert layer.weight.device.type == device


def test_conv2d_by_hand(device):
    layer = nn.Conv2d(1, 1, 2)
    layer.load_state_dict({"weight": gn.tensor([[[[1.0, 0.0], [0.0, 1.0]]]]), "bias": gn.tensor([0.5])})
    image = gn.arange(9, dtype=gn.float32).reshape(1, 1, 3, 3)
    assert values(layer(image)) == [[[[4.5, 6.5], [10.5, 12.5]]]]
    same = nn.Conv2d(1, 1, 3, padding="same", bias=False)
    init.ones_(same.weight)
    assert values(same(image)) == [[[[8.0, 15.0, 12.0], [21.0, 36.0, 27.0], [20.0, 33.0, 24.0]]]]


def test_max_pool2d_by_hand(device):
    image = gn.arange(16, dtype=gn.float32).reshape(1, 1, 4, 4)
    assert values(nn.MaxPool2d(2)(image)) == [[[[5.0, 7.0], [13.0, 15.0]]]]
    pooled, where = nn.MaxPool2d(2, return_indices=True)(image)
    assert values(where) == [[[[5, 7], [13, 15]]]] and values(pooled) == [[[[5.0, 7.0], [13.0, 15.0]]]]


def test_embedding_by_hand(device):
    table = nn.Embedding(3, 2, padding_idx=-2)
    assert table.padding_idx == 1 and values(table.weight[1]) == [0.0, 0.0]
    rows = table(gn.tensor([[0, 1], [2, 0]]))
    assert tuple(rows.shape) == (2, 2, 2)
    rows.sum().backward()
    assert values(table.weight.grad) == [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]
    assert not nn.Embedding(1, 1, _weight=gn.ones(1, 1), _freeze=True).weight.requires_grad


def test_losses_by_hand(device):
    scores = gn.tensor([[0.0, math.log(3.0)], [0.0, 0.0]])
    target = gn.tensor([1, 0])
    wanted = [math.log(4 / 3), math.log(2)]
    assert values(nn.CrossEntropyLoss(reduction="none")(scores, target)) == pytest.approx(wanted, rel=1e-6)
    assert nn.CrossEntropyLoss()(scores, target).item() == pytest.approx(sum(wanted) / 2, rel=1e-6)
    logs = functional.log_softmax(scores, 1)
    assert nn.NLLLoss(reduction="sum")(logs, target).item() == pytest.approx(sum(wanted), rel=1e-6)
    weight = gn.tensor([3.0, 1.0])
    weighted = nn.CrossEntropyLoss(weight=weight)(scores, target).item()
    assert weighted == pytest.approx((wanted[0] + 3 * wanted[1]) / 4, rel=1e-6)
    assert nn.CrossEntropyLoss(ignore_index=0)(scores, target).item() == pytest.approx(wanted[0], rel=1e-6)
    a, b = gn.tensor([1.0, 4.0]), gn.tensor([2.0, 1.0])
    assert nn.MSELoss()(a, b).item() == 5.0
    assert functional.mse_loss(a, b, weight=gn.tensor([3.0, 1.0])).item() == 3.0


def test_dropout_keeps_the_mean_and_rests_in_eval(device):
    gn.manual_seed(0)
    layer = nn.Dropout(0.25)
    dropped = layer(gn.ones(4000))
    kept = [value for value in values(dropped) if value]
    assert set(kept) == {gn.tensor(1 / 0.75).item()}
    # The number kept is binomial: 3000 +- 27; six standard deviations.
    assert abs(len(kept) - 3000) < 165
    ones = gn.ones(3)
    assert layer.eval()(ones) is ones
    assert values(functional.dropout(ones, 1.0)) == [0.0, 0.0, 0.0]


def test_functional_agrees_with_modules(device):
    x = gn.tensor([[-1.0, 0.0, 2.0]])
    assert values(nn.ReLU()(x)) == [[0.0, 0.0, 2.0]]
    assert values(nn.LeakyReLU(0.5)(x)) == [[-0.5, 0.0, 2.0]]
    assert values(nn.Tanh()(x))[0] == pytest.approx([math.tanh(v) for v in (-1, 0, 2)], rel=1e-6)
    assert values(nn.Sigmoid()(x))[0] == pytest.approx([1 / (1 + math.exp(-v)) for v in (-1, 0, 2)], rel=1e-6)
    assert values(nn.SiLU()(x))[0] == pytest.approx([v / (1 + math.exp(-v)) for v in (-1, 0, 2)], rel=1e-6)
    gelu = [v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in (-1, 0, 2)]
    assert values(nn.GELU()(x))[0] == pytest.approx(gelu, rel=1e-5)
    assert nn.Softmax(1)(x).sum().item() == pytest.approx(1.0, rel=1e-6)
    assert nn.LogSoftmax(1)(x).exp().sum().item() == pytest.approx(1.0, rel=1e-6)
    assert nn.Identity(3, unused=True)(x) is x
    y = x.clone()
    assert functional.relu(y, inplace=True) is y and values(y) == [[0.0, 0.0, 2.0]]


def test_warnings_of_backward_hooks_point_at_the_user_s_line() -> None:
    full, old = nn.Linear(2, 2), nn.Linear(2, 2)
    full.register_full_backward_hook(lambda *_: None)
    old.register_backward_hook(lambda *_: None)
    loss = full(gn.ones(2, 2)).sum()
    with pytest.warns(UserWarning, match="no inputs require gradients") as fired:
        loss.backward()
    with pytest.warns(FutureWarning, match="non-full backward hook") as registered:
        old(gn.ones(2, 2))
    own = inspect.getsourcelines(test_warnings_of_backward_hooks_point_at_the_user_s_line)[1]
    places = [(each[0].filename, each[0].lineno - own) for each in (fired, registered)]
    assert places == [(__file__, 6), (__file__, 8)]


@pytest.mark.parametrize(("ndim", "dim"), [(1, 0), (2, 1), (3, 0), (4, 1)])
def test_softmax_without_dim_warns_and_takes_pytorch_s(ndim, dim):
    x = gn.arange(2**ndim, dtype=gn.float32).reshape((2,) * ndim)
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax") as caught:
        implicit = functional.softmax(x)
    assert caught[0].filename == __file__
    assert values(implicit) == values(functional.softmax(x, dim))
    with pytest.warns(UserWarning, match="Implicit dimension choice for log_softmax") as caught:
        nn.LogSoftmax()(x)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (
            lambda: functional.mse_loss(gn.ones(2), gn.ones(2), reduction="x"),
            ValueError,
            "x is not a valid value",
        ),
        (lambda: nn.Dropout(2), ValueError, "between 0 and 1, but got 2"),
        (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by groups"),
        (lambda: nn.Conv2d(4, 3, 3, groups=2), ValueError, "out_channels must be divisible by groups"),
        (lambda: nn.Conv2d(4, 4, 3, groups=0), ValueError, "groups must be a positive integer"),
        (lambda: nn.Conv2d(4, 4, 3, stride=2, padding="same"), ValueError, "not supported for strided"),
        (lambda: nn.Conv2d(4, 4, 3, padding="sme"), ValueError, "Invalid padding string 'sme'"),
        (lambda: nn.Conv2d(4, 4, 3, padding_mode="x"), ValueError, "padding_mode must be one of"),
        (lambda: nn.Embedding(3, 4, padding_idx=5), AssertionError, "Padding_idx must be within"),
        (lambda: nn.EmbeddingBag(3, 4, padding_idx=-4), AssertionError, "padding_idx must be within"),
        (lambda: nn.Embedding(3, 4, _weight=gn.ones(2, 4)), AssertionError, "Shape of weight does not"),
        (lambda: nn.Flatten(1)(gn.ones(2)), IndexError, "Dimension out of range"),
        (lambda: init.kaiming_uniform_(gn.ones(2)), ValueError, "fewer than 2 dimensions"),
        (lambda: init.kaiming_uniform_(gn.ones(2, 2), mode="x"), ValueError, "Mode x not supported"),
        (lambda: init.calculate_gain("x"), ValueError, "Unsupported nonlinearity x"),
        (lambda: nn.Linear(3, 2)(gn.ones(2, 4)), RuntimeError, "(?s)4.*3"),
    ],
)
def test_bad_arguments_are_refused_in_words(act, kind, text):
    with pytest.raises(kind, match=text):
        act()


def test_deprecated_reduction_arguments_warn():
    with pytest.warns(UserWarning, match="please use reduction='sum'"):
        assert nn.MSELoss(size_average=False).reduction == "sum"
    with pytest.warns(UserWarning, match="please use reduction='none'"):
        assert functional.mse_loss(gn.ones(2), gn.zeros(2), reduce=False).shape == (2,)


def test_mse_loss_of_different_shapes_warns():
    with pytest.warns(UserWarning, match="different to the input size"):
        assert functional.mse_loss(gn.ones(2, 2), gn.zeros(2)).item() == 1.0


# ---------------------------------------------------------------------------------------------------------
# First values.


def test_linear_starts_within_one_over_root_fan_in(device):
    gn.manual_seed(0)
    layer = nn.Linear(100, 50)
    bound = 1 / math.sqrt(100)
    numbers = [number for row in values(layer.weight) for number in row] + values(layer.bias)
    assert max(numbers) <= bound and min(numbers) >= -bound
    # 5050 draws: the mean's standard deviation is bound / sqrt(3 * 5050); five of them.
    assert abs(sum(numbers) / len(numbers)) < 5 * bound / math.sqrt(3 * len(numbers))
    gn.manual_seed(0)
    assert values(nn.Linear(100, 50).weight) == values(layer.weight)


@pytest.mark.skipif(len(HOST_DEVICES) < 2, reason="needs two host devices")
def test_first_values_are_the_same_on_every_device():
    drawn = []
    for name in HOST_DEVICES:
        gn.manual_seed(3)
        drawn.append(values(nn.Linear(5, 7, device=name).weight))
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("name", "options", "deviation"),
    [
        ("xavier_uniform_", {"gain": 2.0}, 2.0 * math.sqrt(2 / (60 + 40))),
        ("xavier_normal_", {}, math.sqrt(2 / (60 + 40))),
        ("kaiming_uniform_", {"nonlinearity": "relu"}, math.sqrt(2 / 60)),
        ("kaiming_normal_", {"mode": "fan_out", "nonlinearity": "tanh"}, 5 / 3 / math.sqrt(40)),
        ("normal_", {"mean": 0.0, "std": 0.5}, 0.5),
        ("uniform_", {"a": -1.0, "b": 1.0}, math.sqrt(1 / 3)),
    ],
)
def test_init_has_the_deviation_it_promises(name, options, deviation):
    gn.manual_seed(1)
    weight = nn.Parameter(gn.empty(40, 60))
    assert getattr(init, name)(weight, **options) is weight and weight.is_leaf
    numbers = [number for row in values(weight) for number in row]
    measured = math.sqrt(sum(number * number for number in numbers) / len(numbers))
    # 2400 draws: a standard deviation's relative error is at most 1 / sqrt(2 * 2400) = 1.4 %; five of them.
    assert measured == pytest.approx(deviation, rel=0.07)


def test_init_constants_and_empty():
    weight = gn.empty(2, 2)
    assert values(init.ones_(weight)) == [[1.0, 1.0], [1.0, 1.0]]
    assert values(init.zeros_(weight)) == [[0.0, 0.0], [0.0, 0.0]]
    assert values(init.constant_(weight, 0.5)) == [[0.5, 0.5], [0.5, 0.5]]
    with pytest.warns(UserWarning, match="zero-element tensors is a no-op"):
        init.kaiming_uniform_(gn.empty(0, 3))
    assert init._calculate_fan_in_and_fan_out(gn.empty(4, 3, 5, 5)) == (75, 100)


# ---------------------------------------------------------------------------------------------------------
# Against PyTorch.

IMAGE = ("rand", (2, 4, 9, 8))
ROWS = ("rand", (5, 6))

CASES = {
    "linear": (lambda nn: nn.Linear(6, 3), ROWS),
    "linear_3d_no_bias": (lambda nn: nn.Linear(6, 3, bias=False), ("rand", (2, 5, 6))),
    "conv2d": (
        lambda nn: nn.Conv2d(4, 6, 3, stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2),
        IMAGE,
    ),
    "conv2d_same": (lambda nn: nn.Conv2d(4, 2, (2, 3), padding="same"), IMAGE),
    "conv2d_valid": (lambda nn: nn.Conv2d(4, 2, (2, 3), padding="valid", bias=False), IMAGE),
    "conv2d_unbatched": (lambda nn: nn.Conv2d(4, 2, 3), ("rand", (4, 5, 6))),
    "max_pool2d": (lambda nn: nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True), IMAGE),
    "max_pool2d_dilated": (lambda nn: nn.MaxPool2d((2, 3), dilation=2), IMAGE),
    "gelu": (lambda nn: nn.GELU(), ROWS),
    "gelu_tanh": (lambda nn: nn.GELU("tanh"), ROWS),
    "silu": (lambda nn: nn.SiLU(), ROWS),
    "leaky_relu": (lambda nn: nn.LeakyReLU(0.1), ROWS),
    "softmax": (lambda nn: nn.Softmax(0), ROWS),
    "log_softmax": (lambda nn: nn.LogSoftmax(-1), ROWS),
    "flatten": (lambda nn: nn.Flatten(1, 2), IMAGE),
    "flatten_all": (lambda nn: nn.Flatten(0), IMAGE),
    "embedding": (
        lambda nn: nn.Embedding(5, 3, padding_idx=2, scale_grad_by_freq=True),
        ("below", 5, (2, 4)),
    ),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", CASES)
def test_layer_agrees_with_pytorch(name, device):
    torch = pytest.importorskip("torch")
    make, (kind, *sizes) = CASES[name]
    generator = torch.Generator().manual_seed(0)
    if kind == "rand":
        theirs_input = torch.randn(sizes[0], generator=generator)
    else:
        theirs_input = torch.randint(sizes[0], sizes[1], generator=generator)
    theirs, ours = make(torch.nn), make(nn)
    ours.load_state_dict({key: gn.tensor(value.tolist()) for key, value in theirs.state_dict().items()})
    ours_input = gn.tensor(theirs_input.tolist(), dtype=gn.float32 if kind == "rand" else gn.int64)
    if kind == "rand":
        theirs_input.requires_grad_()
        ours_input.requires_grad_()
    theirs_output, ours_output = theirs(theirs_input), ours(ours_input)
    # A gradient that differs from element to element, so that misplaced elements show.
    weights = torch.randn(theirs_output.shape, generator=generator)
    (theirs_output * weights).sum().backward()
    (ours_output * gn.tensor(weights.tolist())).sum().backward()
    pairs = {"output": (ours_output, theirs_output)}
    if kind == "rand":
        pairs["input.grad"] = (ours_input.grad, theirs_input.grad)
    for (key, parameter), wanted in zip(ours.named_parameters(), theirs.parameters()):
        pairs[key + ".grad"] = (parameter.grad, wanted.grad)
    for key, (got, wanted) in pairs.items():
        # float32, sums of at most a few hundred products of order 1.
        torch.testing.assert_close(
            torch.tensor(got.tolist()),
            wanted.detach(),
            rtol=1e-5,
            atol=1e-5,
            msg=lambda text, key=key: f"{key}: {text}",
        )


@pytest.mark.oracle
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 5)])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_cross_entropy_agrees_with_pytorch(reduction, shape, smoothing, device):
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(shape, generator=generator)
    target = torch.randint(3, (shape[0], *shape[2:]), generator=generator)
    target.flatten()[0] = -100
    weight = torch.tensor([0.5, 1.0, 2.0])
    options = {"reduction": reduction, "label_smoothing": smoothing}
    wanted = torch.nn.functional.cross_entropy(scores, target, weight, **options)
    got = functional.cross_entropy(
        gn.tensor(scores.tolist()), gn.tensor(target.tolist()), gn.tensor(weight.tolist()), **options
    )
    torch.testing.assert_close(torch.tensor(got.tolist()), wanted, rtol=1e-5, atol=1e-6)


def test_no_warning_on_the_common_path():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with gn.device("reference"):
            net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(2, 2))
            loss = nn.CrossEntropyLoss()(net(gn.rand(1, 1, 4, 4)), gn.tensor([1]))
            loss.backward()
    assert all(parameter.grad is not None for parameter in net.parameters())


# ---------------------------------------------------------------------------------------------------------
# Normalization.


def test_layer_norm(device):
    layer = nn.LayerNorm((2, 2), eps=0.0)
    assert list(layer.state_dict()) == ["weight", "bias"]
    assert repr(layer) == "LayerNorm((2, 2), eps=0.0, elementwise_affine=True, bias=True)"
    x = gn.tensor([[[1.0, 1.0], [3.0, 3.0]]])
    assert values(layer(x))[0][0] == pytest.approx([-1.0, -1.0])
    assert values(layer(x))[0][1] == pytest.approx([1.0, 1.0])
    with gn.no_grad():
        layer.weight.fill_(2.0)
        layer.bias.fill_(0.5)
    layer(x).sum().backward()
    assert values(layer(x))[0][0] == pytest.approx([-1.5, -1.5])
    assert values(layer(x))[0][1] == pytest.approx([2.5, 2.5])
    assert values(layer.bias.grad) == [[1.0, 1.0], [1.0, 1.0]]
    assert list(nn.LayerNorm(3, bias=False).state_dict()) == ["weight"]
    assert list(nn.LayerNorm(3, elementwise_affine=False).state_dict()) == []
    with pytest.raises(RuntimeError, match="normalized_shape"):
        nn.LayerNorm(3)(gn.ones(2, 4))


def test_rms_norm(device):
    layer = nn.RMSNorm(2, eps=0.0)
    assert repr(layer) == "RMSNorm((2,), eps=0.0, elementwise_affine=True)"
    with gn.no_grad():
        layer.weight.copy_(gn.tensor([1.0, 10.0]))
    assert values(layer(gn.tensor([[3.0, -3.0]]))) == [[1.0, -10.0]]
    assert list(nn.RMSNorm(2, elementwise_affine=False).parameters()) == []
