"""``load_inline``: operators whose kernels are functions in C that the program brings."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gnomon as gn
from gnomon.utils import c_prototype, load_inline
from time_limits import LIMIT

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

SOURCE = """
const char *smooth(const gn_tensor *x, double eps, gn_tensor *result0) {
    if (x->dtype != GN_FLOAT64 || x->ndim != 1) { return "expected a vector of float64"; }
    const double *a = x->data;
    double *r = result0->data;
    for (int64_t i = 0; i < x->numel; i++) {
        const double v = a[i * x->strides[0]];
        r[i * result0->strides[0]] = v * v / (v * v + eps);
    }
    return 0;
}
const char *scale_(gn_tensor *x, int64_t factor, int negate) {
    double *a = x->data;
    for (int64_t i = 0; i < x->numel; i++) { a[i] *= (double)(negate ? -factor : factor); }
    return 0;
}
const char *split(const gn_tensor *x, gn_tensor *whole, gn_tensor *rest) {
    const double *a = x->data;
    for (int64_t i = 0; i < x->numel; i++) {
        ((int64_t *)whole->data)[i] = (int64_t)a[i];
        ((double *)rest->data)[i] = a[i] - (double)(int64_t)a[i];
    }
    return 0;
}
"""
SMOOTH = "inline_tests::smooth(Tensor x, float eps=1.0) -> Tensor"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder that keeps the library, so that it is compiled once."""
    return tmp_path_factory.mktemp("inline")


def smooth(folder: Path):
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * ctx.eps / (x * x + ctx.eps) ** 2 * grad, None

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.eps = inputs[1]

    return load_inline(
        PARTS["smooth"], SMOOTH, backward=backward, setup_context=setup_context, build_directory=folder
    )


PARTS = {text.split("(")[0]: f"const char *{text}" for text in SOURCE.split("const char *")[1:]}


def test_an_operator_on_every_backend_of_the_host(folder, device):
    operator = smooth(folder)
    x = gn.tensor([0.0, 5.0, 1.0, 5.0, 3.0], dtype=gn.float64)[::2]
    found = operator(x)
    assert found.tolist() == [0.0, 0.5, 0.9] and found.dtype is gn.float64 and found.device == x.device
    assert gn.ops.inline_tests.smooth(x, 9.0).tolist() == [0.0, 0.1, 0.5]
    assert operator(gn.empty(4, dtype=gn.float64, device="meta")).shape == (4,)
    gn.library.opcheck(operator, (x.detach().requires_grad_(), 2.0))
    with pytest.raises(RuntimeError, match=r"^smooth: expected a vector of float64$"):
        operator(gn.ones(2))


def test_arguments_that_are_written_to_and_several_results(folder, device):
    def meta(x):
        return x.new_empty(x.shape, dtype=gn.int64), x.new_empty(x.shape)

    scale_ = load_inline(
        PARTS["scale_"],
        "inline_tests::scale_(Tensor(a!) x, int factor, bool negate=False) -> ()",
        build_directory=folder,
    )
    x = gn.tensor([1.5, -2.25], dtype=gn.float64)
    assert scale_(x, 3) is None and x.tolist() == [4.5, -6.75] and x._version == 1
    scale_(x, 2, negate=True)
    assert x.tolist() == [-9.0, 13.5]
    split = load_inline(
        PARTS["split"],
        "inline_tests::split(Tensor x) -> (Tensor whole, Tensor rest)",
        meta=meta,
        build_directory=folder,
    )
    whole, rest = split(x)
    assert (whole.tolist(), rest.tolist(), whole.dtype) == ([-9, 13], [0.0, 0.5], gn.int64)


