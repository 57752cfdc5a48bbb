"""TensorBoard's messages: each function makes the Summary of one call of SummaryWriter.

Source: torch/utils/tensorboard/summary.py.
"""

from __future__ import annotations

import io
import json
import struct
import wave
from collections.abc import Mapping, Sequence
from typing import Any

from ...bindings.creation import as_tensor
from ...memory.tensor import Tensor
from ...values import dtype as dtypes
from ...values.errors import type_name, warn
from .images import as_array, to_height_width_channels, to_video_frames

_MOST_THRESHOLDS = 127  # more can not be written
_TINY = 1e-7  # instead of 0 in denominators
_MOST_BYTES = 1 << 31  # of a protocol buffer


def _summary(tag: str, **fields: Any) -> Any:
    from tensorboard.compat.proto.summary_pb2 import Summary

    return Summary(value=[Summary.Value(tag=tag, **fields)])


def _plugin(name: str, content: bytes = b"") -> Any:
    """The metadata that tell TensorBoard which of its plugins shows a value."""
    from tensorboard.compat.proto.summary_pb2 import SummaryMetadata

    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=name, content=content))


def _tensor(dtype: str, sizes: Sequence[int] | None, **values: Any) -> Any:
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

    dims = [TensorShapeProto.Dim(size=size) for size in sizes or ()]
    shape = None if sizes is None else TensorShapeProto(dim=dims)
    return TensorProto(dtype=dtype, tensor_shape=shape, **values)


def scalar(tag: str, value: Any, new_style: bool = False, double_precision: bool = False) -> Any:
    """One number.  Raises AssertionError for a tensor of several elements."""
    array = as_array(value).squeeze()
    if array.ndim != 0:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions). Was given size: {array.size} and "
            f"{array.ndim} dimensions."
        )
    number = float(array)
    if not new_style:
        return _summary(tag, simple_value=number)
    values: Any = {"double_val": [number]} if double_precision else {"float_val": [number]}
    made = _tensor("DT_DOUBLE" if double_precision else "DT_FLOAT", None, **values)
    return _summary(tag, tensor=made, metadata=_plugin("scalars"))


def _bits(elements: list[float]) -> list[int]:
    """Half precision numbers as the integers whose bits are the same numbers in float32."""
    return [struct.unpack("i", struct.pack("f", each))[0] for each in elements]


# dtype -> TensorBoard's name, and the field that has the elements
_FIELDS = {
    dtypes.float16: ("DT_HALF", "half_val"),
    dtypes.bfloat16: ("DT_BFLOAT16", "half_val"),
    dtypes.float32: ("DT_FLOAT", "float_val"),
    dtypes.float64: ("DT_DOUBLE", "double_val"),
    dtypes.int8: ("DT_INT8", "int_val"),
    dtypes.uint8: ("DT_UINT8", "uint32_val"),
    dtypes.int16: ("DT_INT16", "int_val"),
    dtypes.int32: ("DT_INT32", "int_val"),
    dtypes.int64: ("DT_INT64", "int64_val"),
    dtypes.bool_: ("DT_BOOL", "bool_val"),
    dtypes.complex64: ("DT_COMPLEX64", "scomplex_val"),
    dtypes.complex128: ("DT_COMPLEX128", "dcomplex_val"),
}


def tensor_proto(tag: str, tensor: Tensor) -> Any:
    """A whole tensor.  Raises ValueError for one of 2 GiB or more."""
    if tensor.nbytes >= _MOST_BYTES:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    name, field = _FIELDS[tensor.dtype]
    elements = tensor.flatten().tolist()
    if field == "half_val":
        elements = _bits(elements)
    elif tensor.is_complex():
        elements = [part for each in elements for part in (each.real, each.imag)]
    made = _tensor(name, tensor.shape, **{field: elements})
    return _summary(tag, tensor=made, metadata=_plugin("tensor"))


