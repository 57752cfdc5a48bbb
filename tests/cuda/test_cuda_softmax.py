"""softmax, log_softmax and their gradients on the emulated GPU."""

from __future__ import annotations

import math
import shutil

import pytest

import gnomon as gn
from gnomon_cuda import softmax

aten = gn.ops.aten
FORWARD = {"softmax": aten._softmax, "log_softmax": aten._log_softmax}
BACKWARD = {"softmax": aten._softmax_backward_data, "log_softmax": aten._log_softmax_backward_data}
BOUNDS = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}


@pytest.fixture(autouse=True)
def cuda(monkeypatch):
    """The emulated backend; a fallback is an error."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "1")
    assert gn.backends()["cuda"].available, gn.backends()["cuda"].reason
    gn.set_fallback_policy("error")


@pytest.fixture
def launched(monkeypatch):
    """The kernels that were launched, in order."""
    found = []
    usual = softmax.Work.launch

    def launch(self, text, dtype, kernel, *others, **named):
        if text == softmax.TEXT:
            found.append(kernel)
        return usual(self, text, dtype, kernel, *others, **named)

    monkeypatch.setattr(softmax.Work, "launch", launch)
    return found


def numbers(*sizes, dtype=gn.float32):
    """Numbers between -5 and 5."""
    count = math.prod(sizes)
    found = [(i * 7919 % 1013 - 506) / 101 for i in range(count)]
    return gn.tensor(found, dtype=gn.float64, device="reference").reshape(sizes).to(dtype)


def close(expected, found):
    """Whether ``found`` is as close to the reference's result as its dtype allows."""
    assert found.device.type == "cuda"
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    bound = BOUNDS[expected.dtype.name]
    pairs = zip(expected.double().reshape(-1).tolist(), found.to("reference").double().reshape(-1).tolist())
    for number, other in pairs:
        if number != number:
            assert other != other
        else:
            assert number == other or abs(number - other) <= bound * (1 + abs(number)), (number, other)
    return True


def all_four(source, gradient, dim):
    """Compare both operators and their gradients."""
    for name, function in FORWARD.items():
        expected = function(source, dim, False)
        assert close(expected, function(source.to("cuda"), dim, False))
        backward = BACKWARD[name]
        found = backward(gradient.to("cuda"), expected.to("cuda"), dim, source.dtype)
        assert close(backward(gradient, expected, dim, source.dtype), found)


# For each team of threads, a row that fits it and is too long for the smaller teams.
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_rows_of_each_length(launched, dtype):
    kind = getattr(gn, dtype)
    kernels = set()
    for prefix in ("softmax", "softmax_gradient"):
        for is_log in (False, True):
            kernels |= {each for each in softmax.kernels_for(dtype, prefix, is_log) if "_rows<" in each}
    before = 0
    for team in softmax.teams(dtype, "softmax_gradient")[:-1]:
        length = before + 3
        all_four(numbers(3, length, dtype=kind), numbers(3, length, dtype=kind) / 4, 1)
        before = team[0] * team[1]
    assert set(launched) == {each for each in kernels if ", 512," not in each}


def test_long_rows(launched):
    (threads, held), (gradient_threads, gradient_held) = (
        softmax.teams("float32", prefix)[-1] for prefix in ("softmax", "softmax_gradient")
    )
    for length in (gradient_threads * gradient_held - 1, threads * held + 5):
        all_four(numbers(length), numbers(length) / 4, 0)
    rows = ["softmax_rows<%d, 512, 32>", "softmax_gradient_rows<%d, 512, 16>"]
    columns = ["softmax_columns<%d, 1, 512>", "softmax_gradient_columns<%d, 1, 512>"]
    assert launched == [each % is_log for names in (rows, columns) for is_log in (0, 1) for each in names]


def test_dimensions_in_the_middle_and_first(launched):
    source, gradient = numbers(3, 21, 40), numbers(3, 21, 40) / 4
    all_four(source, gradient, 1)
    all_four(source, gradient, 0)
    assert len(launched) == 8 and all("_columns<" in each and "32, 8>" in each for each in launched)
    launched.clear()
    all_four(source[:, :, :7], gradient[:, :, :7], -2)  # too few rows to put side by side
    assert all("_rows<" in each for each in launched)


def test_strided_rows():
    source, gradient = numbers(6, 5, 8), numbers(6, 5, 8) / 4
    for view in (
        lambda x: x.transpose(0, 2),
        lambda x: x[:, ::2],
        lambda x: x[..., 1:],
        lambda x: x[:1].expand(6, 5, 8),
        lambda x: x.permute(1, 0, 2),
    ):
        for dim in (0, 1, 2):
            for name, function in FORWARD.items():
                expected = function(view(source), dim, False)
                assert close(expected, function(view(source.to("cuda")), dim, False))
                found = BACKWARD[name](view(gradient.to("cuda")), expected.to("cuda"), dim, gn.float32)
                assert close(BACKWARD[name](view(gradient), expected, dim, gn.float32), found)
    out = gn.zeros(5, 6, device="cuda").t()
    assert aten._softmax.out(source.to("cuda")[:, :, 0], 1, False, out=out).stride() == (1, 6)
    assert close(aten._softmax(source[:, :, 0], 1, False), out.contiguous())


def test_few_elements():
    for sizes, dim in (((), 0), ((1,), 0), ((3, 1), 1), ((0, 3), 1), ((3, 0), 1), ((1, 1, 2), 2)):
        all_four(numbers(*sizes), numbers(*sizes), dim)


@pytest.mark.parametrize(("length", "is_column"), [(5, False), (300, False), (40000, False), (5, True)])
def test_rows_with_infinities_and_nan(length, is_column):
    rows = [[0.25] * length for _ in range(40 if is_column else 6)]
    for row in (0, 1):
        rows[row] = [-math.inf] * length
    rows[1][-1] = 3.0
    rows[2][length // 2] = math.nan
    rows[3][1] = math.inf
    rows[4][0] = -math.inf
    rows[5] = [1e30 if place % 2 else -1e30 for place in range(length)]
    source = gn.tensor(rows, device="reference")
    for function in FORWARD.values():
        if is_column:
            assert close(
                function(source.t(), 0, False), function(source.t().contiguous().to("cuda"), 0, False)
            )
        else:
            assert close(function(source, 1, False), function(source.to("cuda"), 1, False))


def test_a_row_has_the_same_bits_wherever_it_begins():
    source = numbers(1, 301).to("cuda")
    moved = gn.zeros(302, device="cuda")[1:]
    moved.copy_(source[0])
    for function in FORWARD.values():
        assert function(moved, 0, False).tolist() == function(source, 1, False)[0].tolist()
