"""The precision of float32 products and convolutions, as libraries that round them would be told.

Each library has a setting for all its operators and one for each kind of operator; where a setting is
"none", the wider one holds, at last the generic one.  The older switches (``allow_tf32``,
``set_float32_matmul_precision``) change the same settings, and raise if these no longer agree with them.
gnomon's kernels compute in float32 whatever the settings are.

Source: aten/src/ATen/Context.cpp.
"""

from __future__ import annotations

from typing import Any, Literal

from ..values.errors import type_name, warn
from ._switches import check_bool

MATMUL_PRECISIONS = ("highest", "high", "medium")
_PRECISIONS = ("none", "ieee", "tf32", "bf16")
_UNTOUCHED = ""  # what cuDNN's operators are set to at first: "tf32", unless a wider setting says otherwise
_MIXED = (
    "Current status indicate that you have used mix of the legacy and new APIs to set the TF32 status for "
    "cublas matmul. We suggest only using the new API to set the TF32 flag."
)
_MIXED_MATMUL = (
    "gnomon is checking the matmul precision without a specific backend name, but you have used a mix of the "
    "legacy and new APIs to set the matmul precision. We suggest only using the new API for matmul precision."
)
_MIXED_CUDNN = (
    "gnomon is checking whether allow_tf32 is enabled for cuDNN without a specific operator name, but the "
    "current flag(s) indicate that cuDNN conv and cuDNN RNN have different TF32 flags. This combination "
    "indicates that you have used a mix of the legacy and new APIs to set the TF32 flags. We suggest only "
    "using the new API to set the TF32 flag(s)."
)


def _initial() -> dict[tuple[str, str], str]:
    return {
        ("generic", "all"): "none",
        **{(library, kind): "none" for library in ("cuda", "mkldnn") for kind in ("all", "matmul")},
        **dict.fromkeys([("cuda", "conv"), ("cuda", "rnn")], _UNTOUCHED),
        **dict.fromkeys([("mkldnn", "conv"), ("mkldnn", "rnn")], "none"),
    }


_settings = _initial()  # (library, kind of operator) -> its own setting
_matmul_precision = "highest"
_cudnn_allows_tf32 = True


def get_precision(library: str, kind: str) -> str:
    """The precision that holds for a kind of operator of a library."""
    own = _settings[library, kind]
    for setting in (own, _settings[library, "all"], _settings["generic", "all"]):
        if setting not in ("none", _UNTOUCHED):
            return "none" if (library, setting) == ("cuda", "bf16") else setting
    return "tf32" if own == _UNTOUCHED else "none"


def set_precision(library: str, kind: str, precision: Any) -> None:
    """Sets the precision.  Raises TypeError unless it is a str, RuntimeError for an unknown one."""
    if not isinstance(precision, str):
        raise TypeError(f"fp32_precision must be str, not {type_name(precision)}")
    if precision not in _PRECISIONS:
        raise RuntimeError(f"Unknown precision: {precision}")
    if (library, precision) == ("cuda", "bf16"):
        raise RuntimeError("backend 'cuda' does not support precision 'bf16'")
    _settings[library, kind] = precision


class OperatorPrecision:
    """The switch ``fp32_precision`` of one kind of operator of a library."""

    _key: tuple[str, str]

    def __init__(self, library: str, kind: str):
        vars(self)["_key"] = library, kind

    @property
    def fp32_precision(self) -> str:
        """ "none", "ieee", "tf32" or "bf16"."""
        return get_precision(*self._key)

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        set_precision(*self._key, precision)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "fp32_precision":
            raise AttributeError(f"Unknown attribute {name}")
        super().__setattr__(name, value)


def matmul_allows_tf32() -> bool:
    """``gnomon.backends.cuda.matmul.allow_tf32``.  Raises RuntimeError if newer switches contradict it."""
    is_allowed = get_precision("cuda", "matmul") == "tf32"
    if is_allowed != (_matmul_precision != "highest"):
        raise RuntimeError(
            f"gnomon is checking whether allow_tf32_new is enabled for cuBlas matmul. {_MIXED}"
        )
    return is_allowed


def set_matmul_allows_tf32(allowed: Any) -> None:
    """Sets it: the precision of matrix products is "high" or "highest"."""
    global _matmul_precision
    check_bool("gnomon.backends.cuda.matmul.allow_tf32", allowed)
    _matmul_precision = "high" if allowed else "highest"
    set_precision("cuda", "matmul", "tf32" if allowed else "ieee")


def cudnn_allows_tf32() -> bool:
    """``gnomon.backends.cudnn.allow_tf32``.  Raises RuntimeError if newer switches contradict it."""
    for kind in ("conv", "rnn"):
        if (get_precision("cuda", kind) == "tf32") != _cudnn_allows_tf32:
            raise RuntimeError(_MIXED_CUDNN)
    return _cudnn_allows_tf32


def set_cudnn_allows_tf32(allowed: Any) -> None:
    """Sets it for convolutions and recurrent networks."""
    global _cudnn_allows_tf32
    check_bool("gnomon.backends.cudnn.allow_tf32", allowed)
    _cudnn_allows_tf32 = allowed
    for kind in ("conv", "rnn"):
        set_precision("cuda", kind, "tf32" if allowed else "none")


def set_float32_matmul_precision(precision: Literal["highest", "high", "medium"]) -> None:
    """Stores the precision of products of float32 matrices: "highest", "high" or "medium"; no effect.

    Other strings only cause a warning.  Raises RuntimeError unless it is a str.

    Source: torch.set_float32_matmul_precision.
    """
    global _matmul_precision
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type_name(precision)}")
    if precision not in MATMUL_PRECISIONS:
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current "
            "setFloat32MatmulPrecision call has no effect."
        )
        return
    _matmul_precision = precision
    for library, rounded in (("cuda", "tf32"), ("mkldnn", "bf16" if precision == "medium" else "tf32")):
        set_precision(library, "matmul", "ieee" if precision == "highest" else rounded)


def get_float32_matmul_precision() -> str:
    """The precision that ``set_float32_matmul_precision`` set.

    Raises RuntimeError if newer switches contradict it.
    """
    on_cuda, on_mkldnn = (get_precision(library, "matmul") for library in ("cuda", "mkldnn"))
    if (
        (on_cuda == "tf32" and _matmul_precision == "highest")
        or (on_mkldnn == "bf16" and _matmul_precision != "medium")
        or (on_mkldnn == "tf32" and _matmul_precision != "high")
    ):
        raise RuntimeError(_MIXED_MATMUL)
    return _matmul_precision
