"""Calls with sparse tensors: of the operators that only these have, and of others with a kernel for them."""

from __future__ import annotations

from typing import Any

from ..inputs.description import FLOATS, ON_DEVICE, TensorDescription, given, sample, tensor
from . import embedding_bag as bags
from . import sparse_samples_of

FLOATING = ("float32", "float64", "complex64", "complex128")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")


def coo(*sizes: int, **fields: Any) -> TensorDescription:
    """A coalesced tensor."""
    return tensor(*sizes, layout="sparse_coo", **fields)


def loose(*sizes: int, **fields: Any) -> TensorDescription:
    """A tensor whose columns are repeated and out of order."""
    return tensor(*sizes, layout="uncoalesced", **fields)


def hybrid(*sizes: int, **fields: Any) -> TensorDescription:
    """A tensor whose last dimension is in the values."""
    return tensor(*sizes, layout="hybrid", **fields)


EACH = [coo(3, 4), loose(2, 3), hybrid(2, 2, 3), coo(0, 3), coo(5), loose(2, 3, 2, seed=1)]
INDICES = given([0, 1, 1, 0, 2, 0, 2, 2], (2, 4), (4, 1), 0, "int64")
OPTIONS: list[dict[str, Any]] = [{}, {"layout": "sparse_coo", "device": ON_DEVICE, "pin_memory": False}]


def alone(*arguments: Any, **keywords: Any) -> list[Any]:
    """Each sparse tensor, followed by the arguments."""
    return [sample(each, *arguments, **keywords) for each in EACH]


# ---------------------------------------------------------------------------------------------------------
# Construction.

sparse_samples_of(
    "sparse_coo_tensor.size",
    [
        sample((2, 3), layout="sparse_coo"),
        *[sample((0,), dtype="float64", device=ON_DEVICE, pin_memory=None, layout="sparse_coo")],
    ],
)
sparse_samples_of(
    "sparse_coo_tensor.indices",
    [
        sample(INDICES, tensor(4)),
        sample(INDICES, tensor(4, 2), is_coalesced=True),
        sample(INDICES, tensor(4), dtype="float64", dtypes=REAL),
        *[sample(INDICES, tensor(4), **each) for each in OPTIONS],
    ],
)
sparse_samples_of(
    "sparse_coo_tensor.indices_size _sparse_coo_tensor_unsafe",
    [
        sample(INDICES, tensor(4), (2, 3)),
        sample(INDICES, tensor(4, 2), (3, 3, 2), is_coalesced=True),
        *[sample(INDICES, tensor(4), (2, 3), **each) for each in OPTIONS],
        sample(INDICES, tensor(4), (2, 3), dtype="float64", dtypes=["float64"]),
    ],
)
sparse_samples_of(
    "_sparse_coo_tensor_with_dims_and_tensors",
    [
        sample(2, 0, (2, 3), INDICES, tensor(4), layout="sparse_coo"),
        sample(2, 1, (2, 3, 2), INDICES, tensor(4, 2), layout="sparse_coo", is_coalesced=True),
        sample(2, 0, (2, 3), INDICES, tensor(4), layout="sparse_coo", device=ON_DEVICE, pin_memory=None),
        sample(2, 0, (2, 3), INDICES, tensor(4), layout="sparse_coo", dtype="float32", dtypes=["float32"]),
        sample(1, 0, (3,), given([2, 0], (1, 2), (2, 1), 0, "int64"), tensor(2), layout="sparse_coo"),
    ],
)
sparse_samples_of(
    "_sparse_coo_tensor_with_dims",
    [
        sample(2, 0, (2, 3), layout="sparse_coo"),
        sample(1, 1, (3, 2), layout="sparse_coo", dtype="float64", device=ON_DEVICE, pin_memory=None),
    ],
)
sparse_samples_of("empty.memory_format zeros", [sample((2, 3), layout="sparse_coo")])
sparse_samples_of("zeros_like", alone())
sparse_samples_of(
    "sparse_dim _dimI dense_dim _dimV _nnz is_coalesced _indices _values coalesce clone detach neg zero_",
    alone(),
)
sparse_samples_of("sparse_dim dense_dim", [sample(tensor(2, 3))])
sparse_samples_of("indices values", [sample(each) for each in EACH if each.layout != "uncoalesced"])
sparse_samples_of("_coalesce", [sample(each) for each in EACH if each.layout == "uncoalesced"])
sparse_samples_of("_coalesced_", [sample(loose(2, 3), True), sample(coo(2, 3), False)])
sparse_samples_of(
    "sparse_resize_",
    [
        sample(coo(2, 3), (2, 3), 2, 0),
        sample(hybrid(2, 2, 3), (4, 2, 3), 2, 1),
        sample(coo(0, 3), (3,), 1, 0),
    ],
)
sparse_samples_of("resize_as_sparse_", [sample(coo(2, 3), coo(2, 3)), sample(coo(2, 3), coo(4, 3))])
sparse_samples_of("_sparse_select_copy", [sample(coo(2, 3), 0, 1), sample(hybrid(2, 2, 3), 1, 0)])
sparse_samples_of(
    "_sparse_mask_projection",
    [sample(coo(2, 3), coo(2, 3)), sample(loose(2, 3), coo(2, 3), accumulate_matches=True)],
)
sparse_samples_of(
    "sparse_resize_and_clear_",
    [sample(coo(2, 3), (2, 3), 2, 0), sample(coo(2, 3), (4, 2, 3), 2, 1), sample(coo(4), (3,), 1, 0)],
)

