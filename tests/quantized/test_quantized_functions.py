"""gnomon.ops.quantized beside torch.ops.quantized: the same integers, bit for bit, and the same refusals."""

import pytest

import gnomon as gn

pytestmark = pytest.mark.filterwarnings("ignore")


def quantized(lib, numbers, scale, zero_point, kind):
    return lib.quantize_per_tensor(lib.tensor(numbers), scale, zero_point, getattr(lib, kind))


def numbers(count, seed):
    return [((seed * 7919 + place * 104729) % 2003) / 300 - 3.3 for place in range(count)]


def pair(count=256, kind="quint8", scale=0.05, zero_point=60, seed=1, sizes=None):
    def make(lib):
        made = quantized(lib, numbers(count, seed), scale, zero_point, kind)
        return made if sizes is None else made.reshape(sizes)

    return make


def facts(x):
    return (
        str(x.dtype).partition(".")[2],
        tuple(x.shape),
        x.stride(),
        x.q_scale(),
        x.q_zero_point(),
        x.int_repr().tolist(),
    )


X, Y = pair(), pair(seed=3, scale=0.03, zero_point=10)
CASES = {
    "add": lambda lib, q: q.add(X(lib), Y(lib), 0.11, 3),
    "add_relu": lambda lib, q: q.add_relu(X(lib), Y(lib), 0.11, 3),
    "mul": lambda lib, q: q.mul(X(lib), Y(lib), 0.21, 100),
    "mul_relu": lambda lib, q: q.mul_relu(X(lib), Y(lib), 0.21, 100),
    "cat": lambda lib, q: q.cat([X(lib), Y(lib)], 0, None, None),
    "cat to another scale": lambda lib, q: q.cat([X(lib), Y(lib)], 0, 0.2, 4),
    "cat_relu": lambda lib, q: q.cat_relu([X(lib), Y(lib)], 0, 0.2, 4),
    "leaky_relu": lambda lib, q: q.leaky_relu(X(lib), 0.1, False, 0.07, 9),
    "threshold": lambda lib, q: q.threshold(X(lib), 0.3, 0.51),
    "clamp": lambda lib, q: q.clamp(X(lib), -0.3, 0.51),
    "relu6": lambda lib, q: q.relu6(X(lib), False),
    "sigmoid": lambda lib, q: q.sigmoid(X(lib), 1 / 200, 3),
    "F.leaky_relu": lambda lib, q: lib.nn.functional.leaky_relu(X(lib), 0.2),
    "F.threshold": lambda lib, q: lib.nn.functional.threshold(X(lib), 0.3, -0.51),
    "F.hardsigmoid": lambda lib, q: lib.nn.functional.hardsigmoid(X(lib)),
    "F.hardtanh_": lambda lib, q: lib.nn.functional.hardtanh(X(lib), -0.4, 0.7, inplace=True),
    **{f"add {by}": lambda lib, q, by=by: q.add(X(lib), by) for by in (2.0, -1.3, 9.0, -20.0, 0.0)},
    **{f"mul {by}": lambda lib, q, by=by: q.mul(X(lib), by) for by in (2.0, -1.3, 0.0)},
    "add_relu 9": lambda lib, q: q.add_relu(X(lib), 9.0),
    "mul_relu -2": lambda lib, q: q.mul_relu(X(lib), -2.0),
}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["quint8", "qint8"])
@pytest.mark.parametrize("name", CASES)
def test_elements(name, kind, device, monkeypatch):
    torch = pytest.importorskip("torch")
    found = {}
    for lib in (gn, torch):
        for made, seed, scale, zero_point in (("X", 1, 0.05, 60), ("Y", 3, 0.03, 10)):
            monkeypatch.setitem(globals(), made, pair(256, kind, scale, zero_point, seed))
        found[lib.__name__] = facts(CASES[name](lib, lib.ops.quantized))
    assert found["gnomon"] == found["torch"]


def weight(lib, sizes, per_channel):
    count = gn.Size(sizes).numel()
    held = lib.tensor(numbers(count, 7)).reshape(sizes)
    if not per_channel:
        return lib.quantize_per_tensor(held, 0.04, 0, lib.qint8)
    scales = lib.tensor([0.04 + 0.01 * row for row in range(sizes[0])])
    return lib.quantize_per_channel(held, scales, lib.zeros(sizes[0], dtype=lib.int64), 0, lib.qint8)