def histogram(tag: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """How many of the values are in each bin; ``bins`` are limits, or a method of numpy.histogram.

    Neighboring bins are joined if there are more than ``max_bins``.  Raises ValueError for no values.
    """
    import numpy

    flat = as_array(values).astype(float).reshape(-1)
    if flat.size == 0:
        raise ValueError("The input has no element.")
    counts, limits = numpy.histogram(flat, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        counts = numpy.add.reduceat(counts, numpy.arange(0, len(counts), step))
        limits = numpy.append(limits[:-1:step], limits[-1])
    (filled,) = counts.nonzero()
    if filled.size == 0:
        raise ValueError("The histogram is empty: no value is in one of the bins")
    first, last = int(filled[0]), int(filled[-1])
    # TensorBoard gets only the right limits of bins, so an empty bin says where the first one begins.
    return histogram_raw(
        tag,
        flat.min(),
        flat.max(),
        flat.size,
        flat.sum(),
        flat.dot(flat),
        limits[first : last + 2].tolist(),
        [0, *counts[first : last + 1].tolist()],
    )


def histogram_raw(
    tag: str,
    min: Any,
    max: Any,
    num: Any,
    sum: Any,
    sum_squares: Any,
    bucket_limits: Any,
    bucket_counts: Any,
) -> Any:
    """A histogram that was counted before."""
    from tensorboard.compat.proto.summary_pb2 import HistogramProto

    made = HistogramProto(
        min=min,
        max=max,
        num=num,
        sum=sum,
        sum_squares=sum_squares,
        bucket_limit=bucket_limits,
        bucket=bucket_counts,
    )
    return _summary(tag, histo=made)


def _as_bytes(array: Any) -> Any:
    """Colors as uint8: numbers of another dtype are from 0 to 1."""
    scale = 1 if array.dtype.name == "uint8" else 255
    return (array.astype("float32") * scale).clip(0, 255).astype("uint8")


def _encoded(frame: Any, data: bytes) -> Any:
    from tensorboard.compat.proto.summary_pb2 import Summary

    height, width, channels = frame.shape
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=data)


def image(
    tag: str,
    tensor: Any,
    rescale: float = 1,
    dataformats: str = "NCHW",
    boxes: Any = None,
    labels: Any = None,
) -> Any:
    """An image, or several in a grid; ``boxes`` (n, 4) are drawn: left, top, right and bottom."""
    from PIL import Image

    array = _as_bytes(to_height_width_channels(as_array(tensor), dataformats))
    picture = Image.fromarray(array)
    if boxes is not None:
        _draw_boxes(picture, as_array(boxes).tolist(), labels)
    height, width, _ = array.shape
    size = int(width * rescale), int(height * rescale)
    file = io.BytesIO()
    picture.resize(size, Image.Resampling.LANCZOS).save(file, format="PNG")
    return _summary(tag, image=_encoded(array, file.getvalue()))


def _draw_boxes(picture: Any, boxes: list[list[float]], labels: Sequence[str] | None) -> None:
    from PIL import ImageDraw, ImageFont

    draw, font = ImageDraw.Draw(picture), ImageFont.load_default()
    for number, (left, top, right, bottom) in enumerate(boxes):
        corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(corners, width=2, fill="Red")
        if labels is not None:
            x0, y0, x1, y1 = font.getbbox(labels[number])
            margin = 1
            height = y1 - y0 + 2 * margin
            draw.rectangle([(left, bottom - height), (left + x1 - x0, bottom)], fill="Red")
            draw.text((left + margin, bottom - height + margin), labels[number], fill="black", font=font)


def video(tag: str, tensor: Any, fps: float = 4) -> Any:
    """Videos (n, t, c, h, w), side by side, as an animated GIF."""
    from PIL import Image

    frames = _as_bytes(to_video_frames(as_array(tensor)))
    first, *rest = [Image.fromarray(each if each.shape[2] > 1 else each[:, :, 0]) for each in frames]
    file = io.BytesIO()
    first.save(file, format="GIF", save_all=True, append_images=rest, duration=1000 / fps, loop=0)
    return _summary(tag, image=_encoded(frames[0], file.getvalue()))


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Any:
    """Sound with one channel, as a WAV file of 16 bits; amplitudes are from -1 to 1.

    Warns of larger ones, which are clipped.  Raises AssertionError for more than one dimension.
    """
    from tensorboard.compat.proto.summary_pb2 import Summary

    array = as_array(tensor).squeeze()
    if array.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    if array.size and abs(array).max() > 1:
        warn("audio amplitude out of range, auto clipped.")
        array = array.clip(-1, 1)
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(sample_rate)
        written.writeframes((array * 32767).astype("<i2").tobytes())
    made = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=array.shape[-1],
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return _summary(tag, audio=made)


def text(tag: str, text_string: str) -> Any:
    """A text in Markdown."""
    from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

    made = _tensor("DT_STRING", (1,), string_val=[text_string.encode()])
    metadata = _plugin("text", TextPluginData(version=0).SerializeToString())
    return _summary(f"{tag}/text_summary", tensor=made, metadata=metadata)


def custom_scalars(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> Any:
    """Which scalars TensorBoard shows in one chart: {category: {title: [kind, tags]}}.

    The kind "Multiline" shows all tags, "Margin" three: a value, its lower and its upper limit.  Raises
    AssertionError for another number of tags there.
    """
    from tensorboard.plugins.custom_scalar import layout_pb2

    def chart(title: str, kind: str, tags: Sequence[str]) -> Any:
        if kind != "Margin":
            return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        value, lower, upper = tags
        series = layout_pb2.MarginChartContent.Series(value=value, lower=lower, upper=upper)
        return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))

    categories = [
        layout_pb2.Category(title=name, chart=[chart(title, *each) for title, each in charts.items()])
        for name, charts in layout.items()
    ]
    content = layout_pb2.Layout(category=categories).SerializeToString()
    made = _tensor("DT_STRING", (), string_val=[content])
    return _summary("custom_scalars__config__", tensor=made, metadata=_plugin("custom_scalars"))


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Any:
    """Precision and recall of predicted probabilities, for thresholds from 0 to 1; ``labels`` are 0 or 1."""
    import numpy

    count = min(num_thresholds, _MOST_THRESHOLDS)
    truth = as_array(labels).astype("float64")
    weight = 1.0 if weights is None else as_array(weights)
    buckets = numpy.floor(as_array(predictions) * (count - 1)).astype("int32")

    def at_least(weights_of_each: Any) -> Any:
        """The sum of the weights of predictions that reach each threshold."""
        found, _ = numpy.histogram(buckets, bins=count, range=(0, count - 1), weights=weights_of_each)
        return numpy.cumsum(found[::-1])[::-1]

    true_positive, false_positive = at_least(truth * weight), at_least((1.0 - truth) * weight)
    true_negative = false_positive[0] - false_positive
    false_negative = true_positive[0] - true_positive
    precision = true_positive / numpy.maximum(_TINY, true_positive + false_positive)
    recall = true_positive / numpy.maximum(_TINY, true_positive + false_negative)
    counts = (true_positive, false_positive, true_negative, false_negative)
    return pr_curve_raw(tag, *counts, precision, recall, count)