# ---------------------------------------------------------------------------------------------------------
# Conversion.

sparse_samples_of(
    "to_dense",
    [
        *alone(),
        *alone(masked_grad=False),
        sample(tensor(2, 3)),
        *alone(masked_grad=True),
    ],
)
sparse_samples_of(
    "_to_dense",
    [*alone(), *alone(None, False), *alone(None, True)],
)
sparse_samples_of(
    "to_sparse _to_sparse",
    [
        sample(tensor(3, 4)),
        sample(tensor(3, 4, values="ties"), layout="sparse_coo"),
        sample(tensor(2, 3, 2), dense_dim=1),
        sample(tensor()),
    ],
)
sparse_samples_of(
    "to_sparse.sparse_dim _to_sparse.sparse_dim", [sample(tensor(3, 4), 1), sample(tensor(3, 4), 2)]
)
sparse_samples_of("_to_copy", [*alone(), sample(coo(2, 3), dtype="float64", dtypes=FLOATS)])
sparse_samples_of("copy_", [sample(coo(2, 3), loose(2, 3)), sample(hybrid(2, 3), hybrid(2, 3), False)])
sparse_samples_of(
    "sparse_mask",
    [
        sample(tensor(3, 4), coo(3, 4)),
        sample(coo(3, 4), coo(3, 4, seed=1)),
        sample(tensor(2, 2, 3), hybrid(2, 2, 3)),
    ],
)
sparse_samples_of(
    "_sparse_values_at",
    [sample(tensor(2, 3), INDICES), sample(loose(2, 3), INDICES), sample(hybrid(2, 3, 2), INDICES)],
)

# ---------------------------------------------------------------------------------------------------------
# Computation.

