"""asv's benchmarks of gnomon, of the definitions in gnomon_bench.

The backend is an axis of the environment (``env_nobuild`` in asv.conf.json): ``GNOMON_BACKEND`` names it.
"""

import sys
from pathlib import Path

# The definitions are those beside these files, whichever commit is measured.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
