"""A sparse layout.

Sizes and strides are one layout of a tensor; a sparse tensor has another.  In compressed sparse rows (CSR)
a matrix is three lists: the values that are not 0, row by row; the column of each of them; and for each row
where its values begin (``crow_indices``), with the number of all values at the end.  Row i has the values
from ``crow_indices[i]`` up to, but not including, ``crow_indices[i + 1]``.

Write ``dense_to_csr``.  What equals 0 is left out.  A matrix may have no rows, no columns, or empty rows.

    dense_to_csr([[0.0, 5.0], [0.0, 0.0], [7.0, 8.0]], 2)  ->  ([0, 1, 1, 3], [1, 0, 1], [5.0, 7.0, 8.0])
"""

from __future__ import annotations


def dense_to_csr(rows: list[list[float]], columns: int) -> tuple[list[int], list[int], list[float]]:
    """``crow_indices``, ``col_indices`` and ``values`` of a matrix of ``columns`` columns."""
    raise NotImplementedError
