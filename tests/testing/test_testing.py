"""gn.testing: the comparisons and texts of assert_close, and the tensors of make_tensor.

The expected texts are PyTorch's, with "gnomon" in its place; with ``-m oracle``, PyTorch runs the same tests.
"""

from __future__ import annotations

import math
import warnings
from collections import OrderedDict
from types import ModuleType
from typing import Any

import pytest

import gnomon as gn
from gnomon.testing import assert_close, make_tensor
from gnomon.values.dtype import ALL

NAN, INF = math.nan, math.inf


def test_what_is_close_passes(lib: ModuleType) -> None:
    close = lib.testing.assert_close
    x = lib.tensor([1.0, 0.0, INF])
    close(x, x.clone())
    close(x + lib.tensor([1.2e-6, 9e-6, 0.0]), x)
    close(lib.tensor([NAN]), lib.tensor([NAN]), equal_nan=True)
    close(lib.empty(0), lib.empty(0))
    close(lib.tensor(3), lib.tensor(3))
    close([x, {"a": 1.0, "b": (None, True)}], (x, OrderedDict(b=[None, True], a=1.0 + 1e-8)))
    close(1, 1.0, check_dtype=False)
    close(NAN, NAN, equal_nan=True)
    close(INF, INF)
    close(1 + 2j, 1 + 2j + 1e-8)
    close(lib.nn.Parameter(x), x)
    close(lib.ones(2, 3), lib.ones(3, 2).t())
    close(lib.ones(2), lib.ones(2, dtype=lib.float64), check_dtype=False)
    close(lib.ones(2), lib.ones(2) * 1.5, rtol=0.5, atol=0)
    close(lib.ones(2, device="meta"), lib.zeros(2, device="meta"))
    close(lib.ones(2, requires_grad=True), lib.ones(2))


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
def test_the_default_tolerances(lib: ModuleType, kind: str) -> None:
    rtol = {"float16": 1e-3, "bfloat16": 1.6e-2, "float32": 1.3e-6, "complex64": 1.3e-6}.get(kind, 1e-7)
    one = lib.tensor([1000.0]).to(getattr(lib, kind))
    lib.testing.assert_close(one * (1 + 0.9 * rtol), one)
    with pytest.raises(AssertionError, match=rf"\(up to {rtol} allowed\)$"):
        lib.testing.assert_close(one * (1 + 2 * rtol + 2e-3 * (kind == "float16")), one)


class Case:
    """A call of assert_close that fails: its arguments, and the exception's text and type."""

    def __init__(
        self, actual: Any, expected: Any, *lines: str, kind: type = AssertionError, **options: Any
    ) -> None:
        self.arguments = (actual, expected)
        self.options = options
        self.text = "\n".join(lines)
        self.kind = kind


def no_pair(first: Any, second: Any) -> str:
    return f"No comparison pair was able to handle inputs of type {first} and {second}."


