"""Recurrent networks and their cells.  Source: torch/nn/modules/rnn.py."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import gnomon as gn

from ...values.errors import warn
from .. import init
from ..common_types import RNNNonlinearity
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .module import Module

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_Hidden = TypeVar("_Hidden")


def _apply_permutation(tensor: gn.Tensor, permutation: gn.Tensor, dim: int = 1) -> gn.Tensor:
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor: gn.Tensor, permutation: gn.Tensor, dim: int = 1) -> gn.Tensor:
    """``tensor.index_select(dim, permutation)``, with a FutureWarning: it is deprecated.

    Source: torch.nn.modules.rnn.apply_permutation.
    """
    warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
    )
    return _apply_permutation(tensor, permutation, dim)


def _check_type(name: str, value: Any, wanted: type) -> None:
    if not isinstance(value, wanted):
        raise TypeError(f"{name} should be of type {wanted.__name__}, got: {type(value).__name__}")


def _initialize(module: Module, hidden_size: int) -> None:
    """Uniform random numbers in +-1/sqrt(hidden_size) for all parameters, in their order."""
    bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: parameters of all layers and directions, and checks of the input.

    Layer k has ``weight_ih_l{k}`` (gates * hidden_size, features), ``weight_hh_l{k}`` (gates * hidden_size,
    width), with ``bias`` also ``bias_ih_l{k}`` and ``bias_hh_l{k}`` (gates * hidden_size), and with a
    projection ``weight_hr_l{k}`` (proj_size, hidden_size); those of the reverse direction end in
    ``_reverse``.  width is ``proj_size`` if that is positive, else ``hidden_size``.  All are initialized
    uniformly in +-1/sqrt(hidden_size).  Raises ValueError or TypeError for invalid arguments, and warns about
    dropout with a single layer.  Source: torch.nn.RNNBase.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being "
                "zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}"
            )
        self._check_options()
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for direction in range(self._directions):
                sizes = self._parameter_sizes(layer)
                self._all_weights.append(self._names(layer, direction))
                for name in self._all_weights[-1]:
                    size = sizes["_".join(name.split("_")[:2])]
                    setattr(self, name, Parameter(gn.empty(size, device=device, dtype=dtype)))
        self.reset_parameters()

    def _check_options(self) -> None:
        _check_type("bias", self.bias, bool)
        _check_type("batch_first", self.batch_first, bool)
        _check_type("input_size", self.input_size, int)
        if self.input_size <= 0:
            raise ValueError("input_size must be greater than zero")
        _check_type("hidden_size", self.hidden_size, int)
        for name in ("hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _width(self) -> int:
        """The size of a state."""
        return self.proj_size if self.proj_size > 0 else self.hidden_size

    def _parameter_sizes(self, layer: int) -> dict[str, tuple[int, ...]]:
        rows = _GATES[self.mode] * self.hidden_size
        features = self.input_size if layer == 0 else self._width * self._directions
        return {
            "weight_ih": (rows, features),
            "weight_hh": (rows, self._width),
            "bias_ih": (rows,),
            "bias_hh": (rows,),
            "weight_hr": (self.proj_size, self.hidden_size),
        }

    def _names(self, layer: int, direction: int) -> list[str]:
        """The parameters of one layer in one direction, in the order of the operator's arguments."""
        kinds = ["weight_ih", "weight_hh"]
        if self.bias:
            kinds += ["bias_ih", "bias_hh"]
        if self.proj_size > 0:
            kinds.append("weight_hr")
        suffix = "_reverse" if direction == 1 else ""
        return [f"{kind}_l{layer}{suffix}" for kind in kinds]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        """All parameters in the order of the operator's argument, as they are now."""
        return [getattr(self, name, None) for name in self._flat_weights_names]

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Does nothing: no backend wants the parameters in one piece of memory, as cuDNN does."""

    def reset_parameters(self) -> None:
        """Reinitializes all parameters with random numbers."""
        _initialize(self, self.hidden_size)

    def check_input(self, input: gn.Tensor, batch_sizes: gn.Tensor | None) -> None:
        """Raises ValueError for another dtype than the weights', RuntimeError for other sizes."""
        wanted = self._flat_weights[0].dtype
        if input.dtype is not wanted:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({wanted}). Convert input: "
                f"input.to({wanted}), or convert model: model.to({input.dtype})"
            )
        ndim = 3 if batch_sizes is None else 2
        if input.dim() != ndim:
            raise RuntimeError(f"input must have {ndim} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    def _state_size(
        self, input: gn.Tensor, batch_sizes: gn.Tensor | None, width: int
    ) -> tuple[int, int, int]:
        if batch_sizes is not None:
            count = int(batch_sizes[0])
        else:
            count = input.size(0 if self.batch_first else 1)
        return self.num_layers * self._directions, count, width

    def get_expected_hidden_size(
        self, input: gn.Tensor, batch_sizes: gn.Tensor | None
    ) -> tuple[int, int, int]:
        """The sizes of the states: (layers * directions, N, width)."""
        return self._state_size(input, batch_sizes, self._width)

    def check_hidden_size(
        self,
        hx: gn.Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Raises RuntimeError for a state of other sizes."""
        if tuple(hx.size()) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: gn.Tensor, hidden: Any, batch_sizes: gn.Tensor | None) -> None:
        """Raises ValueError or RuntimeError for an input or a state that does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: gn.Tensor | None) -> Any:
        """The states with the sequences in another order."""
        return hx if permutation is None else _apply_permutation(hx, permutation)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0}
        for name, default in {**defaults, "bidirectional": False}.items():
            value = getattr(self, name)
            if value != default:
                text += f", {name}={value}"
        return text

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "all_weights" in state:
            self._all_weights = state["all_weights"]
        self.__dict__.setdefault("proj_size", 0)
        for derived in ("_flat_weights", "_flat_weights_names"):  # of a module that PyTorch pickled
            self.__dict__.pop(derived, None)
        if not isinstance(self._all_weights[0][0], str):  # it had the parameters themselves
            self._all_weights = [
                self._names(layer, direction)
                for layer in range(self.num_layers)
                for direction in range(self._directions)
            ]

    # -- forward ---------------------------------------------------------------------------------------------

    def _zeros(self, input: gn.Tensor, batch_sizes: gn.Tensor | None) -> Any:
        sizes = self.get_expected_hidden_size(input, batch_sizes)
        return gn.zeros(sizes, dtype=input.dtype, device=input.device)

    def _check_dims(self, hx: Any, is_batched: bool) -> None:
        if is_batched and hx.dim() != 3:
            raise RuntimeError(f"For batched 3-D input, hx should also be 3-D but got {hx.dim()}-D tensor")
        if not is_batched and hx.dim() != 2:
            raise RuntimeError(f"For unbatched 2-D input, hx should also be 2-D but got {hx.dim()}-D tensor")

    def _each(self, hx: Any, function: Any) -> Any:
        """``function`` of the state, or of each of the states."""
        return function(hx)

    def _operator(self, *arguments: Any) -> tuple[gn.Tensor, Any]:
        """The outputs and the last states of all layers."""
        raise NotImplementedError

    def _run(self, input: gn.Tensor, hx: Any, batch_sizes: gn.Tensor | None) -> tuple[gn.Tensor, Any]:
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training)
        if batch_sizes is not None:
            return self._operator(input, batch_sizes, hx, *options, self.bidirectional)
        return self._operator(input, hx, *options, self.bidirectional, self.batch_first)

    def _forward(self, input: Any, hx: Any) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            data, batch_sizes, sorted_indices, unsorted_indices = input
            if hx is None:
                hx = self._zeros(data, batch_sizes)
            else:
                hx = self.permute_hidden(hx, sorted_indices)
            self.check_forward_args(data, hx, batch_sizes)
            output, hidden = self._run(data, hx, batch_sizes)
            packed = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
            return packed, self.permute_hidden(hidden, unsorted_indices)
        if input.dim() not in (2, 3):
            found = f"{input.dim()}D" + (" tensor" if type(self)._says_tensor else "")
            raise ValueError(f"{self._kind}: Expected input to be 2D or 3D, got {found} instead")
        is_batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        if hx is not None:
            self._check_dims(hx, is_batched)
        if not is_batched:
            input = input.unsqueeze(batch_dim)
            hx = None if hx is None else self._each(hx, lambda each: each.unsqueeze(1))
        if hx is None:
            hx = self._zeros(input, None)
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(input, hx, None)
        if not is_batched:
            output = output.squeeze(batch_dim)
            hidden = self._each(hidden, lambda each: each.squeeze(1))
        return output, hidden

    _kind = "RNN"
    _says_tensor = False  # PyTorch's messages differ in this word


