"""Products of vectors and matrices, norms, triangles."""

from . import expressions_of

for _name, _first, _second, _third in (
    ("addbmm", "t(2, 4)", "t(3, 2, 5)", "t(3, 5, 4)"),
    ("baddbmm", "t(3, 2, 4)", "t(3, 2, 5)", "t(3, 5, 4)"),
    ("addmm", "t(2, 4)", "t(2, 5)", "t(5, 4)"),
    ("addmv", "t(2)", "t(2, 5)", "t(5)"),
    ("addr", "t(2, 3)", "t(2)", "t(3)"),
):
    expressions_of(
        _name,
        f"gn.{_name}({_first}, {_second}, {_third})",
        f"{_first}.{_name}({_second}, {_third}, beta=0.5, alpha=2)",
        f"gn.{_name}(t(1), {_second}, {_third})",
        f"x = {_first}; x.{_name}_({_second}, {_third}); x",
        f"gn.{_name}({_first}, {_second}, {_third}, out=gn.empty(0))",
        f"gn.{_name}({_first}, {_third}, {_second})",
        f"grad(gn.{_name}, {_first}, {_second}, {_third})",
    )
for _name, _first, _second in (
    ("mm", "t(2, 3)", "t(3, 2)"),
    ("bmm", "t(2, 2, 3)", "t(2, 3, 2)"),
    ("mv", "t(2, 3)", "t(3)"),
    ("dot", "t(3)", "t(3, seed=1)"),
    ("vdot", "t(3, dtype='complex64')", "t(3, dtype='complex64', seed=1)"),
    ("inner", "t(2, 3)", "t(4, 3)"),
    ("outer", "t(3)", "t(2)"),
    ("kron", "t(2, 2)", "t(2, 3)"),
    ("matmul", "t(2, 1, 2, 3)", "t(3, 3, 2)"),
):
    expressions_of(
        _name,
        f"gn.{_name}({_first}, {_second})",
        f"{_first}.{_name}({_second})",
        f"gn.{_name}({_first}, {_second}, out=gn.empty(0, dtype={_first}.dtype))",
        f"grad(gn.{_name}, {_first}, {_second})",
    )
for _name in ("mm", "bmm", "mv", "dot", "vdot", "inner", "outer", "matmul"):
    expressions_of(_name, f"gn.{_name}(t(2, 3, 4, 5), t(7))")
