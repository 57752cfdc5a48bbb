"""Distributions: sampling, log-probabilities, KL, transforms, a policy gradient and a fit."""

from __future__ import annotations

import math

import gnomon as gn
from gnomon import Tensor
from gnomon.distributions import (
    Categorical,
    Distribution,
    Independent,
    Normal,
    TransformedDistribution,
    constraints,
    kl_divergence,
)
from gnomon.distributions.transforms import AffineTransform, ExpTransform

gn.manual_seed(0)


def mean_log_likelihood(distribution: Distribution, data: Tensor) -> Tensor:
    return distribution.log_prob(data).mean()


standard = Normal(0.0, 1.0)
assert standard.sample().shape == () and standard.sample((2, 3)).shape == (2, 3)
assert gn.allclose(standard.log_prob(gn.zeros(1)), gn.tensor(-0.5 * math.log(2 * math.pi)))
assert kl_divergence(Normal(1.0, 1.0), standard).item() == 0.5
assert standard.support is constraints.real

data = Normal(2.0, 0.5).sample((200,))
location = gn.zeros((), requires_grad=True)
log_scale = gn.zeros((), requires_grad=True)
optimizer = gn.optim.Adam([location, log_scale], lr=0.1)
for _ in range(80):
    optimizer.zero_grad()
    loss = -mean_log_likelihood(Normal(location, log_scale.exp()), data)
    loss.backward()
    optimizer.step()
assert abs(location.item() - data.mean().item()) < 0.05

policy = Categorical(logits=gn.zeros(3, requires_grad=True))
action = policy.sample()
surrogate = -policy.log_prob(action) * 1.5
surrogate.backward()
assert policy.probs.shape == (3,) and gn.allclose(policy.entropy(), gn.tensor(math.log(3)))

joint = Independent(Normal(gn.zeros(4), gn.ones(4)), 1)
assert joint.event_shape == (4,) and joint.rsample().shape == (4,)
log_normal = TransformedDistribution(standard, [AffineTransform(loc=1.0, scale=2.0), ExpTransform()])
assert gn.all(log_normal.sample((5,)) > 0)
