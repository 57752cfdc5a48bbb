"""Results that depend on the arguments: overloads."""

from __future__ import annotations

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import Tensor

x = gn.tensor([[3.0, 1.0], [2.0, 4.0]])
gn.max(x, 1).item()  # error: attr-defined
whole: Tensor = gn.max(x, dim=0)  # error: assignment
x.sort().value  # error: attr-defined
one: Tensor = gn.var_mean(x, dim=0)  # error: assignment
parts: Tensor = x.split(1)  # error: assignment
pair: tuple[Tensor, Tensor] = gn.unique(x)  # error: assignment
single: Tensor = gn.unique(x, return_counts=True)  # error: assignment
places: Tensor = gn.nonzero(x, as_tuple=True)  # error: assignment
rows: tuple[Tensor, ...] = x.nonzero()  # error: assignment
chosen: Tensor = gn.where(x > 0)  # error: assignment
sizes: int = x.size()  # error: assignment
name: gn.dtype = x.type()  # error: assignment
pooled: Tensor = F.max_pool2d(x, 2, return_indices=True)  # error: assignment
values, indices = gn.max(x, dim=0)
first: tuple[Tensor, ...] = gn.where(x > 0)
