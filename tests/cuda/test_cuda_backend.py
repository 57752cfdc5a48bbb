"""The CUDA backend on the emulated GPU: kernels against the reference's, and error messages."""

from __future__ import annotations

import gc
import math
import os
import subprocess
import sys

import pytest

import gnomon as gn
from cuda_calls import both, numbers, same
from gnomon.calls import launch
from gnomon.values.dtype import ALL
from gnomon_cuda import launcher, reductions
from gnomon_cuda.tables import DTYPES, pointwise_rows
from time_limits import LIMIT

SCRIPT = "import gnomon as gn; gn.tensor([1.0], device='cuda')"

pytestmark = pytest.mark.usefixtures("cuda")


def test_every_row_is_an_operator_of_the_reference():
    known = gn.backends()["reference"]
    assert known.available
    for row in pointwise_rows():
        name, _, overload = row.name.partition(".")
        assert getattr(getattr(gn.ops.aten, name), overload or "default").record is not None, row
    assert {row.inputs for row in pointwise_rows()} == {1, 2, 3}
    checked = {row.name for row in pointwise_rows() if row.checked}
    assert {"div_floor", "fmod.Tensor", "_binary_cross_entropy"} < checked and "add.Tensor" not in checked


def test_dense_operands_and_what_is_left_over_of_vectors():
    for count in (1, 3, 4, 5, 1023, 1025):
        left = numbers(count)
        assert same(*both(lambda a: a + a * 3, left))
    # more elements than one launch has threads for: each thread handles several
    many = 4 * launcher.BLOCKS_PER_MULTIPROCESSOR * launcher.THREADS * 4 + 5
    assert same(*both(lambda a: a + 1, numbers(many)))


def test_operands_that_begin_between_vectors():
    whole = numbers(40)
    assert same(*both(lambda a: a[1:] + a[:-1], whole))
    assert same(*both(lambda a: a[3:7] * a[5:9], whole.to(gn.float64)))


def test_strided_and_broadcast_operands():
    matrix = numbers(12).reshape(3, 4)
    assert same(*both(lambda a: a.t() + a.t(), matrix))
    assert same(*both(lambda a: a[:, ::2] - a[:, 1::2], matrix))
    assert same(*both(lambda a: a + a[0], matrix))
    assert same(*both(lambda a: a[:, :1].expand(3, 4) * a, matrix))
    many_dims = numbers(512).reshape([2] * 9).permute(8, 3, 1, 0, 5, 7, 2, 6, 4)
    assert same(*both(lambda a: a + a.flip(0, 3).permute(1, 0, 2, 8, 4, 3, 6, 5, 7), many_dims))


def test_a_single_element_stands_for_all():
    row, one = numbers(9), gn.tensor(4.0, device="reference")
    for function in (lambda a, b: a - b, lambda a, b: b - a, lambda a, b: gn.where(a > b, a, b)):
        assert same(*both(function, row, one))


@pytest.mark.parametrize("source", [gn.int8, gn.float16, gn.complex128], ids=lambda each: each.name)
def test_copies_to_all_dtypes(source):
    held = gn.tensor([0, 1, 2, 100, 7], device="reference").to(source)
    if source.category >= 2:
        held = held * 1.5
    for to in ALL:
        assert same(*both(lambda a, to=to: a.to(to), held)), to
        assert same(*both(lambda a, to=to: a[::2].to(to), held)), to


def test_a_copy_moves_bits():
    words = gn.tensor([0x7F801234, 0x3F800000], dtype=gn.int32, device="cuda").view(gn.float32)
    assert math.isnan(words[0].item())  # a signaling NaN, which arithmetic would make quiet
    assert words.clone().view(gn.int32).tolist() == [0x7F801234, 0x3F800000]
    assert words.expand(2, 2).contiguous().view(gn.int32).tolist() == [[0x7F801234, 0x3F800000]] * 2


def test_fills_and_choices_of_each_size():
    for dtype in (gn.bool, gn.float16, gn.int32, gn.complex64, gn.complex128):
        assert same(*both(lambda a: a.fill_(1), numbers(5).to(dtype)))
        assert same(
            *both(lambda a: gn.where(a == a, a, a.clone().fill_(0)), numbers(5).to(dtype).reshape(5, 1))
        )


