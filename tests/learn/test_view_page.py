"""The page in a browser: typing, keys, linked cells, phones, dark mode, screen readers; and the command."""

from __future__ import annotations

import json
import re
import urllib.parse
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.cli import main
from gnomon.learn.view import page
from gnomon.learn.view.contents import contents_of
from view_browser import browser, opened_page

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}


@pytest.fixture(scope="module")
def opened() -> Any:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("view") / "page.html"
    made.write_text(page(), "utf-8")
    return made


@pytest.fixture
def view(opened: Any, file: Path) -> Iterator[Any]:
    with opened_page(opened, file) as found:
        yield found


def message(view: Any, mode: str = "views") -> str:
    return view.text_content(f"#{mode}-message")


def address(view: Any, has: str) -> dict[str, list[str]]:
    """The state in the address, once it has a text."""
    view.wait_for_function("(has) => decodeURIComponent(location.hash).includes(has)", arg=has)
    return urllib.parse.parse_qs(view.evaluate("location.hash").lstrip("#"), keep_blank_values=True)


# -- views --------------------------------------------------------------------------------------------------


def test_typing_a_chain_shows_its_tensor_and_storage(view: Any) -> None:
    view.fill("#expression", "arange(6).view(2, 3).t()")
    assert message(view) == "sizes (3, 2), strides (1, 3), storage_offset 0, int64"
    rows = view.locator("#elements tbody tr").all_inner_texts()
    assert [each.split() for each in rows] == [
        ["0", "0", "0", "3", "3"],
        ["1", "1", "1", "4", "4"],
        ["2", "2", "2", "5", "5"],
    ]
    assert view.locator("#views-steps button").all_inner_texts() == ["arange(6)", ".view(2, 3)", ".t()"]
    assert view.locator("#storage td[data-place]").count() == 6
    facts = dict(row.split("\t") for row in view.locator("#views-facts tbody tr").all_inner_texts())
    assert facts["is_contiguous()"] == "no" and facts["non-overlapping and dense"] == "yes"
    view.fill("#expression", "arange(6).view(2, 3).t(")
    assert message(view).startswith("SyntaxError: expected an expression")
    assert view.get_attribute("#expression", "aria-invalid") == "true"


def test_a_mistake_shows_the_steps_before_it(view: Any) -> None:
    view.fill("#expression", "arange(6).view(2, 3).view(7)")
    assert (
        message(view) == "RuntimeError: view: shape '[7]' is invalid for input of size 6: it has 7 elements"
    )
    assert view.locator("#views-steps button").count() == 2
    assert view.locator("#elements td").count() == 6


def test_a_step_can_be_chosen_and_a_copy_says_so(view: Any) -> None:
    view.fill("#expression", "arange(6).view(2, 3).t().reshape(6).view(6)")
    copies = view.locator("#views-steps button:has(.copy)").all_inner_texts()
    assert copies == [".reshape(6) copy"]
    values = "#elements td b"
    assert view.locator(values).all_inner_texts() == ["0", "3", "1", "4", "2", "5"]
    view.click("#views-steps button >> nth=0")
    assert view.locator(values).all_inner_texts() == ["0", "1", "2", "3", "4", "5"]


def test_the_fields_of_x(view: Any) -> None:
    view.fill("#expression", "x")
    view.click("#x-fields summary")
    for field, value in (("sizes", "2, 2"), ("strides", "1, 1"), ("offset", "1"), ("elements", "5")):
        view.fill(f"#x-{field}", value)
    assert message(view) == "sizes (2, 2), strides (1, 1), storage_offset 1, float32"
    assert "4 elements have 3 places" in view.inner_text("#views-facts")
    counts = view.locator("#storage td[data-place]").evaluate_all(
        "cells => cells.map(each => each.dataset.count)"
    )
    assert counts == ["0", "1", "2", "1", "0"]
    view.fill("#x-strides", "-1, 1")
    assert "Negative strides are not supported at the moment, got strides: [-1, 1]" in message(view)
    view.fill("#x-strides", "9, 1")
    assert "out of bounds for storage of size 20" in message(view)
    view.fill("#x-strides", "two")
    assert message(view) == 'TypeError: Strides: expected integers, as 2, 3, got "two"'


