"""backends/gnomon_c: memory, threads and processes of the C backend."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import gnomon as gn
from gnomon.memory.backend import get_backend
from gnomon_c import library
from gnomon_c.library import ABI_VERSION, check_abi
from time_limits import LIMIT, exit_code, join, start

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
can_count_threads = pytest.mark.skipif(
    not os.path.isdir("/proc/self/task") or "GNOMON_SANITIZED" in os.environ,
    reason="needs Linux, and no sanitizer's threads",
)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def test_a_library_of_another_version_is_refused_in_words_that_help() -> None:
    for opened, words in (
        (SimpleNamespace(gn_abi_version=lambda: ABI_VERSION + 1), f"has version {ABI_VERSION + 1} of"),
        (SimpleNamespace(), "was built before there were versions of"),
    ):
        with pytest.raises(RuntimeError, match="rebuild it") as raised:
            check_abi("gnomon_c._native", opened)
        assert words in str(raised.value) and f"requires version {ABI_VERSION}:" in str(raised.value)
    check_abi("gnomon_c._native", SimpleNamespace(gn_abi_version=lambda: ABI_VERSION))


def test_the_library_the_header_and_the_package_are_of_one_version(monkeypatch: pytest.MonkeyPatch) -> None:
    header = Path(__file__).parents[2] / "csrc" / "gnomon.h"
    assert f"#define GN_ABI_VERSION {ABI_VERSION}\n" in header.read_text()
    lib = library.native().lib
    assert lib.gn_abi_version() == lib.GN_ABI_VERSION == ABI_VERSION
    monkeypatch.setattr(library, "ABI_VERSION", ABI_VERSION + 1)
    library.native.cache_clear()
    try:
        available, reason = type(get_backend("c"))().is_available()
    finally:
        library.native.cache_clear()
    assert not available and f"requires version {ABI_VERSION + 1}: rebuild it" in reason


def test_memory_is_reused_and_counted() -> None:
    import gnomon_c

    with gn.device("c"):
        x = gn.empty(1 << 20)
        address = x.data_ptr()
        assert address % 64 == 0
        before = gnomon_c.memory_stats()
        del x
        after = gnomon_c.memory_stats()
        assert before["allocated"] - after["allocated"] >= 4 << 20
        assert gn.empty(1 << 20).data_ptr() == address
    gnomon_c.empty_cache()
    assert gnomon_c.memory_stats()["cached"] == 0


def test_a_training_loop_does_not_grow() -> None:
    import gnomon_c

    def steps(count: int) -> None:
        for _ in range(count):
            loss = gn.nn.functional.cross_entropy((x @ weight).relu() @ weight.t(), target)
            loss.backward()
            with gn.no_grad():
                weight.sub_(weight.grad, alpha=0.1)
            weight.grad = None

    with gn.device("c"):
        x, weight = gn.randn(8, 16), gn.randn(16, 16, requires_grad=True)
        target = gn.arange(8)
        steps(20)
        allocated = gnomon_c.memory_stats()["allocated"]
        steps(200)
        assert gnomon_c.memory_stats()["allocated"] == allocated


def test_the_thread_count_changes_no_result() -> None:
    import gnomon_c

    threads = gnomon_c.get_num_threads()
    with gn.device("c"):
        x = gn.randn(300, 400)
        results = []
        for count in (1, 2, 3):
            gnomon_c.set_num_threads(count)
            assert gnomon_c.get_num_threads() == count
            results.append([(x @ x.t()).tolist(), x.sum().item(), x.sum(0).tolist(), x.exp().tolist()])
    gnomon_c.set_num_threads(threads)
    assert results[0] == results[1] == results[2]
    with pytest.raises(RuntimeError, match="positive integer"):
        gnomon_c.set_num_threads(0)


def test_several_python_threads_at_once() -> None:
    shared = gn.ones(64, 64, device="c", requires_grad=True)
    sums: list[float] = []
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                x = gn.ones(64, 64, device="c", requires_grad=True)
                y = ((x * 2.0 + shared.detach()) @ x).relu().sum()
                y.backward()
                sums.append(x.grad.sum().item())
        except BaseException as error:
            failures.append(error)

    join(*[start(work) for _ in range(8)])
    assert not failures
    assert len(sums) == 160 and set(sums) == {sums[0]}


def test_several_python_threads_share_the_pool() -> None:
    """One thread uses it at a time; the others compute alone."""
    before = gn.get_num_threads()
    x = gn.arange(200_000, dtype=gn.float32, device="c")
    expected = (x * 2 + 1).tolist()
    results: list[bool] = []

    def work() -> None:
        for _ in range(30):
            results.append(gn.equal(x * 2 + 1, wanted))

    gn.set_num_threads(4)
    try:
        wanted = gn.tensor(expected, dtype=gn.float32, device="c")
        join(*[start(work) for _ in range(4)])
    finally:
        gn.set_num_threads(before)
    assert results == [True] * 120


WORKERS = """
import os, signal
import gnomon as gn

