"""How a module's parameters are cut, and what its inputs and outputs become.

Source: torch/distributed/tensor/parallel/style.py.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import Any

from .... import nn
from ....memory.tensor import Tensor
from ....nn.functional import embedding, linear
from ... import collectives
from ...process_group import ProcessGroup
from ..placement_types import Placement, Replicate, Shard
from ..sharding import shard, sharding_of
from .layouts import for_use_in_parts, redistribute, sum_of_parts


class ParallelStyle(ABC):
    """A way to divide a module among the processes of a group: a value of ``parallelize_module``'s plan.

    Source: torch.distributed.tensor.parallel.ParallelStyle.
    """

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: nn.Module, group: ProcessGroup) -> nn.Module:
        """Cut the parameters of ``module``, and install what exchanges tensors."""

    def _cut(self, module: nn.Module, group: ProcessGroup, **dims: int | None) -> None:
        """Replace each named parameter by this process's part along a dimension; None: all of it.

        What all begin with is what rank ``src_data_rank`` has.
        """
        for name, dim in dims.items():
            parameter = module._parameters.get(name)
            if parameter is None:
                continue
            if self.src_data_rank is not None:
                collectives.broadcast(parameter.detach(), group=group, group_src=self.src_data_rank)
            if dim is not None:
                module._parameters[name] = shard(parameter, group, dim, module)


class ColwiseParallel(ParallelStyle):
    """Divides a Linear by its outputs, or an Embedding by the dimension of its vectors.

    ``input_layouts``: what comes in (default: ``Replicate()``; ``Shard(dim)`` is gathered first).
    ``output_layouts``: what comes out (default: ``Shard(-1)``, the outputs that this process computes).
    Raises NotImplementedError for another module, and for ``use_local_output=False``; ValueError for outputs
    that are to be gathered, but are not divisible.
    Source: torch.distributed.tensor.parallel.ColwiseParallel.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        _check_local(use_local_output)
        self.input_layouts = input_layouts or Replicate()
        self.output_layouts = output_layouts or Shard(-1)

    def _apply(self, module: nn.Module, group: ProcessGroup) -> nn.Module:
        if isinstance(module, nn.Linear):
            features = module.out_features
            self._cut(module, group, weight=0, bias=0)
        elif isinstance(module, nn.Embedding):
            features = module.embedding_dim
            self._cut(module, group, weight=1)
        else:
            raise NotImplementedError("ColwiseParallel currently only support nn.Linear and nn.Embedding!")
        if self.output_layouts != Shard(-1) and features % group.size():
            raise ValueError(
                f"ColwiseParallel: {features} outputs are not divisible among {group.size()} processes: only "
                "output_layouts=Shard(-1) is possible"
            )

        def before(module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
            return for_use_in_parts(args[0], self.input_layouts, group), *args[1:]

        def after(module: nn.Module, args: tuple[Any, ...], output: Tensor) -> Tensor:
            return redistribute(output, Shard(-1), self.output_layouts, group)

        module.register_forward_pre_hook(before)
        module.register_forward_hook(after)
        return module

    def __repr__(self) -> str:
        return f"ColwiseParallel(input_layouts={self.input_layouts}, output_layouts={self.output_layouts})"


class RowwiseParallel(ParallelStyle):
    """Divides a Linear by its inputs, or an Embedding by the numbers that it looks up.

    ``input_layouts``: what comes in (default: ``Shard(-1)``, as ColwiseParallel gives it; for an Embedding
    give ``Replicate()``).  ``output_layouts``: ``Replicate()``, the default, or ``Shard(dim)``.
    The sum over processes comes first, then the bias, which all have whole.
    Raises NotImplementedError for another module, for an Embedding with ``max_norm``, and for
    ``use_local_output=False``; ValueError for an Embedding with less vectors than there are processes.
    Source: torch.distributed.tensor.parallel.RowwiseParallel.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        _check_local(use_local_output)
        self.input_layouts = input_layouts or Shard(-1)
        self.output_layouts = output_layouts or Replicate()

    def _apply(self, module: nn.Module, group: ProcessGroup) -> nn.Module:
        forward: Any
        if isinstance(module, nn.Linear):
            self._cut(module, group, weight=1, bias=None)
            forward = self._linear
        elif isinstance(module, nn.Embedding):
            if module.max_norm is not None:
                raise NotImplementedError("RowwiseParallel: an Embedding with max_norm is not supported")
            if module.num_embeddings < group.size():
                raise ValueError(
                    f"RowwiseParallel: an Embedding of {module.num_embeddings} vectors has none for some of "
                    f"{group.size()} processes"
                )
            self._cut(module, group, weight=0)
            forward = self._embedding
        else:
            raise NotImplementedError("RowwiseParallel currently only support nn.Linear and nn.Embedding!")
        module.forward = functools.partial(forward, module, group)  # type: ignore[method-assign]
        return module

    def _linear(self, module: nn.Linear, group: ProcessGroup, input: Tensor) -> Tensor:
        own = redistribute(input, self.input_layouts, Shard(-1), group)
        total = sum_of_parts(linear(own, module.weight), self.output_layouts, group)
        if module.bias is None:
            return total
        if isinstance(self.output_layouts, Shard):  # each adds it to its part: the gradients are summands
            return total + for_use_in_parts(module.bias, Replicate(), group)
        return total + module.bias

    def _embedding(self, module: nn.Embedding, group: ProcessGroup, input: Tensor) -> Tensor:
        whole = redistribute(input, self.input_layouts, Replicate(), group)
        sharding = sharding_of(module.weight)
        assert sharding is not None, "_apply has cut it"
        own = sharding.range_of(group.rank())
        is_own = (whole >= own.start) & (whole < own.stop)
        padding = module.padding_idx
        vectors = embedding(
            (whole - own.start).masked_fill(~is_own, 0),
            module.weight,
            padding - own.start if padding is not None and padding in own else None,
            scale_grad_by_freq=False,
            sparse=module.sparse,
        )
        return sum_of_parts(vectors.masked_fill(~is_own.unsqueeze(-1), 0.0), self.output_layouts, group)

    def __repr__(self) -> str:
        return f"RowwiseParallel(input_layouts={self.input_layouts}, output_layouts={self.output_layouts})"


class SequenceParallel(ParallelStyle):
    """Lets a module that treats positions alone, as LayerNorm, RMSNorm and Dropout do, have some of them.

    Between a RowwiseParallel and a ColwiseParallel, each with ``Shard(sequence_dim)`` there, activations then
    are in parts, too, at no cost: an all_reduce is replaced by the reduce_scatter and the all_gather of which
    it consists.  The parameters stay whole; their gradients are summed.
    Source: torch.distributed.tensor.parallel.SequenceParallel.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = True) -> None:
        _check_local(use_local_output)
        self.sequence_dim = sequence_dim

    def _apply(self, module: nn.Module, group: ProcessGroup) -> nn.Module:
        self._cut(module, group, **dict.fromkeys(module._parameters))
        for parameter in module.parameters(recurse=False):
            if parameter.requires_grad:
                parameter.register_hook(lambda grad: sum_of_parts(grad, Replicate(), group))
        return module

    def __repr__(self) -> str:
        return f"SequenceParallel(sequence_dim={self.sequence_dim})"


def _check_local(use_local_output: bool) -> None:
    if not use_local_output:
        raise NotImplementedError("use_local_output=False is not supported: outputs are plain tensors")


__all__ = ["ColwiseParallel", "ParallelStyle", "RowwiseParallel", "SequenceParallel"]
