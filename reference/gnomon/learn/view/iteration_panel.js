// The panel of TensorIterator: operands, promotion, and the steps of the iteration.

const CONTIGUOUS_AND_TRANSPOSED = [
  { sizes: "2, 3, 4", strides: "", dtype: "float32" },
  { sizes: "2, 3, 4", strides: "1, 2, 6", dtype: "float32" },
];
const ITERATION_EXAMPLES = [
  {
    title: "A matrix and a row",
    operands: [
      { sizes: "3, 4", strides: "", dtype: "float32" },
      { sizes: "4", strides: "", dtype: "float32" },
    ],
  },
  {
    title: "All contiguous: one loop",
    operands: [
      { sizes: "2, 3, 4", strides: "", dtype: "float32" },
      { sizes: "2, 3, 4", strides: "", dtype: "float32" },
    ],
  },
  { title: "Contiguous and transposed", operands: CONTIGUOUS_AND_TRANSPOSED },
  {
    title: "Channels last, both",
    operands: [
      { sizes: "2, 3, 4, 4", strides: "48, 1, 12, 3", dtype: "float32" },
      { sizes: "2, 3, 4, 4", strides: "48, 1, 12, 3", dtype: "float32" },
    ],
  },
  {
    title: "int64 with a float number",
    operands: [
      { sizes: "2, 3", strides: "1, 2", dtype: "int64" },
      { sizes: "", strides: "", dtype: "number: float" },
    ],
  },
  {
    title: "Three operands, three dtypes",
    operands: [
      { sizes: "2, 1, 4", strides: "", dtype: "uint8" },
      { sizes: "3, 4", strides: "1, 3", dtype: "float32" },
      { sizes: "()", strides: "", dtype: "float64" },
    ],
  },
];
const NONE = "none";

