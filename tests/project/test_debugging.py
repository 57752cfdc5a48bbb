"""docs/debugging.md: the functions of its backtrace are in the files that it names."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Defined by a macro, or by cffi.
MADE = {"kernel_add_float32": "csrc/pointwise.def", "do_nb_add": "csrc/speedups/number_protocol.c"}


def test_each_frame_is_a_function_of_its_file() -> None:
    page = (ROOT / "docs" / "debugging.md").read_text()
    frames = re.findall(r"^#\d+ +(\w+) \(.*\) at ([\w./]+):\d+$", page, re.MULTILINE)
    assert len(frames) == 12
    for function, file in frames:
        if function in MADE:
            assert (ROOT / file).resolve() == ROOT / MADE[function]
        elif file.startswith("csrc/"):
            text = (ROOT / file).read_text()
            assert re.search(rf"^[a-zA-Z].*\b{function}\([^;]*\{{$", text, re.MULTILINE), (function, file)
    assert "X(nb_add, __add__" in (ROOT / MADE["do_nb_add"]).read_text()
    assert 'BINARY_NUMBER("add.Tensor", add, ALL' in (ROOT / MADE["kernel_add_float32"]).read_text()
