"""README.md: its Python examples run, one block after the other."""

import re
from pathlib import Path

import gnomon as gn

README = Path(__file__).parents[2] / "README.md"


def test_its_python_runs(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    if not gn.backends()["c"].available:
        blocks = [block.replace('.to("c")', '.to("reference")') for block in blocks]
    names: dict = {}
    for block in blocks:
        exec(block, names)
    assert names["x"].grad.tolist() == [2.0, 4.0, 6.0]
    assert "addmm" in capsys.readouterr().out  # printed by the profile of the last block