expressions_of("matmul", "t(2, 3) @ t(3)", "t(3) @ t(3, 2)", "t() @ t(3)", "t(2, 3) @ 2")
expressions_of("__rmatmul__", "t(3, 2).__rmatmul__(t(2, 3))", "t(3).__rmatmul__(t(2, 3))")
expressions_of(
    "cross",
    "gn.cross(t(2, 3), t(2, 3, seed=1), dim=1)",
    "t(3, 2).cross(t(3, 2, seed=1))",
    "t(2, 2).cross(t(2, 2))",
)
expressions_of(
    "linalg.cross",
    "gn.linalg.cross(t(2, 3), t(2, 3, seed=1))",
    "gn.linalg.cross(t(3, 2), t(3, 2, seed=1), dim=0)",
    "gn.linalg.cross(t(1, 3), t(2, 3), out=gn.empty(2, 3))",
    "grad(gn.linalg.cross, t(2, 3), t(1, 3, seed=1))",
)
expressions_of(
    "linalg.diagonal",
    "gn.linalg.diagonal(t(2, 3, 3))",
    "gn.linalg.diagonal(t(2, 3, 3), offset=1, dim1=0, dim2=1)",
)
expressions_of(
    "linalg.vecdot",
    "gn.linalg.vecdot(t(2, 3), t(3, seed=1))",
    "gn.linalg.vecdot(t(2, 3), t(2, 3, seed=1), dim=0)",
    "gn.linalg.vecdot(t(3, dtype='complex64'), t(3, dtype='complex64', seed=1))",
    "gn.linalg.vecdot(t(3, dtype='int64'), t(3, dtype='int64'))",
    "grad(gn.linalg.vecdot, t(2, 3), t(2, 3, seed=1))",
)
expressions_of(
    "linalg.multi_dot",
    "gn.linalg.multi_dot([t(2, 3), t(3, 4), t(4, 2)])",
    "gn.linalg.multi_dot((t(3), t(3, 2), t(2)))",
    "gn.linalg.multi_dot([t(2, 3)])",
    "grad(lambda a, b, c: gn.linalg.multi_dot([a, b, c]), t(2, 3), t(3, 4), t(4, 2))",
)
expressions_of(
    "linalg.norm",
    "gn.linalg.norm(t(2, 3))",
    "gn.linalg.norm(t(2, 3), 2)",
    "gn.linalg.norm(t(3), inf)",
    "gn.linalg.norm(t(2, 3), 'nuc')",
    "gn.linalg.norm(t(2, 3), ord='fro', dim=(0, 1), keepdim=True)",
    "gn.linalg.norm(t(2, 3), 1, 1)",
    "gn.linalg.norm(t(2, 3, 2), 1)",
    "gn.linalg.norm(t(3), dtype=gn.float64)",
    "grad(lambda x: gn.linalg.norm(x, 2), t(2, 3))",
)
expressions_of(
    "linalg.vector_norm",
    "gn.linalg.vector_norm(t(2, 3))",
    "gn.linalg.vector_norm(t(2, 3), ord=3, dim=1, keepdim=True)",
    "gn.linalg.vector_norm(t(2, 3), inf, (0, 1))",
    "gn.linalg.vector_norm(t(2, 3), 0)",
    "gn.linalg.vector_norm(t(3, dtype='int64'))",
    "grad(lambda x: gn.linalg.vector_norm(x, 1.5, 1), t(2, 3))",
)
expressions_of(
    "linalg.matrix_norm",
    "gn.linalg.matrix_norm(t(2, 3))",
    "gn.linalg.matrix_norm(t(2, 2, 3), 1)",
    "gn.linalg.matrix_norm(t(2, 2, 3), ord=-inf, dim=(0, 2), keepdim=True)",
    "gn.linalg.matrix_norm(t(2, 2, 3), 2)",
    "gn.linalg.matrix_norm(t(3))",
    "grad(lambda x: gn.linalg.matrix_norm(x, 'nuc'), t(2, 3))",
)
expressions_of(
    "norm",
    "gn.norm(t(2, 3))",
    "t(2, 3).norm(1)",
    "t(2, 3).norm(p=3, dim=1)",
    "t(2, 3).norm(2, dim=(0, 1), keepdim=True)",
    "gn.norm(t(2, 3), 'nuc')",
    "gn.norm(t(2, 3), p='fro', dim=0)",
    "gn.norm(t(2, 3), dtype=gn.float64)",
    "gn.norm(t(3, dtype='int64'))",
    "gn.norm(t(2, 3), 'max')",
    "grad(lambda x: x.norm(), t(2, 3))",
    "grad(lambda x: x.norm(), t(2, 3, values='zeros'))",
)
expressions_of(
    "tensordot",
    "gn.tensordot(t(2, 3), t(3, 2), 1)",
    "gn.tensordot(t(2, 3), t(2, 3))",
    "gn.tensordot(t(2, 3, 4), t(4, 3, 2), dims=([1, 2], [1, 0]))",
    "gn.tensordot(t(2), t(3), 0)",
    "gn.tensordot(t(2, 3), t(2, 3), dims=1)",
    "gn.tensordot(t(2, 3), t(2, 3), dims=-1)",
    "gn.tensordot(t(2, 3), t(3, 2), 1, out=gn.empty(2, 2))",
    "grad(lambda a, b: gn.tensordot(a, b, 1), t(2, 3), t(3, 2))",
)
expressions_of(
    "einsum",
    "gn.einsum('ij,jk->ik', t(2, 3), t(3, 4))",
    "gn.einsum('ij,jk->ki', [t(2, 3), t(3, 4)])",
    "gn.einsum(t(2, 3), [0, 1], t(3, 4), [1, 2], [2, 0])",
    "gn.einsum(t(2, 3), [0, 1], t(3, 4), [1, 2])",
    "gn.einsum('...ij->...ji', t(2, 3, 4))",
    "gn.einsum('bij,bjk', t(2, 2, 3), t(2, 3, 2))",
    "gn.einsum('i,i', t(3), t(3))",
    "gn.einsum('ii->i', t(3, 3))",
    "gn.einsum('ij', t(3))",
    "gn.einsum('ij->')",
    "grad(lambda a, b: gn.einsum('ij,kj->ik', a, b), t(2, 3), t(4, 3))",
)
for _name in ("tril", "triu"):
    expressions_of(
        _name,
        f"gn.{_name}(t(3, 3))",
        f"t(3, 4).{_name}(1)",
        f"t(2, 3, 4).{_name}(diagonal=-1)",
        f"x = t(3, 3); x.{_name}_(); x",
        f"gn.{_name}(t(3, 3), out=gn.empty(3, 3))",
        f"t(3).{_name}()",
        f"grad(lambda x: x.{_name}(), t(3, 3))",
    )
