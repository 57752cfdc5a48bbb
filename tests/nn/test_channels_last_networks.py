"""Channels last through whole networks: no layer, gradient or state falls back to the order NCHW."""

import pytest

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import nn


class Residual(nn.Module):
    def __init__(self, channels, grown, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, grown, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(grown)
        self.conv2 = nn.Conv2d(grown, grown, 3, 1, 1, bias=False)
        self.norm2 = nn.GroupNorm(2, grown)
        self.shortcut = nn.Conv2d(channels, grown, 1, stride, bias=False)
        self.act = nn.ReLU()
        self.leaky = nn.LeakyReLU()

    def forward(self, x):
        y = self.leaky(self.norm1(self.conv1(x)))
        y = F.dropout(self.norm2(self.conv2(y)), 0.5)
        y = y * F.adaptive_avg_pool2d(y, 1).sigmoid()
        return self.act(y + self.shortcut(x))


def _network():
    gn.manual_seed(0)
    stem = (nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
    up = (nn.Upsample(scale_factor=2), nn.ConvTranspose2d(8, 4, 2, 2), nn.ZeroPad2d(1), nn.AvgPool2d(2))
    return nn.Sequential(*stem, Residual(4, 8, 2), *up, nn.Conv2d(4, 4, 1), nn.GELU())


def _is_last(tensor):
    return tensor.is_contiguous(memory_format=gn.channels_last) and not tensor.is_contiguous()


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("batch", [1, 2])
def test_a_residual_network_stays_channels_last(batch, training, device):
    network = _network().train(training).to(memory_format=gn.channels_last)
    weights = [each for each in network.parameters() if each.dim() == 4]
    assert all(each.is_contiguous(memory_format=gn.channels_last) for each in weights)
    orders = {}

    def look(name):
        def hook(module, inputs, output):
            if 1 not in output.shape[2:]:
                orders[name] = _is_last(output)
                if output.requires_grad:
                    output.register_hook(
                        lambda grad: orders.__setitem__(f"gradient of {name}", _is_last(grad))
                    )

        return hook

    for name, module in network.named_modules():
        module.register_forward_hook(look(name))
    x = gn.randn(batch, 3, 8, 8).to(memory_format=gn.channels_last).requires_grad_()
    optimizer = gn.optim.Adam(network.parameters(), foreach=False)
    network(x).square().sum().backward()
    optimizer.step()
    assert len(orders) > 30 and all(orders.values()), [name for name, last in orders.items() if not last]
    assert _is_last(x.grad)
    for weight in weights:
        assert weight.grad.stride() == weight.stride()
        assert optimizer.state[weight]["exp_avg"].stride() == weight.stride()


def _last(*sizes):
    return gn.randn(*sizes).to(memory_format=gn.channels_last)


GRADIENTS = {
    "relu": F.relu,
    "relu_": lambda x: gn.relu_(x * 1),
    "leaky_relu": F.leaky_relu,
    "threshold": lambda x: F.threshold(x, 0.5, 0),
    "rrelu": F.rrelu,
}


@pytest.mark.parametrize("case", GRADIENTS)
def test_a_contiguous_gradient_becomes_channels_last_at_an_activation(case, device):
    x = _last(2, 4, 3, 3).requires_grad_()
    (found,) = gn.autograd.grad(GRADIENTS[case](x), x, gn.ones(2, 4, 3, 3))
    assert found.stride() == (36, 1, 12, 4)
    y = gn.randn(2, 4, 3, 3, requires_grad=True)
    (found,) = gn.autograd.grad(GRADIENTS[case](y), y, _last(2, 4, 3, 3))
    assert found.stride() == (36, 9, 3, 1)


def test_the_gradient_of_a_norm_is_channels_last(device):
    x = _last(2, 4, 3, 3).requires_grad_()
    for keepdim in (True, False):
        (found,) = gn.autograd.grad(x.norm(dim=1, keepdim=keepdim).sum(), x)
        assert found.stride() == (36, 1, 12, 4)
    zero = gn.zeros(2, 2, requires_grad=True)
    assert gn.autograd.grad(zero.norm(dim=1).sum(), zero)[0].tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("sizes", [(2, 1, 3, 3), (2, 4, 1, 1)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_of_an_input_in_both_orders_is_row_major(sizes, training, device):
    x, ones = _last(*sizes), gn.ones(sizes[1])
    assert x.is_contiguous()
    found = F.batch_norm(x, ones, ones, training=training)
    assert found.stride() == gn.empty(sizes).stride() != x.stride()
