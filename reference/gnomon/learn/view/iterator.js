// TensorIterator: how several tensors are traversed together, in steps.
//
// The same steps as gnomon's calls/iterator.py: broadcast sizes, common dtype, strides in bytes, order of
// dimensions, strides of the new output, coalescing.

// The strides of a dense copy in the memory order of an operand, as a conversion to another dtype makes it.
function convertedStrides({ sizes, strides }) {
  if (isNonOverlappingAndDense(sizes, strides)) return [...strides];
  return iterate([{ sizes, strides, dtype: "bool" }], "bool").output.strides;
}

const fastSetupText = {
  CONTIGUOUS: "all operands have the same sizes and are contiguous: so is the output",
  CHANNELS_LAST: "all operands have the same sizes and are channels last: so is the output",
  NON_OVERLAPPING_DENSE:
    "all operands have the same sizes and strides, without gaps or overlap: the output gets them, too",
  NONE:
    "operands differ in sizes or strides (a number has none): " +
    "the output is dense, in the order of the iterator's dimensions",
};

// The iteration of a pointwise operator over ``inputs``, {sizes, strides, dtype} or {number}, computed in
// ``dtype``.  Returns what each step found; ``steps`` has one entry for each step of the animation.
function iterate(inputs, dtype) {
  const made = { steps: [], dtype };
  const tensors = inputs.filter((each) => each.number === undefined);
  let sizes = null,
    isSame = tensors.length === inputs.length;
  for (const each of tensors) {
    if (sizes === null) sizes = [...each.sizes];
    else if (listText(sizes) !== listText(each.sizes)) {
      isSame = false;
      sizes = broadcastSizes(sizes, each.sizes);
    }
  }
  made.sizes = sizes ?? [];
  numelOf(made.sizes);
  made.inputs = inputs.map((each) => {
    if (each.number !== undefined || each.dtype === dtype) return { ...each, converted: false };
    return { sizes: each.sizes, strides: convertedStrides(each), dtype, converted: true, from: each.dtype };
  });
  const { itemsize } = DTYPES[dtype];
  const operands = [
    { name: "output", isOutput: true, strides: null },
    ...made.inputs.map((each, number) => ({
      name: operandName(number),
      strides:
        each.number !== undefined
          ? made.sizes.map(() => 0)
          : expandStrides(each.sizes, each.strides, made.sizes).map((stride) => stride * itemsize),
    })),
  ];
  const shape = [...made.sizes];
  const keep = (kind, text, more = {}) =>
    made.steps.push({
      kind,
      text,
      shape: [...state.shape],
      strides: operands.map((each) => each.strides && [...each.strides]),
      order: [...state.order],
      ...more,
    });
  const state = { shape, order: [...shape.keys()] };
  keep(
    "broadcast",
    `The operands broadcast to ${listText(shape)}. Their strides count bytes, ${itemsize} for each ` +
      `element of ${dtype}; an expanded dimension has stride 0.`,
  );
  reorder(state, operands, keep);
  allocateOutput(made, state, operands, isSame, keep);
  coalesce(state, operands, keep);
  made.shape = state.shape;
  made.order = state.order;
  made.strides = operands.map((each) => each.strides);
  keep("loop", loopText(state.shape), { isLast: true });
  return made;
}

const operandName = (number) => "abc"[number] ?? `operand ${number}`;

function loopText(shape) {
  if (shape.includes(0)) return "There are no elements: no loop runs.";
  if (!shape.length) return "One element: the inner loop runs once.";
  const outer = shape.slice(1).reduce((product, size) => product * size, 1);
  return (
    `The inner loop runs over dimension 0, ${shape[0]} elements, adding its strides to the ` +
    `pointers; the outer dimensions start it ${outer} time${outer === 1 ? "" : "s"}.`
  );
}

// 1: ``dim0`` must come after ``dim1``; -1: before; 0: no operand says.
function shouldSwap(sizes, operands, dim0, dim1) {
  for (const { name, strides } of operands) {
    if (!strides) continue;
    const [a, b] = [strides[dim0], strides[dim1]];
    if (a === 0 || b === 0) continue;
    if (a !== b) {
      return { answer: a < b ? -1 : 1, why: `${name} has strides ${a} and ${b}` };
    }
    if (sizes[dim0] > sizes[dim1])
      return {
        answer: 1,
        why: `${name} has equal strides ${a}, and size ${sizes[dim0]} is larger than ${sizes[dim1]}`,
      };
  }
  return { answer: 0, why: "no operand says which is faster" };
}

