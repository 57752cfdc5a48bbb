import pytest

import gnomon as gn
from gnomon.nn import LinearCrossEntropyLoss, LinearCrossEntropyOptions
from gnomon.nn.functional import cross_entropy, linear, linear_cross_entropy

CLASSES = [4, 0, -100, 2, 2, 1, 4]


def operands(dtype=gn.float64):
    gn.manual_seed(0)
    made = gn.randn(7, 3, dtype=dtype), gn.randn(5, 3, dtype=dtype), gn.randn(5, dtype=dtype)
    return tuple(each.requires_grad_() for each in made)


def gradients(loss, tensors):
    factors = gn.arange(1.0, loss.numel() + 1, dtype=loss.dtype).reshape(loss.shape)
    return gn.autograd.grad((loss * factors).sum(), tensors)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("rows", [None, 1, 2, 3, 7, 100])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_chunks_give_the_same_loss_and_gradients(reduction, rows, is_weighted):
    x, weight, bias = operands()
    target = gn.tensor(CLASSES)
    of_classes = gn.tensor([0.5, 1.0, 2.0, 0.0, 3.0], dtype=gn.float64) if is_weighted else None
    expected = cross_entropy(linear(x, weight, bias), target, weight=of_classes, reduction=reduction)
    found = linear_cross_entropy(
        *(x, weight, target),
        linear_bias=bias,
        weight=of_classes,
        reduction=reduction,
        options=LinearCrossEntropyOptions(batch_chunk_size=rows),
    )
    gn.testing.assert_close(found, expected)
    for one, other in zip(gradients(found, (x, weight, bias)), gradients(expected, (x, weight, bias))):
        gn.testing.assert_close(one, other)
        assert one.stride() == other.stride()


def test_scores_of_all_rows_are_never_in_memory():
    sizes = []

    class Watch(gn.dispatch.python_dispatch.DispatchMode):
        def __gnomon_dispatch__(self, function, types, args=(), kwargs=None):
            made = function(*args, **(kwargs or {}))
            if isinstance(made, gn.Tensor):
                sizes.append(made.numel())
            return made

    x, weight = gn.ones(64, 4, requires_grad=True), gn.ones(32, 4, requires_grad=True)
    with Watch():
        loss = linear_cross_entropy(
            x, weight, gn.zeros(64, dtype=gn.int64), options=LinearCrossEntropyOptions()
        )
        loss.backward()
    assert max(sizes) == 64 * 4 and loss.item() == pytest.approx(3.4657359, rel=1e-6)


def test_only_gradients_that_are_needed_are_computed():
    x, weight, bias = operands()
    options = LinearCrossEntropyOptions()
    target = gn.tensor(CLASSES)
    with gn.no_grad():
        assert not linear_cross_entropy(x, weight, target, options=options).requires_grad
    loss = linear_cross_entropy(x.detach(), weight, target, linear_bias=bias.detach(), options=options)
    loss.backward()
    assert x.grad is None and bias.grad is None and weight.grad.shape == (5, 3)


def test_backward_runs_once_unless_the_graph_is_kept():
    x, weight, _ = operands()
    target = gn.tensor(CLASSES)
    loss = linear_cross_entropy(x, weight, target, options=LinearCrossEntropyOptions())
    (first,) = gn.autograd.grad(loss, x, retain_graph=True)
    with pytest.raises(RuntimeError, match="its backward was called twice; set allow_retain_graph=True"):
        loss.backward()
    loss = linear_cross_entropy(x, weight, target, options=LinearCrossEntropyOptions(allow_retain_graph=True))
    for _ in range(2):
        (again,) = gn.autograd.grad(loss, x, retain_graph=True)
        assert again.tolist() == first.tolist()


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
def test_half_types_are_summed_in_float32(dtype):
    x, weight, bias = operands(dtype)
    target = gn.tensor(CLASSES)
    loss = linear_cross_entropy(
        x, weight, target, linear_bias=bias, reduction="none", options=LinearCrossEntropyOptions()
    )
    precise = cross_entropy(linear(x.float(), weight.float(), bias.float()), target, reduction="none")
    assert loss.dtype is dtype and loss.tolist() == precise.to(dtype).tolist()
    assert {each.dtype for each in gradients(loss, (x, weight, bias))} == {dtype}


def test_targets_and_weights_of_other_shapes_are_refused():
    x, weight, _ = operands()
    options = LinearCrossEntropyOptions()
    for shape in [(1,), (6,), (7, 1), ()]:
        with pytest.raises(
            RuntimeError, match=r"^linear_cross_entropy: expected target of shape \(7,\), got"
        ):
            linear_cross_entropy(x, weight, gn.zeros(shape, dtype=gn.int64), options=options)
    with pytest.raises(
        RuntimeError, match=r"^linear_cross_entropy: expected weight of shape \(5,\), got \(4,\)"
    ):
        linear_cross_entropy(x, weight, gn.tensor(CLASSES), weight=gn.ones(4), options=options)


def test_without_chunks_cross_entropy_refuses_other_shapes():
    x, weight, _ = operands()
    with pytest.raises(ValueError, match=r"Expected input batch_size \(7\) to match target batch_size \(6\)"):
        linear_cross_entropy(x, weight, gn.zeros(6, dtype=gn.int64))


