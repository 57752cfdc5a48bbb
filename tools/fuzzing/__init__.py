"""What tools/fuzz.py draws and compares, and what differs knowingly."""
