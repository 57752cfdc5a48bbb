// Small tensors of numbers for the autograd mode: {sizes, data}, row-major, computed in float64.

const MOST_ELEMENTS = 4096;

function tensorFrom(sizes, fill) {
  const count = numelOf(sizes);
  if (count > MOST_ELEMENTS)
    throw new GnomonError(
      "OverflowError",
      `this mode computes with at most ${MOST_ELEMENTS} elements, not ${count}`,
    );
  return {
    type: "Tensor",
    sizes: [...sizes],
    data: Array.from({ length: count }, (_, index) => fill(index)),
  };
}

const sameSizes = (a, b) => a.length === b.length && a.every((size, dim) => size === b[dim]);

// The position in row-major data of ``tensor``, expanded to ``sizes``, of element number ``index``.
function expandedReader(tensor, sizes) {
  const strides = expandStrides(tensor.sizes, contiguousStrides(tensor.sizes), sizes);
  return (index) => {
    let place = 0;
    for (let dim = sizes.length - 1; dim >= 0; dim -= 1) {
      place += (index % sizes[dim]) * strides[dim];
      index = Math.floor(index / sizes[dim]);
    }
    return tensor.data[place];
  };
}

function pointwise(rule, ...tensors) {
  const sizes = tensors.map((each) => each.sizes).reduce(broadcastSizes);
  const readers = tensors.map((each) =>
    sameSizes(each.sizes, sizes) ? (index) => each.data[index] : expandedReader(each, sizes),
  );
  return tensorFrom(sizes, (index) => rule(...readers.map((read) => read(index))));
}

const scalar = (value) => tensorFrom([], () => value);

function sumOver(tensor, dims, keepdim) {
  const kept = tensor.sizes.map((size, dim) => (dims.includes(dim) ? 1 : size));
  const made = tensorFrom(kept, () => 0);
  const strides = expandStrides(kept, contiguousStrides(kept), tensor.sizes);
  tensor.data.forEach((value, index) => {
    let place = 0;
    for (let dim = tensor.sizes.length - 1; dim >= 0; dim -= 1) {
      place += (index % tensor.sizes[dim]) * strides[dim];
      index = Math.floor(index / tensor.sizes[dim]);
    }
    made.data[place] += value;
  });
  if (!keepdim) made.sizes = tensor.sizes.filter((_, dim) => !dims.includes(dim));
  return made;
}

// The sum of the dimensions in which ``sizes`` was expanded.
function sumToSize(tensor, sizes) {
  if (sameSizes(tensor.sizes, sizes)) return tensor;
  const pad = tensor.sizes.length - sizes.length;
  const dims = [...tensor.sizes.keys()].filter(
    (dim) => dim < pad || (sizes[dim - pad] === 1 && tensor.sizes[dim] !== 1),
  );
  return { ...sumOver(tensor, dims, true), sizes: [...sizes] };
}

const expandTo = (tensor, sizes) => tensorFrom(sizes, expandedReader(tensor, sizes));

function transposed(tensor) {
  if (tensor.sizes.length < 2) return tensor;
  const [rows, columns] = tensor.sizes;
  return tensorFrom(
    [columns, rows],
    (index) => tensor.data[(index % rows) * columns + Math.floor(index / rows)],
  );
}

function matrixProduct(a, b) {
  const [rows, inner] = a.sizes,
    columns = b.sizes[1];
  if (inner !== b.sizes[0])
    fail(`mm: mat1 and mat2 shapes cannot be multiplied (${rows}x${inner} and ${b.sizes[0]}x${columns})`);
  return tensorFrom([rows, columns], (index) => {
    const row = Math.floor(index / columns),
      column = index % columns;
    let sum = 0;
    for (let k = 0; k < inner; k += 1) sum += a.data[row * inner + k] * b.data[k * columns + column];
    return sum;
  });
}

// As text: nested lists, with at most ``most`` numbers.
function valuesText(tensor, most = 8) {
  if (!tensor.data) return `${listText(tensor.sizes)}, ${numelOf(tensor.sizes)} elements`;
  let position = 0;
  const part = (sizes) => {
    if (!sizes.length) return position >= most ? (position++, null) : numberText(tensor.data[position++]);
    const parts = [];
    for (let index = 0; index < sizes[0]; index += 1) {
      if (position >= most) {
        parts.push("…");
        break;
      }
      parts.push(part(sizes.slice(1)));
    }
    return `[${parts.join(", ")}]`;
  };
  return part(tensor.sizes);
}

function numberText(value) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e6))
    return String(Number(value.toFixed(4)));
  return value.toExponential(3);
}
