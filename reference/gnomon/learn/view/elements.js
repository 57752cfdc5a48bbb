// Small helpers: elements of the document, tables, fields, and messages.

const byId = (id) => document.getElementById(id);

// A new element: ``properties`` are attributes, except ``text``, ``on`` (handlers) and ``data``.
function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") made.textContent = value;
    else if (name === "on")
      for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (name === "data") Object.assign(made.dataset, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// A table: ``rows`` of texts or elements; the first of each is its heading.
function makeTable(headings, rows, { caption, kind = "facts", currentRow = -1 } = {}) {
  const cell = (tag, content, more = {}) =>
    make(tag, more, ...(content instanceof Node ? [content] : [String(content)]));
  return make(
    "table",
    { class: kind, "aria-label": caption },
    make("thead", {}, make("tr", {}, ...headings.map((each) => cell("th", each, { scope: "col" })))),
    make(
      "tbody",
      {},
      ...rows.map((row, number) =>
        make(
          "tr",
          { class: number === currentRow ? "current" : null },
          ...row.map((each, column) =>
            column ? cell("td", each, { class: "mono" }) : cell("th", each, { scope: "row" }),
          ),
        ),
      ),
    ),
  );
}

const replaceIn = (parent, ...children) => parent.replaceChildren(...children);

// A message, or an error in gnomon's words.
function say(place, text, isError = false) {
  place.textContent = text;
  place.classList.toggle("error", isError);
}

const errorText = (error) => `${error.kind === "NotAView" ? "" : `${error.kind}: `}${error.message}`;

// The ints of a field: "2, 3", "(2, 3)", "[2, 3]", "()" or "".  Throws GnomonError for anything else.
function intsOf(text, what) {
  const bare = text
    .trim()
    .replace(/^[([]([^()[\]]*)[)\]]$/, "$1")
    .trim();
  if (bare === "") return [];
  return bare
    .replace(/,\s*$/, "")
    .split(/\s*,\s*|\s+/)
    .map((each) => {
      if (!/^[-+]?\d[\d_]*$/.test(each))
        throw new GnomonError(
          "TypeError",
          `${what}: expected integers, as 2, 3, got ${JSON.stringify(each)}`,
        );
      return integer(Number(each.replaceAll("_", ""))).value;
    });
}

function intOf(text, what, otherwise) {
  const found = intsOf(text, what);
  if (found.length > 1)
    throw new GnomonError("TypeError", `${what}: expected one integer, got ${found.length}`);
  return found.length ? found[0] : otherwise;
}

// Fills a menu with choices [text, value], below a first entry that chooses none.
function fillExamples(select, examples, choose) {
  replaceIn(
    select,
    make("option", { value: "", text: "choose …" }),
    ...examples.map((each, number) => make("option", { value: number, text: each.title })),
  );
  select.addEventListener("change", () => {
    if (select.value !== "") choose(examples[Number(select.value)]);
    select.value = "";
  });
}