expressions_of("trace", "gn.trace(t(3, 3))", "t(2, 3, dtype='int32').trace()", "t(3).trace()")

SQUARE = "gn.tensor([[2.0, 1, -1], [0.5, -1, 2], [1, 0.25, 1.5]])"
for _name, _texts in {
    "linalg.pinv": [
        f"gn.linalg.pinv({SQUARE}[:2])",
        f"gn.linalg.pinv({SQUARE}[:, :2], 0.5)",
        f"gn.linalg.pinv({SQUARE}, gn.tensor(0.3), True)",
        f"gn.linalg.pinv({SQUARE}[:2], atol=1.5, rtol=0.1)",
        f"gn.linalg.pinv({SQUARE}[:2], rtol=gn.tensor(0.3), out=gn.empty(0))",
        f"gn.linalg.pinv({SQUARE}, hermitian=True)",
        "gn.linalg.pinv(t(3))",
        f"grad(gn.linalg.pinv, {SQUARE}[:2])",
    ],
    "pinverse": [f"gn.pinverse({SQUARE}[:2])", f"{SQUARE}.pinverse(rcond=0.5)", "t(3).pinverse()"],
    "linalg.matrix_rank": [
        f"gn.linalg.matrix_rank({SQUARE})",
        f"gn.linalg.matrix_rank({SQUARE}, 1.5)",
        f"gn.linalg.matrix_rank({SQUARE}, tol=gn.tensor(1.5), hermitian=True)",
        f"gn.linalg.matrix_rank({SQUARE}, atol=0.1, rtol=0.5)",
        f"gn.linalg.matrix_rank({SQUARE}, out=gn.empty(0, dtype=gn.int64))",
        "gn.linalg.matrix_rank(t(0, 3, 2))",
        "gn.linalg.matrix_rank(t(3))",
    ],
    "linalg.cond": [
        f"gn.linalg.cond({SQUARE})",
        f"gn.linalg.cond({SQUARE}[:2], p=-2)",
        f"gn.linalg.cond({SQUARE}, 1)",
        f"gn.linalg.cond({SQUARE}, 'fro')",
        "gn.linalg.cond(gn.zeros(2, 2), inf)",
        f"gn.linalg.cond({SQUARE}, 3)",
        f"gn.linalg.cond({SQUARE}[:2], 'nuc')",
        f"grad(lambda x: gn.linalg.cond(x, 'nuc'), {SQUARE})",
    ],
    "linalg.tensorinv": [
        f"gn.linalg.tensorinv({SQUARE}.view(3, 3, 1), ind=1)",
        "gn.linalg.tensorinv(t(3, 2))",
    ],
    "linalg.tensorsolve": [
        f"gn.linalg.tensorsolve({SQUARE}.view(3, 1, 3), t(3, 1))",
        f"gn.linalg.tensorsolve({SQUARE}.view(3, 3, 1), t(3, 1), dims=(0,))",
        "gn.linalg.tensorsolve(t(3, 2), t(3))",
    ],
    "linalg.vander": [
        "gn.linalg.vander(t(3))",
        "gn.linalg.vander(t(2, 3), N=2)",
        "gn.linalg.vander(t(3, dtype='int32'), N=4)",
        "gn.linalg.vander(t(3), N=1)",
        "grad(gn.linalg.vander, t(3))",
    ],
    "vander": [
        "gn.vander(t(3))",
        "gn.vander(t(3), N=2, increasing=True)",
        "gn.vander(t(3, dtype='bool'))",
        "gn.vander(t(2, 3))",
    ],
    "ormqr": [
        "gn.ormqr(t(3, 2), t(2), t(3, 2))",
        "t(3, 2).ormqr(t(2), t(2, 3), left=False, transpose=True)",
        "gn.ormqr(t(3, 2), t(2), t(2, 3))",
        "grad(gn.ormqr, t(3, 2), t(2), t(3, 2))",
    ],
    "lu": [
        f"gn.lu({SQUARE})",
        f"{SQUARE}.lu(get_infos=True)",
        f"gn.lu({SQUARE}, out=(gn.empty(0), gn.empty(0, dtype=gn.int32)))",
        f"gn.lu({SQUARE}, get_infos=True, out=(gn.empty(0), gn.empty(0, dtype=gn.int32)))",
        "gn.lu(gn.zeros(2, 2), get_infos=True)",
        "gn.lu(gn.zeros(2, 2))",
        f"gn.lu({SQUARE}, False)",
        f"grad(lambda x: gn.lu(x)[0], {SQUARE})",
    ],
    "svd_lowrank": [  # U and V depend on random numbers
        f"gn.svd_lowrank({SQUARE}, q=3)[1]",
        f"[each.shape for each in gn.svd_lowrank({SQUARE}[:2], 2, niter=1, M=t(3))]",
        "gn.svd_lowrank(t(3, 3, dtype='int64'))",
    ],
    "lobpcg": [
        "gn.lobpcg(gn.diag(gn.arange(1.0, 8)), X=t(7, 2), niter=3)[0]",
        "gn.lobpcg(gn.diag(gn.arange(1.0, 8)), 1, X=t(7, 2), largest=False, niter=3, method='basic')[0]",
        "gn.lobpcg(t(5, 5), 2)",
    ],
    "pca_lowrank": [
        f"gn.pca_lowrank({SQUARE}, q=3, center=False)[1]",
        f"[each.shape for each in gn.pca_lowrank({SQUARE}[:2])]",
        f"gn.pca_lowrank({SQUARE}, q=4)",
        f"gn.pca_lowrank({SQUARE}, niter=-1)",
    ],
    "linalg.lstsq": [
        f"gn.linalg.lstsq({SQUARE}[:, :2], t(3, 2))",
        f"gn.linalg.lstsq({SQUARE}[:, :2], t(3), driver='gelsd').residuals",
        f"gn.linalg.lstsq({SQUARE}, b=t(3, 1), rcond=0.5, driver='gelss').singular_values",
        f"gn.linalg.lstsq({SQUARE}[:2], t(2, 1), driver='gels')",
        f"gn.linalg.lstsq({SQUARE}, t(3), driver='gesv')",
        f"gn.linalg.lstsq({SQUARE}, t(2))",
        f"grad(lambda a, b: gn.linalg.lstsq(a, b).solution, {SQUARE}[:, :2], t(3, 1))",
    ],
    "linalg.eig": [
        f"[each.stride() for each in gn.linalg.eig({SQUARE}.expand(2, 3, 3))]",
        f"gn.linalg.eig({SQUARE}).eigenvectors.abs()",
        f"gn.linalg.eig({SQUARE}, out=(t(3, dtype='complex64'), t(3, 3, dtype='complex64')))[0]",
        "gn.linalg.eig(t(2, 3))",
        "gn.linalg.eig(t(2, 2, dtype='bfloat16'))",
        "gn.linalg.eig(gn.full((2, 2), inf))",
        f"grad(lambda x: gn.linalg.eig(x).eigenvalues, {SQUARE})",
        f"grad(lambda x: gn.linalg.eig(x).eigenvectors.abs(), {SQUARE})",
        f"grad(lambda x: gn.linalg.eig(x).eigenvectors, {SQUARE} + 1j)",
    ],
    "linalg.eigvals": [
        f"gn.linalg.eigvals({SQUARE})",
        f"gn.linalg.eigvals({SQUARE} + 1j, out=gn.empty(0, dtype=gn.complex64))",
        f"gn.linalg.eigvals({SQUARE}, out=gn.empty(0))",
        "gn.linalg.eigvals(t(2, 3))",
        f"grad(gn.linalg.eigvals, {SQUARE})",
    ],
    "linalg.ldl_factor": [
        f"gn.linalg.ldl_factor({SQUARE})",
        f"gn.linalg.ldl_factor({SQUARE} + 1j, hermitian=True)",
        f"gn.linalg.ldl_factor({SQUARE}, out=(gn.empty(0), gn.empty(0, dtype=gn.int32))).pivots",
        "gn.linalg.ldl_factor(t(3))",
        f"grad(lambda x: gn.linalg.ldl_factor(x).LD, {SQUARE})",
    ],
    "linalg.ldl_factor_ex": [
        f"gn.linalg.ldl_factor_ex({SQUARE} * gn.tensor([0, 1, 1]))",
        f"gn.linalg.ldl_factor_ex({SQUARE}, check_errors=True)",
        "gn.linalg.ldl_factor_ex(gn.zeros(2, 2, 2))",
        "gn.linalg.ldl_factor_ex(t(2, 2, dtype='int64'))",
        "gn.linalg.ldl_factor_ex(t(2, 2, dtype='float16'))",
    ],
    "linalg.ldl_solve": [
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([-3, -3, 3]), t(3, 2))",
        f"gn.linalg.ldl_solve({SQUARE} + 1j, gn.tensor([1, -3, -3]), t(3, 1) + 1j, hermitian=True)",
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([1, 2, 3]).to(gn.int8), t(2, 3, 1))",
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([1, 2, 4]), t(3, 2))",
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([1, 0, 3]), t(3, 2))",
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([1, 2, 3]), t(3))",
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([1.0, 2, 3]), t(3, 1))",
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([1, 2]), t(3, 1))",
        f"gn.linalg.ldl_solve({SQUARE}, gn.tensor([1, 2, 3]), t(2, 1))",
    ],
    "linalg.matmul": [
        "gn.linalg.matmul(t(2, 3), t(3))",
        "gn.linalg.matmul(t(2, 3), t(3, 2), out=gn.empty(2, 2))",
        "gn.linalg.matmul(t(2, 3), t(2, 3))",
    ],
}.items():
    expressions_of(_name, *_texts)

