"""AdaptiveLogSoftmaxWithLoss: a softmax over many classes, in clusters by frequency.

Source: torch/nn/modules/adaptive.py.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from .. import functional
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-probability of each target class, and their negative mean.

    The classes are sorted by frequency.  ``cutoffs`` are the first classes of the clusters after the
    shortlist; ``head`` gives the scores of the shortlist and of the clusters, ``tail`` those within each
    cluster, from ``div_value`` times fewer features each time.

    Raises ValueError unless the cutoffs are unique, increasing integers from 1 to n_classes - 1.  Source:
    torch.nn.AdaptiveLogSoftmaxWithLoss; arXiv:1609.04309.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(each) != each for each in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for number, (first, last) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            features = int(in_features // div_value ** (number + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, features, bias=False, device=device, dtype=dtype),
                    Linear(features, last - first, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Reinitializes all weights with random numbers."""
        for module in (self.head, *self.tail.modules()):
            if isinstance(module, Linear):
                module.reset_parameters()

    def forward(self, input_: gn.Tensor, target_: gn.Tensor) -> Any:
        """Vectors ([N,] in_features) and classes (N) or () -> (log-probabilities (N) or (), loss ()).

        Raises RuntimeError for other shapes, and for a class out of range.
        """
        is_batched = target_.dim() > 0
        if target_.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if is_batched and input_.size(0) != target_.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != target_.dim() + 1:
            raise RuntimeError(
                f"{target_.dim()}D target tensor expects {target_.dim() + 1}D input tensors, but found "
                f"inputs with size {input_.size()}"
            )
        input = input_ if is_batched else input_.unsqueeze(0)
        target = target_ if is_batched else target_.unsqueeze(0)
        if target.numel() and not bool(((target >= 0) & (target < self.n_classes)).all()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output = input.new_zeros(target.size(0))
        place_in_head = target.clone()
        for number, (first, last) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            rows = ((target >= first) & (target < last)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            place_in_head.index_fill_(0, rows, self.shortlist_size + number)
            logs = functional.log_softmax(self.tail[number](input.index_select(0, rows)), dim=1)
            within = (target.index_select(0, rows) - first).unsqueeze(1)
            output = output.index_copy(0, rows, logs.gather(1, within).squeeze(1))
        head_logs = functional.log_softmax(self.head(input), dim=1)
        output = output + head_logs.gather(1, place_in_head.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if is_batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: gn.Tensor, head_output: gn.Tensor) -> gn.Tensor:
        """The log-probabilities of all classes, given the scores of the head."""
        head_logs = functional.log_softmax(head_output, dim=1)
        logs = [head_logs[:, : self.shortlist_size]]
        for number, cluster in enumerate(self.tail):
            within = functional.log_softmax(cluster(input), dim=1)
            logs.append(within + head_logs[:, self.shortlist_size + number].unsqueeze(1))
        return gn.cat(logs, 1)

    def log_prob(self, input: gn.Tensor) -> gn.Tensor:
        """The log-probabilities of all classes: (N, in_features) -> (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: gn.Tensor) -> gn.Tensor:
        """The most probable class: (N, in_features) -> (N), int64.

        It is that of the shortlist if the head prefers it to all clusters, else the most probable of all.
        """
        head_output = self.head(input)
        output = head_output.argmax(dim=1)
        rows = (output >= self.shortlist_size).nonzero().squeeze(1)
        if rows.numel() == 0:
            return output
        logs = self._get_full_log_prob(input.index_select(0, rows), head_output.index_select(0, rows))
        return output.index_copy(0, rows, logs.argmax(dim=1))
