"""gnomon.multiprocessing: several processes that run one function, and Hogwild training."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from typing import Any

import pytest

import gnomon as gn
import gnomon.multiprocessing as mp
from time_limits import LIMIT

METHODS = ["fork", pytest.param("spawn", marks=pytest.mark.slow)]


def write(index: int, tensor: gn.Tensor, by: float) -> None:
    tensor[index] = index * by


@pytest.mark.parametrize("method", METHODS)
def test_each_process_gets_its_number(device: str, method: str) -> None:
    x = gn.zeros(3).share_memory_()
    assert mp.start_processes(write, (x, 10.0), 3, start_method=method) is None
    assert x.tolist() == [0, 10, 20]


def fail(index: int, how: str) -> None:
    if index == 1:
        if how == "raise":
            raise KeyError("no such key")
        if how == "exit":
            sys.exit(7)
        os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()  # until it is terminated


def failure(how: str) -> Any:
    with pytest.raises(mp.ProcessException) as raised:
        mp.start_processes(fail, (how,), 2, start_method="fork")
    error: Any = raised.value
    assert error.error_index == 1 and error.error_pid != os.getpid()
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and (str(again), vars(again)) == (str(error), vars(error))
    return error


def test_an_exception_arrives_with_its_traceback() -> None:
    error = failure("raise")
    assert type(error) is mp.ProcessRaisedException
    text = str(error)
    assert text.startswith("\n\n-- Process 1 terminated with the following error:\nTraceback (most recent")
    assert text.endswith("KeyError: 'no such key'\n") and "in fail\n" in text


def test_another_end_of_a_process_is_named() -> None:
    error = failure("exit")
    assert type(error) is mp.ProcessExitedException
    assert str(error) == "process 1 terminated with exit code 7"
    assert (error.exit_code, error.signal_name) == (7, None)
    error = failure("kill")
    assert str(error) == "process 1 terminated with signal SIGKILL"
    assert (error.exit_code, error.signal_name) == (-9, "SIGKILL")


def test_processes_can_be_joined_later() -> None:
    x = gn.zeros(2).share_memory_()
    context = mp.start_processes(write, (x, 1.0), 2, join=False, start_method="fork")
    assert isinstance(context, mp.ProcessContext) and len(set(context.pids())) == 2
    assert any(context.join(LIMIT) for _ in range(2))  # each call waits for one of them at least
    assert context.join() and x.tolist() == [0, 1]
    with pytest.warns(UserWarning, match=r"^SpawnContext is renamed to ProcessContext since 1.4 release.$"):
        assert mp.SpawnContext([], []).join()


@pytest.mark.slow
def test_spawn_only_spawns() -> None:
    x = gn.zeros(2).share_memory_()
    with pytest.warns(FutureWarning, match=r"only supports start_method=spawn \(got: fork\)"):
        assert mp.spawn(write, (x, 2.0), 2, start_method="fork") is None
    assert x.tolist() == [0, 2]


def test_pythons_names_are_there() -> None:
    for name in multiprocessing.__all__:  # type: ignore[attr-defined]
        assert getattr(mp, name) is getattr(multiprocessing, name)
    assert mp.get_all_sharing_strategies() == {"file_descriptor"}
    assert mp.get_sharing_strategy() == "file_descriptor"
    mp.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError, match=r"^invalid sharing strategy 'file_system', expected one of"):
        mp.set_sharing_strategy("file_system")


def train(index: int, model: gn.nn.Module, inputs: gn.Tensor, targets: gn.Tensor) -> None:
    gn.manual_seed(index)
    optimizer = gn.optim.SGD(model.parameters(), 0.05)
    for _ in range(10):
        rows = gn.randint(len(inputs), (8,), device=inputs.device)
        optimizer.zero_grad()
        ((model(inputs[rows]) - targets[rows]) ** 2).mean().backward()
        optimizer.step()


@pytest.mark.parametrize("method", METHODS)
def test_hogwild(device: str, method: str) -> None:
    """Four processes train one model at once, without locks: Niu et al., "Hogwild!" (2011)."""
    gn.manual_seed(0)
    model = gn.nn.Sequential(gn.nn.Linear(4, 8), gn.nn.Tanh(), gn.nn.Linear(8, 1)).share_memory()
    inputs = gn.randn(32, 4)
    targets = inputs.sum(1, keepdim=True)
    before = [each.detach().clone() for each in model.parameters()]
    mp.start_processes(train, (model, inputs, targets), 4, start_method=method)
    assert inputs.is_shared() == (method == "spawn")  # a forked process has copies of what it is given
    for old, parameter in zip(before, model.parameters()):
        assert (old != parameter).all() and parameter.isfinite().all()
        assert parameter.grad is None  # each process has its own gradients
