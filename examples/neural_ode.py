"""Bend a blob of points into two moons: a continuous normalizing flow, by the transforms of gnomon.func.

    python examples/neural_ode.py --picture moons.png

A network gives the velocity of a point at a time; following it from time 0 to 1 maps data to noise, and
backward noise to data.  The logarithm of the density changes by the velocity's divergence, whose terms are
directional derivatives of the velocity at one point (``jvp``), for all directions and all points at once
(``vmap``).

Source: Chen et al., Neural Ordinary Differential Equations (2018).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.func import jvp, vmap


def two_moons(count: int, device: gn.device) -> gn.Tensor:
    """(``count``, 2) points in two interleaved half circles, with noise."""
    angles = math.pi * gn.rand(count, device=device)
    sides = gn.randint(2, (count,), device=device) * 2 - 1
    places = gn.stack([angles.cos() - 0.5 * sides, sides * (angles.sin() - 0.25)], dim=1)
    return 1.5 * places + 0.1 * gn.randn(count, 2, device=device)


class Velocity(nn.Module):
    """The velocity (2,) of a point (2,) at a time."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(3, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2)
        )

    def forward(self, point: gn.Tensor, time: float) -> gn.Tensor:
        return self.net(gn.cat([point, point.new_full((1,), time)]))


def with_divergence(velocity: nn.Module, point: gn.Tensor, time: float) -> tuple[gn.Tensor, gn.Tensor]:
    """The velocity at a point, and its divergence there."""

    def along(direction: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
        return jvp(lambda point: velocity(point, time), (point,), (direction,))

    values, derivatives = vmap(along)(gn.eye(2, device=point.device))
    return values[0], derivatives.diagonal().sum()


def integrate(rate: Callable, state: tuple[gn.Tensor, ...], start: float, end: float, steps: int):
    """The state at ``end``, by the classic Runge-Kutta method; ``rate(*state, time)`` is its derivative."""
    size = (end - start) / steps

    def moved(by: float, rates: tuple[gn.Tensor, ...]) -> tuple[gn.Tensor, ...]:
        return tuple(value + by * each for value, each in zip(state, rates))

    for step in range(steps):
        time = start + step * size
        first = rate(*state, time)
        second = rate(*moved(size / 2, first), time + size / 2)
        third = rate(*moved(size / 2, second), time + size / 2)
        fourth = rate(*moved(size, third), time + size)
        state = moved(
            size / 6, tuple(a + 2 * b + 2 * c + d for a, b, c, d in zip(first, second, third, fourth))
        )
    return state


def log_density(velocity: nn.Module, points: gn.Tensor, steps: int) -> gn.Tensor:
    """The logarithm of the model's density at each of ``points`` (N, 2)."""

    def rate(points: gn.Tensor, change: gn.Tensor, time: float) -> tuple[gn.Tensor, gn.Tensor]:
        return vmap(lambda point: with_divergence(velocity, point, time))(points)

    noise, change = integrate(rate, (points, points.new_zeros(len(points))), 0.0, 1.0, steps)
    return -0.5 * noise.square().sum(1) - math.log(2 * math.pi) + change


@gn.no_grad()
def sample(velocity: nn.Module, noise: gn.Tensor, steps: int) -> gn.Tensor:
    """The points (N, 2) that the model makes of noise (N, 2)."""

    def rate(points: gn.Tensor, time: float) -> tuple[gn.Tensor]:
        return (vmap(lambda point: velocity(point, time))(points),)

    return integrate(rate, (noise,), 1.0, 0.0, steps)[0]


def draw(parts: dict[str, gn.Tensor], path: Path) -> None:
    """Draw sets of points side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4 * len(parts), 4), layout="constrained")
    for axes, (title, points) in zip(figure.subplots(1, len(parts)), parts.items()):
        axes.scatter(*zip(*points.tolist()), s=3)
        axes.set(title=title, xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
    figure.savefig(path)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the first loss, the mean of the last ten, and the samples' mean distance from the moons.

    The loss is the mean negative logarithm of the density.
    """
    gn.manual_seed(arguments.seed)
    velocity = Velocity().to(arguments.device)
    optimizer = gn.optim.Adam(velocity.parameters(), lr=1e-2)
    scheduler = gn.optim.lr_scheduler.CosineAnnealingLR(optimizer, arguments.steps)
    losses = []
    for _ in track(range(arguments.steps), description="Training"):
        loss = -log_density(velocity, two_moons(256, arguments.device), arguments.solver_steps).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    last = sum(losses[-10:]) / len(losses[-10:])

    noise = gn.randn(1000, 2, device=arguments.device)
    made = sample(velocity, noise, 4 * arguments.solver_steps)
    data = two_moons(1000, arguments.device)
    distance = gn.cdist(made, data).amin(1).mean().item()
    print(f"negative log-likelihood {losses[0]:.3f} -> {last:.3f}, samples are {distance:.3f} from data")
    if arguments.picture:
        draw({"data": data, "noise": noise, "noise, bent by the model": made}, arguments.picture)
    return {"first_loss": losses[0], "last_loss": last, "distance": distance}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fit a continuous normalizing flow to two moons.")
    parser.add_argument("--steps", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--solver-steps", type=int, default=6, help="of Runge-Kutta (default: %(default)s)")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw data, noise and samples")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
