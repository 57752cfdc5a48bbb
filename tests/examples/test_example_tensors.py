"""The examples of dispatch modes and tensor subclasses run unchanged and print what they promise."""

from __future__ import annotations

import runpy
import warnings
from collections import Counter
from collections.abc import Callable
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


DATA = [[1.5, -2.0, 3.25, 0.0], [4.0, 5.5, -6.0, 7.75], [0.5, 1.0, 2.0, 3.0]]
MASK = [[True, False, True, True], [False, False, False, False], [True, True, False, True]]


def test_the_masked_tensor_skips_masked_elements(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    Masked = load("masked_tensor")["MaskedTensor"]
    data, mask = gn.tensor(DATA), gn.tensor(MASK)
    x = Masked(data, mask)
    assert (
        repr(x[:2, :2]) == "MaskedTensor(\n  [\n    [  1.5000,       --],\n    [      --,       --]\n  ]\n)"
    )
    assert x.to_tensor(-1).tolist()[1] == [-1] * 4 and x.get_mask().tolist() == MASK
    assert x.sum().item() == 9.25 and x[2].mean().item() == 1.5
    assert x.amax(1).to_tensor(0).tolist() == [3.25, 0, 3] and x.amax(1).get_mask().tolist() == [1, 0, 1]
    assert x.argmin(0, keepdim=True).get_data().tolist() == [[2, 2, 0, 0]]
    assert (x.t() * 2)[3].to_tensor(0).tolist() == [0, 0, 6]
    assert (x > 1).to_tensor(False).tolist()[0] == [True, False, True, False]
    row = x[gn.tensor([0, 1])].softmax(1).to_tensor(0)
    assert row[0].tolist() == gn.masked.softmax(data, 1, mask=mask)[0].tolist() and row[1].tolist() == [0] * 4
    same = x.add_(1)
    assert same is x and x[2].sum().item() == 7.5 and data.tolist()[2] == [1.5, 2.0, 3.0, 4.0]
    with pytest.raises(ValueError, match="Input masks must match"):
        x + Masked(data, ~mask)
    with pytest.raises(ValueError, match="masked"):
        x[1, 1].item()
    with pytest.raises(TypeError, match="mean"):
        gn.mean(x)  # its derivative would count masked elements
    for wrong, kind, message in (
        (mask.int(), TypeError, "dtype bool"),
        (mask[0], ValueError, "dim"),
        (mask[:, :2], ValueError, "size"),
    ):
        with pytest.raises(kind, match=message):
            Masked(data, wrong)
    load("masked_tensor")["main"]()
    shown = capsys.readouterr().out
    assert "gradient through where: tensor([nan, 1.]" in shown
    assert "gradient through a mask: MaskedTensor(\n  [      --,   1.0000]\n)" in shown
    assert "mean of the seen: at most 0.089 from" in shown


def test_gradients_of_the_masked_tensor_are_masked(device: str) -> None:
    example = load("masked_tensor")
    Masked = example["MaskedTensor"]
    x = Masked(gn.tensor(DATA), gn.tensor(MASK), requires_grad=True)
    (x.exp() * gn.tensor([1.0, 2, 3, 4])).log().mean(1).sum().backward()
    assert type(x.grad) is Masked and x.grad.get_mask().tolist() == MASK
    assert x.grad.to_tensor(0).tolist() == [[pytest.approx(each / 3) for each in row] for row in MASK]
    data = gn.tensor([-1.0, 4.0])
    below, above = (Masked(data, mask, requires_grad=True) for mask in (data < 0, data > 0))
    joined = example["where"](data > 0, above.sqrt(), (-below).sqrt())
    assert joined.to_tensor(9).tolist() == [1, 2]
    joined.sum().backward()
    assert above.grad.to_tensor(0).tolist() == [0, 0.25]
    assert below.grad.to_tensor(0).tolist() == [-0.5, 0]


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        f"{name} {options}": lambda lib, x, name=name, options=options: getattr(x, name)(**options)
        for name in ("sum", "mean", "amax", "amin", "prod", "argmax", "argmin", "var", "std")
        for options in ({}, {"dim": 1}, {"dim": 0, "keepdim": True})
    },
    **{
        name: lambda lib, x, name=name: getattr(x, name)()
        for name in ("exp", "sin", "sqrt", "abs", "neg", "t", "clone")
    },
    "multiply": lambda lib, x: x * x,
    "divide": lambda lib, x: x / 2 - 1 / x,
    "compare": lambda lib, x: x > 1,
    "power": lambda lib, x: x**2,
    "with a plain tensor": lambda lib, x: x * lib.ones(4),
    "softmax": lambda lib, x: x.softmax(1) * x,
    "select": lambda lib, x: x[0],
    "slice": lambda lib, x: x[1:, ::2],
    "reshape": lambda lib, x: x.reshape(4, 3),
    "transpose": lambda lib, x: x.transpose(0, 1),
    "cat": lambda lib, x: lib.cat([x, x]),
    "stack": lambda lib, x: lib.stack([x, x]),
    "split": lambda lib, x: x.detach().split(2, 1)[1],
    "float64": lambda lib, x: x.to(lib.float64),
    "in place": lambda lib, x: x.detach().add_(1).exp_().mul_(2),
    "integers": lambda lib, x: x.detach().to(lib.int64) * 3,
    "other masks": lambda lib, x: x * x[:, [1, 0, 2, 3]],
    "filled": lambda lib, x: x.to_tensor(-1.0).tolist(),
}


@pytest.mark.oracle
@pytest.mark.parametrize("call", CALLS)
def test_the_masked_tensor_is_pytorchs(call: str) -> None:
    """Printed results and gradients, or errors."""
    import torch
    from torch.masked import MaskedTensor

    found = []
    for library, kind in ((gn, load("masked_tensor")["MaskedTensor"]), (torch, MaskedTensor)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = kind(library.tensor(DATA), library.tensor(MASK), requires_grad=True)
            try:
                result = CALLS[call](library, x)
                found.append([repr(result)])
            except ValueError as error:
                found.append(str(error).split(".")[0])
                continue
            if isinstance(result, kind) and result.requires_grad:
                result.sum().backward()
                found[-1].append(repr(x.grad).replace("-0.0000", " 0.0000"))
    assert found[0] == found[1]
