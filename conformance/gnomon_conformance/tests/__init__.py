"""The tests, one file for each check."""
