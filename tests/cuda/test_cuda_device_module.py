"""gn.cuda: devices, streams, memory and graphs, on the emulated GPU."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import gnomon as gn
from time_limits import LIMIT

pytestmark = pytest.mark.usefixtures("cuda")


def run(script, **variables):
    """What ``script`` prints in a separate process."""
    environment = {**os.environ, "GNOMON_FALLBACK": "allow", **variables}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_module_is_found_under_the_backends_name():
    assert gn.get_device_module("cuda:0") is gn.cuda is gn.get_device_module(gn.device("cuda"))
    with gn.device("cuda"):
        assert gn.get_device_module() is gn.cuda
    with pytest.raises(RuntimeError, match="the backend of 'reference' has no device module"):
        gn.get_device_module("reference")
    with pytest.raises(AttributeError, match="no attribute 'reference'"):
        gn.reference  # noqa: B018


def test_without_a_driver_it_says_so_and_nothing_else_fails():
    if os.path.exists("/dev/nvidia0"):
        pytest.skip("there is a GPU")
    script = "import gnomon as gn; print(gn.cuda.is_available(), gn.cuda.device_count())"
    assert run(script, GNOMON_CUDA_EMULATE="0") == ["False", "0"]
    script = (
        "import gnomon as gn\ntry: gn.cuda.Stream()\nexcept gn.BackendUnavailableError: print('unavailable')"
    )
    assert run(script, GNOMON_CUDA_EMULATE="0") == ["unavailable"]


def test_without_a_gpu_questions_have_pytorchs_answers():
    if os.path.exists("/dev/nvidia0"):
        pytest.skip("there is a GPU")
    script = """
import gnomon as gn
gn.manual_seed(3)
gn.cuda.manual_seed(7), gn.cuda.manual_seed_all(7), gn.cuda.seed_all()  # nothing
print(gn.initial_seed(), gn.cuda.is_initialized(), gn.cuda.is_bf16_supported(), gn.cuda.memory_allocated())
print(gn.cuda.max_memory_allocated(), gn.cuda.memory_reserved(), len(gn.cuda.memory_stats()))
print(len(gn.cuda.get_rng_state_all()), gn.cuda.empty_cache(), gn.cuda.reset_peak_memory_stats())
print(gn.accelerator.is_available(), gn.accelerator.current_accelerator(), gn.accelerator.device_count())
calls = gn.cuda.init, gn.cuda.current_device, gn.cuda.initial_seed, gn.cuda.get_rng_state, gn.ones(1).cuda
for call in calls:
    try: call()
    except gn.BackendUnavailableError: print("unavailable", end=" ")
for call in (gn.accelerator.current_device_index, lambda: gn.accelerator.set_device_index(0)):
    try: call()
    except RuntimeError as error: print("Cannot access accelerator device" in str(error))
"""
    assert (
        run(script, GNOMON_CUDA_EMULATE="0")
        == (
            "3 False False 0 0 0 0 0 None None False None 0 "
            "unavailable unavailable unavailable unavailable unavailable True True"
        ).split()
    )


def test_the_generator_and_the_current_device_can_be_set():
    script = """