def cases(lib: Any) -> list[Case]:
    x = lib.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = lib.tensor([[1.0, 2.5, 3.0], [4.0, 5.0, 7.0]])
    exact = {"rtol": 0, "atol": 0}
    return [
        Case(
            x,
            y,
            "Tensor-likes are not close!\n",
            "Mismatched elements: 2 / 6 (33.3%)",
            "Greatest absolute difference: 1.0 at index (1, 2) (up to 1e-05 allowed)",
            "Greatest relative difference: 0.20000000298023224 at index (0, 1) (up to 1.3e-06 allowed)",
        ),
        Case(
            x,
            y,
            "Tensor-likes are not equal!\n",
            "Mismatched elements: 2 / 6 (33.3%)",
            "Greatest absolute difference: 1.0 at index (1, 2)",
            "Greatest relative difference: 0.20000000298023224 at index (0, 1)",
            **exact,
        ),
        Case(
            lib.tensor([0, 200], dtype=lib.uint8),
            lib.tensor([200, 0], dtype=lib.uint8),
            "Tensor-likes are not equal!\n",
            "Mismatched elements: 2 / 2 (100.0%)",
            "Greatest absolute difference: 200 at index (0,)",
            "Greatest relative difference: inf at index (1,)",
        ),
        Case(
            lib.tensor([True, False]),
            lib.tensor([True, True]),
            "Tensor-likes are not equal!\n",
            "Mismatched elements: 1 / 2 (50.0%)",
            "Greatest absolute difference: 1 at index (1,)",
            "Greatest relative difference: 1.0 at index (1,)",
        ),
        Case(
            lib.tensor([1.0, NAN, INF]),
            lib.tensor([1.0, NAN, -INF]),
            "Tensor-likes are not close!\n",
            "Mismatched elements: 2 / 3 (66.7%)",
            "Greatest absolute difference: nan at index (1,) (up to 1e-05 allowed)",
            "Greatest relative difference: nan at index (1,) (up to 1.3e-06 allowed)",
        ),
        Case(
            lib.tensor([3 + 4j]),
            lib.tensor([0j]),
            "Tensor-likes are not close!\n",
            "Mismatched elements: 1 / 1 (100.0%)",
            "Greatest absolute difference: 5.0 at index (0,) (up to 1e-05 allowed)",
            "Greatest relative difference: inf at index (0,) (up to 1.3e-06 allowed)",
        ),
        Case(
            lib.tensor(1.0),
            lib.tensor(2.0),
            "Scalars are not close!\n",
            "Expected 2.0 but got 1.0.",
            "Absolute difference: 1.0 (up to 1e-05 allowed)",
            "Relative difference: 0.5 (up to 1.3e-06 allowed)",
        ),
        Case(
            1,
            0,
            "Scalars are not equal!\n",
            "Expected 0 but got 1.",
            "Absolute difference: 1",
            "Relative difference: inf",
        ),
        Case(
            1e-9,
            1e-10,
            "Scalars are not equal!\n",
            "Expected 1e-10 but got 1e-09.",
            "Absolute difference: 9.000000000000001e-10",
            "Relative difference: 9.0",
            **exact,
        ),
        Case(
            NAN,
            NAN,
            "Scalars are not close!\n",
            "Expected nan but got nan.",
            "Absolute difference: nan (up to 1e-07 allowed)",
            "Relative difference: nan (up to 1e-07 allowed)",
        ),
        Case(1, 1.0, "The (d)types do not match: <class 'int'> != <class 'float'>."),
        Case(True, False, "Booleans mismatch: True is not False"),
        Case(None, 1, "None mismatch: None is not 1"),
        Case(
            x, y[0], "The values for attribute 'shape' do not match: gnomon.Size([2, 3]) != gnomon.Size([3])."
        ),
        Case(
            x, x.double(), "The values for attribute 'dtype' do not match: gnomon.float32 != gnomon.float64."
        ),
        Case(x, x.to("meta"), f"The values for attribute 'device' do not match: {x.device} != meta."),
        Case(
            lib.ones(2, 2),
            lib.ones(2, 2).t(),
            "The values for attribute 'stride()' do not match: (2, 1) != (1, 2).",
            check_stride=True,
        ),
        Case([1, 2], [1], "The length of the sequences mismatch: 2 != 1"),
        Case(
            {"a": [1, 2]},
            {"a": [1, 3]},
            "Scalars are not equal!\n",
            "Expected 3 but got 2.",
            "Absolute difference: 1",
            "Relative difference: 0.3333333333333333\n",
            "The failure occurred for item ['a'][1]",
        ),
        Case(
            {"a": 1, "c": 2},
            {"b": 1, "d": 3},
            "The keys of the mappings do not match:",
            "Missing keys in the actual mapping: ['b', 'd']",
            "Additional keys in the actual mapping: ['a', 'c']",
        ),
        Case(
            [1, [2, {}]],
            [5, [2, {"a": 1}]],
            "The keys of the mappings do not match:",
            "Missing keys in the actual mapping: ['a']",
            "Additional keys in the actual mapping: []\n",
            "The failure occurred for item [1][1]",
            msg="not used for containers that do not fit",
        ),
        Case(
            {2: 1, 1: 5},
            {2: 3, 1: 6},
            "Scalars are not equal!\n",
            "Expected 6 but got 5.",
            "Absolute difference: 1",
            "Relative difference: 0.16666666666666666\n",
            "The failure occurred for item [1]",
        ),
        Case([1, 2], [3, 4], "mine", msg="mine"),
        Case([True], [False], "Booleans mismatch: True is not False"),
        Case(
            [None],
            [1],
            "<None mismatch: None is not 1\n",
            "The failure occurred for item [0]>",
            msg=lambda text: f"<{text}>",
        ),
        Case(
            [x],
            [x],
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no atol.\n",
            "The failure occurred for item [0]",
            kind=ValueError,
            rtol=0.1,
        ),
        Case(
            1.0,
            1.0,
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no rtol.",
            kind=ValueError,
            atol=0.1,
        ),
        Case("a", "a", no_pair(str, str), kind=TypeError),
        Case([object], [1], no_pair(type, int) + "\n", "The failure occurred for item [0]", kind=TypeError),
        Case(
            lib.nn.Parameter(x),
            x,
            no_pair(lib.nn.Parameter, lib.Tensor),
            kind=TypeError,
            allow_subclasses=False,
        ),
        Case(x, 1.0, no_pair(lib.Tensor, float), kind=TypeError),
    ]


