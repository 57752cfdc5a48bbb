"""Forward mode: tangents compared with finite differences and PyTorch's; a backend's with the reference's."""

import cmath
import re
import warnings
from typing import Any, NamedTuple

import pytest

from gnomon.memory.accessor import TensorAccessor

from ..collection import selection
from ..collection.selection import UNDETERMINED, operators, variants
from ..comparison.differences import failure_differences, result_differences
from ..comparison.tolerances import gradient_bounds
from ..execution.runner import Gnomon, differentiate, failure_of, observe_tensor, prepare
from ..inputs.description import TensorDescription, layouts_for, stored
from ..reporting.reproduction import explain
from ..samples import good_samples

forward_ad = pytest.importorskip("gnomon.autograd.forward_ad")
func = pytest.importorskip("gnomon.func")

STEP = 1e-6

# Operators without tangents, and why.  PyTorch has none for them either.
NOT_IMPLEMENTED = {
    r"_?embedding_bag.*": "where it takes the maximum: its backward has no derivative of its own",
    r"_?scaled_dot_product_(flash_)?attention(_for_cpu)?": "the backward of one operator has no derivative",
    r"grid_sampler_[23]d_backward": "it is differentiated by an operator that has no derivative of its own",
}

# Where tangents differ from finite differences: operators, dtypes, and why.
CONVENTIONS = [
    (r"normal\..*", ".*", "random numbers have no gradient, though they move with the mean"),
    (
        r"_standard_gamma",
        ".*",
        "a sample moves as its quantile does, which is not how the random bits make it move",
    ),
    (
        r"_sample_dirichlet",
        ".*",
        "samples have no gradient; Dirichlet.rsample computes it by _dirichlet_grad",
    ),
    (r"silu_backward", "complex128", "backward of a complex silu takes no conjugate, in PyTorch and so here"),
]
DOUBLE = ("float64", "complex128")

pytestmark = [pytest.mark.tier("autograd"), pytest.mark.short("float32")]


def pytest_generate_tests(metafunc):
    is_of_variant = metafunc.function is test_tangent_in_place
    found = {
        name: operator
        for name, operator in (variants("inplace") if is_of_variant else operators()).items()
        if not UNDETERMINED.match(name)
    }
    with_backend = metafunc.function is test_tangent_of_backend
    dtypes: tuple[str, ...]
    dtypes = ("float32", "float64", "complex64", "float16") if with_backend else ("float64", "complex128")
    if metafunc.function is test_second_tangent:
        dtypes = ("float64",)
    selection.parametrize_operators(metafunc, found, dtypes)


class Tangents(NamedTuple):
    """The numbers of a call's differentiable results, and their tangents, or None."""

    numbers: tuple[Any, ...]
    tangents: tuple[Any, ...]
    failure: Any


def direction(framework, tensor, number):
    """The tangent of an input: dense, and different for each element."""
    dtype, sizes, *_ = framework.observe(tensor)
    description = TensorDescription(tuple(sizes), dtype, "unit", "contiguous", seed=77)
    return stored(description, dtype, "contiguous", number)


