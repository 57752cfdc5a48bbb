"""Workers: one thread a device, for a graph that spans several.

The thread that called ``backward`` keeps the books (dependencies, buffers, the ready queue) and hands each
Node that is ready to the worker of the Node's device; so the devices compute side by side, and nothing but
two queues is shared.  In PyTorch the device threads live as long as the process and share the books under
locks; here they live as long as the backward, so that one that is re-entered can't wait for itself.

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
    """The workers of one backward.  ``running``: how many Nodes they have not returned yet."""

    def __init__(self, devices: Iterable[device], evaluate: Callable[..., Any]):
        self.running = 0
        self._evaluate = evaluate
        self._finished: SimpleQueue[tuple[Node | None, Any, Any]] = SimpleQueue()
        self._queues: dict[device, PriorityQueue[Any]] = {each: PriorityQueue() for each in devices}
        self._threads = []
        for each, queue in self._queues.items():
            thread = threading.Thread(
                target=copy_context().run,  # in the caller's modes
                args=(self._work, queue),
                name=f"gnomon backward on {each}",
                daemon=True,
            )
            self._threads.append(thread)
            thread.start()

    @classmethod
    def for_graph(cls, nodes: Iterable[Node], evaluate: Callable[..., Any]) -> Workers | None:
        """Workers for the devices of ``nodes``; None where one thread will do."""
        devices = {device_of(node) for node in nodes if node.__class__ is not AccumulateGrad}
        return cls(devices, evaluate) if len(devices) > 1 else None

    def submit(self, node: Node, gradients: Sequence[Any]) -> None:
        """Hand ``node`` to the worker of its device; of several that wait there, the one recorded last runs
        first.
        """
        self.running += 1
        self._queues[device_of(node)].put((-node.sequence_nr, self.running, node, gradients))

    def wait(self) -> tuple[Node, Any, Any]:
        """The next Node that has run: (node, its gradients, what it returned).  Raises what it raised."""
        node, gradients, results = self._finished.get()
        self.running -= 1
        if node is None:
            raise results
        return node, gradients, () if results is None else results

    def stop(self) -> None:
        """Let the workers end, after what they are at; what waits is dropped."""
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
