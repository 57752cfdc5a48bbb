"""Known differences of derivatives where a number is NaN or infinite, has no significant digits left, or is
one of several that are equal; see tools/fuzzing/known.py.
"""

from __future__ import annotations

from .difference import DERIVED, FORWARD, HOSTILE, MORE, NUMBERS, UNORDERED, Known

DERIVATIVES: list[Known] = [
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} (?=.*(inf|nan|e[+-]\\d|\\b0\\.0))",
        "PyTorch's gradient of a product is the product divided by the factor, which is lost where the "
        "product overflows, underflows or is no number; gnomon multiplies the other factors",
        'program: v0 = t(3, 3, values="nonfinite"); v1 = v0.prod(1); backward  # float64',
        rf"{HOSTILE}.*prod",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} .*expected \\(?nan",
        "PyTorch looks for the extreme by equality, which NaN has with nothing; without dimensions there is "
        "nothing to look for",
        'program: v0 = t(values="special"); v1 = v0.amax(0); backward  # float64',
        rf"{HOSTILE}.*\.(amax|amin)\b|prod.*\.(amax|amin)\b",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "PyTorch's vector kernels give NaN another slope than its other ones do",
        'program: v0 = t(2, 3, 3, values="special"); v1 = F.elu(v0); backward  # float64',
        rf"{UNORDERED}.*\b((s|c)?elu|hardshrink|softshrink)\b|shrink.*lambd=nan",
        on_some_machines=True,
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} \\(?-?(nan|inf)\\S* expected ",
        "the second derivative of hypot divides by the number's size once, and PyTorch's by another "
        "quotient, one of which overflows",
        'program: v0 = t(3, 3, values="tiny"); v1 = L.hypot(v0, v0); hessian  # float16',
        rf"{HOSTILE}.*hypot",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} \\(?nan\\S*, expected -?0\\.0 ",
        "the derivative of what has steps is 0, times infinity no number; PyTorch's zeros of it are no "
        "numbers, and stay 0 whatever they are multiplied with",
        "program: v0 = t(3, 3); v1 = v0 - v0; v2 = L.xlogy(v0, v1); v3 = v2.sgn(); backward  # float64",
        r"\b(sgn|sign|copysign|floor|ceil|round|trunc|floor_divide|fmod|remainder|heaviside)\b|rounding_mode",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} \\(?nan\\S*, expected -?0\\.0 ",
        "the tangent of what is no number is no number; PyTorch's of corrcoef is 0",
        "program: v0 = t(3, 1); v1 = L.ops.aten.corrcoef.default(self=v0); jvp  # float64",
        f"corrcoef.*{FORWARD}",
    ),
    Known(
        "program",
        r"the tangent has dtype bfloat16, expected float32|the tangent has dtype float16, expected float32",
        "PyTorch's tangent of a variance without degrees of freedom is no number in the default dtype",
        'program: v0 = t(3, 1, values="unit"); v1 = v0.norm(1e308); v2 = L.ops.aten.var.correction(self=v0, '
        "dim=None, correction=2**62); jvp  # bfloat16",
        r"\b(var|std|var_mean|std_mean)\b",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "PyTorch's tangent of prelu is at the kink the one from the right, and its gradient from the left",
        'program: v0 = t(3, 3, values="nothing"); v1 = v0.unbind(0)[0]; '
        "v2 = L.ops.aten.prelu.default(self=v0, weight=v1); jvp  # float64",
        "prelu.*; (twice|jvp|jacfwd|hessian|jvp of grad)  #",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "PyTorch's tangent of clamp follows a bound where its gradient follows none: where the bounds are "
        "equal, crossed or no numbers",
        "program: v0 = t(3, 3); v1 = t(1, 3); v2 = v0[None]; v3 = L.clamp(v1, v0, v2); jvp  # float32",
        rf"(clamp\(v\d+, v\d+, v\d+\)|clamp_(min|max)\.Tensor).*{FORWARD}",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "PyTorch's gradient of the logit outside of 0 to 1 is another one when it is to be differentiated "
        "again",
        "program: v0 = t(3, 3); v1 = L.ops.aten.logit.default(self=v0, eps=-1); vmap of grad  # float64",
        r"logit.*eps=(-|nan)",
    ),
    Known(
        "program",
        f"tangent: {NUMBERS} ",
        "PyTorch's tangent of polar and its gradient differ for lengths below 0",
        'program: v0 = t(layout="gapped"); v1 = L.ops.aten._unique2.default(self=v0)[0]; '
        "v2 = L.ops.aten.polar.default(abs=v1, angle=v0); jvp  # float64",
        f"polar.*{FORWARD}",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} 2\\.0, expected nan",
        "PyTorch divides the smallest complex numbers by their size by way of squares",
        'program: v0 = t(3, 1, values="tiny"); v1 = L.ops.aten.complex.default(real=v0, imag=v0); '
        "vmap of grad  # float64",
        r"values=\"tiny\".*(complex|polar)",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "PyTorch's gradient of the triangle that is not read is not 0",
        "program: v0 = t(3, 3); v3 = L.ops.aten.cholesky_inverse.default(self=v0); backward  # float64",
        "cholesky_(inverse|solve)",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "which of several equal elements the gradient of the greatest goes to",
        'program: v0 = t(0, 3); v1 = t(3, 3, values="nothing"); v4 = v1.reshape(-1); v5 = v4.topk(2, 0)[0]; '
        "backward  # float64",
        r'values="(ties|equal|nothing|special|nonfinite)".*\btopk\b',
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} \\(?nan\\S*, expected \\(?-?0\\.0",
        "0 times what is no number, or infinite, is no number; PyTorch takes a tangent of zeros for none",
        'program: v0 = t(3, 3, layout="offset"); v1 = t(2, 3, 3, values="nonfinite"); '
        "v3 = L.ops.aten.triangular_solve.default(self=v1, A=v0, unitriangular=False)[0]; jacfwd  # float32",
        f"(triangular_solve|zeta|gammaincc?).*{FORWARD}",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} \\(?nan",
        "the gradient of a norm that is no number is none; PyTorch's renorm does not follow a norm that is "
        "not above the largest one",
        'program: v0 = t(1, 3, values="ties"); v1 = t(3, values="descending"); '
        'v2 = t(2, 3, 3, values="special"); '
        "v7 = L.ops.aten.renorm.default(self=v2, p=2**62, dim=1, maxnorm=0); backward  # float64",
        rf"{UNORDERED}.*renorm",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: Expected a proper Tensor but got None",
        "PyTorch's gradient of a distance of order 0 is no tensor at all",
        "program: v0 = t(); v4 = L.ops.aten.dist.default(self=v0, other=v0, p=0); jacrev  # float32",
        r"\bdist\b",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} .* expected -?0\\.0",
        "PyTorch's second derivative of sinc at 0 is 0",
        'program: v0 = t(3, 3, values="nothing"); v7 = L.ops.aten.special_sinc.default(self=v0); '
        "jvp of grad  # float16",
        r'values="(nothing|special|ties|equal)".*sinc',
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "PyTorch sorts NaN by comparisons in which it is never the smaller one",
        'program: v0 = t(3, 3, layout="window"); v5 = L.ops.aten.atanh.default(self=v0); '
        "v6 = L.ops.aten.mode.default(self=v5, dim=-1, keepdim=False)[0]; backward  # float32",
        rf"({UNORDERED}|a(tanh|cos|sin|cosh)\b).*\bmode\b",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: Output \\d+ of \\w+ is a view and its base or another view",
        "what was detached has no history that a view of it could change",
        'program: v0 = t(1, 3, values="unit", layout="gapped"); '
        "v3 = L.ops.aten.subtract.Tensor(self=v0, other=v0, alpha=1e-45); v4 = v3.split(2, 0)[-1]; "
        "v3.add_(v4, alpha=1); v3.detach_(); backward  # float32",
        r"\.detach_\(\)",
    ),
]
