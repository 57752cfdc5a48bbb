"""What is no index of a tensor."""

from __future__ import annotations

import numpy as np

import gnomon as gn

x = gn.ones(4, 4, 4)
words = ["a"]
numbers = [1.5]
x["a"]  # error: index
x[1.5]  # error: index
x[1j]  # error: index
x[b"ab"]  # error: index
x[0, "a"]  # error: index
x["a", 0]  # error: index
x[..., 1.5]  # error: index
x[words]  # error: index
x[numbers]  # error: index
x[["a"]]  # error: list-item
x[[1.5]]  # error: list-item
x[1.5:2]  # error: index
x["a":"b"]  # error: index
x[{0: 1}]  # error: index
x[{0}]  # error: index
x[gn.float32]  # error: index
x[gn.nn.Linear]  # error: index
x[np.float64(1.5)]  # error: index
x["a"] = 1  # error: index
x[1.5] = 1  # error: index
x[0] = "a"  # error: assignment
x[:, 0] += "a"  # error: arg-type
del x[0]  # error: attr-defined
x[0, None, ..., 1:] = x[[0, 1]][:, True].sum()
