"""The tests, a file a check."""
