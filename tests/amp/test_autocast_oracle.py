"""Under autocast, every operator's results have the dtypes that PyTorch gives them."""

from __future__ import annotations

import re

import pytest

import gnomon as gn
from gnomon_conformance.collection.selection import DATA_DEPENDENT, operators
from gnomon_conformance.execution.runner import Gnomon, run
from gnomon_conformance.samples import good_samples

pytestmark = pytest.mark.oracle
RECURRENT = re.compile(r"(lstm|gru|rnn_tanh|rnn_relu)\.")


def dtypes_of(outcome):
    if outcome.failure is not None:
        return "fails"
    return [getattr(each, "dtype", None) for each in outcome.results]


@pytest.mark.parametrize("lower", ["bfloat16", "float16"])
def test_results_have_pytorchs_dtypes(lower) -> None:
    torch = pytest.importorskip("torch")
    from gnomon_conformance.pytorch.oracle import EQUIVALENTS, Torch

    wrong, count = [], 0
    for name, operator in sorted(operators().items()):
        if name in EQUIVALENTS or DATA_DEPENDENT.match(name) or name.startswith("_"):
            continue
        if RECURRENT.match(name):
            continue  # the oracle computes them step by step
        for dtype in ("float32", lower):
            for _, sample in good_samples(name, dtype)[:2]:
                with torch.autocast("cpu", dtype=getattr(torch, lower)):
                    expected = dtypes_of(run(Torch(), operator, sample, dtype, "contiguous"))
                with gn.autocast("cpu", dtype=getattr(gn, lower)):
                    found = dtypes_of(run(Gnomon("reference"), operator, sample, dtype, "contiguous"))
                if expected != "fails" and found != expected:
                    wrong.append((name, dtype, sample, found, expected))
                count += expected != "fails"
    assert wrong == [] and count > 900


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"num_layers": 2, "bidirectional": True}])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers_have_pytorchs_dtypes(kind, options) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for lib in (torch, gn):
        layer, x = getattr(lib.nn, kind)(3, 4, **options), lib.ones(3, 2, 3)
        with torch.backends.mkldnn.flags(enabled=True), lib.autocast("cpu", dtype=lib.bfloat16):
            output, state = layer(x)
        states = state if isinstance(state, tuple) else (state,)
        found.append([str(each.dtype).partition(".")[2] for each in (output, *states)])
    assert found[0] == found[1]
