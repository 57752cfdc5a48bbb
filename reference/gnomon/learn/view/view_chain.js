// A typed chain of view operators, evaluated step by step.

const NOT_VIEWS = new Set([
  "flip",
  "fliplr",
  "flipud",
  "roll",
  "rot90",
  "repeat",
  "tile",
  "gather",
  "index_select",
  "masked_select",
  "repeat_interleave",
  "take",
  "sort",
  "cat",
  "stack",
]);
const FACTORIES = ["arange", "zeros", "ones", "empty", "full", "empty_strided"];
const FORMATS = ["contiguous_format", "channels_last", "channels_last_3d", "preserve_format"];

function factory(name, given, options) {
  const { overload, values } = bindArguments(name, given, options);
  const dtypeAt = GNOMON.signatures[name]
    .find((each) => each.overload === overload)
    .arguments.findIndex((each) => each.name === "dtype");
  const dtype = values[dtypeAt];
  return named(name, () =>
    name === "arange" ? range(overload, values, dtype) : filled(name, values, dtype),
  );
}

// Dtypes that arange does not have, by category, with how an error says to convert.
const CONVERTED = [
  "x.to(gnomon.int64) converts it",
  "x.to(gnomon.int64) converts it",
  "x.to(gnomon.float32) converts it",
  "x.real, x.imag and x.abs() are real",
];

function checkRangeDtype(dtype) {
  const { category } = DTYPES[dtype];
  const isPlain = category === 1 ? !/^uint\d\d/.test(dtype) : category === 2 && !dtype.startsWith("float8");
  if (!isPlain)
    throw new GnomonError(
      "NotImplementedError",
      `not implemented for dtype ${dtype}; ${CONVERTED[category]}`,
    );
}

function range(overload, values, dtype) {
  const [zero, one] = [0, 1].map((value) => ({ type: "int", value }));
  const given = { arange: [zero, values[0], one], "arange.start": [values[0], values[1], one] };
  const numbers = given[overload] ?? values.slice(0, 3);
  let [start, end, step] = numbers.map((each) => Number(each.value));
  if (step === 0) fail("step must be nonzero");
  const shown = (value) => (Number.isFinite(value) ? value : value > 0 ? "inf" : "-inf");
  if (!Number.isFinite(start) || !Number.isFinite(end))
    fail(`unsupported range: ${shown(start)} -> ${shown(end)}`);
  if ((end - start) * step < 0) fail("upper bound and lower bound inconsistent with step sign");
  const found = dtype ?? (numbers.every((each) => each.type !== "float") ? "int64" : "float32");
  checkRangeDtype(found);
  if (found === "int64") {
    [start, end, step] = [start, end, step].map(Math.trunc);
    if (step === 0) throw new GnomonError("ValueError", "step must be nonzero");
  }
  const count = Math.max(Math.ceil((end - start) / step), 0);
  if (DTYPES[found].category === 1) [start, step] = [Math.trunc(start), Math.trunc(step)];
  return made([count], found, (place) => castNumber(found, start + place * step));
}

function made(sizes, dtype, value, strides = contiguousStrides(sizes)) {
  const storage = newStorage(extent(sizes, strides), dtype, value);
  return { type: "Tensor", sizes, strides, offset: 0, dtype, storage };
}

function checkSizes(sizes) {
  for (const size of sizes)
    if (size < 0) fail(`Trying to create tensor with negative dimension ${size}: ${listText(sizes)}`);
  if (sizes.length > MOST_DIMS) fail(`a tensor has at most ${MOST_DIMS} dimensions, got ${sizes.length}`);
  numelOf(sizes);
}

function filled(name, values, dtype) {
  const sizes = values[0];
  if (name === "empty_strided") {
    if (sizes.length !== values[1].length)
      fail(
        `dimensionality of sizes (${sizes.length}) must match dimensionality of strides ` +
          `(${values[1].length})`,
      );
    checkSizes(sizes);
    if (values[1].some((each) => each < 0))
      fail(`negative strides are not supported, got strides: ${listText(values[1])}`);
    return made(sizes, dtype ?? "float32", () => undefined, values[1]);
  }
  named("empty", () => checkSizes(sizes));
  if (name === "full") {
    const kinds = { bool: "bool", int: "int64", float: "float32" };
    const { type, value } = values[1],
      found = dtype ?? kinds[type];
    // one element of half precision becomes infinite instead, as PyTorch's scalar_fill has it
    const isOneHalf = numelOf(sizes) === 1 && (found === "float16" || found === "bfloat16");
    if (!isOneHalf) checkNumberFits(Number(value), type === "float", found);
    return made(sizes, found, () => castNumber(found, Number(value)));
  }
  const value = { zeros: 0, ones: 1 }[name];
  return named("empty", () => made(sizes, dtype ?? "float32", () => value));
}

