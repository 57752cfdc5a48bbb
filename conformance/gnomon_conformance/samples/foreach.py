"""Samples of operators on lists of tensors."""

from ..inputs.description import COMPLEX, FLOATS, INTEGERS, REAL_FLOATS, Sample, bad, sample, tensor
from . import samples_of

NUMBERS = (*INTEGERS, *FLOATS)
SIZES = ((2, 3), (), (4, 1), (0,))


def each(seed: int, values: str = "normal", **fields: object) -> list:
    """One tensor for each of several sizes."""
    return [tensor(*sizes, values=values, seed=seed + place, **fields) for place, sizes in enumerate(SIZES)]


def both(name: str, samples: list[Sample], tolerance: str = "composed") -> None:
    """Samples of a list operator and of its in-place variant."""
    head, dot, overload = name.partition(".")
    samples_of(f"_foreach_{name}", samples, tolerance)
    inplace = [each._replace(differentiable=False) for each in samples]
    samples_of(f"_foreach_{head}_{dot}{overload}", inplace, tolerance)


SELF, OTHER, THIRD = each(1), each(5, "nonzero"), each(9, "nonzero")
PACKED = tensor(4, dtype="float32", seed=2, layout="contiguous")
EMPTY_LIST = bad("RuntimeError", [], dtypes=("float32",))

ANY = "ceil exp expm1 floor neg round sigmoid sign sin sqrt tanh trunc abs cos erf erfc reciprocal rsqrt"
for _name in f"{ANY} acos asin atan cosh frac lgamma log log10 log1p log2 sinh tan".split():
    both(
        _name,
        [sample(each(1, "positive"), dtypes=REAL_FLOATS, differentiable=False), EMPTY_LIST],
        "composed",
    )

for _name in ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max"):
    _floats = FLOATS if _name in ("add", "sub", "mul", "div") else REAL_FLOATS
    both(
        f"{_name}.Scalar",
        [
            sample(SELF, 0.5, dtypes=_floats),
            sample([tensor(3), tensor(2, dtype="float64")], 2, dtypes=REAL_FLOATS),
            bad("RuntimeError", [], 1, dtypes=("float32",)),
        ],
    )
    both(
        f"{_name}.ScalarList",
        [
            sample(SELF, (0.5, 2, -1.0, 3.0), dtypes=_floats),
            sample(SELF, (2, 1.5, 0.25, -0.5), dtypes=_floats),
            bad("RuntimeError", SELF, (1.0, 2.0), dtypes=("float32",)),
        ],
    )
    both(
        f"{_name}.List",
        [
            sample(SELF, OTHER, dtypes=_floats),
            bad("RuntimeError", SELF, OTHER[:2], dtypes=("float32",)),
            bad("RuntimeError", [tensor(2), tensor(3)], [tensor(2), tensor(2)], dtypes=("float32",)),
        ],
    )
for _name in ("add", "sub"):
    both(f"{_name}.List", [sample(SELF, OTHER, alpha=0.5, dtypes=FLOATS)])
both("add.Scalar", [sample(SELF, 2, dtypes=NUMBERS), sample(SELF, 0.5j, dtypes=COMPLEX)])
samples_of(
    "_foreach_add_.Scalar",
    [
        bad("RuntimeError", [tensor(2)], 0.5, dtypes=("int64", "bool")),
        bad("RuntimeError", [tensor(2)], 1j, dtypes=("float32",)),
        bad("RuntimeError", [tensor(2), tensor(2, dtype="uint8")], 0.5, dtypes=("float32",)),
    ],
)
for _name in ("add", "mul", "div"):
    both(
        f"{_name}.Tensor",
        [
            sample(SELF, tensor(values="nonzero", seed=3), dtypes=FLOATS, differentiable=False),
            bad("RuntimeError", SELF, tensor(2), dtypes=("float32",)),
        ],
    )
both("add.Tensor", [sample(SELF, tensor(seed=3), alpha=0.5, dtypes=FLOATS, differentiable=False)])

for _exponent in (3, 0.5):
    both("pow.Scalar", [sample(each(1, "positive"), _exponent, dtypes=REAL_FLOATS)])
