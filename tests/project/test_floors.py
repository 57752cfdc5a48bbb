"""The floors: a file imports only from lower floors and from the standard library, except for what is listed
here with its reason; there are no import cycles, and a floor calls a higher one only through the listed
hooks.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import gnomon
from gnomon.values import late_bound
from gnomon.values.late_bound import LATE_BOUND

ROOT = Path(gnomon.__file__).parent
TOOLS = Path(__file__).parents[2] / "tools"
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
sys.path.insert(0, str(TOOLS))
try:
    import floors
finally:
    sys.path.remove(str(TOOLS))
FLOORS = floors.FLOORS
INTERFACE = 6
CORE = frozenset(room for room, floor in FLOORS.items() if floor < INTERFACE)
SEALED = frozenset({"ops"})  # files there never import each other; only the room's __init__ imports them

# Imports from a higher floor, all inside functions: public names that few programs use.
LATE = {
    ("bindings", "func"),  # gnomon.vmap
    ("bindings", "array_api"),  # Tensor.__array_namespace__
    ("utils", "distributed"),  # DistributedSampler, which asks the process group
    ("utils", "nn"),  # gnomon.utils.mkldnn, which replaces modules
    ("utils", "library"),  # gnomon.utils.load_inline, which makes operators
    ("utils", "hub"),  # the old name of gnomon.hub.load_state_dict_from_url
}

# The most files that may be at the top of the package; all others are in rooms.
MOST_LOOSE_FILES = 5

# Registrations that files make when they are imported, and that a file below keeps: kernels for a dispatch
# key, as in PyTorch (aten/src/ATen/core/dispatch/Dispatcher.h, registerFallback), and callbacks that clear
# caches. Everything else that a file provides to one below goes through values/late_bound.py.
REGISTRATIONS = {
    "autograd.variable_type: register_boxed_fallback": "the kernels of Autograd and ADInplaceOrView",
    "autograd.forward_kernel: register_boxed_fallback": "the kernel of ForwardAD",
    "dispatch.python_dispatch: register_boxed_fallback": "the kernel of Python",
    "func.batching: register_boxed_fallback": "the kernel of Batched",
    "quantized.registration: register_boxed_fallback": "the kernel of Quantized",
    "autograd.user_operators: register_default": "what autograd does with operators of users",
    "func.batching_rules: set_rules": "(the same room) vmap's rules, to the kernel that looks them up",
    "calls.launch: on_forget": "prepared copies",
    "calls.running: on_forget": "what meta functions said, and prepared calls",
}

# Third-party packages, imported inside functions when they are needed, and never on import.
THIRD_PARTY = {
    "learn.exercises.skeletons.framework": {"gnomon_conformance"},  # which marks it
    "learn.report": {"rich"},  # explanations in a terminal
    "learn.exercises.command": {"rich"},  # words in color
    "utils.inline": {"cffi"},  # kernels in C that a program brings
    # MPI, where several ranks are used
    "distributed.debug": {"mpi4py"},
    "distributed.described_messages": {"mpi4py"},
    "distributed.mpi": {"mpi4py"},
    "distributed.mpi_datatypes": {"mpi4py"},
    "distributed.process_group": {"mpi4py"},
    "interop.pytorch": {"torch"},  # exchange of tensors with PyTorch
    "interop.dlpack_layout": {"numpy"},  # the owner of a capsule without the C speedups
    "interop.einops": {"einops"},  # a subclass of its AbstractBackend
    "interop.numpy": {"numpy"},  # numpy() and from_numpy; arrays over other libraries' memory
    "demo.command": {"matplotlib", "rich"},  # the curves; the table and the bar
    "demo.picture": {"matplotlib"},  # the picture of the digits
    "serialization.progress": {"rich"},
    "serialization.safetensors_files": {"safetensors"},
    # what is logged, and the messages in which it is
    "utils.benchmark.fuzzer": {"numpy"},  # whose random numbers PyTorch uses
    "utils.tensorboard.__init__": {"tensorboard"},
    "utils.tensorboard.images": {"matplotlib", "numpy"},
    "utils.tensorboard.summary": {"PIL", "google", "numpy", "tensorboard"},
    "utils.tensorboard.writer": {"PIL", "google", "numpy", "tensorboard"},
}
# The same for modules of the standard library that access raw memory.
CTYPES = {
    "interop.host_memory",  # the bytes at an address
    "interop.numpy",  # the address of a buffer that an array exports
    "memory.backend",  # the address of a bytearray
    "multiprocessing.spawn",  # a call of the system: prctl
}
# Files of such modules only, which nothing imports when gnomon is imported.
CTYPES_ON_IMPORT = {"interop.dlpack_layout"}
# Imports by a name that is computed at run time.
IMPORTED_BY_NAME = {
    "__init__": {"f'.{name}'", "f'.{_LAZY_PARTS[name]}'"},  # lazy attributes
    "backends.__init__": {"f'.{name}'"},  # lazy attributes
    "compat.__main__": {"f'{_ALIAS}.{name}'"},  # PyTorch's modules, which a program names
    "values.module_finder": {"f'{found.__name__}.{part}'"},  # the modules of devices, and PyTorch's names
    "hub.__init__": {
        "'hubconf'",
        "each",
        "module",
    },  # a user's file, and whether the packages that it needs are there
    "kit.__init__": {"f'gnomon.{_new}'"},  # old names
    "memory.backend": {"name"},  # a backend's device module, such as gnomon.cuda
    "memory.plug_ins": {"self.module"},  # a backend
    "utils.inline": {"module", "found"},  # what cffi has made of a program's functions in C
    "values.speedups": {"'gnomon_speedups'"},  # the C speedups, and nowhere else
    "learn.exercises.marking": {"f'exercise_{exercise.id}'", "spec", "module"},  # a reader's file
}
# Our own packages above this one that it imports, by that name, as above.
PACKAGES_ABOVE = {
    "values.errors": {"gnomon_speedups"},  # whose frames are not the user's
    "values.speedups": {"gnomon_speedups"},
}
# Text that is executed as code.
EVALUATED = {
    "compat.__main__": {"exec", "compile"},  # the text of `python -m gnomon.compat -c`
    "learn.command": {"eval", "exec", "compile"},  # the expression and the statements of `gnomon explain`
    "library.annotations": {"eval"},  # a user's own annotations, which Python keeps as text
    "learn.exercises.chapter_13": {"exec"},  # the text of a function that a reader's program writes
    "learn.drawing": {"compile", "eval", "exec"},  # the expression and the statements of `gnomon draw`
    "learn.view.view": {"compile", "eval", "exec"},  # the expression and the statements of `gnomon view`
    "learn.walk": {"compile", "exec"},  # the statement that a user asks about
}
# Files that show lines of a user's program, by ``linecache``.
SKELETONS = "learn.exercises.skeletons."  # a reader's files, of which gnomon imports none
SOURCES = {"learn.trace", "learn.exercises.comparing", "learn.exercises.marking"}
FILES = {".py", ".pyi", ".typed"}  # the files that the package consists of, apart from the demo's data
PAGE_FILES = {".css", ".html", ".js"}  # and those of the page of `gnomon view`


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text())


def modules() -> dict[str, Path]:
    """Every module of the package by dotted name, without the leading ``gnomon.``."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts)] = path
    return found