def _refuse_projections(proj_size: int) -> None:
    if proj_size != 0:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """Elman's network: h_t = f(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh), with f tanh or relu.

    Raises ValueError for another nonlinearity and for a ``proj_size``, which only LSTM has, and as RNNBase.
    Source: torch.nn.RNN.
    """

    _says_tensor = True

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: RNNNonlinearity = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: Literal[0] = 0,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        _refuse_projections(proj_size)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(
            f"RNN_{nonlinearity.upper()}",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )
        self.nonlinearity = nonlinearity

    def _operator(self, *arguments: Any) -> tuple[gn.Tensor, Any]:
        return (gn.rnn_tanh if self.mode == "RNN_TANH" else gn.rnn_relu)(*arguments)

    @overload
    def forward(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> tuple[gn.Tensor, gn.Tensor]: ...

    @overload
    def forward(
        self, input: PackedSequence, hx: gn.Tensor | None = None
    ) -> tuple[PackedSequence, gn.Tensor]: ...

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Returns the last layer's outputs, and the last states of all layers and directions.

        ``input``: (T, N, features), (N, T, features) with ``batch_first``, (T, features), or packed; the
        outputs are alike.  ``hx``: the first states (layers * directions, N, hidden_size), without N for an
        unbatched input; zeros by default.
        """
        return self._forward(input, hx)

    if TYPE_CHECKING:  # as ``forward``, as long as no hook returns something else

        @overload
        def __call__(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> tuple[gn.Tensor, gn.Tensor]: ...

        @overload
        def __call__(
            self, input: PackedSequence, hx: gn.Tensor | None = None
        ) -> tuple[PackedSequence, gn.Tensor]: ...

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class GRU(RNNBase):
    """Gated recurrent units: h_t = (1 - z) n + z h_(t-1), with n = tanh(x part + r * h part), gates r and z.

    Raises ValueError for a ``proj_size``, which only LSTM has, and as RNNBase.  Source: torch.nn.GRU;
    arXiv:1406.1078.
    """

    _kind = "GRU"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: Literal[0] = 0,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        _refuse_projections(proj_size)
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )

    def _operator(self, *arguments: Any) -> tuple[gn.Tensor, Any]:
        return gn.gru(*arguments)

    @overload
    def forward(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> tuple[gn.Tensor, gn.Tensor]: ...

    @overload
    def forward(
        self, input: PackedSequence, hx: gn.Tensor | None = None
    ) -> tuple[PackedSequence, gn.Tensor]: ...

    def forward(self, input: Any, hx: Any = None) -> Any:
        """As RNN.forward."""
        return self._forward(input, hx)

    if TYPE_CHECKING:  # as ``forward``, as long as no hook returns something else

        @overload
        def __call__(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> tuple[gn.Tensor, gn.Tensor]: ...

        @overload
        def __call__(
            self, input: PackedSequence, hx: gn.Tensor | None = None
        ) -> tuple[PackedSequence, gn.Tensor]: ...

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class LSTM(RNNBase):
    """Long short-term memory: c_t = f c_(t-1) + i g and h_t = o tanh(c_t), with gates i, f and o.

    With ``proj_size``, h_t is projected to that size.  Raises ValueError or TypeError as RNNBase.  Source:
    torch.nn.LSTM; Hochreiter and Schmidhuber (1997); arXiv:1402.1128.
    """

    _kind = "LSTM"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )

    def get_expected_cell_size(self, input: gn.Tensor, batch_sizes: gn.Tensor | None) -> tuple[int, int, int]:
        """The sizes of the cells: (layers * directions, N, hidden_size)."""
        return self._state_size(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: gn.Tensor, hidden: Any, batch_sizes: gn.Tensor | None) -> None:
        """Raises ValueError or RuntimeError for an input, states or cells that do not fit."""
        self.check_input(input, batch_sizes)
        sizes = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], sizes, "Expected hidden[0] size {}, got {}")
        sizes = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], sizes, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx: Any, permutation: gn.Tensor | None) -> Any:
        """The states and cells with the sequences in another order."""
        if permutation is None:
            return hx
        return _apply_permutation(hx[0], permutation), _apply_permutation(hx[1], permutation)

    def _zeros(self, input: gn.Tensor, batch_sizes: gn.Tensor | None) -> Any:
        sizes = self.get_expected_cell_size(input, batch_sizes)
        cells = gn.zeros(sizes, dtype=input.dtype, device=input.device)
        return super()._zeros(input, batch_sizes), cells

    def _check_dims(self, hx: Any, is_batched: bool) -> None:
        kind, ndim = ("batched", 3) if is_batched else ("unbatched", 2)
        if hx[0].dim() != ndim or hx[1].dim() != ndim:
            raise RuntimeError(
                f"For {kind} {ndim}-D input, hx and cx should also be {ndim}-D but got ({hx[0].dim()}-D, "
                f"{hx[1].dim()}-D) tensors"
            )

    def _each(self, hx: Any, function: Any) -> Any:
        return function(hx[0]), function(hx[1])

    def _operator(self, *arguments: Any) -> tuple[gn.Tensor, Any]:
        output, *hidden = gn.lstm(*arguments)
        return output, tuple(hidden)

    @overload
    def forward(
        self, input: gn.Tensor, hx: Sequence[gn.Tensor] | None = None
    ) -> tuple[gn.Tensor, tuple[gn.Tensor, gn.Tensor]]: ...

    @overload
    def forward(
        self, input: PackedSequence, hx: Sequence[gn.Tensor] | None = None
    ) -> tuple[PackedSequence, tuple[gn.Tensor, gn.Tensor]]: ...

    def forward(self, input: Any, hx: Any = None) -> Any:
        """As RNN.forward, but ``hx`` and the second result are a pair of states and cells.

        The states have ``proj_size`` numbers if that is positive, the cells always ``hidden_size``.
        """
        return self._forward(input, hx)

    if TYPE_CHECKING:  # as ``forward``, as long as no hook returns something else

        @overload
        def __call__(
            self, input: gn.Tensor, hx: Sequence[gn.Tensor] | None = None
        ) -> tuple[gn.Tensor, tuple[gn.Tensor, gn.Tensor]]: ...

        @overload
        def __call__(
            self, input: PackedSequence, hx: Sequence[gn.Tensor] | None = None
        ) -> tuple[PackedSequence, tuple[gn.Tensor, gn.Tensor]]: ...

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class RNNCellBase(Module):
    """What the cells share: ``weight_ih`` (num_chunks * hidden_size, input_size), ``weight_hh``
    (num_chunks * hidden_size, hidden_size), and with ``bias`` the vectors ``bias_ih`` and ``bias_hh``.

    All are initialized uniformly in +-1/sqrt(hidden_size).  Source: torch.nn.RNNCellBase.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        sizes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, input_size),
            "weight_hh": (rows, hidden_size),
            "bias_ih": (rows,),
            "bias_hh": (rows,),
        }
        for name, size in sizes.items():
            if name.startswith("weight") or bias:
                setattr(self, name, Parameter(gn.empty(size, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitializes all parameters with random numbers."""
        _initialize(self, self.hidden_size)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    @property
    def _weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check_dims(self, what: str, tensor: gn.Tensor) -> None:
        if tensor.dim() not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {tensor.dim()}D instead"
            )

    def _zeros(self, input: gn.Tensor) -> gn.Tensor:
        return gn.zeros((input.size(0), self.hidden_size), dtype=input.dtype, device=input.device)

    def _step(self, function: Any, input: gn.Tensor, hx: gn.Tensor | None) -> gn.Tensor:
        """The new state by ``function``, which is called with a batch."""
        self._check_dims("input", input)
        if hx is not None:
            self._check_dims("hidden", hx)
        is_batched = input.dim() == 2
        if not is_batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else hx.unsqueeze(0)
        made = function(input, self._zeros(input) if hx is None else hx, *self._weights)
        return made if is_batched else made.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of an RNN: h' = f(W_ih x + b_ih + W_hh h + b_hh), with f tanh or relu.

    Source: torch.nn.RNNCell.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: RNNNonlinearity = "tanh",
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> gn.Tensor:
        """(N, input_size) and the state (N, hidden_size), zeros by default -> the new state; N is optional.

        Raises RuntimeError for another nonlinearity than tanh and relu.
        """
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(gn.rnn_tanh_cell if self.nonlinearity == "tanh" else gn.rnn_relu_cell, input, hx)

    if TYPE_CHECKING:

        def __call__(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> gn.Tensor: ...


class LSTMCell(RNNCellBase):
    """One step of an LSTM.  Source: torch.nn.LSTMCell."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: gn.Tensor, hx: Sequence[gn.Tensor] | None = None) -> tuple[gn.Tensor, gn.Tensor]:
        """(N, input_size), and state and cell (N, hidden_size), zeros by default -> the new ones.

        N is optional.
        """
        self._check_dims("input", input)
        for index, each in enumerate(() if hx is None else hx):
            self._check_dims(f"hx[{index}]", each)
        is_batched = input.dim() == 2
        if not is_batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        if hx is None:
            zeros = self._zeros(input)
            hx = (zeros, zeros)
        state, cell = gn.lstm_cell(input, hx, *self._weights)
        return (state, cell) if is_batched else (state.squeeze(0), cell.squeeze(0))

    if TYPE_CHECKING:

        def __call__(
            self, input: gn.Tensor, hx: Sequence[gn.Tensor] | None = None
        ) -> tuple[gn.Tensor, gn.Tensor]: ...


class GRUCell(RNNCellBase):
    """One step of a GRU.  Source: torch.nn.GRUCell."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> gn.Tensor:
        """(N, input_size) and the state (N, hidden_size), zeros by default -> the new state.

        N is optional.
        """
        return self._step(gn.gru_cell, input, hx)

    if TYPE_CHECKING:

        def __call__(self, input: gn.Tensor, hx: gn.Tensor | None = None) -> gn.Tensor: ...