def threads():
    return set(os.listdir("/proc/self/task"))

gn.set_num_threads(1)
x = gn.ones(1 << 22, device="c")
x + x
alone = threads()
gn.set_num_threads(3)
for _ in range(20):
    x + x
workers = threads() - alone
gn.set_num_threads(2)
x + x
assert threads() == alone | workers
for worker in workers:
    status = open(f"/proc/self/task/{worker}/status").read()
    blocked = int(status.partition("SigBlk:")[2].split()[0], 16)
    assert blocked >> (signal.SIGINT - 1) & 1 and blocked >> (signal.SIGTERM - 1) & 1
print(len(workers))
"""


@can_count_threads
def test_workers_are_hired_once_and_leave_signals_to_the_program() -> None:
    from gnomon_c import library

    assert run_on(library.isas()[-1], WORKERS) == ["2"]


BLAS = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "7"
import gnomon as gn
gn.set_num_threads(1)
before = os.listdir("/proc/self/task")
gn.ones(200, 200, device="c") @ gn.ones(200, 200, device="c")
assert os.listdir("/proc/self/task") == before
print(os.environ["OPENBLAS_NUM_THREADS"])
"""


@can_count_threads
def test_a_blas_hires_no_threads_of_its_own() -> None:
    from gnomon_c import library

    assert run_on(library.isas()[-1], BLAS) == ["7"]


@needs_fork
def test_a_child_of_fork_computes() -> None:
    with gn.device("c"):
        x = gn.ones(1 << 18)
        expected = (x + x).sum().item()  # now the pool's threads exist
        child = os.fork()
        if child == 0:
            product = x.view(512, 512) @ x.view(512, 512)
            right = (x + x).sum().item() == expected and product[0, 0].item() == 512
            os._exit(0 if right else 1)
        assert exit_code(child) == 0


# Forked child processes, each with an alarm that ends it if it hangs.
FAMILY = """
import ctypes, os, signal, sys, threading
import gnomon as gn
from gnomon_c import library

gn.set_default_device("c")


def child(work):
    process = os.fork()
    if process == 0:
        signal.alarm(60)
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def in_a_thread(work):
    failures = []

    def run():
        try:
            work()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not failures, failures
"""

TEAMS = """
x = gn.rand(600, 600)


def results():
    return [(x @ x).tolist(), x.exp().sum(0).tolist(), gn.sort(x, dim=0)[0].tolist()]


gn.set_num_threads(2)
expected = results()


def compute():
    assert gn.get_num_threads() == 1 and results() == expected
    gn.set_num_threads(2)
    assert gn.get_num_threads() == 2 and results() == expected
    in_a_thread(lambda: results() == expected or 1 / 0)


def compute_and_fork():
    compute()
    child(compute)
    in_a_thread(lambda: child(compute))
    assert gn.get_num_threads() == 2 and results() == expected


child(compute_and_fork)
assert gn.get_num_threads() == 2 and results() == expected
print("right")
"""

