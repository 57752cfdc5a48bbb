"""Known differences of calls; see tools/fuzzing/known.py."""

from __future__ import annotations

from .difference import ANY, MORE, NUMBERS, Known

# Operators that only other operators call, which have checked their arguments.
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
        f"has (sizes|strides)|{NUMBERS}",
        "a gradient of other sizes than a distance has, which PyTorch does not look at",
        '_cdist_backward(tensor(2, 2, 4), tensor(2, 3), tensor(4, 3), 1.5, tensor(2, 4, values="positive"))  '
        "# float64, overlapping",
    ),
    Known(
        "_pdist_backward",
        "raised RuntimeError: pdist_backward: Expected 2-dimensional tensor",
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
        f"{NUMBERS} (?=.*(inf|nan|e[+-]))",
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
        r"with negative dimension|IntArrayRef contains an int that cannot)|"
        r"^raised \w+: (\w+: )?(setStorage: sizes|(Storage size|Stride) calculation over)",
        "a product of sizes and strides that has no place in 64 bits is another number to PyTorch",
        "slice.Tensor(tensor(4, 3), 0, 1, None, 4611686018427387904)  # bool, contiguous",
        r"\d{10}|" + EMPTY,
    ),
    Known(
        r"\w*pool\w*|\w*conv\w*(\.\w+)?|im2col|col2im",
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
        STRANGE + "|, 65536[,)]",
    ),
    Known(
        "pixel_shuffle|pixel_unshuffle",
        "expected RuntimeError: Unsupported memory format|expected ValueError: upscale factor is too large",
        "gnomon shuffles whatever the strides are, and multiplies without overflow",
        'pixel_shuffle(tensor(1, 1, 8, 1, 2, dtype="int8"), 2)  # int32, permuted',
    ),
    Known(
        r"ctc_loss\.\w+",
        "raised RuntimeError: ctc_loss: Expected tensor for argument 'targets'",
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
        r"max_pool\w+",
        r"^raised RuntimeError: max_pool\w+: .*Calculated output size",
        "PyTorch's kernels count some arguments in 32 bits",
        "max_pool1d(tensor(2, 2, 7), [3], [1], [0], [2147483649], False)  # float32, contiguous",
        r"\d{10}",
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
        r"linalg_svdvals|_?linalg_svd|linalg_\w*norm(\.\w+)?|nuclear_norm(\.\w+)?",
        "raised RuntimeError: linalg.svd: (The algorithm failed to converge|keyword argument)",
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
        "raised RuntimeError: pdist: (only supports|Expected 2-dimensional tensor)",
        "gnomon looks at what no other operator would hand in",
        "_pdist_forward(tensor(4, 3), -1.0)  # float32, contiguous",
    ),
    Known(
        "affine_grid_generator",
        r"raised NotImplementedError: \w+: not implemented for dtype (u?int|complex)",
        "a grid of integers, from -1 to 1, is of no use to anything, nor are complex places",
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
        "PyTorch rounds 1 - eps to halves before it clamps halves by it, and so 1 stays 1",
        'logit(tensor(14, values="special"), 6e-08)  # float16, contiguous',
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
        NUMBERS,
        "the norm of large and small numbers, or to a large power, is computed without overflow on the way",
        "triplet_margin_loss(tensor(4, 3), tensor(4, 3), tensor(4, 3), 1.0, 65504.0, 1e-06, False, 1)  "
        "# float16, offset",
        r"triplet_margin_loss\(.*\), [^(),]+, (nan|-?inf|65504\.0|-?3e\+38|1e\+308|1e-45|-?[01]\.0|-1\.0), |"
        'values="(special|nonfinite|extreme)"',
    ),
    Known(
        r"scatter(_add|_reduce)?_?\.?\w*|index_add_?|index_copy_?",
        r"raised RuntimeError: \w+: (Index tensor must have the same number of dimensions|Number of "
        r"indices).*\n"
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
        "raised RuntimeError: expand: (invalid size|The expanded size of the tensor \\(-)",
        "PyTorch takes a size below 0 for one where another is 0",
        "broadcast_to(tensor(), [-2, 0])  # float32, mixed",
        r"\[(.*, )?-\d+, (.*, )?0\]|\[(.*, )?0, (.*, )?-\d+",
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
        "_scaled_dot_product_flash_attention_for_cpu|scaled_dot_product_attention",
        f"{MORE}RuntimeError: scaled_dot_product_attention_flash_attention: Currently do not support dropout",
        "there is no dropout by a probability below 0, or by none",
        "_scaled_dot_product_flash_attention_for_cpu(tensor(1, 2, 3, 2), tensor(1, 2, 4, 2), "
        "tensor(1, 2, 4, 2), nan, False, attn_mask=None, scale=None)  # float32, window",
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
        "^raised RuntimeError: (im2col|col2im): (Given|padding is too large)",
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
        r"(float_)?pow.*",
        f"{NUMBERS} \\(?-?\\d\\.\\d+e\\+(\\d{{3}}|[4-9]\\d)",
        "a large power is as exact as its logarithm, which rounds",
        "float_power.Scalar(1e+308, tensor(2, 3))  # complex128, mixed",
        r"complex|\dj\)",
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
        "raised RuntimeError: expand: (The expanded size|expand\\(\\[)",
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
        "_pad_circular|pad",
        "raised (RuntimeError|IndexError): narrow|has (alias|storage offset)",
        "gnomon looks at what no other operator would hand in",
        "_pad_circular(tensor(2, 2, 4), [3, -2])  # float64, overlapping",
        r"-\d|, \[\d\]",
    ),
    Known(
        r"kthvalue|mode|cummin|cummax",
        r"^raised NotImplementedError: \w+: not implemented for dtype complex",
        "of a tensor without dimensions PyTorch gives the one number before it looks at the dtype",
        'kthvalue(tensor(dtype="complex128"), 1, -1, False)  # float16, odd ones',
        r"\(tensor\((dtype|values|\))",
    ),
    Known(
        "kthvalue",
        f"result 1: {NUMBERS}",
        "which of equal elements is meant, nobody says",
        'kthvalue(tensor(2, 4, values="ties"), 2, -1, False)  # uint8, odd ones',
        "values=|# (bool|u?int)|expanded|overlapping",
    ),
    Known(
        "uniform_",
        "^raised RuntimeError: uniform_:",
        "PyTorch looks at the bounds of complex numbers only where there are elements",
        "uniform_(tensor(2, 0), 0, -inf, generator=None)  # complex128, varied",
        EMPTY,
    ),
    Known(
        "binary_cross_entropy",
        NUMBERS,
        "target broadcasts, as in other losses; nn.functional refuses it, as PyTorch's does, whose "
        "kernel then "
        "reads what is not there",
        'binary_cross_entropy(tensor(values="probability"), tensor(2, values="probability"), None, 1)  '
        "# float32, varied",
        r"^\w+\(tensor\((1, |(?=values))",
    ),
    Known(
        r"_upsample_\w+_aa(\.\w+)?",
        NUMBERS,
        "PyTorch's kernel takes the first line for all where the result is one element wide",
        "_upsample_lanczos2d_aa(tensor(1, 1, 9, 11), [3, 1], False, None, None)  # float64, overlapping",
        r"\[\d+, 1\]",
    ),
    Known(
        r"upsample_nearest[13]d",
        NUMBERS,
        "where a size stays so gnomon gives the elements as they are, whatever the scale, as PyTorch "
        "does in two "
        "dimensions and in the backward",
        "upsample_nearest1d(tensor(1, 2, 4), [4], 2.5)  # uint8, transposed",
        r"2\.5",
    ),
    Known(
        r"_?conv\w*(\.\w+)?",
        "has strides",
        "whether volumes stay channels last depends on PyTorch's kernel: on the dtype, and on the batch",
        "conv_transpose3d.input(tensor(2, 2, 1, 2), tensor(2, 3, 1, 2, 2), None, [1], [0], [0], 1, [1])  "
        "# float16, permuted",
        r"^\w+(\.\w+)?\(tensor\((\d+, )*\d+\), tensor\(\d+, \d+, \d+, \d+, \d+",
    ),
    Known(
        r"conv[123]d(\.padding)?|conv_\w+|convolution",
        r"^raised RuntimeError: convolution: (Input type|padding is too large)",
        "gnomon's bias is of the input's dtype; some of PyTorch's kernels add one of another",
        'conv2d.padding(tensor(1, 2, 4, 4), tensor(2, 2, 3, 3), tensor(2, dtype="float16"), [1], '
        '"same", [1], 1)  '
        "# int8, mixed",
        r"\.padding\(",
    ),
    Known(
        r"fft_i?hfft\w*",
        "has strides",
        "in which order the dimensions are transformed depends on PyTorch's library",
        "fft_hfftn(tensor(2, 3, 2), [3, 65536], [0, 1], None)  # complex128, mixed",
        "65536|" + EMPTY,
    ),
    Known(
        "scaled_dot_product_attention",
        NUMBERS,
        "PyTorch's kernels look at whether the scale is a number, and at what is masked, in their own ways",
        'scaled_dot_product_attention(tensor(1, 2, 3, 2, layout="contiguous"), '
        'tensor(1, 2, 4, 2, layout="contiguous"), tensor(1, 2, 4, 2, layout="contiguous"), None, 0.0, True, '
        "scale=nan, enable_gqa=False)  # float16, permuted",
        "scale=(nan|-?inf)|nonfinite|special",
    ),
    Known(
        "as_strided_scatter",
        NUMBERS,
        "which number is last written to an element that has several places, nobody says",
        'as_strided_scatter(tensor(3, 4, layout="contiguous"), tensor(2, 3), [2, 3], [1, 1], 1)  '
        "# int16, permuted",
    ),
    Known(
        "put_?",
        NUMBERS,
        "which number is last written to an element that is named twice, nobody says",
        'put(tensor(3, 4), tensor(2, 3, dtype="int64", values="below 12"), tensor(3, 2), False)  '
        "# int8, transposed",
        r"False\)",
    ),
    Known(
        "embedding_renorm_",
        r"^raised RuntimeError: norm\(\): input dtype",
        "PyTorch looks at the dtype only where there are elements",
        'embedding_renorm_(tensor(5, 3, dtype="int64"), tensor(0, dtype="int64"), 0.25, 2.0)  '
        "# bfloat16, contiguous",
        EMPTY,
    ),
    Known(
        r"(badd|add)bmm_?|addm[mv]_?",
        f"{MORE}RuntimeError: result type Float can't be cast",
        "beta is a number of the dtype, of a product of no elements, too",
        "baddbmm(tensor(), tensor(2, 2, 0), tensor(2, 0, 4), beta=2.5, alpha=1)  # int32, gapped",
        EMPTY,
    ),
    Known(
        r"_?ctc_loss",
        f"result 1: {NUMBERS}",
        "of what is behind a target's or an input's end PyTorch leaves memory that nobody has written to",
        '_ctc_loss(tensor(5, 2, 4), tensor(2, 3, dtype="int64", values="below 3", grad=False), [5, 5], '
        "[3, 0], 3, False)  # float64, transposed",
        on_some_machines=True,
    ),
    Known(
        r"_?cdist(_forward)?",
        "^raised RuntimeError: cdist: expected scalar type",
        "PyTorch looks at the dtype only where there are elements",
        'cdist(tensor(0, 3, dtype="float64"), tensor(2, 3), 2.0, None)  # float32, column',
        EMPTY,
    ),
    Known(
        "slice.Tensor",
        r"has (sizes|strides)",
        "a step that goes beyond the end is never taken, and needs no place",
        "slice.Tensor(tensor(4, 3), 0, None, None, 9223372036854775807)  # float64, column",
        r"\d{15,}\)",
    ),
    Known(
        r"(special_)?polygamma_?",
        NUMBERS,
        "gnomon's trigamma is exact to the dtype, and infinite at its poles; PyTorch's to nine digits",
        'polygamma(1, tensor(2, 3, dtype="float64"))  # complex128, window',
        r"polygamma_?\((1, |.*, 1\))",
    ),
    Known(
        r"polygamma_?",
        f"{NUMBERS} nan, expected -?inf",
        "of infinity and 0 there is no product",
        "polygamma_(tensor(2, 3), 65536)  # bfloat16, window",
        r"\d{5}",
    ),
    Known(
        "embedding",
        "^raised IndexError: embedding\\(\\): index .* weight has 0 rows",
        "an index out of range is an IndexError, of a table of no rows, too",
        'embedding(tensor(0, 3), tensor(5, dtype="int64", values="below 4"), -1, False, False)  # '
        "bool, window",
    ),
    Known(
        "mode",
        NUMBERS,
        "where all numbers are NaN or there once, which one is meant depends on the order in which "
        "NaN was met",
        'mode(tensor(2, 4, 3, values="special"), 1, True)  # float32, expanded',
        "special|nonfinite",
    ),
    Known(
        r"unique_dim|_?unique\w*",
        NUMBERS,
        "NaN equals nothing, and is nowhere in an order",
        'unique_dim(tensor(3, 2, 2, values="special", grad=False), 2, False, True, False)  # '
        "float64, expanded",
        "special|nonfinite",
    ),
    Known(
        r"where\.\w+|index\.Tensor|_?index_put\w*",
        "^warned",
        "PyTorch warns of a condition, or a mask, of uint8 once in a process",
        'where.self(tensor(3, dtype="uint8"), tensor(2, 1), tensor())  # bool, varied',
        "uint8",
        on_some_machines=True,
    ),
    Known(
        "pow.*",
        f"{NUMBERS} (-?0j|\\(-?0[+-]0j\\)), expected \\(nan",
        "a number that is no overflow's is 0 to a large power, of complex numbers, too",
        'pow.Tensor_Tensor(tensor(14, 1, dtype="complex64"), tensor(1, 14, values="special"))  '
        "# bfloat16, offset",
        "complex",
    ),
    Known(
        r"instance_norm|group_norm|batch_norm|layer_norm",
        NUMBERS,
        "PyTorch makes one factor and one addend of infinite weights first, and of halves it rounds them",
        'group_norm(tensor(2, 4, 1, 3, layout="channels_last"), 4, tensor(4, values="special", '
        'layout="contiguous"), None, 0.5, False)  # bfloat16, overlapping',
        STRANGE,
    ),
    Known(
        "_pdist_backward",
        f"{NUMBERS}|has dtype",
        "a distance or a gradient that is none's, which PyTorch does not look at",
        '_pdist_backward(tensor(6, dtype="complex128", layout="contiguous"), tensor(4, 3, '
        'layout="contiguous"), '
        '0.0, tensor(6, values="positive", layout="contiguous"))  # float32, odd ones',
        f'dtype=|, values="(?!positive)|{STRANGE}|-1\\.0',
    ),
    Known(
        "grid_sampler_3d(_backward)?",
        NUMBERS,
        "gnomon computes places of halves in float32, PyTorch in halves",
        "grid_sampler_3d_backward(tensor(1, 1, 2, 1, 2), tensor(1, 1, 2, 3, 2), tensor(1, 2, 1, 2, 3, "
        'values="small"), 0, 0, False, [True, True])  # bfloat16, column',
        "float16",
    ),
    Known(
        "huber_loss",
        f"{NUMBERS} inf, expected nan",
        "of an infinite delta all is the square's side, infinite differences, too",
        'huber_loss(tensor(2, 3), tensor(3, values="special"), 0, inf)  # float64, gapped',
        r", inf\)",
    ),
    Known(
        "logspace.*",
        NUMBERS,
        "a power of an infinite base is what pow gives, of complex numbers, too",
        'logspace(0, 4, 9, -inf, dtype="complex64", layout=None, device=None, pin_memory=None)  '
        "# float32, overlapping",
        "inf|nan",
    ),
    Known(
        r"(nan)?sum(\.\w+)?|nansum",
        NUMBERS,
        "what integer an infinite number becomes, the language leaves open",
        'nansum(tensor(2, 7, values="special"), [0], False, dtype="int16")  # float16, overlapping',
        r'special.*dtype="u?int',
    ),
    Known(
        "inner",
        "^raised NotImplementedError: (dot|mm): not implemented for dtype bool",
        "there is no product of bools; PyTorch has one of vectors whose elements do not lie side by side",
        "inner(tensor(3), tensor(3))  # bool, column",
    ),
    Known(
        r"_?conv\w*(\.\w+)?",
        f"{NUMBERS} .*expected \\(?(nan|-?inf)",
        "what infinite and overflowing numbers come to depends on the order of a sum, and on what is "
        "summed beside "
        "padding",
        'conv3d.padding(tensor(1, 2, 3, 3, 3), tensor(2, 2, 2, 2, 2, values="special"), None, [1], "same", '
        "[2, 2, 2], 1)  # complex64, column",
        STRANGE,
    ),
    Known(
        r"(add|sub|rsub)_?\.\w+",
        f"{NUMBERS} -?inf, expected nan",
        "a factor that halves do not hold is one in float32, in which gnomon multiplies",
        'add.Tensor(tensor(14, 1, values="special"), tensor(1, 14, values="special"), alpha=-3e+38)  '
        "# bfloat16, odd ones",
        r"alpha=-?3e\+38\)  # b?float16",
    ),
]