def imports_of(name: str, path: Path) -> list[str]:
    """Dotted names that a file imports, with relative imports resolved to ``gnomon.``.

    They include the imports inside functions.
    """
    package = name.split(".")[:-1]
    found = []
    tree = tree_of(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                found.append(node.module or "")
                continue
            base = package[: len(package) - node.level + 1]
            target = [*base, *(node.module.split(".") if node.module else [])]
            found.append("gnomon." + ".".join(target))
            # `from . import views` imports a module, not a name
            found.extend("gnomon." + ".".join([*target, alias.name]) for alias in node.names)
    return found


def floor_of(name: str) -> int:
    """The floor of a module. Raises KeyError for a room that is on no floor."""
    return FLOORS[name.split(".")[0]]


def is_in_function(tree: ast.Module) -> set[int]:
    """The ids of the nodes inside functions."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    functions = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return {id(inner) for function in functions for inner in ast.walk(function) if inner is not function}


def for_types_only(tree: ast.Module) -> set[int]:
    """The ids of the nodes that only type checkers read."""
    conditions = [each for each in ast.walk(tree) if isinstance(each, ast.If)]
    for_types = [each for each in conditions if "TYPE_CHECKING" in ast.dump(each.test)]
    return {id(inner) for each in for_types for inner in ast.walk(each)}


def module_named(imported: str, files: dict[str, Path]) -> str | None:
    """The module of gnomon that an import names; None for a name in a module, which is listed itself."""
    target = imported.removeprefix("gnomon").removeprefix(".")
    for name in (target, f"{target}.__init__" if target else "__init__"):
        if name in files:
            return name
    return None


def imported_at_import(name: str, path: Path, files: dict[str, Path]) -> set[str]:
    """The modules that a file imports when it is imported itself."""
    tree = tree_of(path)
    skipped = is_in_function(tree) | for_types_only(tree)
    found = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {module_named(alias.name, files) for alias in node.names if alias.name[:6] == "gnomon"}
        elif isinstance(node, ast.ImportFrom):
            base = name.split(".")[: -node.level] if node.level else []
            target = ".".join([*base, *(node.module.split(".") if node.module else [])])
            if node.level or target.split(".")[0] == "gnomon":
                # `from . import views` imports a module, and nothing of the package's own file
                found |= {
                    module_named(f"{target}.{alias.name}", files) or module_named(target, files)
                    for alias in node.names
                }
    return {each for each in found if each is not None and each != name}


def upward_imports(files: dict[str, Path]) -> list[str]:
    wrong = []
    for name, path in files.items():
        at_import = imported_at_import(name, path, files)
        for imported in imports_of(name, path):
            if not imported.startswith("gnomon.") and imported != "gnomon":
                continue
            target = module_named(imported, files)
            if target is None or imported == "gnomon.":  # `from . import bind`: the module is listed as well
                continue
            here, there = floor_of(name), floor_of(target)
            room, other = name.split(".")[0], target.split(".")[0]
            is_late = (room, other) in LATE and target not in at_import
            if (there > here and not is_late) or (there == here < INTERFACE and room != other):
                wrong.append(f"{name} (floor {here}) imports {imported} (floor {there})")
            is_neighbour = room == other and room in SEALED and not name.endswith("__init__")
            if is_neighbour and target != f"{room}.__init__" and name != target:
                wrong.append(f"{name} imports its neighbour {imported}")
    return wrong


def test_files_import_only_from_lower_floors() -> None:
    assert upward_imports(modules()) == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "values.geometry",
            "from ..memory.spec import Spec\n",
            "values.geometry (floor 0) imports gnomon.memory.spec (floor 1)",
        ),
        (
            "memory.spec",
            "def f():\n    from ..ops import copy\n",
            "memory.spec (floor 1) imports gnomon.ops (floor 5)",
        ),
        (
            "ops.views.copy",
            "from .view import x\n",
            "ops.views.copy imports its neighbour gnomon.ops.views.view",
        ),
        ("autograd.node", "from .. import ops\n", "autograd.node (floor 5) imports gnomon.ops (floor 5)"),
        ("methods", "from .nn import Module\n", "methods (floor 6) imports gnomon.nn (floor 8)"),
        (
            "bindings.creation",
            "import gnomon as gn\n",
            "bindings.creation (floor 6) imports gnomon (floor 7)",
        ),
        ("__init__", "from .func import vmap\n", "__init__ (floor 7) imports gnomon.func (floor 8)"),
    ],
)
def test_an_upward_import_would_be_seen(tmp_path: Path, name: str, text: str, message: str) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text(text)
    assert message in upward_imports({**modules(), name: planted})


def test_every_room_is_on_a_floor_and_every_floor_has_its_rooms() -> None:
    assert {name.split(".")[0] for name in modules()} == set(FLOORS)


def given(files: dict[str, Path]) -> tuple[dict[str, str], set[str], list[str]]:
    """What files provide to others when they are imported: late-bound names, each with the file that provides
    it; registrations, as "module: function"; and what is provided in any other way.
    """
    late: dict[str, str] = {}
    registered: set[str] = set()
    wrong = []
    for name, path in files.items():
        tree = tree_of(path)
        imported: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                package = name.split(".")[: -node.level]
                for alias in node.names:
                    parts = [*package, *(node.module or "").split("."), alias.name]
                    imported[alias.asname or alias.name] = ".".join(part for part in parts if part)
        for node in ast.walk(tree):
            targets = node.targets if isinstance(node, ast.Assign) else ()
            for target in targets:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    module = imported.get(target.value.id, "")
                    if module == "values.late_bound" and target.attr not in late:
                        late[target.attr] = name
                    elif module in files:
                        wrong.append(f"{name} sets {module}.{target.attr}")
        for node in tree.body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                function = ast.unparse(node.value.func).split(".")[-1]
                if function.startswith(("set_", "on_", "register_")):
                    registered.add(f"{name}: {function}")
    return late, registered, wrong


def callers(files: dict[str, Path]) -> dict[str, set[str]]:
    """The files that call each late-bound name."""
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if ast.unparse(node.func.value) == "late_bound":
                    found.setdefault(node.func.attr, set()).add(name)
    return found


def test_what_is_given_to_a_floor_below_stands_in_one_registry(tmp_path: Path) -> None:
    files = modules()
    late, registered, wrong = given(files)
    assert wrong == []
    assert late == {name: each.given_by for name, each in LATE_BOUND.items()}
    assert registered == set(REGISTRATIONS)
    called = callers(files)
    for name, each in LATE_BOUND.items():
        assert set(each.called_by) == called[name] and each.reason, name
        assert floor_of(each.given_by) >= max(map(floor_of, called[name])), name
        assert callable(getattr(late_bound, name)), name
    planted = tmp_path / "planted.py"
    planted.write_text(
        "from ..memory import tensor as t\nfrom ..values import late_bound\nt.alias_tensor = None\n"
        "late_bound.other = None\nset_this(None)\n"
    )
    late, registered, wrong = given({**files, "ops.planted": planted})
    assert late["other"] == "ops.planted" and "ops.planted: set_this" in registered
    assert wrong == ["ops.planted sets memory.tensor.alias_tensor"]


def test_nothing_is_attached_to_a_tensor_beside_the_table(tmp_path: Path) -> None:
    """Only methods.py has ``Tensor.name = …`` or ``setattr(Tensor, …)``, and only once."""

    def attaching(files: dict[str, Path]) -> list[str]:
        found = []
        for name, path in files.items():
            for node in ast.walk(tree_of(path)):
                text = ast.unparse(node) if isinstance(node, (ast.Assign, ast.Call)) else ""
                if text.startswith(("Tensor.", "setattr(Tensor,")) and (
                    isinstance(node, ast.Assign) or text.startswith("setattr")
                ):
                    found.append(name)
        return found

    assert attaching(modules()) == ["methods"]
    planted = tmp_path / "planted.py"
    planted.write_text(
        "from ..memory.tensor import Tensor\nTensor.add = None\nsetattr(Tensor, 'mul', None)\n"
    )
    assert attaching({"ops.planted": planted}) == ["ops.planted", "ops.planted"]


def test_few_files_are_loose() -> None:
    loose = sorted(path.name for path in ROOT.glob("*.py"))
    assert len(loose) <= MOST_LOOSE_FILES, loose


def foreign(files: dict[str, Path]) -> list[str]:
    """What files use that is neither in the standard library nor listed above.

    Type checkers have types of typing_extensions of their own.
    """
    wrong = []
    for name, path in files.items():
        tree = tree_of(path)
        inside = is_in_function(tree)
        for_checkers = {
            id(each)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for part in node.body
            for each in ast.walk(part)
        }
        for node in ast.walk(tree):
            imported: list[str] = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported = [node.module or ""]
            for each in imported:
                first = each.split(".")[0]
                if first == "typing_extensions" and id(node) in for_checkers:
                    continue
                if first in THIRD_PARTY.get(name, ()) and (id(node) in inside or name.startswith(SKELETONS)):
                    continue
                if first in ("ctypes", "_ctypes", "linecache") and not (
                    (first == "ctypes" and name in CTYPES and id(node) in inside)
                    or (first == "ctypes" and name in CTYPES_ON_IMPORT)
                    or (first == "linecache" and name in SOURCES)
                ):
                    wrong.append(f"{name} imports {each}")
                elif first != "gnomon" and first not in sys.stdlib_module_names:
                    wrong.append(f"{name} imports {each}")
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in _IMPORTING:
                what = ast.unparse(node.args[0])
                if what not in IMPORTED_BY_NAME.get(name, ()):
                    wrong.append(f"{name} imports {what} by name")
            used = node.id if isinstance(node, ast.Name) else ""
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "builtins":
                used = node.attr
            if used in _RUNNING and used not in EVALUATED.get(name, ()):
                wrong.append(f"{name} uses {used}")
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                is_name = node.value.replace(".", "_").isidentifier()
                is_above = node.value.split(".")[0] in (
                    "gnomon_speedups",
                    "gnomon_conformance",
                    "gnomon_bench",
                )
                if is_name and is_above and node.value not in PACKAGES_ABOVE.get(name, ()):
                    wrong.append(f"{name} names {node.value}")
    return wrong


_IMPORTING = {"import_module", "exec_module", "spec_from_file_location"}
_RUNNING = {"exec", "eval", "compile", "__import__", "__builtins__"}


def test_every_file_keeps_to_the_standard_library_and_to_python() -> None:
    assert foreign(modules()) == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("numerics.loops", "import numpy as np\n", "numerics.loops imports numpy"),
        ("nn.linear", "def f():\n    import numpy\n", "nn.linear imports numpy"),
        ("interop.numpy", "import numpy\n", "interop.numpy imports numpy"),  # on import
        ("bindings.creation", "def f():\n    import numpy\n", "bindings.creation imports numpy"),
        ("values.dtype", "from cffi import FFI\n", "values.dtype imports cffi"),
        ("memory.tensor", "import gnomon_speedups\n", "memory.tensor imports gnomon_speedups"),
        ("memory.tensor", "x = 'gnomon_speedups.plan'\n", "memory.tensor names gnomon_speedups.plan"),
        (
            "optim.sgd",
            "import gnomon_conformance.reporting.report\n",
            "optim.sgd imports gnomon_conformance.reporting.report",
        ),
        (
            "func.vmap",
            "import importlib\nimportlib.import_module('numpy')\n",
            "func.vmap imports 'numpy' by name",
        ),
        ("nn.linear", "import typing_extensions\n", "nn.linear imports typing_extensions"),
        (
            "nn.linear",
            "if TYPE_CHECKING:\n    pass\nelse:\n    import typing_extensions\n",
            "nn.linear imports typing_extensions",
        ),
        ("memory.storage", "def f():\n    import ctypes\n", "memory.storage imports ctypes"),
        ("memory.backend", "import ctypes\n", "memory.backend imports ctypes"),  # on import
        ("calls.composites", "import linecache\n", "calls.composites imports linecache"),
        ("calls.composites", "def f(text):\n    exec(text)\n", "calls.composites uses exec"),
        ("bindings.argument_parser", "run = eval\n", "bindings.argument_parser uses eval"),
        ("ops.views.view", "code = compile('1', '', 'eval')\n", "ops.views.view uses compile"),
        ("profiler.__init__", "import builtins\nbuiltins.exec('1')\n", "profiler.__init__ uses exec"),
    ],
)
def test_what_is_foreign_would_be_seen(tmp_path: Path, name: str, text: str, message: str) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text(text)
    assert foreign({name: planted}) == [message]


def test_what_is_listed_is_there() -> None:
    """Each entry of the lists above is still needed."""
    files = modules()
    for listed in (THIRD_PARTY, IMPORTED_BY_NAME, PACKAGES_ABOVE, EVALUATED):
        for name, allowed in listed.items():
            text = ast.unparse(ast.parse(files[name].read_text()))
            assert [each for each in allowed if each not in text] == [], name
    assert [
        name for name in CTYPES | CTYPES_ON_IMPORT if "import ctypes" not in files[name].read_text()
    ] == []
    for room, other in LATE:
        imported = {
            (module_named(each, files) or "").split(".")[0]
            for name, path in files.items()
            if name.split(".")[0] == room
            for each in imports_of(name, path)
        }
        assert other in imported, (room, other)


def strangers(root: Path) -> list[str]:
    """Files of kinds that do not belong in the package: C, compiled code, generated text."""
    files = [path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    data, page = root / "demo" / "data", root / "learn" / "view"
    return sorted(
        str(path.relative_to(root))
        for path in files
        if path.suffix not in FILES
        and data not in path.parents
        and not (path.parent == page and path.suffix in PAGE_FILES)
    )


def test_the_package_is_python_alone(tmp_path: Path) -> None:
    assert strangers(ROOT) == []
    (tmp_path / "numerics").mkdir()
    for name in ("numerics/fast.c", "numerics/_fast.abi3.so", "numerics/loops.py"):
        (tmp_path / name).write_text("")
    assert strangers(tmp_path) == ["numerics/_fast.abi3.so", "numerics/fast.c"]


def test_there_are_no_import_circles() -> None:
    """Imports count wherever they run when a file is imported, also inside ``if`` and ``try``."""
    files = modules()
    graph = {name: imported_at_import(name, path, files) for name, path in files.items()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, f"circle: {' -> '.join([*path, name])}"
        if name in done:
            return
        for target in sorted(graph[name]):
            visit(target, (*path, name))
        done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("from . import two\n", {"pair.two"}),
        ("if True:\n    from .two import g\n", {"pair.two"}),
        ("try:\n    import gnomon.pair.two\nexcept ImportError:\n    pass\n", {"pair.two"}),
        ("class A:\n    from . import two\n", {"pair.two"}),
        ("from . import SOMETHING\n", {"pair.__init__"}),
        ("def f():\n    from . import two\n", set()),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import two\n", set()),
    ],
)
def test_an_import_that_makes_a_circle_is_seen(text: str, seen: set[str], tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(text)
    files = {f"pair.{each}": tmp_path / f"{each}.py" for each in ("__init__", "one", "two")}
    assert imported_at_import("pair.one", files["pair.one"], files) == seen


@pytest.mark.parametrize(
    "place",
    [
        "conformance/gnomon_conformance",
        *(f"backends/gnomon_{name}" for name in ("c", "cuda", "numpy/gnomon_numpy", "speedups")),
        "backends/gnomon_jax/gnomon_jax",
        "backends/gnomon_torch/gnomon_torch",
        "benchmarks/gnomon_bench",
        "tools/fuzzing",
    ],
)
def test_the_packages_beside_it_have_no_import_circles(place: str) -> None:
    """Imports inside functions count, imports for annotations alone do not."""
    root = TOOLS.parent / place
    graph = inner_imports(root)
    assert len(graph) > 2 and any(graph.values())
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


def inner_imports(root: Path) -> dict[str, set[str]]:
    """Each file of a package with the files of it that it imports, including imports inside functions."""
    files = {".".join(path.relative_to(root).with_suffix("").parts): path for path in root.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        if name.startswith("templates."):
            continue
        tree = tree_of(path)
        ignored = for_types_only(tree)
        graph[name] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level and id(node) not in ignored:
                base = name.split(".")[: -node.level]
                target = [*base, *(node.module.split(".") if node.module else [])]
                graph[name] |= {".".join([*target, alias.name]) for alias in node.names} | {".".join(target)}
        graph[name] = {each for each in graph[name] if each in files and each != name}
    return graph


def test_a_circle_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def f():\n    from . import two\n")
    (tmp_path / "two.py").write_text("from .one import f\n")
    with pytest.raises(graphlib.CycleError):
        list(graphlib.TopologicalSorter(inner_imports(tmp_path)).static_order())


def test_importing_loads_nothing_that_few_programs_need() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT.parent)!r}); before = set(sys.modules); import gnomon; "
        "print(*sorted(set(sys.modules) - before))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(answer.stdout.split())
    assert "gnomon.ops.pointwise.arithmetic" in loaded
    heavy = {"random", "secrets", "hashlib", "fractions", "traceback", "logging", "importlib.metadata"}
    assert loaded & (heavy | {"numpy", "gnomon.nn", "gnomon.optim"}) == set()


def test_the_page_shows_the_floors_as_they_are() -> None:
    assert floors.shown(PAGE) == [floors.drawn()], "python tools/floors.py --write docs/architecture.md"


def test_what_is_drawn_is_what_files_import() -> None:
    """tools/floors.py and this file read the same rooms, floors and imports."""
    files = modules()
    for room in FLOORS:
        found = {
            module_named(imported, files)
            for name, path in files.items()
            if name.split(".")[0] == room
            for imported in imports_of(name, path)
            if (imported == "gnomon" or imported.startswith("gnomon.")) and imported != "gnomon."
        }
        rooms = {each.split(".")[0] for each in found if each is not None} - {room}
        assert set(floors.imports_of(room)) == rooms, room
