"""Why some checks differ from PyTorch: a regular expression for "name dtype kind: text" -> the reason."""

from __future__ import annotations

DIFFERENCES = {
    # Of equal elements, any may be meant.
    r"^(kthvalue|mode|topk|sort|argsort|msort|median|nanmedian)\S* \S+ (values|methods|gradients): ": (
        "PyTorch does not say which of several equal elements an index names; gnomon takes the first"
    ),
    # Factors that are not unique.
    r"^(linalg\.eigh|linalg\.svd|svd)\S* \S+ (values|methods|aliases|out=)": (
        "eigenvectors and singular vectors may be multiplied by a number of modulus 1; gradients are "
        "compared through what does not depend on it"
    ),
    r"^linalg\.eig(vals)? \S+ (values|out=|(second )?gradients)": (
        "the order of eigenvalues is not defined, and eigenvectors may be multiplied by a number of modulus "
        "1; tests/ops/test_linalg_oracle.py compares them in sorted order"
    ),
    r"^linalg\.svd\S* complex\d+ gradients: .*list, not RuntimeError: svd_backward": (
        "PyTorch refuses a loss that depends on the phase of singular vectors, by a bound on its gradient"
    ),
    # PyTorch's faults.
    r"^as_strided_scatter \S+ gradients": (
        "PyTorch's gradient of self is nonzero for the elements that are overwritten, and 0 for the others"
    ),
    r"^(linalg\.)?matrix_exp (bfloat16|float16)": (
        "PyTorch's is NaN, or wrong by orders of magnitude, in half precision: -2e4 for exp(0.1)"
    ),
    r"^addbmm \S+ in place": (
        "PyTorch resizes self where its sizes broadcast, although it is written in place; gnomon refuses"
    ),
    r"^(cholesky_solve|cholesky_inverse) \S+ (second )?gradients": (
        "PyTorch's gradient of the triangle that is not read is not 0"
    ),
    r"^native_layer_norm float64 second gradients: .* not RuntimeError: Expected a proper Tensor": (
        "PyTorch's second gradient fails for a bias without a weight"
    ),
    r"^linalg\.norm\[subgradients_at_zero\] (float64|complex128) second gradients": (
        "at a zero vector, where gnomon takes the subgradient 0: PyTorch's second gradient is NaN for p = 2, "
        "and 0 for other p"
    ),
    r"^sparse\.sampled_addmm complex128 gradients: .* not RuntimeError: _to_sparse does not support": (
        "PyTorch's gradients of complex numbers with create_graph=True fail: its _to_sparse refuses them"
    ),
    r"^renorm complex64 gradients": (
        "maximum norm: PyTorch divides by the count of elements whose modulus is the norm, which is 0 after "
        "its rounding"
    ),
    r"^polygamma\S* int(8|16|32|64) |^special\.polygamma\S* int(8|16|32|64) ": (
        "at the poles, PyTorch's is finite: it takes the sine of a rounded multiple of pi"
    ),
    r"^special\.bessel_(j0|j1|y0|y1) float64": (
        "PyTorch's have errors of some 1e-7 for arguments above 4, as in float32; gnomon's agree with mpmath"
    ),
    r"^nn\.functional\.linear_cross_entropy\S* float64 second gradients: .*once_differentiable, not NoneT": (
        "a function that is differentiable once: PyTorch leaves out the second gradient, gnomon refuses"
    ),
    r"^native_layer_norm float32 gradients|^nn\.functional\.layer_norm float32 gradients": (
        "of one element: the gradient is a difference of equal numbers"
    ),
    # Precision.
    r"^(nn\.functional\.grid_sample|grid_sampler_[23]d) (bfloat16|float16)": (
        "PyTorch computes the coordinates in half precision, gnomon in float32"
    ),
    r"^nn\.functional\.normalize (bfloat16|float16) gradients": "p = 0.5: rounding in half precision",
    r"^nn\.functional\.soft_margin_loss float16 gradients": (
        "PyTorch's product y exp(-x y) overflows in half precision before it is divided"
    ),
    r"^grid_sampler_3d float32 gradients": (
        "a coordinate at the edge of a cell, where the gradient jumps: PyTorch's rounding finds the other "
        "cell; gnomon's agrees with PyTorch's in float64"
    ),
    r"^ldexp float16 gradients": "the sum of a gradient over broadcast elements, in half precision",
    # Strides that nothing depends on.
    r"^einsum \S+ strides": "strides of dimensions of size 1",
    r"^(nn\.functional\.rms_norm|rms_norm) \S+ (strides|aliases)": "strides of tensors without elements",
    # Errors.
    r"^(__r(add|mul|and|or|xor|sub|div|pow|mod)__|clamp_(min|max)) float32 errors": (
        "the database has errors for __torch_function__ subclasses of another device here"
    ),
    r"^(index_select|cat) float32 errors: error (0|6) ": (
        "PyTorch checks overlaps of an output before it is resized, gnomon after that, where there is none"
    ),
    r"^narrow_copy float32 errors": "gnomon raises IndexError for a dimension out of range, as narrow does",
}
