"""Libraries as subjects of the suite: their own tensors, dtypes, shapes, errors and gradients.

A backend gives kernels to gnomon's tensors.  A library has tensors of its own, so all that gnomon does around
a kernel is tested, too: promotion, broadcasting, sizes, aliasing, errors, autograd.  Its author writes a
``Library`` (adaptor.py), and runs ``gnomon conform --library FILE.py``.
"""

from .adaptor import Library
from .command import load, passes, run

__all__ = ["Library", "load", "passes", "run"]
