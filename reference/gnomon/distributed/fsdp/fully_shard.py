"""fully_shard: what gathers and frees a module's parameters around its forward and backward.

Source: torch/distributed/fsdp/_fully_shard/_fully_shard.py, _fsdp_state.py.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import gnomon as gn

from ... import nn
from ...autograd.engine import is_in_backward
from ...memory.tensor import Tensor
from ...utils.pytree import flatten, tree_map
from ...values.dtype import dtype
from ..device_mesh import DeviceMesh
from ..process_group import resolved
from .api import MixedPrecisionPolicy
from .parameter_group import Gathered, ParameterGroup


def fully_shard(
    module: nn.Module,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | None = None,
    mp_policy: MixedPrecisionPolicy | None = None,
    ignored_params: Iterable[Tensor] | None = None,
) -> nn.Module:
    """Have each process keep its part of the module's parameters, along their first dimension, in place.

    The parameters of the module and of those inside of it make one group, which is gathered in one message;
    except for parameters in groups already, so begin with inner modules.  All processes must have the same
    parameters before, and run the same modules in the same order.  The module is returned, and is an
    ``FSDPModule`` now.  Its parameters are the parts; the whole ones are there during its forward and its
    backward, and may not be kept.

    ``mesh``: the processes, default: all.  In a mesh of two dimensions, the parts are along the second one,
    and replicated along the first.  ``reshard_after_forward``: whether the whole parameters are freed after
    forward and gathered again for backward; None: only if the module is inside of another one that is
    sharded.  (A module whose parameters all are frozen keeps them from its backward to its next forward.)
    ``ignored_params`` stay as they are.  A checkpoint is to be inside of one sharded module or around one:
    around several, it keeps the whole parameters of all while backward is there.

    ``nn.utils.clip_grad_norm_`` and ``distributed.checkpoint`` know of the parts; what else is computed of
    all gradients is of this process's parts only.  ``tensor.full_state_dict`` gathers the parameters.

    Raises ValueError for a container without forward, for parameters without dimensions, and for parameters
    of different dtypes in one group.  Source: torch.distributed.fsdp.fully_shard.
    """
    if isinstance(module, (nn.ModuleList, nn.ModuleDict)):
        raise ValueError(f"fully_shard does not support containers that do not implement forward: {module}")
    if isinstance(module, FSDPModule):
        raise ValueError("fully_shard: the module is sharded already")
    groups = [resolved(None)] if mesh is None else mesh.get_all_groups()
    if len(groups) > 2:
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    policy = mp_policy or MixedPrecisionPolicy()
    replicas = groups[0] if len(groups) == 2 else None
    parameters = ParameterGroup(
        list(module.modules()), groups[-1], replicas, policy, set(ignored_params or ())
    )
    state = _State(module, parameters, reshard_after_forward)
    module.__class__ = _sharded_class(type(module))
    module._fsdp_state = state
    for inner in module.modules():
        if isinstance(inner, FSDPModule):
            _state_of(inner).tree = state.tree
    module.register_forward_pre_hook(state.before_forward, prepend=True, with_kwargs=True)
    module.register_forward_hook(state.after_forward, with_kwargs=True, always_call=True)
    return module


class FSDPModule:
    """What ``fully_shard`` adds to the class of a module.  Source: torch.distributed.fsdp.FSDPModule."""

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters of this module's own group.

        With ``async_op`` it only begins; the module's forward waits for the end, or the ``wait`` of what is
        returned.
        """
        state = _state_of(self)
        if async_op:
            state.parameters.begin()
            return UnshardHandle(state.parameters)
        state.parameters.unshard()
        return None

    def reshard(self) -> None:
        """Free the whole parameters of this module's own group."""
        _state_of(self).parameters.reshard()

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Whether backward averages gradients.  While it does not, whole gradients add up in each process,
        and the parts' ``grad`` stays as it is; the next backward that does averages all.

        ``recurse``: also for the modules inside.
        """
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]
            if isinstance(module, FSDPModule):
                _state_of(module).parameters.is_reducing = requires_gradient_sync

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Whether forward frees the whole parameters.  ``recurse``: also for the modules inside."""
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]
            if isinstance(module, FSDPModule):
                _state_of(module).reshards = reshard_after_forward

    def set_modules_to_forward_prefetch(self, modules: Sequence[FSDPModule]) -> None:
        """The modules whose parameters this one's forward begins to gather, before it computes."""
        _state_of(self).next = [_state_of(each) for each in modules]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


