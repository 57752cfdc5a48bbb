"""The strides of results and gradients of many operators beside PyTorch's, for several memory orders."""

import pytest

import gnomon as gn

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.oracle

NAMES = """relu relu6 elu selu celu gelu silu mish hardswish hardsigmoid hardtanh leaky_relu softplus
softshrink hardshrink tanhshrink softsign logsigmoid sigmoid tanh rrelu normalize"""
UNARY = {name: lambda L, F, x, name=name: getattr(F, name)(x) for name in NAMES.split()}
FORMATS = ("contiguous_format", "channels_last", "preserve_format")
# Name -> the call; x is (N, C, 6, 6), y the same in another order, c a vector with a number for each channel
CASES = {
    **UNARY,
    "conv2d": lambda L, F, x, y, c: F.conv2d(x, L.ones(4, x.shape[1], 3, 3), stride=2),
    "conv2d depthwise": lambda L, F, x, y, c: F.conv2d(x, L.ones(x.shape[1], 1, 3, 3), groups=x.shape[1]),
    "conv2d 1x1": lambda L, F, x, y, c: F.conv2d(x, L.ones(4, x.shape[1], 1, 1)),
    "conv_transpose2d": lambda L, F, x, y, c: F.conv_transpose2d(x, L.ones(x.shape[1], 4, 3, 3)),
    "batch_norm": lambda L, F, x, y, c: F.batch_norm(x, None, None, c, c, True),
    "batch_norm eval": lambda L, F, x, y, c: F.batch_norm(x, c.detach(), c.detach().abs(), c, c),
    "group_norm": lambda L, F, x, y, c: F.group_norm(x, 1, c, c),
    "instance_norm": lambda L, F, x, y, c: F.instance_norm(x, None, None, c, c),
    "max_pool2d": lambda L, F, x, y, c: F.max_pool2d(x, 3, 2, 1, return_indices=True),
    "avg_pool2d": lambda L, F, x, y, c: F.avg_pool2d(x, 2),
    "lp_pool2d": lambda L, F, x, y, c: F.lp_pool2d(x, 2, 2),
    "adaptive_avg_pool2d": lambda L, F, x, y, c: F.adaptive_avg_pool2d(x, 2),
    "adaptive_avg_pool2d to 1": lambda L, F, x, y, c: F.adaptive_avg_pool2d(x, 1),
    "adaptive_max_pool2d": lambda L, F, x, y, c: F.adaptive_max_pool2d(x, 2),
    "fractional_max_pool2d": lambda L, F, x, y, c: F.fractional_max_pool2d(
        x, 2, output_size=3, _random_samples=L.full((*x.shape[:2], 2), 0.5)
    ),
    **{
        f"interpolate {mode}": lambda L, F, x, y, c, mode=mode: F.interpolate(x, size=(3, 8), mode=mode)
        for mode in ("nearest", "bilinear", "bicubic", "area", "nearest-exact")
    },
    "interpolate antialias": lambda L, F, x, y, c: F.interpolate(x, size=3, mode="bilinear", antialias=True),
    "pixel_unshuffle": lambda L, F, x, y, c: F.pixel_unshuffle(x, 2),
    "pixel_shuffle": lambda L, F, x, y, c: F.pixel_shuffle(L.cat([x] * 4, 1), 2),
    **{
        f"pad {mode}": lambda L, F, x, y, c, mode=mode: F.pad(x, (1, 2, 0, 1), mode=mode)
        for mode in ("constant", "reflect", "replicate", "circular")
    },
    "prelu": lambda L, F, x, y, c: F.prelu(x, c),
    "softmax": lambda L, F, x, y, c: F.softmax(x, 1),
    "log_softmax": lambda L, F, x, y, c: F.log_softmax(x, -1),
    "dropout": lambda L, F, x, y, c: F.dropout(x, 0.5, True),
    "dropout2d": lambda L, F, x, y, c: F.dropout2d(x, 0.5, True),
    "add": lambda L, F, x, y, c: x + y,
    "added": lambda L, F, x, y, c: y + x,
    "add of channels": lambda L, F, x, y, c: c.view(1, -1, 1, 1) + x,
    "mul of rows": lambda L, F, x, y, c: L.ones(6) * x,
    "addcmul": lambda L, F, x, y, c: L.addcmul(x, y, y),
    "where": lambda L, F, x, y, c: L.where(y > 0, x, y),
    "cat": lambda L, F, x, y, c: L.cat([x, y], 1),
    "stack": lambda L, F, x, y, c: L.stack([y, x], 1),
    "copy_": lambda L, F, x, y, c: L.empty_like(x).copy_(y),
    "clamp": lambda L, F, x, y, c: x.clamp(-1, 1),
    "exp": lambda L, F, x, y, c: x.exp(),
    "double": lambda L, F, x, y, c: x.double(),
    "squeeze and excite": lambda L, F, x, y, c: x * F.adaptive_avg_pool2d(x, 1).sigmoid(),
    "norm": lambda L, F, x, y, c: x.norm(dim=1, keepdim=True),
    "sum": lambda L, F, x, y, c: x.sum(1, keepdim=True),
    "mean": lambda L, F, x, y, c: x.mean((2, 3)),
    "cumsum": lambda L, F, x, y, c: x.cumsum(1),
    "flip": lambda L, F, x, y, c: x.flip(2),
    "chunk": lambda L, F, x, y, c: L.cat(x.chunk(2, 2)[::-1], 2),
    "zeros_like": lambda L, F, x, y, c: L.zeros_like(x),
    "rand_like": lambda L, F, x, y, c: L.rand_like(x),
    **{
        f"{name} {kind}": lambda L, F, x, y, c, name=name, kind=kind: (
            L.empty_like(x, memory_format=getattr(L, kind))
            if name == "empty_like"
            else getattr(x, name)(memory_format=getattr(L, kind))
        )
        for name in ("clone", "to", "empty_like")
        for kind in FORMATS
    },
}
ORDERS = ("contiguous", "channels_last", "transposed")
# PyTorch's strides depend on who computes: for one channel, on whether a size of 1 is seen as channels last.
AMBIGUOUS = {
    "pad circular",
    "prelu",
    "clamp",
    "squeeze and excite",
    "conv2d",
    "conv2d depthwise",
    "addcmul",
    "add",
}


