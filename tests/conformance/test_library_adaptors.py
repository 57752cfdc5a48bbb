"""The adaptors that come with the suite: what they load, what passes, and the programs they write."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

from gnomon_conformance.collection import selection
from gnomon_conformance.inputs.description import sample, tensor
from gnomon_conformance.libraries import command, written
from gnomon_conformance.reporting.outcomes import Result

ROOT = pathlib.Path(__file__).parents[2]


def failed(results):
    return {each.test: each for each in results if each.is_bad}


def run(name, operators, dtypes=("int64", "float32")):
    return command.run(command.load(name), operators=f"^({operators})$", dtypes=dtypes)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("numpy:float64", "takes"),
        ("array_api:no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("torch_:cuda", "No module named 'torch_'"),
    ],
)
def test_an_argument_that_leads_nowhere(name, text):
    with pytest.raises(command.LibraryError, match=text):
        command.load(name)


@pytest.mark.parametrize("name", ["array_api:numpy", "array_api:gnomon.array_api"])
def test_a_namespace_of_the_array_api(name):
    library = command.load(name)
    assert library.name == name.partition(":")[2] and len(library.functions) > 100
    results = command.run(
        library, operators="^(sum.dim_IntList|permute|floor|transpose.int|sqrt)$", dtypes=["float32"]
    )
    assert failed(results) == {}
    assert {each.check for each in results if each.outcome == "pass"} == {"forward", "values", "errors"}


def test_gnomons_namespace_promotes_as_the_reference_and_numpys_does_not():
    assert failed(run("array_api:gnomon.array_api", "exp", ["float32"])) == {}
    found = failed(run("array_api:numpy", "exp", ["int64"]))["forward[exp-int64]"]
    assert "result has dtype float64, expected float32" in found.message
    said = subprocess.run([sys.executable, "-c", found.program], capture_output=True, text=True, check=True)
    assert said.stdout == "float64\n"
    assert "import numpy as xp" in found.program and "# result has dtype float64" in found.program


def test_an_operator_that_a_library_does_not_have_is_not_claimed():
    class Small(written.WrittenLibrary):
        name = "small"
        dtypes = ("float32",)
        imports = "import math"
        expressions = {"sin": "math.sin(self)", "hypot": "math.no_such_function(self, other)"}  # noqa: RUF012

    assert list(Small().functions) == ["sin"]


def test_a_dimension_of_a_tensor_without_any_is_declined():
    numpy = command.load("numpy")
    scalar = numpy.tensor([1.0], (), "float32")
    with pytest.raises(NotImplementedError, match="no axis 0"):
        numpy.functions["cumsum"](scalar, -1, None)
    assert numpy.functions["cumsum"](numpy.tensor([1.0, 2.0], (2,), "float32"), -1, None).tolist() == [1, 3]


def test_a_program_has_only_the_arguments_that_it_uses():
    numpy = command.load("numpy")
    call = sample(tensor(2, dtype="float32", values="ones"), [0], True)
    program = numpy.program("sum.dim_IntList", call, "float32", "contiguous", ["element 0 is 1, expected 2"])
    assert program.splitlines() == [
        "import numpy as np",
        "",
        "self = np.array([1.0, 1.0], 'float32')",
        "dim = (0,)",
        "keepdim = True",
        "dtype = None",
        "print(np.sum(self, axis=tuple(dim) if dim and self.ndim else None, keepdims=keepdim, dtype=dtype))",
        "# element 0 is 1, expected 2",
    ]


def test_single_elements():
    operator = selection.operators()["mul.Tensor"]
    call = sample(tensor(2, values="ones"), tensor(2, values="zeros"))
    found = list(written.single_elements(operator.schema, call, "float32", "contiguous"))
    assert [[each.contents.numbers for each in one.kwargs.values()] for one in found] == [[(1,), (0,)]] * 2
    other = sample(tensor(2), tensor(3))
    assert list(written.single_elements(operator.schema, other, "float32", "contiguous")) == []


def test_a_line_that_is_not_complete_is_read_later(tmp_path):
    """A library with a long message: its process writes the line in several parts."""
    path = tmp_path / "long.py"
    path.write_text(
        "from gnomon_conformance.libraries.numpy_library import NumPy\n"
        "def fails(self):\n    raise ValueError('x' * 200_000)\n"
        "class Long(NumPy):\n    expectations = None\n"
        "    def __init__(self):\n        super().__init__()\n        self.functions = {'neg': fails}\n"
    )
    arguments = {"tiers": (), "operators": None, "dtypes": ["float32"], "expectations": None}
    _, results = command.apart.run(str(path), **arguments, hang_limit=60.0)
    assert all("x" * 200_000 in each.message for each in results if each.outcome == "fail")
    assert any(each.outcome == "fail" for each in results)


def compare_libraries():
    path = ROOT / "tools" / "compare_libraries.py"
    spec = importlib.util.spec_from_file_location("compare_libraries", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("raised nothing, expected RuntimeError: x", "accepts what PyTorch refuses"),
        ("raised TypeError: x\nexpected RuntimeError: y", "raises another kind of exception"),
        ("raised TypeError: x", "raises where PyTorch gives a result"),
        ("result has dtype int8, expected int64", "another dtype of the result"),
        ("result has sizes (1,), expected ()", "other sizes of the result"),
        ("result: element 0 is 0.0, expected 1.401e-45 (allowed difference 0)", "subnormal numbers"),
        ("result: element 0 is -0.0, expected 0.0", "the sign of zero"),
        ("result: element 0 is nan, expected 0.0", "NaN"),
        ("result: element 0 is 3.0, expected inf (allowed difference 0)", "infinities"),
        ("result: element 0 is 3, expected -4", "integers"),
        ("result: element 0 is 3.0, expected 3.1 (allowed difference 1e-06)", "rounding"),
    ],
)
def test_the_kinds_of_disagreement(message, title):
    module = compare_libraries()
    result = Result("a", "forward[f]", "forward", "f", "", "pointwise", "fail", f"call(...)\n{message}")
    assert module.KINDS[module.kind_of(result)][0].startswith(title)
    assert module.KINDS[module.kind_of(result._replace(tier="autograd"))][0] == "gradients"


def test_the_page_of_a_comparison(tmp_path):
    module = compare_libraries()
    page = tmp_path / "page.md"
    arguments = ["--libraries", "numpy,array_api:numpy", "--operators", "^(exp|neg|flip)$", str(page)]
    assert module.main(arguments) == 0
    text = page.read_text("utf-8")
    assert "| `neg` | ✓ | ✓ |" in text and "| `exp` | 7 | 7 |" in text and "| `flip` | 9 |" in text
    assert "print(np.exp(self).dtype)\n# float64\n" in text
    assert "smallest float that holds them" in text


@pytest.mark.oracle
def test_pytorch():
    library = command.load("torch")
    assert len(library.functions) > 1100 and library.compares_kinds
    results = command.run(
        library, operators="^(add.Tensor|sum.dim_IntList|view|mul.Tensor|full)$", dtypes=["float32"]
    )
    assert failed(results) == {}
    kinds = {each.check for each in results if each.outcome == "pass"}
    assert kinds == {"forward", "values", "errors", "gradient"}
    for device in ("nowhere", "privateuse1", "privateuse1:0", "hpu"):
        with pytest.raises(command.LibraryError, match=f"PyTorch has no device {device} here: ") as error:
            command.load(f"torch:{device}")
        assert "\n" not in str(error.value) and "Invalid device string" not in str(error.value)
    call = sample(tensor(2, values="ones"), tensor(2, values="ones"), alpha=2)
    program = library.program("add.Tensor", call, "float32", "contiguous", ["element 0 is 1, expected 2"])
    assert "print(torch.ops.aten.add.Tensor(self, other, alpha=2))" in program


def test_errors_of_a_library_that_computes_late():
    class Late(written.WrittenLibrary):
        name = "late"
        dtypes = ("float32",)
        imports = "import numpy as np"
        expressions = {"neg": "np.negative(self)", "sort": "(np.sort(self), np.argsort(self))"}  # noqa: RUF012

        def tensor(self, numbers, sizes, dtype):
            return command.load("numpy").tensor(numbers, sizes, dtype)

        def is_tensor(self, value):
            return True

        def describe(self, tensor):
            return command.load("numpy").describe(tensor)

        def tensor_text(self, numbers, sizes, dtype):
            return f"np.array({list(numbers)}, {dtype!r}).reshape({tuple(sizes)})"

        def printed_text(self, text, is_one):
            return f"{text}.tolist()" if is_one else f"[each.tolist() for each in {text}]"

        def computed(self, tensor):
            raise FloatingPointError("late")

    result = command.run(Late(), operators="^neg$")[0]
    assert "raised FloatingPointError: late" in result.message and not result.message.startswith(
        "the adaptor"
    )
    assert result.program.splitlines()[-2] == "print(np.negative(self).tolist())"
    found = next(each for each in command.run(Late(), operators="^sort$") if each.program)
    assert (
        found.program.splitlines()[-2]
        == "print([each.tolist() for each in (np.sort(self), np.argsort(self))])"
    )


@pytest.mark.oracle
def test_a_program_that_shows_a_gradient():
    library = command.load("torch")
    found = next(
        each
        for each in command.run(library, operators="^embedding_dense_backward$", dtypes=["float64"])
        if each.check == "gradient"
    )
    said = subprocess.run([sys.executable, "-c", found.program], capture_output=True, text=True, check=True)
    assert "element 0 is 0.89038525648" in found.message and "tensor([[ 0.8904," in said.stdout
    alone = found.program.replace("True), [grad_output]", "False), [grad_output]")
    assert alone != found.program and "torch.autograd.grad(torch.ops.aten.embedding_dense_backward" in alone


@pytest.mark.oracle
def test_pytorch_is_not_called_where_it_writes_outside_of_its_memory():
    function = command.load("torch").functions["embedding_dense_backward"]
    import torch

    with pytest.raises(NotImplementedError, match="out of range"):
        function(torch.ones(1, 2), torch.tensor([3]), 3, -1, False)
    assert function(torch.ones(1, 2), torch.tensor([2]), 3, -1, False)[2].tolist() == [1, 1]


@pytest.mark.oracle
def test_a_call_whose_inputs_have_no_gradient_is_not_claimed():
    results = command.run(
        command.load("torch"),
        operators="^linalg_householder_product$",
        dtypes=["float64"],
        tiers=["autograd"],
    )
    assert [each.outcome for each in results] == ["pass"], results  # the samples of no elements are declined


@pytest.mark.oracle
def test_tinygrad(monkeypatch):
    monkeypatch.setenv("DEV", "PYTHON")
    pytest.importorskip("tinygrad")
    library = command.load("tinygrad")
    results = command.run(library, operators="^(neg|mul.Tensor|sort)$", dtypes=["int32", "float32"])
    by_test = {each.test: each for each in results}
    for each in ("forward[neg-float32]", "gradient[neg-float32]", "gradient[mul.Tensor-float32]"):
        assert by_test[each].outcome == "pass", by_test[each].message
    found = by_test["forward[sort-float32]"]
    assert "result 1 has dtype int32, expected int64" in found.message
    assert found.program.splitlines()[-2] == "print(Tensor.sort(self, dim, descending)[1].dtype)"
    three = library.tensor([3.0], (1,), "float32")
    square = library.functions["mul.Tensor"](three, three)
    both = library.functions["mul.Tensor"](square, three)
    one = library.tensor([1.0], (1,), "float32")
    assert [each.tolist() for each in library.gradients([both], [one], [three])] == [[27.0]]


@pytest.mark.oracle
def test_pytorch_on_a_device_makes_its_tensors_there():
    library = command.load("torch:meta")
    made = library.functions["full"]([2], 1.0, None, None, None, None)
    assert library.name == "torch:meta" and made.device.type == "meta"


@pytest.mark.oracle
def test_jax():
    pytest.importorskip("jax")
    library = command.load("jax")
    results = command.run(library, operators="^(neg|mul.Tensor|relu)$", dtypes=["float32"])
    by_test = {each.test: each for each in results}
    for each in ("forward[neg-float32]", "gradient[neg-float32]", "gradient[mul.Tensor-float32]"):
        assert by_test[each].outcome == "pass", by_test[each].message
    three = library.track(library.tensor([3.0], (), "float32"))
    square = library.functions["mul.Tensor"](three, three)
    both = library.functions["mul.Tensor"](square, three)
    one = library.tensor([1.0], (), "float32")
    assert [float(each) for each in library.gradients([both], [one], [three])] == [27.0]
    assert library.gradients([square], [one], [library.track(one)]) == [None]
    z = library.track(library.tensor([1 + 2j], (), "complex64"))
    (found,) = library.gradients(
        [library.functions["mul.Tensor"](z, z)], [library.tensor([3 - 1j], (), "complex64")], [z]
    )
    assert complex(found) == (3 - 1j) * (2 * (1 + 2j)).conjugate()  # PyTorch's convention
