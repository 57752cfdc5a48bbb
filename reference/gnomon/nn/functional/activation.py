"""Activations."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon.bindings.functions import documentation

from .arguments import implicit_dim


def _inplace_or_not(name: str, input: gn.Tensor, inplace: bool, *arguments: Any) -> gn.Tensor:
    """Calls the in-place or the functional operator ``name``."""
    return getattr(gn.ops.aten, f"{name}_" if inplace else name)(input, *arguments)


def _of_aten(name: str) -> Any:
    """The operator of that name, which nn.functional exports unchanged, as a function."""

    def function(*args: Any, **kwargs: Any) -> gn.Tensor:
        return getattr(gn.ops.aten, name)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = documentation(getattr(gn.ops.aten, name))
    return function


relu_ = _of_aten("relu_")
threshold_ = _of_aten("threshold_")
hardtanh_ = _of_aten("hardtanh_")
elu_ = _of_aten("elu_")
selu_ = _of_aten("selu_")
celu_ = _of_aten("celu_")
leaky_relu_ = _of_aten("leaky_relu_")
prelu = _of_aten("prelu")
logsigmoid = _of_aten("log_sigmoid")
hardshrink = _of_aten("hardshrink")
softplus = _of_aten("softplus")
softshrink = _of_aten("softshrink")
gelu = _of_aten("gelu")


def threshold(input: gn.Tensor, threshold: float, value: float, inplace: bool = False) -> gn.Tensor:
    """``input`` where it is above the threshold, else ``value``.

    The result has the shape and the dtype of the input.  Raises NotImplementedError for bool and complex
    dtypes.

    Source: torch.nn.functional.threshold.
    """
    return _inplace_or_not("threshold", input, inplace, threshold, value)


def relu(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``max(input, 0)``.

    The result has the shape and the dtype of the input.  Raises RuntimeError for bool, NotImplementedError
    for complex.

    Source: torch.nn.functional.relu.
    """
    return _inplace_or_not("relu", input, inplace)


def glu(input: gn.Tensor, dim: int = -1) -> gn.Tensor:
    """The first half along ``dim`` times the sigmoid of the second.  Raises RuntimeError for an odd size.

    Floating point; the result has half the size along ``dim`` and the same dtype.  Raises
    NotImplementedError for other dtypes.

    Source: torch.nn.functional.glu.
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return gn.ops.aten.glu(input, dim)


def hardtanh(
    input: gn.Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> gn.Tensor:
    """``input`` clamped to [``min_val``, ``max_val``].  Raises ValueError if ``min_val`` is the larger.

    The result has the shape and the dtype of the input.  Raises RuntimeError for bool, NotImplementedError
    for complex.

    Source: torch.nn.functional.hardtanh.
    """
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val, but got {min_val} and {max_val}")
    return _inplace_or_not("hardtanh", input, inplace, min_val, max_val)


def relu6(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``min(max(input, 0), 6)``.

    The result has the shape and the dtype of the input.  Raises RuntimeError for bool, NotImplementedError
    for complex.

    Source: torch.nn.functional.relu6.
    """
    return _inplace_or_not("relu6", input, inplace)


def elu(input: gn.Tensor, alpha: float = 1.0, inplace: bool = False) -> gn.Tensor:
    """``input`` where not negative, else ``alpha * (exp(input) - 1)``.

    The input is floating point; the result has its shape and dtype.  Raises NotImplementedError for other
    dtypes.

    Source: torch.nn.functional.elu.
    """
    return _inplace_or_not("elu", input, inplace, alpha)


