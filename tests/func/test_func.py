"""func transforms: grad, vjp, jvp and Jacobians, nested and under vmap; modules as functions."""

from __future__ import annotations

import gc
import weakref

import pytest

import gnomon as gn


def close(actual, expected):
    """Assert that two tensors have the same shape and differ only by rounding."""
    assert tuple(actual.shape) == tuple(expected.shape)
    difference = (actual.detach() - expected.detach()).abs()
    assert bool((difference <= 2e-5 + 2e-5 * expected.detach().abs()).all())


def numbers(lib, *sizes, start=0.0):
    """Distinct numbers, irregular enough that a wrong dimension changes the result."""
    count = 1
    for size in sizes:
        count *= size
    return ((lib.arange(count, dtype=lib.float32) + start) * 1.7).sin().reshape(sizes)


def cubed(x):
    return (x * x * x).sum()


def smooth(x):
    return (x.exp() / (1 + x.exp())).tanh().sum() * x.sin().sum()


# -- grad ------------------------------------------------------------------------------------------------


def test_grad(lib):
    x = numbers(lib, 4)
    result = lib.func.grad(cubed)(x)
    close(result, 3 * x * x)
    assert not result.requires_grad
    assert not x.requires_grad and x.grad is None


def test_grad_of_several_arguments(lib):
    x, y = numbers(lib, 3), numbers(lib, 3, start=4)

    def function(a, b, scale=1.0):
        return (a * b.sin()).sum() * scale

    close(lib.func.grad(function, argnums=1)(x, y), x * y.cos())
    close(lib.func.grad(function, argnums=-1)(x, y), x * y.cos())
    both = lib.func.grad(function, argnums=(1, 0))(x, y, scale=2.0)
    assert isinstance(both, tuple)
    close(both[0], 2 * x * y.cos())
    close(both[1], 2 * y.sin())
    assert isinstance(lib.func.grad(function, argnums=(0,))(x, y), tuple)


def test_grad_of_nested_arguments(lib):
    tree = {"w": numbers(lib, 3), "b": [numbers(lib, 2), (numbers(lib, 1),)]}
    result = lib.func.grad(lambda t: t["w"].sum() * t["b"][0].sum() + t["b"][1][0].exp().sum())(tree)
    close(result["w"], tree["b"][0].sum().expand(3))
    close(result["b"][0], tree["w"].sum().expand(2))
    close(result["b"][1][0], tree["b"][1][0].exp())


def test_aux_and_value(lib):
    x = numbers(lib, 3)

    def function(a):
        y = a * a
        return y.sum(), {"y": y, "z": [a + 1]}

    gradient, aux = lib.func.grad(function, has_aux=True)(x)
    close(gradient, 2 * x)
    close(aux["y"], x * x)
    close(aux["z"][0], x + 1)
    assert not aux["y"].requires_grad
    gradient, (value, aux) = lib.func.grad_and_value(function, has_aux=True)(x)
    close(value, (x * x).sum())
    assert not value.requires_grad
    gradient, value = lib.func.grad_and_value(cubed)(x)
    close(value, cubed(x))


