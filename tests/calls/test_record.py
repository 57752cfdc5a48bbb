"""calls/record.py: a record is frozen, declares each fact once, and no other place repeats it."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.calls import native, record
from gnomon.calls.native import native_function
from gnomon.calls.record import Batching, Inplace, Inputs, Numbers, Out, Record
from gnomon.dispatch.dispatcher import OpOverload, aten
from gnomon.func import batching, batching_rules
from gnomon.memory.backend import register_backend

ROOT = Path(gn.__file__).parent
ROOMS = ("autograd", "dispatch", "func", "calls")  # these folders may not list operators by name
FEW = 4  # a rule that is specific to a few operators may name so many together
CLASSES = (Record, Out, Inplace, Numbers, Inputs, Batching)


def operators() -> Iterator[OpOverload]:
    for packet in aten:
        yield from packet.overloads.values()


# -- the declaration ---------------------------------------------------------------------------------------


def undocumented(source: str) -> list[str]:
    """Fields of the dataclasses in ``source`` that are not declared once with a docstring of their own."""
    wrong = []
    for declared in ast.parse(source).body:
        if not isinstance(declared, ast.ClassDef):
            continue
        seen = set()
        for statement, after in zip(declared.body, [*declared.body[1:], None]):
            if not isinstance(statement, ast.AnnAssign) or ast.unparse(statement.target) == "_":
                continue
            name = ast.unparse(statement.target)
            is_explained = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if not is_explained or name in seen:
                wrong.append(f"{declared.name}.{name}")
            seen.add(name)
    return wrong


def test_every_fact_is_declared_once_and_explained_there() -> None:
    source = Path(record.__file__).read_text()
    assert undocumented(source) == []
    declared = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    for each in CLASSES:
        names = [field.name for field in dataclasses.fields(each)]
        lines = [node for node in declared[each.__name__].body if isinstance(node, ast.AnnAssign)]
        assert names == [ast.unparse(line.target) for line in lines if ast.unparse(line.target) != "_"]


def test_a_field_without_a_word_would_be_seen() -> None:
    planted = 'class A:\n    one: int\n    """One."""\n    two: int\n    three: int\n    """Three."""\n'
    assert undocumented(planted) == ["A.two"]
    assert undocumented(planted.replace("two: int", 'one: int\n    """Again."""')) == ["A.one"]


def test_native_function_does_not_declare_the_facts_again() -> None:
    facts = {field.name for field in dataclasses.fields(Record)}
    tree = ast.parse(Path(native.__file__).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert len(functions) > 5
    for function in functions:
        parameters = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
        assert len(facts.intersection(parameters)) <= 1, f"{function.name}({', '.join(parameters)})"


def test_records_are_frozen() -> None:
    add = aten.add.Tensor.record
    for each in (add, add.out, add.inplace, add.numbers, add.inputs, add.batching):
        for field in dataclasses.fields(each):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(each, field.name, None)
        assert not hasattr(each, "__dict__")
    assert isinstance(add, Record) and isinstance(add.out, Out)


def test_a_record_can_be_replaced_by_another_with_one_fact_changed() -> None:
    before = aten.index_add.default.record
    after = dataclasses.replace(before, doc="Something else.")
    assert after.doc == "Something else." and before.doc != after.doc
    unchanged = [field.name for field in dataclasses.fields(Record) if field.name != "doc"]
    assert {name: getattr(after, name) for name in unchanged} == {
        name: getattr(before, name) for name in unchanged
    }


# -- refused records ---------------------------------------------------------------------------------------


def test_a_fact_that_there_is_none_of_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        native_function("made_up(Tensor self) -> Tensor", colour="red")
    for group in (Out, Inplace, Numbers, Inputs, Batching):
        with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
            group(colour="red")
    assert "made_up" not in aten._packets


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"numbers": "othr"}, "numbers must be one of 'other', 'either', 'both', 'src', got 'othr'"),
        ({"batching": "foldd"}, "batching must be one of 'leading', .*, got 'foldd'"),
        ({"separate": ("nobody",)}, "there is no argument 'nobody'"),
        ({"linear": ("self nobody",)}, "there is no argument 'nobody'"),
        ({"numbers": Numbers(held=("nobody",))}, "there is no argument 'nobody'"),
        ({"numbers": Numbers(wide=("nobody",))}, "there is no argument 'nobody'"),
        ({"inputs": Inputs(expanded=("nobody",))}, "there is no argument 'nobody'"),
        ({"written_with": {"self": "nobody"}}, "there is no argument 'nobody'"),
        ({"out": Out(gives_dtype=True)}, "there is no argument 'dtype'"),
    ],
)
def test_what_is_no_value_of_a_fact_is_refused_by_name(facts: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=f"^made_up: {text}$"):
        Record("made_up(Tensor self) -> Tensor", **facts)


# -- derived facts -----------------------------------------------------------------------------------------


def test_a_group_may_be_given_as_its_first_fact() -> None:
    text = "made_up(Tensor self, Tensor other) -> Tensor"
    short = Record(text, out="out", inplace=True, numbers="both", batching="leading")
    assert short.out == Out() == Out("out") and short.inplace == Inplace() == Inplace(True)
    assert short.numbers == Numbers("both") and short.batching == Batching("leading")
    assert short.schema.text == text
    without = Record(text)
    assert not without.out.overload and not without.inplace.overload
    assert Record(text, inplace="Other").inplace.overload == "Other"


def test_positions_follow_from_names() -> None:
    made = Record(
        "made_up(Tensor self, Tensor(a!)[] grads, *, ScalarType? dtype=None, Scalar alpha=1, "
        "Tensor? scale=None) -> ()",
        numbers=Numbers(held=("alpha",), wide=("self",)),
        separate=("grads", "self"),
        out=Out("", gives_dtype=True),
        written_with={"grads": "scale"},
        kernel_of="another",
    )
    assert (made.held_positions, made.wide_positions, made.separate_positions) == ((3,), (0,), (1, 0))
    assert (
        made.dtype_position == 2 and made.written_with_positions == {1: 4} and made.written_positions == (1,)
    )
    assert made.kernel_positions == (0, 1, 3, 4) and made.kernel_name == "another"
    assert made.variants == "function, method"
    assert Record("made_up(Tensor[] tensors) -> Tensor").variants == "function"
    assert Record("made_up(Tensor self) -> Tensor", variants="method").variants == "method"


def test_variants_are_the_operators() -> None:
    add = aten.add.Tensor
    assert add.variants == [aten.add_.Tensor, aten.add.out]
    assert all(variant.record.base is add and not variant.variants for variant in add.variants)
    for operator in operators():
        asked = (operator.record.inplace.overload is not False) + (operator.record.out.overload != "")
        assert len(operator.variants) == asked, operator.name


@pytest.mark.parametrize("why", ["a backend", "a default dtype"])
def test_plans_are_dropped_when_what_they_rest_on_changes(why: str) -> None:
    exp, t = aten.exp.default, aten.t.default
    x = gn.ones(2, 3, device="reference")
    exp.dispatch(x)
    t.dispatch(x)
    assert exp.meta_results and t.meta_results
    before = gn.get_default_dtype()
    try:
        if why == "a backend":
            register_backend(gn.memory.backend.get_backend("reference"))
        else:
            gn.set_default_dtype(gn.float64)
        assert not exp.meta_results and not t.meta_results
    finally:
        gn.set_default_dtype(before)


# -- no other place lists operators ------------------------------------------------------------------------


def tables_of_names(path: Path, names: set[str]) -> list[str]:
    """The lines where a file names more than FEW operators in one display, call or string, with the names."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Set, ast.List, ast.Tuple)):
            given: list[Any] = list(node.elts)
        elif isinstance(node, ast.Dict):
            given = list(node.keys)
        elif isinstance(node, ast.Call):
            given = list(node.args)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            given = [ast.Constant(word) for word in re.findall(r"[\w.]+", node.value)]
        else:
            continue
        words = [each.value for each in given if isinstance(each, ast.Constant)]
        known = [word for word in dict.fromkeys(words) if isinstance(word, str) and word in names]
        if len(known) > FEW and 2 * len(known) >= len(words):  # else it is a sentence
            found.append(f"{path.parent.name}/{path.name}:{node.lineno}: {' '.join(known)}")
    return found


