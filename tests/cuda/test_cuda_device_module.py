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


def test_without_a_gpu_what_asks_for_one_says_so():
    if os.path.exists("/dev/nvidia0"):
        pytest.skip("there is a GPU")
    script = """
import gnomon as gn
cuda, accelerator = gn.cuda, gn.accelerator
print(cuda.max_memory_reserved(), cuda.get_arch_list(), repr(cuda.get_gencode_flags()))
print(cuda.is_tf32_supported(), end=" ")
print(cuda.default_generators, cuda.memory_stats_as_nested_dict(), cuda.set_rng_state(gn.get_rng_state()))
print(cuda.reset_accumulated_memory_stats(), cuda.set_device(-1), cuda.set_stream(None))
with cuda.device(-1), cuda.device_of(gn.ones(1)), cuda.stream(None), accelerator.device_index(None):
    print("nothing")
def entered(block):
    with block: pass
calls = (
    lambda: entered(cuda.device(0)), cuda.memory_summary, cuda.ipc_collect, lambda: cuda.ExternalStream(0),
    lambda: cuda.can_device_access_peer(0, 1), lambda: cuda.set_per_process_memory_fraction(0.5),
    cuda.get_per_process_memory_fraction, gn.ones(1).cuda, lambda: gn.ones(1, device="cuda"),
)
for call in calls:
    try: call()
    except (AssertionError, RuntimeError) as error:
        print(type(error).__name__, "is not available" in str(error))
for call in (lambda: cuda.nvtx.range_push("a"), cuda.nvtx.range_pop, lambda: cuda.nvtx.mark("a")):
    try: call()
    except RuntimeError as error: print(error)
try: cuda.temperature()
except ModuleNotFoundError: print("no sensors")
calls = (
    accelerator.current_stream, accelerator.get_device_capability, accelerator.get_memory_info,
    accelerator.empty_host_cache, accelerator.reset_accumulated_memory_stats, accelerator.Graph,
    lambda: entered(accelerator.device_index(0)), lambda: accelerator.get_memory_info("cuda"),
)
for call in calls:
    try: call()
    except RuntimeError as error: print(error == "" or str(error).split()[-1])
try: accelerator.set_stream(None)
except TypeError: print("no stream")
"""
    lines = [
        "0 [] '' False () {} None None None None nothing",
        *["BackendUnavailableError True"] * 9,
        *["NVTX functions not installed. Are you sure you have a CUDA build?"] * 3,
        "no sensors",
        *["available."] * 8,
        "no stream",
    ]
    assert run(script, GNOMON_CUDA_EMULATE="0") == " ".join(lines).split()


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
    stats = gn.cuda.memory_stats()
    assert stats["reserved_bytes.all.current"] == stats["allocated_bytes.all.current"]
    assert gn.cuda.max_memory_reserved() >= gn.cuda.memory_reserved() + 20_000
    gn.cuda.reset_peak_memory_stats()
    assert gn.cuda.max_memory_allocated() == gn.cuda.memory_allocated()
    assert gn.cuda.max_memory_reserved() == gn.cuda.memory_reserved()
    assert gn.cuda.memory_stats_as_nested_dict()["reserved_bytes"]["all"]["peak"] == gn.cuda.memory_reserved()
    gn.cuda.reset_accumulated_memory_stats()
    gn.empty(1, device="cuda")
    assert gn.cuda.memory_stats()["allocation.all.allocated"] == 1
    lines = gn.cuda.memory_summary().splitlines()
    assert "gnomon CUDA memory summary, device ID 0" in lines[1] and len({len(line) for line in lines}) == 1
    rows = {line[1:].partition("|")[0].strip(): line.split("|")[2:5] for line in lines[3:]}
    assert rows["Allocated memory"][0].split() == [str(gn.cuda.memory_allocated()), "B"]
    assert rows["Allocations"][2].strip() == "1"


def test_old_names_of_memory_warn():
    for name, instead in (("memory_cached", "memory_reserved"), ("max_memory_cached", "max_memory_reserved")):
        with pytest.warns(FutureWarning, match=f"`gnomon.cuda.{name}` has been renamed to"):
            assert getattr(gn.cuda, name)() == getattr(gn.cuda, instead)()
    for name in ("reset_max_memory_allocated", "reset_max_memory_cached"):
        with pytest.warns(FutureWarning, match=f"gnomon.cuda.{name} now calls gnomon.cuda.reset_peak_memory"):
            assert getattr(gn.cuda, name)() is None


def test_a_part_of_the_memory_can_be_set_as_the_limit():
    assert gn.cuda.get_per_process_memory_fraction() == 1.0
    try:
        gn.cuda.set_per_process_memory_fraction(0.0)
        with pytest.raises(gn.cuda.OutOfMemoryError):
            gn.empty(1 << 20, device="cuda")
        gn.cuda.set_per_process_memory_fraction(0.5)
        assert gn.cuda.get_per_process_memory_fraction() == pytest.approx(0.5)
        with pytest.raises(TypeError, match="Invalid type for fraction argument, must be `float`"):
            gn.cuda.set_per_process_memory_fraction(1)
        with pytest.raises(ValueError, match=r"Invalid fraction value: 2.0. Allowed range: 0~1"):
            gn.cuda.set_per_process_memory_fraction(2.0)
    finally:
        gn.accelerator.set_memory_limit(None, "cuda")
    assert gn.cuda.OutOfMemoryError is gn.OutOfMemoryError


