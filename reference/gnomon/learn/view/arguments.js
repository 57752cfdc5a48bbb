// Matching the arguments of a call with an operator's overloads, as gnomon's argument parser does.
//
// The overloads, in the order in which they are tried, are gnomon's own, written into the page.

class Mismatch extends Error {}

const PYTHON_NAMES = {
  NoneType: "NoneType",
  dtype: "dtype",
  memory_format: "memory_format",
  ellipsis: "ellipsis",
};

const typeName = (value) => PYTHON_NAMES[value.type] ?? value.type;

function valueText(value) {
  const isSequence = value.type === "tuple" || value.type === "list";
  return isSequence && value.items.length
    ? `${typeName(value)} of ${typeName(value.items[0])}`
    : typeName(value);
}

// The JavaScript value of one argument: a number, a boolean, a name, null, or a Tensor as it is.
function convertOne(type, value) {
  if (type === "Tensor" && value.type === "Tensor") return value;
  if ((type === "int" || type === "SymInt") && value.type === "int") return value.value;
  if (type === "bool" && value.type === "bool") return value.value;
  if (type === "Scalar" && isNumber(value)) return value;
  if (type === "ScalarType" && value.type === "dtype") return value.name;
  if (type === "MemoryFormat" && value.type === "memory_format") return value.name;
  throw new Mismatch();
}

function convertArgument(argument, value) {
  if (value.type === "NoneType") {
    if (argument.isOptional || argument.default === null) return null;
    throw new Mismatch();
  }
  if (!argument.isList) return convertOne(argument.type, value);
  if (value.type !== "tuple" && value.type !== "list") throw new Mismatch();
  return value.items.map((each) => convertOne(argument.type, each));
}

function misfitText(argument, value) {
  if (argument.isList && (value.type === "tuple" || value.type === "list")) {
    for (const [position, each] of value.items.entries()) {
      try {
        convertOne(argument.type, each);
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        return `but found element of type ${typeName(each)} at pos ${position}`;
      }
    }
  }
  return `not ${valueText(value)}`;
}

function bindOne(signature, given, named) {
  const { arguments: wanted, varargs } = signature;
  const positional = wanted.filter((each) => !each.isKeywordOnly).length;
  const values = new Array(wanted.length).fill(undefined);
  for (const [index, value] of given.entries()) {
    if (index >= positional)
      throw new Mismatch(`takes ${positional} positional arguments but ${given.length} were given`);
    if (index === varargs && value.type === "int") {
      values[index] = { type: "tuple", items: given.slice(index) };
      break;
    }
    values[index] = value;
  }
  for (const [name, value] of Object.entries(named)) {
    const synonyms = { axis: "dim", keepdims: "keepdim", input: "self" };
    let position = wanted.findIndex((each) => each.name === name);
    if (position < 0) position = wanted.findIndex((each) => each.name === synonyms[name]);
    if (position < 0) throw new Mismatch(`got an unexpected keyword argument '${name}'`);
    if (values[position] !== undefined) throw new Mismatch(`got multiple values for argument '${name}'`);
    values[position] = value;
  }
  return wanted.map((argument, position) => {
    const value = values[position];
    const shown = argument.name === "self" ? "input" : argument.name;
    if (value === undefined) {
      if (argument.isRequired)
        throw new Mismatch(`missing required argument '${shown}' (position ${position + 1})`);
      return argument.default;
    }
    try {
      return convertArgument(argument, value);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      throw new Mismatch(
        `argument '${shown}' (position ${position + 1}) must be ${argument.typeText}, ` +
          `${misfitText(argument, value)}`,
      );
    }
  });
}

// The overload that the arguments match, and its arguments.  Throws GnomonError (TypeError) for none.
function bindArguments(name, given, named) {
  const signatures = GNOMON.signatures[name];
  const problems = [];
  for (const signature of signatures) {
    try {
      return { overload: signature.overload, values: bindOne(signature, given, named) };
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      problems.push(error.message);
    }
  }
  if (signatures.length === 1) throw new GnomonError("TypeError", `${name}(): ${problems[0]}`);
  const texts = [
    ...given.map(valueText),
    ...Object.entries(named).map(([key, value]) => `${key}=${valueText(value)}`),
  ];
  const expected = signatures
    .map((signature, number) => `\n * ${signature.text}: ${problems[number]}`)
    .join("");
  throw new GnomonError(
    "TypeError",
    `${name}() received an invalid combination of arguments - got (${texts.join(", ")}), but expected ` +
      `one of:${expected}`,
  );
}
