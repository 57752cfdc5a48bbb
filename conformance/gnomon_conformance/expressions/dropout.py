"""Dropout: calls with a deterministic result, and properties that hold for any random numbers."""

from . import expressions_of

for _name, _sizes in (
    ("dropout", "2, 3"),
    ("dropout1d", "2, 3"),
    ("dropout1d", "2, 3, 4"),
    ("dropout2d", "2, 3, 4, 2"),
    ("dropout2d", "2, 3, 4"),
    ("dropout3d", "2, 3, 2, 2"),
    ("dropout3d", "2, 3, 2, 2, 1"),
    ("alpha_dropout", "2, 3"),
    ("feature_alpha_dropout", "2, 3, 4"),
):
    _function = f"F.{_name}"
    expressions_of(
        f"nn.functional.{_name}",
        f"{_function}(t({_sizes}), 0.5, False)",
        f"x = t({_sizes}); {_function}(x, 0.0, True) is x",
        f"x = t({_sizes}); {_function}(x, p=0.5, training=False, inplace=True) is x",
        f"{_function}(t({_sizes}), p=1.0, training=True)",
        f"x = t({_sizes}); {_function}(x, p=1.0, training=True, inplace=True), x, x._version",
        f"{_function}(t({_sizes}, values='zeros'), 0.5, True).shape",
        f"x = t({_sizes}); {_function}(x, 0.5, True, True).shape, x.shape, x._version",
        f"{_function}(t({_sizes}), 1.5)",
        f"{_function}(t({_sizes}), -0.5)",
        f"grad(lambda x: {_function}(x, 1.0, True), t({_sizes}))",
        f"grad(lambda x: {_function}(x, 0.5, False), t({_sizes}))",
    )
expressions_of(
    "nn.functional.dropout",
    "y = F.dropout(t(50, values='positive'), 0.5) / t(50, values='positive'); ((y == 0) | (y == 2)).all()",
    "y = F.dropout(t(50, values='positive'), 0.75) / t(50, values='positive'); ((y == 0) | (y == 4)).all()",
    "gn.dropout(t(3), 0.5, False)",
    "x = t(3); gn.dropout_(x, 1.0, True); x",
    "gn.dropout(t(3), 2.0, True)",
    "gn.dropout(t(3, dtype='int64'), 0.5, True)",
    "F.dropout(t(3, dtype='int64'), 1.0)",
    "gn.feature_dropout(t(3), 0.5, True)",
    "gn.native_dropout(t(2, 3), 0.5, False)",
    "gn.native_dropout(t(2, 3), 1.0, True)",
)
expressions_of(
    "nn.functional.dropout2d",
    "y = F.dropout2d(t(3, 5, 2, 2, values='positive')); (y == 0).sum((2, 3)).remainder(4)",
    "F.dropout2d(t(3), 0.5)",
)
expressions_of("nn.functional.dropout1d", "F.dropout1d(t(3), 0.5)", "F.dropout1d(t(2, 2, 2, 2), 0.5)")
expressions_of("nn.functional.dropout3d", "F.dropout3d(t(2, 3), 0.0)", "F.dropout3d(t(2, 3), 0.5).shape")
expressions_of(
    "native_dropout_backward",
    "gn.ops.aten.native_dropout_backward(t(2, 3), t(2, 3, dtype='bool'), 2.0)",
    "gn.ops.aten.native_dropout_backward(t(2, 3), t(2, 3, dtype='bool'), 0.5)",
    "gn.ops.aten.native_dropout_backward(t(2), t(3, dtype='bool'), 0.5)",
    "grad(lambda g: gn.ops.aten.native_dropout_backward(g, t(2, 3, dtype='bool'), 2.0), t(2, 3))",
)
