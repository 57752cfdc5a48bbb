"""Activations: each calls the function of the same name in ``functional``.

Source: torch/nn/modules/activation.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import gnomon as gn

from ...values.errors import warn
from .. import functional, init
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module


class _Inplace(Module):
    """An activation without options except ``inplace``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


def _and_inplace(inplace: bool) -> str:
    """What follows other options in the text of a module."""
    return ", inplace=True" if inplace else ""


class Threshold(Module):
    """``input`` where it is above ``threshold``, else ``value``.  Source: torch.nn.Threshold."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}{_and_inplace(self.inplace)}"


class ReLU(_Inplace):
    """``max(input, 0)``.  Source: torch.nn.ReLU."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.relu(input, self.inplace)


class RReLU(Module):
    """``input`` where positive, elsewhere ``slope * input``, in training with random slopes.

    A slope is drawn from [``lower``, ``upper``); in eval mode it is the mean of the two.  Source:
    torch.nn.RReLU; arXiv:1505.00853.
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{_and_inplace(self.inplace)}"


class Hardtanh(Module):
    """``input`` clamped to [``min_val``, ``max_val``].

    ``min_value`` and ``max_value`` are deprecated names of them, with a FutureWarning.  Raises AssertionError
    unless ``max_val`` is the larger.  Source: torch.nn.Hardtanh.
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warn("keyword argument `min_value` is deprecated and renamed to `min_val`", FutureWarning)
            min_val = min_value
        if max_value is not None:
            warn("keyword argument `max_value` is deprecated and renamed to `max_val`", FutureWarning)
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}{_and_inplace(self.inplace)}"


class ReLU6(Hardtanh):
    """``min(max(input, 0), 6)``.  Source: torch.nn.ReLU6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """``1 / (1 + exp(-input))``.  Source: torch.nn.Sigmoid."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.sigmoid(input)


class Hardsigmoid(Module):
    """``min(max(input + 3, 0), 6) / 6``.  Source: torch.nn.Hardsigmoid."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.hardsigmoid(input, self.inplace)


class Tanh(Module):
    """The hyperbolic tangent.  Source: torch.nn.Tanh."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.tanh(input)


class SiLU(_Inplace):
    """``input * sigmoid(input)``.  Source: torch.nn.SiLU."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.silu(input, self.inplace)


class Mish(_Inplace):
    """``input * tanh(softplus(input))``.  Source: torch.nn.Mish; arXiv:1908.08681."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.mish(input, self.inplace)


class Hardswish(Module):
    """``input * hardsigmoid(input)``.  Source: torch.nn.Hardswish; arXiv:1905.02244."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.hardswish(input, self.inplace)


class ELU(Module):
    """``input`` where positive, ``alpha * (exp(input) - 1)`` elsewhere.

    Source: torch.nn.ELU; arXiv:1511.07289.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{_and_inplace(self.inplace)}"


class CELU(Module):
    """``input`` where positive, ``alpha * (exp(input / alpha) - 1)`` elsewhere.

    Source: torch.nn.CELU; arXiv:1704.07483.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{_and_inplace(self.inplace)}"


class SELU(_Inplace):
    """The ELU whose scale keeps mean 0 and variance 1.  Source: torch.nn.SELU; arXiv:1706.02515."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.selu(input, self.inplace)


