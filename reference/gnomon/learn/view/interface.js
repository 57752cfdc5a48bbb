// The page: tabs, theme, and the state in the address, so that a link shows the same.

const MODES = ["views", "iteration", "autograd"];

const page = {
  mode: "views",
  timer: null,
  start() {
    const given = GNOMON.start;
    this.views = new ViewsPanel(() => this.changed());
    this.iteration = new IterationPanel(() => this.changed());
    this.autograd = new AutogradPanel(() => this.changed(), given?.graph ? given : null);
    this.listen();
    this.read();
  },
  listen() {
    for (const mode of MODES) {
      const tab = byId(`tab-${mode}`);
      tab.addEventListener("click", () => this.show(mode, true));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const at =
          event.key === "Home"
            ? 0
            : event.key === "End"
              ? MODES.length - 1
              : step
                ? (MODES.indexOf(mode) + step + MODES.length) % MODES.length
                : null;
        if (at === null) return;
        event.preventDefault();
        this.show(MODES[at], true);
        byId(`tab-${MODES[at]}`).focus();
      });
    }
    window.addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== this.written) this.read();
    });
    byId("theme").addEventListener("click", () => this.nextTheme());
    byId("copy-link").addEventListener("click", () => this.copyLink());
    this.setTheme(storedTheme());
  },
  show(mode, isTold) {
    this.mode = mode;
    for (const each of MODES) {
      const isShown = each === mode;
      const tab = byId(`tab-${each}`);
      tab.setAttribute("aria-selected", isShown);
      tab.tabIndex = isShown ? 0 : -1;
      byId(`panel-${each}`).hidden = !isShown;
      if (!isShown) this[each].stepper?.stop();
    }
    if (isTold) this.changed();
  },
  // The state of the address; without one, what the command gave, else an example.
  read() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const given = GNOMON.start;
    const has = hash.has("mode");
    this.loadViews(has && hash.has("e") ? Object.fromEntries(hash) : null, given?.tensor);
    const at = (name) => Math.max(Number(hash.get(name)) || 0, 0);
    const operands = hash.getAll("operand").map((each) => {
      const [sizes = "", strides = "", dtype = "float32"] = each.split("|");
      return { sizes, strides, dtype };
    });
    this.iteration.load(
      operands.length ? operands : (given?.operands?.map(operandTexts) ?? ITERATION_EXAMPLES[2].operands),
      at("istep"),
    );
    if (hash.has("grad"))
      this.autograd.load({ expression: hash.get("grad"), variables: hash.get("with") ?? "" }, at("gstep"));
    else if (given?.graph) this.autograd.load({ isGiven: true }, at("gstep"));
    else this.autograd.load(AUTOGRAD_EXAMPLES[0], at("gstep"));
    for (const each of MODES) this[each].update();
    const mode = hash.get("mode") ?? given?.mode;
    this.show(MODES.includes(mode) ? mode : "views", false);
  },
  loadViews(hash, tensor) {
    if (hash) this.views.load(hash);
    else if (tensor) {
      const { sizes, strides, offset, dtype, elements } = tensor;
      this.views.load({
        e: "x",
        sizes: sizes.length ? sizes.join(", ") : "()",
        strides: strides.join(", "),
        offset,
        dtype,
        elements,
        wish: sizes.length > 1 ? "-1" : "",
      });
    } else this.views.load({ ...VIEW_EXAMPLES[0], e: VIEW_EXAMPLES[0].expression, sizes: "2, 3, 4" });
  },
  address() {
    const hash = new URLSearchParams({ mode: this.mode });
    if (this.mode === "views")
      for (const [key, value] of Object.entries(this.views.values())) hash.set(key, value);
    if (this.mode === "iteration") {
      for (const { sizes, strides, dtype } of this.iteration.values())
        hash.append("operand", `${sizes}|${strides}|${dtype}`);
      hash.set("istep", this.iteration.stepper.at);
    }
    if (this.mode === "autograd") {
      const { expression, variables, isGiven } = this.autograd.values();
      if (!isGiven) {
        hash.set("grad", expression);
        hash.set("with", variables);
      }
      hash.set("gstep", this.autograd.stepper.at);
    }
    return String(hash);
  },
  // Browsers refuse many changes of the address within seconds: the last one is written.
  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.written = this.address();
      try {
        history.replaceState(null, "", `#${this.written}`);
      } catch {
        location.replace(`#${this.written}`);
      }
    }, 150);
  },
  copyLink() {
    const link = `${location.href.split("#")[0]}#${this.address()}`;
    const told = (text) => {
      byId("copy-link").textContent = text;
      setTimeout(() => (byId("copy-link").textContent = "Copy link"), 2000);
    };
    location.hash = this.written = this.address();
    if (!navigator.clipboard) return told("In the address");
    return navigator.clipboard.writeText(link).then(
      () => told("Copied"),
      () => told("In the address"),
    );
  },
  setTheme(theme) {
    this.theme = theme;
    if (theme === "automatic") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    byId("theme").textContent = `Theme: ${theme}`;
    byId("theme").setAttribute("aria-label", `Theme: ${theme}`);
    try {
      localStorage.setItem("gnomon-theme", theme);
    } catch {
      // a file's page may have no storage: the theme lasts as long as the page
    }
  },
  nextTheme() {
    const themes = ["automatic", "dark", "light"];
    this.setTheme(themes[(themes.indexOf(this.theme) + 1) % themes.length]);
  },
};

function storedTheme() {
  try {
    const theme = localStorage.getItem("gnomon-theme");
    return ["dark", "light"].includes(theme) ? theme : "automatic";
  } catch {
    return "automatic";
  }
}

const operandTexts = (each) =>
  each.number !== undefined
    ? { sizes: "", strides: "", dtype: `number: ${each.number}` }
    : {
        sizes: each.sizes.length ? each.sizes.join(", ") : "()",
        strides: each.strides.join(", "),
        dtype: each.dtype,
      };

page.start();
