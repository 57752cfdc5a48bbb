"""gn_parallel_for with the library's own pool and with OpenMP: the same parts and the same results."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gnomon as gn
from time_limits import LIMIT

ROOT = Path(__file__).parents[2]
NATIVE, OPENMP = "1", "2"  # as in csrc/library.h

needs_c = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

# ---------------------------------------------------------------------------------------------------------
# The source files on their own, compiled with and without OpenMP.

COMPILER = shlex.split(os.environ.get("CC", "cc"))
BUILDS = {
    "with OpenMP": ["-fopenmp"],
    "without OpenMP": [],
    "without atomic operations": ["-D__STDC_NO_ATOMICS__"],
}


def has_openmp() -> bool:
    program = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n"
    command = [*COMPILER, "-fopenmp", "-x", "c", "-", "-o", os.devnull]
    return (
        subprocess.run(command, input=program, capture_output=True, text=True, timeout=LIMIT).returncode == 0
    )


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that compiles parallel_program.c for one of BUILDS on first use, and returns its path."""
    if shutil.which(COMPILER[0]) is None or sys.platform == "win32":
        pytest.skip("there is no C compiler, or no threads of POSIX")
    folder = tmp_path_factory.mktemp("parallel")
    names = ("threads.c", "parallel_native.c", "parallel_openmp.c", "fork.c")
    sources = [
        ROOT / "tests" / "csrc" / "parallel_program.c",
        *(ROOT / "csrc" / "c" / name for name in names),
    ]
    warnings = ["-Wall", "-Wextra", "-Werror"]

    def program(build: str) -> Path:
        if "-fopenmp" in BUILDS[build] and not has_openmp():
            pytest.skip("the compiler has no OpenMP")
        path = folder / build.replace(" ", "_")
        if not path.exists():
            command = [*COMPILER, "-std=c11", "-O1", *warnings, *BUILDS[build], "-pthread"]
            command += [*sources, "-o", path]
            made = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
            assert made.returncode == 0, made.stderr
        return path

    return program


