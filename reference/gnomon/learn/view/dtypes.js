// Type promotion.  The table of dtypes and of promote_types is gnomon's own, written into the page.

const DTYPES = GNOMON.dtypes; // name: {itemsize, category, toComplex}

const nameOrError = (found) => (typeof found === "string" ? found : fail(found.error));

const promoteTypes = (first, second) => nameOrError(GNOMON.promotion[first][second]);

// The common dtype of operands {dtype, ndim} and {number: "bool" | "int" | "float"}, with the result after
// each. Three ranks: tensors with dimensions, 0-dim tensors, and numbers.
function resultType(operands, defaultDtype = "float32") {
  const ranks = { dim: null, zero: null, number: null };
  const kinds = { bool: "bool", int: "int64", float: defaultDtype };
  const soFar = [];
  for (const each of operands) {
    const rank = each.number !== undefined ? "number" : each.ndim > 0 ? "dim" : "zero";
    const dtype = each.number !== undefined ? kinds[each.number] : each.dtype;
    ranks[rank] = ranks[rank] === null ? dtype : promoteTypes(ranks[rank], dtype);
    soFar.push(combineCategories(ranks.dim, combineCategories(ranks.zero, ranks.number)));
  }
  return { dtype: soFar[soFar.length - 1], soFar, ranks };
}

// ``higher``, unless ``lower`` is of a higher category.
function combineCategories(higher, lower) {
  if (higher === null || lower === null) return higher ?? lower;
  const [a, b] = [DTYPES[higher].category, DTYPES[lower].category];
  if (a === 3) return higher;
  if (a === 2) return b === 3 ? nameOrError(DTYPES[higher].toComplex) : higher;
  if (b === 3) return lower;
  if (higher === "bool" || b >= 2) return promoteTypes(higher, lower);
  return higher;
}

// -- numbers as a dtype holds them ---------------------------------------------------------------------

// Of floats of less than 32 bits: the bits of the fraction, the least exponent, and the largest number.
const SMALL_FLOATS = {
  float16: [10, -14, 65504],
  complex32: [10, -14, 65504],
  bfloat16: [7, -126, 3.3895313892515355e38],
  float8_e4m3fn: [3, -6, 448],
  float8_e5m2: [2, -14, 57344],
};

// A number as an element of this dtype: rounded, ties to even, truncated, or wrapped around.
function castNumber(dtype, value) {
  const { category, itemsize } = DTYPES[dtype];
  if (category === 0) return value === 0 ? 0 : 1;
  if (category === 1) {
    if (itemsize === 8) return Math.trunc(value) + (dtype === "uint64" && value <= -1 ? 2 ** 64 : 0);
    const modulus = 2 ** (8 * itemsize);
    const wrapped = ((Math.trunc(value) % modulus) + modulus) % modulus;
    return !dtype.startsWith("u") && wrapped >= modulus / 2 ? wrapped - modulus : wrapped;
  }
  if (dtype === "float64" || dtype === "complex128") return value;
  const single = Math.fround(value);
  return SMALL_FLOATS[dtype] ? roundedTo(single, ...SMALL_FLOATS[dtype]) : single;
}

function roundedTo(value, fraction, least, most) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return value;
  let exponent = Math.floor(Math.log2(size));
  if (2 ** exponent > size) exponent -= 1;
  const step = 2 ** (Math.max(exponent, least) - fraction);
  const steps = size / step,
    floor = Math.floor(steps);
  const even = steps - floor === 0.5 ? floor + (floor % 2) : Math.round(steps);
  return Math.sign(value) * (even * step > most ? Infinity : even * step);
}

// Throws for a number that the dtype can not hold; a negative one wraps around in an unsigned dtype.
function checkNumberFits(value, isFloat, dtype) {
  const { category, itemsize } = DTYPES[dtype];
  let fits = true;
  if (category === 1) {
    const isSigned = !dtype.startsWith("u");
    const most = 2 ** (8 * itemsize - isSigned) - 1;
    const least = isSigned ? -most - 1 : isFloat ? 0 : -most;
    fits = value >= least && value <= most;
  } else if (category === 2 && Number.isFinite(value)) {
    const isFloat8 = dtype.startsWith("float8");
    fits = isFloat8 ? Math.abs(value) <= SMALL_FLOATS[dtype][2] : Number.isFinite(castNumber(dtype, value));
  }
  if (!fits) fail(`value cannot be converted to type ${dtype} without overflow`);
}
