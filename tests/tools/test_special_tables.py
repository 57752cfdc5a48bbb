"""The coefficients of the special functions: the reference and C have the same, those that the tool makes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.numerics import special_tables

ROOT = Path(__file__).resolve().parents[2]


def test_c_has_the_references_coefficients() -> None:
    header = (ROOT / "csrc" / "c" / "scalar_special_tables.h").read_text()
    tables = re.findall(
        r"gn_table_(\w+)\(void\) \{\s+static const double rows\[[^]]*\] = \{(.*?)\};", header, re.DOTALL
    )
    assert len(tables) == 38
    for name, text in tables:
        if "_float_" in name or "gamma" in name:  # in C alone; the next test compares them
            continue
        expected = getattr(special_tables, name.upper())
        flat = (
            [each for row in expected for each in row] if isinstance(expected[0], tuple) else list(expected)
        )
        assert [float(each) for each in text.replace(",", " ").split()] == flat, name


@pytest.mark.oracle
def test_the_tool_makes_the_committed_files() -> None:
    pytest.importorskip("mpmath")
    subprocess.run([sys.executable, ROOT / "tools" / "make_special_tables.py", "--check"], check=True)
