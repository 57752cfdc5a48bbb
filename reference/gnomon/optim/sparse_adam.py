"""SparseAdam: Adam for sparse gradients, which touches only the rows that have one."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .optimizer import (
    FunctionalOptimizer,
    ParamsT,
    Tensors,
    as_scalar,
    check_betas,
    check_lr,
    with_values,
)


class SparseAdam(FunctionalOptimizer):
    """Adam whose running means change only where the sparse gradient has elements; others do not decay.

    The parameters are strided, and their gradients sparse, as those of ``nn.Embedding(sparse=True)``.
    ``maximize`` maximizes the objective.  Raises ValueError for options out of range and for sparse
    parameters; the step raises RuntimeError for strided gradients.  Source: torch.optim.SparseAdam.
    """

    _takes_sparse_gradients = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_lr(lr)
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        complex_params = []
        sparse = []
        for index, group in enumerate(self.param_groups):
            for place, param in enumerate(group["params"]):
                if param.is_sparse:
                    sparse.append([index, place])
                if param.is_complex():
                    complex_params.append([index, place])
        if sparse:
            raise ValueError(
                f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors"
            )
        if complex_params:
            raise ValueError(
                f"Complex params at indices {complex_params}: SparseAdam does not support complex parameters"
            )

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "exp_avg": gn.zeros_like(param), "exp_avg_sq": gn.zeros_like(param)}

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        if not all(grad.is_sparse for grad in grads):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        exp_avgs, exp_avg_sqs, steps = self._lists(params, grads, group, "exp_avg", "exp_avg_sq", "step")
        for param in params:
            self.state[param]["step"] += 1
        beta1, beta2 = group["betas"]
        sparse_adam(
            params,
            grads,
            exp_avgs,
            exp_avg_sqs,
            [step + 1 for step in steps],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            eps=group["eps"],
            maximize=group["maximize"],
        )


def sparse_adam(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    state_steps: list[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float | gn.Tensor,
    maximize: bool,
) -> None:
    """The step of SparseAdam: updates ``params`` along ``grads``, and the state, which are lists as long.

    Source: torch.optim._functional.sparse_adam.
    """
    rate: Any = as_scalar(lr)
    for param, grad, exp_avg, exp_avg_sq, step in zip(params, grads, exp_avgs, exp_avg_sqs, state_steps):
        grad = (-grad if maximize else grad).coalesce()
        values = grad._values()
        if not values.numel():
            continue
        mean_values = _moved(exp_avg, grad, values, 1 - beta1)
        square_values = _moved(exp_avg_sq, grad, values.pow(2), 1 - beta2)
        size = rate * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        param.add_(_at(grad, -size * mean_values / square_values.sqrt().add_(eps)))


def _at(grad: gn.Tensor, values: gn.Tensor) -> gn.Tensor:
    """``values`` as a sparse tensor with the indices of ``grad``."""
    return gn.sparse_coo_tensor(
        grad._indices(), values, grad.shape, is_coalesced=True, check_invariants=False
    )


def _moved(mean: gn.Tensor, grad: gn.Tensor, values: gn.Tensor, weight: float) -> gn.Tensor:
    """Move a running mean towards ``values`` where ``grad`` has elements; returns its new elements there."""
    before = mean.sparse_mask(grad)._values()
    change = (values - before).mul_(weight)
    mean.add_(with_values(grad, change))
    return change.add_(before)