@pytest.mark.oracle
@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize("name", ["linear", "linear_relu"])
def test_linear(name, per_channel, with_bias, device):
    torch = pytest.importorskip("torch")
    found = {}
    for lib in (gn, torch):
        bias = lib.tensor([0.5, -0.25, 0.125, 0.0, 1.0]) if with_bias else None
        packed = lib.ops.quantized.linear_prepack(weight(lib, (5, 16), per_channel), bias)
        x = pair(48, sizes=(3, 16))(lib)
        found[lib.__name__] = [facts(getattr(lib.ops.quantized, name)(x, packed, 0.4, 30))]
        held, kept = packed.unpack()
        assert lib.ops.quantized.linear_unpack(packed)[0].int_repr().tolist() == held.int_repr().tolist()
        found[lib.__name__] += [held.int_repr().tolist(), None if kept is None else kept.tolist()]
    assert found["gnomon"] == found["torch"]


@pytest.mark.oracle
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("name", ["conv1d", "conv1d_relu", "conv2d", "conv2d_relu"])
def test_convolutions(name, groups, device):
    torch = pytest.importorskip("torch")
    ndim = int(name[4])
    found = {}
    for lib in (gn, torch):
        q = lib.ops.quantized
        kernel = weight(lib, (4, 6 // groups, *[3, 2][:ndim]), True)
        geometry = ([2, 1][:ndim], [1, 0][:ndim], [1, 2][:ndim], groups)
        packed = getattr(q, f"conv{ndim}d_prepack")(kernel, lib.tensor([0.5, 0.0, -1.0, 0.25]), *geometry)
        x = pair(12 * 7**ndim, sizes=(2, 6, *[7] * ndim))(lib)
        found[lib.__name__] = [facts(getattr(q, name)(x, packed, 0.43, 40))]
        if ndim == 2:  # PyTorch holds others with two dimensions
            names = ("stride", "padding", "dilation", "groups", "transpose", "output_padding")
            found[lib.__name__] += [getattr(packed, each)() for each in names]
        found[lib.__name__].append(packed.unpack()[1].tolist())
    ours, theirs = found["gnomon"], found["torch"]
    assert ours == theirs


def test_refusals(device):
    q = gn.ops.quantized
    x, w = pair(12, sizes=(3, 4))(gn), weight(gn, (3, 4), False)
    for call, kind, text in (
        (lambda: q.linear_prepack(gn.ones(3, 4)), NotImplementedError, "Could not run"),
        (lambda: q.linear_prepack(x), RuntimeError, "expected scalar type QInt8"),
        (lambda: q.linear(gn.ones(3, 4), q.linear_prepack(w), 1.0, 0), NotImplementedError, "Could not run"),
        (lambda: q.linear_prepack(w, gn.ones(4)), RuntimeError, "bias should be a vector of 3 elements"),
        (lambda: q.conv2d_prepack(w, None, [1, 1], [0, 0], [1, 1], 1), RuntimeError, "have 4 dimensions"),
        (lambda: q.conv1d_prepack(weight(gn, (3, 4, 1), False), None, [1, 1], [0], [1], 1), RuntimeError,
         "stride should contain 1 elements"),
        (lambda: q.add(x, w, 1.0, 0), RuntimeError, "Add operands should have same data type"),
        (lambda: q.mul(weight(gn, (3, 4), True), w, 1.0, 0), RuntimeError, "Only per tensor quantization"),
        (lambda: q.cat([x, w], 0), RuntimeError, "All dtypes must be the same"),
        (lambda: q.cat([], 0), NotImplementedError, "no tensor arguments"),
        (lambda: q.add(x, x, 1.0, 300), RuntimeError, "above upper bound"),
    ):  # fmt: skip
        with pytest.raises(kind, match=text):
            call()


def test_names_in_compat():
    from gnomon.compat import torch as alias

    assert alias.ops.quantized.linear is gn.ops.quantized.linear
    assert alias.ao.nn.quantized.Linear is gn.ao.nn.quantized.Linear
    assert alias.ao.quantization.MinMaxObserver is gn.ao.quantization.MinMaxObserver
