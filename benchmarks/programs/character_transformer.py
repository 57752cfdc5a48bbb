"""A transformer that learns to continue English text, character by character: one block of causal attention.

Source: Vaswani et al., "Attention is all you need" (2017), with layer norms first, as in GPT-2.
"""

from text import LETTERS, load_text

import gnomon as gn
from gnomon import nn

BATCH, LENGTH, WIDTH, HEADS, STEPS = 4, 16, 32, 4, 3


class Transformer(nn.Module):
    """Maps (N, length) characters to (N, length, characters) scores."""

    def __init__(self) -> None:
        super().__init__()
        self.letters, self.places = nn.Embedding(len(LETTERS), WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.before, self.between, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mix, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.scores = nn.Linear(WIDTH, len(LETTERS), bias=False)
        self.dropout = nn.Dropout(0.1)

    def forward(self, letters: gn.Tensor) -> gn.Tensor:
        count, length = letters.shape
        x = self.letters(letters) + self.places(gn.arange(length))
        parts = self.mix(self.before(x)).reshape(count, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.dropout(self.out(mixed.transpose(1, 2).reshape(count, length, WIDTH)))
        x = x + self.dropout(self.down(nn.functional.gelu(self.up(self.between(x)))))
        return self.scores(self.after(x))


def main() -> None:
    gn.manual_seed(1)
    text = load_text(BATCH * STEPS * (LENGTH + 1))
    model = Transformer()
    optimizer = gn.optim.AdamW(model.parameters(), lr=0.003)
    for batch in text.reshape(STEPS, BATCH, LENGTH + 1):
        optimizer.zero_grad()
        scores = model(batch[:, :-1])
        loss = nn.functional.cross_entropy(scores.reshape(-1, len(LETTERS)), batch[:, 1:].reshape(-1))
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
