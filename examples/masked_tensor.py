"""A tensor some of whose elements are masked: they are unspecified, and take part in nothing.

    python examples/masked_tensor.py

It wraps data and a mask of the same shape, True where an element is given. Pointwise functions keep the
mask, views and indexing apply to both, reductions and softmax skip masked elements, and gradients are masked:
a NaN at a masked element never reaches another gradient.

Functions are handled in two places. ``__gnomon_dispatch__`` is below autograd: it suits functions whose
derivative holds for masked tensors too. That of a mean does not, because it divides by the number of all
elements. So reductions are methods, which compute with the data and ``gnomon.masked`` between two steps that
are differentiable, ``get_data`` and ``MaskedTensor.of``; ``gnomon.mean(masked)`` is refused.
As in PyTorch, several gradients of one tensor are added only if their masks are equal.

Source: torch/masked/maskedtensor (MaskedTensor).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn
from gnomon.demo import load_digits

POINTWISE = frozenset(
    """_to_copy abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil clamp clone conj
    conj_physical copy copysign cos cosh deg2rad detach digamma div elu elu_backward eq erf erfc erfinv
    exp exp2 expm1 floor floor_divide fmax fmin fmod frac ge gelu gelu_backward gt hardtanh
    hardtanh_backward hypot i0 isfinite isinf isnan le leaky_relu leaky_relu_backward lerp lgamma log
    log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit lt
    masked_fill maximum minimum mul nan_to_num ne neg nextafter ones_like positive pow rad2deg
    reciprocal relu remainder round rsqrt rsub sgn sigmoid sigmoid_backward sign signbit silu
    silu_backward sin sinc sinh softplus softplus_backward sqrt square sub tan tanh tanh_backward
    threshold threshold_backward trunc where xlogy zeros_like""".split()
)
REARRANGING = frozenset(
    """cat constant_pad_nd flip gather _index index_select _index_put new_zeros repeat roll select_backward
    slice_backward stack take unfold_backward""".split()
)
# Masked elements take no part in a softmax if their data is this.
FILLED = {"_softmax": -gn.inf, "_log_softmax": -gn.inf}
FILLED |= {"_softmax_backward_data": 0, "_log_softmax_backward_data": 0}


class MaskedTensor(gn.Tensor):
    """``data`` where ``mask``, a bool tensor of the same shape, is True; nothing elsewhere.

    Shares the memory of both.  Raises TypeError for a mask of another dtype, ValueError for another shape.
    """

    _data: gn.Tensor
    _mask: gn.Tensor

    def __new__(cls, data: gn.Tensor, mask: gn.Tensor, requires_grad: bool = False) -> MaskedTensor:
        if mask.dtype is not gn.bool:
            raise TypeError("mask must have dtype bool.")
        if data.dim() != mask.dim():
            raise ValueError("data.dim() must equal mask.dim()")
        if data.shape != mask.shape:
            raise ValueError("data.size() must equal mask.size()")
        made = gn.Tensor._make_wrapper_subclass(
            cls,
            data.shape,
            strides=data.stride(),
            dtype=data.dtype,
            device=data.device,
            requires_grad=requires_grad,
        )
        made._data, made._mask = data.detach(), mask
        return made

    @staticmethod
    def of(data: gn.Tensor, mask: gn.Tensor) -> MaskedTensor:
        """Like ``MaskedTensor(data, mask)``, but differentiable: the gradient goes on to ``data``, masked."""
        return FromData.apply(data, mask)

    def get_data(self) -> gn.Tensor:
        """The data with arbitrary numbers at masked elements; differentiable."""
        return GetData.apply(self)

    def get_mask(self) -> gn.Tensor:
        """The mask: True where an element is given."""
        return self._mask

    def to_tensor(self, value: float) -> gn.Tensor:
        """The data with ``value`` in place of masked elements; differentiable."""
        return self.get_data().masked_fill(~self._mask, value)

    def __repr__(self) -> str:
        if self.dim() == 0:
            text = formatted(self._data, self._mask)[0]
            return f"MaskedTensor({text.strip() if text.strip() == '--' else text}, {self._mask.item()})"
        lines = "\n".join("  " + line for line in picture(self._data, self._mask).split("\n"))
        return f"MaskedTensor(\n{lines}\n)"

    @classmethod
    def __gnomon_dispatch__(
        cls, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = func.schema.name.rstrip("_") if func.schema.is_inplace else func.schema.name
        if name == "_local_scalar_dense":
            if not args[0]._mask.item():
                raise ValueError("item(): the element is masked")
            return args[0]._data.item()
        if name == "sum":  # for gradients of operands that were broadcast
            return reduced("sum", args[0]._data, args[0]._mask, *args[1:], **kwargs)
        if func.schema.is_view or name in REARRANGING:
            data, masks = (func(*mapped(args, part), **mapped(kwargs, part)) for part in (data_of, mask_of))
            return wrapped(data, masks)
        if name not in POINTWISE and name not in FILLED:
            return NotImplemented
        mask = common_mask(args)
        if name in FILLED:
            args = mapped(args, lambda each: filled(each, FILLED[name]))
        result = func(*mapped(args, data_of), **mapped(kwargs, data_of))
        return args[0] if func.schema.is_inplace else MaskedTensor(result, mask.expand_as(result))


class GetData(gn.autograd.Function):
    """A masked tensor's data; the gradient is masked as the tensor is."""

    @staticmethod
    def forward(ctx: Any, masked: MaskedTensor) -> gn.Tensor:
        ctx.mask = masked._mask
        return masked._data.detach()

    @staticmethod
    def backward(ctx: Any, gradient: gn.Tensor) -> gn.Tensor:
        return MaskedTensor(data_of(gradient), ctx.mask)


