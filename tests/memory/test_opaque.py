"""Tensors without a Storage: neither the Tensor class nor the path of a call assumes that there is memory.

The device ``opaque`` has none: its tensors have their numbers as an attribute, and nothing may write to
these. Its operators are those of a library, as they would be for a sparse layout or for immutable buffers.
"""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory import backend as registry
from gnomon.memory.backend import Backend
from gnomon.memory.spec import Spec, contiguous_spec
from gnomon.memory.tensor import Tensor, bare_tensor
from gnomon.values.dispatch_key import TENSOR_KEYS


class Opaque(Backend):
    """A backend without memory."""

    contract_version = registry.CONTRACT_VERSION
    name = device_type = "opaque"
    kernels: dict[str, Any] = {}  # noqa: RUF012


def opaque(spec: Spec, numbers: list[float]) -> Tensor:
    """A tensor that has neither a Storage nor an address."""
    made = bare_tensor()
    made._spec = spec
    made._storage = None
    made._storage_offset = 0
    made._keys = int(TENSOR_KEYS)
    made._gradient_edge = None
    made._autograd_meta = None
    made._version_counter = None
    made._view_of = None
    made.numbers = numbers
    return made


def of(*numbers: float) -> Tensor:
    return opaque(contiguous_spec((len(numbers),), gn.float32, gn.device("opaque")), list(numbers))


pytestmark = pytest.mark.both_tiers


@pytest.fixture(autouse=True)
def mul() -> Iterator[Any]:
    """The product of two opaque tensors, as an operator of a library."""
    registry.register_backend(Opaque())
    library = gn.library.Library("opaque_tests", "DEF")
    library.define("mul(Tensor a, Tensor b) -> Tensor")

    def kernel(a: Tensor, b: Tensor) -> Tensor:
        return opaque(a._spec, [one * other for one, other in zip(a.numbers, b.numbers)])

    library.impl("mul", kernel, "opaque")
    operator = gn.ops.opaque_tests.mul

    def save(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, grad: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return operator(grad, b), operator(grad, a)

    gn.library.register_autograd("opaque_tests::mul", backward, setup_context=save, lib=library)
    yield operator
    library._destroy()
    registry._backends.pop("opaque", None)
    registry._by_device_type.pop("opaque", None)


def test_it_tells_what_it_is() -> None:
    x = of(1.0, 2.0)
    assert (x.shape, x.stride(), x.dtype, str(x.device)) == ((2,), (1,), gn.float32, "opaque")
    assert x._storage is None and x._address == 0.0 and x._version == 0 and x.is_leaf and x.grad_fn is None
    assert isinstance(x.requires_grad_(), Tensor) and x.requires_grad
    with pytest.raises(NotImplementedError, match="Cannot access storage of a tensor on opaque"):
        x.untyped_storage()


def test_it_is_called_recorded_and_differentiated(mul: Any) -> None:
    """The third call is like the first: a plan would need memory."""
    for _ in range(3):
        a, b = of(2.0, 3.0).requires_grad_(), of(5.0, 7.0).requires_grad_()
        product = mul(mul(a, b), of(2.0, 3.0))
        assert product.numbers == [20.0, 63.0] and product._storage is None
        assert product.requires_grad and product.grad_fn is not None and not product.is_leaf
        heard: list[Any] = []
        product.register_hook(lambda grad, heard=heard: heard.append(grad.numbers))
        ((node, number), _) = product.grad_fn.next_functions
        assert node.name() == product.grad_fn.name() and number == 0
        (grad,) = gn.autograd.grad(product, [b], [of(1.0, 10.0)], retain_graph=True)
        assert grad.numbers == [4.0, 90.0] and grad._storage is None and heard == [[1.0, 10.0]]
        (twice,) = gn.autograd.grad(product, [b], [of(1.0, 1.0)], create_graph=True)
        assert twice.numbers == [4.0, 9.0] and twice.requires_grad
        assert (a._version, b._version, product._version) == (0, 0, 0)


def test_nothing_is_given_back_that_it_never_had(mul: Any) -> None:
    def unraisable(given: Any) -> None:
        found.append(given.exc_value)

    found: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, unraisable
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(4):
                a = of(2.0).requires_grad_()
                product = mul(a, a)
                del product, a
            gc.collect()
    finally:
        sys.unraisablehook = before
    assert found == []
