"""gnomon shows itself: the calls that a statement passes through, and what a program runs."""