sparse_samples_of("abs sin sqrt expm1 sign tanh", alone(dtypes=REAL))
sparse_samples_of("_conj_physical view_as_real", alone(dtypes=COMPLEX))
sparse_samples_of("view_as_complex", [sample(hybrid(3, 2), dtypes=REAL)])
sparse_samples_of("pow.Tensor_Scalar", alone(2, dtypes=REAL))
sparse_samples_of(
    "add.Tensor sub.Tensor",
    [
        sample(coo(3, 4), coo(3, 4, seed=1)),
        sample(coo(3, 4), loose(3, 4)),
        sample(tensor(2, 3), loose(2, 3), alpha=2),
        sample(hybrid(2, 2, 3), hybrid(2, 2, 3, seed=1), alpha=-1, dtypes=FLOATING),
    ],
)
sparse_samples_of(
    "mul.Tensor",
    [
        sample(loose(2, 3), tensor(2, 3)),
        sample(tensor(2, 2, 3), hybrid(2, 2, 3)),
        sample(coo(2, 3), loose(2, 3)),
        *alone(3),
    ],
)
sparse_samples_of("div.Tensor", alone(2, dtypes=FLOATING))
sparse_samples_of("sum", alone())
sparse_samples_of("_sparse_sum", alone(), tolerance="terms")
sparse_samples_of(
    "_sparse_sum.dim",
    [
        sample(coo(3, 4), (0,)),
        sample(loose(2, 3), (1,)),
        sample(hybrid(2, 2, 3), (2,)),
        sample(hybrid(2, 2, 3), (0, 1)),
    ],
    tolerance="terms",
)
sparse_samples_of(
    "_sparse_sum.dtype",
    [sample(coo(3, 4), dtype="float64"), sample(coo(3, 4), dtype="float32")],
    tolerance="terms",
)
sparse_samples_of(
    "_sparse_sum.dim_dtype",
    [sample(coo(3, 4), (0,), dtype="float64"), sample(coo(3, 4), (1,), dtype="float32")],
    tolerance="terms",
)
sparse_samples_of(
    "_sparse_sum_backward",
    [
        sample(tensor(4), coo(3, 4), (0,)),
        sample(coo(3), coo(3, 4), (1,)),
        sample(tensor(3), hybrid(2, 2, 3), (0, 1)),
    ],
)
SOFT = [
    sample(coo(3, 4), 0, False),
    sample(loose(2, 3), 1, False),
    sample(hybrid(2, 2, 3), -1, False),
    sample(hybrid(2, 2, 3), 1, False),
]
SOFT = [each._replace(dtypes=REAL) for each in SOFT]
sparse_samples_of("_sparse_softmax _sparse_log_softmax", SOFT, tolerance="composed")
sparse_samples_of(
    "_sparse_softmax.int _sparse_log_softmax.int",
    [sample(coo(3, 4), 0, dtypes=REAL), sample(coo(3, 4), 1, "float64", dtypes=REAL)],
    tolerance="composed",
)
sparse_samples_of(
    "_sparse_softmax_backward_data _sparse_log_softmax_backward_data",
    [
        sample(coo(3, 4), coo(3, 4, values="probability"), dim, coo(3, 4), differentiable=False, dtypes=REAL)
        for dim in (0, 1)
    ],
    tolerance="composed",
)

# ---------------------------------------------------------------------------------------------------------
# Shapes.

sparse_samples_of(
    "permute",
    [sample(coo(3, 4), (1, 0)), sample(hybrid(2, 4, 3), (1, 0, 2)), sample(loose(2, 3, 2), (2, 0, 1))],
)
sparse_samples_of("transpose.int", [sample(coo(3, 4), 0, 1)])
sparse_samples_of("t", [sample(coo(3, 4)), sample(loose(2, 3))])
sparse_samples_of(
    "_sparse_broadcast_to",
    [sample(coo(2, 3), (2, 2, 3)), sample(loose(2, 1), (2, 3)), sample(hybrid(2, 1), (3, 2, 2))],
)
sparse_samples_of(
    "_sparse_narrow",
    [sample(coo(3, 4), 1, 1, 2), sample(hybrid(2, 2, 3), -1, -2, 1), sample(loose(2, 3), 0, 1, 0)],
)
sparse_samples_of("unsqueeze", [sample(coo(3, 4), 1), sample(hybrid(2, 2, 3), -1)])
sparse_samples_of(
    "cat stack", [sample([coo(3, 4), loose(3, 4)], 0), sample([coo(3, 4), coo(3, 4, seed=1)], 1)]
)
sparse_samples_of(
    "select.int", [sample(coo(3, 4), 0, 1), sample(loose(2, 3), 1, -1), sample(hybrid(2, 2, 3), 2, 0)]
)
sparse_samples_of("index_select", [sample(coo(3, 4), 1, given([2, 0, 2], (3,), (1,), 0, "int64"))])
sparse_samples_of("narrow_copy", [sample(coo(3, 4), 1, 1, 2)])

