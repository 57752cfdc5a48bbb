"""The suite's pytest plug-in: its options, the backends under test, and the outcome of each test.

It is loaded by its conftest.py or by entry.py, and only if pytest runs this suite.
"""

from __future__ import annotations

import faulthandler
import gc
import math
import pathlib
import random
import re
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import gnomon as gn
from gnomon.calls import launch
from gnomon.memory.backend import get_backend, is_installed
from gnomon.values.errors import BackendUnavailableError

from . import SUITE_VERSION
from .collection import foundation, tiers
from .collection.known_names import strangers
from .collection.selection import SHRINKING_SECONDS, is_in_short_run, problem_of_claims
from .comparison import error_measurement
from .comparison.expectations import ExpectationsError
from .execution import coverage, last_call
from .execution.instrumentation import native_runs
from .execution.last_call import LastCall
from .inputs.description import DTYPES
from .reporting import verdicts
from .reporting.outcomes import FAIL, PASS, Result, counts, from_data

NAME = "gnomon_conformance.plugin"

searches_key: pytest.StashKey[int] = pytest.StashKey()  # how many tests share --property-seconds
_crash_folder_key: pytest.StashKey[pathlib.Path] = pytest.StashKey()
_last_words_key: pytest.StashKey[Any] = pytest.StashKey()
_interrupts_key: pytest.StashKey[list[int]] = pytest.StashKey()


def load(pluginmanager: Any) -> None:
    """Register this plug-in, once; called by the suite's conftest.py files."""
    if not pluginmanager.has_plugin(NAME):
        pluginmanager.register(sys.modules[__name__], NAME)


def dtype_list(text: str) -> list[str]:
    """Parse ``"float32,int64"`` into names.  Raises pytest.UsageError for an unknown dtype."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in DTYPES:
            raise pytest.UsageError(f"--dtypes: unknown dtype {name!r}; expected {', '.join(DTYPES)}")
    return names


def seed_of(text: str) -> int:
    """Parse a seed; ``"random"`` chooses one at random.  Raises pytest.UsageError for anything else."""
    if text == "random":
        return random.SystemRandom().randrange(10**6)
    if not text.isdecimal():
        raise pytest.UsageError(f"--seed: expected a number or 'random', got {text!r}")
    return int(text)


def seconds_of(text: str) -> float:
    """Parse a number of seconds, 0 or more.  Raises pytest.UsageError for anything else."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < math.inf:
        raise pytest.UsageError(f"--property-seconds: expected 0 or more seconds, got {text!r}")
    return found


