"""The docstring of each public name gives shapes and dtypes, the errors raised, and what it follows."""

import re

import pytest

import gnomon as gn
from gnomon_conformance.expressions import find
from gnomon_conformance.goldens import lines_of

NAMES = lines_of("data/public_names.txt")
SIGNATURE = re.compile(r"^[\w.]+\(.*\) -> .*$", re.MULTILINE)

WANTED = {
    "its shapes or dtypes": re.compile(
        r"shape|size|dtype|dimension|element|broadcast|matri|vector|slice|bool|int64|float|complex|0-dim|\(\*|\(n",
        re.IGNORECASE,
    ),
    "its errors": re.compile(r"Raises\s+\w|refuse"),
    "what it follows in PyTorch": re.compile(r"Source: \S|torch\.\w"),
}


def described(name):
    """The function or method of a public name; methods first, since ``gn.float`` is a dtype."""
    found = [find(gn.Tensor, name), find(gn, name), find(gn.Tensor, f"{name}_"), find(gn.ops.aten, name)]
    return next(each for each in found if each is not None)


def lacking(text):
    """What a docstring lacks, apart from its signatures."""
    prose = SIGNATURE.sub("", text or "")
    return [what for what, pattern in WANTED.items() if not pattern.search(prose)]


@pytest.mark.parametrize("name", NAMES)
def test_docstring(name):
    function = described(name)
    text = function.__doc__ if not hasattr(function, "parser") else function.parser.__doc__
    assert not lacking(text), f"the docstring of {name} does not say {', '.join(lacking(text))}:\n{text}"


@pytest.mark.parametrize("name", ["relu", "nn.functional.silu", "__radd__", "index_select"])
@pytest.mark.parametrize(
    ("what", "part"), [("its errors", "Raises"), ("what it follows in PyTorch", "Source:")]
)
def test_what_is_left_out_is_seen(name, what, part):
    text = described(name).__doc__
    assert what in lacking("\n\n".join(each for each in re.split(r"\n\n|  ", text) if part not in each))


def test_signatures_alone_say_nothing():
    assert lacking("sin(Tensor self) -> Tensor\n\nThe sine.") == list(WANTED)
