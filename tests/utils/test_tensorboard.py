"""SummaryWriter: what TensorBoard's own reader finds in the event files, and that PyTorch writes the same."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn

pytest.importorskip("tensorboard")
numpy = pytest.importorskip("numpy")
from gnomon.utils.tensorboard import FileWriter, RecordWriter, SummaryWriter  # noqa: E402


def read(folder: Path) -> Any:
    """All that TensorBoard's reader finds in a folder."""
    from tensorboard.backend.event_processing.event_accumulator import (
        STORE_EVERYTHING_SIZE_GUIDANCE,
        EventAccumulator,
    )

    return EventAccumulator(str(folder), STORE_EVERYTHING_SIZE_GUIDANCE).Reload()


def numbers(folder: Path, tag: str) -> list[tuple[float, int, float]]:
    """The times, steps and values of a scalar."""
    return [(each.wall_time, each.step, each.value) for each in read(folder).Scalars(tag)]


def summaries(folder: Path) -> list[Any]:
    """The steps and the values of all events in a folder and below it, without times."""
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    files = sorted(folder.rglob("events.*"), key=lambda path: str(path.parent.relative_to(folder)))
    return [
        (str(path.parent.relative_to(folder)), event.step, event.summary)
        for path in files
        for event in LegacyEventFileLoader(str(path)).Load()
        if event.HasField("summary")
    ]


def image_of(encoded: bytes) -> Any:
    from PIL import Image

    return numpy.asarray(Image.open(io.BytesIO(encoded)))


def test_scalars_are_read_back(tmp_path: Path, device: str) -> None:
    with SummaryWriter(tmp_path) as writer:
        assert writer.get_logdir() == tmp_path
        for step in range(3):
            writer.add_scalar(
                "loss", gn.tensor([[step * 0.5]], requires_grad=True), step, walltime=100 + step
            )
        writer.add_scalar("half", gn.tensor(1.5, dtype=gn.bfloat16))
        writer.add_scalar("new", 0.1, 7, new_style=True, double_precision=True)
        with pytest.raises(AssertionError, match="should contain one element"):
            writer.add_scalar("several", gn.ones(2))
        with pytest.raises(NotImplementedError, match=r"^Got list, but numpy array or gnomon tensor"):
            writer.add_scalar("list", [1])
    found = read(tmp_path)
    assert numbers(tmp_path, "loss") == [(100, 0, 0.0), (101, 1, 0.5), (102, 2, 1.0)]
    assert found.Scalars("half")[0].value == 1.5
    (new,) = found.Tensors("new")
    assert new.step == 7 and list(new.tensor_proto.double_val) == [0.1]


def test_scalars_of_one_chart_are_runs_of_their_own(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    for step in range(2):
        writer.add_scalars("a/loss", {"train": step, "test": numpy.float32(step + 10)}, step)
    writer.close()
    assert [each.value for each in read(tmp_path / "a_loss_train").Scalars("a/loss")] == [0, 1]
    assert [each.value for each in read(tmp_path / "a_loss_test").Scalars("a/loss")] == [10, 11]


def test_a_closed_writer_opens_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = SummaryWriter(tmp_path)
    writer.add_scalar("x", 1, 1)
    writer.flush()
    assert [each.value for each in read(tmp_path).Scalars("x")] == [1]
    writer.close()
    writer.close()
    writer.flush()
    writer = SummaryWriter(tmp_path, purge_step=1, filename_suffix=".second")
    writer.add_scalar("x", 5, 1)
    writer.close()
    assert [each.value for each in read(tmp_path).Scalars("x")] == [5]
    assert len(list(tmp_path.glob("*.second"))) == 1
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="-note") as made:
        made.add_text("greeting", "*hello*", 3)
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("-note") and str(made.log_dir) == str(folder.relative_to(tmp_path))
    (text,) = read(folder).Tensors("greeting/text_summary")
    assert text.step == 3 and list(text.tensor_proto.string_val) == [b"*hello*"]