# The seed is fixed, so that a run that passed passes again; ``--seed random`` searches for further faults.
SEED = 1
PROPERTY_SECONDS = 10.0

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
        "help": "fail, and name the operator, where the reference's kernel runs instead of the backend's",
    },
    "--ops": {
        "default": None,
        "dest": "gnomon_ops",
        "metavar": "REGEX",
        "help": "only operators whose name matches",
    },
    "--dtypes": {
        "default": None,
        "dest": "gnomon_dtypes",
        "metavar": "LIST",
        "help": "only these dtypes, for example float32,int64",
        "type": dtype_list,
    },
    "--tier": {
        "action": "append",
        "default": [],
        "dest": "gnomon_tiers",
        "metavar": "TIER",
        "choices": list(tiers.TIERS),
        "help": f"only this tier; repeatable: {', '.join(tiers.TIERS)}",
    },
    "--full": {
        "action": "store_true",
        "default": False,
        "dest": "gnomon_full",
        "help": "every dtype of every operator, and the long tests; the default, without --ops and "
        "--dtypes, is float32, int64 and one further dtype, which differs between operators",
    },
    "--expectations": {
        "default": None,
        "dest": "gnomon_expectations",
        "metavar": "FILE",
        "help": "file of known failures and loosened tolerances, instead of the backend's own",
    },
    "--with-reference": {
        "action": "store_true",
        "default": False,
        "dest": "gnomon_with_reference",
        "help": "test the reference, too, besides a backend",
    },
    "--property-seconds": {
        "default": PROPERTY_SECONDS,
        "type": seconds_of,
        "dest": "gnomon_property_seconds",
        "metavar": "SECONDS",
        "help": "how long to search for failing calls, for all operators together; 0 disables it "
        f"(default: {PROPERTY_SECONDS:g})",
    },
    "--seed": {
        "default": SEED,
        "type": seed_of,
        "dest": "gnomon_seed",
        "metavar": "N",
        "help": f"seed of that search: a number, or 'random' for a new one (default: {SEED})",
    },
    "--samples": {
        "default": None,
        "dest": "gnomon_samples",
        "metavar": "DIR",
        "help": "also test the calls in this folder, written by previous searches",
    },
    "--write-found": {
        "default": None,
        "dest": "gnomon_write_found",
        "metavar": "DIR",
        "help": "write failing calls that a search finds into this folder, for --samples",
    },
    "--census": {
        "default": None,
        "dest": "gnomon_census",
        "metavar": "FILE|NAME",
        "help": "test only the calls of a program: a file written by `gnomon census`, or the name of a "
        "program that comes with gnomon, such as lstm",
    },
    "--huge": {
        "action": "store_true",
        "default": False,
        "dest": "gnomon_huge",
        "help": "also test tensors of more than 2**31 elements: takes minutes, and up to 5.5 GiB of memory",
    },
    "--hang-limit": {
        "default": None,
        "type": float,
        "dest": "gnomon_hang_limit",
        "metavar": "SECONDS",
        "help": "time limit of a test, after which its process is ended (for use with pytest-xdist's -n)",
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
    config.addinivalue_line("markers", "tier(name): the tier of a test that is not of one operator")
    config.addinivalue_line("markers", "long: runs only with --full")
    config.addinivalue_line(
        "markers", "search: takes a share of --property-seconds, and does not run if it is 0"
    )
    config.addinivalue_line("markers", "census: runs only with --census, which deselects all other tests")
    config.addinivalue_line("markers", "huge: runs only with --huge")
    config.addinivalue_line("markers", "short(*dtypes): the dtypes that the test runs with, without --full")
    config.addinivalue_line("markers", "traits(*names): the traits that a backend must have for this test")
    if hasattr(config, "workerinput"):  # all workers use the same random seed
        config.option.gnomon_seed = config.workerinput["gnomon_seed"]
    names = config.getoption("gnomon_backend", []) or []
    for name in names:
        try:
            strange = strangers(verdicts.expectations_of(config, get_backend(name)))
        except BackendUnavailableError as error:
            raise pytest.UsageError(f"--gnomon-backend: {error}") from None
        except (ExpectationsError, OSError) as error:
            raise pytest.UsageError(f"the expectations of {name!r}: {error}") from None
        problem = problem_of_claims(get_backend(name))
        if problem:
            raise pytest.UsageError(f"--gnomon-backend: {problem}")
        if strange:
            raise pytest.UsageError(f"the expectations of {name!r}: {'; '.join(strange)}")
    config.stash[coverage_key] = coverage.Coverage()
    if names:
        _listen_for_interrupts(config)
    config.stash[_account_key] = Account()
    config.stash[results_key] = {}
    config.stash[verdicts.foundations_key] = _foundations(config, names)
    if hasattr(config, "workerinput"):
        _write_last_words(config)


def _listen_for_interrupts(config: Any) -> None:
    """Record interrupts by the user, to distinguish them from a KeyboardInterrupt that a kernel raises."""
    config.stash[_interrupts_key] = arrived = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        return

    def note(number: int, frame: Any) -> Any:
        arrived.append(number)
        return before(number, frame)

    signal.signal(signal.SIGINT, note)
    config.add_cleanup(lambda: signal.signal(signal.SIGINT, before))


def _foundations(config: Any, names: list[str]) -> dict[str, dict[str, str]]:
    """Backend -> tier -> the problem of its basic calls; computed once per run, not in each worker."""
    if hasattr(config, "workerinput"):
        return config.workerinput["gnomon_foundations"]
    if config.option.collectonly or config.getoption("gnomon_ops"):
        return {}
    # a backend that was registered by hand does not exist in another process
    return {name: dict(foundation.check(name)) for name in names if is_installed(name)}


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a pytest-xdist worker the results of the basic calls, and where to write if it crashes."""
    node.workerinput["gnomon_seed"] = node.config.option.gnomon_seed
    node.workerinput["gnomon_foundations"] = node.config.stash[verdicts.foundations_key]
    node.workerinput["gnomon_crashes"] = str(_crash_folder(node.config))


def _crash_folder(config: Any) -> pathlib.Path:
    """The folder for tracebacks of workers that crash or hang; removed when the run ends."""
    if _crash_folder_key not in config.stash:
        folder = tempfile.TemporaryDirectory(prefix="gnomon_crashes_")
        config.stash[_crash_folder_key] = pathlib.Path(folder.name)
        config.add_cleanup(folder.cleanup)
    return config.stash[_crash_folder_key]


def _write_last_words(config: Any) -> None:
    """In a worker: write a traceback to the worker's own file on a fatal signal or a hanging test."""
    path = pathlib.Path(config.workerinput["gnomon_crashes"]) / config.workerinput["workerid"]
    config.stash[_last_words_key] = file = path.open("w")
    calls = path.with_suffix(".call").open("wb", buffering=0)
    last_call.write_to(calls)
    was_enabled = faulthandler.is_enabled()
    faulthandler.enable(file, all_threads=False)

    def restore() -> None:
        last_call.write_to(None)
        calls.close()
        faulthandler.disable()
        if was_enabled:
            faulthandler.enable()
        file.close()

    config.add_cleanup(restore)


def _last_words(config: Any, report: Any) -> tuple[str, LastCall | None]:
    """Why the worker of a crashed test ended (signal and traceback), and its last call."""
    worker = re.search(r"worker '(\w+)'", str(report.longrepr))
    path = _crash_folder(config) / (worker.group(1) if worker else "")
    call = last_call.read(path.with_suffix(".call"))
    lines = path.read_text().splitlines() if path.is_file() else []
    if lines and lines[0].startswith("Timeout"):  # has all threads; the last is the main one, with the test
        last = max((place for place, line in enumerate(lines) if "most recent call first" in line), default=0)
        lines = [f"it hangs: {lines[0]}", *lines[last:]]
    own = next((place for place, line in enumerate(lines) if "gnomon_conformance" in line), len(lines))
    shown = [line for line in lines[:own] if line.strip()]
    return "\n".join(["the process ended in this test", *shown]), call


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


@pytest.hookimpl(trylast=True)
def pytest_itemcollected(item: Any) -> None:
    """Skip tests with the marker ``oracle`` where PyTorch is not installed."""
    # find_spec, because importing torch takes longer than collecting all tests.
    if item.get_closest_marker("oracle") is not None and find_spec("torch") is None:
        item.add_marker(pytest.mark.skip(reason="the oracle is PyTorch, which is not installed"))


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """If backends are tested: keep only their tests, sorted by tier; fewer of them without --full."""
    if not config.getoption("gnomon_backend", []):
        return
    chosen = config.getoption("gnomon_tiers")
    is_full = config.getoption("gnomon_full")
    kept, left = [], []
    for item in items:
        subject = verdicts.subject_of(item)
        if subject is not None:
            wanted = not chosen or subject.tier in chosen
            wanted = wanted and _is_asked_for(item, subject)
            wanted = wanted and (is_full or is_in_short_run(config, item, subject.operator, subject.dtype))
        else:
            # a backend's test without a subject was collected without any operator
            is_without_subject = "backend" in getattr(item, "fixturenames", ())
            with_reference = config.getoption("gnomon_with_reference") and not is_without_subject
            wanted = with_reference or not is_of_suite(item)
        if wanted:
            kept.append((-1 if subject is None else tiers.order_of(subject.tier), item))
        else:
            left.append(item)
    if left:
        config.hook.pytest_deselected(items=left)
    items[:] = [item for _, item in sorted(kept, key=lambda pair: pair[0])]
    config.stash[searches_key] = sum(item.get_closest_marker("search") is not None for item in items)


def _is_asked_for(item: Any, subject: verdicts.Subject) -> bool:
    """Whether the options allow this test: ``--census``, ``--ops``, and those for slow tests."""
    option = item.config.getoption
    if (item.get_closest_marker("census") is None) != (option("gnomon_census") is None):
        return False
    if option("gnomon_ops") is not None and not subject.operator:
        return False
    if item.get_closest_marker("search") is not None:
        return option("gnomon_property_seconds") > 0
    return item.get_closest_marker("huge") is None or option("gnomon_huge")


def pytest_collection_finish(session: Any) -> None:
    """Freeze the collected tests, which live to the end, so that the garbage collector skips them."""
    if session.config.getoption("gnomon_backend", []) and not gc.get_freeze_count():
        gc.collect()
        gc.freeze()
        session.config.add_cleanup(
            gc.unfreeze
        )  # so that they can be collected if the process continues after the run


def is_of_suite(item: Any) -> bool:
    """Whether the test belongs to the suite, not to another one in the same run."""
    return item.module.__name__.startswith("gnomon_conformance")


@pytest.fixture(scope="module", autouse=True)
def _default_device(request: Any) -> Iterator[None]:
    """In the suite, tensors without a device are on the reference, regardless of GNOMON_BACKEND."""
    if not request.module.__name__.startswith("gnomon_conformance"):
        yield  # another suite's tests in the same run
        return
    gn.set_default_device("reference")
    yield
    gn.set_default_device(None)


@pytest.fixture
def backend(request: Any) -> Any:
    """The backend under test."""
    return get_backend(request.param)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    limit = item.config.getoption("gnomon_hang_limit")
    if limit is None:
        yield
        return
    if item.get_closest_marker("search") is not None:  # a search uses all of its time, and then shrinks
        seconds = item.config.getoption("gnomon_property_seconds")
        limit += seconds / max(item.config.stash[searches_key], 1) + SHRINKING_SECONDS
    # Neither a signal nor a Python thread: a hanging kernel may hold the GIL.
    file = item.config.stash.get(_last_words_key, sys.stderr)
    faulthandler.dump_traceback_later(limit, exit=True, file=file)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: Any) -> None:
    last_call.forget()
    verdicts.begin(item)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """Run the test with the fallback policy of the command line, and count the kernels that run."""
    subject = verdicts.subject_of(item)
    if subject is None:
        yield
        return
    found = get_backend(subject.backend)
    expectations = verdicts.expectations_of(item.config, found)
    before, declined = Counter(launch.fallbacks), Counter(launch.declined)
    launch.set_fallback_policy("error" if item.config.getoption("gnomon_no_fallback") else "allow")
    try:
        with native_runs() as native, error_measurement.measuring(expectations) as measured:
            hooked: Any = yield
            ran = Counter(native)
        if isinstance(hooked.exception, KeyboardInterrupt) and not item.config.stash[_interrupts_key]:
            hooked.force_exception(
                RuntimeError("the backend raised KeyboardInterrupt without an interrupt by the user")
            )
    finally:
        launch.set_fallback_policy(None)
    fallen = launch.fallbacks - before
    refused = launch.declined - declined
    item.config.stash[_account_key].count(found, ran, fallen, refused)
    verdicts.note_runs(item, found, ran, fallen, refused, measured)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    hooked: Any = yield
    report = hooked.get_result()
    verdicts.judge(item, call, report)
    if call.when == "teardown" and verdicts.subject_of(item) is not None:
        report.user_properties.append((coverage.PROPERTY, coverage.taken()))


