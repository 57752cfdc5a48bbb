"""memory/text.py: tensors print as PyTorch 2.13 prints them; the texts below are what it printed."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from math import inf, nan
from types import ModuleType
from typing import Any

import pytest

import gnomon as gn

# an expression, and the text of its result in PyTorch with "torch." replaced by "gnomon."
TEXTS = [
    ("gn.tensor([1.0, 2.0, 3.0])", "tensor([1., 2., 3.])"),
    ("gn.tensor([1.5, 2.25, -3.0])", "tensor([ 1.5000,  2.2500, -3.0000])"),
    ("gn.tensor(3.14159265)", "tensor(3.1416)"),
    ("gn.tensor(2.0)", "tensor(2.)"),
    ("gn.tensor(3)", "tensor(3)"),
    ("gn.tensor(True)", "tensor(True)"),
    ("gn.tensor(-0.0)", "tensor(-0.)"),
    ("gn.tensor([0.0, -0.0])", "tensor([0., -0.])"),
    ("gn.tensor(inf)", "tensor(inf)"),
    ("gn.tensor([1.0, -inf, nan])", "tensor([1., -inf, nan])"),
    ("gn.tensor([1.5, -inf, nan])", "tensor([1.5000,   -inf,    nan])"),
    ("gn.tensor([1e20, -inf, nan])", "tensor([1.0000e+20,       -inf,        nan])"),
    ("gn.tensor([0.0, nan])", "tensor([0., nan])"),
    ("gn.tensor([nan, inf, -inf])", "tensor([nan, inf, -inf])"),
    ("gn.tensor(1e10)", "tensor(1.0000e+10)"),
    ("gn.tensor(1e-10)", "tensor(1.0000e-10)"),
    ("gn.tensor([1e8])", "tensor([100000000.])"),
    ("gn.tensor([1.00001e8])", "tensor([1.0000e+08])"),
    ("gn.tensor([1000.0, 1.0])", "tensor([1000.,    1.])"),
    ("gn.tensor([1001.0, 1.0])", "tensor([1.0010e+03, 1.0000e+00])"),
    ("gn.tensor([1000.5, 0.5])", "tensor([1.0005e+03, 5.0000e-01])"),
    ("gn.tensor([1e-5, 1.0])", "tensor([1.0000e-05, 1.0000e+00])"),
    ("gn.tensor([0.0001])", "tensor([1.0000e-04])"),
    ("gn.tensor([0.00009])", "tensor([9.0000e-05])"),
    ("gn.tensor([0.99995, 0.5])", "tensor([0.9999, 0.5000])"),
    ("gn.tensor([-1.5, 10.25])", "tensor([-1.5000, 10.2500])"),
    ("gn.tensor([1e-45])", "tensor([1.4013e-45])"),
    ("gn.tensor([1.1, 2.3], dtype=gn.float16)", "tensor([1.0996, 2.3008], dtype=gnomon.float16)"),
    ("gn.tensor([65504.0, 1.0], dtype=gn.float16)", "tensor([6.5504e+04, 1.0000e+00], dtype=gnomon.float16)"),
    ("gn.tensor([1.1, 2.3], dtype=gn.bfloat16)", "tensor([1.1016, 2.2969], dtype=gnomon.bfloat16)"),
    ("gn.tensor([1 / 3], dtype=gn.float64)", "tensor([0.3333], dtype=gnomon.float64)"),
    ("gn.tensor([1.7976931348623157e308], dtype=gn.float64)", "tensor([1.7977e+308], dtype=gnomon.float64)"),
    ("gn.tensor(1.5, dtype=gn.float64)", "tensor(1.5000, dtype=gnomon.float64)"),
    ("gn.tensor([True, False])", "tensor([ True, False])"),
    (
        "gn.tensor([[True], [False]])",
        """\
