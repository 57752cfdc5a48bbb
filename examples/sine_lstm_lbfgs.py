"""Continue sine waves: two LSTM cells, trained on whole waves by L-BFGS.

    python examples/sine_lstm_lbfgs.py --picture sine.png

The network reads a wave and predicts each next value; then it continues the wave from its own predictions.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

import gnomon as gn
from gnomon import nn


class WavePredictor(nn.Module):
    """(N, L) values of N waves -> (N, L + ``future``) predictions of the value after each."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.width = width
        self.first = nn.LSTMCell(1, width)
        self.second = nn.LSTMCell(width, width)
        self.linear = nn.Linear(width, 1)

    def forward(self, waves: gn.Tensor, future: int = 0) -> gn.Tensor:
        zeros = waves.new_zeros(len(waves), self.width)
        first = second = (zeros, zeros)
        outputs: list[gn.Tensor] = []
        for step in range(waves.shape[1] + future):
            value = waves[:, step : step + 1] if step < waves.shape[1] else outputs[-1]
            first = self.first(value, first)
            second = self.second(first[0], second)
            outputs.append(self.linear(second[0]))
        return gn.cat(outputs, dim=1)


def draw(waves: gn.Tensor, predicted: gn.Tensor, path: Path) -> None:
    """Draw each wave, and what the network makes of it: dotted from where it has only its own predictions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    known = waves.shape[1]
    for wave, prediction, color in zip(waves.tolist(), predicted.tolist(), ("C0", "C1", "C2")):
        axes.plot(range(known), wave, color=color, linewidth=3, alpha=0.3)
        axes.plot(range(1, known + 1), prediction[:known], color=color, linewidth=1)
        axes.plot(range(known, len(prediction) + 1), prediction[known - 1 :], ":", color=color)
    axes.axvline(known - 1, color="gray", linewidth=0.5)
    axes.set(xlabel="step", title="waves (pale), predictions (thin) and continuations (dotted)")
    figure.savefig(path)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the first and last loss, and the mean squared error of continued held-out waves."""
    gn.manual_seed(arguments.seed)
    # As many steps again as it reads are there to compare its continuation with.
    phases = 80 * gn.rand(arguments.waves, 1, dtype=gn.float64, device=arguments.device)
    places = gn.arange(2 * arguments.length, dtype=gn.float64, device=arguments.device)
    waves = gn.sin((places + phases) / 5)
    held_out, training = waves[:3], waves[3:, : arguments.length]

    model = WavePredictor().to(arguments.device, gn.float64)
    criterion = nn.MSELoss()
    optimizer = gn.optim.LBFGS(model.parameters(), lr=0.8, max_iter=10, history_size=20)

    def closure() -> gn.Tensor:
        optimizer.zero_grad()
        loss = criterion(model(training[:, :-1]), training[:, 1:])
        loss.backward()
        return loss

    # step returns the loss before it.
    losses = [optimizer.step(closure).item() for _ in track(range(arguments.steps), description="Training")]
    with gn.no_grad():
        read = held_out[:, : arguments.length]
        predicted = model(read, future=arguments.length - 1)
        losses.append(criterion(model(training[:, :-1]), training[:, 1:]).item())
        continued = criterion(predicted[:, arguments.length - 1 :], held_out[:, arguments.length :]).item()
    print(f"loss {losses[0]:.5f} -> {losses[-1]:.5f}, mean squared error of continuations {continued:.5f}")
    if arguments.picture:
        draw(read, predicted, arguments.picture)
    return {"first_loss": losses[0], "last_loss": losses[-1], "continuation_error": continued}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Continue sine waves with an LSTM trained by L-BFGS.")
    parser.add_argument("--steps", type=int, default=25, help="steps of L-BFGS (default: %(default)s)")
    parser.add_argument("--waves", type=int, default=40, help="default: %(default)s")
    parser.add_argument("--length", type=int, default=100, help="of what is read (default: %(default)s)")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw three continued waves")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
