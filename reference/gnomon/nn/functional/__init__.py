"""The functions behind the modules: thin calls of the operators, with torch.nn.functional's signatures.

One file a family; this one only gathers the names.
"""

from .activation import gelu, leaky_relu, log_softmax, relu, sigmoid, silu, softmax, tanh
from .arguments import (
    REDUCTIONS,
    check_embedding_options,
    check_probability,
    pair,
    resolve_reduction,
    wrap_padding_idx,
)
from .convolution import conv2d
from .dropout import dropout
from .linear import embedding, linear
from .loss import cross_entropy, mse_loss, nll_loss
from .pooling import max_pool2d
