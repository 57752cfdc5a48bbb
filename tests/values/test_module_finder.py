"""Modules that are no files: ``import gnomon.cuda``, and PyTorch's paths under gnomon.compat.torch."""

import importlib
import subprocess
import sys

import pytest

import gnomon as gn


def test_the_module_of_a_device_can_be_imported():
    import gnomon.cpu as cpu
    import gnomon.cuda as cuda
    from gnomon.cuda import amp
    from gnomon.cuda.amp import autocast

    assert cuda is gn.cuda and cpu is gn.cpu and amp is gn.cuda.amp and autocast is gn.cuda.amp.autocast
    assert gn.cuda.__name__ == "gnomon_cuda.device_module"  # it is not made again under another name


@pytest.mark.parametrize("name", ["nothing", "cuda.nothing", "cpu.nothing", "nn.nothing", "float", "_x.y"])
def test_what_is_no_module_cannot(name):
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'gnomon\."):
        importlib.import_module(f"gnomon.{name}")


def test_functions_named_like_their_file_stay_functions():
    program = (
        "import gnomon.compat.torch as torch\n"
        "from gnomon.compat.torch.multiprocessing.spawn import spawn\n"
        "import gnomon.multiprocessing as own\n"
        "assert torch.multiprocessing.spawn is own.spawn is spawn and callable(spawn)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
