"""functional_call: modules as functions of their parameters.

    functional_call(model, parameters, (input,))        # model(input), with other parameters
    parameters, buffers = stack_module_state(models)    # of several models, for vmap over them

Source: torch/_functorch/functional_call.py, torch/nn/utils/stateless.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..nn import Module
from ..nn.modules.module import HasForward

Result = TypeVar("Result")

_MISSING = object()


def functional_call(
    module: HasForward[..., Result],
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Result:
    """Call ``module(*args, **kwargs)`` with its parameters and buffers replaced by the given tensors.

    ``parameter_and_buffer_dicts``: a dictionary from names ("0.weight") to tensors, or several; others are
    not replaced, and a name that the module does not have is added.  ``args``: a tuple, or one argument.
    tie_weights: a tensor that the module has under several names is replaced under all of them.  strict:
    raises RuntimeError unless exactly the module's names are given.  The module is restored when the call
    returns.

    Raises TypeError for anything but dictionaries, ValueError for a name in several of them and for tied
    names with different tensors, AttributeError for a name in a submodule that does not exist.  Source:
    torch.func.functional_call.
    """
    owner = cast(Module, module)
    replacements = _joined(parameter_and_buffer_dicts)
    own = dict(_named_state(owner))
    _check_names(owner, replacements, own, strict)
    if tie_weights:
        replacements = _tied(replacements, own)
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    before: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for name, tensor in replacements.items():
            members, last = _place(owner, name)
            before.append((members, last, members.get(last, _MISSING)))
            members[last] = tensor
        return cast(Result, owner(*args, **(kwargs or {})))
    finally:
        try:
            _put_back(before)
        except KeyboardInterrupt:  # the module must not keep the replacements
            _put_back(before)
            raise


def _put_back(before: list[tuple[dict[str, Any], str, Any]]) -> None:
    while before:
        members, last, old = before[-1]
        if old is _MISSING:
            members.pop(last, None)
        else:
            members[last] = old
        before.pop()


def _joined(dicts: Any) -> dict[str, Tensor]:
    if isinstance(dicts, dict):
        return dict(dicts)
    if not isinstance(dicts, Sequence) or not all(isinstance(each, dict) for each in dicts):
        raise TypeError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    joined: dict[str, Tensor] = {}
    for each in dicts:
        for name in each:
            if name in joined:
                raise ValueError(
                    f"{name} appears in multiple dictionaries; behavior of functional call is ambiguous"
                )
        joined.update(each)
    return joined


def _named_state(module: Module) -> Any:
    """Every parameter and buffer under each of its names."""
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)


def _place(module: Module, name: str) -> tuple[dict[str, Any], str]:
    """The dictionary and the key of a parameter or buffer; an unknown name is a buffer.

    Raises AttributeError for a submodule that does not exist.
    """
    path, _, last = name.rpartition(".")
    owner = module.get_submodule(path)
    return (owner._parameters if last in owner._parameters else owner._buffers), last


def _check_names(module: Module, replacements: dict[str, Tensor], own: dict[str, Any], strict: bool) -> None:
    for tensor in replacements.values():
        if not isinstance(tensor, Tensor) and tensor is not None:
            raise TypeError(f"{tensor} is not an instance of gnomon.Tensor")
    if not strict:
        return
    unexpected = sorted(name for name in replacements if name not in own)
    missing = sorted(
        name
        for name, tensor in own.items()
        if not any(each in replacements for each, other in own.items() if other is tensor)
    )
    problems = []
    if unexpected:
        problems.append(f"Unexpected key(s): {', '.join(unexpected)}.")
    if missing:
        problems.append(f"Missing key(s): {', '.join(missing)}.")
    if problems:
        text = "\n\t".join(problems)
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t{text}")


def _tied(replacements: dict[str, Tensor], own: dict[str, Any]) -> dict[str, Tensor]:
    """The replacements, with the other names of tied tensors added."""
    names_of: dict[int, list[str]] = {}
    for name, tensor in own.items():
        if tensor is not None:
            names_of.setdefault(id(tensor), []).append(name)
    tied = dict(replacements)
    for names in names_of.values():
        given = [name for name in names if name in replacements]
        if len({id(replacements[name]) for name in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(given)}, which are tied. Consider "
                "using tie_weights=False"
            )
        if given:
            tied.update(dict.fromkeys(names, replacements[given[0]]))
    return tied


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Stack the parameters, and the buffers, of several models along a new first dimension.

    For vmap over models, with functional_call.  The stacked parameters are leaves, which require grad if the
    models' do.  Raises RuntimeError for no models, for models of different classes or training modes, and if
    their parameters differ in requires_grad.  Source: torch.func.stack_module_state.
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(each.training for each in models) or not any(each.training for each in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(each) is not type(models[0]) for each in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(each.named_parameters()) for each in models]
    buffers = [dict(each.named_buffers()) for each in models]
    return (
        {name: _stacked(name, [each[name] for each in parameters]) for name in parameters[0]},
        {name: _stacked(name, [each[name] for each in buffers]) for name in buffers[0]},
    )


def _stacked(name: str, tensors: Sequence[Tensor]) -> Tensor:
    wanted = tensors[0].requires_grad
    if any(each.requires_grad is not wanted for each in tensors):
        raise RuntimeError(
            f"Expected {name} from each model to have the same .requires_grad, but they differ"
        )
    stacked = aten.stack.default([each.detach() for each in tensors], 0)
    return stacked.requires_grad_() if wanted else stacked


__all__ = ["functional_call", "stack_module_state"]