# -------------------------------------------------------------------------------------------------------
# Outcomes, in the process that the user started.

coverage_key: pytest.StashKey[coverage.Coverage] = pytest.StashKey()
results_key: pytest.StashKey[dict[tuple[str, str], Result]] = pytest.StashKey()  # by backend and test


class Collector:
    """Collects the Results of all tests, including those of workers and of crashed tests."""

    def __init__(self, config: Any):
        self.config = config

    def pytest_runtest_logreport(self, report: Any) -> None:
        for name, data in report.user_properties if report.when == "teardown" else ():
            if name == coverage.PROPERTY:
                self.config.stash[coverage_key].merge(data)
        result = next(
            (from_data(data) for name, data in report.user_properties if name == verdicts.PROPERTY), None
        )
        if result is None and report.when not in ("setup", "call", "teardown"):  # xdist reports a crash
            backends = self.config.getoption("gnomon_backend")
            result = verdicts.crashed(report.nodeid, backends, *_last_words(self.config, report))
            if result is not None:
                expected = verdicts.expectations_of(self.config, get_backend(result.backend))
                result = result._replace(known=expected.reason(result.test))
        if result is None:
            return
        kept = self.config.stash[results_key]
        before = kept.get((result.backend, result.test))
        if before is None or (before.outcome == PASS and result.outcome == FAIL):
            kept[result.backend, result.test] = result


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: Any) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Collector(session.config))


