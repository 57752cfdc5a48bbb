// Recording: an expression of the autograd mode is computed, and each operator records its Node.
//
// A graph is {nodes, root, forward}.  A Node is {id, name, sequence, edges, saved, sizes, apply}: ``edges``
// says for each input where its gradient goes, {node, input} or null; ``apply`` computes these gradients.

const LAST_SEQUENCE = Infinity; // of AccumulateGrad: it runs before all else that is ready
const MOST_NODES = 400;

class Recorder {
  constructor() {
    this.nodes = [];
    this.forward = [];
    this.sequence = 0;
  }
  node(made) {
    if (this.nodes.length >= MOST_NODES)
      fail(`draw: the graph has more than ${MOST_NODES} Nodes, of which at most ${MOST_NODES} can be drawn`);
    this.nodes.push({ id: this.nodes.length, ...made });
    return this.nodes[this.nodes.length - 1];
  }
  // The Node to which the gradient of a tensor goes; a leaf gets its AccumulateGrad here.
  edge(tensor) {
    if (!tensor.requiresGrad) return null;
    tensor.node ??= this.node({
      name: "AccumulateGrad",
      sequence: LAST_SEQUENCE,
      edges: [],
      saved: [],
      sizes: tensor.sizes,
      variable: tensor,
    });
    return { node: tensor.node, input: 0 };
  }
  record(name, inputs, options = {}) {
    const rule = RULES[name];
    const tensors = inputs.map((each) => (each.type === "Tensor" ? each : scalar(Number(each.value))));
    const result = named({ sum_dim: "sum", rsub: "rsub" }[name] ?? name, () =>
      rule.forward(tensors, options),
    );
    const edges = rule.gradients.map((_, number) =>
      inputs[number].type === "Tensor" ? this.edge(tensors[number]) : null,
    );
    if (edges.some((edge) => edge !== null)) {
      const kept = {},
        saved = [];
      const needed = new Set(rule.needs.filter((_, number) => edges[number]).flat());
      for (const what of needed) {
        kept[what] = savedValue(what, tensors, result, options);
        const value = savedValue(what, inputs, result, options);
        saved.push({ name: what, text: savedText(value) });
      }
      result.requiresGrad = true;
      result.node = this.node({
        name: rule.node,
        sequence: this.sequence++,
        edges,
        saved,
        sizes: result.sizes,
        apply: (grad) => edges.map((edge, number) => (edge ? rule.gradients[number](grad, kept) : null)),
      });
    }
    this.forward.push({ operator: name, inputs, result, node: result.node ?? null });
    return result;
  }
}

function savedText(value) {
  if (Array.isArray(value)) return tupleText(value);
  if (value?.type === "Tensor") return `${valuesText(value, 4)} (sizes ${listText(value.sizes)})`;
  if (value?.type) return numberText(Number(value.value));
  return value === true ? "True" : value === false ? "False" : String(value);
}

const POINTWISE_NAMES = [
  "sin",
  "cos",
  "exp",
  "log",
  "sqrt",
  "tanh",
  "sigmoid",
  "relu",
  "abs",
  "reciprocal",
  "neg",
  "t",
];
const BINARY_NAMES = { add: "+", sub: "-", mul: "*", div: "/", pow: "**", matmul: "@", mm: "@" };
const OPERATOR_LIST =
  "+ - * / ** @, sum, mean, sin, cos, exp, log, sqrt, tanh, sigmoid, relu, abs, reciprocal, square, t, " +
  "detach";