both("pow.Scalar", [bad("RuntimeError", [], 1)])
for _exponents in ((3, 0.5, 2, 1), (0.5, 2, -1.0, 3)):
    both("pow.ScalarList", [sample(each(1, "positive"), _exponents, dtypes=REAL_FLOATS)])
both("pow.List", [sample(each(1, "positive"), SELF, dtypes=REAL_FLOATS)])
for _base in (2.0, 0.5):
    samples_of("_foreach_pow.ScalarAndTensor", [sample(_base, SELF, dtypes=REAL_FLOATS)], "composed")

for _weight in (0.25, 0.75):
    both("lerp.Scalar", [sample(SELF, OTHER, _weight, dtypes=FLOATS)])
for _weights in ((0.25, 0.5, 2.0, 0.0), (0.75, 0.25, 0.5, 1.0)):
    both("lerp.ScalarList", [sample(SELF, OTHER, _weights, dtypes=FLOATS)])
both("lerp.List", [sample(SELF, OTHER, THIRD, dtypes=FLOATS)])

# PyTorch's own backward of some of these raises, and it requires contiguous numbers.
for _name in ("addcmul", "addcdiv"):
    both(
        f"{_name}.Scalar",
        [
            sample(SELF, OTHER, THIRD, dtypes=FLOATS, differentiable=False),
            sample(SELF, OTHER, THIRD, 0.5, dtypes=FLOATS, differentiable=False),
            bad("RuntimeError", SELF, OTHER, THIRD[:1], dtypes=("float32",)),
        ],
    )
    both(
        f"{_name}.ScalarList",
        [
            sample(SELF, OTHER, THIRD, (0.5, 2.0, -1.0, 1.0), dtypes=FLOATS, differentiable=False),
            sample(SELF, OTHER, THIRD, (2.0, 0.5, 1.0, -1.0), dtypes=FLOATS, differentiable=False),
            bad("RuntimeError", SELF, OTHER, THIRD, (0.5,), dtypes=("float32",)),
        ],
    )
    both(
        f"{_name}.Tensor",
        [
            sample(SELF, OTHER, THIRD, PACKED, dtypes=REAL_FLOATS, differentiable=False),
            bad("RuntimeError", SELF, OTHER, THIRD, tensor(3), dtypes=("float32",)),
            bad("RuntimeError", SELF, OTHER, THIRD, tensor(4, 1), dtypes=("float32",)),
        ],
    )

samples_of(
    "_foreach_norm.Scalar",
    [
        sample(SELF, dtypes=FLOATS),
        sample(SELF, 1, dtypes=FLOATS),
        sample(SELF[:3], float("inf"), dtypes=FLOATS),
        sample(SELF, 2, dtype="float64", dtypes=("float32",)),
        bad("RuntimeError", SELF, float("inf"), dtypes=("float32",)),
        bad("RuntimeError", SELF, dtypes=("int64",)),
    ],
    tolerance="composed",
)
samples_of(
    "_foreach_max",
    [sample(SELF[:3], dtypes=(*INTEGERS, *REAL_FLOATS)), bad("RuntimeError", SELF, dtypes=("float32",))],
)
samples_of(
    "_foreach_mm",
    [
        sample([tensor(2, 3), tensor(3, 1)], [tensor(3, 2, seed=1), tensor(1, 2, seed=2)], dtypes=FLOATS),
        bad("RuntimeError", [tensor(2, 3)], [], dtypes=("float32",)),
    ],
    tolerance="terms",
)
samples_of(
    "_foreach_clone",
    [
        sample(SELF),
        sample(SELF, memory_format="contiguous_format"),
        bad("RuntimeError", [], dtypes=("float32",)),
    ],
)
samples_of(
    "_foreach_copy_",
    [
        sample(SELF, OTHER, differentiable=False),
        sample(SELF, OTHER, True, differentiable=False),
        sample([tensor(2, 3)], [tensor(3, dtype="float64")], dtypes=FLOATS, differentiable=False),
        bad("RuntimeError", SELF, OTHER[:1], dtypes=("float32",)),
        bad("RuntimeError", [tensor(2)], [tensor(3)], dtypes=("float32",)),
    ],
)
samples_of(
    "_foreach_zero_", [sample(SELF, differentiable=False), bad("RuntimeError", [], dtypes=("float32",))]
)
