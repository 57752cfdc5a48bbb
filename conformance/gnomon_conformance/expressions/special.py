"""The functions of torch.special, and i0."""

from . import expressions_of

expressions_of(
    "i0",
    "gn.i0(t(2, 3))",
    "t(2, 3).i0()",
    "x = t(3); x.i0_(); x",
    "gn.i0(t(3), out=t(3))",
    "gn.i0(t(3, dtype='int64'))",
    "t(3, dtype='int64').i0_()",
)
for _name in (
    "i0e",
    "i1",
    "i1e",
    "entr",
    "erfcx",
    "ndtr",
    "log_ndtr",
    "ndtri",
    "bessel_j0",
    "modified_bessel_k1",
):
    expressions_of(
        f"special.{_name}",
        f"gn.special.{_name}(t(2, 3, values='probability'))",
        f"gn.special.{_name}(t(3, values='probability'), out=gn.empty(3))",
        f"gn.special.{_name}(gn.ones(3, dtype=gn.int64))",
        f"gn.special.{_name}(2.0)",
    )
for _name in ("zeta", "xlog1py", "xlogy"):
    expressions_of(
        f"special.{_name}",
        f"gn.special.{_name}(gn.tensor([2.0, 3.0]), t(2, values='positive'))",
        f"gn.special.{_name}(3, t(2, values='positive'))",
        f"gn.special.{_name}(gn.tensor([2.0, 3.0]), 1)",
        f"gn.special.{_name}(gn.tensor([2, 3]), 2.5)",
        f"gn.special.{_name}(2.0, 3.0)",
    )
expressions_of("special.zeta", "grad(gn.special.zeta, gn.tensor([2.0]), gn.tensor([1.5]))")
for _name in ("chebyshev_polynomial_t", "hermite_polynomial_he", "legendre_polynomial_p"):
    expressions_of(
        f"special.{_name}",
        f"gn.special.{_name}(t(2, 3), gn.tensor([1, 2, 3]))",
        f"gn.special.{_name}(t(2, 3), 3)",
        f"gn.special.{_name}(0.5, gn.tensor([1, 2, 3]))",
        f"gn.special.{_name}(t(3), n=2)",
        f"gn.special.{_name}(x=t(3), n=gn.ones(3))",
        f"gn.special.{_name}(gn.tensor(2), 2.5)",
        f"gn.special.{_name}(t(3), 2, out=gn.empty(3))",
        f"gn.special.{_name}(0.5, 2)",
    )
expressions_of("special.softmax", "gn.special.softmax(t(2, 3), 1)", "gn.special.softmax(t(2, 3), dim=0)")
expressions_of("special.log_softmax", "gn.special.log_softmax(t(2, 3), 1, dtype=gn.float64)")
expressions_of("special.logsumexp", "gn.special.logsumexp(t(2, 3), dim=1, keepdim=True)")
expressions_of("special.round", "gn.special.round(t(3))", "gn.special.round(t(3), decimals=1)")
expressions_of("special.multigammaln", "gn.special.multigammaln(gn.tensor([2.0, 3.5]), 2)")
expressions_of("special.polygamma", "gn.special.polygamma(1, gn.tensor([2.0, 3.5]))")
expressions_of("special.expit", "gn.special.expit(t(3))", "gn.special.expit(t(3, dtype='int64'))")
