"""Views (other sizes and strides over one storage), and operators that copy or join: cat, flip, copy_."""

from . import (
    combinations,
    copy,
    diagonal,
    join,
    permute,
    rearrange,
    split,
    strided,
    view,
    view_copy,
    view_inplace,
    view_scatter,
)

__all__ = [
    "combinations",
    "copy",
    "diagonal",
    "join",
    "permute",
    "rearrange",
    "split",
    "strided",
    "view",
    "view_copy",
    "view_inplace",
    "view_scatter",
]
