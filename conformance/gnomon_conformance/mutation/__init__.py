"""Backends with one fault each, and the run that has to find them."""
