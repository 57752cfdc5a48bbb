"""Importing this makes ``import torch`` give gnomon: in processes that a program of gnomon.compat starts."""

from .__main__ import install

install()
