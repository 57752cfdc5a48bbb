"""Many rows, long rows, long lists: sizes beyond 15-bit and 16-bit limits, in every dtype."""

import pytest

from ..collection import selection
from ..collection.selection import UNDETERMINED, operators, random_operators
from ..execution.check import check_forward
from ..inputs import repeated_rows, rows
from ..inputs.description import DTYPES, INTEGERS, Sample, TensorDescription
from ..inputs.rows import vector
from ..samples import good_samples

LONG = 66_007  # elements of a row
LISTED = 131  # tensors of a list: more than twice 64


def has_kernel(operator):
    """Whether backends may have a kernel for it, and its result is determined by its inputs."""
    name = operator.name
    is_determined = name not in random_operators() and not UNDETERMINED.match(name)
    return operator.record.kernel is not None and is_determined


def pytest_generate_tests(metafunc):
    found = {name: each for name, each in operators().items() if has_kernel(each)}
    if metafunc.function is test_rows:
        found = {name: each for name, each in found.items() if each.schema.returns}
    if metafunc.function is test_lists:
        found = {name: each for name, each in found.items() if takes_lists(each)}
    if metafunc.function is test_long:
        found = {name: operators()[name] for name in rows.ALONG}
    selection.parametrize_operators(metafunc, found, DTYPES)


def takes_lists(operator):
    """Whether one of its arguments is a list of tensors of any length."""
    return any(argument.type == "Tensor" and argument.is_list for argument in operator.schema.arguments)


@pytest.mark.short(*DTYPES)
def test_rows(operator, dtype, backend, request):
    """More than 65,536 rows or columns, whose results are known."""
    first = selection.dtypes_of(operator)
    plans = repeated_rows.plans(operator, "float32" if "float32" in first else first[0])
    if dtype != "float32" and not request.config.getoption("gnomon_full"):
        turn = selection.turn_of(operator.name) + DTYPES.index(dtype)
        plans = plans and (plans[turn % len(plans)],)
    for plan in plans:
        problem = repeated_rows.check(operator, plan, dtype, backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)


@pytest.mark.short("int64", "one more")
def test_long(operator, dtype, backend):
    """A dimension of more than 65,536 elements."""
    if operator.name == "cumsum" and dtype not in INTEGERS:
        return  # the reference computes each of the sums from the beginning
    if "prod" in operator.name:
        cycle = [1, 1, 1]
    elif dtype == "bool":
        cycle = [False, True, False, False]
    else:
        cycle = [(7 * place % 23) % (12 if dtype in ("uint8", "int8") else 23) for place in range(23)]
    kind = type(rows.rows_of(dtype)[0][0])
    numbers = [kind(each) for each in cycle * (LONG // len(cycle) + 1)][:LONG]
    if "prod" in operator.name and kind is not bool:
        numbers[40_000] = kind(2)
    for make in rows.ALONG[operator.name][:1]:
        call = make(vector(numbers, dtype), 0)
        problem = check_forward(operator, call, dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(problem[:2000], pytrace=False)


@pytest.mark.short("float32", "int64", "one more")
def test_lists(operator, dtype, backend):
    """Lists of more than a hundred tensors."""
    tried = 0
    for _, sample in good_samples(operator.name, dtype):
        made = lengthened(sample)
        if made is None or tried == 2:
            continue
        tried += 1
        problem = check_forward(operator, made, dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)


def lengthened(sample):
    """The sample with LISTED tensors in its lists; None if it has no lists."""

    def of(value):
        if type(value) is list and value and all(isinstance(each, TensorDescription) for each in value):
            return [value[place % len(value)]._replace(seed=place) for place in range(LISTED)]
        return value

    made = Sample(tuple(map(of, sample.args)), {name: of(value) for name, value in sample.kwargs.items()})
    made = sample._replace(args=made.args, kwargs=made.kwargs)
    return made if made != sample else None
