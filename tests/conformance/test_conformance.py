"""The conformance suite itself: it runs as documented, also for outsiders, and kills broken backends."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow


def some(names):
    """Every ninth one, unless all are asked for: each runs the suite in a process of its own."""
    return [*names][:: 1 if os.environ.get("GNOMON_TEST_ALL_MUTANTS") == "1" else 9]


ROOT = pathlib.Path(__file__).parents[2]
HELLO = ROOT / "backends" / "gnomon_hello"
# Few operators and dtypes: those that hello has kernels for, and mul, which it has no kernel for.
FEW = ["--ops", r"^(add\.|add_\.|neg|mul\.Tensor$)", "--dtypes", "float32,int64"]


def environment(*folders, **variables):
    """The environment of a subprocess in which only ``folders`` and what is installed can be imported."""
    path = [str(folder) for folder in (*folders, ROOT / "reference", ROOT / "conformance")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1", **variables}


def run_suite(folder, *options, backend="hello", **variables):
    """The suite in a subprocess, away from the checkout, as a backend's author runs it."""
    command = [sys.executable, "-m", "gnomon_conformance", "-q", "-p", "no:cacheprovider", "-m", "not oracle"]
    if backend is not None:
        command += ["--gnomon-backend", backend, "--property-seconds", "0"]
    return subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder, **variables),
        timeout=1800,
    )


@pytest.fixture(scope="module")
def installed_hello(tmp_path_factory):
    """hello, built and installed as a distribution from a copy outside the repository."""
    source = tmp_path_factory.mktemp("source") / "gnomon_hello"
    target = tmp_path_factory.mktemp("installed")
    shutil.copytree(HELLO, source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-build-isolation",
        "--no-deps",
    ]
    made = subprocess.run(
        [*command, "--target", str(target), str(source)], capture_output=True, text=True, timeout=300
    )
    assert made.returncode == 0, made.stderr
    return target


def test_hello_passes_by_fallback(installed_hello):
    run = run_suite(installed_hello, *FEW, GNOMON_FALLBACK="allow")
    assert run.returncode == 0, run.stdout[-3000:]
    assert "2 native" in run.stdout  # add.Tensor and neg, and nothing else, ran on hello
    assert re.search(r"mul\.Tensor: 0 native, 0 claimed but fell back, \d+ not claimed", run.stdout), (
        run.stdout[-2000:]
    )


def test_hello_without_fallback_fails_by_name(installed_hello):
    run = run_suite(installed_hello, *FEW, "--no-fallback")
    assert run.returncode == 1
    assert "test_forward[mul.Tensor-float32-hello]" in run.stdout
    assert "mul.Tensor: backend 'hello' has no kernel" in run.stdout
    # the operators that hello has kernels for pass
    assert not re.search(r"FAILED.*test_forward\[neg-", run.stdout), run.stdout[-3000:]


def test_an_unknown_backend_is_named(installed_hello):
    run = run_suite(installed_hello, backend="helo")
    assert run.returncode != 0
    assert "did you mean 'hello'" in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("no_such_operator", "no operator's name matches"), ("add(", "is not a valid regular expression")],
)
def test_a_pattern_of_nothing_is_an_error(pattern, text, tmp_path):
    run = run_suite(tmp_path, "--ops", pattern, backend=None)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"--ops: {pattern!r}" in run.stderr or f"name matches {pattern!r}" in run.stderr
    assert text in run.stderr


