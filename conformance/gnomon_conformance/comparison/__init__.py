"""Compares two observations of one call, within tolerances."""
