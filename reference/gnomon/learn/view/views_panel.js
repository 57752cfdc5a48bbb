// The panel of views: a chain of operators, the tensor of each step beside its storage, and another shape.

const VIEW_EXAMPLES = [
  {
    title: "Transpose and slice",
    expression: "arange(24).view(2, 3, 4).transpose(0, 2)[1:, ::2]",
    wish: "3, 4",
  },
  { title: "Sliding windows", expression: "arange(10).unfold(0, 4, 2)", wish: "16" },
  {
    title: "Channels last",
    expression: "arange(48).view(2, 3, 2, 4).contiguous(memory_format=gn.channels_last)",
    wish: "2, 3, 8",
  },
  { title: "Expand: one row, many times", expression: "arange(4).expand(3, 4)", wish: "12" },
  { title: "A diagonal", expression: "arange(25).view(5, 5).diagonal(1)", wish: "2, 2" },
  {
    title: "reshape copies, view does not",
    expression: "arange(12).view(3, 4).t().reshape(2, 6)",
    wish: "12",
  },
  { title: "Overlap by as_strided", expression: "arange(8).as_strided((3, 4), (2, 1))", wish: "12" },
  {
    title: "x by its sizes and strides",
    expression: "x",
    sizes: "2, 3, 4",
    strides: "1, 8, 2",
    offset: "0",
    elements: "",
    wish: "6, 4",
  },
  {
    title: "Six dimensions",
    expression: "arange(144).view(2, 3, 2, 3, 2, 2).movedim(0, -1)",
    wish: "6, 6, 2, 2",
  },
];

