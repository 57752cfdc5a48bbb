"""Tensor types, and the constructor of Tensor."""

from __future__ import annotations

import pickle

import pytest

import gnomon as gn
from gnomon.bindings.tensor_types import NAMES


def test_sizes_give_an_uninitialized_tensor_of_the_default_dtype() -> None:
    made = gn.Tensor(2, 3)
    assert (made.shape, made.dtype, made.stride(), type(made)) == ((2, 3), gn.float32, (3, 1), gn.Tensor)
    assert made.device == gn.empty(0).device and made.is_leaf and not made.requires_grad
    assert gn.Tensor().shape == (0,) and gn.Tensor(4).shape == (4,) and gn.Tensor(gn.Size([2])).shape == (2,)
    gn.set_default_dtype(gn.float64)
    try:
        assert gn.Tensor(1).dtype is gn.float64
    finally:
        gn.set_default_dtype(gn.float32)


def test_data_give_a_tensor_with_these_elements() -> None:
    assert gn.Tensor([1, 2]).tolist() == [1.0, 2.0] and gn.Tensor([[1.5], [2]]).shape == (2, 1)
    assert gn.Tensor((2, 3)).tolist() == [2.0, 3.0] and gn.Tensor(range(3)).tolist() == [0.0, 1.0, 2.0]
    assert gn.LongTensor([1.5, -2.5]).tolist() == [1, -2]
    assert gn.BoolTensor([0, 2]).tolist() == [False, True]


def test_an_array_gives_its_elements_and_an_integer_array_of_no_dimension_a_size() -> None:
    numpy = pytest.importorskip("numpy")
    for kind in ("float32", "float64", "int64"):
        made = gn.FloatTensor(numpy.array([[1, 2, 3]], kind))
        assert made.tolist() == [[1.0, 2.0, 3.0]] and made.dtype is gn.float32
    assert gn.LongTensor(numpy.array([1.5, 2.5])).tolist() == [1, 2]
    assert gn.Tensor([numpy.zeros(2), numpy.ones(2)]).tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert gn.FloatTensor(numpy.array(2.5)).tolist() == 2.5
    assert gn.Tensor(numpy.array(3)).shape == gn.Tensor(numpy.int64(3)).shape == (3,)
    for number in (numpy.float32(3), numpy.bool_(True)):
        with pytest.raises(TypeError, match=r"data must be a sequence \(got (float32|numpy\.bool_?)\)$"):
            gn.FloatTensor(number)


def test_a_tensor_gives_an_alias_and_a_storage_its_memory() -> None:
    x = gn.ones(2, 3, dtype=gn.int64)
    alias = gn.Tensor(x)
    assert alias.dtype is gn.int64 and alias.data_ptr() == x.data_ptr() and alias.shape == (2, 3)
    y = gn.arange(4.0, requires_grad=True)
    assert not gn.Tensor(y).requires_grad
    whole = gn.Tensor(y[1:].untyped_storage())
    assert whole.tolist() == [0.0, 1.0, 2.0, 3.0] and whole.data_ptr() == y.data_ptr()
    with pytest.raises(
        TypeError, match=r"LongTensor: expected a tensor of gnomon.int64 on .*, got gnomon.float32"
    ):
        gn.LongTensor(y)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        (("a",), {}, TypeError, r"new\(\): invalid data type 'str'"),
        ((2.5,), {}, TypeError, r"new\(\): data must be a sequence \(got float\)"),
        (({1},), {}, TypeError, r"new\(\): data must be a sequence \(got set\)"),
        (
            (2, 2.5),
            {},
            TypeError,
            r"invalid combination of arguments - got \(int, float\), but expected one of",
        ),
        ((2,), {"requires_grad": True}, TypeError, r"got \(int, requires_grad=bool\)"),
        ((-1,), {}, RuntimeError, "negative dimension -1"),
        ((3,), {"device": "meta"}, RuntimeError, "expects device type: .* but device type: meta was passed"),
    ],
)
def test_other_arguments_are_refused(arguments, keywords, error, message) -> None:
    with pytest.raises(error, match=message):
        gn.Tensor(*arguments, **keywords)


