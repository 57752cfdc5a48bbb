"""Small data in place of what the programs download: each function writes files into a program's folder."""

from __future__ import annotations

import pickle
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
from PIL import Image


def _text(length: int) -> str:
    """The beginning of Python's help."""
    return "".join(topics[name] for name in sorted(topics)).encode("ascii", "ignore").decode()[:length]


def text(folder: Path) -> None:
    (folder / "input.txt").write_text(_text(60_000))


def wikitext(folder: Path) -> None:
    """The three files of a corpus of words."""
    words = folder / "data" / "wikitext-2"
    words.mkdir(parents=True, exist_ok=True)
    for name, length in {"train": 60_000, "valid": 4_000, "test": 4_000}.items():
        (words / f"{name}.txt").write_text(_text(length))


def names(folder: Path) -> None:
    """A word a line, each once."""
    words = {word for word in _text(200_000).lower().split() if word.isalpha() and len(word) < 16}
    (folder / "names.txt").write_text("\n".join(sorted(words)))


def characters(folder: Path) -> None:
    """A text as numbers of its characters, in the files that nanoGPT prepares."""
    content = _text(60_000)
    letters = sorted(set(content))
    numbers = np.array([letters.index(letter) for letter in content], dtype=np.uint16)
    data = folder / "data" / "shakespeare_char"
    data.mkdir(parents=True, exist_ok=True)
    numbers[:54_000].tofile(data / "train.bin")
    numbers[54_000:].tofile(data / "val.bin")
    meta = {
        "vocab_size": len(letters),
        "itos": dict(enumerate(letters)),
        "stoi": {letter: i for i, letter in enumerate(letters)},
    }
    (data / "meta.pkl").write_bytes(pickle.dumps(meta))


def citations(folder: Path) -> None:
    """A graph of 1600 papers in seven classes, which cite their own class more, in Cora's two files."""
    generator = np.random.default_rng(0)
    papers, words, classes = 1600, 100, 7
    kinds = generator.integers(0, classes, papers)
    favourites = generator.random((classes, words)) < 0.2
    has = generator.random((papers, words)) < np.where(favourites[kinds], 0.4, 0.05)
    has[:, 0] = True  # no paper is without words
    data = folder / "data" / "cora"
    data.mkdir(parents=True, exist_ok=True)
    lines = [f"{i} {' '.join(map(str, has[i].astype(int)))} class{kinds[i]}" for i in range(papers)]
    (data / "cora.content").write_text("\n".join(lines) + "\n")
    pairs = generator.integers(0, papers, (20_000, 2))
    kept = (kinds[pairs[:, 0]] == kinds[pairs[:, 1]]) | (generator.random(len(pairs)) < 0.05)
    (data / "cora.cites").write_text("\n".join(f"{a} {b}" for a, b in pairs[kept]) + "\n")


def photographs(folder: Path) -> None:
    """Smooth colored images in the two folders of BSDS300."""
    generator = np.random.default_rng(0)
    for name, count in {"train": 16, "test": 4}.items():
        images = folder / "dataset" / "BSDS300" / "images" / name
        images.mkdir(parents=True, exist_ok=True)
        for i in range(count):
            coarse = Image.fromarray(generator.integers(0, 256, (12, 12, 3)).astype(np.uint8))
            coarse.resize((288, 288), Image.Resampling.BICUBIC).save(images / f"{i}.png")


def binarized_digits(folder: Path) -> None:
    """Images of 784 zeros and ones, around ten patterns, in the file that MADE reads."""
    generator = np.random.default_rng(0)
    patterns = generator.random((10, 784))
    train = generator.random((2000, 784)) < patterns[generator.integers(0, 10, 2000)] ** 3
    valid = generator.random((500, 784)) < patterns[generator.integers(0, 10, 500)] ** 3
    np.savez(folder / "digits.npz", train_data=train.astype(np.float32), valid_data=valid.astype(np.float32))