def test_an_argument_that_is_not_used_has_zeros(lib):
    x, y = numbers(lib, 3), numbers(lib, 2)
    close(lib.func.grad(lambda a, b: a.sum(), argnums=1)(x, y), lib.zeros(2))
    close(lib.func.grad(lambda a: lib.ones(()))(x), lib.zeros(3))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda lib, x: lib.func.grad(lambda a: a)(x), "scalar [Tt]ensor"),
        (lambda lib, x: lib.func.grad(lambda a: 3.0)(x), "to return a [Tt]ensor"),
        (lambda lib, x: lib.func.grad(cubed, argnums=1)(x), "only 1 positional"),
        (lambda lib, x: lib.func.grad(cubed, argnums=(0, 0))(x), "unique"),
        (lambda lib, x: lib.func.grad(cubed, argnums="a")(x), "int or"),
        (lambda lib, x: lib.func.grad(cubed, argnums=())(x), "non-empty"),
        (lambda lib, x: lib.func.grad(cubed, has_aux=True)(x), "output, aux"),
        (lambda lib, x: lib.func.grad(lambda a: a.sum())(lib.arange(3)), "floating point"),
        (lambda lib, x: lib.func.vjp(lambda a: "b", x), "only tensors"),
        (lambda lib, x: lib.func.vjp(lambda a: a, x)[1]((x, x)), "structure"),
        (lambda lib, x: lib.func.jvp(cubed, x, x), "tuple"),
        (lambda lib, x: lib.func.jvp(cubed, (x,), (x, x)), "structure"),
        (lambda lib, x: lib.func.jvp(cubed, (x,), (x[:1],)), "shape|size"),
        (lambda lib, x: lib.func.jvp(lambda a: lib.ones(2), (x,), (x,), strict=True), "independent"),
    ],
)
def test_refusals(lib, call, text):
    with pytest.raises(RuntimeError, match=text):
        call(lib, numbers(lib, 3))


# -- with ordinary autograd, and grad modes --------------------------------------------------------------


def test_the_result_can_be_differentiated_by_what_is_outside(lib):
    x, w = numbers(lib, 3).requires_grad_(), numbers(lib, 3, start=5).requires_grad_()
    result = lib.func.grad(lambda a: (a * a * w).sum())(x)
    result.sum().backward()
    close(x.grad, 2 * w)
    close(w.grad, 2 * x)


def test_an_argument_and_the_same_tensor_inside_the_function(lib):
    x = numbers(lib, 3).requires_grad_()
    result = lib.func.grad(lambda a: (a * a * x).sum())(x)
    close(result, 2 * x * x)
    result.sum().backward()
    close(x.grad, 4 * x)


def test_no_grad_inside_counts(lib):
    x = numbers(lib, 3)

    def function(a):
        with lib.no_grad():
            still = a * a
        return (a * still).sum()

    close(lib.func.grad(function)(x), x * x)


def test_no_grad_outside_does_not(lib):
    x = numbers(lib, 3).requires_grad_()
    with lib.no_grad():
        result = lib.func.grad(cubed)(x)
        assert not lib.is_grad_enabled()
    close(result, 3 * x * x)
    assert not result.requires_grad


def test_detach_inside(lib):
    x = numbers(lib, 3)
    close(lib.func.grad(lambda a: (a * a.detach()).sum())(x), x)


def test_in_place_inside(lib):
    x = numbers(lib, 4)

    def function(a):
        b = a.clone()
        b[1:3].mul_(a[:2])
        b.view(2, 2).t()[0].sin_()
        return b.exp().sum()

    def out_of_place(a):
        b = lib.cat([a[:1], a[1:3] * a[:2], a[3:]]).view(2, 2)
        return lib.stack([b[:, 0].sin(), b[:, 1]], 1).exp().sum()

    close(lib.func.grad(function)(x), lib.func.grad(out_of_place)(x))
    twice = lib.func.jacrev(lib.func.grad(function))(x)
    close(twice, lib.func.jacrev(lib.func.grad(out_of_place))(x))


# -- vjp, jvp, linearize ---------------------------------------------------------------------------------


def test_vjp(lib):
    x, y = numbers(lib, 3), numbers(lib, 3, start=2)
    outputs, vjp_fn = lib.func.vjp(lambda a, b: (a * b, {"s": a.sum()}), x, y)
    close(outputs[0], x * y)
    assert not outputs[0].requires_grad
    for _ in range(2):  # it can be called again
        one, other = vjp_fn((lib.ones(3), {"s": lib.tensor(2.0)}))
        close(one, y + 2)
        close(other, x)
    outputs, vjp_fn, aux = lib.func.vjp(lambda a: (a.sin(), a), x, has_aux=True)
    close(aux, x)
    (gradient,) = vjp_fn(y)
    close(gradient, y * x.cos())