class Account:
    """The kernels that ran on each backend: native ones, and the reference's in their place."""

    def __init__(self) -> None:
        self.native: Counter[tuple[str, str]] = Counter()
        self.fell_back: Counter[tuple[str, str]] = Counter()
        self.not_claimed: Counter[tuple[str, str]] = Counter()

    def count(self, backend: Any, native: Counter[Any], fallen: Counter[Any], declined: Counter[Any]) -> None:
        """Add one test's counts."""
        for (device_type, operator), number in native.items():
            if device_type == backend.device_type:
                self.native[backend.name, operator] += number
        for (device_type, operator), number in fallen.items():
            if device_type == backend.device_type:
                self.fell_back[backend.name, operator] += declined[device_type, operator]
                self.not_claimed[backend.name, operator] += number - declined[device_type, operator]

    def merge(self, found: dict[str, list[Any]]) -> None:
        """Add the counts of a pytest-xdist worker."""
        for name, rows in found.items():
            for backend, operator, number in rows:
                getattr(self, name)[backend, operator] += number

    def as_data(self) -> dict[str, list[Any]]:
        """The counts, as data that can be sent between processes."""
        names = ("native", "fell_back", "not_claimed")
        return {name: [[*key, number] for key, number in getattr(self, name).items()] for name in names}


