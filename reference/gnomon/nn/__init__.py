"""Neural network building blocks: modules that own parameters, and the functions that they call.

Source: torch.nn.  Names, argument order, defaults and state_dict keys are PyTorch's, so that a program can be
ported by changing the import, and checkpoints can be exchanged.
"""

import sys

from . import attention, common_types, functional, grad, init, modules, parallel, parameter, utils
from .modules import *  # noqa: F403
from .modules import __all__ as _modules
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "common_types",
    "functional",
    "grad",
    "init",
    "modules",
    "parallel",
    "parameter",
    "utils",
    *_modules,
]

# Compatibility aliases of files that were moved to ``modules``.
for _old, _new in (
    ("activation", "activation"),
    ("container", "container"),
    ("convolution", "conv"),
    ("dropout", "dropout"),
    ("linear", "linear"),
    ("loss", "loss"),
    ("module", "module"),
    ("normalization", "normalization"),
    ("sparse", "sparse"),
):
    globals()[_old] = sys.modules[f"{__name__}.{_old}"] = getattr(modules, _new)
