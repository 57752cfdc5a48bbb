"""Resampling: outputs of interpolation that no input contributes to."""

import pytest

import gnomon as gn


@pytest.mark.parametrize("device", ["reference", "cpu"])
@pytest.mark.parametrize("kind", ["bilinear", "bicubic", "lanczos"])
def test_an_output_that_sees_nothing_of_the_input_is_zero(kind, device):
    """With explicit scales, output columns are two input columns apart, but the image has only one column."""
    image = gn.ones(1, 1, 7, 1, device=device)
    operator = getattr(gn.ops.aten, f"_upsample_{kind}2d_aa")
    columns = operator(image, [4, 5], False, 0.5, 0.5)[0, 0, 0].tolist()
    assert columns[0] == pytest.approx(1.0) and columns[-2:] == [0.0, 0.0]
    gradient = getattr(gn.ops.aten, f"_upsample_{kind}2d_aa_backward")(
        gn.ones(1, 1, 4, 5, device=device), [4, 5], [1, 1, 7, 1], False, 0.5, 0.5
    )
    assert gradient.shape == (1, 1, 7, 1) and gradient.isfinite().all()