def test_vjp_can_be_differentiated_by_the_cotangent(lib):
    x, v = numbers(lib, 3), numbers(lib, 3, start=2).requires_grad_()
    _, vjp_fn = lib.func.vjp(lib.sin, x)
    (gradient,) = vjp_fn(v)
    gradient.sum().backward()
    close(v.grad, x.cos())


def test_vmap_over_vjp(lib):
    x = numbers(lib, 3)
    _, vjp_fn = lib.func.vjp(lambda a: a * a, x)
    (rows,) = lib.func.vmap(vjp_fn)(lib.eye(3))
    close(rows, lib.diag(2 * x))
    assert not rows.requires_grad


def test_jvp(lib):
    x, y, v = numbers(lib, 3), numbers(lib, 3, start=2), numbers(lib, 3, start=9)
    value, slope = lib.func.jvp(lambda a, b: a * b.exp(), (x, y), (v, lib.ones(3)))
    close(value, x * y.exp())
    close(slope, v * y.exp() + x * y.exp())
    assert not value.requires_grad and not slope.requires_grad
    value, slope, aux = lib.func.jvp(lambda a: (a.sin(), a + 1), (x,), (v,), has_aux=True)
    close(slope, v * x.cos())
    close(aux, x + 1)
    _, slopes = lib.func.jvp(lambda a: {"b": a.sum(), "c": lib.ones(2)}, (x,), (v,))
    close(slopes["b"], v.sum())
    close(slopes["c"], lib.zeros(2))


def test_linearize(lib):
    x = numbers(lib, 3)
    calls = []

    def function(a):
        calls.append(1)
        return a.sin() * a

    output, jvp_fn = lib.func.linearize(function, x)
    close(output, x.sin() * x)
    count = len(calls)
    for start in (1, 7):
        v = numbers(lib, 3, start=start)
        close(jvp_fn(v), v * (x.cos() * x + x.sin()))
    assert len(calls) == count


# -- Jacobians -------------------------------------------------------------------------------------------


def test_jacobians(lib):
    x, y = numbers(lib, 2, 3), numbers(lib, 3, start=5)

    def function(a, b):
        return a @ b, (a * b).sum()

    for jacobian in (lib.func.jacrev, lib.func.jacfwd):
        vector, number = jacobian(function)(x, y)
        close(vector, lib.stack([lib.stack([y, lib.zeros(3)]), lib.stack([lib.zeros(3), y])]))
        close(number, y.expand(2, 3))
        (by_x, by_y), _ = jacobian(function, argnums=(0, 1))(x, y)
        assert tuple(by_x.shape) == (2, 2, 3)
        close(by_y, x)
        result, aux = jacobian(lambda a: (a * a, a), has_aux=True)(y)
        close(result, lib.diag(2 * y))
        close(aux, y)
    close(lib.func.jacrev(lambda a: a * a, chunk_size=2)(y), lib.diag(2 * y))


def test_jacobian_of_nested_arguments(lib):
    tree = {"a": numbers(lib, 2), "b": numbers(lib, 3)}
    for jacobian in (lib.func.jacrev, lib.func.jacfwd):
        result = jacobian(lambda t: {"out": t["a"].sum() * t["b"]})(tree)
        close(result["out"]["a"], tree["b"].unsqueeze(1).expand(3, 2))
        close(result["out"]["b"], lib.eye(3) * tree["a"].sum())


def test_hessians(lib):
    x = numbers(lib, 4)
    expected = lib.func.hessian(smooth)(x)
    for one in (lib.func.jacrev, lib.func.jacfwd):
        for other in (lib.func.jacrev, lib.func.jacfwd):
            close(one(other(smooth))(x), expected)
        close(one(lib.func.grad(smooth))(x), expected)
    close(lib.func.hessian(cubed)(x), lib.diag(6 * x))
    assert not expected.requires_grad


# -- nested ----------------------------------------------------------------------------------------------


def test_grad_of_grad(lib):
    x = lib.tensor(0.7)
    function = lib.sin
    for expected in (x.cos(), -x.sin(), -x.cos(), x.sin()):
        function = lib.func.grad(function)
        close(function(x), expected)