def push_forward(framework, library, operator, sample, dtype, layout, moved=0.0, base=None):
    """The tangents of an operator's results along a direction, at its arguments, or moved along the
    direction.

    ``base``: the functional operator whose samples are used, if ``operator`` is its in-place variant.
    """
    call = prepare(framework, (base or operator).schema, sample, dtype, layout)
    moves = [
        differentiable and (contents.dtype in DOUBLE) == (dtype in DOUBLE)
        for differentiable, contents in zip(call.differentiable, call.contents)
    ]
    try:
        for number, tensor in enumerate(call.tensors):
            if moves[number] and moved:
                accessor = TensorAccessor(tensor)
                steps = direction(framework, tensor, number).numbers
                for offset, along in zip(accessor.offsets(), steps):
                    accessor.write(offset, accessor.read(offset) + moved * along)
        with library.dual_level(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            duals = {
                id(tensor): library.make_dual(
                    tensor, framework.build(direction(framework, tensor, number))[1]
                )
                for number, tensor in enumerate(call.tensors)
                if moves[number] and not moved
            }

            def swapped(value):
                if isinstance(value, tuple):
                    return tuple(swapped(each) for each in value)
                return duals.get(id(value), value)

            result = framework.call(operator, [swapped(value) for value in call.values])
            results = result if isinstance(result, (tuple, list)) else (result,)
            outputs = [
                each
                for each in results
                if framework.is_tensor(each) and (each.is_floating_point() or each.is_complex())
            ]
            numbers = tuple(framework.numbers(each) for each in outputs)
            tangents = tuple(
                None if each is None else observe_tensor(framework, each)
                for each in (library.unpack_dual(output).tangent for output in outputs)
            )
    except Exception as error:  # compared with what the other framework raises
        return Tangents((), (), failure_of(error))
    return Tangents(numbers, tangents, None)


def outcome(framework, tangent):
    """The TensorOutcome of a tangent, or None."""
    if tangent is None:
        return None
    return observe_tensor(framework, tangent)


def is_listed(operator, failure):
    """Whether this operator is listed as having no tangents."""
    return "NotImplementedError" in failure.kinds and any(
        re.fullmatch(names, operator.name) for names in NOT_IMPLEMENTED
    )


def is_unrecorded(operator):
    """Whether autograd has no formula for the operator, by design or because none exists."""
    record = (operator.record.base or operator).record
    return record.composite is None and not record.derivatives


def has_no_gradient(operator, sample, dtype):
    """Whether backward fails as well; test_oracle tests whether that is right."""
    return differentiate(Gnomon("reference"), operator, sample, dtype, "contiguous").failure is not None


def numeric_differences(here, below, above):
    """Where tangents differ from finite differences of the results."""
    found = []
    for position, (tangent, *values) in enumerate(
        zip(here.tangents, here.numbers, below.numbers, above.numbers)
    ):
        if tangent is None or tangent.dtype not in DOUBLE:
            continue  # the step is lost in rounding
        for element, (given, value, down, up) in enumerate(zip(tangent.numbers, *values)):
            slope = (up - down) / (2 * STEP)
            if not cmath.isfinite(value) or abs(up - down) > 1e-2 or abs(up - value) > 1e-2:
                # not differentiable here, or the step crosses or leaves a branch cut: in qr of a wide matrix,
                # LAPACK negates the last pivot only if it is not real
                continue
            if not abs(given - slope) <= 1e-5 + 1e-4 * abs(slope) + 1e-8 * abs(value):
                found.append(f"tangent {position}: element {element} is {given}, numerically {slope}")
    return found


def test_tangent(operator, dtype):
    """The tangents equal finite differences of the results along a direction."""
    reference = Gnomon("reference")
    for _, sample in good_samples(operator.name, dtype):
        if not (sample.differentiable and sample.smooth):
            continue
        below, here, above = (
            push_forward(reference, forward_ad, operator, sample, dtype, "contiguous", step)
            for step in (-STEP, 0.0, STEP)
        )
        if below.failure is not None or (here.failure is not None and is_listed(operator, here.failure)):
            continue  # test_oracle tests whether the operator supports the dtype
        if here.failure is not None and (is_unrecorded(operator) or has_no_gradient(operator, sample, dtype)):
            continue
        if any(
            re.fullmatch(names, operator.name) and re.fullmatch(of, dtype) for names, of, _ in CONVENTIONS
        ):
            continue
        problems = [str(here.failure)] if here.failure else numeric_differences(here, below, above)
        if not problems and not is_unrecorded(operator):
            problems = missing_tangents(reference, operator, sample, dtype, here)
        if problems:
            fail(problems, operator, sample, dtype, ("reference",))


def missing_tangents(framework, operator, sample, dtype, here):
    """Which results have a gradient but no tangent."""
    call = prepare(framework, operator.schema, sample, dtype, "contiguous")
    for tensor, contents, differentiable in zip(call.tensors, call.contents, call.differentiable):
        if differentiable and contents.dtype in DOUBLE:
            tensor.requires_grad_()
    try:
        result = framework.call(operator, call.values)
    except RuntimeError:  # an in-place operator on a leaf
        return []
    results = result if isinstance(result, (tuple, list)) else (result,)
    outputs = [each for each in results if framework.is_tensor(each) and each.dtype.category >= 2]
    return [
        f"result {position} requires grad and has no tangent"
        for position, (output, tangent) in enumerate(zip(outputs, here.tangents))
        if output.requires_grad and tangent is None
    ]


def second_tangents(framework, operator, sample, dtype):
    """The second tangents along another direction, and the same by finite differences.

    For each result: both as lists of numbers.
    """
    call = prepare(framework, operator.schema, sample, dtype, "contiguous")
    moving = [
        number
        for number, (differentiable, contents) in enumerate(zip(call.differentiable, call.contents))
        if differentiable and contents.dtype == dtype
    ]
    directions, others = (
        tuple(
            framework.build(direction(framework, call.tensors[number], number + shift))[1]
            for number in moving
        )
        for shift in (0, 50)
    )

    def results(*tensors):
        replaced = {id(call.tensors[number]): each for number, each in zip(moving, tensors)}

        def swapped(value):
            if isinstance(value, tuple):
                return tuple(swapped(each) for each in value)
            return replaced.get(id(value), value)

        result = framework.call(operator, [swapped(value) for value in call.values])
        listed = result if isinstance(result, (tuple, list)) else (result,)
        return tuple(each for each in listed if framework.is_tensor(each) and each.is_floating_point())

    def slopes(*tensors):
        return func.jvp(results, tensors, directions)[1]

    primals = tuple(call.tensors[number] for number in moving)
    if not primals or not results(*primals):
        return []
    found = func.jvp(slopes, primals, others)[1]
    below, above = (
        slopes(*(primal + along * step for primal, along in zip(primals, others))) for step in (-STEP, STEP)
    )
    return [
        (
            framework.numbers(each),
            [(up - down) / (2 * STEP) for up, down in zip(framework.numbers(high), framework.numbers(low))],
        )
        for each, low, high in zip(found, below, above)
    ]


def test_second_tangent(operator, dtype):
    """The tangents of tangents equal finite differences of the tangents: dual levels nest."""
    if any(argument.is_written for argument in operator.schema.arguments):
        pytest.skip("it would be called again and again on what it wrote")
    if operator.name in selection.random_operators():
        pytest.skip("each call has other numbers")
    reference = Gnomon("reference")
    for _, sample in good_samples(operator.name, dtype):
        if not (sample.differentiable and sample.smooth):
            continue
        try:
            pairs = second_tangents(reference, operator, sample, dtype)
        except NotImplementedError:
            continue  # test_tangent tests whether that is right
        problems = [
            f"second tangent {position}: element {element} is {given}, numerically {slope}"
            for position, both in enumerate(pairs)
            for element, (given, slope) in enumerate(zip(*both))
            if cmath.isfinite(slope) and abs(given - slope) > 1e-5 + 1e-4 * abs(slope)
        ]
        if problems:
            fail(problems, operator, sample, dtype, ("reference",))


def test_tangent_in_place(operator, dtype):
    """An in-place operator gives ``self`` the tangent that the functional operator gives its result."""
    reference = Gnomon("reference")
    base = operator.record.base
    for _, sample in good_samples(base.name, dtype):
        if not sample.differentiable:
            continue
        expected = push_forward(reference, forward_ad, base, sample, dtype, "contiguous")
        actual = push_forward(reference, forward_ad, operator, sample, dtype, "contiguous", base=base)
        if expected.failure is not None or actual.failure is not None:
            continue  # sizes or dtypes that self cannot have: test_inplace tests whether that is right
        tangents = zip(actual.tangents, expected.tangents)
        if any(mine and wanted and mine.dtype != wanted.dtype for mine, wanted in tangents):
            continue  # the result has another dtype than the tensor
        problems = tangent_differences(actual, expected, strides=False)
        if problems:
            fail(problems, operator, sample, dtype, ("reference",))


def test_tangent_of_backend(operator, dtype, backend, request):
    """In each of a few layouts; without --full in one of them, in rotation."""
    reference, candidate = Gnomon("reference"), Gnomon(backend.device_type)
    for number, sample in good_samples(operator.name, dtype):
        if not sample.differentiable:
            continue
        layouts = list(layouts_for(sample, operator.schema, dtype, few=True))
        if not request.config.getoption("gnomon_full"):
            layouts = [layouts[number % len(layouts)]]
        for layout in layouts:
            expected = push_forward(reference, forward_ad, operator, sample, dtype, layout)
            actual = push_forward(candidate, forward_ad, operator, sample, dtype, layout)
            problems = tangent_differences(actual, expected)
            if problems:
                fail(problems, operator, sample, dtype, ("reference", backend.device_type), layout)


# Where the tangents differ from PyTorch's: operators, part of the difference, and why.
DEPARTURES = [
    (
        "silu|soft_margin_loss",
        "element .* is .*j",
        "PyTorch's is that of a backward without conjugates; finite differences say ours is right",
    ),
    (
        "native_(batch|layer)_norm_backward",
        "element",
        "PyTorch takes the saved statistics for functions of the input, and not for arguments",
    ),
    ("nll_loss_backward", "element", "PyTorch takes the total weight for a function of the weights"),
    (
        r"_foreach_(max|min)imum\.Scalar(List)?",
        "element",
        "PyTorch gives half of the tangent to elements that the number replaces; their tangent is 0",
    ),
    (
        "native_batch_norm_backward",
        "sizes",
        "PyTorch has an empty tensor for what is not asked for, not None",
    ),
    (
        "polar",
        "element",
        "PyTorch's is wrong for negative sizes, as finite differences say",
    ),
    ("cosine_similarity", "element", "PyTorch differentiates past the clamp of the norms to eps"),
    ("(special_)?(digamma|psi|polygamma_?)", "element", "PyTorch's trigamma has nine digits"),
    (
        "cholesky_solve|triangular_solve",
        "element",
        "only one triangle is read, so the tangent of the other has no effect; in PyTorch it has",
    ),
    ("logcumsumexp", "element", "PyTorch's has errors of 4e-14, gnomon's of 1e-16"),
    ("hardsigmoid", "element", "PyTorch's has a sixth in float32"),
    ("scatter_reduce.two", "there, and should not be", "PyTorch has no tangents of products"),
]


@pytest.mark.oracle
def test_tangent_oracle(operator, dtype):
    """The tangents are PyTorch's, including where finite differences do not apply: ties, kinks, padding."""
    from torch.autograd import forward_ad as torch_forward_ad

    from ..pytorch.oracle import Torch

    for _, sample in good_samples(operator.name, dtype):
        if not sample.differentiable or operator.name in selection.random_operators():
            continue
        expected = push_forward(Torch(), torch_forward_ad, operator, sample, dtype, "contiguous")
        if expected.failure is not None:
            continue  # PyTorch has no tangents for this call
        actual = push_forward(Gnomon("reference"), forward_ad, operator, sample, dtype, "contiguous")
        if actual.failure is not None and has_no_gradient(operator, sample, dtype):
            continue
        problems = [
            problem
            for problem in tangent_differences(actual, expected, strides=False)
            if not any(
                re.fullmatch(names, operator.name) and re.search(what, problem)
                for names, what, _ in DEPARTURES
            )
        ]
        if problems:
            fail(problems, operator, sample, dtype, ("reference",))


def tangent_differences(actual, expected, strides=True):
    """Where tangents differ from the expected ones."""
    found = failure_differences(actual.failure, expected.failure, texts=False)
    if found or expected.failure is not None:
        return found
    for position, (mine, wanted) in enumerate(zip(actual.tangents, expected.tangents)):
        what = f"the tangent of result {position}"
        if mine is None or wanted is None:
            if mine is not wanted:
                found.append(f"{what} is {'missing' if mine is None else 'there, and should not be'}")
            continue
        found.extend(result_differences(mine, wanted, gradient_bounds(wanted), what, strides=strides))
    return found


def fail(problems, operator, sample, dtype, devices, layout="contiguous"):
    base = operator.record.base or operator
    message = explain(problems, base, sample, dtype, layout, devices, gradients=True)
    pytest.fail(f"{operator.name}: {message}", pytrace=False)
