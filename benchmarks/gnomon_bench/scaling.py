"""How long a step of training takes on many ranks: a model of compute, bandwidth and latency.

A step is arithmetic, at the rate that one rank reaches; communication, by the usual cost model of a message,
latency + bytes / bandwidth; and what of the one can not hide behind the other.  Ranks of one machine are
connected by a fast link, machines by a slower one; a collective over both goes through each in turn.

Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (2005),
for collectives; Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
Megatron-LM" (2021), for the operations of a transformer, pipelines and tensor parallelism; Li et al.,
"PyTorch Distributed" (2020), for data parallelism; Zhao et al., "PyTorch FSDP" (2023), for sharding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

BACKWARD = 2 / 3  # of the arithmetic of a step; a forward is the other third


@dataclass(frozen=True)
class Link:
    """A message of b bytes takes ``latency`` + b / ``bandwidth`` seconds."""

    latency: float  # seconds
    bandwidth: float  # bytes a second, of one rank in one direction

    def message(self, nbytes: float) -> float:
        """Seconds of a message."""
        return self.latency + nbytes / self.bandwidth


@dataclass(frozen=True)
class Machine:
    """Ranks, as many on a machine, and what connects them."""

    name: str
    rate: float  # operations a second that a rank's kernels reach on wide matrices
    per_machine: int
    inside: Link
    between: Link
    half: float = 0.0  # the width of a model at which they reach half of it
    memory: float = math.inf  # bytes of a rank
    processors: int | None = None  # of a machine whose ranks share them
    overlaps: bool = True  # do messages travel while a rank computes, without its processor?

    def rate_of(self, width: int) -> float:
        """Operations a second on matrices of this width."""
        return self.rate * width / (width + self.half)

    def slowdown(self, ranks: int) -> float:
        """How much slower a rank computes because ranks share processors."""
        return 1.0 if self.processors is None else max(1.0, min(ranks, self.per_machine) / self.processors)


@dataclass(frozen=True)
class Transformer:
    """A decoder of text: the shape on which its parameters and operations depend."""

    layers: int
    hidden: int
    sequence: int = 2048
    vocabulary: int = 51200

    @property
    def parameters(self) -> float:
        """The number of parameters."""
        each = 12 * self.hidden**2 + 13 * self.hidden
        return self.layers * each + (self.vocabulary + self.sequence) * self.hidden

    def operations(self, sequences: float, recomputes: bool) -> float:
        """Of a step on so many sequences: forward, backward and, if it ``recomputes``, forward again."""
        factor, head = (96, 16) if recomputes else (72, 12)
        inner = 1 + self.sequence / (6 * self.hidden) + self.vocabulary / (head * self.layers * self.hidden)
        return factor * sequences * self.sequence * self.layers * self.hidden**2 * inner

    def activations(self, sequences: float) -> float:
        """The elements that go from one layer to the next."""
        return sequences * self.sequence * self.hidden

    def saved(self, sequences: float, tensor: int) -> float:
        """The bytes that a layer saves for backward, with 128 channels a head and the attention's matrix.

        Source: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models" (2022).
        """
        of_attention = 5 * self.sequence / 128
        return self.activations(sequences) * (10 + (24 + of_attention) / tensor)


@dataclass(frozen=True)
class Plan:
    """How a model is divided among ranks.  ``data`` x ``tensor`` x ``pipeline`` are all ranks."""

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    sharded: bool = False  # parameters, gradients and the optimizer's state over the ``data`` ranks
    microbatch: float = 1  # sequences
    chunks: int = 1  # parts of the model that a stage of an interleaved pipeline has
    recomputes: bool = False
    number: int = 2  # bytes of a parameter or activation that travels

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self.data * self.tensor * self.pipeline


@dataclass(frozen=True)
class Step:
    """The seconds of a step, in parts that add up."""

    compute: float
    bubble: float  # waiting for other stages of a pipeline
    tensor: float  # communication inside of layers
    pipeline: float  # communication between stages
    data: float  # of gradients and parameters, as far as nothing hides it
    hidden: float  # the communication that arithmetic hides; not part of the sum

    @property
    def seconds(self) -> float:
        """The whole."""
        return self.compute + self.bubble + self.tensor + self.pipeline + self.data

    @property
    def efficiency(self) -> float:
        """The share of the step in which a rank computes."""
        return self.compute / self.seconds


def all_gather(machine: Machine, ranks: int, stride: int, nbytes: float) -> float:
    """Seconds until ``ranks`` ranks have all of ``nbytes`` bytes, of which each had its part.

    ``stride``: the distance of the ranks of a group; those at a distance of 8 are on different machines of 8.
    Inside of a machine parts go around a ring; between machines in a number of rounds that is a logarithm.
    """
    within = max(1, min(ranks, machine.per_machine // stride))
    across = math.ceil(ranks / within)
    seconds = 0.0
    if across > 1:
        part = nbytes / within
        seconds += math.log2(across) * machine.between.latency
        seconds += (across - 1) / across * part / machine.between.bandwidth
    if within > 1:
        seconds += (within - 1) * machine.inside.latency
        seconds += (within - 1) / within * nbytes / machine.inside.bandwidth
    return seconds


def reduce_scatter(machine: Machine, ranks: int, stride: int, nbytes: float) -> float:
    """Seconds until each rank has its part of the sum: the same messages, the other way."""
    return all_gather(machine, ranks, stride, nbytes)


def all_reduce(machine: Machine, ranks: int, stride: int, nbytes: float) -> float:
    """Seconds until all ranks have the sum of ``nbytes`` bytes: scattered, then gathered."""
    return reduce_scatter(machine, ranks, stride, nbytes) + all_gather(machine, ranks, stride, nbytes)


def step(machine: Machine, model: Transformer, plan: Plan, batch: float, buckets: int = 20) -> Step:
    """The time of a step on ``batch`` sequences.

    Groups of tensor parallelism are neighbours, then come those of data parallelism, then the pipeline's.
    Raises ValueError for a batch that is not divisible by ranks and microbatches, or for more stages than
    layers.
    """
    microbatches = batch / plan.data / plan.microbatch
    if microbatches < 1:
        raise ValueError(
            f"a batch of {batch:g} sequences is too small for {plan.data} ranks with microbatches of "
            f"{plan.microbatch:g}"
        )
    if plan.pipeline > model.layers:
        raise ValueError(f"{plan.pipeline} stages are more than {model.layers} layers")
    rate = machine.rate_of(model.hidden) / machine.slowdown(plan.ranks)
    of_all = model.operations(batch, plan.recomputes) / plan.ranks / rate
    one = of_all / microbatches

    # Two collectives in forward and two in backward of each layer; two more if forward is run again.
    times = 6 if plan.recomputes else 4
    activations = model.activations(plan.microbatch) * plan.number
    layers = model.layers / plan.pipeline
    in_layers = 0.0
    if plan.tensor > 1:
        in_layers = times * layers * all_reduce(machine, plan.tensor, 1, activations)

    # While a pipeline fills and drains, few stages compute; those that wait leave the processors to them.
    bubble = 0.0
    for stages in range(1, plan.pipeline):
        active = plan.ranks // plan.pipeline * stages
        faster = machine.slowdown(active) / machine.slowdown(plan.ranks)
        bubble += (one * faster + in_layers) / plan.chunks
    between = 0.0
    if plan.pipeline > 1:
        link = machine.between if plan.ranks > machine.per_machine else machine.inside
        between = 2 * microbatches * plan.chunks * link.message(activations / plan.tensor)

    held = model.parameters / plan.tensor / plan.pipeline * plan.number
    exposed = hidden = 0.0
    if plan.data > 1 and plan.sharded:
        exposed, hidden = (
            microbatches * each for each in _sharded(machine, plan, held, one + in_layers, layers)
        )
    elif plan.data > 1:
        whole = all_reduce(machine, plan.data, plan.tensor, held)
        last = whole / buckets
        # the gradients of a pipeline's stages are complete after their last microbatch only
        hides = machine.overlaps and plan.pipeline == 1
        cover = BACKWARD * of_all * (1 - 1 / buckets) if hides else 0.0
        exposed = max(last, whole - cover)
        hidden = whole - exposed
    return Step(of_all, bubble, in_layers * microbatches, between, exposed, hidden)


def _sharded(machine: Machine, plan: Plan, held: float, compute: float, layers: float) -> tuple[float, float]:
    """Exposed and hidden communication if each layer's parameters are gathered before they are used.

    A layer's parameters are gathered while the layer before it computes, in forward and in backward, and its
    gradients are scattered while the one after it does; the first gathering and the last scattering wait.
    """
    each = held / layers
    gathering = all_gather(machine, plan.data, plan.tensor, each)
    scattering = reduce_scatter(machine, plan.data, plan.tensor, each)
    hides = compute / layers if machine.overlaps else 0.0
    forward, backward = (1 - BACKWARD) * hides, BACKWARD * hides
    exposed = (
        gathering
        + scattering
        + (layers - 1) * (max(0.0, gathering - forward) + max(0.0, gathering + scattering - backward))
    )
    return exposed, (2 * gathering + scattering) * layers - exposed


def bytes_of_a_rank(model: Transformer, plan: Plan, batch: float) -> float:
    """What a rank holds: of each parameter 16 bytes (itself, its gradient, Adam's state), and what is saved.

    A stage of a pipeline saves for as many microbatches as there are stages after it.
    """
    share = 16 * model.parameters / plan.tensor / plan.pipeline
    share = share / plan.data if plan.sharded else share
    under_way = min(plan.pipeline, batch / plan.data / plan.microbatch)
    layers = model.layers / plan.pipeline
    each = model.saved(plan.microbatch, plan.tensor)
    if plan.recomputes:
        return share + 2 * model.activations(plan.microbatch) * layers * under_way + each
    return share + each * layers * under_way


def plans(machine: Machine, model: Transformer, ranks: int, batch: float) -> list[tuple[str, Plan, Step]]:
    """The fastest plan of each kind on so many ranks that fits into memory, fastest first."""
    width = min(machine.per_machine, ranks)
    kinds = {
        "data parallel": Plan(data=ranks),
        "sharded": Plan(data=ranks, sharded=True),
        f"tensor parallel {width}": Plan(data=ranks // width, tensor=width),
    }
    for stages in (2, 4, 8, 16, 32, 64):
        if width * stages <= ranks:
            name = f"tensor parallel {width}, {stages} stages"
            kinds[name] = Plan(data=ranks // (width * stages), tensor=width, pipeline=stages)
    found = []
    for name, kind in kinds.items():
        fitting = []
        for recomputes in (False, True):
            for microbatch in (1, 2, 4, 8, 16):
                plan = replace(kind, recomputes=recomputes, microbatch=microbatch)
                is_possible = plan.ranks == ranks and plan.pipeline <= model.layers
                if is_possible and batch >= plan.data * microbatch:
                    if bytes_of_a_rank(model, plan, batch) <= machine.memory:
                        fitting.append((step(machine, model, plan, batch), plan))
        if fitting:
            time, plan = min(fitting, key=lambda each: each[0].seconds)
            found.append((name + (", recomputing" if plan.recomputes else ""), plan, time))
    return sorted(found, key=lambda each: each[2].seconds)


# ``rate`` and ``half`` are fitted to the table in published.py; links are NVIDIA's figures, less a quarter or
# so that protocols take: NVLink 3 of 300 GB/s, and one HDR InfiniBand adapter of 25 GB/s for each GPU.
A100 = Machine(
    "A100 80 GB, machines of 8",
    rate=2.0e14,
    half=1000,
    per_machine=8,
    inside=Link(5e-6, 2.3e11),
    between=Link(1.5e-5, 2.0e10),
    memory=8e10,
)
V100 = Machine(
    "V100 32 GB, machines of 16",
    rate=8.0e13,
    half=430,
    per_machine=16,
    inside=Link(1e-5, 1.1e11),
    between=Link(2e-5, 1.0e10),
    memory=3.2e10,
)
