"""Activations."""

from . import expressions_of

_F = "nn.functional."
for _name, _extra in {
    "relu": "",
    "relu6": "",
    "selu": "",
    "celu": ", alpha=0.5",
    "elu": ", alpha=2.0",
    "leaky_relu": ", negative_slope=0.25",
    "hardtanh": ", min_val=-0.5, max_val=0.25",
    "hardswish": "",
    "hardsigmoid": "",
    "silu": "",
    "mish": "",
    "threshold": ", 0.5, 2.0",
}.items():
    _needed = _extra if _name == "threshold" else ""
    _named = _extra.replace(" 0.5, 2.0", " threshold=0.5, value=2.0")
    expressions_of(
        _F + _name,
        f"F.{_name}(t(2, 3){_needed})",
        f"F.{_name}(t(2, 3){_extra})",
        f"F.{_name}(input=t(3, 2, layout='transposed'){_named})",
        f"x = t(5); y = F.{_name}(x{_extra}, inplace=True); (y is x, x)",
        f"F.{_name}(t(3, dtype='int64'){_extra})",
        f"F.{_name}(t(3, dtype='bool'){_extra})",
        f"F.{_name}(t(3, dtype='complex64'){_extra})",
        f"F.{_name}(t(3, dtype='float16'){_extra})",
        f"F.{_name}(t(14, values='special', dtype='float64'){_extra})",
        f"F.{_name}(2.0{_extra})",
        f"grad(lambda x: F.{_name}(x{_extra}), t(9))",
        f"grad(lambda x: F.{_name}(x * 1{_extra}, inplace=True), t(9))",
        f"grad(lambda x: F.{_name}(x{_extra}), t(41, values='distinct'))",
    )
for _name in ("relu", "selu", "celu", "elu", "leaky_relu", "hardtanh", "threshold"):
    _needed = ", 0.5, 2.0" if _name == "threshold" else ""
    expressions_of(
        _F + _name,
        f"x = t(5); y = F.{_name}_(x{_needed}); (y is x, x)",
        f"F.{_name}_(t(3, dtype='bool'){_needed})",
    )
for _name, _arguments in {
    "relu": "",
    "selu": "",
    "celu": ", 0.5",
    "threshold": ", 0.5, 2",
    "prelu": ", t(1)",
}.items():
    expressions_of(_F + _name, f"gn.{_name}(t(5){_arguments})", f"gn.{_name}(t(2){_arguments}, 1, 2, 3)")
expressions_of(
    _F + "threshold",
    "gn.threshold(t(3), threshold=0, value=1)",
    "gn.threshold_(t(3), 0, 1)",
    "F.threshold(t(3), 0)",
    "F.threshold(t(3), 0.3, 1)",
)
expressions_of(_F + "celu", "gn.celu_(t(3), 2.0)", "F.celu(t(3), 0.0)")
expressions_of(_F + "selu", "gn.selu_(t(3))")
expressions_of(_F + "hardtanh", "F.hardtanh(t(3), 1, -1)", "F.hardtanh(t(3, dtype='uint8'))")
expressions_of(
    _F + "hardshrink",
    "F.hardshrink(t(5))",
    "F.hardshrink(t(5), 0.25)",
    "F.hardshrink(input=t(5), lambd=0.25)",
    "gn.hardshrink(t(5), 0.25)",
    "t(5).hardshrink(lambd=1.0)",
    "F.hardshrink(t(3, dtype='int64'))",
    "grad(F.hardshrink, t(41, values='distinct'))",
)
expressions_of(
    _F + "softshrink",
    "F.softshrink(t(5))",
    "F.softshrink(t(5), 0.25)",
    "F.softshrink(input=t(5), lambd=0.25)",
    "F.softshrink(t(5), -1.0)",
    "F.softshrink(t(3, dtype='int64'))",
    "grad(F.softshrink, t(41, values='distinct'))",
)
expressions_of(
    _F + "softplus",
    "F.softplus(t(5))",
    "F.softplus(t(5), 2)",
    "F.softplus(t(5), beta=0.5, threshold=0.25)",
    "F.softplus(t(14, values='special', dtype='float64'))",
    "F.softplus(t(3, dtype='int64'))",
    "grad(F.softplus, t(5))",
    "grad(lambda x: F.softplus(x, 2, 1), t(9))",
)
expressions_of(
    _F + "logsigmoid",
    "F.logsigmoid(t(5))",
    "F.logsigmoid(input=t(3, 2, layout='transposed'))",
    "F.logsigmoid(t(14, values='special', dtype='float64'))",
    "F.logsigmoid(t(3, dtype='float16'))",
    "F.logsigmoid(t(3, dtype='int64'))",
    "grad(F.logsigmoid, t(5))",
)
expressions_of(
    _F + "glu",
    "F.glu(t(2, 4))",
    "F.glu(t(4, 3), 0)",
    "F.glu(t(2, 4, 3), dim=1)",
    "F.glu(t(4, 3, layout='transposed'), dim=-2)",
    "F.glu(t(3))",
    "F.glu(t())",
    "F.glu(t(4, dtype='int64'))",
    "F.glu(t(4), 2)",
    "grad(F.glu, t(2, 4))",
)
expressions_of(
    _F + "prelu",
    "F.prelu(t(2, 3), t(3))",
    "F.prelu(t(2, 3), weight=t(1))",
    "F.prelu(t(2, 3), t())",
    "F.prelu(t(2, 3), t(2))",
    "F.prelu(t(2, 3), t(1, 1))",
    "F.prelu(t(2), t(1, dtype='float64'))",
    "F.prelu(t(2, dtype='int64'), t(1, dtype='int64'))",
    "t(2, 3).prelu(t(3))",
    "grad(F.prelu, t(2, 3, 2), t(3))",
    "grad(F.prelu, t(2, 3), t(1))",
    "grad(F.prelu, t(9, values='distinct'), t())",
)
for _name in ("tanhshrink", "softsign", "sigmoid", "tanh"):
    expressions_of(
        _F + _name,
        f"F.{_name}(t(2, 3))",
        f"F.{_name}(input=t(3, 2, layout='transposed'))",
        f"F.{_name}(t(3, dtype='int64'))",
        f"F.{_name}(t(3, dtype='float16'))",
        f"grad(F.{_name}, t(5))",
        f"F.{_name}(2.0)",
    )
