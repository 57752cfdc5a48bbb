"""gnomon.nn.attention: the names of PyTorch's kernels, and the switches that they set."""

import importlib

import pytest


def switches(lib):
    cuda = lib.backends.cuda
    found = (cuda.flash_sdp_enabled, cuda.mem_efficient_sdp_enabled, cuda.math_sdp_enabled)
    return tuple(each() for each in (*found, cuda.cudnn_sdp_enabled))


def test_only_the_given_kernels_are_enabled_inside(lib):
    attention = importlib.import_module(f"{lib.__name__}.nn.attention")
    kinds = attention.SDPBackend
    assert lib.nn.attention is attention
    assert switches(lib) == (True, True, True, True)
    with attention.sdpa_kernel(kinds.MATH):
        assert switches(lib) == (False, False, True, False)
        with attention.sdpa_kernel([kinds.FLASH_ATTENTION, kinds.CUDNN_ATTENTION], set_priority=True):
            assert switches(lib) == (True, False, False, True)
        assert switches(lib) == (False, False, True, False)
    with pytest.raises(KeyError), attention.sdpa_kernel([]):
        assert switches(lib) == (False, False, False, False)
        raise KeyError
    assert attention.sdpa_kernel(kinds.EFFICIENT_ATTENTION)(switches)(lib) == (False, True, False, False)
    assert switches(lib) == (True, True, True, True)


def test_kernels_have_names_and_numbers(lib):
    kinds = importlib.import_module(f"{lib.__name__}.nn.attention").SDPBackend
    assert [int(kinds(number)) for number in range(-1, 5)] == list(range(-1, 5))
    assert kinds(2) is kinds.EFFICIENT_ATTENTION or kinds(2) == kinds.EFFICIENT_ATTENTION
    assert repr(kinds.MATH) == "<SDPBackend.MATH: 0>" and kinds.OVERRIDEABLE.name == "OVERRIDEABLE"
    assert kinds.MATH != 0 and {kinds.MATH: 1}[kinds(0)] == 1


def test_what_is_no_kernel_is_refused(lib):
    attention = importlib.import_module(f"{lib.__name__}.nn.attention")
    with (
        pytest.raises(AssertionError, match=r"Backend must be an instance of SDPBackend or .* got str"),
        attention.sdpa_kernel("math"),
    ):
        pass
