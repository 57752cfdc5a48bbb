"""Workers: one thread per device, for a graph that spans several devices.

The thread that called ``backward`` does the bookkeeping (dependencies, buffers, the ready queue) and passes
each ready Node to the worker of its device; so the devices compute in parallel, and only two queues are
shared.  In PyTorch device threads live as long as the process and share the state under locks; here they live
as long as one backward pass, so that a nested one can't wait for itself.

Source: torch/csrc/autograd/engine.cpp (Engine::thread_main, device threads).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from queue import PriorityQueue, SimpleQueue
from typing import Any

from ..values.device import device
from .node import AccumulateGrad, Node


class Workers:
    """The workers of one backward pass.  ``running``: the number of Nodes not returned yet."""

    def __init__(self, devices: Iterable[device], evaluate: Callable[..., Any]):
        self.running = 0
        self._evaluate = evaluate
        self._finished: SimpleQueue[tuple[Node | None, Any, Any]] = SimpleQueue()
        self._queues: dict[device, PriorityQueue[Any]] = {each: PriorityQueue() for each in devices}
        self._threads = []
        for each, queue in self._queues.items():
            thread = threading.Thread(
                target=copy_context().run,  # with the caller's context
                args=(self._work, queue),
                name=f"gnomon backward on {each}",
                daemon=True,
            )
            self._threads.append(thread)
            thread.start()

    @classmethod
    def for_graph(cls, nodes: Iterable[Node], evaluate: Callable[..., Any]) -> Workers | None:
        """Create workers for the devices of ``nodes``; None if there is only one device."""
        devices = {device_of(node) for node in nodes if node.__class__ is not AccumulateGrad}
        return cls(devices, evaluate) if len(devices) > 1 else None

    def submit(self, node: Node, gradients: Sequence[Any]) -> None:
        """Pass ``node`` to the worker of its device, which runs the last recorded Node first."""
        self.running += 1
        self._queues[device_of(node)].put((-node.sequence_nr, self.running, node, gradients))

    def wait(self) -> tuple[Node, Any, Any]:
        """Wait for a Node: returns (node, its gradients, its results), or raises what it raised."""
        node, gradients, results = self._finished.get()
        self.running -= 1
        if node is None:
            raise results
        return node, gradients, () if results is None else results

    def stop(self) -> None:
        """Stop the workers after their current Nodes; waiting ones are dropped."""
        for queue in self._queues.values():
            queue.put((float("-inf"), 0, None, None))
        for thread in self._threads:
            thread.join()

    def _work(self, queue: PriorityQueue[Any]) -> None:
        while True:
            _, _, node, gradients = queue.get()
            if node is None:
                return
            try:
                self._finished.put((node, *self._evaluate(node, gradients)))
            except BaseException as error:
                self._finished.put((None, None, error))


def device_of(node: Node) -> device:
    """The device of the first output of the recorded operator.  Source: Node::device."""
    return next(spec for spec in node.metadata_specs if spec is not None).device