def pr_curve_raw(
    tag: str, tp: Any, fp: Any, tn: Any, fn: Any, precision: Any, recall: Any, num_thresholds: int = 127
) -> Any:
    """Precision and recall that were computed before."""
    import numpy
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    data = numpy.stack([as_array(each) for each in (tp, fp, tn, fn, precision, recall)])
    count = min(num_thresholds, _MOST_THRESHOLDS)
    content = PrCurvePluginData(version=0, num_thresholds=count).SerializeToString()
    made = _tensor("DT_FLOAT", data.shape, float_val=data.reshape(-1).tolist())
    return _summary(tag, tensor=made, metadata=_plugin("pr_curves", content))


def mesh(tag: str, vertices: Any, colors: Any, faces: Any, config_dict: Any) -> Any:
    """A mesh or a cloud of points: vertices, colors and faces (n, points, 3); the last two may be None."""
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    kinds = (MeshPluginData.VERTEX, MeshPluginData.FACE, MeshPluginData.COLOR)
    parts = [
        (kind, as_tensor(each)) for kind, each in zip(kinds, (vertices, faces, colors)) if each is not None
    ]
    components = metadata.get_components_bitmask([kind for kind, _ in parts])
    config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
    values = []
    for kind, part in parts:
        described = metadata.create_summary_metadata(
            tag, None, kind, components, tuple(part.shape), None, json_config=config
        )
        made = _tensor("DT_FLOAT", part.shape, float_val=part.flatten().tolist())
        name = metadata.get_instance_name(tag, kind)
        values.append(Summary.Value(tag=name, tensor=made, metadata=described))
    return Summary(value=values)


