"""A model answer."""

from __future__ import annotations

import gnomon as gn


def promote(operands: list[tuple[gn.dtype, str]]) -> gn.dtype:
    found: dict[str, gn.dtype | None] = {"dimensioned": None, "zero-dim": None, "number": None}
    for dtype, kind in operands:
        so_far = found[kind]
        found[kind] = dtype if so_far is None else gn.promote_types(so_far, dtype)
    return combine(found["dimensioned"], combine(found["zero-dim"], found["number"]))


def combine(higher: gn.dtype | None, lower: gn.dtype | None) -> gn.dtype | None:
    """The dtype of operands of a higher kind, unless those of a lower kind are of a higher category."""
    if higher is None or lower is None:
        return higher or lower
    if lower.category <= higher.category:
        return higher
    if higher.is_floating_point:
        return higher.to_complex()
    return lower if lower.is_complex else gn.promote_types(higher, lower)