class GLU(Module):
    """The first half of ``input`` along ``dim`` times the sigmoid of the second.

    Source: torch.nn.GLU; arXiv:1612.08083.
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> that shape with half the size along ``dim``."""
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """``input`` times the cumulative distribution function of the normal distribution at ``input``.

    ``approximate`` is 'none' or 'tanh'.  Source: torch.nn.GELU; arXiv:1606.08415.
    """

    def __init__(self, approximate: Literal["none", "tanh"] = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """``input`` where its absolute value exceeds ``lambd``, else 0.  Source: torch.nn.Hardshrink."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class LeakyReLU(Module):
    """``input`` where positive, ``negative_slope * input`` elsewhere.  Source: torch.nn.LeakyReLU."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}{_and_inplace(self.inplace)}"


class LogSigmoid(Module):
    """The logarithm of the sigmoid, computed without overflow.  Source: torch.nn.LogSigmoid."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.logsigmoid(input)


class Softplus(Module):
    """``log(1 + exp(beta * input)) / beta``; ``input`` where ``beta * input`` exceeds ``threshold``.

    Source: torch.nn.Softplus.
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """``input`` moved by ``lambd`` towards 0, but not past it.  Source: torch.nn.Softshrink."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class MultiheadAttention(Module):
    """Attention of several heads: each attends with its own projections of query, key and value.

    ``embed_dim`` is divided among ``num_heads``.  Key and value have ``kdim`` and ``vdim`` features, by
    default ``embed_dim``.  ``dropout`` is that of the attention weights; ``add_bias_kv`` adds a learned
    key and value at the end of the sequence, ``add_zero_attn`` zeros.

    Raises ValueError for numbers that are not positive, AssertionError unless ``num_heads`` divides
    ``embed_dim``.  Source: torch.nn.MultiheadAttention; arXiv:1706.03762.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def parameter(*sizes: int) -> Parameter:
            return Parameter(gn.empty(sizes, device=device, dtype=dtype))

        # The order of registration is that of the parameters and of the state_dict.
        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(3 * embed_dim, embed_dim)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        else:
            self.q_proj_weight = parameter(embed_dim, embed_dim)
            self.k_proj_weight = parameter(embed_dim, self.kdim)
            self.v_proj_weight = parameter(embed_dim, self.vdim)
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = parameter(3 * embed_dim)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, device=device, dtype=dtype
        )
        if add_bias_kv:
            self.bias_k = parameter(1, 1, embed_dim)
            self.bias_v = parameter(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None  # type: ignore[assignment]
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Reinitializes all parameters except the output weight with random numbers."""
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            init.xavier_uniform_(self.q_proj_weight)
            init.xavier_uniform_(self.k_proj_weight)
            init.xavier_uniform_(self.v_proj_weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            init.xavier_normal_(self.bias_k)
        if self.bias_v is not None:
            init.xavier_normal_(self.bias_v)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    if TYPE_CHECKING:  # as ``forward``; the arguments say whether there are weights

        @overload
        def __call__(
            self,
            query: gn.Tensor,
            key: gn.Tensor,
            value: gn.Tensor,
            key_padding_mask: gn.Tensor | None = None,
            need_weights: Literal[True] = True,
            attn_mask: gn.Tensor | None = None,
            average_attn_weights: bool = True,
            is_causal: bool = False,
        ) -> tuple[gn.Tensor, gn.Tensor]: ...

        @overload
        def __call__(
            self,
            query: gn.Tensor,
            key: gn.Tensor,
            value: gn.Tensor,
            key_padding_mask: gn.Tensor | None = None,
            *,
            need_weights: Literal[False],
            attn_mask: gn.Tensor | None = None,
            average_attn_weights: bool = True,
            is_causal: bool = False,
        ) -> tuple[gn.Tensor, None]: ...

        @overload
        def __call__(
            self,
            query: gn.Tensor,
            key: gn.Tensor,
            value: gn.Tensor,
            key_padding_mask: gn.Tensor | None = None,
            need_weights: bool = True,
            attn_mask: gn.Tensor | None = None,
            average_attn_weights: bool = True,
            is_causal: bool = False,
        ) -> tuple[gn.Tensor, gn.Tensor | None]: ...

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def forward(
        self,
        query: gn.Tensor,
        key: gn.Tensor,
        value: gn.Tensor,
        key_padding_mask: gn.Tensor | None = None,
        need_weights: bool = True,
        attn_mask: gn.Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[gn.Tensor, gn.Tensor | None]:
        """query (L, N, E), key (S, N, kdim), value (S, N, vdim) -> (L, N, E), and the attention weights
        (N, L, S), or with ``average_attn_weights=False`` (N, heads, L, S), or None without ``need_weights``.

        With ``batch_first``, N comes first; without a batch there is no N.  ``key_padding_mask`` is (N, S),
        ``attn_mask`` (L, S) or (N * heads, L, S): bool, true where no attention is paid, or floating point,
        to be added to the scores.  ``is_causal`` says that ``attn_mask`` is the causal mask.
        """
        is_transposed = self.batch_first and query.dim() == 3
        if is_transposed:
            # One transposed tensor for arguments that are the same, so that they are projected together.
            if key is value:
                turned = key.transpose(1, 0)
                query = turned if query is key else query.transpose(1, 0)
                key = value = turned
            else:
                query, key, value = (each.transpose(1, 0) for each in (query, key, value))
        output, weights = functional.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(1, 0) if is_transposed else output), weights


class PReLU(Module):
    """``input`` where positive, ``weight * input`` elsewhere; ``weight`` is learned.

    ``weight`` is (num_parameters), with one number for all or for each channel, initially ``init``.  Source:
    torch.nn.PReLU; arXiv:1502.01852.
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(gn.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weight to ``init``."""
        init.constant_(self.weight, self.init)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, num_parameters, *) -> the same shape; any shape if there is one parameter."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """``input / (1 + |input|)``.  Source: torch.nn.Softsign."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.softsign(input)


class Tanhshrink(Module):
    """``input - tanh(input)``.  Source: torch.nn.Tanhshrink."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.tanhshrink(input)


class _AlongDimension(Module):
    """An activation along the dimension ``dim``."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(_AlongDimension):
    """``Softmax`` of ``-input``.  Source: torch.nn.Softmin."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.softmin(input, self.dim)


class Softmax(_AlongDimension):
    """``exp(input)`` divided by its sum along ``dim``.  Source: torch.nn.Softmax."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.softmax(input, self.dim)


class Softmax2d(Module):
    """``Softmax`` over the channels of ([N,] C, H, W).  Source: torch.nn.Softmax2d."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, H, W) -> the same shape.  Raises ValueError for other numbers of dimensions."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return functional.softmax(input, -3)


class LogSoftmax(_AlongDimension):
    """The logarithm of ``Softmax``, computed without overflow.  Source: torch.nn.LogSoftmax."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.log_softmax(input, self.dim)
