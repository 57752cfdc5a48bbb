"""gnomon demo: the digits, the training, the verdict, the picture."""

import importlib.util
import math
from importlib import resources

import pytest

import gnomon as gn
from gnomon import demo
from gnomon.demo import command, digits, training
from gnomon.demo.training import TOLERANCE, Run

HAS_EXTRAS = all(importlib.util.find_spec(name) for name in ("rich", "matplotlib"))
needs_extras = pytest.mark.skipif(not HAS_EXTRAS, reason="needs rich and matplotlib")
HAS_C = "c" in gn.backends() and gn.backends()["c"].available
needs_c = pytest.mark.skipif(not HAS_C, reason="the C extension is not built")

FEW = ["--steps", "6", "--reference-steps", "3"]


def curve(device, steps, **options):
    run = Run(device)
    training.train(run, device, training.initial_weights(0), steps, 1500, 0, lambda loss: None, **options)
    return run


# ---------------------------------------------------------------------------------------------------------
# The digits.


def test_all_1797_digits_are_there():
    rows = digits.read_rows()
    assert len(rows) == 1797 and {len(row) for row in rows} == {65}
    assert [sum(row[0] == label for row in rows) for label in range(10)] == [
        178, 182, 177, 183, 181, 182, 181, 179, 174, 180,
    ]  # fmt: skip
    assert {pixel for row in rows for pixel in row[1:]} == set(range(17))


def test_split_is_fixed_and_parts_do_not_meet():
    loaded = demo.load_digits("reference")
    assert tuple(loaded.train_images.shape) == (1437, 64) and tuple(loaded.train_labels.shape) == (1437,)
    assert tuple(loaded.held_out_images.shape) == (360, 64) and tuple(loaded.held_out_labels.shape) == (360,)
    assert loaded.train_images.dtype is gn.float32 and loaded.train_labels.dtype is gn.int64
    assert loaded.train_images.amax().item() == 1.0 and loaded.train_images.amin().item() == 0.0
    assert loaded.held_out_labels[:12].tolist() == HELD_OUT_START
    images = loaded.train_images.tolist() + loaded.held_out_images.tolist()
    assert sorted(images) == sorted([pixel / 16 for pixel in row[1:]] for row in digits.read_rows())


HELD_OUT_START = [5, 7, 7, 5, 8, 9, 0, 1, 2, 6, 8, 4]


def test_source_and_licence_stand_beside_the_data():
    folder = resources.files("gnomon.demo") / "data"
    text = (folder / "SOURCE.md").read_text()
    for word in ("Alpaydin", "Kaynak", "UCI Machine Learning", "CC BY 4.0", "Changes"):
        assert word in text
    assert len((folder / "digits.csv.gz").read_bytes()) < 100_000


# ---------------------------------------------------------------------------------------------------------
# The training.


def test_weights_and_batches_depend_on_the_seed_only():
    first, second, other = (training.initial_weights(seed) for seed in (0, 0, 1))
    assert all(first[name].tolist() == second[name].tolist() for name in first)
    assert first["0.weight"].tolist() != other["0.weight"].tolist()
    loaded = demo.load_digits("reference")
    streams = [training.batches(loaded, 0), training.batches(loaded, 0)]
    for _ in range(46):  # into the second pass over the digits
        (images, labels), (again, _) = (next(stream) for stream in streams)
        assert tuple(images.shape) == (32, 64) and tuple(labels.shape) == (32,)
        assert images.tolist() == again.tolist()


def test_reference_learns():
    run = curve("reference", 12)
    assert run.losses[0] == pytest.approx(math.log(10), rel=0.1)
    assert run.losses[-1] < run.losses[0] - 0.3
    assert 0.3 < run.accuracy <= 1.0 and run.samples_per_second > 0


@needs_c
def test_c_trained_to_the_end_names_at_least_95_of_100_held_out_digits():
    run = curve("c", 1500)
    assert run.accuracy >= 0.95


@needs_c
def test_c_follows_the_reference():
    reference, run = curve("reference", 15), curve("c", 15)
    assert training.fault_of(run, reference) is None
    assert training.largest_difference(run.losses, reference.losses) <= TOLERANCE


@pytest.mark.oracle
def test_reference_follows_pytorch():
    torch = pytest.importorskip("torch")
    steps = 15
    weights = training.initial_weights(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))
    model.load_state_dict({name: torch.tensor(value.tolist()) for name, value in weights.items()})
    optimizer = torch.optim.SGD(
        model.parameters(),
        lr=0.2,
        momentum=training.MOMENTUM,
        weight_decay=training.WEIGHT_DECAY,
        foreach=False,
    )
    stream = training.batches(demo.load_digits("reference"), 0)
    losses = []
    for step in range(steps):
        images, labels = (torch.tensor(part.tolist()) for part in next(stream))
        optimizer.param_groups[0]["lr"] = training.LEARNING_RATE * (1 - step / 1500)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(
            model(images), labels, label_smoothing=training.LABEL_SMOOTHING
        )
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert training.largest_difference(losses, curve("reference", steps).losses) <= TOLERANCE


