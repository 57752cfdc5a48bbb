"""The writers of event files, which TensorBoard reads.  Source: torch/utils/tensorboard/writer.py."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...memory.tensor import Tensor
from ...values.errors import warn
from . import summary as summaries
from .images import as_array, figure_to_image, to_grid


def import_tensorboard() -> None:
    """Raises ImportError, with what to install, if the package tensorboard is not there."""
    try:
        import tensorboard.summary.writer.event_file_writer  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "gnomon.utils.tensorboard requires the package tensorboard: pip install 'gnomon[tensorboard]' "
            f"({error})"
        ) from error


class FileWriter:
    """Writes messages to one event file in the folder ``log_dir``, in another thread.

    max_queue        messages that may wait to be written; with more, ``add_`` waits
    flush_secs       seconds after which what waits is written
    filename_suffix  the end of the file's name

    Source: torch.utils.tensorboard.FileWriter.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        self._settings = (str(log_dir), max_queue, flush_secs, filename_suffix)
        self._is_closed = True
        self.reopen()

    def get_logdir(self) -> str:
        """The folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Write an Event, with a step if one is given, and the time, by default the present one."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Write a Summary."""
        from tensorboard.compat.proto.event_pb2 import Event

        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        """Write what waits."""
        self.event_writer.flush()

    def close(self) -> None:
        """Write what waits, and close the file."""
        self.event_writer.close()
        self._is_closed = True

    def reopen(self) -> None:
        """Continue after ``close``, in a new file."""
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        if self._is_closed:
            self.event_writer = EventFileWriter(*self._settings)
            self._is_closed = False


def _usual_bins() -> list[float]:
    """The limits of a histogram's bins: each a tenth farther from 0 than the one before."""
    positive = []
    limit = 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    return [-each for each in reversed(positive)] + [0] + positive


