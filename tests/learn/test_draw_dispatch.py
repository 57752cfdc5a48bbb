"""The drawing of a call's dispatch has the computed table, the key set, and the kernels that ran."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import gnomon as gn
from gnomon.learn.draw_dispatch import draw_dispatch
from gnomon.values.dispatch_key import KEYS

SVG = "{http://www.w3.org/2000/svg}"


def test_the_table_and_the_keys_that_are_passed():
    a = gn.ones(2, requires_grad=True, device="reference")
    drawing = draw_dispatch(lambda: a * 2)
    assert drawing.title == "Dispatch of mul.Tensor"
    assert drawing.description == "key set Autograd, ADInplaceOrView, Dense; passed Autograd, Dense"
    root = ElementTree.fromstring(drawing.svg)
    shown = [each.text for each in root.iter(f"{SVG}text")]
    assert [each for each in shown if each in {key.name for key in KEYS}] == [
        key.name for key in reversed(KEYS)
    ]
    strong = [each.text for each in root.iter(f"{SVG}text") if each.get("class") == "ink strong"]
    assert strong == ["aten::mul.Tensor", "Autograd", "ADInplaceOrView", "Dense"]
    assert [each.split()[:2] for each in shown if each[:1].isdigit()] == [
        ["1.", "autograd_kernel"],
        ["2.", "run_functional"],
    ]
    assert shown[shown.index("ADInplaceOrView") + 1] == "fallthrough"
    assert drawing.svg.count("marker-end") == 1


def test_a_call_without_autograd_and_one_of_a_view():
    a = gn.ones(2, 3, device="reference")
    assert draw_dispatch(lambda: a.exp()).description.endswith("passed Dense")
    assert draw_dispatch(lambda: a.t()).description.endswith("passed ADInplaceOrView, Dense")


def test_only_the_first_call_is_drawn():
    a = gn.ones(2, device="reference")
    assert draw_dispatch(lambda: (a + 1, a.exp())).title == "Dispatch of add.Tensor"
    assert draw_dispatch(lambda: gn.eye(2).to_sparse() @ gn.ones(2, 2)).title == "Dispatch of eye"
    s, x = gn.eye(2, device="reference").to_sparse(), gn.ones(2, 2, device="reference")
    assert "Sparse" in draw_dispatch(lambda: s @ x).description
