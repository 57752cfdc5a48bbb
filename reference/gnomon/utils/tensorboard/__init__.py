"""Logs for TensorBoard: numbers, histograms, images, text and more, by step.

It needs the package tensorboard: ``pip install 'gnomon[tensorboard]'``; without it, to import this module
raises ImportError.  Source: torch.utils.tensorboard.
"""

from __future__ import annotations

from typing import Any

from .writer import FileWriter, SummaryWriter, import_tensorboard

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]

import_tensorboard()


def __getattr__(name: str) -> Any:
    if name == "RecordWriter":
        from tensorboard.summary.writer.record_writer import RecordWriter

        return RecordWriter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
