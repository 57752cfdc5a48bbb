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
        NUMBERS,
        "what is scattered into the memory that it lies in is read before or after that was written",
        'program: v0 = t(3, 3, layout="column"); v1 = v0.permute(1, 0); '
        "v0.scatter_(0, L.tensor([[2, 0, 1], [0, 0, 2], [1, 1, 1]]), v1); jvp  # float64",
        r"(v\d+) = (v\d+)\.permute.*\2\.scatter_\(.*, \1\)",
    ),
    Known(
        "program",
        r"jacobian has dtype \w+, expected float32",
        "PyTorch makes a Jacobian that is all zeros in the default dtype",
        'program: v0 = t(values="ties"); v2 = L.ops.aten.var_mean.dim(self=v0, dim=None)[0]; v2.zero_(); '
        "jacfwd  # bfloat16",
        "; jacfwd  #",
    ),
    Known(
        "program",
        r"has sizes \(1, 0, 3\), expected \(0, 3\)",
        "attention over nothing has the sizes of attention over something",
        'program: v0 = t(0, 3, values="unit"); v3 = v0.unsqueeze(0); v4 = '
        "L.ops.aten.scaled_dot_product_attention.default(query=v0, key=v0, value=v3, scale=None); "
        "backward  # float64",
        "scaled_dot_product_attention",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: Function BinaryCrossEntropyWithLogitsBackward0 returned an invalid gradient",
        "PyTorch's second derivative forgets that the target was broadcast",
        'program: v0 = t(0, 3, values="equal", layout="odd ones"); v1 = t(values="unit"); v3 = '
        "L.ops.aten.binary_cross_entropy_with_logits.default(self=v1, target=v0); twice  # float64",
        "binary_cross_entropy_with_logits",
    ),
    Known(
        "program",
        r"v\d+ has sizes \(\d+, \d+\), expected \(\d+, \d+\)",
        "whether an element of a norm in half precision is 0 is a matter of rounding",
        'program: v0 = t(3, 1, values="distinct"); v3 = v0.reshape(-1); v4 = F.layer_norm(v3, (3,)); '
        "v5 = L.ops.aten.nonzero.default(self=v4); no_grad  # float16",
        "_norm.*nonzero.*# b?float16",
    ),
    Known(
        "program",
        r"element \d+ is -?3\.\d+e\+38, expected -?inf",
        "PyTorch multiplies by 6 before it divides by 6, in float32, which overflows",
        'program: v0 = t(3, 3, values="nonzero", layout="expanded"); v1 = t(1, 3, values="distinct"); '
        'v2 = t(1, 3, values="special", layout="offset"); v3 = L.ops.aten.hardswish.default(self=v2); '
        "backward  # bfloat16",
        "hardswish",
    ),
    Known(
        "program",
        f"{MORE}NotImplementedError: the derivative for '_cdist_backward' is not implemented",
        "gnomon has the formula",
        "program: v0 = t(3, 1); v1 = L.cdist(v0, v0); twice  # float32",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: derivative for aten::(floor_divide|hardsigmoid_backward|logspace|linspace|"
        f"native_channel_shuffle) is not",
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
        r"\b(norm(\.\w+)?|vector_norm(\.\w+)?|normalize|pairwise_distance\.\w+)\(.*(1e308|2\*\*62|1e-45|"
        r"-1\.5)|"
        r"values=\"(special|extreme|tiny|nothing|nonfinite)\".*(\b|_)(norm(\.\w+)?|vector_norm(\.\w+)?|"
        r"normalize|cdist|distance\.\w+)\(",
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
        r"raised \w+: (cum(max|min): Dimension out of range|index_(add|fill): index .*out of|"
        r"scaled_dot_product|"
        r"searchsorted|scalar_tensor: value cannot|expand: The expanded size of the tensor \(-1\)|"
        r"multilabel_|adaptive_max_pool|"
        r"as_strided: Negative sizes|(expand: )?The expanded size of the tensor \(-1\)|expand: invalid "
        r"size|diff: )",
        "PyTorch looks at the arguments only where there are elements",
        "program: v0 = t(0, 3); v1 = t(3, 3); v0.index_add_(0, L.tensor([2, 0, 1]), v1); no_grad  # float64",
        r"t\(0, 3|, -1\]|\[-1, |searchsorted|n=0",
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
        f"{MORE}RuntimeError: (value cannot be converted to type \\S+ without|ZeroTensors are immutable)",
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
    Known(
        "program",
        f"{MORE}RuntimeError: Can't detach views in-place",
        "a tensor of its own, where PyTorch returns a view of what nobody else has",
        "program: v0 = t(3, 3); v1 = L.ops.aten.inner.default(self=v0, other=v0); v1.detach_(); "
        "backward  # float64",
        r"\.detach_\(\)",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: Trying to use a saved tensor that has been detached in-place",
        "gnomon's formula saves less: of a quotient that is rounded nothing",
        "program: v0 = t(3, 1); v1 = v0.norm(2, 0); v2 = L.ops.aten.div.Tensor_mode(self=v0, other=v1, "
        'rounding_mode="floor"); v1.detach_(); backward  # float64',
        r"\.detach_\(\)",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: output with shape .* doesn't match the broadcast shape",
        "these losses broadcast as all others do; PyTorch's write to a tensor that is too small for it",
        "program: v0 = t(); v1 = v0[None]; v2 = L.ops.aten.soft_margin_loss.default(self=v0, target=v1); "
        "no_grad  # float32",
        "soft_margin_loss|binary_cross_entropy_with_logits",
    ),
    Known(
        "program",
        f"the (gradient|second|jacobian|hessian).*{NUMBERS}|its tangent: {NUMBERS}",
        "PyTorch's gradient of the mean of losses of unlike sizes divides by the number of elements before "
        "they are broadcast",
        "program: v0 = t(3); v1 = t(); v2 = L.ops.aten.mse_loss.default(self=v0, target=v1); backward  # "
        "float64",
        r"aten\.(mse|huber|smooth_l1)_loss",
    ),
    Known(
        "program",
        NUMBERS,
        "what overlaps in part is written to in an order that nobody promises",
        "program: v0 = t(3, 3); v1 = v0.unfold(0, 2, 1); v1.cumsum_(-1); no_grad  # float64",
        r"(unfold\(|as_strided).*(_\(|\+=|\*=|\] = )",
    ),
    Known(
        "program",
        r"raised \w+: (\w+: )?copy_: unsupported operation: more than one element of the written-to",
        "the tangent of what is expanded is expanded, too, and not written to",
        "program: v0 = t(3); v1 = v0.expand(3, 3); v1.zero_(); jvp  # float64",
        f"expand.*{FORWARD}",
    ),
    Known(
        "program",
        r"raised RuntimeError: linear: weight must be a matrix",
        "gnomon's linear adds a bias to what matrices give; PyTorch's without dimensions, and under vmap, "
        "adds "
        "whatever can be broadcast",
        "program: v0 = t(3); v1 = t(); v2 = F.linear(v0, v0, v1); no_grad  # float64",
        "linear",
    ),
    Known(
        "program",
        f"(gradient|jacobian|hessian|tangent)[^:]*: {NUMBERS} \\(?-?(inf|nan)\\S*, expected \\(?-?(inf|nan)",
        "a derivative that is no finite number is infinite or none by the order in which it is multiplied",
        'program: v0 = t(3, 1, layout="offset"); v1 = t(3, 3, values="nothing"); v2 = v1.cumprod(0); '
        "v3 = L.xlogy(v0, v2); backward  # float32",
    ),
    Known(
        "program",
        f"(gradient|jacobian|hessian|tangent)[^:]*: {NUMBERS} .* expected \\(?-?(inf|nan)",
        "gnomon's derivatives of derivatives select where PyTorch's multiply by 0, which is none times "
        "infinity",
        'program: v0 = t(1, 3); v1 = t(2, 3, 3, values="small"); v2 = t(2, 3, 3); '
        "v3 = L.ops.aten.triplet_margin_loss.default(anchor=v1, positive=v2, negative=v1, eps=0, "
        "reduction=2); "
        "twice  # float32",
        "; (twice|jvp|jacfwd|hessian|jvp of grad)  #",
    ),
    Known(
        "program",
        NUMBERS,
        "0 to the power of 0 is 1, of complex numbers, too; PyTorch takes a logarithm",
        "program: v0 = t(3); v1 = v0 - v0; v2 = v1 ** v1; no_grad  # complex128",
        r"(\*\* v\d|pow).*# complex",
    ),
    Known(
        "program",
        f"the gradient of v\\d+.*{NUMBERS}|the (gradients|jacobian|hessian|second)[^:]*: {NUMBERS}|its "
        f"tangent: {NUMBERS}",
        "PyTorch's second derivative moves the probabilities by 1e-12",
        "program: v0 = t(3, 3); v1 = v0.softmax(0); v2 = L.ops.aten.binary_cross_entropy.default(self=v1, "
        "target=v1); jvp of grad  # float64",
        "binary_cross_entropy.*(twice|hessian|jvp of grad)  #",
    ),
    Known(
        "program",
        "raised RuntimeError: one of the variables needed for gradient computation has been modified",
        "PyTorch's kron multiplies copies of operands that do not lie row-major",
        'program: v0 = t(3, 3, layout="permuted"); v1 = v0 * v0; v2 = L.kron(v1, v1); v1.fill_(0.5); '
        "backward  # float64",
        "kron",
    ),
    Known(
        "program",
        NUMBERS,
        "the sign of what is no number means nothing",
        'program: v0 = t(0, 3, layout="mixed"); v1 = v0.mean(0); v2 = L.ops.aten.signbit.default(self=v1); '
        "no_grad  # float64",
        r"(\b0, 3|special|nonfinite|extreme|nan|inf|arc|acos|asin|sqrt|log|%|/).*(signbit|copysign)",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: Trying to set a forward gradient that has a different size",
        "PyTorch's tangents of a norm of all elements, and of a loss of no elements, are of other sizes",
        "program: v0 = t(3); v1 = t(0, 3); v2 = L.ops.aten.binary_cross_entropy.default(self=v0, target=v1); "
        "jvp of grad  # float64",
        "norm|_loss|binary_cross_entropy",
    ),
    Known(
        "program",
        f"{NUMBERS} \\(?-?(inf|nan)\\S*, expected \\(?-?(inf|nan)",
        "what infinite numbers come to depends on the order of a sum",
        'program: v0 = t(3, 3, values="nonfinite"); v1 = F.conv1d(v0[None], v0[None]); no_grad  # bfloat16',
        r"(special|nonfinite|extreme|inf|nan|1e308).*(conv|linear|matmul|@|einsum|mm|bilinear|sum|mean|"
        r"inner|dot)",
    ),
    Known(
        "program",
        NUMBERS,
        "PyTorch sorts where the input lies, and so what is expanded is in another order than it was",
        'program: v0 = t(3); v1 = t(3, 3, values="nonzero", layout="expanded"); v2 = v1.median(0)[0]; '
        "backward  # float32",
        r'"(expanded|mixed)".*median|expand.*median',
        on_some_machines=True,
    ),
    Known(
        "program",
        f"(gradient|jacobian|hessian|tangent)[^:]*: {NUMBERS}",
        "which product of many overflows, the order of the factors says",
        "program: v0 = t(3, 3); v1 = L.ops.aten.addcdiv.default(self=v0, tensor1=v0, tensor2=v0, "
        "value=1e308); "
        "jacfwd  # float64",
        r"\b(1e308|1e-45)\b|values=\"tiny\".*(divide|/)",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: unsupported operation: some elements of the input tensor and the written-to",
        "of a tensor with gaps that is put into itself gnomon does not know that it is itself",
        'program: v0 = t(3, layout="expanded"); v0.index_put_((L.tensor([2, 0, 1]),), v0, accumulate=True); '
        "no_grad  # float64",
        "index_put_|\\] = ",
    ),
    Known(
        "program",
        f"{NUMBERS} -?inf, expected nan",
        "PyTorch's vector kernel of gelu multiplies infinity by 0",
        'program: v0 = t(2, 3, 3, values="nonfinite"); v1 = F.gelu(v0); no_grad  # float32',
        "gelu",
        on_some_machines=True,
    ),
    Known(
        "program",
        f"{MORE}NotImplementedError: the derivative for '_pdist_backward' is not implemented",
        "gnomon has the formula",
        "program: v0 = t(3, 3); v1 = L.ops.aten.pdist.default(self=v0); twice  # float32",
    ),
    Known(
        "program",
        f"{MORE}NotImplementedError: Trying to use forward AD with .* that does not support it",
        "gnomon's tangents follow from its formulas, and so there are more of them than PyTorch wrote",
        "program: v0 = t(3, 3); v1 = L.ops.aten.soft_margin_loss.default(self=v0, target=v0, reduction=2); "
        "jvp  # float32",
    ),
    Known(
        "program",
        "the tangent has dtype",
        "PyTorch's tangent of a quotient of a number and a tensor without dimensions is float64's",
        'program: v0 = t(values="special"); v0.mul_(v0); v1 = 2.0 / v0; jvp  # float32',
        "/ v",
    ),
    Known(
        "program",
        NUMBERS,
        "gnomon sums before it divides, which overflows; PyTorch's mean moves from one number to the next",
        'program: v0 = t(2, 3, 3, values="tiny"); v0[v0 > 0] = 1e308; v1 = v0.std(-1); no_grad  # float64',
        r"1e308.*(std|var)|(std|var).*1e308",
    ),
    Known(
        "program",
        r"raised RuntimeError: vmap: It looks like you're calling .item",
        "a range is made of the numbers of its bounds, which differ between examples",
        "program: v0 = t(); v1 = L.ops.aten.linspace.Tensor_Tensor(start=v0, end=v0, steps=2); vmap  # "
        "float64",
        "(lin|log)space",
    ),
    Known(
        "program",
        r"raised RuntimeError: vmap: We do not support batching operators that can output dynamic shape",
        "gnomon's gradient of masked_scatter selects what was scattered",
        "program: v0 = t(3, 3); v1 = t(3, 1); v2 = L.ops.aten.masked_scatter.default(self=v1, mask=v0 > 0, "
        "source=v0); vmap of grad  # float64",
        "masked_scatter",
    ),
    Known(
        "program",
        f"(second|hessian|tangent)[^:]*: {NUMBERS} nan, expected",
        "gnomon's second derivative of exp(x) - 1 is exp(x) times what it is multiplied with, infinite or 0",
        'program: v0 = t(3, 3, values="special"); v1 = F.elu(v0); twice  # bfloat16',
        r"\b(s|c)?elu\b",
    ),
    Known(
        "program",
        "^v.*has strides",
        "gnomon's einsum orders the product's dimensions by itself",
        'program: v0 = t(3, 3, values="extreme", layout="offset"); v1 = t(2, 3, 3, values="equal"); '
        'v2 = L.einsum("...ij,...jk->...ik", v0, v1); backward  # float32',
        "einsum|@",
    ),
    Known(
        "program",
        f"tangent: {NUMBERS}",
        "PyTorch's tangent of silu of complex numbers is conjugate where it has not to be",
        "program: v0 = t(2, 3, 3); v1 = L.ops.aten.silu.default(self=v0); jvp  # complex128",
        "silu.*# complex",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: Expected isFloatingType",
        "a real operand's gradient is the real part of a complex one",
        "program: v0 = t(); v1 = L.ops.aten.polar.default(abs=v0, angle=v0); "
        "v2 = L.ops.aten.fill.Tensor(self=v1, value=v0); backward  # float32",
    ),
    Known(
        "program",
        f"tangent: {NUMBERS}",
        "PyTorch's tangent of smooth_l1_loss without a curve is not its gradient, at the kink",
        "program: v0 = t(3, 3); v1 = L.ops.aten.smooth_l1_loss.default(self=v0, target=v0, beta=0); "
        "jvp  # float64",
        "smooth_l1_loss.*beta=0",
    ),
    Known(
        "program",
        NUMBERS,
        "what overlaps in part is copied in an order that nobody promises",
        "program: v0 = t(3, 3); v1 = v0.unbind(-1)[0]; v2 = v0.transpose(0, 0); v2.copy_(v1); "
        "no_grad  # float64",
        r"(unbind|select|\[\.\.\., 0\]|\[-1\]|diagonal).*(copy_|addcmul_)\(",
    ),
]

# What only other operators call, and what stands behind others' checks.
INNER = (
    r"\w*_backward(_data)?|_fused_\w+(\.\w+)?|_?native_(batch|layer|group)_norm\w*(\.\w+)?|_ctc_loss|"
    r"_embedding_bag|"
    r"_adaptive_avg_pool\dd|_fft_\w+|_scaled_dot_product\w+|_local_scalar_dense|_safe_softmax|"
    r"native_channel_shuffle"
)
STRANGE = r"special|nonfinite|extreme|inf|nan|e\+?308|e\+38|e-45|\d{9}|65504"  # numbers, and arguments
EMPTY = r"tensor\((\d+, )*0[,)]|\[(\d+, )*0[,\]]"

CALLS: list[Known] = [
    Known(
        r"pdist|_pdist_forward",
        r"element \d+ is inf, expected",
        "PyTorch takes an order that float32 does not hold for infinity",
        'pdist(tensor(2, 3, dtype="float32"), 1e+308)  # int8, overlapping',
        r", 1e\+308\)",
    ),
    Known(
        "topk",
        r"^result 1: element \d+ is \d+, expected \d+",
        "of equal elements, as repeated ones are, gnomon names the first",
        'topk(tensor(2, 4, dtype="int16"), 4, 1, True, True)  # int16, expanded',
        "expanded$",
    ),
    Known(
        "_cdist_backward",
        "has (sizes|strides)",
        "a gradient of other sizes than a distance has, which PyTorch does not look at",
        '_cdist_backward(tensor(2, 2, 4), tensor(2, 3), tensor(4, 3), 1.5, tensor(2, 4, values="positive"))  '
        "# float64, overlapping",
    ),
    Known(
        "_pdist_backward",
        "raised RuntimeError: pdist_backward: _pdist_backward only supports 2D tensors",
        "of other tensors there is no pdist",
        '_pdist_backward(tensor(6, layout="contiguous"), tensor(2, 4, 1, layout="contiguous"), 1.5, '
        'tensor(6, values="positive", layout="contiguous"))  # float32, transposed',
    ),
    Known(
        "slice.Tensor",
        f"{MORE}RuntimeError: Storage size calculation overflowed",
        "a step that goes beyond the end is never taken, and needs no place",
        "slice.Tensor(tensor(5), -1, -3, 100, 9223372036854775807)  # float64, column",
        r"\d{15,}\)",
    ),
    Known(
        r"pow_?\.Tensor_Scalar",
        r"element \d+ is -?(inf|0\.0), expected -?(inf|0\.0)",
        "the exponent is a number of the dtype, in which odd ones beyond 2**24 are none; for PyTorch not in "
        "the elements behind the last whole vector",
        'pow.Tensor_Scalar(tensor(2, 1, dtype="float32"), -2147483649)  # bfloat16, offset',
        r"\), -?\d{8,}",
    ),
    Known(
        "norm.ScalarOpt_dtype",
        f"{MORE}RuntimeError: Expected out tensor to have dtype float, but got",
        "a norm of complex numbers is real, whatever complex dtype they are to be summed in",
        'norm.ScalarOpt_dtype(tensor(2, 3, dtype="complex64"), 1, dtype="complex64")  # float16, contiguous',
    ),
    Known(
        INNER,
        r"^raised (RuntimeError|IndexError|ValueError|NotImplementedError): \w+(\(\))?: (?s:.*)([Ee]xpect|"
        r"should|"
        r"must|output with shape|has (sizes|to be)|not implemented|[Gg]iven|too small|dimension|padding|"
        r"cannot be|out of)",
        "gnomon looks at what no other operator would hand in; PyTorch does not, or finds it later, and what "
        "it reads then is not the tensors' memory",
        "replication_pad1d_backward(tensor(2, 7), tensor(5, 4), [1, 2])  # float64, contiguous",
    ),
    Known(
        INNER,
        f"{MORE}(RuntimeError|NotImplementedError): (Found dtype|expected scalar type|approximate argument|"
        "could not create a primitive|masked_scatter: expected|isneginf does|Expected tensor for|The size|"
        '"\\w+" not implemented for|TensorAccessor expected 1 dims|output_padding is not)',
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
        "raised OutOfMemoryError|DefaultCPUAllocator",
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
        f"{MORE}RuntimeError: einsum\\(\\): (expected contraction path|invalid contraction)",
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
        f"{MORE}RuntimeError: (value cannot be converted to type int without|(stride|dilation) should be "
        f"greater than)",
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
    Known(
        r"grid_sampler(_[23]d)?(_backward)?",
        r"^raised RuntimeError: \w+: expected (interpolation|padding)_mode to be",
        "of a mode that there is not, PyTorch gives memory that nobody has written to",
        "grid_sampler_2d(tensor(1, 2, 3, 4), tensor(1, 2, 3, 2), 3, 0, False)  # float64, contiguous",
    ),
    Known(
        "polygamma_?",
        f"{NUMBERS} nan, expected -inf",
        "PyTorch's kernel counts the order in 32 bits",
        "polygamma(1099511627776, tensor())  # int64, transposed",
        r"\d{10}",
    ),
    Known(
        r"sort\.stable",
        f"result 1: {NUMBERS}",
        "which of equal elements is first, nobody says of a sort that is not stable",
        'sort.stable(tensor(40, values="below 3"), stable=False, dim=-1, descending=True)  # int8, window',
        "stable=False|stable=None",
    ),
    Known(
        r"result_type\..*",
        "expected 'complex32'",
        "gnomon has no complex32: half with complex is complex64",
        'result_type.Scalar(tensor(2, dtype="float16"), 1j)  # int16, window',
        "float16",
    ),
    Known(
        "linalg_svdvals|linalg_svd",
        "raised RuntimeError: linalg_svd: linalg.svd: (The algorithm failed to converge|keyword argument)",
        "PyTorch looks at the driver only where there are elements, and at infinite numbers only where "
        "LAPACK "
        "does",
        'linalg_svdvals(tensor(0, 2), driver="")  # float64, offset',
    ),
    Known(
        "cross_entropy_loss|program",
        "raised RuntimeError: cross_entropy_loss: label_smoothing must be between",
        "PyTorch takes a smoothing below 0, and NaN, for none",
        'cross_entropy_loss(tensor(3, 4), tensor(3, dtype="int64", values="below 4"), None, 0, -100, -1.0)  '
        "# float64, varied",
    ),
    Known(
        "_pdist_forward",
        "raised RuntimeError: pdist: only supports",
        "gnomon looks at what no other operator would hand in",
        "_pdist_forward(tensor(4, 3), -1.0)  # float32, contiguous",
    ),
    Known(
        "affine_grid_generator",
        "raised NotImplementedError: affine_grid_generator: not implemented for dtype u?int",
        "a grid of integers, from -1 to 1, is of no use to anything",
        'affine_grid_generator(tensor(2, 2, 3, dtype="int16"), [2, 1, 3, 1], True)  # float32, varied',
    ),
    Known(
        "soft_margin_loss|binary_cross_entropy_with_logits",
        f"{MORE}RuntimeError: output with shape .* doesn't match the broadcast shape",
        "these losses broadcast as all others do; PyTorch's write to a tensor that is too small for it",
        'soft_margin_loss(tensor(4), tensor(0, 4, values="signs"), 1)  # float64, column',
    ),
    Known(
        "_fft_c2r|_fft_r2c|_fft_c2c",
        "has (sizes|strides)|element",
        "dimensions are counted from the end, too, where PyTorch's public functions have counted them before",
        "_fft_c2r(tensor(2, 3, 4), [-1], 1, 3)  # complex128, mixed",
        r", \[(-?\d+, )*-\d",
    ),
    Known(
        "(float_)?pow.*",
        f"{NUMBERS} \\(1\\+0j\\), expected \\(nan",
        "0 to the power of 0 is 1, of complex numbers, too; PyTorch takes a logarithm",
        'float_power.Scalar(0.0, tensor(3, values="nothing"))  # complex64, gapped',
        "complex",
    ),
    Known(
        "logit_?",
        NUMBERS,
        "PyTorch rounds eps to halves before it clamps halves by it",
        'logit(tensor(3, values="zeros"), 1e-45)  # float16, contiguous',
        "e-.*float16",
    ),
    Known(
        "native_dropout",
        "has (alias|dtype)",
        "of no elements, too, gnomon gives a copy and a mask",
        "native_dropout(tensor(2, 0), 0.25, None)  # float64, odd ones",
        EMPTY,
    ),
    Known(
        r"_scaled_dot_product_flash_attention_for_cpu",
        f"{NUMBERS} .* expected nan",
        "what is masked is left out; PyTorch multiplies it, which is -inf, by the scale",
        "_scaled_dot_product_flash_attention_for_cpu(tensor(1, 2, 3, 2), tensor(1, 2, 4, 2), "
        "tensor(1, 2, 4, 2), 0.0, True, attn_mask=None, scale=-0.5)  # float64, contiguous",
        r"scale=(-|0\.0)",
    ),
    Known(
        "gelu_?",
        f"{NUMBERS} -?inf, expected nan",
        "PyTorch's vector kernel multiplies infinity by 0",
        'gelu(tensor(2, 3, values="nonfinite"))  # float32, contiguous',
        STRANGE,
        on_some_machines=True,
    ),
    Known(
        "logsumexp",
        f"{MORE}RuntimeError: output with shape",
        "of integers, too, no dimensions are all dimensions",
        'logsumexp(tensor(3, dtype="int64"), [], False)  # float32, gapped',
        r"\[\]",
    ),
    Known(
        "addmv_?",
        "has (sizes|strides)",
        "the result has the sizes of the product, of no elements, too",
        "addmv(tensor(), tensor(0, 3), tensor(3), beta=0.5, alpha=-1.5)  # float32, contiguous",
        EMPTY,
    ),
    Known(
        "triplet_margin_loss",
        f"{NUMBERS} .* expected (nan|-?inf)",
        "the norm of large and small numbers, or to a large power, is computed without overflow on the way",
        "triplet_margin_loss(tensor(4, 3), tensor(4, 3), tensor(4, 3), 1.0, 65504.0, 1e-06, False, 1)  "
        "# float16, offset",
        STRANGE,
    ),
    Known(
        r"scatter(_add|_reduce)?_?\.?\w*|index_add|index_copy",
        r"raised RuntimeError: \w+: Index tensor must have the same number of dimensions.*\n"
        "expected IndexError",
        "of a tensor that has too few dimensions gnomon says how many there should be; PyTorch reads the "
        "size that is not there",
        'scatter.reduce(tensor(3, 4), 1, tensor(2, 1, dtype="int64", values="below 4"), tensor(3), '
        'reduce="add")  # bfloat16, window',
    ),
    Known(
        r"_?conv\w*(\.\w+)?",
        f"{NUMBERS} \\(?-?(inf|nan)\\S*, expected \\(?-?(inf|nan)",
        "what infinite numbers come to depends on the order of a sum, and on what is summed beside padding",
        'conv3d(tensor(1, 2, 3, 3, 3), tensor(2, 2, 2, 2, 2, values="special"), tensor(2), [1, 1, 1], [1, '
        "1, 1], "
        "[1], 1)  # bfloat16, odd ones",
        STRANGE,
    ),
    Known(
        "unfold_backward",
        f"has (sizes|dtype|strides)|element|{MORE}RuntimeError: (maximum size|output with shape)",
        "of a tensor without dimensions gnomon gives numbers for what it was folded to, and PyTorch what "
        "it likes",
        "unfold_backward(tensor(4, 2), [], 0, 2, 1)  # int8, contiguous",
        r", \[(\d)?\], ",
    ),
    Known(
        r"(mean|sum)(\.\w+)?",
        NUMBERS,
        "PyTorch's kernels of halves read float32 as it is, and gnomon converts first, as the dtype asks for",
        'mean.dim(tensor(2, 7, values="special"), [0], False, dtype="bfloat16")  # float32, window',
        r'dtype="b?float16".*float32',
    ),
    Known(
        "instance_norm|batch_norm",
        r"raised RuntimeError: native_batch_norm\w*: mixed dtype",
        "PyTorch's kernel looks at the dtype of what it reads, and not of all that it is given",
        'instance_norm(tensor(2, 3, 2, 2), None, None, tensor(3, dtype="complex64", grad=False), '
        'tensor(3, values="positive", grad=False), False, 0.5, 0.25, False)  # float32, varied',
    ),
    Known(
        r"_scaled_dot_product\w*_backward",
        r"raised RuntimeError: \w+: dropout is not supported",
        "gnomon looks at what no other operator would hand in",
        "_scaled_dot_product_flash_attention_for_cpu_backward(tensor(1, 2, 3, 2), tensor(1, 2, 3, 2), "
        "tensor(1, 2, 4, 2), tensor(1, 2, 4, 2), tensor(1, 2, 3, 2), "
        'tensor(1, 2, 3, dtype="float32", values="positive"), 0.5, True, attn_mask=None, scale=0.75)  '
        "# float32, contiguous",
    ),
    Known(
        "expand|broadcast_to",
        "raised RuntimeError: expand: invalid size",
        "PyTorch takes a size below 0 for one where another is 0",
        "broadcast_to(tensor(), [-2, 0])  # float32, mixed",
        r"\[(.*, )?-\d+, (.*, )?0\]",
    ),
    Known(
        r"conv[123]d(\.padding)?|conv_\w+|convolution",
        r"raised RuntimeError: convolution: Calculated padded input size",
        "PyTorch's kernels count some arguments in 32 bits, and sizes in 64 where they have no place",
        "conv2d(tensor(1, 2, 4, 4), tensor(2, 2, 3, 3), tensor(2), [1, 1], [1, 1], [9223372036854775807], "
        "1)  "
        "# float16, expanded",
        r"\d{10}",
    ),
    Known(
        "bilinear",
        f"{MORE}RuntimeError: All tensors must have the same dtype",
        "a bias is added, and added numbers promote",
        'bilinear(tensor(2), tensor(3), tensor(4, 2, 3), tensor(4, dtype="float64"))  # float32, contiguous',
    ),
    Known(
        "pixel_(un)?shuffle|channel_shuffle",
        "has (sizes|alias)",
        "of no elements, too, there is a new tensor of the sizes that others have; PyTorch gives the input",
        "pixel_unshuffle(tensor(0, 2, 4, 2), 2)  # float16, odd ones",
        EMPTY,
    ),
    Known(
        "batch_norm|instance_norm",
        f"{MORE}IndexError: select",
        "of no elements there is nothing to normalize by weights that do not fit",
        "batch_norm(tensor(0, 3, 2), tensor(0), tensor(3), tensor(3, grad=False), "
        'tensor(3, values="positive", grad=False), True, 0.5, 0.25, False)  # int32, contiguous',
        EMPTY,
    ),
    Known(
        "_scaled_dot_product_flash_attention_for_cpu",
        f"{MORE}RuntimeError: scaled_dot_product_attention_flash_attention: Currently do not support dropout",
        "there is no dropout by a probability below 0, or by none",
        "_scaled_dot_product_flash_attention_for_cpu(tensor(1, 2, 3, 2), tensor(1, 2, 4, 2), "
        "tensor(1, 2, 4, 2), nan, False, attn_mask=None, scale=None)  # float32, window",
    ),
    Known(
        r"addbmm_?",
        r"raised RuntimeError: \w+: The number of sizes provided",
        "gnomon finds that the result does not fit when it is there",
        "addbmm_(tensor(4), tensor(2, 2, 3), tensor(2, 3, 4), beta=2, alpha=3)  # float64, mixed",
    ),
    Known(
        r"grid_sampler(_2d)?(_backward)?",
        NUMBERS,
        "gnomon computes cubic weights of halves in float32, PyTorch in halves",
        "grid_sampler_2d(tensor(1, 2, 3, 4), tensor(1, 2, 3, 2), 2, 2, True)  # bfloat16, mixed",
        r", [02], [012], (True|False)(, \[.*\])?\)  # b?float16",
    ),
    Known(
        r"argsort\.stable",
        NUMBERS,
        "which of equal elements is first, nobody says of a sort that is not stable",
        'argsort.stable(tensor(2, 40, values="below 3"), stable=False, dim=1, descending=False)  '
        "# float32, varied",
        "stable=False",
    ),
    Known(
        r"linear",
        "raised RuntimeError: addmm: expected m1 and m2 to have the same dtype",
        "gnomon's linear is of one dtype; PyTorch's adds a bias of another in some of its ways",
        'linear(tensor(3), tensor(4, 3), tensor(4, dtype="float32"))  # float64, expanded',
    ),
    Known(
        "index_put_?",
        f"{MORE}RuntimeError: sym_strides",
        "what has no indices is written to as a whole; PyTorch looks for the first of them",
        "index_put(tensor(3, 4), [], tensor(), False)  # float32, varied",
        r"\[\]",
    ),
    Known(
        "_to_copy",
        "raised RuntimeError: empty_like: pin_memory=True",
        "pinned memory is a device's: where there is none gnomon says so, and PyTorch gives other memory",
        "_to_copy(tensor(2, 3), dtype=None, layout=None, device=None, pin_memory=True, non_blocking=False, "
        "memory_format=None)  # float64, offset",
    ),
    Known(
        r"ctc_loss\.\w+",
        "raised RuntimeError: ctc_loss: Expected targets to be classes",
        "of a class that there is not PyTorch reads memory that is not the tensor's",
        'ctc_loss.IntList(tensor(5, 2, 4), tensor(2, 3, dtype="int64", grad=False), [5, 5], [3, 3], 3, 1, '
        "True)  "
        "# float64, expanded",
    ),
    Known(
        r"(add|badd)bmm_?|addm[mv]_?",
        NUMBERS,
        "0 times what is no number is none; PyTorch leaves out a product that is multiplied by 0",
        'addbmm(tensor(2, 4), tensor(2, 2, 3, values="nonfinite"), tensor(2, 3, 4), beta=0, alpha=0.0)  '
        "# complex128, contiguous",
        r"(nonfinite|special|extreme).*alpha=(0|-0\.0|e?-)|alpha=-?3e\+38",
    ),
    Known(
        r"grid_sampler\w*|scaled_dot_product_attention",
        r"^raised RuntimeError: \w+: [Ee]xpected",
        "PyTorch looks at the dtype, and at other arguments, only where there are elements",
        'grid_sampler_2d(tensor(0, 2, 3, 4), tensor(0, 2, 3, 2, dtype="int8"), 0, 0, False)  # float64, '
        "mixed",
        EMPTY,
    ),
    Known(
        "im2col|col2im",
        "^raised RuntimeError: (im2col|col2im): Given",
        "PyTorch's kernels count some arguments in 64 bits in which they have no place",
        "im2col(tensor(2, 2, 3, 4), [2, 2], [1, 9223372036854775807], [0, 0], [1, 1])  # float16, offset",
        r"\d{13}",
    ),
    Known(
        r"adaptive_\w+",
        f"{MORE}RuntimeError: .*Expected input to have non-zero size",
        "of no elements there is nothing to pool, whatever is asked for",
        "adaptive_avg_pool3d(tensor(1, 0, 3, 2, 4), [0, 2, 1])  # float64, column",
        EMPTY,
    ),
    Known(
        ANY,
        f"{MORE}NotImplementedError: .* not implemented for 'ComplexHalf'",
        "gnomon has no complex32: half with complex is complex64",
        'logical_or(tensor(2, 3), tensor(dtype="complex64"))  # float16, expanded',
    ),
    Known(
        r"(float_)?pow.*",
        f"{NUMBERS} \\(?-?\\d\\.\\d+e\\+(\\d{{3}}|[4-9]\\d)",
        "a large power is as exact as its logarithm, which rounds",
        "float_power.Scalar(1e+308, tensor(2, 3))  # complex128, mixed",
        "complex",
    ),
    Known(
        "repeat|tile",
        r"^raised RuntimeError: (\w+: )?(Trying to create tensor with negative|Stride calculation "
        r"overflowed)",
        "a product of sizes that has no place in 64 bits is another number to PyTorch",
        "repeat(tensor(2, 3), [0, 9223372036854775807])  # float32, contiguous",
        r"\d{16}",
    ),
    Known(
        "bernoulli_.*",
        "raised RuntimeError: expand: The expanded size",
        "PyTorch looks at the sizes of probabilities only where there are elements",
        'bernoulli_.Tensor(tensor(0, 3), tensor(2, 3, dtype="float32", values="zeros"), generator=None)  '
        "# int64, overlapping",
        EMPTY,
    ),
    Known(
        "cross_entropy_loss|native_channel_shuffle|conv[123]d(\\.padding)?|convolution",
        r"^raised RuntimeError: (cross_entropy: weight|reshape: Stride|convolution: non-positive)",
        "PyTorch looks at weights, groups and dilations only where there are elements",
        "convolution(tensor(0, 2, 4, 4), tensor(3, 2, 3, 3), None, [1, 1], [0, 0], [0, 0], False, [0, 0], "
        "1)  # float32, offset",
        EMPTY,
    ),
    Known(
        "nll_loss_forward",
        r"raised RuntimeError: .*\nexpected IndexError",
        "of a tensor that has too few dimensions gnomon says how many there should be; PyTorch reads the "
        "size that is not there",
        'nll_loss_forward(tensor(3, 4), tensor(dtype="int64", values="below 4"), None, 1, -100)  '
        "# float64, permuted",
    ),
    Known(
        "baddbmm_?|addbmm_?",
        NUMBERS,
        "0 times what is no number is none; PyTorch leaves a product of no elements out",
        "baddbmm(tensor(), tensor(2, 2, 0), tensor(2, 0, 4), beta=1, alpha=nan)  # bfloat16, mixed",
        "alpha=(nan|inf|-inf)",
    ),
    Known(
        "inner",
        "expected complex32",
        "gnomon has no complex32: half with complex is complex64",
        'inner(tensor(), tensor(2, 3, dtype="float16"))  # complex128, offset',
        "float16",
    ),
    Known(
        "_pad_circular",
        "raised (RuntimeError|IndexError): narrow|has alias",
        "gnomon looks at what no other operator would hand in",
        "_pad_circular(tensor(2, 2, 4), [3, -2])  # float64, overlapping",
        r"-\d|, \[\d\]",
    ),
]

EVERYWHERE: list[Known] = [
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
