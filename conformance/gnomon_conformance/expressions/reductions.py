"""Reductions, scans, sorting, searching and statistics."""

from . import expressions_of

for _name in ("all", "any"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3, dtype='bool'))",
        f"t(2, 3).{_name}(1)",
        f"t(2, 3).{_name}(dim=(0, 1), keepdim=True)",
        f"gn.{_name}(t(2, 3, dtype='uint8'), 0)",
        f"t(2, 3).{_name}(5)",
    )
for _name in ("amax", "amin"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3))",
        f"t(2, 3).{_name}(1, keepdim=True)",
        f"t(2, 3).{_name}(dim=(0, 1))",
        f"gn.{_name}(t(2, 3), 0, out=gn.empty(3))",
        f"t(0, 3).{_name}(0)",
        f"grad(lambda x: x.{_name}(1), t(2, 3))",
    )
expressions_of(
    "aminmax",
    "gn.aminmax(t(2, 3))",
    "t(2, 3).aminmax(dim=1).max",
    "t(2, 3).aminmax(dim=0, keepdim=True)",
    "gn.aminmax(t(2, 3), dim=0, out=(gn.empty(3), gn.empty(3)))",
    "t(0).aminmax()",
)
for _name in ("argmax", "argmin"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3))",
        f"t(2, 3).{_name}(1)",
        f"t(2, 3).{_name}(dim=0, keepdim=True)",
        f"t(2, 3).{_name}(axis=0)",
        f"t(0).{_name}()",
    )
for _name in ("max", "min"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3))",
        f"gn.{_name}(t(2, 3), 1)",
        f"t(2, 3).{_name}(dim=0, keepdim=True).values",
        f"gn.{_name}(t(2, 3), t(3, seed=1))",
        f"t(2, 3).{_name}(0)[1]",
        f"gn.{_name}(t(2, 3), 0, out=(gn.empty(3), gn.empty(3, dtype=gn.int64)))",
        f"gn.{_name}(t(0))",
    )
for _name in ("sum", "mean", "nansum", "nanmean"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3))",
        f"t(2, 3).{_name}(1)",
        f"t(2, 3).{_name}(dim=(0, 1), keepdim=True)",
        f"t(2, 3).{_name}(axis=1, keepdims=True)",
        f"gn.{_name}(t(2, 3), dtype=gn.float64)",
        f"gn.{_name}(t(2, 3), 0, out=gn.empty(3))",
        f"t(2, 3).{_name}(2)",
        f"grad(lambda x: x.{_name}(0), t(2, 3))",
    )
expressions_of(
    "sum",
    "t(2, 3, dtype='int32').sum()",
    "t(2, 3, dtype='bool').sum(0)",
    "gn.sum(t(2, 3), 0, out=gn.empty(3, dtype=gn.int64))",
    "gn.sum(t(2, 3, dtype='int64'), 0, out=gn.empty(3))",
    "gn.sum(t(2, 3), 0, dtype=gn.float64, out=gn.empty(3))",
    "gn.sum(t(2, 3), [])",
    "gn.sum(t(2, 3), None)",
)
expressions_of("mean", "t(3, dtype='int64').mean()", "t(3, dtype='int64').mean(dtype=gn.float32)")
expressions_of(
    "prod",
    "gn.prod(t(2, 3))",
    "t(2, 3).prod(1, keepdim=True)",
    "t(2, 3, dtype='int32').prod()",
    "gn.prod(t(2, 3), 0, out=gn.empty(3))",
    "gn.prod(t(2, 3), dtype=gn.float64)",
    "grad(lambda x: x.prod(1), t(2, 3))",
)
expressions_of(
    "sum_to_size", "t(2, 3).sum_to_size(1, 3)", "t(2, 3).sum_to_size((3,))", "t(2, 3).sum_to_size(2)"
)
expressions_of(
    "count_nonzero",
    "gn.count_nonzero(t(2, 3, values='below 2'))",
    "t(2, 3, values='below 2').count_nonzero(1)",
    "t(2, 3, values='below 2').count_nonzero((0, 1))",
)
for _name in ("var", "std"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3))",
        f"gn.{_name}(t(2, 3), False)",
        f"t(2, 3).{_name}(1)",
        f"t(2, 3).{_name}(1, False)",
        f"t(2, 3).{_name}(dim=1, unbiased=False, keepdim=True)",
        f"t(2, 3).{_name}(dim=(0, 1), correction=0)",
        f"t(2, 3).{_name}(0, correction=2, keepdim=True)",
        f"gn.{_name}(t(2, 3), 0, out=gn.empty(3))",
        f"gn.{_name}(t(2, 3), 0, correction=0, out=gn.empty(3))",
        f"t(2, 3, dtype='int64').{_name}()",
        f"grad(lambda x: x.{_name}(1), t(2, 3))",
    )
    expressions_of(
        f"{_name}_mean",
        f"gn.{_name}_mean(t(2, 3))",
        f"gn.{_name}_mean(t(2, 3), 1)",
        f"gn.{_name}_mean(t(2, 3), dim=1, unbiased=False, keepdim=True)",
        f"gn.{_name}_mean(t(2, 3), dim=1, correction=0)",
        f"gn.{_name}_mean(t(2, 3), False)",
        f"grad(lambda x: gn.{_name}_mean(x, 1), t(2, 3))",
    )
