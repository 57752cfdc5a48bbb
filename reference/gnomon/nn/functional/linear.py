"""Linear and bilinear layers: the operators themselves, whose arguments these functions have."""

from __future__ import annotations

import gnomon as gn

linear = gn.ops.aten.linear.parser
bilinear = gn.ops.aten.bilinear.parser
