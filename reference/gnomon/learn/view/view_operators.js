// View operators: from a tensor's sizes, strides and offset to those of the view; and copies, with new
// storage.
//
// A tensor is {type: "Tensor", sizes, strides, offset, dtype, storage}; a storage {nbytes, itemsize, value,
// name}, where value(place) is the number there, and undefined where it is not known.

const MOST_DIMS = GNOMON.mostDims;
let storageCount = 0;

function newStorage(count, dtype, value) {
  storageCount += 1;
  const { itemsize } = DTYPES[dtype];
  return { nbytes: count * itemsize, itemsize, value, number: storageCount };
}

function withGeometry(self, sizes, strides, more = 0, dtype = self.dtype) {
  if (sizes.length > MOST_DIMS) fail(`a tensor has at most ${MOST_DIMS} dimensions, got ${sizes.length}`);
  numelOf(sizes);
  const offset = self.offset + more;
  if (![...strides, offset, extent(sizes, strides)].every(Number.isSafeInteger)) {
    throw new GnomonError(
      "OverflowError",
      `this page counts exactly up to ${Number.MAX_SAFE_INTEGER}, which a stride, an offset or their ` +
        "sum exceeds",
    );
  }
  return { type: "Tensor", sizes, strides, offset, dtype, storage: self.storage };
}

// The value of an element, by its indices.
function valueAt(tensor, indices) {
  const place = indices.reduce((sum, index, dim) => sum + index * tensor.strides[dim], tensor.offset);
  return tensor.storage.itemsize === DTYPES[tensor.dtype].itemsize ? tensor.storage.value(place) : undefined;
}

// A dense copy with these strides and memory of its own.
function copyWith(self, strides) {
  const { sizes } = self;
  const order = [...sizes.keys()].filter((dim) => sizes[dim] > 1).sort((a, b) => strides[b] - strides[a]);
  const value = (place) => {
    const indices = new Array(sizes.length).fill(0);
    for (const dim of order) {
      indices[dim] = Math.floor(place / strides[dim]);
      place -= indices[dim] * strides[dim];
    }
    return valueAt(self, indices);
  };
  const storage = newStorage(numelOf(sizes), self.dtype, value);
  return { type: "Tensor", sizes: [...sizes], strides: [...strides], offset: 0, dtype: self.dtype, storage };
}

const NAMES_AN_OPERATOR = /^(gnomon\.)?(linalg\.)?\w+(\(\))?: /;

// Errors get the operator's name, unless they have one.
function named(name, run) {
  try {
    return run();
  } catch (error) {
    if (
      !(error instanceof GnomonError) ||
      error.kind === "OverflowError" ||
      NAMES_AN_OPERATOR.test(error.message)
    )
      throw error;
    throw new GnomonError(error.kind, `${name}: ${error.message}`);
  }
}

const callOperator = (name, ...given) => named(name, () => OPERATORS[name](...given));

const sizesWith = (values, dim, ...put) => [...values.slice(0, dim), ...put, ...values.slice(dim + 1)];

function pieces(self, lengths, dim) {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return withGeometry(
      self,
      sizesWith(self.sizes, dim, length),
      self.strides,
      (start - length) * self.strides[dim],
    );
  });
}

const MOST_PIECES = 100000;

function checkPieces(count) {
  if (count > MOST_PIECES)
    throw new GnomonError(
      "OverflowError",
      `this page makes at most ${MOST_PIECES} views at once, not ${count}`,
    );
}

function splitEvenly(self, length, dim) {
  if (!self.sizes.length) fail("split expects at least a 1-dimensional tensor");
  dim = wrapDim(dim, self.sizes.length);
  const size = self.sizes[dim];
  if (length < 0 || (length === 0 && size))
    fail(`split expects split_size be non-negative, but got split_size=${length}`);
  if (!size) return pieces(self, [0], dim);
  checkPieces(Math.ceil(size / length));
  const lengths = [];
  for (let start = 0; start < size; start += length) lengths.push(Math.min(length, size - start));
  return pieces(self, lengths, dim);
}

function squeezeDims(self, dims) {
  const kept = [...self.sizes.keys()].filter((dim) => !dims.includes(dim) || self.sizes[dim] !== 1);
  return withGeometry(
    self,
    kept.map((dim) => self.sizes[dim]),
    kept.map((dim) => self.strides[dim]),
  );
}

