"""User-defined operators: from a function (``custom_op``) or a schema (``Library``), tested by ``opcheck``.

Source: torch.library.
"""

from .annotations import infer_schema
from .checks import OpCheckError, opcheck
from .definitions import (
    CustomOpDef,
    custom_op,
    register_autograd,
    register_fake,
    register_kernel,
    register_vmap,
)
from .registry import Library, define, impl

__all__ = [
    "CustomOpDef",
    "Library",
    "OpCheckError",
    "custom_op",
    "define",
    "impl",
    "infer_schema",
    "opcheck",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]