def test_another_shape_says_why_only_reshape_can(view: Any) -> None:
    view.fill("#expression", "arange(12).view(3, 4).t()")
    view.fill("#wish", "12")
    assert view.text_content("#wish-answer").startswith(
        "Only reshape(12) can, by a copy: new dimension 0 would need 12"
    )
    assert view.locator("#wish-chunks tbody tr").count() == 2
    view.fill("#wish", "2, 2, -1")
    assert view.text_content("#wish-answer") == "view(2, 2, 3) can do it, with strides (2, 1, 4)."
    view.fill("#wish", "5, 5")
    assert (
        view.text_content("#wish-answer")
        == "RuntimeError: view: shape '[5, 5]' is invalid for input of size 12: it has 25 elements"
    )


def test_cells_are_linked_both_ways(view: Any) -> None:
    view.fill("#expression", "arange(6).expand(2, 6)")
    linked = "document.querySelectorAll('.linked').length"
    view.hover("#storage td[data-place='4']")
    assert view.evaluate(linked) == 3
    assert view.text_content("#linked") == "Place 4, byte 32: 2 elements share it: [0, 4] [1, 4]"
    view.hover("h1")
    assert view.evaluate(linked) == 0
    view.hover("#elements td[data-index='1, 2']")
    assert view.evaluate(linked) == 3
    assert view.locator("#storage .linked").get_attribute("data-place") == "2"


def test_keys_in_grids(view: Any) -> None:
    view.fill("#expression", "arange(24).view(2, 3, 4)")
    assert view.locator("#elements td[tabindex='0']").count() == 1
    view.focus("#elements td[tabindex='0']")
    here = "document.activeElement.dataset.index ?? 'storage ' + document.activeElement.dataset.place"
    for key, wanted in (
        ("ArrowRight", "0, 0, 1"), ("ArrowDown", "0, 1, 1"), ("End", "0, 1, 3"), ("ArrowRight", "0, 2, 0"),
        ("ArrowLeft", "0, 1, 3"), ("Home", "0, 1, 0"), ("ArrowUp", "0, 0, 0"), ("PageDown", "1, 0, 0"),
        ("ArrowUp", "1, 0, 0"), ("PageUp", "0, 0, 0"), ("ArrowDown", "0, 1, 0"), ("Enter", "storage 4"),
    ):  # fmt: skip
        view.keyboard.press(key)
        assert view.evaluate(here) == wanted, key
    assert view.locator("#elements .linked").get_attribute("data-index") == "0, 1, 0"


def test_pages_rows_and_columns_of_large_tensors(view: Any) -> None:
    view.fill("#expression", "arange(1000000).view(10, 10, 100, 100)")
    assert view.locator("#elements td").count() == 256
    view.click("#elements-bar button >> nth=1")
    assert view.text_content("#elements figcaption") == "[0, 1, :, :]"
    view.fill("#elements-bar input >> nth=1", "90")
    view.keyboard.press("Tab")
    assert view.locator("#elements td").first.get_attribute("data-index") == "0, 1, 0, 84"
    view.focus("#elements td >> nth=0")
    view.keyboard.press("Enter")
    assert (
        view.evaluate("document.activeElement.closest('#storage') && document.activeElement.dataset.place")
        == "10084"
    )
    assert "of 1000000" in view.text_content("#storage-bar")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("arange(1000000000000)", "sizes (1000000000000,)"),
        ("zeros(1).expand(1000000, 1000000)", "strides (0, 0)"),
        ("zeros(0, 3, 2)", "sizes (0, 3, 2)"),
        ("zeros(())", "sizes ()"),
        ("arange(256).view(2, 2, 2, 2, 2, 2, 2, 2)", "strides (128, 64, 32, 16, 8, 4, 2, 1)"),
        (f"zeros({', '.join(['1'] * 64)})", "sizes (1, 1"),
        ("arange(9)" + ".t()" * 3000, "sizes (9,)"),
        ("arange(1000000).as_strided((1000, 1000), (3, 5))", "strides (3, 5)"),
        ("arange(4).unfold(0, 4, 1)[0][0][0]", "IndexError"),
        ("<img src=x onerror=alert(1)>", "SyntaxError"),
        ("arange(3)[", "SyntaxError"),
        ("'" * 30, "SyntaxError"),
        ("__proto__", "NameError"),
        ("arange(3).constructor(1)", "AttributeError: 'Tensor' object has no attribute 'constructor'"),
        ("arange(3).view(__proto__=1)", "TypeError"),
        ("x.toString", "AttributeError"),
        ("arange(1e400)", "unsupported range"),
        ("zeros(2, 3, dtype=gn.complex128)", "complex128"),
    ],
)
def test_a_hostile_reader(view: Any, text: str, says: str) -> None:
    """Huge, empty, without dimensions, overlapping, or nonsense: an answer, and no error in the page."""
    view.click("#x-fields summary")
    view.fill("#x-sizes", "2")
    view.fill("#expression", text)
    assert says in message(view)
    assert view.locator("td[data-place]").count() < 700
    assert view.locator("img").count() == 0


