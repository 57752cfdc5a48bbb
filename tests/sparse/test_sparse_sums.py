"""Sums of sparse tensors, and of gradients: how many elements they specify, beside PyTorch."""

import pytest

import gnomon as gn

try:
    import torch
except ImportError:
    torch = None

pytestmark = pytest.mark.filterwarnings("ignore")

LIBRARIES = [gn] if torch is None else [torch, gn]


def both(run):
    """The result of gnomon, which is PyTorch's."""
    found = [run(lib) for lib in LIBRARIES]
    assert found[0] == found[-1]
    return found[-1]


def parts(x):
    if str(x.layout).endswith("strided"):
        return x.tolist()
    return x._indices().tolist(), x._values().tolist(), x.is_coalesced()


def of(lib, columns, values, size=5, **options):
    return lib.sparse_coo_tensor(
        [columns], values, (size, *([2] if isinstance(values[0], list) else [])), **options
    )


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([0, 1, 3], [0, 1, 3]),
        ([3, 0, 1], [3, 0, 1]),
        ([0, 1, 3], [1, 2]),
        ([0, 2, 4], [1, 3]),
        ([1, 1, 2], [1, 2]),
        ([4, 0], [0, 4]),
        ([0, 1, 2, 3, 4, 0, 1], [0, 1, 2, 3, 4, 0, 1]),
    ],
)
@pytest.mark.parametrize("kind", ["add", "sub", "alpha", "hybrid", "coalesced", "in place"])
def test_sums_merge_elements(one, two, kind):
    def run(lib):
        def made(columns, scale):
            values = [scale * (number + 1.0) for number in range(len(columns))]
            if kind == "hybrid":
                values = [[value, -value] for value in values]
            x = of(lib, columns, values)
            return x.coalesce() if kind == "coalesced" else x

        first, second = made(one, 1.0), made(two, 10.0)
        if kind == "alpha":
            return parts(lib.add(first, second, alpha=2))
        if kind == "in place":
            return parts(first.add_(second))[:2]
        return parts(first - second if kind == "sub" else first + second)

    both(run)


def test_sum_of_two_dimensions():
    def run(lib):
        x = lib.sparse_coo_tensor([[1, 0, 0], [0, 2, 1]], [1, 2, 3], (2, 3))
        y = lib.sparse_coo_tensor([[1, 0, 1], [0, 2, 2]], [10, 20, 30], (2, 3))
        return parts(x + y)

    assert both(run) == ([[1, 0, 0, 1], [0, 2, 1, 2]], [11, 22, 3, 30], False)


def test_values_that_are_not_contiguous_are_joined_up_to_the_number_of_elements():
    def run(lib):
        x = lib.sparse_coo_tensor([[0, 1]], lib.ones(1).expand(2), (3,))
        return [parts(x + x), parts(x + x + x), (x + x + x + x + x)._nnz()]

    found = both(run)
    assert len(found[0][1]) == 2 or found[0][1] == [1, 1, 1, 1]


def test_sums_with_nothing():
    def run(lib):
        nothing, x = lib.sparse_coo_tensor(size=(5,)), of(lib, [3, 1], [1.0, 2.0])
        return parts(nothing + x), parts(x + nothing), parts(x - nothing), parts(nothing - x)

    assert both(run)[3][1] == [-1, -2]


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
def test_sums_of_bool(layout):
    x = gn.eye(2, dtype=gn.bool).to_sparse(layout=getattr(gn, layout))
    with pytest.raises(NotImplementedError, match="not implemented for dtype bool"):
        x + x
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with two bool tensors"):
        x - x
    assert (x.to_dense() + x).dtype is gn.bool
    if layout == "sparse_coo":
        assert (x + gn.eye(2).to_sparse()).to_dense().tolist() == [[2, 0], [0, 2]]


def embedding(lib, *size):
    made = lib.nn.Embedding(*size, sparse=True)
    with lib.no_grad():
        made.weight.zero_()
    return made


