"""Settings of determinism, precision and warnings."""

from __future__ import annotations

import warnings

import pytest

import gnomon as gn
from gnomon.backends import _precision, context
from gnomon.values.errors import warn


def test_determinism_is_stored() -> None:
    try:
        assert not gn.are_deterministic_algorithms_enabled() and gn.get_deterministic_debug_mode() == 0
        gn.use_deterministic_algorithms(True)
        assert gn.are_deterministic_algorithms_enabled() and gn.get_deterministic_debug_mode() == 2
        assert not gn.is_deterministic_algorithms_warn_only_enabled()
        gn.use_deterministic_algorithms(True, warn_only=True)
        assert gn.is_deterministic_algorithms_warn_only_enabled() and gn.get_deterministic_debug_mode() == 1
        gn.set_deterministic_debug_mode("error")
        assert gn.get_deterministic_debug_mode() == 2
        for wrong, error, message in (
            ("foo", RuntimeError, "expected one of `default`, `warn`, `error`, but got foo"),
            (3, RuntimeError, "expected 0, 1, or 2, but got 3"),
            (None, TypeError, "debug_mode must be str or int"),
        ):
            with pytest.raises(error, match=message):
                gn.set_deterministic_debug_mode(wrong)
        with pytest.raises(TypeError, match=r"argument 'mode' .* must be bool, not str"):
            gn.use_deterministic_algorithms("x")
        assert gn.get_deterministic_debug_mode() == 2
    finally:
        gn.use_deterministic_algorithms(False)
    assert gn.get_deterministic_debug_mode() == 0


def test_precision_is_stored_and_decides_tf32(monkeypatch) -> None:
    monkeypatch.setattr(_precision, "_settings", _precision._initial())
    try:
        assert gn.get_float32_matmul_precision() == "highest"
        gn.set_float32_matmul_precision("medium")
        assert gn.get_float32_matmul_precision() == "medium" and gn.backends.cuda.matmul.allow_tf32
        with pytest.warns(UserWarning, match="foo is not one of 'highest', 'high', or 'medium'"):
            gn.set_float32_matmul_precision("foo")
        assert gn.get_float32_matmul_precision() == "medium"
    finally:
        gn.set_float32_matmul_precision("highest")
    assert not gn.backends.cuda.matmul.allow_tf32


def test_a_warning_is_given_once_or_always() -> None:
    def count():
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for _ in range(3):
                warn("said by test_context", once=True)
        return len(seen)

    assert not gn.is_warn_always_enabled() and count() == 1
    gn.set_warn_always(True)
    try:
        assert gn.is_warn_always_enabled() and count() == 3
    finally:
        gn.set_warn_always(False)
    assert count() == 0


def test_threads_between_operators_are_stored_once(monkeypatch) -> None:
    for name in ("_interop_threads", "_interop_threads_are_set"):
        monkeypatch.setattr(context, name, getattr(context, name))
    for wrong, message in (
        (0, "set_num_interop_threads expects a positive integer"),
        (True, "set_num_interop_threads expects an int, but got bool"),
        ("a", "set_num_interop_threads expects an int, but got str"),
    ):
        with pytest.raises(RuntimeError, match=message):
            gn.set_num_interop_threads(wrong)
    assert gn.get_num_interop_threads() == 1
    gn.set_num_interop_threads(3)
    assert gn.get_num_interop_threads() == 3
    with pytest.raises(
        RuntimeError, match="after parallel work has started or set_num_interop_threads called"
    ):
        gn.set_num_interop_threads(3)


def test_denormal_numbers_are_kept(device: str) -> None:
    assert gn.set_flush_denormal(True) is False and gn.set_flush_denormal(False) is False
    with pytest.raises(RuntimeError, match=r"^flush_denormal expects a bool, but got int$"):
        gn.set_flush_denormal(1)
    assert (gn.tensor([1e-310], dtype=gn.float64) * 1).tolist() == [1e-310]