def test_no_rows_give_nan():
    empty, classes = gn.ones(0, 3, requires_grad=True), gn.ones(0, dtype=gn.int64)
    for options in (None, LinearCrossEntropyOptions()):
        loss = linear_cross_entropy(empty, gn.ones(5, 3), classes, options=options)
        assert loss.isnan().item()
        found = linear_cross_entropy(empty, gn.ones(5, 3), classes, reduction="none", options=options)
        assert found.shape == (0,)


def test_nothing_left_gives_nan():
    x, weight, _ = operands()
    target = gn.full((7,), -100)
    options = LinearCrossEntropyOptions()
    assert linear_cross_entropy(x, weight, target, options=options).isnan().item()
    assert linear_cross_entropy(x, weight, target, reduction="sum", options=options).item() == 0


def test_probabilities_and_dimensions_without_chunks():
    x, weight, _ = operands()
    shares = gn.rand(7, 5, dtype=gn.float64).softmax(1)
    expected = cross_entropy(linear(x, weight), shares, label_smoothing=0.1)
    found = linear_cross_entropy(x, weight, shares, label_smoothing=0.1)
    gn.testing.assert_close(found, expected)
    wide = gn.randn(5, 2, 4, 3, dtype=gn.float64)
    target = gn.arange(7 * 8).reshape(7, 2, 4) % 5
    expected = cross_entropy(gn.einsum("nf,cabf->ncab", x, wide), target, reduction="none")
    with pytest.warns(UserWarning, match=r"options are ignored.*out_features=\(2, 4\)"):
        found = linear_cross_entropy(x, wide, target, reduction="none", options=LinearCrossEntropyOptions())
    gn.testing.assert_close(found, expected)
    single = linear_cross_entropy(x[0], weight, gn.tensor(4), options=LinearCrossEntropyOptions())
    assert single.shape == () and single.item() == pytest.approx(
        cross_entropy(linear(x[0], weight), gn.tensor(4)).item()
    )


@pytest.mark.parametrize(
    "change, text",
    [
        ({"input": (2, 7, 3)}, "expected input with dimensionality 1 or 2, got 3"),
        ({"linear_weight": (3,)}, "expected linear_weight with dimensionality at least 2, got 1"),
        ({"linear_weight": (5, 4)}, "expected equal input and linear_weight last dimensions .*got 3 and 4"),
        ({"linear_bias": (4,)}, r"expected linear_bias shape \(5,\), got \(4,\)"),
        ({"input": (3,), "linear_weight": (5, 2, 3)}, r"requires batched input, \(N, 3\), got unbatched"),
    ],
)
def test_shapes_that_do_not_fit(change, text):
    shapes = {"input": (7, 3), "linear_weight": (5, 3), **change}
    tensors = {name: gn.ones(shape) for name, shape in shapes.items()}
    with pytest.raises(RuntimeError, match=f"linear_cross_entropy: .*{text}"):
        linear_cross_entropy(target=gn.tensor(CLASSES), **tensors)


def test_probabilities_can_not_be_ignored():
    with pytest.raises(RuntimeError, match="ignore_index cannot be specified when target contains prob"):
        linear_cross_entropy(gn.ones(2, 3), gn.ones(4, 3), gn.ones(2, 4), ignore_index=0)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"acc_policy": "fast"}, "invalid acc_policy: 'fast'"),
        ({"chunking_method": "rows"}, "invalid chunking_method: 'rows'"),
        ({"chunking_method": "aspect_ratio:0"}, "invalid chunking_method"),
        ({"chunking_method": "aspect_ratio:"}, "invalid chunking_method"),
        ({"batch_chunk_size": 0}, "batch_chunk_size must be positive int or None, got 0"),
        ({"acc_dtype": gn.int32}, "acc_dtype must be one of"),
    ],
)
def test_wrong_options(options, text):
    with pytest.raises(ValueError, match=text):
        LinearCrossEntropyOptions(**options)


def test_options_that_do_not_fit_the_call():
    x, weight, _ = operands()
    target = gn.tensor(CLASSES)
    with pytest.raises(ValueError, match="give different chunk sizes"):
        options = LinearCrossEntropyOptions(batch_chunk_size=3, chunking_method="aspect_ratio")
        linear_cross_entropy(x, weight, target, options=options)
    with pytest.raises(RuntimeError, match="supports float32 acc_dtype with float16/bfloat16 inputs"):
        options = LinearCrossEntropyOptions(acc_dtype=gn.float32)
        linear_cross_entropy(x, weight, target, options=options)


def test_the_module_has_a_layer_of_its_own():
    module = LinearCrossEntropyLoss(3, 5, out_features=(2,), bias=True, ignore_index=1)
    assert {name: each.shape for name, each in module.state_dict().items()} == {
        "linear.weight": (10, 3),
        "linear.bias": (10,),
    }
    x, target = gn.randn(4, 3), gn.arange(8).reshape(4, 2) % 5
    scores = module.linear(x).reshape(4, 5, 2)
    gn.testing.assert_close(module(x, target), cross_entropy(scores, target, ignore_index=1))
    assert module.extra_repr() == (
        "in_features=3, num_classes=5, out_features=(2,), bias=True, reduction=mean, ignore_index=1, "
        "label_smoothing=0.0, options=None"
    )
    with pytest.raises(RuntimeError, match=r"expected weight shape to be \(5,\), got \(4,\)"):
        LinearCrossEntropyLoss(3, 5, weight=gn.ones(4))
    with pytest.raises(RuntimeError, match=r"label_smoothing to be in range \[0, 1\], got 2"):
        LinearCrossEntropyLoss(3, 5, label_smoothing=2)
