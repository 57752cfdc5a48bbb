"""vmap: an operator on a batch of examples gives the same results as on each example separately."""

import math
import re

import pytest

import gnomon as gn
from gnomon.func import batching, vmap

from ..collection import selection
from ..collection.selection import DATA_DEPENDENT, UNDETERMINED, operators, random_operators, variants
from ..comparison.differences import same_number
from ..execution.runner import Gnomon, prepare
from ..samples import good_samples

EXAMPLES = 2

# Operators without a batching rule, which run once per example, and so do their in-place variants.  The
# others may do so only for rare arguments.
BY_EXAMPLE = frozenset(
    "_count_nonzero _ctc_loss _ctc_loss_backward _embedding_bag _embedding_bag_backward "
    "_embedding_bag_dense_backward _embedding_bag_per_sample_weights_backward _masked_select "
    "_histogramdd_bin_edges _histogramdd_from_bin_cts _pdist_forward _rnn_layer _rnn_layer_backward "
    "histc histogram.bin_ct index_fill.int_Tensor masked_scatter nonzero_static put "
    "repeat_interleave.Tensor segment_reduce".split()
)

# Results that depend on the strides, which stacking changes: the transpose of a row-major matrix is factored.
BY_STRIDES = {"_linalg_det": (1, 2), "_linalg_slogdet": (2, 3)}

# Operators that vmap has to refuse: their results are not tensors, or have data-dependent sizes.
REFUSED = re.compile(DATA_DEPENDENT.pattern + r"|index(_put|\.Tensor)")


def pytest_generate_tests(metafunc):
    found = variants("inplace") if metafunc.function is test_vmap_inplace else operators()
    found = {
        name: operator
        for name, operator in found.items()
        if operator.tensor_positions
        and name not in random_operators()
        and not name.startswith("rrelu")
        and not UNDETERMINED.match(name)
        and not operator.schema.is_out
    }
    selection.parametrize_operators(metafunc, found, ("float32", "int64", "complex64"))


def rotated(by, integers_too):
    """A change of the contents of storages: the same numbers, rotated by ``by`` places."""

    def change(contents, description):
        if not integers_too and not contents.dtype.startswith(("float", "complex")):
            return contents
        numbers = list(contents.numbers)
        by_places = by % max(len(numbers), 1)
        return contents._replace(numbers=tuple(numbers[by_places:] + numbers[:by_places]))

    return change


def tensors_of(values):
    """The position of each tensor among the arguments and in lists: (argument, index in a list or None)."""
    for position, value in enumerate(values):
        if isinstance(value, gn.Tensor):
            yield position, None
        elif isinstance(value, (list, tuple)):
            for place, each in enumerate(value):
                if isinstance(each, gn.Tensor):
                    yield position, place


def at(values, where):
    position, place = where
    return values[position] if place is None else values[position][place]


def replaced(values, replacements):
    """The arguments with the tensors at these positions replaced."""
    made = [list(value) if isinstance(value, (list, tuple)) else value for value in values]
    for (position, place), tensor in replacements.items():
        if place is None:
            made[position] = tensor
        else:
            made[position][place] = tensor
    return made