# ctypes releases the GIL, so the parent forks while other threads are inside the allocator
ALLOCATORS = """
extension = library.native()
address = int(extension.ffi.cast("uintptr_t", extension.ffi.addressof(extension.lib, "gn_empty_cache")))
empty_cache = ctypes.CFUNCTYPE(None)(address)
going = True


def empty():
    while going:
        empty_cache()


threads = [threading.Thread(target=empty) for _ in range(3)]
for thread in threads:
    thread.start()
try:
    for _ in range(50):
        child(lambda: gn.ones(3).sum().item() == 3 or 1 / 0)
finally:
    going = False
    for thread in threads:
        thread.join()
print("right")
"""


@needs_fork
@pytest.mark.skipif(
    os.environ.get("GNOMON_SANITIZED") == "thread",
    reason="ThreadSanitizer knows no threads of a child of fork",
)
@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_children_of_fork_have_teams_of_their_own(isa: str) -> None:
    from gnomon_c import library

    if isa not in library.isas():
        pytest.skip(f"the library does not run as {isa} here")
    assert run_on(isa, FAMILY + TEAMS) == ["right"]


@needs_fork
def test_a_child_of_fork_may_be_born_while_others_allocate() -> None:
    from gnomon_c import library

    assert run_on(library.isas()[-1], FAMILY + ALLOCATORS) == ["right"]


# Operators that no instruction set fuses: their results are the same on all.
UNFUSED = """
import hashlib
import gnomon as gn
from gnomon_c import library
gn.set_default_device("c")
gn.manual_seed(0)
digest = hashlib.sha256()
x = gn.randn(1031, 57)
results = [
    x * 3 - x[0], x / x[1], x.sqrt(), x.abs().floor(), x.relu(), x.sum(0), x.sum(1), x.var(0), x.half() * 3.5,
    (x * 100).int() // 7, x.T.contiguous(), x + x[0], x.clone(), x.cumprod(0), x.double().prod(1),
    x.bfloat16() + 1,
    gn.linspace(0, 1, 777), gn.lerp(x, x[2], 0.3), gn.addcmul(x, x[0], x[1], value=0.7),
]
for dtype in (gn.complex64, gn.complex128):
    z = gn.randn(311, 57, dtype=dtype)
    w = z.flip(0)
    results += [
        z + w, gn.add(z, w, alpha=0.5 - 2j), gn.sub(z, w, alpha=3j), z * w, z * w[0], z / w, 1 / z,
        z**2, z**3,
        z.cumprod(1), z.prod(0), gn.addcmul(z, w, z, value=0.5 + 1j), gn.addcdiv(z, w, z, value=2j),
        gn.lerp(z, w, 0.3), gn.lerp(z, w, w), gn.linalg.cross(z[:, :3], w[:, :3]), gn.outer(z[0], w[1]),
        gn.addr(z[:, :311], z[:, 0], w[0], beta=2 - 1j, alpha=1j),
        gn.zeros(5, 57, dtype=dtype).index_add(0, gn.arange(311) % 5, z, alpha=1 - 1j),
        gn.linalg.svdvals(z[:9]), gn.sum(z, 1),
    ]
for result in results:
    digest.update(bytes(result.contiguous().untyped_storage().copy_out()))
print(library.native().lib.gn_compiled_isa(), digest.hexdigest())
"""

