"""Layers on opaque tensors: linear, convolution, pooling, batch normalization.

A pooling layer treats channels alike, so it takes the blocks of a tensor for images of eight channels each,
which lie channels last.

Source: aten/src/ATen/native/mkldnn/Conv.cpp, Linear.cpp, Pooling.cpp, Normalization.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.backend import backend_of, claims
from ..memory.tensor import Tensor
from ..ops.nn.convolution import _convolution_meta
from ..sparse.registration import no_kernel
from ..values import geometry
from ..values.dtype import float32, uint8
from ..values.geometry import Ints
from .blocking import BLOCK, CHANNELS, WEIGHT, blocks
from .conversion import autograd_mkldnn_kernel, mkldnn_kernel, not_opaque
from .convolution import blocked_convolution
from .tensor import MkldnnTensor, become, dense, make_mkldnn, opaque_operand, packed

# ---------------------------------------------------------------------------------------------------------
# Linear.

native_function(
    "mkldnn_linear(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor",
    python_module="nn",
    explicit=not_opaque("mkldnn_linear"),
    derivatives={
        "self, weight, bias": lambda grad, self, weight, grad_input_mask: aten.mkldnn_linear_backward.default(
            self, grad, weight, grad_input_mask
        )
    },
    doc="""``input @ weight.T + bias`` for an opaque input (*, k); weight (n, k) and bias (n) may be opaque.

    Raises RuntimeError for sizes that do not match.""",
)


def _bias_of(bias: Tensor | None, input: Tensor) -> Tensor | None:
    """The bias as a strided tensor of the input's dtype: that of a bfloat16 layer may be float32."""
    return None if bias is None else dense(bias).to(input._spec.dtype)


@mkldnn_kernel("mkldnn_linear")
def _mkldnn_linear(self: Tensor, weight: Tensor, bias: Tensor | None) -> MkldnnTensor:
    if not isinstance(self, MkldnnTensor):
        raise RuntimeError("mkldnn_linear: input needs to be mkldnn layout")
    return packed(aten.linear.default(dense(self), dense(weight), _bias_of(bias, self)))


@autograd_mkldnn_kernel("linear")
def _linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if not isinstance(input, MkldnnTensor):
        raise no_kernel("mm", "MkldnnCPU")
    return aten.mkldnn_linear.default(input, weight, bias)


native_function(
    "mkldnn_linear_backward(Tensor self, Tensor grad_output, Tensor weight, bool[3] output_mask) -> (Tensor, "
    "Tensor, Tensor)",
    variants="none",
    explicit=not_opaque("mkldnn_linear_backward"),
    doc="The gradients of mkldnn_linear: an opaque one of the input, strided ones of the parameters.",
)


native_function(
    "mkldnn_linear_backward_input(int[] input_size, Tensor grad_output, Tensor weight) -> Tensor",
    variants="none",
    explicit=not_opaque("mkldnn_linear_backward_input"),
    derivatives={},
    doc="""The gradient of mkldnn_linear's input, opaque, with sizes ``input_size``.

    Raises RuntimeError for an opaque or double ``weight``, and for sizes that do not match.""",
)
native_function(
    "mkldnn_linear_backward_weights(Tensor grad_output, Tensor input, Tensor weight, bool bias_defined) -> "
    "(Tensor, Tensor)",
    variants="none",
    explicit=not_opaque("mkldnn_linear_backward_weights"),
    derivatives={},
    doc="""The gradients of mkldnn_linear's weight and bias, strided; without a bias the second one is 0-dim.

    Raises RuntimeError unless ``grad_output`` and ``input`` are opaque.""",
)


@mkldnn_kernel("mkldnn_linear_backward_input")
def _of_input(input_size: Sequence[int], grad_output: Tensor, weight: Tensor) -> MkldnnTensor:
    if not isinstance(grad_output, MkldnnTensor):
        raise RuntimeError("mkldnn_linear_backward: grad_output needs to be mkldnn layout")
    if isinstance(weight, MkldnnTensor):
        raise RuntimeError("itensor_view_from_dense expects dense tensor input")
    if weight._spec.dtype is not grad_output._spec.dtype:
        raise RuntimeError(
            f"mkldnn_linear_backward: expected weight of dtype {grad_output._spec.dtype.name}, got "
            f"{weight._spec.dtype.name}"
        )
    return packed(dense(grad_output).matmul(weight).reshape(tuple(input_size)))


