"""gnomon.optim.swa_utils: means of parameters, batch norm statistics, the schedule; PyTorch's numbers."""

import inspect
import math

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.optim import SGD, swa_utils
from gnomon.optim.swa_utils import (
    SWALR,
    AveragedModel,
    get_ema_avg_fn,
    get_ema_multi_avg_fn,
    get_swa_avg_fn,
    get_swa_multi_avg_fn,
    update_bn,
)


def model_of(library=gn):
    """A model with parameters, buffers, and an integer buffer."""
    layers = library.nn
    return layers.Sequential(layers.Linear(2, 3, bias=False), layers.BatchNorm1d(3))


def fill(library, model, number):
    with library.no_grad():
        for param in model.parameters():
            param.fill_(number)
        for buffer in model.buffers():
            buffer.fill_(number)


def averages(library, **options):
    """A parameter, a buffer and the number of batches of the mean after each of four updates."""
    model = model_of(library)
    mean = library.optim.swa_utils.AveragedModel(model, **options)
    history = []
    for number in (1.0, 2.0, 6.0, 7.0):
        fill(library, model, number)
        mean.update_parameters(model)
        weight = mean.module[0].weight.flatten()[0].item()
        running, count = mean.module[1].running_mean[0].item(), mean.module[1].num_batches_tracked.item()
        history.append((weight, running, count))
    assert mean.n_averaged.item() == 4 and mean.n_averaged.dtype is library.int64
    return history


def test_means_count_all_models_the_same(lib):
    assert [each[0] for each in averages(lib)] == pytest.approx([1.0, 1.5, 3.0, 4.0])
    for multi in (None, lib.optim.swa_utils.get_swa_multi_avg_fn()):
        found = averages(lib, multi_avg_fn=multi)
        assert [each[0] for each in found] == pytest.approx([1.0, 1.5, 3.0, 4.0])
        assert [each[1:] for each in found] == [(1.0, 1), (2.0, 2), (6.0, 6), (7.0, 7)]  # copied


def test_exponential_means_by_formula(lib):
    utils = lib.optim.swa_utils
    wanted = [1.0, 1.25, 2.4375, 3.578125]
    for options in (
        {"avg_fn": utils.get_ema_avg_fn(0.75)},
        {"multi_avg_fn": utils.get_ema_multi_avg_fn(0.75)},
        {"avg_fn": lambda mean, current, count: 0.75 * mean + 0.25 * current},
    ):
        assert [each[0] for each in averages(lib, **options)] == pytest.approx(wanted)
        found = averages(lib, use_buffers=True, **options)
        assert [each[1] for each in found] == pytest.approx(wanted)
        assert [each[2] for each in found] == [1, 1, 2, 3]  # rounded down each time


def test_functions_of_means():
    mean, current = gn.tensor([1.0, 3.0]), gn.tensor([4.0, 0.0])
    assert get_swa_avg_fn()(mean, current, 2).tolist() == [2.0, 2.0]
    assert get_ema_avg_fn(0.5)(mean, current, None).tolist() == [2.5, 1.5]
    means = [mean.clone(), mean.clone()]
    assert get_swa_multi_avg_fn()(means, [current, current], gn.tensor(1)) is None
    assert means[0].tolist() == means[1].tolist() == [2.5, 1.5]
    get_swa_multi_avg_fn()(means, [current, current], 2)
    assert means[0].tolist() == pytest.approx([3.0, 1.0])
    whole = [gn.tensor([4, 8])]
    get_ema_multi_avg_fn(0.5)(whole, [gn.tensor([8, 9])], None)
    assert whole[0].tolist() == [6, 8] and whole[0].dtype is gn.int64


def test_the_model_is_copied_and_callable():
    model = model_of()
    mean = AveragedModel(model)
    fill(gn, model, 3.0)
    assert mean.module[0].weight.flatten()[0].item() != 3.0
    assert mean.eval()(gn.ones(2, 2)).shape == (2, 3)
    names = ["n_averaged", "module.0.weight", "module.1.weight"]
    assert list(mean.state_dict())[:3] == names
    assert mean.n_averaged.dtype is gn.int64 and mean.n_averaged.shape == ()


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (lambda u, m: u.get_ema_avg_fn(1.5), ValueError, r"Invalid decay value 1.5 provided"),
        (lambda u, m: u.get_ema_multi_avg_fn(-0.5), ValueError, r"Please provide a value in \[0,1\] range."),
        (
            lambda u, m: u.AveragedModel(m, avg_fn=abs, multi_avg_fn=abs),
            AssertionError,
            "Only one of avg_fn and multi_avg_fn should be provided",
        ),
        (lambda u, m: u.SWALR(3, 0.1), AttributeError, "param_groups"),
    ],
)
def test_misuse_is_refused(lib, act, kind, text):
    with pytest.raises(kind, match=text):
        act(lib.optim.swa_utils, model_of(lib))


