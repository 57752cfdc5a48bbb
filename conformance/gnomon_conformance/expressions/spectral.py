"""Fourier transforms."""

from . import expressions_of

for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _input = "t(2, 5)" if _name in ("rfft", "ihfft") else "t(2, 5, dtype='complex64')"
    _function = f"gn.fft.{_name}"
    expressions_of(
        f"fft.{_name}",
        f"{_function}({_input})",
        f"{_function}(t(3, 4))",
        f"{_function}({_input}, 7)",
        f"{_function}({_input}, n=3, dim=0, norm='ortho')",
        f"{_function}(input={_input}, norm='forward')",
        f"{_function}(t(2, 5, dtype='int64'))",
        f"{_function}(t(4, dtype='float64'))",
        f"{_function}({_input}, 0)",
        f"{_function}({_input}, dim=2)",
        f"{_function}({_input}, norm='none')",
        f"{_function}(t(4, dtype='float16'))",
        f"out = {_function}({_input}); {_function}({_input}, out=out); out",
        f"grad(lambda x: {_function}(x), {_input})",
    )
for _name in ("fft", "ifft", "rfft", "irfft"):
    _input = "t(2, 3, 4)" if _name == "rfft" else "t(2, 3, 4, dtype='complex64')"
    for _dims, _all in (("2", "None"), ("n", "(0, 1, 2)")):
        _function = f"gn.fft.{_name}{_dims}"
        expressions_of(
            f"fft.{_name}{_dims}",
            f"{_function}({_input})",
            f"{_function}({_input}, (3, 5))",
            f"{_function}({_input}, s=(2, -1), dim=(0, 2))",
            f"{_function}({_input}, dim=(1, 0), norm='ortho')",
            f"{_function}({_input}, 3, 1)",
            f"{_function}({_input}, dim=(0, 0))",
            f"{_function}({_input}, (2, 3), (0,))",
            f"{_function}(t(4))",
            f"grad(lambda x: {_function}(x), {_input})",
        )
expressions_of("fft.fftn", "gn.fft.fftn(t(2, 3), dim=())", "gn.fft.fftn(t())")
expressions_of(
    "fft.fftfreq",
    "gn.fft.fftfreq(5, device=t(1).device)",
    "gn.fft.fftfreq(6, d=0.5, device=t(1).device)",
    "gn.fft.fftfreq(4, 0.1, dtype=gn.float64, device=t(1).device)",
    "gn.fft.fftfreq(-1)",
    "gn.fft.fftfreq(4, dtype=gn.int64)",
    "gn.fft.fftfreq(2.5)",
)
expressions_of(
    "fft.rfftfreq",
    "gn.fft.rfftfreq(5, device=t(1).device)",
    "gn.fft.rfftfreq(6, d=0.5, device=t(1).device)",
    "gn.fft.rfftfreq(4, dtype=gn.float16, device=t(1).device)",
)
expressions_of(
    "fft.fftshift",
    "gn.fft.fftshift(t(5))",
    "gn.fft.fftshift(t(2, 3), dim=1)",
    "gn.fft.fftshift(t(2, 3, 4), (0, 2))",
    "gn.fft.fftshift(t(2, 3), 3)",
    "gn.fft.ifftshift(gn.fft.fftshift(t(2, 3)))",
)
expressions_of(
    "fft.ifftshift",
    "gn.fft.ifftshift(t(5))",
    "gn.fft.ifftshift(t(2, 3), dim=(1,))",
    "gn.fft.ifftshift(t(2), ())",
)

for _name in ("hfft2", "ihfft2", "hfftn", "ihfftn"):
    _function = f"gn.fft.{_name}"
    expressions_of(
        f"fft.{_name}",
        f"{_function}(t(2, 3, 4))",
        f"{_function}(t(3, 4, dtype='int64'))",
        f"{_function}(t(3, 4, dtype='complex64'))",
        f"{_function}(t(3, 4, dtype='float64'), s=(2, 5), norm='ortho')",
        f"{_function}(input=t(3, 4), dim=(1, 0), norm='forward')",
        f"{_function}(t(3, 4), (5,), (0,))",
        f"{_function}(t(3, 4), out={'gn.empty(0)' if _name[0] == 'h' else 'gn.empty(3, 3) + 0j'})",
        f"{_function}(t(3, 4), out=gn.empty(0, dtype=gn.int64))",
        f"{_function}(t(4))",
        f"{_function}(t(3, 4, dtype='float16'))",
        f"grad(lambda x: {_function}(x), t(3, 4))",
    )

expressions_of(
    "stft",
    "gn.stft(t(9), 4, window=gn.ones(4), return_complex=True)",
    "gn.stft(t(2, 9), 4, 1, 3, gn.ones(3), False, normalized=True, return_complex=True)",
    "t(9).stft(n_fft=4, window=gn.hann_window(4), pad_mode='constant', return_complex=True)",
    "gn.stft(t(9), 4, window=gn.ones(4))",
    "gn.stft(t(9), 4, window=gn.ones(4), align_to_window=True, return_complex=True)",
)
expressions_of(
    "istft",
    "gn.istft(gn.stft(t(2, 9), 4, window=gn.ones(4), return_complex=True), 4, window=gn.ones(4))",
    "gn.stft(t(9), 4, window=gn.ones(4), return_complex=True).istft(4, window=gn.ones(4), length=9)",
    "gn.istft(t(3, 4, dtype='complex64'), n_fft=4, center=False, window=gn.hann_window(4))",
)