for _name in ("cumsum", "cumprod"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3), 1)",
        f"t(2, 3).{_name}(dim=0)",
        f"t(2, 3).{_name}(0, dtype=gn.float64)",
        f"t(2, 3, dtype='int32').{_name}(0)",
        f"x = t(2, 3, dtype='int32'); x.{_name}_(0); x",
        f"x = t(2, 3); x.{_name}_(1); x",
        f"gn.{_name}(t(2, 3), 0, out=gn.empty(2, 3))",
        f"gn.{_name}(t(2, 3, dtype='int64'), 0, out=gn.empty(2, 3))",
        f"t(2, 3).{_name}(2)",
        f"grad(lambda x: x.{_name}(1), t(2, 3))",
    )
expressions_of(
    "logcumsumexp",
    "gn.logcumsumexp(t(2, 3), 1)",
    "t(2, 3).logcumsumexp(dim=0)",
    "gn.logcumsumexp(input=t(2, 3, dtype='float16'), dim=-1)",
    "t(2, 3, dtype='complex64').logcumsumexp(0)",
    "gn.logcumsumexp(t(2, 3), 0, out=gn.empty(2, 3))",
    "gn.logcumsumexp(t(2, 3), 0, out=gn.empty(2, 3, dtype=gn.float64))",
    "gn.logcumsumexp(t(3, dtype='int64'), 0)",
    "gn.logcumsumexp(t(3, dtype='bool'), 0, out=gn.empty(3))",
    "t(2, 3).logcumsumexp(2)",
    "t(3).logcumsumexp()",
    "grad(lambda x: x.logcumsumexp(1), t(2, 3))",
)
expressions_of(
    "histc",
    "gn.histc(t(2, 5), bins=4, min=-1, max=1)",
    "t(9).histc(5)",
    "t(9).histc()",
    "gn.histc(input=t(4, dtype='float16'), bins=3)",
    "gn.histc(t(3), 4, out=t(4))",
    "gn.histc(t(3), 4, out=t(4, dtype='float64'))",
    "gn.histc(t(3), 0)",
    "gn.histc(t(3), 4, 2, 1)",
    "gn.histc(t(3), 2.5)",
    "gn.histc(t(3, dtype='int64'), 4)",
    "gn.histc(gn.tensor([1.0, nan]), 4)",
)
expressions_of(
    "histogram",
    "gn.histogram(t(9), 4)",
    "t(9).histogram(4, range=(-1.0, 1.0)).hist",
    "gn.histogram(t(2, 3), bins=gn.tensor([-1.0, 0.0, 2.0]), density=True)",
    "gn.histogram(t(6), 3, weight=t(6, values='positive'))",
    "gn.histogram(t(6), 3, weight=t(5))",
    "gn.histogram(t(6), 3, weight=t(6, dtype='float64'))",
    "gn.histogram(t(6), t(2, dtype='float64'))",
    "gn.histogram(t(6), t(2, 2))",
    "gn.histogram(t(6), 0)",
    "gn.histogram(t(6), 2, range=(2.0, 1.0))",
    "gn.histogram(t(6), 2, range=(0.0, inf))",
    "gn.histogram(t(6), 2, range=(0.0,))",
    "gn.histogram(gn.tensor([1.0, nan]), 2)",
    "gn.histogram(t(6, dtype='int64'), 2)",
    "gn.histogram(t(3), 4, out=(t(4), t(5)))",
    "gn.histogram(t(3), 4, out=(t(4, dtype='float64'), t(5)))",
)
expressions_of(
    "histogramdd",
    "gn.histogramdd(t(6, 2), bins=[3, 2])",
    "gn.histogramdd(t(6, 2), 3, range=(-1.0, 1.0, -1.0, 1.0)).hist",
    "gn.histogramdd(t(6, 2), [gn.tensor([-1.0, 0.0, 2.0]), gn.tensor([-1.0, 1.0])], density=True)",
    "gn.histogramdd(t(6, 2), bins=[2, 2], weight=t(6))",
    "gn.histogramdd(t(2, 3, 2), [2, 2]).bin_edges",
    "gn.histogramdd(t(6, 2), [2])",
    "gn.histogramdd(t(6), [2])",
    "gn.histogramdd(t(6, 2), [2, 2], weight=t(5))",
    "gn.histogramdd(t(6, 2), [2, 2], range=(0.0, 1.0))",
)
for _name in ("cummax", "cummin"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 4), 1)",
        f"t(2, 4).{_name}(dim=0).values",
        f"t(6, dtype='int64', values='below 3').{_name}(0)",
        f"gn.{_name}(t(2, 4), 1, out=(gn.empty(2, 4), gn.empty(2, 4, dtype=gn.int64)))",
        f"grad(lambda x: x.{_name}(1).values, t(2, 4))",
    )