_account_key: pytest.StashKey[Account] = pytest.StashKey()


def pytest_sessionfinish(session: Any) -> None:
    output = getattr(session.config, "workeroutput", None)  # exists only in a pytest-xdist worker
    if output is not None:
        output["gnomon_conformance"] = session.config.stash[_account_key].as_data()
        return
    if any(any(found.values()) for found in session.config.stash[verdicts.foundations_key].values()):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    found = getattr(node, "workeroutput", {}).get("gnomon_conformance")
    if found:
        node.config.stash[_account_key].merge(found)


def _operator_names() -> set[str]:
    return {operator.name for packet in gn.ops.aten for operator in packet.overloads.values()} | set(
        get_backend("reference").kernels
    )


def pytest_report_header(config: Any) -> str | None:
    """The versions and options that are needed to repeat a search."""
    if not config.getoption("gnomon_backend", []):
        return None
    options = " ".join(f"{name} {value}" for name, value in search_options(config).items())
    return f"gnomon: suite {SUITE_VERSION}, {options}"


def search_options(config: Any) -> dict[str, str]:
    """Option -> value, for the options that a search depends on."""
    seconds = config.getoption("gnomon_property_seconds")
    return {"--seed": str(config.getoption("gnomon_seed")), "--property-seconds": f"{seconds:g}"}


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    account = config.stash[_account_key]
    columns = {
        "native": account.native,
        "claimed but fell back": account.fell_back,
        "not claimed": account.not_claimed,
    }
    for name in config.getoption("gnomon_backend", []) or []:
        terminalreporter.section(f"gnomon backend {name!r}: results")
        found = [each for each in config.stash[results_key].values() if each.backend == name]
        terminalreporter.write_line(
            ", ".join(f"{number} {outcome}" for outcome, number in counts(found).items() if number)
        )
        for tier, problem in config.stash[verdicts.foundations_key].get(name, {}).items():
            if problem:
                terminalreporter.write_line(f"The foundation of {tier!r} fails:\n{problem}")
        terminalreporter.section(f"gnomon backend {name!r}: which kernels ran")
        kernels = sorted(
            {kernel for found in columns.values() for backend, kernel in found if backend == name}
        )
        sums = {
            column: sum(1 for kernel in kernels if found[name, kernel]) for column, found in columns.items()
        }
        summary = ", ".join(f"{count} {column}" for column, count in sums.items())
        terminalreporter.write_line(f"{len(kernels)} kernels, each for at least one dtype: {summary}.")
        terminalreporter.write_line("Only native runs count as conformance.")
        strange = sorted(set(get_backend(name).kernels) - _operator_names())
        if strange:  # harmless if the backend is newer than gnomon, otherwise a typing error
            terminalreporter.write_line(f"Kernels for operators unknown to this gnomon: {', '.join(strange)}")
        for kernel in kernels:
            if account.fell_back[name, kernel] or account.not_claimed[name, kernel]:
                runs = ", ".join(f"{found[name, kernel]} {column}" for column, found in columns.items())
                terminalreporter.write_line(f"  {kernel}: {runs}")
