// Sizes, strides and offsets: the arithmetic of views.  Strides and offsets count elements.
//
// The same functions as in gnomon's values/geometry.py, with the same words in errors.

const fail = (message) => {
  throw new GnomonError("RuntimeError", message);
};
const listText = (values) => `[${values.join(", ")}]`;
const tupleText = (values) => (values.length === 1 ? `(${values[0]},)` : `(${values.join(", ")})`);

// The product of ``sizes``.  Throws for one beyond gnomon's limit of 64 bits, and for one beyond this page's.
function numelOf(sizes) {
  let count = 1n;
  for (const size of sizes) {
    count *= BigInt(size);
    if (count >= 2n ** 63n) {
      fail(
        `Storage size calculation overflowed with sizes=${listText(sizes)} (numel: integer ` +
          "multiplication overflow)",
      );
    }
  }
  if (count <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(count);
  throw new GnomonError(
    "OverflowError",
    `this page counts exactly up to ${Number.MAX_SAFE_INTEGER}, and there are ${count} elements`,
  );
}

function contiguousStrides(sizes) {
  const strides = new Array(sizes.length);
  let step = 1;
  for (let dim = sizes.length - 1; dim >= 0; dim -= 1) {
    strides[dim] = step;
    step *= Math.max(sizes[dim], 1);
  }
  if (strides.some((stride) => !Number.isSafeInteger(stride)))
    fail(`Stride calculation overflowed with sizes=${listText(sizes)}`);
  return strides;
}

// Those of (N, C, *spatial) in the order N, *spatial, C.
function channelsLastStrides(sizes) {
  const order = [0, ...sizes.keys()].slice(0, 1).concat([...sizes.keys()].slice(2), [1]);
  const strides = new Array(sizes.length).fill(0);
  let step = 1;
  for (const dim of order.reverse()) {
    strides[dim] = step;
    step *= sizes[dim];
  }
  return strides;
}

function isContiguous(sizes, strides) {
  if (sizes.includes(0)) return true;
  let expected = 1;
  for (let dim = sizes.length - 1; dim >= 0; dim -= 1) {
    if (sizes[dim] === 1) continue;
    if (strides[dim] !== expected) return false;
    expected *= sizes[dim];
  }
  return true;
}

// Do the strides match channels_last (4 dimensions) or channels_last_3d (5)?  What is_contiguous answers.
function isChannelsLast(sizes, strides, ndim) {
  if (sizes.length !== ndim) return false;
  const wanted = channelsLastStrides(sizes);
  return sizes.every((size, dim) => size === 1 || strides[dim] === wanted[dim]);
}

function isNonOverlappingAndDense(sizes, strides) {
  if (sizes.includes(0)) return true;
  let expected = 1;
  for (const dim of byStride(sizes, strides, (size) => size !== 1)) {
    if (strides[dim] !== expected) return false;
    expected *= sizes[dim];
  }
  return true;
}

function byStride(sizes, strides, isKept) {
  const dims = [...sizes.keys()].filter((dim) => isKept(sizes[dim]));
  return dims.sort((a, b) => strides[a] - strides[b] || sizes[a] - sizes[b]);
}

// From a view's first element to its last in memory; 0 for an empty view.
function extent(sizes, strides) {
  if (sizes.includes(0)) return 0;
  return sizes.reduce((sum, size, dim) => sum + (size - 1) * strides[dim], 1);
}

const hasInternalOverlap = (sizes, strides) =>
  !sizes.includes(0) && sizes.some((size, dim) => strides[dim] === 0 && size > 1);

function mayOverlap(sizes, strides) {
  let reach = 0;
  for (const dim of byStride(sizes, strides, (size) => size > 1)) {
    if (strides[dim] <= reach) return !sizes.includes(0);
    reach += strides[dim] * (sizes[dim] - 1);
  }
  return false;
}

function wrapDim(dim, ndim, wrapScalar = true) {
  let bound = ndim;
  if (ndim === 0) {
    if (!wrapScalar)
      throw new GnomonError("IndexError", `Dimension specified as ${dim} but tensor has no dimensions`);
    bound = 1;
  }
  if (dim < -bound || dim >= bound) {
    throw new GnomonError(
      "IndexError",
      `Dimension out of range (expected to be in range of [${-bound}, ${bound - 1}], but got ${dim})`,
    );
  }
  return dim < 0 ? dim + bound : dim;
}

function wrapDims(dims, ndim) {
  const wrapped = [];
  for (const dim of dims) {
    const found = wrapDim(dim, ndim);
    if (wrapped.includes(found)) fail(`dim ${found} appears multiple times in the list of dims`);
    wrapped.push(found);
  }
  return wrapped;
}

function broadcastSizes(first, second) {
  const ndim = Math.max(first.length, second.length);
  const padded = (sizes) => [...new Array(ndim - sizes.length).fill(1), ...sizes];
  const [a, b] = [padded(first), padded(second)];
  return a.map((size, dim) => {
    if (size !== b[dim] && size !== 1 && b[dim] !== 1) {
      fail(
        `The size of tensor a (${size}) must match the size of tensor b (${b[dim]}) at non-singleton ` +
          `dimension ${dim}: ${listText(first)} and ${listText(second)} do not broadcast` +
          broadcastingAdvice(first, second),
      );
    }
    return size === 1 ? b[dim] : size;
  });
}

// What would make two shapes broadcast, if it is one more dimension at the end of the shorter one.
function broadcastingAdvice(first, second) {
  if (first.length === second.length) return "";
  const [shorter, longer, name] =
    first.length < second.length ? [first, second, "a"] : [second, first, "b"];
  const end = longer.slice(longer.length - shorter.length - 1);
  const fits = [...shorter, 1].every((size, dim) => size === end[dim] || size === 1 || end[dim] === 1);
  return fits ? `; ${name}.unsqueeze(-1) would` : "";
}

function checkExpandable(sizes, to) {
  const pad = to.length - sizes.length;
  const both = `Target sizes: ${listText(to)}.  Tensor sizes: ${listText(sizes)}`;
  if (pad < 0) {
    fail(
      `The number of sizes provided (${to.length}) must be greater or equal to the number of ` +
        `dimensions in the tensor (${sizes.length}).  ${both}`,
    );
  }
  for (let dim = to.length - 1; dim >= pad; dim -= 1) {
    const size = sizes[dim - pad];
    if (size !== 1 && size !== to[dim]) {
      fail(
        `The expanded size of the tensor (${to[dim]}) must match the existing size (${size}) at ` +
          `non-singleton dimension ${dim}.  ${both}`,
      );
    }
  }
}

function expandStrides(sizes, strides, to) {
  const pad = to.length - sizes.length;
  return to.map((wanted, dim) =>
    dim < pad || (sizes[dim - pad] === 1 && wanted !== 1) ? 0 : strides[dim - pad],
  );
}

// ``shape`` with its -1 replaced by the size that makes ``numel`` elements.
function inferSize(shape, numel) {
  let known = 1,
    unknown = -1;
  shape.forEach((size, dim) => {
    if (size === -1) {
      if (unknown >= 0) fail("only one dimension can be inferred");
      unknown = dim;
    } else if (size < 0) fail(`invalid shape dimension ${size}`);
    else known *= size;
  });
  const invalid = (why) => fail(`shape '${listText(shape)}' is invalid for input of size ${numel}${why}`);
  if (unknown < 0) return known === numel ? [...shape] : invalid(`: it has ${known} elements`);
  if (known === 0 && numel === 0) {
    fail(
      `cannot reshape tensor of 0 elements into shape ${listText(shape)} because the unspecified ` +
        "dimension size -1 can be any value and is ambiguous",
    );
  }
  if (known === 0) invalid("");
  if (numel % known !== 0) invalid(`, which is not a multiple of ${known}`);
  return shape.map((size, dim) => (dim === unknown ? numel / known : size));
}

// computeStride in steps: the chunks of old dimensions that one stride traverses, innermost first, each with
// the new dimensions that fill it.  Where one does not fit, those outside of it are not reached.  ``strides``
// is null if a view is impossible; ``reason`` says why.
function computeStride(sizes, strides, to) {
  const made = { chunks: [], strides: null, reason: "" };
  if (numelOf(sizes) === 0) {
    made.strides =
      sizes.length === to.length && sizes.every((size, dim) => size === to[dim])
        ? [...strides]
        : contiguousStrides(to);
    made.reason = "a tensor without elements can be viewed in every shape without elements";
    return made;
  }
  if (!sizes.length) {
    made.strides = to.map(() => 1);
    made.reason = "one element can be viewed with any number of dimensions of size 1";
    return made;
  }
  const found = new Array(to.length).fill(0);
  let viewDim = to.length - 1,
    base = strides[strides.length - 1],
    last = sizes.length - 1;
  let tensorNumel = 1,
    viewNumel = 1,
    isPossible = true;
  for (let dim = sizes.length - 1; dim >= 0; dim -= 1) {
    tensorNumel *= sizes[dim];
    const isEnd = dim === 0 || (sizes[dim - 1] !== 1 && strides[dim - 1] !== tensorNumel * base);
    if (!isEnd) continue;
    const chunk = {
      first: dim,
      last,
      numel: tensorNumel,
      stride: base,
      dims: [],
      isReached: isPossible,
      isFilled: isPossible,
    };
    if (dim > 0) chunk.ends = { stride: strides[dim - 1], needed: tensorNumel * base };
    made.chunks.push(chunk);
    while (isPossible && viewDim >= 0 && (viewNumel < tensorNumel || to[viewDim] === 1)) {
      found[viewDim] = viewNumel * base;
      viewNumel *= to[viewDim];
      chunk.dims.unshift(viewDim);
      viewDim -= 1;
    }
    if (isPossible && viewNumel !== tensorNumel) {
      chunk.isFilled = isPossible = false;
      made.reason = spansText(chunk, viewNumel);
    }
    if (dim > 0) {
      base = strides[dim - 1];
      last = dim - 1;
      tensorNumel = viewNumel = 1;
    }
  }
  if (isPossible && viewDim === -1) made.strides = found;
  else made.reason ||= "the new shape has more elements";
  return made;
}

function spansText(chunk, viewNumel) {
  const dims = chunk.dims.length ? `new dimension ${chunk.dims[0]}` : "the new shape";
  if (!chunk.ends) return `${dims} does not fill the outermost group of ${chunk.numel} elements`;
  return (
    `${dims} would need ${viewNumel} elements of a group that has ${chunk.numel}: dimension ` +
    `${chunk.first - 1} has stride ` +
    `${chunk.ends.stride}, and only with ${chunk.ends.needed} (the elements of the group times its ` +
    "stride) would it continue the group"
  );
}

const viewStrides = (sizes, strides, to) => computeStride(sizes, strides, to).strides;

function sliceBounds(start, end, size) {
  const clamp = (value, least) => Math.min(Math.max(value < 0 ? value + size : value, least), size);
  const first = clamp(start ?? 0, 0);
  return [first, clamp(end ?? size, first)];
}

function diagonalOf(sizes, strides, offset, dim1, dim2) {
  const first = wrapDim(dim1, sizes.length),
    second = wrapDim(dim2, sizes.length);
  if (first === second) fail(`diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const down = Math.max(-offset, 0),
    right = Math.max(offset, 0);
  const length = Math.max(Math.min(sizes[first] - down, sizes[second] - right), 0);
  const start = length ? down * strides[first] + right * strides[second] : 0;
  const kept = [...sizes.keys()].filter((dim) => dim !== first && dim !== second);
  return [
    [...kept.map((dim) => sizes[dim]), length],
    [...kept.map((dim) => strides[dim]), strides[first] + strides[second]],
    start,
  ];
}

function unfoldOf(sizes, strides, dimension, size, step) {
  const dim = wrapDim(dimension, sizes.length);
  const available = sizes.length ? sizes[dim] : 1;
  if (size > available)
    fail(`maximum size for tensor at dimension ${dim} is ${available} but size is ${size}`);
  if (size < 0) fail(`size is ${size} but must be >= 0`);
  if (step <= 0) fail(`step is ${step} but must be > 0`);
  if (!sizes.length) return [[size], [1]];
  const windows = Math.floor((available - size) / step) + 1;
  return [
    [...sizes.slice(0, dim), windows, ...sizes.slice(dim + 1), size],
    [...strides.slice(0, dim), strides[dim] * step, ...strides.slice(dim + 1), strides[dim]],
  ];
}

// The same bytes as elements of ``wanted`` bytes.
function viewedAsItemsize(sizes, strides, offset, itemsize, wanted) {
  if (itemsize === wanted) return [sizes, strides, offset];
  if (!sizes.length) fail("self.dim() cannot be 0 to view it with another element size");
  const last = sizes.length - 1;
  if (strides[last] !== 1)
    fail(`self.stride(-1) must be 1 to view it with another element size, but got ${strides[last]}`);
  const scaled = (values, end, scale) => [...values.slice(0, last).map(scale), end];
  if (itemsize > wanted) {
    const ratio = itemsize / wanted;
    return [
      scaled(sizes, sizes[last] * ratio, (size) => size),
      scaled(strides, 1, (stride) => stride * ratio),
      offset * ratio,
    ];
  }
  const ratio = wanted / itemsize;
  const checked = [
    ["self.size(-1)", sizes[last]],
    ["self.storage_offset()", offset],
  ];
  for (let dim = 0; dim < last; dim += 1) checked.push([`self.stride(${dim})`, strides[dim]]);
  for (const [what, number] of checked) {
    if (number % ratio)
      fail(
        `${what} must be divisible by ${ratio} to view elements of ${itemsize} bytes as ones of ` +
          `${wanted}, but got ${number}`,
      );
  }
  return [
    scaled(sizes, sizes[last] / ratio, (size) => size),
    scaled(strides, 1, (stride) => stride / ratio),
    offset / ratio,
  ];
}

function checkInBounds(sizes, strides, offset, itemsize, nbytes) {
  const needed = (offset + extent(sizes, strides)) * itemsize;
  if (sizes.includes(0) || needed <= nbytes) return;
  fail(
    `setStorage: sizes ${listText(sizes)}, strides ${listText(strides)}, storage offset ${offset}, and ` +
      `itemsize ${itemsize} ` +
      `requiring a storage size of ${needed} are out of bounds for storage of size ${nbytes}`,
  );
}

// How many elements are at each of the places ``from`` to ``to`` of the storage: dimension by dimension, so
// that a huge tensor takes no longer than the places that are shown.
function elementsAtPlaces(sizes, strides, offset, from, to) {
  const count = Math.max(to, 0);
  let found = new Float64Array(count);
  if (sizes.includes(0)) return found.slice(from);
  if (offset < count) found[offset] = 1;
  sizes.forEach((size, dim) => {
    const stride = strides[dim];
    if (size === 1) return;
    if (stride === 0) {
      found = found.map((each) => each * size);
      return;
    }
    // the sum over a window of ``size`` places, ``stride`` apart
    const next = new Float64Array(count);
    for (let place = 0; place < count; place += 1) {
      next[place] = found[place] + (place >= stride ? next[place - stride] : 0);
      const left = place - size * stride;
      if (left >= 0) next[place] -= found[left];
    }
    found = next;
  });
  return found.slice(from);
}