@pytest.mark.parametrize("rows", [[*range(8)], [3, 1, 2], [5, 5, 1]])
def test_gradients_do_not_grow(rows):
    def run(lib):
        model, counts = embedding(lib, 10, 3), []
        for _ in range(30):
            model(lib.tensor(rows)).sum().backward()
            counts.append(model.weight.grad._nnz())
        return counts, model.weight.grad.to_dense().tolist()

    counts, _ = both(run)
    assert max(counts) <= 30 + len(rows)


def test_momentum_does_not_grow():
    def run(lib):
        model = embedding(lib, 10, 3)
        optimizer = lib.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        for _ in range(50):
            optimizer.zero_grad()
            (model(lib.tensor([1, 4, 2])) * 2.0).sum().backward()
            optimizer.step()
        buffer = optimizer.state[model.weight]["momentum_buffer"]
        return buffer._nnz(), buffer._indices().tolist()

    assert both(run) == (3, [[1, 4, 2]])


@pytest.mark.parametrize("dense_first", [False, True])
def test_sparse_and_dense_gradients_of_one_weight(dense_first):
    def run(lib):
        model = embedding(lib, 4, 2)
        terms = [lambda: model(lib.tensor([0, 2])).sum(), lambda: (model.weight * 3).sum()]
        for term in terms[::-1] if dense_first else terms:
            term().backward()
        separate, model.weight.grad = model.weight.grad, None
        (terms[dense_first]() + terms[not dense_first]()).backward()
        return [parts(separate), parts(model.weight.grad)]

    expected = [[4, 4], [3, 3], [4, 4], [3, 3]]
    assert both(run) == [expected, expected]


def test_two_kinds_of_gradients_of_a_sparse_leaf():
    def run(lib):
        x = lib.eye(2).to_sparse().requires_grad_()
        ((x @ lib.ones(2, 2)).sum() + x.to_dense().sum()).backward()
        first = parts(x.grad)
        x.to_dense().sum().backward()
        return first, parts(x.grad)

    first, second = both(run)
    assert first == [[3, 2], [2, 3]] and second == [[4, 2], [2, 4]]


def test_leaf_that_is_computed_with_in_both_ways_in_one_backward_with_graph():
    model = embedding(gn, 4, 2)
    total = (model(gn.tensor([0, 2])) ** 2).sum() + (model.weight * model.weight).sum()
    (grad,) = gn.autograd.grad(total, model.weight, create_graph=True)
    assert grad.layout is gn.strided and grad.requires_grad


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc"])
@pytest.mark.parametrize(
    "function", [lambda x: x, lambda x: -x, lambda x: x * 2, lambda x: x.t(), lambda x: x.double()]
)
def test_gradients_that_are_constants(layout, function):
    """The indices of a mask have no gradients."""

    def run(lib):
        w = lib.tensor([[1.0, 0], [2, 3]], requires_grad=True)
        y = function(w.to_sparse(layout=getattr(lib, layout))).to_dense()
        (grad,) = lib.autograd.grad(y.sum(), w, create_graph=True)
        (square,) = lib.autograd.grad((w.to_sparse().to_dense() ** 2).sum(), w, create_graph=True)
        return grad.requires_grad, square.requires_grad

    assert both(run) == (False, True)


def test_repeated_indices_are_not_coalesced():
    def refused(lib):
        texts = []
        for indices, size in (
            ([[0, 0], [0, 0]], (1, 1)),
            ([[1, 0], [0, 0]], (2, 1)),
        ):
            with pytest.raises(
                RuntimeError, match="cannot set is_coalesced to true if indices correspond to"
            ):
                lib.sparse_coo_tensor(indices, [1.0, 2.0], size, is_coalesced=True, check_invariants=True)
            with lib.sparse.check_sparse_tensor_invariants(), pytest.raises(RuntimeError):
                lib.sparse_coo_tensor(indices, [1.0, 2.0], size, is_coalesced=True)
            texts.append(
                lib.sparse_coo_tensor(indices, [1.0, 2.0], size, check_invariants=True).is_coalesced()
            )
        sound = lib.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,), is_coalesced=True, check_invariants=True)
        return texts, parts(sound)

    assert both(refused)[0] == [False] * 2
    with pytest.raises(RuntimeError, match="cannot set is_coalesced"):
        gn.sparse_coo_tensor([[1, 0]], [1.0, 2.0], is_coalesced=True, check_invariants=True)


