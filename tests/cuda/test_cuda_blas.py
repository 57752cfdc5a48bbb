"""Calls of cuBLAS, tested with a library that has its functions on the emulated GPU."""

from __future__ import annotations

import itertools
import shutil

import pytest

import gnomon as gn
from gnomon.memory.backend import get_backend
from gnomon_cuda import blas, emulation, matmul
from gnomon_cuda.blas import Blas, Factor
from gnomon_cuda.driver import open_emulation
from gnomon_cuda.errors import BlasError, CudaError
from gnomon_cuda.streams import Stream, default_stream


@pytest.fixture
def library(monkeypatch):
    """The emulated library, which the backend uses."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "1")
    assert gn.backends()["cuda"].available, gn.backends()["cuda"].reason
    gn.set_fallback_policy("error")
    runtime = get_backend("cuda").runtime
    opened = Blas(runtime.driver, emulation.build_blas())
    monkeypatch.setitem(runtime.__dict__, "blas", opened)
    return opened


@pytest.fixture
def copies(monkeypatch):
    """The number of elements of each copy of matrices."""
    found = []
    usual = matmul._Copies.copy

    def copy(self, to, source, sizes):
        found.append(sizes[0] * sizes[1] * sizes[2])
        usual(self, to, source, sizes)

    monkeypatch.setattr(matmul._Copies, "copy", copy)
    return found


def whole(*sizes, dtype=gn.float32):
    """Small integers, with distinct rows and columns."""
    count = 1
    for size in sizes:
        count *= size
    numbers = [i * 7919 % 13 - 5 for i in range(count)]
    return gn.tensor(numbers, dtype=gn.int64, device="reference").reshape(sizes).to(dtype)


def laid(matrix, order):
    """A matrix, or a batch of them, on the GPU in a given memory order."""
    if order.endswith("columns"):
        return laid(matrix.transpose(-2, -1), order.replace("columns", "rows")).transpose(-2, -1)
    rows, columns = matrix.shape[-2:]
    if order == "rows":
        place = gn.zeros(matrix.shape, dtype=matrix.dtype, device="cuda")
    elif order == "wide rows":
        place = gn.zeros(*matrix.shape[:-1], columns + 3, dtype=matrix.dtype, device="cuda")[..., 1:-2]
    else:
        place = gn.zeros(*matrix.shape[:-2], 2 * rows, 3 * columns, dtype=matrix.dtype, device="cuda")
        place = place[..., ::2, ::3]
    return place.copy_(matrix.to("cuda"))


WITHOUT_COPIES = {"rows": "N", "wide rows": "N", "columns": "T", "wide columns": "T"}


@pytest.mark.parametrize("dtype", blas.DTYPES)
def test_factors_in_each_order_of_memory(library, copies, dtype):
    kind = getattr(gn, dtype)
    left, right = whole(5, 3, dtype=kind), whole(3, 4, dtype=kind)
    expected = (left @ right).tolist()
    for first, second in itertools.product(WITHOUT_COPIES, repeat=2):
        # the output is row-major: cuBLAS computes its transpose, from the right factor and then the left
        operations = WITHOUT_COPIES[second] + WITHOUT_COPIES[first]
        before = library.products(operations)
        found = laid(left, first) @ laid(right, second)
        assert (found.tolist(), found.stride()) == (expected, (4, 1))
        assert library.products(operations) == before + 1
    assert not copies
    assert (laid(left, "apart") @ laid(right, "apart")).tolist() == expected
    assert copies == [12, 15]


@pytest.mark.parametrize("order", [*WITHOUT_COPIES, "apart"])
def test_outputs_and_addends_in_each_order_of_memory(library, copies, order):
    left, right, addend = whole(5, 3), whole(3, 4), whole(5, 4)
    a, b = left.to("cuda"), right.to("cuda")
    held = laid(gn.full((5, 4), float("nan"), device="reference"), order)
    assert gn.mm(a, b, out=held).tolist() == (left @ right).tolist()
    assert copies == ([20] if order == "apart" else [])
    copies.clear()
    held = laid(addend, order)
    expected = gn.addmm(addend, left, right, beta=2, alpha=-0.5).tolist()
    assert held.addmm_(a, b, beta=2, alpha=-0.5).tolist() == expected
    assert copies == [20]  # the addend, to where the sum is computed
    for added in (addend.to("cuda"), laid(addend, order)):
        assert gn.addmm(added, a, b, beta=2, alpha=-0.5).tolist() == expected
    for added in (addend[0], addend[:, :1], addend[0, 0]):
        expected = gn.addmm(added, left, right).tolist()
        assert gn.addmm(added.to("cuda"), a, b).tolist() == expected
        assert gn.addmm(added.to("cuda"), a, b, out=held).tolist() == expected


def test_a_beta_of_0_does_not_look(library):
    left, right = whole(5, 3), whole(3, 4)
    addend = gn.full((4,), float("nan"), device="cuda")
    found = gn.addmm(addend, left.to("cuda"), right.to("cuda"), beta=0, alpha=2)
    assert found.tolist() == (left @ right * 2).tolist()


def test_batches(library, copies):
    left, right = whole(3, 5, 2), whole(3, 2, 4)
    expected = gn.bmm(left, right).tolist()
    for first, second in itertools.product(WITHOUT_COPIES, repeat=2):
        assert gn.bmm(laid(left, first), laid(right, second)).tolist() == expected
    a = laid(left.permute(1, 0, 2), "rows").permute(1, 0, 2)  # the batch dimension is in the middle
    assert gn.bmm(a, right.to("cuda")).tolist() == expected
    for one in (right[:1], right[1:2]):
        repeated = one.expand(3, 2, 4)
        found = gn.bmm(left.to("cuda"), one.to("cuda").expand(3, 2, 4))
        assert found.tolist() == gn.bmm(left, repeated).tolist()
    assert not copies
    repeated = laid(right[:1], "apart").expand(3, 2, 4)
    assert gn.bmm(left.to("cuda"), repeated).tolist() == gn.bmm(left, right[:1].expand(3, 2, 4)).tolist()
    assert copies == [8]  # once for the whole batch
    addend = whole(4)
    found = gn.baddbmm(addend.to("cuda"), left.to("cuda"), right.to("cuda"), beta=2)
    assert found.tolist() == gn.baddbmm(addend, left, right, beta=2).tolist()


def test_rows_that_repeat_are_copied(library, copies):
    left, right = whole(1, 3), whole(3, 1)
    found = left.to("cuda").expand(5, 3) @ right.to("cuda").expand(3, 4)
    assert found.tolist() == (left.expand(5, 3) @ right.expand(3, 4)).tolist()
    assert copies == [12, 15]


def test_what_is_not_for_blas(library):
    def asked():
        return sum(library.products(each) for each in ("NN", "NT", "TN", "TT"))

    before = asked()
    left, right = whole(5, 3), whole(3, 4)
    for function in (
        lambda a, b: a.int() @ b.int(),
        lambda a, b: a[:1] @ b,
        lambda a, b: a @ b[:, :1],
        lambda a, b: a[:, :0] @ b[:0],
        lambda a, b: a[:0] @ b,
        lambda a, b: gn.dot(a[0], b[:, 0]),
    ):
        expected, found = function(left, right), function(left.to("cuda"), right.to("cuda"))
        assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
    assert asked() == before


@pytest.mark.parametrize("dtype", [gn.complex64, gn.complex128], ids=lambda each: each.name)
def test_complex_factors(library, dtype):
    left, right, addend = (whole(*sizes, dtype=dtype) * (1 - 2j) for sizes in ((5, 3), (3, 4), (5, 4)))
    expected = gn.addmm(addend, left, right, beta=1j, alpha=2 - 1j).tolist()
    a, b = left.to("cuda"), right.to("cuda")
    assert gn.addmm(addend.to("cuda"), a, b, beta=1j, alpha=2 - 1j).tolist() == expected
    assert (a.conj().t() @ a).tolist() == (left.conj().t() @ left).tolist()


def test_half_types_are_summed_in_float(library):
    ones = gn.ones(2, 4096, dtype=gn.float16, device="cuda")
    assert (ones @ ones.t()).tolist() == [[4096.0, 4096.0]] * 2


def test_rounded_factors_where_they_are_allowed(library, monkeypatch):
    numbers = gn.full((2, 2), 1 + 2.0**-12, device="cuda")
    one = gn.eye(2, device="cuda")
    assert (numbers @ one).tolist() == [[1 + 2.0**-12] * 2] * 2
    monkeypatch.setattr(matmul, "allow_tf32", True)
    assert (numbers @ one).tolist() == [[1.0, 1.0]] * 2
    assert (numbers.double() @ one.double()).tolist() == [[1 + 2.0**-12] * 2] * 2
    monkeypatch.setattr(matmul, "allow_tf32", False)
    assert (numbers @ one).tolist() == [[1 + 2.0**-12] * 2] * 2


def test_a_product_is_in_the_current_stream(library):
    driver = library.driver
    left, right = whole(5, 3).to("cuda"), whole(3, 4).to("cuda")
    driver.synchronize()
    side = Stream(driver)
    with side:
        found = left @ right
    assert default_stream(driver).query()
    assert not side.query()  # nothing has waited for it
    again = left @ right
    side.synchronize()
    assert not default_stream(driver).query()
    with side:
        assert found.tolist() == (whole(5, 3) @ whole(3, 4)).tolist()
    assert again.tolist() == found.tolist()


def product(library, **changes):
    """A product of two (2, 2) matrices by the library itself, with everything in 4 KiB of memory."""
    memory = get_backend("cuda").runtime.allocate(4096, 0)
    library.driver.fill_bytes(memory.address, 0, 4096, 0)
    chosen = {
        "operator": "mm",
        "device": 0,
        "stream": 0,
        "workspace": (memory.address + 1024, 1024),
        "dtype": "float32",
        "sizes": (1, 2, 2, 2),
        "factors": (Factor(memory.address, False, 2, 0), Factor(memory.address, False, 2, 0)),
        "out": Factor(memory.address + 64, False, 2, 0),
        "alpha": 1.0,
        "beta": 0.0,
        "allow_tf32": False,
    } | changes
    library.multiply(**chosen)
    library.driver.synchronize()


def test_refusals_of_the_library(library):
    product(library)
    at = get_backend("cuda").runtime.allocate(4096, 0).address
    for wrong in (
        {"factors": (Factor(at, False, 1, 0), Factor(at, False, 2, 0))},
        {"factors": (Factor(at, False, 2, 0), Factor(at, True, 1, 0))},
        {"out": Factor(at, False, 1, 0)},
        {"sizes": (1, -1, 2, 2)},
        {"workspace": (at + 8, 1024)},
    ):
        with pytest.raises(BlasError, match=r"cublas\w+: an unsupported value or parameter .* \(7\)"):
            product(library, **wrong)
    with pytest.raises(BlasError, match=r"failed to launch on the GPU \(13\)"):
        product(library, workspace=(0, 0))
    with pytest.raises(BlasError, match=r"failed to launch on the GPU \(13\)"):
        product(library, stream=8)


def test_two_devices_and_an_error_of_the_kernel(emulated_cuda):
    driver = open_emulation()
    found = Blas(driver, emulation.build_blas())
    for device in (1, 0):
        driver.activate(device)
        at = driver.allocate(4096)
        driver.fill_bytes(at, 0, 4096, 0)
        arguments = (
            (1, 2, 2, 2),
            (Factor(at, False, 2, 0),) * 2,
            Factor(at + 64, False, 2, 0),
            1.0,
            0.0,
            False,
        )
        found.multiply("mm", device, 0, (at + 1024, 1024), "float32", *arguments)
        driver.synchronize()
    with pytest.raises(BlasError, match=r"\(13\)"):  # the handle is the other device's
        found.multiply("mm", 1, 0, (at + 1024, 1024), "float32", *arguments)
    nowhere = (arguments[0], (Factor(8, False, 2, 0),) * 2, *arguments[2:])
    found.multiply("bmm", 0, 0, (at + 1024, 1024), "float32", *nowhere)
    with pytest.raises(CudaError, match="the last operator launched was bmm"):
        driver.synchronize()


def test_an_emulated_library_is_there_where_it_is_wanted(emulated_cuda, monkeypatch):
    driver = open_emulation()
    monkeypatch.delenv("GNOMON_CUDA_EMULATED_BLAS", raising=False)
    assert blas.load(driver) is None
    monkeypatch.setenv("GNOMON_CUDA_EMULATED_BLAS", "1")
    found = blas.load(driver)
    assert found is not None and found.driver is driver and found.workspace_bytes(0) == 32 << 20


def test_where_the_library_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.delenv("GNOMON_CUBLAS", raising=False)
    monkeypatch.setattr(blas, "package_folders", lambda: [tmp_path / "package"])
    monkeypatch.setattr(blas, "toolkit_folders", lambda: [tmp_path / "toolkit"])
    for name in (
        "package/lib/libcublas.so.12",
        "package/lib/libcublasLt.so.12",
        "toolkit/lib64/libcublas.so.13",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("no library")
    ours = [str(tmp_path / "package/lib/libcublas.so.12"), str(tmp_path / "toolkit/lib64/libcublas.so.13")]
    assert blas.find() == [*ours, "libcublas.so.13", "libcublas.so.12"]
    assert blas.find(12) == [ours[0], "libcublas.so.12"]
    monkeypatch.setenv("GNOMON_CUBLAS", "here.so")
    assert blas.find(12) == ["here.so"]
    monkeypatch.setenv("GNOMON_CUBLAS", "0")
    assert blas.find() == []


def test_files_that_are_no_library_are_passed_over(monkeypatch, tmp_path):
    class Driver:
        emulated = False

        def version(self):
            return 12090

    monkeypatch.setenv("GNOMON_CUBLAS", str(tmp_path / "libcublas.so.12"))
    assert blas.load(Driver()) is None
    (tmp_path / "libcublas.so.12").write_text("no library")
    assert blas.load(Driver()) is None
