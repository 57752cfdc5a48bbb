// The panel of autograd: an expression or a graph of the command, and the engine's run step by step.

const X_AND_Y = "x = tensor([1.0, 2.0], requires_grad=True)\ny = tensor([3.0, 4.0], requires_grad=True)";
const AUTOGRAD_EXAMPLES = [
  { title: "A product and a sine", expression: "(x * y + x.sin()).sum()", variables: X_AND_Y },
  {
    title: "One tensor, used twice",
    expression: "w * w + w",
    variables: "w = tensor(3.0, requires_grad=True)",
  },
  {
    title: "A layer and its loss",
    expression: "((w @ x - t).relu() ** 2).mean()",
    variables:
      "w = tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)\nx = tensor([[1.0], [2.0]])\nt = " +
      "tensor([[-1.0], [1.0]])",
  },
  {
    title: "A broadcast: gradients are summed",
    expression: "(m / row).sum()",
    variables:
      "m = tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)\nrow = tensor([2.0, 4.0], " +
      "requires_grad=True)",
  },
  {
    title: "detach cuts the graph",
    expression: "(x.detach() * x).sum()",
    variables: "x = tensor([1.0, 2.0], requires_grad=True)",
  },
];

class AutogradPanel {
  constructor(changed, given) {
    this.changed = changed;
    this.given = given; // the command's graph, shown until the expression is edited
    for (const id of ["autograd-expression", "autograd-variables"])
      byId(id).addEventListener("input", () => this.edited());
    const examples = given
      ? [{ title: "The command's graph", isGiven: true }, ...AUTOGRAD_EXAMPLES]
      : AUTOGRAD_EXAMPLES;
    fillExamples(byId("autograd-example"), examples, (example) => {
      if (example.isGiven) this.load({ isGiven: true });
      else this.load(example);
      this.start = 0;
      this.update();
      this.changed();
    });
    this.stepper = new Stepper(
      byId("autograd-steps"),
      "Steps of the engine",
      (step) => this.draw(step),
      changed,
    );
    this.stepper.listen(byId("panel-autograd"));
  }
  load({ expression, variables = "", isGiven = false }, at = 0) {
    this.isGiven = isGiven && Boolean(this.given);
    byId("autograd-expression").value = this.isGiven ? this.given.expression : (expression ?? "");
    byId("autograd-variables").value = this.isGiven ? "" : variables;
    this.start = at;
  }
  values() {
    return {
      expression: byId("autograd-expression").value,
      variables: byId("autograd-variables").value,
      isGiven: this.isGiven,
    };
  }
  edited() {
    this.isGiven = false;
    this.start = 0;
    this.update();
    this.changed();
  }
  update() {
    let steps = [];
    this.graph = this.drawing = null;
    const { expression, variables } = this.values();
    try {
      this.graph = this.isGiven ? graphFromData(this.given.graph) : recordGraph(expression, variables);
      steps = runInSteps(this.graph);
      const count = countDependencies(this.graph.root).size;
      const value = this.graph.output ? ` The result is ${valuesText(this.graph.output)}.` : "";
      const origin = this.isGiven
        ? "The graph that the command recorded; its gradients are gnomon's."
        : "Computed here, in float64.";
      say(byId("autograd-message"), `${count} ${count === 1 ? "Node" : "Nodes"}.${value} ${origin}`);
    } catch (error) {
      if (!(error instanceof GnomonError)) throw error;
      this.graph = null;
      say(byId("autograd-message"), errorText(error), true);
    }
    byId("autograd-expression").setAttribute("aria-invalid", this.graph === null);
    if (this.graph) {
      this.drawing = drawGraph(this.graph);
      replaceIn(byId("graph"), this.drawing.svg);
    } else for (const id of ["graph", "ready", "grads", "nodes"]) replaceIn(byId(id));
    this.stepper.load(steps, this.start);
  }
  draw(step) {
    if (!step || !this.drawing) return;
    this.drawing.show(step);
    scrollWithin(byId("graph"), this.drawing.svg.querySelector(".current"));
    const { nodes } = this.graph;
    replaceIn(
      byId("ready"),
      ...(step.ready.length
        ? step.ready.map((id) =>
            make("li", {}, `${nodeText(nodes[id])}, sequence_nr ${sequenceText(nodes[id])}`),
          )
        : [make("li", { class: "quiet", style: "list-style: none", text: "empty" })]),
    );
    const leaves = [...step.dependencies.keys()].filter((id) => nodes[id].name === "AccumulateGrad");
    replaceIn(
      byId("grads"),
      makeTable(
        ["leaf", "kept by the engine", "grad"],
        leaves.map((id) => {
          const kept = step.leaves.find((each) => each.id === id);
          return [
            nodes[id].variable?.label ?? "a leaf",
            kept ? valuesText(kept.gradient) : "–",
            step.grads.has(id) ? valuesText(step.grads.get(id)) : "none",
          ];
        }),
        { caption: "Gradients of leaves" },
      ),
    );
    const ids = [...step.dependencies.keys()];
    replaceIn(
      byId("nodes"),
      makeTable(
        ["Node", "sequence_nr", "edges to", "saved", "waits for", "input buffer", "state"],
        ids.map((id) => nodeRow(this.graph, step, nodes[id])),
        { caption: "Nodes of the graph", currentRow: ids.indexOf(step.current) },
      ),
    );
  }
}

function nodeRow(graph, step, node) {
  const buffer = step.buffers.get(node.id);
  const edges = node.edges.map((edge) => (edge ? nodeText(edge.node) : "none")).join(", ");
  const saved = node.saved.map((each) => `${each.name}: ${each.text}`).join("; ");
  return [
    nodeText(node),
    sequenceText(node),
    edges || "–",
    saved || "–",
    step.isForward ? "–" : step.dependencies.get(node.id),
    buffer ? bufferText(buffer) : "–",
    statusOf(step, node.id).split(/[;:]/)[0],
  ];
}

// Scrolls a container, and nothing else, so that a Node in it is seen.
function scrollWithin(container, node) {
  if (!node) return;
  const outer = container.getBoundingClientRect(),
    inner = node.getBoundingClientRect();
  if (inner.left < outer.left || inner.right > outer.right)
    container.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}
