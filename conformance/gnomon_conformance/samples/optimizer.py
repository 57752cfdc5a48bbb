"""Samples of optimizer steps.

PyTorch's kernels assume that all tensors of a parameter have the same dense layout, so these do.
"""

from ..inputs.description import REAL_FLOATS, TensorDescription, bad, sample, tensor
from . import samples_of

SIZES = ((2, 3), (4,), (1, 5))


def each(seed: int, values: str = "normal", **fields: object) -> list[TensorDescription]:
    """One tensor for each parameter."""
    return [tensor(*sizes, values=values, seed=seed, layout="contiguous", **fields) for sizes in SIZES]


def number(values: str, seed: int = 0) -> TensorDescription:
    """A float32 tensor of one number."""
    return tensor(dtype="float32", values=values, seed=seed, layout="contiguous")


PARAMS, GRADS, MEANS, SQUARES, LARGEST = each(1), each(2), each(3), each(4, "positive"), each(5, "positive")
SCALE = number("positive", 9)
COUNTS = [tensor(1, dtype="int64", values="positive", seed=seed) for seed in range(3)]
MIXED = [tensor(3, dtype="float64", layout="contiguous"), tensor(2, 2, layout="contiguous")]


def sgd(params=PARAMS, grads=GRADS, buffers=(), **options):
    """The arguments of _fused_sgd_."""
    numbers = {
        "weight_decay": 0.0, "momentum": 0.0, "lr": 0.125, "dampening": 0.0, "nesterov": False,
        "maximize": False, "is_first_step": False,
    }  # fmt: skip
    return (list(params), list(grads), list(buffers)), {**numbers, **options}


def adam(params=PARAMS, grads=GRADS, means=MEANS, squares=SQUARES, largest=(), steps=None, **options):
    """The arguments of _fused_adam_."""
    numbers = {
        "lr": 0.125, "beta1": 0.75, "beta2": 0.875, "weight_decay": 0.0, "eps": 1e-3, "amsgrad": False,
        "maximize": False,
    }  # fmt: skip
    steps = [number("positive", seed) for seed in range(len(params))] if steps is None else steps
    return (list(params), list(grads), list(means), list(squares), list(largest), steps), {
        **numbers,
        **options,
    }


def adagrad(params=PARAMS, grads=GRADS, sums=SQUARES, steps=None, **options):
    """The arguments of _fused_adagrad_."""
    numbers = {"lr": 0.125, "lr_decay": 0.0, "weight_decay": 0.0, "eps": 1e-3, "maximize": False}
    steps = [number("positive", seed) for seed in range(len(params))] if steps is None else steps
    return (list(params), list(grads), list(sums), steps), {**numbers, **options}


def good(arguments, dtypes=REAL_FLOATS):
    """A valid sample with these arguments."""
    return sample(*arguments[0], dtypes=dtypes, differentiable=False, **arguments[1])


def wrong(kind, arguments, dtypes=("float32",)):
    """A sample with these arguments that has to raise."""
    return bad(kind, *arguments[0], dtypes=dtypes, **arguments[1])


