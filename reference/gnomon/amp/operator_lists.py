"""Which operators autocast runs in which precision, by kind of device.

lower_precision_fp  operands are cast to autocast's dtype: matrix products and convolutions
fp32                operands are cast to float32: functions that need its range or precision
fp32_set_opt_dtype  the result, and so the sum, is float32 unless the call gives a dtype
promote             operands are cast to the widest of their dtypes
as_given            nothing is cast, nor in the operators that the operator calls

Operators that are not here run in the dtypes that they are given; what a composite calls may be here.

Source: aten/src/ATen/autocast_mode.h, autocast_mode.cpp.
"""

from __future__ import annotations

POLICIES: dict[str, dict[str, str]] = {
    "cpu": {
        "lower_precision_fp": """
            conv1d conv1d.padding conv2d conv2d.padding conv3d conv3d.padding conv_transpose1d
            conv_transpose2d.input conv_transpose3d.input mm bmm addmm addbmm baddbmm linear matmul
            linalg_vecdot prelu scaled_dot_product_attention lstm.input lstm.data rnn_tanh.input rnn_tanh.data
            rnn_relu.input rnn_relu.data rnn_tanh_cell rnn_relu_cell""",
        "as_given": "dot vdot mv addmv pad_sequence gru.input gru.data gru_cell lstm_cell",
        "fp32": """
            avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d fractional_max_pool2d
            fractional_max_pool3d max_unpool2d max_unpool3d grid_sampler grid_sampler_2d grid_sampler_3d polar
            view_as_complex trace cdist prod prod.dim_int quantile quantile.scalar nanquantile
            nanquantile.scalar stft reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d
            replication_pad3d binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss
            smooth_l1_loss huber_loss nll_loss nll_loss2d nll_loss_nd cross_entropy_loss
            cosine_embedding_loss hinge_embedding_loss poisson_nll_loss margin_ranking_loss
            soft_margin_loss triplet_margin_loss multi_margin_loss multilabel_margin_loss
            multilabel_margin_loss_forward ctc_loss.IntList
            ctc_loss.Tensor kl_div fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft
            fft_rfft2 fft_irfft2 fft_rfftn fft_irfftn fft_hfft fft_ihfft cholesky cholesky_inverse
            cholesky_solve inverse lu_solve orgqr ormqr pinverse geqrf qr svd triangular_solve linalg_cond
            linalg_matrix_rank linalg_solve linalg_cholesky linalg_cholesky_ex linalg_svdvals linalg_eigvals
            linalg_eigvalsh linalg_inv linalg_inv_ex linalg_householder_product linalg_tensorinv
            linalg_tensorsolve linalg_qr linalg_svd linalg_eig linalg_eigh linalg_lstsq
            fake_quantize_per_tensor_affine""",
        "promote": "stack cat index_copy",
    },
    "cuda": {
        "lower_precision_fp": """
            conv1d conv2d conv3d conv_transpose1d conv_transpose2d.input conv_transpose3d.input convolution
            prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm bmm chain_matmul
            linalg_multi_dot lstm.input lstm.data gru.input gru.data rnn_tanh.input rnn_tanh.data
            rnn_relu.input rnn_relu.data lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell
            scaled_dot_product_attention""",
        "fp32": """
            acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar
            pow.Tensor_Tensor pow.Scalar softplus layer_norm native_layer_norm rms_norm group_norm
            cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d nll_loss_nd
            hinge_embedding_loss
            kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss
            soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist
            cdist renorm logsumexp upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d
            _upsample_nearest_exact2d upsample_nearest3d _upsample_nearest_exact3d upsample_linear1d
            upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d upsample_bicubic2d
            _upsample_bicubic2d_aa""",
        "fp32_set_opt_dtype": """
            prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm
            linalg_matrix_norm.str_ord sum sum.dim_IntList""",
        "promote": """
            addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add""",
    },
}


def policy_of(operator: str, kind: str) -> str | None:
    """The policy of an operator, by its full name, on a kind of device; None: it is on no list."""
    return _POLICIES[kind].get(operator)


_POLICIES = {
    kind: {name: policy for policy, names in lists.items() for name in names.split()}
    for kind, lists in POLICIES.items()
}
LISTED = frozenset(name for names in _POLICIES.values() for name in names)