# Found by comparing random calls with PyTorch.
for _name, _texts in {
    "matmul": [
        "t(3, 2, 2, 0) @ t(0, 2)",
        "t(1, 2, 3, 0) @ t(0)",
        "gn.matmul(t(2, 2), t(2, 2), out=t(2, 2, dtype='float64'))",
    ],
    "nn.functional.linear": [
        "F.linear(t(2, 3), t(3))",
        "F.linear(t(2, 3), t(3), t(3))",
        "F.linear(t(2, 1, 0), t(3, 0), t(3))",
    ],
    "addmm": ["gn.addmm(t(2, 2), t(2, 2), t(2, 2), beta=1j)"],
    "einsum": [
        "gn.einsum('j,k->j', t(3), t(0))",
        "gn.einsum('ij,jk->ik', t(2, 0), t(0, 3))",
        "gn.einsum('ij,k->k', t(3, 2, dtype='int8'), t(2, dtype='int8'))",
        "gn.einsum('k,ij->k', t(2, dtype='int8'), t(3, 2, dtype='int8'))",
        "gn.einsum('i - > i', t(2))",
    ],
    "tensordot": ["gn.tensordot(t(2, 2), t(2, 2), [0])", "gn.tensordot(t(2, 2), t(2, 2), [0, 1])"],
    "linalg.svdvals": [
        "gn.linalg.svdvals(t(2, 2, dtype='bfloat16'))",
        "gn.linalg.svdvals(t(2, 2, dtype='int64'))",
    ],
    "dot": ["gn.dot(t(3), t(3), out=t(dtype='float64'))"],
}.items():
    expressions_of(_name, *_texts)
