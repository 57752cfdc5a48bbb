"""Train a small causal transformer to predict the next character of a text, and let it write.

    python examples/character_transformer.py
    python examples/character_transformer.py --text FILE --prompt "The "

The text is a nursery rhyme in the public domain, unless another file is named.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.nn import functional as F

# The House That Jack Built, English nursery rhyme, printed in 1755.
PARTS = [
    "the house that Jack built",
    "the malt\nThat lay in {}",
    "the rat\nThat ate {}",
    "the cat\nThat killed {}",
    "the dog\nThat worried {}",
    "the cow with the crumpled horn\nThat tossed {}",
    "the maiden all forlorn\nThat milked {}",
    "the man all tattered and torn\nThat kissed {}",
    "the priest all shaven and shorn\nThat married {}",
    "the cock that crowed in the morn\nThat waked {}",
    "the farmer sowing his corn\nThat kept {}",
]


def rhyme() -> str:
    """All verses; each is the one before, with a line more."""
    verses, end = [], ""
    for part in PARTS:
        end = part.format(end)
        verses.append(f"This is {end}.\n")
    return "\n".join(verses)


class CharacterTransformer(nn.Module):
    """(N, L) characters' numbers -> (N, L, characters) scores of the next character; L <= ``context``."""

    def __init__(
        self, characters: int, context: int, width: int = 64, heads: int = 4, layers: int = 2
    ) -> None:
        super().__init__()
        self.context = context
        self.embedding = nn.Embedding(characters, width)
        self.position = nn.Parameter(0.02 * gn.randn(context, width))
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.scores = nn.Linear(width, characters)

    def forward(self, text: gn.Tensor) -> gn.Tensor:
        length = text.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=text.device)
        hidden = self.embedding(text) + self.position[:length]
        return self.scores(self.encoder(hidden, mask=mask, is_causal=True))


@gn.no_grad()
def generate(model: CharacterTransformer, text: gn.Tensor, count: int, temperature: float) -> gn.Tensor:
    """``text`` (1, L) continued by ``count`` characters, each drawn from the model's distribution."""
    model.eval()
    for _ in track(range(count), description="Writing"):
        scores = model(text[:, -model.context :])[:, -1]
        drawn = gn.multinomial((scores / temperature).softmax(-1), 1)
        text = gn.cat([text, drawn], dim=1)
    return text


def main(arguments: argparse.Namespace) -> dict[str, float | str]:
    """Train and write; returns the first loss, the mean of the last ten, and the generated text."""
    gn.manual_seed(arguments.seed)
    text = arguments.text.read_text() if arguments.text else rhyme()
    alphabet = sorted(set(text + arguments.prompt))
    number_of = {character: number for number, character in enumerate(alphabet)}
    data = gn.tensor([number_of[character] for character in text], device=arguments.device)

    model = CharacterTransformer(len(alphabet), arguments.context).to(arguments.device)
    optimizer = gn.optim.AdamW(model.parameters(), lr=3e-3)
    offsets = gn.arange(arguments.context + 1, device=arguments.device)
    losses = []
    for _ in track(range(arguments.steps), description="Training"):
        starts = gn.randint(len(data) - arguments.context, (16, 1), device=arguments.device)
        batch = data[starts + offsets]
        scores = model(batch[:, :-1])
        loss = F.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    last = sum(losses[-10:]) / len(losses[-10:])
    print(f"loss {losses[0]:.3f} -> {last:.3f}")

    prompt = gn.tensor([[number_of[character] for character in arguments.prompt]], device=arguments.device)
    written = generate(model, prompt, arguments.characters, arguments.temperature)
    result = "".join(alphabet[number] for number in written[0].tolist())
    print(result)
    return {"first_loss": losses[0], "last_loss": last, "text": result}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a causal transformer on characters.")
    parser.add_argument("--steps", type=int, default=400, help="default: %(default)s")
    parser.add_argument("--context", type=int, default=64, help="characters it sees (default: %(default)s)")
    parser.add_argument(
        "--characters", type=int, default=300, help="how many to write (default: %(default)s)"
    )
    parser.add_argument("--temperature", type=float, default=0.5, help="default: %(default)s")
    parser.add_argument("--prompt", default="This is the c", help="default: %(default)r")
    parser.add_argument("--text", type=Path, metavar="FILE", help="the text to learn from")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
