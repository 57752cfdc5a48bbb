"""Floor 5: from Python's arguments to operators: the argument parser, functions, what Tensor's methods do."""
