"""learn: explanations of operators, calls, tensors and errors, computed from the real objects.

``gn.explain`` and the command ``gnomon explain``; ``import gnomon`` does not import this room.
"""

from __future__ import annotations

from .explaining import explain as explain
