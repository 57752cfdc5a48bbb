"""Argument orders that PyTorch still accepts, and arguments that operators refuse or warn about."""

from . import expressions_of

for _name, _factors in (
    ("addmm", ("t(2, 2)", "t(2, 3, seed=1)", "t(3, 2, seed=2)")),
    ("addmv", ("t(2)", "t(2, 3, seed=1)", "t(3, seed=2)")),
    ("addr", ("t(2, 3)", "t(2, seed=1)", "t(3, seed=2)")),
    ("addbmm", ("t(2, 2)", "t(2, 2, 3, seed=1)", "t(2, 3, 2, seed=2)")),
    ("baddbmm", ("t(2, 2, 2)", "t(2, 2, 3, seed=1)", "t(2, 3, 2, seed=2)")),
):
    _self, _one, _other = _factors
    expressions_of(
        _name,
        f"gn.{_name}(2, {_self}, 3, {_one}, {_other})",
        f"gn.{_name}(2, {_self}, {_one}, {_other})",
        f"gn.{_name}(2, {_self}, 3, {_one}, {_other}, out=gn.empty(0))",
        f"{_self}.{_name}(2, 3, {_one}, {_other})",
        f"{_self}.{_name}(2, {_one}, {_other})",
        f"{_self}.{_name}_(2, 3, {_one}, {_other})",
        f"gn.{_name}({_self}, 2, {_one}, {_other})",
        f"gn.{_name}(2, {_self}, {_one})",
    )

for _name in ("addcmul", "addcdiv"):
    expressions_of(
        _name,
        f"gn.{_name}(t(3), 2, t(3, seed=1), t(3, seed=2, values='nonzero'))",
        f"t(3).{_name}(2, t(3, seed=1), t(3, seed=2, values='nonzero'))",
        f"t(3).{_name}_(2, t(3, seed=1), t(3, seed=2, values='nonzero'))",
        f"gn.{_name}(t(3), 2, t(3, seed=1), t(3, seed=2, values='nonzero'), out=gn.empty(3))",
        f"gn.{_name}(t(3), 2, 3, t(3))",
    )

for _name in ("add", "sub"):
    expressions_of(
        _name,
        f"gn.{_name}(t(3), 2, t(3, seed=1))",
        f"t(3).{_name}(2, t(3, seed=1))",
        f"t(3).{_name}_(2, t(3, seed=1))",
        f"gn.{_name}(t(3), 2, t(3, seed=1), out=gn.empty(3))",
        f"gn.{_name}(t(3), 2, other=t(3, seed=1))",
        f"t(3).{_name}(gn.tensor(2), t(3, seed=1))",
        f"gn.{_name}(t(3), 2, 3)",
        f"t(3, dtype='int64').{_name}(2.5, t(3, dtype='int64'))",
        f"gn.{_name}(t(3), t(3), t(3))",
        f"gn.{_name}(t(3), t(3), 2)",
    )
expressions_of("mul", "t(3).mul(2, t(3))")
expressions_of(
    "rsub",
    "gn.rsub(t(3), 2, t(3))",
    "gn.rsub(t(3), 2, 3)",
    "gn.rsub(t(3), gn.tensor(2), 0.5)",
    "gn.rsub(t(3), t(3), 3)",
    "gn.rsub(t(3), 2, True)",
    "gn.rsub(t(3), 2, 3, 4)",
)
expressions_of(
    "subtract",
    "gn.subtract(t(3), 2, 3)",
    "t(3).subtract(2, 3)",
    "t(3).subtract_(2, 3)",
    "gn.subtract(t(3), 2, 3, out=gn.empty(3))",
    "gn.subtract(t(3), t(3), 3)",
    "t(3).subtract(2, t(3))",
)
expressions_of(
    "copy_",
    "t(3).copy_(2)",
    "t(3, dtype='float64').copy_(0.1)",
    "t(3, dtype='int8').copy_(300)",
    "t(3, dtype='bool').copy_(2.5, non_blocking=True)",
    "t(3).copy_(other=True)",
    "t(3).copy_(other=t(3, seed=1))",
    "t(3).copy_([1, 2, 3])",
    "t(3, dtype='int8').copy_(2**70)",
    "gn.func.vmap(lambda x: x.clone().copy_(2))(t(3))",
)
expressions_of("neg", "-gn.tensor([True])", "gn.neg(gn.tensor([True]))", "gn.tensor([True]).neg_()")
expressions_of("relu", "gn.relu(gn.tensor([True]))", "gn.tensor([True]).relu_()", "gn.relu(gn.tensor([1j]))")
expressions_of("argmax", "gn.argmax(gn.tensor([1j]))", "gn.argmax(gn.tensor([1j]), 0)")
expressions_of("argmin", "gn.argmin(gn.tensor([1j]))")
expressions_of("max", "gn.max(gn.tensor([1j]), 0)")

for _mask in ("gn.tensor([1, 0, 1], dtype=gn.uint8)", "gn.tensor([1, 0, 2], dtype=gn.uint8)"):
    expressions_of("__getitem__", f"t(3)[{_mask}]", f"t(2, 3)[:, {_mask}]")
    expressions_of("masked_fill", f"t(3).masked_fill({_mask}, 5.0)", f"t(3).masked_fill_({_mask}, 5.0)")
    expressions_of("masked_select", f"t(3).masked_select({_mask})")
    expressions_of("masked_scatter", f"t(3).masked_scatter({_mask}, gn.ones(3))")
    expressions_of("where", f"gn.where({_mask}, t(3), t(3, seed=1))")
    expressions_of(
        "index_put_",
        f"x = t(3); x[{_mask}] = 5.0; x",
        f"x = t(3); x[{_mask}] = gn.tensor([5.0, 6.0]); x",
        f"x = t(3); x.index_put_(({_mask},), gn.tensor(5.0), accumulate=True); x",
    )
expressions_of(
    "__getitem__",
    "t(1)[gn.tensor([1], dtype=gn.uint8)]",
    "t(3)[gn.tensor([1], dtype=gn.uint8)]",
    "t(3)[gn.tensor(1, dtype=gn.uint8)]",
    "t(3)[gn.tensor(0, dtype=gn.uint8)]",
)
