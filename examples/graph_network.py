"""Tell the two factions of Zachary's karate club from their leaders alone, by graph convolutions.

    python examples/graph_network.py --picture club.png

The club split in two after a quarrel.  The network knows who is friends with whom, and the faction of two of
its 34 members: the instructor and the president.

Source: Zachary, An Information Flow Model for Conflict and Fission in Small Groups (1977), for the club; Kipf
and Welling, Semi-Supervised Classification with Graph Convolutional Networks (2017), for the network.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.nn import functional as F

# The friends of each member that have a higher number.
FRIENDS = {
    0: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
    1: [2, 3, 7, 13, 17, 19, 21, 30],
    2: [3, 7, 8, 9, 13, 27, 28, 32],
    3: [7, 12, 13],
    4: [6, 10],
    5: [6, 10, 16],
    6: [16],
    8: [30, 32, 33],
    9: [33],
    13: [33],
    14: [32, 33],
    15: [32, 33],
    18: [32, 33],
    19: [33],
    20: [32, 33],
    22: [32, 33],
    23: [25, 27, 29, 32, 33],
    24: [25, 27, 31],
    25: [31],
    26: [29, 33],
    27: [33],
    28: [31, 33],
    29: [32, 33],
    30: [32, 33],
    31: [32, 33],
    32: [33],
}
MEMBERS = 34
INSTRUCTOR, PRESIDENT = 0, 33
INSTRUCTORS_FACTION = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21]


class GraphConvolution(nn.Module):
    """A node's new features are a linear function of its neighbors' and its own, weighted by their degrees.

    ``features`` is (nodes, ``inputs``); ``edges`` (2, E) has the source and the target of each edge, in both
    directions, and an edge from each node to itself.  The result is (nodes, ``outputs``).
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(gn.zeros(outputs))

    def forward(self, features: gn.Tensor, edges: gn.Tensor) -> gn.Tensor:
        sources, targets = edges
        ones = gn.ones(len(sources), device=edges.device)
        degrees = gn.zeros(len(features), device=edges.device).scatter_add(0, targets, ones)
        weights = (degrees[sources] * degrees[targets]).rsqrt()
        messages = self.linear(features)[sources] * weights[:, None]
        return (
            messages.new_zeros(len(features), messages.shape[1]).index_add(0, targets, messages) + self.bias
        )


class GraphNetwork(nn.Module):
    """Two graph convolutions: (nodes, ``inputs``) features -> (nodes, ``outputs``) scores."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first = GraphConvolution(inputs, hidden)
        self.second = GraphConvolution(hidden, outputs)

    def forward(self, features: gn.Tensor, edges: gn.Tensor) -> gn.Tensor:
        return self.second(self.first(features, edges).relu(), edges)


def draw(edges: gn.Tensor, scores: gn.Tensor, factions: gn.Tensor, path: Path) -> None:
    """Draw the members in a circle, colored by what the network says; the wrong ones have a red edge."""
    from matplotlib.figure import Figure

    order = scores[:, 1].argsort().tolist()
    angles = {member: 2 * math.pi * place / len(order) for place, member in enumerate(order)}
    places = [(math.cos(angles[member]), math.sin(angles[member])) for member in range(len(order))]
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.subplots()
    for source, target in edges.t().tolist():
        axes.plot(*zip(places[source], places[target]), color="lightgray", linewidth=0.7, zorder=1)
    wrong = (scores.argmax(1) != factions).tolist()
    axes.scatter(
        *zip(*places),
        s=200,
        c=scores.softmax(1)[:, 1].tolist(),
        cmap="coolwarm",
        vmin=0,
        vmax=1,
        edgecolors=["red" if each else "black" for each in wrong],
        zorder=2,
    )
    for member, place in enumerate(places):
        axes.annotate(str(member), place, ha="center", va="center", fontsize=8)
    axes.set_axis_off()
    figure.savefig(path)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the first and the last loss, and the accuracy for the other members."""
    gn.manual_seed(arguments.seed)
    pairs = [(member, friend) for member, friends in FRIENDS.items() for friend in friends]
    pairs += [(friend, member) for member, friend in pairs] + [(member, member) for member in range(MEMBERS)]
    edges = gn.tensor(pairs, device=arguments.device).t()
    factions = gn.ones(MEMBERS, dtype=gn.int64, device=arguments.device)
    factions[INSTRUCTORS_FACTION] = 0
    known = gn.tensor([INSTRUCTOR, PRESIDENT], device=arguments.device)
    features = gn.eye(MEMBERS, device=arguments.device)  # nothing is known of a member but who he is

    model = GraphNetwork(MEMBERS, 16, 2).to(arguments.device)
    optimizer = gn.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-3)
    losses = []
    for _ in track(range(arguments.steps), description="Training"):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(features, edges)[known], factions[known])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with gn.no_grad():
        scores = model(features, edges)
    right = scores.argmax(1) == factions
    right[known] = False
    accuracy = right.sum().item() / (MEMBERS - len(known))
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, accuracy for the other members {accuracy:.4f}")
    if arguments.picture:
        draw(edges, scores, factions, arguments.picture)
    return {"first_loss": losses[0], "last_loss": losses[-1], "accuracy": accuracy}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Classify the members of a karate club by their friends.")
    parser.add_argument("--steps", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the club")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
