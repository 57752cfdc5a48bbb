"""Attention: the operator itself, whose arguments this function has."""

from __future__ import annotations

import gnomon as gn

scaled_dot_product_attention = gn.ops.aten.scaled_dot_product_attention.parser
