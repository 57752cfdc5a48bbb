"""Backends with one fault each, and the runner that checks that the suite detects them."""
