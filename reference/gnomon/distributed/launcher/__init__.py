"""What `python -m gnomon.distributed.run` consists of.  Source: torch.distributed.launcher, .elastic."""