def results_of(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def batches(places):
    """The positions to batch: each tensor alone, then all of them."""
    found = [[place] for place in places]
    return found if len(places) < 2 else [*found, list(places)]


def examples_of(framework, operator, sample, dtype):
    """The arguments of several calls that differ only in their numbers; None if the calls fail."""
    for integers_too in (True, False):
        calls = [
            prepare(framework, operator.schema, sample, dtype, "contiguous", rotated(number, integers_too))
            for number in range(EXAMPLES)
        ]
        try:
            for call in calls:
                framework.call(operator, [copied(value) for value in call.values])
        except Exception:
            continue
        return [call.values for call in calls]
    return None


def copied(value):
    if isinstance(value, gn.Tensor):
        return value.clone()
    if isinstance(value, (list, tuple)):
        return [copied(each) for each in value]
    return value


def differences(actual, expected, skipped=()):
    """Where the results of the batched call, but for ``skipped``, differ from those of separate calls."""
    if len(actual) != len(expected):
        return [f"{len(actual)} results, expected {len(expected)}"]
    found = []
    for number, (mine, wanted) in enumerate(zip(actual, expected)):
        if number in skipped:
            continue
        if mine is None or wanted is None:
            if mine is not wanted:
                found.append(f"result {number} is {mine}, expected {wanted}")
            continue
        if mine.dtype is not wanted.dtype or mine.shape != wanted.shape:
            found.append(
                f"result {number}: {mine.dtype} {list(mine.shape)}, expected {wanted.dtype} "
                f"{list(wanted.shape)}"
            )
            continue
        for one, other in zip(numbers(mine), numbers(wanted)):
            size = abs(other) if isinstance(other, (float, complex)) else 0
            bound = 1e-5 + 1e-4 * size if math.isfinite(size) else 0.0
            if not same_number(one, other, bound):
                found.append(f"result {number}: {one!r}, expected {other!r}")
                break
    return found


def numbers(tensor):
    return tensor.reshape(-1).tolist()


def check(operator, dtype, is_inplace):
    framework = Gnomon("reference")
    base = operator.record.base or operator
    for _, sample in good_samples(base.name, dtype):
        examples = examples_of(framework, operator, sample, dtype)
        if examples is None:
            continue
        places = list(tensors_of(examples[0]))
        for batched in batches(places):
            if is_inplace and batched[0] != (0, None):
                continue
            calls = [
                [copied(value) for value in replaced(examples[0], {p: at(each, p) for p in batched})]
                for each in examples
            ]
            try:
                stacked = [gn.stack([at(each, place) for each in calls]) for place in batched]
                each = [results_of(framework.call(operator, values)) for values in calls]
            except Exception:
                continue
            if any(not (one is None or isinstance(one, gn.Tensor)) for one in each[0]):
                continue
            if any(a is not None and a.shape != b.shape for a, b in zip(each[0], each[1])):
                continue
            expected = [None if one[0] is None else gn.stack(one) for one in zip(*each)]
            shared = [copied(value) for value in examples[0]]
            kept: list[list[bool]] = []

            def call(*given, shared=shared, batched=batched, kept=kept):
                result = framework.call(operator, replaced(shared, dict(zip(batched, given))))
                results = results_of(result)
                kept.append([one is None for one in results])
                return tuple(one for one in results if one is not None)

            try:
                found = iter(vmap(call)(*stacked))
            except (RuntimeError, NotImplementedError):
                if REFUSED.match(operator.name):
                    continue
                raise
            actual = [None if is_none else next(found) for is_none in kept[0]]
            problems = differences(actual, expected, BY_STRIDES.get(operator.name, ()))
            if is_inplace:
                problems += differences(stacked[:1], [gn.stack([at(one, (0, None)) for one in calls])])
            if problems:
                pytest.fail(
                    f"{operator.name}, batched {batched} of {examples[0]}: " + "; ".join(problems),
                    pytrace=False,
                )


def check_rule(operator, dtype, is_inplace):
    """As ``check``, and the operator's batching rule ran, not the fallback."""
    name = operator.name
    before = batching.fallbacks[name], batching.rule_runs[name]
    check(operator, dtype, is_inplace)
    by_example, by_rule = (
        counter[name] - was for counter, was in zip((batching.fallbacks, batching.rule_runs), before)
    )
    if dtype == "float32":
        base = (operator.record.base or operator).name
        assert not by_example or by_rule or base in BY_EXAMPLE, f"{name} ran {by_example} times by example"


def test_vmap(operator, dtype):
    if any(argument.is_written for argument in operator.schema.arguments):
        pytest.skip("it writes to its arguments")
    check_rule(operator, dtype, is_inplace=False)


def test_vmap_inplace(operator, dtype):
    check_rule(operator, dtype, is_inplace=True)
