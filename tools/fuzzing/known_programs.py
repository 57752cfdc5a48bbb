"""Known differences of programs; see tools/fuzzing/known.py."""

from __future__ import annotations

from .difference import BATCHED, DERIVED, FORWARD, HOSTILE, MORE, NUMBERS, UNORDERED, Known

PROGRAMS: list[Known] = [
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
        r"(\b|_)((re)?norm(\.\w+)?|normalize|c?dist(\.\w+)?|distance\.\w+)\(.*(1e308|2\*\*62|1e-45|-1\.5)|"
        r"1e308.*(\b|_)(norm(\.\w+)?|normalize|cdist|distance\.\w+)\(|"
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
        "lgamma|digamma|polygamma|special_psi|gammaln",
    ),
    Known(
        "program",
        r"whose memory v\d+ has is .*, expected|has strides|whether v\d+ requires grad is False|"
        f"the version of|{NUMBERS}|{MORE}RuntimeError: view_as_real doesn't work on unresolved conj",
        "no lazy conjugation: conj of complex tensors is a copy",
        "program: v0 = t(3, 3); v1 = v0.conj(); backward  # complex128",
        r"(conj|adjoint).*# complex",
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
        f"{NUMBERS} (nan, expected|.* expected (nan|-?inf))",
        "0 times what is no number is no number; gnomon's formulas select where PyTorch's tangents multiply",
        'program: v0 = t(3); v1 = t(3, values="distinct"); v2 = L.xlogy(v0, v1); hessian  # float64',
        f"(xlogy|kl_div|logsumexp|hypot).*{FORWARD}",
    ),
    Known(
        "program",
        r"raised \w+: (cum(max|min): Dimension out of range|index_(add|fill): index .*out of|"
        r"scaled_dot_product|cholesky: A must|linalg.matrix_rank: This function|"
        r"linalg.lu_factor: LU without|"
        r"searchsorted|scalar_tensor: value cannot|expand: The expanded size of the tensor \(-1\)|"
        r"multilabel_|adaptive_(avg|max)_pool|"
        r"as_strided: Negative sizes|(expand: )?The expanded size of the tensor \(-1\)|expand: invalid "
        r"size|diff: )",
        "PyTorch looks at the arguments only where there are elements",
        "program: v0 = t(0, 3); v1 = t(3, 3); v0.index_add_(0, L.tensor([2, 0, 1]), v1); no_grad  # float64",
        r"t\(0, 3|, -1\]|\[-1, |searchsorted|n=0|hsplit|output_size=\[0",
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
        "has (sizes|strides)|raised nothing, expected RuntimeError: Given groups=1, expected weight|"
        f"^v.*{NUMBERS}|{MORE}RuntimeError: (Expected \\dD|The size of tensor)|"
        "raised RuntimeError: convolution: kernel size should be greater than zero|"
        f"{MORE}IndexError: tuple index out of range",
        "PyTorch's convolution without channels has no channels, whatever the weight has",
        "program: v0 = t(0, 3); v1 = F.conv1d(v0[None], v0[None]); backward  # float64",
        r"t\(0, 3.*conv",
    ),
    Known(
        "program",
        "raised RuntimeError: scaled_dot_product_attention: Expected (key and value|query and key)",
        "PyTorch looks at the sizes only when there is something to compute",
        "program: v0 = t(0, 3); v1 = t(3, 3); v2 = F.scaled_dot_product_attention(v0, v0, v1); "
        "no_grad  # float32",
    ),
    Known(
        "program",
        r"raised NotImplementedError: [\w.]+: not implemented for dtype|raised RuntimeError: complex: "
        'Expected|raised nothing, expected NotImplementedError: "\\w+" not implemented for',
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
        r"raised \w+: (\w+: )?copy_: unsupported operation: (more than one|some) element",
        "the tangent of what is expanded is expanded, too, and not written to",
        "program: v0 = t(3); v1 = v0.expand(3, 3); v1.zero_(); jvp  # float64",
        f"(expand|broadcast_to).*({FORWARD}|{BATCHED})",
    ),
    Known(
        "program",
        "raised RuntimeError: linear: Expected 2-dimensional tensor",
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
    # -- numbers of the results ---------------------------------------------------------------------------
    Known(
        "program",
        NUMBERS,
        "what is multiplied by infinity or 0 last is another number than what is multiplied by it first",
        "program: v0 = t(3, 3); v1 = L.ops.aten.addmm.default(self=v0, mat1=v0, mat2=v0, alpha=inf); "
        "no_grad  # float64",
        r"(addmm|addmv|addbmm|baddbmm|addr)\b.*(alpha|beta)=(-?inf|nan|0|-0\.0|1e308|1e-45)\b",
    ),
    Known(
        "program",
        f"{NUMBERS} nan, expected -?0\\.0",
        "PyTorch's norm of one number is its size; but of order NaN a 0 is a sum of none to no power",
        "program: v0 = t(); v1 = v0 - v0; v2 = L.linalg.vector_norm(v1, nan); no_grad  # float64",
        r"norm(\.\w+)?\(.*nan",
    ),
    Known(
        "program",
        f"{NUMBERS} ",
        "the mean of the largest numbers overflows in another place",
        'program: v0 = t(3, values="unit"); v0.clamp_(min=1e308); v1 = F.layer_norm(v0, (3,)); '
        "no_grad  # float64",
        r"1e308.*(layer_norm|group_norm|instance_norm|normalize|cosine_similarity)",
    ),
    Known(
        "program",
        f"{NUMBERS} nan, expected -?0\\.0",
        "PyTorch's attention takes scores that are no numbers, or all -inf, for places that are masked out",
        'program: v0 = t(values="unit"); v1 = t(2, 3, 3); v2 = v1.tril(); v3 = v0 % v2; v4 = v3[None]; '
        "v5 = F.scaled_dot_product_attention(v4, v4, v4); no_grad  # float64",
        "scaled_dot_product_attention",
    ),
    # -- refused calls ------------------------------------------------------------------------------------
    Known(
        "program",
        f"{MORE}RuntimeError: unsupported operation: some elements of the input tensor and the written-to",
        "under vmap gnomon's rule for a writing operator copies first",
        "program: v0 = t(3); v1 = v0[None]; v1.addcmul_(v0, v0, value=-1); vmap  # float64",
        rf"addcmul_.*{BATCHED}",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: quantile\\(\\) q values must be",
        "what an example's q is is not looked at under vmap",
        'program: v0 = t(3, values="distinct"); v1 = L.ops.aten.nanquantile.default(self=v0, q=v0); '
        "vmap  # float64",
        f"quantile.*{BATCHED}",
    ),
    Known(
        "program",
        "raised RuntimeError: (as_strided: )?setStorage: ",
        "PyTorch's losses have the memory of what they are the sum of",
        "program: v0 = t(3, 3); v1 = F.mse_loss(v0, v0); v2 = v1.as_strided((2, 2), (1, 2)); "
        "no_grad  # float32",
        r"_loss.*as_strided",
    ),
    Known(
        "program",
        r"whether v\d+ requires grad is True, expected False|"
        r"the gradient of v\d+ is a tensor of sizes \(0, 3\), expected None",
        "PyTorch's matrix norm of nothing is a new 0",
        "program: v0 = t(0, 3); v1 = L.ops.aten.linalg_matrix_norm.default(self=v0, ord=inf); "
        "backward  # float64",
        r"t\(0, 3.*matrix_norm",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: (Negation|Subtraction), the `-` operator, (on|with) a bool tensor",
        "PyTorch's gradient of a target of bools negates it",
        "program: v0 = t(3, 3); v1 = L.ops.aten.isfinite.default(self=v0); "
        "v2 = L.ops.aten.soft_margin_loss.default(self=v0, target=v1); backward  # float64",
        "soft_margin_loss",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: The function 'native_batch_norm' is not differentiable",
        "gnomon takes the running statistics as numbers, whoever follows them",
        "program: v0 = t(1, 3); v1 = v0.view(-1); v2 = L.ops.aten.instance_norm.default(input=v0, weight=v1, "
        "bias=v1, running_mean=v1, running_var=v1, use_input_stats=False, momentum=0.5, eps=0.5, "
        "cudnn_enabled=False); backward  # float32",
        "_norm",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: Function BinaryCrossEntropyBackward0 returned an invalid gradient",
        "PyTorch's gradient of the target forgets that it was broadcast",
        "program: v0 = t(3, 1); v1 = v0.view(-1); v2 = v1.sigmoid(); v3 = v0.sigmoid(); "
        "v4 = L.ops.aten.binary_cross_entropy.default(self=v3, target=v2, reduction=2); backward  # float16",
        "binary_cross_entropy",
    ),
    Known(
        "program",
        "raised RuntimeError: binary_cross_entropy: The size of tensor a",
        "PyTorch does not look at the sizes where one is 0",
        "program: v0 = t(0, 3); v1 = t(3, 1); v2 = L.ops.aten.binary_cross_entropy.default(self=v0, "
        "target=v1); no_grad  # float32",
        r"t\(0, 3.*binary_cross_entropy",
    ),
    Known(
        "program",
        r"v\d+ has (sizes|strides) \(",
        "how many different things there are of what is no number is a matter of the order in which it is "
        "looked at",
        'program: v0 = t(2, 3, 3, values="special"); v1 = F.interpolate(v0[None], scale_factor=2.0); '
        "v2 = L.ops.aten.unique_dim.default(self=v1, dim=-1, return_inverse=False)[0]; no_grad  # float16",
        rf"{UNORDERED}.*unique",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} .* expected -?0\\.0",
        "PyTorch follows no target of soft_margin_loss",
        "program: v0 = t(3, 1); v1 = t(); v2 = L.ops.aten.kl_div.default(self=v0, target=v0); "
        "v3 = L.ops.aten.soft_margin_loss.default(self=v1, target=v2, reduction=2); jacfwd  # float64",
        f"soft_margin_loss.*{FORWARD}",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: (Autograd not support dtype: Long|could not construct a memory descriptor)",
        "PyTorch's own words for what it does not have",
        "program: v0 = t(3); v1 = L.ops.aten.where.default(condition=v0 > 0)[0]; "
        "v2 = L.ops.aten.masked_fill.Tensor(self=v1, mask=v1 > 0, value=v0.sum()); backward  # float32",
    ),
    Known(
        "program",
        r"the gradient of v\d+ is a tensor of sizes .*, expected None",
        "PyTorch's gradient of cumprod of what holds several zeros is sometimes none at all",
        'program: v0 = t(3, 3, values="descending"); v1 = t(3, 3, values="unit"); '
        'v2 = t(3, 3, values="ties"); '
        "v3 = L.ops.aten.adjoint.default(self=v2); v4 = v3.detach(); v4 *= -1.5; "
        "v5 = L.ops.aten.cumprod.default(self=v3, dim=-1); backward  # float64",
        "cumprod",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} ",
        "the tangent of the smaller of a number and NaN is the sum of both, as their gradients say; "
        "PyTorch's is the other's",
        'program: v0 = t(2, 3, 3, values="nonzero"); v1 = t(3, 3, values="special"); '
        "v2 = L.ops.aten.min.other(self=v0, other=v1); v1.sigmoid_(); jvp  # float64",
        rf"{HOSTILE}.*(minimum|maximum|(min|max)\.other)\(.*{FORWARD}",
    ),
    Known(
        "program",
        r"the gradient of v\d+ is a tensor of sizes .*, expected None",
        "what was a view of a tensor before that was detached keeps its history; PyTorch makes it anew, from "
        "the detached one",
        'program: v0 = t(3, 3, values="nonzero"); v1 = t(3, 3, values="special"); '
        "v2 = L.ops.aten.conv1d.default(input=v1, weight=v0, stride=[2], padding=[3, -1], groups=2); "
        "v3 = v2.squeeze(); v2.clamp_(min=nan); v2.detach_(); backward  # float64",
        r"v\d+ = [^;]*\b(v\d+)\b[^;]*;.*\b\1\.detach_\(\)",
    ),
    Known(
        "program",
        f"{DERIVED}: {NUMBERS} .* expected \\(?nan",
        "PyTorch's gradient of nansum multiplies by 0 where gnomon's selects",
        'program: v0 = t(3, 1, values="special", layout="mixed"); v1 = v0.nansum(1); '
        "v2 = L.ops.aten.addcdiv.default(self=v0, tensor1=v1, tensor2=v1); backward  # float32",
        rf"{HOSTILE}.*nansum",
    ),
    Known(
        "program",
        NUMBERS,
        "the squares of the smallest and largest numbers have no digits left",
        'program: v0 = t(3, 3, values="unit", layout="transposed"); v1 = t(3, 3, values="unit"); '
        'v2 = t(3, 3, values="tiny", layout="gapped"); v3 = L.ops.aten.corrcoef.default(self=v2); '
        "backward  # float64",
        r"(values=\"(special|nonfinite|extreme|tiny|wide)\"|\b(inf|nan|1e308|1e-45)\b).*corrcoef",
    ),
    Known(
        "program",
        "raised RuntimeError: vmap: masked_scatter has no batching rule",
        "a Jacobian of nothing is made of no examples, which nothing runs through what has no batching rule",
        'program: v0 = t(3, 3, values="distinct"); v1 = L.ops.aten.masked_select.default(self=v0, '
        "mask=v0 > 0); jacrev  # float64",
        "masked_select",
    ),
    Known(
        "program",
        "raised RuntimeError: (mm|addmv): expected m1 and m2 to have the same dtype",
        "gnomon's tangents follow from its formulas, and PyTorch's gradient of addr takes one dtype, too",
        "program: v0 = t(3); v1 = v0 * 1j; v2 = L.ops.aten.addr.default(self=v1, vec1=v0, vec2=v0); "
        "jvp  # float32",
        f"\\baddr\\b.*{FORWARD}",
    ),
    Known(
        "program",
        f"the gradient of v\\d+: {NUMBERS} ",
        "which of several equal elements a quantile's gradient goes to: those that a stable sort puts there; "
        "PyTorch's sort of more than 16 is not stable",
        'program: v0 = t(2, 3, 3, values="ties", layout="gapped"); '
        "v2 = L.ops.aten.quantile.scalar(self=v0, q=0.5); backward  # float64",
        r'values="ties".*quantile',
    ),
    # -- numbers, and dtypes, of PyTorch's kernels ----------------------------------------------------------
    Known(
        "program",
        NUMBERS,
        "PyTorch's Bessel functions have errors of some 1e-7 for arguments above 4, as in float32",
        'program: v0 = t(3, 1, values="nonzero"); v1 = t(layout="contiguous"); v2 = L.kron(v1, v0); '
        "v4 = L.ops.aten.special_bessel_j1.default(self=v2); backward  # float64",
        r"special_bessel_[jy][01].*# float64",
    ),
    Known(
        "program",
        NUMBERS,
        "PyTorch's is NaN, or wrong by orders of magnitude, in half precision",
        'program: v0 = t(3, 3, layout="contiguous"); v4 = L.ops.aten.matrix_exp.default(self=v0); '
        "backward  # float16",
        r"matrix_exp.*# b?float16",
    ),
    Known(
        "program",
        f"{NUMBERS} nan, expected ",
        "PyTorch's polynomial at NaN is memory that nobody has written to",
        'program: v0 = t(1, 3, layout="gapped"); v0.sqrt_(); '
        "v5 = L.ops.aten.special_shifted_chebyshev_polynomial_u.n_scalar(x=v0, n=2.0); no_grad  # float32",
        "chebyshev_polynomial_u",
    ),
    Known(
        "program",
        NUMBERS,
        "PyTorch's places overflow in a wide range, and its counts are those of other memory",
        "program: v0 = t(3, 3); v1 = L.ops.aten.histc.default(self=v0, bins=100, min=-6000, max=6000); "
        "no_grad  # float16",
        rf"{HOSTILE}.*histc|histc.*# float16",
    ),
    Known(
        "program",
        f"v\\d+: {NUMBERS} .*expected nan",
        "PyTorch sorts NaN by comparisons in which it is never the smaller one",
        'program: v0 = t(3, 3, layout="window"); v5 = L.ops.aten.atanh.default(self=v0); '
        "v6 = L.ops.aten.mode.default(self=v5, dim=-1, keepdim=False)[0]; backward  # float32",
        r"\bmode\b",
    ),
    Known(
        "program",
        r"^v\d+: element \d+ is \d+, expected \d+",
        "which of several equal elements comes first",
        'program: v0 = t(2, 3, 3, values="nonzero", layout="expanded"); v2 = v0.reshape(-1); '
        "v4 = L.ops.aten.argsort.default(self=v2, descending=True); backward  # float64",
        r"(expand|values=\"(ties|equal|nothing|special|nonfinite)\").*argsort",
    ),
    Known(
        "program",
        r"raised LinAlgError: linalg\.svd: (\(Batch element \d+\): )?The algorithm failed to converge",
        "PyTorch's least squares and inverse of infinite numbers are zeros, no numbers, or an error",
        'program: v0 = t(3, 1, values="nonfinite", layout="gapped"); '
        "v4 = L.ops.aten.linalg_lstsq.default(self=v0, b=v0)[0]; no_grad  # float64",
        "lstsq|pinv|cond|nuclear|rank",
    ),
    Known(
        "program",
        f"{MORE}RuntimeError: The size of tensor a",
        "gnomon's right sides are broadcast, be they matrices of one dimension less",
        'program: v0 = t(3, 3, values="distinct"); v1 = t(2, 3, 3, values="descending", layout="permuted"); '
        'v2 = t(2, 3, 3, values="nonzero", layout="permuted"); '
        "v3 = L.ops.aten.linalg_lstsq.default(self=v2, b=v0)[0]; backward  # float64",
        "lstsq",
    ),
    Known(
        "program",
        f"{NUMBERS} nan, expected ",
        "of an order above 2**31 no digit of the polynomial is known; PyTorch's are those of a cosine",
        'program: v0 = t(3, 1, values="tiny"); v1 = t(3, values="positive"); v2 = t(3, values="equal"); '
        "v6 = v2.to(L.float32); "
        "v7 = L.ops.aten.special_chebyshev_polynomial_t.n_scalar(x=v6, n=2**62); backward  # float64",
        r"chebyshev_polynomial_\w\S+\(.*2\*\*62",
    ),
    Known(
        "program",
        f"{NUMBERS} -?inf, expected nan",
        "PyTorch's polynomial of an infinite number subtracts infinity from infinity",
        'program: v0 = t(2, 3, 3, values="ties"); v1 = t(); v2 = t(1, 3, values="nonzero"); '
        "v2[v2 > 0] = inf; v3 = L.ops.aten.special_shifted_chebyshev_polynomial_t.n_scalar(x=v2, n=3); "
        "no_grad  # float64",
        rf"{UNORDERED}.*_polynomial_",
    ),
    Known(
        "program",
        NUMBERS,
        "LAPACK takes the diagonal of a factor for real in one of two places",
        'program: v0 = t(layout="permuted"); v1 = t(3, 3, layout="contiguous"); '
        "v2 = L.ops.aten.cholesky_inverse.default(self=v1); no_grad  # complex128",
        "cholesky_inverse.*# complex",
    ),
    Known(
        "program",
        NUMBERS,
        "without full rank, the last columns of Q are whatever is orthogonal to the first",
        "program: v0 = t(3, 3); v2 = v0 % v0; "
        "v3 = L.ops.aten.special_hermite_polynomial_h.x_scalar(x=0, n=v2); "
        "v5 = L.ops.aten.linalg_qr.default(A=v3)[0]; no_grad  # float32",
        r"(values=\"(equal|nothing)\"|expand|x_scalar).*\b(linalg_)?qr\b",
    ),
    Known(
        "program",
        r"LinAlgError: linalg\.cholesky|RuntimeError: torch\.linalg\.lu_factor: .*is zero",
        "whether the last pivot of a singular matrix is 0 depends on rounding",
        'program: v0 = t(3, 3, values="equal", layout="mixed"); '
        "v3 = L.ops.aten.linalg_cholesky.default(self=v0, upper=False); backward  # float32",
        'values="equal".*cholesky|expand.*lu_factor',
    ),
    Known(
        "program",
        "raised RuntimeError: rnn_layer: Expected tensor for argument 'input' to have one of the following "
        "scalar types",
        "gnomon's cell is one operator, of real numbers",
        'program: v0 = t(3, 1, values="nonzero", layout="column"); '
        "v5 = L.ops.aten.gru_cell.default(input=v0, hx=v0, w_ih=v0, w_hh=v0); vmap of grad  # complex128",
        "_cell.*# complex",
    ),
    Known(
        "program",
        f"the result: {NUMBERS}",
        "under vmap PyTorch's kron puts the examples between its dimensions, where as_strided finds them",
        'program: v0 = t(3, 3, values="nonzero", layout="transposed"); '
        "v2 = L.ops.aten.special_legendre_polynomial_p.default(x=v0, n=v0); "
        "v3 = L.ops.aten.kron.default(self=v2, other=v0); v6 = v3.permute(1, 0); "
        "v8 = v6.as_strided((2, 2), (1, 2)); vmap  # float64",
        f"kron.*as_strided.*{BATCHED}",
    ),
    Known(
        "program",
        "raised RuntimeError: vmap: It looks like you're calling .item",
        "masked_fill_ of expanded tensors, which is deprecated, writes where the mask is true: it is read",
        'program: v0 = t(3, 3, values="nonzero"); v1 = L.ops.aten.select.int(self=v0, dim=0, index=0); '
        "v4 = v1.expand(3, 3); v4.masked_fill_(v4 > 0, -1); vmap  # float32",
        f"expand.*masked_fill_.*{BATCHED}",
    ),
    Known(
        "program",
        "its tangent has \\d+ elements, expected \\d+",
        "the zeros of a sparse gradient have no elements",
        'program: v0 = t(3, 3, values="distinct"); v3 = L.ops.aten.embedding.default(weight=v0, '
        "indices=L.tensor([[2, 0, 1], [0, 0, 2], [1, 1, 1]]), scale_grad_by_freq=False, sparse=True); "
        "jvp of grad  # float32",
        "embedding.*sparse=True",
    ),
]
