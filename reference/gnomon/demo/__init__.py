"""``gnomon demo``: trains a small classifier of digits on every backend, and compares their curves."""

from .command import main, run_demo
from .digits import Digits, load_digits

__all__ = ["Digits", "load_digits", "main", "run_demo"]
