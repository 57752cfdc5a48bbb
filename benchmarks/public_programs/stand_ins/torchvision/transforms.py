"""The transforms that the programs use, from a PIL image to a tensor; random ones draw from ``torch``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageOps

Transform = Callable[[Any], Any]


def Compose(transforms: Sequence[Transform]) -> Transform:
    def composed(value: Any) -> Any:
        for transform in transforms:
            value = transform(value)
        return value

    return composed


def Lambda(function: Transform) -> Transform:
    return function


def ToTensor() -> Transform:
    def to_tensor(image: Any) -> Any:
        array = np.array(image)
        array = array[:, :, None] if array.ndim == 2 else array
        return torch.from_numpy(array).permute(2, 0, 1).contiguous().to(torch.float32).div(255)

    return to_tensor


def Normalize(mean: Sequence[float], std: Sequence[float]) -> Transform:
    means, deviations = torch.tensor(mean).view(-1, 1, 1), torch.tensor(std).view(-1, 1, 1)
    return lambda tensor: (tensor - means) / deviations


def _sizes(size: int | Sequence[int]) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


def Resize(size: int | Sequence[int], interpolation: Any = Image.Resampling.BILINEAR) -> Transform:
    """To ``size``, or so that the shorter side has that length."""

    def resize(image: Any) -> Any:
        width, height = image.size
        if isinstance(size, int):
            scale = size / min(width, height)
            return image.resize((round(width * scale), round(height * scale)), interpolation)
        return image.resize((size[1], size[0]), interpolation)

    return resize


def CenterCrop(size: int | Sequence[int]) -> Transform:
    height, width = _sizes(size)

    def crop(image: Any) -> Any:
        left, top = (image.size[0] - width) // 2, (image.size[1] - height) // 2
        return image.crop((left, top, left + width, top + height))

    return crop


def Pad(padding: int) -> Transform:
    return lambda image: ImageOps.expand(image, padding)


def RandomCrop(size: int | Sequence[int], padding: int = 0) -> Transform:
    height, width = _sizes(size)

    def crop(image: Any) -> Any:
        image = ImageOps.expand(image, padding) if padding else image
        top = int(torch.randint(0, image.size[1] - height + 1, (1,)))
        left = int(torch.randint(0, image.size[0] - width + 1, (1,)))
        return image.crop((left, top, left + width, top + height))

    return crop


def RandomHorizontalFlip(p: float = 0.5) -> Transform:
    return lambda image: ImageOps.mirror(image) if torch.rand(1).item() < p else image
