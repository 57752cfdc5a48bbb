"""Arrays to tensors and back: shared memory, dtypes, ufuncs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import gnomon as gn
from gnomon import Tensor


def standardized(values: NDArray[np.float64]) -> NDArray[np.float64]:
    x = gn.from_numpy(values)
    result: NDArray[np.float64] = ((x - x.mean()) / x.std(correction=0)).numpy()
    return result


array = np.array([1.0, 2.0, 3.0])
scaled = standardized(array)
assert abs(float(scaled.mean())) < 1e-12 and abs(float(scaled.std()) - 1) < 1e-12

shared = gn.from_numpy(array)
shared[0] = 10.0
assert array[0] == 10.0
copied = gn.tensor(array)
copied[0] = 0.0
assert array[0] == 10.0
assert gn.as_tensor(array).data_ptr() == shared.data_ptr()

tensor: Tensor = gn.arange(6).reshape(2, 3)
matrix: NDArray[Any] = tensor.numpy()
matrix[0, 0] = 9
assert tensor[0, 0] == 9 and matrix.dtype == np.int64
assert np.asarray(tensor).shape == (2, 3)
assert isinstance(np.sum(tensor.numpy()), np.integer)
assert gn.tensor(np.float32(1.5)).item() == 1.5
assert gn.frombuffer(bytearray(b"\x01\x02"), dtype=gn.uint8).tolist() == [1, 2]

grad = gn.ones(2, requires_grad=True)
try:
    grad.numpy()
except RuntimeError as error:
    assert "detach" in str(error)
else:
    raise AssertionError("an array has no gradient")
assert grad.detach().numpy().tolist() == grad.numpy(force=True).tolist() == [1.0, 1.0]
