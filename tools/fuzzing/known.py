"""Known differences from PyTorch that the fuzzer meets and no sample of the conformance suite shows.

Each has a reason, and a case that shows it: the fuzzer tells of one that no longer does.  What the suite
shows is in gnomon_conformance/departures.py, which the fuzzer asks first.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """``operators`` and ``problem`` are patterns, for a whole name and for a part of what differs.

    shows             a case that does, as the fuzzer prints it
    call              a pattern that the case's text has to match, too
    on_some_machines  PyTorch picks another kernel by the CPU: on others the difference does not show
    """

    operators: str
    problem: str
    reason: str
    shows: str
    call: str = ""
    on_some_machines: bool = False

    def covers(self, name: str, text: str, problem: str) -> bool:
        """Is this difference the one that is meant?"""
        return bool(
            re.fullmatch(self.operators, name)
            and re.search(self.problem, problem)
            and re.search(self.call, text)
        )


ANY = ".*"
MORE = "raised nothing, expected "  # gnomon takes what PyTorch refuses
FORWARD = "; (jvp|jacfwd|hessian|jvp of grad)  #"
BATCHED = "; (vmap|jacrev|jacfwd|hessian|vmap of grad)  #"
NUMBERS = r"element \d+ is"

PROGRAMS: list[Known] = [
    Known(
        "program",
        f"{MORE}NotImplementedError: Trying to use forward AD with .* that does not support it",
        "gnomon's tangents follow from its formulas, and so there are more of them than PyTorch wrote",
        "program: v0 = t(3, 3); v1 = L.cdist(v0, v0); jvp  # float64",
    ),
    Known(
        "program",
        f"{MORE}NotImplementedError: the derivative for '_cdist_backward' is not implemented",
        "gnomon has the formula",
        "program: v0 = t(3, 1); v1 = L.cdist(v0, v0); twice  # float32",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: derivative for aten::(floor_divide|hardsigmoid_backward|logspace) is not",
        "gnomon has the formula",
        "program: v0 = t(3); v1 = L.ops.aten.floor_divide.default(self=v0, other=v0); backward  # float64",
    ),
    Known(
        "program",
        f"{MORE}\\w+: .*does not support automatic differentiation for outputs with complex dtype",
        "the formula holds for complex numbers",
        "program: v0 = t(2, 3); v1 = L.ops.aten.silu.default(self=v0); backward  # complex128",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: one of the variables needed for gradient computation has been modified by an "
        "inplace operation",
        "gnomon's formula saves less: of prod the input, and not the product, too",
        "program: v0 = t(3, 1); v1 = v0.prod(0); v1.neg_(); vjp  # float64",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: The function 'soft_margin_loss' is not differentiable with respect to",
        "gnomon composes it of operators that have derivatives",
        "program: v0 = t(3, 3); v1 = L.ops.aten.soft_margin_loss.default(self=v0, target=v0); vjp  # float64",
    ),
    Known(
        "program",
        f"the (tangent|jacobian|hessian|gradient|result).*{NUMBERS}|its tangent.*{NUMBERS}",
        "PyTorch's tangent of what an operator writes to its own operand is of the numbers afterwards: that "
        "of v.mul_(v) at 2 is 6 times v's, and has to be 4 times",
        "program: v0 = t(3, 3); v0.mul_(v0); jvp  # float64",
        rf"(\bv\d+)(\.(add|sub|mul|div|addcmul|pow)_\((v\d+, )?\1\b| [+*]= \1\b).*{FORWARD}",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: output with shape .* doesn't match the broadcast shape",
        "PyTorch's second derivative of clamp writes to a mask that is too small",
        "program: v0 = t(3, 3); v1 = v0.max(0)[0]; v2 = L.clamp(v1, v0, v1); twice  # float64",
        "clamp",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: unsupported operation: some elements of the input tensor and the written-to",
        "under vmap gnomon's rule for a writing operator copies first",
        "program: v0 = t(3); v0.index_put_((L.tensor([2, 0, 1]),), v0, accumulate=True); vmap  # float64",
        rf"(index_put|index_add|scatter|index_copy|\] = ).*{BATCHED}|index_put.*jvp|\] = .*jvp",
    ),
    Known(
        "program",
        "raised RuntimeError: addmm: The (expanded size of|number of sizes provided)",
        "gnomon's linear and addmm are of matrices and one bias; PyTorch's vmap, and its linear of what has "
        "three dimensions, add whatever can be broadcast",
        "program: v0 = t(3, 3); v1 = t(2, 3, 3); v2 = F.linear(v1, v0, v1); no_grad  # float32",
        "linear|addmm",
    ),
    Known(
        "program",
        f"{NUMBERS} .* expected ",
        "the norm of large and small numbers, or to a large power, is computed without overflow on the way",
        "program: v0 = t(3, 3); v1 = v0.norm(2**62); backward  # float64",
        r"\b(norm(\.\w+)?|vector_norm|normalize)\(.*(1e308|2\*\*62|1e-45|-1\.5)|"
        r"values=\"(special|extreme|tiny|nothing|nonfinite)\".*\b(norm(\.\w+)?|vector_norm|normalize)\(",
    ),
    Known(
        "program",
        f"the gradient.*{NUMBERS}|the (jacobian|hessian|second).*{NUMBERS}|tangent: {NUMBERS}",
        "a sixth is rounded to float64; PyTorch's kernel has float32's",
        "program: v0 = t(3, 3); v1 = L.ops.aten.hardsigmoid.default(self=v0); backward  # float64",
        "hardsigmoid|hardswish",
    ),
    Known(
        "program",
        f"{NUMBERS}",
        "PyTorch's first derivative of digamma stops its series after four terms, at nine digits",
        "program: v0 = t(3, 3); v1 = L.ops.aten.lgamma.default(self=v0); twice  # float64",
        "lgamma|digamma|polygamma",
    ),
    Known(
        "program",
        r"whose memory v\d+ has is .*, expected|has strides|whether v\d+ requires grad is False",
        "no lazy conjugation: conj of complex tensors is a copy",
        "program: v0 = t(3, 3); v1 = v0.conj(); backward  # complex128",
        r"conj|adjoint",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: view size is not compatible with input tensor's size and stride",
        "PyTorch's kron asks for a view of some products that have none; gnomon copies those",
        'program: v0 = t(3, 3, layout="permuted"); v1 = t(3); v2 = L.kron(v0, v1); backward  # float64',
        "kron",
    ),
    Known(
        "program",
        "raised RuntimeError: embedding: sparse=True",
        "gnomon has no sparse tensors",
        "program: v0 = t(3, 3); v1 = L.ops.aten.embedding.default(weight=v0, indices=L.tensor([2, 0, 1]), "
        "sparse=True); no_grad  # float64",
    ),
    Known(
        "program",
        f"{NUMBERS} .* expected nan",
        "PyTorch's tangent of a target is that of its logarithm, which a target below 0 does not have",
        "program: v0 = t(3, 3); v1 = F.kl_div(v0, v0); jacfwd  # float64",
        f"kl_div.*{FORWARD}",
    ),
    Known(
        "program",
        NUMBERS,
        "under vmap PyTorch counts as_strided's strides from the example, and gnomon from how it lies",
        'program: v0 = t(3, 3, layout="permuted"); v1 = v0.as_strided((2, 2), (1, 2)); hessian  # float32',
        f"as_strided.*{BATCHED}",
    ),
    Known(
        "program",
        f"{NUMBERS} .* expected nan",
        "exact also where the quotient is infinite; PyTorch's vector kernel gives up",
        'program: v0 = t(values="positive"); v1 = t(3, 3, values="special"); '
        "v2 = L.ops.aten.remainder.Tensor(self=v0, other=v1); no_grad  # float64",
        "remainder|fmod|%",
    ),
    Known(
        "program",
        f"{NUMBERS} .* expected (nan|-?inf)",
        "0 times what is no number is no number; gnomon's formulas select where PyTorch's tangents multiply",
        'program: v0 = t(3); v1 = t(3, values="distinct"); v2 = L.xlogy(v0, v1); hessian  # float64',
        f"(xlogy|kl_div|logsumexp|hypot).*{FORWARD}",
    ),
    Known(
        "program",
        r"raised \w+: (cum(max|min): Dimension out of range|index_add: index out of range|scaled_dot_product|"
        r"searchsorted|scalar_tensor: value cannot|expand: The expanded size of the tensor \(-1\))",
        "PyTorch looks at the arguments only where there are elements",
        "program: v0 = t(0, 3); v1 = t(3, 3); v0.index_add_(0, L.tensor([2, 0, 1]), v1); no_grad  # float64",
        r"t\(0, 3|, -1\]|searchsorted",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: (Found dtype \\w+ but expected|The size of tensor a .* must match)",
        "a gradient of another dtype is converted; and under vmap PyTorch broadcasts before it has lined up",
        "program: v0 = t(0, 3); v1 = t(); v2 = L.ops.aten.float_power.Tensor_Scalar(self=v1, exponent=0); "
        "v3 = L.ops.aten.huber_loss.default(self=v0, target=v2, reduction=0); backward  # float32",
        "_loss",
    ),
    Known(
        "program",
        NUMBERS,
        "under vmap gnomon's rule for a writing operator copies first; PyTorch's reads what it has written",
        'program: v0 = t(3, 3, values="distinct", layout="column"); v1 = v0.movedim(0, 0); '
        "v0.index_put_((L.tensor([2, 0, 1]),), v1, accumulate=True); vmap  # float64",
        rf"(index_put_|index_copy_|index_add_|scatter_|scatter_add_|\] = ).*{BATCHED}",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: (a view of )?a leaf Variable that requires grad is being used",
        "a copy, where PyTorch gives a view of what requires grad",
        "program: v0 = t(3, 3); v1 = v0.conj(); v1.pow_(2.0); backward  # complex128",
        r"conj|adjoint|floor_divide",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: (value cannot be converted to type float|ZeroTensors are immutable)",
        "PyTorch's derivative is computed with another operator, which has a check of its own",
        "program: v0 = t(3, 3); v1 = L.ops.aten.celu.default(self=v0, alpha=1e308); twice  # float64",
    ),
    Known(
        "program",
        r"whether v\d+ requires grad is False",
        "a range is made of the numbers of its bounds, which are not followed",
        "program: v0 = t(); v1 = L.ops.aten.logspace.Tensor_Tensor(start=v0, end=v0, steps=1); "
        "v2 = v0.neg(); backward  # float64",
        "(lin|log)space",
    ),
    Known(
        "program",
        "has (sizes|strides)|raised nothing, expected RuntimeError: Given groups=1, expected weight",
        "PyTorch's convolution without channels has no channels, whatever the weight has",
        "program: v0 = t(0, 3); v1 = F.conv1d(v0[None], v0[None]); backward  # float64",
        "conv",
    ),
    Known(
        "program",
        "raised RuntimeError: scaled_dot_product_attention: Expected key and value",
        "PyTorch looks at the sizes only when there is something to compute",
        "program: v0 = t(0, 3); v1 = t(3, 3); v2 = F.scaled_dot_product_attention(v0, v0, v1); "
        "no_grad  # float32",
    ),
    Known(
        "program",
        r"raised NotImplementedError: \w+: not implemented for dtype|raised RuntimeError: complex: Expected|"
        'raised nothing, expected NotImplementedError: "\\w+" not implemented for',
        "gnomon's dtypes follow from what an operator means, with and without elements; PyTorch's from the "
        "kernels that it picks",
        "program: v0 = t(0, 3); v1 = v0.softmax(0); no_grad  # complex128",
    ),
]

# What only other operators call, and what stands behind others' checks.
INNER = (
    r"\w*_backward(_data)?|_fused_\w+(\.\w+)?|_?native_(batch|layer|group)_norm\w*(\.\w+)?|_ctc_loss|_embedding_bag|"
    r"_adaptive_avg_pool\dd|_fft_\w+|_scaled_dot_product\w+|_local_scalar_dense|_safe_softmax|native_channel_shuffle"
)
STRANGE = r"special|nonfinite|extreme|inf|nan|e\+?308|e\+38|e-45|\d{9}|65504"  # numbers, and arguments
EMPTY = r"tensor\((\d+, )*0[,)]|\[(\d+, )*0[,\]]"

CALLS: list[Known] = [
    Known(
        INNER,
        r"^raised (RuntimeError|IndexError|ValueError|NotImplementedError): \w+: (?s:.*)([Ee]xpect|should|"
        r"must|has (sizes|to be)|not implemented|[Gg]iven|too small|dimension|padding|cannot be|out of)",
        "gnomon looks at what no other operator would hand in; PyTorch does not, or finds it later, and what "
        "it reads then is not the tensors' memory",
        "replication_pad1d_backward(tensor(2, 7), tensor(5, 4), [1, 2])  # float64, contiguous",
    ),
    Known(
        INNER,
        f"{MORE}(RuntimeError|NotImplementedError): (Found dtype|expected scalar type|approximate argument|"
        "could not create a primitive|masked_scatter: expected|isneginf does|Expected tensor for|The size)",
        "gnomon converts a gradient, or an index, of another dtype",
        'log_sigmoid_backward(tensor(2), tensor(2), tensor(2, dtype="complex64"))  # float64, offset',
    ),
    Known(
        INNER,
        NUMBERS,
        "what a formula makes of infinite and of overflowing numbers is left open: its terms are summed in "
        "another order",
        "native_layer_norm_backward(tensor(2, 3, 4), tensor(2, 3, 4), [4], "
        'tensor(2, 3, 1, values="nonfinite"), '
        'tensor(2, 3, 1, values="positive"), tensor(4), tensor(4), [True, True, True])  # float32, column',
        STRANGE,
    ),
    Known(
        ANY,
        "raised OutOfMemoryError",
        "how much memory there is in a process, PyTorch knows otherwise",
        "unsafe_chunk(tensor(0, 2), 4611686018427387904, 0)  # uint8, offset",
    ),
    Known(
        "cummax|cummin",
        "^raised IndexError: cum(max|min): Dimension out of range",
        "PyTorch looks at the dimension only where there are elements",
        "cummin(tensor(0, 3), 2147483649)  # bool, window",
        EMPTY,
    ),
    Known(
        ANY,
        r"^raised NotImplementedError: \w+: not implemented for dtype|"
        r"^raised RuntimeError: \w+: (expected m1|value cannot be converted|input \[.* too small|Input type)",
        "PyTorch looks at the dtype, and at other arguments, only where there are elements",
        'bmm(tensor(0, 2, 3, dtype="bool"), tensor(0, 3, 2))  # bfloat16, offset',
        EMPTY,
    ),
    Known(
        "hardsigmoid(_backward)?|hardswish(_backward)?",
        NUMBERS,
        "a sixth is rounded to float64; PyTorch's kernel has float32's",
        'hardsigmoid_backward(tensor(2, 3, dtype="float64"), tensor(2, 3))  # int32, contiguous',
        "float64",
    ),
    Known(
        r"\w+_loss(_forward|\.\w+)?|_?ctc_loss\.\w+|binary_cross_entropy_with_logits",
        r"result has (sizes|strides|dtype)|INTERNAL ASSERT|result: element",
        "a reduction that is neither 0, 1 nor 2 is none, here; PyTorch's operators take it in several ways",
        "soft_margin_loss(tensor(4), tensor(4), 16777216)  # float32, contiguous",
        r", (-1|-2|[3-9]|-?\d{5,})(, [^,()]*)*\)  # ",
    ),
    Known(
        r"rad2deg|deg2rad|abs|absolute|relu6|hardtanh|rsub\.\w+|binary_cross_entropy_with_logits|repeat_interleave\.Tensor",
        "^result has strides",
        "the strides of a dimension of one element mean nothing, nor those of a tensor of none; PyTorch's "
        "are of whichever operand its kernel takes first",
        "deg2rad(tensor(1))  # float64, column",
        r"tensor\((\d+, )*[01](, \d+)*[,)]",
    ),
    Known(
        "native_channel_shuffle",
        "has (strides|alias)",
        "a new tensor, as from any other kernel; PyTorch returns a view where nothing moves",
        "native_channel_shuffle(tensor(0, 4, 2, 1), 1)  # float32, overlapping",
    ),
    Known(
        r"view\.dtype",
        r"element \d+ is \d+, expected True",
        "the bytes are the same; as a bool Python shows any that is not 0 as True",
        'view.dtype(tensor(2, 8, dtype="int8"), "bool")  # int16, contiguous',
        '"bool"',
    ),
    Known(
        "conj|adjoint",
        "has (alias|strides|storage)",
        "no lazy conjugation: conj of complex tensors is a copy",
        'conj(tensor(1, 2, dtype="complex64"))  # uint8, mixed',
        "complex",
    ),
    Known(
        "einsum",
        f"{MORE}RuntimeError: einsum\\(\\): expected contraction path",
        "gnomon multiplies from left to right, whatever path is proposed",
        'einsum("ij,jk->ik", [tensor(2, 3), tensor(3, 4)], path=[-2])  # float32, contiguous',
    ),
    Known(
        ANY,
        r"expected RuntimeError: (setStorage: sizes|as_strided: Negative strides|Trying to create tensor "
        r"with negative dimension)|^raised \w+: (\w+: )?(setStorage: sizes|Storage size calculation over)",
        "a product of sizes and strides that has no place in 64 bits is another number to PyTorch",
        "slice.Tensor(tensor(4, 3), 0, 1, None, 4611686018427387904)  # bool, contiguous",
        r"\d{16}|" + EMPTY,
    ),
    Known(
        ANY,
        f"{MORE}RuntimeError: (value cannot be converted to type int without|stride should be greater than)",
        "PyTorch's kernels count some arguments in 32 bits",
        "max_pool1d_with_indices(tensor(2, 5), [2], [2147483648], [0], [1], False)  # float64, transposed",
        r"\d{10}",
    ),
    Known(
        r"norm\.\w+|dist|pairwise_distance|linalg_\w*norm(\.\w+)?|_?cdist\w*|embedding_renorm_?",
        NUMBERS,
        "the norm of large and small numbers, or to a large power, is computed without overflow on the way",
        "pairwise_distance(tensor(2, 3), tensor(2, 3), 3e+38, 1e-06, False)  # int16, contiguous",
        STRANGE,
    ),
    Known(
        "pixel_shuffle|pixel_unshuffle",
        "expected RuntimeError: Unsupported memory format|expected ValueError: upscale factor is too large",
        "gnomon shuffles whatever the strides are, and multiplies without overflow",
        'pixel_shuffle(tensor(1, 1, 8, 1, 2, dtype="int8"), 2)  # int32, permuted',
    ),
    Known(
        r"ctc_loss\.\w+",
        "raised RuntimeError: ctc_loss: Expected targets to be int32 or int64",
        "PyTorch reads targets of uint8, which its own documentation does not name",
        'ctc_loss.IntList(tensor(5, 2, 4), tensor(2, 3, dtype="uint8"), [5, 5], [3, 3], 3, 0, True)  '
        "# float32, window",
    ),
    Known(
        r"searchsorted\.Scalar|bucketize\.Scalar",
        "raised RuntimeError: scalar_tensor: value cannot be converted",
        "gnomon looks for a number among numbers of one dtype, which has to hold it",
        "searchsorted.Scalar(tensor(2), 9223372036854775807)  # int32, varied",
    ),
    Known(
        r"_?upsample_\w+(\.\w+)?",
        NUMBERS,
        "of a scale that leads beyond all places PyTorch converts the place to an integer that it is not",
        "upsample_nearest1d(tensor(1, 2, 4), [7], 1e-45)  # float64, contiguous",
        STRANGE,
    ),
    Known(
        r"(nan)?median\.dim",
        NUMBERS,
        "PyTorch sorts where the input lies, and so what is expanded is in another order than it was",
        'nanmedian.dim(tensor(1, 2, 4, 3, values="small"), 1, True)  # int16, expanded',
        "expanded|overlapping|mixed|varied",
    ),
    Known(
        "embedding_dense_backward",
        NUMBERS,
        "of integers PyTorch divides the scale, which is 0 then; there is no gradient of integers to be had",
        'embedding_dense_backward(tensor(5, 3), tensor(5, dtype="int64", values="below 4"), 4, -1, True)  '
        "# uint8, offset",
        "# (bool|u?int)",
    ),
    Known(
        r"fft_\w+|_fft_\w+",
        f"{MORE}RuntimeError: MKL FFT error",
        "of no elements there is nothing to transform",
        "fft_fft(tensor(0, 2, 5), 3, -1, None)  # complex128, contiguous",
        on_some_machines=True,
    ),
    Known(
        r"fft_\w+|(std|var)_mean(\.\w+)?",
        NUMBERS,
        "what infinite numbers come to depends on the order of a sum",
        'std_mean.dim(tensor(2, 3, values="nonfinite"), [0], True, True)  # float64, gapped',
        STRANGE,
    ),
    Known(
        "diff",
        "^raised IndexError: diff: Dimension out of range",
        "PyTorch looks at the dimension only where there are differences to take",
        "diff(tensor(2, 4), 0, 2147483647, None, None)  # int16, odd ones",
        ", 0, ",
    ),
    Known(
        "view_as_complex|complex",
        "^raised RuntimeError: (complex|view_as_complex): ",
        "gnomon has no complex32",
        'view_as_complex(tensor(2, dtype="float16"))  # int8, odd ones',
        "float16",
    ),
    Known(
        r"max_pool\w+",
        r"^raised RuntimeError: max_pool\w+: .*Calculated output size",
        "PyTorch's kernels count some arguments in 32 bits",
        "max_pool1d(tensor(2, 2, 7), [3], [1], [0], [2147483649], False)  # float32, contiguous",
        r"\d{10}",
    ),
    Known(
        "rrelu",
        "raised NotImplementedError: rrelu: not implemented for dtype bfloat16",
        "gnomon draws its slopes as float32 and float64",
        "rrelu(tensor(2, 3), 0.125, 0.25, True, None)  # bfloat16, window",
    ),
    Known(
        "topk",
        NUMBERS,
        "which of equal elements is first, nobody says, nor in which order they come that need not be sorted",
        'topk(tensor(2, 4, values="distinct"), 4, 1, True, False)  # int64, varied',
        r"False\)  #|values=",
    ),
    Known(
        "binary_cross_entropy",
        f"{MORE}RuntimeError: The size of tensor a",
        "target broadcasts, as in other losses; nn.functional refuses it, as PyTorch's does",
        'binary_cross_entropy(tensor(2, 1, values="probability"), tensor(2, 3, values="probability"), '
        "None, 2)  # float32, contiguous",
    ),
    Known(
        r"bilinear|addmv|_pdist_forward|baddbmm|addbmm|index_put_?|scatter\\.\\w+",
        r"raised RuntimeError: .*\nexpected IndexError",
        "of a tensor that has too few dimensions gnomon says how many there should be; PyTorch reads the "
        "size that is not there",
        "bilinear(tensor(2), tensor(3), tensor(4, 2), tensor(4))  # int16, contiguous",
    ),
]

EVERYWHERE: list[Known] = [
    Known(
        ANY,
        f"{NUMBERS} \\(nan\\+nanj\\), expected",
        "a complex number to the power of an infinite one has no limit",
        "pow.Scalar(inf, tensor(2, 3))  # complex128, contiguous",
        r"pow|\*\*",
    ),
    Known(
        ANY,
        "INTERNAL ASSERT FAILED",
        "PyTorch's own words for what should not be",
        "mse_loss(tensor(), tensor(), -1)  # float64, contiguous",
    ),
]

KNOWN = [*CALLS, *PROGRAMS, *EVERYWHERE]


def unknown(name: str, text: str, problems: list[str]) -> list[str]:
    """The problems of a case that no known difference covers."""
    return [each for each in problems if not any(known.covers(name, text, each) for known in KNOWN)]
