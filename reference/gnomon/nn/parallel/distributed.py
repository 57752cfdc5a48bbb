"""DistributedDataParallel: the same module on all processes, each with its part of a batch.

    model = DistributedDataParallel(model)
    for batch in own_batches:
        loss(model(batch)).backward()       # gradients are the mean of those of all processes
        optimizer.step()                    # so all processes take the same step

All start from rank 0's parameters.  How gradients are combined while backward computes them is in
distributed/reducer.py; this file has the module around it: what happens before and after ``forward``.

Source: torch/nn/parallel/distributed.py.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gnomon as gn

from ... import distributed
from ...autograd.function import Function
from ...autograd.graph_task import current_task
from ...distributed.algorithms.join import Join, Joinable, JoinHook
from ...distributed.buckets import GradBucket
from ...distributed.coalesced import broadcast_coalesced, verify_shapes
from ...distributed.process_group import GroupMember, ProcessGroup, default_group
from ...distributed.reducer import BUCKET_BYTES, FIRST_BUCKET_BYTES, Reducer
from ...futures import Future
from ...profiler import record_function
from ...utils import pytree
from ...values.errors import warn
from ..modules.batchnorm import SyncBatchNorm
from ..modules.module import Module
from ..parameter import Parameter, UninitializedParameter

_MIB = 1 << 20


class DistributedDataParallel(Module, Joinable):
    """Runs ``module``; after backward, each ``grad`` is the mean of those of all processes of a group.

    device_ids, output_device  the one CUDA device that the module is on; inputs are moved there
    broadcast_buffers       deprecated: False synchronizes no buffers, also not at the begin
    init_sync               check that all processes have the same shapes, and give all rank 0's parameters
    process_group, device_mesh  the processes; default: all
    bucket_cap_mb           gradients are sent in buckets of so many MiB (25, the first 1)
    bucket_cap_mb_list      the same, bucket by bucket
    find_unused_parameters  search the graph of each forward for parameters without gradient
    gradient_as_bucket_view  each ``grad`` is a part of a bucket, which saves memory and a copy
    static_graph            all iterations use the same parameters as the first, in the same way; allows
                            several backward passes within one, as of reentrant checkpoints
    forward_sync_buffers    give all rank 0's buffers before each forward (default: True)

    ``dim``, ``check_reduction``, ``skip_all_reduce_unused_params`` and ``batched_grad_copy`` have no effect.
    A parameter without gradient on any process keeps its ``grad``.  A backward that fails leaves every
    ``grad`` as it was, but the next forward raises, as this process may have begun other collectives than the
    others.  ``autograd.grad`` reduces nothing, nor does a second backward of the same forward.

    Raises ValueError without a process group and for devices that do not fit, RuntimeError for a module
    without parameters that require grad, for lazy parameters without shape, and if processes have different
    parameters; in forward, if parameters got no gradient in the iteration before.
    Source: torch.nn.parallel.DistributedDataParallel.
    """

    process_group: ProcessGroup

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[int | gn.device] | None = None,
        output_device: int | gn.device | None = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: Sequence[float] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:
        super().__init__()
        Joinable.__init__(self)
        for name, given in (
            ("delay_all_reduce_named_params", delay_all_reduce_named_params),
            ("param_to_hook_all_reduce", param_to_hook_all_reduce),
            ("mixed_precision", mixed_precision),
        ):
            if given is not None:
                raise NotImplementedError(f"DistributedDataParallel: argument {name!r} is not supported")
        self.process_group = _group_of(process_group, device_mesh)
        if device_mesh is not None:
            self.device_mesh = device_mesh
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        own = [each for name, each in module.named_parameters() if name not in self.parameters_to_ignore]
        _check_parameters(own)
        self._place(own, device_ids, output_device)
        self.dim = dim
        self.module = module
        self.device = own[0].device
        self.device_type = self.device.type
        if check_reduction:
            warn(
                "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. Please "
                "avoid using it.",
                FutureWarning,
            )
        if any(isinstance(each, SyncBatchNorm) for each in module.modules()):
            raise ValueError("SyncBatchNorm layers only work with GPU modules, and not in gnomon yet")
        _warn_of_broadcast_buffers(broadcast_buffers, forward_sync_buffers)
        self.forward_sync_buffers = next(
            (each for each in (forward_sync_buffers, broadcast_buffers) if each is not None), True
        )
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = False
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        self.bucket_cap_mb = bucket_cap_mb
        self.bucket_cap_mb_list = bucket_cap_mb_list
        self._divide_by_initial_world_size = True
        self._has_rebuilt_buckets = False
        self._find_buffers()
        self._is_graph_learned = False  # of a static graph, in its first iteration
        if init_sync:
            with_buffers = forward_sync_buffers is not None or broadcast_buffers is not False
            named = self._reduced_parameters()
            verify_shapes(self.process_group, list(named.values()), list(named))
            self._sync_module_states(0, with_buffers)
        self._make_reducer(static_graph)
        if static_graph:
            self._set_static_graph()

    def _place(
        self, parameters: Sequence[Parameter], device_ids: Sequence[Any] | None, output_device: Any
    ) -> None:
        """Check ``device_ids`` and ``output_device``, and keep them."""
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError("device_ids can only be None or contain a single element.")
        devices = {each.device for each in parameters}
        types = {each.type for each in devices}
        if len(types) != 1:
            raise ValueError(
                "DistributedDataParallel's input module must be on the same type of devices, but input "
                f"module parameters locate in {types}."
            )
        self.is_multi_device_module = len(devices) > 1
        self.device_ids: list[Any] | None = None
        self.output_device = None
        if not device_ids or types != {"cuda"} or len(devices) > 1:
            if device_ids or output_device:
                raise ValueError(
                    "DistributedDataParallel device_ids and output_device arguments only work with "
                    "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
                    f"{device_ids}, output_device {output_device}, and module parameters {devices}."
                )
            return
        self.device_ids = [_index_of(each) for each in device_ids]
        self.output_device = _index_of(device_ids[0] if output_device is None else output_device)

    def _reduced_parameters(self) -> dict[str, Parameter]:
        """The parameters whose gradients are reduced, by name.  One that is shared counts once."""
        return {
            name: each
            for name, each in self.module.named_parameters()
            if each.requires_grad and name not in self.parameters_to_ignore
        }

    def _make_reducer(self, static_graph: bool) -> None:
        named = self._reduced_parameters()
        if self.bucket_cap_mb_list:
            limits = later = tuple(int(each * _MIB) for each in self.bucket_cap_mb_list)
        else:
            is_default = self.bucket_cap_mb is None
            cap = BUCKET_BYTES if self.bucket_cap_mb is None else int(self.bucket_cap_mb * _MIB)
            later = (FIRST_BUCKET_BYTES if is_default else cap, cap)
            # In the first iteration the order of gradients is not known.  Processes might use parameters in
            # different orders, so all wait for the end, unless buckets will never be built again.
            is_for_good = self.find_unused_parameters and not static_graph
            limits = later if is_for_good else (math.inf,)  # type: ignore[assignment]
        self.reducer = Reducer(
            list(named.values()),
            list(named),
            self.process_group,
            limits,
            later,
            self.find_unused_parameters,
            self.gradient_as_bucket_view,
        )

    @property
    def broadcast_buffers(self) -> bool:
        """The old name of ``forward_sync_buffers``."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value: bool) -> None:
        self.forward_sync_buffers = value

    # -- forward ---------------------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The output of ``module``.

        Raises RuntimeError if parameters got no gradient in the iteration before.
        """
        with record_function("DistributedDataParallel.forward"):
            inputs, kwargs = self._pre_forward(*inputs, **kwargs)
            return self._post_forward(self.module(*inputs, **kwargs))

    def _pre_forward(self, *inputs: Any, **kwargs: Any) -> tuple[Any, Any]:
        if gn.is_grad_enabled() and self.require_backward_grad_sync:
            self.reducer.iterations += 1
        joining = Join.notify_join_context(self)
        if gn.is_grad_enabled() and self.reducer.rebuild_buckets():
            self._has_rebuilt_buckets = True
        if self.will_sync_module_buffers():
            self._sync_buffers()
        if self._join_config.enable:
            self._tell_whether_to_sync(self.require_backward_grad_sync)
        self.reducer.divisor = self.process_group.size()
        if joining is not None:
            joining.wait()
            if not self._divide_by_initial_world_size:
                self.reducer.divisor = int(joining.result()[0].item())
        if self.device_ids:
            device = gn.device(self.device_type, self.device_ids[0])
            inputs, kwargs = pytree.tree_map(
                lambda each: each.to(device) if isinstance(each, gn.Tensor) else each, (inputs, kwargs)
            )
        return inputs, kwargs

    def _post_forward(self, output: Any) -> Any:
        searches = self.find_unused_parameters and not self.static_graph
        self.require_forward_param_sync = gn.is_grad_enabled() and self.require_backward_grad_sync
        if self.require_forward_param_sync:
            self.reducer.prepare_for_backward(list(_find_tensors(output)) if searches else [])
        if not searches and not (self.static_graph and not self._is_graph_learned):
            return output
        # Backward passes by the sink from any output to all: outputs that the loss does not use, too
        leaves, structure = pytree.flatten(output)
        has_graph = [isinstance(each, gn.Tensor) and each.grad_fn is not None for each in leaves]
        passed = _Sink.apply(weakref.ref(self), *leaves)
        kept = [after if has else before for before, after, has in zip(leaves, passed, has_graph)]
        return pytree.unflatten(kept, structure)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, backward reduces nothing: gradients add up until the next backward outside.

        The forward must be inside, too.
        """
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    # -- parameters and buffers ------------------------------------------------------------------------------

    def _find_buffers(self) -> list[gn.Tensor]:
        """Those that are synchronized; to be found each time, as a module may replace them."""
        self.modules_buffers = [
            each for name, each in self.module.named_buffers() if name not in self.parameters_to_ignore
        ]
        return self.modules_buffers

    def will_sync_module_buffers(self) -> bool:
        """Does the next forward give all processes the same buffers?"""
        return self.require_forward_param_sync and self.forward_sync_buffers and len(self.modules_buffers) > 0

    def _sync_buffers(self) -> None:
        # rank 0 may have no inputs left, and old buffers
        source = self._common_rank(True) if self._join_config.enable else 0
        broadcast_coalesced(self.process_group, self._find_buffers(), source)

    def _sync_module_states(self, source: int, with_buffers: bool) -> None:
        """Give all processes the parameters of one rank."""
        named: dict[str, gn.Tensor] = dict(self.module.named_parameters())
        if with_buffers:
            named.update(self.module.named_buffers())
        tensors = [each for name, each in named.items() if name not in self.parameters_to_ignore]
        broadcast_coalesced(self.process_group, tensors, source)

    def _common_rank(self, is_candidate: bool) -> int:
        """The highest rank that is a candidate."""
        rank = gn.tensor([self.process_group.rank() if is_candidate else -1], device=self.device)
        distributed.all_reduce(rank, op=distributed.ReduceOp.MAX, group=self.process_group)
        return int(rank.item())

    # -- communication hooks ---------------------------------------------------------------------------------

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """Have ``hook(state, bucket)`` combine each bucket (a GradBucket) in place of the mean.

        It returns a Future of the result, a tensor like ``bucket.buffer()``, whose gradients have not been
        divided by the number of processes.  Raises RuntimeError for a second hook, TypeError for what cannot
        be called, ValueError for other annotations than GradBucket and Future[Tensor].
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        signature = inspect.signature(hook)
        if not _is_annotated(signature.parameters["bucket"].annotation, GradBucket, "GradBucket"):
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        if not _is_annotated(signature.return_annotation, Future[gn.Tensor], "Tensor]"):
            raise ValueError(
                "Communication hook: return annotation should be gnomon.futures.Future[gnomon.Tensor]."
            )
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook = lambda bucket: hook(state, bucket)

    # -- uneven inputs ---------------------------------------------------------------------------------------

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:
        """A context in which processes may have different numbers of inputs.

        One that has none left takes part with zeros; in the end all get the module of one of the last.
        ``divide_by_initial_world_size``: whether gradients are still divided by the number of all processes,
        or of those that have inputs.  ``throw_on_early_termination``: all raise RuntimeError instead.
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a process without inputs does.  Takes ``divide_by_initial_world_size``."""
        return _DDPJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> gn.device:
        """The device of the module."""
        return self.device

    @property
    def join_process_group(self) -> ProcessGroup:
        """The group."""
        return self.process_group

    def _tell_whether_to_sync(self, own: bool) -> bool:
        """Will the others' backward reduce?  They tell those that have no inputs."""
        number = gn.tensor([float(own)], device=self.device)
        distributed.all_reduce(number, group=self.process_group)
        return bool(number.item())

    # -- the rest --------------------------------------------------------------------------------------------

    def _set_static_graph(self) -> None:
        if self.static_graph:
            warn("You've set static_graph to be True, no need to set it again.")
            return
        self.reducer.set_static_graph()
        self.static_graph = True
        if self.find_unused_parameters:
            warn(
                "You passed find_unused_parameters=true to DistributedDataParallel, `_set_static_graph` will "
                "detect unused parameters automatically, so you do not need to set "
                "find_unused_parameters=true, just be sure these unused parameters will not change during "
                "training loop while calling `_set_static_graph`."
            )

    def _check_reducer_finalized(self) -> None:
        """Raise RuntimeError unless the last backward reduced all gradients."""
        self.reducer.check_finalized()

    def _remove_autograd_hooks(self) -> None:
        """Reduce nothing any more."""
        self.reducer.remove_hooks()

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module: Any, params_and_buffers_to_ignore: Any) -> None:
        """Neither synchronize nor reduce those with these names in ``module``, which is wrapped later."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    def __getstate__(self) -> dict[str, Any]:
        if not distributed.is_initialized() or self.process_group is not default_group():
            raise RuntimeError(
                "DDP Pickling/Unpickling are only supported when using DDP with the default process group. "
                "That is, when you have called init_process_group and have not passed process_group argument "
                "to DDP constructor"
            )
        state = copy.copy(self.__dict__)
        del state["process_group"], state["reducer"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = default_group()
        super().__setstate__(state)
        self._is_graph_learned = False
        self._make_reducer(self.static_graph)
        if self.static_graph:
            self.reducer.set_static_graph()


class _Sink(Function):
    """The identity, behind the outputs of a module whose unused parameters are to be found.

    Each backward passes it whichever outputs the loss uses; the others get None.
    """

    @staticmethod
    def forward(ctx: Any, owner: Any, *outputs: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.owner = owner
        return tuple(each.clone() if isinstance(each, gn.Tensor) else each for each in outputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        owner, task = ctx.owner(), current_task.get()
        if owner is not None and task is not None and owner.static_graph and not owner._is_graph_learned:
            owner._is_graph_learned = True
            task.final_callbacks.append(owner.reducer.reduce_all)
        return (None, *gradients)


class _DDPJoinHook(JoinHook):
    """Answers the collectives of a DistributedDataParallel, without inputs."""

    def __init__(self, model: DistributedDataParallel, divide_by_initial_world_size: bool) -> None:
        self.model = model
        model._divide_by_initial_world_size = divide_by_initial_world_size

    def main_hook(self) -> None:
        """The collectives of forward and backward."""
        model, reducer = self.model, self.model.reducer
        reducer.rebuild_buckets()
        if model.will_sync_module_buffers():
            source = model._common_rank(False)
            broadcast_coalesced(model.process_group, model._find_buffers(), source)
        model.require_forward_param_sync = model._tell_whether_to_sync(False)
        if not model.require_forward_param_sync:
            return
        zeros = reducer.zeros_of_buckets()
        works: list[Any] = [reducer.reduce(number, each) for number, each in enumerate(zeros)]
        is_first = model.static_graph and not model._is_graph_learned
        if is_first or (model.find_unused_parameters and not model.static_graph):
            used = reducer.used_map()
            works.append(distributed.all_reduce(used, group=model.process_group, async_op=True))
        for each in works:
            each.wait()
        model._is_graph_learned = True
        if not is_first:
            reducer.push_all()

    def post_hook(self, is_last_joiner: bool) -> None:
        """The module of one of the last with inputs, for all."""
        model = self.model
        source = model._common_rank(is_last_joiner)
        model._sync_module_states(source, model.forward_sync_buffers)


def _group_of(process_group: Any, device_mesh: Any) -> ProcessGroup:
    if process_group is not None and device_mesh is not None:
        raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
    if device_mesh is not None:
        if device_mesh.ndim != 1:
            raise RuntimeError(f"Only 1D device mesh is supported, but got {device_mesh}.")
        found: ProcessGroup = device_mesh.get_group(mesh_dim=0)
        return found
    if process_group is GroupMember.NON_GROUP_MEMBER:
        raise ValueError("Invalid process group specified")
    return default_group() if process_group is None else process_group


def _check_parameters(parameters: Sequence[Parameter]) -> None:
    if not any(each.requires_grad for each in parameters):
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
            "gradient."
        )
    if any(isinstance(each, UninitializedParameter) for each in parameters):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy "
            "forward pass to correctly initialize the modules"
        )


def _warn_of_broadcast_buffers(broadcast_buffers: bool | None, forward_sync_buffers: bool | None) -> None:
    if broadcast_buffers is None:
        return
    if forward_sync_buffers is None:
        warn(
            "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. IMPORTANT: unlike "
            "`broadcast_buffers=False`, `forward_sync_buffers=False` still syncs buffers at init. If you "
            "rely on buffers NOT being synced at init (e.g. rank-local buffers), keep using "
            "`broadcast_buffers=False` until `init_sync_buffers` is available.",
            FutureWarning,
        )
    else:
        warn(
            "Both `broadcast_buffers` and `forward_sync_buffers` were specified. `broadcast_buffers` is "
            "deprecated and its value is ignored when `forward_sync_buffers` is provided.",
            FutureWarning,
        )


def _index_of(device: Any) -> int:
    return device if isinstance(device, int) else gn.device(device).index or 0


def _is_annotated(found: Any, wanted: Any, end: str) -> bool:
    """Is an annotation as wanted, or missing?  A module may keep its annotations as strings."""
    return found in (inspect.Parameter.empty, wanted) or (isinstance(found, str) and found.endswith(end))


def _find_tensors(output: Any) -> Iterator[gn.Tensor]:
    """All tensors in lists, tuples, dictionaries and dataclasses."""
    if isinstance(output, gn.Tensor):
        yield output
    elif isinstance(output, (list, tuple)):
        for each in output:
            yield from _find_tensors(each)
    elif isinstance(output, dict):
        yield from _find_tensors(list(output.values()))
    elif dataclasses.is_dataclass(output):
        yield from _find_tensors([getattr(output, each.name) for each in dataclasses.fields(output)])


__all__ = ["DistributedDataParallel"]
