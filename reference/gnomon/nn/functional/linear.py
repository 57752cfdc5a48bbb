"""Linear and bilinear layers: the operators themselves, with the same arguments."""

from __future__ import annotations

import gnomon as gn

linear = gn.ops.aten.linear.parser
bilinear = gn.ops.aten.bilinear.parser