class IterationPanel {
  constructor(changed) {
    this.changed = changed;
    const dtypes = (isLast) => [
      ...(isLast ? [NONE] : []),
      ...Object.keys(DTYPES),
      "number: bool",
      "number: int",
      "number: float",
    ];
    this.rows = [0, 1, 2].map((number) => {
      const field = (label, more) =>
        make("input", {
          spellcheck: "false",
          autocomplete: "off",
          "aria-label": `${label} of ${operandName(number)}`,
          on: { input: () => this.edited() },
          ...more,
        });
      const row = { sizes: field("Sizes", {}), strides: field("Strides", { placeholder: "contiguous" }) };
      row.dtype = make(
        "select",
        { "aria-label": `dtype of ${operandName(number)}`, on: { input: () => this.edited() } },
        ...dtypes(number === 2).map((name) => make("option", { value: name, text: name })),
      );
      return row;
    });
    replaceIn(
      byId("operands"),
      ...this.rows.map((row, number) =>
        make(
          "fieldset",
          {},
          make("legend", { text: `Operand ${operandName(number)}` }),
          make(
            "div",
            { class: "fields pair" },
            make("label", {}, "Sizes", row.sizes),
            make("label", {}, "Strides", row.strides),
            make("label", {}, "dtype", row.dtype),
          ),
        ),
      ),
    );
    fillExamples(byId("iteration-example"), ITERATION_EXAMPLES, (example) => {
      this.load(example.operands);
      this.edited();
    });
    this.stepper = new Stepper(
      byId("iteration-steps"),
      "Steps of the iteration",
      (step) => this.draw(step),
      changed,
    );
    this.stepper.listen(byId("panel-iteration"));
  }
  load(operands, at = 0) {
    this.rows.forEach((row, number) => {
      const given = operands[number] ?? { sizes: "", strides: "", dtype: NONE };
      for (const key of ["sizes", "strides", "dtype"]) row[key].value = given[key];
      if (row.dtype.selectedIndex < 0) row.dtype.value = "float32";
    });
    this.start = at;
  }
  values() {
    return this.rows
      .map((row) => ({ sizes: row.sizes.value, strides: row.strides.value, dtype: row.dtype.value }))
      .filter((each) => each.dtype !== NONE);
  }
  edited() {
    this.start = 0;
    this.update();
    this.changed();
  }
  operands() {
    return this.values().map(({ sizes, strides, dtype }, number) => {
      if (dtype.startsWith("number")) return { number: dtype.slice(8) };
      const { sizes: found, strides: steps } = tensorOf(
        intsOf(sizes, `Sizes of ${operandName(number)}`),
        strides.trim() ? intsOf(strides, `Strides of ${operandName(number)}`) : null,
        0,
        dtype,
        null,
      );
      return { sizes: found, strides: steps, dtype, ndim: found.length };
    });
  }
  update() {
    this.rows.forEach(({ sizes, strides, dtype }) => {
      const isTensor = dtype.value !== NONE && !dtype.value.startsWith("number");
      sizes.disabled = strides.disabled = !isTensor;
    });
    this.made = null;
    try {
      const operands = this.operands();
      const promotion = resultType(operands);
      this.made = iterate(operands, promotion.dtype);
      this.drawPromotion(operands, promotion);
      const converted = this.made.inputs.flatMap((each, number) =>
        each.converted ? [`${operandName(number)} from ${each.from}`] : [],
      );
      say(
        byId("iteration-message"),
        `The common dtype is ${promotion.dtype}` +
          (converted.length
            ? `; converted copies are made of ${converted.join(" and ")}.`
            : ": no operand is converted."),
      );
    } catch (error) {
      if (!(error instanceof GnomonError)) throw error;
      say(byId("iteration-message"), errorText(error), true);
      replaceIn(byId("promotion"));
      byId("loops").textContent = "";
      replaceIn(byId("offsets"));
    }
    if (this.made) this.drawLoops();
    this.stepper.load(this.made?.steps ?? [], this.start);
  }
  drawPromotion(operands, { dtype, soFar }) {
    const kinds = ["bool", "integer", "floating point", "complex"];
    const defaults = { bool: "bool", int: "int64", float: "float32" };
    const rows = operands.map((each, number) => {
      const own = each.dtype ?? defaults[each.number];
      const what =
        each.number !== undefined ? "wrapped number" : each.ndim ? "tensor with dimensions" : "0-dim tensor";
      return [operandName(number), what, own, kinds[DTYPES[own].category], soFar[number]];
    });
    replaceIn(
      byId("promotion"),
      makeTable(
        ["operand", "what it is", "dtype", "category", "so far"],
        [...rows, ["result", "", dtype, kinds[DTYPES[dtype].category], ""]],
        { caption: "Type promotion" },
      ),
      make("p", {
        class: "quiet",
        text:
          "Three ranks: tensors with dimensions, 0-dim tensors, numbers. " +
          "A lower rank counts only if its category is higher.",
      }),
    );
  }
  drawLoops() {
    const { shape, strides, inputs } = this.made;
    const names = ["output", ...inputs.map((_, number) => operandName(number))];
    byId("loops").textContent = loopsText(shape, names);
    const rows = firstOffsets(shape, strides, 12).map(({ index, offsets }, number) => [
      String(number),
      tupleText(index),
      ...offsets,
    ]);
    replaceIn(
      byId("offsets"),
      makeTable(["iteration", "index", ...names.map((name) => `${name}: byte`)], rows, {
        caption: "The first iterations",
      }),
    );
  }
  draw(step) {
    if (!step) {
      replaceIn(this.stepper?.place ?? make("div"));
      return;
    }
    const { shape, strides, order, compared = [], kind } = step;
    const count = Math.max(this.made.sizes.length, 1);
    const isBefore = kind === "broadcast";
    const cells = (values) =>
      Array.from({ length: count }, (_, dim) =>
        dim < values.length
          ? make("td", { class: compared.includes(dim) ? "compared" : null, text: values[dim] })
          : make("td", { class: "gone" }, "\u00a0"),
      );
    const isMerged = shape.length < order.length;
    const named_ = ["output", ...this.made.inputs.map((_, number) => operandName(number))];
    const row = (name, values) => make("tr", {}, make("th", { scope: "row", text: name }), ...cells(values));
    const rows = [
      row(
        isBefore ? "dimension" : "iterator's dimension",
        shape.map((_, dim) => dim),
      ),
      row("was dimension", isMerged || isBefore ? shape.map(() => "–") : order),
      row("size", shape),
      ...strides.map((each, number) =>
        row(`${named_[number]}: stride in bytes`, each ?? shape.map(() => "?")),
      ),
    ];
    const table = make(
      "table",
      { class: "iterator", "aria-label": "Dimensions and strides at this step" },
      make("tbody", {}, ...rows),
    );
    const isOuterFirst = kind === "broadcast";
    const [walked, steps] = isOuterFirst
      ? [shape.toReversed(), strides.map((each) => each && each.toReversed())]
      : [shape, strides];
    replaceIn(
      this.stepper.place,
      make("div", { class: "scroll" }, table),
      drawVisits(walked, steps, named_, DTYPES[this.made.dtype].itemsize),
    );
  }
}

const MOST_VISITS = 48;

// In which order a traversal of this shape, dimension 0 fastest, comes to the places of each operand's
// memory.
function drawVisits(shape, strides, names, itemsize) {
  const known = names.flatMap((name, number) => (strides[number] ? [[name, strides[number]]] : []));
  const rows = firstOffsets(
    shape,
    known.map(([, each]) => each),
    MOST_VISITS,
  );
  const parts = known.flatMap(([name], number) => {
    const visits = new Map();
    rows.forEach(
      ({ offsets }, at) =>
        visits.has(offsets[number] / itemsize) || visits.set(offsets[number] / itemsize, at),
    );
    const most = Math.min(Math.max(...visits.keys(), -1) + 1, MOST_VISITS);
    const cells = Array.from({ length: most }, (_, place) => {
      const at = visits.get(place);
      return make("i", {
        class: at === undefined ? "unused" : null,
        style: `--hue: ${hueOf(at ?? 0, 0, rows.length - 1)}`,
        text: at ?? "",
      });
    });
    return [make("span", { text: name }), make("div", {}, ...cells)];
  });
  return make(
    "div",
    {},
    make("p", {
      class: "summary visits-title",
      text:
        "Places of memory, and in each the number of the iteration that comes to it first, " +
        "if dimension 0 is the inner loop:",
    }),
    make("div", { class: "visits", "aria-hidden": "true" }, ...parts),
  );
}
