"""view: an interactive page of strides, TensorIterator and autograd's engine; the command ``gnomon view``.

The page is one HTML file that needs no network.  Its JavaScript follows the reference, function by function,
and tests/learn compare both.
"""

from __future__ import annotations

from .view import page as page
