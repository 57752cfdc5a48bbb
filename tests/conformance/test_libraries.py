"""Libraries with tensors of their own as subjects of the suite: what passes, and what is found."""

import importlib.util
import pathlib
import sys
from typing import ClassVar

import pytest

from gnomon_conformance import conform
from gnomon_conformance.collection import selection
from gnomon_conformance.collection.foundation import CALLS
from gnomon_conformance.comparison.expectations import parse, read
from gnomon_conformance.inputs.description import Stored
from gnomon_conformance.libraries import Library, checks, command
from gnomon_conformance.libraries.calls import Declined, LibraryFramework, row_major

FRAMEWORK = pathlib.Path(__file__).parents[1] / "learn" / "exercises" / "solutions" / "framework.py"


def framework(name):
    """The framework of one file, as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"framework_{name}", FRAMEWORK)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def with_functions(module, **functions):
    """Its adaptor with other functions, by operators' names with _ for the dot."""
    names = {name.replace(".", "_"): name for name in module.Framework.functions}
    replaced = {names[key]: function for key, function in functions.items()}
    library = module.Framework()
    library.functions = {**module.Framework.functions, **replaced}
    return library


def failed(results):
    return {each.test: each.message for each in results if each.is_bad}


def test_a_framework_of_one_file_passes_all_tiers():
    library = command.load(str(FRAMEWORK))
    results = command.run(library)
    assert failed(results) == {}
    for tier in ("memory", "views", "pointwise", "reductions", "matrix", "autograd"):
        assert command.passes(library, tier, results) == ""
    assert sum(each.outcome == "pass" for each in results) > 150
    kinds = {each.check for each in results if each.outcome == "pass"}
    assert kinds == {"forward", "values", "errors", "gradient", "graphs"}


# A fault in the framework -> the test that has to find it, and a part of its message.
def _promotes_by_order(module):
    module.result_type = lambda *each: max(
        (getattr(one, "dtype", None) or module.dtype_of_number(one) for one in each), key=module.DTYPES.index
    )
    return module.Framework(), "add.Tensor", "forward[add.Tensor-float32]", "dtype float64, expected float32"


def _copies_a_view(module):
    def view(self, size):
        return module.new(self.numbers(), self.dtype, module._view(self, size).sizes)

    library = with_functions(module, view=view)
    return library, "view", "forward[view-float32]", "does not share the memory of argument 0"


def _clone_is_a_view(module):
    library = with_functions(module, clone=lambda self, *_: self.view_with(self.sizes, self.strides))
    return library, "clone", "forward[clone-int64]", "shares the memory of argument 0"


def _changes_an_argument(module):
    def neg(self):
        result = module._neg(self)
        if self.storage:
            self.storage[-1] = module.rounded(5, self.dtype)
        return result

    return with_functions(module, neg=neg), "neg", "forward[neg-float32]", "argument 0 afterwards"


def _ignores_strides(module):
    def neg(self):
        count = module.math.prod(self.sizes)
        return module.new([-each for each in self.storage[:count]], self.dtype, self.sizes)

    return with_functions(module, neg=neg), "neg", "forward[neg-float64]", "layout"


def _ignores_keepdim(module):
    library = with_functions(
        module, sum_dim_IntList=lambda self, dim, keepdim, dtype: module._sum(self, dim, False, dtype)
    )
    return library, "sum.dim_IntList", "forward[sum.dim_IntList-float32]", "sizes"


def _ignores_nan(module):
    def max_dim(self, dim, keepdim):
        values, index = module.max_dim(self, dim, keepdim)
        rows = [row.numbers() for row in module.rows_of(self, [dim])[1]]
        index.storage[:] = [max(range(len(row)), key=row.__getitem__) for row in rows]
        return module.new([row[i] for row, i in zip(rows, index.storage)], self.dtype, values.sizes), index

    return with_functions(module, max_dim=max_dim), "max.dim", "values[max.dim-float32]", "element"


def _accepts_anything(module):
    library = with_functions(module, expand=lambda self, size, implicit: module.new([], self.dtype, (0,)))
    return library, "expand", "errors[expand]", "raised nothing"


def _forgets_a_second_use(module):
    def run_backward(outputs, incoming):
        for tensor, grad in zip(outputs, incoming):
            for each, found in zip(tensor.node.inputs, tensor.node.backward(grad)):
                each.grad = module.sum_to(found, each) if found is not None else None

    module.run_backward = run_backward
    return module.Framework(), "addmm", "gradient[addmm-float32]", "missing"


def _does_not_undo_broadcasting(module):
    module.sum_to = lambda grad, like: grad
    return module.Framework(), "mul.Tensor", "gradient[mul.Tensor-float32]", "sizes"


def _returns_a_number(module):
    return with_functions(module, exp=lambda self: 1.0), "exp", "forward[exp-float32]", "expected a tensor"


def _describes_too_little(module):
    library = module.Framework()
    library.describe = lambda tensor: (tensor.dtype, tensor.sizes, tensor.numbers()[:1])
    return library, "neg", "forward[neg-float32]", "the adaptor raised"


