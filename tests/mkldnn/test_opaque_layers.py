"""Layers, gradients and networks in the opaque layout, compared with the same on strided tensors."""

import io
import pickle
from typing import Any

import pytest

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import nn
from gnomon.utils import mkldnn

aten = gn.ops.aten


def _draw(*sizes):
    return gn.randn(*sizes)


LAYERS = {
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, 2, 1), (2, 4, 9), (5, 4, 3), (5,)),
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, 2, 1), (2, 9, 5, 4), (11, 9, 3, 2), (11,)),
    "conv2d with dilation": (lambda x, w, b: F.conv2d(x, w, b, 1, 2, 2), (1, 3, 6, 5), (8, 3, 3, 3), (8,)),
    "conv2d same": (lambda x, w, b: F.conv2d(x, w, b, 1, "same"), (1, 8, 3, 3), (8, 8, 3, 3), (8,)),
    "conv2d of groups": (lambda x, w, b: F.conv2d(x, w, b, 1, 1, 1, 2), (2, 4, 3, 3), (6, 2, 3, 3), (6,)),
    "conv3d": (lambda x, w, b: F.conv3d(x, w, b, 1, 1), (1, 3, 3, 3, 4), (4, 3, 2, 3, 3), (4,)),
    "conv_transpose2d": (lambda x, w, b: F.conv_transpose2d(x, w, b, 2), (1, 4, 3, 3), (4, 6, 3, 3), (6,)),
    "linear": (F.linear, (2, 7, 3), (5, 3), (5,)),
    "linear of a vector": (F.linear, (3,), (5, 3), (5,)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), (2, 9, 5, 6)),
    "max_pool2d with ceil": (lambda x: F.max_pool2d(x, (2, 3), ceil_mode=True), (1, 3, 5, 5)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), (1, 9, 4, 4, 4)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1), (2, 9, 5, 6)),
    "avg_pool2d without padding": (
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        (2, 3, 5, 6),
    ),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2), (1, 3, 4, 4, 4)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (None, 2)), (2, 9, 3, 4)),
    "adaptive_avg_pool2d to 1": (lambda x: F.adaptive_avg_pool2d(x, 1), (2, 3, 3, 4)),
    "batch_norm": (
        lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
        (2, 9, 3, 2),
        (9,),
        (9,),
    ),
    "prelu": (F.prelu, (2, 9, 2, 2), (9,)),
    "gelu": (F.gelu, (2, 9, 2, 2)),
}


@pytest.mark.parametrize("case", LAYERS)
def test_layers_and_their_gradients(case, device):
    layer, sizes, *others = LAYERS[case]
    gn.manual_seed(0)
    x = _draw(*sizes).requires_grad_()
    parameters = [_draw(*each).requires_grad_() for each in others]
    expected = layer(x, *parameters)
    found = layer(x.to_mkldnn(), *parameters)
    assert found.layout is gn._mkldnn and found.shape == expected.shape
    gn.testing.assert_close(found.to_dense(), expected)
    into = _draw(*expected.shape)
    wanted = gn.autograd.grad(expected, [x, *parameters], into)
    got = gn.autograd.grad(found, [x, *parameters], into.to_mkldnn())
    for mine, theirs in zip(got, wanted):
        assert mine.layout is gn.strided
        gn.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("case", ["conv1d", "conv2d", "conv2d of groups", "conv3d", "linear", "prelu"])
def test_parameters_may_be_opaque(case, device):
    layer, *sizes = LAYERS[case]
    gn.manual_seed(0)
    dense = [_draw(*each) for each in sizes]
    expected = layer(*dense)
    gn.testing.assert_close(layer(*(each.to_mkldnn() for each in dense)).to_dense(), expected)
    narrow = layer(*(each.to_mkldnn(gn.bfloat16) for each in dense))
    assert narrow.dtype is gn.bfloat16
    gn.testing.assert_close(narrow.to_dense(gn.float32), expected, rtol=0.05, atol=0.2)


@pytest.mark.parametrize("width", [1, 5, 7, 13])
@pytest.mark.parametrize("features", [3, 8, 17])
def test_convolutions_in_blocks(width, features, device):
    gn.manual_seed(0)
    x, w, b = (
        gn.randint(-3, 4, (2, 11, 3, width)),
        gn.randint(-3, 4, (features, 11, 2, 1)),
        gn.arange(features),
    )
    x, w, b = (each.float() for each in (x, w, b))
    for stride, padding, dilation in ((1, 0, 1), (2, (1, 0), 1), ((1, 2), (2, 1), (3, 1))):
        expected = F.conv2d(x, w, b, stride, padding, dilation)
        assert gn.equal(F.conv2d(x.to_mkldnn(), w, b, stride, padding, dilation).to_dense(), expected)
    with pytest.raises(RuntimeError, match="Kernel size can't be greater than actual input size"):
        F.conv2d(x.to_mkldnn(), w, b, 1, 0, 4)
    with pytest.raises(RuntimeError, match="in blocks of 8 channels"):
        aten._mkldnn_blocked_convolution(x, w, None, 1, (1, 1), (0, 0), (1, 1))