def all_names() -> set[str]:
    return {name for operator in operators() for name in (operator.name, operator.schema.name)}


def test_nothing_but_the_records_lists_operators() -> None:
    files = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    assert len(files) > 40
    names = all_names()
    assert [line for path in files for line in tables_of_names(path, names)] == []


@pytest.mark.parametrize(
    "table",
    [
        "LINEAR = frozenset('neg clone sum mean flip'.split())",
        "LINEAR = {'neg', 'clone', 'sum.dim_IntList', 'mean', 'flip'}",
        "RULES = {'mm': f, 'bmm': f, 'addmm': f, 'baddbmm': f, 'addr': f}",
        "OVER_ALL = re.compile(r'(argmax|argmin|aminmax|max|mean)$')",
        "LINEAR = ('neg', 'clone', 'sum', 'mean', 'flip')",
        "@rule_of('mm', 'bmm', 'addmm', 'baddbmm', 'addr')\ndef rule(): ...",
    ],
)
def test_a_table_of_operators_would_be_seen(table: str, tmp_path: Path) -> None:
    planted = tmp_path / "rules.py"
    planted.write_text(f"import re\n\n{table}\n")
    (line,) = tables_of_names(planted, all_names())
    assert line.startswith(f"{tmp_path.name}/rules.py:3: ")


def test_an_operator_has_one_batching_rule() -> None:
    """It is registered by hand, named by the record, or derived; CompositeImplicit operators have none."""
    for name in batching._written_out:
        assert aten._find(name).record.batching == Batching(), name
    for operator in operators():
        rule = operator.record.batching.rule
        if not rule:
            continue
        assert operator.record.composite is None and operator.record.base is None, operator.name
        if rule == "composed":
            assert operator.record.explicit is not None, operator.name
        elif rule != "random":
            assert batching_rules.find_rule(operator) is batching_rules._RULES[rule], operator.name


def test_every_kind_of_batching_is_of_some_operator() -> None:
    used = {operator.record.batching.rule for operator in operators()}
    assert used == set(record.get_args(record.BatchingRule))
    assert set(batching_rules._RULES) == used - {"", "composed", "random"}
