"""Views and in-place operators: what autograd tracks, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.both_tiers


def test_a_leaf_that_requires_grad_is_not_written_to(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        x.add_(1)
    with pytest.raises(
        RuntimeError, match="a view of a leaf Variable that requires grad is being used in an"
    ):
        x[:1].add_(1)
    assert x.tolist() == [1.0, 1.0] and x._version == 0
    with lib.no_grad():
        x.add_(1)
    assert x.tolist() == [2.0, 2.0] and x._version == 1


def test_versions_are_shared_by_base_and_views(lib: Any) -> None:
    x = lib.ones(2, 2)
    view, alias = x[0], x.detach()
    view.add_(1)
    alias.add_(1)
    x.t().add_(1)
    assert x._version == view._version == alias._version == 3
    assert x.clone()._version == 0


def test_the_version_error_names_node_and_versions(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError) as caught:
        z.sum().backward()
    text = str(caught.value)
    assert (
        "one of the variables needed for gradient computation has been modified by an inplace operation"
        in text
    )
    assert "[2]" in text and "which is output 0 of Add" in text
    assert "is at version 1; expected version 0 instead" in text


def test_what_was_not_saved_may_be_modified(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    z = y + 1
    y.mul_(5)
    (z + y).sum().backward()
    assert x.grad.tolist() == [12.0, 12.0]


def test_writing_to_a_view_changes_the_base(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    y = x * 1
    y[0].mul_(7)
    assert y.grad_fn.name().endswith("CopySlices")
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 1.0, 1.0]


def test_the_view_that_was_written_to_has_a_history(lib: Any) -> None:
    x = lib.ones(4, requires_grad=True)
    y = x * 1
    view = y[1:3]
    view.mul_(7)
    assert view.grad_fn is not None and view._base is y
    view.sum().backward()
    assert x.grad.tolist() == [0.0, 7.0, 7.0, 0.0]


def test_writing_to_the_base_changes_its_views(lib: Any) -> None:
    x = lib.ones(4, requires_grad=True)
    y = x * 1
    view = y[1:3]
    y.mul_(7)
    view.sum().backward()
    assert x.grad.tolist() == [0.0, 7.0, 7.0, 0.0]


def test_a_view_of_a_view(lib: Any) -> None:
    x = lib.ones(2, 3, requires_grad=True)
    y = x * 1
    outer = y.t()
    inner = outer[1]
    inner.mul_(5)
    assert inner._base is y and outer._base is y
    (y * lib.arange(6.0).view(2, 3)).sum().backward()
    assert x.grad.tolist() == [[0.0, 5.0, 2.0], [3.0, 20.0, 5.0]]


def test_two_views_written_one_after_the_other(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    y = x * 1
    first, second = y[:2], y[1:]
    first.mul_(2)
    second.mul_(3)
    assert y.tolist() == [2.0, 6.0, 3.0]
    y.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [2.0, 6.0, 3.0]
    x.grad = None
    first.sum().backward()
    assert x.grad.tolist() == [2.0, 6.0, 0.0]


def test_a_variable_written_into_a_constant(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    buffer = lib.zeros(4)
    buffer[1:3] = x * 3
    assert buffer.requires_grad and buffer.grad_fn.name().endswith("CopySlices")
    (buffer * lib.arange(4.0)).sum().backward()
    assert x.grad.tolist() == [3.0, 6.0]


def test_copy_into_a_slice_stops_the_old_gradient(lib: Any) -> None:
    x, z = lib.ones(3, requires_grad=True), lib.ones(1, requires_grad=True)
    y = x * 2
    y[1:2] = z
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 2.0] and z.grad.tolist() == [1.0]


def test_fill_stops_the_gradient(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    y = x * 2
    y[0] = 5.0
    y[1:].zero_()
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_outputs_of_split_are_not_written_to(lib: Any) -> None:
    x = lib.ones(4, requires_grad=True)
    for name, views in (
        ("Split", lambda y: y.split(2)),
        ("Unbind", lambda y: y.unbind(0)),
        ("Split", lambda y: y.chunk(2)),
    ):
        y = x * 1
        first, *_ = views(y)
        with pytest.raises(
            RuntimeError, match=f"Output 0 of {name}(Backward0)? is a view and is being modified inplace"
        ):
            first.mul_(2)
        assert y.tolist() == [1.0] * 4


def test_the_base_of_split_outputs_may_be_written_to_but_then_they_are_stale(lib: Any) -> None:
    x = lib.ones(4, requires_grad=True)
    y = x * 1
    first, _ = y.split(2)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        _ = first.grad_fn


def test_a_view_made_under_no_grad_is_not_written_to(lib: Any) -> None:
    x = lib.ones(4, requires_grad=True)
    y = x * 1
    with lib.no_grad():
        view = y[:2]
    assert view.requires_grad
    with pytest.raises(
        RuntimeError, match="A view was created in no_grad mode and is being modified inplace"
    ):
        view.mul_(lib.ones(2, requires_grad=True))
    with lib.no_grad():
        view.mul_(2)
    assert y.tolist() == [2.0, 2.0, 1.0, 1.0]


def test_a_view_made_under_no_grad_of_a_constant(lib: Any) -> None:
    buffer = lib.zeros(4)
    with lib.no_grad():
        view = buffer[:2]
    view.mul_(2)  # nothing to record
    with pytest.raises(
        RuntimeError, match="no_grad mode and is being modified inplace with grad mode enabled"
    ):
        view.add_(lib.ones(2, requires_grad=True))


def test_detached_views_are_not_followed(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 1
    y.detach().mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_expanded_tensors_are_not_written_to(lib: Any) -> None:
    y = (lib.ones(1, requires_grad=True) * 1).expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        y.add_(1)


def test_in_place_of_a_result_that_was_saved(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(
        RuntimeError, match=r"output 0 of Exp(Backward0)?, is at version 1; expected version 0"
    ):
        y.sum().backward()


def test_relu_in_place_is_fine(lib: Any) -> None:
    x = lib.tensor([-1.0, 2.0], requires_grad=True)
    y = x * 3
    y.relu_()
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 3.0]


def test_requires_grad_of_a_view_of_a_leaf(lib: Any) -> None:
    x = lib.ones(4)
    view = x[:2]
    view.requires_grad_()
    assert view.is_leaf and view.requires_grad and not x.requires_grad
    (view * 2).sum().backward()
    assert view.grad.tolist() == [2.0, 2.0] and x.grad is None


def test_in_place_under_no_grad_keeps_the_graph(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    node = y.grad_fn
    with lib.no_grad():
        y.mul_(5)
    assert y.grad_fn is node and y.tolist() == [10.0, 10.0]
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_as_strided_shows_all_views(lib: Any) -> None:
    x = lib.arange(6.0).requires_grad_()
    y = x * 1
    view = y.as_strided((2, 2), (2, 1), 1)
    view.mul_(10)
    assert y.tolist() == [0.0, 10.0, 20.0, 30.0, 40.0, 5.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 10.0, 10.0, 10.0, 10.0, 1.0]


def test_second_derivatives_through_a_written_view(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y[1:].pow_(3)
    (first,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [1.0, 12.0, 27.0]
    (second,) = lib.autograd.grad(first.sum(), x)
    assert second.tolist() == [0.0, 12.0, 18.0]


def test_set_data_of_a_parameter(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    x.data = lib.zeros(2)
    assert x.is_leaf and x.requires_grad and x.tolist() == [0.0, 0.0]
    x.grad = lib.ones(2)
    assert x.grad.tolist() == [1.0, 1.0]


def test_an_in_place_operator_that_writes_what_it_saves(lib: Any) -> None:
    x = lib.tensor([3.0], requires_grad=True)
    y = x * 1
    y.mul_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_earlier_views_follow_when_a_base_becomes_a_variable(lib: Any) -> None:
    buffer = lib.zeros(4)
    view = buffer[:2]
    x = lib.ones(4, requires_grad=True)
    assert not view.requires_grad
    buffer.add_(x)
    assert view.requires_grad
    (view * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 0.0, 0.0]


def test_earlier_views_of_a_leaf(lib: Any) -> None:
    x = lib.ones(4)
    view = x[:2]
    x.requires_grad_()
    assert view.requires_grad and view.grad_fn is None


def test_detach_in_place(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    y.detach_()
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (x * 2)[:1].detach_()


def test_swapping_through_views(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    kept = y[0].clone()
    y[0] = y[1] * 10
    y[1] = kept * 100
    assert y.tolist() == [20.0, 100.0]
    (y * lib.tensor([1.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [300.0, 10.0]


@pytest.mark.parametrize("order", [(0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_views_that_merge_dimensions_of_a_permuted_base(lib: Any, order: tuple[int, ...]) -> None:
    """The base is dense but not row-major: neighbors in memory are not neighbors by index."""
    back = tuple(order.index(each) for each in range(3))
    weights = lib.arange(24.0).view(2, 3, 4).permute(order)
    for first, last in ((0, 3), (5, 17), (23, 24)):
        x = lib.ones(2, 3, 4, requires_grad=True)
        base = x.permute(order) * 1.0
        window = base.permute(back).view(-1)[first:last]
        window.mul_(5)
        stale = base.permute(back).view(-1)[first:last]
        base.mul_(2)
        ((base * weights).sum() + (stale * 100).sum()).backward()
        expected = [2.0 * place for place in range(24)]
        for place in range(first, last):
            expected[place] = 10.0 * place + 1000.0
        assert x.grad.reshape(-1).tolist() == expected


def test_a_stale_view_that_repeats_elements(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    base = x * 1
    view = base.expand(3, 2)
    base.mul_(2)
    view.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_leaf_that_is_switched_off_does_not_accumulate(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward()
    assert x.grad is None


def test_what_may_not_be_assigned(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="can't assign Variable as its own grad"):
        x.grad = x
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        x.data = lib.ones(2, dtype=lib.int64)


@pytest.mark.parametrize(
    "window",
    [
        lambda y: y.unfold(0, 2, 1),
        lambda y: y.as_strided((3, 2), (1, 1)),
        lambda y: y.unfold(0, 2, 1)[:, :1].expand(3, 2),
    ],
    ids=["unfold", "as_strided", "expanded"],
)
def test_an_overlapping_view_of_a_base_that_was_written_to(lib, window):
    x = lib.arange(4.0, dtype=lib.float64).requires_grad_()
    y = x * 1
    before = window(y)
    y.mul_(2)
    weights = lib.arange(6.0, dtype=lib.float64).reshape(3, 2)
    (before * weights).sum().backward()
    z = lib.arange(4.0, dtype=lib.float64).requires_grad_()
    (window(z * 2) * weights).sum().backward()
    assert x.grad.tolist() == z.grad.tolist()


@pytest.mark.parametrize(
    "make",
    [
        lambda lib, w: w @ lib.ones(2),
        lambda lib, w: w.mv(lib.ones(2)),
        lambda lib, w: lib.ones(3, 2, 2) @ w,
        lambda lib, w: lib.nn.functional.linear(lib.ones(3, 2, 2), w),
        lambda lib, w: w.t().reshape(4),
    ],
    ids=["vector", "mv", "stack", "linear", "reshape"],
)
def test_results_of_compositions_are_no_views(lib, make):
    w = lib.ones(2, 2, requires_grad=True)
    result = make(lib, w)
    assert result._base is None
    result.mul_(2)
    result.sum().backward()
    assert w.grad is not None
    with lib.no_grad():
        plain = make(lib, w)
    plain.add_(lib.ones(plain.shape, requires_grad=True))
    assert plain.requires_grad
    make(lib, w).detach_()


@pytest.mark.parametrize("change", [lambda v: v.unsqueeze_(0), lambda v: v.squeeze_(0), lambda v: v.t_()])
def test_the_shape_of_one_of_several_views_stays(lib: Any, change: Any) -> None:
    base = lib.ones(2, 3, requires_grad=True) * 2
    for views in (base.split(1), base.chunk(2)):
        with pytest.raises(RuntimeError, match="Output 0 of Split is a view and is being modified inplace"):
            change(views[0])
        assert tuple(views[0].shape) == (1, 3)
    with lib.no_grad():
        view = base[:1]
    with pytest.raises(
        RuntimeError, match="A view was created in no_grad mode and is being modified inplace"
    ):
        change(view)
    change(lib.ones(2, 3).split(1)[0])  # nothing to track


def test_autograd_does_not_follow_the_same_bytes_as_another_dtype(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True) * 2
    for dtype in (lib.float32, lib.int32):
        y = x.view(dtype)
        assert not y.requires_grad and y.grad_fn is None and not y._is_view()
    with lib.no_grad():
        assert not x.view(lib.float32).requires_grad
    x.view(lib.float32).add_(1)
    assert x.tolist() == [3.0, 3.0, 3.0] and x._version == 1


IN_NO_GRAD = "Under no_grad() it is allowed, and an out-of-place call always is."


def test_a_leaf_is_refused_in_the_same_words_by_all_operators(lib: Any) -> None:
    """CompositeImplicit operators raise the same error, and each call does."""
    for _ in range(3):
        x = lib.tensor([0.5, 0.25], requires_grad=True)
        view = x.expand(2, 2)[0]
        for tensor, of in ((x, "a leaf Variable"), (view, "a view of a leaf Variable")):
            for write in (
                lambda: tensor.add_(1),  # noqa: B023
                lambda: tensor.index_put_((lib.tensor([0]),), lib.tensor(2.0)),  # noqa: B023
                lambda: tensor.addcmul_(lib.ones(2), lib.ones(2)),  # noqa: B023
            ):
                with pytest.raises(RuntimeError) as caught:
                    write()
                text = f"{of} that requires grad is being used in an in-place operation."
                advice = f" {IN_NO_GRAD}" if lib.__name__ == "gnomon" else ""
                assert str(caught.value) == text + advice
