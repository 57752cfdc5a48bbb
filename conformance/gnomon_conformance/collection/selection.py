"""Selects the operators and dtypes that tests are parametrized with."""

from __future__ import annotations

import difflib
import functools
import re
import zlib
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.backend import Claim, get_backend
from gnomon.values.dtype import names_of_dtypes

from ..expressions import all_expressions
from ..inputs.description import DTYPES, complete, descriptions
from ..inputs.models import MODELS
from ..samples import all_samples, families_of, good_samples

# Operators whose numbers are not determined: uninitialized memory, and the signs of singular vectors and of
# eigenvectors.
UNDETERMINED = re.compile(
    r"(_?empty|new_empty|resize_|_?(linalg_)?svd(\.U)?$|_?linalg_eigh(\.eig\w+)?$|linalg_eig(\.out)?$)"
)
# Operators that compare or divide rounding errors for some matrices: which pivot is chosen, whether a matrix
# is singular, how large its smallest singular value is, in which order eigenvalues are found, depends on the
# order of the steps.
ILL_CONDITIONED = re.compile(
    r"_?(linalg_)?(cholesky_ex|geqrf|qr|lu_factor|lu_factor_ex|lu_with_info|lu|inv|inv_ex|slogdet|solve|solve_ex|det)$|"
    r"(linalg_)?(pinv|matrix_rank|cond|lstsq|tensorinv|tensorsolve)(\.|$)|pinverse$|inverse$|logdet$|"
    r"linalg_(ldl_factor|ldl_factor_ex|ldl_solve)$|_?linalg_eigvals$"
)
# Operators whose output sizes or results depend on values, so that the meta device does not support them.
DATA_DEPENDENT = re.compile(
    r"(nonzero(\.|$)|nonzero_numpy|argwhere|masked_select(\.|$)|masked_scatter_backward|where$|"
    r"repeat_interleave\.(self_)?Tensor|tensor_split\.tensor_indices_or_sections|narrow\.Tensor|"
    r"(lin|log)space\..*Tensor.*|randint_like\.Tensor|item|one_hot|_?unique\w*(\.|$)|bincount|_local_scalar_dense|equal|allclose|"
    r"ctc_loss\.Tensor|_fused_\w+_\.tensor_lr|(lstm|gru|rnn_tanh|rnn_relu)\.data|_pad_packed_sequence|"
    r"_pack_padded_sequence(_backward)?$|combinations|_?fused_moving_avg_obs_\w+|_foreach_addc(mul|div)_?\.Tensor)"
)


@functools.cache
def operators() -> dict[str, Any]:
    """Every operator that is not a variant of another, by its full name."""
    return {
        operator.name: operator
        for packet in gn.ops.aten
        for operator in packet.overloads.values()
        if operator.record is not None and operator.record.base is None
    }


def variants(kind: str) -> dict[str, Any]:
    """Every in-place ("inplace") or ``out=`` ("out") variant, by its full name."""
    return {
        variant.name: variant
        for operator in operators().values()
        for variant in operator.variants
        if getattr(variant.schema, f"is_{kind}")
    }


def called(name: str) -> Any:
    """The operator or variant with this full name, or None."""
    return next(
        (found[name] for found in (operators(), variants("inplace"), variants("out")) if name in found), None
    )


@functools.cache
def random_operators() -> frozenset[str]:
    """The operators and variants that draw random numbers, by their full names.

    Their numbers differ from PyTorch's; gnomon's backends all have the same.
    """
    found = {**operators(), **variants("inplace"), **variants("out")}
    return frozenset(name for name, each in found.items() if _draws(each.record.base or each))


def _draws(operator: Any) -> bool:
    if operator.record.batching.rule == "random":
        return True
    # Dropout is composed of other operators, which draw; its own record does not say so.
    return "dropout" in families_of(operator.name) and not operator.name.endswith("_backward")


@functools.cache
def random_fills() -> tuple[str, ...]:
    """The operators that have a kernel of their own to fill a tensor with random numbers, in place."""
    return tuple(
        sorted(
            name
            for name, each in operators().items()
            if each.record.batching.rule == "random" and each.record.kernel and each.schema.is_inplace
        )
    )


def has_dtype_axis(operator: Any) -> bool:
    """Whether any sample of the operator uses the dtype that the test is parametrized with."""
    return any(
        each.dtype is None
        for sample in all_samples().get(operator.name, ())
        if sample.fails is None
        for each in descriptions(complete(operator.schema, sample))
    )


def dtypes_of(operator: Any) -> list[str]:
    """The dtypes to test an operator with."""
    if not has_dtype_axis(operator):
        return ["float32"]
    return [dtype for dtype in DTYPES if good_samples(operator.name, dtype)]


def check_pattern(config: Any) -> None:
    """Raises pytest.UsageError if ``--ops`` is not a regular expression, or matches nothing."""
    problem = problem_of_pattern(config.getoption("gnomon_ops", None))
    if problem:
        raise pytest.UsageError(problem)


