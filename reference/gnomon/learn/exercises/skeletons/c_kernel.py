"""A kernel in C.

``gn.utils.load_inline`` compiles a function in C while the program runs, and makes an operator of it.
Python passes each tensor as a struct: the address of its data, its sizes and strides (in elements), and its
dtype.

    typedef struct {
        void *data;
        int64_t numel, ndim;
        const int64_t *sizes, *strides;
        int32_t dtype;
    } gn_tensor;

Write ``source``, which returns the text of a function ``scaled_add`` for SCHEMA:  x + factor * y.
``gn.utils.c_prototype(SCHEMA)`` is its declaration.  It serves float32 and float64 and tensors of at most
two dimensions, of any strides; the result is allocated like x, and has strides, too.  For other dtypes,
more dimensions, or different sizes of x and y, it returns a text that says so (which becomes a
RuntimeError); otherwise 0.  x and y always have the same dtype here.

    operator = gn.utils.load_inline(source(), SCHEMA)
    operator(gn.tensor([1.0, 2.0]), gn.tensor([10.0, 20.0]), 0.5)  ->  tensor([ 6., 12.])
"""

from __future__ import annotations

SCHEMA = "exercises::scaled_add(Tensor x, Tensor y, float factor) -> Tensor"


def source() -> str:
    """The function in C."""
    raise NotImplementedError