function reorder(state, operands, keep) {
  const { shape: sizes } = state;
  const original = operands.map((each) => each.strides);
  const order = [...sizes.keys()].reverse();
  const arrange = () => {
    state.order = order;
    state.shape = order.map((dim) => sizes[dim]);
    operands.forEach((each, number) => {
      if (original[number]) each.strides = order.map((dim) => original[number][dim]);
    });
  };
  const ask = operands.map((each, number) => ({ ...each, strides: original[number] }));
  arrange();
  keep("reorder", "The dimensions are reversed: dimension 0 of the iterator is the innermost.");
  for (let position = 1; position < order.length; position += 1) {
    let dim1 = position;
    for (let dim0 = position - 1; dim0 >= 0; dim0 -= 1) {
      const compared = [order[dim0], order[dim1]];
      const { answer, why } = shouldSwap(sizes, ask, ...compared);
      const pair = `dimensions ${compared[0]} and ${compared[1]}`;
      if (answer > 0) {
        [order[dim0], order[dim1]] = [order[dim1], order[dim0]];
        arrange();
        keep("reorder", `Swap ${pair}: ${why}.`, { compared: [dim0, dim1] });
        dim1 = dim0;
      } else {
        keep("reorder", `Keep ${pair}: ${why}.`, { compared: [dim0, dim1] });
        if (answer < 0) break;
      }
    }
  }
  keep("reordered", `In memory's order, fastest first, these are dimensions ${listText(order)}.`);
}

function allocateOutput(made, state, operands, isSame, keep) {
  const { sizes } = made;
  const tensors = made.inputs.filter((each) => each.number === undefined);
  let setup = "NONE",
    strides = null;
  if (isSame && tensors.length) {
    const channelsLast = sizes.length === 4 || sizes.length === 5 ? channelsLastStrides(sizes) : null;
    const has = (each, wanted) => sizes.every((size, dim) => size === 1 || each.strides[dim] === wanted[dim]);
    if (tensors.every((each) => isContiguous(each.sizes, each.strides)))
      [setup, strides] = ["CONTIGUOUS", contiguousStrides(sizes)];
    else if (channelsLast && tensors.every((each) => has(each, channelsLast)))
      [setup, strides] = ["CHANNELS_LAST", channelsLast];
    else if (
      tensors.every(
        (each) =>
          isNonOverlappingAndDense(each.sizes, each.strides) &&
          listText(each.strides) === listText(tensors[0].strides),
      )
    ) {
      [setup, strides] = ["NON_OVERLAPPING_DENSE", [...tensors[0].strides]];
    }
  }
  if (strides === null) {
    strides = new Array(sizes.length).fill(0);
    let step = 1;
    for (const dim of state.order) {
      strides[dim] = step;
      step *= sizes[dim];
    }
    if (state.order.every((dim, position) => dim === sizes.length - 1 - position))
      strides = contiguousStrides(sizes);
  }
  made.setup = setup;
  made.output = { sizes: [...sizes], strides, dtype: made.dtype };
  operands[0].strides = state.order.map((dim) => strides[dim] * DTYPES[made.dtype].itemsize);
  keep(
    "allocate",
    `The output has strides ${tupleText(strides)}. FastSetupType::${setup}: ${fastSetupText[setup]}.`,
  );
}

function coalesce(state, operands, keep) {
  const count = state.shape.length;
  if (count <= 1) return;
  let first = 0; // the dimension into which the next may be merged
  for (let left = count - 1; left > 0; left -= 1) {
    const next = first + 1;
    const { shape } = state;
    const [inner, outer] = [shape[first], shape[next]];
    let text = "",
      isMerged = true;
    if (inner === 1) text = `Dimension ${first} has size 1: dimension ${next} takes its place.`;
    else if (outer === 1) text = `Dimension ${next} has size 1: it is dropped.`;
    else {
      const wrong = operands.find((each) => each.strides[first] * inner !== each.strides[next]);
      isMerged = !wrong;
      text = wrong
        ? `Dimensions ${first} and ${next} stay apart: of ${wrong.name}, ${inner} × ` +
          `${wrong.strides[first]} bytes is not the next stride ${wrong.strides[next]}.`
        : `Dimensions ${first} and ${next} merge: for each operand, size ${inner} times its stride is ` +
          "the next stride.";
    }
    if (isMerged) {
      for (const each of operands) each.strides = each.strides.toSpliced(inner === 1 ? first : next, 1);
      state.shape = inner === 1 ? shape.toSpliced(first, 1) : shape.toSpliced(first, 2, inner * outer);
    } else first = next;
    keep("coalesce", text, { compared: isMerged ? [first] : [first - 1, first] });
  }
  keep("coalesced", `After coalescing, the shape is ${listText(state.shape)}, fastest dimension first.`);
}

// The byte offsets of each operand for the first ``most`` elements, in the order of iteration.
function firstOffsets(shape, strides, most) {
  const rows = [];
  const total = shape.includes(0) ? 0 : shape.reduce((product, size) => product * size, 1);
  const index = shape.map(() => 0);
  for (let number = 0; number < Math.min(total, most); number += 1) {
    rows.push({
      index: [...index],
      offsets: strides.map((each) => index.reduce((sum, at, dim) => sum + at * each[dim], 0)),
    });
    for (let dim = 0; dim < shape.length; dim += 1) {
      index[dim] += 1;
      if (index[dim] < shape[dim]) break;
      index[dim] = 0;
    }
  }
  return rows;
}

// The loops that are left, as text.
function loopsText(shape, names) {
  const lines = [];
  let indent = "";
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    lines.push(`${indent}for i${dim} in range(${shape[dim]}):${dim === 0 ? "    # the inner loop" : ""}`);
    indent += "    ";
  }
  lines.push(
    `${indent}${names[0]}[…] = op(${names
      .slice(1)
      .map((name) => `${name}[…]`)
      .join(", ")})`,
  );
  return lines.join("\n");
}