# A tensor and slices of it give the same elements, whether these are in vectors or in the tail.
PLACES = """
import gnomon as gn
gn.set_default_device("c")
gn.manual_seed(0)
special = gn.nn.functional
names = "exp exp2 expm1 log log2 log10 log1p rsqrt sqrt reciprocal sin cos tan asin acos atan sinh"
names += " cosh tanh asinh acosh atanh sigmoid erf erfc erfinv lgamma digamma"
functions = {name: getattr(gn, name) for name in names.split()}
names = "gelu silu mish softplus elu hardswish logsigmoid"
functions.update({name: getattr(special, name) for name in names.split()})
functions.update(
    {
        "gelu tanh": lambda x: special.gelu(x, approximate="tanh"),
        "pow": lambda x: x.abs() ** 1.75,
        "atan2": lambda x: gn.atan2(x, x.flip(0)),
        "logaddexp": lambda x: gn.logaddexp(x, x + 0.5),
        "addcmul": lambda x: gn.addcmul(x, x, x, value=0.3),
        "times": lambda x: x * x,
        "over": lambda x: 1.5 / x,
        "lerp": lambda x: gn.lerp(x, x * x, x),
        "add": lambda x: gn.add(x, x * x, alpha=1.1),
    }
)
complex_names = set("exp log sin tanh sigmoid silu sqrt reciprocal addcmul times over lerp add".split())
for dtype in (gn.float32, gn.float64, gn.bfloat16, gn.complex64, gn.complex128):
    x = gn.randn(75, dtype=dtype) * 0.7
    for name, function in functions.items():
        if dtype.is_complex and name not in complex_names or name == "atan2":
            continue
        whole = function(x).tolist()
        for begin in (*range(0, 17), 33):
            for end in (begin + 1, begin + 3, begin + 15, begin + 33, 75):
                part = function(x[begin:end]).tolist()
                assert repr(part) == repr(whole[begin:end]), (name, dtype, begin, end)
    if dtype.is_floating_point:
        assert repr(gn.atan2(x[3:40], x[20:57]).tolist()) == repr(gn.atan2(x, x.roll(-17))[3:40].tolist())
print("right")
"""


def run_on(isa: str, program: str) -> list[str]:
    """The words that ``program`` prints with the library of an instruction set."""
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_C_ISA": isa, "GNOMON_FALLBACK": "allow"},
        timeout=LIMIT,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def test_what_is_not_fused_is_the_same_on_every_instruction_set() -> None:
    from gnomon_c import library

    texts = [run_on(isa, UNFUSED) for isa in library.isas()]
    assert [text[0] for text in texts] == [str(library.ISAS.index(isa)) for isa in library.isas()]
    assert len({text[1] for text in texts}) == 1


def test_no_result_depends_on_where_its_element_stands() -> None:
    from gnomon_c import library

    for isa in library.isas():
        assert run_on(isa, PLACES) == ["right"], isa


def test_a_library_for_wider_processors_only_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from gnomon_c import library

    processor = SimpleNamespace(lib=SimpleNamespace(gn_processor_isa=lambda: 1))
    monkeypatch.setattr(library, "_open", {"_processor": processor}.__getitem__)
    monkeypatch.setattr(library, "_is_built", lambda isa: isa != "baseline")
    assert library.isas() == ["avx2"]
    monkeypatch.setattr(library, "_is_built", lambda isa: isa == "avx512")
    with pytest.raises(RuntimeError, match=r"is built for avx512, but this processor supports avx2: build it on"):
        library.isas()
    monkeypatch.setattr(library, "_is_built", lambda isa: False)
    with pytest.raises(RuntimeError, match=r"gnomon_c\._native is not built"):
        library.isas()


def test_an_instruction_set_that_is_not_there_is_refused() -> None:
    from gnomon_c import library

    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import gnomon as gn; gn.ones(1, device='c')"],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_C_ISA": "sse9"},
        timeout=LIMIT,
    )
    present = ", ".join(library.isas())
    assert run.returncode and f"GNOMON_C_ISA: expected one of {present} (built" in run.stderr
    assert "'sse9'" in run.stderr


