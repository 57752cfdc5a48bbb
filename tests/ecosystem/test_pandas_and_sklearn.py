"""pandas and scikit-learn take tensors; what they return becomes tensors.

With ``-m oracle`` the same with PyTorch's tensors.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler

import gnomon as gn

GRADIENT = r"Can't call numpy\(\) on Tensor that requires grad. Use tensor.detach\(\).numpy\(\) instead."


def test_series_and_frames_of_tensors(lib: ModuleType) -> None:
    assert pd.Series(lib.tensor([1.0, 2.0])).dtype == np.float32
    assert pd.Series(lib.arange(3), name="n").sum() == 3
    frame = pd.DataFrame(lib.arange(6).reshape(2, 3), columns=["a", "b", "c"])
    assert frame.shape == (2, 3) and frame["b"].tolist() == [1, 4]
    mixed = pd.DataFrame({"x": lib.ones(2, dtype=lib.float64), "ok": lib.tensor([True, False])})
    assert [str(each) for each in mixed.dtypes] == ["float64", "bool"]
    frame["d"] = lib.tensor([7, 8])
    assert frame["d"].tolist() == [7, 8]
    assert frame[frame["a"].isin(lib.tensor([3]).numpy())]["c"].tolist() == [5]


def test_tensors_of_series_and_frames(lib: ModuleType) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    x = lib.tensor(frame.values)
    assert x.dtype == lib.float64 and x.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert lib.tensor(frame["b"]).tolist() == [3.0, 4.0]
    assert lib.as_tensor(pd.Series([1, 2])).dtype == lib.int64
    shared = lib.from_numpy(frame["a"].to_numpy(copy=True))
    assert shared.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="could not determine the shape of object type 'DataFrame'"):
        lib.tensor(frame)


def test_a_series_without_the_label_0() -> None:
    tail = pd.Series([1.0, 2.0, 3.0])[1:]
    assert gn.tensor(tail).tolist() == [2.0, 3.0]  # PyTorch raises ValueError
    assert gn.tensor(tail.to_numpy()).tolist() == [2.0, 3.0]


def test_tensors_that_require_grad_are_refused(lib: ModuleType) -> None:
    x = lib.ones(2, 2, requires_grad=True)
    for take in (pd.DataFrame, StandardScaler().fit):
        with pytest.raises(RuntimeError, match=GRADIENT):
            take(x)
    with pytest.raises(RuntimeError, match=GRADIENT):
        metrics.roc_auc_score(lib.tensor([0, 1]), x[0])


def test_metrics(lib: ModuleType) -> None:
    target, guess = lib.tensor([0, 1, 1, 0]), lib.tensor([0, 1, 0, 0])
    scores = lib.tensor([0.1, 0.9, 0.3, 0.4])
    assert metrics.accuracy_score(target, guess) == 0.75
    assert metrics.confusion_matrix(target, guess).tolist() == [[2, 0], [1, 1]]
    assert metrics.roc_auc_score(target, scores) == 0.75
    assert metrics.f1_score(target, guess) == pytest.approx(2 / 3)
    assert metrics.mean_squared_error(lib.tensor([1.0, 2.0]), lib.tensor([1.0, 4.0])) == 2.0
    assert "accuracy" in metrics.classification_report(target, guess)
    logits = lib.tensor([[2.0, 0.0], [0.0, 2.0], [0.0, 1.0], [1.0, 0.0]], dtype=lib.float64)
    assert metrics.log_loss(target, logits.softmax(1)) == pytest.approx(
        lib.nn.functional.cross_entropy(logits, target).item(), abs=1e-6
    )


def test_estimators(lib: ModuleType) -> None:
    x = lib.tensor([[0.0], [1.0], [2.0], [3.0]])
    line = LinearRegression().fit(x, 2 * x[:, 0] + 1)
    assert line.predict(lib.tensor([[10.0]])).tolist() == pytest.approx([21.0], abs=1e-4)
    classes = LogisticRegression().fit(x, lib.tensor([0, 0, 1, 1])).predict(x)
    assert lib.from_numpy(classes).tolist() == [0, 0, 1, 1]
    scaled = lib.from_numpy(StandardScaler().fit_transform(x.double()))
    assert lib.allclose(scaled.mean(), lib.zeros((), dtype=lib.float64), atol=1e-12)
