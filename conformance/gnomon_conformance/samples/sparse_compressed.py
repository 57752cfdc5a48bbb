"""Calls with tensors of compressed layouts: sparse_csr, sparse_csc, sparse_bsr."""

from __future__ import annotations

from typing import Any

from ..inputs.description import FLOATS, ON_DEVICE, Judged, TensorDescription, given, sample, tensor
from . import sparse_samples_of
from .sparse import FLOATING, REAL, coo, hybrid


def csr(*sizes: int, **fields: Any) -> TensorDescription:
    """A matrix whose rows are compressed."""
    return tensor(*sizes, layout="sparse_csr", **fields)


def csc(*sizes: int, **fields: Any) -> TensorDescription:
    """A matrix whose columns are compressed."""
    return tensor(*sizes, layout="sparse_csc", **fields)


def bsr(*sizes: int, **fields: Any) -> TensorDescription:
    """A matrix whose rows of blocks, 2 x 2, are compressed."""
    return tensor(*sizes, layout="sparse_bsr", **fields)


def integers(*numbers: int) -> TensorDescription:
    """A tensor of indices."""
    return given(list(numbers), (len(numbers),), (1,), 0, "int64")


EACH = [csr(3, 4), csc(2, 3), bsr(4, 6), csr(0, 3)]


def alone(*arguments: Any, **keywords: Any) -> list[Any]:
    """Each compressed tensor, followed by the arguments."""
    return [sample(each, *arguments, **keywords) for each in EACH]


# ---------------------------------------------------------------------------------------------------------
# Construction.

STARTS, PLAIN = integers(0, 2, 3), integers(0, 2, 2)
FEW, PLACES = integers(0, 1, 2), integers(1, 0)


def constructed(layout: str, unsafe: bool, *sized: Any) -> list[Any]:
    """Calls of a constructor with each option; ``layout``: one that must be given, or its own."""
    options: dict[str, Any] = {"device": ON_DEVICE, "pin_memory": False if unsafe else None}
    values, own = (tensor(2, 2, 2), (FEW, PLACES)) if layout[7] == "b" else (tensor(3), (STARTS, PLAIN))
    return [
        sample(*own, values, *sized, layout=layout),
        sample(*own, values, *sized, layout=layout, **options),
        sample(*own, values, *sized, layout=layout, dtype="float64", dtypes=["float64"]),
    ]


for _name, _layout, _size, _wider, _rest in (
    ("csr", "sparse_csr", (2, 3), (2, 5), "crow_col"),
    ("csc", "sparse_csc", (3, 2), (5, 2), "ccol_row"),
    ("bsr", "sparse_bsr", (4, 4), (4, 6), "crow_col"),
    ("bsc", "sparse_bsc", (4, 4), (6, 4), "ccol_row"),
):
    _maker = f"sparse_{_name}_tensor"
    sparse_samples_of(
        f"{_maker}.{_rest}_value_size sparse_compressed_tensor.comp_plain_value_size",
        constructed(_layout, False, _size),
    )
    sparse_samples_of(
        f"{_maker}.{_rest}_value sparse_compressed_tensor.comp_plain_value", constructed(_layout, False)
    )
    sparse_samples_of(f"_{_maker}_unsafe _sparse_compressed_tensor_unsafe", constructed(_layout, True, _size))
    _parts = (FEW, PLACES, tensor(2, 2, 2)) if _name[0] == "b" else (STARTS, PLAIN, tensor(3))
    sparse_samples_of(f"_validate_{_maker}_args", [sample(*_parts, _size), sample(*_parts, _wider, False)])
    sparse_samples_of(
        "_validate_sparse_compressed_tensor_args",
        [sample(*_parts, _size, _layout), sample(*_parts, _size, _layout, False)],
    )
    # the layout may be omitted
    sparse_samples_of(f"{_maker}.{_rest}_value_size _{_maker}_unsafe", [sample(*_parts, _wider)])
    sparse_samples_of(f"{_maker}.{_rest}_value", [sample(*_parts)])