for _name in ("softmin", "softmax", "log_softmax"):
    expressions_of(
        _F + _name,
        f"F.{_name}(t(2, 3), 1)",
        f"F.{_name}(t(2, 3), dim=0)",
        f"F.{_name}(t(2, 3))",
        f"F.{_name}(t(2, 3, 2))",
        f"F.{_name}(t())",
        f"F.{_name}(t(2, 3, dtype='float16'), -1, dtype=gn.float32)",
        f"F.{_name}(t(3, dtype='int64'), 0)",
        f"F.{_name}(t(3, dtype='int64'), 0, dtype=gn.float64)",
        f"F.{_name}(t(2, 3), 2)",
        f"grad(lambda x: F.{_name}(x, 1), t(2, 3))",
    )
expressions_of(
    _F + "gelu",
    "F.gelu(t(5))",
    "F.gelu(t(5), approximate='tanh')",
    "F.gelu(t(5), approximate='cosh')",
    "F.gelu(t(5), 'tanh')",
    "F.gelu(t(3, dtype='int64'))",
    "grad(F.gelu, t(5))",
)
for _name in ("softmax", "log_softmax"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3), 1)",
        f"gn.{_name}(t(2, 3), dim=-2)",
        f"t(2, 3).{_name}(0)",
        f"t(2, 3, dtype='float16').{_name}(1, dtype=gn.float32)",
        f"gn.{_name}(input=t(3, 2, layout='transposed'), dim=1)",
        f"gn.{_name}(t(), 0)",
        f"gn.{_name}(t(0, 3), 1)",
        f"gn.{_name}(t(3, dtype='int64'), 0)",
        f"gn.{_name}(t(3, dtype='int64'), 0, dtype=gn.float64)",
        f"gn.{_name}(t(3, dtype='int64'), 0, gn.float64)",
        f"gn.{_name}(t(2, 3), 2)",
        f"gn.{_name}(t(2, 3))",
        f"gn.{_name}(t(2, 3), 1, out=t(0))",
        f"grad(lambda x: gn.{_name}(x, 1), t(2, 3))",
    )

expressions_of(
    "rrelu",
    "gn.rrelu(t(2, 3))",
    "gn.rrelu(t(2, 3), 0.25, 0.25, True)",
    "x = t(2, 3); gn.rrelu_(x, lower=0.1); x",
    "gn.rrelu(t(3, dtype='int64'))",
    "gn.rrelu(t(3), 0.5, 0.25)",
    "x = gn.rrelu(-gn.ones(99), 0.25, 0.75, True); ((x <= -0.25) & (x > -0.75)).all()",
    "grad(lambda x: gn.rrelu(x, 0.25, 0.25, True), t(2, 3))",
)
expressions_of(
    "nn.functional.rrelu",
    "F.rrelu(t(2, 3))",
    "F.rrelu(t(2, 3), 0.25, 0.25, training=True)",
    "x = t(2, 3); F.rrelu(x, inplace=True); x",
    "x = t(2, 3); F.rrelu_(x); x",
    "grad(lambda x: F.rrelu(x), t(2, 3))",
)
expressions_of(
    "nn.functional.gumbel_softmax",
    "F.gumbel_softmax(t(2, 3)).sum(1).round()",
    "F.gumbel_softmax(t(2, 3), hard=True).sum(1)",
    "F.gumbel_softmax(t(2, 3), 0.5, True, dim=0).sum(0)",
    "F.gumbel_softmax(gn.tensor([0.0, 1000.0]), tau=2)",
    "F.gumbel_softmax(t(2, 3, dtype='int64'))",
    "F.gumbel_softmax(t(2, 3), dim=2)",
)
