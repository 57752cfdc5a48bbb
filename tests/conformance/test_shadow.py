"""The shadow run: silent if nothing differs; the first difference stops the program and becomes a test."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gnomon as gn
from gnomon.memory import backend as backends
from gnomon.memory.backend import reference_backend
from gnomon.numerics.loops import pointwise
from gnomon_conformance.mutation import loopback
from gnomon_conformance.shadow import Shadow, ShadowDifference

ROOT = Path(__file__).parents[2]
HELLO = ROOT / "backends" / "gnomon_hello"
DEVICE = loopback.DEVICE


@pytest.fixture(autouse=True)
def _loopback() -> Iterator[None]:
    """The reference's kernels on a separate device, which is the default device during the test."""
    backends.register_backend(loopback.Loopback())
    gn.set_default_device(DEVICE)
    yield
    gn.set_default_device(None)
    backends._backends.pop(DEVICE, None)
    backends._by_device_type.pop(DEVICE, None)


def break_kernel(name: str, kernel: object) -> None:
    backends.register_backend(loopback.Loopback({name: kernel}))


def test_a_right_program_runs_as_ever(tmp_path: Path) -> None:
    """Factories, views, in-place, out=, random numbers, aliases, gradients and errors: nothing differs."""

    def program() -> list[object]:
        gn.manual_seed(5)
        x = gn.randn(3, 4, requires_grad=True)
        (x.exp().sum(1) * gn.arange(3)).sum().backward()
        y = gn.zeros(4, 3)
        y[1:, ::2].t().mul_(2).add_(1)
        y.add_(y)
        gn.neg(y, out=y)
        drawn = gn.bernoulli(gn.full((5,), 0.5)), gn.nn.functional.dropout(gn.ones(6), 0.5), gn.randperm(7)
        with pytest.raises(RuntimeError, match="must match the size"):
            gn.ones(3) + gn.ones(4)
        return [x.grad.tolist(), y.tolist(), *(each.tolist() for each in drawn), gn.rand(2).tolist()]

    alone = program()
    with Shadow(DEVICE, folder=str(tmp_path)) as shadow:
        assert repr(program()) == repr(alone)
    assert shadow.compared == shadow.met and shadow.compared["exp"] == 1
    assert "no difference" in shadow.summary() and list(tmp_path.iterdir()) == []


def test_inference_tensors_are_compared_too(tmp_path: Path) -> None:
    with gn.inference_mode(), Shadow(DEVICE, folder=str(tmp_path)) as shadow:
        x = gn.ones(3)
        x.add_(1)
        x[1:].mul_(gn.ones(2)).exp()
    assert shadow.compared["add_.Tensor"] == 1 and "no difference" in shadow.summary()


def test_a_difference_stops_and_is_written_down(tmp_path: Path) -> None:
    """The differing call becomes a test that fails on the broken backend and passes on a correct one."""
    break_kernel("neg", pointwise(lambda a: 0 - a))
    x = gn.tensor([[1.0, 5.0], [0.0, 5.0]]).t()[0]  # the zero has an offset and a stride
    reached = []
    with pytest.raises(
        ShadowDifference, match=r"operator \d+ of the program differs:\nneg, float32"
    ) as stopped:
        with Shadow(DEVICE, folder=str(tmp_path)):
            (-gn.ones(2)).sum()
            gn.neg(x)
            reached.append(1)
    assert reached == []
    assert "element 1 is 0.0, expected -0.0" in str(stopped.value) and "as_strided((2,), (2,), 0)" in str(
        stopped.value
    )
    (path,) = tmp_path.iterdir()
    assert path.name == "test_shadow_neg.py" and str(path) in str(stopped.value)
    test = runpy.run_path(str(path))["test_neg"]
    with pytest.raises(AssertionError, match=r"expected -0\.0"):
        test(backends.get_backend(DEVICE))
    backends.register_backend(loopback.Loopback())
    test(backends.get_backend(DEVICE))
    test(reference_backend)


def test_an_exception_for_everything_does_not_hide_it(tmp_path: Path) -> None:
    break_kernel("exp", pointwise(lambda a: 0.0))
    with pytest.raises(ShadowDifference), Shadow(DEVICE, folder=str(tmp_path)):
        try:
            gn.ones(2).exp()
        except Exception:
            pytest.fail("the program went on")


def test_a_second_test_gets_a_name_of_its_own(tmp_path: Path) -> None:
    break_kernel("exp", pointwise(lambda a: 0.0))
    for _ in range(2):
        with pytest.raises(ShadowDifference), Shadow(DEVICE, folder=str(tmp_path / "deep")):
            gn.ones(2).exp()
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == [
        "test_shadow_exp.py",
        "test_shadow_exp_2.py",
    ]


def test_tensors_over_one_storage_stay_so(tmp_path: Path) -> None:
    """If an operand is also the output, it is so in the program that shows the fault, too."""
    break_kernel("add.Tensor", pointwise(lambda a, b, alpha: a - b))
    x = gn.ones(3)
    with pytest.raises(ShadowDifference) as stopped, Shadow(DEVICE, folder=str(tmp_path)):
        x.add_(x.view(3))
    assert "t1 = t0.as_strided" in str(stopped.value)
    x = gn.ones(3)
    with pytest.raises(ShadowDifference) as stopped, Shadow(DEVICE, folder=str(tmp_path)):
        x.add_(x)
    assert "add_.Tensor(t0, t0, 1), t0)" in str(stopped.value)


