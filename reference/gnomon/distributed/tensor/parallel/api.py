"""parallelize_module: which module is divided how.  Source: torch/distributed/tensor/parallel/api.py."""

from __future__ import annotations

from fnmatch import fnmatch

from ....nn import Module
from ....values.errors import warn
from ...device_mesh import DeviceMesh
from ...process_group import resolved
from .style import ParallelStyle


def parallelize_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> Module:
    """Divide modules among the processes of a mesh of one dimension (default: all), in place.

    ``parallelize_plan``: a style for ``module`` itself, or styles by the names of modules in it, as
    ``"layers.*.up"``.  All begin with the parameters of rank ``src_data_rank``; None: each with its own.
    Make optimizers afterwards: they are to have the parts.

    Warns of a name that fits no module.  Raises TypeError for another plan, RuntimeError for a mesh of more
    dimensions.  Source: torch.distributed.tensor.parallel.parallelize_module.
    """
    if parallelize_plan is None:
        warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this "
            "parallelize_module call will do nothing.",
            UserWarning,
        )
        return module
    group = resolved(None) if device_mesh is None else device_mesh.get_group()
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, group)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        found = _matching(module, path.split(".") if path else [])
        if not found:
            warn(
                f"Parallelize plan key {path!r} could not be resolved: no such submodule in {module}, "
                "skipping this plan entry.",
                UserWarning,
            )
        style.src_data_rank = src_data_rank
        for each in found:
            style._apply(each, group)
    return module


def _matching(module: Module, parts: list[str]) -> list[Module]:
    """The modules inside of ``module`` whose names fit the parts of a pattern."""
    if not parts:
        return [module]
    children = [child for name, child in module.named_children() if fnmatch(name, parts[0])]
    return [found for child in children for found in _matching(child, parts[1:])]


__all__ = ["parallelize_module"]