MULTIPLY = """
import gnomon as gn

gn.set_default_device("c")
x = gn.ones(40, 40)
print((x @ x).sum().item(), (x @ x).device, gn.get_num_threads(), flush=True)
"""


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("GNOMON_NUM_THREADS", "0", "GNOMON_NUM_THREADS must be a positive integer, got '0'"),
        ("GNOMON_NUM_THREADS", "-1", "GNOMON_NUM_THREADS must be a positive integer, got '-1'"),
        ("GNOMON_NUM_THREADS", "two", "GNOMON_NUM_THREADS must be a positive integer, got 'two'"),
        ("GNOMON_NUM_THREADS", "9" * 12, "GNOMON_NUM_THREADS must be a positive integer, got '999999999999'"),
        ("GNOMON_BLAS", "/nonexistent.so", "GNOMON_BLAS: not a usable BLAS: .*/nonexistent.so"),
        ("GNOMON_NUM_THREADS", "3", ""),
        ("GNOMON_BLAS", "none", ""),
    ],
)
def test_a_wrong_setting_is_warned_of_once_and_left_aside(variable: str, value: str, says: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", MULTIPLY],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "2", variable: value},
        timeout=LIMIT,
    )
    assert run.stdout.split() == ["64000.0", "c", "3" if value == "3" else "2"], run.stderr
    assert run.stderr.count("UserWarning") == (1 if says else 0)
    assert re.search(f"UserWarning: gnomon: {says}" if says else "^$", run.stderr), run.stderr


def test_what_runs_instead_of_the_library_is_named() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "import gnomon as gn; print(gn.ones(1).device)"],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_C_ISA": "sse9"},
        timeout=LIMIT,
    )
    instead = run.stdout.strip()
    assert instead and instead != "c" and f"running on '{instead}'" in run.stderr


def test_the_number_of_threads_is_set_on_the_face() -> None:
    import gnomon_c

    threads = gn.get_num_threads()
    try:
        gn.set_num_threads(3)
        assert gn.get_num_threads() == gnomon_c.get_num_threads() == 3
        for wrong, kind in (
            *((0, RuntimeError), (-2, RuntimeError), (2**31, RuntimeError)),
            *((1.5, TypeError), (True, TypeError)),
        ):
            with pytest.raises(kind, match="set_num_threads"):
                gn.set_num_threads(wrong)
        assert gn.get_num_threads() == 3
    finally:
        gn.set_num_threads(threads)


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.float16, gn.bfloat16, gn.int32, gn.complex64])
@pytest.mark.parametrize("k, n", [(1000, 777), (100, 3), (37, 513), (4, 1), (3, 2000)])
def test_products_of_a_vector_in_every_layout(dtype: gn.dtype, k: int, n: int) -> None:
    with gn.device("c"):
        vector = (gn.arange(k) % 5 - 2).to(dtype)
        matrix = ((gn.arange(k * n) * 7 % 11) - 5).reshape(k, n).to(dtype)
        wanted = [sum(v * m for v, m in zip(vector.tolist(), column)) for column in zip(*matrix.tolist())]
        if dtype in (gn.float16, gn.bfloat16):
            wanted = gn.tensor(wanted, dtype=gn.float64).to(dtype).tolist()
        lying = (matrix, matrix.t().contiguous().t(), gn.stack([matrix, matrix], -1)[..., 0])
        for each in lying:
            assert (vector.reshape(1, k) @ each).tolist() == [wanted]
            assert (each.t() @ vector.reshape(k, 1)).flatten().tolist() == wanted


def test_numbers_that_were_not_given_are_what_the_library_calls_so() -> None:
    from gnomon.memory import prepared
    from gnomon.values import scalar as numbers
    from gnomon_c import library

    lib = library.native().lib
    assert numbers.scalar_forms(None)[2] == numbers.NO_INTEGER == lib.GN_NO_INTEGER
    statuses = (prepared.OK, prepared.BAD_VALUE, prepared.OUT_OF_MEMORY, prepared.NOT_IMPLEMENTED)
    assert statuses == (lib.GN_OK, lib.GN_BAD_VALUE, lib.GN_OUT_OF_MEMORY, lib.GN_NOT_IMPLEMENTED)
    assert numbers.scalar_forms(2**63)[2] == -(2**63) == numbers.scalar_forms(float("nan"))[2]
    assert numbers.scalar_forms(-(10**400))[:2] == (float("-inf"), 0.0)