def test_indices_are_checked_if_wanted():
    def run(lib):
        outside = lib.sparse_coo_tensor([[2], [0]], [1.0], (2, 3))
        with pytest.raises(RuntimeError, match="for dim 0, size is 2 but found index 2"):
            lib.sparse_coo_tensor([[2], [0]], [1.0], (2, 3), check_invariants=True)
        with lib.sparse.check_sparse_tensor_invariants():
            with pytest.raises(RuntimeError, match="found negative index -1"):
                lib.sparse_coo_tensor([[-1]], [1.0], (2,))
            unchecked = lib.sparse_coo_tensor([[-1]], [1.0], (2,), check_invariants=False)
        return outside._nnz(), unchecked._indices().tolist()

    both(run)


@pytest.mark.parametrize("convert", [float, int, bool, lambda x: x.item()])
def test_numbers_of_one_element(convert):
    def run(lib):
        tensors = [
            lib.tensor([[2.5]]).to_sparse(),
            lib.zeros(1, 1).to_sparse(),
            lib.sparse_coo_tensor([[0, 0], [0, 0]], [1.0, 2.0], (1, 1)),
            lib.tensor(3.0).to_sparse(),
            lib.tensor([[2.0]]).to_sparse(1),
            lib.tensor([7]).to_sparse(),
        ]
        return [convert(each) for each in tensors]

    both(run)
    with pytest.raises(NotImplementedError, match="_local_scalar_dense"):
        convert(gn.ones(1, 1).to_sparse_csr())
    with pytest.raises((RuntimeError, ValueError)):
        convert(gn.eye(2).to_sparse())


@pytest.mark.parametrize("layout", [gn.sparse_coo, gn.sparse_csr])
def test_sums_with_bool_are_bool_and_differences_are_refused(device: str, layout: gn.layout) -> None:
    flags, ones = gn.tensor([[True, False], [True, True]]), gn.ones(2, 2)
    sparse = flags.to_sparse(layout=layout)
    for found in (gn.add(flags, sparse, alpha=2), gn.addmm(flags, sparse, flags, beta=2, alpha=2)):
        assert found.dtype is gn.bool and found.tolist() == [[True, False], [True, True]]
    pairs = [(sparse, ones.to_sparse(layout=layout)), (ones, sparse), (flags, ones.to_sparse(layout=layout))]
    for pair in [*pairs, *[pair[::-1] for pair in pairs]]:
        with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
            gn.sub(*pair)


def test_what_is_specified_twice_keeps_its_dtype(device: str) -> None:
    """Elements that are read from an uncoalesced vector have its dtype, and True twice is True."""
    for dtype, total in ((gn.uint8, 2), (gn.int32, 2), (gn.bool, True), (gn.float32, 2.0)):
        sparse = gn.sparse_coo_tensor([[1, 1]], gn.tensor([1, 1]).to(dtype), (2,))
        for found in (sparse[1], sparse.unbind(0)[1]):
            assert found.dtype is dtype and found.item() == total
        number = gn.sparse_coo_tensor([[0, 0]], gn.tensor([1, 1]).to(dtype), (1,)).item()
        assert number == total and type(number) is type(total)
        assert (gn.ones(2) + sparse).tolist() == [1.0, 1.0 + total]
        assert gn.ones(2).add_(sparse).tolist() == [1.0, 1.0 + total]
