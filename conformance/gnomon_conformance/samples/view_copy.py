"""Samples of copies of views, a few of each: more of the views are in views, permute, split and strided."""

from ..inputs.description import COMPLEX, bad, sample, tensor
from . import samples_of

SAMPLES = {
    "alias_copy": [sample(tensor(2, 3)), sample(tensor())],
    "as_strided_copy": [
        sample(tensor(6), [2, 2], [2, 1], 1),
        sample(tensor(4), [3, 2], [1, 0]),
        bad("RuntimeError", tensor(2), [3], [-1]),
    ],
    "detach_copy": [sample(tensor(2, 3), differentiable=False)],
    "diagonal_copy": [
        sample(tensor(3, 4)),
        sample(tensor(2, 4, 3), -1, 1, 2),
        bad("IndexError", tensor(3, 3), 0, 0, 2),
    ],
    "expand_copy": [
        sample(tensor(3, 1), [2, 3, -1]),
        sample(tensor(3, 1), [3, 2], implicit=True),
        bad("RuntimeError", tensor(3), [2]),
    ],
    "narrow_copy": [
        sample(tensor(3, 4), 1, 1, 2),
        sample(tensor(3, 2), 0, 0, 1),
        bad("RuntimeError", tensor(3), 0, 2, 2),
    ],
    "permute_copy": [
        sample(tensor(2, 3, 4), [2, 0, 1]),
        sample(tensor(2, 3), [1, 0]),
        bad("RuntimeError", tensor(2, 3), [0]),
    ],
    "select_copy.int": [
        sample(tensor(2, 3), 1, -1),
        sample(tensor(2, 3), 0, 1),
        bad("IndexError", tensor(2), 0, 2),
    ],
    "slice_copy.Tensor": [
        sample(tensor(5, 2), 0, 1, 4, 2),
        sample(tensor(2, 5), -1, 3),
        bad("RuntimeError", tensor(2), 0, 0, 2, 0),
    ],
    "split_copy.Tensor": [
        sample(tensor(5, 2), 2),
        sample(tensor(2, 3), 3, 1),
        bad("RuntimeError", tensor(5), -1),
    ],
    "split_with_sizes_copy": [
        sample(tensor(2, 3), [1, 0, 2], -1),
        sample(tensor(3, 2), [2, 1]),
        bad("RuntimeError", tensor(5), [2, 2]),
    ],
    "squeeze_copy": [sample(tensor(1, 3, 1))],
    "squeeze_copy.dim": [
        sample(tensor(1, 3, 1), 2),
        sample(tensor(1, 3, 1), 1),
        bad("IndexError", tensor(1, 3), 2),
    ],
    "squeeze_copy.dims": [sample(tensor(1, 3, 1), [0, 1]), sample(tensor(1, 3, 1), [-1])],
    "t_copy": [sample(tensor(2, 3)), sample(tensor(3)), bad("RuntimeError", tensor(2, 2, 2))],
    "transpose_copy.int": [
        sample(tensor(2, 3, 4), 0, -1),
        sample(tensor(2, 3, 4), 2, 1),
        bad("IndexError", tensor(2, 3), 0, 2),
    ],
    "unbind_copy.int": [sample(tensor(2, 3), 1), sample(tensor(2, 3)), bad("IndexError", tensor(2), 1)],
    "unfold_copy": [
        sample(tensor(5, 2), 0, 3, 2),
        sample(tensor(2, 3), 1, 2, 1),
        bad("RuntimeError", tensor(3), 0, 4, 1),
    ],
    "unsqueeze_copy": [
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), -1),
        bad("IndexError", tensor(2), 3),
    ],
    "view_copy": [
        sample(tensor(6), [2, -1]),
        sample(tensor(2, 3), [6]),
        bad("RuntimeError", tensor(6), [4]),
    ],
    "view_copy.dtype": [
        sample(tensor(2, 4, dtype="float32"), dtype=dtype, dtypes=["float32"]) for dtype in ("int32", "uint8")
    ],
    "view_as_complex_copy": [sample(tensor(3, 2), dtypes=["float32", "float64"])],
    "view_as_real_copy": [sample(tensor(3), dtypes=COMPLEX)],
}
for _name, _samples in SAMPLES.items():
    samples_of(_name, _samples)