expressions_of(
    "diff",
    "gn.diff(t(5))",
    "t(2, 4).diff(n=2)",
    "t(2, 4).diff(dim=0)",
    "t(4).diff(prepend=t(1), append=t(2))",
    "t(4, dtype='bool').diff()",
    "gn.diff(t(4), out=gn.empty(3))",
    "gn.diff(t())",
)
expressions_of(
    "sort",
    "gn.sort(t(2, 4))",
    "gn.sort(t(2, 4), 0, True)",
    "t(2, 4).sort(descending=True).indices",
    "t(6, values='below 3').sort(stable=True)",
    "gn.sort(t(4), out=(gn.empty(4), gn.empty(4, dtype=gn.int64)))",
    "t(4, dtype='complex64').sort()",
    "grad(lambda x: x.sort(1).values, t(2, 4))",
)
expressions_of(
    "argsort",
    "gn.argsort(t(2, 4))",
    "t(2, 4).argsort(0, True)",
    "t(6, values='below 3').argsort(stable=True)",
)
expressions_of("msort", "gn.msort(t(4, 2))", "t(4, 2).msort()", "gn.msort(t(4), out=gn.empty(4))")
expressions_of(
    "topk",
    "gn.topk(t(2, 4), 2)",
    "t(2, 4).topk(1, dim=0, largest=False)",
    "t(4).topk(2).values",
    "gn.topk(t(4), 2, out=(gn.empty(2), gn.empty(2, dtype=gn.int64)))",
    "t(4).topk(5)",
    "grad(lambda x: x.topk(2).values, t(2, 4))",
)
expressions_of(
    "kthvalue",
    "gn.kthvalue(t(2, 4), 2)",
    "t(2, 4).kthvalue(1, 0, True)",
    "t(4).kthvalue(k=4, dim=0).indices",
    "t(4).kthvalue(5)",
    "grad(lambda x: x.kthvalue(2).values, t(2, 4))",
)
expressions_of(
    "median",
    "gn.median(t(5))",
    "t(2, 4).median(1)",
    "t(2, 4).median(dim=0, keepdim=True).values",
    "gn.median(t(3, 5), 1, out=(gn.empty(3), gn.empty(3, dtype=gn.int64)))",
    "gn.nanmedian(gn.tensor([1.0, nan, 2.0]))",
    "grad(lambda x: x.median(), t(5))",
)
expressions_of(
    "quantile",
    "gn.quantile(t(5), 0.3)",
    "t(2, 5).quantile(0.5, dim=1, keepdim=True)",
    "gn.quantile(t(2, 5), gn.tensor([0.0, 0.25, 1.0]))",
    "gn.quantile(t(2, 5), gn.tensor([0.1, 0.9]), dim=1)",
    "gn.quantile(t(2, 5, 3), gn.tensor([0.1, 0.9]), dim=1, keepdim=True)",
    "gn.quantile(t(5), 0.3, interpolation='nearest')",
    "gn.quantile(t(5), 0.3, interpolation='midpoint')",
    "gn.quantile(gn.tensor([1.0, nan, 2.0]), 0.5)",
    "gn.nanquantile(gn.tensor([1.0, nan, 2.0]), 0.5)",
    "gn.nanquantile(gn.tensor([[1.0, nan], [3.0, 2.0]]), gn.tensor([0.5, 1.0]), 1)",
    "gn.quantile(t(5), 1.3)",
    "gn.quantile(t(5, dtype='int64'), 0.3)",
    "grad(lambda x: x.quantile(0.3), t(5))",
)
expressions_of(
    "searchsorted",
    "gn.searchsorted(gn.tensor([1.0, 2.0, 3.0]), gn.tensor([2.0, 0.5]))",
    "gn.searchsorted(gn.tensor([1.0, 2.0, 3.0]), 2.0, right=True)",
    "gn.searchsorted(gn.tensor([1.0, 2.0, 3.0]), gn.tensor([[2.0], [9.0]]), side='right', out_int32=True)",
    "gn.searchsorted(gn.tensor([[1, 3], [2, 4]]), gn.tensor([[2], [4]]))",
    "gn.searchsorted(gn.tensor([3.0, 1.0]), gn.tensor([2.0]), sorter=gn.tensor([1, 0]))",
    "gn.searchsorted(gn.tensor([3.0, 1.0]), gn.tensor([2.0]), sorter=gn.tensor([1, 7]))",
    "gn.searchsorted(gn.tensor([1.0, nan]), gn.tensor([nan, 2.0]))",
)
expressions_of(
    "bucketize",
    "gn.bucketize(gn.tensor([[1, 5], [3, 9]]), gn.tensor([1, 3, 5]))",
    "gn.bucketize(3, gn.tensor([1, 3, 5]), right=True)",
    "gn.bucketize(gn.tensor([1.5]), gn.tensor([1, 3, 5]), out_int32=True)",
)
expressions_of(
    "unique",
    "gn.unique(gn.tensor([3, 1, 3, 2]))",
    "gn.tensor([3, 1, 3, 2]).unique(return_inverse=True)",
    "gn.unique(gn.tensor([3.0, nan, 3.0, nan]), return_counts=True)",
    "gn.unique(gn.tensor([[1, 2], [0, 5], [1, 2]]), dim=0, return_inverse=True, return_counts=True)",
    "gn.unique(gn.tensor([[1, 2, 1], [0, 5, 0]]), dim=1)",
    "gn.unique(gn.tensor([True, False, True]), return_inverse=True, return_counts=True)",
    "gn.unique(t(3, dtype='complex64'))",
)
expressions_of(
    "unique_consecutive",
    "gn.unique_consecutive(gn.tensor([1, 1, 2, 1]))",
    "gn.tensor([1, 1, 2, 1]).unique_consecutive(return_inverse=True, return_counts=True)",
    "gn.unique_consecutive(gn.tensor([[1, 1], [1, 1], [2, 1]]), dim=0, return_counts=True)",
)
expressions_of(
    "bincount",
    "gn.bincount(gn.tensor([1, 1, 3]))",
    "gn.tensor([1, 1, 3]).bincount(minlength=6)",
    "gn.bincount(gn.tensor([1, 1, 3]), weights=gn.tensor([0.5, 1.0, 2.0]))",
    "gn.bincount(gn.tensor([-1]))",
    "gn.bincount(gn.tensor([1.0]))",
)
expressions_of(
    "cov",
    "gn.cov(t(2, 5))",
    "t(5).cov(correction=0)",
    "gn.cov(t(2, 3), fweights=gn.tensor([1, 2, 3]), aweights=gn.tensor([0.5, 1.0, 2.0]))",
    "grad(lambda x: x.cov(), t(2, 4))",
)
expressions_of(
    "logsumexp", "gn.logsumexp(t(2, 3), 1)", "t(2, 3).logsumexp((0, 1), True)", "t(2, 3).logsumexp(dim=0)"
)

