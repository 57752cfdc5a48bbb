"""Floor 4: the operators, one record each.

Files never import each other: a formula or a composition calls other
operators as methods of its tensors, or by name through ``aten``.
"""

from ..dispatch.dispatcher import aten

__all__ = ["aten"]
