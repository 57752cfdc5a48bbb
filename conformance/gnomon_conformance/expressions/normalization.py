"""Batch, layer, group, instance and root-mean-square normalization."""

from . import expressions_of

_RUNNING = "m = t(3); v = t(3, values='positive'); "
expressions_of(
    "nn.functional.batch_norm",
    "F.batch_norm(t(2, 3, 4), t(3), t(3, values='positive'))",
    "F.batch_norm(t(2, 3, 4), None, None, training=True)",
    f"{_RUNNING}F.batch_norm(t(2, 3, 4), m, v, t(3), t(3, seed=2), True, 0.25, 0.5), m, v, m._version",
    f"{_RUNNING}F.batch_norm(t(4, 3), m, v, training=True, momentum=1.0), m, v",
    f"{_RUNNING}F.batch_norm(t(4, 3, dtype='float16'), m, v, t(3), t(3), training=True); m, v",
    f"{_RUNNING}F.batch_norm(t(2, 3, 2, 2, layout='channels_last'), m, v, training=True); m, v",
    f"{_RUNNING}F.batch_norm(t(2, 3, 4), m, v), m, v",
    f"{_RUNNING}gn.batch_norm(t(2, 3, 4), None, None, m, v, True, 0.5, 1e-3, True), m, v",
    f"{_RUNNING}gn.batch_norm(t(0, 3), t(3), t(3), m, v, True, 0.5, 1e-3, True), m, v",
    "F.batch_norm(t(2, 3, 4), None, None)",
    "F.batch_norm(t(2, 3, 4), t(4), t(4))",
    "F.batch_norm(t(2, 3, 4), None, None, t(2), training=True)",
    "F.batch_norm(t(1, 3), None, None, training=True)",
    "F.batch_norm(t(2, 3), None, None, training=True, eps=0.0)",
    "F.batch_norm(t(2, 3), t(3), t(3), eps=-1.0)",
    "F.batch_norm(t(3), t(3), t(3))",
    "F.batch_norm(t(2, 3, dtype='int64'), None, None, training=True)",
    "grad(lambda x, w, b: F.batch_norm(x, None, None, w, b, True), t(2, 3, 4), t(3), t(3))",
    "grad(lambda x, w, b: F.batch_norm(x, t(3), t(3, values='positive'), w, b), t(2, 3, 4), t(3), t(3))",
)
expressions_of(
    "native_batch_norm",
    f"{_RUNNING}gn.native_batch_norm(t(2, 3, 4), t(3), None, m, v, True, 0.25, 1e-5), m, v, m._version",
    f"{_RUNNING}gn.native_batch_norm(t(2, 3, 4), t(3), None, m, v, False, 0.25, 1e-5), m, v",
    f"{_RUNNING}gn.native_batch_norm(t(2, 3, 4), t(3), None, m, v, training=True, momentum=0.5, eps=0.1)",
    f"{_RUNNING}gn.native_batch_norm(t(2, 3, 4), None, None, m, None, True, 0.25, 1e-5), m",
    "gn.native_batch_norm(t(3), None, None, None, None, True, 0.25, 1e-5)",
)
expressions_of(
    "nn.functional.instance_norm",
    "F.instance_norm(t(2, 3, 4))",
    "F.instance_norm(t(2, 3, 2, 2), weight=t(3), bias=t(3), eps=0.5)",
    f"{_RUNNING}F.instance_norm(t(2, 3, 4), m, v, momentum=0.25), m, v, m._version",
    f"{_RUNNING}F.instance_norm(t(2, 3, 4), m, v, t(3), t(3), False), m, v, m._version",
    f"{_RUNNING}F.instance_norm(t(2, 3, 2, 2, layout='channels_last'), m, v)",
    "F.instance_norm(t(2, 3, 1))",
    "F.instance_norm(t(2, 3, 4), use_input_stats=False)",
    "F.instance_norm(t(2, 3, 4), weight=t(2))",
    "gn.instance_norm(t(2, 3, 4), None, None, None, None, True, 0.1, 1e-5, False)",
    "grad(lambda x, w, b: F.instance_norm(x, None, None, w, b), t(2, 3, 4), t(3), t(3))",
)
expressions_of(
    "nn.functional.layer_norm",
    "F.layer_norm(t(2, 3, 4), (4,))",
    "F.layer_norm(t(2, 3, 4), [3, 4], t(3, 4), t(3, 4), 0.5)",
    "F.layer_norm(t(2, 3, 4, layout='transposed'), (3, 4), weight=t(3, 4))",
    "F.layer_norm(t(2, 3, 4, dtype='bfloat16'), (4,), t(4), t(4))",
    "F.layer_norm(t(2, 3, 4), 4)",
    "F.layer_norm(t(2, 3, 4), (3,))",
    "F.layer_norm(t(2, 3, 4), ())",
    "F.layer_norm(t(2, 3, 4), (4,), t(3))",
    "F.layer_norm(t(2, 3, 4, dtype='int32'), (4,))",
    "F.layer_norm(t(2, 3, 4), (4,), t(4, dtype='float64'))",
    "gn.layer_norm(t(2, 3, 4), (4,), eps=1e-3)",
    "grad(lambda x, w, b: F.layer_norm(x, (3, 4), w, b), t(2, 3, 4), t(3, 4), t(3, 4))",
)
expressions_of(
    "native_layer_norm",
    "gn.native_layer_norm(t(2, 3, 4), (4,), None, None, 1e-5)",
    "gn.native_layer_norm(t(2, 3, 4), [3, 4], weight=t(3, 4), bias=t(3, 4), eps=0.5)",
    "gn.native_layer_norm(t(2, 3, 4), (4,))",
    "gn.native_layer_norm(t(2, 3, 4), (2,), None, None, 1e-5)",
)
expressions_of(
    "nn.functional.rms_norm",
    "F.rms_norm(t(2, 3, 4), (4,))",
    "F.rms_norm(t(2, 3, 4), (3, 4), t(3, 4), 0.5)",
    "F.rms_norm(t(2, 3, 4, dtype='float16'), (4,), weight=t(4, dtype='float16'))",
    "F.rms_norm(t(2, 3, 4, dtype='float64'), (4,), eps=None)",
    "F.rms_norm(t(2, 3, 4, dtype='complex64'), (4,))",
    "F.rms_norm(t(2, 3, 4, dtype='int64'), (4,))",
    "F.rms_norm(t(2, 3, 4), (3,))",
    "F.rms_norm(t(2, 3, 4), (4,), t(3))",
    "gn.rms_norm(t(2, 3, 4), (4,))",
    "grad(lambda x, w: F.rms_norm(x, (4,), w), t(2, 3, 4), t(4))",
)
expressions_of(
    "nn.functional.group_norm",
    "F.group_norm(t(2, 4, 3), 2)",
    "F.group_norm(t(2, 4, 3), 4, t(4), t(4), 0.5)",
    "F.group_norm(t(2, 4, 3, 2, layout='channels_last'), 2, weight=t(4), bias=t(4))",
    "F.group_norm(t(2, 4, 3, layout='transposed'), 2)",
    "F.group_norm(t(2, 4, 3, dtype='float16'), 2, t(4), t(4))",
    "F.group_norm(t(2, 4, 3), 3)",
    "F.group_norm(t(2, 4, 3), 0)",
    "F.group_norm(t(1, 4), 4)",
    "F.group_norm(t(4), 2)",
    "F.group_norm(t(2, 4, 3), 2, t(2))",
    "gn.group_norm(t(2, 4, 3), 2, eps=0.5)",
    "grad(lambda x, w, b: F.group_norm(x, 2, w, b), t(2, 4, 3), t(4), t(4))",
)
expressions_of(
    "native_group_norm",
    "gn.native_group_norm(t(2, 4, 3), None, None, 2, 4, 3, 2, 1e-5)",
    "gn.native_group_norm(t(2, 4, 3), t(4), t(4), N=2, C=4, HxW=3, group=4, eps=0.5)",
    "gn.native_group_norm(t(2, 4, 3), None, None, 2, 4, 2, 2, 1e-5)",
    "gn.native_group_norm(t(2, 4, 3), None, None, 2, 4, 3, 3, 1e-5)",
    "grad(lambda x, w, b: gn.native_group_norm(x, w, b, 2, 4, 3, 2, 1e-5), t(2, 4, 3), t(4), t(4))",
)
expressions_of(
    "nn.functional.local_response_norm",
    "F.local_response_norm(t(2, 4, 3), 2)",
    "F.local_response_norm(t(2, 4, 3, 2), 3, alpha=0.5, beta=0.5, k=2.0)",
    "F.local_response_norm(t(2, 4, 2, 3, 2), 3)",
    "F.local_response_norm(t(4, 3), 3)",
)