def say(program: Path, *words: str, **settings: str) -> str:
    """What a program prints, with these settings as its only OpenMP settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    ran = subprocess.run(
        [program, *words],
        capture_output=True,
        text=True,
        env={**environment, **settings},
        errors="replace",
        timeout=LIMIT,
    )
    return ran.stdout.strip() or f"{ran.returncode}: {ran.stderr}"


RUNS = [("with OpenMP", NATIVE), ("with OpenMP", OPENMP), ("without OpenMP", NATIVE)]


@pytest.mark.parametrize(("build", "which"), RUNS)
@pytest.mark.parametrize("threads", ["1", "2", "3", "5"])
def test_parts_cover_each_number_once(programs, build, which, threads):
    assert say(programs(build), "cover", which, threads) == "right"


def test_parts_cover_each_number_once_where_openmp_has_fewer_threads_than_parts(programs):
    assert say(programs("with OpenMP"), "cover", OPENMP, "5", OMP_THREAD_LIMIT="2") == "right"


@pytest.mark.parametrize(("build", "which"), RUNS)
def test_two_threads_are_at_work_at_once(programs, build, which):
    assert say(programs(build), "meet", which, "2") == "right"


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_workers_stay_off_the_processor_of_the_calling_thread(programs, threads):
    assert say(programs("without OpenMP"), "apart", NATIVE, threads) == "right"


@pytest.mark.parametrize(("build", "which"), RUNS)
def test_a_job_inside_a_part_is_done_by_the_calling_thread(programs, build, which):
    assert say(programs(build), "nest", which, "3") == "right"


@pytest.mark.parametrize(("build", "which"), RUNS)
def test_several_threads_of_a_program_have_jobs_at_once(programs, build, which):
    assert say(programs(build), "callers", which, "3") == "right"


@needs_fork
@pytest.mark.parametrize(("build", "which"), RUNS)
def test_children_of_fork_have_a_pool_of_their_own(programs, build, which):
    assert say(programs(build), "fork", which, "2") == "right"


def test_a_library_without_openmp_has_as_many_threads_as_the_process_may_run(programs):
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("the system does not tell which processors a process may use")
    program, usable = programs("without OpenMP"), os.sched_getaffinity(0)
    assert say(program) == f"1 0 1 {len(usable)}"
    os.sched_setaffinity(0, {min(usable)})
    try:
        assert say(program) == "1 0 1 1"
    finally:
        os.sched_setaffinity(0, usable)


@pytest.mark.parametrize("build", ["with OpenMP", "without OpenMP"])
@pytest.mark.parametrize(("told", "threads"), [("3", 3), ("1", 1), ("5,2", 5)])
def test_openmps_variable_says_how_many_threads_there_are_with_it_and_without(programs, build, told, threads):
    found = say(programs(build), OMP_NUM_THREADS=told).split()
    assert found == ["1", str(int(build == "with OpenMP")), NATIVE, str(threads)]


@pytest.mark.parametrize("told", ["0", "-2", "many", ""])
def test_a_number_of_threads_that_is_none_is_left_aside(programs, told):
    program = programs("without OpenMP")
    assert say(program, OMP_NUM_THREADS=told) == say(program)


def test_without_atomic_operations_there_is_one_thread(programs):
    program = programs("without atomic operations")
    assert say(program, OMP_NUM_THREADS="3") == "0 0 0 1"
    assert say(program, "cover", "0", "3") == "right"
    assert say(program, "cover", NATIVE, "3") == say(program, "cover", OPENMP, "3") == "not there"


def test_no_kernel_needs_openmp():
    """In other files it is only a hint how to compile a loop."""
    found = {
        path.name: sorted(set(re.findall(r"\b_OPENMP|\bomp [a-z ]+|<omp\.h>", path.read_text())))
        for path in sorted((ROOT / "csrc" / "c").iterdir())
        if re.search(r"\b_OPENMP|\bomp ", path.read_text())
    }
    assert found.pop("half_vectors.h") == ["_OPENMP", "omp simd"]
    assert list(found) == ["parallel_openmp.c"]


# ---------------------------------------------------------------------------------------------------------
# The library.


@pytest.fixture
def parallel() -> Iterator[None]:
    """Restore the threading settings after a test."""
    import gnomon_c

    before, threads = gnomon_c.get_parallel(), gnomon_c.get_num_threads()
    yield
    gnomon_c.set_parallel(before)
    gnomon_c.set_num_threads(threads)


def numbers(*sizes: int, seed: int = 1) -> gn.Tensor:
    return gn.randn(*sizes, generator=gn.Generator(device="c").manual_seed(seed), device="c")


def accumulated() -> gn.Tensor:
    places = gn.arange(90_000, device="c").remainder(701)
    return gn.zeros(1000, device="c").index_put((places + 100,), numbers(90_000), accumulate=True)


# One of each way in which kernels split their work, each large enough for several parts.
FAMILIES = {
    "pointwise": lambda: numbers(400, 500).exp(),
    "half precision": lambda: numbers(400, 500).half().tanh(),
    "strided copy": lambda: numbers(400, 500).t().contiguous(),
    "reduction": lambda: (numbers(300, 500).sum(), numbers(300, 500).sum(0), numbers(300, 500).amax(1)),
    "scan": lambda: (numbers(300, 500).cumsum(0), numbers(150_000).cumsum(0)),
    "product": lambda: numbers(150, 200) @ numbers(200, 160, seed=2),
    "convolution": lambda: gn.nn.functional.conv2d(numbers(2, 8, 40, 40), numbers(16, 8, 3, 3)),
    "depthwise convolution": lambda: gn.nn.functional.conv2d(
        numbers(2, 8, 60, 60), numbers(8, 1, 3, 3), groups=8
    ),
    "pooling": lambda: gn.nn.functional.max_pool2d(numbers(4, 8, 64, 64), 3),
    "norm": lambda: gn.nn.functional.layer_norm(numbers(300, 500), (500,)),
    "softmax": lambda: numbers(300, 500).softmax(1),
    "recurrent": lambda: gn.ops.aten._rnn_layer(
        *(numbers(600, 40), numbers(120, 40), numbers(120, 40), None, None, None, numbers(100, 40), None),
        *((100,) * 6, 3, False, True),
    )[:2],
    "attention": lambda: gn.nn.functional.scaled_dot_product_attention(*[numbers(2, 4, 80, 32)] * 3),
    "sort": lambda: (numbers(300_000).sort(), numbers(300, 500).sort(0)),
    "selection": lambda: [
        numbers(300_000).median(),
        numbers(300_000).kthvalue(1234),
        numbers(300, 500).topk(7),
    ],
    "gathering": lambda: numbers(400, 500).index_select(0, gn.arange(399, -1, -1, device="c")),
    "accumulation": accumulated,
    "search": lambda: gn.searchsorted(numbers(5000).sort().values, numbers(100_000)),
    "places": lambda: (numbers(400, 500) > 0.5).nonzero(),
    "distances": lambda: gn.cdist(numbers(300, 40), numbers(280, 40, seed=2)),
    "random": lambda: gn.rand(200_000, generator=gn.Generator(device="c").manual_seed(3), device="c"),
    "transform": lambda: gn.view_as_real(gn.fft.fft(numbers(200, 300))),
    "singular values": lambda: gn.ops.aten._linalg_svd(numbers(60, 20, 12)),
}


def bits(result: object) -> list[bytes]:
    if isinstance(result, gn.Tensor):
        return [result.contiguous().numpy().tobytes()]
    return [each for part in result for each in bits(part)]


@needs_c
@pytest.mark.parametrize("family", FAMILIES)
def test_no_result_depends_on_what_runs_the_threads_or_on_how_many_there_are(family, parallel):
    import gnomon_c

    found = {}
    for which in gnomon_c.parallels():
        gnomon_c.set_parallel(which)
        for threads in (1, 2, 3):
            gnomon_c.set_num_threads(threads)
            found[which, threads] = bits(FAMILIES[family]())
    usual = found["native", 1]
    assert usual and all(usual) and [run for run, each in found.items() if each != usual] == []


@needs_c
def test_faults_are_reported_by_any_thread(parallel):
    import gnomon_c

    for which in gnomon_c.parallels():
        gnomon_c.set_parallel(which)
        gnomon_c.set_num_threads(3)
        for wrong in (10, 75_000, 149_999):
            places = gn.arange(150_000, device="c")
            places[wrong] = 150_000
            with pytest.raises(IndexError):
                numbers(150_000)[places]
            with pytest.raises((IndexError, RuntimeError)):
                numbers(150_000).gather(0, places)


@needs_c
def test_the_pool_runs_unless_told(parallel):
    import gnomon_c

    program = "import gnomon_c as c; print(*c.parallels(), c.get_parallel())"
    environment = {name: value for name, value in os.environ.items() if name != "GNOMON_PARALLEL"}
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=LIMIT
    )
    assert ran.stdout.split() == [*gnomon_c.parallels(), "native"], ran.stderr
    assert gnomon_c.parallels()[0] == "native"


@needs_c
def test_what_runs_is_chosen_and_told(parallel):
    import gnomon_c

    for which in gnomon_c.parallels():
        gnomon_c.set_parallel(which)
        assert gnomon_c.get_parallel() == which
        pools = gn.memory.backend.get_backend("c").thread_pools()
        assert pools[0] == which and sorted(pools) == sorted(gnomon_c.parallels())
    for wrong in ("none", "tbb", ""):
        with pytest.raises(RuntimeError, match=f"set_parallel expects one of native.*, got {wrong!r}"):
            gnomon_c.set_parallel(wrong)
        assert gnomon_c.get_parallel() == which


@needs_c
@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("native", ""),
        ("openmp", ""),
        ("", ""),
        ("OpenMP", "GNOMON_PARALLEL must be native or openmp, got 'OpenMP'; using native"),
        ("none", "GNOMON_PARALLEL must be native or openmp, got 'none'; using native"),
    ],
)
def test_the_environment_chooses_and_is_warned_of_once_where_it_can_not(value, says):
    import gnomon_c

    if value == "openmp" and value not in gnomon_c.parallels():
        pytest.skip("the library was built without OpenMP")
    program = "import gnomon as gn, gnomon_c; gn.ones(1, device='c'); print(gnomon_c.get_parallel())"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_PARALLEL": value},
        timeout=LIMIT,
    )
    assert ran.stdout.split() == ["native" if says or not value else value], ran.stderr
    assert ran.stderr.count("UserWarning") == (1 if says else 0)
    assert says in ran.stderr and (says or not ran.stderr)


CUT = """
import os
import gnomon as gn
gn.set_num_threads(3)
before = len(os.listdir("/proc/self/task"))
x = gn.ones(7, device="c")
assert (x + x).tolist() == [2.0] * 7
print(len(os.listdir("/proc/self/task")) - before)
"""


@needs_c
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux, to count threads")
@pytest.mark.parametrize(
    ("grain", "workers", "says"),
    [
        ("1", "2", ""),
        ("3", "1", ""),
        ("", "0", ""),
        ("0", "0", "GNOMON_GRAIN must be a positive integer, got '0'; using the default"),
    ],
)
def test_small_calls_are_cut_where_a_test_wants_it(grain, workers, says):
    """Seven elements are split among three threads or two, or stay on one by default."""
    ran = subprocess.run(
        [sys.executable, "-c", CUT],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_GRAIN": grain, "GNOMON_PARALLEL": ""},
        timeout=LIMIT,
    )
    assert ran.stdout.split() == [workers], ran.stderr
    assert says in ran.stderr and (says or not ran.stderr)


class Library:
    """The part of the library's interface that selects what runs its threads."""

    def __init__(self, *present: int):
        self.present = present
        self.runs = present[0] if present else 0

    def gn_has_parallel(self, which: int) -> int:
        return int(which in self.present)

    def gn_set_parallel(self, which: int) -> int:
        self.runs = which
        return which

    def gn_get_parallel(self) -> int:
        return self.runs


