"""Type promotion: tensors, 0-dim tensors, and wrapped numbers."""

from . import expressions_of

DTYPES = ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
NUMBERS = ("True", "2", "-3", "0.1", "2j")

for _dtype in DTYPES:
    for _number in NUMBERS:
        expressions_of(
            "add",
            f"t(3, dtype='{_dtype}') + {_number}",
            f"{_number} + t(3, dtype='{_dtype}')",
            f"t(dtype='{_dtype}') + {_number}",
        )
        expressions_of(
            "mul", f"t(3, dtype='{_dtype}') * {_number}", f"x = t(3, dtype='{_dtype}'); x *= {_number}; x"
        )
        expressions_of("sub", f"{_number} - t(3, dtype='{_dtype}')", f"t(3, dtype='{_dtype}') - {_number}")
        expressions_of(
            "div",
            f"t(3, dtype='{_dtype}') / {_number}",
            f"{_number} / t(3, dtype='{_dtype}', values='nonzero')",
        )
        expressions_of("pow", f"t(3, dtype='{_dtype}', values='positive') ** {_number}")
        expressions_of("eq", f"t(3, dtype='{_dtype}') == {_number}")
        expressions_of("floor_divide", f"t(3, dtype='{_dtype}') // {_number}")
        expressions_of("remainder", f"t(3, dtype='{_dtype}') % {_number}")
        expressions_of("lt", f"t(3, dtype='{_dtype}') < {_number}")
        expressions_of("where", f"gn.where(t(3, dtype='bool'), t(3, dtype='{_dtype}'), {_number})")
        expressions_of("clamp", f"t(3, dtype='{_dtype}').clamp(max={_number})")
        expressions_of("full", f"gn.full((2,), {_number}, dtype=t(1, dtype='{_dtype}').dtype)")
        expressions_of("masked_fill", f"t(3, dtype='{_dtype}').masked_fill(t(3, dtype='bool'), {_number})")
        expressions_of("maximum", f"gn.maximum(t(3, dtype='{_dtype}'), gn.tensor({_number}))")
        expressions_of("bitwise_and", f"t(3, dtype='{_dtype}') & {_number}")
        expressions_of(
            "result_type",
            f"gn.result_type(t(3, dtype='{_dtype}'), {_number})",
            f"gn.result_type(t(dtype='{_dtype}'), {_number})",
            f"gn.result_type({_number}, t(dtype='{_dtype}'))",
        )
    for _other in DTYPES:
        expressions_of(
            "add",
            f"t(3, dtype='{_dtype}') + t(3, dtype='{_other}', seed=1)",
            f"t(3, dtype='{_dtype}') + t(dtype='{_other}', seed=1)",
        )
        expressions_of(
            "result_type", f"gn.promote_types(t(dtype='{_dtype}').dtype, t(dtype='{_other}').dtype)"
        )
        expressions_of("can_cast", f"gn.can_cast(t(dtype='{_dtype}').dtype, t(dtype='{_other}').dtype)")
        expressions_of(
            "mul",
            f"x = t(3, dtype='{_dtype}'); x.mul_(t(3, dtype='{_other}', seed=1)); x",
            f"gn.mul(t(3, dtype='{_dtype}'), t(3, dtype='{_other}', seed=1), out=gn.empty(3))",
        )

expressions_of(
    "neg",
    "-t(3)",
    "-t(3, dtype='bool')",
    "-t(3, dtype='uint8')",
    "~t(3)",
    "~t(3, dtype='int64')",
    "+t(3, dtype='bool')",
    "abs(t(3))",
)
expressions_of(
    "mul",
    "t(3, dtype='int32') * 2**70",
    "t(3, dtype='int32') * 2**40",
    "t(3, dtype='uint8') + 300",
    "t(3, dtype='uint8') + (-1)",
    "t(3, dtype='float32') * 2**70",
    "t(3, dtype='float16') * 1e10",
    "t(3, dtype='int64') + 1e400",
    "t(3) + None",
    "t(3) + 'a'",
    "t(3) + [1]",
    "t(3) @ 2",
    "gn.add(1, 2)",
    "gn.add(1, t(2))",
    "gn.add(t(2))",
    "gn.add(t(2), t(2), t(2))",
    "gn.add(t(2), t(3))",
    "t(2).add(other=3, alpha=2)",
    "gn.add(input=t(2), other=3)",
    "t(2, dtype='int64').add(3, alpha=0.5)",
)
expressions_of(
    "__getitem__",
    "t(3)['a']",
    "t(3)[1.0]",
    "t(3)[5]",
    "t(3)[0, 0]",
    "t()[0]",
    "t(2, 3)[..., 0]",
    "t(2, 3)[:, None, 1:]",
    "t(2, 3)[[0, 1], [1, 2]]",
    "t(2, 3)[t(2, 3) > 0]",
    "t(2, 3)[::-1]",
    "t(2, 3)[True]",
)
expressions_of(
    "reshape",
    "t(2, 3).shape + (1,)",
    "t(2, 3).shape[0]",
    "t(2, 3).shape[:1]",
    "t(2, 3).shape.numel()",
    "(1,) + t(2, 3).shape",
    "t(2, 3).shape * 2",
)
for _kind in (
    "float",
    "double",
    "half",
    "bfloat16",
    "int",
    "long",
    "short",
    "char",
    "bool",
    "cfloat",
    "cdouble",
):
    expressions_of(
        _kind, f"t(2, 3).{_kind}()", f"t(3, dtype='int64').{_kind}()", f"t(3, dtype='complex64').{_kind}()"
    )
expressions_of(
    "item",
    "t().item()",
    "t(1, 1).item()",
    "t(2).item()",
    "t(dtype='complex64').item()",
    "t(dtype='bool').item()",
)

# the strides of a result whose operand is converted first: the copy preserves the operand's strides
expressions_of(
    "Tensor.stride",
    "x = gn.arange(3)[None].t(); (x + 2.5).stride()",
    "x = gn.arange(3)[None].t(); (x * 2.5).stride()",
    "x = gn.arange(3)[None].t(); (x + gn.tensor(1.5)).stride()",
    "x = gn.arange(3)[None].t(); x.eq(inf).stride()",
    "x = gn.arange(3)[None].t(); x.isinf().stride()",
    "x = gn.arange(3)[None].t(); x.isfinite().stride()",
    "x = gn.arange(3)[None].t(); x.sqrt().stride()",
    "x = gn.arange(12).reshape(3, 1, 4)[:, :, ::2].transpose(0, 2); (x + 2.5).stride()",
    "gn.arange(12).reshape(3, 4)[:, ::2].isinf().stride()",
)
expressions_of(
    "pow",
    "gn.pow(300, gn.tensor([1], dtype=gn.uint8))",
    "gn.pow(-300, gn.tensor([1], dtype=gn.uint8))",
    "gn.pow(2**63, gn.tensor([1], dtype=gn.int16))",
    "gn.pow(2**63, gn.tensor([1]))",
    "gn.pow(70000, gn.tensor([1], dtype=gn.float16))",
    "gn.pow(1e300, gn.tensor([1.0]))",
    "gn.pow(300, gn.tensor([1], dtype=gn.uint8), out=gn.zeros(1))",
    "300 ** gn.tensor(1, dtype=gn.uint8)",
)
