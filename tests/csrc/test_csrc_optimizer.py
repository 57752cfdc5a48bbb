"""The C backend's optimizer steps: layouts, threads, and what they leave unchanged."""

import pytest

import gnomon as gn
from gnomon.ops import aten

pytestmark = pytest.mark.skipif(
    "c" not in gn.backends() or not gn.backends()["c"].available, reason="no C library"
)

NUMBERS = {"lr": 0.1, "beta1": 0.8, "beta2": 0.9, "weight_decay": 0.05, "eps": 1e-3}
LAYOUTS = {
    "dense": lambda t: t.clone(),
    "transposed": lambda t: t.t().contiguous().t(),
    "gapped": lambda t: gn.cat([t, t], 1)[:, : t.size(1)],
    "stepped": lambda t: t.repeat_interleave(2, 1)[:, ::2],
}


def tensors(device, dtype, layouts, rows=37, columns=11):
    """A parameter, its gradient and three states, each in its layout."""
    made = []
    for number, layout in enumerate(layouts):
        numbers = [((each * 7919 + number * 31) % 1001) / 500 - 1 for each in range(rows * columns)]
        flat = gn.tensor(numbers, dtype=dtype, device=device)
        if number > 2:
            flat = flat.abs()
        made.append(LAYOUTS[layout](flat.reshape(rows, columns)))
    return made


def adam(device, dtype, layouts, name="_fused_adam_", **options):
    """The tensors after one step."""
    given = tensors(device, dtype, layouts)
    step = gn.tensor(3.0, device=device)
    lists = [[each] for each in given]
    packet = getattr(aten, name)
    packet.default(
        *lists,
        [step],
        *NUMBERS.values(),
        True,
        options.get("maximize", False),
        *options.get("scales", (None, None)),
    )
    return given


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.float16, gn.bfloat16])
@pytest.mark.parametrize("name", ["_fused_adam_", "_fused_adamw_"])
@pytest.mark.parametrize(
    "layouts",
    [
        ("dense",) * 5,
        ("transposed",) * 5,
        ("gapped", "dense", "stepped", "transposed", "dense"),
        ("dense", "transposed", "dense", "gapped", "stepped"),
    ],
)
def test_adam_is_the_reference_s_in_every_layout(dtype, name, layouts):
    wanted = adam("reference", dtype, layouts, name)
    found = adam("c", dtype, layouts, name)
    tolerance = {gn.float32: 2e-6, gn.float64: 1e-13, gn.float16: 2e-3, gn.bfloat16: 2e-2}[dtype]
    for one, other in zip(found, wanted):
        assert one.to(gn.float64).tolist() == [
            pytest.approx(row, abs=tolerance, rel=tolerance) for row in other.to(gn.float64).tolist()
        ]


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.float16, gn.bfloat16])
@pytest.mark.parametrize("lies", [(4, 3), (3, 4)], ids=["alike", "transposed"])
def test_adagrad_is_the_reference_s(dtype, lies):
    found = []
    for device in ("reference", "c"):
        numbers = (gn.arange(12.0, device=device).reshape(lies) - 5.5) / 8
        numbers = (numbers if lies == (4, 3) else numbers.t()).to(dtype)
        params = [numbers.clone(), (numbers * 2).contiguous()]
        grads, sums = [numbers.flip(0), numbers * 0.5], [numbers.abs(), numbers.square()]
        steps = [gn.tensor(float(count), device=device) for count in (1, 5)]
        scale = gn.tensor(2.0, device=device)
        aten._fused_adagrad_.default(params, grads, sums, steps, 0.1, 0.5, 0.25, 1e-3, True, scale, None)
        found.append([each.to(gn.float64).tolist() for each in (*params, *grads, *sums)])
    tolerance = {gn.float32: 2e-6, gn.float64: 1e-13, gn.float16: 2e-3, gn.bfloat16: 2e-2}[dtype]
    for wanted, other in zip(*found):
        assert other == [pytest.approx(row, abs=tolerance, rel=tolerance) for row in wanted]


def test_what_lies_between_a_parameter_s_elements_is_not_written():
    base = gn.zeros(8, 6, device="c")
    param = base[::2, 1::2]
    state = [gn.zeros(4, 3, device="c") for _ in range(2)]
    step = gn.tensor(1.0, device="c")
    lists = [[param], [gn.ones(4, 3, device="c")], *[[each] for each in state], []]
    aten._fused_adam_.default(*lists, [step], *NUMBERS.values(), False, False, None, None)
    assert all(each < 0 for row in param.tolist() for each in row)
    param.zero_()
    assert base.abs().max().item() == 0.0


def test_a_gradient_is_written_to_only_where_it_is_scaled():
    for scales, wanted in (((None, None), 1.0), ((gn.tensor(4.0, device="c"), None), 0.25)):
        for shape in ((4, 3), (3, 4)):
            grad = gn.ones(*shape, device="c")
            grad = grad if shape == (4, 3) else grad.t()
            version = grad._version
            param = gn.zeros(4, 3, device="c")
            aten._fused_sgd_.default([param], [grad], [], 0.0, 0.0, 0.5, 0.0, False, False, False, *scales)
            assert grad.tolist() == [[wanted] * 3] * 4
            assert param.tolist() == [[-0.5 * wanted] * 3] * 4
            assert grad._version - version == (wanted != 1.0) and param._version == 1


def test_a_large_parameter_has_the_same_bits_on_every_number_of_threads():
    before = gn.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            gn.set_num_threads(threads)
            numbers = (gn.arange(200_003, device="c") % 1009).to(gn.float32) / 500 - 1
            given = [numbers.clone(), numbers.flip(0), numbers * 0.5, numbers.abs()]
            step = gn.tensor(5.0, device="c")
            aten._fused_adam_.default(
                *[[each] for each in given], [], [step], *NUMBERS.values(), False, False, None, None
            )
            found.append(given)
    finally:
        gn.set_num_threads(before)
    for other in found[1:]:
        assert all(gn.equal(one, two) for one, two in zip(found[0], other))


def test_a_second_moment_that_is_nan_stays():
    nan = float("nan")
    given = [
        gn.tensor(each, device="c")
        for each in ([1.0] * 3, [1.0] * 3, [0.0] * 3, [nan, 1.0, 0.0], [1.0, nan, 0.0])
    ]
    step = gn.tensor(1.0, device="c")
    aten._fused_adam_.default(*[[each] for each in given], [step], *NUMBERS.values(), True, False, None, None)
    largest = given[4].tolist()
    assert largest[0] != largest[0] and largest[1] != largest[1] and largest[2] > 0
