"""Floor 3: what the reference's kernels, and derivative formulas, compute with."""