def test_a_subclass_is_constructed_alike() -> None:
    class Named(gn.Tensor):
        def __init__(self, data, name="none"):
            self.name = name

        def __new__(cls, data, name="none"):
            return super().__new__(cls, data)

    class Plain(gn.Tensor):
        pass

    made = Named([1.0, 2.0], "x")
    assert type(made) is Named and made.name == "x" and made.tolist() == [1.0, 2.0]
    assert type(Plain(2, 3)) is Plain and Plain([3.0]).add(1).tolist() == [4.0]


@pytest.mark.parametrize("name", NAMES)
def test_a_tensor_type_is_a_dtype_on_a_device(name) -> None:
    kind = getattr(gn, name)
    assert (kind.__name__, kind.__module__, kind.dtype, kind.layout) == (
        name,
        "gnomon",
        NAMES[name],
        gn.strided,
    )
    assert repr(kind) == f"<class 'gnomon.{name}'>" and not kind.is_cuda
    assert getattr(gn.cuda, name).is_cuda and repr(getattr(gn.cuda, name)) == f"<class 'gnomon.cuda.{name}'>"
    x = gn.zeros(2, dtype=NAMES[name])
    assert isinstance(x, kind) and not isinstance(x, getattr(gn.cuda, name)) and not isinstance(3, kind)
    assert x.type() == f"gnomon.{name}" and kind(3).dtype is NAMES[name]
    assert gn.zeros(2, dtype=NAMES[name], device="meta").type() == f"gnomon.meta.{name}"


def test_type_converts_to_a_dtype_and_a_device() -> None:
    x = gn.tensor([1.5, 2.0])
    for wanted in (gn.int64, "gnomon.LongTensor", "torch.LongTensor", gn.LongTensor):
        assert x.type(wanted).tolist() == [1, 2] and x.type(wanted).dtype is gn.int64
    assert x.type("gnomon.Tensor") is x and x.type(gn.Tensor) is x and x.type(gn.float32) is x
    assert x.type("gnomon.meta.HalfTensor").is_meta
    assert gn.zeros(1, device="reference").type(gn.FloatTensor).device == gn.zeros(1).device
    with pytest.raises(ValueError, match="invalid type: 'foo'"):
        x.type("foo")
    with pytest.raises(ValueError, match=r"^invalid type: 'float'$"):
        gn.ones(2).type(float)
    with pytest.raises(TypeError, match="dtype must be a type, str, or dtype object"):
        x.type(3)


def test_new_tensors_have_the_dtype_and_device_of_another(device: str) -> None:
    x = gn.ones(2, dtype=gn.int16, device=device)
    assert x.new(3).dtype is gn.int16 and x.new(3).device == x.device and x.new(2, 3).shape == (2, 3)
    assert x.new([1.5]).tolist() == [1] and x.new().shape == (0,)
    made = x.new_tensor([[1, 2]])
    assert made.tolist() == [[1, 2]] and made.dtype is gn.int16 and made.device == x.device
    assert x.new_tensor([1.0], dtype=gn.float64, requires_grad=True).requires_grad
    source = gn.ones(2)
    assert gn.ones(1).new_tensor(source).data_ptr() != source.data_ptr()


