"""gnomon_numpy: each family against the reference; memory, casts, refused calls; no loop over elements."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gnomon as gn

np = pytest.importorskip("numpy")
pytest.importorskip("gnomon_numpy")
if "numpy" not in gn.backends():
    pytest.skip("the backend is not installed", allow_module_level=True)

from gnomon_numpy.arrays import encoded, raw, shown  # noqa: E402

from gnomon.memory.backend import get_backend, reference_backend  # noqa: E402
from gnomon.numerics import special as reference_special  # noqa: E402
from gnomon.numerics.generator import philox_4x32_10  # noqa: E402
from gnomon.numerics.special_functions import polygamma  # noqa: E402
from gnomon.values.dtype import ALL, LIMITED  # noqa: E402
from gnomon_numpy import philox, special  # noqa: E402
from time_limits import LIMIT  # noqa: E402

nn = gn.nn.functional
BACKEND = get_backend("numpy")


@pytest.fixture(autouse=True)
def _no_fallback(_silent_fallback: None) -> Iterator[None]:
    """A fallback raises in these tests."""
    gn.set_fallback_policy("error")
    yield


def numbers(count: int, device: str, seed: int = 0) -> Any:
    """Numbers of at least -2 and less than 2."""
    return gn.tensor([((7 * i + seed) % (count + 3)) / (count + 3) * 4 - 2 for i in range(count)]).to(device)


def matrix(device: str, *sizes: int, seed: int = 0) -> Any:
    return numbers(math.prod(sizes), device, seed).reshape(sizes)


# -- families ----------------------------------------------------------------------------------------------

PROGRAMS: dict[str, Callable[[str], Any]] = {
    "arithmetic": lambda d: matrix(d, 3, 4) * matrix(d, 4, seed=1) - 2 * matrix(d, 3, 1) / 3,
    "transposed": lambda d: matrix(d, 3, 4).t() + matrix(d, 4, 3),
    "elementary": lambda d: gn.exp(matrix(d, 3, 4)) + gn.sin(matrix(d, 3, 4)) * gn.tanh(matrix(d, 3, 4)),
    "special": lambda d: gn.erf(matrix(d, 9)) + gn.lgamma(matrix(d, 9) + 3) + gn.digamma(matrix(d, 9) + 3),
    "comparisons": lambda d: (matrix(d, 3, 4) > 0) & (matrix(d, 3, 4) != matrix(d, 4, seed=1)),
    "choice": lambda d: gn.where(matrix(d, 3, 4) > 0, matrix(d, 3, 4), 0).clamp(max=1.5),
    "activations": lambda d: nn.gelu(matrix(d, 9)) + nn.silu(matrix(d, 9)) + nn.elu(matrix(d, 9)),
    "sums": lambda d: matrix(d, 3, 4).sum(0) + matrix(d, 3, 4).mean(0, keepdim=True) + matrix(d, 4).std(),
    "extremes": lambda d: matrix(d, 3, 4).max(1),
    "norms": lambda d: gn.linalg.vector_norm(matrix(d, 3, 4), 3, 1),
    "scans": lambda d: matrix(d, 3, 4).cumsum(0) + matrix(d, 3, 4).cummax(1)[0],
    "products": lambda d: gn.addmm(matrix(d, 5), matrix(d, 3, 4), matrix(d, 4, 5), beta=2, alpha=3),
    "batches": lambda d: matrix(d, 2, 3, 4) @ matrix(d, 2, 4, 2),
    "distances": lambda d: gn.cdist(matrix(d, 3, 4), matrix(d, 5, 4, seed=2)),
    "indexing": lambda d: matrix(d, 3, 4)[gn.tensor([2, -1, 0]).to(d), 1:],
    "gather": lambda d: matrix(d, 3, 4).gather(1, gn.tensor([[0, 3], [1, 1]]).to(d)),
    "scatter": lambda d: matrix(d, 3, 4).scatter_add(0, gn.tensor([[0, 0], [2, 0]]).to(d), matrix(d, 2, 2)),
    "joining": lambda d: gn.cat([matrix(d, 2, 3), matrix(d, 1, 3)]).flip(0).tril(),
    "order": lambda d: matrix(d, 3, 4).sort(1, descending=True),
    "positions": lambda d: gn.searchsorted(matrix(d, 6).sort()[0], matrix(d, 3, seed=2)),
    "softmax": lambda d: matrix(d, 3, 4).softmax(0) + matrix(d, 3, 4).log_softmax(1),
    "layer norm": lambda d: nn.layer_norm(matrix(d, 3, 4), (4,), matrix(d, 4), matrix(d, 4)),
    "group norm": lambda d: nn.group_norm(matrix(d, 2, 4, 3), 2, matrix(d, 4)),
    "losses": lambda d: nn.cross_entropy(matrix(d, 3, 4), gn.tensor([0, 3, 1]).to(d)),
    "ctc": lambda d: nn.ctc_loss(matrix(d, 5, 1, 4).log_softmax(2), gn.tensor([[1, 2]]).to(d), (5,), (2,)),
    "convolution": lambda d: nn.conv2d(matrix(d, 2, 4, 5, 6), matrix(d, 6, 2, 3, 2), None, 2, 1, 1, 2),
    "transposed convolution": lambda d: nn.conv_transpose1d(matrix(d, 2, 4, 5), matrix(d, 4, 3, 3), None, 2),
    "max pool": lambda d: nn.max_pool2d(matrix(d, 2, 5, 6), 3, 2, 1, return_indices=True),
    "average pool": lambda d: nn.avg_pool2d(matrix(d, 1, 2, 5, 6), 3, 2, 1, count_include_pad=False),
    "adaptive pool": lambda d: nn.adaptive_avg_pool2d(matrix(d, 1, 2, 5, 7), (2, 3)),
    "resampling": lambda d: nn.interpolate(matrix(d, 1, 2, 4, 4), size=(7, 3), mode="bicubic"),
    "padding": lambda d: nn.pad(matrix(d, 1, 2, 4, 4), (1, 2, 3, 0), mode="reflect"),
    "columns": lambda d: nn.unfold(matrix(d, 1, 2, 4, 4), (2, 3), padding=1, stride=2),
    "grid": lambda d: nn.grid_sample(matrix(d, 1, 2, 4, 4), matrix(d, 1, 3, 3, 2), align_corners=False),
    "bags": lambda d: nn.embedding_bag(
        gn.tensor([1, 4, 0, 3]).to(d), matrix(d, 5, 3), gn.tensor([0, 3]).to(d), mode="max"
    ),
    "recurrent": lambda d: gn.rnn_tanh_cell(*[matrix(d, 3, 3)] * 4),
    "attention": lambda d: nn.scaled_dot_product_attention(
        matrix(d, 1, 2, 3, 4), matrix(d, 1, 2, 3, 4, seed=1), matrix(d, 1, 2, 3, 4, seed=2), is_causal=True
    ),
    "fourier": lambda d: gn.fft.rfft2(matrix(d, 3, 4)),
    "singular values": lambda d: gn.linalg.svdvals(matrix(d, 3, 4)),
    "ranges": lambda d: gn.linspace(-3, 11, 7, device=d) + gn.arange(7, device=d),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_families_agree_with_the_reference(program: str) -> None:
    found, expected = PROGRAMS[program]("numpy"), PROGRAMS[program]("reference")
    pairs = zip(found, expected) if isinstance(found, tuple) else [(found, expected)]
    for mine, theirs in pairs:
        assert mine.device == gn.device("numpy")
        assert (mine.dtype, mine.shape, mine.stride()) == (theirs.dtype, theirs.shape, theirs.stride())
        difference = (mine.to("reference") * 1 - theirs * 1).abs().max().item()
        assert difference <= 1e-5


def test_gradients_and_a_step_agree_with_the_reference() -> None:
    results = []
    for device in ("numpy", "reference"):
        weight = matrix(device, 4, 3).requires_grad_()
        optimizer = gn.optim.Adam([weight], lr=0.1, fused=True)
        for _ in range(3):
            loss = nn.mse_loss(nn.relu(matrix(device, 5, 4) @ weight), matrix(device, 5, 3, seed=2))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        results.append(weight.detach().to("reference"))
    assert (results[0] - matrix("reference", 4, 3)).abs().max().item() > 0.1  # training changed the weights
    assert (results[0] - results[1]).abs().max().item() < 1e-5


GRADIENTS: dict[str, tuple[tuple[int, ...], Callable[..., Any]]] = {
    "convolution": (
        (6, 2, 3, 2),
        lambda w: nn.conv2d(matrix(str(w.device), 2, 4, 5, 6), w, None, 2, 1, 1, 2),
    ),
    "its input": ((2, 4, 5), lambda a: nn.conv1d(a, matrix(str(a.device), 6, 4, 3), None, 2, 1)),
    "transposed": ((4, 3, 3), lambda w: nn.conv_transpose1d(matrix(str(w.device), 2, 4, 5), w, None, 2)),
    "max pool": ((1, 2, 5, 6), lambda a: nn.max_pool2d(a, 3, 2, 1)),
    "average pool": ((1, 2, 5, 6), lambda a: nn.avg_pool2d(a, 3, 2, 1)),
    "adaptive pool": ((1, 2, 5, 7), lambda a: nn.adaptive_max_pool2d(a, (2, 3))),
    "resampling": ((1, 2, 4, 4), lambda a: nn.interpolate(a, size=(7, 3), mode="bilinear")),
    "padding": ((1, 2, 4, 4), lambda a: nn.pad(a, (1, 2, 3, 0), mode="replicate")),
    "grid": (
        (1, 3, 3, 2),
        lambda g: nn.grid_sample(matrix(str(g.device), 1, 2, 4, 4), g * 0.4, align_corners=False),
    ),
    "layer norm": ((3, 4), lambda a: nn.layer_norm(a, (4,), matrix(str(a.device), 4))),
    "batch norm": ((3, 4), lambda a: nn.batch_norm(a, None, None, matrix(str(a.device), 4), training=True)),
    "attention": ((1, 2, 3, 4), lambda a: nn.scaled_dot_product_attention(a, a * 2, a * 3, is_causal=True)),
    "embedding": ((5, 3), lambda w: nn.embedding(gn.tensor([1, 4, 1], device=w.device), w)),
    "classes": ((3, 4), lambda a: nn.cross_entropy(a, gn.tensor([0, 3, 1], device=a.device))),
}


@pytest.mark.parametrize("program", GRADIENTS)
def test_gradients_agree_with_the_reference(program: str) -> None:
    sizes, function = GRADIENTS[program]
    found = []
    for device in ("numpy", "reference"):
        leaf = matrix(device, *sizes, seed=1).requires_grad_()
        (function(leaf) ** 3).sum().backward()
        found.append(leaf.grad.to("reference"))
    assert found[0].shape == found[1].shape == sizes
    assert found[1].abs().max().item() > 1e-3
    assert (found[0] - found[1]).abs().max().item() < 1e-4 * max(1.0, found[1].abs().max().item())


def test_claims() -> None:
    # of opaque tensors, it convolves the elements without their blocks; it requantizes products in steps, and
    # merges rows of sparse matrices by other operators
    without = {"_mkldnn_blocked_convolution", "_quantized_mm"}
    without |= {"_csr_rows", "_csr_merge", "_csr_csr_starts", "_csr_csr_mm"}
    assert {*reference_backend.kernels} - without <= {*BACKEND.kernels}
    assert set(BACKEND.kernels) == set(BACKEND.capabilities)
    names = {str(each).removeprefix("gnomon.") for each in gn_dtypes()}
    assert all(set(dtypes) <= names and dtypes for dtypes in BACKEND.capabilities.values())


def gn_dtypes() -> list[Any]:
    return [*ALL, *LIMITED]


def test_asking_for_backends_loads_no_family() -> None:
    program = (
        "import sys, gnomon_numpy; backend = gnomon_numpy.NumPyBackend(); assert backend.is_available()[0]; "
        "print([each for each in sys.modules if each.startswith('gnomon_numpy.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    assert done.stdout.strip() == "['gnomon_numpy.backend']"


# -- memory ------------------------------------------------------------------------------------------------


def test_a_tensor_is_shown_in_place_whatever_its_strides() -> None:
    base = gn.arange(12, device="numpy")
    memory = base.untyped_storage().memory
    for view in (base[3:], base[1::3], base.reshape(3, 4).t(), base.as_strided((3, 4), (2, 1), 1)):
        shown_view = raw(view)
        assert np.shares_memory(shown_view, memory)
        assert shown_view.tolist() == view.tolist()
        assert shown_view.strides == tuple(8 * stride for stride in view.stride())
    expanded = base[5].expand(2, 3)
    assert raw(expanded).strides == (0, 0) and raw(expanded).tolist() == [[5, 5, 5], [5, 5, 5]]
    base.reshape(3, 4).t()[1:3, 1].fill_(-1)
    assert base.tolist() == [0, 1, 2, 3, 4, -1, -1, 7, 8, 9, 10, 11]


def test_negative_strides_and_empty_views() -> None:
    memory = np.arange(6, dtype=np.int32).view(np.uint8)
    assert shown(memory, gn.int32, (3,), (-8,), 5).tolist() == [5, 3, 1]
    assert shown(memory, gn.int32, (0, 2), (8, 4), 1000).shape == (0, 2)


def test_results_go_where_the_strides_say() -> None:
    output = gn.zeros(4, 6, device="numpy")
    gn.add(matrix("numpy", 3, 2), matrix("numpy", 3, 2), out=output.t()[1:6:2, 1:3])
    expected = gn.zeros(4, 6)
    expected[1:3, 1::2] = (matrix("reference", 3, 2) * 2).t().to(expected.device)
    assert output.tolist() == expected.tolist()


@pytest.mark.filterwarnings("ignore:Use of index_put_ on expanded tensors")
def test_adding_to_an_expanded_tensor_adds_to_its_one_element() -> None:
    for count in (1, 3):
        base = gn.arange(2, device="numpy").reshape(2, 1)
        index = gn.tensor([1] * count, device="numpy"), gn.arange(count, device="numpy")
        base.expand(2, 3).index_put_(index, gn.tensor(5, device="numpy"), accumulate=True)
        assert base.tolist() == [[0], [1 + 5 * count]]


def test_memory_that_is_not_there() -> None:
    with pytest.raises(gn.OutOfMemoryError, match="numpy: can not allocate 4611686018427387904 bytes"):
        BACKEND.allocate(2**62, 0)
    assert BACKEND.allocate(0, 0).size == 0


def test_foreign_memory_is_shared_if_it_may_be_written() -> None:
    owner = bytearray(8)
    memory = BACKEND.wrap_host_memory(memoryview(owner), 0)
    memory[3] = 7
    assert owner[3] == 7
    assert BACKEND.wrap_host_memory(memoryview(bytes(8)), 0) is None


# -- casts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "int32", "int64"])
def test_floats_become_integers_as_registers_do(kind: str) -> None:
    values = [3.9, -3.9, 300.7, -1e5, 2.0**31, -(2.0**40), 1e30, math.nan, math.inf, -math.inf]
    for precision in (gn.float32, gn.float64):
        found, expected = (
            gn.tensor(values, dtype=precision, device=device).to(getattr(gn, kind)).tolist()
            for device in ("numpy", "reference")
        )
        assert found == expected


def test_sixteen_bit_floats_are_rounded_once_to_even() -> None:
    ties = [1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-20, -(1 + 2.0**-8), 3.4e38, math.inf]
    found = gn.tensor(ties, device="numpy").bfloat16().tolist()
    step = 2.0**-7
    assert found == [1, 1 + 2 * step, 1 + step, -1, math.inf, math.inf]
    single = gn.tensor([1 + 2.0**-11 + 2.0**-30, 65519.99, 65520.0], dtype=gn.float64, device="numpy")
    assert single.half().tolist() == [1.0, 65504.0, math.inf]  # via float32, as in PyTorch
    patterns = encoded(np.array([math.nan, -math.nan], np.float32), gn.bfloat16)
    assert patterns.dtype == np.uint16 and patterns.tolist() == [0x7FC0, 0x7FC0]


WIDE = [0, 1, -1, 2.5, -3.7, 17, 19, 300, 448, 449, 6e4, 1e5, 61439.0, 61440.0, 2.0**31, 2.0**32 + 5, 2.0**63]
WIDE += [
    2.0**63 * 1.5,
    -(2.0**62),
    5e9,
    -5e9,
    1e30,
    math.inf,
    -math.inf,
    math.nan,
    -0.0,
    0.1,
    2.0**-9,
    2.0**-10,
]
WIDE += [2.0**-16, 2.0**-17, 1.5 * 2.0**-17, 464.0, 1.0625, 1.1875, 1.125]


@pytest.mark.parametrize("kind", LIMITED, ids=lambda kind: kind.name)
def test_limited_dtypes_are_converted_moved_and_compared(kind: Any) -> None:
    for other in (*ALL, *LIMITED):
        for source, target in ((kind, other), (other, kind)):
            given = gn.tensor(WIDE, dtype=gn.float64, device="reference").to(source)
            found = given.to("numpy").to(target)
            expected = [target.cast(number) for number in given.tolist()]
            assert found.dtype is target and str(found.tolist()) == str(expected), (source, target)
    x = gn.tensor([[0, 1, 2], [3, 4, 7]], device="numpy").to(kind)
    rows = gn.tensor([1, 1], device="numpy")
    assert x.t().contiguous().tolist() == [[0, 3], [1, 4], [2, 7]] and gn.cat([x, x[:1]])[2].tolist() == [
        0,
        1,
        2,
    ]
    assert (
        gn.full((2,), 6, dtype=kind, device="numpy").tolist() == [6, 6]
        and x.clone().fill_(2)[0, 0].item() == 2
    )
    assert x[rows].tolist() == [[3, 4, 7]] * 2 and nn.embedding(rows, x).tolist() == [[3, 4, 7]] * 2
    assert (x == x[0]).tolist() == [[True] * 3, [False] * 3] and (x != 4).tolist()[1] == [True, False, True]
    assert gn.where(x == 4, x, gn.zeros_like(x)).tolist() == [[0, 0, 0], [0, 4, 0]]
    if not kind.name.startswith("uint"):
        special = gn.tensor([math.nan, 0.0, -0.0], device="numpy").to(kind)
        assert (special == special).tolist() == [False, True, True]
        assert x.index_select(1, rows).tolist() == [[1, 1], [4, 4]]


def test_sixteen_bit_sums_are_sums_of_float32() -> None:
    for kind in (gn.float16, gn.bfloat16):
        total = gn.ones(3000, dtype=kind, device="numpy").sum()
        assert total.dtype is kind
        assert total.item() == gn.tensor(3000.0, dtype=kind).item()


def test_integers_wrap_around_in_silence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        least = gn.tensor([-128, 127], dtype=gn.int8, device="numpy")
        assert (least - 1).tolist() == [127, 126]
        assert least.abs().tolist() == [-128, 127]
        assert gn.div(least, -1, rounding_mode="floor").tolist() == [-128, -127]
        assert gn.fmod(least, -1).tolist() == [0, 0]
        assert (gn.tensor([3], dtype=gn.int64, device="numpy") ** 41).tolist() == [3**41 - 2**65]
        assert (gn.tensor([1.0, 0.0], device="numpy") / 0).tolist()[0] == math.inf


# -- semantics that differ from those of NumPy's functions -------------------------------------------------


def test_ties_and_nan() -> None:
    nan = math.nan
    a = gn.tensor([2.0, nan, 2.0, 1.0, nan], device="numpy")
    values, order = a.sort(stable=True, descending=True)
    assert order.tolist() == [1, 4, 0, 2, 3] and values.tolist()[2:] == [2.0, 2.0, 1.0]
    assert a.argmax().item() == 1 and a.max(0).indices.item() == 1
    assert a.cummax(0).indices.tolist() == [0, 1, 1, 1, 4]
    assert gn.tensor([1, 1, 0], device="numpy").cummax(0).indices.tolist() == [0, 1, 1]
    assert gn.searchsorted(gn.tensor([1.0, nan], device="numpy"), nan).item() == 2
    assert gn.sign(a).tolist() == [1, 0, 1, 1, 0]
    plane = gn.tensor([[[3.0, 3.0, nan], [3.0, nan, 1.0]]], device="numpy")
    assert nn.max_pool2d(plane, 2, 1, return_indices=True)[1].tolist() == [[[4, 4]]]  # the last NaN
    assert nn.max_pool2d(plane[..., :2], (1, 2), return_indices=True)[1].tolist() == [[[0], [3]]]
    assert math.copysign(1, gn.relu(gn.tensor([-0.0], device="numpy")).item()) == -1
    assert gn.remainder(gn.tensor([-5.5, 5.5], device="numpy"), 3).tolist() == [0.5, 2.5]
    assert gn.fmod(gn.tensor([-5.5, 5.5], device="numpy"), 3).tolist() == [-2.5, 2.5]


def test_variance_by_degrees_of_freedom() -> None:
    a = gn.tensor([1.0, 2.0, 4.0, 9.0], device="numpy")
    assert [gn.ops.aten.var.correction(a, correction=each).item() for each in (0, 1, None, 3)] == [
        9.5,
        pytest.approx(38 / 3),
        pytest.approx(38 / 3),
        38.0,
    ]


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "int64", "complex64"])
def test_linspace_is_the_references_to_the_last_digit(kind: str) -> None:
    found, expected = (
        gn.linspace(-0.1, 9.7, 23, dtype=getattr(gn, kind), device=device).tolist()
        for device in ("numpy", "reference")
    )
    assert found == expected


def test_what_a_causal_mask_hides_has_no_part() -> None:
    value = gn.ones(1, 1, 2, 2, device="numpy")
    value[0, 0, 1] = math.nan
    query = gn.ones(1, 1, 2, 2, device="numpy")
    found = nn.scaled_dot_product_attention(query, query, value, is_causal=True)
    assert found[0, 0, 0].tolist() == [1, 1] and all(math.isnan(each) for each in found[0, 0, 1].tolist())


REFUSED: dict[str, Callable[[str], Any]] = {
    "division": lambda d: gn.arange(3, device=d) // gn.arange(3, device=d),
    "index": lambda d: gn.arange(3, device=d)[gn.tensor([0, 3], device=d)],
    "gather": lambda d: gn.ones(2, 2, device=d).gather(0, gn.tensor([[-1]], device=d)),
    "index_select": lambda d: gn.ones(3, device=d).index_select(0, gn.tensor([5], device=d)),
    "class": lambda d: nn.nll_loss(gn.ones(2, 3, device=d), gn.tensor([0, 3], device=d)),
    "probability": lambda d: nn.binary_cross_entropy(gn.tensor([1.5], device=d), gn.ones(1, device=d)),
    "embedding": lambda d: nn.embedding(gn.tensor([7], device=d), gn.ones(3, 2, device=d)),
}


@pytest.mark.parametrize("program", REFUSED)
def test_refusals_are_the_references(program: str) -> None:
    messages = []
    for device in ("numpy", "reference"):
        with pytest.raises((RuntimeError, IndexError)) as caught:
            REFUSED[program](device)
        messages.append((caught.type, str(caught.value)))
    assert messages[0] == messages[1]


def test_nothing_is_written_before_a_refusal() -> None:
    a = gn.arange(4, device="numpy")
    with pytest.raises(IndexError):
        a.index_copy_(0, gn.tensor([0, 9], device="numpy"), gn.tensor([7, 7], device="numpy"))
    assert a.tolist()[1:] == [1, 2, 3]
    a = gn.arange(4, device="numpy")
    with pytest.raises(RuntimeError):
        a.floor_divide_(gn.tensor([2, 2, 2, 0], device="numpy"))
    assert a[3].item() == 3


# -- random numbers ----------------------------------------------------------------------------------------

STREAMS: dict[str, Callable[[Any], Any]] = {
    "uniform": lambda a: a.uniform_(-1, 3),
    "normal": lambda a: a.normal_(1, 2),
    "bernoulli": lambda a: a.bernoulli_(0.3),
    "integers": lambda a: a.random_(-5, 1000),
    "exponential": lambda a: a.exponential_(2),
    "cauchy": lambda a: a.cauchy_(),
    "log normal": lambda a: a.log_normal_(),
}


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("stream", STREAMS)
def test_the_stream_is_the_references(stream: str, kind: str) -> None:
    found = []
    for device in ("numpy", "reference"):
        gn.manual_seed(11)
        found.append(STREAMS[stream](gn.empty(3, 50, dtype=getattr(gn, kind), device=device).t()).tolist())
    if kind == "float64":  # libm's functions are not always rounded to nearest
        assert np.allclose(found[0], found[1], rtol=1e-15, atol=0)
    else:
        assert found[0] == found[1]
    assert len({each for row in found[0] for each in row}) > 1


def test_counters_beyond_64_bits() -> None:
    seed, first = 2**63 + 12345, (7 << 64) - 2
    words = philox.blocks(4, seed, first % 2**64, first >> 64)
    found = list(zip(*(each.tolist() for each in words)))
    assert found == [philox_4x32_10(seed, first + index) for index in range(4)]


# -- special functions -------------------------------------------------------------------------------------


def test_special_functions_are_right_to_a_few_digits() -> None:
    points = np.concatenate([np.linspace(-6, 26, 641), np.linspace(-1e-3, 1e-3, 21)])
    for mine, theirs in ((special.erf, math.erf), (special.erfc, math.erfc)):
        expected = np.array([theirs(float(each)) for each in points])
        assert np.all(np.abs(mine(points) - expected) <= 8 * np.spacing(np.abs(expected)))
    for mine, theirs in (
        (special.lgamma, reference_special.lgamma),
        (special.digamma, reference_special.digamma),
        (lambda a: special.polygamma(a, 2), lambda a: polygamma(2, a)),
    ):
        expected = np.array([theirs(float(each)) for each in points[points != 0]])
        with np.errstate(all="ignore"):
            found = mine(points[points != 0])
        close = np.isclose(found, expected, rtol=2e-12, atol=1e-13, equal_nan=True)
        assert np.all(close), points[points != 0][~close]
    inside = np.linspace(-0.999, 0.999, 201)
    assert np.allclose(special.erf(special.erfinv(inside)), inside, rtol=1e-14, atol=0)


# -- no loop over elements ---------------------------------------------------------------------------------

VECTORISED: dict[str, Callable[[Any], Any]] = {
    "add": lambda a: a + a,
    "strided": lambda a: a.t() * a.t(),
    "gelu": lambda a: nn.gelu(a),
    "lgamma": lambda a: gn.lgamma(a),
    "sum": lambda a: a.sum(0),
    "std": lambda a: a.std(1),
    "cumsum": lambda a: a.cumsum(1),
    "mm": lambda a: a @ a.t()[:, :3],
    "index": lambda a: a[gn.zeros(len(a), dtype=gn.int64, device="numpy")],
    "gather": lambda a: a.gather(0, gn.zeros_like(a, dtype=gn.int64)),
    "scatter_add": lambda a: a.scatter_add(0, gn.zeros_like(a, dtype=gn.int64), a),
    "sort": lambda a: a.sort(1),
    "mode": lambda a: a.mode(1),
    "softmax": lambda a: a.softmax(1),
    "layer_norm": lambda a: nn.layer_norm(a, a.shape[1:]),
    "nll_loss": lambda a: nn.nll_loss(a, gn.zeros(len(a), dtype=gn.int64, device="numpy")),
    "conv1d": lambda a: nn.conv1d(a[None], gn.ones(2, len(a), 3, device="numpy")),
    "max_pool2d": lambda a: nn.max_pool2d(a[None], 3, 2),
    "avg_pool2d": lambda a: nn.avg_pool2d(a[None], 3, 2),
    "interpolate": lambda a: nn.interpolate(a[None, None], scale_factor=1.5, mode="bilinear"),
    "grid_sample": lambda a: nn.grid_sample(a[None, None], gn.stack([a, a], -1)[None], align_corners=True),
    "rand": lambda a: gn.rand(a.shape, device="numpy"),
    "fft": lambda a: gn.fft.fft(a),
    "embedding": lambda a: nn.embedding(gn.zeros(len(a), dtype=gn.int64, device="numpy"), a),
    "nonzero": lambda a: gn.ops.aten.nonzero_static.default(a, size=7),
    "tril": lambda a: a.tril(),
}


def calls_of(function: Callable[[Any], Any], sizes: tuple[int, int]) -> int:
    """The number of functions called, after a first call that builds plans and tables."""
    a = (gn.arange(math.prod(sizes), device="numpy") % 97 / 97.0).reshape(sizes)
    function(a)
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        function(a)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", VECTORISED)
def test_as_many_calls_for_many_elements_as_for_few(name: str) -> None:
    few, many = calls_of(VECTORISED[name], (8, 10)), calls_of(VECTORISED[name], (250, 400))
    assert many <= few + 60  # NumPy itself makes a few more calls for large arrays


@pytest.mark.parametrize("kernel", [7, 2**32, 2**60])
def test_a_window_costs_what_it_meets_of_the_input(kernel: int) -> None:
    """The kernel's size does not matter: most of the window is padding."""
    functional = gn.nn.functional
    row = gn.tensor([[[1.0, 3, 2, 3]]], device="numpy", requires_grad=True)
    values, places = functional.max_pool1d(row, kernel, kernel, kernel // 2, return_indices=True)
    assert (values.item(), places.item()) == (3, 1)
    mean = functional.avg_pool1d(row, kernel, kernel, kernel // 2, count_include_pad=False)
    (values + mean).sum().backward()
    assert row.grad.tolist() == [[[0.25, 1.25, 0.25, 0.25]]]


def test_a_number_is_rounded_once() -> None:
    """Integers become float32, and quotients are truncated, after one rounding; small powers are products."""
    both = [gn.device("reference"), gn.device("numpy")]
    odd = 2**57 + 2**33 + 1
    for made in (
        [gn.tensor([odd, -odd], device=device).to(gn.float32) for device in both],
        [
            gn.div(
                gn.tensor([2.5, -2.5], device=device),
                gn.tensor([0.001, 0.001], device=device),
                rounding_mode="trunc",
            )
            for device in both
        ],
        [gn.tensor([1e157, 3.0], dtype=gn.float64, device=device) ** -2 for device in both],
    ):
        assert made[0].tolist() == made[1].tolist()
