"""User-defined operators: from a function (``custom_op``) or a schema (``Library``), tested by ``opcheck``.

Source: torch.library.
"""

import sys

from . import optests
from .annotations import infer_schema
from .definitions import (
    CustomOpDef,
    custom_op,
    impl_abstract,
    register_autograd,
    register_fake,
    register_kernel,
    register_vmap,
)
from .optests import OpCheckError, opcheck
from .registry import Library, define, impl

sys.modules.setdefault(f"{__name__}.checks", optests)  # compatibility alias

__all__ = [
    "CustomOpDef",
    "Library",
    "OpCheckError",
    "custom_op",
    "define",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]
