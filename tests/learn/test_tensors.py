"""learn/tensors.py: storage, sharers, strides drawn, and whether a tensor is a reference or a copy."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon.learn.report import Report
from gnomon.learn.sharing import is_held_only_by, sharers
from gnomon.learn.tensors import explain_tensor

pytestmark = pytest.mark.both_tiers


def shared(report: Report) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in report["Who shares the storage"].table().rows]


def verdict(report: Report) -> str:
    return " ".join(report["Reference or copy?"].blocks[0].rows)


def test_a_view_its_base_and_an_alias(device: str) -> None:
    x = gn.zeros(3, 4)
    turned, row, bare, copied = x.t(), x[1], x.detach(), x.clone()
    report = gn.explain(turned)
    assert row.shape == (4,) and bare.shape == (3, 4) and copied.shape == (3, 4)
    assert report.title == f"Tensor turned: float32 (4, 3) on {gn.device(device)}"
    assert shared(report) == [
        ("bare", "an alias that autograd does not track", "float32 (3, 4)", (4, 1), 0, "all", True),
        ("row", "another view of its base", "float32 (4,)", (1,), 4, "4 of 12", True),
        ("x", "its base", "float32 (3, 4)", (4, 1), 0, "all", True),
    ]
    assert verdict(report) == (
        "A reference: it is a view of x, which has the same storage. "
        "A write to it in place changes what 3 other tensors may show, among them bare, row, x."
    )
    assert report["Storage"].fact("bytes") == 48
    assert report["Tensor"].fact("strides in bytes") == (4, 16)


def test_a_base_and_its_views(device: str) -> None:
    x = gn.zeros(3, 4)
    first, last = x[:1], x[2:]
    assert [row[:2] for row in shared(gn.explain(x))] == [("first", "a view of it"), ("last", "a view of it")]
    report = gn.explain(first)
    assert [(row[0], row[5]) for row in shared(report)] == [("last", "none"), ("x", "all")]
    assert "changes what 1 other tensor may show, among them x." in verdict(report).replace("last, ", "")
    assert last.shape == (1, 4)


def test_a_copy(device: str) -> None:
    x = gn.zeros(3, 4)
    copied = x.clone()
    report = gn.explain(copied)
    assert verdict(report) == "A copy, or new memory: no other tensor has its storage."
    assert "Who shares the storage" not in report.text()
    assert report["Storage"].fact("other tensors on it") == 0


def test_sharers_that_are_gone_are_not_listed(device: str) -> None:
    x = gn.zeros(3)
    view = x.view(3)
    assert [each is view for each in sharers(x)] == [True]
    del view
    assert sharers(x) == []


def test_another_dtype(device: str) -> None:
    x = gn.zeros(4)
    halves = x.view(gn.int16)
    ((name, _, tensor, strides, offset, same, _),) = shared(gn.explain(x))
    assert (name, tensor, strides, offset, same) == ("halves", "int16 (8,)", (1,), 0, "all")
    assert shared(gn.explain(halves[1:2]))[-1][5] == "all"


def test_the_strides_are_drawn(device: str) -> None:
    x = gn.arange(12).view(3, 4)
    blocks = gn.explain(x[:, 1:3].t())["Strides"].blocks
    assert blocks[1].rows == [" 1  5  9", " 2  6 10"]
    assert blocks[3].rows == [".##..##..##."]
    assert blocks[4].rows == [
        "One step along dimension 0 is 1 element further.",
        "One step along dimension 1 is 4 elements further.",
    ]


def test_large_tensors_are_drawn_in_part(device: str) -> None:
    blocks = gn.explain(gn.zeros(2, 20, 30))["Strides"].blocks
    assert "at index (0,) of the first dimensions" in blocks[0].rows[0]
    assert len(blocks[1].rows) == 9 and blocks[1].rows[0].split() == [*map(str, range(12)), "…"]
    assert blocks[1].rows[8].strip() == "…" and len(blocks) == 3
    assert gn.explain(gn.tensor(5.0))["Strides"].blocks[1].rows == ["0"]
    assert gn.explain(gn.zeros(0, 3))["Strides"].blocks[0].rows == ["There are no elements."]


def test_an_expanded_tensor(device: str) -> None:
    report = gn.explain(gn.ones(3, 1).expand(3, 4))
    assert report["Tensor"].fact("memory order") == "with gaps or overlaps"
    assert "Some of its own elements share one place" in verdict(report)
    assert report["Strides"].blocks[1].rows[1] == "1 1 1 1"


def test_autograd(device: str) -> None:
    x = gn.ones(2, requires_grad=True)
    facts = gn.explain(x * 2)["Tensor"]
    assert facts.fact("grad_fn") == "MulBackward0" and facts.fact("requires_grad") is True
    assert gn.explain(x)["Tensor"].fact("grad_fn") == "none: it is a leaf"
    with gn.no_grad():
        view = x[:1]
    assert gn.explain(view)["Tensor"].fact("CreationMeta") == "NO_GRAD_MODE"
    with gn.inference_mode():
        made = gn.ones(2)
    assert gn.explain(made)["Tensor"].fact("version") == "an inference tensor has none"


def test_tensors_without_memory_of_their_own(device: str) -> None:
    assert "has no memory" in str(gn.explain(gn.ones(2, device="meta"))["Storage"])
    assert "its data are other tensors" in str(gn.explain(gn.eye(3).to_sparse())["Storage"])
    assert gn.explain(gn.nn.Parameter(gn.ones(2))).title.startswith("Parameter: float32 (2,)")


def test_repeated_elements_count_once(device: str) -> None:
    for tensor, nbytes in ((gn.zeros(1).expand(3), 4), (gn.zeros(2, 1).expand(2, 5), 8), (gn.zeros(0, 3), 0)):
        facts = dict(gn.explain(tensor)["Storage"].blocks[0].rows)
        assert facts["of these, the tensor's elements"] == nbytes


def test_names_are_those_of_the_caller(device: str) -> None:
    x = gn.ones(2)
    assert explain_tensor(x).title.startswith("Tensor: float32")
    assert explain_tensor(x, {"other": x.view(2), "own": x}).title.startswith("Tensor own: ")


def test_who_keeps_memory(device: str) -> None:
    held = [gn.zeros(3) + 1]
    held[0].untyped_storage()  # which makes it known to the garbage collector
    key = id(held[0])
    alone, others = is_held_only_by(key, {key: 1}), is_held_only_by(key, {})
    assert (alone, others) == (True, False)
    held.append(held[0].view(3))
    view = id(held[1])
    alone, others = is_held_only_by(key, {key: 1, view: 1}), is_held_only_by(key, {key: 1})
    assert (alone, others) == (True, False)
    assert is_held_only_by(id(object()), {}) is None
