"""tools/fuzzing/judging.py: which numbers of a program are not compared, and that no others are excused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gnomon as gn

ROOT = Path(__file__).parents[2]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The fuzzer's modules, and PyTorch."""
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from fuzzing import calls, judging, programs

    return SimpleNamespace(torch=torch, calls=calls, judging=judging, programs=programs)


@pytest.fixture
def machine(library: Any) -> Any:
    """PyTorch as the fuzzer runs it."""
    return library.programs.Machine(library.calls.BoundedTorch(), library.torch)


def guided(library: Any, text: str) -> tuple[Any, Any]:
    """gnomon's outcome of a program, and PyTorch's, guided by gnomon's numbers."""
    program = library.programs.parse(text)
    frameworks = library.calls.BoundedGnomon("reference"), library.calls.BoundedTorch()
    plain = program.ending in library.programs.PLAIN_ENDS
    with gn.device("reference"):
        made = library.programs.Machine(frameworks[0], gn, plain=plain).run(program)
    device = gn.device("reference")
    return made, library.judging.guided(frameworks, (gn, library.torch), program, device)


# -- Record --------------------------------------------------------------------------------------------------


def test_a_record_has_every_tensor_after_every_statement(library: Any, machine: Any) -> None:
    record = library.judging.Record(machine)
    x = library.torch.tensor([1.0, 2.0], requires_grad=True)
    record.before("v1 = v0 * 2", {"v0": x})
    record.after("v1 = v0 * 2", {"v0": x, "v1": x * 2, "v2": 3})
    record.after("v1.neg_()", {"v1": (x * 2).neg_()})
    assert [sorted(step) for step in record.steps] == [["v0", "v1", "v2"], ["v1"]]
    first, second = record.steps
    assert first["v0"].numbers == (1.0, 2.0) and first["v1"].numbers == (2.0, 4.0)
    assert first["v2"] is None and second["v1"].numbers == (-2.0, -4.0)
    assert (first["v0"].dtype, first["v0"].sizes) == ("float32", (2,))


def test_what_is_a_transform_s_own_is_nothing(library: Any, machine: Any) -> None:
    record = library.judging.Record(machine)

    def function(x: Any) -> Any:
        record.after("", {"v0": x})
        return x

    library.torch.func.vmap(function)(library.torch.ones(2, 3))
    assert record.steps == [{"v0": None}]


# -- Guide ---------------------------------------------------------------------------------------------------


def taken_over(library: Any, machine: Any, value: Any, given: Any, dtype: str = "float32") -> Any:
    """``value`` after the Guide compared it with ``given``, the other library's tensor."""
    source = library.judging.Record(machine)
    source.after("", {"v0": given})
    guide = library.judging.Guide(machine, source.steps, dtype)
    guide.after("", {"v0": value})
    return value.tolist()


def test_numbers_as_good_as_ones_own_are_taken_over(library: Any, machine: Any) -> None:
    tensor = library.torch.tensor
    near = 1.0 + 2.0**-20
    assert taken_over(library, machine, tensor([1.0, 2.0]), tensor([near, 2.0])) == [near, 2.0]
    assert taken_over(library, machine, tensor([0.0]), tensor([-0.0])) == [0.0]
    assert str(taken_over(library, machine, tensor([0.0]), tensor([-0.0]))) == "[-0.0]"


def test_numbers_that_differ_are_not(library: Any, machine: Any) -> None:
    tensor = library.torch.tensor
    assert taken_over(library, machine, tensor([1.0, 2.0]), tensor([1.0, 2.5])) == [1.0, 2.0]
    double = tensor([1.0], dtype=library.torch.float64)
    assert taken_over(library, machine, double, double + 2.0**-20, "float64") == [1.0]
    assert taken_over(library, machine, tensor([1.0]), tensor([[1.0 + 2.0**-20]])) == [1.0]
    assert taken_over(library, machine, tensor([1]), tensor([1.0])) == [1]


def test_how_it_lies_is_no_difference(library: Any, machine: Any) -> None:
    near = 1.0 + 2.0**-20
    value = library.torch.ones(2, 2)
    assert taken_over(library, machine, value, value.t() * near) == [[near] * 2] * 2
    turned = library.torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    given = (turned.t().contiguous() * near).t()
    assert given.stride() != turned.stride()
    assert taken_over(library, machine, turned, given) == given.tolist()


