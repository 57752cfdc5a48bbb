"""Algorithms on top of collectives.  Source: torch.distributed.algorithms."""
