"""Wrong answers to the exercises of chapters 1 to 5: what is wrong, and the change of the solution."""

WRONG = {
    "contiguous_strides": [
        ("a size of 0 counts as 0", "max(size, 1)", "size"),
        ("the size itself is included", "strides.append(step)\n        step *= max(size, 1)",
         "step *= max(size, 1)\n        strides.append(step)"),
        ("column-major", "in reversed(sizes)", "in sizes"),
        ("a list in the wrong order", "tuple(reversed(strides))", "tuple(strides)"),
    ],
    "element_offset": [
        ("negative indices are not converted", "(position + size if position < 0 else position)", "position"),
        ("-size is refused", "-size <= position", "-size < position"),
        ("size is accepted", "position < size", "position <= size"),
        ("without the storage offset", "offset = storage_offset", "offset = 0"),
        ("too many indices are accepted", "len(index) > len(sizes)", "False"),
        ("ValueError", "raise IndexError(f\"index", "raise ValueError(f\"index"),
    ],
    "is_contiguous": [
        ("forgets dimensions of size 1", "size == 1", "False"),
        ("forgets sizes of 0", "0 in sizes", "False"),
        ("accepts gaps", "stride != expected", "stride < expected"),
        ("column-major", "zip(reversed(sizes), reversed(strides))", "zip(sizes, strides)"),
    ],
}  # fmt: skip