function permuted(self, order) {
  return withGeometry(
    self,
    order.map((dim) => self.sizes[dim]),
    order.map((dim) => self.strides[dim]),
  );
}

function swapped(self, dim0, dim1) {
  const first = wrapDim(dim0, self.sizes.length),
    second = wrapDim(dim1, self.sizes.length);
  if (!self.sizes.length) return self;
  const order = [...self.sizes.keys()];
  [order[first], order[second]] = [second, first];
  return permuted(self, order);
}

function formatStrides(sizes, format) {
  if (format === null || format === "contiguous_format") return contiguousStrides(sizes);
  const wanted = { channels_last: 4, channels_last_3d: 5 }[format];
  if (sizes.length !== wanted) fail(`required rank ${wanted} tensor to use gnomon.${format} format`);
  return channelsLastStrides(sizes);
}

function isInFormat(self, format) {
  if (format === null || format === "contiguous_format") return isContiguous(self.sizes, self.strides);
  return isChannelsLast(self.sizes, self.strides, format === "channels_last" ? 4 : 5);
}

// Each operator, with the arguments of its schema; those with several overloads also get the overload's name.
const OPERATORS = {
  view(self, size) {
    const sizes = inferSize(size, numelOf(self.sizes));
    const strides = viewStrides(self.sizes, self.strides, sizes);
    if (strides === null) {
      fail(
        "view size is not compatible with input tensor's size and stride (at least one dimension spans " +
          "across two contiguous subspaces). Use .reshape(...) instead.",
      );
    }
    return withGeometry(self, sizes, strides);
  },
  "view.dtype"(self, dtype) {
    const [sizes, strides, offset] = viewedAsItemsize(
      self.sizes,
      self.strides,
      self.offset,
      DTYPES[self.dtype].itemsize,
      DTYPES[dtype].itemsize,
    );
    return withGeometry(self, sizes, strides, offset - self.offset, dtype);
  },
  reshape(self, shape) {
    const sizes = inferSize(shape, numelOf(self.sizes));
    const isView = viewStrides(self.sizes, self.strides, sizes) !== null;
    return callOperator("view", isView ? self : copyWith(self, contiguousStrides(self.sizes)), sizes);
  },
  flatten(self, startDim, endDim) {
    const { sizes } = self;
    const start = wrapDim(startDim, sizes.length),
      end = wrapDim(endDim, sizes.length);
    if (start > end) fail("flatten() has invalid args: start_dim cannot come after end_dim");
    if (!sizes.length) return callOperator("reshape", self, [1]);
    if (start === end) return self;
    return callOperator("reshape", self, [
      ...sizes.slice(0, start),
      numelOf(sizes.slice(start, end + 1)),
      ...sizes.slice(end + 1),
    ]);
  },
  ravel: (self) => callOperator("view", callOperator("contiguous", self, null), [-1]),
  unflatten(self, dim, sizes) {
    dim = wrapDim(dim, self.sizes.length);
    if (!sizes.length) fail("unflatten: sizes must be non-empty");
    if (!self.sizes.length) fail(`unflatten: dimension specified as ${dim} but tensor has no dimensions`);
    const size = self.sizes[dim];
    let inferred;
    try {
      inferred = inferSize(sizes, size);
    } catch (error) {
      if (/ambiguous|only one/.test(error.message)) throw error;
      fail(
        `unflatten: Provided sizes ${listText(sizes)} don't multiply up to the size of dim ${dim} ` +
          `(${size}) in the input tensor`,
      );
    }
    return callOperator("view", self, sizesWith(self.sizes, dim, ...inferred));
  },
  expand(self, size) {
    const pad = size.length - self.sizes.length;
    if (pad < 0) {
      fail(
        `expand(${listText(self.sizes)}, size=${listText(size)}): the number of sizes provided ` +
          `(${size.length}) must be greater or equal to the number of dimensions in the tensor ` +
          `(${self.sizes.length})`,
      );
    }
    const target = size.map((wanted, dim) => {
      if (wanted === -1 && dim < pad) {
        fail(
          `The expanded size of the tensor (${wanted}) isn't allowed in a leading, non-existing ` +
            `dimension ${dim}`,
        );
      }
      if (wanted < -1) fail(`expand: invalid size ${wanted} in dimension ${dim}`);
      return wanted === -1 ? self.sizes[dim - pad] : wanted;
    });
    checkExpandable(self.sizes, target);
    const strides = expandStrides(self.sizes, self.strides, target);
    for (let dim = self.sizes.length ? pad - 1 : -1; dim >= 0; dim -= 1) {
      if (target[dim] === 1) strides[dim] = dim + 1 < target.length ? target[dim + 1] * strides[dim + 1] : 1;
    }
    return withGeometry(self, target, strides);
  },
  broadcast_to: (self, size) => callOperator("expand", self, size),
  squeeze: (self) => squeezeDims(self, [...self.sizes.keys()]),
  "squeeze.dim": (self, dim) => squeezeDims(self, [wrapDim(dim, self.sizes.length)]),
  "squeeze.dims": (self, dims) => squeezeDims(self, wrapDims(dims, self.sizes.length)),
  unsqueeze(self, dim) {
    dim = wrapDim(dim, self.sizes.length + 1);
    const stride = dim < self.sizes.length ? self.sizes[dim] * self.strides[dim] : 1;
    return withGeometry(self, self.sizes.toSpliced(dim, 0, 1), self.strides.toSpliced(dim, 0, stride));
  },
  select(self, dim, index) {
    if (!self.sizes.length)
      throw new GnomonError("IndexError", "select() cannot be applied to a 0-dim tensor.");
    dim = wrapDim(dim, self.sizes.length);
    const size = self.sizes[dim];
    if (index < -size || index >= size) {
      throw new GnomonError(
        "IndexError",
        `select(): index ${index} out of range for tensor of size ${listText(self.sizes)} at dimension ` +
          `${dim}`,
      );
    }
    const position = index < 0 ? index + size : index;
    return withGeometry(
      self,
      sizesWith(self.sizes, dim),
      sizesWith(self.strides, dim),
      position * self.strides[dim],
    );
  },
  slice(self, dim, start, end, step) {
    if (!self.sizes.length)
      throw new GnomonError("IndexError", "slice() cannot be applied to a 0-dim tensor.");
    dim = wrapDim(dim, self.sizes.length);
    if (step <= 0) fail("slice step must be positive");
    const [first, last] = sliceBounds(start, end, self.sizes[dim]);
    const length = Math.floor((last - first + step - 1) / step);
    return withGeometry(
      self,
      sizesWith(self.sizes, dim, length),
      sizesWith(self.strides, dim, self.strides[dim] * step),
      first * self.strides[dim],
    );
  },
  narrow(self, dim, start, length) {
    if (!self.sizes.length) fail("narrow() cannot be applied to a 0-dim tensor.");
    const size = self.sizes[wrapDim(dim, self.sizes.length)];
    if (length < 0) fail("narrow(): length must be non-negative.");
    if (start < -size || start > size) {
      throw new GnomonError(
        "IndexError",
        `narrow: Dimension out of range (expected to be in range of [${-size}, ${size}], but got ${start})`,
      );
    }
    start = start < 0 ? start + size : start;
    if (start + length > size)
      fail(`start (${start}) + length (${length}) exceeds dimension size (${size}).`);
    return callOperator("slice", self, dim, start, start + length, 1);
  },
  permute(self, dims) {
    if (dims.length !== self.sizes.length) {
      fail(
        "number of dimensions in the tensor input does not match the length of the desired ordering of " +
          "dimensions i.e. " +
          `input.dim() = ${self.sizes.length} is not equal to len(dims) = ${dims.length}`,
      );
    }
    return permuted(self, wrapDims(dims, self.sizes.length));
  },
  transpose: swapped,
  swapaxes: (self, ...dims) => callOperator("transpose", self, ...dims),
  swapdims: (self, ...dims) => callOperator("transpose", self, ...dims),
  t(self) {
    if (self.sizes.length > 2)
      fail(`t() expects a tensor with <= 2 dimensions, but self is ${self.sizes.length}D`);
    return swapped(self, 0, self.sizes.length < 2 ? 0 : 1);
  },
  movedim(self, source, destination) {
    if (source.length !== destination.length) {
      fail(
        `movedim: Invalid source or destination dims: source (${listText(source)} dims) should contain ` +
          `the same number of dims as destination (${listText(destination)} dims)`,
      );
    }
    const ndim = self.sizes.length;
    const sources = wrapDims(source, ndim),
      targets = wrapDims(destination, ndim);
    const others = [...self.sizes.keys()].filter((dim) => !sources.includes(dim));
    const order = self.sizes.map((_, dim) =>
      targets.includes(dim) ? sources[targets.indexOf(dim)] : others.shift(),
    );
    return callOperator("permute", self, order);
  },
  moveaxis: (self, source, destination) => OPERATORS.movedim(self, source, destination),
  diagonal(self, offset, dim1, dim2) {
    const [sizes, strides, start] = diagonalOf(self.sizes, self.strides, offset, dim1, dim2);
    return withGeometry(self, sizes, strides, start);
  },
  unfold: (self, dimension, size, step) =>
    withGeometry(self, ...unfoldOf(self.sizes, self.strides, dimension, size, step)),
  as_strided(self, size, stride, storageOffset) {
    const offset = storageOffset ?? self.offset;
    if (offset < 0) fail(`as_strided: Tensor: invalid storage offset ${offset}`);
    if (size.length === stride.length && stride.every((each) => each >= 0)) {
      checkInBounds(size, stride, offset, DTYPES[self.dtype].itemsize, self.storage.nbytes);
    }
    if (size.length !== stride.length)
      fail(`mismatch in length of strides and shape: ${stride.length} and ${size.length}`);
    if (stride.some((each) => each < 0))
      fail(`as_strided: Negative strides are not supported at the moment, got strides: ${listText(stride)}`);
    if (size.some((each) => each < 0))
      fail(`as_strided: Negative sizes are not supported, got sizes: ${listText(size)}`);
    return withGeometry(self, size, stride, offset - self.offset);
  },
  split: splitEvenly,
  "split.sizes": (self, sizes, dim) => callOperator("split_with_sizes", self, sizes, dim),
  split_with_sizes(self, sizes, dim) {
    if (!self.sizes.length) fail("split expects at least a 1-dimensional tensor");
    dim = wrapDim(dim, self.sizes.length);
    if (sizes.some((each) => each < 0))
      fail(`split_with_sizes expects split_sizes have only non-negative entries, but got ${listText(sizes)}`);
    if (sizes.reduce((sum, each) => sum + each, 0) !== self.sizes[dim]) {
      fail(
        `split_with_sizes expects split_sizes to sum exactly to ${self.sizes[dim]} (input tensor's ` +
          `size at dimension ${dim}), but got split_sizes=${listText(sizes)}`,
      );
    }
    return pieces(self, sizes, dim);
  },
  chunk(self, chunks, dim) {
    if (!self.sizes.length) fail("chunk expects at least a 1-dimensional tensor");
    if (chunks <= 0) fail(`chunk expects \`chunks\` to be greater than 0, got: ${chunks}`);
    const length = Math.ceil(self.sizes[wrapDim(dim, self.sizes.length)] / chunks);
    if (length) return callOperator("split", self, length, dim);
    checkPieces(chunks);
    return callOperator("split_with_sizes", self, new Array(chunks).fill(0), dim);
  },
  unbind(self, dim) {
    dim = wrapDim(dim, self.sizes.length, false);
    checkPieces(self.sizes[dim]);
    const [sizes, strides] = [sizesWith(self.sizes, dim), sizesWith(self.strides, dim)];
    return Array.from({ length: self.sizes[dim] }, (_, index) =>
      withGeometry(self, sizes, strides, index * self.strides[dim]),
    );
  },
  contiguous: (self, format) =>
    isInFormat(self, format) ? self : callOperator("clone", self, format ?? "contiguous_format"),
  clone(self, format) {
    if (format !== null && format !== "preserve_format")
      return copyWith(
        self,
        named("empty_like", () => formatStrides(self.sizes, format)),
      );
    if (isNonOverlappingAndDense(self.sizes, self.strides)) return copyWith(self, self.strides);
    return copyWith(
      self,
      iterate([{ sizes: self.sizes, strides: self.strides, dtype: self.dtype }], self.dtype).output.strides,
    );
  },
  detach: (self) => withGeometry(self, self.sizes, self.strides),
};
