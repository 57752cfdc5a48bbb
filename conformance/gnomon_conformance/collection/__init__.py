"""Collects the tests: for which operators, dtypes and tiers they run."""
