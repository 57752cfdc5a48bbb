"""Operators by what a reader has of them: a name, a function of gnomon, an overload."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dispatch.dispatcher import OpOverload, OpOverloadPacket, namespaces
from ..memory.tensor import Tensor

_LIBRARIES = ("torch.", "gnomon.", "gn.", "Tensor.")
_MODULES = ("nn.functional.", "F.")


def find_by_name(name: str) -> OpOverload | OpOverloadPacket | None:
    """The operator or the overload of a name, or None.

    "add", "add.Tensor", "aten::add", "torch.add", "Tensor.add", "linalg.inv", "mine::add.out".
    """
    for prefix in (*_LIBRARIES, *_MODULES, "ops."):
        name = name.removeprefix(prefix)
    namespace, separator, rest = name.partition("::")
    if not separator and name.partition(".")[0] in namespaces:
        namespace, _, rest = name.partition(".")
    elif not separator:
        namespace, rest = "aten", name
    packets = {each.name: each for each in namespaces.get(namespace, ())}
    if rest in packets:
        return packets[rest]
    head, _, overload = rest.partition(".")
    if head in packets:
        return packets[head].overloads.get("" if overload == "default" else overload)
    return packets.get(rest.replace(".", "_", 1))  # linalg.inv is linalg_inv


def near_names(name: str) -> list[str]:
    """Names of operators like ``name``."""
    import difflib

    known = [each.name for packets in namespaces.values() for each in packets]
    return difflib.get_close_matches(name.rpartition("::")[2].partition(".")[0], known, n=3)


def find_by_function(function: Callable[..., Any]) -> OpOverloadPacket | None:
    """The operator that a function or method of gnomon is, or None.

    A function of nn.functional that calls the operator of its name is that operator, too.
    """
    function = getattr(function, "__func__", function)
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None) or ""
    if module != "gnomon" and not module.startswith("gnomon."):
        return None
    for candidate in (name, f"{module.rpartition('.')[2]}_{name}"):
        packet = find_by_name(candidate) if candidate.isidentifier() else None
        if isinstance(packet, OpOverloadPacket) and _is_of(function, packet, module):
            return packet
    return None


def _is_of(function: Any, packet: OpOverloadPacket, module: str) -> bool:
    """Is ``function`` the Python function or method of ``packet``, or of nn.functional by its name?"""
    if function is packet.parser or module.startswith("gnomon.nn.functional"):
        return True
    import gnomon

    return function in (vars(gnomon).get(packet.name), getattr(Tensor, packet.name, None))
