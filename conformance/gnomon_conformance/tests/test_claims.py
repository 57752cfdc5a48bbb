"""A backend's declarations: every claim names an operator and dtypes that exist, and has a kernel."""

from gnomon.values.dtype import names_of_dtypes


def test_claims_have_kernels(backend):
    stale = [name for name in backend.capabilities if name not in backend.kernels]
    assert not stale, f"{backend.name} claims operators that it has no kernel for: {stale}"


def test_claimed_dtypes_exist(backend):
    for name, dtypes in backend.capabilities.items():
        unknown = [dtype for dtype in dtypes or () if dtype not in names_of_dtypes]
        assert not unknown, f"{backend.name} claims {name} for dtypes that do not exist: {unknown}"
