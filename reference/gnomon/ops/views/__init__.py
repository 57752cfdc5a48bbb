"""Views: other sizes and strides over the same elements; what copies or joins: cat, stack, flip, copy_."""

from . import copy, diagonal, join, permute, rearrange, split, strided, view, view_inplace, view_scatter

__all__ = [
    "copy",
    "diagonal",
    "join",
    "permute",
    "rearrange",
    "split",
    "strided",
    "view",
    "view_inplace",
    "view_scatter",
]
