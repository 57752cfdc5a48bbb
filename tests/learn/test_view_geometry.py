"""The page's rules of views and promotion agree with the reference's, on generated cases."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.learn.view.view import page
from gnomon.values import dtype as dtypes
from gnomon.values import geometry
from view_browser import browser, opened_page


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file: Path = tmp_path_factory.mktemp("view") / "page.html"
    file.write_text(page(), "utf-8")
    with browser() as opened, opened_page(opened, file) as shown:
        yield shown


def asked(view: Any, function: str, cases: list[Any]) -> list[Any]:
    """What a function of the page returns for each case; of a GnomonError [its kind, its message]."""
    script = """(cases) => cases.map((each) => {
        try { return (%s)(...each); }
        catch (error) {
            if (!(error instanceof GnomonError)) throw error;
            return [error.kind, error.message];
        }
    })"""
    return view.evaluate(script % function, cases)


def answer(function: Any, *given: Any) -> Any:
    """What a function of gnomon returns, or [its error's class, message], as JSON has it."""
    try:
        return plain(function(*given))
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError, NotImplementedError) as error:
        return [type(error).__name__, str(error)]


def plain(value: Any) -> Any:
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def geometries(count: int, seed: int, most_dims: int = 5) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Sizes and strides: contiguous, permuted, expanded, with gaps, channels last, or of any kind."""
    choose = random.Random(seed)
    found = []
    for _ in range(count):
        ndim = choose.choice([*range(most_dims + 1), 4, 4, 5])
        some = [0, 1, 1, 2, 2, 3, 4, 6], [1, 2, 3, 4], [1, 2, 3, 4]
        sizes = tuple(choose.choice(choose.choice(some)) for _ in range(ndim))
        order = list(range(ndim))
        if choose.random() < 0.5:
            choose.shuffle(order)
        strides, step = [0] * ndim, 1
        for dim in reversed(order):
            strides[dim] = step
            step *= max(sizes[dim], 1)
            if choose.random() < 0.15:
                step += choose.randrange(3)
        if ndim in (4, 5) and choose.random() < 0.3:
            strides = list(geometry.channels_last_strides(sizes))
        for dim in range(ndim):
            if choose.random() < 0.1:
                strides[dim] = choose.choice([0, 1, 2, 5])
        found.append((sizes, tuple(strides)))
    return found


def same_number_of_elements(sizes: tuple[int, ...], choose: random.Random) -> tuple[int, ...]:
    """A shape that may have as many elements: factors of the sizes, merged, split, with ones, or with -1."""
    factors = [
        factor for size in sizes for factor in ([2, 2] if size == 4 else [2, 3] if size == 6 else [size])
    ]
    if choose.random() < 0.2:
        choose.shuffle(factors)
    shape: list[int] = []
    for factor in factors:
        if shape and choose.random() < 0.5:
            shape[-1] *= factor
        else:
            shape.append(factor)
        if choose.random() < 0.15:
            shape.append(1)
    if shape and choose.random() < 0.2:
        shape[choose.randrange(len(shape))] = choose.choice([-1, -1, 2, -2])
    return tuple(shape)


PREDICATES = {
    "isContiguous": geometry.is_contiguous,
    "isNonOverlappingAndDense": geometry.is_non_overlapping_and_dense,
    "hasInternalOverlap": geometry.has_internal_overlap,
    "mayOverlap": geometry.may_overlap,
    "extent": geometry.extent,
}


@pytest.mark.parametrize("name", PREDICATES)
def test_predicates_of_sizes_and_strides(view: Any, name: str) -> None:
    cases = geometries(2000, 1)
    wanted = [answer(PREDICATES[name], *each) for each in cases]
    assert asked(view, name, cases) == wanted
    assert len({str(each) for each in wanted}) > 1


def test_memory_formats(view: Any) -> None:
    cases = geometries(1500, 2)
    wanted = []
    for sizes, strides in cases:
        x = gn.empty_strided(sizes, strides, device="reference")
        formats = gn.contiguous_format, gn.channels_last, gn.channels_last_3d
        wanted.append([x.is_contiguous(memory_format=each) for each in formats])
    found = asked(
        view,
        "(s, t) => [isContiguous(s, t), isChannelsLast(s, t, 4), isChannelsLast(s, t, 5)]",
        cases,
    )
    assert found == wanted
    assert {str(each) for each in wanted} >= {
        "[True, True, False]",
        "[False, True, False]",
        "[False, False, True]",
    }


def test_compute_stride(view: Any) -> None:
    choose = random.Random(3)
    cases = [(*each, same_number_of_elements(each[0], choose)) for each in geometries(4000, 4)]

    def strides_of(sizes: Any, strides: Any, shape: Any) -> Any:
        to = geometry.infer_size(shape, geometry.numel_of(sizes))
        return to, geometry.view_strides(sizes, strides, to)

    wanted = [answer(strides_of, *each) for each in cases]
    script = (
        "(s, t, shape) => { const to = inferSize(shape, numelOf(s)); return [to, viewStrides(s, t, to)]; }"
    )
    assert asked(view, script, cases) == wanted
    assert sum(each[1] is None for each in wanted) > 100
    assert sum(isinstance(each[1], list) for each in wanted) > 1000


def test_chunks_of_compute_stride_are_groups_that_one_stride_traverses(view: Any) -> None:
    """Each old dimension is in one chunk, a new one in at most one; a refusal says which stride is wrong."""
    cases = [((2, 3, 4), (12, 4, 1), (6, 4)), ((4, 3, 2), (1, 4, 12), (24,)), ((4, 3), (1, 4), (2, 2, 3))]
    found = asked(view, "(s, t, to) => computeStride(s, t, to)", cases)
    assert [[(each["first"], each["last"], each["dims"]) for each in one["chunks"]] for one in found] == [
        [(0, 2, [0, 1])],
        [(2, 2, [0]), (1, 1, []), (0, 0, [])],
        [(1, 1, [2]), (0, 0, [0, 1])],
    ]
    assert [each["strides"] for each in found] == [[4, 1], None, [2, 1, 4]]
    assert "dimension 1 has stride 4, and only with 24" in found[1]["reason"]


def test_numbers_of_elements_at_each_place(view: Any) -> None:
    cases = [(sizes, strides, 2, 0, 40) for sizes, strides in geometries(600, 5, 4)]
    wanted = []
    for sizes, strides, offset, start, end in cases:
        counts = [0] * (end - start)
        for place in geometry.offsets(sizes, strides, offset):
            if start <= place < end:
                counts[place - start] += 1
        wanted.append(counts)
    assert asked(view, "(...each) => [...elementsAtPlaces(...each)]", cases) == wanted


def test_broadcasting(view: Any) -> None:
    choose = random.Random(6)

    def some() -> tuple[int, ...]:
        return tuple(choose.choice([1, 1, 2, 3, 0]) for _ in range(choose.randrange(4)))

    cases = [(some(), some()) for _ in range(1500)]
    wanted = [answer(geometry.broadcast_sizes, *each) for each in cases]
    assert asked(view, "broadcastSizes", cases) == wanted
    assert any(each[:1] == ["RuntimeError"] for each in wanted)


def test_promotion(view: Any) -> None:
    choose = random.Random(7)
    names = [each.name for each in (*dtypes.ALL, *dtypes.ALL, *dtypes.LIMITED)]
    numbers = {"bool": True, "int": 1, "float": 1.0}
    cases = []
    for _ in range(3000):
        operands: list[dict[str, Any]] = []
        for _ in range(choose.randrange(1, 4)):
            if choose.random() < 0.25:
                operands.append({"number": choose.choice(list(numbers))})
            else:
                operands.append({"dtype": choose.choice(names), "ndim": choose.randrange(2)})
        cases.append((operands,))

    def common(operands: list[dict[str, Any]]) -> str:
        state = dtypes.ResultType()
        for each in operands:
            if "number" in each:
                state.add_number(numbers[each["number"]], dtypes.float32)
            else:
                state.add_tensor(dtypes.dtype_named(each["dtype"]), each["ndim"])
            found = state.result()
        return found.name

    wanted = [answer(common, *each) for each in cases]
    assert asked(view, "(operands) => resultType(operands).dtype", cases) == wanted
    assert len({str(each) for each in wanted}) > 20


# -- chains -----------------------------------------------------------------------------------------------


def some_int(choose: random.Random, most: int) -> int:
    return choose.randrange(-most - 1, most + 1)


def some_ints(choose: random.Random, count: int, most: int) -> str:
    return ", ".join(str(some_int(choose, most)) for _ in range(count))


def some_index(choose: random.Random, ndim: int) -> str:
    def bound() -> str:
        return choose.choice(["", str(choose.randrange(-4, 6))])

    items = []
    for _ in range(choose.randrange(1, ndim + 2)):
        kind = choose.random()
        if kind < 0.35:
            items.append(str(choose.randrange(-3, 3)))
        elif kind < 0.8:
            step = choose.choice(["", "", f":{choose.choice([1, 2, 2, 3, 0, -1])}"])
            items.append(f"{bound()}:{bound()}{step}")
        else:
            items.append(choose.choice(["None", "..."]))
    return f"[{', '.join(items)}]"


def expanded_sizes(choose: random.Random, x: Any) -> str:
    leading = [choose.choice([1, 2])] * choose.randrange(3)
    sizes = [choose.choice([-1, 3 if size == 1 else size]) for size in x.shape]
    return ", ".join(map(str, leading + sizes)) or "()"


def some_operator(choose: random.Random, x: Any) -> str:
    """A call of an operator, mostly a possible one."""
    ndim = x.ndim
    dims = list(range(ndim))
    choose.shuffle(dims)
    dim, other = some_int(choose, max(ndim - 1, 0)), some_int(choose, max(ndim - 1, 0))
    shape = same_number_of_elements(tuple(x.shape), choose)
    calls = {
        "view": lambda: f".view({', '.join(map(str, shape)) or '()'})",
        "reshape": lambda: f".reshape({list(shape)})",
        "transpose": lambda: f".transpose({dim}, {other})",
        "t": lambda: ".t()",
        "T": lambda: ".T",
        "mT": lambda: ".mT",
        "permute": lambda: f".permute({', '.join(map(str, dims)) or '()'})",
        "movedim": lambda: f".movedim({dim}, {other})",
        "movedims": lambda: f".movedim(({dim}, {other}), ({other}, {dim}))",
        "swapaxes": lambda: f".swapaxes({dim}, axis1={other})",
        "expand": lambda: f".expand({expanded_sizes(choose, x)})",
        "squeeze": lambda: choose.choice([".squeeze()", f".squeeze({dim})", f".squeeze(({dim}, {other}))"]),
        "unsqueeze": lambda: f".unsqueeze({some_int(choose, ndim)})",
        "select": lambda: f".select({dim}, {choose.randrange(-2, 3)})",
        "narrow": lambda: f".narrow({dim}, {choose.randrange(-1, 3)}, {choose.randrange(-1, 3)})",
        "index": lambda: some_index(choose, ndim),
        "flatten": lambda: choose.choice([".flatten()", f".flatten({dim}, {other})"]),
        "ravel": lambda: ".ravel()",
        "unflatten": lambda: f".unflatten({dim}, ({some_int(choose, 3)}, {choose.choice([-1, 1, 2])}))",
        "diagonal": lambda: f".diagonal({choose.randrange(-2, 3)}, {dim}, {other})",
        "unfold": lambda: f".unfold({dim}, {choose.randrange(0, 4)}, {choose.choice([1, 2, 1, 0])})",
        "as_strided": lambda: (
            f".as_strided(({choose.randrange(4)}, 2), ({choose.randrange(-1, 4)}, 1)"
            f"{choose.choice(['', ', 2', ', 900', ', -1'])})"
        ),
        "split": lambda: f".split({choose.choice([1, 2, 3, [1, 2], -1])}, {dim})[{choose.randrange(-1, 2)}]",
        "chunk": lambda: f".chunk({choose.choice([1, 2, 3, 0])}, dim={dim})[{choose.choice([0, -1, 1])}]",
        "unbind": lambda: f".unbind({dim})[0]",
        "contiguous": lambda: choose.choice([".contiguous()", ".contiguous(memory_format=gn.channels_last)"]),
        "clone": lambda: ".clone()",
        "detach": lambda: ".detach()",
        "view_dtype": lambda: f".view(gn.{choose.choice(['int8', 'int32', 'float64', 'complex128'])})",
    }  # fmt: skip
    return calls[choose.choice(list(calls))]()


def chains(count: int, seed: int) -> list[str]:
    choose = random.Random(seed)
    found = []
    while len(found) < count:
        size = choose.choice([1, 6, 12, 24, 24, 48, 0])
        start = (
            f"gn.arange({size})"
            if choose.random() < 0.8
            else f"gn.zeros({choose.choice(['2, 3', '()', '1, 2, 2, 3', '0, 3'])})"
        )
        text, x = start, eval(start)
        for _ in range(choose.randrange(1, 7)):
            more = some_operator(choose, x)
            text += more
            try:
                with gn.device("reference"):
                    x = eval(f"x{more}", {"x": x, "gn": gn})
            except Exception:
                break
            if x.ndim > 7 or x.numel() > 5000:
                break
        found.append(text)
    return found  # fmt: skip


def geometry_of_chain(text: str) -> Any:
    x = eval(text, {"gn": gn})
    shared = x.untyped_storage().nbytes() // max(x.element_size(), 1)
    values = (
        x.flatten().tolist()[:30]
        if x.dtype == gn.int64 and "gn.int" not in text and "gn.float" not in text
        else None
    )
    return [list(x.shape), list(x.stride()), x.storage_offset(), x.dtype.name, shared, values]  # fmt: skip


CHAIN = """(text) => {
    const { tensor, error } = evaluateChain(text);
    if (error) throw error;
    const { sizes, strides, offset, dtype, storage } = tensor;
    let values = null;
    if (dtype === "int64" && !/gn\\.(int|float)/.test(text)) {
        values = [];
        const strideOf = contiguousStrides(sizes);
        const count = Math.min(numelOf(sizes), 30);
        for (let k = 0; k < count; k += 1) {
            values.push(valueAt(tensor, sizes.map((size, dim) => Math.floor(k / strideOf[dim]) % size)));
        }
    }
    return [sizes, strides, offset, dtype, Math.floor(storage.nbytes / DTYPES[dtype].itemsize), values];
}"""


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_chains_of_view_operators(view: Any, seed: int) -> None:
    """Sizes, strides, offset, dtype, storage and values, or the words of the error."""
    cases = chains(1500, seed)
    wanted = [answer(geometry_of_chain, each) for each in cases]
    found = asked(view, CHAIN, [(each,) for each in cases])
    wrong = [(text, mine, its) for text, mine, its in zip(cases, wanted, found) if mine != its]
    assert wrong == []
    assert sum(isinstance(each[0], list) for each in wanted) > 500
    assert len({each[1][:40] for each in wanted if isinstance(each[0], str)}) > 15


def test_values_of_each_dtype(view: Any) -> None:
    """What arange and full hold: rounded, truncated, or wrapped around; or their errors."""
    names = [each.name for each in (*dtypes.ALL, *dtypes.LIMITED)]
    starts = ["300", "2.7", "0.5, 3", "0, 3, 0.5", "0, -600, -7", "0, 1, 0.1"]
    fills = ["300", "-1", "1.7", "-1.5", "0.1", "True", "1e10", "3e38", "1e-7", "448.5"]
    calls = [
        *(f"gn.arange({each}" for each in starts),
        *(f"gn.full(({1 + len(each) % 2},), {each}" for each in fills),
    ]
    cases = [f"{each}, dtype=gn.{name})" for each in calls for name in names] + [f"{each})" for each in calls]

    def values(text: str) -> Any:
        x = eval(text, {"gn": gn})
        return [x.dtype.name, *(float(each.real) for each in x.tolist())]

    script = """(text) => {
        const { tensor, error } = evaluateChain(text);
        if (error) throw error;
        const count = tensor.sizes[0];
        return [tensor.dtype, ...Array.from({ length: count }, (_, index) => valueAt(tensor, [index]))];
    }"""
    wanted = [answer(values, each) for each in cases]
    found = [
        [float(each) if isinstance(each, int) else each for each in one]
        for one in asked(view, script, [(each,) for each in cases])
    ]
    assert [each for each in zip(cases, wanted, found) if each[1] != each[2]] == []
    assert sum(isinstance(each[1], str) for each in wanted) > 40


@pytest.mark.parametrize(
    "text",
    [
        "gn.arange(6).view()",
        "gn.arange(6).view('a')",
        "gn.arange(6).view(2.0, 3)",
        "gn.arange(6).view((2, 3), 4)",
        "gn.arange(6).transpose(0)",
        "gn.arange(6).transpose(0, 1.5)",
        "gn.arange(6).transpose(0, dim2=1)",
        "gn.arange(6).transpose(0, 0, 0)",
        "gn.arange(6).narrow(0, 5)",
        "gn.arange(6).contiguous(1)",
        "gn.arange(6).unsqueeze()",
        "gn.arange(6).select(0, True)",
        "gn.arange(6).view(24, 24, size=3)",
        "gn.arange(6).nothing(1)",
        "gn.arange(6)[1.5]",
        "gn.arange(6)['a']",
        "gn.arange(6)[0:'a']",
        "gn.arange(6).split(2)[3]",
        "gn.arange(6).split(2).view(1)",
        "gn.arange(-3)",
        "gn.arange(0, 3, 0)",
        "gn.zeros(-1)",
        "gn.zeros()",
        "gn.empty_strided((2, 3), (-1, 2))",
        "gn.empty_strided((2, -3), (1, 2))",
        "gn.empty_strided((2, 3), (1,))",
        "gn.zeros(4294967296, 4294967296)",
        "gn.zeros(1).view([1] * 1 + 1)",
        "gn.zeros(1).expand(4294967296, 4294967296)",
        f"gn.zeros(1).view({', '.join(['1'] * 70)})",
        "gn.tensor(3).permute()",
    ],
)
def test_mistakes_have_the_words_of_gnomon(view: Any, text: str) -> None:
    if "[1] *" in text or "tensor(3)" in text:
        text = text.replace("[1] * 1 + 1", "[1, None]").replace("gn.tensor(3)", "gn.zeros(())")
    (found,) = asked(view, CHAIN, [(text,)])
    wanted = answer(geometry_of_chain, text)
    assert isinstance(wanted[0], str)
    found[1] = found[1].removesuffix(" on this page")  # which has some of a tensor's methods
    assert found == [each.partition("; did you mean")[0] for each in wanted]


def test_fields_of_a_tensor(view: Any) -> None:
    """tensorOf refuses what as_strided refuses, with its words."""
    cases = [((2, 3), (3, 1), 0, "float32", 6), ((2, 3), (1, 2), 1, "int8", 6), ((2,), (-1,), 0, "int8", 5),
             ((-2,), (1,), 0, "int8", 5), ((2, 3), (1,), 0, "int8", 5), ((2,), (1,), -1, "int8", 5),
             ((), (), 3, "int64", 4), ((), (), 4, "int64", 4), ((0,), (5,), 9, "int64", 2)]  # fmt: skip

    def made(sizes: Any, strides: Any, offset: int, dtype: str, elements: int) -> Any:
        base = gn.zeros(elements, dtype=getattr(gn, dtype))
        x = base.as_strided(sizes, strides, offset)
        return list(x.shape), list(x.stride()), x.storage_offset()

    wanted = [answer(made, *each) for each in cases]
    script = "(...each) => { const x = tensorOf(...each); return [x.sizes, x.strides, x.offset]; }"
    assert asked(view, script, cases) == wanted
    assert sum(each[:1] == ["RuntimeError"] for each in wanted) == 6


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("arange(6).flip(0)", "NotAView", "flip is not a view: it returns a copy"),
        ("arange(6)[[1, 2]]", "NotAView", "an index that is a list selects elements by a copy"),
        ("arange(6) + 1", "NotAView", "+ computes new values"),
        ("arange(6).split(2)", "TypeError", "a tuple of 3 tensors: choose one, as [0]"),
        ("ones,", "TypeError", "the expression is no tensor"),
        ("(arange(2), 1)", "TypeError", "a tuple of 2 tensors"),
        ("arange(6", "SyntaxError", 'expected ")", got "the end" at position 8'),
        ("arange(6)]", "SyntaxError", "expected the end of the expression"),
        ("", "SyntaxError", "expected an expression, got none"),
        ("arange(6) § 2", "SyntaxError", "invalid character"),
        ("nothing(3)", "NameError", "name 'nothing' is not defined"),
        ("arange(99999999999999999999)", "OverflowError", "this page counts exactly up to"),
        ("(" * 100, "SyntaxError", "too many nested parentheses"),
        ("arange(3)" + ".view(3)" * 5000, "SyntaxError", "at most 20000 characters"),
        ("arange(6).t", "TypeError", "t is a method: call it"),
        ("zeros(0).chunk(1000000)[0]", "OverflowError", "at most 100000 views at once"),
        ("arange(1 // 0)", "ZeroDivisionError", "division by zero"),
    ],
)
def test_what_the_page_refuses_by_itself(view: Any, text: str, kind: str, message: str) -> None:
    (found,) = asked(view, CHAIN, [(text,)])
    assert found[0] == kind and message in found[1]