function binaryOf(recorder, operator, left, right) {
  const [isLeft, isRight] = [left.type === "Tensor", right.type === "Tensor"];
  if (!(isLeft || isNumber(left)) || !(isRight || isNumber(right))) {
    throw new GnomonError(
      "TypeError",
      `unsupported operand types for ${operator}: ${typeName(left)} and ${typeName(right)}`,
    );
  }
  const run = (name, ...inputs) => recorder.record(name, inputs);
  switch (operator) {
    case "+":
      return isLeft ? run("add", left, right) : run("add", right, left);
    case "*":
      return isLeft ? run("mul", left, right) : run("mul", right, left);
    case "-":
      return isLeft ? run("sub", left, right) : run("rsub", right, left);
    case "/":
      return isLeft ? run("div", left, right) : run("mul", run("reciprocal", right), left);
    case "**":
      return isLeft && !isRight ? run("pow", left, right) : run("pow_tensor", left, right);
    case "@":
      if (isLeft && isRight && left.sizes.length === 1 && right.sizes.length === 1)
        return run("dot", left, right);
      if (isLeft && isRight && left.sizes.length === 2 && right.sizes.length === 2)
        return run("mm", left, right);
      throw new GnomonError("RuntimeError", "@: this mode multiplies two vectors or two matrices");
    default:
      throw new GnomonError("TypeError", `${operator} has no gradient here; there are ${OPERATOR_LIST}`);
  }
}

function numbersIn(value, sizes, dim, found) {
  if (value.type === "list" || value.type === "tuple") {
    if (sizes.length === dim) sizes.push(value.items.length);
    if (value.items.length !== sizes[dim])
      throw new GnomonError(
        "ValueError",
        `expected sequence of length ${sizes[dim]} at dim ${dim} (got ${value.items.length})`,
      );
    for (const each of value.items) numbersIn(each, sizes, dim + 1, found);
  } else if (isNumber(value) && sizes.length === dim) found.push(value);
  else
    throw new GnomonError(
      "TypeError",
      `tensor: expected numbers in nested lists of equal lengths, got ${typeName(value)}`,
    );
}

// A leaf: tensor(numbers), ones(sizes) or zeros(sizes), with requires_grad.
function leafOf(name, given, options) {
  for (const key of Object.keys(options)) {
    if (key !== "requires_grad" && key !== "dtype")
      throw new GnomonError("TypeError", `${name}(): got an unexpected keyword argument '${key}'`);
  }
  let made,
    dtype = "float32";
  if (name === "tensor") {
    if (given.length !== 1)
      throw new GnomonError(
        "TypeError",
        `tensor(): expected one number or list, got ${given.length} arguments`,
      );
    const sizes = [],
      found = [];
    numbersIn(given[0], sizes, 0, found);
    dtype =
      !found.length || found.some((each) => each.type === "float")
        ? "float32"
        : found.some((each) => each.type === "int")
          ? "int64"
          : "bool";
    made = tensorFrom(sizes, (index) => Number(found[index].value));
  } else {
    const items = given.length === 1 && given[0].items ? given[0].items : given;
    if (items.some((each) => each.type !== "int" || each.value < 0))
      throw new GnomonError("TypeError", `${name}(): argument 'size' must be nonnegative ints`);
    made = tensorFrom(
      items.map((each) => each.value),
      () => (name === "ones" ? 1 : 0),
    );
  }
  if (options.dtype?.type === "dtype") dtype = options.dtype.name;
  if (DTYPES[dtype].category === 3) fail("this mode computes with real numbers");
  made.requiresGrad = options.requires_grad?.value === true;
  if (made.requiresGrad && DTYPES[dtype].category !== 2)
    fail(
      `only Tensors of floating point and complex dtype can require gradients, not of gnomon.${dtype}; ` +
        "to(gnomon.float32) converts",
    );
  return made;
}

function sumOf(recorder, self, given, options) {
  const values = { dim: given[0], keepdim: given[1], ...options };
  for (const key of Object.keys(options))
    if (key !== "dim" && key !== "keepdim")
      throw new GnomonError("TypeError", `sum(): got an unexpected keyword argument '${key}'`);
  if (values.dim === undefined && values.keepdim === undefined) return recorder.record("sum", [self]);
  const dims = values.dim?.items ?? (values.dim && values.dim.type !== "NoneType" ? [values.dim] : []);
  if (dims.some((each) => each.type !== "int"))
    throw new GnomonError("TypeError", "sum(): argument 'dim' must be ints");
  const dim = named("sum", () =>
    wrapDims(
      dims.map((each) => each.value),
      self.sizes.length,
    ),
  );
  return recorder.record("sum_dim", [self], {
    dim: self.sizes.length ? dim : [],
    keepdim: values.keepdim?.value === true,
  });
}

