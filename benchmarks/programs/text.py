"""English text that comes with Python, as numbers: what the programs on letters learn."""

from pydoc_data.topics import topics

import gnomon as gn

LETTERS = " abcdefghijklmnopqrstuvwxyz.,'-()"  # all others are the first


def load_text(length: int) -> gn.Tensor:
    """The first ``length`` letters of Python's own help, int64 below len(LETTERS)."""
    text = topics["debugger"].lower()[:length]
    return gn.tensor([max(LETTERS.find(letter), 0) for letter in text])
