"""Runs functions of another library on NumPy arrays and on tensors, in a process of its own.

SciPy reads SCIPY_ARRAY_API when it is imported, so it must be set before.
"""

import json
import os
import subprocess
import sys

HEAD = """
import json
import warnings

import numpy as np

import gnomon as gn

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
first, second = rng.standard_normal((6, 4)), rng.standard_normal((6, 4))
"""
TAIL = """
found = {}
for name, function in FUNCTIONS.items():
    expected = np.asarray(function(first, second))
    found[name] = {}
    for device in DEVICES:
        others = [each for each in DEVICES if each != device]
        with gn.device([*others, device][0]):  # the result's device is the arguments', not the default one
            made = function(gn.tensor(first, device=device), gn.tensor(second, device=device))
        is_tensor = type(made) is gn.Tensor
        array = made.numpy() if is_tensor else np.asarray(made)
        found[name][device] = {
            "type": type(made).__module__ + "." + type(made).__name__,
            "device": str(made.device),
            "shape": array.shape == expected.shape,
            "error": float(np.abs(array - expected).max()),
            "size": float(np.abs(expected).max()),
        }
print(json.dumps(found))
"""


def results_of(program, devices):
    """What the program's FUNCTIONS return for each device: type, device, shape, and the largest error."""
    text = f"{HEAD}\nDEVICES = {devices!r}\n{program}\n{TAIL}"
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "GNOMON_FALLBACK": "allow"}
    answer = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment)
    assert answer.returncode == 0, answer.stderr[-3000:]
    return json.loads(answer.stdout)


def check(found, device):
    """Is it a tensor on the device, with NumPy's values?"""
    assert found["type"].startswith("gnomon.") and found["type"].endswith(".Tensor"), found
    assert found["device"] == device and found["shape"], found
    assert found["size"] > 0 and found["error"] <= 1e-12 * max(1, found["size"]), found
