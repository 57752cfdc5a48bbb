"""Small names of utils, amp and random."""

import pytest

import gnomon as gn


def test_the_module_of_a_class_is_set() -> None:
    class Made:
        pass

    gn.utils.set_module(Made, "elsewhere")
    assert Made.__module__ == "elsewhere"
    with pytest.raises(TypeError, match="The mod argument should be a string"):
        gn.utils.set_module(Made, gn)


def test_hooks_have_a_handle() -> None:
    x = gn.ones(2, requires_grad=True)
    heard = []
    hook = gn.utils.hooks.unserializable_hook(lambda grad: heard.append(grad))
    handle = x.register_hook(hook)
    assert isinstance(handle, gn.utils.hooks.RemovableHandle) and hook.__torch_unserializable__
    x.sum().backward()
    handle.remove()
    x.sum().backward()
    assert len(heard) == 1


def test_autocast_is_set_by_its_older_names() -> None:
    before = gn.get_autocast_cpu_dtype(), gn.get_autocast_gpu_dtype()
    try:
        gn.set_autocast_cpu_enabled(True)
        gn.set_autocast_cpu_dtype(gn.float16)
        gn.set_autocast_gpu_dtype(gn.bfloat16)
        assert gn.is_autocast_cpu_enabled() and not gn.is_autocast_enabled()
        assert gn.get_autocast_cpu_dtype() is gn.float16 and gn.get_autocast_gpu_dtype() is gn.bfloat16
    finally:
        gn.set_autocast_cpu_enabled(False)
        gn.set_autocast_cpu_dtype(before[0])
        gn.set_autocast_gpu_dtype(before[1])


def test_fork_rng_takes_a_device_type() -> None:
    gn.manual_seed(3)
    with gn.random.fork_rng(devices=[], device_type="cpu"):
        first = gn.rand(3).tolist()
    assert gn.rand(3).tolist() == first