def test_weights_in_blocks(device):
    w = gn.arange(12 * 9 * 2.0).reshape(12, 9, 1, 2)
    reordered = aten.mkldnn_reorder_conv2d_weight(w.to_mkldnn(), [0, 0], [1, 1], [1, 1], 1)
    assert reordered.blocking.name == "OIhw8i8o" and reordered.held.shape == (2, 2, 1, 2, 8, 8)
    assert reordered.held[1, 0, 0, 1, 3, :4].tolist() == w[8:, 3, 0, 1].tolist()
    assert gn.equal(reordered.to_dense(), w) and reordered.shape == w.shape
    x = _draw(1, 9, 3, 3)
    gn.testing.assert_close(
        F.conv2d(x.to_mkldnn(), reordered).to_dense(), F.conv2d(x, w), rtol=1e-4, atol=1e-3
    )
    assert gn.equal((reordered + w.to_mkldnn()).to_dense(), w + w)
    assert gn.equal((w.to_mkldnn() + reordered).to_dense(), w + w)
    grouped = _draw(2, 3, 2, 3, 3)  # (groups, channels of each, *)
    assert aten.mkldnn_reorder_conv2d_weight(grouped.to_mkldnn(), 0, 1, 1, 2).shape == (6, 2, 3, 3)
    deep = _draw(3, 4, 2, 1, 2)
    kept = aten.mkldnn_reorder_conv3d_weight(deep.to_mkldnn())
    assert kept.held.shape == (1, 1, 2, 1, 2, 8, 8) and gn.equal(kept.to_dense(), deep)


def test_batch_normalization_by_running_statistics(device):
    gn.manual_seed(0)
    for sizes in ((2, 9, 3, 2), (1, 9, 2, 1, 2)):
        x, (w, b, mean) = _draw(*sizes), _draw(3, 9).unbind()
        parameters = (mean, gn.rand(9) + 0.5, w, b)
        expected = F.batch_norm(x, *parameters)
        gn.testing.assert_close(F.batch_norm(x.to_mkldnn(), *parameters).to_dense(), expected)
        opaque = F.batch_norm(x.to_mkldnn(), *(each.to_mkldnn() for each in parameters))
        gn.testing.assert_close(opaque.to_dense(), expected)
    half = F.batch_norm(x.to_mkldnn(gn.bfloat16), *parameters)
    assert half.dtype is gn.bfloat16


def test_batch_normalization_moves_the_running_statistics(device):
    gn.manual_seed(0)
    x, ones = _draw(2, 3, 2, 2), gn.ones(3)
    mean, variance = gn.zeros(3), gn.ones(3)
    opaque = [mean.to_mkldnn(), variance.to_mkldnn()]
    strided = [mean.clone(), variance.clone()]
    F.batch_norm(x, mean, variance, ones, ones, training=True)
    F.batch_norm(x.to_mkldnn(), *strided, ones, ones, training=True)
    F.batch_norm(x.to_mkldnn(), *opaque, ones, ones, training=True)
    for found, kept, expected in zip(opaque, strided, (mean, variance)):
        assert found.layout is gn._mkldnn
        gn.testing.assert_close(found.to_dense(), expected)
        gn.testing.assert_close(kept, expected)


def _opaque(*sizes):
    return gn.ones(*sizes).to_mkldnn()


