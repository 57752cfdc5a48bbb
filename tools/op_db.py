"""Runs PyTorch's own operator database, op_db, on gnomon, and compares everything with PyTorch.

    python tools/op_db.py                                    # all entries: half an hour of a processor
    python tools/op_db.py --only '^linalg' --dtypes float32,complex64 --samples 5
    python tools/op_db.py --sparse                           # the samples with sparse tensors alone
    python tools/op_db.py --markdown docs/op_db.md

An entry (OpInfo) has samples for each dtype, and knows which variants an operator has.  What is compared of a
sample are checks, of the kinds in ``operator_database/comparison.py``; why some of them differ is in
``operator_database/differences.py``.  The exit status is 1 if there are other differences, or if gnomon does
not have an entry.  Source of the entries: torch/testing/_internal/common_methods_invocations.py.
"""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from operator_database.comparison import DTYPES, compare, database
from operator_database.report import Total


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="entries whose names match this regular expression")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--samples", type=int, default=20, help="most samples of an entry and dtype")
    parser.add_argument("--sparse", action="store_true", help="only the samples with sparse tensors")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", type=int, default=5, help="differences to show of an entry and dtype")
    parser.add_argument("--markdown", help="write the counts and the reasons to this page")
    options = parser.parse_args(arguments)
    work = [
        (name, dtype)
        for name in sorted(database())
        if re.search(options.only, name)
        for dtype in options.dtypes.split(",")
    ]
    total = Total()
    with ProcessPoolExecutor(options.workers) as pool:
        settings = [options.samples] * len(work), [options.sparse] * len(work)
        for results in pool.map(compare, *zip(*work), *settings):
            for result in results:
                for line in total.add(result)[: options.show]:
                    print(line, flush=True)
    print(total.table())
    for reason, count in total.known.most_common():
        print(f"{count:6} {reason}")
    if options.markdown:
        Path(options.markdown).write_text(total.page(len(database()), options.samples))
    return 1 if total.unknown else 0


if __name__ == "__main__":
    sys.exit(main())
