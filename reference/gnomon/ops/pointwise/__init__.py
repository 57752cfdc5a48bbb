"""Pointwise operators: arithmetic, comparisons, elementary functions."""

from . import arithmetic, bitwise, clamp, compare, complex, elementary, incomplete, power, special

__all__ = [
    "arithmetic",
    "bitwise",
    "clamp",
    "compare",
    "complex",
    "elementary",
    "incomplete",
    "power",
    "special",
]