def test_an_element_that_stands_in_two_places_is_left(library: Any, machine: Any) -> None:
    value = library.torch.ones(1).expand(2)
    assert taken_over(library, machine, value, library.torch.full((2,), 1.0 + 2.0**-20)) == [1.0, 1.0]


def test_what_follows_a_leaf_is_taken_over_too_and_its_history_stays(library: Any, machine: Any) -> None:
    leaf = library.torch.ones(2, requires_grad=True)
    value = leaf * 2
    near = 2.0 + 2.0**-19
    assert taken_over(library, machine, value, library.torch.full((2,), near)) == [near, near]
    value.sum().backward()
    assert leaf.grad.tolist() == [2.0, 2.0]


def test_a_variable_that_the_other_does_not_have_is_left(library: Any, machine: Any) -> None:
    value = library.torch.ones(2)
    record = library.judging.Record(machine)
    record.after("", {"v1": None, "v3": value})
    guide = library.judging.Guide(machine, record.steps, "float32")
    guide.after("", {"v0": value, "v1": value, "v2": 3, "v3": 3})
    guide.after("", {"v0": value})  # the other library recorded no such statement
    assert value.tolist() == [1.0, 1.0] and len(guide.steps) == 2


# -- Overlaps ------------------------------------------------------------------------------------------------


OVERLAPPING = [
    "v1 = v0[1:]; v2 = v0[:2]; v2.add_(v1)",
    "v1 = v0[1:]; v2 = v0[:2]; v2 += v1",
    "v1 = v0[1:]; v2 = v0[:2]; v2 *= v1",
    "v1 = v0.t(); v0.mul_(v1)",
    "v1 = v0.t(); v0[:] = v1",
    "v0[L.tensor([2, 0, 1])] = v0",
    "v0.index_add_(0, L.tensor([2, 0, 1]), v0)",
    "v0.index_copy_(0, L.tensor([2, 0, 1]), v0)",
    "v0.scatter_(0, L.tensor([[2, 0, 1]]), v0)",
    "v0.scatter_add_(0, L.tensor([[2, 0, 1]]), v0)",
    "v0.masked_scatter_(v0 > 0, v0)",
    "v1 = v0.diagonal(); v0.diagonal().mul_(v1)",
    "v1 = v0[:1].expand(3, 3); v1.add_(v0)",
    "v1 = t(3, 3); v2 = v1[:1].expand(3, 3); v2.copy_(v0)",
]
SEPARATE = [
    "v1 = v0[2:]; v2 = v0[:1]; v2.add_(v1)",
    "v0.add_(v0)",
    "v0 *= v0",
    "v0.mul_(v0.exp())",
    "v1 = v0.clone(); v0.index_add_(0, L.tensor([2, 0, 1]), v1)",
    "v1 = v0.exp(); v1[L.tensor([2, 0, 1])] = v0",
    "v1 = v0[1:]; v2 = v0[:2]; v3 = v2.add(v1)",
    "v1 = v0.t(); v0[v1 > 0] = 3",
    "v1 = v0.t(); v0.masked_fill_(v1 > 0, 3)",
    "v1 = v0[:1].expand(3, 3); v1.zero_()",
    "v0.cumsum_(0)",
]


def is_found(library: Any, statements: str, ending: str) -> bool:
    lines = statements.split("; ")
    inputs = ['v0 = t(3, 3, values="positive")']
    while lines and " = t(" in lines[0]:
        inputs.append(lines.pop(0))
    text = f"program: {'; '.join([*inputs, *lines, ending])}  # float64"
    program = library.programs.parse(text)
    return bool(library.judging.overlaps(library.calls.BoundedTorch(), program))


@pytest.mark.parametrize("statements", OVERLAPPING)
def test_what_is_written_where_it_is_read_is_found(library: Any, statements: str) -> None:
    assert is_found(library, statements, "backward")
    assert is_found(library, statements, "jvp")


@pytest.mark.parametrize("statements", SEPARATE)
def test_what_is_written_elsewhere_is_not(library: Any, statements: str) -> None:
    assert not is_found(library, statements, "backward")