def test_pytest_on_the_checkout_knows_the_options(installed_hello):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "conformance",
        "--gnomon-backend",
        "hello",
    ]
    run = subprocess.run(
        [*command, "--ops", "^neg$", "--dtypes", "int64", "--property-seconds", "0", "-m", "not oracle"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(installed_hello, GNOMON_FALLBACK="allow"),
        timeout=1800,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert "gnomon backend 'hello'" in run.stdout


# Each is a plausible mistake in a kernel, as an edit of hello.
MUTANTS = {
    "operands swapped": ("read_self(a) + alpha * read_other(b)", "read_other(b) + alpha * read_self(a)"),
    "alpha ignored": ("read_self(a) + alpha * read_other(b)", "read_self(a) + read_other(b)"),
    "input offset ignored": (
        "iterator.offsets(1), iterator.offsets(2)",
        "without_offset(iterator, 1), iterator.offsets(2)",
    ),
    "strides swapped": (
        "iterator.offsets(1), iterator.offsets(2)",
        "iterator.offsets(2), iterator.offsets(1)",
    ),
    "stops one short": ("write(out, -read(a))", "out == 11 or write(out, -read(a))"),
    "nan dropped": ("write(out, -read(a))", "write(out, -read(a) if read(a) == read(a) else 0)"),
    "sign of zero dropped": ("write(out, -read(a))", "write(out, 0 - read(a))"),
    "writes to its input": ("write(out, -read(a))", "write(out, -read(a)), scribble(iterator, a)"),
    "integers saturate": ("write(out, -read(a))", "write(out, min(-read(a), 2**63 - 1))"),
    "single precision in between": ("write(out, -read(a))", "write(out, single(-read(a)))"),
    "always falls back": ('"add.Tensor": add, "neg": neg', ""),
}
HELPERS = """

def without_offset(iterator, position):
    start = iterator.tensor(position).storage_offset()
    return (offset - start for offset in iterator.offsets(position))


def scribble(iterator, offset):
    view = iterator.tensor(1).untyped_storage().memory._bytes
    iterator.tensor(1).dtype.writer(view)(offset, 5)


def single(number):
    import struct

    return number if number in (1e400, -1e400) or number != number else struct.unpack("f", struct.pack("f",
    number))[0]
"""
# This mutant's results are right: only a run without fallback kills it.
NEEDS_NO_FALLBACK = {"always falls back"}


@pytest.mark.parametrize("name", [None, *some(MUTANTS)], ids=lambda name: name or "unchanged")
def test_mutants_are_killed(name, tmp_path, installed_hello):
    shutil.copytree(installed_hello, tmp_path, dirs_exist_ok=True)
    module = tmp_path / "gnomon_hello" / "__init__.py"
    text = module.read_text() + HELPERS
    if name is not None:
        old, new = MUTANTS[name]
        assert text.count(old) == 1, f"hello has changed: {old!r} is not in it once"
        text = text.replace(old, new)
    module.write_text(text)
    dtypes = ["--dtypes", "float64,int64,float32"]
    options = ["--ops", r"^(add\.Tensor|neg)$", *dtypes, "-k", "test_forward", "-x"]
    if name in NEEDS_NO_FALLBACK:
        options.append("--no-fallback")
    run = run_suite(tmp_path, *options, GNOMON_FALLBACK="allow")
    if name is None:
        assert run.returncode == 0, run.stdout[-3000:]
        assert "passed" in run.stdout
    else:
        assert run.returncode == 1, f"the mutant {name!r} survives:\n{run.stdout[-2000:]}"
        assert "FAILED" in run.stdout


# Faults in code that a backend and the reference share, which only recorded results show: the operators to
# run, and a program that breaks them.
SHARED_MUTANTS = {
    "keepdim ignored": (
        "^sum",
        """
        from dataclasses import replace
        operator = gn.ops.aten.sum.dim_IntList
        right = operator.record.meta
        wrong = lambda self, dim, keepdim, dtype: right(self, dim, False, dtype)
        operator.record = replace(operator.record, meta=wrong)
        """,
    ),
    "a wrong derivative": (
        "^tanh$",
        """
        gn.ops.aten.tanh.default.record.derivatives["self"] = lambda grad, result: grad
        """,
    ),
    "a wrong number": (
        "^mul",
        """
        from gnomon.numerics.loops import pointwise
        from gnomon.memory.backend import reference_backend
        reference_backend.kernels["mul.Tensor"] = pointwise(lambda a, b: a + b)
        """,
    ),
    "promotion to the wrong dtype": (
        "^div.Tensor$",
        """
        from gnomon.calls.meta_functions import binary
        from dataclasses import replace
        operator = gn.ops.aten.div.Tensor
        operator.record = replace(operator.record, meta=binary())
        """,
    ),
    "a copy instead of a view": (
        "^t$",
        """
        from gnomon.values.dispatch_key import DispatchKey
        def copied(operator, keys, arguments):
            return arguments[0].clone().permute((1, 0)[: arguments[0].dim()])
        gn.ops.aten.t.default.register(DispatchKey.Dense, copied)
        """,
    ),
    "the wrong kind of error": (
        "^squeeze.dim$",
        """
        from gnomon.ops.views import view
        def wrap_dim(*arguments):
            raise KeyError("dim")
        view.wrap_dim = wrap_dim
        """,
    ),
}


@pytest.mark.parametrize("name", [None, *some(SHARED_MUTANTS)], ids=lambda name: name or "unchanged")
def test_goldens_kill_mutants_of_the_reference(name, tmp_path):
    everything = "|".join(operators for operators, _ in SHARED_MUTANTS.values())
    operators, program = SHARED_MUTANTS[name] if name else (everything, "")
    (tmp_path / "mutation.py").write_text("import gnomon as gn\n" + textwrap.dedent(program))
    run = run_suite(tmp_path, "-p", "mutation", "--ops", operators, "-k", "golden", backend=None)
    if name is None:
        assert run.returncode == 0, run.stdout[-3000:]
    else:
        assert run.returncode == 1, f"the mutant {name!r} survives:\n{run.stdout[-2000:]}"
        assert "FAILED" in run.stdout


def test_a_failure_reproduces_itself(tmp_path, installed_hello):
    """The program in a failure's message runs on its own and shows the fault."""
    shutil.copytree(installed_hello, tmp_path, dirs_exist_ok=True)
    module = tmp_path / "gnomon_hello" / "__init__.py"
    module.write_text(module.read_text().replace("alpha * read_other(b)", "read_other(b)"))
    run = run_suite(
        tmp_path,
        "--ops",
        r"^add\.Tensor$",
        "--dtypes",
        "int64",
        "-k",
        "test_forward",
        GNOMON_FALLBACK="allow",
    )
    program = run.stdout.partition("To reproduce:")[2].partition("\n\n\n")[0].partition("\n====")[0].strip()
    assert program.startswith("import gnomon as gn"), run.stdout[-2000:]
    shown = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(tmp_path, GNOMON_FALLBACK="allow"),
        timeout=1800,
    )
    assert shown.returncode == 0, f"{program}\n{shown.stderr}"
    reference, _, hello = shown.stdout.partition("hello ")
    assert reference.startswith("reference ")
    assert reference.removeprefix("reference ").split() != hello.replace(", device='hello'", "").split()


def test_every_reproduction_runs():
    """The programs of a strided call of each operator, and of sparse and quantized ones, run."""
    import contextlib
    import io

    from gnomon_conformance.collection.selection import dtypes_of, operators
    from gnomon_conformance.reporting.reproduction import reproduction
    from gnomon_conformance.samples import good_samples, good_sparse_samples

    for name, operator in operators().items():
        dtype = "float32" if "float32" in dtypes_of(operator) else dtypes_of(operator)[0]
        calls = [(sample, dtype) for _, sample in good_samples(name, dtype)[-1:]]
        calls += [(sample, each) for each in (dtype, "uint8") for sample in good_sparse_samples(name, each)]
        assert calls
        for sample, each in calls:
            program = reproduction(operator, sample, each, "mixed", ("reference",))
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(program, {})
            except (NotImplementedError, RuntimeError) as error:  # the suite expects these errors, too
                assert str(error)


def test_the_suite_is_no_stranger_to_others(tmp_path):
    """An installed suite adds no options to the pytest runs of other projects."""
    (tmp_path / "test_mine.py").write_text("def test_nothing():\n    pass\n")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--help"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
        timeout=1800,
    )
    assert "--gnomon-backend" not in run.stdout


