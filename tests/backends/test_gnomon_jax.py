"""gnomon_jax: tensors of any strides on immutable memory, and kernels that XLA compiles.

The conformance suite compares its numbers with the reference's; ``make oracle`` runs a part of it.
"""

import math
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.backend import get_backend

pytestmark = pytest.mark.oracle
if find_spec("jax") is None:
    pytest.skip("JAX is not installed", allow_module_level=True)
if find_spec("gnomon_jax") is None or "jax" not in gn.backends():
    pytest.skip("the backend is not installed", allow_module_level=True)

import gnomon_jax  # noqa: E402
from time_limits import LIMIT  # noqa: E402

BACKEND: Any = get_backend("jax")
KINDS = [
    "bool",
    "uint8",
    "int16",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.fixture(autouse=True)
def _no_fallback(_silent_fallback: None) -> Iterator[None]:
    """A fallback raises in these tests."""
    gn.set_fallback_policy("error")
    yield


def content(tensor: gn.Tensor) -> Any:
    """The immutable array in which a tensor's storage is."""
    return tensor.untyped_storage().memory.content


# -- the package -------------------------------------------------------------------------------------------


def ran(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    return done.stdout.strip()


def test_asking_for_backends_does_not_import_jax() -> None:
    assert ran("import sys, gnomon as gn; print(gn.backends()['jax'].available, 'jax' in sys.modules)") == (
        "True False"
    )


def test_using_it_leaves_the_settings_of_jax_alone() -> None:
    program = (
        "import gnomon as gn, jax, jax.numpy as jnp; x = gn.ones(3, dtype=gn.float64, device='jax'); "
        "print((x / 3).sum().item(), jax.config.jax_enable_x64, jnp.ones(1).dtype)"
    )
    assert ran(program) == "1.0 False float32"


def test_without_jax_the_backend_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert gnomon_jax.JaxBackend().is_available() == (False, "JAX is not installed (pip install jax)")


def test_cpu_is_never_this_backend() -> None:
    assert gn.zeros(1, device="cpu").device.type != "jax"
    assert not BACKEND.host_memory


# -- memory ------------------------------------------------------------------------------------------------


def test_bytes_of_a_block() -> None:
    memory = BACKEND.allocate(6, 0)
    assert bytes(BACKEND.copy_out(memory, 0, 6)) == bytes(6)
    BACKEND.copy_in(memory, 2, memoryview(b"abc"))
    assert bytes(BACKEND.copy_out(memory, 1, 4)) == b"\0abc"
    assert bytes(BACKEND.copy_out(BACKEND.allocate(0, 0), 0, 0)) == b""
    with pytest.raises(gn.OutOfMemoryError, match="jax: can not allocate 4611686018427387904 bytes"):
        BACKEND.allocate(2**62, 0)


def test_a_write_makes_another_array_and_leaves_the_old_one() -> None:
    a = gn.tensor([1.0, 2.0, 3.0], device="jax") + 0
    before = content(a)
    a[1:].mul_(10)
    assert a.tolist() == [1, 20, 30]
    assert content(a) is not before
    assert before.view("float32")[:3].tolist() == [1, 2, 3]


def test_a_copy_of_a_block_shares_its_array_until_one_is_written() -> None:
    one, other = (BACKEND.allocate(8, 0) for _ in range(2))
    BACKEND.copy_in(one, 0, memoryview(b"12345678"))
    BACKEND.copy_between(other, one, 8)
    assert other.content is one.content
    BACKEND.copy_in(other, 0, memoryview(b"x"))
    assert bytes(BACKEND.copy_out(one, 0, 8)) == b"12345678"
    assert bytes(BACKEND.copy_out(other, 0, 8)) == b"x2345678"


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("count", [12, 5000])  # with a program of all small tensors, and with its own
def test_strides(name: str, count: int) -> None:
    kind = getattr(gn, name)
    numbers = [kind.cast(number % 5) for number in range(count)]
    for view in (
        lambda x: x[3:],
        lambda x: x[1::3],
        lambda x: x.reshape(-1, 4).t(),
        lambda x: x.reshape(2, -1, 2).permute(2, 0, 1),
        lambda x: x.as_strided((2, 3), (0, 2), 1),
        lambda x: x.as_strided((4, 3), (1, 1), 2),
        lambda x: x[-1],
        lambda x: x[:0],
    ):
        x, y = (gn.tensor(numbers, dtype=kind, device=device) for device in ("jax", "reference"))
        assert view(x).clone().tolist() == view(y).tolist()
        if view(y).numel() and 0 not in view(y).stride() and view(y).stride() != (1, 1):
            view(x).fill_(1)
            view(y).fill_(1)
            assert x.tolist() == y.tolist()


def test_one_block_as_several_dtypes() -> None:
    a = gn.tensor([1.0, -2.0], device="jax")
    bits = a.view(gn.int32)
    assert (bits + 0).tolist() == [0x3F800000, -0x40000000]
    bits[1] = 0x40400000
    assert a.tolist() == [1, 3]
    halves = a.view(gn.int16)
    halves[1:2].add_(1)
    assert (a * 2).tolist() == [2.015625, 6]
    whole = gn.arange(4096, dtype=gn.int64, device="jax").view(gn.int32)
    assert (whole[::2] + whole[1::2]).sum().item() == 4096 * 4095 // 2


def test_an_input_that_is_the_output_is_read_first() -> None:
    a = gn.arange(6, dtype=gn.float32, device="jax").reshape(2, 3)
    a[:, :2].copy_(a[:, 1:].clone())
    assert a.tolist() == [[1, 2, 2], [4, 5, 5]]
    gn.add(a, a, out=a)
    assert a.tolist() == [[2, 4, 4], [8, 10, 10]]


def test_two_outputs_in_one_block() -> None:
    block = gn.zeros(2, 3, device="jax")
    a = gn.tensor([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], device="jax")
    gn.aminmax(a, dim=1, out=(block[1], block[0]))
    assert block.tolist() == [[3, 5, 4], [1, 2, 0]]


def test_threads_that_write_to_one_block_lose_nothing() -> None:
    block = gn.zeros(8, 16, device="jax")

    def add(row: int) -> None:
        for _ in range(20):
            block[row].add_(row + 1)

    threads = [threading.Thread(target=add, args=(row,)) for row in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert block.tolist() == [[20.0 * (row + 1)] * 16 for row in range(8)]


# -- programs ----------------------------------------------------------------------------------------------


def test_small_tensors_of_other_sizes_and_strides_use_the_same_programs() -> None:
    from gnomon_jax import programs, strided

    def use(rows: int, columns: int) -> None:
        a = gn.arange(rows * columns, dtype=gn.float32, device="jax").reshape(rows, columns)
        (a.t() * a.t()[0, 0]).exp()

    use(3, 5)
    before = len(programs._programs), strided.gather._cache_size(), strided.scatter._cache_size()
    use(4, 6)
    use(5, 2)
    ranges = 2  # arange is not elementwise: it has a program for each count
    after = len(programs._programs), strided.gather._cache_size(), strided.scatter._cache_size()
    assert after == (before[0] + ranges, *before[1:])


def test_numbers_that_change_need_no_other_program() -> None:
    from gnomon_jax import programs

    param = gn.nn.Parameter(gn.ones(3, device="jax"))
    optimizer = gn.optim.SGD([param], lr=0.5, fused=True)
    for number in range(3):
        param.grad = gn.ones(3, device="jax")
        optimizer.param_groups[0]["lr"] = 0.5 / (number + 1)
        optimizer.step()
        if number == 0:
            before = len(programs._programs)
    assert len(programs._programs) == before
    assert param.tolist() == pytest.approx([1 - 0.5 - 0.25 - 0.5 / 3] * 3)


def test_another_seed_needs_no_other_program() -> None:
    from gnomon_jax import programs

    def draw(seed: int) -> list[float]:
        gn.manual_seed(seed)
        return gn.empty(5, device="jax").uniform_(-seed, seed).tolist()

    first = draw(1)
    before = len(programs._programs)
    assert draw(2) != first
    assert draw(1) == first
    assert len(programs._programs) == before


def test_the_steps_of_a_recurrent_layer_are_a_loop_of_its_program() -> None:
    import jax

    from gnomon_jax import recurrent

    def size(steps: int) -> int:
        x, w, h = (jax.numpy.ones(shape) for shape in ((2 * steps, 3), (4, 3), (2, 4)))
        weights = w, jax.numpy.ones((4, 4)), None, None, None

        def layer(x: Any) -> Any:
            sizes = [(2 * steps, 4), (2, 4), None, (0,)]
            return recurrent.layer(sizes, x, *weights, h, None, [2] * steps, recurrent.TANH, False, False)[0]

        return len(jax.make_jaxpr(layer)(x).eqns)

    assert size(3) == size(30)


def test_a_fused_step_uses_the_unscaled_gradient_as_it_is_stored() -> None:
    for device in ("jax", "reference"):
        param = gn.nn.Parameter(gn.ones(2, dtype=gn.float16, device=device))
        param.grad = gn.tensor([1.0, 8.0], dtype=gn.float16, device=device)
        optimizer: Any = gn.optim.SGD([param], lr=2.0**20, fused=True)
        optimizer.grad_scale = gn.tensor(2.0**26, device=device)  # 2 ** -26 is 0 in float16
        optimizer.found_inf = gn.tensor(0.0, device=device)
        optimizer.step()
        assert param.grad.tolist() == [0, 2.0**-23]
        assert param.tolist() == [1, 1 - 2.0**-3]


# -- numbers -----------------------------------------------------------------------------------------------


def test_subnormal_numbers_are_not_zero() -> None:
    for kind, small in ((gn.float32, 2.0**-149), (gn.bfloat16, 2.0**-133), (gn.float16, 2.0**-24)):
        a = gn.tensor([small, -3 * small, 0.0, -0.0], dtype=kind, device="jax")
        assert (a + a).tolist() == [2 * small, -6 * small, 0, 0]
        assert (a != 0).tolist() == [True, True, False, False]
        assert [math.copysign(1, each) for each in (a * 1).tolist()] == [1, -1, 1, -1]
        half = gn.tensor([2.0**-126], dtype=gn.float32, device="jax") * 0.5
        assert half.tolist() == [2.0**-127]


SUBNORMAL: dict[str, Any] = {
    "log": lambda x: (x * 0 + gn.tensor(5e-324, dtype=x.dtype, device=x.device)).log(),
    "minimum": lambda x: x.minimum(gn.tensor(-5e-324, dtype=x.dtype, device=x.device)),
    "mul": lambda x: x * 1e-310,
    "div": lambda x: x * 1e-300 / 1e10,
    "exp": lambda x: (x - 711).exp(),
    "sigmoid": lambda x: (x - 711).sigmoid(),
    "pow": lambda x: (x * 1e-200) ** 1.6,
}


@pytest.mark.parametrize("program", SUBNORMAL)
def test_subnormal_numbers_of_float64_are_left_to_the_reference(program: str) -> None:
    found, expected = (
        SUBNORMAL[program](gn.tensor([1.0, 2.0], dtype=gn.float64, device=device)).tolist()
        for device in ("jax", "reference")
    )
    assert found == pytest.approx(expected, rel=1e-14, abs=0) and all(found)


@pytest.mark.parametrize("count", [3, 5000])
def test_a_write_to_an_expanded_tensor_changes_only_the_elements_it_names(count: int) -> None:
    x = gn.zeros(1, device="jax").expand(count)
    with pytest.warns(UserWarning, match="expanded"):
        x.masked_fill_(gn.arange(count, device="jax") == 0, 2.0)
    assert x[:3].tolist() == [2, 2, 2]


def test_a_product_and_a_sum_are_rounded_one_after_the_other() -> None:
    a, b = 1 + 2.0**-30, 1 - 2.0**-30
    x, y = (gn.tensor([each], dtype=gn.float64, device="jax") for each in (a, b))
    minus_one = gn.tensor([-1.0], dtype=gn.float64, device="jax")
    assert gn.addcmul(minus_one, x, y).tolist() == [0]  # exactly: -2 ** -60


def test_the_bits_of_a_nan_are_copied() -> None:
    bits = [0x7FC01234, 0x7F801234]
    a = gn.tensor(bits, dtype=gn.int32, device="jax").view(gn.float32)
    assert a.clone().view(gn.int32).tolist() == bits
    assert a.expand(2, 2).t().contiguous().view(gn.int32).tolist() == [[bits[0]] * 2, [bits[1]] * 2]


# -- errors ------------------------------------------------------------------------------------------------

REFUSED: dict[str, Any] = {
    "division": lambda d: gn.arange(3, device=d) // gn.arange(3, device=d),
    "index": lambda d: gn.arange(3, device=d)[gn.tensor([0, 3], device=d)],
    "gather": lambda d: gn.ones(2, 2, device=d).gather(0, gn.tensor([[-1]], device=d)),
    "class": lambda d: gn.nn.functional.nll_loss(gn.ones(2, 3, device=d), gn.tensor([0, 3], device=d)),
    "cholesky": lambda d: gn.linalg.cholesky_ex(
        gn.tensor([[1.0, 2.0], [2.0, 1.0]], device=d), check_errors=True
    ),
    "solve": lambda d: gn.linalg.solve(gn.ones(2, 2, device=d), gn.ones(2, device=d)),
    "eigh": lambda d: gn.linalg.eigvalsh(gn.full((2, 2), math.nan, device=d)),
    "masked_scatter": lambda d: gn.zeros(3, device=d).masked_scatter_(
        gn.ones(3, dtype=gn.bool, device=d), gn.ones(2, device=d)
    ),
    "index_fill": lambda d: gn.zeros(2, dtype=gn.uint8, device=d).index_fill(
        0, gn.tensor([0], device=d), 300
    ),
    "index_reduce": lambda d: gn.zeros(2, device=d).index_reduce(
        0, gn.tensor([2], device=d), gn.ones(1, device=d), "prod"
    ),
    "sorter": lambda d: gn.searchsorted(
        gn.ones(2, device=d), gn.ones(1, device=d), sorter=gn.tensor([0, 2], device=d)
    ),
    "bag": lambda d: gn.nn.functional.embedding_bag(
        gn.tensor([0, 4], device=d), gn.ones(3, 2, device=d), gn.tensor([0], device=d)
    ),
    "label": lambda d: gn.nn.functional.ctc_loss(
        gn.zeros(4, 1, 3, device=d), gn.tensor([[1, 3]], device=d), (4,), (2,)
    ),
}


@pytest.mark.parametrize("program", REFUSED)
def test_what_a_kernel_refuses_the_reference_refuses_in_its_words(program: str) -> None:
    messages = []
    for device in ("jax", "reference"):
        with pytest.raises((RuntimeError, IndexError)) as caught:
            REFUSED[program](device)
        messages.append((caught.type, str(caught.value)))
    assert messages[0] == messages[1]


def test_nothing_is_written_before_a_refusal() -> None:
    a = gn.arange(4, device="jax")
    with pytest.raises(RuntimeError):
        a.floor_divide_(gn.tensor([2, 2, 2, 0], device="jax"))
    assert a.tolist() == [0, 1, 2, 3]


def test_a_missing_kernel_runs_on_the_reference() -> None:
    gn.set_fallback_policy("allow")
    x = gn.tensor([0.5, -2.0], device="jax")
    assert gn.special.hermite_polynomial_h(x, 2).tolist() == [-1, 14]


def test_a_dtype_that_a_kernel_does_not_claim_runs_on_the_reference() -> None:
    numbers = [0.25, 2 - 2.0**-12, 12.5]  # near 2, wrong digits of JAX's lgamma are seen in float64
    assert gn.lgamma(gn.tensor(numbers, device="jax")).tolist() == pytest.approx(
        [math.lgamma(each) for each in numbers], rel=1e-6
    )
    with pytest.raises(RuntimeError, match="lgamma"):
        gn.lgamma(gn.tensor(numbers, dtype=gn.float64, device="jax"))
    gn.set_fallback_policy("allow")
    found = gn.lgamma(gn.tensor(numbers, dtype=gn.float64, device="jax")).tolist()
    assert found == gn.lgamma(gn.tensor(numbers, dtype=gn.float64, device="reference")).tolist()


# -- families ----------------------------------------------------------------------------------------------
# The conformance suite accepts a fallback.  These run on the backend's own kernels.


def numbers_on(device: str, *sizes: int) -> gn.Tensor:
    count = math.prod(sizes)
    return ((gn.arange(count, dtype=gn.float32, device=device) * 7 % 11 + 1) / 8).reshape(sizes)


def matrices_on(device: str) -> gn.Tensor:
    """Two positive-definite matrices."""
    a = numbers_on(device, 2, 3, 3)
    return a @ a.mT + gn.eye(3, device=device)


def recurrent_on(device: str, kind: str, **options: Any) -> list[gn.Tensor]:
    """Packed sequences of different lengths through a layer in both directions, and all gradients."""
    nn = gn.nn
    gn.manual_seed(2)
    with gn.device("reference"):
        layer = getattr(nn, kind)(3, 4, bidirectional=True, **options)
    layer.to(device)
    x = numbers_on(device, 5, 3, 3).requires_grad_()
    packed = nn.utils.rnn.pack_padded_sequence(x, gn.tensor([5, 3, 2], device="reference"))
    found, _ = layer(packed)
    (found.data * found.data).sum().backward()
    return [found.data, x.grad, *(each.grad for each in layer.parameters())]


def gradients_on(device: str, function: Any, *sizes: Any) -> list[gn.Tensor]:
    """The result, and its gradients by tensors of these sizes."""
    given = [numbers_on(device, *each).requires_grad_() for each in sizes]
    found = function(*given)
    (found * found).sum().backward()
    return [found, *(each.grad for each in given)]


def counted_on(device: str, function: Any) -> gn.Tensor:
    """What a random function draws after a seed."""
    gn.manual_seed(5)
    return function(gn.empty(7, device=device))


functional = gn.nn.functional
FAMILIES: dict[str, Any] = {
    "cholesky": lambda d: gn.linalg.cholesky(matrices_on(d), upper=True),
    "cholesky that stops": lambda d: gn.linalg.cholesky_ex(matrices_on(d) - 2 * gn.eye(3, device=d)),
    "lu": lambda d: gn.linalg.lu(numbers_on(d, 2, 3, 4)),
    "singular lu": lambda d: gn.linalg.lu_factor_ex(gn.ones(3, 3, device=d)),
    "solve": lambda d: gn.linalg.solve(matrices_on(d), numbers_on(d, 2, 3, 2)),
    "qr": lambda d: gn.linalg.qr(numbers_on(d, 4, 3)),
    "singular values": lambda d: gn.linalg.svdvals(numbers_on(d, 4, 3)),
    "eigenvalues": lambda d: gn.linalg.eigvalsh(matrices_on(d)),
    "exponential": lambda d: gn.linalg.matrix_exp(matrices_on(d)),
    "first of a number": lambda d: gn.topk(gn.tensor(3.0, device=d), 0),
    "cumulative extremes of bool": lambda d: [
        each for find in (gn.cummax, gn.cummin) for each in find(gn.tensor([True, False, True], device=d), 0)
    ],
    "rms norm of float64": lambda d: functional.rms_norm(numbers_on(d, 2, 3).double() * 1e-8, (3,)),
    "sums with a quotient that is held": lambda d: [
        gn.addcdiv(
            gn.zeros(2, device=d),
            gn.tensor([2.0**-149, 3e38], device=d),
            gn.tensor([2.0**-149, 8.0], device=d),
            value=value,
        )
        for value in (0.5, 4.0)
    ],
    "sums with a product that is held": lambda d: (
        gn.addcmul(
            gn.zeros(1, device=d),
            gn.tensor([2.0**-149], device=d),
            gn.tensor([2.0**126], device=d),
            value=0.5,
        )
        * 2.0**20
    ),
    "outer product that is held": lambda d: (
        gn.addr(
            gn.zeros(1, 1, device=d),
            gn.tensor([2.0**-149], device=d),
            gn.tensor([2.0**126], device=d),
            alpha=0.5,
        )
        * 2.0**20
    ),
    "gradient of elu that is held": lambda d: gn.ops.aten.elu_backward(
        gn.tensor([1.0], device=d), 3e38, 10.0, 1e-3, False, gn.tensor([-1.0], device=d)
    ),
    "fourier": lambda d: gn.fft.irfft(gn.fft.rfft(numbers_on(d, 2, 7)) * 2, n=7),
    "lstm": lambda d: recurrent_on(d, "LSTM", proj_size=2),
    "gru": lambda d: recurrent_on(d, "GRU"),
    "rnn": lambda d: recurrent_on(d, "RNN", nonlinearity="relu"),
    "attention": lambda d: gradients_on(
        d,
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        *[(1, 2, 4, 3)] * 3,
    ),
    "gelu": lambda d: gradients_on(d, functional.gelu, (5,)),
    "grid": lambda d: gradients_on(
        d, lambda x, grid: functional.grid_sample(x, grid - 1, align_corners=True), (1, 2, 3, 4), (1, 2, 2, 2)
    ),
    "resampling": lambda d: gradients_on(
        d, lambda x: functional.interpolate(x, size=(5, 2), mode="bicubic", antialias=True), (1, 2, 3, 4)
    ),
    "padding": lambda d: gradients_on(d, lambda x: functional.pad(x, (1, 2), mode="reflect"), (2, 3)),
    "unfold": lambda d: gradients_on(d, lambda x: functional.unfold(x, (2, 2), padding=1), (1, 2, 3, 4)),
    "bag": lambda d: gradients_on(
        d,
        lambda w: functional.embedding_bag(
            gn.tensor([0, 2, 2, 1], device=d), w, gn.tensor([0, 2, 2], device=d), mode="max"
        ),
        (4, 3),
    ),
    "ctc": lambda d: gradients_on(
        d,
        lambda x: functional.ctc_loss(
            x.log_softmax(2), gn.tensor([[1, 2, 2], [3, 1, 0]], device=d), (6, 5), (3, 2)
        ),
        (6, 2, 4),
    ),
    "bessel": lambda d: gn.special.bessel_y1(gn.tensor([0.5, 7.0, 40.0], device=d)),
    "airy": lambda d: gn.special.airy_ai(gn.tensor([-50.0, -(2.0**32)], device=d)),
    "digamma": lambda d: gn.digamma(gn.tensor([0.5, -1.25, 40.0], device=d)),
    "distances": lambda d: gn.cdist(numbers_on(d, 3, 2), numbers_on(d, 4, 2) + 1),
    "uniform": lambda d: counted_on(d, lambda x: x.uniform_(-1, 3)),
    "integers": lambda d: counted_on(d, lambda x: x.random_(-5, 1000)),
    "permutation": lambda d: counted_on(d, lambda x: gn.randperm(30, device=d)),
}


@pytest.mark.parametrize("program", FAMILIES)
def test_a_family_computes_what_the_reference_does(program: str) -> None:
    found: list[gn.Tensor] = []
    expected: list[gn.Tensor] = []
    for device, results in (("jax", found), ("reference", expected)):
        given = FAMILIES[program](device)
        results.extend([given] if isinstance(given, gn.Tensor) else given)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype is other.dtype and one.shape == other.shape and one.device.type == "jax"
        assert one.flatten().tolist() == pytest.approx(other.flatten().tolist(), rel=1e-5, abs=1e-6)


# -- networks ----------------------------------------------------------------------------------------------


def trained(device: str, optimizer: str) -> list[float]:
    nn = gn.nn
    gn.manual_seed(3)
    with gn.device("reference"):
        model = nn.Sequential(
            nn.Conv2d(1, 3, 3, padding=1),
            nn.BatchNorm2d(3),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(12, 3),
        )
    model.to(device)
    x = ((gn.arange(80, dtype=gn.float32, device="reference") * 7 % 11) / 11).reshape(5, 1, 4, 4).to(device)
    labels = (gn.arange(5, device="reference") % 3).to(device)
    steps = getattr(gn.optim, optimizer)(model.parameters(), lr=0.05)
    found = []
    for _ in range(5):
        steps.zero_grad()
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        steps.step()
        found.append(loss.item())
    return found


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_a_network_learns_on_it_without_the_reference(optimizer: str) -> None:
    found, expected = trained("jax", optimizer), trained("reference", optimizer)
    assert found == pytest.approx(expected, rel=1e-5)
    assert found[-1] < found[0]
