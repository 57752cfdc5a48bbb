"""Schedulers, which change an optimizer's learning rates from epoch to epoch.

    scheduler = StepLR(optimizer, step_size=30)
    for epoch in range(100):
        ...  # optimizer.step() for each batch
        scheduler.step()

Most schedulers compute a learning rate from the last one (``get_lr``), so that several can be chained, and
also in closed form from the number of epochs (``_get_closed_form_lr``).  A learning rate that is a tensor is
written in place.  Attributes have PyTorch's names, so that state dicts are interchangeable.
Source: torch.optim.lr_scheduler.
"""

from __future__ import annotations

import functools
import math
import types
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, SupportsFloat

import gnomon as gn

from ..values.errors import warn
from .optimizer import Optimizer, as_scalar

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from "
    "None, the closed form is used instead of the new chainable form, where available. Please open an issue "
    "if you are unable to replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


class LRScheduler:
    """The base class of schedulers; a subclass defines ``get_lr``.

    ``last_epoch`` is the number of the last epoch when training is resumed; -1 starts a new schedule, from
    the present learning rates, which are stored as "initial_lr" in the parameter groups.  Construction makes
    the first step, which sets the learning rates of epoch 0.

    Raises TypeError if ``optimizer`` is not an Optimizer, KeyError if training is resumed without
    "initial_lr" in the groups.  Source: torch.optim.lr_scheduler.LRScheduler.
    """

    _get_lr_called_within_step = False
    _is_initial = False
    _not_saved: tuple[str, ...] = ("optimizer",)

    optimizer: Optimizer
    base_lrs: list[Any]
    last_epoch: int
    _last_lr: list[Any]
    _step_count: int

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copy_of(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler "
                    "with last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume "
                    "training from a checkpoint but haven't properly loaded the optimizer state\n2. You're "
                    "using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs = _options(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps_of(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Sets the learning rates of the first epoch."""
        self._step_count = 0
        with _set(self, "_is_initial"):
            self.step()

    def state_dict(self) -> dict[str, Any]:
        """All attributes except the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name not in self._not_saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Sets all attributes in ``state_dict``."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates of the groups that the last step has set."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Computes the learning rates of the groups for ``last_epoch``; for ``step``."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Sets the learning rates of the next epoch, or (deprecated) of the given one."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                    "initialization. Please, make sure to call `optimizer.step()` before "
                    f"`lr_scheduler.step()`. {_SEE}"
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                    "later, you should call them in the opposite order: `optimizer.step()` before "
                    "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first "
                    f"value of the learning rate schedule. {_SEE}"
                )
        self._step_count += 1
        if epoch is not None:
            warn(EPOCH_DEPRECATION_WARNING)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        """Sets the learning rates of an epoch; with a given epoch in closed form, if there is one."""
        with _set(self, "_get_lr_called_within_step"):
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                rates = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self._set_lrs(rates)

    def _set_lrs(self, rates: Iterable[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            _set_option(group, "lr", rate)
        self._last_lr = _options(self.optimizer, "lr")

    def _lrs(self) -> list[Any]:
        """The present learning rates of the groups."""
        return _options(self.optimizer, "lr")

    def _times(self, factor: float) -> list[Any]:
        """The present learning rates, multiplied by ``factor``."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _warn_outside_of_step(self) -> None:
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")


class _LRScheduler(LRScheduler):
    """An older name of LRScheduler, for subclasses of users."""


def _check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _copy_of(option: Any) -> Any:
    return option.clone() if isinstance(option, gn.Tensor) else option


def _options(optimizer: Optimizer, name: str) -> list[Any]:
    """An option of each group; tensors are copied."""
    return [_copy_of(group[name]) for group in optimizer.param_groups]


def _set_option(group: dict[str, Any], name: str, value: Any) -> None:
    """Sets an option; a tensor in place."""
    if isinstance(group[name], gn.Tensor):
        group[name].fill_(as_scalar(value))
    else:
        group[name] = value


def _for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """``value`` for each group: a list or tuple has one for each.  Raises ValueError for another length."""
    groups = optimizer.param_groups
    if not isinstance(value, (list, tuple)):
        value = [value] * len(groups)
    elif len(value) != len(groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {len(groups)}."
        )
    return [_copy_of(each) for each in value]


@contextmanager
def _set(scheduler: LRScheduler, flag: str) -> Iterator[None]:
    """Sets a flag inside the block."""
    setattr(scheduler, flag, True)
    try:
        yield
    finally:
        setattr(scheduler, flag, False)


def _note_steps_of(optimizer: Optimizer) -> None:
    """Makes the optimizer note in ``_opt_called`` that it has stepped."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    reference = weakref.ref(optimizer)  # the wrapper is an attribute of the optimizer: no reference cycle
    function = optimizer.step.__func__  # type: ignore[attr-defined]

    @functools.wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        stepped: Any = reference()
        stepped._opt_called = True
        return function(stepped, *args, **kwargs)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = step  # type: ignore[method-assign]


# -- functions of the user -----------------------------------------------------------------------------------


class _WithLambdas(LRScheduler):
    """Schedulers with a function of the epoch for each group.

    A state dict contains the attributes of those that are callable objects, and None for functions.
    """

    _not_saved = ("optimizer", "lr_lambdas")
    lr_lambdas: list[Callable[[int], float]]

    def _set_lambdas(self, optimizer: Optimizer, lr_lambda: Any) -> None:
        groups = optimizer.param_groups
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * len(groups)
        elif len(lr_lambda) != len(groups):
            raise ValueError(f"Expected {len(groups)} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)

    def state_dict(self) -> dict[str, Any]:
        """All attributes except the optimizer; of ``lr_lambdas`` only the attributes of objects."""
        return {**super().state_dict(), "lr_lambdas": [_attributes_of(each) for each in self.lr_lambdas]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Sets all attributes in ``state_dict``, and those of the objects in ``lr_lambdas``."""
        saved = dict(state_dict)
        for function, attributes in zip(self.lr_lambdas, saved.pop("lr_lambdas")):
            if attributes is not None:
                function.__dict__.update(attributes)
        self.__dict__.update(saved)


def _attributes_of(function: Any) -> dict[str, Any] | None:
    return None if isinstance(function, types.FunctionType) else function.__dict__.copy()


class LambdaLR(_WithLambdas):
    """The initial learning rate times ``lr_lambda(epoch)``; there may be a list with one for each group.

    Raises ValueError for a list of another length.  Source: torch.optim.lr_scheduler.LambdaLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self._set_lambdas(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        return [rate * function(self.last_epoch) for function, rate in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(_WithLambdas):
    """The last learning rate times ``lr_lambda(epoch)``; there may be a list with one for each group.

    Raises ValueError for a list of another length, TypeError for something that can not be called.
    Source: torch.optim.lr_scheduler.MultiplicativeLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self._set_lambdas(optimizer, lr_lambda)
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self._is_initial:
            return self._lrs()
        groups = self.optimizer.param_groups
        return [group["lr"] * function(self.last_epoch) for function, group in zip(self.lr_lambdas, groups)]


# -- steps and lines -----------------------------------------------------------------------------------------


class StepLR(LRScheduler):
    """Multiplies the learning rate by ``gamma`` every ``step_size`` epochs.

    Source: torch.optim.lr_scheduler.StepLR.
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._lrs()
        return self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [rate * self.gamma ** (self.last_epoch // self.step_size) for rate in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the learning rate by ``gamma`` at each of the ``milestones``, which are epochs.

    Source: torch.optim.lr_scheduler.MultiStepLR.
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self.last_epoch not in self.milestones:
            return self._lrs()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [rate * self.gamma**passed for rate in self.base_lrs]


class ConstantLR(LRScheduler):
    """The learning rate times ``factor`` for ``total_iters`` epochs, and then the learning rate.

    Raises ValueError for a factor outside of [0, 1].  Source: torch.optim.lr_scheduler.ConstantLR.
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self.last_epoch == 0:
            return self._times(self.factor)
        if self.last_epoch != self.total_iters:
            return self._lrs()
        return self._times(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        is_over = self.last_epoch >= self.total_iters
        return [rate * (self.factor + is_over * (1 - self.factor)) for rate in self.base_lrs]


class LinearLR(LRScheduler):
    """Multiplies the learning rate by a factor that goes linearly from ``start_factor`` to ``end_factor``.

    It takes ``total_iters`` epochs.  Raises ValueError for a start outside of (0, 1] or an end outside of
    [0, 1].  Source: torch.optim.lr_scheduler.LinearLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._lrs()
        change = self.end_factor - self.start_factor
        last_factor = self.total_iters * self.start_factor + (self.last_epoch - 1) * change
        return self._times(1.0 + change / last_factor)

    def _get_closed_form_lr(self) -> list[Any]:
        change = self.end_factor - self.start_factor
        epoch = min(self.total_iters, self.last_epoch)
        return [rate * (self.start_factor + change * epoch / self.total_iters) for rate in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the learning rate by ``gamma`` every epoch.

    Source: torch.optim.lr_scheduler.ExponentialLR.
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        return self._lrs() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [rate * self.gamma**self.last_epoch for rate in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The learning rate times ``(1 - epoch / total_iters) ** power``: it is 0 after ``total_iters`` epochs.

    Source: torch.optim.lr_scheduler.PolynomialLR.
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._lrs()
        left, last_left = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return self._times((left / last_left) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [rate * left**self.power for rate in self.base_lrs]


# -- cosines -------------------------------------------------------------------------------------------------


class CosineAnnealingLR(LRScheduler):
    """Half a cosine wave from the initial learning rate to ``eta_min`` in ``T_max`` epochs, then back.

    Source: torch.optim.lr_scheduler.CosineAnnealingLR; arXiv:1608.03983.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        groups, epoch, low = self.optimizer.param_groups, self.last_epoch, self.eta_min
        if self._is_initial:
            return self._lrs()
        if self._step_count == 1 and epoch > 0:
            height = 1 + math.cos(epoch * math.pi / self.T_max)
            return [low + (rate - low) * height / 2 for rate in self.base_lrs]
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the last height was 0: no quotient
            height = 1 - math.cos(math.pi / self.T_max)
            return [group["lr"] + (rate - low) * height / 2 for rate, group in zip(self.base_lrs, groups)]
        height, last_height = (1 + math.cos(math.pi * each / self.T_max) for each in (epoch, epoch - 1))
        return [height / last_height * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (rate - self.eta_min) * height / 2 for rate in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine wave from the initial learning rate to ``eta_min``, again and again.

    The first lasts ``T_0`` epochs, each other one ``T_mult`` times as long as the last.  ``step`` takes
    fractional epochs.  Raises ValueError unless T_0 is a positive int, T_mult an int >= 1, eta_min a number.
    Source: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts; arXiv:1608.03983.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0  # the length of the present wave
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch  # the epoch in the present wave
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (rate - self.eta_min) * height / 2 for rate in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Sets the learning rates of the next epoch, or of the given one, which may be a fraction.

        Raises ValueError for a negative epoch.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            waves = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**waves - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**waves
        self.last_epoch = math.floor(epoch)
        with _set(self, "_get_lr_called_within_step"):
            rates = self.get_lr()
        self._set_lrs(rates)


# -- cycles --------------------------------------------------------------------------------------------------


class _WithMomentum(LRScheduler):
    """Schedulers that change the momentum, or beta1, together with the learning rate."""

    use_beta1: bool

    def _set_momentum(self, group: dict[str, Any], momentum: Any) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum

    def _start_momentum(self, base_momentum: Any, max_momentum: Any, last_epoch: int) -> tuple[Any, Any]:
        """The bounds of the momentum for each group; a new schedule starts at the upper one.

        Raises ValueError if the optimizer has neither momentum nor betas.
        """
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        lowest = _for_each_group("base_momentum", optimizer, base_momentum)
        highest = _for_each_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for low, high, group in zip(lowest, highest, optimizer.param_groups):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return lowest, highest


class CyclicLR(_WithMomentum):
    """Linearly from ``base_lr`` to ``max_lr`` in ``step_size_up`` batches, and back in ``step_size_down``.

    ``step`` is called after each batch.  The height of cycle n is constant in the mode "triangular", halved
    with each cycle in "triangular2", and multiplied by ``gamma`` with each batch in "exp_range"; or
    ``scale_fn`` gives its factor, of the number of the cycle or of the batch, as ``scale_mode`` says ("cycle"
    or "iterations").  With ``cycle_momentum`` the momentum (or beta1) goes the opposite way between
    ``base_momentum`` and ``max_momentum``.

    Raises TypeError if ``optimizer`` is not an Optimizer, ValueError for another mode, for lists that do not
    have one element for each group, and for an optimizer without momentum.
    Source: torch.optim.lr_scheduler.CyclicLR; arXiv:1506.01186.
    """

    _not_saved = ("optimizer", "_scale_fn_ref", "_scale_fn_custom")

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups):
                _set_option(group, "lr", rate)
        self.max_lrs = _for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode: str = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            momentums = self._start_momentum(base_momentum, max_momentum, last_epoch)
            self.base_momentums, self.max_momentums = momentums
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is None:
            self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """The factor of the height in cycle or batch ``x``, counted from 1 or from 0."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        """Computes the learning rates of the groups for ``last_epoch``, and sets their momentum."""
        self._warn_outside_of_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            groups = self.optimizer.param_groups
            for low, high, group in zip(self.base_momentums, self.max_momentums, groups):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self) -> dict[str, Any]:
        """All attributes except the optimizer; of a custom ``scale_fn`` only those of an object."""
        custom = self._scale_fn_custom
        return {
            **super().state_dict(),
            "_scale_fn_custom": None if custom is None else _attributes_of(custom),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Sets all attributes in ``state_dict``, and those of a custom ``scale_fn``."""
        saved = dict(state_dict)
        attributes = saved.pop("_scale_fn_custom")
        super().load_state_dict(saved)
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


class OneCycleLR(_WithMomentum):
    """One cycle: from ``max_lr / div_factor`` up to ``max_lr``, then down to ``final_div_factor`` times less.

    ``step`` is called after each batch.  There are ``total_steps`` (or ``epochs * steps_per_epoch``), of
    which the part ``pct_start`` goes up, along a cosine or a line (``anneal_strategy``).  With
    ``three_phase`` it first goes down as it went up, and from there to the end.  With ``cycle_momentum`` the
    momentum (or beta1) goes the opposite way between ``max_momentum`` and ``base_momentum``.

    Raises TypeError if ``optimizer`` is not an Optimizer, ValueError for numbers of steps that are not
    positive ints, for other values of ``pct_start`` and ``anneal_strategy``, for lists that do not have one
    element for each group, for an optimizer without momentum, and in ``step`` after the last step.
    Source: torch.optim.lr_scheduler.OneCycleLR; arXiv:1708.07120.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            self.total_steps = total_steps
        elif epochs is not None and steps_per_epoch is not None:
            for name, number in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
                if not isinstance(number, int) or number <= 0:
                    raise ValueError(f"Expected positive integer {name}, but got {number}")
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        top = float(pct_start * self.total_steps) - 1
        end = self.total_steps - 1
        down = ("base_momentum", "max_momentum")
        self._schedule_phases = [_phase(top, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            bottom = float(2 * pct_start * self.total_steps) - 2
            self._schedule_phases += [
                _phase(bottom, "max_lr", "initial_lr", *down),
                _phase(end, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases.append(_phase(end, "max_lr", "min_lr", *down))
        self._anneal_func_type = anneal_strategy
        max_lrs = _for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for highest, group in zip(max_lrs, optimizer.param_groups):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start: Any, end: Any, part: float) -> Any:
        """The value at ``part`` of the way from ``start`` to ``end``."""
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start

    def get_lr(self) -> list[Any]:
        """Computes the learning rates of the groups for step ``last_epoch``, and sets their momentum."""
        self._warn_outside_of_step()
        number = self.last_epoch
        if number > self.total_steps:
            raise ValueError(
                f"Tried to step {number} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        *phases, phase = self._schedule_phases
        for each in phases:
            if number <= each["end_step"]:
                phase = each
                break
            start = each["end_step"]
        part = (number - start) / (phase["end_step"] - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                bounds = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal(*bounds, part))
        return rates


def _phase(
    end_step: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str
) -> dict[str, Any]:
    """A part of the cycle: its last step, and the group's options that it starts and ends with."""
    return {
        "end_step": end_step,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }


# -- measurements --------------------------------------------------------------------------------------------


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the learning rate by ``factor`` when a measurement has stopped improving.

    That is when it has not improved in more than ``patience`` epochs; after that, ``cooldown`` epochs do not
    count.  ``mode`` says whether smaller ("min") or larger ("max") is better; an improvement is one by more
    than ``threshold``, relative ("rel") or absolute ("abs") as ``threshold_mode`` says.  No learning rate
    falls below ``min_lr`` (a list has one for each group), or changes by no more than ``eps``.

    Raises ValueError for a factor >= 1, for other modes, and for a list of another length, TypeError if
    ``optimizer`` is not an Optimizer.  Source: torch.optim.lr_scheduler.ReduceLROnPlateau.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        groups = optimizer.param_groups
        self.default_min_lr: float | None
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != len(groups):
                raise ValueError(f"expected {len(groups)} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * len(groups)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self._lrs()
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode: Any, threshold: float, threshold_mode: Any) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        """Forgets what has been measured."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Takes the epoch's measurement, a number or a one-element tensor, and perhaps reduces."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warn(EPOCH_DEPRECATION_WARNING)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._lrs()

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param "
                    "group being added to the optimizer. Please modify the `min_lrs` field to match the "
                    "length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, lowest)
            if old - new > self.eps:
                _set_option(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Do the next epochs not count?"""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        is_relative = self.threshold_mode == "rel"
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if is_relative else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if is_relative else best + self.threshold)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Sets all attributes in ``state_dict``.  Raises ValueError for other modes."""
        super().load_state_dict(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)


# -- several schedulers --------------------------------------------------------------------------------------


class _WithSchedulers(LRScheduler):
    """Schedulers made of schedulers, whose state dicts contain those of all."""

    _not_saved = ("optimizer", "_schedulers")
    _schedulers: Sequence[LRScheduler]

    def _check_schedulers(self, optimizer: Optimizer, schedulers: Sequence[Any]) -> None:
        name = type(self).__name__
        for number, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs "
                    f"to be specified when calling `step`, but got one at index {number} in the given "
                    "schedulers sequence."
                )
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {number} has {scheduler.optimizer}, which is "
                    f"different from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """All attributes except the optimizer, with the state dicts of the schedulers."""
        return {**super().state_dict(), "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Sets all attributes in ``state_dict``, and loads the state dicts of the schedulers."""
        saved = dict(state_dict)
        for scheduler, each in zip(self._schedulers, saved.pop("_schedulers")):
            scheduler.load_state_dict(each)
        self.__dict__.update(saved)


class SequentialLR(_WithSchedulers):
    """One scheduler after the other; ``milestones`` are the epochs at which the next one begins.

    Raises ValueError for no scheduler, for one of another optimizer, for ReduceLROnPlateau, and unless there
    is one milestone less than schedulers; TypeError for something that is not a scheduler.
    Source: torch.optim.lr_scheduler.SequentialLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_schedulers(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each scheduler has already made its first step: undo them, and make that of the first one.
        for group in optimizer.param_groups:
            _set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Takes back the last step's epoch of all schedulers, also of those made of schedulers."""
        scheduler = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for each in scheduler._schedulers:
                self.recursive_undo(each)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Sets the learning rates of the next epoch."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_WithSchedulers):
    """All schedulers together: each changes the learning rates that the one before it has set.

    Raises ValueError for no scheduler, for one of another optimizer, and for ReduceLROnPlateau, TypeError for
    something that is not a scheduler.  Source: torch.optim.lr_scheduler.ChainedScheduler.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check_schedulers(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = self._lrs()

    def step(self) -> None:  # type: ignore[override]
        """Sets the learning rates of the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._lrs()