@pytest.mark.parametrize(
    "fault",
    [
        _promotes_by_order,
        _copies_a_view,
        _clone_is_a_view,
        _changes_an_argument,
        _ignores_strides,
        _ignores_keepdim,
        _ignores_nan,
        _accepts_anything,
        _forgets_a_second_use,
        _does_not_undo_broadcasting,
        _returns_a_number,
        _describes_too_little,
    ],
)
def test_a_fault_is_found(fault):
    library, operator, test, text = fault(framework(fault.__name__))
    found = failed(command.run(library, operators=f"^{operator}$"))
    assert text in found[test]
    if "the adaptor raised" not in text:
        assert f"{operator}(" in found[test].splitlines()[0]  # the call that differs


@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        (
            "grads[id(tensor)] = add(grads[id(tensor)], grad, 1)",
            "grads[id(tensor)] = grad",
            "the gradient of t",
        ),
        (
            "tensor.grad = grad if tensor.grad is None else add(tensor.grad, grad, 1)",
            "tensor.grad = grad",
            "the grad",
        ),
    ],
)
def test_a_graph_with_results_that_are_used_twice(right, wrong, text, tmp_path):
    """What calls of one operator do not show."""
    source = FRAMEWORK.read_text()
    assert source.count(right) == 1
    path = tmp_path / "broken_graph.py"
    path.write_text(source.replace(right, wrong))
    found = failed(command.run(command.load(str(path)), tiers=["autograd"]))
    assert list(found) == ["graphs"] and text in found["graphs"] and "; backward from t9" in found["graphs"]


def test_a_tier_needs_its_basic_operators():
    library = framework("without_exp").Framework()
    library.functions = {name: each for name, each in library.functions.items() if name != "exp"}
    results = command.run(library, tiers=["pointwise"])
    assert failed(results) == {}
    assert command.passes(library, "pointwise", results) == "has no exp"
    assert command.passes(library, "matrix", []) == "none of its tests ran"


def test_what_a_library_declines_is_not_claimed():
    module = framework("declines")

    def neg(self):
        if self.dtype == "int64":
            raise NotImplementedError("no integers")
        return module._neg(self)

    results = command.run(with_functions(module, neg=neg), operators="^neg$")
    found = {each.test: each for each in results}
    assert found["forward[neg-int64]"].outcome == "not claimed"
    assert found["forward[neg-int64]"].message == "no integers"
    assert found["forward[neg-float32]"].outcome == "pass"
    # dtypes that it does not list
    with pytest.raises(Declined, match="no dtype complex64"):
        LibraryFramework(module.Framework()).build(Stored((1j,), (1,), (1,), 0, "complex64"))


def test_a_library_without_views_gets_contiguous_tensors():
    module = framework("without_views")
    library = with_functions(module)
    library.strided = lambda *_: Library.strided(library, *_)
    results = command.run(library, operators="^(neg|add.Tensor)$")
    assert failed(results) == {}
    assert any(each.outcome == "pass" for each in results)
    assert row_major(Stored((1, 2, 3, 4, 5, 6), (2, 2), (1, 3), 1, "int64")) == [2, 5, 3, 6]


def test_a_library_without_gradients_has_no_tests_of_them():
    class Without(Library):
        name = "without"
        dtypes = ("float32",)
        functions: ClassVar = {"neg": lambda self: self}

    assert {each.kind for each in checks.checks_of(Without())} == {"forward", "values", "errors"}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"name": ""}, "name is empty"),
        ({"dtypes": ("float31",)}, "got 'float31'"),
        ({"functions": {"negg": abs}}, "did you mean 'neg'?"),
        ({"functions": {"copy_": abs}}, "writes to its arguments"),
        ({"functions": {"neg": lambda: 1}}, "expected a function of the arguments of neg(Tensor self)"),
    ],
)
def test_a_faulty_adaptor_is_refused(fields, text):
    library = framework("faulty").Framework()
    for name, value in fields.items():
        setattr(library, name, value)
    assert text in checks.problem_of(library)


def test_expected_failures_are_strict():
    library = with_functions(framework("expected"), exp=lambda self: 1.0)
    text = "fail {forward,values}[{exp,neg}-float32] a reason\n"
    results = {
        each.test: each for each in command.run(library, operators="^(exp|neg)$", expectations=parse(text))
    }
    assert results["forward[exp-float32]"].known == "a reason" and not results["forward[exp-float32]"].is_bad
    assert results["forward[neg-float32]"].outcome == "stale claim"
    assert results["forward[exp-float64]"].is_bad


