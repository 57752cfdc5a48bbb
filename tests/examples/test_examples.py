"""The example programs, in reduced settings: they learn, draw, and return what they promise."""

from __future__ import annotations

import math
import os
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn

EXAMPLES = Path(__file__).parents[2] / "examples"

# Without the C backend, they would run on the reference for minutes.
pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="backend c is not available here")


@pytest.fixture(autouse=True)
def _on_c() -> Iterator[None]:
    with gn.device("c"):
        yield


def run(name: str, *options: object) -> dict[str, Any]:
    """What ``main`` of an example returns with these command-line options."""
    example = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    return example["main"](example["parse_arguments"]([str(option) for option in options]))


Check = Callable[[dict[str, Any]], bool]
PROGRAMS: dict[str, tuple[list[object], Check]] = {
    "digits_cnn": (["--epochs", 2], lambda r: r["last_loss"] < r["first_loss"] and r["accuracy"] > 0.9),
    "character_transformer": (
        ["--steps", 20, "--characters", 20, "--context", 32],
        lambda r: r["last_loss"] < 0.8 * r["first_loss"] and len(r["text"]) == len("This is the c") + 20,
    ),
    "text_classifier_lstm": (
        ["--epochs", 3, "--sentences", 600],
        lambda r: r["last_loss"] < 0.8 * r["first_loss"] and r["accuracy"] > 0.7,
    ),
    "sine_lstm_lbfgs": (
        ["--steps", 2, "--waves", 8, "--length", 30],
        lambda r: r["last_loss"] < 0.2 * r["first_loss"] and math.isfinite(r["continuation_error"]),
    ),
    "vae_digits": (["--epochs", 5], lambda r: r["last_loss"] < 0.8 * r["first_loss"]),
    "dcgan_digits": (["--epochs", 3], lambda r: r["last_distance"] < 0.8 * r["first_distance"]),
    "actor_critic": (["--steps", 30], lambda r: r["last_length"] > 1.2 * r["first_length"]),
    "graph_network": (
        ["--steps", 60],
        lambda r: r["last_loss"] < 0.5 * r["first_loss"] and r["accuracy"] > 0.8,
    ),
    "neural_ode": (["--steps", 20, "--solver-steps", 3], lambda r: r["last_loss"] < r["first_loss"] - 0.1),
    "quantize_digits": (
        ["--epochs", 3],
        lambda r: (
            abs(r["accuracy_quantized"] - r["accuracy_float32"]) <= 0.01
            and r["accuracy_float32"] > 0.9
            and r["bytes_quantized"] < 0.28 * r["bytes_float32"]
        ),
    ),
    "finetune_from_pytorch": (["--steps", 40], lambda r: r["accuracy"] > 0.7 > r["before"]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_example_learns(name: str) -> None:
    options, holds = PROGRAMS[name]
    result = run(name, *options)
    assert holds(result), result


# As they are run by hand, but for neural_ode, which takes a minute.
FULL: dict[str, Check] = {
    "digits_cnn": lambda r: r["accuracy"] >= 0.985,
    "character_transformer": lambda r: r["last_loss"] < 0.2,
    "text_classifier_lstm": lambda r: r["accuracy"] > 0.98,
    "sine_lstm_lbfgs": lambda r: r["last_loss"] < 1e-3 and r["continuation_error"] < 0.01,
    "vae_digits": lambda r: r["error"] + r["divergence"] < 26,
    "dcgan_digits": lambda r: r["last_distance"] < 0.3 * r["first_distance"],
    "actor_critic": lambda r: r["last_length"] > 150,
    "graph_network": lambda r: r["accuracy"] > 0.85,
    "finetune_from_pytorch": lambda r: r["accuracy"] > 0.85,
}


# Without GNOMON_TEST_ALL_EXAMPLES, not those that take ten seconds or more.
LONG = {"character_transformer", "sine_lstm_lbfgs", "dcgan_digits"}
CHOSEN = [name for name in FULL if name not in LONG or os.environ.get("GNOMON_TEST_ALL_EXAMPLES") == "1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOSEN)
def test_the_full_example_ends_well(name: str) -> None:
    result = run(name)
    assert FULL[name](result), result


@pytest.mark.parametrize(
    ("device", "steps", "stop_after"),
    [("reference", 3, 2), ("c", 30, 9), ("c", 30, 23), ("c", 30, 26)],  # 23 batches are an epoch
)
def test_the_resumed_training_has_the_same_losses(device: str, steps: int, stop_after: int) -> None:
    result = run("save_and_resume", "--steps", steps, "--stop-after", stop_after, "--device", device)
    assert len(result["losses"]) == len(set(result["losses"])) == steps
    assert result["resumed_losses"] == result["losses"]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_mixed_precision_learns_as_float32_does(dtype: str) -> None:
    result = run("mixed_precision", "--epochs", 4, "--dtype", dtype)
    assert result["float32"]["dtype"] is gn.float32 and result["mixed"]["dtype"] is getattr(gn, dtype)
    for one in result.values():
        assert one["losses"][-1] < 0.5 * one["losses"][0]
    assert abs(result["mixed"]["losses"][-1] - result["float32"]["losses"][-1]) < 0.05
    assert result["mixed"]["losses"] != result["float32"]["losses"]
    assert abs(result["mixed"]["accuracy"] - result["float32"]["accuracy"]) < 0.05


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("digits_cnn", ["--epochs", 1]),
        ("sine_lstm_lbfgs", ["--steps", 1, "--waves", 6, "--length", 20]),
        ("vae_digits", ["--epochs", 1]),
        ("dcgan_digits", ["--epochs", 1]),
        ("actor_critic", ["--steps", 8]),
        ("graph_network", ["--steps", 5]),
        ("neural_ode", ["--steps", 1, "--solver-steps", 1]),
    ],
)
def test_the_example_draws_a_picture(name: str, options: list[object], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run(name, *options, "--picture", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_checkpoint_of_pytorch_is_fine_tuned(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    layers = {
        "conv": torch.nn.Conv2d(1, 16, 3, padding=1),
        "norm": torch.nn.BatchNorm2d(16),
        "head": torch.nn.Linear(16 * 4 * 4, 5),
    }
    torch.save(torch.nn.ModuleDict(layers).state_dict(), tmp_path / "net.pt")
    result = run("finetune_from_pytorch", "--steps", 40, "--checkpoint", tmp_path / "net.pt")
    assert result["last_loss"] < 0.5 * result["first_loss"]  # of random features
