"""What ``gnomon.explain`` says about a call's plan: whether it has one, and if not, why."""

from __future__ import annotations

from typing import Any

from gnomon.dispatch.dispatcher import OpOverload
from gnomon.dispatch.registration import UserOperator
from gnomon.memory.prepared import PreparedCall
from gnomon.values.dispatch_key import (
    AUTOGRAD,
    EXCLUDED_SHIFT,
    GRAD_MODE_BIT,
    INFERENCE_MODE_BIT,
    OBSERVED_BIT,
    TENSOR_KEYS,
    TRACED_BIT,
    DispatchKeySet,
)

from .learning import learn, prepare
from .plan import Entry, Plan

# Bits of the mode word with which C runs calls, besides those that explain itself sets.
_SIMPLE = GRAD_MODE_BIT | AUTOGRAD << EXCLUDED_SHIFT | OBSERVED_BIT | TRACED_BIT


def plan_of_call(
    operator: OpOverload,
    arguments: tuple[Any, ...],
    keys: int,
    word: int,
    result: Any,
    launches: list[tuple[Any, ...]],
    is_nested: bool,
) -> tuple[Plan | None, str]:
    """The plan of a call that the readable tier ran, and a sentence about it.

    launches: as calls/launch.py reports them.  is_nested: whether the call made other operator calls.
    """
    if isinstance(operator, UserOperator):
        return None, "operators of users run in Python"
    facts = prepare(operator)
    if facts is None:
        return None, "operators of this kind have no plans, and run in Python"
    extra = keys & ~(TENSOR_KEYS | AUTOGRAD)
    if extra:
        names = ", ".join(key.name for key in DispatchKeySet(extra))
        return None, f"keys beside Dense, ADInplaceOrView and Autograd run in Python: {names}"
    if word & INFERENCE_MODE_BIT or keys & TENSOR_KEYS != TENSOR_KEYS:
        return None, "calls in inference mode, and of tensors made there, run in Python"
    if word & ~_SIMPLE:
        return None, "a mode of the thread is active, so calls run in Python"
    if operator.record.composite is not None or is_nested:
        return None, "C calls the composite's function; each operator in it is looked up by itself"
    is_recorded = bool(keys & AUTOGRAD and word & GRAD_MODE_BIT)
    if is_recorded and (facts[7] or facts[8]):
        return None, "a call that writes to its arguments and is recorded runs in Python"
    plan = learn(operator, arguments, result, launches)
    if plan is not None:
        return plan, "the next call with the same specs and numbers is repeated in C, by this plan"
    if len(launches) > 1:
        return None, "it launched several kernels, and a plan repeats one"
    if launches and not isinstance(launches[0][-1], PreparedCall):
        return None, "its kernel is a Python function, which C can not call by address"
    return None, "what it did is not one launch or one view that C could repeat"


def facts_of(plan: Plan) -> list[tuple[str, Any]]:
    """A plan in words."""
    facts: list[tuple[str, Any]] = [("kind", plan.kind.name), ("entry", plan.entry.name)]
    if plan.entry is not Entry.NOTHING:
        facts.append(("kernel", plan.kernel_name))
    if plan.order:
        facts.append(("arguments that the kernel takes", plan.order))
    if plan.written:
        facts.append(("arguments that it writes to", plan.written))
    if plan.nbytes:
        facts.append(("bytes to allocate", tuple([int(each) for each in plan.nbytes])))
    if plan.offsets:
        facts.append(("offsets of the views, in elements", plan.offsets))
    return facts