def hparams(
    hparam_dict: dict[str, Any], metric_dict: dict[str, Any], hparam_domain_discrete: Any = None
) -> tuple[Any, Any, Any]:
    """Three Summaries: which hyperparameters and metrics there are, the start with their values, and the end.

    Raises TypeError for a domain that is no list of values of the hyperparameter's type, ValueError for a
    hyperparameter of another type than int, float, str, bool or Tensor.
    """
    from google.protobuf import struct_pb2
    from tensorboard.plugins.hparams import metadata
    from tensorboard.plugins.hparams.api_pb2 import (
        DataType,
        Experiment,
        HParamInfo,
        MetricInfo,
        MetricName,
        Status,
    )
    from tensorboard.plugins.hparams.plugin_data_pb2 import (
        HParamsPluginData,
        SessionEndInfo,
        SessionStartInfo,
    )

    domains = hparam_domain_discrete or {}
    if not isinstance(domains, dict):
        raise TypeError("parameter: hparam_domain_discrete should be a dictionary, nothing logged.")
    for name, domain in domains.items():
        kind = type(hparam_dict.get(name))
        if (
            name not in hparam_dict
            or not isinstance(domain, list)
            or not all(isinstance(d, kind) for d in domain)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as "
                f"hparam_dict[{name}]."
            )
    start, infos = SessionStartInfo(), []
    for name, value in hparam_dict.items():
        if value is None:
            continue
        if isinstance(value, Tensor):
            value = float(as_array(value).reshape(-1)[0])
        if isinstance(value, (int, float)):  # a bool, too, as in PyTorch
            field, type_of_it = "number_value", "DATA_TYPE_FLOAT64"
        elif isinstance(value, str):
            field, type_of_it = "string_value", "DATA_TYPE_STRING"
        else:
            raise ValueError(
                f"value should be one of int, float, str, bool, or gnomon.Tensor, not {type_name(value)}"
            )
        setattr(start.hparams[name], field, value)
        values = [struct_pb2.Value(**{field: each}) for each in domains.get(name, ())]
        domain_of_it = struct_pb2.ListValue(values=values) if name in domains else None
        infos.append(HParamInfo(name=name, type=DataType.Value(type_of_it), domain_discrete=domain_of_it))

    def summary(tag: str, **fields: Any) -> Any:
        content = HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **fields).SerializeToString()
        return _summary(tag, metadata=_plugin(metadata.PLUGIN_NAME, content))

    metrics = [MetricInfo(name=MetricName(tag=each)) for each in metric_dict]
    return (
        summary(metadata.EXPERIMENT_TAG, experiment=Experiment(hparam_infos=infos, metric_infos=metrics)),
        summary(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        summary(
            metadata.SESSION_END_INFO_TAG,
            session_end_info=SessionEndInfo(status=Status.Value("STATUS_SUCCESS")),
        ),
    )
