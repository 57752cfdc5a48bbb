"""Gradients: the reference's against finite differences in float64; a backend's against the reference's."""

import math
import os

import pytest

from gnomon.memory.accessor import TensorAccessor

from ..collection import selection
from ..collection.selection import UNDETERMINED, operators, random_operators
from ..comparison.differences import gradient_differences, renamed
from ..execution.runner import Gnomon, differentiate, differentiate_twice, prepare
from ..inputs.description import layouts_for
from ..reporting.reproduction import explain
from ..samples import good_samples

gradcheck = pytest.importorskip("gnomon.autograd.gradcheck").gradcheck

pytestmark = [pytest.mark.tier("autograd"), pytest.mark.short("float32")]


def pytest_generate_tests(metafunc):
    found = {
        name: operator
        for name, operator in operators().items()
        if name not in random_operators() and not UNDETERMINED.match(name)
    }
    numerical = metafunc.function in (test_gradcheck, test_second_gradient)
    dtypes = ("float64",) if numerical else ("float32", "float64", "complex64", "float16")
    if numerical:
        found = {name: operator for name, operator in found.items() if is_smooth(operator)}
    selection.parametrize_operators(metafunc, found, dtypes)


# Computing whole Jacobians takes minutes; products with random vectors take a fraction of that.
WHOLE = os.environ.get("GNOMON_TEST_SLOW_GRADCHECK", "0") not in ("", "0")


def is_smooth(operator):
    """Whether finite differences can call it repeatedly, because it does not write to its arguments."""
    return not any(argument.is_written for argument in operator.schema.arguments)


def test_gradcheck(operator, dtype):
    framework = Gnomon("reference")
    for _, sample in good_samples(operator.name, dtype):
        if not (sample.differentiable and sample.smooth):
            continue
        call = prepare(framework, operator.schema, sample, dtype, "contiguous")
        inputs = [
            tensor
            for tensor, contents, differentiable in zip(call.tensors, call.contents, call.differentiable)
            if contents.dtype == dtype and differentiable and tensor.numel()
        ]
        for tensor in inputs:
            tensor.requires_grad_()

        def results_of(replaced, call=call, inputs=inputs):
            by_identity = {id(old): new for old, new in zip(inputs, replaced)}

            def swapped(value):
                if isinstance(value, tuple):
                    return tuple(swapped(each) for each in value)
                return by_identity.get(id(value), value)

            result = operator(*[swapped(value) for value in call.values])
            return result if isinstance(result, (tuple, list)) else (result,)

        try:
            first = results_of(inputs) if inputs else ()
        except (
            NotImplementedError
        ):  # the operator does not support the dtype; test_oracle tests whether that is right
            continue
        smooth = [
            position
            for position, each in enumerate(first)
            if framework.is_tensor(each) and each.requires_grad and each.dtype.name == dtype and each.numel()
        ]
        if not smooth:
            continue

        def function(*replaced, results_of=results_of, smooth=smooth):
            results = results_of(replaced)
            return tuple(results[position] for position in smooth)

        try:
            gradcheck(function, inputs, fast_mode=not WHOLE)
        except RuntimeError as error:
            message = explain(
                [str(error)], operator, sample, dtype, "contiguous", ("reference",), gradients=True
            )
            pytest.fail(message, pytrace=False)


STEP = 1e-6


def moved_by(step):
    """A function that moves the inputs by ``step`` along a fixed direction."""

    def move(leaves):
        for number, leaf in enumerate(leaves):
            accessor = TensorAccessor(leaf)
            for place, offset in enumerate(accessor.offsets()):
                accessor.write(offset, accessor.read(offset) + step * slope(number, place))

    return move


def slope(number, place):
    """The component of that direction for one element of one input."""
    return math.cos(3 * number + place + 1)


def test_second_gradient(operator, dtype):
    """The second gradients equal finite differences of the first ones along a direction."""
    reference = Gnomon("reference")
    for _, sample in good_samples(operator.name, dtype):
        if not (sample.differentiable and sample.smooth):
            continue
        if differentiate(reference, operator, sample, dtype, "contiguous").failure is not None:
            continue  # test_oracle tests whether that is right
        values = [
            differentiate_twice(reference, operator, sample, dtype, "contiguous", moved_by(step))
            for step in (-STEP, 0.0, STEP)
        ]
        below, here, above = values
        if here.failure is not None and "is not implemented" in here.failure.text:
            continue  # test_oracle tests whether PyTorch has one
        problems = [str(each.failure) for each in values if each.failure is not None]
        if not problems and here.value is not None:
            numeric = (above.value - below.value) / (2 * STEP)
            analytic = sum(
                each * slope(number, place)
                for number, gradient in enumerate(here.gradients[: here.leaves])
                if gradient is not None
                for place, each in enumerate(gradient.numbers)
            )
            if abs(numeric - analytic) > 1e-5 + 1e-4 * abs(numeric) + 1e-8 * abs(here.value):
                problems = [f"the second derivative along a direction is {analytic}, numerically {numeric}"]
        if problems:
            pytest.fail(
                explain(problems, operator, sample, dtype, "contiguous", ("reference",), gradients=True),
                pytrace=False,
            )


def test_gradient(operator, dtype, backend):
    reference, candidate = Gnomon("reference"), Gnomon(backend.device_type)
    for _, sample in good_samples(operator.name, dtype):
        if not sample.differentiable:
            continue
        for layout in layouts_for(sample, operator.schema, dtype, few=True):
            expected = differentiate(reference, operator, sample, dtype, layout)
            actual = differentiate(candidate, operator, sample, dtype, layout)
            problems = gradient_differences(renamed(actual, backend.device_type), expected)
            if problems:
                devices = ("reference", backend.device_type)
                pytest.fail(
                    explain(problems, operator, sample, dtype, layout, devices, gradients=True), pytrace=False
                )
