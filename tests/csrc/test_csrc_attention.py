"""The C backend's fused attention: blocks, layouts, masks, shared key and value heads, threads."""

import itertools
import math

import pytest

import gnomon as gn
from gnomon.nn.functional import scaled_dot_product_attention
from gnomon.ops import aten

pytestmark = pytest.mark.skipif(
    "c" not in gn.backends() or not gn.backends()["c"].available, reason="no C library"
)

flash = aten._scaled_dot_product_flash_attention_for_cpu
flash_backward = aten._scaled_dot_product_flash_attention_for_cpu_backward


def numbers(*sizes, seed=0, dtype=gn.float64, scale=1.0):
    """Numbers between -1 and 1 times ``scale``."""
    count = math.prod(sizes)
    flat = (gn.arange(count, device="c") * 7919 + seed * 104729) % 2003
    return ((flat.to(gn.float64) / 1001 - 1) * scale).reshape(sizes).to(dtype)


def by_hand(query, key, value, mask, causal):
    """Attention by matrix products, in float64."""
    group = query.size(1) // key.size(1)
    key, value = (each.repeat_interleave(group, 1) for each in (key, value))
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores + mask
    if causal:
        seen = gn.ones(scores.size(-2), scores.size(-1), dtype=gn.bool, device="c").tril()
        scores = scores.masked_fill(seen.logical_not(), -math.inf)
    return gn.softmax(scores, -1) @ value, gn.logsumexp(scores, -1)


# one block; blocks that end early in both directions; several blocks of keys with few queries
SIZES = [
    (2, 2, 2, 5, 7, 4),
    (1, 4, 2, 64, 256, 8),
    (1, 2, 1, 130, 300, 16),
    (1, 1, 1, 3, 600, 8),
    (1, 1, 1, 70, 20, 3),
]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", ["no", "each", "keys"])
@pytest.mark.parametrize("sizes", SIZES)
def test_attention_is_the_products(sizes, masked, causal):
    batch, heads, key_heads, queries, keys, width = sizes
    given = [
        numbers(batch, heads, queries, width, seed=1, scale=3.0),
        numbers(batch, key_heads, keys, width, seed=2, scale=3.0),
        numbers(batch, key_heads, keys, width, seed=3),
    ]
    shape = {"each": (queries, keys), "keys": (batch, 1, 1, keys)}
    mask = None if masked == "no" else numbers(*shape[masked], seed=4, scale=2.0)
    leaves = [each.requires_grad_() for each in given]
    wanted, logs = by_hand(*leaves, mask, causal)
    grad = numbers(batch, heads, queries, width, seed=5)
    gradients = gn.autograd.grad([wanted], leaves, [grad])
    with gn.no_grad():
        out, found_logs = flash.default(*given, 0.0, causal, mask, None)
        found = flash_backward.default(grad, *given, out, found_logs, 0.0, causal, mask, None)
    for one, other in zip((out, found_logs, *found), (wanted.detach(), logs.detach(), *gradients)):
        assert (one - other).abs().max().item() < 1e-12


@pytest.mark.parametrize("dtype", [gn.float32, gn.float16, gn.bfloat16])
def test_other_dtypes_round_what_float64_gives(dtype):
    given = [numbers(1, 2, 70, 8, seed=each, dtype=dtype) for each in range(3)]
    wide = [each.to(gn.float64) for each in given]
    out, logs = flash.default(*given, 0.0, True, None, None)
    wanted, wanted_logs = flash.default(*wide, 0.0, True, None, None)
    bound = {gn.float32: 1e-6, gn.float16: 2e-3, gn.bfloat16: 2e-2}[dtype]
    assert out.dtype is dtype and logs.dtype is gn.float32
    assert (out.to(gn.float64) - wanted).abs().max().item() < bound
    assert (logs.to(gn.float64) - wanted_logs).abs().max().item() < 1e-5
    found = flash_backward.default(wide[0].to(dtype), *given, out, logs, 0.0, True, None, None)
    gradients = flash_backward.default(wide[0], *wide, wanted, wanted_logs, 0.0, True, None, None)
    for one, other in zip(found, gradients):
        assert (one.to(gn.float64) - other).abs().max().item() < 8 * bound


LAYOUTS = {
    "by place": lambda t: t.transpose(1, 2).contiguous().transpose(1, 2),
    "among others": lambda t: gn.stack([t, t * 2], 2)[:, :, 0],
    "columns": lambda t: t.transpose(2, 3).contiguous().transpose(2, 3),
    "gapped": lambda t: gn.cat([t, t], 3)[..., : t.size(3)],
}


