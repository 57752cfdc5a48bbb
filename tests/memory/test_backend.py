"""memory/backend.py: discovery, the default device, and plug-ins that fail."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends import listing
from gnomon.memory import backend as registry
from gnomon.memory import plug_ins
from gnomon.values.errors import BackendUnavailableError
from time_limits import LIMIT


def run(program: str, path: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new interpreter, with ``path`` first in its module search path."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith("GNOMON_")}
    settings.update(environment)
    if path is not None:
        settings["PYTHONPATH"] = os.pathsep.join([str(path), settings.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env=settings,
        timeout=LIMIT,
    )


def install_plug_in(folder: Path, name: str, source: str) -> None:
    """Write a distribution with one module and one entry point, as pip would install it."""
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


def test_the_first_operator_reads_no_metadata_of_distributions() -> None:
    finished = run(
        """
        import sys
        import gnomon as gn
        before = set(sys.modules)
        gn.ones(1) + 1
        print(sorted({each.partition(".")[0] for each in set(sys.modules) - before} & {"importlib", "email"}))
        print("importlib.metadata" in set(sys.modules) - before)
        """
    )
    assert finished.stdout == "[]\nFalse\n", finished.stdout + finished.stderr


def test_what_is_shipped_is_what_the_distribution_offers() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    section = text.partition('[project.entry-points."gnomon.backends"]\n')[2].partition("\n\n")[0]
    offered = [line.replace('"', "").split(" = ") for line in section.splitlines()]
    shipped = [[each.name, f"{each.module}:{each.attribute}"] for each in plug_ins.SHIPPED.values()]
    assert offered == shipped


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
        from gnomon.numerics.loops import pointwise

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
        from gnomon_conformance.execution.instrumentation import native_runs
        with gn.device("tiny"):
            x = gn.tensor([1.0, 2.0])
            with native_runs() as runs:
                print((-x).tolist(), x.exp()[0].item() > 2.7)
            print(runs["tiny", "neg"], gn.fallbacks["tiny", "exp"], gn.fallbacks["tiny", "neg"])
            (-x.double()).tolist()
            print(gn.fallbacks["tiny", "neg"])  # not claimed for float64
        """
    finished = run(program, tmp_path)
    assert finished.stdout.splitlines() == ["[-1.0, -2.0] True", "1 1 0", "1"], finished.stderr
    assert finished.stderr.count("exp: backend 'tiny' has no kernel for this call") == 1
    refused = run(program, tmp_path, GNOMON_FALLBACK="error")
    assert "exp: backend 'tiny' has no kernel" in refused.stderr and refused.returncode != 0
    nonsense = run(program, tmp_path, GNOMON_FALLBACK="maybe")
    assert "GNOMON_FALLBACK must be one of error, warn, allow; got 'maybe'" in nonsense.stderr
    empty = run(program, tmp_path, GNOMON_FALLBACK="")
    assert (empty.returncode, empty.stdout) == (0, finished.stdout), empty.stderr


def test_devices_are_values() -> None:
    assert gn.device("c") is gn.device("c") and gn.device("c", 1) is gn.device("c:1")
    assert repr(gn.device("c:1")) == "device(type='c', index=1)" and str(gn.device("c")) == "c"
    for wrong in ("", "c:x", ":0", "1c", "c:01", "c:", "c:²"):
        with pytest.raises(RuntimeError, match="Invalid device string"):
            gn.device(wrong)
    with pytest.raises(RuntimeError, match="must not include an index"):
        gn.device("c:0", 1)
    with pytest.raises(TypeError, match="must be str, device or int"):
        gn.device(3.0)
    with pytest.raises(RuntimeError, match="device 'reference:2' does not exist"):
        gn.ones(1, device="reference:2")