def problem_of_pattern(pattern: str | None) -> str:
    """The problem with ``--ops``, or "" if it selects something."""
    if pattern is None:
        return ""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        return f"--ops: {pattern!r} is not a valid regular expression: {error}"
    names = [*operators(), *variants("inplace"), *variants("out"), *all_expressions(), *MODELS]
    if any(compiled.search(name) for name in names):
        return ""
    return f"--ops: no operator's name matches {pattern!r}; names are as in 'add.Tensor' and 'neg_'"


def is_selected(config: Any, name: str) -> bool:
    """Whether ``--ops`` selects this operator.  It also selects its variants, which run the same kernel."""
    pattern = config.getoption("gnomon_ops", None)
    return pattern is None or any(re.search(pattern, each) for each in (name, *_bases().get(name, ())))


@functools.cache
def _bases() -> dict[str, tuple[str]]:
    """Variant -> a tuple of the operator that it is a variant of."""
    return {
        name: (variant.record.base.name,)
        for kind in ("inplace", "out")
        for name, variant in variants(kind).items()
    }


def problem_of_claims(backend: Any) -> str:
    """The problem with a backend's claims (operators or dtypes that do not exist), or ""."""
    known = [*operators(), *variants("inplace"), *variants("out"), *get_backend("reference").kernels]
    problems = []
    for name, said in backend.capabilities.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            problems.append(f"{backend.name} claims {name!r}, but there is no such operator{hint}")
        dtypes = said.dtypes if isinstance(said, Claim) else said
        for dtype in dtypes or ():
            if dtype not in names_of_dtypes:
                problems.append(f"{backend.name} claims {name!r} for {dtype!r}, but there is no such dtype")
    return "; ".join(problems)


SHRINKING_SECONDS = 30.0  # after which a search reports the smallest failing call so far
# The dtypes of a run without --full; "one more" is one of the others, in rotation.
SHORT_DTYPES = ("float32", "int64", "one more")


def is_in_short_run(config: Any, test: Any, name: str, dtype: str) -> bool:
    """Whether a test (a pytest node with its marks) runs without ``--full`` for this operator and dtype.

    A test selected by operator, dtype or test name runs for each dtype; one marked as long does not run.
    """
    if test.get_closest_marker("long") is not None:
        return False
    is_asked_for = config.getoption("gnomon_ops") or config.getoption("gnomon_dtypes")
    if is_asked_for or any("::" in argument for argument in config.args) or not dtype:
        return True
    mark = test.get_closest_marker("short")
    wanted = SHORT_DTYPES if mark is None else mark.args
    others = [each for each in DTYPES if each not in SHORT_DTYPES]
    turn = turn_of(name.partition(".")[0]) % len(others)
    return dtype in wanted or ("one more" in wanted and dtype == others[turn])


def turn_of(name: str) -> int:
    """A fixed number for each name, different for different names."""
    return zlib.crc32(name.encode())


def _runs(metafunc: Any) -> Any:
    """A predicate of (operator, dtype): whether to collect the test; deselecting it later is slower."""
    config = metafunc.config
    tests_backends = bool(config.getoption("gnomon_backend", None))
    is_full = not tests_backends or config.getoption("gnomon_full")

    def wanted(name: str, dtype: str) -> bool:
        return is_selected(config, name) and (
            is_full or is_in_short_run(config, metafunc.definition, name, dtype)
        )

    return wanted


def parametrize_operators(
    metafunc: Any, found: dict[str, Any], dtypes: tuple[str, ...] | None = None
) -> None:
    """Parametrize a test with ``operator`` (and ``dtype``), as the command line selects."""
    config = metafunc.config
    if "operator" not in metafunc.fixturenames:
        return
    is_of_backend = "backend" in metafunc.fixturenames
    tests_backends = bool(config.getoption("gnomon_backend", None))
    # A test that is skipped or deselected is collected only once.
    idle = (
        not tests_backends
        if is_of_backend
        else tests_backends and not config.getoption("gnomon_with_reference")
    )
    asks_oracle = metafunc.definition.get_closest_marker("oracle") is not None
    idle = idle or (asks_oracle and find_spec("torch") is None)
    wanted = _runs(metafunc)
    if "dtype" not in metafunc.fixturenames:
        chosen = [operator for name, operator in found.items() if wanted(name, "")]
        chosen = chosen[:1] if idle else chosen
        metafunc.parametrize("operator", chosen, ids=[operator.name for operator in chosen])
        return
    pairs = [
        (operator, dtype)
        for operator in found.values()
        for dtype in dtypes_of(operator.record.base or operator)
        if dtypes is None or dtype in dtypes
    ]
    parametrize_pairs(metafunc, pairs, idle)


def parametrize_pairs(metafunc: Any, pairs: Sequence[tuple[Any, str]], idle: bool = False) -> None:
    """Parametrize a test with those (operator, dtype) pairs that the command line selects; with a single pair
    if it is ``idle``.
    """
    wanted = _runs(metafunc)
    asked = metafunc.config.getoption("gnomon_dtypes", None)
    chosen = [
        (operator, dtype)
        for operator, dtype in pairs
        if (asked is None or dtype in asked) and wanted(operator.name, dtype)
    ]
    chosen = chosen[:1] if idle else chosen
    metafunc.parametrize(
        ("operator", "dtype"), chosen, ids=[f"{operator.name}-{dtype}" for operator, dtype in chosen]
    )
