"""gn.cuda.amp: the older names, which warn."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest

import gnomon as gn


def made(call: Any) -> tuple[Any, str]:
    """What a call returns, and the warning that its name is old."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call()
    old = [each for each in seen if each.category is FutureWarning]
    assert [each.filename for each in old] == [__file__]
    return found, str(old[0].message)


def test_a_scaler_and_a_block_are_those_of_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.amp.autocast_mode.is_available", lambda: True)
    amp = gn.cuda.amp
    scaler, text = made(lambda: amp.GradScaler(2.0, enabled=False))
    assert text == (
        "`gnomon.cuda.amp.GradScaler(args...)` is deprecated. Please use `gnomon.amp.GradScaler('cuda', "
        "args...)` instead."
    )
    assert isinstance(scaler, gn.amp.GradScaler) and not scaler.is_enabled()
    loss = gn.tensor(3.0, requires_grad=True)
    assert scaler.scale(loss) is loss
    block, text = made(lambda: amp.autocast(dtype=gn.bfloat16))
    assert text == (
        "`gnomon.cuda.amp.autocast(args...)` is deprecated. Please use `gnomon.amp.autocast('cuda', "
        "args...)` instead."
    )
    with block:
        assert gn.is_autocast_enabled("cuda") and gn.get_autocast_dtype("cuda") is gn.bfloat16
        assert not gn.is_autocast_enabled("cpu")
    with made(lambda: amp.autocast(False))[0]:
        assert not gn.is_autocast_enabled("cuda") and gn.get_autocast_dtype("cuda") is gn.float16


def test_a_function_is_decorated_for_gpus() -> None:
    amp = gn.cuda.amp

    class Double(gn.autograd.Function):
        forward = staticmethod(made(lambda: amp.custom_fwd(lambda ctx, x: x * 2))[0])
        backward = staticmethod(made(lambda: amp.custom_bwd(lambda ctx, grad: grad * 2))[0])

    x = gn.ones(2, requires_grad=True)
    Double.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert made(lambda: amp.custom_fwd(cast_inputs=gn.float16))[1] == (
        "`gnomon.cuda.amp.custom_fwd(args...)` is deprecated. Please use `gnomon.amp.custom_fwd(args..., "
        "device_type='cuda')` instead."
    )


def test_the_module_can_be_imported() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gnomon.compat.torch.cuda.nowhere")
    assert importlib.import_module("gnomon.compat.torch.cuda.amp") is gn.cuda.amp
