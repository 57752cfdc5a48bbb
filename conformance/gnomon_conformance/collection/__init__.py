"""Which tests there are: of which operators, dtypes and tiers."""
