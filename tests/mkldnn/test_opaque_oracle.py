"""The opaque layout beside PyTorch's: layouts, values and gradients of layers and of a network."""

import pytest

import gnomon as gn
from gnomon.nn import functional as F

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.oracle


@pytest.fixture(autouse=True)
def with_mkldnn():
    """PyTorch as a backend of gnomon, which a test before may have loaded, does without."""
    with torch.backends.mkldnn.flags(enabled=True):
        yield


LAYERS = {
    "conv2d": (lambda F, x, w, b: F.conv2d(x, w, b, 2, 1), (2, 9, 5, 4), (11, 9, 3, 2), (11,)),
    "conv3d": (lambda F, x, w, b: F.conv3d(x, w, b, 1, 1), (1, 3, 3, 3, 4), (4, 3, 2, 3, 3), (4,)),
    "conv_transpose2d": (lambda F, x, w, b: F.conv_transpose2d(x, w, b, 2), (1, 4, 3, 3), (4, 6, 3, 3), (6,)),
    "linear": (lambda F, x, w, b: F.linear(x, w, b), (2, 7, 3), (5, 3), (5,)),
    "max_pool2d": (lambda F, x: F.max_pool2d(x, 3, 2, 1), (2, 9, 5, 6)),
    "avg_pool2d": (lambda F, x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), (2, 9, 5, 6)),
    "adaptive_avg_pool2d": (lambda F, x: F.adaptive_avg_pool2d(x, (3, 2)), (2, 9, 3, 4)),
    "batch_norm": (lambda F, x, w, b: F.batch_norm(x, None, None, w, b, True), (2, 9, 3, 2), (9,), (9,)),
    "prelu": (lambda F, x, w: F.prelu(x, w), (2, 9, 2, 2), (9,)),
    "gelu": (lambda F, x: F.gelu(x), (2, 9, 2, 2)),
    "pointwise": (lambda F, x, y: (x * x + x.relu()) * 2, (2, 9, 2, 2), (1,)),
    "shapes": (lambda F, x, y: x.transpose(0, 1).reshape(9, -1).clone(), (2, 9, 2, 2), (1,)),
}


@pytest.mark.parametrize("case", LAYERS)
def test_layers_beside_pytorch(case, device):
    layer, *sizes = LAYERS[case]
    generator = torch.Generator().manual_seed(0)
    theirs = [torch.randn(*each, generator=generator).requires_grad_() for each in sizes]
    ours = [gn.tensor(each.tolist()).requires_grad_() for each in theirs]
    results = [
        layer(lib, xs[0].to_mkldnn(), *xs[1:]) for lib, xs in ((F, ours), (torch.nn.functional, theirs))
    ]
    assert [str(each.layout).partition(".")[2] for each in results] == ["_mkldnn"] * 2
    names = [type(each.grad_fn).__name__ if lib is torch else each.grad_fn.name()
             for lib, each in zip((gn, torch), results)]  # fmt: skip
    assert names[0] == names[1]
    found, expected = (each.to_dense() for each in results)
    gn.testing.assert_close(found, gn.tensor(expected.tolist()))
    found.square().sum().backward()
    expected.square().sum().backward()
    for mine, other in zip(ours, theirs):
        assert (mine.grad is None) == (other.grad is None)
        if mine.grad is not None:
            gn.testing.assert_close(mine.grad, gn.tensor(other.grad.tolist()), rtol=1e-4, atol=1e-4)


def parts_of_the_derivative(lib, x, w, g):
    """The results of the operators, and the kinds of errors that they raise."""
    own, weight, grad = (lib.tensor(each.tolist()) for each in (x, w, g))
    ops, opaque, opaque_grad = lib.ops.aten, own.to_mkldnn(), grad.to_mkldnn()
    without_bias = ops.mkldnn_linear_backward_weights(opaque_grad, opaque, weight, False)
    assert without_bias[1].shape == ()
    results = [
        ops.mkldnn_linear_backward_input((14, 3), opaque_grad, weight),
        *ops.mkldnn_linear_backward_weights(opaque_grad, opaque, weight, True),
        without_bias[0],
        *ops.mkldnn_linear_backward(opaque, opaque_grad, weight, (True, True, True)),
    ]
    kinds = []
    for operator, arguments in (
        (ops.mkldnn_linear_backward_input, ((2, 7, 3), grad, weight)),
        (ops.mkldnn_linear_backward_input, ((2, 7, 3), opaque_grad, weight.to_mkldnn())),
        (ops.mkldnn_linear_backward_input, ((2, 7, 3), opaque_grad, weight.double())),
        (ops.mkldnn_linear_backward_input, ((2, 7, 4), opaque_grad, weight)),
        (ops.mkldnn_linear_backward_weights, (grad, own, weight, True)),
        (ops.mkldnn_linear_backward_weights, (opaque_grad, own, weight, True)),
    ):
        with pytest.raises(RuntimeError) as raised:
            operator(*arguments)
        kinds.append(raised.type.__name__)
    return results, kinds


def test_parts_of_the_derivative_of_linear(device):
    generator = torch.Generator().manual_seed(0)
    given = [torch.randn(*each, generator=generator) for each in ((2, 7, 3), (5, 3), (2, 7, 5))]
    (found, kinds), (expected, wanted) = (parts_of_the_derivative(lib, *given) for lib in (gn, torch))
    assert kinds == wanted
    layouts = [[str(each.layout).partition(".")[2] for each in results] for results in (found, expected)]
    assert layouts[0] == layouts[1] == ["_mkldnn", *["strided"] * 3, "_mkldnn", *["strided"] * 2]
    for mine, other in zip(found, expected):
        mine, other = mine.to_dense(), gn.tensor(other.to_dense().tolist())
        gn.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("has_biases", [True, False])
@pytest.mark.parametrize("reverse", [True, False])
def test_recurrent_layer(reverse, has_biases, device):
    generator = torch.Generator().manual_seed(0)
    sizes = ((3, 2, 4), (20, 4), (20, 5), (20,), (20,), (1, 2, 5), (1, 2, 5))
    given = [torch.randn(*each, generator=generator) for each in sizes]
    found = {}
    for lib in (gn, torch):
        tensors = [lib.tensor(each.tolist(), requires_grad=True) for each in given]
        options = (reverse, [], 2, 5, 1, has_biases, False, False, True)
        results = lib.ops.aten.mkldnn_rnn_layer(*tensors, *options)
        assert results[3].dtype == lib.uint8
        sum((each * each).sum() for each in results[:3]).backward()
        count = 5 if has_biases else 3
        found[lib] = [*results[:3], *(each.grad for each in (*tensors[:count], *tensors[5:]))]
    for mine, other in zip(found[gn], found[torch]):
        assert mine.stride() == other.stride()
        gn.testing.assert_close(mine, gn.tensor(other.tolist()), rtol=1e-4, atol=1e-4)
    x = gn.tensor(given[0].tolist())
    with pytest.raises(RuntimeError, match="expected mode 2, an LSTM, but got 3"):
        gn.ops.aten.mkldnn_rnn_layer(*[x] * 7, False, [], 3, 5, 1, True, False, False, False)
    with pytest.raises(RuntimeError, match="expects dense tensor input"):
        gn.ops.aten.mkldnn_rnn_layer(x.to_mkldnn(), *[x] * 6, False, [], 2, 5, 1, True, False, False, False)
