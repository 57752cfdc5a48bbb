"""_foreach_ operators: their results are those of the operator on one tensor, in one launch where C can."""

import pytest

import gnomon as gn
from gnomon.dispatch.dispatcher import aten
from gnomon.func import vmap
from gnomon.memory.backend import backend_of

SIZES = ((2, 3), (), (5,), (0,), (300, 70))


def numbers(device, seed, dtype=gn.float32):
    gn.manual_seed(seed)
    return [gn.randn(size, device="reference").to(dtype).to(device) for size in SIZES[:4]]


def large(device, seed):
    return [(gn.arange(21000, device=device).reshape(300, 70) * 7919 % 1000 - 500) / (100.0 + seed)]


def bits(tensors):
    return [(each.dtype, each.shape, each.stride(), each.contiguous().tolist()) for each in tensors]


def assert_same(found, wanted):
    assert str(bits(found)) == str(bits(wanted))  # as text, so that NaN equals NaN


@pytest.mark.both_tiers
@pytest.mark.parametrize("dtype", [gn.float32, gn.bfloat16, gn.float64, gn.complex64, gn.int64])
def test_each_result_is_that_of_the_operator_on_one_tensor(device, dtype):
    a, b, c = (numbers(device, seed, dtype) for seed in (1, 2, 3))
    if dtype is gn.float32 and device != "reference":
        a, b, c = (each + large(device, seed) for seed, each in enumerate((a, b, c)))
    each = [2, 3, 4, 5, 6][: len(a)]
    assert_same(gn._foreach_add(a, 3), [x + 3 for x in a])
    assert_same(gn._foreach_add(a, b, alpha=3), [x.add(y, alpha=3) for x, y in zip(a, b)])
    assert_same(gn._foreach_mul(a, each), [x * n for x, n in zip(a, each)])
    assert_same(gn._foreach_addcmul(a, b, c, value=2), [x.addcmul(y, z, value=2) for x, y, z in zip(a, b, c)])
    assert_same(
        gn._foreach_addcmul(a, b, c, each), [x.addcmul(y, z, value=n) for x, y, z, n in zip(a, b, c, each)]
    )
    if dtype is gn.int64:
        return
    assert_same(gn._foreach_add(a, 0.3), [x + 0.3 for x in a])
    assert_same(gn._foreach_add(a, b, alpha=0.3), [x.add(y, alpha=0.3) for x, y in zip(a, b)])
    assert_same(
        gn._foreach_div(a, gn.tensor(3.0, device=device)), [x / gn.tensor(3.0, device=device) for x in a]
    )
    assert_same(gn._foreach_lerp(a, b, 0.3), [x.lerp(y, 0.3) for x, y in zip(a, b)])
    assert_same(gn._foreach_sqrt(a), [x.sqrt() for x in a])
    assert_same(gn._foreach_norm(a), [gn.linalg.vector_norm(x) for x in a])
    if not dtype.is_complex:
        assert_same(gn._foreach_clamp_min(a, 0.3), [x.clamp_min(0.3) for x in a])
        assert_same(gn._foreach_maximum(a, b), [gn.maximum(x, y) for x, y in zip(a, b)])


@pytest.mark.both_tiers
def test_in_place_operators_write_return_nothing_and_count_versions(device):
    a, b = numbers(device, 1), numbers(device, 2)
    wanted = [(x * 0.5).addcdiv(y, y.exp(), value=-0.25) for x, y in zip(a, b)]
    assert gn._foreach_mul_(a, 0.5) is None
    assert gn._foreach_addcdiv_(a, b, gn._foreach_exp(b), [-0.25] * 4) is None
    assert_same(a, wanted)
    assert [each._version for each in a] == [2] * 4 and [each._version for each in b] == [0] * 4
    gn._foreach_copy_(a, b)
    assert_same(a, b)
    gn._foreach_zero_(a)
    assert_same(a, [gn.zeros_like(each) for each in b])


def test_lists_are_copied_with_broadcasting_and_conversion(device):
    base = gn.arange(24.0, device=device)
    sources = [base[:6].reshape(2, 3).t(), base[3], base[::2][:4].double(), base[:0], base[:3].half()]
    targets = [gn.zeros(size, device=device) for size in ((3, 2), (2, 2), (3, 4), (0,), (3,))]
    wanted = [gn.zeros_like(target).copy_(source) for target, source in zip(targets, sources)]
    assert gn._foreach_copy_(targets, sources) is None
    assert_same(targets, wanted)
    gn._foreach_copy_([base[:4], base[4:8]], [base[2:6].clone(), base[:4]])
    assert base[:8].tolist() == [2.0, 3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 5.0]  # in order
    elsewhere = [gn.full(each.shape, 7.0, device="reference") for each in targets]
    gn._foreach_copy_(targets, elsewhere)
    assert_same(targets, [gn.full_like(each, 7.0) for each in targets])


def test_a_list_that_cannot_be_copied_leaves_all_as_they_were(device):
    targets = [gn.zeros(3, device=device), gn.zeros(2, device=device)]
    with pytest.raises(RuntimeError, match="must match the existing size"):
        gn._foreach_copy_(targets, [gn.ones(3, device=device), gn.ones(3, device=device)])
    expanded = gn.zeros(1, device=device).expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        gn._foreach_copy_([targets[0], expanded], [gn.ones(3, device=device)] * 2)
    assert [each.tolist() for each in targets] == [[0.0] * 3, [0.0] * 2]


