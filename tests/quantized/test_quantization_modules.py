"""Observers, fake quantization, stubs, and the functions of ao.nn.quantized."""

import copy

import pytest

import gnomon as gn
from gnomon.ao import quantization as aoq
from gnomon.ao.nn.quantized import functional as F
from quantized_calls import facts, numbers, outcome, quantized

pytestmark = pytest.mark.filterwarnings("ignore")


def test_zero_points_have_the_dtypes_of_pytorch():
    x = gn.tensor([[-1.0, 0.5], [2.0, 0.0]])
    for scheme, dtype in ((gn.per_tensor_affine, gn.int32), (gn.per_tensor_symmetric, gn.int64)):
        observer = aoq.MinMaxObserver(qscheme=scheme)
        assert observer.calculate_qparams()[1].dtype is gn.int64  # before the first call
        assert observer(x) is x
        scale, zero_point = observer.calculate_qparams()
        assert zero_point.dtype is dtype and scale.dtype is gn.float32 and scale.shape == (1,)
    assert zero_point.tolist() == [128]
    observer = aoq.MinMaxObserver(qscheme=gn.per_tensor_symmetric, quant_min=0, quant_max=15)
    observer(x)
    assert observer.calculate_qparams()[1].tolist() == [7]
    channels = aoq.PerChannelMinMaxObserver(dtype=gn.quint8, qscheme=gn.per_channel_affine_float_qparams)
    channels(x)
    scale, zero_point = channels.calculate_qparams()
    assert zero_point.dtype is gn.float32 and gn.allclose(zero_point, gn.tensor([170.0, 0.0]))
    channels.reset_min_max_vals()
    assert channels.min_val.shape == (0,)


def test_moving_averages():
    observer = aoq.MovingAverageMinMaxObserver(averaging_constant=0.5)
    low = observer.min_val
    for number in (4.0, 2.0):
        observer(gn.tensor([-number, number]))
    assert (observer.min_val.item(), observer.max_val.item()) == (-3.0, 3.0)
    assert observer.min_val is low and observer.extra_repr() == "min_val=-3.0, max_val=3.0"
    channels = aoq.MovingAveragePerChannelMinMaxObserver(0.5, ch_axis=1)
    channels(gn.tensor([[1.0, -4.0], [3.0, 2.0]]))
    channels(gn.tensor([[2.0, 0.0], [3.0, 2.0]]))
    assert channels.min_val.tolist() == [1.5, -2.0] and channels.max_val.tolist() == [3.0, 2.0]


def test_observers_refuse():
    with pytest.raises(NotImplementedError, match="Cannot reduce range for symmetric"):
        aoq.MinMaxObserver(qscheme=gn.per_tensor_symmetric, reduce_range=True)
    with pytest.raises(NotImplementedError, match=r"averaging_constant 1, got 0\.01"):
        aoq.MovingAverageMinMaxObserver(is_dynamic=True)
    with pytest.raises(NotImplementedError, match="no dynamic quantization per channel"):
        aoq.PerChannelMinMaxObserver(is_dynamic=True)


def test_fake_quantize_observes_rounds_and_has_gradients():
    module = aoq.FakeQuantize(aoq.MinMaxObserver, 0, 15)
    x = gn.tensor([-1.0, 0.24, 2.0], requires_grad=True)
    found = module(x)
    found.sum().backward()
    assert gn.allclose(found, gn.tensor([-1.0, 0.2, 2.0])) and x.grad.tolist() == [1.0, 1.0, 1.0]
    assert module.zero_point.tolist() == [5] and module.zero_point.dtype is gn.int32
    module.apply(aoq.disable_observer)
    assert module(gn.tensor([9.0])).tolist() == [2.0] and gn.allclose(module.scale, gn.tensor([0.2]))
    module.apply(aoq.disable_fake_quant)
    assert module(gn.tensor([9.0])).tolist() == [9.0]
    module.apply(aoq.enable_fake_quant)
    module.apply(aoq.enable_observer)
    assert module(gn.tensor([9.0])).tolist() != [2.0]
    again = aoq.FakeQuantize.with_args(observer=aoq.MinMaxObserver, quant_min=0, quant_max=15)()
    again.load_state_dict(module.state_dict())
    assert again.scale.equal(module.scale) and again.activation_post_process.max_val.item() == 9.0
    for kind, options, text in (
        (aoq.FakeQuantize, {"quant_min": 3, "quant_max": 1}, "less than or equal"),
        (aoq.FakeQuantize, {"quant_min": -1, "quant_max": 1}, "quant_min out of bound"),
        (aoq.FakeQuantize, {"quant_min": 0, "quant_max": 256}, "quant_max out of bound"),
        (aoq.FusedMovingAvgObsFakeQuantize, {"observer": aoq.MinMaxObserver}, "got MinMaxObserver"),
    ):
        with pytest.raises(AssertionError, match=text):
            kind(**options)


