"""The short-time Fourier transform, and its inverse by overlapping and adding.

Source: aten/src/ATen/native/SpectralOps.cpp (stft, istft); torch.stft.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import can_be_read
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.errors import warn

_RECTANGLE = (
    "A window was not provided. A rectangular window will be applied, which is known to cause spectral "
    "leakage. Set `window=gnomon.ones(n_fft)` for one without this warning, or another such as "
    "gnomon.hann_window."
)


def _written(self: Any, arguments: dict[str, Any]) -> str:
    """The call, for errors."""

    def text(value: Any) -> str:
        return f"{value.dtype.name}{list(value.shape)}" if hasattr(value, "shape") else str(value)

    return ", ".join([text(self), *(f"{name}={text(value)}" for name, value in arguments.items())])


def _check(holds: bool, call: str, expected: str) -> None:
    if not holds:
        raise RuntimeError(f"{call}: {expected}")


def _refuse_onesided(onesided: bool) -> None:
    if onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")


# -- stft ----------------------------------------------------------------------------------------------------


def _stft(
    self: Any,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Any,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> Any:
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    is_complex = self.is_complex() or (window is not None and window.is_complex())
    if window is None:
        warn(_RECTANGLE, once=True)
    if not (is_complex if return_complex is None else return_complex):
        if return_complex is None:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further "
                "require that return_complex=True in a future PyTorch release."
            )
        warn("stft with return_complex=False is deprecated: view_as_real returns the same.", once=True)
    call = _written(
        self,
        {
            "n_fft": n_fft,
            "hop_length": hop,
            "win_length": width,
            "window": window,
            "normalized": normalized,
            "onesided": onesided,
            "return_complex": return_complex,
            "align_to_window": align_to_window,
        },
    )
    call = f"stft({call})"
    _check(self.dtype.category >= 2, call, "expected a tensor of floating point or complex values")
    _check(self.ndim in (1, 2), call, "expected a 1D or 2D tensor")
    length = self.size(-1)
    _check(0 < n_fft <= length, call, f"expected 0 < n_fft <= {length}, but got n_fft={n_fft}")
    _check(hop > 0, call, f"expected hop_length > 0, but got hop_length={hop}")
    _check(0 < width <= n_fft, call, f"expected 0 < win_length <= n_fft, but got win_length={width}")
    if window is not None:
        wanted = f"expected a 1D window tensor of size equal to win_length={width}"
        _check(
            tuple(window.shape) == (width,), call, f"{wanted}, but got window with size {list(window.shape)}"
        )
    pads = [(n_fft - width) // 2, n_fft - width - (n_fft - width) // 2]
    signal = aten.constant_pad_nd.default(self, pads, 0) if align_to_window and width < n_fft else self
    frames = aten.unfold.default(signal, -1, n_fft, hop)
    if width < n_fft:
        if window is None:
            window = self.new_ones([width])
        window = aten.constant_pad_nd.default(window, pads, 0)
    if window is not None:
        frames = frames * window
    normalization = 1 if normalized else 0
    dims = [frames.ndim - 1]
    if frames.is_complex():
        _refuse_onesided(bool(onesided))
        found = aten._fft_c2c.default(frames, dims, normalization, True)
    else:
        found = aten._fft_r2c.default(frames, dims, normalization, onesided is None or onesided)
    found = aten.transpose.int(found, -2, -1)
    return found if return_complex is None or return_complex else aten.view_as_real.default(found)


def _centered_stft(
    self: Any,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Any,
    center: bool,
    pad_mode: str,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> Any:
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false.")
        pads = [n_fft // 2, n_fft // 2]
        leading = [1] * (3 - self.ndim)
        padded = aten.pad.default(self.reshape([*leading, *self.shape]), pads, pad_mode, None)
        self = padded.reshape(padded.shape[len(leading) :])
    return aten.stft.default(
        self,
        n_fft,
        hop_length,
        win_length,
        window,
        normalized,
        onesided,
        return_complex,
        align_to_window,
    )


_STFT = """Computes the Fourier transforms of frames of ``n_fft`` elements of signals (*, length),
    ``hop_length`` (``n_fft // 4``) apart: complex (*, frequencies, frames).

    Frames are multiplied by ``window`` (win_length), which is padded to ``n_fft``; without one they are not,
    with a warning.  ``normalized`` divides by ``sqrt(n_fft)``.  A real signal gives ``n_fft // 2 + 1``
    frequencies, with ``onesided=False`` all.  With ``return_complex=False``, which is deprecated, the result
    is real, with a last dimension of size 2.  With ``align_to_window`` the first window, not the first
    frame, begins where the signal does.  Raises RuntimeError for integers, for sizes that do not fit, and if
    ``return_complex`` is not given for real signals."""
native_function(
    "stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool "
    "normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor",
    composite=_stft,
    doc=_STFT,
)
native_function(
    "stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
    'bool center=True, str pad_mode="reflect", bool normalized=False, bool? onesided=None, bool? '
    "return_complex=None, bool? align_to_window=None) -> Tensor",
    composite=_centered_stft,
    doc=f"""{_STFT}

    With ``center`` the signal is first padded by ``n_fft // 2`` on both sides, as ``pad_mode`` says.""",
)


