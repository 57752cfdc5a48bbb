"""Calls of gnomon and of PyTorch with the same quantized tensors, for tests that compare the results."""

ZERO_POINTS = {"quint8": 60, "qint8": -7, "qint32": 11}


def numbers(lib, *sizes, seed=1):
    """Numbers from -3.3 to 3.4."""
    count = 1
    for size in sizes:
        count *= size
    return lib.tensor(
        [((seed * 7919 + place * 104729) % 2003) / 300 - 3.3 for place in range(count)]
    ).reshape(sizes)


def quantized(lib, *sizes, kind="quint8", scale=0.05, zero_point=None, seed=1, per_channel=False):
    """These numbers, quantized; ``per_channel``: along the first dimension."""
    zero_point = ZERO_POINTS[kind] if zero_point is None else zero_point
    x, count = numbers(lib, *sizes, seed=seed), sizes[0]
    if not per_channel:
        return lib.quantize_per_tensor(x, scale, zero_point, getattr(lib, kind))
    scales = lib.tensor([scale + 0.01 * channel for channel in range(count)])
    zero_points = lib.tensor([zero_point + channel for channel in range(count)])
    return lib.quantize_per_channel(x, scales, zero_points, 0, getattr(lib, kind))


def facts(x):
    """All that is compared of a result."""
    if isinstance(x, (list, tuple)):
        return [facts(each) for each in x]
    if not hasattr(x, "dtype"):
        return x
    found = str(x.dtype).partition(".")[2], tuple(x.shape), tuple(x.stride())
    if not x.is_quantized:
        return (*found, x.tolist())
    if "per_channel" in str(x.qscheme()):
        scales, zero_points = x.q_per_channel_scales(), x.q_per_channel_zero_points()
        return (*found, scales.tolist(), zero_points.tolist(), x.q_per_channel_axis(), x.int_repr().tolist())
    return (*found, x.q_scale(), x.q_zero_point(), x.int_repr().tolist())


def outcome(call, *arguments):
    """The facts of what a call returns, or the type of its exception."""
    try:
        return facts(call(*arguments))
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins").__name__
