"""Compares gnomon with PyTorch over PyTorch's own operator database: tools/op_db.py."""
