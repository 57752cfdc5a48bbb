"""memory/backend.py: discovery, the default device, and plug-ins that fail."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import gnomon as gn
from gnomon.memory import backend as registry
from gnomon.values.errors import BackendUnavailableError


def run(program: str, path: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh interpreter, with ``path`` in front of its module search path."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith("GNOMON_")}
    settings.update(environment)
    if path is not None:
        settings["PYTHONPATH"] = os.pathsep.join([str(path), settings.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env=settings,
    )


def install_plug_in(folder: Path, name: str, source: str) -> None:
    """A distribution with one module and one entry point, as pip would leave it in site-packages."""
    (folder / f"{name}_plug_in.py").write_text(textwrap.dedent(source))
    metadata = folder / f"{name}_plug_in-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-plug-in\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[gnomon.backends]\n{name} = {name}_plug_in:backend\n")


def test_a_misspelt_backend_names_the_nearest() -> None:
    for text in ("refrence", "referense"):
        with pytest.raises(BackendUnavailableError, match="did you mean 'reference'"):
            gn.set_default_device(text)
    finished = run("import gnomon as gn; gn.ones(1)", GNOMON_BACKEND="referance")
    assert finished.returncode != 0
    assert "unknown backend 'referance'; did you mean 'reference'?" in finished.stderr


def test_the_environment_chooses_the_default_device() -> None:
    for name in ("reference", "meta"):
        finished = run("import gnomon as gn; print(gn.ones(2).device)", GNOMON_BACKEND=name)
        assert finished.stdout.strip() == name, finished.stderr


def test_set_default_device_and_with_device_nest() -> None:
    with gn.device("meta"):
        assert gn.ones(1).device.type == "meta"
        with gn.device("reference"):
            assert gn.ones(1).device.type == "reference"
        assert gn.ones(1).device.type == "meta"
        assert gn.ones(1, device="reference").device.type == "reference"
    finished = run(
        """
        import gnomon as gn
        gn.set_default_device("meta")
        print(gn.ones(1).device, gn.get_default_device())
        with gn.device("reference"):
            print(gn.ones(1).device)
        gn.set_default_device("reference")
        print(gn.tensor([1]).device)
        """
    )
    assert finished.stdout.split() == ["meta", "meta", "reference", "reference"], finished.stderr


def test_importing_opens_nothing_and_prints_nothing(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "loud", "raise SystemError('loaded')")
    finished = run(
        """
        import sys
        import gnomon
        heavy = {"numpy", "gnomon_c", "gnomon_c._native", "cffi", "_cffi_backend", "loud_plug_in"}
        print("heavy:", sorted(heavy & set(sys.modules)))
        """,
        tmp_path,
    )
    assert finished.stdout == "heavy: []\n" and finished.stderr == ""


def test_a_plug_in_that_raises_leaves_gnomon_importable_and_is_listed(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "broken", "raise OSError('libbroken.so: no such file')")
    finished = run(
        """
        import gnomon as gn
        print(gn.ones(2).sum().item())
        info = gn.backends()["broken"]
        print(info.available, info.reason)
        try:
            gn.ones(1, device="broken")
        except gn.BackendUnavailableError as error:
            print(error)
        """,
        tmp_path,
    )
    assert finished.stdout.splitlines() == [
        "2.0",
        "False OSError: libbroken.so: no such file",
        "empty: backend 'broken' is not available: OSError: libbroken.so: no such file",
    ], finished.stderr
    listed = run("from gnomon.cli import main; main(['backends'])", tmp_path)
    row = next(line for line in listed.stdout.splitlines() if line.startswith("broken"))
    assert "no" in row.split() and "libbroken.so: no such file" in row


def test_an_unavailable_backend_asked_for_by_the_environment_warns_once_and_runs(tmp_path: Path) -> None:
    install_plug_in(
        tmp_path,
        "absent",
        """
        from gnomon.memory.backend import Backend

        class Absent(Backend):
            name = device_type = "absent"

            def is_available(self):
                return False, "there is no such hardware"

        backend = Absent()
        """,
    )
    finished = run(
        "import gnomon as gn; print(gn.ones(1).device, gn.zeros(1).device)", tmp_path, GNOMON_BACKEND="absent"
    )
    assert finished.stdout.strip() == "reference reference"
    assert finished.stderr.count("backend 'absent' is not available: there is no such hardware") == 1


def test_a_plug_in_runs_its_kernels_and_falls_back_by_policy(tmp_path: Path) -> None:
    install_plug_in(
        tmp_path,
        "tiny",
        """
        from gnomon.memory.backend import ReferenceBackend
        from gnomon.kit.loops import pointwise

        class Tiny(ReferenceBackend):
            name = device_type = "tiny"

            def __init__(self):
                self.kernels = {"neg": pointwise(lambda a: -a)}
                self.capabilities = {"neg": ("float32",)}

        backend = Tiny
        """,
    )
    program = """
        import gnomon as gn
        from gnomon.kit import launch
        with gn.device("tiny"):
            x = gn.tensor([1.0, 2.0])
            with launch.counting_native_runs() as runs:
                print((-x).tolist(), x.exp()[0].item() > 2.7)
            print(runs["tiny", "neg"], gn.fallbacks["tiny", "exp"], gn.fallbacks["tiny", "neg"])
            (-x.double()).tolist()
            print(gn.fallbacks["tiny", "neg"])  # not claimed for float64
        """
    finished = run(program, tmp_path)
    assert finished.stdout.splitlines() == ["[-1.0, -2.0] True", "1 1 0", "1"], finished.stderr
    assert finished.stderr.count("exp: backend 'tiny' has no kernel for it") == 1
    refused = run(program, tmp_path, GNOMON_FALLBACK="error")
    assert "exp: backend 'tiny' has no kernel" in refused.stderr and refused.returncode != 0
    nonsense = run(program, tmp_path, GNOMON_FALLBACK="maybe")
    assert "GNOMON_FALLBACK must be one of error, warn, allow; got 'maybe'" in nonsense.stderr


def test_devices_are_values() -> None:
    assert gn.device("c") is gn.device("c") and gn.device("c", 1) is gn.device("c:1")
    assert repr(gn.device("c:1")) == "device(type='c', index=1)" and str(gn.device("c")) == "c"
    for wrong in ("", "c:x", ":0", "1c"):
        with pytest.raises(RuntimeError, match="Invalid device string"):
            gn.device(wrong)
    with pytest.raises(RuntimeError, match="must not include an index"):
        gn.device("c:0", 1)
    with pytest.raises(TypeError, match="must be str or device"):
        gn.device(3)
    with pytest.raises(RuntimeError, match="device 'reference:2' does not exist"):
        gn.ones(1, device="reference:2")


def test_mixing_devices_is_refused() -> None:
    with pytest.raises(RuntimeError, match="add: Expected all tensors to be on the same device"):
        gn.ones(1, device="reference") + gn.ones(1, device="meta")
    with pytest.raises(RuntimeError, match="cat: Expected all tensors to be on the same device"):
        gn.cat([gn.ones(1, device="reference"), gn.ones(1, device="meta")])


def test_the_alias_cpu_is_the_fastest_host_backend() -> None:
    fastest = max(
        (info for info in gn.backends().values() if info.available and info.host_memory),
        key=lambda info: registry.get_backend(info.name).speed_rank,
    )
    assert gn.ones(1, device="cpu").device.type == fastest.device_type


@pytest.mark.skipif(
    not os.environ.get("CI"), reason="a compiler and all backends are there only for sure in CI"
)
@pytest.mark.parametrize("name", ["c", "numpy"])
def test_ci_has_the_backends_whose_tests_are_skipped_without_them(name):
    found = gn.backends()[name]
    assert found.available, found
