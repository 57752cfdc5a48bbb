"""A model answer."""

from __future__ import annotations


def dense_to_csr(rows: list[list[float]], columns: int) -> tuple[list[int], list[int], list[float]]:
    crow_indices = [0]
    col_indices = []
    values = []
    for row in rows:
        for column, value in enumerate(row):
            if value != 0:
                col_indices.append(column)
                values.append(value)
        crow_indices.append(len(values))
    return crow_indices, col_indices, values