# -- istft ---------------------------------------------------------------------------------------------------


def _istft(
    self: Any,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Any,
    center: bool,
    normalized: bool,
    onesided: bool | None,
    length: int | None,
    return_complex: bool,
) -> Any:
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if window is None:
        warn(_RECTANGLE, once=True)
    if not self.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True."
        )
    call = _written(
        self,
        {
            "n_fft": n_fft,
            "hop_length": hop,
            "win_length": width,
            "window": window,
            "center": center,
            "normalized": normalized,
            "onesided": onesided,
            "length": length,
            "return_complex": return_complex,
        },
    )
    call = f"istft({call})"
    frequencies, count = self.size(-2), self.size(-1)
    _check(self.numel() > 0, call, "input tensor cannot be empty.")
    _check(self.ndim in (2, 3), call, f"expected a tensor with 2 or 3 dimensions, but got {self.ndim}")
    if onesided is None:
        onesided = frequencies != n_fft
    wanted, needs = (n_fft // 2 + 1, "n_fft / 2 + 1") if onesided else (n_fft, "n_fft")
    _check(
        frequencies == wanted,
        call,
        f"expected the frequency dimension (2nd to the last) of the input tensor to match {needs} when "
        f"onesided={onesided}, but got {frequencies}",
    )
    _check(0 < hop <= width, call, "expected 0 < hop_length <= win_length")
    _check(0 < width <= n_fft, call, "expected 0 < win_length <= n_fft")
    if window is None:
        window = aten.ones([width], dtype=self.dtype.to_real(), device=self.device)
    else:
        _check(
            tuple(window.shape) == (width,),
            call,
            "Invalid window shape. window has to be 1D and length of `win_length`",
        )
    if width < n_fft:
        left = (n_fft - width) // 2
        window = aten.constant_pad_nd.default(window, [left, n_fft - width - left], 0)
    frames = aten.transpose.int(self if self.ndim == 3 else self.unsqueeze(0), 1, 2)
    normalization = 1 if normalized else 2
    if return_complex:
        _refuse_onesided(onesided)
        frames = aten._fft_c2c.default(frames, [2], normalization, False)
    else:
        if window.is_complex():
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        if not onesided:
            frames = aten.slice.Tensor(frames, -1, 0, n_fft // 2 + 1)
        frames = aten._fft_c2r.default(frames, [2], normalization, n_fft)
    whole = n_fft + hop * (count - 1)
    overlap = aten.unfold_backward.default
    found = overlap(frames * window, [frames.size(0), whole], 1, n_fft, hop)
    weights = overlap(window.pow(2).expand([1, count, n_fft]), [1, whole], 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    if length is not None:
        end = start + length
    else:
        end = whole - n_fft // 2 if center else whole
    found, weights = aten.slice.Tensor(found, 1, start, end), aten.slice.Tensor(weights, 1, start, end)
    if can_be_read(weights):
        least = weights.abs().min().item()
        _check(least >= 1e-11, call, f"window overlap add min: {least:g}")
    found = found / weights
    if self.ndim == 2:
        found = found.squeeze(0)
    if end > whole:
        warn(
            "istft: The length of signal is shorter than the length parameter. Result is being padded with "
            "zeros in the tail. Please check your center and hop_length settings."
        )
        found = aten.constant_pad_nd.default(found, [0, end - whole], 0)
    return found


native_function(
    "istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool "
    "center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) "
    "-> Tensor",
    composite=_istft,
    doc="""Computes the signals (*, length) whose stft is nearest to ``self`` (*, frequencies, frames), which
    is complex.

    The inverse transforms of all frames are multiplied by the window, added where they overlap, and divided
    by the sum of the squared windows.  The arguments are those of stft; ``length`` cuts the signal, or pads
    it with zeros, with a warning.  Raises RuntimeError for real tensors, for sizes that do not fit, and where
    the sum of the squared windows is 0.""",
)
