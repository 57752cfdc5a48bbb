"""The counts of all comparisons, as a table and as a page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from .comparison import DTYPES, KINDS, Result
from .differences import DIFFERENCES


class Total:
    """The counts of all results."""

    def __init__(self) -> None:
        self.agreed: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        self.differing: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        self.known: Counter[str] = Counter()
        self.names: dict[str, set[str]] = defaultdict(set)
        self.missing: set[str] = set()
        self.unknown: list[str] = []

    def add(self, result: Result) -> list[str]:
        """Count a result; returns a line for each difference that is not known."""
        for kind, count in result.agreed.items():
            self.agreed[kind][result.dtype] += count
        lines = []
        for kind, text in result.differences:
            self.differing[kind][result.dtype] += 1
            line = f"{result.name} {result.dtype} {kind}: {text}"
            reason = next((why for what, why in DIFFERENCES.items() if re.search(what, line)), None)
            if text.startswith("missing"):
                self.missing.add(result.name.partition("[")[0])
            if reason is None:
                lines.append(line)
            else:
                self.known[reason] += 1
                self.names[reason].add(result.name.partition("[")[0])
        self.unknown += lines
        return lines

    def table(self) -> str:
        """A row for each kind, a column for each dtype: how many checks agree, of how many."""
        dtypes = [name for name in DTYPES if any(self.agreed[kind][name] for kind in KINDS)]
        lines = [f"| |{'|'.join(dtypes)}|all|", f"|---|{'---|' * (len(dtypes) + 1)}"]
        for kind in KINDS:
            agreed, differing = self.agreed[kind], self.differing[kind]
            cells = [
                f"{good} of {good + bad}" if good + bad else ""
                for good, bad in [
                    *((agreed[name], differing[name]) for name in dtypes),
                    (agreed.total(), differing.total()),
                ]
            ]
            lines.append(f"|{kind}|{'|'.join(cells)}|")
        return "\n".join(lines)

    def page(self, names: int, samples: int) -> str:
        """docs/op_db.md."""
        known = "\n".join(
            f"| {', '.join(sorted(self.names[reason]))} | {count} | {reason} |"
            for reason, count in sorted(self.known.items())
        )
        missing = ", ".join(sorted(self.missing)) or "none"
        return f"""# PyTorch's operator database

PyTorch's own tests describe its operators in a database, `op_db`, which ships with PyTorch 2.13: samples of arguments for each dtype,
aliases, variants, errors. `tools/op_db.py` runs all {names} names that have a kernel on the CPU on gnomon and compares every result with
PyTorch's: values, dtypes, shapes, strides, gradients, second gradients (in double precision), in-place and `out=` variants, methods,
aliases, and the kinds of errors. Rows named by a layout count the samples with tensors of that layout.

```console
$ python tools/op_db.py                          # needs PyTorch
$ python tools/op_db.py --only '^linalg' --samples 5
$ python tools/op_db.py --sparse
$ python tools/op_db.py --markdown docs/op_db.md
```

This page was written with at most {samples} samples of an operator and dtype, spread over all of them. A cell says how many checks
agree, of how many.

{self.table()}

Names that gnomon does not have: {missing}.

All differences have one of these reasons; other differences: {len(self.unknown)}.

| names | checks | reason |
|---|---|---|
{known}
"""  # noqa: E501
