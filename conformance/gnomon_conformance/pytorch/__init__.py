"""PyTorch as the oracle: its answers, its schemas, and where gnomon departs from it."""
