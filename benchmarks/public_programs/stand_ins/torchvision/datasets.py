"""Datasets of drawn images: a class is a pattern of its own, and each image adds noise to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

TRAINING, TEST = 2000, 400  # images


class _Images(Dataset):
    """Images of ``shape`` in ten classes, drawn anew in each process from the same seed."""

    shape: tuple[int, ...]

    def __init__(
        self,
        root: str,
        train: bool = True,
        transform: Callable[..., Any] | None = None,
        target_transform: Callable[..., Any] | None = None,
        download: bool = False,
    ) -> None:
        self.transform, self.target_transform = transform, target_transform
        generator = np.random.default_rng(0)
        patterns = generator.integers(0, 192, size=(10, *self.shape))
        generator = np.random.default_rng(1 if train else 2)
        labels = generator.integers(0, 10, size=TRAINING if train else TEST)
        noise = generator.integers(0, 64, size=(len(labels), *self.shape))
        self.images = (patterns[labels] + noise).astype(np.uint8)
        self.labels = labels.astype(np.int64)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image: Any = Image.fromarray(self.images[index])
        label: Any = int(self.labels[index])
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            label = self.target_transform(label)
        return image, label


class MNIST(_Images):
    """Gray images of 28 by 28 pixels; ``data`` and ``targets`` as tensors."""

    shape = (28, 28)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.data, self.targets = torch.from_numpy(self.images), torch.from_numpy(self.labels)


class FashionMNIST(MNIST):
    pass


class CIFAR10(_Images):
    """Colored images of 32 by 32 pixels; ``data`` as an array and ``targets`` as a list."""

    shape = (32, 32, 3)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.data, self.targets = self.images, self.labels.tolist()