# -- iteration and autograd ----------------------------------------------------------------------------------


def test_steps_of_the_iteration_by_keys_and_buttons(view: Any) -> None:
    view.click("#tab-iteration")
    view.select_option("#iteration-example", label="All contiguous: one loop")
    texts = []
    view.focus("#iteration-steps button >> nth=3")
    for _ in range(30):
        texts.append(view.text_content("#iteration-steps .step-text"))
        if view.get_attribute("#iteration-steps button >> nth=3", "aria-disabled") == "true":
            break
        view.keyboard.press("ArrowRight")
    assert texts[0].startswith("The operands broadcast to [2, 3, 4]")
    assert texts[-1].startswith("The inner loop runs over dimension 0, 24 elements")
    assert any("FastSetupType::CONTIGUOUS" in each for each in texts)
    view.keyboard.press("Home")
    assert view.text_content("#iteration-steps .step-text") == texts[0]
    view.click("#iteration-steps button >> nth=3")
    assert view.text_content("#iteration-steps .step-text") == texts[1]
    view.click("#iteration-steps button >> nth=1")
    assert view.text_content("#iteration-steps .step-text") == texts[0]
    assert "for i0 in range(24):    # the inner loop" in view.text_content("#loops")


def test_playing_runs_to_the_end_and_stops(opened: Any, file: Path) -> None:
    with opened_page(opened, file) as view:
        view.clock.install()
        view.click("#tab-autograd")
        view.click("#autograd-steps .play")
        assert view.text_content("#autograd-steps .play") == "Pause"
        view.clock.run_for(2500)
        assert view.input_value("#autograd-steps input[type=range]") == "2"
        view.click("#autograd-steps .play")
        view.clock.run_for(10_000)
        assert view.input_value("#autograd-steps input[type=range]") == "2"
        view.click("#autograd-steps .play")
        view.clock.run_for(60_000)
        assert view.text_content("#autograd-steps .play") == "Play"
        assert view.text_content("#autograd-steps .step-text") == "Accumulate: the grad of y is [1, 2]."


def test_operands_that_do_not_broadcast_or_promote(view: Any) -> None:
    view.click("#tab-iteration")
    view.fill("[aria-label='Sizes of b']", "5")
    view.fill("[aria-label='Strides of b']", "")
    wanted = "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 2"
    assert message(view, "iteration") == f"RuntimeError: {wanted}: [2, 3, 4] and [5] do not broadcast"
    view.fill("[aria-label='Sizes of b']", "4")
    view.select_option("[aria-label='dtype of b']", "uint64")
    view.select_option("[aria-label='dtype of a']", "int32")
    assert "Promotion for uint16, uint32, uint64 types is not supported" in message(view, "iteration")
    view.select_option("[aria-label='dtype of b']", "number: float")
    assert message(view, "iteration").startswith(
        "The common dtype is float32; converted copies are made of a from int32"
    )


def test_steps_of_the_engine(view: Any) -> None:
    view.click("#tab-autograd")
    assert message(view, "autograd").startswith("6 Nodes. The result is 12.7508.")
    view.click("[aria-label='Last step'] >> nth=1")
    assert view.locator("#grads tbody tr").all_inner_texts() == [
        "x\t[3.5403, 3.5839]\t[3.5403, 3.5839]",
        "y\t[1, 2]\t[1, 2]",
    ]
    view.keyboard.press("Home")
    for _ in range(7):
        view.keyboard.press("ArrowRight")
    assert "goes into the buffer of AddBackward0" in view.text_content("#autograd-steps .step-text")
    assert view.text_content("#ready") == "AddBackward0, sequence_nr 2"
    assert view.locator("#graph path.active").count() == 1
    labels = view.locator("#graph g").evaluate_all(
        "groups => groups.map(each => each.getAttribute('aria-label'))"
    )
    assert labels[0] == "SumBackward0: has run" and labels[1] == "AddBackward0: ready; buffer: [1, 1]"
    view.fill("#autograd-expression", "x.foo()")
    assert message(view, "autograd").startswith("AttributeError: 'Tensor' object has no attribute 'foo'")
    assert view.locator("#graph svg").count() == 0


