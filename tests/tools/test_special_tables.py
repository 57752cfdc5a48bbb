"""The coefficients of the special functions: the reference and C have the same, those that the tool makes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.numerics import special_tables

ROOT = Path(__file__).resolve().parents[2]
IN_C_ALONE = [  # the second test compares them
    "i1e_float_near",
    "i1e_float_far",
    "erf_near",
    "erf_small",
    "erfc_far",
    "erfc_scaled",
    "erfc_float_scaled",
    "erfinv_near",
    "ndtri_near",
    "erfinv_float_near",
    "gamma_reciprocal",
    "exp2_slope",
    "logarithm_slope",
    "logarithm_float_slope",
    "cosine_ratio",
    "sine_ratio",
    "lgamma_near",
    "lgamma_first",
    "lgamma_float_near",
]


def test_c_has_the_references_coefficients() -> None:
    header = (ROOT / "csrc" / "c" / "scalar_special_tables.h").read_text()
    tables = re.findall(
        r"gn_table_(\w+)\(void\) \{\s+static const double rows\[[^]]*\] = \{(.*?)\};", header, re.DOTALL
    )
    assert len(tables) == 51
    in_c_alone = [name for name, _ in tables if not hasattr(special_tables, name.upper())]
    assert in_c_alone == IN_C_ALONE
    for name, text in tables:
        if name in in_c_alone:
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