# ---------------------------------------------------------------------------------------------------------
# Products.

sparse_samples_of(
    "mm",
    [
        sample(coo(3, 4), tensor(4, 2), dtypes=FLOATING),
        sample(tensor(2, 3), loose(3, 2), dtypes=FLOATING),
        sample(coo(3, 4), coo(4, 3), dtypes=FLOATING),
    ],
)
sparse_samples_of(
    "_sparse_mm",
    [sample(coo(3, 4), tensor(4, 2), dtypes=FLOATING), sample(loose(2, 3), tensor(3, 0), dtypes=FLOATING)],
    tolerance="composed",
)
sparse_samples_of(
    "_sparse_sparse_matmul",
    [sample(coo(3, 4), coo(4, 3), dtypes=FLOATING), sample(loose(2, 3), loose(3, 2), dtypes=FLOATING)],
    tolerance="composed",
)
sparse_samples_of("mv", [sample(coo(3, 4), tensor(4), dtypes=FLOATING)])
sparse_samples_of("addmm", [sample(tensor(3, 2), coo(3, 4), tensor(4, 2), beta=2, alpha=3, dtypes=FLOATING)])
sparse_samples_of("smm hspmm", [sample(coo(3, 4), tensor(4, 2), dtypes=FLOATING)], tolerance="composed")
sparse_samples_of(
    "sspaddmm",
    [
        sample(coo(3, 2), coo(3, 4), tensor(4, 2), dtypes=FLOATING),
        sample(coo(3, 2), coo(3, 4), tensor(4, 2), beta=2, alpha=3, dtypes=FLOATING),
    ],
    tolerance="composed",
)

# ---------------------------------------------------------------------------------------------------------
# Gradients of embeddings.

ROWS = tensor(2, 3, dtype="int64", values="below 4")
sparse_samples_of(
    "embedding_sparse_backward",
    [sample(tensor(2, 3, 2), ROWS, count, row, False, dtypes=FLOATING) for count, row in ((4, -1), (5, 1))],
)
sparse_samples_of(
    "embedding_backward",
    [
        sample(tensor(2, 3, 2), ROWS, 4, -1, False, True, dtypes=FLOATING),
        sample(tensor(2, 3, 2), ROWS, 5, 1, True, False, dtypes=FLOATING),
    ],
    tolerance="composed",
)
BAGS = (bags.ROWS, bags.TWO, bags.BAG, bags.SIZES, bags.SIZES, 5, False)
sparse_samples_of(
    "_embedding_bag_backward",
    [
        sample(bags.GRAD, *BAGS, 0, True, None, **bags.NONE),
        sample(bags.GRAD, *BAGS, 1, True, None, 1, **bags.NONE),
        sample(bags.GRAD, *BAGS, 0, True, tensor(6, layout="contiguous"), **bags.NONE),
    ],
)
GATHERED = tensor(2, 4, dtype="int64", values="below 3")
sparse_samples_of(
    "_gather_sparse_backward",
    [
        sample(tensor(3, 4), 0, GATHERED, tensor(2, 4), dtypes=FLOATING),
        sample(tensor(2, 3), -1, GATHERED, tensor(2, 4), dtypes=FLOATING),
        sample(tensor(), 0, given([0], (), (), 0, "int64"), tensor(), dtypes=FLOATING),
    ],
)
sparse_samples_of(
    "gather_backward",
    [
        sample(tensor(2, 4), tensor(3, 4), 0, GATHERED, False, dtypes=FLOATING),
        sample(tensor(2, 4), tensor(3, 4), 0, GATHERED, True, dtypes=FLOATING),
        sample(tensor(2, 4), tensor(2, 3), 1, GATHERED, False, dtypes=FLOATING),
    ],
)