# What every run of pytest imports where the suite is installed: they import nothing of gnomon themselves.
ENTRY_MODULES = {"gnomon_conformance", "gnomon_conformance.entry", "gnomon_conformance.moved"}


@pytest.mark.parametrize(
    "name", ["gnomon_conformance", "gnomon_conformance.tests.test_forward", "test_mine.py"]
)
def test_pyargs_needs_no_option_to_load_the_plugin(name, tmp_path):
    """``pytest --pyargs gnomon_conformance`` knows the suite's options; other runs do not import gnomon."""
    entry = tmp_path / "path" / "gnomon_suite-1.dist-info"
    entry.mkdir(parents=True)
    entry.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: gnomon_suite\nVersion: 1\n")
    project = (ROOT / "pyproject.toml").read_text()
    (line,) = re.findall(r'pytest11\]\n(gnomon_conformance) = "(.*?)"', project)
    entry.joinpath("entry_points.txt").write_text(f"[pytest11]\n{line[0]} = {line[1]}\n")
    (tmp_path / "test_mine.py").write_text(
        "import sys\n\ndef test_nothing():\n"
        "    names = {name for name in sys.modules if name.startswith('gnomon')}\n"
        f"    assert names <= {ENTRY_MODULES}, names\n"
    )
    options = ["--gnomon-backend", "reference", "--ops", "^neg$", "--dtypes", "float32"]
    options += ["--property-seconds", "0"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", name]
    run = subprocess.run(
        [*command, *(options if "conformance" in name else [])],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(tmp_path / "path"),
        timeout=1800,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "passed" in run.stdout


def test_hello_is_small():
    """The template stays under 60 lines."""
    assert len((HELLO / "gnomon_hello" / "__init__.py").read_text().splitlines()) < 60
