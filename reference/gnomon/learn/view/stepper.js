// Controls of an animation: first, back, play, forward, last, and a slider; each step has a text.

const MILLISECONDS_A_STEP = 1200;

class Stepper {
  constructor(parent, name, draw, changed) {
    this.draw = draw;
    this.changed = changed;
    this.steps = [];
    this.at = 0;
    this.timer = null;
    const button = (label, text, act, kind) =>
      make("button", { type: "button", class: kind, "aria-label": label, on: { click: act } }, text);
    this.buttons = {
      first: button("First step", "|◀", () => this.go(0)),
      back: button("Step back", "◀", () => this.go(this.at - 1)),
      play: button("Play", "Play", () => this.toggle(), "play"),
      forward: button("Step forward", "▶", () => this.go(this.at + 1)),
      last: button("Last step", "▶|", () => this.go(this.steps.length - 1)),
    };
    this.slider = make("input", {
      type: "range",
      min: 0,
      value: 0,
      on: { input: (event) => this.go(Number(event.target.value)) },
    });
    this.count = make("span", { class: "mono" });
    this.text = make("p", { class: "step-text", role: "status", "aria-live": "polite" });
    this.place = make("div");
    replaceIn(
      parent,
      make(
        "div",
        { class: "stepper", role: "group", "aria-label": name },
        ...Object.values(this.buttons),
        make("label", { class: "slide" }, "Step", this.slider),
        this.count,
      ),
      this.text,
      this.place,
    );
  }
  load(steps, at = 0) {
    this.stop();
    this.steps = steps;
    this.slider.max = Math.max(steps.length - 1, 0);
    this.go(at, false);
  }
  go(at, isTold = true) {
    if (this.timer !== null && isTold !== "timer") this.stop();
    this.at = Math.min(Math.max(at, 0), Math.max(this.steps.length - 1, 0));
    const step = this.steps[this.at];
    this.slider.value = this.at;
    this.slider.disabled = !step;
    this.count.textContent = step ? `${this.at + 1} of ${this.steps.length}` : "";
    this.slider.setAttribute("aria-valuetext", this.count.textContent);
    this.text.textContent = step ? step.text : "";
    const { first, back, play, forward, last } = this.buttons;
    for (const [button, isOff] of [
      [first, this.at === 0],
      [back, this.at === 0],
      [forward, this.at >= this.steps.length - 1],
      [last, this.at >= this.steps.length - 1],
      [play, !step],
    ]) {
      // the focus stays on a button that is switched off
      button.setAttribute("aria-disabled", isOff);
    }
    this.draw(step);
    if (isTold) this.changed();
  }
  toggle() {
    if (this.timer !== null) return this.stop();
    if (this.at >= this.steps.length - 1) this.go(0);
    this.buttons.play.textContent = "Pause";
    this.buttons.play.setAttribute("aria-label", "Pause");
    this.timer = setInterval(() => {
      this.go(this.at + 1, "timer");
      if (this.at >= this.steps.length - 1) this.stop();
    }, MILLISECONDS_A_STEP);
    return undefined;
  }
  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.buttons.play.textContent = "Play";
    this.buttons.play.setAttribute("aria-label", "Play");
  }
  // Arrow keys anywhere in the panel, outside of fields.
  listen(panel) {
    panel.addEventListener("keydown", (event) => {
      if (
        event.altKey ||
        event.ctrlKey ||
        event.metaKey ||
        event.target.closest("input, select, textarea, pre, [role=tab]")
      )
        return;
      const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.steps.length - 1 }[
        event.key
      ];
      if (to === undefined) return;
      event.preventDefault();
      this.go(to);
    });
  }
}
