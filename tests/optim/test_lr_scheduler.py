"""gnomon.optim.lr_scheduler: the formulas, written out; PyTorch's numbers, state dicts, warnings, errors."""

import copy
import gc
import inspect
import math
import pickle
import warnings
import weakref

import pytest

import gnomon as gn
from gnomon.optim import SGD, Adam, lr_scheduler
from gnomon.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
    _LRScheduler,
)

EPOCHS = 60


def optimizer_of(library=gn, rates=(0.5, 0.05), kind="SGD", **options):
    """An optimizer with a group for each learning rate."""
    make = library.nn.Parameter
    groups = [{"params": [make(library.ones(1))], "lr": rate} for rate in rates]
    if kind == "SGD":
        options.setdefault("momentum", 0.9)
    return getattr(library.optim, kind)(groups, **options)


def rates_of(scheduler, optimizer, epochs, *measured):
    """The first group's learning rate in each epoch."""
    history = []
    for epoch in range(epochs):
        history.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step(*(each[epoch] for each in measured))
    return history


# -- formulas ------------------------------------------------------------------------------------------------

RATE = 0.5

FORMULAS = {
    "LambdaLR": (lambda o: LambdaLR(o, lambda t: 0.95**t), lambda t: RATE * 0.95**t),
    "MultiplicativeLR": (lambda o: MultiplicativeLR(o, lambda t: 0.9), lambda t: RATE * 0.9**t),
    "StepLR": (lambda o: StepLR(o, 7, 0.5), lambda t: RATE * 0.5 ** (t // 7)),
    "MultiStepLR": (
        lambda o: MultiStepLR(o, [4, 9, 9], 0.5),
        lambda t: RATE * (1.0 if t < 4 else 0.5 if t < 9 else 0.125),
    ),
    "ConstantLR": (lambda o: ConstantLR(o, 0.25, 6), lambda t: RATE * (0.25 if t < 6 else 1.0)),
    "LinearLR": (lambda o: LinearLR(o, 0.25, 0.75, 10), lambda t: RATE * (0.25 + 0.05 * min(t, 10))),
    "ExponentialLR": (lambda o: ExponentialLR(o, 0.9), lambda t: RATE * 0.9**t),
    "PolynomialLR": (lambda o: PolynomialLR(o, 16, 2.0), lambda t: RATE * (1 - min(t, 16) / 16) ** 2),
    "CosineAnnealingLR": (
        lambda o: CosineAnnealingLR(o, 8, 0.1),
        lambda t: 0.1 + 0.4 * (1 + math.cos(math.pi * t / 8)) / 2,
    ),
    "CosineAnnealingWarmRestarts": (
        lambda o: CosineAnnealingWarmRestarts(o, 6, 1, 0.1),
        lambda t: 0.1 + 0.4 * (1 + math.cos(math.pi * (t % 6) / 6)) / 2,
    ),
    "CyclicLR": (
        lambda o: CyclicLR(o, 0.1, 0.5, 4, 8),
        lambda t: 0.1 + 0.4 * (t % 12 / 4 if t % 12 <= 4 else (12 - t % 12) / 8),
    ),
    "OneCycleLR": (
        lambda o: OneCycleLR(o, 1.0, 20, pct_start=0.5, anneal_strategy="linear"),
        lambda t: 0.04 + 0.96 * t / 9 if t <= 9 else 1.0 + (0.04 / 1e4 - 1.0) * (t - 9) / 10,
    ),
    "SequentialLR": (
        lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 20), ExponentialLR(o, 0.9)], [5]),
        lambda t: 0.05 if t < 5 else RATE * 0.9 ** (t - 5),
    ),
    "ChainedScheduler": (
        lambda o: ChainedScheduler([ConstantLR(o, 0.1, 5), ExponentialLR(o, 0.9)]),
        lambda t: RATE * 0.9**t * (0.1 if t < 5 else 1.0),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_learning_rates_by_formula(name):
    make, formula = FORMULAS[name]
    optimizer = optimizer_of(rates=(RATE,))
    scheduler = make(optimizer)
    found = rates_of(scheduler, optimizer, 20)
    assert found == pytest.approx([formula(t) for t in range(20)], rel=1e-12, abs=1e-15)


def test_plateau_by_hand():
    optimizer = optimizer_of(rates=(1.0,))
    scheduler = ReduceLROnPlateau(optimizer, factor=0.5, patience=1, cooldown=2, threshold=0.1, min_lr=0.2)
    measured = [1.0, 0.95, 0.92, 0.9, 0.9, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    # 0.95 and 0.92 are bad: reduce; 0.9 twice in the cooldown; 0.9 and 0.9 are bad: reduce; cooldown ...
    wanted = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.2, 0.2]
    assert rates_of(scheduler, optimizer, len(measured), measured) == wanted
    assert scheduler.get_last_lr() == [0.2] and scheduler.last_epoch == 13 and scheduler.best == 0.5


def test_momentum_goes_the_opposite_way():
    for kind, read in (("SGD", lambda g: g["momentum"]), ("Adam", lambda g: g["betas"][0])):
        optimizer = optimizer_of(rates=(RATE,), kind=kind)
        scheduler = CyclicLR(optimizer, 0.1, 0.5, 4, base_momentum=0.7, max_momentum=0.9)
        found = []
        for _ in range(9):
            found.append(read(optimizer.param_groups[0]))
            optimizer.step()
            scheduler.step()
        assert found == pytest.approx([0.9, 0.85, 0.8, 0.75, 0.7, 0.75, 0.8, 0.85, 0.9])
    optimizer = optimizer_of(rates=(RATE,))
    OneCycleLR(optimizer, 1.0, 20)
    assert optimizer.param_groups[0]["momentum"] == 0.95


# -- behavior ------------------------------------------------------------------------------------------------


def test_a_tensor_keeps_its_identity_and_the_base_its_value():
    rate = gn.tensor(0.5)
    param = gn.nn.Parameter(gn.ones(1))
    optimizer = Adam([param], lr=rate, foreach=False)
    scheduler = ExponentialLR(optimizer, 0.5)
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is rate and rate.item() == 0.25
    assert scheduler.base_lrs[0].item() == 0.5 and scheduler.get_last_lr()[0].item() == 0.25
    assert scheduler.get_last_lr()[0] is not rate


def test_order_of_steps_is_watched(lib):
    def warned(act):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            act()
        return [str(each.message).partition(".")[0] for each in caught]

    optimizer = optimizer_of(lib)
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 1)
    assert warned(scheduler.step) == ["Detected call of `lr_scheduler"]
    optimizer = optimizer_of(lib)
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step()
    assert warned(scheduler.step) == []
    optimizer = optimizer_of(lib)
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step = lambda: None
    assert warned(scheduler.step) == ["Seems like `optimizer"]
    assert warned(lambda: scheduler.step(3)) == ["The epoch parameter in `scheduler"]
    assert warned(scheduler.get_lr) == [
        "To get the last learning rate computed by the scheduler, please use `get_last_lr()`"
    ]