sparse_samples_of("empty.memory_format zeros", [sample((2, 0, 3), layout="sparse_csc")])
sparse_samples_of("zeros_like ones_like clone detach neg zero_ _nnz sparse_dim dense_dim values", alone())
sparse_samples_of("fill_.Scalar", alone(3))
_COPIES = "crow_indices_copy col_indices_copy"
sparse_samples_of(f"crow_indices col_indices {_COPIES}", [sample(csr(3, 4)), sample(bsr(4, 6))])
sparse_samples_of("ccol_indices row_indices ccol_indices_copy row_indices_copy", [sample(csc(3, 4))])
sparse_samples_of("values_copy", alone())

# ---------------------------------------------------------------------------------------------------------
# Conversion.

sparse_samples_of(
    "to_dense", [*alone(), *alone(masked_grad=False), sample(tensor(2, 3), "float64", dtypes=FLOATS)]
)
sparse_samples_of("_to_dense", [*alone(), *alone(None, False)])
sparse_samples_of("_to_copy", [*alone(), sample(csr(2, 3), dtype="float64", dtypes=FLOATS)])
sparse_samples_of("copy_", [sample(csr(2, 3), csr(2, 3, seed=1)), sample(bsr(4, 6), bsr(4, 6, seed=1), True)])
SOURCES = [tensor(4, 6), tensor(4, 6, values="ties"), coo(4, 6), csr(4, 6), csc(4, 6)]
sparse_samples_of(
    "to_sparse_csr _to_sparse_csr",
    [*[sample(each) for each in (*SOURCES[:3], csc(4, 6), hybrid(2, 2, 3))], sample(tensor(2, 3, 2), 1)],
)
sparse_samples_of(
    "to_sparse_csc _to_sparse_csc",
    [*[sample(each) for each in SOURCES[:4]], sample(tensor(2, 3, 2), 1), sample(tensor(2, 2, 3))],
)
BLOCKS = [(each, (2, 3)) for each in SOURCES]
sparse_samples_of(
    "to_sparse_bsr _to_sparse_bsr to_sparse_bsc _to_sparse_bsc",
    [*[sample(*each) for each in BLOCKS], sample(tensor(2, 4, 2), (1, 2), 1), sample(tensor(2, 3), 1)],
)
sparse_samples_of("to_sparse_bsc _to_sparse_bsc", [sample(bsr(4, 6), (2, 2))])
sparse_samples_of(
    "to_sparse _to_sparse",
    [
        *[sample(each) for each in EACH],
        sample(csr(3, 4), layout="sparse_csc"),
        sample(tensor(3, 4), layout="sparse_csr"),
        sample(coo(3, 4), layout="sparse_csr"),
        sample(tensor(4, 6), layout="sparse_bsr", blocksize=(2, 3)),
    ],
)
sparse_samples_of("to_sparse.sparse_dim _to_sparse.sparse_dim", [sample(csr(3, 4), 2)])
sparse_samples_of(
    "sparse_mask _compressed_values_at",
    [
        sample(tensor(3, 4), csr(3, 4)),
        sample(tensor(4, 6), bsr(4, 6)),
        sample(coo(3, 4), csc(3, 4)),
        sample(csr(3, 4), csr(3, 4, seed=1)),
    ],
)
sparse_samples_of(
    "_convert_indices_from_coo_to_csr",
    [sample(integers(0, 0, 2), 3), sample(integers(1, 1), 4, out_int32=True)],
)
sparse_samples_of(
    "_convert_indices_from_csr_to_coo",
    [
        sample(STARTS, PLAIN),
        sample(STARTS, PLAIN, out_int32=True),
        sample(STARTS, integers(1, 2, 0), transpose=True),
        sample(given([0, 2, 3, 0, 1, 3], (2, 3), (3, 1), 0, "int64"),
               given([0, 2, 2, 0, 1, 2], (2, 3), (3, 1), 0, "int64")),
    ],
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------
# Computation.

sparse_samples_of("abs sin sqrt expm1 sign tanh", alone(dtypes=REAL))
sparse_samples_of(
    "add.Tensor sub.Tensor",
    [
        sample(csr(3, 4), csr(3, 4, seed=1)),
        sample(csc(3, 4), csr(3, 4, seed=1), alpha=2),
        sample(bsr(4, 6), bsr(4, 6, seed=1)),
        sample(tensor(3, 4), csr(3, 4), alpha=2),
        sample(csc(3, 4), tensor(3, 4)),
    ],
)
sparse_samples_of(
    "mul.Tensor",
    [
        *alone(3),
        sample(csr(3, 4), csc(3, 4, seed=1)),
        sample(bsr(4, 6), tensor(4, 6)),
        sample(tensor(3, 4), csr(3, 4)),
        sample(csr(3, 4), coo(3, 4)),
    ],
)
sparse_samples_of("sum", alone())
sparse_samples_of(
    "_sparse_csr_sum.dim_dtype _sparse_csr_prod.dim_dtype",
    [
        sample(csr(3, 4), (0,), True),
        sample(csr(3, 4), (1,), True, dtype="float64"),
        sample(csr(3, 4), (0, 1), True, dtype="float32"),
    ],
    tolerance="terms",
)
sparse_samples_of("t", [sample(each) for each in EACH])
sparse_samples_of("transpose.int", [sample(csr(3, 4), 0, 1), sample(csc(3, 4), 1, 1)])
sparse_samples_of("select.int", [sample(csr(3, 4), 0, 1), sample(csc(3, 4), -1, -2)])
sparse_samples_of("select_copy.int", [sample(bsr(4, 6), 1, 3), sample(csr(3, 4), 0, 2)])

# ---------------------------------------------------------------------------------------------------------
# Products.

PRODUCTS = [
    sample(csr(3, 4), tensor(4, 2), dtypes=FLOATING),
    sample(csc(3, 4), tensor(4, 2), dtypes=FLOATING),
    sample(bsr(4, 6), tensor(6, 1), dtypes=FLOATING),
    sample(csr(3, 4), csr(4, 3), dtypes=FLOATING),
    sample(csr(3, 4), csc(4, 2), dtypes=FLOATING),
]
sparse_samples_of("mm", [*PRODUCTS, sample(csr(5, 4), tensor(4, 38), dtypes=FLOATING)])
sparse_samples_of("mm", [sample(tensor(2, 3), csr(3, 4), dtypes=FLOATING)])
sparse_samples_of("_sparse_mm", PRODUCTS, tolerance="composed")
STARTS, PLACES = integers(0, 5, 5, 6, 8), integers(0, 2, 3, 4, 6, 1, 0, 6)
STEPPED = given([0, 9, 5, 9, 5, 9, 6, 9, 8], (5,), (2,), 0, "int64")
NARROW = [given(numbers, (len(numbers),), (1,), 0, "int32") for numbers in ([0, 1, 1, 4], [3, 2, 2, 0])]
NOT_DERIVED: Judged = {"differentiable": False, "dtypes": FLOATS}
sparse_samples_of(
    "_csr_mm",
    [
        sample(tensor(8), STARTS, PLACES, tensor(7, 1), **NOT_DERIVED),
        sample(tensor(8), STEPPED, PLACES, tensor(7, 39), **NOT_DERIVED),
        sample(tensor(4), *NARROW, tensor(4, 3), **NOT_DERIVED),
        sample(tensor(0), integers(0, 0), integers(), tensor(0, 2), **NOT_DERIVED),
        sample(tensor(0), integers(0), integers(), tensor(3, 2), **NOT_DERIVED),
    ],
    "terms",
)
SAMPLED = integers(0, 2, 2, 7), integers(1, 3, 0, 1, 2, 3, 3)
sparse_samples_of(
    "_csr_sampled_mm",
    [
        sample(tensor(3, 5), tensor(5, 4), *SAMPLED, dtypes=FLOATING),
        sample(tensor(3, 39), tensor(39, 4), *SAMPLED, dtypes=FLOATING),
        sample(tensor(3, 2), tensor(2, 4), *NARROW, **NOT_DERIVED),
        sample(tensor(3, 0), tensor(0, 4), *SAMPLED, **NOT_DERIVED),
        sample(tensor(2, 3), tensor(3, 2), integers(0, 0, 0), integers(), **NOT_DERIVED),
        sample(tensor(0, 3), tensor(3, 2), integers(0), integers(), **NOT_DERIVED),
    ],
    "terms",
)
sparse_samples_of(
    "_csr_rows",
    [
        sample(integers(0, 2, 2, 7), integers(1, 3, 0, 1, 2, 3, 3)),
        sample(*NARROW),
        sample(integers(0, 0), integers()),
        sample(integers(0), integers()),
    ],
)
sparse_samples_of(
    "_csr_merge",
    [
        sample(integers(0, 2, 2, 5), integers(1, 3, 0, 1, 2), integers(0, 1, 3, 5), integers(3, 0, 2, 1, 2)),
        sample(integers(0, 2), integers(1, 3), integers(0, 0), integers()),
        sample(integers(0), integers(), integers(0), integers()),
    ],
)
FACTORS = integers(0, 2, 2, 5), integers(1, 3, 0, 1, 2)
OTHERS = integers(0, 1, 3, 5, 5), integers(3, 0, 2, 1, 2)
sparse_samples_of("_csr_csr_starts", [sample(*FACTORS, *OTHERS, 5), sample(*NARROW, *OTHERS, 70)])
sparse_samples_of(
    "_csr_csr_mm",
    [
        sample(tensor(5), *FACTORS, tensor(5), *OTHERS, integers(0, 2, 2, 6), 5, 6, **NOT_DERIVED),
        sample(
            tensor(0),
            integers(0, 0),
            integers(),
            tensor(0),
            integers(0, 0),
            integers(),
            integers(0, 0),
            3,
            0,
            **NOT_DERIVED,
        ),
    ],
    "terms",
)
sparse_samples_of("mv", [sample(csr(3, 4), tensor(4), dtypes=FLOATING)])
sparse_samples_of("addmv", [sample(tensor(3), csr(3, 4), tensor(4), beta=2, alpha=3, dtypes=FLOATING)])
sparse_samples_of(
    "addmm",
    [
        sample(tensor(3, 2), csr(3, 4), tensor(4, 2), beta=2, alpha=3, dtypes=FLOATING),
        sample(csr(3, 3), csr(3, 4), csc(4, 3), dtypes=FLOATING),
    ],
)
sparse_samples_of(
    "sparse_sampled_addmm",
    [
        sample(csr(3, 4), tensor(3, 2), tensor(2, 4), dtypes=FLOATING),
        sample(csr(3, 4), tensor(3, 2), tensor(2, 4), beta=2, alpha=-1, dtypes=FLOATING),
    ],
    tolerance="composed",
)
sparse_samples_of(
    "_sparse_mm.reduce",
    [sample(csr(3, 4), tensor(4, 2), each, dtypes=REAL) for each in ("sum", "mean", "amax", "amin")],
    tolerance="composed",
)
OFFSETS = integers(0, -1)
sparse_samples_of(
    "_spdiags",
    [
        sample(tensor(2, 3), OFFSETS, (3, 4)),
        sample(tensor(2, 3), OFFSETS, (4, 3), layout="sparse_csr"),
        sample(tensor(2, 4), integers(2, -2), (3, 4), layout="sparse_csc"),
        sample(tensor(2, 4), integers(2, -2), (3, 4), layout="sparse_coo"),
    ],
)
