"""Parameter: a leaf tensor that a module counts among its own."""

from __future__ import annotations

from typing import Any

import gnomon as gn


class Parameter(gn.Tensor):
    """A tensor to be trained: assigned to a Module's attribute, it is one of the module's ``parameters()``.

    ``data`` is shared, not copied; the parameter is a leaf even if ``data`` has a history.  Results of
    operators on a parameter are plain tensors.  Raises TypeError when ``data`` is not a tensor.  Source:
    torch.nn.Parameter.
    """

    # Parameters may carry attributes of the user's, as PyTorch's do; so no __slots__ here.

    def __new__(cls, data: gn.Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            # An instance still to be filled: this is how the tensor class itself makes one of a subclass.
            return super().__new__(cls)
        if not isinstance(data, gn.Tensor):
            raise TypeError(f"Parameter: data must be a Tensor, but got {type(data).__name__}")
        return cls._make_subclass(data.detach(), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]