class FromData(gn.autograd.Function):
    """A masked tensor of data and a mask; the gradient of the data is masked."""

    @staticmethod
    def forward(ctx: Any, data: gn.Tensor, mask: gn.Tensor) -> MaskedTensor:
        ctx.mask = mask
        return MaskedTensor(data, mask)

    @staticmethod
    def backward(ctx: Any, gradient: gn.Tensor) -> tuple[gn.Tensor, None]:
        return MaskedTensor(data_of(gradient), ctx.mask), None


def reduced(
    name: str, data: gn.Tensor, mask: gn.Tensor, dim: Any = None, keepdim: bool = False, **options: Any
) -> MaskedTensor:
    """A reduction of ``gnomon.masked``; the result is masked where no element was given."""
    result = getattr(gn.masked, name)(data, dim=dim, keepdim=keepdim, mask=mask, **options)
    dims = range(mask.dim()) if dim is None or dim == [] else dim
    return MaskedTensor.of(result, gn.any(mask, dims if isinstance(dims, int) else tuple(dims), keepdim))


def reduction(name: str) -> Callable[..., MaskedTensor]:
    """The method for a reduction: ``dim`` is a dimension, several or None for all."""

    def method(self: MaskedTensor, dim: Any = None, keepdim: bool = False, **options: Any) -> MaskedTensor:
        return reduced(name, self.get_data(), self._mask, dim, keepdim, **options)

    return method


for each in ("sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "norm", "var", "std"):
    setattr(MaskedTensor, each, reduction(each))


def where(condition: gn.Tensor, input: MaskedTensor, other: MaskedTensor) -> MaskedTensor:
    """Elements of ``input`` where ``condition`` is True, of ``other`` elsewhere; each with its own mask."""
    data = gn.where(condition, input.get_data(), other.get_data())
    return MaskedTensor.of(data, gn.where(condition, input.get_mask(), other.get_mask()))


def data_of(value: Any) -> Any:
    """The data of a masked tensor; any other value itself."""
    return value._data if isinstance(value, MaskedTensor) else value


def mask_of(value: Any) -> Any:
    """The mask of a masked tensor; any other value itself."""
    return value._mask if isinstance(value, MaskedTensor) else value


def filled(value: Any, number: float) -> Any:
    """The data of a masked tensor with ``number`` in place of masked elements; any other value itself."""
    return value.to_tensor(number) if isinstance(value, MaskedTensor) else value


def common_mask(values: tuple[Any, ...]) -> gn.Tensor:
    """The mask of those that have one.  Raises ValueError if masks differ."""
    first, *others = [each._mask for each in values if isinstance(each, MaskedTensor)]
    if not all(gn.equal(first, each) for each in others):
        raise ValueError("Input masks must match.")
    return first


def wrapped(data: Any, mask: Any) -> Any:
    """Tensors, or lists of them, as masked tensors."""
    if isinstance(data, (list, tuple)):
        return type(data)(wrapped(*pair) for pair in zip(data, mask))
    return MaskedTensor(data, mask)


def mapped(values: Any, function: Callable[[Any], Any]) -> Any:
    """Apply ``function`` to each value and keep the structure."""
    if isinstance(values, dict):
        return {name: mapped(each, function) for name, each in values.items()}
    if isinstance(values, (list, tuple)):
        return type(values)(mapped(each, function) for each in values)
    return function(values)


def formatted(data: gn.Tensor, mask: gn.Tensor) -> list[str]:
    """The elements, floats with four decimals; -- for masked ones."""
    numbers = [f"{each:8.4f}" if isinstance(each, float) else str(each) for each in data.reshape(-1).tolist()]
    kept = mask.reshape(-1).tolist()
    width = max((len(number) if given else 8 for number, given in zip(numbers, kept)), default=0)
    return [number if given else "--".rjust(width) for number, given in zip(numbers, kept)]


def picture(data: gn.Tensor, mask: gn.Tensor) -> str:
    """The elements in brackets, a line for each row."""
    if data.dim() == 1:
        return f"[{', '.join(formatted(data, mask))}]"
    inner = ",\n".join(picture(*pair) for pair in zip(data, mask))
    return "[\n" + "\n".join("  " + line for line in inner.split("\n")) + "\n]"


def main() -> None:
    """A gradient that masking saves from NaN, and statistics of digits with missing pixels."""
    x = gn.tensor([1.0, 1.0], requires_grad=True)
    divisor = gn.tensor([0.0, 1.0])
    is_finite = divisor != 0
    gn.where(is_finite, x / divisor, 0).sum().backward()
    print("gradient through where:", x.grad)
    x.grad = None
    MaskedTensor.of(x / divisor, is_finite).sum().backward()
    print("gradient through a mask:", x.grad)

    gn.manual_seed(0)
    images = load_digits().train_images[:200].reshape(-1, 64)
    seen = MaskedTensor(images, gn.rand(images.shape) < 0.5)
    average = seen.mean(0)
    center = average.reshape(8, 8)[2:6, 2:6]
    print("average of the seen pixels:", center)
    for name, found in (
        ("mean of the seen", average.to_tensor(0)),
        ("zeros for unseen", seen.to_tensor(0).mean(0)),
    ):
        print(f"{name}: at most {(found - images.mean(0)).abs().max().item():.3f} from the average of all")


if __name__ == "__main__":
    main()
