"""The namespace has the standard's names and signatures, and describes itself."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import gnomon as gn
import gnomon.array_api as xp
from gnomon.array_api import on_device

SIGNATURES = (Path(__file__).parent / "signatures.txt").read_text().split("\n")[:-1]
CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
DTYPES = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
}


def signature_of(name):
    """The parameters of a function of the namespace, without types."""
    found = xp
    for part in name.split("."):
        found = getattr(found, part)
    parameters = inspect.signature(found).parameters.values()
    return str(inspect.Signature([each.replace(annotation=inspect.Parameter.empty) for each in parameters]))


@pytest.mark.parametrize("line", SIGNATURES)
def test_signature(line):
    name, parenthesis, _ = line.partition("(")
    assert name + signature_of(name) == line and parenthesis


def test_the_list_is_complete():
    assert len(SIGNATURES) == len(set(SIGNATURES)) == 175
    names = {line.partition("(")[0] for line in SIGNATURES}
    own = {"VERSIONS", "standard_operators", "__array_api_version__", "fft", "linalg"}
    dtypes = {name for names in DTYPES.values() for name in names}
    assert set(xp.__all__) - own == {each for each in names if "." not in each} | dtypes | {*CONSTANTS} - own
    assert set(xp.linalg.__all__) == {each[7:] for each in names if each.startswith("linalg.")}


def test_every_function_says_what_it_does():
    for line in SIGNATURES:
        found = xp
        for part in line.partition("(")[0].split("."):
            found = getattr(found, part)
        assert found.__doc__ and found.__doc__.rstrip().endswith("."), line


def test_a_tensor_knows_its_namespace():
    x = gn.ones(2)
    assert x.__array_namespace__() is xp is gn.array_api
    assert x.__array_namespace__(api_version="2021.12") is xp
    assert xp.__array_api_version__ == "2025.12" == xp.VERSIONS[-1]
    with pytest.raises(ValueError, match=r"expected one of 2021\.12.*, got '2020\.01'"):
        x.__array_namespace__(api_version="2020.01")


# Each of these would be false of the main namespace, or contradict a name of PyTorch's.
ONLY_HERE = {"__array_api_version__", "__array_namespace_info__", "VERSIONS", "repeat", "standard_operators"}


def test_the_main_namespace_has_the_names_that_pytorch_does_not_use():
    added = set(gn._ARRAY_API)
    assert {name for name in xp.__all__ if not hasattr(gn, name)} | {"VERSIONS"} == ONLY_HERE
    assert all(getattr(gn, name) is getattr(xp, name) for name in added) and added <= set(dir(gn))
    assert gn.sum is not xp.sum and gn.concat is not xp.concat  # these are PyTorch's
    x = gn.tensor([[3, 1], [1, 3]])
    assert gn.cumulative_sum(x, axis=1).tolist() == [[3, 4], [1, 4]]
    assert gn.vecdot(x, x, axis=0).tolist() == [10, 10]
    assert gn.isdtype(x.dtype, "integral") and gn.unique_values(x).tolist() == [1, 3]
    assert [each.shape for each in gn.unstack(gn.ones(2, 3), axis=1)] == [(2,)] * 3
    assert gn.broadcast_arrays(gn.ones(2, 1), gn.ones(3))[0].shape == (2, 3)


def test_programs_for_pytorch_do_not_see_them():
    import gnomon.compat.torch as torch

    for name in gn._ARRAY_API:
        assert not hasattr(torch, name) and name not in dir(torch)


@pytest.mark.oracle
def test_pytorch_has_none_of_them():
    torch = pytest.importorskip("torch")
    assert [name for name in (*gn._ARRAY_API, *ONLY_HERE) if hasattr(torch, name)] == []


def test_the_namespace_of_a_tensor_elsewhere_creates_there():
    x, elsewhere = gn.ones(2, device="reference"), gn.device("meta")
    with gn.device(elsewhere):
        own = x.__array_namespace__()
        assert own is not xp and own is gn.zeros(3, device="reference").__array_namespace__()
        made = [
            own.arange(3),
            own.asarray(0.5),
            own.asarray(np.ones(2)),
            own.empty(2),
            own.eye(2),
            own.full(2, 3),
        ]
        made += [own.linspace(0, 1, 3), own.ones(2), own.zeros(2), own.fft.fftfreq(3), own.fft.rfftfreq(3)]
        assert {each.device for each in made} == {x.device}
        assert own.zeros(2, device=elsewhere).device == elsewhere == xp.zeros(2).device
        there = gn.ones(2)
        assert own.asarray(there) is there and own.zeros_like(there).device == elsewhere
        assert there.__array_namespace__() is xp
        info = own.__array_namespace_info__()
        assert (
            info.default_device() == x.device and xp.__array_namespace_info__().default_device() == elsewhere
        )
    assert own.asarray([1, 2]).tolist() == [1, 2] and own.sum is xp.sum and own.linalg is xp.linalg
    assert dir(own) == dir(xp) and own.__name__ == xp.__name__ and own.__all__ == xp.__all__
    assert own.fft.fft is xp.fft.fft and dir(own.fft) == dir(xp.fft)
    for name in (*on_device.CREATION[""], *on_device.CREATION["fft"]):
        part, whole = (own.fft, xp.fft) if name in on_device.CREATION["fft"] else (own, xp)
        assert inspect.signature(getattr(part, name)) == inspect.signature(getattr(whole, name))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        own.nothing  # noqa: B018


def test_every_function_that_creates_something_of_numbers_is_among_them():
    found = set()
    for line in SIGNATURES:
        name, _, parameters = line.partition("(")
        if "device=" in parameters and not name.endswith(("_like", "astype", "from_dlpack")):
            found.add(name)
    assert found == {*on_device.CREATION[""], *[f"fft.{each}" for each in on_device.CREATION["fft"]]}


def test_constants():
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (2.718281828459045, 3.141592653589793, float("inf"), None)
    assert xp.nan != xp.nan


def test_info():
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert info.default_device() == gn.empty(0).device
    assert info.default_device() in info.devices() and gn.device("meta") not in info.devices()
    assert info.default_dtypes() == {
        "real floating": gn.float32,
        "complex floating": gn.complex64,
        "integral": gn.int64,
        "indexing": gn.int64,
    }
    for kind, names in DTYPES.items():
        assert info.dtypes(kind=kind) == {name: getattr(gn, name) for name in names}
    assert [*info.dtypes()] == [
        *DTYPES["bool"],
        *DTYPES["signed integer"],
        *DTYPES["unsigned integer"],
        *DTYPES["real floating"],
        *DTYPES["complex floating"],
    ]
    assert len(info.dtypes(kind=("bool", "integral"))) == 9
    with pytest.raises(ValueError, match=r"expected one of bool, .*, got 'whole'"):
        info.dtypes(kind="whole")


def test_the_greatest_number_of_dimensions_is_right():
    many = xp.__array_namespace_info__().capabilities()["max dimensions"]
    assert xp.ones((1,) * many).ndim == many
    with pytest.raises((RuntimeError, ValueError)):
        xp.ones((1,) * (many + 1))


def test_to_device(device):
    x = gn.tensor([1.0, 2.0])
    assert x.to_device(device) is x and x.to_device("reference").device == gn.device("reference")
    with pytest.raises(ValueError, match="'stream': expected None, got 3"):
        x.to_device(device, stream=3)


def test_the_page_s_python_runs():
    page = Path(__file__).parents[2] / "docs" / "array_api.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) == 4 and names["small"].dtype is gn.int8
