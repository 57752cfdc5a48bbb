"""Learn to balance a pole on a cart: advantage actor-critic in a batch of environments.

    python examples/actor_critic.py --picture returns.png

Source: Barto, Sutton and Anderson, Neuronlike Adaptive Elements That Can Solve Difficult Learning Control
Problems (1983), for the cart; Mnih et al., Asynchronous Methods for Deep Reinforcement Learning (2016), for
the method.
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


class CartPoles:
    """``count`` carts, each with a pole to balance by pushing the cart to the left (0) or to the right (1).

    ``state`` is (count, 4): place and velocity of the cart, angle and angular velocity of the pole.  An
    episode ends when the pole has fallen, the cart has left its track, or after ``limit`` steps; then another
    begins.
    """

    gravity, force, interval = 9.8, 10.0, 0.02
    cart_mass, pole_mass, half_length = 1.0, 0.1, 0.5
    largest_place, largest_angle = 2.4, math.radians(12)

    def __init__(self, count: int, device: gn.device, limit: int = 200) -> None:
        self.limit = limit
        self.state = self.beginnings(count, device)
        self.steps = gn.zeros(count, dtype=gn.int64, device=device)

    def beginnings(self, count: int, device: gn.device) -> gn.Tensor:
        return gn.empty(count, 4, device=device).uniform_(-0.05, 0.05)

    def step(self, actions: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor, gn.Tensor]:
        """Push all carts.  Returns which poles have fallen, which episodes have ended, and their lengths."""
        _, velocity, angle, turning = self.state.unbind(1)
        force = self.force * (2.0 * actions - 1)
        mass, moment = self.cart_mass + self.pole_mass, self.pole_mass * self.half_length
        cosine, sine = angle.cos(), angle.sin()
        push = (force + moment * turning**2 * sine) / mass
        turning_rate = (self.gravity * sine - cosine * push) / (
            self.half_length * (4 / 3 - self.pole_mass * cosine**2 / mass)
        )
        rates = gn.stack([velocity, push - moment * turning_rate * cosine / mass, turning, turning_rate], 1)
        self.state = self.state + self.interval * rates
        self.steps = self.steps + 1
        fallen = (self.state[:, 0].abs() > self.largest_place) | (self.state[:, 2].abs() > self.largest_angle)
        ended = fallen | (self.steps >= self.limit)
        lengths = self.steps[ended]
        self.state = gn.where(ended[:, None], self.beginnings(len(ended), ended.device), self.state)
        self.steps = self.steps.masked_fill(ended, 0)
        return fallen, ended, lengths


class ActorCritic(nn.Module):
    """(…, 4) states -> (…, 2) logits of the actions, and (…) estimates of the discounted rewards to come."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 2))
        self.critic = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, states: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
        return self.actor(states), self.critic(states).squeeze(-1)


def draw(lengths: list[float], path: Path) -> None:
    """Draw the mean length of the episodes that ended in each step of the training."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.5), layout="constrained")
    figure.subplots().plot(lengths)
    figure.axes[0].set(xlabel="step of the training", ylabel="mean length of episodes")
    figure.savefig(path)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the mean length of the first and the last 100 episodes."""
    gn.manual_seed(arguments.seed)
    carts = CartPoles(arguments.carts, arguments.device)
    model = ActorCritic().to(arguments.device)
    optimizer = gn.optim.Adam(model.parameters(), lr=arguments.lr)
    scheduler = gn.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=arguments.steps)
    reward = 1 - arguments.discount  # of a step: all rewards of an endless episode add up to 1
    lengths: list[int] = []  # of all episodes
    curve: list[float] = []
    for _ in track(range(arguments.steps), description="Training"):
        states, actions, falls, ends = [], [], [], []
        ended_before = len(lengths)
        with gn.no_grad():
            for _ in range(arguments.horizon):
                logits, _ = model(carts.state)
                states.append(carts.state)
                actions.append(gn.multinomial(logits.softmax(-1), 1).squeeze(1))
                fallen, ended, finished = carts.step(actions[-1])
                falls.append(fallen)
                ends.append(ended)
                lengths += finished.tolist()
            # From the end: a step's return is its reward and the discounted return of the next step.
            # Where an episode ends at the limit of steps, its own value stands for what would have come.
            _, values = model(gn.stack(states))
            _, following = model(carts.state)
            returns = []
            for value, fallen, ended in zip(values.flip(0), reversed(falls), reversed(ends)):
                following = gn.where(ended, value, following)
                following = reward + arguments.discount * following.masked_fill(fallen, 0.0)
                returns.insert(0, following)
        logits, values = model(gn.stack(states))
        advantages = gn.stack(returns) - values
        logarithms = logits.log_softmax(-1)
        chosen = logarithms.gather(-1, gn.stack(actions).unsqueeze(-1)).squeeze(-1)
        entropy = -(logarithms.exp() * logarithms).sum(-1).mean()
        weights = advantages.detach() / (advantages.detach().std() + 1e-6)
        loss = -(weights * chosen).mean() + F.mse_loss(values, gn.stack(returns)) - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        latest = lengths[ended_before:]
        curve.append(sum(latest) / len(latest) if latest else math.nan)

    first, last = (sum(part) / len(part) for part in (lengths[:100], lengths[-100:]))
    print(f"{len(lengths)} episodes; mean length of the first 100: {first:.0f}, of the last 100: {last:.0f}")
    if arguments.picture:
        draw(curve, arguments.picture)
    return {"first_length": first, "last_length": last}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Learn to balance a pole on a cart.")
    parser.add_argument("--steps", type=int, default=600, help="of the optimizer (default: %(default)s)")
    parser.add_argument(
        "--horizon", type=int, default=20, help="of a cart between them (default: %(default)s)"
    )
    parser.add_argument("--carts", type=int, default=32, help="default: %(default)s")
    parser.add_argument("--discount", type=float, default=0.99, help="default: %(default)s")
    parser.add_argument("--lr", type=float, default=5e-3, help="default: %(default)s")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the lengths of the episodes")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
