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
    "promote": [
        ("numbers count as tensors", "found[kind] = dtype if", "kind = 'zero-dim' if kind == 'number' else kind\n        found[kind] = dtype if"),
        ("the precision of the complex operand", "return higher.to_complex()", "return gn.promote_types(higher, lower)"),
        ("higher kinds never give way", "lower.category <= higher.category", "True"),
        ("lower kinds of the same category count", "lower.category <= higher.category", "lower.category < higher.category"),
    ],
    "round_to_bfloat16": [
        ("cuts the bits off", "(bits + 0x7FFF + (bits >> 16 & 1)) >> 16", "bits >> 16"),
        ("ties away from zero", "(bits + 0x7FFF + (bits >> 16 & 1)) >> 16", "(bits + 0x8000) >> 16"),
        ("ties toward zero", " + (bits >> 16 & 1)", ""),
        ("a NaN becomes another number", "math.isnan(value)", "False"),
    ],
    "dense_to_csr": [
        ("without the first 0", "crow_indices = [0]", "crow_indices = []"),
        ("counts of rows, not sums", "append(len(values))", "append(sum(each != 0 for each in row))"),
        ("drops NaN", "value != 0", "abs(value) > 0"),
        ("by the sign", "value != 0", "value > 0"),
        ("keeps -0.0", "value != 0", "str(value) != '0.0'"),
    ],
    "view_strides": [
        ("forgets that old sizes of 1 fit everywhere", "sizes[dim - 1] == 1 or ", ""),
        ("forgets new sizes of 1", " or left[-1] == 1", ""),
        ("an empty shape gets strides of 0", "max(size, 1) for size", "size for size"),
        ("never needs a copy", "return None", "pass"),
        ("only for contiguous tensors", "strides[dim - 1] == chunk_numel * chunk_stride)", "strides[dim - 1] == chunk_numel)"),
        ("the old strides of an empty tensor are forgotten", "sizes == to", "False"),
    ],
    "memory_overlap": [
        ("forgets sizes of 0", "0 in sizes", "False"),
        ("forgets sizes of 1", "if size > 1", "if size > 0"),
        ("the next may touch what is reached", "stride <= reach", "stride < reach"),
        ("reach of one step too many", "(size - 1) * stride", "size * stride"),
        ("strides not sorted", "sorted(", "list("),
        ("maybe is yes", "\"maybe\"", "\"yes\""),
    ],
    "version_counter": [
        ("a view has its own counter", "self.start + stop, self.counter)", "self.start + stop)"),
        ("detach has its own counter", "def detach(self) -> Tensor:\n        return Tensor(self.storage, self.start, self.stop, self.counter)", "def detach(self) -> Tensor:\n        return self.data()"),
        ("data shares the counter", "return Tensor(self.storage, self.start, self.stop)", "return self.detach()"),
        ("a view of a view starts at the storage", "self.start + start, self.start + stop", "start, stop"),
        ("unpack does not check", "!= self.saved_version", "< self.saved_version"),
        ("the version is not kept", "self.saved_version = tensor.version()", "self.saved_version = 0"),
        ("writes do not count", "value += 1", "value = 1"),
    ],
}  # fmt: skip
