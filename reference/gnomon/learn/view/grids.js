// The two grids: the elements of a tensor by pages, and the places of its storage; they are linked both ways.

const MOST_CELLS = 256; // of the pages that are shown at once
const MOST_ROWS = 16;
const MOST_COLUMNS = 16;
const MOST_PLACES = 2 ** 20; // of a storage, that can be looked at

const hueOf = (place, low, high) => Math.round((300 * (place - low)) / Math.max(high - low, 1));

function cellText(value) {
  if (value === undefined) return "?";
  const text = Number.isInteger(value) ? String(value) : numberText(value);
  return text.length <= 7 ? text : `${text.slice(0, 6)}…`;
}

// What part of the tensor is shown: the pages, and the rows and columns of each.
function windowOf(tensor, shown) {
  const [rows, columns] = [1, 1, ...tensor.sizes].slice(-2);
  const leading = tensor.sizes.slice(0, -2);
  const pages = leading.reduce((product, size) => product * size, 1);
  const [height, width] = [Math.min(rows, MOST_ROWS), Math.min(columns, MOST_COLUMNS)];
  const atOnce = Math.min(Math.max(Math.floor(MOST_CELLS / Math.max(height * width, 1)), 1), 8);
  const clamp = (value, most) => Math.min(Math.max(value, 0), Math.max(most, 0));
  return {
    rows,
    columns,
    leading,
    pages,
    atOnce,
    page: clamp(Math.floor(shown.page / atOnce) * atOnce, Math.floor((pages - 1) / atOnce) * atOnce),
    row: clamp(shown.row, rows - height),
    column: clamp(shown.column, columns - width),
    height,
    width,
  };
}

function indexOfPage(page, leading) {
  const index = [];
  for (let dim = leading.length - 1; dim >= 0; dim -= 1) {
    index.unshift(page % leading[dim]);
    page = Math.floor(page / leading[dim]);
  }
  return index;
}

// The pages of elements, as tables.
function drawElements(tensor, part) {
  const { sizes, strides, offset } = tensor;
  const ndim = sizes.length;
  if (sizes.includes(0)) return [make("p", { class: "quiet", text: "There are no elements: a size is 0." })];
  const low = offset,
    high = offset + extent(sizes, strides) - 1;
  const [rowStride, columnStride] = [0, 0, ...strides].slice(-2);
  const made = [];
  for (let page = part.page; page < Math.min(part.page + part.atOnce, part.pages); page += 1) {
    const leading = indexOfPage(page, part.leading);
    const first = leading.reduce((sum, index, dim) => sum + index * strides[dim], offset);
    const title =
      ndim > 2
        ? `[${leading.join(", ")}, :, :]`
        : ndim === 0
          ? "one element"
          : `[${new Array(ndim).fill(":").join(", ")}]`;
    const head = make(
      "tr",
      { role: "row" },
      make("th", {}),
      ...Array.from({ length: part.width }, (_, column) =>
        make("th", { scope: "col", text: part.column + column }),
      ),
    );
    const body = Array.from({ length: part.height }, (_, rowNumber) => {
      const row = part.row + rowNumber;
      const cells = Array.from({ length: part.width }, (_, columnNumber) => {
        const column = part.column + columnNumber;
        const place = first + row * rowStride + column * columnStride;
        const index = [...leading, ...[row, column].slice(2 - Math.min(ndim, 2))];
        const value = cellText(valueAt(tensor, index));
        return make(
          "td",
          {
            role: "gridcell",
            tabindex: "-1",
            style: `--hue: ${hueOf(place, low, high)}`,
            data: { place, index: index.join(", ") },
            "aria-label": `element [${index.join(", ")}] is ${value}, at place ${place}`,
          },
          make("b", { text: value }),
          make("small", { text: place }),
        );
      });
      return make("tr", { role: "row" }, make("th", { scope: "row", text: ndim > 1 ? row : "" }), ...cells);
    });
    const table = make(
      "table",
      { class: "cells", role: "grid", "aria-label": `Elements ${title}` },
      make("thead", {}, head),
      make("tbody", {}, ...body),
    );
    made.push(make("figure", {}, make("figcaption", { text: title }), table));
  }
  return made;
}

const storagePlaces = (tensor) => Math.floor(tensor.storage.nbytes / DTYPES[tensor.dtype].itemsize);

