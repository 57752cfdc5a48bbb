"""Order statistics: mode, median and others of equal elements, and of empty tensors."""

from . import expressions_of

expressions_of(
    "mode",
    "gn.mode(t(3, 4, values='below 3'))",
    "t(3, 4, values='below 3', dtype='int64').mode(0, keepdim=True)",
    "t(3, 4, dtype='bool').mode(dim=1).values",
    "gn.mode(t(4, values='below 2'), out=(gn.empty(()), gn.empty((), dtype=gn.int64)))",
    "gn.mode(t(0))",
    "gn.mode(t(3), 1)",
    "gn.mode(t(3, dtype='complex64'))",
    "grad(lambda x: x.mode(0).values, t(3, 2))",
)
expressions_of(
    "median",
    *(
        f"gn.empty(0, 2, dtype=gn.{dtype}).{name}()"
        for name in ("median", "nanmedian")
        for dtype in ("bool", "uint8", "int16", "int32", "int64", "float16", "float64", "complex64")
    ),
    "gn.median(gn.empty(0, 2, dtype=gn.bool), 0)",
)
expressions_of(
    "sort",
    "t(40, values='below 3').sort(stable=True, descending=True)",
    "t(16, values='below 3').sort()",
    "t(40, values='below 3').argsort(stable=True)",
    "t(40, values='below 3').median(0)",
)
expressions_of(
    "unique",
    "gn.unique(t(5, 0, 5), dim=1).stride()",
    "gn.unique(t(4, 0), dim=1).stride()",
    "gn.unique(t(4, 3, 2), dim=1).stride()",
)
expressions_of(
    "kthvalue",
    "x = t(4); gn.kthvalue(x, 2, out=(x, gn.tensor(0)))",
    "x = t(4); gn.kthvalue(x, 2, out=(x[0], gn.tensor(0)))",
)
expressions_of("einsum", "gn.einsum([t(2)], 'i->')", "gn.einsum(3, t(2))", "gn.einsum(None, t(2))")
