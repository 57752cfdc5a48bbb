"""learn/watching.py: who wrote last to a storage, while it is watched."""

from __future__ import annotations

import sys

import pytest

import gnomon as gn
from gnomon.dispatch.mode import mode_word
from gnomon.learn.watching import Watch, current_watch
from gnomon.values.dispatch_key import OBSERVED_BIT, TRACED_BIT

pytestmark = pytest.mark.both_tiers


def here(below: int) -> str:
    """The file of the caller, and the line that is so many lines below its."""
    return f"test_watching.py:{sys._getframe(1).f_lineno + below}"


def test_the_last_writer_with_its_line(device: str) -> None:
    for _ in range(3):  # the first calls run in Python, later ones may be repeated in C
        with gn.explain.watch() as watch:
            made = here(1)
            x = gn.zeros(2, 3)
            assert watch.last_writer(x) == ("zeros", made, 0)
            place = here(1)
            x.t().add_(1)
            assert watch.last_writer(x) == ("add_.Tensor", place, 1)
            place = here(1)
            y = x * 2
            assert watch.last_writer(y) == ("mul.Tensor", place, 0)
            view = x[0]
            assert watch.last_writer(view).operator == "add_.Tensor"
            place = here(1)
            view.mul_(3)
            assert watch.last_writer(x) == ("mul_.Tensor", place, 2)
            place = here(1)
            gn.add(y, 1, out=x)
            assert watch.last_writer(x) == ("add.out", place, 3)
            x[0, 0] = 5.0
            assert watch.last_writer(x).version == 4


def test_the_explanation_says_it(device: str) -> None:
    x = gn.zeros(2)
    answer = gn.explain(x)["Reference or copy?"]
    assert answer.fact("last written by").startswith("not watched")
    with gn.explain.watch():
        assert gn.explain(x)["Reference or copy?"].fact("last written by") == "nothing since the watch began"
        place = here(1)
        x.add_(1)
        answer = gn.explain(x)["Reference or copy?"]
        assert answer.fact("last written by") == "add_.Tensor" and answer.fact("at") == place
        assert answer.fact("version after it") == 1
    assert gn.explain(x)["Reference or copy?"].fact("last written by").startswith("not watched")


def test_it_ends_with_the_block(device: str) -> None:
    x = gn.zeros(2)
    with gn.explain.watch() as watch:
        assert current_watch() is watch and mode_word() & OBSERVED_BIT and not mode_word() & TRACED_BIT
    x.add_(1)
    assert watch.last_writer(x) is None and current_watch() is None and not mode_word() & OBSERVED_BIT


def test_watches_nest(device: str) -> None:
    x = gn.zeros(2)
    with Watch() as outer:
        with Watch() as inner:
            x.add_(1)
        x.mul_(2)
    assert (outer.last_writer(x).operator, inner.last_writer(x).operator) == ("mul_.Tensor", "add_.Tensor")


def test_a_storage_that_is_gone_is_forgotten(device: str) -> None:
    with Watch() as watch:
        x = gn.zeros(2)
        assert len(watch._writers) >= 1 and watch.last_writer(x) is not None
        del x
        assert len(watch._writers) == 0


def test_what_returns_its_argument_wrote_nothing(device: str) -> None:
    x = gn.zeros(2, 3)
    with Watch() as watch:
        assert x.contiguous() is x and x.reshape(6).shape == (6,)
        assert watch.last_writer(x) is None
        copied = x.t().contiguous()
        assert watch.last_writer(copied).operator == "contiguous"


def test_lists_and_inference_tensors(device: str) -> None:
    x, y = gn.zeros(2), gn.zeros(2)
    with Watch() as watch:
        gn._foreach_add_([x, y], 1.0)
        assert watch.last_writer(y).operator.startswith("_foreach_add_")
        with gn.inference_mode():
            made = gn.ones(2) + 1
            assert watch.last_writer(made) == ("add.Tensor", watch.last_writer(made).place, None)
