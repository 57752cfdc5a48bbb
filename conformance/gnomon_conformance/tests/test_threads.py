"""Several Python threads at once: each gets the result that it would get alone."""

import sys
import threading
import warnings

import pytest

import gnomon as gn

from ..collection import selection
from ..collection.selection import UNDETERMINED, operators, random_operators
from ..execution.runner import Gnomon, run
from ..samples import good_samples

pytestmark = [pytest.mark.tier("threads"), pytest.mark.traits("threads")]

THREADS = 4
CALLS = 40
# Operator -> its arguments after the first.
CALLED = {
    "neg": (),
    "exp": (),
    "add.Tensor": ("other", 2),
    "mul.Tensor": ("other",),
    "sum.dim_IntList": ((1,), False, None),
    "max.dim": (1, False),
    "sort.stable": (True, 1, True),
    "_softmax": (1, False),
    "cumsum": (1, None),
    "mm": ("turned",),
    "clone": (None,),
    "index_select": (0, "index"),
}


# Seconds for the calls of a thread; ``gnomon conform`` has its own --hang-limit, for the whole test.
HANG_LIMIT = 600.0

# Calls per thread of every other operator, with its own samples.
SAMPLE_CALLS = 4


def pytest_generate_tests(metafunc):
    if metafunc.function is test_threads:
        selection.parametrize_operators(metafunc, {name: operators()[name] for name in CALLED})
    else:
        found = {
            name: each
            for name, each in operators().items()
            if name not in random_operators() and not UNDETERMINED.match(name)
        }
        selection.parametrize_operators(metafunc, found, ("float32",))


def arguments(operator, number, device):
    """The arguments of one thread's calls, with its own sizes and numbers."""
    rows, columns = 3 + number, 5
    values = [((7 * place + 3 * number) % 23) / 8 - 1 for place in range(rows * columns)]
    tensor = gn.tensor(values, device=device).reshape(rows, columns)
    words = {"other": tensor * 2, "turned": tensor.t(), "index": gn.tensor([number % rows, 0], device=device)}
    rest = (words.get(each, each) if isinstance(each, str) else each for each in CALLED[operator.name])
    return (tensor, *rest)


def numbers(framework, result):
    return [framework.numbers(each) for each in (result if isinstance(result, (tuple, list)) else (result,))]


def test_threads(operator, backend):
    framework = Gnomon(backend.device_type)
    calls = [arguments(operator, number, backend.device_type) for number in range(THREADS)]
    at_once(operator, CALLS, lambda number: numbers(framework, operator(*calls[number])))


def test_threads_of_samples(operator, dtype, backend):
    """Every operator, with a different sample for each thread, whose arguments are built in that thread."""
    framework = Gnomon(backend.device_type)
    found = [sample for _, sample in good_samples(operator.name, dtype)]
    if found:
        chosen = [found[number * (len(found) - 1) // (THREADS - 1)] for number in range(THREADS)]
        at_once(
            operator,
            SAMPLE_CALLS,
            lambda number: run(framework, operator, chosen[number], dtype, "contiguous").results,
        )


def at_once(operator, count, call):
    """``call(number)`` in each of several threads, ``count`` times, gives the result that it gives alone."""
    alone = [repr(call(number)) for number in range(THREADS)]
    wrong = []
    start = threading.Barrier(THREADS, timeout=HANG_LIMIT)

    def work(number):
        start.wait()
        for _ in range(count):
            try:
                found = repr(call(number))
            except Exception as error:  # an exception in a thread would be lost
                found = repr(error)
            if found != alone[number]:
                wrong.append(f"thread {number}: {found}, alone {alone[number]}")
                return

    # daemon threads: the process waits for the end of all others before it ends
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(THREADS)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that Python code interleaves as often as a library's threads do
    try:
        with warnings.catch_warnings():  # the calls' own such blocks end in any order
            for each in threads:
                each.start()
            for each in threads:
                each.join(HANG_LIMIT)
                assert not each.is_alive(), f"{operator.name}: a thread hangs"
    finally:
        sys.setswitchinterval(interval)
    assert not start.broken, f"{operator.name}: the threads did not start together"
    assert not wrong, f"{operator.name} from {THREADS} threads at once:\n" + "\n".join(wrong)