def test_perturbations_are_not_confused(lib):
    x = lib.tensor(3.0)
    grad = lib.func.grad
    close(grad(lambda a: a * grad(lambda b: a + b)(lib.tensor(1.0)))(x), lib.tensor(1.0))
    close(grad(lambda a: a * grad(lambda b: a * b)(lib.tensor(2.0)))(x), 2 * x)
    close(grad(lambda a: grad(lambda b: a * b * b)(a))(x), 4 * x)


def by_loop(lib, function, x):
    return lib.stack([function(each) for each in x.unbind(0)])


@pytest.mark.parametrize(
    "of",
    [
        lambda func: func.grad(smooth),
        lambda func: func.jacrev(lambda a: a.sin() * a.sum()),
        lambda func: func.jacfwd(lambda a: a.sin() * a.sum()),
        lambda func: func.hessian(smooth),
        lambda func: lambda a: func.jvp(smooth, (a,), (a * 2,))[1],
        lambda func: lambda a: func.vjp(lambda b: b.exp() * b.sum(), a)[1](a * 2)[0],
        lambda func: lambda a: func.grad(lambda b: (func.grad(smooth)(b) ** 2).sum())(a),
        lambda func: lambda a: func.vmap(func.grad(lambda b: (b * a).sin().sum()))(a * 1),
    ],
)
def test_under_vmap_and_grad(lib, of):
    x = numbers(lib, 4, 3)
    function = of(lib.func)
    expected = by_loop(lib, function, x)
    actual = lib.func.vmap(function)(x)
    close(actual, expected)
    assert not actual.requires_grad
    # and the gradient through all of it
    through_vmap = lib.func.grad(lambda a: lib.func.vmap(function)(a).pow(2).sum())(x)
    close(through_vmap, lib.func.grad(lambda a: by_loop(lib, function, a).pow(2).sum())(x))
    leaf = x.clone().requires_grad_()
    lib.func.vmap(function)(leaf).pow(2).sum().backward()
    close(leaf.grad, through_vmap)


def test_in_place_under_vmap_and_grad(lib):
    x = numbers(lib, 5, 4)

    def function(a):
        b = a.clone()
        b[1:3].mul_(2.0)
        c = b.view(2, 2)
        c[0] = c[1].clone() * a[0]
        return (c * b.view(2, 2).sin()).sum()

    gradient = lib.func.grad(function)
    close(lib.func.vmap(gradient)(x), by_loop(lib, gradient, x))
    through = lib.func.grad(lambda a: lib.func.vmap(gradient)(a).pow(2).sum())(x)
    close(through, lib.func.grad(lambda a: by_loop(lib, gradient, a).pow(2).sum())(x))


@pytest.mark.parametrize(
    "function",
    [
        lambda lib, a: a.max() + a.min() + a.amax(0).sum() + a.median(),
        lambda lib, a: a.sort(1).values[:, 0].prod() + a.cumprod(1).sum(),
        lambda lib, a: lib.nn.functional.cross_entropy(a, lib.tensor([1, 0, 3])),
        lambda lib, a: lib.nn.functional.nll_loss(a.log_softmax(1), lib.tensor([1, 0, 3])),
        lambda lib, a: lib.nn.functional.layer_norm(a, (4,), a[0], a[1]).pow(2).sum(),
        lambda lib, a: lib.nn.functional.conv1d(a[None], a[None, :, :2]).pow(2).sum(),
        lambda lib, a: lib.nn.functional.max_pool1d(a, 2).pow(2).sum(),
        lambda lib, a: lib.nn.functional.embedding(lib.tensor([0, 2, 2]), a).pow(2).sum(),
        lambda lib, a: a[lib.tensor([0, 0, 2])].pow(2).sum() + a.index_select(1, lib.tensor([3, 3])).sum(),
        lambda lib, a: (a @ a.t()).pow(2).sum() + lib.einsum("ij,kj->", a, a.exp()),
        lambda lib, a: a.softmax(1).log().sum() + a.std() + a.norm() + a.logsumexp(0).sum(),
        lambda lib, a: lib.where(a > 0, a.exp(), a.sin()).clamp(-0.5, 1.5).sum() + (a.abs() + 1).sqrt().sum(),
        lambda lib, a: lib.cat([a, a * 2]).unfold(0, 2, 2).pow(2).sum() + a.repeat(2, 2).pow(3).sum(),
        lambda lib, a: a.gather(1, a.argsort(1)[:, :2]).pow(2).sum() + a.flip(0).tril().pow(2).sum(),
    ],
)
def test_gradients_of_operators_under_vmap(lib, function):
    x = numbers(lib, 2, 3, 4)
    gradient = lib.func.grad(lambda a: function(lib, a))
    close(lib.func.vmap(gradient)(x), by_loop(lib, gradient, x))
    summed = lib.func.grad(lambda a: lib.func.vmap(lambda b: function(lib, b))(a).sum())
    close(summed(x), by_loop(lib, gradient, x))