def test_a_built_library_is_used_again(folder, tmp_path):
    smooth(folder)
    built = {each: each.stat().st_mtime_ns for each in folder.iterdir()}
    smooth(folder)
    assert {each: each.stat().st_mtime_ns for each in folder.iterdir()} == built
    assert all(each.suffix == ".so" for each in built)
    program = (
        "from gnomon.utils import load_inline; import gnomon as gn\n"
        f"operator = load_inline({PARTS['smooth']!r}, {SMOOTH!r}, build_directory={str(folder)!r})\n"
        "print(operator(gn.ones(2, dtype=gn.float64)).tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    assert done.stdout == "[0.5, 0.5]\n"
    assert {each: each.stat().st_mtime_ns for each in folder.iterdir()} == built
    with pytest.raises(FileNotFoundError, match="build_directory: no such folder"):
        load_inline(SOURCE, SMOOTH, build_directory=tmp_path / "none")


def test_several_operators_of_one_source(tmp_path):
    one, two = load_inline(
        SOURCE, [SMOOTH, "inline_tests::scale_(Tensor(a!) x, int factor, bool negate) -> ()"]
    )
    x = gn.ones(2, dtype=gn.float64)
    two(x, 3, False)
    assert one(x).tolist() == [0.9, 0.9]


def test_a_source_that_does_not_compile(tmp_path):
    with pytest.raises(RuntimeError, match=r"not compiled:(.|\n)*c_source:1:9: error: expected expression"):
        load_inline("int x = ;", SMOOTH, build_directory=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_function_that_is_missing_and_a_damaged_library(folder, tmp_path):
    with pytest.raises(
        RuntimeError, match=r"can not be loaded: (.|\n)*expected in the source:\nconst char \*smooth"
    ):
        load_inline("int other;", SMOOTH, build_directory=tmp_path)
    assert list(tmp_path.iterdir()) == []
    smooth(folder)
    for library in folder.iterdir():  # one of these names is that of the library
        (tmp_path / library.name).write_bytes(b"damaged")
    operator = load_inline(PARTS["smooth"], SMOOTH, build_directory=tmp_path)
    assert operator(gn.ones(1, dtype=gn.float64)).tolist() == [0.5]


def test_the_error_of_an_operator_without_a_kernel_for_a_layout(folder):
    operator = load_inline(PARTS["smooth"], SMOOTH, build_directory=folder)
    with pytest.raises(NotImplementedError, match="Could not run 'inline_tests::smooth'"):
        operator(gn.eye(2, dtype=gn.float64).to_sparse())


def test_declarations():
    assert c_prototype(SMOOTH) == "const char *smooth(const gn_tensor *x, double eps, gn_tensor *result0);"
    assert c_prototype("a::b(Tensor(a!) x, int n, bool flag, Scalar s) -> ()") == (
        "const char *b(gn_tensor *x, int64_t n, int flag, double s);"
    )
    assert c_prototype("a::b(Tensor x) -> (Tensor one, Tensor)") == (
        "const char *b(const gn_tensor *x, gn_tensor *one, gn_tensor *result1);"
    )


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            "a::b(Tensor[] x) -> Tensor",
            "argument 'x': expected Tensor, int, float, bool or Scalar, got Tensor",
        ),
        ("a::b(Tensor? x) -> Tensor", "argument 'x'"),
        ("a::b(str x) -> ()", "argument 'x'"),
        ("a::b(Tensor x) -> int", "each result must be a new Tensor"),
        ("a::b(Tensor(a) x) -> Tensor(a)", "each result must be a new Tensor"),
        ("a::b.c(Tensor x) -> Tensor", "has no overload"),
        ("b(Tensor x) -> Tensor", "namespace::name"),
        ("a::int(Tensor x) -> Tensor", "'int' can not be the name of a function in C"),
        ("a::größe(Tensor x) -> Tensor", "can not be the name of a function in C"),
    ],
)
def test_schemas_that_are_refused(schema, message):
    with pytest.raises(ValueError, match=message):
        load_inline("", schema)


def test_options_of_one_schema():
    with pytest.raises(ValueError, match="need a single schema"):
        load_inline("", [SMOOTH, SMOOTH], backward=lambda ctx, grad: grad)


@pytest.mark.parametrize("name", ["c_source", "meta", "backward", "setup_context"])
def test_arguments_of_other_types(name):
    given = {"c_source": "", "schema": SMOOTH, name: b"x"}
    with pytest.raises(TypeError, match=f"load_inline: argument '{name}' must be .*, got bytes"):
        load_inline(**given)


def test_a_meta_function_that_returns_no_tensor(folder):
    made = load_inline(PARTS["smooth"], SMOOTH, meta=lambda x, eps: 3, build_directory=folder)
    with pytest.raises(TypeError, match="smooth: meta must return Tensor, got int"):
        made(gn.ones(2, dtype=gn.float64))


def test_a_name_that_is_defined_anew(folder):
    smooth(folder)
    packet = gn.ops.inline_tests.smooth
    made = smooth(folder)
    with pytest.raises(RuntimeError, match="the operator was removed, or defined anew"):
        packet(gn.ones(2, dtype=gn.float64))
    assert gn.ops.inline_tests.smooth(gn.ones(2, dtype=gn.float64)).tolist() == [0.5, 0.5]
    assert made(gn.ones(2, dtype=gn.float64)).tolist() == [0.5, 0.5]
