"""Determines the outcome of each test, and writes the report."""
