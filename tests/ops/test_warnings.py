"""Each warning names the line of the program that made the call, whatever frames of gnomon are in between."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.values import errors

F = nn.functional
aten = gn.ops.aten


def resized_by_out():
    return gn.add(gn.ones(2), 1, out=gn.empty(3))


def resized_by_foreign_out():
    return gn.fft.rfft(gn.ones(4), out=gn.empty(2, dtype=gn.complex64))


def resized_in_a_module():
    class Doubling(nn.Module):
        def forward(self, x):
            return gn.add(x, x, out=gn.empty(3))

    return Doubling()(gn.ones(2))


def written_expanded():
    return gn.zeros(1, 2).expand(2, 2).index_fill_(0, gn.tensor([0]), 1.0)


def deprecated_order():
    return gn.add(gn.ones(2), 2, gn.ones(2))


def masked_by_bytes():
    return gn.ones(2)[gn.tensor([0, 1], dtype=gn.uint8)]


def scheduled_nothing():
    return nn.init.kaiming_uniform_(gn.empty(0, 2))


def grad_of_inner():
    x = gn.ones(2, requires_grad=True)
    return (x * 2).grad


WARNINGS = [
    resized_by_out,
    resized_by_foreign_out,
    resized_in_a_module,
    written_expanded,
    deprecated_order,
    masked_by_bytes,
    scheduled_nothing,
    grad_of_inner,
    lambda: F.softmax(gn.ones(2)),
    lambda: nn.Softmax()(gn.ones(2)),
    lambda: nn.Sequential(nn.LogSoftmax())(gn.ones(2)),
    lambda: F.mse_loss(gn.ones(2, 1), gn.ones(2)),
    lambda: nn.MSELoss()(gn.ones(2, 1), gn.ones(2)),
    lambda: F.mse_loss(gn.ones(2), gn.ones(2), size_average=True),
    lambda: F.upsample(gn.ones(1, 1, 2), scale_factor=2),
    lambda: F.grid_sample(gn.ones(1, 1, 2, 2), gn.zeros(1, 1, 1, 2)),
    lambda: F.dropout2d(gn.ones(2, 2)),
    lambda: gn.autograd.detect_anomaly(),
    lambda: gn.utils.checkpoint.checkpoint(lambda x: x + 1, gn.ones(1), use_reentrant=True),
]


def lines_of(code):
    """The lines of a function and of its inner functions."""
    inner = [each for each in code.co_consts if hasattr(each, "co_lines")]
    return {line for _, _, line in code.co_lines()}.union(*map(lines_of, inner))


@pytest.mark.parametrize("make", WARNINGS, ids=lambda make: f"{make.__name__}-{make.__code__.co_firstlineno}")
def test_a_warning_names_the_line_that_called(make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    assert caught, "nothing was warned of"
    for each in caught:
        assert each.filename == __file__, each
        assert each.lineno in lines_of(make.__code__), each


def test_a_program_s_filters_decide_by_its_own_module():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", module=__name__.replace(".", r"\."))
        F.softmax(gn.ones(2))
    assert len(caught) == 1


def test_once_is_once_in_a_process(monkeypatch):
    monkeypatch.setattr(errors, "_said", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            errors.warn("said once", once=True)
    assert [str(each.message) for each in caught] == ["said once"]


def test_nothing_counts_frames():
    root = Path(gn.__file__).parents[2]
    files = [*(root / "reference").rglob("*.py"), *(root / "backends").rglob("*.py")]
    counting = [
        str(path.relative_to(root))
        for path in files
        if "warnings.warn(" in path.read_text() or "stacklevel=" in path.read_text()
    ]
    assert counting == [] and len(files) > 100


DEPRECATED = {
    "cholesky": lambda x: gn.cholesky(x),
    "cholesky of a method": lambda x: x.cholesky(),
    "qr": lambda x: gn.qr(x),
    "qr of a method": lambda x: x.qr(),
    "triangular_solve": lambda x: gn.triangular_solve(x, x),
    "triangular_solve of a method": lambda x: x.triangular_solve(x),
    "lu": lambda x: gn.lu(x),
    "lu_solve": lambda x: gn.lu_solve(x, *gn.linalg.lu_factor(x)),
    "lu_solve of a method": lambda x: x.lu_solve(*gn.linalg.lu_factor(x)),
    "nuclear_norm": lambda x: gn.nuclear_norm(x),
}


@pytest.mark.parametrize("name", DEPRECATED)
def test_deprecated_operators_warn_once(name, monkeypatch):
    monkeypatch.setattr(errors, "_said", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            DEPRECATED[name](gn.eye(2))
            gn.ops.aten.cholesky.default(gn.eye(2))  # the operators themselves do not
            gn.linalg.qr(gn.eye(2))
    (warned,) = caught
    assert str(warned.message).startswith(f"{name.removesuffix(' of a method')} is deprecated: use linalg.")
    assert warned.category is UserWarning and warned.filename == __file__
