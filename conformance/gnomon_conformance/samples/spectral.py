"""Samples of Fourier transforms.

Sizes are not 0 and dimensions are not negative: MKL, which PyTorch calls, refuses the former and misreads the
latter.
"""

from typing import Any

from ..inputs.description import ON_DEVICE, bad, sample, tensor
from . import samples_of

SINGLE, DOUBLE = ("float32", "float64"), ("complex64", "complex128")
CUBE = tensor(2, 3, 4)
samples_of(
    "_fft_c2c",
    [
        sample(tensor(5), [0], 0, True, dtypes=DOUBLE),
        sample(CUBE, [2], 1, True, dtypes=DOUBLE),
        sample(CUBE, [0], 2, False, dtypes=DOUBLE),
        sample(CUBE, [0, 2], 0, False, dtypes=DOUBLE),
        sample(CUBE, [2, 0, 1], 1, True, dtypes=DOUBLE),
        sample(CUBE, [], 0, True, dtypes=DOUBLE),
        bad("RuntimeError", CUBE, [0], 0, True),
    ],
    tolerance="composed",
)
samples_of(
    "_fft_r2c",
    [
        sample(tensor(5), [0], 0, True, dtypes=SINGLE),
        sample(tensor(6), [0], 0, False, dtypes=SINGLE),
        sample(CUBE, [1], 1, True, dtypes=SINGLE),
        sample(CUBE, [2, 0], 2, True, dtypes=SINGLE),
        sample(CUBE, [0, 2], 0, False, dtypes=SINGLE),
        sample(CUBE, [0, 1, 2], 0, True, dtypes=SINGLE),
        bad("RuntimeError", CUBE, [0], 0, True, dtypes=("int64", "complex64", "float16", "bool")),
        bad("RuntimeError", CUBE, [], 0, True),
    ],
    tolerance="composed",
)
samples_of(
    "_fft_c2r",
    [
        sample(tensor(3), [0], 0, 5, dtypes=DOUBLE, smooth=False),
        sample(tensor(4), [0], 2, 6, dtypes=DOUBLE, smooth=False),
        sample(CUBE, [1], 1, 4, dtypes=DOUBLE, smooth=False),
        sample(CUBE, [2, 0], 0, 3, dtypes=DOUBLE, smooth=False),
        sample(CUBE, [0, 2], 2, 7, dtypes=DOUBLE, smooth=False),
        bad("RuntimeError", CUBE, [2], 0, 20, dtypes=("complex64",)),
        bad("RuntimeError", CUBE, [2], 0, 6),
        bad("RuntimeError", CUBE, [], 0, 3, dtypes=("complex64",)),
    ],
    tolerance="composed",
)

HALVES = ("float16", "bfloat16")
ALL = tuple(dtype for dtype in ("bool", "uint8", "int64", "float32", "float64", "complex64", "complex128"))
REAL = tuple(dtype for dtype in ALL if not dtype.startswith("complex"))
for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _dtypes = REAL if _name in ("rfft", "ihfft") else ALL
    _smooth = _name not in ("irfft", "hfft")
    samples_of(
        f"fft_{_name}",
        [
            sample(tensor(4), dtypes=_dtypes, smooth=_smooth),
            sample(tensor(2, 5), 3, dtypes=_dtypes, smooth=_smooth),
            sample(tensor(2, 3), 6, -2, dtypes=_dtypes, smooth=_smooth),
            sample(tensor(2, 3), None, 0, "ortho", dtypes=_dtypes, smooth=_smooth),
            sample(tensor(2, 3), None, 1, "forward", dtypes=_dtypes, smooth=_smooth),
            bad("RuntimeError", tensor(3), 0),
            bad("RuntimeError", tensor(3), None, 0, "full"),
            bad("RuntimeError", tensor(3), dtypes=HALVES),
            bad("IndexError", tensor(3), None, 1),
            bad("IndexError", tensor()),
        ],
        tolerance="composed",
    )
for _name in ("rfft", "ihfft", "rfftn", "rfft2"):
    samples_of(f"fft_{_name}", [bad("RuntimeError", tensor(2, 3), dtypes=("complex64",))])
