"""Loss functions."""

from . import cross_entropy, ctc_loss, likelihood_loss, loss, margin_loss

__all__ = ["cross_entropy", "ctc_loss", "likelihood_loss", "loss", "margin_loss"]
