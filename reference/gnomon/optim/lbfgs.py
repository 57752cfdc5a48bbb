"""LBFGS: a quasi-Newton method with limited memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import gnomon as gn

from .optimizer import (
    Optimizer,
    ParamsT,
    as_scalar,
    check_lr,
    multi_tensor,
    split_like,
)


class LBFGS(Optimizer):
    """Steps along ``-H grad``, where H approximates the inverse Hessian from the last ``history_size`` steps.

    ``step(closure)`` makes up to ``max_iter`` iterations and evaluates the closure up to ``max_eval`` times
    (None: ``max_iter * 5 // 4``).  It stops when no element of the gradient exceeds ``tolerance_grad``, or
    when the loss or all parameters change by less than ``tolerance_change``.  The length of a step is ``lr``,
    or with a ``line_search_fn`` of "strong_wolfe" it is searched for, so that the strong Wolfe conditions
    hold.

    All parameters are in one group, on one device; complex ones count as pairs of real ones.  The state
    belongs to the first parameter.  Raises ValueError for a negative ``lr`` and for several groups; the step
    raises RuntimeError for another ``line_search_fn``.
    Source: torch.optim.LBFGS; Nocedal and Wright, Numerical Optimization, algorithms 3.5, 3.6 and 7.4.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: Literal["strong_wolfe"] | None = None,
    ) -> None:
        check_lr(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @gn.no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # it needs the closure
        """Minimizes for up to ``max_iter`` iterations; returns the loss at the beginning.

        ``closure`` clears the gradients, and computes the loss and the gradients.  If it raises, the
        optimizer's state is that before the step.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        (group,) = self.param_groups
        lr, max_iter, max_eval = as_scalar(group["lr"]), group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        size, line_search_fn = group["history_size"], group["line_search_fn"]
        evaluate = gn.enable_grad()(closure)
        state = self.state[group["params"][0]]
        iterations = state.get("n_iter", 0)

        first_loss = evaluate()
        loss = float(first_loss)
        evaluations = 1
        grad = self._flat_grad()
        if grad.abs().max() <= tolerance_grad:
            state.update({"func_evals": state.get("func_evals", 0) + 1, "n_iter": iterations})
            return first_loss

        direction: Any = state.get("d")
        length: Any = state.get("t")
        previous_grad: Any = state.get("prev_flat_grad")
        previous_loss: Any = state.get("prev_loss")
        history = _History(state)
        found: dict[str, Any] = {}
        for iteration in range(1, max_iter + 1):
            iterations += 1
            if iterations == 1:
                direction = -grad
                length = min(1.0, 1.0 / grad.abs().sum()) * lr
            else:
                history.add(grad - previous_grad, direction * length, size)
                direction, coefficients = history.direction(grad)
                found["al"] = [*coefficients, *[None] * (size - len(coefficients))]
                length = lr
            previous_grad, previous_loss = grad, loss

            slope = grad.dot(direction)
            if slope > -tolerance_change:
                break
            if line_search_fn is None:
                self._move(length, direction)
                if iteration != max_iter:  # else the next step evaluates here
                    loss, grad = float(evaluate()), self._flat_grad()
                    evaluations += 1
            elif line_search_fn == "strong_wolfe":
                evaluate_at = self._evaluation_along(evaluate, direction)
                start = _Point(0, loss, grad, slope)
                point, count = _strong_wolfe(evaluate_at, direction, start, length, max_eval - evaluations)
                length, loss, grad, _ = point
                evaluations += count
                self._move(length, direction)
            else:
                raise RuntimeError("only 'strong_wolfe' is supported")
            if (
                evaluations >= max_eval
                or grad.abs().max() <= tolerance_grad
                or (direction * length).abs().max() <= tolerance_change
                or abs(loss - previous_loss) < tolerance_change
            ):
                break

        found.update(
            {
                "func_evals": state.get("func_evals", 0) + evaluations,
                "n_iter": iterations,
                "d": direction,
                "t": length,
                "old_dirs": history.changes,
                "old_stps": history.steps,
                "ro": history.inverse_products,
                "H_diag": history.scale,
                "prev_flat_grad": previous_grad,
                "prev_loss": previous_loss,
            }
        )
        state.update(found)
        return first_loss

    def _flat_grad(self) -> gn.Tensor:
        """The gradients of all parameters as one vector of real numbers; zeros for missing ones."""
        parts = []
        for param in self._parameters():
            grad = gn.zeros_like(param) if param.grad is None else param.grad
            parts.append((gn.view_as_real(grad) if grad.is_complex() else grad).reshape(-1))
        return gn.cat(parts)

    def _move(self, length: Any, direction: gn.Tensor) -> None:
        """Adds ``length * direction`` to the parameters."""
        targets = [gn.view_as_real(each) if each.is_complex() else each for each in self._parameters()]
        multi_tensor("add_", targets, split_like(direction, targets), alpha=float(length))

    def _evaluation_along(
        self, evaluate: Callable[[], Any], direction: gn.Tensor
    ) -> Callable[[Any], tuple[float, gn.Tensor]]:
        """A function from a step's length to loss and gradient there; the parameters stay where they are."""
        start = [param.clone() for param in self._parameters()]

        def evaluate_at(length: Any) -> tuple[float, gn.Tensor]:
            try:
                self._move(length, direction)
                return float(evaluate()), self._flat_grad()
            finally:
                for param, value in zip(self._parameters(), start):
                    param.copy_(value)

        return evaluate_at


class _History:
    """What is known of the Hessian: the last steps, and how much each has changed the gradient.

    changes           of the gradient, oldest first
    steps             of the parameters
    inverse_products  1 / (change . step)
    scale             the inverse Hessian is about a multiple of the identity: this one
    """

    def __init__(self, state: dict[str, Any]) -> None:
        # Copies, so that a step that fails changes nothing.
        self.changes = list(state.get("old_dirs") or ())
        self.steps = list(state.get("old_stps") or ())
        self.inverse_products = list(state.get("ro") or ())
        self.scale = state.get("H_diag", 1)

    def add(self, change: gn.Tensor, step: gn.Tensor, size: int) -> None:
        """Adds a step, unless the loss is not convex along it; at most ``size`` steps are kept."""
        product = change.dot(step)
        if not product > 1e-10:
            return
        if len(self.changes) == size:
            for each in (self.changes, self.steps, self.inverse_products):
                del each[0]
        self.changes.append(change)
        self.steps.append(step)
        self.inverse_products.append(1.0 / product)
        self.scale = product / change.dot(change)

    def direction(self, grad: gn.Tensor) -> tuple[gn.Tensor, list[gn.Tensor]]:
        """The negative product of inverse Hessian and gradient, by the recursion with two loops.

        Returns it with the coefficients of the first loop.
        """
        direction = -grad
        known = list(zip(self.changes, self.steps, self.inverse_products))
        coefficients: list[gn.Tensor] = []
        for change, step, inverse_product in reversed(known):
            coefficient = step.dot(direction) * inverse_product
            direction.add_(change, alpha=-coefficient)
            coefficients.insert(0, coefficient)
        direction = direction * self.scale
        for (change, step, inverse_product), coefficient in zip(known, coefficients):
            direction.add_(step, alpha=coefficient - change.dot(direction) * inverse_product)
        return direction, coefficients


class _Point(NamedTuple):
    """A point on the line that is searched."""

    length: Any  # of the step from the line's start
    loss: float
    grad: gn.Tensor
    slope: gn.Tensor  # of the loss along the line


# The loss must fall by this part of what the slope at the start promises ...
_SUFFICIENT_DECREASE = 1e-4
# ... and the slope must fall to this part.
_CURVATURE = 0.9
_SMALLEST_CHANGE = 1e-9


def _strong_wolfe(
    evaluate_at: Callable[[Any], tuple[float, gn.Tensor]],
    direction: gn.Tensor,
    start: _Point,
    length: Any,
    most: int,
) -> tuple[_Point, int]:
    """Searches for a step that meets the strong Wolfe conditions, from ``length`` on, in ``most`` trials.

    Returns the best point found, and how often it has evaluated.
    """

    def point_at(length: Any) -> _Point:
        loss, grad = evaluate_at(length)
        return _Point(length, loss, grad, grad.dot(direction))

    def is_too_high(point: _Point) -> bool:
        return bool(point.loss > start.loss + _SUFFICIENT_DECREASE * point.length * start.slope)

    def is_flat(point: _Point) -> bool:
        return bool(abs(point.slope) <= -_CURVATURE * start.slope)

    # Lengthen the step until a minimum must be between the last two points.
    previous, current = start, point_at(length)
    trials = 0
    is_done = False
    while True:
        if trials >= most:
            bracket = [start, current]
            break
        if is_too_high(current) or (trials > 1 and current.loss >= previous.loss):
            bracket = [previous, current]
            break
        if is_flat(current):
            bracket = [current, current]
            is_done = True
            break
        if current.slope >= 0:
            bracket = [previous, current]
            break
        shortest = current.length + 0.01 * (current.length - previous.length)
        longer = _cubic_minimum(previous, current, shortest, current.length * 10)
        previous, current = current, point_at(longer)
        trials += 1

    # Shrink the bracket.
    low = 0 if bracket[0].loss <= bracket[1].loss else 1
    largest_element = direction.abs().max()
    was_near_end = False
    while not is_done and trials < most:
        left, right = sorted((bracket[0].length, bracket[1].length))
        if (right - left) * largest_element < _SMALLEST_CHANGE:
            break
        length = _cubic_minimum(bracket[0], bracket[1], left, right)
        margin = 0.1 * (right - left)
        is_near_end = bool(min(right - length, length - left) < margin)
        if is_near_end and (was_near_end or length >= right or length <= left):
            length = right - margin if abs(length - right) < abs(length - left) else left + margin
            is_near_end = False
        was_near_end = is_near_end
        point = point_at(length)
        trials += 1
        if is_too_high(point) or point.loss >= bracket[low].loss:
            bracket[1 - low] = point
            low = 0 if bracket[0].loss <= bracket[1].loss else 1
            continue
        if is_flat(point):
            is_done = True
        elif point.slope * (bracket[1 - low].length - bracket[low].length) >= 0:
            bracket[1 - low] = bracket[low]
        bracket[low] = point
    return bracket[low], trials + 1


def _cubic_minimum(first: _Point, second: _Point, smallest: Any, largest: Any) -> Any:
    """The length where the cubic through two points with their slopes is least, within bounds.

    The middle between the bounds if the cubic has no minimum.
    """
    if first.length > second.length:
        first, second = second, first
    secant = 3 * (first.loss - second.loss) / (first.length - second.length)
    sum_of_slopes = first.slope + second.slope - secant
    square = sum_of_slopes**2 - first.slope * second.slope
    if not square >= 0:
        return (smallest + largest) / 2.0
    root = square.sqrt()
    part = (second.slope + root - sum_of_slopes) / (second.slope - first.slope + 2 * root)
    return min(max(second.length - (second.length - first.length) * part, smallest), largest)