@pytest.mark.parametrize("dtype", [gn.float32, gn.bfloat16])
@pytest.mark.parametrize("layouts", list(itertools.permutations(LAYOUTS, 3)))
def test_layouts_do_not_matter(layouts, dtype):
    dense = [numbers(2, 2, 9, 5, seed=each, dtype=dtype) for each in range(3)]
    laid = [LAYOUTS[layout](each) for layout, each in zip(layouts, dense)]
    wanted, found = (flash.default(*each, 0.0, False, None, None) for each in (dense, laid))
    assert all((one - other).abs().max().item() <= 1e-6 for one, other in zip(found, wanted))
    assert found[0].stride() == gn.empty_like(laid[0]).stride()
    gradients = [
        flash_backward.default(given[1], *given, *results, 0.0, False, None, None)
        for given, results in ((dense, wanted), (laid, found))
    ]
    for one, other in zip(*gradients):
        assert (one - other).abs().max().item() <= (2e-6 if dtype is gn.float32 else 2e-2)


def test_a_query_that_sees_nothing_gets_zeros_and_gives_no_gradient():
    query, key, value = (numbers(1, 1, 4, 3, seed=each) for each in range(3))
    mask = gn.zeros(4, 4, dtype=gn.float64, device="c")
    mask[1] = -math.inf
    out, logs = flash.default(query, key, value, 0.0, False, mask, None)
    assert out[0, 0, 1].tolist() == [0.0] * 3 and logs[0, 0, 1].item() == 0.0
    grads = flash_backward.default(gn.ones_like(out), query, key, value, out, logs, 0.0, False, mask, None)
    assert grads[0][0, 0, 1].tolist() == [0.0] * 3
    assert all(each.isfinite().all().item() for each in grads)


def test_keys_that_no_query_sees_get_zeros():
    key, value = numbers(1, 2, 40, 8, seed=2), numbers(1, 2, 40, 8, seed=3)
    for count, causal in ((0, False), (0, True), (3, True)):
        query, grad = numbers(1, 2, count, 8, seed=1), numbers(1, 2, count, 8, seed=4)
        out, logsumexp = flash(query, key, value, 0.0, causal)
        dirty = [gn.full(key.shape, 7.0, dtype=gn.float64, device="c") for _ in range(4)]
        del dirty  # their memory is used for the next tensors
        _, for_key, for_value = flash_backward(grad, query, key, value, out, logsumexp, 0.0, causal)
        for each in (for_key, for_value):
            assert each.shape == (1, 2, 40, 8)
            assert not each[:, :, count:].any()
            assert each[:, :, :count].any() or count == 0


def test_scores_that_grow_from_block_to_block():
    """Each block of keys has larger scores than the blocks before, so the running sums are rescaled."""
    keys = 700
    key = gn.arange(keys, dtype=gn.float64, device="c").reshape(1, 1, keys, 1) / 2
    value = numbers(1, 1, keys, 1, seed=1)
    query = gn.ones(1, 1, 2, 1, dtype=gn.float64, device="c")
    query[0, 0, 1] = -1.0  # for this query scores decrease, and nothing is rescaled
    wanted, logs = by_hand(query, key, value, None, False)
    out, found = flash.default(query, key, value, 0.0, False, None, None)
    assert (out - wanted).abs().max().item() < 1e-12 and (found - logs).abs().max().item() < 1e-10


def test_the_same_bits_on_every_number_of_threads():
    given = [numbers(3, 4, 150, 16, seed=each, dtype=gn.float32) for each in range(3)]
    before = gn.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            gn.set_num_threads(threads)
            results = flash.default(*given, 0.0, True, None, None)
            found.append(
                (*results, *flash_backward.default(given[1], *given, *results, 0.0, True, None, None))
            )
    finally:
        gn.set_num_threads(before)
    for other in found[1:]:
        assert all(gn.equal(one, two) for one, two in zip(found[0], other))


def test_attention_takes_the_operator_where_that_can_be():
    query, key, value = (numbers(1, 2, 4, 3, seed=each).requires_grad_() for each in range(3))
    name = "ScaledDotProductFlashAttentionForCpuBackward0"
    assert scaled_dot_product_attention(query, key, value).grad_fn.name() == name
    assert scaled_dot_product_attention(query, key, value, is_causal=True).grad_fn.name() == name
    for options in ({"dropout_p": 0.5}, {"attn_mask": gn.zeros(2, 4, 4, dtype=gn.float64, device="c")}):
        assert scaled_dot_product_attention(query, key, value, **options).grad_fn.name() != name
    assert scaled_dot_product_attention(query[0], key[0], value[0]).grad_fn.name() != name
    result = scaled_dot_product_attention(query, key, value)
    (first,) = gn.autograd.grad(result.sum(), query, create_graph=True)
    with pytest.raises(RuntimeError, match=r"derivative for aten::.*_backward is not implemented"):
        first.sum().backward()