def test_a_graph_of_hundreds_of_nodes(view: Any) -> None:
    view.click("#tab-autograd")
    view.fill("#autograd-variables", "x = ones(2, requires_grad=True)")
    view.fill("#autograd-expression", f"({' + '.join(['x'] * 300)}).sum()")
    assert message(view, "autograd").startswith("301 Nodes")
    view.click("[aria-label='Last step'] >> nth=1")
    assert view.locator("#grads td").last.text_content() == "[300, 300]"


# -- the page as a whole ----------------------------------------------------------------------------------


def test_tabs_by_keys(view: Any) -> None:
    view.focus("#tab-views")
    view.keyboard.press("ArrowRight")
    assert view.evaluate("document.activeElement.id") == "tab-iteration"
    assert view.is_visible("#panel-iteration") and view.is_hidden("#panel-views")
    view.keyboard.press("ArrowLeft")
    view.keyboard.press("ArrowLeft")
    assert view.get_attribute("#tab-autograd", "aria-selected") == "true"


def test_the_address_holds_the_state(view: Any, opened: Any, file: Path) -> None:
    view.fill("#expression", "arange(8).view(2, 4)[:, 1]")
    view.fill("#wish", "2, 1")
    state = address(view, "2, 1".replace(" ", "+"))
    assert state["e"] == ["arange(8).view(2, 4)[:, 1]"] and state["mode"] == ["views"]
    view.click("#tab-autograd")
    view.fill("#autograd-variables", "w = tensor(2.0, requires_grad=True)")
    view.fill("#autograd-expression", "w * w & w".replace("&", "+"))
    view.click("[aria-label='Step forward'] >> nth=1")
    assert address(view, "gstep=1")["with"] == ["w = tensor(2.0, requires_grad=True)"]
    link = view.evaluate("location.hash")
    with opened_page(opened, file) as other:
        other.goto(file.as_uri() + link)
        other.reload()
        assert other.input_value("#autograd-expression") == "w * w + w"
        assert other.get_attribute("#tab-autograd", "aria-selected") == "true"
        assert other.input_value("#autograd-steps input[type=range]") == "1"


def test_an_address_of_nonsense(opened: Any, file: Path) -> None:
    with opened_page(opened, file) as view:
        view.goto(
            file.as_uri()
            + "#mode=__proto__&e=%00%ff&operand=|||&operand=a|b|c&gstep=-9e99&grad=((&sizes=zz&dtype=none"
        )
        view.reload()
        assert view.get_attribute("#tab-views", "aria-selected") == "true"
        assert message(view).startswith("SyntaxError")


@pytest.mark.parametrize("mode", ["views", "iteration", "autograd"])
def test_a_phone_has_no_horizontal_overflow(opened: Any, file: Path, mode: str) -> None:
    with opened_page(opened, file, **PHONE) as view:
        view.click(f"#tab-{mode}")
        if mode == "views":
            view.fill("#expression", "arange(4096).view(2, 2, 32, 32).transpose(0, 3)" + ".t"[:0])
        width = "document.documentElement.scrollWidth <= window.innerWidth"
        assert view.evaluate(width)
        wide = """() => [...document.querySelectorAll('main *')].filter((each) => {
            const box = each.getBoundingClientRect();
            return box.width && box.right > innerWidth && !each.closest('.scroll, figure, pre, .steps');
        }).length"""
        assert view.evaluate(wide) == 0
        small = """() => [...document.querySelectorAll('button, input, select')].filter((each) => {
            const box = each.getBoundingClientRect();
            return box.width && each.type !== 'range' && box.height < 30;
        }).length"""
        assert view.evaluate(small) == 0


def brightness(view: Any, element: str) -> float:
    color = view.evaluate(f"getComputedStyle(document.querySelector('{element}')).backgroundColor")
    return sum(float(each) for each in re.findall(r"[\d.]+", color)[:3]) / 3


def test_dark_mode_by_the_system_and_by_the_switch(opened: Any, file: Path) -> None:
    with opened_page(opened, file, color_scheme="dark") as view:
        assert brightness(view, "body") < 60 and brightness(view, "#elements td") < 110
        view.click("#theme")
        view.click("#theme")
        assert view.text_content("#theme") == "Theme: light"
        assert brightness(view, "body") > 200 and brightness(view, "#elements td") > 180
    with opened_page(opened, file, color_scheme="light") as view:
        assert brightness(view, "body") > 200
        view.click("#theme")
        assert brightness(view, "body") < 60