def test_the_optimizer_is_freed_without_the_collector(lib):
    optimizer = optimizer_of(lib)
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 1)
    reference = weakref.ref(optimizer)
    gc.disable()
    try:
        del optimizer, scheduler
        assert reference() is None
    finally:
        gc.enable()


def test_hooks_and_copies_still_work_after_a_scheduler_watches():
    optimizer = optimizer_of()
    StepLR(optimizer, 1)
    calls = []
    optimizer.register_step_post_hook(lambda *given: calls.append(given[0]))
    optimizer.step()
    assert calls == [optimizer]
    for made in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        made.step()
        assert made.param_groups[1]["initial_lr"] == 0.05 and not hasattr(made, "_opt_called")


@pytest.mark.filterwarnings("ignore:Detected call")
def test_closed_form_is_used_for_a_given_epoch():
    for name in ("StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR"):
        make, formula = FORMULAS[name]
        optimizer = optimizer_of(rates=(RATE,))
        scheduler = make(optimizer)
        for epoch in (12, 3, 0):
            with pytest.warns(UserWarning, match="epoch parameter"):
                scheduler.step(epoch)
            assert optimizer.param_groups[0]["lr"] == pytest.approx(formula(epoch), rel=1e-12)


def test_resuming_with_last_epoch():
    optimizer = optimizer_of(rates=(0.5,))
    with pytest.raises(
        KeyError, match=r"param 'initial_lr' is not specified in param_groups\[0\] when resuming"
    ):
        StepLR(optimizer, 2, last_epoch=3)
    optimizer.param_groups[0]["initial_lr"] = 2.0
    scheduler = StepLR(optimizer, 4, 0.5, last_epoch=3)
    assert scheduler.last_epoch == 4 and scheduler.get_last_lr() == [0.25] and scheduler.base_lrs == [2.0]


