"""Samples of resampling."""

from ..inputs.description import REAL_FLOATS, bad, sample, tensor
from . import samples_of

SIZES = {1: (4,), 2: (3, 4), 3: (2, 3, 2)}
SMALLER = {1: (3,), 2: (2, 3), 3: (1, 2, 2)}
LARGER = {1: (7,), 2: (4, 7), 3: (3, 2, 3)}
LINEAR = {1: "upsample_linear1d", 2: "upsample_bilinear2d", 3: "upsample_trilinear3d"}


def calls(spatial: int, name: str, *align: bool):
    """Samples by size and by scale factor: up, down, scales that contradict the sizes, invalid sizes."""
    tolerance = "exact" if "nearest" in name else "composed"
    sizes, smaller, larger = SIZES[spatial], list(SMALLER[spatial]), list(LARGER[spatial])
    input = tensor(1, 2, *sizes)
    # antialiased output positions outside of the input stay uninitialized in PyTorch
    factors = [1.75, 2.0] if name.endswith("_aa") else [1.75, 0.75, 1.5][:spatial]
    some = [list(align), [not each for each in align]] if align else [[], []]
    good = [
        sample(input, larger, *some[0]),
        sample(input, smaller, *some[1]),
        sample(input, list(sizes), *some[0]),
        sample(input, larger, *some[0], *factors),
        sample(tensor(2, 1, *[1] * spatial), larger, *some[1]),
        sample(tensor(0, 2, *sizes), larger, *some[0], dtypes=REAL_FLOATS),
        bad("RuntimeError", tensor(1, 0, *sizes), larger, *some[0]),
        bad("RuntimeError", tensor(1, 2, 0, *sizes[1:]), larger, *some[0]),
        bad("RuntimeError", input, [0, *larger[1:]], *some[0]),
        bad("RuntimeError", input, [*larger, 1], *some[0]),
        bad("RuntimeError", tensor(2, *sizes), larger, *some[0]),
    ]
    if spatial > 1:
        good.append(sample(tensor(1, 3, *sizes, layout="channels_last"), larger, *some[0]))
    samples_of(name, good, tolerance=tolerance)
    samples_of(
        f"{name}_backward",
        [
            sample(tensor(1, 2, *larger), larger, list(input.sizes), *some[0]),
            sample(tensor(1, 2, *smaller), smaller, list(input.sizes), *some[1]),
            sample(tensor(1, 2, *larger), larger, list(input.sizes), *some[0], *factors),
            sample(tensor(2, 3, *larger), larger, [2, 3, *sizes], *some[0]),
            bad("RuntimeError", tensor(1, 2, *larger), smaller, list(input.sizes), *some[0]),
            bad("RuntimeError", tensor(1, 2, *larger), larger, [2, *sizes], *some[0]),
        ],
        tolerance="composed",
    )
    samples_of(
        f"{name}.vec",
        [
            sample(input, larger, *some[0], None),
            sample(input, None, *some[1], factors),
            bad("RuntimeError", input, larger, *some[0], factors),
            bad("RuntimeError", input, None, *some[0], None),
            bad("RuntimeError", input, None, *some[0], [*factors, 2.0]),
            bad("RuntimeError", input, None, *some[0], [0.01] * spatial),
        ],
        tolerance=tolerance,
    )


for _spatial in (1, 2, 3):
    calls(_spatial, f"upsample_nearest{_spatial}d")
    calls(_spatial, f"_upsample_nearest_exact{_spatial}d")
    calls(_spatial, LINEAR[_spatial], False)
for _name in (
    "upsample_bicubic2d",
    "_upsample_bilinear2d_aa",
    "_upsample_bicubic2d_aa",
    "_upsample_lanczos2d_aa",
):
    calls(2, _name, False)
for _name in ("bilinear", "bicubic", "lanczos"):
    samples_of(
        f"_upsample_{_name}2d_aa",
        [
            sample(tensor(1, 1, 9, 11), [3, 2], False),
            sample(tensor(2, 2, 7, 5), [2, 9], True),
            # the width does not change, whatever its scale; in PyTorch only the gradient uses the scale
            sample(tensor(1, 1, 7, 5), [4, 5], False, 0.5, 0.7, smooth=False),
            sample(tensor(1, 2, 8, 6, values="positive"), [3, 4], False, dtypes=["uint8"]),
            bad("NotImplementedError", tensor(1, 1, 3, 4), [2, 2], False, dtypes=["float16", "int32"]),
        ],
    )
    samples_of(
        f"_upsample_{_name}2d_aa_backward",
        [
            sample(tensor(1, 1, 3, 2), [3, 2], [1, 1, 9, 11], False),
            sample(tensor(2, 2, 2, 9), [2, 9], [2, 2, 7, 5], True),
            bad("NotImplementedError", tensor(1, 1, 2, 2), [2, 2], [1, 1, 3, 4], False, dtypes=["bfloat16"]),
        ],
    )
samples_of(
    "upsample_bilinear2d upsample_bicubic2d",
    [
        sample(tensor(1, 2, 5, 7, values="positive"), [6, 7], False, 1.4, 0.5, dtypes=["uint8"]),
        sample(tensor(1, 1, 2, 8, values="positive"), [11, 10], False, dtypes=["uint8"]),
    ],
)