function indexed(self, isTuple, items) {
  const isKnown = ["NoneType", "ellipsis", "slice", "int", "bool"];
  const consumed = items.filter((each) => each.type === "int" || each.type === "slice").length;
  for (const each of items) {
    if (each.type === "str")
      throw new GnomonError("TypeError", `x[...]: an index must be made of integers, got '${each.value}'`);
    if (each.type === "list" || each.type === "tuple" || each.type === "Tensor" || each.type === "bool") {
      throw new GnomonError(
        "NotAView",
        `an index that is a ${each.type} selects elements by a copy, which this page does not draw; ` +
          "indices of views are ints, slices, None and ...",
      );
    }
    if (!isKnown.includes(each.type)) {
      throw new GnomonError(
        "IndexError",
        "x[...]: only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid " +
          `indices (got ${typeName(each)})`,
      );
    }
  }
  if (consumed > self.sizes.length)
    throw new GnomonError(
      "IndexError",
      `x[...]: too many indices for tensor of dimension ${self.sizes.length} (got ${consumed})`,
    );
  let view = self,
    dim = 0;
  for (const [position, item] of items.entries()) {
    if (item.type === "NoneType") view = callOperator("unsqueeze", view, dim++);
    else if (item.type === "ellipsis") dim += self.sizes.length - consumed;
    else if (item.type === "slice") {
      const [start, stop, step] = bounds(item);
      if (start !== null || stop !== null || step !== 1)
        view = callOperator("slice", view, dim, start, stop, step);
      dim += 1;
    } else {
      const size = view.sizes[dim];
      if (item.value < -size || item.value >= size) {
        const expected = size ? `; expected an index from ${-size} to ${size - 1}` : "";
        throw new GnomonError(
          "IndexError",
          `x[...]: index ${item.value} is out of bounds for dimension ${position} with size ` +
            `${size}${expected}`,
        );
      }
      view = callOperator("select", view, dim, item.value);
    }
  }
  return view === self ? withGeometry(self, self.sizes, self.strides) : view;
}

function bounds(item) {
  const parts = [item.start, item.stop, item.step].map((each) => {
    if (each.type !== "NoneType" && each.type !== "int" && each.type !== "bool") {
      throw new GnomonError(
        "TypeError",
        `x[...]: slice indices must be integers or None or have an __index__ method, got ${typeName(each)}`,
      );
    }
    return each.type === "NoneType" ? null : Number(each.value);
  });
  const step = parts[2] ?? 1;
  if (step <= 0)
    throw new GnomonError(
      "ValueError",
      `x[...]: slice step ${step ? "must be greater than" : "cannot be"} zero, got ${step}` +
        `${step < 0 ? "; x.flip(dim) reverses" : ""}`,
    );
  return [parts[0], parts[1], step];
}

function noAttribute(value, name) {
  throw new GnomonError("AttributeError", `'${value.type}' object has no attribute '${name}' on this page`);
}

