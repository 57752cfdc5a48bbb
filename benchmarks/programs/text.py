"""English text that comes with Python, as numbers, for the programs that learn text."""

from pydoc_data.topics import topics

import gnomon as gn

LETTERS = " abcdefghijklmnopqrstuvwxyz.,'-()"  # all other characters map to the first


def load_text(length: int) -> gn.Tensor:
    """The first ``length`` characters of a page of Python's help, as int64 numbers below len(LETTERS)."""
    text = topics["debugger"].lower()[:length]
    return gn.tensor([max(LETTERS.find(letter), 0) for letter in text])