tensor([[ True],
        [False]])""",
    ),
    ("gn.tensor([1, 20, -300])", "tensor([   1,   20, -300])"),
    ("gn.tensor([2**62, -(2**63)])", "tensor([ 4611686018427387904, -9223372036854775808])"),
    ("gn.tensor([1, 20, -300], dtype=gn.int32)", "tensor([   1,   20, -300], dtype=gnomon.int32)"),
    ("gn.tensor([1, 2], dtype=gn.uint8)", "tensor([1, 2], dtype=gnomon.uint8)"),
    ("gn.tensor(5, dtype=gn.int8)", "tensor(5, dtype=gnomon.int8)"),
    ("gn.tensor([1 + 2j, 3 - 4.5j])", "tensor([1.+2.0000j, 3.-4.5000j])"),
    ("gn.tensor([1 + 2j], dtype=gn.complex128)", "tensor([1.+2.j], dtype=gnomon.complex128)"),
    ("gn.tensor(1 + 2j)", "tensor(1.+2.j)"),
    ("gn.tensor(complex(0.0, -0.0))", "tensor(0.-0.j)"),
    ("gn.tensor([1e10 + 1j, 1 + 1e-10j])", "tensor([1.0000e+10+1.0000e+00j, 1.0000e+00+1.0000e-10j])"),
    ("gn.tensor([complex(nan, 1), complex(1, -inf)])", "tensor([nan+1.j, 1.-infj])"),
    (
        "gn.tensor([[1 + 1j], [2j]])",
        """\
tensor([[1.+1.j],
        [0.+2.j]])""",
    ),
    ("gn.tensor([])", "tensor([])"),
    ("gn.zeros(0, 3)", "tensor([], size=(0, 3))"),
    ("gn.zeros(2, 0, dtype=gn.int64)", "tensor([], size=(2, 0), dtype=gnomon.int64)"),
    ("gn.tensor([], dtype=gn.int64)", "tensor([], dtype=gnomon.int64)"),
    ("gn.tensor([], dtype=gn.bool)", "tensor([], dtype=gnomon.bool)"),
    ("gn.tensor([], requires_grad=True)", "tensor([], requires_grad=True)"),
    ('gn.empty(2, 3, device="meta")', "tensor(..., device='meta', size=(2, 3))"),
    (
        'gn.empty(2, 3, device="meta", dtype=gn.int64)',
        "tensor(..., device='meta', size=(2, 3), dtype=gnomon.int64)",
    ),
    (
        'gn.empty(2, device="meta", dtype=gn.float64, requires_grad=True)',
        "tensor(..., device='meta', size=(2,), dtype=gnomon.float64, requires_grad=True)",
    ),
    ("gn.tensor([1.0], requires_grad=True)", "tensor([1.], requires_grad=True)"),
    ("gn.tensor([1.0], requires_grad=True) * 2", "tensor([2.], grad_fn=<MulBackward0>)"),
    (
        "gn.tensor([1.0, 2.0], requires_grad=True, dtype=gn.float64).exp()",
        "tensor([2.7183, 7.3891], dtype=gnomon.float64, grad_fn=<ExpBackward0>)",
    ),
    ("gn.tensor([[1.0, 2.0]], requires_grad=True).view(2)", "tensor([1., 2.], grad_fn=<ViewBackward0>)"),
    (
        "gn.zeros(14, requires_grad=True)",
        """\
tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.],
       requires_grad=True)""",
    ),
    (
        "gn.zeros(10, dtype=gn.float64, requires_grad=True) * 2",
        """\
tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0.], dtype=gnomon.float64,
       grad_fn=<MulBackward0>)""",
    ),
    (
        "gn.zeros(2, 3)",
        """\
tensor([[0., 0., 0.],
        [0., 0., 0.]])""",
    ),
    (
        "gn.zeros(2, 1, 2, 2)",
        """\
tensor([[[[0., 0.],
          [0., 0.]]],


        [[[0., 0.],
          [0., 0.]]]])""",
    ),
    (
        "gn.arange(12).reshape(3, 4).t()",
        """\
tensor([[ 0,  4,  8],
        [ 1,  5,  9],
        [ 2,  6, 10],
        [ 3,  7, 11]])""",
    ),
    (
        "gn.arange(12).reshape(3, 4)[:, ::2]",
        """\
tensor([[ 0,  2],
        [ 4,  6],
        [ 8, 10]])""",
    ),
    (
        "gn.ones(3).expand(2, 3)",
        """\
tensor([[1., 1., 1.],
        [1., 1., 1.]])""",
    ),
    (
        "gn.arange(24.0).reshape(2, 3, 4) / 7",
        """\
tensor([[[0.0000, 0.1429, 0.2857, 0.4286],
         [0.5714, 0.7143, 0.8571, 1.0000],
         [1.1429, 1.2857, 1.4286, 1.5714]],

        [[1.7143, 1.8571, 2.0000, 2.1429],
         [2.2857, 2.4286, 2.5714, 2.7143],
         [2.8571, 3.0000, 3.1429, 3.2857]]])""",
    ),
    (
        "gn.arange(40)",
        """\
tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
        36, 37, 38, 39])""",
    ),
    (
        "gn.arange(40.0) / 3",
        """\
tensor([ 0.0000,  0.3333,  0.6667,  1.0000,  1.3333,  1.6667,  2.0000,  2.3333,
         2.6667,  3.0000,  3.3333,  3.6667,  4.0000,  4.3333,  4.6667,  5.0000,
         5.3333,  5.6667,  6.0000,  6.3333,  6.6667,  7.0000,  7.3333,  7.6667,
         8.0000,  8.3333,  8.6667,  9.0000,  9.3333,  9.6667, 10.0000, 10.3333,
        10.6667, 11.0000, 11.3333, 11.6667, 12.0000, 12.3333, 12.6667, 13.0000])""",
    ),
    ("gn.arange(1001)", "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    ("gn.arange(1001.0)", "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])"),
    (
        "gn.arange(10000).reshape(100, 100)",
        """\
tensor([[   0,    1,    2,  ...,   97,   98,   99],
        [ 100,  101,  102,  ...,  197,  198,  199],
        [ 200,  201,  202,  ...,  297,  298,  299],
        ...,
        [9700, 9701, 9702,  ..., 9797, 9798, 9799],
        [9800, 9801, 9802,  ..., 9897, 9898, 9899],
        [9900, 9901, 9902,  ..., 9997, 9998, 9999]])""",
    ),
    (
        "gn.arange(27000).reshape(30, 30, 30)",
        """\
tensor([[[    0,     1,     2,  ...,    27,    28,    29],
         [   30,    31,    32,  ...,    57,    58,    59],
         [   60,    61,    62,  ...,    87,    88,    89],
         ...,
         [  810,   811,   812,  ...,   837,   838,   839],
         [  840,   841,   842,  ...,   867,   868,   869],
         [  870,   871,   872,  ...,   897,   898,   899]],

        [[  900,   901,   902,  ...,   927,   928,   929],
         [  930,   931,   932,  ...,   957,   958,   959],
         [  960,   961,   962,  ...,   987,   988,   989],
         ...,
         [ 1710,  1711,  1712,  ...,  1737,  1738,  1739],
         [ 1740,  1741,  1742,  ...,  1767,  1768,  1769],
         [ 1770,  1771,  1772,  ...,  1797,  1798,  1799]],

        [[ 1800,  1801,  1802,  ...,  1827,  1828,  1829],
         [ 1830,  1831,  1832,  ...,  1857,  1858,  1859],
         [ 1860,  1861,  1862,  ...,  1887,  1888,  1889],
         ...,
         [ 2610,  2611,  2612,  ...,  2637,  2638,  2639],
         [ 2640,  2641,  2642,  ...,  2667,  2668,  2669],
         [ 2670,  2671,  2672,  ...,  2697,  2698,  2699]],

        ...,

        [[24300, 24301, 24302,  ..., 24327, 24328, 24329],
         [24330, 24331, 24332,  ..., 24357, 24358, 24359],
         [24360, 24361, 24362,  ..., 24387, 24388, 24389],
         ...,
         [25110, 25111, 25112,  ..., 25137, 25138, 25139],
         [25140, 25141, 25142,  ..., 25167, 25168, 25169],
         [25170, 25171, 25172,  ..., 25197, 25198, 25199]],

        [[25200, 25201, 25202,  ..., 25227, 25228, 25229],
         [25230, 25231, 25232,  ..., 25257, 25258, 25259],
         [25260, 25261, 25262,  ..., 25287, 25288, 25289],
         ...,
         [26010, 26011, 26012,  ..., 26037, 26038, 26039],
         [26040, 26041, 26042,  ..., 26067, 26068, 26069],
         [26070, 26071, 26072,  ..., 26097, 26098, 26099]],

        [[26100, 26101, 26102,  ..., 26127, 26128, 26129],
         [26130, 26131, 26132,  ..., 26157, 26158, 26159],
         [26160, 26161, 26162,  ..., 26187, 26188, 26189],
         ...,
         [26910, 26911, 26912,  ..., 26937, 26938, 26939],
         [26940, 26941, 26942,  ..., 26967, 26968, 26969],
         [26970, 26971, 26972,  ..., 26997, 26998, 26999]]])""",
    ),
    (
        "gn.arange(1002).reshape(2, 501)",
        """\
tensor([[   0,    1,    2,  ...,  498,  499,  500],
        [ 501,  502,  503,  ...,  999, 1000, 1001]])""",
    ),
    (
        "gn.arange(1002.0).reshape(501, 2) / 7",
        """\
