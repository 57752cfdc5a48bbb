"""``out=`` and in-place calls whose output shares memory with an input, and outputs of other dtypes."""

from . import expressions_of

for _name, _texts in {
    "cat": [
        "x = t(3); gn.cat([x], out=x)",
        "x = t(2, 3); gn.cat([x[:1], x[:1]], out=x)",
        "x = t(2, 3); gn.cat([t(1, 3), t(1, 3)], out=x)",
        "x = t(2, 3); gn.cat([x[:1], x[1:]], out=gn.empty(2, 3))",
        "gn.cat([t(2)], out=gn.empty(2, dtype=gn.int32))",
        "gn.cat([t(2)], out=gn.empty(2, dtype=gn.float16))",
        "gn.cat([t(2, dtype='complex64')], out=gn.empty(2))",
    ],
    "stack": [
        "x = t(1, 3); gn.stack([x[0]], out=x)",
        "gn.stack([t(2)], out=gn.empty(1, 2, dtype=gn.int32))",
    ],
    "hstack": [
        "x = t(3); gn.hstack([x], out=x)",
        "gn.hstack([t(2)], out=gn.empty(2, dtype=gn.int32))",
    ],
    "vstack": ["x = t(1, 3); gn.vstack([x[0]], out=x)", "x = t(1, 3); gn.vstack([t(3)], out=x)"],
    "gather": [
        "x = t(3); gn.gather(x, 0, gn.tensor([0, 2, 1]), out=x)",
        "x = gn.arange(3); gn.gather(x + 1, 0, x, out=x)",
        "x = t(4); gn.gather(x, 0, gn.tensor([0, 2, 1]), out=x[:3])",
    ],
    "take": [
        "x = t(3); gn.take(x, gn.tensor([0, 2, 1]), out=x)",
        "x = gn.arange(3); gn.take(x + 1, x, out=x)",
    ],
    "index_select": [
        "x = t(3); gn.index_select(x, 0, gn.tensor([0, 2, 1]), out=x)",
        "x = gn.arange(3); gn.index_select(x + 1, 0, x, out=x)",
        "x = t(2, 3); gn.index_select(x, 1, gn.tensor([0, 1]), out=x[:, :2])",
        *(
            f"t({sizes}).index_select({dim}, gn.tensor([{index}]))"
            for sizes, dim, index in (
                ("2", 0, -1),
                ("2", 0, 2),
                ("2, 2", 0, 2),
                ("2, 2", 1, -1),
                ("2, 2", 1, 2),
                ("2, 2, 2", 1, 2),
                ("2, 2, 2", 2, -1),
                ("3, 0", 0, 7),
                ("0, 3", 1, 7),
                ("2, 3, 0", 2, 0),
            )
        ),
    ],
    "take_along_dim": [
        "x = t(3); gn.take_along_dim(x, gn.tensor([0, 2, 1]), out=x)",
        "x = t(3); gn.take_along_dim(x, gn.tensor([0, 2, 1]), 0, out=x)",
    ],
    "masked_select": [
        "x = t(3); gn.masked_select(x, x.isfinite(), out=x)",
        "x = gn.tensor([True, True]); gn.masked_select(gn.tensor([True, False]), x, out=x)",
    ],
    "nonzero": ["x = gn.arange(4); gn.nonzero(x, out=x)"],
    "scatter": [
        "x = t(3); x.scatter_(0, gn.tensor([0, 2, 1]), x)",
        "x = gn.arange(3); x.scatter_(0, x, 1)",
        "x = t(3); gn.scatter(x, 0, gn.tensor([0, 2, 1]), t(3, seed=1), out=x)",
        "x = t(3); gn.scatter(t(3, seed=1), 0, gn.tensor([0, 2, 1]), x, out=x)",
    ],
    "index_add": [
        "x = t(3); x.index_add_(0, gn.tensor([0, 2, 1]), x)",
        "t(2, 2).index_add(0, gn.tensor([2]), t(1, 2))",
        "t(2).index_add(0, gn.tensor([2]), t(1))",
    ],
    "index_copy": ["x = t(3); x.index_copy_(0, gn.tensor([0, 2, 1]), x)"],
    "index_fill": [
        "x = gn.arange(3); x.index_fill_(0, x, 5)",
        "x = gn.zeros(1).expand(3); x.index_fill_(0, gn.tensor([0]), 1.0); x",
    ],
    "index_put_": [
        "x = t(3); x.index_put_((gn.tensor([0, 2, 1]),), x)",
        "x = t(3); x[gn.tensor([0, 2, 1])] = x; x",
        "x = gn.zeros(1).expand(3); x.index_put_((gn.tensor([0]),), gn.ones(1)); x",
        "x = gn.zeros(1).expand(3); x.index_put_((gn.tensor([0]),), gn.ones(1), accumulate=True); x",
        "x = gn.zeros(1).expand(3); x[gn.tensor([True, False, False])] = 1.0; x",
        "x = gn.zeros(2, 1).expand(2, 3); x[gn.tensor([0])] = 1.0; x",
    ],
    "masked_fill": [
        "x = gn.zeros(1).expand(3); x.masked_fill_(gn.tensor([True, False, False]), 1.0); x",
        "x = gn.zeros(2, 1).expand(2, 3); x.masked_fill_(gn.tensor([False, True, False]), gn.tensor(2.0)); x",
        "gn.zeros(1, 3).t().t().as_strided((1, 3), (1, 1)).masked_fill(gn.tensor([True, False, True]), 1.0)",
        "gn.zeros(3).as_strided((3, 1), (1, 7)).masked_fill(gn.tensor([True]), 1.0)",
    ],
    "masked_scatter": [
        "x = gn.zeros(1).expand(3); x.masked_scatter_(gn.tensor([True, False, False]), gn.ones(3)); x",
        "x = t(3); x.masked_scatter_(gn.tensor([True, True, False]), x)",
    ],
    "cross": ["x = t(3); gn.cross(x, t(3, seed=1), dim=0, out=x)"],
    "abs": ["x = t(4); gn.absolute(x[1:], out=x[:3])", "x = t(4); gn.absolute(x, out=x)"],
    "float_power": [
        "gn.float_power(t(2), 2, out=gn.empty(2))",
        "gn.float_power(t(2), 2, out=gn.empty(2, dtype=gn.float64))",
        "gn.float_power(t(2), 2, out=gn.empty(2, dtype=gn.complex128))",
        "t(2).float_power_(2)",
        "t(2, dtype='float64').float_power_(2)",
        "t(2, dtype='complex64').float_power_(2)",
    ],
    "any": [
        "gn.any(t(2, dtype='uint8'), out=gn.empty((), dtype=gn.bool))",
        "gn.any(t(2, 2, dtype='uint8'), 0, out=gn.empty(2, dtype=gn.bool))",
        "gn.any(t(2), out=gn.empty((), dtype=gn.uint8))",
        "gn.any(t(2), out=gn.empty((), dtype=gn.int32))",
        "gn.any(t(2, dtype='uint8'), 0, out=gn.empty(()))",
    ],
    "all": [
        "gn.all(t(2, dtype='uint8'), out=gn.empty((), dtype=gn.bool))",
        "gn.all(t(2, 2, dtype='uint8'), (0,), out=gn.empty(2, dtype=gn.bool))",
        "gn.all(t(2), 0, out=gn.empty((), dtype=gn.int64))",
    ],
    "sum": ["gn.sum(t(2, 2), out=gn.empty(()))", "gn.sum(t(2, 2), dtype=gn.float64, out=gn.empty(()))"],
    "prod": ["gn.prod(t(2, 2), out=gn.empty(()))"],
}.items():
    expressions_of(_name, *_texts)