ONES = [gn.ones(3)] * 2
REFUSED = {
    "a strided input": (
        lambda: F.conv2d(gn.ones(1, 2, 3, 3), _opaque(2, 2, 1, 1)),
        "should be the same or input",
    ),
    "channels": (lambda: F.conv2d(_opaque(1, 2, 3, 3), gn.ones(2, 3, 1, 1)), "to have 3 channels, but got 2"),
    "a strided input of linear": (lambda: F.linear(gn.ones(2, 3), _opaque(4, 3)), "'aten::mm'"),
    "strided mkldnn_linear": (
        lambda: aten.mkldnn_linear(gn.ones(2, 3), gn.ones(4, 3)),
        "'aten::mkldnn_linear'",
    ),
    "strided max_pool": (lambda: gn.mkldnn_max_pool2d(gn.ones(1, 1, 2, 2), 2), "'aten::mkldnn_max_pool2d'"),
    "strided weight": (
        lambda: aten.mkldnn_reorder_conv2d_weight(gn.ones(1, 1, 2, 2)),
        "Use Tensor.to_mkldnn",
    ),
    "dilated max_pool": (
        lambda: F.max_pool2d(_opaque(1, 1, 5, 5), 2, dilation=2),
        "does not support dilation case",
    ),
    "without images": (lambda: F.max_pool2d(_opaque(1, 5, 5), 2), "expected an input of 4 dimensions"),
    "divisor": (lambda: F.avg_pool2d(_opaque(1, 1, 4, 4), 2, divisor_override=3), "does not support divisor"),
    "indivisible": (lambda: F.adaptive_avg_pool2d(_opaque(1, 1, 4, 4), 3), "input size is not divisible by"),
    "not affine": (lambda: F.batch_norm(_opaque(1, 3, 2, 2), *ONES), "only support affine model"),
    "1d": (lambda: F.batch_norm(_opaque(2, 3), *ONES, *ONES), "inference only support 2d and 3d batchnorm"),
    "no images": (
        lambda: aten.mkldnn_reorder_conv2d_weight(_opaque(8, 2)),
        "expected the weight of a convolution",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_layers_refuse(case):
    call, text = REFUSED[case]
    with pytest.raises(RuntimeError, match=text):
        call()


def test_gradients_that_there_are_not():
    x, w = gn.ones(1, 8, 3, 3).requires_grad_(), gn.ones(8, 8, 1, 1)
    parameters = [gn.ones(8)] * 4
    for found, text in (
        (
            F.conv2d(x.to_mkldnn(), w.to_mkldnn()),
            "does not support weight as an MKLDNN tensor during training",
        ),
        (F.linear(x.to_mkldnn(), gn.ones(4, 3).to_mkldnn()), "expects dense tensor input"),
        (F.batch_norm(x.to_mkldnn(), *parameters), "currently mkldnn only support train model"),
    ):
        with pytest.raises(RuntimeError, match=text):
            found.to_dense().sum().backward()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)

    def forward(self, x):
        return gn.relu(x + self.norm(self.conv(x)))


def _network():
    gn.manual_seed(0)
    layers = (nn.Conv2d(3, 8, 3, padding=1), nn.PReLU(8), Block(), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(2))
    network = nn.Sequential(*layers, nn.Flatten(), nn.Linear(32, 5))
    network[2].norm.running_mean.normal_()
    return network.eval()


def test_a_network_runs_wholly_in_the_opaque_layout(device):
    dense, network = _network(), mkldnn.to_mkldnn(_network())
    kinds = [type(each).__name__ for each in network.modules() if not list(each.children())]
    assert kinds == [
        *["MkldnnConv2d", "MkldnnPrelu", "MkldnnConv2d", "MkldnnBatchNorm"],
        *["MaxPool2d", "AdaptiveAvgPool2d", "Flatten", "MkldnnLinear"],
    ]
    layouts = []
    for each in network.modules():
        each.register_forward_hook(lambda module, inputs, output: layouts.append(output.layout))
    assert all(each.layout is gn._mkldnn for each in network.buffers())
    x = _draw(2, 3, 4, 4)
    with gn.no_grad():
        found = network(x.to_mkldnn())
        gn.testing.assert_close(found.to_dense(), dense(x))
    assert len(layouts) == 10 and set(layouts) == {gn._mkldnn}


def test_modules_are_pickled_as_strided_tensors():
    network = mkldnn.to_mkldnn(_network())
    x = _draw(1, 3, 4, 4).to_mkldnn()
    file = io.BytesIO()
    gn.save(network, file)
    file.seek(0)
    for read in (pickle.loads(pickle.dumps(network)), gn.load(file, weights_only=False)):
        assert read[0].weight.blocking.name == "OIhw8i8o"
        assert gn.equal(read(x).to_dense(), network(x).to_dense())


def test_modules_that_cannot_be_converted():
    with pytest.raises(AssertionError, match="only support float, bfloat16, and half"):
        mkldnn.to_mkldnn(nn.Linear(1, 1), gn.float64)
    for norm in (nn.BatchNorm2d(1), nn.BatchNorm2d(1, affine=False).eval()):
        with pytest.raises(AssertionError, match="Only support"):
            mkldnn.to_mkldnn(norm)
    linear = mkldnn.to_mkldnn(nn.Linear(3, 2, bias=False), gn.bfloat16)
    assert linear.weight.dtype is gn.bfloat16 and linear.bias.dtype is gn.float32
    strided = mkldnn.to_mkldnn(nn.Linear(3, 2))(gn.ones(1, 3))
    assert strided.layout is gn.strided
    conv = mkldnn.to_mkldnn(nn.Conv1d(2, 3, 2))
    assert conv(gn.ones(1, 2, 4).to_mkldnn()).shape == (1, 3, 3)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"bias": gn.ones(3)}, r"expected bias of sizes \[1, 8\], but got \[3\]"),
        ({"weight": gn.ones(1, 1, 3, 3, 8, 8, dtype=gn.float64)}, "expected dtype float32 for `weight`"),
        ({"bias": gn.ones(1, 8, dtype=gn.float64)}, "expected dtype float32 for `bias`"),
        ({"stride": [0, 1]}, "stride should be greater than zero"),
        ({"dilation": [1, 0]}, "dilation should be greater than zero"),
        ({"padding": [-5, 0]}, "must be non-negative, got -5"),
        ({"channels": 9}, "channels to be in them"),
    ],
)
def test_the_blocked_convolution_checks_its_arguments(changed: dict[str, Any], text: str) -> None:
    given = {
        "input": gn.ones(1, 1, 4, 4, 8),
        "weight": gn.ones(1, 1, 3, 3, 8, 8),
        "bias": None,
        "channels": 8,
        "stride": [1, 1],
        "padding": [0, 0],
        "dilation": [1, 1],
    }
    with pytest.raises(RuntimeError, match=text):
        gn.ops.aten._mkldnn_blocked_convolution.default(*{**given, **changed}.values())
