"""A kernel with a wrong signature is reported in a readable message."""

from __future__ import annotations

import functools

import pytest

from gnomon.memory import backend as backends
from gnomon_conformance.collection import signatures
from gnomon_conformance.mutation import loopback


@pytest.fixture(autouse=True)
def _leave_no_mutant():
    yield
    backends._backends.pop(loopback.DEVICE, None)
    backends._by_device_type.pop(loopback.DEVICE, None)


def test_a_wrong_signature_is_told_in_words() -> None:
    ran = []

    def add(output, self, other):
        ran.append(output)

    made = loopback.Loopback({"add.Tensor": add, "mm": lambda output, self, other: ran.append(output)})
    kernels = made.kernels
    (problem,) = signatures.problems(made, r"^(add\.Tensor|mm|neg)$")
    assert "kernel of 'add.Tensor' has the wrong signature: it takes (output, self, other)" in problem
    assert "is called with 2 arguments: iterator, 1." in problem and "kernel(iterator, *arguments)" in problem
    assert not ran, "no kernel runs"
    assert made.kernels is kernels
    assert signatures.problems(made, "^mm$") == []


def test_a_kernel_made_by_a_decorator_has_the_decorators_signature() -> None:
    def multiply(a, b):
        return a * b

    @functools.wraps(multiply)
    def kernel(iterator, *numbers):
        raise AssertionError("no kernel runs")

    assert signatures.problems(loopback.Loopback({"mul.Tensor": kernel}), r"^mul\.Tensor$") == []


def test_the_kernels_of_the_reference_are_right() -> None:
    assert signatures.problems(loopback.Loopback()) == []