@pytest.mark.parametrize("number", range(len(cases(gn))))
def test_the_text_of_a_failure(lib: ModuleType, number: int) -> None:
    case = cases(lib)[number]
    with pytest.raises(case.kind) as caught:
        lib.testing.assert_close(*case.arguments, **case.options)
    assert type(caught.value) is case.kind
    text = str(caught.value)
    assert (text.replace("torch", "gnomon") if case.kind is AssertionError else text) == case.text


def test_tensors_on_two_devices_are_compared_if_the_device_is_not_checked() -> None:
    x = gn.arange(3.0)
    other = gn.arange(3.0, device="reference")
    assert_close(x, other, check_device=False)
    if x.device != other.device:
        with pytest.raises(AssertionError, match="for attribute 'device' do not match: c != reference"):
            assert_close(x, other)


def test_arrays_and_numbers_of_numpy(lib: ModuleType) -> None:
    numpy = pytest.importorskip("numpy")
    close = lib.testing.assert_close
    close(numpy.arange(3), numpy.arange(3))
    close(numpy.float32(1.0), 1.0)
    close(numpy.bool_(True), True)
    with pytest.raises(AssertionError, match=r"Booleans mismatch: True is not False"):
        close(numpy.bool_(True), numpy.bool_(False))
    with pytest.raises(
        TypeError, match=r"No comparison pair was able to handle inputs of type <class 'numpy.ndarray'>"
    ):
        close(numpy.arange(3), lib.arange(3))
    with pytest.raises(AssertionError, match=r"Mismatched elements: 1 / 3 \(33.3%\)"):
        close(numpy.arange(3), numpy.array([0, 1, 3]))


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_texts_for_random_tensors_are_those_of_pytorch(kind: gn.dtype) -> None:
    torch = pytest.importorskip("torch")
    for seed in range(40):
        gn.manual_seed(seed)
        sizes = [(5,), (2, 3), (2, 0, 3), (), (2, 2, 2)][seed % 5]
        x = make_tensor(sizes, dtype=kind, device="cpu")
        y = gn.where(gn.rand(sizes) < 0.5, x, make_tensor(sizes, dtype=kind, device="cpu"))
        texts = []
        for lib in (gn, torch):
            pair = [lib.tensor(each.tolist(), dtype=getattr(lib, kind.name)) for each in (x, y)]
            try:
                lib.testing.assert_close(*pair)
                texts.append("")
            except AssertionError as error:
                texts.append(str(error))
        assert texts[0] == texts[1]