for _name in ("fft", "ifft", "rfft", "irfft"):
    _dtypes = REAL if _name == "rfft" else ALL
    _smooth = _name != "irfft"
    _shared = [
        sample(tensor(2, 3), dtypes=_dtypes, smooth=_smooth),
        sample(tensor(2, 3, 2), [3, 2], [0, 1], dtypes=_dtypes, smooth=_smooth),
        sample(tensor(2, 2, 3), [2, -1], dtypes=_dtypes, smooth=_smooth),
        sample(tensor(2, 3, 2), None, [2, 1], "ortho", dtypes=_dtypes, smooth=_smooth),
        bad("RuntimeError", tensor(2, 3), [2, 3, 4]),
        bad("RuntimeError", tensor(2, 3), [0, 3]),
        bad("RuntimeError", tensor(2, 3), None, [0, 0]),
        bad("RuntimeError", tensor(2, 3), [2], [0, 1]),
        bad("IndexError", tensor(2, 3), None, [0, 2]),
    ]
    samples_of(f"fft_{_name}2 fft_{_name}n", _shared, tolerance="composed")
for _name in ("fft", "ifft"):
    samples_of(f"fft_{_name}n", [sample(tensor(2, 2), None, [], dtypes=ALL), sample(tensor(), dtypes=ALL)])
for _name in ("rfft", "irfft"):
    samples_of(f"fft_{_name}n", [bad("RuntimeError", tensor(2, 2), None, [])])

ONCE = ("float32",)
samples_of(
    "fft_fftfreq fft_rfftfreq",
    [
        sample(5, dtypes=ONCE),
        sample(6, 0.5, dtypes=ONCE),
        sample(0, dtypes=ONCE),
        sample(3, 0.0, dtypes=ONCE),
        sample(4, dtype="float64", dtypes=ONCE),
        sample(4, dtype="float16", dtypes=ONCE),
        sample(4, layout="strided", dtypes=ONCE),
        sample(4, pin_memory=False, dtypes=ONCE),
        sample(4, device=ON_DEVICE, dtypes=ONCE),
        bad("RuntimeError", -4),
        bad("RuntimeError", 4, dtype="int64"),
    ],
    tolerance="elementary",
)
samples_of(
    "fft_fftshift fft_ifftshift",
    [
        sample(tensor(5)),
        sample(tensor(2, 3)),
        sample(tensor(2, 3, 4), [1]),
        sample(tensor(2, 3, 4), [2, 0]),
        bad("IndexError", tensor(2, 3), [2]),
        bad("RuntimeError", tensor(2, 3), []),
    ],
)

for _name in ("hfft", "ihfft"):
    _dtypes = REAL if _name == "ihfft" else ALL
    _smooth = _name != "hfft"
    _shared = [
        sample(tensor(2, 3), dtypes=_dtypes, smooth=_smooth),
        sample(tensor(2, 3, 2), [3, 2], [0, 1], dtypes=_dtypes, smooth=_smooth),
        sample(tensor(2, 2, 3), [2, -1], dtypes=_dtypes, smooth=_smooth),
        sample(tensor(2, 3, 2), None, [2, 1], "ortho", dtypes=_dtypes, smooth=_smooth),
        sample(tensor(2, 3), [5], [0], "forward", dtypes=_dtypes, smooth=_smooth),
        bad("RuntimeError", tensor(2, 3), [2, 3, 4]),
        bad("RuntimeError", tensor(2, 3), [0, 3]),
        bad("RuntimeError", tensor(2, 3), [2, 0]),
        bad("RuntimeError", tensor(2, 3), None, [0, 0]),
        bad("RuntimeError", tensor(2, 3), None, []),
        bad("RuntimeError", tensor(2, 3), [2], [0, 1]),
        bad("RuntimeError", tensor(2, 3), None, [0, 1], "full"),
        bad("RuntimeError", tensor(2, 3), dtypes=HALVES),
        bad("IndexError", tensor(2, 3), None, [0, 2]),
    ]
    samples_of(f"fft_{_name}2", _shared, tolerance="composed")
    samples_of(
        f"fft_{_name}n",
        [
            *_shared,
            sample(tensor(2, 3, 2), dtypes=_dtypes, smooth=_smooth),
            sample(tensor(2, 2, 3), [4], dtypes=_dtypes, smooth=_smooth),
            bad("RuntimeError", tensor(), dtypes=_dtypes),
        ],
        tolerance="composed",
    )
    if _name == "ihfft":
        samples_of("fft_ihfft2 fft_ihfftn", [bad("RuntimeError", tensor(2, 3), dtypes=("complex64",))])

