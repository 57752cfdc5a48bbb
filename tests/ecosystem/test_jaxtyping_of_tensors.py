"""jaxtyping's annotations of tensors, checked by beartype; with ``-m oracle`` also of PyTorch's."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from beartype import beartype
from jaxtyping import (
    BFloat16,
    Bool,
    Complex,
    Float,
    Float32,
    Int,
    Integer,
    Num,
    Shaped,
    TypeCheckError,
    UInt8,
    jaxtyped,
)


def annotated(lib: ModuleType) -> Any:
    """A function with annotated sizes.  The annotations are objects, since ``lib`` is known only here."""

    def product(x: Any, y: Any) -> Any:
        return x @ y if x.shape[0] != 7 else x

    product.__annotations__ = {
        "x": Float[lib.Tensor, "batch inner"],
        "y": Float[lib.Tensor, "inner"],
        "return": Float[lib.Tensor, "batch"],
    }
    return jaxtyped(typechecker=beartype)(product)


def test_sizes_are_bound_in_a_call(lib: ModuleType) -> None:
    product = annotated(lib)
    assert product(lib.ones(2, 3), lib.ones(3)).tolist() == [3.0, 3.0]
    assert product(lib.ones(4, 5), lib.ones(5)).shape == (4,)
    with pytest.raises(TypeCheckError, match="parameter 'y'"):
        product(lib.ones(2, 3), lib.ones(4))
    with pytest.raises(TypeCheckError, match="parameter 'x'"):
        product(lib.ones(2, 3, dtype=lib.int64), lib.ones(3))
    with pytest.raises(TypeCheckError, match="parameter 'x'"):
        product([[1.0]], lib.ones(1))
    with pytest.raises(TypeCheckError, match="return"):
        product(lib.ones(7, 3), lib.ones(3))


def test_dtypes(lib: ModuleType) -> None:
    kinds = {
        "float32": (Float, Float32, Num),
        "float64": (Float, Num),
        "bfloat16": (Float, BFloat16),
        "int64": (Int, Integer, Num),
        "uint8": (UInt8, Integer),
        "bool": (Bool,),
        "complex64": (Complex, Num),
    }
    for name, accepted in kinds.items():
        x = lib.ones(2, dtype=getattr(lib, name))
        for kind in (Float, Float32, BFloat16, Int, Integer, UInt8, Bool, Complex, Num):
            wanted = kind in accepted or (kind is Num and name in ("bfloat16", "uint8"))
            assert isinstance(x, kind[lib.Tensor, "2"]) is wanted, (name, kind)
        assert isinstance(x, Shaped[lib.Tensor, "_"]) and not isinstance(x, Shaped[lib.Tensor, "3"])


def test_shapes_and_subclasses(lib: ModuleType) -> None:
    x = lib.ones(2, 3, 4)
    assert isinstance(x, Float[lib.Tensor, "... 4"]) and isinstance(x, Float[lib.Tensor, "2 *rest"])
    assert not isinstance(x, Float[lib.Tensor, "a a b"])
    assert isinstance(lib.tensor(1.0), Float[lib.Tensor, ""])
    parameter = lib.nn.Parameter(lib.ones(3))
    assert isinstance(parameter, Float[lib.Tensor, "3"]) and isinstance(
        parameter, Float[lib.nn.Parameter, "3"]
    )
    assert not isinstance(lib.ones(3), Float[lib.nn.Parameter, "3"])