expressions_of(
    "chain_matmul",
    "gn.chain_matmul(t(2, 3), t(3, 4), t(4, 2))",
    "x = t(2, 3); gn.chain_matmul(x), gn.chain_matmul(x) is x",
    "gn.chain_matmul(t(2, 3), t(3, 2), out=gn.empty(2, 2))",
    "gn.chain_matmul()",
    "gn.chain_matmul(t(2, 3), t(3))",
    "gn.chain_matmul(t(2, 3), t(2, 3))",
    "gn.chain_matmul([t(2, 3), t(3, 2)])",
    "grad(gn.chain_matmul, t(2, 3), t(3, 2))",
)
expressions_of(
    "nuclear_norm",
    "gn.nuclear_norm(t(2, 3))",
    "gn.nuclear_norm(t(2, 3), True)",
    "gn.nuclear_norm(t(2, 2, 3), dim=(0, 2), keepdim=True)",
    "gn.nuclear_norm(t(2, 2), 0)",
    "gn.nuclear_norm(t(2, 3, dtype='int64'))",
)
expressions_of(
    "frobenius_norm",
    "gn.frobenius_norm(t(2, 3), 1)",
    "gn.frobenius_norm(t(2, 3), dim=(0, 1), keepdim=True)",
    "gn.frobenius_norm(t(2, 3), ())",
    "gn.frobenius_norm(t(2, 3))",
    "gn.frobenius_norm(t(2, 3), (0, 1), out=gn.empty(0, dtype=gn.float64))",
)
expressions_of(
    "norm_except_dim",
    "gn.norm_except_dim(t(2, 3))",
    "gn.norm_except_dim(v=t(2, 3, 2), pow=1, dim=2)",
    "gn.norm_except_dim(t(2, 3), 2, -1)",
    "gn.norm_except_dim(t(2, 3), 2.5)",
    "grad(lambda x: gn.norm_except_dim(x, 2, 1), t(2, 3, 2))",
)