def test_the_fused_module_is_the_two_in_turn():
    both = [
        kind(quant_min=0, quant_max=255) for kind in (aoq.FakeQuantize, aoq.FusedMovingAvgObsFakeQuantize)
    ]
    for seed in (1, 2, 3):
        one, other = (module(numbers(gn, 3, 4, seed=seed)) for module in both)
        assert (one - other).abs().max() < 1e-6
    assert both[1].activation_post_process.min_val.equal(both[0].activation_post_process.min_val)
    assert "reduce_range=False" in both[1].extra_repr()


def test_channels_of_a_state_dict_have_their_sizes():
    options = {"dtype": gn.qint8, "qscheme": gn.per_channel_symmetric, "ch_axis": 0}
    observer = aoq.MovingAveragePerChannelMinMaxObserver
    module = aoq.FakeQuantize(observer, -128, 127, **options)
    module(numbers(gn, 3, 4))
    again = aoq.FakeQuantize(observer, -128, 127, **options)
    again.load_state_dict(copy.deepcopy(module.state_dict()))
    assert again.scale.equal(module.scale) and again.zero_point.tolist() == [0, 0, 0]


def test_stubs():
    x = gn.ones(2)
    config = aoq.QConfig(aoq.MinMaxObserver, aoq.PerChannelMinMaxObserver)
    assert aoq.QuantStub()(x) is x and aoq.DeQuantStub(config).qconfig is config
    layer = gn.nn.Linear(2, 1).eval()
    wrapper = aoq.QuantWrapper(layer)
    assert wrapper(x).equal(layer(x)) and not wrapper.training
    assert [name for name, _ in wrapper.named_children()] == ["quant", "dequant", "module"]


FUNCTIONS = {
    "avg_pool2d": lambda f, x: f.avg_pool2d(x, 2),
    "avg_pool3d": lambda f, x: f.avg_pool3d(x[None], 2),
    "adaptive_avg_pool2d": lambda f, x: f.adaptive_avg_pool2d(x, 3),
    "adaptive_avg_pool3d": lambda f, x: f.adaptive_avg_pool3d(x[None], 3),
    "interpolate": lambda f, x: f.interpolate(x, scale_factor=2),
    "bilinear": lambda f, x: f.interpolate(x, size=(7, 15), mode="bilinear", align_corners=True),
    "upsample": lambda f, x: f.upsample(x, size=(3, 3)),
    "upsample_nearest": lambda f, x: f.upsample_nearest(x, scale_factor=2),
    "hardtanh": lambda f, x: f.hardtanh(x, -0.3, 0.5),
    "hardsigmoid": lambda f, x: (f.hardsigmoid(x), f.hardsigmoid(x, True))[0].q_zero_point(),
    "clamp": lambda f, x: f.clamp(x, -0.3, 0.5),
    "threshold": lambda f, x: f.threshold(x, 0.3, 0.5),
    "threshold of None": lambda f, x: f.threshold(x, None, 0.5),
    "hardswish": lambda f, x: f.hardswish(x, 0.04, 3),
    "elu": lambda f, x: f.elu(x, 0.04, 3, 0.7),
    "celu": lambda f, x: f.celu(x, 0.04, 3, 0.7),
    "max_pool2d": lambda f, x: f.max_pool2d(x, 2),
    "max_pool1d": lambda f, x: f.max_pool1d(x[0], 2),
    "indices": lambda f, x: f.max_pool2d(x, 2, return_indices=True),
    "leaky_relu": lambda f, x: f.leaky_relu(x, 0.1),
    "leaky_relu_": lambda f, x: (f.leaky_relu(x, 0.1, True), x),
    "another scale": lambda f, x: f.leaky_relu(x, 0.1, False, 0.07, 3),
    "another scale in place": lambda f, x: f.leaky_relu(x, 0.1, True, 0.07, 3),
}


@pytest.mark.parametrize("name", list(FUNCTIONS)[:16])
def test_functions_refuse_floats(name):
    with pytest.raises(ValueError, match="must be quantized"):
        FUNCTIONS[name](F, gn.ones(2, 4, 4, 8))