# -- modules ---------------------------------------------------------------------------------------------


def model(lib):
    lib.manual_seed(3)
    return lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.Tanh(), lib.nn.Linear(8, 3))


def test_functional_call(lib):
    net, x = model(lib), numbers(lib, 5, 4)
    other = {name: parameter.detach() * 2 for name, parameter in net.named_parameters()}
    before = net(x)
    actual = lib.func.functional_call(net, other, (x,))
    expected = (x @ other["0.weight"].t() + other["0.bias"]).tanh() @ other["2.weight"].t() + other["2.bias"]
    close(actual, expected)
    close(lib.func.functional_call(net, other, x), expected)
    close(lib.func.functional_call(net, [{"0.bias": other["0.bias"]}, {}], x, {}) * 0, before * 0)
    close(net(x), before)
    assert isinstance(net[0].weight, lib.nn.Parameter)


def test_functional_call_refuses(lib):
    net, x = model(lib), numbers(lib, 5, 4)
    weight = net[0].weight.detach()
    with pytest.raises(ValueError, match="multiple dictionaries"):
        lib.func.functional_call(net, [{"0.weight": weight}, {"0.weight": weight}], x)
    with pytest.raises(RuntimeError, match="Missing key"):
        lib.func.functional_call(net, {"0.weight": weight}, x, strict=True)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        lib.func.functional_call(net, {**dict(net.named_parameters()), "no": weight}, x, strict=True)
    close(net(x), net(x))


def test_functional_call_of_tied_weights(lib):
    net = lib.nn.Sequential(lib.nn.Linear(3, 3, bias=False), lib.nn.Linear(3, 3, bias=False))
    net[1].weight = net[0].weight
    x, w = numbers(lib, 2, 3), numbers(lib, 3, 3)
    close(lib.func.functional_call(net, {"0.weight": w}, x), x @ w.t() @ w.t())
    untied = lib.func.functional_call(net, {"0.weight": w}, x, tie_weights=False)
    close(untied, x @ w.t() @ net[1].weight.t())
    with pytest.raises(ValueError, match="tied"):
        lib.func.functional_call(net, {"0.weight": w, "1.weight": w * 2}, x)


def test_gradients_by_example(lib):
    net, x, y = model(lib), numbers(lib, 6, 4), lib.tensor([0, 1, 2, 0, 1, 2])
    parameters = {name: parameter.detach() for name, parameter in net.named_parameters()}

    def loss(parameters, image, label):
        output = lib.func.functional_call(net, parameters, (image.unsqueeze(0),))
        return lib.nn.functional.cross_entropy(output, label.unsqueeze(0))

    gradients = lib.func.vmap(lib.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
    for name, gradient in gradients.items():
        assert not gradient.requires_grad
        rows = []
        for image, label in zip(x, y):
            net.zero_grad()
            lib.nn.functional.cross_entropy(net(image.unsqueeze(0)), label.unsqueeze(0)).backward()
            rows.append(dict(net.named_parameters())[name].grad.clone())
        close(gradient, lib.stack(rows))


def test_gradients_by_example_of_convolutions(lib):
    lib.manual_seed(5)
    nn = lib.nn
    net = nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 3))
    x = numbers(lib, 3, 2, 6, 6)
    parameters = {name: parameter.detach() for name, parameter in net.named_parameters()}

    def loss(parameters, image):
        return lib.func.functional_call(net, parameters, (image.unsqueeze(0),)).pow(2).sum()

    gradient = lib.func.grad(loss)
    actual = lib.func.vmap(gradient, in_dims=(None, 0))(parameters, x)
    for name in parameters:
        close(actual[name], lib.stack([gradient(parameters, image)[name] for image in x]))


