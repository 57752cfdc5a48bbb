"""What a call costs when the numbers cost nothing: four float32 elements."""

import gnomon as gn

from .common import PerBackend

CHAIN = 500  # rounds of two operators


class Overhead(PerBackend):
    """One call."""

    def setup(self, backend):
        self.use(backend)
        self.a = gn.rand(4)
        self.b = gn.rand(4)
        self.out = gn.empty(4)
        self.a_grad = gn.rand(4).requires_grad_()
        self.matrix = gn.rand(2, 2)

    def time_add(self, backend):
        self.a + self.b

    def time_add_out(self, backend):
        gn.add(self.a, self.b, out=self.out)

    def time_add_in_place(self, backend):
        self.out.add_(self.b)

    def time_add_number(self, backend):
        self.a + 1.0

    def time_add_recording(self, backend):
        self.a_grad + self.b

    def time_relu(self, backend):
        self.a.relu()

    def time_sum(self, backend):
        self.a.sum()

    def time_view(self, backend):
        self.a.view(2, 2)

    def time_slice(self, backend):
        self.a[1:3]

    def time_matmul(self, backend):
        self.matrix @ self.matrix


class Backward(PerBackend):
    """The engine, on a chain of 1000 nodes."""

    def setup(self, backend):
        self.use(backend)
        x = gn.rand(4).requires_grad_()
        y = gn.rand(4)
        total = x
        for _ in range(CHAIN):
            total = total * y + x
        self.loss = total.sum()

    def time_backward_1000_nodes(self, backend):
        self.loss.backward(retain_graph=True)


class Import:
    """``import gnomon`` in a fresh Python."""

    def timeraw_import(self):
        return "import gnomon"
