"""Tests of the samples themselves: each operator has some, and each argument is varied."""

import pytest

from ..collection import selection
from ..collection.selection import called, operators
from ..execution.runner import Gnomon, run
from ..inputs.description import DTYPES, TensorDescription, complete, default_of, has_default
from ..samples import SPARSE_SAMPLES, all_samples, good_sparse_samples


def pytest_generate_tests(metafunc):
    every = operators()
    if metafunc.function is test_sparse_samples_run:
        all_samples()  # this fills SPARSE_SAMPLES
        every = {name: each for name, each in every.items() if name in SPARSE_SAMPLES}
    selection.parametrize_operators(metafunc, every)


# Arguments for which only one value works, with the reason.
SINGLE_VALUED = {
    ("_native_batch_norm_legit.no_stats", "training"): "without training PyTorch crashes",
    ("_scaled_dot_product_flash_attention_for_cpu", "dropout_p"): "dropout is refused",
    ("_scaled_dot_product_flash_attention_for_cpu_backward", "dropout_p"): "dropout is refused",
    ("segment_reduce", "indices"): "reductions by indices are refused",
    ("embedding_sparse_backward", "scale_grad_by_freq"): "it is refused",
    ("_to_dense", "dtype"): "it is refused",
    ("to_dense", "dtype"): "it is refused",
    ("_to_sparse", "blocksize"): "other layouts have blocks",
    ("to_sparse", "blocksize"): "other layouts have blocks",
    ("_embedding_bag_per_sample_weights_backward", "mode"): "only sums have weights",
    ("empty_quantized", "memory_format"): "it is refused beside other options",
    ("hash_tensor", "mode"): "PyTorch has one kind of hash",
    **{
        (f"mkldnn_max_pool{spatial}d{suffix}", "dilation"): "dilated windows are refused"
        for spatial in (2, 3)
        for suffix in ("", "_backward")
    },
    ("mkldnn_rnn_layer", "mode"): "only an LSTM, whose number is 2, runs on a CPU",
    **dict.fromkeys(
        [
            (name, "pivot")
            for name in ("linalg_lu_factor_ex", "linalg_lu_factor", "linalg_lu", "_lu_with_info")
        ],
        "a factorization without pivoting is refused on a CPU",
    ),
}


def is_list_of_tensors(value):
    return isinstance(value, (list, tuple)) and any(isinstance(each, TensorDescription) for each in value)


def test_samples_cover_schema(operator):
    """Some sample changes each non-tensor argument from its default; one without a default has two values.

    If no sample varied an argument, a kernel that ignores it would always agree with the reference.
    """
    found = [*all_samples().get(operator.name, ()), *SPARSE_SAMPLES.get(operator.name, ())]
    samples = [each for each in found if each.fails is None]
    assert samples, f"{operator.name} has no samples: add some to conformance/gnomon_conformance/samples"
    calls = [complete(operator.schema, each) for each in samples]
    for position, argument in enumerate(operator.schema.arguments):
        values = [call[position] for call in calls]
        if argument.type == "Tensor" and not argument.is_optional:
            continue
        if argument.name == "driver":
            continue  # an option of cuSOLVER; elsewhere it can only be None
        if (operator.name, argument.name) in SINGLE_VALUED:
            continue
        if has_default(argument):
            moved = [value for value in values if not same(value, default_of(argument))]
            assert moved, (
                f"{operator.name}: no sample moves {argument.name!r} off its default, {argument.default!r}"
            )
        elif argument.type == "Device" or argument.name in ("input_dtype", "half_to_float"):
            continue  # the test's device; determined by another argument; refused on a CPU
        else:
            assert any(not same(value, values[0]) for value in values), (
                f"{operator.name}: all samples give {argument.name!r} the same value, {values[0]!r}"
            )


def same(value, other):
    return type(value) is type(other) and value == other


def test_samples_fit(operator):
    for each in (*all_samples().get(operator.name, ()), *SPARSE_SAMPLES.get(operator.name, ())):
        complete(operator.schema, each)


def test_sparse_samples_run(operator):
    """The reference takes each call with sparse tensors that is not declared to fail."""
    for dtype in DTYPES:
        for each in good_sparse_samples(operator.name, dtype):
            if dtype == "bool" and each.dtypes is None:
                continue  # some operators refuse it
            outcome = run(Gnomon("reference"), operator, each, dtype, "contiguous")
            assert outcome.failure is None, f"{operator.name}, {dtype}: {outcome.failure}"


def test_no_samples_without_operator():
    unknown = [name for name in (*all_samples(), *SPARSE_SAMPLES) if called(name) is None]
    assert not unknown, f"samples of operators that do not exist: {unknown}"
    assert pytest
