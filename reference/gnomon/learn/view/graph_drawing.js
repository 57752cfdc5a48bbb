// The drawing of a graph: Nodes in rows, by the longest way from the output, and their edges.

const SVG = "http://www.w3.org/2000/svg";
const BOX_WIDTH = 236;
const LINE_HEIGHT = 16;

function makeSvg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const shortened = (text, most = 36) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

// Draws the Nodes behind ``root``; returns {svg, show(step)}.
function drawGraph(graph) {
  const depths = depthsOf(graph.root);
  const rows = [];
  for (const [id, depth] of depths) (rows[depth] ??= []).push(graph.nodes[id]);
  const widest = Math.max(...rows.map((row) => row.length));
  const width = Math.max(widest * (BOX_WIDTH + 24) + 12, 300);
  const boxes = new Map(),
    groups = new Map(),
    edges = new Map();
  let top = 10;
  for (const row of rows) {
    const height = Math.max(...row.map((node) => linesOf(node).length)) * LINE_HEIGHT + 14;
    row.forEach((node, number) => {
      const left = (width * (number + 0.5)) / row.length - BOX_WIDTH / 2;
      boxes.set(node.id, { left, top, height: linesOf(node).length * LINE_HEIGHT + 14 });
    });
    top += height + 46;
  }
  const svg = makeSvg("svg", { width, height: top - 30, viewBox: `0 0 ${width} ${top - 30}` });
  const head = makeSvg(
    "marker",
    { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    makeSvg("path", { d: "M0,0 L8,4 L0,8 z" }),
  );
  svg.append(makeSvg("defs", {}, head));
  for (const id of depths.keys()) {
    const node = graph.nodes[id],
      box = boxes.get(id);
    node.edges.forEach((edge, number) => {
      if (!edge) return;
      const to = boxes.get(edge.node.id);
      const x0 = box.left + BOX_WIDTH / 2 + 16 * (number - (node.edges.length - 1) / 2),
        y0 = box.top + box.height;
      const x1 = to.left + BOX_WIDTH / 2 + 10 * (number - (node.edges.length - 1) / 2),
        y1 = to.top - 1;
      const middle = (y0 + y1) / 2;
      const path = makeSvg("path", {
        d: `M${x0},${y0} C${x0},${middle} ${x1},${middle} ${x1},${y1}`,
        class: "edge",
        "marker-end": "url(#head)",
      });
      edges.set(`${id} ${number}`, path);
      svg.append(path);
    });
  }
  const waits = new Map();
  for (const id of depths.keys()) {
    const node = graph.nodes[id],
      { left, top: y, height } = boxes.get(id);
    const group = makeSvg("g", {
      tabindex: -1,
      role: "img",
      class: node.name === "AccumulateGrad" ? "leaf" : "",
    });
    group.append(makeSvg("rect", { x: left, y, width: BOX_WIDTH, height, rx: 6 }));
    linesOf(node).forEach((line, number) => {
      const text = makeSvg("text", {
        x: left + 10,
        y: y + 20 + number * LINE_HEIGHT,
        class: number === 0 ? "strong" : "quiet",
      });
      text.textContent = line;
      group.append(text);
    });
    waits.set(id, group.lastElementChild);
    groups.set(id, group);
    svg.append(group);
  }
  const show = (step) => showStep(graph, step, groups, edges, waits);
  return { svg, show };
}

// What a box says; its last line changes with the steps.
function linesOf(node) {
  const title =
    node.name === "AccumulateGrad" ? nodeText(node) : `${node.name} · sequence_nr ${node.sequence}`;
  const saved = node.saved
    .slice(0, 4)
    .map((each) => shortened(`${node.name === "AccumulateGrad" ? "" : "saved "}${each.name}: ${each.text}`));
  if (node.saved.length > 4) saved.push(`and ${node.saved.length - 4} more`);
  return [shortened(title), ...saved, " "];
}

function showStep(graph, step, groups, edges, waits) {
  for (const [id, group] of groups) {
    const node = graph.nodes[id];
    const isLeaf = node.name === "AccumulateGrad";
    const classes = isLeaf ? ["leaf"] : [];
    if (step.isForward && !isLeaf && !isRecorded(graph, step, id)) classes.push("hidden");
    if (step.done.includes(id)) classes.push("done");
    else if (step.ready.includes(id)) classes.push("ready");
    if (step.current === id) classes.push("current");
    group.setAttribute("class", classes.join(" "));
    const status = statusOf(step, id);
    waits.get(id).textContent = shortened(status, 38);
    group.setAttribute("aria-label", `${nodeText(node)}: ${status}`);
  }
  for (const [key, path] of edges)
    path.classList.toggle("active", step.edge !== undefined && step.edge.join(" ") === key);
}

const isRecorded = (graph, step, id) =>
  graph.forward.slice(0, step.recorded).some((each) => each.node?.id === id);

function statusOf(step, id) {
  if (step.grads.has(id)) return `grad: ${valuesText(step.grads.get(id), 4)}`;
  const leaf = step.leaves.find((each) => each.id === id);
  if (leaf) return `kept: ${valuesText(leaf.gradient, 4)}`;
  if (step.done.includes(id)) return "has run";
  const buffer = step.buffers.get(id);
  const holds = buffer ? `; buffer: ${bufferText(buffer)}` : "";
  if (step.isForward) return "recording";
  const count = step.dependencies.get(id);
  return `${step.ready.includes(id) ? "ready" : `waits for ${count}`}${holds}`;
}
