"""The suite's pytest plug-in: its options, the backends under test, and the account of what ran where.

It is loaded by the suite's own conftest.py, or by ``-p gnomon_conformance.plugin``; never by an entry point,
so that no other project's pytest run knows of it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import gnomon as gn
from gnomon.kit import launch
from gnomon.memory.backend import claims, get_backend
from gnomon.values.errors import BackendUnavailableError

from .description import DTYPES

NAME = "gnomon_conformance.plugin"


def load(pluginmanager: Any) -> None:
    """Register this plug-in, once: what a conftest.py of the suite calls."""
    if not pluginmanager.has_plugin(NAME):
        pluginmanager.register(sys.modules[__name__], NAME)


def _dtype_list(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in DTYPES:
            raise pytest.UsageError(f"--dtypes: unknown dtype {name!r}; there are {', '.join(DTYPES)}")
    return names


OPTIONS: dict[str, dict[str, Any]] = {
    "--gnomon-backend": {
        "action": "append",
        "default": [],
        "metavar": "NAME",
        "help": "a backend to test against the reference; repeatable",
    },
    "--no-fallback": {
        "action": "store_true",
        "default": False,
        "dest": "gnomon_no_fallback",
        "help": "an operator that the backend does not run itself fails, by name",
    },
    "--ops": {
        "default": None,
        "dest": "gnomon_ops",
        "metavar": "REGEX",
        "help": "only operators whose name has a match",
    },
    "--dtypes": {
        "default": None,
        "dest": "gnomon_dtypes",
        "metavar": "LIST",
        "help": "only these dtypes: float32,int64",
        "type": _dtype_list,
    },
}


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("gnomon conformance")
    for name, fields in OPTIONS.items():
        group.addoption(name, **fields)


def pytest_configure(config: Any) -> None:
    config.addinivalue_line(
        "markers", "oracle: compares with PyTorch, and is skipped where that is not installed"
    )
    for name in config.getoption("gnomon_backend", []) or []:
        try:
            get_backend(name)
        except BackendUnavailableError as error:
            raise pytest.UsageError(f"--gnomon-backend: {error}") from None
    config.stash[_account_key] = Account()


def pytest_generate_tests(metafunc: Any) -> None:
    if "backend" not in metafunc.fixturenames:
        return
    names = metafunc.config.getoption("gnomon_backend", []) or []
    if names:
        metafunc.parametrize("backend", names, indirect=True, scope="function")
    else:
        reason = "no --gnomon-backend NAME given"
        metafunc.parametrize(
            "backend", [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="none")]
        )


class Account:
    """What kernels ran on which backend: native, or the reference's in its place."""

    def __init__(self) -> None:
        self.native: Counter[tuple[str, str]] = Counter()
        self.fell_back: Counter[tuple[str, str]] = Counter()
        self.not_claimed: Counter[tuple[str, str]] = Counter()

    def count(self, backend: Any, native: Counter[Any], fallen: Counter[Any], dtype: str) -> None:
        """Add one test's counts; ``dtype`` is the one that it is about."""
        for (device_type, operator), number in native.items():
            if device_type == backend.device_type:
                self.native[backend.name, operator] += number
        for (device_type, operator), number in fallen.items():
            if device_type == backend.device_type:
                claimed = claims(backend, operator, dtype)
                (self.fell_back if claimed else self.not_claimed)[backend.name, operator] += number

    def merge(self, counts: dict[str, list[Any]]) -> None:
        """Add the counts of a pytest-xdist worker."""
        for name, rows in counts.items():
            for backend, operator, number in rows:
                getattr(self, name)[backend, operator] += number

    def as_data(self) -> dict[str, list[Any]]:
        """The counts, as what can be sent between processes."""
        names = ("native", "fell_back", "not_claimed")
        return {name: [[*key, number] for key, number in getattr(self, name).items()] for name in names}


_account_key: pytest.StashKey[Account] = pytest.StashKey()


@pytest.fixture(scope="module", autouse=True)
def _default_device(request: Any) -> Iterator[None]:
    """In the suite, tensors made without saying where are on the reference, whatever GNOMON_BACKEND says."""
    if not request.module.__name__.startswith("gnomon_conformance"):
        yield  # somebody else's tests in the same run
        return
    gn.set_default_device("reference")
    yield
    gn.set_default_device(None)


@pytest.fixture
def backend(request: Any) -> Iterator[Any]:
    """The backend under test, by the fallback policy of the command line; what ran is counted."""
    found = get_backend(request.param)
    callspec = getattr(request.node, "callspec", None)
    dtype = callspec.params.get("dtype", "float32") if callspec is not None else "float32"
    before = Counter(launch.fallbacks)
    launch.set_fallback_policy("error" if request.config.getoption("gnomon_no_fallback") else "allow")
    try:
        with launch.counting_native_runs() as native:
            yield found
            ran = Counter(native)
    finally:
        launch.set_fallback_policy(None)
    request.config.stash[_account_key].count(found, ran, launch.fallbacks - before, dtype)


def pytest_sessionfinish(session: Any) -> None:
    output = getattr(session.config, "workeroutput", None)  # there in a pytest-xdist worker
    if output is not None:
        output["gnomon_conformance"] = session.config.stash[_account_key].as_data()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    counts = getattr(node, "workeroutput", {}).get("gnomon_conformance")
    if counts:
        node.config.stash[_account_key].merge(counts)


def _operator_names() -> set[str]:
    return {operator.name for packet in gn.ops.aten for operator in packet.overloads.values()} | set(
        get_backend("reference").kernels
    )


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    account = config.stash[_account_key]
    columns = {
        "native": account.native,
        "claimed but fell back": account.fell_back,
        "not claimed": account.not_claimed,
    }
    for name in config.getoption("gnomon_backend", []) or []:
        terminalreporter.section(f"gnomon backend {name!r}: which kernels ran")
        kernels = sorted(
            {kernel for counts in columns.values() for backend, kernel in counts if backend == name}
        )
        sums = {
            column: sum(1 for kernel in kernels if counts[name, kernel]) for column, counts in columns.items()
        }
        summary = ", ".join(f"{count} {column}" for column, count in sums.items())
        terminalreporter.write_line(f"{len(kernels)} kernels met, each for some dtype: {summary}.")
        terminalreporter.write_line("Only native runs count as conformance.")
        strange = sorted(set(get_backend(name).kernels) - _operator_names())
        if strange:  # harmless where the backend is the newer of the two, and a typing error otherwise
            terminalreporter.write_line(
                f"Kernels of operators that this gnomon does not have: {', '.join(strange)}"
            )
        for kernel in kernels:
            if account.fell_back[name, kernel] or account.not_claimed[name, kernel]:
                runs = ", ".join(f"{counts[name, kernel]} {column}" for column, counts in columns.items())
                terminalreporter.write_line(f"  {kernel}: {runs}")
