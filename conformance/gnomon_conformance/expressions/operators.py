"""Python's operators and conversions."""

from . import expressions_of

for _name, _text in {
    "__radd__": "2 + t(3)",
    "__rmod__": "2 % t(3, values='nonzero')",
    "__rmul__": "2.5 * t(3)",
    "__rpow__": "2 ** t(3)",
    "__rsub__": "2 - t(3)",
    "__rand__": "True & t(3, dtype='bool')",
    "__ror__": "5 | t(3, dtype='int64')",
    "__rxor__": "5 ^ t(3, dtype='int64')",
}.items():
    expressions_of(_name, _text, _text.replace("t(3", "t(2, 3"), f"t(3, dtype='int64').{_name}(2)")

expressions_of("is_contiguous", "t(2, 3).is_contiguous()", "t(2, 3).t().is_contiguous()")
expressions_of("numel", "t(2, 3).numel()", "t(0, 3).numel()", "gn.numel(t(2))")
expressions_of("size", "t(2, 3).size()", "t(2, 3).size(1)", "t(2, 3).size(-1)", "t(2, 3).size(2)")
expressions_of("storage_offset", "t(2, 3).storage_offset()", "t(2, 3)[1].storage_offset()")
expressions_of("stride", "t(2, 3).stride()", "t(2, 3).stride(0)", "t(2, 3).t().stride()", "t(2, 3).stride(2)")
expressions_of("byte", "t(3).byte()", "t(3, dtype='bool').byte()")
expressions_of(
    "to",
    "t(3).to(gn.float64)",
    "t(3).to(dtype=gn.int32)",
    "t(3).to(t(1, dtype='float16'))",
    "x = t(3); x.to(gn.float32) is x",
    "x = t(3); x.to(gn.float32, copy=True) is x",
    "t(2, 3, layout='transposed').to(gn.float64, memory_format=gn.contiguous_format)",
    "t(2, 3, layout='transposed').to(gn.float64)",
    "t(3, dtype='complex64').to(gn.complex128)",
    "grad(lambda x: x.to(gn.float64), t(3))",
)

expressions_of("half", "t(3).half(memory_format=gn.contiguous_format)", "t(3).half(memory_format=1)")
expressions_of(
    "double",
    "t(2, 3, layout='transposed').double(memory_format=gn.contiguous_format).stride()",
    "t(2, 3, layout='transposed').double(memory_format=gn.preserve_format).stride()",
    "t(3).double(gn.contiguous_format)",
    "t(3).double(memory_format=gn.channels_last)",
)
expressions_of("fill_", "x = t(3); gn.fill_(x, 2); x", "x = t(3); gn.fill_(x, gn.tensor(4)); x")
