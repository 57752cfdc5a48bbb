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