def test_mixing_devices_is_refused() -> None:
    with pytest.raises(RuntimeError, match="add: Expected all tensors to be on the same device"):
        gn.ones(1, device="reference") + gn.ones(1, device="meta")
    with pytest.raises(RuntimeError, match="cat: Expected all tensors to be on the same device"):
        gn.cat([gn.ones(1, device="reference"), gn.ones(1, device="meta")])


RIGHT = """
    from gnomon.memory.backend import ReferenceBackend
    class Made(ReferenceBackend):
        name = device_type = "{name}"
        {line}
    backend = Made
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "source, reason",
    [
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise BaseException('stop')", "BaseException: stop"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("backend = 3", "ValueError: entry point 'odd' must refer to a backend of that name, got 3"),
        ("def backend(): raise SystemExit", "SystemExit"),
        ("def backend(): return None", "must refer to a backend of that name, got None"),
        (RIGHT.format(name="other", line=""), "must refer to a backend of that name, got 'other'"),
        (RIGHT.format(name="odd", line="speed_rank = 'zz'"), "speed_rank must be an int, got str 'zz'"),
        (RIGHT.format(name="odd", line="device_type = 'c'"), "device_type 'c' is already used by 'c'"),
        (RIGHT.format(name="odd", line="is_available = lambda self: exit(3)"), "SystemExit: 3"),
        (RIGHT.format(name="odd", line="is_available = lambda self: True"), "TypeError"),
    ],
)
def test_a_plug_in_that_misbehaves_is_a_reason_and_nothing_else(
    tmp_path: Path, source: str, reason: str
) -> None:
    install_plug_in(tmp_path, "odd", source)
    finished = run(
        """
        import gnomon as gn
        before = gn.ones(2).device
        print(gn.backends()["odd"].available, gn.backends()["odd"].reason)
        try:
            gn.ones(1, device="odd")
        except gn.BackendUnavailableError as error:
            print(error)
        print(gn.ones(2).device == before)
        """,
        tmp_path,
    )
    listed, refused, same = finished.stdout.splitlines()
    assert listed.startswith("False ") and reason in listed, finished.stderr
    assert "backend 'odd' is not available" in refused and reason in refused
    assert same == "True"
    asked = run("import gnomon as gn; print(gn.ones(1).device)", tmp_path, GNOMON_BACKEND="odd")
    assert asked.stdout.strip() == "reference" and asked.stderr.count("'odd' is not available") == 1


def test_a_device_count_that_is_no_number_is_told_when_the_device_is_asked_for(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "odd", RIGHT.format(name="odd", line="device_count = lambda self: 'two'"))
    finished = run("import gnomon as gn; gn.ones(1, device='odd')", tmp_path)
    assert "device_count must be a positive int, got 'two'" in finished.stderr


def test_a_plug_in_of_a_later_version_is_a_reason_and_nothing_else(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "odd", RIGHT.format(name="odd", line="contract_version = (7, 0)"))
    finished = run(
        """
        import gnomon as gn
        print(gn.backends()["odd"].available, gn.backends()["odd"].reason)
        print(gn.ones(1, device="reference").item())
        """,
        tmp_path,
    )
    said, number = finished.stdout.splitlines()
    assert said.startswith("False ") and "for version 7.0 of the contract" in said, finished.stderr
    assert number == "1.0"


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit", "GeneratorExit", "OSError"])
@pytest.mark.parametrize(
    "method, text",
    [
        ("device_count", "backend 'odd' is not available: device_count must be a positive int, got {}: no"),
        ("is_available", "backend 'odd' is not available: {}: no"),
    ],
)
def test_what_a_plug_in_raises_when_it_is_asked_is_a_reason(
    tmp_path: Path, error: str, method: str, text: str
) -> None:
    line = f"""
        def {method}(self): raise {error}('no')"""
    install_plug_in(tmp_path, "odd", RIGHT.format(name="odd", line=line))
    finished = run(
        """
        import gnomon as gn
        for _ in range(2):
            try:
                gn.ones(1, device="odd")
            except gn.BackendUnavailableError as error:
                print(error)
        """,
        tmp_path,
    )
    assert finished.stdout.splitlines() == [f"empty: {text.format(error)}"] * 2, finished.stderr
    asked = run("import gnomon as gn; print(gn.ones(1).device)", tmp_path, GNOMON_BACKEND="odd")
    assert asked.stdout.strip() == "reference" and asked.stderr.count("'odd' is not available") == 1


def test_a_plug_in_is_imported_only_when_it_is_named(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "eager", RIGHT.format(name="eager", line="speed_rank = 10**9"))
    finished = run(
        """
        import sys
        import gnomon as gn
        gn.set_num_threads(2)
        (gn.ones(2) + gn.ones(2, device="cpu")).sum().item()
        gn.accelerator.empty_cache()
        gn.get_num_threads()
        with gn.profiler.profile() as profile:
            gn.ones(2).exp()
        print(gn.ones(1).device.type, "eager_plug_in" in sys.modules)
        print(gn.backends()["eager"].available, "eager_plug_in" in sys.modules)
        print(gn.ones(1, device="eager").device, "eager_plug_in" in sys.modules)
        """,
        tmp_path,
    )
    default, listed, named = (line.split() for line in finished.stdout.splitlines())
    assert default[0] in registry.shipped_backend_names() and default[1] == "False", finished.stderr
    assert listed == ["True", "False"] and named == ["eager", "True"]
    chosen = run("import gnomon as gn; print(gn.ones(1).device)", tmp_path, GNOMON_BACKEND="eager")
    assert chosen.stdout.strip() == "eager"


def test_a_plug_in_that_never_ends_its_import_is_ended(tmp_path: Path) -> None:
    install_plug_in(
        tmp_path,
        "endless",
        """
        import subprocess, sys, threading
        subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
        threading.Event().wait()
        """,
    )
    listed = run("from gnomon.cli import main; main(['backends', '--seconds', '2'])", tmp_path)
    row = next(line for line in listed.stdout.splitlines() if line.startswith("endless"))
    assert "its import did not finish within 2 seconds" in row
    assert run("import gnomon as gn; print(gn.ones(1).item())", tmp_path).stdout == "1.0\n"


def test_a_plug_in_that_kills_its_process_is_listed_with_the_signal(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "crash", "import os; print('said'); os.kill(os.getpid(), 11)")
    listed = run("from gnomon.cli import main; main(['backends'])", tmp_path)
    row = next(line for line in listed.stdout.splitlines() if line.startswith("crash"))
    assert "the process that imported it ended with signal 11" in row and "said" not in listed.stdout


def test_a_name_that_two_distributions_offer_is_refused_with_both_named(tmp_path: Path) -> None:
    for folder, owner in (("first", "alpha"), ("second", "Beta.Tools")):
        place = tmp_path / folder
        place.mkdir()
        install_plug_in(place, "both", RIGHT.format(name="both", line=""))
        metadata = (place / "both_plug_in-1.0.dist-info").rename(place / f"{owner}-1.0.dist-info")
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {owner}\nVersion: 1.0\n")
    program = """
        import sys
        sys.path[:0] = {paths}
        import gnomon as gn
        print(gn.backends()["both"].reason)
        try:
            gn.ones(1, device="both")
        except gn.BackendUnavailableError as error:
            print(error)
        print("both_plug_in" in sys.modules)
        """
    for order in (("first", "second"), ("second", "first")):
        finished = run(program.format(paths=[str(tmp_path / folder) for folder in order]))
        reason = "provided by alpha 1.0 and by beta-tools 1.0; uninstall one of them"
        assert finished.stdout.splitlines() == [
            reason,
            f"empty: backend 'both' is not available: {reason}",
            "False",
        ], finished.stderr


@pytest.mark.parametrize("name", ["c", "reference", "meta"])
def test_a_name_of_gnomons_own_stays_its_own(tmp_path: Path, name: str) -> None:
    install_plug_in(tmp_path, name, "raise SystemError('loaded')")
    finished = run(
        f"""
        import sys
        import gnomon as gn
        print(gn.ones(2, device="{name}").device, gn.backends()["{name} (of {name}-plug-in 1.0)"].reason)
        print("{name}_plug_in" in sys.modules)
        """,
        tmp_path,
    )
    assert finished.stdout.splitlines() == [
        f"{name} {name}-plug-in 1.0 provides '{name}', a name reserved by gnomon",
        "False",
    ], finished.stderr


def test_an_interrupt_while_a_plug_in_is_imported_is_the_users(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "slow", "import signal; signal.raise_signal(signal.SIGINT)")
    finished = run(
        """
        import signal
        import gnomon as gn
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has none
        handler = signal.getsignal(signal.SIGINT)
        try:
            gn.ones(1, device="slow")
        except KeyboardInterrupt:
            print("interrupted", signal.getsignal(signal.SIGINT) is handler)
        print(gn.ones(1).item())
        """,
        tmp_path,
    )
    assert finished.stdout.splitlines() == ["interrupted True", "1.0"], finished.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("where", ["import", "is_available"])
def test_a_fork_waits_for_the_first_use_in_another_thread(tmp_path: Path, where: str) -> None:
    """A child that is forked while its parent imports a module would wait for that import forever."""
    (tmp_path / "half_way.py").write_text(
        "import __main__\n__main__.entered.set()\n__main__.forking.wait()\nfor _ in range(2_000_000): pass\n"
    )
    source = RIGHT.format(name="late", line="is_available = lambda self: (__import__('half_way'), '')")
    install_plug_in(tmp_path, "late", source)
    if where == "import":
        (tmp_path / "late_plug_in.py").write_text("import half_way\n" + textwrap.dedent(source))
    finished = run(
        """
        import os, signal, threading
        import gnomon as gn
        entered, forking = threading.Event(), threading.Event()
        os.register_at_fork(before=forking.set)  # runs before those that were registered before
        thread = threading.Thread(target=lambda: gn.ones(1, device="late"))
        thread.start()
        entered.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # ends a child that waits for ever
            os._exit(0 if gn.ones(1, device="late").item() == 1 else 3)
        print(os.waitpid(child, 0)[1])
        thread.join()
        """,
        tmp_path,
        GNOMON_FALLBACK="allow",
    )
    assert finished.stdout == "0\n", finished.stderr


def test_threads_that_were_asked_for_are_those_of_a_plug_in_loaded_later(tmp_path: Path) -> None:
    line = "set_num_threads = lambda self, count: print('threads', count)"
    install_plug_in(tmp_path, "later", RIGHT.format(name="later", line=line))
    finished = run("import gnomon as gn; gn.set_num_threads(2); gn.ones(1, device='later')", tmp_path)
    assert finished.stdout == "threads 2\n", finished.stderr


def test_the_alias_cpu_is_the_fastest_host_backend_that_ships_with_gnomon() -> None:
    shipped = [gn.backends()[name] for name in registry.shipped_backend_names()]
    fastest = max(
        (info for info in shipped if info.available and info.host_memory),
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


@pytest.mark.parametrize(
    ("operator", "place"),
    [
        ("exp", "ops/pointwise/elementary.py"),
        ("where.self", "ops/pointwise/compare.py"),
        ("maximum", "ops/"),
        ("amax", "ops/reductions/reduce.py"),
        ("floor", "ops/pointwise/arithmetic.py"),
        ("copy_", "ops/views/copy.py"),
    ],
)
def test_the_reference_names_the_record_of_a_kernel(operator: str, place: str) -> None:
    """Many kernels share the same loop, but each has its own record."""
    source = registry.reference_backend.kernel_source(operator)
    file, _, line = source.rpartition(":")
    assert file.startswith(place)
    text = (Path(gn.__file__).parent / file).read_text().splitlines()
    name = operator.partition(".")[0].rstrip("_")
    assert any(name in each for each in text[int(line) - 1 : int(line) + 2]), source


def test_no_two_families_share_the_place_of_a_kernel() -> None:
    places = {registry.reference_backend.kernel_source(name) for name in registry.reference_backend.kernels}
    assert not any(each.startswith(("calls/", "numerics/")) for each in places), places


@pytest.mark.parametrize("broken", ["entry_points", "metadata"])
def test_metadata_that_can_not_be_read_takes_nothing_from_other_plug_ins(tmp_path: Path, broken: str) -> None:
    install_plug_in(tmp_path, "right", RIGHT.format(name="right", line=""))
    install_plug_in(tmp_path, "odd", RIGHT.format(name="odd", line=""))
    folder = tmp_path / "odd_plug_in-1.0.dist-info"
    if broken == "entry_points":
        (folder / "entry_points.txt").write_text("[gnomon.backends]\n[x\n")
    else:
        (folder / "METADATA").unlink()
    program = (
        "import gnomon as gn; print(gn.ones(2, device='right').device.type); print(sorted(gn.backends()))"
    )
    finished = run(program, tmp_path, GNOMON_FALLBACK="allow")
    first, names = finished.stdout.splitlines()
    assert first == "right" and "'right'" in names, finished.stderr
    assert ("odd-plug-in 1.0" in names) == (broken == "entry_points")
    assert ("'odd'" in names) == (broken == "metadata")


def test_lines_that_name_nothing_are_listed_by_their_distribution(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "right", RIGHT.format(name="right", line=""))
    lines = ["what is this", "no colon = 3x y", "= nothing", "x:y = z:w", "bad=", "\x1b[31mred = a:b"]
    lines += ["cpu = a:b", "right = other:backend"]
    with open(tmp_path / "right_plug_in-1.0.dist-info" / "entry_points.txt", "a") as file:
        file.write("# a comment\n\n" + "\n".join(lines) + "\n[console_scripts]\nanother = of:somebody\n")
    finished = run(
        """
        import gnomon as gn
        print(gn.ones(2, device="right").device.type)
        listed = gn.backends()
        ours = ["c", "cuda", "hello", "jax", "meta", "numpy", "reference", "torch"]
        print(sorted(set(listed).difference(ours)))
        print(listed["right"].available, listed["right-plug-in 1.0"].available)
        print(listed["right-plug-in 1.0"].reason)
        """,
        tmp_path,
        GNOMON_FALLBACK="allow",
    )
    first, names, available, reason = finished.stdout.splitlines()
    assert (first, names, available) == ("right", "['right', 'right-plug-in 1.0']", "True False")
    invalid = f"invalid entry points {', '.join(map(repr, lines))}"
    assert reason == f"{invalid}; expected lines NAME = MODULE:ATTRIBUTE with different names"


def test_a_reason_is_no_longer_than_somebody_reads(tmp_path: Path) -> None:
    install_plug_in(tmp_path, "wordy", "raise ImportError('a' * 10**6)\n")
    finished = run("import gnomon as gn; gn.ones(1, device='wordy')", tmp_path)
    assert "ImportError: aaa" in finished.stderr and len(finished.stderr) < 10_000


def test_a_shadow_that_no_package_offers_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plug_ins, "offered", lambda group: {})
    monkeypatch.setattr(registry, "_shadow_is_due", True)
    for _ in range(2):  # it is due until it is started
        with pytest.raises(RuntimeError, match="GNOMON_SHADOW requires additional packages"):
            registry._start_shadow()


def test_facts_are_those_of_whoever_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise ImportError("it needs more")

    offers = {"one": SimpleNamespace(load=broken), "two": SimpleNamespace(load=lambda: lambda: {"add": 1})}
    monkeypatch.setattr(listing, "offered", lambda group: offers if group == "gnomon.facts" else {})
    assert listing.recorded_facts() == {"add": 1}
    del offers["two"]
    assert listing.recorded_facts() == {}
