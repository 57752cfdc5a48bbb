"""PyTorch as the oracle: its results, its schemas, and gnomon's departures from it."""
