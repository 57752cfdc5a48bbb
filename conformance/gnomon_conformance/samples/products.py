"""Samples of products of vectors, matrices and tensors."""

from ..inputs.description import FLOATS, INTEGERS, bad, sample, tensor
from . import samples_of

B1, B2 = tensor(2, 2, 3), tensor(2, 3, 4)
samples_of(
    "baddbmm",
    [
        sample(tensor(2, 2, 4), B1, B2),
        sample(tensor(4), B1, B2, beta=2, alpha=3),
        sample(tensor(2, 1), B1, B2, beta=0.5, alpha=-1.5, dtypes=FLOATS),
        sample(tensor(2, 4, values="special"), B1, B2, beta=0, differentiable=False),
        sample(tensor(), tensor(2, 2, 0), tensor(2, 0, 4)),
        bad("RuntimeError", tensor(3), B1, B2),
        bad("RuntimeError", tensor(4), B1, tensor(2, 2, 4)),
        bad("RuntimeError", tensor(4), tensor(2, 3), tensor(3, 4)),
        bad("RuntimeError", tensor(4, dtype="float64"), B1, B2),
    ],
    tolerance="terms",
)
samples_of(
    "addbmm",
    [
        sample(tensor(2, 4), B1, B2),
        sample(tensor(4), B1, B2, beta=2, alpha=3),
        sample(tensor(2, 4, values="special"), B1, B2, beta=0, differentiable=False),
        sample(tensor(2, 4), tensor(0, 2, 3), tensor(0, 3, 4)),
        bad("RuntimeError", tensor(3), B1, B2),
        bad("RuntimeError", tensor(4), B1, tensor(3, 3, 4)),
        bad("RuntimeError", tensor(4), tensor(2, 3), tensor(3, 4)),
    ],
    tolerance="terms",
)
samples_of(
    "addmv",
    [
        sample(tensor(2), tensor(2, 3), tensor(3)),
        sample(tensor(1), tensor(2, 3), tensor(3), beta=2, alpha=3),
        sample(tensor(), tensor(2, 3), tensor(3), beta=0.5, alpha=-1.5, dtypes=FLOATS),
        sample(tensor(2, values="special"), tensor(2, 3), tensor(3), beta=0, differentiable=False),
        bad("RuntimeError", tensor(3), tensor(2, 3), tensor(3)),
        bad("RuntimeError", tensor(2), tensor(2, 3), tensor(2)),
        bad("RuntimeError", tensor(2), tensor(2), tensor(2)),
        bad("RuntimeError", tensor(2, dtype="float64"), tensor(2, 3), tensor(3)),
    ],
    tolerance="terms",
)
samples_of(
    "addr",
    [
        sample(tensor(2, 3), tensor(2), tensor(3)),
        sample(tensor(3), tensor(2), tensor(3), beta=2, alpha=3, dtypes=(*INTEGERS, *FLOATS)),
        sample(tensor(2, 1), tensor(2), tensor(3), beta=0.5, alpha=-1.5, dtypes=FLOATS),
        sample(
            tensor(2, 3, values="special"), tensor(2), tensor(3), beta=0, differentiable=False, dtypes=FLOATS
        ),
        sample(tensor(2, 3), tensor(2), tensor(3, dtype="float64")),
        bad("RuntimeError", tensor(2, 3), tensor(2), tensor(2)),
        bad("RuntimeError", tensor(2, 3), tensor(2, 1), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(2), tensor(3), alpha=1.5, dtypes=["int64"]),
    ],
    tolerance="terms",
)
samples_of(
    "vdot",
    [
        sample(tensor(4), tensor(4)),
        sample(tensor(0), tensor(0)),
        bad("RuntimeError", tensor(3), tensor(4)),
        bad("RuntimeError", tensor(3), tensor(3, dtype="float64")),
    ],
    tolerance="terms",
)
samples_of(
    "outer ger",
    [
        sample(tensor(2), tensor(3)),
        sample(tensor(0), tensor(3)),
        sample(tensor(2), tensor(3, dtype="float64")),
        bad("RuntimeError", tensor(2, 2), tensor(3)),
    ],
    tolerance="terms",
)
samples_of(
    "inner",
    [
        sample(tensor(2, 3), tensor(4, 3)),
        sample(tensor(3), tensor(3)),
        sample(tensor(), tensor(2, 3)),
        sample(tensor(2, 2, 3), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(4, 2)),
        bad("RuntimeError", tensor(2, 3), tensor(4, 3, dtype="float64")),
    ],
    tolerance="terms",
)
samples_of(
    "kron",
    [
        sample(tensor(2, 3), tensor(2, 2)),
        sample(tensor(2, 3), tensor(2)),
        sample(tensor(2), tensor(2, 1, 2)),
        sample(tensor(), tensor(2)),
        sample(tensor(2), tensor(2, dtype="float64")),
        sample(tensor(0, 2), tensor(2, 2)),
    ],
    tolerance="terms",
)
samples_of(
    "linalg_cross",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(3, 2), tensor(3, 2), dim=0),
        sample(tensor(1, 3), tensor(2, 3)),
        sample(tensor(0, 3), tensor(0, 3)),
        bad("RuntimeError", tensor(3), tensor(2, 3)),
        bad("RuntimeError", tensor(2, 2), tensor(2, 2)),
        bad("RuntimeError", tensor(3), tensor(3, dtype="float64")),
        bad("IndexError", tensor(3), tensor(3), dim=1),
    ],
    tolerance="composed",
)
samples_of(
    "cross",
    [
        sample(tensor(3, 3), tensor(3, 3)),
        sample(tensor(2, 3), tensor(2, 3), -1),
        bad("RuntimeError", tensor(2, 2), tensor(2, 2)),
        bad("RuntimeError", tensor(3), tensor(2, 3)),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_vecdot",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3), tensor(3)),
        sample(tensor(2, 3), tensor(2, 3), dim=0),
        sample(tensor(3), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(2)),
        bad("RuntimeError", tensor(3), tensor(3, dtype="float64")),
        bad("RuntimeError", tensor(3), tensor(3), dtypes=["int64"]),
    ],
    tolerance="terms",
)
samples_of(
    "linalg_multi_dot",
    [
        sample([tensor(2, 3), tensor(3, 4)]),
        sample([tensor(2, 3), tensor(3, 4), tensor(4, 1)]),
        sample([tensor(3), tensor(3, 2), tensor(2)]),
        sample([tensor(3), tensor(3)]),
        bad("RuntimeError", [tensor(2, 3)]),
        bad("RuntimeError", [tensor(2, 3), tensor(2, 3)]),
        bad("RuntimeError", [tensor(2, 3), tensor(3), tensor(3, 2)]),
    ],
    tolerance="composed",
)
samples_of(
    "tensordot",
    [
        sample(tensor(2, 3), tensor(3, 2), [1], [0]),
        sample(tensor(2, 3, 2), tensor(2, 3, 4), [0, 1], [0, 1]),
        sample(tensor(2, 3), tensor(2, 3), [-1], [1]),
        sample(tensor(2), tensor(3), [], []),
        sample(tensor(2, 1), tensor(3, 2), [1], [0]),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), [1], [0]),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), [1], [0, 1]),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3, dtype="float64"), [1], [1]),
        bad("IndexError", tensor(2, 3), tensor(2, 3), [2], [0]),
    ],
    tolerance="terms",
)
M = (tensor(2, 3), tensor(3, 4))
samples_of(
    "einsum",
    [
        sample("ij,jk->ik", list(M)),
        sample("ij,jk->ki", list(M)),
        sample("ij,jk", list(M), path=[0, 1]),
        sample("ii->i", [tensor(3, 3)]),
        sample("ii", [tensor(3, 3)]),
        sample("ij->", [tensor(2, 3)]),
        sample("ij->ji", [tensor(2, 3)]),
        sample("i,j", [tensor(2), tensor(3)]),
        sample("ij,ij->i", [tensor(2, 3), tensor(2, 3)]),
        sample("...ij,...jk->...ik", [tensor(2, 2, 3), tensor(3, 2)]),
        sample("bqhd,bkhd->bhqk", [tensor(2, 2, 3, 2), tensor(2, 2, 3, 2)]),
        sample("ab,bc,cd->ad", [tensor(2, 3), tensor(3, 2), tensor(2, 2)]),
        sample("i...->...", [tensor(2, 3)]),
        bad("RuntimeError", "ij,jk", [tensor(2, 3)]),
        bad("RuntimeError", "ij->il", [tensor(2, 3)]),
        bad("RuntimeError", "ij->iij", [tensor(2, 3)]),
        bad("RuntimeError", "ij,jk", [tensor(2, 3), tensor(4, 2)]),
        bad("RuntimeError", "ijk", [tensor(2, 3)]),
        bad("RuntimeError", "i1", [tensor(2, 3)]),
        bad("RuntimeError", "i.j", [tensor(2, 3)]),
        bad("RuntimeError", "ii", [tensor(2, 3)]),
        bad("RuntimeError", "", []),
    ],
    tolerance="terms",
)
TRIANGLES = [
    sample(tensor(3, 3)),
    sample(tensor(3, 4), 1),
    sample(tensor(2, 3, 2), -1),
    sample(tensor(2, 3), 5),
    sample(tensor(0, 3)),
    sample(tensor(4, 4, values="special"), differentiable=False),
    bad("RuntimeError", tensor(3)),
]
samples_of("tril triu", TRIANGLES)
samples_of(
    "trace",
    [sample(tensor(3, 3)), sample(tensor(2, 3)), sample(tensor(0, 3)), bad("RuntimeError", tensor(3))],
    tolerance="terms",
)
samples_of(
    "linalg_diagonal",
    [
        sample(tensor(2, 3, 3)),
        sample(tensor(2, 3, 4), offset=1, dim1=0, dim2=1),
        bad("RuntimeError", tensor(2, 3), dim1=0, dim2=0),
        bad("IndexError", tensor(2, 3), dim1=0, dim2=2),
    ],
)
samples_of(
    "chain_matmul",
    [
        sample([tensor(2, 3), tensor(3, 4), tensor(4, 1)], dtypes=FLOATS),
        sample([tensor(2, 3)]),
        bad("RuntimeError", []),
        bad("RuntimeError", [tensor(2)]),
        bad("RuntimeError", [tensor(2, 3), tensor(3, 4), tensor(3, 4)]),
        bad("RuntimeError", [tensor(2, 3), tensor(3, 4, dtype="float64")]),
    ],
    tolerance="terms",
)
