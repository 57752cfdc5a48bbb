"""The autograd side of modules: backward hooks, and CrossMapLRN2d's forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gnomon as gn

from ...values.errors import warn
from .. import functional


class BackwardHookFunction(gn.autograd.Function):
    """The identity: its Node is where the gradients of a module's inputs or outputs are seen."""

    @staticmethod
    def forward(ctx: Any, *args: gn.Tensor) -> tuple[gn.Tensor, ...]:
        ctx.mark_non_differentiable(*[each for each in args if not each.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: gn.Tensor) -> tuple[gn.Tensor, ...]:
        return args


class BackwardHook:
    """Calls a module's full backward hooks and pre-hooks, once per backward pass.

    ``setup_input_hook`` and ``setup_output_hook`` pass the tensors of a call through an identity each.  The
    hooks run when the gradients of the outputs and of the inputs are known, with None for what is not a
    tensor.  Source: torch.utils.hooks.BackwardHook.
    """

    def __init__(
        self, module: Any, user_hooks: list[Callable[..., Any]], user_pre_hooks: list[Callable[..., Any]]
    ) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Sequence[gn.Tensor | None] | None = None
        self.input_places: list[int] | None = None  # which arguments are tensors; None: none requires grad
        self.n_inputs = 0

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The positional arguments of the call, to be given to ``forward`` instead."""
        self.n_inputs = len(args)
        args, self.input_places, node = _through_identity(args)
        if node is not None:
            node.register_hook(self._inputs_are_known)
        return args

    def setup_output_hook(self, result: Any) -> Any:
        """The result of ``forward``, to be returned instead."""
        is_tuple = isinstance(result, tuple)
        outputs = result if is_tuple else (result,)
        n_outputs = len(outputs)
        outputs, places, node = _through_identity(outputs)
        if node is not None:
            node.register_hook(lambda _, grad_output: self._outputs_are_known(places, n_outputs, grad_output))
        return outputs if is_tuple else outputs[0]

    def _outputs_are_known(self, places: Any, n_outputs: int, grad_output: tuple[Any, ...]) -> Any:
        """Calls the pre-hooks; returns the gradients that replace those of the outputs."""
        self.grad_outputs = _placed(places, grad_output, n_outputs)
        for user_pre_hook in self.user_pre_hooks:
            replaced = user_pre_hook(self.module, self.grad_outputs)
            if replaced is None:
                continue
            if len(replaced) != n_outputs:
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(replaced)}, but expected {n_outputs}"
                )
            self.grad_outputs = replaced
        kept = self.grad_outputs
        if self.input_places is None:
            self._call_without_inputs()
        return tuple(kept[place] for place in places)

    def _call_without_inputs(self) -> None:
        """Calls the hooks of a module of whose inputs none requires grad."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since "
            "no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details."
        )
        for user_hook in self.user_hooks:
            found = user_hook(self.module, (None,) * self.n_inputs, self.grad_outputs)
            if found is not None and not (isinstance(found, tuple) and all(each is None for each in found)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None "
                    "or None for all gradients."
                )
        self.grad_outputs = None

    def _inputs_are_known(self, grad_input: tuple[Any, ...], _: Any) -> Any:
        """Calls the hooks; returns the gradients that replace those of the inputs."""
        if self.grad_outputs is None:
            return None  # the gradient reached the inputs without the outputs, as in a double backward
        grads: Any = _placed(self.input_places, grad_input, self.n_inputs)
        for user_hook in self.user_hooks:
            replaced = user_hook(self.module, grads, self.grad_outputs)
            if replaced is None:
                continue
            if len(replaced) != len(grads):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(replaced)}, but expected {len(grads)}"
                )
            grads = replaced
        self.grad_outputs = None
        return tuple(grads[place] for place in self.input_places or ())


def _placed(places: Any, values: Sequence[Any], size: int) -> tuple[Any, ...]:
    """``size`` values: those given at their places, and None elsewhere."""
    found = dict(zip(places, values))
    return tuple(found.get(place) for place in range(size))


def _through_identity(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None, Any]:
    """The values with their tensors passed through the identity, the places of the tensors, and its Node.

    Places and Node are None if no tensor requires grad, or if nothing is recorded.
    """
    places = [place for place, value in enumerate(values) if isinstance(value, gn.Tensor)]
    if not (gn.is_grad_enabled() and any(values[place].requires_grad for place in places)):
        return values, None, None
    passed = BackwardHookFunction.apply(*(values[place] for place in places))
    node = next(each.grad_fn for each in passed if each.grad_fn is not None)
    replaced = dict(zip(places, passed))
    made = [replaced.get(place, value) for place, value in enumerate(values)]
    return (tuple(made) if type(values) is tuple else type(values)(*made)), places, node


class CrossMapLRN2d(gn.autograd.Function):
    """Local response normalization, as torch.nn.modules._functions.CrossMapLRN2d computes it.

    As there, the window of a channel has ``size`` channels rounded up to an odd number, and channel 0 stays
    in the sum of all windows after those that contain it; the backward does not know of the latter.
    """

    @staticmethod
    def forward(ctx: Any, input: gn.Tensor, size: int, alpha: float, beta: float, k: float) -> gn.Tensor:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        squares = input.pow(2)
        reach = int((size - 1) / 2 + 1)  # channels on each side, with the channel itself
        scale = _window_sums(squares, reach - 1, 2 * reach - 1)
        scale[:, reach:] += squares[:, :1]
        scale = scale * (alpha / size) + k
        output = scale.pow(-beta) * input
        ctx.options = size, alpha, beta
        ctx.save_for_backward(input, output, scale)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: gn.Tensor) -> tuple[Any, ...]:
        input, output, scale = ctx.saved_tensors
        size, alpha, beta = ctx.options
        ratios = _window_sums(grad_output * output / scale, int(size - (size - 1) / 2), size)
        grad = scale.pow(-beta) * grad_output - (2 * alpha * beta / size) * input * ratios
        return grad, None, None, None, None


def _window_sums(values: gn.Tensor, before: int, size: int) -> gn.Tensor:
    """For each channel of (N, C, H, W) the sum of ``size`` channels, the first of them ``before`` it."""
    padded = functional.pad(values, (0, 0, 0, 0, before, size - 1 - before))
    return padded.unfold(1, size, 1).sum(-1)
