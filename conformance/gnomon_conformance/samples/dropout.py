"""Samples of dropout.  Its numbers are random, unless nothing or everything is dropped."""

from ..inputs.description import REAL_FLOATS, bad, sample, tensor
from . import samples_of

DROPOUTS = [
    sample(tensor(2, 3), 0.5, True, dtypes=REAL_FLOATS),
    sample(tensor(2, 3), 0.25, False),
    sample(tensor(2, 3), 0.0, True),
    sample(tensor(2, 3), 1.0, True),
    sample(tensor(0, 3), 0.5, True),
    sample(tensor(2, 3, 2), 0.75, True, dtypes=REAL_FLOATS),
    bad("RuntimeError", tensor(2), 1.5, True),
    bad("RuntimeError", tensor(2), -0.5, True),
]
samples_of("dropout dropout_ alpha_dropout alpha_dropout_", DROPOUTS, tolerance="composed")
samples_of(
    "feature_dropout feature_dropout_ feature_alpha_dropout feature_alpha_dropout_",
    [*DROPOUTS, bad("RuntimeError", tensor(3), 0.5, True)],
    tolerance="composed",
)
samples_of(
    "native_dropout",
    [
        sample(tensor(2, 3), 0.5, True, dtypes=REAL_FLOATS),
        sample(tensor(2, 3), 0.25, None, dtypes=REAL_FLOATS),
        sample(tensor(2, 3), 0.25, False, dtypes=REAL_FLOATS),
        sample(tensor(2, 3), 1.0, True, dtypes=REAL_FLOATS),
    ],
    tolerance="composed",
)
MASK = tensor(2, 3, dtype="bool")
samples_of(
    "native_dropout_backward",
    [
        sample(tensor(2, 3), MASK, 2.0),
        sample(tensor(2, 3), MASK, 0.0),
        sample(tensor(3), tensor(3, dtype="bool"), 4.0),
        bad("RuntimeError", tensor(2), tensor(3, dtype="bool"), 4.0),
    ],
    tolerance="terms",
)
