// The operators of the autograd mode: what each computes, saves, and does with a gradient.
//
// Names of Nodes and of what is saved, and the formulas, are gnomon's.

// A rule: node: the Node's name; forward(inputs, options); gradients: one formula for each input, called with
// (gradient, saved); needs: what each of them needs of what is saved.
const unary = (node, forward, saved, gradient) => ({
  node,
  forward: ([self]) => pointwise(forward, self),
  needs: [[saved]],
  gradients: [(grad, kept) => pointwise(gradient, grad, kept[saved])],
});

const sign = (value) => (Number.isNaN(value) ? value : Math.sign(value));

const RULES = {
  add: {
    node: "AddBackward0",
    forward: ([a, b]) => pointwise((x, y) => x + y, a, b),
    needs: [[], ["alpha"]],
    gradients: [(grad) => grad, (grad) => grad],
  },
  sub: {
    node: "SubBackward0",
    forward: ([a, b]) => pointwise((x, y) => x - y, a, b),
    needs: [[], ["alpha"]],
    gradients: [(grad) => grad, (grad) => pointwise((x) => -x, grad)],
  },
  rsub: {
    node: "RsubBackward0",
    forward: ([a, b]) => pointwise((x, y) => y - x, a, b),
    needs: [["alpha"], []],
    gradients: [(grad) => pointwise((x) => -x, grad), (grad) => grad],
  },
  mul: {
    node: "MulBackward0",
    forward: ([a, b]) => pointwise((x, y) => x * y, a, b),
    needs: [["other"], ["self"]],
    gradients: [
      (grad, { other }) => pointwise((g, y) => g * y, grad, other),
      (grad, { self }) => pointwise((g, x) => g * x, grad, self),
    ],
  },
  div: {
    node: "DivBackward0",
    forward: ([a, b]) => pointwise((x, y) => x / y, a, b),
    needs: [["other"], ["self", "other"]],
    gradients: [
      (grad, { other }) => pointwise((g, y) => g / y, grad, other),
      (grad, { self, other }) => pointwise((g, x, y) => -g * (x / y / y), grad, self, other),
    ],
  },
  pow: {
    // by a number
    node: "PowBackward0",
    forward: ([a, b]) => pointwise((x) => x ** b.data[0], a),
    needs: [["self", "exponent"]],
    gradients: [
      (grad, { self, exponent }) => {
        const power = exponent.data[0];
        return power === 0
          ? pointwise(() => 0, grad)
          : pointwise((g, x) => g * (power * x ** (power - 1)), grad, self);
      },
    ],
  },
  pow_tensor: {
    node: "PowBackward1",
    forward: ([a, b]) => pointwise((x, y) => x ** y, a, b),
    needs: [
      ["self", "exponent"],
      ["self", "exponent", "result"],
    ],
    gradients: [
      (grad, { self, exponent }) =>
        pointwise((g, x, y) => (y === 0 ? 0 : g * (y * x ** (y - 1))), grad, self, exponent),
      (grad, { self, exponent, result }) =>
        pointwise(
          (g, x, y, r) => (x === 0 && y >= 0 ? 0 : g * (r * Math.log(x))),
          grad,
          self,
          exponent,
          result,
        ),
    ],
  },
  neg: {
    node: "NegBackward0",
    forward: ([a]) => pointwise((x) => -x, a),
    needs: [[]],
    gradients: [(grad) => pointwise((x) => -x, grad)],
  },
  sin: unary("SinBackward0", Math.sin, "self", (g, x) => g * Math.cos(x)),
  cos: unary("CosBackward0", Math.cos, "self", (g, x) => g * -Math.sin(x)),
  exp: unary("ExpBackward0", Math.exp, "result", (g, y) => g * y),
  log: unary("LogBackward0", Math.log, "self", (g, x) => g / x),
  sqrt: unary("SqrtBackward0", Math.sqrt, "result", (g, y) => g / (2 * y)),
  tanh: unary("TanhBackward0", Math.tanh, "result", (g, y) => g * (1 - y * y)),
  sigmoid: unary(
    "SigmoidBackward0",
    (x) => 1 / (1 + Math.exp(-x)),
    "result",
    (g, y) => g * ((1 - y) * y),
  ),
  relu: unary(
    "ReluBackward0",
    (x) => (x > 0 || Number.isNaN(x) ? x : 0),
    "result",
    (g, y) => (y > 0 ? g : 0),
  ),
  abs: unary("AbsBackward0", Math.abs, "self", (g, x) => g * sign(x)),
  reciprocal: unary(
    "ReciprocalBackward0",
    (x) => 1 / x,
    "result",
    (g, y) => -g * (y * y),
  ),
  sum: {
    node: "SumBackward0",
    forward: ([self]) => sumOver(self, [...self.sizes.keys()], false),
    needs: [["self_sizes"]],
    gradients: [(grad, { self_sizes }) => expandTo(grad, self_sizes)],
  },
  sum_dim: {
    node: "SumBackward1",
    forward: ([self], { dim, keepdim }) => sumOver(self, dim.length ? dim : [...self.sizes.keys()], keepdim),
    needs: [["self_sizes", "dim", "keepdim"]],
    gradients: [
      (grad, { self_sizes, dim }) => {
        const dims = dim.length ? dim : [...self_sizes.keys()];
        return expandTo(
          { ...grad, sizes: self_sizes.map((size, each) => (dims.includes(each) ? 1 : size)) },
          self_sizes,
        );
      },
    ],
  },
  mean: {
    node: "MeanBackward0",
    forward: ([self]) => {
      const total = sumOver(self, [...self.sizes.keys()], false);
      return pointwise((x) => x / self.data.length, total);
    },
    needs: [["self_sizes"]],
    gradients: [
      (grad, { self_sizes }) =>
        expandTo(
          pointwise((g) => g / numelOf(self_sizes), grad),
          self_sizes,
        ),
    ],
  },
  mm: {
    node: "MmBackward0",
    forward: ([a, b]) => matrixProduct(a, b),
    needs: [
      ["mat2", "self_spec"],
      ["self", "mat2_spec"],
    ],
    gradients: [
      (grad, { mat2 }) => matrixProduct(grad, transposed(mat2)),
      (grad, { self }) => matrixProduct(transposed(self), grad),
    ],
  },
  dot: {
    node: "DotBackward0",
    forward: ([a, b]) => {
      if (!sameSizes(a.sizes, b.sizes))
        fail(
          `inconsistent tensor size, expected tensor ${listText(a.sizes)} and src ${listText(b.sizes)} ` +
            `to have the same number of elements, but got ${a.data.length} and ${b.data.length} ` +
            "elements respectively",
        );
      return sumOver(
        pointwise((x, y) => x * y, a, b),
        [0],
        false,
      );
    },
    needs: [["tensor"], ["self"]],
    gradients: [
      (grad, { tensor }) => pointwise((g, y) => g * y, grad, tensor),
      (grad, { self }) => pointwise((g, x) => g * x, grad, self),
    ],
  },
  t: {
    node: "TBackward0",
    forward: ([self]) => {
      if (self.sizes.length > 2)
        fail(`t() expects a tensor with <= 2 dimensions, but self is ${self.sizes.length}D`);
      return transposed(self);
    },
    needs: [[]],
    gradients: [(grad) => transposed(grad)],
  },
};

// What a rule saves by this name: a tensor, a number, or a text.
function savedValue(name, inputs, result, options) {
  const [self, other] = inputs;
  switch (name) {
    case "self":
    case "result":
      return name === "self" ? self : result;
    case "other":
    case "exponent":
    case "mat2":
    case "tensor":
      return other;
    case "self_sizes":
      return self.sizes;
    case "self_spec":
    case "mat2_spec":
      return (name === "self_spec" ? self : other).sizes;
    case "alpha":
      return 1;
    default:
      return options[name];
  }
}
