"""learn: gnomon shows itself: explanations of operators, calls, tensors and errors, and the paths of calls.

``gn.explain``, ``gn.learn.draw``, and the commands ``gnomon explain``, ``draw``, ``view``, ``walk`` and
``trace``; all is computed from the objects that run.  ``import gnomon`` does not import this room.
"""

from __future__ import annotations

from .drawing import draw as draw
from .explaining import explain as explain
from .verbose_errors import explain_errors as explain_errors
