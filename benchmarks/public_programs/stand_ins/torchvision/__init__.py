"""Stands in for torchvision, written with what the library called ``torch`` has."""

from torchvision import datasets, transforms, utils

__all__ = ["datasets", "transforms", "utils"]
