"""The library's name in what it prints: ``gnomon.float32``; ``torch.float32`` to a program that says
``import torch`` (compat/as_torch.py)."""

from __future__ import annotations


class LibraryName:
    """Formats as the library's name at that moment: ``f"{LIBRARY}.float32"``."""

    __slots__ = ("text",)

    def __init__(self, text: str):
        self.text = text

    def __str__(self) -> str:
        return self.text


LIBRARY = LibraryName("gnomon")
