"""autograd.functional: products with Jacobians and Hessians, and the matrices themselves."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import gnomon as gn


def functional(lib: Any) -> Any:
    return importlib.import_module(f"{lib.__name__}.autograd.functional")


def doubles(lib: Any, numbers: Any, **options: Any) -> Any:
    return lib.tensor(numbers, dtype=lib.float64, **options)


def cubes(x: Any) -> Any:
    return x**3


def product(x: Any, y: Any) -> Any:
    return (x * y).sum()


def pair(x: Any, y: Any) -> Any:
    return x * x * y.sum(), (x * y).sum(0, keepdim=True)


# -- products --------------------------------------------------------------------------------------------


def test_products_with_the_jacobian(lib: Any) -> None:
    x, v = doubles(lib, [1.0, 2.0]), doubles(lib, [10.0, 100.0])
    for name in ("vjp", "jvp"):
        value, found = getattr(functional(lib), name)(cubes, x, v)
        assert value.tolist() == [1.0, 8.0] and found.tolist() == [30.0, 1200.0]
        assert not value.requires_grad and not found.requires_grad and not x.requires_grad


def test_products_keep_the_form(lib: Any) -> None:
    x, y = doubles(lib, [1.0, 2.0]), doubles(lib, [3.0, 4.0])
    v = (doubles(lib, [1.0, 10.0]), doubles(lib, [1.0, 1.0]))
    values, found = functional(lib).jvp(pair, (x, y), v)
    assert isinstance(values, tuple) and [each.tolist() for each in found] == [[16.0, 288.0], [46.0]]
    values, found = functional(lib).vjp(pair, (x, y), (v[0], doubles(lib, [1.0])))
    assert [each.tolist() for each in found] == [[17.0, 284.0], [42.0, 43.0]]
    value, found = functional(lib).vjp(product, (x, y))
    assert value.item() == 11.0 and [each.tolist() for each in found] == [[3.0, 4.0], [1.0, 2.0]]


def test_products_with_the_hessian(lib: Any) -> None:
    x, v = doubles(lib, [1.0, 2.0]), doubles(lib, [10.0, 100.0])
    for name in ("vhp", "hvp"):
        value, found = getattr(functional(lib), name)(lambda x: (x**3).sum(), x, v)
        assert value.item() == 9.0 and found.tolist() == [60.0, 1200.0]
        _, found = getattr(functional(lib), name)(product, (x, v), (v, x))
        assert [each.tolist() for each in found] == [[1.0, 2.0], [10.0, 100.0]]
        _, found = getattr(functional(lib), name)(lambda x: x[0] ** 2, doubles(lib, [3.0]))
        assert found.tolist() == [2.0]


def test_products_that_are_differentiated_again(lib: Any) -> None:
    x, v = doubles(lib, [1.0, 2.0], requires_grad=True), doubles(lib, [10.0, 100.0], requires_grad=True)
    for name, of_x, of_v in (("vjp", [60.0, 1200.0], [3.0, 12.0]), ("jvp", [60.0, 1200.0], [3.0, 12.0])):
        value, found = getattr(functional(lib), name)(cubes, x, v, create_graph=True)
        assert value.requires_grad
        assert [each.tolist() for each in lib.autograd.grad(found.sum(), (x, v))] == [of_x, of_v]
    for name in ("vhp", "hvp"):
        _, found = getattr(functional(lib), name)(lambda x: (x**3).sum(), x, v, create_graph=True)
        assert [each.tolist() for each in lib.autograd.grad(found.sum(), (x, v))] == [
            [60.0, 600.0],
            [6.0, 12.0],
        ]


def test_products_inside_no_grad(lib: Any) -> None:
    x = doubles(lib, [3.0])
    with lib.no_grad():
        for name in ("vjp", "jvp", "vhp", "hvp"):
            _, found = getattr(functional(lib), name)(lambda x: (x * x).sum(0, keepdim=True), x)
            assert found.tolist() == [2.0 if name.endswith("hp") or name == "hvp" else 6.0]
        assert functional(lib).jacobian(cubes, x).tolist() == [[27.0]]


def test_independent_inputs_have_derivatives_of_zero(lib: Any) -> None:
    x, y = doubles(lib, [1.0, 2.0]), doubles(lib, [3.0, 4.0])
    _, found = functional(lib).vjp(lambda x, y: x.sum(), (x, y))
    assert found[1].tolist() == [0.0, 0.0]
    _, found = functional(lib).jvp(lambda x: lib.ones(2), x, x)
    assert found.tolist() == [0.0, 0.0]
    _, found = functional(lib).hvp(lambda x: x.sum(), x, x)
    assert found.tolist() == [0.0, 0.0]
    assert functional(lib).jacobian(lambda x, y: x, (x, y))[1].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert functional(lib).hessian(lambda x: x.sum(), x).tolist() == [[0.0, 0.0], [0.0, 0.0]]


# -- matrices --------------------------------------------------------------------------------------------

WAYS = [
    {},
    {"vectorize": True},
    {"vectorize": True, "strategy": "forward-mode"},
]


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_the_jacobian(lib: Any, options: Any) -> None:
    jacobian = functional(lib).jacobian
    x, y = doubles(lib, [1.0, 2.0]), doubles(lib, [3.0, 4.0])
    assert jacobian(cubes, x, **options).tolist() == [[3.0, 0.0], [0.0, 12.0]]
    found = jacobian(product, (x, y), **options)
    assert [each.tolist() for each in found] == [[3.0, 4.0], [1.0, 2.0]]
    found = jacobian(pair, (x, y), **options)
    assert [[each.tolist() for each in row] for row in found] == [
        [[[14.0, 0.0], [0.0, 28.0]], [[1.0, 1.0], [4.0, 4.0]]],
        [[[3.0, 4.0]], [[1.0, 2.0]]],
    ]
    found = jacobian(lambda x: (x.sum(), x[1]), x, **options)
    assert [each.tolist() for each in found] == [[1.0, 1.0], [0.0, 1.0]]
    matrix = doubles(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = jacobian(lambda x: x.sum(1) ** 2, matrix, **options)
    assert found.shape == (2, 2, 3) and found.tolist()[1] == [[0.0] * 3, [30.0] * 3]
    assert not found.requires_grad


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_the_hessian(lib: Any, options: Any) -> None:
    hessian = functional(lib).hessian
    if "strategy" in options:
        options = {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}
    x, y = doubles(lib, [1.0, 2.0]), doubles(lib, [3.0, 4.0])
    assert hessian(lambda x: (x**3).sum(), x, **options).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    found = hessian(lambda x: x.exp().prod(), x, **options)
    assert found.reshape(4).tolist() == pytest.approx([x.sum().exp().item()] * 4)
    found = hessian(lambda x, y: (x * x * y).sum(), (x, y), **options)
    assert [[each.tolist() for each in row] for row in found] == [
        [[[6.0, 0.0], [0.0, 8.0]], [[2.0, 0.0], [0.0, 4.0]]],
        [[[2.0, 0.0], [0.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]]],
    ]


def test_matrices_that_are_differentiated_again(lib: Any) -> None:
    x = doubles(lib, [1.0, 2.0], requires_grad=True)
    for vectorize in (False, True):
        found = functional(lib).jacobian(cubes, x, create_graph=True, vectorize=vectorize)
        assert lib.autograd.grad(found.sum(), x)[0].tolist() == [6.0, 12.0]
        found = functional(lib).hessian(lambda x: (x**3).sum(), x, create_graph=True, vectorize=vectorize)
        assert lib.autograd.grad(found.sum(), x)[0].tolist() == [6.0, 6.0]


def test_complex_jacobians(lib: Any) -> None:
    x = lib.tensor([1 + 2j], dtype=lib.complex128)
    assert functional(lib).vjp(lambda x: x * x, x, lib.ones_like(x))[1].tolist() == [2 - 4j]
    assert functional(lib).jvp(lambda x: x * x, x, lib.ones_like(x))[1].tolist() == [2 + 4j]
    with pytest.raises(RuntimeError, match="only for real scalar outputs"):
        functional(lib).jacobian(lambda x: x * x, x)


# -- errors ----------------------------------------------------------------------------------------------


def test_what_is_no_tensor(lib: Any) -> None:
    module = functional(lib)
    x = doubles(lib, [1.0, 2.0])
    for name in ("vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"):
        with pytest.raises(TypeError, match=f"inputs given to {name} must be either a Tensor or a tuple"):
            getattr(module, name)(cubes, 1.0)
        with pytest.raises(TypeError, match="value at index 1 has type"):
            getattr(module, name)(product, (x, 1.0))
    with pytest.raises(TypeError, match="outputs of the user-provided function given to vjp must be"):
        module.vjp(lambda x: 1.0, x)


def test_vectors_of_other_forms(lib: Any) -> None:
    module = functional(lib)
    x = doubles(lib, [1.0, 2.0])
    one = doubles(lib, [1.0])
    with pytest.raises(
        RuntimeError, match="v can only be None if the user-provided function returns a single"
    ):
        module.vjp(cubes, x)
    for name in ("jvp", "vhp", "hvp"):
        with pytest.raises(
            RuntimeError, match="v can only be None if the input to the user-provided function"
        ):
            getattr(module, name)(lambda x: x.sum(), x)
        with pytest.raises(RuntimeError, match="v has invalid size: should be"):
            getattr(module, name)(lambda x: x.sum(), x, one)
        with pytest.raises(RuntimeError, match="v is a tuple of invalid length: should be 2 but got 1"):
            getattr(module, name)(product, (x, x), (x,))
        with pytest.raises(RuntimeError, match="Entry 1 in v has invalid size"):
            getattr(module, name)(product, (x, x), (x, one))
        with pytest.raises(RuntimeError, match="The given v should contain a single Tensor"):
            getattr(module, name)(lambda x: x.sum(), x, (x, x))


def test_functions_that_return_no_number(lib: Any) -> None:
    x = doubles(lib, [1.0, 2.0])
    for name in ("vhp", "hvp", "hessian"):
        call = getattr(functional(lib), name)
        arguments = (x,) if name == "hessian" else (x, x)
        with pytest.raises(RuntimeError, match="should contain a single element"):
            call(cubes, *arguments)
        with pytest.raises(RuntimeError, match="should return a single Tensor"):
            call(lambda x: (x.sum(), x.sum()), *arguments)


def test_strict(lib: Any) -> None:
    module = functional(lib)
    x = doubles(lib, [1.0, 2.0])
    for name in ("vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"):
        vector = () if name in ("jacobian", "hessian") else ((x[:1] * 0).sum(),) if name == "vjp" else (x,)
        call = getattr(module, name)
        with pytest.raises(RuntimeError, match="Output 0 of the user-provided function does not require"):
            call(lambda x: x.detach().sum(), x, *vector, strict=True)
        vectors = vector if name == "vjp" else ((x, x),) if vector else ()
        with pytest.raises(RuntimeError, match=r"input 1 is independent|independent of input 1\."):
            call(lambda x, y: (x**3).sum(), (x, x), *vectors, strict=True)
        if name in ("vhp", "hvp", "hessian"):
            with pytest.raises(RuntimeError, match="the jacobian of the user-provided function with respect"):
                call(lambda x: x.sum(), x, *vector, strict=True)
        else:
            with pytest.raises(RuntimeError, match="not allowed in strict mode"):
                call(lambda x: x.sum(), x, *vector, strict=True, create_graph=True)


def test_ways_that_do_not_go_together(lib: Any) -> None:
    module = functional(lib)
    x = doubles(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="not supported together"):
        module.jacobian(cubes, x, strict=True, vectorize=True)
    with pytest.raises(RuntimeError, match="not supported together"):
        module.jacobian(cubes, x, strict=True, vectorize=True, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match="not supported together"):
        module.jacobian(cubes, x, create_graph=True, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match="only implemented for `vectorize=True`"):
        module.jacobian(cubes, x, strategy="forward-mode")
    with pytest.raises(AssertionError, match="Expected strategy to be either"):
        module.jacobian(cubes, x, strategy="sideways")
    with pytest.raises(AssertionError, match="Expected strategy to be either"):
        module.hessian(lambda x: x.sum(), x, outer_jacobian_strategy="sideways")


# -- what only gnomon has --------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_all_at_once_is_one_after_the_other(strategy: str) -> None:
    module = gn.autograd.functional
    x, y = doubles(gn, [1.0, 2.0]), doubles(gn, [3.0, 4.0])
    at_once = module.jacobian(pair, (x, y), vectorize=True, strategy=strategy)
    looped = module.jacobian(pair, (x, y))
    assert [[each.tolist() for each in row] for row in at_once] == [
        [each.tolist() for each in row] for row in looped
    ]