def test_another_kind_of_error_differs(tmp_path: Path) -> None:
    def gather(*arguments: object) -> None:
        raise ValueError("bad index")

    break_kernel("gather", gather)
    index = gn.tensor([5])
    with pytest.raises(ShadowDifference, match="raised ValueError"), Shadow(DEVICE, folder=str(tmp_path)):
        gn.gather(gn.ones(2), 0, index)


def test_sampling_and_size(tmp_path: Path) -> None:
    small, large = gn.ones(4), gn.ones(50)
    with Shadow(DEVICE, every=3, folder=str(tmp_path)) as shadow:
        for _ in range(7):
            small.exp()
    assert (shadow.met["exp"], shadow.compared["exp"]) == (7, 3)
    with Shadow(DEVICE, largest=10, folder=str(tmp_path)) as shadow:
        small.exp()
        large.exp()
        large[:2].exp()  # its storage is large
        gn.zeros(11)
    assert shadow.compared["exp"] == 1 and shadow.too_large["exp"] == 2
    assert "have tensors of more than 10 elements" in shadow.summary()


def test_other_devices_are_left_alone(tmp_path: Path) -> None:
    with Shadow(DEVICE, folder=str(tmp_path)) as shadow:
        gn.ones(2, device="reference").exp()
    assert "exp" not in shadow.met


# The commands, in subprocesses, on a backend with two kernels.


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with the backend ``hello`` and ``sour``, whose neg is wrong, both found by entry points."""
    (tmp_path / "gnomon_sour.py").write_text(
        "from gnomon_hello import Hello, neg\n\n\ndef sour(iterator):\n    neg(iterator)\n"
        "    out = iterator.tensor(0)\n"
        "    out.dtype.writer(out.untyped_storage().memory._bytes)(out.storage_offset(), 9)\n\n\n"
        "class Sour(Hello):\n    name = device_type = 'sour'\n    kernels = {'neg': sour}\n"
        "    capabilities = {'neg': None}\n"
    )
    for name, target in (("hello", "gnomon_hello:Hello"), ("sour", "gnomon_sour:Sour")):
        information = tmp_path / f"gnomon_{name}-1.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gnomon_{name}\nVersion: 1\n")
        (information / "entry_points.txt").write_text(f"[gnomon.backends]\n{name} = {target}\n")
    (tmp_path / "program.py").write_text(
        "import sys\nimport gnomon as gn\nprint(sys.argv[1:], (-gn.ones(2)).tolist(), gn.ones(2).device)\n"
    )
    return tmp_path


def run(home: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = [str(each) for each in (home, ROOT / "reference", ROOT / "conformance", HELLO)]
    given = {"PYTHONPATH": os.pathsep.join(path), "GNOMON_FALLBACK": "allow", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        cwd=home,
        env={**os.environ, **given, **variables},
        timeout=1800,
    )


@pytest.mark.slow
def test_the_command(home: Path) -> None:
    good = run(home, "-m", "gnomon.cli", "shadow", "--backend", "hello", "program.py", "an", "--argument")
    assert good.returncode == 0, good.stderr
    assert good.stdout == "['an', '--argument'] [-1.0, -1.0] hello\n"
    assert "no difference" in good.stderr
    bad = run(home, "-m", "gnomon.cli", "shadow", "--backend", "sour", "--folder", "found", "program.py")
    assert bad.returncode == 1 and bad.stdout == ""
    assert "neg, float32" in bad.stderr and (home / "found" / "test_shadow_neg.py").is_file()
    again = run(
        home, "-m", "pytest", "-q", "-p", "gnomon_conformance.plugin", "found", "--gnomon-backend", "sour"
    )
    assert again.returncode == 1 and "test_neg" in again.stdout, again.stdout + again.stderr


def test_the_variable(home: Path) -> None:
    good = run(home, "program.py", GNOMON_BACKEND="hello", GNOMON_SHADOW="reference")
    assert good.returncode == 0 and "no difference" in good.stderr, good.stderr
    bad = run(home, "program.py", GNOMON_BACKEND="sour", GNOMON_SHADOW="reference")
    assert bad.returncode == 1 and "ShadowDifference" in bad.stderr and "the last one differs" in bad.stderr
    wrong = run(home, "program.py", GNOMON_BACKEND="hello", GNOMON_SHADOW="c")
    assert wrong.returncode == 1 and "GNOMON_SHADOW: expected 'reference', got 'c'" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--backend", "hello", "--every", "0", "program.py"], "--every: expected at least 1, got 0"),
        (["--backend", "meta", "program.py"], "--backend: tensors on 'meta' have no data to compare"),
        (["--backend", "nobody", "program.py"], "nobody"),
        (["--backend", "hello", "none.py"], "does not exist"),
    ],
)
def test_wrong_commands(home: Path, arguments: list[str], text: str) -> None:
    done = run(home, "-m", "gnomon.cli", "shadow", *arguments)
    assert done.returncode == 2 and text in done.stderr
