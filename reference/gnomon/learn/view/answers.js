// Answers about a tensor: whether its elements share places, and which dimensions one stride traverses.

// The groups of computeStride, outermost first.
function chunkTable(found, sizes, strides, to) {
  const rows = [...found.chunks].reverse().map((chunk, number) => {
    const old = Array.from({ length: chunk.last - chunk.first + 1 }, (_, index) => chunk.first + index);
    return [
      `group ${number}`,
      old.map((dim) => `${dim}: ${sizes[dim]} by ${strides[dim]}`).join(", "),
      `${chunk.numel} by ${chunk.stride}`,
      !chunk.isReached
        ? "–"
        : chunk.dims.length
          ? chunk.dims
              .map((dim) => `${dim}: ${to[dim]}${found.strides ? ` by ${found.strides[dim]}` : ""}`)
              .join(", ")
          : "none",
      make("span", {
        class: chunk.isFilled ? "yes" : "bad",
        text: chunk.isFilled ? "fits" : chunk.isReached ? "does not fit" : "not reached",
      }),
    ];
  });
  return makeTable(["computeStride", "old dimensions", "elements", "new dimensions", ""], rows, {
    caption: "Groups of dimensions that one stride traverses",
  });
}

const LINK_HINT = "Point at a cell, or go to it by Tab and arrow keys: its place is marked in both.";
const COUNTED = 2 ** 18;

// Whether elements share places: counted where that is quick, else what the strides say.
function overlapAnswer({ sizes, strides }) {
  const count = numelOf(sizes),
    reach = extent(sizes, strides);
  const text = (is, words) => make("span", { class: is ? "bad" : "yes", text: words });
  if (isNonOverlappingAndDense(sizes, strides)) return text(false, "no");
  if (reach <= COUNTED) {
    const used = elementsAtPlaces(sizes, strides, 0, 0, reach).reduce((sum, each) => sum + (each > 0), 0);
    return used < count ? text(true, `yes: ${count} elements have ${used} places`) : text(false, "no");
  }
  if (hasInternalOverlap(sizes, strides)) return text(true, "yes: a stride is 0");
  return mayOverlap(sizes, strides)
    ? text(true, "perhaps: a stride is within the reach of smaller ones")
    : text(false, "no");
}

// [the number of elements at a place], or [null] where counting would take long.
function elementsAtPlacesNear({ sizes, strides, offset }, place) {
  const from = place - offset;
  if (from < 0) return [0];
  return from <= COUNTED ? elementsAtPlaces(sizes, strides, 0, from, from + 1) : [null];
}

// Buttons to the part before and after.
function pager(what, from, count, total, move) {
  return [
    make(
      "button",
      {
        type: "button",
        "aria-label": `Previous ${what}`,
        disabled: from <= 0,
        on: { click: () => move(from - count) },
      },
      "◀",
    ),
    make(
      "button",
      {
        type: "button",
        "aria-label": `Next ${what}`,
        disabled: from + count >= total,
        on: { click: () => move(from + count) },
      },
      "▶",
    ),
  ];
}