class SummaryWriter:
    """Writes what TensorBoard shows to event files in the folder ``log_dir``.

    log_dir     by default ``runs/``, with the time and the name of this machine, and ``comment``
    purge_step  TensorBoard is to forget what an earlier run logged for this step and later ones

    The other arguments are FileWriter's.  All methods ``add_`` take a ``tag``, the name under which a value
    is shown, ``global_step``, and ``walltime`` in seconds since 1970, by default the present.  Values are
    tensors, NumPy arrays or numbers.  As a context manager, it closes itself.  Source:
    torch.utils.tensorboard.SummaryWriter.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            import socket
            from datetime import datetime

            started = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{started}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self.default_bins = _usual_bins()
        self._embeddings: Any = None
        self._get_file_writer()

    def _new_file_writer(self, log_dir: str | os.PathLike[str]) -> FileWriter:
        return FileWriter(log_dir, self.max_queue, self.flush_secs, self.filename_suffix)

    def _get_file_writer(self) -> FileWriter:
        """The writer of the main file, which is opened again after ``close``."""
        if self.file_writer is None:
            from tensorboard.compat.proto.event_pb2 import Event, SessionLog

            self.file_writer = self._new_file_writer(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                start = SessionLog(status=SessionLog.START)
                self.file_writer.add_event(Event(step=self.purge_step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=self.purge_step, session_log=start))
                self.purge_step = None
        return self.file_writer

    def _add(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def get_logdir(self) -> str | os.PathLike[str]:
        """The folder of the event files."""
        return self.log_dir

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Hyperparameters, and the metrics that were reached with them, as a run of its own.

        hparam_domain_discrete  all values of some hyperparameters that were tried
        run_name                the folder of the run, by default the time

        Raises TypeError for arguments that are no dicts, ValueError for a hyperparameter that is neither a
        number, a text nor a tensor.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        made = summaries.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(folder) as writer:
            for each in made:
                writer._add(each, global_step)
            for tag, value in metric_dict.items():
                writer.add_scalar(tag, value, global_step)

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """One number.  ``new_style`` writes it as a tensor, with ``double_precision`` as float64.

        Raises AssertionError for several numbers.
        """
        self._add(summaries.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Several numbers that are shown in one chart; each is a run of its own, with its own file."""
        walltime = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        assert self.all_writers is not None
        for tag, value in tag_scalar_dict.items():
            name = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if name not in self.all_writers:
                self.all_writers[name] = self._new_file_writer(name)
            self.all_writers[name].add_summary(summaries.scalar(main_tag, value), global_step, walltime)

    def add_tensor(
        self, tag: str, tensor: Tensor, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """A whole tensor.  Raises ValueError for one of 2 GiB or more."""
        self._add(summaries.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """How the values are distributed.

        ``bins`` are the limits of bins, "tensorflow" for TensorFlow's, or one of the methods of
        numpy.histogram; neighbors are joined if there are more than ``max_bins``.  Raises ValueError for no
        values.
        """
        limits = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(summaries.histogram(tag, values, limits, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: int,
        sum: float,
        sum_squares: float,
        bucket_limits: Sequence[float],
        bucket_counts: Sequence[float],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """A histogram that was counted before: upper limits, and the number of values, of each bin.

        Raises ValueError if these are not equally many.
        """
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = summaries.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(made, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """An image of 1, 3 or 4 channels: uint8, or other numbers from 0 to 1.  It needs Pillow.

        ``dataformats`` names the dimensions: channels, height, width.  Raises AssertionError if there are
        others.
        """
        self._add(summaries.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several images as one, in rows of eight; as ``add_image``."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: str | Sequence[str] | None = None,
    ) -> None:
        """An image with red boxes (n, 4): left, top, right, bottom.  ``labels`` are shown if there are n."""
        texts = [labels] if isinstance(labels, str) else labels
        if texts is not None and len(texts) != box_tensor.shape[0]:
            texts = None
        made = summaries.image(tag, img_tensor, rescale, dataformats, box_tensor, texts)
        self._add(made, global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: Any = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """A figure of matplotlib, or a list of equally large ones, as an image; it is closed by default."""
        dataformats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, dataformats)

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: Any = None,
        fps: float = 4,
        walltime: float | None = None,
    ) -> None:
        """Videos (n, frames, channels, height, width) as one animated GIF, ``fps`` frames a second.

        The colors are as for ``add_image``.  It needs Pillow; PyTorch needs moviepy.
        """
        self._add(summaries.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Sound with one channel: amplitudes from -1 to 1, ``sample_rate`` a second.

        Warns of larger amplitudes, which are clipped.  Raises AssertionError for several channels.
        """
        self._add(summaries.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """A text in Markdown."""
        self._add(summaries.text(tag, text_string), global_step, walltime)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Raises NotImplementedError: gnomon does not trace models, so it has no graph to show."""
        raise NotImplementedError("SummaryWriter.add_graph: gnomon does not trace models to graphs")

    def add_onnx_graph(self, prototxt: Any) -> None:
        """Raises NotImplementedError: gnomon does not read ONNX."""
        raise NotImplementedError("SummaryWriter.add_onnx_graph: gnomon does not read ONNX files")

    @staticmethod
    def _encode(rawstr: str) -> str:
        """A tag as the name of a folder."""
        return rawstr.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")

    def add_embedding(
        self,
        mat: Any,
        metadata: Sequence[Any] | None = None,
        label_img: Any = None,
        global_step: Any = None,
        tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:
        """Points (n, dims), which TensorBoard projects to three dimensions.

        metadata         n labels, or with ``metadata_header``, the names of columns, n lists
        label_img        n images (n, 1 or 3, h, w) that are shown at the points; needs Pillow

        Warns if there are points of this tag and step already.  Raises AssertionError if the numbers of
        points, labels and images differ, NotADirectoryError if a file is in the place of the folder.
        """
        from google.protobuf import text_format
        from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo, ProjectorConfig

        points = as_array(mat)
        step = str(0 if global_step is None else global_step).zfill(5)
        if points.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        if metadata is not None and len(points) != len(metadata):
            raise AssertionError("#labels should equal with #data points")
        if label_img is not None and len(points) != label_img.shape[0]:
            raise AssertionError("#images should equal with #data points")
        subfolder = f"{step}/{self._encode(tag)}"
        log_dir = self._get_file_writer().get_logdir()
        folder = os.path.join(log_dir, subfolder)
        if os.path.isdir(folder):
            warn("Embedding dir exists, did you set global_step for add_embedding()?")
        elif os.path.exists(folder):
            raise NotADirectoryError(f"Path: `{folder}` exists, but is a file. Cannot proceed.")
        os.makedirs(folder, exist_ok=True)
        info = EmbeddingInfo(tensor_name=f"{tag}:{step}", tensor_path=f"{subfolder}/tensors.tsv")
        _write_rows(os.path.join(folder, "tensors.tsv"), points.tolist())
        if metadata is not None:
            rows = [[each] for each in metadata] if not metadata_header else [metadata_header, *metadata]
            if metadata_header and len(metadata_header) != len(metadata[0]):
                raise AssertionError("len of header must be equal to the number of columns in metadata")
            info.metadata_path = f"{subfolder}/metadata.tsv"
            _write_rows(os.path.join(folder, "metadata.tsv"), rows)
        if label_img is not None:
            info.sprite.image_path = f"{subfolder}/sprite.png"
            info.sprite.single_image_dim.extend([label_img.shape[3], label_img.shape[2]])
            _write_sprite(os.path.join(folder, "sprite.png"), as_array(label_img))
        if self._embeddings is None:
            self._embeddings = ProjectorConfig()
        self._embeddings.embeddings.extend([info])
        with open(os.path.join(log_dir, "projector_config.pbtxt"), "w") as file:
            file.write(text_format.MessageToString(self._embeddings))

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall for up to 127 thresholds, of probabilities, and labels that are 0 or 1."""
        made = summaries.pr_curve(tag, labels, predictions, num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall that were computed before; ``weights`` is not used."""
        positives = (true_positive_counts, false_positive_counts)
        negatives = (true_negative_counts, false_negative_counts)
        made = summaries.pr_curve_raw(tag, *positives, *negatives, precision, recall, num_thresholds)
        self._add(made, global_step, walltime)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One chart with the scalars of all ``tags``."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One chart with a scalar and its limits: the tags of the value, the lower and the upper limit.

        Raises AssertionError for another number of tags.
        """
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Charts by category and title: ``{category: {title: ["Multiline" or "Margin", tags]}}``."""
        self._add(summaries.custom_scalars(layout))

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Meshes or clouds of points: vertices, colors from 0 to 255, and faces, each (n, points, 3).

        ``config_dict`` are classes of ThreeJS and their settings.
        """
        self._add(summaries.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def flush(self) -> None:
        """Write what waits to the files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write what waits, and close the files; the next ``add_`` opens new ones."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        self.close()


def _write_rows(path: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write a table, with tabs between the columns."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def _write_sprite(path: str, images: Any) -> None:
    """Write images (n, 1 or 3, h, w), from 0 to 1, as one picture with as many rows as columns."""
    import numpy
    from PIL import Image

    columns = math.ceil(math.sqrt(len(images)))
    grid = to_grid(images, columns).transpose(1, 2, 0)
    height = columns * images.shape[2]
    square = numpy.zeros((height, grid.shape[1], 3))
    square[: grid.shape[0]] = grid
    Image.fromarray((square * 255).clip(0, 255).astype("uint8")).save(path, format="PNG")
