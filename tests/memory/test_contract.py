"""memory/contract.py: what a backend declares is checked, and the versions of the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory import backend as registry
from gnomon.memory import contract


@pytest.mark.parametrize(
    "attributes, reason",
    [
        ({"name": None}, "name must be a str, got NoneType None"),
        ({"name": ""}, "name must be an identifier other than 'cpu', got ''"),
        ({"speed_rank": "zz"}, "speed_rank must be an int, got str 'zz'"),
        ({"speed_rank": True}, "speed_rank must be an int, got bool True"),
        ({"speed_rank": float("nan")}, "speed_rank must be an int, got float nan"),
        ({"host_memory": 1}, "host_memory must be a bool, got int 1"),
        ({"has_addresses": None}, "has_addresses must be a bool, got NoneType None"),
        ({"device_type": "reference"}, "device_type 'reference' is already used by 'reference'"),
        ({"device_type": "c"}, "device_type 'c' is already used by 'c'"),
        ({"device_type": "cpu"}, "an identifier other than 'cpu', got 'cpu'"),
        ({"device_type": "a:1"}, "an identifier other than 'cpu', got 'a:1'"),
        ({"device_type": None}, "device_type must be a str, got NoneType"),
        ({"allocate": None}, "allocate must be a method of the backend"),
        ({"copy_between": 3}, "copy_between must be a method of the backend"),
        ({"traits": "half"}, "traits must be a set of str, got str 'half'"),
        ({"traits": {"psychic", "half"}}, "unknown trait 'psychic'; expected "),
        ({"traits": {3}}, "unknown trait 3; expected "),
        ({"device_module": 3}, "device_module must be a str, got int 3"),
        ({"conformance_file": 3}, "conformance_file must be a path or None, got int 3"),
        ({"kernels": ["neg"]}, "kernels must be a mapping from operators' names to kernels, got list"),
        ({"kernels": {"neg": 3}}, "kernels['neg'] must be a function or a PreparingKernel, got 3"),
        ({"kernels": {3: abs}}, "kernels[3] must be a function"),
        ({"kernels": {"negg": abs}}, "kernels['negg']: unknown operator; did you mean 'neg'?"),
        ({"kernels": {"zzzzzz": abs}}, "kernels['zzzzzz']: unknown operator"),
        ({"kernels": {"add": abs}}, "kernels['add']: unknown operator; did you mean 'addr'?"),
        ({"kernels": {"neg_": abs}}, "kernels['neg_'] would never run: 'neg_' runs the kernel of 'neg'"),
        ({"kernels": {"max": abs}}, "kernels['max'] would never run: 'max' runs the kernel of 'amax'"),
        (
            {"capabilities": {"negg": None}},
            "capabilities['negg']: unknown operator; did you mean 'neg'?",
        ),
        ({"host_memory": True}, "host_view must be defined where host_memory is True, not inherited"),
        ({"has_addresses": True}, "address must be defined where has_addresses is True, not inherited"),
        ({"capabilities": ("neg",)}, "capabilities must be a mapping from operators' names to dtypes'"),
        ({"capabilities": {"neg": ("float33",)}}, "capabilities['neg']: unknown dtype 'float33'"),
        ({"capabilities": {"neg": (gn.float32,)}}, "capabilities['neg']: unknown dtype "),
        ({"capabilities": {"neg": contract.Claim(("f4",))}}, "['neg']: unknown dtype 'f4'"),
        ({"capabilities": {"neg": "float32"}}, "None or a Claim, got 'float32'"),
        ({"capabilities": {"neg": 3}}, "None or a Claim, got 3"),
        ({"capabilities": {3: None}}, "an operator's name must be a str, got int"),
    ],
)
def test_a_declaration_is_checked_when_it_is_registered(attributes: dict[str, object], reason: str) -> None:
    before = registry.backend_names(), dict(registry._by_device_type)

    class Odd(contract.Backend):
        name = device_type = "odd"

    vars_of_class = {"kernels": {}, "capabilities": {}} | attributes
    with pytest.raises((TypeError, ValueError)) as raised:
        registry.register_backend(type("Odd", (Odd,), vars_of_class)())
    assert reason in str(raised.value) and str(raised.value).startswith("backend ")
    assert (registry.backend_names(), registry._by_device_type) == before


def of_version(**attributes: object) -> contract.Backend:
    return type("Odd", (contract.Backend,), {"name": "odd", "device_type": "odd"} | attributes)()


class Alike:
    """An object with the contract's attributes, as before contract versions, and no subclass of Backend."""

    def __getattr__(self, name: str) -> Any:
        if name == "contract_version":
            raise AttributeError(name)
        return getattr(of_version(), name)


