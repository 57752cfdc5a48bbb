"""What tools/make_stubs.py writes: how signatures are written, and the fixed parts of the files."""