class ViewsPanel {
  constructor(changed) {
    this.changed = changed;
    this.step = -1; // of the chain: the last one
    this.shown = { page: 0, row: 0, column: 0, place: null };
    this.fields = {
      e: "expression",
      sizes: "x-sizes",
      strides: "x-strides",
      offset: "x-offset",
      dtype: "x-dtype",
      elements: "x-elements",
      wish: "wish",
    };
    replaceIn(
      byId("x-dtype"),
      ...Object.keys(DTYPES).map((name) => make("option", { value: name, text: name })),
    );
    for (const id of Object.values(this.fields))
      byId(id).addEventListener("input", () => this.edited(id !== "wish"));
    fillExamples(byId("views-example"), VIEW_EXAMPLES, (example) => {
      this.load({ e: example.expression, sizes: "2, 3, 4", dtype: "float32", ...example });
      this.edited(true);
    });
    for (const id of ["elements", "storage"]) moveInGrids(byId(id));
    linkGrids([byId("elements"), byId("storage")], (cell) => this.tell(cell));
    byId("elements").addEventListener("keydown", (event) => {
      const cell = event.target.closest?.("td[data-place]");
      if (event.key === "Enter" && cell) this.showPlace(Number(cell.dataset.place));
    });
    window.matchMedia("(max-width: 760px)").addEventListener("change", () => this.draw());
  }
  load(given) {
    for (const [key, id] of Object.entries(this.fields)) byId(id).value = given[key] ?? "";
    if (byId("x-dtype").selectedIndex < 0) byId("x-dtype").value = "float32";
    byId("x-fields").open = /\bx\b/.test(byId("expression").value);
  }
  values() {
    return Object.fromEntries(Object.entries(this.fields).map(([key, id]) => [key, byId(id).value]));
  }
  edited(isChain) {
    if (isChain) {
      this.step = -1;
      this.shown = { page: 0, row: 0, column: 0, place: null };
    }
    this.update();
    this.changed();
  }
  x() {
    const { sizes, strides, offset, dtype, elements } = this.values();
    return tensorOf(
      intsOf(sizes, "Sizes"),
      strides.trim() ? intsOf(strides, "Strides") : null,
      intOf(offset, "Storage offset", 0),
      dtype,
      intOf(elements, "Storage, elements", null),
    );
  }
  update() {
    const { e } = this.values();
    const usesX = /\bx\b/.test(e);
    let found,
      error = null;
    try {
      found = evaluateChain(e, usesX ? this.x() : undefined);
      ({ error } = found);
    } catch (raised) {
      if (!(raised instanceof GnomonError)) throw raised;
      error = raised;
      found = { steps: [] };
    }
    byId("expression").setAttribute("aria-invalid", error !== null);
    this.steps = found.steps;
    this.drawSteps();
    const chosen = this.steps[this.step < 0 ? this.steps.length - 1 : this.step]?.value;
    this.tensor = chosen?.type === "Tensor" ? chosen : (chosen?.items?.[0] ?? null);
    if (error) say(byId("views-message"), errorText(error), true);
    else say(byId("views-message"), this.sentence());
    this.draw();
  }
  sentence() {
    const { sizes, strides, offset, dtype } = this.tensor;
    return `sizes ${tupleText(sizes)}, strides ${tupleText(strides)}, storage_offset ${offset}, ${dtype}`;
  }
  drawSteps() {
    const last = this.step < 0 ? this.steps.length - 1 : this.step;
    const first = Math.max(0, this.steps.length - 100);
    replaceIn(
      byId("views-steps"),
      ...this.steps.slice(first).map(({ source, isCopy, isSame }, index) => {
        const number = first + index;
        const what = isCopy
          ? "a copy, with new storage"
          : isSame
            ? "the tensor itself"
            : number
              ? "a view"
              : "the start";
        return make(
          "li",
          {},
          make(
            "button",
            {
              type: "button",
              "aria-pressed": String(number === last),
              title: what,
              on: { click: () => this.choose(number) },
            },
            source.length > 60 ? `${source.slice(0, 59)}…` : source,
            ...(isCopy
              ? [make("span", { class: "copy", text: " copy" })]
              : isSame
                ? [make("span", { class: "copy", text: " itself" })]
                : []),
          ),
        );
      }),
    );
  }
  choose(number) {
    this.step = number;
    this.shown = { page: 0, row: 0, column: 0, place: null };
    this.update();
    byId("views-steps").querySelector('[aria-pressed="true"]')?.focus();
  }
  draw() {
    const { tensor } = this;
    const places = ["elements", "elements-bar", "storage", "storage-bar", "views-dims", "views-facts"].map(
      byId,
    );
    if (!tensor) {
      for (const each of places) replaceIn(each);
      for (const id of ["views-summary", "storage-summary", "linked"]) byId(id).textContent = "";
      this.drawWish();
      return;
    }
    this.drawElements();
    this.drawPlaces();
    this.drawFacts();
    this.drawWish();
    byId("linked").textContent = LINK_HINT;
  }
  drawElements() {
    const part = windowOf(this.tensor, this.shown);
    const count = numelOf(this.tensor.sizes);
    byId("views-summary").textContent =
      `${count} element${count === 1 ? "" : "s"}: the value, and below it the place in the storage`;
    replaceIn(byId("elements"), ...drawElements(this.tensor, part));
    const first = byId("elements").querySelector("td[data-place]");
    if (first) first.tabIndex = 0;
    const bar = [];
    if (part.pages > part.atOnce) {
      const end = Math.min(part.page + part.atOnce, part.pages);
      const which = part.atOnce === 1 ? `page ${end}` : `pages ${part.page + 1}–${end}`;
      bar.push(
        ...pager("page", part.page, part.atOnce, part.pages, (page) => this.move({ page }, "elements-bar")),
        make("span", { text: `${which} of ${part.pages}` }),
      );
    }
    for (const [what, size, most] of [
      ["row", part.rows, part.height],
      ["column", part.columns, part.width],
    ]) {
      if (size <= most) continue;
      bar.push(
        make(
          "label",
          {},
          `${what}s from`,
          make("input", {
            type: "number",
            min: 0,
            max: size - most,
            value: part[what],
            on: { change: (event) => this.move({ [what]: Number(event.target.value) || 0 }, "elements-bar") },
          }),
        ),
        make("span", { text: `of ${size}` }),
      );
    }
    if (!bar.length) bar.push(make("span", { text: "all elements are shown" }));
    replaceIn(byId("elements-bar"), ...bar);
  }
  move(part, bar) {
    const index = [...byId(bar).querySelectorAll("button, input")].indexOf(document.activeElement);
    Object.assign(this.shown, part);
    if (bar === "storage-bar") this.drawPlaces();
    else this.drawElements();
    const again = [...byId(bar).querySelectorAll("button, input")];
    (again[index]?.disabled ? again.find((each) => !each.disabled) : again[index])?.focus();
  }
  drawPlaces() {
    const { tensor } = this;
    const isNarrow = window.matchMedia("(max-width: 760px)").matches;
    const columns = isNarrow ? 6 : 10;
    const atOnce = isNarrow ? 96 : 200;
    const total = storagePlaces(tensor),
      reached = Math.min(total, MOST_PLACES);
    const wanted = this.shown.place ?? Math.min(tensor.offset, Math.max(reached - 1, 0));
    const from = Math.max(0, Math.floor(wanted / atOnce) * atOnce);
    const to = Math.min(from + atOnce, reached);
    byId("storage-summary").textContent =
      `${tensor.storage.nbytes} bytes, ${total} place${total === 1 ? "" : "s"} of ` +
      `${DTYPES[tensor.dtype].itemsize} for ${tensor.dtype}` +
      (total > reached ? `; the first ${reached} can be shown` : "");
    replaceIn(byId("storage"), drawStorage(tensor, from, to, columns));
    const first = byId("storage").querySelector("td[data-place]");
    if (first) first.tabIndex = 0;
    const bar =
      reached > atOnce
        ? pager("places", from, atOnce, reached, (place) => this.move({ place }, "storage-bar"))
        : [];
    replaceIn(
      byId("storage-bar"),
      ...bar,
      make("span", { text: to > from ? `places ${from}–${to - 1} of ${total}` : "no places" }),
    );
  }
  showPlace(place) {
    if (place >= MOST_PLACES) return;
    this.shown.place = place;
    this.drawPlaces();
    byId("storage").querySelector(`td[data-place="${place}"]`)?.focus();
  }
  tell(cell) {
    if (!cell) {
      byId("linked").textContent = LINK_HINT;
      return;
    }
    const place = Number(cell.dataset.place),
      { itemsize } = DTYPES[this.tensor.dtype];
    const [count] = elementsAtPlacesNear(this.tensor, place);
    const here = [...byId("elements").querySelectorAll(`td[data-place="${place}"]`)].map(
      (each) => `[${each.dataset.index}]`,
    );
    const shared =
      count === null
        ? ""
        : count === 0
          ? "no element is there"
          : count === 1
            ? "one element is there"
            : `${count} elements share it`;
    const which = here.length ? `: ${here.slice(0, 6).join(" ")}${here.length > 6 ? " …" : ""}` : "";
    byId("linked").textContent = `Place ${place}, byte ${place * itemsize}${shared && `: ${shared}`}${which}`;
  }
  drawFacts() {
    const { sizes, strides, dtype } = this.tensor;
    const { itemsize } = DTYPES[dtype];
    replaceIn(
      byId("views-dims"),
      sizes.length
        ? makeTable(
            ["dimension", "size", "stride", "in bytes"],
            sizes.map((size, dim) => [String(dim), size, strides[dim], strides[dim] * itemsize]),
            { caption: "Dimensions" },
          )
        : make("p", { class: "quiet", text: "It has no dimensions: one element, at the offset." }),
    );
    const answer = (is, more = "") =>
      make("span", { class: is ? "yes" : "no", text: `${is ? "yes" : "no"}${more}` });
    const format = (ndim) =>
      sizes.length === ndim
        ? answer(isChannelsLast(sizes, strides, ndim))
        : answer(false, `: not ${ndim} dimensions`);
    replaceIn(
      byId("views-facts"),
      makeTable(
        ["question", "answer"],
        [
          ["is_contiguous()", answer(isContiguous(sizes, strides))],
          ["channels_last", format(4)],
          ["channels_last_3d", format(5)],
          ["non-overlapping and dense", answer(isNonOverlappingAndDense(sizes, strides))],
          ["elements share places", overlapAnswer(this.tensor)],
        ],
        { caption: "Properties" },
      ),
    );
  }
  drawWish() {
    const text = byId("wish").value,
      place = byId("wish-answer");
    replaceIn(byId("wish-chunks"));
    if (!this.tensor || !text.trim()) {
      say(place, this.tensor ? "Type a shape: can view make it, or only reshape, by a copy?" : "");
      return;
    }
    try {
      const { sizes, strides } = this.tensor;
      const to = named("view", () => inferSize(intsOf(text, "Shape"), numelOf(sizes)));
      const found = computeStride(sizes, strides, to);
      if (found.strides)
        say(
          place,
          `view(${to.join(", ")}) can do it, with strides ${tupleText(found.strides)}` +
            (found.reason ? `: ${found.reason}.` : "."),
        );
      else say(place, `Only reshape(${to.join(", ")}) can, by a copy: ${found.reason}.`);
      if (found.chunks.length) replaceIn(byId("wish-chunks"), chunkTable(found, sizes, strides, to));
    } catch (error) {
      if (!(error instanceof GnomonError)) throw error;
      say(place, errorText(error), true);
    }
  }
}