CONTRAST = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const parse = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((each) => each / 255)
        .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
        .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
    const behind = (each) => {
        for (; each; each = each.parentElement) {
            const color = parse(getComputedStyle(each).backgroundColor);
            if (color[3] > 0) return color;
        }
        return [255, 255, 255, 255];
    };
    const bad = [];
    const shown = "h1, h2, p, label, th, td, b, small, button, summary, input, li, span";
    for (const each of document.querySelectorAll(shown)) {
        const isOff = each.closest("[aria-disabled=true], :disabled");
        if (!each.offsetParent || !each.textContent.trim() || isOff) continue;
        const [front, back] = [light(parse(getComputedStyle(each).color)), light(behind(each))];
        const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
        if (ratio < 4.5) bad.push([each.tagName, each.textContent.slice(0, 30), ratio]);
    }
    return bad;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast(opened: Any, file: Path, scheme: str) -> None:
    with opened_page(opened, file, color_scheme=scheme, reduced_motion="reduce") as view:
        for mode in ("views", "iteration", "autograd"):
            view.click(f"#tab-{mode}")
            assert view.evaluate(CONTRAST) == []


def test_every_control_has_a_name(view: Any) -> None:
    """What a screen reader is told: fields have labels, buttons texts, tables names."""
    view.fill("#expression", "arange(100000).view(10, 100, 100)")
    unnamed = """() => {
        const named = 'input, select, textarea, button, table, [role=grid], [role=group], svg g';
        const hasLabel = (each) => [...(each.labels ?? [])].some((label) => label.textContent.trim());
        const hasText = (each) => each.tagName === 'BUTTON' && /\\w/.test(each.textContent);
        return [...document.querySelectorAll(named)]
            .filter((each) => !each.getAttribute('aria-label') && !hasLabel(each) && !hasText(each))
            .map((each) => each.outerHTML.slice(0, 120));
    }"""
    assert view.evaluate(unnamed) == []
    missing = """() => ['aria-describedby', 'aria-controls', 'aria-labelledby'].flatMap((name) =>
        [...document.querySelectorAll(`[${name}]`)].map((each) => each.getAttribute(name))
    ).filter((id) => !document.getElementById(id))"""
    assert view.evaluate(missing) == []
    ids = view.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))
    for name in ("views-message", "linked", "wish-answer", "iteration-message", "autograd-message"):
        assert view.get_attribute(f"#{name}", "aria-live") == "polite"
    assert view.get_attribute("html", "lang") == "en" and view.title() == "gnomon view"
    assert view.get_by_role("textbox", name="Expression").count() == 1
    assert view.get_by_role("tab").count() == 3 and view.get_by_role("grid").count() > 1
    assert view.get_by_role("gridcell", name="element [0, 0, 1] is 1, at place 1", exact=True).count() == 1


def test_everything_is_reached_by_tab(view: Any) -> None:
    seen = []
    view.focus("#tab-views")
    for _ in range(20):
        view.keyboard.press("Tab")
        seen.append(
            view.evaluate(
                """(document.activeElement.id
                    || document.activeElement.closest('#elements, #storage, #views-steps, #x-fields')?.id)"""
            )
        )
    wanted = {"expression", "views-example", "x-fields", "views-steps", "elements", "storage", "wish"}
    assert wanted - set(seen) == set()


def test_nothing_moves_when_a_mistake_is_typed(view: Any) -> None:
    where = """() => ['#elements', '#storage', '#wish']
        .map((each) => document.querySelector(each).getBoundingClientRect().top)"""
    before = view.evaluate(where)
    view.fill("#expression", "arange(24).view(2, 3, 4).transpose(0, 7)")
    assert message(view).startswith("IndexError: transpose: Dimension out of range")
    view.hover("#elements td >> nth=0")
    assert view.evaluate(where)[:2] == before[:2]


def test_print_has_the_contents_and_no_controls(view: Any) -> None:
    view.emulate_media(media="print")
    assert view.is_hidden(".tools") and view.is_visible("#elements td >> nth=0")


# -- the command ------------------------------------------------------------------------------------------


def started(file: Path) -> Any:
    (text,) = re.findall(r"^ *const GNOMON = (.*);$", file.read_text("utf-8"), re.MULTILINE)
    return json.loads(text)["start"]


def test_the_page_is_one_file_that_names_no_other() -> None:
    text = page()
    assert re.findall(r"""(?:src|href)=["'](?!#)""", text) == []
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
    assert "/* scripts */" not in text and "/* styles */" not in text


