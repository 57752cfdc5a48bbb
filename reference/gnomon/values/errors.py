"""The exceptions of gnomon that Python does not already have.

Everything else is raised as the kind that PyTorch raises: RuntimeError for shapes, dtypes and devices,
IndexError for dimensions and indices, TypeError for arguments that fit no overload, ValueError for values.
"""

from __future__ import annotations


class OutOfMemoryError(RuntimeError):
    """A backend's allocator has no memory left.  Source: torch.OutOfMemoryError."""


class BackendUnavailableError(RuntimeError):
    """A backend was asked for that is not installed or can not run here; the text says why."""


def unknown_name(kind: str, name: str, known: list[str]) -> str:
    """The text for a name that does not exist, with the nearest one that does.

    ``kind`` says what the name should have named ("backend"), ``known`` lists what there is.
    """
    import difflib  # rare path; keeps the import of gnomon short

    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"unknown {kind} {name!r}{hint} (there are: {', '.join(sorted(known))})"
