"""Interrupts itself at random times while it works, and reports the effects (test_interrupts.py).

python tests/speedups/interrupted_program.py WORK TIMES
"""

from __future__ import annotations

import collections
import json
import random
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import gnomon as gn
from gnomon.autograd.forward_grad import current_level
from gnomon.dispatch.mode import mode_word
from gnomon.dispatch.python_dispatch import DispatchMode
from gnomon.dispatch.record_function import RecordFunctionCallback, callbacks, observing, remove_callback
from gnomon.func.batching import current_levels
from gnomon.values.device import _scoped_devices, scoped_device

functional = gn.nn.functional
gn.manual_seed(0)
model = gn.nn.Sequential(
    gn.nn.Linear(8, 16),
    gn.nn.Tanh(),
    gn.nn.LayerNorm(16),
    gn.nn.Linear(16, 16),
    gn.nn.GELU(),
    gn.nn.Linear(16, 4),
)
inputs = gn.randn(5, 8)
classes = gn.randint(0, 4, (5,))
optimizer = gn.optim.SGD(model.parameters(), lr=0.0, momentum=0.9)


def step() -> Any:
    """A training step that changes nothing (its learning rate is 0)."""
    optimizer.zero_grad()
    found = model(inputs)
    loss = functional.cross_entropy(found, classes)
    with gn.no_grad():
        largest = found.abs().max().item()
    loss.backward()
    optimizer.step()
    return largest, loss.item(), [each.grad.sum().item() for each in model.parameters()]


def transforms() -> Any:
    """Gradients of each example, and a Jacobian in forward mode."""
    of_each = gn.func.vmap(gn.func.grad(lambda row: (row.sin() * row).sum()))(inputs)
    return of_each.sum().item(), gn.func.jacfwd(lambda row: row.exp())(inputs[0]).sum().item()


def views() -> Any:
    """Writes through views, and a second derivative."""
    whole = gn.zeros(4, 4)
    part = whole[1:3].t()
    part.add_(1)
    whole[0] = 3.0
    leaf = gn.ones(3, requires_grad=True)
    (gradient,) = gn.autograd.grad((leaf * leaf).sum(), leaf, create_graph=True)
    gradient.sum().backward()
    return gn.stack([whole, whole]).sum(0).tolist(), leaf.grad.tolist()


def blocks() -> Any:
    """All kinds of context managers, some of them nested."""
    leaf = gn.ones(2, requires_grad=True)
    with gn.no_grad(), gn.enable_grad(), DispatchMode():
        twice = leaf * 2
    with observing(RecordFunctionCallback(lambda scope, name, arguments: None)):
        twice = twice + 0
    for _ in range(8):
        with gn.device("meta"):
            pass
    with gn.autograd.graph.saved_tensors_hooks(lambda kept: kept, lambda kept: kept):
        squared = twice * twice
    with gn.inference_mode():
        number = (leaf * 3).sum().item()
    with gn.autograd.forward_ad.dual_level():
        dual = gn.autograd.forward_ad.make_dual(gn.ones(2), gn.ones(2))
        tangent = gn.autograd.forward_ad.unpack_dual(dual.exp()).tangent.sum().item()
    squared.sum().backward()
    return number, tangent, leaf.grad.tolist()


def state() -> dict[str, Any]:
    """The state of the thread, and the callbacks."""
    return {
        "mode word": mode_word(),
        "device": scoped_device(),
        "dual level": current_level() is not None,
        "vmaps": len(current_levels()),
        "callbacks": len(callbacks()),
    }


def main(work: Callable[[], Any], times: int) -> dict[str, Any]:
    for _ in range(5):
        work()
    began = time.perf_counter()
    expected = work()
    duration = time.perf_counter() - began
    before = state()
    replaced: collections.Counter[str] = collections.Counter()
    left: collections.Counter[str] = collections.Counter()
    is_armed, raised, caught = False, 0, 0

    def handle(number: int, frame: Any) -> None:
        nonlocal raised
        if is_armed:
            raised += 1
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, handle)
    draw = random.Random(0)
    while raised < times:
        signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-5, 1.2 * duration))
        is_armed = True
        try:
            work()
            is_armed = False
        except KeyboardInterrupt:
            is_armed = False
            caught += 1
        except BaseException as error:
            is_armed = False
            caught += 1
            replaced[f"{type(error).__name__}: {error}"] += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        after = state()
        if after != before:
            left[str({name: value for name, value in after.items() if value != before[name]})] += 1
            for callback in callbacks():
                remove_callback(callback)
            gn.dispatch.mode.set_mode_word(before["mode word"])
            gn.func.batching.LEVELS.set(())
            gn.autograd.forward_grad.LEVEL.set(None)
            _scoped_devices.set(None)
    return {
        "interrupts": raised,
        "replaced": replaced,
        "left": left,
        "lost": raised - caught,
        "same_afterwards": work() == expected,
    }


if __name__ == "__main__":
    works = {each.__name__: each for each in (step, transforms, views, blocks)}
    print(json.dumps(main(works[sys.argv[1]], int(sys.argv[2]))))
