// The expressions that a reader types: a part of Python's grammar, as a tree.
//
// Numbers, strings, None, True, False, names, tuples, lists, arithmetic, and chains of attributes, calls and
// indices.  A chain is one flat node, so that a very long one does not exhaust the stack.

class GnomonError extends Error {
  // An error as gnomon raises it: ``kind`` is the name of Python's class.
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

const MOST_CHARACTERS = 20000;
const MOST_NESTED = 60;
const NUMBER = /(\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)/;
const STRING = /("[^"\n]*"|'[^'\n]*')/;
const SIGN = /(\.\.\.|\*\*|\/\/|[-+*/%@()[\],:.=])/;
const TOKEN = new RegExp(
  `\\s*(?:${NUMBER.source}|([A-Za-z_]\\w*)|${STRING.source}|${SIGN.source}|(\\S))`,
  "gy",
);

function tokensOf(text) {
  if (text.length > MOST_CHARACTERS) {
    throw new GnomonError("SyntaxError", `at most ${MOST_CHARACTERS} characters, got ${text.length}`);
  }
  const tokens = [];
  TOKEN.lastIndex = 0;
  for (let found; (found = TOKEN.exec(text)) && found[0] !== "";) {
    const end = TOKEN.lastIndex;
    const [, number, name, string, sign, other] = found;
    const value = number ?? name ?? string ?? sign ?? other;
    if (value === undefined) break;
    if (other !== undefined)
      throw new GnomonError(
        "SyntaxError",
        `invalid character ${JSON.stringify(other)} at position ${end - 1}`,
      );
    const kind =
      number !== undefined
        ? "number"
        : name !== undefined
          ? "name"
          : string !== undefined
            ? "string"
            : "sign";
    tokens.push({ kind, value, start: end - value.length, end });
  }
  tokens.push({ kind: "end", value: "the end", start: text.length, end: text.length });
  return tokens;
}

function integer(value) {
  if (!Number.isSafeInteger(value)) {
    throw new GnomonError(
      "OverflowError",
      `this page counts exactly up to ${Number.MAX_SAFE_INTEGER}, which a number exceeds`,
    );
  }
  return { type: "int", value: value + 0 };
}

class Parser {
  constructor(text) {
    this.text = text;
    this.tokens = tokensOf(text);
    this.position = 0;
    this.depth = 0;
  }
  get token() {
    return this.tokens[this.position];
  }
  at(sign) {
    return this.token.kind === "sign" && this.token.value === sign;
  }
  take(sign) {
    if (!this.at(sign)) return false;
    this.position += 1;
    return true;
  }
  expect(sign) {
    if (!this.take(sign)) this.fail(`expected ${JSON.stringify(sign)}`);
  }
  fail(what) {
    const { value, start } = this.token;
    throw new GnomonError("SyntaxError", `${what}, got ${JSON.stringify(value)} at position ${start}`);
  }
  // a tuple without parentheses, or one expression
  expressions(end) {
    const items = [this.sum()];
    if (!this.at(",")) return items[0];
    while (this.take(",")) {
      if (end && this.at(end)) break;
      if (this.token.kind === "end") break;
      items.push(this.sum());
    }
    return { kind: "tuple", items };
  }
  sum() {
    this.depth += 1;
    if (this.depth > MOST_NESTED) throw new GnomonError("SyntaxError", "too many nested parentheses");
    let left = this.product();
    while (this.at("+") || this.at("-")) {
      const operator = this.tokens[this.position++].value;
      left = { kind: "binary", operator, left, right: this.product() };
    }
    this.depth -= 1;
    return left;
  }
  product() {
    let left = this.unary();
    while (["*", "/", "//", "%", "@"].some((sign) => this.at(sign))) {
      const operator = this.tokens[this.position++].value;
      left = { kind: "binary", operator, left, right: this.unary() };
    }
    return left;
  }
  unary() {
    const signs = [];
    while (this.at("-") || this.at("+")) signs.push(this.tokens[this.position++].value);
    if (signs.length > MOST_NESTED) throw new GnomonError("SyntaxError", "too many signs");
    let operand = this.power();
    for (const sign of signs.reverse()) if (sign === "-") operand = { kind: "negative", operand };
    return operand;
  }
  power() {
    const base = this.chain();
    if (!this.take("**")) return base;
    this.depth += 1;
    if (this.depth > MOST_NESTED) throw new GnomonError("SyntaxError", "too many nested powers");
    const right = this.unary();
    this.depth -= 1;
    return { kind: "binary", operator: "**", left: base, right };
  }
  chain() {
    const start = this.token.start;
    const base = this.atom();
    const operations = [];
    for (;;) {
      const from = this.tokens[this.position - 1].end;
      if (this.take(".")) {
        if (this.token.kind !== "name") this.fail("expected a name after '.'");
        operations.push({ kind: "attribute", name: this.tokens[this.position++].value });
      } else if (this.take("(")) {
        operations.push({ kind: "call", ...this.arguments() });
      } else if (this.take("[")) {
        operations.push({ kind: "index", items: this.indices() });
      } else break;
      const { end } = this.tokens[this.position - 1];
      Object.assign(operations[operations.length - 1], { source: this.text.slice(from, end), end });
    }
    if (!operations.length) return base;
    return { kind: "chain", base, operations, start };
  }
  arguments() {
    const given = [],
      named = {};
    while (!this.at(")")) {
      const next = this.tokens[this.position + 1];
      if (this.token.kind === "name" && next.kind === "sign" && next.value === "=") {
        const name = this.token.value;
        this.position += 2;
        if (Object.hasOwn(named, name))
          throw new GnomonError("SyntaxError", `keyword argument repeated: ${name}`);
        named[name] = this.sum();
      } else {
        if (Object.keys(named).length)
          throw new GnomonError("SyntaxError", "positional argument follows keyword argument");
        given.push(this.sum());
      }
      if (!this.take(",")) break;
    }
    this.expect(")");
    return { given, named };
  }
  indices() {
    if (this.at("]")) this.fail("expected an index");
    const items = [this.slice()];
    let isTuple = false;
    while (this.take(",")) {
      isTuple = true;
      if (this.at("]")) break;
      items.push(this.slice());
    }
    this.expect("]");
    return { isTuple, items };
  }
  slice() {
    const part = () => (this.at(":") || this.at(",") || this.at("]") ? null : this.sum());
    const start = part();
    if (!this.take(":")) return start;
    const stop = part();
    const step = this.take(":") ? part() : null;
    return { kind: "slice", start, stop, step };
  }
  atom() {
    const token = this.token;
    if (token.kind === "number") {
      this.position += 1;
      const digits = token.value.replaceAll("_", "");
      const isInteger = /^\d+$/.test(digits);
      return {
        kind: "value",
        value: isInteger ? integer(Number(digits)) : { type: "float", value: Number(digits) },
      };
    }
    if (token.kind === "string") {
      this.position += 1;
      return { kind: "value", value: { type: "str", value: token.value.slice(1, -1) } };
    }
    if (token.kind === "name") {
      this.position += 1;
      const constants = {
        None: { type: "NoneType" },
        True: { type: "bool", value: true },
        False: { type: "bool", value: false },
        Ellipsis: { type: "ellipsis" },
      };
      return Object.hasOwn(constants, token.value)
        ? { kind: "value", value: constants[token.value] }
        : { kind: "name", name: token.value };
    }
    if (this.take("...")) return { kind: "value", value: { type: "ellipsis" } };
    if (this.take("(")) {
      if (this.take(")")) return { kind: "tuple", items: [] };
      const inside = this.expressions(")");
      this.expect(")");
      return inside;
    }
    if (this.take("[")) {
      const items = [];
      while (!this.at("]")) {
        items.push(this.sum());
        if (!this.take(",")) break;
      }
      this.expect("]");
      return { kind: "list", items };
    }
    return this.fail("expected an expression");
  }
}

// The tree of one expression.  Throws GnomonError (SyntaxError).
function parseExpression(text) {
  const parser = new Parser(text);
  if (parser.token.kind === "end") throw new GnomonError("SyntaxError", "expected an expression, got none");
  const tree = parser.expressions();
  if (parser.token.kind !== "end") parser.fail("expected the end of the expression");
  return tree;
}

// The assignments ``name = expression``, one a line or separated by semicolons, as pairs of name and tree.
function parseStatements(text) {
  const found = [];
  for (const line of text.split(/[\n;]/)) {
    const bare = line.replace(/#.*/, "").trim();
    if (!bare) continue;
    const match = /^([A-Za-z_]\w*)\s*=(?!=)(.*)$/.exec(bare);
    if (!match)
      throw new GnomonError("SyntaxError", `expected name = expression, got ${JSON.stringify(bare)}`);
    found.push([match[1], parseExpression(match[2])]);
  }
  return found;
}

// The value of a tree.  ``scope`` has the functions that give meaning to names and to what is done with
// values: name, call, method, attribute, item, binary, negative.
function evaluate(tree, scope) {
  switch (tree.kind) {
    case "value":
      return tree.value;
    case "name":
      return scope.name(tree.name);
    case "tuple":
    case "list":
      return { type: tree.kind, items: tree.items.map((each) => evaluate(each, scope)) };
    case "slice": {
      const part = (each) => (each === null ? { type: "NoneType" } : evaluate(each, scope));
      return { type: "slice", start: part(tree.start), stop: part(tree.stop), step: part(tree.step) };
    }
    case "negative": {
      const operand = evaluate(tree.operand, scope);
      if (isNumber(operand)) return numberOf("-", { type: "int", value: 0 }, operand);
      return scope.negative(operand);
    }
    case "binary": {
      const left = evaluate(tree.left, scope),
        right = evaluate(tree.right, scope);
      if (isNumber(left) && isNumber(right)) return numberOf(tree.operator, left, right);
      return scope.binary(tree.operator, left, right);
    }
    default: {
      let value =
        tree.base.kind === "name" && isModule(tree.base.name)
          ? { type: "module" }
          : evaluate(tree.base, scope);
      const { operations } = tree;
      for (let number = 0; number < operations.length; number += 1) {
        const operation = operations[number];
        const isCalled = operation.kind === "attribute" && operations[number + 1]?.kind === "call";
        let { source, end } = operation;
        if (operation.kind === "attribute" && value.type === "module") value = scope.name(operation.name);
        else if (isCalled && value.type !== "function") {
          const call = operations[++number];
          source += call.source;
          end = call.end;
          value = scope.method(value, operation.name, ...evaluated(call, scope));
        } else if (operation.kind === "attribute") value = scope.attribute(value, operation.name);
        else if (operation.kind === "call") {
          if (value.type !== "function")
            throw new GnomonError("TypeError", `'${value.type}' object is not callable`);
          value = scope.call(value.name, ...evaluated(operation, scope));
        } else
          value = scope.item(
            value,
            operation.items.isTuple,
            operation.items.items.map((each) => evaluate(each, scope)),
          );
        scope.done?.(value, source, end);
      }
      return value;
    }
  }
}

const isModule = (name) => name === "gn" || name === "gnomon" || name === "torch";
const isNumber = (value) => value.type === "int" || value.type === "float" || value.type === "bool";

function evaluated(call, scope) {
  const named = {};
  for (const [name, each] of Object.entries(call.named)) named[name] = evaluate(each, scope);
  return [call.given.map((each) => evaluate(each, scope)), named];
}

// Python's arithmetic of two numbers.
function numberOf(operator, left, right) {
  const a = Number(left.value),
    b = Number(right.value);
  if ((operator === "/" || operator === "//" || operator === "%") && b === 0) {
    throw new GnomonError("ZeroDivisionError", "division by zero");
  }
  const rules = {
    "+": () => a + b,
    "-": () => a - b,
    "*": () => a * b,
    "/": () => a / b,
    "//": () => Math.floor(a / b),
    "%": () => a - b * Math.floor(a / b),
    "**": () => a ** b,
  };
  if (!rules[operator])
    throw new GnomonError(
      "TypeError",
      `unsupported operand types for ${operator}: ${left.type} and ${right.type}`,
    );
  const value = rules[operator]();
  const isFloat =
    left.type === "float" || right.type === "float" || operator === "/" || (operator === "**" && b < 0);
  return isFloat ? { type: "float", value } : integer(value);
}