// The places ``from`` to ``to`` of the storage, as a table of ``columns``.
function drawStorage(tensor, from, to, columns) {
  const { sizes, strides, offset } = tensor;
  if (to <= from) return make("p", { class: "quiet", text: "No places are here." });
  const counts = elementsAtPlaces(sizes, strides, offset, from, to);
  const low = offset,
    high = offset + extent(sizes, strides) - 1;
  const isKnown = tensor.storage.itemsize === DTYPES[tensor.dtype].itemsize;
  const rows = [];
  for (let start = from; start < to; start += columns) {
    const cells = [];
    for (let place = start; place < start + columns; place += 1) {
      if (place >= to) {
        cells.push(make("td", { class: "none", role: "gridcell" }));
        continue;
      }
      const count = counts[place - from];
      const value = cellText(isKnown ? tensor.storage.value(place) : undefined);
      const says = count === 0 ? "no element" : count === 1 ? "1 element" : `${count} elements`;
      cells.push(
        make(
          "td",
          {
            role: "gridcell",
            tabindex: "-1",
            class: count ? null : "unused",
            style: `--hue: ${hueOf(place, low, high)}`,
            data: { place, count },
            "aria-label": `place ${place} holds ${value}: ${says}`,
          },
          make("b", { text: value }),
          make("small", { text: count > 1 ? `${place} ×${count}` : place }),
        ),
      );
    }
    rows.push(make("tr", { role: "row" }, make("th", { scope: "row", text: start }), ...cells));
  }
  return make(
    "table",
    { class: "cells", role: "grid", "aria-label": `Storage, places ${from} to ${to - 1}` },
    make("tbody", {}, ...rows),
  );
}

// Arrow keys within the grids of a container, of which one cell can be reached by Tab.
function moveInGrids(container) {
  const cells = () => [...container.querySelectorAll("td[data-place]")];
  container.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.("td[data-place]");
    if (!cell) return;
    const target = neighbor(cell, event.key, cells());
    if (!target) return;
    event.preventDefault();
    target.focus();
  });
  container.addEventListener("focusin", (event) => {
    const cell = event.target.closest?.("td[data-place]");
    if (!cell) return;
    for (const each of container.querySelectorAll('td[tabindex="0"]')) each.tabIndex = -1;
    cell.tabIndex = 0;
  });
}

function neighbor(cell, key, all) {
  const row = cell.parentElement,
    own = (each) => each.dataset?.place !== undefined;
  const column = cell.cellIndex;
  const table = cell.closest("table");
  const firstOf = (other) => other?.querySelector("td[data-place]");
  const tables = [...new Set(all.map((each) => each.closest("table")))];
  const found = {
    ArrowRight: () =>
      cell.nextElementSibling ?? firstOf(row.nextElementSibling ?? tables[tables.indexOf(table) + 1]),
    ArrowLeft: () => all[all.indexOf(cell) - 1],
    ArrowDown: () => row.nextElementSibling?.cells[column],
    ArrowUp: () => row.previousElementSibling?.cells[column],
    Home: () => firstOf(row),
    End: () => [...row.cells].filter(own).pop(),
    PageDown: () => firstOf(tables[tables.indexOf(table) + 1]),
    PageUp: () => firstOf(tables[tables.indexOf(table) - 1]),
  }[key]?.();
  return found && own(found) ? found : null;
}

// Marks all cells of the place that the pointer is on, or the focus; ``told`` gets the cell, or null.
function linkGrids(containers, told) {
  const mark = (place) => {
    for (const container of containers) {
      for (const each of container.querySelectorAll(".linked")) each.classList.remove("linked");
      if (place === null) continue;
      for (const each of container.querySelectorAll(`td[data-place="${place}"]`))
        each.classList.add("linked");
    }
  };
  const enter = (event) => {
    const cell = event.target.closest?.("td[data-place]");
    if (!cell) return;
    mark(cell.dataset.place);
    told(cell);
  };
  const leave = () => {
    const focused = document.activeElement?.closest?.("td[data-place]");
    mark(focused ? focused.dataset.place : null);
    told(focused ?? null);
  };
  for (const container of containers) {
    container.addEventListener("pointerover", enter);
    container.addEventListener("focusin", enter);
    container.addEventListener("pointerleave", leave);
    container.addEventListener("focusout", () => mark(null));
  }
}