def _made(library, sizes, order, seed):
    numbers = [(seed * 7919 + place * 104729) % 1009 / 500 - 1 for place in range(gn.Size(sizes).numel())]
    tensor = library.tensor(numbers).reshape(sizes)
    if order == "channels_last":
        return tensor.to(memory_format=library.channels_last)
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2) if order == "transposed" else tensor


def _strides(library, functional, call, sizes, orders):
    operands = [_made(library, sizes, order, seed) for seed, order in enumerate(orders)]
    operands.append(_made(library, sizes[1:2], "contiguous", 3))
    operands = [each.requires_grad_() for each in operands]
    found = call(
        library, functional, *(operands if call.__code__.co_varnames[3:4] == ("y",) else operands[:1])
    )
    results = found if isinstance(found, tuple) else (found,)
    strides = [tuple(each.stride()) for each in results]
    if results[0].requires_grad:
        for grad in (library.ones_like(results[0]), library.ones(results[0].shape, dtype=results[0].dtype)):
            given = library.autograd.grad(results[0], operands, grad, retain_graph=True, allow_unused=True)
            strides += [None if each is None else tuple(each.stride()) for each in given]
    return strides


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_strides_beside_pytorch(case, device):
    call = CASES[case]
    for sizes in ((2, 8, 6, 6), (1, 8, 6, 6), (2, 1, 6, 6)):
        if (sizes[1] == 1 and case in AMBIGUOUS) or (sizes[0] == 1 and case == "conv2d 1x1"):
            continue
        for order in ORDERS:
            for other in ORDERS:
                found = _strides(gn, gn.nn.functional, call, sizes, (order, other))
                expected = _strides(torch, torch.nn.functional, call, sizes, (order, other))
                assert found == expected, (sizes, order, other)