def test_results_in_place_and_out():
    for function in (
        lambda a: a.add_(a, alpha=2),
        lambda a: a.t().mul_(3),
        lambda a: gn.neg(a, out=gn.empty(2, 3, device=a.device)),
    ):
        assert same(*both(function, numbers(6).reshape(2, 3) / 8))


def test_an_integer_divided_by_zero_raises_as_on_the_reference():
    for name in ("floor_divide", "remainder", "fmod"):
        texts = []
        for device in ("reference", "cuda"):
            left = gn.tensor([4, 5], device=device)
            with pytest.raises(RuntimeError) as caught:
                getattr(gn, name)(left, gn.tensor([2, 0], device=device))
            texts.append(str(caught.value))
            assert left.tolist() == [4, 5]
        assert texts[0] == texts[1]
    assert (gn.tensor([7], device="cuda") // gn.tensor([2], device="cuda")).tolist() == [3]


def test_two_devices_do_not_meet():
    with pytest.raises(RuntimeError, match="at least two devices"):
        gn.ones(2, device="cuda") + gn.ones(2, device="reference")


def test_classes_of_dtypes_are_those_of_the_tables():
    by_name = {row.name: row.dtypes for row in pointwise_rows()}
    assert by_name["exp"] == (*DTYPES["FLOATING"], "complex64", "complex128")
    assert "bool" in by_name["add.Tensor"] and "complex64" not in by_name["maximum"]


def test_without_a_driver_the_reason_is_said():
    if os.path.exists("/dev/nvidia0"):
        pytest.skip("there is a GPU")
    environment = {**os.environ, "GNOMON_CUDA_EMULATE": "0"}
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, timeout=LIMIT
    )
    assert ran.returncode and "backend 'cuda' is not available: the CUDA driver" in ran.stderr
    command = [sys.executable, "-m", "gnomon.cli", "backends"]
    listed = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=LIMIT)
    line = next(line for line in listed.stdout.splitlines() if line.startswith("cuda"))
    assert "the CUDA driver" in line


def test_memory_is_counted():
    gc.collect()
    before = gn.accelerator.memory_allocated("cuda")
    held = gn.ones(1000, device="cuda")
    assert gn.accelerator.memory_allocated("cuda") >= before + 4 * held.numel()
    del held
    assert gn.accelerator.memory_allocated("cuda") == before


def test_reductions_of_each_kind():
    matrix = numbers(3 * 5 * 7).reshape(3, 5, 7)
    for function in (
        lambda a: a.sum(),
        lambda a: a.sum(1),
        lambda a: a.permute(2, 0, 1).sum((0, 2)),
        lambda a: a.mean(2, keepdim=True),
        lambda a: a.amax(0),
        lambda a: a[:, ::2].amin((0, 1)),
        lambda a: (a > 3).any(1),
        lambda a: (a >= 0).all(),
        lambda a: a.to(gn.int32).prod(0),
    ):
        assert same(*both(function, matrix))


def test_reductions_of_many_elements_outputs_and_dimensions():
    # several blocks for one output; a thread for each of many outputs; more dimensions than usual
    assert same(*both(lambda a: a.sum(), numbers(3 * reductions.PART)))
    assert same(*both(lambda a: a.amax(1), numbers(2 * 4 * reductions.MANY_OUTPUTS).reshape(-1, 4)))
    cube = numbers(2**19).reshape([2] * 19)
    order = [*range(0, 19, 2), *range(1, 19, 2)]
    assert same(*both(lambda a: a.amax(tuple(range(1, 19, 2))), cube))
    assert same(*both(lambda a: a.permute(order).amax(tuple(range(0, 19, 2))), cube))


@pytest.mark.parametrize("dtype", [gn.bool, gn.int16, gn.float32, gn.float64, gn.complex128])
def test_elements_in_other_places(dtype):
    source = numbers(24, dtype).reshape(2, 3, 4).transpose(0, 2)
    for function in (
        lambda x: x.flip(0, -1),
        lambda x: x.triu(1),
        lambda x: x.tril(-(2**63)),
        lambda x: x.triu(2**63 - 1),
    ):
        assert same(*both(function, source))
    assert same(*both(lambda x: x.flip(0), numbers(1, dtype)[0].reshape(1)))


def test_tensors_of_more_dimensions_than_a_parameter_has_fall_back():
    source = numbers(2).reshape([1] * 29 + [2])
    before = launch.declined["cuda", "flip"]
    assert same(*both(lambda x: x.flip(-1), source))
    assert launch.declined["cuda", "flip"] == before + 1