@pytest.mark.parametrize("ending", ["jvp", "jacfwd", "hessian", "jvp of grad"])
def test_a_tangent_is_written_while_its_number_is_read(library: Any, ending: str) -> None:
    """Also if an element is read and written at the same place."""
    assert is_found(library, "v0.mul_(v0)", ending)
    assert is_found(library, "v0 += v0", ending)
    assert not is_found(library, "v1 = v0.clone(); v0.mul_(v1)", ending)
    assert not is_found(library, "v1 = v0[2:]; v2 = v0[:1]; v2.add_(v1)", ending)


@pytest.mark.parametrize("ending", ["backward", "twice", "vjp", "jacrev", "vmap", "vmap of grad", "no_grad"])
def test_without_tangents_it_is_not(library: Any, ending: str) -> None:
    assert not is_found(library, "v0.mul_(v0)", ending)


def test_what_is_no_tensor_is_not_looked_at(library: Any) -> None:
    watch = library.judging.Overlaps(None, "jvp")
    x = library.torch.ones(3)
    watch.before("v1.add_(v0)", {"v0": x, "v1": 3})
    watch.before("v1.add_(v0)", {"v0": x})
    watch.before("v0.add_(v1)", {"v0": x, "v1": 3})
    assert not watch.found
    watch.before("v0.add_(v0)", {"v0": x})
    watch.after("v0.add_(v0)", {"v0": x})
    assert watch.found


def test_what_was_found_stays_found(library: Any) -> None:
    watch = library.judging.Overlaps(None, "backward")
    x = library.torch.ones(3)
    watch.before("v1.add_(v0)", {"v0": x[1:], "v1": x[:2]})
    watch.before("v0.add_(v1)", {"v0": x, "v1": x.clone()})
    watch.before("v0.add_(v0)", {"v0": x})
    assert watch.found


# -- guided --------------------------------------------------------------------------------------------------


@pytest.fixture
def rounded(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """gnomon's exp rounds differently from PyTorch's."""
    original = gn.Tensor.exp
    monkeypatch.setattr(gn.Tensor, "exp", lambda self: original(self) * (1 + 2.0**-50))


@pytest.mark.usefixtures("rounded")
def test_what_a_rounding_decides_both_decide_alike(library: Any) -> None:
    """log(exp(x)) - x is only rounding error; index tensors of the program are on the inputs' device."""
    text = f"program: v0 = t(3, 3); v1 = v0[L.tensor([2, 0, 1])]; {NOISE}; no_grad  # float64"
    with gn.device("meta"):
        made, theirs = guided(library, text)
    assert made.failures == theirs.failures == {}
    assert theirs.tensors["v4"].numbers == made.tensors["v4"].numbers
    assert any(abs(each) > 1e-6 for each in made.tensors["v4"].numbers)


NOISE = "v2 = v1.exp(); v3 = v2.log(); v4 = (v3 - v1) * 2**40"


def test_a_defect_is_not_taken_over(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gn.Tensor, "exp", lambda self: self + 1)
    made, theirs = guided(library, "program: v0 = t(3); v1 = v0.exp(); v2 = v1 * 2; no_grad  # float64")
    assert theirs.tensors["v2"].numbers != made.tensors["v2"].numbers
    assert library.programs.compare(
        library.programs.parse("program: v0 = t(3); no_grad  # float64"), made, theirs
    )


@pytest.mark.usefixtures("rounded")
@pytest.mark.parametrize("ending", ["jacrev", "hessian", "jvp", "vmap"])
def test_transforms_are_made_without(library: Any, ending: str) -> None:
    """A transform's numbers can't be read: the same is computed without it, and guided."""
    text = f"program: v0 = t(2, 3); v1 = v0 * 1; {NOISE}; v5 = v4.detach() * v1; {ending}  # float64"
    program = library.programs.parse(text)
    made, theirs = guided(library, text)
    assert made.failures == theirs.failures == {}
    assert library.programs.compare(program, made, theirs) == []
    framework = library.calls.BoundedTorch()
    unguided = library.programs.Machine(framework, library.torch, plain=True).run(program)
    assert library.programs.compare(program, made, unguided) != []
