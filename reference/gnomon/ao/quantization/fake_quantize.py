"""FakeQuantize, FusedMovingAvgObsFakeQuantize: modules that round numbers as quantization would, in training.

Source: torch/ao/quantization/fake_quantize.py.
"""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .observer import (
    LIMITS,
    Configurable,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
)

_PER_CHANNEL = (gn.per_channel_affine, gn.per_channel_symmetric, gn.per_channel_affine_float_qparams)


class FakeQuantizeBase(Configurable):
    """A module whose observation and rounding can be switched off."""

    fake_quant_enabled: gn.Tensor
    observer_enabled: gn.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", gn.tensor([1], dtype=gn.uint8))
        self.register_buffer("observer_enabled", gn.tensor([1], dtype=gn.uint8))

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Round from now on, or not."""
        self.fake_quant_enabled[0] = int(enabled)

    def disable_fake_quant(self) -> None:
        """Return numbers as they are."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Observe ranges from now on, or not."""
        self.observer_enabled[0] = int(enabled)

    def disable_observer(self) -> None:
        """Keep the scale and the zero point."""
        self.enable_observer(False)


class FakeQuantize(FakeQuantizeBase):
    """Observes its input, and rounds it to the numbers that integers of the observer's dtype represent.

    The gradient is that of ``fake_quantize_per_tensor_affine``, or of ``_per_channel_affine`` if the
    observer's scheme has channels.  ``observer`` makes, with ``observer_kwargs``, the module
    ``activation_post_process``.  Raises AssertionError for ``quant_min`` or ``quant_max`` beyond the dtype.
    Source: torch.ao.quantization.FakeQuantize.
    """

    scale: gn.Tensor
    zero_point: gn.Tensor

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int | None = None,
        quant_max: int | None = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ):
        super().__init__()
        if quant_min is not None and quant_max is not None:
            if quant_min > quant_max:
                raise AssertionError("quant_min must be less than or equal to quant_max")
            observer_kwargs.update(quant_min=quant_min, quant_max=quant_max)
        made = observer(is_dynamic=is_dynamic, **observer_kwargs)
        least, most = LIMITS[made.dtype]
        if made.quant_min < least:
            raise AssertionError(f"quant_min out of bound: {made.quant_min} is below {least}")
        if made.quant_max > most:
            raise AssertionError(f"quant_max out of bound: {made.quant_max} is above {most}")
        self.activation_post_process = made
        self.quant_min, self.quant_max, self.is_dynamic = made.quant_min, made.quant_max, made.is_dynamic
        self.dtype, self.qscheme, self.ch_axis = made.dtype, made.qscheme, getattr(made, "ch_axis", -1)
        self.is_per_channel = self.qscheme in _PER_CHANNEL
        is_float = self.qscheme is gn.per_channel_affine_float_qparams
        self.register_buffer("scale", gn.tensor([1.0]))
        self.register_buffer("zero_point", gn.tensor([0], dtype=gn.float32 if is_float else gn.int32))

    def calculate_qparams(self) -> tuple[gn.Tensor, gn.Tensor]:
        """The scale and the zero point of what was observed."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: gn.Tensor) -> gn.Tensor:
        if self.observer_enabled.item():
            self.activation_post_process(X.detach())
            scale, zero_point = self.calculate_qparams()
            self._keep("scale", scale)
            self._keep("zero_point", zero_point)
        if not self.fake_quant_enabled.item():
            return X
        limits = self.quant_min, self.quant_max
        if self.is_per_channel:
            return gn.fake_quantize_per_channel_affine(X, self.scale, self.zero_point, self.ch_axis, *limits)
        return gn.fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, *limits)

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"quant_min={self.quant_min}, quant_max={self.quant_max}, dtype={self.dtype}, "
            f"qscheme={self.qscheme}, ch_axis={self.ch_axis}, scale={self.scale}, "
            f"zero_point={self.zero_point}"
        )


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """FakeQuantize with a moving average, as one operator: ``fused_moving_avg_obs_fake_quant``.

    Raises AssertionError for an observer without a moving average.  Source:
    torch.ao.quantization.FusedMovingAvgObsFakeQuantize.
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        **observer_kwargs: Any,
    ):
        super().__init__(observer, quant_min, quant_max, **observer_kwargs)
        kinds = MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver
        if not isinstance(self.activation_post_process, kinds):
            raise AssertionError(
                "FusedMovingAvgObsFakeQuantize only works with MovingAverageMinMaxObserver, got "
                f"{type(self.activation_post_process).__name__}"
            )
        self.register_buffer("fake_quant_enabled", gn.tensor([1]))
        self.register_buffer("observer_enabled", gn.tensor([1]))
        self.is_symmetric_quant = self.qscheme in (gn.per_tensor_symmetric, gn.per_channel_symmetric)

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}, "
            f"quant_min={self.quant_min}, quant_max={self.quant_max}, qscheme={self.qscheme}, "
            f"reduce_range={self.activation_post_process.reduce_range}"
        )

    def forward(self, X: gn.Tensor) -> gn.Tensor:
        observer = self.activation_post_process
        return gn.fused_moving_avg_obs_fake_quant(
            X,
            self.observer_enabled,
            self.fake_quant_enabled,
            observer.min_val,
            observer.max_val,
            self.scale,
            self.zero_point,
            observer.averaging_constant,
            self.quant_min,
            self.quant_max,
            self.ch_axis,
            self.is_per_channel,
            self.is_symmetric_quant,
        )


def _each(method: str, text: str) -> Any:
    def function(mod: Any) -> None:
        if isinstance(mod, FakeQuantizeBase):
            getattr(mod, method)()

    function.__name__ = function.__qualname__ = method
    function.__doc__ = f"{text}, if ``mod`` is a FakeQuantize: for ``model.apply``."
    return function


enable_fake_quant = _each("enable_fake_quant", "Rounds from now on")
disable_fake_quant = _each("disable_fake_quant", "Returns numbers as they are")
enable_observer = _each("enable_observer", "Observes from now on")
disable_observer = _each("disable_observer", "Keeps the scale and the zero point")
