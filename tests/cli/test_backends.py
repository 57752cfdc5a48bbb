"""gn.backends: called, it lists the backends; as a module, it has PyTorch's switches."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gnomon as gn
from gnomon.backends import _precision, listing
from time_limits import LIMIT


@pytest.fixture(autouse=True)
def switches_as_they_were(monkeypatch):
    monkeypatch.setattr(_precision, "_settings", _precision._initial())
    monkeypatch.setattr(_precision, "_cudnn_allows_tf32", True)
    monkeypatch.setattr(_precision, "_matmul_precision", "highest")
    modules = [gn.backends.cudnn, gn.backends.mkldnn, gn.backends.opt_einsum]
    before = [dict(vars(module)) for module in modules]
    yield
    for module, values in zip(modules, before):
        vars(module).update(values)
    gn.backends.cuda.enable_flash_sdp(True)


def test_called_it_lists_the_backends():
    assert gn.backends() == listing.backends() and gn.backends()["reference"].available


def test_switches_are_kept_and_change_nothing():
    x = gn.ones(2, 2)
    before = (x @ x).tolist()
    cudnn = gn.backends.cudnn
    assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32) == (
        True,
        False,
        False,
        True,
    )
    cudnn.benchmark = cudnn.deterministic = True
    cudnn.enabled = cudnn.allow_tf32 = False
    gn.backends.cuda.matmul.allow_tf32 = True
    gn.backends.cuda.enable_flash_sdp(False)
    assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32) == (
        False,
        True,
        True,
        False,
    )
    assert gn.backends.cuda.matmul.allow_tf32 and not gn.backends.cuda.flash_sdp_enabled()
    assert (x @ x).tolist() == before


def test_a_module_of_it_is_imported_by_name():
    program = (
        "import gnomon.backends.cudnn as cudnn, gnomon as gn; cudnn.benchmark = True;"
        "print(gn.backends.cudnn.benchmark, gn.backends.cudnn is cudnn, callable(gn.backends))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    assert done.stdout.split() == ["True"] * 3


def test_what_is_there_to_ask():
    assert gn.backends.cudnn.is_available() is False and gn.backends.cudnn.version() is None
    assert gn.backends.mps.is_available() is False and gn.backends.mps.is_built() is False
    assert not any(getattr(gn.backends, name).is_available() for name in ("mkl", "mkldnn", "opt_einsum"))
    assert gn.backends.cuda.is_built() is ("cuda" in gn.backends())
    assert {"cudnn", "cuda", "mps"} <= set(dir(gn.backends))
    with pytest.raises(AttributeError, match=r"module 'gnomon.backends' has no attribute 'cudn'"):
        _ = gn.backends.cudn


def test_a_switch_keeps_its_type():
    with pytest.raises(RuntimeError, match=r"gnomon.backends.cudnn.benchmark expects a bool, but got int"):
        gn.backends.cudnn.benchmark = 1
    with pytest.raises(RuntimeError, match=r"cuda.matmul.allow_tf32 expects a bool, but got int"):
        gn.backends.cuda.matmul.allow_tf32 = 1
    with pytest.raises(RuntimeError, match=r"enable_math_sdp expects a bool, but got int"):
        gn.backends.cuda.enable_math_sdp(1)
    with pytest.raises(AttributeError, match=r"^Unknown attribute x$"):
        gn.backends.cuda.matmul.x = 1
    gn.backends.cudnn.fp32_precision = "ieee"


def test_flags_are_given_back():
    with pytest.raises(ZeroDivisionError), gn.backends.cudnn.flags(enabled=False, benchmark=True):
        assert (gn.backends.cudnn.enabled, gn.backends.cudnn.benchmark) == (False, True)
        raise ZeroDivisionError
    assert (gn.backends.cudnn.enabled, gn.backends.cudnn.benchmark) == (True, False)
    with (
        pytest.warns(UserWarning, match="TF32 acceleration on top of oneDNN is available for Intel GPUs"),
        gn.backends.mkldnn.flags(enabled=False),
    ):
        assert not gn.backends.mkldnn.enabled
    assert gn.backends.mkldnn.enabled