class UnshardHandle:
    """An ``unshard`` that has begun.  Source: torch.distributed.fsdp.UnshardHandle."""

    def __init__(self, parameters: ParameterGroup) -> None:
        self._parameters = parameters

    def wait(self) -> None:
        """Wait for its end: then the module has its whole parameters."""
        self._parameters.unshard()


_classes: dict[Any, type[nn.Module]] = {}  # of sharded modules, by their class before


class _Tree:
    """The sharded modules inside of one: ``root``."""

    def __init__(self, root: _State) -> None:
        self.root = root
        self.order: list[Gathered] = []  # what the forward under way has gathered


class _State:
    """What a sharded module does before and after its forward, and before its backward."""

    def __init__(self, module: nn.Module, parameters: ParameterGroup, reshards: bool | None) -> None:
        self.parameters = parameters
        self.reshards = reshards
        self.tree = _Tree(self)
        self.next: list[_State] = []

    def before_forward(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        """Gather.  (Also when a checkpoint computes again, in backward.)"""
        is_again = is_in_backward()
        if self.tree.root is self and not is_again:
            for gathered in self.tree.order:  # of a forward whose backward never came to them
                gathered.free()
            self.tree.order.clear()
        current = self.parameters.unshard()
        if current is not None and not is_again and gn.is_grad_enabled():
            order = [each for each in self.tree.order if not each.is_done and each is not current]
            self.tree.order = [*order, current]
        for each in self.next:
            each.parameters.begin()
        policy = self.parameters.policy
        if policy.param_dtype is not None and policy.cast_forward_inputs:
            args, kwargs = _converted((args, kwargs), policy.param_dtype)
        return args, kwargs

    def after_forward(self, module: nn.Module, args: Any, kwargs: Any, result: Any) -> Any:
        """Free, and see to it that backward gathers again."""
        gathered = self.parameters.current
        if gathered is not None:
            wholes = self.parameters.wholes()
            inputs = {id(each) for each in flatten((args, kwargs))[0]}
            for each in flatten(result)[0]:
                if isinstance(each, Tensor) and each.requires_grad and id(each) not in inputs:
                    each.register_hook(functools.partial(self._before_backward, gathered, wholes))
            reshards = self.tree.root is not self if self.reshards is None else self.reshards
            if not is_in_backward() and (reshards or not gathered.is_recorded):
                self.parameters.reshard()
        policy = self.parameters.policy
        return result if policy.output_dtype is None else _converted(result, policy.output_dtype)

    def _before_backward(self, gathered: Gathered, wholes: Sequence[Tensor], grad: Tensor) -> None:
        """Gather again, and begin with what backward needs next: what forward gathered before."""
        gathered.fill()
        self.parameters.show(gathered, wholes)
        order = self.tree.order
        if gathered in order:
            order[order.index(gathered) - 1].begin()  # of the first, which contains all others: the last


def _converted(tree: Any, dtype: dtype) -> Any:
    """A nest in which floating point tensors have a dtype."""

    def convert(each: Any) -> Any:
        return each.to(dtype) if isinstance(each, gn.Tensor) and each.is_floating_point() else each

    return tree_map(convert, tree)


def _state_of(module: Any) -> _State:
    state: _State = module._fsdp_state
    return state


def _sharded_class(cls: type[nn.Module]) -> type[nn.Module]:
    if cls not in _classes:
        _classes[cls] = type(f"FSDP{cls.__name__}", (FSDPModule, cls), {})
    return _classes[cls]


__all__ = ["FSDPModule", "UnshardHandle", "fully_shard"]