MOMENTUM = {"buffers": MEANS, "momentum": 0.75}
SGD_SAMPLES = [
    good(sgd()),
    good(sgd(lr=0.5)),
    good(sgd(weight_decay=0.25, maximize=True)),
    good(sgd(**MOMENTUM)),
    good(sgd(**MOMENTUM, is_first_step=True, weight_decay=0.25)),
    good(sgd(**MOMENTUM, dampening=0.5, weight_decay=0.25)),
    good(sgd(**MOMENTUM, nesterov=True)),
    good(sgd(**MOMENTUM, nesterov=True, is_first_step=True, maximize=True)),
    good(sgd(grad_scale=SCALE)),
    good(sgd(**MOMENTUM, grad_scale=SCALE, found_inf=number("zeros"))),
    good(sgd(**MOMENTUM, found_inf=number("ones"), grad_scale=SCALE)),
    good(sgd(MIXED, MIXED)),
    wrong("RuntimeError", sgd(grads=GRADS[:2])),
    wrong("RuntimeError", sgd(momentum=0.5)),
    wrong("RuntimeError", sgd(buffers=MEANS)),
    wrong("RuntimeError", sgd(grads=each(2, dtype="float64"))),
    wrong("NotImplementedError", sgd([], [])),
    wrong("NotImplementedError", sgd(), ("int64", "bool", "complex64")),
]
ADAM_SAMPLES = [
    good(adam(lr=0.5, beta2=0.5)),
    good(adam()),
    good(adam(weight_decay=0.25)),
    good(adam(maximize=True, weight_decay=0.25)),
    good(adam(amsgrad=True, largest=LARGEST)),
    good(adam(amsgrad=True, largest=LARGEST, weight_decay=0.25)),
    good(adam(beta1=0.0, eps=0.0)),
    good(adam(grad_scale=SCALE)),
    good(adam(grad_scale=SCALE, found_inf=number("zeros"))),
    good(adam(amsgrad=True, largest=LARGEST, grad_scale=SCALE, found_inf=number("ones"))),
    good(adam(MIXED, MIXED, MIXED, [each._replace(values="positive") for each in MIXED])),
    good(adam(steps=COUNTS)),
    wrong("RuntimeError", adam(grads=GRADS[:2])),
    wrong("RuntimeError", adam(means=[])),
    wrong("RuntimeError", adam(squares=SQUARES[:1])),
    wrong("RuntimeError", adam(amsgrad=True)),
    wrong("RuntimeError", adam(largest=LARGEST)),
    wrong("RuntimeError", adam(steps=[])),
    wrong("RuntimeError", adam(steps=each(7))),
    wrong("RuntimeError", adam(means=each(2, dtype="float64"))),
    wrong("NotImplementedError", adam([], [], [], [])),
    wrong("NotImplementedError", adam(), ("int64", "bool", "complex64")),
]

ADAGRAD_SAMPLES = [
    good(adagrad()),
    good(adagrad(lr=0.5, lr_decay=0.25)),
    good(adagrad(lr_decay=0.5, weight_decay=0.25)),
    good(adagrad(maximize=True, weight_decay=0.25)),
    good(adagrad(eps=0.5)),
    good(adagrad(grad_scale=SCALE)),
    good(adagrad(grad_scale=SCALE, found_inf=number("zeros"))),
    good(adagrad(lr_decay=0.5, grad_scale=SCALE, found_inf=number("ones"))),
    good(adagrad(MIXED, MIXED, [each._replace(values="positive") for each in MIXED])),
    good(adagrad(lr_decay=0.5, steps=COUNTS)),
    wrong("RuntimeError", adagrad(grads=GRADS[:2])),
    wrong("RuntimeError", adagrad(sums=[])),
    wrong("RuntimeError", adagrad(steps=[])),
    wrong("RuntimeError", adagrad(steps=each(7))),
    wrong("RuntimeError", adagrad(sums=each(2, dtype="float64"))),
    wrong("NotImplementedError", adagrad([], [], [])),
    wrong("NotImplementedError", adagrad(), ("int64", "bool", "complex64")),
]


def with_lr(samples):
    """The samples with the learning rate in a tensor, and one in which that tensor has two elements."""
    lr = number("positive", 3)
    given = [each._replace(kwargs={**each.kwargs, "lr": lr}) for each in samples if each.fails is None]
    pair = tensor(2, dtype="float32", layout="contiguous")
    return [*given, bad("RuntimeError", *samples[0].args, **{**samples[0].kwargs, "lr": pair})]


samples_of("_fused_sgd_", SGD_SAMPLES, tolerance="composed")
samples_of("_fused_sgd_.tensor_lr", with_lr(SGD_SAMPLES), tolerance="composed")
samples_of("_fused_adam_ _fused_adamw_", ADAM_SAMPLES, tolerance="composed")
samples_of("_fused_adam_.tensor_lr _fused_adamw_.tensor_lr", with_lr(ADAM_SAMPLES), tolerance="composed")
samples_of("_fused_adagrad_", ADAGRAD_SAMPLES, tolerance="composed")
samples_of("_fused_adagrad_.tensor_lr", with_lr(ADAGRAD_SAMPLES), tolerance="composed")
