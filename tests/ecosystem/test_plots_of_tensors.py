"""matplotlib draws tensors as it draws arrays.  With ``-m oracle`` the same with PyTorch's tensors."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")
from matplotlib import pyplot

GRADIENT = r"Can't call numpy\(\) on Tensor that requires grad. Use tensor.detach\(\).numpy\(\) instead."


@pytest.fixture
def axes() -> Iterator[Any]:
    figure, made = pyplot.subplots()
    yield made
    figure.canvas.draw()  # what was given can be drawn
    pyplot.close(figure)


def test_lines(lib: ModuleType, axes: Any) -> None:
    x = lib.linspace(0, 1, 5)
    (line,) = axes.plot(x, x**2, label="square")
    assert np.allclose(line.get_xydata(), [[each, each**2] for each in (0, 0.25, 0.5, 0.75, 1)])
    (single,) = axes.plot(lib.tensor([3, 1]))
    assert single.get_xydata().tolist() == [[0.0, 3.0], [1.0, 1.0]]
    assert len(axes.plot(lib.ones(4, 3))) == 3
    axes.axhline(lib.tensor(0.5))
    axes.fill_between(x, x - 0.1, x + 0.1)
    axes.errorbar(x, x, yerr=x / 10)
    assert axes.get_xlim()[1] >= 1


def test_points_and_bars(lib: ModuleType, axes: Any) -> None:
    points = axes.scatter(lib.arange(3), lib.arange(3.0), c=lib.tensor([0.1, 0.5, 0.9]))
    assert points.get_offsets().tolist() == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    bars = axes.bar(lib.arange(3), lib.tensor([1.0, 3.0, 2.0]))
    assert [each.get_height() for each in bars] == [1.0, 3.0, 2.0]


def test_pictures(lib: ModuleType, axes: Any) -> None:
    image = axes.imshow(lib.arange(6.0).reshape(2, 3), cmap="gray")
    assert image.get_array().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] and image.get_clim() == (0.0, 5.0)
    colored = axes.imshow(lib.zeros(3, 4, 5, dtype=lib.uint8).permute(1, 2, 0))
    assert colored.get_array().shape == (4, 5, 3)
    axes.contour(lib.arange(9.0).reshape(3, 3))


def test_histograms(lib: ModuleType, axes: Any) -> None:
    counts, edges, _ = axes.hist(lib.tensor([1.0, 2.0, 2.0, 4.0]), bins=3)
    assert counts.tolist() == [1.0, 2.0, 1.0] and edges.tolist() == [1.0, 2.0, 3.0, 4.0]
    axes.boxplot(lib.tensor([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("method", ["plot", "imshow", "hist"])
def test_a_tensor_that_requires_grad_is_refused(lib: ModuleType, method: str) -> None:
    figure, axes = pyplot.subplots()
    try:
        with pytest.raises(RuntimeError, match=GRADIENT):
            getattr(axes, method)(
                lib.ones(3, 3, requires_grad=True)[0 if method != "imshow" else slice(None)]
            )
    finally:
        pyplot.close(figure)
