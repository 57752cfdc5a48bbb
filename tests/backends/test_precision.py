"""The switches of float32 precision: the older and the newer ones change the same settings."""

from __future__ import annotations

import random
import warnings

import pytest

import gnomon as gn
from gnomon.backends import _precision

READ = (
    "backends.fp32_precision",
    *("backends.cudnn.fp32_precision", "backends.cudnn.conv.fp32_precision"),
    *("backends.cudnn.rnn.fp32_precision", "backends.cuda.matmul.fp32_precision"),
    *("backends.mkldnn.fp32_precision", "backends.mkldnn.matmul.fp32_precision"),
    *("backends.mkldnn.conv.fp32_precision", "backends.mkldnn.rnn.fp32_precision"),
    *("backends.cuda.matmul.allow_tf32", "backends.cudnn.allow_tf32", "backends.mkldnn.allow_tf32"),
)


@pytest.fixture(autouse=True)
def settings_as_they_were(monkeypatch):
    monkeypatch.setattr(_precision, "_settings", _precision._initial())
    monkeypatch.setattr(_precision, "_matmul_precision", "highest")
    monkeypatch.setattr(_precision, "_cudnn_allows_tf32", True)


def read(library, path):
    """The value of a switch, or the type of its error."""
    try:
        found = library
        for name in path.split("."):
            found = getattr(found, name)
    except RuntimeError:
        return RuntimeError
    return found


def written(library, path, value):
    """Sets a switch; the type of the error, if it raises."""
    *outer, last = path.split(".")
    found = library
    for name in outer:
        found = getattr(found, name)
    try:
        found(value) if last == "()" else setattr(found, last, value)
    except (RuntimeError, TypeError) as error:
        return type(error)
    return None


def matmul_precision(library):
    try:
        return library.get_float32_matmul_precision()
    except RuntimeError:
        return RuntimeError


def test_tf32_and_the_precision_of_matmul_are_one_setting():
    matmul = gn.backends.cuda.matmul
    matmul.allow_tf32 = True
    assert gn.get_float32_matmul_precision() == "high" and matmul.fp32_precision == "tf32"
    matmul.allow_tf32 = False
    assert gn.get_float32_matmul_precision() == "highest" and matmul.fp32_precision == "ieee"
    gn.set_float32_matmul_precision("medium")
    assert matmul.allow_tf32 and gn.backends.mkldnn.matmul.fp32_precision == "bf16"
    gn.set_float32_matmul_precision("highest")
    assert not matmul.allow_tf32 and gn.backends.mkldnn.matmul.fp32_precision == "ieee"
    with pytest.raises(RuntimeError, match="set_float32_matmul_precision expects a str, but got int"):
        gn.set_float32_matmul_precision(3)


def test_a_narrower_setting_precedes_a_wider_one():
    cudnn, backends = gn.backends.cudnn, gn.backends
    assert (cudnn.fp32_precision, cudnn.conv.fp32_precision) == ("none", "tf32")
    with backends.flags(fp32_precision="ieee"):
        assert cudnn.fp32_precision == cudnn.rnn.fp32_precision == "ieee"
        assert backends.mkldnn.conv.fp32_precision == "ieee"
        cudnn.conv.fp32_precision = "tf32"
        assert (cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision) == ("tf32", "ieee")
    assert backends.fp32_precision == "none" and backends.set_flags("tf32") == ("none",)
    assert backends.set_flags() == ("tf32",)


def test_contradictions_and_unknown_values_are_refused():
    backends = gn.backends
    backends.cuda.matmul.fp32_precision = "tf32"  # the older switch still says "highest"
    with pytest.raises(
        RuntimeError, match="mix of the legacy and new APIs to set the TF32 status for cublas"
    ):
        _ = backends.cuda.matmul.allow_tf32
    with pytest.raises(RuntimeError, match="mix of the legacy and new APIs to set the matmul precision"):
        gn.get_float32_matmul_precision()
    backends.cudnn.conv.fp32_precision = "ieee"
    with pytest.raises(RuntimeError, match="cuDNN conv and cuDNN RNN have different TF32 flags"):
        _ = backends.cudnn.allow_tf32
    backends.cudnn.allow_tf32 = True
    assert backends.cudnn.conv.fp32_precision == "tf32" and backends.cudnn.allow_tf32
    with pytest.raises(RuntimeError, match=r"^Unknown precision: foo$"):
        backends.fp32_precision = "foo"
    with pytest.raises(RuntimeError, match=r"^backend 'cuda' does not support precision 'bf16'$"):
        backends.cudnn.rnn.fp32_precision = "bf16"
    with pytest.raises(TypeError, match=r"^fp32_precision must be str, not int$"):
        backends.mkldnn.matmul.fp32_precision = 1
    for switches in (backends.cudnn.conv, backends.cuda.matmul):
        with pytest.raises(AttributeError, match=r"^Unknown attribute foo$"):
            switches.foo = 1
        with pytest.raises(AttributeError, match=r"^Unknown attribute foo$"):
            _ = switches.foo


@pytest.mark.oracle
def test_any_order_of_settings_gives_pytorchs_answers(monkeypatch):
    torch = pytest.importorskip("torch")
    # PyTorch's test utilities, which other tests import, forbid settings outside of ``with``
    monkeypatch.setattr(torch.backends, "__allow_nonbracketed_mutation_flag", True)
    values = ("none", "ieee", "tf32", "bf16", "foo", 1)
    writes = [(path, value) for path in READ if path.endswith("fp32_precision") for value in values]
    for path in READ[-3:]:
        writes += [(path, value) for value in (True, False, 1)]
    precisions = ("highest", "high", "medium", "foo", 3)
    writes += [("set_float32_matmul_precision.()", value) for value in precisions]
    draw = random.Random(5)
    flags = ("backends.flags", "backends.cudnn.flags", "backends.mkldnn.flags")
    reset = (
        *(("backends.cudnn.allow_tf32", True), ("set_float32_matmul_precision.()", "highest")),
        *((path, "none") for path in READ if path.endswith("fp32_precision") and ".cudnn." not in path),
    )

    def step(library, path, value):
        if path in flags:
            return within_flags(library, path)
        return written(library, path, value)

    def state(library):
        return [*(read(library, path) for path in READ), matmul_precision(library)]

    def within_flags(library, path):
        try:
            with read(library, path)():
                return state(library)
        except RuntimeError:
            return RuntimeError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, value in reset:  # others, such as the backend that runs PyTorch's kernels, set them, too
            written(torch, path, value)
            written(gn, path, value)
        assert state(gn) == state(torch)
        try:
            for count in range(3000):
                path, value = draw.choice(writes) if count % 10 else (draw.choice(flags), None)
                assert step(gn, path, value) == step(torch, path, value), (path, value)
                assert state(gn) == state(torch), (path, value)
        finally:
            for path, value in reset:
                written(torch, path, value)
