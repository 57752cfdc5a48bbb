"""``python -m gnomon_conformance``: pytest on this suite, with its options."""

import sys

import pytest

if __name__ == "__main__":
    arguments = ["-p", "gnomon_conformance.plugin", "--pyargs", "gnomon_conformance"]
    sys.exit(pytest.main([*arguments, *sys.argv[1:]]))