def selu(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """The self-normalizing elu.

    ``scale * (max(0, x) + min(0, alpha * (exp(x) - 1)))``.  The input is floating point; the result has its
    shape and dtype.  Raises NotImplementedError for other dtypes.

    Source: torch.nn.functional.selu.
    """
    return _inplace_or_not("selu", input, inplace)


def celu(input: gn.Tensor, alpha: float = 1.0, inplace: bool = False) -> gn.Tensor:
    """``input`` where not negative, else ``alpha * (exp(input / alpha) - 1)``.

    The input is floating point; the result has its shape and dtype.  Raises NotImplementedError for other
    dtypes.

    Source: torch.nn.functional.celu.
    """
    return _inplace_or_not("celu", input, inplace, alpha)


def leaky_relu(input: gn.Tensor, negative_slope: float = 0.01, inplace: bool = False) -> gn.Tensor:
    """``input`` where positive, ``negative_slope * input`` elsewhere.

    The input is floating point; the result has its shape and dtype.  Raises NotImplementedError for other
    dtypes.

    Source: torch.nn.functional.leaky_relu.
    """
    return _inplace_or_not("leaky_relu", input, inplace, negative_slope)


def hardswish(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``input * hardsigmoid(input)``.

    The input is floating point; the result has its shape and dtype.  Raises NotImplementedError for other
    dtypes.

    Source: torch.nn.functional.hardswish.
    """
    return _inplace_or_not("hardswish", input, inplace)


def hardsigmoid(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``min(max(input + 3, 0), 6) / 6``.

    The input is floating point; the result has its shape and dtype.  Raises NotImplementedError for other
    dtypes.

    Source: torch.nn.functional.hardsigmoid.
    """
    return _inplace_or_not("hardsigmoid", input, inplace)


def silu(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``input * sigmoid(input)``.

    The input is floating point or complex; the result has its shape and dtype.  Raises NotImplementedError
    for other dtypes.

    Source: torch.nn.functional.silu.
    """
    return _inplace_or_not("silu", input, inplace)


def mish(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``input * tanh(softplus(input))``.

    The input is floating point; the result has its shape and dtype.  Raises NotImplementedError for other
    dtypes.

    Source: torch.nn.functional.mish.
    """
    return _inplace_or_not("mish", input, inplace)


def tanh(input: gn.Tensor) -> gn.Tensor:
    """The hyperbolic tangent.

    The result has the shape and dtype of the input; for integers and bool the default dtype.

    Source: torch.nn.functional.tanh.
    """
    return input.tanh()


def sigmoid(input: gn.Tensor) -> gn.Tensor:
    """``1 / (1 + exp(-input))``.

    The result has the shape and dtype of the input; for integers and bool the default dtype.

    Source: torch.nn.functional.sigmoid.
    """
    return input.sigmoid()


def tanhshrink(input: gn.Tensor) -> gn.Tensor:
    """``input - tanh(input)``.

    The result has the shape and dtype of the input; for integers the default dtype.  Raises
    RuntimeError for bool.

    Source: torch.nn.functional.tanhshrink.
    """
    return input - input.tanh()


def softsign(input: gn.Tensor) -> gn.Tensor:
    """``input / (|input| + 1)``.

    The result has the shape and dtype of the input; for integers the default dtype.  Raises
    NotImplementedError for bool.

    Source: torch.nn.functional.softsign.
    """
    return input / (input.abs() + 1)


def softmax(
    input: gn.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """``exp(input)`` divided by its sum along ``dim``; ``dtype`` converts the input first.

    Without ``dim``, PyTorch's legacy default is used (0 for 0-d, 1-d and 3-d inputs, else 1), with a warning.
    ``_stacklevel`` is accepted and ignored: gnomon's warnings find the caller's line by themselves.

    The input is floating point; the result has its shape.  Raises NotImplementedError for other dtypes,
    IndexError for a dim out of range.

    Source: torch.nn.functional.softmax.
    """
    if dim is None:
        dim = implicit_dim("softmax", input.dim())
    return gn.softmax(input, dim, dtype=dtype)


def softmin(
    input: gn.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """``softmax`` of minus the input; the arguments are those of ``softmax``.

    The input is floating point; the result has its shape.  Raises NotImplementedError for other dtypes,
    RuntimeError for bool, IndexError for a dim out of range.

    Source: torch.nn.functional.softmin.
    """
    if dim is None:
        dim = implicit_dim("softmin", input.dim())
    return gn.softmax(-input, dim, dtype=dtype)


def log_softmax(
    input: gn.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """The logarithm of ``softmax``, computed without overflow; the arguments are those of ``softmax``.

    The input is floating point; the result has its shape.  Raises NotImplementedError for other dtypes,
    IndexError for a dim out of range.

    Source: torch.nn.functional.log_softmax.
    """
    if dim is None:
        dim = implicit_dim("log_softmax", input.dim())
    return gn.log_softmax(input, dim, dtype=dtype)
