"""One training step: forward, backward, optimizer."""

import gnomon as gn

from .common import BACKENDS, PerBackend


class Step(PerBackend):
    """The demo's classifier of digits, a batch of 32."""

    params = (BACKENDS, ["SGD", "Adam"])
    param_names = ["backend", "optimizer"]

    def setup(self, backend, optimizer):
        self.use(backend)
        nn = gn.nn
        self.model = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
        self.optimizer = getattr(gn.optim, optimizer)(self.model.parameters(), lr=0.01)
        self.images = gn.rand(32, 64)
        self.labels = gn.zeros(32, dtype=gn.int64)

    def time_step(self, backend, optimizer):
        self.optimizer.zero_grad()
        loss = gn.nn.functional.cross_entropy(self.model(self.images), self.labels)
        loss.backward()
        self.optimizer.step()


class ConvolutionStep(PerBackend):
    """A small convolutional network, a batch of 2."""

    def setup(self, backend):
        self.use(backend)
        nn = gn.nn
        self.model = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10)
        )
        self.optimizer = gn.optim.SGD(self.model.parameters(), lr=0.01)
        self.images = gn.rand(2, 1, 8, 8)
        self.labels = gn.zeros(2, dtype=gn.int64)

    def time_step(self, backend):
        self.optimizer.zero_grad()
        loss = gn.nn.functional.cross_entropy(self.model(self.images), self.labels)
        loss.backward()
        self.optimizer.step()
