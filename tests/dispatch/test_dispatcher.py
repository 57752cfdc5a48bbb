"""dispatch: the kernels that a call runs, their order, and the effects of modes and callbacks."""

from __future__ import annotations

import contextvars
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import gnomon as gn
from gnomon.dispatch import dispatcher, mode
from gnomon.dispatch.dispatcher import OpOverload, aten
from gnomon.dispatch.record_function import (
    RecordFunctionCallback,
    RecordScope,
    add_thread_local_callback,
    observing,
    remove_callback,
)
from gnomon.values.dispatch_key import PYTHON, TENSOR_KEYS, DispatchKey, DispatchKeySet
from gnomon.values.schema import FunctionSchema
from time_limits import join, start

pytestmark = pytest.mark.both_tiers

KEYS = list(DispatchKey)


def made_up(*keys: DispatchKey) -> tuple[OpOverload, list[str]]:
    """A new operator whose kernels for ``keys`` log their names and redispatch; and the log."""
    operator = OpOverload(FunctionSchema("made_up(Tensor self, int number) -> Tensor"))
    passed: list[str] = []

    def kernel_for(key: DispatchKey) -> dispatcher.Kernel:
        def kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
            passed.append(key.name)
            if key is DispatchKey.Dense:
                return arguments[1]
            return operator.redispatch(keys & ~(1 << key), arguments)

        return kernel

    for key in keys:
        operator.register(key, kernel_for(key))
    return operator, passed


@pytest.fixture
def python_mode() -> Iterator[None]:
    """Include the Python key, as a dispatch mode does."""
    word = mode.mode_word()
    mode.set_mode_word(word | PYTHON)
    yield
    mode.set_mode_word(word)


@pytest.fixture
def trace() -> Iterator[list[tuple[str, str]]]:
    """The kernels that calls pass through, as (operator, key)."""
    seen: list[tuple[str, str]] = []

    def note(scope: RecordScope, name: str, passed: Sequence[Any]) -> None:
        seen.append((name, passed[1].name))

    with observing(RecordFunctionCallback(note, scopes=(RecordScope.DISPATCH,))):
        yield seen


def test_key_sets() -> None:
    keys = DispatchKeySet(1 << DispatchKey.Autograd | 1 << DispatchKey.Dense)
    assert (
        list(keys) == [DispatchKey.Autograd, DispatchKey.Dense]
        and repr(keys) == "DispatchKeySet(Autograd, Dense)"
    )
    assert keys.has(DispatchKey.Dense) and not keys.has(DispatchKey.Python)
    assert keys.highest_priority() is DispatchKey.Autograd
    autograd = DispatchKeySet(1 << DispatchKey.Autograd)
    assert (keys - autograd) | autograd == keys and keys - autograd != keys
    assert DispatchKeySet(0).highest_priority() is None and list(DispatchKeySet(0)) == []
    assert len({keys, DispatchKeySet(keys.bits)}) == 1 and keys != keys.bits
    assert DispatchKeySet(1 << 20).bits == 0  # the other bits of a mode word are not keys


def test_tensors_carry_keys() -> None:
    x = gn.ones(1)
    assert list(x._dispatch_keys()) == [DispatchKey.ADInplaceOrView, DispatchKey.Dense]
    assert x.requires_grad_()._dispatch_keys().has(DispatchKey.Autograd)
    assert not x.requires_grad_(False)._dispatch_keys().has(DispatchKey.Autograd)
    assert (gn.ones(1, requires_grad=True) * 2)._dispatch_keys().has(DispatchKey.Autograd)


def test_a_call_passes_its_keys_from_the_highest_down(python_mode: None) -> None:
    operator, passed = made_up(*KEYS)
    assert operator(gn.ones(1, requires_grad=True), 5) == 5
    assert passed == ["Autograd", "ADInplaceOrView", "Python", "Dense"]
    passed.clear()
    operator(gn.ones(1), 5)
    assert passed == ["ADInplaceOrView", "Python", "Dense"]


def test_a_key_without_kernel_is_fallen_through() -> None:
    operator, passed = made_up(DispatchKey.Dense, DispatchKey.Python)
    operator.register(
        DispatchKey.Autograd, lambda operator, keys, arguments: operator.redispatch(1, arguments)
    )
    assert operator(gn.ones(1, requires_grad=True), 7) == 7
    assert passed == ["Dense"]


def test_no_kernel_at_all_is_an_error_that_names_the_operator() -> None:
    operator, _ = made_up(DispatchKey.Dense)
    with pytest.raises(NotImplementedError, match="made_up: no kernel"):
        operator.redispatch(0, (gn.ones(1), 1))


def test_the_tensors_of_a_call_include_those_in_lists() -> None:
    operator = OpOverload(
        FunctionSchema("made_up(Tensor self, Tensor[] others, Tensor? weight, int n) -> Tensor")
    )
    first, second, third = gn.ones(1), gn.ones(1), gn.ones(1)
    found = list(operator.tensors((first, [second, third], None, 3)))
    assert len(found) == 3 and found[0] is first and found[1] is second and found[2] is third
    highest: list[Any] = []
    for key in KEYS:
        operator.register(key, lambda operator, keys, arguments: highest.append(DispatchKeySet(keys)))
    operator(first, [second, third.requires_grad_()], None, 3)
    assert highest[0].highest_priority() is DispatchKey.Autograd


