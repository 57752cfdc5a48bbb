"""The reducer: takes gradients as backward computes them, and gives back their mean over all processes.

Backward computes the gradients of the last layers first.  Each is copied into a bucket (buckets.py), and as
soon as a bucket is full, and all before it have been sent, an all-reduce of it begins, which runs while
backward goes on::

    backward     layer 4   layer 3   layer 2   layer 1
    buckets              [4 is full]         [3, 2 full]  [1 full]
    all-reduce               4 4 4 4             3 2 3 2 3 2  1 1 1    <- backward's end waits for the rest

All processes must reduce the same buckets in the same order.  In the first iteration there is one bucket for
each dtype; then buckets follow the order in which gradients came on rank 0.

Gradients are the engine's business until the whole graph has run (autograd/engine.py): the reducer waits in a
final callback of the backward pass, and tells the engine which tensors become ``grad`` in place of the sums.
So a backward that fails, on this process or another, leaves every ``grad`` as it was.

Source: torch/csrc/distributed/c10d/reducer.cpp.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gnomon as gn

from ..autograd.graph_task import GraphTask, count_dependencies, current_task
from ..autograd.node import accumulator_edge, gradient_edge, own_gradient
from ..futures import Future
from ..memory.tensor import Tensor
from ..values.errors import warn
from .buckets import Bucket, GradBucket, assign
from .collectives import all_reduce, broadcast
from .process_group import ProcessGroup
from .work import Work

FIRST_BUCKET_BYTES = 1 << 20  # small, so that communication begins early.  Source: kDefaultFirstBucketBytes
BUCKET_BYTES = 25 << 20

_BEGIN = "Expected to have finished reduction in the prior iteration before starting a new one. "
_UNUSED = "This error indicates that your module has parameters that were not used in producing loss. "
_ENABLE = (
    "You can enable unused parameter detection by passing the keyword argument `find_unused_parameters=True` "
    "to `gnomon.nn.parallel.DistributedDataParallel`, and by \n"
)
_ENABLED = (
    "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs "
    "participate in computing loss. You can fix this by "
)
_OUTPUTS = "making sure all `forward` function outputs participate in calculating loss. "
_STATIC = "this is not compatible with static_graph set to True."
_STATIC_UNUSED = (
    "This error indicates that your training graph has changed in this iteration, e.g., one parameter is "
    f"used in first iteration, but then got unused in the second iteration. {_STATIC}"
)
_STATIC_USED = (
    "Your training graph has changed in this iteration, e.g., one parameter is unused in first iteration, "
    f"but then got used in the second iteration. {_STATIC}"
)
_TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following reasons: "
    "1) Use of a module parameter outside the `forward` function. "
    "2) Reused parameters in multiple reentrant backward passes, as of several `checkpoint` functions around "
    "the same part of the model; `static_graph=True` allows both, if the graph is always the same. "
    "3) A parameter that was not found in the graph of the outputs of `forward` with "
    "`find_unused_parameters=True`, but got a gradient.\n"
)


class Reducer:
    """Reduces the gradients of ``parameters`` over the processes of a group.

    ``limits`` are the sizes of the buckets of the first iteration, in bytes, and ``later_limits`` those of
    the others.  ``names`` are those of the parameters, for errors.
    Source: torch/csrc/distributed/c10d/reducer.hpp.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        names: Sequence[str],
        group: ProcessGroup,
        limits: Sequence[float],
        later_limits: Sequence[float] = (FIRST_BUCKET_BYTES, BUCKET_BYTES),
        find_unused_parameters: bool = False,
        gradient_as_bucket_view: bool = False,
    ) -> None:
        self.parameters = list(parameters)
        self.names = list(names)
        self.group = group
        self.later_limits = later_limits
        self.find_unused_parameters = find_unused_parameters
        self._searches = find_unused_parameters  # each iteration, for unused parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = False
        self.hook: Callable[[GradBucket], Future[Tensor]] | None = None
        self.iterations = 0
        self.divisor = group.size()  # the number of processes that take part in an iteration
        # of an iteration
        self._expects_gradients = False
        self._must_finish = False
        self._ready: set[int] = set()
        self._next = 0  # the first bucket that has not been sent
        self._under_way: deque[Work | Future[Any]] = deque()
        self._tasks: set[int] = set()  # the backward passes that brought gradients
        self._unused: list[int] = []
        self._has_marked_unused = False
        self._used = [0] * len(self.parameters)
        self._used_everywhere: tuple[Tensor, Work] | None = None
        # of a static graph: how often each gradient comes, what is left of it, and what came
        self._times = [0] * len(self.parameters)
        self._times_left: list[int] = []
        self._arrived: dict[int, list[tuple[GraphTask, Tensor]]] = {}
        # until the buckets are built again
        self.has_rebuilt = False
        self._order: list[int] = []
        indices = assign(self.parameters, range(len(self.parameters)), limits, is_sorted=True)
        self._build(indices[::-1])
        own = weakref.ref(self)  # the hooks belong to the parameters, which belong to this
        self._handles = [
            accumulator_edge(each)[0].register_prehook(_hook(own, index))
            for index, each in enumerate(self.parameters)
        ]
        weakref.finalize(self, _remove, self._handles)

    # -- buckets ---------------------------------------------------------------------------------------------

    def _build(self, indices: Sequence[Sequence[int]]) -> None:
        self.buckets = [Bucket(self.parameters, each) for each in indices]
        self._places = {
            index: (bucket, place) for bucket in self.buckets for place, index in enumerate(bucket.indices)
        }

    def rebuild_buckets(self) -> bool:
        """Before a forward: check that the iteration before is complete, and build the buckets again after
        the first.  Returns whether it did.

        Raises RuntimeError if parameters got no gradient in the iteration before.
        """
        self._check_finished()
        if not self._should_rebuild() or not self._order:
            return False
        indices = assign(self.parameters, self._order, self.later_limits)
        # the number of the bucket, and the order within it, as on rank 0
        flat = [(number, index) for number, each in enumerate(indices) for index in each]
        agreed = gn.tensor(flat, dtype=gn.int64, device=self.parameters[0].device)
        broadcast(agreed, group=self.group, group_src=0)
        found: dict[int, list[int]] = {}
        for number, index in agreed.tolist():
            found.setdefault(number, []).append(index)
        self._build(list(found.values()))
        self.has_rebuilt = True
        self._order.clear()
        return True

    def _should_rebuild(self) -> bool:
        return (self.static_graph or not self.find_unused_parameters) and not self.has_rebuilt

    def push_all(self) -> None:
        """Of a process without inputs: note some order of gradients; that of rank 0 will count."""
        if not self.has_rebuilt:
            self._order = list(range(len(self.parameters)))

    # -- an iteration ----------------------------------------------------------------------------------------

    def prepare_for_backward(self, outputs: Sequence[Tensor]) -> None:
        """After a forward: expect gradients.  ``outputs`` are searched for unused parameters, if asked
        for.
        """
        self._expects_gradients = True
        self._next = 0
        for bucket in self.buckets:
            bucket.pending = len(bucket.indices)
        self._ready.clear()
        self._tasks.clear()
        self._under_way.clear()
        self._has_marked_unused = False
        self._order.clear()
        if self.static_graph:
            self._times_left = list(self._times)
            self._arrived.clear()
        if self._searches:
            self._unused = self._search_unused(outputs)

    @property
    def _is_static_first(self) -> bool:
        """Is this the iteration that learns a static graph?"""
        return self.static_graph and self.iterations == 1

    def _search_unused(self, outputs: Sequence[Tensor]) -> list[int]:
        edges = [gradient_edge(each) for each in outputs if each.grad_fn is not None]
        reached = count_dependencies([each for each in edges if each is not None])
        unused = [
            index for index, each in enumerate(self.parameters) if accumulator_edge(each)[0] not in reached
        ]
        if not unused:
            warn(
                "find_unused_parameters=True was specified in DDP constructor, but did not find any unused "
                "parameters in the forward pass. This flag results in an extra traversal of the autograd "
                "graph every iteration,  which can adversely affect performance. If your model indeed never "
                "has any unused parameters in the forward pass, consider turning this flag off. Note that "
                "this warning may be a false positive if your model has flow control causing later "
                "iterations to have unused parameters.",
                once=True,
            )
        return unused

    def gradient_came(self, index: int, gradient: Tensor | None) -> tuple[Tensor] | None:
        """The hook of a parameter: all of its gradient in one backward pass is there (None: no gradient).

        Returns what the engine keeps in place of the gradient, if that shall be the bucket's view.
        """
        task = current_task.get()
        assert task is not None, "hooks run inside backward only"
        if self._searches or self._is_static_first:
            # also without reduction: used once under no_sync is used
            if gradient is not None or self.parameters[index].grad is not None:
                self._used[index] = 1
        if not self._expects_gradients:
            return None
        self._tasks.add(task.id)
        if gradient is not None and gradient.requires_grad:  # with create_graph; the mean has no graph
            gradient = gradient.detach()
        if self.static_graph:
            return self._static_gradient_came(task, index, gradient)
        self._mark_unused()
        return self._mark_ready(index, gradient)

    def _mark_unused(self) -> None:
        """With the first gradient of an iteration: the parameters that get none are ready."""
        if not self._has_marked_unused:
            self._has_marked_unused = True
            for each in self._unused:
                self._mark_ready(each, None)

    def _static_gradient_came(
        self, task: GraphTask, index: int, gradient: Tensor | None
    ) -> tuple[Tensor] | None:
        """The same for a static graph, in which several backward passes may bring parts of a gradient."""
        if gradient is not None:
            self._arrived.setdefault(index, []).append((task, gradient))
        if self._is_static_first:
            self._times[index] += 1
            self._must_finish = True
            return None
        if self._times_left[index] == 0:
            raise RuntimeError(_STATIC_USED)
        self._times_left[index] -= 1
        self._mark_unused()
        return self._mark_ready(index, self._part_of(index)) if self._times_left[index] == 0 else None

    def _part_of(self, index: int) -> Tensor | None:
        """The gradient that came from backward passes which are not over: it is not in ``grad`` yet."""
        active = {task.id for task in _active()}
        parts = [part for task, part in self._arrived.get(index, ()) if task.id in active]
        return sum(parts[1:], parts[0]) if parts else None

    def _mark_ready(self, index: int, gradient: Tensor | None) -> tuple[Tensor] | None:
        if index in self._ready:
            raise RuntimeError(
                f"{_TWICE}Parameter at index {index} with name {self.names[index]} has been marked as ready "
                "twice. This means that multiple autograd engine  hooks have fired for this particular "
                "parameter during this iteration."
            )
        self._ready.add(index)
        self._must_finish = True
        if not self.has_rebuilt:
            self._order.append(index)
        bucket, place = self._places[index]
        # divided before it is summed, which in few bits must not overflow; a hook does it itself
        view = bucket.fill(place, gradient, self.divisor if self.hook is None else 1)
        bucket.pending -= 1
        if bucket.pending == 0:
            self._send_full()
        elif self._under_way and _is_over(self._under_way[0]):  # asking lets MPI make progress
            self._under_way.popleft()
        if self._next == len(self.buckets):
            self._send_used()
            outermost = [task for task in _active() if task.id in self._tasks][-1]
            outermost.final_callbacks.append(self._finish)
        return (view,) if self.gradient_as_bucket_view and gradient is not None else None

    def _send_full(self) -> None:
        """Begin the reduction of all buckets that are full and whose predecessors have been sent."""
        while self._next < len(self.buckets) and self.buckets[self._next].pending == 0:
            bucket = self.buckets[self._next]
            bucket.under_way = self.reduce(self._next, bucket.buffer)
            self._under_way.append(bucket.under_way)
            self._next += 1

    def reduce(self, number: int, buffer: Tensor) -> Work | Future[Any]:
        """Begin the reduction of a bucket's tensor."""
        if self.hook is None:
            return all_reduce(buffer, group=self.group, async_op=True)  # type: ignore[return-value]
        is_last = number == len(self.buckets) - 1
        future = self.hook(GradBucket(number, buffer, self.buckets[number].parameters, is_last))
        if not isinstance(future, Future):
            raise RuntimeError(
                "DDP communication hook's callback must return a gnomon.futures.Future object, but got "
                f"{type(future).__module__}.{type(future).__qualname__}"
            )
        return future

    def zeros_of_buckets(self) -> list[Tensor]:
        """What a process without inputs sends for each bucket."""
        return [gn.zeros_like(each.buffer) for each in self.buckets]

    def used_map(self) -> Tensor:
        """Which parameters this process has used: 1 or 0."""
        return gn.tensor(self._used, dtype=gn.int32, device=self.parameters[0].device)

    def _send_used(self) -> None:
        if self._searches or self._is_static_first:
            used = self.used_map()
            work = all_reduce(used, group=self.group, async_op=True)
            self._used_everywhere = used, work  # type: ignore[assignment]

    # -- the end ---------------------------------------------------------------------------------------------

    def reduce_all(self) -> None:
        """At the end of the first iteration of a static graph: take all gradients, and finish."""
        with gn.no_grad():
            self._unused = [index for index, times in enumerate(self._times) if times == 0]
            self._tasks.update(task.id for task in _active())
            for index in range(len(self.parameters)):
                self._mark_ready(index, self._part_of(index))
            self._order.clear()  # that of the second iteration counts

    def _finish(self) -> None:
        """After the graph has run: wait for all buckets, and say which tensors become ``grad``."""
        self._expects_gradients = self._must_finish = False
        task = current_task.get()
        assert task is not None, "final callbacks run inside backward only"
        with gn.no_grad():
            for bucket in self.buckets:
                self._wait_for(bucket)
            if self._used_everywhere is not None:
                used, work = self._used_everywhere
                work.wait()
                self._used, self._used_everywhere = used.tolist(), None
            knows_unused = self.find_unused_parameters or self.static_graph
            for bucket in self.buckets:
                for index, each, view in zip(bucket.indices, bucket.parameters, bucket.views):
                    if not knows_unused or self._used[index]:
                        task.totals[accumulator_edge(each)[0]] = self._total(each, view)
            if self._searches:
                self._used = [0] * len(self.parameters)
        self._arrived.clear()
        self._under_way.clear()

    def _wait_for(self, bucket: Bucket) -> None:
        assert bucket.under_way is not None
        if isinstance(bucket.under_way, Work):
            bucket.under_way.wait()
        else:
            result = bucket.under_way.wait()
            if result is not bucket.buffer:
                bucket.buffer.copy_(result.view(bucket.buffer.shape))
        bucket.under_way = None

    def _total(self, parameter: Tensor, view: Tensor) -> tuple[Tensor, Tensor | None]:
        """The tensor that becomes ``grad``, and what is copied into it then."""
        if self.gradient_as_bucket_view:
            return view, None
        present = parameter.grad
        if present is None or present.requires_grad or present.dtype is not view.dtype:
            return own_gradient(view, parameter), None
        return present, view

    def _check_finished(self) -> None:
        if not self._must_finish:
            return
        if self.static_graph:
            raise RuntimeError(_BEGIN + _STATIC_UNUSED + self._unmarked())
        advice = _ENABLED if self.find_unused_parameters else _ENABLE
        raise RuntimeError(
            f"{_BEGIN}{_UNUSED}{advice}{_OUTPUTS}\nIf you already have done the above, then the distributed "
            "data parallel module wasn't able to locate the output tensors in the return value of your "
            "module's `forward` function. Please include the loss function and the structure of the return "
            f"value of `forward` of your module when reporting this issue (e.g. list, dict, iterable)."
            f"{self._unmarked()}"
        )

    def check_finalized(self) -> None:
        """Raise RuntimeError unless the last backward reduced all gradients."""
        self._check_finished()

    def _unmarked(self) -> str:
        missing = [index for index in range(len(self.parameters)) if index not in self._ready]
        if not missing:
            return "\nAll parameters received grad, but then backward raised an error"
        rank = self.group.rank()
        return (
            f"\nParameters which did not receive grad for rank {rank}: "
            + ", ".join(self.names[index] for index in missing)
            + f"\nParameter indices which did not receive grad for rank {rank}: "
            + " ".join(map(str, missing))
        )

    def set_static_graph(self) -> None:
        """The graph of the first iteration is that of all others.  Raises RuntimeError after the first."""
        if self.iterations:
            raise RuntimeError(
                "set_static_graph() should be called before training loop starts and after "
                "DistributedDataParallel is constructed."
            )
        self.static_graph, self._searches = True, False

    def remove_hooks(self) -> None:
        """Gradients are not taken any more."""
        _remove(self._handles)


def _hook(own: weakref.ref[Reducer], index: int) -> Callable[..., Any]:
    def hook(gradients: tuple[Tensor | None]) -> Any:
        reducer = own()
        return None if reducer is None else reducer.gradient_came(index, gradients[0])

    return hook


def _remove(handles: Sequence[Any]) -> None:
    for each in handles:
        each.remove()


def _active() -> Iterator[GraphTask]:
    """The backward passes that run now, the innermost first."""
    task = current_task.get()
    while task is not None:
        yield task
        task = task.outer


def _is_over(reduction: Work | Future[Any]) -> bool:
    return reduction.is_completed() if isinstance(reduction, Work) else reduction.done()


__all__ = ["BUCKET_BYTES", "FIRST_BUCKET_BYTES", "Reducer"]
