"""Types for annotations.  Source: torch.types."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO

from ..memory.storage import Storage as Storage
from ..memory.tensor import Tensor
from ..values.device import device as _device
from ..values.geometry import Size

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = int | float | bool
Device = _device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]

# For isinstance.
_Number = (int, float, bool)
_TensorOrTensors = Tensor | Sequence[Tensor]
_size = Size | list[int] | tuple[int, ...]
_int, _float, _bool, _str, _bytes, _complex = int, float, bool, str, bytes, complex
