"""The cases that tools/fuzz.py generates and compares, and the known differences."""
