"""Floor 3: the kit that operators are made with."""