function methodOf(recorder, self, name, given, options) {
  if (self.type !== "Tensor") return noAttribute(self, name);
  if (name === "sum") return sumOf(recorder, self, given, options);
  const count = Object.hasOwn(BINARY_NAMES, name) ? 1 : 0;
  const known = POINTWISE_NAMES.includes(name) || count || ["mean", "square", "detach"].includes(name);
  if (!known)
    throw new GnomonError(
      "AttributeError",
      `'Tensor' object has no attribute '${name}' in this mode; there are ${OPERATOR_LIST}`,
    );
  if (given.length !== count || Object.keys(options).length)
    throw new GnomonError(
      "TypeError",
      `${name}(): takes ${count} argument${count ? "" : "s"} here, got ` +
        `${given.length + Object.keys(options).length}`,
    );
  if (count) return binaryOf(recorder, BINARY_NAMES[name], self, given[0]);
  if (name === "square") return binaryOf(recorder, "**", self, { type: "int", value: 2 });
  if (name === "detach") return { ...self, requiresGrad: false, node: undefined };
  return recorder.record(name, [self]);
}

function autogradScope(recorder, variables) {
  return {
    name(name) {
      if (Object.hasOwn(variables, name)) return variables[name];
      if (Object.hasOwn(DTYPES, name)) return { type: "dtype", name };
      if (
        [
          "tensor",
          "ones",
          "zeros",
          "sum",
          "mean",
          "square",
          "detach",
          ...POINTWISE_NAMES,
          ...Object.keys(BINARY_NAMES),
        ].includes(name)
      )
        return { type: "function", name };
      throw new GnomonError("NameError", `name '${name}' is not defined`);
    },
    call(name, given, options) {
      if (["tensor", "ones", "zeros"].includes(name)) return leafOf(name, given, options);
      if (!given.length)
        throw new GnomonError("TypeError", `${name}(): missing required argument 'input' (position 1)`);
      return methodOf(recorder, given[0], name, given.slice(1), options);
    },
    method: (self, name, given, options) => methodOf(recorder, self, name, given, options),
    attribute: (self, name) => noAttribute(self, name),
    item: () => {
      throw new GnomonError("TypeError", "indices have no gradient in this mode");
    },
    binary: (operator, left, right) => binaryOf(recorder, operator, left, right),
    negative(value) {
      if (value.type !== "Tensor")
        throw new GnomonError("TypeError", `bad operand type for unary -: '${typeName(value)}'`);
      return recorder.record("neg", [value]);
    },
  };
}

// The graph that an expression records.  ``statements`` define its variables.  Throws GnomonError.
function recordGraph(expression, statements) {
  const recorder = new Recorder();
  const variables = {};
  const scope = autogradScope(recorder, variables);
  for (const [name, tree] of parseStatements(statements)) {
    const value = evaluate(tree, scope);
    if (value.type === "Tensor") value.label ??= name;
    variables[name] = value;
  }
  const output = evaluate(parseExpression(expression), scope);
  if (output.type !== "Tensor")
    throw new GnomonError("TypeError", `the expression is a ${typeName(output)}, not a tensor`);
  const root = recorder.edge(output);
  if (root === null)
    fail(
      "element 0 of tensors does not require grad and does not have a grad_fn: no tensor that it was " +
        "computed from requires grad, or it was computed under no_grad() or detached",
    );
  if (output.data.length !== 1)
    fail(
      "grad can be implicitly created only for scalar outputs; element 0 of tensors has shape " +
        `${listText(output.sizes)}; a sum() or mean() of it is one number, or give its gradient`,
    );
  return {
    nodes: recorder.nodes,
    root: root.node,
    forward: recorder.forward,
    output,
    seed: tensorFrom(output.sizes, () => 1),
  };
}
