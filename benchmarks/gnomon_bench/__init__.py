"""gnomon_bench: the benchmarks of gnomon.

gnomon bench                # backends and peers, in turn, on this machine
make perf-check             # this tree against an earlier commit
asv run                     # over commits: benchmarks/benchmarks, with the same definitions
"""
