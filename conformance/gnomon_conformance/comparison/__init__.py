"""Two observations of one call, and how far apart they may lie."""
