"""Images in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image


def save_image(images: Any, path: str, nrow: int = 8, normalize: bool = False, **options: Any) -> None:
    """Write images (N, channels, height, width), or a list of them, in rows of ``nrow``."""
    array = np.stack([np.asarray(image.detach().cpu()) for image in images])
    if normalize:
        array = (array - array.min()) / max(array.max() - array.min(), 1e-5)
    array = (array.clip(0, 1) * 255).astype(np.uint8)
    blank = np.zeros((-len(array) % nrow, *array.shape[1:]), np.uint8)
    rows = np.concatenate([array, blank]).reshape(-1, nrow, *array.shape[1:])
    grid = rows.transpose(0, 3, 1, 4, 2).reshape(rows.shape[0] * rows.shape[3], -1, rows.shape[2])
    Image.fromarray(grid[:, :, 0] if grid.shape[2] == 1 else grid).save(path)
