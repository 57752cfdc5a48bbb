"""The records printed as native_functions.yaml and derivatives.yaml, which torchgen parses."""

from __future__ import annotations

import collections
import copy
from pathlib import Path
from typing import Any

import pytest

from gnomon.cli import main
from gnomon.dispatch.dispatcher import aten
from gnomon.learn.yaml_records import derivatives_yaml, native_functions_yaml


def entry(text: str, start: str) -> list[str]:
    """The lines of the entry that begins with ``start``, after the comment that says where its record is."""
    (found,) = [each for each in text.split("\n\n") if f"\n- {start}" in each]
    return found.splitlines()


def operators() -> list[Any]:
    return [each for packet in aten for each in packet.overloads.values()]


def test_every_operator_has_its_entry():
    lines = native_functions_yaml().splitlines()
    found = [line.removeprefix("- func: ") for line in lines if line.startswith("- func: ")]
    assert found == [str(each.schema) for each in operators()]


def test_a_structured_operator():
    text = native_functions_yaml()
    place, *lines = entry(text, "func: add.Tensor(")
    assert place.startswith("# ops/pointwise/arithmetic.py:")
    assert lines == [
        "- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "  variants: function, method",
        "  structured_delegate: add.out",
    ]
    assert entry(text, "func: add_.Tensor(")[-1] == "  structured_delegate: add.out"
    assert entry(text, "func: add.out(")[2:] == [
        "  variants: function",
        "  structured: True",
        "  dispatch:",
        "    CPU: add_out",
    ]


def test_other_kinds_of_operators():
    text = native_functions_yaml()
    assert entry(text, "func: linalg_inv(")[2:] == ["  variants: function", "  python_module: linalg"]
    assert "  tags: [nondeterministic_seeded]" in entry(text, "func: normal_(")
    assert "  tags: [view_copy]" in entry(text, "func: t_copy(")
    assert "    CompositeExplicitAutograd: view" in entry(text, "func: view(")
    assert any("device_check: NoCheck" in line for line in entry(text, "func: cat("))


def test_derivative_formulas():
    text = derivatives_yaml()
    assert entry(text, "name: mul.Tensor(")[1:] == [
        "- name: mul.Tensor(Tensor self, Tensor other) -> Tensor",
        '  self: "grad * conj(other)"',
        '  other: "grad * conj(self)"',
        "  # MulBackward0",
    ]
    assert "  output_differentiability: [True, False]" in entry(text, "name: sort.stable(")
    count = sum(each.record.base is None and bool(each.record.derivatives) for each in operators())
    assert text.count("- name: ") == count > 400


def test_the_command_prints_them(capsys):
    for name, text in (("native_functions", native_functions_yaml()), ("derivatives", derivatives_yaml())):
        assert main(["operators", "--yaml", name]) == 0
        assert capsys.readouterr().out == text
    with pytest.raises(SystemExit):
        main(["operators", "--yaml", "other"])


@pytest.mark.oracle
def test_torchgen_parses_them():
    import torchgen
    import yaml
    from torchgen.gen import LineLoader, parse_tags_yaml
    from torchgen.model import Location, NativeFunction
    from torchgen.packaged.autograd.load_derivatives import create_differentiability_info

    folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    tags = parse_tags_yaml(str(folder / "tags.yaml"))
    functions = []
    for each in yaml.load(native_functions_yaml(), Loader=LineLoader):
        function, _ = NativeFunction.from_yaml(each, Location("gnomon", each["__line__"]), tags, None)
        functions.append(function)
    by_schema = {str(each.func): each for each in functions}
    assert len(by_schema) == len(functions) == len(operators())
    by_signature = collections.defaultdict(list)
    for each in functions:
        by_signature[each.func.signature()].append(each)
    counter: collections.Counter[str] = collections.Counter()
    for each in yaml.safe_load(derivatives_yaml()):
        given = copy.deepcopy(each)
        outputs = given.pop("output_differentiability", None)
        definition = {"name": given.pop("name"), "dispatch": {"Default": given}}
        if outputs:
            definition["output_differentiability"] = outputs
        _, infos = create_differentiability_info(definition, by_signature, by_schema, counter, set())
        formulas = {name: each.formula for each in infos["Default"].derivatives for name in each.var_names}
        assert set(formulas) == {name for key in given for name in key.split(", ")}
