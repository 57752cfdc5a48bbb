"""Classify sentences of different lengths with an LSTM over packed sequences.

    python examples/text_classifier_lstm.py

The sentences are generated: the task is to tell whether the writer likes what he describes.  "not" turns the
word after it around, and "but" makes only what follows count, so the order of words matters.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.nn.utils.rnn import pack_padded_sequence, pad_sequence
from gnomon.utils.data import DataLoader

GOOD = ["good", "charming", "clever", "funny", "warm"]
BAD = ["bad", "boring", "clumsy", "sad", "cold"]
SUBJECTS = ["the film", "the play", "her new novel", "this song", "the story of the old sailor"]
FILLERS = ["", "really", "quite", "in the end", "as far as I can see"]
PADDING = 0


def sentence(generator: random.Random) -> tuple[list[str], int]:
    """Words, and 1 if they praise, else 0."""
    words, label = generator.choice(SUBJECTS).split(), 0
    for clause in range(generator.choice([1, 2])):
        if clause:
            words.append("but")
        label, negated = generator.randint(0, 1), generator.randint(0, 1)
        words += ["is", *generator.choice(FILLERS).split()]
        words += ["not"] if negated else []
        words.append(generator.choice(GOOD if label != negated else BAD))
    return words, label


def collate(batch: list[tuple[gn.Tensor, int]]) -> tuple[gn.Tensor, gn.Tensor, gn.Tensor]:
    """Sentences, padded to the longest; their lengths; their labels."""
    sentences, labels = zip(*batch)
    lengths = gn.tensor([len(words) for words in sentences], device="cpu")
    return pad_sequence(sentences, batch_first=True, padding_value=PADDING), lengths, gn.tensor(labels)


class Classifier(nn.Module):
    """(N, L) words' numbers and (N,) lengths -> (N, 2) scores."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, 16, padding_idx=PADDING)
        self.lstm = nn.LSTM(16, 32, batch_first=True, bidirectional=True)
        self.scores = nn.Linear(2 * 32, 2)

    def forward(self, sentences: gn.Tensor, lengths: gn.Tensor) -> gn.Tensor:
        packed = pack_padded_sequence(
            self.embedding(sentences), lengths, batch_first=True, enforce_sorted=False
        )
        _, (hidden, _) = self.lstm(packed)
        forward, backward = hidden
        return self.scores(gn.cat([forward, backward], dim=1))


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the training loss of the first and the last epoch, and the held-out accuracy."""
    gn.manual_seed(arguments.seed)
    generator = random.Random(arguments.seed)
    sentences = [sentence(generator) for _ in range(arguments.sentences)]
    vocabulary = ["<padding>", *sorted({word for words, _ in sentences for word in words})]
    number_of = {word: number for number, word in enumerate(vocabulary)}
    samples = [(gn.tensor([number_of[word] for word in words]), label) for words, label in sentences]
    held_out = len(samples) // 5
    loader = DataLoader(samples[held_out:], batch_size=32, shuffle=True, collate_fn=collate)

    model = Classifier(len(vocabulary)).to(arguments.device)
    optimizer = gn.optim.Adam(model.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    losses = []
    for _ in track(range(arguments.epochs), description="Training"):
        total = 0.0
        for words, lengths, labels in loader:
            loss = criterion(model(words.to(arguments.device), lengths), labels.to(arguments.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
        losses.append(total / len(loader.dataset))

    words, lengths, labels = collate(samples[:held_out])
    with gn.no_grad():
        guesses = model(words.to(arguments.device), lengths).argmax(1)
    accuracy = (guesses == labels.to(arguments.device)).float().mean().item()
    for (words, _), guess in zip(sentences[:5], guesses.tolist()):
        print(f"{'likes' if guess else 'dislikes':>8}: {' '.join(words)}")
    print(f"training loss {losses[0]:.4f} -> {losses[-1]:.4f}, held-out accuracy {accuracy:.4f}")
    return {"first_loss": losses[0], "last_loss": losses[-1], "accuracy": accuracy}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Classify sentences with an LSTM.")
    parser.add_argument("--epochs", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--sentences", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
