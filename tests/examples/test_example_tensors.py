"""The examples of dispatch modes and tensor subclasses run unchanged and print what they promise."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str) -> dict[str, Any]:
    """The names that an example defines."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_the_logging_mode_sees_forward_and_backward(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    example = load("logging_mode")
    example["main"]()
    lines = capsys.readouterr().out.splitlines()
    backward = lines.index("-- backward --")
    assert "addmm(float32[2], float32[4, 3], float32[3, 2]) -> float32[4, 2]" in lines[:backward]
    assert "gelu(float32[4, 2]) -> float32[4, 2]" in lines[:backward]
    assert "gelu_backward(float32[4, 2], float32[4, 2]) -> float32[4, 2]" in lines[backward:]
    with example["LoggingMode"]() as log:
        gn.add(gn.ones(2), 1, alpha=3)
    assert log.lines[-1] == "add.Tensor(float32[2], 1, alpha=3) -> float32[2]"


def test_the_counting_tensor_counts(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    example = load("counting_tensor")
    wrap = example["CountingTensor"].wrap
    counter: Counter[str] = Counter()
    x = wrap(gn.ones(2, 3), counter)
    w = wrap(gn.ones(3, 5).requires_grad_(), counter)
    y = (x @ w).exp()
    assert type(y) is type(x) and y.grad_fn.name() == "ExpBackward0"
    assert counter["mm"] == 2 * 2 * 3 * 5 and counter["exp"] == 10
    y.sum().backward()
    assert counter["mm"] == 2 * (2 * 2 * 3 * 5)  # as many again for the gradient of w
    assert w.grad.inner.tolist() == (gn.ones(3, 2) @ (gn.ones(2, 3) @ gn.ones(3, 5)).exp()).tolist()
    example["main"]()
    assert "forward: 610,944 operations" in capsys.readouterr().out


def test_the_encrypted_tensor_computes_without_showing(
    device: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Encrypted = load("encrypted_tensor")["EncryptedTensor"]
    secret = gn.tensor([5, -7, 2**62])
    a, b = Encrypted.encrypt(secret), Encrypted.encrypt(gn.tensor([1, 2, 2**62]), parties=3)
    assert (a + b).reveal().tolist() == [6, -5, -(2**63)]  # modulo 2**64, as int64 adds
    assert (a - 3).reveal().tolist() == [2, -10, 2**62 - 3]
    assert (a * 4).reveal().tolist() == [20, -28, 0] and (4 * a).reveal().tolist() == [20, -28, 0]
    assert (-a[:2]).sum().reveal().item() == 2
    assert all(share.tolist() != secret.tolist() for share in a.shares)
    for leak in (lambda: a * b, lambda: a > 0, lambda: a.to(gn.float32), lambda: a + 1.5):
        with pytest.raises((TypeError, RuntimeError)):
            leak()
    with pytest.raises(ValueError, match="int64"):
        Encrypted.encrypt(gn.ones(2))
    load("encrypted_tensor")["main"]()
    assert "[37300, 33000, 48490] in all: 118790" in capsys.readouterr().out