import gnomon as gn
gn.cuda.manual_seed_all(5)
state = gn.cuda.get_rng_state()
first = gn.rand(3, device="cuda").tolist()
gn.cuda.set_rng_state(state)
print(first == gn.rand(3, device="cuda").tolist(), gn.cuda.initial_seed(), len(gn.cuda.get_rng_state_all()))
gn.cuda.set_device(1)
print(gn.cuda.current_device(), gn.ones(1).device, gn.accelerator.current_device_index())
gn.accelerator.set_device_index(0)
print(gn.ones(1).device, gn.accelerator.current_accelerator(), gn.accelerator.device_count())
found = gn.cuda.get_device_properties(0)
print((found.major, found.minor) == gn.cuda.get_device_capability(0), found.total_memory > 0)
print(gn.cuda.FloatTensor(2).device.type, isinstance(gn.ones(2, device="cuda"), gn.cuda.FloatTensor))
print(gn.ones(1).cuda(1).get_device(), gn.ones(1, device="cuda").is_cuda, gn.cuda.is_bf16_supported())
"""
    found = run(script, GNOMON_CUDA_EMULATE="1", GNOMON_CUDA_EMULATED_DEVICES="2")
    assert found == "True 5 2 1 cuda:1 1 cuda:0 cuda 2 True True cuda True 1 True True".split()


def test_devices_have_names_and_numbers():
    assert gn.cuda.device_count() >= 1 and gn.cuda.current_device() == 0
    assert gn.cuda.get_device_name() == "gnomon's emulated GPU"
    assert gn.cuda.get_device_capability("cuda:0") == (9, 0)
    free, total = gn.cuda.mem_get_info()
    assert 0 < free <= total
    with pytest.raises(RuntimeError, match="does not exist"):
        gn.cuda.get_device_name(99)
    with pytest.raises(ValueError, match="expected a CUDA device, got 'reference'"):
        gn.cuda.synchronize("reference")


def test_a_tensor_goes_from_device_to_device_in_the_order_of_both():
    script = """
import gnomon as gn
source = gn.zeros(1000, device="cuda:0")
source += 3  # not waited for
there = source.to("cuda:1")
source += 4
assert (there.device.index, gn.cuda.device_count()) == (1, 2)
with gn.cuda.device(1):
    assert gn.cuda.current_device() == 1 and gn.ones(1).device == there.device