def test_a_gradient_one_part_in_2000_off_is_noticed(monkeypatch):
    reference = curve("reference", 25)
    honest = gn.optim.SGD._step

    def biased(self, params, grads, group):
        grads = [grad * (1 + 2**-11) if grad.ndim == 2 else grad for grad in grads]
        honest(self, params, grads, group)

    monkeypatch.setattr(gn.optim.SGD, "_step", biased)
    assert "differs from the reference at step" in training.fault_of(curve("reference", 25), reference)


# ---------------------------------------------------------------------------------------------------------
# The verdict.


def test_fault_names_step_and_losses():
    reference = Run("reference", [2.0, 1.0])
    assert training.fault_of(reference, reference) is None
    assert training.fault_of(Run("c", [2.0, 1.0 + TOLERANCE / 2, 7.0]), reference) is None
    text = training.fault_of(Run("c", [2.0, 1.0 + 2 * TOLERANCE]), reference)
    assert text.startswith("differs from the reference at step 2") and f"tolerance {TOLERANCE:.1e}" in text
    assert training.fault_of(Run("c", [2.0, math.nan]), reference) == "has loss nan at step 2"
    assert training.fault_of(Run("c", [2.0, 1.0, math.inf]), reference) == "has loss inf at step 3"
    assert training.fault_of(Run("c", [2.0], error="E: x"), reference) == "failed after step 1: E: x"
    assert training.fault_of(Run("reference", [math.nan]), reference) == "has loss nan at step 1"


def test_largest_difference_is_over_the_common_steps():
    assert training.largest_difference([1.0, 2.0, 9.0], [1.5, 2.25]) == 0.5
    assert training.largest_difference([1.0, math.nan], [1.0, 1.0]) == math.inf
    assert training.largest_difference([], [1.0]) == math.inf


@needs_extras
def test_demo_prints_a_table_and_draws_the_curves(tmp_path, capfd):
    picture = tmp_path / "curves.png"
    assert demo.main([*FEW, "--output", str(picture)]) == 0
    text = capfd.readouterr().out
    for word in ("reference", "held-out accuracy", "samples/s", "difference", "tolerance"):
        assert word in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["curves.png"]


@needs_extras
@needs_c
def test_demo_fails_and_names_the_backend_that_leaves_the_curve(tmp_path, monkeypatch, capfd):
    honest = training.train

    def skewed(run, *arguments):
        honest(run, *arguments)
        if run.backend == "c":
            run.losses[1] += 3 * TOLERANCE

    monkeypatch.setattr(training, "train", skewed)
    assert demo.main([*FEW, "--output", str(tmp_path / "x.png")]) == 1
    assert "gnomon demo: c differs from the reference at step 2" in capfd.readouterr().err


@needs_extras
@needs_c
def test_demo_goes_on_after_a_backend_that_raises_and_fails(tmp_path, monkeypatch, capfd):
    honest = training.train

    def broken(run, *arguments):
        if run.backend == "c":
            raise MemoryError("no room")
        honest(run, *arguments)

    monkeypatch.setattr(training, "train", broken)
    assert demo.main([*FEW, "--backends", "c", "--output", str(tmp_path / "x.png")]) == 1
    assert "gnomon demo: c failed after step 0: MemoryError: no room" in capfd.readouterr().err


@needs_extras
def test_demo_fails_on_a_loss_that_is_not_a_number(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(training, "LEARNING_RATE", 1e38)
    assert demo.main([*FEW, "--backends", "reference", "--output", str(tmp_path / "x.png")]) == 1
    assert "gnomon demo: reference has loss" in capfd.readouterr().err


def test_the_environment_chooses_the_backend(monkeypatch):
    monkeypatch.setenv("GNOMON_BACKEND", "numpy")
    assert command.choose_backends() == ["reference", "numpy"]
    assert command.choose_backends(["reference"]) == ["reference"]
    for name in ("cpu", ""):
        monkeypatch.setenv("GNOMON_BACKEND", name)
        assert {"reference", "numpy"} <= set(command.choose_backends())


@pytest.mark.slow
@needs_extras
def test_demo_trains_on_a_gpu(tmp_path, cuda, capfd):
    arguments = ["--steps", "3", "--reference-steps", "3", "--backends", "cuda"]
    assert demo.main([*arguments, "--output", str(tmp_path / "x.png")]) == 0
    assert "cuda" in capfd.readouterr().out


@needs_extras
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--backends", "referense"], "unknown backend 'referense'; did you mean 'reference'?"),
        (["--backends", "meta"], "backend 'meta' cannot train: its tensors have no data"),
        (["--backends", ","], "expected names separated by commas"),
        (["--steps", "0"], "expected a number above 0"),
        (["--output", "no/such/directory/x.png"], "does not exist"),
        (["--output", "x.nothing"], "unknown image format"),
    ],
)
def test_bad_arguments_are_refused_before_any_training(arguments, text, monkeypatch, capfd):
    monkeypatch.setattr(command, "train_all", None)
    with pytest.raises(SystemExit) as caught:
        demo.main(arguments)
    assert caught.value.code == 2 and text in " ".join(capfd.readouterr().err.split())


def test_missing_extras_are_named_and_nothing_runs(monkeypatch, capfd):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(command, "train_all", None)
    assert demo.main([]) == 2
    assert capfd.readouterr().err == (
        "gnomon demo: rich and matplotlib not installed; try: pip install 'gnomon[demo]'\n"
    )
