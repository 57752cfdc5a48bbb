// The engine: runs a graph backward, in steps, as gnomon's autograd/engine.py does.

const emptyBuffer = (node) => new Array(node.inputs?.length ?? 1).fill(null);

// How many edges lead to each Node that can be reached from the root.
function countDependencies(root) {
  const found = new Map([[root.id, 0]]);
  const stack = [root];
  while (stack.length) {
    for (const edge of stack.pop().edges) {
      if (!edge) continue;
      if (!found.has(edge.node.id)) {
        found.set(edge.node.id, 0);
        stack.push(edge.node);
      }
      found.set(edge.node.id, found.get(edge.node.id) + 1);
    }
  }
  return found;
}

const nodeText = (node) => (node.variable?.label ? `${node.name} of ${node.variable.label}` : node.name);
const sequenceText = (node) => (node.sequence === LAST_SEQUENCE ? "last" : String(node.sequence));

function added(present, gradient) {
  if (present === null || !present.data || !gradient.data)
    return present === null ? gradient : { sizes: present.sizes };
  return pointwise((x, y) => x + y, present, gradient);
}

// To the sizes of the tensor whose gradient it is.
const validated = (gradient, sizes) => (!gradient.data ? { sizes } : sumToSize(gradient, sizes));

// The sizes of output ``input`` of the operator that recorded the Node: those of the gradient that comes
// there.
const inputSizes = (node, input) => node.inputs?.[input] ?? node.sizes;

const bufferText = (buffer) => buffer.map((each) => (each ? valuesText(each) : "none")).join(" and ");

// Puts a gradient into an input buffer; says how.
function put(buffer, { node, input }, gradient) {
  if (!gradient) return " is none, and changes nothing in";
  const sizes = inputSizes(node, input);
  const summed = sameSizes(gradient.sizes, sizes) ? "" : ", summed to the sizes of its input,";
  const isSum = buffer[input] !== null;
  buffer[input] = added(buffer[input], validated(gradient, sizes));
  return `${summed} ${isSum ? "is added to" : "goes into"}`;
}

// The run as a list of snapshots, each with a text, and what the engine then holds.
function runInSteps(graph) {
  const { root } = graph;
  const dependencies = countDependencies(root);
  const state = { ready: [], buffers: new Map(), leaves: [], grads: new Map(), done: [], recorded: 0 };
  const steps = [];
  const keep = (phase, text, more = {}) =>
    steps.push({
      phase,
      text,
      dependencies: new Map(dependencies),
      ready: state.ready.map((each) => each.node.id),
      buffers: new Map([...state.buffers].map(([id, buffer]) => [id, [...buffer]])),
      leaves: [...state.leaves],
      grads: new Map(state.grads),
      done: [...state.done],
      recorded: state.recorded,
      ...more,
    });
  const shown = new Set(dependencies.keys());
  for (const each of graph.forward ?? []) {
    state.recorded += 1;
    const node = each.node && shown.has(each.node.id) ? each.node : null;
    const says = node
      ? `, and records ${node.name}, sequence_nr ${node.sequence}`
      : each.node
        ? ", which the output does not need"
        : ", and records nothing: no input requires grad";
    keep(
      "forward",
      `Forward: ${each.operator.replace("_", " of ")} returns ${valuesText(each.result)}${says}.`,
      { current: node?.id, isForward: true },
    );
  }
  keep(
    "dependencies",
    `Backward: count the edges that lead to each of ${shown.size} Nodes, its dependencies.`,
  );
  let tie = 0;
  const push = (node) => {
    state.ready.push({ node, tie: tie++ });
    state.ready.sort((a, b) =>
      a.node.sequence === b.node.sequence ? a.tie - b.tie : a.node.sequence > b.node.sequence ? -1 : 1,
    );
  };
  state.buffers.set(root.id, emptyBuffer(root));
  state.buffers.get(root.id)[graph.input ?? 0] = graph.seed;
  push(root);
  keep(
    "seed",
    `The gradient of the output, ${valuesText(graph.seed)}, is put into the input buffer of ` +
      `${nodeText(root)}, which is ready.`,
    { current: root.id },
  );
  while (state.ready.length) {
    const { node } = state.ready.shift();
    const incoming = state.buffers.get(node.id);
    state.buffers.delete(node.id);
    state.done.push(node.id);
    if (node.name === "AccumulateGrad") {
      if (incoming[0]) state.leaves.push({ id: node.id, gradient: incoming[0] });
      keep(
        "leaf",
        `${nodeText(node)} has the last sequence number, and is taken first: its gradient ` +
          `${bufferText(incoming)} is kept until the whole graph has run.`,
        { current: node.id },
      );
      continue;
    }
    const results = node.apply(...incoming);
    const texts = results.map((each) => (each ? valuesText(each, 4) : "none"));
    keep(
      "run",
      `${nodeText(node)} is taken from the ready queue (sequence_nr ${sequenceText(node)}). Of ` +
        `${bufferText(incoming)} it makes ${texts.join(" and ")}.`,
      { current: node.id, results },
    );
    node.edges.forEach((edge, number) => {
      if (!edge) return;
      const target = edge.node;
      const buffer = state.buffers.get(target.id) ?? emptyBuffer(target);
      state.buffers.set(target.id, buffer);
      const what = put(buffer, edge, results[number]);
      dependencies.set(target.id, dependencies.get(target.id) - 1);
      const left = dependencies.get(target.id);
      if (!left) push(target);
      keep(
        "deliver",
        `Gradient ${number}${what} the buffer of ${nodeText(target)}: ${bufferText(buffer)}. ` +
          (left ? `${left} more to come.` : "All have come: it is ready."),
        { current: node.id, edge: [node.id, number] },
      );
    });
  }
  for (const { id, gradient } of state.leaves) {
    state.grads.set(id, gradient);
    keep(
      "accumulate",
      `Accumulate: the grad of ${graph.nodes[id].variable?.label ?? "the leaf"} is ${valuesText(gradient)}.`,
      { current: id },
    );
  }
  if (!state.leaves.length) keep("accumulate", "The graph has run; it has no leaves that accumulate.");
  return steps;
}

// A graph that the command has written into the page: its Nodes' results are known.
function graphFromData(data) {
  const tensor = (each) =>
    each && { type: "Tensor", sizes: each.sizes, data: each.data?.map(Number) ?? null };
  const nodes = data.nodes.map((each, id) => ({
    ...each,
    id,
    sequence: each.sequence ?? LAST_SEQUENCE,
    variable: each.label !== undefined ? { label: each.label } : undefined,
  }));
  for (const node of nodes) {
    node.edges = node.edges.map((edge) => edge && { node: nodes[edge[0]], input: edge[1] });
    const results = (node.results ?? []).map(tensor);
    node.apply = () => results;
  }
  return { nodes, root: nodes[0], input: data.input, forward: [], seed: tensor(data.seed) };
}

// For each Node the length of the longest way to it: the row in which it is drawn.
function depthsOf(root) {
  const waits = countDependencies(root);
  const depths = new Map([[root.id, 0]]);
  const ready = [root];
  for (const node of ready) {
    for (const edge of node.edges) {
      if (!edge) continue;
      depths.set(edge.node.id, Math.max(depths.get(edge.node.id) ?? 0, depths.get(node.id) + 1));
      waits.set(edge.node.id, waits.get(edge.node.id) - 1);
      if (waits.get(edge.node.id) === 0) ready.push(edge.node);
    }
  }
  return depths;
}