def test_functions_of_numbers_write_in_place(device: str) -> None:
    x = gn.arange(6.0, device=device).reshape(2, 3).t()
    assert x.apply_(lambda number: number + 1) is x
    assert x.tolist() == [[1, 4], [2, 5], [3, 6]] and x.stride() == (1, 3) and x._version == 1
    assert x.map_(gn.tensor([10.0, 20.0], device=device), lambda a, b: a * b).tolist()[0] == [10, 80]
    x.map2_(x, gn.ones((), device=device), lambda a, b, c: a + b + c)
    assert x.tolist()[0] == [21, 161]

    def fails(number):
        raise ZeroDivisionError

    before = x.tolist()
    with pytest.raises(ZeroDivisionError):
        x.apply_(fails)
    assert x.tolist() == before, "nothing is half written"
    with pytest.raises(
        TypeError, match=r"map_: expected gnomon.*FloatTensor for 'other' \(got gnomon.*LongTensor\)"
    ):
        x.map_(gn.ones(2, dtype=gn.int64, device=device), lambda a, b: a)
    with pytest.raises(TypeError, match=r"map_\(\): argument 'other' \(position 1\) must be Tensor, not int"):
        x.map_(3, lambda a, b: a)
    with pytest.raises(TypeError, match="'int' object is not callable"):
        x.apply_(3)
    with pytest.raises(RuntimeError, match=r"Use var.detach\(\).apply_\(\) instead"):
        gn.ones(2, device=device, requires_grad=True).apply_(abs)
    meta = gn.ones(2, device="meta")
    assert meta.apply_(fails) is meta


def test_the_default_tensor_type_is_a_dtype_and_a_device() -> None:
    before = gn.get_default_dtype(), gn.get_default_device()
    try:
        with pytest.warns(UserWarning, match="set_default_tensor_type"):
            gn.set_default_tensor_type("torch.DoubleTensor")
        assert gn.ones(1).dtype is gn.float64 and gn.ones(1).device == gn.ones(1, device="cpu").device
        for wrong, message in (
            (gn.float32, "invalid type object"),
            (gn.LongTensor, "only floating-point types"),
        ):
            with pytest.warns(UserWarning), pytest.raises(TypeError, match=message):
                gn.set_default_tensor_type(wrong)
        assert gn.get_default_dtype() is gn.float64
    finally:
        gn.set_default_dtype(before[0])
        gn.set_default_device(before[1])


def test_the_kind_of_device_and_layout_can_be_asked() -> None:
    x = gn.ones(2, 3)
    assert x.is_cpu and not x.is_cuda and x.get_device() == -1 and x.ndimension() == 2
    assert not gn.ones(1, device="meta").is_cpu
    for name in "ipu maia mps mtia vulkan xla xpu mkldnn nested quantized sparse sparse_csr".split():
        assert getattr(x, f"is_{name}") is False, name
    assert gn.is_storage(x.untyped_storage()) and not gn.is_storage(x)
    assert (gn.inf, gn.newaxis, gn.pi > 3.14, gn.e > 2.71, gn.nan != gn.nan) == (
        float("inf"),
        None,
        True,
        True,
        True,
    )


def test_an_old_pickle_and_a_copy_still_make_tensors() -> None:
    x = gn.ones(2)
    assert pickle.loads(pickle.dumps(x)).tolist() == [1, 1] and type(x.clone()) is gn.Tensor


def test_names_of_types():
    class Inner:
        pass

    for value, name in (
        (gn.ones(1), "gnomon.FloatTensor"),
        (gn.ones(1, dtype=gn.bfloat16), "gnomon.BFloat16Tensor"),
        (gn.ones(1, device="meta"), "gnomon.meta.FloatTensor"),
        (gn.nn.Parameter(gn.ones(1)), "gnomon.FloatTensor"),
        (gn.nn.Linear(1, 1), "gnomon.nn.modules.linear.Linear"),
        (gn.nn.Linear, "gnomon.nn.modules.linear.Linear"),
        (3, "int"),
        (None, "NoneType"),
        (len, "len"),
        ([], "list"),
        (Inner, f"{__name__}.test_names_of_types.<locals>.Inner"),
        (Inner(), f"{__name__}.test_names_of_types.<locals>.Inner"),
        (test_names_of_types, f"{__name__}.test_names_of_types"),
    ):
        assert gn.typename(value) == name