def test_the_architecture_is_that_of_the_gpus():
    assert gn.cuda.get_arch_list() == ["sm_90"] and gn.cuda.is_tf32_supported()
    assert gn.cuda.get_gencode_flags() == "-gencode compute=compute_90,code=sm_90"
    assert not gn.cuda.can_device_access_peer(0, "cuda")
    for devices, word in (((7, 0), "device"), ((0, -1), "peer device")):
        with pytest.raises(AssertionError, match=f"^Invalid {word} id$"):
            gn.cuda.can_device_access_peer(*devices)
    assert gn.cuda.default_generators == (gn.default_generator,) and gn.cuda.ipc_collect() is None
    for name in (
        "utilization",
        "memory_usage",
        "device_memory_used",
        "temperature",
        "power_draw",
        "clock_rate",
    ):
        with pytest.raises(ModuleNotFoundError, match=f"gn.cuda.{name}: gnomon does not read the sensors"):
            getattr(gn.cuda, name)()
    with pytest.raises(AttributeError, match=r"^module 'gnomon.cuda' has no attribute 'nccl': gnomon's CUDA"):
        gn.cuda.nccl  # noqa: B018


def test_a_block_has_a_device():
    outside = gn.ones(1).device
    for block in (gn.cuda.device(0), gn.cuda.device("cuda"), gn.cuda.device(None)):
        with block as entered:
            assert entered is None and gn.ones(1).device.type == "cuda"
    with gn.cuda.device_of(gn.ones(1, device="cuda")):
        assert gn.ones(1).device.type == "cuda"
    with gn.cuda.device_of(gn.ones(1)), gn.cuda.device(-1):
        assert gn.ones(1).device == outside
    with pytest.raises(ValueError, match=r"^Expected a cuda device, but got: cpu$"):
        gn.cuda.device("cpu")
    with pytest.raises(RuntimeError, match="does not exist"), gn.cuda.device(99):
        pass
    gn.cuda.set_device(-1)
    assert gn.ones(1).device == outside


def test_a_stream_of_another_library_and_ranges():
    stream = gn.cuda.Stream()
    other = gn.cuda.ExternalStream(stream.cuda_stream)
    assert other == stream == gn.cuda.get_stream_from_external(stream.handle, "cuda")
    assert (other.device, other.device_index) == (gn.device("cuda"), 0)
    context = gn.cuda.stream(other)
    assert isinstance(context, gn.cuda.StreamContext) and context.stream is other
    with context:
        assert gn.cuda.current_stream() == stream
    gn.cuda.set_stream(None)
    assert gn.cuda.current_stream() == gn.cuda.default_stream()
    nvtx = gn.cuda.nvtx
    assert (nvtx.range_push("a"), nvtx.range_pop(), nvtx.range_start("b")) == (-2, -2, 0)
    with nvtx.range("step {}", 3):
        nvtx.mark("c")
    assert nvtx.range_end(0) is None


def test_the_accelerator_s_streams_and_memory_are_those_of_gpus():
    accelerator = gn.accelerator
    stream = gn.cuda.Stream()
    accelerator.set_stream(stream)
    try:
        assert accelerator.current_stream() == accelerator.current_stream("cuda") == stream
        assert gn.ones(1).device.type != "cuda"  # the default device stays
    finally:
        accelerator.set_stream(gn.cuda.default_stream())
    free, total = accelerator.get_memory_info(0)
    assert 0 < free <= total == gn.cuda.mem_get_info()[1]
    assert gn.float32 in accelerator.get_device_capability()["supported_dtypes"]
    assert accelerator.max_memory_reserved("cuda") == gn.cuda.max_memory_reserved()
    accelerator.reset_accumulated_memory_stats()
    assert accelerator.memory_stats("cuda")["allocation.all.allocated"] == 0
    assert accelerator.empty_host_cache() is None
    with accelerator.device_index(0):
        assert gn.ones(1).device.type == "cuda"
    with pytest.warns(FutureWarning, match=r"^Use `current_device_index` instead.$"):
        assert accelerator.current_device_idx() == 0
    with pytest.raises(ValueError, match=r"^c doesn't match the current accelerator cuda.$"):
        accelerator.current_stream("c")
    with pytest.raises(ValueError, match=r"Expected a gnomon.device with a specified index or an"):
        accelerator.set_device_index("cuda")


@pytest.mark.parametrize("keeps", [False, True])
def test_a_graph_of_the_accelerator(keeps):
    numbers = gn.ones(4, device="cuda")
    made = gn.accelerator.Graph(keep_graph=keeps, capture_error_mode="thread_local")
    with gn.cuda.Stream(), made:
        numbers += 1
    assert numbers.tolist() == [1.0] * 4
    if keeps:
        made.instantiate()
    else:
        with pytest.raises(RuntimeError, match="instantiate: there is no graph; capture one with keep_graph"):
            made.instantiate()
    made.replay()
    made.replay()
    assert numbers.tolist() == [3.0] * 4
    again = gn.accelerator.Graph(keep_graph=keeps, pool=made.pool())
    with gn.cuda.Stream(), again:
        numbers *= 2
    again.replay()  # which makes of a kept graph what is replayed
    assert numbers.tolist() == [6.0] * 4 and again.pool() == made.pool()
    again.reset()
    with pytest.raises(RuntimeError, match="replay: called without a preceding successful capture"):
        again.replay()
    wrong = gn.accelerator.Graph(capture_error_mode="foo")
    with pytest.raises(RuntimeError, match="Unknown capture error mode"), gn.cuda.Stream(), wrong:
        pass


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