def test_batch_norm_statistics_are_means_over_all_batches(lib):
    model = lib.nn.BatchNorm1d(1, momentum=0.3)
    model.eval()
    model.running_mean.fill_(100.0)
    batches = [lib.tensor([[1.0], [3.0]]), (lib.tensor([[5.0], [5.0]]), "label")]
    lib.optim.swa_utils.update_bn(batches, model)
    assert model.running_mean.tolist() == pytest.approx([3.5])
    assert model.running_var.tolist() == pytest.approx([1.0])
    assert model.num_batches_tracked.item() == 2
    assert model.momentum == 0.3 and not model.training
    lib.optim.swa_utils.update_bn(iter(()), lib.nn.Linear(1, 1))  # nothing to do


def test_a_loader_that_fails_leaves_momentum_and_mode():
    model = nn.BatchNorm1d(1, momentum=0.3).eval()

    def loader():
        yield gn.tensor([[1.0], [3.0]])
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        update_bn(loader(), model)
    assert model.momentum == 0.3 and not model.training


def rates_of(library, strategy="cos", epochs=5, rates=(0.5,), swa_lr=0.1, count=9):
    groups = [{"params": [library.nn.Parameter(library.ones(1))], "lr": rate} for rate in rates]
    optimizer = library.optim.SGD(groups, lr=0.1)
    scheduler = library.optim.swa_utils.SWALR(optimizer, swa_lr, epochs, strategy)
    history = []
    for _ in range(count):
        history.append([group["lr"] for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step()
    return history, scheduler.state_dict()


def test_schedule_by_formula():
    line, _ = rates_of(gn, "linear")
    assert [rate for (rate,) in line] == pytest.approx([0.5, 0.42, 0.34, 0.26, 0.18, 0.1, 0.1, 0.1, 0.1])
    cosine, _ = rates_of(gn)
    wanted = [0.1 + 0.4 * (1 + math.cos(math.pi * min(t, 5) / 5)) / 2 for t in range(9)]
    assert [rate for (rate,) in cosine] == pytest.approx(wanted)
    at_once, _ = rates_of(gn, epochs=0)
    assert [rate for (rate,) in at_once] == [0.1] * 9


def test_schedule_refuses():
    optimizer = SGD([nn.Parameter(gn.ones(1))])
    with pytest.raises(ValueError, match="anneal_strategy must be one of 'cos' or 'linear', instead got exp"):
        SWALR(optimizer, 0.1, anneal_strategy="exp")
    with pytest.raises(ValueError, match="anneal_epochs must be equal or greater than 0, got -1"):
        SWALR(optimizer, 0.1, -1)
    with pytest.raises(ValueError, match=r"swa_lr must have the same length as optimizer\.param_groups"):
        SWALR(optimizer, [0.1, 0.2])


@pytest.mark.oracle
@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 7, 50])
def test_schedules_are_pytorch_s(strategy, epochs):
    torch = pytest.importorskip("torch")
    for options in ({}, {"rates": (0.5, 0.01), "swa_lr": [0.2, 0.3]}):
        found, state = rates_of(gn, strategy, epochs, count=60, **options)
        wanted, their_state = rates_of(torch, strategy, epochs, count=60, **options)
        assert found == wanted
        assert state == their_state


@pytest.mark.oracle
def test_names_and_signatures_are_pytorch_s():
    torch = pytest.importorskip("torch")
    theirs = torch.optim.swa_utils
    assert sorted(swa_utils.__all__) == sorted(theirs.__all__)
    for name in theirs.__all__:
        found, wanted = (
            inspect.signature(getattr(module, name)).parameters for module in (swa_utils, theirs)
        )
        assert [(e.name, e.kind, e.default) for e in found.values()] == [
            (e.name, e.kind, e.default) for e in wanted.values()
        ]
