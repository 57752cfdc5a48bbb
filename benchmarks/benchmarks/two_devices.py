"""A backward pass over two devices, with their worker threads in parallel and in sequence.

The Nodes on the reference are pure Python; those of the C backend are single-threaded matrix products, which
release the GIL.  If the machine has a core for each, ``time_side_by_side`` is closer to the longer of the two
than to their sum, which ``time_in_turn`` takes.
"""

from __future__ import annotations

import importlib

import gnomon as gn
from gnomon.autograd import node

SIZE = 1024  # of the square matrices on the C backend
PRODUCTS = 6  # Nodes there, of two products each
ELEMENTS = 100_000  # of the vectors on the reference
SINES = 3  # Nodes there, of two passes over the elements each


def make_loss() -> gn.Tensor:
    """A scalar whose graph has two branches, one on each device, joined only by the final sum."""
    there = gn.eye(SIZE, device="c").requires_grad_()
    here = gn.ones(ELEMENTS, device="reference").requires_grad_()
    product, wave = there, here
    for _ in range(PRODUCTS):
        product = product @ there
    for _ in range(SINES):
        wave = wave.sin()
    return product.sum().to("reference") + wave.sum()


class TwoDevices:
    """Needs the C backend; skipped without it."""

    timeout = 300
    number = 1
    repeat = (3, 5, 60.0)

    def setup(self) -> None:
        if not gn.backends()["c"].available:
            raise NotImplementedError("the C backend is not built")
        self.library = importlib.import_module("gnomon_c")
        self.threads = self.library.get_num_threads()
        self.library.set_num_threads(1)
        self.loss = make_loss()

    def teardown(self) -> None:
        self.library.set_num_threads(self.threads)
        node.spans_devices = True

    def time_side_by_side(self) -> None:
        node.spans_devices = True
        self.loss.backward(retain_graph=True)

    def time_in_turn(self) -> None:
        node.spans_devices = False
        self.loss.backward(retain_graph=True)
