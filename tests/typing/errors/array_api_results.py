"""Results of the array API standard's functions, and of flags by position."""

import gnomon as gn
import gnomon.array_api as xp

x = gn.ones(2, 2)
xp.fft.fft(x).shap  # error: attr-defined
xp.fft.ihfft(x).shap  # error: attr-defined
xp.fft.rfftn(x).shap  # error: attr-defined
xp.fft.fft(x, norm="orth")  # error: arg-type
xp.fft.fft(x, 3)  # error: call-arg
xp.linalg.svd(x).V  # error: attr-defined
xp.linalg.qr(x).q  # error: attr-defined
xp.linalg.eig(x).values  # error: attr-defined
xp.linalg.eigh(x).values  # error: attr-defined
xp.linalg.slogdet(x).determinant  # error: attr-defined
gn.unique(x, True, True).shape  # error: attr-defined
gn.unique(x, True, False, True).shape  # error: attr-defined
values, places = gn.unique(x, True, True, True)  # error: misc
x.unique(True, True).shape  # error: attr-defined