def test_many_models_at_once(lib):
    nets = [lib.nn.Linear(4, 2) for _ in range(3)]
    x = numbers(lib, 5, 4)
    parameters, buffers = lib.func.stack_module_state(nets)
    assert buffers == {} and tuple(parameters["weight"].shape) == (3, 2, 4)
    assert parameters["weight"].requires_grad and parameters["weight"].is_leaf

    def call(parameters, x):
        return lib.func.functional_call(nets[0], parameters, (x,))

    result = lib.func.vmap(call, in_dims=(0, None))(parameters, x)
    close(result, lib.stack([net(x) for net in nets]))
    result.pow(2).sum().backward()
    nets[1](x).pow(2).sum().backward()
    close(parameters["weight"].grad[1], nets[1].weight.grad)
    with pytest.raises(RuntimeError, match="at least one model"):
        lib.func.stack_module_state([])
    with pytest.raises(RuntimeError, match="same class"):
        lib.func.stack_module_state([nets[0], lib.nn.Tanh()])


# -- user-defined Functions ----------------------------------------------------------------------------------


def times_exp(lib):
    class TimesExp(lib.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(a, b):
            return a * b.exp(), a + b

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad, other):
            a, b = ctx.saved_tensors
            return 3 * grad * b.exp() + other, grad * a * b.exp() + other  # the 3 identifies this backward

    return TimesExp.apply


@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (None, 0)])
def test_functions_of_the_user(lib, in_dims):
    x, y = numbers(lib, 4, 3), numbers(lib, 4, 3, start=5)
    x, y = (each if dim == 0 else each[0] for each, dim in zip((x, y), in_dims))
    function = times_exp(lib)

    def of_one(a, b):
        product, other = function(a, b)
        return product.sin().sum() + (other * a).sum()

    def by_hand(a, b):
        return 3 * (a * b.exp()).cos() * b.exp() + a + a + b

    pairs = [
        (x[number] if in_dims[0] == 0 else x, y[number] if in_dims[1] == 0 else y) for number in range(4)
    ]
    by_vmap = lib.func.vmap(lib.func.grad(of_one), in_dims)(x, y)
    close(by_vmap, lib.stack([by_hand(*pair) for pair in pairs]))
    for argnums in (0, 1):

        def through(a, b):
            return lib.func.vmap(of_one, in_dims)(a, b).sum()

        def loop(a, b):
            rows = [
                of_one(a[number] if in_dims[0] == 0 else a, b[number] if in_dims[1] == 0 else b)
                for number in range(4)
            ]
            return lib.stack(rows).sum()

        close(lib.func.grad(through, argnums)(x, y), lib.func.grad(loop, argnums)(x, y))


def test_functions_of_the_user_in_both_graphs(lib):
    x, y = numbers(lib, 4, 3), numbers(lib, 4, 3, start=5)
    function = times_exp(lib)
    of_one = lib.func.grad(lambda a, b: function(a, b)[0].sin().sum())

    def through(a):
        return lib.func.vmap(of_one)(a, y).pow(2).sum()

    def loop(a):
        return lib.stack([of_one(*each) for each in zip(a.unbind(0), y)]).pow(2).sum()

    close(lib.func.grad(through)(x), lib.func.grad(loop)(x))


