"""gnomon_bench: what gnomon's speed is measured by.

gnomon bench                # backends and peers, in turn, on this machine
make perf-check             # this tree against an earlier commit
asv run                     # over commits: benchmarks/benchmarks, of the same definitions
"""
