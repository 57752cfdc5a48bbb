"""Stands in for gymnasium: CartPole and Pendulum, with gymnasium's equations and interface.

Sources: Barto, Sutton and Anderson, "Neuronlike adaptive elements that can solve difficult learning control
problems" (1983); for the pendulum, a rod of mass 1 and length 1 that a torque of at most 2 swings up.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

taken = 0  # steps of all environments: the runner relates times to them

Step = tuple[np.ndarray, float, bool, bool, dict[str, Any]]


class CartPole:
    """A pole on a cart that a force of 10 N pushes to the left (action 0) or to the right (1)."""

    gravity, cart, pole, half_length, force, seconds = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
    x_threshold, theta_threshold_radians = 2.4, math.radians(12)
    spec = SimpleNamespace(reward_threshold=475.0, max_episode_steps=500)
    action_space = SimpleNamespace(n=2, shape=(), sample=lambda: 0)
    observation_space = SimpleNamespace(shape=(4,))

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.state = self.random.uniform(-0.05, 0.05, size=4)
        self.steps = 0
        return self.state.astype(np.float32), {}

    def step(self, action: int) -> Step:
        global taken
        taken += 1
        _, x_speed, angle, angle_speed = self.state
        force = self.force if action == 1 else -self.force
        total, moment = self.cart + self.pole, self.pole * self.half_length
        pushed = (force + moment * angle_speed**2 * math.sin(angle)) / total
        angle_change = (self.gravity * math.sin(angle) - math.cos(angle) * pushed) / (
            self.half_length * (4 / 3 - self.pole * math.cos(angle) ** 2 / total)
        )
        x_change = pushed - moment * angle_change * math.cos(angle) / total
        self.state = self.state + self.seconds * np.array([x_speed, x_change, angle_speed, angle_change])
        self.steps += 1
        fallen = abs(self.state[0]) > self.x_threshold or abs(self.state[2]) > self.theta_threshold_radians
        return self.state.astype(np.float32), 1.0, bool(fallen), self.steps >= 500, {}

    def close(self) -> None:
        pass


class Pendulum:
    """A pendulum to swing up with a torque of at most 2; the reward is minus the cost of a state."""

    spec = SimpleNamespace(reward_threshold=None, max_episode_steps=200)
    action_space = SimpleNamespace(shape=(1,), low=np.array([-2.0]), high=np.array([2.0]))
    observation_space = SimpleNamespace(shape=(3,))

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.angle, self.speed = self.random.uniform([-math.pi, -1.0], [math.pi, 1.0])
        self.steps = 0
        return self.observation(), {}

    def observation(self) -> np.ndarray:
        return np.array([math.cos(self.angle), math.sin(self.angle), self.speed], dtype=np.float32)

    def step(self, action: Any) -> Step:
        global taken
        taken += 1
        torque = min(max(float(action[0]), -2.0), 2.0)
        turned = (self.angle + math.pi) % (2 * math.pi) - math.pi
        cost = turned**2 + 0.1 * self.speed**2 + 0.001 * torque**2
        self.speed = self.speed + (15.0 * math.sin(self.angle) + 3.0 * torque) * 0.05
        self.speed = min(max(self.speed, -8.0), 8.0)
        self.angle += self.speed * 0.05
        self.steps += 1
        return self.observation(), -cost, False, self.steps >= 200, {}

    def close(self) -> None:
        pass


def make(name: str, **options: Any) -> CartPole | Pendulum:
    """The environment of that name, ``CartPole-v1`` or ``Pendulum-v1``."""
    return {"CartPole": CartPole, "Pendulum": Pendulum}[name.partition("-")[0]]()
