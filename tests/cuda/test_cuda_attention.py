"""Scaled dot product attention and its gradients on the emulated GPU."""

from __future__ import annotations

import math
import shutil

import pytest

import gnomon as gn
from gnomon_cuda import attention

forward = gn.ops.aten._scaled_dot_product_flash_attention_for_cpu
backward = gn.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
BOUNDS = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5, "float64": 1e-13}
TILE = attention.TILE


@pytest.fixture(autouse=True)
def cuda(monkeypatch):
    """The emulated backend; a fallback is an error."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "1")
    assert gn.backends()["cuda"].available, gn.backends()["cuda"].reason
    gn.set_fallback_policy("error")


@pytest.fixture
def launched(monkeypatch):
    """The kernels that were launched, in order."""
    found = []
    usual = attention.Work.launch

    def launch(self, text, dtype, kernel, *others, **named):
        if text == attention.TEXT:
            found.append(kernel)
        return usual(self, text, dtype, kernel, *others, **named)

    monkeypatch.setattr(attention.Work, "launch", launch)
    return found


def numbers(*sizes, dtype=gn.float32, step=7919):
    """Numbers between -1.5 and 1.5."""
    count = math.prod(sizes)
    found = [(i * step % 1013 - 506) / 337 for i in range(count)]
    return gn.tensor(found, dtype=gn.float64, device="reference").reshape(sizes).to(dtype)


def close(expected, found, bound):
    assert found.device.type == "cuda"
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    pairs = zip(expected.double().reshape(-1).tolist(), found.to("reference").double().reshape(-1).tolist())
    for number, other in pairs:
        if number != number:
            assert other != other
        else:
            assert number == other or abs(number - other) <= bound * (1 + abs(number)), (number, other)


def attend(query, key, value, causal=False, mask=None, scale=None, gradients=True):
    """Compare attention and its gradients with the reference's."""
    gpu = [None if each is None else each.to("cuda") for each in (query, key, value, mask)]
    bound = BOUNDS[query.dtype.name]
    out, logs = forward(query, key, value, 0.0, causal, attn_mask=mask, scale=scale)
    found, found_logs = forward(*gpu[:3], 0.0, causal, attn_mask=gpu[3], scale=scale)
    close(out, found, bound)
    close(logs, found_logs, bound)
    if not gradients:
        return
    grad = numbers(*query.shape, dtype=query.dtype, step=31)
    given = (grad, query, key, value, out, logs)
    expected = backward(*given, 0.0, causal, attn_mask=mask, scale=scale)
    on_device = [each.to("cuda") for each in given]
    results = backward(*on_device, 0.0, causal, attn_mask=gpu[3], scale=scale)
    for each, other in zip(expected, results):
        close(each, other, 4 * bound)


def heads(*sizes, keys=None, key_heads=None, dtype=gn.float32):
    """Query, key and value; sizes are batch, heads, positions, width."""
    others = (sizes[0], key_heads or sizes[1], keys or sizes[2], sizes[3])
    return (
        numbers(*sizes, dtype=dtype),
        numbers(*others, dtype=dtype, step=104729),
        numbers(*others, dtype=dtype, step=611953),
    )


@pytest.mark.parametrize("dtype", list(BOUNDS))
def test_each_dtype(dtype):
    kind = getattr(gn, dtype)
    attend(*heads(2, 2, 5, 8, keys=7, dtype=kind))
    attend(*heads(1, 2, 6, 3, dtype=kind), causal=True, mask=numbers(6, 6, dtype=kind))


@pytest.mark.parametrize("causal", [False, True])
def test_several_tiles_of_queries_and_keys(causal):
    attend(*heads(1, 1, TILE + 6, 3, keys=2 * TILE + 5), causal=causal)
    attend(*heads(1, 1, 2 * TILE + 1, 2, keys=TILE + 3), causal=causal)


def test_widths_of_several_pieces(launched):
    for width, pieces in ((TILE, 1), (TILE + 3, 2), (2 * TILE + 5, 2), (3 * TILE, 2)):
        launched.clear()
        attend(*heads(1, 1, 3, width, keys=4))
        assert launched == [
            f"attention_forward<{pieces}>",
            "attention_products<0>",
            f"attention_for_query<{pieces}>",
            f"attention_for_key<{pieces}>",
        ]
    attend(*heads(1, 1, 3, TILE + 3, keys=4, dtype=gn.float64))


def test_heads_that_share_keys():
    attend(*heads(2, 6, 4, 5, keys=3, key_heads=2))
    attend(*heads(1, 4, 4, 5, key_heads=1), causal=True)


def test_masks_of_each_shape():
    given = heads(2, 3, 4, 5, keys=6)
    for sizes in ((4, 6), (1, 6), (4, 1), (1, 1), (2, 3, 4, 6), (2, 1, 1, 6), (1, 3, 4, 1)):
        attend(*given, mask=numbers(*sizes, step=31))
    attend(*given, mask=numbers(6, 4).t(), causal=True, scale=0.3)
    attend(*heads(1, 2, 3, 4, dtype=gn.float16), mask=numbers(3, 3))


def test_tensors_in_other_orders_of_memory():
    query, key, value = (
        each.transpose(1, 2).contiguous().transpose(1, 2) for each in heads(2, 3, 4, 5, keys=6)
    )
    attend(query, key, value)
    query, key, value = (
        each.transpose(2, 3).contiguous().transpose(2, 3) for each in heads(2, 3, 4, 5, keys=6)
    )
    attend(query, key, value)
    query, key, value = heads(1, 1, 4, 5, keys=6)
    attend(query.expand(2, 3, 4, 5), key.expand(2, 3, 6, 5), value.expand(2, 3, 6, 5))


def test_queries_that_see_nothing():
    query, key, value = heads(1, 1, 4, 3, keys=5)
    mask = numbers(4, 5)
    mask[1] = -math.inf
    mask[2, 1:] = -math.inf
    attend(query, key, value, mask=mask)
    # a key that a query may not attend to has no effect, unless its value is NaN
    value[0, 0, 4] = 1e38
    attend(query, key, value, causal=True, gradients=False)
    assert forward(*(each.to("cuda") for each in (query, key, value)), 0.0, True)[0].isfinite().all().item()


def test_scores_that_are_large_or_not_finite():
    query, key, value = heads(1, 1, 4, 3, keys=TILE + 5)
    mask = gn.zeros(4, TILE + 5, device="reference")
    mask[0, 3], mask[0, TILE + 1] = 3000.0, 4000.0  # the largest is in a later tile
    mask[1, :TILE] = -math.inf  # the first tile is masked out
    mask[2, 1] = math.nan
    mask[3, 1] = math.inf
    attend(query, key, value, mask=mask, gradients=False)


def test_nothing():
    for sizes, keys in (((0, 2, 3, 4), 5), ((2, 2, 0, 4), 5)):
        query, key, value = heads(*sizes, keys=keys)
        attend(query, key, value)