def test_the_command_writes_a_tensor(tmp_path: Path, capsys: pytest.CaptureFixture[str], opened: Any) -> None:
    file = tmp_path / "x.html"
    assert main(["view", "x.t()[1:]", "--with", "x = gn.arange(6).view(2, 3)", "--output", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}\n" and [each.name for each in tmp_path.iterdir()] == ["x.html"]
    found = started(file)
    assert (found["mode"], found["tensor"]) == (
        "views",
        {"sizes": [2, 2], "strides": [1, 3], "offset": 1, "dtype": "int64", "elements": 6},
    )
    with opened_page(opened, file) as view:
        assert message(view) == "sizes (2, 2), strides (1, 3), storage_offset 1, int64"


def test_the_command_writes_the_operands_of_a_call(tmp_path: Path, opened: Any) -> None:
    file = tmp_path / "x.html"
    setup = "x = gn.ones(2, 3).t(); y = gn.ones(2, dtype=gn.int32)"
    assert main(["view", "x + y", "--with", setup, "--output", str(file)]) == 0
    assert started(file)["operands"] == [
        {"sizes": [3, 2], "strides": [1, 3], "dtype": "float32"},
        {"sizes": [2], "strides": [1], "dtype": "int32"},
    ]
    with opened_page(opened, file) as view:
        assert view.get_attribute("#tab-iteration", "aria-selected") == "true"
        assert (
            message(view, "iteration")
            == "The common dtype is float32; converted copies are made of b from int32."
        )
    assert main(["view", "x * 2", "--with", setup, "--output", str(file)]) == 0
    assert started(file)["operands"][1] == {"number": "int"}


def test_the_command_writes_a_graph(tmp_path: Path, opened: Any) -> None:
    file = tmp_path / "x.html"
    setup = "x = gn.tensor([1.0, 2.0], requires_grad=True)"
    assert main(["view", "x.softmax(0).max()", "--with", setup, "--output", str(file)]) == 0
    with opened_page(opened, file) as view:
        assert view.get_attribute("#tab-autograd", "aria-selected") == "true"
        assert (
            message(view, "autograd")
            == "3 Nodes. The graph that the command recorded; its gradients are gnomon's."
        )
        view.click("[aria-label='Last step'] >> nth=1")
        x = gn.tensor([1.0, 2.0], requires_grad=True)
        x.softmax(0).max().backward()
        wanted = ", ".join(f"{each:.4f}" for each in x.grad.tolist())
        assert view.locator("#grads td").last.text_content() == f"[{wanted}]"
        view.fill("#autograd-expression", "x")
        assert message(view, "autograd").startswith("NameError")
        view.select_option("#autograd-example", label="The command's graph")
        assert message(view, "autograd").startswith("3 Nodes")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["3"], "TypeError: view: expected a tensor, got int"),
        (["x +"], "SyntaxError"),
        (["gn.nothing"], "AttributeError"),
        (["gn.ones(2, device='meta').to_sparse()"], "Error"),
        (["gn.eye(2).to_sparse()"], "ValueError: view: a SparseTensor of float32 on"),
        (["gn.quantize_per_tensor(gn.ones(2), 0.1, 0, gn.qint8)"], "of qint8 on"),
        (["gn.ones(2)", "--output", "/nonexistent/x.html"], "FileNotFoundError"),
    ],
)
def test_mistakes_of_the_command(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "--no-browser", *arguments]) == 1
    found = capsys.readouterr().err
    assert found.startswith("gnomon view: ") and says in found


def test_the_command_opens_a_browser_unless_told_not_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []

    def note(address: str) -> bool:
        seen.append(address)
        return False

    monkeypatch.setattr(webbrowser, "open", note)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["view"]) == 0
    (file,) = tmp_path.iterdir()
    assert seen == [file.as_uri()] and started(file) is None
    assert "no browser was found" in capsys.readouterr().err
    assert main(["view", "--no-browser"]) == 0
    assert len(seen) == 1 and len(list(tmp_path.iterdir())) == 2


def test_a_name_in_the_page_can_not_end_its_script(opened: Any, tmp_path: Path) -> None:
    x = gn.ones(1, requires_grad=True)
    found = contents_of(lambda: x * 1, {"</script><b id=evil>": x})
    file = tmp_path / "x.html"
    file.write_text(page({"expression": "</script><b id=evil>", **found}), "utf-8")
    with opened_page(opened, file) as view:
        assert view.locator("#evil").count() == 0
        assert view.input_value("#autograd-expression") == "</script><b id=evil>"
