"""GradScaler: scales the loss, so that small gradients of float16 do not become 0.

Source: torch/amp/grad_scaler.py; aten/src/ATen/native/cuda/AmpKernels.cu; Micikevicius et al.,
arXiv:1710.03740.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, overload

from ..accelerator import is_available
from ..autograd.grad_mode import no_grad
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import device as Device
from ..values.dtype import float16, float32, int32
from ..values.errors import warn


class _Stage(Enum):
    """What has been done with an optimizer since the last update."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _OptimizerState:
    def __init__(self) -> None:
        self.stage = _Stage.READY
        self.found_inf: dict[Device, Tensor] = {}  # by device: 1.0 if a gradient is not finite


class GradScaler:
    """Multiplies losses by a scale, divides gradients by it, and skips a step whose gradients are not finite.

    device           the type of device where the losses are; "cuda" without a GPU warns and disables it
    init_scale       the first scale
    growth_factor    ``update`` multiplies the scale by it after ``growth_interval`` steps without infinities
    backoff_factor   ``update`` multiplies the scale by it after a step with one
    enabled          False: ``step`` is the optimizer's, and the other methods change nothing

    Source: torch.amp.GradScaler.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda" and not is_available():
            warn("gnomon.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._init_growth_tracker = 0
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._scale: Tensor | None = None
        self._growth_tracker: Tensor | None = None  # steps without infinities since the scale changed
        self._states: dict[int, _OptimizerState] = {}

    def _scale_and_tracker(self, function: str) -> tuple[Tensor, Tensor]:
        for name in ("_scale", "_growth_tracker"):
            if getattr(self, name) is None:
                raise AssertionError(
                    f"Attempted {function} but {name} is None.  This may indicate your script did not use "
                    "scaler.scale(loss or outputs) earlier in the iteration."
                )
        return self._scale, self._growth_tracker  # type: ignore[return-value]

    def _state_of(self, optimizer: Any) -> _OptimizerState:
        return self._states.setdefault(id(optimizer), _OptimizerState())

    @overload
    def scale(self, outputs: Tensor) -> Tensor: ...

    @overload
    def scale(self, outputs: Iterable[Any]) -> Any: ...

    def scale(self, outputs: Any) -> Any:
        """``outputs``, a tensor or an iterable of tensors, times the scale.

        Raises ValueError for other objects.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                where = outputs.device
                self._scale = aten.full([], self._init_scale, dtype=float32, device=where)
                self._growth_tracker = aten.full([], self._init_growth_tracker, dtype=int32, device=where)
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    @no_grad()
    def _unscaled(self, optimizer: Any, inverse: Tensor) -> dict[Device, Tensor]:
        """Multiply the gradients by ``inverse``; returns by device whether one is not finite."""
        by_device: dict[Device, list[Tensor]] = {}
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if grad.dtype is float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                by_device.setdefault(grad.device, []).append(grad)
        found = {}
        for where, grads in by_device.items():
            are_finite = [each.isfinite().all() for each in grads]
            found[where] = (~aten.stack.default(are_finite).all()).to(float32)
            factor = inverse.to(where)
            for grad in grads:
                grad.mul_(factor)
        return found

    def unscale_(self, optimizer: Any) -> None:
        """Divides the optimizer's gradients by the scale, for example to clip them before ``step``.

        Raises RuntimeError if that was done since the last update, ValueError for float16 gradients.
        """
        if not self._enabled:
            return
        scale, _ = self._scale_and_tracker("unscale_")
        state = self._state_of(optimizer)
        if state.stage is _Stage.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state.stage is _Stage.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        state.found_inf = self._unscaled(optimizer, scale.double().reciprocal().float())
        state.stage = _Stage.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Unscales the gradients, if that was not done, and calls ``optimizer.step`` if all are finite.

        Returns what it returns, or None.  Raises RuntimeError for a second step before ``update``, and for a
        closure; AssertionError if the optimizer has no gradients.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._scale_and_tracker("step")
        state = self._state_of(optimizer)
        if state.stage is _Stage.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._fused_step(optimizer, state, args, kwargs)
        if state.stage is _Stage.READY:
            self.unscale_(optimizer)
        if not state.found_inf:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None
        if not sum(each.item() for each in state.found_inf.values()):
            result = optimizer.step(*args, **kwargs)
        state.stage = _Stage.STEPPED
        return result

    def _fused_step(self, optimizer: Any, state: Any, args: Any, kwargs: Any) -> Any:
        """The step of an optimizer whose operator unscales the gradients, and does nothing if one of them is
        not finite: it is told by the attributes ``grad_scale`` and ``found_inf``.
        """
        scale, _ = self._scale_and_tracker("step")
        is_unscaled = state.stage is _Stage.UNSCALED
        if not is_unscaled:
            state.found_inf = self._unscaled(optimizer, aten.ones([], dtype=float32))
        if not state.found_inf:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        found = [each.to(scale.device) for each in state.found_inf.values()]
        optimizer.grad_scale = None if is_unscaled else scale
        optimizer.found_inf = sum(found[1:], found[0]).clamp(max=1)
        try:
            result = optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf
        state.stage = _Stage.STEPPED
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Changes the scale after the steps of an iteration, or sets it to ``new_scale``.

        Raises AssertionError if no optimizer has made a step.
        """
        if not self._enabled:
            return
        scale, tracker = self._scale_and_tracker("update")
        if new_scale is None:
            found = [
                each.to(scale.device) for state in self._states.values() for each in state.found_inf.values()
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._update_scale(scale, tracker, any(each.item() for each in found))
        elif isinstance(new_scale, Tensor):
            if new_scale.numel() != 1 or new_scale.requires_grad or new_scale.dtype is not float32:
                raise AssertionError(
                    "new_scale should be a float or a 1-element gnomon.cuda.FloatTensor or "
                    "gnomon.FloatTensor with requires_grad=False."
                )
            scale.copy_(new_scale.reshape([]))
        else:
            scale.fill_(new_scale)
        self._states.clear()

    def _update_scale(self, scale: Tensor, tracker: Tensor, found_inf: bool) -> None:
        """Source: _amp_update_scale_."""
        if found_inf:
            scale.mul_(self._backoff_factor)
            tracker.zero_()
        elif tracker.item() + 1 == self._growth_interval:
            grown = scale * self._growth_factor
            if grown.isfinite().item():
                scale.copy_(grown)
            tracker.zero_()
        else:
            tracker.add_(1)

    def get_scale(self) -> float:
        """The scale; 1.0 if the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return float(self._init_scale if self._scale is None else self._scale.item())

    def _steps(self) -> int:
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def get_growth_factor(self) -> float:
        """The factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The factor of the scale after infinities."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor of the scale after infinities."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """The number of steps without infinities after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of steps without infinities after which the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Does the scaler scale?"""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale, the settings and the steps since the scale changed; empty if the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._steps(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a state; a disabled scaler ignores it.  Raises RuntimeError for an empty one."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of "
                "GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        """Raises AssertionError in the midst of an iteration."""
        if self._states:
            raise AssertionError(
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end "
                "after scaler.update()."
            )
        state = vars(self).copy()
        state.update(_init_scale=self.get_scale() if self._enabled else self._init_scale, _scale=None)
        state.update(_init_growth_tracker=self._steps(), _growth_tracker=None)
        return state
