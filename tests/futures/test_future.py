"""Futures, beside PyTorch's."""

from __future__ import annotations

import pytest

from gnomon.futures import Future, collect_all, wait_all


def test_a_value_that_is_set() -> None:
    future: Future[int] = Future()
    seen = []
    assert not future.done()
    later = future.then(lambda done: done.value() + 1)
    future.add_done_callback(lambda done: seen.append(done.wait()))
    assert not later.done() and seen == []
    with pytest.raises(RuntimeError, match="before the result was there"):
        future.value()
    with pytest.raises(RuntimeError, match="nobody has set the result"):
        future.wait()
    future.set_result(3)
    assert future.done() and future.wait() == future.value() == 3 and seen == [3]
    assert later.done() and later.wait() == 4
    future.add_done_callback(lambda done: seen.append(-1))
    assert seen == [3, -1]
    with pytest.raises(RuntimeError, match="set already"):
        future.set_result(4)


def test_an_error_goes_to_all_that_wait() -> None:
    future: Future[int] = Future()
    later = future.then(lambda done: done.wait() + 1).then(lambda done: done.wait() + 1)
    future.set_exception(ValueError("no"))
    assert future.done() and later.done()
    with pytest.raises(ValueError, match=r"^no$"):
        future.wait()
    running = "Got the following error when running the callback: "
    with pytest.raises(RuntimeError, match=f"^{running}RuntimeError: {running}ValueError: no$"):
        later.wait()
    failing: Future[int] = Future()
    after = failing.then(lambda done: 1 // done.wait())
    failing.set_result(0)
    with pytest.raises(RuntimeError, match=f"^{running}ZeroDivisionError: .* by zero$") as error:
        after.wait()
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_an_error_in_a_callback_keeps_none_of_the_others_from_running() -> None:
    future: Future[int] = Future()
    seen = []
    future.add_done_callback(lambda done: seen.append(1 // done.wait()))
    future.add_done_callback(lambda done: seen.append(done.wait()))
    with pytest.warns(UserWarning, match=r"when running the callback: ZeroDivisionError"):
        future.set_result(0)
    with pytest.warns(UserWarning, match=r"when running the callback: ZeroDivisionError"):
        future.add_done_callback(lambda done: seen.append(1 // done.wait()))
    assert seen == [0] and future.wait() == 0


def test_several() -> None:
    futures: list[Future[int]] = [Future() for _ in range(3)]
    together = collect_all(futures)
    for number, each in enumerate(futures):
        assert not together.done()
        each.set_result(number)
    assert together.done() and [each.value() for each in together.wait()] == [0, 1, 2]
    assert wait_all(futures) == [0, 1, 2]