def test_a_backend_that_names_no_version_is_of_the_first() -> None:
    for made in (of_version(), Alike()):
        assert contract.version_of(made) == (1, 0)
        contract.check_declaration(made)


def test_those_that_ship_with_gnomon_are_of_the_current_version() -> None:
    assert contract.OLDEST_CONTRACT_SERVED <= (1, 0) < contract.CONTRACT_VERSION
    for name in registry.shipped_backend_names():
        assert contract.version_of(registry._load(name)) == contract.CONTRACT_VERSION, name
    contract.check_declaration(of_version(contract_version=contract.CONTRACT_VERSION))


@pytest.mark.parametrize("version", [(2, 0), (1, 99), (0, 9)])
def test_a_version_that_is_not_served_is_refused_in_words_that_help(version: tuple[int, int]) -> None:
    before = registry.backend_names(), dict(registry._by_device_type)
    ours = ".".join(map(str, contract.CONTRACT_VERSION))
    alike = Alike()
    alike.contract_version = version
    for made in (of_version(contract_version=version, speed_rank="as it may be called by then"), alike):
        with pytest.raises(ValueError) as raised:
            registry.register_backend(made)
        text = str(raised.value)
        assert text.startswith(f"backend 'odd': it was written for version {version[0]}.{version[1]} of ")
        assert ("this gnomon" in text and ours in text and "install a newer" in text) or version < (1, 0)
        assert 'docs/writing_a_backend.md, "Versions of the contract"' in text
    assert (registry.backend_names(), registry._by_device_type) == before
    page = (Path(__file__).parents[2] / "docs" / "writing_a_backend.md").read_text()
    assert "\n## Versions of the contract\n" in page
    assert all(f"\n| {major}.{minor} | " in page for major, minor in ((1, 0), contract.CONTRACT_VERSION))


def test_a_version_that_is_served_no_longer_is_told_what_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "CONTRACT_VERSION", (2, 3))
    monkeypatch.setattr(contract, "OLDEST_CONTRACT_SERVED", (2, 0))
    for made in (of_version(), of_version(contract_version=(1, 1)), Alike()):
        with pytest.raises(ValueError, match=r"version 2\.3 and supports .* from 2\.0 on: .*to \(2, 3\)"):
            contract.check_declaration(made)
    contract.check_declaration(of_version(contract_version=(2, 0)))


@pytest.mark.parametrize("version", [None, 1, "1.1", [1, 1], (1,), (1, 0, 0), (1, "1"), (1, True), (1.0, 1)])
def test_a_version_is_two_ints(version: object) -> None:
    with pytest.raises(TypeError, match="contract_version must be a tuple of two ints") as raised:
        contract.check_declaration(of_version(contract_version=version))
    assert repr(version) in str(raised.value)


def test_memory_that_is_not_defined_is_told_when_it_is_asked_for() -> None:
    made = type("Odd", (contract.Backend,), {"name": "odd", "device_type": "odd"})()
    contract.check_declaration(made)
    with pytest.raises(NotImplementedError, match=r"^backend 'odd': allocate must be defined$"):
        made.allocate(4, 0)


def test_a_claim_may_name_a_variant() -> None:
    made = type("Odd", (registry.ReferenceBackend,), {"name": "odd", "device_type": "odd"})()
    made.capabilities = {"neg_": None, "add.out": ("float32",), "max": None}
    contract.check_declaration(made)
