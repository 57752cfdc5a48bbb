"""asv's benchmarks of gnomon, from the definitions in gnomon_bench.

The backend is an axis of the environment (``env_nobuild`` in asv.conf.json), named by ``GNOMON_BACKEND``.
"""

import sys
from pathlib import Path

# The definitions are always those next to these files, whichever commit is measured.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