@mkldnn_kernel("mkldnn_linear_backward_weights")
def _of_weights(
    grad_output: Tensor, input: Tensor, weight: Tensor, bias_defined: bool
) -> tuple[Tensor, Tensor]:
    if not isinstance(grad_output, MkldnnTensor) or not isinstance(input, MkldnnTensor):
        raise RuntimeError("mkldnn_linear_backward: grad_output and input needs to be mkldnn layout")
    grad = dense(grad_output)
    rows = grad.reshape(-1, grad._spec.sizes[-1])
    of_weight = rows.t().matmul(dense(input).reshape(-1, weight._spec.sizes[1]))
    return of_weight, rows.sum(0) if bias_defined else grad.new_zeros(())


@mkldnn_kernel("mkldnn_linear_backward")
def _mkldnn_linear_backward(
    self: Tensor, grad_output: Tensor, weight: Tensor, output_mask: Sequence[bool]
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    of_input, of_weight, of_bias = None, None, None
    if output_mask[0]:
        of_input = _of_input(self._spec.sizes, grad_output, weight)
    if output_mask[1] or output_mask[2]:
        of_weight, of_bias = _of_weights(grad_output, self, weight, output_mask[2])
    return of_input, of_weight, of_bias if output_mask[2] else None


# ---------------------------------------------------------------------------------------------------------
# A recurrent layer, of strided tensors.

_LSTM = 2  # the number of PyTorch's enum


def _rnn_layer(
    input: Tensor,
    weight0: Tensor,
    weight1: Tensor,
    weight2: Tensor,
    weight3: Tensor,
    hx_: Tensor,
    cx_: Tensor,
    reverse: bool,
    batch_sizes: Sequence[int],
    mode: int,
    hidden_size: int,
    num_layers: int,
    has_biases: bool,
    bidirectional: bool,
    batch_first: bool,
    train: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    if any(isinstance(each, MkldnnTensor) for each in (input, weight0, weight1, weight2, weight3, hx_, cx_)):
        raise RuntimeError("itensor_view_from_dense expects dense tensor input")
    if mode != _LSTM:
        raise RuntimeError(f"mkldnn_rnn_layer: expected mode {_LSTM}, an LSTM, but got {mode}")
    states = [each.reshape(1, *each._spec.sizes[-2:]) for each in (hx_, cx_)]
    weights = [weight0, weight1, weight2, weight3] if has_biases else [weight0, weight1]
    steps = input.flip(0) if reverse else input
    output, hidden, cell = aten.lstm.input(steps, states, weights, has_biases, 1, 0.0, False, False, False)
    output = output.flip(0) if reverse else output
    workspace = aten.empty.memory_format((0,), uint8, None, input._spec.device, None, None)
    return output, hidden.reshape(hx_._spec.sizes), cell.reshape(cx_._spec.sizes), workspace


native_function(
    "mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor "
    "hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool "
    "has_biases, bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)",
    variants="none",
    composite=_rnn_layer,
    doc="""One direction of an LSTM layer, of strided tensors: the outputs (T, N, H) for ``input`` (T, N, I),
    the last hidden state and the last cell state.

    ``mode`` must be 2.  ``reverse``: from the last step to the first.  The fourth result, which is oneDNN's
    memory for its backward pass in PyTorch, has no elements.  Raises RuntimeError for another mode, and for
    opaque tensors.""",
)
mkldnn_kernel("mkldnn_rnn_layer")(_rnn_layer)


# ---------------------------------------------------------------------------------------------------------
# Convolution.


def _check_operands(input: Tensor, weight: Tensor) -> None:
    if not isinstance(input, MkldnnTensor):
        raise RuntimeError(
            f"Input type ({input._spec.layout}) and weight type ({weight._spec.layout}) should be the same "
            "or input should be a MKLDNN tensor and weight is a dense tensor"
        )


@mkldnn_kernel("convolution")
def _convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> MkldnnTensor:
    _check_operands(input, weight)
    if transposed and isinstance(weight, MkldnnTensor):
        raise RuntimeError("mkldnn_convolution_transpose: expected a strided weight")
    options = (stride, padding, dilation, transposed, output_padding, groups)
    added, given = _bias_of(bias, input), opaque_operand(input)
    is_plain = not transposed and groups == 1 and input._spec.ndim == 4 and input._spec.dtype is float32
    if not is_plain or not claims(backend_of(input._spec.device), blocked_convolution.name, "float32"):
        return packed(aten.convolution.default(dense(input), dense(weight), added, *options))
    specs = (input._spec.contiguous(), weight._spec.contiguous(), None if added is None else added._spec)
    checked = _convolution_meta(*specs, stride, padding, dilation, False, output_padding, groups)
    sizes = checked.sizes
    if not geometry.numel_of(sizes) or not given._spec.numel:
        return packed(aten.convolution.default(dense(input), dense(weight), added, *options))
    held = given.held if given.blocking is CHANNELS else CHANNELS.pack(dense(given))
    in_blocks = isinstance(weight, MkldnnTensor) and weight.blocking is WEIGHT
    factors = weight.held if in_blocks else WEIGHT.pack(dense(weight))  # type: ignore[attr-defined]
    terms = None if added is None else _in_blocks(added, 0)
    window = (_spread(each, 2) for each in (stride, padding, dilation))
    result = blocked_convolution(held, factors, terms, given._spec.sizes[1], *window)
    return make_mkldnn(result, sizes, CHANNELS)


@mkldnn_kernel("convolution_backward")
def _convolution_backward(
    grad_output: Tensor, input: Tensor, weight: Tensor, bias_sizes: Any, *options: Any
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    if isinstance(weight, MkldnnTensor):
        raise RuntimeError("The MKLDNN backend does not support weight as an MKLDNN tensor during training")
    of_input, *others = aten.convolution_backward.default(
        dense(grad_output), dense(input), weight, bias_sizes, *options
    )
    return None if of_input is None else packed(of_input), *others


def _mkldnn_convolution(
    self: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    padding: Any,
    stride: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    return aten.convolution.default(self, weight, bias, stride, padding, dilation, False, [0], groups)


def _mkldnn_convolution_grad(
    grad: Tensor,
    self: Tensor,
    weight: Tensor,
    bias_spec: Any,
    padding: Any,
    stride: Any,
    dilation: Any,
    groups: int,
    grad_input_mask: Any,
) -> Any:
    sizes = None if bias_spec is None else bias_spec.sizes
    options = (stride, padding, dilation, False, [0], groups, grad_input_mask)
    return aten.convolution_backward.default(grad, self, weight, sizes, *options)


native_function(
    "mkldnn_convolution(Tensor self, Tensor weight, Tensor? bias, SymInt[] padding, SymInt[] stride, "
    "SymInt[] dilation, SymInt groups) -> Tensor",
    variants="function",
    explicit=_mkldnn_convolution,
    derivatives={"self, weight, bias": _mkldnn_convolution_grad},
    doc="""Convolves input (N, C_in, *spatial), opaque or strided, with weight (C_out, C_in / groups, *).

    The result has the input's layout.  Raises RuntimeError for sizes that do not match.""",
)
mkldnn_kernel("mkldnn_convolution")(_mkldnn_convolution)


def _define_reorder(spatial: int) -> None:
    name, n = f"mkldnn_reorder_conv{spatial}d_weight", f"SymInt[{spatial}]"

    def reorder(
        self: MkldnnTensor, padding: Any, stride: Any, dilation: Any, groups: int, input_size: Any
    ) -> MkldnnTensor:
        weight, sizes = dense(self), self._spec.sizes
        if len(sizes) == spatial + 3:  # (groups, channels of each, *): the form of older files
            weight, sizes = weight.flatten(0, 1), (sizes[0] * sizes[1], *sizes[2:])
        if len(sizes) not in (4, 5):
            raise RuntimeError(f"{name}: expected the weight of a convolution, got sizes {list(sizes)}")
        return packed(weight, WEIGHT if groups == 1 else CHANNELS)

    native_function(
        f"{name}(Tensor self, {n} padding=0, {n} stride=1, {n} dilation=1, SymInt groups=1, SymInt[]? "
        "input_size=None) -> Tensor",
        python_module="nn",
        explicit=not_opaque(name),
        doc="""The opaque weight of a convolution in the format of its kernel, blocks of 8 by 8 channels.

        The options are those of the convolution; weights of more than one group stay as they are.""",
    )
    mkldnn_kernel(name)(reorder)


for _spatial in (2, 3):
    _define_reorder(_spatial)


# ---------------------------------------------------------------------------------------------------------
# Pooling.


def _images(tensor: Tensor) -> Tensor:
    """The blocks of a tensor as images of eight channels: a view (N * C / 8, 8, *spatial), channels last."""
    opaque = opaque_operand(tensor)
    held = opaque.held if opaque.blocking is CHANNELS else CHANNELS.pack(dense(opaque))
    return held.flatten(0, 1).movedim(-1, 1)


def _of_images(images: Tensor, like: Tensor) -> MkldnnTensor:
    """The inverse of ``_images``, for a result with the images and channels of ``like``."""
    count, channels = like._spec.sizes[:2]
    held = images.movedim(1, -1).contiguous().unflatten(0, (count, blocks(channels)))
    return make_mkldnn(held, (count, channels, *images._spec.sizes[2:]), CHANNELS)


def _check_pool(name: str, self: Tensor, spatial: int) -> None:
    if self._spec.ndim != spatial + 2:
        raise RuntimeError(
            f"{name}: expected an input of {spatial + 2} dimensions, but got {list(self._spec.sizes)}"
        )


def _spread(values: Any, count: int) -> Ints:
    return tuple(values) * count if len(values) == 1 else tuple(values)


def _define_max_pool(spatial: int) -> None:
    name, n = f"mkldnn_max_pool{spatial}d", f"int[{spatial}]"
    window = f"{n} kernel_size, {n} stride=[], {n} padding=0, {n} dilation=1, bool ceil_mode=False"
    strided = getattr(aten, f"max_pool{spatial}d_with_indices").default
    strided_backward = getattr(aten, f"max_pool{spatial}d_with_indices_backward").default

    def pool(self: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> MkldnnTensor:
        _check_pool(name, self, spatial)
        if any(step != 1 for step in dilation):
            raise RuntimeError(f"{name} does not support dilation case")
        return _of_images(strided(_images(self), kernel, stride, padding, dilation, ceil)[0], self)

    def backward(grad: Tensor, output: Tensor, input: Tensor, *options: Any) -> MkldnnTensor:
        images = _images(input)
        chosen = strided(images, *options)[1]
        return _of_images(strided_backward(_images(grad), images, *options, chosen), input)

    native_function(
        f"{name}(Tensor self, {window}) -> Tensor",
        variants="function",
        explicit=not_opaque(name),
        derivatives={
            "self": lambda grad, self, result, kernel_size, stride, padding, dilation, ceil_mode: getattr(
                aten, f"{name}_backward"
            ).default(grad, result, self, kernel_size, stride, padding, dilation, ceil_mode)
        },
        node_name=f"MkldnnMaxPool{spatial}DBackward0",
        doc="Returns the maximum of each window of an opaque tensor (N, C, *spatial).",
    )
    native_function(
        f"{name}_backward(Tensor grad_output, Tensor output, Tensor input, {window}) -> Tensor",
        variants="none",
        explicit=not_opaque(f"{name}_backward"),
        doc=f"The gradient of {name}.",
    )
    mkldnn_kernel(name)(pool)
    mkldnn_kernel(f"{name}_backward")(backward)
    autograd_mkldnn_kernel(f"max_pool{spatial}d")(getattr(aten, name).default)


def _register_avg_pool(spatial: int) -> None:
    name = f"avg_pool{spatial}d"
    strided = getattr(aten, name).default
    strided_backward = getattr(aten, f"{name}_backward").default

    def check(self: Tensor, options: Sequence[Any]) -> None:
        _check_pool(f"mkldnn_{name}", self, spatial)
        if options[-1] is not None:
            raise RuntimeError(f"mkldnn_{name} operator does not support divisor")

    def pool(self: Tensor, *options: Any) -> MkldnnTensor:
        check(self, options)
        return _of_images(strided(_images(self), *options), self)

    def backward(grad: Tensor, self: Tensor, *options: Any) -> MkldnnTensor:
        check(self, options)
        return _of_images(strided_backward(_images(grad), _images(self), *options), self)

    mkldnn_kernel(name)(pool)
    mkldnn_kernel(f"{name}_backward")(backward)


for _spatial in (2, 3):
    _define_max_pool(_spatial)
    _register_avg_pool(_spatial)

native_function(
    "mkldnn_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor",
    variants="function",
    explicit=not_opaque("mkldnn_adaptive_avg_pool2d"),
    derivatives={"self": lambda grad, self: aten.mkldnn_adaptive_avg_pool2d_backward.default(grad, self)},
    node_name="MkldnnAdaptiveAvgPool2DBackward0",
    doc="""Returns the mean of each window of an opaque tensor (N, C, H, W), ``output_size`` windows per
    dimension.

    Raises RuntimeError for a size that its number of windows does not divide.""",
)
native_function(
    "mkldnn_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
    variants="none",
    explicit=not_opaque("mkldnn_adaptive_avg_pool2d_backward"),
    doc="The gradient of mkldnn_adaptive_avg_pool2d.",
)


@mkldnn_kernel("mkldnn_adaptive_avg_pool2d")
def _adaptive_avg_pool(self: Tensor, output_size: Any) -> MkldnnTensor:
    _check_pool("mkldnn_adaptive_avg_pool2d", self, 2)
    if any(size < 1 or given % size for given, size in zip(self._spec.sizes[2:], _spread(output_size, 2))):
        raise RuntimeError("input size is not divisible by the output size is not supported yet")
    return _of_images(aten._adaptive_avg_pool2d.default(_images(self), output_size), self)


@mkldnn_kernel("mkldnn_adaptive_avg_pool2d_backward")
def _adaptive_avg_pool_backward(grad_output: Tensor, self: Tensor) -> MkldnnTensor:
    of_images = aten._adaptive_avg_pool2d_backward.default(_images(grad_output), _images(self))
    return _of_images(of_images, self)


autograd_mkldnn_kernel("adaptive_avg_pool2d")(aten.mkldnn_adaptive_avg_pool2d.default)


# ---------------------------------------------------------------------------------------------------------
# Batch normalization.


def _in_blocks(parameter: Tensor, spatial: int) -> Tensor:
    """One number for each channel, shaped to broadcast over the blocks of an activation."""
    missing = -parameter._spec.numel % BLOCK
    padded = aten.constant_pad_nd.default(parameter, [0, missing], 0)
    return padded.view(-1, *[1] * spatial, BLOCK)


def _normalized(
    input: MkldnnTensor, weight: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, eps: float
) -> MkldnnTensor:
    """``input`` normalized with known statistics: one multiplication and addition for each element."""
    spatial = input._spec.ndim - 2
    factors = dense(weight) * (dense(variance) + eps).rsqrt()
    terms = dense(bias) - dense(mean) * factors
    held = input.held if input.blocking is CHANNELS else CHANNELS.pack(dense(input))
    result = aten.addcmul.default(_in_blocks(terms, spatial), held, _in_blocks(factors, spatial))
    return make_mkldnn(result.to(held._spec.dtype), input._spec.sizes, CHANNELS)


@mkldnn_kernel("native_batch_norm")
def _native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    if weight is None or bias is None:
        raise RuntimeError("mkldnn_batch_norm: currently mkldnn only support affine model")
    input = opaque_operand(input)
    if not training:
        if input._spec.ndim not in (4, 5):
            raise RuntimeError(
                "mkldnn_batch_norm: currently mkldnn inference only support 2d and 3d batchnorm"
            )
        if running_mean is None or running_var is None:
            raise RuntimeError("running statistics must be defined in evaluation mode")
        none = packed(input.held.new_zeros(0))
        return _normalized(input, weight, bias, running_mean, running_var, eps), none, none
    moved = [None if each is None else dense(each) for each in (running_mean, running_var)]
    given = (dense(weight), dense(bias), *moved, True, momentum, eps)
    results = aten.native_batch_norm.default(dense(input), *given)
    for running, values in zip((running_mean, running_var), moved):
        if isinstance(running, MkldnnTensor):
            become(running, packed(values))  # type: ignore[arg-type]
    return tuple(packed(each) for each in results)  # type: ignore[return-value]


@mkldnn_kernel("native_batch_norm_backward")
def _native_batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: bool,
    eps: float,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    if not train:
        raise RuntimeError("mkldnn_batch_norm_backward: currently mkldnn only support train model")
    tensors = (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd)
    given = (None if each is None else dense(each) for each in tensors)
    of_input, *others = aten.native_batch_norm_backward.default(*given, True, eps, output_mask)
    return None if of_input is None else packed(of_input), *others


mkldnn_kernel("_native_batch_norm_legit")(_native_batch_norm)
mkldnn_kernel("_native_batch_norm_legit.no_stats")(
    lambda input, weight, bias, *options: _native_batch_norm(input, weight, bias, None, None, *options)
)
