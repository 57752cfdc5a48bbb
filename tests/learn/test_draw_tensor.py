"""A tensor's drawing has each element with its place in the storage, and the strides as steps."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import gnomon as gn
from gnomon.learn.draw_tensor import draw_tensor

SVG = "{http://www.w3.org/2000/svg}"


def tips(tensor: gn.Tensor, start: str) -> list[str]:
    root = ElementTree.fromstring(draw_tensor(tensor).svg)
    found = [each.text for each in root.iter(f"{SVG}title")]
    return [each for each in found if each.startswith(start)]


def texts(tensor: gn.Tensor, **options: bool) -> list[str]:
    root = ElementTree.fromstring(draw_tensor(tensor, **options).svg)
    return [each.text for each in root.iter(f"{SVG}text")]


@st.composite
def views(draw):
    """A view of at most three dimensions of a storage of 60 elements, which may overlap itself."""
    sizes = draw(st.lists(st.integers(1, 4), max_size=3))
    strides = [draw(st.integers(0, 6)) for _ in sizes]
    offset = draw(st.integers(0, 5))
    return gn.arange(60, device="reference").as_strided(sizes, strides, offset)


@given(views())
@settings(max_examples=40, deadline=None)
def test_each_element_is_at_its_place(tensor):
    """The storage holds its own places as numbers, so the value of an element is its place."""
    elements = tips(tensor, "element")
    flat = tensor.flatten().tolist()
    assert len(elements) == len(flat)
    for text, value in zip(elements, flat):
        found = re.match(r"element \[(.*)\] is (\d+), at place (\d+) of the storage$", text)
        assert int(found[2]) == int(found[3]) == value
        index = [int(each) for each in found[1].split(",") if each]
        assert tensor[tuple(index)].item() == value
    places = tips(tensor, "place")
    assert len(places) == 60
    for place, text in enumerate(places):
        assert text == f"place {place}, byte {8 * place}: {flat.count(place)} elements"


def test_strides_and_facts():
    x = gn.arange(24.0, device="reference").view(2, 3, 4)[:, 1:, ::2].transpose(1, 2)
    shown = texts(x)
    assert shown[:2] == [
        "float32 [2, 2, 2], strides [12, 2, 4], storage_offset 4",
        "not contiguous; the storage has 96 bytes, an element 4",
    ]
    assert [each for each in shown if each.startswith("dimension")] == [
        "dimension 0: a step of 12 elements, 48 bytes",
        "dimension 1: a step of 2 elements, 8 bytes",
        "dimension 2: a step of 4 elements, 16 bytes",
    ]
    assert [each for each in shown if each.startswith("[")] == ["[0, :, :]", "[1, :, :]"]
    assert draw_tensor(x).svg.count("marker-end") == 3


def test_elements_that_share_a_place():
    x = gn.arange(3.0, device="reference").expand(4, 3)
    assert "12 elements have 3 places" in texts(x)[1]
    assert texts(x).count("x4") == 3
    assert "dimension 0: a step of 0 elements, 0 bytes" in texts(x)


def test_a_step_of_one():
    assert "dimension 0: a step of 1 element, 4 bytes" in texts(gn.zeros(3))
    assert "dimension 0: a step of 1 element, 1 byte" in texts(gn.zeros(3, dtype=gn.uint8))


def test_places_of_very_many_elements_are_counted():
    """No element is visited: the counts follow from sizes and strides."""
    assert f"x{10**12}" in texts(gn.ones(1).expand(10**6, 10**6))
    shown = texts(gn.arange(3.0).expand(10**9, 3))
    assert shown.count(f"x{10**9}") == 3 and shown[1].startswith("not contiguous")
    assert "… 99999999994 more pages" in texts(gn.ones(1, 1).expand(10**11, 1, 1))


def test_bytes_of_a_storage():
    x = gn.tensor([1.0, -2.0], device="reference")
    assert "00 00 80 3f" in texts(x, as_bytes=True) and "00 00 00 c0" in texts(x, as_bytes=True)
    assert "ff ff" in texts(gn.tensor([-1], dtype=gn.int16, device="reference"), as_bytes=True)
    assert "01" in texts(gn.tensor([True], device="reference"), as_bytes=True)


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        (lambda: gn.zeros(9, 13), ["… 1 more rows", "… 1 more"]),
        (lambda: gn.zeros(7, 1, 1), ["… 1 more pages"]),
        (lambda: gn.zeros(130), ["… 118 more", "… 2 more places"]),
    ],
)
def test_large_tensors_are_drawn_in_part(tensor, said):
    shown = texts(tensor())
    assert [each for each in shown if each.startswith("…") and len(each) > 1] == said


@pytest.mark.parametrize(
    "tensor", [lambda: gn.tensor(3.0), lambda: gn.empty(0, 3), lambda: gn.tensor([1 + 2j])]
)
def test_other_tensors_are_drawn(tensor):
    assert texts(tensor())[0].startswith(f"{str(tensor().dtype).split('.')[1]} {list(tensor().shape)}")


def test_a_tensor_on_another_backend(device: str):
    assert "2.5" in texts(gn.tensor([2.5], requires_grad=True))
