"""Runs public training programs with PyTorch and with gnomon, and compares the results."""
