"""Transformers.  Source: torch/nn/modules/transformer.py; arXiv:1706.03762.

gnomon has no fast path for inference: a TransformerEncoder computes padded positions like others, where
PyTorch's fast path fills them with zeros.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import gnomon as gn

from .. import functional, init
from ..common_types import ActivationName
from .activation import GELU, MultiheadAttention, ReLU
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

Activation = Callable[[gn.Tensor], gn.Tensor]


def _generate_square_subsequent_mask(
    sz: int, device: gn.device | str | int | None = None, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """(sz, sz): -inf above the diagonal, 0 elsewhere."""
    return gn.full((sz, sz), -math.inf, device=device, dtype=dtype).triu(1)


def _is_causal(mask: gn.Tensor | None, is_causal: bool | None, input: gn.Tensor, batch_first: bool) -> bool:
    """Is ``mask`` the causal mask for the input?  ``is_causal``, if given, says so."""
    if is_causal is not None or mask is None:
        return is_causal is True
    size = input.size(1 if batch_first and input.dim() == 3 else 0)
    if tuple(mask.shape) != (size, size):
        return False
    return bool((mask == _generate_square_subsequent_mask(size, mask.device, mask.dtype)).all())


def _get_activation_fn(activation: ActivationName | Activation) -> Activation:
    if not isinstance(activation, str):
        return activation
    if activation == "relu":
        return functional.relu
    if activation == "gelu":
        return functional.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


def _get_clones(module: Module, number: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(number)])


class TransformerEncoderLayer(Module):
    """Self-attention and a feedforward network, each with dropout, a residual connection and LayerNorm.

    ``d_model`` features, ``nhead`` heads, ``dim_feedforward`` hidden features; ``activation`` is 'relu',
    'gelu' or a function; ``norm_first`` normalizes before attention and network instead of after them.
    Raises RuntimeError for an unknown activation.  Source: torch.nn.TransformerEncoderLayer.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: ActivationName | Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        where: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **where)
        self.linear1 = Linear(d_model, dim_feedforward, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def forward(
        self,
        src: gn.Tensor,
        src_mask: gn.Tensor | None = None,
        src_key_padding_mask: gn.Tensor | None = None,
        is_causal: bool = False,
    ) -> gn.Tensor:
        """(S, N, d_model), with ``batch_first`` (N, S, d_model), or (S, d_model) -> the same shape.

        The masks are those of MultiheadAttention.
        """
        src_key_padding_mask = functional.canonical_mask(
            src_key_padding_mask,
            "src_key_padding_mask",
            None if src_mask is None else src_mask.dtype,
            "src_mask",
            src.dtype,
        )
        src_mask = functional.canonical_mask(src_mask, "src_mask", None, "", src.dtype, False)
        masks = (src_mask, src_key_padding_mask, is_causal)
        if self.norm_first:
            src = src + self._sa_block(self.norm1(src), *masks)
            return src + self._ff_block(self.norm2(src))
        src = self.norm1(src + self._sa_block(src, *masks))
        return self.norm2(src + self._ff_block(src))

    def _sa_block(
        self, x: gn.Tensor, mask: gn.Tensor | None, padding: gn.Tensor | None, is_causal: bool
    ) -> gn.Tensor:
        found, _ = self.self_attn(
            x,
            x,
            x,
            attn_mask=mask,
            key_padding_mask=padding,
            need_weights=False,
            is_causal=is_causal,
        )
        return self.dropout1(found)

    def _ff_block(self, x: gn.Tensor) -> gn.Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to the memory, and a feedforward network, each with dropout, a residual
    connection and LayerNorm.

    The arguments are those of TransformerEncoderLayer.  Source: torch.nn.TransformerDecoderLayer.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: ActivationName | Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        where: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **where)
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first, **where
        )
        self.linear1 = Linear(d_model, dim_feedforward, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **where)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def forward(
        self,
        tgt: gn.Tensor,
        memory: gn.Tensor,
        tgt_mask: gn.Tensor | None = None,
        memory_mask: gn.Tensor | None = None,
        tgt_key_padding_mask: gn.Tensor | None = None,
        memory_key_padding_mask: gn.Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> gn.Tensor:
        """tgt (T, N, d_model) and memory (S, N, d_model) -> (T, N, d_model); other shapes and the masks as in
        TransformerEncoderLayer.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        cross = (memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            tgt = tgt + self._sa_block(self.norm1(tgt), *own)
            tgt = tgt + self._mha_block(self.norm2(tgt), memory, *cross)
            return tgt + self._ff_block(self.norm3(tgt))
        tgt = self.norm1(tgt + self._sa_block(tgt, *own))
        tgt = self.norm2(tgt + self._mha_block(tgt, memory, *cross))
        return self.norm3(tgt + self._ff_block(tgt))

    def _sa_block(
        self, x: gn.Tensor, mask: gn.Tensor | None, padding: gn.Tensor | None, is_causal: bool
    ) -> gn.Tensor:
        found, _ = self.self_attn(
            x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask, is_causal=is_causal
        )
        return self.dropout1(found)

    def _mha_block(
        self,
        x: gn.Tensor,
        memory: gn.Tensor,
        mask: gn.Tensor | None,
        padding: gn.Tensor | None,
        is_causal: bool,
    ) -> gn.Tensor:
        found, _ = self.multihead_attn(
            x,
            memory,
            memory,
            key_padding_mask=padding,
            need_weights=False,
            attn_mask=mask,
            is_causal=is_causal,
        )
        return self.dropout2(found)

    def _ff_block(self, x: gn.Tensor) -> gn.Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """A stack of ``num_layers`` copies of ``encoder_layer``, and then ``norm``.

    With ``enable_nested_tensor``, inference leaves padding out as PyTorch's fast path does: what the layers
    return for it is 0.  That is, if the layers are TransformerEncoderLayer with ``batch_first``, in
    evaluation mode and with PyTorch's defaults, padding is the only mask, and nothing requires grad.  With
    ``mask_check`` padding must be at the end of sequences.  Source: torch.nn.TransformerEncoder.
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: gn.Tensor,
        mask: gn.Tensor | None = None,
        src_key_padding_mask: gn.Tensor | None = None,
        is_causal: bool | None = None,
    ) -> gn.Tensor:
        """(S, N, d_model) -> the same shape; other shapes and the masks as in TransformerEncoderLayer.

        Without ``is_causal``, it is determined whether ``mask`` is the causal mask.
        """
        src_key_padding_mask = functional.canonical_mask(
            src_key_padding_mask,
            "src_key_padding_mask",
            None if mask is None else mask.dtype,
            "mask",
            src.dtype,
        )
        mask = functional.canonical_mask(mask, "mask", None, "", src.dtype, False)
        causal = _is_causal(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        leaves_out = mask is None and self._leaves_out_padding(src, src_key_padding_mask)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        if leaves_out and src_key_padding_mask is not None:
            src = src.masked_fill(src_key_padding_mask.ne(0).unsqueeze(-1), 0.0)
        return src if self.norm is None else self.norm(src)

    def _leaves_out_padding(self, src: gn.Tensor, padding: gn.Tensor | None) -> bool:
        """Would PyTorch run its fast path with nested tensors?"""
        layer = self.layers[0]
        if not (
            self.enable_nested_tensor
            and isinstance(layer, TransformerEncoderLayer)
            and layer.self_attn.batch_first
            and layer.self_attn.in_proj_bias is not None
            and layer.self_attn.num_heads % 2 == 0
            and (
                layer.activation in (functional.relu, functional.gelu)
                or isinstance(layer.activation, (ReLU, GELU))
            )
            and layer.norm1.eps == layer.norm2.eps
            and not layer.norm_first
            and not layer.training
        ):
            return False
        if src.dim() != 3 or padding is None or gn.is_autocast_enabled():
            return False
        if gn.is_grad_enabled() and any(each.requires_grad for each in (src, *layer.parameters())):
            return False
        is_padding = padding.ne(0)
        return not (self.mask_check and bool((is_padding[:, :-1] & ~is_padding[:, 1:]).any()))


class TransformerDecoder(Module):
    """A stack of ``num_layers`` copies of ``decoder_layer``, and then ``norm``.

    Source: torch.nn.TransformerDecoder.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: gn.Tensor,
        memory: gn.Tensor,
        tgt_mask: gn.Tensor | None = None,
        memory_mask: gn.Tensor | None = None,
        tgt_key_padding_mask: gn.Tensor | None = None,
        memory_key_padding_mask: gn.Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> gn.Tensor:
        """tgt (T, N, d_model) and memory (S, N, d_model) -> (T, N, d_model); see TransformerDecoderLayer."""
        causal = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder of the layers above; ``custom_encoder`` and ``custom_decoder`` replace them.

    Weights are initialized by ``xavier_uniform_``.  Source: torch.nn.Transformer.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: ActivationName | Activation = functional.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        options = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        where: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            encoder_layer = TransformerEncoderLayer(d_model, nhead, *options, **where)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **where)
            self.encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            decoder_layer = TransformerDecoderLayer(d_model, nhead, *options, **where)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **where)
            self.decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: gn.Tensor,
        tgt: gn.Tensor,
        src_mask: gn.Tensor | None = None,
        tgt_mask: gn.Tensor | None = None,
        memory_mask: gn.Tensor | None = None,
        src_key_padding_mask: gn.Tensor | None = None,
        tgt_key_padding_mask: gn.Tensor | None = None,
        memory_key_padding_mask: gn.Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> gn.Tensor:
        """src (S, N, d_model) and tgt (T, N, d_model) -> (T, N, d_model); with ``batch_first`` N comes first,
        without a batch there is no N.

        Raises RuntimeError for different batch sizes, and for another number of features.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: gn.device | str | int | None = None, dtype: gn.dtype | None = None
    ) -> gn.Tensor:
        """The causal mask (sz, sz): -inf above the diagonal, 0 elsewhere."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
