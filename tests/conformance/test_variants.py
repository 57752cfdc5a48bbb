"""The suite's difficult values and sizes: what the tensors contain, and what a short run tests."""

import math
from types import SimpleNamespace

import pytest

import gnomon as gn
from gnomon_conformance.collection.selection import is_in_short_run
from gnomon_conformance.comparison.differences import same_number
from gnomon_conformance.inputs.description import DTYPES, HURTING, given, sample, stored, tensor
from gnomon_conformance.inputs.variants import refilled, resized, spread


def numbers(values, dtype, count=40):
    return stored(tensor(count, values=values), dtype, "contiguous", 0).numbers


@pytest.mark.parametrize("values", HURTING)
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint8", "bool", "complex64"])
def test_every_kind_is_of_the_dtype(values, dtype):
    found = numbers(values, dtype)
    assert len(found) == 40
    kind = {"bool": bool, "int8": int, "uint8": int, "complex64": complex}.get(dtype, float)
    assert {type(number) for number in found} == {kind}
    if kind is int:
        least, most = (-128, 127) if dtype == "int8" else (0, 255)
        assert least <= min(found) and max(found) <= most


def test_kinds_hold_what_they_say():
    scattered = numbers("nonfinite", "float32")
    assert any(map(math.isnan, scattered)) and math.inf in scattered and -math.inf in scattered
    assert sum(map(math.isfinite, scattered)) > 10
    extreme = numbers("extreme", "float32")
    assert {2.0**-149, (2 - 2.0**-23) * 2.0**127} < set(map(abs, extreme))
    assert max(map(abs, numbers("tiny", "float32"))) <= 2
    assert {math.copysign(1, number) for number in numbers("ties", "float32") if number == 0} == {1, -1}
    assert set(numbers("equal", "int8")) == {3}
    assert math.copysign(1, numbers("nothing", "float32")[0]) == -1
    ascending = numbers("ascending", "float32")
    assert list(ascending) == sorted(ascending) and len(set(ascending)) <= 20
    assert list(numbers("descending", "int8")) == sorted(numbers("descending", "int8"), reverse=True)
    assert {127, -128} < set(numbers("extreme", "int8"))
    assert min(numbers("positive extreme", "int8")) == 0


def test_refilling_leaves_indices_and_variances_alone():
    call = sample(tensor(3), [tensor(3, values="positive")], tensor(3, dtype="int64", values="below 3"), 2)
    changed = refilled(call, "extreme")
    assert changed.args[0].values == "extreme"
    assert changed.args[1][0].values == "positive extreme"
    assert changed.args[2] == call.args[2] and changed.args[3] == 2


def test_resizing_follows_the_dimension():
    kept = given([1.0] * 3, (3,), (1,), 0, "float32")
    call = sample(tensor(3, 4), tensor(2, dtype="int64", values="below 3"), kept, [3, 4], dim=[3])
    changed = resized(call, 3, 9)
    assert changed.args[0].sizes == (9, 4) and changed.args[1].values == "below 9"
    assert changed.args[2] is kept and changed.args[3] == [3, 4]
    words = sample(tensor(2, values="below 2"))  # data, not indices
    assert resized(words, 2, 257).args[0].values == "below 2"
    assert resized(call, 3, 9, also_numbers=True).args[3] == [9, 4]
    assert spread([*range(10)], 3) == [0, 4, 9] and spread([1], 3) == [1]


def test_nothing_is_said_of_a_number_that_is_open():
    assert same_number(math.nan, 1.0, math.inf) and same_number(1.0, math.inf, math.inf)
    assert not same_number(math.nan, 1.0, 5.0) and not same_number(1.0, math.inf, 5.0)


def test_a_short_run_has_some_dtypes():
    def runs(dtype, mark=None, **options):
        marks = {} if mark is None else {mark[0]: SimpleNamespace(args=mark[1:])}
        config = SimpleNamespace(getoption=options.get, args=["conformance"])
        return is_in_short_run(config, SimpleNamespace(get_closest_marker=marks.get), "exp", dtype)

    chosen = [dtype for dtype in DTYPES if runs(dtype)]
    assert {"float32", "int64"} < set(chosen) and len(chosen) == 3
    assert [dtype for dtype in DTYPES if runs(dtype, ("short", "float32"))] == ["float32"]
    assert all(runs(dtype, gnomon_ops="exp") for dtype in DTYPES)
    assert not runs("float32", ("long",)) and not runs("float32", ("long",), gnomon_ops="exp")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_distinct_numbers_are_exact_however_many(dtype):
    drawn = numbers("distinct", dtype, 3000)
    kept = gn.tensor(drawn, dtype=getattr(gn, dtype)).tolist()
    assert list(drawn) == kept and len(set(drawn)) >= 256
