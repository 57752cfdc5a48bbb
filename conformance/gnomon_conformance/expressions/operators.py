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
