"""Elementwise operators over sizes and layouts."""

import gnomon as gn

from .common import BACKENDS, PerBackend, numbers


class Contiguous(PerBackend):
    """Dense float32 vectors: from overhead, through cache, to memory."""

    params = (BACKENDS, [2**10, 2**14, 2**20, 2**24])
    param_names = ["backend", "elements"]

    def setup(self, backend, elements):
        self.use(backend, elements)
        self.a = numbers(elements)
        self.b = numbers(elements)
        self.out = gn.empty(elements)

    def time_add(self, backend, elements):
        self.a + self.b

    def time_add_out(self, backend, elements):
        gn.add(self.a, self.b, out=self.out)

    def time_relu(self, backend, elements):
        self.a.relu()

    def time_exp(self, backend, elements):
        self.a.exp()


class Layouts(PerBackend):
    """One sum of as many elements, laid out in different ways."""

    params = (BACKENDS, [2**14, 2**20], ["row", "column", "transposed", "expanded", "tall", "wide"])
    param_names = ["backend", "elements", "layout"]

    def setup(self, backend, elements, layout):
        self.use(backend, elements)
        side = 1 << (elements.bit_length() - 1) // 2
        self.a = numbers(side, side)
        if layout == "row":
            self.b = numbers(side)
        elif layout == "column":
            self.b = numbers(side, 1)
        elif layout == "transposed":
            self.b = numbers(side, side).t()
        elif layout == "expanded":
            self.b = numbers(1).expand(side, side)
        elif layout == "tall":
            self.a = numbers(elements // 2, 2)
            self.b = numbers(2)
        else:
            self.a = numbers(2, elements // 2)
            self.b = numbers(2, 1)

    def time_add(self, backend, elements, layout):
        self.a + self.b


class Dtypes(PerBackend):
    """The same addition in other dtypes."""

    params = (BACKENDS, [2**14, 2**20], ["float16", "bfloat16", "float64", "int32", "bool"])
    param_names = ["backend", "elements", "dtype"]

    def setup(self, backend, elements, dtype):
        self.use(backend, elements)
        self.a = (numbers(elements) * 4).to(dtype=getattr(gn, dtype))
        self.b = (numbers(elements) * 4).to(dtype=getattr(gn, dtype))

    def time_add(self, backend, elements, dtype):
        self.a + self.b