back = (there * 2).to("cuda:0")
print(set(source.tolist()), set(there.tolist()), set(back.tolist()))  # the latest first
"""
    found = run(script, GNOMON_CUDA_EMULATE="1", GNOMON_CUDA_EMULATED_DEVICES="2")
    assert found == ["{7.0}", "{3.0}", "{6.0}"]


def test_streams_run_beside_each_other_and_wait_when_told():
    stream = gn.cuda.Stream()
    before = gn.cuda.current_stream()
    assert before == gn.cuda.default_stream() != stream
    numbers = gn.ones(8, device="cuda")
    stream.wait_stream(before)
    with gn.cuda.stream(stream):
        assert gn.cuda.current_stream() == stream
        doubled = numbers * 2
    numbers.record_stream(stream)
    assert gn.cuda.current_stream() == before and not stream.query()
    with gn.cuda.stream(None):
        assert gn.cuda.current_stream() == before
    event = stream.record_event()
    event.wait(before)
    assert (doubled + 1).tolist() == [3.0] * 8
    start, end = gn.cuda.Event(enable_timing=True), gn.cuda.Event(enable_timing=True)
    start.record()
    end.record()
    gn.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
    with pytest.raises(NotImplementedError, match="record_stream: device reference does not support streams"):
        gn.ones(1, device="reference").record_stream(stream)


def test_memory_is_counted():
    before = gn.cuda.memory_allocated()
    held = gn.ones(5000, device="cuda")
    assert gn.cuda.memory_allocated() >= before + 20_000
    assert gn.cuda.max_memory_allocated() >= gn.cuda.memory_allocated()
    assert gn.cuda.memory_reserved() >= gn.cuda.memory_allocated()
    del held
    gn.cuda.empty_cache()
    assert gn.cuda.memory_stats()["cached"] == 0
    gn.cuda.reset_peak_memory_stats()
    assert gn.cuda.max_memory_allocated() == gn.cuda.memory_allocated()


# -- graphs ------------------------------------------------------------------------------------------------


def test_a_graph_runs_when_it_is_replayed_on_what_its_inputs_hold_then():
    numbers = gn.arange(6, dtype=gn.float32, device="reference").to("cuda")
    made = gn.cuda.CUDAGraph()
    with gn.cuda.graph(made):
        assert gn.cuda.is_current_stream_capturing()
        result = numbers * 2 + 1
        total = result.sum()
    assert not gn.cuda.is_current_stream_capturing()
    made.replay()
    assert (result.tolist(), total.item()) == ([1.0, 3.0, 5.0, 7.0, 9.0, 11.0], 36.0)
    numbers.fill_(3)
    assert total.item() == 36.0
    made.replay()
    assert (result.tolist(), total.item()) == ([7.0] * 6, 42.0)


def test_numbers_of_the_host_are_there_at_each_replay():
    numbers = gn.zeros(4, device="cuda")
    made = gn.cuda.CUDAGraph()
    with gn.cuda.graph(made):
        numbers += gn.tensor([1.0, 2.0, 3.0, 4.0], device="cuda")
    others = [gn.full((4,), 9.0, device="cuda") for _ in range(4)]
    made.replay()
    made.replay()
    assert numbers.tolist() == [2.0, 4.0, 6.0, 8.0]
    assert all(each.tolist() == [9.0] * 4 for each in others)


def test_a_graphs_memory_is_its_own():
    made = gn.cuda.CUDAGraph()
    numbers = gn.ones(64, device="cuda")
    with gn.cuda.graph(made):
        result = (numbers + 1) * 2  # the sum is freed after this line, but its memory stays reserved
    others = [gn.zeros(64, device="cuda") for _ in range(8)]
    made.replay()
    assert result.tolist() == [4.0] * 64
    assert all(each.tolist() == [0.0] * 64 for each in others)


def test_a_step_of_training_is_captured():
    weight = gn.tensor([1.0, -2.0, 0.5], device="cuda", requires_grad=True)
    data, wanted = gn.tensor([1.0, 2.0, 3.0], device="cuda"), gn.tensor([2.0, 4.0, 6.0], device="cuda")
    weight.grad = gn.zeros_like(weight)
    made = gn.cuda.CUDAGraph()
    with gn.cuda.graph(made):
        weight.grad.zero_()
        loss = ((weight * data - wanted) ** 2).sum()
        loss.backward()
        weight.data.sub_(weight.grad, alpha=0.0625)
    expected, losses = weight.detach().to("reference"), []
    for _ in range(3):
        made.replay()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True) and losses[0] > losses[-1]
    x, y = data.to("reference"), wanted.to("reference")
    for _ in range(3):
        expected = expected - 0.0625 * 2 * (expected * x - y) * x
    assert weight.tolist() == expected.tolist()


def test_graphs_share_a_pool():
    first, second = gn.cuda.CUDAGraph(), gn.cuda.CUDAGraph()
    numbers = gn.ones(4, device="cuda")
    with gn.cuda.graph(first):
        one = numbers + 1
    with gn.cuda.graph(second, pool=first.pool()):
        two = one * 2
    assert second.pool() == first.pool()
    first.replay()
    second.replay()
    assert two.tolist() == [4.0] * 4


def test_what_reads_numbers_is_refused_and_the_stream_goes_on():
    numbers = gn.ones(4, device="cuda")
    made = gn.cuda.CUDAGraph()
    with (
        pytest.raises(RuntimeError, match="cannot be read on the host while a graph is being captured"),
        gn.cuda.graph(made),
    ):
        numbers.sum().item()
    with (
        pytest.raises(RuntimeError, match="cannot be read on the host while a graph is being captured"),
        gn.cuda.graph(gn.cuda.CUDAGraph()),
    ):
        gn.ones(4, dtype=gn.int64, device="cuda") // gn.ones(4, dtype=gn.int64, device="cuda")
    assert (numbers + 1).tolist() == [2.0] * 4


def test_what_makes_no_sense_is_refused():
    made = gn.cuda.CUDAGraph()
    for call, message in (
        (made.replay, "replay: called without a preceding successful capture"),
        (made.pool, "pool: called without a preceding capture"),
        (made.capture_end, "capture_end: called without a preceding capture_begin"),
        (made.capture_begin, "capture_begin: the default stream cannot be captured"),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()
    with gn.cuda.graph(made):
        pass
    with pytest.raises(RuntimeError, match="already captured a graph"), gn.cuda.graph(made):
        pass
    made.replay()
    made.reset()
    with gn.cuda.graph(made):
        result = gn.ones(3, device="cuda") * 2
    made.replay()
    assert result.tolist() == [2.0] * 3
