"""vmap: a function of one example on a batch; nested structures, dimensions, randomness, refused calls."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

import gnomon as gn
from gnomon.func import batching, vmap_fallbacks
from gnomon.utils import pytree


def close(actual, expected):
    """Assert that two tensors have the same shape and dtype, and differ only by rounding."""
    assert tuple(actual.shape) == tuple(expected.shape)
    assert actual.dtype == expected.dtype
    difference = (actual.detach() - expected.detach()).abs()
    assert bool((difference <= 1e-5 + 1e-5 * expected.detach().abs()).all())


def numbers(lib, *sizes, start=0.0):
    """Distinct numbers, irregular enough that a wrong dimension changes the result."""
    count = 1
    for size in sizes:
        count *= size
    return ((lib.arange(count, dtype=lib.float32) + start) * 1.7).sin().reshape(sizes)


def by_loop(lib, function, *tensors, dim=0):
    return lib.stack([function(*each) for each in zip(*[each.unbind(dim) for each in tensors])])


# -- arguments and results -------------------------------------------------------------------------------


def test_each_example_is_taken_by_itself(lib):
    x, y = numbers(lib, 5, 3), numbers(lib, 5, 3, start=9)
    close(lib.func.vmap(lib.dot)(x, y), (x * y).sum(1))
    close(lib.vmap(lib.dot)(x, y), (x * y).sum(1))


def test_the_function_sees_one_example(lib):
    seen = []

    def function(x):
        seen.append((tuple(x.shape), x.dim(), x.numel(), x.size(0), tuple(x.stride()), x.dtype))
        return x

    lib.func.vmap(function)(numbers(lib, 4, 3, 2))
    assert seen == [((3, 2), 2, 6, 3, (2, 1), lib.float32)]


@pytest.mark.parametrize("in_dim", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("out_dim", [0, 1, -1])
def test_dimensions(lib, in_dim, out_dim):
    x = numbers(lib, 4, 4, 4)
    actual = lib.func.vmap(lambda a: a.cumsum(0) * a[0], in_dims=in_dim, out_dims=out_dim)(x)
    rows = [a.cumsum(0) * a[0] for a in x.unbind(in_dim)]
    close(actual, lib.stack(rows, out_dim))


def test_none_is_shared(lib):
    x, y = numbers(lib, 5, 3), numbers(lib, 3)
    close(lib.func.vmap(lib.mul, in_dims=(0, None))(x, y), x * y)
    close(lib.func.vmap(lib.mul, in_dims=(None, 1))(y, x.t()), x * y)


def test_nested_inputs_and_outputs(lib):
    x, y, z = numbers(lib, 5, 3), numbers(lib, 3, 5), numbers(lib, 3)

    def function(tree, pair):
        a, (b, c) = tree["a"], pair
        return {"sum": a + b, "all": [a * c, (b - c,)]}

    result = lib.func.vmap(function, in_dims=({"a": 0}, (1, None)))({"a": x}, (y, z))
    close(result["sum"], x + y.t())
    close(result["all"][0], x * z)
    close(result["all"][1][0], y.t() - z)


def test_out_dims_of_several(lib):
    x = numbers(lib, 5, 3)
    one, other = lib.func.vmap(lambda a: (a, a * 2), out_dims=(0, 1))(x)
    close(one, x)
    close(other, (x * 2).t())
    close(lib.func.vmap(lambda a: (a, a * 2), out_dims=1)(x)[0], x.t())


def test_a_result_that_is_the_same_for_all(lib):
    x, y = numbers(lib, 5, 3), numbers(lib, 2)
    result = lib.func.vmap(lambda a: y)(x)
    assert tuple(result.shape) == (5, 2)
    same, other = lib.func.vmap(lambda a: (y, a), out_dims=(None, 0))(x)
    assert same is y
    close(other, x)


def test_keywords_are_shared(lib):
    x, y = numbers(lib, 5, 3), numbers(lib, 3, start=4)
    close(lib.func.vmap(lambda a, b: a * b)(x, b=y), x * y)


def test_chunks(lib):
    x = numbers(lib, 7, 3)
    sizes = []

    def function(a):
        return a.sin(), a.sum()

    for chunk_size in (1, 2, 7, 100):
        one, other = lib.func.vmap(function, out_dims=(1, 0), chunk_size=chunk_size)(x)
        close(one, x.sin().t())
        close(other, x.sum(1))
    assert not sizes


def test_nested_vmaps(lib):
    x, y = numbers(lib, 4), numbers(lib, 3, start=5)
    outer = lib.func.vmap(lib.func.vmap(lambda a, b: a * b.exp(), in_dims=(None, 0)), in_dims=(0, None))
    close(outer(x, y), x.unsqueeze(1) * y.exp())
    m = numbers(lib, 3, 4, 2, 2)
    twice = lib.func.vmap(lib.func.vmap(lambda a: a @ a))(m)
    close(twice, m @ m)


def test_inner_vmap_over_a_tensor_of_the_outer(lib):
    x = numbers(lib, 4, 3, 2)
    result = lib.func.vmap(lambda a: lib.func.vmap(lambda b: b.sum() + a.sum(), in_dims=1)(a))(x)
    close(result, x.sum(1) + x.sum((1, 2)).unsqueeze(1))


# -- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda lib, vmap, x: vmap(lib.add)(x, x[:2]), ValueError, "same size in the mapped dimension"),
        (lambda lib, vmap, x: vmap(lambda: x)(), ValueError, "got no inputs"),
        (lambda lib, vmap, x: vmap(lib.sin, in_dims=None)(x), ValueError, "in_dims"),
        (lambda lib, vmap, x: vmap(lib.sin, in_dims=(None,))(x), ValueError, "at least one Tensor"),
        (
            lambda lib, vmap, x: vmap(lib.add, in_dims=(0,))(x, x),
            ValueError,
            "not compatible with the struct",
        ),
        (lambda lib, vmap, x: vmap(lib.sin, in_dims=("a",))(x), ValueError, "must be either"),
        (
            lambda lib, vmap, x: vmap(lambda a, b: a, in_dims=(0, 0))(x, 2),
            ValueError,
            "cannot vmap over non-Tensor",
        ),
        (
            lambda lib, vmap, x: vmap(lib.sin, in_dims=2)(x),
            ValueError,
            "dimensionality 2 so expected in_dim",
        ),
        (lambda lib, vmap, x: vmap(lib.sin)(x[0, 0]), ValueError, "dimensionality 0"),
        (lambda lib, vmap, x: vmap(lambda a: 3)(x), ValueError, "must only return Tensors"),
        (lambda lib, vmap, x: vmap(lambda a: (a, "b"))(x), ValueError, "must only return Tensors"),
        (lambda lib, vmap, x: vmap(lambda a: (a, a), out_dims=(0, 0, 0))(x), ValueError, "not compatible"),
        (
            lambda lib, vmap, x: vmap(lambda a: a, out_dims=None)(x),
            ValueError,
            "can not return a Batched",
        ),
        (lambda lib, vmap, x: vmap(lambda a: a, out_dims=2)(x), IndexError, "out of range"),
        (lambda lib, vmap, x: vmap(lib.sin, randomness="often"), RuntimeError, "Only allowed values"),
        (lambda lib, vmap, x: vmap(lib.sin, chunk_size=0), ValueError, "chunk_size"),
        (lambda lib, vmap, x: vmap(lambda a: a.sum().item())(x), RuntimeError, r"\.item\(\)"),
        (
            lambda lib, vmap, x: vmap(lambda a: a if a.sum() > 0 else -a)(x),
            RuntimeError,
            "data-dependent",
        ),
        (
            lambda lib, vmap, x: vmap(lambda a: lib.masked_select(a, a > 0))(x),
            RuntimeError,
            r"vmap: .*shape",
        ),
    ],
)
def test_refusals(lib, call, kind, text):
    with pytest.raises(kind, match=text):
        call(lib, lib.func.vmap, numbers(lib, 3, 4))


def test_an_error_of_the_function_leaves_vmap(lib):
    x = numbers(lib, 3, 4)
    with pytest.raises(RuntimeError):
        lib.func.vmap(lambda a: a + lib.ones(7))(x)
    close(lib.func.vmap(lib.sin)(x), x.sin())
    assert lib.randn(2).shape == (2,)  # no vmap is running any more


# -- in place --------------------------------------------------------------------------------------------


def test_in_place(lib):
    x, y = numbers(lib, 5, 3), numbers(lib, 5, 3, start=7)

    def function(a, b):
        c = a.clone()
        c.mul_(b).add_(1)
        c[1:] = b[:-1]
        c[0] += 2
        c.unsqueeze_(0)
        return c

    expected = x * y + 1
    expected[:, 1:] = y[:, :-1]
    expected[:, 0] += 2
    close(lib.func.vmap(function)(x, y), expected.unsqueeze(1))


def test_in_place_on_an_input_is_seen_outside(lib):
    x = numbers(lib, 5, 3)
    before = x.clone()
    lib.func.vmap(lambda a: a.mul_(2), in_dims=1)(x)
    close(x, before * 2)


def test_in_place_into_a_shared_tensor_is_refused(lib):
    x, y = numbers(lib, 5, 3), numbers(lib, 3)
    with pytest.raises(RuntimeError, match=r"vmap: inplace arithmetic|output with shape"):
        lib.func.vmap(lambda a: y.add_(a))(x)
    with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
        lib.func.vmap(lambda a: y.copy_(a))(x)


def test_in_place_into_a_new_tensor_like_an_example(lib):
    x = numbers(lib, 5, 3)
    for make in (lib.zeros_like, lib.ones_like, lambda a: lib.full_like(a, 2), lambda a: a.new_zeros(3)):
        close(lib.func.vmap(lambda a, make=make: make(a).add_(a))(x), make(x[0]) + x)


# -- operators -------------------------------------------------------------------------------------------


def test_dtypes_are_those_of_one_example(lib):
    scalars, row = numbers(lib, 4).double(), numbers(lib, 3)
    result = lib.func.vmap(lambda a: a * row)(scalars)
    assert result.dtype == lib.float32  # in one example, the float64 tensor is 0-dim
    both = lib.func.vmap(lambda a: a.float() * scalars[0])(scalars)
    assert both.dtype == lib.float64  # here both are 0-dim
    assert lib.func.vmap(lambda a: a + lib.tensor([1.5]))(lib.arange(3)).dtype == lib.float32


@pytest.mark.parametrize(
    "function",
    [
        lambda lib, a: a.sum(),
        lambda lib, a: a.sum(-1, keepdim=True),
        lambda lib, a: a.max(0).values + a.min(0).values,
        lambda lib, a: a.argmax().float() + a.argmax(1),
        lambda lib, a: a.softmax(-1) + a.log_softmax(0),
        lambda lib, a: a.std() + a.var(1).sum() + a.norm(),
        lambda lib, a: a.sort(0).values + a.flip(1),
        lambda lib, a: a.topk(2, dim=1).values,
        lambda lib, a: a.cumsum(0) + a.cumprod(1),
        lambda lib, a: lib.cat([a, a.t().reshape(3, 4)], 1) + lib.stack([a, a], 1).reshape(3, 8),
        lambda lib, a: lib.cat([each * 2 for each in a.split(2, 1)]),
        lambda lib, a: a.unbind(1)[2] + a.chunk(2, 1)[0].sum(1),
        lambda lib, a: a.t() @ a,
        lambda lib, a: a @ a[0],
        lambda lib, a: lib.einsum("ij,ik->jk", a, a),
        lambda lib, a: lib.addmm(a.t() @ a, a.t(), a, beta=2, alpha=3),
        lambda lib, a: a[lib.tensor([2, 0, 0])] * a[1, 2],
        lambda lib, a: a[:, lib.tensor([1, 3])][lib.tensor([0, 1])],
        lambda lib, a: a.gather(1, a.argsort(1)),
        lambda lib, a: a[a.argmax(0), lib.arange(4)],
        lambda lib, a: a[:, a.argmax(1)],
        lambda lib, a: a.index_select(1, a.argmax(1)),
        lambda lib, a: lib.zeros(5, 4).index_add(0, lib.tensor([4, 0, 0]), a),
        lambda lib, a: lib.zeros(3, 4).scatter(1, a.argsort(1), a),
        lambda lib, a: lib.where(a > 0, a, -1.0).clamp(-0.5, 0.5),
        lambda lib, a: a.masked_fill(a > 0.3, 7.0),
        lambda lib, a: a.permute(1, 0).contiguous().view(2, 6).unsqueeze(1).expand(2, 3, 6),
        lambda lib, a: a.diagonal() + a.tril()[0, :3] + a.roll(1, 0)[0, :3],
        lambda lib, a: lib.diag_embed(a) + a.unsqueeze(-1),
        lambda lib, a: a.repeat(2, 1) + a.tile((2, 1)),
        lambda lib, a: a.unfold(1, 2, 1).sum(-1),
        lambda lib, a: lib.fft.fft(a).abs() + lib.fft.rfft(a, 4).abs().sum(),
        lambda lib, a: lib.cdist(a, a + 1),
        lambda lib, a: lib.linalg.vector_norm(a, dim=1),
        lambda lib, a: lib.searchsorted(a.sort(1).values, a),
        lambda lib, a: (a > 0).any(0).float() + (a > 0).all(),
        lambda lib, a: a.quantile(0.3, dim=0),
        lambda lib, a: lib.nn.functional.pad(a, (1, 2)) if hasattr(lib.nn, "functional") else a,
    ],
)
def test_operators(lib, function):
    x = numbers(lib, 5, 3, 4)
    close(lib.func.vmap(lambda a: function(lib, a))(x), by_loop(lib, lambda a: function(lib, a), x))
    moved = x.permute(1, 2, 0)
    close(
        lib.func.vmap(lambda a: function(lib, a), in_dims=2)(moved),
        by_loop(lib, lambda a: function(lib, a), x),
    )


def test_an_index_of_its_own_for_each_example(lib):
    x = numbers(lib, 5, 3, 4)
    i = lib.tensor([[0, 2], [1, 1], [2, 0], [0, 0], [1, 2]])

    for function in (
        lambda a, k: a[k],
        lambda a, k: a[:, k],
        lambda a, k: a[k, :, None],
        lambda a, k: a[k, k],
        lambda a, k: a.index_select(1, k),
        lambda a, k: a.take(k),
        lambda a, k: a.index_put((k,), a[0]),
        lambda a, k: a.index_fill(1, k, 3.0),
        lambda a, k: a.index_copy(0, k[:1], a[:1] * 2),
        lambda a, k: a.index_add(1, k, a[:, :2]),
    ):
        close(lib.func.vmap(function)(x, i), by_loop(lib, function, x, i))
        close(lib.func.vmap(function, (None, 0))(x[0], i), lib.stack([function(x[0], k) for k in i]))


def test_views_share_memory(lib):
    x = numbers(lib, 5, 3)

    def function(a):
        b = a.clone()
        b.view(3, 1)[1:].mul_(3)
        b.select(0, 0).fill_(9)
        b.as_strided((1,), (1,), b.storage_offset() + 2).zero_()
        return b

    expected = x.clone()
    expected[:, 1:] *= 3
    expected[:, 0] = 9
    expected[:, 2] = 0
    close(lib.func.vmap(function)(x), expected)


def test_no_examples(lib):
    assert tuple(lib.func.vmap(lambda a: a.sin().sum())(lib.zeros(0, 3)).shape) == (0,)


# -- random numbers --------------------------------------------------------------------------------------


def test_randomness_error(lib):
    x = numbers(lib, 4, 3)
    for draw in (lambda a: a + lib.randn(3), lambda a: a + lib.rand_like(a), lambda a: a.clone().uniform_()):
        with pytest.raises(RuntimeError, match="called random operation"):
            lib.func.vmap(draw)(x)


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_randomness(lib, randomness):
    x = lib.zeros(4, 30)
    for draw in (
        lambda a: a + lib.randn(30),
        lambda a: a + lib.rand(30),
        lambda a: a + lib.randint(0, 10**6, (30,)),
        lambda a: a + lib.randperm(30),
        lambda a: a + lib.rand_like(a),
        lambda a: a + lib.randn_like(a),
        lambda a: a.clone().uniform_(),
        lambda a: a.clone().bernoulli_(0.5),
        lambda a: lib.nn.functional.dropout(a + 1, 0.5),
    ):
        result = lib.func.vmap(draw, randomness=randomness)(x)
        assert tuple(result.shape) == (4, 30)
        is_same = bool((result == result[0]).all())
        assert is_same is (randomness == "same")


def test_randomness_of_nested_vmaps(lib):
    draw = lib.func.vmap(lambda a: a + lib.randn(5), randomness="same")
    result = lib.func.vmap(draw, randomness="different")(lib.zeros(3, 4, 5))
    assert bool((result == result[:, :1]).all())
    assert not bool((result == result[:1]).all())


def test_random_numbers_in_place_of_a_shared_tensor(lib):
    y = lib.zeros(3)
    with pytest.raises(RuntimeError, match="different inplace randomness on an unbatched tensor"):
        lib.func.vmap(lambda a: a + y.normal_(), randomness="different")(lib.zeros(4, 3))


# -- gradients -------------------------------------------------------------------------------------------


def test_grads_batched(lib):
    x = numbers(lib, 3).requires_grad_()
    y = x * x
    rows = lib.eye(3)
    (jacobian,) = lib.autograd.grad(y, x, rows, is_grads_batched=True)
    close(jacobian, lib.diag(2 * x.detach()))


def test_grads_batched_of_several_with_unused(lib):
    x, z = numbers(lib, 3).requires_grad_(), numbers(lib, 2).requires_grad_()
    one, other = x.exp(), x.sin()
    grads = lib.autograd.grad(
        (one, other), (x, z), (lib.eye(3), lib.ones(3, 3)), is_grads_batched=True, allow_unused=True
    )
    close(grads[0], lib.diag(x.detach().exp()) + x.detach().cos())
    assert grads[1] is None


def test_backward_through_vmap(lib):
    x, w = numbers(lib, 5, 3).requires_grad_(), numbers(lib, 3).requires_grad_()
    lib.func.vmap(lambda a: (a * w).sin().sum())(x).pow(2).sum().backward()
    gradients = x.grad, w.grad
    x.grad = w.grad = None
    (x * w).sin().sum(1).pow(2).sum().backward()
    close(gradients[0], x.grad)
    close(gradients[1], w.grad)


def test_backward_through_in_place(lib):
    x = numbers(lib, 4, 3).requires_grad_()

    def function(a):
        b = a * 1
        b[1:].mul_(a[:2])
        return b.sin().sum()

    (actual,) = lib.autograd.grad(lib.func.vmap(function)(x).sum(), x)
    (expected,) = lib.autograd.grad(by_loop(lib, function, x).sum(), x)
    close(actual, expected)


# -- what only gnomon has --------------------------------------------------------------------------------


def test_a_batched_tensor_prints():
    texts = []
    gn.vmap(lambda a: texts.append(repr(a)) or a)(gn.ones(2, 1))
    assert texts == ["BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1.],\n        [1.]])\n)"]


def test_fallbacks_are_counted():
    before = vmap_fallbacks().get("put", 0)
    x = gn.zeros(3, 4)
    gn.vmap(lambda a: a.put(gn.tensor([1]), gn.tensor([2.0])))(x)
    assert vmap_fallbacks()["put"] == before + 1


def test_common_operators_need_no_fallback():
    batching.fallbacks.clear()
    x = gn.rand(2, 3, 4, 5)
    gn.vmap(lambda a: gn.nn.functional.cross_entropy(a[0], gn.tensor([0, 1, 2, 3])))(x)
    gn.vmap(lambda a: a.softmax(0).sort(1)[0].cumsum(2)[1:].flatten() @ gn.ones(40))(x)
    assert not vmap_fallbacks()


def test_pytrees():
    Point = namedtuple("Point", "x y")
    tree = {"b": (1, [2, 3]), "a": Point(4, {})}
    leaves, structure = pytree.flatten(tree)
    assert leaves == [1, 2, 3, 4]
    assert structure.num_leaves == 4
    assert pytree.unflatten(leaves, structure) == tree
    assert pytree.tree_map(lambda a, b: a + b, (1, [2]), (10, [20])) == (11, [22])
    assert pytree.broadcast_to_and_flatten((0, None), pytree.flatten(([1, 2], 3))[1]) == [0, 0, None]
    assert pytree.broadcast_to_and_flatten((0, 1, 2), pytree.flatten((1, 2))[1]) is None
    with pytest.raises(ValueError, match="leaves"):
        pytree.unflatten([1], structure)


def test_an_example_is_indexed_by_its_own_number(lib):
    x = lib.arange(6.0).reshape(2, 3)
    places = lib.tensor([0, 2])
    assert lib.func.vmap(lambda row, i: row[i])(x, places).tolist() == [0.0, 5.0]
    common = lib.tensor([10.0, 20.0, 30.0])
    assert lib.func.vmap(lambda i: common[i])(places).tolist() == [10.0, 30.0]


# -- checks of an example's own arguments ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "function"),
    [
        ((2, 3), lambda lib, x: x.tril()),
        ((2, 3, 3), lambda lib, x: lib.ops.aten.bmm.default(x, x)),
        ((2, 3, 3), lambda lib, x: lib.pixel_unshuffle(x, 3)),
        ((2, 3, 3), lambda lib, x: lib.pixel_shuffle(x, 1)),
        ((2, 3), lambda lib, x: lib.ops.aten.embedding.default(x, lib.tensor([0]))),
        ((2,), lambda lib, x: lib.view_as_complex(x)),
        ((2,), lambda lib, x: x.view(lib.float64)),
    ],
)
def test_what_an_example_refuses_the_batch_does_not_hide(sizes, function):
    with pytest.raises(RuntimeError):
        function(gn, numbers(gn, *sizes)[0])
    with pytest.raises(RuntimeError):
        gn.vmap(lambda x: function(gn, x))(numbers(gn, *sizes))


def test_masked_select_with_one_mask_for_all(lib):
    x, mask = numbers(lib, 3, 4), lib.tensor([True, False, True, True])
    close(lib.vmap(lambda x: x.masked_select(mask))(x), x[:, [0, 2, 3]])
    close(lib.vmap(lambda x: lib.masked_select(x, mask))(x[:, :1]), x[:, :1].expand(3, 3))


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (2, 3)])
def test_nothing_is_rolled(lib, sizes):
    x = numbers(lib, 2, *sizes)
    close(lib.vmap(lambda x: x.roll(1))(x), by_loop(lib, lambda x: x.roll(1), x))


def test_as_strided_stays_in_an_examples_memory():
    memory = gn.arange(40, dtype=gn.float64)
    apart = memory.as_strided((3, 1), (8, 1), 2)
    expected = [[[[1.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]], [[[0.0], [0.0], [0.0]]] * 2]
    expected[1] = [[[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]]
    assert gn.func.jacfwd(lambda each: each.as_strided((2, 2), (1, 2)))(apart).tolist() == expected
    for offset in (None, 0, 1):
        with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
            gn.func.vmap(lambda each, at=offset: each.as_strided((2, 2), (1, 2), at))(gn.ones(2, 3))
    with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
        gn.func.jacfwd(lambda each: each.as_strided((2, 2), (1, 2)))(memory[:3])


def test_a_window_of_nothing_on_a_number():
    made = gn.func.vmap(lambda each: each.unfold(-1, 0, 1))(gn.ones(3))
    assert tuple(made.shape) == (3, 0)
    assert gn.func.vmap(lambda each: each.unfold(-1, 1, 1))(gn.ones(3)).tolist() == [[1.0]] * 3


def test_nothings_are_joined_along_whatever_dimension():
    assert tuple(gn.func.vmap(lambda each: gn.cat([each, each], 1))(gn.ones(2, 0)).shape) == (2, 0)


def test_the_gradient_of_masked_scatter_has_fixed_sizes():
    masks = gn.tensor([[1.0, -2.0, 3.0], [-1.5, 2.0, -3.0]])
    given = gn.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])

    def function(source, mask):
        return (gn.zeros(3).masked_scatter(mask > 0, source) * gn.tensor([1.0, 10.0, 100.0])).sum()

    found = gn.func.vmap(gn.func.grad(function))(given, masks)
    assert found.tolist() == [[1.0, 100.0, 0.0], [10.0, 0.0, 0.0]]


def test_the_source_of_a_scattered_view_has_the_sizes_of_one_view() -> None:
    x, numbers = gn.zeros(2, 3), gn.tensor([5.0, 6.0])
    found = gn.vmap(lambda a, b: gn.select_scatter(a, b, -1, 1))(x, numbers)
    assert found.tolist() == [[0, 5, 0], [0, 6, 0]]
    found = gn.vmap(lambda a, b: gn.select_scatter(a, b, 0, 1), (None, 0))(x[0], numbers)
    assert found.tolist() == [[0, 5, 0], [0, 6, 0]]
    rows = gn.vmap(lambda a, b: gn.slice_scatter(a, b, -1, 0, 3, 2))(x, gn.ones(2, 2))
    assert rows.tolist() == [[1, 0, 1], [1, 0, 1]]
    turned = gn.vmap(lambda a, b: gn.diagonal_scatter(a, b, 1, -1, 0))
    corners = turned(gn.zeros(2, 2, 2), numbers.view(2, 1))
    assert corners.tolist() == [[[0, 0], [5, 0]], [[0, 0], [6, 0]]]
    for call, sizes in (
        (lambda a, b: gn.diagonal_scatter(a, b), (2, 1, 1)),
        (lambda a, b: gn.select_scatter(a, b, 0, 0), (2, 3, 1)),
        (lambda a, b: gn.slice_scatter(a, b, 1, 0, 1), (2, 1, 1)),
        (lambda a, b: gn.slice_scatter(a, b, 0), (2,)),
    ):
        with pytest.raises(
            (RuntimeError, IndexError),
            match=r"src size = \[2\], slice size|cannot be applied to a 0-dim tensor",
        ):
            gn.vmap(call)(gn.zeros(sizes), numbers)


_SHARED = (
    ("linalg.solve", lambda a, b: gn.linalg.solve(a, b)),
    ("linalg.solve_ex", lambda a, b: gn.linalg.solve_ex(a.mH, b, left=False)[0]),
    ("linalg.lstsq", lambda a, b: gn.linalg.lstsq(a, b)[0]),
    ("cholesky_solve", lambda a, b: gn.cholesky_solve(b, a)),
    ("block_diag", lambda a, b: gn.block_diag(a, b) @ gn.block_diag(b, a)),
    ("masked_scatter", lambda a, b: gn.masked_scatter(a, b > 0, b)),
)


@pytest.mark.parametrize("function", [each for _, each in _SHARED], ids=[name for name, _ in _SHARED])
def test_a_tensor_that_all_examples_share_has_a_gradient_and_a_tangent(function: Any) -> None:
    gn.manual_seed(0)
    shared = (gn.randn(3, 3, dtype=gn.float64) + 4 * gn.eye(3)).requires_grad_()
    batched = gn.randn(4, 3, 3, dtype=gn.float64)

    def together(a: gn.Tensor) -> gn.Tensor:
        return gn.func.vmap(lambda b: function(a, b))(batched)

    def one_by_one(a: gn.Tensor) -> gn.Tensor:
        return gn.stack([function(a, b) for b in batched])

    (found,) = gn.autograd.grad(together(shared).square().sum(), shared)
    (expected,) = gn.autograd.grad(one_by_one(shared).square().sum(), shared)
    gn.testing.assert_close(found, expected)
    primals, tangents = (shared.detach(),), (gn.ones_like(shared.detach()),)
    tangent, wanted = (gn.func.jvp(each, primals, tangents)[1] for each in (together, one_by_one))
    gn.testing.assert_close(tangent, wanted)


@pytest.mark.parametrize("outer", [gn.func.jacrev, gn.func.jacfwd])
@pytest.mark.parametrize("inner", [gn.func.jacrev, gn.func.jacfwd, gn.func.grad])
def test_second_derivatives_of_determinants_and_solutions(outer: Any, inner: Any) -> None:
    a = gn.tensor([[2.0, 1.0, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 4.0]], dtype=gn.float64)
    inverse, b = a.inverse(), gn.tensor([1.0, 2.0, 3.0], dtype=gn.float64)
    of_logdet = -gn.einsum("jk,li->ijkl", inverse, inverse)
    of_det = a.det() * (of_logdet + gn.einsum("ji,lk->ijkl", inverse, inverse))
    sums, x = inverse.sum(0), inverse @ b
    of_solution = gn.einsum("i,jk,l->ijkl", sums, inverse, x) + gn.einsum("k,li,j->ijkl", sums, inverse, x)
    for function, expected in (
        (gn.logdet, of_logdet),
        (gn.det, of_det),
        (lambda y: gn.linalg.solve(y, b).sum(), of_solution),
    ):
        gn.testing.assert_close(outer(inner(function))(a), expected)


def test_a_jacobian_of_what_is_not_recorded_is_not_recorded() -> None:
    x = gn.tensor([[0.5, 0.25], [0.0, -0.5]], dtype=gn.float64)
    forward, twice = (
        gn.func.jacfwd(gn.linalg.matrix_exp),
        gn.func.jacfwd(gn.func.jacfwd(gn.linalg.matrix_exp)),
    )
    assert not forward(x).requires_grad and not twice(x).requires_grad
    gn.testing.assert_close(forward(x), gn.func.jacrev(gn.linalg.matrix_exp)(x))
    recorded = x.clone().requires_grad_()
    (found,) = gn.autograd.grad(forward(recorded).square().sum(), recorded)
    (expected,) = gn.autograd.grad(gn.func.jacrev(gn.linalg.matrix_exp)(recorded).square().sum(), recorded)
    gn.testing.assert_close(found, expected)