def test_numbers_that_change_give_the_results_of_the_operator(device):
    a = numbers(device, 1)
    for number in (0.1, 0.2, -7.5, float("inf"), float("nan"), 1e30, True, 3):
        assert_same(gn._foreach_mul(a, number), [x * number for x in a])
        alpha = int(number) if number is True else number
        assert_same(gn._foreach_add(a, a, alpha=alpha), [x.add(x, alpha=alpha) for x in a])
    with pytest.raises(RuntimeError, match="overflow"):
        gn._foreach_add(a, a, alpha=1e300)


def test_other_layouts_and_shared_memory(device):
    base = gn.arange(12.0, device=device)
    lists = [base[:6].reshape(2, 3).t(), base[6:12:2], base[:1].expand(3)]
    assert_same(gn._foreach_add(lists, lists), [x + x for x in lists])
    # the second call sees what the first has written
    one = base[:4].clone()
    gn._foreach_add_([one, one], [one.clone(), one])
    assert one.tolist() == [0.0, 4.0, 8.0, 12.0]
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        gn._foreach_add_([base[:4]], [base[1:5]])
    assert base.tolist() == list(range(12))


def test_what_is_refused_writes_nothing(device):
    a = [gn.ones(2, device=device), gn.ones(2, device=device, dtype=gn.int64)]
    for call, text in (
        (lambda: gn._foreach_add_(a, 0.5), "can't be cast to the desired output type"),
        (
            lambda: gn._foreach_add_(a, [gn.ones(2, device=device), gn.ones(3, device=device)]),
            "size of tensor a",
        ),
        (
            lambda: gn._foreach_add_(a, a[:1]),
            "Tensor lists must have the same number of tensors, got 2 and 1",
        ),
        (lambda: gn._foreach_add_(a, [1.0]), "Tensor list must have same number of elements as scalar list"),
        (lambda: gn._foreach_add([], 1), "Tensor list must have at least one tensor"),
        (
            lambda: gn._foreach_mul_(a, gn.ones(2, device=device)),
            "scalar tensor expected to be 0 dim but it has 1",
        ),
        (
            lambda: gn._foreach_norm([gn.ones(0, device=device)], float("inf")),
            "cannot compute the infinity norm",
        ),
        (
            lambda: gn._foreach_max([gn.ones(0, device=device)]),
            "cannot compute the maximum of an empty tensor",
        ),
        (
            lambda: gn._foreach_addcmul(a, a, a, gn.ones(1, 1)),
            "packed scalar Tensor to be of dimension 1. Got 2",
        ),
        (lambda: gn._foreach_addcmul(a, a, a, gn.ones(3)), "to match input of length 2 but got 3"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()
        assert [each.tolist() for each in a] == [[1, 1], [1, 1]]
        assert [each._version for each in a] == [0, 0]


@pytest.mark.both_tiers
def test_autograd_records_each_tensor(device):
    a = [gn.ones(2, device=device, requires_grad=True), gn.ones(3, device=device)]
    found = gn._foreach_mul(a, [2.0, 3.0])
    assert [each.requires_grad for each in found] == [True, False]
    found[0].sum().backward()
    assert a[0].grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        gn._foreach_add_(a, 1)
    with gn.no_grad():
        gn._foreach_add_(a, 1)
    assert [each.tolist() for each in a] == [[2.0, 2.0], [2.0, 2.0, 2.0]]


def test_vmap_maps_over_each_tensor():
    x = gn.arange(6.0).reshape(2, 3)
    found = vmap(lambda row: gn._foreach_mul([row, row + 1], 2.0))(x)
    assert found[0].tolist() == (x * 2).tolist() and found[1].tolist() == (x * 2 + 2).tolist()


def test_c_launches_one_list(monkeypatch):
    c = pytest.importorskip("gnomon_c.backend")
    if not gn.backends()["c"].available:
        pytest.skip("no C backend")
    launched = []
    run = c.CList.run

    def counted(self, columns, numbers):
        launched.append(len(columns[0]))
        return run(self, columns, numbers)

    monkeypatch.setattr(c.CList, "run", counted)
    a = numbers("c", 1)
    gn._foreach_mul_(a, 0.5)
    gn._foreach_sqrt(a)
    assert launched == [4, 4]
    assert backend_of(a[0].device).name == "c"


def test_c_splits_long_lists_among_threads():
    if not gn.backends()["c"].available:
        pytest.skip("no C backend")
    a = [gn.arange(50000.0, device="c") + place for place in range(5)]
    wanted = [x * 1.5 + 1 for x in a]
    before = gn.get_num_threads()
    try:
        for threads in (1, 2, 3):
            gn.set_num_threads(threads)
            found = gn._foreach_mul(a, 1.5)
            gn._foreach_add_(found, 1)
            assert_same(found, wanted)
            again = a[0].clone()
            gn._foreach_add_([again] * 4, 1)
            assert again[:2].tolist() == [4.0, 5.0]
    finally:
        gn.set_num_threads(before)


@pytest.mark.oracle
def test_errors_and_results_are_pytorch_s():
    torch = pytest.importorskip("torch")
    names = [name for name in dir(torch) if name.startswith("_foreach_") and name != "_foreach_powsum"]
    assert {name for name in names if not hasattr(gn, name)} == set()
    for overloads in (aten._foreach_add, aten._foreach_addcdiv_, aten._foreach_lerp, aten._foreach_pow):
        for operator in overloads.overloads.values():
            theirs = getattr(getattr(torch.ops.aten, overloads.name), operator.schema.overload_name)
            assert str(theirs._schema) == f"aten::{operator.schema.text}"