def test_base_class_has_no_learning_rate():
    with pytest.raises(NotImplementedError):
        LRScheduler(optimizer_of())
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        LRScheduler(1)
    assert issubclass(_LRScheduler, LRScheduler)


class Decay:
    """A function of the epoch with state."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, epoch):
        return self.factor**epoch


def test_objects_are_saved_with_lambdas_but_functions_are_not():
    optimizer = optimizer_of()
    saved = LambdaLR(optimizer, [Decay(0.5), lambda epoch: 1.0]).state_dict()
    assert saved["lr_lambdas"] == [{"factor": 0.5}, None] and "optimizer" not in saved
    scheduler = LambdaLR(optimizer_of(), [Decay(0.25), lambda epoch: 1.0])
    scheduler.load_state_dict(saved)
    assert scheduler.lr_lambdas[0].factor == 0.5 and saved["lr_lambdas"] == [{"factor": 0.5}, None]
    cyclic = CyclicLR(optimizer_of(), 0.1, 0.5, scale_fn=Decay(0.5), cycle_momentum=False)
    assert cyclic.state_dict()["_scale_fn_custom"] == {"factor": 0.5}


# -- errors --------------------------------------------------------------------------------------------------

MISUSES = [
    lambda s, o, other: s.LambdaLR(o, [abs]),
    lambda s, o, other: s.MultiplicativeLR(o, [abs]),
    lambda s, o, other: s.MultiplicativeLR(o, 3),
    lambda s, o, other: s.StepLR(3, 1),
    lambda s, o, other: s.StepLR(o, 1, last_epoch=2),
    lambda s, o, other: s.ConstantLR(o, 1.5),
    lambda s, o, other: s.LinearLR(o, 0.0),
    lambda s, o, other: s.LinearLR(o, 0.5, 2.0),
    lambda s, o, other: s.CosineAnnealingWarmRestarts(o, 0),
    lambda s, o, other: s.CosineAnnealingWarmRestarts(o, 1, 0),
    lambda s, o, other: s.CosineAnnealingWarmRestarts(o, 1, 1, "low"),
    lambda s, o, other: s.CosineAnnealingWarmRestarts(o, 1).step(-1),
    lambda s, o, other: s.CyclicLR(3, 0.1, 0.5),
    lambda s, o, other: s.CyclicLR(o, [0.1], 0.5),
    lambda s, o, other: s.CyclicLR(o, 0.1, [0.5]),
    lambda s, o, other: s.CyclicLR(o, 0.1, 0.5, mode="round"),
    lambda s, o, other: s.CyclicLR(other, 0.1, 0.5),
    lambda s, o, other: s.OneCycleLR(3, 1.0, 10),
    lambda s, o, other: s.OneCycleLR(o, 1.0),
    lambda s, o, other: s.OneCycleLR(o, 1.0, 0),
    lambda s, o, other: s.OneCycleLR(o, 1.0, epochs=-1, steps_per_epoch=2),
    lambda s, o, other: s.OneCycleLR(o, 1.0, epochs=1, steps_per_epoch=2.0),
    lambda s, o, other: s.OneCycleLR(o, 1.0, 10, pct_start=2.0),
    lambda s, o, other: s.OneCycleLR(o, 1.0, 10, anneal_strategy="jump"),
    lambda s, o, other: s.OneCycleLR(o, [1.0], 10),
    lambda s, o, other: s.OneCycleLR(other, 1.0, 10),
    lambda s, o, other: step_often(s.OneCycleLR(o, 1.0, 2)),
    lambda s, o, other: s.ReduceLROnPlateau(o, factor=1.0),
    lambda s, o, other: s.ReduceLROnPlateau(3),
    lambda s, o, other: s.ReduceLROnPlateau(o, min_lr=[0.1]),
    lambda s, o, other: s.ReduceLROnPlateau(o, mode="best"),
    lambda s, o, other: s.ReduceLROnPlateau(o, threshold_mode="far"),
    lambda s, o, other: s.SequentialLR(o, [], []),
    lambda s, o, other: s.SequentialLR(o, [3], []),
    lambda s, o, other: s.SequentialLR(o, [s.ReduceLROnPlateau(o)], []),
    lambda s, o, other: s.SequentialLR(o, [s.StepLR(o, 1)], [1]),
    lambda s, o, other: s.SequentialLR(o, [s.StepLR(other, 1)], []),
    lambda s, o, other: s.ChainedScheduler([]),
    lambda s, o, other: s.ChainedScheduler([s.StepLR(o, 1), s.ReduceLROnPlateau(o)]),
    lambda s, o, other: s.ChainedScheduler([s.StepLR(o, 1), 3]),
    lambda s, o, other: s.ChainedScheduler([s.StepLR(o, 1), s.StepLR(other, 1)]),
]


def step_often(scheduler):
    for _ in range(10):
        scheduler.step()


def outcome(library, act):
    """Kind and text of the error."""
    optimizer, other = optimizer_of(library), optimizer_of(library, kind="Rprop")
    with pytest.raises(Exception) as caught:
        act(library.optim.lr_scheduler, optimizer, other)
    return caught.type, str(caught.value)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("number", range(len(MISUSES)))
def test_misuse_is_refused(number):
    kind, text = outcome(gn, MISUSES[number])
    assert kind in (ValueError, TypeError, KeyError, RuntimeError, AttributeError) and len(text) > 15


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("number", range(len(MISUSES)))
def test_errors_are_pytorch_s(number):
    torch = pytest.importorskip("torch")
    assert outcome(gn, MISUSES[number]) == outcome(torch, MISUSES[number])


def test_a_group_added_later_needs_a_least_learning_rate(lib):
    optimizer = optimizer_of(lib)
    scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.1, 0.1])
    optimizer.add_param_group({"params": [lib.nn.Parameter(lib.ones(1))]})
    scheduler.step(1.0)
    with pytest.raises(RuntimeError, match=r"in the `optimizer` \(3\) differs .* initialized \(2\), usually"):
        scheduler.step(2.0)


# -- PyTorch -------------------------------------------------------------------------------------------------

SETTINGS = {
    "LambdaLR": [
        lambda s, o: s.LambdaLR(o, lambda t: 0.95**t),
        lambda s, o: s.LambdaLR(o, [Decay(0.9), Decay(0.8)]),
    ],
    "MultiplicativeLR": [
        lambda s, o: s.MultiplicativeLR(o, lambda t: 1 - t / 100),
        lambda s, o: s.MultiplicativeLR(o, [Decay(0.999), Decay(0.99)]),
    ],
    "StepLR": [lambda s, o: s.StepLR(o, 7), lambda s, o: s.StepLR(o, 1, 0.9)],
    "MultiStepLR": [lambda s, o: s.MultiStepLR(o, [5, 9, 9, 40], 0.3), lambda s, o: s.MultiStepLR(o, [0, 1])],
    "ConstantLR": [lambda s, o: s.ConstantLR(o), lambda s, o: s.ConstantLR(o, 0.3, 17)],
    "LinearLR": [lambda s, o: s.LinearLR(o), lambda s, o: s.LinearLR(o, 0.7, 0.2, 31)],
    "ExponentialLR": [lambda s, o: s.ExponentialLR(o, 0.9), lambda s, o: s.ExponentialLR(o, 1.01)],
    "PolynomialLR": [lambda s, o: s.PolynomialLR(o), lambda s, o: s.PolynomialLR(o, 37, 0.9)],
    "CosineAnnealingLR": [
        lambda s, o: s.CosineAnnealingLR(o, 10),
        lambda s, o: s.CosineAnnealingLR(o, 23, 0.01),
    ],
    "CosineAnnealingWarmRestarts": [
        lambda s, o: s.CosineAnnealingWarmRestarts(o, 10),
        lambda s, o: s.CosineAnnealingWarmRestarts(o, 4, 2, 0.001),
    ],
    "CyclicLR": [
        lambda s, o: s.CyclicLR(o, 0.1, 0.5, 5),
        lambda s, o: s.CyclicLR(o, [0.1, 0.2], [0.5, 0.3], 5, 8, "triangular2", cycle_momentum=False),
        lambda s, o: s.CyclicLR(o, 0.1, 0.5, 7, mode="exp_range", gamma=0.97, base_momentum=0.5),
        lambda s, o: s.CyclicLR(o, 0.1, 0.5, 7, scale_fn=Decay(0.9), scale_mode="iterations"),
    ],
    "OneCycleLR": [
        lambda s, o: s.OneCycleLR(o, 0.7, EPOCHS + 1),
        lambda s, o: s.OneCycleLR(o, [0.7, 0.3], epochs=9, steps_per_epoch=8, anneal_strategy="linear"),
        lambda s, o: s.OneCycleLR(o, 0.7, EPOCHS + 3, pct_start=0.25, three_phase=True, div_factor=7.0),
        lambda s, o: s.OneCycleLR(o, 0.7, EPOCHS + 3, three_phase=True, cycle_momentum=False),
    ],
    "SequentialLR": [
        lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 5), s.ExponentialLR(o, 0.9)], [20]),
        lambda s, o: s.SequentialLR(
            o, [s.LinearLR(o, 0.1, 1.0, 8), s.CosineAnnealingLR(o, 20), s.StepLR(o, 3)], [8, 30]
        ),
        lambda s, o: s.SequentialLR(
            o,
            [
                s.SequentialLR(o, [s.ConstantLR(o, 0.2, 2), s.StepLR(o, 2, 0.5)], [5]),
                s.ChainedScheduler([s.ExponentialLR(o, 0.95), s.StepLR(o, 9)]),
            ][:1],
            [],
        ),
        lambda s, o: s.SequentialLR(o, [s.CosineAnnealingWarmRestarts(o, 3), s.PolynomialLR(o, 30)], [11]),
    ],
    "ChainedScheduler": [
        lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 20), s.ExponentialLR(o, 0.9)]),
        lambda s, o: s.ChainedScheduler([s.StepLR(o, 9), s.CosineAnnealingLR(o, 20)], optimizer=o),
    ],
    "ReduceLROnPlateau": [
        lambda s, o: s.ReduceLROnPlateau(o, patience=2),
        lambda s, o: s.ReduceLROnPlateau(
            o, "max", 0.5, 1, 0.01, "abs", cooldown=3, min_lr=[0.01, 0.02], eps=1e-3
        ),
        lambda s, o: s.ReduceLROnPlateau(o, "min", 0.5, 0, 0.01, "abs", min_lr=1e-3),
        lambda s, o: s.ReduceLROnPlateau(o, "max", 0.5, 0, 0.01),
    ],
}
CASES = [(name, number) for name, settings in SETTINGS.items() for number in range(len(settings))]


def measurement(epoch):
    """Falls, waves, and stays."""
    return math.cos(epoch / 3) / (1 + epoch / 10) if epoch < 40 else 0.01


def schedule(library, make, kind, as_tensor=False, is_interrupted=False, other=None):
    """Learning rates and momentum in each epoch, and the state dict after the last one.

    With ``is_interrupted`` the schedule goes on after half of the epochs in a new scheduler, of the library
    ``other``, with the state dicts.
    """

    def rate(number):
        return library.tensor(number) if as_tensor else number

    options = {"foreach": False} if kind == "Adam" else {}
    optimizer = optimizer_of(library, (rate(0.5), rate(0.05)), kind, **options)
    scheduler = make(library.optim.lr_scheduler, optimizer)
    history = []
    for epoch in range(EPOCHS):
        if is_interrupted and epoch == EPOCHS // 2:
            saved = copy.deepcopy((optimizer.state_dict(), scheduler.state_dict()))
            library = other or library
            optimizer = optimizer_of(library, kind=kind, **options)
            scheduler = make(library.optim.lr_scheduler, optimizer)
            scheduler.load_state_dict(saved[1])
            optimizer.load_state_dict(saved[0])
        for group in optimizer.param_groups:
            lr = group["lr"]
            history.append(lr.item() if as_tensor else lr)
            history.append(group["momentum"] if kind == "SGD" else group["betas"][0])
        optimizer.step()
        scheduler.step(*([measurement(epoch)] if "Plateau" in type(scheduler).__name__ else []))
    return history, [float(each) for each in scheduler.get_last_lr()], scheduler.state_dict()


def comparable(state):
    """A state dict without functions, and with numbers for tensors."""
    if isinstance(state, dict):
        return {key: comparable(value) for key, value in state.items()}
    if isinstance(state, (list, tuple)):
        return [comparable(each) for each in state]
    return state.item() if hasattr(state, "item") else state


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize(("name", "number"), CASES)
def test_schedules_are_pytorch_s(name, number, kind):
    torch = pytest.importorskip("torch")
    make = SETTINGS[name][number]
    rates, last, state = schedule(torch, make, kind)
    for options in ({}, {"is_interrupted": True}):
        ours = schedule(gn, make, kind, **options)
        assert ours[0] == rates and ours[1] == last  # to the last bit
        assert comparable(ours[2]) == comparable(state)
    assert schedule(torch, make, kind, is_interrupted=True, other=gn)[0] == rates
    assert schedule(gn, make, kind, is_interrupted=True, other=torch)[0] == rates


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "number"), CASES)
def test_schedules_of_tensors_are_pytorch_s(name, number):
    torch = pytest.importorskip("torch")
    make = SETTINGS[name][number]
    rates, last, _ = schedule(torch, make, "Adam", as_tensor=True)
    ours = schedule(gn, make, "Adam", as_tensor=True)
    assert ours[0] == pytest.approx(rates, rel=1e-6, abs=1e-9) and ours[1] == pytest.approx(
        last, rel=1e-6, abs=1e-9
    )


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_given_epochs_are_pytorch_s():
    torch = pytest.importorskip("torch")
    for name, settings in SETTINGS.items():
        if name in ("SequentialLR", "ChainedScheduler", "ReduceLROnPlateau"):
            continue  # these take no epoch
        for make in settings:
            found = []
            for library in (gn, torch):
                optimizer = optimizer_of(library)
                scheduler = make(library.optim.lr_scheduler, optimizer)
                rates = []
                for epoch in (3, 1, 12, 13, 40, 0):
                    scheduler.step(epoch)
                    rates.append((scheduler.get_last_lr(), scheduler.last_epoch))
                found.append(rates)
            assert found[0] == found[1]


@pytest.mark.oracle
def test_names_and_signatures_are_pytorch_s():
    torch = pytest.importorskip("torch")
    theirs = torch.optim.lr_scheduler
    assert sorted(lr_scheduler.__all__) == sorted(theirs.__all__)
    for name in theirs.__all__:
        for made in (name, f"{name}.step"):
            shown = []
            for module in (lr_scheduler, theirs):
                found = module
                for part in made.split("."):
                    found = getattr(found, part)
                parameters = inspect.signature(found).parameters.values()
                shown.append([(each.name, each.kind, each.default) for each in parameters])
            assert shown[0] == shown[1]
    assert SGD is gn.optim.SGD
