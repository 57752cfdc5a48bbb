"""Reductions over all, over rows and over columns."""

from .common import BACKENDS, PerBackend, numbers


class Reduce(PerBackend):
    """A square float32 matrix."""

    params = (BACKENDS, [2**5, 2**7, 2**10], ["all", "rows", "columns"])
    param_names = ["backend", "side", "over"]

    def setup(self, backend, side, over):
        self.use(backend, side * side)
        self.a = numbers(side, side)
        self.dims = {"all": (0, 1), "rows": (1,), "columns": (0,)}[over]

    def time_sum(self, backend, side, over):
        self.a.sum(self.dims)

    def time_amax(self, backend, side, over):
        self.a.amax(self.dims)


class Softmax(PerBackend):
    """Over the last dimension."""

    params = (BACKENDS, [2**5, 2**7, 2**10])
    param_names = ["backend", "side"]

    def setup(self, backend, side):
        self.use(backend, side * side)
        self.a = numbers(side, side)

    def time_softmax(self, backend, side):
        self.a.softmax(1)

    def time_log_softmax(self, backend, side):
        self.a.log_softmax(1)

    def time_argmax(self, backend, side):
        self.a.argmax(1)
