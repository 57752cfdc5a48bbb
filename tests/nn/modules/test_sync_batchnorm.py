"""SyncBatchNorm in one process, and batch normalization without running statistics."""

import pytest

import gnomon as gn
from gnomon import nn


def test_in_one_process_it_is_batch_normalization() -> None:
    module = nn.Sequential(nn.Conv2d(2, 3, 1), nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()), nn.BatchNorm2d(3))
    found = nn.SyncBatchNorm.convert_sync_batchnorm(module)
    assert (
        found is module and [type(each).__name__ for each in (found[1][0], found[2])] == ["SyncBatchNorm"] * 2
    )
    plain = nn.BatchNorm2d(3, 0.1, 0.2)
    synced = nn.SyncBatchNorm.convert_sync_batchnorm(plain, process_group="all")
    assert synced.weight is plain.weight and synced.running_mean is plain.running_mean
    assert (synced.eps, synced.momentum, synced.process_group) == (0.1, 0.2, "all")
    other = nn.BatchNorm2d(3, 0.1, 0.2)
    x = gn.randn(4, 3, 2, 2)
    for _ in range(2):
        assert synced(x).tolist() == other(x).tolist()
        assert plain.running_var.tolist() == other.running_var.tolist()
        synced.eval(), other.eval()
    assert nn.SyncBatchNorm(3)(gn.ones(2, 3)).shape == (2, 3)
    with pytest.raises(ValueError, match="expected at least 2D input"):
        synced(gn.ones(3))
    with pytest.raises(ValueError, match="number of input channels should be non-zero"):
        nn.SyncBatchNorm(0)(gn.ones(2, 0))


def test_vmap_normalizes_batches_without_running_statistics() -> None:
    module = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 2))
    assert gn.func.replace_all_batch_norm_modules_(module) is module
    assert module[0].running_mean is None and not module[0].track_running_stats
    x = gn.randn(2, 5, 3)
    found = gn.func.vmap(module)(x)
    assert found.tolist() == gn.stack([module(each) for each in x]).tolist()


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_gradients_of_convolutions_by_themselves(spatial) -> None:
    names = [f"conv{spatial}d", f"conv{spatial}d_input", f"conv{spatial}d_weight"]
    x = gn.randn(2, 4, *[5] * spatial, requires_grad=True)
    weight = gn.randn(6, 2, *[3] * spatial, requires_grad=True)
    options = {"stride": 2, "padding": 1, "dilation": 1, "groups": 2}
    output = getattr(nn.functional, names[0])(x, weight, **options)
    grad = gn.randn(output.shape)
    output.backward(grad)
    found = getattr(nn.grad, names[1])(x.shape, weight.detach(), grad, **options)
    assert found.tolist() == x.grad.tolist()
    found = getattr(nn.grad, names[2])(x.detach(), weight.shape, grad, **options)
    assert found.tolist() == weight.grad.tolist()


@pytest.mark.oracle
def test_names_and_texts_are_pytorch_s() -> None:
    torch = pytest.importorskip("torch")
    assert repr(nn.SyncBatchNorm(3)) == repr(torch.nn.SyncBatchNorm(3))
    ours, theirs = nn.SyncBatchNorm(3).state_dict(), torch.nn.SyncBatchNorm(3).state_dict()
    assert list(ours) == list(theirs)
    theirs = {name for name in dir(torch.nn.common_types) if name.endswith("_t")}
    assert theirs - set(dir(nn.common_types)) == set()
