"""Autocast: which operators are cast, by lists, blocks and devices."""

from __future__ import annotations

import warnings

import pytest

import gnomon as gn
from gnomon.amp import custom_bwd, custom_fwd, is_autocast_available
from gnomon.amp.operator_lists import POLICIES, policy_of


def test_operators_run_in_the_precision_of_their_list(device: str) -> None:
    x = gn.full((4, 4), 1.0078125, device=device)  # not a bfloat16 after a product
    y = x.bfloat16()
    with gn.autocast("cpu"):
        product = gn.mm(x, x)
        assert product.dtype is gn.bfloat16 and product.tolist() == gn.mm(y, y).tolist()
        assert (x + x).dtype is gn.float32 and (y + y).dtype is gn.bfloat16  # on no list
        assert gn.nn.functional.mse_loss(y, y + 1).dtype is gn.float32
        assert gn.cat([x, y]).dtype is gn.float32 and gn.cat([y, y]).dtype is gn.bfloat16
        assert gn.mm(x.double(), x.double()).dtype is gn.float64
        assert (x @ x).dtype is gn.bfloat16 and gn.einsum("ij,jk->ik", x, x).dtype is gn.bfloat16
        assert gn.mv(x, x[0]).dtype is gn.float32
        assert gn.mm(x.long(), x.long()).dtype is gn.int64
    assert gn.mm(x, x).dtype is gn.float32