# Found by comparing random calls with PyTorch.
for _name, _texts in {
    "amax": ["t(2, 0).amax()", "t(2, 0).amax(1)", "t(2, 0).amax(0)", "t(2, 0).amax((0, 1))"],
    "argmax": ["t(2, dtype='bool').argmax()", "gn.argmax(t(3), out=t(1))"],
    "sum_to_size": ["t(dtype='int8').sum_to_size(())", "t(3, dtype='int8').sum_to_size(())"],
    "sum": ["grad(lambda x: x.sum(), t(1, 3))", "t(2, 3).sum(True)"],
    "logsumexp": ["t(3, 0).logsumexp(1)", "t(0, 3, dtype='int64').logsumexp((0, 1), True)"],
    "nansum": ["gn.tensor([nan, -2.7, 1.5]).nansum(dtype=gn.int16)", "t(3).nansum(dtype=gn.complex64)"],
    "nanmean": ["t(3).nanmean(dtype=gn.int64)"],
    "cummax": ["t(0, 3).cummax(0)", "gn.cummax(t(3), 0, out=(t(3, dtype='float64'), t(3, dtype='int64')))"],
    "cummin": ["t(3, 0).cummin(1)"],
    "cumsum": ["t(3).cumsum(0, dtype=gn.bool)", "t(3).cumsum(True)"],
    "cumprod": ["t(3).cumprod(0, dtype=gn.bool)"],
    "kthvalue": ["t(3, 0).kthvalue(1)", "t(3, 0).kthvalue(1, 0)"],
    "diff": ["gn.diff(t(2, 3), n=0, prepend=t(2, 3))", "gn.diff(t(2, 3), n=0, append=t(1))"],
    "unique": ["gn.unique(t(3), -1, True)", "gn.unique(t(3), dim=True)", "gn.unique(t(), dim=0)"],
    "unique_consecutive": ["gn.unique_consecutive(t(3), 0, True)", "gn.unique_consecutive(t(), dim=-1)"],
    "bincount": ["t(2, 3).bincount()", "gn.bincount(t(3, dtype='int64', values='positive'), minlength=-1)"],
    "std": ["gn.std(t(2, 3), out=t())", "gn.std(t(2, 3), out=t(dtype='int64'))"],
    "sort": ["gn.sort(t(3), out=(t(3), t(3, dtype='float64')))"],
    "topk": ["gn.topk(t(3), 1, out=(t(1, dtype='float64'), t(1, dtype='int64')))", "t(3).topk(True)"],
    "linalg.norm": [
        "gn.linalg.norm(t(0, 2), 2)",
        "gn.linalg.norm(t(0, 2), -2)",
        "gn.linalg.norm(t(0, 2), inf)",
    ],
    "linalg.vector_norm": [
        "gn.linalg.vector_norm(t(3, dtype='float16'), dtype=gn.bfloat16)",
        "gn.linalg.vector_norm(t(3), out=t(dtype='float64'))",
    ],
    "linalg.matrix_norm": [
        "gn.linalg.matrix_norm(t(3, 0, 2), 2)",
        "gn.linalg.matrix_norm(t(2, 2, dtype='bfloat16'), 2)",
        "gn.linalg.matrix_norm(t(2, 2, dtype='float16'), 'nuc')",
        "gn.linalg.matrix_norm(t(2, 2, dtype='float16'), 'fro')",
    ],
}.items():
    expressions_of(_name, *_texts)