# -- make_tensor ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [each.name for each in ALL])
def test_make_tensor_draws_from_the_usual_range(lib: ModuleType, kind: str) -> None:
    dtype = getattr(lib, kind)
    lib.manual_seed(0)
    x = lib.testing.make_tensor(50, 20, dtype=dtype, device="cpu")
    assert x.shape == (50, 20) and x.dtype is dtype and x.is_contiguous() and not x.requires_grad
    numbers = [
        part
        for each in x.flatten().tolist()
        for part in ((each.real, each.imag) if dtype.is_complex else (each,))
    ]
    if dtype.is_floating_point or dtype.is_complex:
        assert -9 <= min(numbers) < -8.5 and 8.5 < max(numbers) <= 9
    else:
        wanted = {"bool": {False, True}, "uint8": set(range(10))}.get(kind, set(range(-9, 10)))
        assert set(numbers) == wanted


def test_the_options_of_make_tensor(lib: ModuleType) -> None:
    make = lib.testing.make_tensor
    x = make((2, 3), dtype=lib.float32, device="cpu", noncontiguous=True, requires_grad=True)
    assert x.stride() == (6, 2) and x.storage_offset() == 1 and x.requires_grad
    assert make((), dtype=lib.float32, device="cpu", noncontiguous=True).is_contiguous()
    assert make([2, 3], dtype=lib.int8, device="cpu").shape == (2, 3)
    x = make(2, 3, 4, 4, dtype=lib.float32, device="cpu", memory_format=lib.channels_last)
    assert x.stride() == (48, 1, 12, 3)
    assert make(100, dtype=lib.int64, device="cpu", low=0, high=2, exclude_zero=True).tolist() == [1] * 100
    x = make(100, dtype=lib.int64, device="cpu", low=0.5, high=2.5)
    assert set(x.tolist()) == {1, 2}
    x = make(1000, dtype=lib.float32, device="cpu", low=-INF, high=INF)
    assert x.isfinite().all().item() and x.abs().max().item() > 3e38
    assert make(100, dtype=lib.int8, device="cpu", low=126, high=1000).unique().tolist() == [126, 127]
    with pytest.warns(
        FutureWarning, match=f"^Passing `low==high` to `{lib.__name__}.testing.make_tensor` for floating"
    ):
        assert make(2, dtype=lib.float32, device="cpu", low=1, high=1).tolist() == [1.0, 1.0]


REFUSED = {
    "`low` must be less than `high`, but got 2 >= 1": {"low": 2, "high": 1},
    "`low` must be less than `high`, but got 2 >= 2": {"low": 2, "high": 2, "dtype": "int8"},
    "`low` and `high` cannot be NaN, but got low=nan and high=9": {"low": NAN},
    "The value interval specified by `low` and `high` is [200, 300), "
    "but gnomon.int8 only supports [-128, 128)": {"low": 200, "high": 300, "dtype": "int8"},
    "The value interval specified by `low` and `high` is [2, 3), but gnomon.bool only supports [0, 2)": {
        "low": 2,
        "high": 3,
        "dtype": "bool",
    },
    "`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype=gnomon.int64": {
        "dtype": "int64",
        "requires_grad": True,
    },
    "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous=True "
    "and memory_format=gnomon.channels_last": {"noncontiguous": True, "memory_format": "channels_last"},
}


@pytest.mark.parametrize("text", REFUSED)
def test_make_tensor_refuses(lib: ModuleType, text: str) -> None:
    options: dict[str, Any] = REFUSED[text]
    named = {
        name: getattr(lib, value) if isinstance(value, str) else value for name, value in options.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError) as caught:
            lib.testing.make_tensor(2, **{"dtype": lib.float32, "device": "cpu", **named})
    assert str(caught.value) == text.replace("gnomon", lib.__name__)
