"""Quantized tensors beside PyTorch's: the same integers, bit for bit."""

import io
import itertools
import random

import pytest

import gnomon as gn

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

SCALES = (0.1, 0.05, 1 / 3, 0.0071, 2.0)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def numbers(scale: float, torch, count: int = 600):
    """Halves between two integers, which show how a result is rounded, and some others."""
    halves = (torch.arange(count) - count // 2 + 0.5) * scale
    return torch.cat([halves, torch.randn(count, generator=torch.Generator().manual_seed(0)) * 60 * scale])


def pair(x):
    return x, gn.tensor(x.tolist())


def same(found, expected) -> None:
    assert found.int_repr().tolist() == expected.int_repr().tolist()
    assert found.dtype.name == str(expected.dtype).removeprefix("torch.")
    assert found.stride() == expected.stride() and found.shape == expected.shape
    numbers = expected.dequantize()
    assert found.dequantize().tolist() == numbers.tolist()


@pytest.mark.parametrize("kind", ["qint8", "quint8", "qint32"])
def test_per_tensor(torch, kind):
    for scale, zero_point in itertools.product(SCALES, (0, 3, 77)):
        theirs, ours = pair(numbers(scale, torch))
        same(
            gn.quantize_per_tensor(ours, scale, zero_point, getattr(gn, kind)),
            torch.quantize_per_tensor(theirs, scale, zero_point, getattr(torch, kind)),
        )


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("kind", ["qint8", "quint8"])
def test_per_channel(torch, kind, floating, axis):
    rows = torch.stack([numbers(scale, torch) for scale in SCALES], 1 - (1 - axis))
    zero_points = [0.5, 3.25, 0.0, 7.0, 77.7] if floating else [0, 3, 1, 7, 77]
    theirs, ours = pair(rows)
    same(
        gn.quantize_per_channel(ours, gn.tensor(SCALES), gn.tensor(zero_points), axis, getattr(gn, kind)),
        torch.quantize_per_channel(
            theirs, torch.tensor(SCALES), torch.tensor(zero_points), axis, getattr(torch, kind)
        ),
    )


@pytest.mark.parametrize("reduce_range", [False, True])
@pytest.mark.parametrize("kind", ["qint8", "quint8"])
def test_dynamic(torch, kind, reduce_range):
    for seed, factor, shift in itertools.product(range(5), (1e-6, 0.01, 1.0, 100.0), (0.0, 0.5, -3.0)):
        x = torch.randn(40, generator=torch.Generator().manual_seed(seed)) * factor + shift * factor
        theirs, ours = pair(x)
        found = gn.quantize_per_tensor_dynamic(ours, getattr(gn, kind), reduce_range)
        expected = torch.quantize_per_tensor_dynamic(theirs, getattr(torch, kind), reduce_range)
        assert (found.q_scale(), found.q_zero_point()) == (expected.q_scale(), expected.q_zero_point())
        same(found, expected)


FUNCTIONS = {
    "relu": lambda q, _: q.relu(),
    "sigmoid": lambda q, _: q.sigmoid(),
    "tanh": lambda q, _: q.tanh(),
    "clamp": lambda q, _: q.clamp(-0.3, 0.7),
    "max_pool2d": lambda q, _: _.nn.functional.max_pool2d(q, 3, 2, 1),
    "avg_pool2d": lambda q, _: _.nn.functional.avg_pool2d(q, 2),
    "adaptive": lambda q, _: _.nn.functional.adaptive_avg_pool2d(q, 3),
    "interpolate": lambda q, _: _.nn.functional.interpolate(q, scale_factor=2),
    "max": lambda q, _: q.max(1)[0],
    "topk": lambda q, _: q.topk(2)[0],
    "cat": lambda q, _: _.cat([q, q.flip(0)], 1),
    "mean": lambda q, _: q.mean((2, 3)),
    "permute": lambda q, _: q.permute(0, 2, 3, 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", ["qint8", "quint8"])
def test_functions(torch, name, kind):
    x = torch.randn(2, 3, 6, 6, generator=torch.Generator().manual_seed(1))
    theirs, ours = pair(x)
    q = torch.quantize_per_tensor(theirs, 0.03, 5, getattr(torch, kind))
    expected = FUNCTIONS[name](q, torch)
    found = FUNCTIONS[name](gn.quantize_per_tensor(ours, 0.03, 5, getattr(gn, kind)), gn)
    same(found, expected)
    assert (found.q_scale(), found.q_zero_point()) == (expected.q_scale(), expected.q_zero_point())


@pytest.mark.parametrize("kind", ["qint8", "quint8", "qint32"])
def test_means(torch, kind, device):
    """Means that are often halves of integers, whose rounding depends on the steps that lead there."""
    turn = random.Random(3)
    raw = {"qint8": "int8", "quint8": "uint8", "qint32": "int32"}[kind]
    for scale, zero_point in itertools.product((0.05, 0.25, 1 / 3), (0, 3, 4, 101)):
        numbers = [turn.randrange(9) - 5 * (kind != "quint8") for _ in range(2 * 3 * 4 * 2)]
        found = gn.tensor(numbers, dtype=getattr(gn, raw), device=device).reshape(2, 3, 4, 2)
        ours = gn._make_per_tensor_quantized_tensor(found, scale, zero_point)
        found = torch.tensor(numbers, dtype=getattr(torch, raw)).reshape(2, 3, 4, 2)
        theirs = torch._make_per_tensor_quantized_tensor(found, scale, zero_point)
        same(ours.mean(), theirs.mean())
        for dims, keepdim in itertools.product(((3,), (2, 3), (-1, 1, 2), (0, 1, 2, 3)), (False, True)):
            same(ours.mean(dims, keepdim), theirs.mean(dims, keepdim))


def test_files(torch):
    x = torch.randn(2, 3)
    values = [
        torch.quantize_per_tensor(x, 0.1, 3, torch.qint8),
        torch.quantize_per_channel(x, torch.tensor([0.1, 0.2]), torch.tensor([1, 2]), 0, torch.quint8),
    ]
    file = io.BytesIO()
    torch.save(values, file)
    file.seek(0)
    found = gn.load(file)
    for ours, theirs in zip(found, values):
        same(ours, theirs)
    file = io.BytesIO()
    gn.save(found, file)
    file.seek(0)
    for ours, theirs in zip(found, torch.load(file)):
        same(ours, theirs)
