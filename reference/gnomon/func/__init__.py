"""Function transforms: vmap, and derivatives of functions as functions.

    per_example = vmap(grad(loss), in_dims=(None, 0, 0))

Source: torch.func.
"""

from . import custom_functions as _custom_functions  # noqa: F401  (Functions under vmap)
from .batch_norm_replacement import replace_all_batch_norm_modules_
from .eager_transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from .functional_call import functional_call, stack_module_state
from .vmap import vmap, vmap_fallbacks

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
    "vmap_fallbacks",
]
