"""TransformerEncoder: what inference makes of padding."""

import pytest


def encoder(lib, batch_first=True, activation="relu", heads=2, **options):
    lib.manual_seed(0)
    layer = lib.nn.TransformerEncoderLayer(
        4, heads, 8, dropout=0.0, activation=activation, batch_first=batch_first
    )
    return lib.nn.TransformerEncoder(layer, 2, **options).eval()


def zeros_of(lib, model, padding, grad=False, mask=None, batch_first=True):
    """Which of the results are 0."""
    source = lib.arange(40.0).reshape(2, 5, 4).sin()
    if not batch_first:
        source = source.transpose(0, 1)
    with lib.set_grad_enabled(grad):
        found = model(source, mask, lib.tensor(padding))
    return (found == 0).all(-1).tolist()


AT_END = [[False, False, False, True, True], [False] * 5]
AT_BEGIN = [[True, False, False, False, False], [False] * 5]
NOWHERE = [[False] * 5] * 2


def test_inference_leaves_padding_out(lib):
    assert zeros_of(lib, encoder(lib), AT_END) == AT_END
    assert zeros_of(lib, encoder(lib, activation="gelu"), AT_END) == AT_END
    assert zeros_of(lib, encoder(lib, activation=lib.nn.ReLU()), AT_END) == AT_END
    # the norm behind the layers gets the zeros
    with_norm = encoder(lib, norm=lib.nn.LayerNorm(4))
    lib.nn.init.constant_(with_norm.norm.bias, 3.0)
    with lib.no_grad():
        found = with_norm(lib.ones(2, 5, 4).cumsum(1), src_key_padding_mask=lib.tensor(AT_END))
    assert found[0, 3:].tolist() == [[3.0] * 4] * 2


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_other_calls_compute_it(lib):
    assert zeros_of(lib, encoder(lib), AT_BEGIN) == NOWHERE
    assert zeros_of(lib, encoder(lib), AT_END, grad=True) == NOWHERE
    assert zeros_of(lib, encoder(lib), AT_END, mask=lib.zeros(5, 5, dtype=lib.bool)) == NOWHERE
    assert zeros_of(lib, encoder(lib).train(), AT_END) == NOWHERE
    assert zeros_of(lib, encoder(lib, enable_nested_tensor=False), AT_END) == NOWHERE
    assert zeros_of(lib, encoder(lib, heads=1), AT_END) == NOWHERE
    assert zeros_of(lib, encoder(lib, activation=lib.nn.functional.silu), AT_END) == NOWHERE
    turned = [[False] * 2] * 5
    assert zeros_of(lib, encoder(lib, batch_first=False), AT_END, batch_first=False) == turned