def test_a_function_that_has_its_own_rule(lib):
    class Double(lib.autograd.Function):
        @staticmethod
        def forward(a):
            return a * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

        @staticmethod
        def vmap(info, in_dims, a):
            assert info.batch_size == 4 and in_dims == (0,)
            return Double.apply(a) + 100, 0

    x = numbers(lib, 4, 3)
    close(lib.func.vmap(Double.apply)(x), x * 2 + 100)
    gradient = lib.func.grad(lambda a: lib.func.vmap(Double.apply)(a).sum())(x)
    close(gradient, lib.full((4, 3), 2.0))


# -- what only gnomon has --------------------------------------------------------------------------------


def test_a_gradient_lets_go_of_the_graph():
    x = gn.ones(3)
    kept = []

    def function(a):
        y = a * 2
        kept.append(weakref.ref(y))
        return (y * y).sum()

    gradient = gn.func.grad(function)(x)
    gc.collect()
    assert gradient.grad_fn is None and kept[0]() is None
    mapped = gn.func.vmap(gn.func.grad(function))(gn.ones(2, 3))
    gc.collect()
    assert mapped.grad_fn is None and kept[-1]() is None


def test_a_result_of_a_function_that_all_examples_have_in_common():
    class Both(gn.autograd.Function):
        @staticmethod
        def forward(a, b):
            return a * b, b * b

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad, other):
            a, b = ctx.saved_tensors
            return grad * b, grad * a + 2 * other * b

    x, y = numbers(gn, 4, 3), numbers(gn, 3, start=5)

    def through(b):
        product, square = gn.vmap(Both.apply, in_dims=(0, None))(x, b)
        return product.sin().sum() + square.sum()

    expected = gn.func.grad(lambda b: (x * b).sin().sum() + 4 * (b * b).sum())(y)
    close(gn.func.grad(through)(y), expected)


# -- what a transformed function may not do ------------------------------------------------------------------


def test_no_backward_inside(lib):
    def of_its_argument(x):
        result = cubed(x)
        result.backward()
        return result

    def of_another(x):
        (lib.ones(2, requires_grad=True) * 2).sum().backward()
        return cubed(x)

    for function in (of_its_argument, of_another):
        with pytest.raises(RuntimeError, match="called inside a functorch transform"):
            lib.func.grad(function)(numbers(lib, 3))
        with pytest.raises(RuntimeError, match="called inside a functorch transform"):
            lib.func.vmap(function)(numbers(lib, 3, 2))
    leaf = lib.ones(2, requires_grad=True)
    (leaf * lib.func.grad(cubed)(numbers(lib, 2))).sum().backward()
    close(leaf.grad, 3 * numbers(lib, 2) ** 2)


# -- under inference mode, and state after a transform -----------------------------------------------------


def test_under_inference_mode(lib):
    func = lib.func
    with lib.inference_mode():
        w, x = lib.tensor([2.0, 3.0]), lib.tensor([1.0, 2.0])
        close(func.grad(lambda a: (a**3 * w).sum())(x), 3 * x**2 * w)
        assert not func.grad(lambda a: (a**3).sum())(x).is_inference()
        close(func.jvp(lambda a: a**3 * w, (x,), (x,))[1], 3 * x**3 * w)
        close(func.vjp(lambda a: a**3 * w, x)[1](x)[0], 3 * x**3 * w)
        for jacobian in (func.jacrev, func.jacfwd):
            close(jacobian(lambda a: a**3 * w)(x), lib.diag(3 * x**2 * w))
        close(func.hessian(lambda a: (a**3).sum())(x), lib.diag(6 * x))
        close(func.vmap(func.grad(lambda a: a**3))(x), 3 * x**2)
    # w was created in inference mode, the transform runs outside it
    close(func.jvp(lambda a: a * w, (lib.ones(2),), (lib.ones(2),))[1], w)


