"""An LSTM that learns to continue English text, character by character.

Source: Hochreiter and Schmidhuber, "Long short-term memory" (1997), with the forget gate of Gers et al.
(2000).
"""

from text import LETTERS, load_text

import gnomon as gn
from gnomon import nn

BATCH, LENGTH, WIDTH, STEPS = 4, 12, 24, 3


class Lstm(nn.Module):
    """Maps (N, length) characters to (N, length, characters) scores."""

    def __init__(self) -> None:
        super().__init__()
        self.letters = nn.Embedding(len(LETTERS), WIDTH)
        self.inner, self.outer = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.scores = nn.Linear(WIDTH, len(LETTERS))

    def forward(self, letters: gn.Tensor) -> gn.Tensor:
        count = letters.shape[0]
        state, memory = gn.zeros(count, WIDTH), gn.zeros(count, WIDTH)
        states = []
        for at in self.letters(letters).unbind(1):
            let_in, forget, let_out, fresh = (self.inner(at) + self.outer(state)).chunk(4, 1)
            memory = forget.sigmoid() * memory + let_in.sigmoid() * fresh.tanh()
            state = let_out.sigmoid() * memory.tanh()
            states.append(state)
        return self.scores(gn.stack(states, 1))


def main() -> None:
    gn.manual_seed(1)
    text = load_text(BATCH * STEPS * (LENGTH + 1))
    model = Lstm()
    optimizer = gn.optim.Adam(model.parameters(), lr=0.003)
    for batch in text.reshape(STEPS, BATCH, LENGTH + 1):
        optimizer.zero_grad()
        scores = model(batch[:, :-1])
        loss = nn.functional.cross_entropy(scores.reshape(-1, len(LETTERS)), batch[:, 1:].reshape(-1))
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
