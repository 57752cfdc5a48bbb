"""Devices: an alias is equal to the device that it stands for, and has the same hash."""

from __future__ import annotations

import copy
import pickle

import pytest

import gnomon as gn
from gnomon.memory import backend

CARRIED = gn.ones(1, device="cpu").device


@pytest.mark.parametrize("name", ["cpu", "cpu:0", f"{CARRIED}:0", str(CARRIED)])
def test_an_alias_equals_what_it_stands_for(name):
    alias, made = gn.device(name), gn.ones(1, device=name).device
    assert alias == made and made == alias
    assert not alias != made and not made != alias
    assert hash(alias) == hash(made)
    assert {alias: 1}[made] == 1 and {made: 1}[alias] == 1
    assert alias in {made} and made in [alias]
    assert len({alias, made, gn.device("cpu")}) == 1


def test_an_alias_equals_nothing_else():
    other = gn.device("meta")
    assert gn.device("cpu") != other and other != gn.device("cpu")
    assert gn.device("cpu") != "cpu" and gn.device("cpu") != CARRIED.type
    assert gn.device("cpu") not in {other: 1}
    assert gn.device("reference") == gn.device("reference:0") != gn.device("meta:0") == gn.device("meta")


def test_an_alias_keeps_its_name():
    alias = gn.device("cpu")
    assert (str(alias), repr(alias), alias.type, alias.index) == ("cpu", "device(type='cpu')", "cpu", None)
    assert gn.device("cpu") is alias and gn.device(alias) is alias
    assert isinstance(alias, gn.device)


def test_an_alias_is_pickled_by_name_and_means_what_it_means_there():
    alias = gn.device("cpu")
    for made in (pickle.loads(pickle.dumps(alias)), copy.copy(alias), copy.deepcopy(alias)):
        assert made is alias and made == CARRIED


def test_a_device_that_can_not_run_is_itself(monkeypatch):
    nowhere = gn.device("nowhere:0")
    assert nowhere == nowhere and nowhere != gn.device("nowhere") and hash(nowhere) == hash(nowhere)

    class Two(backend.ReferenceBackend):
        name = device_type = "two"

        def device_count(self):
            return 2

    for table in ("_backends", "_by_device_type"):
        monkeypatch.setattr(backend, table, {**getattr(backend, table), "two": Two()})
    assert gn.ones(1, device="two").device == gn.device("two:0") != gn.device("two:1")
    assert gn.device("two") != gn.device("two:0")  # as torch.device("cuda") is not cuda:0


def test_an_alias_is_a_device_to_every_call():
    for device in (gn.device("cpu"), gn.device(f"{CARRIED}:0")):
        assert [gn.zeros(2, device=device).device for _ in range(3)] == [CARRIED] * 3
        x = gn.ones(2, device=CARRIED)
        assert x.to(device) is x and x.to(device=device) is x
        assert gn.nn.Linear(2, 2, device=device).weight.device == device
        with device:
            assert gn.ones(1).device == device
        assert gn.Generator(device=device).device == device