def test_excluded_keys_are_passed_over_and_come_back() -> None:
    operator, passed = made_up(*KEYS)
    x = gn.ones(1, requires_grad=True)
    with mode.excluding(DispatchKey.Autograd, DispatchKey.ADInplaceOrView):
        operator(x, 1)
        with mode.excluding(DispatchKey.Python):
            operator(x, 1)
    assert passed == ["Dense", "Dense"]
    passed.clear()
    with pytest.raises(ZeroDivisionError), mode.excluding(DispatchKey.Autograd):
        1 / 0  # noqa: B018
    operator(x, 1)
    assert passed == ["Autograd", "ADInplaceOrView", "Dense"]


def test_active_keys() -> None:
    word = mode.mode_word()
    assert mode.active_keys(TENSOR_KEYS, word) == TENSOR_KEYS
    assert mode.active_keys(TENSOR_KEYS, PYTHON) == TENSOR_KEYS | PYTHON
    assert mode.active_keys(TENSOR_KEYS, TENSOR_KEYS << mode.EXCLUDED_SHIFT) == 0


def test_modes_belong_to_a_thread_and_a_context(python_mode: None) -> None:
    here = mode.mode_word()
    there: list[int] = []
    join(start(lambda: there.append(mode.mode_word())))
    assert there[0] != here and not there[0] & PYTHON

    def change() -> None:
        mode.set_mode_word(0)

    contextvars.copy_context().run(change)
    assert mode.mode_word() == here


def test_the_table_is_made_anew_when_a_kernel_is_registered() -> None:
    operator, _ = made_up(DispatchKey.Dense)
    before = operator.table()
    assert operator.table() is before
    assert before[DispatchKey.Python] is dispatcher._boxed_fallbacks[DispatchKey.Python][0]
    operator.register(DispatchKey.Dense, lambda operator, keys, arguments: "new")
    assert operator.table() is not before and operator(gn.ones(1), 1) == "new"


def test_a_kernel_of_the_operator_goes_before_the_boxed_fallback() -> None:
    operator, _ = made_up(DispatchKey.Dense)
    fallback = operator.table()[DispatchKey.Autograd]
    assert fallback is dispatcher._boxed_fallbacks[DispatchKey.Autograd][0]
    operator.register(DispatchKey.Autograd, lambda operator, keys, arguments: "mine")
    assert operator(gn.ones(1, requires_grad=True), 1) == "mine"


def test_a_boxed_fallback_sees_every_operator_it_applies_to(python_mode: None, device: str) -> None:
    seen: list[str] = []

    def see(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        seen.append(operator.name)
        return operator.redispatch(keys & ~PYTHON, arguments)

    x, y = gn.ones(2), gn.ones(2)
    for _ in range(3):
        x + y
    modes = dispatcher._boxed_fallbacks[DispatchKey.Python]
    dispatcher.register_boxed_fallback(
        DispatchKey.Python, see, lambda operator: operator.schema.name in ("add", "mul")
    )
    try:
        assert (x + y).tolist() == [2.0, 2.0]
        assert (gn.mul(x, 3) - 1).tolist() == [2.0, 2.0]
        assert seen == ["add.Tensor", "mul.Tensor"]
    finally:
        dispatcher.register_boxed_fallback(DispatchKey.Python, *modes)
    x + y
    assert seen == ["add.Tensor", "mul.Tensor"]


def test_callbacks_hear_every_kernel(trace: list[tuple[str, str]], device: str) -> None:
    x, w = gn.ones(2), gn.ones(2, requires_grad=True)
    for _ in range(3):  # with and without a plan
        trace.clear()
        x + x
        assert trace == [("add.Tensor", "Dense")]
        trace.clear()
        x[0].mul_(3)
        assert trace == [
            ("select.int", "ADInplaceOrView"),
            ("select.int", "Dense"),
            ("mul_.Tensor", "ADInplaceOrView"),
            ("mul_.Tensor", "Dense"),
        ]
        trace.clear()
        w * x
        assert trace == [("mul.Tensor", "Autograd"), ("mul.Tensor", "Dense")]
        trace.clear()
        with gn.no_grad():
            w * x
        assert trace[-1] == ("mul.Tensor", "Dense")


def test_a_removed_callback_is_silent() -> None:
    heard: list[str] = []

    def note(scope: RecordScope, name: str, passed: Sequence[Any]) -> None:
        heard.append(name)

    callback = RecordFunctionCallback(note, scopes=(RecordScope.DISPATCH,))
    add_thread_local_callback(callback)
    gn.ones(1).exp()
    remove_callback(callback)
    count = len(heard)
    gn.ones(1).exp()
    assert count > 0 and len(heard) == count


def test_names_and_missing_names() -> None:
    assert repr(aten.add.Tensor) == "<OpOverload(op='aten.add', overload='Tensor')>"
    assert repr(aten.exp.default) == "<OpOverload(op='aten.exp', overload='default')>"
    assert repr(aten.add) == "<OpOverloadPacket(op='aten.add')>"
    assert aten._find("add.Tensor") is aten.add.Tensor and aten._find("exp") is aten.exp.default
    assert "add" in dir(aten) and gn.ops.aten is aten
    with pytest.raises(AttributeError, match="operator 'add' has no overload 'nothing'; it has"):
        aten.add.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="there is no operator 'nothing'"):
        aten.nothing  # noqa: B018


def test_calling_and_dispatching_are_the_same(device: str) -> None:
    x = gn.tensor([1.0, 2.0])
    for _ in range(3):
        assert aten.mul.Tensor(x, x).tolist() == aten.mul.Tensor.dispatch(x, x).tolist() == [1.0, 4.0]
