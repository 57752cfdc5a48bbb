"""Selective activation checkpoints: a policy says which operators' results are kept, not computed again.

    checkpoint(f, x, use_reentrant=False, context_fn=partial(create_selective_checkpoint_contexts, policy))

Two dispatch modes do it: that of the first run keeps results, and that of the second returns them.

Source: torch/utils/checkpoint.py (create_selective_checkpoint_contexts).
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from ..dispatch.python_dispatch import DispatchMode
from ..memory.tensor import Tensor
from .pytree import tree_map


class CheckpointPolicy(enum.Enum):
    """Whether an operator's result is saved or computed again; MUST and PREFER are the same here.

    The two that offload to the host save it where it is.  Source: torch.utils.checkpoint.CheckpointPolicy.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_RECOMPUTED = (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)


class SelectiveCheckpointContext:
    """The first argument of a policy: ``is_recompute`` is False, ``op_output`` the operator's result.

    Source: torch.utils.checkpoint.SelectiveCheckpointContext.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class _Saved:
    """A result that is kept, and the versions of its tensors."""

    def __init__(self, result: Any):
        self.result = tree_map(lambda each: each.detach() if isinstance(each, Tensor) else each, result)
        self.versions = self._versions()

    def _versions(self) -> list[int]:
        found: list[int] = []
        tree_map(lambda each: found.append(each._version) if isinstance(each, Tensor) else None, self.result)
        return found

    def take(self, allow_mutation: bool) -> Any:
        if not allow_mutation and self._versions() != self.versions:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.result


_Results = dict[tuple[OpOverload, int], Any]  # by operator and its number of the call: _Saved or None
_TAKEN = object()
_NOT_KEPT = (aten.detach.default,)


class _First(DispatchMode):
    """Runs operators, and keeps what the policy says."""

    def __init__(self, policy: Callable[..., Any], results: _Results):
        self._policy, self._results, self._calls = policy, results, Counter[OpOverload]()

    def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func in _NOT_KEPT:
            return result
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
        policy = self._policy(context, func, *args, **kwargs)
        is_kept = policy if isinstance(policy, bool) else policy not in _RECOMPUTED
        self._results[func, self._calls[func]] = _Saved(result) if is_kept else None
        self._calls[func] += 1
        return result


class _Second(DispatchMode):
    """Returns what was kept, and runs the other operators."""

    def __init__(self, results: _Results, allow_mutation: bool):
        self._results, self._allows, self._calls = results, allow_mutation, Counter[OpOverload]()

    def __enter__(self) -> Any:
        self._calls.clear()
        return super().__enter__()

    def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _NOT_KEPT:
            return func(*args, **(kwargs or {}))
        key = func, self._calls[func]
        self._calls[func] += 1
        if key not in self._results:
            raise RuntimeError(
                f"{func} invocation index {key[1]} encountered during backward but not found in storage. The "
                "recomputation calls other operators than the original forward."
            )
        saved = self._results[key]
        if saved is None:
            return func(*args, **(kwargs or {}))
        if saved is _TAKEN:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region "
                "computed under selective activation checkpoint."
            )
        self._results[key] = _TAKEN
        return saved.take(self._allows)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[DispatchMode, DispatchMode]:
    """The contexts of a ``context_fn`` for a checkpoint that keeps some operators' results.

    policy_fn_or_list           ``policy(ctx, op, *args, **kwargs)`` returns a CheckpointPolicy (True: save
                                it), or a list of the operators (OpOverloads) whose results are saved
    allow_cache_entry_mutation  whether a result that was written to is used as it is

    Raises TypeError for another policy, ValueError for a list with anything else.  Backward raises
    RuntimeError for a second pass, and for a saved result that was written to.
    Source: torch.utils.checkpoint.create_selective_checkpoint_contexts.
    """
    policy = policy_fn_or_list
    if isinstance(policy_fn_or_list, list):
        saved = list(policy_fn_or_list)
        for each in saved:
            if not isinstance(each, OpOverload):
                hint = " Please name an overload: gnomon.ops.aten.mm.default, not gnomon.ops.aten.mm."
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {each} of type {type(each)}."
                    f"{hint if isinstance(each, OpOverloadPacket) else ''}"
                )

        def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in saved else CheckpointPolicy.PREFER_RECOMPUTE

    elif not callable(policy_fn_or_list):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    results: _Results = {}
    return _First(policy, results), _Second(results, allow_cache_entry_mutation)