tensor([[0.0000e+00, 1.4286e-01],
        [2.8571e-01, 4.2857e-01],
        [5.7143e-01, 7.1429e-01],
        ...,
        [1.4229e+02, 1.4243e+02],
        [1.4257e+02, 1.4271e+02],
        [1.4286e+02, 1.4300e+02]])""",
    ),
    (
        "gn.zeros(7, 200, dtype=gn.bool)",
        """\
tensor([[False, False, False,  ..., False, False, False],
        [False, False, False,  ..., False, False, False],
        [False, False, False,  ..., False, False, False],
        ...,
        [False, False, False,  ..., False, False, False],
        [False, False, False,  ..., False, False, False],
        [False, False, False,  ..., False, False, False]])""",
    ),
    ("gn.full((1001,), 1 + 2j)", "tensor([1.+2.j, 1.+2.j, 1.+2.j,  ..., 1.+2.j, 1.+2.j, 1.+2.j])"),
]

# set_printoptions's arguments, an expression, its text
TEXTS_WITH_OPTIONS: list[tuple[dict[str, Any], str, str]] = [
    ({"precision": 2}, "gn.tensor([1.0 / 3, 1.0])", "tensor([0.33, 1.00])"),
    ({"precision": 0}, "gn.tensor([1.0 / 3, 1.0])", "tensor([0, 1])"),
    (
        {"precision": 10, "linewidth": 30},
        "gn.tensor([1.0 / 3, 1.0])",
        """\
tensor([0.3333333433,
        1.0000000000])""",
    ),
    ({"sci_mode": True}, "gn.tensor([1.0, 250.0])", "tensor([1.0000e+00, 2.5000e+02])"),
    ({"sci_mode": False}, "gn.tensor([1e-6, 250.0])", "tensor([  0.0000, 250.0000])"),
    ({"sci_mode": False}, "gn.tensor([1e10])", "tensor([10000000000.])"),
    (
        {"linewidth": 24},
        "gn.arange(12)",
        """\
tensor([ 0,  1,  2,  3,
         4,  5,  6,  7,
         8,  9, 10, 11])""",
    ),
    (
        {"linewidth": 20},
        "gn.tensor([1.0], requires_grad=True)",
        """\
tensor([1.],
       requires_grad=True)""",
    ),
    ({"linewidth": 34}, "gn.tensor([1.0], requires_grad=True)", "tensor([1.], requires_grad=True)"),
    (
        {"linewidth": 32},
        "gn.tensor([1.0], requires_grad=True)",
        """\
tensor([1.],
       requires_grad=True)""",
    ),
    (
        {"edgeitems": 2, "threshold": 5},
        "gn.arange(20).reshape(4, 5)",
        """\
tensor([[ 0,  1,  ...,  3,  4],
        [ 5,  6,  ...,  8,  9],
        [10, 11,  ..., 13, 14],
        [15, 16,  ..., 18, 19]])""",
    ),
    ({"linewidth": 33}, "gn.tensor([1.0], requires_grad=True)", "tensor([1.], requires_grad=True)"),
    ({"edgeitems": 1, "threshold": 5}, "gn.arange(6)", "tensor([0,  ..., 5])"),
    ({"edgeitems": 1, "threshold": 6}, "gn.arange(6)", "tensor([0, 1, 2, 3, 4, 5])"),
    (
        {"edgeitems": 2, "threshold": 5},
        "gn.arange(36).reshape(6, 6)",
        """\
