"""Matrix products."""

import gnomon as gn

from .common import BACKENDS, PerBackend, numbers


class Matmul(PerBackend):
    """Square float32 matrices."""

    params = (BACKENDS, [16, 32, 128, 512, 1024])
    param_names = ["backend", "side"]

    def setup(self, backend, side):
        self.use(backend, side**3)
        self.a = numbers(side, side)
        self.b = numbers(side, side)

    def time_matmul(self, backend, side):
        self.a @ self.b

    def time_matmul_transposed(self, backend, side):
        self.a @ self.b.t()


class Batched(PerBackend):
    """Many small products."""

    params = (BACKENDS, [(8, 16), (64, 64)])
    param_names = ["backend", "batch_and_side"]

    def setup(self, backend, batch_and_side):
        batch, side = batch_and_side
        self.use(backend, batch * side**3)
        self.a = numbers(batch, side, side)
        self.b = numbers(batch, side, side)

    def time_bmm(self, backend, batch_and_side):
        gn.bmm(self.a, self.b)