def test_nothing_is_left_behind(lib):
    def transforms(x):
        func = lib.func
        yield lambda: func.grad(lambda a: (a.sin() * 2).sum())(x)
        yield lambda: func.vjp(lambda a: a.sin() * 2, x)[1](x)[0]
        yield lambda: func.jvp(lambda a: a.sin() * 2, (x,), (x,))[1]
        yield lambda: func.jacrev(lambda a: a.sin())(x)
        yield lambda: func.jacfwd(lambda a: a.sin())(x)
        yield lambda: func.vmap(lambda a: a.sin())(x)

    gc.collect()
    gc.disable()
    try:
        for number in range(6):
            for _ in range(2):
                x = numbers(lib, 3)
                call = list(transforms(x))[number]
                result = call()
                alive = [weakref.ref(x), weakref.ref(result)]
                del x, result, call
                assert [each() for each in alive] == [None, None], number
    finally:
        gc.enable()


def test_the_hessian_of_a_loss_whose_target_depends_on_the_input(lib):
    base = lib.tensor([0.3, -0.2])
    loss = lib.nn.functional.binary_cross_entropy_with_logits
    x = lib.tensor([0.5, -1.0])
    found = lib.func.hessian(lambda a: loss(a + base, lib.copysign(base, a + base).sigmoid()))(x)
    close(found, lib.diag(lib.tensor([0.1069548, 0.0889472])))
    weight = lib.tensor([2.0, 3.0])
    found = lib.func.hessian(lambda a: loss(a, a.sigmoid(), weight * a, pos_weight=weight))(x)
    expected = lib.func.jacrev(
        lib.func.jacrev(lambda a: loss(a, a.sigmoid(), weight * a, pos_weight=weight))
    )(x)
    close(found, expected)


def test_vjp_and_jacrev_refuse_results_without_gradients(lib):
    for transform in (
        lambda: lib.func.vjp(lambda x: x > 0, lib.ones(2)),
        lambda: lib.func.jacrev(lambda x: x > 0)(lib.ones(2)),
    ):
        with pytest.raises(RuntimeError, match="All outputs of f must be floating-point or complex Tensors"):
            transform()


def test_vmap_sees_that_an_example_of_cdist_is_no_matrix(lib):
    with pytest.raises(RuntimeError, match="cdist only supports at least 2D tensors, X1 got: 1D"):
        lib.func.vmap(lambda x: lib.cdist(x, x))(lib.ones(2, 3))


@pytest.mark.parametrize("find", ["unique", "unique_consecutive", "rows"])
def test_distinct_elements_have_no_derivative_that_is_known(lib, find):
    function = (lambda x: lib.unique(x, dim=0)) if find == "rows" else getattr(lib, find)
    x = lib.tensor([[1.0, 2.0], [2.0, 1.0]], requires_grad=True)
    result = function(x)
    assert result.requires_grad
    with pytest.raises(RuntimeError, match="is not implemented"):
        result.sum().backward()
    with pytest.raises(NotImplementedError, match="forward AD"):
        lib.func.jvp(function, (x.detach(),), (x.detach(),))
    with pytest.raises(RuntimeError, match="dynamic shape"):
        lib.func.vmap(function)(lib.ones(2, 2, 2))


def test_vmap_of_derivatives_in_inference_mode(lib):
    f = lib.func
    a, b = lib.tensor([1.0, 2.0]), lib.tensor([3.0, 4.0])
    with lib.inference_mode():
        inference = lib.tensor([5.0, 6.0])
        for x, y in ((a, b), (a, inference), (inference, b), (inference, inference)):
            first = f.vmap(f.grad(lambda x, y: (x * y).sum()))(x, y)
            assert first.tolist() == y.tolist()
            second = f.vmap(f.jacrev(lambda x, y: x * y * y, 1), (None, 0))(x[0], y)
            assert second.tolist() == (2 * x[0] * y).tolist()
            pulled = f.vmap(lambda x, y: f.vjp(lambda x, y: x * y, x, y)[1](lib.ones_like(x))[1])(x, y)
            assert pulled.tolist() == x.tolist()
            curved = f.vmap(f.hessian(lambda x, y: x * x * y))(x, y)
            assert curved.tolist() == (2 * y).tolist()