tensor([[ 0,  1,  ...,  4,  5],
        [ 6,  7,  ..., 10, 11],
        ...,
        [24, 25,  ..., 28, 29],
        [30, 31,  ..., 34, 35]])""",
    ),
    ({"edgeitems": 0, "threshold": 0}, "gn.arange(6)", "tensor([...], size=(6,))"),
    ({"profile": "short"}, "gn.arange(1001.0) / 3", "tensor([0.00e+00, 3.33e-01,  ..., 3.33e+02, 3.33e+02])"),
    ({"profile": "full", "linewidth": 1000000}, "gn.arange(1001)[::500]", "tensor([   0,  500, 1000])"),
]


@pytest.fixture(autouse=True)
def _default_options() -> Iterator[None]:
    yield
    gn.set_printoptions(profile="default")


def value_of(expression: str, library: ModuleType = gn) -> Any:
    return eval(expression, {"gn": library, "inf": inf, "nan": nan})


@pytest.mark.parametrize(("expression", "text"), TEXTS, ids=[expression for expression, _ in TEXTS])
def test_text_is_pytorchs(expression: str, text: str, device: str) -> None:
    assert repr(value_of(expression)) == text
    assert str(value_of(expression)) == text


@pytest.mark.parametrize(("options", "expression", "text"), TEXTS_WITH_OPTIONS)
def test_printoptions(options: dict[str, Any], expression: str, text: str) -> None:
    gn.set_printoptions(**options)
    assert repr(value_of(expression)) == text


def test_sci_mode_is_given_up_by_the_next_call() -> None:
    gn.set_printoptions(sci_mode=True)
    gn.set_printoptions(precision=2)
    assert repr(gn.tensor([0.5])) == "tensor([0.50])"
    gn.set_printoptions(profile="default")
    assert repr(gn.tensor([0.5])) == "tensor([0.5000])"


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match=r"profile must be one of .*'full'.* got 'tiny'"):
        gn.set_printoptions(profile="tiny")


def test_the_default_dtype_goes_without_saying() -> None:
    gn.set_default_dtype(gn.float64)
    try:
        assert repr(gn.tensor([0.5])) == "tensor([0.5000])"
        assert repr(gn.tensor([1j])) == "tensor([0.+1.j])"
        assert repr(gn.tensor([0.5], dtype=gn.float32)) == "tensor([0.5000], dtype=gnomon.float32)"
        assert repr(gn.tensor([1j], dtype=gn.complex64)) == "tensor([0.+1.j], dtype=gnomon.complex64)"
    finally:
        gn.set_default_dtype(gn.float32)


def test_a_summary_reads_no_more_than_it_shows() -> None:
    def calls(rows: int) -> int:
        """The number of functions called to print so many rows."""
        few = gn.zeros(1).expand(rows, 1000)
        called: list[str] = []
        repr(few)
        sys.setprofile(lambda frame, event, argument: called.append(event))
        try:
            text = repr(few)
        finally:
            sys.setprofile(None)
        assert text.count("0.") == 36
        return len(called)

    assert calls(20_000) == calls(2_000)
    assert repr(gn.zeros(1).expand(1_000_000_000, 1000)).count("0.") == 36  # reading it all would take days


def test_format_of_a_single_number(device: str) -> None:
    assert f"{gn.tensor(3.14159):.2f}" == "3.14"
    assert f"{gn.tensor(7):03d}" == "007"
    assert f"{gn.tensor([1, 2])}" == "tensor([1, 2])"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{gn.tensor([1.0, 2.0]):.2f}"


def test_a_text_does_not_change_the_tensor(device: str) -> None:
    x = gn.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    assert repr(y) == "tensor([2., 4.], grad_fn=<MulBackward0>)"
    assert (x._version, y._version, x.is_leaf, y.is_leaf) == (0, 0, True, False)


@pytest.mark.oracle
def test_the_recorded_texts_are_what_pytorch_prints_now() -> None:
    torch = pytest.importorskip("torch")
    for expression, text in TEXTS:
        assert repr(value_of(expression, torch)).replace("torch.", "gnomon.") == text, expression
    for options, expression, text in TEXTS_WITH_OPTIONS:
        torch.set_printoptions(profile="default")
        torch.set_printoptions(**options)
        assert repr(value_of(expression, torch)).replace("torch.", "gnomon.") == text, (options, expression)
    torch.set_printoptions(profile="default")


def test_format_without_specification_is_pythons(device: str) -> None:
    assert f"{gn.tensor(3.14159)}" == "3.141590118408203"
    assert f"{gn.tensor(1j)} {gn.tensor(7)} {gn.tensor(True)}" == "1j 7 True"
    assert f"{gn.tensor(3.0, requires_grad=True)}" == "3.0"
    assert f"{gn.nn.Parameter(gn.tensor(2.0))}".startswith("Parameter containing")
    assert f"{gn.zeros((), device='meta')}" == "tensor(..., device='meta', size=())"


def test_named_results_say_their_names(device: str) -> None:
    result = gn.max(gn.tensor([[1.0, 2.0]]), 1)
    assert repr(result) == "gnomon.return_types.max(\nvalues=tensor([2.]),\nindices=tensor([1]))"
    assert type(result) is gn.return_types.max
    copied = pickle.loads(pickle.dumps(result))
    assert type(copied) is type(result) and repr(copied) == repr(result)
    assert not hasattr(gn.return_types, "sin")  # its result is one tensor