for _name in ("max", "min"):
    expressions_of(
        _name,
        f"gn.{_name}(gn.tensor([5, 1, 6]), gn.tensor(0))",
        f"gn.tensor([5, 1, 6]).{_name}(gn.tensor(0))",
        f"gn.tensor([5, 1, 6]).{_name}(dim=gn.tensor(0))",
        f"gn.{_name}(gn.tensor([5, 1, 6]), gn.tensor(0), True)",
        f"gn.{_name}(t(3), gn.tensor(0.5))",
    )
for _name, _call in {
    "mean": "mean(",
    "var_mean": "var_mean(",
    "std_mean": "std_mean(",
    "sum": "sum(",
    "prod": "prod(",
}.items():
    expressions_of(_name, f"gn.{_call}t(0, dtype='complex64'))", f"gn.{_call}t(0, 2, dtype='complex128'), 0)")
expressions_of("sum", "gn.sum(gn.ones(3, 3), 0, out=gn.ones(1).expand(3))")
expressions_of("tril", "gn.ones(1, 1).expand(3, 3).tril_()")
expressions_of(
    "nn.functional.batch_norm",
    "F.batch_norm(t(0), t(0), t(0))",
    "F.batch_norm(t(0), t(0), t(0), training=True)",
    "F.batch_norm(t(0, 3), t(2), None)",
    "F.batch_norm(t(0, 3), None, None)",
    "F.batch_norm(t(2, 0), t(0), t(0))",
)
expressions_of(
    "trapezoid",
    "gn.trapezoid(t(2, 4))",
    "gn.trapezoid(t(2, 4), dx=0.5, dim=0)",
    "gn.trapezoid(t(2, 4), gn.tensor([0.0, 1.0, 3.0, 4.5]))",
    "gn.trapezoid(y=t(2, 4), x=t(2, 4), dim=1)",
    "gn.trapezoid(t(2), t(3, 3))",
    "gn.trapezoid(t(3), t(3, 3))",
    "gn.cumulative_trapezoid(t(2, 4), t(2, 4, 1), dim=-1)",
    "gn.trapezoid(t(4, dtype='int64'))",
    "gn.trapezoid(t(4, dtype='bool'))",
    "gn.trapezoid(t())",
    "grad(lambda x: gn.trapezoid(x, x * x), t(4))",
)
expressions_of(
    "trapz",
    "gn.trapz(t(2, 4))",
    "gn.trapz(t(2, 4), dx=0.5, dim=0)",
    "gn.trapz(t(2, 4), gn.tensor([0.0, 1.0, 3.0, 4.5]))",
    "gn.trapz(y=t(2, 4), x=t(2, 4), dim=1)",
    "gn.trapz(t(4, dtype='int64'))",
    "gn.trapz(t(4, dtype='bool'))",
    "gn.trapz(t())",
    "grad(lambda x: gn.trapz(x, x * x), t(4))",
)
expressions_of(
    "cumulative_trapezoid",
    "gn.cumulative_trapezoid(t(2, 4))",
    "gn.cumulative_trapezoid(t(2, 4), dx=0.5, dim=0)",
    "gn.cumulative_trapezoid(t(2, 4), gn.tensor([0.0, 1.0, 3.0, 4.5]))",
    "gn.cumulative_trapezoid(t(4, dtype='int64'))",
    "gn.cumulative_trapezoid(t(4, dtype='bool'))",
    "grad(lambda x: gn.cumulative_trapezoid(x, x * x), t(4))",
)
expressions_of(
    "gradient",
    "gn.gradient(t(4))",
    "gn.gradient(t(3, 4), spacing=2)",
    "gn.gradient(t(3, 4), spacing=(2.0, 0.5), dim=(0, 1), edge_order=2)",
    "gn.gradient(t(3, 4), spacing=[gn.tensor([0.0, 1.0, 3.0]), gn.tensor([0.0, 1.0, 3.0, 4.5])])",
    "gn.gradient(t(3, 4), spacing=(gn.tensor([0.0, 1.0, 3.0]),), dim=0, edge_order=2)",
    "gn.gradient(t(4, dtype='int64'))",
    "gn.gradient(t(4, dtype='uint8'))",
    "gn.gradient(t(3), edge_order=3)",
    "gn.gradient(t(3, 4), spacing=(1.0, 2.0), dim=1)",
    "grad(lambda x: gn.gradient(x, edge_order=2)[1], t(3, 4))",
)
expressions_of(
    "dist",
    "gn.dist(t(2, 3), t(3))",
    "t(3).dist(t(3), p=1)",
    "gn.dist(t(3), t(3), float('inf'))",
    "gn.dist(t(3, dtype='int64'), t(3, dtype='int64'))",
    "grad(lambda x: x.dist(x * 2), t(3))",
)
expressions_of(
    "renorm",
    "gn.renorm(t(3, 2), 2, 0, 1)",
    "gn.renorm(t(3, 2), float('nan'), 0, 1)",
    "gn.renorm(t(3, 2), 2, 0, float('nan'))",
    "t(3, 2, layout='transposed').renorm(p=1, dim=-1, maxnorm=0.5)",
    "x = t(3, 2); x.renorm_(2, 0, 1); x",
    "gn.renorm(t(3), 2, 0, 1)",
    "gn.renorm(t(3, 2), 0, 0, 1)",
    "gn.renorm(t(3, 2), 2j, 0, 1)",
    "gn.renorm(t(3, 2, dtype='int64'), 2, 0, 1)",
    "grad(lambda x: x.renorm(2, 0, 1), t(3, 2))",
)
expressions_of(
    "segment_reduce",
    "gn.segment_reduce(t(6), 'sum', lengths=gn.tensor([2, 3, 1]))",
    "gn.segment_reduce(data=t(6, 2), reduce='mean', offsets=gn.tensor([0, 2, 2, 6]), axis=0, initial=1)",
    "gn.segment_reduce(t(2, 3), 'max', lengths=gn.tensor([[1, 2], [3, 0]]), axis=1)",
    "gn.segment_reduce(t(6), 'min', lengths=gn.tensor([2, 3]), unsafe=True)",
    "gn.segment_reduce(t(6), 'min', lengths=gn.tensor([2, 3]))",
    "gn.segment_reduce(t(6), 'sum', lengths=gn.tensor([6]), out=gn.empty(0))",
    "grad(lambda x: gn.segment_reduce(x, 'prod', lengths=gn.tensor([2, 3, 1])), t(6))",
)
