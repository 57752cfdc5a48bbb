"""Attention: the operator itself, with the same arguments."""

from __future__ import annotations

import gnomon as gn

scaled_dot_product_attention = gn.ops.aten.scaled_dot_product_attention.parser