def test_blocks_nest_and_end(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.amp.autocast_mode.is_available", lambda: True)
    x = gn.ones(2, 2, device=device)
    with gn.autocast("cpu", dtype=gn.float16):
        assert gn.is_autocast_enabled("cpu") and gn.get_autocast_dtype("cpu") is gn.float16
        with gn.autocast("cpu", enabled=False):
            assert not gn.is_autocast_enabled("cpu") and gn.mm(x, x).dtype is gn.float32
        with gn.autocast("cpu", dtype=gn.bfloat16):
            assert gn.mm(x, x).dtype is gn.bfloat16
        with gn.autocast("cuda"):
            assert gn.is_autocast_enabled() and gn.mm(x, x).dtype is gn.float16
        assert gn.mm(x, x).dtype is gn.float16
    assert not gn.is_autocast_enabled("cpu") and gn.get_autocast_dtype("cpu") is gn.bfloat16
    with pytest.raises(ZeroDivisionError), gn.autocast("cpu"):
        raise ZeroDivisionError
    assert gn.mm(x, x).dtype is gn.float32
    with gn.autocast("cuda"):
        assert gn.mm(x, x).dtype is gn.float32  # another kind of device


def test_without_a_gpu_a_block_for_gpus_warns_and_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.amp.autocast_mode.is_available", lambda: False)
    text = r"^CUDA is not available. Disabling autocast.$"
    with pytest.warns(UserWarning, match=text) as seen, gn.autocast("cuda", dtype=gn.bfloat16):
        assert not gn.is_autocast_enabled("cuda") and gn.get_autocast_dtype("cuda") is gn.bfloat16
    assert len(seen) == 1
    with pytest.warns(UserWarning, match=text):
        decorated = gn.autocast("cuda")(lambda: gn.is_autocast_enabled())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not decorated()
        with gn.autocast("cuda", enabled=False), gn.autocast("cpu"):
            assert gn.is_autocast_enabled("cpu")
    gn.set_autocast_enabled("cuda", True)  # as in PyTorch, by hand it is on
    assert gn.is_autocast_enabled()
    gn.set_autocast_enabled("cuda", False)


def test_gradients_have_the_parameters_dtype(device: str) -> None:
    layer = gn.nn.Linear(3, 2).to(device)
    x = gn.ones(4, 3, device=device, requires_grad=True)
    with gn.autocast("cpu"):
        out = layer(x)
        loss = out.float().sum()
    loss.backward()
    assert out.dtype is gn.bfloat16
    assert layer.weight.grad.dtype is gn.float32 and x.grad.dtype is gn.float32
    assert layer.weight.grad.tolist() == [[4.0] * 3] * 2


def test_casts_of_parameters_are_kept_until_the_outermost_block_ends(device: str) -> None:
    from gnomon.amp.autocast_kernel import CACHE

    weight = gn.ones(2, 2, device=device, requires_grad=True)
    plain = gn.ones(2, 2, device=device)
    with gn.autocast("cpu"):
        first = gn.mm(weight, plain)
        with gn.autocast("cpu"):
            gn.mm(weight, weight)
        cache = CACHE.get()
        assert cache is not None and list(cache) == [id(weight)]
        assert first.grad_fn is not None
        with gn.no_grad():
            weight.mul_(2)
        gn.clear_autocast_cache()
        assert gn.mm(weight, plain).tolist() == [[4.0, 4.0]] * 2
    assert CACHE.get() is None
    with gn.autocast("cpu", cache_enabled=False):
        assert not gn.is_autocast_cache_enabled()
        gn.mm(weight, plain)
        assert CACHE.get() == {}
    assert gn.is_autocast_cache_enabled()


def test_a_decorated_function_and_settings_without_a_block(device: str) -> None:
    x = gn.ones(2, 2, device=device)

    @gn.autocast("cpu", dtype=gn.float16)
    def product(a):
        """The square."""
        return gn.mm(a, a)

    assert product(x).dtype is gn.float16 and product.__doc__ == "The square."
    try:
        gn.set_autocast_enabled("cpu", True)
        gn.set_autocast_dtype("cpu", gn.float16)
        assert gn.mm(x, x).dtype is gn.float16 and gn.is_autocast_cpu_enabled()
        assert gn.get_autocast_cpu_dtype() is gn.float16 and gn.get_autocast_gpu_dtype() is gn.float16
    finally:
        gn.set_autocast_enabled("cpu", False)
        gn.set_autocast_dtype("cpu", gn.bfloat16)
    assert gn.mm(x, x).dtype is gn.float32


def test_wrong_arguments() -> None:
    with pytest.warns(UserWarning, match="In CPU autocast, but the target dtype is not supported"):
        block = gn.autocast("cpu", dtype=gn.float64)
    with block:
        assert not gn.is_autocast_enabled("cpu")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`, got: `<class 'int'>`"):
        gn.autocast(3)
    with pytest.raises(RuntimeError, match="User specified an unsupported autocast device_type 'meta'"):
        gn.autocast("meta")
    assert is_autocast_available("cpu") and is_autocast_available("cuda")
    assert is_autocast_available("reference") and not is_autocast_available("meta")


def test_a_function_with_its_own_precision(device: str) -> None:
    seen = []

    class Square(gn.autograd.Function):
        @staticmethod
        @custom_fwd(device_type="cpu", cast_inputs=gn.float32)
        def forward(ctx, x):
            seen.append((x.dtype, gn.is_autocast_enabled("cpu")))
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            seen.append((grad.dtype, gn.is_autocast_enabled("cpu")))
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    x = gn.full((2,), 3.0, device=device, dtype=gn.bfloat16, requires_grad=True)
    with gn.autocast("cpu"):
        out = Square.apply(x)
        out.sum().backward()
    assert out.dtype is gn.float32 and seen == [(gn.float32, False), (gn.float32, False)]
    assert x.grad.tolist() == [6.0, 6.0]


def test_no_operator_is_on_two_lists() -> None:
    for kind, lists in POLICIES.items():
        names = [name for text in lists.values() for name in text.split()]
        assert len(names) == len(set(names)), kind
    assert policy_of("mm", "cpu") == "lower_precision_fp" and policy_of("exp", "cpu") is None
    assert policy_of("exp", "cuda") == "fp32" and policy_of("sum", "cuda") == "fp32_set_opt_dtype"