@pytest.mark.parametrize(
    ("present", "name", "says"),
    [
        ((1,), "openmp", "GNOMON_PARALLEL: the C library was built without openmp; using native"),
        ((), "native", "GNOMON_PARALLEL: the C library was built without native; using one thread"),
        ((), "tbb", "GNOMON_PARALLEL must be native or openmp, got 'tbb'; using one thread"),
    ],
)
def test_what_the_library_was_built_without_is_warned_of(present, name, says):
    library = pytest.importorskip("gnomon_c.library")
    lib = Library(*present)
    with pytest.warns(UserWarning) as caught:
        library._choose_parallel(lib, name)
    assert [str(each.message) for each in caught] == [f"gnomon: {says}"]
    assert lib.runs == (present[0] if present else 0)


FORK = """
import os
import gnomon as gn, gnomon_c

x = gn.rand(400, 400, device="c")
results = lambda: [(x @ x).tolist(), x.exp().sum(0).tolist(), gn.sort(x, dim=0)[0].tolist()]
gnomon_c.set_num_threads(2)
expected = results()  # OpenMP's threads are there now
assert gnomon_c.get_parallel() == "openmp"
child = os.fork()
if child == 0:
    try:
        assert gnomon_c.get_parallel() == "native" and gnomon_c.parallels() == ["native"]
        try:
            gnomon_c.set_parallel("openmp")
        except RuntimeError as error:
            assert str(error) == "set_parallel expects one of native, got 'openmp'"
        else:
            raise AssertionError("a child has OpenMP")
        gnomon_c.set_num_threads(2)
        assert results() == expected
        print("right", flush=True)
    finally:
        os._exit(0)
os.waitpid(child, 0)
assert gnomon_c.get_parallel() == "openmp" and results() == expected
print("right")
"""


@needs_c
@needs_fork
def test_a_child_of_fork_has_the_pool_where_its_parent_has_openmp() -> None:
    import gnomon_c

    if "openmp" not in gnomon_c.parallels():
        pytest.skip("the library was built without OpenMP")
    ran = subprocess.run(
        [sys.executable, "-c", FORK],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_PARALLEL": "openmp"},
        timeout=LIMIT,
    )
    assert ran.stdout.split() == ["right", "right"], ran.stderr


@needs_c
def test_pytorchs_question_is_answered():
    import gnomon_c

    pools = gn.memory.backend.backend_of(gn.memory.backend.resolve_device("cpu")).thread_pools()
    assert gn.backends.openmp.is_available() is ("openmp" in pools)
    with gn.device("c"):
        assert gn.memory.backend.get_backend("c").thread_pools()[0] == gnomon_c.get_parallel()