def test_histograms(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("weights", gn.tensor([0.0, 0.5, 0.5, 2.0]), 4, bins=[-1, 0.25, 1, 3, 9])
        writer.add_histogram("usual", gn.arange(100.0))
        with pytest.raises(ValueError, match=r"^The input has no element\.$"):
            writer.add_histogram("nothing", gn.ones(0))
        with pytest.raises(ValueError, match="no value is in one of the bins"):
            writer.add_histogram("outside", gn.ones(2), bins=[5, 6])
        with pytest.raises(ValueError, match=r"^len\(bucket_limits\) != len\(bucket_counts\)"):
            writer.add_histogram_raw("raw", 0, 1, 2, 1, 1, [1], [1, 2])
    found = read(tmp_path)
    (weights,) = found.Histograms("weights")
    value = weights.histogram_value
    assert weights.step == 4 and (value.min, value.max, value.num, value.sum, value.sum_squares) == (
        *(0, 2, 4, 3, 4.5),
    )
    assert value.bucket_limit == [-1, 0.25, 1, 3] and value.bucket == [0, 1, 2, 1]
    assert sum(found.Histograms("usual")[0].histogram_value.bucket) == 100


def test_images(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("gray", gn.tensor([[0.0, 0.5], [1.0, 9.0]]), dataformats="HW")
        writer.add_image("bytes", gn.arange(12, dtype=gn.uint8).view(3, 2, 2))
        writer.add_images("several", gn.stack([gn.zeros(1, 2, 2), gn.ones(1, 2, 2)]))
        boxed = gn.zeros(3, 20, 20)
        writer.add_image_with_boxes("boxed", boxed, gn.tensor([[2.0, 2.0, 12.0, 12.0]]), labels="one")
        with pytest.raises(AssertionError, match="size of input tensor and input format are different"):
            writer.add_image("wrong", gn.ones(2, 2))
        with pytest.raises(AssertionError, match="can not use the same dimension shorthand twice"):
            writer.add_image("twice", gn.ones(2, 2, 2), dataformats="CHH")
    found = read(tmp_path)
    gray = image_of(found.Images("gray")[0].encoded_image_string)
    assert gray.tolist() == [[[0] * 3, [127] * 3], [[255] * 3, [255] * 3]]
    bytes_of_it = image_of(found.Images("bytes")[0].encoded_image_string)
    assert bytes_of_it.transpose(2, 0, 1).reshape(-1).tolist() == list(range(12))
    several = found.Images("several")[0]
    assert (several.width, several.height) == (4, 2)
    assert image_of(several.encoded_image_string)[:, :, 0].tolist() == [[0, 0, 255, 255]] * 2
    red = image_of(found.Images("boxed")[0].encoded_image_string)
    assert red[2, 5].tolist() == [255, 0, 0] and red[15, 15].tolist() == [0, 0, 0]


def test_figures_are_drawn_and_closed(tmp_path: Path) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    figure = plt.figure(figsize=(1, 0.5), dpi=20, facecolor="red")
    with SummaryWriter(tmp_path) as writer:
        writer.add_figure("kept", figure, close=False)
        assert plt.fignum_exists(figure.number)
        writer.add_figure("pair", [figure, figure])
    assert not plt.fignum_exists(figure.number)
    found = read(tmp_path)
    kept = image_of(found.Images("kept")[0].encoded_image_string)
    assert kept.shape == (10, 20, 3) and (kept == [255, 0, 0]).all()
    assert found.Images("pair")[0].width == 40


def test_videos_and_sound(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    with SummaryWriter(tmp_path) as writer:
        frames = gn.stack([gn.zeros(3, 4, 4), gn.ones(3, 4, 4)])
        writer.add_video("video", frames.unsqueeze(0).repeat(3, 1, 1, 1, 1), fps=2)
        with pytest.warns(UserWarning, match="audio amplitude out of range"):
            writer.add_audio("sound", gn.tensor([[0.0, 0.5, -2.0]]), sample_rate=8000)
        with pytest.raises(AssertionError, match="should be 1 dimensional"):
            writer.add_audio("stereo", gn.ones(2, 2))
    found = read(tmp_path)
    video = image.open(io.BytesIO(found.Images("video")[0].encoded_image_string))
    assert video.n_frames == 2 and video.size == (16, 4) and video.info["duration"] == 500
    assert numpy.asarray(video.convert("L")).max() == 0
    video.seek(1)
    second = numpy.asarray(video.convert("L"))
    assert second[:, :12].min() == 255 and second[:, 12:].max() == 0  # the fourth video is black
    (sound,) = found.Audio("sound")
    assert (sound.sample_rate, sound.length_frames, sound.content_type) == (8000, 3, "audio/wav")
    assert numpy.frombuffer(sound.encoded_audio_string[-6:], "<i2").tolist() == [0, 16383, -32767]


def test_embeddings_are_files_beside(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    with SummaryWriter(tmp_path) as writer:
        writer.add_embedding(gn.tensor([[1.0, 2.0], [3.0, 4.5]]), ["a", "b"], gn.ones(2, 1, 3, 3), 5, "x/y")
        writer.add_embedding(gn.ones(1, 2), [["a", 1]], metadata_header=["name", "number"])
        with pytest.warns(UserWarning, match="Embedding dir exists"):
            writer.add_embedding(gn.ones(1, 2))
        with pytest.raises(AssertionError, match="#labels should equal with #data points"):
            writer.add_embedding(gn.ones(1, 2), ["a", "b"])
        with pytest.raises(AssertionError, match="mat should be 2D"):
            writer.add_embedding(gn.ones(2))
    folder = tmp_path / "00005" / "x%2fy"
    assert (folder / "tensors.tsv").read_text() == "1.0\t2.0\n3.0\t4.5\n"
    assert (folder / "metadata.tsv").read_text() == "a\nb\n"
    assert image_of((folder / "sprite.png").read_bytes()).shape == (6, 6, 3)
    assert (tmp_path / "00000" / "default" / "metadata.tsv").read_text() == "name\tnumber\na\t1\n"
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'tensor_path: "00005/x%2fy/tensors.tsv"' in config and config.count("embeddings {") == 3
    assert "single_image_dim: 3" in config and 'tensor_name: "x/y:00005"' in config


def test_what_has_no_way_says_so(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(NotImplementedError, match="gnomon does not trace models"):
            writer.add_graph(gn.nn.Linear(2, 2), gn.ones(2))
        with pytest.raises(NotImplementedError, match="gnomon does not read ONNX"):
            writer.add_onnx_graph("file")
        with pytest.raises(TypeError, match="should be dictionary"):
            writer.add_hparams([], {})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="should be a list of same type as"):
            writer.add_hparams({"a": 1}, {}, {"a": ["text"]})
        with pytest.raises(ValueError, match=r"should be one of int, .* not object$"):
            writer.add_hparams({"a": object()}, {})
    assert callable(RecordWriter)


def test_without_tensorboard_the_import_says_what_is_missing() -> None:
    program = (
        "import sys; sys.modules['tensorboard'] = None\n"
        "try:\n    import gnomon.utils.tensorboard\n"
        "except ImportError as error:\n    print(error)\n"
        "import gnomon; print(hasattr(gnomon.utils, 'tensorboard'))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert found.startswith("gnomon.utils.tensorboard requires the package tensorboard: pip install 'gnomon[")
    assert found.endswith("False\n")


def test_file_writers_write_messages(tmp_path: Path) -> None:
    from tensorboard.compat.proto.summary_pb2 import Summary

    writer = FileWriter(tmp_path, filename_suffix=".own")
    assert writer.get_logdir() == str(tmp_path)
    summary = Summary(value=[Summary.Value(tag="t", simple_value=2.0)])
    writer.add_summary(summary, numpy.int64(4), walltime=9.0)
    writer.close()
    assert numbers(tmp_path, "t") == [(9.0, 4, 2.0)]
    writer.reopen()
    writer.add_summary(summary, 5)
    writer.flush()
    writer.close()
    assert [each.step for each in read(tmp_path).Scalars("t")] == [4, 5]


# Each logs something with either library.
CALLS: dict[str, Callable[[Any, Any], None]] = {
    "scalar": lambda w, lib: w.add_scalar("x", lib.tensor(0.1), 3),
    "scalar in the new style": lambda w, lib: w.add_scalar("x", 0.1, 3, new_style=True),
    "scalars": lambda w, lib: w.add_scalars("a/b", {"c": 1, "d": lib.tensor(2.0)}, 1),
    "histogram": lambda w, lib: w.add_histogram("h", lib.linspace(-3, 5, 301), 1),
    "histogram with few bins": lambda w, lib: w.add_histogram("h", lib.linspace(-3, 5, 301), 1, max_bins=50),
    "histogram by a method": lambda w, lib: w.add_histogram("h", lib.linspace(-3, 5, 301), 1, bins="auto"),
    "raw histogram": lambda w, lib: w.add_histogram_raw("h", 0, 1, 2, 1, 1, [0.5, 1], [1, 1]),
    "image": lambda w, lib: w.add_image("i", lib.linspace(0, 1, 36).view(3, 4, 3), 2),
    "gray image": lambda w, lib: w.add_image("i", lib.linspace(0, 1, 12).view(4, 3, 1), dataformats="HWC"),
    "images": lambda w, lib: w.add_images("i", lib.linspace(0, 1, 9 * 12).view(9, 3, 2, 2)),
    "boxes": lambda w, lib: w.add_image_with_boxes("i", lib.zeros(3, 30, 30), lib.tensor([[1, 2, 20, 25]])),
    "text": lambda w, lib: w.add_text("t", "ä", 1),
    "audio": lambda w, lib: w.add_audio("a", lib.linspace(-1, 1, 50), 1),
    "precision and recall": lambda w, lib: w.add_pr_curve(
        "p", lib.tensor([0, 1, 1, 0]), lib.tensor([0.1, 0.9, 0.4, 0.6]), 1, weights=0.5
    ),
    "raw precision and recall": lambda w, lib: w.add_pr_curve_raw(
        "p", *[numpy.arange(3) + k for k in range(6)], num_thresholds=3
    ),
    "hyperparameters": lambda w, lib: w.add_hparams(
        {"lr": 0.1, "on": True, "kind": "a", "t": lib.tensor([2.5]), "none": None},
        {"loss": 1.5},
        {"kind": ["a", "b"], "lr": [0.1, 0.2]},
        run_name="run",
        global_step=4,
    ),
    "mesh": lambda w, lib: w.add_mesh(
        "m", lib.arange(12.0).view(1, 4, 3), faces=lib.tensor([[[0, 1, 2]]]), config_dict={"b": 1, "a": {}}
    ),
    "lines": lambda w, lib: w.add_custom_scalars_multilinechart(["a", "b"]),
    "margin": lambda w, lib: w.add_custom_scalars_marginchart(["a", "b", "c"], "k", "t"),
    "tensor": lambda w, lib: [
        w.add_tensor(f"t{kind}", lib.tensor([[0, 1], [2, 1]]).to(getattr(lib, kind)), 1)
        for kind in "float16 bfloat16 float32 float64 int8 uint8 int16 int32 int64 bool complex64".split()
    ],
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", CALLS)
def test_pytorch_writes_the_same(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from torch.utils.tensorboard import SummaryWriter as TorchWriter

    with SummaryWriter(tmp_path / "gnomon") as ours, TorchWriter(tmp_path / "torch") as theirs:
        CALLS[name](ours, gn)
        CALLS[name](theirs, torch)
    found = summaries(tmp_path / "gnomon")
    assert len(found) > 0 and found == summaries(tmp_path / "torch")
