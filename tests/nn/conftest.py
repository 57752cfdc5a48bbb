"""Makes nn_programs importable in the folders below: pytest puts this folder on Python's path."""