IMPORT = "from gnomon_conformance.libraries import Library\n"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "found none"),
        ("import no_such_module", "ModuleNotFoundError"),
        (
            f"{IMPORT}class A(Library): pass\nclass B(Library): pass",
            "A, B",
        ),
        (f"{IMPORT}class A(Library): pass", "A.name is empty"),
    ],
)
def test_a_file_without_a_library_is_an_error(content, text, tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text(content)
    assert conform.main(["--library", str(path)]) == 2
    assert text in capsys.readouterr().err


def test_the_command(tmp_path, capsys):
    assert conform.main(["--library", f"{FRAMEWORK}:Framework", "--tier", "views"]) == 0
    shown = capsys.readouterr().out
    assert "views" in shown and "yes" in shown and "pointwise" not in shown
    broken = tmp_path / "broken.py"
    broken.write_text(
        FRAMEWORK.read_text().replace("return pointwise(lambda one: -one,", "return pointwise(abs,")
    )
    assert conform.main(["--library", str(broken), "--ops", "^neg$"]) == 1
    assert "fail: forward[neg-float32]" in capsys.readouterr().out
    assert conform.main(["--library", str(FRAMEWORK), "--ops", "^relu$"]) == 2
    capsys.readouterr()
    with pytest.raises(SystemExit):
        conform.main(["c", "--library", str(FRAMEWORK)])
    assert "--library: expected no NAME of a backend" in capsys.readouterr().err
    assert conform.main(["--library", f"{FRAMEWORK}:Framework", "--tier", "views", "-n", "1"]) == 0
    with pytest.raises(SystemExit):
        conform.main(["--library", str(FRAMEWORK), "-n", "2"])
    assert "--library: expected no -n, or 1, as the tests of a library run in one process" in (
        capsys.readouterr().err
    )


def test_names_of_libraries_need_no_option(capsys):
    assert conform.main(["array_api:no_such_module"]) == 2
    assert "gnomon conform: --library array_api:no_such_module: " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        conform.main(["tinygrad"])  # as a backend might be called
    assert "to test the library tinygrad: --library tinygrad" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        conform.main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "jax, numpy, tinygrad, torch, torch:DEVICE, or array_api:MODULE" in said
    assert "(default: the number of processors; with --library always 1)" in said


@pytest.mark.parametrize(
    ("end", "text"),
    [
        ("os._exit(0)", "the library ended the process, with status 0"),
        ("os.abort()", "the library ended the process, with status -6"),
        pytest.param("hang()", "it hangs: the test took more than 30 seconds", marks=pytest.mark.slow),
    ],
)
def test_after_a_test_that_ends_the_process_or_hangs_the_others_run(end, text, tmp_path, capsys):
    path = tmp_path / "ends.py"
    ends = "if self.dtype == 'float32' else Framework.functions['abs'](self)"
    path.write_text(
        f"{FRAMEWORK.read_text()}\nimport os, pathlib, time\n"
        f"def hang():\n    once = pathlib.Path({str(tmp_path / 'once')!r})\n"
        "    if not once.exists():\n        once.touch()\n        time.sleep(10_000)\n"
        f"Framework.functions = {{**Framework.functions, 'neg': lambda self: {end} {ends}}}\n"
    )
    arguments = ["--library", str(path), "--ops", "^(neg|exp)$", "--hang-limit", "30"]
    assert conform.main(arguments) == 1
    shown = capsys.readouterr().out
    assert f"fail: forward[neg-float32]\n    {text}\n" in shown
    assert "fail: forward[neg-int64]" in shown and "fail: forward[exp" not in shown
    if "hang" in end:
        return
    expected = tmp_path / "expected.txt"
    expected.write_text("fail {forward,values,gradient}[neg-float32] it is broken\n")
    assert conform.main([*arguments, "--expectations", str(expected), "--dtypes", "float32"]) == 0


def test_a_library_that_ends_the_process_when_it_is_loaded(tmp_path, capsys):
    path = tmp_path / "ends.py"
    path.write_text("import os\nos._exit(3)\n")
    assert conform.main(["--library", str(path)]) == 2
    said = f"--library {path}: the library ended the process, with status 3 when it was loaded"
    assert said in capsys.readouterr().err


def test_a_library_that_exits_fails():
    module = framework("exits")
    found = failed(command.run(with_functions(module, neg=lambda self: sys.exit(0)), operators="^neg$"))
    assert "raised SystemExit" in found["forward[neg-float32]"]


def test_numpy():
    """Where NumPy is PyTorch's like, and where it is known not to be."""
    library = command.load("numpy")
    expectations = read(library.expectations)
    operators = "^(exp|view|permute|transpose.int|slice.Tensor|flip|where.self|gather|sort|div.Tensor)$"
    results = command.run(library, operators=operators, expectations=expectations)
    assert failed(results) == {}
    reasons = {each.test: each.known for each in results if each.known}
    assert "a view with negative strides" in reasons["forward[flip-float32]"]
    assert "smallest float" in reasons["forward[exp-int8]"]
    assert set(library.functions) <= set(selection.operators())


def test_the_page_lists_the_basic_operators_of_each_tier():
    page = (pathlib.Path(__file__).parents[2] / "docs" / "conformance.md").read_text("utf-8")
    for tier in ("memory", "views", "pointwise", "reductions", "matrix", "indexing", "neural network"):
        assert f"| {tier} | {', '.join(f'`{name}`' for name in CALLS[tier])} |" in page
