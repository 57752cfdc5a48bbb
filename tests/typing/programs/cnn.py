"""A small convolutional network: shapes, training mode, and one step that lowers the loss."""

from __future__ import annotations

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import Tensor, nn


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(
            inputs, outputs, kernel_size=3, stride=stride, padding=1, padding_mode="reflect", bias=False
        )
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.norm(self.convolution(x)), inplace=True)


class Network(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body = nn.Sequential(Block(1, 4), nn.MaxPool2d(2), Block(4, 8, stride=2), nn.Dropout(0.1))
        self.head = nn.Linear(8, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.body(x)
        pooled = F.adaptive_avg_pool2d(x, (1, 1)).flatten(1)
        return F.log_softmax(self.head(pooled), dim=-1)


gn.manual_seed(1)
images = gn.randn(4, 1, 8, 8)
labels = gn.tensor([0, 1, 2, 1])
network = Network(3)
optimizer = gn.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, nesterov=True)
losses: list[float] = []
for _ in range(5):
    optimizer.zero_grad(set_to_none=True)
    loss = F.nll_loss(network(images), labels, reduction="sum")
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0]

network.eval()
with gn.no_grad():
    scores: Tensor = network(images)
assert scores.shape == (4, 3) and not scores.requires_grad
assert gn.allclose(scores.exp().sum(1), gn.ones(4), atol=1e-5)

edges = gn.tensor([[1.0, 0.0, -1.0]]).expand(3, 3).reshape(1, 1, 3, 3)
same = F.conv2d(images, edges, padding="same")
small = F.interpolate(images, scale_factor=0.5, mode="bilinear", align_corners=False)
padded = F.pad(images, (1, 1, 2, 2), mode="replicate")
pooled, places = F.max_pool2d(images, 2, return_indices=True)
assert same.shape == images.shape and small.shape[-2:] == (4, 4) and padded.size(2) == 12
assert F.max_unpool2d(pooled, places, 2).shape == images.shape
