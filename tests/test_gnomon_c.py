"""backends/gnomon_c: memory, threads and processes of the C backend."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import gnomon as gn

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")


def test_memory_is_reused_and_counted() -> None:
    import gnomon_c

    with gn.device("c"):
        x = gn.empty(1 << 20)
        address = x.data_ptr()
        assert address % 64 == 0
        before = gnomon_c.memory_stats()
        del x
        after = gnomon_c.memory_stats()
        assert before["allocated"] - after["allocated"] >= 4 << 20
        assert gn.empty(1 << 20).data_ptr() == address
    gnomon_c.empty_cache()
    assert gnomon_c.memory_stats()["cached"] == 0


def test_a_training_loop_does_not_grow() -> None:
    import gnomon_c

    def steps(count: int) -> None:
        for _ in range(count):
            loss = gn.nn.functional.cross_entropy((x @ weight).relu() @ weight.t(), target)
            loss.backward()
            with gn.no_grad():
                weight.sub_(weight.grad, alpha=0.1)
            weight.grad = None

    with gn.device("c"):
        x, weight = gn.randn(8, 16), gn.randn(16, 16, requires_grad=True)
        target = gn.arange(8)
        steps(20)
        allocated = gnomon_c.memory_stats()["allocated"]
        steps(200)
        assert gnomon_c.memory_stats()["allocated"] == allocated


def test_the_thread_count_changes_no_result() -> None:
    import gnomon_c

    threads = gnomon_c.get_num_threads()
    with gn.device("c"):
        x = gn.randn(300, 400)
        results = []
        for count in (1, 2, 3):
            gnomon_c.set_num_threads(count)
            assert gnomon_c.get_num_threads() == count
            results.append([(x @ x.t()).tolist(), x.sum().item(), x.sum(0).tolist(), x.exp().tolist()])
    gnomon_c.set_num_threads(threads)
    assert results[0] == results[1] == results[2]
    with pytest.raises(RuntimeError, match="positive integer"):
        gnomon_c.set_num_threads(0)


def test_several_python_threads_at_once() -> None:
    shared = gn.ones(64, 64, device="c", requires_grad=True)
    sums: list[float] = []
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                x = gn.ones(64, 64, device="c", requires_grad=True)
                y = ((x * 2.0 + shared.detach()) @ x).relu().sum()
                y.backward()
                sums.append(x.grad.sum().item())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(sums) == 160 and set(sums) == {sums[0]}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_of_fork_computes() -> None:
    with gn.device("c"):
        x = gn.ones(1 << 18)
        expected = (x + x).sum().item()  # the threads are there now
        child = os.fork()
        if child == 0:
            product = x.view(512, 512) @ x.view(512, 512)
            right = (x + x).sum().item() == expected and product[0, 0].item() == 512
            os._exit(0 if right else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


SUMS = """
import hashlib
import gnomon as gn
from gnomon_c import library
gn.set_default_device("c")
gn.manual_seed(0)
digest = hashlib.sha256()
x = gn.randn(1031, 57)
for result in (
    x.exp(), x.tanh(), x.sigmoid(), gn.nn.functional.gelu(x), x.sin(), x.abs().log(), x.sum(0), x.sum(1),
    x.softmax(1), x.var(0), x.half() * 3.5, x.bfloat16().exp(), x.double().exp(), (x * 100).int() // 7,
    x.T.contiguous(), x + x[0],
):
    digest.update(bytes(result.contiguous().untyped_storage().copy_out()))
print(library.native().lib.gn_compiled_isa(), digest.hexdigest())
"""


def test_every_instruction_set_gives_the_same_numbers() -> None:
    from gnomon_c import library

    texts = []
    for isa in library.isas():
        run = subprocess.run(
            [sys.executable, "-c", SUMS],
            capture_output=True,
            text=True,
            env={**os.environ, "GNOMON_C_ISA": isa, "GNOMON_FALLBACK": "allow"},
        )
        assert run.returncode == 0, run.stderr
        texts.append(run.stdout.split())
    assert [text[0] for text in texts] == [str(library.ISAS.index(isa)) for isa in library.isas()]
    assert len({text[1] for text in texts}) == 1


def test_an_instruction_set_that_is_not_there_is_refused() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import gnomon as gn; gn.ones(1, device='c')"],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_C_ISA": "sse9"},
    )
    assert run.returncode and "GNOMON_C_ISA: expected one of baseline" in run.stderr
    assert "'sse9'" in run.stderr


def test_the_number_of_threads_is_set_on_the_face() -> None:
    import gnomon_c

    threads = gn.get_num_threads()
    try:
        gn.set_num_threads(3)
        assert gn.get_num_threads() == gnomon_c.get_num_threads() == 3
        for wrong, kind in ((0, RuntimeError), (-2, RuntimeError), (1.5, TypeError), (True, TypeError)):
            with pytest.raises(kind, match="set_num_threads"):
                gn.set_num_threads(wrong)
        assert gn.get_num_threads() == 3
    finally:
        gn.set_num_threads(threads)


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.float16, gn.bfloat16, gn.int32, gn.complex64])
@pytest.mark.parametrize("k, n", [(1000, 777), (100, 3), (37, 513), (4, 1), (3, 2000)])
def test_products_of_a_vector_in_every_layout(dtype: gn.dtype, k: int, n: int) -> None:
    with gn.device("c"):
        vector = (gn.arange(k) % 5 - 2).to(dtype)
        matrix = ((gn.arange(k * n) * 7 % 11) - 5).reshape(k, n).to(dtype)
        wanted = [sum(v * m for v, m in zip(vector.tolist(), column)) for column in zip(*matrix.tolist())]
        if dtype in (gn.float16, gn.bfloat16):
            wanted = gn.tensor(wanted, dtype=gn.float64).to(dtype).tolist()
        lying = (matrix, matrix.t().contiguous().t(), gn.stack([matrix, matrix], -1)[..., 0])
        for each in lying:
            assert (vector.reshape(1, k) @ each).tolist() == [wanted]
            assert (each.t() @ vector.reshape(k, 1)).flatten().tolist() == wanted