function viewScope(variables, done) {
  const binary = (operator, left, right) => {
    if (left.type === "Tensor" || right.type === "Tensor") {
      throw new GnomonError(
        "NotAView",
        `${operator} computes new values; see "Iteration" for the iteration over its operands, and ` +
          `"Autograd" for its gradient`,
      );
    }
    throw new GnomonError(
      "TypeError",
      `unsupported operand types for ${operator}: ${typeName(left)} and ${typeName(right)}`,
    );
  };
  return {
    done,
    binary,
    negative: (value) => binary("-", value, value),
    name(name) {
      if (Object.hasOwn(variables, name)) return variables[name];
      if (FACTORIES.includes(name) || Object.hasOwn(GNOMON.signatures, name))
        return { type: "function", name };
      if (Object.hasOwn(DTYPES, name)) return { type: "dtype", name };
      if (FORMATS.includes(name)) return { type: "memory_format", name };
      throw new GnomonError(
        "NameError",
        `name '${name}' is not defined; begin with x, ${FACTORIES.join(", ")}`,
      );
    },
    call(name, given, options) {
      if (FACTORIES.includes(name)) return factory(name, given, options);
      if (given[0]?.type === "Tensor") return this.method(given[0], name, given.slice(1), options);
      bindArguments(name, given, options);
      return noAttribute(given[0] ?? { type: "module" }, name);
    },
    method(self, name, given, options) {
      if (self.type !== "Tensor") return noAttribute(self, name);
      if (name === "T" || name === "mT") return this.call2(this.attribute(self, name));
      if (NOT_VIEWS.has(name))
        throw new GnomonError(
          "NotAView",
          `${name} is not a view: it returns a copy, with memory of its own, whose strides do not show ` +
            "where its elements came from",
        );
      if (!Object.hasOwn(GNOMON.signatures, name) || FACTORIES.includes(name)) return noAttribute(self, name);
      const { overload, values } = bindArguments(name, [self, ...given], options);
      if (/^(movedim|moveaxis)\.int$/.test(overload)) values.splice(1, 2, [values[1]], [values[2]]);
      const operator = Object.hasOwn(OPERATORS, overload) ? overload : name;
      const found = named(name, () => OPERATORS[operator](...values));
      return Array.isArray(found) ? { type: "tuple", items: found } : found;
    },
    call2: (value) => {
      throw new GnomonError("TypeError", `'${value.type}' object is not callable`);
    },
    attribute(self, name) {
      if (self.type !== "Tensor") return noAttribute(self, name);
      if (name === "T") return callOperator("permute", self, [...self.sizes.keys()].reverse());
      if (name === "mT") {
        if (self.sizes.length === 1)
          fail("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
        return self.sizes.length ? callOperator("transpose", self, -2, -1) : self;
      }
      if (Object.hasOwn(OPERATORS, name))
        throw new GnomonError("TypeError", `${name} is a method: call it, .${name}(...)`);
      return noAttribute(self, name);
    },
    item(self, isTuple, items) {
      if (self.type === "Tensor") return indexed(self, isTuple, items);
      if (self.type !== "tuple" && self.type !== "list")
        throw new GnomonError("TypeError", `'${self.type}' object is not subscriptable`);
      if (isTuple || items[0].type !== "int")
        throw new GnomonError(
          "TypeError",
          `${self.type} indices must be integers here, not ${isTuple ? "tuple" : typeName(items[0])}`,
        );
      const count = self.items.length,
        index = items[0].value;
      if (index < -count || index >= count)
        throw new GnomonError("IndexError", `${self.type} index out of range`);
      return self.items[index < 0 ? index + count : index];
    },
  };
}

// The tensors of a typed chain: each step has its source text, its value, and whether it is a copy.  An error
// of a later step is returned with the steps before it.  ``x`` is the tensor of that name, or undefined.
function evaluateChain(text, x) {
  const steps = [];
  let error = null;
  try {
    const tree = parseExpression(text);
    const done = (value, source, end) => steps.push({ source, value, end });
    if (tree.kind !== "chain") steps.push({ source: text.trim(), value: evaluate(tree, viewScope({ x })) });
    else {
      if (tree.base.kind === "name" && tree.base.name === "x")
        steps.push({ source: "x", value: evaluate(tree.base, viewScope({ x })) });
      evaluate(tree, viewScope({ x }, done));
    }
  } catch (raised) {
    if (!(raised instanceof GnomonError)) throw raised;
    error = raised;
  }
  const kept = steps.filter(
    ({ value }) => (value.type === "tuple" ? value.items[0] : value)?.type === "Tensor",
  );
  if (kept.length && kept[0].end) kept[0].source = text.slice(0, kept[0].end).trim();
  kept.forEach((step, number) => {
    const before = kept[number - 1]?.value;
    const storage = step.value.storage ?? step.value.items[0]?.storage;
    step.isCopy =
      number > 0 && before.type === "Tensor" && storage !== undefined && storage !== before.storage;
    step.isSame = number > 0 && step.value === before;
  });
  const last = kept[kept.length - 1]?.value;
  if (!error && last?.type !== "Tensor") {
    const what = last ? `a tuple of ${last.items.length} tensors: choose one, as [0]` : "no tensor";
    error = new GnomonError("TypeError", `the expression is ${what}`);
  }
  return { steps: kept, tensor: last?.type === "Tensor" ? last : null, error };
}

// The tensor of the fields: places are its values.  Throws GnomonError, with gnomon's words.
function tensorOf(sizes, strides, offset, dtype, elements) {
  return named("as_strided", () => {
    checkSizes(sizes.map((size) => Math.max(size, 0)));
    const found = strides ?? contiguousStrides(sizes);
    const needed = offset + extent(sizes, found);
    const count = elements ?? Math.max(needed, 0);
    const base = {
      type: "Tensor",
      sizes: [count],
      strides: [1],
      offset: 0,
      dtype,
      storage: newStorage(count, dtype, (place) => place),
    };
    return OPERATORS.as_strided(base, sizes, found, offset);
  });
}
