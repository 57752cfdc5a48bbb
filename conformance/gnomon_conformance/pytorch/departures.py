"""Departures: deliberate differences from PyTorch, each with its reason.

test_oracle fails for a difference that is not listed here, and for an entry that no longer occurs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..inputs.description import COMPLEX, DTYPES, INTEGERS


class Departure(NamedTuple):
    """``operators`` is a pattern for a full name, ``problem`` a pattern for part of a difference.

    on_some_machines   PyTorch selects a kernel by the CPU, and some of them do not show the difference
    """

    operators: str
    problem: str
    reason: str
    dtypes: tuple[str, ...] = DTYPES
    on_some_machines: bool = False

    def covers(self, operator: str, dtype: str, problem: str) -> bool:
        """Whether this departure explains the difference."""
        return (
            dtype in self.dtypes
            and bool(re.fullmatch(self.operators, operator))
            and bool(re.search(self.problem, problem))
        )


REFUSED_BY_KERNEL = 'raised nothing, expected NotImplementedError: ".*" not implemented for'

DEPARTURES: list[Departure] = [
    Departure(
        r"_standard_gamma_grad|_dirichlet_grad",
        r"result: element \d+ is",
        "PyTorch approximates these derivatives with two to four digits, and computes numbers outside the "
        "domain, where gnomon's are NaN",
    ),
    Departure(
        r"_standard_gamma_grad|_dirichlet_grad",
        r"result has strides",
        "as for all pointwise operators the strides are the operands'; PyTorch's result is contiguous",
    ),
    Departure(
        r"linalg_cond(\.p_str)?|vander",
        "gradient: raised nothing, expected RuntimeError: one of the variables needed for gradient",
        "PyTorch overwrites what its own derivative needs",
    ),
    Departure(
        r"view_as_complex_copy",
        "gradient: raised nothing, expected RuntimeError: .* does not support automatic differentiation",
        "gnomon differentiates all copies of views",
    ),
    Departure(
        r"linalg_pinv\.\w+_tensor",
        "gradient: raised nothing, expected RuntimeError: The function 'linalg_pinv' is not differentiable",
        "gnomon's tolerances are constants for the derivative, also if they require grad",
    ),
    Departure(
        r"igammac?|special_gammaincc?",
        r"(result|gradient.*): element \d+ is",
        "gnomon's incomplete gamma functions are right to 13 digits also where PyTorch loses them: for "
        "parameters that are near 0, very large, or near the value",
    ),
    Departure(
        r"special_(bessel_[jy][01]|airy_ai|(scaled_)?modified_bessel_(i1|k[01])|i1e?|(log_)?ndtr|erfcx)",
        r"result: element \d+ is",
        "gnomon's special functions are right to 4 ULP, near zeros of their amplitude; PyTorch's Bessel and "
        "Airy functions have ten digits, modified ones of subnormal numbers are infinite or NaN, and its "
        "float32 functions compute in float32",
    ),
    Departure(
        r"special_\w+_polynomial_\w+(\.\w+)?",
        r"result: element \d+ is",
        "gnomon's polynomials are rounded from 50 digits, and infinite where they overflow; PyTorch's "
        "recurrences lose digits, and give NaN",
    ),
    Departure(
        r"cholesky_(solve|inverse)",
        r"gradient: the gradient of tensor \d|the second gradient",
        "only one triangle of the factor is read, so gnomon's gradient of the other is 0; PyTorch's is not",
    ),
    Departure(
        r"index_reduce",
        "raised nothing, expected RuntimeError: .*INTERNAL ASSERT FAILED",
        "PyTorch fails inside for half precision in this layout",
        ("float16", "bfloat16"),
    ),
    Departure(
        r"conv.*|convolution.*|max_pool2d_with_indices_backward|nll_loss_backward|sigmoid_backward|tanh_backward|"
        r"addcmul|index_reduce|equal",
        REFUSED_BY_KERNEL,
        "gnomon accepts all dtypes for which the operator is defined; in PyTorch they depend on the CPU "
        "kernel that it selects for these sizes, and its equal has none for complex32",
    ),
    Departure(
        r"convolution|conv.*|mm|bmm|mv|matmul|linear|_softmax|_log_softmax|softmax\.int|log_softmax\.int|amax|amin|"
        r"cummax|cummin|kthvalue",
        r"raised NotImplementedError: \w+: not implemented for dtype",
        "PyTorch checks the dtype only if there are elements (for some operators, dimensions); gnomon "
        "refuses it for empty tensors, too",
        ("bool", *INTEGERS, *COMPLEX),
    ),
    Departure(
        r"silu|embedding|embedding_dense_backward|convolution|conv_tbc|bilinear|(slice|select)_scatter|index_reduce|"
        r"select_copy\.int|slice_copy\.Tensor|scatter_reduce\.two|nan_to_num|soft_margin_loss|"
        r"native_dropout_backward|_pack_padded_sequence",
        "gradient: raised nothing, expected RuntimeError: .* does not support automatic differentiation",
        "gnomon supports complex gradients here; the same formula applies",
        COMPLEX,
    ),
    Departure(
        r"silu_backward|floor_divide|native_group_norm_backward|hardsigmoid_backward|_segment_reduce_backward",
        "gradient: raised nothing, expected RuntimeError: derivative for .* is not implemented",
        "gnomon has a derivative here, PyTorch does not",
    ),
    Departure(
        r"embedding(_dense_backward)?",
        "(gradient: the gradient of tensor 0|the second gradient of input 1): element",
        "PyTorch's second derivative ignores scale_grad_by_freq; finite differences agree with gnomon",
    ),
    Departure(
        r"as_strided_scatter",
        "gradient: the gradient of tensor 0|the second gradient of input 2",
        "PyTorch computes the gradient of self from the window only; finite differences agree with gnomon",
    ),
    Departure(
        r"native_(batch|layer|group)_norm_backward",
        "the second gradient of input 1: element",
        "PyTorch treats the saved statistics as constants, so its second derivatives with respect to the "
        "input are incomplete; gnomon differentiates them as functions of the input (which agrees with "
        "finite differences), and the results differ if the given statistics are not the input's, as in the "
        "samples",
    ),
    Departure(
        r"conj|adjoint",
        "alias|strides",
        "no lazy conjugation: conj of complex tensors is a copy",
        COMPLEX,
    ),
    Departure(
        r"isin\..*",
        "raised nothing, expected RuntimeError: view size is not compatible",
        "PyTorch flattens the test elements by a view, which some strides do not allow",
    ),
    Departure(
        r"hardsigmoid(_backward)?",
        "gradient: .* element|result: element",
        "gnomon rounds 1/6 to float64; PyTorch's kernel uses the float32 value",
        ("float64",),
    ),
    Departure(
        r"hardswish",
        "element .* expected inf",
        "x * 6 / 6 is computed without an intermediate overflow",
        ("float32", "bfloat16"),
    ),
    Departure(
        r"_?binary_cross_entropy",
        "the second gradient",
        "PyTorch's second derivative adds 1e-12 to the probabilities",
        ("float64",),
    ),
    Departure(
        r"(special_)?polygamma_?|(special_)?digamma|special_psi|lgamma|special_gammaln|mvlgamma|special_multigammaln",
        "element .* is",
        "PyTorch's first derivative of digamma uses only four terms of the series, which gives nine digits",
        ("float64",),
    ),
    Departure(
        r"pow\.Tensor_Scalar",
        "element .* is (nan, expected (inf|0.0)|-inf, expected inf)",
        "powers of 0.5 and -0.5 are square roots, as in PyTorch's other dtypes; its float16 kernel calls pow",
        ("float16",),
    ),
    Departure(
        r"remainder\.Tensor|fmod\.Tensor",
        "element .* expected nan",
        "exact even if the quotient exceeds 2**1000; PyTorch's vector kernel returns NaN",
        ("float64",),
    ),
    Departure(
        r"convolution|convolution_backward|conv3d(\.padding)?|conv_transpose3d\.input",
        r"has strides \(\d+, 1, \d+, \d+, \d+\), expected",
        "channels_last_3d is preserved; in PyTorch this depends on the kernel selected for these sizes",
    ),
    Departure(
        r"linalg_vector_norm|linalg_norm|norm\..*",
        "element .* expected inf",
        "the norm of large numbers is computed without an intermediate overflow",
    ),
    Departure(
        r"baddbmm|addbmm",
        "expected IndexError",
        "PyTorch reads the third size before it checks the number of dimensions; gnomon checks that first",
    ),
    Departure(
        r"kron",
        "raised nothing, expected RuntimeError: view size is not compatible",
        "PyTorch's kron raises if a product cannot be viewed in the result's shape; gnomon copies it",
    ),
    Departure(
        r"conv_tbc",
        "raised nothing, expected RuntimeError: view size is not compatible",
        "PyTorch flattens time and batch by a view, which some strides do not allow",
    ),
    Departure(
        r"grid_sampler_[23]d_backward",
        "raised RuntimeError: derivative for aten::_grid_sampler_double_backward is not implemented",
        "gnomon has no third derivative of grid_sampler",
        ("float64",),
    ),
    Departure(
        r"_native_batch_norm_legit",
        "versions of the arguments",
        "gnomon counts the update of the running statistics as a write, as the schema declares",
    ),
    Departure(
        r"_fake_quantize_learnable_per_channel_affine_backward",
        r"result [12] has (sizes|strides)",
        "if there is only the dimension of the channels, PyTorch adds up the gradients of all channels",
    ),
    Departure(
        r"_?fused_moving_avg_obs_\w+",
        "versions of the arguments",
        "gnomon counts the writes to the range, the scale and the zero point, as the schema declares",
    ),
    Departure(
        r"_fused_(sgd|adamw?|adagrad)_(\.tensor_lr)?",
        "versions of the arguments",
        "gnomon counts a step as a write, as the schema declares, and as in an optimizer that updates each "
        "parameter separately",
    ),
    Departure(
        r"linalg_vector_norm",
        "the second gradient .* expected nan",
        "PyTorch divides by the norm even if it is 0; gnomon's second derivative is 0 there, like the first",
        ("float64",),
    ),
    Departure(
        r"sinc",
        "result: element .* expected nan",
        "pi * x is computed without an intermediate overflow",
        ("float32", "float64", "bfloat16"),
    ),
    Departure(
        r"sinc",
        "the second gradient .* expected nan",
        "PyTorch divides by 0 where x is 0; gnomon's second derivative there is the limit",
        ("float64",),
    ),
    Departure(
        r"gelu",
        "element .* expected (nan|inf)",
        "oneDNN's kernel, which PyTorch calls on CPUs with AVX-512, has an intermediate overflow in float32",
        ("float32", "bfloat16"),
        on_some_machines=True,
    ),
    Departure(
        r"gru_cell",
        "result has strides",
        "a cell is one operator with contiguous results; PyTorch's has the memory order of its state",
    ),
    Departure(
        r"(linalg_)?matrix_exp",
        "result: element",
        "PyTorch's series is wrong in half precision: inf for this matrix, and -1e30 for half of it",
        ("float16", "bfloat16"),
    ),
    Departure(r"resize_", "versions of the arguments", "gnomon counts a resize as a write"),
]

# Operators that PyTorch does not have, each with its purpose.
OWN_OPERATORS = {
    "_grid_sampler_double_backward": "the second derivative of grid_sampler, in 2 and 3 dimensions",
    "_count_nonzero": "the kernel under count_nonzero of all elements",
    "_masked_select": "the kernel under masked_select, once the mask is counted",
    "_index": "the kernel under index.Tensor, whose masks are resolved and whose indices are broadcast",
    "_index_put": "the kernel under index_put",
    "_index_put_": "the kernel under index_put_",
    "_as_strided": "the view under as_strided, with its offset counted from self",
    "_clamp": "the kernel under clamp.Tensor with both bounds",
    "_smooth_l1": "the kernel under smooth_l1_loss, of differences",
    "_huber": "the kernel under huber_loss, of differences",
    "_binary_cross_entropy": "the kernel under binary_cross_entropy, of pairs",
    "_rnn_layer": "a recurrent layer in one direction, of any mode; PyTorch has one of oneDNN's for LSTM",
    "_rnn_layer_backward": "the gradients of _rnn_layer",
    "_sparse_select_copy": "select_copy of a sparse tensor, whose gradient is select's",
    "_sparse_values_at": "the gradient of sparse_coo_tensor's values: a tensor's elements at given indices",
    "_compressed_values_at": "the gradient of a compressed tensor's values: elements where a mask has some",
    "_csr_mm": "the kernel under mm of a sparse_csr and a strided matrix",
    "_csr_rows": "the rows of a compressed tensor's elements",
    "_csr_merge": "the kernel under sums of sparse tensors: the places of their elements",
    "_csr_csr_starts": "the kernel under products of sparse matrices: where the rows of the product begin",
    "_csr_csr_mm": "the kernel under products of sparse matrices",
    "_csr_sampled_mm": "the kernel under sampled_addmm and gradients of sparse matrices",
    "_sparse_narrow": "the kernel under narrow of a sparse tensor",
    "_mkldnn_blocked_convolution": "a convolution over blocks of channels, which PyTorch hides",
    "_quantized_mm": "the kernel under layers of quantized tensors, which PyTorch hides in fbgemm",
    "div_floor": "the kernel under div(rounding_mode='floor') and floor_divide",
    "div_trunc": "the kernel under div(rounding_mode='trunc')",
}

# Operators whose schema differs from PyTorch's, each with the reason.
SCHEMA_DEPARTURES = {"is_contiguous": "has the memory_format that PyTorch adds in its Python binding"}


# Departures of expressions (expressions/): patterns for part of the expression and part of the difference.
EXPRESSION_DEPARTURES = [
    (
        r"expand\(3(, 3)?\)\.tri[lu]_\(|out=gn\.ones\(1\)\.expand",
        "raised RuntimeError: .*more than one element of the written-to tensor refers to a single memory",
        "the result depends on the order in which memory is written: a sum of 3 becomes 9",
    ),
]


def unlisted_expression(text: str, problems: list[str]) -> list[str]:
    """The problems of an expression that no departure covers."""
    return [
        each
        for each in problems
        if not any(
            re.search(expression, text) and re.search(problem, each)
            for expression, problem, _ in EXPRESSION_DEPARTURES
        )
    ]


def unlisted(operator: str, dtype: str, problems: list[str]) -> list[str]:
    """The problems that no departure covers."""
    return [
        each
        for each in problems
        if not any(departure.covers(operator, dtype, each) for departure in DEPARTURES)
    ]