_SIGNAL = tensor(2, 9)
_TAPERS = {size: tensor(size, values="positive") for size in (3, 4, 5)}
_REAL_TAPERS = {size: tensor(size, values="positive", dtype="float32") for size in (4, 5)}
_FOUR: dict[str, Any] = {"window": _TAPERS[4], "return_complex": True}
_SHARED = [
    bad("RuntimeError", tensor(9), 4, **_FOUR, dtypes=("int64", "float16")),
    bad("RuntimeError", tensor(1, 2, 9), 4, **_FOUR),
    bad("RuntimeError", tensor(9), 4, window=_TAPERS[4], dtypes=("float32",)),
    bad("RuntimeError", tensor(9), 4, 0, **_FOUR),
    bad("RuntimeError", tensor(9), 4, 1, 5, _TAPERS[5], return_complex=True),
    bad("RuntimeError", tensor(9), 4, 1, 3, tensor(4), return_complex=True),
    bad("RuntimeError", tensor(9), 4, onesided=True, window=_TAPERS[4], dtypes=("complex64",)),
]
samples_of(
    "stft",
    [
        sample(tensor(9), 5, window=_TAPERS[5], return_complex=True, dtypes=SINGLE),
        sample(_SIGNAL, 5, 2, 4, _TAPERS[4], True, return_complex=True, dtypes=SINGLE),
        sample(_SIGNAL, 5, 3, 4, _TAPERS[4], onesided=False, return_complex=True, dtypes=SINGLE),
        sample(tensor(9), 4, 1, 3, _TAPERS[3], return_complex=True, align_to_window=False, dtypes=SINGLE),
        sample(tensor(8), 6, 2, 4, _TAPERS[4], return_complex=True, align_to_window=True, dtypes=SINGLE),
        sample(tensor(9), 5, 2, window=_TAPERS[5], dtypes=("complex64",)),
        *_SHARED,
        bad("RuntimeError", tensor(3), 4, **_FOUR),
    ],
    tolerance="composed",
)
samples_of(
    "stft.center",
    [
        sample(tensor(9), 5, window=_TAPERS[5], return_complex=True, dtypes=SINGLE),
        sample(_SIGNAL, 5, 2, 4, _TAPERS[4], True, "constant", True, return_complex=True, dtypes=SINGLE),
        sample(
            _SIGNAL,
            5,
            3,
            window=_TAPERS[5],
            onesided=False,
            return_complex=True,
            pad_mode="circular",
            dtypes=SINGLE,
        ),
        sample(
            tensor(9),
            4,
            2,
            3,
            _TAPERS[3],
            center=False,
            return_complex=True,
            align_to_window=False,
            dtypes=SINGLE,
        ),
        sample(tensor(9), 5, 2, window=_TAPERS[5], dtypes=("complex64",)),
        *_SHARED,
        bad("RuntimeError", tensor(9), 4, 1, **_FOUR, align_to_window=True),
        bad("NotImplementedError", tensor(9), 4, **_FOUR, pad_mode="other"),
    ],
    tolerance="composed",
)
_INVERSE: dict[str, Any] = {"dtypes": ("complex64",), "smooth": False}
samples_of(
    "istft",
    [
        sample(tensor(3, 4), 4, window=_REAL_TAPERS[4], **_INVERSE),
        sample(tensor(2, 3, 4), 5, 2, 5, _REAL_TAPERS[5], **_INVERSE),
        sample(tensor(3, 4), 5, 1, 4, _REAL_TAPERS[4], normalized=True, onesided=True, length=6, **_INVERSE),
        sample(tensor(4, 3), 4, 2, window=_REAL_TAPERS[4], center=False, onesided=False, **_INVERSE),
        sample(tensor(5, 3), 5, 2, window=_TAPERS[5], return_complex=True, dtypes=("complex64",)),
        bad("RuntimeError", tensor(3, 4), 4, window=_REAL_TAPERS[4], dtypes=("float32",)),
        *[
            bad("RuntimeError", *arguments, **options, dtypes=("complex64",))
            for arguments, options in (
                ((tensor(1, 1, 3, 4), 4, 1, 4, _REAL_TAPERS[4]), {}),
                ((tensor(0, 3, 4), 4, 1, 4, _REAL_TAPERS[4]), {}),
                ((tensor(3, 4), 6, 1, 4, _REAL_TAPERS[4]), {}),
                ((tensor(3, 4), 4, 1, 4, _REAL_TAPERS[4]), {"onesided": False}),
                ((tensor(3, 4), 4, 5, 4, _REAL_TAPERS[4]), {}),
                ((tensor(3, 4), 4, 1, 5, _REAL_TAPERS[5]), {}),
                ((tensor(3, 4), 4, 1, 3, _REAL_TAPERS[4]), {}),
                ((tensor(3, 4), 4, 1, 4, _REAL_TAPERS[4]), {"return_complex": True}),
                ((tensor(4, 4), 4, 1, 4, _TAPERS[4]), {}),
            )
        ],
    ],
    tolerance="composed",
)
