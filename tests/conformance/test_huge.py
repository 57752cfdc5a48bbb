"""The tests of huge tensors run with --huge only, and fail if an offset loses its upper bits."""

from __future__ import annotations

import os

import pytest

from gnomon.memory.backend import get_backend, register_backend
from gnomon_conformance import plugin
from gnomon_conformance.inputs import huge


class Watching:
    """A plugin that keeps the names of the collected tests, and pytest's configuration."""

    def pytest_configure(self, config):
        self.config = config

    def pytest_collection_finish(self, session):
        self.names = [item.name for item in session.items]


def suite(*options):
    kept = Watching()
    command = ["-p", plugin.NAME, "-p", "no:terminal", "-p", "no:cacheprovider", "-c", os.devnull]
    command += ["--pyargs", "gnomon_conformance", "--gnomon-backend", "c", "--ops", "^gather$", *options]
    status = pytest.main(command, plugins=[kept])
    assert status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return kept


def test_they_run_where_they_are_asked_for():
    assert "test_huge[gather-c]" in suite("--collect-only", "--huge").names
    for options in ((), ("--full",)):
        names = suite("--collect-only", *options).names
        assert "test_forward[gather-float32-c]" in names
        assert not any(name.startswith("test_huge") for name in names)


def declined(device):
    raise NotImplementedError("no kernel")


@pytest.mark.parametrize(
    ("check", "free", "text"),
    [
        (huge.check_gather, 1.0, "3.5 GiB of memory are needed, and 1.0 are free"),
        (declined, 100.0, "not claimed: no kernel"),
    ],
)
def test_what_can_not_run_is_not_claimed(check, free, text, monkeypatch):
    monkeypatch.setattr(huge, "available", lambda: free)
    monkeypatch.setitem(huge.CHECKS, "gather", (check, 2))
    kept = suite("--huge", "-k", "test_huge")
    (result,) = kept.config.stash[plugin.results_key].values()
    assert (result.test, result.tier, result.outcome) == ("huge[gather]", "indexing", "not claimed")
    assert text in result.message


@pytest.mark.skipif(
    os.environ.get("GNOMON_HUGE", "0") in ("", "0"), reason="takes 2 GiB; GNOMON_HUGE=1 asks for it"
)
def test_an_offset_of_32_bits_is_found(monkeypatch):
    backend = get_backend("c")
    huge.check_index_select("c")

    def truncated(output, self, dim, index):
        source = self.untyped_storage()
        for place, row in enumerate(index.tolist()):
            output.untyped_storage().copy_in(place, source.copy_out()[row & 0x7FFFFFFF :][:1])

    monkeypatch.setattr(backend, "kernels", {**backend.kernels, "index_select": truncated})
    register_backend(backend)
    try:
        with pytest.raises(AssertionError):
            huge.check_index_select("c")
    finally:
        monkeypatch.undo()
        register_backend(backend)
