"""Words that are none of those that an argument may be."""

from __future__ import annotations

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import fft, linalg, nn

x = gn.ones(1, 1, 4, 4)
m = gn.eye(4)
gn.div(x, 2, rounding_mode="ceil")  # error: arg-type
gn.searchsorted(m[0], m, side="middle")  # error: call-overload
gn.meshgrid(m[0], m[1], indexing="yx")  # error: arg-type
gn.quantile(m, 0.5, interpolation="cubic")  # error: call-overload
m.scatter_reduce(0, m.long(), m, reduce="max")  # error: arg-type
fft.fft(m, norm="orthogonal")  # error: arg-type
linalg.eigh(m, UPLO="lower")  # error: arg-type
linalg.qr(m, mode="full")  # error: arg-type
linalg.lstsq(m, m, driver="svd")  # error: arg-type
F.pad(x, (1, 1), mode="mirror")  # error: arg-type
F.interpolate(x, scale_factor=2.0, mode="cubic")  # error: arg-type
F.grid_sample(x, gn.zeros(1, 2, 2, 2), padding_mode="reflect")  # error: arg-type
F.gelu(x, approximate="erf")  # error: arg-type
F.mse_loss(x, x, reduction="average")  # error: arg-type
F.conv2d(x, x, padding="full")  # error: arg-type
nn.MSELoss(reduction="max")  # error: arg-type
nn.Conv2d(1, 1, 3, padding_mode="same")  # error: arg-type
nn.EmbeddingBag(3, 2, mode="min")  # error: arg-type
nn.RNNCell(2, 2, nonlinearity="sigmoid")  # error: arg-type
nn.init.kaiming_uniform_(m, nonlinearity="gelu")  # error: arg-type
gn.stft(m[0], 2, pad_mode="zz")  # error: arg-type
gn.cdist(m, m, compute_mode="fast")  # error: arg-type
gn.norm(m, p="froo")  # error: arg-type
gn.compile(gn.sin, mode="fast")  # error: call-overload
gn.vmap(gn.sin, randomness="none")  # error: arg-type
gn.set_float32_matmul_precision("low")  # error: arg-type
gn.set_printoptions(profile="long")  # error: arg-type
gn.autograd.functional.jacobian(gn.sin, m, strategy="reverse")  # error: arg-type
nn.utils.rnn.pad_sequence([m[0]], padding_side="lft")  # error: arg-type
nn.TransformerEncoderLayer(8, 2, activation="foo")  # error: arg-type
nn.TransformerDecoderLayer(8, 2, activation="tanh")  # error: arg-type
nn.Transformer(8, 2, activation="foo")  # error: arg-type
nn.RNN(2, 2, nonlinearity="sigmoid")  # error: arg-type
nn.Conv2d(1, 1, 3, padding="full")  # error: arg-type
nn.CrossEntropyLoss(reduction="avg")  # error: arg-type
nn.Upsample(scale_factor=2, mode="cubic")  # error: arg-type
nn.GELU(approximate="erf")  # error: arg-type
F.mse_loss(x, x, reduction="sum")
