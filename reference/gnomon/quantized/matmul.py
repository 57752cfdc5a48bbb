"""Products of bytes whose sums become bytes of another scale: requantization.

Backends with a kernel for ``_quantized_mm`` compute it in one pass; on others it is its steps.

Source: fbgemm's ReQuantizeOutput.
"""

from __future__ import annotations

from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.backend import backend_of, claims
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values.dtype import dtype, float32, int8, int32, int64, round_to_float32, uint8


def _meta(
    self: Spec,
    mat2: Spec,
    scales: Spec,
    zero_points: Spec,
    bias: Spec | None,
    input_scale: float,
    input_zero_point: int,
    scale: float,
    zero_point: int,
    minimum: int,
) -> Spec:
    if self.ndim != 2 or mat2.ndim != 2 or self.sizes[1] != mat2.sizes[0]:
        raise RuntimeError(
            f"_quantized_mm: expected matrices that fit, got sizes {list(self.sizes)} and {list(mat2.sizes)}"
        )
    columns = mat2.sizes[1]
    expected: list[tuple[str, Spec | None, dtype]] = [
        ("self", self, uint8),
        ("mat2", mat2, int8),
        ("scales", scales, float32),
        ("zero_points", zero_points, int64),
        ("bias", bias, float32),
    ]
    for name, spec, kind in expected:
        if spec is None:
            continue
        if spec.dtype is not kind:
            raise RuntimeError(f"_quantized_mm: expected {name} of dtype {kind.name}, got {spec.dtype.name}")
        if kind in (float32, int64) and spec.sizes not in ((1,), (columns,)):
            raise RuntimeError(
                f"_quantized_mm: expected {name} of sizes [1] or [{columns}], got {list(spec.sizes)}"
            )
    for name, number in (
        ("input_zero_point", input_zero_point),
        ("zero_point", zero_point),
        ("minimum", minimum),
    ):
        if not 0 <= number <= 255:
            raise RuntimeError(f"_quantized_mm: expected {name} from 0 to 255, got {number}")
    return self.contiguous((self.sizes[0], columns))


def _in_steps(
    self: Tensor,
    mat2: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    bias: Tensor | None,
    input_scale: float,
    input_zero_point: int,
    scale: float,
    zero_point: int,
    minimum: int,
) -> Tensor:
    """The definition.  The sum of (x - x_zero_point) * (weight - weight_zero_point) is that of x * weight,
    less what the zero points add to it.
    """
    sums = aten._int_mm.default(self, mat2).to(int64)
    sums = sums - input_zero_point * mat2.sum(0, dtype=int64)
    if zero_points.any().item():
        inner = self.sum(1, dtype=int64).unsqueeze(1) - self._spec.sizes[1] * input_zero_point
        sums = sums - inner * zero_points
    units = scales * round_to_float32(input_scale)
    totals = sums.to(int32).to(float32)
    if bias is not None:
        totals = totals + bias / units
    steps = (totals * (units / round_to_float32(scale))).round() + zero_point
    return steps.clamp(minimum, 255).to(uint8)


def _kernel(output: Tensor, *arguments: object) -> None:
    output.copy_(_in_steps(*arguments))  # type: ignore[arg-type]


_quantized_mm = native_function(
    "_quantized_mm(Tensor self, Tensor mat2, Tensor scales, Tensor zero_points, Tensor? bias, "
    "float input_scale, int input_zero_point, float scale, int zero_point, int minimum) -> Tensor",
    variants="none",
    meta=_meta,
    kernel=_kernel,
    doc="""Computes the product of a uint8 matrix (m, k) and an int8 one (k, n), both quantized, as uint8
    (m, n) with ``scale`` and ``zero_point``.

    ``input_scale`` and ``input_zero_point`` are those of ``self``; ``scales``, float32, and ``zero_points``,
    int64, those of the columns, (n,) or (1,).  The sum, which wraps around in int32, and ``bias``, float32,
    in units of the product of the scales, are added and scaled in float32; halves are rounded to even, and
    what is less than ``minimum`` becomes ``minimum``.

    Raises RuntimeError for other dtypes and sizes, and for zero points that uint8 has not.""",
)


def quantized_mm(self: Tensor, mat2: Tensor, scales: Tensor, zero_points: Tensor, *rest: object) -> Tensor:
    """``_quantized_mm`` in one pass, or in its steps where the backend has no kernel for it.

    ``zero_points`` may also be float32 (per_channel_affine_float_qparams).
    """
    is_one = zero_points._spec.dtype is int64 and claims(
        backend_of(self._spec.device), _quantized_mm.name, "uint8"
    )
    return (_quantized_mm if is_one else _in_steps)(self, mat2, scales, zero_points, *rest)  # type: ignore[arg-type]
