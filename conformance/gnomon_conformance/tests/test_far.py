"""Elements, indices, seeds and generators beyond 32 bits, with few elements.

The memory in between is never touched, so the machine does not need it: a block of four gigabytes gets
physical memory only where it is accessed.
"""

import functools
import mmap
import pathlib

import pytest

import gnomon as gn

from ..collection import selection
from ..collection.selection import operators, random_fills

pytestmark = [pytest.mark.tier("memory")]

SPAN = 2**32  # bytes between the rows of a tensor
TRIED = 2**26  # bytes, allocated to find whether the backend touches memory
COUNT = 2**32 + 70  # elements of one byte
PLACES = (3, 2**31 - 1, 2**31 + 5, 2**32 + 1, 2**32 + 66)

SEEDS = (2**32 + 7, 7 - 2**63, 2**63 - 25)
COUNTERS = (2**32 + 3, 2**32 - 2, 2**64 - 2, 2**70 + 1)


@functools.cache
def is_lazy(backend):
    """Whether allocated memory gets no physical pages until it is accessed."""
    statistics = pathlib.Path("/proc/self/statm")
    if not statistics.exists():
        return False
    before = int(statistics.read_text().split()[1])
    kept = backend.allocate(TRIED, 0)
    pages = int(statistics.read_text().split()[1]) - before
    del kept
    return pages * mmap.PAGESIZE < TRIED // 2


def _rows(device, dtype, offset=0):
    """Two rows of three elements each, slightly more than SPAN bytes apart."""
    step = SPAN // dtype.itemsize + 5
    whole = gn.empty(step + 16, dtype=dtype, device=device)
    return whole.as_strided((2, 3), (step, 1), offset)


def _plain(name):
    """A check of a pointwise operator, a reduction or a copy between rows far apart and adjacent ones."""

    def check(device, dtype):
        numbers = gn.tensor([[1, 2, 3], [5, 7, 11]], dtype=dtype)
        far = _rows(device, dtype, 4)
        near = numbers.to(device)
        far.copy_(near)
        operator = operators()[name]
        arguments = PLAIN[name](near)
        expected = operator(near, *arguments).tolist()
        assert operator(far, *arguments).tolist() == expected, f"{name}: {dtype} rows {SPAN} bytes apart"
        outputs = [each for each in operator.variants if each.schema.is_out]
        if outputs and name in ("neg", "add.Tensor", "mul.Tensor"):
            made = _rows(device, dtype, 7)
            outputs[0](near, *arguments, *([1] if name == "add.Tensor" else []), made)
            assert made.tolist() == expected, f"{name}.out: {dtype} rows {SPAN} bytes apart"

    return check


def _line(device):
    """COUNT bytes, with 1, 2, 3 ... at PLACES."""
    line = gn.empty(COUNT, dtype=gn.uint8, device=device)
    for number, place in enumerate(PLACES, 1):
        line[place] = number
    return line


def _places(device):
    return gn.tensor(PLACES, device=device)


def _writing(name):
    """A check of an operator that writes by index, to rows far apart."""

    def check(device, dtype):
        near = gn.tensor([[1, 2, 3], [5, 7, 11]], dtype=dtype).to(device)
        far = _rows(device, dtype, 4)
        far.copy_(near)
        rows = gn.tensor([1, 0, 1], device=device)
        wide = gn.tensor([[1, 0, 1], [0, 1, 0]], device=device)
        source = gn.tensor([[10, 20, 30], [40, 50, 60], [40, 50, 60]], dtype=dtype).to(device)
        for x in (far, near):
            WRITING[name](x, rows, wide, source)
        assert far.tolist() == near.tolist(), f"{name}: {dtype} rows {SPAN} bytes apart"

    return check


def _indexing(name):
    def check(device, dtype):
        line, at = _line(device), _places(device)
        assert INDEXING[name](line, at).tolist() == [1, 2, 3, 4, 5], f"{name} at {PLACES}"

    return check


# Operator -> its arguments after the rows.
PLAIN = {
    "neg": lambda x: (),
    "add.Tensor": lambda x: (x,),
    "mul.Tensor": lambda x: (x,),
    "sum.dim_IntList": lambda x: ([0],),
    "amax": lambda x: ([0],),
    "cumsum": lambda x: (0,),
    "flip": lambda x: ([0],),
    "mm": lambda x: (x.t(),),
}
# Operator -> its call, which reads elements of a line.
INDEXING = {
    "index_select": lambda line, at: line.index_select(0, at),
    "gather": lambda line, at: line.gather(0, at),
    "take": lambda line, at: line.take(at),
    "_index": lambda line, at: line[at],
    "embedding": lambda line, at: gn.ops.aten.embedding.default(
        line.unsqueeze(1), at, -1, False, False
    ).squeeze(1),
}
# Operator -> its call, which writes to rows.
WRITING = {
    "scatter.src": lambda x, rows, wide, source: x.scatter_(0, wide, source),
    "scatter_add": lambda x, rows, wide, source: x.scatter_add_(0, wide, source),
    "index_add": lambda x, rows, wide, source: x.index_add_(0, rows, source),
    "index_copy": lambda x, rows, wide, source: x.index_copy_(0, rows[:2], source[:2]),
    "index_fill.int_Scalar": lambda x, rows, wide, source: x.index_fill_(0, rows[:1], 4),
    "_index_put": lambda x, rows, wide, source: x.index_put_((rows, rows), source[0], accumulate=True),
}
CHECKS = {name: _plain(name) for name in PLAIN} | {name: _indexing(name) for name in INDEXING}
CHECKS |= {name: _writing(name) for name in WRITING}


def pytest_generate_tests(metafunc):
    names = random_fills() if metafunc.function is test_seeds else CHECKS
    selection.parametrize_operators(metafunc, {name: operators()[name] for name in names})


@pytest.mark.traits("large")
def test_far(operator, backend):
    """Elements beyond a 32-bit offset, and indices beyond 32 bits."""
    if not is_lazy(backend):
        pytest.skip(f"{backend.name} touches all memory that it allocates")
    dtypes = (gn.float32, gn.int64) if operator.name not in INDEXING else (gn.uint8,)
    for dtype in dtypes:
        try:
            CHECKS[operator.name](backend.device_type, dtype)
        except gn.OutOfMemoryError:
            pytest.skip("there is no address space for four gigabytes and more")


@pytest.mark.tier("random")
def test_seeds(operator, backend):
    """64-bit seeds and generators, and 64-bit bounds of random integers."""
    bounds: list[tuple[float, ...]] = [()]
    if operator.name == "random_.from":
        bounds = [(0, 2**33 + 9), (-5, 2**61 + 12345), (-(2**62), 2**62), (2**40, 2**40 + 3)]
    elif operator.name == "geometric_":
        bounds = [(0.4,)]
    dtype = gn.int64 if operator.name == "random_.from" else gn.float32
    for arguments in bounds:
        for seed in SEEDS:
            for counter in (0, *COUNTERS):
                found = []
                for device in ("reference", backend.device_type):
                    generator = gn.Generator().manual_seed(seed)
                    generator.take(counter)
                    made = gn.zeros(9, dtype=dtype, device=device)
                    operator(made, *arguments, generator=generator)
                    found.append(made.tolist())
                close = [
                    mine == wanted or abs(mine - wanted) <= 1e-5 * max(abs(wanted), 1)
                    if dtype is gn.float32
                    else mine == wanted
                    for wanted, mine in zip(*found)
                ]
                assert all(close), f"{operator.name}{arguments}: seed {seed}, {counter} blocks used: {found}"
