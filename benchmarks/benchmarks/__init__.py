"""asv's benchmarks of gnomon.  Every one has the backend as its first parameter."""