def test_functions_by_hand():
    q = gn._make_per_tensor_quantized_tensor(gn.tensor([[[[1, 3, 5, 9]]]], dtype=gn.uint8), 0.5, 3)
    assert F.avg_pool2d(q, (1, 2)).int_repr().flatten().tolist() == [2, 7]
    assert F.max_pool2d(q, (1, 2)).int_repr().flatten().tolist() == [3, 9]
    assert F.leaky_relu(q, 0.5, False, 0.25, 0).int_repr().flatten().tolist() == [0, 0, 4, 12]
    assert F.leaky_relu(q, 0.5).int_repr().flatten().tolist() == [2, 3, 5, 9]
    assert F.clamp(q, -0.5, 1.0).int_repr().flatten().tolist() == [2, 3, 5, 5]
    with pytest.warns(UserWarning, match=r"upsample_nearest is deprecated"):
        assert F.upsample_nearest(q, size=(1, 2)).int_repr().flatten().tolist() == [1, 5]
    with pytest.raises(NotImplementedError, match="return_indices"):
        F.max_pool1d(q[0], 2, return_indices=True)
    with pytest.raises(AssertionError, match="Cannot rescale"):
        F.leaky_relu(q, 0.5, True, 0.25, 0)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["quint8", "qint8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_beside_pytorch(name, kind):
    torch = pytest.importorskip("torch")
    import torch.ao.nn.quantized.functional as theirs

    found = [
        outcome(FUNCTIONS[name], functions, quantized(lib, 2, 4, 4, 8, kind=kind))
        for lib, functions in ((gn, F), (torch, theirs))
    ]
    assert found[0] == found[1]


SCHEMES = [
    *[(f"{start}MinMaxObserver", scheme) for start in ("", "MovingAverage")
      for scheme in ("per_tensor_affine", "per_tensor_symmetric")],
    *[(f"{start}PerChannelMinMaxObserver", scheme) for start in ("", "MovingAverage")
      for scheme in ("per_channel_affine", "per_channel_symmetric", "per_channel_affine_float_qparams")],
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("reduce_range", [False, True])
@pytest.mark.parametrize("kind", ["quint8", "qint8", "qint32"])
@pytest.mark.parametrize(("name", "scheme"), SCHEMES)
def test_observers_beside_pytorch(name, scheme, kind, reduce_range):
    torch = pytest.importorskip("torch")

    def observe(lib):
        options = {"dtype": getattr(lib, kind), "qscheme": getattr(lib, scheme), "reduce_range": reduce_range}
        observer = getattr(lib.ao.quantization, name)(**options)
        found = [facts(observer.calculate_qparams()), observer.quant_min, observer.quant_max]
        for seed in (1, 2, 3):
            observer(numbers(lib, 3, 4, seed=seed) * seed)
            found.append(facts(observer.calculate_qparams()))
        return [*found, observer.extra_repr(), list(observer.state_dict())]

    assert outcome(observe, gn) == outcome(observe, torch)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", [("quint8", 0, 255), ("qint8", -128, 127), ("quint8", 0, 15)])
@pytest.mark.parametrize("scheme", ["per_tensor_affine", "per_tensor_symmetric", "per_channel_symmetric"])
@pytest.mark.parametrize("name", ["FakeQuantize", "FusedMovingAvgObsFakeQuantize"])
def test_fake_quantize_beside_pytorch(name, scheme, kind):
    torch = pytest.importorskip("torch")
    dtype, least, most = kind

    def train(lib):
        per_channel = "channel" in scheme
        observer = f"MovingAverage{'PerChannel' if per_channel else ''}MinMaxObserver"
        options = {"dtype": getattr(lib, dtype), "qscheme": getattr(lib, scheme)}
        names = lib.ao.quantization
        module = getattr(names, name)(getattr(names, observer), least, most, **options)
        found = []
        for seed in (1, 2, 3):
            x = numbers(lib, 3, 4, seed=seed).mul(seed).requires_grad_()
            y = module(x)
            (y * y).sum().backward()
            found.append(facts([y.detach(), x.grad, module.scale, module.zero_point]))
        module.apply(names.disable_observer)
        found.append(facts(module(numbers(lib, 3, 4, seed=5))))
        return [*found, list(module.state_dict()), repr(module).replace("gnomon.", "torch.")]

    assert outcome(train, gn) == outcome(train, torch)
