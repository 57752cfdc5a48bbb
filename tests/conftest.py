"""Fixtures that the tests share: the available devices."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.memory.backend import get_backend
from gnomon.values import late_bound
from gnomon.values.dtype import ALL

pytest_plugins = ["both_tiers"]

# An example may take long on a slow machine or with a sanitizer.
hypothesis.settings.register_profile("gnomon", deadline=None)
hypothesis.settings.load_profile("gnomon")


def host_devices() -> list[str]:
    """The names of the available backends that run on the host."""
    return [name for name in ("reference", "c") if backend_info(name).available]


@pytest.fixture(params=["reference", "c"])
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each host backend in turn, as the default device."""
    if request.param not in host_devices():
        pytest.skip(f"backend {request.param} is not available here")
    with gn.device(request.param):
        yield request.param


@pytest.fixture(params=["gnomon", pytest.param("torch", marks=pytest.mark.oracle)])
def lib(request: pytest.FixtureRequest) -> ModuleType:
    """gnomon and, with ``-m oracle``, PyTorch: the test asserts behavior that PyTorch documents.

    It uses only what both libraries have.  If PyTorch passes, the expectation is right; if gnomon passes,
    gnomon meets it.
    """
    return import_module(request.param)


@pytest.fixture(autouse=True)
def _silent_fallback() -> Iterator[None]:
    """Allow fallbacks silently: a test for which a fallback matters sets the policy itself."""
    gn.set_fallback_policy("allow")
    yield
    gn.set_fallback_policy(None)


@pytest.fixture
def remove_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """A function that removes a backend's kernel of an operator, and its claim, until the end of the test.

    Earlier tests may have left plans that run the kernel, so they are dropped.
    """

    def remove(name: str, operator: str) -> None:
        backend = get_backend(name)
        monkeypatch.delitem(backend.kernels, operator)
        monkeypatch.delitem(backend.capabilities, operator, raising=False)
        late_bound.forget_calls()

    yield remove
    monkeypatch.undo()
    late_bound.forget_calls()


# Compiling all kernels for the emulated GPU takes minutes, so these files' tests of other dtypes run only in
# `make emulated`, or if the file is named.
_FAMILIES = {
    *("attention", "complex", "convolution", "ctc", "embedding_bag", "folding", "fourier", "grid_sample"),
    *(
        "indexing",
        "lines",
        "losses",
        "masks",
        "matmul",
        "matrices",
        "norms",
        "pooling",
        "random",
        "recurrent",
        "resample",
    ),
    *("softmax", "sorting", "statistics", "svd", "vectors"),
}
_SOME_DTYPES = {"float32", "int64"}


def _is_left_to_make_emulated(item: pytest.Item) -> bool:
    if item.path.stem.removeprefix("test_cuda_") not in _FAMILIES:
        return False
    dtypes = {each.name for each in ALL} & set(item.name.partition("[")[2].rstrip("]").split("-"))
    return not dtypes <= _SOME_DTYPES


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests on the emulated GPU as slow: their kernels must be compiled first.

    Skip those with the marker ``oracle`` where PyTorch is not installed.
    """
    if "cuda" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.slow)
    if item.get_closest_marker("oracle") is not None and find_spec("torch") is None:
        item.add_marker(pytest.mark.skip(reason="the oracle is PyTorch, which is not installed"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests whose kernels take long to compile, unless their file is named."""
    named = {Path(argument.partition("::")[0]).name for argument in config.args}
    if os.environ.get("GNOMON_TEST_ALL_KERNELS") == "1":
        return
    left = [item for item in items if item.path.name not in named and _is_left_to_make_emulated(item)]
    if left:
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [item for item in items if item not in gone]


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection: they live until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def emulated_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set GNOMON_CUDA_EMULATE=1 with two small devices; skip without a C++ compiler."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "1")
    monkeypatch.setenv("GNOMON_CUDA_EMULATED_DEVICES", "2")
    monkeypatch.setenv("GNOMON_CUDA_EMULATED_MEMORY", str(64 << 20))
    monkeypatch.delenv("GNOMON_CUDA_BLOCKING", raising=False)


@pytest.fixture
def cuda_driver(emulated_cuda: None) -> Any:
    """A separate emulated driver for the test, with device 0 active."""
    from gnomon_cuda.driver import open_emulation

    made = open_emulation()
    made.activate(0)
    return made


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the CUDA backend, emulated; skip without a C++ compiler."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "1")
    found = gn.backends()["cuda"]
    assert found.available, found.reason
    return "cuda"
