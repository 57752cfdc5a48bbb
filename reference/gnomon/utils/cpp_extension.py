"""C++ extensions, which gnomon does not have: the module can be imported.

Source: torch.utils.cpp_extension.
"""

from __future__ import annotations

from ..values.absent import absent

__getattr__ = absent(
    __name__, "gnomon has no C++ extensions; gnomon.utils.load_inline compiles operators in C"
)
